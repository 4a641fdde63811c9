//! Which functions fill what they are given as bytes, whatever it is: `get_bytes(file, void *to, size_t count)`.
//!
//! In: what becomes of parameters that point to `void`, function by function. Out: which parameters code out of sight, or code that
//! writes characters, fills. What such a parameter is passed on to counts too.

use crate::facts::cells::{Pointee, Scope};
use crate::facts::contents::writes;
use rustc_hash::{FxHashMap, FxHashSet};
use watertight_ir::callgraph::{CallGraph, direct_callee};
use watertight_ir::{FuncId, Op, Program, Type, ValueId};
use watertight_summary::model::Models;

/// A parameter of a function.
type Parameter = (FuncId, u32);

/// Parameters that are filled as bytes.
#[derive(Debug, Default)]
pub(crate) struct Raw {
    filled: FxHashSet<Parameter>,
    /// What the first is given, the second gets.
    passed: Vec<(Parameter, Parameter)>,
    /// The same for functions whose addresses are taken, by how many parameters there are.
    taken: FxHashSet<(usize, usize)>,
}

impl Raw {
    /// Looks at what a function does with its parameters.
    pub(crate) fn body(&mut self, program: &Program, library: &Models, scope: &Scope<'_>) {
        let body = scope.body;
        let mut derived: FxHashMap<ValueId, u32> = FxHashMap::default();
        for (value, data) in body.values.iter() {
            if let watertight_ir::Def::Param(index) = data.def
                && data.ty == Type::Ptr
                && matches!(scope.pointee(value), Some(Pointee::Void) | None)
            {
                derived.insert(value, index);
            }
        }
        if derived.is_empty() {
            return;
        }
        for inst in body.blocks.values().flat_map(|block| &block.insts) {
            let data = &body.insts[*inst];
            let from = match &data.op {
                Op::Offset { base, .. } | Op::Index { base, .. } => derived.get(base).copied(),
                Op::Phi { incoming } => incoming.iter().find_map(|(_, value)| derived.get(value).copied()),
                Op::Select { then, other, .. } => derived.get(then).or(derived.get(other)).copied(),
                Op::Name { variable, value } => {
                    if let Some(&index) = derived.get(value)
                        && let Some(Pointee::Scalar { constant: false }) = scope.variable(*variable)
                    {
                        self.filled.insert((scope.id, index));
                    }
                    None
                }
                Op::MemCopy { dst, src, .. } => {
                    if let Some(&index) = derived.get(dst)
                        && matches!(scope.pointee(*src), Some(Pointee::Scalar { .. }))
                    {
                        self.filled.insert((scope.id, index));
                    }
                    None
                }
                Op::Call(call) => {
                    let callee = direct_callee(body, call);
                    for (number, arg) in call.args.iter().enumerate() {
                        let Some(&index) = derived.get(arg) else { continue };
                        let Some(callee) = callee else { continue };
                        let function = &program.functions[callee];
                        if function.body.is_some() {
                            self.passed.push(((scope.id, index), (callee, number as u32)));
                        } else if writes(library.functions.get(&function.name), number) {
                            self.filled.insert((scope.id, index));
                        }
                    }
                    None
                }
                _ => None,
            };
            if let Some((from, result)) = from.zip(data.result) {
                derived.insert(result, from);
            }
        }
    }

    /// Carries what is filled along calls.
    pub(crate) fn follow(&mut self, program: &Program, graph: &CallGraph) {
        loop {
            let before = self.filled.len();
            for (from, to) in &self.passed {
                if self.filled.contains(to) {
                    self.filled.insert(*from);
                }
            }
            if self.filled.len() == before {
                break;
            }
        }
        for &function in graph.address_taken() {
            let count = program.functions[function].params.len();
            for index in 0..count {
                if self.filled.contains(&(function, index as u32)) {
                    self.taken.insert((count, index));
                }
            }
        }
    }

    /// Whether a call fills an argument as bytes: of a function, or through a pointer.
    pub(crate) fn fills(&self, callee: Option<FuncId>, args: usize, index: usize) -> bool {
        match callee {
            Some(callee) => self.filled.contains(&(callee, index as u32)),
            None => self.taken.contains(&(args, index)),
        }
    }
}
