//! Recall: releases are taken out of programs one by one, and what is said of each mutant.
//!
//! `corpus/recall/NAME.toml` lists the releases of a program: file, function, callee, which of its calls, class. Each mutant is
//! checked with the program's cache warm, so that only one unit is compiled and only what depends on it is analysed
//! again. It is **shown** if a finding at default confidence is new, **low** if only a low one is, **given up** if the function
//! was not looked at to its end, else **missed**. New is what the program as it is does not have: another finding, one
//! with a way out that was not told, or one that was low.
//!
//! Outcomes are kept under the binary they are of; a build that was measured is not measured again.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use serde::Deserialize;

use super::bench::{Bench, at};
use super::check::{Checked, Told, check_with};
use super::mutant;
use super::program::Program;
use super::source::Sources;
use super::tally::doubts;

/// A release to take out.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Release {
    pub(super) file: String,
    pub(super) function: String,
    pub(super) callee: String,
    /// Which of the calls of this name in the function, from 1.
    pub(super) ordinal: usize,
    pub(super) class: String,
    /// Why nothing is lost without it. Such a mutant does not count.
    #[serde(rename = "no-leak")]
    pub(super) no_leak: Option<String>,
    /// Why it is not shown, once somebody has looked.
    pub(super) cause: Option<String>,
}

/// Why a release is not shown; explained in `corpus/README.md`.
const CAUSES: [&str; 14] = [
    "destructor",
    "member",
    "global",
    "element",
    "container",
    "source",
    "keeps",
    "count",
    "loop",
    "value",
    "model",
    "state",
    "ends",
    "effort",
];

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    release: Vec<Release>,
}

/// What became of a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    Shown,
    Low,
    GivenUp,
    Missed,
    /// The statement is not there, or the mutant cannot be compiled.
    Broken,
}

impl Outcome {
    /// Those that count.
    pub(super) const COUNTED: [Outcome; 4] =
        [Outcome::Shown, Outcome::Low, Outcome::GivenUp, Outcome::Missed];

    /// The word in tables and files.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Outcome::Shown => "shown",
            Outcome::Low => "low",
            Outcome::GivenUp => "given up",
            Outcome::Missed => "missed",
            Outcome::Broken => "broken",
        }
    }

    fn named(name: &str) -> Option<Outcome> {
        let all = Outcome::COUNTED.into_iter().chain([Outcome::Broken]);
        all.into_iter().find(|outcome| outcome.name() == name)
    }
}

/// A release with its outcome, and why it is low.
#[derive(Debug, Clone)]
pub(super) struct Tried {
    pub(super) program: String,
    pub(super) release: Release,
    pub(super) outcome: Outcome,
    pub(super) reason: String,
}

/// The file of a program.
pub(super) fn path(bench: &Bench, program: &str) -> PathBuf {
    bench.corpus.join("recall").join(format!("{program}.toml"))
}

/// The releases of a program.
pub(super) fn read(bench: &Bench, program: &str) -> Result<Vec<Release>, String> {
    let path = path(bench, program);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(&path).map_err(at(&path))?;
    let file: File = toml::from_str(&text).map_err(at(&path))?;
    let unknown = |cause: &&String| !CAUSES.contains(&cause.as_str());
    match file.release.iter().filter_map(|release| release.cause.as_ref()).find(unknown) {
        Some(cause) => Err(at(&path)(format!("`{cause}` is no cause; those are {}", CAUSES.join(", ")))),
        None => Ok(file.release),
    }
}

/// An entry of a list.
pub(super) fn entry(release: &Release) -> String {
    let mut out = String::from("[[release]]\n");
    let texts = [("file", &release.file), ("function", &release.function), ("callee", &release.callee)];
    for (name, text) in texts {
        let _ = writeln!(out, "{name} = {}", toml::Value::from(text.as_str()));
    }
    let _ = writeln!(out, "ordinal = {}\nclass = \"{}\"", release.ordinal, release.class);
    out
}

/// Tries all releases of a program that count.
pub(super) fn recall(bench: &Bench, program: &Program) -> Result<Vec<Tried>, String> {
    let releases = read(bench, &program.name)?;
    if releases.iter().all(|release| release.no_leak.is_some()) {
        return Ok(Vec::new());
    }
    super::build::build(bench, program)?;
    let mut ledger = Ledger::open(bench, program)?;
    let mut base: Option<(Checked, Sources)> = None;
    let mut tried = Vec::new();
    for release in releases.into_iter().filter(|release| release.no_leak.is_none()) {
        let (outcome, reason) = match ledger.known(&release) {
            Some(known) => known,
            None => {
                if base.is_none() {
                    let sources = Sources::new(&bench.room(program).tree());
                    base = Some((check_with(bench, program, &bench.binary, &sources)?, sources));
                }
                let Some((checked, sources)) = &base else { continue };
                let found = attempt(bench, program, &release, checked, sources)?;
                ledger.add(&release, &found)?;
                found
            }
        };
        tried.push(Tried { program: program.name.clone(), release, outcome, reason });
    }
    Ok(tried)
}

/// Tries one release.
fn attempt(
    bench: &Bench,
    program: &Program,
    release: &Release,
    base: &Checked,
    sources: &Sources,
) -> Result<(Outcome, String), String> {
    let room = bench.room(program);
    // The original text is read before it is changed: places of the mutant are places of the original.
    let text = sources.text(&release.file);
    let statement =
        text.and_then(|text| mutant::find(&text, &release.function, &release.callee, release.ordinal));
    let Some(statement) = statement else { return Ok((Outcome::Broken, "not in the source".to_owned())) };
    mutant::take_out(&room, &release.file, statement, "")?;
    let checked = super::check::check_mutant(bench, program, sources);
    mutant::restore(&room)?;
    let checked = checked?;
    if checked.summary.failed > base.summary.failed {
        return Ok((Outcome::Broken, "does not compile".to_owned()));
    }
    let new: Vec<&Told> = checked.findings.iter().filter(|told| is_new(told, base)).collect();
    if new.iter().any(|told| told.is_shown()) {
        return Ok((Outcome::Shown, String::new()));
    }
    if let Some(low) = new.first() {
        return Ok((Outcome::Low, doubts(low).join("; ")));
    }
    if checked.given_up.iter().any(|subject| subject == &release.function) {
        return Ok((Outcome::GivenUp, String::new()));
    }
    Ok((Outcome::Missed, String::new()))
}

/// Whether the program as it is does not have this finding, or not this way out of it, or not with this confidence.
fn is_new(told: &Told, base: &Checked) -> bool {
    let before: Vec<&Told> =
        base.findings.iter().filter(|other| other.print.key() == told.print.key()).collect();
    let fresh_way = |way: &String| !before.iter().any(|other| other.print.lost.contains(way));
    told.print.lost.iter().any(fresh_way) || (told.is_shown() && !before.iter().any(|other| other.is_shown()))
}

/// Outcomes of one binary.
struct Ledger {
    path: PathBuf,
    known: BTreeMap<String, (Outcome, String)>,
}

impl Ledger {
    fn open(bench: &Bench, program: &Program) -> Result<Ledger, String> {
        let room = bench.room(program);
        let stamp = fs::read_to_string(room.stamp()).unwrap_or_default();
        let binary = super::sample::number(&stamp, &bench.binary_mark()?);
        let path = room.path.join(format!("recall-{binary:016x}"));
        let text = fs::read_to_string(&path).unwrap_or_default();
        let understand = |line: &str| {
            let mut parts = line.split('\t');
            let (name, outcome) = (parts.next()?, Outcome::named(parts.next()?)?);
            Some((name.to_owned(), (outcome, parts.next().unwrap_or_default().to_owned())))
        };
        Ok(Ledger { path, known: text.lines().filter_map(understand).collect() })
    }

    fn name(release: &Release) -> String {
        format!("{} {} {}#{}", release.file, release.function, release.callee, release.ordinal)
    }

    fn known(&self, release: &Release) -> Option<(Outcome, String)> {
        self.known.get(&Ledger::name(release)).cloned()
    }

    fn add(&mut self, release: &Release, (outcome, reason): &(Outcome, String)) -> Result<(), String> {
        use std::io::Write as _;
        let line = format!("{}\t{}\t{reason}\n", Ledger::name(release), outcome.name());
        let file = fs::OpenOptions::new().create(true).append(true).open(&self.path);
        file.and_then(|mut file| file.write_all(line.as_bytes())).map_err(at(&self.path))
    }
}
