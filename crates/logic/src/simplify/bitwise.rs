//! Rules for `not`, `and`, `or`, `xor`.
//!
//! On booleans `or` is written with `not` and `and`, and `xor` with `not` and `eq`, so that a formula and its negation
//! differ by one `not`. On wider terms an `and` with a contiguous mask becomes the bit range it keeps.

use super::Terms;
use crate::semantics;
use crate::simplify::choice::Lift;
use crate::term::{BinaryOp, Term, TermId, UnaryOp};
use crate::width::Width;

impl Terms {
    /// Flips every bit.
    pub fn not(&mut self, a: TermId) -> TermId {
        let width = self.width(a);
        match self.view(a) {
            Term::Const(value) => self.constant(width, semantics::unary(UnaryOp::Not, width, value)),
            Term::Unary(UnaryOp::Not, inner) => inner,
            // ~(-x) is x - 1.
            Term::Unary(UnaryOp::Neg, inner) if width != Width::BOOL => {
                let ones = self.constant(width, width.ones());
                self.add(inner, ones)
            }
            Term::Ite(..) if self.can_lift(a) => self.lift(Lift::Not, a, 0),
            _ => self.intern_unary(UnaryOp::Not, a),
        }
    }

    /// Bitwise conjunction.
    pub fn and(&mut self, a: TermId, b: TermId) -> TermId {
        self.nested(BinaryOp::And, a, b, and_rules)
    }

    /// Bitwise disjunction.
    pub fn or(&mut self, a: TermId, b: TermId) -> TermId {
        if self.width(a) == Width::BOOL {
            let (a, b) = (self.not(a), self.not(b));
            let neither = self.and(a, b);
            return self.not(neither);
        }
        self.nested(BinaryOp::Or, a, b, or_rules)
    }

    /// Bitwise exclusive or.
    pub fn xor(&mut self, a: TermId, b: TermId) -> TermId {
        if self.width(a) == Width::BOOL {
            let same = self.eq(a, b);
            return self.not(same);
        }
        self.nested(BinaryOp::Xor, a, b, xor_rules)
    }

    /// Boolean implication.
    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        let not_b = self.not(b);
        let broken = self.and(a, not_b);
        self.not(broken)
    }

    /// Two terms of which at most one has a bit set at each place, joined into one by their bit ranges:
    /// `x << 8 | y` with `y < 256` is the concatenation of both.
    pub(super) fn join_disjoint(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        self.join_below(a, b).or_else(|| self.join_below(b, a))
    }

    fn join_below(&mut self, above: TermId, below: TermId) -> Option<TermId> {
        let width = self.width(above);
        // Leading zeros stand outermost, as an extension.
        let shifted = match self.view(above) {
            Term::Extend(crate::term::Extension::Zero, inner) => inner,
            _ => above,
        };
        let Term::Binary(BinaryOp::Concat, high, low) = self.view(shifted) else { return None };
        if self.const_value(low) != Some(0) || self.upper_bound(below) > self.width(low).ones() {
            return None;
        }
        let low = self.extract(below, self.width(low).bits() - 1, 0);
        let joined = self.concat(high, low);
        Some(self.zext(joined, width))
    }
}

fn and_rules(terms: &mut Terms, a: TermId, b: TermId) -> Option<TermId> {
    if a == b {
        return Some(a);
    }
    if terms.are_opposite(a, b) {
        return Some(terms.like(a, 0));
    }
    if let Some(mask) = terms.const_value(b) {
        return and_const(terms, a, mask, b);
    }
    if terms.width(a) == Width::BOOL {
        return and_boolean(terms, a, b).or_else(|| and_boolean(terms, b, a));
    }
    absorb(terms, BinaryOp::And, BinaryOp::Or, a, b)
        .or_else(|| absorb(terms, BinaryOp::And, BinaryOp::Or, b, a))
}

/// `x` and something of the same operation that contains `x`, or of the dual operation that contains `x`.
fn absorb(terms: &mut Terms, op: BinaryOp, dual: BinaryOp, x: TermId, other: TermId) -> Option<TermId> {
    match terms.view(other) {
        Term::Binary(inner, p, q) if inner == op && (p == x || q == x) => Some(other),
        Term::Binary(inner, p, q) if inner == dual && (p == x || q == x) => Some(x),
        _ => None,
    }
}

fn and_const(terms: &mut Terms, a: TermId, mask: u128, constant: TermId) -> Option<TermId> {
    let width = terms.width(a);
    if mask == 0 {
        return Some(constant);
    }
    if mask == width.ones() {
        return Some(a);
    }
    match terms.view(a) {
        Term::Binary(BinaryOp::And, x, inner) if terms.is_const(inner) => {
            let both = terms.and(inner, constant);
            return Some(terms.and(x, both));
        }
        Term::Binary(BinaryOp::Or, x, inner)
            if terms.const_value(inner).is_some_and(|set| set & mask == 0) =>
        {
            return Some(terms.and(x, constant));
        }
        Term::Ite(..) if terms.can_lift(a) => return Some(terms.lift(Lift::And, a, constant.raw())),
        _ => {}
    }
    // A contiguous mask keeps a bit range.
    let low = mask.trailing_zeros();
    let run = mask >> low;
    if run & run.wrapping_add(1) == 0 {
        let high = low + (run.count_ones() - 1);
        let kept = terms.extract(a, high, low);
        let placed = if low == 0 {
            kept
        } else {
            let zeros = terms.constant(Width::of(low), 0);
            terms.concat(kept, zeros)
        };
        return Some(terms.zext(placed, width));
    }
    None
}

/// Rules for `x` and a second boolean `y` that mentions `x`.
fn and_boolean(terms: &mut Terms, x: TermId, y: TermId) -> Option<TermId> {
    match terms.view(y) {
        Term::Binary(BinaryOp::And, p, q) => {
            if p == x || q == x {
                return Some(y);
            }
            if terms.are_opposite(p, x) || terms.are_opposite(q, x) {
                return Some(TermId::FALSE);
            }
        }
        Term::Unary(UnaryOp::Not, negated) => {
            if let Term::Binary(BinaryOp::And, p, q) = terms.view(negated) {
                // x & !(x & q) is x & !q; x & !(!x & q) is x.
                let rest = if p == x {
                    Some(q)
                } else if q == x {
                    Some(p)
                } else {
                    None
                };
                if let Some(rest) = rest {
                    let not_rest = terms.not(rest);
                    return Some(terms.and(x, not_rest));
                }
                if terms.are_opposite(p, x) || terms.are_opposite(q, x) {
                    return Some(x);
                }
            }
            // v == 1 & v != 2 is v == 1.
            if let (Some((v, k)), Some((w, l))) = (equals_const(terms, x), equals_const(terms, negated))
                && v == w
                && k != l
            {
                return Some(x);
            }
        }
        _ => {
            // v == 1 & v == 2 cannot be.
            if let (Some((v, k)), Some((w, l))) = (equals_const(terms, x), equals_const(terms, y))
                && v == w
                && k != l
            {
                return Some(TermId::FALSE);
            }
        }
    }
    None
}

/// The term and the constant of a comparison `v == k`.
fn equals_const(terms: &Terms, term: TermId) -> Option<(TermId, u128)> {
    match terms.view(term) {
        Term::Binary(BinaryOp::Eq, v, k) => terms.const_value(k).map(|k| (v, k)),
        _ => None,
    }
}

fn or_rules(terms: &mut Terms, a: TermId, b: TermId) -> Option<TermId> {
    if a == b {
        return Some(a);
    }
    let ones = terms.width(a).ones();
    if terms.are_opposite(a, b) {
        return Some(terms.like(a, ones));
    }
    if let Some(set) = terms.const_value(b) {
        if set == 0 {
            return Some(a);
        }
        if set == ones {
            return Some(b);
        }
        match terms.view(a) {
            Term::Binary(BinaryOp::Or, x, inner) if terms.is_const(inner) => {
                let both = terms.or(inner, b);
                return Some(terms.or(x, both));
            }
            Term::Ite(..) if terms.can_lift(a) => return Some(terms.lift(Lift::Or, a, b.raw())),
            _ => {}
        }
    }
    absorb(terms, BinaryOp::Or, BinaryOp::And, a, b)
        .or_else(|| absorb(terms, BinaryOp::Or, BinaryOp::And, b, a))
        .or_else(|| terms.join_disjoint(a, b))
}

fn xor_rules(terms: &mut Terms, a: TermId, b: TermId) -> Option<TermId> {
    if a == b {
        return Some(terms.like(a, 0));
    }
    let ones = terms.width(a).ones();
    if let Some(flipped) = terms.const_value(b) {
        if flipped == 0 {
            return Some(a);
        }
        if flipped == ones {
            return Some(terms.not(a));
        }
        match terms.view(a) {
            Term::Binary(BinaryOp::Xor, x, inner) if terms.is_const(inner) => {
                let both = terms.xor(inner, b);
                return Some(terms.xor(x, both));
            }
            Term::Ite(..) if terms.can_lift(a) => return Some(terms.lift(Lift::Xor, a, b.raw())),
            _ => {}
        }
    }
    for (x, y) in [(a, b), (b, a)] {
        if let Term::Unary(UnaryOp::Not, inner) = terms.view(x) {
            let flipped = terms.xor(inner, y);
            return Some(terms.not(flipped));
        }
        if let Term::Binary(BinaryOp::Xor, p, q) = terms.view(x) {
            if p == y {
                return Some(q);
            }
            if q == y {
                return Some(p);
            }
        }
    }
    terms.join_disjoint(a, b)
}
