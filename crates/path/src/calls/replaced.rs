//! Replacements that fail: `p = realloc(p, n)`, and wrappers that pass the null pointer on.
//!
//! A function replaces its argument when one outcome releases it and gives a fresh object, and another gives the null
//! pointer and leaves it alone. While calls are evaluated, the second kind of outcome is noted, where the first one was
//! possible too: a function that gives the null pointer for a size of zero has not failed. A fresh object whose loss
//! goes through such a call, with the result put where the argument came from, is lost by the replacement. So is an
//! object of the caller's that only one cell leads to, if nothing holds it any more when the function is left
//! (ASSUME-3).

use crate::machine::state::State;
use watertight_ir::spell::Speller;
use watertight_ir::{Body, InstId, Op, Type, ValueId};
use watertight_summary::{Effect, Outcome, Path, Root, Value};

/// The argument that a function replaces by a fresh object, and the outcomes in which it does, by number.
pub fn replaced_argument(outcomes: &[Outcome]) -> Option<(usize, Vec<usize>)> {
    let position = outcomes.iter().find_map(argument_replaced)?;
    let replacing = |number: &usize| argument_replaced(&outcomes[*number]) == Some(position);
    Some((position, (0..outcomes.len()).filter(replacing).collect()))
}

fn argument_replaced(outcome: &Outcome) -> Option<usize> {
    if !matches!(outcome.result, Value::Fresh { .. }) {
        return None;
    }
    outcome.effects.iter().find_map(|effect| match effect {
        Effect::Release { value: Path { root: Root::Param(index), steps }, .. } if steps.is_empty() => {
            Some(*index as usize)
        }
        _ => None,
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
