//! Building terms, with rewriting as they are built.
//!
//! Every constructor (`terms.add(a, b)`, `terms.eq(a, b)`, ...) folds constants, brings operands into one order and
//! applies the rewriting rules of its file: `bitwise`, `arithmetic`, `slices`, `compare`, `choice`. What comes out has
//! the same value as the plain operation under every assignment; `tests/terms.rs` checks that on random terms.
//!
//! The rules aim at three things. *One form for one meaning*, so that conditions written differently become one named
//! condition: `x >= 5`, `!(x < 5)` and `x > 4` are the same term up to `not`, `x | y` on booleans is made of `not` and
//! `and`, masks and constant shifts become bit ranges. *Correlation without a solver*: a comparison of a merged value
//! with a constant, `ite(c, 0, -1) == 0`, becomes the condition `c` itself, so that guards cancel. *Narrow terms*:
//! comparisons and arithmetic on extended values move to the narrow width C promoted them from.
//!
//! In a rewritten term `ULe`, `SLe` and, on booleans, `Or`, `Xor` and arithmetic do not occur; constants stand last.
//! No rule relies on that for being right, so raw and rewritten terms may be mixed.
//!
//! Rules may build further terms through the constructors. A nesting counter ends that: beyond a fixed depth an
//! operation is built plainly, so neither the call stack nor the work per term grows with the size of the terms.

mod arithmetic;
mod bitwise;
mod choice;
mod compare;
mod slices;

use crate::semantics;
use crate::term::{BinaryOp, Extension, Term, TermId, Terms, UnaryOp};
use crate::width::Width;

/// How deep rules that build one further term may nest.
const DEEP: u32 = 32;
/// How deep rules that build several further terms of equal kind may nest.
const BRANCHING: u32 = 6;

impl Terms {
    /// Builds an operation on one operand.
    pub fn unary(&mut self, op: UnaryOp, a: TermId) -> TermId {
        match op {
            UnaryOp::Not => self.not(a),
            UnaryOp::Neg => self.neg(a),
        }
    }

    /// Builds an operation on two operands.
    pub fn binary(&mut self, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        match op {
            BinaryOp::And => self.and(a, b),
            BinaryOp::Or => self.or(a, b),
            BinaryOp::Xor => self.xor(a, b),
            BinaryOp::Add => self.add(a, b),
            BinaryOp::Sub => self.sub(a, b),
            BinaryOp::Mul => self.mul(a, b),
            BinaryOp::UDiv => self.udiv(a, b),
            BinaryOp::URem => self.urem(a, b),
            BinaryOp::SDiv => self.sdiv(a, b),
            BinaryOp::SRem => self.srem(a, b),
            BinaryOp::Shl => self.shl(a, b),
            BinaryOp::LShr => self.lshr(a, b),
            BinaryOp::AShr => self.ashr(a, b),
            BinaryOp::Concat => self.concat(a, b),
            BinaryOp::Eq => self.eq(a, b),
            BinaryOp::ULt => self.ult(a, b),
            BinaryOp::ULe => self.ule(a, b),
            BinaryOp::SLt => self.slt(a, b),
            BinaryOp::SLe => self.sle(a, b),
        }
    }

    /// Makes a term wider.
    pub fn extend(&mut self, extension: Extension, a: TermId, width: Width) -> TermId {
        match extension {
            Extension::Zero => self.zext(a, width),
            Extension::Sign => self.sext(a, width),
        }
    }

    /// The conjunction of any number of booleans.
    pub fn and_all(&mut self, terms: impl IntoIterator<Item = TermId>) -> TermId {
        terms.into_iter().fold(TermId::TRUE, |all, term| self.and(all, term))
    }

    /// The disjunction of any number of booleans.
    pub fn or_all(&mut self, terms: impl IntoIterator<Item = TermId>) -> TermId {
        terms.into_iter().fold(TermId::FALSE, |any, term| self.or(any, term))
    }

    /// Runs rules one level deeper, or builds plainly when that would be too deep.
    fn nested(
        &mut self,
        op: BinaryOp,
        a: TermId,
        b: TermId,
        rules: fn(&mut Terms, TermId, TermId) -> Option<TermId>,
    ) -> TermId {
        if op != BinaryOp::Concat {
            assert_eq!(self.width(a), self.width(b), "operands of {op:?} have equal widths");
        }
        if let (Some(left), Some(right)) = (self.const_value(a), self.const_value(b)) {
            let operands = self.width(b);
            let width = match op {
                BinaryOp::Concat => Width::of(self.width(a).bits() + operands.bits()),
                _ if op.is_comparison() => Width::BOOL,
                _ => operands,
            };
            return self.constant(width, semantics::binary(op, operands, left, right));
        }
        let (a, b) = if op.is_commutative() { self.in_order(a, b) } else { (a, b) };
        if self.nesting < DEEP {
            self.nesting += 1;
            let rewritten = rules(self, a, b);
            self.nesting -= 1;
            if let Some(term) = rewritten {
                return term;
            }
        }
        self.intern_binary(op, a, b)
    }

    /// The operands of a commutative operation in their one order: a constant last, else the older term first.
    fn in_order(&self, a: TermId, b: TermId) -> (TermId, TermId) {
        let swap = match (self.is_const(a), self.is_const(b)) {
            (true, false) => true,
            (false, true) => false,
            _ => b < a,
        };
        if swap { (b, a) } else { (a, b) }
    }

    /// Whether one term is written as the negation of the other.
    fn are_opposite(&self, a: TermId, b: TermId) -> bool {
        self.view(a) == Term::Unary(UnaryOp::Not, b) || self.view(b) == Term::Unary(UnaryOp::Not, a)
    }

    /// The constant of another value with the width of this term.
    fn like(&mut self, term: TermId, value: u128) -> TermId {
        let width = self.width(term);
        self.constant(width, value)
    }

    /// A bound the unsigned value cannot exceed, seen from the outermost operations only.
    pub(crate) fn upper_bound(&self, term: TermId) -> u128 {
        self.bound(term, 8)
    }

    fn bound(&self, term: TermId, depth: u32) -> u128 {
        let ones = self.width(term).ones();
        if depth == 0 {
            return self.const_value(term).unwrap_or(ones);
        }
        match self.view(term) {
            Term::Const(value) => value,
            Term::Extend(Extension::Zero, inner) => self.bound(inner, depth - 1),
            Term::Binary(BinaryOp::And, _, mask) => self.const_value(mask).unwrap_or(ones),
            Term::Binary(BinaryOp::URem, _, by) => match self.const_value(by) {
                Some(by) if by > 0 => by - 1,
                _ => ones,
            },
            Term::Binary(BinaryOp::UDiv, of, by) => match self.const_value(by) {
                Some(by) if by > 0 => self.bound(of, depth - 1) / by,
                _ => ones,
            },
            Term::Binary(BinaryOp::Concat, high, low) => {
                self.bound(high, depth - 1) << self.width(low).bits() | self.bound(low, depth - 1)
            }
            Term::Ite(_, then, otherwise) => {
                // Both sides of a choice are looked at, so the depth is halved to keep the work small.
                self.bound(then, depth / 2).max(self.bound(otherwise, depth / 2))
            }
            _ => ones,
        }
    }

    /// Whether the sign bit is seen to be zero.
    fn is_non_negative(&self, term: TermId) -> bool {
        self.upper_bound(term) < self.width(term).sign_bit()
    }
}
