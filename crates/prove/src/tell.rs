//! What a walk found, told forwards: from the acquisition, or from the entry of a function, to the loss.

use crate::expr::{Expr, ExprId};
use crate::fact::Cell;
use crate::lower::End;
use crate::spell::spell;
use crate::verdict::{Probe, ProbeKind};
use crate::walk::{Node, NodeId, Origin, Via};
use crate::world::World;
use watertight_finding::{
    Doubt, Ending, Growth, Place, Said, Step, StepKind, Story, Support, Urgency, Variant,
};
use watertight_ir::callgraph::{call_ordinal, callee_name};
use watertight_ir::{FuncId, Id as _, InstId, PlaceId, Program};

/// Where an instruction is in the source.
pub(crate) fn place_of(program: &Program, function: FuncId, inst: InstId) -> Place {
    let body = program.functions[function].body.as_ref();
    place(program, function, body.and_then(|body| body.insts[inst].place))
}

pub(crate) fn place(program: &Program, function: FuncId, place: Option<PlaceId>) -> Place {
    let data = &program.functions[function];
    match place.and_then(|place| program.source_place(function, place)) {
        Some(found) => Place::new(found.file, found.line, found.column).in_function(&*data.name),
        None => Place::new(&*program.units[data.unit].name, 0, 0).in_function(&*data.name),
    }
}

/// The story of a way on which a probe loses its cell.
pub(crate) fn story(
    world: &mut World<'_>,
    nodes: &[Node],
    probe: &Probe,
    origin: &Origin,
    node: NodeId,
    cell: &Cell,
) -> Story {
    let program = world.program;
    let (acquired, acquired_by, first, given) = match origin {
        Origin::Acquired { function, inst } => {
            let at = place_of(program, *function, *inst);
            let by = callee_name(program, *function, *inst).unwrap_or("a function").to_owned();
            let step = Step::new(StepKind::Acquire, at.clone(), Said::Acquires { by: &by, noun: "memory" });
            (at, by, step, false)
        }
        Origin::Entry { function } => {
            let data = &program.functions[*function];
            let at = place(program, *function, data.place);
            let only: Vec<String> = cell.hits.iter().map(|&hit| format!("`{}`", spell(world, hit))).collect();
            let said = Said::CalledWhile { function: &data.name, held: &only.join(" and ") };
            let step = Step::new(StepKind::Note, at.clone(), said);
            (at, data.name.to_string(), step, true)
        }
    };
    let mut steps = vec![first];
    let mut at = Some(node);
    while let Some(here) = at {
        let data = &nodes[here.index()];
        steps.extend(step(world, data));
        at = data.parent;
    }
    let held = &*probe.lost;
    let lost = match probe.kind {
        ProbeKind::Assignment | ProbeKind::Allocation | ProbeKind::AssignedResult => {
            Said::Overwritten { held }
        }
        ProbeKind::Release => Said::HolderFreed { held },
        ProbeKind::Scope => Said::OutOfScope { held },
        ProbeKind::DroppedResult => Said::ResultNotKept { function: held.trim_end_matches("(...)") },
    };
    steps.push(Step::new(StepKind::Lost, probe.place.clone(), lost));
    let ordinal = match origin {
        Origin::Acquired { function, inst } => call_ordinal(program, *function, *inst),
        Origin::Entry { .. } => 0,
    };
    Story {
        ending: Ending::Lost,
        acquired,
        acquired_by,
        given,
        ordinal,
        kind: "heap".to_owned(),
        memory: true,
        noun: "memory".to_owned(),
        held_in: Some(probe.lost.clone()),
        owner: None,
        variant: match probe.kind {
            ProbeKind::Release => Variant::LostWithOwner,
            ProbeKind::Scope => Variant::NeverReleased,
            ProbeKind::DroppedResult => Variant::DroppedResult,
            _ => Variant::Overwritten,
        },
        urgency: Urgency::Ordinary,
        growth: Growth::EachCall,
        steps,
        sibling: None,
        needs: Vec::new(),
        assumptions: Vec::new(),
        doubts: Doubt::NotProved.into(),
        support: Support::Unchecked,
    }
}

/// What happens on the way from a node to the one behind it.
fn step(world: &mut World<'_>, node: &Node) -> Option<Step> {
    let program = world.program;
    let function = node.point.function;
    match node.via {
        Via::Start => None,
        Via::Edge(to) => {
            let statements = world.statements(function);
            let End::Branch(condition, then) = statements.blocks[node.point.block.index()].end else {
                return None;
            };
            let body = world.body(function)?;
            let at = place(program, function, body.blocks[node.point.block].term_place);
            let shown = if then == to { condition } else { world.exprs.not(condition) };
            Some(Step::new(StepKind::Branch, at, condition_holds(world, shown)))
        }
        Via::Into(caller, inst) => {
            let at = place_of(program, caller, inst);
            Some(Step::new(
                StepKind::Return,
                at,
                Said::Returns { function: &program.functions[function].name },
            ))
        }
        Via::OutOf(callee, inst) => {
            let at = place_of(program, function, inst);
            Some(Step::new(StepKind::Call, at, Said::IsCalled { function: &program.functions[callee].name }))
        }
    }
}

/// That a condition holds, in words: `p` is not NULL.
fn condition_holds(world: &World<'_>, condition: ExprId) -> String {
    if let Expr::Compare(op, left, right) = world.exprs.get(condition)
        && let "eq" | "ne" = op.name()
        && let Some(&(subject, zero)) = [(left, right), (right, left)]
            .iter()
            .find(|(_, zero)| matches!(world.exprs.get(*zero), Expr::Number(0, _)))
    {
        let (subject, value) = (&*spell(world, subject), &*spell(world, zero));
        return match op.name() {
            "eq" => Said::Is { subject, value }.into(),
            _ => Said::IsNot { subject, value }.into(),
        };
    }
    Said::True { condition: &spell(world, condition) }.into()
}
