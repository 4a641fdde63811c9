//! How a run ends.
//!
//! Three kinds of failure are kept apart to the exit code: the user's, the environment's, ours. A mistake in a file of
//! models or properties comes before findings, which may be wrong without it; findings come before
//! a unit that failed, since they are what the user asked for; a bug of ours comes before everything, since nothing
//! that was said may be relied on. Zero is only for a run that looked at all it was asked to look at.

use watertight_analysis::{Error, Run};
use watertight_capture::FailureKind;
use watertight_finding::ProblemKind;

/// The exit codes, by meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Clean,
    Findings,
    Usage,
    Environment,
    Bug,
    /// The program that `exec` ran ended like this.
    Program(u8),
}

impl Exit {
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Clean => 0,
            Exit::Findings => 1,
            Exit::Usage => 2,
            Exit::Environment => 3,
            Exit::Bug => 4,
            Exit::Program(code) => code,
        }
    }

    /// How a run ends that showed so many findings.
    pub(crate) fn of(run: &Run, findings: usize) -> Exit {
        let has = |kind| run.problems.iter().any(|problem| problem.kind == kind);
        if has(ProblemKind::InternalError) {
            Exit::Bug
        } else if has(ProblemKind::Configuration) {
            // Without the rules and models of a wrong file, neither findings nor silence say much.
            Exit::Usage
        } else if findings > 0 {
            Exit::Findings
        } else if has(ProblemKind::UnitFailed) {
            // A file that is not there is a mistake in what was typed, like a wrong flag.
            let missing = run.failures.iter().filter(|failure| failure.kind == FailureKind::Missing).count();
            let failed =
                run.problems.iter().filter(|problem| problem.kind == ProblemKind::UnitFailed).count();
            if missing == failed { Exit::Usage } else { Exit::Environment }
        } else if run.seen.build.as_ref().is_some_and(|build| !build.success) {
            // What the build did not come to was not looked at.
            Exit::Environment
        } else {
            Exit::Clean
        }
    }
}

/// Why a command stops without a result.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) exit: Exit,
    /// Lower case, without a final dot.
    pub(crate) message: String,
}

impl Stop {
    pub(crate) fn usage(message: impl Into<String>) -> Stop {
        Stop { exit: Exit::Usage, message: message.into() }
    }

    pub(crate) fn bug(message: impl Into<String>) -> Stop {
        Stop { exit: Exit::Bug, message: message.into() }
    }

    pub(crate) fn environment(message: impl Into<String>) -> Stop {
        Stop { exit: Exit::Environment, message: message.into() }
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        let exit = match error.exit_code() {
            2 => Exit::Usage,
            3 => Exit::Environment,
            _ => Exit::Bug,
        };
        let message = match exit {
            Exit::Bug => format!("{error}\n{ASK_FOR_REPORT}"),
            _ => error.to_string(),
        };
        Stop { exit, message }
    }
}

/// What to say when we are to blame.
pub(crate) const ASK_FOR_REPORT: &str = "\
this is a bug of watertight, not of your program; please report it with this message, the command, and, if you can, \
the file it happened in (the preprocessed source is enough)";

#[cfg(test)]
mod tests {
    use super::*;
    use watertight_capture::Failure;
    use watertight_finding::Problem;

    fn check(problems: &[ProblemKind], failures: &[FailureKind], findings: usize, expected: u8) {
        let mut run = Run::default();
        run.problems = problems.iter().map(|kind| Problem::new(*kind, "a.c", "why")).collect();
        run.failures = failures
            .iter()
            .map(|kind| Failure { name: "a.c".to_owned(), kind: *kind, message: "why".to_owned() })
            .collect();
        assert_eq!(Exit::of(&run, findings).code(), expected, "{problems:?} {failures:?} {findings}");
    }

    #[test]
    fn codes_come_in_the_order_of_weight() {
        use ProblemKind::{Configuration, GivenUp, InternalError, UnitFailed};
        check(&[], &[], 0, 0);
        check(&[GivenUp], &[], 0, 0);
        check(&[], &[], 2, 1);
        check(&[UnitFailed], &[FailureKind::Compile], 2, 1);
        check(&[UnitFailed], &[FailureKind::Missing], 0, 2);
        check(&[UnitFailed], &[FailureKind::Compile], 0, 3);
        check(&[UnitFailed, UnitFailed], &[FailureKind::Missing, FailureKind::Compile], 0, 3);
        // A unit that was captured and could not be decoded.
        check(&[UnitFailed], &[], 0, 3);
        check(&[Configuration], &[], 2, 2);
        check(&[InternalError], &[], 0, 4);
        check(&[InternalError, UnitFailed], &[FailureKind::Compile], 2, 4);
    }
}
