//! What findings need of callers, and whether any caller does it.
//!
//! In: what the path engine tells, and the summaries of all functions. Out: the same, where a loss that no call makes happen is told on
//! request only, and one that others could make happen is doubted ([`watertight_path::members::makers`]). Where a call makes it happen, the path
//! begins there. What a loss needs stands in its story.

use watertight_finding::{Assumed, Assumption, Doubt, Ending, Place, Said, Step, StepKind};
use watertight_ir::callgraph::{CallGraph, direct_callee};
use watertight_ir::{FuncId, Op, Program, Table};
use watertight_path::members::makers::{Maker, Makers};
use watertight_path::stories::witness::{Stories, Told, Unless};
use watertight_summary::{CallAt, Claim, Summary};

use crate::describe::conditions;

/// Sorts out what nobody makes happen.
pub(crate) fn ask_callers(
    program: &Program,
    graph: &CallGraph,
    summaries: &Table<FuncId, Option<Summary>>,
    reports: &mut [(FuncId, Stories)],
) {
    let makers = Makers::new(program, graph, summaries);
    for (function, stories) in reports {
        for told in &mut stories.told {
            let Some(acquired) = acquired(*function, told) else { continue };
            let Some(when) = makers.needs(acquired) else { continue };
            let needs = conditions(program, *function, when);
            match makers.of(acquired) {
                Maker::Nobody => {
                    let name = &*program.functions[*function].name;
                    let all = &*needs.join(" and ");
                    let assumed = match needs.is_empty() {
                        true => Assumed::NoSuchCall { function: name },
                        false => Assumed::NoCallWith { function: name, needs: all },
                    };
                    let place = told.story.acquired.clone();
                    told.story.assumptions.push(Assumption::new(place, assumed));
                    told.unless = Unless::NobodyMakes;
                }
                Maker::NobodyInSight => told.story.doubts.add(Doubt::UnlikeCallers),
                Maker::Calls(calls) => begin(program, &mut told.story.steps, &calls),
                Maker::Unknown => {}
            }
            told.story.needs = needs;
        }
    }
}

/// Lets a path begin where a caller makes the loss happen.
fn begin(program: &Program, steps: &mut Vec<Step>, calls: &[CallAt]) {
    let step = |at: &CallAt| {
        let body = program.functions[at.function].body.as_ref()?;
        let Op::Call(call) = &body.insts[at.inst].op else { return None };
        let callee = &program.functions[direct_callee(body, call)?].name;
        let place = program.source_place(at.function, body.insts[at.inst].place?)?;
        let caller = &program.functions[at.function].name;
        let place = Place::new(place.file, place.line, place.column).in_function(&**caller);
        Some(Step::new(StepKind::Call, place, Said::CallsInState { caller, callee }))
    };
    let first: Option<Vec<Step>> = calls.iter().map(step).collect();
    steps.splice(0..0, first.unwrap_or_default());
}

/// The call that acquires what a story says to be lost.
fn acquired(function: FuncId, told: &Told) -> Option<CallAt> {
    let lost = matches!(told.story.ending, Ending::Lost | Ending::ReplacementFailed(..));
    let witness = told.witness.as_ref().filter(|witness| lost && matches!(witness.claim, Claim::Lost))?;
    matches!(told.unless, Unless::Nothing).then_some(CallAt { function, inst: witness.acquired? })
}
