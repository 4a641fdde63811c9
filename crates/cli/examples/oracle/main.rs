//! Compares many programs, native against interpreted, and counts.
//!
//! ```text
//! cargo run --release -p watertight-cli --example oracle -- csmith --seed 1 --count 1000
//! cargo run --release -p watertight-cli --example oracle -- own --seed 1 --count 1000
//! cargo run --release -p watertight-cli --example oracle -- files tests/c/run/*.c
//! ```
//!
//! `csmith` and `own` go on until `--count` programs were compared; those that run too long do not count. Programs
//! that differ are kept in the folder `--keep`. `--clang clang-14,clang-19` names the clangs to take in turn,
//! `--flags` adds to how programs are compiled, `--bitcode-flags=-O2` to how bitcode is made, `--args` says what
//! programs are given, and `--round-trip` runs what was printed and parsed back.
//! `--second gcc` counts programs of which that compiler makes something else. Programs of `own` also run as other
//! machines would: `--flags=-DNARROW --bitcode-flags=--target=s390x-linux-gnu`. The exit code is 1 if any differs.

#[path = "../../tests/oracle/compare.rs"]
mod compare;
#[path = "../../tests/oracle/csmith.rs"]
mod csmith;
#[path = "../../tests/oracle/generate/mod.rs"]
mod generate;
#[path = "../../tests/oracle/held.rs"]
mod held;
#[path = "../../tests/oracle/native.rs"]
mod native;

use compare::{Case, Figures, Skip, Verdict, compare};
use native::{Clang, Native};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// What the command line asks for.
struct Request {
    source: Source,
    seed: u64,
    count: u64,
    clangs: Vec<Clang>,
    second: Option<Clang>,
    flags: Vec<String>,
    bitcode_flags: Vec<String>,
    args: Vec<String>,
    keep: PathBuf,
    seconds: u32,
    steps: u64,
    jobs: usize,
    round_trip: bool,
}

enum Source {
    Csmith,
    Own,
    Files(Vec<PathBuf>),
}

/// What all comparisons gave together.
#[derive(Default)]
struct Total {
    same: u64,
    different: u64,
    /// Programs that could not be made or compiled.
    failed: u64,
    skipped: BTreeMap<Skip, u64>,
    /// Programs that the second compiler makes something else of.
    ambiguous: u64,
    by_kind: BTreeMap<String, u64>,
    figures: Figures,
}

fn main() -> ExitCode {
    let request = match request() {
        Ok(request) => request,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::from(2);
        }
    };
    let start = Instant::now();
    let total = run(&request);
    let figures = &total.figures;
    println!(
        "compared {}, different {}, failed {}",
        total.same + total.different,
        total.different,
        total.failed
    );
    for (why, count) in &total.skipped {
        println!("skipped {count}: {why:?}");
    }
    if request.second.is_some() {
        println!("{} do something else with the second compiler", total.ambiguous);
    }
    for (kind, count) in &total.by_kind {
        println!("  {count:5} {kind}");
    }
    println!("steps: {} in memory form, {} in SSA form", figures.memory_steps, figures.ssa_steps);
    println!(
        "time: {:.1} s in all; native {:.1} s, load {:.1} s, memory form {:.1} s, SSA form {:.1} s",
        start.elapsed().as_secs_f64(),
        figures.native_time.as_secs_f64(),
        figures.load_time.as_secs_f64(),
        figures.memory_time.as_secs_f64(),
        figures.ssa_time.as_secs_f64()
    );
    if total.different + total.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn request() -> Result<Request, String> {
    let mut words = std::env::args().skip(1);
    let source = match words.next().as_deref() {
        Some("csmith") if csmith::installed() => Source::Csmith,
        Some("csmith") => return Err("csmith is not installed".into()),
        Some("own") => Source::Own,
        Some("files") => Source::Files(Vec::new()),
        _ => return Err("usage: oracle csmith|own|files [options] [files]".into()),
    };
    let mut request = Request {
        source,
        seed: 1,
        count: 100,
        clangs: Vec::new(),
        second: None,
        flags: Vec::new(),
        bitcode_flags: Vec::new(),
        args: Vec::new(),
        keep: std::env::temp_dir().join("oracle"),
        seconds: 5,
        steps: 2_000_000_000,
        jobs: 2,
        round_trip: false,
    };
    let mut clangs = None;
    while let Some(word) = words.next() {
        if word == "--round-trip" {
            request.round_trip = true;
            continue;
        }
        if let Some(name) = word.strip_prefix("--") {
            let (name, value) = match name.split_once('=') {
                Some((name, value)) => (name.to_owned(), value.to_owned()),
                None => (name.to_owned(), words.next().ok_or_else(|| format!("{word} needs a value"))?),
            };
            let number = || value.parse::<u64>().map_err(|error| format!("{word}: {error}"));
            match &*name {
                "seed" => request.seed = number()?,
                "count" => request.count = number()?,
                "seconds" => request.seconds = number()? as u32,
                "steps" => request.steps = number()?,
                "jobs" => request.jobs = number()? as usize,
                "keep" => request.keep = value.into(),
                "clang" => clangs = Some(value),
                "second" => request.second = Some(Clang { command: value.into(), major: 0 }),
                "flags" => request.flags = value.split_whitespace().map(Into::into).collect(),
                "bitcode-flags" => request.bitcode_flags = value.split_whitespace().map(Into::into).collect(),
                "args" => request.args = value.split_whitespace().map(Into::into).collect(),
                _ => return Err(format!("unknown option {word}")),
            }
        } else if let Source::Files(files) = &mut request.source {
            files.push(word.into());
        } else {
            return Err(format!("unexpected {word}"));
        }
    }
    // One of each form that bitcode has taken over the years.
    let names = clangs.as_deref().unwrap_or("clang-14,clang-16,clang-19,clang-22");
    request.clangs = names.split(',').filter_map(Clang::named).collect();
    if request.clangs.is_empty() {
        request.clangs.extend(Clang::any().filter(|_| clangs.is_none()));
    }
    if request.clangs.is_empty() {
        return Err(format!("none of {names} is there"));
    }
    Ok(request)
}

/// One program to compare, and what to call it.
struct Job {
    name: String,
    kind: String,
    source: PathBuf,
    flags: Vec<String>,
    clang: Clang,
}

fn run(request: &Request) -> Total {
    let next = AtomicU64::new(0);
    let total = Mutex::new(Total::default());
    let ambiguous = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..request.jobs {
            scope.spawn(|| {
                let folder = tempfile::tempdir().expect("a temporary folder can be made");
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    // Programs under way are not counted yet, so the end may be overshot by one per thread.
                    let done = {
                        let total = total.lock().expect("no thread panics");
                        total.same + total.different
                    };
                    let job = match &request.source {
                        Source::Files(files) if number >= (files.len() * request.clangs.len()) as u64 => {
                            break;
                        }
                        Source::Csmith | Source::Own if done >= request.count => break,
                        _ => job(request, number, folder.path()),
                    };
                    let verdict = job.and_then(|job| {
                        let verdict = judge(request, &job, &ambiguous)?;
                        Ok((job, verdict))
                    });
                    record(request, &mut total.lock().expect("no thread panics"), number, verdict);
                }
            });
        }
    });
    let mut total = total.into_inner().expect("no thread panics");
    total.ambiguous = ambiguous.into_inner();
    total
}

fn job(request: &Request, number: u64, folder: &Path) -> Result<Job, String> {
    let seed = request.seed + number;
    let clang = |position: u64| request.clangs[(position % request.clangs.len() as u64) as usize].clone();
    match &request.source {
        Source::Csmith => {
            let source = folder.join("random.c");
            csmith::write(seed, &source)?;
            let kind = csmith::variant(seed).to_owned();
            Ok(Job {
                name: format!("csmith_{seed}"),
                kind,
                source,
                flags: csmith::flags(),
                clang: clang(seed),
            })
        }
        Source::Own => {
            let source = folder.join("random.c");
            std::fs::write(&source, generate::program(seed)).map_err(|error| error.to_string())?;
            let kind = "own".to_owned();
            Ok(Job { name: format!("own_{seed}"), kind, source, flags: Vec::new(), clang: clang(seed) })
        }
        Source::Files(files) => {
            let source = files[number as usize / request.clangs.len()].clone();
            let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            Ok(Job { name, kind: "file".to_owned(), source, flags: Vec::new(), clang: clang(number) })
        }
    }
}

fn judge(request: &Request, job: &Job, ambiguous: &AtomicU64) -> Result<Verdict, String> {
    let mut args: Vec<&str> = request.args.iter().map(String::as_str).collect();
    // csmith's programs then print a checksum after each global, which says more than the last one alone.
    if matches!(request.source, Source::Csmith) {
        args.push("1");
    }
    let source = job.source.canonicalize().map_err(|error| format!("{}: {error}", job.source.display()))?;
    let flags = [&job.flags[..], &request.flags[..]].concat();
    let case = Case {
        source: &source,
        flags: &flags,
        bitcode_flags: &request.bitcode_flags,
        args: &args,
        seconds: request.seconds,
        steps: request.steps,
        round_trip: request.round_trip,
    };
    let verdict = compare(&job.clang, &case).map_err(|why| format!("{}: {why}", job.name))?;
    // The bitcode is clang's, so clang's program is the measure. Where another compiler's differs, the program
    // depends on what C leaves open, and its agreement says less.
    if let (Verdict::Same(figures), Some(second)) = (&verdict, &request.second) {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let native = second.run(&source, folder.path(), &flags, &args, request.seconds)?;
        if native != Native::Ended(figures.behaviour.clone()) {
            println!("{} does something else with the second compiler", job.name);
            ambiguous.fetch_add(1, Ordering::Relaxed);
        }
    }
    let text = std::fs::read_to_string(&source).map_err(|error| format!("{}: {error}", source.display()))?;
    if let Verdict::Same(figures) = &verdict
        && let Some(expected) = stated_leaks(&text)
        && expected != figures.live_blocks
    {
        let blocks = figures.live_blocks;
        return Ok(Verdict::Different(format!("{blocks} live blocks at exit, {expected} stated\n")));
    }
    Ok(verdict)
}

/// What a comment `// leaks: 2` in a program says.
fn stated_leaks(text: &str) -> Option<usize> {
    text.lines().find_map(|line| line.strip_prefix("// leaks: ")?.trim().parse().ok())
}

fn record(request: &Request, total: &mut Total, number: u64, verdict: Result<(Job, Verdict), String>) {
    match verdict {
        Ok((job, Verdict::Same(figures))) => {
            total.same += 1;
            *total.by_kind.entry(format!("{} with clang {}", job.kind, job.clang.major)).or_default() += 1;
            let sum = &mut total.figures;
            sum.memory_steps += figures.memory_steps;
            sum.ssa_steps += figures.ssa_steps;
            sum.native_time += figures.native_time;
            sum.load_time += figures.load_time;
            sum.memory_time += figures.memory_time;
            sum.ssa_time += figures.ssa_time;
        }
        Ok((_, Verdict::Skipped(why))) => *total.skipped.entry(why).or_default() += 1,
        Ok((job, Verdict::Different(differences))) => {
            total.different += 1;
            println!("{} with clang {} ({}):\n{differences}", job.name, job.clang.major, job.kind);
            let kept = std::fs::create_dir_all(&request.keep)
                .and_then(|()| std::fs::copy(&job.source, request.keep.join(format!("{}.c", job.name))));
            if let Err(error) = kept {
                eprintln!("{}: {error}", request.keep.display());
            }
        }
        Err(why) => {
            total.failed += 1;
            println!("program {number}: {why}");
        }
    }
    let done = total.same + total.different;
    if done.is_multiple_of(50) {
        eprintln!("{done} compared, {} different, {} tried", total.different, number + 1);
    }
}
