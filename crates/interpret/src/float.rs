//! What floating-point operations and conversions mean on concrete bit patterns.
//!
//! In: an operation, the format or types, operands as `u128` bit patterns. Out: the bit pattern of the
//! result. `f32` and `f64` use Rust's own operations, which are those of IEEE 754 on every host; the
//! other formats use the exact arithmetic of `real`. Only the pair of doubles is approximated (by
//! its first half), and its results say so.
//!
//! Like `arith`, these functions are pure and serve other crates' tests as the reference.
//!
//! ```
//! use watertight_interpret::float::{float_binary, convert};
//! use watertight_ir::{ConvertOp, FloatKind, FloatOp, Type};
//! let one = u128::from(1f64.to_bits());
//! assert_eq!(float_binary(FloatOp::Add, FloatKind::Double, one, one).bits, u128::from(2f64.to_bits()));
//! assert_eq!(convert(ConvertOp::SignExtend, Type::Int(8), Type::Int(16), 64, 0x80), Ok(0xff80));
//! ```

use crate::arith::{MAX_WIDTH, Undefined, mask, signed, unsigned};
use crate::real::{Real, pack, unpack};
use std::cmp::Ordering;
use watertight_ir::{ConvertOp, FloatCompareOp, FloatKind, FloatOp, Type};

/// The result of floating-point arithmetic.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct FloatResult {
    pub bits: u128,
    /// The target's own result may differ in its last digits.
    pub approximate: bool,
}

/// Floating-point arithmetic.
pub fn float_binary(op: FloatOp, kind: FloatKind, lhs: u128, rhs: u128) -> FloatResult {
    let bits = match kind {
        FloatKind::Single => {
            let (a, b) = (f32::from_bits(lhs as u32), f32::from_bits(rhs as u32));
            u128::from(single(op, a, b).to_bits())
        }
        FloatKind::Double => {
            let (a, b) = (f64::from_bits(lhs as u64), f64::from_bits(rhs as u64));
            u128::from(double(op, a, b).to_bits())
        }
        // Double precision has more than twice the digits of these formats, so that rounding twice
        // gives what rounding once would.
        FloatKind::Half | FloatKind::BFloat => {
            let result = double(op, unpack(kind, lhs).to_f64(), unpack(kind, rhs).to_f64());
            pack(kind, Real::from_f64(result))
        }
        FloatKind::X87 | FloatKind::Quad | FloatKind::PairOfDoubles => {
            let (a, b) = (unpack(kind, first_half(kind, lhs)), unpack(kind, first_half(kind, rhs)));
            let result = match op {
                FloatOp::Add => a.add(b),
                FloatOp::Sub => a.subtract(b),
                FloatOp::Mul => a.multiply(b),
                FloatOp::Div => a.divide(b),
                FloatOp::Rem => a.remainder(b),
            };
            pack(kind, result)
        }
    };
    FloatResult { bits, approximate: kind == FloatKind::PairOfDoubles }
}

/// The first number of a pair of doubles; other formats as they are.
fn first_half(kind: FloatKind, bits: u128) -> u128 {
    if kind == FloatKind::PairOfDoubles { bits & u128::from(u64::MAX) } else { bits }
}

pub(crate) fn single(op: FloatOp, a: f32, b: f32) -> f32 {
    match op {
        FloatOp::Add => a + b,
        FloatOp::Sub => a - b,
        FloatOp::Mul => a * b,
        FloatOp::Div => a / b,
        FloatOp::Rem => a % b,
    }
}

pub(crate) fn double(op: FloatOp, a: f64, b: f64) -> f64 {
    match op {
        FloatOp::Add => a + b,
        FloatOp::Sub => a - b,
        FloatOp::Mul => a * b,
        FloatOp::Div => a / b,
        FloatOp::Rem => a % b,
    }
}

/// Flips the sign bit.
pub fn float_negate(kind: FloatKind, bits: u128) -> u128 {
    match kind {
        // Both halves carry the sign.
        FloatKind::PairOfDoubles => bits ^ (1 << 127 | 1 << 63),
        _ => bits ^ 1 << (kind.bits() - 1),
    }
}

/// Comparison of floating-point numbers.
pub fn float_compare(op: FloatCompareOp, kind: FloatKind, lhs: u128, rhs: u128) -> bool {
    let order = match kind {
        FloatKind::Single => f32::from_bits(lhs as u32).partial_cmp(&f32::from_bits(rhs as u32)),
        FloatKind::Double => f64::from_bits(lhs as u64).partial_cmp(&f64::from_bits(rhs as u64)),
        _ => unpack(kind, first_half(kind, lhs)).order(unpack(kind, first_half(kind, rhs))),
    };
    holds(op, order)
}

/// Whether a comparison holds for operands in this order; no order means that one is not a number.
#[inline]
pub(crate) fn holds(op: FloatCompareOp, order: Option<Ordering>) -> bool {
    use FloatCompareOp as Op;
    let Some(order) = order else {
        return matches!(op, Op::Ueq | Op::Ugt | Op::Uge | Op::Ult | Op::Ule | Op::Une | Op::Uno | Op::True);
    };
    match op {
        Op::False | Op::Uno => false,
        Op::True | Op::Ord => true,
        Op::Oeq | Op::Ueq => order.is_eq(),
        Op::Ogt | Op::Ugt => order.is_gt(),
        Op::Oge | Op::Uge => order.is_ge(),
        Op::Olt | Op::Ult => order.is_lt(),
        Op::Ole | Op::Ule => order.is_le(),
        Op::One | Op::Une => order.is_ne(),
    }
}

/// Conversion between scalar types of at most 128 bits, on a target with `pointer_bits`-wide addresses.
pub fn convert(
    op: ConvertOp,
    from: Type,
    to: Type,
    pointer_bits: u32,
    value: u128,
) -> Result<u128, Undefined> {
    let (from_width, to_width) = (from.bits(pointer_bits), to.bits(pointer_bits));
    debug_assert!(
        (1..=MAX_WIDTH).contains(&from_width) && (1..=MAX_WIDTH).contains(&to_width),
        "conversions here are between scalars of at most 128 bits"
    );
    let value = value & mask(from_width);
    let result = match op {
        ConvertOp::Truncate
        | ConvertOp::ZeroExtend
        | ConvertOp::PtrToInt
        | ConvertOp::IntToPtr
        | ConvertOp::Reinterpret => value,
        ConvertOp::SignExtend => signed(from_width, value) as u128,
        ConvertOp::UnsignedToFloat => match to {
            Type::Float(FloatKind::Double) if from_width <= 64 => (value as u64 as f64).to_bits().into(),
            Type::Float(FloatKind::Single) if from_width <= 64 => (value as u64 as f32).to_bits().into(),
            _ => int_to_float(to, Real::from_unsigned(value)),
        },
        ConvertOp::SignedToFloat => match (to, signed(from_width, value)) {
            (Type::Float(FloatKind::Double), value) if from_width <= 64 => {
                (value as i64 as f64).to_bits().into()
            }
            (Type::Float(FloatKind::Single), value) if from_width <= 64 => {
                (value as i64 as f32).to_bits().into()
            }
            (_, value) => int_to_float(to, Real::from_signed(value)),
        },
        ConvertOp::FloatToUnsigned => {
            let (negative, magnitude) =
                real(from, value).truncate().ok_or(Undefined::ConversionOutOfRange)?;
            if magnitude > mask(to_width) || negative && magnitude != 0 {
                return Err(Undefined::ConversionOutOfRange);
            }
            magnitude
        }
        ConvertOp::FloatToSigned => {
            // Doubles that surely fit need no unpacking.
            if from == Type::Float(FloatKind::Double)
                && to_width >= 32
                && let number = f64::from_bits(value as u64)
                && number.abs() < f64::from(i32::MAX)
            {
                return Ok(number as i64 as u128 & mask(to_width));
            }
            let (negative, magnitude) =
                real(from, value).truncate().ok_or(Undefined::ConversionOutOfRange)?;
            let limit = (mask(to_width) >> 1) + u128::from(negative);
            if magnitude > limit {
                return Err(Undefined::ConversionOutOfRange);
            }
            let magnitude = magnitude as i128;
            unsigned(to_width, if negative { magnitude.wrapping_neg() } else { magnitude })
        }
        ConvertOp::FloatTruncate | ConvertOp::FloatExtend => match (from, to) {
            (Type::Float(FloatKind::Single), Type::Float(FloatKind::Double)) => {
                u128::from(f64::from(f32::from_bits(value as u32)).to_bits())
            }
            (Type::Float(FloatKind::Double), Type::Float(FloatKind::Single)) => {
                u128::from((f64::from_bits(value as u64) as f32).to_bits())
            }
            (_, Type::Float(kind)) => pack(kind, real(from, value)),
            _ => value,
        },
    };
    Ok(result & mask(to_width))
}

fn int_to_float(to: Type, real: Real) -> u128 {
    match to {
        Type::Float(kind) => pack(kind, real),
        _ => 0,
    }
}

/// The number that a bit pattern of type `ty` is; an integer type is taken as an unsigned number.
fn real(ty: Type, bits: u128) -> Real {
    match ty {
        Type::Float(kind) => unpack(kind, first_half(kind, bits)),
        _ => Real::from_unsigned(bits),
    }
}
