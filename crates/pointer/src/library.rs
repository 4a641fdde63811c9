//! Calls of functions without a body: what their models say about addresses.
//!
//! The same models as everywhere: what the result points to, what is stored through arguments, what is copied, and
//! which function pointers are called with what. A function without a model hands out an object of the outside
//! world, calls the functions that it is given, and is assumed to store nothing in what it is given.

use crate::build::{Builder, CallData};
use crate::graph::{NodeId, Rule};
use watertight_ir::{FuncId, Type};
use watertight_summary::{Effect, Path, Root, Step, Summary, Value};

/// Parameters of a function that is called by one without a model.
const MOST_PARAMETERS: usize = 8;

/// How far calls are followed that models make of functions whose models make calls.
const MOST_CALLS_BY_CALLS: u8 = 6;

impl Builder<'_, '_> {
    /// A call that leaves the program.
    pub(crate) fn external(&mut self, call: &CallData, callee: FuncId) {
        let models = self.models;
        match models.functions.get(&self.program.functions[callee].name) {
            Some(summary) => self.model(call, callee, summary),
            None => {
                self.unknown_result(call, callee);
                self.hand_out(call);
            }
        }
    }

    /// The result is something of the outside world.
    fn unknown_result(&mut self, call: &CallData, callee: FuncId) {
        let function = &self.program.functions[callee];
        if function.result != Type::Ptr {
            return;
        }
        let pointee = self.graph.memory.layouts.result(function);
        if let Some(result) = call.result
            && let Some(location) = self.graph.outside(pointee.or(call.pointee))
        {
            self.graph.insert(result, location);
        }
    }

    /// A function that nothing is known about calls the functions that it is given, with what else it is given.
    fn hand_out(&mut self, call: &CallData) {
        // One that was called in this way has been given the same thing in each place: whatever is there is called with
        // what is there. To say it again for those that are called then would say nothing new, and have no end.
        if call.by_model
            && let [Some(all), rest @ ..] = call.args.as_slice()
            && rest.len() + 1 == MOST_PARAMETERS
            && rest.iter().all(|other| *other == Some(*all))
        {
            if self.handed.insert(*all) {
                self.make_call(call, *all, call.args.clone());
            }
            return;
        }
        for (index, function) in call.args.iter().enumerate() {
            let Some(function) = *function else { continue };
            let others = call.args.iter().enumerate().filter(|other| other.0 != index);
            let all = self.graph.node();
            for other in others.filter_map(|other| *other.1) {
                self.graph.flow(other, all);
            }
            if let Some(world) = self.graph.outside(None) {
                self.graph.insert(all, world);
            }
            self.make_call(call, function, vec![Some(all); MOST_PARAMETERS]);
        }
    }

    /// What is called by what `call` calls. Models can have functions call each other without end, with other arguments
    /// each time, so that the chain is cut somewhere.
    fn make_call(&mut self, call: &CallData, function: NodeId, args: Vec<Option<NodeId>>) {
        let depth = call.depth + 1;
        if depth > MOST_CALLS_BY_CALLS {
            return;
        }
        let made =
            CallData { args, result: None, targets: Vec::new(), by_model: true, depth, ..call.clone() };
        let made = self.calls.push(made);
        self.rule(function, Rule::Call(made));
    }

    fn point(&mut self, node: NodeId, object: crate::object::ObjectId, offset: i64) {
        if let Some(location) = self.graph.memory.at(object, offset) {
            self.graph.insert(node, location);
        }
    }
    fn model(&mut self, call: &CallData, callee: FuncId, summary: &Summary) {
        for outcome in &summary.outcomes {
            if let Some(result) = call.result {
                match &outcome.result {
                    Value::Any | Value::Such { .. } => self.unknown_result(call, callee),
                    value => {
                        if let Some(from) = self.model_value(call, value) {
                            self.graph.flow(from, result);
                        }
                    }
                }
            }
            for effect in &outcome.effects {
                self.effect(call, effect);
            }
        }
    }

    fn effect(&mut self, call: &CallData, effect: &Effect) {
        match effect {
            Effect::Store { place, value } => {
                let Some(from) = self.model_value(call, value) else { return };
                let Some((last, before)) = place.steps.split_last() else { return };
                let base = Path { root: place.root, steps: before.to_vec() };
                let Some(base) = self.model_path(call, &base) else { return };
                let cell = self.model_step(base, *last);
                if let Some(cell) = cell {
                    self.rule(cell, Rule::Store(from));
                }
            }
            Effect::Copy { to, span, from, start } => {
                if let (Some(to), Some(from)) = (self.model_path(call, to), self.model_path(call, from)) {
                    let to = self.moved(to, span.offset);
                    let from = self.moved(from, *start);
                    self.transfer(from, to, span.bytes);
                }
            }
            Effect::Calls { function, arguments, .. } => {
                let Some(pointer) = self.model_path(call, function) else { return };
                let args = arguments.iter().map(|value| self.model_value(call, value)).collect();
                self.make_call(call, pointer, args);
            }
            Effect::Release { .. } | Effect::Keep { .. } | Effect::Clobber { .. } | Effect::Zero { .. } => {}
        }
    }

    fn model_value(&mut self, call: &CallData, value: &Value) -> Option<NodeId> {
        match value {
            Value::Entry { path, plus } => {
                let base = self.model_path(call, path)?;
                Some(self.moved(base, *plus))
            }
            Value::Inside(path) => {
                let base = self.model_path(call, path)?;
                let inside = self.graph.node();
                self.rule(base, Rule::Stride(inside, 1));
                Some(inside)
            }
            Value::Fresh { index, plus } => {
                let object = self.heap(call, *index);
                let node = self.graph.node();
                self.point(node, object, *plus);
                Some(node)
            }
            Value::Parts(parts) => {
                let all = self.graph.node();
                for part in parts {
                    if let Some(from) = self.model_value(call, part) {
                        self.graph.flow(from, all);
                    }
                }
                Some(all)
            }
            // Tags in the low bits leave an address what it is.
            Value::Bits { path, low: 0, .. } => self.model_path(call, path),
            Value::Any | Value::Number(_) | Value::Such { .. } | Value::Bits { .. } | Value::Word { .. } => {
                None
            }
        }
    }

    fn moved(&mut self, base: NodeId, bytes: i64) -> NodeId {
        if bytes == 0 {
            return base;
        }
        let moved = self.graph.node();
        self.rule(base, Rule::Shift(moved, bytes));
        moved
    }

    /// The node of what a path leads to.
    fn model_path(&mut self, call: &CallData, path: &Path) -> Option<NodeId> {
        let mut node = match path.root {
            Root::Param(index) => call.args.get(index as usize).copied().flatten()?,
            Root::Rest(index) => {
                let all = self.graph.node();
                for arg in call.args.iter().skip(index as usize).flatten() {
                    self.graph.flow(*arg, all);
                }
                all
            }
            Root::Result => call.result?,
            Root::Function(_) | Root::Process => return None,
            Root::Global(global) => {
                let object = self.global(global);
                let node = self.graph.node();
                self.point(node, object, 0);
                node
            }
            Root::Fresh(index) => {
                let object = self.heap(call, index);
                let node = self.graph.node();
                self.point(node, object, 0);
                node
            }
        };
        for &step in &path.steps {
            let cell = self.model_step(node, step)?;
            let next = self.graph.node();
            self.rule(cell, Rule::Load(next));
            node = next;
        }
        Some(node)
    }

    /// The node of the address that a step reads at.
    fn model_step(&mut self, base: NodeId, step: Step) -> Option<NodeId> {
        let to = match step {
            Step::At(0) => return Some(base),
            Step::Number { .. } | Step::State { .. } => return None,
            Step::At(_) | Step::Somewhere | Step::Element { .. } | Step::Each { .. } => self.graph.node(),
        };
        let rule = match step {
            Step::At(offset) => Rule::Shift(to, offset),
            _ => Rule::Stride(to, self.pointer_bytes()),
        };
        self.rule(base, rule);
        Some(to)
    }
}
