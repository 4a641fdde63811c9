//! Writes bit streams, for tests that need bitcode no clang produces.
//!
//! Records are written without abbreviations unless a test defines some by hand with the field writers.

/// A stream under construction.
#[derive(Default)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
    bits: u32,
    /// Width of abbreviation ids in the blocks that are open, and where their length goes.
    open: Vec<(u8, usize)>,
}

impl Writer {
    /// A stream that starts as a bitcode file does.
    pub(crate) fn file() -> Self {
        let mut writer = Self::default();
        for byte in *b"BC\xc0\xde" {
            writer.fixed(u64::from(byte), 8);
        }
        writer
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        assert!(self.open.is_empty(), "all blocks are closed");
        self.align();
        self.bytes
    }

    pub(crate) fn fixed(&mut self, value: u64, width: u8) {
        for position in 0..width {
            if self.bits.is_multiple_of(8) {
                self.bytes.push(0);
            }
            let last = self.bytes.last_mut().expect("a byte was pushed");
            *last |= ((value >> position & 1) as u8) << (self.bits % 8);
            self.bits += 1;
        }
    }

    pub(crate) fn vbr(&mut self, mut value: u64, width: u8) {
        let more = 1 << (width - 1);
        while value >= more {
            self.fixed(value & (more - 1) | more, width);
            value >>= width - 1;
        }
        self.fixed(value, width);
    }

    pub(crate) fn align(&mut self) {
        while !self.bits.is_multiple_of(32) {
            self.fixed(0, 1);
        }
    }

    /// The id that starts an entry, in the width of the current block.
    pub(crate) fn id(&mut self, id: u64) {
        let width = self.open.last().map_or(2, |block| block.0);
        self.fixed(id, width);
    }

    pub(crate) fn enter(&mut self, block: u32, width: u8) {
        self.id(1);
        self.vbr(u64::from(block), 8);
        self.vbr(u64::from(width), 4);
        self.align();
        self.open.push((width, self.bytes.len()));
        self.fixed(0, 32);
    }

    pub(crate) fn leave(&mut self) {
        self.id(0);
        self.align();
        let (_, length_at) = self.open.pop().expect("a block is open");
        let words = (self.bytes.len() - length_at - 4) / 4;
        self.bytes[length_at..length_at + 4].copy_from_slice(&(words as u32).to_le_bytes());
    }

    /// A whole block.
    pub(crate) fn block(&mut self, block: u32, contents: impl FnOnce(&mut Self)) {
        self.enter(block, 4);
        contents(self);
        self.leave();
    }

    /// A record without abbreviation.
    pub(crate) fn record(&mut self, code: u32, fields: &[u64]) {
        self.id(3);
        self.vbr(u64::from(code), 6);
        self.vbr(fields.len() as u64, 6);
        for &field in fields {
            self.vbr(field, 6);
        }
    }

    /// A record of characters.
    pub(crate) fn text(&mut self, code: u32, text: &str) {
        let fields: Vec<_> = text.bytes().map(u64::from).collect();
        self.record(code, &fields);
    }
}
