//! Phis that merge one value only, and the place of the others.
//!
//! In: the phis of a body, those of promoted slots with their entries but in no block yet. Out: a phi whose
//! entries are all the same value (or the phi itself) is forwarded to that value; the new phis that remain stand
//! behind the old ones of their block, followed by the names of the variables they merge.
//!
//! Old phis count as well: the removal of unreachable blocks may leave them with one entry.

use super::compact::Forward;
use super::convert;
use super::phis;
use super::promote::Slots;
use watertight_ir::{Body, Cfg, InstId, Op};

#[derive(Debug, Default)]
pub(super) struct Scratch {
    phis: Vec<InstId>,
    out: Vec<InstId>,
}

/// Forwards the phis that merge one value, inserts the new ones that do not, and returns the number of these.
pub(super) fn merge(body: &mut Body, cfg: &Cfg, scratch: &mut super::Scratch) -> usize {
    let (work, phis) = (&mut scratch.merge, &mut scratch.phis);
    simplify(body, cfg, phis, &mut scratch.forward, &mut work.phis);
    insert_phis(body, &scratch.promote.slots, phis, &scratch.forward, &mut work.out)
}

/// Gives the new phis their entries, and forwards every phi, old or new, that merges only one value.
fn simplify(
    body: &mut Body,
    cfg: &Cfg,
    phis: &mut phis::Scratch,
    forward: &mut Forward,
    all: &mut Vec<InstId>,
) {
    for phi in &mut phis.phis {
        let mut incoming = std::mem::take(&mut phi.incoming);
        incoming.sort_unstable_by_key(|&(source, _)| source);
        body.insts[phi.inst].op = Op::Phi { incoming: incoming.into_boxed_slice() };
    }
    // In reverse post-order a chain of such phis is seen through in one sweep, except around loops.
    all.clear();
    for &block in cfg.reverse_post_order() {
        let old = body.block_insts(block).take_while(|(_, inst)| matches!(inst.op, Op::Phi { .. }));
        all.extend(old.map(|(id, _)| id));
        all.extend(phis.phis[phis.of(block)].iter().map(|phi| phi.inst));
    }
    loop {
        let before = all.len();
        all.retain(|&id| {
            let inst = &body.insts[id];
            let (Op::Phi { incoming }, Some(result)) = (&inst.op, inst.result) else { return false };
            let mut only = None;
            for &(_, value) in incoming {
                let value = forward.resolve(value);
                if value == result || only == Some(value) {
                    continue;
                }
                if only.is_some() {
                    return true;
                }
                only = Some(value);
            }
            // A phi of nothing but itself is in a loop that is never entered, or is malformed: it stays.
            only.is_none_or(|value| {
                forward.set(result, value);
                false
            })
        });
        if all.len() == before {
            return;
        }
    }
}

/// Puts the phis that remain, and the names of what they merge, behind the phis of their blocks. Returns
/// their number.
fn insert_phis(
    body: &mut Body,
    slots: &Slots,
    phis: &phis::Scratch,
    forward: &Forward,
    out: &mut Vec<InstId>,
) -> usize {
    let mut count = 0;
    for group in phis.phis.chunk_by(|a, b| a.block == b.block) {
        out.clear();
        let kept = || group.iter().filter(|phi| !forward.is_set(phi.value));
        out.extend(kept().map(|phi| phi.inst));
        count += out.len();
        for phi in kept() {
            for variable in slots.variables(phi.slot) {
                let op = Op::Name { variable, value: phi.value };
                out.push(convert::append_effect(body, op, None));
            }
        }
        let block = group[0].block;
        let old = body.block_insts(block).take_while(|(_, inst)| matches!(inst.op, Op::Phi { .. })).count();
        body.blocks[block].insts.splice(old..old, out.drain(..));
    }
    count
}
