//! Mistakes: what breaks a property, and who answers for it.
//!
//! A state that is wrong for a call was either brought about here, then the function is wrong whatever the state at
//! entry was, or it is the state at entry: then the caller answers, who is told by a [`Breach`]. Behind a mistake of the
//! first kind evaluation goes on with a state that is not known, so that nothing else that happens there is missed;
//! the paths of the second kind are assumed not to happen.

use crate::calls::apply::Application;
use crate::evaluate::state::{Precision, State};
use crate::evaluate::value::{Leaf, Leaves, Offset};
use crate::loops::unroll::NodeId;
use crate::states::cells::Cell;
use crate::states::events::Covers;
use crate::stories::witness::ask;
use crate::summarise::conditions::either;
use watertight_ir::InstId;
use watertight_logic::guard::Guard;
use watertight_logic::question::Answer;
use watertight_logic::solver::Solver;
use watertight_summary::property::{From, Move, Property};
use watertight_summary::{Breach, CallAt, Path, Relation, Root, Step, Summary, Test, When};

/// The most breaches that a summary tells.
const MOST_BREACHES: usize = 12;
/// How many calls a breach remembers on the way to where it happens.
const LONGEST_TRAIL: usize = 4;

/// A state that is wrong for a call.
#[derive(Clone, Debug)]
pub(crate) struct Wrong {
    pub(crate) mistake: usize,
    pub(crate) leaf: Leaf,
    pub(crate) guard: Guard,
    /// What makes it wrong, as tests of the state.
    pub(crate) tests: Vec<(Relation, i64)>,
}

/// A mistake.
#[derive(Clone, Debug)]
pub struct Broken {
    pub inst: InstId,
    pub node: NodeId,
    pub cell: Cell,
    pub mistake: usize,
    /// When the state was brought about here.
    pub here: Guard,
    /// When it is the state at entry.
    pub demanded: Guard,
    /// What is asked of the state at entry.
    pub tests: Vec<(Relation, i64)>,
    /// The calls inside the function called that lead to where it happens.
    pub trail: Vec<CallAt>,
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
        all => {
            let before = moves[..index].iter().flat_map(|one| &one.from);
            let others = before.filter(|from| match from {
                From::State(state) => !all.iter().any(|own| !matches!(own, From::Any) && own.covers(*state)),
                _ => true,
            });
            others.filter_map(|from| test(from, true)).collect()
        }
    }
}

impl State<'_> {
    /// Notes a mistake. Gives the paths that go on behind it, and ends those on which it is the caller's.
    pub(crate) fn note_wrong(&mut self, inst: InstId, cell: Cell, wrong: Wrong, trail: &[CallAt]) -> Guard {
        if self.precision == Precision::Coarse {
            return wrong.guard;
        }
        let Leaf::Number(term) = wrong.leaf else { return Guard::FALSE };
        let (base, plus) = self.base_and_plus(term);
        let entry = self.hidden(cell).entry;
        let here = match base {
            None => wrong.guard,
            // More or less than at entry: wrong at least if nothing had happened before.
            Some(base) if plus != 0 && entry == Some(base) => {
                let start = self.is_state(Leaf::Number(base), i64::from(Property::START));
                self.and(wrong.guard, start)
            }
            Some(_) => Guard::FALSE,
        };
        let rule = self.context.library.properties.get(self.hidden(cell).property);
        let here = match entry {
            // Where states are counted, another number at entry may make it right.
            Some(entry) if base.is_none() && rule.most() > 0 => {
                let start = self.is_state(Leaf::Number(entry), i64::from(Property::START));
                self.and(here, start)
            }
            _ => here,
        };
        let (on, spoiled) = (here, self.hidden(cell).spoiled);
        // What was done with it after its release is another matter.
        let spoiled = self.or(spoiled, self.objects[cell.object].released);
        let here = self.formulas.guards.and_not(here, spoiled);
        self.objects[cell.object].hidden[cell.index].spoiled = self.or(spoiled, here);
        let demanded = match base {
            Some(_) => self.formulas.guards.and_not(wrong.guard, on),
            None => Guard::FALSE,
        };
        let tests = wrong.tests.iter().map(|&(relation, number)| (relation, number - plus)).collect();
        let named = base.is_some() && base == entry;
        self.broken.push(Broken {
            inst,
            node: self.node,
            cell,
            mistake: wrong.mistake,
            here,
            demanded: if named { demanded } else { Guard::FALSE },
            tests,
            trail: trail.to_vec(),
        });
        self.here = self.formulas.guards.and_not(self.here, demanded);
        self.formulas.guards.and_not(wrong.guard, demanded)
    }

    /// What the states here make wrong about a call of a function that tells what it demands.
    pub(crate) fn breaches(&mut self, summary: &Summary, application: &mut Application<'_>) {
        if summary.breaches.is_empty() || self.precision == Precision::Coarse {
            return;
        }
        let mut later = Guard::FALSE;
        for outcome in &summary.outcomes {
            let possible = self.when(&outcome.when, application);
            later = self.or(later, possible);
        }
        let mut found: Vec<(Cell, Wrong, Vec<CallAt>)> = Vec::new();
        for breach in &summary.breaches {
            let Some((Step::State { offset, property }, before)) = breach.place.steps.split_last() else {
                continue;
            };
            if self.context.is_named_by(self.id, *property) {
                continue;
            }
            let mut possible = self.when(&breach.when, application);
            if possible.is_false() || self.formulas.guards.disjoint(self.here, possible) {
                continue;
            }
            // Which way the callee takes is its own business where outcomes are possible too.
            if !self.formulas.guards.disjoint(possible, later) {
                let choice = if breach.when.weak { self.invented_choice() } else { self.choice() };
                let free = self.or(choice, !later);
                possible = self.and(possible, free);
            }
            let base = Path { root: breach.place.root, steps: before.to_vec() };
            let address = match base.root {
                Root::Process => {
                    let process = self.process_object();
                    vec![(Guard::TRUE, Leaf::Address(process, Offset::At(0)))]
                }
                _ => self.resolve(&base, application).0,
            };
            let tests = tests_of(&breach.when, &breach.place);
            for (when, cell) in self.cells_of(&address, *offset, *property) {
                let when = self.and(when, possible);
                let when = self.and(when, self.here);
                for (holds, leaf) in self.hidden(cell).leaves.clone() {
                    let guard = self.and(when, holds);
                    if !guard.is_false() && !self.is_unfollowed(leaf) {
                        let wrong =
                            Wrong { mistake: breach.mistake as usize, leaf, guard, tests: tests.clone() };
                        found.push((cell, wrong, breach.trail.clone()));
                    }
                }
            }
        }
        if found.is_empty() {
            return;
        }
        for (cell, wrong, trail) in found {
            let property = self.hidden(cell).property;
            let after = self.note_wrong(application.inst, cell, wrong, &trail);
            let unknown: Leaves = vec![(Guard::TRUE, Leaf::Number(self.unknown_state(property)))];
            self.set_state(cell, &unknown, after);
        }
        application.resolved.borrow_mut().clear();
        application.tested.borrow_mut().clear();
    }

    /// What the function demands of its callers.
    pub(crate) fn demands(&mut self) -> Vec<Breach> {
        let mut breaches: Vec<Breach> = Vec::new();
        let mut solver = Solver::new();
        for broken in self.broken.clone() {
            let hidden = self.hidden(broken.cell);
            let (offset, property) = (hidden.offset, hidden.property);
            let demanded = self.formulas.guards.and_not(broken.demanded, self.seldom);
            let Some(place) = self.state_path(broken.cell.object, offset, property) else { continue };
            if demanded.is_false() || matches!(ask(self, &mut solver, demanded), Answer::Unsat(_)) {
                continue;
            }
            let mut when = self.entry_condition(demanded);
            for cube in &mut when.any {
                cube.retain(|test| test.value != place);
                cube.extend(broken.tests.iter().map(|&(relation, number)| Test {
                    value: place.clone(),
                    mask: None,
                    relation,
                    number,
                }));
            }
            when.any.dedup();
            let mistake = broken.mistake as u32;
            let room = breaches.len() < MOST_BREACHES;
            match breaches.iter_mut().find(|known| known.place == place && known.mistake == mistake) {
                Some(known) => {
                    let joined = either(&known.when, &when);
                    known.when = with_state_test(joined, &place, &broken.tests);
                }
                None if room => {
                    let call = CallAt { function: self.id, inst: broken.inst };
                    let trail = if broken.trail.contains(&call) {
                        broken.trail
                    } else {
                        [call].into_iter().chain(broken.trail).take(LONGEST_TRAIL).collect()
                    };
                    breaches.push(Breach { place, mistake, when, trail });
                }
                None => {}
            }
        }
        breaches
    }
}

/// What a condition asks of a state.
fn tests_of(when: &When, place: &Path) -> Vec<(Relation, i64)> {
    let first = when.any.first().into_iter().flatten();
    first.filter(|test| test.value == *place).map(|test| (test.relation, test.number)).collect()
}

/// A condition that certainly speaks of the state.
fn with_state_test(mut when: When, place: &Path, tests: &[(Relation, i64)]) -> When {
    for cube in &mut when.any {
        if !cube.iter().any(|test| test.value == *place) {
            cube.extend(tests.iter().map(|&(relation, number)| Test {
                value: place.clone(),
                mask: None,
                relation,
                number,
            }));
        }
    }
    when
}
