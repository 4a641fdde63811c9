//! Decisions that nobody made.
//!
//! Evaluation knows two sorts of unknowns. Some are real: arguments, memory of the caller's, what the library gives. The
//! program must cope with whatever they are. Others are inventions: a number after more iterations than were evaluated,
//! a field that a callee may have changed or not, one that it made and did not tell of and that only callees ask about,
//! that an argument is null which only a callee ever asks about. The
//! truth about them is fixed by code that was not followed closely enough, and a loss that needs one of them to turn
//! out one way may need something that never happens.
//!
//! In: the guard of a suspicion. Out: the part of it that holds whatever the truth about inventions is, by universal
//! quantification over the conditions that speak of them; and which of them a suspicion needs, as doubts. Some conditions are exempt although they do: those by which a
//! loop is left after its last pass, because a loop does end some time; those on counters inside the loop that counts,
//! because a counter gets to every number if the loop goes on; and those that say what an invented number is at least.

use crate::limits;
use crate::machine::ask::ask;
use crate::machine::memory::{ObjectId, Origin};
use crate::machine::state::State;
use crate::machine::value::{Leaf, Leaves, Offset, Sym};
use crate::stories::one_path::{doubts_of_a_path, solid_paths};
use rustc_hash::FxHashSet;
use watertight_finding::{Doubt, Doubts};
use watertight_ir::{InstId, Terminator};
use watertight_logic::cone::support;
use watertight_logic::guard::{Condition, Guard};
use watertight_logic::question::Answer;
use watertight_logic::solver::Solver;
use watertight_logic::term::{BinaryOp, Term, TermId};
use watertight_logic::width::Width;

impl State<'_> {
    /// A number that nobody gave: the truth about it was lost, and this is where.
    pub fn invented_number(&mut self, width: Width, why: Doubt) -> TermId {
        let term = self.unknown_number(width);
        self.invented.insert(term, why);
        term
    }

    /// A choice that nobody made.
    pub fn invented_choice(&mut self, why: Doubt) -> Guard {
        let term = self.invented_number(Width::BOOL, why);
        self.formulas.guard(term)
    }

    /// The same, between outcomes of a call.
    pub(crate) fn invented_outcome(&mut self, call: InstId) -> Guard {
        let term = self.invented_number(Width::BOOL, Doubt::CalleeChoice);
        self.choices.insert(term, call);
        self.formulas.guard(term)
    }

    /// A choice that stands for what a callee decides by what it is given, in ways that its summary cannot say.
    pub(crate) fn note_unsaid(&mut self, choice: Guard) -> Vec<Condition> {
        let conditions = self.formulas.guards.support(choice);
        let terms: Vec<TermId> =
            conditions.iter().filter_map(|&condition| self.formulas.conditions.term_of(condition)).collect();
        self.unsaid.extend(terms);
        conditions
    }

    /// What is known to nobody in a value.
    pub(crate) fn invent(&mut self, value: &Sym, why: Doubt) {
        match value {
            Sym::Leaves(leaves) => {
                let numbers = leaves.iter().filter_map(|entry| match entry.1 {
                    Leaf::Number(term) => Some((term, why)),
                    _ => None,
                });
                self.invented.extend(numbers);
            }
            Sym::Truth(guard) => {
                for term in self.formulas.condition_terms(*guard) {
                    self.invented.insert(term, why);
                }
            }
            Sym::Parts(parts) => parts.iter().for_each(|part| self.invent(part, why)),
        }
    }

    /// Conditions that hold by what an invention stands for.
    pub(crate) fn grant(&mut self, guard: Guard) {
        let conditions = self.formulas.guards.support(guard);
        self.granted.extend(conditions);
    }

    /// Grants the condition of a branch by which a loop is left that has had all its iterations, or that asks how far
    /// it has counted.
    pub(crate) fn grant_branch(&mut self, term: &Terminator, condition: Guard) {
        if self.invented.is_empty() || condition.is_constant() {
            return;
        }
        let node = &self.unrolled.nodes[self.node];
        let mut around = self.loops.innermost(node.block);
        let numbers = &self.unrolled.contexts[node.context];
        let mut depth = numbers.len();
        while let Some(id) = around {
            depth = depth.saturating_sub(1);
            let over = numbers.get(depth).is_some_and(|&number| number >= self.plan.iterations[id]);
            let mut leaves = false;
            if self.plan.havocked[id] || self.plan.is_leaving(node.block) {
                term.successors(|to| leaves |= !self.loops.contains(id, to));
            }
            if over || self.plan.havocked[id] {
                let mut conditions = self.formulas.guards.support(condition);
                conditions.retain(|&condition| leaves || self.speaks_of(condition, &self.counters));
                self.granted.extend(conditions);
            }
            around = self.loops[id].parent;
        }
    }

    /// The function itself asks; whatever the answer, it has been thought of.
    pub(crate) fn note_asked(&mut self, condition: Guard) {
        if !condition.is_constant() {
            let conditions = self.formulas.guards.support(condition);
            self.asked.extend(conditions);
        }
    }

    /// The function compares what a call gave, and so tells its outcomes apart; all that the call may give is known, or not.
    pub(crate) fn note_told_apart(&mut self, condition: Guard, few: bool) {
        if self.invented.is_empty() || condition.is_constant() {
            return;
        }
        for condition in self.formulas.guards.support(condition) {
            let is_choice = |unknown| self.invented.get(&unknown) == Some(&Doubt::CalleeChoice);
            if self.variables(condition).any(is_choice) {
                *self.told_apart.entry(condition).or_default() |= few;
            }
        }
    }

    /// A callee asks whether something that the caller of this function gave is null.
    pub(crate) fn note_told(&mut self, leaf: Leaf, equal: bool, holds: Guard) {
        let Leaf::Address(object, Offset::At(0)) = leaf else { return };
        if !matches!(self.objects[object].origin, Origin::Entry(_)) {
            return;
        }
        if let [condition] = self.formulas.guards.support(holds)[..] {
            let literal = self.formulas.guards.literal(condition);
            self.told_null.insert(condition, (literal == holds) == equal);
        }
    }

    /// Whether the contents of a cell are known, so that forgetting them is a loss. What a variable of a simple type holds
    /// when its address is given away is no such thing: it is there to be set.
    pub(crate) fn is_known(&self, address: &Leaves, held: &Leaves) -> bool {
        let variable = address.iter().all(|entry| match entry.1 {
            Leaf::Address(object, Offset::At(0)) => {
                matches!(self.objects[object].origin, Origin::Stack(_))
                    && self.objects[object].cells.len() <= 1
            }
            _ => false,
        });
        !variable
            && held.iter().any(|entry| match entry.1 {
                Leaf::Address(..) | Leaf::Function(_) => true,
                Leaf::Number(term) => {
                    self.input_path(term).is_some()
                        || self.formulas.terms.as_variable(term).is_none()
                        || self.invented.contains_key(&term)
                        || self.untold.contains(&term)
                }
            })
    }

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
            if let Some(&null) = self.told_null.get(&condition)
                && !self.asked.contains(&condition)
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
        let failures = self.failures.iter().filter(|entry| entry.0 == object);
        rests.never.extend(failures.map(|entry| (entry.1, Doubt::CalleeFailed)));
        rests.foldable &= rests.conditions.len() <= limits::QUANTIFIED;
        rests
    }

    /// Why nobody knows whether a condition holds, if that is so.
    fn invention(&self, condition: Condition, unsaid: &[Condition], object: ObjectId) -> Option<Doubt> {
        let invented = self.variables(condition).find_map(|variable| self.invented.get(&variable).copied());
        if invented.is_some() && !self.granted.contains(&condition) && !self.is_told_apart(condition, object)
        {
            return invented;
        }
        if self.speaks_of(condition, &self.untold) && !self.asked.contains(&condition) {
            return Some(Doubt::CalleeMade);
        }
        if self.speaks_of(condition, &self.rereads) {
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
            let known = |numbers: &FxHashSet<TermId>| numbers.contains(&plain);
            let ours = self.invented.contains_key(&plain) || known(&self.untold) || known(&self.rereads);
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
        let Some(&few) = self.told_apart.get(&condition) else { return false };
        let acquires = match &self.objects[object].origin {
            Origin::Fresh(site) => Some(site.inst),
            _ => None,
        };
        let mut calls = self.variables(condition).filter_map(|unknown| self.choices.get(&unknown).copied());
        few || calls.all(|call| Some(call) != acquires)
    }

    /// Whether a condition speaks of one of these numbers.
    fn speaks_of(&self, condition: Condition, numbers: &FxHashSet<TermId>) -> bool {
        !numbers.is_empty() && self.variables(condition).any(|variable| numbers.contains(&variable))
    }

    /// The unknowns of a condition.
    fn variables(&self, condition: Condition) -> impl Iterator<Item = TermId> {
        let terms = &self.formulas.terms;
        let term = self.formulas.conditions.term_of(condition);
        support(terms, term).into_iter().map(|variable| terms.variable_term(variable))
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
