//! Groups of functions of which a model file says the same one thing: `waits in read, poll`.
//!
//! In: the two words with which an entry begins. Out: the list that its names belong to. To add a list: a field here and a row of
//! [`Lists::named`].

use std::collections::BTreeSet;

#[derive(Clone, Debug, Default)]
pub struct Lists {
    /// Functions that take something in from outside of the process, or wait for it: as long as they are called, a program has
    /// work to do.
    pub waiting: BTreeSet<Box<str>>,
    /// Functions that say where `errno` is.
    pub errno_at: BTreeSet<Box<str>>,
    /// Functions that say in `errno` why they failed: NULL or a negative number means that it is not 0.
    pub errno_after: BTreeSet<Box<str>>,
    /// Functions whose NULL or negative number says that there is nothing, or no more, and not that something failed.
    pub absent_after: BTreeSet<Box<str>>,
}

impl Lists {
    /// The list of an entry that begins with these words.
    pub(crate) fn named(&mut self, first: &str, second: &str) -> Option<&mut BTreeSet<Box<str>>> {
        match (first, second) {
            ("waits", "in") => Some(&mut self.waiting),
            ("errno", "at") => Some(&mut self.errno_at),
            ("errno", "after") => Some(&mut self.errno_after),
            ("absent", "after") => Some(&mut self.absent_after),
            _ => None,
        }
    }

    pub(crate) fn extend(&mut self, other: Lists) {
        let Lists { waiting, errno_at, errno_after, absent_after } = other;
        self.waiting.extend(waiting);
        self.errno_at.extend(errno_at);
        self.errno_after.extend(errno_after);
        self.absent_after.extend(absent_after);
    }
}
