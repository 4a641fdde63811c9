//! What values are, as terms of the solver, made when a condition asks for them.
//!
//! A value of a function in a context is a term over unknowns: parameters of the first function, what memory holds there
//! at entry, and what functions outside of the program return. Parameters of entered functions are the arguments, a
//! phi is a choice by the guards of its edges, results of small callees are taken from their bodies. Addresses of
//! variables, globals and blocks are numbers far from each other, so that comparisons of them are decided as
//! they are written down.
//!
//! Loops: what the header of a loop joins is unknown, in some turn ([`View::Here`]); in the first turn it is what
//! comes from outside; after the last turn it is unknown again.

use crate::context::ContextId;
use crate::control::{Anew, Look, ReachKey, is_header};
use crate::facts::{FunctionFacts, Point};
use crate::limits::{ADDRESSES, QUESTION_VALUES, TERM_DEPTH};
use crate::memory::Version;
use crate::question::Question;
use watertight_ir::{
    BinaryOp, BlockId, Body, CompareOp, Const, ConvertOp, Def, FuncId, GlobalId, InstId, Op, Terminator,
    Type, ValueId,
};
use watertight_logic::guard::Guard;
use watertight_logic::term::{self, TermId};
use watertight_logic::width::Width;

/// In which turn of a loop something is looked at.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum View {
    /// In some turn of the loops around the place that looks.
    Here,
    /// In the first turn of the loop with this header.
    First(BlockId),
    /// After the last one.
    Last(BlockId),
}

/// What an unknown stands for; the same thing is the same unknown.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Unknown {
    Value(ContextId, ValueId, View),
    /// What memory holds at an address, in some version.
    Memory(ContextId, Version, TermId, Width, View),
    /// The same at entry of the first function.
    Initial(TermId, Width),
    /// Which way a function of the library returns.
    Outcome(ContextId, InstId, View),
    Choice(ContextId, BlockId, usize),
    /// Something else that a call makes up.
    Made(ContextId, InstId, usize, u64, Width, View),
}

/// Something with an address of its own.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Address {
    Global(GlobalId),
    Function(FuncId),
    Stack(ContextId, InstId),
    Fresh(ContextId, InstId, usize, u32),
}

/// Between the addresses of two things; not a limit, but how addresses are laid out.
pub(crate) const SPACING: u64 = 1 << 32;

impl Question<'_, '_> {
    pub(crate) fn width_of(&self, ty: Type) -> Option<Width> {
        match ty {
            Type::Int(bits) => Width::new(bits),
            Type::Ptr => Width::new(self.facts.program.target.pointer_bits),
            _ => None,
        }
    }

    /// Whether so much was looked at that the rest is left unknown.
    pub(crate) fn is_spent(&self) -> bool {
        self.depth >= TERM_DEPTH || self.steps > QUESTION_VALUES
    }

    pub(crate) fn unknown(&mut self, what: Unknown, width: Width) -> TermId {
        let is_input = match &what {
            Unknown::Initial(..) => true,
            Unknown::Value(context, value, _) => {
                let (body, _) = self.at_context(*context);
                matches!(body.values[*value].def, Def::Param(_))
            }
            _ => false,
        };
        let terms = &mut self.formulas.terms;
        let term = *self.unknowns.entry(what).or_insert_with(|| terms.variable(width, None));
        if let (true, Some(var)) = (is_input, self.formulas.terms.as_variable(term)) {
            self.inputs.insert(var);
        }
        term
    }

    /// An unknown that stands for something that was given up.
    pub(crate) fn invention(&mut self, what: Unknown, width: Width) -> TermId {
        let term = self.unknown(what, width);
        if let Some(var) = self.formulas.terms.as_variable(term) {
            self.inventions.insert(var);
        }
        term
    }

    pub(crate) fn free_choice(&mut self, context: ContextId, block: BlockId, index: usize) -> TermId {
        self.unknown(Unknown::Choice(context, block, index), Width::BOOL)
    }

    pub(crate) fn number(&mut self, width: Width, value: i64) -> TermId {
        self.formulas.terms.constant(width, width.mask(value as i128 as u128))
    }

    pub(crate) fn address(&mut self, what: Address) -> TermId {
        let next = (self.addresses.len() as u64 + 1).min(ADDRESSES) * SPACING;
        let at = *self.addresses.entry(what).or_insert(next);
        self.number(Width::W64, at as i64)
    }

    /// The view of a value that is defined in one block and looked at in another.
    pub(crate) fn view_between(&self, own: &FunctionFacts, defined: BlockId, seen: BlockId) -> View {
        let mut outermost = None;
        for (id, data) in own.loops.iter() {
            if own.loops.contains(id, defined) && !own.loops.contains(id, seen) {
                outermost.get_or_insert(data.header());
            }
        }
        outermost.map_or(View::Here, View::Last)
    }

    /// The value as seen from a block, which itself is seen in some turn of a loop.
    pub(crate) fn term_at(
        &mut self,
        context: ContextId,
        value: ValueId,
        block: BlockId,
        view: View,
    ) -> TermId {
        let (body, own) = self.at_context(context);
        let Def::Inst(inst) = body.values[value].def else { return self.term(context, value, View::Here) };
        let Some(point) = own.point(inst) else { return self.term(context, value, View::Here) };
        let inside = |header: BlockId| {
            let id = own.loops.innermost(header);
            id.is_some_and(|id| own.loops.contains(id, point.block))
        };
        let view = match view {
            View::First(header) | View::Last(header) if inside(header) => view,
            _ => self.view_between(own, point.block, block),
        };
        self.term(context, value, view)
    }

    /// What a value is.
    pub(crate) fn term(&mut self, context: ContextId, value: ValueId, view: View) -> TermId {
        let key = (context, value, view);
        if let Some(&known) = self.terms.get(&key) {
            return known;
        }
        let (body, _) = self.at_context(context);
        let width = self.width_of(body.ty(value));
        let Some(width) = width else {
            return self.unknown(Unknown::Value(context, value, view), Width::W64);
        };
        self.steps += 1;
        // What depends on itself without a loop that has a header, and what is too deep, is not followed.
        if self.is_spent() || !self.open.insert(key) {
            return self.invention(Unknown::Value(context, value, view), width);
        }
        self.depth += 1;
        let term = self.computed(context, body, value, view, width);
        self.depth -= 1;
        self.open.remove(&key);
        let term = match self.formulas.terms.width(term) == width {
            true => term,
            false => self.formulas.terms.resize(term::Extension::Zero, term, width),
        };
        self.terms.insert(key, term);
        term
    }

    fn computed(
        &mut self,
        context: ContextId,
        body: &Body,
        value: ValueId,
        view: View,
        width: Width,
    ) -> TermId {
        match &body.values[value].def {
            Def::Param(index) => match self.contexts.by(context) {
                Some((outer, inst)) => self.argument(outer, inst, *index as usize, value, context, width),
                None => {
                    let given = self.unknown(Unknown::Value(context, value, View::Here), width);
                    let function = &self.facts.program.functions[self.contexts.function(context)];
                    if function.params.get(*index as usize).is_some_and(|param| param.non_null) {
                        self.present.push(given);
                    }
                    given
                }
            },
            Def::Const(constant) => match constant {
                Const::Bits(bits) => self.formulas.terms.constant(width, width.mask(u128::from(*bits))),
                Const::Zero => self.number(width, 0),
                Const::Global { global, offset } => {
                    let base = self.address(Address::Global(*global));
                    let offset = self.number(Width::W64, *offset);
                    self.formulas.terms.add(base, offset)
                }
                Const::Func(function) => self.address(Address::Function(*function)),
                _ => self.unknown(Unknown::Value(context, value, View::Here), width),
            },
            Def::Inst(inst) => self.result(context, body, *inst, value, view, width),
        }
    }

    /// The argument of the call that entered a function.
    fn argument(
        &mut self,
        outer: ContextId,
        inst: InstId,
        index: usize,
        value: ValueId,
        context: ContextId,
        width: Width,
    ) -> TermId {
        let (body, own) = self.at_context(outer);
        let arg = match &body.insts[inst].op {
            Op::Call(call) if call.by_value.iter().all(|entry| entry.0 as usize != index) => {
                call.args.get(index).copied()
            }
            _ => None,
        };
        match (arg, own.point(inst)) {
            (Some(arg), Some(point)) => self.term_at(outer, arg, point.block, View::Here),
            _ => self.invention(Unknown::Value(context, value, View::Here), width),
        }
    }

    fn result(
        &mut self,
        context: ContextId,
        body: &Body,
        inst: InstId,
        value: ValueId,
        view: View,
        width: Width,
    ) -> TermId {
        let (_, own) = self.at_context(context);
        let Some(point) = own.point(inst) else {
            return self.invention(Unknown::Value(context, value, view), width);
        };
        let block = point.block;
        let unknown = Unknown::Value(context, value, view);
        match &body.insts[inst].op {
            Op::Stack { .. } => self.address(Address::Stack(context, inst)),
            Op::Load { .. } => self.load(context, inst, view, width),
            Op::Offset { base, bytes } => {
                let base = self.term_at(context, *base, block, view);
                let distance = self.number(width, *bytes);
                let address = self.formulas.terms.add(base, distance);
                if *bytes != 0 {
                    self.present.push(address);
                }
                address
            }
            Op::Index { base, index, scale } => {
                let base = self.term_at(context, *base, block, view);
                let index = self.term_at(context, *index, block, view);
                let index = self.formulas.terms.resize(term::Extension::Sign, index, width);
                let scale = self.number(width, *scale);
                let bytes = self.formulas.terms.mul(index, scale);
                let address = self.formulas.terms.add(base, bytes);
                self.present.push(address);
                address
            }
            Op::Binary { op, lhs, rhs } => {
                let a = self.term_at(context, *lhs, block, view);
                let b = self.term_at(context, *rhs, block, view);
                if self.formulas.terms.width(a) != self.formulas.terms.width(b) {
                    return self.invention(unknown, width);
                }
                let terms = &mut self.formulas.terms;
                match op {
                    BinaryOp::Add => terms.add(a, b),
                    BinaryOp::Sub => terms.sub(a, b),
                    BinaryOp::Mul => terms.mul(a, b),
                    BinaryOp::UDiv => terms.udiv(a, b),
                    BinaryOp::SDiv => terms.sdiv(a, b),
                    BinaryOp::URem => terms.urem(a, b),
                    BinaryOp::SRem => terms.srem(a, b),
                    BinaryOp::Shl => terms.shl(a, b),
                    BinaryOp::LShr => terms.lshr(a, b),
                    BinaryOp::AShr => terms.ashr(a, b),
                    BinaryOp::And => terms.and(a, b),
                    BinaryOp::Or => terms.or(a, b),
                    BinaryOp::Xor => terms.xor(a, b),
                }
            }
            Op::Compare { op, lhs, rhs } => {
                let a = self.term_at(context, *lhs, block, view);
                let b = self.term_at(context, *rhs, block, view);
                if self.formulas.terms.width(a) != self.formulas.terms.width(b) {
                    return self.invention(unknown, width);
                }
                self.compare(*op, a, b)
            }
            Op::Convert { op, value: from } => {
                let a = self.term_at(context, *from, block, view);
                let terms = &mut self.formulas.terms;
                match op {
                    ConvertOp::Truncate => terms.truncate(a, width),
                    ConvertOp::SignExtend => terms.resize(term::Extension::Sign, a, width),
                    ConvertOp::ZeroExtend | ConvertOp::PtrToInt | ConvertOp::IntToPtr => {
                        terms.resize(term::Extension::Zero, a, width)
                    }
                    ConvertOp::Reinterpret if terms.width(a) == width => a,
                    _ => self.unknown(unknown, width),
                }
            }
            Op::Select { cond, then, other } => {
                let cond = self.term_at(context, *cond, block, view);
                let then = self.term_at(context, *then, block, view);
                let other = self.term_at(context, *other, block, view);
                self.formulas.terms.ite(cond, then, other)
            }
            Op::Phi { incoming } => self.phi(context, own, block, incoming, value, view, width),
            Op::Call(_) => self.call_result(context, inst, value, view, width),
            Op::Extract { aggregate, part } => {
                let taken = self.part(context, *aggregate, *part as usize, view, width);
                taken.unwrap_or_else(|| self.unknown(unknown, width))
            }
            Op::Atomic { addr, .. } => self.load_at(context, inst, *addr, 0, view, width),
            Op::Unknown(_) | Op::Bits { .. } => self.invention(unknown, width),
            _ => self.unknown(unknown, width),
        }
    }

    /// A part of an aggregate.
    pub(crate) fn part(
        &mut self,
        context: ContextId,
        aggregate: ValueId,
        part: usize,
        view: View,
        width: Width,
    ) -> Option<TermId> {
        let (body, own) = self.at_context(context);
        if self.is_spent() {
            return None;
        }
        let Def::Inst(inst) = body.values[aggregate].def else { return None };
        let block = own.point(inst)?.block;
        let term = match &body.insts[inst].op {
            Op::Pack { parts } => self.term_at(context, *parts.get(part)?, block, view),
            Op::Load { addr, .. } => {
                let Type::Agg(ty) = body.ty(aggregate) else { return None };
                let &(offset, _) = self.facts.program.aggregates[ty].parts.get(part)?;
                self.load_at(context, inst, *addr, offset as i64, view, width)
            }
            Op::Phi { incoming } if !is_header(own, block) => {
                let mut cases = Vec::new();
                for &(from, source) in incoming.iter().filter(|entry| own.cfg.is_reachable(entry.0)) {
                    cases.push((from, self.part(context, source, part, view, width)?));
                }
                self.joined(context, block, &cases)?
            }
            Op::Call(_) if view == View::Here => {
                let (inner, returns) = self.inlined(context, inst)?;
                let (body, _) = self.at_context(inner);
                let mut term = None;
                for (block, guard) in returns {
                    let Terminator::Return(Some(value)) = body.blocks[block].term else { continue };
                    self.depth += 1;
                    let case = self.part(inner, value, part, View::Here, width);
                    self.depth -= 1;
                    let case = case?;
                    term = Some(match term {
                        None => case,
                        Some(before) => self.formulas.choose(guard, case, before),
                    });
                }
                term?
            }
            _ => return None,
        };
        (self.formulas.terms.width(term) == width).then_some(term)
    }

    pub(crate) fn compare(&mut self, op: CompareOp, a: TermId, b: TermId) -> TermId {
        let terms = &mut self.formulas.terms;
        match op {
            CompareOp::Eq => terms.eq(a, b),
            CompareOp::Ne => terms.ne(a, b),
            CompareOp::Ult => terms.ult(a, b),
            CompareOp::Ule => terms.ule(a, b),
            CompareOp::Ugt => terms.ult(b, a),
            CompareOp::Uge => terms.ule(b, a),
            CompareOp::Slt => terms.slt(a, b),
            CompareOp::Sle => terms.sle(a, b),
            CompareOp::Sgt => terms.slt(b, a),
            CompareOp::Sge => terms.sle(b, a),
        }
    }

    #[allow(clippy::too_many_arguments, reason = "all of it describes one phi")]
    fn phi(
        &mut self,
        context: ContextId,
        own: &FunctionFacts,
        block: BlockId,
        incoming: &[(BlockId, ValueId)],
        value: ValueId,
        view: View,
        width: Width,
    ) -> TermId {
        if is_header(own, block) && view != View::First(block) {
            return self.turned(context, block, incoming, value, view, width);
        }
        let outside = |from: BlockId| !own.loops.is_back_edge(from, block);
        let mut cases: Vec<(BlockId, TermId)> = Vec::new();
        for &(from, source) in
            incoming.iter().filter(|entry| outside(entry.0) && own.cfg.is_reachable(entry.0))
        {
            cases.push((from, self.term_at(context, source, from, view)));
        }
        match self.joined(context, block, &cases) {
            Some(term) => term,
            None => self.invention(Unknown::Value(context, value, view), width),
        }
    }

    /// What the header of a loop joins, in some turn or after the last. Of a counter it is known where it began; what else
    /// turns make of a value is not worked out.
    fn turned(
        &mut self,
        context: ContextId,
        header: BlockId,
        incoming: &[(BlockId, ValueId)],
        value: ValueId,
        view: View,
        width: Width,
    ) -> TermId {
        let unknown = Unknown::Value(context, value, view);
        let Some(step) = self.step_of(context, header, incoming, value) else {
            return self.invention(unknown, width);
        };
        let is_new = !self.unknowns.contains_key(&unknown);
        let term = self.unknown(unknown, width);
        if is_new {
            let first = self.term(context, value, View::First(header));
            let terms = &mut self.formulas.terms;
            let from = if step > 0 { terms.sle(first, term) } else { terms.sle(term, first) };
            self.assumed.push(from);
        }
        term
    }

    /// By how much a counter moves in each turn.
    fn step_of(
        &self,
        context: ContextId,
        header: BlockId,
        incoming: &[(BlockId, ValueId)],
        counter: ValueId,
    ) -> Option<i128> {
        let (body, own) = self.at_context(context);
        let width =
            self.width_of(body.ty(counter)).filter(|_| matches!(body.ty(counter), Type::Int(8..=64)))?;
        let mut around = incoming.iter().filter(|entry| own.loops.is_back_edge(entry.0, header));
        let &(_, next) = around.next()?;
        if around.any(|entry| entry.1 != next) {
            return None;
        }
        let Some(Op::Binary { op: BinaryOp::Add, lhs, rhs }) = body.def_op(next) else { return None };
        let step = body.bits(*rhs).filter(|_| *lhs == counter)?;
        Some(width.signed(u128::from(step)))
    }

    /// One of several terms, by the edge over which control enters a block.
    pub(crate) fn joined(
        &mut self,
        context: ContextId,
        block: BlockId,
        cases: &[(BlockId, TermId)],
    ) -> Option<TermId> {
        let (&(_, first), rest) = cases.split_first()?;
        if rest.iter().all(|case| case.1 == first) {
            return Some(first);
        }
        let gates = self.gates(context, block)?;
        let mut term = None;
        for &(from, case) in cases {
            let gate = gates.iter().filter(|gate| gate.0 == from).map(|gate| gate.1);
            let gate = gate.fold(Guard::FALSE, |all, gate| self.formulas.guards.or(all, gate));
            term = Some(match term {
                None => case,
                Some(before) => self.formulas.choose(gate, case, before),
            });
        }
        term
    }

    /// The guards of the edges into a block, from where all ways to it part.
    fn gates(&mut self, context: ContextId, block: BlockId) -> Option<Vec<(BlockId, Guard)>> {
        let (_, own) = self.at_context(context);
        let above = own.dominators().idom(block)?;
        // Terms that are being made would be asked for again by the conditions in between.
        self.steps += own.cfg.block_count() as u32 / 4;
        if self.steps > QUESTION_VALUES {
            return None;
        }
        let from = Point::end(above);
        let reach = self.reach(ReachKey { context, from, anew: Anew::Nowhere, look: Look::To(block) });
        let mut gates = Vec::new();
        for &from in own.cfg.predecessors(block) {
            if !own.loops.is_back_edge(from, block) {
                gates.push((from, self.along(context, &reach, from, block)));
            }
        }
        Some(gates)
    }

    /// What is known of counters when a loop has been gone around: they have gone on.
    pub(crate) fn progress(&mut self, context: ContextId, header: BlockId) -> Guard {
        let (body, _) = self.at_context(context);
        let mut all = Guard::TRUE;
        for (_, inst) in body.block_insts(header) {
            let (Op::Phi { incoming }, Some(counter)) = (&inst.op, inst.result) else { continue };
            let Some(step) = self.step_of(context, header, incoming, counter) else { continue };
            let here = self.term(context, counter, View::Here);
            let last = self.term(context, counter, View::Last(header));
            let (low, high) = if step > 0 { (here, last) } else { (last, here) };
            let on = self.formulas.terms.slt(low, high);
            let guard = self.formulas.guard(on);
            all = self.and(all, guard);
        }
        all
    }
}
