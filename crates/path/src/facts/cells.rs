//! Which cell of which structure type an address in a body is that of.
//!
//! In: a body with debug information. Out: for an address the structure around it that has a name, and where in it. The type comes
//! from the variable that holds the address, or from what it was read from. What lies in a union is no cell: which of its members is
//! there depends on something else. Elements of arrays are alike.

use crate::facts::types::{identity, parts};
use crate::limits::ADDRESS_STEPS;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::iter::successors;
use watertight_ir::spell::Speller;
use watertight_ir::{
    Body, Const, DebugType, FuncId, Op, Program, Qualifier, RecordKind, SourceType, UnitId, ValueId, ctype,
};

/// The name and the size of a structure type.
pub(crate) type RecordName = (Box<str>, u64);

/// A part of a structure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Spot {
    pub(crate) record: RecordName,
    pub(crate) offset: i64,
    /// The range of the member: all of an array.
    pub(crate) member: (i64, i64),
}

/// Where an address leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// Into an object of this type.
    In(SourceType, i64),
    /// Into something that is no structure.
    Plain,
    /// So many bytes behind an address of which nothing is known.
    Unknown(i64),
}

/// What a pointer points to, as its type says.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Pointee {
    Record(SourceType),
    Void,
    /// A number, a character, another pointer.
    Scalar {
        constant: bool,
    },
}

/// What a type is that something points to.
pub(crate) fn pointee(program: &Program, pointer: SourceType) -> Option<Pointee> {
    let debug = &program.units[pointer.unit].debug;
    let Some(to) = ctype::pointee(debug, Some(pointer.ty))? else { return Some(Pointee::Void) };
    let constant =
        matches!(debug.types.get(to), Some(DebugType::Qualified { qualifier: Qualifier::Const, .. }));
    Some(match ctype::described(debug, Some(to)) {
        Some(DebugType::Record(_) | DebugType::Array { .. }) => {
            Pointee::Record(SourceType { unit: pointer.unit, ty: to })
        }
        Some(DebugType::Base { .. } | DebugType::Enum { .. } | DebugType::Pointer { .. }) => {
            Pointee::Scalar { constant }
        }
        None => Pointee::Void,
        Some(_) => return None,
    })
}

/// The part of an object at an offset.
pub(crate) fn spot(program: &Program, object: SourceType, offset: i64) -> Option<Spot> {
    let mut around: Option<(RecordName, u64)> = None;
    let mut member: Option<(u64, u64)> = None;
    for part in parts(program, object, offset) {
        match part.described {
            DebugType::Record(record) if record.kind != RecordKind::Union => {
                if let Some(name) = identity(program, SourceType { unit: object.unit, ty: part.ty }) {
                    around = Some((name, part.inside));
                }
                let found = part.member?;
                // Seen from the structure that has the name.
                let before = around.as_ref().map_or(0, |(_, around)| around.saturating_sub(part.inside));
                let end = (found.offset_bits + found.bits).div_ceil(8);
                member = Some((before + found.offset_bits / 8, before + end));
                if found.bit_field {
                    break;
                }
            }
            DebugType::Array { .. } => {}
            DebugType::Record(_) => return None,
            _ => break,
        }
    }
    let ((record, offset), (start, end)) = (around?, member?);
    Some(Spot {
        record,
        offset: i64::try_from(offset).ok()?,
        member: (i64::try_from(start).ok()?, i64::try_from(end).ok()?),
    })
}

/// Whether a structure that lies in another one begins at an offset.
pub(crate) fn begins_record(program: &Program, object: SourceType, offset: i64) -> bool {
    let mut inner = parts(program, object, offset).skip(1);
    inner.any(|part| part.inside == 0 && matches!(part.described, DebugType::Record(_)))
}

/// An address, and after it each that it was made from by a constant or an index, with how many bytes it lies behind that one; elements
/// are alike.
pub(crate) fn outward(body: &Body, addr: ValueId) -> impl Iterator<Item = (ValueId, i64)> {
    let further = |&(addr, offset): &(ValueId, i64)| match body.def_op(addr)? {
        Op::Offset { base, bytes } => Some((*base, offset.wrapping_add(*bytes))),
        Op::Index { base, .. } => Some((*base, offset)),
        _ => None,
    };
    // In code that nothing reaches an address may be made from itself.
    successors(Some((addr, 0)), further).take(body.insts.len() + 1)
}

/// The address that another was made from by constants and indices: that of what it lies in.
pub(crate) fn base_of(body: &Body, addr: ValueId) -> ValueId {
    outward(body, addr).last().map_or(addr, |(base, _)| base)
}

/// A body in which addresses are looked up.
pub(crate) struct Scope<'p> {
    pub(crate) program: &'p Program,
    pub(crate) id: FuncId,
    pub(crate) body: &'p Body,
    unit: UnitId,
    speller: Speller<'p>,
    homes: FxHashMap<ValueId, Option<SourceType>>,
    /// What values point to as variables say that hold them, where these are structures: `struct item *item = data`.
    held: FxHashMap<ValueId, SourceType>,
    /// What was asked before.
    known: RefCell<FxHashMap<ValueId, Option<Pointee>>>,
}

impl<'p> Scope<'p> {
    pub(crate) fn new(program: &'p Program, id: FuncId) -> Option<Scope<'p>> {
        let data = &program.functions[id];
        let body = data.body.as_ref()?;
        let unit = data.unit;
        let mut homes = FxHashMap::default();
        for variable in body.variables.values() {
            if let Some(home) = variable.home {
                homes.entry(home).or_insert(variable.ty.map(|ty| SourceType { unit, ty }));
            }
        }
        let mut held = FxHashMap::default();
        for inst in body.insts.values() {
            let Op::Name { variable, value } = inst.op else { continue };
            if body.constant(value).is_some() {
                continue;
            }
            let ty = body.variables.get(variable).and_then(|variable| variable.ty);
            if let Some(Pointee::Record(to)) = ty.and_then(|ty| pointee(program, SourceType { unit, ty })) {
                held.entry(value).or_insert(to);
            }
        }
        let speller = Speller::new(program, id)?;
        Some(Scope { program, id, body, unit, speller, homes, held, known: RefCell::default() })
    }

    /// What a value points to, by the variable that holds it or what it was read from.
    pub(crate) fn pointee(&self, value: ValueId) -> Option<Pointee> {
        if let Some(&to) = self.held.get(&value) {
            return Some(Pointee::Record(to));
        }
        let known = self.known.borrow().get(&value).copied();
        known.unwrap_or_else(|| {
            let ty = self.speller.value(value).and_then(|spelled| spelled.ty);
            let found = ty.and_then(|ty| pointee(self.program, ty));
            self.known.borrow_mut().insert(value, found);
            found
        })
    }

    /// What a value points to by what it was read from or who returned it, whatever variable holds it.
    pub(crate) fn source(&self, value: ValueId) -> Option<Pointee> {
        match self.body.def_op(value)? {
            Op::Load { addr, .. } => {
                let ty = self.speller.object(*addr, watertight_ir::Type::Ptr)?.ty?;
                pointee(self.program, ty)
            }
            Op::Call(call) => {
                let callee = watertight_ir::callgraph::direct_callee(self.body, call)?;
                let data = &self.program.functions[callee];
                let debug = &self.program.units[data.unit].debug;
                let Some(DebugType::Function { result, .. }) = ctype::described(debug, data.debug_type)
                else {
                    return None;
                };
                pointee(self.program, SourceType { unit: data.unit, ty: (*result)? })
            }
            Op::Offset { base, .. } | Op::Index { base, .. } => match self.place(*base) {
                Place::Plain => Some(Pointee::Scalar { constant: false }),
                _ => None,
            },
            _ => None,
        }
    }

    /// The structure that the pointer at an address points to: `&found`.
    pub(crate) fn pointer_to(&self, addr: ValueId) -> Option<SourceType> {
        let pointer = match self.homes.get(&addr) {
            Some(variable) => (*variable)?,
            None => {
                let ty = self.speller.value(addr)?.ty?;
                let debug = &self.program.units[ty.unit].debug;
                SourceType { unit: ty.unit, ty: ctype::pointee(debug, Some(ty.ty))?? }
            }
        };
        match pointee(self.program, pointer)? {
            Pointee::Record(to) => Some(to),
            _ => None,
        }
    }

    /// What a variable points to.
    pub(crate) fn variable(&self, variable: watertight_ir::VarId) -> Option<Pointee> {
        let ty = self.body.variables.get(variable)?.ty?;
        pointee(self.program, SourceType { unit: self.unit, ty })
    }

    /// Where an address leads.
    pub(crate) fn place(&self, addr: ValueId) -> Place {
        let (mut base, mut offset) = (addr, 0i64);
        for _ in 0..ADDRESS_STEPS {
            if let Some(&object) = self.held.get(&base) {
                return self.within(object, offset);
            }
            match self.body.def_op(base) {
                Some(Op::Offset { base: inner, bytes }) => {
                    (base, offset) = (*inner, offset.wrapping_add(*bytes));
                }
                // Elements are alike.
                Some(Op::Index { base: inner, .. }) => base = *inner,
                _ => break,
            }
        }
        let whole = |object: Option<SourceType>, offset: i64| match object {
            Some(object) if self.is_record(object) => Place::In(object, offset),
            _ => Place::Plain,
        };
        if let Some(constant) = self.body.constant(base) {
            let Const::Global { global, offset: inside } = constant else { return Place::Plain };
            let global = &self.program.globals[*global];
            let object = global.debug_type.map(|ty| SourceType { unit: global.unit, ty });
            return whole(object, offset.wrapping_add(*inside));
        }
        if let Some(&object) = self.homes.get(&base) {
            return whole(object, offset);
        }
        if let Some(Op::Stack { .. }) = self.body.def_op(base) {
            return Place::Unknown(offset);
        }
        match self.pointee(base) {
            Some(Pointee::Record(object)) => self.within(object, offset),
            Some(Pointee::Scalar { .. }) => Place::Plain,
            Some(Pointee::Void) | None => Place::Unknown(offset),
        }
    }

    /// Whether an address is that of a variable, which no member is.
    pub(crate) fn is_variable(&self, addr: ValueId) -> bool {
        matches!(self.body.constant(addr), Some(Const::Global { .. })) || self.homes.contains_key(&addr)
    }

    /// An address that was moved on or back by whole structures is that of another one.
    fn within(&self, object: SourceType, offset: i64) -> Place {
        let debug = &self.program.units[object.unit].debug;
        let bytes = ctype::size(debug, Some(object.ty), self.program.target.pointer_bits);
        let bytes = bytes.and_then(|bytes| i64::try_from(bytes).ok()).filter(|&bytes| bytes > 0);
        Place::In(object, bytes.map_or(offset, |bytes| offset.rem_euclid(bytes)))
    }

    fn is_record(&self, object: SourceType) -> bool {
        let mut parts = parts(self.program, object, 0).map(|part| part.described);
        let first = parts.find(|described| !matches!(described, DebugType::Array { .. }));
        matches!(first, Some(DebugType::Record(_)))
    }
}
