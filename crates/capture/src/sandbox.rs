//! Starting clang so that a foreign source can harm nobody.
//!
//! In: a command that is ready to run, and the one folder that it may write to. Out: what it printed and how it ended.
//! What holds:
//!
//! * its environment is empty but for what is set here: variables such as `CCC_OVERRIDE_OPTIONS`, `COMPILER_PATH` or
//!   `LD_PRELOAD` make clang take further flags, run other programs or load code;
//! * its working directory is the folder, so a name without a path is a name in there;
//! * on Linux, where the kernel has Landlock, it can write nowhere else, run nothing but programs of the system, open no
//!   connection, and read neither `/proc` nor devices.
//!
//! The flags that reach clang are chosen so that none of this is needed (`kept_flags.rs`); it is there for the mistake
//! in that table and for the one in clang. Landlock restricts a thread and what it starts, so every clang is started by a
//! thread of its own, which ends with it. Where there is no Landlock, the rest still holds.

use crate::messages;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

/// How clang is started.
pub(crate) struct Sandbox {
    #[cfg(target_os = "linux")]
    rules: linux::Rules,
    path: OsString,
    /// A clang ran without the restrictions of the kernel.
    open: AtomicBool,
}

impl Sandbox {
    /// A sandbox in which this program can run.
    pub(crate) fn new(program: &Path) -> Sandbox {
        Sandbox {
            #[cfg(target_os = "linux")]
            rules: linux::Rules::new(program),
            path: search_path(program),
            open: AtomicBool::new(!cfg!(target_os = "linux")),
        }
    }

    /// Whether a program ran without the restrictions of the kernel.
    pub(crate) fn is_open(&self) -> bool {
        self.open.load(Ordering::Relaxed)
    }

    /// Runs a command that may write to one folder, with these variables in its environment.
    pub(crate) fn run(
        &self,
        command: &mut Command,
        folder: &Path,
        variables: &[(String, String)],
    ) -> io::Result<Output> {
        clean(command, &self.path, folder);
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        self.start(command, folder)
    }

    #[cfg(target_os = "linux")]
    fn start(&self, command: &mut Command, folder: &Path) -> io::Result<Output> {
        std::thread::scope(|scope| {
            let run = || {
                if !self.rules.restrict(folder) {
                    self.open.store(true, Ordering::Relaxed);
                }
                crate::patience::output(command)
            };
            let thread = std::thread::Builder::new().name("clang".to_owned()).spawn_scoped(scope, run)?;
            thread.join().unwrap_or_else(|_| Err(io::Error::other(messages::THREAD_FAILED)))
        })
    }

    #[cfg(not(target_os = "linux"))]
    fn start(&self, command: &mut Command, _folder: &Path) -> io::Result<Output> {
        crate::patience::output(command)
    }
}

/// Gives a command an environment of ours, a working directory and no input.
pub(crate) fn clean(command: &mut Command, path: &OsString, folder: &Path) {
    command
        .env_clear()
        .env("PATH", path)
        .env("LC_ALL", "C")
        .env("HOME", folder)
        .env("TMPDIR", folder)
        .current_dir(folder)
        .stdin(Stdio::null());
}

/// Where a compiler looks for programs: beside itself, and where we do, but never relative to its working directory.
pub(crate) fn search_path(program: &Path) -> OsString {
    let own = program.parent().map(Path::to_path_buf);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = own.into_iter().chain(std::env::split_paths(&path)).filter(|folder| folder.is_absolute());
    std::env::join_paths(folders).unwrap_or_default()
}

#[cfg(target_os = "linux")]
mod linux {
    use std::path::{Path, PathBuf};

    use landlock::{
        ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr,
        RulesetCreatedAttr, RulesetError, RulesetStatus, make_bitflags,
    };

    /// The newest set of restrictions that we know; older kernels enforce what they can of it.
    const KNOWN: ABI = ABI::V6;
    /// Where programs of the system and their libraries are.
    const SYSTEM: &[&str] = &[
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/lib32",
        "/lib64",
        "/opt",
        "/nix",
        "/gnu",
        "/snap",
        "/run/current-system",
        "/home/linuxbrew",
    ];
    /// What is read of the folders that are closed.
    const FILES: &[&str] = &["/dev/null", "/dev/urandom", "/dev/random", "/proc/cpuinfo"];
    /// Folders in the root that hold no files of a program: what is in them is made up by the kernel.
    const CLOSED: &[&str] = &["dev", "proc", "sys"];

    /// What is allowed beside writing to a folder, opened once and used for every start.
    pub(super) struct Rules(Vec<(PathFd, BitFlags<AccessFs>)>);

    impl Rules {
        pub(super) fn new(program: &Path) -> Rules {
            let read = make_bitflags!(AccessFs::{ReadFile | ReadDir});
            let mut rules = Vec::new();
            let mut allow = |path: &Path, access: BitFlags<AccessFs>| {
                rules.extend(PathFd::new(path).ok().map(|opened| (opened, access)));
            };
            for entry in std::fs::read_dir("/").into_iter().flatten().flatten() {
                let path = entry.path();
                let closed = CLOSED.iter().any(|name| entry.file_name() == *name);
                if path.is_dir() && !closed {
                    allow(&path, read);
                }
            }
            // Memory that looks like a folder; people build there.
            allow(Path::new("/dev/shm"), read);
            for file in FILES {
                allow(Path::new(file), AccessFs::ReadFile.into());
            }
            allow(Path::new("/dev/null"), AccessFs::WriteFile.into());
            // The program may be a link into a folder of its own.
            let real = program.canonicalize().ok();
            let own = [Some(program), real.as_deref()];
            let own = own.into_iter().flatten().filter_map(Path::parent).map(Path::to_path_buf);
            for folder in SYSTEM.iter().map(PathBuf::from).chain(own) {
                allow(&folder, read | AccessFs::Execute);
            }
            Rules(rules)
        }

        /// Restricts the present thread and all that it starts. False if the kernel does not.
        pub(super) fn restrict(&self, folder: &Path) -> bool {
            self.try_restrict(folder).unwrap_or(false)
        }

        fn try_restrict(&self, folder: &Path) -> Result<bool, RulesetError> {
            let Ok(writable) = PathFd::new(folder) else { return Ok(false) };
            let everything = AccessFs::from_all(KNOWN);
            let mut ruleset = Ruleset::default()
                .handle_access(everything)?
                .handle_access(AccessNet::from_all(KNOWN))?
                .create()?
                .add_rule(PathBeneath::new(&writable, everything & !BitFlags::from(AccessFs::Execute)))?;
            for (path, access) in &self.0 {
                ruleset = ruleset.add_rule(PathBeneath::new(path, *access))?;
            }
            Ok(ruleset.restrict_self()?.ruleset != RulesetStatus::NotEnforced)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// Runs a shell script in a sandbox, with a folder beside that it may not write to.
    fn script(text: &str) -> (String, tempfile::TempDir, PathBuf, bool) {
        let folder = tempfile::tempdir().unwrap();
        let (inside, outside) = (folder.path().join("inside"), folder.path().join("outside"));
        std::fs::create_dir(&inside).unwrap();
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("program"), "#!/bin/sh\necho ran\n").unwrap();
        let sandbox = Sandbox::new(Path::new("/bin/sh"));
        let mut command = Command::new("/bin/sh");
        command.args(["-c", text, "sh"]).arg(&outside);
        let output = sandbox.run(&mut command, &inside, &[("GIVEN".into(), "value".into())]).unwrap();
        (String::from_utf8_lossy(&output.stdout).into_owned(), folder, outside, sandbox.is_open())
    }

    #[test]
    fn the_environment_is_ours() {
        let (printed, folder, _, _) = script("env | sort; pwd");
        let inside = folder.path().join("inside").display().to_string();
        let names: Vec<&str> =
            printed.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
        let expected = ["GIVEN", "HOME", "LC_ALL", "PATH", "PWD", "TMPDIR"];
        assert!(expected.iter().all(|name| names.contains(name)), "{printed}");
        // A shell sets some itself.
        let own = ["OLDPWD", "SHLVL", "_"];
        assert!(names.iter().all(|name| expected.contains(name) || own.contains(name)), "{printed}");
        assert!(printed.ends_with(&format!("{inside}\n")), "{printed}");
    }

    #[test]
    fn only_the_folder_can_be_written() {
        let text = "echo x > made; echo x > \"$1/made\"; rm -f \"$1/program\"; chmod +x \"$1/program\"; \
                    \"$1/program\"; cat /proc/self/environ; cat made";
        let (printed, folder, outside, open) = script(text);
        assert!(folder.path().join("inside/made").exists());
        if open {
            eprintln!("skipped: this kernel has no Landlock");
            return;
        }
        assert_eq!(printed, "x\n");
        assert!(!outside.join("made").exists() && outside.join("program").exists());
    }
}
