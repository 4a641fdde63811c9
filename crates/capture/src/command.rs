//! One compile command, wherever it came from: typed, a database entry, a process of a build.
//!
//! The three sources differ in how they are read and agree in this value; everything after it is the same.

use std::path::{Component, Path, PathBuf};

/// Environment variables that change what clang reads.
pub(crate) const VARIABLES: &[&str] =
    &["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "SDKROOT", "MACOSX_DEPLOYMENT_TARGET"];

/// Where a command comes from. It decides what a missing source means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Typed by the user.
    Typed,
    /// An entry of a compilation database.
    Database,
    /// A process of the build that just ran.
    Build,
    /// A process of an earlier run of the same build.
    Remembered,
}

/// One compile command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CompileCommand {
    pub(crate) origin: Origin,
    /// The directory the compiler ran in, absolute.
    pub(crate) directory: PathBuf,
    /// The compiler and its arguments, response files expanded.
    pub(crate) arguments: Vec<String>,
    /// The one source this command stands for, when the database says; otherwise all sources in `arguments`.
    pub(crate) file: Option<String>,
    /// The output, when the database says.
    pub(crate) output: Option<String>,
    /// The variables of [`VARIABLES`] that were set.
    pub(crate) environment: Vec<(String, String)>,
}

/// The variables of [`VARIABLES`] in our own environment. Values that are not UTF-8 are left out.
pub(crate) fn own_environment() -> Vec<(String, String)> {
    VARIABLES.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?))).collect()
}

/// Removes `.` and resolves `..` by name, without asking the file system: `a/./b/../c` is `a/c`.
///
/// Used for names and for recognising the same file; files are opened by the path as it was given.
pub fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => match tidy.components().next_back() {
                Some(Component::Normal(_)) => {
                    tidy.pop();
                }
                Some(Component::RootDir) => {}
                _ => tidy.push(".."),
            },
            _ => tidy.push(component),
        }
    }
    tidy
}

/// The name of an absolute path for people: relative to the working directory when it is below.
pub(crate) fn name_below(directory: &Path, path: &Path) -> String {
    let short = path.strip_prefix(directory).ok().filter(|rest| !rest.as_os_str().is_empty());
    short.unwrap_or(path).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tidy_paths() {
        for (path, expected) in [
            ("/a/./b/../c.c", "/a/c.c"),
            ("/../a", "/a"),
            ("../a/../../b", "../../b"),
            ("a/..", ""),
            ("./a.c", "a.c"),
            ("/a//b", "/a/b"),
        ] {
            assert_eq!(tidy(Path::new(path)), Path::new(expected), "{path}");
        }
    }

    #[test]
    fn names() {
        let name = |path: &str| name_below(Path::new("/w/p"), Path::new(path));
        assert_eq!(name("/w/p/src/a.c"), "src/a.c");
        assert_eq!(name("/w/other/a.c"), "/w/other/a.c");
        assert_eq!(name("/w/p"), "/w/p");
    }
}
