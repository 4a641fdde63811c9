//! A hash table of 32-bit ids whose keys live elsewhere.
//!
//! Hash-consing needs the question "is there already an entity like this one?" for terms, guard nodes and gates.
//! Each of them is stored once in a vector; this table only holds the positions in that vector, so an entry costs
//! four bytes and an empty table costs nothing. Open addressing with linear probing, at most half full, no removal.
//! The caller supplies the hash and the comparison.

/// Positions in a vector, found by the hash of what stands there.
#[derive(Clone, Debug, Default)]
pub(crate) struct IdTable {
    /// Each slot is a position plus one, or zero when it is free. The length is zero or a power of two.
    slots: Vec<u32>,
    used: usize,
}

/// Where a search ended: at an existing entity, or at the free slot in which the new one belongs.
pub(crate) enum Slot {
    Found(u32),
    Free(usize),
}

const FIRST_SIZE: usize = 256;
/// Smaller tables grow faster: most of the cost of growth is in the many small steps.
const SMALL: usize = 1 << 16;

impl IdTable {
    /// Makes room for one more entry. `hash_of` gives the hash of an entity in the vector, of which so many are there, and
    /// nothing for one that is not in the table.
    #[inline]
    pub(crate) fn reserve(&mut self, there: usize, hash_of: impl Fn(u32) -> Option<u32>) {
        if (self.used + 1) * 2 > self.slots.len() {
            self.grow(there, hash_of);
        }
    }

    #[cold]
    fn grow(&mut self, there: usize, hash_of: impl Fn(u32) -> Option<u32>) {
        let factor = if self.slots.len() < SMALL { 4 } else { 2 };
        let size = (self.slots.len() * factor).max(FIRST_SIZE);
        let mask = size - 1;
        self.slots = vec![0; size];
        // In the order of the vector, which is read from front to back that way.
        for position in 0..there as u32 {
            let Some(hash) = hash_of(position) else { continue };
            let mut at = hash as usize & mask;
            while self.slots[at] != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = position + 1;
        }
    }

    /// Looks for an entity. `reserve` must have been called since the last insertion.
    #[inline]
    pub(crate) fn find(&self, hash: u32, same: impl Fn(u32) -> bool) -> Slot {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            match self.slots[at] {
                0 => return Slot::Free(at),
                slot if same(slot - 1) => return Slot::Found(slot - 1),
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// Fills the free slot a search has just returned.
    #[inline]
    pub(crate) fn fill(&mut self, free: usize, position: u32) {
        debug_assert_eq!(self.slots[free], 0, "only a free slot can be filled");
        self.slots[free] = position + 1;
        self.used += 1;
    }
}

/// Mixes two words into a table hash. Multiplication spreads low bits upwards, so the upper half is used.
#[inline]
pub(crate) fn mix(a: u64, b: u64) -> u32 {
    let mixed =
        (a ^ b.rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ b.wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_found_again_after_growth() {
        let mut keys: Vec<u64> = Vec::new();
        let mut table = IdTable::default();
        for round in 0..2 {
            for key in 0..1000u64 {
                table.reserve(keys.len(), |at| Some(mix(keys[at as usize], 0)));
                match table.find(mix(key, 0), |at| keys[at as usize] == key) {
                    Slot::Found(at) => {
                        assert_eq!(round, 1, "a key was found before it was inserted");
                        assert_eq!(u64::from(at), key);
                    }
                    Slot::Free(free) => {
                        assert_eq!(round, 0, "a key was lost");
                        table.fill(free, keys.len() as u32);
                        keys.push(key);
                    }
                }
            }
        }
    }
}
