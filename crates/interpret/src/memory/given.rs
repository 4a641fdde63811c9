//! Memory of a caller outside the program, which appears as it is touched.
//!
//! An object of the caller's is a window around an address: what lies there is decided when it is first read, byte for
//! byte, by somebody who is asked ([`crate::World`]). The window reaches below the address too, since a function may be
//! given the address of a member and go back to the whole. What must hold: nothing undecided is ever read or copied, so
//! that a cell has one value however it is looked at.

use super::{Access, Info, Memory, Object, RegionId};
use crate::trap::{Address, Fault, ObjectKind, TrapKind};

/// Bytes of a window before the address, and the fewest and the most from it on.
const BEFORE: u64 = 512;
const AFTER: u64 = 4096;
const MOST_AFTER: u64 = 1 << 18;

impl Memory {
    /// A new object of the caller's that has room for so many bytes at least: its number and its address. Nothing if
    /// addresses have another width than 64 bits.
    pub(crate) fn push_given(&mut self, bytes: u64) -> Option<(u32, u64)> {
        let size = BEFORE + bytes.clamp(AFTER, MOST_AFTER);
        let start = self.reserve(RegionId::Given, size, 16)?;
        let region = &mut self.regions[RegionId::Given as usize];
        let number = u32::try_from(region.objects.len()).ok()?;
        let data = region.bytes.len();
        region.bytes.resize(data + size as usize, 0);
        region.written.resize(data + size as usize, 0);
        region.objects.push(Object { start, readable: size, writable: size, data });
        region.infos.push(Info { kind: ObjectKind::Given(number), size });
        Some((number, start + BEFORE))
    }

    /// The object of the caller's that an address lies in, and where.
    pub(crate) fn given_at(&self, address: u64) -> Option<(u32, i64)> {
        let (region, index) = self.find(address)?;
        let object = &self.regions[region].objects[index];
        let offset = address.wrapping_sub(object.start);
        let inside = region == RegionId::Given as usize && offset < self.regions[region].infos[index].size;
        inside.then(|| (index as u32, offset as i64 - BEFORE as i64))
    }

    /// The address of an object of the caller's; absent once it is released.
    pub(crate) fn address_of_given(&self, number: u32) -> Option<u64> {
        let object = self.regions[RegionId::Given as usize].objects.get(number as usize)?;
        (object.readable != 0).then_some(object.start + BEFORE)
    }

    /// Releases an object of the caller's. False if it is released already.
    pub(crate) fn release_given(&mut self, number: u32) -> bool {
        let object = &mut self.regions[RegionId::Given as usize].objects[number as usize];
        let live = object.readable != 0;
        object.readable = 0;
        object.writable = 0;
        live
    }

    /// The bytes there, decided or not, and which of them are.
    pub(crate) fn peek(&self, address: u64, bytes: u64) -> Option<(&[u8], &[u8])> {
        let (region, at) = self.locate(address, bytes, Access::Read)?;
        let region = &self.regions[region];
        let range = at..at + usize::try_from(bytes).ok()?;
        Some((&region.bytes[range.clone()], region.written.get(range)?))
    }

    /// Decides what lies there, in constants too.
    pub(crate) fn decide(&mut self, address: u64, contents: &[u8]) -> bool {
        let Some((region, at)) = self.locate(address, contents.len() as u64, Access::Read) else {
            return false;
        };
        self.remember(region, at, contents.len());
        let region = &mut self.regions[region];
        region.bytes[at..at + contents.len()].copy_from_slice(contents);
        region.written[at..at + contents.len()].fill(1);
        true
    }

    /// Makes bytes undecided again. Their contents stay as a proposal.
    pub(crate) fn forget(&mut self, address: u64, bytes: u64) {
        if let Some((region, at)) = self.locate(address, bytes, Access::Read)
            && self.asks
        {
            self.remember(region, at, bytes as usize);
            self.regions[region].written[at..at + bytes as usize].fill(0);
        }
    }

    /// Whether what was never written is asked for.
    pub(crate) fn asks(&self) -> bool {
        self.asks
    }

    /// How many bytes from an address on lie in its object.
    pub(crate) fn room(&self, address: u64) -> u64 {
        let Some((region, index)) = self.find(address) else { return 0 };
        let object = &self.regions[region].objects[index];
        object.readable.saturating_sub(address.wrapping_sub(object.start))
    }

    /// Complains if some of the bytes are undecided that belong to the caller. What the program itself has not
    /// initialised is copied as it is.
    #[inline(always)]
    pub(super) fn decided(&self, region: usize, at: usize, address: u64, bytes: u64) -> Result<(), Fault> {
        if !self.asks || region == RegionId::Stack as usize {
            return Ok(());
        }
        self.first_undecided(region, at, address, bytes)
    }

    #[cold]
    fn first_undecided(&self, region: usize, at: usize, address: u64, bytes: u64) -> Result<(), Fault> {
        let written = &self.regions[region].written[at..at + bytes as usize];
        match written.iter().position(|&written| written == 0) {
            // Fresh memory of the program's own is no secret of anybody's.
            Some(_) if region == RegionId::Heap as usize => Ok(()),
            Some(first) => {
                let left = written[first..].iter().take_while(|&&written| written == 0).count() as u64;
                let address = Address(address + first as u64);
                Err(Box::new(TrapKind::Undecided { address, bytes: left.max(2) }))
            }
            None => Ok(()),
        }
    }

    /// Complains if a text has undecided bytes before its end.
    pub(super) fn decided_text(
        &self,
        region: usize,
        at: usize,
        address: u64,
        rest: &[u8],
    ) -> Result<(), Fault> {
        if !self.asks {
            return Ok(());
        }
        let written = &self.regions[region].written[at..at + rest.len()];
        for (index, (&byte, &written)) in rest.iter().zip(written).enumerate() {
            if written == 0 {
                let address = Address(address + index as u64);
                return Err(Box::new(TrapKind::Undecided { address, bytes: 1 }));
            }
            if byte == 0 {
                break;
            }
        }
        Ok(())
    }
}
