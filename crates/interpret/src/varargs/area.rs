//! The variable arguments of a call, laid out as a `va_list` will read them.
//!
//! All of them lie in memory, one after the other, as if the registers were used up. On x86-64 that breaks for
//! one type: LLVM before 22 passes `__int128` as two 64-bit arguments while two registers are free, and nothing
//! says that they belong together, yet `va_arg` finds the whole in memory only at a multiple of 16. In registers
//! it finds it anywhere. So where a program reads such a type, the registers are filled as the ABI says.
//!
//! Why not always: the IR does not tell a vector from an integer (a `struct { float x, y; }` is passed as a
//! vector), and in memory that makes no difference. A program that does both is beyond us, except with LLVM 22.

use super::{Class, FP_END, GP_END, VaLayout, Varargs};
use crate::words;
use watertight_ir::{Aggregate, BinaryOp, Body, CompareOp, Endian, Op, Param, Program, Terminator, Type};

/// The registers of x86-64 as the prologue of a variadic function saves them.
#[derive(Debug)]
pub(crate) struct Registers {
    save: Vec<u8>,
    /// What the named parameters left over.
    first: (u64, u64),
    gp: u64,
    fp: u64,
}

impl Registers {
    /// What is left after the named parameters.
    fn after(params: &[Param], pointer_bits: u32) -> Registers {
        let (mut gp, mut fp) = (0, GP_END);
        for param in params.iter().filter(|param| param.by_value.is_none()) {
            match Class::of(param.ty) {
                Class::Integer => {
                    let bytes = 8 * u64::from(param.ty.bits(pointer_bits).div_ceil(64));
                    gp += if gp + bytes <= GP_END { bytes } else { 0 };
                }
                Class::Float => fp = (fp + 16).min(FP_END),
                Class::Memory => {}
            }
        }
        Registers { save: vec![0; FP_END as usize], first: (gp, fp), gp, fp }
    }

    /// The registers for a call, if they are to be filled: not when one of its arguments is as wide as two and
    /// whole although two are free, for then this compiler keeps wide integers whole, or it is a vector.
    pub(crate) fn for_call(
        params: &[Param],
        variable: impl Iterator<Item = Type>,
        pointer_bits: u32,
    ) -> Option<Registers> {
        let registers = Registers::after(params, pointer_bits);
        let mut gp = registers.gp;
        for ty in variable {
            match (Class::of(ty), ty.bits(pointer_bits)) {
                (Class::Integer, 1..=64) => gp = (gp + 8).min(GP_END),
                (Class::Integer, 65..) if gp + 16 <= GP_END => return None,
                _ => {}
            }
        }
        Some(registers)
    }

    /// Where a scalar is saved, if there is a register for it.
    fn place(&mut self, ty: Type, bytes: u64) -> Option<usize> {
        let (offset, size, end) = match Class::of(ty) {
            Class::Integer if bytes <= 8 => (&mut self.gp, 8, GP_END),
            Class::Float => (&mut self.fp, 16, FP_END),
            Class::Integer | Class::Memory => return None,
        };
        if *offset + size > end {
            return None;
        }
        let at = *offset as usize;
        *offset += size;
        Some(at)
    }
}

/// Whether a program fetches a variable argument of 16 bytes that is aligned to 16 bytes and comes in two integer
/// registers: `__int128`, or a structure around it. Clang then asks whether `gp` is at most 32, and if not rounds the
/// address in memory.
pub(crate) fn reads_wide_integers(program: &Program) -> bool {
    program.functions.values().filter_map(|function| function.body.as_ref()).any(|body| {
        body.blocks.values().any(|block| {
            let Terminator::Branch { cond, other, .. } = block.term else { return false };
            let Some(&Op::Compare { op: CompareOp::Ule, lhs, rhs }) = body.def_op(cond) else { return false };
            body.ty(lhs) == Type::Int(32)
                && body.bits(rhs) == Some(GP_END - 16)
                && body.block_insts(other).any(|(_, inst)| rounds_to_16(body, &inst.op))
        })
    })
}

fn rounds_to_16(body: &Body, op: &Op) -> bool {
    const MASK: u64 = 16_u64.wrapping_neg();
    match op {
        Op::Binary { op: BinaryOp::And, rhs, .. } => body.bits(*rhs) == Some(MASK),
        Op::Unknown(unknown) => {
            unknown.what.starts_with("llvm.ptrmask")
                && unknown.args.get(1).is_some_and(|&mask| body.bits(mask) == Some(MASK))
        }
        _ => false,
    }
}

/// Lays out variable arguments one after the other.
#[derive(Debug)]
pub(crate) struct Area<'a> {
    layout: &'a VaLayout,
    endian: Endian,
    pointer_bits: u32,
    registers: Option<Registers>,
    bytes: Vec<u8>,
}

impl<'a> Area<'a> {
    pub(crate) fn new(
        layout: &'a VaLayout,
        endian: Endian,
        pointer_bits: u32,
        registers: Option<Registers>,
    ) -> Area<'a> {
        Area { layout, endian, pointer_bits, registers, bytes: Vec::new() }
    }

    /// Reserves whole slots and gives the position of the first byte.
    fn take(&mut self, bytes: u64, align: u64) -> usize {
        let start = (self.bytes.len() as u64).next_multiple_of(align);
        let end = start + bytes.next_multiple_of(self.layout.slot);
        self.bytes.resize(end as usize, 0);
        start as usize
    }

    /// A struct passed by value: its bytes, inline.
    pub(crate) fn push_bytes(&mut self, contents: &[u8]) {
        let start = self.take(contents.len() as u64, self.layout.slot);
        self.bytes[start..start + contents.len()].copy_from_slice(contents);
    }

    pub(crate) fn push_scalar(&mut self, ty: Type, words: &[u64]) {
        let bytes = VaLayout::scalar_bytes(ty.bits(self.pointer_bits));
        if let Some(registers) = &mut self.registers
            && let Some(at) = registers.place(ty, bytes)
        {
            place(&mut registers.save, at, bytes, words, self.endian);
            return;
        }
        let start = self.take(bytes, self.layout.align(bytes)) as u64;
        let at = self.layout.justified(self.endian, start, bytes) as usize;
        place(&mut self.bytes, at, bytes, words, self.endian);
    }

    /// An aggregate of registers: its memory image.
    pub(crate) fn push_aggregate(&mut self, aggregate: &Aggregate, words: &[u64]) {
        let align = self.layout.aggregate_align(aggregate, self.pointer_bits);
        let start = self.take(aggregate.bytes, align) as u64;
        let mut used = 0;
        for &(offset, part) in &aggregate.parts {
            let width = part.bits(self.pointer_bits);
            let (count, bytes) = (words::count(width), VaLayout::scalar_bytes(width));
            if let Some(words) = words.get(used..used + count)
                && offset + bytes <= aggregate.bytes
            {
                place(&mut self.bytes, (start + offset) as usize, bytes, words, self.endian);
            }
            used += count;
        }
    }

    /// The bytes to be put at an address that is a multiple of 16.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut all = self.registers.as_ref().map_or(Vec::new(), |registers| registers.save.clone());
        all.extend(&self.bytes);
        all
    }

    /// What a list needs to know when the bytes are at `address`.
    pub(crate) fn at(&self, address: u64) -> Varargs {
        match &self.registers {
            None => Varargs { overflow: address, ..Varargs::NONE },
            Some(registers) => Varargs {
                overflow: address + FP_END,
                save: address,
                gp: registers.first.0,
                fp: registers.first.1,
            },
        }
    }
}

/// Writes the words of a scalar.
fn place(to: &mut [u8], at: usize, bytes: u64, words: &[u64], endian: Endian) {
    for index in 0..bytes {
        let byte = words.get((index / 8) as usize).copied().unwrap_or(0) >> (index % 8 * 8);
        let offset = if endian == Endian::Big { bytes - 1 - index } else { index };
        to[at + offset as usize] = byte as u8;
    }
}
