//! Triage marks: what people have decided about findings, by fingerprint.
//!
//! A mark outlives runs, renamed files and moved lines, because fingerprints do. `false` and `wont-fix` take a finding
//! out of later reports (it is counted as suppressed, with the note as its reason); `true` only remembers.

use rusqlite::{Connection, OptionalExtension, params};

use crate::{Store, Unusable};

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// A defect.
    True,
    /// No defect.
    False,
    /// A defect that is to stay.
    WontFix,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Verdict; 3] = [Verdict::True, Verdict::False, Verdict::WontFix];

    /// The word in the store and in addresses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::True => "true",
            Verdict::False => "false",
            Verdict::WontFix => "wont-fix",
        }
    }

    /// The verdict of a word.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Verdict> {
        Verdict::ALL.into_iter().find(|verdict| verdict.name() == name)
    }

    /// Whether the finding is taken out of reports.
    #[must_use]
    pub const fn hides(self) -> bool {
        matches!(self, Verdict::False | Verdict::WontFix)
    }
}

/// A decision about a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Which finding: 32 hexadecimal digits.
    pub fingerprint: String,
    /// What was decided.
    pub verdict: Verdict,
    /// Why; may be empty.
    pub note: String,
    /// When, as `2026-11-16T06:30:00Z`.
    pub at: String,
}

impl Store {
    /// All marks, by fingerprint. None if they cannot be read.
    pub fn marks(&self) -> Vec<Mark> {
        self.read(all).unwrap_or_default()
    }

    /// The mark of a finding.
    pub fn mark(&self, fingerprint: &str) -> Option<Mark> {
        self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT fingerprint, verdict, note, at FROM mark WHERE fingerprint = ?1")?;
            statement.query_row([fingerprint], mark).optional()
        })
        .flatten()
        .flatten()
    }

    /// Sets or replaces a mark.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn set_mark(&self, mark: &Mark) -> Result<(), Unusable> {
        self.write(|connection| set(connection, mark))
    }

    /// Removes a mark.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn remove_mark(&self, fingerprint: &str) -> Result<(), Unusable> {
        self.write(|connection| {
            connection.execute("DELETE FROM mark WHERE fingerprint = ?1", [fingerprint]).map(|_| ())
        })
    }
}

fn mark(row: &rusqlite::Row<'_>) -> rusqlite::Result<Option<Mark>> {
    let verdict: String = row.get(1)?;
    let Some(verdict) = Verdict::from_name(&verdict) else { return Ok(None) };
    Ok(Some(Mark { fingerprint: row.get(0)?, verdict, note: row.get(2)?, at: row.get(3)? }))
}

pub(crate) fn all(connection: &Connection) -> rusqlite::Result<Vec<Mark>> {
    let mut statement =
        connection.prepare("SELECT fingerprint, verdict, note, at FROM mark ORDER BY fingerprint")?;
    let rows = statement.query_map([], mark)?;
    rows.filter_map(Result::transpose).collect()
}

pub(crate) fn set(connection: &Connection, mark: &Mark) -> rusqlite::Result<()> {
    connection
        .execute(
            "INSERT INTO mark (fingerprint, verdict, note, at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (fingerprint) DO UPDATE SET verdict = ?2, note = ?3, at = ?4",
            params![mark.fingerprint, mark.verdict.name(), mark.note, mark.at],
        )
        .map(|_| ())
}
