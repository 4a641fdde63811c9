//! What `check` says about programs that lose something, and how it ends.

use crate::support::{Project, Ran, repository};

const LOSES: &str = "\
#include <stdlib.h>
int lose(int n) {
    char *block = malloc(16);
    if (block == NULL || n == 3)
        return -1;
    free(block);
    return 0;
}
";

fn check_example(name: &str, more: &[&str]) -> Ran {
    let project = Project::new(&[]);
    let mut arguments = vec!["check", "--no-cache", name];
    arguments.extend(more);
    let mut command = project.command(&arguments);
    Ran::of(command.current_dir(repository()))
}

#[test]
fn the_examples_are_right() {
    let report = check_example("examples/quickstart", &["--format", "json"]).exits(1).json();
    let mut found: Vec<(String, String, u64)> = Vec::new();
    for finding in report["findings"].as_array().unwrap() {
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let place = &finding["place"];
        found.push((text(&finding["rule"]), text(&place["file"]), place["line"].as_u64().unwrap()));
    }
    found.sort();
    let file = "examples/quickstart/phonebook.c".to_owned();
    assert_eq!(found, [("memory-leak".to_owned(), file.clone(), 9), ("resource-leak".to_owned(), file, 38)]);
    check_example("examples/repaired", &[]).exits(0).says("no findings in 2 files; 5 functions analysed");
}

#[test]
fn findings_decide_the_exit_code() {
    let project = Project::new(&[("a.c", LOSES), ("bad.c", "int f( {\n"), ("ok.c", "int x;\n")]);
    project.run(&["check", "a.c"]).exits(1).says("a.c:3:19").says("1 finding (");
    project.run(&["check", "ok.c"]).exits(0).says("no findings");
    // What was found counts more than what could not be read, which is still said.
    project.run(&["check", "a.c", "bad.c"]).exits(1).says("1 more could not be analysed");
    project.run(&["check", "a.c", "--rules", "resource-leak"]).exits(0).says("no findings");
    project.run(&["check", "a.c", "--rules", "all,-memory-leak"]).exits(0);
    project.write("watertight.toml", "rules = '-memory-leak'\n");
    project.run(&["check", "a.c"]).exits(0);
    project.run(&["check", "a.c", "--rules", "default"]).exits(1);
}

#[test]
fn comments_suppress_findings() {
    let reason = "// watertight: ignore[memory-leak] a test\n    char *block";
    let project = Project::new(&[("a.c", &LOSES.replace("char *block", reason))]);
    project.run(&["check", "a.c"]).exits(0).says("1 suppressed");
}

#[test]
fn every_format_tells_the_finding() {
    let project = Project::new(&[("a.c", LOSES)]);
    project.run(&["check", "--format", "gcc", "a.c"]).exits(1).says("a.c:3:19: warning: ");
    let json = project.run(&["check", "--format", "json", "a.c"]).exits(1).json();
    assert_eq!(json["summary"]["findings"], 1);
    let sarif = project.run(&["check", "--format", "sarif", "a.c"]).exits(1).json();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "memory-leak");
    let coloured = project.run(&["check", "--color", "always", "a.c"]).exits(1);
    assert!(coloured.stdout.contains("\u{1b}["));
    let plain = project.run(&["check", "a.c"]).exits(1);
    assert!(!plain.stdout.contains('\u{1b}') && !plain.stderr.contains('\u{1b}'));
}

#[test]
fn models_of_the_project_are_read() {
    let project = Project::new(&[("a.c", LOSES), ("watertight.toml", "models = ['absent.model']\n")]);
    project.run(&["check", "a.c"]).exits(1).says("absent.model");
}
