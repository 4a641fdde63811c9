//! The text form as a whole: what is printed reads back and prints the same.

mod common;

use common::files;
use std::collections::BTreeSet;
use watertight_ir::{parse, print, words};

#[track_caller]
fn round_trip(file: &str, text: &str) -> String {
    let program = parse(file, text).unwrap_or_else(|error| panic!("{error}"));
    let printed = print(&program);
    let again = parse("printed", &printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(print(&again), printed, "{file}");
    printed
}

#[test]
fn printed_programs_read_back_and_print_the_same() {
    for (file, text) in files("text") {
        round_trip(&file, &text);
    }
}

#[test]
fn a_text_in_printed_form_is_kept_byte_for_byte() {
    let (file, text) = files("text").into_iter().find(|(file, _)| file.ends_with("everything.ir")).unwrap();
    let printed = round_trip(&file, &text);
    let lines = |text: &str| -> Vec<String> {
        let kept = text.lines().filter(|line| !line.is_empty() && !line.starts_with(';'));
        // Tags are chosen by the printer.
        kept.map(|line| line.replace("#one", "#g3").replace("#two", "#g4")).collect()
    };
    let (expected, found) = (lines(&text), lines(&printed));
    for (expected, found) in expected.iter().zip(&found) {
        assert_eq!(expected, found);
    }
    assert_eq!(expected.len(), found.len());
}

#[test]
fn the_rich_example_has_every_instruction() {
    let (file, text) =
        files("text").into_iter().find(|(file, _)| file == "everything.ir").expect("it is there");
    let program = parse(&file, &text).expect("it is well formed");
    let bodies = || program.functions.values().filter_map(|function| function.body.as_ref());
    let mut found: BTreeSet<&str> =
        bodies().flat_map(|body| body.insts.values()).map(|inst| inst.op.name()).collect();
    found.extend(bodies().flat_map(|body| body.blocks.values()).map(|block| block.term.name()));
    let mut all = words::instructions();
    all.extend(words::TERMINATORS);
    let missing: Vec<&str> = all.into_iter().filter(|word| !found.contains(word)).collect();
    assert!(missing.is_empty(), "{file} lacks {missing:?}");
}

/// The error of a text, without the name of the file.
fn error(text: &str) -> String {
    match parse("", text) {
        Ok(_) => "no error".into(),
        Err(error) => error.to_string()[1..].into(),
    }
}

/// The error of a body with parameters `%p: ptr` and `%n: i32`; lines count from the first of it.
fn body_error(lines: &str) -> String {
    let text = format!("declare @f(i32)\nglobal @g: 8\nfunc @t(%p: ptr, %n: i32) {{\n{lines}\n}}\n");
    let error = error(&text);
    match error.split_once(':').and_then(|(line, rest)| Some((line.parse::<u32>().ok()?, rest))) {
        Some((line, rest)) => format!("{}:{rest}", line - 3),
        None => error,
    }
}

#[test]
fn errors_say_where_and_what_was_expected() {
    assert_eq!(
        error("func @f() {\nbb0:\n  return\n"),
        "4:1: expected a label like `bb0:`, found the end of the text"
    );
    assert_eq!(error("func f()"), "1:6: expected a name like `@main`, found `f`");
    assert_eq!(error("declare @f(i32\n"), "2:1: expected `)`, found the end of the text");
    assert_eq!(error("declare @f(i0)"), "1:12: expected a type, found `i0`");
    assert_eq!(error("declare @f(agg0)"), "1:12: expected a type, found `agg0`");
    assert_eq!(error("declare @f() wrong"), "1:14: expected a property of the function, found `wrong`");
    assert_eq!(
        error("declare @f()\ndeclare @f()"),
        "2:9: `@f` is defined twice; a tag as in `@f#2` tells them apart"
    );
    assert_eq!(error("declare @\"a"), "1:9: the quoted text has no end on this line");
    assert_eq!(error("declare @\"a\\q\"()"), "1:12: wrong escape");
    assert_eq!(error("declare @\"\\ff\"()"), "1:11: the escapes do not give valid UTF-8");
    assert_eq!(error("äöü §"), "1:1: unexpected character 'ä'");
    assert_eq!(error("unit unit0 \"ä\" \u{1}"), "1:16: unexpected character '\\u{1}'");
    assert_eq!(error("unit unit1 \"a\""), "1:6: expected `unit0`, found `unit1`");
    assert_eq!(error("alias @a = @b"), "1:12: there is no function or global `@b`");
    assert_eq!(error("global @g: 4 = {\n  2: \"abc\"\n}"), "2:3: the global has only 4 bytes");
    assert_eq!(error("global @g: 4 = {\n  0: x\"abc\"\n}"), "2:6: expected pairs of hexadecimal digits");
    assert_eq!(
        error("global @g: 99999999999999999999999"),
        "1:12: `99999999999999999999999` is out of range"
    );
    assert_eq!(
        error("unit unit0 \"a\" {\n  type x = pointer y\n}"),
        "2:20: expected a type of this unit or `void`, found `y`"
    );
    assert_eq!(
        error("unit unit0 \"a\" {\n  type x = opaque\n  type x = opaque\n}"),
        "3:8: the type `x` is defined twice"
    );
    assert_eq!(error("target \"t\" pointer 65 little"), "1:20: `65` is out of range");
    assert_eq!(
        error("wrong"),
        "1:1: expected `target`, `unit`, `agg`, `global`, `func`, `declare`, `alias` or `problem` at the start of a \
         line, found `wrong`"
    );
}

#[test]
fn errors_in_bodies_say_where_and_what_was_expected() {
    assert_eq!(body_error("  return"), "1:3: expected a label like `bb0:`, found `return`");
    assert_eq!(body_error("bb0:\n  jump bb1"), "2:8: there is no label `bb1` in this function");
    assert_eq!(body_error("bb0:\n  return\nbb0:\n  return"), "3:1: the label `bb0` is defined twice");
    assert_eq!(
        body_error("bb0:\n  store %x to %p\n  return"),
        "2:9: this value is used, but nothing defines it"
    );
    assert_eq!(body_error("bb0:\n  %n = offset %p, 8\n  return"), "2:3: `%n` is defined twice");
    assert_eq!(body_error("bb0:\n  frob %p\n  return"), "2:3: expected an instruction, found `frob`");
    assert_eq!(
        body_error("bb0:\n  fence fence\n  return"),
        "2:9: expected an instruction on a line of its own, found `fence`"
    );
    assert_eq!(
        body_error("bb0:\n  %x = load %p\n  return"),
        "2:3: the result needs a type here, as in `%x: i32 = ...`"
    );
    assert_eq!(
        body_error("bb0:\n  %x: void = load %p\n  return"),
        "2:3: a value cannot have the type `void`"
    );
    assert_eq!(body_error("bb0:\n  store i8 256 to %p\n  return"), "2:12: `256` does not fit into i8");
    assert_eq!(body_error("bb0:\n  store i8 -129 to %p\n  return"), "2:12: `-129` does not fit into i8");
    assert_eq!(
        body_error("bb0:\n  store i65 0x20000000000000000 to %p\n  return"),
        "2:13: `0x20000000000000000` does not fit into i65"
    );
    assert_eq!(
        body_error("bb0:\n  store f16 1.5 to %p\n  return"),
        "2:13: expected the bits of the number in hexadecimal, found `1.5`"
    );
    assert_eq!(
        body_error("bb0:\n  store ptr @f+8 to %p\n  return"),
        "2:13: the address of a function takes no offset"
    );
    assert_eq!(
        body_error("bb0:\n  store ptr label @t bb7 to %p\n  return"),
        "2:22: there is no block bb7 in that function"
    );
    assert_eq!(
        body_error("bb0:\n  call @g()\n  return"),
        "2:8: this is a global; to call through it, load from it"
    );
    assert_eq!(
        body_error("bb0:\n  compare like %p, %p\n  return"),
        "2:11: expected a comparison like `eq`, found `like`"
    );
    assert_eq!(
        body_error("bb0:\n  name var0, %p\n  return"),
        "2:8: expected a variable of this function, found `var0`"
    );
    assert_eq!(
        body_error("bb0:\n  fence !1:2\n  return"),
        "2:10: expected a unit with files, because places are in a file, found `1`"
    );
}

#[test]
fn small_texts_cannot_ask_for_much_memory() {
    let huge = "the text asks for too much memory";
    assert!(error("global @g: 99999999999 = {\n  99999999998: \"x\"\n}").ends_with(huge));
    assert!(body_error("bb0:\n  %v4000000000 = offset %p, 8\n  return").ends_with(huge));
    let wide: String = (0..100).map(|bits| format!("  store i{} 1 to %p\n", 8_388_608 - bits)).collect();
    assert!(body_error(&format!("bb0:\n{wide}  return")).ends_with(huge));
}

#[test]
fn texts_written_by_hand_need_little() {
    let text = "
declare @malloc(i64) -> ptr
func @make(%size: i64) -> ptr {
entry:
  %p: ptr = call @malloc(%size)
  %failed = compare eq %p, ptr null
  branch %failed, out, fill
fill:
  %sum = add %size, i64 0x10   ; the type follows from the operand
  store %sum to %p
  jump out
out:
  return %p
}
";
    let printed = round_trip("by_hand.ir", text);
    assert!(printed.contains("  %v2 = compare eq %v1, ptr null\n"), "{printed}");
    assert!(printed.contains("  branch %v2, bb2, bb1\n"), "{printed}");
}
