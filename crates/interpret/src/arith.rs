//! What integer operations mean on concrete numbers.
//!
//! In: an operation, a width of 1 to 128 bits, and operands as `u128` bit patterns whose bits above the
//! width are zero. Out: the result in the same form, or the reason why C leaves it undefined. The
//! functions are pure, so property tests of other crates use them as the reference: the simplifier, the
//! bit-blaster and constant folding must agree with them wherever the result is defined.
//!
//! Why `u128`: it holds every integer that C programs compute with, so each operation is one line of
//! Rust whose meaning nobody doubts. The interpreter's inner loop has its own 64-bit forms, which the
//! tests of `execute` compare with these.
//!
//! ```
//! use watertight_interpret::arith::{Undefined, binary};
//! use watertight_ir::BinaryOp;
//! assert_eq!(binary(BinaryOp::Add, 8, 200, 100), Ok(44));
//! assert_eq!(binary(BinaryOp::SDiv, 8, 0x80, 0xff), Err(Undefined::DivisionOverflow));
//! ```

use watertight_ir::{AtomicOp, BinaryOp, BitOp, CompareOp};

/// The widest integer that these functions evaluate.
pub const MAX_WIDTH: u32 = 128;

/// Why a result is undefined.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Undefined {
    DivisionByZero,
    /// The least signed number divided by -1.
    DivisionOverflow,
    /// A shift by the width or more.
    ShiftTooWide,
    /// A floating-point number that the integer type cannot hold.
    ConversionOutOfRange,
}

/// What a named bit operation gives: a number, and whether it overflowed where the operation tells.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct BitResult {
    pub value: u128,
    /// Present for the operations whose result is an aggregate (wrapped result, overflow).
    pub overflow: Option<bool>,
}

/// The bits that a number of `width` bits may have set.
pub fn mask(width: u32) -> u128 {
    debug_assert!((1..=MAX_WIDTH).contains(&width), "a width lies between 1 and 128, got {width}");
    u128::MAX >> (MAX_WIDTH - width)
}

/// The signed reading of a bit pattern of `width` bits.
pub fn signed(width: u32, value: u128) -> i128 {
    let unused = MAX_WIDTH - width;
    ((value << unused) as i128) >> unused
}

/// The bit pattern of a signed number, cut to `width` bits.
pub fn unsigned(width: u32, value: i128) -> u128 {
    value as u128 & mask(width)
}

/// The greatest signed number of `width` bits.
fn signed_max(width: u32) -> i128 {
    (mask(width) >> 1) as i128
}

/// The least signed number of `width` bits.
fn signed_min(width: u32) -> i128 {
    !signed_max(width)
}

/// Integer arithmetic modulo 2^width.
pub fn binary(op: BinaryOp, width: u32, lhs: u128, rhs: u128) -> Result<u128, Undefined> {
    let all = mask(width);
    let (lhs, rhs) = (lhs & all, rhs & all);
    let amount = || if rhs < u128::from(width) { Ok(rhs as u32) } else { Err(Undefined::ShiftTooWide) };
    let signed_division = |divide: fn(i128, i128) -> i128| {
        let (dividend, divisor) = (signed(width, lhs), signed(width, rhs));
        match divisor {
            0 => Err(Undefined::DivisionByZero),
            -1 if dividend == signed_min(width) => Err(Undefined::DivisionOverflow),
            _ => Ok(divide(dividend, divisor) as u128),
        }
    };
    let wide = match op {
        BinaryOp::Add => lhs.wrapping_add(rhs),
        BinaryOp::Sub => lhs.wrapping_sub(rhs),
        BinaryOp::Mul => lhs.wrapping_mul(rhs),
        BinaryOp::UDiv => lhs.checked_div(rhs).ok_or(Undefined::DivisionByZero)?,
        BinaryOp::URem => lhs.checked_rem(rhs).ok_or(Undefined::DivisionByZero)?,
        BinaryOp::SDiv => signed_division(|dividend, divisor| dividend / divisor)?,
        BinaryOp::SRem => signed_division(|dividend, divisor| dividend % divisor)?,
        BinaryOp::Shl => lhs << amount()?,
        BinaryOp::LShr => lhs >> amount()?,
        BinaryOp::AShr => (signed(width, lhs) >> amount()?) as u128,
        BinaryOp::And => lhs & rhs,
        BinaryOp::Or => lhs | rhs,
        BinaryOp::Xor => lhs ^ rhs,
    };
    Ok(wide & all)
}

/// Comparison of integers or addresses.
pub fn compare(op: CompareOp, width: u32, lhs: u128, rhs: u128) -> bool {
    let all = mask(width);
    let (lhs, rhs) = (lhs & all, rhs & all);
    let (signed_lhs, signed_rhs) = (signed(width, lhs), signed(width, rhs));
    match op {
        CompareOp::Eq => lhs == rhs,
        CompareOp::Ne => lhs != rhs,
        CompareOp::Ugt => lhs > rhs,
        CompareOp::Uge => lhs >= rhs,
        CompareOp::Ult => lhs < rhs,
        CompareOp::Ule => lhs <= rhs,
        CompareOp::Sgt => signed_lhs > signed_rhs,
        CompareOp::Sge => signed_lhs >= signed_rhs,
        CompareOp::Slt => signed_lhs < signed_rhs,
        CompareOp::Sle => signed_lhs <= signed_rhs,
    }
}

/// How many arguments a bit operation takes.
pub fn bit_op_arguments(op: BitOp) -> usize {
    match op {
        BitOp::ByteSwap
        | BitOp::BitReverse
        | BitOp::CountOnes
        | BitOp::LeadingZeros
        | BitOp::TrailingZeros
        | BitOp::Abs => 1,
        BitOp::FunnelLeft | BitOp::FunnelRight => 3,
        _ => 2,
    }
}

/// A named bit operation. `args` holds as many numbers as [`bit_op_arguments`] says; missing ones count
/// as zero. A byte swap of a width that is no multiple of eight swaps its whole bytes and drops the rest.
pub fn bit_op(op: BitOp, width: u32, args: &[u128]) -> Result<BitResult, Undefined> {
    let all = mask(width);
    let arg = |index: usize| args.get(index).copied().unwrap_or(0) & all;
    let (a, b) = (arg(0), arg(1));
    let (sa, sb) = (signed(width, a), signed(width, b));
    let plain = |value: u128| Ok(BitResult { value: value & all, overflow: None });
    let flagged =
        |value: u128, overflow: bool| Ok(BitResult { value: value & all, overflow: Some(overflow) });
    match op {
        BitOp::ByteSwap => plain(a.swap_bytes().checked_shr(MAX_WIDTH - width / 8 * 8).unwrap_or(0)),
        BitOp::BitReverse => plain(a.reverse_bits() >> (MAX_WIDTH - width)),
        BitOp::CountOnes => plain(u128::from(a.count_ones())),
        BitOp::LeadingZeros => plain(u128::from(a.leading_zeros() - (MAX_WIDTH - width))),
        BitOp::TrailingZeros => plain(u128::from(a.trailing_zeros().min(width))),
        BitOp::Abs => plain(sa.unsigned_abs()),
        BitOp::SMax => plain(sa.max(sb) as u128),
        BitOp::SMin => plain(sa.min(sb) as u128),
        BitOp::UMax => plain(a.max(b)),
        BitOp::UMin => plain(a.min(b)),
        BitOp::FunnelLeft => plain(funnel(width, a, b, arg(2) % u128::from(width))),
        // A right shift of the concatenation is a left shift by the complement, except by nothing.
        BitOp::FunnelRight => match arg(2) % u128::from(width) {
            0 => plain(b),
            amount => plain(funnel(width, a, b, u128::from(width) - amount)),
        },
        BitOp::SAddOverflow => flagged(a.wrapping_add(b), signed_overflow(width, sa.checked_add(sb))),
        BitOp::SSubOverflow => flagged(a.wrapping_sub(b), signed_overflow(width, sa.checked_sub(sb))),
        BitOp::SMulOverflow => flagged(a.wrapping_mul(b), signed_overflow(width, sa.checked_mul(sb))),
        BitOp::UAddOverflow => flagged(a.wrapping_add(b), a.checked_add(b).is_none_or(|sum| sum > all)),
        BitOp::USubOverflow => flagged(a.wrapping_sub(b), a < b),
        BitOp::UMulOverflow => {
            flagged(a.wrapping_mul(b), a.checked_mul(b).is_none_or(|product| product > all))
        }
        BitOp::SAddSat => plain(saturate(width, sa.checked_add(sb), sa < 0)),
        BitOp::SSubSat => plain(saturate(width, sa.checked_sub(sb), sa < 0)),
        BitOp::UAddSat => plain(a.checked_add(b).map_or(all, |sum| sum.min(all))),
        BitOp::USubSat => plain(a.saturating_sub(b)),
        BitOp::SShlSat => {
            let amount = shift_amount(width, b)?;
            // The shifted number fits if shifting back gives the operand.
            let shifted = sa.checked_shl(amount).filter(|&shifted| shifted >> amount == sa);
            plain(saturate(width, shifted, sa < 0))
        }
        BitOp::UShlSat => {
            let amount = shift_amount(width, b)?;
            let fits = a <= all >> amount;
            plain(if fits { a << amount } else { all })
        }
    }
}

/// The value that an atomic read-modify-write of integers stores. Absent for the floating-point ones.
pub fn atomic(op: AtomicOp, width: u32, old: u128, value: u128) -> Option<u128> {
    let all = mask(width);
    let (old, value) = (old & all, value & all);
    let (signed_old, signed_value) = (signed(width, old), signed(width, value));
    let new = match op {
        AtomicOp::Exchange => value,
        AtomicOp::Add => old.wrapping_add(value),
        AtomicOp::Sub => old.wrapping_sub(value),
        AtomicOp::And => old & value,
        AtomicOp::Nand => !(old & value),
        AtomicOp::Or => old | value,
        AtomicOp::Xor => old ^ value,
        AtomicOp::Max => signed_old.max(signed_value) as u128,
        AtomicOp::Min => signed_old.min(signed_value) as u128,
        AtomicOp::UMax => old.max(value),
        AtomicOp::UMin => old.min(value),
        AtomicOp::UIncWrap => {
            if old >= value {
                0
            } else {
                old + 1
            }
        }
        AtomicOp::UDecWrap => {
            if old == 0 || old > value {
                value
            } else {
                old - 1
            }
        }
        AtomicOp::USubCond => {
            if old >= value {
                old - value
            } else {
                old
            }
        }
        AtomicOp::USubSat => old.saturating_sub(value),
        AtomicOp::FAdd
        | AtomicOp::FSub
        | AtomicOp::FMax
        | AtomicOp::FMin
        | AtomicOp::FMaximum
        | AtomicOp::FMinimum => return None,
    };
    Some(new & all)
}

/// The upper half of `high:low` shifted left by `amount`, which is less than the width.
fn funnel(width: u32, high: u128, low: u128, amount: u128) -> u128 {
    if amount == 0 { high } else { high << amount | low >> (u128::from(width) - amount) }
}

fn shift_amount(width: u32, amount: u128) -> Result<u32, Undefined> {
    if amount < u128::from(width) { Ok(amount as u32) } else { Err(Undefined::ShiftTooWide) }
}

/// Whether an exact result, absent when it exceeds even 128 bits, leaves the range of `width` bits.
fn signed_overflow(width: u32, exact: Option<i128>) -> bool {
    exact.is_none_or(|exact| exact < signed_min(width) || exact > signed_max(width))
}

/// An exact result moved into the range of `width` bits; `negative` tells the side when it is absent.
fn saturate(width: u32, exact: Option<i128>, negative: bool) -> u128 {
    let clamped = match exact {
        Some(exact) => exact.clamp(signed_min(width), signed_max(width)),
        None if negative => signed_min(width),
        None => signed_max(width),
    };
    unsigned(width, clamped)
}
