//! Proofs against runs: no statement that is proved ever loses a cell.
//!
//! Random programs run in the interpreter on many inputs; what they lose is compared with what the engine says.

use crate::generate::{self, PRELUDE};
use crate::judge::{self, Proofs};
use crate::native::Clang;
use crate::program::{self, defined, line};
use crate::witness::Lost;
use crate::{clang, heaps};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Mutex;
use watertight_interpret::{Loss, Site};
use watertight_ir::{FuncId, Program};
use watertight_prove::Options;

/// Programs in all, unless `WATERTIGHT_PROGRAMS` says how many; and in one file.
const PROGRAMS: u64 = 1200;
const IN_A_FILE: u64 = 30;
/// Further programs with a `main`.
const WHOLE: u64 = 200;
/// Runs of each program.
const RUNS: u64 = 24;

/// What a comparison counts.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Figures {
    pub(crate) programs: u64,
    /// Statements that some run executes and that a question is asked about.
    pub(crate) statements: u64,
    /// Of these, the ones that lose a cell in some run.
    pub(crate) losing: u64,
    /// Of the others, the ones that are proved.
    pub(crate) proved: u64,
    /// Statements that make a cell unreachable although something still refers to it.
    pub(crate) circles: u64,
    /// Of these, the ones that are proved.
    pub(crate) proved_circles: u64,
}

impl Figures {
    fn add(&mut self, other: &Figures) {
        self.programs += other.programs;
        self.statements += other.statements;
        self.losing += other.losing;
        self.proved += other.proved;
        self.circles += other.circles;
        self.proved_circles += other.proved_circles;
    }
}

/// How many programs are compared.
fn programs() -> u64 {
    let asked = std::env::var("WATERTIGHT_PROGRAMS").ok();
    asked.and_then(|asked| asked.parse().ok()).unwrap_or(PROGRAMS)
}

/// One file of programs.
pub(crate) fn file(seeds: std::ops::Range<u64>) -> (String, Vec<String>) {
    let mut text = PRELUDE.to_owned();
    let mut entries = Vec::new();
    for seed in seeds {
        let (program, entry) = generate::program(seed);
        text.push_str(&program);
        entries.push(entry);
    }
    (text, entries)
}

/// What some run of a file loses.
pub(crate) fn run(program: &Program, entries: &[String], runs: u64) -> Lost {
    let mut lost = Lost::default();
    for entry in entries {
        let function = program.function_named(entry).expect("the entry is there");
        for seed in 0..runs {
            heaps::call(program, function, seed, &mut lost);
        }
    }
    lost
}

/// Compares what the engine says with what runs lose.
fn compare(text: &str, program: &Program, lost: &Lost, options: &Options) -> (Figures, Vec<String>) {
    let answers = judge::answers(program, options);
    let proofs = Proofs::new(&answers);
    let mut figures = Figures::default();
    let mut failures = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    let describe = |site: Site| {
        let number = line(program, site);
        let shown = lines.get((number as usize).wrapping_sub(1)).map_or("", |line| line.trim());
        format!("{}: line {number}: `{shown}`", program.functions[site.function].name)
    };
    let mut losing = BTreeSet::new();
    for (statement, site) in lost.last_references() {
        losing.insert(statement);
        if proofs.vouches(statement, line(program, site)) {
            failures.push(format!("{} is vouched for, but loses a cell", describe(site)));
        }
    }
    for &(statement, first) in &lost.afterwards {
        let vouches = |statement| proofs.vouches(statement, line(program, lost.sites[&statement]));
        if vouches(statement) && vouches(first) {
            let (first, last) = (describe(lost.sites[&first]), describe(lost.sites[&statement]));
            failures.push(format!("{first} and {last} are vouched for, but lose a cell together"));
        }
    }
    let executed = executed(program, lost);
    for (statement, proved) in proofs.statements() {
        if executed.contains(&statement) {
            figures.statements += 1;
            figures.losing += u64::from(losing.contains(&statement));
            figures.proved += u64::from(proved && !losing.contains(&statement));
        }
    }
    for (&statement, (site, losses)) in &lost.at {
        if losses.contains(&Loss::Unreachable) && !losses.contains(&Loss::LastReference) {
            figures.circles += 1;
            figures.proved_circles += u64::from(proofs.vouches(statement, line(program, *site)));
            if proofs.vouches_for_circles(statement, line(program, *site)) {
                failures.push(format!("{} loses a circle, and the proof does not say so", describe(*site)));
            }
        }
    }
    (figures, failures)
}

/// The statements in blocks that some run came to.
fn executed(program: &Program, lost: &Lost) -> BTreeSet<crate::witness::Statement> {
    let mut statements = BTreeSet::new();
    for &(function, block) in &lost.entered {
        let body = program.functions[function].body.as_ref().expect("it ran");
        let block = &body.blocks[block];
        statements.extend(block.insts.iter().map(|&inst| (function, Some(inst))));
        if matches!(block.term, watertight_ir::Terminator::Return(_)) {
            statements.insert((function, None));
        }
    }
    statements
}

/// Does something to every file of programs on two threads; the results come in order.
fn files<T: Send>(work: impl Fn(&Clang, std::ops::Range<u64>) -> T + Sync) -> Vec<T> {
    let clang = clang();
    let starts = Mutex::new((0..programs()).step_by(IN_A_FILE as usize));
    let results = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(start) = starts.lock().unwrap().next() else { break };
                    let result = work(&clang, start..start + IN_A_FILE);
                    results.lock().unwrap().insert(start, result);
                }
            });
        }
    });
    results.into_inner().unwrap().into_values().collect()
}

#[test]
fn what_is_proved_never_loses_a_cell() {
    let options = Options { transfers: 150, ..Options::default() };
    let results = files(|clang, seeds| {
        let (text, entries) = file(seeds.clone());
        let program = program::load_text(clang, &text).unwrap();
        let lost = run(&program, &entries, RUNS);
        let (mut figures, failures) = compare(&text, &program, &lost, &options);
        figures.programs = seeds.end - seeds.start;
        (figures, failures)
    });
    let mut figures = Figures::default();
    let mut failures = Vec::new();
    for (some, more) in results {
        figures.add(&some);
        failures.extend(more);
    }
    println!("{figures:?}");
    assert!(failures.is_empty(), "{} unsound\n{}", failures.len(), failures.join("\n"));
    assert!(figures.programs >= programs(), "only {} programs", figures.programs);
    // A comparison in which nothing is lost or nothing is proved says nothing.
    assert!(figures.losing > programs(), "only {} statements lose a cell", figures.losing);
    assert!(figures.proved > programs(), "only {} statements are proved", figures.proved);
}

/// A program with a `main` that calls the entry with some numbers; none if the entry takes pointers.
fn whole(seed: u64) -> Option<String> {
    let (program, entry) = generate::program(seed);
    let head = program.lines().find(|line| line.contains(&format!("{entry}(")))?;
    let params = head.split_once('(')?.1.split_once(')')?.0;
    if params.contains('*') {
        return None;
    }
    let count = if params == "void" { 0 } else { params.split(',').count() };
    let mut calls = String::new();
    for round in 0..4 {
        let numbers: Vec<String> = (0..count).map(|param| ((round + 2 * param) % 5).to_string()).collect();
        let _ = writeln!(calls, "    {entry}({});", numbers.join(", "));
    }
    Some(format!("{PRELUDE}{program}int main(void) {{\n{calls}    return 0;\n}}\n"))
}

#[test]
fn what_is_proved_of_whole_programs_never_loses_a_cell() {
    // With a `main` nobody else calls anything, and the pointer analysis tells objects apart.
    let clang = clang();
    let texts: Vec<String> = (PROGRAMS..).filter_map(whole).take(WHOLE as usize).collect();
    let rest = Mutex::new(texts.iter());
    let results = Mutex::new((Figures::default(), Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(text) = rest.lock().unwrap().next() else { break };
                    let program = program::load_text(&clang, text).unwrap();
                    let lost = run(&program, &["main".to_owned()], 8);
                    let options = Options { transfers: 500, ..Options::default() };
                    let (figures, failures) = compare(text, &program, &lost, &options);
                    let mut results = results.lock().unwrap();
                    results.0.add(&figures);
                    results.1.extend(failures);
                }
            });
        }
    });
    let (figures, failures) = results.into_inner().unwrap();
    println!("{figures:?}");
    assert!(failures.is_empty(), "{} unsound\n{}", failures.len(), failures.join("\n"));
    assert!(figures.losing > 100 && figures.proved > 1000, "{figures:?}");
}

#[test]
fn random_programs_lose_cells_and_keep_them() {
    let (text, entries) = file(0..IN_A_FILE);
    let program = program::load_text(&clang(), &text).unwrap();
    let lost = run(&program, &entries, RUNS);
    let mut text = String::new();
    let losing = lost.last_references().count();
    let executed = executed(&program, &lost).len();
    let functions: BTreeSet<FuncId> = lost.entered.iter().map(|&(function, _)| function).collect();
    let _ = write!(text, "{losing} of {executed} statements lose, {} functions run", functions.len());
    assert!(losing > 50, "{text}");
    assert!(executed > 10 * losing, "{text}");
    assert!(functions.len() * 10 > defined(&program).len() * 8, "{text} of {}", defined(&program).len());
}

#[test]
fn random_programs_are_reproducible() {
    assert_eq!(generate::program(7), generate::program(7));
    assert_ne!(generate::program(7), generate::program(8));
}
