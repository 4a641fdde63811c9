//! How many functions change states that somebody has to end: wrappers of lock functions and the like.
//!
//! In: the summaries of a program. Out: how many functions of it move such a state whenever they return, and how many only
//! under a condition, which the result or what they are given tells. For `--stats`.

use watertight_ir::{FuncId, Table};
use watertight_summary::property::{End, Properties, Property};
use watertight_summary::{Effect, Path, Root, Summary, Value, Way};

/// Functions that move states.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
pub struct Lockers {
    pub always: u64,
    pub conditional: u64,
    /// Functions of which annotations in the source promise something.
    pub annotated: u64,
}

/// Counts them.
pub(crate) fn lockers(summaries: &Table<FuncId, Option<Summary>>, properties: &Properties) -> Lockers {
    let mut lockers = Lockers::default();
    for summary in summaries.values().flatten() {
        match moves(summary, properties) {
            Some(true) => lockers.always += 1,
            Some(false) => lockers.conditional += 1,
            None => {}
        }
    }
    lockers
}

/// Whether a function moves a state always, only under a condition, or not at all.
fn moves(summary: &Summary, properties: &Properties) -> Option<bool> {
    let ended = |place: &Path| {
        // What belongs to the process as a whole (sections) is passed on by all callers, who wrap nothing.
        let property = place.property().filter(|_| place.root != Root::Process);
        let property = property.map(|property| properties.get(property));
        property.is_some_and(|property| {
            property.ends.iter().any(|end| matches!(end.at, End::Return | End::Failure))
        })
    };
    let unfollowed = Value::Number(i64::from(Property::UNFOLLOWED));
    let returning = || summary.outcomes.iter().filter(|outcome| outcome.way == Way::Returns);
    let mut places: Vec<&Path> = Vec::new();
    for effect in returning().flat_map(|outcome| &outcome.effects) {
        if let Effect::Store { place, value } = effect
            && *value != unfollowed
            && ended(place)
            && !places.contains(&place)
        {
            places.push(place);
        }
    }
    let moved = |place: &Path| {
        let mut values = returning().map(|outcome| {
            outcome.effects.iter().find_map(|effect| match effect {
                Effect::Store { place: other, value } if other == place => Some(value),
                _ => None,
            })
        });
        let first = values.next().flatten();
        first.is_some() && values.all(|value| value == first)
    };
    (!places.is_empty()).then(|| places.into_iter().all(moved))
}

#[cfg(test)]
mod tests {
    use super::*;
    use watertight_summary::property::{PropertyId, parse};
    use watertight_summary::{Completeness, Outcome, Step, When};

    fn outcome(state: Option<i64>) -> Outcome {
        let place = Path::param(0).then(Step::State { offset: 0, property: PropertyId::new(0) });
        let effects = state.map(|state| Effect::Store { place, value: Value::Number(state) });
        Outcome {
            when: When::always(),
            result: Value::Any,
            fresh: Vec::new(),
            effects: effects.into_iter().collect(),
            way: Way::Returns,
            invented: false,
        }
    }

    #[test]
    fn some_move_states_always_and_some_on_a_condition() {
        let text = "property p \"p\"\nstates free, held\nerror e \"is held\"\nat return held: error e\n";
        let mut properties = Properties::default();
        properties.add(parse("p", text).expect("it is right"));
        let summary = |outcomes: Vec<Outcome>| Summary::new(outcomes, Completeness::Whole);
        let told = |outcomes| moves(&summary(outcomes), &properties);
        assert_eq!(told(vec![outcome(Some(-1)), outcome(Some(-1))]), Some(true));
        assert_eq!(told(vec![outcome(Some(-1)), outcome(None)]), Some(false));
        assert_eq!(told(vec![outcome(None)]), None);
        assert_eq!(told(vec![outcome(Some(i64::from(Property::UNFOLLOWED)))]), None);
    }
}
