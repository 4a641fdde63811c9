//! Runs: what the last one came to, and when.
//!
//! The newest run keeps its whole result under the key of everything it depended on. A run with the same key need do
//! nothing but read it. Only the newest has one, because `function` and `finding` show the newest run and nothing else.

use std::sync::atomic::Ordering;

use rusqlite::{OptionalExtension, params};

use crate::browse::{Change, Describe, FindingRow, PastFinding, write_findings, write_functions, write_past};
use crate::key::{Key, sealed, unsealed};
use crate::{Store, Unusable};

/// How many runs are listed.
const MOST_RUNS: i64 = 1000;

/// Of how many runs the findings are kept, to be compared.
const MOST_COMPARED: i64 = 30;

/// What there is to say about a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunRow {
    /// The version of the program that ran.
    pub version: String,
    /// How long it took.
    pub seconds: f64,
    /// Files that were read.
    pub files: u64,
    /// Functions that have a body.
    pub functions: u64,
    /// Functions that were evaluated.
    pub evaluated: u64,
    /// Functions whose results came from the store.
    pub reused: u64,
    /// Findings before suppressions.
    pub findings: u64,
    /// Things that could not be done.
    pub problems: u64,
}

/// A run as it is in the store.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRun {
    /// Its number.
    pub id: i64,
    /// When it ended, as `2026-11-16T06:30:00Z`.
    pub at: String,
    /// Its findings of high, medium and low confidence.
    pub confidences: [u64; 3],
    /// How they differ from those of the run before.
    pub change: Change,
    /// The rest.
    pub row: RunRow,
}

impl Store {
    /// Begins a run: results that are used from now on are the newest.
    pub fn begin(&self) {
        let last = self.read(|connection| {
            connection.query_row("SELECT coalesce(max(id), 0) FROM run", [], |row| row.get::<_, i64>(0))
        });
        self.run.store(last.unwrap_or(0) + 1, Ordering::Relaxed);
    }

    /// The result of the newest run, if it depended on the same things.
    pub fn recorded(&self, key: &Key) -> Option<Vec<u8>> {
        let found = self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT key, result FROM run WHERE id = (SELECT max(id) FROM run)")?;
            let row =
                |row: &rusqlite::Row<'_>| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Option<Vec<u8>>>(1)?));
            statement.query_row([], row).optional()
        });
        let (stored, result) = found.flatten()?;
        if stored != key.0 {
            return None;
        }
        unsealed(key, result?)
    }

    /// Writes everything about a run in one transaction: its result, its findings, and its functions. Of functions
    /// `present` has a digest each, which changes when their row would; `describe` makes the rows of those that
    /// the store does not have.
    ///
    /// # Errors
    ///
    /// When it could not be written; then nothing of it was.
    pub fn finish(
        &self,
        key: &Key,
        row: &RunRow,
        result: &[u8],
        findings: &[FindingRow],
        present: &[[u8; 16]],
        describe: &Describe<'_>,
    ) -> Result<(), Unusable> {
        let (learnt, used) = self.take_pending();
        let of = |confidence: &str| findings.iter().filter(|row| row.confidence == confidence).count() as i64;
        self.write(|transaction| {
            self.write_known(transaction, &learnt, &used)?;
            transaction.execute("UPDATE run SET result = NULL WHERE result IS NOT NULL", [])?;
            transaction.execute(
                "INSERT INTO run (at, version, seconds, files, functions, evaluated, reused, findings, problems, high, medium, low, key, result)
                 VALUES (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
                params![
                    row.version, row.seconds, row.files as i64, row.functions as i64, row.evaluated as i64,
                    row.reused as i64, row.findings as i64, row.problems as i64, of("high"), of("medium"), of("low"),
                    &key.0[..], sealed(key, result),
                ],
            )?;
            let run = transaction.last_insert_rowid();
            transaction.execute("DELETE FROM run WHERE id <= ?1", [run - MOST_RUNS])?;
            transaction.execute("DELETE FROM past WHERE run <= ?1", [run - MOST_COMPARED])?;
            write_past(transaction, run, findings)?;
            let change = write_findings(transaction, run, findings)?;
            transaction.execute(
                "UPDATE run SET appeared = ?1, gone = ?2 WHERE id = ?3",
                params![change.appeared as i64, change.gone as i64, run],
            )?;
            write_functions(transaction, present, describe)?;
            self.prune(transaction)
        })
    }

    /// The newest runs, newest first.
    pub fn runs(&self, most: usize) -> Vec<StoredRun> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, at, version, seconds, files, functions, evaluated, reused, findings, problems,
                        high, medium, low, appeared, gone
                 FROM run ORDER BY id DESC LIMIT ?1",
            )?;
            let rows = statement.query_map([most as i64], |row| {
                let count = |index: usize| row.get::<_, i64>(index).map(|number| number.max(0) as u64);
                Ok(StoredRun {
                    id: row.get(0)?,
                    at: row.get(1)?,
                    confidences: [count(10)?, count(11)?, count(12)?],
                    change: Change { appeared: count(13)?, gone: count(14)? },
                    row: RunRow {
                        version: row.get(2)?,
                        seconds: row.get(3)?,
                        files: count(4)?,
                        functions: count(5)?,
                        evaluated: count(6)?,
                        reused: count(7)?,
                        findings: count(8)?,
                        problems: count(9)?,
                    },
                })
            })?;
            rows.collect()
        })
        .unwrap_or_default()
    }

    /// The runs whose findings are kept, newest first.
    pub fn comparable(&self) -> Vec<StoredRun> {
        self.runs(MOST_COMPARED as usize)
    }

    /// The findings of one of them, by file and line.
    pub fn findings_of(&self, run: i64) -> Vec<PastFinding> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT fingerprint, rule, confidence, file, line, col, function, message
                 FROM past WHERE run = ?1 ORDER BY file, line, col, rule, fingerprint",
            )?;
            let rows = statement.query_map([run], |row| {
                Ok(PastFinding {
                    fingerprint: row.get(0)?,
                    rule: row.get(1)?,
                    confidence: row.get(2)?,
                    file: row.get(3)?,
                    line: row.get(4)?,
                    column: row.get(5)?,
                    function: row.get(6)?,
                    message: row.get(7)?,
                })
            })?;
            rows.collect()
        })
        .unwrap_or_default()
    }

    /// The result of the newest run, whatever it depended on; bytes of the version that wrote it.
    pub fn newest(&self) -> Option<Vec<u8>> {
        let found = self.read(|connection| {
            let query = "SELECT key, result FROM run WHERE result IS NOT NULL ORDER BY id DESC LIMIT 1";
            let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?));
            connection.query_row(query, [], row).optional()
        });
        let (key, result) = found.flatten()?;
        unsealed(&Key(key.try_into().ok()?), result)
    }
}
