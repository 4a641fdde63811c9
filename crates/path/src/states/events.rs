//! Calls that a property names: the states of their objects move, or it is a mistake.
//!
//! An event comes after the call has done everything else, so that its condition can speak of the result. What it does
//! is decided for each state that the object can have. A state at entry is taken to be one that the call is meant for:
//! who locks something found it unlocked. That is remembered as an assumption, and what the function brings back to
//! where it was assumed to be is as it was; nothing is asked of the path, so following states changes nothing for memory.

use crate::calls::apply::Application;
use crate::machine::cells::{Cell, Known, WIDTH};
use crate::machine::journal::Moved;
use crate::machine::state::State;
use crate::machine::value::{Leaf, Leaves, Offset, Sym};
use crate::states::broken::{Wrong, state_tests};
use watertight_ir::{FuncId, InstId, Type};
use watertight_logic::guard::Guard;
use watertight_summary::property::{Event, From, Move, Property, PropertyId, To};
use watertight_summary::{Path, Root, Step};

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
        if !context.has_events(function) || self.here.is_false() || !self.follow_states {
            return;
        }
        let callee = &context.program.functions[function];
        for (property, events) in context.library.properties.events(&callee.name) {
            // What a function that the property names does inside says the same once more.
            if context.is_named_by(self.id, property) {
                continue;
            }
            let application = Application {
                result: result.cloned(),
                ..Application::new(inst, &callee.name, args, function, ty)
            };
            // All conditions and objects are looked at before the first state moves.
            let mut ready: Vec<(Guard, Leaves)> = Vec::with_capacity(events.len());
            let mut first = true;
            for event in events {
                let asks = event.when.any.iter().flatten().any(|test| test.value.root == Root::Result);
                // Who does not look at the result relies on success, which is told first.
                if asks && !self.is_used(inst) {
                    let guard = Guard::truth(std::mem::replace(&mut first, false));
                    ready.push((guard, self.object_of(&event.on, &application)));
                } else {
                    ready.push(self.prepare_event(event, &application));
                }
            }
            for (event, (guard, on)) in events.iter().zip(ready) {
                let guard = self.and(self.here, guard);
                self.move_states(inst, property, &on, &event.moves, guard);
            }
        }
    }

    /// A function of which only a property speaks writes what the property says it fills: `*out` has a value afterwards.
    pub(crate) fn write_told(&mut self, inst: InstId, function: FuncId, args: &[(Sym, Type)], ty: Type) {
        let context = self.context;
        let callee = &context.program.functions[function];
        let application = Application::new(inst, &callee.name, args, function, ty);
        let mut cells: Vec<&Path> = Vec::new();
        for (_, events) in context.library.properties.events(&callee.name) {
            for event in events {
                let asked = event.when.any.iter().flatten().map(|test| &test.value);
                for path in asked.chain([&event.on]) {
                    if matches!(path.root, Root::Param(_)) && !path.steps.is_empty() && !cells.contains(&path)
                    {
                        cells.push(path);
                    }
                }
            }
        }
        for path in cells {
            let Some((last, before)) = path.steps.split_last() else { continue };
            let (offset, ty) = match *last {
                Step::At(offset) => (offset, Type::Ptr),
                Step::Number { offset, bytes } => (offset, Type::Int(bytes * 8)),
                Step::Somewhere | Step::Element { .. } | Step::Each { .. } | Step::State { .. } => continue,
            };
            let base = Path { root: path.root, steps: before.to_vec() };
            let address: Leaves = self.resolve(&base, &application).0;
            let address: Leaves = address
                .into_iter()
                .filter_map(|(guard, leaf)| match leaf {
                    Leaf::Address(object, at) => Some((guard, Leaf::Address(object, at.plus(offset)))),
                    _ => None,
                })
                .collect();
            let value = self.any(ty);
            let here = self.here;
            self.store(&address, &value, ty, here);
        }
    }

    fn prepare_event(&mut self, event: &Event, application: &Application<'_>) -> (Guard, Leaves) {
        let guard = self.when(&event.when, application);
        (guard, self.object_of(&event.on, application))
    }

    /// What an event is about.
    fn object_of(&mut self, on: &Path, application: &Application<'_>) -> Leaves {
        if on.root == Root::Process {
            let process = self.process_object();
            return vec![(Guard::TRUE, Leaf::Address(process, Offset::At(0)))];
        }
        let address = self.resolve(on, application).0;
        self.with_slots(address, on, application.inst)
    }

    fn move_states(&mut self, inst: InstId, property: PropertyId, on: &Leaves, moves: &[Move], guard: Guard) {
        for (when, cell) in self.cells_of(on, 0, property) {
            let guard = self.and(guard, when);
            // Where a state decides whether an attempt succeeds, it succeeds on what nobody else has seen yet.
            let decides = moves.iter().any(|one| one.to == To::Never);
            let alone = decides && self.objects[cell.object].is_fresh() && self.is_unseen(cell.object);
            let entered = if alone { guard } else { self.and(self.here, when) };
            if guard.is_false() || moves.is_empty() {
                continue;
            }
            let mut next: Leaves = Vec::new();
            for (guard, known, leaf) in self.known(cell, guard) {
                let chosen = match known {
                    Known::Number(number) => moves.iter().position(|one| one.fits(number)),
                    // Fewer than at entry is none at worst; numbers below are states that are not counted.
                    Known::More(plus) => moves.iter().position(|one| one.fits(plus.signum().max(0))),
                    Known::Entry => chosen_at_entry(moves),
                    Known::Unfollowed => {
                        moves.first().filter(|one| one.from == [From::Any] && one.sets()).map(|_| 0)
                    }
                };
                if known == Known::Entry {
                    self.demand(inst, cell, moves, chosen, guard);
                }
                let Some(one) = chosen.map(|index| &moves[index]) else {
                    next.push((guard, leaf));
                    continue;
                };
                if known == Known::Entry
                    && let Some(From::State(state)) = one.from.first()
                    && !one.counts()
                {
                    self.assume_state(cell, guard, i64::from(*state));
                }
                // Something that begins anew is as if it had been so at entry.
                if known == Known::Entry && one.from == [From::Any] && one.to == To::State(Property::START) {
                    self.assume_state(cell, guard, i64::from(Property::START));
                    next.push((guard, leaf));
                    continue;
                }
                let unfollowed = Leaf::Number(self.constant(WIDTH, i128::from(Property::UNFOLLOWED)));
                let to = match one.to {
                    To::State(state) => {
                        let leaves = self.back_or_at(cell, guard, i64::from(state));
                        let ends = one.from != [From::Any] && state == Property::START;
                        let begins = state != Property::START;
                        self.note_moved(inst, cell, &leaves, entered, begins, ends);
                        next.extend(leaves);
                        continue;
                    }
                    To::Plus(by) => {
                        let leaves = self.by(cell, guard, known, leaf, i64::from(by));
                        self.note_moved(inst, cell, &leaves, entered, by > 0, by < 0);
                        next.extend(leaves);
                        continue;
                    }
                    To::Same => leaf,
                    To::Unknown | To::Never => unfollowed,
                    To::Error(mistake) => {
                        let tests = state_tests(moves, chosen.unwrap_or(0));
                        let wrong = Wrong { mistake, guard, tests, weak: matches!(known, Known::More(..=0)) };
                        self.note_wrong(inst, cell, wrong, &[]);
                        unfollowed
                    }
                };
                next.push((guard, to));
            }
            self.set_state(cell, &next, guard);
        }
    }

    pub(crate) fn note_moved(
        &mut self,
        inst: InstId,
        cell: Cell,
        leaves: &Leaves,
        entered: Guard,
        begins: bool,
        ends: bool,
    ) {
        for &(guard, to) in leaves {
            if ends {
                self.ended_elsewhere(cell, guard);
            }
            self.journal.moves.push(Moved { inst, node: self.node, cell, guard, to, entered, begins, ends });
        }
    }

    /// A state of this number: the one at entry where it was assumed to be that.
    pub(crate) fn back_or_at(&mut self, cell: Cell, guard: Guard, number: i64) -> Leaves {
        let mut rest = guard;
        let mut leaves: Leaves = Vec::new();
        if let Some(entry) = self.hidden(cell).entry {
            for (when, state) in self.hidden(cell).assumed.clone() {
                if state == number {
                    let same = self.and(rest, when);
                    rest = self.formulas.guards.and_not(rest, when);
                    if !same.is_false() {
                        leaves.push((same, Leaf::Number(entry)));
                    }
                }
            }
        }
        if !rest.is_false() {
            let number = self.constant(WIDTH, i128::from(number));
            leaves.push((rest, Leaf::Number(number)));
        }
        leaves
    }

    /// A state that is counted, by so much more or less. Who gives back what is held alone holds nothing.
    pub(crate) fn by(&mut self, cell: Cell, guard: Guard, known: Known, leaf: Leaf, by: i64) -> Leaves {
        match known {
            Known::Number(number) => {
                let number = match number {
                    0.. => (number + by).clamp(0, 64),
                    _ if by < 0 => i64::from(Property::START),
                    _ => number,
                };
                self.back_or_at(cell, guard, number)
            }
            Known::Unfollowed => vec![(guard, leaf)],
            Known::More(_) | Known::Entry => {
                let Leaf::Number(term) = leaf else { return Vec::new() };
                let by = self.constant(WIDTH, i128::from(by));
                vec![(guard, Leaf::Number(self.formulas.terms.add(term, by)))]
            }
        }
    }
}

/// The move that a state at entry is taken to be meant for: the first one that is no mistake, one that counts before others.
fn chosen_at_entry(moves: &[Move]) -> Option<usize> {
    let possible = |one: &Move| !matches!(one.to, To::Error(_) | To::Never);
    let counting = moves.iter().position(|one| possible(one) && one.counts());
    counting.or_else(|| moves.iter().position(possible))
}
