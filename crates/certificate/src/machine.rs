//! A block of a body run on unknown memory: an independent account of what instructions do.
//!
//! In: a body and where to stop. Out: terms for the values of expressions in memory as it was at any point on the way. Memory
//! is a list of writes over an unknown start; a read goes back through it. What is read from the start is an unknown for
//! each address, and equal addresses hold equal values. Every location has a sort, as its address is declared, and
//! locations of different sorts are different.

mod question;
mod whole;

pub(crate) use whole::{Whole, has_effect};

use crate::text::{Expr, Region};
use crate::types::{Points, Sort, Sorts, Ty, Types};
use std::collections::{BTreeMap, BTreeSet};
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{
    BinaryOp, BlockId, Body, CompareOp, Const, ConvertOp, Def, FuncId, GlobalId, Id as _, InstId, Op,
    Program, Type, ValueId,
};
use watertight_logic::formulas::Formulas;
use watertight_logic::question::{Assumption, QuestionLimits};
use watertight_logic::solver::Solver;
use watertight_logic::term::TermId;
use watertight_logic::width::Width;

/// A variable.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Symbol {
    Local(FuncId, ValueId),
    Global(GlobalId),
    Function(FuncId),
    Outside,
}

/// A value.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Val {
    pub(crate) term: TermId,
    pub(crate) ty: Type,
    pub(crate) points: Points,
    /// An address is its base plus an offset.
    base: TermId,
    offset: i64,
    /// The variable that an address is in.
    symbol: Option<Symbol>,
}

/// A location of memory.
struct Location {
    addr: Val,
    sort: TermId,
    sorts: Vec<Sorts>,
}

enum Event {
    Write {
        location: usize,
        ty: Type,
        value: Val,
    },
    /// Code of others has run. Only what is in variables of this function that no pointer leads to is the same.
    Havoc,
    /// Memory was changed in a way that is not looked into.
    Unknown,
}

/// How long memory has been changed: what is read is what was there after so many events.
pub(crate) type Time = usize;

/// A block that is run.
pub(crate) struct Machine<'w, 'p> {
    whole: &'w mut Whole<'p>,
    pub(crate) formulas: Formulas,
    pub(crate) facts: Vec<TermId>,
    function: FuncId,
    body: &'p Body,
    /// What values are, and how many instructions were run before they had it.
    values: BTreeMap<ValueId, (usize, Val)>,
    /// What names of values, parameters and results stand for instead.
    pub(crate) named: BTreeMap<(u8, FuncId, usize), Val>,
    opaque: BTreeMap<(u8, FuncId, usize), Val>,
    /// What calls on the way have returned.
    results: Vec<Val>,
    symbols: BTreeMap<Symbol, Val>,
    locations: Vec<Location>,
    by_term: BTreeMap<usize, usize>,
    events: Vec<Event>,
    /// What has been read where and when, once for all.
    known: BTreeMap<(usize, Type, Time), Val>,
    /// Unknown first contents: since when, where, and what.
    reads: Vec<(Time, usize, Type, Val)>,
    /// Sorts that are spoken of; a sort is its number.
    pub(crate) sorts: Vec<Sort>,
    /// Truths about sorts that are said when all are known: the truth, the location, and the regions it is in.
    pending: Vec<(TermId, usize, Region)>,
    holding: Vec<(TermId, usize)>,
    /// The lost block, and what it is declared as.
    pub(crate) cell: TermId,
    cell_type: Option<Ty>,
    pointer: Width,
}

/// Names are told apart by what they are.
pub(crate) const VALUE: u8 = 0;
pub(crate) const ENTRY: u8 = 1;
pub(crate) const RETURNED: u8 = 2;

/// How wide the number of a sort is.
const SORT: Width = Width::W16;

impl<'w, 'p> Machine<'w, 'p> {
    pub(crate) fn new(
        whole: &'w mut Whole<'p>,
        function: FuncId,
        cell_type: Option<Ty>,
    ) -> Option<Machine<'w, 'p>> {
        let body = whole.program.functions.get(function)?.body.as_ref()?;
        let pointer = Width::new(whole.program.target.pointer_bits)?;
        let mut formulas = Formulas::new();
        let cell = formulas.terms.variable(pointer, None);
        let zero = formulas.terms.constant(pointer, 0);
        let facts = vec![formulas.terms.ne(cell, zero)];
        Some(Machine {
            whole,
            formulas,
            facts,
            function,
            body,
            values: BTreeMap::new(),
            named: BTreeMap::new(),
            opaque: BTreeMap::new(),
            results: Vec::new(),
            symbols: BTreeMap::new(),
            locations: Vec::new(),
            by_term: BTreeMap::new(),
            events: Vec::new(),
            known: BTreeMap::new(),
            reads: Vec::new(),
            sorts: vec![Sort::Other, Sort::Outside],
            pending: Vec::new(),
            holding: Vec::new(),
            cell,
            cell_type,
            pointer,
        })
    }

    /// Now.
    pub(crate) fn now(&self) -> Time {
        self.events.len()
    }

    fn width(&self, ty: Type) -> Width {
        Width::new(ty.bits(self.whole.program.target.pointer_bits))
            .filter(|width| width.bits() <= 64)
            .unwrap_or(Width::W64)
    }

    fn plain(&self, term: TermId, ty: Type, points: Points) -> Val {
        Val { term, ty, points, base: term, offset: 0, symbol: None }
    }

    pub(crate) fn unknown(&mut self, ty: Type, points: Points) -> Val {
        let width = self.width(ty);
        let term = self.formulas.terms.variable(width, None);
        let value = self.plain(term, ty, points);
        self.misses_by_type(value);
        value
    }

    /// Pointers that cannot be the beginning of the block, by what they are declared as or because they lead behind one.
    fn misses_by_type(&mut self, value: Val) {
        let other = match value.points {
            Points::Nothing => true,
            Points::In(ty, 0) => !self.whole.types.may_meet(Some(ty), self.cell_type),
            _ => false,
        };
        if value.ty == Type::Ptr && (other || value.offset > 0 || value.symbol.is_some()) {
            let apart = self.formulas.terms.ne(value.term, self.cell);
            self.facts.push(apart);
        }
    }

    fn symbol(&mut self, symbol: Symbol) -> Val {
        if let Some(&known) = self.symbols.get(&symbol) {
            return known;
        }
        let points = match symbol {
            Symbol::Local(function, value) => self.whole.types.local(function, value),
            Symbol::Global(global) => self.whole.types.global(global),
            Symbol::Function(_) => Points::Nothing,
            Symbol::Outside => Points::Anything,
        };
        let term = self.formulas.terms.variable(self.pointer, None);
        let value = Val { symbol: Some(symbol), ..self.plain(term, Type::Ptr, points) };
        let zero = self.formulas.terms.constant(self.pointer, 0);
        let some = self.formulas.terms.ne(term, zero);
        self.facts.push(some);
        for other in self.symbols.values() {
            let apart = self.formulas.terms.ne(term, other.term);
            self.facts.push(apart);
        }
        self.misses_by_type(value);
        self.symbols.insert(symbol, value);
        value
    }

    fn number(&mut self, bits: u64, ty: Type) -> Val {
        let width = self.width(ty);
        let term = self.formulas.terms.constant(width, width.mask(bits.into()));
        let value = self.plain(term, ty, Points::Nothing);
        self.misses_by_type(value);
        value
    }

    fn add(&mut self, base: Val, bytes: i64) -> Val {
        let offset = base.offset.wrapping_add(bytes);
        let by = self.formulas.terms.constant(self.pointer, self.pointer.mask(offset as i128 as u128));
        if self.formulas.terms.width(base.base) != self.pointer {
            return self.unknown(Type::Ptr, Points::Anything);
        }
        let term = self.formulas.terms.add(base.base, by);
        let value = Val { term, offset, points: base.points.shifted(bytes), ty: Type::Ptr, ..base };
        self.misses_by_type(value);
        value
    }

    fn index(&mut self, base: Val, index: Val, scale: i64) -> Val {
        let width = self.pointer;
        let terms = &mut self.formulas.terms;
        if let Some(bits) = terms.const_value(index.term) {
            return self.add(base, index.ty.signed(bits as u64).wrapping_mul(scale));
        }
        if terms.width(index.term).bits() > width.bits() || terms.width(base.term) != width {
            return self.unknown(Type::Ptr, Points::Anything);
        }
        let index = terms.sext(index.term, width);
        let scale = terms.constant(width, width.mask(scale as i128 as u128));
        let bytes = terms.mul(index, scale);
        let term = terms.add(base.term, bytes);
        Val { term, base: term, offset: 0, ..base }
    }

    fn binary(&mut self, op: BinaryOp, a: Val, b: Val) -> Val {
        let terms = &mut self.formulas.terms;
        if terms.width(a.term) != terms.width(b.term) {
            return self.unknown(a.ty, Points::Anything);
        }
        let term = match op {
            BinaryOp::Add => terms.add(a.term, b.term),
            BinaryOp::Sub => terms.sub(a.term, b.term),
            BinaryOp::And => terms.and(a.term, b.term),
            BinaryOp::Or => terms.or(a.term, b.term),
            BinaryOp::Xor => terms.xor(a.term, b.term),
            BinaryOp::Mul => terms.mul(a.term, b.term),
            _ => return self.opaque_operation((3, op as usize), &[a, b], a.ty),
        };
        self.plain(term, a.ty, Points::Anything)
    }

    fn compare(&mut self, op: CompareOp, a: Val, b: Val) -> Val {
        let terms = &mut self.formulas.terms;
        if terms.width(a.term) != terms.width(b.term) {
            return self.unknown(Type::BOOL, Points::Anything);
        }
        let (a, b) = (a.term, b.term);
        let term = match op {
            CompareOp::Eq => terms.eq(a, b),
            CompareOp::Ne => terms.ne(a, b),
            CompareOp::Ugt => terms.ult(b, a),
            CompareOp::Uge => terms.ule(b, a),
            CompareOp::Ult => terms.ult(a, b),
            CompareOp::Ule => terms.ule(a, b),
            CompareOp::Sgt => terms.slt(b, a),
            CompareOp::Sge => terms.sle(b, a),
            CompareOp::Slt => terms.slt(a, b),
            CompareOp::Sle => terms.sle(a, b),
        };
        self.plain(term, Type::BOOL, Points::Anything)
    }

    fn convert(&mut self, op: ConvertOp, a: Val, ty: Type) -> Val {
        let width = self.width(ty);
        let terms = &mut self.formulas.terms;
        let from = terms.width(a.term);
        let term = match op {
            ConvertOp::Truncate if from >= width => terms.truncate(a.term, width),
            ConvertOp::ZeroExtend if from <= width => terms.zext(a.term, width),
            ConvertOp::SignExtend if from <= width => terms.sext(a.term, width),
            ConvertOp::PtrToInt | ConvertOp::IntToPtr if from == width => a.term,
            _ => return self.opaque_operation((4, op as usize), &[a], ty),
        };
        self.plain(term, ty, Points::Anything)
    }

    /// The result of an operation that is not looked into: the same for the same operands.
    fn opaque_operation(&mut self, op: (u8, usize), operands: &[Val], ty: Type) -> Val {
        let mut number = op.1;
        for operand in operands {
            number = number.wrapping_mul(1 << 20).wrapping_add(operand.term.index() + 1);
        }
        // Numbers of terms are small; where they are not, results that are equal are merely not known to be.
        self.opaque_name((op.0, self.function, number), ty, Points::Anything)
    }

    fn opaque_name(&mut self, key: (u8, FuncId, usize), ty: Type, points: Points) -> Val {
        if let Some(&known) = self.opaque.get(&key) {
            return known;
        }
        let made = self.unknown(ty, points);
        self.opaque.insert(key, made);
        made
    }

    /// What an SSA value of the body is when so many instructions of the block have run.
    fn value(&mut self, value: ValueId, ran: usize) -> Val {
        let ty = self.body.values[value].ty;
        match &self.body.values[value].def {
            Def::Const(Const::Bits(bits)) => self.number(*bits, ty),
            Def::Const(Const::Global { global, offset }) => {
                let base = self.symbol(Symbol::Global(*global));
                self.add(base, *offset)
            }
            Def::Const(Const::Func(function)) => self.symbol(Symbol::Function(*function)),
            Def::Param(index) => self.entry(self.function, *index, ty),
            Def::Inst(inst) if matches!(self.body.insts[*inst].op, Op::Stack { .. }) => {
                self.symbol(Symbol::Local(self.function, value))
            }
            _ => match self.values.get(&value) {
                Some(&(since, known)) if since <= ran => known,
                _ => {
                    // Computations without memory are the same wherever they stand.
                    if let Def::Inst(inst) = &self.body.values[value].def
                        && !self.runs_here(*inst)
                        && let Some(made) = self.computed(*inst, ran)
                    {
                        return made;
                    }
                    let points = self.whole.types.points_of(self.function, self.body, value);
                    self.opaque_name((VALUE, self.function, value.index()), ty, points)
                }
            },
        }
    }

    fn runs_here(&self, inst: InstId) -> bool {
        self.body.insts[inst].result.is_some_and(|result| self.values.contains_key(&result))
    }

    fn entry(&mut self, function: FuncId, index: u32, ty: Type) -> Val {
        let key = (ENTRY, function, index as usize);
        if let Some(&known) = self.named.get(&key) {
            return known;
        }
        let points = self.whole.types.param(function, index);
        self.opaque_name(key, ty, points)
    }

    /// The result of an instruction that only computes.
    fn computed(&mut self, inst: InstId, ran: usize) -> Option<Val> {
        let body = self.body;
        let data = &body.insts[inst];
        let ty = body.ty(data.result?);
        Some(match &data.op {
            Op::Offset { base, bytes } => {
                let base = self.value(*base, ran);
                self.add(base, *bytes)
            }
            Op::Index { base, index, scale } => {
                let (base, index) = (self.value(*base, ran), self.value(*index, ran));
                self.index(base, index, *scale)
            }
            Op::Binary { op, lhs, rhs } => {
                let (a, b) = (self.value(*lhs, ran), self.value(*rhs, ran));
                self.binary(*op, a, b)
            }
            Op::Compare { op, lhs, rhs } => {
                let (a, b) = (self.value(*lhs, ran), self.value(*rhs, ran));
                self.compare(*op, a, b)
            }
            Op::Convert { op, value } => {
                let value = self.value(*value, ran);
                self.convert(*op, value, ty)
            }
            _ => return None,
        })
    }

    /// Runs the instructions of a block before a place; says how many that were.
    pub(crate) fn run(&mut self, block: BlockId, before: Option<InstId>) -> Option<usize> {
        let body = self.body;
        let insts = &body.blocks.get(block)?.insts;
        let end = match before {
            Some(inst) => insts.iter().position(|&known| known == inst)?,
            None => insts.len(),
        };
        for (ran, &inst) in insts[..end].iter().enumerate() {
            self.step(inst, ran);
        }
        Some(end)
    }

    /// Runs the instructions of a block from one position to another.
    pub(crate) fn run_on(&mut self, block: BlockId, from: usize, to: usize) {
        let body = self.body;
        for (ran, &inst) in body.blocks[block].insts.iter().enumerate().take(to).skip(from) {
            self.step(inst, ran);
        }
    }

    fn step(&mut self, inst: InstId, ran: usize) {
        let body = self.body;
        let data = &body.insts[inst];
        let made = match &data.op {
            Op::Load { addr, .. } => {
                let addr = self.value(*addr, ran);
                self.accessed(addr);
                data.result.map(|result| self.read(addr, body.ty(result), self.now()))
            }
            Op::Store { addr, value, .. } => {
                let (addr, value) = (self.value(*addr, ran), self.value(*value, ran));
                self.accessed(addr);
                let location = self.location(addr);
                self.events.push(Event::Write { location, ty: value.ty, value });
                None
            }
            Op::Phi { .. } => None,
            Op::Call(call) => {
                if self.changes_memory(direct_callee(body, call)) {
                    self.events.push(Event::Havoc);
                }
                data.result.map(|result| {
                    let points = self.whole.types.points_of(self.function, body, result);
                    let made = self.unknown(body.ty(result), points);
                    self.results.push(made);
                    made
                })
            }
            other => {
                if has_effect(other) {
                    self.events.push(Event::Unknown);
                }
                self.computed(inst, ran)
            }
        };
        if let (Some(result), Some(made)) = (data.result, made) {
            self.values.insert(result, (ran + 1, made));
        }
    }

    /// Whether a call may write memory. What acquires or releases a block writes none that anybody reads afterwards.
    fn changes_memory(&self, callee: Option<FuncId>) -> bool {
        let Some(callee) = callee else { return true };
        self.whole.program.functions[callee].body.is_some()
            || !self.whole.program.functions[callee].attrs.no_memory
                && !self.named.contains_key(&(QUIET, callee, 0))
    }

    /// Says that calls of a function write no memory.
    pub(crate) fn is_quiet(&mut self, callee: FuncId) {
        let value = self.number(0, Type::BOOL);
        self.named.insert((QUIET, callee, 0), value);
    }

    /// The program reads or writes here, so that there is something.
    fn accessed(&mut self, addr: Val) {
        if self.formulas.terms.width(addr.base) == self.pointer {
            let zero = self.formulas.terms.constant(self.pointer, 0);
            let some = self.formulas.terms.ne(addr.base, zero);
            self.facts.push(some);
        }
    }

    pub(crate) fn location(&mut self, addr: Val) -> usize {
        let sorts = self.sorts_of(addr);
        if let Sorts::One(sort) = sorts {
            self.sort_number(sort);
        }
        if let Sorts::Of(ty) = sorts {
            self.sort_number(Sort::Scalar(ty));
        }
        let index = match self.by_term.get(&addr.term.index()) {
            Some(&known) => known,
            None => {
                let sort = self.formulas.terms.variable(SORT, None);
                self.locations.push(Location { addr, sort, sorts: Vec::new() });
                self.by_term.insert(addr.term.index(), self.locations.len() - 1);
                self.locations.len() - 1
            }
        };
        if !self.locations[index].sorts.contains(&sorts) {
            self.locations[index].sorts.push(sorts);
        }
        index
    }

    pub(crate) fn sort_number(&mut self, sort: Sort) -> usize {
        match self.sorts.iter().position(|&known| known == sort) {
            Some(known) => known,
            None => {
                self.sorts.push(sort);
                self.sorts.len() - 1
            }
        }
    }

    fn sorts_of(&mut self, addr: Val) -> Sorts {
        match addr.symbol {
            Some(Symbol::Function(_)) => Sorts::None,
            Some(Symbol::Outside) => Sorts::One(Sort::Outside),
            Some(symbol @ Symbol::Local(function, value)) if !self.whole.taken.contains(&symbol) => {
                let (at, ty) = self.whole.part(symbol, addr.points, addr.offset);
                Sorts::One(Sort::Local(function, value, at, ty))
            }
            Some(symbol @ Symbol::Global(global)) if !self.whole.taken.contains(&symbol) => {
                let (at, ty) = self.whole.part(symbol, addr.points, addr.offset);
                Sorts::One(Sort::Global(global, at, ty))
            }
            symbol => match self.whole.types.sorts(addr.points) {
                // A variable that is no record is in none.
                Sorts::Of(ty) if symbol.is_some() => Sorts::One(Sort::Scalar(ty)),
                sorts => sorts,
            },
        }
    }

    /// The sorts that a location may be of are those of all its addresses.
    fn may_be(&self, location: usize, sort: Sort) -> bool {
        self.locations[location].sorts.iter().all(|&sorts| match (sorts, sort) {
            (Sorts::All, _) => true,
            (Sorts::None, _) => false,
            (Sorts::Reachable, sort) => !sort.is_own(),
            (Sorts::One(one), sort) => one == sort,
            (Sorts::Of(ty), Sort::Scalar(of) | Sort::Member(_, _, Some(of))) => ty == of,
            // In a union, it is not known what is there.
            (Sorts::Of(_), Sort::Member(_, _, None)) => true,
            (Sorts::Of(_), _) => false,
        })
    }

    /// Whether two accesses are surely the same (`Some(true)`), surely not, or perhaps.
    fn overlap(&self, a: (usize, Type), b: (usize, Type)) -> Option<bool> {
        let (one, other) = (&self.locations[a.0].addr, &self.locations[b.0].addr);
        let bytes = |ty: Type| ty.store_bytes(self.whole.program.target.pointer_bits).max(1) as i64;
        if one.base == other.base {
            if one.offset == other.offset {
                return (a.1 == b.1).then_some(true);
            }
            let apart = one.offset + bytes(a.1) <= other.offset || other.offset + bytes(b.1) <= one.offset;
            return apart.then_some(false);
        }
        if one.symbol.is_some() && other.symbol.is_some() && one.symbol != other.symbol {
            return Some(false);
        }
        let meet = self.sorts.iter().any(|&sort| self.may_be(a.0, sort) && self.may_be(b.0, sort));
        if meet { None } else { Some(false) }
    }

    /// What is at an address at a time.
    pub(crate) fn read(&mut self, addr: Val, ty: Type, time: Time) -> Val {
        let points = if ty == Type::Ptr { self.whole.types.behind(addr.points) } else { Points::Anything };
        let location = self.location(addr);
        let value = self.read_at(location, ty, time);
        if value.points == Points::Anything || self.formulas.terms.const_value(value.term).is_none() {
            let value =
                Val { points: if points == Points::Anything { value.points } else { points }, ..value };
            self.misses_by_type(value);
            return value;
        }
        value
    }

    fn read_at(&mut self, location: usize, ty: Type, time: Time) -> Val {
        if let Some(&known) = self.known.get(&(location, ty, time)) {
            return known;
        }
        let value = self.find(location, ty, time);
        self.known.insert((location, ty, time), value);
        value
    }

    fn find(&mut self, location: usize, ty: Type, time: Time) -> Val {
        let Some(last) = time.checked_sub(1) else { return self.first(0, location, ty) };
        match &self.events[last] {
            Event::Unknown => self.first(time, location, ty),
            Event::Havoc => {
                let sorts = &self.locations[location].sorts;
                if sorts.iter().any(|sorts| matches!(sorts, Sorts::One(Sort::Local(..)))) {
                    return self.read_at(location, ty, last);
                }
                let changed = self.first(time, location, ty);
                if !sorts_all(&self.locations[location].sorts) {
                    return changed;
                }
                // It may be a variable that nobody else sees.
                let kept = self.read_at(location, ty, last);
                let own = self.own(location);
                let term = self.formulas.terms.ite(own, kept.term, changed.term);
                self.plain(term, ty, Points::Anything)
            }
            Event::Write { location: to, ty: written, value } => {
                let (to, written, value) = (*to, *written, *value);
                match self.overlap((location, ty), (to, written)) {
                    Some(true) => value,
                    Some(false) => self.read_at(location, ty, last),
                    None => {
                        let (one, other) = (&self.locations[location].addr, &self.locations[to].addr);
                        if one.base == other.base && one.offset != other.offset {
                            // A part of it is written.
                            return self.unknown(ty, Points::Anything);
                        }
                        let old = self.read_at(location, ty, last);
                        let terms = &mut self.formulas.terms;
                        if ty == written && terms.width(old.term) == terms.width(value.term) {
                            let (a, b) = (self.locations[location].addr.term, self.locations[to].addr.term);
                            let same = terms.eq(a, b);
                            let term = terms.ite(same, value.term, old.term);
                            return self.plain(term, ty, Points::Anything);
                        }
                        // Something of another width lies over it, if it is of the same sort.
                        let other = self.unknown(ty, Points::Anything);
                        let (a, b) = (self.locations[location].sort, self.locations[to].sort);
                        let same = self.formulas.terms.eq(a, b);
                        let term = self.formulas.terms.ite(same, other.term, old.term);
                        self.plain(term, ty, Points::Anything)
                    }
                }
            }
        }
    }

    /// The unknown contents of a location since a time.
    fn first(&mut self, since: Time, location: usize, ty: Type) -> Val {
        let known = self.reads.iter().find(|read| (read.0, read.1, read.2) == (since, location, ty));
        if let Some(known) = known {
            return known.3;
        }
        let points = match ty {
            Type::Ptr => self.whole.types.behind(self.locations[location].addr.points),
            _ => Points::Anything,
        };
        let value = self.unknown(ty, points);
        self.reads.push((since, location, ty, value));
        value
    }

    /// The value of an expression of a fact at a time, when so many instructions have run.
    pub(crate) fn eval(&mut self, expr: &Expr, time: Time, ran: usize) -> Val {
        match expr {
            Expr::Number(bits, ty) => self.number(*bits, *ty),
            Expr::Local(function, value) => self.symbol(Symbol::Local(*function, *value)),
            Expr::Global(global) => self.symbol(Symbol::Global(*global)),
            Expr::Function(function) => self.symbol(Symbol::Function(*function)),
            Expr::Outside => self.symbol(Symbol::Outside),
            Expr::Entry(function, index) => {
                let params = self.whole.program.functions.get(*function).map(|data| &data.params);
                let ty = params.and_then(|params| params.get(*index as usize)).map_or(Type::Ptr, |p| p.ty);
                self.entry(*function, *index, ty)
            }
            Expr::Returned(function) => {
                let key = (RETURNED, *function, 0);
                if let Some(&known) = self.named.get(&key) {
                    return known;
                }
                let data = self.whole.program.functions.get(*function);
                let ty = data.map_or(Type::Ptr, |data| data.result);
                let result = self.whole.types.result(*function);
                let points = self.whole.types.pointee(result);
                self.opaque_name(key, ty, points)
            }
            Expr::Value(function, value) => {
                let key = (VALUE, *function, value.index());
                if let Some(&known) = self.named.get(&key) {
                    return known;
                }
                if *function == self.function
                    && let Some(&(since, known)) = self.values.get(value)
                    && since <= ran
                {
                    return known;
                }
                let body = self.whole.program.functions.get(*function).and_then(|data| data.body.as_ref());
                let (ty, points) = match body {
                    Some(body) if body.values.get(*value).is_some() => {
                        (body.ty(*value), self.whole.types.points_of(*function, body, *value))
                    }
                    _ => (Type::Ptr, Points::Anything),
                };
                self.opaque_name(key, ty, points)
            }
            Expr::Load(ty, addr) => {
                let addr = self.eval(addr, time, ran);
                if self.formulas.terms.width(addr.term) != self.pointer {
                    return self.unknown(*ty, Points::Anything);
                }
                self.read(addr, *ty, time)
            }
            Expr::Add(base, bytes) => {
                let base = self.eval(base, time, ran);
                self.add(base, *bytes)
            }
            Expr::Index(base, index, scale) => {
                let (base, index) = (self.eval(base, time, ran), self.eval(index, time, ran));
                self.index(base, index, *scale)
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.eval(a, time, ran), self.eval(b, time, ran));
                self.binary(*op, a, b)
            }
            Expr::Compare(op, a, b) => {
                let (a, b) = (self.eval(a, time, ran), self.eval(b, time, ran));
                self.compare(*op, a, b)
            }
            Expr::Convert(op, a, ty) => {
                let a = self.eval(a, time, ran);
                self.convert(*op, a, *ty)
            }
        }
    }

    /// The value of an SSA value when so many instructions have run.
    pub(crate) fn operand(&mut self, value: ValueId, ran: usize) -> Val {
        self.value(value, ran)
    }

    /// A truth that is true when a location is in a region.
    pub(crate) fn is_in(&mut self, location: usize, region: Region) -> TermId {
        if let Region::Local(function, value, offset) = region {
            let symbol = self.symbol(Symbol::Local(function, value));
            let points = symbol.points.shifted(offset);
            let (at, ty) = self.whole.part(Symbol::Local(function, value), points, offset);
            self.sort_number(Sort::Local(function, value, at, ty));
        }
        if let Region::Global(global, offset) = region {
            let symbol = self.symbol(Symbol::Global(global));
            let points = symbol.points.shifted(offset);
            let (at, ty) = self.whole.part(Symbol::Global(global), points, offset);
            self.sort_number(Sort::Global(global, at, ty));
        }
        let truth = self.formulas.terms.variable(Width::BOOL, None);
        self.pending.push((truth, location, region));
        truth
    }

    /// A truth that is true when a location is in a variable that no other function changes.
    fn own(&mut self, location: usize) -> TermId {
        let shared = self.is_in(location, Region::Shared);
        self.formulas.terms.not(shared)
    }

    /// A truth that is true when a location may refer to the block as it is declared.
    pub(crate) fn may_hold(&mut self, location: usize) -> TermId {
        let truth = self.formulas.terms.variable(Width::BOOL, None);
        self.holding.push((truth, location));
        truth
    }

    /// A location of which nothing is known.
    pub(crate) fn anywhere(&mut self) -> usize {
        let term = self.formulas.terms.variable(self.pointer, None);
        let addr = self.plain(term, Type::Ptr, Points::Anything);
        let sort = self.formulas.terms.variable(SORT, None);
        self.locations.push(Location { addr, sort, sorts: vec![Sorts::All] });
        self.by_term.insert(term.index(), self.locations.len() - 1);
        self.locations.len() - 1
    }

    /// The pointer at a location at a time.
    pub(crate) fn pointer_at(&mut self, location: usize, time: Time) -> TermId {
        self.read_at(location, Type::Ptr, time).term
    }

    /// A value is the address of the block.
    pub(crate) fn is_cell(&mut self, value: TermId) -> TermId {
        match self.formulas.terms.width(value) == self.pointer {
            true => self.formulas.terms.eq(value, self.cell),
            false => TermId::truth(false),
        }
    }

    pub(crate) fn is_not_zero(&mut self, value: TermId) -> TermId {
        let width = self.formulas.terms.width(value);
        let zero = self.formulas.terms.constant(width, 0);
        self.formulas.terms.ne(value, zero)
    }

    /// A value is a number.
    pub(crate) fn equals(&mut self, value: Val, number: i64) {
        let width = self.formulas.terms.width(value.term);
        let number = self.formulas.terms.constant(width, width.mask(number as i128 as u128));
        let same = self.formulas.terms.eq(value.term, number);
        self.facts.push(same);
    }

    /// How far one address is behind another.
    pub(crate) fn distance(&self, from: Val, to: Val) -> Option<i64> {
        (from.base == to.base).then(|| to.offset.wrapping_sub(from.offset)).filter(|&bytes| bytes >= 0)
    }

    pub(crate) fn shifted(&mut self, base: Val, bytes: i64) -> Val {
        self.add(base, bytes)
    }

    /// Where the pointers in a block are, and of what sort; none when that is not known.
    pub(crate) fn parts(&mut self, block: Val) -> Option<Vec<(TermId, usize)>> {
        let parts = self.whole.types.parts(block.points)?;
        let made = parts.into_iter().map(|(offset, sort)| {
            let number = self.sort_number(sort);
            (self.add(block, offset).term, number)
        });
        Some(made.collect())
    }

    /// The same of a block that is released, if it is known to hold one record.
    pub(crate) fn released_parts(&mut self, block: Val) -> Option<Vec<(TermId, usize)>> {
        if self.whole.types.is_record(block.points) { self.parts(block) } else { None }
    }

    /// A location is one of such parts.
    pub(crate) fn is_one_of(&mut self, location: usize, parts: &[(TermId, usize)]) -> TermId {
        let mut cases = Vec::new();
        for &(addr, sort) in parts {
            let number = self.formulas.terms.constant(SORT, sort as u128);
            let terms = &mut self.formulas.terms;
            let same = terms.eq(self.locations[location].addr.term, addr);
            let sort = terms.eq(self.locations[location].sort, number);
            cases.push(terms.and(same, sort));
        }
        self.formulas.terms.or_all(cases)
    }

    pub(crate) fn address(&self, location: usize) -> TermId {
        self.locations[location].addr.term
    }

    pub(crate) fn base(&self, location: usize) -> TermId {
        self.locations[location].addr.base
    }

    pub(crate) fn locations(&self) -> usize {
        self.locations.len()
    }

    /// Whether a location is in variables of a function, which are gone outside of it.
    pub(crate) fn is_local(&mut self, location: usize, function: FuncId) -> TermId {
        let mut cases = Vec::new();
        let sort = self.locations[location].sort;
        let Some(body) = self.whole.program.functions[function].body.as_ref() else {
            return TermId::truth(false);
        };
        for (number, known) in self.sorts.iter().enumerate() {
            if matches!(known, Sort::Local(of, ..) if *of == function) {
                let number = self.formulas.terms.constant(SORT, number as u128);
                cases.push(self.formulas.terms.eq(sort, number));
            }
        }
        for inst in body.insts.values() {
            let (Op::Stack { bytes, .. }, Some(value)) = (&inst.op, inst.result) else { continue };
            let symbol = Symbol::Local(function, value);
            if self.whole.taken.contains(&symbol) {
                let base = self.symbol(symbol);
                cases.push(match self.parts(base) {
                    Some(parts) => self.is_one_of(location, &parts),
                    None => {
                        let size = self.formulas.terms.constant(self.pointer, u128::from(*bytes));
                        let inside = self.formulas.terms.sub(self.locations[location].addr.term, base.term);
                        self.formulas.terms.ult(inside, size)
                    }
                });
            }
        }
        self.formulas.terms.or_all(cases)
    }

    /// Every pointer that was there before an address was new: none of them is that address. What is read from the new block
    /// is no reference.
    pub(crate) fn is_new(&mut self, made: Val) {
        let zero = self.formulas.terms.constant(self.pointer, 0);
        let some = self.formulas.terms.ne(made.term, zero);
        self.facts.push(some);
        let mut old: Vec<TermId> = self.symbols.values().map(|value| value.term).collect();
        old.extend(self.results.iter().filter(|value| value.ty == Type::Ptr).map(|value| value.term));
        old.extend(self.opaque.values().filter(|value| value.ty == Type::Ptr).map(|value| value.term));
        for (_, location, ty, value) in &self.reads {
            if *ty != Type::Ptr {
                continue;
            }
            if self.locations[*location].addr.base == made.base {
                if !self.whole.assumed.contains("fresh-memory") {
                    continue;
                }
                let empty = self.formulas.terms.ne(value.term, self.cell);
                self.facts.push(empty);
            } else {
                old.push(value.term);
            }
        }
        for value in old.into_iter().filter(|&value| value != made.term) {
            let apart = self.formulas.terms.ne(value, made.term);
            self.facts.push(apart);
        }
    }

    /// Nothing that is read from variables of a function refers to the block: they are not there yet.
    pub(crate) fn has_no_variables(&mut self, function: FuncId) {
        let own = |symbol: Option<Symbol>| matches!(symbol, Some(Symbol::Local(of, _)) if of == function);
        let reads = self.reads.iter().filter(|read| own(self.locations[read.1].addr.symbol));
        let values: Vec<TermId> = reads.filter(|read| read.2 == Type::Ptr).map(|read| read.3.term).collect();
        for value in values {
            let empty = self.formulas.terms.ne(value, self.cell);
            self.facts.push(empty);
        }
    }
}

fn sorts_all(sorts: &[Sorts]) -> bool {
    sorts.iter().all(|&sorts| sorts == Sorts::All)
}

const QUIET: u8 = 5;
