//! What is kept from one run to the next, in one SQLite file per project.
//!
//! In: results of functions under keys of content, what a whole run came to, and marks that people set. Out: the same,
//! or nothing; a reader can always do without. Reading never fails a run: the first trouble is remembered for
//! [`Store::trouble`], and from then on the store answers that it knows nothing.
//!
//! What must hold: a value that is handed out is the value that was put in, byte for byte (each has a checksum under
//! its key). What a run shows to people (`function`, `finding` and so on) appears in one transaction, so that it is all of
//! one run. Several processes may use the file at once.
//!
//! ```
//! # let folder = tempfile::tempdir().unwrap();
//! use watertight_store::{Key, Mark, Store, Verdict};
//! let (store, notices) = Store::open(folder.path()).unwrap();
//! assert!(notices.is_empty());
//! store.learn(Key::of(&[b"function", b"f"]), b"what is known of f".to_vec());
//! store.flush();
//! assert_eq!(store.known(&Key::of(&[b"function", b"f"])).unwrap(), b"what is known of f");
//! let mark = Mark { fingerprint: "ab".repeat(16), verdict: Verdict::False, note: "freed by the pool".into(), at: String::new() };
//! store.set_mark(&mark).unwrap();
//! assert_eq!(store.marks(), [mark]);
//! ```

mod browse;
mod key;
mod known;
mod marks;
mod open;
mod runs;
pub mod schema;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, Transaction, TransactionBehavior};

pub use browse::{
    CallRow, Change, Describe, EffectRow, FindingRow, FunctionRow, PastFinding, StoredFunction,
};
pub use key::Key;
pub use known::Counts;
pub use marks::{Mark, Verdict};
pub use open::{FILE, Unusable};
pub use runs::{RunRow, StoredRun};

use known::Pending;

/// An open store. Any number of threads may use it.
#[derive(Debug)]
pub struct Store {
    connection: Mutex<Connection>,
    pending: Mutex<Pending>,
    path: PathBuf,
    /// The first trouble, in words for the user.
    broken: Mutex<Option<String>>,
    /// Cleared when a write has failed: what could not be written once is not tried a thousand times.
    writable: AtomicBool,
    /// The number of the present run; results that it uses are kept longest.
    run: AtomicI64,
    /// A shared lock, for as long as the store is open.
    _lock: File,
}

impl Store {
    /// Where the file is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What went wrong with the store so far, if anything did. Results are right all the same.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        lock(&self.broken).clone()
    }

    /// Reads something. After the first trouble nothing is read any more.
    fn read<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Option<T> {
        if lock(&self.broken).is_some() {
            return None;
        }
        let connection = lock(&self.connection);
        work(&connection).map_err(|error| self.complain("read", &error)).ok()
    }

    /// Writes something, whole or not at all.
    fn write<T>(&self, work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T, Unusable> {
        if !self.writable.load(Ordering::Relaxed) {
            let trouble = self.trouble().unwrap_or_else(|| "the store cannot be written".to_owned());
            return Err(Unusable(trouble));
        }
        let mut connection = lock(&self.connection);
        let attempt = || {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let made = work(&transaction)?;
            transaction.commit()?;
            Ok(made)
        };
        attempt().map_err(|error| {
            self.writable.store(false, Ordering::Relaxed);
            Unusable(self.complain("written", &error))
        })
    }

    fn complain(&self, what: &str, error: &rusqlite::Error) -> String {
        let cause = open::damage(error).unwrap_or_else(|| error.to_string());
        let text = format!("the store `{}` could not be {what}: {cause}", self.path.display());
        lock(&self.broken).get_or_insert(text).clone()
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.flush();
    }
}

/// What a panicking thread left behind a lock is whole: every change under it is one call.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
