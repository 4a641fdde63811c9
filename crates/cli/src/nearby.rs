//! Model and property files next to the source.
//!
//! A file that ends in `.model` or `.property` in the working directory, in a directory that is checked, or beside a file that is checked
//! is read without being named anywhere. Files named in `watertight.toml` come later and so win.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use watertight_analysis::Request;
use watertight_capture::{is_below, tidy};

/// Whether a file is one that is read without being named.
fn is_ours(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "model" || end == "property")
}

/// Puts the files that belong to a request before those that are named; one that is both is read once.
pub(crate) fn add(named: &mut Vec<PathBuf>, request: &Request) {
    let whole = |path: &PathBuf| tidy(&request.directory.join(path));
    let known: Vec<PathBuf> = named.iter().map(whole).collect();
    let near = model_files(request).into_iter().filter(|path| !known.contains(&whole(path)));
    named.splice(0..0, near.collect::<Vec<_>>());
}

/// The model and property files that belong to a request, in the order of their names.
pub(crate) fn model_files(request: &Request) -> Vec<PathBuf> {
    let mut directories: BTreeSet<PathBuf> = BTreeSet::from([tidy(&request.directory)]);
    for input in &request.inputs {
        let path = request.directory.join(input);
        let directory = if path.is_dir() { Some(path) } else { path.parent().map(Path::to_path_buf) };
        directories.extend(directory.map(|directory| tidy(&directory)));
    }
    let mut files = BTreeSet::new();
    for directory in directories {
        let entries = std::fs::read_dir(&directory).into_iter().flatten().flatten();
        let models = entries.map(|entry| entry.path());
        // A link out of the directory would make messages about it quote foreign text.
        let inside = |path: &PathBuf| path.is_file() && is_below(&directory, path);
        files.extend(models.filter(|path| is_ours(path) && inside(path)));
    }
    // A message names a file as people would.
    let short =
        |path: PathBuf| path.strip_prefix(tidy(&request.directory)).map(Path::to_path_buf).unwrap_or(path);
    files.into_iter().map(short).collect()
}
