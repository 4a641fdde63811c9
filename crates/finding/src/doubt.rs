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
    StateInside,
    StateMeant,
    StateShared,
    StateUntold,
    StateNests,
    // Who says so.
    RunOnly,
    RunHolds,
    RunDiffers,
    RunSilent,
    RunLeaves,
    RunExpected,
    RunUnnamed,
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
    /// It was about whether this can happen, and it has, if nothing in the run can be doubted.
    Settles,
    /// It was about how far the function was evaluated, and every run that happens as told goes all the way.
    Reaches,
    /// It is about what people mean, or about what a run cannot show.
    SaysNothing,
}

use Confidence::{Low, Medium};
use Run::{Reaches, SaysNothing, Settles};

const fn entry(doubt: Doubt, name: &'static str, leaves: Confidence, run: Run, words: &'static str) -> Entry {
    Entry { doubt, name, leaves, run, words }
}

/// All doubts, in the order of the enumeration.
#[rustfmt::skip]
const TABLE: [Entry; 53] = [
    entry(Doubt::UnknownCallee, "unknown-callee", Low, Settles, "an external function may have stored or freed it"),
    entry(Doubt::UnknownPointer, "unknown-pointer", Low, Settles, "a function called through a pointer may have stored or freed it"),
    entry(Doubt::VariableArguments, "variable-arguments", Low, Settles, "it is passed as a variadic argument, and what becomes of those is not tracked"),
    entry(Doubt::CalleeInPart, "callee-in-part", Low, Settles, "a function that was analysed only in part may have stored or freed it"),
    entry(Doubt::Borrowed, "borrowed", Medium, Settles, "an external function may have taken ownership of it; other paths, however, free it after the same call"),
    entry(Doubt::Believed, "believed", Medium, SaysNothing, "what an external function does was inferred only from how this program uses it"),
    entry(Doubt::MemberOwned, "member-owned", Medium, SaysNothing, "only the code of other functions suggests that this member owns what it points to"),
    entry(Doubt::MemberGuessed, "member-guessed", Low, SaysNothing, "this member may not own what it points to: only code in other files suggests that it does, no code ever frees it, or it may be NULL here"),
    entry(Doubt::LoopCut, "loop-cut", Low, Reaches, "the path requires a value that a loop computes only after more iterations than were analysed"),
    entry(Doubt::CalleeChoice, "callee-choice", Low, Settles, "it happens only on one path through a called function, and it is not known when the function takes that path"),
    entry(Doubt::CalleeWrote, "callee-wrote", Low, Settles, "the path depends on a value that a called function may have changed"),
    entry(Doubt::CalleeMade, "callee-made", Low, Settles, "the path depends on an unknown value in an object that a called function created"),
    entry(Doubt::CalleeReleases, "callee-releases", Low, Settles, "a called function frees it in some cases, and it is not known in which"),
    entry(Doubt::CalleeFailed, "callee-failed", Low, Settles, "the path requires the allocating call to report failure and yet allocate"),
    entry(Doubt::NullArgument, "null-argument", Low, Settles, "the path requires a NULL argument; only the called function checks for NULL, and its callers may never pass it"),
    entry(Doubt::ElementUnknown, "element-unknown", Low, Settles, "the path depends on a single array element, or on some bits of a value, and the analysis does not track these separately"),
    entry(Doubt::ReadAgain, "read-again", Low, Settles, "the path requires a value to be unchanged when it is read again, and code in between may have changed it"),
    entry(Doubt::ManyConditions, "many-conditions", Low, Reaches, "the path has too many conditions to examine them one by one"),
    entry(Doubt::Undecided, "undecided", Low, Reaches, "the solver could not decide whether the path is possible"),
    entry(Doubt::Incomplete, "incomplete", Low, Reaches, "a variable on the path has more possible values than were analysed"),
    entry(Doubt::ValueGivenUp, "value-given-up", Low, Settles, "a pointer with too many possible targets to track may still point to it"),
    entry(Doubt::InBrief, "in-brief", Low, Reaches, "the path depends on a value that was not tracked, because the function is too large for full analysis"),
    entry(Doubt::StructSays, "struct-says", Low, Settles, "another member of the structure may show that there is nothing to free"),
    entry(Doubt::JumpAwaited, "jump-awaited", Low, SaysNothing, "it leaks only through a `longjmp`, which is made only if a caller has called `setjmp`"),
    entry(Doubt::FirstDescriptor, "first-descriptor", Medium, SaysNothing, "it leaks only if it is descriptor 0, that is, if the process starts with standard input closed"),
    entry(Doubt::OrdinaryLoss, "ordinary-loss", Medium, SaysNothing, "it leaks on a success path, and in kernel code that usually means that a reference was stored where the analysis does not track it"),
    entry(Doubt::HeldByGlobal, "held-by-global", Low, SaysNothing, "it is still reachable through a global variable when `main` returns"),
    entry(Doubt::OtherReference, "other-reference", Medium, SaysNothing, "the caller may have another reference to it"),
    entry(Doubt::KeptInStep, "kept-in-step", Low, SaysNothing, "the path requires two members of a structure to disagree, although the program may always set them together"),
    entry(Doubt::FoundAgain, "found-again", Low, SaysNothing, "the pointer was read back from memory that may have been overwritten in between"),
    entry(Doubt::UnlikeCallers, "unlike-callers", Low, SaysNothing, "the path requires an argument that no analysed call passes"),
    entry(Doubt::NotLinked, "not-linked", Medium, SaysNothing, "no analysed program uses anything from this source file"),
    entry(Doubt::StateEither, "state-either", Low, SaysNothing, "a call unlocks, closes or joins one of several objects, and the analysis does not know which"),
    entry(Doubt::StateAlias, "state-alias", Low, SaysNothing, "a call on the path unlocks, closes or joins an object that may be this one"),
    entry(Doubt::StateSpared, "state-spared", Low, SaysNothing, "a call on the path may unlock, close or join it, depending on a condition that was not analysed"),
    entry(Doubt::StateOutcome, "state-outcome", Low, SaysNothing, "a called function changes its state on some of its paths only, and it is not known which of them was taken"),
    entry(Doubt::StateInside, "state-inside", Medium, SaysNothing, "a called function does what is wrong on some of its paths only"),
    entry(Doubt::StateMeant, "state-meant", Medium, SaysNothing, "the function may leave it locked or open on purpose when it succeeds"),
    entry(Doubt::StateShared, "state-shared", Medium, SaysNothing, "an external function may have unlocked, closed or joined it"),
    entry(Doubt::StateUntold, "state-untold", Low, SaysNothing, "a called function may have unlocked, closed or joined it in a way the analysis does not track"),
    entry(Doubt::StateNests, "state-nests", Low, SaysNothing, "it is initialised with attributes that may make it recursive"),
    entry(Doubt::RunOnly, "run-only", Medium, SaysNothing, "it leaked in a test run with generated inputs, but the static analysis could not confirm that it leaks with real ones"),
    entry(Doubt::RunHolds, "run-holds", Low, SaysNothing, "test runs took this path without a leak, but did not try every outcome of the calls on it"),
    entry(Doubt::RunDiffers, "run-differs", Low, SaysNothing, "in every test run, a call on the path returned a different value from the one the path requires"),
    entry(Doubt::RunSilent, "run-silent", Medium, SaysNothing, "no test run showed it"),
    entry(Doubt::RunLeaves, "run-leaves", Low, SaysNothing, "test runs came to where it is acquired, but none followed the rest of the path"),
    entry(Doubt::RunExpected, "run-expected", Low, SaysNothing, "test runs should show it, because nothing decides against it on the path, but none did"),
    entry(Doubt::RunUnnamed, "run-unnamed", Low, SaysNothing, "only memory that called functions manage refers to it, and no test run showed a leak"),
    entry(Doubt::FlowOnly, "flow-only", Medium, SaysNothing, "only the faster, less exact analysis found it; the exact one gave no answer"),
    entry(Doubt::FlowAlone, "flow-alone", Low, SaysNothing, "the path-by-path analysis found no leak; only the coarser data-flow analysis reports one"),
    entry(Doubt::FlowTargets, "flow-targets", Low, SaysNothing, "a call through a pointer has several possible targets"),
    entry(Doubt::NotProved, "not-proved", Low, SaysNothing, "no path on which it happens was found, but the analysis could not rule one out"),
    entry(Doubt::NotChecked, "not-checked", Low, SaysNothing, "it was not checked whether the path is possible"),
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

    /// Whether a run can raise the confidence that was chosen for it, and not only one in which nothing can be doubted.
    #[must_use]
    pub fn are_worth_a_search(&self) -> bool {
        self.iter().all(|doubt| doubt.leaves() > Confidence::Low || doubt.entry().run == Run::Reaches)
    }

    /// What is left after a run of the program has shown what the finding says: all that a run can settle, if nothing in the run
    /// could be doubted, and else what was about how far the function was evaluated. A run has inputs that were chosen for it, so it
    /// does not make sure what was not.
    pub fn settle(&mut self, sound: bool) {
        let settled = |doubt: &Doubt| match doubt.entry().run {
            Run::Settles => sound,
            Run::Reaches => true,
            Run::SaysNothing => false,
        };
        if self.confidence() == Confidence::Low && (sound || self.iter().any(|doubt| settled(&doubt))) {
            self.0.retain(|doubt| !settled(doubt));
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

    /// Figures of fewer findings say too little.
    const ENOUGH: u32 = 15;

    /// A lost true finding costs as much as a false one that is shown, so a doubt hides findings once more of them are false than true.
    #[test]
    fn what_a_doubt_leaves_follows_from_its_figures() {
        let page = include_str!("../../../docs/evaluation.md");
        let rows = page.split("<!-- truth: doubts -->").nth(1).expect("the page has the table");
        let rows = rows.split("<!-- truth: end -->").next().unwrap_or_default();
        let mut judged = 0;
        for row in rows.lines() {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let [_, name, read, truths, ..] = cells[..] else { continue };
            let Some(entry) = TABLE.iter().find(|entry| entry.name == name) else { continue };
            let (read, truths): (u32, u32) = (read.parse().unwrap(), truths.parse().unwrap());
            if read >= ENOUGH {
                let follows = if truths * 2 >= read { Medium } else { Low };
                assert_eq!(entry.leaves, follows, "{name}: {truths} of {read} are true");
                judged += 1;
            }
        }
        assert!(judged > 10, "{judged}");
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
        doubts.settle(true);
        assert_eq!(doubts, Doubt::RunOnly.into());
        let mut meant = Doubts::from(Doubt::KeptInStep);
        meant.settle(true);
        assert_eq!(meant.confidence(), Confidence::Low);
        let mut sure = Doubts::NONE;
        sure.settle(true);
        assert!(sure.is_empty(), "nothing was doubted");
    }

    #[test]
    fn a_run_that_can_be_doubted_settles_how_far_the_function_was_evaluated() {
        let mut far: Doubts = [Doubt::LoopCut, Doubt::Incomplete].into_iter().collect();
        far.settle(false);
        assert_eq!(far, Doubt::RunOnly.into());
        let mut callee: Doubts = [Doubt::LoopCut, Doubt::CalleeChoice].into_iter().collect();
        callee.settle(false);
        assert_eq!(callee.confidence(), Confidence::Low);
    }
}
