//! `watertight diff`: what differs between two reports.

use crate::support::Project;

const ONE: &str = "\
#include <stdlib.h>
int first(int n) {
    char *block = malloc(16);
    if (n == 3)
        return -1;
    free(block);
    return 0;
}
";

const TWO: &str = "\
int second(int n) {
    char *other = malloc(32);
    if (n == 4)
        return -1;
    free(other);
    return 0;
}
";

#[test]
fn reports_are_compared_whatever_their_format() {
    let project = Project::new(&[("a.c", ONE)]);
    project.run(&["check", "a.c", "--format", "json", "-o", "old.json"]).exits(1);
    project.run(&["check", "a.c", "--format", "sarif", "-o", "old.sarif"]).exits(1);
    project.run(&["baseline", "a.c", "-o", "base.json"]).exits(0);
    project.write("a.c", format!("\n\n{ONE}{TWO}"));
    project.run(&["check", "a.c", "--format", "json", "-o", "new.json"]).exits(1);
    project.run(&["check", "a.c", "--format", "sarif", "-o", "new.sarif"]).exits(1);
    for old in ["old.json", "old.sarif"] {
        for new in ["new.json", "new.sarif"] {
            let ran = project.run(&["diff", old, new]).exits(1);
            ran.says("new:\n  a.c:12:19: ")
                .says("(was a.c:3:19)")
                .says("1 new, 0 fixed, 1 moved, 0 unchanged");
        }
    }
    // A baseline names no lines, so nothing has moved.
    project.run(&["diff", "base.json", "new.json"]).exits(1).says("1 new, 0 fixed, 0 moved, 1 unchanged");
    project.run(&["diff", "new.json", "old.json"]).exits(0).says("fixed:\n").says("0 new, 1 fixed");
    project.run(&["diff", "new.json", "new.sarif"]).exits(0).says("0 new, 0 fixed, 0 moved, 2 unchanged");
    project.run(&["diff", "old.json", "new.json", "--exit-zero"]).exits(0);
    let ran = project.run(&["diff", "old.json", "new.json", "--format", "json"]).exits(1);
    assert_eq!(ran.json()["new"][0]["function"], "second");
    assert_eq!(ran.json()["moved"][0]["to"]["line"], 5);
}

#[test]
fn what_is_suppressed_between_two_reports_is_not_called_fixed() {
    let project = Project::new(&[("a.c", ONE)]);
    project.run(&["check", "a.c", "--format", "json", "-o", "old.json"]).exits(1);
    project.run(&["mark", "set", "a.c:3", "false", "--reason", "kept on purpose"]).exits(0);
    project.run(&["check", "a.c", "--format", "json", "-o", "new.json"]).exits(0);
    project.run(&["diff", "old.json", "new.json"]).exits(0).says("0 new, 0 fixed, 1 suppressed now");
}

#[test]
fn what_cannot_be_compared_is_said() {
    let project = Project::new(&[("a.json", "{}"), ("a.txt", "text")]);
    project
        .run(&["diff", "HEAD~1", "HEAD"])
        .exits(2)
        .says("there is no file `HEAD~1`; `diff` compares reports: write one at each revision");
    project
        .run(&["diff", "a.json", "a.json"])
        .exits(2)
        .says("neither a report in JSON or SARIF nor a baseline");
    project.run(&["diff", "a.txt", "a.txt"]).exits(2).says("cannot compare `a.txt`");
}
