//! A minimal driver for trying the capture by hand.
//!
//! ```text
//! capture [--cache DIR] [--clang PATH] [--threads N] [--shims] [--units] check FILE... [-- FLAGS]
//! capture ... check -p DIR [FILE...]
//! capture ... run -- make -j2
//! ```

use std::process::ExitCode;

use watertight_capture::{Captured, Outcome, Phase, Progress, Request, Watch, capture};

struct Lines;

impl Progress for Lines {
    fn phase(&self, phase: Phase) {
        eprintln!("capture: {phase:?}");
    }
    fn start(&self, total: usize) {
        eprintln!("capture: {total} jobs");
    }
    fn unit_done(&self, name: &str, outcome: Outcome) {
        if outcome == Outcome::Failed {
            eprintln!("capture: {name}: {outcome:?}");
        }
    }
}

fn main() -> ExitCode {
    let mut request = Request::new(".");
    let mut words = std::env::args().skip(1);
    let mut list_units = false;
    while let Some(word) = words.next() {
        match word.as_str() {
            "--cache" => request.cache = words.next().map(Into::into),
            "--clang" => request.clang = words.next().map(Into::into),
            "--threads" => request.threads = words.next().and_then(|text| text.parse().ok()),
            "--shims" => request.watch = Watch::Shims,
            "--units" => list_units = true,
            "-p" => request.compile_db = words.next().map(Into::into),
            "run" => {
                request.build =
                    Some(words.by_ref().skip_while(|word| word == "--").map(Into::into).collect());
            }
            "check" => {}
            "--" => request.flags.extend(words.by_ref()),
            _ => request.inputs.push(word.into()),
        }
    }
    match capture(&request, &Lines) {
        Ok(captured) => {
            report(&captured, list_units);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

fn report(captured: &Captured, list_units: bool) {
    if list_units {
        for unit in &captured.units {
            println!("{}\t{}\t{}", unit.name, unit.bitcode.display(), unit.flags.join(" "));
        }
    }
    for failure in &captured.failures {
        println!("failure: {failure}");
    }
    for note in &captured.notes {
        println!("note: {note}");
    }
    for line in captured.seen.lines() {
        println!("seen: {line}");
    }
    let stats = &captured.stats;
    println!(
        "units {} compiled {} cached {} given {} failed {} preprocessed {} bitcode {} kB",
        stats.units,
        stats.compiled,
        stats.cached,
        stats.given,
        stats.failed,
        stats.preprocessed,
        stats.bitcode_bytes / 1000
    );
    println!(
        "build {:.2?} gather {:.2?} preprocess {:.2?} compile {:.2?} clang cpu {:.2?}",
        stats.build_time,
        stats.gather_time,
        stats.preprocess_time,
        stats.compile_time,
        stats.clang_cpu.unwrap_or_default()
    );
}
