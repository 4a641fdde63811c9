//! Which locks a function takes and gives back on its way.
//!
//! A summary says in what state a function leaves things, so who locks and unlocks a mutex does nothing by its summary. Readers ask for
//! it all the same. In: a function, and what is known of those that it calls. Out: "locks and unlocks `q->lock`", one sentence for each object.

use watertight_ir::callgraph::direct_callee;
use watertight_ir::spell::Speller;
use watertight_ir::{FuncId, Op, Program, Table};
use watertight_summary::model::Models;
use watertight_summary::property::{Event, From, Move, Property, To};
use watertight_summary::words::moved;
use watertight_summary::{Effect, Path, Root, Step, Summary, Value};

use crate::describe::{parameters, spell};

/// Adds to what a function does the states that its calls bring objects into and that it does not leave.
pub(crate) fn add_moves(
    does: &mut Vec<String>,
    program: &Program,
    library: &Models,
    summaries: &Table<FuncId, Option<Summary>>,
    id: FuncId,
) {
    let moves = moves(program, library, summaries, id);
    let mut objects: Vec<&String> = moves.iter().map(|(object, _)| object).collect();
    objects.dedup();
    let mut told: Vec<&String> = Vec::new();
    for object in objects {
        if told.contains(&object) {
            continue;
        }
        told.push(object);
        let states: Vec<&str> =
            moves.iter().filter(|(other, _)| other == object).map(|(_, state)| &**state).collect();
        let name = format!("`{object}`");
        let sentences = match (states.contains(&"locked"), states.contains(&"unlocked")) {
            (true, true) => vec![format!("locks and unlocks {name}")],
            _ => states.iter().map(|state| moved(&name, state)).collect(),
        };
        for sentence in sentences {
            if !does.iter().any(|known| known.starts_with(&sentence)) {
                does.push(sentence);
            }
        }
    }
    // Who does something does not only look at what it is given.
    if does.len() > 1 {
        does.retain(|sentence| sentence != "borrows its arguments");
    }
}

/// The objects that calls move into a state, with the state in words: each pair once, in the order of the code.
fn moves(
    program: &Program,
    library: &Models,
    summaries: &Table<FuncId, Option<Summary>>,
    id: FuncId,
) -> Vec<(String, String)> {
    let mut moves = Vec::new();
    let (Some(body), Some(speller)) = (&program.functions[id].body, Speller::new(program, id)) else {
        return moves;
    };
    for (_, data) in body.blocks.ids().flat_map(|block| body.block_insts(block)) {
        let Op::Call(call) = &data.op else { continue };
        let Some(callee) = direct_callee(body, call) else { continue };
        let handed = |index: u32| {
            let spelling = speller.value(*call.args.get(index as usize)?)?;
            Some(pointed(&spelling.text))
        };
        let mut add = |name: Option<String>, state: String| {
            let moved = name.map(|name| (name, state));
            moves.extend(moved.filter(|moved| !moves.contains(moved)));
        };
        let function = &program.functions[callee];
        if function.body.is_none() {
            for (property, event) in events(library, &function.name) {
                let (Root::Param(index), []) = (event.on.root, &event.on.steps[..]) else { continue };
                event.moves.iter().filter_map(reached).for_each(|to| add(handed(index), property.state(to)));
            }
            continue;
        }
        let summary = summaries.get(callee).and_then(Option::as_ref);
        for effect in
            summary.iter().flat_map(|summary| &summary.outcomes).flat_map(|outcome| &outcome.effects)
        {
            let Effect::Store { place, value: Value::Number(number) } = effect else { continue };
            let Some(property) = place.property().filter(|_| *number != i64::from(Property::UNFOLLOWED))
            else {
                continue;
            };
            let name = match (place.root, &place.steps[..]) {
                (Root::Param(index), [Step::State { offset: 0, .. }]) => handed(index),
                (Root::Global(_), [.., Step::State { .. }]) => global(program, callee, place),
                _ => None,
            };
            add(name, library.properties.get(property).state(*number));
        }
    }
    moves
}

/// What a function of the library does to states.
fn events<'m>(library: &'m Models, name: &str) -> impl Iterator<Item = (&'m Property, &'m Event)> {
    let of = |(_, property): (_, &'m Property)| {
        let own = property.events.iter().filter(|(function, _)| **function == *name);
        own.flat_map(|(_, events)| events).map(|event| (property, event)).collect::<Vec<_>>()
    };
    library.properties.iter().flat_map(of).collect::<Vec<_>>().into_iter()
}

/// The state that a move leads to from another one. Who makes an object or is done with it does not care what it was before.
fn reached(one: &Move) -> Option<i64> {
    match one.to {
        To::State(state) if !one.from.contains(&From::Any) => Some(i64::from(state)),
        To::Plus(1..) => Some(1),
        To::Plus(_) => Some(i64::from(Property::START)),
        _ => None,
    }
}

/// What an address leads to.
fn pointed(address: &str) -> String {
    address.strip_prefix('&').map_or_else(|| format!("*{address}"), str::to_owned)
}

/// The object of a global whose state a function changes.
fn global(program: &Program, function: FuncId, place: &Path) -> Option<String> {
    let steps = place.steps[..place.steps.len() - 1].to_vec();
    let spelled =
        spell(program, function, &parameters(program, function), &Path { root: place.root, steps })?;
    Some(pointed(&spelled))
}
