//! Takes single releases out of real programs, and counts how many of the leaks that makes are found.
//!
//! ```text
//! cargo run --release -p watertight-analysis --example recall -- --count 50 --seed 1 build/*.bc
//! ```
//!
//! A call that releases what the same function has acquired is replaced by nothing, the program is checked again, and
//! the leak counts as found if there is a loss that was not told before. Only releases of what a call in the same
//! function returned (or stored into one of its variables) are taken: who answers for the rest is not to be seen in
//! one function. Some of those that are not found are no leaks: the block was released elsewhere as well, or the
//! release could never run. Each one that is not found is listed, to be read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;

use watertight_analysis::{Form, Input, Options, Source, Verify, check, load};
use watertight_finding::{Confidence, ProblemKind};
use watertight_ir::{Body, Callee, Def, FuncId, InstId, Op, Program, Unknown, ValueId};
use watertight_summary::model::{Models, shipped};
use watertight_summary::path::{Path, Root};
use watertight_summary::{Effect, Summary};

/// A call that releases something which the same function has acquired.
#[derive(Copy, Clone)]
struct Release {
    function: FuncId,
    inst: InstId,
}

fn main() -> ExitCode {
    let (mut count, mut seed, mut files) = (50, 1, Vec::new());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|text| text.parse().ok()).unwrap_or(1_u64);
        match &*word {
            "--count" => count = number() as usize,
            "--seed" => seed = number(),
            _ => files.push(PathBuf::from(word)),
        }
    }
    let source = |path: &PathBuf| match path.extension().is_some_and(|extension| extension == "ir") {
        true => Source::Text(path.clone()),
        false => Source::Bitcode(path.clone()),
    };
    let input = |path: &PathBuf| Input { name: path.display().to_string(), source: source(path) };
    let inputs: Vec<Input> = files.iter().map(input).collect();
    let loaded = load(&inputs, Form::default(), Verify::default());
    for problem in &loaded.problems {
        eprintln!("{}: {}", problem.subject, problem.cause);
    }
    let mut program = loaded.program;
    let before = losses(&program);
    let all = releases(&program);
    let chosen = choose(&all, count, seed);
    let mut verdicts: BTreeMap<&str, usize> = BTreeMap::new();
    for &release in &chosen {
        let call = take_out(&mut program, release);
        let after = losses(&program);
        let verdict = if !after.shown.is_subset(&before.shown) {
            "found"
        } else if !after.low.is_subset(&before.low) {
            "low confidence"
        } else if after.given_up.contains(&*program.functions[release.function].name) {
            "given up"
        } else {
            "missed"
        };
        *verdicts.entry(verdict).or_default() += 1;
        if verdict != "found" {
            println!("{verdict}: {}", name(&program, release, &call));
        }
        put_back(&mut program, release, call);
    }
    let found = verdicts.get("found").copied().unwrap_or_default();
    println!("{verdicts:?}");
    println!("{found} of {} found; {} releases in the program", chosen.len(), all.len());
    if found == chosen.len() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What is told, as far as it tells one loss from another: where it was acquired and where it is lost.
#[derive(Default)]
struct Losses {
    shown: BTreeSet<(String, String)>,
    low: BTreeSet<(String, String)>,
    given_up: BTreeSet<String>,
}

fn losses(program: &Program) -> Losses {
    let checked = check(program, &Options::default());
    let mut losses = Losses::default();
    for finding in &checked.findings {
        let places = match finding.confidence {
            Confidence::Low => &mut losses.low,
            Confidence::Medium | Confidence::High => &mut losses.shown,
        };
        for exit in &finding.exits {
            let place = exit.steps.last().map(|step| step.place.to_string()).unwrap_or_default();
            places.insert((format!("{} {}", finding.rule, finding.place), place));
        }
    }
    let given_up = checked.problems.into_iter().filter(|problem| problem.kind == ProblemKind::GivenUp);
    losses.given_up = given_up.map(|problem| problem.subject).collect();
    losses
}

fn take_out(program: &mut Program, release: Release) -> Op {
    let nothing = Op::Unknown(Box::new(Unknown { what: "taken out".into(), args: Box::new([]) }));
    std::mem::replace(operation(program, release), nothing)
}

fn put_back(program: &mut Program, release: Release, call: Op) {
    *operation(program, release) = call;
}

fn operation(program: &mut Program, release: Release) -> &mut Op {
    let body = program.functions[release.function].body.as_mut().expect("only bodies have releases");
    &mut body.insts[release.inst].op
}

fn name(program: &Program, release: Release, call: &Op) -> String {
    let function = &program.functions[release.function];
    let body = function.body.as_ref().expect("only bodies have releases");
    let place = body.insts[release.inst].place.map(|place| &body.places[place]);
    let files = &program.units[function.unit].debug.files;
    let place = place.map(|place| format!("{}:{}", files[place.file], place.line)).unwrap_or_default();
    let callee = match call {
        Op::Call(call) => match call.callee {
            Callee::Direct(callee) => &*program.functions[callee].name,
            Callee::Pointer(_) => "a pointer",
        },
        _ => "?",
    };
    format!("{place}: {callee} in {}", function.name)
}

/// Some of them, spread over the program, the same ones for the same seed.
fn choose(all: &[Release], count: usize, seed: u64) -> Vec<Release> {
    let mut keyed: BTreeMap<u64, Release> = BTreeMap::new();
    for (position, &release) in all.iter().enumerate() {
        let mut key = (position as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
            ^ seed.wrapping_mul(0xD1B5_4A32_D192_ED03);
        key = (key ^ (key >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        keyed.insert(key ^ (key >> 32), release);
    }
    keyed.into_values().take(count).collect()
}

fn releases(program: &Program) -> Vec<Release> {
    let models = shipped();
    let releasers: BTreeMap<FuncId, Vec<u32>> =
        program.functions.iter().map(|(id, _)| (id, released_by(program, &models, id))).collect();
    let mut releases = Vec::new();
    for function in program.defined() {
        let Some(body) = &program.functions[function].body else { continue };
        for block in body.blocks.ids() {
            for (inst, operation) in body.block_insts(block) {
                let Op::Call(call) = &operation.op else { continue };
                let Callee::Direct(callee) = call.callee else { continue };
                let args = releasers[&callee].iter().filter_map(|&index| call.args.get(index as usize));
                let mut own =
                    args.filter(|&&arg| acquired_here(program, &models, body, arg, &mut BTreeSet::new()));
                if own.next().is_some() {
                    releases.push(Release { function, inst });
                }
            }
        }
    }
    releases
}

/// The arguments that a function releases: by its model, or because it hands them on to one that does.
fn released_by(program: &Program, models: &Models, function: FuncId) -> Vec<u32> {
    let function = &program.functions[function];
    let by_model = |summary: &Summary| {
        // What gives something new for the old, as `realloc` does, cannot simply be left out.
        if summary.outcomes.iter().any(|outcome| !outcome.fresh.is_empty()) {
            return BTreeSet::new();
        }
        let effects = summary.outcomes.iter().flat_map(|outcome| &outcome.effects);
        let params = effects.filter_map(|effect| match effect {
            Effect::Release { value: Path { root: Root::Param(index), steps }, .. } if steps.is_empty() => {
                Some(*index)
            }
            _ => None,
        });
        params.collect::<BTreeSet<u32>>()
    };
    let modelled = |name: &str| models.functions.get(name).map(by_model).unwrap_or_default();
    let Some(body) = &function.body else { return modelled(&function.name).into_iter().collect() };
    let mut released = BTreeSet::new();
    for block in body.blocks.ids() {
        for (_, inst) in body.block_insts(block) {
            let Op::Call(call) = &inst.op else { continue };
            let Callee::Direct(callee) = call.callee else { continue };
            for index in modelled(&program.functions[callee].name) {
                let Some(&arg) = call.args.get(index as usize) else { continue };
                if let Def::Param(param) = body.values[arg].def {
                    released.insert(param);
                }
            }
        }
    }
    released.into_iter().collect()
}

/// Whether a value is the result of a call in this function, or was stored into one of its variables by one.
fn acquired_here(
    program: &Program,
    models: &Models,
    body: &Body,
    value: ValueId,
    seen: &mut BTreeSet<ValueId>,
) -> bool {
    if !seen.insert(value) {
        return false;
    }
    match body.def_op(value) {
        Some(Op::Call(call)) => {
            matches!(call.callee, Callee::Direct(callee) if acquires(program, models, callee))
        }
        Some(Op::Phi { incoming }) => {
            incoming.iter().any(|&(_, value)| acquired_here(program, models, body, value, seen))
        }
        Some(Op::Select { then, other, .. }) => {
            [*then, *other].iter().any(|&value| acquired_here(program, models, body, value, seen))
        }
        Some(Op::Load { addr, .. }) => matches!(body.def_op(*addr), Some(Op::Stack { .. })),
        _ => false,
    }
}

/// Whether a call may well acquire something: a function of the program is called, or one of the library that gives
/// something new.
fn acquires(program: &Program, models: &Models, function: FuncId) -> bool {
    let function = &program.functions[function];
    let gives = |summary: &Summary| summary.outcomes.iter().any(|outcome| !outcome.fresh.is_empty());
    function.body.is_some() || models.functions.get(&function.name).is_some_and(gives)
}
