//! What is too large to analyse is said, and never taken for clean.

use std::fmt::Write as _;

use crate::support::Project;

/// Loops in loops, and branches in them: more paths than anybody can look at one by one.
fn tangled() -> String {
    let mut text = "#include <stdlib.h>\nint ask(void *);\n".to_owned();
    text.push_str("int tangled(int n, char **table) {\n    int sum = 0;\n    char *held[8] = { 0 };\n");
    for depth in 0..6 {
        let _ = writeln!(text, "for (int i{depth} = 0; i{depth} < n; i{depth}++) {{");
    }
    for number in 0..40 {
        let _ = writeln!(
            text,
            "if (table[{number}] && ask(table[{number}])) {{ held[{} % 8] = malloc({number} + sum); sum += ask(held[{}]); table[sum & 7] = held[{}]; }}",
            number,
            (number * 3) % 8,
            number % 8
        );
    }
    text.push_str(&"}\n".repeat(6));
    text.push_str("    return sum;\n}\n");
    text
}

/// More blocks than are looked at.
fn large() -> String {
    let mut text =
        "#include <stdlib.h>\n\nint large(int n, char **table) {\n    char *held = malloc(n);\n".to_owned();
    for number in 0..11_000 {
        let _ = writeln!(text, "if (table[{number}]) n += {number};");
    }
    text.push_str("    free(held);\n    return n;\n}\n");
    text.push_str("int lose(void) { char *block = malloc(4); return block != NULL; }\n");
    text
}

/// A loss behind many branches of one sort.
fn behind(branches: impl Iterator<Item = String>) -> String {
    let mut text = "#include <stdlib.h>\nint f(int x, int *table) {\n    char *p = malloc(8);\n".to_owned();
    text.extend(branches);
    text.push_str("    if (x == 77) return 1;\n    free(p);\n    return 0;\n}\n");
    text
}

#[test]
fn large_functions_are_evaluated_to_their_end() {
    let tests = (0..1000).map(|n| format!("if (table[{n}]) x += {n}; else x ^= {n};\n"));
    let cases = (0..500).map(|n| format!("case {}: x += {n}; break;\n", n * 3));
    let cases =
        ["switch (x) {\n".to_owned()].into_iter().chain(cases).chain(["default: return 1;\n}\n".to_owned()]);
    let files = [("tests.c", behind(tests)), ("cases.c", behind(cases)), ("tangled.c", tangled())];
    for (name, text) in &files {
        let project = Project::new(&[(name, text)]);
        let report = project.run(&["check", name, "--format", "json"]).json();
        assert_eq!(report["summary"]["givenUp"], 0, "{name}: {report:#}");
        if *name != "tangled.c" {
            assert_eq!(report["summary"]["high"], 1, "{name}: {report:#}");
        }
    }
}

#[test]
fn what_is_given_up_is_listed() {
    let project = Project::new(&[("large.c", &large())]);
    project
        .run(&["check", "large.c"])
        .exits(1)
        .says("`large` was analysed only in part: ")
        .says("2 functions analysed, 1 given up");
    let report = project.run(&["check", "large.c", "--format", "json"]).exits(1).json();
    assert_eq!(report["summary"]["givenUp"], 1);
    let problem = &report["problems"][0];
    assert_eq!((problem["kind"].as_str(), problem["subject"].as_str()), (Some("given-up"), Some("large")));
    // Every format says where it is.
    assert_eq!(
        (problem["place"]["file"].as_str(), problem["place"]["line"].as_u64()),
        (Some("large.c"), Some(3))
    );
    for (format, place) in [
        ("text", "large.c:3:"),
        ("gcc", "large.c:3:"),
        ("github", "note: large.c:3:"),
        ("gitlab", "`large` was analysed only in part"),
        ("junit", ">large.c:3<"),
        ("checkstyle", "line=\"3\""),
    ] {
        project.run(&["check", "large.c", "--format", format]).says(place);
    }
    let sarif = project.run(&["check", "large.c", "--format", "sarif"]).json();
    let notes = sarif["runs"][0]["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
    let line = |note: &serde_json::Value| {
        note["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64() == Some(3)
    };
    assert!(notes.iter().any(line), "{notes:#?}");
}

/// How much is proved is told whether or not the store knows the run.
#[test]
fn proofs_are_counted_in_a_known_run_too() {
    let project = Project::new(&[("a.c", "#include <stdlib.h>\nvoid f(void) { free(malloc(1)); }\n")]);
    let proved = |arguments: &[&str]| {
        project.run(&[&["check", "a.c"], arguments].concat()).exits(0).stdout.contains("proved leak-free")
    };
    assert!(!proved(&[]));
    assert!(proved(&["--prove"]));
    assert!(proved(&["--prove"]));
    assert!(!proved(&[]));
}
