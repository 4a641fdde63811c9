//! Rules for `neg`, `add`, `sub`, `mul`, the divisions and the shifts.
//!
//! A sum keeps its constant outermost: `(x + 1) + y` is `(x + y) + 1`. A difference with a constant is a sum. Constant
//! factors are distributed over such sums, so that `(i + 1) * 8` is `i * 8 + 8`. Shifts by constants and products
//! with powers of two become bit ranges.

use super::Terms;
use crate::semantics;
use crate::simplify::choice::Lift;
use crate::term::{BinaryOp, Extension, Term, TermId, UnaryOp};
use crate::width::Width;

impl Terms {
    /// The negative number, in two's complement.
    pub fn neg(&mut self, a: TermId) -> TermId {
        let width = self.width(a);
        if width == Width::BOOL {
            return a;
        }
        if self.nesting >= super::DEEP {
            return match self.const_value(a) {
                Some(value) => self.constant(width, semantics::unary(UnaryOp::Neg, width, value)),
                None => self.intern_unary(UnaryOp::Neg, a),
            };
        }
        self.nesting += 1;
        let result = match self.view(a) {
            Term::Const(value) => self.constant(width, semantics::unary(UnaryOp::Neg, width, value)),
            Term::Unary(UnaryOp::Neg, inner) => inner,
            Term::Unary(UnaryOp::Not, inner) => {
                let one = self.constant(width, 1);
                self.add(inner, one)
            }
            Term::Binary(BinaryOp::Sub, x, y) => self.sub(y, x),
            Term::Binary(BinaryOp::Add, x, c) if self.is_const(c) => {
                let (x, c) = (self.neg(x), self.neg(c));
                self.add(x, c)
            }
            Term::Binary(BinaryOp::Mul, x, c) if self.is_const(c) => {
                let c = self.neg(c);
                self.mul(x, c)
            }
            Term::Ite(..) if self.can_lift(a) => self.lift(Lift::Neg, a, 0),
            _ => self.intern_unary(UnaryOp::Neg, a),
        };
        self.nesting -= 1;
        result
    }

    /// The sum, wrapping around.
    pub fn add(&mut self, a: TermId, b: TermId) -> TermId {
        if self.width(a) == Width::BOOL {
            return self.xor(a, b);
        }
        self.nested(BinaryOp::Add, a, b, add_rules)
    }

    /// The difference, wrapping around.
    pub fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        if self.width(a) == Width::BOOL {
            return self.xor(a, b);
        }
        self.nested(BinaryOp::Sub, a, b, sub_rules)
    }

    /// The product, wrapping around.
    pub fn mul(&mut self, a: TermId, b: TermId) -> TermId {
        if self.width(a) == Width::BOOL {
            return self.and(a, b);
        }
        self.nested(BinaryOp::Mul, a, b, mul_rules)
    }

    /// Unsigned quotient; all ones when divided by zero.
    pub fn udiv(&mut self, a: TermId, b: TermId) -> TermId {
        self.nested(BinaryOp::UDiv, a, b, udiv_rules)
    }

    /// Unsigned remainder; the dividend when divided by zero.
    pub fn urem(&mut self, a: TermId, b: TermId) -> TermId {
        self.nested(BinaryOp::URem, a, b, urem_rules)
    }

    /// Signed quotient, rounded towards zero; see `semantics` for division by zero.
    pub fn sdiv(&mut self, a: TermId, b: TermId) -> TermId {
        self.nested(BinaryOp::SDiv, a, b, sdiv_rules)
    }

    /// Signed remainder with the sign of the dividend; the dividend when divided by zero.
    pub fn srem(&mut self, a: TermId, b: TermId) -> TermId {
        self.nested(BinaryOp::SRem, a, b, srem_rules)
    }

    /// Shift towards the upper bits, filling with zeros.
    pub fn shl(&mut self, a: TermId, b: TermId) -> TermId {
        self.nested(BinaryOp::Shl, a, b, shl_rules)
    }

    /// Shift towards the lower bits, filling with zeros.
    pub fn lshr(&mut self, a: TermId, b: TermId) -> TermId {
        self.nested(BinaryOp::LShr, a, b, lshr_rules)
    }

    /// Shift towards the lower bits, filling with the sign.
    pub fn ashr(&mut self, a: TermId, b: TermId) -> TermId {
        self.nested(BinaryOp::AShr, a, b, ashr_rules)
    }

    /// A sum as its non-constant part and its constant part.
    pub(super) fn base_and_offset(&self, term: TermId) -> (TermId, u128) {
        match self.view(term) {
            Term::Binary(BinaryOp::Add, x, c) => match self.const_value(c) {
                Some(offset) => (x, offset),
                None => (term, 0),
            },
            _ => (term, 0),
        }
    }
}

fn add_rules(terms: &mut Terms, a: TermId, b: TermId) -> Option<TermId> {
    if let Some(k) = terms.const_value(b) {
        if k == 0 {
            return Some(a);
        }
        return match terms.view(a) {
            Term::Binary(BinaryOp::Add, x, c) if terms.is_const(c) => {
                let sum = terms.add(c, b);
                Some(terms.add(x, sum))
            }
            // ~x + k is k - 1 - x.
            Term::Unary(UnaryOp::Not, x) => {
                let k = terms.like(a, k.wrapping_sub(1));
                Some(terms.sub(k, x))
            }
            Term::Ite(..) if terms.can_lift(a) => Some(terms.lift(Lift::Add, a, b.raw())),
            _ => None,
        };
    }
    if a == b {
        let two = terms.like(a, 2);
        return Some(terms.mul(a, two));
    }
    for (x, y) in [(a, b), (b, a)] {
        match terms.view(x) {
            Term::Binary(BinaryOp::Add, p, c) if terms.is_const(c) => {
                let sum = terms.add(p, y);
                return Some(terms.add(sum, c));
            }
            Term::Unary(UnaryOp::Neg, inner) => return Some(terms.sub(y, inner)),
            Term::Binary(BinaryOp::Sub, p, q) if q == y => return Some(p),
            _ => {}
        }
    }
    terms.join_disjoint(a, b)
}

fn sub_rules(terms: &mut Terms, a: TermId, b: TermId) -> Option<TermId> {
    if a == b {
        return Some(terms.like(a, 0));
    }
    if terms.is_const(b) {
        let negative = terms.neg(b);
        return Some(terms.add(a, negative));
    }
    if let Some(k) = terms.const_value(a) {
        let negative = terms.neg(b);
        if k == 0 {
            return Some(negative);
        }
        return Some(terms.add(negative, a));
    }
    match (terms.view(a), terms.view(b)) {
        (_, Term::Unary(UnaryOp::Neg, y)) => return Some(terms.add(a, y)),
        (Term::Binary(BinaryOp::Add, x, c), _) if terms.is_const(c) => {
            let difference = terms.sub(x, b);
            return Some(terms.add(difference, c));
        }
        (_, Term::Binary(BinaryOp::Add, y, c)) if terms.is_const(c) => {
            let difference = terms.sub(a, y);
            let negative = terms.neg(c);
            return Some(terms.add(difference, negative));
        }
        (Term::Binary(BinaryOp::Add, p, q), Term::Binary(BinaryOp::Add, r, s)) => {
            let rest = if p == r {
                Some((q, s))
            } else if p == s {
                Some((q, r))
            } else if q == r {
                Some((p, s))
            } else if q == s {
                Some((p, r))
            } else {
                None
            };
            if let Some((left, right)) = rest {
                return Some(terms.sub(left, right));
            }
        }
        _ => {}
    }
    match terms.view(a) {
        Term::Binary(BinaryOp::Add, p, q) if p == b => return Some(q),
        Term::Binary(BinaryOp::Add, p, q) if q == b => return Some(p),
        Term::Binary(BinaryOp::Sub, p, q) if p == b => return Some(terms.neg(q)),
        _ => {}
    }
    match terms.view(b) {
        Term::Binary(BinaryOp::Add, p, q) if p == a => Some(terms.neg(q)),
        Term::Binary(BinaryOp::Add, p, q) if q == a => Some(terms.neg(p)),
        Term::Binary(BinaryOp::Sub, p, q) if p == a => Some(q),
        _ => None,
    }
}

fn mul_rules(terms: &mut Terms, a: TermId, b: TermId) -> Option<TermId> {
    let width = terms.width(a);
    let k = terms.const_value(b)?;
    if k == 0 {
        return Some(b);
    }
    if k == 1 {
        return Some(a);
    }
    if k == width.ones() {
        return Some(terms.neg(a));
    }
    match terms.view(a) {
        Term::Binary(BinaryOp::Add, x, c) if terms.is_const(c) => {
            let (product, offset) = (terms.mul(x, b), terms.mul(c, b));
            return Some(terms.add(product, offset));
        }
        Term::Binary(BinaryOp::Mul, x, c) if terms.is_const(c) => {
            let factor = terms.mul(c, b);
            return Some(terms.mul(x, factor));
        }
        Term::Unary(UnaryOp::Neg, x) => {
            let factor = terms.neg(b);
            return Some(terms.mul(x, factor));
        }
        // (x << s) * k is x * (k << s); the shift is written as a bit range.
        Term::Binary(BinaryOp::Concat, high, low) if terms.const_value(low) == Some(0) => {
            if let Term::Extract { of, low: 0, .. } = terms.view(high)
                && terms.width(of) == width
            {
                let factor = terms.constant(width, k << terms.width(low).bits());
                return Some(terms.mul(of, factor));
            }
        }
        Term::Ite(..) if terms.can_lift(a) => return Some(terms.lift(Lift::Mul, a, b.raw())),
        _ => {}
    }
    k.is_power_of_two().then(|| shift_up(terms, a, k.trailing_zeros()))
}

/// `a << by` as a bit range, for `0 < by < width`.
fn shift_up(terms: &mut Terms, a: TermId, by: u32) -> TermId {
    let kept = terms.extract(a, terms.width(a).bits() - 1 - by, 0);
    let zeros = terms.constant(Width::of(by), 0);
    terms.concat(kept, zeros)
}

fn udiv_rules(terms: &mut Terms, a: TermId, b: TermId) -> Option<TermId> {
    let width = terms.width(a);
    let k = terms.const_value(b)?;
    if k == 0 {
        return Some(terms.like(a, width.ones()));
    }
    if k == 1 {
        return Some(a);
    }
    if terms.upper_bound(a) < k {
        return Some(terms.like(a, 0));
    }
    if k.is_power_of_two() {
        let by = terms.constant(width, u128::from(k.trailing_zeros()));
        return Some(terms.lshr(a, by));
    }
    match terms.view(a) {
        // The divisor fits into the narrow width, because the bound above did not hold.
        Term::Extend(Extension::Zero, x) if k <= terms.width(x).ones() => {
            let k = terms.like(x, k);
            let quotient = terms.udiv(x, k);
            Some(terms.zext(quotient, width))
        }
        _ => None,
    }
}

fn urem_rules(terms: &mut Terms, a: TermId, b: TermId) -> Option<TermId> {
    let width = terms.width(a);
    if a == b {
        return Some(terms.like(a, 0));
    }
    let k = terms.const_value(b)?;
    if k == 0 {
        return Some(a);
    }
    if k == 1 {
        return Some(terms.like(a, 0));
    }
    if terms.upper_bound(a) < k {
        return Some(a);
    }
    if k.is_power_of_two() {
        let low = terms.extract(a, k.trailing_zeros() - 1, 0);
        return Some(terms.zext(low, width));
    }
    match terms.view(a) {
        Term::Extend(Extension::Zero, x) if k <= terms.width(x).ones() => {
            let k = terms.like(x, k);
            let remainder = terms.urem(x, k);
            Some(terms.zext(remainder, width))
        }
        _ => None,
    }
}

fn sdiv_rules(terms: &mut Terms, a: TermId, b: TermId) -> Option<TermId> {
    if terms.is_non_negative(a) && terms.is_non_negative(b) {
        return Some(terms.udiv(a, b));
    }
    let width = terms.width(a);
    let k = terms.const_value(b)?;
    if k == 0 {
        let (zero, one, ones) = (terms.like(a, 0), terms.like(a, 1), terms.like(a, width.ones()));
        let negative = terms.slt(a, zero);
        return Some(terms.ite(negative, one, ones));
    }
    // On booleans 1 and -1 are the same pattern and both mean -1, whose negation is itself.
    if k == 1 {
        return Some(a);
    }
    if k == width.ones() {
        return Some(terms.neg(a));
    }
    None
}

fn srem_rules(terms: &mut Terms, a: TermId, b: TermId) -> Option<TermId> {
    if a == b {
        return Some(terms.like(a, 0));
    }
    if terms.is_non_negative(a) && terms.is_non_negative(b) {
        return Some(terms.urem(a, b));
    }
    match terms.const_value(b)? {
        0 => Some(a),
        k if k == 1 || k == terms.width(a).ones() => Some(terms.like(a, 0)),
        _ => None,
    }
}

fn shl_rules(terms: &mut Terms, a: TermId, b: TermId) -> Option<TermId> {
    let width = terms.width(a);
    if terms.const_value(a) == Some(0) {
        return Some(a);
    }
    let by = terms.const_value(b)?;
    if by == 0 {
        return Some(a);
    }
    if by >= u128::from(width.bits()) {
        return Some(terms.like(a, 0));
    }
    // As a product, which distributes over a constant offset.
    let factor = terms.constant(width, 1 << by);
    Some(terms.mul(a, factor))
}

fn lshr_rules(terms: &mut Terms, a: TermId, b: TermId) -> Option<TermId> {
    let width = terms.width(a);
    if terms.const_value(a) == Some(0) {
        return Some(a);
    }
    let by = terms.const_value(b)?;
    if by == 0 {
        return Some(a);
    }
    if by >= u128::from(width.bits()) {
        return Some(terms.like(a, 0));
    }
    let kept = terms.extract(a, width.bits() - 1, by as u32);
    Some(terms.zext(kept, width))
}

fn ashr_rules(terms: &mut Terms, a: TermId, b: TermId) -> Option<TermId> {
    let width = terms.width(a);
    if matches!(terms.const_value(a), Some(value) if value == 0 || value == width.ones()) {
        return Some(a);
    }
    if terms.is_non_negative(a) {
        return Some(terms.lshr(a, b));
    }
    let by = terms.const_value(b)?;
    if by == 0 {
        return Some(a);
    }
    let by = by.min(u128::from(width.bits()) - 1) as u32;
    let kept = terms.extract(a, width.bits() - 1, by);
    Some(terms.sext(kept, width))
}
