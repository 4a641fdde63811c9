//! Calls that a property names: the states of their objects move, or it is a mistake.
//!
//! An event comes after the call has done everything else, so that its condition can speak of the result. What it does
//! to each state that the object can have is decided move by move; the paths that no move fits keep their state.

use crate::calls::apply::Application;
use crate::evaluate::state::{Precision, State};
use crate::evaluate::value::{Leaf, Leaves, Offset, Sym};
use crate::states::broken::{Wrong, state_tests};
use crate::states::cells::{Cell, WIDTH};
use std::cell::RefCell;
use watertight_ir::{FuncId, InstId, Type};
use watertight_logic::guard::Guard;
use watertight_summary::property::{Event, From, Move, Property, PropertyId, To};
use watertight_summary::{Path, Root};

/// A state that was changed by a call, for stories.
#[derive(Clone, Debug)]
pub struct Moved {
    pub inst: InstId,
    pub cell: Cell,
    /// The paths on which it was, and what the state is then.
    pub guard: Guard,
    pub to: Leaf,
    /// The paths on which the call was made at all.
    pub entered: Guard,
    /// Something other than the first state may come to an end by it.
    pub ends: bool,
}

impl State<'_> {
    /// What a call does to states, by what properties say of the function called.
    pub(crate) fn events(
        &mut self,
        inst: InstId,
        function: FuncId,
        args: &[(Sym, Type)],
        result: Option<&Sym>,
        ty: Type,
    ) {
        let context = self.context;
        if !context.has_events(function) || self.here.is_false() {
            return;
        }
        let callee = &context.program.functions[function];
        for (property, events) in context.library.properties.events(&callee.name) {
            // What a function that the property names does inside says the same once more.
            if context.is_named_by(self.id, property) {
                continue;
            }
            let application = Application {
                inst,
                callee: &callee.name,
                args,
                function,
                vague: false,
                partial: false,
                sure: Vec::new(),
                fresh: Vec::new(),
                made: Vec::new(),
                result_type: ty,
                resolved: RefCell::default(),
                tested: RefCell::default(),
                result: result.cloned(),
            };
            // All conditions and objects are looked at before the first state moves.
            let ready: Vec<(Guard, Leaves)> =
                events.iter().map(|event| self.prepare_event(event, &application)).collect();
            for (event, (guard, on)) in events.iter().zip(ready) {
                let guard = self.and(self.here, guard);
                self.move_states(inst, property, &on, &event.moves, guard);
            }
        }
    }

    fn prepare_event(&mut self, event: &Event, application: &Application<'_>) -> (Guard, Leaves) {
        let guard = match self.precision {
            Precision::Exact => self.when(&event.when, application),
            Precision::Coarse => Guard::TRUE,
        };
        (guard, self.object_of(&event.on, application))
    }

    /// What an event is about.
    fn object_of(&mut self, on: &Path, application: &Application<'_>) -> Leaves {
        if on.root == Root::Process {
            let process = self.process_object();
            return vec![(Guard::TRUE, Leaf::Address(process, Offset::At(0)))];
        }
        self.resolve(on, application).0
    }

    fn move_states(&mut self, inst: InstId, property: PropertyId, on: &Leaves, moves: &[Move], guard: Guard) {
        let rule = self.context.library.properties.get(property);
        let mut impossible = Guard::FALSE;
        for (when, cell) in self.cells_of(on, 0, property) {
            let entered = self.and(self.here, when);
            let guard = self.and(guard, when);
            if guard.is_false() || moves.is_empty() {
                continue;
            }
            let mut next: Leaves = Vec::new();
            let mut wrong: Vec<Wrong> = Vec::new();
            let entry = self.hidden(cell).entry;
            for (holds, leaf) in self.hidden(cell).leaves.clone() {
                let mut rest = self.and(guard, holds);
                // How often something is held of which nothing is known, nobody can tell.
                if rule.most() > 0
                    && let Leaf::Number(term) = leaf
                    && let (Some(base), _) = self.base_and_plus(term)
                    && Some(base) != entry
                {
                    next.push((rest, leaf));
                    continue;
                }
                let unfollowed = self.is_unfollowed(leaf);
                // Only a call that does not ask for the state makes it known again.
                let resets = |one: &Move| matches!((&one.from[..], one.to), ([From::Any], To::State(_)));
                if unfollowed && !moves.first().is_some_and(resets) {
                    next.push((rest, leaf));
                    continue;
                }
                let mut left = States::all(rule);
                for (index, one) in moves.iter().enumerate() {
                    if rest.is_false() {
                        break;
                    }
                    let fits = self.fits(leaf, one, &mut left);
                    let taken = self.and(rest, fits);
                    rest = self.formulas.guards.and_not(rest, fits);
                    if taken.is_false() {
                        continue;
                    }
                    let to = match one.to {
                        To::State(state) => Leaf::Number(self.constant(WIDTH, i128::from(state))),
                        To::Plus(by) => self.plus(leaf, by),
                        To::Same => leaf,
                        To::Unknown => Leaf::Number(self.constant(WIDTH, i128::from(Property::UNFOLLOWED))),
                        To::Never => {
                            impossible = self.or(impossible, taken);
                            continue;
                        }
                        To::Error(mistake) => {
                            let tests = state_tests(moves, index);
                            wrong.push(Wrong { mistake, leaf, guard: taken, tests });
                            continue;
                        }
                    };
                    next.push((taken, to));
                    if to != leaf {
                        let moved =
                            Moved { inst, cell, guard: taken, to, entered, ends: one.from != [From::Any] };
                        self.moves.push(moved);
                    }
                }
                next.push((rest, leaf));
            }
            for wrong in wrong {
                let after = self.note_wrong(inst, cell, wrong, &[]);
                next.push((after, Leaf::Number(self.unknown_state(property))));
            }
            self.set_state(cell, &next, guard);
        }
        if self.precision == Precision::Exact {
            self.here = self.formulas.guards.and_not(self.here, impossible);
        }
    }

    /// When a state is one of those that a move starts from. These are not left for later moves.
    fn fits(&mut self, leaf: Leaf, one: &Move, left: &mut States) -> Guard {
        if self.precision == Precision::Coarse {
            return Guard::FALSE;
        }
        let before = left.0.clone();
        left.0.retain(|state| !one.from.iter().any(|from| from.covers(*state)));
        if left.0.is_empty() {
            return Guard::TRUE;
        }
        // What is asked of a counted state is asked as "none of the others", so that few conditions serve for all.
        let covered = |state: &&i8| !left.0.contains(state);
        let (of, negated): (Vec<i8>, bool) = match before.iter().filter(covered).any(|&state| state > 0) {
            true => (left.0.clone(), true),
            false => (before.iter().filter(covered).copied().collect(), false),
        };
        let mut any = Guard::FALSE;
        for state in of {
            let holds = self.is_state(leaf, i64::from(state));
            any = self.or(any, holds);
        }
        if negated { !any } else { any }
    }

    fn plus(&mut self, leaf: Leaf, by: i8) -> Leaf {
        let Leaf::Number(term) = leaf else { return leaf };
        let by = self.constant(WIDTH, i128::from(by));
        Leaf::Number(self.formulas.terms.add(term, by))
    }
}

/// The states that no move before has covered; all positive ones are one.
struct States(Vec<i8>);

impl States {
    fn all(property: &Property) -> States {
        States(property.states.iter().map(|state| state.number).collect())
    }
}

/// Whether a move starts from a state.
pub(crate) trait Covers {
    fn covers(&self, state: i8) -> bool;
}

impl Covers for From {
    fn covers(&self, state: i8) -> bool {
        match *self {
            From::State(own) => own == state,
            From::Counted => state > 0,
            From::Any => true,
        }
    }
}
