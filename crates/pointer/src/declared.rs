//! What the source declares about values: the C type of each, and the types it is cast to.
//!
//! In: one body with its debug information. Out: [`Declared`]. The type of a value follows from where it comes from: a
//! parameter, a member, a function's result. Where that is `void *`, the variables that it is assigned to tell what it
//! is used as; a value may be cast to several types in several places, so those types hold for what is done with it
//! there, and not for the value.
//!
//! A pointer of one type that is assigned to a pointer of another is a cast; the two types are related from then on.

use crate::types::{Shape, TypeId, Types};
use rustc_hash::{FxHashMap, FxHashSet};
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{
    BinaryOp, Body, Callee, Const, ConvertOp, Def, FuncId, Function, Id, Op, Program, Terminator, Type,
    ValueId,
};

/// The types of the values of a body.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    /// The type of each value where its origin tells it.
    pub types: Vec<TypeId>,
    /// What values are used as where that differs from their type, each type once.
    pub casts: FxHashMap<ValueId, Vec<TypeId>>,
    /// Numbers that are addresses.
    pub words: FxHashSet<ValueId>,
}

impl Declared {
    /// What a value points to, by its origin.
    pub fn pointee(&self, types: &Types<'_>, value: ValueId) -> TypeId {
        self.types.get(value.index()).map_or(Types::unknown(), |&ty| types.pointee(ty))
    }

    /// Whether bytes that are copied from where one value points to where another does hold no addresses: text between
    /// pointers to bytes, or numbers. Addresses are copied as what they are, or between pointers to anything.
    pub fn copies_no_addresses(&self, types: &Types<'_>, from: ValueId, to: ValueId) -> bool {
        let (from, to) = (self.contents(types, from), self.contents(types, to));
        from == Contents::Numbers
            || to == Contents::Numbers
            || from == Contents::Text && matches!(to, Contents::Text | Contents::Undeclared)
            || from == Contents::Undeclared && to == Contents::Text
    }

    fn contents(&self, types: &Types<'_>, value: ValueId) -> Contents {
        let pointee = match self.casts.get(&value) {
            Some(casts) if casts.len() == 1 => casts[0],
            Some(_) => return Contents::Anything,
            None => match self.types.get(value.index()) {
                Some(&ty) if ty != Types::unknown() => types.pointee(ty),
                _ => return Contents::Undeclared,
            },
        };
        match types.shape(pointee) {
            Shape::Bytes => Contents::Text,
            Shape::Number(bytes) if *bytes < 8 => Contents::Numbers,
            _ => Contents::Anything,
        }
    }

    /// The one type that a value of unknown type is used as.
    pub fn used_as(&self, value: ValueId) -> Option<TypeId> {
        match self.casts.get(&value).map(Vec::as_slice) {
            Some(&[one]) => Some(one),
            _ => None,
        }
    }
}

/// The C types of the parameters as the body sees them.
pub fn parameters(types: &mut Types<'_>, function: &Function) -> Vec<TypeId> {
    let declared = types.of(function.unit, function.debug_type);
    let Shape::Function { result, params } = types.shape(declared).clone() else {
        return vec![Types::unknown(); function.params.len()];
    };
    let hidden = usize::from(function.params.first().is_some_and(|param| param.struct_result));
    // Structs in registers make the signatures differ; then the types do not fit.
    if params.len() + hidden != function.params.len() {
        return vec![Types::unknown(); function.params.len()];
    }
    let all = std::iter::repeat_n(result, hidden).chain(params.iter().copied());
    all.zip(&function.params)
        .map(
            |(ty, param)| {
                if param.struct_result || param.by_value.is_some() { types.pointer(ty) } else { ty }
            },
        )
        .collect()
}

/// The C type of the result.
pub fn result(types: &mut Types<'_>, function: &Function) -> TypeId {
    let declared = types.of(function.unit, function.debug_type);
    match types.shape(declared) {
        Shape::Function { result, .. } => *result,
        _ => Types::unknown(),
    }
}

/// Types the values of a body, and relates the types that it casts into each other.
pub fn declared(types: &mut Types<'_>, program: &Program, id: FuncId, body: &Body) -> Declared {
    let function = &program.functions[id];
    let mut typing = Typing {
        types,
        program,
        function,
        body,
        known: vec![None; body.values.len()],
        names: FxHashMap::default(),
        homes: FxHashMap::default(),
    };
    typing.run(id)
}

struct Typing<'t, 'a> {
    types: &'t mut Types<'a>,
    program: &'t Program,
    function: &'t Function,
    body: &'t Body,
    known: Vec<Option<TypeId>>,
    /// What the variables that hold a value point to.
    names: FxHashMap<ValueId, Vec<TypeId>>,
    /// The declared type of what lies at an address.
    homes: FxHashMap<ValueId, TypeId>,
}

impl Typing<'_, '_> {
    fn run(&mut self, id: FuncId) -> Declared {
        for (index, ty) in parameters(self.types, self.function).into_iter().enumerate() {
            self.known[index] = Some(ty);
        }
        for variable in self.body.variables.values() {
            if let Some(home) = variable.home {
                let ty = self.types.of(self.function.unit, variable.ty);
                self.homes.insert(home, ty);
            }
        }
        for inst in self.body.insts.values() {
            if let Op::Name { variable, value } = &inst.op {
                let ty = self.types.of(self.function.unit, self.body.variables[*variable].ty);
                let pointee = self.types.pointee(ty);
                if pointee != Types::unknown() {
                    let names = self.names.entry(*value).or_default();
                    if !names.contains(&pointee) {
                        names.push(pointee);
                    }
                }
            }
        }
        for value in self.body.values.ids() {
            self.value(value);
        }
        let mut casts: FxHashMap<ValueId, Vec<TypeId>> = FxHashMap::default();
        self.collect_casts(id, &mut casts);
        let types = self.known.iter().map(|ty| ty.unwrap_or(Types::unknown())).collect();
        Declared { types, casts, words: words(self.body, self.program.target.pointer_bits) }
    }

    /// The type of a value. A value that depends on itself, around a loop, has the type that it began with.
    fn value(&mut self, value: ValueId) -> TypeId {
        let mut open = vec![value];
        while let Some(&next) = open.last() {
            if self.known[next.index()].is_some() {
                open.pop();
                continue;
            }
            // Operands first, but only a bounded way back at a time: this is a depth-first walk with its own stack.
            let missing = self.first_missing(next, &open);
            match missing {
                Some(operand) => open.push(operand),
                None => {
                    let ty = self.origin(next);
                    self.known[next.index()] = Some(ty);
                    open.pop();
                }
            }
        }
        self.known[value.index()].unwrap_or(Types::unknown())
    }

    fn first_missing(&self, value: ValueId, open: &[ValueId]) -> Option<ValueId> {
        let mut missing = None;
        let mut look = |operand: ValueId| {
            if missing.is_none() && self.known[operand.index()].is_none() && !open.contains(&operand) {
                missing = Some(operand);
            }
        };
        match self.body.def_op(value)? {
            Op::Load { addr, .. } => look(*addr),
            Op::Offset { base, .. } | Op::Index { base, .. } => look(*base),
            Op::Convert { value, .. } => look(*value),
            Op::Select { then, other, .. } => {
                look(*then);
                look(*other);
            }
            // One typed operand is enough, and long chains of merges would be walked again and again.
            Op::Phi { incoming } if open.len() < 64 => incoming.iter().for_each(|entry| look(entry.1)),
            Op::Call(call) => {
                if let Callee::Pointer(pointer) = call.callee {
                    look(pointer);
                }
            }
            _ => {}
        }
        missing
    }

    fn of(&self, value: ValueId) -> TypeId {
        self.known[value.index()].unwrap_or(Types::unknown())
    }

    fn origin(&mut self, value: ValueId) -> TypeId {
        if let Some(&home) = self.homes.get(&value) {
            return self.types.pointer(home);
        }
        let op = match &self.body.values[value].def {
            Def::Param(_) => return Types::unknown(),
            Def::Const(Const::Global { global, offset }) => {
                let global = &self.program.globals[*global];
                let ty = self.types.of(global.unit, global.debug_type);
                return self.inside(ty, *offset);
            }
            Def::Const(Const::Func(function)) => {
                let function = &self.program.functions[*function];
                let ty = self.types.of(function.unit, function.debug_type);
                return self.types.pointer(ty);
            }
            Def::Const(_) => return Types::unknown(),
            Def::Inst(inst) => &self.body.insts[*inst].op,
        };
        match op {
            Op::Load { addr, .. } => {
                let to = self.used_at(*addr, 0);
                self.types.scalar(to, 0)
            }
            Op::Offset { base, bytes } => {
                let mut bytes = *bytes;
                if bytes < 0 && !self.names.contains_key(&value) {
                    // An element before this one. A pointer to what is around this one is held by a variable.
                    let to = self.types.pointee(self.of(*base));
                    let size = self.types.size(to).and_then(|size| i64::try_from(size).ok());
                    bytes = size.filter(|&size| size > 0).map_or(bytes, |size| bytes.rem_euclid(size));
                }
                let to = self.used_at(*base, bytes);
                self.inside(to, bytes)
            }
            Op::Index { base, scale, .. } => {
                let to = self.used_at(*base, 0);
                let element = self.types.element(to, scale.unsigned_abs());
                self.types.pointer(element)
            }
            Op::Convert { op: ConvertOp::Reinterpret, value } => self.of(*value),
            Op::Select { then, other, .. } => self.one_of(&[*then, *other]),
            Op::Phi { incoming } => {
                let values: Vec<ValueId> = incoming.iter().map(|entry| entry.1).collect();
                self.one_of(&values)
            }
            Op::Call(call) => match direct_callee(self.body, call) {
                Some(callee) => result(self.types, &self.program.functions[callee]),
                None => match call.callee {
                    Callee::Pointer(pointer) => self.types.result(self.of(pointer)),
                    Callee::Direct(_) => Types::unknown(),
                },
            },
            _ => Types::unknown(),
        }
    }

    /// The type that an address points to where it is used some bytes further on: a variable that holds it tells more
    /// than where it comes from, when a pointer to the beginning of a larger type is cast.
    fn used_at(&mut self, value: ValueId, bytes: i64) -> TypeId {
        let own = self.types.pointee(self.of(value));
        let Ok(offset) = u64::try_from(bytes) else { return Types::unknown() };
        let Some(names) = self.names.get(&value) else { return own };
        let mut best = own;
        for &name in names {
            let better = self.types.size(name) > self.types.size(best) || self.types.is_storage(best);
            if better && self.types.reaches(name, offset) && !self.types.starts(name, offset).is_empty() {
                best = name;
            }
        }
        best
    }

    fn inside(&mut self, ty: TypeId, bytes: i64) -> TypeId {
        let to = match u64::try_from(bytes) {
            Ok(offset) => self.types.inside(ty, offset),
            Err(_) => Types::unknown(),
        };
        self.types.pointer(to)
    }

    /// The type that all values have whose type is known; null has every type.
    fn one_of(&self, values: &[ValueId]) -> TypeId {
        let mut found = None;
        for &value in values {
            if self.body.bits(value).is_some() {
                continue;
            }
            match self.known[value.index()] {
                None => {}
                Some(ty) if found.is_none_or(|found| found == ty) => found = Some(ty),
                Some(_) => return Types::unknown(),
            }
        }
        found.unwrap_or(Types::unknown())
    }

    /// Every place where a value meets a declared type.
    fn collect_casts(&mut self, id: FuncId, casts: &mut FxHashMap<ValueId, Vec<TypeId>>) {
        let own = result(self.types, &self.program.functions[id]);
        let mut params_of: FxHashMap<FuncId, Vec<TypeId>> = FxHashMap::default();
        for block in self.body.blocks.values() {
            for &inst in &block.insts {
                let result = self.body.insts[inst].result;
                match &self.body.insts[inst].op {
                    Op::Load { addr, .. } => {
                        if let Some(result) = result
                            && self.of(result) == Types::unknown()
                            && self.body.ty(result) == Type::Ptr
                        {
                            self.members_of_union(*addr, result, casts);
                        }
                    }
                    Op::Name { variable, value } => {
                        let ty = self.types.of(self.function.unit, self.body.variables[*variable].ty);
                        self.cast(*value, ty, casts, Use::Access);
                    }
                    Op::Store { addr, value, .. } => {
                        let to = self.used_at(*addr, 0);
                        let ty = self.types.scalar(to, 0);
                        self.cast(*value, ty, casts, Use::Assignment);
                    }
                    Op::MemCopy { dst, src, .. } => {
                        let (from, to) = (self.used_at(*src, 0), self.used_at(*dst, 0));
                        self.types.relate(from, to);
                        self.types.relate(to, from);
                    }
                    Op::Call(call) => {
                        let params = match direct_callee(self.body, call) {
                            Some(callee) => params_of
                                .entry(callee)
                                .or_insert_with(|| parameters(self.types, &self.program.functions[callee]))
                                .clone(),
                            None => match call.callee {
                                Callee::Pointer(pointer) => self.types.params(self.of(pointer)).to_vec(),
                                Callee::Direct(_) => Vec::new(),
                            },
                        };
                        for (&arg, ty) in call.args.iter().zip(params) {
                            self.cast(arg, ty, casts, Use::Assignment);
                        }
                    }
                    _ => {}
                }
            }
            if let Terminator::Return(Some(value)) = block.term {
                self.cast(value, own, casts, Use::Assignment);
            }
        }
    }

    /// A pointer in a union is one of the pointers that the union may hold.
    fn members_of_union(
        &mut self,
        addr: ValueId,
        value: ValueId,
        casts: &mut FxHashMap<ValueId, Vec<TypeId>>,
    ) {
        let to = self.used_at(addr, 0);
        let starts = self.types.starts(to, 0);
        let mut classes = Vec::new();
        for &start in starts.iter() {
            let pointee = match self.types.shape(start) {
                Shape::Pointer(to) => *to,
                Shape::Record(_) | Shape::Number(_) => continue,
                _ => return,
            };
            let class = self.types.class(pointee);
            if class == Types::unknown() {
                return;
            }
            if !classes.contains(&class) {
                classes.push(class);
            }
        }
        if !classes.is_empty() {
            casts.entry(value).or_default().extend(classes);
        }
    }

    /// A value is used as a type.
    fn cast(&mut self, value: ValueId, ty: TypeId, casts: &mut FxHashMap<ValueId, Vec<TypeId>>, used: Use) {
        let class = self.types.pointee(ty);
        let class = self.types.class(class);
        if class == Types::unknown() {
            return;
        }
        let own = self.types.pointee(self.of(value));
        let own = self.types.class(own);
        if own != Types::unknown() {
            self.types.relate(own, class);
            if used == Use::Assignment || own == class && !casts.contains_key(&value) {
                return;
            }
            // A variable of its own type is one use among others.
            let all = self.names.get(&value).cloned().unwrap_or_default();
            if all.iter().all(|&name| self.types.class(name) == own) {
                return;
            }
        }
        // What a fresh object is assigned to tells its type; accesses go through variables only.
        let fresh = matches!(self.body.def_op(value), Some(Op::Call(_)));
        if fresh || used == Use::Access {
            let known = casts.entry(value).or_default();
            if !known.contains(&class) {
                known.push(class);
            }
        }
    }
}

/// The numbers of a body that are made from addresses, or that addresses are made from.
fn words(body: &Body, bits: u32) -> FxHashSet<ValueId> {
    let mut made = Vec::new();
    let mut used = Vec::new();
    for inst in body.insts.values() {
        match &inst.op {
            Op::Convert { op: ConvertOp::PtrToInt, .. } => made.extend(inst.result),
            Op::Convert { op: ConvertOp::IntToPtr, value } => used.push(*value),
            _ => {}
        }
    }
    let mut words = FxHashSet::default();
    let is_word = |value: ValueId| body.ty(value) == Type::Int(bits) && body.constant(value).is_none();
    while let Some(value) = used.pop() {
        if is_word(value)
            && words.insert(value)
            && let Some(op) = body.def_op(value)
            && moves(op)
        {
            op.operands(|operand| used.push(operand));
        }
    }
    if made.is_empty() {
        return words;
    }
    words.extend(made.into_iter().filter(|&value| is_word(value)));
    // What is computed from an address; few functions do, so a walk to a fixpoint costs little.
    loop {
        let before = words.len();
        for inst in body.insts.values() {
            if let Some(result) = inst.result
                && is_word(result)
                && moves(&inst.op)
            {
                let mut count = 0;
                inst.op.operands(|operand| count += u32::from(words.contains(&operand)));
                // The distance of two addresses is a number.
                let distance =
                    matches!(inst.op, Op::Binary { op: BinaryOp::Sub, rhs, .. } if words.contains(&rhs));
                if count > 0 && !distance {
                    words.insert(result);
                }
            }
        }
        if words.len() == before {
            return words;
        }
    }
}

/// Operations on numbers whose result may be the address that an operand is.
fn moves(op: &Op) -> bool {
    match op {
        Op::Phi { .. } | Op::Select { .. } => true,
        Op::Binary { op, .. } => {
            matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
        }
        _ => false,
    }
}

/// What is found where a pointer points, by its declaration.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Contents {
    Text,
    Numbers,
    Anything,
    Undeclared,
}

/// How a value meets a type.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Use {
    /// A variable of the type holds it.
    Access,
    /// It is stored, passed or returned.
    Assignment,
}
