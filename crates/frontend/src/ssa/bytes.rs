//! Sets of byte positions within a small object.

/// Objects larger than this stay in memory. The structs that are worth splitting are options, iterators,
/// pairs and the like; a larger object is a buffer or a table, where splitting gives many values and no
/// insight. A set of positions is four words.
pub(super) const MAX_BYTES: u32 = 256;

const WORDS: usize = MAX_BYTES as usize / 64;

/// A set of positions below [`MAX_BYTES`].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Bytes([u64; WORDS]);

impl Bytes {
    /// Positions at or beyond the limit are left out: only the end of the largest object is such a one.
    pub(super) fn insert(&mut self, position: u32) {
        if position < MAX_BYTES {
            self.0[position as usize / 64] |= 1 << (position % 64);
        }
    }

    pub(super) fn insert_range(&mut self, start: u32, end: u32) {
        (start..end).for_each(|position| self.insert(position));
    }

    pub(super) fn contains(&self, position: u32) -> bool {
        position < MAX_BYTES && self.0[position as usize / 64] >> (position % 64) & 1 == 1
    }

    pub(super) fn intersects(&self, other: &Bytes) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// Adds the positions `from_start..from_start + len` of `from`, moved to `start`. Returns whether the
    /// set grew.
    pub(super) fn insert_moved(&mut self, start: u32, from: &Bytes, from_start: u32, len: u32) -> bool {
        let before = *self;
        for distance in 0..len {
            if from.contains(from_start + distance) {
                self.insert(start + distance);
            }
        }
        *self != before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cross_words_and_the_end_is_not_a_position() {
        let mut set = Bytes::default();
        set.insert_range(60, 70);
        assert!(!set.contains(59) && set.contains(60) && set.contains(69) && !set.contains(70));
        set.insert(MAX_BYTES);
        assert!(!set.contains(MAX_BYTES));
    }

    #[test]
    fn moving_reports_growth_once() {
        let (mut to, mut from) = (Bytes::default(), Bytes::default());
        from.insert(4);
        from.insert(9);
        assert!(to.insert_moved(100, &from, 4, 5));
        assert!(to.contains(100) && !to.contains(105));
        assert!(!to.insert_moved(100, &from, 4, 5));
    }
}
