//! Replacements that fail: `p = realloc(p, n)`, and wrappers that pass the null pointer on.
//!
//! A function replaces its argument when one outcome releases it and gives a fresh object, and another gives the null
//! pointer and leaves it alone. While calls are evaluated, the second kind of outcome is noted. A fresh object whose loss
//! goes through such a call, with the result put where the argument came from, is lost by the replacement. So is an
//! object of the caller's that only one cell leads to, if nothing holds it any more when the function is left
//! (ASSUME-3).

use crate::evaluate::memory::{ObjectId, Origin};
use crate::evaluate::state::State;
use crate::evaluate::value::{Leaf, Leaves, Sym};
use crate::leaving::exits::Exits;
use watertight_ir::spell::Speller;
use watertight_ir::{Body, InstId, Op, Type, ValueId};
use watertight_logic::guard::Guard;
use watertight_summary::{Effect, Outcome, Path, Root, Step, Summary, Value};

/// A call that was to replace what an argument points to and did not.
#[derive(Clone, Debug)]
pub struct Failed {
    pub inst: InstId,
    /// Which argument.
    pub position: usize,
    pub guard: Guard,
    /// What the argument was.
    pub argument: Leaves,
    pub callee: Box<str>,
}

/// The argument that a function replaces by a fresh object.
pub fn replaced_argument(summary: &Summary) -> Option<usize> {
    summary.outcomes.iter().find_map(|outcome| {
        if !matches!(outcome.result, Value::Fresh { .. }) {
            return None;
        }
        outcome.effects.iter().find_map(|effect| match effect {
            Effect::Release { value: Path { root: Root::Param(index), steps }, .. } if steps.is_empty() => {
                Some(*index as usize)
            }
            _ => None,
        })
    })
}

/// Whether an outcome gives the null pointer and leaves the argument alone.
pub fn fails(outcome: &Outcome, position: usize) -> bool {
    outcome.result == Value::Number(0)
        && !outcome.effects.iter().any(|effect| match effect {
            Effect::Release { value, .. } => *value == Path::param(position as u32),
            _ => false,
        })
}

/// Whether the result of a call is put where one of its arguments came from.
pub fn result_overwrites_argument(state: &State<'_>, inst: InstId, position: usize) -> bool {
    let body = state.body;
    let Op::Call(call) = &body.insts[inst].op else { return false };
    let (Some(&argument), Some(result)) = (call.args.get(position), body.insts[inst].result) else {
        return false;
    };
    in_variable(body, argument, result) || in_memory(state, argument, result)
}

fn in_variable(body: &Body, argument: ValueId, result: ValueId) -> bool {
    let holds = |wanted: ValueId| {
        body.insts.values().filter_map(move |inst| match inst.op {
            Op::Name { variable, value } if value == wanted => Some(variable),
            _ => None,
        })
    };
    holds(argument).any(|variable| holds(result).any(|other| other == variable))
}

fn in_memory(state: &State<'_>, argument: ValueId, result: ValueId) -> bool {
    let Some(Op::Load { addr, .. }) = state.body.def_op(argument) else { return false };
    let Some(speller) = Speller::new(state.context.program, state.id) else { return false };
    let Some(from) = speller.object(*addr, Type::Ptr) else { return false };
    state.body.insts.values().any(|inst| match inst.op {
        Op::Store { addr, value, .. } if value == result => {
            speller.object(addr, Type::Ptr).is_some_and(|to| to.text == from.text)
        }
        _ => false,
    })
}

/// Objects of the caller's that a failed replacement loses, and when.
pub fn lost_outside(state: &mut State<'_>, exits: &Exits) -> Vec<(Failed, ObjectId, Guard)> {
    let mut lost: Vec<(Failed, ObjectId, Guard)> = Vec::new();
    for failed in state.failed_replacements.clone() {
        for &(when, leaf) in &failed.argument {
            let Leaf::Address(object, _) = leaf else { continue };
            if !held_by_one_cell(state, object) {
                continue;
            }
            let entry = &state.objects[object];
            let (released, kept, assumed) = (entry.released, entry.kept, entry.assumed_kept);
            let safe = state.formulas.guards.or_all([released, kept, assumed]);
            let left = state.formulas.guards.and_all([failed.guard, when, exits.returned]);
            let mut guard = state.formulas.guards.and_not(left, safe);
            for held in holders(state, object) {
                guard = state.formulas.guards.and_not(guard, held);
            }
            if guard.is_false() || lost.iter().any(|known| known.0.inst == failed.inst && known.1 == object) {
                continue;
            }
            lost.push((failed.clone(), object, guard));
        }
    }
    lost
}

/// Whether an object is what one cell of the caller's led to at entry.
fn held_by_one_cell(state: &State<'_>, object: ObjectId) -> bool {
    match &state.objects[object].origin {
        Origin::Entry(path) => {
            !path.steps.is_empty() && path.steps.iter().all(|step| matches!(step, Step::At(_)))
        }
        _ => false,
    }
}

/// When something that lives on after the function holds an object.
fn holders(state: &State<'_>, object: ObjectId) -> Vec<Guard> {
    let mut guards = Vec::new();
    for holder in state.objects.values() {
        if !matches!(holder.origin, Origin::Stack(_)) {
            guards.extend(holder.held().filter(|entry| entry.1 == object).map(|entry| entry.0));
        }
    }
    for (_, guard, sym) in &state.returns {
        if let Some(Sym::Leaves(leaves)) = sym
            && leaves.iter().any(|entry| matches!(entry.1, Leaf::Address(held, _) if held == object))
        {
            guards.push(*guard);
        }
    }
    guards
}
