//! Constraints from a program: one pass over all instructions.
//!
//! Values that can carry an address get a node; a conversion that keeps the address shares the node of its operand.
//! Direct calls are linked at once, others when the solver finds out whom they reach. An address that arithmetic on
//! integers has touched is taken to be what it was.

use crate::graph::{CallId, Graph, NodeId, Rule};
use crate::object::Origin;
use crate::walk::walks_are_strides;
use crate::wrapper::wrappers;
use rustc_hash::FxHashSet;
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{
    BinaryOp, Body, Call, Callee, Const, ConvertOp, Def, FuncId, GlobalId, Id, InstId, Linkage, Op, Program,
    Symbol, Table, Terminator, Type, ValueId,
};
use watertight_summary::model::Models;

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
}

/// The graph while it grows, and what it is made from.
pub struct Builder<'a> {
    pub(crate) program: &'a Program,
    pub(crate) models: &'a Models,
    pub(crate) graph: Graph<'a>,
    /// The node of each value that has one, by function.
    pub(crate) values: Table<FuncId, Vec<Option<NodeId>>>,
    pub(crate) results: Table<FuncId, Option<NodeId>>,
    pub(crate) calls: Table<CallId, CallData>,
    linked: FxHashSet<(CallId, FuncId)>,
    pub(crate) wrappers: Table<FuncId, bool>,
}

impl<'a> Builder<'a> {
    pub fn new(program: &'a Program, models: &'a Models) -> Builder<'a> {
        let values = program
            .functions
            .values()
            .map(|function| vec![None; function.body.as_ref().map_or(0, |body| body.values.len())])
            .collect();
        let mut builder = Builder {
            program,
            models,
            graph: Graph::new(program),
            values,
            results: Table::filled(program.functions.len(), None),
            calls: Table::new(),
            linked: FxHashSet::default(),
            wrappers: wrappers(program, models),
        };
        builder.globals();
        for (id, function) in program.functions.iter() {
            if let Some(body) = &function.body {
                builder.body(id, body);
            }
        }
        builder.entries();
        let least = builder.pointer_bytes();
        walks_are_strides(&mut builder.graph, least);
        builder
    }

    pub(crate) fn pointer_bytes(&self) -> u32 {
        self.program.target.pointer_bits / 8
    }

    /// Whether a value of this type can carry an address.
    fn carries(&self, ty: Type) -> bool {
        match ty {
            Type::Ptr | Type::Agg(_) => true,
            Type::Int(bits) => bits == self.program.target.pointer_bits,
            Type::Void | Type::Float(_) => false,
        }
    }

    /// The node of a value, if it can carry an address.
    pub(crate) fn value(&mut self, function: FuncId, body: &Body, value: ValueId) -> Option<NodeId> {
        if let Some(node) = self.values[function][value.index()] {
            return Some(node);
        }
        if !self.carries(body.ty(value)) {
            return None;
        }
        let start = match &body.values[value].def {
            Def::Const(Const::Global { global, offset }) => {
                let object = self.global(*global);
                Some(self.graph.memory.at(object, *offset))
            }
            Def::Const(Const::Func(function)) => {
                let object = self.graph.memory.object(Origin::Function(*function), None);
                Some(self.graph.memory.at(object, 0))
            }
            Def::Const(_) => return None,
            Def::Param(_) | Def::Inst(_) => None,
        };
        let node = self.graph.node();
        if let Some(location) = start.flatten() {
            self.graph.insert(node, location);
        }
        self.values[function][value.index()] = Some(node);
        Some(node)
    }

    pub(crate) fn global(&mut self, global: GlobalId) -> crate::object::ObjectId {
        let data = &self.program.globals[global];
        if data.constant && data.image.as_ref().is_some_and(|image| image.relocations.is_empty()) {
            return self.graph.memory.object(Origin::Constants, None);
        }
        let bytes = data.image.is_some().then_some(data.bytes);
        self.graph.memory.object(Origin::Global(global), bytes)
    }

    /// First contents of globals.
    fn globals(&mut self) {
        for (id, global) in self.program.globals.iter() {
            for relocation in global.image.iter().flat_map(|image| &image.relocations) {
                let (target, offset) = match relocation.target {
                    Symbol::Func(function) => {
                        (self.graph.memory.object(Origin::Function(function), None), 0)
                    }
                    Symbol::Global(target) => (self.global(target), relocation.addend),
                    Symbol::Label(..) => continue,
                };
                let object = self.global(id);
                let place = i64::try_from(relocation.offset).ok();
                let cell = place.and_then(|offset| self.graph.memory.at(object, offset));
                if let (Some(cell), Some(target)) = (cell, self.graph.memory.at(target, offset)) {
                    let cell = self.graph.cell(cell);
                    self.graph.insert(cell, target);
                }
            }
        }
    }

    /// What callers outside the program pass. A program with a `main` has no others.
    fn entries(&mut self) {
        let main = self.program.function_named("main").filter(|&main| self.program.functions[main].body.is_some());
        for (id, function) in self.program.functions.iter() {
            let visible = !matches!(function.linkage, Linkage::Internal);
            let Some(body) = &function.body else { continue };
            if main.is_some_and(|main| main != id) || !visible {
                continue;
            }
            for (index, param) in function.params.iter().enumerate() {
                if param.ty == Type::Ptr
                    && param.by_value.is_none()
                    && let Some(world) = self.graph.world.parameter(self.program, id, index)
                    && let Some(node) = self.value(id, body, ValueId::new(index))
                {
                    let object = self.graph.memory.object(Origin::Outside(world), None);
                    if let Some(start) = self.graph.memory.at(object, 0) {
                        self.graph.insert(node, start);
                    }
                }
            }
        }
    }

    fn body(&mut self, function: FuncId, body: &Body) {
        for (index, param) in self.program.functions[function].params.iter().enumerate() {
            // The callee sees a copy of what is passed by value.
            if param.by_value.is_some()
                && let Some(node) = self.value(function, body, ValueId::new(index))
            {
                let object = self.graph.memory.object(Origin::Parameter(function, index as u32), param.by_value);
                if let Some(start) = self.graph.memory.at(object, 0) {
                    self.graph.insert(node, start);
                }
            }
        }
        for block in body.blocks.values() {
            for &inst in &block.insts {
                self.inst(function, body, inst);
            }
            if let Terminator::Return(Some(value)) = block.term
                && let Some(value) = self.value(function, body, value)
            {
                let result = self.result(function);
                self.graph.copy(value, result);
            }
        }
    }

    pub(crate) fn result(&mut self, function: FuncId) -> NodeId {
        if let Some(node) = self.results[function] {
            return node;
        }
        let node = self.graph.node();
        self.results[function] = Some(node);
        node
    }

    fn inst(&mut self, function: FuncId, body: &Body, id: InstId) {
        let inst = &body.insts[id];
        // Only the operations that move addresses need the node of their result.
        match &inst.op {
            Op::Call(call) => return self.call(function, body, id, call, inst.result),
            Op::Store { addr, value, .. } => {
                if let Some(from) = self.value(function, body, *value)
                    && let Some(addr) = self.value(function, body, *addr)
                {
                    self.rule(addr, Rule::Store(from));
                }
                return;
            }
            Op::MemCopy { dst, src, len, .. } => {
                if let Some(to) = self.value(function, body, *dst)
                    && let Some(from) = self.value(function, body, *src)
                {
                    let bytes = body.bits(*len);
                    self.rule(from, Rule::CopyTo(to, bytes));
                    self.rule(to, Rule::CopyFrom(from, bytes));
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
                    self.rule(from, Rule::CopyTo(to, None));
                    self.rule(to, Rule::CopyFrom(from, None));
                }
                return;
            }
            _ => {}
        }
        let Some(result) = inst.result.filter(|&result| self.carries(body.ty(result))) else { return };
        match &inst.op {
            Op::Stack { bytes, count, .. } => {
                let bytes = count.is_none().then_some(*bytes);
                let object = self.graph.memory.object(Origin::Stack(function, id), bytes);
                if let (Some(node), Some(start)) =
                    (self.value(function, body, result), self.graph.memory.at(object, 0))
                {
                    self.graph.insert(node, start);
                }
            }
            Op::Load { addr, .. } | Op::VaArg { list: addr } => {
                if let (Some(to), Some(addr)) =
                    (self.value(function, body, result), self.value(function, body, *addr))
                {
                    self.rule(addr, Rule::Load(to));
                }
            }
            Op::Atomic { addr, value, .. } => {
                let (to, from) = (self.value(function, body, result), self.value(function, body, *value));
                if let Some(addr) = self.value(function, body, *addr) {
                    to.into_iter().for_each(|to| self.rule(addr, Rule::Load(to)));
                    from.into_iter().for_each(|from| self.rule(addr, Rule::Store(from)));
                }
            }
            Op::CompareExchange { addr, new, .. } => {
                let (to, from) = (self.value(function, body, result), self.value(function, body, *new));
                if let Some(addr) = self.value(function, body, *addr) {
                    to.into_iter().for_each(|to| self.rule(addr, Rule::Load(to)));
                    from.into_iter().for_each(|from| self.rule(addr, Rule::Store(from)));
                }
            }
            Op::Offset { base, bytes } => {
                if let (Some(base), Some(to)) =
                    (self.value(function, body, *base), self.value(function, body, result))
                {
                    self.rule(base, Rule::Shift(to, *bytes));
                }
            }
            Op::Index { base, index, scale } => {
                if let (Some(base), Some(to)) =
                    (self.value(function, body, *base), self.value(function, body, result))
                {
                    let constant = body.bits(*index).map(|bits| sign_extended(bits, body.ty(*index)));
                    match constant.and_then(|index| index.checked_mul(*scale)) {
                        Some(bytes) => self.rule(base, Rule::Shift(to, bytes)),
                        None => self.index(base, to, scale.unsigned_abs()),
                    }
                }
            }
            Op::Convert { op: ConvertOp::PtrToInt | ConvertOp::IntToPtr | ConvertOp::Reinterpret, value } => {
                // The same address under another type.
                if let Some(node) = self.value(function, body, *value) {
                    match self.values[function][result.index()] {
                        Some(known) => self.graph.copy(node, known),
                        None => self.values[function][result.index()] = Some(node),
                    }
                }
            }
            Op::Binary { op, lhs, rhs } => {
                let moves = matches!(
                    op,
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor
                );
                if moves {
                    self.join(function, body, &[*lhs, *rhs], result);
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

    /// An element at an unknown index. Bytes hold no addresses of their own, so an address that walks over them is
    /// taken to stay where it was: this keeps the blocks that an arena hands out apart from its other fields, and
    /// text buffers small.
    fn index(&mut self, base: NodeId, to: NodeId, scale: u64) {
        match u32::try_from(scale) {
            Ok(stride) if stride >= self.pointer_bytes() => self.rule(base, Rule::Stride(to, stride)),
            _ => self.graph.copy(base, to),
        }
    }

    fn join(&mut self, function: FuncId, body: &Body, sources: &[ValueId], result: ValueId) {
        let Some(to) = self.value(function, body, result) else { return };
        for &source in sources {
            if let Some(from) = self.value(function, body, source) {
                self.graph.copy(from, to);
            }
        }
    }

    /// `va_start`: the list holds addresses of the variable arguments, wherever the machine keeps them in it.
    fn rest(&mut self, function: FuncId, list: NodeId) {
        let object = self.graph.memory.object(Origin::Rest(function), None);
        let stride = self.pointer_bytes();
        let start = self.graph.memory.at(object, 0);
        let Some(any) = start.and_then(|start| self.graph.memory.strided(start, stride)) else { return };
        let held = self.graph.node();
        self.graph.insert(held, any);
        let inside = self.graph.node();
        self.rule(list, Rule::Stride(inside, stride));
        self.rule(inside, Rule::Store(held));
    }

    fn call(&mut self, function: FuncId, body: &Body, inst: InstId, call: &Call, result: Option<ValueId>) {
        let args = call.args.iter().map(|&arg| self.value(function, body, arg)).collect();
        let result = result.and_then(|result| self.value(function, body, result));
        let data = CallData { caller: function, inst, args, result, targets: Vec::new(), by_model: false };
        let id = self.calls.push(data);
        match direct_callee(body, call) {
            Some(callee) => self.link(id, callee),
            None => {
                if let Callee::Pointer(pointer) = call.callee
                    && let Some(pointer) = self.value(function, body, pointer)
                {
                    self.rule(pointer, Rule::Call(id));
                }
            }
        }
    }

    /// Adds a rule, and applies it to what is there.
    pub(crate) fn rule(&mut self, node: NodeId, rule: Rule) {
        let node = self.graph.find(node);
        self.graph.rules[node].push(rule);
        if !self.graph.done[node].is_empty() {
            let done = self.graph.done[node].clone();
            self.apply(rule, &done);
        }
    }

    pub(crate) fn apply(&mut self, rule: Rule, arrived: &crate::set::Set) {
        let Rule::Call(call) = rule else { return self.graph.apply(rule, arrived) };
        for location in arrived.iter() {
            let object = self.graph.memory.object_of(location);
            if let Origin::Function(callee) = self.graph.memory.objects[object].origin {
                self.link(call, callee);
            }
        }
    }

    /// A call reaches a function.
    pub(crate) fn link(&mut self, id: CallId, callee: FuncId) {
        if !self.linked.insert((id, callee)) {
            return;
        }
        self.calls[id].targets.push(callee);
        let call = self.calls[id].clone();
        let function = &self.program.functions[callee];
        let Some(body) = &function.body else { return self.external(&call, callee) };
        for (index, &arg) in call.args.iter().enumerate() {
            let Some(arg) = arg else { continue };
            match function.params.get(index) {
                Some(param) => {
                    let Some(node) = self.value(callee, body, ValueId::new(index)) else { continue };
                    if param.by_value.is_some() {
                        self.rule(arg, Rule::CopyTo(node, param.by_value));
                        self.rule(node, Rule::CopyFrom(arg, param.by_value));
                    } else {
                        self.graph.copy(arg, node);
                    }
                }
                None => self.pass_rest(callee, arg),
            }
        }
        let Some(result) = call.result else { return };
        if self.wrappers[callee] && !call.by_model {
            self.clone_fresh(&call, callee, result);
        } else if self.program.functions[callee].result != Type::Void {
            let from = self.result(callee);
            self.graph.copy(from, result);
        }
    }

    /// A variable argument.
    fn pass_rest(&mut self, callee: FuncId, arg: NodeId) {
        let object = self.graph.memory.object(Origin::Rest(callee), None);
        let stride = self.pointer_bytes();
        let start = self.graph.memory.at(object, 0);
        if let Some(any) = start.and_then(|start| self.graph.memory.strided(start, stride)) {
            let cell = self.graph.cell(any);
            self.graph.copy(arg, cell);
        }
    }

    /// Each call of an allocation wrapper makes an object of its own, with the contents that the wrapper gives it.
    fn clone_fresh(&mut self, call: &CallData, callee: FuncId, result: NodeId) {
        let object = self.graph.memory.object(Origin::Heap(call.caller, call.inst, 0), None);
        let Some(start) = self.graph.memory.at(object, 0) else { return };
        self.graph.insert(result, start);
        let inner = self.result(callee);
        let clone = self.graph.node();
        self.graph.insert(clone, start);
        self.rule(inner, Rule::CopyTo(clone, None));
    }
}

fn sign_extended(bits: u64, ty: Type) -> i64 {
    match ty {
        Type::Int(width @ 1..=63) => {
            let unused = 64 - width;
            (bits << unused) as i64 >> unused
        }
        _ => bits as i64,
    }
}
