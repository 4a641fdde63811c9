//! The clangs of this machine, and programs run natively.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How `watertight` itself has units compiled to bitcode.
const BITCODE: &[&str] = &["-O0", "-g", "-Xclang", "-disable-O0-optnone", "-emit-llvm", "-c"];

/// A clang on this machine.
#[derive(Clone, Debug)]
pub(crate) struct Clang {
    pub(crate) command: PathBuf,
    pub(crate) major: u32,
}

/// How a program ended, and what it printed.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Behaviour {
    /// The exit code, or 128 and the number of the signal, as a shell shows it.
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
}

/// What became of a native run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Native {
    Ended(Behaviour),
    /// It used more than the allowed seconds of processor time.
    TooLong,
}

impl Clang {
    /// The clang of this name or path, if it is one.
    pub(crate) fn named(command: impl Into<PathBuf>) -> Option<Clang> {
        let command = command.into();
        let output = Command::new(&command).arg("--version").output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let (_, rest) = text.split_once("clang version ")?;
        let major = rest.split('.').next()?.parse().ok()?;
        Some(Clang { command, major })
    }

    /// The clang named by `WATERTIGHT_CLANG`; else `clang`, else the newest of versions 22 to 14, on the path or
    /// where distributions put them.
    pub(crate) fn any() -> Option<Clang> {
        if let Ok(command) = std::env::var("WATERTIGHT_CLANG") {
            return Clang::named(command);
        }
        let versions = (14..=22).rev();
        let mut places = vec!["clang".to_owned()];
        for major in versions {
            places.push(format!("clang-{major}"));
            places.push(format!("/usr/lib/llvm-{major}/bin/clang"));
        }
        places.into_iter().filter_map(Clang::named).find(|clang| (14..=22).contains(&clang.major))
    }

    /// The bitcode of a program, as the front end gets it.
    pub(crate) fn bitcode(&self, source: &Path, folder: &Path, flags: &[String]) -> Result<Vec<u8>, String> {
        let output = folder.join("program.bc");
        self.compile(source, &output, BITCODE, flags, &[])?;
        std::fs::read(&output).map_err(|error| format!("{}: {error}", output.display()))
    }

    /// Compiles a program for this machine and runs it with these arguments.
    pub(crate) fn run(
        &self,
        source: &Path,
        folder: &Path,
        flags: &[String],
        args: &[&str],
        seconds: u32,
    ) -> Result<Native, String> {
        let program = folder.join("native");
        self.compile(source, &program, &["-O0"], flags, &["-lm"])?;
        run(&program, folder, args, seconds)
    }

    fn compile(
        &self,
        source: &Path,
        output: &Path,
        before: &[&str],
        flags: &[String],
        after: &[&str],
    ) -> Result<(), String> {
        let mut command = Command::new(&self.command);
        command.args(before).arg("-w").args(flags).arg("-o").arg(output).arg(source).args(after);
        let compiled = command.output().map_err(|error| format!("{}: {error}", self.command.display()))?;
        if compiled.status.success() {
            return Ok(());
        }
        Err(format!("{}: {}", self.command.display(), String::from_utf8_lossy(&compiled.stderr)))
    }
}

/// Runs a program with a limit of processor time, so that a busy machine gives the same answer.
fn run(program: &Path, folder: &Path, args: &[&str], seconds: u32) -> Result<Native, String> {
    const OUT_OF_TIME: [i32; 2] = [9, 24]; // SIGKILL and SIGXCPU
    let script = format!("ulimit -c 0; ulimit -t {seconds}; exec \"$0\" \"$@\"");
    let output = Command::new("/bin/sh")
        .args(["-c", &script])
        .arg(program)
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    let signal = std::os::unix::process::ExitStatusExt::signal(&output.status);
    if signal.is_some_and(|signal| OUT_OF_TIME.contains(&signal)) {
        return Ok(Native::TooLong);
    }
    let code = output.status.code().or(signal.map(|signal| 128 + signal));
    let code = code.expect("a process ends with a code or by a signal");
    Ok(Native::Ended(Behaviour { code, stdout: output.stdout }))
}
