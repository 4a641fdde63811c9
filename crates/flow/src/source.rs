//! Sources: calls of library functions that acquire something, by their models.
//!
//! A source says where the address is after the call: in the result, or in a cell that an argument points to.
//! Resources that are numbers, such as descriptors, are not followed.

use crate::facts::{Facts, Point};
use crate::slice::Holder;
use watertight_ir::{FuncId, InstId, Op};
use watertight_pointer::object::Origin;
use watertight_summary::{Effect, KindId, Outcome, Root, Step, Value};

/// A call that acquires something.
#[derive(Clone, Debug)]
pub struct Source {
    pub function: FuncId,
    pub inst: InstId,
    pub kind: KindId,
    /// What holds the address after the call.
    pub holders: Vec<Holder>,
    pub from: Point,
    /// The call may come back without having acquired anything, and tells so by its result.
    pub told: bool,
}

/// All sources of a program, in order.
pub fn sources(facts: &mut Facts<'_>) -> Vec<Source> {
    let mut found = Vec::new();
    let program = facts.program;
    for (function, data) in program.functions.iter() {
        let Some(body) = &data.body else { continue };
        for block in body.blocks.ids() {
            for (inst, entry) in body.block_insts(block) {
                if !matches!(entry.op, Op::Call(_)) {
                    continue;
                }
                for &callee in facts.points_to.callees(function, inst) {
                    let models = facts.models;
                    if program.functions[callee].body.is_some() {
                        continue;
                    }
                    let Some(summary) = models.functions.get(&program.functions[callee].name) else {
                        continue;
                    };
                    found.extend(source(facts, function, inst, &summary.outcomes));
                }
            }
        }
    }
    found
}

fn source(facts: &mut Facts<'_>, function: FuncId, inst: InstId, outcomes: &[Outcome]) -> Option<Source> {
    let (body, own) = facts.function(function)?;
    let Op::Call(call) = &body.insts[inst].op else { return None };
    let point = own.point(inst)?;
    let mut holders = Vec::new();
    let mut kind = None;
    let mut told = false;
    let mut without = false;
    for outcome in outcomes {
        let mut acquires = false;
        if let Value::Fresh { index, .. } = outcome.result
            && let Some(fresh) = outcome.fresh.get(index as usize)
        {
            kind.get_or_insert(fresh.kind);
            holders.extend(body.insts[inst].result.map(Holder::Value));
            acquires = true;
        }
        for effect in &outcome.effects {
            let Effect::Store { place, value: Value::Fresh { index, .. } } = effect else { continue };
            let Some(fresh) = outcome.fresh.get(*index as usize) else { continue };
            let (Root::Param(param), [Step::At(offset)]) = (place.root, &place.steps[..]) else {
                return None;
            };
            let arg = *call.args.get(param as usize)?;
            kind.get_or_insert(fresh.kind);
            for cell in facts.reached(function, arg) {
                if matches!(
                    facts.origin(cell),
                    Origin::Global(_) | Origin::Outside(_) | Origin::Merged(_) | Origin::World
                ) {
                    return None;
                }
                let (object, at) = facts.place(cell);
                holders.push(Holder::Cell(facts.cell(object, at + offset)));
            }
            acquires = true;
            told = true;
        }
        without |= !acquires;
    }
    let kind = kind.filter(|&kind| facts.models.kinds.get(kind).number.is_none())?;
    holders.sort_unstable();
    holders.dedup();
    let from = Point { block: point.block, index: point.index + 1 };
    Some(Source { function, inst, kind, holders, from, told: told && without })
}
