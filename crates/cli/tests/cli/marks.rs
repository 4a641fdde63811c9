//! `watertight mark`: decisions that the whole team shares.

use crate::support::{Project, Ran};

const LEAKS: &str = "#include <stdlib.h>
int first(int n) {
    char *p = malloc(8);
    if (p == NULL || n == 0)
        return 0;
    return p[0];
}
int second(int n) {
    char *q = malloc(9);
    if (q == NULL || n == 0)
        return 0;
    return q[0];
}
";

fn project() -> Project {
    let project = Project::new(&[(".git/HEAD", ""), ("src/a.c", LEAKS)]);
    project.run(&["check", "src/a.c"]).exits(1).says("2 findings");
    project
}

const SET: [&str; 6] = ["mark", "set", "src/a.c:3", "false", "--reason", "the pool frees it"];

#[test]
fn a_finding_is_hidden_for_everybody() {
    let project = project();
    project.run(&SET).exits(0).says("marked false: src/a.c: `first` [memory-leak]");
    let text = std::fs::read_to_string(project.path().join("watertight-marks.toml")).unwrap();
    assert!(text.contains("file = \"src/a.c\"\nfunction = \"first\"\nrule = \"memory-leak\"\n"), "{text}");
    let ran = project.run(&["check", "src/a.c"]).exits(1).says("1 finding (");
    ran.says("1 finding is hidden by marks").says("marked false: the pool frees it");
    // The file is all that others need: no store, another folder, other lines.
    std::fs::remove_dir_all(project.path().join(".watertight")).unwrap();
    project.write("src/a.c", format!("\n\n{LEAKS}"));
    let mut command = project.command(&["check", "--no-cache", "a.c"]);
    Ran::of(command.current_dir(project.path().join("src"))).exits(1).says("1 finding (");
    let json = project.run(&["check", "--format", "json", "src/a.c"]).exits(1).json();
    assert_eq!(json["suppressed"][0]["suppression"]["place"]["file"], "watertight-marks.toml");
}

#[test]
fn marks_are_listed_and_removed() {
    let project = project();
    project.run(&["mark", "list"]).exits(0);
    project.run(&SET).exits(0);
    // Where it is lost names it as well as where it is allocated, and so does the beginning of its fingerprint.
    project.run(&["mark", "set", "src/a.c:12", "true"]).exits(0).says("marked true: src/a.c: `second`");
    let ran = project.run(&["mark", "list"]).exits(0);
    let first = "  false     src/a.c: `first` [memory-leak]: the pool frees it\n";
    let ran = ran.says(first).says("  true      src/a.c: `second` [memory-leak]\n");
    let digits = ran.stdout.split_whitespace().next().unwrap().to_owned();
    assert_eq!(project.run(&["mark", "list", "--json"]).json().as_array().unwrap().len(), 2);
    project.run(&["mark", "remove", &digits]).exits(0).says("no longer marked");
    project.run(&["mark", "remove", "src/a.c:3:15"]).exits(2).says("is not marked");
    project.run(&["check", "src/a.c"]).exits(1).says("2 findings");
}

#[test]
fn marks_go_from_project_to_project() {
    let (one, other) = (project(), project());
    one.run(&SET).exits(0);
    let text = one.run(&["mark", "export"]).exits(0).stdout;
    other.write("theirs.toml", text);
    other.run(&["mark", "import", "theirs.toml"]).exits(0).says("1 of 1 marks taken");
    other.run(&["mark", "import", "theirs.toml"]).exits(0).says("0 of 1 marks taken");
    other.run(&["check", "src/a.c"]).exits(1).says("1 finding (");
    other.write("theirs.toml", "[[mark]]\nfinding = 'x'\nverdict = 'false'\n");
    other.run(&["mark", "import", "theirs.toml"]).exits(2).says("not the fingerprint");
    other.run(&["mark", "import", "nowhere.toml"]).exits(2).says("cannot read nowhere.toml");
}

#[test]
fn mistakes_are_named() {
    let project = project();
    project.run(&["mark", "set", "src/a.c:3", "false"]).exits(2).says("needs a reason");
    project.run(&["mark", "set", "src/a.c:4", "true"]).exits(2).says("no finding at `src/a.c:4`");
    project.run(&["mark", "set", "src/a.c:3", "maybe"]).exits(2).says("possible values");
    project.write("watertight-marks.toml", "[[mark]]\nfoo = 1\n");
    project.run(&["check", "src/a.c"]).exits(2).says("watertight-marks.toml:2: unknown field `foo`");
    let fresh = Project::new(&[(".git/HEAD", "")]);
    fresh.run(&["mark", "set", "a.c:1", "true"]).exits(2).says("run `watertight check` first");
}
