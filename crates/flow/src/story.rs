//! Leaks as stories, for the checkers.

use crate::leak::Leak;
use crate::slice::Holder;
use crate::witness::Branch;
use watertight_finding::{
    BY_POINTER, Binding, Ending, Growth, Place, Said, Step, StepKind, Story, Support, Urgency, Variant,
    with_article,
};
use watertight_ir::callgraph::{call_ordinal, callee_name};
use watertight_ir::{FuncId, InstId, Op, PlaceId, Program, Speller, Type};
use watertight_summary::model::Models;

/// The story of a leak.
pub fn story(program: &Program, models: &Models, leak: &Leak) -> Story {
    let kind = models.kinds.get(leak.kind);
    let acquired = place_of(program, leak.function, leak.inst);
    let acquired_by = callee_name(program, leak.function, leak.inst).unwrap_or(BY_POINTER).to_owned();
    let mut steps = vec![Step::new(
        StepKind::Acquire,
        acquired.clone(),
        Said::Acquires { by: &acquired_by, noun: &with_article(&kind.noun) },
    )];
    for branch in &leak.branches {
        steps.extend(told(program, branch));
    }
    let body = program.functions[leak.function].body.as_ref();
    let end = leak.end.and_then(|block| body?.blocks[block].term_place);
    steps.push(Step::new(
        StepKind::Lost,
        end.map_or(acquired.clone(), |end| place(program, leak.function, Some(end))),
        Said::NotReleased,
    ));
    let sibling = leak.release.map(|(function, inst)| {
        Step::new(StepKind::Release, place_of(program, function, inst), Said::ReleasedElsewhere)
    });
    Story {
        ending: Ending::Lost,
        acquired,
        ordinal: call_ordinal(program, leak.function, leak.inst),
        acquired_by,
        given: false,
        kind: kind.name.to_string(),
        memory: kind.memory,
        noun: kind.noun.to_string(),
        held_in: held_in(program, leak),
        owner: None,
        variant: if leak.release.is_some() { Variant::SomePaths } else { Variant::NeverReleased },
        urgency: Urgency::Ordinary,
        growth: if leak.in_loop { Growth::EachIteration } else { Growth::EachCall },
        steps,
        sibling,
        needs: Vec::new(),
        assumptions: Vec::new(),
        doubts: leak.doubts.clone(),
        support: if leak.checked { Support::SolverChecked } else { Support::Unchecked },
    }
}

/// A branch, with the values that make control go this way.
fn told(program: &Program, branch: &Branch) -> Option<Step> {
    let body = program.functions[branch.function].body.as_ref()?;
    let speller = Speller::new(program, branch.function)?;
    let said = match branch.holds {
        Some(true) => Said::ConditionTrue,
        Some(false) => Said::ConditionFalse,
        None => Said::BranchTaken,
    };
    let at = place(program, branch.function, body.blocks[branch.block].term_place);
    let mut step = Step::new(StepKind::Branch, at, said);
    for &(value, number) in &branch.values {
        if let Some(name) = speller.value(value) {
            step.values.push(Binding { name: name.text, value: number.to_string() });
        }
    }
    Some(step)
}

fn held_in(program: &Program, leak: &Leak) -> Option<String> {
    let speller = Speller::new(program, leak.function)?;
    let body = program.functions[leak.function].body.as_ref()?;
    leak.holders.iter().find_map(|holder| {
        let Holder::Value(value) = holder else { return None };
        let stored = || {
            body.insts.values().find_map(|inst| match inst.op {
                Op::Store { addr, value: stored, .. } if stored == *value => speller.object(addr, Type::Ptr),
                _ => None,
            })
        };
        speller.value(*value).or_else(stored).map(|spelled| spelled.text)
    })
}

fn place_of(program: &Program, function: FuncId, inst: InstId) -> Place {
    let body = program.functions[function].body.as_ref();
    place(program, function, body.and_then(|body| body.insts[inst].place))
}

fn place(program: &Program, function: FuncId, place: Option<PlaceId>) -> Place {
    let data = &program.functions[function];
    match place.and_then(|place| program.source_place(function, place)) {
        Some(found) => Place::new(found.file, found.line, found.column).in_function(&*data.name),
        None => Place::new(&*program.units[data.unit].name, 0, 0).in_function(&*data.name),
    }
}
