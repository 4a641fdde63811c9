//! A summary in brief: outcomes that treat resources alike become one.
//!
//! A function with many calls has a choice of eight outcomes at each, and most of them differ in numbers only. When
//! following all of that takes more than there is, what decides about resources is kept: what is acquired, where it
//! goes, what is released, and whether the result is null, zero, negative or positive. The rest is told as an outcome
//! tells what is not settled in it: a cell that holds one thing or another holds anything, and what may have been
//! stored there counts as kept. What lies inside of what is given and is released on some paths only counts as kept, too.
//! Whatever is told less exactly than before is an unknown of ours where a caller asks about it, and only there: a result that
//! was one of several is `invented`, a condition without its far tests is `weak`.
//!
//! In: a summary. Out: one with fewer outcomes that allows everything the first one does.

use crate::limits::{BRIEF_TEST_STEPS, MOST_CUBES};
use rustc_hash::{FxHashMap, FxHashSet};
use watertight_summary::{
    Effect, KeepReason, KindId, Outcome, Path, Relation, Root, Step, Summary, Value, When,
};

/// The summary in brief.
pub fn brief(summary: &Summary) -> Summary {
    let mut groups: Vec<Vec<&Outcome>> = Vec::new();
    for outcome in &summary.outcomes {
        match groups.iter_mut().find(|group| alike(group[0], outcome)) {
            Some(group) => group.push(outcome),
            None => groups.push(vec![outcome]),
        }
    }
    let outcomes = groups.iter().map(|group| near_tests(merged(group))).collect();
    let Summary { completeness, breaches, latent, .. } = summary.clone();
    Summary { outcomes, completeness, breaches, latent }
}

/// The outcome without tests of what lies far from the caller's own names.
fn near_tests(mut outcome: Outcome) -> Outcome {
    let near = |path: &Path| path.cells() <= BRIEF_TEST_STEPS || path.property().is_some();
    for cube in &mut outcome.when.any {
        let before = cube.len();
        cube.retain(|test| near(&test.value) && test.other.iter().all(near));
        outcome.when.weak |= cube.len() < before;
    }
    if outcome.when.is_always() {
        outcome.when = When { any: When::always().any, ..outcome.when };
    }
    outcome.when.any.dedup();
    outcome
}

/// Whether two outcomes do the same to resources, and the result does not tell them apart.
fn alike(first: &Outcome, second: &Outcome) -> bool {
    let kinds = |outcome: &Outcome| outcome.fresh.iter().map(|fresh| fresh.kind).collect::<Vec<KindId>>();
    first.way == second.way
        && kinds(first) == kinds(second)
        && class(&first.result) == class(&second.result)
        && contains(first, second)
        && contains(second, first)
}

/// Whether one outcome has all effects on resources that the other has.
fn contains(one: &Outcome, other: &Outcome) -> bool {
    other.effects.iter().filter(|effect| is_settled(effect)).all(|effect| one.effects.contains(effect))
}

/// Effects that must be told as they are: releases of what is given, where fresh objects go, and where memory is moved with
/// all that it leads to (`realloc`).
fn is_settled(effect: &Effect) -> bool {
    match effect {
        Effect::Release { value, .. } => value.steps.is_empty(),
        Effect::Store { place, .. } if place.property().is_some() => true,
        Effect::Store { value, .. } => matches!(value, Value::Fresh { .. } | Value::Parts(_)),
        Effect::Copy { .. } => true,
        _ => false,
    }
}

/// What a caller commonly asks of a result.
#[derive(PartialEq, Debug)]
enum Class<'v> {
    Zero,
    Negative,
    Positive,
    NotZero,
    NotNegative,
    /// Something that the caller gave.
    Of(&'v Path),
    /// A fresh object, or a struct: nothing else is like it.
    Whole(&'v Value),
    Other,
}

fn class(value: &Value) -> Class<'_> {
    match value {
        Value::Number(0) => Class::Zero,
        Value::Number(number) if *number < 0 => Class::Negative,
        Value::Number(_) => Class::Positive,
        Value::Such { relation: Relation::Less, number: 0 } => Class::Negative,
        Value::Such { relation: Relation::Greater, number: 0 } => Class::Positive,
        Value::Such { relation: Relation::GreaterEqual, number } if *number > 0 => Class::Positive,
        Value::Such { relation: Relation::NotEqual, number: 0 } => Class::NotZero,
        Value::Such { relation: Relation::GreaterEqual, number: 0 } => Class::NotNegative,
        Value::Entry { path, .. } | Value::Inside(path) => Class::Of(path),
        Value::Fresh { .. } | Value::Parts(_) => Class::Whole(value),
        Value::Such { .. } | Value::Bits { .. } | Value::Word { .. } | Value::Any => Class::Other,
    }
}

/// One outcome for all of a group.
fn merged(group: &[&Outcome]) -> Outcome {
    let [first, others @ ..] = group else { unreachable!("a group has a member") };
    if others.is_empty() {
        return (*first).clone();
    }
    let result = others.iter().fold(first.result.clone(), |all, outcome| either(&all, &outcome.result));
    let mut any: Vec<_> = Vec::new();
    for cube in group.iter().flat_map(|outcome| &outcome.when.any) {
        if !any.contains(cube) {
            any.push(cube.clone());
        }
    }
    let weak = group.iter().any(|outcome| outcome.when.weak);
    let unsaid = group.iter().any(|outcome| outcome.when.unsaid);
    let mut when = When { any, weak, unsaid };
    let many = when.any.len() > MOST_CUBES;
    if when.is_always() || many {
        when = When { weak: many, unsaid, ..When::always() };
    }
    // How many outcomes of the group have each effect.
    let mut held_by: FxHashMap<&Effect, usize> = FxHashMap::default();
    for outcome in group {
        let distinct: FxHashSet<&Effect> = outcome.effects.iter().collect();
        distinct.into_iter().for_each(|effect| *held_by.entry(effect).or_insert(0) += 1);
    }
    let mut effects = Effects::default();
    for effect in group.iter().flat_map(|outcome| &outcome.effects) {
        match held_by.remove(effect) {
            Some(count) if count == group.len() => effects.push(effect.clone()),
            Some(_) if is_cursor(group, effect) => {
                let Effect::Store { place, .. } = effect else { continue };
                effects.push(Effect::Store { place: place.clone(), value: Value::Inside(place.clone()) });
            }
            Some(_) => unsettled(effect, &mut effects),
            // It had its turn.
            None => {}
        }
    }
    let several = others.iter().any(|outcome| outcome.result != first.result);
    let invented = several || group.iter().any(|outcome| outcome.invented);
    Outcome { when, result, fresh: first.fresh.clone(), effects: effects.list, way: first.way, invented }
}

/// Whether an effect moves an address inside of what it led to before, as do all effects of the group on the same place: what it leads to
/// is held there as before, and nowhere else.
fn is_cursor(group: &[&Outcome], effect: &Effect) -> bool {
    let Effect::Store { place, .. } = effect else { return false };
    group.iter().flat_map(|outcome| &outcome.effects).all(|effect| match effect {
        Effect::Store { place: other, value } if other == place => {
            matches!(value, Value::Entry { path, .. } | Value::Inside(path) if path == place)
        }
        Effect::Clobber { place: other } | Effect::Zero { place: other, .. } => other.root != place.root,
        _ => true,
    })
}

/// Effects in order, each once.
#[derive(Default)]
struct Effects {
    list: Vec<Effect>,
    known: FxHashSet<Effect>,
}

impl Effects {
    fn push(&mut self, effect: Effect) {
        if self.known.insert(effect.clone()) {
            self.list.push(effect);
        }
    }
}

/// A value that is one or the other of two of a class.
fn either(first: &Value, second: &Value) -> Value {
    match (first, second) {
        _ if first == second => first.clone(),
        (Value::Entry { path, .. } | Value::Inside(path), Value::Entry { .. } | Value::Inside(_)) => {
            Value::Inside(path.clone())
        }
        _ => join(first, second),
    }
}

/// An effect that only some outcomes of a group have.
fn unsettled(effect: &Effect, effects: &mut Effects) {
    let mut push = |effect: Effect| effects.push(effect);
    match effect {
        Effect::Store { place, value } => {
            push(Effect::Store { place: place.clone(), value: Value::Any });
            if let Value::Entry { path, .. } | Value::Inside(path) = value
                && matches!(place.steps.last(), Some(Step::At(_) | Step::Somewhere))
                && !matches!(path.root, Root::Global(_))
            {
                push(Effect::Keep { value: path.clone(), reason: KeepReason::Stored });
            }
        }
        Effect::Copy { to, from, .. } => {
            push(Effect::Keep { value: from.clone(), reason: KeepReason::Stored });
            push(Effect::Clobber { place: to.clone() });
        }
        Effect::Zero { place, .. } => push(Effect::Clobber { place: place.clone() }),
        // To count it as a release or as none would both be a guess: somebody else looks after it.
        Effect::Release { value, .. } => {
            push(Effect::Keep { value: value.clone(), reason: KeepReason::Stored });
        }
        // These happen or not.
        Effect::Keep { .. } | Effect::Clobber { .. } | Effect::Calls { .. } => {
            push(effect.clone());
        }
    }
}

/// What two values have in common, as far as it tells outcomes apart.
pub(crate) fn join(first: &Value, second: &Value) -> Value {
    if first == second {
        return first.clone();
    }
    let such = |relation, number| Value::Such { relation, number };
    for (relation, number) in
        [(Relation::Less, 0), (Relation::Greater, 0), (Relation::GreaterEqual, 0), (Relation::NotEqual, 0)]
    {
        if holds(first, relation) && holds(second, relation) {
            return such(relation, number);
        }
    }
    Value::Any
}

/// Whether a value certainly stands in this relation to zero.
fn holds(value: &Value, relation: Relation) -> bool {
    match (value, relation) {
        (Value::Number(number), Relation::Less) => *number < 0,
        (Value::Number(number), Relation::Greater) => *number > 0,
        (Value::Number(number), Relation::GreaterEqual) => *number >= 0,
        (Value::Number(number), Relation::NotEqual) => *number != 0,
        (Value::Such { relation: Relation::GreaterEqual, number }, wanted) if *number > 0 => {
            matches!(wanted, Relation::Greater | Relation::GreaterEqual | Relation::NotEqual)
        }
        (Value::Such { relation: known, number: 0 }, wanted) => {
            *known == wanted
                || matches!(
                    (*known, wanted),
                    (Relation::Greater, Relation::GreaterEqual | Relation::NotEqual)
                        | (Relation::Less, Relation::NotEqual)
                )
        }
        _ => false,
    }
}
