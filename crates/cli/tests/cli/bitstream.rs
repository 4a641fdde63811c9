//! Just enough of LLVM's bitstream format to write bitcode that no compiler writes yet.

/// A stream of bits, with records that use no abbreviation.
#[derive(Default)]
pub(crate) struct Writer {
    bits: Vec<bool>,
    /// Where the length word of each open block stands, and the width of abbreviation ids around it.
    open: Vec<(usize, u32)>,
    width: u32,
}

impl Writer {
    /// A stream with the magic number of bitcode.
    pub(crate) fn new() -> Writer {
        let mut writer = Writer { width: 2, ..Writer::default() };
        writer.fixed(0xdec0_4342, 32);
        writer
    }

    fn fixed(&mut self, value: u64, width: u32) {
        self.bits.extend((0..width).map(|bit| value >> bit & 1 == 1));
    }

    fn variable(&mut self, mut value: u64, width: u32) {
        let high = 1 << (width - 1);
        while value >= high {
            self.fixed(value & (high - 1) | high, width);
            value >>= width - 1;
        }
        self.fixed(value, width);
    }

    fn align(&mut self) {
        let padding = self.bits.len().next_multiple_of(32) - self.bits.len();
        self.fixed(0, padding as u32);
    }

    pub(crate) fn enter(&mut self, block: u64) {
        self.fixed(1, self.width);
        self.variable(block, 8);
        self.variable(3, 4);
        self.align();
        self.open.push((self.bits.len(), self.width));
        self.width = 3;
        self.fixed(0, 32);
    }

    pub(crate) fn record(&mut self, code: u64, fields: &[u64]) {
        self.fixed(3, self.width);
        self.variable(code, 6);
        self.variable(fields.len() as u64, 6);
        for &field in fields {
            self.variable(field, 6);
        }
    }

    pub(crate) fn end(&mut self) {
        self.fixed(0, self.width);
        self.align();
        let (start, width) = self.open.pop().expect("a block is open");
        let words = (self.bits.len() - start) as u64 / 32 - 1;
        for bit in 0..32 {
            self.bits[start + bit] = words >> bit & 1 == 1;
        }
        self.width = width;
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
        self.bits.chunks(8).map(byte).collect()
    }
}

const IDENTIFICATION: u64 = 13;
const MODULE: u64 = 8;
const TYPES: u64 = 17;
const FUNCTION: u64 = 12;

/// Bitcode of this producer and epoch, with one module of this version.
fn file(producer: &str, epoch: u64, version: u64, contents: impl FnOnce(&mut Writer)) -> Vec<u8> {
    let mut writer = Writer::new();
    writer.enter(IDENTIFICATION);
    writer.record(1, &producer.bytes().map(u64::from).collect::<Vec<_>>());
    writer.record(2, &[epoch]);
    writer.end();
    writer.enter(MODULE);
    writer.record(1, &[version]);
    contents(&mut writer);
    writer.end();
    writer.bytes()
}

/// Bitcode that says it comes from LLVM 99, with this epoch and one module-level record of this code.
pub(crate) fn from_the_future(epoch: u64, code: u64) -> Vec<u8> {
    file("LLVM99.0.0", epoch, 2, |writer| writer.record(code, &[1, 2, 3]))
}

/// Bitcode with a record of a known code and no fields where some should be.
pub(crate) fn unreadable_by(producer: &str) -> Vec<u8> {
    file(producer, 0, 2, |writer| {
        writer.enter(TYPES);
        writer.record(7, &[]);
        writer.end();
    })
}

/// Bitcode with one function `int f(int)` that has one instruction nobody knows yet.
pub(crate) fn with_unknown_instruction(producer: &str) -> Vec<u8> {
    file(producer, 0, 1, |writer| {
        writer.enter(TYPES);
        writer.record(1, &[3]);
        writer.record(7, &[32]);
        writer.record(25, &[0]);
        writer.record(21, &[0, 0, 0]);
        writer.end();
        writer.record(8, &[2, 0, 0, 0, 0, 0, 0, 0]);
        writer.enter(FUNCTION);
        writer.record(1, &[1]);
        writer.record(4000, &[]);
        writer.end();
    })
}
