//! How long loading takes, compared with the compiler in the same run.
//!
//! In: C files, a compilation database, or nothing for a synthetic file. For each file clang writes bitcode and
//! `watertight dump totals` loads it (decoding, lowering, SSA construction, joining) on one core; the best of several
//! runs counts, since noise only ever adds. Out: a table. Only the ratio means something on another machine. With
//! several files, the last row loads all of them together on all cores, against the sum of clang's times divided by the
//! number of cores. A compilation database is a whole program: see [`program`].

mod program;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Each time is the best of so many, unless `--runs` says otherwise.
const RUNS: usize = 3;
/// The flags that `watertight` compiles with.
const CLANG_FLAGS: &[&str] = &["-O0", "-g", "-w", "-c", "-emit-llvm", "-Xclang", "-disable-O0-optnone"];

/// What was typed.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wanted {
    /// A compilation database.
    database: Option<PathBuf>,
    files: Vec<PathBuf>,
    /// Flags for clang.
    flags: Vec<String>,
    runs: usize,
}

impl Wanted {
    fn parse(arguments: &[String]) -> Result<Wanted, String> {
        let mut wanted = Wanted { runs: RUNS, ..Wanted::default() };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} wants a value"));
            match argument.as_str() {
                "-p" => wanted.database = Some(PathBuf::from(value()?)),
                "--runs" => {
                    let runs = value()?.parse().ok().filter(|runs| *runs > 0);
                    wanted.runs = runs.ok_or("--runs wants a number of at least one")?;
                }
                flag if flag.starts_with('-') => wanted.flags.push(flag.to_owned()),
                file => wanted.files.push(PathBuf::from(file)),
            }
        }
        if wanted.database.is_some() && !(wanted.files.is_empty() && wanted.flags.is_empty()) {
            return Err("a compilation database has its own files and flags".to_owned());
        }
        Ok(wanted)
    }
}

/// Measures and gives the table.
pub(crate) fn bench(root: &Path, arguments: &[String]) -> Result<String, String> {
    let wanted = Wanted::parse(arguments)?;
    let watertight = root.join("target/release/watertight");
    if !watertight.is_file() {
        return Err(format!("{} is missing; use `./x bench`", watertight.display()));
    }
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary directory: {error}"))?;
    match &wanted.database {
        Some(database) => program::bench(&watertight, database, folder.path(), wanted.runs),
        None => files(&watertight, wanted, folder.path()),
    }
}

/// Measures file by file.
fn files(watertight: &Path, wanted: Wanted, folder: &Path) -> Result<String, String> {
    let Wanted { mut files, flags, runs, .. } = wanted;
    let clang = std::env::var("WATERTIGHT_CLANG").unwrap_or_else(|_| "clang".to_owned());
    if files.is_empty() {
        let path = folder.join("synthetic.c");
        std::fs::write(&path, synthetic(3000)).map_err(|error| format!("{}: {error}", path.display()))?;
        files.push(path);
    }
    let mut table = heading();
    let (mut all, mut clang_time) = (Vec::new(), Duration::ZERO);
    for (number, file) in files.iter().enumerate() {
        let bitcode = folder.join(format!("{number}.bc"));
        let mut compile = Command::new(&clang);
        compile.args(CLANG_FLAGS).args(&flags).arg(file).arg("-o").arg(&bitcode);
        let compiled = best(runs, || time(&mut compile))?;
        let loaded = load(watertight, std::slice::from_ref(&bitcode), 1, runs)?;
        clang_time += compiled;
        row(&mut table, &file.file_name().unwrap_or_default().to_string_lossy(), compiled, &loaded);
        all.push(bitcode);
    }
    if all.len() > 1 {
        let loaded = load(watertight, &all, cores(), runs)?;
        row(&mut table, &format!("all on {} cores", cores()), clang_time / cores() as u32, &loaded);
    }
    Ok(table)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What loading some bitcode costs.
struct Load {
    time: Duration,
    peak: u64,
    bytes: u64,
    /// What `watertight dump totals` says.
    totals: String,
}

fn load(watertight: &Path, bitcode: &[PathBuf], threads: usize, runs: usize) -> Result<Load, String> {
    let mut command = Command::new(watertight);
    command.args(["dump", "totals", "--stats=json", "--threads", &threads.to_string()]).args(bitcode);
    // The time of the whole process, not of the stages it chooses to tell.
    let time = best(runs, || time(&mut command))?;
    let output = command.stderr(Stdio::piped()).output().map_err(|error| error.to_string())?;
    let stats = String::from_utf8_lossy(&output.stderr);
    let stats: serde_json::Value = stats
        .lines()
        .find_map(|line| serde_json::from_str(line).ok())
        .ok_or_else(|| format!("no stats in: {stats}"))?;
    let peak = stats["peakBytes"].as_u64().unwrap_or(0);
    let size = |path: &PathBuf| path.metadata().map_or(0, |data| data.len());
    let totals = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(Load { time, peak, bytes: bitcode.iter().map(size).sum(), totals })
}

/// The shortest of several times.
fn best(runs: usize, mut once: impl FnMut() -> Result<Duration, String>) -> Result<Duration, String> {
    let mut shortest = Duration::MAX;
    for _ in 0..runs {
        shortest = shortest.min(once()?);
    }
    Ok(shortest)
}

/// How long a command takes that must not fail.
fn time(command: &mut Command) -> Result<Duration, String> {
    let start = Instant::now();
    let output = command.stdin(Stdio::null()).output();
    let time = start.elapsed();
    let output = output.map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(time)
}

fn heading() -> String {
    format!(
        "{:<24} {:>9} {:>9} {:>9} {:>7} {:>9} {:>9}\n",
        "file", "bitcode", "clang", "load", "ratio", "peak", "per byte"
    )
}

fn row(table: &mut String, name: &str, clang: Duration, load: &Load) {
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let ratio = 100.0 * load.time.as_secs_f64() / clang.as_secs_f64();
    writeln!(
        table,
        "{name:<24} {:>6.2} MB {:>7.3} s {:>7.3} s {ratio:>5.1} % {:>6.1} MB {:>8.1}x",
        megabytes(load.bytes),
        clang.as_secs_f64(),
        load.time.as_secs_f64(),
        megabytes(load.peak),
        load.peak as f64 / load.bytes as f64,
    )
    .expect("writing to a string cannot fail");
}

/// A C file with so many functions, of the kind that people write: structs, loops, strings, calls, error paths.
fn synthetic(functions: usize) -> String {
    let mut text = String::from(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
         struct node { struct node *next; char *name; int kind; double weight; int counts[4]; };\n\
         typedef int (*visit)(struct node *, void *);\n",
    );
    for n in 0..functions {
        write!(
            text,
            "static int visit_{n}(struct node *head, visit callback, void *data) {{\n\
             \x20   int total = {n};\n\
             \x20   for (struct node *at = head; at != NULL; at = at->next) {{\n\
             \x20       if (at->kind == {kind} && callback != NULL)\n\
             \x20           total += callback(at, data);\n\
             \x20       else\n\
             \x20           at->counts[at->kind & 3] += total;\n\
             \x20       switch (at->kind) {{\n\
             \x20       case 0: at->weight *= 1.5; break;\n\
             \x20       case {kind}: total ^= at->counts[1]; break;\n\
             \x20       default: total--;\n\
             \x20       }}\n\
             \x20   }}\n\
             \x20   return total;\n\
             }}\n\
             struct node *make_{n}(const char *name, int kind) {{\n\
             \x20   struct node *fresh = calloc(1, sizeof *fresh);\n\
             \x20   if (fresh == NULL)\n\
             \x20       return NULL;\n\
             \x20   fresh->name = strdup(name);\n\
             \x20   if (fresh->name == NULL || visit_{n}(fresh, NULL, NULL) < 0) {{\n\
             \x20       free(fresh);\n\
             \x20       return NULL;\n\
             \x20   }}\n\
             \x20   fresh->kind = kind + {n};\n\
             \x20   return fresh;\n\
             }}\n",
            kind = n % 7 + 1,
        )
        .expect("writing to a string cannot fail");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_synthetic_file_has_what_it_should() {
        let text = synthetic(2);
        assert_eq!(text.matches("calloc").count(), 2);
        assert!(text.contains("visit_1") && !text.contains("visit_2"));
    }

    #[test]
    fn what_was_typed() {
        let parse =
            |line: &str| Wanted::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<String>>());
        let files = Wanted { files: vec!["a.c".into()], flags: vec!["-DX".into()], runs: 3, database: None };
        assert_eq!(parse("-DX a.c"), Ok(files));
        let program = Wanted { database: Some("build".into()), runs: 1, ..Wanted::default() };
        assert_eq!(parse("-p build --runs 1"), Ok(program));
        for wrong in ["-p", "--runs 0", "--runs x", "-p build a.c", "-p build -DX"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_row_shows_the_ratio() {
        let mut table = String::new();
        let load = Load {
            time: Duration::from_millis(50),
            peak: 20_000_000,
            bytes: 2_000_000,
            totals: String::new(),
        };
        row(&mut table, "a.c", Duration::from_secs(1), &load);
        assert_eq!(
            table,
            "a.c                        2.00 MB   1.000 s   0.050 s   5.0 %   20.0 MB     10.0x\n"
        );
    }
}
