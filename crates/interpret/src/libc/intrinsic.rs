//! Compiler intrinsics that reach the interpreter as calls, named as LLVM names them.
//!
//! The front end turns most intrinsics into instructions. What is left has a meaning of its own here, or
//! is a library function under another name (`llvm.floor.f32` is `floorf`).

use super::{Answer, Native, arg, math, memory, word};
use crate::trap::TrapKind;
use watertight_ir::{FloatKind, Type};

/// Finds the intrinsic `name`, given without its `llvm.` prefix.
pub(super) fn find(name: &str) -> Option<Native> {
    let base = name.split('.').next().unwrap_or(name);
    let starts =
        |prefix: &str| name == prefix || name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('.'));
    Some(match base {
        "trap" | "debugtrap" | "ubsantrap" => |_, _| Err(TrapKind::Abort.into()),
        "expect" | "annotation" | "ssa" | "launder" | "strip" | "canonicalize" | "threadlocal"
        | "preserve" => |_, a| Ok(Answer::Pair([arg(a, 0).low, arg(a, 0).high])),
        "ptr" if starts("ptr.annotation") => |_, a| Answer::word(word(a, 0)),
        "load" if starts("load.relative") => |m, a| {
            // A table of 32-bit distances from its own start.
            let entry = m.memory.load_int(word(a, 0).wrapping_add(word(a, 1)), 4)? as i32;
            Answer::word(m.memory.wrap(word(a, 0).wrapping_add(i64::from(entry) as u64)))
        },
        "ptrmask" => |_, a| Answer::word(word(a, 0) & word(a, 1)),
        // The size is unknown: -1 for the maximum, 0 for the minimum.
        "objectsize" => |_, a| Answer::word(if word(a, 1) & 1 == 0 { u64::MAX } else { 0 }),
        "is" if starts("is.constant") => |_, _| Answer::truth(false),
        "is" if starts("is.fpclass") => is_class,
        // Arrays of variable length in a loop would fill the stack if they lived until the function returns.
        "stacksave" => |m, _| {
            let token = m.save_stack()?;
            Answer::word(token)
        },
        "stackrestore" => |m, a| {
            m.restore_stack(word(a, 0));
            Ok(Answer::None)
        },
        "frameaddress" | "returnaddress" | "addressofreturnaddress" | "sponentry" => |_, _| Answer::word(0),
        "flt" | "get" if starts("flt.rounds") || starts("get.rounding") => |_, _| Answer::word(1),
        "readcyclecounter" | "readsteadycounter" => |m, _| Answer::word(m.counters.steps),
        "assume" | "prefetch" | "donothing" | "sideeffect" | "lifetime" | "invariant" | "experimental"
        | "var" | "dbg" | "codeview" | "pseudoprobe" | "clear_cache" | "eh" => |_, _| Answer::word(0),
        "memcpy" | "memmove" | "memset" => return memory::find(base),
        "fmuladd" => return fmuladd(name),
        "powi" => powi,
        _ => return library_function(name, base),
    })
}

/// The library function that an intrinsic on numbers stands for.
fn library_function(name: &str, base: &str) -> Option<Native> {
    let plain = match base {
        "minnum" | "minimumnum" => "fmin",
        "maxnum" | "maximumnum" => "fmax",
        other => other,
    };
    // The last part of the name is the type of the operand, as in `lround.i64.f32`.
    let suffix = match name.rsplit('.').next()? {
        "f32" => "f",
        "f64" => "",
        "f80" | "f128" | "ppcf128" => "l",
        _ => return None,
    };
    math::find(&format!("{plain}{suffix}"))
}

/// Without a fused instruction on the target, which is what clang assumes by default, this is a product
/// and a sum, each rounded.
fn fmuladd(name: &str) -> Option<Native> {
    match name.rsplit('.').next()? {
        "f32" => Some(|_, a| {
            let result = arg(a, 0).single() * arg(a, 1).single() + arg(a, 2).single();
            Answer::word(result.to_bits().into())
        }),
        "f64" => Some(|_, a| Answer::double(arg(a, 0).double() * arg(a, 1).double() + arg(a, 2).double())),
        "f80" | "f128" => Some(|m, a| {
            use crate::float::float_binary;
            use watertight_ir::FloatOp;
            let kind = m.long_double();
            let product = float_binary(FloatOp::Mul, kind, arg(a, 0).wide(), arg(a, 1).wide()).bits;
            Answer::wide(float_binary(FloatOp::Add, kind, product, arg(a, 2).wide()).bits)
        }),
        _ => None,
    }
}

/// A power with a whole exponent, as compiler-rt computes it.
fn powi(machine: &mut crate::machine::Machine<'_>, args: &[super::Arg]) -> super::Outcome {
    let power = arg(args, 1).int();
    let raise = |base: f64| {
        let (mut result, mut square, mut left) = (1.0, base, power.unsigned_abs());
        while left != 0 {
            if left & 1 == 1 {
                result *= square;
            }
            square *= square;
            left >>= 1;
        }
        if power < 0 { 1.0 / result } else { result }
    };
    machine.counters.inexact = true;
    match arg(args, 0).ty {
        Type::Float(FloatKind::Single) => {
            let result = raise(arg(args, 0).single().into()) as f32;
            Answer::word(result.to_bits().into())
        }
        _ => Answer::double(raise(arg(args, 0).double())),
    }
}

/// Whether a number belongs to one of the classes in a mask.
fn is_class(_: &mut crate::machine::Machine<'_>, args: &[super::Arg]) -> super::Outcome {
    use crate::real::Real;
    let Type::Float(kind) = arg(args, 0).ty else {
        return Err(TrapKind::Unsupported("a class of something that is no float".into()).into());
    };
    let bits = arg(args, 0).wide() & crate::arith::mask(kind.bits());
    let least_normal = match kind {
        FloatKind::Half => -14,
        FloatKind::BFloat | FloatKind::Single => -126,
        FloatKind::Double | FloatKind::PairOfDoubles => -1022,
        FloatKind::X87 | FloatKind::Quad => -16382,
    };
    // Bits 2 to 5 are the negative classes from infinity to zero, 6 to 9 the positive ones from zero on.
    let number = match crate::real::unpack(kind, bits) {
        Real::Nan { fraction, .. } => fraction >> 127,
        Real::Infinity { negative } => {
            if negative {
                2
            } else {
                9
            }
        }
        Real::Finite { negative, mantissa, exponent } => {
            let leading = exponent + 127 - mantissa.leading_zeros() as i32;
            match (mantissa == 0, leading < least_normal) {
                (true, _) => {
                    if negative {
                        5
                    } else {
                        6
                    }
                }
                (false, true) => {
                    if negative {
                        4
                    } else {
                        7
                    }
                }
                (false, false) => {
                    if negative {
                        3
                    } else {
                        8
                    }
                }
            }
        }
    };
    Answer::truth(word(args, 1) >> number & 1 == 1)
}
