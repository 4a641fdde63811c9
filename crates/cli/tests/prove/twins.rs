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

/// Functions that are proved although they lose something: known mistakes, each to be deleted when it is no more.
const PROVED: &[&str] = &[
    // What a frame holds that a jump leaves for good.
    "idiom_f35_jump_back.c: helper_bad is proved",
    "idiom_f35_longjmp.c: lost_by_the_jump_bad is proved",
    "idiom_f35_longjmp.c: lost_by_jump_of_callee_bad is proved",
    "idiom_f35_longjmp.c: lost_by_conditional_jump_bad is proved",
    // Two cells that refer to each other: the method asks for the last reference, not for the last way.
    "paper_saturn_leak.c: cycle_nobody_holds_bad is proved",
];

/// Statements that lose a cell and are proved or not asked about, likewise.
const VOUCHED: &[&str] = &[
    // Links inside of cells, whose pointers are no pointers to a beginning.
    "idiom_f04_embedded_link.c: unlink_it: line 30",
    "idiom_f04_intrusive_list.c: list_del: line 27",
    // An atomic store is not asked about.
    "idiom_f08_atomic_publish.c: stored_atomically_ok: line 35",
    // Nor is a struct that is returned by value and dropped, or a result that only an expression reads.
    "idiom_f16_struct_by_value.c: member_of_result_bad: line 75",
    "idiom_f16_tagged_value.c: asked_for_its_kind_bad: line 86",
    "idiom_f38_temporary_argument.c: inner_result_lost_bad: line 65",
    // Nor is a number that overwrites a pointer in a union.
    "idiom_f17_tagged_union.c: number_over_text_bad: line 27",
    "idiom_f17_union_member.c: value_clear: line 21",
    "idiom_f17_union_member.c: other_member_overwrites_bad: line 68",
    "idiom_f17_union_member.c: other_member_of_parameter_bad: line 76",
    "idiom_f17_variant.c: variant_clear: line 19",
    "idiom_f17_variant.c: number_over_text_bad: line 57",
];

/// What is new among failures, and what is known but no longer there.
fn beside(failures: &[String], known: &[&str]) -> Vec<String> {
    let new =
        failures.iter().filter(|failure| !known.iter().any(|known| failure.starts_with(known))).cloned();
    let gone = known.iter().filter(|known| !failures.iter().any(|failure| failure.starts_with(**known)));
    new.chain(gone.map(|known| format!("no longer wrong, take it off the list: {known}"))).collect()
}

/// Without the solver, which is slow and proves little more.
const OPTIONS: Options = Options { transfers: 500, regions: 50, solver: false };
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
    let lines: Vec<u32> = (1..)
        .zip(text.lines())
        .filter(|(_, line)| {
            line.split_once("//~").is_some_and(|(_, mark)| losing(mark) && !mark.contains("false("))
        })
        .map(|(number, line)| number - line.split_once("//~").map_or(0, |(_, mark)| up(mark)))
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
        let marked = marked(text, program);
        *count.lock().unwrap() += marked.len();
        let proved = marked.into_iter().filter(|&function| !called(program, function).into_iter().any(open));
        proved.map(|function| format!("{} is proved", program.functions[function].name)).collect()
    });
    let failures = beside(&failures, PROVED);
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
    let failures = beside(&failures, VOUCHED);
    assert!(failures.is_empty(), "{} unsound\n{}", failures.len(), failures.join("\n"));
    let count = count.into_inner().unwrap();
    assert!(count > 200, "only {count} statements lose a cell");
}
