//! Results under keys of content: what the analysis of a function came to, for the next run.
//!
//! New results are collected and written many at a time, some of them before the run is over, so that a run that is
//! killed has not worked for nothing. What no run has used for long is removed when there is too much.

use std::sync::atomic::Ordering;

use rusqlite::{OptionalExtension, Transaction, params};

use crate::key::{Key, sealed, unsealed};
use crate::{Store, lock};

/// Bytes that are collected before they are written.
const BATCH: usize = 8 << 20;

/// Results that were last used so many runs ago may go.
const OLD: i64 = 50;

/// A result that is used gets the number of the run when its own is so far behind: not each time, since reading is
/// cheap and writing is not.
const LAG: i64 = 10;

/// Old results are removed when there are more than this.
const MOST: i64 = 200_000;

/// What waits to be written, and counts.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    learnt: Vec<(Key, Vec<u8>)>,
    bytes: usize,
    /// Results that are in use and look old.
    used: Vec<Key>,
    counts: Counts,
}

/// How often the store could help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Questions that it answered.
    pub hits: u64,
    /// Questions that it could not answer.
    pub misses: u64,
    /// New results.
    pub learnt: u64,
    /// Bytes of new results.
    pub bytes: u64,
}

impl Store {
    /// What is known under a key.
    pub fn known(&self, key: &Key) -> Option<Vec<u8>> {
        let found = self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT run, value FROM known WHERE key = ?1")?;
            let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?));
            statement.query_row([&key.0[..]], row).optional()
        });
        let value = found.flatten().and_then(|(run, value)| {
            if run + LAG < self.run.load(Ordering::Relaxed) {
                lock(&self.pending).used.push(*key);
            }
            unsealed(key, value)
        });
        let counts = &mut lock(&self.pending).counts;
        match value {
            Some(_) => counts.hits += 1,
            None => counts.misses += 1,
        }
        value
    }

    /// Remembers a result. It is written later, with others.
    pub fn learn(&self, key: Key, value: Vec<u8>) {
        if !self.writable.load(Ordering::Relaxed) {
            return;
        }
        let full = {
            let mut pending = lock(&self.pending);
            pending.counts.learnt += 1;
            pending.counts.bytes += value.len() as u64;
            pending.bytes += value.len();
            pending.learnt.push((key, value));
            pending.bytes > BATCH
        };
        if full {
            self.flush();
        }
    }

    /// Writes what was learnt so far. Trouble is remembered.
    pub fn flush(&self) {
        let (learnt, used) = self.take_pending();
        if !(learnt.is_empty() && used.is_empty()) {
            let _ = self.write(|transaction| self.write_known(transaction, &learnt, &used));
        }
    }

    /// How often the store could help since it was opened.
    pub fn counts(&self) -> Counts {
        lock(&self.pending).counts
    }

    pub(crate) fn take_pending(&self) -> (Vec<(Key, Vec<u8>)>, Vec<Key>) {
        let mut pending = lock(&self.pending);
        pending.bytes = 0;
        let mut learnt = std::mem::take(&mut pending.learnt);
        // In the order of the table, neighbours are written to the same pages.
        learnt.sort_unstable_by_key(|entry| entry.0);
        (learnt, std::mem::take(&mut pending.used))
    }

    pub(crate) fn write_known(
        &self,
        transaction: &Transaction<'_>,
        learnt: &[(Key, Vec<u8>)],
        used: &[Key],
    ) -> rusqlite::Result<()> {
        let run = self.run.load(Ordering::Relaxed);
        // The same key has the same value, but one that was damaged must be replaced.
        let mut insert = transaction
            .prepare_cached("INSERT OR REPLACE INTO known (key, run, value) VALUES (?1, ?2, ?3)")?;
        for (key, value) in learnt {
            insert.execute(params![&key.0[..], run, sealed(key, value)])?;
        }
        let mut touch = transaction.prepare_cached("UPDATE known SET run = ?2 WHERE key = ?1")?;
        for key in used {
            touch.execute(params![&key.0[..], run])?;
        }
        Ok(())
    }

    /// Removes results that nobody has used for long, when there are too many.
    pub(crate) fn prune(&self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        let run = self.run.load(Ordering::Relaxed);
        // Counting is as slow as reading everything, so it is done seldom.
        if run % 16 != 0 {
            return Ok(());
        }
        let count: i64 = transaction.query_row("SELECT count(*) FROM known", [], |row| row.get(0))?;
        if count > MOST {
            transaction.execute("DELETE FROM known WHERE run < ?1", [run - OLD])?;
        }
        Ok(())
    }
}
