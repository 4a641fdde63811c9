//! The annotated C fixtures: every program in `tests/c` is checked, and its findings are compared with its marks.
//!
//! A `.c` file in a rule's folder is one program, and so is a folder there. Each is checked by the binary with the
//! flags of its header lines, marks are compared with what it shows at default confidence; programs run side by side. The marks are described in
//! [`marks`], the comparison in [`compare`]. `tests/c/README.md` holds a summary, which must be true as well.
//!
//! With `WATERTIGHT_MARKS=update` in the environment, the test prints a mark for each disagreement, to be completed
//! with a reason, and rewrites the summary.

#[path = "fixtures/compare.rs"]
mod compare;
#[path = "fixtures/marks.rs"]
mod marks;
#[path = "fixtures/program.rs"]
mod program;
#[path = "fixtures/rows.rs"]
mod rows;
#[path = "fixtures/summary.rs"]
mod summary;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::compare::{Compared, compare};
use crate::marks::Marks;
use crate::program::{Outcome, Program};
use crate::summary::Summary;

/// Every rule that a mark may name.
const RULES: &[&str] = &[
    "memory-leak",
    "resource-leak",
    "realloc-lost",
    "leak-at-exit",
    "double-release",
    "use-after-release",
    "lock-annotation",
    "lock-leak",
    "double-lock",
    "double-unlock",
    "closed-twice",
    "used-after-close",
    "double-join",
    "double-detach",
    "thread-leak",
    "privilege-order",
    "privilege-kept",
];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/c")
        .canonicalize()
        .expect("the fixtures are there")
}

#[test]
fn findings_agree_with_marks() {
    let root = fixtures();
    let programs = program::all(&root);
    assert!(programs.len() > 60, "only {} programs", programs.len());
    let mut failures: Vec<String> = Vec::new();
    let mut suggestions: Vec<String> = Vec::new();
    let mut read: Vec<BTreeMap<String, Marks>> = Vec::new();
    for program in &programs {
        let marks = program.marks(&root, RULES);
        for (file, marks) in &marks {
            for (line, why) in &marks.unreadable {
                failures.push(format!("{file}:{line}: this mark cannot be read: {why}"));
            }
        }
        read.push(marks);
    }

    // The folder of a rule family waits until there is a rule: without one, every mark in it would be a known miss.
    let known = program::known_rules(&root, &programs[0]);
    for rule in &known {
        assert!(RULES.contains(&&**rule), "the rule {rule} is not in the list of this test");
    }
    let wanted: Vec<usize> = (0..programs.len())
        .filter(|&index| programs[index].folder != "lock" || known.iter().any(|rule| rule.ends_with("-lock")))
        .collect();

    let wanted: Vec<(usize, Vec<String>)> = wanted
        .into_iter()
        .flat_map(|index| runs(&read[index]).into_iter().map(move |flags| (index, flags)))
        .collect();
    let outcomes = side_by_side(&wanted, |(index, flags)| programs[*index].check(&root, flags));
    let mut summary = Summary::default();
    for ((index, flags), outcome) in wanted.iter().zip(&outcomes) {
        let (index, program) = (*index, &programs[*index]);
        match outcome {
            Err(why) => failures.push(format!("{} {}: {why}", program.name, flags.join(" "))),
            Ok(outcome) => {
                for (file, compared) in judge(&read[index], outcome) {
                    summary.add(&program.name, &compared.scores);
                    for told in compared.disagreements {
                        let place = format!("{file}:{}", told.line);
                        if let Some(suggestion) = told.suggestion {
                            suggestions.push(format!("{place}: {suggestion}"));
                        }
                        failures.push(format!("{place}: {}", told.what));
                    }
                }
            }
        }
    }

    let update = std::env::var_os("WATERTIGHT_MARKS").is_some_and(|value| value == "update");
    if let Err(why) = summary.compare_with(&root.join("README.md"), update) {
        failures.push(why);
    }
    println!("{}", summary.text());
    if update {
        println!("suggested marks:\n{}", suggestions.join("\n"));
    }
    assert!(failures.is_empty(), "{}", told(&failures));
}

#[test]
fn every_row_of_the_tables_has_its_fixture() {
    let (complaints, rows) = rows::check(&fixtures().join("../.."));
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(rows >= 37, "only {rows} rows");
}

/// The flags of each run of a program: those of all its files, once for every engine that one of them names.
fn runs(marks: &BTreeMap<String, Marks>) -> Vec<Vec<String>> {
    let flags: Vec<String> = marks.values().flat_map(|marks| marks.flags.iter().cloned()).collect();
    let engines: Vec<&String> = marks.values().flat_map(|marks| &marks.engines).collect();
    if engines.is_empty() {
        return vec![flags];
    }
    let with =
        |engine: &String| flags.iter().cloned().chain(["--engine".to_owned(), engine.clone()]).collect();
    engines.into_iter().map(with).collect()
}

/// Compares each file that has a mark or a finding.
fn judge(marks: &BTreeMap<String, Marks>, outcome: &Outcome) -> Vec<(String, Compared)> {
    let mut files: Vec<&String> = marks.keys().chain(outcome.findings.keys()).collect();
    files.sort();
    files.dedup();
    let judged = files.into_iter().map(|file| {
        let marks = marks.get(file).map_or(&[][..], |marks| &marks.marks);
        let found = outcome.findings.get(file).map_or(&[][..], Vec::as_slice);
        let steps = outcome.steps.get(file).map_or(&[][..], Vec::as_slice);
        (file.clone(), compare(marks, found, steps))
    });
    judged.collect()
}

/// Does the work for each index with one thread per processor, and gives the results in the order of the indices.
fn side_by_side<J: Sync, T: Send>(jobs: &[J], work: impl Fn(&J) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let mut results: Vec<(usize, T)> = std::thread::scope(|scope| {
        let worker = || {
            let mut done = Vec::new();
            while let Some(position) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&p| p < jobs.len())
            {
                done.push((position, work(&jobs[position])));
            }
            done
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker does not panic")).collect()
    });
    results.sort_by_key(|&(position, _)| position);
    results.into_iter().map(|(_, result)| result).collect()
}

/// The list of failures, with a count at the end.
fn told(failures: &[String]) -> String {
    let mut text = String::from("marks and findings disagree\n");
    for failure in failures {
        let _ = writeln!(text, "  {failure}");
    }
    let _ = write!(text, "{} disagreements; WATERTIGHT_MARKS=update suggests marks", failures.len());
    text
}

#[test]
fn results_come_in_the_order_of_the_indices() {
    let indices: Vec<usize> = (0..100).rev().collect();
    assert_eq!(side_by_side(&indices, |&index| index), indices);
    assert!(side_by_side(&[], |&index: &usize| index).is_empty());
}

#[test]
fn a_program_says_the_same_twice() {
    let root = fixtures();
    let text = |program: &Program| format!("{:?}", program.check(&root, &[]));
    let program = Program::new(&root, &root.join("memory-leak/ways_to_lose.c"));
    assert_eq!(text(&program), text(&program));
}
