#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
//! What judges the prove engine, written without it: marks on heap routines, and runs that lose cells.
//!
//! The interpreter tells which statement of a run takes the last reference to a heap block away. That decides whether
//! the marks of the fixtures in `tests/c/prove` are true, and whether a proof is: no statement that the engine calls
//! proved may lose a cell in any run.

mod certificates;
mod generate;
mod heaps;
mod judge;
mod marks;
#[allow(dead_code, reason = "the other oracle also runs programs natively")]
#[path = "../oracle/native.rs"]
mod native;
mod program;
#[allow(dead_code, reason = "the other generator asks for more")]
#[path = "../oracle/generate/random.rs"]
mod random;
mod soundness;
mod twins;
mod witness;

use crate::marks::{Mark, Says};
use crate::native::Clang;
use crate::witness::Lost;
use std::collections::BTreeSet;
use std::path::PathBuf;
use watertight_interpret::Site;
use watertight_ir::Program;
use watertight_prove::Options;

/// Heaps on which each routine runs, unless its file asks for more with a line `// heaps: N`.
const HEAPS: u64 = 1500;

fn clang() -> Clang {
    Clang::any().expect("these tests need a clang: install one or name it in WATERTIGHT_CLANG")
}

/// The programs for proofs, in alphabetical order.
fn sources() -> Vec<PathBuf> {
    let listed = std::fs::read_dir(program::fixtures().join("prove")).unwrap();
    let mut paths: Vec<PathBuf> = listed.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Does something to each program on two threads, and lists what went wrong in order of names.
fn each(work: impl Fn(&str, &Program, &[Mark]) -> Vec<String> + Sync) -> Vec<String> {
    let clang = clang();
    let sources = sources();
    assert!(sources.len() >= 19, "only {} programs", sources.len());
    let one = |source: &PathBuf| {
        let name = source.file_stem().unwrap().to_string_lossy().into_owned();
        let (marks, unreadable) = marks::read(&std::fs::read_to_string(source).unwrap());
        let mut failures: Vec<String> =
            unreadable.into_iter().map(|why| format!("this mark cannot be read: {why}")).collect();
        match program::load(&clang, source) {
            Ok(program) => failures.extend(work(&name, &program, &marks)),
            Err(why) => failures.push(why),
        }
        failures.into_iter().map(|failure| format!("{name}: {failure}")).collect::<Vec<_>>()
    };
    let half = sources.len() / 2;
    std::thread::scope(|scope| {
        let parts = [&sources[..half], &sources[half..]];
        let workers = parts.map(|part| scope.spawn(|| part.iter().flat_map(one).collect::<Vec<_>>()));
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    })
}

/// How many heaps a file asks for.
fn heaps_for(name: &str) -> u64 {
    let text = std::fs::read_to_string(program::fixtures().join("prove").join(format!("{name}.c"))).unwrap();
    let asked = text.lines().find_map(|line| line.strip_prefix("// heaps: ")?.trim().parse().ok());
    asked.unwrap_or(HEAPS)
}

/// What some run of a routine loses.
fn lost(program: &Program, heaps: u64) -> Lost {
    let mut lost = Lost::default();
    for root in program::roots(program) {
        for seed in 0..heaps {
            heaps::call(program, root, seed, &mut lost);
        }
    }
    lost
}

/// Lines that begin a block which no run came to.
fn not_reached(program: &Program, lost: &Lost) -> Vec<String> {
    let mut failures = Vec::new();
    for function in program::defined(program) {
        let data = &program.functions[function];
        let body = data.body.as_ref().unwrap();
        for (id, block) in body.blocks.iter().filter(|&(id, _)| !lost.entered.contains(&(function, id))) {
            let place = block.insts.first().and_then(|&inst| body.insts[inst].place).or(block.term_place);
            let line = program::line(program, Site { function, inst: None, place });
            failures.push(format!("no run comes to {id} of {}, line {line}", data.name));
        }
    }
    failures
}

#[test]
fn marks_are_true() {
    let failures = each(|name, program, marks| {
        let runs = lost(program, heaps_for(name));
        let lost: BTreeSet<u32> =
            runs.last_references().map(|(_, site)| program::line(program, site)).collect();
        let marked: BTreeSet<u32> =
            marks.iter().filter(|mark| mark.says.loses()).map(|mark| mark.line).collect();
        let never =
            marked.difference(&lost).map(|line| format!("line {line} is marked, but no run loses anything"));
        let unmarked = lost.difference(&marked).map(|line| format!("line {line} loses a cell in some run"));
        never.chain(unmarked).chain(not_reached(program, &runs)).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn verdicts_agree_with_marks() {
    let failures = each(|_, program, marks| {
        let answers = judge::answers(program, &Options::default());
        let mut failures = Vec::new();
        for (probe, answer) in &answers {
            let about = |mark: &&Mark| {
                mark.line == probe.place.line && mark.kind.is_none_or(|kind| kind == probe.kind)
            };
            let mark = marks.iter().find(about);
            let verdict = judge::word(&answer.verdict);
            if mark.is_none_or(|mark| mark.says == Says::Proved) && verdict != "proved" {
                let (line, kind) = (probe.place.line, probe.kind.name());
                failures
                    .push(format!("{line}: {kind} of `{}` is {verdict}: {:?}", probe.lost, answer.verdict));
            }
        }
        for mark in marks {
            let about = answers.iter().filter(|(probe, _)| {
                mark.line == probe.place.line && mark.kind.is_none_or(|kind| kind == probe.kind)
            });
            let verdicts: Vec<&str> = about.map(|(_, answer)| judge::word(&answer.verdict)).collect();
            // A line is what the worst of its answers is.
            let worst = ["violated", "unknown", "proved"].into_iter().find(|word| verdicts.contains(word));
            let wanted = match mark.says {
                Says::Proved => worst == Some("proved"),
                Says::Violated => worst == Some("violated"),
                Says::Unknown => worst == Some("unknown"),
                Says::Missed => matches!(worst, None | Some("proved")),
                Says::False => matches!(worst, Some("violated" | "unknown")),
            };
            if !wanted {
                failures.push(format!(
                    "{}: marked as {:?}, but the answers are {verdicts:?}",
                    mark.line, mark.says
                ));
            }
        }
        failures
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
