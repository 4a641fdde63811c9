//! What the source says of a function's locks beside its code: annotations for sparse and attributes for Clang.
//!
//! Neither reaches bitcode, so they are read from the source text (`watertight-analysis`, `annotations`). The path engine
//! compares them with what the function does.

/// What an annotation says that a function does with a lock.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Promise {
    /// It returns with it held.
    Acquires,
    /// It returns with it given up.
    Releases,
    /// Its caller holds it, before and after.
    MustHold,
    /// It returns with it held if the result is not zero, or if it is zero.
    Tries { success: bool },
}

/// One annotation.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Claim {
    pub promise: Promise,
    /// The last name in what it speaks of: `file_lock` for `&files->file_lock`.
    pub object: Box<str>,
    /// As it is written.
    pub text: Box<str>,
    pub file: Box<str>,
    pub line: u32,
}

/// The last name in the first argument of each call in a body, by line and column.
pub type Arguments = Vec<(u32, u32, Box<str>)>;

/// The annotations of one function.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct Claims {
    pub all: Vec<Claim>,
    /// What its calls are given.
    pub arguments: Arguments,
}

impl Claims {
    /// The name of what a call at this place is given first.
    pub fn argument_at(&self, line: u32, column: u32) -> Option<&str> {
        let index = self.arguments.binary_search_by_key(&(line, column), |entry| (entry.0, entry.1)).ok()?;
        Some(&self.arguments[index].2)
    }
}
