//! A whole program: the time that clang needs for all of it against the time that loading all of it takes.
//!
//! In: a compilation database. The units are captured as `check -p` would capture them, which is not measured and gives
//! each unit its flags. Then clang compiles all units again, with those flags, on all cores, and its time is taken; and
//! `watertight dump totals` loads all of the bitcode on all cores, and its time is taken. Entries that do not compile
//! are listed and count in neither.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use watertight_capture::{Request, Silent, Unit, capture, clang_for};

use super::{CLANG_FLAGS, Times, best, cores, heading, load, row};

/// Measures a program and gives the table.
pub(super) fn bench(
    watertight: &Path,
    database: &Path,
    folder: &Path,
    runs: usize,
) -> Result<String, String> {
    let here = std::env::current_dir().map_err(|error| error.to_string())?;
    let mut request = Request::new(here);
    request.compile_db = Some(database.to_path_buf());
    request.cache = Some(folder.join("cache"));
    let clang = clang_for(&request).map_err(|error| error.to_string())?;
    let captured = capture(&request, &Silent).map_err(|error| error.to_string())?;
    let compiled = best(runs, || compile(&clang.path, &captured.units, folder))?;
    let bitcode: Vec<PathBuf> = captured.units.iter().map(|unit| unit.bitcode.clone()).collect();
    let loaded = load(watertight, &bitcode, cores(), runs)?;

    let mut text = heading();
    row(&mut text, &format!("program on {} cores", cores()), compiled, &loaded);
    let total = |name: &str| {
        let line = loaded.totals.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or("?").to_owned()
    };
    writeln!(
        text,
        "{} units, {} lines that are not blank, {} functions with a body, {} instructions; clang {}",
        captured.units.len(),
        lines(&captured.units)?,
        total("bodies"),
        total("instructions"),
        clang.major
    )
    .expect("writing to a string cannot fail");
    for failure in &captured.failures {
        let first = failure.message.lines().next().unwrap_or_default();
        writeln!(text, "not counted: {}: {first}", failure.name).expect("writing to a string cannot fail");
    }
    Ok(text)
}

/// Compiles all units on all cores and gives the time that passes.
fn compile(clang: &Path, units: &[Unit], folder: &Path) -> Result<Times, String> {
    let next = AtomicUsize::new(0);
    let failure = Mutex::new(None);
    let ((), times) = Times::of(|| {
        std::thread::scope(|scope| {
            for thread in 0..cores() {
                let (next, failure) = (&next, &failure);
                // The bitcode is only written because it has to go somewhere.
                let output = folder.join(format!("thread{thread}.bc"));
                scope.spawn(move || {
                    while let Some(unit) = units.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let mut command = Command::new(clang);
                        command.args(&unit.flags).args(CLANG_FLAGS).arg(&unit.source).arg("-o").arg(&output);
                        command.current_dir(&unit.directory).stdin(Stdio::null());
                        let done = command.output();
                        if !done.is_ok_and(|output| output.status.success()) {
                            let mut failure =
                                failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                            *failure = Some(format!("{command:?} failed"));
                        }
                    }
                });
            }
        })
    });
    match failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        Some(failure) => Err(failure),
        None => Ok(times),
    }
}

/// How many lines that are not blank the sources have, each source once, headers not counted.
fn lines(units: &[Unit]) -> Result<usize, String> {
    let sources: BTreeSet<&PathBuf> = units.iter().map(|unit| &unit.source).collect();
    let mut lines = 0;
    for source in sources {
        let text = std::fs::read(source).map_err(|error| format!("{}: {error}", source.display()))?;
        lines += text.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).count();
    }
    Ok(lines)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;

    /// A stand-in for the analyser, so that the measuring is tested and not the machine.
    const ANALYSER: &str =
        "#!/bin/sh\necho '{\"peakBytes\": 3000}' >&2\nprintf 'bodies 2\\ninstructions 9\\n'\n";

    #[test]
    fn a_program_is_measured_and_failures_are_listed() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("a.c", "#ifdef GOOD\n\nint a(void) { return 1; }\n#endif\n \n");
        write("b.c", "int b( {\n");
        write(
            "compile_commands.json",
            r#"[{"directory": ".", "file": "a.c", "command": "gcc -DGOOD -O2 -c a.c -o a.o"},
                {"directory": ".", "file": "b.c", "command": "gcc -c b.c"}]"#,
        );
        let analyser = folder.path().join("analyser");
        std::fs::write(&analyser, ANALYSER).unwrap();
        let mut permissions = analyser.metadata().unwrap().permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
        std::fs::set_permissions(&analyser, permissions).unwrap();
        let scratch = folder.path().join("scratch");
        std::fs::create_dir(&scratch).unwrap();
        let table = bench(&analyser, &folder.path().join("compile_commands.json"), &scratch, 1).unwrap();
        let lines: Vec<&str> = table.lines().collect();
        assert!(lines[1].starts_with(&format!("program on {} cores", cores())), "{table}");
        assert!(
            lines[2].starts_with("1 units, 3 lines that are not blank, 2 functions with a body, 9 "),
            "{table}"
        );
        assert!(lines[3].starts_with("not counted: ") && lines[3].contains("b.c:1:8: error"), "{table}");
    }
}
