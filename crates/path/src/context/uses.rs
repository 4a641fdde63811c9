//! What callers must know of a function beside its summary.

/// What callers must know of a function beside its summary.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    pub uses: Uses,
    /// Parameters that are sizes of what it allocates.
    pub sizes: Uses,
    /// It, or something it calls, may change memory in ways that its summary does not tell.
    pub opaque: bool,
    /// It may move states in ways that its summary does not tell, if it calls anything that does.
    pub vague_states: bool,
    /// It stores addresses through addresses of which nothing is known: where, its summary cannot tell.
    pub strays: bool,
    /// Its variable arguments are only read.
    pub reads_variable: bool,
    /// Parameters that are lists of arguments which are only read.
    pub lists: Uses,
}

/// A set of parameters: those that point to what a function reads or writes whenever it returns.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Uses(u64);

impl Uses {
    pub const NONE: Uses = Uses(0);

    /// A bit for each parameter.
    pub fn bits(self) -> u64 {
        self.0
    }
    pub fn from_bits(bits: u64) -> Uses {
        Uses(bits)
    }

    pub fn contains(self, index: usize) -> bool {
        index < 64 && self.0 & 1 << index != 0
    }
    pub fn insert(&mut self, index: usize) {
        if index < 64 {
            self.0 |= 1 << index;
        }
    }
}
