//! What is too large to analyse is said, and never taken for clean.

use std::fmt::Write as _;

use crate::support::Project;

/// Loops in loops, and branches in them: more paths than anybody can look at.
fn large() -> String {
    let mut text = "#include <stdlib.h>\nint ask(void *);\n".to_owned();
    text.push_str("int large(int n, char **table) {\n    int sum = 0;\n    char *held[8] = { 0 };\n");
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
    text.push_str("int lose(void) { char *block = malloc(4); return block != NULL; }\n");
    text
}

#[test]
fn what_is_given_up_is_listed() {
    let project = Project::new(&[("large.c", &large())]);
    project
        .run(&["check", "large.c"])
        .exits(1)
        .says("gave up on `large`: ")
        .says("2 functions analysed, 1 given up");
    let report = project.run(&["check", "large.c", "--format", "json"]).exits(1).json();
    assert_eq!(report["summary"]["givenUp"], 1);
    let problem = &report["problems"][0];
    assert_eq!((problem["kind"].as_str(), problem["subject"].as_str()), (Some("given-up"), Some("large")));
}
