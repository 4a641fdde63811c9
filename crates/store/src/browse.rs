//! What people and pages look at: functions with what they do, who calls whom, findings.
//!
//! The rows show the newest run. Rows of functions that did not change stay as they are; the text of a summary is made
//! only for those that did.

use rusqlite::{OptionalExtension, Transaction, params};
use std::collections::HashMap;

use crate::Store;

/// A function of the program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FunctionRow {
    /// Its name.
    pub name: String,
    /// The file where it is defined.
    pub file: String,
    /// The line; 0 if unknown.
    pub line: u32,
    /// Whether only its file sees it.
    pub is_static: bool,
    /// Whether the run needed to know what it does.
    pub evaluated: bool,
    /// Whether everything it does is listed.
    pub complete: bool,
    /// Why it was given up, if it was.
    pub given_up: Option<String>,
    /// What it does, a sentence per line.
    pub does: String,
    /// The kinds of things it does to the heap, with blanks between.
    pub behaviours: String,
    /// Its contract in the language of model files.
    pub model: String,
    /// What it does to resources.
    pub effects: Vec<EffectRow>,
    /// What it calls.
    pub calls: Vec<CallRow>,
}

/// Something that a function does to a resource on some path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EffectRow {
    /// `acquires`, `releases` or `keeps`.
    pub effect: String,
    /// The kind of resource, where it is known.
    pub kind: Option<String>,
    /// What is acquired or released: `result`, `*out`, `pool->head`.
    pub place: String,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallRow {
    /// The function called.
    pub callee: String,
    /// The file where it is defined, if the program defines it.
    pub file: Option<String>,
}

/// A function as it is in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFunction {
    /// The number of the row; another run may give another one.
    pub id: i64,
    /// The rest. Effects and calls are empty in lists.
    pub row: FunctionRow,
}

/// A finding of the newest run, in short; the whole is in the result of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingRow {
    /// What names it from run to run.
    pub fingerprint: String,
    /// Counts findings with the same fingerprint: statics of the same name in several files.
    pub ordinal: u32,
    /// The rule.
    pub rule: String,
    /// error, warning or note.
    pub level: String,
    /// high, medium or low.
    pub confidence: String,
    /// The kind of resource.
    pub resource: String,
    /// Where it is.
    pub file: String,
    /// Where it is.
    pub line: u32,
    /// Where it is.
    pub column: u32,
    /// In which function.
    pub function: String,
    /// What is wrong.
    pub message: String,
}

/// A finding of one of the last runs, as far as it is needed to compare them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastFinding {
    /// What names it from run to run.
    pub fingerprint: String,
    /// The rule.
    pub rule: String,
    /// high, medium or low.
    pub confidence: String,
    /// Where it was.
    pub file: String,
    /// Where it was.
    pub line: u32,
    /// Where it was.
    pub column: u32,
    /// In which function.
    pub function: String,
    /// What was wrong.
    pub message: String,
}

pub(crate) fn write_past(
    transaction: &Transaction<'_>,
    run: i64,
    findings: &[FindingRow],
) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO past (run, fingerprint, rule, confidence, file, line, col, function, message)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    for row in findings {
        insert.execute(params![
            run,
            row.fingerprint,
            row.rule,
            row.confidence,
            row.file,
            row.line,
            row.column,
            row.function,
            row.message,
        ])?;
    }
    Ok(())
}

/// What a run changed in the list of findings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Change {
    /// Findings that the run before did not have.
    pub appeared: u64,
    /// Findings of the run before that this one does not have.
    pub gone: u64,
}

pub(crate) fn write_findings(
    transaction: &Transaction<'_>,
    run: i64,
    findings: &[FindingRow],
) -> rusqlite::Result<Change> {
    let mut first: HashMap<(String, u32), i64> = HashMap::new();
    {
        let mut known = transaction.prepare("SELECT fingerprint, ordinal, first_run FROM finding")?;
        let rows = known.query_map([], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)))?;
        for row in rows {
            let (identity, run) = row?;
            first.insert(identity, run);
        }
    }
    transaction.execute("DELETE FROM finding", [])?;
    let mut insert = transaction.prepare_cached(
        "INSERT OR REPLACE INTO finding (fingerprint, ordinal, rule, level, confidence, resource, file, line, col,
                              function, message, run, first_run)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
    )?;
    let mut appeared = 0;
    for finding in findings {
        let known = first.remove(&(finding.fingerprint.clone(), finding.ordinal));
        appeared += u64::from(known.is_none());
        let since = known.unwrap_or(run);
        insert.execute(params![
            finding.fingerprint,
            finding.ordinal,
            finding.rule,
            finding.level,
            finding.confidence,
            finding.resource,
            finding.file,
            finding.line,
            finding.column,
            finding.function,
            finding.message,
            run,
            since,
        ])?;
    }
    Ok(Change { appeared, gone: first.len() as u64 })
}

/// Makes rows of functions given by their number, in that order.
pub type Describe<'d> = dyn Fn(&[usize]) -> Vec<FunctionRow> + 'd;

/// So many rows are made at a time: enough to share the work, few enough to hold.
const ROWS: usize = 512;

pub(crate) fn write_functions(
    transaction: &Transaction<'_>,
    present: &[[u8; 16]],
    describe: &Describe<'_>,
) -> rusqlite::Result<()> {
    // Two functions may look the same to the letter (a header that defines them, read by two units), so ids are lists.
    let mut old: HashMap<Vec<u8>, Vec<i64>> = HashMap::new();
    {
        let mut known = transaction.prepare("SELECT digest, id FROM function ORDER BY id DESC")?;
        let rows = known.query_map([], |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, i64>(1)?)))?;
        for row in rows {
            let (digest, id) = row?;
            old.entry(digest).or_default().push(id);
        }
    }
    let mut new: Vec<usize> = Vec::new();
    for (index, digest) in present.iter().enumerate() {
        if old.get_mut(&digest[..]).and_then(Vec::pop).is_none() {
            new.push(index);
        }
    }
    let mut gone: Vec<i64> = old.into_values().flatten().collect();
    gone.sort_unstable();
    let mut remove = [
        transaction.prepare_cached("DELETE FROM function WHERE id = ?1")?,
        transaction.prepare_cached("DELETE FROM effect WHERE function = ?1")?,
        transaction.prepare_cached("DELETE FROM call WHERE caller = ?1")?,
    ];
    for id in gone {
        for statement in &mut remove {
            statement.execute([id])?;
        }
    }
    let mut function = transaction.prepare_cached(
        "INSERT INTO function (name, file, line, static, evaluated, complete, given_up, does, behaviours, model, digest)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    let mut effect = transaction
        .prepare_cached("INSERT INTO effect (function, effect, kind, place) VALUES (?1, ?2, ?3, ?4)")?;
    let mut call =
        transaction.prepare_cached("INSERT INTO call (caller, callee, file) VALUES (?1, ?2, ?3)")?;
    let rows = new.chunks(ROWS).flat_map(|some| some.iter().zip(describe(some)));
    for (&index, row) in rows {
        function.execute(params![
            row.name,
            row.file,
            row.line,
            row.is_static,
            row.evaluated,
            row.complete,
            row.given_up,
            row.does,
            row.behaviours,
            row.model,
            &present[index][..],
        ])?;
        let id = transaction.last_insert_rowid();
        for entry in &row.effects {
            effect.execute(params![id, entry.effect, entry.kind, entry.place])?;
        }
        for entry in &row.calls {
            call.execute(params![id, entry.callee, entry.file])?;
        }
    }
    Ok(())
}

const COLUMNS: &str =
    "id, name, file, line, static, evaluated, complete, given_up, does, behaviours, model FROM function";

fn stored(row: &rusqlite::Row<'_>) -> rusqlite::Result<StoredFunction> {
    Ok(StoredFunction {
        id: row.get(0)?,
        row: FunctionRow {
            name: row.get(1)?,
            file: row.get(2)?,
            line: row.get(3)?,
            is_static: row.get(4)?,
            evaluated: row.get(5)?,
            complete: row.get(6)?,
            given_up: row.get(7)?,
            does: row.get(8)?,
            behaviours: row.get(9)?,
            model: row.get(10)?,
            effects: Vec::new(),
            calls: Vec::new(),
        },
    })
}

impl Store {
    /// Functions whose name contains a text, in the order of names, from the `skip`-th on.
    pub fn functions(&self, containing: &str, skip: usize, most: usize) -> Vec<StoredFunction> {
        self.read(|connection| {
            let query = format!(
                "SELECT {COLUMNS} WHERE instr(lower(name), lower(?1)) > 0 ORDER BY name, file LIMIT ?2 OFFSET ?3"
            );
            let mut statement = connection.prepare_cached(&query)?;
            let rows = statement.query_map(params![containing, most as i64, skip as i64], stored)?;
            rows.collect()
        })
        .unwrap_or_default()
    }

    /// The functions of a name, with effects and calls.
    pub fn functions_named(&self, name: &str) -> Vec<StoredFunction> {
        self.read(|connection| {
            let query = format!("SELECT {COLUMNS} WHERE name = ?1 ORDER BY file");
            let mut statement = connection.prepare_cached(&query)?;
            let mut found: Vec<StoredFunction> =
                statement.query_map([name], stored)?.collect::<rusqlite::Result<_>>()?;
            for function in &mut found {
                let mut effects = connection.prepare_cached(
                    "SELECT DISTINCT effect, kind, place FROM effect WHERE function = ?1 ORDER BY 1, 2, 3",
                )?;
                let rows = effects.query_map([function.id], |row| {
                    Ok(EffectRow { effect: row.get(0)?, kind: row.get(1)?, place: row.get(2)? })
                })?;
                function.row.effects = rows.collect::<rusqlite::Result<_>>()?;
                let mut calls = connection.prepare_cached(
                    "SELECT callee, file FROM call WHERE caller = ?1 ORDER BY callee, file",
                )?;
                let rows = calls
                    .query_map([function.id], |row| Ok(CallRow { callee: row.get(0)?, file: row.get(1)? }))?;
                function.row.calls = rows.collect::<rusqlite::Result<_>>()?;
            }
            Ok(found)
        })
        .unwrap_or_default()
    }

    /// Who calls a function: those that call one of this name, in this file if one is given.
    pub fn callers(&self, name: &str, file: Option<&str>) -> Vec<StoredFunction> {
        self.read(|connection| {
            let query = format!(
                "SELECT {COLUMNS} WHERE id IN (SELECT caller FROM call WHERE callee = ?1 AND (?2 IS NULL OR file = ?2))
                 ORDER BY name, file"
            );
            let mut statement = connection.prepare_cached(&query)?;
            statement.query_map(params![name, file], stored)?.collect()
        })
        .unwrap_or_default()
    }

    /// Every call, with the number of the caller; for whoever wants the whole graph.
    pub fn calls(&self) -> Vec<(i64, CallRow)> {
        self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT caller, callee, file FROM call ORDER BY caller, callee, file")?;
            let rows = statement
                .query_map([], |row| Ok((row.get(0)?, CallRow { callee: row.get(1)?, file: row.get(2)? })))?;
            rows.collect()
        })
        .unwrap_or_default()
    }

    /// Every effect, with the number of the function.
    pub fn effects(&self) -> Vec<(i64, EffectRow)> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT DISTINCT function, effect, kind, place FROM effect ORDER BY function, effect, kind, place",
            )?;
            let rows = statement.query_map([], |row| {
                Ok((row.get(0)?, EffectRow { effect: row.get(1)?, kind: row.get(2)?, place: row.get(3)? }))
            })?;
            rows.collect()
        })
        .unwrap_or_default()
    }

    /// How many functions there are.
    pub fn function_count(&self) -> usize {
        self.read(|connection| {
            connection.query_row("SELECT count(*) FROM function", [], |row| row.get::<_, i64>(0))
        })
        .unwrap_or(0) as usize
    }

    /// The findings of the newest run in short, by file and line.
    pub fn findings(&self) -> Vec<FindingRow> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT fingerprint, ordinal, rule, level, confidence, resource, file, line, col, function, message
                 FROM finding ORDER BY file, line, col, rule, ordinal",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(FindingRow {
                    fingerprint: row.get(0)?,
                    ordinal: row.get(1)?,
                    rule: row.get(2)?,
                    level: row.get(3)?,
                    confidence: row.get(4)?,
                    resource: row.get(5)?,
                    file: row.get(6)?,
                    line: row.get(7)?,
                    column: row.get(8)?,
                    function: row.get(9)?,
                    message: row.get(10)?,
                })
            })?;
            rows.collect()
        })
        .unwrap_or_default()
    }

    /// The run in which a finding was first seen.
    pub fn first_seen(&self, fingerprint: &str) -> Option<i64> {
        self.read(|connection| {
            connection
                .query_row(
                    "SELECT min(first_run) FROM finding WHERE fingerprint = ?1",
                    [fingerprint],
                    |row| row.get::<_, Option<i64>>(0),
                )
                .optional()
        })
        .flatten()
        .flatten()
    }
}
