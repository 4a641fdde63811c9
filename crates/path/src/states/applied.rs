//! What the summary of a function says of states, applied to a call of it.
//!
//! All outcomes that leave a state in one place are applied together. A caller that does not look at the result relies on
//! success.

use crate::calls::apply::Application;
use crate::machine::cells::{Cell, Known, WIDTH};
use crate::machine::state::State;
use crate::machine::value::{Leaf, Leaves, Offset};
use watertight_ir::InstId;
use watertight_logic::guard::Guard;
use watertight_summary::property::Property;
use watertight_summary::{Effect, Path, Relation, Root, Step, Summary, Value};

/// What becomes of a state in some outcomes.
pub(crate) struct StateEffect {
    cells: Vec<(Guard, Cell)>,
    /// By outcome.
    values: Vec<(Guard, After)>,
    /// What the state must not have been at entry.
    demanded: Option<Vec<(Relation, i64)>>,
}

#[derive(Copy, Clone, PartialEq, Debug)]
enum After {
    At(i64),
    By(i64),
    Unknown,
}

impl After {
    fn of(value: &Value, place: &Path) -> After {
        match value {
            Value::Number(number) => After::At(*number),
            Value::Entry { path, plus } if path == place => After::By(*plus),
            _ => After::Unknown,
        }
    }
}

impl State<'_> {
    /// What outcomes make of states that existed before the call.
    pub(crate) fn state_effects(
        &mut self,
        summary: &Summary,
        taken: &[Guard],
        application: &Application<'_>,
    ) -> Vec<StateEffect> {
        let mut effects = Vec::new();
        if !self.follow_states || !self.context.reaches_events(self.id) || !summary.touches_states() {
            return effects;
        }
        let mut places: Vec<&Path> = Vec::new();
        for effect in summary.effects() {
            if let Effect::Store { place, .. } = effect
                && effect.is_state()
                && !matches!(place.root, Root::Fresh(_))
                && !places.contains(&place)
            {
                places.push(place);
            }
        }
        for place in places {
            let Some(property) = place.property() else { continue };
            if self.context.is_named_by(self.id, property) {
                continue;
            }
            let cells = self.cells_at(place, application);
            let mut values = Vec::new();
            for (outcome, &when) in summary.outcomes.iter().zip(taken) {
                let set = outcome.effects.iter().find_map(|effect| match effect {
                    Effect::Store { place: other, value } if other == place => Some(value),
                    _ => None,
                });
                if let Some(value) = set
                    && !when.is_false()
                {
                    values.push((when, After::of(value, place)));
                }
            }
            self.rely_on_success(&mut values, application.inst);
            let breach = summary.breaches.iter().find(|breach| breach.place == *place);
            let demanded = breach.filter(|breach| breach.when.is_always() && !breach.when.weak);
            effects.push(StateEffect {
                cells,
                values,
                demanded: demanded.map(|breach| breach.tests.clone()),
            });
        }
        effects
    }

    /// The cells that a callee calls by the name of a state.
    pub(crate) fn cells_at(&mut self, place: &Path, application: &Application<'_>) -> Vec<(Guard, Cell)> {
        let Some((&Step::State { offset, property }, before)) = place.steps.split_last() else {
            return Vec::new();
        };
        let base = Path { root: place.root, steps: before.to_vec() };
        let address = match base.root {
            Root::Process => {
                let process = self.process_object();
                vec![(Guard::TRUE, Leaf::Address(process, Offset::At(0)))]
            }
            _ => {
                let address = self.resolve(&base, application).0;
                self.with_slots(address, &base, application.inst)
            }
        };
        self.cells_of(&address, offset, property)
    }

    /// A failure that nobody looks at is not thought of.
    fn rely_on_success(&mut self, values: &mut [(Guard, After)], inst: InstId) {
        let failed = After::At(i64::from(Property::UNFOLLOWED));
        let mut others = values.iter().map(|value| value.1).filter(|&value| value != failed);
        let Some(first) = others.next() else { return };
        if others.all(|value| value == first) && !self.is_used(inst) {
            for value in values.iter_mut().filter(|value| value.1 == failed) {
                value.1 = first;
            }
        }
    }

    /// Sets them. Only paths that come back from the call count.
    pub(crate) fn apply_states(
        &mut self,
        effects: Vec<StateEffect>,
        entered: Guard,
        application: &Application<'_>,
    ) {
        for effect in effects {
            for (when, cell) in effect.cells {
                let entered = self.and(entered, when);
                if let Some(tests) = &effect.demanded {
                    self.demand_at_entry(cell, tests, entered);
                }
                let mut all = Guard::FALSE;
                let mut next: Leaves = Vec::new();
                for &(taken, after) in &effect.values {
                    let guard = self.formulas.guards.and_all([when, taken, self.here]);
                    if guard.is_false() {
                        continue;
                    }
                    all = self.or(all, guard);
                    let leaves = self.after(cell, guard, after, application.inst, entered);
                    next.extend(leaves);
                }
                self.set_state(cell, &next, all);
            }
        }
    }

    /// A callee that demands something of a state on all its ways has found it so, also where it leaves it as it was.
    fn demand_at_entry(&mut self, cell: Cell, tests: &[(Relation, i64)], guard: Guard) {
        for (guard, known, _) in self.known(cell, guard) {
            if known == Known::Entry {
                self.assume_other(cell, guard, tests);
            }
        }
    }

    fn after(&mut self, cell: Cell, guard: Guard, after: After, inst: InstId, entered: Guard) -> Leaves {
        let mut next: Leaves = Vec::new();
        let start = i64::from(Property::START);
        for (guard, known, leaf) in self.known(cell, guard) {
            if known == Known::Unfollowed {
                next.push((guard, leaf));
                continue;
            }
            let unfollowed = i64::from(Property::UNFOLLOWED);
            let leaves = match after {
                After::At(number) => {
                    let leaves = self.back_or_at(cell, guard, number);
                    if number != unfollowed {
                        let ends = number == start && known != Known::Number(start);
                        self.note_moved(inst, cell, &leaves, entered, number != start, ends);
                    }
                    leaves
                }
                After::By(by) => {
                    let leaves = self.by(cell, guard, known, leaf, by);
                    self.note_moved(inst, cell, &leaves, entered, by > 0, by < 0);
                    leaves
                }
                After::Unknown => {
                    vec![(guard, Leaf::Number(self.constant(WIDTH, i128::from(unfollowed))))]
                }
            };
            next.extend(leaves);
        }
        next
    }

    /// The state of something that the call acquires.
    pub(crate) fn state_of_new(
        &mut self,
        place: &Path,
        value: &Value,
        guard: Guard,
        application: &Application<'_>,
    ) {
        let Some((&Step::State { offset, property }, before)) = place.steps.split_last() else { return };
        if !self.follow_states {
            return;
        }
        let base = Path { root: place.root, steps: before.to_vec() };
        let address = self.resolve(&base, application).0;
        let number = match value {
            Value::Number(number) => *number,
            _ => i64::from(Property::UNFOLLOWED),
        };
        for (when, cell) in self.cells_of(&address, offset, property) {
            let guard = self.and(guard, when);
            let leaves = self.back_or_at(cell, guard, number);
            let begins = number != i64::from(Property::START);
            let entered = self.here;
            self.note_moved(application.inst, cell, &leaves, entered, begins, false);
            self.set_state(cell, &leaves, guard);
        }
    }
}
