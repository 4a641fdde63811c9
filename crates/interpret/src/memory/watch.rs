//! What is lost, asked once: which blocks and numbers nothing refers to any more.
//!
//! In: words on their way (a result, live values of active calls). Out: which blocks can be reached, as a garbage collector
//! would see it, from these words, from statics that were written, from the memory of the caller and from the stack.
//! The cost is that of what the run touched: statics that were not written cannot refer to blocks of the run.

use super::{Memory, RegionId};

/// Elements of containers are seldom larger.
const LONGEST_ELEMENT: u64 = 256;

/// What can still be reached.
#[derive(Debug)]
pub(crate) struct Reached {
    /// By block.
    pub(crate) blocks: Vec<bool>,
    /// By number asked for.
    pub(crate) numbers: Vec<bool>,
}

impl Memory {
    /// What can be reached from these words and all that outlives the run; `numbers` are looked for in words of four
    /// bytes.
    pub(crate) fn reached(&self, words: &[u64], numbers: &[u32]) -> Reached {
        self.reached_from(words, numbers, &[RegionId::Given, RegionId::Stack])
    }

    /// What can be reached from statics and from the memory of the caller.
    pub(crate) fn outliving(&self, numbers: &[u32]) -> Reached {
        self.reached_from(&[], numbers, &[RegionId::Given])
    }

    fn reached_from(&self, words: &[u64], numbers: &[u32], regions: &[RegionId]) -> Reached {
        let mut reached =
            Reached { blocks: vec![false; self.heap.blocks.len()], numbers: vec![false; numbers.len()] };
        let mut pending = Vec::new();
        for &word in words {
            self.note_word(word, &mut pending);
            note_number(word as u32, numbers, &mut reached);
        }
        let statics = &self.regions[RegionId::Statics as usize];
        for &(at, length) in self.written_statics() {
            // A part of a word may have been written.
            let from = at & !7;
            let to = (at + length).next_multiple_of(8).min(statics.bytes.len());
            self.scan(&statics.bytes[from..to], numbers, &mut reached, &mut pending);
        }
        for &id in regions {
            let region = &self.regions[id as usize];
            for object in &region.objects {
                let bytes = &region.bytes[object.data..][..object.readable as usize];
                self.scan(bytes, numbers, &mut reached, &mut pending);
            }
        }
        while let Some(block) = pending.pop() {
            if !std::mem::replace(&mut reached.blocks[block], true) {
                let heap = &self.regions[RegionId::Heap as usize];
                let object = &heap.objects[block];
                let bytes = &heap.bytes[object.data..][..object.readable as usize];
                self.scan(bytes, numbers, &mut reached, &mut pending);
            }
        }
        reached
    }

    /// The live blocks that these addresses lead to, through the memory of blocks and of the stack.
    pub(crate) fn led_to(&self, addresses: &[u64]) -> Vec<usize> {
        let mut reached = Reached { blocks: vec![false; self.heap.blocks.len()], numbers: Vec::new() };
        let mut pending = Vec::new();
        for &address in addresses {
            self.note_word(address, &mut pending);
            // What lies in the frame of the caller, and what globals and the memory of others hold.
            if self.live_block(address).is_none()
                && let Some((region, index)) = self.find(address)
            {
                let region = &self.regions[region];
                let object = &region.objects[index];
                let bytes = &region.bytes[object.data..][..object.readable as usize];
                self.scan(bytes, &[], &mut reached, &mut pending);
            }
        }
        while let Some(block) = pending.pop() {
            if !std::mem::replace(&mut reached.blocks[block], true) {
                let heap = &self.regions[RegionId::Heap as usize];
                let object = &heap.objects[block];
                let bytes = &heap.bytes[object.data..][..object.readable as usize];
                self.scan(bytes, &[], &mut reached, &mut pending);
            }
        }
        (0..reached.blocks.len()).filter(|&block| reached.blocks[block]).collect()
    }

    /// Notes whether a copy of so many bytes, which something computed, leaves the address of a block behind that lies in
    /// the object it was made from: a container that knows the size of its elements and nothing else was given another.
    pub(crate) fn note_cut(&mut self, from: u64, bytes: u64) {
        if !self.asks || self.cut {
            return;
        }
        let Some((region, index)) = self.find(from) else { return };
        let (region, object) = (&self.regions[region], self.regions[region].objects[index]);
        let offset = from.wrapping_sub(object.start);
        let room = object.readable.saturating_sub(offset).min(LONGEST_ELEMENT);
        let words = (0..room.saturating_sub(7)).step_by(8).filter(|word| word + 8 > bytes);
        for word in words {
            let at = object.data + (offset + word) as usize;
            let word =
                region.bytes[at..at + 8].iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
            if self.live_block(word).is_some() {
                self.cut = true;
                return;
            }
        }
    }

    pub(crate) fn was_cut(&self) -> bool {
        self.cut
    }

    /// Notes the blocks and numbers that bytes refer to. Packed structures have addresses at odd places, so every
    /// fourth byte may begin one.
    fn scan(&self, bytes: &[u8], numbers: &[u32], reached: &mut Reached, pending: &mut Vec<usize>) {
        for at in (0..bytes.len().saturating_sub(3)).step_by(4) {
            let low = u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
            note_number(low, numbers, reached);
            if let Some(high) = bytes.get(at + 4..at + 8) {
                let high = u32::from_le_bytes([high[0], high[1], high[2], high[3]]);
                if high != 0 {
                    self.note_word(u64::from(high) << 32 | u64::from(low), pending);
                }
            }
        }
    }

    fn note_word(&self, word: u64, pending: &mut Vec<usize>) {
        if let Some(block) = self.live_block(word) {
            pending.push(block);
        }
    }
}

fn note_number(word: u32, numbers: &[u32], reached: &mut Reached) {
    if word != 0
        && let Some(index) = numbers.iter().position(|&number| number == word)
    {
        reached.numbers[index] = true;
    }
}
