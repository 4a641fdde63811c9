//! Instructions of an LLVM function, one variant per LLVM opcode.
//!
//! Operands are absolute [`ValueId`]s whatever form the bitcode used, and every memory access, address
//! computation and call names its element or function type, for typed and opaque pointers alike.
//! Operands of variable number are [`List`]s into the pools of the [`FunctionBody`](super::FunctionBody).

use super::ids::{AttributeListId, BlockId, List, LocationId, MetadataId, TypeId, ValueId};

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    pub kind: InstructionKind,
    /// The type of the result; the void type if there is none.
    pub result_type: TypeId,
    /// The number of the result, absent for instructions of void type.
    pub result: Option<ValueId>,
    pub location: Option<LocationId>,
}

/// The operation and its operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InstructionKind {
    FloatNegate {
        value: ValueId,
        fast: FastMathFlags,
    },
    Binary {
        op: BinaryOp,
        flags: BinaryFlags,
        left: ValueId,
        right: ValueId,
    },
    /// Converts `value`, of type `source_type`, to the result type.
    Cast {
        op: CastOp,
        flags: CastFlags,
        value: ValueId,
        source_type: TypeId,
    },
    /// `base + offset`, the offset found by walking `source_type` along the indices.
    GetElementPointer {
        source_type: TypeId,
        flags: GepFlags,
        base: ValueId,
        indices: List<ValueId>,
    },
    ExtractValue {
        aggregate: ValueId,
        indices: List<u32>,
    },
    InsertValue {
        aggregate: ValueId,
        element: ValueId,
        indices: List<u32>,
    },
    ExtractElement {
        vector: ValueId,
        index: ValueId,
    },
    InsertElement {
        vector: ValueId,
        element: ValueId,
        index: ValueId,
    },
    /// `mask` is a constant vector of `i32`, an undefined or poison element means any.
    ShuffleVector {
        left: ValueId,
        right: ValueId,
        mask: ValueId,
    },
    /// The condition is one bit, or a vector of bits.
    Select {
        condition: ValueId,
        if_true: ValueId,
        if_false: ValueId,
        fast: FastMathFlags,
    },
    /// Integer, pointer or floating point comparison; `operand_type` is the type of both operands.
    Compare {
        predicate: Predicate,
        flags: CompareFlags,
        left: ValueId,
        right: ValueId,
        operand_type: TypeId,
    },
    Freeze {
        value: ValueId,
    },
    Phi {
        incoming: List<PhiIncoming>,
        fast: FastMathFlags,
    },

    /// Space for `count` elements of `allocated_type`; `count` is a constant one except for
    /// variable-length arrays and `alloca`.
    Alloca {
        allocated_type: TypeId,
        count: ValueId,
        align: Alignment,
        flags: AllocaFlags,
    },
    /// Reads the result type.
    Load {
        pointer: ValueId,
        align: Alignment,
        access: Access,
    },
    /// Writes `value`, which is of type `value_type`.
    Store {
        pointer: ValueId,
        value: ValueId,
        value_type: TypeId,
        align: Alignment,
        access: Access,
    },
    /// Result is `{ old value, bit that says whether it was exchanged }`.
    CompareExchange {
        pointer: ValueId,
        expected: ValueId,
        replacement: ValueId,
        value_type: TypeId,
        align: Alignment,
        success: Access,
        failure: AtomicOrdering,
        weak: bool,
    },
    /// Result is the old value.
    AtomicUpdate {
        op: AtomicOp,
        pointer: ValueId,
        value: ValueId,
        value_type: TypeId,
        align: Alignment,
        access: Access,
    },
    Fence {
        ordering: AtomicOrdering,
        scope: SyncScope,
    },
    /// Takes the next argument, of the result type, off a `va_list`.
    VaArg {
        list: ValueId,
    },

    Call {
        call: CallSite,
        tail: TailKind,
        fast: FastMathFlags,
    },
    Invoke {
        call: CallSite,
        normal: BlockId,
        unwind: BlockId,
    },
    /// `asm goto`: falls through to `fallthrough` or jumps to one of `indirect`.
    CallBranch {
        call: CallSite,
        fallthrough: BlockId,
        indirect: List<BlockId>,
    },

    Return {
        value: Option<ValueId>,
    },
    Branch {
        target: BlockId,
    },
    ConditionalBranch {
        condition: ValueId,
        if_true: BlockId,
        if_false: BlockId,
    },
    Switch {
        condition: ValueId,
        condition_type: TypeId,
        default: BlockId,
        cases: List<SwitchCase>,
    },
    IndirectBranch {
        address: ValueId,
        targets: List<BlockId>,
    },
    Unreachable,

    LandingPad {
        cleanup: bool,
        clauses: List<LandingClause>,
    },
    Resume {
        value: ValueId,
    },
    /// `parent` is a pad or the `none` token.
    CatchSwitch {
        parent: ValueId,
        handlers: List<BlockId>,
        unwind: Option<BlockId>,
    },
    CatchPad {
        parent: ValueId,
        arguments: List<Operand>,
    },
    CleanupPad {
        parent: ValueId,
        arguments: List<Operand>,
    },
    CatchReturn {
        pad: ValueId,
        target: BlockId,
    },
    CleanupReturn {
        pad: ValueId,
        unwind: Option<BlockId>,
    },
}

impl InstructionKind {
    /// Whether the instruction ends its block.
    pub fn is_terminator(&self) -> bool {
        matches!(
            self,
            InstructionKind::Return { .. }
                | InstructionKind::Branch { .. }
                | InstructionKind::ConditionalBranch { .. }
                | InstructionKind::Switch { .. }
                | InstructionKind::IndirectBranch { .. }
                | InstructionKind::Unreachable
                | InstructionKind::Invoke { .. }
                | InstructionKind::CallBranch { .. }
                | InstructionKind::Resume { .. }
                | InstructionKind::CatchSwitch { .. }
                | InstructionKind::CatchReturn { .. }
                | InstructionKind::CleanupReturn { .. }
        )
    }
}

impl InstructionKind {
    /// LLVM's name of the operation, as in its textual form.
    pub fn opcode(&self) -> &'static str {
        match self {
            InstructionKind::FloatNegate { .. } => "fneg",
            InstructionKind::Binary { op, .. } => op.name(),
            InstructionKind::Cast { op, .. } => op.name(),
            InstructionKind::GetElementPointer { .. } => "getelementptr",
            InstructionKind::ExtractValue { .. } => "extractvalue",
            InstructionKind::InsertValue { .. } => "insertvalue",
            InstructionKind::ExtractElement { .. } => "extractelement",
            InstructionKind::InsertElement { .. } => "insertelement",
            InstructionKind::ShuffleVector { .. } => "shufflevector",
            InstructionKind::Select { .. } => "select",
            InstructionKind::Compare { predicate, .. } if predicate.is_float() => "fcmp",
            InstructionKind::Compare { .. } => "icmp",
            InstructionKind::Freeze { .. } => "freeze",
            InstructionKind::Phi { .. } => "phi",
            InstructionKind::Alloca { .. } => "alloca",
            InstructionKind::Load { .. } => "load",
            InstructionKind::Store { .. } => "store",
            InstructionKind::CompareExchange { .. } => "cmpxchg",
            InstructionKind::AtomicUpdate { .. } => "atomicrmw",
            InstructionKind::Fence { .. } => "fence",
            InstructionKind::VaArg { .. } => "va_arg",
            InstructionKind::Call { .. } => "call",
            InstructionKind::Invoke { .. } => "invoke",
            InstructionKind::CallBranch { .. } => "callbr",
            InstructionKind::Return { .. } => "ret",
            InstructionKind::Branch { .. } | InstructionKind::ConditionalBranch { .. } => "br",
            InstructionKind::Switch { .. } => "switch",
            InstructionKind::IndirectBranch { .. } => "indirectbr",
            InstructionKind::Unreachable => "unreachable",
            InstructionKind::LandingPad { .. } => "landingpad",
            InstructionKind::Resume { .. } => "resume",
            InstructionKind::CatchSwitch { .. } => "catchswitch",
            InstructionKind::CatchPad { .. } => "catchpad",
            InstructionKind::CleanupPad { .. } => "cleanuppad",
            InstructionKind::CatchReturn { .. } => "catchret",
            InstructionKind::CleanupReturn { .. } => "cleanupret",
        }
    }
}

/// What calls, invokes and call branches have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CallSite {
    /// A function, an alias, a function pointer or an inline assembly constant.
    pub callee: ValueId,
    pub function_type: TypeId,
    /// Fixed and variable arguments.
    pub arguments: List<Operand>,
    pub attributes: Option<AttributeListId>,
    pub calling_convention: CallingConvention,
    pub bundles: List<Bundle>,
}

/// An argument of a call or a pad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    Value(ValueId),
    /// An argument of metadata type, as of `llvm.dbg.declare`.
    Metadata(MetadataId),
    /// An argument of label type, as of old `asm goto`.
    Block(BlockId),
}

/// One edge into a phi.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhiIncoming {
    pub value: ValueId,
    pub block: BlockId,
}

/// One case of a switch; several cases may share a target. `value` is an integer constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchCase {
    pub value: ValueId,
    pub target: BlockId,
}

/// One clause of a landing pad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LandingClause {
    Catch(ValueId),
    Filter(ValueId),
}

/// An operand bundle of a call: see [`Module::bundle_tag_name`](super::Module::bundle_tag_name).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bundle {
    pub tag: BundleTag,
    pub operands: List<Operand>,
}

/// The number of a bundle tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BundleTag(pub u32);

/// A power of two in bytes, or nothing said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Alignment(pub(crate) u8);

impl Alignment {
    /// The alignment in bytes, if the producer stated one.
    pub fn bytes(self) -> Option<u64> {
        self.0.checked_sub(1).map(|log| 1u64 << log.min(63))
    }
}

/// How memory is touched, apart from where and how much.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    pub volatile: bool,
    pub ordering: AtomicOrdering,
    pub scope: SyncScope,
}

/// `NotAtomic` for ordinary accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AtomicOrdering {
    #[default]
    NotAtomic,
    Unordered,
    Monotonic,
    Acquire,
    Release,
    AcquireRelease,
    SequentiallyConsistent,
}

/// The number of a synchronisation scope: 0 is one thread (signal handlers), 1 the whole system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncScope(pub u8);

impl Default for SyncScope {
    fn default() -> Self {
        Self(1)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FRem,
}

impl BinaryOp {
    /// LLVM's name.
    pub fn name(self) -> &'static str {
        match self {
            BinaryOp::Add => "add",
            BinaryOp::Sub => "sub",
            BinaryOp::Mul => "mul",
            BinaryOp::UDiv => "udiv",
            BinaryOp::SDiv => "sdiv",
            BinaryOp::URem => "urem",
            BinaryOp::SRem => "srem",
            BinaryOp::Shl => "shl",
            BinaryOp::LShr => "lshr",
            BinaryOp::AShr => "ashr",
            BinaryOp::And => "and",
            BinaryOp::Or => "or",
            BinaryOp::Xor => "xor",
            BinaryOp::FAdd => "fadd",
            BinaryOp::FSub => "fsub",
            BinaryOp::FMul => "fmul",
            BinaryOp::FDiv => "fdiv",
            BinaryOp::FRem => "frem",
        }
    }
}

/// Promises of a binary operation; the result is poison where one is broken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BinaryFlags {
    pub no_unsigned_wrap: bool,
    pub no_signed_wrap: bool,
    pub exact: bool,
    pub disjoint: bool,
    pub fast: FastMathFlags,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
    FpToUi,
    FpToSi,
    UiToFp,
    SiToFp,
    FpTrunc,
    FpExt,
    PtrToInt,
    IntToPtr,
    BitCast,
    AddrSpaceCast,
    /// The address part of a pointer (LLVM 22).
    PtrToAddr,
}

impl CastOp {
    /// LLVM's name.
    pub fn name(self) -> &'static str {
        match self {
            CastOp::Trunc => "trunc",
            CastOp::ZExt => "zext",
            CastOp::SExt => "sext",
            CastOp::FpToUi => "fptoui",
            CastOp::FpToSi => "fptosi",
            CastOp::UiToFp => "uitofp",
            CastOp::SiToFp => "sitofp",
            CastOp::FpTrunc => "fptrunc",
            CastOp::FpExt => "fpext",
            CastOp::PtrToInt => "ptrtoint",
            CastOp::IntToPtr => "inttoptr",
            CastOp::BitCast => "bitcast",
            CastOp::AddrSpaceCast => "addrspacecast",
            CastOp::PtrToAddr => "ptrtoaddr",
        }
    }
}

/// Promises of a cast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CastFlags {
    pub non_negative: bool,
    pub no_unsigned_wrap: bool,
    pub no_signed_wrap: bool,
    pub fast: FastMathFlags,
}

/// Promises of an address computation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GepFlags {
    pub in_bounds: bool,
    pub no_unsigned_signed_wrap: bool,
    pub no_unsigned_wrap: bool,
}

/// Promises of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompareFlags {
    pub same_sign: bool,
    pub fast: FastMathFlags,
}

/// Liberties taken with floating point, as the bits LLVM writes. The analyses need no single one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FastMathFlags(pub u8);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Predicate {
    FFalse,
    FOeq,
    FOgt,
    FOge,
    FOlt,
    FOle,
    FOne,
    FOrd,
    FUno,
    FUeq,
    FUgt,
    FUge,
    FUlt,
    FUle,
    FUne,
    FTrue,
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

impl Predicate {
    /// Whether floating point values are compared.
    pub fn is_float(self) -> bool {
        self <= Predicate::FTrue
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AtomicOp {
    Exchange,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
    FAdd,
    FSub,
    FMax,
    FMin,
    UIncWrap,
    UDecWrap,
    USubCond,
    USubSat,
    FMaximum,
    FMinimum,
    FMaximumNumber,
    FMinimumNumber,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AllocaFlags {
    pub in_alloca: bool,
    pub swift_error: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TailKind {
    #[default]
    None,
    Tail,
    MustTail,
    NoTail,
}

/// LLVM's number of a calling convention; 0 is the one of C.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallingConvention(pub u16);
