//! Rules, findings and traces as plain values.
//!
//! This crate is the language in which checkers speak and which reports understand. Nothing here computes,
//! reads a file or knows an engine: a [`Finding`] is complete in itself, so that it can be shown, stored,
//! compared and merged without the program it came from.
//!
//! * A [`Rule`] says what kind of defect there is. Checkers own the rules; here is only their type.
//! * A [`Finding`] is one root cause: the place where a resource is acquired, and in `exits` every path on
//!   which it is lost. It says why it may not be true ([`Doubts`]), how sure that leaves us ([`Confidence`]), and how the
//!   path was checked ([`Support`]).
//! * A [`Trace`] is one path from acquiring to losing; a [`Step`] is one place on it.
//! * A [`Said`] says what happens at a step, by name; its sentence stands beside it, and no engine knows one.
//! * A [`Problem`] is something the run could not do. A function given up is a problem, never silence.
//! * [`merge`] brings together what several engines say about the same root cause, and puts findings in the
//!   order in which people should read them.
//!
//! What must hold: nothing in a finding depends on the order in which functions were visited, and the parts
//! that name a finding over time ([`Identity`]) contain no line numbers.
//!
//! # Example
//!
//! ```
//! use std::borrow::Cow;
//! use watertight_finding::*;
//!
//! const RULE: Rule = Rule {
//!     id: RuleId::new("memory-leak"),
//!     summary: Cow::Borrowed("memory is lost before it is released"),
//!     level: Level::Warning,
//!     cwe: Cow::Borrowed(&[Cwe(401)]),
//!     default: Switch::On,
//!     since: Cow::Borrowed("0.1.0"),
//!     help: Cow::Borrowed("Release the memory on every path, or hand it to somebody who does."),
//!     page: Page::NONE,
//! };
//!
//! let acquired = Place::new("src/conf.c", 14, 18).in_function("load");
//! let left = Place::new("src/conf.c", 19, 9).in_function("load");
//! let message = "memory acquired by `strdup` and held in `copy` is lost";
//! let mut finding = Finding::new(&RULE, message, acquired.clone());
//! finding.identity = Identity::new("load", "copy = strdup(name)");
//! finding.doubts = Doubts::NONE;
//! finding.exits.push(Trace::new(
//!     Support::SolverChecked,
//!     vec![
//!         Step::new(StepKind::Acquire, acquired, "`strdup` acquires memory"),
//!         Step::new(StepKind::Lost, left, "`copy` was the last reference").with_value("keep", "0"),
//!     ],
//! ));
//!
//! // Another engine that knows less about the same root cause does not make a second finding.
//! let mut again = finding.clone();
//! again.doubts = Doubt::LoopCut.into();
//! let merged = merge(vec![again, finding]);
//! assert_eq!(merged.len(), 1);
//! assert_eq!(merged[0].confidence(), Confidence::High);
//! assert_eq!(merged[0].exits.len(), 1);
//! ```
#![deny(missing_docs)]

mod doubt;

mod finding;
mod identity;
mod merge;
mod place;
mod problem;
mod rule;
mod said;
mod story;
mod trace;
mod wording;

pub use doubt::{Doubt, Doubts};
pub use finding::{Assumption, Confidence, Finding, Growth, ResourceKind, Support, Urgency, Variant};
pub use identity::{Identity, normalise};
pub use merge::{merge, sort};
pub use place::Place;
pub use problem::{Coverage, Problem, ProblemKind};
pub use rule::{Cwe, Level, Page, Rule, RuleId, RuleIdError, Switch};
pub use said::{
    Assumed, BY_POINTER, GIVEN_UP, Said, UNKNOWN_CODE, contradicted, name_or_it, named, named_global,
};
pub use story::{Broken, Ending, Story};
pub use trace::{Binding, Step, StepKind, Trace};
pub use wording::{broken_sentence, is_or_are, with_article};
