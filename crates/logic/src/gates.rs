//! Boolean circuits: what terms become before they become clauses.
//!
//! A [`Bit`] is the output of a gate or its negation. Gates are hash-consed and constants are propagated while they are
//! built, so equal circuits exist once and operations on known bits vanish. Gate kinds are those that have good
//! clauses: `and` of two, `and` of many (the equality of two words is one gate), `xor`, multiplexer, and majority,
//! which is the carry of an adder.
//!
//! An *input* is a bit nothing is known about. Inputs may carry obligations: bits that must be true whenever the input
//! is used, which is how a quotient is described by its product, or an abstracted product by a few facts. Obligations
//! come in groups shared by several inputs. They must be satisfiable whatever values other inputs have, so that using a
//! bit never excludes anything.

use crate::table::{IdTable, Slot, mix};
use rustc_hash::FxHashMap;
use std::ops::Not;

/// The output of a gate, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Bit(u32);

impl Bit {
    pub(crate) const TRUE: Bit = Bit(0);
    pub(crate) const FALSE: Bit = Bit(1);

    pub(crate) fn truth(value: bool) -> Bit {
        if value { Bit::TRUE } else { Bit::FALSE }
    }

    #[inline]
    pub(crate) fn is_constant(self) -> bool {
        self.0 <= 1
    }

    #[inline]
    pub(crate) fn gate(self) -> GateId {
        GateId(self.0 >> 1)
    }

    #[inline]
    pub(crate) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    #[inline]
    fn flip(self, flag: bool) -> Bit {
        Bit(self.0 ^ u32::from(flag))
    }
}

impl Not for Bit {
    type Output = Bit;
    #[inline]
    fn not(self) -> Bit {
        Bit(self.0 ^ 1)
    }
}

/// The position of a gate. Inputs of a gate have smaller positions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct GateId(u32);

impl GateId {
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A group of obligations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct GroupId(u32);

impl GroupId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gate {
    /// Always true.
    True,
    Input,
    And(Bit, Bit),
    /// A range of the list of operands.
    AndMany {
        start: u32,
        count: u32,
    },
    Xor(Bit, Bit),
    /// Condition, value when it holds, value when it does not.
    Mux(Bit, Bit, Bit),
    Majority(Bit, Bit, Bit),
}

impl Gate {
    /// The hash of all kinds but `AndMany`, whose operands are elsewhere.
    fn hash(self) -> u32 {
        let (code, a, b, c) = match self {
            Gate::And(a, b) => (1, a, b, Bit::TRUE),
            Gate::Xor(a, b) => (2, a, b, Bit::TRUE),
            Gate::Mux(a, b, c) => (3, a, b, c),
            Gate::Majority(a, b, c) => (4, a, b, c),
            Gate::True | Gate::Input | Gate::AndMany { .. } => (0, Bit::TRUE, Bit::TRUE, Bit::TRUE),
        };
        mix(u64::from(a.0) | u64::from(b.0) << 32, u64::from(c.0) | code << 32)
    }
}

fn hash_many(operands: &[Bit]) -> u32 {
    operands.iter().fold(7, |hash, bit| mix(u64::from(hash), u64::from(bit.0)))
}

/// A circuit under construction.
pub(crate) struct Gates {
    gates: Vec<Gate>,
    table: IdTable,
    operands: Vec<Bit>,
    groups: Vec<Vec<Bit>>,
    obliged: FxHashMap<GateId, GroupId>,
}

impl Gates {
    pub(crate) fn new() -> Gates {
        Gates {
            gates: vec![Gate::True],
            table: IdTable::default(),
            operands: Vec::new(),
            groups: Vec::new(),
            obliged: FxHashMap::default(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.gates.len()
    }

    pub(crate) fn gate(&self, id: GateId) -> Gate {
        self.gates[id.index()]
    }

    pub(crate) fn many(&self, start: u32, count: u32) -> &[Bit] {
        &self.operands[start as usize..(start + count) as usize]
    }

    /// A new input.
    pub(crate) fn input(&mut self) -> Bit {
        self.push(Gate::Input)
    }

    /// A new group of obligations for some inputs.
    pub(crate) fn new_group(&mut self, inputs: &[Bit]) -> GroupId {
        let group = GroupId(self.groups.len() as u32);
        self.groups.push(Vec::new());
        for input in inputs {
            debug_assert_eq!(self.gate(input.gate()), Gate::Input, "obligations are those of inputs");
            self.obliged.insert(input.gate(), group);
        }
        group
    }

    /// A bit that must be true whenever an input of the group is used.
    pub(crate) fn oblige(&mut self, group: GroupId, bit: Bit) {
        if bit != Bit::TRUE {
            self.groups[group.index()].push(bit);
        }
    }

    pub(crate) fn group_of(&self, gate: GateId) -> Option<GroupId> {
        self.obliged.get(&gate).copied()
    }

    pub(crate) fn obligations(&self, group: GroupId) -> &[Bit] {
        &self.groups[group.index()]
    }

    pub(crate) fn and(&mut self, a: Bit, b: Bit) -> Bit {
        if a == b || b == Bit::TRUE {
            return a;
        }
        if a == Bit::TRUE {
            return b;
        }
        if a == !b || a == Bit::FALSE || b == Bit::FALSE {
            return Bit::FALSE;
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        self.intern(Gate::And(a, b))
    }

    pub(crate) fn or(&mut self, a: Bit, b: Bit) -> Bit {
        !self.and(!a, !b)
    }

    pub(crate) fn xor(&mut self, a: Bit, b: Bit) -> Bit {
        let flip = a.is_negated() != b.is_negated();
        let (a, b) = (a.flip(a.is_negated()), b.flip(b.is_negated()));
        if a == b {
            return Bit::FALSE.flip(flip);
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        if a == Bit::TRUE {
            return (!b).flip(flip);
        }
        self.intern(Gate::Xor(a, b)).flip(flip)
    }

    pub(crate) fn mux(&mut self, condition: Bit, then: Bit, otherwise: Bit) -> Bit {
        if condition == Bit::TRUE || then == otherwise {
            return then;
        }
        if condition == Bit::FALSE {
            return otherwise;
        }
        if condition.is_negated() {
            return self.mux(!condition, otherwise, then);
        }
        if then == Bit::TRUE || then == condition {
            return self.or(condition, otherwise);
        }
        if then == Bit::FALSE || then == !condition {
            return self.and(!condition, otherwise);
        }
        if otherwise == Bit::FALSE || otherwise == condition {
            return self.and(condition, then);
        }
        if otherwise == Bit::TRUE || otherwise == !condition {
            return self.or(!condition, then);
        }
        if then == !otherwise {
            return !self.xor(condition, then);
        }
        let flip = then.is_negated();
        self.intern(Gate::Mux(condition, then.flip(flip), otherwise.flip(flip))).flip(flip)
    }

    /// Whether at least two of the three are true.
    pub(crate) fn majority(&mut self, a: Bit, b: Bit, c: Bit) -> Bit {
        let mut sorted = [a, b, c];
        sorted.sort_unstable();
        let [a, b, c] = sorted;
        match a {
            Bit::TRUE => return self.or(b, c),
            Bit::FALSE => return self.and(b, c),
            _ => {}
        }
        // Sorting puts a bit next to its negation.
        if a == b {
            return a;
        }
        if b == c {
            return b;
        }
        if a == !b {
            return c;
        }
        if b == !c {
            return a;
        }
        let flip = a.is_negated();
        self.intern(Gate::Majority(a.flip(flip), b.flip(flip), c.flip(flip))).flip(flip)
    }

    pub(crate) fn and_many(&mut self, bits: &mut Vec<Bit>) -> Bit {
        bits.sort_unstable();
        bits.dedup();
        bits.retain(|&bit| bit != Bit::TRUE);
        // Sorting puts a bit next to its negation.
        if bits.first() == Some(&Bit::FALSE) || bits.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Bit::FALSE;
        }
        match bits[..] {
            [] => Bit::TRUE,
            [one] => one,
            [a, b] => self.and(a, b),
            _ => self.intern_many(bits),
        }
    }

    pub(crate) fn or_many(&mut self, bits: &mut Vec<Bit>) -> Bit {
        bits.iter_mut().for_each(|bit| *bit = !*bit);
        !self.and_many(bits)
    }

    fn push(&mut self, gate: Gate) -> Bit {
        let at = self.gates.len() as u32;
        assert!(at < u32::MAX / 2, "a circuit has fewer than 2^31 gates");
        self.gates.push(gate);
        Bit(at << 1)
    }

    /// The hash of a gate, if it is one of those that are looked for.
    fn hash_at(&self, at: u32) -> Option<u32> {
        match self.gates[at as usize] {
            Gate::True | Gate::Input => None,
            Gate::AndMany { start, count } => Some(hash_many(self.many(start, count))),
            gate => Some(gate.hash()),
        }
    }

    fn intern(&mut self, gate: Gate) -> Bit {
        let mut table = std::mem::take(&mut self.table);
        table.reserve(self.gates.len(), |at| self.hash_at(at));
        let bit = match table.find(gate.hash(), |at| self.gates[at as usize] == gate) {
            Slot::Found(at) => Bit(at << 1),
            Slot::Free(free) => {
                let bit = self.push(gate);
                table.fill(free, bit.gate().0);
                bit
            }
        };
        self.table = table;
        bit
    }

    fn intern_many(&mut self, bits: &[Bit]) -> Bit {
        let mut table = std::mem::take(&mut self.table);
        table.reserve(self.gates.len(), |at| self.hash_at(at));
        let same = |at: u32| match self.gates[at as usize] {
            Gate::AndMany { start, count } => self.many(start, count) == bits,
            _ => false,
        };
        let bit = match table.find(hash_many(bits), same) {
            Slot::Found(at) => Bit(at << 1),
            Slot::Free(free) => {
                let start = self.operands.len() as u32;
                self.operands.extend_from_slice(bits);
                let bit = self.push(Gate::AndMany { start, count: bits.len() as u32 });
                table.fill(free, bit.gate().0);
                bit
            }
        };
        self.table = table;
        bit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a bit when the inputs have the values of the bits of a number, in the order of creation.
    fn value(gates: &Gates, bit: Bit, inputs: u32) -> bool {
        let get = |bit: Bit| value(gates, bit, inputs);
        let plain = match gates.gate(bit.gate()) {
            Gate::True => true,
            Gate::Input => inputs >> (bit.gate().index() - 1) & 1 == 1,
            Gate::And(a, b) => get(a) && get(b),
            Gate::AndMany { start, count } => gates.many(start, count).iter().all(|&bit| get(bit)),
            Gate::Xor(a, b) => get(a) != get(b),
            Gate::Mux(c, a, b) => get(if get(c) { a } else { b }),
            Gate::Majority(a, b, c) => u8::from(get(a)) + u8::from(get(b)) + u8::from(get(c)) >= 2,
        };
        plain != bit.is_negated()
    }

    #[test]
    fn gates_of_all_operand_combinations_compute_what_they_say() {
        let mut gates = Gates::new();
        let inputs: Vec<Bit> = (0..3).map(|_| gates.input()).collect();
        let mut bits = vec![Bit::TRUE, Bit::FALSE];
        for &input in &inputs {
            bits.extend([input, !input]);
        }
        for &a in &bits {
            for &b in &bits {
                for &c in &bits {
                    let (and, xor) = (gates.and(a, b), gates.xor(a, b));
                    let (mux, majority) = (gates.mux(a, b, c), gates.majority(a, b, c));
                    let (all, any) = (gates.and_many(&mut vec![a, b, c]), gates.or_many(&mut vec![a, b, c]));
                    for row in 0..8 {
                        let get = |bit: Bit| value(&gates, bit, row);
                        let (x, y, z) = (get(a), get(b), get(c));
                        assert_eq!(get(and), x && y);
                        assert_eq!(get(xor), x != y);
                        assert_eq!(get(mux), if x { y } else { z });
                        assert_eq!(get(majority), if x { y || z } else { y && z });
                        assert_eq!(get(all), x && y && z);
                        assert_eq!(get(any), x || y || z);
                    }
                }
            }
        }
        // Equal circuits exist once: 12 ands, 3 xors and so on, not 512 of each.
        assert!(gates.len() < 80, "{} gates", gates.len());
    }
}
