//! Random programs and damaged texts: what is well formed survives the text form unchanged, and nothing
//! makes the parser fail other than with an error.

mod common;
#[path = "common/random.rs"]
mod random;

use common::files;
use random::{Random, program};
use watertight_ir::{
    CallGraph, Cfg, Counts, Dominators, Id, Loops, PostDominators, Speller, ValueId, Violation, parse, print,
    verify,
};

#[test]
fn random_programs_survive_the_text_form() {
    for seed in 0..400 {
        let original = program(seed);
        let violations: Vec<String> = verify(&original).iter().map(Violation::to_string).collect();
        assert!(violations.is_empty(), "seed {seed}:\n{}\n{}", violations.join("\n"), print(&original));
        let text = print(&original);
        let read = parse("random.ir", &text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert_eq!(print(&read), text, "seed {seed}");
        assert_eq!(verify(&read), [], "seed {seed}");
        // Values that nothing uses may be dropped; everything else is kept.
        let counts = |program| Counts { values: 0, constants: 0, ..Counts::of(program) };
        assert_eq!(counts(&read), counts(&original), "seed {seed}");
    }
}

#[test]
fn analyses_of_random_programs_agree_with_each_other() {
    for seed in 0..200 {
        let program = program(seed);
        let graph = CallGraph::new(&program);
        for (id, function) in program.functions.iter() {
            assert!(
                graph.callees(id).iter().all(|&callee| graph.callers(callee).contains(&id)),
                "seed {seed}"
            );
            let Some(body) = &function.body else { continue };
            let cfg = Cfg::new(body);
            let dominators = Dominators::new(&cfg);
            let loops = Loops::new(&cfg);
            PostDominators::new(&cfg);
            for (loop_id, entry) in loops.iter() {
                let dominated =
                    loops.blocks(loop_id).iter().all(|&block| dominators.dominates(entry.header(), block));
                assert!(dominated || entry.is_irreducible(), "seed {seed}");
            }
            let speller = Speller::new(&program, id).expect("it has a body");
            for value in (0..body.values.len()).map(ValueId::new) {
                speller.value(value);
            }
        }
    }
}

/// Words that make a damaged text damaged in more interesting ways.
const DICTIONARY: [&str; 30] = [
    "%v4294967293",
    "i8388608",
    "0xffffffffffffffffffffffffffffffffff",
    "-1",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ",",
    ":",
    "=",
    "!",
    "...",
    "->",
    "\"",
    "\\",
    "@main",
    "#",
    "bb0",
    "bb4294967290",
    "i128",
    "ptr",
    "null",
    "func ",
    "global @x: 18446744073709551615 = { 18446744073709551614: \"x\" }",
    "phi",
    "label @main bb0",
    "\n",
];

fn damage(random: &mut Random, text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + random.below(3) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        match random.below(8) {
            0 => bytes[at] = random.next() as u8,
            6 | 7 => {
                // Another number in the same place is often still a program.
                if let Some(digit) = bytes[at..].iter_mut().find(|byte| byte.is_ascii_digit()) {
                    *digit = b'0' + random.below(10) as u8;
                }
            }
            1 => drop(bytes.remove(at)),
            2 => {
                let end = (at + random.below(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            3 => {
                let from = random.below(bytes.len());
                let copied = bytes[from..(from + random.below(60)).min(bytes.len())].to_vec();
                bytes.splice(at..at, copied);
            }
            4 => {
                let word = *random.pick(&DICTIONARY);
                bytes.splice(at..at, word.bytes());
            }
            _ => bytes.truncate(at),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn damaged_texts_give_errors_and_never_panics() {
    let mut random = Random::new(7);
    let mut texts: Vec<String> =
        ["text", "verify", "spell"].into_iter().flat_map(files).map(|(_, text)| text).collect();
    texts.extend((0..20).map(|seed| print(&program(seed))));
    let (mut read, mut refused) = (0, 0);
    for _ in 0..3000 {
        let text = random.pick(&texts).clone();
        let damaged = damage(&mut random, &text);
        match parse("damaged.ir", &damaged) {
            Err(error) => {
                refused += 1;
                let lines = damaged.split('\n').count() as u32;
                assert!((1..=lines).contains(&error.line) && error.column >= 1, "{error}\n{damaged}");
            }
            Ok(program) => {
                read += 1;
                verify(&program);
                let printed = print(&program);
                let again = parse("printed.ir", &printed)
                    .unwrap_or_else(|error| panic!("{error}\n{printed}\nfrom\n{damaged}"));
                assert_eq!(print(&again), printed, "from\n{damaged}");
            }
        }
    }
    assert!(read > 200 && refused > 200, "both must happen: {read} read, {refused} refused");
}
