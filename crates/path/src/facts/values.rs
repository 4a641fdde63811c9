//! Which values a value in a body may have, by where it comes from.
//!
//! In: a value, and what is known of members and variables that are read. Out: its values, as [`Ever`]. Constants, merges, arithmetic on
//! bits, parameters by what all calls pass, results by what callees return, and what is read from members. The walk is bounded by
//! counted steps; whatever comes from farther away may be anything.

use crate::facts::callers::Callers;
use crate::facts::contents::Member;
use crate::facts::ever::{Ever, mask};
use crate::facts::stored::Stored;
use crate::limits::{SOURCES, VALUE_STEPS};
use rustc_hash::{FxHashMap, FxHashSet};
use watertight_ir::callgraph::{CallGraph, direct_callee};
use watertight_ir::{Const, ConvertOp, Def, FuncId, Op, Program, Terminator, Type, ValueId};

/// What values are looked up in.
pub(crate) struct Values<'a> {
    pub(crate) program: &'a Program,
    pub(crate) graph: &'a CallGraph,
    pub(crate) callers: &'a Callers,
    pub(crate) stored: &'a Stored,
    /// The members that values are read from.
    pub(crate) reads: &'a FxHashMap<(FuncId, ValueId), Member>,
}

/// What was found of a value.
pub(crate) struct Found {
    pub(crate) ever: Ever,
    /// It depends on what members hold.
    pub(crate) moving: bool,
}

impl Values<'_> {
    /// The values that a value may have, where `member` says what is read from one.
    pub(crate) fn of(&self, id: FuncId, value: ValueId, member: impl Fn(&Member) -> Ever) -> Found {
        let mut walk = Walk {
            values: self,
            member: &member,
            moving: false,
            steps: VALUE_STEPS,
            seen: FxHashSet::default(),
        };
        let ever = walk.value(id, value, SOURCES);
        Found { ever, moving: walk.moving }
    }
}

struct Walk<'w, 'a> {
    values: &'w Values<'a>,
    member: &'w dyn Fn(&Member) -> Ever,
    moving: bool,
    steps: u32,
    /// Values that are merged into the one that is asked for, so that each is looked at once.
    seen: FxHashSet<(FuncId, ValueId)>,
}

impl Walk<'_, '_> {
    fn value(&mut self, id: FuncId, value: ValueId, depth: u32) -> Ever {
        let program = self.values.program;
        let Some(body) = &program.functions[id].body else { return Ever::ANY };
        if let Some(bits) = body.bits(value) {
            return Ever::one(bits);
        }
        let width = match body.ty(value) {
            Type::Int(bits) if bits <= 64 => bits,
            Type::Ptr => 64,
            _ => return Ever::ANY,
        };
        let any = Ever::Bits(mask(width));
        let (Some(depth), Some(steps)) = (depth.checked_sub(1), self.steps.checked_sub(1)) else {
            return any;
        };
        self.steps = steps;
        if !self.seen.insert((id, value)) {
            return Ever::NEVER;
        }
        match &body.values[value].def {
            Def::Const(_) => any,
            Def::Param(index) => {
                let Some(sites) = self.values.callers.of(program, self.values.graph, id) else { return any };
                let mut all = Ever::NEVER;
                for site in sites {
                    let caller = program.functions[site.caller].body.as_ref();
                    match caller.map(|body| &body.insts[site.inst].op) {
                        Some(Op::Call(call)) if let Some(&passed) = call.args.get(*index as usize) => {
                            all.join(&self.value(site.caller, passed, depth));
                        }
                        _ => return any,
                    }
                }
                all
            }
            Def::Inst(inst) => match &body.insts[*inst].op {
                Op::Phi { incoming } => {
                    let mut all = Ever::NEVER;
                    for &(_, value) in incoming {
                        all.join(&self.value(id, value, depth));
                    }
                    all
                }
                Op::Select { then, other, .. } => {
                    let mut all = self.value(id, *then, depth);
                    all.join(&self.value(id, *other, depth));
                    all
                }
                Op::Compare { .. } | Op::FloatCompare { .. } => Ever::Numbers(vec![0, 1]),
                Op::Convert { op, value: inner } => {
                    let from = match body.ty(*inner) {
                        Type::Int(bits) if bits <= 64 => bits,
                        _ => return any,
                    };
                    let sign = mask(from) ^ mask(from) >> 1;
                    let extended = move |number: u64| match number & sign {
                        0 => number,
                        _ => (number | !mask(from)) & mask(width),
                    };
                    match op {
                        ConvertOp::Truncate => self
                            .apart(id, *inner, depth)
                            .mapped(|number| number & mask(width), |bits| bits & mask(width)),
                        ConvertOp::ZeroExtend => self.apart(id, *inner, depth),
                        ConvertOp::SignExtend => self.apart(id, *inner, depth).mapped(extended, extended),
                        _ => any,
                    }
                }
                Op::Binary { op, lhs, rhs } => {
                    let lhs = self.apart(id, *lhs, depth);
                    let rhs = self.apart(id, *rhs, depth);
                    Ever::binary(*op, &lhs, &rhs, width)
                }
                Op::Load { addr, .. } => {
                    if let Some(member) = self.values.reads.get(&(id, value)) {
                        self.moving = true;
                        return (self.member)(member);
                    }
                    if let Some(Const::Global { global, offset }) = body.constant(*addr)
                        && let Some(numbers) =
                            self.values.stored.of(program, *global, (*offset, u64::from(width.div_ceil(8))))
                    {
                        return Ever::Numbers(numbers);
                    }
                    any
                }
                Op::Call(call) => match direct_callee(body, call) {
                    Some(callee) => self.returned(callee, depth).unwrap_or(any),
                    None => any,
                },
                _ => any,
            },
        }
    }

    /// A value that is changed before it is merged: what it is made of may be the one that is asked for.
    fn apart(&mut self, id: FuncId, value: ValueId, depth: u32) -> Ever {
        let seen = std::mem::take(&mut self.seen);
        let ever = self.value(id, value, depth);
        self.seen = seen;
        ever
    }

    /// What a function returns.
    fn returned(&mut self, callee: FuncId, depth: u32) -> Option<Ever> {
        let body = self.values.program.functions[callee].body.as_ref()?;
        let mut all = Ever::NEVER;
        for block in body.blocks.values() {
            if let Terminator::Return(value) = &block.term {
                all.join(&self.value(callee, (*value)?, depth));
            }
        }
        Some(all)
    }
}
