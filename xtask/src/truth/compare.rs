//! Two builds against each other: what appeared, disappeared and changed its confidence, with the verdicts.
//!
//! In go the findings of both for each program, out come the differences in the order of programs and places. What must hold:
//! the answer is "worse" exactly if something true that one showed is not shown by the other, or something false is newly
//! shown.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::bench::{Bench, at};
use super::check::{Checked, Told};
use super::shell::logged;
use super::verdict::{Entry, Verdict, matching};

/// A difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) kind: Kind,
    pub(super) text: String,
    pub(super) verdict: Verdict,
    /// Something true is not shown any more, or something false is.
    pub(super) worse: bool,
}

/// What changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Appeared,
    Disappeared,
    /// Lost on other ways out than before: for the verdicts another claim, for a reader perhaps the same.
    OtherWay,
    Confidence,
}

/// The differences between what two builds say of a program.
pub(super) fn changes(program: &str, old: &Checked, new: &Checked, entries: &[Entry]) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut put = |kind, told: &Told, level: String, gains: bool, loses: bool| {
        let entry = matching(entries, &told.print);
        let verdict = entry.map_or(Verdict::Unread, |entry| entry.verdict);
        let worse = (loses && verdict.is_true()) || (gains && verdict == Verdict::False);
        let place = &told.finding.place;
        let cause = entry
            .and_then(|entry| entry.cause.as_deref())
            .map_or(String::new(), |cause| format!(" ({cause})"));
        let text = format!(
            "{program}: {level} {}{cause}: {} | {}:{} {}",
            verdict.name(),
            told.print.text(),
            told.print.file,
            place.line.unwrap_or(0),
            told.finding.message
        );
        changes.push(Change { kind, text, verdict, worse });
    };
    let counterpart = |told: &Told, among: &Checked| -> Option<Told> {
        let same = among.findings.iter().filter(|other| other.print.is_same(&told.print));
        same.max_by_key(|other| (other.print == told.print, rank(&other.finding.confidence))).cloned()
    };
    for told in &old.findings {
        if counterpart(told, new).is_none() {
            put(Kind::Disappeared, told, told.finding.confidence.clone(), false, told.is_shown());
        }
    }
    let known = |told: &Told| old.findings.iter().any(|other| other.print.key() == told.print.key());
    for told in &new.findings {
        match counterpart(told, old) {
            None => {
                let kind = if known(told) { Kind::OtherWay } else { Kind::Appeared };
                put(kind, told, told.finding.confidence.clone(), told.is_shown(), false);
            }
            Some(before) if before.finding.confidence != told.finding.confidence => {
                let level = format!("{} -> {}", before.finding.confidence, told.finding.confidence);
                let (was, is) = (before.is_shown(), told.is_shown());
                put(Kind::Confidence, told, level, is && !was, was && !is);
            }
            Some(_) => {}
        }
    }
    changes.sort_by_key(|change| change.kind);
    changes
}

fn rank(confidence: &str) -> usize {
    ["low", "medium", "high"].iter().position(|&name| name == confidence).unwrap_or(0)
}

/// All differences as text, and whether nothing got worse.
pub(super) fn told(changes: &[Change]) -> (String, bool) {
    let mut out = String::new();
    let heads = [
        (Kind::Appeared, "appeared"),
        (Kind::Disappeared, "disappeared"),
        (Kind::OtherWay, "appeared on other ways out of an acquisition that was told before"),
        (Kind::Confidence, "changed confidence"),
    ];
    for (kind, head) in heads {
        let of_kind: Vec<&Change> = changes.iter().filter(|change| change.kind == kind).collect();
        out += &format!("{head}: {}\n", of_kind.len());
        for change in of_kind {
            out += &format!("  {}{}\n", if change.worse { "! " } else { "  " }, change.text);
        }
    }
    let lost = changes.iter().filter(|change| change.worse && change.verdict.is_true()).count();
    let gained = changes.iter().filter(|change| change.worse).count() - lost;
    out += &format!("true findings lost: {lost}, false findings gained: {gained}\n");
    (out, lost + gained == 0)
}

/// The binary that a word names: a file, or a commit, which is built below the data root and kept.
pub(super) fn binary(bench: &Bench, word: &str) -> Result<PathBuf, String> {
    let path = Path::new(word);
    if path.is_file() {
        return path.canonicalize().map_err(at(path));
    }
    let commit = bench
        .git(&["rev-parse", "--verify", "--quiet", &format!("{word}^{{commit}}")])
        .ok_or_else(|| format!("{word} is neither a file nor a commit"))?;
    let builds = bench.data.join("builds");
    let kept = builds.join(&commit);
    if kept.is_file() {
        return Ok(kept);
    }
    fs::create_dir_all(&builds).map_err(at(&builds))?;
    let (tree, log) = (builds.join("tree"), builds.join("log"));
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(&bench.root).args(arguments);
        command
    };
    eprintln!("truth: building {commit}");
    let _ = logged(git(&["worktree", "remove", "--force"]).arg(&tree), &log);
    logged(git(&["worktree", "add", "--detach", "--force"]).arg(&tree).arg(&commit), &log)?;
    let target = builds.join("target");
    let mut cargo = Command::new("cargo");
    cargo
        .args(["build", "--release", "-p", "watertight-cli"])
        .env("CARGO_TARGET_DIR", &target)
        .current_dir(&tree);
    let built = logged(&mut cargo, &log);
    logged(git(&["worktree", "remove", "--force"]).arg(&tree), &log)?;
    built?;
    fs::copy(target.join("release/watertight"), &kept).map_err(at(&kept))?;
    Ok(kept)
}
