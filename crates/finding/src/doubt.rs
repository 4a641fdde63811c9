//! Why a finding may not be true, and how sure that leaves us.
//!
//! An engine that approximates notes what its answer rests on: a loop that was not followed to its end, a function that is not
//! in sight. Each such reason is a [`Doubt`]. A finding carries its [`Doubts`], and its confidence is derived from them here
//! and nowhere else: the confidence of the gravest one, and high if there is none. So a finding of low or medium confidence
//! always says why.
//!
//! What must hold: a doubt stands in [`TABLE`] and has a section in `docs/confidence.md`, with an example and how often
//! findings with it were true. What a doubt leaves of the confidence follows from that figure.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::Confidence;

/// One reason why a finding may not be true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the table below has the words")]
pub enum Doubt {
    // Code that is not known.
    UnknownCallee,
    UnknownPointer,
    VariableArguments,
    CalleeInPart,
    Borrowed,
    Believed,
    MemberOwned,
    MemberGuessed,
    // Values of which code that was not followed knows more.
    LoopCut,
    CalleeChoice,
    CalleeWrote,
    CalleeMade,
    CalleeReleases,
    CalleeFailed,
    NullArgument,
    ElementUnknown,
    ReadAgain,
    ManyConditions,
    Undecided,
    Incomplete,
    ValueGivenUp,
    InBrief,
    // What people mean by it.
    StructSays,
    LookedAt,
    OnlyCompared,
    JumpAwaited,
    FirstDescriptor,
    OrdinaryLoss,
    HeldByGlobal,
    OtherReference,
    KeptInStep,
    FoundAgain,
    // What callers do.
    UnlikeCallers,
    NotLinked,
    // States.
    StateEither,
    StateAlias,
    StateSpared,
    StateOutcome,
    StateMeant,
    StateShared,
    StateUntold,
    // Who says so.
    RunOnly,
    RunHolds,
    RunDiffers,
    FlowOnly,
    FlowAlone,
    FlowTargets,
    NotProved,
    NotChecked,
}

/// What there is to know about a doubt.
struct Entry {
    doubt: Doubt,
    /// The word that machine-readable formats use.
    name: &'static str,
    /// The confidence of a finding that has no other doubt.
    leaves: Confidence,
    /// Whether a run of the program that loses the resource takes the doubt away.
    run: Run,
    /// A clause that completes "low because".
    words: &'static str,
}

/// What a run of the path says about a doubt.
#[derive(PartialEq, Eq)]
enum Run {
    /// It was about whether this can happen, and it has.
    Settles,
    /// It is about what people mean, or about what a run cannot show.
    SaysNothing,
}

use Confidence::{Low, Medium};
use Run::{SaysNothing, Settles};

const fn entry(doubt: Doubt, name: &'static str, leaves: Confidence, run: Run, words: &'static str) -> Entry {
    Entry { doubt, name, leaves, run, words }
}

/// All doubts, in the order of the enumeration.
#[rustfmt::skip]
const TABLE: [Entry; 49] = [
    entry(Doubt::UnknownCallee, "unknown-callee", Low, Settles, "a function whose code is not known may have kept or released it"),
    entry(Doubt::UnknownPointer, "unknown-pointer", Low, Settles, "a function that is called through a pointer may have kept or released it"),
    entry(Doubt::VariableArguments, "variable-arguments", Low, Settles, "it is a variable argument of a call, and what becomes of those is not followed"),
    entry(Doubt::CalleeInPart, "callee-in-part", Low, Settles, "a function that was analysed only in part may have kept or released it"),
    entry(Doubt::Borrowed, "borrowed", Medium, Settles, "it was passed to a function whose code is not known, and other paths release it after that call"),
    entry(Doubt::Believed, "believed", Medium, SaysNothing, "it rests on how this program uses functions whose code is not known"),
    entry(Doubt::MemberOwned, "member-owned", Medium, SaysNothing, "other functions suggest that this member owns what it points to"),
    entry(Doubt::MemberGuessed, "member-guessed", Low, SaysNothing, "that this member owns what it points to is seen only far away from here, or nobody releases it"),
    entry(Doubt::LoopCut, "loop-cut", Low, Settles, "it needs a value that a loop computes in more iterations than were followed"),
    entry(Doubt::CalleeChoice, "callee-choice", Low, Settles, "it needs one path through a called function, and the condition of that path is not known"),
    entry(Doubt::CalleeWrote, "callee-wrote", Low, Settles, "it needs a value that a called function may have written, and that value is not known"),
    entry(Doubt::CalleeMade, "callee-made", Low, Settles, "it needs a value inside an object that a called function made, and that value is not known"),
    entry(Doubt::CalleeReleases, "callee-releases", Low, Settles, "a called function releases it in some cases, and which ones is not known"),
    entry(Doubt::CalleeFailed, "callee-failed", Low, Settles, "the call that acquires it would have to fail and acquire it all the same"),
    entry(Doubt::NullArgument, "null-argument", Low, Settles, "an argument would have to be NULL, and only the called function checks for that"),
    entry(Doubt::ElementUnknown, "element-unknown", Low, Settles, "it needs a certain element of an array or part of a value, and which one was not followed"),
    entry(Doubt::ReadAgain, "read-again", Low, Settles, "memory was read again after code that may have changed it"),
    entry(Doubt::ManyConditions, "many-conditions", Low, Settles, "the path has too many conditions to examine them one by one"),
    entry(Doubt::Undecided, "undecided", Low, SaysNothing, "the solver could not decide whether the path is possible"),
    entry(Doubt::Incomplete, "incomplete", Low, Settles, "a value had more alternatives than were followed"),
    entry(Doubt::ValueGivenUp, "value-given-up", Low, Settles, "a value with too many alternatives may be a reference to it"),
    entry(Doubt::InBrief, "in-brief", Low, Settles, "it needs a value that was left out, because the function is too large to be analysed in full detail"),
    entry(Doubt::StructSays, "struct-says", Low, Settles, "a member of the same structure may say that there is nothing to release"),
    entry(Doubt::LookedAt, "looked-at", Low, SaysNothing, "the call may return its own argument, and the result is only inspected"),
    entry(Doubt::OnlyCompared, "only-compared", Low, SaysNothing, "the result is only compared, and the function that returns it was analysed only in part"),
    entry(Doubt::JumpAwaited, "jump-awaited", Low, SaysNothing, "it is lost by a `longjmp` that is made only where a `setjmp` waits for it"),
    entry(Doubt::FirstDescriptor, "first-descriptor", Medium, SaysNothing, "it leaks only if it is descriptor 0, that is, in a process without standard input"),
    entry(Doubt::OrdinaryLoss, "ordinary-loss", Medium, SaysNothing, "it leaks on an ordinary path, and in a kernel that mostly means that something keeps it in a way that was not followed"),
    entry(Doubt::HeldByGlobal, "held-by-global", Low, SaysNothing, "what `main` leaves in a global can be reached until the process ends"),
    entry(Doubt::OtherReference, "other-reference", Medium, SaysNothing, "the caller may have another reference to it"),
    entry(Doubt::KeptInStep, "kept-in-step", Low, SaysNothing, "members of one structure that are mostly set together would have to disagree"),
    entry(Doubt::FoundAgain, "found-again", Low, SaysNothing, "it was read back from a place that may hold something else by then"),
    entry(Doubt::UnlikeCallers, "unlike-callers", Low, SaysNothing, "it needs an argument that none of the analysed calls passes"),
    entry(Doubt::NotLinked, "not-linked", Low, SaysNothing, "no analysed program uses anything from the file that the function is in"),
    entry(Doubt::StateEither, "state-either", Low, SaysNothing, "a call changes the state of one of several objects, and which one was not followed"),
    entry(Doubt::StateAlias, "state-alias", Low, SaysNothing, "a call on the path changes the state of an object that may be the same one"),
    entry(Doubt::StateSpared, "state-spared", Low, SaysNothing, "a call on the path may change the state, depending on a condition that was not followed"),
    entry(Doubt::StateOutcome, "state-outcome", Medium, SaysNothing, "it depends on the path that a called function took"),
    entry(Doubt::StateMeant, "state-meant", Medium, SaysNothing, "the function may mean to leave it so when it succeeds"),
    entry(Doubt::StateShared, "state-shared", Medium, SaysNothing, "it was passed to a function whose code is not known, which may have changed its state"),
    entry(Doubt::StateUntold, "state-untold", Low, SaysNothing, "a called function may have changed the state in ways that were not followed"),
    entry(Doubt::RunOnly, "run-only", Medium, SaysNothing, "a run with chosen inputs shows it, and the analysis alone was not sure"),
    entry(Doubt::RunHolds, "run-holds", Low, SaysNothing, "runs took this path and lost nothing, and not everything that may happen inside its calls was tried"),
    entry(Doubt::RunDiffers, "run-differs", Low, SaysNothing, "whenever the path was run, a call on it returned something else than the path needs"),
    entry(Doubt::FlowOnly, "flow-only", Medium, SaysNothing, "only the flow engine says so"),
    entry(Doubt::FlowAlone, "flow-alone", Low, SaysNothing, "the path engine has examined every path and found no leak"),
    entry(Doubt::FlowTargets, "flow-targets", Low, SaysNothing, "a call through a pointer leads to several functions"),
    entry(Doubt::NotProved, "not-proved", Low, SaysNothing, "no path was found on which it happens; it could only not be proved that there is none"),
    entry(Doubt::NotChecked, "not-checked", Low, SaysNothing, "the path was not checked"),
];

impl Doubt {
    /// Every doubt.
    pub fn all() -> impl Iterator<Item = Doubt> {
        TABLE.iter().map(|entry| entry.doubt)
    }

    fn entry(self) -> &'static Entry {
        &TABLE[self as usize]
    }

    /// The word that machine-readable formats use.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// A clause that completes "low because".
    #[must_use]
    pub fn words(self) -> &'static str {
        self.entry().words
    }

    /// The confidence of a finding that has no other doubt.
    #[must_use]
    pub fn leaves(self) -> Confidence {
        self.entry().leaves
    }
}

/// The doubts of one finding.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Doubts(BTreeSet<Doubt>);

impl Doubts {
    /// No doubt at all.
    pub const NONE: Doubts = Doubts(BTreeSet::new());

    /// One more reason.
    pub fn add(&mut self, doubt: Doubt) {
        self.0.insert(doubt);
    }

    /// One more reason, where something holds.
    pub fn add_if(&mut self, holds: bool, doubt: Doubt) {
        if holds {
            self.add(doubt);
        }
    }

    /// Whether this is one of them.
    #[must_use]
    pub fn contains(&self, doubt: Doubt) -> bool {
        self.0.contains(&doubt)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, always in the same order.
    pub fn iter(&self) -> impl Iterator<Item = Doubt> {
        self.0.iter().copied()
    }

    /// How sure a finding with these doubts is.
    #[must_use]
    pub fn confidence(&self) -> Confidence {
        self.iter().map(Doubt::leaves).min().unwrap_or(Confidence::High)
    }

    /// What is left after a run of the program has shown what the finding says, without anything in the run that could be
    /// doubted. A run has inputs that were chosen for it, so it does not make sure what was not.
    pub fn settle(&mut self) {
        if self.confidence() == Confidence::Low {
            self.0.retain(|doubt| doubt.entry().run == Run::SaysNothing);
            self.add(Doubt::RunOnly);
        }
    }
}

impl Extend<Doubt> for Doubts {
    fn extend<T: IntoIterator<Item = Doubt>>(&mut self, doubts: T) {
        self.0.extend(doubts);
    }
}

impl FromIterator<Doubt> for Doubts {
    fn from_iter<T: IntoIterator<Item = Doubt>>(doubts: T) -> Doubts {
        Doubts(doubts.into_iter().collect())
    }
}

impl From<Doubt> for Doubts {
    fn from(doubt: Doubt) -> Doubts {
        [doubt].into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_doubt_stands_in_the_table_at_its_place() {
        for (index, entry) in TABLE.iter().enumerate() {
            assert_eq!(entry.doubt as usize, index, "{}", entry.name);
            let same = TABLE.iter().filter(|other| other.name == entry.name || other.words == entry.words);
            assert_eq!(same.count(), 1, "{}", entry.name);
        }
        // The last one; a doubt that is added behind it has to be added to the table as well.
        assert_eq!(Doubt::NotChecked as usize + 1, TABLE.len());
    }

    #[test]
    fn the_page_has_a_section_for_every_doubt_and_for_no_other() {
        let page = include_str!("../../../docs/confidence.md");
        let sections: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("### ")).collect();
        let mut names: Vec<String> =
            TABLE.iter().map(|entry| format!("{}: {}", entry.name, entry.leaves.name())).collect();
        let mut told: Vec<String> = sections.iter().map(|&section| section.to_owned()).collect();
        names.sort();
        told.sort();
        assert_eq!(told, names);
    }

    #[test]
    fn the_gravest_doubt_decides() {
        assert_eq!(Doubts::NONE.confidence(), Confidence::High);
        let mut doubts = Doubts::from(Doubt::Borrowed);
        assert_eq!(doubts.confidence(), Confidence::Medium);
        doubts.add(Doubt::LoopCut);
        assert_eq!(doubts.confidence(), Confidence::Low);
    }

    #[test]
    fn a_run_settles_whether_it_can_happen_and_not_what_is_meant() {
        let mut doubts: Doubts = [Doubt::LoopCut, Doubt::Incomplete].into_iter().collect();
        doubts.settle();
        assert_eq!(doubts, Doubt::RunOnly.into());
        let mut meant = Doubts::from(Doubt::LookedAt);
        meant.settle();
        assert_eq!(meant.confidence(), Confidence::Low);
        let mut sure = Doubts::NONE;
        sure.settle();
        assert!(sure.is_empty(), "nothing was doubted");
    }
}
