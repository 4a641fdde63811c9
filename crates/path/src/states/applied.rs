//! What the summary of a function says of states, applied to a call of it.
//!
//! All outcomes that leave a state in one place are applied together. Values at entry are read first, like those of
//! memory.

use crate::calls::apply::Application;
use crate::evaluate::state::{Precision, State};
use crate::evaluate::value::{Leaf, Leaves, Offset, Sym};
use crate::states::cells::{Cell, WIDTH};
use crate::states::events::Moved;
use watertight_ir::Type;
use watertight_logic::guard::Guard;
use watertight_summary::property::{Property, PropertyId};
use watertight_summary::{Effect, Path, Root, Step, Summary, Value};

/// A state after a call, by outcome.
pub(crate) struct StateEffect {
    cells: Vec<(Guard, Cell)>,
    values: Vec<(Guard, Leaves)>,
}

impl State<'_> {
    /// What outcomes make of states that existed before the call.
    pub(crate) fn state_effects(
        &mut self,
        summary: &Summary,
        taken: &[Guard],
        application: &Application<'_>,
    ) -> Vec<StateEffect> {
        let mut places: Vec<&Path> = Vec::new();
        for effect in summary.outcomes.iter().flat_map(|outcome| &outcome.effects) {
            if let Effect::Store { place, .. } = effect
                && effect.is_state()
                && !matches!(place.root, Root::Fresh(_))
                && !places.contains(&place)
            {
                places.push(place);
            }
        }
        let mut effects = Vec::with_capacity(places.len());
        for place in places {
            let Some((&Step::State { offset, property }, before)) = place.steps.split_last() else {
                continue;
            };
            if self.context.is_named_by(self.id, property) {
                continue;
            }
            let base = Path { root: place.root, steps: before.to_vec() };
            let address = match base.root {
                Root::Process => {
                    let process = self.process_object();
                    vec![(Guard::TRUE, Leaf::Address(process, Offset::At(0)))]
                }
                _ => self.resolve(&base, application).0,
            };
            let cells = self.cells_of(&address, offset, property);
            let mut values = Vec::new();
            for (outcome, &when) in summary.outcomes.iter().zip(taken) {
                let set = outcome.effects.iter().find_map(|effect| match effect {
                    Effect::Store { place: other, value } if other == place => Some(value),
                    _ => None,
                });
                if let Some(value) = set
                    && !when.is_false()
                {
                    values.push((when, self.state_value(value, property, application)));
                }
            }
            effects.push(StateEffect { cells, values });
        }
        effects
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
                let unfollowed = self.unfollowed(cell);
                let when = self.formulas.guards.and_not(when, unfollowed);
                let entered = self.and(entered, when);
                let start = i64::from(Property::START);
                let ends = self.hidden(cell).leaves.iter().any(|entry| match entry.1 {
                    Leaf::Number(term) => self.base_and_plus(term) != (None, start),
                    _ => false,
                });
                for (taken, value) in &effect.values {
                    let guard = self.and(when, *taken);
                    let guard = self.and(guard, self.here);
                    if guard.is_false() {
                        continue;
                    }
                    for &(holds, to) in value {
                        let guard = self.and(guard, holds);
                        self.moves.push(Moved { inst: application.inst, cell, guard, to, entered, ends });
                    }
                    self.set_state(cell, value, guard);
                }
            }
        }
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
        let base = Path { root: place.root, steps: before.to_vec() };
        let address = self.resolve(&base, application).0;
        let value = self.state_value(value, property, application);
        for (when, cell) in self.cells_of(&address, offset, property) {
            let guard = self.and(guard, when);
            for &(holds, to) in &value {
                let guard = self.and(guard, holds);
                let moved =
                    Moved { inst: application.inst, cell, guard, to, entered: self.here, ends: false };
                self.moves.push(moved);
            }
            self.set_state(cell, &value, guard);
        }
    }

    fn state_value(&mut self, value: &Value, property: PropertyId, application: &Application<'_>) -> Leaves {
        let unknown = matches!(value, Value::Any | Value::Such { .. });
        if unknown || self.precision == Precision::Coarse {
            return vec![(Guard::TRUE, Leaf::Number(self.unknown_state(property)))];
        }
        let entry = self.entry_value(value, application);
        let sym: Sym = self.outcome_value(value, entry.as_ref(), Type::Int(8), application);
        self.leaves(&sym, WIDTH)
    }
}
