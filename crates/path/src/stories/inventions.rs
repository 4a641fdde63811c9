//! What a suspicion rests on that is an approximation of ours.
//!
//! An unknown is real, or its truth is fixed by code that was not followed closely enough (`machine/provenance.rs`). A loss that
//! needs one of the second sort to turn out one way may need something that never happens.
//!
//! In: the guard of a suspicion. Out: the part of it that holds whatever the truth about inventions is, by universal
//! quantification over the conditions that speak of them; and which of them a suspicion needs, as doubts. Some conditions are exempt although they do: those by which a
//! loop is left after its last pass, because a loop does end some time; those on counters inside the loop that counts,
//! because a counter gets to every number if the loop goes on; and those that say what an invented number is at least.

use crate::assumptions::Supposed;
use crate::limits;
use crate::machine::ask::ask;
use crate::machine::memory::{ObjectId, Origin};
use crate::machine::provenance::Provenance;
use crate::machine::state::State;
use crate::stories::one_path::{doubts_of_a_path, solid_paths};
use watertight_finding::{Doubt, Doubts};
use watertight_logic::guard::{Condition, Guard};
use watertight_logic::question::Answer;
use watertight_logic::solver::Solver;
use watertight_logic::term::{BinaryOp, Term, TermId};
use watertight_logic::width::Width;

impl State<'_> {
    /// The part of a guard that holds whatever the truth about inventions is. Where it is too large to be quantified, or
    /// nothing is left of it, one path for each of these ways out is asked about.
    pub(crate) fn without_inventions(
        &mut self,
        solver: &mut Solver,
        guard: Guard,
        object: ObjectId,
        ways_out: &[Guard],
    ) -> Guard {
        let rests = self.rests_on(guard, object);
        if !rests.foldable {
            return solid_paths(self, solver, guard, &rests, ways_out);
        }
        let mut left = guard;
        for &(never, _) in &rests.never {
            left = self.formulas.guards.and_not(left, never);
        }
        self.formulas.guards.for_all(left, rests.conditions.iter().map(|entry| entry.0))
    }

    /// What a guard rests on.
    fn rests_on(&mut self, guard: Guard, object: ObjectId) -> Rests {
        let mut rests = Rests { conditions: Vec::new(), real: Vec::new(), never: Vec::new(), foldable: true };
        // A function that releases by the state of what it is given does not leave it to chance.
        let unsaid = self.release_unsaid.get(&object).cloned().unwrap_or_default();
        let all = self.formulas.guards.full_support([guard]);
        for &condition in &all {
            // What a guard that became too large stands for is among the other conditions.
            if self.formulas.guards.definition(condition).is_some() {
                rests.foldable = false;
                continue;
            }
            if let Some(null) = self.unknowns.holds_if_null(condition)
                && !self.unknowns.is_asked(condition)
                && self.assumes(Supposed::NothingHandedOverUnknown)
            {
                // ASSUME-26: who never asks whether there is one does not mean the callee to make one.
                let literal = self.formulas.guards.literal(condition);
                let none = if null { literal } else { !literal };
                if self.formulas.guards.entails(self.objects[object].exists, none) {
                    rests.never.push((none, Doubt::NullArgument));
                    continue;
                }
                rests.real.push(condition);
            } else if let Some(why) = self.invention(condition, &unsaid, object)
                && !self.is_free(condition, &all)
            {
                rests.conditions.push((condition, why));
            } else {
                rests.real.push(condition);
            }
        }
        let failures = self.journal.failures.iter().filter(|entry| entry.0 == object);
        rests.never.extend(failures.map(|entry| (entry.1, Doubt::CalleeFailed)));
        rests.foldable &= rests.conditions.len() <= limits::QUANTIFIED;
        rests
    }

    /// Why nobody knows whether a condition holds, if that is so.
    fn invention(&self, condition: Condition, unsaid: &[Condition], object: ObjectId) -> Option<Doubt> {
        let unknowns = &self.unknowns;
        let invented = self.variables(condition).find_map(|variable| unknowns.approximation(variable));
        if invented.is_some() && !unknowns.is_granted(condition) && !self.is_told_apart(condition, object) {
            return invented;
        }
        if self.speaks_of(condition, Provenance::Untold) && !unknowns.is_asked(condition) {
            return Some(Doubt::CalleeMade);
        }
        if self.speaks_of(condition, Provenance::Reread) {
            return Some(Doubt::ReadAgain);
        }
        unsaid.contains(&condition).then_some(Doubt::CalleeReleases)
    }

    /// Whether a condition asks if something real equals an invention, and nothing else asks about the real thing: whatever
    /// the truth about the invention is, the other may be equal to it or not (`if (fwrite(text, 1, used, out) != used)`).
    fn is_free(&self, condition: Condition, all: &[Condition]) -> bool {
        let terms = &self.formulas.terms;
        let Some(Term::Binary(BinaryOp::Eq, a, b)) =
            self.formulas.conditions.term_of(condition).map(|term| terms.view(term))
        else {
            return false;
        };
        let real = |term: TermId| {
            let plain = match terms.view(term) {
                Term::Extend(_, of) => of,
                _ => term,
            };
            let unknown = terms.as_variable(plain).is_some() && terms.width(plain) != Width::BOOL;
            let open = self.ranges.get(&plain).is_none_or(|(least, most)| least < most);
            let unknowns = &self.unknowns;
            let ours = unknowns.is_approximated(plain)
                || unknowns.is(plain, Provenance::Untold)
                || unknowns.is(plain, Provenance::Reread);
            (unknown && open && !ours).then_some(plain)
        };
        let alone = |unknown: TermId| {
            let asks = |other: &&Condition| self.variables(**other).any(|variable| variable == unknown);
            all.iter().filter(asks).count() == 1
        };
        [a, b].into_iter().filter_map(real).any(alone)
    }

    /// Whether a condition is a choice between outcomes of a call that the function itself tells apart.
    // ASSUME-45: who tells the outcomes of a call apart has seen, or expects, each of them where the call stands. Of the call
    // that acquires the object, everything that it may give has to be known: else an outcome may be one that never happens.
    fn is_told_apart(&self, condition: Condition, object: ObjectId) -> bool {
        if !self.assumes(Supposed::OutcomesExpected) {
            return false;
        }
        let Some(few) = self.unknowns.told_apart(condition) else { return false };
        let acquires = match &self.objects[object].origin {
            Origin::Fresh(site) => Some(site.inst),
            _ => None,
        };
        let mut calls = self.variables(condition).filter_map(|unknown| self.unknowns.outcome_of(unknown));
        few || calls.all(|call| Some(call) != acquires)
    }
}

/// What a guard rests on.
pub(crate) struct Rests {
    /// Conditions of which nobody knows whether they hold, and why.
    pub(crate) conditions: Vec<(Condition, Doubt)>,
    /// Conditions that something decides which is what it is.
    pub(crate) real: Vec<Condition>,
    /// What hardly ever happens, and why.
    pub(crate) never: Vec<(Guard, Doubt)>,
    /// No part of the guard has a name, and the conditions are few enough to be quantified.
    foldable: bool,
}

impl Rests {
    /// How many conditions there are.
    pub(crate) fn count(&self) -> usize {
        self.conditions.len() + self.real.len()
    }
}

/// Which inventions a suspicion needs, of one that needs some: those of which the truth, left open, takes it away. Where
/// each by itself does not, all of them.
pub(crate) fn doubts(state: &mut State<'_>, solver: &mut Solver, object: ObjectId, guard: Guard) -> Doubts {
    let rests = state.rests_on(guard, object);
    if !rests.foldable {
        return doubts_of_a_path(state, solver, guard, &rests);
    }
    let all: Doubts =
        rests.conditions.iter().map(|entry| entry.1).chain(rests.never.iter().map(|entry| entry.1)).collect();
    let mut needed = Doubts::NONE;
    for doubt in all.iter() {
        let mut left = guard;
        for entry in rests.never.iter().filter(|entry| entry.1 == doubt) {
            left = state.formulas.guards.and_not(left, entry.0);
        }
        let open = rests.conditions.iter().filter(|entry| entry.1 == doubt).map(|entry| entry.0);
        left = state.formulas.guards.for_all(left, open);
        needed.add_if(
            left.is_false() || left != guard && matches!(ask(state, solver, left), Answer::Unsat(_)),
            doubt,
        );
    }
    match (needed.is_empty(), all.is_empty()) {
        (false, _) => needed,
        (true, false) => all,
        (true, true) => Doubt::Undecided.into(),
    }
}
