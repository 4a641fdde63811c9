//! One root cause, with everything needed to believe it.
//!
//! The primary place of a finding is where the resource is acquired: all engines agree on that place, so
//! findings about the same root cause can be brought together by it. The places where the resource is lost
//! are the ends of the traces in `exits`.
//!
//! What must hold: the message is one sentence without a final dot, in the words of the program ("memory
//! acquired by `strdup` and held in `copy` is lost"); `support` is the best support among the exits. How sure a
//! finding is follows from its doubts.
//!
//! All enums print by `name()`, the word that machine-readable formats use.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

use crate::{Doubt, Doubts, Identity, Level, Place, Rule, RuleId, Step, Trace};

/// A defect: one root cause and all the ways in which it shows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Finding {
    /// The kind of defect.
    pub rule: RuleId,
    /// How loud it is.
    pub level: Level,
    /// Why it may not be a defect.
    pub doubts: Doubts,
    /// How well the best checked path was checked.
    pub support: Support,
    /// What has to go wrong for it to show; decides what is read first.
    pub urgency: Urgency,
    /// How the damage adds up while the program runs.
    pub growth: Growth,
    /// One sentence without a final dot that names the expression.
    pub message: String,
    /// The primary place: where the resource is acquired.
    pub place: Place,
    /// What is lost.
    pub resource: ResourceKind,
    /// In what way it is lost; absent for rules in which nothing is lost.
    pub variant: Option<Variant>,
    /// What holds it until it is lost, as the source calls it: a variable, a member, or the owner that is released without it.
    #[serde(default)]
    pub holder: Option<String>,
    /// Every path on which the defect shows, at most one per place where it ends.
    pub exits: Vec<Trace>,
    /// A release of the same resource on another path, if there is one: the best hint how to repair it.
    pub sibling: Option<Step>,
    /// What arguments and globals must be like for it to happen, each in words: "`flags` has bit 2".
    pub needs: Vec<String>,
    /// What had to be assumed about code that is not known.
    pub assumptions: Vec<Assumption>,
    /// What names this finding from one run to the next.
    pub identity: Identity,
}

impl Finding {
    /// A finding of a rule with nothing known about it but the message and the place. The other fields are
    /// public and start at the most careful value: not checked, no exits.
    #[must_use]
    pub fn new(rule: &Rule, message: impl Into<String>, place: Place) -> Finding {
        Finding {
            rule: rule.id.clone(),
            level: rule.level,
            doubts: Doubt::NotChecked.into(),
            support: Support::Unchecked,
            urgency: Urgency::Ordinary,
            growth: Growth::EachCall,
            message: message.into(),
            identity: Identity::new(&place.function, ""),
            place,
            resource: ResourceKind::HEAP,
            variant: None,
            holder: None,
            exits: Vec::new(),
            sibling: None,
            needs: Vec::new(),
            assumptions: Vec::new(),
        }
    }

    /// How sure we are that it is a defect.
    #[must_use]
    pub fn confidence(&self) -> Confidence {
        self.doubts.confidence()
    }
}

/// How sure we are that a finding is a defect. Ordered from unsure to sure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Confidence {
    /// Of findings with such doubts fewer than seven in ten are true; hidden unless asked for.
    Low,
    /// At least seven in ten are.
    Medium,
    /// At least nine in ten are.
    High,
}

impl Confidence {
    /// Every value, from sure to unsure.
    pub const ALL: [Confidence; 3] = [Confidence::High, Confidence::Medium, Confidence::Low];

    /// The word used in every output format and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Confidence::Low => "low",
            Confidence::Medium => "medium",
            Confidence::High => "high",
        }
    }

    /// The value with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Confidence> {
        Confidence::ALL.into_iter().find(|confidence| confidence.name() == name)
    }
}

/// How well a path was checked by code that did not find it. Ordered from worst to best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Support {
    /// Not checked.
    Unchecked,
    /// The solver's model was evaluated back on the conditions of the path.
    SolverChecked,
    /// The interpreter ran the path and lost the resource.
    Replayed,
}

impl Support {
    /// The word used in machine-readable formats.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Support::Unchecked => "unchecked",
            Support::SolverChecked => "solver-checked",
            Support::Replayed => "replayed",
        }
    }
}

/// How the damage adds up while the program runs. Ordered by urgency, the most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Growth {
    /// Every turn of a loop loses another one.
    EachIteration,
    /// Every call on an ordinary path loses one.
    EachCall,
    /// Only a path that handles an error loses one.
    ErrorPath,
    /// At most one is lost while the process lives.
    OncePerProcess,
}

impl Growth {
    /// The word used in machine-readable formats.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Growth::EachIteration => "each-iteration",
            Growth::EachCall => "each-call",
            Growth::ErrorPath => "error-path",
            Growth::OncePerProcess => "once-per-process",
        }
    }
}

/// What has to go wrong before the defect shows. Ordered by urgency, the most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub enum Urgency {
    /// Nothing: the program does what it is meant to do.
    #[default]
    Ordinary,
    /// A call fails, otherwise than for want of memory, or the function itself reports a failure.
    ErrorHandling,
    /// Memory runs out.
    MemoryRunsOut,
    /// Only the end of the process follows, which releases everything.
    ProcessEnding,
}

impl Urgency {
    /// Every value, the most urgent first.
    pub const ALL: [Urgency; 4] =
        [Urgency::Ordinary, Urgency::ErrorHandling, Urgency::MemoryRunsOut, Urgency::ProcessEnding];

    /// The word used in machine-readable formats.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Urgency::Ordinary => "ordinary",
            Urgency::ErrorHandling => "error-handling",
            Urgency::MemoryRunsOut => "memory-runs-out",
            Urgency::ProcessEnding => "process-ending",
        }
    }
}

/// In what way a resource is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Variant {
    /// No path releases it.
    NeverReleased,
    /// Some paths release it and others do not.
    SomePaths,
    /// Another value is stored over the last reference.
    Overwritten,
    /// The object that held the last reference is itself released.
    LostWithOwner,
    /// The call that acquires it throws its result away.
    DroppedResult,
    /// It is still held when the program ends.
    HeldAtExit,
}

impl Variant {
    /// The word used in machine-readable formats.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Variant::NeverReleased => "never-released",
            Variant::SomePaths => "some-paths",
            Variant::Overwritten => "overwritten",
            Variant::LostWithOwner => "lost-with-owner",
            Variant::DroppedResult => "dropped-result",
            Variant::HeldAtExit => "held-at-exit",
        }
    }
}

/// What kind of resource it is, by the name that the library models give it. Models may add kinds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ResourceKind(Cow<'static, str>);

impl ResourceKind {
    /// Memory from `malloc` and its relatives.
    pub const HEAP: ResourceKind = ResourceKind::named("heap");
    /// A `FILE *`.
    pub const FILE: ResourceKind = ResourceKind::named("FILE");
    /// A file descriptor.
    pub const FD: ResourceKind = ResourceKind::named("fd");
    /// A `DIR *`.
    pub const DIR: ResourceKind = ResourceKind::named("DIR");
    /// A mapping from `mmap`.
    pub const MMAP: ResourceKind = ResourceKind::named("mmap");

    /// A kind with a constant name.
    #[must_use]
    pub const fn named(name: &'static str) -> ResourceKind {
        ResourceKind(Cow::Borrowed(name))
    }

    /// A kind whose name comes from a model file.
    #[must_use]
    pub fn from_model(name: &str) -> ResourceKind {
        ResourceKind(Cow::Owned(name.to_owned()))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ResourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Something that had to be assumed, mostly about a function whose code is not known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Assumption {
    /// Where the assumption was needed.
    pub place: Place,
    /// What was assumed: a clause without a final dot, "`log_name` does not keep its first argument".
    pub text: String,
}

impl Assumption {
    /// An assumption needed at a place.
    #[must_use]
    pub fn new(place: Place, text: impl Into<String>) -> Assumption {
        Assumption { place, text: text.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_say_what_they_promise() {
        assert!(Confidence::High > Confidence::Medium && Confidence::Medium > Confidence::Low);
        assert!(Support::Replayed > Support::SolverChecked && Support::SolverChecked > Support::Unchecked);
        assert!(Growth::EachIteration < Growth::EachCall && Growth::EachCall < Growth::ErrorPath);
        assert!(Growth::ErrorPath < Growth::OncePerProcess);
        assert!(Level::Error > Level::Warning && Level::Warning > Level::Note);
    }

    #[test]
    fn confidence_is_found_by_its_name() {
        for confidence in Confidence::ALL {
            assert_eq!(Confidence::from_name(confidence.name()), Some(confidence));
        }
        assert_eq!(Confidence::from_name("High"), None);
    }

    #[test]
    fn kinds_are_equal_by_name() {
        assert_eq!(ResourceKind::from_model("heap"), ResourceKind::HEAP);
        assert_ne!(ResourceKind::FD, ResourceKind::FILE);
    }
}
