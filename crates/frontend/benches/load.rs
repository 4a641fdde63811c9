//! How long it takes to load a program, compared with the clang that compiles it, in the same run.
//!
//! In: C files, each measured alone on one thread, and `compile_commands.json` files, each measured as one program on
//! all threads. Clang compiles with `-O0 -g -c -emit-llvm` and whatever else the command says; loading reads the
//! bitcode files, decodes, lowers, constructs SSA form and joins, in a process of its own. Out: a table.
//!
//! Each figure is the best of several runs, because noise only ever adds. Wall times say what a person waits; on a
//! machine with other work the processor times tell more, so both are there, with the ratio of each. The peak is that
//! of the whole loading process, also as a multiple of the bitcode.
//!
//! Without arguments, joining is measured on invented units, more and more of them: the time per unit must not grow.
//!
//! ```text
//! cargo bench -p watertight-frontend --bench load -- [--clang NAME] [--runs N] [--threads N] [--keep DIR] FILE...
//! ```

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use watertight_frontend::{bitcode::Module, join, lower};
use watertight_ir::Program;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let mut options = Options { clang: "clang".into(), runs: 5, threads: 2, keep: None, files: Vec::new() };
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().unwrap_or_else(|| panic!("{argument} needs a value"));
        match &*argument {
            "--clang" => options.clang = value(),
            "--runs" => options.runs = value().parse().expect("--runs takes a number"),
            "--threads" => options.threads = value().parse().expect("--threads takes a number"),
            "--keep" => options.keep = Some(value().into()),
            // What the bench starts itself as.
            "--load" => {
                let threads = value().parse().expect("--load takes a number of threads");
                let list = value();
                return load_and_report(threads, Path::new(&list));
            }
            _ => options.files.push(argument.into()),
        }
    }
    if options.files.is_empty() {
        return measure_join();
    }
    measure_files(&options);
}

struct Options {
    clang: String,
    runs: usize,
    threads: usize,
    /// Where the bitcode stays afterwards.
    keep: Option<PathBuf>,
    files: Vec<PathBuf>,
}

/// One call of the compiler.
struct Unit {
    directory: PathBuf,
    source: PathBuf,
    /// Without the compiler and what the bench says itself.
    flags: Vec<String>,
    bitcode: PathBuf,
}

/// What something took.
#[derive(Copy, Clone)]
struct Time {
    wall: Duration,
    processor: Duration,
}

impl Time {
    const LONGEST: Time = Time { wall: Duration::MAX, processor: Duration::MAX };

    fn best(self, other: Time) -> Time {
        Time { wall: self.wall.min(other.wall), processor: self.processor.min(other.processor) }
    }
}

fn measure_files(options: &Options) {
    let folder = options
        .keep
        .clone()
        .unwrap_or_else(|| std::env::temp_dir().join(format!("watertight-bench-{}", std::process::id())));
    std::fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    println!(
        "{:<18} {:>5} {:>9} {:>8} {:>17} {:>17} {:>15} {:>15}",
        "", "", "", "", "clang", "load", "load/clang", "peak"
    );
    println!(
        "{:<18} {:>5} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>7} {:>7} {:>9} {:>5}",
        "program", "units", "lines", "bitcode", "wall", "cpu", "wall", "cpu", "wall", "cpu", "memory", "bc"
    );
    for file in &options.files {
        let program = file.extension().is_some_and(|extension| extension == "json");
        let (units, threads) = if program {
            (commands(file, &folder), options.threads)
        } else {
            let source =
                std::path::absolute(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let directory = source.parent().unwrap_or(Path::new("/")).to_owned();
            (vec![Unit { directory, source, flags: Vec::new(), bitcode: folder.join("unit.bc") }], 1)
        };
        // Programs take long; a unit is short and needs more care.
        let clang_runs = if program { 1 } else { options.runs };
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
        let mut clang = Time::LONGEST;
        let mut units = units;
        for _ in 0..clang_runs {
            let (time, compiled) = compile(&options.clang, units, &pool);
            clang = clang.best(time);
            units = compiled;
        }
        let list = folder.join("units.txt");
        let mut names = String::new();
        units.iter().for_each(|unit| {
            writeln!(names, "{}", unit.bitcode.display()).expect("writing to a string cannot fail");
        });
        std::fs::write(&list, names).unwrap_or_else(|error| panic!("{}: {error}", list.display()));
        let (mut load, mut peak) = (Time::LONGEST, u64::MAX);
        for _ in 0..options.runs {
            let (time, memory) = load_in_child(threads, &list);
            load = load.best(time);
            peak = peak.min(memory);
        }
        print_row(file, &units, clang, load, peak);
    }
    if options.keep.is_none() {
        // Only a temporary directory is left behind if this fails.
        drop(std::fs::remove_dir_all(&folder));
    }
}

fn print_row(file: &Path, units: &[Unit], clang: Time, load: Time, peak: u64) {
    let lines: usize =
        units.iter().map(|unit| std::fs::read(&unit.source).map_or(0, |text| count_lines(&text))).sum();
    let bytes: u64 = units.iter().map(|unit| unit.bitcode.metadata().map_or(0, |data| data.len())).sum();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let name = if name == "compile_commands.json" {
        let folder = file.parent().and_then(Path::file_name).unwrap_or_default();
        folder.to_string_lossy()
    } else {
        name
    };
    let ratio = |part: Duration, whole: Duration| 100.0 * part.as_secs_f64() / whole.as_secs_f64();
    println!(
        "{name:<18} {:>5} {lines:>9} {:>5.1} MB {:>6.2} s {:>6.2} s {:>6.3} s {:>6.3} s {:>5.1} % {:>5.1} % {:>6.1} MB {:>4.1}x",
        units.len(),
        bytes as f64 / 1e6,
        clang.wall.as_secs_f64(),
        clang.processor.as_secs_f64(),
        load.wall.as_secs_f64(),
        load.processor.as_secs_f64(),
        ratio(load.wall, clang.wall),
        ratio(load.processor, clang.processor),
        peak as f64 / 1e6,
        peak as f64 / bytes as f64,
    );
}

fn count_lines(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte == b'\n').count()
}

/// The units of a compilation database.
fn commands(file: &Path, folder: &Path) -> Vec<Unit> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let entries: Vec<serde_json::Value> =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let string = |value: &serde_json::Value| value.as_str().expect("entries hold strings").to_owned();
    let unit = |(number, entry): (usize, &serde_json::Value)| {
        let directory = PathBuf::from(string(&entry["directory"]));
        let arguments = entry["arguments"].as_array().expect("entries have the form with `arguments`");
        Unit {
            source: directory.join(string(&entry["file"])),
            directory,
            flags: arguments[1..].iter().map(string).collect(),
            bitcode: folder.join(format!("{number}.bc")),
        }
    };
    entries.iter().enumerate().map(unit).collect()
}

/// Compiles all units; those that fail are named and left out. Their time counts for nothing much.
fn compile(clang: &str, units: Vec<Unit>, pool: &rayon::ThreadPool) -> (Time, Vec<Unit>) {
    let (before, start) = (children_processor_time(), Instant::now());
    let results: Vec<Option<Unit>> = pool.install(|| {
        let compiled = units.into_par_iter().map(|unit| {
            let mut command = Command::new(clang);
            command.current_dir(&unit.directory).args(&unit.flags);
            if unit.flags.is_empty() {
                command.arg(&unit.source);
            }
            command.args(["-O0", "-g", "-w", "-c", "-emit-llvm", "-o"]).arg(&unit.bitcode);
            let output =
                command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{clang}: {error}"));
            if !output.status.success() {
                let message = String::from_utf8_lossy(&output.stderr);
                eprintln!("{}: left out: {}", unit.source.display(), message.lines().next().unwrap_or(""));
                return None;
            }
            Some(unit)
        });
        compiled.collect()
    });
    let time = Time { wall: start.elapsed(), processor: children_processor_time() - before };
    (time, results.into_iter().flatten().collect())
}

/// Loads the listed files in a fresh process. The result is its time, without start and end of the process, and the
/// most memory it had.
fn load_in_child(threads: usize, list: &Path) -> (Time, u64) {
    let program = std::env::current_exe().expect("the bench knows its own path");
    let mut command = Command::new(program);
    command.arg("--load").arg(threads.to_string()).arg(list).stderr(Stdio::inherit());
    let output = command.output().unwrap_or_else(|error| panic!("cannot start the bench again: {error}"));
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<u64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    match *numbers {
        [wall, processor, peak] => {
            (Time { wall: Duration::from_nanos(wall), processor: Duration::from_nanos(processor) }, peak)
        }
        _ => panic!("loading failed: {text}"),
    }
}

/// What the child does.
fn load_and_report(threads: usize, list: &Path) {
    let text = std::fs::read_to_string(list).unwrap_or_else(|error| panic!("{}: {error}", list.display()));
    let files: Vec<&str> = text.lines().collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
    let (before, start) = (own_processor_time(), Instant::now());
    let program = pool.install(|| load(&files));
    let wall = start.elapsed();
    let processor = own_processor_time() - before;
    println!("{} {} {}", wall.as_nanos(), processor.as_nanos(), peak_memory());
    // The end of the process is faster than taking the program apart.
    std::mem::forget(program);
}

fn load(files: &[&str]) -> Program {
    let parts = files.par_iter().map(|file| {
        let bytes = std::fs::read(file).unwrap_or_else(|error| panic!("{file}: {error}"));
        let module = Module::parse(&bytes).unwrap_or_else(|error| panic!("{file}: {error}"));
        lower::lower(&module, file, lower::Form::Ssa)
    });
    join::join(parts.collect())
}

/// Processor time of finished child processes. The kernel counts it in hundredths of a second.
fn children_processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("the bench runs on Linux");
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks = fields.split_whitespace().skip(13).take(2).filter_map(|field| field.parse::<u64>().ok());
    Duration::from_millis(ticks.sum::<u64>() * 10)
}

/// Processor time of all threads of this process.
fn own_processor_time() -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").expect("the bench runs on Linux");
    let nanoseconds = tasks.flatten().filter_map(|task| {
        let times = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        times.split_whitespace().next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanoseconds.sum())
}

fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("the bench runs on Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    line.trim().trim_end_matches("kB").trim().parse::<u64>().map_or(0, |kilobytes| kilobytes * 1024)
}

/// Joins more and more invented units that all refer to each other's functions.
fn measure_join() {
    println!("{:>6} {:>10} {:>12}", "units", "join", "per unit");
    for count in [250, 500, 1000, 2000, 4000] {
        let units: Vec<Program> = (0..count).map(|number| invented_unit(number, count)).collect();
        let mut best = Duration::MAX;
        for _ in 0..5 {
            let copy = units.clone();
            let start = Instant::now();
            let joined = join::join(copy);
            best = best.min(start.elapsed());
            assert_eq!(joined.units.len(), count, "every unit is in the program");
        }
        println!(
            "{count:>6} {:>7.2} ms {:>9.2} us",
            best.as_secs_f64() * 1e3,
            best.as_secs_f64() * 1e6 / count as f64
        );
    }
}

/// A unit with a few functions of its own, statics, and calls of other units and of the library.
fn invented_unit(number: usize, count: usize) -> Program {
    let mut text = String::new();
    for library in ["malloc", "free", "printf", "strlen", "memcpy"] {
        writeln!(text, "declare @{library}(ptr) -> ptr").expect("writing to a string cannot fail");
    }
    for step in [1, 7, 131] {
        let other = (number + step) % count;
        writeln!(text, "declare @public_{other}(ptr) -> ptr").expect("writing to a string cannot fail");
    }
    for (name, linkage) in [(format!("public_{number}"), ""), ("helper".to_owned(), " internal")] {
        write!(
            text,
            "func @{name}(%v0: ptr) -> ptr{linkage} {{\nbb0:\n  %v1: ptr = call @malloc(%v0)\n  \
             %v2: ptr = call @public_{}(%v1)\n  return %v2\n}}\n",
            (number + 7) % count
        )
        .expect("writing to a string cannot fail");
    }
    watertight_ir::parse(&format!("unit_{number}.ir"), &text)
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}
