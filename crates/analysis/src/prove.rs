//! Proofs: the prove engine on a program, for one statement, one function or all.
//!
//! In: a program whose variables still live in memory, and what is asked. Out: every probe with its answer, function by
//! function in the order of the program. Functions are independent of each other, so they are shared out among threads;
//! an answer does not depend on what was asked before it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use watertight_checkers::of_memory;
use watertight_finding::{Problem, ProblemKind};
use watertight_ir::{FuncId, Program};
use watertight_prove::{Answer, Assumed, Options as ProveOptions, Probe, Prover, Verdict};
use watertight_summary::model::Models;

use crate::check::models;
use crate::leak_free::{LeakFree, Own};
use crate::limits::{TRANSFERS_IN_ALL, TRANSFERS_LEAST, TRANSFERS_MOST};
use crate::protect::protect;
use crate::run::Options;
use crate::spelling::Spelling;

/// What is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Question {
    /// Only functions of this name.
    pub function: Option<String>,
    /// Only statements at one of these lines: file, line, and column if it matters.
    pub places: Vec<(String, u32, Option<u32>)>,
}

/// The answers for one function.
#[derive(Debug)]
pub struct FunctionProof {
    /// The function.
    pub function: FuncId,
    /// Its name.
    pub name: String,
    /// What was asked, what the answer is, and how long it took.
    pub answers: Vec<(Probe, Answer, Duration)>,
    /// What it rests on that nothing needs to be asked about its other statements.
    pub rests_on: BTreeSet<Assumed>,
    /// What it rests on that nothing is lost in what it calls.
    pub callees_rest_on: BTreeSet<Assumed>,
    /// Why something may be lost while it runs although it loses nothing itself: in what it calls.
    pub open: Option<String>,
    /// The engine failed, so that there are no answers.
    pub failed: bool,
}

impl FunctionProof {
    /// Whether the function loses nothing by its own statements.
    #[must_use]
    pub fn is_proved(&self) -> bool {
        !self.failed && self.answers.iter().all(|(_, answer, _)| answer.verdict.is_proved())
    }

    /// Whether nothing is lost while it runs: by it and by what it calls.
    #[must_use]
    pub fn is_leak_free(&self) -> bool {
        self.is_proved() && self.open.is_none()
    }

    /// What the claims about it rest on, together: the proofs of its statements, and those of what it calls.
    #[must_use]
    pub fn assumptions(&self) -> BTreeSet<Assumed> {
        let mut all = self.rests_on.clone();
        all.extend(&self.callees_rest_on);
        for (_, answer, _) in &self.answers {
            if let Verdict::Proved { assumptions } = &answer.verdict {
                all.extend(assumptions);
            }
        }
        all
    }
}

/// What the claim rests on that these functions lose nothing while they run.
#[must_use]
pub fn assumptions_of<'a>(proofs: impl IntoIterator<Item = &'a FunctionProof>) -> BTreeSet<Assumed> {
    proofs.into_iter().flat_map(FunctionProof::assumptions).collect()
}

/// The transfer functions for one statement of a program: small programs are looked at with more patience. The paper's
/// limit, 500, is the least.
#[must_use]
pub fn patience(program: &Program) -> u32 {
    let stores = |id: FuncId| {
        let insts = program.functions[id].body.iter().flat_map(|body| body.insts.values());
        insts.filter(|inst| matches!(inst.op, watertight_ir::Op::Store { .. })).count()
    };
    let all: usize = program.defined().map(stores).sum();
    let each = (TRANSFERS_IN_ALL / all.max(1)).clamp(TRANSFERS_LEAST, TRANSFERS_MOST);
    u32::try_from(each).unwrap_or(u32::MAX)
}

/// Answers a question about a program in memory form.
#[must_use]
pub fn prove(
    program: &Program,
    directory: &std::path::Path,
    inputs: &[String],
    question: &Question,
    limits: &ProveOptions,
    options: &Options,
    problems: &mut Vec<Problem>,
) -> Vec<FunctionProof> {
    let models = models(program, &options.models, problems);
    let wanted: Vec<FuncId> = program
        .defined()
        .filter(|&id| question.function.as_ref().is_none_or(|name| *name == *program.functions[id].name))
        .collect();
    // Every thread has a prover of its own, which is ready only after a look at the whole program.
    let threads = rayon::current_num_threads().min(wanted.len().div_ceil(16)).max(1);
    let share = wanted.len().div_ceil(threads).max(1);
    let ask = |prover: &Prover<'_>, id: FuncId| {
        let mut spelling = Spelling::new(directory, inputs.iter().map(String::as_str));
        one(prover, program, id, question, &mut spelling)
    };
    let done: Vec<(Vec<FunctionProof>, Vec<Problem>)> =
        wanted.par_chunks(share).map(|functions| some(program, &models, limits, functions, &ask)).collect();
    let mut proofs = Vec::new();
    for (part, failures) in done {
        let asked = |proof: &FunctionProof| question.places.is_empty() || !proof.answers.is_empty();
        proofs.extend(part.into_iter().filter(asked));
        problems.extend(failures);
    }
    if question.places.is_empty() {
        look_into_callees(program, &models, limits, &mut proofs);
    }
    proofs
}

/// Finds out of functions that lose nothing themselves whether something is lost in what they call.
fn look_into_callees(
    program: &Program,
    models: &Models,
    limits: &ProveOptions,
    proofs: &mut [FunctionProof],
) {
    let own: BTreeMap<FuncId, Own> =
        proofs.iter().map(|proof| (proof.function, proof.is_proved().then(|| proof.assumptions()))).collect();
    let mut known = LeakFree::new(program, models, own);
    let transfers = limits.transfers.min(u32::try_from(TRANSFERS_LEAST).unwrap_or(u32::MAX));
    let limits = ProveOptions { transfers, ..limits.clone() };
    let mut prover = None;
    let mut ask = |id: FuncId| {
        let asked = protect(|| {
            let prover = prover.get_or_insert_with(|| Prover::new(program, models, limits.clone()));
            let mut assumed = prover.rests_on(id);
            for probe in prover.probes(id) {
                let Verdict::Proved { assumptions } = prover.probe(&probe) else { return None };
                assumed.extend(assumptions);
            }
            Some(assumed)
        });
        asked.ok().flatten()
    };
    for proof in proofs.iter_mut().filter(|proof| proof.is_proved()) {
        match known.below(proof.function, &mut ask) {
            Ok(assumed) => proof.callees_rest_on = assumed,
            Err(why) => proof.open = Some(why),
        }
    }
}

/// The answers for some functions, and what went wrong. A failure costs the function it happened in and no other.
fn some(
    program: &Program,
    models: &Models,
    limits: &ProveOptions,
    functions: &[FuncId],
    ask: &(dyn Fn(&Prover<'_>, FuncId) -> FunctionProof + Sync),
) -> (Vec<FunctionProof>, Vec<Problem>) {
    let (mut proofs, mut problems) = (Vec::new(), Vec::new());
    let mut ready: Option<Prover<'_>> = None;
    for &id in functions {
        let prover = match ready.take() {
            Some(prover) => Ok(prover),
            None => protect(|| Prover::new(program, models, limits.clone())),
        };
        // What a failure leaves behind is not used again.
        let asked = prover.and_then(|prover| {
            protect(|| {
                let proof = ask(&prover, id);
                (prover, proof)
            })
        });
        match asked {
            Ok((prover, proof)) => {
                ready = Some(prover);
                proofs.push(proof);
            }
            Err(panic) => {
                let name = program.functions[id].name.to_string();
                let cause = format!("the prove engine failed: {panic}");
                problems.push(Problem::new(ProblemKind::InternalError, name.clone(), cause));
                proofs.push(FunctionProof {
                    function: id,
                    name,
                    answers: Vec::new(),
                    rests_on: BTreeSet::new(),
                    callees_rest_on: BTreeSet::new(),
                    open: None,
                    failed: true,
                });
            }
        }
    }
    (proofs, problems)
}

/// How many functions of a program in memory form lose nothing while they run, and what that rests on. A function in
/// which something was found is none of them, and neither is one that calls it.
pub(crate) fn count_proved(
    program: &Program,
    found_in: &BTreeSet<&str>,
    options: &Options,
    problems: &mut Vec<Problem>,
) -> (u64, BTreeSet<Assumed>) {
    let transfers = u32::try_from(TRANSFERS_LEAST).unwrap_or(u32::MAX);
    let (question, limits) = (Question::default(), ProveOptions { transfers, ..ProveOptions::default() });
    let mut proofs = prove(program, std::path::Path::new(""), &[], &question, &limits, options, problems);
    proofs.retain(|proof| proof.is_leak_free());
    let models = models(program, &options.models, &mut Vec::new());
    let without = |id: FuncId| !found_in.contains(&*program.functions[id].name);
    let own = program.defined().map(|id| (id, without(id).then(BTreeSet::new))).collect();
    let mut known = LeakFree::new(program, &models, own);
    proofs.retain(|proof| {
        !found_in.contains(&*proof.name)
            && known.below(proof.function, &mut |_| Some(BTreeSet::new())).is_ok()
    });
    (proofs.len() as u64, assumptions_of(&proofs))
}

fn one(
    prover: &Prover<'_>,
    program: &Program,
    function: FuncId,
    question: &Question,
    spelling: &mut Spelling,
) -> FunctionProof {
    let mut answers = Vec::new();
    let mut probes = prover.probes(function);
    if !question.places.is_empty() {
        probes.extend(prover.returns(function));
    }
    for mut probe in probes {
        spelling.of_place(&mut probe.place);
        if !question.places.is_empty() && !question.places.iter().any(|place| is_at(&probe, place)) {
            continue;
        }
        let start = Instant::now();
        let mut answer = prover.ask(&probe);
        let took = start.elapsed();
        if let Verdict::Violated { story } = &mut answer.verdict {
            spelling.of_place(&mut story.acquired);
            for step in &mut story.steps {
                spelling.of_place(&mut step.place);
                step.text = of_memory(&step.text);
            }
        }
        answers.push((probe, answer, took));
    }
    let name = program.functions[function].name.to_string();
    let (rests_on, callees_rest_on) = (prover.rests_on(function), BTreeSet::new());
    FunctionProof { function, name, answers, rests_on, callees_rest_on, open: None, failed: false }
}

fn is_at(probe: &Probe, (file, line, column): &(String, u32, Option<u32>)) -> bool {
    let same_file = *probe.place.file == **file || probe.place.file.ends_with(&format!("/{file}"));
    same_file && probe.place.line == *line && column.is_none_or(|column| column == probe.place.column)
}

/// The answers as one line of JSON.
#[must_use]
pub fn proofs_to_json(proofs: &[FunctionProof]) -> String {
    let functions: Vec<serde_json::Value> = proofs
        .iter()
        .map(|proof| {
            let probes: Vec<serde_json::Value> = proof.answers.iter().map(json_answer).collect();
            let names: Vec<&str> = proof.assumptions().into_iter().map(Assumed::name).collect();
            serde_json::json!({
                "function": proof.name, "proved": proof.is_proved(), "leakFree": proof.is_leak_free(),
                "open": proof.open, "assumptions": names, "probes": probes,
            })
        })
        .collect();
    format!("{}\n", serde_json::json!({ "functions": functions }))
}

fn json_answer((probe, answer, _): &(Probe, Answer, Duration)) -> serde_json::Value {
    let (verdict, detail) = match &answer.verdict {
        Verdict::Proved { assumptions } => {
            let names: Vec<&str> = assumptions.iter().map(|assumed| assumed.name()).collect();
            ("proved", serde_json::json!({ "assumptions": names }))
        }
        Verdict::Violated { story } => {
            let steps: Vec<serde_json::Value> = story
                .steps
                .iter()
                .map(|step| serde_json::json!({ "place": step.place.to_string(), "text": step.text }))
                .collect();
            ("violated", serde_json::json!({ "steps": steps }))
        }
        Verdict::Unknown { why } => ("unknown", serde_json::json!({ "why": why })),
    };
    serde_json::json!({
        "place": probe.place.to_string(), "kind": probe.kind.name(), "lost": probe.lost,
        "verdict": verdict, "detail": detail, "transfers": answer.transfers,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A failure in one function leaves the answers for the others as they are, and is told.
    #[test]
    fn a_failure_costs_one_function() {
        let text = "func @f() {\nbb0:\n  return\n}\nfunc @g() {\nbb0:\n  return\n}\nfunc @h() {\nbb0:\n  return\n}\n";
        let program = watertight_ir::parse("three.ir", text).expect("the example is well formed");
        let functions: Vec<FuncId> = program.defined().collect();
        let ask = |_: &Prover<'_>, id: FuncId| {
            assert!(&*program.functions[id].name != "g", "g is the one that fails");
            let (name, answers, rests_on) = ("fine".into(), Vec::new(), BTreeSet::new());
            let callees_rest_on = BTreeSet::new();
            FunctionProof {
                function: id,
                name,
                answers,
                rests_on,
                callees_rest_on,
                open: None,
                failed: false,
            }
        };
        let limits = ProveOptions::default();
        let (proofs, problems) = some(&program, &Models::default(), &limits, &functions, &ask);
        let proved: Vec<bool> = proofs.iter().map(FunctionProof::is_proved).collect();
        assert_eq!(proved, [true, false, true]);
        assert_eq!(problems.len(), 1);
    }
}
