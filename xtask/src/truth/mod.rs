//! The truth bench: real programs with kept verdicts, and what a build of watertight says of them.
//!
//! The binary under test is driven as a program and its JSON report is read, so that any build of any commit can be
//! measured; no engine is linked here.

mod fingerprint;
mod program;
mod report;
mod sample;
mod source;
mod stubs;
mod tokens;

use std::path::{Path, PathBuf};

use fingerprint::Fingerprint;
use program::Program;
use report::Report;
use source::Sources;

/// A program with more findings at default confidence is read by a sample.
const MOST_READ: usize = 60;
/// As large as this.
const SAMPLE: usize = 40;

/// Runs a command of the bench.
pub(crate) fn truth(_root: &Path, arguments: &[String]) -> Result<bool, String> {
    match arguments.first().map(String::as_str) {
        Some("stubs") => print_stubs(&arguments[1..]).map(|()| true),
        _ => Err("usage: truth stubs --json FILE --source DIR [--program FILE] [--low]".to_owned()),
    }
}

fn print_stubs(arguments: &[String]) -> Result<(), String> {
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).map(PathBuf::from)
    };
    let json = value("--json").ok_or("--json FILE is missing")?;
    let tree = value("--source").ok_or("--source DIR is missing")?;
    let low = arguments.iter().any(|argument| argument == "--low");
    let program = value("--program").map(|path| Program::read(&path)).transpose()?;
    let report = Report::read(&json)?;
    let sources = Sources::new(&tree);
    let counts = |file: &str| program.as_ref().is_none_or(|program| program.counts(&sources.relative(file)));
    let mut findings: Vec<_> = (report.findings.iter())
        .filter(|finding| (finding.confidence == "low") == low && counts(&finding.place.file))
        .collect();
    findings.sort_by_key(|finding| {
        (sources.relative(&finding.place.file), finding.place.line, finding.place.column)
    });
    let prints: Vec<Fingerprint> =
        findings.iter().map(|finding| Fingerprint::of(finding, &sources)).collect();
    let ambiguous = fingerprint::ambiguous(&prints);
    let sampled = !low && findings.len() > MOST_READ;
    let chosen = if sampled {
        let names: Vec<String> = prints.iter().map(Fingerprint::text).collect();
        let seed = program.as_ref().map_or("", |program| &program.name);
        sample::choose(seed, &names, SAMPLE)
    } else {
        (0..findings.len()).collect()
    };
    for i in chosen {
        print!("{}", stubs::stub(findings[i], &prints[i], ambiguous[i], sampled, &sources));
    }
    Ok(())
}
