//! What the source declares that values point to.
//!
//! In: one body with its debug information. Out: for each value the C type that it points to, where a variable that
//! holds it or the place that it comes from says so. Values that are held by variables of different types have none.
//! A value that goes from a pointer of one record type to a pointer of another is a cast between the two.

use crate::layout::{Kind, Layouts, TypeRef};
use rustc_hash::FxHashMap;
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{Body, Const, ConvertOp, DebugType, Def, Function, Id, Op, Program, ValueId};

/// How far back a type is looked for.
const FARTHEST: u32 = 12;

/// Types of the values of one body, found on demand.
pub(crate) struct Typing<'a> {
    program: &'a Program,
    function: &'a Function,
    body: &'a Body,
    names: FxHashMap<ValueId, Option<TypeRef>>,
    homes: FxHashMap<ValueId, TypeRef>,
    known: Vec<Option<Option<TypeRef>>>,
}

impl<'a> Typing<'a> {
    pub(crate) fn new(
        program: &'a Program,
        layouts: &Layouts<'a>,
        function: &'a Function,
        body: &'a Body,
    ) -> Typing<'a> {
        let unit = function.unit;
        let mut names: FxHashMap<ValueId, Option<TypeRef>> = FxHashMap::default();
        for inst in body.insts.values() {
            if let Op::Name { variable, value } = inst.op
                && let Some(pointee) = layouts.pointee(unit, body.variables[variable].ty)
            {
                let pointee = layouts.one(pointee);
                let known = names.entry(value).or_insert(Some(pointee));
                *known = match *known {
                    Some(known) if known == pointee => Some(known),
                    // A record that is seen as bytes or numbers is the record.
                    Some(known) if layouts.is_record(known) && !layouts.is_record(pointee) => Some(known),
                    Some(known) if layouts.is_record(pointee) && !layouts.is_record(known) => Some(pointee),
                    _ => None,
                };
            }
        }
        let mut homes = FxHashMap::default();
        for variable in body.variables.values() {
            if let Some(home) = variable.home
                && let Some(ty) = layouts.of(unit, variable.ty)
            {
                homes.entry(home).or_insert(ty);
            }
        }
        Typing { program, function, body, names, homes, known: vec![None; body.values.len()] }
    }

    /// The declared type of an object on the stack.
    pub(crate) fn home(&self, value: ValueId) -> Option<TypeRef> {
        self.homes.get(&value).copied()
    }

    /// What a value points to.
    pub(crate) fn pointee(&mut self, layouts: &Layouts<'a>, value: ValueId) -> Option<TypeRef> {
        self.look(layouts, value, FARTHEST)
    }

    /// What a value points to as far as its node may rely on it: a `void *` that a variable holds as a pointer to bytes
    /// may be anything.
    pub(crate) fn trusted(&mut self, layouts: &Layouts<'a>, value: ValueId) -> Option<TypeRef> {
        let found = self.pointee(layouts, value)?;
        // What is cast from something that is no record may be anything.
        if layouts.is_record(found)
            && let Some(source) = self.source(layouts, value)
            && !layouts.is_record(source)
        {
            return None;
        }
        let plain = matches!(layouts.kind(found), Some(Kind::Bytes | Kind::Number));
        let acquired = match self.body.def_op(value) {
            Some(Op::Call(call)) => direct_callee(self.body, call)
                .is_none_or(|callee| self.program.functions[callee].body.is_none()),
            _ => false,
        };
        if plain && !acquired && self.names.contains_key(&value) && self.source(layouts, value).is_none() {
            return None;
        }
        Some(found)
    }

    /// What a value points to by where it comes from, whatever variables hold it.
    pub(crate) fn source(&mut self, layouts: &Layouts<'a>, value: ValueId) -> Option<TypeRef> {
        self.origin(layouts, value, FARTHEST).map(|ty| layouts.one(ty))
    }

    fn look(&mut self, layouts: &Layouts<'a>, value: ValueId, depth: u32) -> Option<TypeRef> {
        if let Some(known) = self.known[value.index()] {
            return known;
        }
        let found = match self.names.get(&value) {
            Some(named) => *named,
            None => match depth.checked_sub(1) {
                Some(depth) => self.origin(layouts, value, depth).map(|ty| layouts.one(ty)),
                // Not remembered: from nearer it may be found.
                None => return None,
            },
        };
        self.known[value.index()] = Some(found);
        found
    }

    fn origin(&mut self, layouts: &Layouts<'a>, value: ValueId, depth: u32) -> Option<TypeRef> {
        let op = match &self.body.values[value].def {
            Def::Param(index) => return layouts.parameter(self.function, *index as usize),
            Def::Const(Const::Global { global, offset }) => {
                let global = &self.program.globals[*global];
                let ty = layouts.of(global.unit, global.debug_type)?;
                return layouts.starting(ty, *offset);
            }
            Def::Const(_) => return None,
            Def::Inst(inst) => &self.body.insts[*inst].op,
        };
        match op {
            Op::Stack { .. } => self.home(value),
            Op::Load { addr, .. } => {
                let around = self.look(layouts, *addr, depth)?;
                layouts.pointer_in(around, 0)
            }
            Op::Offset { base, bytes } => {
                let around = self.look(layouts, *base, depth)?;
                layouts.starting(around, *bytes)
            }
            Op::Index { base, scale, .. } => {
                let around = self.look(layouts, *base, depth)?;
                layouts.element(around, scale.unsigned_abs())
            }
            Op::Convert { op: ConvertOp::Reinterpret, value } => self.look(layouts, *value, depth),
            Op::Call(call) => {
                let callee = &self.program.functions[direct_callee(self.body, call)?];
                layouts.result(callee)
            }
            _ => None,
        }
    }
}

impl<'a> Layouts<'a> {
    /// What a parameter points to by the prototype.
    pub(crate) fn parameter(&self, function: &Function, index: usize) -> Option<TypeRef> {
        match self.prototype(function)? {
            // Structs in registers make the signatures differ.
            DebugType::Function { params, .. } if params.len() == function.params.len() => {
                self.pointee(function.unit, *params.get(index)?)
            }
            _ => None,
        }
    }

    /// What the result points to by the prototype.
    pub(crate) fn result(&self, function: &Function) -> Option<TypeRef> {
        match self.prototype(function)? {
            DebugType::Function { result, .. } => self.pointee(function.unit, *result),
            _ => None,
        }
    }
}
