//! Whether the process ends soon after a function has returned.
//!
//! In: a program, summaries, a function and perhaps what it returns. Out: whether every call that could be of this function
//! is followed by nothing but the end: a call that does not return, the return of `main`, or the return of another function
//! of which the same holds. What such a function loses goes with the process, as what `main` holds does. What must hold:
//! all callers are in sight, since there is a `main`; on the way there is no loop, and no call of a function that may
//! work for long, which is one with a loop in it or in what it calls.
//!
//! ```text
//! static int show(char **argv) { ... }            // loses something
//! int main(int argc, char **argv) { exit(show(argv)); }
//! ```

use std::collections::{BTreeMap, BTreeSet};
use watertight_ir::callgraph::{CallGraph, CallSite, direct_callee};
use watertight_ir::cfg::Cfg;
use watertight_ir::loops::Loops;
use watertight_ir::{
    BlockId, Body, CompareOp, FuncId, Id, InstId, Op, Program, Table, Terminator, Type, ValueId,
};
use watertight_summary::model::Models;
use watertight_summary::{Outcome, Summary, Way};

/// Callers of callers that are looked at.
const DEEPEST: usize = 8;
/// The most calls of one function.
const MOST_CALLS: usize = 64;

/// Answers for one program.
pub(crate) struct Ends<'a> {
    program: &'a Program,
    models: &'a Models,
    summaries: &'a Table<FuncId, Option<Summary>>,
    calls: CallGraph,
    main: Option<FuncId>,
    known: BTreeMap<(FuncId, Option<u64>), bool>,
    loops: BTreeMap<FuncId, Loops>,
    quick: BTreeMap<FuncId, bool>,
}

impl<'a> Ends<'a> {
    pub(crate) fn new(
        program: &'a Program,
        models: &'a Models,
        summaries: &'a Table<FuncId, Option<Summary>>,
    ) -> Ends<'a> {
        let main = program.function_named("main").filter(|&main| program.functions[main].body.is_some());
        Ends {
            program,
            models,
            summaries,
            calls: CallGraph::new(program),
            main,
            known: BTreeMap::new(),
            loops: BTreeMap::new(),
            quick: BTreeMap::new(),
        }
    }

    /// Whether the process ends when this function has returned after it passed these blocks. What it returns counts if
    /// it is a constant there.
    pub(crate) fn ends(&mut self, function: FuncId, blocks: &[BlockId]) -> bool {
        let body = self.program.functions[function].body.as_ref();
        let result = body.and_then(|body| returned(body, blocks));
        self.main.is_some() && self.main != Some(function) && self.after_return(function, result, 0)
    }

    /// Whether a function is a `main` of its own: every call hands it the command line of the process, or what is left of it.
    pub(crate) fn is_command(&self, function: FuncId) -> bool {
        let params = &self.program.functions[function].params;
        (0..params.len()).any(|index| self.is_command_line(function, index, 0))
    }

    /// Whether a parameter is the command line in every call.
    fn is_command_line(&self, function: FuncId, index: usize, depth: usize) -> bool {
        if self.main == Some(function) {
            return index == 1;
        }
        let pointer =
            self.program.functions[function].params.get(index).is_some_and(|param| param.ty == Type::Ptr);
        let Some(sites) = self.sites(function).filter(|_| pointer && depth < DEEPEST) else { return false };
        !sites.is_empty()
            && sites.iter().all(|site| {
                let Some(body) = &self.program.functions[site.caller].body else { return false };
                let Op::Call(call) = &body.insts[site.inst].op else { return false };
                let argument = call.args.get(index).map(|&value| start(body, value));
                let given = argument.map_or(usize::MAX, |value| value.index());
                site.caller != function
                    && given < self.program.functions[site.caller].params.len()
                    && self.is_command_line(site.caller, given, depth + 1)
            })
    }

    fn after_return(&mut self, function: FuncId, result: Option<u64>, depth: usize) -> bool {
        if self.main == Some(function) {
            return true;
        }
        if depth > DEEPEST {
            return false;
        }
        if let Some(&known) = self.known.get(&(function, result)) {
            return known;
        }
        // Who calls itself does not end.
        self.known.insert((function, result), false);
        let sites = self.sites(function);
        let ends = sites.is_some_and(|sites| {
            !sites.is_empty()
                && sites.len() <= MOST_CALLS
                && sites.iter().all(|site| self.after_call(site, result, depth))
        });
        self.known.insert((function, result), ends);
        ends
    }

    /// Every call that could be of a function. Nothing if somebody outside may call it.
    fn sites(&self, function: FuncId) -> Option<Vec<CallSite>> {
        let mut sites = self.calls.call_sites(function).to_vec();
        if !self.calls.address_taken().contains(&function) {
            return Some(sites);
        }
        let data = &self.program.functions[function];
        for site in self.calls.indirect_calls() {
            let body = self.program.functions[site.caller].body.as_ref()?;
            let Op::Call(call) = &body.insts[site.inst].op else { continue };
            if call.args.len() == data.params.len() {
                sites.push(*site);
            }
        }
        // Library functions call what they are given whenever they like.
        for body in self.program.functions.values().filter_map(|function| function.body.as_ref()) {
            for inst in body.insts.values() {
                let Op::Call(call) = &inst.op else { continue };
                let given = call.args.iter().any(|&arg| is_function(body, arg, function));
                let outside = direct_callee(body, call)
                    .is_none_or(|callee| self.program.functions[callee].body.is_none());
                if given && outside {
                    return None;
                }
            }
        }
        Some(sites)
    }

    /// Whether nothing but the end follows a call that gave this.
    fn after_call(&mut self, site: &CallSite, result: Option<u64>, depth: usize) -> bool {
        let program = self.program;
        let Some(body) = &program.functions[site.caller].body else { return false };
        let given = body.insts[site.inst].result.zip(result);
        let mut seen: BTreeSet<BlockId> = BTreeSet::new();
        let mut pending: Vec<(BlockId, Option<InstId>)> = vec![(site.block, Some(site.inst))];
        while let Some((block, after)) = pending.pop() {
            let insts = &body.blocks[block].insts;
            let from =
                after.and_then(|after| insts.iter().position(|&inst| inst == after)).map_or(0, |at| at + 1);
            match self.through(site.caller, body, &insts[from..]) {
                Through::Ends => continue,
                Through::GoesOn => return false,
                Through::Quick => {}
            }
            let next: Vec<BlockId> = match &body.blocks[block].term {
                Terminator::Unreachable => continue,
                Terminator::Return(value) => {
                    let value = value.and_then(|value| match given {
                        Some((result, number)) if result == value => Some(number),
                        _ => body.bits(value),
                    });
                    if !self.after_return(site.caller, value, depth + 1) {
                        return false;
                    }
                    continue;
                }
                Terminator::Branch { cond, then, other } => {
                    match given.and_then(|given| decide(body, *cond, given)) {
                        Some(true) => vec![*then],
                        Some(false) => vec![*other],
                        None => vec![*then, *other],
                    }
                }
                term => {
                    let mut next = Vec::new();
                    term.successors(|block| next.push(block));
                    next
                }
            };
            for block in next {
                let loops = self.loops.entry(site.caller).or_insert_with(|| Loops::new(&Cfg::new(body)));
                if loops.depth(block) > 0 {
                    return false;
                }
                if seen.insert(block) {
                    pending.push((block, None));
                }
            }
        }
        true
    }

    fn through(&mut self, caller: FuncId, body: &Body, insts: &[InstId]) -> Through {
        for &inst in insts {
            let Op::Call(call) = &body.insts[inst].op else { continue };
            let Some(callee) = direct_callee(body, call).filter(|&callee| callee != caller) else {
                return Through::GoesOn;
            };
            let data = &self.program.functions[callee];
            let told = self.summaries[callee].as_ref().or_else(|| self.models.functions.get(&data.name));
            let jumps = |outcome: &Outcome| outcome.way == Way::Jumps;
            match told {
                Some(summary) if summary.outcomes.iter().any(jumps) => return Through::GoesOn,
                Some(summary) if summary.outcomes.is_empty() => return Through::Ends,
                _ if data.attrs.no_return => return Through::Ends,
                _ if self.is_quick(callee) => {}
                _ => return Through::GoesOn,
            }
        }
        Through::Quick
    }

    /// Whether a function does not work for long.
    fn is_quick(&mut self, function: FuncId) -> bool {
        if let Some(&known) = self.quick.get(&function) {
            return known;
        }
        let program = self.program;
        let Some(body) = &program.functions[function].body else { return true };
        self.quick.insert(function, false);
        let straight = Loops::new(&Cfg::new(body)).is_empty();
        let quick = straight
            && body.insts.values().all(|inst| match &inst.op {
                Op::Call(call) => direct_callee(body, call).is_some_and(|callee| self.is_quick(callee)),
                _ => true,
            });
        self.quick.insert(function, quick);
        quick
    }
}

/// How control comes through a few instructions.
enum Through {
    /// It does not: the process ends.
    Ends,
    Quick,
    GoesOn,
}

/// The constant that is returned at the end of these blocks, if it is one.
fn returned(body: &Body, blocks: &[BlockId]) -> Option<u64> {
    let (&last, before) = blocks.split_last()?;
    let Terminator::Return(Some(value)) = body.blocks[last].term else { return None };
    match body.def_op(value) {
        Some(Op::Phi { incoming }) => {
            let from = before.last()?;
            let entry = incoming.iter().find(|(block, _)| block == from)?;
            body.bits(entry.1)
        }
        _ => body.bits(value),
    }
}

/// The address that another one was computed from.
fn start(body: &Body, mut value: ValueId) -> ValueId {
    while let Some(&Op::Offset { base, .. } | &Op::Index { base, .. }) = body.def_op(value) {
        value = base;
    }
    value
}

fn is_function(body: &Body, value: ValueId, function: FuncId) -> bool {
    matches!(body.constant(value), Some(watertight_ir::Const::Func(id)) if *id == function)
}

/// How a comparison of what a call gave with a constant turns out.
fn decide(body: &Body, cond: ValueId, (result, number): (ValueId, u64)) -> Option<bool> {
    let &Op::Compare { op, lhs, rhs } = body.def_op(cond)? else { return None };
    if lhs != result {
        return None;
    }
    let bits = match body.ty(lhs) {
        Type::Int(bits @ 1..=64) => bits,
        Type::Ptr => 64,
        _ => return None,
    };
    let unused = 64 - bits;
    let (plain, against) = (number << unused >> unused, body.bits(rhs)? << unused >> unused);
    let signed = |word: u64| ((word << unused) as i64) >> unused;
    let (less, equal) = (signed(plain) < signed(against), plain == against);
    Some(match op {
        CompareOp::Eq => equal,
        CompareOp::Ne => !equal,
        CompareOp::Slt => less,
        CompareOp::Sle => less || equal,
        CompareOp::Sgt => !less && !equal,
        CompareOp::Sge => !less,
        CompareOp::Ult => plain < against,
        CompareOp::Ule => plain <= against,
        CompareOp::Ugt => plain > against,
        CompareOp::Uge => plain >= against,
    })
}
