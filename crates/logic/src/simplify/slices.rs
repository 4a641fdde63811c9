//! Rules for `extract`, `concat`, `zext`, `sext`.
//!
//! Bit ranges are brought to one form: leading zeros and sign copies stand outermost as an extension, concatenations
//! lean to the right, and neighbouring ranges of one term are joined. So a value that was stored byte by byte and is
//! read back whole is that value again. An extended boolean is the choice between two constants.

use super::{BRANCHING, Terms};
use crate::semantics;
use crate::simplify::choice::Lift;
use crate::term::{BinaryOp, Extension, Term, TermId, UnaryOp};
use crate::width::Width;

impl Terms {
    /// The bits from `low` to `high`, both included.
    pub fn extract(&mut self, of: TermId, high: u32, low: u32) -> TermId {
        let bits = self.width(of).bits();
        assert!(low <= high && high < bits, "extracted bits lie inside the term");
        if low == 0 && high == bits - 1 {
            return of;
        }
        let width = Width::of(high - low + 1);
        if let Some(value) = self.const_value(of) {
            return self.constant(width, semantics::extract(value, high, low));
        }
        if self.nesting >= super::DEEP {
            return self.intern_extract(of, high, low);
        }
        self.nesting += 1;
        let rewritten = self.extract_rules(of, high, low, width);
        self.nesting -= 1;
        rewritten.unwrap_or_else(|| self.intern_extract(of, high, low))
    }

    /// The lowest bits of a term.
    pub fn truncate(&mut self, of: TermId, width: Width) -> TermId {
        self.extract(of, width.bits() - 1, 0)
    }

    fn extract_rules(&mut self, of: TermId, high: u32, low: u32, width: Width) -> Option<TermId> {
        match self.view(of) {
            Term::Extract { of: inner, low: below, .. } => {
                Some(self.extract(inner, high + below, low + below))
            }
            Term::Binary(BinaryOp::Concat, upper, lower) => {
                let split = self.width(lower).bits();
                Some(if low >= split {
                    self.extract(upper, high - split, low - split)
                } else if high < split {
                    self.extract(lower, high, low)
                } else {
                    let (upper, lower) =
                        (self.extract(upper, high - split, 0), self.extract(lower, split - 1, low));
                    self.concat(upper, lower)
                })
            }
            Term::Extend(extension, inner) => {
                let top = self.width(inner).bits() - 1;
                Some(if high <= top {
                    self.extract(inner, high, low)
                } else if low <= top {
                    let kept = self.extract(inner, top, low);
                    self.extend(extension, kept, width)
                } else if extension == Extension::Zero {
                    self.constant(width, 0)
                } else {
                    let sign = self.extract(inner, top, top);
                    self.sext(sign, width)
                })
            }
            Term::Ite(..) if self.can_lift(of) => Some(self.lift(Lift::Extract, of, high << 8 | low)),
            // Operations whose bits do not depend on higher bits are done on the narrow operands, when these lose
            // something by it; otherwise the operation would only be written twice.
            _ if self.nesting > BRANCHING => None,
            Term::Unary(UnaryOp::Not, a) if self.gives_range(a) => {
                let a = self.extract(a, high, low);
                Some(self.not(a))
            }
            Term::Unary(UnaryOp::Neg, a) if low == 0 && self.gives_range(a) => {
                let a = self.extract(a, high, 0);
                Some(self.neg(a))
            }
            Term::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor), a, b)
                if self.gives_range(a) && self.gives_range(b) =>
            {
                let (a, b) = (self.extract(a, high, low), self.extract(b, high, low));
                Some(self.binary(op, a, b))
            }
            Term::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b)
                if low == 0 && self.gives_range(a) && self.gives_range(b) =>
            {
                let (a, b) = (self.extract(a, high, 0), self.extract(b, high, 0));
                Some(self.binary(op, a, b))
            }
            // Below a shifted value there are zeros, and a constant on them carries nothing: what was shifted out comes
            // back as it was, `((x << 1) + 1) >> 1`.
            Term::Binary(BinaryOp::Add, a, c)
                if let (Term::Binary(BinaryOp::Concat, upper, lower), Some(plus)) =
                    (self.view(a), self.const_value(c))
                    && self.const_value(lower) == Some(0)
                    && low >= self.width(lower).bits() =>
            {
                let split = self.width(lower).bits();
                let plus = self.like(upper, plus >> split);
                let sum = self.add(upper, plus);
                Some(self.extract(sum, high - split, low - split))
            }
            // A constant offset passes through, so that narrow sums keep their constant outermost.
            Term::Binary(BinaryOp::Add, a, c) if low == 0 && self.is_const(c) => {
                let (a, c) = (self.extract(a, high, 0), self.extract(c, high, 0));
                Some(self.add(a, c))
            }
            Term::Ite(condition, then, otherwise)
                if self.gives_range(then) && self.gives_range(otherwise) =>
            {
                let (then, otherwise) = (self.extract(then, high, low), self.extract(otherwise, high, low));
                Some(self.ite(condition, then, otherwise))
            }
            _ => None,
        }
    }

    /// Whether taking a bit range of this term does not need a new operation on the whole term.
    fn gives_range(&self, term: TermId) -> bool {
        matches!(
            self.view(term),
            Term::Const(_) | Term::Extend(..) | Term::Extract { .. } | Term::Binary(BinaryOp::Concat, ..)
        )
    }

    /// Both terms side by side; the first becomes the upper bits.
    pub fn concat(&mut self, high: TermId, low: TermId) -> TermId {
        self.nested(BinaryOp::Concat, high, low, concat_rules)
    }

    /// Makes a term wider with zeros.
    pub fn zext(&mut self, a: TermId, width: Width) -> TermId {
        let from = self.width(a);
        assert!(width >= from, "an extension does not make a term narrower");
        if from == width {
            return a;
        }
        match self.view(a) {
            Term::Const(value) => self.constant(width, value),
            Term::Extend(Extension::Zero, inner) => self.intern_extend(Extension::Zero, inner, width),
            Term::Ite(..) if self.can_lift(a) => self.lift(Lift::ZeroExtend, a, width.bits()),
            _ if from == Width::BOOL => {
                let (one, zero) = (self.constant(width, 1), self.constant(width, 0));
                self.ite(a, one, zero)
            }
            _ => self.intern_extend(Extension::Zero, a, width),
        }
    }

    /// Makes a term wider with copies of its sign bit.
    pub fn sext(&mut self, a: TermId, width: Width) -> TermId {
        let from = self.width(a);
        assert!(width >= from, "an extension does not make a term narrower");
        if from == width {
            return a;
        }
        match self.view(a) {
            Term::Const(value) => {
                self.constant(width, semantics::extend(Extension::Sign, from, width, value))
            }
            Term::Extend(Extension::Sign, inner) => self.intern_extend(Extension::Sign, inner, width),
            Term::Ite(..) if self.can_lift(a) => self.lift(Lift::SignExtend, a, width.bits()),
            _ if from == Width::BOOL => {
                let (ones, zero) = (self.constant(width, width.ones()), self.constant(width, 0));
                self.ite(a, ones, zero)
            }
            _ if self.is_non_negative(a) => self.zext(a, width),
            _ => self.intern_extend(Extension::Sign, a, width),
        }
    }

    /// The wider or narrower term, whichever is asked for.
    pub fn resize(&mut self, extension: Extension, a: TermId, width: Width) -> TermId {
        if width < self.width(a) { self.truncate(a, width) } else { self.extend(extension, a, width) }
    }
}

fn concat_rules(terms: &mut Terms, high: TermId, low: TermId) -> Option<TermId> {
    let width = Width::of(terms.width(high).bits() + terms.width(low).bits());
    match terms.view(high) {
        Term::Const(0) => return Some(terms.zext(low, width)),
        Term::Extend(extension, inner) => {
            let joined = terms.concat(inner, low);
            return Some(terms.extend(extension, joined, width));
        }
        Term::Binary(BinaryOp::Concat, first, second) => {
            let rest = terms.concat(second, low);
            return Some(terms.concat(first, rest));
        }
        Term::Ite(..) if terms.is_const(low) && terms.can_lift(high) => {
            return Some(terms.lift(Lift::ConcatBelow, high, low.raw()));
        }
        _ => {}
    }
    if let Some(joined) = join(terms, high, low) {
        return Some(joined);
    }
    if let Term::Binary(BinaryOp::Concat, next, rest) = terms.view(low)
        && let Some(joined) = join(terms, high, next)
    {
        return Some(terms.concat(joined, rest));
    }
    None
}

/// Two neighbours that are constants, or neighbouring ranges of one term, as one.
fn join(terms: &mut Terms, high: TermId, low: TermId) -> Option<TermId> {
    if terms.is_const(high) && terms.is_const(low) {
        return Some(terms.concat(high, low));
    }
    let (upper, top, bottom) = as_range(terms, high);
    let (lower, middle, end) = as_range(terms, low);
    (upper == lower && bottom == middle + 1).then(|| terms.extract(upper, top, end))
}

/// A term as a bit range of another.
fn as_range(terms: &Terms, term: TermId) -> (TermId, u32, u32) {
    match terms.view(term) {
        Term::Extract { of, high, low } => (of, high, low),
        _ => (term, terms.width(term).bits() - 1, 0),
    }
}
