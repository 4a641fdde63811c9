//! Baselines: findings that were there before, so that only what is new is reported.
//!
//! A baseline is a file that people keep with their source. It names findings by fingerprint, so it holds while lines
//! move, files are renamed and code is reformatted. Statics of the same name in several files share fingerprints:
//! of those as many are known as the baseline has, first those in a file that it names. The other columns are for
//! people who read the file or its history, one finding in a line.
//!
//! In: findings, before any are hidden by confidence. Out: which are new, which are known, and what of the baseline is
//! no longer found: it was fixed, and the baseline can be written anew.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use watertight_finding::Finding;

use crate::fingerprint::{SCHEME, fingerprint};

/// The version of the file.
const VERSION: u32 = 1;

/// Findings that are known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Baseline {
    /// By fingerprint, then file.
    entries: Vec<Entry>,
}

/// A finding as a baseline has it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// What names it.
    pub fingerprint: String,
    /// Where it was.
    pub file: String,
    /// In which function.
    pub function: String,
    /// The rule.
    pub rule: String,
    /// What was said.
    pub message: String,
}

/// What a baseline says about findings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Compared {
    /// For each finding whether it is known.
    pub known: Vec<bool>,
    /// What is no longer found, by file and function.
    pub fixed: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    version: u32,
    scheme: String,
    findings: Vec<Entry>,
}

impl Baseline {
    /// A baseline of these findings.
    pub fn of<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Baseline {
        let mut entries: Vec<Entry> = findings.into_iter().map(entry).collect();
        entries.sort_by(|a, b| order(a).cmp(&order(b)));
        Baseline { entries }
    }

    /// How many findings it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Its findings.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The text of the file: JSON with one finding in a line, in an order that differs little from one baseline to
    /// the next.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = format!("{{\"version\": {VERSION}, \"scheme\": \"{SCHEME}\", \"findings\": [");
        for (index, entry) in self.entries.iter().enumerate() {
            text.push_str(if index == 0 { "\n" } else { ",\n" });
            text.push_str(&serde_json::to_string(entry).unwrap_or_default());
        }
        text.push_str("\n]}\n");
        text
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Baseline, String> {
        let written: Written = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if written.version != VERSION || written.scheme != SCHEME {
            return Err(format!(
                "it is of version {} with fingerprints of {}, and this version of watertight writes {VERSION} and {SCHEME}; \
                 write it anew",
                written.version, written.scheme
            ));
        }
        Ok(Baseline { entries: written.findings })
    }

    /// Compares findings with the baseline.
    #[must_use]
    pub fn compare(&self, findings: &[Finding]) -> Compared {
        let mut open: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
        for entry in &self.entries {
            open.entry(&entry.fingerprint).or_default().push(entry);
        }
        let prints: Vec<String> = findings.iter().map(|finding| fingerprint(finding).to_string()).collect();
        let mut known = vec![false; findings.len()];
        for by_file in [true, false] {
            for (index, finding) in findings.iter().enumerate() {
                let Some(entries) = open.get_mut(&*prints[index]).filter(|_| !known[index]) else { continue };
                let fits = |entry: &&Entry| !by_file || *entry.file == *finding.place.file;
                if let Some(at) = entries.iter().position(fits) {
                    entries.remove(at);
                    known[index] = true;
                }
            }
        }
        let mut fixed: Vec<Entry> = open.into_values().flatten().cloned().collect();
        fixed.sort_by(|a, b| order(a).cmp(&order(b)));
        Compared { known, fixed }
    }
}

fn order(entry: &Entry) -> (&str, &str, &str, &str) {
    (&entry.file, &entry.function, &entry.rule, &entry.fingerprint)
}

fn entry(finding: &Finding) -> Entry {
    Entry {
        fingerprint: fingerprint(finding).to_string(),
        file: finding.place.file.to_string(),
        function: finding.place.function.to_string(),
        rule: finding.rule.to_string(),
        message: finding.message.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watertight_finding::{Identity, Place, RuleId};

    fn finding(file: &str, function: &str, acquisition: &str) -> Finding {
        let rule = &crate::testing::rules()[0];
        let mut finding = Finding::new(rule, "lost", Place::new(file, 1, 1).in_function(function));
        finding.rule = RuleId::new("memory-leak");
        finding.identity = Identity::new(function, acquisition);
        finding
    }

    #[test]
    fn what_is_known_new_and_fixed() {
        let old = [finding("a.c", "f", "x"), finding("a.c", "g", "x"), finding("b.c", "f", "x")];
        let baseline = Baseline::parse(&Baseline::of(&old).to_text()).unwrap();
        assert_eq!(baseline.len(), 3);
        let now = [
            finding("c.c", "f", "x"),
            finding("b.c", "f", "x"),
            finding("a.c", "f", "x"),
            finding("a.c", "f", "y"),
        ];
        let compared = baseline.compare(&now);
        // Two statics of that name were known, and those in files that the baseline names come first.
        assert_eq!(compared.known, [false, true, true, false]);
        let fixed: Vec<&str> = compared.fixed.iter().map(|entry| &*entry.function).collect();
        assert_eq!(fixed, ["g"]);
        let renamed =
            [finding("new/a.c", "f", "x"), finding("new/a.c", "g", "x"), finding("new/b.c", "f", "x")];
        let compared = baseline.compare(&renamed);
        assert_eq!((compared.known, compared.fixed), (vec![true; 3], vec![]));
    }

    #[test]
    fn the_file_has_a_line_for_each_finding_and_mistakes_are_told() {
        let text = Baseline::of(&[finding("a.c", "f", "x"), finding("b.c", "g", "\"y\"")]).to_text();
        assert_eq!(text.lines().count(), 4);
        assert!(Baseline::parse("").unwrap_err().contains("EOF"));
        assert!(Baseline::parse("[]").is_err());
        let other = text.replace("watertight/v1", "watertight/v0");
        assert!(Baseline::parse(&other).unwrap_err().contains("write it anew"));
        assert_eq!(Baseline::of(&[]).to_text().lines().count(), 2);
        assert!(Baseline::parse(&Baseline::of(&[]).to_text()).unwrap().is_empty());
    }
}
