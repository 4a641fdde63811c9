//! The page of limits is what the tables of the engines say.

use std::path::Path;
use watertight_logic::limits::page;

const HEAD: &str = "# Limits

<!-- Generated from limits.rs in the engines; `WATERTIGHT_BLESS=1 cargo test -p watertight-analysis --test limits` writes it. -->

How far the engines go. Every number that cuts something off, and so trades truth for time, is in one table of its
engine, and `cargo xtask tidy` finds those that are not. Limits count steps, nodes, copies and links, never seconds: every machine gives the same
answers. What was given up for want of steps is listed by `--verbose`, and lowers the confidence of what rests on it ([confidence.md](confidence.md)).
";

#[test]
fn the_page_is_up_to_date() {
    let engines = [
        ("path", watertight_path::limits::TABLE),
        ("flow", watertight_flow::limits::TABLE),
        ("prove", watertight_prove::limits::TABLE),
        ("replay", watertight_replay::limits::TABLE),
        ("analysis", watertight_analysis::limits::TABLE),
    ];
    let mut expected = HEAD.to_owned();
    for (engine, table) in engines {
        expected += &format!("\n## {engine}\n{}", page(table));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/limits.md");
    if std::env::var_os("WATERTIGHT_BLESS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == expected, "docs/limits.md is not up to date; WATERTIGHT_BLESS=1 writes it");
}
