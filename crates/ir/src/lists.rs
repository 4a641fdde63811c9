//! Many short lists in two arrays.
//!
//! Graphs keep one list of neighbours per node. As a vector of vectors that costs an allocation per node;
//! here all lists stand one after the other in one array. In: pairs of (owner, item) in any order of
//! owners. Out: for each owner its items, in the order they were given.
//!
//! ```
//! use watertight_ir::{BlockId, Id, Lists};
//! let pairs = [(BlockId::new(1), 'a'), (BlockId::new(0), 'b'), (BlockId::new(1), 'c')];
//! let lists = Lists::from_pairs(2, &pairs);
//! assert_eq!(lists.of(BlockId::new(1)), ['a', 'c']);
//! ```

use crate::ids::Id;
use std::marker::PhantomData;

/// A list of `V` for each `K`.
#[derive(Clone, Debug)]
pub struct Lists<K, V> {
    /// The list of key number `k` is `items[starts[k]..starts[k + 1]]`.
    starts: Vec<u32>,
    items: Vec<V>,
    key: PhantomData<fn(K) -> K>,
}

impl<K: Id, V: Copy> Lists<K, V> {
    /// Sorts `pairs` into one list for each of `owners` keys; the order within a list is kept.
    pub fn from_pairs(owners: usize, pairs: &[(K, V)]) -> Lists<K, V> {
        let mut starts = vec![0u32; owners + 1];
        for (owner, _) in pairs {
            starts[owner.index() + 1] += 1;
        }
        for index in 0..owners {
            starts[index + 1] += starts[index];
        }
        let Some(&(_, filler)) = pairs.first() else {
            return Lists { starts, items: Vec::new(), key: PhantomData };
        };
        let mut items = vec![filler; pairs.len()];
        let mut next = starts.clone();
        for &(owner, item) in pairs {
            let slot = &mut next[owner.index()];
            items[*slot as usize] = item;
            *slot += 1;
        }
        Lists { starts, items, key: PhantomData }
    }

    /// Lists given owner by owner: the first `starts[k + 1]` items belong to the keys up to `k`.
    pub(crate) fn from_parts(starts: Vec<u32>, items: Vec<V>) -> Lists<K, V> {
        debug_assert_eq!(
            starts.last().copied().unwrap_or(0) as usize,
            items.len(),
            "the last list ends with all"
        );
        Lists { starts, items, key: PhantomData }
    }

    /// The list of `owner`.
    pub fn of(&self, owner: K) -> &[V] {
        let index = owner.index();
        &self.items[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// Number of lists.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Items of all lists, owner by owner.
    pub fn items(&self) -> &[V] {
        &self.items
    }
}

impl<K: Id> Lists<K, K> {
    /// The same edges from item to owner; each list ascends.
    pub fn reversed(&self) -> Lists<K, K> {
        let mut pairs = Vec::with_capacity(self.items.len());
        for owner in (0..self.len()).map(K::new) {
            pairs.extend(self.of(owner).iter().map(|&item| (item, owner)));
        }
        Lists::from_pairs(self.len(), &pairs)
    }
}
