//! Large products and quotients of unknowns, known only by some facts about them.
//!
//! An exact 64-bit product is twenty thousand gates that can keep a solver busy for minutes, while most questions do
//! not depend on its value. So the result becomes a fresh unknown, obliged to satisfy facts that every product has:
//! zero and one as factors, and the lowest bits exactly; and every quotient: division by zero and one, a small
//! dividend, a remainder below the divisor.
//!
//! When a model of the solver contradicts the real operation, [`Blaster::sharpen`] adds what the real operation says
//! about it: with one operand as in the model, the operation is one by a constant, which is cheap to state in full for
//! all values of the other operand. When that does not end the matter, [`Blaster::make_exact`] states the operation.

use super::arithmetic::signed_digits;
use super::{Bits, Blaster, constant};
use crate::gates::{Bit, GroupId};

/// An operation that was replaced by facts about its result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct AbstractionId(u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    Product,
    Quotient,
    /// Described completely by its obligations, so never to be sharpened.
    ConstantQuotient,
}

pub(super) type Key = (Kind, Bits, Bits);

pub(super) struct Abstraction {
    kind: Kind,
    a: Bits,
    b: Bits,
    /// The product or the quotient.
    first: Bits,
    /// The remainder; empty for a product.
    second: Bits,
    group: GroupId,
    exact: bool,
}

/// How a model compares with the real operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sharpened {
    /// The model has the right result.
    Agrees,
    /// The model was wrong, and a fact now excludes it.
    Added,
}

/// The lowest bits of an abstracted product that are computed exactly.
const EXACT_LOW_BITS: usize = 6;

/// A constant with more signed digits than this is stated for one pair of operands only.
const MOST_DIGITS: usize = 12;

impl Blaster {
    /// The result of an operation on these operands that was described before.
    pub(super) fn recall(&mut self, key: &Key) -> Option<(Bits, Bits)> {
        let &id = self.by_operands.get(key)?;
        self.mark(key.0, id);
        let known = &self.abstractions[id.0 as usize];
        Some((known.first.clone(), known.second.clone()))
    }

    /// Notes the description of an operation.
    pub(super) fn remember(&mut self, key: Key, group: GroupId, first: Bits, second: Bits) -> (Bits, Bits) {
        let id = AbstractionId(self.abstractions.len() as u32);
        let (kind, a, b) = key.clone();
        self.mark(kind, id);
        let exact = kind == Kind::ConstantQuotient;
        self.abstractions.push(Abstraction {
            kind,
            a,
            b,
            first: first.clone(),
            second: second.clone(),
            group,
            exact,
        });
        self.by_operands.insert(key, id);
        (first, second)
    }

    fn mark(&mut self, kind: Kind, id: AbstractionId) {
        if kind != Kind::ConstantQuotient
            && let Some(term) = self.current
        {
            self.abstracted.insert(term, id);
        }
    }

    pub(super) fn abstract_product(&mut self, a: &[Bit], b: &[Bit]) -> Bits {
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        let key = (Kind::Product, Bits::from_slice(a), Bits::from_slice(b));
        if let Some((product, _)) = self.recall(&key) {
            return product;
        }
        let width = a.len();
        // Trailing zeros add up, and the lowest bits do not depend on the others.
        let low = EXACT_LOW_BITS.min(width);
        let exact = self.multiply_exactly(&a[..low], &b[..low]);
        let fresh: Bits = (low..width).map(|_| self.gates.input()).collect();
        let product: Bits = exact.iter().chain(&fresh).copied().collect();
        let group = self.gates.new_group(&fresh);
        let (zero, one) = (constant(0, width), constant(1, width));
        for (x, y) in [(a, b), (b, a)] {
            let is_zero = self.equal(x, &zero);
            let product_zero = self.equal(&product, &zero);
            self.oblige_if(group, is_zero, product_zero);
            let is_one = self.equal(x, &one);
            let product_other = self.equal(&product, y);
            self.oblige_if(group, is_one, product_other);
        }
        self.remember(key, group, product, Bits::new()).0
    }

    pub(super) fn abstract_quotient(&mut self, a: &[Bit], b: &[Bit]) -> (Bits, Bits) {
        let key = (Kind::Quotient, Bits::from_slice(a), Bits::from_slice(b));
        if let Some(known) = self.recall(&key) {
            return known;
        }
        let width = a.len();
        let quotient: Bits = (0..width).map(|_| self.gates.input()).collect();
        let rest: Bits = (0..width).map(|_| self.gates.input()).collect();
        let inputs: Vec<Bit> = quotient.iter().chain(&rest).copied().collect();
        let group = self.gates.new_group(&inputs);
        let (zero, one, ones) = (constant(0, width), constant(1, width), constant(u128::MAX, width));
        let by_zero = self.equal(b, &zero);
        let quotient_ones = self.equal(&quotient, &ones);
        let rest_all = self.equal(&rest, a);
        self.oblige_if(group, by_zero, quotient_ones);
        self.oblige_if(group, by_zero, rest_all);
        let by_one = self.equal(b, &one);
        let quotient_all = self.equal(&quotient, a);
        let rest_zero = self.equal(&rest, &zero);
        self.oblige_if(group, by_one, quotient_all);
        self.oblige_if(group, by_one, rest_zero);
        // A remainder is below the divisor; a dividend below the divisor is its own remainder, and nothing else is.
        let rest_below = self.less(&rest, b);
        self.oblige_if(group, !by_zero, rest_below);
        let small = self.less(a, b);
        let quotient_zero = self.equal(&quotient, &zero);
        self.oblige_if(group, small, quotient_zero);
        self.oblige_if(group, small, rest_all);
        let nothing = self.gates.and(quotient_zero, !small);
        self.gates.oblige(group, !nothing);
        // Neither exceeds the dividend, except for the quotient by zero.
        let quotient_above = self.less(a, &quotient);
        self.oblige_if(group, !by_zero, !quotient_above);
        let rest_above = self.less(a, &rest);
        self.gates.oblige(group, !rest_above);
        self.remember(key, group, quotient, rest)
    }

    fn oblige_if(&mut self, group: GroupId, condition: Bit, then: Bit) {
        let implied = self.gates.or(!condition, then);
        self.gates.oblige(group, implied);
    }

    /// Compares the result in a model with the real one, and adds a fact that excludes the model when it is wrong.
    pub(crate) fn sharpen(&mut self, id: AbstractionId, value: impl Fn(Bit) -> bool) -> Sharpened {
        let number =
            |bits: &[Bit]| bits.iter().rev().fold(0u128, |number, &bit| number << 1 | u128::from(value(bit)));
        let known = &self.abstractions[id.0 as usize];
        let (kind, group) = (known.kind, known.group);
        let (left, right) = (number(&known.a), number(&known.b));
        let width = known.a.len();
        let mask = u128::MAX >> (128 - width);
        let (first, second) = match kind {
            Kind::Product => (left.wrapping_mul(right) & mask, 0),
            Kind::Quotient | Kind::ConstantQuotient => {
                (left.checked_div(right).unwrap_or(mask), left.checked_rem(right).unwrap_or(left))
            }
        };
        if number(&known.first) == first && (known.second.is_empty() || number(&known.second) == second) {
            return Sharpened::Agrees;
        }
        let (a, b) = (known.a.clone(), known.b.clone());
        let (out, rest) = (known.first.clone(), known.second.clone());
        let digits = |value: u128| signed_digits(value, width).len();
        let (condition, fact) = match kind {
            Kind::Product if digits(left).min(digits(right)) <= MOST_DIGITS => {
                let (fixed, value, other) =
                    if digits(left) < digits(right) { (&a, left, &b) } else { (&b, right, &a) };
                let product = self.multiply_by(other, value);
                (self.equal(fixed, &constant(value, width)), self.equal(&out, &product))
            }
            Kind::Quotient if digits(right) <= MOST_DIGITS && right != 0 => {
                let divided = self.is_divided(&a, right, &out, &rest);
                (self.equal(&b, &constant(right, width)), divided)
            }
            _ => {
                let left = self.equal(&a, &constant(left, width));
                let right = self.equal(&b, &constant(right, width));
                let mut right_result = vec![self.equal(&out, &constant(first, width))];
                if !rest.is_empty() {
                    right_result.push(self.equal(&rest, &constant(second, width)));
                }
                (self.gates.and(left, right), self.gates.and_many(&mut right_result))
            }
        };
        self.oblige_if(group, condition, fact);
        Sharpened::Added
    }

    /// The obligations by which the operation is described.
    pub(crate) fn group(&self, id: AbstractionId) -> GroupId {
        self.abstractions[id.0 as usize].group
    }

    /// How many gates it would take to state the operation.
    pub(crate) fn exact_cost(&self, id: AbstractionId) -> u64 {
        let known = &self.abstractions[id.0 as usize];
        let width = known.a.len() as u64;
        if known.exact { 0 } else { width * width * 6 + width * 8 }
    }

    /// States the operation itself.
    pub(crate) fn make_exact(&mut self, id: AbstractionId) {
        let known = &mut self.abstractions[id.0 as usize];
        if std::mem::replace(&mut known.exact, true) {
            return;
        }
        let (kind, group) = (known.kind, known.group);
        let (a, b) = (known.a.clone(), known.b.clone());
        let (first, second) = (known.first.clone(), known.second.clone());
        match kind {
            Kind::Product => {
                let product = self.multiply_exactly(&a, &b);
                let same = self.equal(&first, &product);
                self.gates.oblige(group, same);
            }
            Kind::Quotient | Kind::ConstantQuotient => {
                let (quotient, rest) = self.divide_exactly(&a, &b);
                let same = self.equal(&first, &quotient);
                self.gates.oblige(group, same);
                let same = self.equal(&second, &rest);
                self.gates.oblige(group, same);
            }
        }
    }
}
