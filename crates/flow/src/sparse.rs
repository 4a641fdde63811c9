//! Parts of a function that do not matter: branches whose ways meet again before anything happens.
//!
//! A question is about some points of a function: where the address is handed on, where it is released, where the function is
//! left. Where a branch parts and all its ways come together again with none of those points in between, it does
//! not matter which way control takes, so the guard is the same behind as before. Those regions are jumped over: their
//! conditions are never looked at. Most branches of large functions are of that kind, and their conditions are what makes
//! guards large.
//!
//! Whoever asks about a point inside of such a region gets the answer of a search that leaves nothing out.

use crate::context::ContextId;
use crate::control::is_header;
use crate::limits::REGION_BLOCKS;
use crate::question::{Meaning, Question};
use rustc_hash::FxHashSet;
use std::rc::Rc;
use watertight_ir::{BlockId, Id, Op};

/// The regions of a function that are jumped over.
#[derive(Default)]
pub(crate) struct Regions {
    /// Where a branch is continued, by block.
    pub(crate) jumps: Vec<Option<BlockId>>,
    /// Blocks inside of the regions.
    pub(crate) skipped: Vec<bool>,
}

impl Question<'_, '_> {
    /// A block that is asked about. Regions that are known already stay as they are.
    pub(crate) fn mark(&mut self, context: ContextId, block: BlockId) {
        self.marked.entry(context).or_default().insert(block);
    }

    /// The regions of the function of a context.
    pub(crate) fn regions(&mut self, context: ContextId) -> Rc<Regions> {
        if let Some(known) = self.regions.get(&context) {
            return known.clone();
        }
        let (body, own) = self.at_context(context);
        let mut marked = self.marked.get(&context).cloned().unwrap_or_default();
        marked.extend(self.return_blocks(context));
        marked.extend(self.ends(context).iter().map(|point| point.block));
        let count = body.blocks.len();
        let mut regions = Regions { jumps: vec![None; count], skipped: vec![false; count] };
        for &block in own.cfg.reverse_post_order() {
            if regions.skipped[block.index()] || own.cfg.successors(block).len() < 2 {
                continue;
            }
            if let Some((end, inside)) = self.region(context, block, &marked) {
                regions.jumps[block.index()] = Some(end);
                inside.into_iter().for_each(|block| regions.skipped[block.index()] = true);
            }
        }
        let regions = Rc::new(regions);
        self.regions.insert(context, regions.clone());
        regions
    }

    /// The blocks between a branch and where its ways meet again, with that, if nothing in between is asked about.
    fn region(
        &self,
        context: ContextId,
        block: BlockId,
        marked: &FxHashSet<BlockId>,
    ) -> Option<(BlockId, Vec<BlockId>)> {
        let (body, own) = self.at_context(context);
        let terms = self.meaning == Meaning::Terms;
        // The first turn of a loop is another one than the others.
        if terms && is_header(own, block) {
            return None;
        }
        let end = own.post_dominators().ipdom(block)?;
        let mut inside: Vec<BlockId> = Vec::new();
        let mut seen: FxHashSet<BlockId> = FxHashSet::default();
        let mut open: Vec<(BlockId, BlockId)> =
            own.cfg.successors(block).iter().map(|&next| (block, next)).collect();
        while let Some((from, at)) = open.pop() {
            let back = own.loops.is_back_edge(from, at);
            // A loop inside goes around and is left. What comes around to the end has another turn before it, and what the
            // solver is told about loops it would not be told.
            if at == block || back && (terms || at == end) {
                return None;
            }
            if at == end || !seen.insert(at) {
                continue;
            }
            if marked.contains(&at)
                || inside.len() == REGION_BLOCKS
                || terms && self.may_end_in(context, body, at)
            {
                return None;
            }
            inside.push(at);
            open.extend(own.cfg.successors(at).iter().map(|&next| (at, next)));
        }
        // A loop that is left by what is around it goes on there.
        let left = |at: &BlockId| {
            own.loops
                .innermost(*at)
                .is_none_or(|id| !own.loops.contains(id, block) || own.loops.contains(id, end))
        };
        inside.iter().all(left).then_some((end, inside))
    }

    /// Whether a call in a block may end the process, so that not all that comes there goes on.
    fn may_end_in(&self, context: ContextId, body: &watertight_ir::Body, block: BlockId) -> bool {
        body.blocks[block].insts.iter().any(|&inst| {
            matches!(body.insts[inst].op, Op::Call(_))
                && self.callees(context, inst).iter().any(|&callee| self.facts.may_end(callee))
        })
    }

    /// The blocks on the ways from one block to another.
    pub(crate) fn between(&self, context: ContextId, from: BlockId, to: BlockId) -> Vec<bool> {
        let (body, own) = self.at_context(context);
        let mut relevant = vec![false; body.blocks.len()];
        relevant[from.index()] = true;
        let mut open = vec![to];
        while let Some(block) = open.pop() {
            if !std::mem::replace(&mut relevant[block.index()], true) {
                open.extend(own.cfg.predecessors(block));
            }
        }
        relevant
    }
}
