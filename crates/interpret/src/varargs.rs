//! Variable arguments: how they lie in memory, and the `va_list` that walks over them.
//!
//! Clang expands `va_arg` to plain loads from the areas that a `va_list` names, so the list must look as
//! the target's ABI says. Every ABI has a place for arguments that no longer fit the registers, in the
//! order of the call; the trick is to pretend that all registers are used up, so that all arguments come
//! from there. One area of slots then serves every target:
//!
//! | target | list | says "registers used up" |
//! | --- | --- | --- |
//! | x86-64 | `{i32 gp, i32 fp, ptr overflow, ptr save}` | `gp = 48, fp = 176` |
//! | aarch64 | `{ptr stack, ptr, ptr, i32 gr, i32 vr}` | both offsets 0 |
//! | s390x | `{i64 gp, i64 fp, ptr overflow, ptr save}` | `gp = 5, fp = 4` |
//! | powerpc (32) | `{i8 gp, i8 fp, i16, ptr overflow, ptr save}` | both 8 |
//! | others | a plain pointer | |

use crate::memory::Memory;
use crate::trap::Fault;
use crate::words;
use watertight_ir::{Aggregate, Endian, Target, Type};

/// The shape of a `va_list`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum List {
    Pointer,
    SystemV,
    Aarch64,
    S390,
    PowerPc,
}

/// The rules of one target.
#[derive(Copy, Clone, Debug)]
pub(crate) struct VaLayout {
    list: List,
    /// Bytes of a slot; every argument takes whole slots.
    slot: u64,
    /// The strictest alignment of an argument.
    max_align: u64,
    pointer_bytes: u64,
}

impl VaLayout {
    pub(crate) fn new(target: &Target) -> VaLayout {
        let triple = &*target.triple;
        let pointer_bytes = u64::from(target.pointer_bits / 8);
        let arch = triple.split('-').next().unwrap_or_default();
        let windows = triple.contains("windows");
        let list = match arch {
            "x86_64" | "amd64" if !windows => List::SystemV,
            "aarch64" | "arm64" | "aarch64_be" if !windows && !triple.contains("apple") => List::Aarch64,
            "s390x" => List::S390,
            "powerpc" | "ppc" => List::PowerPc,
            _ => List::Pointer,
        };
        let slot = match list {
            List::SystemV => 8,
            _ => pointer_bytes,
        };
        let max_align = match arch {
            "i386" | "i486" | "i586" | "i686" => 4,
            "s390x" => 8,
            _ if windows => 8,
            _ => 2 * slot,
        };
        VaLayout { list, slot, max_align, pointer_bytes }
    }

    fn list_bytes(&self) -> u64 {
        match self.list {
            List::Pointer => self.pointer_bytes,
            List::SystemV => 8 + 2 * self.pointer_bytes,
            List::Aarch64 | List::S390 => 32,
            List::PowerPc => 12,
        }
    }

    /// Where in the list the address of the next argument stands.
    fn cursor_offset(&self) -> u64 {
        match self.list {
            List::Pointer | List::Aarch64 => 0,
            List::SystemV => 8,
            List::S390 => 16,
            List::PowerPc => 4,
        }
    }

    /// Initialises the list at `list` to walk over the arguments at `area`.
    pub(crate) fn start(&self, memory: &mut Memory, list: u64, area: u64) -> Result<(), Fault> {
        memory.fill(list, 0, self.list_bytes())?;
        match self.list {
            List::Pointer | List::Aarch64 => {}
            List::SystemV => {
                memory.store_int(list, 4, 48)?;
                memory.store_int(list + 4, 4, 176)?;
            }
            List::S390 => {
                memory.store_int(list, 8, 5)?;
                memory.store_int(list + 8, 8, 4)?;
            }
            List::PowerPc => {
                memory.store_int(list, 1, 8)?;
                memory.store_int(list + 1, 1, 8)?;
            }
        }
        memory.store_pointer(list + self.cursor_offset(), area)
    }

    pub(crate) fn copy(&self, memory: &mut Memory, to: u64, from: u64) -> Result<(), Fault> {
        memory.copy(to, from, self.list_bytes())
    }

    /// The address of the next argument of a list that was passed to a function as `value`: where a list
    /// is a plain pointer it is passed itself, otherwise its address is.
    pub(crate) fn cursor_of_argument(&self, memory: &Memory, value: u64) -> Result<u64, Fault> {
        match self.list {
            List::Pointer => Ok(value),
            _ => memory.load_pointer(value.wrapping_add(self.cursor_offset())),
        }
    }

    /// Takes a scalar of this size: its address, and the address after it.
    pub(crate) fn step(&self, cursor: u64, bytes: u64) -> (u64, u64) {
        self.step_aligned(cursor, bytes, self.align(bytes))
    }

    fn step_aligned(&self, cursor: u64, bytes: u64, align: u64) -> (u64, u64) {
        // The cursor comes from the program's memory and may be anything.
        let start = cursor.wrapping_add(align - 1) & !(align - 1);
        (start, start.wrapping_add(bytes.next_multiple_of(self.slot)))
    }

    /// Takes the next argument of the list at `list`, as the `VaArg` instruction does.
    pub(crate) fn next(
        &self,
        memory: &mut Memory,
        list: u64,
        ty: Type,
        aggregate: Option<&Aggregate>,
    ) -> Result<u64, Fault> {
        let (bytes, align) = match aggregate {
            Some(aggregate) => (aggregate.bytes, self.aggregate_align(aggregate, memory.pointer_bits)),
            None => {
                let bytes = VaLayout::scalar_bytes(ty.bits(memory.pointer_bits));
                (bytes, self.align(bytes))
            }
        };
        let at = list.wrapping_add(self.cursor_offset());
        let (start, after) = self.step_aligned(memory.load_pointer(at)?, bytes, align);
        memory.store_pointer(at, memory.wrap(after))?;
        Ok(if aggregate.is_some() { start } else { self.justified(memory.endian, start, bytes) })
    }

    /// Bytes that a scalar of `width` bits occupies: formats with odd sizes are padded.
    pub(crate) fn scalar_bytes(width: u32) -> u64 {
        u64::from(width.div_ceil(8))
    }

    /// Where in its slot a scalar stands: at the high end on big-endian targets.
    pub(crate) fn justified(&self, endian: Endian, start: u64, bytes: u64) -> u64 {
        if endian == Endian::Big && bytes < self.slot { start.wrapping_add(self.slot - bytes) } else { start }
    }

    /// An aggregate is aligned as its strictest part.
    fn aggregate_align(&self, aggregate: &Aggregate, pointer_bits: u32) -> u64 {
        let parts = aggregate.parts.iter().map(|(_, part)| VaLayout::scalar_bytes(part.bits(pointer_bits)));
        parts.map(|bytes| self.align(bytes)).max().unwrap_or(self.slot)
    }

    fn align(&self, bytes: u64) -> u64 {
        if bytes <= self.slot {
            self.slot
        } else {
            bytes.next_power_of_two().min(self.max_align).max(self.slot)
        }
    }
}

/// Lays out variable arguments one after the other.
#[derive(Debug)]
pub(crate) struct Area<'a> {
    layout: &'a VaLayout,
    endian: Endian,
    bytes: Vec<u8>,
}

impl<'a> Area<'a> {
    pub(crate) fn new(layout: &'a VaLayout, endian: Endian) -> Area<'a> {
        Area { layout, endian, bytes: Vec::new() }
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

    pub(crate) fn push_scalar(&mut self, width: u32, words: &[u64]) {
        let bytes = VaLayout::scalar_bytes(width);
        let start = self.take(bytes, self.layout.align(bytes)) as u64;
        let at = self.layout.justified(self.endian, start, bytes);
        self.place(at, bytes, words);
    }

    /// An aggregate of registers: its memory image.
    pub(crate) fn push_aggregate(&mut self, aggregate: &Aggregate, pointer_bits: u32, words: &[u64]) {
        let align = self.layout.aggregate_align(aggregate, pointer_bits);
        let start = self.take(aggregate.bytes, align) as u64;
        let mut used = 0;
        for &(offset, part) in &aggregate.parts {
            let width = part.bits(pointer_bits);
            let count = words::count(width);
            if let Some(words) = words.get(used..used + count)
                && offset + u64::from(width.div_ceil(8)) <= aggregate.bytes
            {
                self.place(start + offset, u64::from(width.div_ceil(8)), words);
            }
            used += count;
        }
    }

    fn place(&mut self, at: u64, bytes: u64, words: &[u64]) {
        for index in 0..bytes {
            let byte = words.get((index / 8) as usize).copied().unwrap_or(0) >> (index % 8 * 8);
            let offset = if self.endian == Endian::Big { bytes - 1 - index } else { index };
            self.bytes[(at + offset) as usize] = byte as u8;
        }
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.bytes
    }
}
