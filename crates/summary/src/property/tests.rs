//! What property files say, and what is wrong with them.

use super::*;
use crate::path::Root;

const MUTEX: &str = "property mutex \"mutex\"\n\
    states unlocked, locked\n\
    error double-lock \"is locked twice\" cwe 764\n\
    at return locked: error double-lock\n\
    take(lock) unlocked -> locked, locked -> error double-lock\n\
    try, try_again(lock) {\n    when result == 0: unlocked -> locked, locked -> never\n    otherwise: nothing\n}\n\
    wait(condition, lock) on lock: locked -> same\n";

fn complain(text: &str) -> String {
    parse("my.property", text).unwrap_err()[0].to_string()
}

#[test]
fn every_shipped_property_is_understood() {
    for (name, text) in PACKS {
        if let Err(errors) = parse(name, text) {
            panic!("{}", errors[0]);
        }
    }
}

#[test]
fn a_property_is_read() {
    let property = parse("my.property", MUTEX).unwrap();
    assert_eq!((&*property.name, property.state(-1)), ("mutex", "locked".to_owned()));
    let names: Vec<&str> = property.events.iter().map(|event| &*event.0).collect();
    assert_eq!(names, ["take", "try", "try_again", "wait"]);
    assert_eq!(property.events[1].1.len(), 2);
    assert_eq!(property.events[1].1[0].when.any[0][0].value.root, Root::Result);
    assert_eq!(property.events[3].1[0].on.root, Root::Param(1));
    assert_eq!(property.events[0].1[0].moves[1].to, To::Error(0));
}

#[test]
fn states_can_be_counted() {
    let text = "property p \"p\"\nstates free, counted taken, broken\n\
        down(s) free or taken -> taken + 1\nup(s) taken -> taken - 1, free -> same\n";
    let property = parse("p", text).unwrap();
    assert_eq!(property.events[0].1[0].moves[0].to, To::Plus(1));
    assert_eq!((property.least(), property.most()), (-1, 64));
    assert_eq!(property.state(3), "taken 3 times");
}

#[test]
fn mistakes_have_line_and_caret() {
    assert_eq!(
        complain(&MUTEX.replace("take(lock) unlocked", "take(lock) unloked")),
        "my.property:5:12: there is no state `unloked`, did you mean `unlocked`?\n  |\n\
         5 | take(lock) unloked -> locked, locked -> error double-lock\n  |            ^^^^^^^"
    );
    assert!(complain(&MUTEX.replace("on lock", "on lok")).contains("did you mean `lock`?"));
    assert!(
        complain(&MUTEX.replace("-> error double-lock", "-> error duble-lock")).contains("`double-lock`")
    );
    assert!(complain("states a, b\n").contains("a property file begins with them"));
    assert!(complain("property p \"p\"\nstate a, b\n").contains("did you mean `states`?"));
    assert!(complain("property p \"p\"\nstates a\nf() a -> a\n").contains("no first parameter"));
}

#[test]
fn entries_stand_in_any_order() {
    let text = "property p \"p\"\nf(x) free -> taken, taken -> error twice\nat failure taken: error twice\n\
        states free, taken\nerror twice \"is taken twice\"\n";
    let property = parse("p", text).unwrap();
    assert_eq!(property.ends[0].at, End::Failure);
    assert_eq!(property.events[0].1[0].moves[1].to, To::Error(0));
}

#[test]
fn one_mistake_has_one_message() {
    let text = "property p \"p\"\nstates a, b\nf(x) {\n    when result == 0: a -> b\ng(x) b -> a\n";
    let open = parse("p", text).unwrap_err();
    assert_eq!(open.len(), 1);
    assert!(open[0].to_string().contains("p:5:1: expected another case, or `}`"));
    let typed = parse("p", &text.replace("states", "stats").replace("g(x)", "}\ng(x)")).unwrap_err();
    assert_eq!(typed.len(), 1);
    assert!(typed[0].to_string().contains("did you mean `states`?"));
    let comma = parse("p", &text.replace("a, b\n", "a b\n").replace("g(x)", "}\ng(x)")).unwrap_err();
    assert_eq!(comma.len(), 1);
    assert!(comma[0].to_string().contains("p:2:10: expected `,` or the end of the line, found `b`"));
}

#[test]
fn no_text_makes_the_parser_stumble() {
    for end in 0..MUTEX.len() {
        let _ = parse("cut", &MUTEX[..end]);
        let _ = parse("cut", &MUTEX[end..]);
    }
    for letter in ["{", "}", "(", ":", ",", "->", "\"", "-", "1"] {
        for at in (0..MUTEX.len()).step_by(3) {
            let mut text = MUTEX.to_owned();
            text.insert_str(at, letter);
            let _ = parse("mixed", &text);
        }
    }
}
