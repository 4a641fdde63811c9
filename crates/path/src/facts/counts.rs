//! Members that count references.
//!
//! In: a program and models. Out: the members of structure types that somewhere are lowered by one and compared, in a function that
//! releases the structure itself. Such a number says how many places refer to the structure. Whoever keeps another reference raises
//! it, and whoever gives one up lowers it, so code out of sight that is shown the structure leaves the number as it finds it, but
//! for references of its own (ASSUME-66).

use crate::facts::types::{Members, identity};
use crate::limits::SOURCES;
use rustc_hash::FxHashSet;
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{AtomicOp, BinaryOp, Body, Callee, Def, FuncId, Op, Program, SourceType, Table, ValueId};
use watertight_summary::model::Models;
use watertight_summary::{Effect, Root};

/// A member of a structure type: its name and size, and where in it.
type Member = (Box<str>, u64, i64);

/// The members that count references.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    members: FxHashSet<Member>,
    /// The same as text, for keys of results.
    words: String,
}

impl Counts {
    pub(crate) fn new(program: &Program, library: &Models) -> Counts {
        let look = Look { program, library };
        let lowering: Table<FuncId, Vec<u32>> = program.functions.ids().map(|id| look.lowers(id)).collect();
        let mut members = FxHashSet::default();
        for (id, function) in program.functions.iter() {
            let Some(body) = &function.body else { continue };
            let lowered = lowered(body, &lowering);
            let is_released = |addr: &ValueId| {
                is_tested(body, *addr) && look.releases_value(body, body.address(*addr).0, SOURCES)
            };
            let lowered: Vec<ValueId> = lowered.into_iter().filter(is_released).collect();
            if lowered.is_empty() {
                continue;
            }
            let Some(types) = Members::new(program, id) else { continue };
            members.extend(lowered.into_iter().filter_map(|addr| {
                let (base, offset) = body.address(addr);
                let (record, bytes) = types.pointed_record(base)?;
                Some((record, bytes, offset))
            }));
        }
        let mut all: Vec<&Member> = members.iter().collect();
        all.sort_unstable();
        let words = format!("{all:?}");
        Counts { members, words }
    }

    /// All of them, in words.
    pub(crate) fn words(&self) -> &str {
        &self.words
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Where in a structure references to it are counted, in ascending order.
    pub(crate) fn of(&self, program: &Program, object: SourceType) -> Vec<i64> {
        let Some((record, bytes)) = identity(program, object) else { return Vec::new() };
        let own = self.members.iter().filter(|member| member.0 == record && member.1 == bytes);
        let mut offsets: Vec<i64> = own.map(|member| member.2).collect();
        offsets.sort_unstable();
        offsets
    }
}

struct Look<'a> {
    program: &'a Program,
    library: &'a Models,
}

impl Look<'_> {
    /// The parameters whose numbers a function lowers: `dec_and_test(&o->references)`.
    fn lowers(&self, function: FuncId) -> Vec<u32> {
        let Some(body) = &self.program.functions[function].body else { return Vec::new() };
        let addrs = body.insts.values().filter_map(|inst| lowered_here(body, &inst.op));
        let mut params: Vec<u32> = addrs
            .filter_map(|addr| match body.values[addr].def {
                Def::Param(index) => Some(index),
                _ => None,
            })
            .collect();
        params.sort_unstable();
        params.dedup();
        params
    }

    /// Whether a body gives what a value points to to something that may release it.
    fn releases_value(&self, body: &Body, value: ValueId, depth: u32) -> bool {
        body.insts.values().any(|inst| {
            let Op::Call(call) = &inst.op else { return false };
            let given = call.args.iter().zip(0u32..).filter(|entry| *entry.0 == value);
            given.map(|entry| entry.1).any(|index| match direct_callee(body, call) {
                Some(callee) => self.releases(callee, index, depth),
                None => matches!(call.callee, Callee::Pointer(_)),
            })
        })
    }

    /// Whether a function may release what it is given for a parameter.
    fn releases(&self, function: FuncId, index: u32, depth: u32) -> bool {
        let data = &self.program.functions[function];
        if let Some(summary) = self.library.functions.get(&data.name) {
            return summary.effects().any(|effect| match effect {
                Effect::Release { value, .. } => value.root == Root::Param(index) && value.steps.is_empty(),
                _ => false,
            });
        }
        let (Some(body), Some(depth)) = (&data.body, depth.checked_sub(1)) else { return false };
        let mut own =
            body.values.iter().filter(|(_, value)| matches!(value.def, Def::Param(param) if param == index));
        own.next().is_some_and(|(value, _)| self.releases_value(body, value, depth))
    }
}

/// The addresses of numbers that a body lowers by one, itself or by a call.
fn lowered(body: &Body, lowering: &Table<FuncId, Vec<u32>>) -> Vec<ValueId> {
    let mut found = Vec::new();
    for inst in body.insts.values() {
        found.extend(lowered_here(body, &inst.op));
        if let Op::Call(call) = &inst.op
            && let Some(callee) = direct_callee(body, call)
        {
            found.extend(lowering[callee].iter().filter_map(|&index| call.args.get(index as usize).copied()));
        }
    }
    found
}

/// The address of the number that an instruction lowers by one.
fn lowered_here(body: &Body, op: &Op) -> Option<ValueId> {
    match op {
        Op::Store { addr, value, .. } => {
            let Some(Op::Binary { op, lhs, rhs }) = body.def_op(*value) else { return None };
            let Some(Op::Load { addr: from, .. }) = body.def_op(*lhs) else { return None };
            let step = match op {
                BinaryOp::Sub => is_one(body, *rhs),
                BinaryOp::Add => is_minus_one(body, *rhs),
                _ => false,
            };
            (step && body.address(*from) == body.address(*addr)).then_some(*addr)
        }
        Op::Atomic { op: AtomicOp::Sub, addr, value } if is_one(body, *value) => Some(*addr),
        Op::Atomic { op: AtomicOp::Add, addr, value } if is_minus_one(body, *value) => Some(*addr),
        _ => None,
    }
}

/// Whether a body compares the number at an address, before or after it has changed it.
fn is_tested(body: &Body, addr: ValueId) -> bool {
    let place = body.address(addr);
    let is_it = |value: ValueId| {
        let read = match body.def_op(value) {
            Some(Op::Binary { lhs, .. }) => body.def_op(*lhs),
            other => other,
        };
        match read {
            Some(Op::Load { addr, .. } | Op::Atomic { addr, .. }) => body.address(*addr) == place,
            Some(Op::Call(call)) => call.args.iter().any(|&arg| body.address(arg) == place),
            _ => false,
        }
    };
    body.insts
        .values()
        .any(|inst| matches!(&inst.op, Op::Compare { lhs, rhs, .. } if is_it(*lhs) || is_it(*rhs)))
}

fn is_one(body: &Body, value: ValueId) -> bool {
    body.bits(value) == Some(1)
}

fn is_minus_one(body: &Body, value: ValueId) -> bool {
    body.bits(value).is_some_and(|word| body.ty(value).signed(word) == -1)
}
