//! Rules for `ite`, the choice between two values, and the pushing of operations into choices.
//!
//! Where control flow joins, a variable becomes the choice between what the branches left in it. Such merged values
//! often end in constants: error codes, flags, null. An operation with a constant on such a choice is done on both
//! sides instead ("lifted"), which makes `ite(c, 0, -1) == 0` the condition `c`. It is done when a side is a constant,
//! or when both sides are choices of this kind, so every path through the choice ends early. Results are kept per
//! choice, so a merged value that is shared is rewritten once.

use super::{DEEP, Terms};
use crate::term::{BinaryOp, Lifted, Term, TermId, UnaryOp};
use crate::width::Width;

/// The operations that are pushed into choices. The argument is a constant term, a width or a bit range.
#[derive(Clone, Copy)]
#[repr(u8)]
pub(super) enum Lift {
    Not,
    Neg,
    And,
    Or,
    Xor,
    Add,
    Mul,
    Eq,
    ULt,
    SLt,
    ZeroExtend,
    SignExtend,
    Extract,
    /// A constant follows below the choice.
    ConcatBelow,
}

impl Terms {
    /// The second term when the first is true, else the third.
    pub fn ite(&mut self, condition: TermId, then: TermId, otherwise: TermId) -> TermId {
        assert_eq!(self.width(condition), Width::BOOL, "the condition of a choice is a boolean");
        assert_eq!(self.width(then), self.width(otherwise), "both sides of a choice have equal widths");
        let (mut condition, mut then, mut otherwise) = (condition, then, otherwise);
        while let Term::Unary(UnaryOp::Not, opposite) = self.view(condition) {
            (condition, then, otherwise) = (opposite, otherwise, then);
        }
        if condition == TermId::TRUE || then == otherwise {
            return then;
        }
        if condition == TermId::FALSE {
            return otherwise;
        }
        if self.nesting >= DEEP {
            return self.intern_ite(condition, then, otherwise);
        }
        self.nesting += 1;
        let rewritten = self.ite_rules(condition, then, otherwise);
        self.nesting -= 1;
        rewritten.unwrap_or_else(|| self.intern_ite(condition, then, otherwise))
    }

    fn ite_rules(&mut self, c: TermId, then: TermId, otherwise: TermId) -> Option<TermId> {
        if self.width(then) == Width::BOOL
            && let Some(rewritten) = self.ite_boolean(c, then, otherwise)
        {
            return Some(rewritten);
        }
        // Inside a side the condition is known.
        if let Some(known) = self.assuming(then, c, true) {
            return Some(self.ite(c, known, otherwise));
        }
        if let Some(known) = self.assuming(otherwise, c, false) {
            return Some(self.ite(c, then, known));
        }
        // Choices between the same values are one choice.
        if let Term::Ite(d, x, y) = self.view(otherwise) {
            if x == then {
                let either = self.or(c, d);
                return Some(self.ite(either, then, y));
            }
            if y == then {
                let not_c = self.not(c);
                let second = self.and(not_c, d);
                return Some(self.ite(second, x, then));
            }
        }
        if let Term::Ite(d, x, y) = self.view(then) {
            if y == otherwise {
                let both = self.and(c, d);
                return Some(self.ite(both, x, otherwise));
            }
            if x == otherwise {
                let not_d = self.not(d);
                let second = self.and(c, not_d);
                return Some(self.ite(second, y, otherwise));
            }
        }
        if let Term::Binary(BinaryOp::Eq, x, k) = self.view(c) {
            // x == k ? k : x is x, and where x == k holds the constant may stand for x.
            if then == k && otherwise == x {
                return Some(x);
            }
            if then == x && otherwise == k {
                return Some(k);
            }
            if then == x && self.is_const(k) {
                return Some(self.ite(c, k, otherwise));
            }
        }
        None
    }

    /// What a side of a choice becomes when it is again a choice on the same condition.
    fn assuming(&self, side: TermId, condition: TermId, holds: bool) -> Option<TermId> {
        match self.view(side) {
            Term::Ite(c, x, y) if c == condition => Some(if holds { x } else { y }),
            _ => None,
        }
    }

    fn ite_boolean(&mut self, c: TermId, then: TermId, otherwise: TermId) -> Option<TermId> {
        if then == TermId::TRUE || then == c {
            return Some(self.or(c, otherwise));
        }
        if then == TermId::FALSE || self.are_opposite(then, c) {
            let not_c = self.not(c);
            return Some(self.and(not_c, otherwise));
        }
        if otherwise == TermId::FALSE || otherwise == c {
            return Some(self.and(c, then));
        }
        if otherwise == TermId::TRUE || self.are_opposite(otherwise, c) {
            return Some(self.implies(c, then));
        }
        if self.are_opposite(then, otherwise) {
            return Some(self.eq(c, then));
        }
        // One of a condition and its negation is the name of both.
        if let Term::Unary(UnaryOp::Not, opposite) = self.view(then) {
            let otherwise = self.not(otherwise);
            let negated = self.ite(c, opposite, otherwise);
            return Some(self.not(negated));
        }
        None
    }

    /// Whether operations with constants are pushed into this choice.
    #[inline]
    pub(super) fn can_lift(&self, choice: TermId) -> bool {
        self.is_liftable(choice) && self.nesting < DEEP
    }

    /// Does the operation on both sides of a choice.
    pub(super) fn lift(&mut self, operation: Lift, choice: TermId, argument: u32) -> TermId {
        let key = Lifted { operation: operation as u8, choice, argument };
        if let Some(&known) = self.lifted.get(&key) {
            return known;
        }
        let Term::Ite(condition, then, otherwise) = self.view(choice) else {
            panic!("an operation is pushed into choices only");
        };
        self.nesting += 1;
        let then = self.lifted_side(operation, then, argument);
        let otherwise = self.lifted_side(operation, otherwise, argument);
        let result = self.ite(condition, then, otherwise);
        self.nesting -= 1;
        self.lifted.insert(key, result);
        result
    }

    fn lifted_side(&mut self, operation: Lift, side: TermId, argument: u32) -> TermId {
        match operation {
            Lift::Not => self.not(side),
            Lift::Neg => self.neg(side),
            Lift::And => self.and(side, TermId::from_raw(argument)),
            Lift::Or => self.or(side, TermId::from_raw(argument)),
            Lift::Xor => self.xor(side, TermId::from_raw(argument)),
            Lift::Add => self.add(side, TermId::from_raw(argument)),
            Lift::Mul => self.mul(side, TermId::from_raw(argument)),
            Lift::Eq => self.eq(side, TermId::from_raw(argument)),
            Lift::ULt => self.ult(side, TermId::from_raw(argument)),
            Lift::SLt => self.slt(side, TermId::from_raw(argument)),
            Lift::ZeroExtend => self.zext(side, Width::of(argument)),
            Lift::SignExtend => self.sext(side, Width::of(argument)),
            Lift::Extract => self.extract(side, argument >> 8, argument & 0xff),
            Lift::ConcatBelow => self.concat(side, TermId::from_raw(argument)),
        }
    }
}
