//! Heap blocks: who acquired them, whether they were released, and what still refers to them.
//!
//! Addresses of heap blocks are never used twice, so a stale pointer always meets a block marked as
//! released. The bytes behind them are: a released range goes to a free list by size. At the end of a
//! run, [`Memory::live_blocks`] lists every block that was not released and how it can still be reached,
//! by the same conservative scan that leak sanitizers use: any aligned word that holds an address inside
//! a block counts as a reference to it.

use super::{Info, Memory, Object, RegionId};
use crate::losses::References;
use crate::trap::{Address, Fault, HeapId, ObjectKind, Site, TrapKind};

/// A block that was never released.
#[derive(Clone, PartialEq, Debug)]
pub struct LiveBlock {
    pub id: HeapId,
    pub address: Address,
    pub bytes: u64,
    /// The call that acquired it; absent for blocks that the caller of the interpreter made.
    pub site: Option<Site>,
    pub reachable: Reachable,
}

/// How a live block can still be reached at the end of a run.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reachable {
    /// From a global variable, perhaps through other blocks.
    FromGlobals,
    /// Not from a global, but from a frame that was still active.
    FromStack,
    /// From nowhere: the last reference is lost.
    Lost,
}

/// The life of one block.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) bytes: u64,
    pub(crate) site: Option<Site>,
    pub(crate) released: bool,
}

/// The book-keeping of the heap region.
#[derive(Debug)]
pub(crate) struct Heap {
    pub(crate) blocks: Vec<Block>,
    /// Arena positions of released ranges, by size class.
    free: Vec<Vec<usize>>,
    live_bytes: u64,
    max_bytes: u64,
}

/// The size class of a request: multiples of 16 while small, powers of two beyond.
fn class(bytes: u64) -> (usize, u64) {
    const SMALL: u64 = 1024;
    if bytes <= SMALL {
        let units = bytes.div_ceil(16).max(1);
        (units as usize, units * 16)
    } else {
        let capacity = bytes.next_power_of_two();
        (64 + capacity.trailing_zeros() as usize, capacity)
    }
}

impl Heap {
    pub(crate) fn new(max_bytes: u64) -> Heap {
        Heap { blocks: Vec::new(), free: vec![Vec::new(); 128], live_bytes: 0, max_bytes }
    }
    /// Without any block.
    pub(crate) fn clear(&mut self) {
        self.blocks.clear();
        self.free.iter_mut().for_each(Vec::clear);
        self.live_bytes = 0;
    }
    pub(crate) fn is_released(&self, block: HeapId) -> bool {
        self.blocks.get(block.0 as usize).is_some_and(|block| block.released)
    }
}

impl Memory {
    /// A new block; absent when memory is used up. `zeroed` decides between zeros and fresh memory.
    pub(crate) fn acquire(
        &mut self,
        bytes: u64,
        align: u64,
        zeroed: bool,
        site: Option<Site>,
    ) -> Option<u64> {
        if bytes > self.heap.max_bytes - self.heap.live_bytes.min(self.heap.max_bytes) {
            return None;
        }
        let (class, capacity) = class(bytes);
        let start = self.reserve(RegionId::Heap, bytes, align)?;
        let (fill, track) = (if zeroed { 0 } else { self.fill }, self.track);
        let region = &mut self.regions[RegionId::Heap as usize];
        let length = usize::try_from(capacity).ok()?;
        let data = match self.heap.free[class].pop() {
            Some(data) => {
                region.bytes[data..data + length].fill(fill);
                data
            }
            None => {
                let data = region.bytes.len();
                region.bytes.resize(data + length, fill);
                data
            }
        };
        if track {
            region.written.resize(region.bytes.len(), 0);
            region.written[data..data + length].fill(u8::from(zeroed));
        }
        let id = HeapId(u32::try_from(self.heap.blocks.len()).ok()?);
        region.objects.push(Object { start, readable: bytes, writable: bytes, data });
        region.infos.push(Info { kind: ObjectKind::Heap(id), size: bytes });
        self.heap.blocks.push(Block { bytes, site, released: false });
        self.heap.live_bytes += bytes;
        Some(start)
    }

    /// The live block that starts at `address`.
    pub(crate) fn block_at(&self, address: u64) -> Result<HeapId, Fault> {
        match self.object_at(address) {
            Some((ObjectKind::Heap(block), start, _)) if self.heap.is_released(block) && start == address => {
                Err(Box::new(TrapKind::DoubleFree { block }))
            }
            Some((ObjectKind::Heap(block), start, _)) if start == address => Ok(block),
            _ => Err(Box::new(TrapKind::InvalidFree { address: Address(address) })),
        }
    }

    /// Releases the block that starts at `address`.
    pub(crate) fn release(&mut self, address: u64) -> Result<HeapId, Fault> {
        let id = self.block_at(address)?;
        let (region, index) = self.find(address).expect("a block was found at this address");
        let object = &mut self.regions[region].objects[index];
        object.readable = 0;
        object.writable = 0;
        let block = &mut self.heap.blocks[id.0 as usize];
        block.released = true;
        self.heap.live_bytes -= block.bytes;
        self.heap.free[class(block.bytes).0].push(object.data);
        Ok(id)
    }

    /// Every block that is not released, in order of allocation.
    pub(crate) fn live_blocks(&self) -> Vec<LiveBlock> {
        let mut reach = vec![Reachable::Lost; self.heap.blocks.len()];
        for (root, from) in
            [(RegionId::Statics, Reachable::FromGlobals), (RegionId::Stack, Reachable::FromStack)]
        {
            let mut pending = Vec::new();
            for object in &self.regions[root as usize].objects {
                self.mark(root, object, from, &mut reach, &mut pending);
            }
            while let Some(block) = pending.pop() {
                let object = &self.regions[RegionId::Heap as usize].objects[block];
                self.mark(RegionId::Heap, object, from, &mut reach, &mut pending);
            }
        }
        let heap = &self.regions[RegionId::Heap as usize];
        let live = self.heap.blocks.iter().enumerate().filter(|(_, block)| !block.released);
        live.map(|(index, block)| LiveBlock {
            id: HeapId(index as u32),
            address: Address(heap.objects[index].start),
            bytes: block.bytes,
            site: block.site,
            reachable: reach[index],
        })
        .collect()
    }

    /// What refers to blocks now, from memory and from these words.
    pub(crate) fn references(&self, words: &[u64]) -> References {
        let count = self.heap.blocks.len();
        let (mut referred, mut begun) = (vec![false; count], vec![false; count]);
        let mut reachable = vec![false; count];
        let mut pending = Vec::new();
        for root in [RegionId::Statics, RegionId::Stack, RegionId::Heap] {
            for object in &self.regions[root as usize].objects {
                for word in self.words_of(root, object) {
                    let Some(block) = self.live_block(word) else { continue };
                    referred[block] = true;
                    begun[block] |= self.begins(block, word);
                    if root != RegionId::Heap {
                        pending.push(block);
                    }
                }
            }
        }
        self.reach(&mut pending, &mut reachable);
        let mut fragile = false;
        for &word in words {
            let Some(block) = self.live_block(word) else { continue };
            fragile |= !referred[block] || !reachable[block] || !begun[block];
            referred[block] = true;
            begun[block] |= self.begins(block, word);
            pending.push(block);
        }
        self.reach(&mut pending, &mut reachable);
        References { referred, begun, reachable, fragile }
    }

    /// Marks these blocks and all that can be reached from them.
    fn reach(&self, pending: &mut Vec<usize>, reachable: &mut [bool]) {
        while let Some(block) = pending.pop() {
            if !std::mem::replace(&mut reachable[block], true) {
                let object = &self.regions[RegionId::Heap as usize].objects[block];
                pending.extend(self.blocks_in(RegionId::Heap, object));
            }
        }
    }

    /// Marks the blocks that the words of an object refer to, and lists those marked for the first time.
    fn mark(
        &self,
        region: RegionId,
        object: &Object,
        from: Reachable,
        reach: &mut [Reachable],
        pending: &mut Vec<usize>,
    ) {
        for index in self.blocks_in(region, object) {
            if reach[index] > from {
                reach[index] = from;
                pending.push(index);
            }
        }
    }

    /// The blocks that the words of an object refer to.
    fn blocks_in(&self, region: RegionId, object: &Object) -> impl Iterator<Item = usize> {
        self.words_of(region, object).filter_map(|word| self.live_block(word))
    }

    /// The words of an object that may be addresses.
    fn words_of(&self, region: RegionId, object: &Object) -> impl Iterator<Item = u64> {
        let word = self.pointer_bytes() as usize;
        let bytes = &self.regions[region as usize].bytes[object.data..][..object.readable as usize];
        bytes.chunks_exact(word).map(|chunk| {
            let fold = |value: u64, &byte: &u8| value << 8 | u64::from(byte);
            match self.endian {
                watertight_ir::Endian::Little => chunk.iter().rev().fold(0, fold),
                watertight_ir::Endian::Big => chunk.iter().fold(0, fold),
            }
        })
    }

    /// Whether an address is that of the first byte of a block.
    fn begins(&self, block: usize, address: u64) -> bool {
        self.regions[RegionId::Heap as usize].objects[block].start == address
    }

    /// The block that is not released and that an address lies in.
    pub(super) fn live_block(&self, address: u64) -> Option<usize> {
        let (heap, index) = self.find(address)?;
        let live = heap == RegionId::Heap as usize && !self.heap.blocks[index].released;
        (live && self.holds(index, address)).then_some(index)
    }

    /// Whether an address lies in a heap block; an empty block has only its start.
    fn holds(&self, block: usize, address: u64) -> bool {
        let object = &self.regions[RegionId::Heap as usize].objects[block];
        address.wrapping_sub(object.start) < object.readable.max(1)
    }
}
