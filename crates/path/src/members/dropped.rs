//! What is taken out of a container of the program and dropped.
//!
//! In: summaries, and which members own what they hold. Out: stories. A function that knows that there is something in such a
//! member, puts something else there, and neither releases what was there nor hands it on on the same way has lost it:
//! the member held the only reference. So has one that calls another to take it out, and forgets the result. It is
//! told in the innermost function that does so (ASSUME-42).

use super::Look;
use crate::facts::places::place_of;
use crate::facts::types::{Field, Members};
use watertight_finding::{
    Doubt, Ending, Growth, Place, Said, Step, StepKind, Story, Support, Urgency, Variant,
};
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{Body, FuncId, InstId, Op, ValueId};
use watertight_summary::{Completeness, Effect, KindId, Outcome, Path, Relation, Root, Summary, Value, Way};

/// What a function drops on one of its ways: the member that held it, and what is returned then.
struct Dropped {
    field: Field,
    result: Value,
}

impl Look<'_> {
    /// What a function takes out and drops.
    pub(super) fn dropped(&mut self, function: FuncId, summary: &Summary) -> Vec<Story> {
        let mut stories: Vec<Story> = Vec::new();
        let mut told: Vec<Field> = Vec::new();
        for Dropped { field, result } in self.drops(function, summary) {
            if told.contains(&field) {
                continue;
            }
            // Who calls somebody that drops it is not to blame.
            let callees = self.graph.callees(function).iter().filter(|&&callee| callee != function);
            let inner = callees.filter_map(|&callee| Some((callee, self.summaries[callee].as_ref()?)));
            let inner = inner.flat_map(|(callee, summary)| self.drops(callee, summary));
            if inner.into_iter().any(|dropped| dropped.field == field) || !self.is_only_holder(&field) {
                continue;
            }
            stories.extend(self.drop_story(function, &field, &result));
            told.push(field);
        }
        stories
    }

    fn drops(&self, function: FuncId, summary: &Summary) -> Vec<Dropped> {
        if summary.completeness != Completeness::Whole {
            return Vec::new();
        }
        let mut found = Vec::new();
        for outcome in &summary.outcomes {
            if outcome.way != Way::Returns || outcome.invented || outcome.when.weak {
                continue;
            }
            for effect in &outcome.effects {
                let Effect::Store { place, value } = effect else { continue };
                if is_replaced(place, value)
                    && is_there(outcome, place)
                    && !is_known_to_others(outcome, place)
                    && let Some(field) = self.facts.field_of(self.program, function, place)
                    && self.facts.owning().any(|owning| *owning == field)
                {
                    found.push(Dropped { field, result: outcome.result.clone() });
                }
            }
        }
        found
    }

    /// Whether what a member holds is held by nobody else: nothing but new things and their successors are put there, and
    /// who puts a new one there puts it nowhere else.
    fn is_only_holder(&self, field: &Field) -> bool {
        self.facts.is_sole(field)
            && self.program.defined().all(|function| {
                self.puts_only(function, field, &|look, body, members, value| {
                    super::facts::is_new(look.program, look.library, look.summaries, body, value)
                        || is_read_from_member(body, members, value)
                })
            })
    }

    fn drop_story(&self, function: FuncId, field: &Field, result: &Value) -> Option<Story> {
        let body = self.program.functions[function].body.as_ref()?;
        let members = Members::new(self.program, function)?;
        let (inst, by, held) = self.taken_at(body, &members, field)?;
        let place = place_of(self.program, function, inst);
        let held_in = members.spelled(held)?;
        let (filler, fill) = self.facts.filled_at(field)?;
        let (member, held) = (&*field.name, &*held_in);
        let filled = Said::StoresNew { by: &self.program.functions[filler].name, member };
        let taken = match &by {
            Some(by) => Said::Removes { by, member, held },
            None => Said::Removed { member, held },
        };
        let lost: String = match result {
            Value::Number(number) => Said::NeitherOnReturnOf { held, value: &number.to_string() }.into(),
            _ => Said::NeitherOnReturn { held }.into(),
        };
        let steps = vec![
            Step::new(StepKind::Acquire, place.clone(), taken),
            Step::new(StepKind::Note, place_of(self.program, fill.0, fill.1), filled),
            Step::new(StepKind::Lost, place.clone(), lost),
        ];
        Some(self.taken_out(place, by, held_in, Growth::EachCall, steps))
    }

    /// The story of something that is taken out of a container at a place, perhaps by a callee, and lost there.
    pub(super) fn taken_out(
        &self,
        place: Place,
        by: Option<String>,
        held_in: String,
        growth: Growth,
        steps: Vec<Step>,
    ) -> Story {
        let heap = self.library.kinds.get(KindId::HEAP);
        Story {
            ending: Ending::Lost,
            acquired: place,
            given: by.is_none(),
            acquired_by: by.unwrap_or_else(|| held_in.clone()),
            ordinal: 0,
            kind: heap.name.to_string(),
            memory: true,
            noun: heap.noun.to_string(),
            held_in: Some(held_in),
            owner: None,
            variant: Variant::SomePaths,
            growth,
            steps,
            sibling: None,
            needs: Vec::new(),
            assumptions: Vec::new(),
            doubts: Doubt::MemberOwned.into(),
            urgency: Urgency::Ordinary,
            support: Support::Unchecked,
        }
    }

    /// Where a function takes something out of a member: the call that does, and who is called, or where the member is read.
    fn taken_at(
        &self,
        body: &Body,
        members: &Members<'_>,
        field: &Field,
    ) -> Option<(InstId, Option<String>, ValueId)> {
        let insts = || body.blocks.values().flat_map(|block| &block.insts).copied();
        let called = insts().find_map(|inst| {
            let Op::Call(call) = &body.insts[inst].op else { return None };
            let callee = direct_callee(body, call)?;
            let summary = self.summaries[callee].as_ref()?;
            let gives = summary.outcomes.iter().any(|outcome| match &outcome.result {
                Value::Entry { path, plus: 0 } => {
                    self.facts.field_of(self.program, callee, path).as_ref() == Some(field)
                }
                _ => false,
            });
            let name = self.program.functions[callee].name.to_string();
            body.insts[inst].result.filter(|_| gives).map(|result| (inst, Some(name), result))
        });
        called.or_else(|| {
            insts().find_map(|inst| {
                let Op::Load { addr, .. } = body.insts[inst].op else { return None };
                let read = members.field(addr).as_ref() == Some(field);
                body.insts[inst].result.filter(|_| read).map(|result| (inst, None, result))
            })
        })
    }
}

/// Whether a cell gets something else than it had.
fn is_replaced(place: &Path, value: &Value) -> bool {
    matches!(place.root, Root::Param(_) | Root::Global(_))
        && match value {
            Value::Number(0) | Value::Fresh { .. } => true,
            Value::Entry { path, .. } => path != place,
            _ => false,
        }
}

/// Whether a way is only taken if there is something in a cell.
fn is_there(outcome: &Outcome, cell: &Path) -> bool {
    outcome.when.asks(cell, Relation::NotEqual, 0)
}

/// Whether somebody else may have what a cell held: it is released, kept, stored or returned on this way, or something that
/// leads to it is shown to somebody.
fn is_known_to_others(outcome: &Outcome, cell: &Path) -> bool {
    let leads = |path: &Path| path.root == cell.root && cell.steps.starts_with(&path.steps);
    let is_it = |value: &Value| match value {
        Value::Entry { path, .. }
        | Value::Inside(path)
        | Value::Bits { path, .. }
        | Value::Word { of: Some(path), .. } => path == cell,
        Value::Parts(_) | Value::Any => true,
        _ => false,
    };
    is_it(&outcome.result)
        || outcome.effects.iter().any(|effect| match effect {
            Effect::Release { value, .. } => leads(value),
            Effect::Keep { value, .. } => leads(value),
            Effect::Store { value, .. } => is_it(value),
            Effect::Clobber { place } | Effect::Zero { place, .. } => leads(place),
            Effect::Copy { to, from, .. } => leads(to) || leads(from),
            Effect::Calls { .. } => true,
        })
}

/// Whether a value is read from a member: the next one of a chain.
fn is_read_from_member(body: &Body, members: &Members<'_>, value: ValueId) -> bool {
    match body.def_op(value) {
        Some(Op::Load { addr, .. }) => members.field(*addr).is_some(),
        Some(Op::Phi { incoming }) => incoming.iter().all(|&(_, other)| match body.def_op(other) {
            Some(Op::Load { addr, .. }) => members.field(*addr).is_some(),
            _ => body.bits(other) == Some(0),
        }),
        _ => false,
    }
}
