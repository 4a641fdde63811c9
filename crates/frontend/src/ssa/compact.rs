//! Redirection of what was replaced, and tables without gaps.
//!
//! In: a body in which some values were forwarded to others, and whose tables hold instructions that stand
//! in no block and values that nothing uses. Out: the same body with every operand redirected, in which
//! instructions are numbered in the order of the blocks, and values are the parameters, then the results in
//! the order of their instructions, then the constants in the order of their first use.
//!
//! One pass numbers the results, one pass rewrites the operands; dead entries cost no memory afterwards.
//! Places keep their numbers, because the function itself refers to them too.
//!
//! Bodies are many and small, so what tables cost is the calls for memory. The new tables are written into
//! the memory that the old ones of the last body left behind.

use watertight_ir::{Body, Const, Def, Id, Inst, InstId, Op, Table, Value, ValueId};

/// By value: the value that stands for it from now on.
#[derive(Debug, Default)]
pub(super) struct Forward {
    to: Vec<Option<ValueId>>,
}

impl Forward {
    /// Forgets everything, and makes room for the values of `body` and more.
    pub(super) fn reset(&mut self, body: &Body) {
        self.to.clear();
        self.to.resize(body.values.len(), None);
    }
    pub(super) fn set(&mut self, from: ValueId, to: ValueId) {
        if from.index() >= self.to.len() {
            self.to.resize(from.index() + 1, None);
        }
        self.to[from.index()] = Some(to);
    }
    pub(super) fn is_set(&self, value: ValueId) -> bool {
        self.to.get(value.index()).is_some_and(Option::is_some)
    }
    /// The value that stands for `value` in the end.
    pub(super) fn resolve(&self, value: ValueId) -> ValueId {
        let mut found = value;
        // Definitions dominate uses, so there is no cycle. In a body that breaks this rule there may be
        // one, and any member of it is as good as another.
        for _ in 0..=self.to.len() {
            match self.to.get(found.index()) {
                Some(&Some(next)) => found = next,
                _ => break,
            }
        }
        found
    }
}

#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// By old value: its new number.
    numbers: Vec<Option<ValueId>>,
    /// Empty tables with room for the next body.
    insts: Table<InstId, Inst>,
    values: Table<ValueId, Value>,
}

struct Renumber<'a> {
    old: &'a mut Table<ValueId, Value>,
    new: &'a mut Table<ValueId, Value>,
    numbers: &'a mut [Option<ValueId>],
    forward: &'a Forward,
}

/// Applies the forwarding table of `scratch` and renumbers instructions and values. The tables may have spare
/// room afterwards.
pub(super) fn compact(body: &mut Body, scratch: &mut super::Scratch) {
    let forward = &scratch.forward;
    let Scratch { numbers, insts, values } = &mut scratch.compact;
    numbers.clear();
    numbers.resize(body.values.len(), None);
    insts.reserve(body.insts.len());
    values.reserve(body.values.len());
    // Parameters come first.
    for param in body.values.values().take_while(|value| matches!(value.def, Def::Param(_))) {
        let number = values.push(param.clone());
        numbers[number.index()] = Some(number);
    }
    for block in body.blocks.values_mut() {
        block.insts.retain_mut(|id| {
            let inst = &mut body.insts[*id];
            if inst.result.is_some_and(|result| forward.is_set(result)) {
                return false;
            }
            let mut inst = std::mem::replace(inst, Inst { op: Op::Fence, result: None, place: None });
            *id = insts.next_id();
            if let Some(result) = &mut inst.result {
                let number = values.push(Value { ty: body.values[*result].ty, def: Def::Inst(*id) });
                numbers[result.index()] = Some(number);
                *result = number;
            }
            insts.push(inst);
            true
        });
        // Shrinking costs a call; a few words do not pay for it.
        if block.insts.capacity() - block.insts.len() > 16 {
            block.insts.shrink_to_fit();
        }
    }
    let mut renumber = Renumber { old: &mut body.values, new: values, numbers, forward };
    for inst in insts.values_mut() {
        inst.op.operands_mut(|value| *value = renumber.operand(*value));
    }
    for block in body.blocks.values_mut() {
        block.term.operands_mut(|value| *value = renumber.operand(*value));
    }
    for variable in body.variables.values_mut() {
        variable.home = variable.home.and_then(|home| renumber.home(home));
    }
    std::mem::swap(&mut body.insts, insts);
    std::mem::swap(&mut body.values, values);
    insts.clear();
    values.clear();
}

impl Renumber<'_> {
    #[inline]
    fn operand(&mut self, value: ValueId) -> ValueId {
        match self.numbers[value.index()] {
            Some(number) => number,
            None => self.first_use(value),
        }
    }

    /// A constant that was not used so far, or a value that was forwarded.
    fn first_use(&mut self, value: ValueId) -> ValueId {
        let source = self.forward.resolve(value);
        let number = self.numbers[source.index()].unwrap_or_else(|| {
            let old = &mut self.old[source];
            // Nothing but a constant has no number here, unless the body uses what it does not define.
            let def = std::mem::replace(&mut old.def, Def::Const(Const::Undef));
            let def = if matches!(def, Def::Const(_)) { def } else { Def::Const(Const::Undef) };
            self.new.push(Value { ty: old.ty, def })
        });
        self.numbers[source.index()] = Some(number);
        self.numbers[value.index()] = Some(number);
        number
    }

    /// The new number of the home of a variable, if it still exists.
    fn home(&mut self, home: ValueId) -> Option<ValueId> {
        let is_constant = matches!(self.old[home].def, Def::Const(_));
        if is_constant { Some(self.operand(home)) } else { self.numbers[home.index()] }
    }
}
