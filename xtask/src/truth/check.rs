//! Checking a built program, and what is said of it, by fingerprint.
//!
//! In goes a program and a binary, out come its findings that count, sorted by place, each with its fingerprint. Anything
//! that makes two runs differ (times, threads, the order of the report) stays out.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::bench::{Bench, Room, at};
use super::fingerprint::{Fingerprint, ambiguous};
use super::mutant;
use super::program::Program;
use super::report::{Finding, Report, Summary};
use super::shell::logged;
use super::source::Sources;

/// What a binary says of a program.
pub(super) struct Checked {
    pub(super) findings: Vec<Told>,
    pub(super) summary: Summary,
    pub(super) given_up: Vec<String>,
}

/// One finding.
#[derive(Clone)]
pub(super) struct Told {
    pub(super) finding: Finding,
    pub(super) print: Fingerprint,
    /// Another finding of the same report would be taken for this one.
    pub(super) ambiguous: bool,
}

impl Told {
    /// Whether it is shown unless somebody asks for more.
    pub(super) fn is_shown(&self) -> bool {
        self.finding.confidence != "low"
    }
}

/// Checks a program that is built.
pub(super) fn check(bench: &Bench, program: &Program, binary: &Path) -> Result<Checked, String> {
    check_with(bench, program, binary, &Sources::new(&bench.room(program).tree()))
}

/// The same, with sources that the caller keeps.
pub(super) fn check_with(
    bench: &Bench,
    program: &Program,
    binary: &Path,
    sources: &Sources,
) -> Result<Checked, String> {
    let room = bench.room(program);
    mutant::restore(&room)?;
    run(&room, program, binary, sources, &room.report())
}

/// Checks a tree in which a release was taken out. What is said of it is no report of the program, which stays as it is.
pub(super) fn check_mutant(bench: &Bench, program: &Program, sources: &Sources) -> Result<Checked, String> {
    let room = bench.room(program);
    run(&room, program, &bench.binary, sources, &room.mutant_report())
}

/// Checks the tree as it is, changed or not.
fn run(
    room: &Room,
    program: &Program,
    binary: &Path,
    sources: &Sources,
    report: &Path,
) -> Result<Checked, String> {
    let _ = fs::remove_file(report);
    room.separate()?;
    let mut command = Command::new(binary);
    command
        .args(["check", "-q", "--threads", "1", "--format", "json", "--confidence", "low", "-p"])
        .arg(room.database())
        .arg("-o")
        .arg(report)
        .current_dir(room.tree());
    // Findings make the exit code 1 and units that do not compile 3: the report decides.
    let ran = logged(&mut command, &room.log());
    if !report.is_file() {
        return Err(ran.err().unwrap_or_else(|| "no report was written".to_owned()));
    }
    read(program, report, sources)
}

/// Reads a report of a program.
pub(super) fn read(program: &Program, report: &Path, sources: &Sources) -> Result<Checked, String> {
    let report = Report::read(report)?;
    let mut given_up: Vec<String> = report.given_up().map(str::to_owned).collect();
    given_up.sort();
    let mut told: Vec<Told> = (report.findings.into_iter())
        .map(|finding| Told { print: Fingerprint::of(&finding, sources), finding, ambiguous: false })
        .filter(|told| program.counts(&sources.relative(&told.finding.place.file)))
        .collect();
    told.sort_by_cached_key(|told| {
        let place = &told.finding.place;
        (
            sources.relative(&place.file),
            place.line,
            place.column,
            told.print.clone(),
            told.finding.message.clone(),
        )
    });
    let prints: Vec<Fingerprint> = told.iter().map(|told| told.print.clone()).collect();
    for (told, ambiguous) in told.iter_mut().zip(ambiguous(&prints)) {
        told.ambiguous = ambiguous;
    }
    Ok(Checked { findings: told, summary: report.summary, given_up })
}

/// Does something for each program, the largest first and as many at once as there are workers. What one of them fails of does
/// not keep the others; results are in the order of the programs. A line on standard error says when one is done.
pub(super) fn for_each<T: Send>(
    bench: &Bench,
    programs: &[Program],
    work: impl Fn(&Program) -> Result<T, String> + Sync,
) -> Vec<Result<T, String>> {
    let mut order: Vec<usize> = (0..programs.len()).collect();
    order.sort_by(|&a, &b| programs[b].kloc.total_cmp(&programs[a].kloc).then(a.cmp(&b)));
    let (next, done) = (std::sync::atomic::AtomicUsize::new(0), std::sync::atomic::AtomicUsize::new(0));
    let results: Vec<std::sync::Mutex<Option<Result<T, String>>>> =
        programs.iter().map(|_| std::sync::Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..bench.workers.min(programs.len()) {
            scope.spawn(|| {
                while let Some(&i) = order.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    let begun = std::time::Instant::now();
                    let result = work(&programs[i]);
                    let count = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
                    let (of, name, word) =
                        (programs.len(), &programs[i].name, if result.is_ok() { "" } else { ", failed" });
                    eprintln!("truth: {count} of {of}: {name} ({} s{word})", begun.elapsed().as_secs());
                    if let Ok(mut place) = results[i].lock() {
                        *place = Some(result);
                    }
                }
            });
        }
    });
    let taken = results.into_iter().map(|result| result.into_inner().ok().flatten());
    taken.map(|result| result.unwrap_or_else(|| Err("the work was not done".to_owned()))).collect()
}

/// Builds and checks.
pub(super) fn build_and_check(bench: &Bench, program: &Program) -> Result<Checked, String> {
    super::build::build(bench, program)?;
    let checked = check(bench, program, &bench.binary)?;
    match checked.summary.failed {
        0 => Ok(checked),
        failed => Err(format!(
            "{failed} units could not be analysed; {} says why",
            bench.room(program).log().display()
        )),
    }
}

/// Makes the data root.
pub(super) fn prepare(bench: &Bench, programs: &[Program]) -> Result<(), String> {
    fs::create_dir_all(&bench.data).map_err(at(&bench.data))?;
    let missing: Vec<&Program> =
        programs.iter().filter(|program| !super::build::is_built(bench, program)).collect();
    super::fetch::install(bench, &missing)
}
