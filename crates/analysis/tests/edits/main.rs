//! A run with a store finds what a run without one finds, after any edits.
//!
//! Programs are edited at random, a few steps each; after every step the whole program is checked with a store that has
//! seen all programs before, and from nothing. Findings, their paths and places, and everything that could not be done
//! must be the same.
//!
//! `WATERTIGHT_EDITS` says how many sequences; CI takes the 200 of the default.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod program;

use std::path::{Path, PathBuf};

use program::{Dice, Source};
use watertight_analysis::{Goal, Job, Request, Run, Silent, Source as InputSource, rules, run};
use watertight_report::select::RuleSet;

const STEPS: usize = 2;
/// Different programs to begin with.
const BEGINNINGS: u64 = 12;

fn check(folder: &Path, inputs: Vec<PathBuf>, rules: &RuleSet, store: Option<&Path>) -> Run {
    let mut request = Request::new(folder);
    request.inputs = inputs;
    let mut job = Job::new(request, Goal::Check);
    job.options.rules = rules.clone();
    job.options.store = store.map(Path::to_path_buf);
    run(job, &Silent).unwrap()
}

fn shown(run: &Run) -> String {
    format!("{:#?}\n{:#?}\n{:?}\n{:#?}", run.findings, run.problems, run.coverage, run.program.problems)
}

fn count(run: &Run, name: &str) -> u64 {
    let counts = run.stages.0.iter().flat_map(|stage| &stage.counts);
    counts.filter(|entry| entry.0 == name).map(|entry| entry.1).sum()
}

#[test]
fn edited_programs_are_checked_as_from_nothing() {
    let wanted = std::env::var("WATERTIGHT_EDITS").ok().and_then(|text| text.parse().ok());
    let sequences: u64 = wanted.unwrap_or(200);
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept");
    let (some, all) = (RuleSet::defaults(&rules()), RuleSet::parse("all", &rules()).unwrap());
    let (mut evaluated, mut reused, mut findings, mut recalled) = (0, 0, 0, 0);
    for sequence in 0..sequences {
        let mut source = Source::new(&mut Dice(sequence % BEGINNINGS + 1));
        let mut dice = Dice(1000 + sequence);
        // Most people use the default rules; with all of them every function is evaluated.
        let rules = if sequence % 4 == 3 { &all } else { &some };
        let mut edits = Vec::new();
        for step in 0..=STEPS {
            if step > 0 {
                edits.push(source.edit(&mut dice));
            }
            for (file, name) in ["a.c", "b.c"].into_iter().enumerate() {
                let path = folder.path().join(name);
                let text = source.text(file);
                if std::fs::read_to_string(&path).ok().as_ref() != Some(&text) {
                    std::fs::write(&path, text).unwrap();
                }
            }
            // Where a sequence begins is checked once for each program.
            if step == 0 && sequence >= BEGINNINGS {
                continue;
            }
            let warm = check(folder.path(), vec!["a.c".into(), "b.c".into()], rules, Some(&kept));
            // The same bitcode, without asking the compiler again.
            let bitcode = warm.inputs.iter().map(|input| match &input.source {
                InputSource::Bitcode(path) | InputSource::Text(path) => path.clone(),
            });
            let cold = check(folder.path(), bitcode.collect(), rules, None);
            assert_eq!(warm.failures.len(), 0, "the program compiles: {:#?}", warm.failures);
            assert_eq!(warm.notes.len(), cold.notes.len(), "{:#?}", warm.notes);
            if shown(&warm) != shown(&cold) {
                let texts = [source.text(0), source.text(1)].join("\n---\n");
                let (warm, cold) = (shown(&warm), shown(&cold));
                let differing = warm.lines().zip(cold.lines()).find(|(warm, cold)| warm != cold);
                panic!(
                    "sequence {sequence}, step {step}, after {edits:?}: {differing:#?}\n{texts}\n{warm}\n--- cold:\n{cold}"
                );
            }
            evaluated += count(&warm, "evaluated");
            reused += count(&warm, "reused");
            recalled += u64::from(warm.recalled);
            findings += warm.findings.len();
        }
    }
    eprintln!("{evaluated} evaluated, {reused} reused, {recalled} runs recalled, {findings} findings");
    if sequences >= 20 {
        assert!(reused > 3 * evaluated, "most results are used again: {reused} of {}", reused + evaluated);
        assert!(findings as u64 > sequences, "the programs lose something: {findings}");
        assert!(recalled > 0, "an edit that changes nothing costs nothing");
    }
}
