//! The text form as a whole: what is printed reads back and prints the same.

mod common;

use common::files;
use watertight_ir::{parse, print};

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
