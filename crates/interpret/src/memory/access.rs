//! Reading and writing bytes and numbers.
//!
//! The numbered loads and stores (`load_1` to `load_8`) are the interpreter's inner loop: one look-up,
//! one comparison, one copy of the bytes. Everything else goes through [`Memory::read`] and
//! [`Memory::write`], which give the bytes themselves.

use super::{Memory, RegionId};
use crate::trap::{Access, Address, Fault, TrapKind};
use watertight_ir::Endian;

impl Memory {
    /// Region and arena position of `bytes` readable bytes at `address`.
    #[inline(always)]
    pub(super) fn locate(&self, address: u64, bytes: u64, access: Access) -> Option<(usize, usize)> {
        let (region, index) = self.find(address)?;
        let object = &self.regions[region].objects[index];
        let offset = address.wrapping_sub(object.start);
        let limit = if access == Access::Read { object.readable } else { object.writable };
        (offset < limit && bytes <= limit - offset).then(|| (region, object.data + offset as usize))
    }

    #[inline(always)]
    fn fixed<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        let (region, at) = self.locate(address, N as u64, Access::Read)?;
        let region = &self.regions[region];
        if self.track && region.written[at..at + N].iter().all(|&written| written == 0) {
            return None;
        }
        region.bytes.get(at..at + N)?.try_into().ok()
    }

    #[inline(always)]
    fn set_fixed<const N: usize>(&mut self, address: u64, value: [u8; N]) -> Option<()> {
        let (region, at) = self.locate(address, N as u64, Access::Write)?;
        self.remember(region, at, N);
        let region = &mut self.regions[region];
        if self.track {
            region.written[at..at + N].fill(1);
        }
        region.bytes.get_mut(at..at + N)?.copy_from_slice(&value);
        Some(())
    }

    /// Reads a little-endian number of `N` bytes, at most eight.
    #[inline(always)]
    pub(crate) fn load<const N: usize>(&self, address: u64) -> Result<u64, Fault> {
        match self.fixed::<N>(address) {
            Some(bytes) => {
                let mut word = [0; 8];
                word[..N].copy_from_slice(&bytes);
                Ok(u64::from_le_bytes(word))
            }
            None => Err(self.explain_load(address, N as u64)),
        }
    }

    /// Writes the low `N` bytes of a number, little-endian.
    #[inline(always)]
    pub(crate) fn store<const N: usize>(&mut self, address: u64, value: u64) -> Result<(), Fault> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&value.to_le_bytes()[..N]);
        match self.set_fixed::<N>(address, bytes) {
            Some(()) => Ok(()),
            None => Err(self.explain(address, N as u64, Access::Write)),
        }
    }

    /// Says why a scalar could not be read: out of bounds, or never written.
    #[cold]
    fn explain_load(&self, address: u64, bytes: u64) -> Fault {
        match self.locate(address, bytes, Access::Read) {
            None => self.explain(address, bytes, Access::Read),
            Some(_) if self.asks => Box::new(TrapKind::Undecided { address: Address(address), bytes }),
            Some(_) => {
                let (kind, start, _) = self.object_at(address).expect("a located object exists");
                Box::new(TrapKind::UninitialisedRead { object: kind, offset: address - start })
            }
        }
    }

    /// `bytes` bytes at `address`. Reading nothing is allowed everywhere.
    pub(crate) fn read(&self, address: u64, bytes: u64) -> Result<&[u8], Fault> {
        if bytes == 0 {
            return Ok(&[]);
        }
        match self.locate(address, bytes, Access::Read) {
            Some((region, at)) => {
                self.decided(region, at, address, bytes)?;
                Ok(&self.regions[region].bytes[at..at + bytes as usize])
            }
            None => Err(self.explain(address, bytes, Access::Read)),
        }
    }

    /// `bytes` bytes at `address`, to be overwritten. Writing nothing is allowed everywhere.
    pub(crate) fn write(&mut self, address: u64, bytes: u64) -> Result<&mut [u8], Fault> {
        if bytes == 0 {
            return Ok(&mut []);
        }
        match self.locate(address, bytes, Access::Write) {
            Some((region, at)) => {
                let range = at..at + bytes as usize;
                self.remember(region, at, bytes as usize);
                let region = &mut self.regions[region];
                if self.track {
                    region.written[range.clone()].fill(1);
                }
                Ok(&mut region.bytes[range])
            }
            None => Err(self.explain(address, bytes, Access::Write)),
        }
    }

    /// Copies bytes; the ranges may overlap.
    pub(crate) fn copy(&mut self, to: u64, from: u64, bytes: u64) -> Result<(), Fault> {
        if bytes == 0 {
            return Ok(());
        }
        let length = bytes as usize;
        let (source, at) =
            self.locate(from, bytes, Access::Read).ok_or_else(|| self.explain(from, bytes, Access::Read))?;
        let (target, to_at) =
            self.locate(to, bytes, Access::Write).ok_or_else(|| self.explain(to, bytes, Access::Write))?;
        self.decided(source, at, from, bytes)?;
        self.remember(target, to_at, length);
        if source == target {
            let region = &mut self.regions[source];
            region.bytes.copy_within(at..at + length, to_at);
            if self.track {
                region.written.copy_within(at..at + length, to_at);
            }
        } else if let Ok([source, target]) = self.regions.get_disjoint_mut([source, target]) {
            target.bytes[to_at..to_at + length].copy_from_slice(&source.bytes[at..at + length]);
            if self.track {
                target.written[to_at..to_at + length].copy_from_slice(&source.written[at..at + length]);
            }
        }
        Ok(())
    }

    pub(crate) fn fill(&mut self, address: u64, byte: u8, bytes: u64) -> Result<(), Fault> {
        self.write(address, bytes)?.fill(byte);
        Ok(())
    }

    /// Fills in the contents of a static object, constant or not.
    pub(crate) fn initialise(&mut self, address: u64, contents: &[u8]) -> Result<(), Fault> {
        let bytes = contents.len() as u64;
        if bytes == 0 {
            return Ok(());
        }
        match self.locate(address, bytes, Access::Read) {
            Some((region, at)) if region == RegionId::Statics as usize => {
                self.regions[region].bytes[at..at + contents.len()].copy_from_slice(contents);
                Ok(())
            }
            _ => Err(self.explain(address, bytes, Access::Write)),
        }
    }

    /// Reads an integer of up to 16 bytes in the byte order of the target.
    pub(crate) fn load_int(&self, address: u64, bytes: u64) -> Result<u128, Fault> {
        debug_assert!(bytes <= 16, "integers here have at most 16 bytes");
        let mut word = [0; 16];
        for (place, &byte) in word.iter_mut().zip(self.read_scalar(address, bytes)?) {
            *place = byte;
        }
        if self.endian == Endian::Big {
            word[..bytes as usize].reverse();
        }
        Ok(u128::from_le_bytes(word))
    }

    /// Writes the low `bytes` bytes of an integer in the byte order of the target.
    pub(crate) fn store_int(&mut self, address: u64, bytes: u64, value: u128) -> Result<(), Fault> {
        let mut word = value.to_le_bytes();
        if self.endian == Endian::Big {
            word[..bytes as usize].reverse();
        }
        self.write(address, bytes)?.copy_from_slice(&word[..bytes as usize]);
        Ok(())
    }

    /// Reads an integer of any width into words, least significant first.
    pub(crate) fn load_words(&self, address: u64, bytes: u64, words: &mut [u64]) -> Result<(), Fault> {
        let big = self.endian == Endian::Big;
        let source = self.read_scalar(address, bytes)?;
        words.fill(0);
        for index in 0..source.len() {
            let byte = if big { source[source.len() - 1 - index] } else { source[index] };
            words[index / 8] |= u64::from(byte) << (index % 8 * 8);
        }
        Ok(())
    }

    /// Writes an integer of any width given as words.
    pub(crate) fn store_words(&mut self, address: u64, bytes: u64, words: &[u64]) -> Result<(), Fault> {
        let big = self.endian == Endian::Big;
        let target = self.write(address, bytes)?;
        let length = target.len();
        for (index, place) in target.iter_mut().enumerate() {
            let index = if big { length - 1 - index } else { index };
            *place = (words[index / 8] >> (index % 8 * 8)) as u8;
        }
        Ok(())
    }

    pub(crate) fn load_pointer(&self, address: u64) -> Result<u64, Fault> {
        Ok(self.load_int(address, self.pointer_bytes())? as u64)
    }

    pub(crate) fn store_pointer(&mut self, address: u64, value: u64) -> Result<(), Fault> {
        self.store_int(address, self.pointer_bytes(), value.into())
    }

    /// The bytes of a scalar, which must not be wholly uninitialised when that is tracked.
    fn read_scalar(&self, address: u64, bytes: u64) -> Result<&[u8], Fault> {
        if self.track
            && bytes != 0
            && let Some((region, at)) = self.locate(address, bytes, Access::Read)
            && self.regions[region].written[at..at + bytes as usize].iter().all(|&written| written == 0)
        {
            return Err(self.explain_load(address, bytes));
        }
        self.read(address, bytes)
    }

    /// The bytes from `address` to the end of its object.
    pub(crate) fn rest_of_object(&self, address: u64) -> Result<&[u8], Fault> {
        let fault = || self.explain(address, 1, Access::Read);
        let (region, index) = self.find(address).ok_or_else(fault)?;
        let object = &self.regions[region].objects[index];
        let offset = address.wrapping_sub(object.start);
        if offset >= object.readable {
            return Err(fault());
        }
        let at = object.data + offset as usize;
        let rest = &self.regions[region].bytes[at..at + (object.readable - offset) as usize];
        self.decided_text(region, at, address, rest)?;
        Ok(rest)
    }

    /// The bytes of the zero-terminated string at `address`, without the zero. A string that runs past
    /// the end of its object is an access out of bounds.
    pub(crate) fn string(&self, address: u64) -> Result<&[u8], Fault> {
        let rest = self.rest_of_object(address)?;
        match rest.iter().position(|&byte| byte == 0) {
            Some(length) => Ok(&rest[..length]),
            None => Err(self.explain(address, rest.len() as u64 + 1, Access::Read)),
        }
    }

    /// Like [`Memory::string`], but looks at no more than `limit` bytes.
    pub(crate) fn string_at_most(&self, address: u64, limit: u64) -> Result<&[u8], Fault> {
        if limit == 0 {
            return Ok(&[]);
        }
        let rest = self.rest_of_object(address)?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        match rest.iter().take(limit).position(|&byte| byte == 0) {
            Some(length) => Ok(&rest[..length]),
            None if rest.len() >= limit => Ok(&rest[..limit]),
            None => Err(self.explain(address, rest.len() as u64 + 1, Access::Read)),
        }
    }

    /// Writes bytes and a final zero.
    pub(crate) fn write_string(&mut self, address: u64, text: &[u8]) -> Result<(), Fault> {
        let target = self.write(address, text.len() as u64 + 1)?;
        target[..text.len()].copy_from_slice(text);
        target[text.len()] = 0;
        Ok(())
    }
}
