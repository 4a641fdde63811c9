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
//!
//! On x86-64 the trick has one gap, for which [`area`] knows the registers too.

pub(crate) mod area;

use crate::memory::Memory;
use crate::trap::Fault;
use watertight_ir::{Aggregate, Endian, FloatKind, Target, Type};

/// What `gp` says when the integer registers of x86-64 are used up: six of eight bytes.
const GP_END: u64 = 48;
/// What `fp` says when the vector registers of x86-64 are used up: eight of sixteen bytes, after the others.
const FP_END: u64 = 176;

/// The shape of a `va_list`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum List {
    Pointer,
    SystemV,
    Aarch64,
    S390,
    PowerPc,
}

/// Where a scalar is passed while there are registers.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Class {
    Integer,
    Float,
    Memory,
}

impl Class {
    /// The class of a scalar on x86-64.
    fn of(ty: Type) -> Class {
        match ty {
            Type::Float(FloatKind::X87) => Class::Memory,
            Type::Float(_) => Class::Float,
            _ => Class::Integer,
        }
    }
}

/// The variable arguments of one call.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Varargs {
    /// Arguments in memory.
    overflow: u64,
    /// Arguments in registers, and which of them the named parameters left over.
    save: u64,
    gp: u64,
    fp: u64,
}

impl Varargs {
    /// No arguments at all.
    pub(crate) const NONE: Varargs = Varargs { overflow: 0, save: 0, gp: GP_END, fp: FP_END };
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

    /// Whether a list tells apart what is in registers and what is in memory as the System V ABI of x86-64 does.
    pub(crate) fn has_registers(&self) -> bool {
        self.list == List::SystemV
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

    /// Initialises the list at `list` to walk over the arguments of a call.
    pub(crate) fn start(&self, memory: &mut Memory, list: u64, varargs: Varargs) -> Result<(), Fault> {
        memory.fill(list, 0, self.list_bytes())?;
        match self.list {
            List::Pointer | List::Aarch64 => {}
            List::SystemV => {
                memory.store_int(list, 4, varargs.gp.into())?;
                memory.store_int(list + 4, 4, varargs.fp.into())?;
                memory.store_pointer(list + 8 + self.pointer_bytes, varargs.save)?;
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
        memory.store_pointer(list + self.cursor_offset(), varargs.overflow)
    }

    pub(crate) fn copy(&self, memory: &mut Memory, to: u64, from: u64) -> Result<(), Fault> {
        memory.copy(to, from, self.list_bytes())
    }

    /// What is left of a list that was passed to a function as `value`: where a list is a plain pointer it is
    /// passed itself, otherwise its address is.
    pub(crate) fn rest_of_argument(&self, memory: &Memory, value: u64) -> Result<Varargs, Fault> {
        match self.list {
            List::Pointer => Ok(Varargs { overflow: value, ..Varargs::NONE }),
            _ => self.rest(memory, value),
        }
    }

    /// What is left of the list at `list`.
    fn rest(&self, memory: &Memory, list: u64) -> Result<Varargs, Fault> {
        let overflow = memory.load_pointer(list.wrapping_add(self.cursor_offset()))?;
        match self.list {
            List::SystemV => Ok(Varargs {
                overflow,
                save: memory.load_pointer(list.wrapping_add(8 + self.pointer_bytes))?,
                gp: memory.load_int(list, 4)? as u64,
                fp: memory.load_int(list.wrapping_add(4), 4)? as u64,
            }),
            _ => Ok(Varargs { overflow, ..Varargs::NONE }),
        }
    }

    /// Takes a scalar of this type and gives its address.
    pub(crate) fn take(&self, memory: &Memory, rest: &mut Varargs, ty: Type) -> u64 {
        let bytes = VaLayout::scalar_bytes(ty.bits(memory.pointer_bits));
        match self.take_register(rest, bytes, Class::of(ty)) {
            Some(address) => address,
            None => {
                let start = self.take_memory(rest, bytes, self.align(bytes));
                self.justified(memory.endian, start, bytes)
            }
        }
    }

    fn take_register(&self, rest: &mut Varargs, bytes: u64, class: Class) -> Option<u64> {
        let (offset, size, end) = match class {
            Class::Integer if bytes <= 16 => (&mut rest.gp, bytes.next_multiple_of(8), GP_END),
            Class::Float => (&mut rest.fp, 16, FP_END),
            Class::Integer | Class::Memory => return None,
        };
        if self.list != List::SystemV || offset.saturating_add(size) > end {
            return None;
        }
        let address = rest.save.wrapping_add(*offset);
        *offset += size;
        Some(address)
    }

    fn take_memory(&self, rest: &mut Varargs, bytes: u64, align: u64) -> u64 {
        // The cursor comes from the program's memory and may be anything.
        let start = rest.overflow.wrapping_add(align - 1) & !(align - 1);
        rest.overflow = start.wrapping_add(bytes.next_multiple_of(self.slot));
        start
    }

    /// Takes the next argument of the list at `list`, as the `VaArg` instruction does.
    pub(crate) fn next(
        &self,
        memory: &mut Memory,
        list: u64,
        ty: Type,
        aggregate: Option<&Aggregate>,
    ) -> Result<u64, Fault> {
        let mut rest = self.rest(memory, list)?;
        let address = match aggregate {
            Some(aggregate) => {
                let align = self.aggregate_align(aggregate, memory.pointer_bits);
                self.take_memory(&mut rest, aggregate.bytes, align)
            }
            None => self.take(memory, &mut rest, ty),
        };
        if self.list == List::SystemV {
            memory.store_int(list, 4, rest.gp.into())?;
            memory.store_int(list.wrapping_add(4), 4, rest.fp.into())?;
        }
        memory.store_pointer(list.wrapping_add(self.cursor_offset()), memory.wrap(rest.overflow))?;
        Ok(address)
    }

    /// Bytes that a scalar of `width` bits occupies: formats with odd sizes are padded.
    fn scalar_bytes(width: u32) -> u64 {
        u64::from(width.div_ceil(8))
    }

    /// Where in its slot a scalar stands: at the high end on big-endian targets.
    fn justified(&self, endian: Endian, start: u64, bytes: u64) -> u64 {
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
