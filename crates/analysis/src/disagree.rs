//! Where runs of functions and what the path engine says of them differ.
//!
//! In: a program, the stories and summaries of its functions, and what replay refuted. Every function is run a number of times, as callers may
//! call it and with nobody saying how it is to go. Out: what some run loses and no story tells; what replay refuted and
//! a run loses; what is told with high confidence and no run loses; what a run releases or gives and no outcome of a complete summary
//! knows. Each is a mistake of an engine, of replay, or of a model, and worth a look. The runs are the judge: nothing here
//! depends on how the engine came to what it says.

use std::collections::{BTreeMap, BTreeSet};

use watertight_finding::{Confidence, Ending, Support};
use watertight_ir::{FuncId, InstId, Program, Table};
use watertight_path::stories::witness::{Stories, Told};
use watertight_pointer::Calls;
use watertight_replay::{Explored, Known, Session};
use watertight_summary::model::Models;
use watertight_summary::{Completeness, Effect, Path, Summary, Value};

use crate::facts::Facts;
use crate::limits::RUNS_OF_ONE;
use crate::protect::protect;
use watertight_path::Whole;

/// Something that runs and the engine see differently.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Disagreement {
    /// The function, by its name.
    pub function: String,
    /// What is wrong: `missed`, `wrongly refuted`, `not seen`, `not released`, `not given`, `failed`.
    pub kind: &'static str,
    /// The line of the call that acquires, or the parameter.
    pub number: u32,
}

/// What is told of an acquisition.
#[derive(Debug, Default, Clone, Copy)]
struct Claimed {
    stands: bool,
    /// With high confidence, and no run has shown it.
    unseen: bool,
}

/// All disagreements, in order.
pub(crate) fn disagreements(
    program: &Program,
    models: &Models,
    whole: &Whole,
    summaries: &Table<FuncId, Option<Summary>>,
    reports: &[(FuncId, Stories)],
    refuted: &[(FuncId, Told)],
) -> Vec<Disagreement> {
    let mut claimed: BTreeMap<(FuncId, u32), Claimed> = BTreeMap::new();
    for (function, told) in refuted {
        claimed.entry((*function, told.story.acquired.line)).or_default();
    }
    for (function, stories) in reports {
        for Told { story, .. } in &stories.told {
            let claim = claimed.entry((*function, story.acquired.line)).or_default();
            claim.stands = true;
            claim.unseen |= matches!(story.ending, Ending::Lost)
                && story.confidence() == Confidence::High
                && story.support != Support::Replayed;
        }
    }
    let facts = Facts { program, whole };
    let calls = Calls::new(program, models);
    let known = Known::new(program, models, &facts, &calls);
    let mut session = Session::new(&known);
    let mut found: BTreeSet<Disagreement> = BTreeSet::new();
    for (function, data) in program.functions.iter().filter(|(_, data)| data.body.is_some()) {
        let mut put = |kind, number| {
            found.insert(Disagreement { function: data.name.to_string(), kind, number });
        };
        let Ok(explored) = protect(|| session.explore(function, RUNS_OF_ONE)) else {
            put("failed", 0);
            session = Session::new(&known);
            continue;
        };
        // What `main` holds when it returns is held to the end of the process, and another matter.
        let ends = &*data.name == "main";
        for origin in explored.lost.iter().filter(|_| !ends) {
            let lines = origin.iter().map(|&(function, inst)| (function, line(program, function, inst)));
            let claims: Vec<Claimed> = lines.filter_map(|at| claimed.get(&at).copied()).collect();
            let at = line(program, function, origin[0].1);
            match claims.iter().any(|claim| claim.stands) {
                true => {}
                false if claims.is_empty() => put("missed", at),
                false => put("wrongly refuted", at),
            }
        }
        let lost: BTreeSet<u32> =
            explored.lost.iter().map(|origin| line(program, function, origin[0].1)).collect();
        for (&(_, line), claim) in claimed.range((function, 0)..=(function, u32::MAX)) {
            if claim.unseen && explored.returned > 0 && !lost.contains(&line) {
                put("not seen", line);
            }
        }
        if let Some(summary) = &summaries[function] {
            contradictions(summary, &explored, &mut put);
        }
    }
    found.into_iter().collect()
}

/// What runs do and no outcome of a summary does.
fn contradictions(summary: &Summary, explored: &Explored, put: &mut impl FnMut(&'static str, u32)) {
    if summary.completeness != Completeness::Whole {
        return;
    }
    let effects = || summary.outcomes.iter().flat_map(|outcome| &outcome.effects);
    for &index in &explored.released {
        let releases = |effect: &Effect| match effect {
            Effect::Release { value, .. } => *value == Path::param(index),
            // What somebody else answers for may be released there.
            Effect::Keep { value, .. } => value.root == Path::param(index).root,
            _ => false,
        };
        if !effects().any(releases) {
            put("not released", index);
        }
    }
    // A block that somebody else holds as well is an address of which callers know nothing else.
    let address = |value: &Value| {
        matches!(value, Value::Fresh { .. } | Value::Any | Value::Such { .. } | Value::Parts(_))
    };
    if explored.gives_block && !summary.outcomes.iter().any(|outcome| address(&outcome.result)) {
        put("not given", 0);
    }
}

fn line(program: &Program, function: FuncId, inst: InstId) -> u32 {
    let body = program.functions[function].body.as_ref();
    let place = body.and_then(|body| body.insts[inst].place);
    place.and_then(|place| program.source_place(function, place)).map_or(0, |place| place.outermost().1)
}
