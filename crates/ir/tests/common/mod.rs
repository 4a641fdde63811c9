//! What the integration tests share: reading the files of `tests/ir`.

use std::path::{Path, PathBuf};

/// Every `.ir` file of a folder of `tests/ir` with its path and text, in order of name.
pub(crate) fn files(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir").join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder exists")
        .map(|entry| entry.expect("the folder is readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ir"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no files in {}", folder.display());
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("the file is readable");
        (path.file_name().unwrap_or_default().to_string_lossy().into_owned(), text)
    };
    files.into_iter().map(read).collect()
}
