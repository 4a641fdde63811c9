//! Functions that only rearrange what they are given, followed in the memory of their caller.
//!
//! A summary names what lies a few cells away from a parameter, and tells apart a few outcomes. What `reverse`, `merge` or
//! `insert_sorted` do to a chain has no such words: where each node ends up depends on how long the chain is. But where
//! the caller has made the nodes, the chain is there, and nothing is simpler than to walk along it. So a small function
//! with a loop that loads, stores and compares, and calls nothing that has effects, is evaluated at the call, with the
//! caller's values as its arguments, if these lead to at least two things that were acquired here. So is one that
//! calls itself instead. Where its loops or calls would go on for longer than they are followed, nothing is known
//! afterwards, and everything that the arguments led to counts as kept.
//!
//! In: a call, its arguments. Out: the result; memory is as the function leaves it. Its instructions are not the caller's:
//! what is noted of them is noted of the call.

use crate::context::Known;
use crate::context::rearranging::Rearranging;
use crate::limits;
use crate::machine::journal::Binding;
use crate::machine::journal::Cut;
use crate::machine::memory::ObjectId;
use crate::machine::shares::Shares;
use crate::machine::state::{Detail, State, Step};
use crate::machine::value::{Leaf, Leaves, Offset, Sym};
use crate::plan::unroll::{NodeId, Plan, Unrolled};
use rustc_hash::{FxHashMap, FxHashSet};
use watertight_ir::loops::Loops;
use watertight_ir::{Body, Callee, Def, FuncId, Id, InstId, Op, Table, Type, ValueId};
use watertight_logic::guard::Guard;
use watertight_logic::term::TermId;
use watertight_logic::width::Width;

impl<'a> State<'a> {
    /// Follows a call, if that says more than the summary of what is called.
    pub(crate) fn follow_call(
        &mut self,
        inst: InstId,
        function: FuncId,
        args: &[(Sym, Type)],
        ty: Type,
    ) -> Step<Option<Option<Sym>>> {
        let context = self.context;
        let nested = self.stand_in.is_some();
        if self.detail != Detail::All || nested && function != self.id {
            return Ok(None);
        }
        let Some(followed) = context.rearranging(function) else { return Ok(None) };
        let given = self.led_to(args);
        if nested {
            return match self.frames < limits::FRAMES {
                true => self.walk_through(followed, inst, function, args, &given, ty).map(Some),
                false => {
                    let unknown = self.not_followed(&given, self.here, ty);
                    Ok(Some(Some(unknown).filter(|_| ty != Type::Void)))
                }
            };
        }
        self.frames = 0;
        if given.iter().filter(|&&object| self.objects[object].is_fresh()).count() < 2
            || !self.calls_without_effects(function)
        {
            return Ok(None);
        }
        self.walk_through(followed, inst, function, args, &given, ty).map(Some)
    }

    /// What is known after paths that are not followed to their end: nothing, and everything that was given counts as kept.
    fn not_followed(&mut self, given: &[ObjectId], when: Guard, ty: Type) -> Sym {
        let all = given.iter().map(|&object| (Guard::TRUE, Leaf::Address(object, Offset::At(0)))).collect();
        self.keep_leaves(&all, when);
        self.any(ty)
    }

    /// Whether a function calls nothing but itself and what gives a result, and moves no state.
    fn calls_without_effects(&self, function: FuncId) -> bool {
        let Some(body) = &self.context.program.functions[function].body else { return false };
        body.insts.values().all(|inst| {
            let Op::Call(call) = &inst.op else { return true };
            let Callee::Direct(callee) = call.callee else { return false };
            if callee == function {
                return true;
            }
            if self.context.has_events(callee) {
                return false;
            }
            match self.component.lookup(self.context, callee) {
                Known::Summary(summary) if summary.touches_states() => false,
                Known::Summary(summary) => {
                    let plain = |outcome: &watertight_summary::Outcome| {
                        outcome.fresh.is_empty() && outcome.effects.is_empty()
                    };
                    summary.outcomes.iter().all(plain)
                }
                Known::Pending | Known::Nothing => false,
            }
        })
    }

    /// Everything that arguments lead to.
    fn led_to(&self, args: &[(Sym, Type)]) -> Vec<ObjectId> {
        let mut leaves: Leaves = Vec::new();
        for (sym, ty) in args {
            if let (Sym::Leaves(own), Type::Ptr) = (sym, ty) {
                leaves.extend(own.iter().copied());
            }
        }
        self.nearby(&leaves)
    }

    fn walk_through(
        &mut self,
        followed: &'a Rearranging,
        inst: InstId,
        function: FuncId,
        args: &[(Sym, Type)],
        given: &[ObjectId],
        ty: Type,
    ) -> Step<Option<Sym>> {
        let Some(body) = &self.context.program.functions[function].body else { return Ok(None) };
        let before = self.here;
        let events = self.journal.events.len();
        let overwrites = self.journal.overwrites.len();
        let stand_in = self.stand_in;
        self.stand_in = stand_in.or(Some(self.node));
        self.frames += 1;
        let mut frame = Frame::new(followed, function, body, args);
        self.exchange(&mut frame);
        let mut walked = Ok(());
        for node in followed.unrolled.nodes.ids() {
            walked = self.walk(node, before);
            if walked.is_err() {
                break;
            }
        }
        self.exchange(&mut frame);
        self.stand_in = stand_in;
        (self.here, self.inst) = (before, inst);
        // What it looks at on its way is said by its summary.
        self.journal.events.truncate(events);
        for overwrite in &mut self.journal.overwrites[overwrites..] {
            overwrite.inst = inst;
        }
        walked?;
        self.spend(1)?;
        let mut after = Guard::FALSE;
        let mut result: Option<Sym> = None;
        for (_, guard, sym) in frame.returns {
            after = self.or(after, guard);
            if let Some(sym) = sym {
                let guard = self.within(guard, before);
                result = Some(match result {
                    None => sym,
                    Some(other) => self.choose(guard, &sym, &other, ty),
                });
            }
        }
        let cut = frame.cuts.iter().fold(Guard::FALSE, |all, cut| self.formulas.guards.or(all, cut.guard));
        if !cut.is_false() {
            after = self.or(after, cut);
            let unknown = self.not_followed(given, cut, ty);
            let guard = self.within(cut, before);
            result = result.map(|known| self.choose(guard, &unknown, &known, ty)).or(Some(unknown));
        }
        self.here = after;
        Ok(result.filter(|_| ty != Type::Void))
    }

    /// Puts a frame in the place of the one at hand.
    fn exchange(&mut self, frame: &mut Frame<'a>) {
        use std::mem::swap;
        swap(&mut self.id, &mut frame.id);
        swap(&mut self.body, &mut frame.body);
        swap(&mut self.loops, &mut frame.loops);
        swap(&mut self.unrolled, &mut frame.unrolled);
        swap(&mut self.plan, &mut frame.plan);
        swap(&mut self.values, &mut frame.values);
        swap(&mut self.fixed, &mut frame.fixed);
        swap(&mut self.entered, &mut frame.entered);
        swap(&mut self.left, &mut frame.left);
        swap(&mut self.edges, &mut frame.edges);
        swap(&mut self.shares, &mut frame.shares);
        swap(&mut self.returns, &mut frame.returns);
        swap(&mut self.journal.cuts, &mut frame.cuts);
        swap(&mut self.used, &mut frame.used);
        swap(&mut self.compared, &mut frame.compared);
        swap(&mut self.left_out_turns, &mut frame.left_out_turns);
        swap(&mut self.each_indices, &mut frame.each_indices);
        swap(&mut self.journal.bindings, &mut frame.bindings);
        swap(&mut self.node, &mut frame.node);
        self.function = &self.context.program.functions[self.id];
    }
}

/// What belongs to one function that is evaluated, and not to the memory that it works on.
struct Frame<'a> {
    id: FuncId,
    body: &'a Body,
    loops: &'a Loops,
    unrolled: &'a Unrolled,
    plan: &'a Plan,
    values: Table<ValueId, Vec<(NodeId, Sym)>>,
    fixed: Table<ValueId, Option<Sym>>,
    entered: Table<NodeId, Guard>,
    left: Table<NodeId, Guard>,
    edges: Table<NodeId, Vec<(NodeId, Guard)>>,
    shares: Shares,
    returns: Vec<(NodeId, Guard, Option<Sym>)>,
    cuts: Vec<Cut>,
    used: Table<ValueId, bool>,
    compared: FxHashMap<(ValueId, ValueId), Guard>,
    left_out_turns: Vec<((NodeId, Width), TermId)>,
    each_indices: FxHashSet<InstId>,
    bindings: Vec<Binding>,
    node: NodeId,
}

impl<'a> Frame<'a> {
    fn new(followed: &'a Rearranging, id: FuncId, body: &'a Body, args: &[(Sym, Type)]) -> Frame<'a> {
        let nodes = followed.unrolled.nodes.len();
        let mut fixed: Table<ValueId, Option<Sym>> = Table::filled(body.values.len(), None);
        for (value, data) in body.values.iter() {
            if let Def::Param(index) = data.def {
                fixed[value] = args.get(index as usize).map(|arg| arg.0.clone());
            }
        }
        Frame {
            id,
            body,
            loops: &followed.loops,
            unrolled: &followed.unrolled,
            plan: &followed.plan,
            values: Table::filled(body.values.len(), Vec::new()),
            fixed,
            entered: Table::filled(nodes, Guard::FALSE),
            left: Table::filled(nodes, Guard::FALSE),
            edges: Table::filled(nodes, Vec::new()),
            shares: Shares::new(nodes),
            returns: Vec::new(),
            cuts: Vec::new(),
            used: Table::new(),
            compared: FxHashMap::default(),
            left_out_turns: Vec::new(),
            each_indices: FxHashSet::default(),
            bindings: Vec::new(),
            node: NodeId::new(0),
        }
    }
}
