//! Calls: who reaches whom, and what goes back and forth.
//!
//! Direct calls are linked at once, others when the solver finds out what the pointer holds. Functions of a library
//! that the outside can call get their arguments from outside (see [`crate::outside`]); a program with a `main` has
//! no other callers than itself and those that it hands functions to.

use crate::build::{Builder, CallData};
use crate::graph::{CallId, NodeId, Rule};
use crate::layout::{Kind, TypeRef};
use crate::object::{LocId, Origin, has_main};
use crate::set::Set;
use rustc_hash::FxHashMap;
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{
    Body, Call, Callee, DebugType, FuncId, Function, Id, InstId, Linkage, Op, Type, ValueId,
};

impl Builder<'_, '_> {
    pub(crate) fn call(
        &mut self,
        function: FuncId,
        body: &Body,
        inst: InstId,
        call: &Call,
        value: Option<ValueId>,
        pointees: &FxHashMap<ValueId, TypeRef>,
    ) {
        let args = call.args.iter().map(|&arg| self.value(function, body, arg)).collect();
        let result = value.and_then(|result| self.value(function, body, result));
        let prototype = match call.callee {
            Callee::Pointer(pointer) => pointees.get(&pointer).copied(),
            _ => None,
        };
        let pointee = value.and_then(|result| pointees.get(&result)).copied();
        let data = CallData {
            caller: function,
            inst,
            args,
            result,
            targets: Vec::new(),
            by_model: false,
            depth: 0,
            pointee,
            prototype,
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

    pub(crate) fn apply(&mut self, rule: Rule, arrived: &Set, many: bool) {
        let Rule::Call(call) = rule else { return self.graph.apply(rule, arrived, many) };
        for location in arrived.iter() {
            let object = self.graph.memory.locations[LocId::new(location as usize)].object;
            match self.graph.memory.objects[object].origin {
                Origin::Function(callee) if self.can_reach(call, callee) => self.link(call, callee),
                // A function of the outside world hands out more of it.
                Origin::World => {
                    if let Some(result) = self.calls[call].result
                        && let Some(world) = self.graph.outside(None)
                    {
                        self.graph.insert(result, world);
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether a function takes what a call through a pointer passes. Any other call has no meaning in C.
    fn can_reach(&self, call: CallId, callee: FuncId) -> bool {
        let call = &self.calls[call];
        let function = &self.program.functions[callee];
        if call.loose || call.by_model {
            return true;
        }
        let fits = match function.variadic {
            true => call.args.len() >= function.params.len(),
            false => call.args.len() == function.params.len(),
        };
        fits && self.is_passed_alike(call, function) && self.is_compatible(call.prototype, function)
    }

    /// Whether what a call passes and takes is passed and returned as a function takes and returns it: addresses and
    /// integers are not told apart when they are of the same size.
    fn is_passed_alike(&self, call: &CallData, function: &Function) -> bool {
        let Some(body) = &self.program.functions[call.caller].body else { return true };
        let Op::Call(made) = &body.insts[call.inst].op else { return true };
        let word = self.program.target.pointer_bits;
        let alike = |one: Type, other: Type| match (one, other) {
            (Type::Ptr, Type::Int(bits)) | (Type::Int(bits), Type::Ptr) => bits >= word,
            (Type::Float(_), other) | (other, Type::Float(_)) => matches!(other, Type::Float(_)),
            (Type::Int(one), Type::Int(other)) => (one <= 32) == (other <= 32),
            _ => true,
        };
        let passed = made.args.iter().map(|&arg| body.ty(arg));
        let result = body.insts[call.inst].result.map(|result| body.ty(result));
        passed.zip(&function.params).all(|(arg, param)| alike(arg, param.ty))
            && result.is_none_or(|result| function.result == Type::Void || alike(result, function.result))
    }

    /// Whether the prototype that a call is made by leaves room for a function: where both say that a parameter points to
    /// a record, it is the same one, or one that the program casts to the other.
    fn is_compatible(&self, prototype: Option<TypeRef>, function: &Function) -> bool {
        let layouts = &self.graph.memory.layouts;
        let Some(DebugType::Function { params: theirs, .. }) = layouts.prototype(function) else {
            return true;
        };
        let Some(prototype) = prototype else { return true };
        let debug = &self.program.units[prototype.unit].debug;
        let Some(DebugType::Function { params: ours, .. }) = debug.types.get(prototype.ty) else {
            return true;
        };
        let record = |unit, ty| {
            let pointee = layouts.pointee(unit, ty)?;
            layouts.record(pointee).filter(|_| layouts.is_record(pointee))
        };
        ours.iter().zip(theirs).all(|(&ours, &theirs)| {
            match (record(prototype.unit, ours), record(function.unit, theirs)) {
                (Some(ours), Some(theirs)) => {
                    ours == theirs || self.graph.masks.are_related(Kind::Record(ours), Kind::Record(theirs))
                }
                _ => true,
            }
        })
    }

    /// A call reaches a function.
    pub(crate) fn link(&mut self, id: CallId, callee: FuncId) {
        if !self.linked.insert((id, callee)) {
            return;
        }
        self.calls[id].targets.push(callee);
        self.is_called[callee] = true;
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
        } else if function.result != Type::Void {
            let from = self.result(callee);
            self.graph.flow(from, result);
        }
    }

    /// A variable argument.
    fn pass_rest(&mut self, callee: FuncId, arg: NodeId) {
        let object = self.graph.memory.object(Origin::Rest(callee), None, None, false);
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
        let object = self.heap(call, 0);
        let Some(start) = self.graph.memory.at(object, 0) else { return };
        self.graph.insert(result, start);
        let inner = self.result(callee);
        self.rule(inner, Rule::Fill(start));
    }

    /// An object that a call acquires. What the source says that the result points to is its type.
    pub(crate) fn heap(&mut self, call: &CallData, index: u32) -> crate::object::ObjectId {
        let layouts = &self.graph.memory.layouts;
        let ty = call.pointee.filter(|&ty| index == 0 && layouts.size(ty).is_some_and(|bytes| bytes > 0));
        // One of those is not followed by another.
        let repeats = ty.is_some_and(|ty| !layouts.is_flexible(ty));
        self.graph.memory.object(Origin::Heap(call.caller, call.inst, index), ty, None, repeats)
    }

    /// What callers outside the program pass.
    pub(crate) fn entries(&mut self) {
        let main = self.program.function_named("main");
        let main = main.filter(|&main| self.program.functions[main].body.is_some());
        for (id, function) in self.program.functions.iter() {
            let visible = !matches!(function.linkage, Linkage::Internal);
            if main.map_or(visible, |main| main == id) {
                self.enter(id);
            }
        }
    }

    /// In a library, functions that nothing reaches are called from outside, whoever got hold of them.
    pub(crate) fn more_entries(&mut self) -> bool {
        if has_main(self.program) {
            return false;
        }
        let mut more = false;
        for id in self.program.functions.ids() {
            if !self.is_called[id] && !self.is_entry[id] && self.program.functions[id].body.is_some() {
                self.enter(id);
                more = true;
            }
        }
        more
    }

    /// The outside calls a function.
    pub(crate) fn enter(&mut self, id: FuncId) {
        let function = &self.program.functions[id];
        let Some(body) = &function.body else { return };
        if std::mem::replace(&mut self.is_entry[id], true) {
            return;
        }
        for (index, param) in function.params.iter().enumerate() {
            if param.ty != Type::Ptr {
                continue;
            }
            let pointee = self.graph.memory.layouts.parameter(function, index);
            if let Some(node) = self.value(id, body, ValueId::new(index))
                && let Some(location) = self.graph.outside(pointee)
            {
                match param.by_value.is_some() {
                    true => {
                        let from = self.graph.node();
                        self.graph.insert(from, location);
                        self.transfer(from, node, param.by_value);
                    }
                    false => self.graph.insert(node, location),
                }
            }
        }
    }
}
