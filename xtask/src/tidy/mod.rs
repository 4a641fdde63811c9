//! Checks what the compiler cannot.
//!
//! In: the root of a workspace. Out: complaints, each naming a file. The rules are those of `docs/architecture.md`;
//! each is one module with tests that show it can fail:
//!
//! * [`layers`]: a crate depends only on crates of lower layers, and states its licence;
//! * [`sources`]: source files have a module comment and stay below a length; only some crates do input and output,
//!   and only the front names the compiler's representation; no file names a package registry;
//! * [`folders`]: the folders of an engine import each other in one direction;
//! * [`limits`]: numbers that cut something off stand in the table of their engine;
//! * [`words`]: the sentences of engines and of the capture stand in one file each;
//! * [`assumptions`]: every deliberate approximation in code has an entry in the docs, and the other way round.

mod assumptions;
mod folders;
mod layers;
mod limits;
mod sources;
mod words;

use std::fs;
use std::io;
use std::path::Path;

/// A file that people wrote, relative to the root.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Text {
    pub(crate) path: String,
    pub(crate) content: String,
}

impl Text {
    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// The name of the folder in `crates/`, or `xtask`.
    fn room(&self) -> &str {
        let inside = self.path.strip_prefix("crates/").unwrap_or(&self.path);
        inside.split('/').next().unwrap_or_default()
    }

    /// Whether all of it is tests.
    fn is_test(&self) -> bool {
        self.path.split('/').any(|part| matches!(part, "tests" | "tests.rs" | "testing.rs"))
    }

    /// Its lines up to where its tests begin.
    fn outside_tests(&self) -> impl Iterator<Item = &str> {
        self.content.lines().take_while(|line| line.trim() != "#[cfg(test)]")
    }
}

/// Checks a workspace.
pub(crate) fn tidy(root: &Path) -> io::Result<Vec<String>> {
    let texts = texts(root)?;
    let mut complaints = layers::check(&texts);
    complaints.extend(sources::check(&texts));
    complaints.extend(folders::check(&texts));
    complaints.extend(limits::check(&texts));
    complaints.extend(assumptions::check(&texts));
    complaints.extend(words::check(&texts));
    Ok(complaints)
}

/// Folders that hold no text of ours.
const SKIPPED: &[&str] = &["target", ".git", ".watertight", "artifacts", "corpus"];

/// All text files of the workspace, in order. Files that are not UTF-8 are data, not text.
fn texts(root: &Path) -> io::Result<Vec<Text>> {
    let mut texts = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let (path, name) = (entry.path(), entry.file_name());
            if entry.file_type()?.is_dir() {
                if !SKIPPED.iter().any(|skipped| name == *skipped) {
                    folders.push(path);
                }
            } else if let Ok(content) = fs::read_to_string(&path) {
                texts.push(Text { path: relative(root, &path), content });
            }
        }
    }
    texts.sort();
    Ok(texts)
}

fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts from pairs of path and content.
    pub(crate) fn texts_of(files: &[(&str, &str)]) -> Vec<Text> {
        files
            .iter()
            .map(|(path, content)| Text { path: (*path).into(), content: (*content).into() })
            .collect()
    }

    #[test]
    fn build_products_are_not_looked_at() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["src", "target/debug", ".git"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
            fs::write(root.path().join(folder).join("a.rs"), "//! Text.\n").unwrap();
        }
        fs::write(root.path().join("src/data.bin"), b"\xff\xfe\xff").unwrap();
        let found = texts(root.path()).unwrap();
        assert_eq!(found.iter().map(|text| text.path.as_str()).collect::<Vec<_>>(), ["src/a.rs"]);
    }
}
