//! Structures that are released without what their members own.
//!
//! In: a function. Out: what it loses by releasing a structure that it did not make.

use super::Look;
use super::accesses::What;
use super::asked::Ways;
use super::sources::sources;
use crate::facts::cells::base_of;
use crate::facts::places::place_of;
use crate::facts::types::{Field, Members, is_link};
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{BlockId, Body, Def, FuncId, InstId, Op, SourceType, ValueId};
use watertight_summary::{Effect, KindId, Outcome, Path, Value};

/// What is lost at one instruction.
pub(super) struct Lost {
    pub(super) inst: InstId,
    /// The structure that is released, or what the member held.
    pub(super) owner: ValueId,
    /// The members that held it.
    pub(super) fields: Vec<Field>,
    pub(super) how: How,
    /// The function has looked whether there is something, and puts something else in its place.
    pub(super) replaces: bool,
}

/// How the contents of a member are lost.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum How {
    /// The structure is released.
    Released,
    /// All of the structure is cleared.
    Wiped,
    /// Something else is put into the member.
    Overwritten,
    /// Something new is put into the member, whatever it holds.
    Filled,
    /// The array that the member holds is released without what its elements hold.
    Elements,
    /// Other members are released, and this one is left out.
    LeftOut,
    /// What it holds is released, and the structure is not.
    Left,
}

impl Look<'_> {
    /// What a function loses by releasing structures.
    pub(super) fn destroyed(&self, function: FuncId) -> Vec<Lost> {
        let mut found: Vec<Lost> = Vec::new();
        let Some(body) = &self.known.program.functions[function].body else { return found };
        let mut members = None;
        for &inst in body.blocks.values().flat_map(|block| &block.insts) {
            let Some(owner) = self.released_at(function, inst) else { continue };
            let Some(members) = members.get_or_insert_with(|| Members::new(self.known.program, function))
            else {
                return found;
            };
            let Some(ty) = members.pointed(owner) else { continue };
            if self.is_made_here(function, owner) || self.is_made_by_callers(function, body, owner) {
                continue;
            }
            let told = |field: &Field| found.iter().any(|lost: &Lost| lost.fields.contains(field));
            let left = self.left_of(function, ty, inst);
            let lost: Vec<Field> = left.into_iter().filter(|field| !told(field)).collect();
            if lost.is_empty() || self.is_told(function, inst) {
                continue;
            }
            found.push(Lost { inst, owner, fields: lost, how: How::Released, replaces: false });
        }
        found
    }

    /// The members that own something of which nobody takes care where a structure of this type ends.
    pub(super) fn left_of(&self, function: FuncId, ty: SourceType, inst: InstId) -> Vec<Field> {
        let left = self.owned.all().filter(|&field| {
            let known = &self.accesses.fields[field];
            known.is_of(self.known.program, ty)
                && !is_link(self.known.program, ty, known)
                && self.care.is_sure(field)
                // Who knows a number may close it, and needs no structure for that.
                && (!known.is_number() || !self.care.is_lent(field))
                && !self.care.handles_within(function, field)
                && !self.is_empty_there(function, field, inst)
                && !self.care.is_left_to_callers(function, field)
        });
        left.map(|field| self.accesses.fields[field].clone()).collect()
    }

    /// Whether a member of what a value points to leads to structures of the same type.
    pub(super) fn is_link(&self, function: FuncId, owner: ValueId, field: usize) -> bool {
        let shape = self.known.shape(function);
        let members = shape.as_ref().and_then(|shape| shape.members.as_ref());
        let ty = members.and_then(|members| members.pointed(owner));
        ty.is_some_and(|ty| is_link(self.known.program, ty, &self.accesses.fields[field]))
    }

    /// Whether a function has found out that a member holds nothing where it does something.
    fn is_empty_there(&self, function: FuncId, field: usize, inst: InstId) -> bool {
        let Some(shape) = self.known.shape(function) else { return false };
        let Some((block, _)) = shape.ways.place(inst) else { return false };
        self.is_found_empty(&shape.ways, function, field, block)
    }

    /// Whether a function has found out that a member holds nothing before it comes to a block.
    pub(super) fn is_found_empty(
        &self,
        ways: &Ways<'_>,
        function: FuncId,
        field: usize,
        block: BlockId,
    ) -> bool {
        self.accesses.of_field_in(function, field).any(|look| match look.what {
            What::Load(held) => ways.is_nothing(held, block),
            _ => false,
        })
    }

    /// What a call releases that it is given.
    fn released_at(&self, function: FuncId, inst: InstId) -> Option<ValueId> {
        let body = self.known.program.functions[function].body.as_ref()?;
        let Op::Call(call) = &body.insts[inst].op else { return None };
        let callee = direct_callee(body, call)?;
        let summary = self.known.summary(callee)?;
        // Who releases what is in its argument is the one to look at.
        let plain = self.known.program.functions[callee].body.is_none();
        // What is released to be replaced goes on elsewhere.
        if summary.outcomes.iter().any(|outcome| !outcome.fresh.is_empty()) {
            return None;
        }
        let effects = || summary.effects();
        let all = || {
            effects().filter_map(|effect| match effect {
                Effect::Release { value, kind: KindId::HEAP, .. } => Some(value),
                _ => None,
            })
        };
        let released = |number: u32| all().any(|value| *value == Path::param(number));
        let (number, &owner) = (0..).zip(&call.args).find(|entry| released(entry.0))?;
        // One that releases whatever it is given has no type for it.
        let for_anything =
            || Members::new(self.known.program, callee).is_some_and(|members| !members.is_record(number));
        (plain || for_anything()).then_some(owner)
    }

    /// Whether a function has made a structure itself, or got it from a call of which that is possible: then who loses what is asked on
    /// its paths. A call that takes something out of a container gives what was there before.
    pub(super) fn is_made_here(&self, function: FuncId, owner: ValueId) -> bool {
        let Some(body) = &self.known.program.functions[function].body else { return true };
        if let Some(Op::Call(call)) = body.def_op(owner) {
            let summary = direct_callee(body, call).and_then(|callee| self.known.summary(callee));
            let taken_out = |outcome: &Outcome| match &outcome.result {
                Value::Entry { path, .. } => !path.steps.is_empty(),
                _ => false,
            };
            if !summary.is_some_and(|summary| summary.outcomes.iter().any(taken_out)) {
                return true;
            }
        }
        if let Some(Op::Load { addr, .. }) = body.def_op(base_of(body, owner)) {
            let base = base_of(body, *addr);
            let local = matches!(body.def_op(base), Some(Op::Stack { .. }));
            let shape = self.known.shape(function);
            let members = shape.as_ref().and_then(|shape| shape.members.as_ref());
            let held = members.and_then(|members| members.cell(*addr));
            let held = held.and_then(|field| self.accesses.number(&field));
            // An array that a member holds has elements that were there before.
            let element = match (body.def_op(*addr), body.def_op(base)) {
                (Some(Op::Index { .. }), Some(Op::Load { addr, .. })) => {
                    members.is_some_and(|members| members.cell(*addr).is_some())
                }
                _ => false,
            };
            // What stands in a union may be something else than its name says.
            let vague = base != *addr && held.is_none() && !element;
            if local || vague || held.is_some_and(|field| self.makes(function, field)) {
                return true;
            }
        }
        let found = sources(self.known, function, owner);
        found.new.is_some_and(|new| new.function == function)
    }

    /// Whether a function is only ever given structures that its callers have made.
    fn is_made_by_callers(&self, function: FuncId, body: &Body, owner: ValueId) -> bool {
        let Def::Param(number) = body.values[owner].def else { return false };
        let sites = self.known.graph.call_sites(function);
        !sites.is_empty()
            && sites.iter().all(|site| {
                let caller = self.known.program.functions[site.caller].body.as_ref();
                let argument = caller.and_then(|caller| match &caller.insts[site.inst].op {
                    Op::Call(call) => call.args.get(number as usize),
                    _ => None,
                });
                argument.is_some_and(|&argument| self.is_made_here(site.caller, argument))
            })
    }

    /// Whether a function puts something new into a member.
    fn makes(&self, function: FuncId, field: usize) -> bool {
        self.accesses.of_field_in(function, field).any(|access| match access.what {
            What::Store(value) => sources(self.known, function, value).new.is_some(),
            _ => false,
        })
    }

    /// Whether something is told where this happens, or where the function is called.
    pub(super) fn is_told(&self, function: FuncId, inst: InstId) -> bool {
        let told = |function: FuncId, inst: InstId| {
            self.told.contains(&&place_of(self.known.program, function, inst))
        };
        told(function, inst)
            || self.known.graph.call_sites(function).iter().any(|site| told(site.caller, site.inst))
    }
}
