//! Whoever keeps marks: the store of the project, or memory alone.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use watertight_store::{Mark, Store};

/// Keeps what people decide about findings.
pub trait Marks: Send + Sync {
    /// Every mark, by fingerprint.
    fn all(&self) -> Vec<Mark>;

    /// Sets or replaces a mark.
    ///
    /// # Errors
    ///
    /// When it cannot be kept; the text is for the user.
    fn set(&self, mark: &Mark) -> Result<(), String>;

    /// Takes a mark away.
    ///
    /// # Errors
    ///
    /// When that cannot be kept.
    fn remove(&self, fingerprint: &str) -> Result<(), String>;
}

impl Marks for Store {
    fn all(&self) -> Vec<Mark> {
        self.marks()
    }

    fn set(&self, mark: &Mark) -> Result<(), String> {
        self.set_mark(mark).map_err(|unusable| unusable.0)
    }

    fn remove(&self, fingerprint: &str) -> Result<(), String> {
        self.remove_mark(fingerprint).map_err(|unusable| unusable.0)
    }
}

/// Marks that are gone when the server ends, for tests and for projects without a store.
#[derive(Debug, Default)]
pub struct InMemory(Mutex<BTreeMap<String, Mark>>);

impl Marks for InMemory {
    fn all(&self) -> Vec<Mark> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    fn set(&self, mark: &Mark) -> Result<(), String> {
        let mut marks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        marks.insert(mark.fingerprint.clone(), mark.clone());
        Ok(())
    }

    fn remove(&self, fingerprint: &str) -> Result<(), String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(fingerprint);
        Ok(())
    }
}
