//! `docs/models.md`: its examples are read, and its numbers are true.

use super::super::{Models, PACKS, parse, shipped};
use std::collections::BTreeMap;

const PAGE: &str = include_str!("../../../../../docs/models.md");

#[test]
fn examples_can_be_read() {
    let mut count = 0;
    for block in PAGE.split("```model\n").skip(1) {
        let (example, _) = block.split_once("```").expect("an example ends");
        let file = parse("docs/models.md", example).unwrap_or_else(|errors| panic!("{}", errors[0]));
        let mut models = Models::default();
        models.add(file).unwrap_or_else(|errors| panic!("{}", errors[0]));
        count += 1;
    }
    assert!(count >= 6, "only {count} examples were found");
}

#[test]
fn the_mistake_shown_is_told_so() {
    let errors = parse("my.model", "\n\nfree(block) relases block").unwrap_err();
    assert!(PAGE.contains(&errors[0].to_string()), "{}", errors[0]);
}

#[test]
fn the_table_of_packs_is_right() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for origin in shipped().origins.values() {
        *counts.entry(PACKS[origin.file].0).or_default() += 1;
    }
    assert_eq!(counts.len(), PACKS.len());
    for (pack, count) in counts {
        assert!(PAGE.contains(&format!("| `{pack}` | {count} |")), "{pack} has {count} functions");
    }
}
