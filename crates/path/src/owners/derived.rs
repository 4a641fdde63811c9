//! What a value may become inside one function, and what is done with it.
//!
//! In: a body and a value. Out: every value that may be it or an address inside what it points to, through copies, merges, local variables
//! and calls that give back what they are given; and whether any of them is released, kept, returned or given to somebody who may take it.
//! All of that is what *may* be: if nothing is done with any of them, nothing is done with the value.

use super::Known;
use crate::limits::MOST_DERIVED;
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{Body, FuncId, InstId, Lists, Op, Terminator, ValueId};
use watertight_summary::{Effect, Path, Summary, Value};

/// The uses of all values of a body.
pub(super) struct Uses<'a> {
    known: Known<'a>,
    function: FuncId,
    pub(super) body: &'a Body,
    uses: Lists<ValueId, InstId>,
}

/// What may become of a value.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Fate {
    /// A call releases it.
    pub(super) released: bool,
    /// It is stored, returned, or given to somebody who may keep it.
    pub(super) taken: bool,
}

impl Fate {
    pub(super) fn is_cared_for(self) -> bool {
        self.released || self.taken
    }

    pub(super) fn or(self, other: Fate) -> Fate {
        Fate { released: self.released || other.released, taken: self.taken || other.taken }
    }
}

impl<'a> Uses<'a> {
    pub(super) fn new(known: Known<'a>, function: FuncId, body: &'a Body) -> Uses<'a> {
        let mut pairs: Vec<(ValueId, InstId)> = Vec::new();
        for block in body.blocks.values() {
            for &inst in &block.insts {
                body.insts[inst].op.operands(|value| pairs.push((value, inst)));
            }
        }
        Uses { known, function, body, uses: Lists::from_pairs(body.values.len(), &pairs) }
    }

    /// The instructions that use a value.
    pub(super) fn of(&self, value: ValueId) -> &[InstId] {
        self.uses.of(value)
    }

    /// What may become of a value. Stores and calls at `except` do not count.
    pub(super) fn fate(&self, value: ValueId, except: &dyn Fn(InstId) -> bool) -> Fate {
        let mut fate = Fate::default();
        let mut all = vec![value];
        let mut next = 0;
        while next < all.len() {
            if all.len() > MOST_DERIVED {
                return Fate { released: fate.released, taken: true };
            }
            let value = all[next];
            next += 1;
            for &inst in self.uses.of(value) {
                self.use_of(inst, value, except, &mut all, &mut fate);
            }
        }
        let returned =
            |term: &Terminator| matches!(term, Terminator::Return(Some(value)) if all.contains(value));
        fate.taken |= !self.known.lenders.contains(&self.function)
            && self.body.blocks.values().any(|block| returned(&block.term));
        fate
    }

    fn use_of(
        &self,
        inst: InstId,
        value: ValueId,
        except: &dyn Fn(InstId) -> bool,
        all: &mut Vec<ValueId>,
        fate: &mut Fate,
    ) {
        let data = &self.body.insts[inst];
        let mut goes_on = false;
        match &data.op {
            Op::Convert { .. } | Op::Phi { .. } | Op::Offset { .. } => goes_on = true,
            Op::Select { cond, .. } => goes_on = *cond != value,
            Op::Index { base, .. } => goes_on = *base == value,
            Op::Store { addr, value: stored, .. } if *stored == value && !except(inst) => {
                match self.loads_of_variable(*addr) {
                    Some(loaded) => loaded.into_iter().for_each(|loaded| add(all, loaded)),
                    None => fate.taken = true,
                }
            }
            Op::Call(call) if !except(inst) => {
                for (_, number) in call.args.iter().zip(0..).filter(|(argument, _)| **argument == value) {
                    let given = given(self.known, self.body, inst, &Path::param(number));
                    *fate = fate.or(given.fate);
                    goes_on |= given.comes_back;
                }
            }
            Op::Pack { .. }
            | Op::Unknown(_)
            | Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::Binary { .. } => fate.taken = true,
            _ => {}
        }
        if let Some(result) = data.result.filter(|_| goes_on) {
            add(all, result);
        }
    }

    /// What is read from a local variable whose address goes nowhere.
    fn loads_of_variable(&self, addr: ValueId) -> Option<Vec<ValueId>> {
        if !matches!(self.body.def_op(addr), Some(Op::Stack { count: None, .. })) {
            return None;
        }
        let mut loaded = Vec::new();
        for &inst in self.uses.of(addr) {
            let data = &self.body.insts[inst];
            match &data.op {
                Op::Load { .. } => loaded.extend(data.result),
                Op::Store { value, .. } if *value != addr => {}
                Op::Name { .. } => {}
                _ => return None,
            }
        }
        Some(loaded)
    }
}

/// What a call may do to what it is given.
pub(super) struct Given {
    pub(super) fate: Fate,
    /// Its result may be what it was given.
    comes_back: bool,
}

/// What a call may do to the value of a path of its own: an argument, or what an argument is the address of.
pub(super) fn given(known: Known<'_>, body: &Body, inst: InstId, path: &Path) -> Given {
    let nobody_knows = Given { fate: Fate { released: false, taken: true }, comes_back: false };
    let Op::Call(call) = &body.insts[inst].op else { return nobody_knows };
    let Some(callee) = direct_callee(body, call) else { return nobody_knows };
    if known.is_unknown(callee) {
        return nobody_knows;
    }
    let Some(summary) = known.summary(callee) else {
        return Given { fate: Fate::default(), comes_back: false };
    };
    Given { fate: fate_in(summary, path), comes_back: comes_back(summary, path) }
}

/// What a function may do to the value of a path.
fn fate_in(summary: &Summary, path: &Path) -> Fate {
    let mut fate = Fate::default();
    for effect in summary.outcomes.iter().flat_map(|outcome| &outcome.effects) {
        match effect {
            Effect::Release { value, .. } => fate.released |= value == path,
            Effect::Keep { value, .. } => fate.taken |= value == path,
            Effect::Store { value, .. } => fate.taken |= is_value(value, path),
            Effect::Calls { arguments, .. } => {
                fate.taken |= arguments.iter().any(|argument| is_value(argument, path));
            }
            Effect::Clobber { .. } | Effect::Copy { .. } | Effect::Zero { .. } => {}
        }
    }
    fate
}

fn comes_back(summary: &Summary, path: &Path) -> bool {
    summary.outcomes.iter().any(|outcome| is_value(&outcome.result, path))
}

fn is_value(value: &Value, wanted: &Path) -> bool {
    match value {
        Value::Entry { path, .. } | Value::Inside(path) => path == wanted,
        Value::Parts(parts) => parts.iter().any(|part| is_value(part, wanted)),
        _ => false,
    }
}

fn add(all: &mut Vec<ValueId>, value: ValueId) {
    if !all.contains(&value) {
        all.push(value);
    }
}
