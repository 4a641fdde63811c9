//! CaDiCaL, with the cargo feature `cadical`.
//!
//! Its literals are the numbers of the DIMACS format. The limit of conflicts holds for one question and has to be set
//! before each. It takes no preferred value per variable, so the values in its models are less tidy.

use super::{Phase, SatAnswer, SatLit, SatSolver, SatVar};

/// A stronger solver, slower to create.
pub struct CaDiCaL {
    solver: cadical::Solver<Counter>,
    variables: u32,
    refuted: bool,
    conflicts: u64,
}

/// Counts the conflicts: each learns one clause.
#[derive(Default)]
struct Counter {
    conflicts: u64,
}

impl cadical::Callbacks for Counter {
    fn max_length(&self) -> i32 {
        i32::MAX
    }

    fn learn(&mut self, _clause: &[i32]) {
        self.conflicts += 1;
    }
}

impl Default for CaDiCaL {
    fn default() -> CaDiCaL {
        let mut solver = cadical::Solver::new();
        solver.set_callbacks(Some(Counter::default()));
        CaDiCaL { solver, variables: 0, refuted: false, conflicts: 0 }
    }
}

fn lit(literal: SatLit) -> i32 {
    let number = i32::try_from(literal.var().0 + 1).expect("fewer than 2^31 variables");
    if literal.is_positive() { number } else { -number }
}

impl SatSolver for CaDiCaL {
    fn new_variable(&mut self, _phase: Phase) -> SatVar {
        self.variables += 1;
        self.solver.reserve(self.variables as i32);
        SatVar(self.variables - 1)
    }

    fn add_clause(&mut self, clause: &[SatLit]) {
        if clause.is_empty() {
            self.refuted = true;
        } else {
            self.solver.add_clause(clause.iter().map(|&literal| lit(literal)));
        }
    }

    fn solve(&mut self, assumptions: &[SatLit], conflicts: u64) -> SatAnswer {
        if self.refuted {
            return SatAnswer::Unsat;
        }
        let limit = i32::try_from(conflicts).unwrap_or(i32::MAX);
        self.solver.set_limit("conflicts", limit).expect("the limit of conflicts has a fixed name");
        let answer = self.solver.solve_with(assumptions.iter().map(|&literal| lit(literal)));
        self.conflicts = self.solver.get_callbacks().map_or(0, |counter| counter.conflicts);
        match answer {
            Some(true) => SatAnswer::Sat,
            Some(false) => SatAnswer::Unsat,
            None => SatAnswer::Unknown,
        }
    }

    fn value(&self, var: SatVar) -> bool {
        self.solver.value(lit(SatLit::new(var, true))) == Some(true)
    }

    fn failed(&self, assumption: SatLit) -> bool {
        !self.refuted && self.solver.failed(lit(assumption))
    }

    fn conflicts(&self) -> u64 {
        self.conflicts
    }
}
