//! What packages bring along: completions and manual pages.

use crate::support::{Project, binary, skip};

#[test]
fn completions_know_the_commands() {
    let project = Project::new(&[]);
    for shell in ["bash", "zsh", "fish"] {
        project.run(&["completions", shell]).exits(0).says("explain").says("exit-zero");
    }
    project.run(&["completions", "dos"]).exits(2).says("possible values");
}

#[test]
fn every_command_has_a_manual_page() {
    let project = Project::new(&[("man/.keep", "")]);
    project.run(&["manuals", "man"]).exits(0);
    let page = |name: &str| std::fs::read_to_string(project.path().join("man").join(name)).unwrap();
    assert!(page("watertight.1").contains("watertight\\-check(1)"));
    assert!(page("watertight-check.1").contains("\\-\\-exit\\-zero"));
    assert!(page("watertight-mark.1").contains("NAME"));
    assert!(!project.path().join("man/watertight-manuals.1").exists());
    project.run(&["manuals", "nowhere"]).exits(3).says("cannot write `nowhere/watertight.1`");
}

/// What a download and a package may cost.
const MOST_BYTES: u64 = 16_000_000;

#[test]
fn the_binary_is_small() {
    if cfg!(debug_assertions) {
        return skip("a debug build is not what people install");
    }
    let size = std::fs::metadata(binary()).unwrap().len();
    assert!(
        size <= MOST_BYTES,
        "the binary has {size} bytes; `[profile.release.package]` in Cargo.toml says what is compiled for size"
    );
}
