//! A corpus from its first program to its tables.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::super::bench::Bench;
use super::super::program::Program;
use super::super::verdict::{self, Verdict};
use super::super::{check, mutant};
use super::{project, run, write};

/// A build that does not know one rule: a script in front of the real one.
fn without_rule(bench: &Bench, rule: &str) -> String {
    let path = bench.data.join(format!("without-{rule}"));
    let script = format!("#!/bin/sh\nexec '{}' \"$@\" --rules default,-{rule}\n", bench.binary.display());
    write(&path, &script);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

fn entries(bench: &Bench, program: &str) -> Vec<verdict::Entry> {
    verdict::read(&verdict::path(bench, program)).unwrap()
}

const PAGE: &str = "# Evaluation\n";

fn page(names: &[&str]) -> String {
    let markers = names.iter().map(|name| format!("<!-- truth: {name} -->\n<!-- truth: end -->\n"));
    PAGE.to_owned() + &markers.collect::<String>()
}

#[test]
fn a_corpus_from_the_first_program_to_the_tables() {
    let directory = tempfile::tempdir().unwrap();
    let Some(bench) = project(directory.path()) else { return };

    // Entries for what is to be read.
    let (added, well) = run(&bench, "add quickstart losses", "");
    assert!(well && added.contains("quickstart: 2 findings, 2 to be read"), "{added}");
    let waiting = entries(&bench, "losses");
    assert!(waiting.len() >= 7 && waiting.iter().all(|entry| entry.verdict == Verdict::Unread));
    assert!(waiting.iter().all(|entry| entry.print.file == "losses.c"), "tests/ does not count");
    assert!(run(&bench, "add quickstart", "").0.contains("0 to be read"), "adding twice adds nothing");
    assert!(run(&bench, "first quickstart", "").0.contains("2 findings are to be read"));

    // Judging by a script: wrong answers are asked again, skipping and stopping keep what was said.
    let (shown, _) =
        run(&bench, "judge quickstart", "real\nthe entry is dropped without a colon\nfalse\nnonsense\n");
    assert!(shown.contains(">    ") && shown.contains("struct entry *entry = calloc"), "{shown}");
    let judged = entries(&bench, "quickstart");
    assert_eq!((judged[0].verdict, judged[1].verdict), (Verdict::Real, Verdict::Unread));
    assert_eq!(judged[0].why, "the entry is dropped without a colon");
    let (shown, _) = run(&bench, "judge quickstart", "f\ncaller\nnobody calls it\n");
    assert!(shown.contains("first sight recorded, 1 of 2 true"), "{shown}");
    assert_eq!(entries(&bench, "quickstart")[1].cause.as_deref(), Some("caller"));
    let series = std::fs::read_to_string(bench.corpus.join("first-sight.toml")).unwrap();
    assert!(run(&bench, "first quickstart", "").0.contains("already"));
    assert_eq!(std::fs::read_to_string(bench.corpus.join("first-sight.toml")).unwrap(), series);

    // The overview: the second run is identical.
    let (first, well) = run(&bench, "", "");
    assert!(well && first.contains("| quickstart"), "{first}");
    assert_eq!(run(&bench, "", ""), (first.clone(), well));
    assert!(first.contains("| caller |"), "{first}");

    compare(&bench);
    recall(&bench, directory.path());

    let names = [
        "build",
        "confidences",
        "programs",
        "causes",
        "doubts",
        "supports",
        "urgencies",
        "first sight",
        "recall by class",
        "recall by program",
        "recall by reason",
    ];
    let path = bench.root.join("docs/evaluation.md");
    write(&path, &page(&names));
    assert!(run(&bench, "report", "").1);
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written.contains("| high and medium |"), "{written}");
    assert!(run(&bench, "report", "").1);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), written);

    // One program that fails does not keep the others.
    write(&bench.corpus.join("programs/broken.toml"), "local = \"losses\"\nbuild = [\"cc -c nothing.c\"]\n");
    let (text, well) = run(&bench, "", "");
    assert!(
        !well
            && text.contains("| broken")
            && text.contains("the build failed")
            && text.contains("| quickstart")
    );
}

/// The exit code says whether something true went or something false came.
fn compare(bench: &Bench) {
    let real = bench.binary.display().to_string();
    let lacking = without_rule(bench, "memory-leak");
    let (text, well) = run(bench, &format!("compare {real} {real} quickstart"), "");
    assert!(well && text.lines().filter(|line| line.ends_with(": 0")).count() == 5, "{text}");
    // Without the rule, the true one is lost.
    let (text, well) = run(bench, &format!("compare {real} {lacking} quickstart"), "");
    assert!(!well && text.contains("true findings lost: 1, false findings gained: 0"), "{text}");
    // It comes back: nothing is worse.
    let (text, well) = run(bench, &format!("compare {lacking} {real} quickstart"), "");
    assert!(well && text.contains("appeared: 1"), "{text}");
    // The false one comes: worse.
    let lacking = without_rule(bench, "resource-leak");
    let (text, well) = run(bench, &format!("compare {lacking} {real} quickstart"), "");
    assert!(!well && text.contains("false findings gained: 1"), "{text}");
}

/// Releases are taken out, seen, and put back, also after a kill.
fn recall(bench: &Bench, _directory: &Path) {
    let list = "[[release]]\nfile = \"phonebook.c\"\nfunction = \"book_load\"\ncallee = \"fclose\"\nordinal = 1\nclass = \"stream\"\n\n\
                [[release]]\nfile = \"main.c\"\nfunction = \"main\"\ncallee = \"book_free\"\nordinal = 1\nclass = \"own\"\n\
                no-leak = \"the process ends\"\n\n\
                [[release]]\nfile = \"main.c\"\nfunction = \"main\"\ncallee = \"absent\"\nordinal = 1\nclass = \"own\"\n";
    write(&bench.corpus.join("recall/quickstart.toml"), list);
    let program = Program::all(&bench.corpus, &["quickstart".to_owned()]).unwrap().remove(0);
    let room = bench.room(&program);
    let file = room.tree().join("phonebook.c");
    let original = std::fs::read(&file).unwrap();

    let (text, _) = run(bench, "recall", "");
    let row: Vec<&str> = text.lines().find(|line| line.starts_with("| stream")).unwrap().split('|').collect();
    assert_eq!((row[2].trim(), row[3].trim()), ("1", "1"), "{text}");
    assert!(text.contains("absent#1 (own): broken"), "{text}");
    assert_eq!(std::fs::read(&file).unwrap(), original);
    assert_eq!(run(bench, "recall", "").0, text, "a second run is identical");

    let source = super::super::source::Text::new(&String::from_utf8(original.clone()).unwrap());
    let statement = mutant::find(&source, "entry_free", "free", 2).unwrap();
    mutant::take_out(&room, "phonebook.c", statement, "").unwrap();
    assert_ne!(std::fs::read(&file).unwrap(), original);
    let found = check::check(bench, &program, &bench.binary).unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), original);
    assert_eq!(found.findings.iter().filter(|told| told.is_shown()).count(), 2);

    std::fs::remove_file(bench.corpus.join("recall/quickstart.toml")).unwrap();
    let (text, _) = run(bench, "recall choose", "");
    assert!(text.contains("releases of"), "{text}");
    write(&bench.corpus.join("recall/quickstart.toml"), list);
}
