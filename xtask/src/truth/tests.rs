//! The bench on small programs of this project: no registry, a few seconds.
//!
//! These tests need a built watertight: `WATERTIGHT_BINARY`, or the one beside the test. `cargo test --workspace` has built it;
//! without one they say so and pass.

mod edits;
mod scenario;

use std::path::{Path, PathBuf};

use super::bench::Bench;

/// A program that loses things in every way that fingerprints tell apart.
pub(super) const LOSSES: &str = include_str!("tests/losses.c");

/// The built watertight, if there is one that is not older than the bench needs.
fn binary() -> Option<PathBuf> {
    let named = std::env::var_os("WATERTIGHT_BINARY").map(PathBuf::from);
    let beside = || Some(std::env::current_exe().ok()?.parent()?.parent()?.join("watertight"));
    let found = named.or_else(beside).filter(|path| path.is_file());
    if found.is_none() {
        eprintln!("watertight is not built, so nothing is tested here");
    }
    found
}

/// A project of its own with a corpus of two programs, `quickstart` and `losses`.
fn project(directory: &Path) -> Option<Bench> {
    let root = directory.join("project");
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let example = root.join("examples/quickstart");
    std::fs::create_dir_all(&example).unwrap();
    for file in ["main.c", "phonebook.c", "phonebook.h"] {
        std::fs::copy(here.join("examples/quickstart").join(file), example.join(file)).unwrap();
    }
    write(&root.join("losses/losses.c"), LOSSES);
    write(&root.join("losses/tests/other.c"), "#include <stdlib.h>\nvoid counts_not(void) { malloc(1); }\n");
    let programs = root.join("corpus/programs");
    write(
        &programs.join("quickstart.toml"),
        "# A phone book.\nlocal = \"examples/quickstart\"\nkloc = 0.1\nbuild = [\"cc -c main.c\", \"cc -c phonebook.c\"]\n",
    );
    write(
        &programs.join("losses.toml"),
        "local = \"losses\"\nkloc = 0.2\nprepare = [\"touch prepared\"]\nbuild = [\"test -e prepared\", \"cc -c losses.c tests/other.c\"]\nwithout = [\"tests/\"]\n",
    );
    let binary = binary()?;
    Some(Bench { corpus: root.join("corpus"), data: directory.join("data"), root, binary, workers: 2 })
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// Runs a command of the bench with answers from a script. Gives what it printed and whether all is well.
fn run(bench: &Bench, line: &str, answers: &str) -> (String, bool) {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let mut out = Vec::new();
    let well = super::commands::run(bench, &words, &mut answers.as_bytes(), &mut out);
    let well = well.unwrap_or_else(|message| panic!("{line}: {message}"));
    (String::from_utf8(out).unwrap(), well)
}
