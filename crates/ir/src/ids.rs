//! Typed 32-bit ids and the dense tables they index.
//!
//! Each concept has its own id type, so a block cannot be passed for a value. An id stores
//! `index + 1` in a `NonZeroU32`: `Option<Id>` stays four bytes wide. Ids print as in the text form.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// What every id type can do: convert to and from a dense index.
pub trait Id: Copy + Eq + Ord + std::hash::Hash + fmt::Debug {
    /// The id of the entry at `index`. Panics when the table would exceed 2^32 - 2 entries.
    fn new(index: usize) -> Self;
    /// The position in the table this id belongs to.
    fn index(self) -> usize;
}

/// Defines id types: documentation, name, and the prefix they print with.
#[macro_export]
macro_rules! define_ids {
    ($($(#[$doc:meta])* $name:ident $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(::std::num::NonZeroU32);

        impl $crate::Id for $name {
            #[inline]
            fn new(index: usize) -> Self {
                assert!(index < u32::MAX as usize, "a table holds fewer than 2^32 - 1 entries");
                $name(::std::num::NonZeroU32::new(index as u32 + 1).expect("index + 1 is not zero"))
            }
            #[inline]
            fn index(self) -> usize {
                self.0.get() as usize - 1
            }
        }
        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!($prefix, "{}"), $crate::Id::index(*self))
            }
        }
        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(self, f)
            }
        }
    )*};
}

define_ids! {
    /// A function of the program, defined or only declared.
    FuncId "fn";
    /// A global variable of the program.
    GlobalId "g";
    /// A basic block of one body.
    BlockId "bb";
    /// An instruction of one body.
    InstId "i";
    /// An SSA value of one body: parameter, constant or instruction result.
    ValueId "%v";
    /// A source variable (local or parameter) of one body.
    VarId "var";
    /// A source position of one body.
    PlaceId "at";
    /// A loop of one body.
    LoopId "loop";
    /// A flattened aggregate type of the program.
    AggId "agg";
    /// A translation unit.
    UnitId "unit";
    /// A source file of one unit.
    FileId "file";
    /// A debug type of one unit.
    DebugTypeId "ty";
    /// An interned string of one unit.
    NameId "name";
}

/// A dense table indexed by one id type.
#[derive(Clone, PartialEq, Eq)]
pub struct Table<K, V> {
    entries: Vec<V>,
    key: PhantomData<fn(K) -> K>,
}

impl<K: Id, V> Table<K, V> {
    pub const fn new() -> Self {
        Table { entries: Vec::new(), key: PhantomData }
    }
    pub fn with_capacity(capacity: usize) -> Self {
        Table { entries: Vec::with_capacity(capacity), key: PhantomData }
    }
    /// A side table that gives every key of a table of `len` entries the same first value.
    pub fn filled(len: usize, value: V) -> Self
    where
        V: Clone,
    {
        Table { entries: vec![value; len], key: PhantomData }
    }
    pub fn push(&mut self, value: V) -> K {
        let id = K::new(self.entries.len());
        self.entries.push(value);
        id
    }
    /// The id that the next `push` will return.
    pub fn next_id(&self) -> K {
        K::new(self.entries.len())
    }
    pub fn len(&self) -> usize {
        self.entries.len()
    }
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
    pub fn get(&self, id: K) -> Option<&V> {
        self.entries.get(id.index())
    }
    pub fn get_mut(&mut self, id: K) -> Option<&mut V> {
        self.entries.get_mut(id.index())
    }
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator + use<K, V> {
        (0..self.entries.len()).map(K::new)
    }
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> + ExactSizeIterator {
        self.entries.iter().enumerate().map(|(index, value)| (K::new(index), value))
    }
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (K, &mut V)> + ExactSizeIterator {
        self.entries.iter_mut().enumerate().map(|(index, value)| (K::new(index), value))
    }
    pub fn values(&self) -> std::slice::Iter<'_, V> {
        self.entries.iter()
    }
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.entries.iter_mut()
    }
    pub fn as_slice(&self) -> &[V] {
        &self.entries
    }
    pub fn into_values(self) -> std::vec::IntoIter<V> {
        self.entries.into_iter()
    }
    pub fn shrink_to_fit(&mut self) {
        self.entries.shrink_to_fit();
    }
    /// Makes room for so many more entries.
    pub fn reserve(&mut self, more: usize) {
        self.entries.reserve(more);
    }
    /// Forgets the entries and keeps the room.
    pub fn clear(&mut self) {
        self.entries.clear();
    }
    /// Moves the entries to a table of exactly their size. This one is empty afterwards and keeps its room.
    pub fn take(&mut self) -> Self {
        let mut entries = Vec::with_capacity(self.entries.len());
        entries.append(&mut self.entries);
        Table { entries, key: PhantomData }
    }
}

impl<K: Id, V> Default for Table<K, V> {
    fn default() -> Self {
        Table::new()
    }
}

impl<K: Id, V> Index<K> for Table<K, V> {
    type Output = V;
    fn index(&self, id: K) -> &V {
        &self.entries[id.index()]
    }
}

impl<K: Id, V> IndexMut<K> for Table<K, V> {
    fn index_mut(&mut self, id: K) -> &mut V {
        &mut self.entries[id.index()]
    }
}

impl<K: Id, V> FromIterator<V> for Table<K, V> {
    fn from_iter<I: IntoIterator<Item = V>>(iter: I) -> Self {
        Table { entries: iter.into_iter().collect(), key: PhantomData }
    }
}

impl<K: Id + fmt::Debug, V: fmt::Debug> fmt::Debug for Table<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optional_ids_stay_four_bytes_wide() {
        assert_eq!(size_of::<Option<ValueId>>(), 4);
    }

    #[test]
    fn ids_print_as_in_the_text_form() {
        assert_eq!(ValueId::new(12).to_string(), "%v12");
        assert_eq!(BlockId::new(3).to_string(), "bb3");
    }

    #[test]
    fn tables_hand_out_ids_in_order() {
        let mut table: Table<BlockId, &str> = Table::new();
        let first = table.push("a");
        let second = table.push("b");
        assert_eq!((table[first], table[second]), ("a", "b"));
        assert_eq!(table.ids().collect::<Vec<_>>(), [first, second]);
    }
}
