//! Constraints from a program: one pass over all instructions.
//!
//! Values that can carry an address get a node, with the class of their declared type; a conversion that keeps the
//! address shares the node of its operand. Accesses through a value that the source casts go through a node of their
//! own, with the class of the type that it is cast to.
//! Direct calls are linked at once, others when the solver finds out whom they reach. An address that arithmetic on
//! integers has touched is taken to be what it was.

use crate::declared::{Declared, declared, parameters, result};
use crate::graph::{CallId, Graph, NodeId, Rule};
use crate::object::{ObjectId, Origin};
use crate::types::{TypeId, Types};
use crate::walk::walks_are_strides;
use crate::wrapper::wrappers;
use rustc_hash::{FxHashMap, FxHashSet};
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{
    BinaryOp, Body, Call, Callee, Const, ConvertOp, Def, FuncId, GlobalId, Id, InstId, Linkage, Op, Program,
    Symbol, Table, Terminator, Type, ValueId,
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
    /// What the result points to as far as the source tells.
    pub(crate) class: TypeId,
    /// The prototype of the call does not say how many arguments there are.
    pub(crate) loose: bool,
}

/// The graph while it grows, and what it is made from.
pub struct Builder<'a, 'm> {
    pub(crate) program: &'a Program,
    pub(crate) models: &'m Models,
    pub(crate) graph: Graph<'a>,
    /// The node of each value that has one, by function.
    pub(crate) values: Table<FuncId, Vec<Option<NodeId>>>,
    pub(crate) results: Table<FuncId, Option<NodeId>>,
    pub(crate) calls: Table<CallId, CallData>,
    linked: FxHashSet<(CallId, FuncId)>,
    declared: Table<FuncId, Declared>,
    params: Table<FuncId, Vec<TypeId>>,
    /// Nodes for accesses through values that the source casts.
    accesses: FxHashMap<(FuncId, ValueId), NodeId>,
    pub(crate) wrappers: Table<FuncId, bool>,
}

impl<'a, 'm> Builder<'a, 'm> {
    pub fn new(program: &'a Program, models: &'m Models) -> Builder<'a, 'm> {
        let values = program
            .functions
            .values()
            .map(|function| vec![None; function.body.as_ref().map_or(0, |body| body.values.len())])
            .collect();
        let mut types = Types::new(program);
        let params = program.functions.values().map(|function| parameters(&mut types, function)).collect();
        let all = program.functions.iter().map(|(id, function)| match &function.body {
            Some(body) => declared(&mut types, program, id, body),
            None => Declared::default(),
        });
        let declared = all.collect();
        let mut builder = Builder {
            program,
            models,
            graph: Graph::new(types),
            declared,
            params,
            accesses: FxHashMap::default(),
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

    /// Whether a value can carry an address. A number does where the function makes it from an address or makes an
    /// address from it; all others are counts and sizes.
    fn carries(&self, function: FuncId, body: &Body, value: ValueId) -> bool {
        match body.ty(value) {
            Type::Ptr | Type::Agg(_) => true,
            Type::Int(_) => self.declared[function].words.contains(&value),
            Type::Void | Type::Float(_) => false,
        }
    }

    /// The node of a value, if it can carry an address.
    pub(crate) fn value(&mut self, function: FuncId, body: &Body, value: ValueId) -> Option<NodeId> {
        if let Some(node) = self.values[function][value.index()] {
            return Some(node);
        }
        if !self.carries(function, body, value) {
            return None;
        }
        let start = match &body.values[value].def {
            Def::Const(Const::Global { global, offset }) => {
                let object = self.global(*global);
                Some(self.graph.memory.at(object, *offset))
            }
            Def::Const(Const::Func(function)) => {
                let object = self.function(*function);
                Some(self.graph.memory.at(object, 0))
            }
            Def::Const(_) => return None,
            Def::Param(_) | Def::Inst(_) => None,
        };
        let class = match start {
            Some(_) => Types::unknown(),
            None => self.class(function, value),
        };
        let node = self.graph.node_of(class);
        if let Some(location) = start.flatten() {
            self.graph.insert(node, location);
        }
        self.values[function][value.index()] = Some(node);
        Some(node)
    }

    fn class(&mut self, function: FuncId, value: ValueId) -> TypeId {
        let types = &mut self.graph.memory.types;
        let pointee = self.declared[function].pointee(types, value);
        match types.class(pointee) {
            // What comes from memory or a call and is used as one type only is of that type. A parameter may be handed
            // on as it came.
            class if class == Types::unknown() && value.index() >= self.params[function].len() => {
                self.declared[function].used_as(value).unwrap_or(class)
            }
            class => class,
        }
    }

    /// The node of an address that is read, written or moved: of what the source casts it to.
    fn access(&mut self, function: FuncId, body: &Body, value: ValueId) -> Option<NodeId> {
        let node = self.value(function, body, value)?;
        let Some(casts) = self.declared[function].casts.get(&value) else { return Some(node) };
        if let Some(&known) = self.accesses.get(&(function, value)) {
            return Some(known);
        }
        let casts = casts.clone();
        let access = match casts[..] {
            [class] => self.graph.node_of(class),
            _ => self.graph.node(),
        };
        self.accesses.insert((function, value), access);
        for &class in &casts {
            let seen = if casts.len() == 1 { access } else { self.graph.node_of(class) };
            self.graph.flow(node, seen);
            if seen != access {
                self.graph.flow(seen, access);
            }
        }
        Some(access)
    }

    pub(crate) fn function(&mut self, function: FuncId) -> ObjectId {
        self.graph.memory.object(Origin::Function(function), Types::unknown(), None)
    }

    pub(crate) fn global(&mut self, global: GlobalId) -> ObjectId {
        let data = &self.program.globals[global];
        if data.constant && data.image.as_ref().is_some_and(|image| image.relocations.is_empty()) {
            return self.graph.memory.object(Origin::Constants, Types::unknown(), None);
        }
        let bytes = data.image.is_some().then_some(data.bytes);
        let ty = self.graph.memory.types.of(data.unit, data.debug_type);
        self.graph.memory.object(Origin::Global(global), ty, bytes)
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

    /// What callers outside the program pass. A program with a `main` has no others.
    fn entries(&mut self) {
        let main =
            self.program.function_named("main").filter(|&main| self.program.functions[main].body.is_some());
        for (id, function) in self.program.functions.iter() {
            let visible = !matches!(function.linkage, Linkage::Internal);
            let Some(body) = &function.body else { continue };
            if main.is_some_and(|main| main != id) || !visible {
                continue;
            }
            for (index, param) in function.params.iter().enumerate() {
                if param.ty == Type::Ptr
                    && param.by_value.is_none()
                    && let Some(node) = self.value(id, body, ValueId::new(index))
                {
                    let class = self.class(id, ValueId::new(index));
                    self.outside(node, class);
                }
            }
        }
    }

    /// A node may hold the address of something of a class of the outside world.
    pub(crate) fn outside(&mut self, node: NodeId, class: TypeId) {
        let memory = &mut self.graph.memory;
        let outside = memory.object(Origin::Outside, Types::unknown(), None);
        let start = match memory.types.shape(class) {
            // Functions of the outside world do nothing that can be seen.
            crate::types::Shape::Function { .. } => None,
            _ if class == Types::unknown() => memory.at(outside, 0),
            _ => memory.view(class),
        };
        if let Some(start) = start {
            self.graph.insert(node, start);
        }
    }

    fn body(&mut self, function: FuncId, body: &Body) {
        for (index, param) in self.program.functions[function].params.iter().enumerate() {
            // The callee sees a copy of what is passed by value.
            if param.by_value.is_some()
                && let Some(node) = self.value(function, body, ValueId::new(index))
            {
                let ty = self.graph.memory.types.pointee(self.params[function][index]);
                let origin = Origin::Parameter(function, index as u32);
                let object = self.graph.memory.object(origin, ty, param.by_value);
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
                self.graph.flow(value, result);
            }
        }
    }

    pub(crate) fn result(&mut self, function: FuncId) -> NodeId {
        if let Some(node) = self.results[function] {
            return node;
        }
        let types = &mut self.graph.memory.types;
        let ty = result(types, &self.program.functions[function]);
        let pointee = types.pointee(ty);
        let class = types.class(pointee);
        let node = self.graph.node_of(class);
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
                    && let Some(addr) = self.access(function, body, *addr)
                {
                    self.rule(addr, Rule::Store(from));
                }
                return;
            }
            Op::MemCopy { dst, src, len, .. } => {
                let declared = &self.declared[function];
                let few = body.bits(*len).is_some_and(|bytes| bytes < u64::from(self.pointer_bytes()));
                if few || declared.copies_no_addresses(&self.graph.memory.types, *src, *dst) {
                    return;
                }
                if let Some(to) = self.access(function, body, *dst)
                    && let Some(from) = self.access(function, body, *src)
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
            _ => {}
        }
        let Some(result) = inst.result.filter(|&result| self.carries(function, body, result)) else { return };
        match &inst.op {
            Op::Stack { bytes, count, .. } => {
                let bytes = count.is_none().then_some(*bytes);
                let types = &self.graph.memory.types;
                let ty = self.declared[function].pointee(types, result);
                let object = self.graph.memory.object(Origin::Stack(function, id), ty, bytes);
                if let (Some(node), Some(start)) =
                    (self.value(function, body, result), self.graph.memory.at(object, 0))
                {
                    self.graph.insert(node, start);
                }
            }
            Op::Load { addr, .. } | Op::VaArg { list: addr } => {
                if let (Some(to), Some(addr)) =
                    (self.value(function, body, result), self.access(function, body, *addr))
                {
                    self.rule(addr, Rule::Load(to));
                }
            }
            Op::Atomic { addr, value, .. } => {
                let (to, from) = (self.value(function, body, result), self.value(function, body, *value));
                if let Some(addr) = self.access(function, body, *addr) {
                    to.into_iter().for_each(|to| self.rule(addr, Rule::Load(to)));
                    from.into_iter().for_each(|from| self.rule(addr, Rule::Store(from)));
                }
            }
            Op::CompareExchange { addr, new, .. } => {
                let (to, from) = (self.value(function, body, result), self.value(function, body, *new));
                if let Some(addr) = self.access(function, body, *addr) {
                    to.into_iter().for_each(|to| self.rule(addr, Rule::Load(to)));
                    from.into_iter().for_each(|from| self.rule(addr, Rule::Store(from)));
                }
            }
            Op::Offset { base, bytes } => {
                if let (Some(base), Some(to)) =
                    (self.access(function, body, *base), self.value(function, body, result))
                {
                    self.rule(base, Rule::Shift(to, *bytes));
                }
            }
            Op::Index { base, index, scale } => {
                if let (Some(base), Some(to)) =
                    (self.access(function, body, *base), self.value(function, body, result))
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
                        Some(known) => self.graph.flow(node, known),
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
            _ => self.graph.flow(base, to),
        }
    }

    /// Bytes are copied from where one node points to where another does.
    pub(crate) fn transfer(&mut self, from: NodeId, to: NodeId, bytes: Option<u64>) {
        let transfer = self.graph.transfer(bytes);
        self.rule(to, Rule::To(transfer));
        self.rule(from, Rule::From(transfer));
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
        let object = self.graph.memory.object(Origin::Rest(function), Types::unknown(), None);
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

    fn call(&mut self, function: FuncId, body: &Body, inst: InstId, call: &Call, result: Option<ValueId>) {
        let args = call.args.iter().map(|&arg| self.value(function, body, arg)).collect();
        let class = match result {
            Some(result) => match self.class(function, result) {
                class if class == Types::unknown() => {
                    self.declared[function].used_as(result).unwrap_or(Types::unknown())
                }
                class => class,
            },
            None => Types::unknown(),
        };
        let result = result.and_then(|result| self.value(function, body, result));
        let data = CallData {
            caller: function,
            inst,
            args,
            result,
            targets: Vec::new(),
            by_model: false,
            class,
            loose: call.variadic,
        };
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
        self.graph.rule(node, rule);
        if let Rule::Call(_) = rule {
            let node = self.graph.find(node);
            let done = self.graph.done[node].clone();
            self.apply(rule, &done);
        }
    }

    pub(crate) fn apply(&mut self, rule: Rule, arrived: &crate::set::Set) {
        let Rule::Call(call) = rule else { return self.graph.apply(rule, arrived) };
        for location in arrived.iter() {
            let object = self.graph.memory.object_of(location);
            if let Origin::Function(callee) = self.graph.memory.objects[object].origin
                && self.can_reach(call, callee)
            {
                self.link(call, callee);
            }
        }
    }

    /// Whether a function takes what a call through a pointer passes: as many arguments, of the same kinds. Any
    /// other call has no meaning in C, and programs do not make them.
    fn can_reach(&self, call: CallId, callee: FuncId) -> bool {
        let call = &self.calls[call];
        let function = &self.program.functions[callee];
        if call.loose || call.by_model {
            return true;
        }
        match function.variadic {
            true => call.args.len() >= function.params.len(),
            false => call.args.len() == function.params.len(),
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
                        self.transfer(arg, node, param.by_value);
                    } else {
                        self.graph.flow(arg, node);
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
            self.graph.flow(from, result);
        }
    }

    /// A variable argument.
    fn pass_rest(&mut self, callee: FuncId, arg: NodeId) {
        let object = self.graph.memory.object(Origin::Rest(callee), Types::unknown(), None);
        let stride = self.pointer_bytes();
        let start = self.graph.memory.at(object, 0);
        if let Some(any) = start.and_then(|start| self.graph.memory.strided(start, stride))
            && let Some(cell) = self.graph.cell(any)
        {
            self.graph.flow(arg, cell);
        }
    }

    /// Each call of an allocation wrapper makes an object of its own, with the contents that the wrapper gives it.
    fn clone_fresh(&mut self, call: &CallData, callee: FuncId, result: NodeId) {
        let object = self.graph.memory.object(Origin::Heap(call.caller, call.inst, 0), call.class, None);
        let Some(start) = self.graph.memory.at(object, 0) else { return };
        self.graph.insert(result, start);
        let inner = self.result(callee);
        self.rule(inner, Rule::Fill(start));
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
