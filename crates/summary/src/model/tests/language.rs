//! What each construct means, shown as the printer writes it and, where that could hide something, as values.

use super::{printed, read};
use crate::effect::{Completeness, Effect, Fresh, Relation, Test, Value, Way, When};
use crate::kind::KindId;
use crate::path::{Path, Root, Step};

fn check(text: &str, expected: &str) {
    assert_eq!(printed(&read(text)).trim_end(), expected.trim_end());
}

#[test]
fn a_function_without_effects_borrows() {
    let file = read("strlen(text)");
    let summary = &file.models[0].summary;
    assert_eq!(summary.completeness, Completeness::Whole);
    assert_eq!(summary.outcomes.len(), 1);
    assert_eq!(summary.outcomes[0].result, Value::Any);
    assert!(summary.outcomes[0].effects.is_empty());
}

#[test]
fn results() {
    check("f(a) -> null", "f(a) -> null");
    check("f(a) -> 0", "f(a) -> 0");
    check("f(a) -> != 0", "f(a) -> != 0");
    check("f(a) -> a", "f(a) -> a");
    check("f(a) -> a + 8", "f(a) -> a + 8");
    check("f(a) -> *a - 8", "f(a) -> *a - 8");
    check("f(a) -> inside a | null", "f(a) {\n    -> inside a\n    -> null\n}");
    check("f(a) -> -3", "f(a) -> -3");
    check("f(a) -> < 0", "f(a) -> < 0");
    check("f(a) -> == 5", "f(a) -> 5");
    check("f(a) -> borrowed", "f(a) -> borrowed");
    check("f(a) -> owned by a", "f(a) -> borrowed");
    check("f(a) -> borrowed | null", "f(a) {\n    -> borrowed\n    -> null\n}");
    check("f(a) -> owned by a or null", "f(a) -> borrowed or null");
    assert_eq!(read("f(a) -> borrowed or null").models[0].summary, read("f(a)").models[0].summary);
    check("f(a) -> any", "f(a)");
}

#[test]
fn fresh_objects() {
    let file = read("calloc(n, size) -> zeroed fresh heap | null");
    let outcomes = &file.models[0].summary.outcomes;
    assert_eq!(
        outcomes[0].fresh,
        [Fresh { kind: KindId::HEAP, zeroed: true, by: None, trail: Vec::new(), blank: false }]
    );
    assert_eq!(outcomes[0].result, Value::Fresh { index: 0, plus: 0 });
    assert_eq!(outcomes[1].result, Value::Number(0));
    assert!(outcomes[1].fresh.is_empty());
    check("f() -> fresh heap by strdup + 16", "f() -> fresh heap by strdup + 16");
}

#[test]
fn fresh_in_fresh() {
    let file = read("f(list) -> > 0, *list = fresh heap { .? = fresh heap, .8:4 = 0 }");
    let outcome = &file.models[0].summary.outcomes[0];
    assert_eq!(outcome.fresh.len(), 2);
    let first = Path::root(Root::Fresh(0));
    assert_eq!(
        outcome.effects,
        [
            Effect::Store { place: Path::param(0).at(0), value: Value::Fresh { index: 0, plus: 0 } },
            Effect::Store { place: first.then(Step::Somewhere), value: Value::Fresh { index: 1, plus: 0 } },
            Effect::Store {
                place: first.then(Step::Number { offset: 8, bytes: 4 }),
                value: Value::Number(0)
            },
        ]
    );
}

#[test]
fn an_object_in_two_places_has_a_name() {
    check(
        "f(out) -> fresh heap as a, *out = a, a.8 = fresh heap as b, b.0 = a",
        "f(out) -> fresh heap as new0, *out = new0, new0.8 = fresh heap as new1, *new1 = new0",
    );
}

#[test]
fn an_object_that_nothing_leads_to() {
    check("f() fresh heap", "f() fresh heap");
}

#[test]
fn paths() {
    let path = |text: &str| {
        let file = read(&format!("f(p, ...) keeps {text}"));
        match &file.models[0].summary.outcomes[0].effects[0] {
            Effect::Keep { value, .. } => value.clone(),
            other => panic!("{other:?}"),
        }
    };
    let p = Path::param(0);
    assert_eq!(path("p"), p);
    assert_eq!(path("@1"), p);
    assert_eq!(path("*p"), p.at(0));
    assert_eq!(path("**p"), p.at(0).at(0));
    assert_eq!(path("p.8"), p.at(8));
    assert_eq!(path("p.-8"), p.at(-8));
    assert_eq!(path("*p.8"), p.at(8).at(0), "a star counts for less than a cell, as in C");
    assert_eq!(path("(*p).8"), p.at(0).at(8));
    assert_eq!(path("p.0.?.16"), p.at(0).then(Step::Somewhere).at(16));
    assert_eq!(path("*p:4"), p.then(Step::Number { offset: 0, bytes: 4 }));
    assert_eq!(path("p.8:2"), p.then(Step::Number { offset: 8, bytes: 2 }));
    assert_eq!(path("..."), Path::root(Root::Rest(1)));
}

#[test]
fn effects() {
    let text = "f(a, b, c, ...) releases a, keeps b, modifies *c, copies a to b, calls c(a, any, null), modifies ... -> 0";
    check(
        text,
        "f(a, b, c, ...) -> 0, releases a, keeps b, modifies *c, copies a to b, calls c(a, any, 0), modifies ...",
    );
    check("kind fd \"descriptor\" number\nclose(fd) releases fd as fd", "close(fd) releases fd as fd");
}

#[test]
fn effects_before_the_outcomes_belong_to_all() {
    check(
        "f(to, out) modifies to -> 0, *out = fresh heap | -1",
        "f(to, out) {\n    -> 0, modifies to, *out = fresh heap\n    -> -1, modifies to\n}",
    );
}

#[test]
fn reallocation() {
    check(
        "realloc(old, size) {
            when size == 0 and old != null: -> null, releases old
            otherwise: -> fresh heap as new, copies old to new, releases old | null
        }",
        "realloc(old, size) {
    when size == 0 and old != 0:
        -> null, releases old
    when size != 0 or old == 0:
        -> fresh heap as new0, copies old to new0, releases old
        -> null
}",
    );
}

#[test]
fn conditions() {
    let when = |text: &str| {
        let file = read(&format!("f(p, flags) {{ when {text}: nothing }}"));
        file.models[0].summary.outcomes[0].when.clone()
    };
    let test = |value: Path, mask, relation, number| Test { value, mask, relation, number, other: None };
    let (p, flags) = (Path::param(0), Path::param(1));
    assert_eq!(when("p"), When::test(test(p.clone(), None, Relation::NotEqual, 0)));
    assert_eq!(when("not p"), When::test(test(p.clone(), None, Relation::Equal, 0)));
    assert_eq!(when("*p == null"), When::test(test(p.at(0), None, Relation::Equal, 0)));
    assert_eq!(when("flags & 4"), When::test(test(flags.clone(), Some(4), Relation::NotEqual, 0)));
    assert_eq!(when("not flags & 4"), When::test(test(flags.clone(), Some(4), Relation::Equal, 0)));
    assert_eq!(
        when("(flags & 0xf0) == 0x20"),
        When::test(test(flags.clone(), Some(0xf0), Relation::Equal, 0x20))
    );
    assert_eq!(when("(*p).8:4 < -1").any[0][0].value, p.at(0).then(Step::Number { offset: 8, bytes: 4 }));
    assert_eq!(when("flags >=u -4095").any[0][0].relation, Relation::UnsignedGreaterEqual);
    assert_eq!(when("flags <u 8").any[0][0].relation, Relation::UnsignedLess);
    let both = when("p == null and flags > 1 or flags == 0");
    assert_eq!(both.any.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn otherwise_is_what_is_left() {
    check(
        "f(a, b) {
            when a == 1: -> 1
            when a == 2 and b == null: -> 2
            otherwise: -> 3
        }",
        "f(a, b) {
    when a == 1:
        -> 1
    when a == 2 and b == 0:
        -> 2
    when a != 1 and a != 2 or a != 1 and b != 0:
        -> 3
}",
    );
}

#[test]
fn a_case_may_not_return() {
    check("exit(status) noreturn", "exit(status) noreturn");
    check(
        "error(status, ...) { when status != 0: noreturn otherwise: nothing }",
        "error(status, ...) {\n    when status == 0:\n        -> any\n}",
    );
}

#[test]
fn the_end_of_the_process_is_told_from_a_jump() {
    let file = read(
        "exit(status) exits\nlongjmp(e, v) noreturn\nerror(s) { when s != 0: exits otherwise: nothing }",
    );
    let exits: Vec<bool> = file.models.iter().map(|model| model.exits).collect();
    assert_eq!(exits, [true, false, true]);
    check("exit(status) exits", "exit(status) noreturn");
}

#[test]
fn ways_out_other_than_a_return() {
    let file = read(
        "longjmp(e, v) jumps\nfail(p) releases p, jumps\nresize(p, n) { when n == 0: -> null, releases p, seldom otherwise: -> p }",
    );
    let way = |index: usize| file.models[index].summary.outcomes[0].way;
    assert_eq!([way(0), way(1), way(2)], [Way::Jumps, Way::Jumps, Way::Seldom]);
    assert_eq!(file.models[2].summary.outcomes[1].way, Way::Returns);
    check("fail(p) releases p, jumps", "fail(p) releases p, jumps");
}

#[test]
fn several_names_share_a_model() {
    let file = read("fopen, fopen64(path, mode) -> fresh heap | null");
    assert_eq!(file.models.len(), 2);
    assert_eq!(file.models[0].summary, file.models[1].summary);
}

#[test]
fn kinds() {
    let file = read(
        "kind fd \"file descriptor\" number from 3 released by close\nkind glib \"memory\" memory released by g_free",
    );
    let kinds: Vec<_> = file.declared().cloned().collect();
    assert_eq!(kinds[0].number, Some(3));
    assert_eq!(kinds[0].releaser.as_deref(), Some("close"));
    assert!(!kinds[0].memory && kinds[1].memory);
}

#[test]
fn the_notation_of_the_paper() {
    check("malloc { return heapobj }", "malloc(...) {\n    -> fresh heap\n    -> null\n}");
    check("printf { ignored }", "printf(...)");
    check("random { return int }", "random(...)");
    check("strchr { return pointer }", "strchr(...)");
    check("strcat { return @1 }", "strcat(arg0, ...) -> arg0");
}

#[test]
fn comments_headers_and_conditions_of_a_file() {
    let file = read("watertight models 1\n# comment\nonly with kfree, printk\n\nf() # more\n  -> null\n");
    assert_eq!(file.only_with.len(), 2);
    assert!(file.applies(&|name| name == "printk"));
    assert!(!file.applies(&|name| name == "free"));
}

#[test]
fn a_file_says_what_waits() {
    let file = read("waits in read, poll,\n    accept\nwaits(a) releases a\n");
    assert_eq!(file.lists.waiting.len(), 3);
    assert_eq!(file.models.len(), 1);
}

#[test]
fn a_file_says_who_says_why_it_failed() {
    let file = read("errno at where\nerrno after open,\n    read\nerrno(a) releases a\n");
    assert_eq!((file.lists.errno_at.len(), file.lists.errno_after.len()), (1, 2));
    assert_eq!(file.models.len(), 1);
}

#[test]
fn words_of_the_language_can_name_functions() {
    // `error`, `signal` and `kind` are functions in some programs; they stand at the start of a line.
    check("kind(a) releases a\nnothing(a)\nonly(with)", "kind(a) releases a\nnothing(a)\nonly(with)");
}
