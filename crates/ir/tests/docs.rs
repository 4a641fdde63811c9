//! `docs/ir.md` is complete, and its examples are programs.

use watertight_ir::{parse, print, verify, words};

fn page() -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ir.md");
    std::fs::read_to_string(path).expect("the page is there")
}

#[test]
fn every_word_of_the_text_form_is_explained() {
    let page = page();
    // What stands between backquotes, outside of the examples.
    let prose: String = page.split("```").step_by(2).collect();
    let explained: std::collections::BTreeSet<&str> =
        prose.split('`').skip(1).step_by(2).flat_map(|code| code.split([' ', ','])).collect();
    let mut words = words::instructions();
    words.extend(words::operations());
    words.extend(words::TERMINATORS);
    let missing: Vec<&str> = words.into_iter().filter(|word| !explained.contains(word)).collect();
    assert!(missing.is_empty(), "docs/ir.md does not explain {missing:?}");
}

#[test]
fn every_example_is_a_valid_program() {
    let page = page();
    let mut examples = 0;
    for (number, rest) in page.split("```ir\n").enumerate().skip(1) {
        let text = rest.split("```").next().unwrap_or_default();
        let program = parse(&format!("example {number}"), text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(verify(&program), [], "example {number}");
        let printed = print(&program);
        assert_eq!(print(&parse("printed", &printed).expect("it reads back")), printed);
        examples += 1;
    }
    assert!(examples >= 6, "the page shows every kind of instruction");
}
