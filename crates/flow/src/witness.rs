//! The path that a loss is told by: the branches that control takes, with the values that the solver found.

use crate::confirm::holds;
use crate::control::is_header;
use crate::leak::returns;
use crate::limits::PATH_BLOCKS;
use crate::question::Question;
use crate::source::Source;
use crate::terms::View;
use rustc_hash::FxHashSet;
use watertight_ir::{BlockId, FuncId, Op, Terminator, Type, ValueId};
use watertight_logic::question::Model;

/// A branch on the way to a loss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    pub function: FuncId,
    pub block: BlockId,
    /// Whether the condition holds; none for a switch.
    pub holds: Option<bool>,
    /// What the compared values are.
    pub values: Vec<(ValueId, i128)>,
}

/// The branches that control takes in the function that answers for the resource, and the block that it returns in.
pub(crate) fn walk(
    question: &mut Question<'_, '_>,
    source: &Source,
    model: &Model,
) -> (Vec<Branch>, Option<BlockId>) {
    let context = question.contexts.root();
    let (body, own) = question.at_context(context);
    let mut branches = Vec::new();
    let Some(start) = own.point(source.inst) else { return (branches, None) };
    let mut block = start.block;
    let mut seen: FxHashSet<BlockId> = FxHashSet::default();
    let mut outside = false;
    for _ in 0..PATH_BLOCKS {
        if returns(body, block) {
            return (branches, Some(block));
        }
        let view = if outside && is_header(own, block) { View::First(block) } else { View::Here };
        let edges = question.edges(context, block, view);
        let taken = edges.iter().position(|&(_, guard)| holds(question, model, guard));
        let Some(taken) = taken else { return (branches, None) };
        if let Some(branch) = branch(question, model, block, taken, view) {
            branches.push(branch);
        }
        let mut to = edges[taken].0;
        if own.loops.is_back_edge(block, to) || !seen.insert(block) {
            // Around once: on after the last turn.
            let exits = own.loops.innermost(to).map(|id| own.loops.exits(&own.cfg, id)).unwrap_or_default();
            let Some(&(_, exit)) = exits.iter().find(|exit| exit.0 == to).or(exits.first()) else { break };
            to = exit;
        }
        outside = own.loops.innermost(to).is_some_and(|id| !own.loops.contains(id, block));
        block = to;
    }
    (branches, None)
}

fn branch(
    question: &mut Question<'_, '_>,
    model: &Model,
    block: BlockId,
    taken: usize,
    view: View,
) -> Option<Branch> {
    let context = question.contexts.root();
    let (body, _) = question.at_context(context);
    let function = question.contexts.function(context);
    let (shown, holds) = match &body.blocks[block].term {
        Terminator::Branch { cond, .. } => match body.def_op(*cond) {
            Some(Op::Compare { lhs, rhs, .. }) => (vec![*lhs, *rhs], Some(taken == 0)),
            _ => (Vec::new(), Some(taken == 0)),
        },
        Terminator::Switch { value, .. } => (vec![*value], None),
        _ => return None,
    };
    let mut values = Vec::new();
    for value in shown {
        let number = matches!(body.ty(value), Type::Int(2..=64)) && body.constant(value).is_none();
        if !number {
            continue;
        }
        let term = question.term_at(context, value, block, view);
        let width = question.formulas.terms.width(term);
        let bits = model.evaluator().value(&question.formulas.terms, term);
        values.push((value, width.signed(bits)));
    }
    Some(Branch { function, block, holds, values })
}
