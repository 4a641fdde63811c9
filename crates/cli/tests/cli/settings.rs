//! `watertight.toml`, the cache, formats and where output goes.

use crate::support::{ONE_FUNCTION, Project, Ran};

#[test]
fn the_nearest_configuration_holds() {
    let project = Project::new(&[("a.c", ONE_FUNCTION), ("sub/a.c", ONE_FUNCTION)]);
    project.write("watertight.toml", "cache = 'kept'\n");
    let mut command = project.command(&["check", "a.c"]);
    Ran::of(command.current_dir(project.path().join("sub"))).exits(0);
    assert!(project.path().join("kept").is_dir());
    assert!(!project.path().join("sub/.watertight").exists());
    project.write("sub/watertight.toml", "\nthread = 3\n");
    let mut command = project.command(&["check", "a.c"]);
    let ran = Ran::of(command.current_dir(project.path().join("sub"))).exits(2);
    ran.says("sub/watertight.toml:2: unknown field `thread`");
    project.run(&["check", "a.c"]).exits(0);
}

#[test]
fn rules_of_the_configuration_must_exist() {
    let project = Project::new(&[("a.c", ONE_FUNCTION), ("watertight.toml", "rules = ['frobnicate']\n")]);
    project.run(&["check", "a.c"]).exits(2).says("there is no rule `frobnicate`");
}

#[test]
fn what_was_compiled_is_kept() {
    let project = Project::new(&[("a.c", ONE_FUNCTION)]);
    project.run(&["check", "--stats=json", "a.c"]).exits(0).says(r#""compiled":1"#);
    project.run(&["check", "--stats=json", "a.c"]).exits(0).says(r#""compiled":0"#);
    project.run(&["check", "--stats=json", "--no-cache", "a.c"]).exits(0).says(r#""compiled":1"#);
    project.run(&["check", "--stats=json", "--cache-dir", "other", "a.c"]).exits(0).says(r#""compiled":1"#);
    assert!(project.path().join(".watertight/cache").is_dir() && project.path().join("other").is_dir());
    project.run(&["check", "--no-cache", "--cache-dir", "x", "a.c"]).exits(2);
}

#[test]
fn formats_and_files() {
    let project = Project::new(&[("a.c", ONE_FUNCTION)]);
    project.run(&["check", "--format", "gcc", "a.c"]).exits(0);
    assert_eq!(project.run(&["check", "--format", "json", "a.c"]).exits(0).json()["schemaVersion"], 1);
    assert_eq!(project.run(&["check", "--format", "sarif", "a.c"]).exits(0).json()["version"], "2.1.0");
    let ran = project.run(&["check", "--format", "json", "-o", "out.json", "a.c"]).exits(0);
    assert_eq!(ran.stdout, "");
    let written = std::fs::read_to_string(project.path().join("out.json")).unwrap();
    assert_eq!(written, project.run(&["check", "--format", "json", "a.c"]).stdout);
}

#[test]
fn versions() {
    let project = Project::new(&[]);
    let version = env!("CARGO_PKG_VERSION");
    project.run(&["version"]).exits(0).says(&format!("watertight {version}\n")).says("clang: ");
    project.run(&["--version"]).exits(0).says(version);
    project.run(&["version", "--clang", "/nonexistent"]).exits(0).says("/nonexistent");
}
