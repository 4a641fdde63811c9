//! A program of the corpus: where it comes from, how it is built, which parts of it count.
//!
//! Read from `corpus/programs/NAME.toml`; the format is described in `corpus/README.md`. A file with a mistake is an error
//! that names it: a program that silently does not count would make every figure wrong.

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// One program.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Program {
    /// The name of its file.
    #[serde(skip)]
    pub(super) name: String,
    /// The Debian source package it comes from.
    pub(super) debian: Option<String>,
    /// Or the crate.
    #[serde(rename = "crate")]
    pub(super) krate: Option<String>,
    /// Or a directory of this project.
    pub(super) local: Option<String>,
    /// The exact version in the registry.
    #[serde(default)]
    pub(super) version: String,
    /// Thousands of lines that count.
    #[serde(default)]
    pub(super) kloc: f64,
    #[serde(default)]
    pub(super) packages: Vec<String>,
    #[serde(default)]
    pub(super) directory: String,
    #[serde(default)]
    pub(super) prepare: Vec<String>,
    pub(super) build: Vec<String>,
    #[serde(default)]
    pub(super) only: Vec<String>,
    #[serde(default)]
    pub(super) without: Vec<String>,
}

impl Program {
    /// Reads one program.
    pub(super) fn read(path: &Path) -> Result<Program, String> {
        let complain = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| complain(&error))?;
        let mut program: Program = toml::from_str(&text).map_err(|error| complain(&error))?;
        program.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let origins = [&program.debian, &program.krate, &program.local];
        if origins.into_iter().flatten().count() != 1 {
            return Err(complain(&"names not exactly one of `debian`, `crate` and `local`"));
        }
        if program.local.is_none() && program.version.is_empty() {
            return Err(complain(&"names no `version`"));
        }
        Ok(program)
    }

    /// All programs of a corpus, or those with the given names.
    pub(super) fn all(corpus: &Path, names: &[String]) -> Result<Vec<Program>, String> {
        let directory = corpus.join("programs");
        let mut paths: Vec<PathBuf> = if names.is_empty() {
            let entries =
                std::fs::read_dir(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
            let paths = entries.flatten().map(|entry| entry.path());
            paths.filter(|path| path.extension().is_some_and(|extension| extension == "toml")).collect()
        } else {
            names.iter().map(|name| directory.join(format!("{name}.toml"))).collect()
        };
        paths.sort();
        paths.dedup();
        paths.iter().map(|path| Program::read(path)).collect()
    }

    /// Whether what is said of a file counts.
    pub(super) fn counts(&self, file: &str) -> bool {
        let below = |paths: &[String]| paths.iter().any(|path| file.starts_with(path.as_str()));
        (self.only.is_empty() || below(&self.only)) && !below(&self.without)
    }
}
