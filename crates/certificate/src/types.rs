//! Declared types: what an address points to, and which memory that is.
//!
//! The checker trusts that memory is used with the types it is declared with (`typed-memory`), and works out for itself what
//! that says: equal types of all units have one name, types between which the program itself converts pointers are one,
//! and every location of memory is of one [`Sort`].

use std::collections::{BTreeMap, BTreeSet};
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{
    Body, Const, DebugType, DebugTypeId, Def, FuncId, GlobalId, Op, Program, RecordKind, Terminator, Type,
    UnitId, ValueId, ctype,
};

/// A type, by number; equal types have equal numbers.
pub(crate) type Ty = usize;

/// What an address points to, as declared.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Points {
    Anything,
    /// So many bytes into an object.
    In(Ty, i64),
    /// No object at all.
    Nothing,
}

#[derive(Clone, PartialEq, Debug)]
enum Shape {
    Opaque,
    Function,
    Number(i64),
    Pointer(Option<Ty>),
    /// Members with offset, size and type; the size; whether they lie over each other.
    Record(Vec<(i64, i64, Ty)>, i64, bool),
    Array(Ty, i64),
}

/// What a location of memory is. Locations of different sorts are different locations.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Sort {
    /// A part of a variable whose address is not taken, and its type if that is known.
    Local(FuncId, ValueId, i64, Option<Ty>),
    Global(GlobalId, i64, Option<Ty>),
    /// A member of a record, and its type if no other member lies over it.
    Member(Ty, i64, Option<Ty>),
    /// A scalar in no record.
    Scalar(Ty),
    /// Memory of the library.
    Outside,
    /// Anything else that pointers lead to.
    Other,
}

impl Sort {
    /// Whether no pointer leads there.
    pub(crate) fn is_own(self) -> bool {
        matches!(self, Sort::Local(..) | Sort::Global(..) | Sort::Outside)
    }
}

/// The sorts that the location at an address may be of.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Sorts {
    One(Sort),
    /// Scalars of a type, in records or not.
    Of(Ty),
    /// Whatever pointers lead to.
    Reachable,
    All,
    /// No memory.
    None,
}

/// A scalar in an object: the innermost record around it with its offset there, and its type unless others lie over it.
#[derive(Copy, Clone, Debug)]
struct Scalar {
    field: Option<(Ty, i64)>,
    ty: Ty,
    overlaid: bool,
    /// It is no element of an array.
    single: bool,
}

pub(crate) struct Types<'p> {
    program: &'p Program,
    shapes: Vec<Shape>,
    names: BTreeMap<String, Ty>,
    known: BTreeMap<(UnitId, DebugTypeId), Ty>,
    united: Vec<Ty>,
    /// What local variables, and places that the compiler made for results, are declared as.
    locals: BTreeMap<(FuncId, ValueId), Ty>,
    /// Types of objects that the program uses as something else: nothing follows from being declared as one.
    cast: BTreeSet<Ty>,
    /// Whether declared types say anything at all: only where `typed-memory` is assumed.
    pub(crate) trusted: bool,
}

impl<'p> Types<'p> {
    pub(crate) fn new(program: &'p Program) -> Types<'p> {
        let mut types = Types {
            program,
            shapes: Vec::new(),
            names: BTreeMap::new(),
            known: BTreeMap::new(),
            united: Vec::new(),
            locals: BTreeMap::new(),
            cast: BTreeSet::new(),
            trusted: true,
        };
        for function in program.defined() {
            types.declare_locals(function);
        }
        for function in program.defined() {
            types.unite_casts(function);
        }
        types
    }

    fn declare_locals(&mut self, function: FuncId) {
        let Some(body) = &self.program.functions[function].body else { return };
        let unit = self.program.functions[function].unit;
        for variable in body.variables.values() {
            if let Some(home) = variable.home
                && let Some(ty) = self.of(unit, variable.ty)
            {
                self.locals.entry((function, home)).or_insert(ty);
            }
        }
        let result = self.result(function);
        for block in body.blocks.values() {
            if let Terminator::Return(Some(value)) = block.term
                && let Some(Op::Load { addr, .. }) = body.def_op(value)
                && matches!(body.def_op(*addr), Some(Op::Stack { .. }))
                && let Some(result) = result
            {
                self.locals.entry((function, *addr)).or_insert(result);
            }
        }
    }

    /// Where a pointer that is declared as one type is stored, passed or returned as another, the types are one.
    fn unite_casts(&mut self, function: FuncId) {
        let Some(body) = &self.program.functions[function].body else { return };
        let mut pairs = Vec::new();
        for inst in body.insts.values() {
            match &inst.op {
                Op::Load { addr, .. } => {
                    if let Some(result) = inst.result {
                        self.note_access(function, body, *addr, body.ty(result));
                    }
                }
                Op::Store { addr, value, .. } => {
                    self.note_access(function, body, *addr, body.ty(*value));
                    let place = self.points_of(function, body, *addr);
                    pairs.push((self.points_of(function, body, *value), self.behind(place)));
                }
                Op::Call(call) => {
                    let Some(callee) = direct_callee(body, call) else { continue };
                    if callee == function || self.program.functions[callee].body.is_none() {
                        continue;
                    }
                    for (index, &arg) in call.args.iter().enumerate() {
                        let declared = self.param(callee, index as u32);
                        pairs.push((self.points_of(function, body, arg), declared));
                    }
                }
                _ => {}
            }
        }
        for block in body.blocks.values() {
            if let Terminator::Return(Some(value)) = block.term {
                let result = self.result(function);
                let declared = self.pointee(result);
                pairs.push((self.points_of(function, body, value), declared));
            }
        }
        for pair in pairs {
            if let (Points::In(a, 0), Points::In(b, 0)) = pair {
                self.unite(a, b);
            }
        }
    }

    fn unite(&mut self, a: Ty, b: Ty) {
        let whole = |ty: Ty| matches!(self.shapes[ty], Shape::Record(..) | Shape::Pointer(_));
        let (one, other) = (self.class(a), self.class(b));
        if one == other || self.begins_with(a, b) || self.begins_with(b, a) {
            return;
        }
        if whole(a) && whole(b) {
            self.united[one.max(other)] = one.min(other);
        } else {
            // What a pointer to letters or numbers leads to is then not known, whatever it is declared as.
            self.cast.extend([a, b].into_iter().filter(|&ty| !whole(ty)));
        }
    }

    /// An object in which a pointer is declared as a number, or the other way round, is not what it is declared as.
    fn note_access(&mut self, function: FuncId, body: &Body, addr: ValueId, ty: Type) {
        if let Points::In(object, offset) = self.points_of(function, body, addr)
            && let Some(scalar) = self.scalar(object, offset)
            && !scalar.overlaid
            && matches!(self.shapes[scalar.ty], Shape::Pointer(_)) != (ty == Type::Ptr)
        {
            self.cast.insert(object);
        }
    }

    /// An object of a type.
    fn object(&self, ty: Ty) -> Points {
        if self.trusted && !self.cast.contains(&ty) { Points::In(ty, 0) } else { Points::Anything }
    }

    /// What a value of a body points to as declared, found from its definition alone.
    pub(crate) fn points_of(&mut self, function: FuncId, body: &Body, value: ValueId) -> Points {
        match &body.values[value].def {
            Def::Param(index) => self.param(function, *index),
            Def::Const(Const::Global { global, offset }) => self.global(*global).shifted(*offset),
            Def::Const(_) => Points::Nothing,
            Def::Inst(inst) => match &body.insts[*inst].op {
                Op::Stack { .. } => self.local(function, value),
                Op::Offset { base, bytes } => self.points_of(function, body, *base).shifted(*bytes),
                Op::Index { base, .. } => self.points_of(function, body, *base),
                Op::Load { addr, .. } => {
                    let place = self.points_of(function, body, *addr);
                    self.behind(place)
                }
                Op::Call(call) => {
                    let result = direct_callee(body, call).and_then(|callee| self.result(callee));
                    self.pointee(result)
                }
                _ => Points::Anything,
            },
        }
    }

    pub(crate) fn local(&self, function: FuncId, value: ValueId) -> Points {
        self.locals.get(&(function, value)).map_or(Points::Anything, |&ty| self.object(ty))
    }

    pub(crate) fn global(&mut self, global: GlobalId) -> Points {
        let Some(data) = self.program.globals.get(global) else { return Points::Anything };
        self.of(data.unit, data.debug_type).map_or(Points::Anything, |ty| self.object(ty))
    }

    /// What a parameter points to: it is declared at the variable that it is stored into.
    pub(crate) fn param(&mut self, function: FuncId, index: u32) -> Points {
        let Some(body) = &self.program.functions[function].body else { return Points::Anything };
        let mut found = Points::Anything;
        for inst in body.insts.values() {
            if let Op::Store { addr, value, .. } = inst.op
                && body.values[value].def == Def::Param(index)
                && let Some(&ty) = self.locals.get(&(function, addr))
            {
                found = self.behind(Points::In(ty, 0));
            }
        }
        found
    }

    pub(crate) fn result(&mut self, function: FuncId) -> Option<Ty> {
        let data = self.program.functions.get(function)?;
        match ctype::described(&self.program.units[data.unit].debug, data.debug_type)? {
            DebugType::Function { result, .. } => self.of(data.unit, *result),
            _ => None,
        }
    }

    /// What a pointer of a type points to.
    pub(crate) fn pointee(&self, ty: Option<Ty>) -> Points {
        match ty.map(|ty| &self.shapes[ty]) {
            Some(Shape::Pointer(Some(to))) if self.trusted => match self.shapes[*to] {
                Shape::Function => Points::Nothing,
                Shape::Opaque => Points::Anything,
                _ => self.object(*to),
            },
            _ => Points::Anything,
        }
    }

    /// What the pointer at an address points to.
    pub(crate) fn behind(&self, addr: Points) -> Points {
        let Points::In(ty, offset) = addr else { return Points::Anything };
        match self.scalar(ty, offset) {
            Some(scalar) if !scalar.overlaid => self.pointee(Some(scalar.ty)),
            _ => Points::Anything,
        }
    }

    /// The number of a type.
    pub(crate) fn of(&mut self, unit: UnitId, ty: Option<DebugTypeId>) -> Option<Ty> {
        self.look(unit, ty, DEEPEST)
    }

    fn look(&mut self, unit: UnitId, ty: Option<DebugTypeId>, depth: usize) -> Option<Ty> {
        let program = self.program;
        let debug = &program.units.get(unit)?.debug;
        let ty = ctype::strip(debug, ty)?;
        if let Some(&known) = self.known.get(&(unit, ty)) {
            return Some(known);
        }
        let depth = depth.checked_sub(1)?;
        let size = |ty| ctype::size(debug, ty, program.target.pointer_bits).unwrap_or(0) as i64;
        let (name, shape) = match debug.types.get(ty)? {
            DebugType::Opaque | DebugType::Typedef { .. } | DebugType::Qualified { .. } => {
                ("?".to_owned(), Shape::Opaque)
            }
            DebugType::Function { .. } => ("f".to_owned(), Shape::Function),
            DebugType::Base { bits, .. } | DebugType::Enum { bits, .. } => {
                let bytes = bits.div_ceil(8) as i64;
                (format!("n{bytes}"), Shape::Number(bytes))
            }
            DebugType::Pointer { to } => {
                let to = self.look(unit, *to, depth);
                (format!("*{}", to.map_or("void".to_owned(), |to| to.to_string())), Shape::Pointer(to))
            }
            DebugType::Array { of, .. } => {
                let bytes = size(Some(ty));
                let of = self.look(unit, *of, depth)?;
                (format!("{of}[{bytes}]"), Shape::Array(of, bytes))
            }
            DebugType::Record(record) => {
                let name = match record.name {
                    Some(name) => format!("{} {}", record.kind.name(), debug.names.get(name)),
                    None => format!("{unit} {ty}"),
                };
                let id = self.add(name, Shape::Record(Vec::new(), 0, false));
                self.known.insert((unit, ty), id);
                if matches!(self.shapes[id], Shape::Record(_, 0, _)) && record.bytes > 0 {
                    let (bytes, union) = (record.bytes as i64, record.kind == RecordKind::Union);
                    self.shapes[id] = Shape::Record(Vec::new(), bytes, union);
                    let mut members = Vec::new();
                    for member in &record.members {
                        if let Some(ty) = self.look(unit, member.ty, depth) {
                            members.push(((member.offset_bits / 8) as i64, size(member.ty), ty));
                        }
                    }
                    self.shapes[id] = Shape::Record(members, bytes, union);
                }
                return Some(id);
            }
        };
        let id = self.add(name, shape);
        self.known.insert((unit, ty), id);
        Some(id)
    }

    fn add(&mut self, name: String, shape: Shape) -> Ty {
        if let Some(&known) = self.names.get(&name) {
            return known;
        }
        let id = self.shapes.len();
        self.shapes.push(shape);
        self.united.push(id);
        self.names.insert(name, id);
        id
    }

    fn size(&self, ty: Ty) -> i64 {
        match self.shapes[ty] {
            Shape::Opaque | Shape::Function => 0,
            Shape::Number(bytes) | Shape::Record(_, bytes, _) | Shape::Array(_, bytes) => bytes,
            Shape::Pointer(_) => i64::from(self.program.target.pointer_bits / 8),
        }
    }

    /// The one number of all types that are one.
    pub(crate) fn class(&self, ty: Ty) -> Ty {
        let mut at = ty;
        while self.united[at] != at {
            at = self.united[at];
        }
        at
    }

    fn begins_with(&self, whole: Ty, part: Ty) -> bool {
        let mut todo = vec![(whole, DEEPEST)];
        while let Some((ty, depth)) = todo.pop() {
            if self.class(ty) == self.class(part) {
                return true;
            }
            let Some(depth) = depth.checked_sub(1) else { continue };
            match &self.shapes[ty] {
                Shape::Record(members, ..) => {
                    todo.extend(members.iter().filter(|member| member.0 == 0).map(|member| (member.2, depth)))
                }
                Shape::Array(of, _) => todo.push((*of, depth)),
                _ => {}
            }
        }
        false
    }

    /// Whether pointers to two types may be the same address.
    pub(crate) fn may_meet(&self, a: Option<Ty>, b: Option<Ty>) -> bool {
        let (Some(a), Some(b)) = (a, b) else { return true };
        let open = |ty: Ty| self.shapes[ty] == Shape::Opaque || self.cast.contains(&ty);
        open(a) || open(b) || self.begins_with(a, b) || self.begins_with(b, a)
    }

    /// Whether a scalar of a type may be a reference to a block of a type.
    pub(crate) fn may_hold(&self, scalar: Option<Ty>, block: Option<Ty>) -> bool {
        match scalar.filter(|_| self.trusted).map(|ty| &self.shapes[ty]) {
            None => true,
            Some(Shape::Pointer(Some(to))) if self.shapes[*to] == Shape::Function => false,
            Some(Shape::Pointer(to)) => self.may_meet(*to, block),
            Some(Shape::Opaque) => true,
            Some(_) => false,
        }
    }

    fn scalar(&self, ty: Ty, offset: i64) -> Option<Scalar> {
        let size = self.size(ty);
        // Behind an object there may be more of the same, unless it ends in an array.
        let mut offset = match offset {
            _ if (0..size).contains(&offset) || size == 0 => offset,
            _ => match self.last_array(ty, 0) {
                // More of an array without a size of its own.
                Some((from, 0)) if offset >= from => offset,
                Some(_) => return None,
                None => offset.rem_euclid(size),
            },
        };
        let mut single = true;
        let (mut at, mut field) = (ty, None);
        for _ in 0..DEEPEST {
            match &self.shapes[at] {
                Shape::Number(_) | Shape::Pointer(_) => {
                    return (offset == 0).then_some(Scalar { field, ty: at, overlaid: false, single });
                }
                Shape::Record(members, _, true) => {
                    let first = members.first()?;
                    let field = Some((self.class(at), 0));
                    return Some(Scalar { field, ty: first.2, overlaid: true, single: false });
                }
                Shape::Record(members, _, false) => {
                    let inside =
                        members.iter().rfind(|m| m.0 <= offset && (offset < m.0 + m.1 || m.1 == 0))?;
                    field = Some((self.class(at), inside.0));
                    offset -= inside.0;
                    at = inside.2;
                }
                Shape::Array(of, _) => {
                    let size = Some(self.size(*of)).filter(|&size| size > 0)?;
                    offset = offset.rem_euclid(size);
                    at = *of;
                    single = false;
                }
                Shape::Opaque | Shape::Function => return None,
            }
        }
        None
    }

    /// Where the array begins that an object ends in, and how large it is declared.
    fn last_array(&self, ty: Ty, base: i64) -> Option<(i64, i64)> {
        let Shape::Record(members, _, false) = &self.shapes[ty] else { return None };
        let last = members.iter().max_by_key(|member| member.0)?;
        match self.shapes[last.2] {
            Shape::Array(_, bytes) => Some((base + last.0, bytes)),
            Shape::Record(..) => self.last_array(last.2, base + last.0),
            _ => None,
        }
    }

    /// Whether the scalar at an address is no element of an array.
    pub(crate) fn is_single(&self, addr: Points) -> bool {
        matches!(addr, Points::In(ty, offset) if self.scalar(ty, offset).is_some_and(|scalar| scalar.single))
    }

    /// The sorts of the location at an address that pointers may lead to.
    pub(crate) fn sorts(&self, addr: Points) -> Sorts {
        match addr {
            Points::Anything => Sorts::Reachable,
            Points::Nothing if self.trusted => Sorts::None,
            Points::Nothing => Sorts::Reachable,
            Points::In(ty, offset) => match self.scalar(ty, offset) {
                None => Sorts::Reachable,
                Some(Scalar { field: Some((record, at)), ty, overlaid, .. }) => {
                    Sorts::One(Sort::Member(record, at, (!overlaid).then(|| self.class(ty))))
                }
                Some(Scalar { ty, .. }) => Sorts::Of(self.class(ty)),
            },
        }
    }

    /// The type of a scalar in a variable, unless others lie over it.
    pub(crate) fn scalar_type(&self, addr: Points) -> Option<Ty> {
        let Points::In(ty, offset) = addr else { return None };
        self.scalar(ty, offset).filter(|scalar| !scalar.overlaid).map(|scalar| self.class(scalar.ty))
    }

    /// Whether an object of a type is a record that does not go on behind its end.
    pub(crate) fn is_record(&self, block: Points) -> bool {
        let Points::In(ty, 0) = block else { return false };
        matches!(self.shapes[ty], Shape::Record(..)) && !matches!(self.last_array(ty, 0), Some((_, 0)))
    }

    /// Where in a block of a type pointers are, with their sorts; none when that is not known.
    pub(crate) fn parts(&self, block: Points) -> Option<Vec<(i64, Sort)>> {
        let Points::In(ty, 0) = block else { return None };
        let width = i64::from(self.program.target.pointer_bits / 8);
        let mut found = Vec::new();
        for offset in (0..self.size(ty)).step_by(width.max(1) as usize) {
            match self.sorts(Points::In(ty, offset)) {
                Sorts::One(sort) => found.push((offset, sort)),
                Sorts::Of(of) => found.push((offset, Sort::Scalar(of))),
                Sorts::Reachable => return None,
                Sorts::None | Sorts::All => {}
            }
        }
        Some(found)
    }
}

impl Points {
    pub(crate) fn shifted(self, bytes: i64) -> Points {
        match self {
            Points::In(ty, at) => Points::In(ty, at.wrapping_add(bytes)),
            other => other,
        }
    }
}

/// Types in types that are followed: debug information comes from outside.
const DEEPEST: usize = 24;
