//! Sources: calls of library functions that acquire something, by their models.
//!
//! A source says where the address, or the number, is after the call: in the result, or in a cell that an argument
//! points to.

use crate::facts::Facts;
use crate::memory::Version;
use crate::slice::{Holder, Subject};
use std::rc::Rc;
use watertight_ir::{FuncId, InstId, Op};
use watertight_pointer::object::Origin;
use watertight_summary::{Effect, KindId, Outcome, Root, Step, Value, Way};

/// A call that acquires something.
#[derive(Clone, Debug)]
pub struct Source {
    /// The function that answers for what is acquired, and the call in it.
    pub function: FuncId,
    pub inst: InstId,
    pub kind: KindId,
    pub subject: Subject,
    /// Calls inside of that one that lead to the call that acquires; none when it does so itself.
    pub inner: Vec<(FuncId, InstId)>,
    /// What holds it after the innermost call.
    pub holders: Vec<Holder>,
    /// The ways in which the innermost call returns with it, if a model says so.
    pub outcomes: Vec<usize>,
    /// All of that for the call that really acquires it, where `inner` stops before: the calls that lead there, what holds
    /// it then, and the ways in which that call returns.
    pub origin: Option<Rc<Origins>>,
}

/// Where something was acquired: the calls that lead there, what holds it then, and the ways in which the call returns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origins {
    pub inner: Vec<(FuncId, InstId)>,
    pub holders: Vec<Holder>,
    pub outcomes: Vec<usize>,
}

/// All sources of a program, in order.
pub fn sources(facts: &Facts<'_>) -> Vec<Source> {
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
                    if program.functions[callee].body.is_some() {
                        continue;
                    }
                    let Some(summary) = facts.models.functions.get(&program.functions[callee].name) else {
                        continue;
                    };
                    sources_at(facts, function, inst, &summary.outcomes, &mut found);
                }
            }
        }
    }
    found
}

/// What one call acquires, apart for each kind.
fn sources_at(
    facts: &Facts<'_>,
    function: FuncId,
    inst: InstId,
    outcomes: &[Outcome],
    found: &mut Vec<Source>,
) {
    let Some((body, _)) = facts.function(function) else { return };
    let Op::Call(call) = &body.insts[inst].op else { return };
    let mut kinds: Vec<KindId> = outcomes.iter().flat_map(|o| &o.fresh).map(|fresh| fresh.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds {
        let mut holders = Vec::new();
        let mut by = Vec::new();
        let mut elsewhere = false;
        for (number, outcome) in outcomes.iter().enumerate().filter(|outcome| outcome.1.way == Way::Returns) {
            let is_kind = |index: u32| outcome.fresh.get(index as usize).is_some_and(|f| f.kind == kind);
            let before = holders.len();
            if let Value::Fresh { index, .. } = outcome.result
                && is_kind(index)
            {
                holders.extend(body.insts[inst].result.map(Holder::Value));
                by.push(number);
            }
            for effect in &outcome.effects {
                let Effect::Store { place, value: Value::Fresh { index, .. } } = effect else { continue };
                if !is_kind(*index) {
                    continue;
                }
                let offset = match (place.root, &place.steps[..]) {
                    (Root::Param(_), [Step::At(offset) | Step::Number { offset, .. }]) => *offset,
                    _ => {
                        elsewhere |= !matches!(place.root, Root::Fresh(_));
                        continue;
                    }
                };
                let Root::Param(param) = place.root else { continue };
                let Some(&arg) = call.args.get(param as usize) else { continue };
                for &cell in facts.reached(function, arg).iter() {
                    if matches!(
                        facts.origin(cell),
                        Origin::Global(_)
                            | Origin::Outside(_)
                            | Origin::Merged(_)
                            | Origin::Hub
                            | Origin::World
                    ) {
                        elsewhere = true;
                    }
                    let (object, at) = facts.place(cell);
                    holders.push(Holder::Memory(facts.cell_at(object, at + offset), Version::Inst(inst)));
                }
                by.push(number);
            }
            if holders.len() > before && !by.contains(&number) {
                by.push(number);
            }
        }
        if elsewhere || by.is_empty() || is_vacated(facts, function, inst, kind) {
            continue;
        }
        holders.sort_unstable();
        holders.dedup();
        by.dedup();
        let number = facts.models.kinds.get(kind).number.is_some();
        found.push(Source {
            function,
            inst,
            kind,
            subject: if number { Subject::Number } else { Subject::Address },
            inner: Vec::new(),
            holders,
            outcomes: by,
            origin: None,
        });
    }
}

/// Whether a function gives up one of the numbers of the standard streams before it acquires another one, which takes its
/// place on purpose (ASSUME-20).
fn is_vacated(facts: &Facts<'_>, function: FuncId, inst: InstId, kind: KindId) -> bool {
    let Some(first) = facts.models.kinds.get(kind).lost_from else { return false };
    let Some((body, own)) = facts.function(function) else { return false };
    let Some(at) = own.point(inst).and_then(|point| Some((own.cfg.position(point.block)?, point.index)))
    else {
        return false;
    };
    let low = |value| body.bits(value).is_some_and(|bits| (bits as i64) < first);
    let mut calls = body.blocks.iter().flat_map(|(block, data)| {
        data.insts.iter().enumerate().map(move |(index, &call)| (block, index as u32, call))
    });
    calls.any(|(block, index, call)| {
        let Op::Call(data) = &body.insts[call].op else { return false };
        let before = own.cfg.position(block).is_some_and(|position| (position, index) < at);
        if !before || !data.args.first().is_some_and(|&arg| low(arg)) {
            return false;
        }
        facts.points_to.callees(function, call).iter().any(|&callee| {
            let model = facts.models.functions.get(&facts.program.functions[callee].name);
            let mut effects = model.iter().flat_map(|model| &model.outcomes).flat_map(|way| &way.effects);
            effects.any(|effect| matches!(effect, Effect::Release { kind: of, .. } if *of == kind))
        })
    })
}
