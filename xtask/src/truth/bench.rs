//! Where the bench finds things: the corpus, the data, the binary under test.
//!
//! The corpus (`corpus/` of the project) holds what people wrote and what was decided. The data root holds what can be
//! made again from it: sources, bitcode, reports. It is `target/truth` unless `WATERTIGHT_CORPUS` names another directory.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::program::Program;

/// A corpus, its data and a binary.
#[derive(Debug, Clone)]
pub(super) struct Bench {
    /// The root of the project.
    pub(super) root: PathBuf,
    pub(super) corpus: PathBuf,
    pub(super) data: PathBuf,
    /// The watertight under test.
    pub(super) binary: PathBuf,
    /// What an environment variable names is used, else the number of processors.
    pub(super) workers: usize,
}

impl Bench {
    /// The bench of a project, as the environment has it.
    pub(super) fn new(root: &Path) -> Bench {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let data = std::env::var_os("WATERTIGHT_CORPUS").map_or_else(|| target.join("truth"), PathBuf::from);
        let binary = std::env::var_os("WATERTIGHT_BINARY")
            .map_or_else(|| target.join("release/watertight"), PathBuf::from);
        let workers = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Bench { root: root.to_path_buf(), corpus: root.join("corpus"), data, binary, workers }
    }

    /// The places of one program.
    pub(super) fn room(&self, program: &Program) -> Room {
        Room { path: self.data.join(&program.name) }
    }

    /// A text that tells binaries apart: where it is, how long, and when it was made.
    pub(super) fn binary_mark(&self) -> Result<String, String> {
        let data = std::fs::metadata(&self.binary).map_err(at(&self.binary))?;
        let path = self.binary.canonicalize().map_err(at(&self.binary))?;
        Ok(format!("{} {} {:?}", path.display(), data.len(), data.modified().map_err(at(&self.binary))?))
    }

    /// What git says, in one line; nothing where there is no git.
    pub(super) fn git(&self, arguments: &[&str]) -> Option<String> {
        let output = Command::new("git").arg("-C").arg(&self.root).args(arguments).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        (output.status.success() && !text.is_empty()).then_some(text)
    }
}

/// The places of one program below the data root.
#[derive(Debug, Clone)]
pub(super) struct Room {
    pub(super) path: PathBuf,
}

impl Room {
    /// The unpacked sources; everything runs here, and reports name files from here.
    pub(super) fn tree(&self) -> PathBuf {
        self.path.join("tree")
    }

    /// Makes the tree a project of its own, which has its own store, also where the bench lies in a work tree.
    pub(super) fn separate(&self) -> Result<(), String> {
        let path = self.tree().join("watertight.toml");
        if path.exists() {
            return Ok(());
        }
        std::fs::write(&path, "").map_err(|error| format!("{}: {error}", path.display()))
    }

    /// The commands that compile it.
    pub(super) fn database(&self) -> PathBuf {
        self.path.join("compile_commands.json")
    }

    /// What the last check said.
    pub(super) fn report(&self) -> PathBuf {
        self.path.join("report.json")
    }

    /// The report of the last check with a release taken out.
    pub(super) fn mutant_report(&self) -> PathBuf {
        self.path.join("mutant-report.json")
    }

    /// What was built, to see whether it is still what is wanted.
    pub(super) fn stamp(&self) -> PathBuf {
        self.path.join("stamp")
    }

    /// What the commands printed.
    pub(super) fn log(&self) -> PathBuf {
        self.path.join("log")
    }
}

/// What a failed step is called, with the file at fault.
pub(super) fn at<E: std::fmt::Display>(path: &Path) -> impl Fn(E) -> String {
    move |error| format!("{}: {error}", path.display())
}
