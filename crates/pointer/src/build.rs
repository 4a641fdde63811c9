//! Constraints from a program: one pass over all instructions.
//!
//! Values that can carry an address get a node: pointers, numbers as wide as a pointer, and aggregates. A conversion
//! that keeps the address shares the node of its operand. An address that arithmetic on integers has touched is taken
//! to be what it was. Numbers narrower than a pointer carry nothing.

use crate::graph::{CallId, ClassId, Graph, NodeId, Rule};
use crate::layout::{Kind, TypeRef};
use crate::object::{ObjectId, Origin};
use crate::typing::Typing;
use crate::wrapper::wrappers;
use rustc_hash::{FxHashMap, FxHashSet};
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{
    BinaryOp, Body, Callee, Const, ConvertOp, Def, FuncId, GlobalId, Id, InstId, Op, Program, Symbol, Table,
    Terminator, Type, ValueId,
};
use watertight_summary::model::Models;

/// The pointers that make up a `va_list` on any machine.
const LONGEST_LIST: i64 = 3;

/// A call with the nodes of its operands.
#[derive(Clone, Debug)]
pub struct CallData {
    pub caller: FuncId,
    pub inst: InstId,
    pub args: Vec<Option<NodeId>>,
    pub result: Option<NodeId>,
    pub targets: Vec<FuncId>,
    /// A model makes this call, with these arguments; it has no instruction of its own.
    pub by_model: bool,
    /// How many models stand between this call and an instruction.
    pub(crate) depth: u8,
    /// What the source says that the result points to.
    pub(crate) pointee: Option<TypeRef>,
    /// What the source says that the pointer to the function points to.
    pub(crate) prototype: Option<TypeRef>,
    /// The prototype of the call does not say how many arguments there are.
    pub(crate) loose: bool,
}

/// The graph while it grows, and what it is made from.
pub(crate) struct Builder<'a, 'm> {
    pub(crate) program: &'a Program,
    pub(crate) models: &'m Models,
    pub(crate) graph: Graph<'a>,
    /// The node of each value that has one, by function.
    pub(crate) values: Table<FuncId, Vec<Option<NodeId>>>,
    /// What values point to by their declaration, where that is a record.
    classes: Table<FuncId, Vec<Option<ClassId>>>,
    /// Numbers that may be addresses.
    words: Table<FuncId, Vec<bool>>,
    pub(crate) results: Table<FuncId, Option<NodeId>>,
    pub(crate) calls: Table<CallId, CallData>,
    pub(crate) linked: FxHashSet<(CallId, FuncId)>,
    /// Nodes of which is said that whatever they hold is called with what they hold.
    pub(crate) handed: FxHashSet<NodeId>,
    /// Functions that something in the program calls.
    pub(crate) is_called: Table<FuncId, bool>,
    /// Functions that get arguments from outside.
    pub(crate) is_entry: Table<FuncId, bool>,
    /// Nodes of addresses that are known from the start.
    addresses: FxHashMap<(ObjectId, i64), NodeId>,
    pub(crate) wrappers: Table<FuncId, bool>,
    /// Nodes that are the same by how they come about: moves and loads of the same node by the same class.
    same: FxHashMap<(NodeId, Derived, Option<ClassId>), NodeId>,
    /// The same, for addresses that no other depends on.
    late: FxHashMap<(NodeId, Derived, Option<ClassId>), NodeId>,
    /// Those in order: from where they move, and how.
    pub(crate) later: Vec<(NodeId, Rule)>,
    /// Loads and stores of addresses.
    pub(crate) loads: usize,
    pub(crate) stores: usize,
    /// Values that others depend on, by function.
    needed: Table<FuncId, Vec<bool>>,
}

/// How a node comes about from another one.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
enum Derived {
    Shift(i64),
    Stride(u32),
    Load,
    /// All that is stored through the other.
    Stored,
}

impl<'a, 'm> Builder<'a, 'm> {
    pub(crate) fn new(program: &'a Program, models: &'m Models) -> Builder<'a, 'm> {
        let count = program.functions.len();
        let size = |body: &Body| body.values.len();
        let values = program
            .functions
            .values()
            .map(|function| vec![None; function.body.as_ref().map_or(0, size)])
            .collect();
        let mut builder = Builder {
            program,
            models,
            graph: Graph::new(program),
            values,
            classes: Table::filled(count, Vec::new()),
            words: Table::filled(count, Vec::new()),
            results: Table::filled(count, None),
            calls: Table::new(),
            linked: FxHashSet::default(),
            handed: FxHashSet::default(),
            is_called: Table::filled(count, false),
            is_entry: Table::filled(count, false),
            addresses: FxHashMap::default(),
            wrappers: wrappers(program, models),
            same: FxHashMap::default(),
            late: FxHashMap::default(),
            later: Vec::new(),
            loads: 0,
            stores: 0,
            needed: Table::filled(count, Vec::new()),
        };
        builder.globals();
        let mut pointees = Table::filled(count, FxHashMap::default());
        for id in program.functions.ids() {
            pointees[id] = builder.declare(id);
        }
        for (id, function) in program.functions.iter() {
            if let Some(body) = &function.body {
                builder.body(id, body, &pointees[id]);
            }
        }
        builder.entries();
        crate::walk::walks_are_strides(&mut builder.graph);
        builder
    }

    pub(crate) fn pointer_bytes(&self) -> u32 {
        self.program.target.pointer_bits / 8
    }

    /// Whether a value can carry an address.
    fn carries(&self, ty: Type) -> bool {
        match ty {
            Type::Ptr | Type::Agg(_) => true,
            Type::Int(bits) => bits >= self.program.target.pointer_bits,
            Type::Void | Type::Float(_) => false,
        }
    }

    fn can_carry(&self, function: FuncId, body: &Body, value: ValueId) -> bool {
        match body.ty(value) {
            Type::Int(_) => self.words[function].get(value.index()).copied().unwrap_or(false),
            ty => self.carries(ty),
        }
    }

    /// The node of a value, if it can carry an address.
    pub(crate) fn value(&mut self, function: FuncId, body: &Body, value: ValueId) -> Option<NodeId> {
        if let Some(node) = self.values[function][value.index()] {
            return Some(node);
        }
        if !self.can_carry(function, body, value) {
            return None;
        }
        let node = match &body.values[value].def {
            Def::Const(Const::Global { global, offset }) => {
                let object = self.global(*global);
                self.address(object, *offset)
            }
            Def::Const(Const::Func(function)) => {
                let object = self.function(*function);
                self.address(object, 0)
            }
            Def::Const(_) => return None,
            Def::Param(_) | Def::Inst(_) => {
                let class = self.classes[function].get(value.index()).copied().flatten();
                self.graph.node_of(class)
            }
        };
        self.values[function][value.index()] = Some(node);
        Some(node)
    }

    /// The node that points to one place.
    pub(crate) fn address(&mut self, object: ObjectId, offset: i64) -> NodeId {
        if let Some(&node) = self.addresses.get(&(object, offset)) {
            return node;
        }
        let node = self.graph.node();
        if let Some(location) = self.graph.memory.at(object, offset) {
            self.graph.insert(node, location);
        }
        self.addresses.insert((object, offset), node);
        node
    }

    pub(crate) fn function(&mut self, function: FuncId) -> ObjectId {
        self.graph.memory.object(Origin::Function(function), None, None, false)
    }

    pub(crate) fn global(&mut self, global: GlobalId) -> ObjectId {
        let data = &self.program.globals[global];
        if data.constant && data.image.as_ref().is_some_and(|image| image.relocations.is_empty()) {
            return self.graph.memory.object(Origin::Constants, None, None, false);
        }
        let bytes = data.image.is_some().then_some(data.bytes);
        let ty = self.graph.memory.layouts.of(data.unit, data.debug_type);
        self.graph.memory.object(Origin::Global(global), ty, bytes, false)
    }

    /// First contents of globals.
    fn globals(&mut self) {
        for (id, global) in self.program.globals.iter() {
            for relocation in global.image.iter().flat_map(|image| &image.relocations) {
                let (target, offset) = match relocation.target {
                    Symbol::Func(function) => (self.function(function), 0),
                    Symbol::Global(target) => (self.global(target), relocation.addend),
                    Symbol::Label(..) => continue,
                };
                let object = self.global(id);
                let place = i64::try_from(relocation.offset).ok();
                let cell = place.and_then(|offset| self.graph.memory.at(object, offset));
                if let (Some(cell), Some(target)) = (cell, self.graph.memory.at(target, offset))
                    && let Some(cell) = self.graph.cell(cell)
                {
                    self.graph.insert(cell, target);
                }
            }
        }
    }

    fn body(&mut self, function: FuncId, body: &Body, pointees: &FxHashMap<ValueId, TypeRef>) {
        for (index, param) in self.program.functions[function].params.iter().enumerate() {
            // The callee sees a copy of what is passed by value.
            if param.by_value.is_some()
                && let Some(node) = self.value(function, body, ValueId::new(index))
            {
                let origin = Origin::Parameter(function, index as u32);
                let object = self.graph.memory.object(origin, None, param.by_value, false);
                if let Some(start) = self.graph.memory.at(object, 0) {
                    self.graph.insert(node, start);
                }
            }
        }
        for block in body.blocks.values() {
            for &inst in &block.insts {
                match (&body.insts[inst].op, body.insts[inst].result) {
                    (Op::Call(call), result) => {
                        self.call(function, body, inst, call, result, pointees);
                    }
                    (Op::Stack { bytes, count, .. }, Some(result)) => {
                        let bytes = count.is_none().then_some(*bytes);
                        let ty = pointees.get(&result).copied().filter(|_| bytes.is_some());
                        let object =
                            self.graph.memory.object(Origin::Stack(function, inst), ty, bytes, false);
                        let node = self.address(object, 0);
                        match self.values[function][result.index()] {
                            Some(known) => self.graph.flow(node, known),
                            None => self.values[function][result.index()] = Some(node),
                        }
                    }
                    _ => self.inst(function, body, inst),
                }
            }
            if let Terminator::Return(Some(value)) = block.term
                && let Some(value) = self.value(function, body, value)
            {
                let result = self.result(function);
                self.graph.flow(value, result);
            }
        }
    }

    /// What the source declares about the values of a function: classes of pointers, casts between them; and what
    /// results of calls and objects on the stack are.
    fn declare(&mut self, id: FuncId) -> FxHashMap<ValueId, TypeRef> {
        let program = self.program;
        let function = &program.functions[id];
        let mut pointees = FxHashMap::default();
        let Some(body) = &function.body else { return pointees };
        let mut typing = Typing::new(program, &self.graph.memory.layouts, function, body);
        let mut classes = vec![None; body.values.len()];
        for (value, data) in body.values.iter() {
            if data.ty != Type::Ptr || matches!(data.def, Def::Const(_)) {
                continue;
            }
            let layouts = &self.graph.memory.layouts;
            if let Some(Op::Stack { .. }) = body.def_op(value) {
                if let Some(home) = typing.home(value) {
                    pointees.insert(value, home);
                }
                continue;
            }
            let Some(pointee) = typing.pointee(layouts, value) else { continue };
            if let Some(Op::Call(_)) = body.def_op(value) {
                pointees.insert(value, pointee);
            }
            let trusted = typing.trusted(&self.graph.memory.layouts, value);
            classes[value.index()] = self.graph.class(trusted);
        }
        let own = self.graph.memory.layouts.result(function);
        for block in body.blocks.values() {
            for &inst in &block.insts {
                let layouts = &self.graph.memory.layouts;
                match &body.insts[inst].op {
                    Op::Name { variable, value } => {
                        let to = layouts.pointee(function.unit, body.variables[*variable].ty);
                        let from = typing.source(layouts, *value);
                        self.cast(from, to);
                    }
                    Op::Store { addr, value, .. } if body.ty(*value) == Type::Ptr => {
                        let around = typing.pointee(layouts, *addr);
                        let to = around.and_then(|around| layouts.pointer_in(around, 0));
                        let from = typing.pointee(layouts, *value);
                        if let Some(to) = to
                            && let Some(Op::Call(_)) = body.def_op(*value)
                        {
                            pointees.entry(*value).or_insert(to);
                        }
                        self.cast(from, to);
                    }
                    Op::Call(call) => {
                        let Some(callee) = direct_callee(body, call) else {
                            if let Callee::Pointer(pointer) = call.callee
                                && let Some(prototype) = typing.pointee(layouts, pointer)
                            {
                                pointees.entry(pointer).or_insert(prototype);
                            }
                            continue;
                        };
                        for (index, &arg) in call.args.iter().enumerate() {
                            let layouts = &self.graph.memory.layouts;
                            let to = layouts.parameter(&program.functions[callee], index);
                            let from = typing.pointee(layouts, arg);
                            self.cast(from, to);
                        }
                    }
                    Op::Phi { incoming } => {
                        let Some(result) = body.insts[inst].result else { continue };
                        let to = typing.pointee(layouts, result);
                        for entry in incoming {
                            let from = typing.pointee(&self.graph.memory.layouts, entry.1);
                            if let Some(to) = to
                                && let Some(Op::Call(_)) = body.def_op(entry.1)
                            {
                                pointees.entry(entry.1).or_insert(to);
                            }
                            self.cast(from, to);
                        }
                    }
                    _ => {}
                }
            }
            if let Terminator::Return(Some(value)) = block.term {
                let from = typing.pointee(&self.graph.memory.layouts, value);
                if let Some(own) = own
                    && let Some(Op::Call(_)) = body.def_op(value)
                {
                    pointees.entry(value).or_insert(own);
                }
                self.cast(from, own);
            }
        }
        self.classes[id] = classes;
        self.words[id] = crate::word::words(body, program.target.pointer_bits);
        self.needed[id] = crate::needed::needed(body, &|value| self.can_carry(id, body, value));
        pointees
    }

    /// A pointer to one type is assigned to a pointer to another.
    fn cast(&mut self, from: Option<TypeRef>, to: Option<TypeRef>) {
        let (Some(one), Some(other)) = (self.graph.class(from), self.graph.class(to)) else { return };
        if one == other || !self.graph.masks.relate(one, other) {
            return;
        }
        // What a pointer in memory holds is then seen as what the other one holds, and the other way around.
        let inside = |ty: Option<TypeRef>| {
            let ty = ty?;
            self.graph.memory.layouts.pointee(ty.unit, Some(ty.ty))
        };
        let (from, to) = (inside(from), inside(to));
        self.cast(from, to);
        self.cast(to, from);
    }

    pub(crate) fn result(&mut self, function: FuncId) -> NodeId {
        if let Some(node) = self.results[function] {
            return node;
        }
        let pointee = self.graph.memory.layouts.result(&self.program.functions[function]);
        let class = self.graph.class(pointee);
        let node = self.graph.node_of(class);
        self.results[function] = Some(node);
        node
    }

    /// The offsets at which a value of a type holds addresses in memory.
    fn parts(&self, ty: Type) -> Vec<i64> {
        let step = self.pointer_bytes();
        match ty {
            Type::Agg(aggregate) => {
                let parts = self.program.aggregates[aggregate].parts.iter();
                parts.filter(|part| self.carries(part.1)).map(|part| part.0 as i64).collect()
            }
            Type::Int(bits) => (0..(bits / 8 / step).max(1)).map(|word| i64::from(word * step)).collect(),
            _ => vec![0],
        }
    }

    fn access(&mut self, addr: NodeId, ty: Type, rule: Rule) {
        for offset in self.parts(ty) {
            let place = match offset {
                0 => addr,
                _ => {
                    let place = self.graph.node();
                    self.rule(addr, Rule::Shift(place, offset));
                    place
                }
            };
            self.rule(place, rule);
        }
    }

    fn load(&mut self, function: FuncId, body: &Body, addr: ValueId, result: Option<ValueId>) {
        if let Some(result) = result
            && self.can_carry(function, body, result)
            && let Some(addr) = self.value(function, body, addr)
        {
            self.loads += 1;
            if body.ty(result) == Type::Ptr {
                return self.derive(function, body, addr, Derived::Load, result);
            }
            if let Some(to) = self.value(function, body, result) {
                self.access(addr, body.ty(result), Rule::Load(to));
            }
        }
    }

    /// A value is a move of another, or a load through it. Order does not matter here, so those of one node are one.
    fn derive(&mut self, function: FuncId, body: &Body, from: NodeId, how: Derived, result: ValueId) {
        let from = self.graph.find(from);
        let class = self.classes[function].get(result.index()).copied().flatten();
        let key = (from, how, class);
        let late = how != Derived::Load && !self.needed[function][result.index()];
        let known = self.same.get(&key).or_else(|| self.late.get(&key).filter(|_| late)).copied();
        let node = match (known, self.values[function][result.index()]) {
            (Some(known), Some(used)) => return self.graph.flow(known, used),
            (Some(known), None) => {
                self.values[function][result.index()] = Some(known);
                return;
            }
            (None, Some(used)) => used,
            (None, None) => match self.value(function, body, result) {
                Some(node) => node,
                None => return,
            },
        };
        let rule = match how {
            Derived::Shift(bytes) => Rule::Shift(node, bytes),
            Derived::Stride(stride) => Rule::Stride(node, stride),
            Derived::Load => Rule::Load(node),
            Derived::Stored => Rule::Store(node),
        };
        if late {
            self.late.insert(key, node);
            self.later.push((from, rule));
            return;
        }
        self.same.insert(key, node);
        self.rule(from, rule);
    }

    fn store(&mut self, function: FuncId, body: &Body, addr: ValueId, value: ValueId) {
        if let Some(from) = self.value(function, body, value)
            && let Some(addr) = self.value(function, body, addr)
        {
            self.stores += 1;
            if body.ty(value) == Type::Ptr {
                return self.store_at(addr, from);
            }
            self.access(addr, body.ty(value), Rule::Store(from));
        }
    }

    /// What is stored through a node meets in one other node, so that each place it points to has one inclusion.
    fn store_at(&mut self, addr: NodeId, from: NodeId) {
        let addr = self.graph.find(addr);
        let class = self.graph.classes[from];
        let key = (addr, Derived::Stored, class);
        if let Some(&all) = self.same.get(&key) {
            return self.graph.flow(from, all);
        }
        let all = self.graph.node_of(class);
        self.graph.flow(from, all);
        self.same.insert(key, all);
        self.rule(addr, Rule::Store(all));
    }

    fn inst(&mut self, function: FuncId, body: &Body, id: InstId) {
        let inst = &body.insts[id];
        match &inst.op {
            Op::Store { addr, value, .. } => return self.store(function, body, *addr, *value),
            Op::MemCopy { dst, src, len, .. } => {
                let few = body.bits(*len).is_some_and(|bytes| bytes < u64::from(self.pointer_bytes()));
                if !few
                    && let Some(to) = self.value(function, body, *dst)
                    && let Some(from) = self.value(function, body, *src)
                {
                    self.transfer(from, to, body.bits(*len));
                }
                return;
            }
            Op::VaStart { list } => {
                if let Some(list) = self.value(function, body, *list) {
                    self.rest(function, list);
                }
                return;
            }
            Op::VaCopy { dst, src } => {
                if let Some(to) = self.value(function, body, *dst)
                    && let Some(from) = self.value(function, body, *src)
                {
                    self.transfer(from, to, None);
                }
                return;
            }
            Op::Load { addr, .. } | Op::VaArg { list: addr } => {
                return self.load(function, body, *addr, inst.result);
            }
            Op::Atomic { addr, value, .. } | Op::CompareExchange { addr, new: value, .. } => {
                self.load(function, body, *addr, inst.result);
                return self.store(function, body, *addr, *value);
            }
            _ => {}
        }
        let Some(result) = inst.result.filter(|&result| self.can_carry(function, body, result)) else {
            return;
        };
        match &inst.op {
            Op::Offset { base, bytes } => {
                if let Some(base) = self.value(function, body, *base) {
                    self.derive(function, body, base, Derived::Shift(*bytes), result);
                }
            }
            Op::Index { base, index, scale } => {
                if let Some(base) = self.value(function, body, *base) {
                    let constant = body.bits(*index).map(|bits| body.ty(*index).signed(bits));
                    let stride = u32::try_from(scale.unsigned_abs()).unwrap_or(1);
                    let how = match constant.and_then(|index| index.checked_mul(*scale)) {
                        Some(bytes) => Derived::Shift(bytes),
                        None => Derived::Stride(stride.max(1)),
                    };
                    self.derive(function, body, base, how, result);
                }
            }
            Op::Convert { op: ConvertOp::PtrToInt | ConvertOp::IntToPtr | ConvertOp::Reinterpret, value } => {
                // The same address under another type.
                if let Some(node) = self.value(function, body, *value) {
                    match self.values[function][result.index()] {
                        Some(known) => {
                            self.graph.flow(node, known);
                        }
                        None => self.values[function][result.index()] = Some(node),
                    }
                }
            }
            Op::Binary { op, lhs, rhs } => {
                // An offset that is added to an address, or taken from it, moves it who knows where.
                match op {
                    BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor => {
                        self.smear(function, body, *lhs, *rhs, result);
                        self.smear(function, body, *rhs, *lhs, result);
                    }
                    BinaryOp::Sub | BinaryOp::And => self.smear(function, body, *lhs, *rhs, result),
                    _ => {}
                }
            }
            Op::Select { then, other, .. } => self.join(function, body, &[*then, *other], result),
            Op::Phi { incoming } => {
                let sources: Vec<ValueId> = incoming.iter().map(|entry| entry.1).collect();
                self.join(function, body, &sources, result);
            }
            Op::Pack { parts } => self.join(function, body, parts, result),
            Op::Extract { aggregate, .. } => self.join(function, body, &[*aggregate], result),
            Op::Unknown(unknown) => self.join(function, body, &unknown.args, result),
            _ => {}
        }
    }

    /// `result` may be the address in `base`, moved by `by`.
    fn smear(&mut self, function: FuncId, body: &Body, base: ValueId, by: ValueId, result: ValueId) {
        let Some(from) = self.value(function, body, base) else { return };
        let Some(to) = self.value(function, body, result) else { return };
        // Flags in the low bits leave the address what it is. They are small numbers.
        let small = |bits: u64| bits < u64::from(self.pointer_bytes()) * 2;
        if body.bits(by).is_some_and(|bits| small(bits) || small(!bits)) {
            self.graph.flow(from, to);
        } else {
            self.rule(from, Rule::Stride(to, 1));
        }
    }

    /// Bytes are copied from where one node points to where another does.
    pub(crate) fn transfer(&mut self, from: NodeId, to: NodeId, bytes: Option<u64>) {
        // A pointer to a record copies records. Text and numbers hold no addresses.
        let kind = |node: NodeId| {
            self.graph.classes[self.graph.find(node)].map(|class| self.graph.masks.kinds[class])
        };
        let kinds = [kind(from), kind(to)];
        let record = kinds.iter().find_map(|kind| match kind {
            Some(Kind::Record(record)) => Some(*record),
            _ => None,
        });
        let plain = |kind: &Option<Kind>| matches!(kind, Some(Kind::Bytes | Kind::Number));
        if record.is_none() && kinds.iter().any(plain) {
            return;
        }
        let record = record.filter(|&record| self.graph.memory.layouts.size(record).is_some());
        let copy = self.graph.new_copy(bytes, record);
        self.rule(to, Rule::To(copy));
        self.rule(from, Rule::From(copy));
    }

    fn join(&mut self, function: FuncId, body: &Body, sources: &[ValueId], result: ValueId) {
        let Some(to) = self.value(function, body, result) else { return };
        for &source in sources {
            if let Some(from) = self.value(function, body, source) {
                self.graph.flow(from, to);
            }
        }
    }

    /// `va_start`: the list holds addresses of the variable arguments, wherever the machine keeps them in it.
    fn rest(&mut self, function: FuncId, list: NodeId) {
        let object = self.graph.memory.object(Origin::Rest(function), None, None, false);
        let stride = self.pointer_bytes();
        let start = self.graph.memory.at(object, 0);
        let Some(any) = start.and_then(|start| self.graph.memory.strided(start, stride)) else { return };
        let held = self.graph.node();
        self.graph.insert(held, any);
        for index in 0..LONGEST_LIST {
            let inside = self.graph.node();
            self.rule(list, Rule::Shift(inside, index * i64::from(stride)));
            self.rule(inside, Rule::Store(held));
        }
    }

    /// Works out the addresses that no other depends on.
    pub(crate) fn finish(&mut self) {
        let later = std::mem::take(&mut self.later);
        self.graph.hub.closed = true;
        // What the rules were not applied to yet: everything at first.
        let mut open: Option<Table<NodeId, bool>> = None;
        loop {
            self.graph.changed.clear();
            for &(from, rule) in &later {
                let from = self.graph.find(from);
                if open.as_ref().is_some_and(|open| !open[from]) {
                    continue;
                }
                let many = self.graph.is_large(from);
                let set = std::mem::take(&mut self.graph.sets[from]);
                self.graph.apply(rule, &set, many);
                self.graph.sets[from].unite(&set);
            }
            // Some move from others that come later in the list.
            let changed = std::mem::take(&mut self.graph.changed);
            if changed.is_empty() {
                break;
            }
            let mut grown = Table::filled(self.graph.nodes(), false);
            for node in changed {
                self.graph.is_changed[node] = false;
                grown[node] = true;
            }
            open = Some(grown);
        }
    }

    /// Adds a rule, and applies it to what was handed on already.
    pub(crate) fn rule(&mut self, node: NodeId, rule: Rule) {
        self.graph.rule(node, rule);
        if let Rule::Call(_) = rule {
            let node = self.graph.find(node);
            let done = self.graph.done[node].clone();
            self.apply(rule, &done, false);
        }
    }
}
