//! What is known of a whole program before any of its functions is run.
//!
//! In: a program and the models. Out: variables that nobody changes, functions whose address somebody takes, the types of
//! parameters, and the numbers that a function compares with, which are good guesses for what it may be given.

use crate::limits::{CHOICE_DEPTH, TRIED_NUMBERS};
use crate::needs::LeastNeeds;
use crate::whole::{Functions, Whole};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};
use watertight_ir::spell::SourceType;
use watertight_ir::{
    Body, Callee, Const, Def, FuncId, GlobalId, Id, InstId, Linkage, Op, Program, Symbol, Terminator, ValueId,
};
use watertight_pointer::Calls;
use watertight_summary::model::Models;

/// What runs need to know.
pub struct Known<'p> {
    pub(crate) program: &'p Program,
    pub(crate) models: &'p Models,
    pub(crate) whole: &'p dyn Whole,
    /// By global: whether something may change it.
    changed: Vec<bool>,
    /// Functions with a body whose address is taken somewhere.
    pub(crate) taken: Vec<FuncId>,
    numbers: Mutex<FxHashMap<FuncId, Arc<[u64]>>>,
    parameters: Mutex<FxHashMap<FuncId, Arc<[Option<SourceType>]>>>,
    /// By function: for loads of pointers that are called, the call.
    called: Mutex<FxHashMap<FuncId, Arc<FxHashMap<InstId, InstId>>>>,
    /// What functions need for their results.
    pub(crate) least: LeastNeeds<'p>,
}

impl<'p> Known<'p> {
    /// Goes through the program once. The calls are those of the program, with pointers resolved.
    pub fn new(
        program: &'p Program,
        models: &'p Models,
        whole: &'p dyn Whole,
        calls: &'p Calls,
    ) -> Known<'p> {
        let mut changed = vec![false; program.globals.len()];
        let mut taken = vec![false; program.functions.len()];
        let mut change = |global: GlobalId| changed[global.index()] = true;
        for (id, global) in program.globals.iter() {
            // What others see, others may change.
            if global.image.is_none() || global.linkage != Linkage::Internal {
                change(id);
            }
            for relocation in global.image.iter().flat_map(|image| &image.relocations) {
                match relocation.target {
                    Symbol::Global(target) => change(target),
                    Symbol::Func(function) => taken[function.index()] = true,
                    Symbol::Label(..) => {}
                }
            }
        }
        for body in program.functions.values().filter_map(|function| function.body.as_ref()) {
            let only_read = only_read(body);
            for inst in body.insts.values() {
                // Reading a variable leaves it as it is; any other use of its address may not.
                let reads = match inst.op {
                    Op::Load { addr, .. } => Some(addr),
                    _ => None,
                };
                let through = matches!(inst.op, Op::Offset { .. } | Op::Index { .. } | Op::Compare { .. });
                let callee = match &inst.op {
                    Op::Call(call) => match call.callee {
                        Callee::Pointer(value) => Some(value),
                        Callee::Direct(_) => None,
                    },
                    _ => None,
                };
                inst.op.operands(|value| match body.values[value].def {
                    Def::Const(Const::Global { global, .. }) if Some(value) != reads && !through => {
                        change(global);
                    }
                    Def::Const(Const::Func(function)) if Some(value) != callee => {
                        taken[function.index()] = true;
                    }
                    _ => {}
                });
                if let Op::Offset { base, .. } | Op::Index { base, .. } = inst.op
                    && let Some(Const::Global { global, .. }) = body.constant(base)
                    && inst.result.is_some_and(|result| !only_read[result.index()])
                {
                    change(*global);
                }
            }
        }
        let with_body = |id: &FuncId| program.functions[*id].body.is_some();
        let taken = program.functions.ids().filter(|id| taken[id.index()]).filter(with_body).collect();
        let least = LeastNeeds::new(program, models, calls);
        Known {
            program,
            models,
            whole,
            changed,
            taken,
            numbers: Mutex::default(),
            parameters: Mutex::default(),
            called: Mutex::default(),
            least,
        }
    }

    /// Whether a variable may hold something else than at the start of the program.
    pub(crate) fn may_change(&self, global: GlobalId) -> bool {
        self.changed[global.index()]
    }

    /// The types of the parameters of a function as the source declares them.
    pub(crate) fn parameters(&self, function: FuncId) -> Arc<[Option<SourceType>]> {
        let mut parameters = self.parameters.lock().unwrap_or_else(PoisonError::into_inner);
        let found = || declared(self.program, function).into();
        Arc::clone(parameters.entry(function).or_insert_with(found))
    }

    /// The functions that a pointer may be which this load of a function reads, if it reads one that is called there.
    pub(crate) fn read_to_call(&self, function: FuncId, load: InstId) -> Option<Functions> {
        let mut called = self.called.lock().unwrap_or_else(PoisonError::into_inner);
        let calls = called.entry(function).or_insert_with(|| {
            let body = self.program.functions[function].body.as_ref();
            Arc::new(body.map_or_else(FxHashMap::default, calls_of_loads))
        });
        let call = calls.get(&load).copied()?;
        drop(called);
        self.whole.reached(function, call)
    }

    /// Numbers that a function compares with, switches on or masks by.
    pub(crate) fn numbers(&self, function: FuncId) -> Arc<[u64]> {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = numbers.get(&function) {
            return Arc::clone(known);
        }
        let found: Arc<[u64]> = match &self.program.functions[function].body {
            Some(body) => numbers_of(body).into(),
            None => [].into(),
        };
        numbers.insert(function, Arc::clone(&found));
        found
    }
}

/// The types of parameters, by the variables that hold them.
fn declared(program: &Program, function: FuncId) -> Vec<Option<SourceType>> {
    let data = &program.functions[function];
    let mut types = vec![None; data.params.len()];
    let Some(body) = &data.body else { return types };
    let mut homes = FxHashMap::default();
    for (id, variable) in body.variables.iter() {
        if let Some(home) = variable.home {
            homes.entry(home).or_insert(id);
        }
    }
    let mut seen = vec![false; types.len()];
    for inst in body.insts.values() {
        let (variable, value) = match inst.op {
            Op::Name { variable, value } => (Some(variable), value),
            Op::Store { addr, value, .. } => (homes.get(&addr).copied(), value),
            _ => continue,
        };
        // The first values of a body are its parameters.
        let (Some(variable), Some(seen)) = (variable, seen.get_mut(value.index())) else { continue };
        if !std::mem::replace(seen, true) {
            types[value.index()] = body.variables[variable].ty.map(|ty| SourceType { unit: data.unit, ty });
        }
    }
    types
}

/// By load: the call of what it reads.
fn calls_of_loads(body: &Body) -> FxHashMap<InstId, InstId> {
    let mut found = FxHashMap::default();
    let loads: FxHashMap<ValueId, InstId> = (body.insts.iter())
        .filter(|(_, inst)| matches!(inst.op, Op::Load { .. }))
        .filter_map(|(id, inst)| Some((inst.result?, id)))
        .collect();
    for (id, inst) in body.insts.iter() {
        if let Op::Call(call) = &inst.op
            && let Callee::Pointer(callee) = call.callee
        {
            let mut values = vec![(callee, CHOICE_DEPTH)];
            while let Some((value, depth)) = values.pop() {
                if let Some(&load) = loads.get(&value) {
                    found.entry(load).or_insert(id);
                } else if let (Some(Op::Phi { incoming }), Some(depth)) =
                    (body.def_op(value), depth.checked_sub(1))
                {
                    values.extend(incoming.iter().map(|entry| (entry.1, depth)));
                }
            }
        }
    }
    found
}

/// By value: whether it is used as an address to read from, or compared, and for nothing else.
fn only_read(body: &Body) -> Vec<bool> {
    let mut only = vec![true; body.values.len()];
    for inst in body.insts.values() {
        if !matches!(inst.op, Op::Load { .. } | Op::Compare { .. }) {
            inst.op.operands(|value| only[value.index()] = false);
        }
    }
    for block in body.blocks.values() {
        block.term.operands(|value| only[value.index()] = false);
    }
    only
}

fn numbers_of(body: &Body) -> Vec<u64> {
    let mut numbers: Vec<u64> = Vec::new();
    let mut add = |number: Option<u64>| {
        if let Some(number) = number
            && number > 1
            && numbers.len() < TRIED_NUMBERS
            && !numbers.contains(&number)
        {
            numbers.push(number);
        }
    };
    for inst in body.insts.values() {
        match inst.op {
            Op::Compare { lhs, rhs, .. } => {
                add(body.bits(lhs));
                add(body.bits(rhs));
            }
            Op::Binary { op: watertight_ir::BinaryOp::And, rhs, .. } => add(body.bits(rhs)),
            _ => {}
        }
    }
    for block in body.blocks.values() {
        if let Terminator::Switch { cases, .. } = &block.term {
            cases.iter().for_each(|case| add(u64::try_from(case.0).ok()));
        }
    }
    numbers
}
