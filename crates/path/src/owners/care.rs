//! Who takes care of what a member holds.
//!
//! In: accesses to members that own. Out: which functions release what such a member holds, move it, or give it to somebody who may; and whether a
//! function, those that it calls, or those that call it do so.

use super::Known;
use super::accesses::{Accesses, What};
use super::chains::is_pushed;
use super::cleared::same_address;
use super::derived::{Fate, Uses, given};
use super::owned::Owned;
use super::reached::reached;
use super::sources::{Cell, cell, filled};
use crate::facts::cells::base_of;
use crate::facts::types::Members;
use crate::limits::{
    CARING_BESIDE, CARING_CALLERS, CARING_CALLS, CARING_FUNCTIONS, SEVERAL_MEMBERS, SOURCES,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{Body, FuncId, InstId, Op, ValueId};
use watertight_summary::Path;

/// A structure type, by name and size.
type Record = (Box<str>, u64);

/// What functions do with members that own.
pub(super) struct Care<'a> {
    known: Known<'a>,
    accesses: &'a Accesses,
    fates: FxHashMap<(FuncId, usize), Fate>,
    /// The functions that release what a member holds.
    released: BTreeMap<usize, Vec<FuncId>>,
    /// Types whose structures a function releases.
    ends: FxHashSet<(FuncId, Box<str>, u64)>,
    /// Types of whose structures a function releases what several members hold, and fills none.
    empties: FxHashSet<(FuncId, Box<str>, u64)>,
    /// Members whose contents somebody keeps beside them, and those of which more has to be known.
    lent: BTreeMap<usize, FuncId>,
    vague: Vec<usize>,
    /// Members through which a function has reached something that it releases.
    through: FxHashSet<(FuncId, usize)>,
    /// Those of which it releases what lies behind the things that they hold.
    behind: FxHashSet<(FuncId, usize)>,
    /// Functions that put something new into a member.
    fills: FxHashSet<(FuncId, usize)>,
    /// Functions that put something or nothing there.
    replaces: FxHashSet<(FuncId, usize)>,
}

impl<'a> Care<'a> {
    pub(super) fn new(known: Known<'a>, accesses: &'a Accesses, owned: &Owned) -> Care<'a> {
        let mut care = Care {
            known,
            accesses,
            fates: FxHashMap::default(),
            released: BTreeMap::new(),
            ends: FxHashSet::default(),
            empties: FxHashSet::default(),
            lent: BTreeMap::new(),
            vague: owned.all().filter(|&field| owned.is_vague(field)).collect(),
            through: FxHashSet::default(),
            behind: FxHashSet::default(),
            fills: FxHashSet::default(),
            replaces: FxHashSet::default(),
        };
        let owning: Vec<usize> = owned.all().collect();
        care.find_ends();
        care.find_through();
        for function in known.program.defined() {
            let Some(body) = &known.program.functions[function].body else { continue };
            let mut uses = None;
            for access in accesses.in_function(function) {
                if owning.binary_search(&access.field).is_err() {
                    continue;
                }
                let mut keeps = true;
                let fate = match access.what {
                    What::Load(value) => {
                        let uses = uses.get_or_insert_with(|| Uses::new(known, function, body));
                        let fate = uses.fate(value, &|_| false);
                        let pushed = |inst: InstId| is_pushed(accesses, body, function, access.field, inst);
                        keeps = fate.taken && uses.fate(value, &pushed).taken;
                        fate
                    }
                    What::Given(number) => {
                        let whole = given(known, body, access.inst, &Path::param(number)).fate;
                        let cell = cell(number, 0, accesses.fields[access.field].ty());
                        let held = held_in_cell(known, body, access.inst, number, &cell);
                        if filled(known, function, body, access.inst, &cell, SOURCES).new.is_some() {
                            care.fills.insert((function, access.field));
                        }
                        whole.or(held)
                    }
                    What::Store(value) => {
                        if body.constant(value).is_none() {
                            care.fills.insert((function, access.field));
                        }
                        care.replaces.insert((function, access.field));
                        continue;
                    }
                };
                let entry = care.fates.entry((function, access.field)).or_default();
                *entry = entry.or(fate);
                if fate.released {
                    let releasers = care.released.entry(access.field).or_default();
                    if releasers.last() != Some(&function) {
                        releasers.push(function);
                    }
                } else if fate.taken && keeps {
                    care.lent.entry(access.field).or_insert(function);
                }
            }
        }
        care.find_embedded(owned);
        care.find_emptied();
        care
    }

    /// A structure inside of another has members that are members of both: who is given its address and releases what one of them holds takes care of
    /// the outer structure's.
    fn find_embedded(&mut self, owned: &Owned) {
        let program = self.known.program;
        let accesses = self.accesses;
        let mut by_record: FxHashMap<Record, Vec<usize>> = FxHashMap::default();
        for field in owned.all() {
            if let Some(record) = accesses.fields[field].record() {
                by_record.entry(record).or_default().push(field);
            }
        }
        for function in program.defined() {
            let Some(body) = &program.functions[function].body else { continue };
            let mut members = None;
            for &inst in body.blocks.values().flat_map(|block| &block.insts) {
                let Op::Call(call) = &body.insts[inst].op else { continue };
                for (&argument, number) in call.args.iter().zip(0..) {
                    let Some(Op::Offset { base, bytes }) = body.def_op(argument) else { continue };
                    let members = members.get_or_insert_with(|| Members::new(program, function));
                    let record = members.as_ref().and_then(|members| members.pointed_record(*base));
                    let Some(fields) = record.and_then(|record| by_record.get(&record)) else { continue };
                    for &field in fields {
                        let inside = accesses.fields[field].offset - *bytes;
                        if inside >= 0
                            && given(
                                self.known,
                                body,
                                inst,
                                &cell(number, inside, accesses.fields[field].ty()),
                            )
                            .fate
                            .released
                        {
                            self.fates.entry((function, field)).or_default().released = true;
                            let releasers = self.released.entry(field).or_default();
                            if !releasers.contains(&function) {
                                releasers.push(function);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Notes which functions release structures of which types.
    fn find_ends(&mut self) {
        for function in self.known.program.defined() {
            let Some(body) = &self.known.program.functions[function].body else { continue };
            let mut members = None;
            for &inst in body.blocks.values().flat_map(|block| &block.insts) {
                let Op::Call(call) = &body.insts[inst].op else { continue };
                for (&argument, number) in call.args.iter().zip(0..) {
                    if !given(self.known, body, inst, &Path::param(number)).fate.released {
                        continue;
                    }
                    let members = members.get_or_insert_with(|| Members::new(self.known.program, function));
                    let record = members.as_ref().and_then(|members| members.pointed_record(argument));
                    if let Some((name, bytes)) = record {
                        self.ends.insert((function, name, bytes));
                    }
                }
            }
        }
    }

    /// Notes through which members functions reach what they release.
    fn find_through(&mut self) {
        for function in self.known.program.defined() {
            let Some(body) = &self.known.program.functions[function].body else { continue };
            for &inst in body.blocks.values().flat_map(|block| &block.insts) {
                let Op::Call(call) = &body.insts[inst].op else { continue };
                for (&argument, number) in call.args.iter().zip(0..) {
                    if !given(self.known, body, inst, &Path::param(number)).fate.released {
                        continue;
                    }
                    for step in reached(self.accesses, function, body, argument) {
                        self.through.insert((function, step.field));
                        if !step.is_last {
                            self.behind.insert((function, step.field));
                        }
                    }
                }
            }
        }
    }

    /// Notes which functions release what several members of a structure hold.
    fn find_emptied(&mut self) {
        let mut counts: BTreeMap<(FuncId, Record), (usize, bool)> = BTreeMap::new();
        for (&field, releasers) in &self.released {
            let Some(record) = self.accesses.fields[field].record() else { continue };
            for &function in releasers {
                let count = counts.entry((function, record.clone())).or_default();
                count.0 += 1;
                count.1 |= self.fills(function, field);
            }
        }
        let many = counts.into_iter().filter(|(_, (count, fills))| *count >= SEVERAL_MEMBERS && !fills);
        self.empties.extend(many.map(|((function, (name, bytes)), _)| (function, name, bytes)));
    }

    /// Whether a function releases what several members of the structure hold that a member belongs to.
    pub(super) fn empties(&self, function: FuncId, field: usize) -> bool {
        let record = self.accesses.fields[field].record();
        record.is_some_and(|(name, bytes)| self.empties.contains(&(function, name, bytes)))
    }

    /// Whether a function releases structures with this member.
    fn ends(&self, function: FuncId, field: usize) -> bool {
        let record = self.accesses.fields[field].record();
        record.is_some_and(|(name, bytes)| self.ends.contains(&(function, name, bytes)))
    }

    /// A function that releases what a member holds.
    pub(super) fn released_by(&self, field: usize) -> Option<FuncId> {
        self.released.get(&field).and_then(|releasers| releasers.first()).copied()
    }

    /// Whether what a member holds is released, and only where its structure ends.
    pub(super) fn ends_only(&self, field: usize) -> bool {
        let releasers = self.released.get(&field).map_or(&[][..], |releasers| &**releasers);
        !releasers.is_empty() && releasers.iter().all(|&function| self.ends(function, field))
    }

    /// Whether it is known that a member's contents are its structure's: somebody releases them together with the structure, or with other members. Or nobody else has them, and they
    /// are released only to be replaced: else the one who does that may be the one whose they are.
    pub(super) fn is_sure(&self, field: usize) -> bool {
        let releasers = self.released.get(&field).map_or(&[][..], |releasers| &**releasers);
        releasers.iter().any(|&function| self.ends(function, field) || self.empties(function, field))
            || !self.lent.contains_key(&field)
                && (!releasers.is_empty() || self.vague.binary_search(&field).is_err())
                && releasers.iter().all(|&function| self.replaces.contains(&(function, field)))
    }

    /// Whether a function releases what another member of the same structure type holds, and does not fill that one: it knows what such a structure has to give up.
    pub(super) fn knows(&self, function: FuncId, field: usize) -> bool {
        let Some(record) = self.accesses.fields[field].record() else { return false };
        self.released.iter().any(|(&other, releasers)| {
            other != field
                && releasers.contains(&function)
                && !self.fills(function, other)
                && self.accesses.fields[other].record().as_ref() == Some(&record)
        })
    }

    /// Whether a function releases something that it reaches through a structure, other than what this member holds itself, and fills no member on the way: it means to end it, whether or
    /// not it is known that the other members own.
    pub(super) fn ends_parts(&self, function: FuncId, field: usize) -> bool {
        let Some(record) = self.accesses.fields[field].record() else { return false };
        let mut accesses = self.accesses.in_function(function).iter();
        accesses.any(|access| {
            let other = access.field;
            let reaches = if other == field { &self.behind } else { &self.through };
            reaches.contains(&(function, other))
                && !self.is_filled_in(function, other)
                && self.accesses.fields[other].record().as_ref() == Some(&record)
        })
    }

    /// Whether a function stores something into a member, whether or not it owns that.
    fn is_filled_in(&self, function: FuncId, field: usize) -> bool {
        let Some(body) = &self.known.program.functions[function].body else { return false };
        self.fills(function, field)
            || self.accesses.in_function(function).iter().any(|access| match access.what {
                What::Store(value) => access.field == field && body.constant(value).is_none(),
                _ => false,
            })
    }

    /// Whether some other function releases what a member holds and leaves it so, with its structure still there: then there may be
    /// nothing left where the structure ends.
    pub(super) fn is_emptied_elsewhere(&self, function: FuncId, field: usize) -> bool {
        let releasers = self.released.get(&field).map_or(&[][..], |releasers| &**releasers);
        releasers
            .iter()
            .any(|&other| other != function && !self.ends(other, field) && !self.fills(other, field))
    }

    /// Whether some function releases what a member holds and puts something else there, as the next one of a chain.
    pub(super) fn is_used_up(&self, field: usize) -> bool {
        let releasers = self.released.get(&field).map_or(&[][..], |releasers| &**releasers);
        releasers.iter().any(|&function| self.fills(function, field))
    }

    /// Whether somebody has, or may have, the number that a member holds.
    pub(super) fn is_lent(&self, field: usize) -> bool {
        let is_of = |entry: &(FuncId, usize)| entry.1 == field;
        self.fates.iter().any(|(entry, fate)| is_of(entry) && fate.taken)
    }

    /// Whether contents that are there are the member's: somebody releases them through it, or nobody else has them.
    pub(super) fn is_holder(&self, field: usize) -> bool {
        self.released.contains_key(&field)
            || !self.lent.contains_key(&field) && self.vague.binary_search(&field).is_err()
    }

    /// Whether a function does something with the contents of a member by which they may be taken care of.
    pub(super) fn handles(&self, function: FuncId, field: usize) -> bool {
        self.fates.get(&(function, field)).is_some_and(|fate| fate.is_cared_for())
            || self.accesses.opens(function, field)
    }

    /// Whether a function releases the contents of a member.
    pub(super) fn releases(&self, function: FuncId, field: usize) -> bool {
        self.fates.get(&(function, field)).is_some_and(|fate| fate.released)
    }

    /// Whether a function puts something into a member.
    pub(super) fn fills(&self, function: FuncId, field: usize) -> bool {
        self.fills.contains(&(function, field))
    }

    /// Whether a function or those that it calls take care of the contents of a member.
    pub(super) fn handles_within(&self, function: FuncId, field: usize) -> bool {
        self.reaches(function, CARING_CALLS, &|function| self.handles(function, field))
    }

    fn reaches(&self, function: FuncId, depth: u32, wanted: &dyn Fn(FuncId) -> bool) -> bool {
        let mut all = vec![function];
        let mut asked = 0;
        for _ in 0..=depth {
            let end = all.len();
            for index in asked..end {
                if wanted(all[index]) {
                    return true;
                }
                for &callee in self.known.graph.callees(all[index]) {
                    if !all.contains(&callee) {
                        all.push(callee);
                    }
                }
            }
            asked = end;
            if all.len() > CARING_FUNCTIONS {
                return true;
            }
        }
        false
    }

    /// Whether a function, one that it calls, one of its callers, or one that these call beside it does something.
    pub(super) fn is_done_nearby(&self, function: FuncId, done: &dyn Fn(FuncId) -> bool) -> bool {
        let callers = self.callers_of(function);
        self.reaches(function, CARING_CALLS, done)
            || callers[1..].iter().any(|&caller| self.reaches(caller, CARING_BESIDE, done))
    }

    /// Whether one of those that call a function releases what a member holds, and leaves the structure there.
    pub(super) fn is_emptied_by_callers(&self, function: FuncId, field: usize) -> bool {
        let callers = self.callers_of(function);
        callers[1..].iter().any(|&caller| self.releases(caller, field) && !self.ends(caller, field))
    }

    /// Whether one of those that call a function releases structures of a type.
    pub(super) fn is_ended_by_callers(&self, function: FuncId, (name, bytes): &Record) -> bool {
        let callers = self.callers_of(function);
        callers[1..].iter().any(|&caller| self.ends.contains(&(caller, name.clone(), *bytes)))
    }

    /// Whether a function or those that it calls put something or nothing into a member.
    pub(super) fn writes(&self, function: FuncId, field: usize) -> bool {
        let stores = |function: FuncId| {
            let mut accesses = self.accesses.in_function(function).iter();
            accesses.any(|access| access.field == field && matches!(access.what, What::Store(_)))
        };
        self.reaches(function, CARING_CALLS, &stores)
    }

    /// The functions that release what a member holds together with its structure.
    pub(super) fn enders(&self, field: usize) -> impl Iterator<Item = FuncId> {
        let releasers = self.released.get(&field).map_or(&[][..], |releasers| &**releasers);
        releasers.iter().copied().filter(move |&function| self.ends(function, field))
    }

    /// A function, and those that call it, as far up as is asked.
    fn callers_of(&self, function: FuncId) -> Vec<FuncId> {
        let mut callers = vec![function];
        let mut asked = 0;
        for _ in 0..CARING_CALLERS {
            let end = callers.len();
            for index in asked..end {
                for &caller in self.known.graph.callers(callers[index]) {
                    if !callers.contains(&caller) {
                        callers.push(caller);
                    }
                }
            }
            asked = end;
        }
        callers
    }

    /// Whether one of those that call a function, or something that they call beside it, releases the contents of a member. Who puts
    /// something else there does not end the structure, who releases other structures of the type is no part of this end, and who is given another structure
    /// of the type has not this one.
    pub(super) fn is_left_to_callers(&self, function: FuncId, field: usize) -> bool {
        let releases = |other: FuncId| self.releases(other, field) && !self.fills(other, field);
        let is_part = |other: FuncId| releases(other) && !self.ends(other, field);
        let callers = self.callers_of(function);
        callers[1..].iter().any(|&caller| {
            let mut others =
                self.known.graph.callees(caller).iter().filter(|&callee| !callers.contains(callee));
            releases(caller)
                || others.any(|&callee| {
                    self.reaches(callee, CARING_BESIDE, &is_part)
                        && !self.has_another(caller, callee, &callers, field)
                })
        })
    }

    /// Whether one that a caller calls is only ever given other structures with this member than those of which it is asked.
    fn has_another(&self, caller: FuncId, beside: FuncId, asked: &[FuncId], field: usize) -> bool {
        let record = self.accesses.fields[field].record();
        let (Some(record), Some(shape)) = (record, self.known.shape(caller)) else { return false };
        let (Some(members), body) = (&shape.members, shape.uses.body) else { return false };
        let passed = |inst: InstId| -> Vec<ValueId> {
            let Op::Call(call) = &body.insts[inst].op else { return Vec::new() };
            let is_one = |value: &&ValueId| members.pointed_record(**value).as_ref() == Some(&record);
            call.args.iter().filter(is_one).copied().collect()
        };
        let sites = |callee: FuncId| shape.callees.get(&callee).into_iter().flatten();
        let own: Vec<ValueId> =
            asked.iter().flat_map(|&function| sites(function)).flat_map(|site| passed(site.1)).collect();
        let is_other = |value: ValueId| {
            is_told_apart(body, value)
                && own.iter().all(|&own| is_told_apart(body, own) && !same_address(body, value, own, SOURCES))
        };
        let mut calls = sites(beside).peekable();
        !own.is_empty()
            && calls.peek().is_some()
            && calls.all(|site| {
                let given = passed(site.1);
                !given.is_empty() && given.into_iter().all(is_other)
            })
    }
}

/// Whether a value is an argument, the address of a variable, or read from a place that is reached from one. What is merged, or returned by a call, may have another
/// name as well.
fn is_told_apart(body: &Body, value: ValueId) -> bool {
    let mut at = value;
    for _ in 0..SOURCES {
        match body.def_op(at) {
            None | Some(Op::Stack { .. }) => return true,
            Some(Op::Offset { base, .. } | Op::Index { base, .. }) => at = *base,
            Some(Op::Load { addr, .. }) => at = *addr,
            _ => return false,
        }
    }
    false
}

/// What a call does with what the cell holds whose address is this argument. What it puts in front of that, and into the cell, holds it still.
fn held_in_cell(known: Known<'_>, body: &Body, inst: InstId, number: u32, cell: &Path) -> Fate {
    let fate = given(known, body, inst, cell).fate;
    let callee = match &body.insts[inst].op {
        Op::Call(call) => direct_callee(body, call).filter(|_| fate.taken && !fate.released),
        _ => None,
    };
    let Some((callee, body)) = callee.and_then(|id| Some((id, known.program.functions[id].body.as_ref()?)))
    else {
        return fate;
    };
    let Some(cell) = Cell::of(body, number) else { return fate };
    let uses = Uses::new(known, callee, body);
    let pushed = |inst: InstId| match body.insts[inst].op {
        Op::Store { addr, .. } => cell.puts.contains(&base_of(body, addr)),
        _ => false,
    };
    cell.reads.iter().map(|&read| uses.fate(read, &pushed)).fold(Fate::default(), Fate::or)
}
