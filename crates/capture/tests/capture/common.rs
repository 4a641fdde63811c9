//! A small C project in a temporary directory.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use watertight_capture::{Captured, Error, Request, Silent, capture};

pub(crate) struct Project {
    directory: tempfile::TempDir,
}

impl Project {
    /// A project with these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Project {
        let project = Project { directory: tempfile::tempdir().unwrap() };
        for (name, text) in files {
            project.write(name, text);
        }
        project
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Makes files a second older. One that changes while clang reads it leaves no manifest, and a file written just
    /// now could seem to.
    pub(crate) fn age(&self, names: &[&str]) {
        let old = SystemTime::now() - Duration::from_secs(1);
        for name in names {
            let file = std::fs::File::options().append(true).open(self.path().join(name)).unwrap();
            file.set_modified(old).unwrap();
        }
    }

    /// Runs a shell script in the project, outside of any capture.
    pub(crate) fn shell(&self, script: &str) {
        let status = Command::new("sh").args(["-e", "-c", script]).current_dir(self.path()).status().unwrap();
        assert!(status.success(), "{script}");
    }

    pub(crate) fn request(&self) -> Request {
        Request::new(self.path())
    }

    /// A request for files, with flags after `--`.
    pub(crate) fn files(&self, line: &str) -> Request {
        let mut request = self.request();
        let mut words = line.split_whitespace();
        request.inputs = words.by_ref().take_while(|word| *word != "--").map(PathBuf::from).collect();
        request.flags = words.map(String::from).collect();
        request
    }

    /// A request for a build by a shell script.
    pub(crate) fn build(&self, script: &str) -> Request {
        let mut request = self.request();
        request.build = Some(["sh", "-c", script].map(OsString::from).to_vec());
        request
    }
}

pub(crate) fn run(request: &Request) -> Captured {
    capture(request, &Silent).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn fail(request: &Request) -> Error {
    match capture(request, &Silent) {
        Ok(captured) => panic!("captured {:?}", names(&captured)),
        Err(error) => error,
    }
}

pub(crate) fn names(captured: &Captured) -> Vec<&str> {
    captured.units.iter().map(|unit| unit.name.as_str()).collect()
}

/// Units as `name: flags`.
pub(crate) fn units(captured: &Captured) -> Vec<String> {
    captured.units.iter().map(|unit| format!("{}: {}", unit.name, unit.flags.join(" "))).collect()
}

/// `compiled/cached/failed`
pub(crate) fn counts(captured: &Captured) -> String {
    let stats = &captured.stats;
    format!("{}/{}/{}", stats.compiled, stats.cached, stats.failed)
}

pub(crate) fn notes(captured: &Captured) -> String {
    captured.notes.iter().map(|note| format!("{note}\n")).collect()
}

/// Every unit holds bitcode that LLVM would recognise by its first bytes.
pub(crate) fn assert_bitcode(captured: &Captured) {
    for unit in &captured.units {
        let bytes = std::fs::read(&unit.bitcode).unwrap();
        assert_eq!(bytes.get(..4), Some(&b"BC\xc0\xde"[..]), "{}", unit.name);
    }
}

/// The full path of a program.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}
