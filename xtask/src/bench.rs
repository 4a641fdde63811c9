//! How long loading takes, compared with the compiler in the same run.
//!
//! In: C files, a compilation database, or nothing for a synthetic file. For each file clang writes bitcode and
//! `watertight dump totals` loads it (decoding, lowering, SSA construction, joining) on one core; the best of several
//! runs counts, since noise only ever adds. Out: a table. Only the ratios mean something on another machine, and on one
//! that has other work to do those of processor times mean more than those of the time that passes. With several files, the last row loads all of them together on all cores, against the sum of clang's times divided by the
//! number of cores. A compilation database is a whole program: see [`program`]. How checks grow with the size of programs is
//! measured by [`growth`].

mod growth;
mod program;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Each time is the best of so many, unless `--runs` says otherwise.
const RUNS: usize = 3;
/// The flags that `watertight` compiles with.
const CLANG_FLAGS: &[&str] = &["-O0", "-g", "-w", "-c", "-emit-llvm", "-Xclang", "-disable-O0-optnone"];

/// How long something takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Times {
    /// What a person waits.
    wall: Duration,
    /// What all processors work.
    processor: Duration,
}

impl Times {
    const MAX: Times = Times { wall: Duration::MAX, processor: Duration::MAX };

    /// The shorter of both.
    fn least(self, other: Times) -> Times {
        Times { wall: self.wall.min(other.wall), processor: self.processor.min(other.processor) }
    }

    /// Runs something that starts processes and waits for them.
    fn of<T>(work: impl FnOnce() -> T) -> (T, Times) {
        let (start, before) = (Instant::now(), children());
        let done = work();
        (done, Times { wall: start.elapsed(), processor: children().saturating_sub(before) })
    }
}

/// The processor time of all child processes that ended, in hundredths of a second as Linux counts; zero elsewhere.
fn children() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, in brackets, may hold anything; the numbers begin after it.
    let numbers = stat.rsplit_once(')').map_or("", |(_, numbers)| numbers);
    let ticks = numbers.split_whitespace().skip(13).take(2).filter_map(|ticks| ticks.parse::<u64>().ok());
    Duration::from_millis(10 * ticks.sum::<u64>())
}

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
    let built = std::env::var_os("WATERTIGHT_BINARY").map(PathBuf::from);
    let watertight = built.unwrap_or_else(|| root.join("target/release/watertight"));
    if !watertight.is_file() {
        return Err(format!("{} is missing; use `./x bench`", watertight.display()));
    }
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary directory: {error}"))?;
    if let Some((first, rest)) = arguments.split_first()
        && first == "growth"
    {
        return growth::bench(&watertight, rest, folder.path());
    }
    let wanted = Wanted::parse(arguments)?;
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
    let mut all = Vec::new();
    let mut sum = Times { wall: Duration::ZERO, processor: Duration::ZERO };
    for (number, file) in files.iter().enumerate() {
        let bitcode = folder.join(format!("{number}.bc"));
        let mut compile = Command::new(&clang);
        compile.args(CLANG_FLAGS).args(&flags).arg(file).arg("-o").arg(&bitcode);
        let compiled = best(runs, || time(&mut compile))?;
        let loaded = load(watertight, std::slice::from_ref(&bitcode), 1, runs)?;
        sum.wall += compiled.wall;
        sum.processor += compiled.processor;
        row(&mut table, &file.file_name().unwrap_or_default().to_string_lossy(), compiled, &loaded);
        all.push(bitcode);
    }
    if all.len() > 1 {
        let loaded = load(watertight, &all, cores(), runs)?;
        sum.wall /= cores() as u32;
        row(&mut table, &format!("all on {} cores", cores()), sum, &loaded);
    }
    Ok(table)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What loading some bitcode costs.
struct Load {
    times: Times,
    peak: u64,
    bytes: u64,
    /// What `watertight dump totals` says.
    totals: String,
}

fn load(watertight: &Path, bitcode: &[PathBuf], threads: usize, runs: usize) -> Result<Load, String> {
    let mut command = Command::new(watertight);
    command.args(["dump", "totals", "--stats=json", "--threads", &threads.to_string()]).args(bitcode);
    // The time of the whole process, not of the stages it chooses to tell.
    let times = best(runs, || time(&mut command))?;
    let output = command.stderr(Stdio::piped()).output().map_err(|error| error.to_string())?;
    let stats = String::from_utf8_lossy(&output.stderr);
    let stats: serde_json::Value = stats
        .lines()
        .find_map(|line| serde_json::from_str(line).ok())
        .ok_or_else(|| format!("no stats in: {stats}"))?;
    let peak = stats["peakBytes"].as_u64().unwrap_or(0);
    let size = |path: &PathBuf| path.metadata().map_or(0, |data| data.len());
    let totals = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(Load { times, peak, bytes: bitcode.iter().map(size).sum(), totals })
}

/// The shortest of several times.
fn best(runs: usize, mut once: impl FnMut() -> Result<Times, String>) -> Result<Times, String> {
    let mut shortest = Times::MAX;
    for _ in 0..runs {
        shortest = shortest.least(once()?);
    }
    Ok(shortest)
}

/// How long a command takes that must not fail.
fn time(command: &mut Command) -> Result<Times, String> {
    let (output, times) = Times::of(|| command.stdin(Stdio::null()).output());
    let output = output.map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(times)
}

fn heading() -> String {
    format!(
        "{:<20} {:>9} {:>9} {:>9} {:>7} {:>9} {:>9} {:>7} {:>9} {:>8}\n",
        "file", "bitcode", "clang", "load", "ratio", "clang cpu", "load cpu", "ratio", "peak", "per byte"
    )
}

fn row(table: &mut String, name: &str, clang: Times, load: &Load) {
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    write!(table, "{name:<20} {:>6.2} MB", megabytes(load.bytes)).expect("writing to a string cannot fail");
    for (clang, load) in
        [(clang.wall, load.times.wall), (clang.processor, load.times.processor)].map(|(clang, load)| {
            let seconds = |time: Duration| time.as_secs_f64();
            (seconds(clang), seconds(load))
        })
    {
        write!(table, " {clang:>7.2} s {load:>7.3} s {:>5.1} %", 100.0 * load / clang)
            .expect("writing to a string cannot fail");
    }
    let per_byte = load.peak as f64 / load.bytes as f64;
    writeln!(table, " {:>6.1} MB {per_byte:>7.1}x", megabytes(load.peak))
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
    fn a_row_shows_both_ratios() {
        let times = |wall: u64, processor: u64| Times {
            wall: Duration::from_millis(wall),
            processor: Duration::from_millis(processor),
        };
        let load = Load { times: times(50, 30), peak: 20_000_000, bytes: 2_000_000, totals: String::new() };
        let mut table = String::new();
        row(&mut table, "a.c", times(1000, 1500), &load);
        assert_eq!(
            table,
            "a.c                    2.00 MB    1.00 s   0.050 s   5.0 %    1.50 s   0.030 s   2.0 %   20.0 MB    10.0x\n"
        );
        assert_eq!(heading().len(), table.len(), "{}{table}", heading());
    }

    #[test]
    fn the_work_of_children_is_counted() {
        let busy = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
        let worked = time(Command::new("sh").args(["-c", busy])).expect("a shell runs");
        let slept = time(Command::new("sleep").arg("0.2")).expect("sleep runs");
        assert!(slept.wall >= Duration::from_millis(200), "{slept:?}");
        if cfg!(target_os = "linux") {
            // Other tests have children too, so only the least can be told.
            assert!(worked.processor >= Duration::from_millis(20), "{worked:?}");
        }
        let least = worked.least(Times { wall: Duration::ZERO, processor: Duration::MAX });
        assert_eq!(least, Times { wall: Duration::ZERO, ..worked });
    }
}
