//! The container format under LLVM bitcode: blocks of records, made of bit fields.
//!
//! In: bytes. Out: a [`BlockReader`] per block that hands out records and inner blocks, one after the
//! other. A record is a code and a list of numbers; abbreviations say how the numbers are packed.
//!
//! What must hold: no read leaves the bytes, every step consumes at least one bit, and no list is longer
//! than the bits that are left can pay for. A block carries its length, so an inner block is read through
//! a reader of its own that cannot run past its end, and the outer reader stands behind it at once.
//!
//! Speed comes from three things. The fields of a record are cut out of a buffer of up to 64 bits that is
//! refilled with one unaligned load. A number in chunks is put together without looking at one chunk after
//! the other. And reads do not fail: beyond the end they give zeros, and the position is compared with the
//! end once per record.

use std::ops::Deref;
use std::sync::Arc;

use super::fault::Fault;

/// Deepest nesting of blocks; LLVM itself goes three deep.
const MAX_DEPTH: u32 = 16;

/// Most operands in an abbreviation, and most of them that take no bits; LLVM's longest has about twenty,
/// with two literals. Without a limit, a few bits of hostile input could stand for thousands of fields.
const MAX_OPERANDS: u64 = 64;
const MAX_LITERALS: usize = 16;
/// Elements of an array in a small file, whatever their width.
const MOST_NARROW: u64 = 1 << 20;

/// Block ids up to here can have shared abbreviations; LLVM's highest is 26.
const MAX_BLOCK_ID: u32 = 255;

/// The numbers of one record, reused from record to record.
#[derive(Default)]
pub(crate) struct Record<'a> {
    pub(crate) code: u32,
    pub(crate) fields: FieldBuffer,
    pub(crate) blob: &'a [u8],
}

/// A list of numbers that is rewritten for each record. The room behind the last number keeps old ones, so
/// that growing within it costs nothing.
#[derive(Default)]
pub(crate) struct FieldBuffer {
    room: Vec<u64>,
    len: usize,
}

impl FieldBuffer {
    /// Makes the list `len` numbers long and returns it, with whatever stood there.
    #[inline(always)]
    fn start(&mut self, len: usize) -> &mut [u64] {
        self.len = 0;
        self.grow(len)
    }

    /// Appends `more` numbers and returns them, with whatever stood there.
    #[inline(always)]
    fn grow(&mut self, more: usize) -> &mut [u64] {
        let start = self.len;
        self.len += more;
        if self.room.len() < self.len {
            self.make_room();
        }
        &mut self.room[start..start + more]
    }

    #[cold]
    fn make_room(&mut self) {
        self.room.resize(self.len.next_power_of_two(), 0);
    }
}

impl Deref for FieldBuffer {
    type Target = [u64];
    #[inline]
    fn deref(&self) -> &[u64] {
        &self.room[..self.len]
    }
}

/// What a block holds next.
pub(crate) enum Entry<'a> {
    End,
    /// The record is in the buffer that was passed.
    Record,
    Block(BlockReader<'a>),
}

/// How one field is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operand {
    Literal(u64),
    Fixed(u8),
    Vbr(u8),
    Char6,
    /// A length, then elements packed as the operand that follows.
    Array,
    Blob,
}

/// How the fields of one kind of record are packed.
type Abbreviation = Box<[Operand]>;

/// Abbreviations that hold for all blocks with the same id, from `BLOCKINFO` blocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockInfo {
    /// By block id.
    shared: Vec<Option<Arc<Vec<Abbreviation>>>>,
}

impl BlockInfo {
    fn of(&self, block: u32) -> Option<Arc<Vec<Abbreviation>>> {
        self.shared.get(block as usize).cloned().flatten()
    }

    fn add(&mut self, block: u32, abbreviation: Abbreviation) -> Result<(), Fault> {
        if block > MAX_BLOCK_ID {
            return Err(Fault::BadNumber);
        }
        let index = block as usize;
        if self.shared.len() <= index {
            self.shared.resize(index + 1, None);
        }
        Arc::make_mut(self.shared[index].get_or_insert_default()).push(abbreviation);
        Ok(())
    }
}

/// A position in the bits of a file.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    bit: u64,
    end: u64,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, bit: 0, end: bytes.len() as u64 * 8 }
    }

    fn remaining(&self) -> u64 {
        self.end.saturating_sub(self.bit)
    }

    /// The bits from the position on.
    #[inline(always)]
    fn bits(&self) -> Bits<'a> {
        Bits::new(self.bytes, self.bit)
    }

    /// An unsigned number of `width` bits, at most 64.
    pub(crate) fn fixed(&mut self, width: u8) -> u64 {
        let mut bits = self.bits();
        let value = bits.fixed(width);
        self.bit = bits.position();
        value
    }

    /// A number in chunks of `width` bits (2 to 32), the top bit of each saying whether more follow.
    pub(crate) fn vbr(&mut self, width: u8) -> u64 {
        let mut bits = self.bits();
        let value = bits.vbr(width);
        self.bit = bits.position();
        value
    }

    fn align32(&mut self) {
        self.bit = (self.bit + 31) & !31;
    }

    /// Whether everything read so far was there.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        if self.bit > self.end { Err(Fault::PastEnd) } else { Ok(()) }
    }
}

/// Where a number was that no writer produces: a byte behind the end of any file, so that the record
/// which holds it fails.
const NOWHERE: u64 = 1 << 48;

/// The bits of a file from some position on, read from left to right; zeros after the last byte.
#[derive(Clone, Copy)]
struct Bits<'a> {
    bytes: &'a [u8],
    /// The first byte that is not wholly in the buffer.
    next: u64,
    /// Bits that have been fetched and not been read. Those above the first `have` are right as well, or zero.
    buffer: u64,
    have: u32,
}

impl<'a> Bits<'a> {
    #[inline(always)]
    fn new(bytes: &'a [u8], bit: u64) -> Self {
        let mut bits = Self { bytes, next: bit >> 3, buffer: 0, have: 0 };
        bits.refill();
        let skipped = bit & 7;
        bits.buffer >>= skipped;
        bits.have -= skipped as u32;
        bits
    }

    /// The number of bits before the next one to be read.
    #[inline(always)]
    fn position(&self) -> u64 {
        self.next * 8 - u64::from(self.have)
    }

    /// Fetches bytes until there are at least 56 bits.
    #[inline(always)]
    fn refill(&mut self) {
        let start = self.next as usize;
        let chunk = match self.bytes.get(start..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(chunk) => u64::from_le_bytes(*chunk),
            None => chunk_at_end(self.bytes, start),
        };
        self.buffer |= chunk << self.have;
        let fetched = (63 - self.have) >> 3;
        self.next += u64::from(fetched);
        self.have += fetched * 8;
    }

    /// Removes bits that are in the buffer, at most 56.
    #[inline(always)]
    fn drop(&mut self, width: u32) {
        self.buffer >>= width;
        self.have -= width;
    }

    /// An unsigned number of `width` bits, at most 64.
    #[inline(always)]
    fn fixed(&mut self, width: u8) -> u64 {
        if width > 56 { self.wide(width) } else { self.narrow(u32::from(width)) }
    }

    #[inline(always)]
    fn wide(&mut self, width: u8) -> u64 {
        let (low, high) = (32, u32::from(width) - 32);
        let value = self.narrow(low);
        value | self.narrow(high) << low
    }

    /// An unsigned number of at most 56 bits.
    #[inline(always)]
    fn narrow(&mut self, width: u32) -> u64 {
        if self.have < width {
            self.refill();
        }
        let value = self.buffer & ((1 << width) - 1);
        self.drop(width);
        value
    }

    /// A number in chunks of six bits, as all fields without abbreviation are.
    #[inline(always)]
    fn vbr6(&mut self) -> u64 {
        if self.have < 6 {
            self.refill();
        }
        if self.buffer & 32 == 0 {
            let value = self.buffer & 31;
            self.drop(6);
            return value;
        }
        if self.have >= 12 && self.buffer & 32 << 6 == 0 {
            let value = self.buffer & 31 | (self.buffer >> 1) & 31 << 5;
            self.drop(12);
            return value;
        }
        // The top bits of nine chunks; the first that is clear ends the number.
        const TOPS: u64 = 0o40_40_40_40_40_40_40_40_40;
        if self.have < 54 {
            self.refill();
        }
        let ends = !self.buffer & TOPS;
        if ends == 0 {
            let value;
            (*self, value) = self.long_vbr(6);
            return value;
        }
        let chunks = self.buffer & (ends ^ (ends - 1)) & !TOPS;
        self.drop(ends.trailing_zeros() + 1);
        // Neighbours move together: five bits to ten, to twenty, to forty, and the ninth behind them.
        if chunks >> 24 == 0 {
            let pairs = chunks & 0o37_00_37 | (chunks & 0o37_00_37_00) >> 1;
            return pairs & 0x3ff | (pairs >> 2) & 0x3ff << 10;
        }
        let pairs = chunks & 0o37_00_37_00_37_00_37_00_37 | (chunks & 0o37_00_37_00_37_00_37_00) >> 1;
        let fours = pairs & 0o1777_0000_1777_0000_1777 | (pairs & 0o1777_0000_1777_0000) >> 2;
        fours & 0xf_ffff | (fours >> 4) & 0xf_ffff << 20 | (fours >> 8) & 0x1f << 40
    }

    /// A number in chunks of `width` bits (2 to 32), the top bit of each saying whether more follow.
    #[inline(always)]
    fn vbr(&mut self, width: u8) -> u64 {
        let chunk_bits = u32::from(width);
        if self.have < chunk_bits {
            self.refill();
        }
        let more = 1u64 << (chunk_bits - 1);
        if self.buffer & more == 0 {
            let value = self.buffer & (more - 1);
            self.drop(chunk_bits);
            return value;
        }
        let value;
        (*self, value) = self.long_vbr(chunk_bits);
        value
    }

    /// By value, so that what the callers keep in registers need not be in memory for the rare case.
    #[inline(never)]
    fn long_vbr(mut self, width: u32) -> (Self, u64) {
        let more = 1u64 << (width - 1);
        let mut value = 0u64;
        let mut shift = 0u32;
        loop {
            if self.have < width {
                self.refill();
            }
            let chunk = self.buffer & (more * 2 - 1);
            self.drop(width);
            value |= (chunk & (more - 1)).checked_shl(shift).unwrap_or(0);
            shift += width - 1;
            if chunk & more == 0 {
                return (self, value);
            }
            if shift >= 64 {
                // Over-long: no writer produces this.
                self.next = NOWHERE;
                return (self, 0);
            }
        }
    }
}

/// The last bytes of a file, followed by zeros.
#[cold]
fn chunk_at_end(bytes: &[u8], start: usize) -> u64 {
    let mut chunk = [0; 8];
    let rest = bytes.get(start..).unwrap_or(&[]);
    let len = rest.len().min(8);
    chunk[..len].copy_from_slice(&rest[..len]);
    u64::from_le_bytes(chunk)
}

/// Reads the entries of one block.
pub(crate) struct BlockReader<'a> {
    cursor: Cursor<'a>,
    id: u32,
    depth: u32,
    width: u8,
    shared: Option<Arc<Vec<Abbreviation>>>,
    own: Vec<Abbreviation>,
}

impl<'a> BlockReader<'a> {
    /// The whole file after its magic number, as if it were a block.
    pub(crate) fn top(bytes: &'a [u8], start_bit: u64, end_bit: u64) -> Self {
        let cursor = Cursor { bytes, bit: start_bit, end: end_bit.min(bytes.len() as u64 * 8) };
        Self { cursor, id: u32::MAX, depth: 0, width: 2, shared: None, own: Vec::new() }
    }

    /// A block whose place is already known.
    pub(crate) fn resume(bytes: &'a [u8], place: BlockPlace, info: &BlockInfo) -> Self {
        let cursor = Cursor { bytes, bit: place.start_bit, end: place.end_bit };
        Self {
            cursor,
            id: place.id,
            depth: 2,
            width: place.width,
            shared: info.of(place.id),
            own: Vec::new(),
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// Where the block lies, to resume it later.
    pub(crate) fn place(&self) -> BlockPlace {
        BlockPlace { id: self.id, width: self.width, start_bit: self.cursor.bit, end_bit: self.cursor.end }
    }

    pub(crate) fn position(&self) -> u64 {
        self.cursor.bit
    }

    /// The number of bytes that are left in the block.
    pub(crate) fn remaining_bytes(&self) -> u64 {
        self.cursor.remaining() / 8
    }

    /// Whether no entry is left; only the top of a file ends without saying so.
    pub(crate) fn at_end(&self) -> bool {
        self.cursor.remaining() < 32
    }

    /// The next record or inner block. Abbreviations are dealt with on the way.
    #[inline]
    pub(crate) fn next(&mut self, info: &BlockInfo, record: &mut Record<'a>) -> Result<Entry<'a>, Fault> {
        loop {
            let mut bits = self.cursor.bits();
            match bits.fixed(self.width) {
                0 => {
                    self.cursor.bit = bits.position();
                    self.cursor.check()?;
                    return Ok(Entry::End);
                }
                1 => {
                    self.cursor.bit = bits.position();
                    return self.enter(info).map(Entry::Block);
                }
                2 => {
                    self.cursor.bit = bits.position();
                    let abbreviation = read_abbreviation(&mut self.cursor)?;
                    if self.own.len() as u64 > self.cursor.end / 8 {
                        return Err(Fault::TooMany);
                    }
                    self.own.push(abbreviation);
                }
                3 => {
                    read_plain(&mut self.cursor, bits, record)?;
                    return Ok(Entry::Record);
                }
                number => {
                    let index = (number - 4) as usize;
                    let shared = self.shared.as_deref().map_or(&[][..], Vec::as_slice);
                    let operands = match shared.get(index) {
                        Some(operands) => operands,
                        None => self.own.get(index - shared.len()).ok_or(Fault::Abbreviation)?,
                    };
                    read_abbreviated(&mut self.cursor, bits, operands, record)?;
                    return Ok(Entry::Record);
                }
            }
        }
    }

    fn enter(&mut self, info: &BlockInfo) -> Result<BlockReader<'a>, Fault> {
        let id = u32::try_from(self.cursor.vbr(8)).map_err(|_| Fault::BadNumber)?;
        let width = self.cursor.vbr(4);
        self.cursor.align32();
        let words = self.cursor.fixed(32);
        self.cursor.check()?;
        if width == 0 || width > 32 {
            return Err(Fault::Abbreviation);
        }
        let start = self.cursor.bit;
        let end = start + words * 32;
        if end > self.cursor.end {
            return Err(Fault::BlockLength);
        }
        if self.depth >= MAX_DEPTH {
            return Err(Fault::Nesting);
        }
        self.cursor.bit = end;
        Ok(BlockReader {
            cursor: Cursor { bytes: self.cursor.bytes, bit: start, end },
            id,
            depth: self.depth + 1,
            width: width as u8,
            shared: info.of(id),
            own: Vec::new(),
        })
    }

    /// Reads a `BLOCKINFO` block into `info`.
    pub(crate) fn read_block_info(
        &mut self,
        info: &mut BlockInfo,
        record: &mut Record<'a>,
    ) -> Result<(), Fault> {
        const SET_BLOCK_ID: u32 = 1;
        let mut block = None;
        let mut count = 0;
        loop {
            match self.cursor.fixed(self.width) {
                0 => return self.cursor.check(),
                1 => return Err(Fault::Nesting),
                2 => {
                    let abbreviation = read_abbreviation(&mut self.cursor)?;
                    count += 1;
                    if count > 4096 {
                        return Err(Fault::TooMany);
                    }
                    info.add(block.ok_or(Fault::Abbreviation)?, abbreviation)?;
                }
                3 => {
                    let bits = self.cursor.bits();
                    read_plain(&mut self.cursor, bits, record)?;
                    if record.code == SET_BLOCK_ID {
                        let id = record.fields.first().copied().ok_or(Fault::ShortRecord)?;
                        block = Some(u32::try_from(id).map_err(|_| Fault::BadNumber)?);
                    }
                }
                _ => return Err(Fault::Abbreviation),
            }
        }
    }
}

/// Where a block lies in the bytes of the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockPlace {
    id: u32,
    width: u8,
    start_bit: u64,
    end_bit: u64,
}

impl BlockPlace {
    pub(crate) fn bytes(self) -> u64 {
        (self.end_bit - self.start_bit) / 8
    }
}

fn read_abbreviation(cursor: &mut Cursor<'_>) -> Result<Abbreviation, Fault> {
    let mut bits = cursor.bits();
    let count = bits.vbr(5);
    if count == 0 || count > MAX_OPERANDS {
        return Err(Fault::Abbreviation);
    }
    let mut operands = Vec::with_capacity(count as usize);
    for _ in 0..count {
        let literal = bits.fixed(1) == 1;
        let operand = if literal {
            Operand::Literal(bits.vbr(8))
        } else {
            match bits.fixed(3) {
                // A field of no bits holds zero; writers make such fields for tables of one entry.
                encoding @ (1 | 2) => match (bits.vbr(5), encoding) {
                    (0, _) => Operand::Literal(0),
                    (width @ 1..=64, 1) => Operand::Fixed(width as u8),
                    (width @ 2..=32, 2) => Operand::Vbr(width as u8),
                    _ => return Err(Fault::Abbreviation),
                },
                3 => Operand::Array,
                4 => Operand::Char6,
                5 => Operand::Blob,
                _ => return Err(Fault::Abbreviation),
            }
        };
        operands.push(operand);
    }
    cursor.bit = bits.position();
    cursor.check()?;
    if operands.iter().filter(|operand| matches!(operand, Operand::Literal(_))).count() > MAX_LITERALS {
        return Err(Fault::Abbreviation);
    }
    // Arrays and blobs come last, an array followed by the form of its elements.
    for (index, operand) in operands.iter().enumerate() {
        let after = operands.len() - index - 1;
        let right = match operand {
            Operand::Array => {
                after == 1
                    && matches!(operands[index + 1], Operand::Fixed(_) | Operand::Vbr(_) | Operand::Char6)
            }
            Operand::Blob => after == 0,
            _ => true,
        };
        if !right || (index == 0 && matches!(operand, Operand::Array | Operand::Blob)) {
            return Err(Fault::Abbreviation);
        }
    }
    Ok(operands.into_boxed_slice())
}

/// Reads a record whose fields are all in chunks of six bits. `bits` stands behind the abbreviation id.
#[inline]
fn read_plain<'a>(cursor: &mut Cursor<'a>, mut bits: Bits<'a>, record: &mut Record<'_>) -> Result<(), Fault> {
    record.blob = &[];
    let code = bits.vbr6();
    let count = bits.vbr6();
    cursor.bit = bits.position();
    cursor.check()?;
    if count > cursor.remaining() / 6 {
        return Err(Fault::PastEnd);
    }
    record.code = u32::try_from(code).map_err(|_| Fault::BadNumber)?;
    for field in record.fields.start(count as usize) {
        *field = bits.vbr6();
    }
    cursor.bit = bits.position();
    cursor.check()
}

/// Reads a record that is packed as `operands` say. `bits` stands behind the abbreviation id.
#[inline]
fn read_abbreviated<'a>(
    cursor: &mut Cursor<'a>,
    mut bits: Bits<'a>,
    operands: &[Operand],
    record: &mut Record<'a>,
) -> Result<(), Fault> {
    record.blob = &[];
    let (first, rest) = operands.split_first().ok_or(Fault::Abbreviation)?;
    let code = match *first {
        Operand::Literal(value) => value,
        Operand::Fixed(width) => bits.fixed(width),
        Operand::Vbr(width) => bits.vbr(width),
        Operand::Char6 => u64::from(char6(bits.fixed(6))),
        Operand::Array | Operand::Blob => return Err(Fault::Abbreviation),
    };
    record.code = u32::try_from(code).map_err(|_| Fault::BadNumber)?;
    // All operands but an array, with its form, and a blob are one field.
    let (single, tail) = match *rest {
        [.., Operand::Array, _] => rest.split_at(rest.len() - 2),
        [.., Operand::Blob] => rest.split_at(rest.len() - 1),
        _ => (rest, &[][..]),
    };
    for (field, operand) in record.fields.start(single.len()).iter_mut().zip(single) {
        *field = match *operand {
            Operand::Literal(value) => value,
            Operand::Fixed(width) => bits.fixed(width),
            Operand::Vbr(6) => bits.vbr6(),
            Operand::Vbr(width) => bits.vbr(width),
            _ => u64::from(char6(bits.fixed(6))),
        };
    }
    match *tail {
        [_, element] => bits = read_array(cursor, bits, element, &mut record.fields)?,
        [_] => {
            cursor.bit = bits.position();
            record.blob = read_blob(cursor)?;
            return cursor.check();
        }
        _ => {}
    }
    cursor.bit = bits.position();
    cursor.check()
}

fn read_array<'a>(
    cursor: &mut Cursor<'a>,
    mut bits: Bits<'a>,
    element: Operand,
    fields: &mut FieldBuffer,
) -> Result<Bits<'a>, Fault> {
    let count = bits.vbr6();
    cursor.bit = bits.position();
    let width = match element {
        Operand::Fixed(width) | Operand::Vbr(width) => u64::from(width),
        _ => 6,
    };
    // The second limit keeps arrays of very narrow elements from growing far beyond the file. The parameters of a function
    // take a bit each where there are two types, so that a small file may well have a list of many.
    if count > cursor.remaining() / width || count > (cursor.end / 4).max(MOST_NARROW) {
        return Err(Fault::PastEnd);
    }
    let fields = fields.grow(count as usize).iter_mut();
    match element {
        Operand::Fixed(width) => fields.for_each(|field| *field = bits.fixed(width)),
        Operand::Vbr(6) => fields.for_each(|field| *field = bits.vbr6()),
        Operand::Vbr(width) => fields.for_each(|field| *field = bits.vbr(width)),
        _ => fields.for_each(|field| *field = u64::from(char6(bits.fixed(6)))),
    }
    Ok(bits)
}

fn read_blob<'a>(cursor: &mut Cursor<'a>) -> Result<&'a [u8], Fault> {
    let len = cursor.vbr(6);
    cursor.align32();
    cursor.check()?;
    if len > cursor.remaining() / 8 {
        return Err(Fault::PastEnd);
    }
    let start = (cursor.bit / 8) as usize;
    let blob = cursor.bytes.get(start..start + len as usize).ok_or(Fault::PastEnd)?;
    cursor.bit += len * 8;
    cursor.align32();
    Ok(blob)
}

fn char6(value: u64) -> u8 {
    const ALPHABET: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    ALPHABET[(value & 63) as usize]
}

/// Undoes the rotation that keeps small negative numbers short: the sign is in the lowest bit.
#[inline]
pub(crate) fn unrotate(value: u64) -> i64 {
    let magnitude = (value >> 1) as i64;
    match value & 1 {
        0 => magnitude,
        // Minus zero stands for the smallest number.
        _ if magnitude == 0 => i64::MIN,
        _ => -magnitude,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitcode::writer::Writer;

    /// Encodings in the definition of an abbreviation.
    const FIXED: u64 = 1;
    const VBR: u64 = 2;
    const ARRAY: u64 = 3;
    const CHAR6: u64 = 4;
    const BLOB: u64 = 5;

    fn literal(writer: &mut Writer, value: u64) {
        writer.fixed(1, 1);
        writer.vbr(value, 8);
    }

    fn encoding(writer: &mut Writer, encoding: u64, width: Option<u64>) {
        writer.fixed(0, 1);
        writer.fixed(encoding, 3);
        if let Some(width) = width {
            writer.vbr(width, 5);
        }
    }

    /// Code, fields and blob of a record.
    type Plain = (u32, Vec<u64>, Vec<u8>);

    /// Reads the only block of a stream and lists its records.
    fn read(bytes: &[u8]) -> Result<Vec<Plain>, Fault> {
        let info = BlockInfo::default();
        let mut record = Record::default();
        let mut top = BlockReader::top(bytes, 0, u64::MAX);
        let Entry::Block(mut block) = top.next(&info, &mut record)? else { panic!("a block") };
        let mut records = Vec::new();
        loop {
            match block.next(&info, &mut record)? {
                Entry::End => return Ok(records),
                Entry::Block(_) => {}
                Entry::Record => records.push((record.code, record.fields.to_vec(), record.blob.to_vec())),
            }
        }
    }

    fn one_block(contents: impl FnOnce(&mut Writer)) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.block(9, contents);
        writer.finish()
    }

    #[test]
    fn plain_records_hold_any_number() {
        let numbers = [0, 1, 31, 32, 33, 1 << 10, u64::from(u32::MAX), 1 << 57, u64::MAX];
        let bytes = one_block(|writer| {
            writer.record(7, &numbers);
            writer.record(300, &[]);
        });
        assert_eq!(read(&bytes), Ok(vec![(7, numbers.to_vec(), vec![]), (300, vec![], vec![])]));
    }

    #[test]
    fn fields_have_any_width() {
        for width in 1..=64 {
            let largest = u64::MAX >> (64 - width);
            let bytes = one_block(|writer| {
                writer.id(2);
                writer.vbr(3, 5);
                literal(writer, 5);
                encoding(writer, FIXED, Some(width));
                encoding(writer, FIXED, Some(1));
                for _ in 0..3 {
                    writer.id(4);
                    writer.fixed(largest, width as u8);
                    writer.fixed(1, 1);
                }
            });
            assert_eq!(read(&bytes), Ok(vec![(5, vec![largest, 1], vec![]); 3]), "width {width}");
        }
        for width in 2..=32 {
            let bytes = one_block(|writer| {
                writer.id(2);
                writer.vbr(2, 5);
                literal(writer, 5);
                encoding(writer, VBR, Some(width));
                for value in [0, 1 << 20, u64::MAX] {
                    writer.id(4);
                    writer.vbr(value, width as u8);
                }
            });
            let values: Vec<_> = read(&bytes).unwrap().into_iter().map(|(_, fields, _)| fields[0]).collect();
            assert_eq!(values, [0, 1 << 20, u64::MAX], "width {width}");
        }
    }

    #[test]
    fn fields_without_bits_are_zero() {
        let bytes = one_block(|writer| {
            writer.id(2);
            writer.vbr(4, 5);
            literal(writer, 5);
            encoding(writer, FIXED, Some(0));
            encoding(writer, VBR, Some(0));
            encoding(writer, FIXED, Some(4));
            writer.id(4);
            writer.fixed(9, 4);
        });
        assert_eq!(read(&bytes), Ok(vec![(5, vec![0, 0, 9], vec![])]));
    }

    #[test]
    fn arrays_characters_and_blobs() {
        let bytes = one_block(|writer| {
            writer.id(2);
            writer.vbr(3, 5);
            literal(writer, 1);
            encoding(writer, ARRAY, None);
            encoding(writer, CHAR6, None);
            writer.id(2);
            writer.vbr(2, 5);
            literal(writer, 2);
            encoding(writer, BLOB, None);
            writer.id(4);
            writer.vbr(5, 6);
            for position in [0, 25, 26, 62, 63] {
                writer.fixed(position, 6);
            }
            writer.id(5);
            writer.vbr(3, 6);
            writer.align();
            for byte in *b"abc" {
                writer.fixed(u64::from(byte), 8);
            }
            writer.align();
            writer.record(3, &[8]);
        });
        let text = b"azA._".iter().map(|&byte| u64::from(byte)).collect();
        let expected = vec![(1, text, vec![]), (2, vec![], b"abc".to_vec()), (3, vec![8], vec![])];
        assert_eq!(read(&bytes), Ok(expected));
    }

    #[test]
    fn shared_abbreviations_come_before_own_ones() {
        let mut writer = Writer::default();
        writer.block(0, |writer| {
            writer.record(1, &[9]);
            writer.id(2);
            writer.vbr(2, 5);
            literal(writer, 77);
            encoding(writer, FIXED, Some(3));
        });
        writer.block(9, |writer| {
            writer.id(2);
            writer.vbr(1, 5);
            literal(writer, 88);
            writer.id(5);
            writer.id(4);
            writer.fixed(6, 3);
        });
        let bytes = writer.finish();
        let mut info = BlockInfo::default();
        let mut record = Record::default();
        let mut top = BlockReader::top(&bytes, 0, u64::MAX);
        let Ok(Entry::Block(mut first)) = top.next(&info, &mut record) else { panic!("a block") };
        first.read_block_info(&mut info, &mut record).unwrap();
        let Ok(Entry::Block(mut second)) = top.next(&info, &mut record) else { panic!("a block") };
        assert!(matches!(second.next(&info, &mut record), Ok(Entry::Record)) && record.code == 88);
        assert!(matches!(second.next(&info, &mut record), Ok(Entry::Record)) && *record.fields == [6]);
    }

    #[test]
    fn inner_blocks_are_skipped_by_their_length() {
        let bytes = one_block(|writer| {
            writer.block(20, |writer| writer.record(1, &[2]));
            writer.record(3, &[4]);
        });
        assert_eq!(read(&bytes), Ok(vec![(3, vec![4], vec![])]));
    }

    #[test]
    fn lies_about_lengths_are_faults() {
        let array = |length: u64, width: u64| {
            one_block(|writer| {
                writer.id(2);
                writer.vbr(3, 5);
                literal(writer, 1);
                encoding(writer, ARRAY, None);
                encoding(writer, FIXED, Some(width));
                writer.id(4);
                writer.vbr(length, 6);
            })
        };
        assert_eq!(read(&array(1 << 40, 1)), Err(Fault::PastEnd));
        assert_eq!(read(&array(u64::MAX, 64)), Err(Fault::PastEnd));
        let fields = one_block(|writer| {
            writer.id(3);
            writer.vbr(1, 6);
            writer.vbr(u64::MAX, 6);
        });
        assert_eq!(read(&fields), Err(Fault::PastEnd));
        let mut long = one_block(|writer| writer.record(1, &[2]));
        long[4..8].fill(0xff);
        assert_eq!(read(&long), Err(Fault::BlockLength));
        let endless = one_block(|writer| {
            for _ in 0..40 {
                writer.fixed(u64::MAX, 64);
            }
        });
        assert!(read(&endless).is_err());
    }

    #[test]
    fn bad_abbreviations_are_faults() {
        let define = |contents: &dyn Fn(&mut Writer)| {
            one_block(|writer| {
                writer.id(2);
                contents(writer);
                writer.fixed(0, 64);
            })
        };
        let cases: [&dyn Fn(&mut Writer); 4] = [
            &|writer| writer.vbr(0, 5),
            &|writer| {
                writer.vbr(2, 5);
                literal(writer, 1);
                encoding(writer, ARRAY, None);
            },
            &|writer| {
                writer.vbr(3, 5);
                encoding(writer, BLOB, None);
                literal(writer, 1);
                literal(writer, 1);
            },
            &|writer| {
                writer.vbr(60, 5);
                for _ in 0..60 {
                    literal(writer, 0);
                }
            },
        ];
        for case in cases {
            assert_eq!(read(&define(case)), Err(Fault::Abbreviation));
        }
    }

    #[test]
    fn signs_are_in_the_lowest_bit() {
        assert_eq!([0, 1, 2, 3, 5].map(unrotate), [0, i64::MIN, 1, -1, -2]);
        assert_eq!(unrotate(u64::MAX), -i64::MAX);
    }
}
