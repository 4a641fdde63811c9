//! First sight: what a program's findings were worth before anything was repaired for it.
//!
//! `corpus/first-sight.toml` is a series that only grows: a program is recorded once, with date and commit, and its
//! entry never changes. Early entries know how many findings were true and not of which class; then the classes are absent.

use std::fmt::Write as _;

use serde::Deserialize;

use super::bench::{Bench, at};
use super::program::Program;
use super::tally::Tally;

/// The first reading of a program.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sight {
    pub(super) name: String,
    pub(super) date: String,
    #[serde(default)]
    pub(super) commit: String,
    /// At default confidence.
    pub(super) findings: usize,
    pub(super) read: usize,
    pub(super) real: Option<usize>,
    pub(super) memory: Option<usize>,
    pub(super) ending: Option<usize>,
    #[serde(rename = "false")]
    pub(super) wrong: usize,
}

impl Sight {
    /// The sum with another one.
    pub(super) fn add(&mut self, other: &Sight) {
        let sum = |a: &mut Option<usize>, b: Option<usize>| {
            if let Some(b) = b {
                *a = Some(a.unwrap_or(0) + b);
            }
        };
        self.findings += other.findings;
        self.read += other.read;
        self.wrong += other.wrong;
        sum(&mut self.real, other.real);
        sum(&mut self.memory, other.memory);
        sum(&mut self.ending, other.ending);
    }
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    sight: Vec<Sight>,
}

fn path(bench: &Bench) -> std::path::PathBuf {
    bench.corpus.join("first-sight.toml")
}

/// The series.
pub(super) fn read(bench: &Bench) -> Result<Vec<Sight>, String> {
    let path = path(bench);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(&path).map_err(at(&path))?;
    let file: File = toml::from_str(&text).map_err(at(&path))?;
    Ok(file.sight)
}

/// The day of a measurement.
pub(super) fn today() -> Result<String, String> {
    let day = super::shell::printed(std::process::Command::new("date").arg("+%F"))?;
    Ok(day.trim().to_owned())
}

/// Records a program that is read and not in the series yet. Says what was done.
pub(super) fn record(
    bench: &Bench,
    program: &Program,
    tally: &Tally,
    waiting: usize,
) -> Result<String, String> {
    if read(bench)?.iter().any(|sight| sight.name == program.name) {
        return Ok(format!("{}: its first sight is recorded already", program.name));
    }
    if waiting > 0 {
        return Ok(format!(
            "{}: {waiting} findings are to be read before its first sight counts",
            program.name
        ));
    }
    let (count, day) = (&tally.shown, today()?);
    let commit = bench.git(&["rev-parse", "--short=10", "HEAD"]).unwrap_or_default();
    let mut text =
        format!("\n[[sight]]\nname = \"{}\"\ndate = \"{}\"\ncommit = \"{commit}\"\n", program.name, day);
    let numbers = [
        ("findings", count.read() + count.unread),
        ("read", count.read()),
        ("real", count.real),
        ("memory", count.memory),
        ("ending", count.ending),
        ("false", count.wrong),
    ];
    for (name, number) in numbers {
        let _ = writeln!(text, "{name} = {number}");
    }
    let path = path(bench);
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    std::fs::write(&path, old + &text).map_err(at(&path))?;
    Ok(format!("{}: first sight recorded, {} of {} true", program.name, count.truths(), count.read()))
}
