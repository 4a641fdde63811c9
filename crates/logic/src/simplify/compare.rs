//! Rules for `eq`, `ult`, `slt`; `ule` and `sle` are written with them.
//!
//! Constants stand on the right, and only strict orders remain, so `x > 4`, `x >= 5` and `!(x < 5)` share the one term
//! `x < 5`. Comparisons with constants are narrowed to the bits that matter, moved past constant offsets, and pushed
//! into merged values: comparing `ite(c, 0, -1)` with 0 is `c`.

use super::{BRANCHING, Terms};
use crate::semantics;
use crate::simplify::choice::Lift;
use crate::term::{BinaryOp, Extension, Term, TermId, UnaryOp};
use crate::width::Width;

impl Terms {
    /// Whether both terms have the same value.
    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        self.nested(BinaryOp::Eq, a, b, eq_rules)
    }

    /// Whether the terms have different values.
    pub fn ne(&mut self, a: TermId, b: TermId) -> TermId {
        let same = self.eq(a, b);
        self.not(same)
    }

    /// Unsigned less than.
    pub fn ult(&mut self, a: TermId, b: TermId) -> TermId {
        self.nested(BinaryOp::ULt, a, b, ult_rules)
    }

    /// Unsigned less than or equal.
    pub fn ule(&mut self, a: TermId, b: TermId) -> TermId {
        let greater = self.ult(b, a);
        self.not(greater)
    }

    /// Signed less than.
    pub fn slt(&mut self, a: TermId, b: TermId) -> TermId {
        self.nested(BinaryOp::SLt, a, b, slt_rules)
    }

    /// Signed less than or equal.
    pub fn sle(&mut self, a: TermId, b: TermId) -> TermId {
        let greater = self.slt(b, a);
        self.not(greater)
    }

    /// Whether a term is zero: a null pointer, a false C condition.
    pub fn is_zero(&mut self, a: TermId) -> TermId {
        let zero = self.like(a, 0);
        self.eq(a, zero)
    }
}

fn eq_rules(terms: &mut Terms, a: TermId, b: TermId) -> Option<TermId> {
    if a == b {
        return Some(TermId::TRUE);
    }
    if terms.are_opposite(a, b) {
        return Some(TermId::FALSE);
    }
    if terms.width(a) == Width::BOOL {
        return eq_boolean(terms, a, b);
    }
    if let Some(k) = terms.const_value(b) {
        return eq_const(terms, a, k, b);
    }
    eq_sums(terms, a, b).or_else(|| eq_shapes(terms, a, b)).or_else(|| eq_shapes(terms, b, a))
}

fn eq_boolean(terms: &mut Terms, a: TermId, b: TermId) -> Option<TermId> {
    if let Some(k) = terms.const_value(b) {
        return Some(if k == 1 { a } else { terms.not(a) });
    }
    for (x, y) in [(a, b), (b, a)] {
        if let Term::Unary(UnaryOp::Not, inner) = terms.view(x) {
            let same = terms.eq(inner, y);
            return Some(terms.not(same));
        }
    }
    None
}

/// The term equals the constant `k`, whose term is `constant`.
fn eq_const(terms: &mut Terms, a: TermId, k: u128, constant: TermId) -> Option<TermId> {
    let width = terms.width(a);
    if k > terms.upper_bound(a) {
        return Some(TermId::FALSE);
    }
    let moved = |terms: &mut Terms, x: TermId, k: u128| {
        let k = terms.like(x, k);
        Some(terms.eq(x, k))
    };
    match terms.view(a) {
        Term::Unary(UnaryOp::Not, x) => moved(terms, x, !k),
        Term::Unary(UnaryOp::Neg, x) => moved(terms, x, k.wrapping_neg()),
        Term::Extend(extension, x) => {
            let narrow = terms.width(x);
            if semantics::extend(extension, narrow, width, narrow.mask(k)) == k {
                moved(terms, x, k)
            } else {
                Some(TermId::FALSE)
            }
        }
        Term::Binary(op, x, y) => {
            let right = terms.const_value(y);
            match (op, right) {
                (BinaryOp::Add, Some(c)) => moved(terms, x, k.wrapping_sub(c)),
                (BinaryOp::Xor, Some(c)) => moved(terms, x, k ^ c),
                (BinaryOp::Mul, Some(c)) if c & 1 == 1 => moved(terms, x, k.wrapping_mul(inverse(c))),
                (BinaryOp::Mul, Some(c)) if c != 0 && k.trailing_zeros() < c.trailing_zeros() && k != 0 => {
                    Some(TermId::FALSE)
                }
                (BinaryOp::And, Some(c)) if k & !c != 0 => Some(TermId::FALSE),
                (BinaryOp::Or, Some(c)) if c & !k != 0 => Some(TermId::FALSE),
                (BinaryOp::Sub | BinaryOp::Xor, None) if k == 0 => Some(terms.eq(x, y)),
                // x | y is zero when both are.
                (BinaryOp::Or, None) if k == 0 && terms.nesting <= BRANCHING => {
                    let (x, y) = (terms.is_zero(x), terms.is_zero(y));
                    Some(terms.and(x, y))
                }
                (BinaryOp::Concat, _) if right.is_some() || terms.is_const(x) => {
                    let split = terms.width(y).bits();
                    let upper = terms.like(x, k >> split);
                    let lower = terms.like(y, k);
                    let upper = terms.eq(x, upper);
                    let lower = terms.eq(y, lower);
                    Some(terms.and(upper, lower))
                }
                _ => None,
            }
        }
        Term::Ite(..) if terms.can_lift(a) => Some(terms.lift(Lift::Eq, a, constant.raw())),
        _ => None,
    }
}

/// The number whose product with this odd number is 1, modulo 2^128 and so modulo every smaller power.
fn inverse(odd: u128) -> u128 {
    // Newton's iteration doubles the number of right bits; an odd number is its own inverse modulo 8.
    let mut guess = odd;
    for _ in 0..6 {
        guess = guess.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(guess)));
    }
    guess
}

/// Sums are compared with the constant offset on the side of the older base.
fn eq_sums(terms: &mut Terms, a: TermId, b: TermId) -> Option<TermId> {
    let width = terms.width(a);
    let ((x, c), (y, d)) = (terms.base_and_offset(a), terms.base_and_offset(b));
    if x == y {
        return Some(TermId::truth(c == d));
    }
    if c == 0 && d == 0 {
        return None;
    }
    let (older, newer, offset) = if x < y { (x, y, c.wrapping_sub(d)) } else { (y, x, d.wrapping_sub(c)) };
    let offset = width.mask(offset);
    if offset == 0 {
        return Some(terms.eq(older, newer));
    }
    let offset = terms.constant(width, offset);
    let moved = terms.add(older, offset);
    let (first, second) = terms.in_order(moved, newer);
    // When nothing moved, this is the one form; building it again would not end.
    ((first, second) != (a, b)).then(|| terms.eq(first, second))
}

fn eq_shapes(terms: &mut Terms, a: TermId, b: TermId) -> Option<TermId> {
    let zero = |terms: &mut Terms, x: TermId| Some(terms.is_zero(x));
    match (terms.view(a), terms.view(b)) {
        (Term::Unary(op, x), Term::Unary(other, y)) if op == other => Some(terms.eq(x, y)),
        (Term::Binary(BinaryOp::Add | BinaryOp::Xor, p, q), _) if p == b => zero(terms, q),
        (Term::Binary(BinaryOp::Add | BinaryOp::Xor | BinaryOp::Sub, p, q), _) if q == b => {
            match terms.view(a) {
                // p - q == q is not about one of them alone.
                Term::Binary(BinaryOp::Sub, ..) => None,
                _ => zero(terms, p),
            }
        }
        (Term::Binary(BinaryOp::Sub, p, q), _) if p == b => zero(terms, q),
        (Term::Binary(op, p, q), Term::Binary(other, r, s)) if op == other => match op {
            BinaryOp::Add | BinaryOp::Xor if p == r => Some(terms.eq(q, s)),
            BinaryOp::Add | BinaryOp::Xor if p == s => Some(terms.eq(q, r)),
            BinaryOp::Add | BinaryOp::Xor if q == r => Some(terms.eq(p, s)),
            BinaryOp::Add | BinaryOp::Xor if q == s => Some(terms.eq(p, r)),
            BinaryOp::Sub if p == r => Some(terms.eq(q, s)),
            BinaryOp::Sub if q == s => Some(terms.eq(p, r)),
            BinaryOp::Concat if terms.width(q) == terms.width(s) => {
                let (upper, lower) = (p == r, q == s);
                let constants =
                    terms.is_const(q) && terms.is_const(s) || terms.is_const(p) && terms.is_const(r);
                if !(upper || lower || constants) {
                    return None;
                }
                let upper = terms.eq(p, r);
                let lower = terms.eq(q, s);
                Some(terms.and(upper, lower))
            }
            _ => None,
        },
        (Term::Extend(extension, x), Term::Extend(other, y)) if extension == other => {
            // Both are brought to the wider of the two narrow widths.
            let width = terms.width(x).max(terms.width(y));
            let (x, y) = (terms.extend(extension, x, width), terms.extend(extension, y, width));
            Some(terms.eq(x, y))
        }
        (Term::Ite(c, x, y), _) if x == b => {
            let same = terms.eq(x, y);
            Some(terms.or(c, same))
        }
        (Term::Ite(c, x, y), _) if y == b => {
            let same = terms.eq(x, y);
            Some(terms.implies(c, same))
        }
        (Term::Ite(c, p, q), Term::Ite(d, r, s)) if c == d && terms.nesting <= BRANCHING => {
            let (then, otherwise) = (terms.eq(p, r), terms.eq(q, s));
            Some(terms.ite(c, then, otherwise))
        }
        _ => None,
    }
}

fn ult_rules(terms: &mut Terms, a: TermId, b: TermId) -> Option<TermId> {
    if a == b {
        return Some(TermId::FALSE);
    }
    let width = terms.width(a);
    if width == Width::BOOL {
        let not_a = terms.not(a);
        return Some(terms.and(not_a, b));
    }
    if let Some(k) = terms.const_value(a) {
        if k == width.ones() {
            return Some(TermId::FALSE);
        }
        // k < x is x >= k + 1.
        let next = terms.constant(width, k + 1);
        let below = terms.ult(b, next);
        return Some(terms.not(below));
    }
    if let Some(k) = terms.const_value(b) {
        return ult_const(terms, a, k, b);
    }
    if let (Term::Extend(Extension::Zero, x), Term::Extend(Extension::Zero, y)) =
        (terms.view(a), terms.view(b))
    {
        let narrow = terms.width(x).max(terms.width(y));
        let (x, y) = (terms.zext(x, narrow), terms.zext(y, narrow));
        return Some(terms.ult(x, y));
    }
    None
}

fn ult_const(terms: &mut Terms, a: TermId, k: u128, constant: TermId) -> Option<TermId> {
    let width = terms.width(a);
    if k == 0 {
        return Some(TermId::FALSE);
    }
    if k > terms.upper_bound(a) {
        return Some(TermId::TRUE);
    }
    if k == 1 {
        return Some(terms.is_zero(a));
    }
    if k == width.ones() {
        return Some(terms.ne(a, constant));
    }
    match terms.view(a) {
        // The constant fits, because the bound did not decide.
        Term::Extend(Extension::Zero, x) if k <= terms.width(x).ones() => {
            let k = terms.like(x, k);
            Some(terms.ult(x, k))
        }
        // Only whole steps of the lower bits matter: x << s | c < k.
        Term::Binary(BinaryOp::Concat, x, y) if terms.is_const(y) => {
            let split = terms.width(y).bits();
            let low = terms.const_value(y).expect("the lower part was seen to be constant");
            let lower = terms.width(y).mask(k);
            let steps = (k >> split) + u128::from(low < lower);
            let bound = terms.width(x).ones();
            if steps > bound {
                return Some(TermId::TRUE);
            }
            let steps = terms.like(x, steps);
            Some(terms.ult(x, steps))
        }
        Term::Ite(..) if terms.can_lift(a) => Some(terms.lift(Lift::ULt, a, constant.raw())),
        _ => None,
    }
}

fn slt_rules(terms: &mut Terms, a: TermId, b: TermId) -> Option<TermId> {
    if a == b {
        return Some(TermId::FALSE);
    }
    let width = terms.width(a);
    if width == Width::BOOL {
        let not_b = terms.not(b);
        return Some(terms.and(a, not_b));
    }
    let (smallest, largest) = (width.sign_bit(), width.sign_bit() - 1);
    if let Some(k) = terms.const_value(a) {
        if k == largest {
            return Some(TermId::FALSE);
        }
        let next = terms.constant(width, k.wrapping_add(1));
        let below = terms.slt(b, next);
        return Some(terms.not(below));
    }
    if terms.is_non_negative(a) && terms.is_non_negative(b) {
        return Some(terms.ult(a, b));
    }
    let Some(k) = terms.const_value(b) else {
        if let (Term::Extend(Extension::Sign, x), Term::Extend(Extension::Sign, y)) =
            (terms.view(a), terms.view(b))
        {
            let narrow = terms.width(x).max(terms.width(y));
            let (x, y) = (terms.sext(x, narrow), terms.sext(y, narrow));
            return Some(terms.slt(x, y));
        }
        return None;
    };
    if k == smallest {
        return Some(TermId::FALSE);
    }
    if k == smallest + 1 {
        let smallest = terms.constant(width, smallest);
        return Some(terms.eq(a, smallest));
    }
    if k == largest {
        return Some(terms.ne(a, b));
    }
    if width.signed(k) <= 0 && terms.is_non_negative(a) {
        return Some(TermId::FALSE);
    }
    match terms.view(a) {
        Term::Extend(Extension::Sign, x) => {
            let narrow = terms.width(x);
            let k = width.signed(k);
            let (lowest, highest) = (narrow.signed(narrow.sign_bit()), narrow.signed(narrow.sign_bit() - 1));
            if k > highest {
                return Some(TermId::TRUE);
            }
            if k <= lowest {
                return Some(TermId::FALSE);
            }
            let k = terms.like(x, k as u128);
            Some(terms.slt(x, k))
        }
        Term::Ite(..) if terms.can_lift(a) => Some(terms.lift(Lift::SLt, a, b.raw())),
        _ => None,
    }
}
