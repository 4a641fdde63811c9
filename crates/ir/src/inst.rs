//! Instructions, one by one.
//!
//! Every operation that C programs compile to has one variant with one meaning. What the analyses
//! cannot reason about (inline assembly, vector arithmetic, exception pads) is an explicit
//! [`Op::Unknown`] that keeps its operands, so its possible effects stay visible.

use crate::ids::{BlockId, FuncId, PlaceId, ValueId, VarId};

/// One instruction: what it does, the value it defines, where it comes from.
#[derive(Clone, PartialEq, Debug)]
pub struct Inst {
    pub op: Op,
    /// The value it defines; its type tells the width of the operation.
    pub result: Option<ValueId>,
    pub place: Option<PlaceId>,
}

/// What an instruction does.
#[derive(Clone, PartialEq, Hash, Debug)]
pub enum Op {
    /// The address of a new object of `bytes × count` bytes in this call's frame. It lives until the
    /// function returns. `count` is absent for fixed sizes.
    Stack { bytes: u64, count: Option<ValueId>, align: u32 },
    /// The value of the result's type stored at `addr`.
    Load { addr: ValueId, access: Access },
    /// Writes `value` at `addr`.
    Store { addr: ValueId, value: ValueId, access: Access },
    /// `base + bytes`: the address of a field or of a constant index. Same object as `base`.
    Offset { base: ValueId, bytes: i64 },
    /// `base + index × scale`: the address of an array element. `index` is read as signed and
    /// extended to the address width. Same object as `base`.
    Index { base: ValueId, index: ValueId, scale: i64 },
    /// Integer arithmetic modulo 2^width. Shifts by the width or more, division by zero and overflow
    /// of signed division are undefined, as in C.
    Binary { op: BinaryOp, lhs: ValueId, rhs: ValueId },
    /// Comparison of integers or addresses; the result is `i1`.
    Compare { op: CompareOp, lhs: ValueId, rhs: ValueId },
    /// Floating-point arithmetic.
    Float { op: FloatOp, lhs: ValueId, rhs: ValueId },
    /// Floating-point negation: flips the sign bit.
    FloatNegate { value: ValueId },
    /// Comparison of floating-point numbers; the result is `i1`.
    FloatCompare { op: FloatCompareOp, lhs: ValueId, rhs: ValueId },
    /// Conversion of `value` to the result's type.
    Convert { op: ConvertOp, value: ValueId },
    /// `then` if `cond` (an `i1`) is 1, else `other`.
    Select { cond: ValueId, then: ValueId, other: ValueId },
    /// The value belonging to the block that control came from.
    Phi { incoming: Box<[(BlockId, ValueId)]> },
    /// A function call.
    Call(Box<Call>),
    /// Copies `len` bytes from `src` to `dst`; the ranges may overlap only if `may_overlap`.
    MemCopy { dst: ValueId, src: ValueId, len: ValueId, may_overlap: bool },
    /// Sets `len` bytes at `dst` to `byte` (an `i8`).
    MemFill { dst: ValueId, byte: ValueId, len: ValueId },
    /// Atomically replaces the value at `addr` by `op(old, value)`; the result is the old value.
    Atomic { op: AtomicOp, addr: ValueId, value: ValueId },
    /// Atomically: if the value at `addr` equals `expected`, stores `new`. The result is the aggregate
    /// (old value, `i1` whether it was stored).
    CompareExchange { addr: ValueId, expected: ValueId, new: ValueId },
    /// Orders memory accesses of threads; no effect on values.
    Fence,
    /// A bit-level operation with a name of its own; see [`BitOp`] for arguments.
    Bits { op: BitOp, args: Box<[ValueId]> },
    /// Builds an aggregate from its scalar parts, in order.
    Pack { parts: Box<[ValueId]> },
    /// Takes scalar part number `part` out of an aggregate.
    Extract { aggregate: ValueId, part: u32 },
    /// Initialises the `va_list` object at `list` with this call's variable arguments.
    VaStart { list: ValueId },
    /// Copies a `va_list` object.
    VaCopy { dst: ValueId, src: ValueId },
    /// Ends the use of a `va_list` object.
    VaEnd { list: ValueId },
    /// Fetches the next variable argument, where the target does not expand this to plain code.
    VaArg { list: ValueId },
    /// From here on, the source variable holds `value`. No effect: it keeps names and places of
    /// assignments that SSA construction removed.
    Name { variable: VarId, value: ValueId },
    /// Something not modelled: may read and write whatever `args` reach; the result is arbitrary.
    Unknown(Box<Unknown>),
}

/// An operation that is not modelled.
#[derive(Clone, PartialEq, Hash, Debug)]
pub struct Unknown {
    /// What it was, for people: `asm "cpuid"`, `shufflevector`.
    pub what: Box<str>,
    pub args: Box<[ValueId]>,
}

/// How memory is accessed.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Access {
    #[default]
    Plain,
    Volatile,
    Atomic,
}

/// A call and its facts.
#[derive(Clone, PartialEq, Hash, Debug)]
pub struct Call {
    pub callee: Callee,
    pub args: Box<[ValueId]>,
    /// Size of the object for each argument passed by value in memory (the argument is its address,
    /// the callee receives the address of a copy).
    pub by_value: Box<[(u32, u64)]>,
    /// How many arguments the prototype used for the call names; the rest are variable arguments.
    pub fixed_args: u32,
    /// Whether the prototype used for the call ends in `...` (or names no parameters, as in K&R C).
    pub variadic: bool,
    /// The call site says that control does not come back.
    pub no_return: bool,
    /// The call may return more than once (`setjmp`).
    pub returns_twice: bool,
}

/// Who is called.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Callee {
    Direct(FuncId),
    Pointer(ValueId),
}

macro_rules! named_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum $name { $($(#[$doc])* $variant,)* }
        impl $name {
            pub const ALL: &[$name] = &[$($name::$variant,)*];
            /// The name in the text form.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
            pub fn from_name(name: &str) -> Option<$name> {
                match name { $($text => Some($name::$variant),)* _ => None }
            }
        }
    };
}

named_enum! {
    /// Integer arithmetic.
    BinaryOp {
        Add = "add", Sub = "sub", Mul = "mul",
        UDiv = "udiv", SDiv = "sdiv", URem = "urem", SRem = "srem",
        Shl = "shl", LShr = "lshr", AShr = "ashr",
        And = "and", Or = "or", Xor = "xor",
    }
}

named_enum! {
    /// Comparison of integers (signed and unsigned) and addresses (unsigned).
    CompareOp {
        Eq = "eq", Ne = "ne",
        Ugt = "ugt", Uge = "uge", Ult = "ult", Ule = "ule",
        Sgt = "sgt", Sge = "sge", Slt = "slt", Sle = "sle",
    }
}

named_enum! {
    /// Floating-point arithmetic.
    FloatOp { Add = "fadd", Sub = "fsub", Mul = "fmul", Div = "fdiv", Rem = "frem", }
}

named_enum! {
    /// Comparison of floating-point numbers: `o…` is false and `u…` is true when one side is not a number.
    FloatCompareOp {
        False = "false", Oeq = "oeq", Ogt = "ogt", Oge = "oge", Olt = "olt", Ole = "ole", One = "one", Ord = "ord",
        Ueq = "ueq", Ugt = "ugt", Uge = "uge", Ult = "ult", Ule = "ule", Une = "une", Uno = "uno", True = "true",
    }
}

named_enum! {
    /// Conversions between scalar types.
    ConvertOp {
        /// Keeps the low bits.
        Truncate = "trunc",
        ZeroExtend = "zext",
        SignExtend = "sext",
        /// Address to integer, truncated or zero-extended to the result's width.
        PtrToInt = "ptrtoint",
        /// Integer to address, truncated or zero-extended to the address width.
        IntToPtr = "inttoptr",
        FloatToUnsigned = "fptoui",
        FloatToSigned = "fptosi",
        UnsignedToFloat = "uitofp",
        SignedToFloat = "sitofp",
        FloatTruncate = "fptrunc",
        FloatExtend = "fpext",
        /// The same bits, seen as another type of the same width.
        Reinterpret = "bitcast",
    }
}

named_enum! {
    /// The function applied by an atomic read-modify-write.
    AtomicOp {
        Exchange = "xchg", Add = "add", Sub = "sub", And = "and", Nand = "nand", Or = "or", Xor = "xor",
        Max = "max", Min = "min", UMax = "umax", UMin = "umin",
        FAdd = "fadd", FSub = "fsub", FMax = "fmax", FMin = "fmin",
        UIncWrap = "uinc_wrap", UDecWrap = "udec_wrap",
        /// Subtract if no borrow, and saturating subtract (LLVM 20 and later).
        USubCond = "usub_cond", USubSat = "usub_sat",
        FMaximum = "fmaximum", FMinimum = "fminimum",
    }
}

named_enum! {
    /// Named bit operations. One argument unless said otherwise; widths of arguments and result agree.
    BitOp {
        ByteSwap = "bswap",
        BitReverse = "bitreverse",
        CountOnes = "ctpop",
        /// Leading zeros; of zero: the width.
        LeadingZeros = "ctlz",
        /// Trailing zeros; of zero: the width.
        TrailingZeros = "cttz",
        /// Absolute value of a signed number; of the least number: itself.
        Abs = "abs",
        /// Two arguments.
        SMax = "smax", SMin = "smin", UMax = "umax", UMin = "umin",
        /// Three arguments: high, low, amount; the upper or lower half of the shifted concatenation.
        FunnelLeft = "fshl", FunnelRight = "fshr",
        /// Two arguments; the result is the aggregate (wrapped result, `i1` overflow).
        SAddOverflow = "sadd.overflow", UAddOverflow = "uadd.overflow",
        SSubOverflow = "ssub.overflow", USubOverflow = "usub.overflow",
        SMulOverflow = "smul.overflow", UMulOverflow = "umul.overflow",
        /// Two arguments, saturating.
        SAddSat = "sadd.sat", UAddSat = "uadd.sat", SSubSat = "ssub.sat", USubSat = "usub.sat",
        SShlSat = "sshl.sat", UShlSat = "ushl.sat",
    }
}

/// How a block ends.
#[derive(Clone, PartialEq, Hash, Debug)]
pub enum Terminator {
    Jump(BlockId),
    /// `then` if `cond` (an `i1`) is 1, else `other`.
    Branch {
        cond: ValueId,
        then: BlockId,
        other: BlockId,
    },
    /// The first case whose value equals `value`, else `default`. Case values are zero-extended.
    Switch {
        value: ValueId,
        cases: Box<[(u128, BlockId)]>,
        default: BlockId,
    },
    /// Jump to the label address `addr`, which is one of `targets`.
    Indirect {
        addr: ValueId,
        targets: Box<[BlockId]>,
    },
    /// Any of `targets`, decided by something not modelled (`asm goto`).
    Choose {
        targets: Box<[BlockId]>,
    },
    /// After the block's last call: `normal` when it returned, `unwind` when it threw.
    Invoke {
        normal: BlockId,
        unwind: BlockId,
    },
    Return(Option<ValueId>),
    /// Leaves the function by an exception.
    Resume,
    /// Control never gets here: after a call that does not return, or undefined behaviour.
    Unreachable,
}

impl Op {
    /// Calls `visit` with every operand, in order.
    pub fn operands(&self, mut visit: impl FnMut(ValueId)) {
        match self {
            Op::Stack { count, .. } => count.iter().copied().for_each(visit),
            Op::Load { addr, .. } => visit(*addr),
            Op::Store { addr, value, .. } => {
                visit(*addr);
                visit(*value);
            }
            Op::Offset { base, .. } => visit(*base),
            Op::Index { base, index, .. } => {
                visit(*base);
                visit(*index);
            }
            Op::Binary { lhs, rhs, .. }
            | Op::Compare { lhs, rhs, .. }
            | Op::Float { lhs, rhs, .. }
            | Op::FloatCompare { lhs, rhs, .. } => {
                visit(*lhs);
                visit(*rhs);
            }
            Op::FloatNegate { value } | Op::Convert { value, .. } | Op::Name { value, .. } => visit(*value),
            Op::Select { cond, then, other } => {
                visit(*cond);
                visit(*then);
                visit(*other);
            }
            Op::Phi { incoming } => incoming.iter().for_each(|&(_, value)| visit(value)),
            Op::Call(call) => {
                if let Callee::Pointer(value) = call.callee {
                    visit(value);
                }
                call.args.iter().copied().for_each(visit);
            }
            Op::MemCopy { dst, src, len, .. } => {
                visit(*dst);
                visit(*src);
                visit(*len);
            }
            Op::MemFill { dst, byte, len } => {
                visit(*dst);
                visit(*byte);
                visit(*len);
            }
            Op::Atomic { addr, value, .. } => {
                visit(*addr);
                visit(*value);
            }
            Op::CompareExchange { addr, expected, new } => {
                visit(*addr);
                visit(*expected);
                visit(*new);
            }
            Op::Fence => {}
            Op::Bits { args, .. } | Op::Pack { parts: args } => args.iter().copied().for_each(visit),
            Op::Unknown(unknown) => unknown.args.iter().copied().for_each(visit),
            Op::Extract { aggregate, .. } => visit(*aggregate),
            Op::VaStart { list } | Op::VaEnd { list } | Op::VaArg { list } => visit(*list),
            Op::VaCopy { dst, src } => {
                visit(*dst);
                visit(*src);
            }
        }
    }

    /// Calls `visit` with a mutable reference to every operand, in order.
    pub fn operands_mut(&mut self, mut visit: impl FnMut(&mut ValueId)) {
        match self {
            Op::Stack { count, .. } => count.iter_mut().for_each(visit),
            Op::Load { addr, .. } => visit(addr),
            Op::Store { addr, value, .. } => {
                visit(addr);
                visit(value);
            }
            Op::Offset { base, .. } => visit(base),
            Op::Index { base, index, .. } => {
                visit(base);
                visit(index);
            }
            Op::Binary { lhs, rhs, .. }
            | Op::Compare { lhs, rhs, .. }
            | Op::Float { lhs, rhs, .. }
            | Op::FloatCompare { lhs, rhs, .. } => {
                visit(lhs);
                visit(rhs);
            }
            Op::FloatNegate { value } | Op::Convert { value, .. } | Op::Name { value, .. } => visit(value),
            Op::Select { cond, then, other } => {
                visit(cond);
                visit(then);
                visit(other);
            }
            Op::Phi { incoming } => incoming.iter_mut().for_each(|(_, value)| visit(value)),
            Op::Call(call) => {
                if let Callee::Pointer(value) = &mut call.callee {
                    visit(value);
                }
                call.args.iter_mut().for_each(visit);
            }
            Op::MemCopy { dst, src, len, .. } => {
                visit(dst);
                visit(src);
                visit(len);
            }
            Op::MemFill { dst, byte, len } => {
                visit(dst);
                visit(byte);
                visit(len);
            }
            Op::Atomic { addr, value, .. } => {
                visit(addr);
                visit(value);
            }
            Op::CompareExchange { addr, expected, new } => {
                visit(addr);
                visit(expected);
                visit(new);
            }
            Op::Fence => {}
            Op::Bits { args, .. } | Op::Pack { parts: args } => args.iter_mut().for_each(visit),
            Op::Unknown(unknown) => unknown.args.iter_mut().for_each(visit),
            Op::Extract { aggregate, .. } => visit(aggregate),
            Op::VaStart { list } | Op::VaEnd { list } | Op::VaArg { list } => visit(list),
            Op::VaCopy { dst, src } => {
                visit(dst);
                visit(src);
            }
        }
    }
}

impl Terminator {
    /// Calls `visit` with every operand, in order.
    pub fn operands(&self, mut visit: impl FnMut(ValueId)) {
        match self {
            Terminator::Branch { cond, .. } => visit(*cond),
            Terminator::Switch { value, .. } => visit(*value),
            Terminator::Indirect { addr, .. } => visit(*addr),
            Terminator::Return(value) => value.iter().copied().for_each(visit),
            _ => {}
        }
    }

    /// Calls `visit` with a mutable reference to every operand, in order.
    pub fn operands_mut(&mut self, mut visit: impl FnMut(&mut ValueId)) {
        match self {
            Terminator::Branch { cond, .. } => visit(cond),
            Terminator::Switch { value, .. } => visit(value),
            Terminator::Indirect { addr, .. } => visit(addr),
            Terminator::Return(value) => value.iter_mut().for_each(visit),
            _ => {}
        }
    }

    /// Calls `visit` with every successor, once per edge, in order.
    pub fn successors(&self, mut visit: impl FnMut(BlockId)) {
        match self {
            Terminator::Jump(target) => visit(*target),
            Terminator::Branch { then, other, .. } => {
                visit(*then);
                visit(*other);
            }
            Terminator::Switch { cases, default, .. } => {
                cases.iter().for_each(|&(_, target)| visit(target));
                visit(*default);
            }
            Terminator::Indirect { targets, .. } | Terminator::Choose { targets } => {
                targets.iter().copied().for_each(visit);
            }
            Terminator::Invoke { normal, unwind } => {
                visit(*normal);
                visit(*unwind);
            }
            Terminator::Return(_) | Terminator::Resume | Terminator::Unreachable => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_fits_in_twenty_four_bytes() {
        assert!(size_of::<Op>() <= 24, "{}", size_of::<Op>());
    }
}
