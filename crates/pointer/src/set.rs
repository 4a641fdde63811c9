//! Sets of small numbers: points-to sets.
//!
//! A set is a sorted list of 64-bit words, each with the number of its first element divided by 64. Locations of
//! one object are interned one after the other, so a set that holds many of them is short. Unions and differences
//! are one pass over both lists. The words of equal sets are equal, so comparing is cheap. Most sets have one word, which
//! needs no memory of its own.
//!
//! ```
//! use watertight_pointer::set::Set;
//! let mut set: Set = [3, 200].into_iter().collect();
//! assert!(set.insert(4));
//! assert!(!set.insert(200));
//! assert_eq!(set.iter().collect::<Vec<_>>(), [3, 4, 200]);
//! ```

use smallvec::SmallVec;

/// A set of numbers below 2^32.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Set {
    words: SmallVec<[(u32, u64); 1]>,
}

impl Set {
    pub fn new() -> Set {
        Set::default()
    }
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
    /// How many elements there are.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.1.count_ones() as usize).sum()
    }
    /// Whether there are more elements than a limit.
    pub(crate) fn is_above(&self, limit: usize) -> bool {
        // Every word has at least one element, and at most 64.
        self.words.len() * 64 > limit && (self.words.len() > limit || self.count() > limit)
    }
    /// The memory that it takes.
    pub(crate) fn bytes(&self) -> usize {
        std::mem::size_of::<Set>()
            + if self.words.spilled() { self.words.capacity() * std::mem::size_of::<(u32, u64)>() } else { 0 }
    }
    pub fn contains(&self, element: u32) -> bool {
        match self.words.binary_search_by_key(&(element / 64), |word| word.0) {
            Ok(index) => self.words[index].1 & bit(element) != 0,
            Err(_) => false,
        }
    }
    /// Whether it was not there before.
    pub fn insert(&mut self, element: u32) -> bool {
        match self.words.binary_search_by_key(&(element / 64), |word| word.0) {
            Ok(index) => {
                let word = &mut self.words[index].1;
                let new = *word & bit(element) == 0;
                *word |= bit(element);
                new
            }
            Err(index) => {
                self.words.insert(index, (element / 64, bit(element)));
                true
            }
        }
    }
    /// Adds all elements of `other`; says whether any was new.
    pub fn unite(&mut self, other: &Set) -> bool {
        self.unite_words(&other.words)
    }
    /// The words, each with the number of its first element divided by 64.
    pub(crate) fn words(&self) -> &[(u32, u64)] {
        &self.words
    }
    /// Adds all elements in words; says whether any was new.
    pub(crate) fn unite_words(&mut self, other: &[(u32, u64)]) -> bool {
        if other.is_empty() {
            return false;
        }
        if self.words.is_empty() {
            self.words.extend_from_slice(other);
            return true;
        }
        // First look whether everything is there already, which is the usual case near the fixpoint.
        let mut mine = 0;
        let mut changed = false;
        let mut missing = 0;
        for &(key, bits) in other {
            while mine < self.words.len() && self.words[mine].0 < key {
                mine += 1;
            }
            match self.words.get_mut(mine) {
                Some(word) if word.0 == key => {
                    changed |= bits & !word.1 != 0;
                    word.1 |= bits;
                }
                _ => missing += 1,
            }
        }
        if missing == 0 {
            return changed;
        }
        let mut words = SmallVec::with_capacity(self.words.len() + missing);
        let mut theirs = other.iter().peekable();
        for &word in &self.words {
            while let Some(&&next) = theirs.peek()
                && next.0 <= word.0
            {
                // Words with equal keys were united above.
                if next.0 < word.0 {
                    words.push(next);
                }
                theirs.next();
            }
            words.push(word);
        }
        words.extend(theirs.copied());
        self.words = words;
        true
    }
    /// The elements that `other` does not have.
    pub fn minus(&self, other: &Set) -> Set {
        if other.words.is_empty() {
            return self.clone();
        }
        let mut words = SmallVec::new();
        let mut theirs = 0;
        for (index, &(key, bits)) in self.words.iter().enumerate() {
            while theirs < other.words.len() && other.words[theirs].0 < key {
                theirs += 1;
            }
            let left = match other.words.get(theirs) {
                Some(word) if word.0 == key => bits & !word.1,
                _ => bits,
            };
            if left != 0 {
                if words.is_empty() {
                    words.reserve_exact(self.words.len() - index);
                }
                words.push((key, left));
            }
        }
        Set { words }
    }
    /// The elements that are not in a bit mask over all numbers.
    pub(crate) fn without(&self, mask: &[u64]) -> Set {
        let left = self.words.iter().map(|&(key, bits)| (key, bits & !mask.get(key as usize).unwrap_or(&0)));
        Set { words: left.filter(|word| word.1 != 0).collect() }
    }
    /// The elements that both have.
    pub fn common(&self, other: &Set) -> Set {
        let mut words = SmallVec::new();
        let mut theirs = 0;
        for &(key, bits) in &self.words {
            while theirs < other.words.len() && other.words[theirs].0 < key {
                theirs += 1;
            }
            match other.words.get(theirs) {
                Some(word) if word.0 == key && word.1 & bits != 0 => words.push((key, word.1 & bits)),
                Some(_) => {}
                None => break,
            }
        }
        Set { words }
    }
    /// Whether the two have an element in common.
    pub fn meets(&self, other: &Set) -> bool {
        let mut theirs = 0;
        for &(key, bits) in &self.words {
            while theirs < other.words.len() && other.words[theirs].0 < key {
                theirs += 1;
            }
            match other.words.get(theirs) {
                Some(word) if word.0 == key && word.1 & bits != 0 => return true,
                Some(_) => {}
                None => return false,
            }
        }
        false
    }
    /// All elements, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().flat_map(|&(key, bits)| {
            let mut left = bits;
            std::iter::from_fn(move || {
                if left == 0 {
                    return None;
                }
                let lowest = left.trailing_zeros();
                left &= left - 1;
                Some(key * 64 + lowest)
            })
        })
    }
}

impl FromIterator<u32> for Set {
    fn from_iter<I: IntoIterator<Item = u32>>(elements: I) -> Set {
        let mut set = Set::new();
        for element in elements {
            set.insert(element);
        }
        set
    }
}

fn bit(element: u32) -> u64 {
    1 << (element % 64)
}

#[cfg(test)]
mod tests {
    use super::Set;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn behaves_like_a_set_of_numbers(
            a in proptest::collection::btree_set(0u32..1000, 0..60),
            b in proptest::collection::btree_set(0u32..1000, 0..60),
        ) {
            let one: Set = a.iter().copied().collect();
            let other: Set = b.iter().copied().collect();
            let mut both = one.clone();
            prop_assert_eq!(both.unite(&other), !b.is_subset(&a));
            prop_assert_eq!(both.iter().collect::<BTreeSet<_>>(), a.union(&b).copied().collect::<BTreeSet<_>>());
            prop_assert_eq!(both.count(), a.union(&b).count());
            for limit in [0, 1, 30, 63, 64, 65, 100] {
                prop_assert_eq!(both.is_above(limit), both.count() > limit);
            }
            let left: Vec<u32> = one.minus(&other).iter().collect();
            prop_assert_eq!(left, a.difference(&b).copied().collect::<Vec<_>>());
            prop_assert_eq!(one.meets(&other), !a.is_disjoint(&b));
            let both: Vec<u32> = one.common(&other).iter().collect();
            prop_assert_eq!(both, a.intersection(&b).copied().collect::<Vec<_>>());
            for element in 0..1000 {
                prop_assert_eq!(one.contains(element), a.contains(&element));
            }
        }
    }
}
