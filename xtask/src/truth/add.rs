//! A new program, or new findings: what is to be read gets an entry without a verdict.
//!
//! In goes what a check said and the entries there are, out come stubs at the end of the program's file of verdicts. All
//! findings at default confidence are to be read; of a program with more than [`MOST_READ`] a seeded sample of [`SAMPLE`]. Of
//! the low findings a seeded sample of [`LOW_SAMPLE`] over the whole corpus is to be read ([`sample_low`]).

use std::collections::BTreeMap;

use super::bench::{Bench, at};
use super::check::{Checked, Told};
use super::program::Program;
use super::sample::choose;
use super::source::Sources;
use super::stubs::stub;
use super::verdict::{self, Entry, matching};

/// A program with more findings at default confidence is read by a sample.
pub(super) const MOST_READ: usize = 60;
/// The size of that sample.
pub(super) const SAMPLE: usize = 40;
/// The size of the sample of low findings over the whole corpus.
pub(super) const LOW_SAMPLE: usize = 150;

/// The findings at default confidence that are to be read and have no entry, and whether they are a sample.
pub(super) fn to_read<'a>(
    program: &Program,
    checked: &'a Checked,
    entries: &[Entry],
) -> (Vec<&'a Told>, bool) {
    let shown: Vec<&Told> = checked.findings.iter().filter(|told| told.is_shown()).collect();
    let sampled = shown.len() > MOST_READ;
    let chosen: Vec<&Told> = if sampled {
        let names: Vec<String> = shown.iter().map(|told| told.print.text()).collect();
        choose(&program.name, &names, SAMPLE).into_iter().map(|i| shown[i]).collect()
    } else {
        shown
    };
    // A sample that was read stays the sample, however the findings around it change.
    let begun = sampled && entries.iter().any(|entry| entry.sample && entry.confidence != "low");
    let fresh = chosen.into_iter().filter(|told| !begun && matching(entries, &told.print).is_none());
    (fresh.collect(), sampled)
}

/// Adds entries for what is to be read. Gives their number.
pub(super) fn add(bench: &Bench, program: &Program, checked: &Checked) -> Result<usize, String> {
    let entries = verdict::read(&verdict::path(bench, &program.name))?;
    let (fresh, sampled) = to_read(program, checked, &entries);
    append(bench, program, &fresh, sampled)?;
    Ok(fresh.len())
}

/// Adds entries at the end of a file, so that what is in it stays as it is, comments included.
fn append(bench: &Bench, program: &Program, fresh: &[&Told], sampled: bool) -> Result<(), String> {
    let path = verdict::path(bench, &program.name);
    if fresh.is_empty() && path.exists() {
        return Ok(());
    }
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    let mut text =
        if old.is_empty() { format!("# What readers decided about {}.\n", program.name) } else { old };
    let sources = Sources::new(&bench.room(program).tree());
    for told in fresh {
        text.push('\n');
        text.push_str(stub(&told.finding, &told.print, told.ambiguous, sampled, &sources).trim_end());
        text.push('\n');
    }
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory).map_err(at(directory))?;
    }
    std::fs::write(&path, text).map_err(at(&path))
}

/// Adds entries for a sample of the low findings of all programs, as many as the sample lacks. Gives their number by program.
pub(super) fn sample_low(
    bench: &Bench,
    checked: &[(Program, Checked)],
) -> Result<BTreeMap<String, usize>, String> {
    let mut names = Vec::new();
    let mut places = Vec::new();
    let mut lacking = LOW_SAMPLE;
    for (program, checked) in checked {
        let entries = verdict::read(&verdict::path(bench, &program.name))?;
        lacking = lacking
            .saturating_sub(entries.iter().filter(|entry| entry.sample && entry.confidence == "low").count());
        let low = checked.findings.iter().filter(|told| !told.is_shown());
        for told in low.filter(|told| matching(&entries, &told.print).is_none()) {
            names.push(format!("{} | {}", program.name, told.print.text()));
            places.push((program, told));
        }
    }
    let mut chosen: BTreeMap<String, (&Program, Vec<&Told>)> = BTreeMap::new();
    for i in choose("low", &names, lacking) {
        let (program, told) = places[i];
        chosen.entry(program.name.clone()).or_insert((program, Vec::new())).1.push(told);
    }
    let mut counts = BTreeMap::new();
    for (name, (program, told)) in chosen {
        append(bench, program, &told, true)?;
        counts.insert(name, told.len());
    }
    Ok(counts)
}
