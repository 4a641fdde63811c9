//! The memory of a run: objects, their bytes, and every way to reach them.
//!
//! Memory is a set of objects, each a range of addresses (`layout`) backed by bytes in the arena of its
//! region. In: addresses as the program computes them, plain 64-bit numbers. Out: bytes, or the reason
//! why the access is wrong. What must hold: an access succeeds only if all its bytes lie in one live
//! object; nothing here panics on any address.
//!
//! Why addresses and not (object, offset) pairs: pointers that are cast to integers, tagged, copied byte
//! by byte or compared then need no special case, and a register is one word.
//!
//! ```text
//! let p = memory.push_stack(8, 8, kind)?;  memory.store_le(p, 4, 7)?;  memory.load_le(p, 4)? == 7
//! memory.load_le(p + 8, 1)  ->  OutOfBounds { offset: 8, .. }
//! ```

mod access;
pub(crate) mod given;
pub(crate) mod heap;
mod layout;
pub(crate) mod undo;
pub(crate) mod watch;

use crate::trap::{Access, Address, Fault, ObjectKind, TrapKind};
use layout::{
    INDEX_MASK, MAX_OBJECT, NEAR_RANGE, NULL_PAGE, OBJECT_SHIFT, REGION_SHIFT, STACK_INDEX_MASK, Scheme,
};
use std::cell::Cell;
use watertight_ir::Endian;

pub(crate) use heap::Heap;
pub(crate) use layout::{RegionId, Spacing};
use undo::Undo;

/// What fresh memory of the stack and the heap holds.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Uninitialised {
    /// This byte everywhere. Two runs with different bytes show whether a result depends on it.
    Fill(u8),
    /// Zero, and a read of a scalar none of whose bytes was ever written is a trap.
    Trap,
    /// Nobody knows: a [`crate::World`] is asked when it is first read. So it is with variables that are not constant,
    /// whose first contents are those of the program's start only if the world says so.
    Asked,
}

/// One object: its address range and where its bytes are.
#[derive(Copy, Clone, Debug)]
struct Object {
    start: u64,
    /// Bytes that may be read, from the start: none for code and for freed blocks.
    readable: u64,
    /// Bytes that may be written: none for constants either.
    writable: u64,
    /// Position of the first byte in the arena of the region.
    data: usize,
}

/// What is known of an object beyond its bytes.
#[derive(Copy, Clone, Debug)]
struct Info {
    kind: ObjectKind,
    size: u64,
}

/// The objects of one kind, in ascending order of address.
#[derive(Debug)]
struct Region {
    objects: Vec<Object>,
    infos: Vec<Info>,
    bytes: Vec<u8>,
    /// Which bytes were ever written, one byte each; empty unless tracked.
    written: Vec<u8>,
    /// The next free address, for packed layouts.
    next: u64,
    /// The object found last, for packed layouts.
    last: Cell<usize>,
}

/// How much of the stack was in use at some moment.
#[derive(Copy, Clone, Debug)]
pub(crate) struct StackMark {
    objects: usize,
    bytes: usize,
    next: u64,
}

/// The memory of a run.
#[derive(Debug)]
pub(crate) struct Memory {
    scheme: Scheme,
    spacing: Spacing,
    pub(crate) endian: Endian,
    pub(crate) pointer_bits: u32,
    regions: [Region; 4],
    /// How often each stack object number was used.
    generations: Vec<u16>,
    fill: u8,
    track: bool,
    /// What was never written is asked for.
    asks: bool,
    /// A copy of computed length has left the address of a block behind.
    cut: bool,
    /// What the statics held before they were written, when that is kept.
    undo: Option<Undo>,
    max_stack_bytes: usize,
    max_static_bytes: u64,
    pub(crate) heap: Heap,
}

impl Memory {
    /// An empty memory; absent when the target's addresses have a width that is not supported.
    pub(crate) fn new(
        pointer_bits: u32,
        endian: Endian,
        uninitialised: Uninitialised,
        max_bytes: u64,
        spacing: Spacing,
    ) -> Option<Memory> {
        let scheme = Scheme::new(pointer_bits)?;
        let region = |id: RegionId| Region {
            objects: Vec::new(),
            infos: Vec::new(),
            bytes: Vec::new(),
            written: Vec::new(),
            next: match scheme {
                Scheme::Packed { bits } => Scheme::packed_range(bits, id).0,
                Scheme::Indexed => NEAR_RANGE.0,
            },
            last: Cell::new(0),
        };
        let (fill, track) = match uninitialised {
            Uninitialised::Fill(byte) => (byte, false),
            Uninitialised::Trap | Uninitialised::Asked => (0, true),
        };
        let mut memory = Memory {
            scheme,
            spacing,
            endian,
            pointer_bits,
            regions: [RegionId::Statics, RegionId::Stack, RegionId::Heap, RegionId::Given].map(region),
            generations: Vec::new(),
            fill,
            track,
            asks: uninitialised == Uninitialised::Asked,
            cut: false,
            undo: None,
            max_stack_bytes: usize::try_from(max_bytes / 4).unwrap_or(usize::MAX),
            max_static_bytes: max_bytes,
            heap: Heap::new(max_bytes),
        };
        // Object number 0 of the statics would contain the null pointer; nothing may live there.
        if scheme == Scheme::Indexed {
            let statics = &mut memory.regions[RegionId::Statics as usize];
            statics.objects.push(Object { start: 0, readable: 0, writable: 0, data: 0 });
            statics.infos.push(Info { kind: ObjectKind::Runtime, size: 0 });
        }
        Some(memory)
    }

    /// Bytes of an address in memory.
    pub(crate) fn pointer_bytes(&self) -> u64 {
        u64::from(self.pointer_bits / 8)
    }

    /// Cuts an address to the width of the target.
    pub(crate) fn wrap(&self, address: u64) -> u64 {
        address & (u64::MAX >> (64 - self.pointer_bits))
    }

    /// A new object filled with zeros that lives for the whole run; absent when the space is used up.
    pub(crate) fn push_static(
        &mut self,
        size: u64,
        align: u64,
        kind: ObjectKind,
        write: bool,
    ) -> Option<u64> {
        let used = self.regions[RegionId::Statics as usize].bytes.len() as u64;
        if size > self.max_static_bytes.saturating_sub(used) {
            return None;
        }
        let address = self.push(RegionId::Statics, size, align, kind, 0, true)?;
        let object = self.regions[RegionId::Statics as usize].objects.last_mut()?;
        if !write {
            object.writable = 0;
        }
        Some(address)
    }

    /// A range of addresses that can be named but not read: code, and globals that are not defined.
    pub(crate) fn push_opaque(&mut self, size: u64, kind: ObjectKind) -> Option<u64> {
        let address = self.reserve(RegionId::Statics, size.max(1), 16)?;
        let statics = &mut self.regions[RegionId::Statics as usize];
        let data = statics.bytes.len();
        statics.objects.push(Object { start: address, readable: 0, writable: 0, data });
        statics.infos.push(Info { kind, size });
        Some(address)
    }

    /// A new object in the innermost frame.
    #[inline]
    pub(crate) fn push_stack(&mut self, size: u64, align: u64, kind: ObjectKind) -> Result<u64, Fault> {
        let used = self.regions[RegionId::Stack as usize].bytes.len();
        if size > (self.max_stack_bytes.saturating_sub(used)) as u64 {
            return Err(Box::new(TrapKind::StackOverflow));
        }
        self.push(RegionId::Stack, size, align, kind, self.fill, !self.track)
            .ok_or_else(|| Box::new(TrapKind::StackOverflow))
    }

    #[inline]
    pub(crate) fn stack_mark(&self) -> StackMark {
        let stack = &self.regions[RegionId::Stack as usize];
        StackMark { objects: stack.objects.len(), bytes: stack.bytes.len(), next: stack.next }
    }

    /// Ends the life of every stack object made since `mark`.
    #[inline]
    pub(crate) fn release_stack(&mut self, mark: StackMark) {
        let stack = &mut self.regions[RegionId::Stack as usize];
        stack.objects.truncate(mark.objects);
        stack.infos.truncate(mark.objects);
        stack.bytes.truncate(mark.bytes);
        stack.written.truncate(mark.bytes);
        stack.next = mark.next;
    }

    /// Ends the life of the stack object at `address` and of all that came after it, if it belongs to
    /// the objects made since `floor`.
    pub(crate) fn release_stack_from(&mut self, address: u64, floor: StackMark) {
        let Some((region, index)) = self.find(address) else { return };
        let object = self.regions[region].objects[index];
        if region == RegionId::Stack as usize && object.start == address && index >= floor.objects {
            let next = self.regions[region].next.min(object.start);
            self.release_stack(StackMark { objects: index, bytes: object.data, next });
        }
    }

    #[inline]
    fn push(
        &mut self,
        id: RegionId,
        size: u64,
        align: u64,
        kind: ObjectKind,
        fill: u8,
        written: bool,
    ) -> Option<u64> {
        let start = self.reserve(id, size, align)?;
        let track = self.track;
        let region = &mut self.regions[id as usize];
        let data = region.bytes.len();
        let length = usize::try_from(size).ok()?.next_multiple_of(16);
        region.bytes.resize(data + length, fill);
        if track {
            region.written.resize(data + length, u8::from(written));
        }
        region.objects.push(Object { start, readable: size, writable: size, data });
        region.infos.push(Info { kind, size });
        Some(start)
    }

    /// Addresses for a new object of a region.
    #[inline]
    fn reserve(&mut self, id: RegionId, size: u64, align: u64) -> Option<u64> {
        if size > MAX_OBJECT {
            return None;
        }
        let region = &mut self.regions[id as usize];
        match self.scheme {
            Scheme::Indexed if id == RegionId::Statics && self.spacing == Spacing::Near => {
                let start = region.next.next_multiple_of(align.clamp(16, 1 << 20));
                let end = start + size + Scheme::gap(64);
                region.next = end;
                (end <= NEAR_RANGE.1).then_some(start)
            }
            Scheme::Indexed => {
                let index = region.objects.len();
                let generation = if id == RegionId::Stack {
                    match self.generations.get_mut(index) {
                        Some(generation) => {
                            *generation = generation.wrapping_add(1);
                            *generation
                        }
                        None => {
                            self.generations.push(0);
                            0
                        }
                    }
                } else {
                    0
                };
                Scheme::indexed_start(id, index as u64, generation.into(), align)
            }
            Scheme::Packed { bits } => {
                let start = region.next.next_multiple_of(align.clamp(16, 1 << 20));
                let end = start + size + Scheme::gap(bits);
                if end > Scheme::packed_range(bits, id).1 {
                    return None;
                }
                region.next = end;
                Some(start)
            }
        }
    }

    /// The object that an address belongs to, dead or alive, as region and number; only its bounds are
    /// still to be checked.
    #[inline]
    fn find(&self, address: u64) -> Option<(usize, usize)> {
        match self.scheme {
            Scheme::Indexed => {
                let region = (address >> REGION_SHIFT) as usize;
                if region == RegionId::Statics as usize && self.spacing == Spacing::Near {
                    return self.search_region(RegionId::Statics, address);
                }
                let mask = if region == RegionId::Stack as usize { STACK_INDEX_MASK } else { INDEX_MASK };
                let index = (address >> OBJECT_SHIFT & mask) as usize;
                (index < self.regions.get(region)?.objects.len()).then_some((region, index))
            }
            Scheme::Packed { bits } => self.search(bits, address),
        }
    }

    fn search(&self, bits: u32, address: u64) -> Option<(usize, usize)> {
        let id = [RegionId::Statics, RegionId::Heap, RegionId::Stack].into_iter().find(|&id| {
            let (first, end) = Scheme::packed_range(bits, id);
            (first..end).contains(&address)
        })?;
        self.search_region(id, address)
    }

    /// The last object that starts at or before an address.
    fn search_region(&self, id: RegionId, address: u64) -> Option<(usize, usize)> {
        let region = &self.regions[id as usize];
        let last = region.last.get();
        if let Some(object) = region.objects.get(last)
            && address.wrapping_sub(object.start) < object.readable
        {
            return Some((id as usize, last));
        }
        let index = region.objects.partition_point(|object| object.start <= address).checked_sub(1)?;
        region.last.set(index);
        Some((id as usize, index))
    }

    /// The object whose range, its end included, contains `address`: its kind, start and size.
    pub(crate) fn object_at(&self, address: u64) -> Option<(ObjectKind, u64, u64)> {
        let (region, index) = self.find(address)?;
        let (object, info) = (self.regions[region].objects[index], self.regions[region].infos[index]);
        let offset = address.checked_sub(object.start)?;
        (offset <= info.size).then_some((info.kind, object.start, info.size))
    }

    /// Says why an access of `bytes` bytes is wrong.
    #[cold]
    fn explain(&self, address: u64, bytes: u64, access: Access) -> Fault {
        let wild = TrapKind::WildAccess { address: Address(address), access };
        if address < NULL_PAGE {
            return Box::new(TrapKind::NullAccess { access });
        }
        let Some((region, index)) = self.find(address) else {
            let in_stack = match self.scheme {
                Scheme::Indexed => address >> REGION_SHIFT == RegionId::Stack as u64,
                Scheme::Packed { .. } => false,
            };
            return Box::new(if in_stack { TrapKind::UseAfterReturn { access } } else { wild });
        };
        let (object, info) = (self.regions[region].objects[index], self.regions[region].infos[index]);
        let offset = address.wrapping_sub(object.start) as i64;
        Box::new(match info.kind {
            _ if self.scheme == Scheme::Indexed
                && region == RegionId::Stack as usize
                && offset.unsigned_abs() >> OBJECT_SHIFT != 0 =>
            {
                TrapKind::UseAfterReturn { access }
            }
            ObjectKind::Function(function) => TrapKind::CodeAccess { function },
            ObjectKind::Heap(block) if self.heap.is_released(block) => {
                TrapKind::UseAfterFree { block, access }
            }
            ObjectKind::Global(global)
                if access == Access::Write && object.writable == 0 && object.readable != 0 =>
            {
                TrapKind::WriteToConstant { global }
            }
            ObjectKind::Global(global) if object.readable == 0 && info.size != 0 => {
                TrapKind::UnresolvedGlobal { global }
            }
            kind => TrapKind::OutOfBounds { object: kind, size: info.size, offset, bytes, access },
        })
    }
}
