//! Circuits for quotients and remainders.
//!
//! By a constant, quotient and remainder are unknowns obliged to satisfy `quotient * constant + remainder = dividend`
//! with `remainder < constant`: a product with a constant is cheap. Between two unknowns it is restoring long division,
//! on as many bits as either can have. Signed division divides sizes and puts the signs back, as SMT-LIB defines it.

use super::abstraction::Kind;
use super::{Bits, Blaster, Method, constant, constant_value};
use crate::gates::Bit;

impl Blaster {
    /// Unsigned quotient and remainder.
    pub(super) fn divide(&mut self, a: &[Bit], b: &[Bit], method: Method) -> (Bits, Bits) {
        if let Some(by) = constant_value(b) {
            return self.divide_by(a, by);
        }
        let width = a.len();
        let used = |bits: &[Bit]| bits.iter().rposition(|&bit| bit != Bit::FALSE).map_or(1, |top| top + 1);
        let narrow = used(a).max(used(b));
        if method == Method::Abstract {
            return self.abstract_quotient(a, b);
        }
        let (mut quotient, mut rest) = self.divide_exactly(&a[..narrow], &b[..narrow]);
        // Division by zero fills the quotient to its full width.
        let zeros = constant(0, narrow);
        let by_zero = self.equal(&b[..narrow], &zeros);
        quotient.resize(width, by_zero);
        rest.resize(width, Bit::FALSE);
        (quotient, rest)
    }

    /// Long division. By zero it gives all ones and the dividend, because zero can always be taken away.
    pub(super) fn divide_exactly(&mut self, a: &[Bit], b: &[Bit]) -> (Bits, Bits) {
        let width = a.len();
        let mut divisor = Bits::from_slice(b);
        divisor.push(Bit::FALSE);
        let mut quotient: Bits = a.iter().map(|_| Bit::FALSE).collect();
        let mut rest: Bits = a.iter().map(|_| Bit::FALSE).collect();
        for at in (0..width).rev() {
            // One more bit, because the remainder is doubled before it is compared.
            let doubled: Bits = std::iter::once(a[at]).chain(rest).collect();
            let fits = !self.less(&doubled, &divisor);
            let reduced = self.sub(&doubled, &divisor);
            rest = self.mux_word(fits, &reduced[..width], &doubled[..width]);
            quotient[at] = fits;
        }
        (quotient, rest)
    }

    fn divide_by(&mut self, a: &[Bit], by: u128) -> (Bits, Bits) {
        let width = a.len();
        if by == 0 {
            return (a.iter().map(|_| Bit::TRUE).collect(), Bits::from_slice(a));
        }
        if by.is_power_of_two() {
            let shift = by.trailing_zeros() as usize;
            let mut quotient = Bits::from_slice(&a[shift..]);
            quotient.resize(width, Bit::FALSE);
            let mut rest = Bits::from_slice(&a[..shift]);
            rest.resize(width, Bit::FALSE);
            return (quotient, rest);
        }
        if let Some(value) = constant_value(a) {
            return (constant(value / by, width), constant(value % by, width));
        }
        let key = (Kind::ConstantQuotient, Bits::from_slice(a), constant(by, width));
        if let Some(known) = self.recall(&key) {
            return known;
        }
        // The divisor is at least 2^(divisor_bits - 1), which leaves this many bits for the quotient.
        let divisor_bits = (128 - by.leading_zeros()) as usize;
        let mut quotient: Bits = (divisor_bits..=width).map(|_| self.gates.input()).collect();
        let mut rest: Bits = (0..divisor_bits).map(|_| self.gates.input()).collect();
        let inputs: Vec<Bit> = quotient.iter().chain(&rest).copied().collect();
        let group = self.gates.new_group(&inputs);
        quotient.resize(width, Bit::FALSE);
        rest.resize(width, Bit::FALSE);
        let divided = self.is_divided(a, by, &quotient, &rest);
        self.gates.oblige(group, divided);
        self.remember(key, group, quotient, rest)
    }

    /// Whether `quotient * by + rest` is the dividend and `rest` is below `by`, computed without overflow.
    pub(super) fn is_divided(&mut self, a: &[Bit], by: u128, quotient: &[Bit], rest: &[Bit]) -> Bit {
        let width = a.len();
        // A quotient below 2^(width + 1 - divisor_bits) keeps the product below 2^(width + 1), and adding the
        // remainder keeps the sum below 2^(width + 2).
        let divisor_bits = (128 - by.leading_zeros()) as usize;
        let wide = |bits: &[Bit]| {
            let mut bits = Bits::from_slice(bits);
            bits.resize(width + 2, Bit::FALSE);
            bits
        };
        let product = self.multiply_by(&wide(&quotient[..width + 1 - divisor_bits]), by);
        let sum = self.add(&product, &wide(rest), Bit::FALSE).0;
        let matches = self.equal(&sum, &wide(a));
        let small = self.less(rest, &constant(by, width));
        let mut all: Vec<Bit> = quotient[width + 1 - divisor_bits..].iter().map(|&bit| !bit).collect();
        all.extend([matches, small]);
        self.gates.and_many(&mut all)
    }

    /// Signed quotient and remainder.
    pub(super) fn signed_divide(&mut self, a: &[Bit], b: &[Bit], method: Method) -> (Bits, Bits) {
        let (negative, divisor_negative) = (a[a.len() - 1], b[b.len() - 1]);
        let (size, divisor) = (self.neg_if(negative, a), self.neg_if(divisor_negative, b));
        let (quotient, rest) = self.divide(&size, &divisor, method);
        let differ = self.gates.xor(negative, divisor_negative);
        (self.neg_if(differ, &quotient), self.neg_if(negative, &rest))
    }
}
