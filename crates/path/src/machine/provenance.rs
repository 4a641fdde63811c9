//! Where unknowns come from, and what is said of conditions on them: the one table of both.
//!
//! Evaluation knows two sorts of unknowns. Some are real: arguments, memory of the caller's, what the library gives. The
//! program must cope with whatever they are, and the table says nothing of them, or says what the program knows of them. Others are approximations of
//! ours: a number after more iterations than were evaluated, a field that a callee may have changed or not. The truth
//! about them is fixed by code that was not followed closely enough, and what needs one of them to turn out one way is doubtful.
//!
//! In: notes that evaluation makes. Out: answers for those who ask what a guard rests on (`stories/inventions.rs`) and what a summary may say.
//! What must hold: a note is never taken back, so an answer that was given holds to the end of the function; an unknown without a note is real.

use crate::machine::memory::Origin;
use crate::machine::state::State;
use crate::machine::value::{Leaf, Leaves, Offset, Sym};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use watertight_finding::Doubt;
use watertight_ir::{InstId, Terminator};
use watertight_logic::cone::support;
use watertight_logic::guard::{Condition, Guard};
use watertight_logic::term::TermId;
use watertight_logic::width::Width;

/// Where an unknown comes from. It may come from several of these.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Provenance {
    /// Code that is not known may have changed it, or a summary lost it: more could be known. It may be anything.
    Changed,
    /// It was read from memory that nothing has written. As an address it leads nowhere.
    Undefined,
    /// It lies in what a callee made, and the summary does not tell it. The callee has set it to something certain.
    Untold,
    /// It decides whether a cell that may have been written since still holds what was released.
    Reread,
    /// It decides between outcomes of a callee that entry values decide, in ways that summaries cannot say.
    Unsaid,
    /// It is the result of a call that acquired something, and its being negative may mean that it did not.
    VagueResult,
    /// Iterations that were left out have counted it: with enough of them it gets to every number on its way.
    Counter,
    /// It is the address of a member or an element of something that is not known: it is not null.
    Member,
    /// A callee, or what it counts, says that it is not zero.
    Nonzero,
    /// It is an address that stands for those of several objects: elements of a callee's at unknown indices.
    OneOfSeveral,
}

/// Notes on one unknown.
#[derive(Copy, Clone, Debug, Default)]
struct Unknown {
    /// A bit for each provenance.
    from: u16,
    /// It is an approximation of ours, and this is what was not followed.
    approximated: Option<Doubt>,
    /// It is a choice between the outcomes of this call.
    outcome_of: Option<InstId>,
}

/// Notes on one condition.
#[derive(Copy, Clone, Debug, Default)]
struct Asked {
    /// It holds by what an approximation stands for.
    granted: bool,
    /// The function itself asks about it: whatever the answer, it has been thought of.
    by_function: bool,
    /// A callee asks by it whether something of the caller's is null; whether it holds if it is.
    null: Option<bool>,
    /// It is a choice between outcomes that the function itself tells apart; whether all is known that the call may give.
    told_apart: Option<bool>,
}

/// The table.
#[derive(Debug, Default)]
pub struct Unknowns {
    unknowns: FxHashMap<TermId, Unknown>,
    conditions: FxHashMap<Condition, Asked>,
    /// The provenances that anything has.
    seen: u16,
    /// Whether anything is approximated.
    approximated: bool,
}

impl Unknowns {
    /// Notes where an unknown comes from.
    pub fn note(&mut self, term: TermId, from: Provenance) {
        self.unknowns.entry(term).or_default().from |= 1 << from as u16;
        self.seen |= 1 << from as u16;
    }

    /// Whether an unknown comes from there.
    pub fn is(&self, term: TermId, from: Provenance) -> bool {
        self.seen & 1 << from as u16 != 0
            && self.unknowns.get(&term).is_some_and(|unknown| unknown.from & 1 << from as u16 != 0)
    }

    /// Notes that a number is known to nobody only because the code that decides it was not followed, and which code that is.
    pub fn approximate(&mut self, term: TermId, why: Doubt) {
        self.unknowns.entry(term).or_default().approximated = Some(why);
        self.approximated = true;
    }

    /// Why a number is an approximation of ours, if it is.
    pub fn approximation(&self, term: TermId) -> Option<Doubt> {
        self.unknowns.get(&term)?.approximated
    }

    /// Whether a number is an approximation of ours.
    pub fn is_approximated(&self, term: TermId) -> bool {
        self.approximation(term).is_some()
    }

    /// The call between whose outcomes an unknown chooses.
    pub(crate) fn outcome_of(&self, term: TermId) -> Option<InstId> {
        self.unknowns.get(&term)?.outcome_of
    }

    /// Whether a condition holds by what an approximation stands for.
    pub(crate) fn is_granted(&self, condition: Condition) -> bool {
        self.conditions.get(&condition).is_some_and(|asked| asked.granted)
    }

    /// Whether the function itself asks about a condition.
    pub(crate) fn is_asked(&self, condition: Condition) -> bool {
        self.conditions.get(&condition).is_some_and(|asked| asked.by_function)
    }

    /// Whether a condition, by which a callee asks if something of the caller's is null, holds if it is.
    pub(crate) fn holds_if_null(&self, condition: Condition) -> Option<bool> {
        self.conditions.get(&condition)?.null
    }

    /// Whether all is known that a call may give, if the function itself tells its outcomes apart by a condition.
    pub(crate) fn told_apart(&self, condition: Condition) -> Option<bool> {
        self.conditions.get(&condition)?.told_apart
    }

    fn grant(&mut self, conditions: Vec<Condition>) {
        for condition in conditions {
            self.conditions.entry(condition).or_default().granted = true;
        }
    }
}

impl State<'_> {
    /// A number that nobody gave: the truth about it was lost, and this is where.
    pub fn invented_number(&mut self, width: Width, why: Doubt) -> TermId {
        let term = self.unknown_number(width);
        self.unknowns.approximate(term, why);
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
        self.unknowns.unknowns.entry(term).or_default().outcome_of = Some(call);
        self.formulas.guard(term)
    }

    /// A choice that stands for what a callee decides by what it is given, in ways that its summary cannot say.
    pub(crate) fn note_unsaid(&mut self, choice: Guard) -> Vec<Condition> {
        let conditions = self.formulas.guards.support(choice);
        let terms: Vec<TermId> =
            conditions.iter().filter_map(|&condition| self.formulas.conditions.term_of(condition)).collect();
        terms.iter().for_each(|&term| self.unknowns.note(term, Provenance::Unsaid));
        conditions
    }

    /// What is known to nobody in a value.
    pub(crate) fn invent(&mut self, value: &Sym, why: Doubt) {
        match value {
            Sym::Leaves(leaves) => {
                for &(_, leaf) in leaves {
                    if let Leaf::Number(term) = leaf {
                        self.unknowns.approximate(term, why);
                    }
                }
            }
            Sym::Truth(guard) => {
                for term in self.formulas.condition_terms(*guard) {
                    self.unknowns.approximate(term, why);
                }
            }
            Sym::Parts(parts) => parts.iter().for_each(|part| self.invent(part, why)),
        }
    }

    /// Conditions that hold by what an invention stands for.
    pub(crate) fn grant(&mut self, guard: Guard) {
        let conditions = self.formulas.guards.support(guard);
        self.unknowns.grant(conditions);
    }

    /// Grants the condition of a branch by which a loop is left that has had all its iterations, or that asks how far
    /// it has counted.
    pub(crate) fn grant_branch(&mut self, term: &Terminator, condition: Guard) {
        if !self.unknowns.approximated || condition.is_constant() {
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
                conditions.retain(|&condition| leaves || self.speaks_of(condition, Provenance::Counter));
                self.unknowns.grant(conditions);
            }
            around = self.loops[id].parent;
        }
    }

    /// The function itself asks; whatever the answer, it has been thought of.
    pub(crate) fn note_asked(&mut self, condition: Guard) {
        if !condition.is_constant() {
            let conditions = self.formulas.guards.support(condition);
            for condition in conditions {
                self.unknowns.conditions.entry(condition).or_default().by_function = true;
            }
        }
    }

    /// The function compares what a call gave, and so tells its outcomes apart; all that the call may give is known, or not.
    pub(crate) fn note_told_apart(&mut self, condition: Guard, few: bool) {
        if !self.unknowns.approximated || condition.is_constant() {
            return;
        }
        for condition in self.formulas.guards.support(condition) {
            let is_choice = |unknown| self.unknowns.approximation(unknown) == Some(Doubt::CalleeChoice);
            if self.variables(condition).any(is_choice) {
                let asked = self.unknowns.conditions.entry(condition).or_default();
                asked.told_apart = Some(asked.told_apart.unwrap_or(false) | few);
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
            self.unknowns.conditions.entry(condition).or_default().null = Some((literal == holds) == equal);
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
                        || self.unknowns.is_approximated(term)
                        || self.unknowns.is(term, Provenance::Untold)
                }
            })
    }

    /// Whether a condition speaks of an unknown that comes from there.
    pub(crate) fn speaks_of(&self, condition: Condition, from: Provenance) -> bool {
        self.unknowns.seen & 1 << from as u16 != 0
            && self.variables(condition).any(|variable| self.unknowns.is(variable, from))
    }

    /// The unknowns of a condition.
    pub(crate) fn variables(&self, condition: Condition) -> impl Iterator<Item = TermId> + use<> {
        let known = self.variables_of.borrow().get(&condition).cloned();
        let variables = known.unwrap_or_else(|| {
            let terms = &self.formulas.terms;
            let term = self.formulas.conditions.term_of(condition);
            let found = support(terms, term).into_iter().map(|variable| terms.variable_term(variable));
            let found: Rc<[TermId]> = found.collect();
            if term.is_some() {
                self.variables_of.borrow_mut().insert(condition, found.clone());
            }
            found
        });
        (0..variables.len()).map(move |index| variables[index])
    }
}
