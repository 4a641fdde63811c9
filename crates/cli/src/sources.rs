//! Source files for reports, from the file system.
//!
//! In: the name of a file as a finding has it. Out: its bytes, if it belongs to the program. A finding names what debug
//! information names, and that is whatever a `#line` says: `/etc/passwd`, `/proc/self/environ`, `.git/config`. What is
//! shown of a file may go to a log that strangers read, so a file is shown only if, with all links followed, it is a
//! regular file and
//!
//! * its name ends as that of a source does, and clang read it for this program, or it is below the working directory
//!   or among the headers of the system; or
//! * it has another name, clang read it, and it is below the working directory and not hidden there (`.env`).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use watertight_capture::{is_source_name, plain};
use watertight_report::SourceProvider;

/// A file larger than this is not shown; it is not source that a person wrote.
const LARGEST: u64 = 64 << 20;

/// Where the headers of the system are.
const SYSTEM: &[&str] = &["/usr/include", "/usr/local/include", "/usr/lib", "/usr/lib64"];

/// Reads files relative to a directory, those that belong to the program.
pub(crate) struct Files {
    root: PathBuf,
    read: Vec<PathBuf>,
    /// `read` with all links followed, when that is first asked for.
    real: OnceLock<BTreeSet<PathBuf>>,
}

impl Files {
    /// The files of a program for which clang read these.
    pub(crate) fn new(root: &Path, read: impl IntoIterator<Item = PathBuf>) -> Files {
        Files { root: root.to_path_buf(), read: read.into_iter().collect(), real: OnceLock::new() }
    }

    fn was_read(&self, file: &Path) -> bool {
        let follow = || self.read.iter().filter_map(|path| path.canonicalize().ok()).collect();
        self.real.get_or_init(follow).contains(file)
    }

    /// Whether a file, with all links followed, belongs to the program.
    fn belongs(&self, file: &Path) -> bool {
        let is_source = is_source_name(file);
        let below = self.root.canonicalize().ok().and_then(|root| file.strip_prefix(root).ok());
        let hidden = |path: &Path| path.iter().any(|part| part.as_encoded_bytes().starts_with(b"."));
        match below {
            Some(_) if is_source => true,
            Some(below) => !hidden(below) && self.was_read(file),
            None if is_source => SYSTEM.iter().any(|folder| file.starts_with(folder)) || self.was_read(file),
            None => false,
        }
    }
}

impl SourceProvider for Files {
    fn read(&self, file: &str) -> Option<Vec<u8>> {
        let file = self.root.join(file).canonicalize().ok()?;
        self.belongs(&file).then(|| plain::read_at_most(&file, LARGEST).ok()).flatten()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_program_are_shown() {
        let project = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let root = project.path();
        for name in ["a.c", "table.x", ".env", "notes.txt", "other.x"] {
            std::fs::write(root.join(name), "text").unwrap();
        }
        for name in ["b.h", "unread.h", "secret"] {
            std::fs::write(elsewhere.path().join(name), "text").unwrap();
        }
        std::os::unix::fs::symlink(elsewhere.path().join("secret"), root.join("link.c")).unwrap();
        let there = |name: &str| elsewhere.path().join(name);
        let read = [root.join("table.x"), root.join("./.env"), there("b.h"), there("secret")];
        let files = Files::new(root, read);
        let shown = |name: &str| files.read(name).is_some();
        let named = |path: PathBuf| files.read(&path.to_string_lossy()).is_some();
        assert!(shown("a.c") && shown("table.x") && shown("./a.c"));
        assert!(!shown("notes.txt") && !shown("other.x") && !shown(".env") && !shown("link.c"));
        assert!(named(there("b.h")) && !named(there("unread.h")) && !named(there("secret")));
        for file in ["/etc/passwd", "/proc/self/environ", "/dev/zero", "/proc/self/maps", ".", "/no/such.c"] {
            assert!(!shown(file), "{file}");
        }
    }
}
