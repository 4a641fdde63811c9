//! Members that own what they hold: destructors that leave one of them out, and functions that take something out and drop it.
//!
//! In: a program and the summaries of its functions. Out: stories. A member owns what it holds if some function fills it
//! with something new, some function releases what it holds, and nobody ever puts anything else there. A function
//! that releases a structure which it did not make, and does nothing with such a member, loses what the member holds,
//! whoever the caller is. That is told once, where the structure is released (ASSUME-42).
//!
//! It is not told where a caller loses just that by calling it, and says so: what happens is the better story. Nor where a caller, or something that a caller calls as well, takes care of the member: then the function
//! is a part of the destructor, and not all of it.

mod dropped;
mod facts;
mod holders;
pub mod makers;
mod unlinked;

use crate::beliefs::flow::Flow;
use crate::facts::types::{Field, FreshTypes, Members, object};
use crate::limits::CARING_CALLERS;
use facts::{Facts, takes_care};
use holders::Holders;
use rustc_hash::FxHashMap;
use watertight_finding::{
    Confidence, Doubt, Ending, Growth, Place, Step, StepKind, Story, Support, Urgency, Variant,
};
use watertight_ir::callgraph::{CallGraph, CallSite, direct_callee};
use watertight_ir::{Body, Cfg, FuncId, InstId, Loops, Op, Program, Table, ValueId};
use watertight_summary::model::Models;
use watertight_summary::{Completeness, Effect, KindId, Path, Summary};

/// What members lose when their structures are released, in the order of functions. `told` is what is told already.
pub fn omissions(
    program: &Program,
    library: &Models,
    summaries: &Table<FuncId, Option<Summary>>,
    graph: &CallGraph,
    told: &[&Story],
) -> Vec<(FuncId, Story)> {
    let facts = Facts::new(program, library, summaries);
    let shown = told.iter().filter(|story| story.confidence() > Confidence::Low);
    let with_owner = shown.filter(|story| story.variant == Variant::LostWithOwner);
    let lost_at = with_owner.filter_map(|story| story.steps.last()).map(|step| &step.place).collect();
    let mut look = Look {
        program,
        library,
        summaries,
        graph,
        facts,
        lost_at,
        members: FxHashMap::default(),
        holders: FxHashMap::default(),
    };
    let mut stories = Vec::new();
    for function in program.defined() {
        let mut found = Vec::new();
        let whole = summaries[function].as_ref().filter(|known| known.completeness == Completeness::Whole);
        if let Some(summary) = whole {
            let left_out = look.left_out(function, summary);
            found.extend(look.omission(function, summary, &left_out));
            found.extend(look.dropped(function, summary));
        }
        if found.is_empty() {
            found.extend(look.unlinked(function));
        }
        stories.extend(found.into_iter().map(|story| (function, story)));
    }
    stories
}

struct Look<'a> {
    program: &'a Program,
    library: &'a Models,
    summaries: &'a Table<FuncId, Option<Summary>>,
    graph: &'a CallGraph,
    facts: Facts,
    /// Where something is lost with its owner, as stories tell it.
    lost_at: Vec<&'a Place>,
    /// Whether nothing but new memory is ever put into a member.
    members: FxHashMap<Field, bool>,
    /// Who has room for nodes of a type, by its name and size.
    holders: FxHashMap<(Box<str>, u64), Holders>,
}

impl Look<'_> {
    /// The members that own something and of which a summary says nothing, although it releases the structure.
    fn left_out(&self, function: FuncId, summary: &Summary) -> Vec<Field> {
        let mut found: Vec<Field> = Vec::new();
        let mut cared: Vec<Field> = Vec::new();
        let effects = || summary.outcomes.iter().flat_map(|outcome| &outcome.effects);
        for effect in effects() {
            let Effect::Release { value: owner, kind: KindId::HEAP, .. } = effect else { continue };
            let Some(ty) = object(self.program, function, owner, &FreshTypes::default()) else { continue };
            for field in self.facts.owning().filter(|field| field.is_of(self.program, ty)) {
                let held = owner.at(field.offset);
                let list = if takes_care(summary, owner, &held) { &mut cared } else { &mut found };
                if !list.contains(field) {
                    list.push(field.clone());
                }
            }
        }
        // Of elements of a chain the summary tells only the first few, and of the last of them not everything.
        found.retain(|field| !cared.contains(field));
        found
    }

    /// The story of the members that a function leaves out and nobody else takes care of.
    fn omission(&mut self, function: FuncId, summary: &Summary, fields: &[Field]) -> Option<Story> {
        let told = |site: &CallSite| self.lost_at.contains(&&place_of(self.program, site.caller, site.inst));
        if fields.is_empty() || self.graph.call_sites(function).iter().any(told) {
            return None;
        }
        let (inst, owner) = fields.iter().find_map(|field| self.release_of(function, field))?;
        let mut lost: Vec<&Field> = Vec::new();
        for field in fields {
            if self.release_of(function, field) == Some((inst, owner))
                && self.is_left_to_nobody(function, summary, field)
                && self.is_always_new(field)
            {
                lost.push(field);
            }
        }
        self.tell(function, inst, owner, &lost)
    }

    /// Whether neither a function that leaves out a member nor one of those who call it takes care of the member.
    fn is_left_to_nobody(&self, function: FuncId, summary: &Summary, field: &Field) -> bool {
        if self.handles(function, field) || !self.is_given_others(function, summary, field) {
            return false;
        }
        let mut callers = vec![function];
        let mut asked = 0;
        for _ in 0..CARING_CALLERS {
            let end = callers.len();
            for index in asked..end {
                for &caller in self.graph.callers(callers[index]) {
                    if !callers.contains(&caller) {
                        callers.push(caller);
                    }
                }
            }
            asked = end;
        }
        !callers[1..].iter().any(|&caller| {
            let mut others = self.graph.callees(caller).iter().filter(|&callee| !callers.contains(callee));
            self.handles(caller, field) || others.any(|&callee| self.releases(callee, field))
        })
    }

    /// One story for all members that are lost by one release.
    fn tell(&self, function: FuncId, inst: InstId, owner: ValueId, fields: &[&Field]) -> Option<Story> {
        let program = self.program;
        let first = fields.first()?;
        let body = program.functions[function].body.as_ref()?;
        let owner_name = Members::new(program, function)?.spelled(owner)?;
        let held_in = format!("{owner_name}->{}", first.name);
        let place = place_of(program, function, inst);
        let mut steps = Vec::new();
        for field in fields {
            let (filler, fill) = self.facts.filled_at(field)?;
            let filler = &program.functions[filler].name;
            let text = format!("`{filler}` puts new memory into `{}` here", field.name);
            steps.push(Step::new(StepKind::Acquire, place_of(program, fill.0, fill.1), text));
        }
        let Op::Call(call) = &body.insts[inst].op else { return None };
        let releaser = &program.functions[direct_callee(body, call)?].name;
        let names: Vec<String> =
            fields.iter().map(|field| format!("`{owner_name}->{}`", field.name)).collect();
        let text = format!(
            "`{releaser}` releases `{owner_name}` but not {}: what it held is lost",
            names.join(", ")
        );
        steps.push(Step::new(StepKind::Lost, place.clone(), text));
        let block = body.blocks.iter().find(|(_, block)| block.insts.contains(&inst))?.0;
        let loops = Loops::new(&Cfg::new(body));
        let heap = self.library.kinds.get(KindId::HEAP);
        Some(Story {
            ending: Ending::Lost,
            acquired: place,
            acquired_by: held_in.clone(),
            given: true,
            ordinal: 0,
            kind: heap.name.to_string(),
            memory: true,
            noun: heap.noun.to_string(),
            held_in: Some(held_in),
            owner: Some(owner_name),
            variant: Variant::LostWithOwner,
            growth: if loops.depth(block) > 0 { Growth::EachIteration } else { Growth::EachCall },
            steps,
            sibling: self.released_elsewhere(first),
            needs: Vec::new(),
            assumptions: Vec::new(),
            doubts: Doubt::MemberOwned.into(),
            urgency: Urgency::Ordinary,
            support: Support::Unchecked,
        })
    }

    /// A function that does release what a member holds.
    fn released_elsewhere(&self, field: &Field) -> Option<Step> {
        let function = self.facts.released_by(field)?;
        let data = &self.program.functions[function];
        let (file, line, column) = self.program.source_place(function, data.place?)?.outermost();
        let place = Place::new(file, line, column).in_function(&*data.name);
        Some(Step::new(StepKind::Release, place, format!("`{}` releases `{}`", data.name, field.name)))
    }

    /// The call in a function by which it releases a structure with this member, and what it is given.
    fn release_of(&self, function: FuncId, field: &Field) -> Option<(InstId, ValueId)> {
        let members = Members::new(self.program, function)?;
        let body = self.program.functions[function].body.as_ref()?;
        body.blocks.values().flat_map(|block| &block.insts).find_map(|&inst| {
            let Op::Call(call) = &body.insts[inst].op else { return None };
            let callee = direct_callee(body, call)?;
            let data = &self.program.functions[callee];
            let model = self.library.functions.get(&data.name).filter(|_| data.body.is_none())?;
            let released = |number: u32| releases(model).any(|value| *value == Path::param(number));
            let (_, &given) = (0..).zip(&call.args).find(|entry| released(entry.0))?;
            members.pointed(given).filter(|&ty| field.is_of(self.program, ty)).map(|_| (inst, given))
        })
    }

    /// Whether a function is ever given a structure that its caller did not make just before: one of several in a chain,
    /// by somebody whom nobody knows, or by a caller who was given it.
    fn is_given_others(&self, function: FuncId, summary: &Summary, field: &Field) -> bool {
        let chained =
            releases(summary).any(|value| !value.steps.is_empty() && self.is_owner(function, value, field));
        let callers = self.graph.callers(function);
        let passed_on = |&caller: &FuncId| {
            let summary = self.summaries[caller].as_ref();
            summary.is_none_or(|summary| releases(summary).any(|value| self.is_owner(caller, value, field)))
        };
        chained || callers.is_empty() || callers.iter().any(passed_on)
    }

    fn is_owner(&self, function: FuncId, value: &Path, field: &Field) -> bool {
        object(self.program, function, value, &FreshTypes::default())
            .is_some_and(|ty| field.is_of(self.program, ty))
    }

    /// Whether a function releases what some member of this name holds, as its summary has it.
    fn releases(&self, function: FuncId, field: &Field) -> bool {
        self.summaries[function].as_ref().is_some_and(|summary| {
            releases(summary)
                .any(|value| self.facts.field_of(self.program, function, value).as_ref() == Some(field))
        })
    }

    /// Whether a function releases or hands on what such a member holds, by itself.
    fn handles(&self, function: FuncId, field: &Field) -> bool {
        let Some(body) = &self.program.functions[function].body else { return false };
        let Some(members) = Members::new(self.program, function) else { return false };
        let flow = Flow::new(body);
        let mut loads = body.insts.values().filter_map(|inst| match inst.op {
            Op::Load { addr, .. } => inst.result.map(|result| (addr, result)),
            _ => None,
        });
        self.releases(function, field)
            || loads.any(|(addr, result)| {
                members.field(addr).as_ref() == Some(field) && {
                    let fate = flow.fate(&flow.same(vec![result], &|_| false));
                    fate.kept
                        || fate.returned
                        || fate.given.iter().any(|&(inst, number)| self.may_take(body, inst, number))
                }
            })
    }

    /// Whether a call may release or keep what it is given as this argument.
    fn may_take(&self, body: &Body, inst: InstId, number: u32) -> bool {
        let Op::Call(call) = &body.insts[inst].op else { return true };
        let Some(callee) = direct_callee(body, call) else { return true };
        let data = &self.program.functions[callee];
        let summary = match data.body.is_some() {
            true => self.summaries[callee].as_ref(),
            false => self.library.functions.get(&data.name),
        };
        let own = Path::param(number);
        match summary {
            Some(summary) => takes_care(summary, &own, &own),
            // A body that was not looked at touches no resource.
            None => data.body.is_none(),
        }
    }

    /// Whether nothing but new memory is ever put into a member, by whatever function.
    fn is_always_new(&mut self, field: &Field) -> bool {
        if let Some(&known) = self.members.get(field) {
            return known;
        }
        let new = |look: &Look<'_>, body: &Body, _: &Members<'_>, value: ValueId| {
            facts::is_new(look.program, look.library, look.summaries, body, value)
        };
        let known = self.program.defined().all(|function| self.puts_only(function, field, &new));
        self.members.insert(field.clone(), known);
        known
    }

    /// Whether a function puts nothing into a member but what fits.
    fn puts_only(&self, function: FuncId, field: &Field, fits: &Fits<'_>) -> bool {
        let Some(body) = &self.program.functions[function].body else { return true };
        let mut members = None;
        body.insts.values().all(|inst| {
            let Op::Store { addr, value, .. } = inst.op else { return true };
            if body.ty(value) != watertight_ir::Type::Ptr {
                return true;
            }
            let Some(members) = members.get_or_insert_with(|| Members::new(self.program, function)) else {
                return true;
            };
            members.field(addr).as_ref() != Some(field) || fits(self, body, members, value)
        })
    }
}

/// Whether a value that a function stores is one of those that are meant.
type Fits<'f> = dyn Fn(&Look<'_>, &Body, &Members<'_>, ValueId) -> bool + 'f;

/// What a summary says is released.
fn releases(summary: &Summary) -> impl Iterator<Item = &Path> {
    summary.outcomes.iter().flat_map(|outcome| &outcome.effects).filter_map(|effect| match effect {
        Effect::Release { value, kind: KindId::HEAP, .. } => Some(value),
        _ => None,
    })
}

fn place_of(program: &Program, function: FuncId, inst: InstId) -> Place {
    let data = &program.functions[function];
    let place = match program.source_place_of(function, inst) {
        Some(place) => {
            let (file, line, column) = place.outermost();
            Place::new(file, line, column)
        }
        None => Place::new(&*program.units[data.unit].name, 0, 0),
    };
    place.in_function(&*data.name)
}
