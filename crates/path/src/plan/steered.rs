//! Loops that a variable steers which remembers what the turn before has found: a state machine.
//!
//! In: a loop. Out: how many iterations must be followed one by one to see what its states lead to. Which states follow each
//! other is a relation between iterations that no generalisation keeps. From any of `n` states to any other it takes
//! fewer than `n` turns; to come by twice, which is what overwrites something, takes twice as many.

use crate::limits::{FEWEST_STATES, STEERED_VALUES};
use watertight_ir::loops::Loops;
use watertight_ir::{BlockId, Body, Def, LoopId, Op, Type, ValueId};

/// The iterations that a loop needs because of its states, or 0.
pub(crate) fn turns_wanted(body: &Body, loops: &Loops, id: LoopId) -> u32 {
    let variables = loops[id].entries.iter().flat_map(|&block| body.block_insts(block));
    let variables = variables.filter_map(|(_, inst)| match (&inst.op, inst.result) {
        (Op::Phi { .. }, Some(result)) if matches!(body.ty(result), Type::Int(_)) => Some(result),
        _ => None,
    });
    let states = variables.map(|variable| constants(body, [variable]).map_or(0, |all| all.len()));
    let states = states.max().unwrap_or(0).max(states_in_memory(body, loops, id));
    if states >= FEWEST_STATES { 2 * states as u32 } else { 0 }
}

/// The constants that some values are, if they are nothing else.
fn constants(body: &Body, values: impl IntoIterator<Item = ValueId>) -> Option<Vec<u64>> {
    let mut seen: Vec<ValueId> = values.into_iter().collect();
    let (mut next, mut found) = (0, Vec::new());
    while let Some(&value) = seen.get(next) {
        next += 1;
        let mut add = |value: ValueId| {
            if !seen.contains(&value) {
                seen.push(value);
            }
        };
        match (body.def_op(value), body.bits(value)) {
            (Some(Op::Phi { incoming }), _) => incoming.iter().for_each(|entry| add(entry.1)),
            (Some(Op::Select { then, other, .. }), _) => [*then, *other].into_iter().for_each(add),
            (_, Some(bits)) if !found.contains(&bits) => found.push(bits),
            (_, Some(_)) => {}
            _ => return None,
        }
        if seen.len() > STEERED_VALUES {
            return None;
        }
    }
    Some(found)
}

/// The most constants that a loop puts into one member of something that it does not change, and nothing else.
fn states_in_memory(body: &Body, loops: &Loops, id: LoopId) -> usize {
    let mut stored: Vec<((ValueId, i64), Vec<ValueId>)> = Vec::new();
    for (_, inst) in loops.blocks(id).iter().flat_map(|&block| body.block_insts(block)) {
        let Op::Store { addr, value, .. } = inst.op else { continue };
        let cell = match body.def_op(addr) {
            Some(Op::Offset { base, bytes }) => (*base, *bytes),
            _ => (addr, 0),
        };
        if !matches!(body.ty(value), Type::Int(_)) || is_made_in(body, loops, id, cell.0) {
            continue;
        }
        match stored.iter_mut().find(|known| known.0 == cell) {
            Some(known) => known.1.push(value),
            None => stored.push((cell, vec![value])),
        }
    }
    let states = stored.into_iter().filter_map(|(_, values)| Some(constants(body, values)?.len()));
    states.max().unwrap_or(0)
}

/// Whether a value is one that a loop computes.
fn is_made_in(body: &Body, loops: &Loops, id: LoopId, value: ValueId) -> bool {
    let Def::Inst(inst) = body.values[value].def else { return false };
    let holds = |&&block: &&BlockId| body.blocks[block].insts.contains(&inst);
    loops.blocks(id).iter().any(|block| holds(&block))
}
