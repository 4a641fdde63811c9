//! Bit-vector terms, guards and satisfiability: everything boolean that an engine needs, for one function at a time.
//!
//! What goes in: terms built from unknowns and constants by C's integer operations ([`term`]), and guards over the
//! conditions of branches ([`guard`]), tied together in [`formulas::Formulas`]. What comes out: the answer whether some
//! guards and conditions can hold together, with values or with the assumptions that contradict each other
//! ([`solver::Solver::ask`]).
//!
//! How it works, from the surface down, one file or folder each:
//! - `term`, `simplify`, `semantics`: hash-consed terms, rewritten as they are built; what each operation means;
//! - `eval`, `cone`, `print`, `rebuild`: the value, the parts and the text of a term; terms with unknowns replaced;
//! - `guard`, `conditions`, `formulas`: canonical guards, the terms their conditions stand for;
//! - `question`, `solver`, `check`, `readable`: questions and answers; answers are checked by evaluation;
//! - `facts`, `guess`: answers to simple questions without a solver;
//! - `bitblast`, `gates`, `session`, `sat`: circuits of just what a question depends on, as clauses for BatSat;
//! - `budget`: step budgets for the engines above;
//! - `limits`: the form of their tables of limits.
//!
//! What must hold: every "satisfiable" has been evaluated on the terms; every "unsatisfiable" is a proof; everything
//! else is "unknown" with a cause. The same calls give the same results on every machine: limits count steps, and no
//! order depends on a hash. No recursion depends on the depth of terms.
//!
//! The method is that of Saturn (Xie and Aiken, "Saturn: A scalable framework for error detection using boolean
//! satisfiability", sections 2 and 3): lazy construction of formulas, slicing by construction, BDDs for guards. Departing
//! from it, values are kept as words and not as bits until a question is asked, and rewritten as words.

mod bitblast;
pub mod budget;
mod check;
pub mod conditions;
pub mod cone;
pub mod eval;
mod facts;
pub mod formulas;
mod gates;
pub mod guard;
mod guess;
pub mod limits;
pub mod print;
pub mod question;
mod readable;
mod rebuild;
pub mod sat;
pub mod semantics;
mod session;
mod simplify;
pub mod solver;
mod table;
pub mod term;
pub mod width;
