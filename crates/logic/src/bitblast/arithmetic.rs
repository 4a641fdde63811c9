//! Circuits for sums, products, comparisons, shifts and choices between words.
//!
//! Adders are ripple-carry, whose carry is a majority gate: for the solver propagation matters, not depth. A product
//! adds up shifted copies of one factor; with a constant factor the copies are those of its signed-digit form, so that
//! a factor like 255 costs one subtraction. Comparison is the carry of a subtraction. A shift is a row of multiplexers
//! per bit of the amount.

use super::{Bits, Blaster, Method, constant_value};
use crate::gates::Bit;

impl Blaster {
    /// The sum and its carry.
    pub(super) fn add(&mut self, a: &[Bit], b: &[Bit], carry: Bit) -> (Bits, Bit) {
        debug_assert_eq!(a.len(), b.len(), "both words of a sum have equal widths");
        let mut carry = carry;
        let gates = &mut self.gates;
        let sum = a
            .iter()
            .zip(b)
            .map(|(&x, &y)| {
                let half = gates.xor(x, y);
                let sum = gates.xor(half, carry);
                carry = gates.majority(x, y, carry);
                sum
            })
            .collect();
        (sum, carry)
    }

    pub(super) fn sub(&mut self, a: &[Bit], b: &[Bit]) -> Bits {
        let negated: Bits = b.iter().map(|&bit| !bit).collect();
        self.add(a, &negated, Bit::TRUE).0
    }

    pub(super) fn neg(&mut self, a: &[Bit]) -> Bits {
        let zeros: Bits = a.iter().map(|_| Bit::FALSE).collect();
        self.sub(&zeros, a)
    }

    /// The negative of a word when a bit is set, else the word.
    pub(super) fn neg_if(&mut self, condition: Bit, a: &[Bit]) -> Bits {
        // Flipping all bits and adding one, both only under the condition.
        let zeros: Bits = a.iter().map(|_| Bit::FALSE).collect();
        let flipped: Bits = a.iter().map(|&bit| self.gates.xor(bit, condition)).collect();
        self.add(&flipped, &zeros, condition).0
    }

    /// Whether all bits agree.
    pub(super) fn equal(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        let mut same: Vec<Bit> = a.iter().zip(b).map(|(&x, &y)| !self.gates.xor(x, y)).collect();
        self.gates.and_many(&mut same)
    }

    /// Unsigned less than: the borrow of the difference. Where one side is constant, a whole run of bits is one gate.
    pub(super) fn less(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        let mut borrow = Bit::FALSE;
        let mut run: Vec<Bit> = Vec::new();
        let mut kind = Run::All;
        for (&x, &y) in a.iter().zip(b) {
            // With one side known, the borrow needs the other bit, or is made by it.
            let (next, bit) = match (x, y) {
                (_, Bit::FALSE) => (Run::All, !x),
                (_, Bit::TRUE) => (Run::Any, !x),
                (Bit::TRUE, _) => (Run::All, y),
                (Bit::FALSE, _) => (Run::Any, y),
                _ => {
                    borrow = self.end_run(kind, &mut run, borrow);
                    borrow = self.gates.majority(!x, y, borrow);
                    continue;
                }
            };
            if next != kind {
                borrow = self.end_run(kind, &mut run, borrow);
                kind = next;
            }
            run.push(bit);
        }
        self.end_run(kind, &mut run, borrow)
    }

    fn end_run(&mut self, kind: Run, run: &mut Vec<Bit>, borrow: Bit) -> Bit {
        if run.is_empty() {
            return borrow;
        }
        run.push(borrow);
        let result = match kind {
            Run::All => self.gates.and_many(run),
            Run::Any => self.gates.or_many(run),
        };
        run.clear();
        result
    }

    pub(super) fn signed_less(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        // With the sign bits exchanged, signed order is unsigned order.
        let top = a.len() - 1;
        let borrow = self.less(&a[..top], &b[..top]);
        self.gates.majority(a[top], !b[top], borrow)
    }

    /// The first word when the condition holds, else the second.
    pub(super) fn mux_word(&mut self, condition: Bit, then: &[Bit], otherwise: &[Bit]) -> Bits {
        then.iter().zip(otherwise).map(|(&x, &y)| self.gates.mux(condition, x, y)).collect()
    }

    /// The word shifted towards its lowest bit, filled from the top.
    pub(super) fn shift_down(&mut self, a: &[Bit], by: &[Bit], fill: Bit) -> Bits {
        let width = a.len();
        let mut shifted = Bits::from_slice(a);
        let mut too_far = Vec::new();
        for (at, &bit) in by.iter().enumerate() {
            // A shift by the whole width or more leaves nothing, whichever bit of the amount says so.
            if at >= 32 || 1 << at >= width {
                too_far.push(bit);
                continue;
            }
            let step = 1 << at;
            let moved: Bits = (0..width).map(|to| shifted.get(to + step).copied().unwrap_or(fill)).collect();
            shifted = self.mux_word(bit, &moved, &shifted);
        }
        let too_far = self.gates.or_many(&mut too_far);
        shifted.iter_mut().for_each(|bit| *bit = self.gates.mux(too_far, fill, *bit));
        shifted
    }

    /// The product, in the width of the factors.
    pub(super) fn multiply(&mut self, a: &[Bit], b: &[Bit], method: Method) -> Bits {
        if let Some(factor) = constant_value(b) {
            return self.multiply_by(a, factor);
        }
        if let Some(factor) = constant_value(a) {
            return self.multiply_by(b, factor);
        }
        if method == Method::Abstract {
            return self.abstract_product(a, b);
        }
        let rows = |bits: &[Bit]| bits.iter().filter(|&&bit| bit != Bit::FALSE).count();
        let (a, b) = if rows(a) < rows(b) { (b, a) } else { (a, b) };
        self.multiply_exactly(a, b)
    }

    /// The product by adding up the first factor for each bit of the second.
    pub(super) fn multiply_exactly(&mut self, a: &[Bit], b: &[Bit]) -> Bits {
        let width = a.len();
        let mut sum: Bits = a.iter().map(|_| Bit::FALSE).collect();
        for (at, &bit) in b.iter().enumerate() {
            if bit == Bit::FALSE {
                continue;
            }
            let row: Bits = a[..width - at].iter().map(|&x| self.gates.and(x, bit)).collect();
            let upper = self.add(&sum[at..], &row, Bit::FALSE).0;
            sum.truncate(at);
            sum.extend_from_slice(&upper);
        }
        sum
    }

    /// The product with a constant.
    pub(super) fn multiply_by(&mut self, a: &[Bit], factor: u128) -> Bits {
        let width = a.len();
        let mut sum: Bits = a.iter().map(|_| Bit::FALSE).collect();
        for (at, digit) in signed_digits(factor, width) {
            let row = &a[..width - at];
            let upper = match digit {
                Digit::Plus => self.add(&sum[at..], row, Bit::FALSE).0,
                Digit::Minus => self.sub(&sum[at..], row),
            };
            sum.truncate(at);
            sum.extend_from_slice(&upper);
        }
        sum
    }
}

/// Neighbouring bits that all have to be set, or of which one is enough.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    All,
    Any,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Digit {
    Plus,
    Minus,
}

/// A number modulo a power of two as few signed powers of two: no two neighbouring digits are both non-zero.
pub(super) fn signed_digits(value: u128, width: usize) -> Vec<(usize, Digit)> {
    let mut digits = Vec::new();
    let mut rest = value;
    let mut at = 0;
    while rest != 0 && at < width {
        let odd = rest & 1 == 1;
        // A run of ones is one step up and one down again; the last bit of the width has nothing above it.
        let run = rest & 3 == 3 && at + 1 < width;
        if odd {
            digits.push((at, if run { Digit::Minus } else { Digit::Plus }));
        }
        // Half of the rest, rounded up after a step down; adding one before halving could overflow.
        rest = (rest >> 1) + u128::from(run);
        at += 1;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::width::Width;

    #[test]
    fn signed_digits_add_up() {
        for width in [1usize, 7, 8, 64, 128] {
            let mask = Width::new(width as u32).unwrap();
            for value in [0, 1, 3, 5, 7, 24, 255, 1000, u128::MAX, u128::MAX / 3, 1 << 127, u128::MAX - 1] {
                let value = mask.mask(value);
                let digits = signed_digits(value, width);
                let sum = digits.iter().fold(0u128, |sum, &(at, digit)| match digit {
                    Digit::Plus => sum.wrapping_add(1 << at),
                    Digit::Minus => sum.wrapping_sub(1 << at),
                });
                assert_eq!(mask.mask(sum), value, "width {width}");
                assert!(digits.len() <= width / 2 + 1);
            }
        }
    }
}
