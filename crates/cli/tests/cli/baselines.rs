//! Only what is new is reported: baselines, changes since a revision, triage marks; and fingerprints that hold.

use std::path::Path;
use std::process::Command;

use watertight_store::{Mark, Store, Verdict};

use crate::support::{Project, Ran, binary, repository};

const TWO: &str = "\
#include <stdlib.h>
int first(int n) {
    char *block = malloc(16);
    if (n == 3)
        return -1;
    free(block);
    return 0;
}
int second(int n) {
    char *other = malloc(32);
    if (n == 4)
        return -1;
    free(other);
    return 0;
}
";

const THIRD: &str = "\
int third(int n) {
    char *late = malloc(64);
    if (n == 5)
        return -1;
    free(late);
    return 0;
}
";

/// Fingerprint by function.
fn fingerprints(ran: &Ran) -> Vec<(String, String)> {
    let report = ran.json();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let all = report["findings"].as_array().unwrap().iter();
    let mut found: Vec<_> =
        all.map(|finding| (text(&finding["place"]["function"]), text(&finding["fingerprint"]))).collect();
    found.sort();
    found
}

#[test]
fn a_baseline_leaves_what_is_new_and_tells_what_is_fixed() {
    let project = Project::new(&[("a.c", TWO)]);
    project.run(&["check", "a.c", "--baseline", "known.json"]).exits(2).says("cannot read `known.json`");
    project.run(&["baseline", "a.c", "-o", "known.json"]).exits(0).says("2 findings written to known.json");
    project.run(&["check", "a.c", "--baseline", "known.json"]).exits(0).says("2 findings are known");
    // New code, lines that move, another file name.
    project.write("b.c", format!("// moved\n\n{TWO}{THIRD}"));
    std::fs::remove_file(project.path().join("a.c")).unwrap();
    let ran = project.run(&["check", "b.c", "--baseline", "known.json", "--format", "json"]).exits(1);
    assert_eq!(ran.json()["findings"].as_array().unwrap().len(), 1);
    ran.says("2 findings are known").does_not_say("fixed now");
    // One of them is repaired; the project file can name the baseline.
    project.write("watertight.toml", "baseline = 'known.json'\n");
    project.write("b.c", TWO.replace("if (n == 4)\n        return -1;", ""));
    project
        .run(&["check", "b.c"])
        .exits(0)
        .says("1 finding is known")
        .says("1 finding was in the baseline and fixed now")
        .says("a.c: `second`");
    project.run(&["check", "b.c", "-q"]).exits(0).does_not_say("fixed now");
    // A file of another kind is no baseline.
    project.write("known.json", "{}");
    project.run(&["check", "b.c"]).exits(2).says("known.json` is not a baseline");
}

#[test]
fn a_baseline_says_nothing_of_files_that_were_not_read() {
    let project = Project::new(&[("a.c", TWO), ("b.c", &format!("#include <stdlib.h>\n{THIRD}"))]);
    project.run(&["baseline", "a.c", "b.c"]).exits(0).says("3 findings written to watertight-baseline.json");
    project
        .run(&["check", "b.c", "--baseline", "watertight-baseline.json"])
        .exits(0)
        .does_not_say("fixed now");
}

#[test]
fn fingerprints_hold_while_code_moves() {
    let project = Project::new(&[("a.c", TWO)]);
    let before = fingerprints(&project.run(&["check", "a.c", "--format", "json"]).exits(1));
    assert_eq!(before.len(), 2);
    let reformatted =
        TWO.replace("    ", "\t").replace(") {\n", ")\n{\n").replace("malloc(16)", "malloc( 16 )");
    assert_ne!(reformatted, TWO);
    for text in [
        format!("\n\n/* a comment */\n{TWO}"),
        reformatted,
        format!("{THIRD}{TWO}").replace("malloc(64)", "0"),
    ] {
        project.write("a.c", text);
        let after = fingerprints(&project.run(&["check", "a.c", "--format", "json"]).exits(1));
        assert_eq!(after, before);
    }
    // Git calls it a renamed file.
    std::fs::create_dir(project.path().join("sub")).unwrap();
    std::fs::rename(project.path().join("a.c"), project.path().join("sub/renamed.c")).unwrap();
    let after = fingerprints(&project.run(&["check", "sub/renamed.c", "--format", "json"]).exits(1));
    assert_eq!(after, before);
}

#[test]
fn marks_are_respected() {
    let project = Project::new(&[("a.c", TWO)]);
    let found = fingerprints(&project.run(&["check", "a.c", "--format", "json"]).exits(1));
    let store = Store::open_existing(&project.path().join(".watertight")).unwrap();
    let mark = |verdict, note: &str| Mark {
        fingerprint: found[0].1.clone(),
        verdict,
        note: note.to_owned(),
        at: "2026-11-16T06:30:00Z".to_owned(),
    };
    store.set_mark(&mark(Verdict::True, "a defect")).unwrap();
    assert_eq!(fingerprints(&project.run(&["check", "a.c", "--format", "json"]).exits(1)).len(), 2);
    store.set_mark(&mark(Verdict::False, "the pool frees it")).unwrap();
    let ran = project.run(&["check", "a.c", "--format", "json"]).exits(1);
    assert_eq!(fingerprints(&ran), found[1..]);
    assert_eq!(ran.json()["suppressed"][0]["suppression"]["reason"], "marked false: the pool frees it");
    project.run(&["check", "a.c", "--format", "sarif"]).exits(1).says("\"external\"");
    // It holds when the code moves, and it is not used when nothing is to be used.
    project.write("a.c", format!("\n{TWO}"));
    assert_eq!(fingerprints(&project.run(&["check", "a.c", "--format", "json"]).exits(1)).len(), 1);
    assert_eq!(
        fingerprints(&project.run(&["check", "a.c", "--format", "json", "--no-cache"]).exits(1)).len(),
        2
    );
    store.remove_mark(&found[0].1).unwrap();
    assert_eq!(fingerprints(&project.run(&["check", "a.c", "--format", "json"]).exits(1)).len(), 2);
}

fn git(project: &Project, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]);
    let output = command.args(arguments).current_dir(project.path()).output().expect("git is installed");
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn since_a_revision_only_what_changed_is_reported() {
    let callee = "#include <stdlib.h>\nvoid drop(char *p) {\n    free(p);\n}\n";
    let caller = "#include <stdlib.h>\nvoid drop(char *p);\nvoid hand_over(void) {\n    char *kept = malloc(8);\n    drop(kept);\n}\n";
    let project = Project::new(&[("a.c", TWO), ("callee.c", callee), ("caller.c", caller)]);
    let all = ["check", "a.c", "callee.c", "caller.c", "--since", "HEAD"];
    project.run(&all).exits(2).says("git failed: fatal: not a git repository");
    project.write(".gitignore", ".watertight\n");
    git(&project, &["init", "-q"]);
    git(&project, &["add", "."]);
    git(&project, &["commit", "-qm", "first"]);
    project
        .run(&["check", "a.c", "--since", "nowhere"])
        .exits(2)
        .says("this git repository has no revision `nowhere`");
    project.run(&["check", "a.c", "--since", "--help"]).exits(2);
    project.run(&all).exits(0).says("2 findings have nothing to do with what changed");
    // A line on the path of one finding.
    project.write("a.c", TWO.replace("if (n == 3)", "if (n == 33)"));
    project.run(&all).exits(1).says("`block`").does_not_say("`other`");
    // A file that git does not know yet.
    project.write("new.c", format!("#include <stdlib.h>\n{THIRD}"));
    project.run(&["check", "new.c", "--since", "HEAD"]).exits(1).says("`late`");
    // Nothing changed in the caller, but what it calls does something else.
    project.write("a.c", TWO);
    project.write("callee.c", callee.replace("    free(p);\n", "    (void)p;\n"));
    project.run(&all).exits(1).says("`kept`").does_not_say("`other`");
    // Deeper in the tree the same files are found.
    git(&project, &["add", "."]);
    git(&project, &["commit", "-qm", "second"]);
    project.run(&all).exits(0);
    project.run(&["check", "a.c", "callee.c", "caller.c", "--since", "HEAD~1"]).exits(1).says("`kept`");
}

/// The hook of `docs/ci.md` lets a clean commit pass and stops one that loses something.
#[test]
fn the_documented_hook_works() {
    let text = std::fs::read_to_string(repository().join("docs/ci.md")).unwrap();
    let hook = text.split("```sh\n").find(|block| block.starts_with("#!/bin/sh")).unwrap();
    let hook = hook.split("```").next().unwrap();
    let clean = "#include <stdlib.h>\nint fine(void) {\n    free(malloc(3));\n    return 0;\n}\n";
    let project = Project::new(&[("a.c", clean), (".gitignore", ".watertight\nbuild\n")]);
    let database = format!(
        "[{{\"directory\": \"{0}\", \"file\": \"a.c\", \"command\": \"cc -c a.c\"}}]",
        project.path().display()
    );
    project.write("build/compile_commands.json", database);
    git(&project, &["init", "-q"]);
    let path = project.write(".git/hooks/pre-commit", hook);
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let commit = || {
        let folder = Path::new(binary()).parent().unwrap().to_owned();
        let rest = std::env::var_os("PATH").unwrap_or_default();
        let search = std::env::join_paths([folder].into_iter().chain(std::env::split_paths(&rest))).unwrap();
        let mut command = Command::new("git");
        command.args(["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qam", "more"]);
        Ran::of(command.current_dir(project.path()).env("PATH", search))
    };
    git(&project, &["add", "."]);
    commit().exits(0);
    project.write("a.c", format!("{clean}{THIRD}"));
    commit().exits(1).says("a.c:7").says("memory-leak");
    project.write("a.c", format!("{clean}int more(void) {{ return 1; }}\n"));
    commit().exits(0);
}
