//! Numbers and texts as bytes, for hashing and for keeping. Every text has its length in front, so what was written can be
//! read back, and no two lists of things agree in their bytes.

use std::hash::Hasher;
use watertight_ir::Id;

/// Bytes being written.
#[derive(Debug, Default)]
pub(crate) struct Words(pub(crate) Vec<u8>);

/// What derives a hash writes all its parts here.
impl Hasher for Words {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn write_u32(&mut self, number: u32) {
        self.number(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.number(number);
    }

    fn write_usize(&mut self, number: usize) {
        self.count(number);
    }

    fn write_isize(&mut self, number: isize) {
        self.signed(number as i64);
    }

    fn finish(&self) -> u64 {
        let digest = self.digest();
        u64::from_le_bytes(std::array::from_fn(|at| digest[at]))
    }
}

impl Words {
    pub(crate) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub(crate) fn flag(&mut self, flag: bool) {
        self.0.push(u8::from(flag));
    }

    /// A number, in as many bytes as it needs.
    pub(crate) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    pub(crate) fn signed(&mut self, number: i64) {
        self.number((number << 1 ^ number >> 63) as u64);
    }

    pub(crate) fn count(&mut self, count: usize) {
        self.number(count as u64);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.extend_from_slice(bytes);
    }

    pub(crate) fn maybe(&mut self, number: Option<u64>) {
        self.flag(number.is_some());
        if let Some(number) = number {
            self.number(number);
        }
    }

    pub(crate) fn digest(&self) -> [u8; 32] {
        *blake3::hash(&self.0).as_bytes()
    }
}

/// Bytes being read. Whatever they are, reading ends: with nothing if they make no sense.
#[derive(Debug)]
pub(crate) struct Reader<'b>(pub(crate) &'b [u8]);

impl<'b> Reader<'b> {
    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    pub(crate) fn flag(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub(crate) fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// A count of things that follow; each takes a byte at least.
    pub(crate) fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.0.len()).then_some(count)
    }

    pub(crate) fn bytes(&mut self) -> Option<&'b [u8]> {
        let count = self.count()?;
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn text(&mut self) -> Option<&'b str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    pub(crate) fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    /// The id of something that a body has.
    pub(crate) fn id<I: Id>(&mut self) -> Option<I> {
        let number = self.small()?;
        (number < u32::MAX).then(|| I::new(number as usize))
    }

    /// A list of things.
    pub(crate) fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.count()?;
        (0..count).map(|_| one(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut words = Words::default();
        for number in [0, 1, 127, 128, 300, u64::MAX] {
            words.number(number);
        }
        for number in [0, -1, 1, i64::MIN, i64::MAX] {
            words.signed(number);
        }
        words.text("text");
        words.flag(true);
        let mut reader = Reader(&words.0);
        for number in [0, 1, 127, 128, 300, u64::MAX] {
            assert_eq!(reader.number(), Some(number));
        }
        for number in [0, -1, 1, i64::MIN, i64::MAX] {
            assert_eq!(reader.signed(), Some(number));
        }
        assert_eq!(reader.text(), Some("text"));
        assert_eq!((reader.flag(), reader.byte()), (Some(true), None));
    }
}
