//! What readers decided, and which finding it belongs to.
//!
//! `corpus/verdicts/NAME.toml` holds one entry per finding that was read or is to be read. The format and the closed list of
//! causes are in `corpus/README.md`. What must hold: a file with a verdict or a cause that is not on the lists is an error;
//! writing a file and reading it gives the same entries in the same order.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::bench::{Bench, at};
use super::fingerprint::Fingerprint;
use super::stubs::entry;

/// Causes of false findings.
pub(super) const CAUSES: &[&str] = &[
    "collection",
    "element",
    "container",
    "count",
    "member",
    "caller",
    "never",
    "value",
    "alias",
    "ends",
    "model",
    "state",
    "harmless",
    "capture",
];

/// What was decided about a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    Real,
    Memory,
    Ending,
    False,
    Unread,
}

impl Verdict {
    /// The verdicts of a reader.
    pub(super) const READ: [Verdict; 4] = [Verdict::Real, Verdict::Memory, Verdict::Ending, Verdict::False];

    /// The word in files.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Verdict::Real => "real",
            Verdict::Memory => "memory",
            Verdict::Ending => "ending",
            Verdict::False => "false",
            Verdict::Unread => "unread",
        }
    }

    /// Whether the finding happens as told.
    pub(super) fn is_true(self) -> bool {
        matches!(self, Verdict::Real | Verdict::Memory | Verdict::Ending)
    }
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) print: Fingerprint,
    pub(super) verdict: Verdict,
    pub(super) cause: Option<String>,
    pub(super) why: String,
    pub(super) confidence: String,
    pub(super) doubts: Vec<String>,
    /// It stands for others: the program, or the low findings of the corpus, were read by a sample.
    pub(super) sample: bool,
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    finding: Vec<Raw>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    rule: String,
    file: String,
    function: String,
    acquired: String,
    lost: BTreeSet<String>,
    verdict: Verdict,
    cause: Option<String>,
    #[serde(default)]
    why: String,
    #[serde(default)]
    confidence: String,
    #[serde(default)]
    doubts: Vec<String>,
    #[serde(default)]
    sample: bool,
}

/// The file of a program.
pub(super) fn path(bench: &Bench, program: &str) -> PathBuf {
    bench.corpus.join("verdicts").join(format!("{program}.toml"))
}

/// The entries of a program; none if nobody has begun.
pub(super) fn read(path: &Path) -> Result<Vec<Entry>, String> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(path).map_err(at(path))?;
    let file: File = toml::from_str(&text).map_err(at(path))?;
    file.finding.into_iter().map(|raw| understand(raw).map_err(at(path))).collect()
}

fn understand(raw: Raw) -> Result<Entry, String> {
    let place = format!("{} {} {}", raw.file, raw.function, raw.acquired);
    match (&raw.cause, raw.verdict) {
        (Some(cause), Verdict::False) if !CAUSES.contains(&&**cause) => {
            return Err(format!("{place}: `{cause}` is no cause"));
        }
        (None, Verdict::False) => return Err(format!("{place}: false, and no cause")),
        (Some(_), verdict) if verdict != Verdict::False => {
            return Err(format!("{place}: only false findings have a cause"));
        }
        _ => {}
    }
    let Raw { rule, file, function, acquired, lost, verdict, cause, why, confidence, doubts, sample } = raw;
    let print = Fingerprint { rule, file, function, acquired, lost };
    Ok(Entry { print, verdict, cause, why, confidence, doubts, sample })
}

/// Writes the entries of a program, after the comment that the file begins with.
pub(super) fn write(path: &Path, entries: &[Entry]) -> Result<(), String> {
    let old = std::fs::read_to_string(path).unwrap_or_default();
    let header: Vec<&str> = old.lines().take_while(|line| line.starts_with('#')).collect();
    // A comment that is followed by an entry at once is about the entry.
    let ends = old.lines().nth(header.len()).is_some_and(|line| line.trim().is_empty());
    let mut text = String::new();
    if ends {
        text.push_str(&header.join("\n"));
        text.push_str("\n\n");
    }
    for e in entries {
        let (verdict, cause) = (e.verdict.name(), e.cause.as_deref());
        text.push_str(&entry(&e.print, verdict, cause, &e.why, &e.confidence, &e.doubts, e.sample));
    }
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory).map_err(at(directory))?;
    }
    std::fs::write(path, text.trim_end().to_owned() + "\n").map_err(at(path))
}

/// The entry that a finding belongs to: among those about the same, the one with the most ways out in common, and a
/// decided one before one that waits.
pub(super) fn matching<'a>(entries: &'a [Entry], print: &Fingerprint) -> Option<&'a Entry> {
    let shared = |entry: &Entry| entry.print.lost.intersection(&print.lost).count();
    let same = entries.iter().filter(|entry| entry.print.is_same(print));
    // The last of equals would win, so the order is turned round.
    same.rev().max_by_key(|entry| (entry.verdict != Verdict::Unread, shared(entry)))
}
