//! What LLVM's intrinsic functions mean to us, decided once per function of the module.

use crate::bitcode::{FunctionId, Module};
use watertight_ir::BitOp;

/// What a call of an intrinsic becomes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Intrinsic {
    /// An ordinary function, no intrinsic.
    None,
    /// No effect on values or memory: hints, markers, profiling. A result is undefined.
    Nothing,
    DebugDeclare,
    DebugValue,
    MemCopy {
        may_overlap: bool,
    },
    MemFill,
    VaStart,
    VaCopy,
    VaEnd,
    /// The result is the first argument.
    FirstArgument,
    /// So many leading arguments count.
    Bits(BitOp, usize),
    /// `a × b + c`, rounded twice as on a machine without fused operations.
    MultiplyAdd,
    /// Ends the program.
    Trap,
    /// `__builtin_constant_p`: not known.
    IsConstant,
    /// `__builtin_object_size`: not known.
    ObjectSize,
    /// Not modelled.
    Unknown,
}

/// The meaning of each function of a module.
#[derive(Debug)]
pub(super) struct Intrinsics {
    meanings: Vec<Intrinsic>,
}

impl Intrinsics {
    pub(super) fn new(module: &Module<'_>) -> Intrinsics {
        Intrinsics { meanings: module.functions().map(|(_, function)| meaning(&function.name)).collect() }
    }

    pub(super) fn of(&self, id: FunctionId) -> Intrinsic {
        self.meanings[id.index()]
    }
}

fn meaning(name: &[u8]) -> Intrinsic {
    let Some(name) = name.strip_prefix(b"llvm.") else { return Intrinsic::None };
    let Ok(name) = std::str::from_utf8(name) else { return Intrinsic::Unknown };
    // Overloads append types: `ctpop.i32`, `memcpy.p0.p0.i64`.
    let base =
        |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    for (prefix, meaning) in TABLE {
        if base(prefix) {
            return *meaning;
        }
    }
    Intrinsic::Unknown
}

/// Names without `llvm.`; the first that fits decides.
const TABLE: &[(&str, Intrinsic)] = &[
    ("dbg.declare", Intrinsic::DebugDeclare),
    ("dbg.value", Intrinsic::DebugValue),
    ("dbg", Intrinsic::Nothing),
    ("lifetime", Intrinsic::Nothing),
    ("invariant", Intrinsic::Nothing),
    ("assume", Intrinsic::Nothing),
    ("donothing", Intrinsic::Nothing),
    ("prefetch", Intrinsic::Nothing),
    ("stacksave", Intrinsic::Nothing),
    ("stackrestore", Intrinsic::Nothing),
    ("var.annotation", Intrinsic::Nothing),
    ("sideeffect", Intrinsic::Nothing),
    ("pseudoprobe", Intrinsic::Nothing),
    ("instrprof", Intrinsic::Nothing),
    ("fake.use", Intrinsic::Nothing),
    ("experimental.noalias.scope.decl", Intrinsic::Nothing),
    ("codeview.annotation", Intrinsic::Nothing),
    ("pcmarker", Intrinsic::Nothing),
    ("memcpy", Intrinsic::MemCopy { may_overlap: false }),
    ("memmove", Intrinsic::MemCopy { may_overlap: true }),
    ("memset", Intrinsic::MemFill),
    ("va_start", Intrinsic::VaStart),
    ("va_copy", Intrinsic::VaCopy),
    ("va_end", Intrinsic::VaEnd),
    ("expect", Intrinsic::FirstArgument),
    ("expect.with.probability", Intrinsic::FirstArgument),
    ("annotation", Intrinsic::FirstArgument),
    ("ptr.annotation", Intrinsic::FirstArgument),
    ("launder.invariant.group", Intrinsic::FirstArgument),
    ("strip.invariant.group", Intrinsic::FirstArgument),
    ("preserve.static.offset", Intrinsic::FirstArgument),
    ("arithmetic.fence", Intrinsic::FirstArgument),
    ("threadlocal.address", Intrinsic::FirstArgument),
    ("ssa.copy", Intrinsic::FirstArgument),
    ("bswap", Intrinsic::Bits(BitOp::ByteSwap, 1)),
    ("bitreverse", Intrinsic::Bits(BitOp::BitReverse, 1)),
    ("ctpop", Intrinsic::Bits(BitOp::CountOnes, 1)),
    ("ctlz", Intrinsic::Bits(BitOp::LeadingZeros, 1)),
    ("cttz", Intrinsic::Bits(BitOp::TrailingZeros, 1)),
    ("abs", Intrinsic::Bits(BitOp::Abs, 1)),
    ("smax", Intrinsic::Bits(BitOp::SMax, 2)),
    ("smin", Intrinsic::Bits(BitOp::SMin, 2)),
    ("umax", Intrinsic::Bits(BitOp::UMax, 2)),
    ("umin", Intrinsic::Bits(BitOp::UMin, 2)),
    ("fshl", Intrinsic::Bits(BitOp::FunnelLeft, 3)),
    ("fshr", Intrinsic::Bits(BitOp::FunnelRight, 3)),
    ("sadd.with.overflow", Intrinsic::Bits(BitOp::SAddOverflow, 2)),
    ("uadd.with.overflow", Intrinsic::Bits(BitOp::UAddOverflow, 2)),
    ("ssub.with.overflow", Intrinsic::Bits(BitOp::SSubOverflow, 2)),
    ("usub.with.overflow", Intrinsic::Bits(BitOp::USubOverflow, 2)),
    ("smul.with.overflow", Intrinsic::Bits(BitOp::SMulOverflow, 2)),
    ("umul.with.overflow", Intrinsic::Bits(BitOp::UMulOverflow, 2)),
    ("sadd.sat", Intrinsic::Bits(BitOp::SAddSat, 2)),
    ("uadd.sat", Intrinsic::Bits(BitOp::UAddSat, 2)),
    ("ssub.sat", Intrinsic::Bits(BitOp::SSubSat, 2)),
    ("usub.sat", Intrinsic::Bits(BitOp::USubSat, 2)),
    ("sshl.sat", Intrinsic::Bits(BitOp::SShlSat, 2)),
    ("ushl.sat", Intrinsic::Bits(BitOp::UShlSat, 2)),
    ("fmuladd", Intrinsic::MultiplyAdd),
    ("trap", Intrinsic::Trap),
    ("ubsantrap", Intrinsic::Trap),
    ("is.constant", Intrinsic::IsConstant),
    ("objectsize", Intrinsic::ObjectSize),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overloaded_names_are_recognised_and_longer_names_are_not_mistaken() {
        assert_eq!(meaning(b"llvm.ctpop.i32"), Intrinsic::Bits(BitOp::CountOnes, 1));
        assert_eq!(meaning(b"llvm.memcpy.inline.p0.p0.i64"), Intrinsic::MemCopy { may_overlap: false });
        assert_eq!(meaning(b"llvm.trap"), Intrinsic::Trap);
        assert_eq!(meaning(b"llvm.trapeze"), Intrinsic::Unknown);
        assert_eq!(meaning(b"malloc"), Intrinsic::None);
    }
}
