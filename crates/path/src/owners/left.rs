//! Structures of which a function releases what they hold, and that it leaves.
//!
//! In: a function. Out: the structures that it is given and does not release, although a member of theirs holds an address that it has released. Nobody can use such a structure again. The
//! function releases it on other paths, or nobody does: structures of its type lie in memory that was allocated for them alone, and no function releases one but after having made it.

use super::Look;
use super::accesses::What;
use super::asked::Ways;
use super::derived::{Uses, given};
use super::destroyed::{How, Lost};
use super::reached::reached;
use crate::facts::types::{Members, identity};
use rustc_hash::FxHashSet;
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{
    BlockId, Body, DebugType, DebugTypeId, Def, FuncId, InstId, Op, SourceType, Type, UnitId, ValueId, ctype,
};
use watertight_summary::Path;

/// A structure type, by name and size.
type Record = (Box<str>, u64);

/// A call that releases what a structure holds.
struct Emptied {
    owner: ValueId,
    field: usize,
    inst: InstId,
    block: BlockId,
}

impl Look<'_> {
    /// The structures that a function leaves.
    pub(super) fn left(&self, function: FuncId) -> Vec<Lost> {
        let mut found: Vec<Lost> = Vec::new();
        let Some(body) = &self.known.program.functions[function].body else { return found };
        let emptied = self.emptied(function, body);
        if emptied.is_empty() {
            return found;
        }
        let Some(members) = Members::new(self.known.program, function) else { return found };
        let ways = Ways::new(body);
        let uses = Uses::new(self.known, function, body);
        for call in &emptied {
            let known = &self.accesses.fields[call.field];
            let Some(record) = members.pointed_record(call.owner) else { continue };
            if known.record().as_ref() != Some(&record)
                || found.iter().any(|lost| lost.owner == call.owner)
                || self.is_written_after(function, body, &ways, call)
                || self.is_told(function, call.inst)
            {
                continue;
            }
            let fate = uses.fate(call.owner, &|_| false);
            let ends = self.releases_of(body, call.owner);
            let is_left = match (fate.taken, fate.released, ends.is_empty()) {
                (false, true, false) => {
                    !ends.contains(&call.block)
                        && !ends.iter().any(|&end| ways.reaches(end, call.block))
                        && ways.leaves(call.block, &ends, call.owner)
                        && !self.care.is_ended_by_callers(function, &record)
                }
                (false, false, true) => self.never_ended().contains(&record),
                _ => false,
            };
            if is_left {
                found.push(Lost {
                    inst: call.inst,
                    owner: call.owner,
                    fields: vec![known.clone()],
                    how: How::Left,
                    replaces: false,
                });
            }
        }
        found
    }

    /// The calls by which a function releases what its arguments hold.
    fn emptied(&self, function: FuncId, body: &Body) -> Vec<Emptied> {
        let mut found = Vec::new();
        for (block, data) in body.blocks.iter() {
            for &inst in &data.insts {
                let Op::Call(call) = &body.insts[inst].op else { continue };
                for (&argument, number) in call.args.iter().zip(0..) {
                    // A number that stands for nothing any more may stand for something again.
                    if body.ty(argument) != Type::Ptr
                        || !given(self.known, body, inst, &Path::param(number)).fate.released
                    {
                        continue;
                    }
                    let steps = reached(self.accesses, function, body, argument);
                    let held = steps.into_iter().filter(|step| step.is_last);
                    found.extend(
                        held.filter(|step| matches!(body.values[step.owner].def, Def::Param(_)))
                            .map(|step| Emptied { owner: step.owner, field: step.field, inst, block }),
                    );
                }
            }
        }
        found
    }

    /// Whether something may be put into a member after what it held is released: the structure stays in use.
    fn is_written_after(&self, function: FuncId, body: &Body, ways: &Ways<'_>, call: &Emptied) -> bool {
        let stored = self.accesses.in_function(function).iter().any(|access| {
            access.field == call.field
                && !matches!(access.what, What::Load(_))
                && ways.reaches(call.block, access.block)
        });
        stored
            || body.insts.values().any(|inst| match &inst.op {
                Op::MemFill { dst, .. } | Op::MemCopy { dst, .. } => *dst == call.owner,
                Op::Call(other) => {
                    let callee = direct_callee(body, other);
                    other.args.contains(&call.owner)
                        && callee.is_none_or(|callee| {
                            self.known.is_unknown(callee) || self.care.writes(callee, call.field)
                        })
                }
                _ => false,
            })
    }

    /// Where a function releases a value.
    fn releases_of(&self, body: &Body, value: ValueId) -> Vec<BlockId> {
        let releases = |inst: InstId| match &body.insts[inst].op {
            Op::Call(call) => call.args.iter().zip(0..).any(|(&argument, number)| {
                argument == value && given(self.known, body, inst, &Path::param(number)).fate.released
            }),
            _ => false,
        };
        let blocks = body.blocks.iter().filter(|(_, data)| data.insts.iter().any(|&inst| releases(inst)));
        blocks.map(|(block, _)| block).collect()
    }

    /// Types whose structures lie in memory that was allocated for them alone, and that nobody releases but after having made them.
    fn never_ended(&self) -> &FxHashSet<Record> {
        self.never_ended.get_or_init(|| {
            let program = self.known.program;
            let mut made: FxHashSet<Record> = FxHashSet::default();
            let mut other: FxHashSet<Record> = self.embedded();
            for function in program.defined() {
                let Some(body) = &program.functions[function].body else { continue };
                let Some(members) = Members::new(program, function) else { continue };
                for &inst in body.blocks.values().flat_map(|block| &block.insts) {
                    match &body.insts[inst].op {
                        Op::Store { addr, value, .. } => {
                            let record = members.pointed_record(*value);
                            other.extend(
                                record.filter(|record| members.kept_as(*addr).as_ref() != Some(record)),
                            );
                        }
                        Op::Call(call) => {
                            let callee = direct_callee(body, call);
                            let result = body.insts[inst].result;
                            let summary = callee.and_then(|callee| self.known.summary(callee));
                            if summary.is_some_and(|summary| {
                                summary.outcomes.iter().any(|outcome| !outcome.fresh.is_empty())
                            }) {
                                made.extend(result.and_then(|result| members.pointed_record(result)));
                            }
                            for (&argument, number) in call.args.iter().zip(0..) {
                                let Some(record) = members.pointed_record(argument) else { continue };
                                let fate = given(self.known, body, inst, &Path::param(number)).fate;
                                let takes = || {
                                    callee
                                        .and_then(|callee| Members::new(program, callee))
                                        .is_some_and(|members| members.is_record(number))
                                };
                                if fate.released && !self.is_made_here(function, argument)
                                    || fate.taken && !takes()
                                {
                                    other.insert(record);
                                }
                            }
                        }
                        _ => {}
                    }
                }
            }
            made.retain(|record| !other.contains(record));
            made
        })
    }

    /// Types of which variables or parts of other structures are.
    fn embedded(&self) -> FxHashSet<Record> {
        let program = self.known.program;
        let mut found = FxHashSet::default();
        let mut add = |unit: UnitId, ty: Option<DebugTypeId>| {
            let debug = &program.units[unit].debug;
            let mut ty = ty;
            while let Some(DebugType::Array { of, .. }) = ctype::described(debug, ty) {
                ty = *of;
            }
            found.extend(ty.and_then(|ty| identity(program, SourceType { unit, ty })));
        };
        for function in program.defined() {
            let data = &program.functions[function];
            let variables = data.body.iter().flat_map(|body| body.variables.values());
            variables.for_each(|variable| add(data.unit, variable.ty));
        }
        program.globals.values().for_each(|global| add(global.unit, global.debug_type));
        for (unit, data) in program.units.iter() {
            for ty in data.debug.types.values() {
                if let DebugType::Record(record) = ty {
                    record.members.iter().for_each(|member| add(unit, member.ty));
                }
            }
        }
        found
    }
}
