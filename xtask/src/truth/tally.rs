//! What a run says, held against what readers decided: the figures of the bench.
//!
//! In go the findings of programs and their verdicts, out come counts. What must hold: counts do not depend on the order of
//! anything.

use std::collections::BTreeMap;

use super::check::{Checked, Told};
use super::verdict::{Entry, Verdict, matching};

/// How many findings have each verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) real: usize,
    pub(super) memory: usize,
    pub(super) ending: usize,
    pub(super) wrong: usize,
    pub(super) unread: usize,
}

impl Count {
    /// One more.
    pub(super) fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Real => self.real += 1,
            Verdict::Memory => self.memory += 1,
            Verdict::Ending => self.ending += 1,
            Verdict::False => self.wrong += 1,
            Verdict::Unread => self.unread += 1,
        }
    }

    /// Those of another count too.
    pub(super) fn merge(&mut self, other: &Count) {
        self.real += other.real;
        self.memory += other.memory;
        self.ending += other.ending;
        self.wrong += other.wrong;
        self.unread += other.unread;
    }

    pub(super) fn truths(&self) -> usize {
        self.real + self.memory + self.ending
    }

    pub(super) fn read(&self) -> usize {
        self.truths() + self.wrong
    }

    /// How many of those that were read are true, as text.
    pub(super) fn precision(&self) -> String {
        share(self.truths(), self.read())
    }
}

/// A share in per cent.
pub(super) fn share(part: usize, whole: usize) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{} %", (200 * part + whole) / (2 * whole)) }
}

/// The figures of one program.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    /// By confidence.
    pub(super) confidences: BTreeMap<String, Count>,
    /// At default confidence.
    pub(super) shown: Count,
    /// At default confidence and in no file of verdicts, where the file is not a sample.
    pub(super) new: usize,
    /// Entries that no finding belongs to any more: true ones, and false ones.
    pub(super) gone_true: usize,
    pub(super) gone_false: usize,
    /// Entries with a verdict that was given at default confidence and is low now: true ones, and false ones.
    pub(super) sunk_true: usize,
    pub(super) sunk_false: usize,
    pub(super) ambiguous: usize,
    pub(super) given_up: usize,
    pub(super) functions: u64,
    pub(super) failed: u64,
    /// False findings at default confidence, and low ones, by cause.
    pub(super) causes: BTreeMap<String, (usize, usize)>,
    /// Findings of any confidence that were read, by doubt.
    pub(super) doubts: BTreeMap<String, Count>,
    /// Findings at default confidence by how well they were checked, and by how urgent they are said to be.
    pub(super) supports: BTreeMap<String, Count>,
    pub(super) urgencies: BTreeMap<String, Count>,
    /// Read by a sample.
    pub(super) sampled: bool,
}

/// The figures of one program.
pub(super) fn tally(checked: &Checked, entries: &[Entry]) -> Tally {
    let mut tally = Tally {
        given_up: checked.given_up.len(),
        functions: checked.summary.functions,
        failed: checked.summary.failed,
        sampled: entries.iter().any(|entry| entry.sample && entry.confidence != "low"),
        ..Tally::default()
    };
    for told in &checked.findings {
        let entry = matching(entries, &told.print);
        let verdict = entry.map_or(Verdict::Unread, |entry| entry.verdict);
        tally.confidences.entry(told.finding.confidence.clone()).or_default().add(verdict);
        tally.ambiguous += usize::from(told.ambiguous && told.is_shown());
        if told.is_shown() {
            tally.shown.add(verdict);
            tally.supports.entry(told.finding.support.clone()).or_default().add(verdict);
            tally.urgencies.entry(told.finding.urgency.clone()).or_default().add(verdict);
            tally.new += usize::from(entry.is_none() && !tally.sampled);
        }
        if verdict == Verdict::Unread {
            continue;
        }
        for doubt in doubts(told) {
            tally.doubts.entry(doubt).or_default().add(verdict);
        }
        if let Some(cause) = entry.and_then(|entry| entry.cause.clone()) {
            let (shown, low) = tally.causes.entry(cause).or_default();
            *(if told.is_shown() { shown } else { low }) += 1;
        }
    }
    for entry in entries.iter().filter(|entry| entry.verdict != Verdict::Unread) {
        let found = checked.findings.iter().filter(|told| told.print.is_same(&entry.print));
        let (mut any, mut shown) = (false, false);
        found.for_each(|told| (any, shown) = (true, shown | told.is_shown()));
        let count = match (any, shown, entry.verdict.is_true()) {
            (false, _, true) => &mut tally.gone_true,
            (false, _, false) => &mut tally.gone_false,
            (true, false, true) if entry.confidence != "low" => &mut tally.sunk_true,
            (true, false, false) if entry.confidence != "low" => &mut tally.sunk_false,
            _ => continue,
        };
        *count += 1;
    }
    tally
}

/// The doubts of a finding. Reports of builds that had none have assumptions; the names in them are left out, so that equal
/// ones are counted together.
pub(super) fn doubts(told: &Told) -> Vec<String> {
    let mut doubts: Vec<String> = match &told.finding.doubts {
        Some(doubts) => doubts.iter().map(|doubt| doubt.name.clone()).collect(),
        None => told.finding.assumptions.iter().map(|assumption| nameless(&assumption.text)).collect(),
    };
    if doubts.is_empty() {
        doubts.push("none".to_owned());
    }
    doubts.sort();
    doubts.dedup();
    doubts
}

/// A text with what stands in backquotes, and numbers, left out.
fn nameless(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').step_by(2).collect();
    let text = parts.join("`_`");
    text.split(' ')
        .map(|word| if word.parse::<u64>().is_ok() { "N" } else { word })
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_tell_doubts_apart() {
        assert_eq!(nameless("`f` may keep `x` after 12 steps"), "`_` may keep `_` after N steps");
    }

    #[test]
    fn shares_are_rounded() {
        assert_eq!((share(2, 3), share(1, 8), share(0, 0)), ("67 %".into(), "13 %".into(), "-".into()));
    }
}
