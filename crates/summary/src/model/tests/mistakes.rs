//! Wrong files: the message names the place and shows it.

use super::super::{Models, parse};

fn check(text: &str, expected: &[&str]) {
    let errors = parse("my.model", text).expect_err("the file is wrong");
    let found: Vec<String> =
        errors.iter().map(|error| format!("{}:{}: {}", error.line, error.column, error.message)).collect();
    assert_eq!(found, expected);
}

#[test]
fn an_unknown_word_gets_a_caret() {
    let errors = parse("my.model", "# mine\n\nfree(block) relases block\n").unwrap_err();
    assert_eq!(
        errors[0].to_string(),
        "my.model:3:13: unknown word `relases`, did you mean `releases`?\n  \
           |\n\
         3 | free(block) relases block\n  \
           |             ^^^^^^^"
    );
}

#[test]
fn tabs_and_wide_letters_do_not_move_the_caret() {
    let errors = parse("my.model", "f(x) {\n\twhen x: -> \u{e4}ny\n}").unwrap_err();
    assert_eq!((errors[0].line, errors[0].column, errors[0].width), (2, 13, 1));
    assert!(errors[0].to_string().ends_with("  | \t           ^"), "{}", errors[0]);
}

#[test]
fn each_mistake_is_told() {
    check(
        "a(x) -> frish heap\nb(y) releases z\nc(v) -> 0\nd(w) -> fresh\n",
        &[
            "1:9: unknown word `frish`, did you mean `fresh`?",
            "2:15: there is no parameter `z`",
            "5:1: expected the name of a kind, the file ends here",
        ],
    );
    // The second entry is not lost because the first one stopped at its beginning.
    check(
        "a(x) -> fresh\nb(y) -> niull\n",
        &["2:1: expected the name of a kind, found `b`", "2:9: unknown word `niull`, did you mean `null`?"],
    );
}

#[test]
fn mistakes_in_signatures() {
    check("f(a, a)", &["1:6: two parameters are called `a`"]);
    check("f(null)", &["1:3: `null` is a word of the language, so no parameter can have this name"]);
    check("f(a", &["1:4: expected `,`, the file ends here"]);
    check(
        "f(a) ...",
        &[
            "1:6: expected an effect (`-> fresh KIND`, `releases`, `keeps`, `modifies` ...), or an entry at the start of a line, found `...`",
        ],
    );
    check("f(a)\nf(b)", &["2:1: `f` is described twice in this file, first in line 1"]);
    check(
        "  f(a)",
        &[
            "1:3: expected an effect (`-> fresh KIND`, `releases`, `keeps`, `modifies` ...), or an entry at the start of a line, found `f`",
        ],
    );
}

#[test]
fn mistakes_in_paths_and_values() {
    check("f(path) keeps pth", &["1:15: there is no parameter `pth`, did you mean `path`?"]);
    check("f(a) keeps ...", &["1:12: the function has no variable arguments"]);
    check("f(a) keeps @2", &["1:13: there is no argument 2; the first is @1"]);
    check(
        "f(a) keeps *a:4.8",
        &[
            "1:16: expected an effect (`-> fresh KIND`, `releases`, `keeps`, `modifies` ...), or an entry at the start of a line, found `.`",
        ],
    );
    check("f(a) keeps (*a:4).8", &["1:18: a number has no cells"]);
    check("f(a) keeps *a:40", &["1:14: a number has 1 to 16 bytes"]);
    check("f(a) keeps a:4", &["1:13: only a cell at a known offset can have a size"]);
    check("f(a) a = null", &["1:6: a store needs a cell, as in `*out = ...` or `out.8 = ...`"]);
    check("f(a) -> inside ...", &["1:16: the function has no variable arguments"]);
    check("f(a, ...) -> inside ...", &["1:14: one of the variable arguments has no name"]);
    check("f(a) -> fresh heap as a", &["1:23: `a` means something else already"]);
    check("f(a) -> fresh heap as b, *a = *b", &["1:31: a fresh object has no cells that could be read"]);
    check("f(a) -> 99999999999999999999", &["1:9: this is not a number of 64 bits"]);
    check("f(a) -> 9999999999999999999", &["1:9: this number does not fit into 64 bits with a sign"]);
}

#[test]
fn mistakes_in_cases() {
    check(
        "f(a) { when a & 4 == 4: nothing }",
        &["1:19: put parentheses around the mask: `(flags & 4) == 4`"],
    );
    check("f(a) { when a nothing }", &["1:15: expected `:`, found `nothing`"]);
    check("f(a) { -> 0\n", &["1:8: the `{` before this has no `}`"]);
    check(
        "f(a) { when a: releases a releases a }",
        &["1:27: expected `when`, `otherwise` or `}`, found `releases`"],
    );
}

#[test]
fn mistakes_in_letters() {
    check("f(a) -> $", &["1:9: `$` is neither a value nor a parameter"]);
    check("f(a) ; keeps a", &["1:6: a model file has no use for `;`"]);
    check(
        "kind a \"b",
        &[
            "1:8: this quotation does not end on its line",
            "1:10: expected what messages call it, in quotation marks, the file ends here",
        ],
    );
}

#[test]
fn a_file_of_the_future() {
    check(
        "watertight models 2\n",
        &["1:19: written for version 2 of the model language, this program knows 1"],
    );
}

#[test]
fn a_kind_must_be_declared_somewhere() {
    let mut models = Models::default();
    models.add(parse("a.model", "kind file \"stream\" released by fclose").unwrap()).unwrap();
    models.add(parse("b.model", "fopen(path) -> fresh file | null").unwrap()).unwrap();
    let errors =
        models.add(parse("c.model", "f() -> fresh fil\ng() -> fresh own\nkind own \"thing\"").unwrap());
    let errors = errors.unwrap_err();
    assert_eq!(errors.len(), 1, "a kind may be declared after its use");
    assert_eq!(
        errors[0].to_string(),
        "c.model:1:14: there is no kind called `fil`, did you mean `file`?\n  \
           |\n\
         1 | f() -> fresh fil\n  \
           |              ^^^"
    );
    assert!(!models.functions.contains_key("g"), "a wrong file adds nothing");
}

#[test]
fn later_files_replace_earlier_ones() {
    let mut models = Models::default();
    models.add(parse("a.model", "f(p) releases p\ng(p)").unwrap()).unwrap();
    let replaced = models.add(parse("b.model", "f(p) keeps p").unwrap()).unwrap();
    assert_eq!(replaced, ["f".into()]);
    assert_eq!(models.functions.len(), 2);
    assert_eq!(models.origins["f"].file, 1);
    assert_eq!(&*models.files[1], "b.model");
}
