//! What stages print, and what they cost.

use crate::support::{ONE_FUNCTION, Project};

const WITH_VARIABLE: &str = "int f(int x) { int y = x; if (x) y = 3; return y; }\n";

#[test]
fn variables_are_in_memory_before_ssa_and_not_after() {
    let project = Project::new(&[("a.c", WITH_VARIABLE)]);
    let before = project.run(&["dump", "ir-memory", "a.c"]).exits(0).stdout;
    let after = project.run(&["dump", "ir", "a.c"]).exits(0).stdout;
    assert!(before.contains(" = stack ") && !before.contains(" = phi "), "{before}");
    assert!(!after.contains(" = stack ") && after.contains(" = phi "), "{after}");
    let same = project.run(&["check", "--dump=ir", "a.c"]).exits(0).stdout;
    assert_eq!(after, same);
}

#[test]
fn counts_are_those_of_the_bitcode() {
    let project = Project::new(&[("a.c", WITH_VARIABLE), ("b.c", ONE_FUNCTION)]);
    let counts = project.run(&["dump", "counts", "a.c"]).exits(0).stdout;
    for line in ["defined 1", "declared 0", "blocks 3", "ret 1", "icmp 1", "store 3"] {
        assert!(counts.lines().any(|found| found == line), "{line} is not in\n{counts}");
    }
    let both = project.run(&["dump", "counts", "a.c", "b.c"]).exits(0).stdout;
    assert!(both.starts_with("file a.c\n") && both.contains("\nfile b.c\n"), "{both}");
}

#[test]
fn totals_are_those_of_the_program() {
    let project =
        Project::new(&[("a.c", WITH_VARIABLE), ("b.c", "int f(int); int g(void) { return f(1); }\n")]);
    let totals = project.run(&["dump", "totals", "a.c", "b.c"]).exits(0).stdout;
    for line in ["units 2", "functions 2", "bodies 2", "globals 0"] {
        assert!(totals.lines().any(|found| found == line), "{line} is not in\n{totals}");
    }
}

#[test]
fn stages_have_a_cost() {
    let project = Project::new(&[("a.c", WITH_VARIABLE)]);
    let table = project.run(&["dump", "totals", "--stats", "a.c"]).exits(0).stderr;
    for word in ["stage", "capture", "lower", "join", "total"] {
        assert!(table.lines().any(|line| line.starts_with(word)), "{word} is not in\n{table}");
    }
    let json = project.run(&["check", "--stats=json", "a.c"]).exits(0).stderr;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let names: Vec<_> = json["stages"].as_array().unwrap().iter().map(|stage| &stage["name"]).collect();
    assert_eq!(names, ["capture", "recall", "lower", "join", "check", "store"]);
    assert_eq!(json["stages"][2]["counts"]["bodies"], 1);
    assert!(json["seconds"].as_f64().unwrap() > 0.0);
}
