//! The form of a body that the interpreter runs: a flat list of small instructions over word slots.
//!
//! `translate` makes it when a function is first called; `execute` runs it. Every value of the body has
//! a fixed range of 64-bit slots in the frame of a call: one word up to 64 bits, two up to 128, more for
//! wider integers, and one range after the other for the parts of an aggregate. Constants have slots
//! too, filled when the call starts, so that an operand is always one slot number and the inner loop
//! never asks what kind it is.
//!
//! Invariant: bits of a slot above the width of its value are zero. "Unused" below is always 64 minus
//! the width, the amount by which a shift drops the bits that do not count.

use crate::libc::Native;
use crate::trap::TrapKind;
use std::rc::Rc;
use watertight_ir::{
    AtomicOp, BinaryOp, BitOp, BlockId, CompareOp, ConvertOp, FloatCompareOp, FloatKind, FloatOp, FuncId,
    InstId, Type,
};

/// A word of a frame.
pub(crate) type Slot = u32;

/// One instruction of the flat form. Kept small, because the inner loop reads one per step.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Code {
    /// Copies one word.
    Move { dst: Slot, src: Slot },
    /// Keeps the low bits.
    Mask { dst: Slot, src: Slot, unused: u8 },
    /// Reads the source as signed.
    SignExtend { dst: Slot, src: Slot, from_unused: u8, to_unused: u8 },
    /// Arithmetic modulo 2^width.
    Add { dst: Slot, a: Slot, b: Slot, unused: u8 },
    /// As [`Code::Add`].
    Sub { dst: Slot, a: Slot, b: Slot, unused: u8 },
    /// As [`Code::Add`].
    Mul { dst: Slot, a: Slot, b: Slot, unused: u8 },
    /// Traps when dividing by zero.
    UDiv { dst: Slot, a: Slot, b: Slot },
    /// As [`Code::UDiv`].
    URem { dst: Slot, a: Slot, b: Slot },
    /// Traps when dividing by zero and on overflow.
    SDiv { dst: Slot, a: Slot, b: Slot, unused: u8 },
    /// As [`Code::SDiv`].
    SRem { dst: Slot, a: Slot, b: Slot, unused: u8 },
    /// The amount is taken as processors take it.
    Shl { dst: Slot, a: Slot, b: Slot, unused: u8 },
    /// As [`Code::Shl`].
    LShr { dst: Slot, a: Slot, b: Slot, unused: u8 },
    /// As [`Code::Shl`].
    AShr { dst: Slot, a: Slot, b: Slot, unused: u8 },
    /// Bit by bit.
    And { dst: Slot, a: Slot, b: Slot },
    /// Bit by bit.
    Or { dst: Slot, a: Slot, b: Slot },
    /// Bit by bit.
    Xor { dst: Slot, a: Slot, b: Slot },
    /// The address of a field.
    AddConst { dst: Slot, src: Slot, value: i32, unused: u8 },
    /// The address of an element.
    Index { dst: Slot, base: Slot, index: Slot, scale: i32, index_unused: u8, unused: u8 },
    /// Gives 0 or 1, like all comparisons.
    Eq { dst: Slot, a: Slot, b: Slot },
    /// Not equal.
    Ne { dst: Slot, a: Slot, b: Slot },
    /// Less, unsigned; greater has its operands swapped.
    Ult { dst: Slot, a: Slot, b: Slot },
    /// Less or equal, unsigned.
    Ule { dst: Slot, a: Slot, b: Slot },
    /// Less, signed.
    Slt { dst: Slot, a: Slot, b: Slot, unused: u8 },
    /// Less or equal, signed.
    Sle { dst: Slot, a: Slot, b: Slot, unused: u8 },
    /// Arithmetic on doubles.
    Float64 { op: FloatOp, dst: Slot, a: Slot, b: Slot },
    /// Arithmetic on singles.
    Float32 { op: FloatOp, dst: Slot, a: Slot, b: Slot },
    /// Comparison of doubles.
    FloatCompare64 { op: FloatCompareOp, dst: Slot, a: Slot, b: Slot },
    /// Comparison of singles.
    FloatCompare32 { op: FloatCompareOp, dst: Slot, a: Slot, b: Slot },
    /// One of two words.
    Select { dst: Slot, cond: Slot, then: Slot, other: Slot },
    /// One byte.
    Load1 { dst: Slot, addr: Slot },
    /// Two bytes, little-endian.
    Load2 { dst: Slot, addr: Slot },
    /// Four bytes, little-endian.
    Load4 { dst: Slot, addr: Slot },
    /// Eight bytes, little-endian.
    Load8 { dst: Slot, addr: Slot },
    /// Any number of whole bytes up to eight, in the byte order of the target.
    LoadNarrow { dst: Slot, addr: Slot, bytes: u8, unused: u8 },
    /// One byte.
    Store1 { addr: Slot, value: Slot },
    /// Two bytes, little-endian.
    Store2 { addr: Slot, value: Slot },
    /// Four bytes, little-endian.
    Store4 { addr: Slot, value: Slot },
    /// Eight bytes, little-endian.
    Store8 { addr: Slot, value: Slot },
    /// As [`Code::LoadNarrow`].
    StoreNarrow { addr: Slot, value: Slot, bytes: u8 },
    /// An object of fixed size in the frame.
    Stack { dst: Slot, bytes: u32, align: u32 },
    /// An entry of [`Dense::rares`].
    Rare(u32),
    /// An entry of [`Dense::calls`].
    Call(u32),
    /// An entry of [`Dense::va_ops`].
    VaOp(u32),
    /// To an entry of [`Dense::edges`].
    Jump(u32),
    /// To one of two edges.
    Branch { cond: Slot, then: u32, other: u32 },
    /// An entry of [`Dense::switches`].
    Switch { value: Slot, table: u32 },
    /// Leaves the frame with so many words.
    Return { src: Slot, words: u32 },
}

/// Instructions that need more operands or more work than fits the inner loop.
#[derive(Clone, Debug)]
pub(crate) enum Rare {
    /// More than 64 bits.
    Binary { op: BinaryOp, width: u32, dst: Slot, a: Slot, b: Slot },
    /// More than 64 bits.
    Compare { op: CompareOp, width: u32, dst: Slot, a: Slot, b: Slot },
    /// Formats other than single and double.
    Float { op: FloatOp, kind: FloatKind, dst: Slot, a: Slot, b: Slot },
    /// More than 64 bits.
    FloatNegate { kind: FloatKind, dst: Slot, src: Slot },
    /// Formats other than single and double.
    FloatCompare { op: FloatCompareOp, kind: FloatKind, dst: Slot, a: Slot, b: Slot },
    /// Anything between scalars of at most 128 bits.
    Convert { op: ConvertOp, from: Type, to: Type, dst: Slot, src: Slot },
    /// Truncation or extension where one side exceeds 128 bits.
    Resize { signed: bool, from: u32, to: u32, dst: Slot, src: Slot },
    /// Copies several words.
    MoveWords { dst: Slot, src: Slot, words: u32 },
    /// One of two ranges of words.
    SelectWords { dst: Slot, cond: Slot, then: Slot, other: Slot, words: u32 },
    /// A scale beyond 32 bits.
    Index { dst: Slot, base: Slot, index: Slot, scale: i64, index_unused: u8 },
    /// Loads the parts of a wide or aggregate value.
    Load { addr: Slot, parts: Box<[Part]> },
    /// As [`Rare::Load`].
    Store { addr: Slot, parts: Box<[Part]> },
    /// `count` is absent when only the fixed size is too large for [`Code::Stack`].
    Stack { dst: Slot, bytes: u64, count: Option<Slot>, align: u32 },
    /// The ranges may overlap.
    MemCopy { dst: Slot, src: Slot, len: Slot },
    /// The byte is the low one of its slot.
    MemFill { dst: Slot, byte: Slot, len: Slot },
    /// Gives the old value.
    Atomic { op: AtomicOp, ty: Type, dst: Slot, addr: Slot, value: Slot },
    /// Gives the old value and whether it was replaced.
    CompareExchange { width: u32, dst: Slot, addr: Slot, expected: Slot, new: Slot },
    /// A named bit operation.
    Bits { op: BitOp, width: u32, dst: Slot, args: Box<[Slot]> },
    /// Moves that build an aggregate.
    Pack { moves: Box<[(Slot, Slot)]> },
    /// Stops the run.
    Trap(Box<TrapKind>),
}

/// A scalar of a value that is loaded or stored part by part.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Part {
    pub(crate) offset: u64,
    pub(crate) width: u32,
    pub(crate) slot: Slot,
}

/// Instructions on variable arguments, which belong to the frame and not to its slots.
#[derive(Copy, Clone, Debug)]
pub(crate) enum VaOp {
    Start { list: Slot },
    Copy { dst: Slot, src: Slot },
    Next { list: Slot, dst: Slot, ty: Type },
}

/// A way from one block to another: the moves that its phis ask for, then the jump.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) target: u32,
    /// Range in [`Dense::moves`], in an order that makes them safe to do one after the other.
    pub(crate) moves: (u32, u32),
    pub(crate) block: BlockId,
}

/// The cases of a switch, or the label addresses of an indirect jump.
#[derive(Clone, Debug)]
pub(crate) struct Switch {
    /// How many words the value has.
    pub(crate) words: u32,
    /// Case values in ascending order, and their edges.
    pub(crate) cases: Box<[(u128, u32)]>,
    /// When the cases are close together: the least one, and an edge for every value from it on.
    pub(crate) table: Option<(u64, Box<[u32]>)>,
    /// Absent for indirect jumps.
    pub(crate) default: Option<u32>,
}

/// Who a call site calls.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Target {
    Direct(FuncId),
    Pointer(Slot),
    /// A part of the library that no declaration names.
    Native(Native),
}

/// A call, with its operands resolved.
#[derive(Clone, Debug)]
pub(crate) struct CallSite {
    pub(crate) target: Target,
    pub(crate) args: Box<[Operand]>,
    /// Argument number and object size, for arguments passed by value in memory.
    pub(crate) by_value: Box<[(u32, u64)]>,
    pub(crate) result: Operand,
}

/// A typed range of slots.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Operand {
    pub(crate) slot: Slot,
    pub(crate) words: u32,
    /// Bits of the last word that do not count; zero for aggregates.
    pub(crate) unused: u8,
    pub(crate) ty: Type,
}

/// A parameter as the callee receives it.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) slot: Slot,
    pub(crate) words: u32,
    pub(crate) unused: u8,
    pub(crate) by_value: Option<u64>,
}

/// A body in flat form.
#[derive(Debug)]
pub(crate) struct Dense {
    pub(crate) function: FuncId,
    pub(crate) codes: Vec<Code>,
    /// The instruction each code comes from; terminators have none.
    pub(crate) origins: Vec<Option<InstId>>,
    /// Position of the first code of each block, in order of block number.
    pub(crate) starts: Vec<u32>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) moves: Vec<(Slot, Slot)>,
    pub(crate) rares: Vec<Rare>,
    pub(crate) calls: Vec<CallSite>,
    pub(crate) va_ops: Vec<VaOp>,
    pub(crate) switches: Vec<Switch>,
    pub(crate) params: Vec<Parameter>,
    pub(crate) variadic: bool,
    /// Words of a frame.
    pub(crate) slots: usize,
    /// What the last slots of a frame hold from the start.
    pub(crate) constants: Vec<u64>,
    /// By value: its first slot and how many; those of constants are not given.
    pub(crate) values: Rc<[(Slot, u32)]>,
}

impl Dense {
    /// The block that the code at `pc` belongs to.
    pub(crate) fn block_at(&self, pc: usize) -> BlockId {
        let after = self.starts.partition_point(|&start| start as usize <= pc);
        watertight_ir::Id::new(after.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_codes_fit_in_a_cache_line() {
        assert!(size_of::<Code>() <= 20, "{}", size_of::<Code>());
    }
}
