//! Hashes the sources that decide what the analysis finds.
//!
//! What the store keeps may be used only by an engine that would find the same. A version number does not tell during
//! development, so the hash of the sources is part of every key. Where the other crates are not beside this one (a
//! published package), the version decides alone.
//!
//! There are two hashes: `WATERTIGHT_ENGINE` is over all that decides about findings, `WATERTIGHT_FUNCTIONS` over what
//! decides about the results of single functions. Those are made before anything is run or worded, so what runs and words
//! them does not count there.

use std::fs;
use std::path::{Path, PathBuf};

/// What decides about the results of functions.
const FUNCTIONS: [&str; 8] = ["analysis", "finding", "frontend", "ir", "logic", "path", "pointer", "summary"];
/// What decides about findings beside that.
const FINDINGS: [&str; 4] = ["checkers", "flow", "interpret", "replay"];
/// Files of this crate that do, too.
const AFTERWARDS: [&str; 3] = ["ending.rs", "replay.rs", "retell.rs"];

fn main() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(PathBuf::from).unwrap_or_default();
    let mut hasher = blake3::Hasher::new();
    hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
    add_crates(&mut hasher, &crates, &FUNCTIONS);
    // The solver and the other libraries count too.
    if let Some(root) = crates.parent() {
        let models = root.join("models");
        if models.exists() {
            println!("cargo::rerun-if-changed={}", models.display());
            add(&mut hasher, &models);
        }
        let lock = root.join("Cargo.lock");
        if let Ok(text) = fs::read(&lock) {
            println!("cargo::rerun-if-changed={}", lock.display());
            hasher.update(&text);
        }
    }
    println!("cargo::rustc-env=WATERTIGHT_FUNCTIONS={}", hasher.finalize().to_hex());
    add_crates(&mut hasher, &crates, &FINDINGS);
    for name in AFTERWARDS {
        if let Ok(bytes) = fs::read(Path::new("src").join(name)) {
            hasher.update(&bytes);
        }
    }
    println!("cargo::rustc-env=WATERTIGHT_ENGINE={}", hasher.finalize().to_hex());
}

fn add_crates(hasher: &mut blake3::Hasher, crates: &Path, names: &[&str]) {
    for name in names {
        let folder = crates.join(name);
        for part in ["src", "models"] {
            let part = folder.join(part);
            if part.exists() {
                println!("cargo::rerun-if-changed={}", part.display());
                add(hasher, &part);
            }
        }
    }
}

fn add(hasher: &mut blake3::Hasher, folder: &Path) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            add(hasher, &path);
        } else if let Ok(bytes) = fs::read(&path) {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if folder.ends_with("analysis/src") && AFTERWARDS.contains(&&*name) {
                continue;
            }
            for part in [name.as_bytes(), &bytes] {
                hasher.update(&(part.len() as u64).to_le_bytes());
                hasher.update(part);
            }
        }
    }
}
