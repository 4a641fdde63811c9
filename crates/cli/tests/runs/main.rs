//! What the path engine says, held against runs of the same functions.
//!
//! Random heap programs and all fixtures are run function by function, and compared with findings and summaries (`watertight dump
//! runs`, which says what counts as a disagreement). What is known to be wrong stands in `gaps.txt`, one line each: `name kind`, where the
//! name is that of the file and the function. A disagreement that is not listed fails the test; so does a line that is
//! no longer true, so the list can only shrink. `WATERTIGHT_GAPS=write` writes it anew: read what was added before you keep it.

#[allow(dead_code, reason = "the other tests ask for more")]
#[path = "../prove/generate.rs"]
mod generate;
#[allow(dead_code, reason = "the other generator asks for more")]
#[path = "../oracle/generate/random.rs"]
mod random;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// Random programs in all, and in one file.
const PROGRAMS: u64 = 5000;
const IN_A_FILE: u64 = 125;

/// What every test of this kind may fail of.
type Listed = BTreeSet<String>;

fn fixtures() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c");
    folder.canonicalize().expect("the fixtures are there")
}

/// The disagreements of a program, each after the name of the program.
fn disagreements(name: &str, sources: &[PathBuf]) -> Listed {
    let root = fixtures();
    let output = Command::new(env!("CARGO_BIN_EXE_watertight"))
        .args(["dump", "runs", "--quiet", "--no-cache", "--threads", "1"])
        .args(sources)
        .args(["--", "-w", "-I"])
        .arg(&root)
        .current_dir(&root)
        .stdin(Stdio::null())
        .output()
        .expect("the binary can be started");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} ends with {}: {errors}", output.status);
    let text = String::from_utf8(output.stdout).expect("names are text");
    let line = |line: &str| {
        let mut words = line.splitn(3, ' ');
        let (function, kind) = (words.next()?, words.nth(1)?);
        Some(format!("{name}{function} {kind}"))
    };
    text.lines().map(|text| line(text).expect("a line has three words")).collect()
}

/// Does something to each of them on two threads, and puts the results together.
fn together<T: Sync>(all: &[T], work: impl Fn(&T) -> Listed + Sync) -> Listed {
    let (rest, found) = (Mutex::new(all.iter()), Mutex::new(Listed::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(one) = rest.lock().expect("nobody panicked").next() else { break };
                    let some = work(one);
                    found.lock().expect("nobody panicked").extend(some);
                }
            });
        }
    });
    found.into_inner().expect("nobody panicked")
}

/// Compares with the lines of the list that begin like this, or writes these anew.
fn compare(begin: &str, found: &Listed) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runs/gaps.txt");
    static LIST: Mutex<()> = Mutex::new(());
    let _alone = LIST.lock().expect("nobody panicked");
    let text = std::fs::read_to_string(&path).expect("the list is there");
    let (listed, others): (Listed, Listed) =
        text.lines().map(str::to_owned).partition(|line| line.starts_with(begin));
    if std::env::var("WATERTIGHT_GAPS").is_ok_and(|word| word == "write") {
        let lines: Vec<&str> = others.union(found).map(String::as_str).collect();
        std::fs::write(&path, lines.join("\n") + "\n").expect("the list can be written");
        return;
    }
    let new: Vec<&str> = found.difference(&listed).map(String::as_str).collect();
    let gone: Vec<&str> = listed.difference(found).map(String::as_str).collect();
    assert!(new.is_empty(), "{} disagreements that are not listed:\n{}", new.len(), new.join("\n"));
    assert!(gone.is_empty(), "these lines of gaps.txt are no longer true:\n{}", gone.join("\n"));
}

#[test]
fn random_programs_do_what_is_said_of_them() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let starts: Vec<u64> = (0..PROGRAMS).step_by(IN_A_FILE as usize).collect();
    let found = together(&starts, |&start| {
        let mut text = generate::PRELUDE.to_owned();
        (start..start + IN_A_FILE).for_each(|seed| text.push_str(&generate::program(seed).0));
        let source = folder.path().join(format!("programs{start}.c"));
        std::fs::write(&source, text).expect("there is room for a file");
        disagreements("random ", &[source])
    });
    // Engine and interpreter differ on some; a comparison that finds nothing at all has not been made.
    assert!(!found.is_empty(), "no disagreement in {PROGRAMS} programs");
    compare("random ", &found);
}

#[test]
fn fixtures_do_what_is_said_of_them() {
    let root = fixtures();
    let entries = |folder: &Path| {
        let listed = std::fs::read_dir(folder).expect("the folder is there");
        let mut paths: Vec<PathBuf> =
            listed.map(|entry| entry.expect("the folder can be read").path()).collect();
        paths.sort();
        paths
    };
    let rules = entries(&root).into_iter().filter(|path| path.is_dir() && !path.ends_with("run"));
    let programs: Vec<PathBuf> = rules.flat_map(|rule| entries(&rule)).collect();
    let found = together(&programs, |program| {
        let mut sources = if program.is_dir() { entries(program) } else { vec![program.clone()] };
        sources.retain(|file| file.extension().is_some_and(|extension| extension == "c"));
        let name = program.strip_prefix(&root).expect("it is a fixture").to_string_lossy().into_owned();
        disagreements(&format!("fixture {name} "), &sources)
    });
    compare("fixture ", &found);
}

/// Prints the program of a seed, for whoever looks into one of its lines: `WATERTIGHT_PROGRAM=28 cargo test --test runs -- --ignored --nocapture`.
#[test]
#[ignore = "it prints a program for a reader"]
fn one_program() {
    let seed = std::env::var("WATERTIGHT_PROGRAM").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    println!("{}{}", generate::PRELUDE, generate::program(seed).0);
}
