//! The figures of the README are those of `docs/evaluation.md` and `docs/peers.md`, which the truth bench writes.
//!
//! `WATERTIGHT_BLESS=1 cargo test -p watertight-cli figures` writes them.

use std::fmt::Write as _;

use crate::support::repository;

/// The text between a marker and its end.
fn between<'t>(text: &'t str, marker: &str) -> &'t str {
    let (_, rest) = text.split_once(marker).unwrap_or_else(|| panic!("there is no `{marker}`"));
    let rest = rest.split_once("-->\n").map_or(rest, |(_, rest)| rest);
    rest.split("<!--").next().unwrap_or(rest)
}

/// The cells of the rows of a table, without its head.
fn rows(text: &str) -> Vec<Vec<String>> {
    let lines = text.lines().filter(|line| line.starts_with('|')).skip(2);
    lines.map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

fn head(text: &str) -> Vec<String> {
    let line = text.lines().find(|line| line.starts_with('|')).unwrap_or_default();
    line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
}

/// The row that begins with a word.
fn row(text: &str, first: &str) -> Vec<String> {
    rows(text).into_iter().find(|row| row[0] == first).unwrap_or_else(|| panic!("there is no row `{first}`"))
}

/// The date in a sentence such as `commit 5834c14 of 2026-11-17: 78 programs`.
fn date(text: &str) -> &str {
    let is_date = |word: &&str| word.len() == 10 && word.matches('-').count() == 2 && word.starts_with("20");
    text.split([' ', ':', ',', '\n']).find(is_date).expect("a date")
}

fn figures(evaluation: &str, peers: &str) -> String {
    let build = between(evaluation, "<!-- truth: build");
    let confidences = between(evaluation, "<!-- truth: confidences");
    let (high, medium) = (row(confidences, "high"), row(confidences, "medium"));
    let recall = row(between(evaluation, "<!-- truth: recall by class"), "all");
    let compared = between(peers, "<!-- truth: peers");
    let mut text = String::from("| | |\n| --- | --- |\n");
    let programs = build.split(": ").nth(1).and_then(|rest| rest.split(',').next()).unwrap_or_default();
    let _ = writeln!(text, "| [{programs}](docs/evaluation.md), {} | |", date(build));
    let _ = writeln!(text, "| findings of high confidence that are true | {} of {} |", high[6], high[1]);
    let _ =
        writeln!(text, "| findings of medium confidence that are true | {} of {} |", medium[6], medium[1]);
    let _ = writeln!(text, "| releases taken out that are reported | {} of {} |", recall[6], recall[1]);
    let (names, all) = (head(compared), row(compared, "all"));
    let _ =
        writeln!(text, "| [{} of these releases, by tool](docs/peers.md), {} | |", all[1], date(compared));
    for (name, count) in names.iter().zip(&all).skip(2) {
        let _ = writeln!(text, "| {name} reports | {count} |");
    }
    text
}

#[test]
fn figures_of_the_readme_are_those_of_the_evaluation() {
    let read = |name: &str| std::fs::read_to_string(repository().join(name)).unwrap();
    let fresh = figures(&read("docs/evaluation.md"), &read("docs/peers.md"));
    let readme = read("README.md");
    let known = between(&readme, "<!-- figures: `");
    if std::env::var_os("WATERTIGHT_BLESS").is_some() {
        let (before, rest) = readme.split_once("<!-- figures: `").unwrap();
        let (marker, _) = rest.split_once("-->\n").unwrap();
        let (_, after) = rest.split_once("<!-- figures: end").unwrap();
        let text = format!("{before}<!-- figures: `{marker}-->\n\n{fresh}\n<!-- figures: end{after}");
        std::fs::write(repository().join("README.md"), text).unwrap();
    } else {
        assert_eq!(
            known.trim(),
            fresh.trim(),
            "WATERTIGHT_BLESS=1 cargo test -p watertight-cli figures writes them"
        );
    }
}

#[test]
fn figures_are_read_from_tables() {
    let evaluation = "<!-- truth: build -->\n\nVersion 1, commit a of 2026-01-02: 7 programs, 3 lines\n\n<!-- truth: end -->\n\
        <!-- truth: confidences -->\n| c | read | r | m | e | f | true |\n| - | - |\n| high | 10 | 1 | 1 | 1 | 7 | 30 % |\n| medium | 4 | 0 | 0 | 0 | 4 | 0 % |\n<!-- truth: end -->\n\
        <!-- truth: recall by class -->\n| c | t | s | l | g | m | o |\n| - | - |\n| all | 9 | 1 | 2 | 3 | 3 | 11 % |\n<!-- truth: end -->\n";
    let peers = "<!-- truth: peers -->\n\nMeasured on 2026-03-04: 5\n\n| c | releases | watertight 1 | gcc 12 |\n| - | - |\n| all | 5 | 3 (60 %) | 1 (20 %) |\n<!-- truth: end -->\n";
    let text = figures(evaluation, peers);
    assert!(text.contains("| [7 programs](docs/evaluation.md), 2026-01-02 | |"), "{text}");
    assert!(text.contains("high confidence that are true | 30 % of 10 |"), "{text}");
    assert!(
        text.contains("reported | 11 % of 9 |") && text.contains("| gcc 12 reports | 1 (20 %) |"),
        "{text}"
    );
}
