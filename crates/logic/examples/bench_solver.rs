//! How long questions to the solver take: `cargo run --release -p watertight-logic --example bench_solver`.
//!
//! Random functions are evaluated as the path engine does it: blocks with guards, values merged where control flow
//! joins, branches on comparisons of these values. At every block the solver is asked whether it can be reached, and
//! whether pairs of blocks can be reached together.

use std::hint::black_box;
use std::time::Instant;
use watertight_logic::formulas::Formulas;
use watertight_logic::guard::Guard;
use watertight_logic::question::{Answer, QuestionLimits};
use watertight_logic::solver::{Effort, Solver, SolverOptions};
use watertight_logic::term::TermId;
use watertight_logic::width::Width;

struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

#[derive(Default)]
struct Totals {
    sat: u64,
    unsat: u64,
    unknown: u64,
    terms: usize,
    building: f64,
    slowest: f64,
    effort: Effort,
}

fn add(total: &mut Effort, more: Effort) {
    total.questions += more.questions;
    total.by_guards += more.by_guards;
    total.by_models += more.by_models;
    total.by_cores += more.by_cores;
    total.by_facts += more.by_facts;
    total.by_guesses += more.by_guesses;
    total.solved += more.solved;
    total.conflicts += more.conflicts;
    total.gates += more.gates;
    total.clauses += more.clauses;
    total.sessions += more.sessions;
    total.refinements += more.refinements;
}

/// One function of so many blocks.
fn function(dice: &mut Dice, blocks: usize, totals: &mut Totals) {
    let start = processor_time();
    let mut formulas = Formulas::new();
    let mut solver: Solver = Solver::new();
    let width = Width::W32;
    let inputs: Vec<TermId> = (0..4).map(|_| formulas.terms.variable(width, None)).collect();
    let pointers: Vec<TermId> = (0..2).map(|_| formulas.terms.variable(Width::W64, None)).collect();
    let count = inputs.len();
    // The values of four local variables at the entry of each block, once it is reached.
    let mut states: Vec<Option<(Guard, Vec<TermId>)>> = vec![None; blocks];
    states[0] = Some((Guard::TRUE, inputs.clone()));
    let mut reached: Vec<Guard> = Vec::new();
    for block in 0..blocks {
        let Some((guard, mut values)) = states[block].take() else { continue };
        reached.push(guard);
        // A statement.
        let (to, from, other) = (dice.below(count), dice.below(count), dice.below(count));
        let constant = formulas.terms.constant(width, dice.below(20) as u128);
        values[to] = match dice.below(8) {
            0 | 1 => constant,
            2 => formulas.terms.add(values[from], constant),
            3 => formulas.terms.sub(values[from], values[other]),
            4 => formulas.terms.mul(values[from], constant),
            5 => formulas.terms.and(values[from], constant),
            6 => formulas.terms.variable(width, None),
            _ => values[from],
        };
        if block + 1 == blocks {
            break;
        }
        // A branch.
        let (a, b) = (values[dice.below(count)], values[dice.below(count)]);
        let limit = formulas.terms.constant(width, dice.below(20) as u128);
        let condition = match dice.below(6) {
            0 => formulas.terms.is_zero(pointers[dice.below(2)]),
            1 => formulas.terms.eq(a, limit),
            2 => formulas.terms.slt(a, limit),
            3 => formulas.terms.ult(limit, a),
            4 => formulas.terms.slt(a, b),
            _ => formulas.terms.is_zero(a),
        };
        let condition = formulas.guard(condition);
        let near = (blocks - block - 1).min(4);
        for side in [condition, !condition] {
            let next = block + 1 + dice.below(near);
            let edge = formulas.guards.and(guard, side);
            if edge.is_false() {
                continue;
            }
            states[next] = Some(match states[next].take() {
                None => (edge, values.clone()),
                Some((known, old)) => {
                    let merged =
                        old.iter().zip(&values).map(|(&old, &new)| formulas.choose(edge, new, old)).collect();
                    (formulas.guards.or(known, edge), merged)
                }
            });
        }
    }
    totals.building += processor_time() - start;
    let limits = QuestionLimits::default();
    let mut ask = |formulas: &mut Formulas, question: &[Guard]| {
        let question: Vec<_> = question.iter().map(|&guard| guard.into()).collect();
        let start = Instant::now();
        let answer = solver.ask(formulas, &question, limits);
        totals.slowest = totals.slowest.max(start.elapsed().as_secs_f64());
        match answer {
            Answer::Sat(_) => totals.sat += 1,
            Answer::Unsat(_) => totals.unsat += 1,
            Answer::Unknown(_) => totals.unknown += 1,
        }
    };
    for &guard in &reached {
        ask(&mut formulas, &[guard]);
    }
    for _ in 0..blocks {
        let (a, b) = (reached[dice.below(reached.len())], reached[dice.below(reached.len())]);
        ask(&mut formulas, &[a, b]);
        ask(&mut formulas, &[a, !b]);
    }
    totals.terms += formulas.terms.len();
    add(&mut totals.effort, solver.effort());
}

fn measure(name: &str, functions: usize, size: impl Fn(&mut Dice) -> usize) {
    let mut dice = Dice(0x1234_5678_9ABC_DEF1);
    let mut totals = Totals::default();
    let start = processor_time();
    for _ in 0..functions {
        let blocks = size(&mut dice);
        function(&mut dice, blocks, &mut totals);
    }
    let time = processor_time() - start;
    let effort = totals.effort;
    println!(
        "{name}: {functions} functions in {time:.2} s, {:.0} us to build, {:.0} terms each; {} questions ({} sat, {} unsat, {} unknown), {:.1} us each, slowest {:.1} ms",
        totals.building * 1e6 / functions as f64,
        totals.terms as f64 / functions as f64,
        effort.questions,
        totals.sat,
        totals.unsat,
        totals.unknown,
        (time - totals.building) * 1e6 / effort.questions as f64,
        totals.slowest * 1e3,
    );
    println!(
        "    by guards {}, by models {}, by cores {}, by facts {}, by guesses {}, solved {} with {} conflicts, {} gates, {} clauses, {} sessions, {} refinements",
        effort.by_guards,
        effort.by_models,
        effort.by_cores,
        effort.by_facts,
        effort.by_guesses,
        effort.solved,
        effort.conflicts,
        effort.gates,
        effort.clauses,
        effort.sessions,
        effort.refinements,
    );
}

/// The processor time of this process in seconds: on a busy machine the clock on the wall tells little.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
    nanoseconds.unwrap_or(0.0) * 1e-9
}

fn time(name: &str, rounds: u32, mut work: impl FnMut()) {
    let start = processor_time();
    for _ in 0..rounds {
        work();
    }
    println!("{name}: {:.0} ns", (processor_time() - start) * 1e9 / f64::from(rounds));
}

fn main() {
    let limits = QuestionLimits::default();
    time("fresh formulas and solver", 100_000, || {
        black_box((Formulas::new(), Solver::<watertight_logic::sat::BatSat>::new()));
    });
    let setup = || {
        let mut formulas = Formulas::new();
        let x = formulas.terms.variable(Width::W64, None);
        let (zero, five) = (formulas.terms.constant(Width::W64, 0), formulas.terms.constant(Width::W64, 5));
        let (null, small) = (formulas.terms.eq(x, zero), formulas.terms.ult(five, x));
        (formulas, null, small)
    };
    time("fresh, two conditions on a 64-bit unknown", 20_000, || {
        black_box(setup());
    });
    time("the same and a question: not null", 20_000, || {
        let (mut formulas, null, _) = setup();
        let mut solver: Solver = Solver::new();
        let question = formulas.terms.not(null);
        assert!(solver.ask(&mut formulas, &[question.into()], limits).is_sat());
    });
    time("the same and a question: null and above five", 20_000, || {
        let (mut formulas, null, large) = setup();
        let mut solver: Solver = Solver::new();
        assert!(solver.ask(&mut formulas, &[null.into(), large.into()], limits).is_unsat());
    });
    let direct = SolverOptions { shortcuts: false, ..SolverOptions::default() };
    time("not null, through the satisfiability solver", 20_000, || {
        let (mut formulas, null, _) = setup();
        let mut solver: Solver = Solver::with_options(direct);
        let question = formulas.terms.not(null);
        assert!(solver.ask(&mut formulas, &[question.into()], limits).is_sat());
    });
    time("null and above five, through the satisfiability solver", 20_000, || {
        let (mut formulas, null, large) = setup();
        let mut solver: Solver = Solver::with_options(direct);
        assert!(solver.ask(&mut formulas, &[null.into(), large.into()], limits).is_unsat());
    });
    let (mut formulas, null, large) = setup();
    let mut solver: Solver = Solver::new();
    let (null, large) = (formulas.guard(null), formulas.guard(large));
    time("a question that guards answer", 100_000, || {
        assert!(solver.ask(&mut formulas, &[null.into(), (!null).into()], limits).is_unsat());
    });
    assert!(solver.ask(&mut formulas, &[large.into()], limits).is_sat());
    time("a question that a known model answers", 100_000, || {
        assert!(solver.ask(&mut formulas, &[large.into(), (!null).into()], limits).is_sat());
    });
    assert!(solver.ask(&mut formulas, &[large.into(), null.into()], limits).is_unsat());
    time("a question that a known contradiction answers", 100_000, || {
        assert!(solver.ask(&mut formulas, &[large.into(), null.into()], limits).is_unsat());
    });
    measure("small", 2000, |dice| 5 + dice.below(36));
    measure("large", 20, |_| 200);
    if std::env::args().any(|word| word == "huge") {
        measure("huge", 2, |_| 1000);
    }
}
