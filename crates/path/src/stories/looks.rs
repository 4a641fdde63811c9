//! Results that the caller only looks at.
//!
//! In: the call that acquired something. Out: whether what the caller does with the result says that it does not take
//! it for its own.

use crate::assumptions::Supposed;
use crate::context::Known;
use crate::limits::LOOKED_STEPS;
use crate::machine::state::State;
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{InstId, Op, ValueId};
use watertight_summary::{Completeness, Outcome, Path, Relation, Root, Summary, Test, Value, When};

/// Whether a call is of a function of the program that is not understood completely.
pub(crate) fn is_told_in_part(state: &State<'_>, inst: InstId) -> bool {
    let Op::Call(call) = &state.body.insts[inst].op else { return false };
    let Some(function) = direct_callee(state.body, call) else { return false };
    let known = state.component.lookup(state.context, function);
    let partial = |summary: &Summary| summary.completeness == Completeness::Partial;
    state.context.program.functions[function].body.is_some()
        && matches!(known, Known::Summary(summary) if partial(summary))
}

/// Whether the result of a call is only compared.
pub(crate) fn is_only_compared(state: &State<'_>, inst: InstId) -> bool {
    let Some(result) = state.body.insts[inst].result else { return false };
    let mut only = true;
    for block in state.body.blocks.values() {
        for &inst in &block.insts {
            let op = &state.body.insts[inst].op;
            op.operands(|value| only &= value != result || matches!(op, Op::Compare { .. }));
        }
        block.term.operands(|value| only &= value != result);
    }
    only
}

/// Whether a call gives back what it was given, or something new that the caller cannot tell from it, and the caller
/// only compares the result and reads members of it: then it takes it for what it gave.
// ASSUME-40: it knows why.
pub(crate) fn is_looked_at_only(state: &State<'_>, inst: InstId) -> bool {
    if !Supposed::OnlyLookedAtIsGiven.is_made() {
        return false;
    }
    let data = &state.body.insts[inst];
    let (Op::Call(call), Some(result)) = (&data.op, data.result) else { return false };
    let Some(function) = direct_callee(state.body, call) else { return false };
    let Known::Summary(summary) = state.component.lookup(state.context, function) else { return false };
    let given = |outcome: &Outcome| match &outcome.result {
        Value::Entry { path: Path { root: Root::Param(_), steps }, .. } => steps.is_empty(),
        _ => false,
    };
    let made = |outcome: &&Outcome| matches!(outcome.result, Value::Fresh { .. });
    state.context.program.functions[function].body.is_some()
        && summary.outcomes.iter().filter(made).any(|made| {
            summary.outcomes.iter().any(|other| given(other) && !excludes(&made.when, &other.when))
        })
        && is_only_read(state, result, LOOKED_STEPS)
}

/// Whether what the caller passes cannot fit both conditions.
fn excludes(a: &When, b: &When) -> bool {
    let contrary = |one: &Test, other: &Test| {
        one.value == other.value
            && one.mask == other.mask
            && one.other.is_none()
            && other.other.is_none()
            && match (one.relation, other.relation) {
                (Relation::Equal, Relation::NotEqual) | (Relation::NotEqual, Relation::Equal) => {
                    one.number == other.number
                }
                (Relation::Equal, Relation::Equal) => one.number != other.number,
                _ => false,
            }
    };
    !a.any.is_empty()
        && !b.any.is_empty()
        && a.any.iter().all(|one| {
            b.any
                .iter()
                .all(|other| one.iter().any(|test| other.iter().any(|against| contrary(test, against))))
        })
}

/// Whether nothing is done with an address but to compare it and to read from there.
fn is_only_read(state: &State<'_>, address: ValueId, steps: usize) -> bool {
    let mut only = steps > 0;
    let mut members: Vec<ValueId> = Vec::new();
    for block in state.body.blocks.values() {
        for &inst in &block.insts {
            let data = &state.body.insts[inst];
            data.op.operands(|value| {
                if value != address {
                    return;
                }
                match &data.op {
                    Op::Compare { .. } | Op::Name { .. } | Op::Load { .. } => {}
                    Op::Offset { .. } => members.extend(data.result),
                    _ => only = false,
                }
            });
        }
        block.term.operands(|value| only &= value != address);
    }
    // Whose address is that of a text has no members, and a text is more often made anew than changed in place.
    only && (steps < LOOKED_STEPS || !members.is_empty())
        && members.into_iter().all(|member| is_only_read(state, member, steps - 1))
}
