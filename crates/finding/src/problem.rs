//! What a run could not do, and how much it did.
//!
//! "Nothing found" means little without "and looked everywhere". A problem is therefore a result like a
//! finding: it is listed in every format, and a function that was given up is never counted as clean.
//!
//! ```
//! use watertight_finding::{Place, Problem, ProblemKind};
//! let problem = Problem::new(ProblemKind::GivenUp, "yyparse", "the step budget is spent")
//!     .at(Place::new("src/parse.c", 102, 1));
//! assert_eq!(problem.to_string(), "src/parse.c:102:1: `yyparse` was analysed only in part: the step budget is spent");
//! ```

use serde::{Deserialize, Serialize};
use std::fmt;

use crate::{Level, Place};

/// Something that could not be done, or not in full.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Problem {
    /// Where in the source it is, if it is about a place.
    pub place: Option<Place>,
    /// What kind of problem it is.
    pub kind: ProblemKind,
    /// What it is about: the name of the function, of the file, of the suppressed rule.
    pub subject: String,
    /// Why: lower case, no final dot.
    pub cause: String,
}

impl Problem {
    /// A problem without a place.
    #[must_use]
    pub fn new(kind: ProblemKind, subject: impl Into<String>, cause: impl Into<String>) -> Problem {
        Problem { place: None, kind, subject: subject.into(), cause: cause.into() }
    }

    /// The same problem, at a place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Problem {
        self.place = Some(place);
        self
    }

    /// The problem as one sentence without its place.
    #[must_use]
    pub fn sentence(&self) -> String {
        let Problem { subject, cause, .. } = self;
        match self.kind {
            ProblemKind::GivenUp => format!("`{subject}` was analysed only in part: {cause}"),
            ProblemKind::UnitFailed => format!("could not analyse `{subject}`: {cause}"),
            ProblemKind::Unsupported => {
                format!(
                    "a part of `{subject}` is skipped, because it uses something that is not supported: {cause}"
                )
            }
            ProblemKind::InternalError => {
                format!("internal error in the analysis of `{subject}`, please report it: {cause}")
            }
            ProblemKind::Configuration => format!("`{subject}`: {cause}"),
            ProblemKind::MalformedSuppression => format!("this `ignore` comment has no effect: {cause}"),
            ProblemKind::UnusedSuppression => {
                format!("this `ignore[{subject}]` comment is not needed: {cause}")
            }
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.sentence())
    }
}

/// What kind of problem it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ProblemKind {
    /// A translation unit could not be compiled or read.
    UnitFailed,
    /// Our own mistake; the run went on without the function.
    InternalError,
    /// A function was given up because a budget was spent.
    GivenUp,
    /// Something in a function is not understood and was treated as unknown.
    Unsupported,
    /// A configuration or model file has a mistake.
    Configuration,
    /// A suppression comment that cannot be understood, or that gives no reason.
    MalformedSuppression,
    /// A suppression comment that suppresses nothing.
    UnusedSuppression,
}

impl ProblemKind {
    /// Every kind, in the order of declaration.
    pub const ALL: [ProblemKind; 7] = [
        ProblemKind::UnitFailed,
        ProblemKind::InternalError,
        ProblemKind::GivenUp,
        ProblemKind::Unsupported,
        ProblemKind::Configuration,
        ProblemKind::MalformedSuppression,
        ProblemKind::UnusedSuppression,
    ];

    /// The word used in machine-readable formats.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ProblemKind::UnitFailed => "unit-failed",
            ProblemKind::InternalError => "internal-error",
            ProblemKind::GivenUp => "given-up",
            ProblemKind::Unsupported => "unsupported",
            ProblemKind::Configuration => "configuration",
            ProblemKind::MalformedSuppression => "malformed-suppression",
            ProblemKind::UnusedSuppression => "unused-suppression",
        }
    }

    /// One line that says what such a problem means.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        match self {
            ProblemKind::UnitFailed => "a translation unit could not be compiled or read",
            ProblemKind::InternalError => "the analysis of a function failed because of a bug in watertight",
            ProblemKind::GivenUp => {
                "the analysis of a function was ended early: it needs more work than the limits allow"
            }
            ProblemKind::Unsupported => "a function contains code that is not supported",
            ProblemKind::Configuration => "a settings, model or property file has a mistake",
            ProblemKind::MalformedSuppression => {
                "an `ignore` comment cannot be understood or gives no reason"
            }
            ProblemKind::UnusedSuppression => "an `ignore` comment suppresses nothing",
        }
    }

    /// How loud such a problem is.
    #[must_use]
    pub const fn level(self) -> Level {
        match self {
            ProblemKind::UnitFailed | ProblemKind::InternalError => Level::Error,
            ProblemKind::Configuration | ProblemKind::MalformedSuppression => Level::Warning,
            ProblemKind::GivenUp | ProblemKind::Unsupported | ProblemKind::UnusedSuppression => Level::Note,
        }
    }
}

/// How much a run looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Translation units that were analysed.
    pub files: u64,
    /// Functions with a body that were analysed, the ones given up included.
    pub functions: u64,
    /// Functions that were proved not to lose memory, when proofs were asked for.
    pub proved: Option<u64>,
    /// What that rests on, by name.
    #[serde(default)]
    pub proved_assuming: Vec<Box<str>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_own_name_and_sentence() {
        let mut names: Vec<_> = ProblemKind::ALL.iter().map(|kind| kind.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ProblemKind::ALL.len());
        for kind in ProblemKind::ALL {
            let text = Problem::new(kind, "subject", "the cause").sentence();
            assert!(text.ends_with("the cause"), "{text}");
        }
    }
}
