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
//! Bodies are many and small, so what tables cost is the calls for memory. While a body is worked on
//! (`expose`), its instructions and values stand in roomy tables that go from body to body; `compact` writes
//! them back into the memory they came from.

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
    /// The roomy tables while no body uses them, else the empty tables of the body.
    insts: Vec<Inst>,
    values: Vec<Value>,
}

/// Moves the instructions and values of `body` to tables that grow without copying them.
pub(super) fn expose(body: &mut Body, scratch: &mut Scratch) {
    move_entries(&mut body.insts, &mut scratch.insts);
    move_entries(&mut body.values, &mut scratch.values);
}

/// Moves the entries of `table` to the memory of `other`, and leaves `other` with that of the table.
fn move_entries<K: Id, V>(table: &mut Table<K, V>, other: &mut Vec<V>) {
    // Vectors turn into tables and back without moving.
    let mut entries: Vec<V> = std::mem::take(table).into_values().collect();
    let mut room = std::mem::take(other);
    room.append(&mut entries);
    *table = room.into_iter().collect();
    *other = entries;
}

struct Renumber<'a> {
    old: &'a mut [Value],
    new: &'a mut Vec<Value>,
    numbers: &'a mut Vec<Option<ValueId>>,
    forward: &'a Forward,
}

/// Applies the forwarding table of `scratch` and renumbers instructions and values. The body must have been
/// exposed.
pub(super) fn compact(body: &mut Body, scratch: &mut super::Scratch) {
    let forward = &scratch.forward;
    let Scratch { numbers, insts, values } = &mut scratch.compact;
    numbers.clear();
    numbers.resize(body.values.len(), None);
    let mut old_values: Vec<Value> = std::mem::take(&mut body.values).into_values().collect();
    let mut old_insts: Vec<Inst> = std::mem::take(&mut body.insts).into_values().collect();
    // Parameters come first.
    let params = old_values.iter().take_while(|value| matches!(value.def, Def::Param(_))).count();
    for (index, param) in old_values[..params].iter().enumerate() {
        numbers[index] = Some(ValueId::new(index));
        values.push(param.clone());
    }
    for block in body.blocks.values_mut() {
        block.insts.retain_mut(|id| {
            let inst = &mut old_insts[id.index()];
            if inst.result.is_some_and(|result| forward.is_set(result)) {
                return false;
            }
            let mut inst = std::mem::replace(inst, Inst { op: Op::Fence, result: None, place: None });
            *id = InstId::new(insts.len());
            if let Some(result) = &mut inst.result {
                let number = ValueId::new(values.len());
                values.push(Value { ty: old_values[result.index()].ty, def: Def::Inst(*id) });
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
    let mut renumber = Renumber { old: &mut old_values, new: values, numbers, forward };
    for inst in insts.iter_mut() {
        inst.op.operands_mut(|value| *value = renumber.operand(*value));
    }
    for block in body.blocks.values_mut() {
        block.term.operands_mut(|value| *value = renumber.operand(*value));
    }
    for variable in body.variables.values_mut() {
        variable.home = variable.home.and_then(|home| renumber.home(home));
    }
    body.insts = give_back(insts, old_insts);
    body.values = give_back(values, old_values);
}

/// The table of the entries in `new`, which becomes the roomy one again.
fn give_back<K: Id, V>(new: &mut Vec<V>, mut room: Vec<V>) -> Table<K, V> {
    room.clear();
    let mut entries = std::mem::replace(new, room);
    entries.shrink_to_fit();
    entries.into_iter().collect()
}

impl Renumber<'_> {
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
            let old = &mut self.old[source.index()];
            // Nothing but a constant has no number here, unless the body uses what it does not define.
            let def = std::mem::replace(&mut old.def, Def::Const(Const::Undef));
            let def = if matches!(def, Def::Const(_)) { def } else { Def::Const(Const::Undef) };
            self.new.push(Value { ty: old.ty, def });
            ValueId::new(self.new.len() - 1)
        });
        self.numbers[source.index()] = Some(number);
        self.numbers[value.index()] = Some(number);
        number
    }

    /// The new number of the home of a variable, if it still exists.
    fn home(&mut self, home: ValueId) -> Option<ValueId> {
        let is_constant = matches!(self.old[home.index()].def, Def::Const(_));
        if is_constant { Some(self.operand(home)) } else { self.numbers[home.index()] }
    }
}
