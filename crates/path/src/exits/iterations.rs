//! What is lost while a loop goes on.
//!
//! A loop that never ends, or not in the iterations that are evaluated, loses a block that it acquired when an
//! iteration is over and nothing that is still used refers to it. What was acquired before the loop is held by its
//! variable until the function returns. In: an evaluated function and what escapes. Out: losses at the edges
//! that were cut. No copy of the state is needed: control does not go on behind a cut, so no later store has a
//! guard that overlaps with its guard. Variables in memory are all taken to be used later; a value is if one of its
//! uses can be reached without passing its definition.

use crate::exits::lost::{Lost, LostBy, raise, spread};
use crate::limits::ITERATION_PAIRS;
use crate::machine::journal::Cut;
use crate::machine::memory::{ObjectId, Origin, Site};
use crate::machine::state::State;
use crate::machine::value::{Leaf, Sym};
use watertight_ir::{BlockId, Def, InstId, Op, Table, ValueId};
use watertight_logic::guard::Guard;

/// Adds what is lost at cuts to what is lost at exits.
pub fn lost_in_loops(
    state: &mut State<'_>,
    escapes: &Table<ObjectId, Guard>,
    assumed: &Table<ObjectId, Guard>,
    lost: &mut Vec<Lost>,
) {
    if state.journal.cuts.is_empty() {
        return;
    }
    let mut candidates: Vec<(ObjectId, Guard)> = Vec::new();
    for object in state.objects.ids() {
        let Origin::Fresh(Site { inst, .. }) = state.objects[object].origin else { continue };
        if lost.iter().any(|lost| lost.object == object) {
            continue;
        }
        let cut = cut_around(state, inst);
        if !live(state, object, cut, escapes).is_false() {
            candidates.push((object, cut));
        }
    }
    if candidates.is_empty() {
        return;
    }
    let all = candidates.iter().fold(Guard::FALSE, |all, entry| state.formulas.guards.or(all, entry.1));
    let holders = holders(state, &candidates);
    if holders.len().saturating_mul(state.journal.cuts.len()) > ITERATION_PAIRS {
        return;
    }
    let used = still_used(state, &holders);
    let with = |state: &mut State<'_>, roots: &Table<ObjectId, Guard>| {
        let mut reached = roots.clone();
        let mut open: Vec<ObjectId> = Vec::new();
        for object in state.objects.ids() {
            if matches!(state.objects[object].origin, Origin::Stack(_)) {
                raise(state, &mut reached, &mut open, object, all);
            }
        }
        for &(object, guard) in &used {
            raise(state, &mut reached, &mut open, object, guard);
        }
        spread(state, &mut reached, open);
        reached
    };
    let (escapes, assumed) = (with(state, escapes), with(state, assumed));
    for (object, cut) in candidates {
        let perhaps = live(state, object, cut, &escapes);
        let surely = live(state, object, cut, &assumed);
        if !perhaps.is_false() {
            lost.push(Lost { object, surely, perhaps, by: LostBy::NextIteration });
        }
    }
}

/// When a loop around an instruction goes on behind a cut.
fn cut_around(state: &mut State<'_>, inst: InstId) -> Guard {
    let block = state.context.block_of(state.id, inst);
    let mut all = Guard::FALSE;
    for cut in state.journal.cuts.clone() {
        let mut around = state.loops.innermost(cut.to);
        while let Some(id) = around
            && !state.loops.contains(id, state.unrolled.nodes[cut.node].block)
        {
            around = state.loops[id].parent;
        }
        if around.is_some_and(|id| state.loops.contains(id, block)) {
            all = state.or(all, cut.guard);
        }
    }
    all
}

/// When an object exists behind a cut and nothing reaches it.
fn live(state: &mut State<'_>, object: ObjectId, cut: Guard, reached: &Table<ObjectId, Guard>) -> Guard {
    let (exists, released) = (state.objects[object].exists, state.objects[object].released);
    let guards = &mut state.formulas.guards;
    let live = guards.and(exists, cut);
    let live = guards.and_not(live, released);
    guards.and_not(live, reached[object])
}

/// Values that are, in some copy, the address of one of the objects or of something that may hold one.
fn holders(state: &State<'_>, candidates: &[(ObjectId, Guard)]) -> Vec<ValueId> {
    let mut objects: Vec<ObjectId> = candidates.iter().map(|entry| entry.0).collect();
    let mut next = 0;
    while let Some(&object) = objects.get(next) {
        next += 1;
        for (id, entry) in state.objects.iter() {
            if entry.is_fresh() && !objects.contains(&id) && entry.held().any(|held| held.1 == object) {
                objects.push(id);
            }
        }
    }
    let holds = |sym: &Sym| addresses(sym).iter().any(|object| objects.contains(object));
    let values = state.values.iter().filter(|(_, copies)| copies.iter().any(|copy| holds(&copy.1)));
    values.map(|(value, _)| value).collect()
}

fn addresses(sym: &Sym) -> Vec<ObjectId> {
    match sym {
        Sym::Leaves(leaves) => leaves
            .iter()
            .filter_map(|entry| match entry.1 {
                Leaf::Address(object, _) => Some(object),
                _ => None,
            })
            .collect(),
        Sym::Parts(parts) => parts.iter().flat_map(addresses).collect(),
        Sym::Truth(_) => Vec::new(),
    }
}

/// Objects that a value leads to which is used behind a cut, and when.
fn still_used(state: &mut State<'_>, holders: &[ValueId]) -> Vec<(ObjectId, Guard)> {
    let mut found = Vec::new();
    for cut in state.journal.cuts.clone() {
        let from = state.unrolled.nodes[cut.node].block;
        for &value in holders {
            if is_used(state, value, from, cut.to) {
                found.extend(leads_to(state, value, &cut));
            }
        }
    }
    found
}

fn leads_to(state: &mut State<'_>, value: ValueId, cut: &Cut) -> Vec<(ObjectId, Guard)> {
    let sym = state.value_at(cut.node, cut.guard, value);
    // Guards of alternatives would only make the answer finer where the value is used on no path.
    addresses(&sym).into_iter().map(|object| (object, cut.guard)).collect()
}

/// Whether a value has a use that control can reach by the edge, without passing its definition.
fn is_used(state: &State<'_>, value: ValueId, from: BlockId, to: BlockId) -> bool {
    let body = state.body;
    let Def::Inst(inst) = body.values[value].def else { return true };
    let defined = state.context.block_of(state.id, inst);
    let uses = |block: BlockId| {
        let insts = body.block_insts(block).any(|(_, inst)| match &inst.op {
            // A phi uses its value on the edge, and a name is no use.
            Op::Phi { .. } | Op::Name { .. } => false,
            op => {
                let mut found = false;
                op.operands(|operand| found |= operand == value);
                found
            }
        });
        let mut ends = false;
        body.blocks[block].term.operands(|operand| ends |= operand == value);
        insts || ends
    };
    let on_edge = |from: BlockId, to: BlockId| {
        body.block_insts(to).any(|(_, inst)| match &inst.op {
            Op::Phi { incoming } => {
                incoming.iter().any(|&(block, operand)| block == from && operand == value)
            }
            _ => false,
        })
    };
    if on_edge(from, to) {
        return true;
    }
    let mut seen: Vec<BlockId> = vec![to];
    let mut next = 0;
    while let Some(&block) = seen.get(next) {
        next += 1;
        if block == defined {
            continue;
        }
        if uses(block) {
            return true;
        }
        let mut targets = Vec::new();
        body.blocks[block].term.successors(|target| targets.push(target));
        for target in targets {
            if on_edge(block, target) {
                return true;
            }
            if !seen.contains(&target) {
                seen.push(target);
            }
        }
    }
    false
}
