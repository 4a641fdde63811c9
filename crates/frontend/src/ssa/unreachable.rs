//! Removal of blocks that no path from the entry reaches.
//!
//! In: a body and its graph. Out: the body without the unreachable blocks, and without the phi entries
//! that came from them; the other blocks keep their order.
//!
//! Removing blocks renumbers the rest. Globals may hold addresses of labels (`static void *table[] =
//! { &&first, &&second }`), which are block numbers that this module does not see. A body that jumps to
//! label addresses, or mentions one, therefore keeps its numbers: its unreachable blocks stay in the
//! table, empty and ending in `unreachable`. (A body that does neither, while a global holds the address of
//! one of its labels, is not recognised. Nothing can jump there, but the number may be wrong.)

use watertight_ir::{Block, BlockId, Body, Cfg, Const, Def, Id, Op, Table, Terminator};

/// Removes the unreachable blocks and returns how many there were. `cfg` is out of date afterwards if the
/// number is not zero.
pub(super) fn remove(body: &mut Body, cfg: &Cfg) -> usize {
    let removed = body.blocks.len() - cfg.reverse_post_order().len();
    if removed == 0 {
        return 0;
    }
    for &block in cfg.reverse_post_order() {
        if cfg.predecessors(block).iter().any(|&source| !cfg.is_reachable(source)) {
            rewrite_phis(body, block, |source| cfg.is_reachable(source).then_some(source));
        }
    }
    if numbers_are_known_elsewhere(body) {
        for (id, block) in body.blocks.iter_mut() {
            // A block that was removed by an earlier call is unreachable still.
            if !cfg.is_reachable(id) {
                *block = Block { insts: Vec::new(), term: Terminator::Unreachable, term_place: None };
            }
        }
        return removed;
    }
    let mut kept = 0;
    let numbers: Table<BlockId, Option<BlockId>> = body
        .blocks
        .ids()
        .map(|block| {
            cfg.is_reachable(block).then(|| {
                kept += 1;
                BlockId::new(kept - 1)
            })
        })
        .collect();
    let blocks = std::mem::take(&mut body.blocks);
    body.blocks = (blocks.into_values().zip(numbers.values()))
        .filter_map(|(block, number)| number.is_some().then_some(block))
        .collect();
    for block in body.blocks.ids() {
        rewrite_phis(body, block, |source| numbers[source]);
        retarget(&mut body.blocks[block].term, |target| {
            *target = numbers[*target].expect("a successor of a reachable block is reachable");
        });
    }
    removed
}

fn numbers_are_known_elsewhere(body: &Body) -> bool {
    body.blocks.values().any(|block| matches!(block.term, Terminator::Indirect { .. }))
        || body.values.values().any(|value| matches!(value.def, Def::Const(Const::Label(..))))
}

/// Gives the entries of the phis of `block` new sources; entries without one go.
fn rewrite_phis(body: &mut Body, block: BlockId, number: impl Fn(BlockId) -> Option<BlockId>) {
    for &inst in &body.blocks[block].insts {
        let Op::Phi { incoming } = &mut body.insts[inst].op else { break };
        if incoming.iter().all(|&(source, _)| number(source) == Some(source)) {
            continue;
        }
        *incoming = (incoming.iter())
            .filter_map(|&(source, value)| number(source).map(|source| (source, value)))
            .collect();
    }
}

fn retarget(term: &mut Terminator, mut visit: impl FnMut(&mut BlockId)) {
    match term {
        Terminator::Jump(target) => visit(target),
        Terminator::Branch { then, other, .. } => {
            visit(then);
            visit(other);
        }
        Terminator::Switch { cases, default, .. } => {
            cases.iter_mut().for_each(|(_, target)| visit(target));
            visit(default);
        }
        Terminator::Indirect { targets, .. } | Terminator::Choose { targets } => {
            targets.iter_mut().for_each(visit);
        }
        Terminator::Invoke { normal, unwind } => {
            visit(normal);
            visit(unwind);
        }
        Terminator::Return(_) | Terminator::Resume | Terminator::Unreachable => {}
    }
}
