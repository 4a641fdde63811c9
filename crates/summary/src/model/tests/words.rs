//! Summaries in words.

use super::super::shipped;
use super::read;
use crate::words::{Names, describe};

fn check(text: &str, expected: &[&str]) {
    let file = read(&format!(
        "kind fd \"file descriptor\" number released by close\nkind conn \"connection\" released by conn_free\n{text}"
    ));
    let model = &file.models[0];
    let address = model.returns_address;
    let names = Names {
        kinds: file.kinds(),
        properties: None,
        parameters: &model.parameters,
        address,
        place: &|_| None,
    };
    assert_eq!(describe(&model.summary, names), expected);
}

#[test]
fn what_the_caller_gets() {
    check(
        "malloc(size) -> fresh heap | null",
        &["returns new memory or NULL; the caller must release it with `free`"],
    );
    check(
        "connect(out) -> 0, *out = fresh conn | < 0",
        &[
            "sets `*out` to a new connection when it returns 0; the caller must release it with `conn_free`",
            "returns 0 or a negative number",
        ],
    );
    check(
        "asprintf(out, format, ...) -> >= 0, *out = fresh heap | -1, *out = any",
        &[
            "allocates `*out` when it returns a number of at least 0; the caller must release it with `free`",
            "changes `*out` when it returns -1",
            "returns a number of at least 0 or -1",
        ],
    );
    check(
        "open(path) -> fresh fd | -1",
        &["returns a new file descriptor or -1; the caller must release it with `close`"],
    );
    check("getenv(name) -> borrowed | null", &["returns an address that the caller does not own or NULL"]);
    check("getenv(name) -> borrowed or null", &["returns an address that the caller does not own or NULL"]);
}

#[test]
fn what_becomes_of_arguments() {
    check("free(block) releases block", &["releases `block`"]);
    check(
        "insert(table, node) -> 1, keeps node | 0",
        &["keeps `node` when it returns 1; the caller need not release it any more", "returns 1 or 0"],
    );
    check("strlen(text)", &["borrows its arguments"]);
    check("exit(status) noreturn", &["does not return"]);
    check("f(p) keeps p assuming \"g\"", &["may keep `p`; nothing is known about `g`"]);
}

#[test]
fn conditions_on_entry() {
    check(
        "realloc(old, size) {
            when size == 0 and old != null: -> null, releases old
            otherwise: -> fresh heap as new, copies old to new, releases old | null
        }",
        &[
            "if `size` is 0 and `old` is not 0: releases `old`",
            "if `size` is 0 and `old` is not 0: returns NULL",
            "if `size` is not 0, or `old` is 0: releases `old` when it returns new memory",
            "if `size` is not 0, or `old` is 0: copies what `old` points to into the result when it returns new memory",
            "if `size` is not 0, or `old` is 0: returns new memory or NULL; the caller must release it with `free`",
        ],
    );
}

#[test]
fn what_all_outcomes_do_is_said_once() {
    check(
        "f(to, out) modifies to { when out == null: -> any otherwise: -> 1, *out = fresh heap | 0 }",
        &[
            "changes what `to` points to",
            "if `out` is not 0: allocates `*out` when it returns 1; the caller must release it with `free`",
            "if `out` is not 0: returns 1 or 0",
        ],
    );
}

#[test]
fn objects_inside_objects() {
    check(
        "f(list) -> > 0, *list = fresh heap { .? = fresh heap, .16 = fresh heap } | -1",
        &[
            "allocates `*list` when it returns a positive number; the caller must release it with `free`",
            "allocates an element of `*list` when it returns a positive number; the caller must release it with `free`",
            "allocates the field at byte 16 of `*list` when it returns a positive number; the caller must release it with `free`",
            "returns a positive number or -1",
        ],
    );
    // Two objects that hold each other have no name of their own.
    check(
        "f() fresh heap as a, fresh heap as b, a.8 = b, b.8 = a",
        &["allocates the field at byte 8 of a new object; the caller must release it with `free`"],
    );
}

#[test]
fn places_can_be_spelled_by_the_program() {
    let file = read("f(conn) conn.8 = fresh heap");
    let names = Names {
        kinds: file.kinds(),
        properties: None,
        parameters: &file.models[0].parameters,
        address: false,
        place: &|path| (path.steps.len() == 1).then(|| "conn->name".into()),
    };
    assert_eq!(
        describe(&file.models[0].summary, names),
        ["allocates `conn->name`; the caller must release it with `free`"]
    );
}

#[test]
fn every_shipped_model_has_words() {
    let models = shipped();
    for (name, summary) in &models.functions {
        let origin = &models.origins[name];
        let names = Names {
            kinds: &models.kinds,
            properties: None,
            parameters: &origin.parameters,
            address: origin.returns_address,
            place: &|_| None,
        };
        let words = describe(summary, names);
        assert!(!words.is_empty(), "{name}");
        for sentence in words {
            assert!(!sentence.contains("argument 1") && !sentence.ends_with('.'), "{name}: {sentence}");
        }
    }
}
