//! The fixtures of the other rules, as judges of proofs: what is marked as lost there is never proved.
//!
//! Two tests. Every function with a mark of lost memory must have a question that is not answered with a proof, in
//! itself or in a function that it calls. And every function of these fixtures that anybody may call runs on arbitrary
//! heaps, as far as the interpreter can run it; what it loses must not be proved, statement by statement, whatever odd C it is written in.

use crate::judge::{self, Proofs};
use crate::program::{self, called, defined, line, roots};
use crate::witness::Lost;
use crate::{clang, heaps};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use watertight_ir::{FuncId, Program};
use watertight_prove::{Answer, Options, Probe};

const OPTIONS: Options = Options { transfers: 500, regions: 50, solver: true, plain: false };
/// Heaps on which each function runs.
const HEAPS: u64 = 40;
const FOLDERS: [&str; 3] = ["memory-leak", "realloc-lost", "leak-at-exit"];

/// The fixtures of one file each.
fn sources() -> Vec<PathBuf> {
    let folders = FOLDERS.iter().map(|folder| program::fixtures().join(folder));
    let entries = folders.flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "c")).collect();
    paths.sort();
    paths
}

/// Does something to each file on two threads; what went wrong comes in order of names.
fn each(work: impl Fn(&str, &Program) -> Vec<String> + Sync) -> Vec<String> {
    let clang = clang();
    let rest = Mutex::new(sources().into_iter());
    let failures = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(source) = rest.lock().unwrap().next() else { break };
                    let text = std::fs::read_to_string(&source).unwrap();
                    let program = program::load(&clang, &source).unwrap();
                    let failed = work(&text, &program);
                    failures.lock().unwrap().insert(source, failed);
                }
            });
        }
    });
    let told = |(source, failed): (PathBuf, Vec<String>)| {
        let name = Path::new(source.file_name().unwrap()).display().to_string();
        failed.into_iter().map(move |failure| format!("{name}: {failure}"))
    };
    failures.into_inner().unwrap().into_iter().flat_map(told).collect()
}

/// The functions that a mark of lost memory stands in, found or not.
fn marked(text: &str, program: &Program) -> Vec<FuncId> {
    let losing = |mark: &str| ["memory-leak", "realloc-lost"].iter().any(|rule| mark.contains(rule));
    functions_with(text, program, "//~", &|mark| losing(mark) && !mark.contains("false("))
}

/// The functions in which a mark says that the prove engine is right to prove them all the same: a destructor leaves out a
/// member, and the structure of its caller's still holds that.
fn left_to_callers(text: &str, program: &Program) -> Vec<FuncId> {
    functions_with(text, program, "//?", &|mark| {
        mark.trim_start_matches('^').trim_start().starts_with("proved:")
    })
}

/// The functions in which a mark of some sort stands.
fn functions_with(text: &str, program: &Program, sign: &str, wanted: &dyn Fn(&str) -> bool) -> Vec<FuncId> {
    let lines: Vec<u32> = (1..)
        .zip(text.lines())
        .filter_map(|(number, line)| Some((number, line.split_once(sign)?.1)))
        .filter(|(_, mark)| wanted(mark))
        .map(|(number, mark): (u32, &str)| number - up(mark))
        .collect();
    let first_line = |function: FuncId| {
        let place = program.functions[function].place.and_then(|place| program.source_place(function, place));
        place.map_or(0, |place| place.line)
    };
    let mut starts: Vec<(u32, FuncId)> =
        defined(program).into_iter().map(|id| (first_line(id), id)).collect();
    starts.sort();
    let mut functions: Vec<FuncId> = lines
        .iter()
        .filter_map(|&line| starts.iter().rev().find(|(start, _)| *start <= line))
        .map(|&(_, function)| function)
        .collect();
    functions.dedup();
    functions
}

fn up(mark: &str) -> u32 {
    u32::try_from(mark.len() - mark.trim_start_matches('^').len()).unwrap()
}

#[test]
fn functions_with_marked_losses_are_never_proved() {
    let count = Mutex::new(0);
    let failures = each(|text, program| {
        let answers = judge::answers(program, &OPTIONS);
        let open = |function: FuncId| {
            let of = |(probe, _): &&(Probe, Answer)| probe.function == function;
            answers.iter().filter(of).any(|(_, answer)| !answer.verdict.is_proved())
        };
        let left = left_to_callers(text, program);
        let marked = marked(text, program);
        *count.lock().unwrap() += marked.len();
        let told = |function: FuncId| {
            let proved = !called(program, function).into_iter().any(open);
            let name = &program.functions[function].name;
            match left.contains(&function) {
                false => proved.then(|| format!("{name} is proved")),
                true => (!proved).then(|| format!("{name} is not proved: delete the mark that says so")),
            }
        };
        marked.into_iter().filter_map(told).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let count = count.into_inner().unwrap();
    assert!(count > 300, "only {count} functions with marks");
}

#[test]
fn what_fixtures_lose_is_never_proved() {
    let count = Mutex::new(0);
    let failures = each(|text, program| {
        let mut lost = Lost::default();
        for function in roots(program) {
            for seed in 0..HEAPS {
                heaps::call(program, function, seed, &mut lost);
            }
        }
        let answers = judge::answers(program, &OPTIONS);
        let proofs = Proofs::new(&answers);
        let mut failures = Vec::new();
        for (statement, site) in lost.last_references() {
            *count.lock().unwrap() += 1;
            let number = line(program, site);
            if proofs.vouches(statement, number) {
                let shown = text.lines().nth((number as usize).wrapping_sub(1)).unwrap_or_default().trim();
                let name = &program.functions[site.function].name;
                failures.push(format!("{name}: line {number}: `{shown}` is vouched for, but loses a cell"));
            }
        }
        for &(statement, first) in &lost.afterwards {
            let at = |statement| line(program, lost.sites[&statement]);
            if [statement, first].into_iter().all(|statement| proofs.vouches(statement, at(statement))) {
                let name = &program.functions[statement.0].name;
                let (first, last) = (at(first), at(statement));
                failures.push(format!(
                    "{name}: lines {first} and {last} are vouched for, but lose a cell together"
                ));
            }
        }
        failures
    });
    assert!(failures.is_empty(), "{} unsound\n{}", failures.len(), failures.join("\n"));
    let count = count.into_inner().unwrap();
    assert!(count > 200, "only {count} statements lose a cell");
}
