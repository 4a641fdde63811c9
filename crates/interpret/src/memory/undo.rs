//! Going back to the start: a memory that was run on, as it was before.
//!
//! A function is run many times from the same start. Laying out all statics again each time would cost as much as the
//! program is large, so the statics remember what was written over, and everything else is made by the run itself and
//! dropped. In: writes, as they happen. Out: the memory as it was when [`Memory::keep_start`] was called. The list is
//! also what tells which statics can refer to blocks of this run: only those that were written.

use super::{Memory, RegionId, StackMark};

/// What statics held before they were written.
#[derive(Debug, Default)]
pub(crate) struct Undo {
    /// Positions in the arena and lengths, in the order of writing.
    spans: Vec<(usize, usize)>,
    /// What was there, one span after the other, contents before marks.
    bytes: Vec<u8>,
    objects: usize,
    size: usize,
}

impl Memory {
    /// From now on, [`Memory::back_to_start`] leads back here. No stack and no heap may be in use.
    pub(crate) fn keep_start(&mut self) {
        let statics = &self.regions[RegionId::Statics as usize];
        let (objects, size) = (statics.objects.len(), statics.bytes.len());
        self.undo = Some(Undo { spans: Vec::new(), bytes: Vec::new(), objects, size });
    }

    /// The memory as it was when the start was kept.
    pub(crate) fn back_to_start(&mut self) {
        let Some(undo) = &mut self.undo else { return };
        let statics = &mut self.regions[RegionId::Statics as usize];
        let track = !statics.written.is_empty();
        while let Some((at, length)) = undo.spans.pop() {
            if track {
                let from = undo.bytes.len() - length;
                statics.written[at..at + length].copy_from_slice(&undo.bytes[from..]);
                undo.bytes.truncate(from);
            }
            let from = undo.bytes.len() - length;
            statics.bytes[at..at + length].copy_from_slice(&undo.bytes[from..]);
            undo.bytes.truncate(from);
        }
        statics.objects.truncate(undo.objects);
        statics.infos.truncate(undo.objects);
        statics.bytes.truncate(undo.size);
        statics.written.truncate(undo.size);
        self.release_stack(StackMark { objects: 0, bytes: 0, next: 0 });
        for id in [RegionId::Heap, RegionId::Given] {
            let region = &mut self.regions[id as usize];
            region.objects.clear();
            region.infos.clear();
            region.bytes.clear();
            region.written.clear();
        }
        self.generations.clear();
        self.cut = false;
        self.heap.clear();
    }

    /// Keeps what is about to be written over.
    #[inline(always)]
    pub(super) fn remember(&mut self, region: usize, at: usize, length: usize) {
        if region == RegionId::Statics as usize
            && let Some(undo) = &mut self.undo
        {
            let statics = &self.regions[region];
            // Objects made since the start go as a whole.
            if at < undo.size {
                undo.spans.push((at, length));
                undo.bytes.extend_from_slice(&statics.bytes[at..at + length]);
                if self.track {
                    undo.bytes.extend_from_slice(&statics.written[at..at + length]);
                }
            }
        }
    }

    /// Where statics were written since the start.
    pub(super) fn written_statics(&self) -> &[(usize, usize)] {
        self.undo.as_ref().map_or(&[], |undo| &undo.spans)
    }
}
