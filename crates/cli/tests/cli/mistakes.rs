//! What a mistake of ours costs: one function. Everything else is reported, and nobody takes the run for a good one.

use crate::support::{Project, Ran};

const PROGRAM: &str = "\
#include <stdlib.h>
void before(int n) {
    char *first = malloc(16);
    if (n)
        free(first);
}
int stumbles(int n) {
    char *second = malloc(16);
    return n;
}
static int odd(int n);
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
void after(int n) {
    char *third = malloc(16);
    if (stumbles(n) && even(n))
        free(third);
}
";

/// Checks the program while the analysis of a function fails.
fn stumbling(function: &str, more: &[&str]) -> Ran {
    let project = Project::new(&[("a.c", PROGRAM)]);
    let mut command = project.command(&["check", "--no-cache", "a.c"]);
    Ran::of(command.args(more).env("WATERTIGHT_STUMBLE", function))
}

/// The lines of findings, and the functions on which the analysis failed.
fn found_and_failed(ran: &Ran) -> (Vec<u64>, Vec<String>) {
    let report = ran.json();
    let lines = report["findings"].as_array().unwrap().iter();
    let mut lines: Vec<u64> = lines.map(|finding| finding["place"]["line"].as_u64().unwrap()).collect();
    lines.sort_unstable();
    let problems = report["problems"].as_array().unwrap().iter();
    let failed = problems.filter(|problem| problem["kind"] == "internal-error");
    (lines, failed.map(|problem| problem["subject"].as_str().unwrap().to_owned()).collect())
}

#[test]
fn nothing_fails_unless_asked() {
    let ran = stumbling("nobody", &["--format", "json"]).exits(1);
    assert_eq!(found_and_failed(&ran), (vec![3, 8, 15], vec![]));
}

#[test]
fn a_mistake_costs_one_function() {
    if !cfg!(debug_assertions) {
        // What users run cannot be made to fail.
        stumbling("stumbles", &[]).exits(1);
        return;
    }
    let ran = stumbling("stumbles", &["--format", "json"]).exits(4);
    assert_eq!(found_and_failed(&ran), (vec![3, 15], vec!["stumbles".to_owned()]));
    // Functions that call each other are evaluated together, in rounds.
    for function in ["even", "odd"] {
        let ran = stumbling(function, &["--format", "json"]).exits(4);
        assert_eq!(found_and_failed(&ran), (vec![3, 8, 15], vec![function.to_owned()]));
    }
    let ran = stumbling("stumbles", &[])
        .exits(4)
        .says("internal error in the analysis of `stumbles`, please report it: the path engine failed: stumbled as asked to (crates/path/")
        .says("a.c:3:19")
        .says("a.c:15:19")
        .says("this is a bug of watertight");
    assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("panicked"), "{ran:#?}");
    stumbling("stumbles", &["--format", "gcc"]).exits(4).says("stumbles").says("a.c:15:19: warning: ");
    let sarif = stumbling("stumbles", &["--format", "sarif"]).exits(4).json();
    let invocation = &sarif["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false, "{invocation:#}");
    assert!(invocation.to_string().contains("stumbles"), "{invocation:#}");
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 2);
}

#[test]
fn a_server_without_an_editor_says_who_starts_it() {
    let project = Project::new(&[]);
    let mut command = project.command(&["lsp"]);
    let ran = Ran::of(command.stdin(std::process::Stdio::null())).exits(3);
    ran.says("nothing is connected to standard input: this command is started by an editor");
}
