//! BatSat: MiniSat in Rust.
//!
//! It has no limit of conflicts that can be set from outside, but it asks its callbacks regularly whether to stop, and
//! tells them of every clause it learns, which is once per conflict. Counting these gives a limit that is (but for a few
//! conflicts in a row) exact and
//! the same on every machine. With callbacks of our own the solver can move between threads.

use super::{Phase, SatAnswer, SatLit, SatSolver, SatVar};
use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, Var, lbool};

/// The default solver.
pub struct BatSat {
    solver: Solver<Counter>,
    clause: Vec<Lit>,
    /// Set when the clauses alone are contradictory.
    refuted: bool,
}

/// Counts conflicts and says when there were enough.
#[derive(Default)]
struct Counter {
    conflicts: u64,
    limit: u64,
}

impl Callbacks for Counter {
    fn on_new_clause(&mut self, _clause: &[Lit], kind: ClauseKind) {
        if matches!(kind, ClauseKind::Learnt) {
            self.conflicts += 1;
        }
    }

    fn stop(&self) -> bool {
        self.conflicts >= self.limit
    }
}

impl Default for BatSat {
    fn default() -> BatSat {
        let solver = Solver::new(SolverOpts::default(), Counter::default());
        BatSat { solver, clause: Vec::new(), refuted: false }
    }
}

fn lit(literal: SatLit) -> Lit {
    Lit::new(Var::unsafe_from_idx(literal.var().0), literal.is_positive())
}

impl SatSolver for BatSat {
    fn new_variable(&mut self, phase: Phase) -> SatVar {
        let preferred = match phase {
            Phase::False => lbool::FALSE,
            Phase::Free => lbool::UNDEF,
        };
        SatVar(self.solver.new_var(preferred, true).idx())
    }

    fn add_clause(&mut self, clause: &[SatLit]) {
        self.clause.clear();
        self.clause.extend(clause.iter().map(|&literal| lit(literal)));
        if !self.solver.add_clause_reuse(&mut self.clause) {
            self.refuted = true;
        }
    }

    fn solve(&mut self, assumptions: &[SatLit], conflicts: u64) -> SatAnswer {
        if self.refuted {
            return SatAnswer::Unsat;
        }
        let counter = self.solver.cb_mut();
        // The solver must be able to finish a question that has no conflict at all.
        counter.limit = counter.conflicts.saturating_add(conflicts.max(1));
        let assumptions: Vec<Lit> = assumptions.iter().map(|&literal| lit(literal)).collect();
        match self.solver.solve_limited(&assumptions) {
            answer if answer == lbool::TRUE => SatAnswer::Sat,
            answer if answer == lbool::FALSE => SatAnswer::Unsat,
            _ => SatAnswer::Unknown,
        }
    }

    fn value(&self, var: SatVar) -> bool {
        self.solver.value_var(Var::unsafe_from_idx(var.0)) == lbool::TRUE
    }

    fn failed(&self, assumption: SatLit) -> bool {
        // The solver keeps the clause that contradicts the assumptions: it contains their negations.
        !self.refuted && self.solver.unsat_core_contains_lit(!lit(assumption))
    }

    fn conflicts(&self) -> u64 {
        self.solver.num_conflicts()
    }
}
