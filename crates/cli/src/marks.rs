//! `watertight-marks.toml`: what people have decided about findings, in a file that can be committed.
//!
//! In: the root of a project. Out: marks by fingerprint, with the place and the rule for people who read the file.
//! Fingerprints survive moved lines and renamed files, so marks do too. The file is written whole or not at all, sorted by
//! place, so that changes of several people merge. Marks in the store are respected as well; those of the file have the
//! last word.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use watertight_capture::{is_below, plain};
use watertight_finding::Finding;
use watertight_report::fingerprint;
use watertight_store::{Mark, Store, Verdict};
use watertight_web::Marks;

use crate::exit::Stop;
pub(crate) use crate::mark_text::{Entry, is_fingerprint, parse, to_text};
use crate::messages;

/// The name of the file.
pub(crate) const NAME: &str = "watertight-marks.toml";

/// The marks of a project.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct MarkFile {
    path: PathBuf,
    pub(crate) entries: BTreeMap<String, Entry>,
}

impl Entry {
    /// The mark of a finding.
    pub(crate) fn of(finding: &Finding, mark: &Mark) -> Entry {
        let place = &finding.place;
        Entry {
            rule: finding.rule.to_string(),
            file: place.file.to_string(),
            function: place.function.to_string(),
            ..Entry::from(mark)
        }
    }

    /// The mark as reports take it.
    fn mark(&self) -> Option<Mark> {
        let verdict = Verdict::from_name(&self.verdict)?;
        let (fingerprint, note, at) = (self.finding.clone(), self.reason.clone(), self.at.clone());
        Some(Mark { fingerprint, verdict, note, at })
    }
}

impl From<&Mark> for Entry {
    fn from(mark: &Mark) -> Entry {
        Entry {
            finding: mark.fingerprint.clone(),
            verdict: mark.verdict.name().to_owned(),
            reason: mark.note.clone(),
            rule: String::new(),
            file: String::new(),
            function: String::new(),
            at: mark.at.clone(),
        }
    }
}

impl MarkFile {
    /// The marks of a project; none if it has no file.
    pub(crate) fn read(root: &Path) -> Result<MarkFile, Stop> {
        let path = root.join(NAME);
        let mut file = MarkFile { path, entries: BTreeMap::new() };
        if !file.path.exists() && !file.path.is_symlink() {
            return Ok(file);
        }
        // The file comes with a project, which must not choose what else is read or written.
        if !is_below(root, &file.path) {
            return Err(messages::outside_project(file.path.display()));
        }
        let text = plain::read_to_string(&file.path)
            .map_err(|error| messages::cannot_read_settings(file.path.display(), error))?;
        let entries = parse(&text).map_err(|message| messages::mistake_in(file.path.display(), &message))?;
        file.entries = entries.into_iter().map(|entry| (entry.finding.clone(), entry)).collect();
        Ok(file)
    }

    /// The marks as reports take them.
    pub(crate) fn marks(&self) -> BTreeMap<String, Mark> {
        let marks = self.entries.iter().filter_map(|(id, entry)| Some((id.clone(), entry.mark()?)));
        marks.collect()
    }

    /// Writes the file.
    pub(crate) fn write(&self) -> Result<(), String> {
        let cannot =
            |error: &dyn std::fmt::Display| format!("cannot write `{}`: {error}", self.path.display());
        if self.path.is_symlink() {
            return Err(cannot(&"it is a symbolic link"));
        }
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        // As readable as other files of the project: a temporary file is for its owner alone.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
        let mut file = builder.tempfile_in(folder).map_err(|error| cannot(&error))?;
        file.write_all(to_text(self.entries.values()).as_bytes()).map_err(|error| cannot(&error))?;
        file.persist(&self.path).map_err(|error| cannot(&error.error))?;
        Ok(())
    }
}

/// The marks of a project for its page: those of the file and of the store; new ones go to the file.
pub(crate) struct Shared {
    root: PathBuf,
    store: Store,
    /// What is known of the findings of the run, by fingerprint.
    findings: BTreeMap<String, Finding>,
    /// One change at a time.
    changing: Mutex<()>,
}

impl Shared {
    pub(crate) fn new(root: &Path, store: Store, findings: &[Finding]) -> Shared {
        let findings = findings.iter().map(|finding| (fingerprint(finding).to_string(), finding.clone()));
        Shared { root: root.to_path_buf(), store, findings: findings.collect(), changing: Mutex::new(()) }
    }

    /// Reads the file, changes it and writes it: somebody else may have changed it meanwhile.
    fn change(&self, change: impl FnOnce(&mut MarkFile)) -> Result<(), String> {
        let _one = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file = MarkFile::read(&self.root).map_err(|stop| stop.message)?;
        change(&mut file);
        file.write()
    }
}

impl Marks for Shared {
    fn all(&self) -> Vec<Mark> {
        let mut marks: BTreeMap<String, Mark> =
            self.store.marks().into_iter().map(|mark| (mark.fingerprint.clone(), mark)).collect();
        marks.extend(MarkFile::read(&self.root).map(|file| file.marks()).unwrap_or_default());
        marks.into_values().collect()
    }

    fn set(&self, mark: &Mark) -> Result<(), String> {
        let entry = match self.findings.get(&mark.fingerprint) {
            Some(finding) => Entry::of(finding, mark),
            None => Entry::from(mark),
        };
        self.change(|file| {
            file.entries.insert(mark.fingerprint.clone(), entry);
        })
    }

    fn remove(&self, fingerprint: &str) -> Result<(), String> {
        self.store.remove_mark(fingerprint).map_err(|unusable| unusable.0)?;
        self.change(|file| {
            file.entries.remove(fingerprint);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(finding: &str, file: &str, reason: &str) -> Entry {
        Entry {
            finding: finding.repeat(16),
            verdict: "false".to_owned(),
            reason: reason.to_owned(),
            rule: "memory-leak".to_owned(),
            file: file.to_owned(),
            function: "load".to_owned(),
            at: "2026-11-16T06:30:00Z".to_owned(),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let entries = [entry("ab", "src/b.c", "\"quoted\"\nand = [odd] \\"), entry("cd", "src/a.c", "")];
        let text = to_text(entries.iter());
        assert!(text.find("src/a.c") < text.find("src/b.c"), "{text}");
        let mut read = parse(&text).unwrap();
        read.reverse();
        assert_eq!(read, entries);
        assert_eq!(parse(""), Ok(Vec::new()));
    }

    #[test]
    fn mistakes_are_named() {
        let bad = |text: &str| parse(text).unwrap_err();
        assert!(bad("[[mark]]\nfinding = 'xy'\nverdict = 'false'").contains("`xy` is not the fingerprint"));
        let fingerprint = "ab".repeat(16);
        let text = format!("[[mark]]\nfinding = '{fingerprint}'\nverdict = 'maybe'");
        assert!(bad(&text).contains("`maybe` is not a verdict"));
        assert!(bad("\nfoo = 1").starts_with("2: unknown field `foo`"));
    }

    #[test]
    fn a_file_is_written_whole() {
        let root = tempfile::tempdir().unwrap();
        let mut file = MarkFile::read(root.path()).unwrap();
        assert!(file.entries.is_empty());
        file.entries.insert("ab".repeat(16), entry("ab", "a.c", "why"));
        file.write().unwrap();
        assert_eq!(MarkFile::read(root.path()).unwrap(), file);
        assert_eq!(file.marks().len(), 1);
    }
}
