//! Constants: the initialisers of globals and the literal operands of instructions.
//!
//! A constant is a node whose operands are [`ValueId`]s: other constants, or globals and functions whose
//! address is taken. References between constants never form a cycle except through a global variable,
//! and their nesting is bounded; the reader checks both, so a recursive walk is safe.
//! Zero is normalised: an integer zero is `Integer(0)`, a floating point zero `Float(0)`, and `Null` is
//! left for pointers, aggregates, vectors and tokens.
//! A number whose type is a vector stands for a vector of that number everywhere.

use super::ids::{BlockId, TypeId, ValueId};
use super::instruction::{BinaryFlags, BinaryOp, CastOp, GepFlags, Predicate};

/// A constant. Its type is kept beside it: see [`Module::value_type`](super::Module::value_type) and
/// [`FunctionBody::value_type`](super::FunctionBody::value_type).
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// All bytes zero: null pointer, zero aggregate or vector, `none` token.
    Null,
    Undef,
    Poison,
    /// An integer of at most 64 bits, sign-extended from its width.
    Integer(i64),
    /// An integer of more than 64 bits: little-endian words of 64 bits.
    WideInteger(Box<[u64]>),
    /// The bits of a floating point value of at most 64 bits.
    Float(u64),
    /// The bits of an `x86_fp80`, `fp128` or `ppc_fp128` value as the integer of its width that LLVM
    /// would bit-cast it to.
    WideFloat(u128),
    /// Contents of an array or vector of integers of 8, 16, 32 or 64 bits or of half, bfloat, float or
    /// double, as little-endian bytes. A terminating zero is included.
    Data(Box<[u8]>),
    /// Elements of an array, vector or struct.
    Aggregate(Box<[ValueId]>),
    Expression(Box<ConstantExpression>),
    /// The address of a label: `&&label`.
    BlockAddress {
        function: ValueId,
        block: BlockId,
    },
    DsoLocalEquivalent(ValueId),
    NoCfi(ValueId),
    PointerAuthentication(Box<PointerAuthentication>),
    InlineAssembly(Box<InlineAssembly>),
}

/// An operation on constants that is left to the linker or the program.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstantExpression {
    /// The destination type is the type of the constant.
    Cast {
        op: CastOp,
        value: ValueId,
        source_type: TypeId,
    },
    Binary {
        op: BinaryOp,
        flags: BinaryFlags,
        left: ValueId,
        right: ValueId,
    },
    Unary {
        value: ValueId,
    },
    GetElementPointer {
        source_type: TypeId,
        flags: GepFlags,
        in_range: InRange,
        base: ValueId,
        indices: Box<[ValueId]>,
    },
    Select {
        condition: ValueId,
        if_true: ValueId,
        if_false: ValueId,
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
    ShuffleVector {
        left: ValueId,
        right: ValueId,
        mask: ValueId,
    },
    Compare {
        predicate: Predicate,
        left: ValueId,
        right: ValueId,
        operand_type: TypeId,
    },
}

/// Which part of an object a constant address computation may reach, where the producer said so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InRange {
    /// Nothing was said.
    Anywhere,
    /// Only the element chosen by this index (LLVM up to 18).
    Index(u32),
    /// Byte offsets from the result, as little-endian words (LLVM 19 on).
    Bytes { bits: u32, lower: Box<[u64]>, upper: Box<[u64]> },
}

/// A signed pointer (`ptrauth`).
#[derive(Clone, Debug, PartialEq)]
pub struct PointerAuthentication {
    pub pointer: ValueId,
    pub key: ValueId,
    pub discriminator: ValueId,
    pub address_discriminator: ValueId,
    pub deactivation: Option<ValueId>,
}

/// An inline assembly statement, the callee of its call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlineAssembly {
    pub function_type: TypeId,
    pub template: Box<[u8]>,
    pub constraints: Box<[u8]>,
    pub side_effects: bool,
    pub align_stack: bool,
    pub intel_dialect: bool,
    pub can_unwind: bool,
}
