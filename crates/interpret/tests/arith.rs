//! The pure functions against Rust's own integers, and the inner loop against the pure functions.

mod common;

use common::program;
use proptest::prelude::*;
use watertight_interpret::arith::{self, Undefined};
use watertight_interpret::float::{convert, float_binary, float_compare};
use watertight_interpret::{End, Interpreter, Options, TrapKind, Value};
use watertight_ir::{
    BinaryOp, BitOp, CompareOp, ConvertOp, FloatCompareOp, FloatKind, FloatOp, Program, Type,
};

/// Numbers that like the edges of every width.
fn number() -> impl Strategy<Value = u128> {
    prop_oneof![
        any::<u128>(),
        any::<u128>().prop_map(|value| value & 0xff),
        (0u32..128, any::<bool>(), -2i128..=2).prop_map(|(bit, negative, near)| {
            let edge = (1i128 << bit).wrapping_add(near);
            (if negative { edge.wrapping_neg() } else { edge }) as u128
        }),
    ]
}

macro_rules! native_oracle {
    ($name:ident, $unsigned:ty, $signed:ty) => {
        fn $name(a: u128, b: u128) {
            let width = <$unsigned>::BITS;
            let (x, y) = (a as $unsigned, b as $unsigned);
            let (sx, sy) = (x as $signed, y as $signed);
            let (a, b) = (u128::from(x), u128::from(y));
            let defined = |value: $unsigned| Ok(u128::from(value));
            let shift = u32::try_from(b).ok().filter(|&amount| amount < width);
            for &op in BinaryOp::ALL {
                let expected = match op {
                    BinaryOp::Add => defined(x.wrapping_add(y)),
                    BinaryOp::Sub => defined(x.wrapping_sub(y)),
                    BinaryOp::Mul => defined(x.wrapping_mul(y)),
                    BinaryOp::And => defined(x & y),
                    BinaryOp::Or => defined(x | y),
                    BinaryOp::Xor => defined(x ^ y),
                    BinaryOp::UDiv => x.checked_div(y).map_or(Err(Undefined::DivisionByZero), defined),
                    BinaryOp::URem => x.checked_rem(y).map_or(Err(Undefined::DivisionByZero), defined),
                    BinaryOp::SDiv | BinaryOp::SRem if y == 0 => Err(Undefined::DivisionByZero),
                    BinaryOp::SDiv => sx
                        .checked_div(sy)
                        .map_or(Err(Undefined::DivisionOverflow), |q| defined(q as $unsigned)),
                    BinaryOp::SRem => sx
                        .checked_rem(sy)
                        .map_or(Err(Undefined::DivisionOverflow), |r| defined(r as $unsigned)),
                    BinaryOp::Shl => shift.map_or(Err(Undefined::ShiftTooWide), |s| defined(x << s)),
                    BinaryOp::LShr => shift.map_or(Err(Undefined::ShiftTooWide), |s| defined(x >> s)),
                    BinaryOp::AShr => {
                        shift.map_or(Err(Undefined::ShiftTooWide), |s| defined((sx >> s) as $unsigned))
                    }
                };
                assert_eq!(arith::binary(op, width, a, b), expected, "{op:?} {width} {a:#x} {b:#x}");
            }
            for &op in CompareOp::ALL {
                let expected = match op {
                    CompareOp::Eq => x == y,
                    CompareOp::Ne => x != y,
                    CompareOp::Ugt => x > y,
                    CompareOp::Uge => x >= y,
                    CompareOp::Ult => x < y,
                    CompareOp::Ule => x <= y,
                    CompareOp::Sgt => sx > sy,
                    CompareOp::Sge => sx >= sy,
                    CompareOp::Slt => sx < sy,
                    CompareOp::Sle => sx <= sy,
                };
                assert_eq!(arith::compare(op, width, a, b), expected, "{op:?} {width} {a:#x} {b:#x}");
            }
            let wrapped = |pair: ($unsigned, bool)| (pair.0, Some(pair.1));
            let signed_pair = |pair: ($signed, bool)| (pair.0 as $unsigned, Some(pair.1));
            for &op in BitOp::ALL {
                let (value, overflow) = match op {
                    BitOp::ByteSwap => (x.swap_bytes(), None),
                    BitOp::BitReverse => (x.reverse_bits(), None),
                    BitOp::CountOnes => (x.count_ones() as $unsigned, None),
                    BitOp::LeadingZeros => (x.leading_zeros() as $unsigned, None),
                    BitOp::TrailingZeros => (x.trailing_zeros() as $unsigned, None),
                    BitOp::Abs => (sx.wrapping_abs() as $unsigned, None),
                    BitOp::SMax => (sx.max(sy) as $unsigned, None),
                    BitOp::SMin => (sx.min(sy) as $unsigned, None),
                    BitOp::UMax => (x.max(y), None),
                    BitOp::UMin => (x.min(y), None),
                    // With both halves the same, the funnel shift is a rotation.
                    BitOp::FunnelLeft => (x.rotate_left((y % width as $unsigned) as u32), None),
                    BitOp::FunnelRight => (x.rotate_right((y % width as $unsigned) as u32), None),
                    BitOp::SAddOverflow => signed_pair(sx.overflowing_add(sy)),
                    BitOp::UAddOverflow => wrapped(x.overflowing_add(y)),
                    BitOp::SSubOverflow => signed_pair(sx.overflowing_sub(sy)),
                    BitOp::USubOverflow => wrapped(x.overflowing_sub(y)),
                    BitOp::SMulOverflow => signed_pair(sx.overflowing_mul(sy)),
                    BitOp::UMulOverflow => wrapped(x.overflowing_mul(y)),
                    BitOp::SAddSat => (sx.saturating_add(sy) as $unsigned, None),
                    BitOp::UAddSat => (x.saturating_add(y), None),
                    BitOp::SSubSat => (sx.saturating_sub(sy) as $unsigned, None),
                    BitOp::USubSat => (x.saturating_sub(y), None),
                    BitOp::SShlSat | BitOp::UShlSat => continue,
                };
                let args = match op {
                    BitOp::FunnelLeft | BitOp::FunnelRight => vec![a, a, b],
                    _ => vec![a, b],
                };
                let result = arith::bit_op(op, width, &args).expect("only shifts are undefined");
                assert_eq!(result.value, u128::from(value), "{op:?} {width} {a:#x} {b:#x}");
                assert_eq!(result.overflow, overflow, "{op:?} {width} {a:#x} {b:#x}");
            }
            if let Some(amount) = shift {
                let exact = sx
                    .checked_mul((1 as $signed).checked_shl(amount).unwrap_or(0))
                    .filter(|_| amount < width - 1);
                if let Some(exact) = exact {
                    let result = arith::bit_op(BitOp::SShlSat, width, &[a, b]).map(|result| result.value);
                    assert_eq!(result, defined(exact as $unsigned));
                }
                let saturated = if x.leading_zeros() >= amount { x << amount } else { <$unsigned>::MAX };
                let result = arith::bit_op(BitOp::UShlSat, width, &[a, b]).map(|result| result.value);
                assert_eq!(result, defined(saturated));
            }
        }
    };
}

native_oracle!(check_8, u8, i8);
native_oracle!(check_16, u16, i16);
native_oracle!(check_32, u32, i32);
native_oracle!(check_64, u64, i64);
native_oracle!(check_128, u128, i128);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn native_widths_agree_with_rust(a in number(), b in number()) {
        check_8(a, b);
        check_16(a, b);
        check_32(a, b);
        check_64(a, b);
        check_128(a, b);
    }

    /// An odd width is the next native one on numbers that fit, cut afterwards.
    #[test]
    fn odd_widths_agree_with_wider_ones(a in number(), b in number(), width in 1u32..=64) {
        let all = arith::mask(width);
        let (a, b) = (a & all, b & all);
        let (wide_a, wide_b) = (arith::signed(width, a) as u128, arith::signed(width, b) as u128);
        for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::And, BinaryOp::Or, BinaryOp::Xor] {
            let wide = arith::binary(op, 128, wide_a, wide_b).expect("never undefined");
            prop_assert_eq!(arith::binary(op, width, a, b), Ok(wide & all));
        }
        for op in [BinaryOp::SDiv, BinaryOp::SRem] {
            if let Ok(narrow) = arith::binary(op, width, a, b) {
                let wide = arith::binary(op, 128, wide_a, wide_b).expect("defined when the narrow one is");
                prop_assert_eq!(narrow, wide & all);
            }
        }
        for &op in CompareOp::ALL {
            prop_assert_eq!(arith::compare(op, width, a, b), arith::compare(op, 128, wide_a, wide_b));
        }
    }

    #[test]
    fn conversions_between_floats_and_integers_agree_with_rust(bits: u64, single_bits: u32, integer: i128) {
        let (double, single) = (f64::from_bits(bits), f32::from_bits(single_bits));
        let f64_ty = Type::Float(FloatKind::Double);
        let f32_ty = Type::Float(FloatKind::Single);
        for (width, least, beyond) in [(32, -2f64.powi(31), 2f64.powi(31)), (64, -2f64.powi(63), 2f64.powi(63))] {
            let result = convert(ConvertOp::FloatToSigned, f64_ty, Type::Int(width), 64, bits.into());
            let fits = double.trunc() >= least && double.trunc() < beyond;
            let expected = if fits { Ok(double as i128 as u128 & arith::mask(width)) } else { Err(Undefined::ConversionOutOfRange) };
            prop_assert_eq!(result, expected);
        }
        let result = convert(ConvertOp::FloatToUnsigned, f32_ty, Type::Int(64), 64, single_bits.into());
        let fits = single.trunc() >= 0.0 && single < 2f32.powi(64);
        let expected = if fits { Ok(u128::from(single as u64)) } else { Err(Undefined::ConversionOutOfRange) };
        prop_assert_eq!(result, expected);
        let to_double = |op, width| convert(op, Type::Int(width), f64_ty, 64, integer as u128).map(|bits| bits as u64);
        prop_assert_eq!(to_double(ConvertOp::SignedToFloat, 64), Ok((integer as i64 as f64).to_bits()));
        prop_assert_eq!(to_double(ConvertOp::UnsignedToFloat, 64), Ok((integer as u64 as f64).to_bits()));
        prop_assert_eq!(to_double(ConvertOp::SignedToFloat, 128), Ok((integer as f64).to_bits()));
        prop_assert_eq!(to_double(ConvertOp::SignedToFloat, 16), Ok((integer as i16 as f64).to_bits()));
        let narrowed = convert(ConvertOp::FloatTruncate, f64_ty, f32_ty, 64, bits.into());
        prop_assert!(double.is_nan() || narrowed == Ok((double as f32).to_bits().into()));
    }

    #[test]
    fn wide_float_formats_contain_double_arithmetic(a in -1e15f32..1e15, b in -1e15f32..1e15) {
        // The product of two singles is exact in every wider format.
        let (a, b) = (f64::from(a), f64::from(b));
        prop_assume!((a * b).is_normal());
        let (x, y) = (u128::from(a.to_bits()), u128::from(b.to_bits()));
        let f64_ty = Type::Float(FloatKind::Double);
        for kind in [FloatKind::X87, FloatKind::Quad] {
            let ty = Type::Float(kind);
            let widen = |bits| convert(ConvertOp::FloatExtend, f64_ty, ty, 64, bits).expect("always defined");
            let product = float_binary(FloatOp::Mul, kind, widen(x), widen(y));
            prop_assert!(!product.approximate);
            prop_assert_eq!(product.bits, widen(u128::from((a * b).to_bits())));
            for &op in FloatCompareOp::ALL {
                prop_assert_eq!(
                    float_compare(op, kind, widen(x), widen(y)),
                    float_compare(op, FloatKind::Double, x, y)
                );
            }
        }
    }
}

/// A program with one function per operation and width.
fn operations(widths: &[u32]) -> Program {
    let mut text = String::new();
    for width in widths {
        for op in BinaryOp::ALL {
            let name = op.name();
            text += &format!(
                "func @{name}.{width}(%a: i{width}, %b: i{width}) -> i{width} {{\nbb0:\n  \
                 %r: i{width} = {name} %a, %b\n  return %r\n}}\n"
            );
        }
        for op in CompareOp::ALL {
            let name = op.name();
            text += &format!(
                "func @{name}.{width}(%a: i{width}, %b: i{width}) -> i1 {{\nbb0:\n  \
                 %r = compare {name} %a, %b\n  return %r\n}}\n"
            );
        }
        for op in ["zext", "sext"] {
            text += &format!(
                "func @{op}.{width}(%a: i{width}) -> i200 {{\nbb0:\n  %r: i200 = {op} %a\n  return %r\n}}\n"
            );
        }
    }
    program(&text)
}

const WIDTHS: [u32; 13] = [1, 5, 8, 13, 16, 24, 32, 33, 63, 64, 65, 100, 128];

#[test]
fn the_inner_loop_agrees_with_the_pure_functions() {
    let program = operations(&WIDTHS);
    let mut interpreter = Interpreter::new(&program, Options::default());
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut cases = Vec::new();
    for _ in 0..60 {
        let tree = (number(), number()).new_tree(&mut runner).expect("numbers can be drawn");
        cases.push(proptest::strategy::ValueTree::current(&tree));
    }
    for (index, function) in program.functions.iter() {
        let (name, width) = function.name.split_once('.').expect("names have a width");
        let width: u32 = width.parse().expect("widths are numbers");
        for &(a, b) in &cases {
            let (a, b) = (a & arith::mask(width), b & arith::mask(width));
            let end = interpreter.call(index, &[Value::Bits(a), Value::Bits(b)]).end;
            if let Some(op) = BinaryOp::from_name(name) {
                match arith::binary(op, width, a, b) {
                    Ok(expected) => {
                        assert_eq!(end, End::Returned(Some(Value::Bits(expected))), "{name} {width}")
                    }
                    Err(Undefined::ShiftTooWide) => {
                        assert!(matches!(end, End::Returned(Some(_))), "{name} {width}");
                    }
                    Err(undefined) => {
                        let kind = match undefined {
                            Undefined::DivisionOverflow => TrapKind::DivisionOverflow,
                            _ => TrapKind::DivisionByZero,
                        };
                        assert!(matches!(end, End::Trap(trap) if trap.kind == kind), "{name} {width}");
                    }
                }
            } else if let Some(op) = CompareOp::from_name(name) {
                let expected = u128::from(arith::compare(op, width, a, b));
                assert_eq!(end, End::Returned(Some(Value::Bits(expected))), "{name} {width} {a:#x} {b:#x}");
            } else {
                let wide = if name == "sext" { arith::signed(width, a) as u128 } else { a };
                let top = if name == "sext" && arith::signed(width, a) < 0 { u64::MAX } else { 0 };
                let words = [wide as u64, (wide >> 64) as u64, top, top & 0xff];
                assert_eq!(end, End::Returned(Some(Value::Words(words.into()))), "{name} {width}");
            }
        }
    }
}

#[test]
fn bit_operations_run() {
    let text = "agg agg0 = 8 { 0: i32, 4: i1 }
func @test(%a: i32, %b: i32) -> i32 {
bb0:
  %p: agg0 = sadd.overflow %a, %b
  %sum: i32 = extract %p, 0
  %o: i1 = extract %p, 1
  %w: i32 = zext %o
  %s: i32 = bswap %sum
  %c: i32 = ctpop %s
  %z: i32 = ctlz %w
  %t: i32 = fshl %c, %z, i32 8
  %r: i32 = add %t, %w
  return %r
}
";
    let native = |a: i32, b: i32| {
        let (sum, overflow) = a.overflowing_add(b);
        let ones = sum.swap_bytes().count_ones();
        let zeros = u32::from(overflow).leading_zeros();
        (ones << 8 | zeros >> 24).wrapping_add(overflow.into())
    };
    for (a, b) in [(1, 2), (i32::MAX, 1), (-5, 3)] {
        let expected = u128::from(native(a, b));
        assert_eq!(common::value(text, &[a as u32 as u128, b as u32 as u128]), expected);
    }
}
