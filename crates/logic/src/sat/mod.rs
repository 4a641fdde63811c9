//! Satisfiability of clauses, behind one small interface of ours.
//!
//! A solver takes clauses over boolean variables and is asked whether they can all be true together with some
//! assumptions, within a limit of conflicts. Clauses can be added between questions; what was learnt stays. The limit
//! counts conflicts and not time, so the answer does not depend on the machine.
//!
//! Which call is legal when: `add_clause` and `new_variable` at any time between questions; `value` after `Sat`,
//! `failed` after `Unsat`, in both cases until the next call that changes the solver.
//!
//! [`BatSat`] is the solver used everywhere. CaDiCaL is available with the cargo feature `cadical`; it is stronger on
//! products and slower to create.

mod batsat;
#[cfg(feature = "cadical")]
mod cadical;

pub use self::batsat::BatSat;
#[cfg(feature = "cadical")]
pub use self::cadical::CaDiCaL;

use std::ops::Not;

/// A boolean variable of a solver.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SatVar(pub(crate) u32);

/// A variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SatLit(u32);

impl SatLit {
    /// The literal that holds when the variable is true, or when it is false.
    pub fn new(var: SatVar, positive: bool) -> SatLit {
        SatLit(var.0 << 1 | u32::from(!positive))
    }

    #[inline]
    pub fn var(self) -> SatVar {
        SatVar(self.0 >> 1)
    }

    #[inline]
    pub fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }
}

impl Not for SatLit {
    type Output = SatLit;
    fn not(self) -> SatLit {
        SatLit(self.0 ^ 1)
    }
}

/// The answer of a solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SatAnswer {
    Sat,
    Unsat,
    /// The limit of conflicts was reached first.
    Unknown,
}

/// Which value the solver tries first when it has to guess a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Always false. For the bits of unknowns, which makes for small and readable values.
    False,
    /// Whatever the solver finds best.
    Free,
}

/// What we ask of a satisfiability solver.
pub trait SatSolver: Default + Send {
    /// A new variable.
    fn new_variable(&mut self, phase: Phase) -> SatVar;

    /// From now on at least one of the literals must be true.
    fn add_clause(&mut self, clause: &[SatLit]);

    /// Whether all clauses and assumptions can be true together. At most `conflicts` conflicts are spent.
    fn solve(&mut self, assumptions: &[SatLit], conflicts: u64) -> SatAnswer;

    /// The value of a variable in the model just found.
    fn value(&self, var: SatVar) -> bool;

    /// Whether an assumption was needed for the refutation just found.
    fn failed(&self, assumption: SatLit) -> bool;

    /// The conflicts of all questions so far.
    fn conflicts(&self) -> u64;
}
