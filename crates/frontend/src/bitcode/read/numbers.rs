//! Numbers inside records that stand for an operation, a flag or a linkage.

use crate::bitcode::fault::Fault;
use crate::bitcode::instruction::{
    Alignment, AtomicOp, AtomicOrdering, BinaryFlags, BinaryOp, CastFlags, CastOp, FastMathFlags, GepFlags,
    Predicate, SyncScope,
};
use crate::bitcode::module::{Linkage, ThreadLocal, Visibility};

pub(crate) fn cast_op(number: u64) -> Result<CastOp, Fault> {
    const OPS: [CastOp; 14] = [
        CastOp::Trunc,
        CastOp::ZExt,
        CastOp::SExt,
        CastOp::FpToUi,
        CastOp::FpToSi,
        CastOp::UiToFp,
        CastOp::SiToFp,
        CastOp::FpTrunc,
        CastOp::FpExt,
        CastOp::PtrToInt,
        CastOp::IntToPtr,
        CastOp::BitCast,
        CastOp::AddrSpaceCast,
        CastOp::PtrToAddr,
    ];
    pick(&OPS, number, "an unknown conversion")
}

/// Integer and floating point arithmetic share numbers; the type tells them apart.
pub(crate) fn binary_op(number: u64, float: bool) -> Result<BinaryOp, Fault> {
    const INTEGER: [BinaryOp; 13] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::UDiv,
        BinaryOp::SDiv,
        BinaryOp::URem,
        BinaryOp::SRem,
        BinaryOp::Shl,
        BinaryOp::LShr,
        BinaryOp::AShr,
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
    ];
    let op = pick(&INTEGER, number, "an unknown binary operation")?;
    if !float {
        return Ok(op);
    }
    match op {
        BinaryOp::Add => Ok(BinaryOp::FAdd),
        BinaryOp::Sub => Ok(BinaryOp::FSub),
        BinaryOp::Mul => Ok(BinaryOp::FMul),
        BinaryOp::SDiv => Ok(BinaryOp::FDiv),
        BinaryOp::SRem => Ok(BinaryOp::FRem),
        _ => Err(Fault::BadNumber),
    }
}

pub(crate) fn binary_flags(op: BinaryOp, bits: u64) -> BinaryFlags {
    let mut flags = BinaryFlags::default();
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl => {
            flags.no_unsigned_wrap = bits & 1 != 0;
            flags.no_signed_wrap = bits & 2 != 0;
        }
        BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::LShr | BinaryOp::AShr => flags.exact = bits & 1 != 0,
        BinaryOp::Or => flags.disjoint = bits & 1 != 0,
        BinaryOp::URem | BinaryOp::SRem | BinaryOp::And | BinaryOp::Xor => {}
        BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => {
            flags.fast = FastMathFlags(bits as u8);
        }
    }
    flags
}

pub(crate) fn cast_flags(op: CastOp, bits: u64) -> CastFlags {
    let mut flags = CastFlags::default();
    match op {
        CastOp::Trunc => {
            flags.no_unsigned_wrap = bits & 1 != 0;
            flags.no_signed_wrap = bits & 2 != 0;
        }
        CastOp::ZExt | CastOp::UiToFp => flags.non_negative = bits & 1 != 0,
        _ => flags.fast = FastMathFlags(bits as u8),
    }
    flags
}

pub(crate) fn gep_flags(bits: u64) -> GepFlags {
    let in_bounds = bits & 1 != 0;
    GepFlags {
        in_bounds,
        // Staying in bounds implies it; up to LLVM 18 only the former is written.
        no_unsigned_signed_wrap: in_bounds || bits & 2 != 0,
        no_unsigned_wrap: bits & 4 != 0,
    }
}

pub(crate) fn predicate(number: u64) -> Result<Predicate, Fault> {
    const FLOAT: [Predicate; 16] = [
        Predicate::FFalse,
        Predicate::FOeq,
        Predicate::FOgt,
        Predicate::FOge,
        Predicate::FOlt,
        Predicate::FOle,
        Predicate::FOne,
        Predicate::FOrd,
        Predicate::FUno,
        Predicate::FUeq,
        Predicate::FUgt,
        Predicate::FUge,
        Predicate::FUlt,
        Predicate::FUle,
        Predicate::FUne,
        Predicate::FTrue,
    ];
    const INTEGER: [Predicate; 10] = [
        Predicate::Eq,
        Predicate::Ne,
        Predicate::Ugt,
        Predicate::Uge,
        Predicate::Ult,
        Predicate::Ule,
        Predicate::Sgt,
        Predicate::Sge,
        Predicate::Slt,
        Predicate::Sle,
    ];
    match number {
        0..16 => Ok(FLOAT[number as usize]),
        32..42 => Ok(INTEGER[number as usize - 32]),
        _ => Err(Fault::BadNumber),
    }
}

pub(crate) fn atomic_op(number: u64) -> Result<AtomicOp, Fault> {
    const OPS: [AtomicOp; 23] = [
        AtomicOp::Exchange,
        AtomicOp::Add,
        AtomicOp::Sub,
        AtomicOp::And,
        AtomicOp::Nand,
        AtomicOp::Or,
        AtomicOp::Xor,
        AtomicOp::Max,
        AtomicOp::Min,
        AtomicOp::UMax,
        AtomicOp::UMin,
        AtomicOp::FAdd,
        AtomicOp::FSub,
        AtomicOp::FMax,
        AtomicOp::FMin,
        AtomicOp::UIncWrap,
        AtomicOp::UDecWrap,
        AtomicOp::USubCond,
        AtomicOp::USubSat,
        AtomicOp::FMaximum,
        AtomicOp::FMinimum,
        AtomicOp::FMaximumNumber,
        AtomicOp::FMinimumNumber,
    ];
    pick(&OPS, number, "an unknown atomic operation")
}

pub(crate) fn ordering(number: u64) -> Result<AtomicOrdering, Fault> {
    const ORDERINGS: [AtomicOrdering; 7] = [
        AtomicOrdering::NotAtomic,
        AtomicOrdering::Unordered,
        AtomicOrdering::Monotonic,
        AtomicOrdering::Acquire,
        AtomicOrdering::Release,
        AtomicOrdering::AcquireRelease,
        AtomicOrdering::SequentiallyConsistent,
    ];
    pick(&ORDERINGS, number, "an unknown memory ordering")
}

pub(crate) fn sync_scope(number: u64) -> Result<SyncScope, Fault> {
    u8::try_from(number).map(SyncScope).map_err(|_| Fault::BadNumber)
}

/// An alignment, written as its logarithm plus one.
pub(crate) fn alignment(number: u64) -> Result<Alignment, Fault> {
    match number {
        0..=33 => Ok(Alignment(number as u8)),
        _ => Err(Fault::BadNumber),
    }
}

pub(crate) fn linkage(number: u64) -> Linkage {
    match number {
        1 | 16 => Linkage::WeakAny,
        2 => Linkage::Appending,
        3 => Linkage::Internal,
        4 | 18 => Linkage::LinkOnceAny,
        7 => Linkage::ExternalWeak,
        8 => Linkage::Common,
        9 | 13 | 14 => Linkage::Private,
        10 | 17 => Linkage::WeakOdr,
        11 | 19 => Linkage::LinkOnceOdr,
        12 => Linkage::AvailableExternally,
        _ => Linkage::External,
    }
}

pub(crate) fn visibility(number: u64) -> Visibility {
    match number {
        1 => Visibility::Hidden,
        2 => Visibility::Protected,
        _ => Visibility::Default,
    }
}

pub(crate) fn thread_local(number: u64) -> ThreadLocal {
    match number {
        0 => ThreadLocal::No,
        2 => ThreadLocal::LocalDynamic,
        3 => ThreadLocal::InitialExec,
        4 => ThreadLocal::LocalExec,
        _ => ThreadLocal::GeneralDynamic,
    }
}

fn pick<T: Copy>(table: &[T], number: u64, what: &'static str) -> Result<T, Fault> {
    usize::try_from(number).ok().and_then(|index| table.get(index)).copied().ok_or(Fault::Unsupported(what))
}
