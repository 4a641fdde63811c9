//! The rules of types, instruction by instruction. Operands are known to exist.

use super::{Verifier, is_alignment};
use crate::function::{Body, Const, Function};
use crate::ids::{Id, ValueId};
use crate::inst::{AtomicOp, Call, Callee, ConvertOp, Inst, Op, Terminator};
use crate::program::Symbol;
use crate::types::Type;

type Check = Result<(), String>;

/// Whether an instruction defines a value.
#[derive(Copy, Clone, PartialEq, Eq)]
enum ResultRule {
    Always,
    Never,
    Either,
}

fn result_rule(op: &Op) -> ResultRule {
    match op {
        Op::Store { .. }
        | Op::MemCopy { .. }
        | Op::MemFill { .. }
        | Op::Fence
        | Op::VaStart { .. }
        | Op::VaCopy { .. }
        | Op::VaEnd { .. }
        | Op::Name { .. } => ResultRule::Never,
        Op::Call(_) | Op::Unknown(_) => ResultRule::Either,
        _ => ResultRule::Always,
    }
}

/// Checks the types of an instruction; the first broken rule is told.
pub(super) fn check_inst(verifier: &Verifier<'_>, body: &Body, inst: &Inst) -> Check {
    match (result_rule(&inst.op), inst.result) {
        (ResultRule::Always, None) => return fail("it must define a value"),
        (ResultRule::Never, Some(_)) => return fail("it cannot define a value"),
        _ => {}
    }
    let result = inst.result.map_or(Type::Void, |result| body.ty(result));
    let ty = |value: ValueId| body.ty(value);
    match &inst.op {
        Op::Stack { count, align, .. } => {
            if let Some(count) = count {
                want_int(ty(*count), "the count")?;
            }
            if !is_alignment(*align) {
                return Err(format!("the alignment {align} is not a power of two"));
            }
            want(result, Type::Ptr, "the result")
        }
        Op::Load { addr, .. } => want(ty(*addr), Type::Ptr, "the address"),
        Op::Store { addr, .. } => want(ty(*addr), Type::Ptr, "the address"),
        Op::Offset { base, .. } => {
            want(ty(*base), Type::Ptr, "the base")?;
            want(result, Type::Ptr, "the result")
        }
        Op::Index { base, index, .. } => {
            want(ty(*base), Type::Ptr, "the base")?;
            want_int(ty(*index), "the index")?;
            want(result, Type::Ptr, "the result")
        }
        Op::Binary { lhs, rhs, .. } => {
            equal(ty(*lhs), ty(*rhs))?;
            want_int(ty(*lhs), "the left side")?;
            want(result, ty(*lhs), "the result")
        }
        Op::Compare { lhs, rhs, .. } => {
            equal(ty(*lhs), ty(*rhs))?;
            want_int_or_ptr(ty(*lhs), "the left side")?;
            want(result, Type::BOOL, "the result")
        }
        Op::Float { lhs, rhs, .. } => {
            equal(ty(*lhs), ty(*rhs))?;
            want_float(ty(*lhs), "the left side")?;
            want(result, ty(*lhs), "the result")
        }
        Op::FloatNegate { value } => {
            want_float(ty(*value), "the operand")?;
            want(result, ty(*value), "the result")
        }
        Op::FloatCompare { lhs, rhs, .. } => {
            equal(ty(*lhs), ty(*rhs))?;
            want_float(ty(*lhs), "the left side")?;
            want(result, Type::BOOL, "the result")
        }
        Op::Convert { op, value } => convert(*op, ty(*value), result, verifier.program.target.pointer_bits),
        Op::Select { cond, then, other } => {
            want(ty(*cond), Type::BOOL, "the condition")?;
            equal(ty(*then), ty(*other))?;
            want(result, ty(*then), "the result")
        }
        Op::Phi { incoming } => {
            for &(block, value) in incoming {
                if ty(value) != result {
                    return Err(format!("the value from {block} has the type {}, not {result}", ty(value)));
                }
            }
            Ok(())
        }
        Op::Call(call) => check_call(verifier, body, call),
        Op::MemCopy { dst, src, len, .. } => {
            want(ty(*dst), Type::Ptr, "the destination")?;
            want(ty(*src), Type::Ptr, "the source")?;
            want_int(ty(*len), "the length")
        }
        Op::MemFill { dst, byte, len } => {
            want(ty(*dst), Type::Ptr, "the destination")?;
            want(ty(*byte), Type::Int(8), "the byte")?;
            want_int(ty(*len), "the length")
        }
        Op::Atomic { op, addr, value } => {
            want(ty(*addr), Type::Ptr, "the address")?;
            match op {
                AtomicOp::Exchange if ty(*value).is_scalar() => {}
                AtomicOp::Exchange => {
                    return Err(format!("the value has the type {}, not a scalar", ty(*value)));
                }
                AtomicOp::FAdd
                | AtomicOp::FSub
                | AtomicOp::FMax
                | AtomicOp::FMin
                | AtomicOp::FMaximum
                | AtomicOp::FMinimum => want_float(ty(*value), "the value")?,
                _ => want_int(ty(*value), "the value")?,
            }
            want(result, ty(*value), "the result")
        }
        Op::CompareExchange { addr, expected, new } => {
            want(ty(*addr), Type::Ptr, "the address")?;
            equal(ty(*expected), ty(*new))?;
            want_int_or_ptr(ty(*expected), "the expected value")?;
            want_parts(verifier, result, &[ty(*expected), Type::BOOL])
        }
        Op::Fence => Ok(()),
        Op::Bits { op, args } => {
            let [first, rest @ ..] = &**args else { return fail("it has no operands") };
            if args.len() != op.arity() {
                return Err(format!("it takes {} operands", op.arity()));
            }
            rest.iter().try_for_each(|&arg| equal(ty(*first), ty(arg)))?;
            want_int(ty(*first), "the operand")?;
            match op.reports_overflow() {
                true => want_parts(verifier, result, &[ty(*first), Type::BOOL]),
                false => want(result, ty(*first), "the result"),
            }
        }
        Op::Pack { parts } => {
            let types: Vec<Type> = parts.iter().map(|&part| ty(part)).collect();
            want_parts(verifier, result, &types)
        }
        Op::Extract { aggregate, part } => {
            let parts = parts_of(verifier, ty(*aggregate));
            match parts.map(|parts| parts.get(*part as usize)) {
                Some(Some((_, part))) => want(result, *part, "the result"),
                Some(None) => Err(format!("{} has no part {part}", ty(*aggregate))),
                None => Err(format!("the operand has the type {}, not an aggregate", ty(*aggregate))),
            }
        }
        Op::VaStart { list } | Op::VaEnd { list } | Op::VaArg { list } => {
            want(ty(*list), Type::Ptr, "the list")
        }
        Op::VaCopy { dst, src } => {
            want(ty(*dst), Type::Ptr, "the destination")?;
            want(ty(*src), Type::Ptr, "the source")
        }
        Op::Name { variable, .. } => match variable.index() < body.variables.len() {
            true => Ok(()),
            false => Err(format!("{variable} does not exist")),
        },
        Op::Unknown(_) => Ok(()),
    }
}

fn check_call(verifier: &Verifier<'_>, body: &Body, call: &Call) -> Check {
    match call.callee {
        Callee::Direct(function) if !verifier.has_symbol(Symbol::Func(function)) => {
            return Err(format!("{function} does not exist"));
        }
        Callee::Direct(_) => {}
        Callee::Pointer(value) => want(body.ty(value), Type::Ptr, "the callee")?,
    }
    let named = call.fixed_args as usize;
    if named > call.args.len() || (!call.variadic && named != call.args.len()) {
        let given = call.args.len();
        return Err(format!("its prototype names {named} arguments, but {given} are given"));
    }
    let mut least = 0;
    for &(index, _) in &call.by_value {
        let Some(&arg) = call.args.get(index as usize).filter(|_| index >= least) else {
            return Err(format!("argument {index} by value does not exist, or stands twice"));
        };
        want(body.ty(arg), Type::Ptr, "the argument by value")?;
        least = index + 1;
    }
    Ok(())
}

fn convert(op: ConvertOp, from: Type, to: Type, pointer_bits: u32) -> Check {
    let (before, after) = (from.bits(pointer_bits), to.bits(pointer_bits));
    let fits = match op {
        ConvertOp::Truncate => is_int(from) && is_int(to) && after < before,
        ConvertOp::ZeroExtend | ConvertOp::SignExtend => is_int(from) && is_int(to) && after > before,
        ConvertOp::PtrToInt => from == Type::Ptr && is_int(to),
        ConvertOp::IntToPtr => is_int(from) && to == Type::Ptr,
        ConvertOp::FloatToUnsigned | ConvertOp::FloatToSigned => is_float(from) && is_int(to),
        ConvertOp::UnsignedToFloat | ConvertOp::SignedToFloat => is_int(from) && is_float(to),
        ConvertOp::FloatTruncate => is_float(from) && is_float(to) && after < before,
        ConvertOp::FloatExtend => is_float(from) && is_float(to) && after > before,
        ConvertOp::Reinterpret => from.is_scalar() && to.is_scalar() && before == after,
    };
    if fits { Ok(()) } else { Err(format!("it cannot convert {from} to {to}")) }
}

/// Checks the operands of a terminator and the cases of a switch; targets are known to exist.
pub(super) fn check_terminator(function: &Function, body: &Body, term: &Terminator) -> Check {
    match term {
        Terminator::Branch { cond, .. } => want(body.ty(*cond), Type::BOOL, "the condition"),
        Terminator::Switch { value, cases, .. } => {
            let ty = body.ty(*value);
            want_int(ty, "the value")?;
            match ty {
                Type::Int(width @ 1..=127) => match cases.iter().find(|(case, _)| case >> width != 0) {
                    Some((case, _)) => Err(format!("the case {case} does not fit into {ty}")),
                    None => Ok(()),
                },
                _ => Ok(()),
            }
        }
        Terminator::Indirect { addr, targets } => {
            want(body.ty(*addr), Type::Ptr, "the address")?;
            if targets.is_empty() { fail("it has no targets") } else { Ok(()) }
        }
        Terminator::Choose { targets } if targets.is_empty() => fail("it has no targets"),
        Terminator::Return(value) => {
            let ty = value.map_or(Type::Void, |value| body.ty(value));
            match ty == function.result {
                true => Ok(()),
                false => Err(format!("it returns {ty}, but the function's result is {}", function.result)),
            }
        }
        _ => Ok(()),
    }
}

/// Checks that a constant fits its type.
pub(super) fn check_constant(verifier: &Verifier<'_>, ty: Type, constant: &Const) -> Check {
    let width = ty.bits(verifier.program.target.pointer_bits);
    match constant {
        Const::Bits(bits) => match width {
            1..=63 if bits >> width != 0 => Err(format!("{bits:#x} does not fit into {ty}")),
            1..=64 => Ok(()),
            _ => Err(format!("a constant of type {ty} cannot be one word")),
        },
        Const::Wide(words) => {
            if width <= 64 || words.len() != width.div_ceil(64) as usize {
                return Err(format!("a constant of type {ty} cannot be {} words", words.len()));
            }
            let excess = match (words.last(), width % 64) {
                (Some(last), rest @ 1..) => last >> rest != 0,
                _ => false,
            };
            if excess { Err(format!("the constant does not fit into {ty}")) } else { Ok(()) }
        }
        Const::Undef => Ok(()),
        Const::Zero => match ty {
            Type::Agg(_) => Ok(()),
            _ => Err(format!("`zero` is for aggregates, not for {ty}")),
        },
        Const::Global { .. } | Const::Func(_) | Const::Label(..) if ty != Type::Ptr => {
            Err(format!("an address cannot have the type {ty}"))
        }
        Const::Global { global, .. } => has(verifier, Symbol::Global(*global)),
        Const::Func(function) => has(verifier, Symbol::Func(*function)),
        Const::Label(function, block) => has(verifier, Symbol::Label(*function, *block)),
    }
}

fn has(verifier: &Verifier<'_>, symbol: Symbol) -> Check {
    if verifier.has_symbol(symbol) { Ok(()) } else { fail("the address is of nothing that exists") }
}

fn fail(message: &str) -> Check {
    Err(message.to_string())
}

fn is_int(ty: Type) -> bool {
    matches!(ty, Type::Int(_))
}

fn is_float(ty: Type) -> bool {
    matches!(ty, Type::Float(_))
}

fn want(found: Type, wanted: Type, what: &str) -> Check {
    if found == wanted { Ok(()) } else { Err(format!("{what} has the type {found}, not {wanted}")) }
}

fn want_int(found: Type, what: &str) -> Check {
    if is_int(found) { Ok(()) } else { Err(format!("{what} has the type {found}, not an integer")) }
}

fn want_float(found: Type, what: &str) -> Check {
    if is_float(found) { Ok(()) } else { Err(format!("{what} has the type {found}, not a float")) }
}

fn want_int_or_ptr(found: Type, what: &str) -> Check {
    if is_int(found) || found == Type::Ptr {
        return Ok(());
    }
    Err(format!("{what} has the type {found}, neither integer nor pointer"))
}

fn equal(left: Type, right: Type) -> Check {
    if left == right { Ok(()) } else { Err(format!("the operands have the types {left} and {right}")) }
}

fn parts_of<'v>(verifier: &'v Verifier<'_>, ty: Type) -> Option<&'v [(u64, Type)]> {
    match ty {
        Type::Agg(agg) => verifier.program.aggregates.get(agg).map(|aggregate| &*aggregate.parts),
        _ => None,
    }
}

fn want_parts(verifier: &Verifier<'_>, found: Type, wanted: &[Type]) -> Check {
    match parts_of(verifier, found) {
        Some(parts) if parts.iter().map(|(_, part)| part).eq(wanted) => Ok(()),
        _ => {
            let names: Vec<String> = wanted.iter().map(Type::to_string).collect();
            Err(format!("the result has the type {found}, not an aggregate of {}", names.join(", ")))
        }
    }
}
