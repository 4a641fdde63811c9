//! What branches on the way to a place have found out about a value.
//!
//! In: a body. Out: whether a value is known to be null in a block: a branch that asked comes before the block on every path to
//! it, and its other side does not lead there without it. And whether some path on which a branch has found it not to be null leads there.

use super::accesses::NUMBER;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use watertight_ir::{BlockId, Body, Cfg, CompareOp, Dominators, InstId, Op, Terminator, ValueId};

/// The graph of a body, and what comes before what.
pub(super) struct Ways<'b> {
    body: &'b Body,
    cfg: Cfg,
    dominators: Dominators,
    /// Where each instruction stands: its block, and its number there.
    places: FxHashMap<InstId, (BlockId, usize)>,
    /// By block, where that was asked: the blocks behind which it comes.
    before: RefCell<FxHashMap<BlockId, FxHashSet<BlockId>>>,
}

impl<'b> Ways<'b> {
    pub(super) fn new(body: &'b Body) -> Ways<'b> {
        let cfg = Cfg::new(body);
        let dominators = Dominators::new(&cfg);
        let blocks = body.blocks.iter();
        let places = blocks.flat_map(|(block, data)| {
            data.insts.iter().enumerate().map(move |(number, &inst)| (inst, (block, number)))
        });
        Ways { body, cfg, dominators, places: places.collect(), before: RefCell::default() }
    }

    /// The block of an instruction, and its number there.
    pub(super) fn place(&self, inst: InstId) -> Option<(BlockId, usize)> {
        self.places.get(&inst).copied()
    }

    /// Whether every path to a block comes through another one.
    pub(super) fn comes_before(&self, first: BlockId, then: BlockId) -> bool {
        self.dominators.dominates(first, then)
    }

    /// Whether a value is known to be nothing in a block.
    pub(super) fn is_nothing(&self, value: ValueId, block: BlockId) -> bool {
        self.body.blocks.iter().any(|(asking, data)| {
            let Terminator::Branch { cond, then, other } = data.term else { return false };
            let Some(positive) = asks_for(self.body, cond, value) else { return false };
            let side = if positive { other } else { then };
            then != other && self.cfg.predecessors(side) == [asking] && self.dominators.dominates(side, block)
        })
    }

    /// The conditions that have to turn out one way on every path to a block.
    pub(super) fn tests_before(&self, block: BlockId) -> Vec<ValueId> {
        let all = self.body.blocks.iter().filter_map(|(asking, data)| {
            let Terminator::Branch { cond, then, other } = data.term else { return None };
            let leads = |side: BlockId| {
                self.cfg.predecessors(side) == [asking] && self.dominators.dominates(side, block)
            };
            (then != other && (leads(then) || leads(other))).then_some(cond)
        });
        all.collect()
    }

    /// Whether some path to a block has found out that a value is something, and not asked again.
    pub(super) fn may_be_something(&self, value: ValueId, block: BlockId) -> bool {
        self.body.blocks.iter().any(|(asking, data)| {
            let Terminator::Branch { cond, then, other } = data.term else { return false };
            let Some(positive) = asks_for(self.body, cond, value) else { return false };
            let side = if positive { then } else { other };
            then != other && self.leads(side, block, asking)
        })
    }

    /// Whether some path leads from one block to another, or is there already.
    pub(super) fn reaches(&self, from: BlockId, to: BlockId) -> bool {
        from == to || self.comes_after(from, to)
    }

    /// Whether some path leads to an instruction from an earlier one, without coming to a block.
    pub(super) fn follows(&self, then: InstId, earlier: InstId, without: Option<BlockId>) -> bool {
        let (Some(to), Some(from)) = (self.place(then), self.place(earlier)) else { return true };
        if to.0 == from.0 && to.1 > from.1 {
            return true;
        }
        let next = |block: BlockId| {
            let after = self.cfg.successors(block).iter().copied();
            after.filter(|&after| Some(after) != without)
        };
        let mut seen: FxHashSet<BlockId> = next(from.0).collect();
        let mut open: Vec<BlockId> = seen.iter().copied().collect();
        while let Some(block) = open.pop() {
            open.extend(next(block).filter(|&after| seen.insert(after)));
        }
        seen.contains(&to.0)
    }

    /// Whether some path leads from a block back to it.
    pub(super) fn repeats(&self, block: BlockId) -> bool {
        self.comes_after(block, block)
    }

    /// Whether a path of at least one step leads from one block to another.
    fn comes_after(&self, from: BlockId, to: BlockId) -> bool {
        let mut before = self.before.borrow_mut();
        let before = before.entry(to).or_insert_with(|| {
            let mut seen = FxHashSet::default();
            let mut open = vec![to];
            while let Some(block) = open.pop() {
                let earlier = self.cfg.predecessors(block).iter().copied();
                open.extend(earlier.filter(|&earlier| seen.insert(earlier)));
            }
            seen
        });
        before.contains(&from)
    }

    /// Whether some path leads from a block to the end of the function without one of these, and without a branch that finds a value to be nothing.
    pub(super) fn leaves(&self, from: BlockId, without: &[BlockId], value: ValueId) -> bool {
        let mut seen = vec![from];
        let mut next = 0;
        while next < seen.len() {
            let block = seen[next];
            next += 1;
            let term = &self.body.blocks[block].term;
            if matches!(term, Terminator::Return(_)) {
                return true;
            }
            let empty = match *term {
                Terminator::Branch { cond, then, other } if then != other => {
                    asks_for(self.body, cond, value).map(|positive| if positive { other } else { then })
                }
                _ => None,
            };
            for &after in self.cfg.successors(block) {
                if !seen.contains(&after) && !without.contains(&after) && Some(after) != empty {
                    seen.push(after);
                }
            }
        }
        false
    }

    /// Whether some path leads from one block to another without a third one.
    fn leads(&self, from: BlockId, to: BlockId, without: BlockId) -> bool {
        let mut seen = FxHashSet::from_iter([from]);
        let mut open = vec![from];
        while let Some(block) = open.pop() {
            if block == without {
                continue;
            }
            if block == to {
                return true;
            }
            open.extend(self.cfg.successors(block).iter().copied().filter(|&after| seen.insert(after)));
        }
        false
    }
}

/// Whether a condition says that a value is something, or with `false` that it is nothing. A number is nothing if it is below zero.
fn asks_for(body: &Body, cond: ValueId, value: ValueId) -> Option<bool> {
    let Op::Compare { op, lhs, rhs } = body.def_op(cond)? else { return None };
    let number = match (*lhs == value, *rhs == value) {
        (true, _) => body.bits(*rhs)?,
        (_, true) if matches!(op, CompareOp::Eq | CompareOp::Ne) => body.bits(*lhs)?,
        _ => return None,
    };
    let is_number = body.ty(value) == NUMBER;
    match (op, number as u32 as i32) {
        (CompareOp::Ne, 0) if number == 0 => Some(true),
        (CompareOp::Eq, 0) if number == 0 => Some(false),
        (CompareOp::Ne, -1) | (CompareOp::Sge, 0 | 1) | (CompareOp::Sgt, -1 | 0) if is_number => Some(true),
        (CompareOp::Eq, -1) | (CompareOp::Slt, 0 | 1) | (CompareOp::Sle, -1 | 0) if is_number => Some(false),
        _ => None,
    }
}
