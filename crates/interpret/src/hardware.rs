//! What processors do where C leaves the result undefined.
//!
//! Programs whose undefined results do not matter (a shift by 64 whose result is masked away, a
//! conversion of a huge number that is thrown away) run natively, so they must run here too, and with
//! the same output. The rules are those of x86-64 code as clang emits it without optimisation; they are
//! deterministic, which is all that other targets ask for.

use crate::arith::{mask, unsigned};
use crate::real::{Real, unpack};
use watertight_ir::{BinaryOp, ConvertOp, FloatKind};

/// The amount that the processor shifts by: it looks at the low five bits for registers of 32 bits,
/// at the low six for wider ones.
#[inline]
pub(crate) fn shift_amount(width: u32, amount: u64) -> u32 {
    let register = match width {
        0..=32 => 31,
        33..=64 => 63,
        _ => 127,
    };
    (amount & register) as u32
}

/// A shift by any amount. Narrow operands may still be shifted out completely.
pub(crate) fn shift(op: BinaryOp, width: u32, value: u128, amount: u128) -> u128 {
    let amount = shift_amount(width, amount as u64);
    let result = match op {
        BinaryOp::Shl => value << amount,
        BinaryOp::LShr => value >> amount,
        _ => (crate::arith::signed(width, value) >> amount) as u128,
    };
    result & mask(width)
}

/// The integer that a floating-point number out of range converts to.
pub(crate) fn convert_out_of_range(op: ConvertOp, kind: FloatKind, width: u32, bits: u128) -> u128 {
    let real = unpack(kind, bits);
    let result = match (op, width) {
        (ConvertOp::FloatToUnsigned, 33..=64) => {
            // Clang converts twice, the second time reduced by 2^63, and picks by the sign of the first.
            let low = to_register(64, real);
            let high = to_register(64, reduced(real, kind));
            low | high & ((low as i64) >> 63) as u64
        }
        (ConvertOp::FloatToUnsigned, 32) => to_register(64, real),
        (_, 0..=32) => to_register(32, real),
        (_, 33..=64) => to_register(64, real),
        // The run-time library saturates numbers of 128 bits.
        (ConvertOp::FloatToUnsigned, _) => {
            return if real.negative() { 0 } else { mask(width) };
        }
        _ => {
            let least = 1u128 << (width - 1);
            return if real.negative() { least } else { least - 1 };
        }
    };
    u128::from(result) & mask(width)
}

/// `cvttsd2si`: the integer part, or the least signed number if it does not fit.
fn to_register(width: u32, real: Real) -> u64 {
    let least = 1u128 << (width - 1);
    match real.truncate() {
        Some((false, magnitude)) if magnitude < least => magnitude as u64,
        Some((true, magnitude)) if magnitude <= least => unsigned(width, -(magnitude as i128)) as u64,
        _ => least as u64,
    }
}

/// The number reduced by 2^63, rounded to its own format.
fn reduced(real: Real, kind: FloatKind) -> Real {
    let offset = Real::from_unsigned(1 << 63);
    unpack(kind, crate::real::pack(kind, real.subtract(offset)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(value: f64) -> u128 {
        u128::from(value.to_bits())
    }

    #[test]
    fn numbers_out_of_range_give_the_indefinite_integer() {
        let signed = |width, value| {
            convert_out_of_range(ConvertOp::FloatToSigned, FloatKind::Double, width, double(value))
        };
        assert_eq!(signed(32, 1e20), 0x8000_0000);
        assert_eq!(signed(32, f64::NAN), 0x8000_0000);
        assert_eq!(signed(8, 300.0), 300 & 0xff);
        assert_eq!(signed(64, -1e30), 1 << 63);
    }

    #[test]
    fn negative_numbers_convert_to_unsigned_through_the_wider_register() {
        let unsigned = |width, value| {
            convert_out_of_range(ConvertOp::FloatToUnsigned, FloatKind::Double, width, double(value))
        };
        assert_eq!(unsigned(32, -1.0), 0xffff_ffff);
        assert_eq!(unsigned(64, -1.0), u128::from(u64::MAX));
        assert_eq!(unsigned(32, 1e10), 10_000_000_000 & 0xffff_ffff);
    }

    #[test]
    fn shifts_look_at_the_low_bits_of_the_amount() {
        assert_eq!(shift(BinaryOp::Shl, 32, 1, 33), 2);
        assert_eq!(shift(BinaryOp::LShr, 64, 8, 65), 4);
        assert_eq!(shift(BinaryOp::Shl, 8, 1, 9), 0);
        assert_eq!(shift(BinaryOp::AShr, 8, 0x80, 9), 0xff);
    }
}
