//! `watertight diff`: what differs between two reports.

use std::process::Command;

use crate::support::{Project, Ran};

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
fn runs_of_the_project_are_compared() {
    let project = Project::new(&[("a.c", ONE)]);
    project.run(&["diff"]).exits(2).says("the store has 0 runs");
    project.run(&["check", "a.c"]).exits(1);
    project.run(&["diff"]).exits(2).says("the store has 1 run of this project");
    project.write("a.c", format!("\n\n{ONE}{TWO}"));
    project.run(&["check", "a.c"]).exits(1);
    project
        .run(&["diff", "--runs"])
        .exits(0)
        .says("run:2  ")
        .says("2 findings (2 high) in 1 file")
        .says("run:1  ");
    for names in [&[][..], &["run:1", "run:2"], &["run:previous", "run:last"]] {
        let arguments: Vec<&str> = ["diff"].iter().chain(names).copied().collect();
        project
            .run(&arguments)
            .exits(1)
            .says("new:\n  a.c:12:19: ")
            .says("(was a.c:3:19)")
            .says("1 new, 0 fixed, 1 moved");
    }
    project.run(&["diff", "run:2", "run:1"]).exits(0).says("0 new, 1 fixed, 1 moved");
    // What a mark hides is not called fixed, and a run goes with a report.
    project.run(&["check", "a.c", "--format", "json", "-o", "new.json"]).exits(1);
    project.run(&["diff", "run:1", "new.json"]).exits(1).says("1 new, 0 fixed, 1 moved");
    project.run(&["mark", "set", "a.c:12", "false", "--reason", "why"]).exits(0);
    project.run(&["diff", "run:1", "run:2"]).exits(0).says("0 new");
    project.run(&["diff", "run:77", "run:1"]).exits(2).says("the findings of `run:77` are not kept");
}

fn git(project: &Project, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]);
    let output = command.args(arguments).current_dir(project.path()).output().expect("git is installed");
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn revisions_are_compared() {
    // The header is generated and in no commit; the compile commands name the folder of the project.
    let project = Project::new(&[
        ("src/a.c", &format!("#include \"config.h\"\n{ONE}")),
        (".gitignore", "build\n.watertight\n"),
        ("build/config.h", "#define LIMIT 4\n"),
    ]);
    let folder = project.path().canonicalize().unwrap();
    let folder = folder.display();
    project.write(
        "build/compile_commands.json",
        format!(
            "[{{\"directory\": \"{folder}/build\", \"file\": \"{folder}/src/a.c\",\
             \"command\": \"cc -I. -c ../src/a.c\"}}]"
        ),
    );
    git(&project, &["init", "-q"]);
    git(&project, &["add", "."]);
    git(&project, &["commit", "-qm", "first"]);
    let two = TWO.replace("n == 4", "n == LIMIT");
    project.write("src/a.c", format!("#include \"config.h\"\n\n{ONE}{two}"));
    git(&project, &["commit", "-qam", "second"]);
    project.write("src/a.c", "this is not what is compared\n");
    let ran = project.run(&["diff", "HEAD~1", "HEAD"]).exits(1);
    ran.says("src/a.c:12:19: ").says("(was src/a.c:4:19)").says("1 new, 0 fixed, 1 moved, 0 unchanged");
    project.run(&["diff", "-q", "HEAD", "HEAD"]).exits(0).says("0 new, 0 fixed, 0 moved, 2 unchanged");
    // Nothing of the work tree has changed.
    assert_eq!(
        std::fs::read_to_string(project.path().join("src/a.c")).unwrap(),
        "this is not what is compared\n"
    );
    project
        .run(&["diff", "HEAD~7", "HEAD"])
        .exits(2)
        .says("there is no report, run or git revision `HEAD~7`");
}

#[test]
fn what_cannot_be_compared_is_said() {
    let project = Project::new(&[("a.json", "{}"), ("a.txt", "text")]);
    project
        .run(&["diff", "HEAD~1", "HEAD"])
        .exits(2)
        .says("there is no report, run or git revision `HEAD~1`");
    project
        .run(&["diff", "a.json", "a.json"])
        .exits(2)
        .says("neither a report in JSON or SARIF nor a baseline");
    project.run(&["diff", "a.txt", "a.txt"]).exits(2).says("cannot compare `a.txt`");
}

#[test]
fn a_run_from_a_folder_names_files_as_others_do() {
    let project = Project::new(&[(".git/HEAD", ""), ("src/a.c", ONE)]);
    project.run(&["check", "src/a.c"]).exits(1);
    let mut command = project.command(&["check", "a.c"]);
    Ran::of(command.current_dir(project.path().join("src"))).exits(1);
    project.run(&["diff"]).exits(0).says("0 new, 0 fixed, 0 moved, 1 unchanged").does_not_say("is about");
    let mut command = project.command(&["mark", "set", "a.c:3", "false", "--reason", "a test"]);
    Ran::of(command.current_dir(project.path().join("src"))).exits(0).says("src/a.c: ");
    let marks = std::fs::read_to_string(project.path().join("watertight-marks.toml")).unwrap();
    assert!(marks.contains("\"src/a.c\""), "{marks}");
}

/// What a rule finds that is off is in no comparison, although the store remembers it.
#[test]
fn runs_are_compared_by_the_rules_that_are_on() {
    let holds = "#include <stdlib.h>\nint main(void) { char *p = malloc(10); return p == NULL; }\n";
    let project = Project::new(&[("a.c", ONE)]);
    project.run(&["check", "a.c"]).exits(1);
    project.write("b.c", holds);
    project.run(&["check", "a.c", "b.c"]).exits(1).says("1 still held when the program ends");
    let ran = project.run(&["diff"]).exits(0).says("0 new, 0 fixed").does_not_say("leak-at-exit");
    ran.says("`run:previous` is about 1 file and `run:last` about 2 files");
    project.run(&["diff", "--runs"]).exits(0).says("1 finding (1 medium) in 2 files");
}
