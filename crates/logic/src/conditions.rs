//! The bond between terms and guards: which term each condition stands for, and back.
//!
//! A branch on a boolean term becomes a guard over named conditions ([`Conditions::guard`]). The boolean structure of
//! the term (`not`, `and`, choices) goes into the guard; what is left, comparisons and boolean unknowns, become
//! conditions, one per term. So `!t` is the negated literal of `t`, constant terms are `TRUE` and `FALSE`, and guards
//! that mean the same cancel. A very large boolean term becomes a condition as a whole, to keep guards small.
//!
//! The other way ([`Conditions::term`]) a guard becomes a boolean term again, for merged values `ite(guard, a, b)` and
//! for the solver. Definitions of guards that were too large are unfolded there.

use crate::cone::cone_until;
use crate::guard::{Condition, Definition, Guard, Guards};
use crate::term::{BinaryOp, Term, TermId, Terms, UnaryOp};
use crate::width::Width;
use rustc_hash::FxHashMap;

/// Boolean terms with more connectives than this become one condition.
const MOST_CONNECTIVES: usize = 64;

/// Which terms the conditions of one manager stand for.
#[derive(Default)]
pub struct Conditions {
    guards: FxHashMap<TermId, Guard>,
    /// The term of each condition; none for a condition that is defined by guards.
    terms: Vec<Option<TermId>>,
    /// The terms of guards without complement, by node.
    unfolded: FxHashMap<u32, TermId>,
}

impl Conditions {
    pub fn new() -> Conditions {
        Conditions::default()
    }

    /// The term a condition stands for; none when the condition is defined by guards, or was made without a term and
    /// has not been asked for yet.
    pub fn term_of(&self, condition: Condition) -> Option<TermId> {
        self.terms.get(condition.index()).copied().flatten()
    }

    /// The term of a condition; a fresh boolean unknown for a condition nobody has tied to a term.
    fn term_or_unknown(&mut self, terms: &mut Terms, condition: Condition) -> TermId {
        self.term_of(condition).unwrap_or_else(|| {
            let term = terms.variable(Width::BOOL, None);
            self.tie(condition, term);
            term
        })
    }

    fn tie(&mut self, condition: Condition, term: TermId) {
        if self.terms.len() <= condition.index() {
            self.terms.resize(condition.index() + 1, None);
        }
        self.terms[condition.index()] = Some(term);
    }

    /// The guard that holds when the boolean term does.
    pub fn guard(&mut self, terms: &mut Terms, guards: &mut Guards, term: TermId) -> Guard {
        assert_eq!(terms.width(term), Width::BOOL, "a guard is made of a boolean term");
        if let Some(guard) = self.known(terms, term) {
            return guard;
        }
        let parts = cone_until(terms, [term], |part| {
            part != term && self.guards.contains_key(&part) || !is_connective(terms, part)
        });
        let connectives = parts.iter().filter(|&&part| is_connective(terms, part)).count();
        if connectives > MOST_CONNECTIVES {
            return match terms.view(term) {
                Term::Unary(UnaryOp::Not, inner) => !self.name(guards, inner),
                _ => self.name(guards, term),
            };
        }
        for part in parts {
            if self.known(terms, part).is_none() {
                let guard = self.combine(terms, guards, part);
                self.guards.insert(part, guard);
                if !guard.is_constant() {
                    let positive = if guard.is_complemented() { terms.not(part) } else { part };
                    self.unfolded.entry(guard.node()).or_insert(positive);
                }
            }
        }
        self.guards[&term]
    }

    /// Whether a boolean term is an atom, or the negation of one, that no condition stands for.
    pub fn is_new(&self, terms: &Terms, term: TermId) -> bool {
        let atom = match terms.view(term) {
            Term::Unary(UnaryOp::Not, inner) => inner,
            _ => term,
        };
        self.known(terms, atom).is_none() && !is_connective(terms, atom)
    }

    fn known(&self, terms: &Terms, term: TermId) -> Option<Guard> {
        match terms.const_value(term) {
            Some(value) => Some(Guard::truth(value == 1)),
            None => self.guards.get(&term).copied(),
        }
    }

    /// The guard of a term whose boolean parts have guards.
    fn combine(&mut self, terms: &Terms, guards: &mut Guards, term: TermId) -> Guard {
        let part = |id: TermId| self.known(terms, id).expect("parts of a connective have guards before it");
        match terms.view(term) {
            Term::Unary(UnaryOp::Not, a) => !part(a),
            Term::Binary(BinaryOp::And, a, b) => guards.and(part(a), part(b)),
            Term::Binary(BinaryOp::Or, a, b) => guards.or(part(a), part(b)),
            Term::Binary(BinaryOp::Xor, a, b) => guards.xor(part(a), part(b)),
            Term::Binary(BinaryOp::Eq, a, b) if terms.width(a) == Width::BOOL => guards.iff(part(a), part(b)),
            Term::Ite(c, a, b) => guards.ite(part(c), part(a), part(b)),
            _ => self.name(guards, term),
        }
    }

    /// The literal of a condition that stands for this very term.
    fn name(&mut self, guards: &mut Guards, term: TermId) -> Guard {
        if let Some(&guard) = self.guards.get(&term) {
            return guard;
        }
        let condition = guards.new_condition();
        self.tie(condition, term);
        let guard = guards.literal(condition);
        self.guards.insert(term, guard);
        guard
    }

    /// The boolean term that holds when the guard does.
    pub fn term(&mut self, terms: &mut Terms, guards: &Guards, guard: Guard) -> TermId {
        if guard.is_constant() {
            return TermId::truth(guard.is_true());
        }
        if let Some(&known) = self.unfolded.get(&guard.node()) {
            return signed(terms, known, guard);
        }
        let mut meanings: FxHashMap<Condition, TermId> = FxHashMap::default();
        if guards.overflowed() {
            // Definitions use older conditions only, so those are unfolded first.
            for condition in guards.full_support([guard]) {
                if let Some(definition) = guards.definition(condition) {
                    let mut part = |part: Guard| self.unfold(terms, guards, part, &meanings);
                    let meaning = match definition {
                        Definition::And(a, b) => {
                            let (a, b) = (part(a), part(b));
                            terms.and(a, b)
                        }
                        Definition::Ite(f, g, h) => {
                            let (f, g, h) = (part(f), part(g), part(h));
                            terms.ite(f, g, h)
                        }
                    };
                    meanings.insert(condition, meaning);
                }
            }
        }
        self.unfold(terms, guards, guard, &meanings)
    }

    /// The term of a guard, given the terms of the defined conditions in it.
    fn unfold(
        &mut self,
        terms: &mut Terms,
        guards: &Guards,
        guard: Guard,
        meanings: &FxHashMap<Condition, TermId>,
    ) -> TermId {
        if guard.is_constant() {
            return TermId::truth(guard.is_true());
        }
        for node in guards.unknown_nodes(guard, |node| self.unfolded.contains_key(&node)) {
            let (condition, high, low) = guards.branch_at(node);
            let meaning = match meanings.get(&condition) {
                Some(&meaning) => meaning,
                None => self.term_or_unknown(terms, condition),
            };
            let mut side = |side: Guard| match side.is_constant() {
                true => TermId::truth(side.is_true()),
                false => signed(terms, self.unfolded[&side.node()], side),
            };
            let (high, low) = (side(high), side(low));
            let term = terms.ite(meaning, high, low);
            self.unfolded.insert(node, term);
        }
        signed(terms, self.unfolded[&guard.node()], guard)
    }
}

/// The term of a guard from the term of its node.
fn signed(terms: &mut Terms, term: TermId, guard: Guard) -> TermId {
    if guard.is_complemented() { terms.not(term) } else { term }
}

/// Whether a term is an operation on booleans that guards have too.
fn is_connective(terms: &Terms, term: TermId) -> bool {
    if terms.width(term) != Width::BOOL {
        return false;
    }
    match terms.view(term) {
        Term::Unary(UnaryOp::Not, _) | Term::Ite(..) => true,
        Term::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, ..) => true,
        Term::Binary(BinaryOp::Eq, a, _) => terms.width(a) == Width::BOOL,
        _ => false,
    }
}
