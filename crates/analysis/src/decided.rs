//! What is known of values on one way through a function, as far as it decides branches.
//!
//! In: a body, and facts about some of its values: a constant, not zero, negative. Out: the successors of a block that are
//! possible, and facts at the next block: those of values that merge there. What must hold: a fact is true of the value
//! whenever control came this way; what is not known is not decided.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use watertight_ir::{BinaryOp, BlockId, Body, CompareOp, Const, ConvertOp, Op, Terminator, Type, ValueId};
use watertight_summary::{Given, Got};

use crate::limits::OPERATIONS_TO_TEST;

/// What is known of a value.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Fact {
    Number(u64),
    NotZero,
    /// As a signed number.
    Negative,
}

/// Facts at one place.
#[derive(Clone)]
pub(crate) struct Facts<'a> {
    body: &'a Body,
    known: BTreeMap<ValueId, Fact>,
    /// Of what variables hold that stayed in memory (as all do in a function that calls `setjmp`), by their address.
    held: BTreeMap<ValueId, Fact>,
    /// The addresses of variables that nobody else knows.
    private: Rc<BTreeSet<ValueId>>,
}

impl<'a> Facts<'a> {
    pub(crate) fn new(body: &'a Body) -> Facts<'a> {
        Facts { body, known: BTreeMap::new(), held: BTreeMap::new(), private: Rc::new(private(body)) }
    }

    /// What tells two states at one block apart.
    pub(crate) fn key(&self) -> Vec<(ValueId, Fact)> {
        self.known.iter().chain(&self.held).map(|(&value, &fact)| (value, fact)).collect()
    }

    pub(crate) fn set(&mut self, value: ValueId, fact: Fact) {
        self.known.insert(value, fact);
    }

    /// Passes the rest of a block: what it computes anew is not what it was, and variables hold what they are given.
    pub(crate) fn pass(&mut self, block: BlockId, from: usize) {
        for &inst in self.body.blocks[block].insts.iter().skip(from) {
            let data = &self.body.insts[inst];
            let loaded = match data.op {
                Op::Phi { .. } => continue,
                Op::Store { addr, value, .. } if self.private.contains(&addr) => {
                    match self.of(value) {
                        Some(fact) => self.held.insert(addr, fact),
                        None => self.held.remove(&addr),
                    };
                    None
                }
                Op::Load { addr, .. } => self.held.get(&addr).copied(),
                _ => None,
            };
            if let Some(result) = data.result {
                match loaded {
                    Some(fact) => self.known.insert(result, fact),
                    None => self.known.remove(&result),
                };
            }
        }
    }

    /// The facts at the end of a path on which calls gave this. Of numbers that a solver chose only the sign counts.
    pub(crate) fn after(body: &'a Body, blocks: &[BlockId], results: &[Given]) -> Facts<'a> {
        let mut facts = Facts::new(body);
        for given in results.iter().filter(|given| given.decides) {
            let Some(value) = body.insts[given.call].result else { continue };
            let fact = match given.value {
                Got::Address => Fact::NotZero,
                Got::Number(0) => Fact::Number(0),
                Got::Number(word) if signed(word, body.ty(value)).is_some_and(|number| number < 0) => {
                    Fact::Negative
                }
                Got::Number(_) => Fact::NotZero,
            };
            facts.set(value, fact);
        }
        for pair in blocks.windows(2) {
            facts = facts.along(pair[0], pair[1]);
        }
        facts
    }

    /// The facts behind an edge: what merges there is what comes along it.
    pub(crate) fn along(&self, from: BlockId, to: BlockId) -> Facts<'a> {
        let mut next = self.clone();
        for (_, inst) in self.body.block_insts(to) {
            let (Op::Phi { incoming }, Some(result)) = (&inst.op, inst.result) else { continue };
            let value = incoming.iter().find(|(block, _)| *block == from).map(|(_, value)| *value);
            match value.and_then(|value| self.of(value)) {
                Some(fact) => next.known.insert(result, fact),
                None => next.known.remove(&result),
            };
        }
        next
    }

    /// The blocks that may follow a terminator.
    pub(crate) fn successors(&self, term: &Terminator) -> Vec<BlockId> {
        let mut next = Vec::new();
        match term {
            Terminator::Branch { cond, then, other } => match self.of(*cond) {
                Some(Fact::Number(0)) => next.push(*other),
                Some(_) => next.push(*then),
                None => next.extend([*then, *other]),
            },
            Terminator::Switch { value, cases, default } => match self.of(*value) {
                Some(Fact::Number(word)) => {
                    let case = cases.iter().find(|case| case.0 == u128::from(word));
                    next.push(case.map_or(*default, |case| case.1));
                }
                Some(fact) => {
                    let ty = self.body.ty(*value);
                    let possible = cases.iter().filter(|case| fits(fact, case.0 as u64, ty));
                    next.extend(possible.map(|case| case.1));
                    next.push(*default);
                }
                None => term.successors(|block| next.push(block)),
            },
            _ => term.successors(|block| next.push(block)),
        }
        next.sort_unstable();
        next.dedup();
        next
    }

    pub(crate) fn of(&self, value: ValueId) -> Option<Fact> {
        self.value(value, OPERATIONS_TO_TEST)
    }

    fn value(&self, value: ValueId, depth: u32) -> Option<Fact> {
        if let Some(&fact) = self.known.get(&value) {
            return Some(fact);
        }
        match self.body.constant(value) {
            Some(Const::Bits(bits)) => return Some(Fact::Number(*bits)),
            Some(Const::Zero) => return Some(Fact::Number(0)),
            Some(Const::Global { .. } | Const::Func(_)) => return Some(Fact::NotZero),
            Some(_) => return None,
            None => {}
        }
        let depth = depth.checked_sub(1)?;
        match *self.body.def_op(value)? {
            Op::Convert { op, value: inner } => self.converted(op, inner, self.body.ty(value), depth),
            Op::Compare { op, lhs, rhs } => {
                let against = match self.value(rhs, depth)? {
                    Fact::Number(word) => word,
                    _ => return None,
                };
                let holds = compared(op, self.value(lhs, depth)?, against, self.body.ty(lhs))?;
                Some(Fact::Number(u64::from(holds)))
            }
            Op::Binary { op: BinaryOp::Xor, lhs, rhs }
                if self.body.ty(value) == Type::BOOL && self.body.bits(rhs) == Some(1) =>
            {
                match self.value(lhs, depth)? {
                    Fact::Number(word) => Some(Fact::Number(1 - (word & 1))),
                    _ => Some(Fact::Number(0)),
                }
            }
            Op::Select { cond, then, other } => match self.value(cond, depth)? {
                Fact::Number(0) => self.value(other, depth),
                _ => self.value(then, depth),
            },
            _ => None,
        }
    }

    fn converted(&self, op: ConvertOp, inner: ValueId, to: Type, depth: u32) -> Option<Fact> {
        let from = self.body.ty(inner);
        let fact = self.value(inner, depth)?;
        match (op, fact) {
            (ConvertOp::ZeroExtend, Fact::Number(word)) => Some(Fact::Number(word & mask(from)?)),
            (ConvertOp::ZeroExtend, _) => Some(Fact::NotZero),
            (ConvertOp::SignExtend, Fact::Number(word)) => {
                Some(Fact::Number(signed(word, from)? as u64 & mask(to)?))
            }
            (ConvertOp::SignExtend, fact) => Some(fact),
            _ => None,
        }
    }
}

/// Variables in memory whose address is used for nothing but to read and write all of them.
fn private(body: &Body) -> BTreeSet<ValueId> {
    let stack = body.insts.values().filter(|inst| matches!(inst.op, Op::Stack { .. }));
    let mut private: BTreeSet<ValueId> = stack.filter_map(|inst| inst.result).collect();
    for inst in body.insts.values() {
        match inst.op {
            Op::Load { .. } | Op::Name { .. } => {}
            Op::Store { value, .. } => {
                private.remove(&value);
            }
            ref op => op.operands(|value| {
                private.remove(&value);
            }),
        }
    }
    private
}

/// The bits that a value of a type has, for types that are known by one word.
fn mask(ty: Type) -> Option<u64> {
    match ty {
        Type::Int(bits @ 1..=64) => Some(u64::MAX >> (64 - bits)),
        Type::Ptr => Some(u64::MAX),
        _ => None,
    }
}

/// The same as a signed number, for types that are known by one word.
fn signed(word: u64, ty: Type) -> Option<i64> {
    mask(ty).map(|_| ty.signed(word))
}

/// Whether a number may be what a fact says.
fn fits(fact: Fact, word: u64, ty: Type) -> bool {
    match fact {
        Fact::Number(number) => number == word,
        Fact::NotZero => word != 0,
        Fact::Negative => signed(word, ty).is_none_or(|number| number < 0),
    }
}

/// How a comparison with a number turns out, if that is known.
fn compared(op: CompareOp, fact: Fact, against: u64, ty: Type) -> Option<bool> {
    let other = signed(against, ty)?;
    match fact {
        Fact::Number(word) => {
            let number = signed(word, ty)?;
            let (word, against) = (word & mask(ty)?, against & mask(ty)?);
            Some(match op {
                CompareOp::Eq => word == against,
                CompareOp::Ne => word != against,
                CompareOp::Slt => number < other,
                CompareOp::Sle => number <= other,
                CompareOp::Sgt => number > other,
                CompareOp::Sge => number >= other,
                CompareOp::Ult => word < against,
                CompareOp::Ule => word <= against,
                CompareOp::Ugt => word > against,
                CompareOp::Uge => word >= against,
            })
        }
        Fact::NotZero if other == 0 => match op {
            CompareOp::Eq | CompareOp::Ule => Some(false),
            CompareOp::Ne | CompareOp::Ugt => Some(true),
            _ => None,
        },
        Fact::NotZero => None,
        // Below zero: never above or equal to what is not below it.
        Fact::Negative if other >= 0 => match op {
            CompareOp::Eq | CompareOp::Sgt | CompareOp::Sge => Some(false),
            CompareOp::Ne | CompareOp::Slt | CompareOp::Sle => Some(true),
            _ => None,
        },
        Fact::Negative => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: Type = Type::Int(32);

    #[test]
    fn a_negative_result_decides_tests_against_what_is_not_negative() {
        assert_eq!(compared(CompareOp::Slt, Fact::Negative, 0, INT), Some(true));
        assert_eq!(compared(CompareOp::Sge, Fact::Negative, 0, INT), Some(false));
        assert_eq!(compared(CompareOp::Eq, Fact::Negative, 0xffff_ffff, INT), None);
    }

    #[test]
    fn numbers_are_compared_at_their_width() {
        let minus_one = Fact::Number(0xffff_ffff);
        assert_eq!(compared(CompareOp::Slt, minus_one, 0, INT), Some(true));
        assert_eq!(compared(CompareOp::Ult, minus_one, 0, INT), Some(false));
        assert_eq!(compared(CompareOp::Eq, minus_one, u64::MAX, INT), Some(true));
    }

    #[test]
    fn what_is_not_zero_is_only_that() {
        assert_eq!(compared(CompareOp::Ne, Fact::NotZero, 0, Type::Ptr), Some(true));
        assert_eq!(compared(CompareOp::Slt, Fact::NotZero, 0, INT), None);
        assert_eq!(compared(CompareOp::Eq, Fact::NotZero, 5, INT), None);
    }

    #[test]
    fn a_path_decides_what_merges_on_it() {
        let text = "func @f(%c: i1) -> i32 {\nbb0:\n  branch %c, bb1, bb2\nbb1:\n  jump bb2\nbb2:\n  \
                    %r: i32 = phi [bb0: i32 0, bb1: i32 -1]\n  return %r\n}\n";
        let program = watertight_ir::parse("f.ir", text).unwrap_or_else(|error| panic!("{error}"));
        let f = program.function_named("f").expect("f is there");
        let body = program.functions[f].body.as_ref().expect("f has a body");
        let blocks: Vec<BlockId> = body.blocks.ids().collect();
        let Terminator::Return(Some(result)) = body.blocks[blocks[2]].term else { panic!("it returns") };
        let facts = Facts::after(body, &[blocks[0], blocks[1], blocks[2]], &[]);
        let minus_one = facts.of(result).map(|fact| compared(CompareOp::Slt, fact, 0, INT));
        assert_eq!(minus_one, Some(Some(true)));
        let facts = Facts::after(body, &[blocks[0], blocks[2]], &[]);
        assert_eq!(facts.of(result), Some(Fact::Number(0)));
    }
}
