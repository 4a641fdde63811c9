//! What each operation means, on plain values.
//!
//! This is the only place where the meaning is written down; the simplifier folds constants with it, the evaluator
//! computes with it, and tests hold the bit-blaster against it. Values have all bits above the width cleared.
//!
//! The meaning is that of SMT-LIB, which makes every operation total:
//! - arithmetic wraps around;
//! - `udiv(x, 0)` is all ones, `urem(x, 0)` is `x`;
//! - `sdiv` rounds towards zero; `sdiv(x, 0)` is 1 for negative `x` and all ones otherwise, `srem(x, 0)` is `x`;
//!   `srem` has the sign of the dividend; the smallest value divided by -1 is itself, with remainder 0;
//! - a shift by the width or more gives 0, or the sign in every bit for `ashr`.
//!
//! Where C or LLVM calls such a case undefined, the engine above asks about it before it gets here.

use crate::term::{BinaryOp, Extension, UnaryOp};
use crate::width::Width;

/// The value of an operation on one operand of this width.
#[inline]
pub fn unary(op: UnaryOp, width: Width, a: u128) -> u128 {
    match op {
        UnaryOp::Not => width.mask(!a),
        UnaryOp::Neg => width.mask(a.wrapping_neg()),
    }
}

/// The value of an operation on two operands. `width` is that of the operands, for `Concat` that of the second.
#[inline]
pub fn binary(op: BinaryOp, width: Width, a: u128, b: u128) -> u128 {
    match op {
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Add => width.mask(a.wrapping_add(b)),
        BinaryOp::Sub => width.mask(a.wrapping_sub(b)),
        BinaryOp::Mul => width.mask(a.wrapping_mul(b)),
        BinaryOp::UDiv => a.checked_div(b).unwrap_or(width.ones()),
        BinaryOp::URem => a.checked_rem(b).unwrap_or(a),
        BinaryOp::SDiv => match (width.signed(a), width.signed(b)) {
            (n, 0) if n < 0 => 1,
            (_, 0) => width.ones(),
            (n, d) => width.mask(n.wrapping_div(d) as u128),
        },
        BinaryOp::SRem => match width.signed(b) {
            0 => a,
            d => width.mask(width.signed(a).wrapping_rem(d) as u128),
        },
        BinaryOp::Shl => shift_amount(width, b).map_or(0, |by| width.mask(a << by)),
        BinaryOp::LShr => shift_amount(width, b).map_or(0, |by| a >> by),
        BinaryOp::AShr => {
            let by = shift_amount(width, b).unwrap_or(width.bits() - 1);
            width.mask((width.signed(a) >> by) as u128)
        }
        BinaryOp::Concat => a << width.bits() | b,
        BinaryOp::Eq => u128::from(a == b),
        BinaryOp::ULt => u128::from(a < b),
        BinaryOp::ULe => u128::from(a <= b),
        BinaryOp::SLt => u128::from(width.signed(a) < width.signed(b)),
        BinaryOp::SLe => u128::from(width.signed(a) <= width.signed(b)),
    }
}

/// The value made wider.
#[inline]
pub fn extend(extension: Extension, from: Width, to: Width, a: u128) -> u128 {
    match extension {
        Extension::Zero => a,
        Extension::Sign => to.mask(from.signed(a) as u128),
    }
}

/// The bits from `low` to `high`, both included.
#[inline]
pub fn extract(a: u128, high: u32, low: u32) -> u128 {
    Width::of(high - low + 1).mask(a >> low)
}

/// The shift as a number of bits, when it is smaller than the width.
fn shift_amount(width: Width, by: u128) -> Option<u32> {
    (by < u128::from(width.bits())).then_some(by as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use BinaryOp::{AShr, LShr, SDiv, SRem, Shl, UDiv, URem};

    #[test]
    fn division_by_zero_is_total() {
        let w = Width::W8;
        assert_eq!(binary(UDiv, w, 7, 0), 0xff);
        assert_eq!(binary(URem, w, 7, 0), 7);
        assert_eq!(binary(SDiv, w, 7, 0), 0xff);
        assert_eq!(binary(SDiv, w, 0xf9, 0), 1);
        assert_eq!(binary(SRem, w, 0xf9, 0), 0xf9);
    }

    #[test]
    fn signed_division_rounds_towards_zero_and_wraps() {
        let w = Width::W8;
        assert_eq!(binary(SDiv, w, 0xf9, 2), 0xfd);
        assert_eq!(binary(SRem, w, 0xf9, 2), 0xff);
        assert_eq!(binary(SRem, w, 7, 0xfe), 1);
        assert_eq!(binary(SDiv, w, 0x80, 0xff), 0x80);
        assert_eq!(binary(SRem, w, 0x80, 0xff), 0);
        let top = Width::MAX.sign_bit();
        assert_eq!(binary(SDiv, Width::MAX, top, u128::MAX), top);
        assert_eq!(binary(SRem, Width::MAX, top, u128::MAX), 0);
    }

    #[test]
    fn large_shifts_empty_the_value() {
        let w = Width::W8;
        assert_eq!(binary(Shl, w, 0xff, 8), 0);
        assert_eq!(binary(LShr, w, 0xff, 200), 0);
        assert_eq!(binary(AShr, w, 0x80, 8), 0xff);
        assert_eq!(binary(AShr, w, 0x7f, 9), 0);
        assert_eq!(binary(Shl, Width::MAX, 1, 127), 1 << 127);
        assert_eq!(binary(Shl, Width::MAX, 1, 128), 0);
    }
}
