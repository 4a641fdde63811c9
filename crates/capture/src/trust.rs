//! What in a foreign project may be opened, and what may be written to.
//!
//! * [`is_below`]: whether a path, with all links followed, stays in a folder.
//! * [`is_source_name`]: whether a file is called as sources are. The text of any other file is nobody's business.
//! * [`distrust`]: why a folder of kept results is not used: something in it is a link, or belongs to somebody else.
//!   A link would make us write elsewhere; what another user wrote is no result of ours.

use crate::messages;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// How the names of sources end, also of those that other programs make.
const SOURCES: &[&str] = &[
    "c", "h", "i", "cc", "cp", "cpp", "cxx", "c++", "C", "hh", "hp", "hpp", "hxx", "h++", "H", "ii", "inc",
    "inl", "ipp", "tcc", "tpp", "def", "y", "yy", "l", "lex", "re", "gperf", "ir",
];

/// Whether a file is called as sources are.
pub fn is_source_name(file: &Path) -> bool {
    file.extension().is_some_and(|end| SOURCES.iter().any(|known| end == *known))
}

/// Whether a path stays in a folder when all links are followed. What does not exist yet would be made where its nearest
/// existing parent is.
pub fn is_below(folder: &Path, path: &Path) -> bool {
    let Ok(folder) = folder.canonicalize() else { return false };
    let mut missing: Vec<Component<'_>> = Vec::new();
    let mut existing = path;
    loop {
        if let Ok(real) = existing.canonicalize() {
            // A step up from something that does not exist is a step into the unknown.
            return real.starts_with(&folder)
                && missing.iter().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        }
        // A link that leads nowhere leads to where somebody may make something.
        if existing.is_symlink() {
            return false;
        }
        let Some(parent) = existing.parent() else { return false };
        missing.extend(existing.components().next_back());
        existing = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    }
}

/// Why nothing that is kept in a folder is used or written; nothing if all is well or there is no such folder.
pub fn distrust(folder: &Path) -> Option<String> {
    let mut folders = vec![folder.to_path_buf()];
    let own = own_user();
    let foreign = |path: &Path| own.is_some_and(|own| owner(path).is_some_and(|owner| owner != own));
    while let Some(next) = folders.pop() {
        if foreign(&next) {
            return Some(messages::foreign_owner(&next));
        }
        for entry in fs::read_dir(&next).into_iter().flatten().flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(kind) if !kind.is_file() => {
                    return Some(messages::link_or_special(&path));
                }
                // Below, files lie in folders that nobody else can write to.
                Ok(_) if next == folder && foreign(&path) => {
                    return Some(messages::foreign_owner(&path));
                }
                _ => {}
            }
        }
    }
    None
}

#[cfg(unix)]
fn owner(path: &Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).ok().map(|data| data.uid())
}

#[cfg(not(unix))]
fn owner(_path: &Path) -> Option<u32> {
    None
}

/// The user that we are, as files that we make show it.
fn own_user() -> Option<u32> {
    // Linux says so without a file.
    owner(Path::new("/proc/self")).or_else(|| owner(tempfile::NamedTempFile::new().ok()?.path()))
}

/// The first executable file of a name on our `PATH`, never one relative to the working directory: that may be a
/// foreign project.
pub fn program(name: &str) -> Option<PathBuf> {
    crate::compiler::on_path(&std::env::var_os("PATH").unwrap_or_default(), Path::new(name))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn paths_that_stay_and_paths_that_leave() {
        let outside = tempfile::tempdir().unwrap();
        let project = tempfile::tempdir().unwrap();
        let at = |name: &str| project.path().join(name);
        fs::create_dir(at("dir")).unwrap();
        fs::write(at("dir/file"), "").unwrap();
        symlink(outside.path(), at("out")).unwrap();
        symlink("dir", at("in")).unwrap();
        symlink("/no/such/place", at("nowhere")).unwrap();
        for (name, stays) in [
            ("dir/file", true),
            ("dir/../dir/file", true),
            ("in/file", true),
            ("new", true),
            ("new/deeper", true),
            ("", true),
            ("..", false),
            ("../elsewhere", false),
            ("new/../../elsewhere", false),
            ("out", false),
            ("out/file", false),
            ("out/new/deeper", false),
            ("nowhere", false),
            ("nowhere/new", false),
            ("/etc/passwd", false),
        ] {
            assert_eq!(is_below(project.path(), &at(name)), stays, "{name}");
        }
    }

    #[test]
    fn links_and_pipes_are_distrusted() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("v1/units/ab")).unwrap();
        fs::write(folder.path().join("v1/units/ab/x.bc"), "").unwrap();
        assert_eq!(distrust(folder.path()), None);
        assert_eq!(distrust(&folder.path().join("absent")), None);
        let link = folder.path().join("v1/units/cd");
        symlink("/tmp", &link).unwrap();
        assert!(distrust(folder.path()).unwrap().contains("v1/units/cd"));
        fs::remove_file(&link).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&link).status();
        if made.is_ok_and(|status| status.success()) {
            assert!(distrust(folder.path()).unwrap().contains("not a regular file"));
        }
    }
}
