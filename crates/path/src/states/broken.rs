//! Mistakes: what breaks a property, and who answers for it.
//!
//! A state that is wrong for a call was either brought about here, then the function is wrong whatever the state at
//! entry was, or it is the state at entry: then the caller answers, who is told by a [`Breach`]. A caller that knows
//! nothing of the state passes that on to its own callers. Neither ends a path: what happens to memory there is as true
//! as without properties.

use crate::calls::apply::Application;
use crate::limits::{BREACH_CONDITION, BREACH_STEPS, MOST_BREACHES};
use crate::machine::cells::{Cell, Known, WIDTH};
use crate::machine::journal::Broken;
use crate::machine::memory::Origin;
use crate::machine::state::State;
use crate::machine::value::{Leaf, Offset, Sym};
use crate::outcomes::conditions::Tests;
use crate::outcomes::conditions::either;
use crate::outcomes::outcome::longer_trail;
use watertight_ir::InstId;
use watertight_logic::guard::Guard;
use watertight_summary::property::{From, Move, Property, PropertyId, To};
use watertight_summary::{Breach, CallAt, Path, Relation, Root, Step, Summary, When};

/// A state that is wrong for a call.
#[derive(Clone, Debug)]
pub(crate) struct Wrong {
    pub(crate) mistake: usize,
    pub(crate) guard: Guard,
    /// What makes it wrong, as tests of the state.
    pub(crate) tests: Vec<(Relation, i64)>,
    /// It may be right after all.
    pub(crate) weak: bool,
}

/// What is asked of a state for one move of several to be taken.
pub(crate) fn state_tests(moves: &[Move], index: usize) -> Vec<(Relation, i64)> {
    let test = |from: &From, negated: bool| match (from, negated) {
        (From::State(state), false) => Some((Relation::Equal, i64::from(*state))),
        (From::State(state), true) => Some((Relation::NotEqual, i64::from(*state))),
        (From::Counted, false) => Some((Relation::Greater, 0)),
        (From::Counted, true) => Some((Relation::LessEqual, 0)),
        (From::Any, _) => None,
    };
    match &moves[index].from[..] {
        [one] if !matches!(one, From::Any) => test(one, false).into_iter().collect(),
        // None of the moves before fits.
        _ => {
            let before = moves[..index].iter().flat_map(|one| &one.from);
            before.filter_map(|from| test(from, true)).collect()
        }
    }
}

/// Whether a state is one that tests ask for.
fn meets(tests: &[(Relation, i64)], number: i64) -> bool {
    tests.iter().all(|&(relation, other)| match relation {
        Relation::Equal => number == other,
        Relation::NotEqual => number != other,
        Relation::Greater => number > other,
        Relation::LessEqual => number <= other,
        _ => false,
    })
}

impl State<'_> {
    /// Notes a mistake that is made here.
    pub(crate) fn note_wrong(&mut self, inst: InstId, cell: Cell, wrong: Wrong, trail: &[CallAt]) {
        // What was done with it after its release is another matter.
        let spoiled = self.or(self.hidden(cell).spoiled, self.objects[cell.object].released);
        let here = self.formulas.guards.and_not(wrong.guard, spoiled);
        self.objects[cell.object].hidden[cell.index].spoiled = self.or(spoiled, here);
        if here.is_false() {
            return;
        }
        self.journal.broken.push(Broken {
            inst,
            node: self.node,
            cell,
            mistake: wrong.mistake,
            here,
            demanded: Guard::FALSE,
            tests: wrong.tests,
            trail: trail.to_vec(),
            weak: wrong.weak,
            doubtful: self.doubtful_states,
        });
    }

    /// Notes which states at entry would have made a call wrong.
    pub(crate) fn demand(
        &mut self,
        inst: InstId,
        cell: Cell,
        moves: &[Move],
        chosen: Option<usize>,
        guard: Guard,
    ) {
        for (index, one) in moves.iter().enumerate() {
            let To::Error(mistake) = one.to else { continue };
            // What stands behind a move from any state is never taken.
            if chosen.is_some_and(|chosen| chosen < index && moves[chosen].from == [From::Any]) {
                continue;
            }
            let tests = state_tests(moves, index);
            self.journal.broken.push(Broken {
                inst,
                node: self.node,
                cell,
                mistake,
                here: Guard::FALSE,
                demanded: guard,
                tests,
                trail: Vec::new(),
                weak: false,
                doubtful: self.doubtful_states,
            });
        }
    }

    /// What the states here make wrong about a call of a function that tells what it demands.
    pub(crate) fn breaches(&mut self, summary: &Summary, application: &mut Application<'_>) {
        if summary.breaches.is_empty() || !self.follow_states {
            return;
        }
        for breach in &summary.breaches {
            let Some(property) = breach.place.property() else { continue };
            if self.context.is_named_by(self.id, property) {
                continue;
            }
            // Where nothing was done with any state, none can be wrong by what was done here.
            let known = self.moved_properties.contains(&property) || self.is_made_here(breach, application);
            let cells = match known {
                true => Some(self.cells_at(&breach.place, application)),
                false => None,
            };
            let Some(cells) = cells else {
                self.pass_on(breach, application);
                continue;
            };
            let possible = self.when(&breach.when, application);
            for (when, cell) in cells {
                let when = self.formulas.guards.and_all([when, possible, self.here]);
                for (guard, known, _) in self.known(cell, when) {
                    let number = match known {
                        Known::Number(number) => number,
                        Known::More(plus) if plus > 0 => plus,
                        Known::Entry => {
                            self.passed_on(breach, cell, guard, application.inst);
                            continue;
                        }
                        Known::More(_) | Known::Unfollowed => continue,
                    };
                    if meets(&breach.tests, number) {
                        let wrong = Wrong {
                            mistake: breach.mistake as usize,
                            guard,
                            tests: breach.tests.clone(),
                            weak: breach.when.weak || !breach.when.is_always(),
                        };
                        let callee = self.called_back;
                        let trail: Vec<CallAt> =
                            callee.into_iter().chain(breach.trail.iter().copied()).collect();
                        self.note_wrong(application.inst, cell, wrong, &trail);
                        let unfollowed = self.constant(WIDTH, i128::from(Property::UNFOLLOWED));
                        self.set_state(cell, &vec![(guard, Leaf::Number(unfollowed))], guard);
                    }
                }
            }
        }
    }

    /// Whether a breach speaks of something that was made here, and so is in the first state.
    fn is_made_here(&self, breach: &Breach, application: &Application<'_>) -> bool {
        let Root::Param(index) = breach.place.root else { return false };
        match application.args.get(index as usize) {
            Some((Sym::Leaves(leaves), _)) => leaves.iter().any(|entry| {
                matches!(entry.1, Leaf::Address(object, _) if matches!(self.objects[object].origin, Origin::Fresh(_) | Origin::Stack(_)))
            }),
            _ => false,
        }
    }

    fn passed_on(&mut self, breach: &Breach, cell: Cell, guard: Guard, inst: InstId) {
        let known = self.journal.broken.iter().any(|known| {
            known.cell == cell && known.mistake == breach.mistake as usize && known.here.is_false()
        });
        if known || guard.is_false() {
            return;
        }
        self.journal.broken.push(Broken {
            inst,
            node: self.node,
            cell,
            mistake: breach.mistake as usize,
            here: Guard::FALSE,
            demanded: guard,
            tests: breach.tests.clone(),
            trail: breach.trail.clone(),
            weak: breach.when.weak,
            doubtful: self.doubtful_states,
        });
        // A callee that leaves the state as it was demands the same here.
        if !breach.when.weak && breach.when.is_always() {
            self.assume_other(cell, guard, &breach.tests);
        }
    }

    /// A state that is not the one that is wrong, where there are two.
    pub(crate) fn assume_other(&mut self, cell: Cell, guard: Guard, tests: &[(Relation, i64)]) {
        let rule = self.context.library.properties.get(self.hidden(cell).property);
        let others: Vec<i64> = rule
            .states
            .iter()
            .map(|state| i64::from(state.number))
            .filter(|&state| !meets(tests, state))
            .collect();
        if let [other @ ..=0] = &others[..] {
            self.assume_state(cell, guard, *other);
        }
    }

    /// Tells the callers of this function what a callee demands, without looking at memory.
    fn pass_on(&mut self, breach: &Breach, application: &Application<'_>) {
        let Some(place) = self.renamed(&breach.place, application) else { return };
        let known =
            self.journal.passed.iter().any(|known| known.place == place && known.mistake == breach.mistake);
        if known || self.journal.passed.len() >= MOST_BREACHES {
            return;
        }
        let guard = match breach.when.is_always() {
            true => self.here,
            false => {
                let possible = self.when(&breach.when, application);
                self.and(self.here, possible)
            }
        };
        let mut when = self.condition_of(guard);
        when.weak |= breach.when.weak;
        let call = CallAt { function: self.id, inst: application.inst };
        let trail = longer_trail(call, &breach.trail);
        let (mistake, tests) = (breach.mistake, breach.tests.clone());
        if !guard.is_false() {
            self.journal.passed.push(Breach { place, mistake, when, tests, trail });
        }
    }

    /// What callers call a place of a callee, if it is something that they gave or a global.
    fn renamed(&self, place: &Path, application: &Application<'_>) -> Option<Path> {
        let Root::Param(index) = place.root else { return Some(place.clone()) };
        let (Sym::Leaves(leaves), _) = application.args.get(index as usize)? else { return None };
        let &[(_, Leaf::Address(object, Offset::At(bytes)))] = &leaves[..] else { return None };
        let base = match &self.objects[object].origin {
            Origin::Entry(path) => path.clone(),
            Origin::Global(global) => Path::root(Root::Global(*global)),
            _ => return None,
        };
        let (first, rest) = place.steps.split_first()?;
        let first = match *first {
            Step::At(offset) => Step::At(offset + bytes),
            Step::State { offset, property } => Step::State { offset: offset + bytes, property },
            Step::Number { .. } | Step::Somewhere | Step::Element { .. } | Step::Each { .. } => return None,
        };
        let mut path = base.then(first);
        path.steps.extend_from_slice(rest);
        (path.steps.len() <= BREACH_STEPS && !path.steps.contains(&Step::Somewhere)).then_some(path)
    }

    /// What paths say of entry values, if that takes few words.
    fn condition_of(&mut self, guard: Guard) -> When {
        if guard.is_true() {
            return When::always();
        }
        if self.formulas.guards.size(guard) > BREACH_CONDITION {
            return When { weak: true, ..When::always() };
        }
        let mut tests = Tests::new(self);
        self.entry_condition(guard, &mut tests)
    }

    /// What the function demands of its callers.
    pub(crate) fn demands(&mut self) -> Vec<Breach> {
        let mut breaches: Vec<Breach> = Vec::new();
        for broken in self.journal.broken.clone() {
            let hidden = self.hidden(broken.cell);
            let (offset, property): (i64, PropertyId) = (hidden.offset, hidden.property);
            let demanded = self.formulas.guards.and_not(broken.demanded, self.seldom);
            let Some(place) = self.state_path(broken.cell.object, offset, property) else { continue };
            if demanded.is_false() {
                continue;
            }
            let mistake = broken.mistake as u32;
            let same = breaches.iter().position(|known| {
                known.place == place && known.mistake == mistake && known.tests == broken.tests
            });
            if same.is_some_and(|index| breaches[index].when.is_always()) {
                continue;
            }
            let mut when = self.condition_of(demanded);
            when.weak |= broken.weak;
            match same {
                Some(index) => breaches[index].when = either(&breaches[index].when, &when),
                None if breaches.len() < MOST_BREACHES => {
                    let trail = longer_trail(CallAt { function: self.id, inst: broken.inst }, &broken.trail);
                    breaches.push(Breach { place, mistake, when, tests: broken.tests, trail });
                }
                None => {}
            }
        }
        for passed in std::mem::take(&mut self.journal.passed) {
            let known =
                breaches.iter().any(|known| known.place == passed.place && known.mistake == passed.mistake);
            if !known && breaches.len() < MOST_BREACHES {
                breaches.push(passed);
            }
        }
        breaches
    }
}
