//! What a value may become inside one function, and what is done with it.
//!
//! In: a body and a value. Out: every value that may be it or an address inside what it points to, through copies, merges, local variables
//! and calls that give back what they are given; and whether any of them is released, kept, returned or given to somebody who may take it.
//! All of that is what *may* be: if nothing is done with any of them, nothing is done with the value.

use super::Known;
use super::accesses::NUMBER;
use crate::facts::cells::base_of;
use crate::limits::{MOST_DERIVED, SOURCES};
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{Body, Def, FuncId, InstId, Lists, Op, Terminator, ValueId};
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
        let is_number = self.body.ty(value) == NUMBER;
        let mut goes_on = false;
        match &data.op {
            // What is computed from a number stands for nothing.
            Op::Binary { .. } if is_number => {}
            Op::Convert { .. } | Op::Phi { .. } | Op::Offset { .. } => goes_on = true,
            Op::Select { cond, .. } => goes_on = *cond != value,
            Op::Index { base, .. } => goes_on = *base == value,
            Op::Store { addr, value: stored, .. } if *stored == value && !except(inst) => {
                match self.loads_of_variable(*addr) {
                    Some(loaded) => loaded.into_iter().for_each(|loaded| add(all, loaded)),
                    // A number in a local structure, as for a call that waits for it, is only told to somebody.
                    None => fate.taken |= !is_number || !self.is_local(*addr),
                }
            }
            Op::Call(call) if !except(inst) => {
                for (_, number) in call.args.iter().zip(0..).filter(|(argument, _)| **argument == value) {
                    let given = given(self.known, self.body, inst, &Path::param(number));
                    *fate = fate.or(given.fate);
                    let callee = direct_callee(self.body, call).filter(|_| is_number);
                    fate.taken |= callee.is_some_and(|callee| keeps(self.known, callee, number, SOURCES));
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

    /// Whether an address lies in a local variable.
    fn is_local(&self, addr: ValueId) -> bool {
        matches!(self.body.def_op(base_of(self.body, addr)), Some(Op::Stack { .. }))
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

/// Whether a function puts a number that it is given where it stays. What becomes of numbers a summary leaves out where it cannot name the place.
fn keeps(known: Known<'_>, function: FuncId, number: u32, depth: u32) -> bool {
    let Some(body) = &known.program.functions[function].body else { return known.is_unknown(function) };
    let Some(shape) = known.shape(function).filter(|_| depth > 0) else { return true };
    let is_it = |value: &ValueId| matches!(body.values[*value].def, Def::Param(other) if other == number);
    let mut all: Vec<ValueId> = body.values.ids().filter(is_it).collect();
    let mut next = 0;
    while next < all.len() {
        let value = all[next];
        next += 1;
        for &inst in shape.uses.of(value) {
            let data = &body.insts[inst];
            match &data.op {
                Op::Convert { .. } | Op::Phi { .. } | Op::Select { .. } => {
                    data.result.into_iter().for_each(|result| add(&mut all, result));
                }
                Op::Store { addr, value: stored, .. } if *stored == value => {
                    match shape.uses.loads_of_variable(*addr) {
                        Some(loaded) => loaded.into_iter().for_each(|loaded| add(&mut all, loaded)),
                        None if shape.uses.is_local(*addr) => {}
                        None => return true,
                    }
                }
                Op::Call(call) => {
                    let mut places = call.args.iter().zip(0..).filter(|(argument, _)| **argument == value);
                    let callee = direct_callee(body, call);
                    if places.any(|(_, number)| {
                        callee.is_none_or(|callee| keeps(known, callee, number, depth - 1))
                    }) {
                        return true;
                    }
                }
                Op::Pack { .. } | Op::Unknown(_) | Op::Atomic { .. } | Op::CompareExchange { .. } => {
                    return true;
                }
                _ => {}
            }
        }
        if all.len() > MOST_DERIVED {
            return true;
        }
    }
    false
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
    for effect in summary.effects() {
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
