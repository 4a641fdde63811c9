//! The seam between the program and the engines.
//!
//! In: a joined program. Out: findings, how much was looked at, and what could not be done. An engine is plugged in
//! here and nowhere else: its rules in [`rules`], its call in [`check`].

use watertight_finding::{Coverage, Finding, Problem, ProblemKind, Rule};
use watertight_ir::Program;

use crate::run::Options;

/// What the engines say about a program.
#[derive(Debug, Default)]
pub struct Checked {
    /// Before merging, suppressing and selecting.
    pub findings: Vec<Finding>,
    /// How much was looked at.
    pub coverage: Coverage,
    /// What was given up or could not be done.
    pub problems: Vec<Problem>,
}

/// Every rule that this version can check.
#[must_use]
pub fn rules() -> Vec<Rule> {
    // No engine is plugged in yet, so there is no rule; `check` says so instead of "no findings".
    Vec::new()
}

/// Checks a program.
#[must_use]
pub fn check(program: &Program, options: &Options) -> Checked {
    let mut checked = Checked {
        coverage: Coverage { files: program.units.len() as u64, functions: program.defined().count() as u64 },
        ..Checked::default()
    };
    for model in &options.models {
        let cause = "model files are not read by this version";
        let problem = Problem::new(ProblemKind::Configuration, model.display().to_string(), cause);
        checked.problems.push(problem);
    }
    checked
}
