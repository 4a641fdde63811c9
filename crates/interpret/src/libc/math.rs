//! `math.h`, for `float`, `double` and `long double`.
//!
//! Functions whose result is defined to the last bit (roots, rounding, remainders, scaling) are exact.
//! The others use the host's library, as a native program would; since two libraries may differ in the
//! last bit, a run that uses them is marked as inexact. `long double` goes through `double`.

use super::{Answer, Arg, Errno, Native, Outcome, arg, word};
use crate::machine::Machine;
use crate::real::{Real, pack, unpack};
use watertight_ir::FloatKind;

/// How well a function of Rust stands for that of C.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Quality {
    /// The same in every format, because the result needs no more digits than the operands.
    Exact,
    /// Correctly rounded in `float` and `double`.
    Rounded,
    /// Perhaps different in the last bit.
    Close,
}
use Quality::{Close, Exact, Rounded};

macro_rules! functions {
    ($given:expr; unary { $($quality:ident $name:literal $single:literal $long:literal $function:ident;)* }
     binary { $($quality2:ident $name2:literal $single2:literal $long2:literal $function2:expr, $function2s:expr;)* }) => {
        match $given {
            $($name => Some(|m, a| unary_double(m, a, $quality, f64::$function)),
              $single => Some(|m, a| unary_single(m, a, $quality, f32::$function)),
              $long => Some(|m, a| unary_long(m, a, $quality, f64::$function)),)*
            $($name2 => Some(|m, a| binary_double(m, a, $quality2, $function2)),
              $single2 => Some(|m, a| binary_single(m, a, $quality2, $function2s)),
              $long2 => Some(|m, a| binary_long(m, a, $quality2, $function2)),)*
            _ => None,
        }
    };
}

pub(super) fn find(name: &str) -> Option<Native> {
    let plain: Option<Native> = functions! { name;
        unary {
            Rounded "sqrt" "sqrtf" "sqrtl" sqrt;
            Exact "fabs" "fabsf" "fabsl" abs;
            Exact "floor" "floorf" "floorl" floor;
            Exact "ceil" "ceilf" "ceill" ceil;
            Exact "trunc" "truncf" "truncl" trunc;
            Exact "round" "roundf" "roundl" round;
            Exact "rint" "rintf" "rintl" round_ties_even;
            Exact "nearbyint" "nearbyintf" "nearbyintl" round_ties_even;
            Exact "roundeven" "roundevenf" "roundevenl" round_ties_even;
            Close "sin" "sinf" "sinl" sin;
            Close "cos" "cosf" "cosl" cos;
            Close "tan" "tanf" "tanl" tan;
            Close "asin" "asinf" "asinl" asin;
            Close "acos" "acosf" "acosl" acos;
            Close "atan" "atanf" "atanl" atan;
            Close "sinh" "sinhf" "sinhl" sinh;
            Close "cosh" "coshf" "coshl" cosh;
            Close "tanh" "tanhf" "tanhl" tanh;
            Close "asinh" "asinhf" "asinhl" asinh;
            Close "acosh" "acoshf" "acoshl" acosh;
            Close "atanh" "atanhf" "atanhl" atanh;
            Close "exp" "expf" "expl" exp;
            Close "exp2" "exp2f" "exp2l" exp2;
            Close "expm1" "expm1f" "expm1l" exp_m1;
            Close "log" "logf" "logl" ln;
            Close "log2" "log2f" "log2l" log2;
            Close "log10" "log10f" "log10l" log10;
            Close "log1p" "log1pf" "log1pl" ln_1p;
            Close "cbrt" "cbrtf" "cbrtl" cbrt;
        }
        binary {
            Close "pow" "powf" "powl" f64::powf, f32::powf;
            Close "atan2" "atan2f" "atan2l" f64::atan2, f32::atan2;
            Close "hypot" "hypotf" "hypotl" f64::hypot, f32::hypot;
            Exact "fmod" "fmodf" "fmodl" |a, b| a % b, |a, b| a % b;
            Exact "fmin" "fminf" "fminl" f64::min, f32::min;
            Exact "fmax" "fmaxf" "fmaxl" f64::max, f32::max;
            Exact "copysign" "copysignf" "copysignl" f64::copysign, f32::copysign;
            Rounded "fdim" "fdimf" "fdiml"
                |a, b| if a > b { a - b } else if a <= b { 0.0 } else { f64::NAN },
                |a, b| if a > b { a - b } else if a <= b { 0.0 } else { f32::NAN };
        }
    };
    plain.or_else(|| special(name))
}

/// Functions of another shape.
fn special(name: &str) -> Option<Native> {
    Some(match name {
        "ldexp" | "scalbn" | "scalbln" => |_, a| scale(a, FloatKind::Double),
        "ldexpf" | "scalbnf" | "scalblnf" => |_, a| scale(a, FloatKind::Single),
        "ldexpl" | "scalbnl" | "scalblnl" => |m, a| {
            let kind = m.long_double();
            scale(a, kind)
        },
        "frexp" => |m, a| split_exponent(m, a, FloatKind::Double),
        "frexpf" => |m, a| split_exponent(m, a, FloatKind::Single),
        "frexpl" => |m, a| {
            let kind = m.long_double();
            split_exponent(m, a, kind)
        },
        "modf" => modf,
        "modff" => modff,
        "fma" => |_, a| Answer::double(arg(a, 0).double().mul_add(arg(a, 1).double(), arg(a, 2).double())),
        "fmaf" => |_, a| single(arg(a, 0).single().mul_add(arg(a, 1).single(), arg(a, 2).single())),
        "remainder" | "drem" => |_, a| Answer::double(ieee_remainder(arg(a, 0).double(), arg(a, 1).double())),
        "nextafter" => |_, a| Answer::double(next_after(arg(a, 0).double(), arg(a, 1).double())),
        "lround" | "llround" => |_, a| Answer::int(arg(a, 0).double().round() as i64),
        "lroundf" | "llroundf" => |_, a| Answer::int(arg(a, 0).single().round() as i64),
        "lrint" | "llrint" => |_, a| Answer::int(arg(a, 0).double().round_ties_even() as i64),
        "lrintf" | "llrintf" => |_, a| Answer::int(arg(a, 0).single().round_ties_even() as i64),
        "isnan" | "__isnan" => |_, a| Answer::truth(arg(a, 0).double().is_nan()),
        "isnanf" | "__isnanf" => |_, a| Answer::truth(arg(a, 0).single().is_nan()),
        "isinf" | "__isinf" => |_, a| Answer::int(infinity_sign(arg(a, 0).double())),
        "isinff" | "__isinff" => |_, a| Answer::int(infinity_sign(arg(a, 0).single().into())),
        "finite" | "__finite" => |_, a| Answer::truth(arg(a, 0).double().is_finite()),
        "finitef" | "__finitef" => |_, a| Answer::truth(arg(a, 0).single().is_finite()),
        "__signbit" => |_, a| Answer::truth(arg(a, 0).double().is_sign_negative()),
        "__signbitf" => |_, a| Answer::truth(arg(a, 0).single().is_sign_negative()),
        "__isnanl" => |m, a| Answer::truth(long_argument(m, a, 0).is_nan()),
        "__isinfl" => |m, a| Answer::int(infinity_sign(long_argument(m, a, 0))),
        "__finitel" => |m, a| Answer::truth(long_argument(m, a, 0).is_finite()),
        "__signbitl" => |m, a| Answer::truth(long_argument(m, a, 0).is_sign_negative()),
        "__fpclassify" => |_, a| Answer::int(classify(arg(a, 0).double().classify())),
        "__fpclassifyf" => |_, a| Answer::int(classify(arg(a, 0).single().classify())),
        "ilogb" => |_, a| Answer::int(exponent(arg(a, 0).double())),
        "logb" => |_, a| Answer::double(exponent(arg(a, 0).double()) as f64),
        "nan" => |_, _| Answer::double(f64::NAN),
        "exp10" => |m, a| {
            m.counters.inexact = true;
            Answer::double(10f64.powf(arg(a, 0).double()))
        },
        _ => return None,
    })
}

fn single(value: f32) -> Outcome {
    Answer::word(value.to_bits().into())
}

/// Marks the run and sets `errno` as the function's result demands.
fn note(
    machine: &mut Machine<'_>,
    quality: Quality,
    valid: bool,
    result: f64,
) -> Result<(), crate::machine::Stop> {
    machine.counters.inexact |= quality == Close;
    if valid && result.is_nan() {
        machine.set_errno(Errno::Domain)?;
    } else if valid && result.is_infinite() && quality == Close {
        machine.set_errno(Errno::Range)?;
    }
    Ok(())
}

fn unary_double(
    machine: &mut Machine<'_>,
    args: &[Arg],
    quality: Quality,
    function: fn(f64) -> f64,
) -> Outcome {
    let operand = arg(args, 0).double();
    let result = function(operand);
    note(machine, quality, operand.is_finite(), result)?;
    Answer::double(result)
}

fn unary_single(
    machine: &mut Machine<'_>,
    args: &[Arg],
    quality: Quality,
    function: fn(f32) -> f32,
) -> Outcome {
    let operand = arg(args, 0).single();
    let result = function(operand);
    note(machine, quality, operand.is_finite(), result.into())?;
    single(result)
}

fn binary_double(
    machine: &mut Machine<'_>,
    args: &[Arg],
    quality: Quality,
    function: fn(f64, f64) -> f64,
) -> Outcome {
    let (a, b) = (arg(args, 0).double(), arg(args, 1).double());
    let result = function(a, b);
    note(machine, quality, a.is_finite() && b.is_finite(), result)?;
    Answer::double(result)
}

fn binary_single(
    machine: &mut Machine<'_>,
    args: &[Arg],
    quality: Quality,
    function: fn(f32, f32) -> f32,
) -> Outcome {
    let (a, b) = (arg(args, 0).single(), arg(args, 1).single());
    let result = function(a, b);
    note(machine, quality, a.is_finite() && b.is_finite(), result.into())?;
    single(result)
}

/// A `long double` as `double`; digits that do not fit make the run inexact.
fn long_argument(machine: &mut Machine<'_>, args: &[Arg], index: usize) -> f64 {
    let kind = machine.long_double();
    let bits = arg(args, index).wide() & crate::arith::mask(kind.bits());
    let value = unpack(kind, bits).to_f64();
    machine.counters.inexact |= !value.is_nan() && pack(kind, Real::from_f64(value)) != bits;
    value
}

fn long_result(machine: &mut Machine<'_>, quality: Quality, result: f64) -> Outcome {
    machine.counters.inexact |= quality != Exact;
    let kind = machine.long_double();
    Answer::wide(pack(kind, Real::from_f64(result)))
}

fn unary_long(
    machine: &mut Machine<'_>,
    args: &[Arg],
    quality: Quality,
    function: fn(f64) -> f64,
) -> Outcome {
    let operand = long_argument(machine, args, 0);
    long_result(machine, quality, function(operand))
}

fn binary_long(
    machine: &mut Machine<'_>,
    args: &[Arg],
    quality: Quality,
    function: fn(f64, f64) -> f64,
) -> Outcome {
    let (a, b) = (long_argument(machine, args, 0), long_argument(machine, args, 1));
    long_result(machine, quality, function(a, b))
}

/// `x × 2^n`, rounded once.
fn scale(args: &[Arg], kind: FloatKind) -> Outcome {
    let power = arg(args, 1).signed().clamp(-100_000, 100_000) as i32;
    let real = match unpack(kind, arg(args, 0).wide() & crate::arith::mask(kind.bits())) {
        Real::Finite { negative, mantissa, exponent } => {
            Real::Finite { negative, mantissa, exponent: exponent + power }
        }
        special => special,
    };
    Answer::wide(pack(kind, real))
}

/// A number as a fraction between one half and one, and an exponent.
fn split_exponent(machine: &mut Machine<'_>, args: &[Arg], kind: FloatKind) -> Outcome {
    let bits = arg(args, 0).wide() & crate::arith::mask(kind.bits());
    let (result, power) = match unpack(kind, bits) {
        Real::Finite { negative, mantissa, exponent } if mantissa != 0 => {
            let digits = 128 - mantissa.leading_zeros() as i32;
            (pack(kind, Real::Finite { negative, mantissa, exponent: -digits }), exponent + digits)
        }
        _ => (bits, 0),
    };
    machine.memory.store_int(word(args, 1), 4, power as u32 as u128)?;
    Answer::wide(result)
}

fn modf(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let value = arg(args, 0).double();
    machine.memory.store_int(word(args, 1), 8, value.trunc().to_bits().into())?;
    let fraction = if value.is_infinite() { 0.0 } else { value - value.trunc() };
    Answer::double(fraction.copysign(value))
}

fn modff(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let value = arg(args, 0).single();
    machine.memory.store_int(word(args, 1), 4, value.trunc().to_bits().into())?;
    let fraction = if value.is_infinite() { 0.0 } else { value - value.trunc() };
    single(fraction.copysign(value))
}

/// The remainder with the quotient rounded to nearest.
fn ieee_remainder(a: f64, b: f64) -> f64 {
    if !b.is_finite() || !a.is_finite() {
        return if a.is_finite() && !b.is_nan() { a } else { f64::NAN };
    }
    let rest = a % (2.0 * b);
    let (rest, step) = (if rest.is_nan() { a } else { rest }, b.abs());
    let mut magnitude = rest.abs();
    let mut negative = rest.is_sign_negative();
    if magnitude * 2.0 > step {
        magnitude -= step;
        if magnitude * 2.0 >= step {
            magnitude -= step;
        }
    }
    if magnitude < 0.0 {
        magnitude = -magnitude;
        negative = !negative;
    }
    if negative { -magnitude } else { magnitude }
}

fn next_after(from: f64, to: f64) -> f64 {
    if from.is_nan() || to.is_nan() {
        f64::NAN
    } else if from == to {
        to
    } else if from < to {
        from.next_up()
    } else {
        from.next_down()
    }
}

fn infinity_sign(value: f64) -> i64 {
    match value {
        f64::INFINITY => 1,
        f64::NEG_INFINITY => -1,
        _ => 0,
    }
}

/// The numbers that glibc gives the classes.
fn classify(class: std::num::FpCategory) -> i64 {
    use std::num::FpCategory;
    match class {
        FpCategory::Nan => 0,
        FpCategory::Infinite => 1,
        FpCategory::Zero => 2,
        FpCategory::Subnormal => 3,
        FpCategory::Normal => 4,
    }
}

/// The binary exponent of a number; the special values are those of glibc.
fn exponent(value: f64) -> i64 {
    match Real::from_f64(value) {
        Real::Finite { mantissa: 0, .. } | Real::Nan { .. } => i64::from(i32::MIN),
        Real::Infinity { .. } => i64::from(i32::MAX),
        Real::Finite { mantissa, exponent, .. } => {
            i64::from(exponent) + 127 - i64::from(mantissa.leading_zeros())
        }
    }
}
