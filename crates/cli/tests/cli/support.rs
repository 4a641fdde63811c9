//! A directory with files, a run of the binary in it, and what came out.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A C file with one function in it.
pub(crate) const ONE_FUNCTION: &str = "int one(int x) { return x ? 1 : 2; }\n";

/// The repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The binary under test.
pub(crate) fn binary() -> &'static str {
    env!("CARGO_BIN_EXE_watertight")
}

/// A directory of its own for one test.
pub(crate) struct Project {
    directory: TempDir,
}

impl Project {
    /// A directory with these files, given as pairs of name and content.
    pub(crate) fn new(files: &[(&str, &str)]) -> Project {
        let project = Project { directory: tempfile::tempdir().unwrap() };
        for (name, content) in files {
            project.write(name, content);
        }
        project
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    /// The command, ready for changes.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command.args(arguments).current_dir(self.path()).stdin(Stdio::null());
        command
    }

    /// Runs the binary in the directory.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(&mut self.command(arguments))
    }

    /// The bitcode of a file, compiled into the directory by way of the cache.
    pub(crate) fn bitcode(&self, source: &str) -> Vec<u8> {
        self.run(&["dump", "counts", "--cache-dir", "bitcode", source]).exits(0);
        let mut found = Vec::new();
        collect(&self.path().join("bitcode"), &mut found);
        assert_eq!(found.len(), 1, "one bitcode file in the cache");
        let bytes = std::fs::read(&found[0]).unwrap();
        std::fs::remove_dir_all(self.path().join("bitcode")).unwrap();
        bytes
    }
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "bc") {
            found.push(path);
        }
    }
}

/// What a run of the binary gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(command: &mut Command) -> Ran {
        let output = command.output().expect("the command starts");
        let ran = Ran {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        assert!(!ran.stderr.contains("panicked"), "a panic reached the user: {ran:#?}");
        ran
    }

    /// Expects this exit code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    /// Expects this text in what was printed, on either stream.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Ran {
        assert!(self.stdout.contains(text) || self.stderr.contains(text), "`{text}` is not in {self:#?}");
        self
    }

    /// Expects that this text is in neither stream.
    #[track_caller]
    pub(crate) fn does_not_say(self, text: &str) -> Ran {
        assert!(!self.stdout.contains(text) && !self.stderr.contains(text), "`{text}` is in {self:#?}");
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}

/// A check that this machine cannot make; said aloud, so that it is not taken for a check that passed.
pub(crate) fn skip(why: &str) {
    eprintln!("skipped: {why}");
}
