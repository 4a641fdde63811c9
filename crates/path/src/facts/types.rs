//! The C types along interface paths, and which member of which structure a cell is.
//!
//! In: paths of a summary, or addresses in a body. Out: the structure type that an address leads to, and the member at
//! an offset in it. Types are described once per unit; two of them are the same if their names and sizes agree. Members
//! of unions are no members here: which of them is there depends on something else.

use crate::facts::cells::outward;
use crate::limits::NESTED_TYPES;
use rustc_hash::FxHashMap;
use watertight_ir::ctype::Part;
use watertight_ir::spell::Speller;
use watertight_ir::{
    Body, Const, DebugType, DebugTypeId, Def, Encoding, FuncId, GlobalId, Id, Op, Program, Record,
    RecordKind, SourceType, Type, UnitId, ValueId, ctype,
};
use watertight_summary::{Path, Root, Step};

/// What a member holds by which something can be owned.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Holds {
    Address,
    /// The member is each element of the array of addresses that stands there, or whose address stands there.
    Each,
    /// A number, such as a descriptor.
    Number,
}

/// A member of a structure type that holds an address, or a number that stands for something.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Field {
    /// Empty for a variable of the program's.
    record: Box<str>,
    bytes: u64,
    pub(crate) offset: i64,
    /// What the source calls it.
    pub(crate) name: Box<str>,
    holds: Holds,
}

impl Field {
    /// The member at an offset of a structure.
    pub(crate) fn at(program: &Program, object: SourceType, offset: i64) -> Option<Field> {
        let (record, bytes) = identity(program, object)?;
        let (_, name) = member(program, object, offset)?;
        Some(Field { record, bytes, offset, name: name.into(), holds: Holds::Address })
    }

    /// Each element of the array of addresses that a member is, which an offset lies in.
    fn each_at(program: &Program, object: SourceType, offset: i64) -> Option<Field> {
        let (record, bytes) = identity(program, object)?;
        let (offset, name, _) = array_member(program, object, offset)?;
        Some(Field { record, bytes, offset, name: name.into(), holds: Holds::Each })
    }

    /// Each element of the array that it holds the address of.
    pub(crate) fn each_of(&self) -> Option<Field> {
        (self.holds == Holds::Address).then(|| Field { holds: Holds::Each, ..self.clone() })
    }

    /// Whether it is each element of an array.
    pub(crate) fn is_each(&self) -> bool {
        self.holds == Holds::Each
    }

    /// Whether it holds a number.
    pub(crate) fn is_number(&self) -> bool {
        self.holds == Holds::Number
    }

    /// The type of what it holds.
    pub(crate) fn ty(&self) -> Type {
        if self.is_number() { Type::Int(32) } else { Type::Ptr }
    }

    /// The member at an offset of a structure that holds a number.
    fn number_at(program: &Program, object: SourceType, offset: i64) -> Option<Field> {
        let (record, bytes) = identity(program, object)?;
        let (_, name) = scalar(program, object, offset, is_number)?;
        Some(Field { record, bytes, offset, name: name.into(), holds: Holds::Number })
    }

    /// A variable that holds a number.
    fn number_variable(program: &Program, global: GlobalId) -> Option<Field> {
        let data = &program.globals[global];
        let debug = &program.units[data.unit].debug;
        if !ctype::described(debug, data.debug_type).is_some_and(is_number) {
            return None;
        }
        let name = data.source_name.map_or(&*data.name, |name| debug.names.get(name));
        let (record, bytes) = ("".into(), global.index() as u64);
        Some(Field { record, bytes, offset: 0, name: name.into(), holds: Holds::Number })
    }

    /// A member that the source describes.
    pub(crate) fn new((record, bytes): (Box<str>, u64), offset: i64, name: &str) -> Field {
        Field { record, bytes, offset, name: name.into(), holds: Holds::Address }
    }

    /// Whether it belongs to the same type of structure as another, or both are variables.
    pub(crate) fn is_beside(&self, other: &Field) -> bool {
        self.record == other.record && (self.record.is_empty() || self.bytes == other.bytes)
    }

    /// A variable that holds an address, which is a container like others.
    pub(crate) fn variable(program: &Program, global: GlobalId) -> Option<Field> {
        let data = &program.globals[global];
        let debug = &program.units[data.unit].debug;
        ctype::pointee(debug, data.debug_type)?;
        let name = data.source_name.map_or(&*data.name, |name| debug.names.get(name));
        Some(Field {
            record: "".into(),
            bytes: global.index() as u64,
            offset: 0,
            name: name.into(),
            holds: Holds::Address,
        })
    }

    /// Each element of a variable that is an array of addresses.
    pub(crate) fn each_in_variable(program: &Program, global: GlobalId) -> Option<Field> {
        let data = &program.globals[global];
        let debug = &program.units[data.unit].debug;
        let Some(DebugType::Array { of, .. }) = ctype::described(debug, data.debug_type) else { return None };
        ctype::pointee(debug, *of)?;
        let name = data.source_name.map_or(&*data.name, |name| debug.names.get(name));
        Some(Field {
            record: "".into(),
            bytes: global.index() as u64,
            offset: 0,
            name: name.into(),
            holds: Holds::Each,
        })
    }

    /// The structure type that it belongs to, by name and size; none for a variable.
    pub(crate) fn record(&self) -> Option<(Box<str>, u64)> {
        (!self.record.is_empty()).then(|| (self.record.clone(), self.bytes))
    }

    /// Whether structures of other types begin with one of its type: then it may be part of any of them.
    pub(crate) fn is_of_base(&self, program: &Program) -> bool {
        let Some(own) = self.record() else { return false };
        program.units.iter().any(|(unit, data)| {
            data.debug.types.values().any(|ty| {
                let DebugType::Record(record) = ty else { return false };
                let first = record.members.iter().find(|member| member.offset_bits == 0 && !member.bit_field);
                let first = first.and_then(|member| member.ty);
                record.kind != RecordKind::Union
                    && record.bytes > self.bytes
                    && first.and_then(|ty| identity(program, SourceType { unit, ty })).as_ref() == Some(&own)
            })
        })
    }

    /// Whether it is a variable that holds something from the start.
    pub(crate) fn is_initialised(&self, program: &Program) -> bool {
        let global = program.globals.ids().nth(self.bytes as usize).filter(|_| self.record.is_empty());
        let image = global.and_then(|global| program.globals[global].image.as_ref());
        image.is_some_and(|image| !image.relocations.is_empty())
    }

    /// Whether it is a member of this structure type. Files may have structures of the same name and size that differ.
    pub(crate) fn is_of(&self, program: &Program, object: SourceType) -> bool {
        let is_named = |name: &str| *name == *self.name;
        identity(program, object).is_some_and(|(record, bytes)| record == self.record && bytes == self.bytes)
            && match self.holds {
                // The array that a member holds the address of is not part of the structure.
                Holds::Each => {
                    array_member(program, object, self.offset).is_some_and(|array| is_named(array.1))
                }
                Holds::Address => {
                    member(program, object, self.offset).is_some_and(|(_, name)| is_named(name))
                }
                Holds::Number => {
                    scalar(program, object, self.offset, is_number).is_some_and(|(_, name)| is_named(name))
                }
            }
    }
}

/// The name and the size of a structure type.
pub(crate) fn identity(program: &Program, object: SourceType) -> Option<(Box<str>, u64)> {
    let debug = &program.units[object.unit].debug;
    let mut ty = Some(object.ty);
    let mut alias = None;
    for _ in 0..NESTED_TYPES {
        match debug.types.get(ty?)? {
            DebugType::Typedef { name, of } => {
                alias = Some(*name);
                ty = *of;
            }
            DebugType::Qualified { of, .. } => ty = *of,
            DebugType::Record(record) if !record.members.is_empty() => {
                let name = record.name.or(alias)?;
                return Some((debug.names.get(name).into(), record.bytes));
            }
            _ => return None,
        }
    }
    None
}

fn record(program: &Program, object: SourceType) -> Option<&Record> {
    match ctype::described(&program.units[object.unit].debug, Some(object.ty))? {
        DebugType::Record(record) => Some(record),
        _ => None,
    }
}

/// The type and the name of the member at an offset that holds an address.
pub(crate) fn member(program: &Program, object: SourceType, offset: i64) -> Option<(DebugTypeId, &str)> {
    scalar(program, object, offset, |ty| matches!(ty, DebugType::Pointer { .. }))
}

/// Whether a type is that of numbers which may stand for something.
fn is_number(ty: &DebugType) -> bool {
    matches!(ty, DebugType::Base { bits: 32, encoding: Encoding::Signed, .. })
}

/// The type and the name of the member at an offset, if it is of such a type.
fn scalar(
    program: &Program,
    object: SourceType,
    offset: i64,
    wanted: fn(&DebugType) -> bool,
) -> Option<(DebugTypeId, &str)> {
    let debug = &program.units[object.unit].debug;
    let mut name = "";
    record(program, object)?;
    for part in parts(program, object, offset) {
        match part.described {
            DebugType::Record(record) if record.kind != RecordKind::Union => {
                name = part.member?.name.map_or(name, |name| debug.names.get(name));
            }
            found if part.inside == 0 && wanted(found) => return Some((part.ty, name)),
            _ => return None,
        }
    }
    None
}

/// The types on the way from an object down to a byte of it.
pub(crate) fn parts(program: &Program, object: SourceType, offset: i64) -> impl Iterator<Item = Part<'_>> {
    let debug = &program.units[object.unit].debug;
    let bits = program.target.pointer_bits;
    let byte = u64::try_from(offset).ok();
    byte.into_iter().flat_map(move |byte| ctype::parts(debug, object.ty, byte, bits))
}

/// Where the array of addresses begins that an offset of a structure lies in, the name of the member, and the type of the elements.
fn array_member(program: &Program, object: SourceType, offset: i64) -> Option<(i64, &str, DebugTypeId)> {
    let debug = &program.units[object.unit].debug;
    let mut name = "";
    for part in parts(program, object, offset) {
        match part.described {
            DebugType::Record(record) if record.kind != RecordKind::Union => {
                name = part.member?.name.map_or(name, |name| debug.names.get(name));
            }
            DebugType::Array { of, .. } => {
                let is_address = ctype::pointee(debug, *of).is_some();
                let begin = offset.checked_sub_unsigned(part.inside)?;
                return (is_address && !name.is_empty()).then_some((begin, name, (*of)?));
            }
            _ => return None,
        }
    }
    None
}

/// What the source calls a member of a structure: `item.kind`.
pub(crate) fn member_name(program: &Program, object: SourceType, offset: i64) -> Option<String> {
    let debug = &program.units[object.unit].debug;
    let mut text = String::new();
    for part in parts(program, object, offset) {
        let DebugType::Record(_) = part.described else { break };
        if text.is_empty() {
            text = identity(program, object)?.0.into();
        }
        if let Some(name) = part.member?.name {
            text = format!("{text}.{}", debug.names.get(name));
        }
    }
    Some(text)
}

/// The type of what an address points to.
fn pointee(program: &Program, pointer: SourceType) -> Option<SourceType> {
    let debug = &program.units[pointer.unit].debug;
    let ty = ctype::pointee(debug, Some(pointer.ty))??;
    Some(SourceType { unit: pointer.unit, ty })
}

/// What fresh objects of an outcome are, as far as the places say in which they are put.
pub(crate) type FreshTypes = FxHashMap<u32, SourceType>;

/// The type of the object that the value of a path points to.
pub(crate) fn object(
    program: &Program,
    function: FuncId,
    path: &Path,
    fresh: &FreshTypes,
) -> Option<SourceType> {
    let data = &program.functions[function];
    let mut object = match path.root {
        Root::Param(number) => {
            let variable = data.body.as_ref()?.parameter(number)?;
            pointee(program, SourceType { unit: data.unit, ty: variable.ty? })?
        }
        Root::Result => {
            let debug = &program.units[data.unit].debug;
            let Some(DebugType::Function { result, .. }) = ctype::described(debug, data.debug_type) else {
                return None;
            };
            pointee(program, SourceType { unit: data.unit, ty: (*result)? })?
        }
        Root::Global(global) => {
            let global = &program.globals[global];
            SourceType { unit: global.unit, ty: global.debug_type? }
        }
        Root::Fresh(number) => *fresh.get(&number)?,
        _ => return None,
    };
    for step in &path.steps {
        let (Step::At(offset) | Step::Each { link: offset, .. }) = *step else { return None };
        object = match record(program, object) {
            Some(_) => {
                let (ty, _) = member(program, object, offset)?;
                pointee(program, SourceType { unit: object.unit, ty })?
            }
            // A variable, or an array of addresses.
            None => pointee(program, element(program, object)?)?,
        };
    }
    Some(object)
}

/// The structure in the element of an array that an offset lies in, and the offset there; or the structure itself.
fn inside_element(program: &Program, object: SourceType, offset: i64) -> Option<(SourceType, i64)> {
    let debug = &program.units[object.unit].debug;
    for part in parts(program, object, offset) {
        match part.described {
            DebugType::Array { .. } => {}
            DebugType::Record(record) if record.kind != RecordKind::Union => {
                // An array of structures inside: its elements are what the offset lies in.
                let array = matches!(ctype::described(debug, part.member?.ty), Some(DebugType::Array { .. }));
                if !array {
                    return Some((SourceType { unit: object.unit, ty: part.ty }, part.inside as i64));
                }
            }
            _ => return None,
        }
    }
    None
}

/// Whether a member of a structure type leads to structures of the same type: it is a link.
pub(crate) fn is_link(program: &Program, object: SourceType, field: &Field) -> bool {
    let linked = match field.is_each() {
        true => array_member(program, object, field.offset).map(|array| array.2),
        false => member(program, object, field.offset).map(|(ty, _)| ty),
    };
    let linked = linked.and_then(|ty| pointee(program, SourceType { unit: object.unit, ty }));
    linked.is_some_and(|linked| field.is_of(program, linked))
}

/// The elements of an array, or a type itself.
fn element(program: &Program, object: SourceType) -> Option<SourceType> {
    let debug = &program.units[object.unit].debug;
    match ctype::described(debug, Some(object.ty))? {
        DebugType::Array { of, .. } => Some(SourceType { unit: object.unit, ty: (*of)? }),
        _ => Some(object),
    }
}

/// Tells which members the addresses in a body are those of.
pub(crate) struct Members<'p> {
    program: &'p Program,
    pub(crate) body: &'p Body,
    unit: UnitId,
    speller: Speller<'p>,
    /// What values point to as variables say that hold them, where these are structures: `struct item *item = data`.
    held: FxHashMap<ValueId, SourceType>,
    /// Where values are put: `table->rows = grown` makes the elements of `grown` those of the member.
    put: FxHashMap<ValueId, ValueId>,
}

impl<'p> Members<'p> {
    pub(crate) fn new(program: &'p Program, function: FuncId) -> Option<Members<'p>> {
        let data = &program.functions[function];
        let body = data.body.as_ref()?;
        let mut held = FxHashMap::default();
        let mut put = FxHashMap::default();
        for inst in body.insts.values() {
            if let Op::Store { addr, value, .. } = inst.op
                && matches!(body.def_op(value), Some(Op::Call(_) | Op::Phi { .. }))
            {
                put.entry(value).or_insert(addr);
            }
            let Op::Name { variable, value } = inst.op else { continue };
            let ty = body.variables.get(variable).and_then(|variable| variable.ty);
            let pointed = ty.and_then(|ty| pointee(program, SourceType { unit: data.unit, ty }));
            if let Some(pointed) = pointed.filter(|&pointed| record(program, pointed).is_some()) {
                held.entry(value).or_insert(pointed);
            }
        }
        Some(Members { program, body, unit: data.unit, speller: Speller::new(program, function)?, held, put })
    }

    /// The structure that a value points to.
    pub(crate) fn pointed(&self, value: ValueId) -> Option<SourceType> {
        let spelled = self.speller.value(value).and_then(|spelled| spelled.ty);
        let pointed = spelled.and_then(|ty| pointee(self.program, ty));
        match pointed {
            Some(pointed) if record(self.program, pointed).is_some() => Some(pointed),
            _ => self.held.get(&value).copied().or(pointed),
        }
    }

    /// Whether a parameter points to a structure, as its declaration says.
    pub(crate) fn is_record(&self, parameter: u32) -> bool {
        let pointed = (self.body.parameter(parameter))
            .and_then(|variable| variable.ty)
            .and_then(|ty| pointee(self.program, SourceType { unit: self.unit, ty }));
        pointed.is_some_and(|pointed| identity(self.program, pointed).is_some())
    }

    /// The structure type of what a value points to, by name and size.
    pub(crate) fn pointed_record(&self, value: ValueId) -> Option<(Box<str>, u64)> {
        identity(self.program, self.pointed(value)?)
    }

    /// The structure type that an address which is stored here points to, as the type of the place says.
    pub(crate) fn kept_as(&self, addr: ValueId) -> Option<(Box<str>, u64)> {
        identity(self.program, pointee(self.program, self.speller.object(addr, Type::Ptr)?.ty?)?)
    }

    /// Whether a value points to addresses, as its type says.
    pub(crate) fn points_to_addresses(&self, value: ValueId) -> bool {
        let spelled = self.speller.value(value).and_then(|spelled| spelled.ty);
        let pointed = spelled.and_then(|ty| pointee(self.program, ty));
        pointed.is_some_and(|pointed| {
            ctype::pointee(&self.program.units[pointed.unit].debug, Some(pointed.ty)).is_some()
        })
    }

    /// How many members the structure has that a value points to.
    pub(crate) fn count(&self, value: ValueId) -> usize {
        let pointed = self.pointed(value).and_then(|pointed| record(self.program, pointed));
        pointed.map_or(0, |record| record.members.len())
    }

    /// Whether a value points to a union.
    pub(crate) fn points_to_union(&self, value: ValueId) -> bool {
        let pointed = self.pointed(value).and_then(|pointed| record(self.program, pointed));
        pointed.is_some_and(|record| record.kind == RecordKind::Union)
    }

    /// What the source calls a value.
    pub(crate) fn spelled(&self, value: ValueId) -> Option<String> {
        Some(self.speller.value(value)?.text)
    }

    /// What the source calls what a member holds that stands at an address.
    pub(crate) fn spelled_at(&self, addr: ValueId, field: &Field) -> Option<String> {
        Some(self.speller.object(addr, field.ty())?.text)
    }

    /// What the source calls what a member of the structure at an address holds.
    pub(crate) fn spelled_in(&self, owner: ValueId, field: &Field) -> Option<String> {
        Some(self.speller.object_at(owner, field.offset, field.ty())?.text)
    }

    /// The member that an address is that of, in whatever element of an array the structure is.
    pub(crate) fn cell(&self, addr: ValueId) -> Option<Field> {
        let (mut base, mut offset, mut indexed) = (addr, 0i64, false);
        loop {
            // A variable says what an address is that was computed from that of a part of it.
            if let Some(&object) = self.held.get(&base) {
                return self.part_of(object, offset);
            }
            match self.body.def_op(base) {
                Some(Op::Offset { base: inner, bytes }) => {
                    (base, offset) = (*inner, offset.wrapping_add(*bytes));
                }
                Some(Op::Index { base: inner, .. }) => (base, indexed) = (*inner, true),
                _ => break,
            }
        }
        if !indexed && let Some(field) = self.field(addr) {
            return Some(field);
        }
        if (indexed || offset != 0) && self.points_to_addresses(base) {
            let array = match self.body.def_op(base) {
                Some(Op::Load { addr, .. }) => *addr,
                _ => *self.put.get(&base)?,
            };
            return self.cell(array)?.each_of();
        }
        if let Some(Const::Global { global, .. }) = self.body.constant(base)
            && let Some(each) = Field::each_in_variable(self.program, *global)
        {
            return Some(each);
        }
        let (object, offset) = self.object_at(base, offset)?;
        if let Some((object, offset)) = inside_element(self.program, object, offset)
            && let Some(field) = Field::at(self.program, object, offset)
        {
            return Some(field);
        }
        Field::each_at(self.program, object, offset)
    }

    /// The member or variable that holds a number of which this is the address, in whatever element of an array the structure is.
    pub(crate) fn number(&self, addr: ValueId) -> Option<Field> {
        let (mut base, mut offset) = (addr, 0);
        for step in outward(self.body, addr) {
            (base, offset) = step;
            if let Some(&object) = self.held.get(&base) {
                return Field::number_at(self.program, object, offset);
            }
        }
        if let Some(Const::Global { global, offset: inside }) = self.body.constant(base)
            && base == addr
            && *inside == 0
            && let Some(variable) = Field::number_variable(self.program, *global)
        {
            return Some(variable);
        }
        let (object, offset) = self.object_at(base, offset)?;
        let (object, offset) = inside_element(self.program, object, offset).unwrap_or((object, offset));
        Field::number_at(self.program, object, offset)
    }

    /// The structure that begins at an address: what it points to, or the element of an array that is part of a variable or of another structure.
    pub(crate) fn structure(&self, addr: ValueId) -> Option<SourceType> {
        if !matches!(self.body.def_op(addr), Some(Op::Index { .. })) {
            return self.pointed(addr);
        }
        let (base, offset) = outward(self.body, addr).last()?;
        let (object, offset) = self.object_at(base, offset)?;
        let (object, offset) = inside_element(self.program, object, offset)?;
        (offset == 0).then_some(object)
    }

    /// The variable or structure that an address leads to, and how far in it another one lies that is so many bytes from there.
    fn object_at(&self, base: ValueId, offset: i64) -> Option<(SourceType, i64)> {
        match self.body.constant(base) {
            Some(Const::Global { global, offset: inside }) => {
                let global = &self.program.globals[*global];
                let object = SourceType { unit: global.unit, ty: global.debug_type? };
                Some((object, offset.wrapping_add(*inside)))
            }
            Some(_) => None,
            None => match self.body.variables.values().find(|variable| variable.home == Some(base)) {
                Some(variable) => Some((SourceType { unit: self.unit, ty: variable.ty? }, offset)),
                None => {
                    // An address that was moved on or back by whole structures is that of another one.
                    let pointed = self.pointed(base)?;
                    let bytes =
                        identity(self.program, pointed).and_then(|(_, bytes)| i64::try_from(bytes).ok());
                    let bytes = bytes.filter(|&bytes| bytes > 0);
                    Some((pointed, bytes.map_or(offset, |bytes| offset.rem_euclid(bytes))))
                }
            },
        }
    }

    /// The members that an address may be that of: one that moves along links is that of any of them.
    pub(crate) fn cells(&self, addr: ValueId) -> Vec<Field> {
        if let Some(field) = self.cell(addr) {
            return vec![field];
        }
        let Some(Op::Phi { incoming }) = self.body.def_op(addr) else { return Vec::new() };
        let mut found = Vec::new();
        for &(_, place) in incoming.iter().filter(|entry| entry.1 != addr) {
            let fields = match self.body.def_op(place) {
                Some(Op::Phi { incoming }) => {
                    incoming.iter().map(|entry| self.place_in(entry.1, addr)).collect()
                }
                _ => vec![self.place_in(place, addr)],
            };
            for field in fields {
                match field {
                    Some(field) if !found.contains(&field) => found.push(field),
                    Some(_) => {}
                    None => return Vec::new(),
                }
            }
        }
        found
    }

    /// The member that an address is that of, where a pointer to it comes from. What the pointer itself leads to is a structure with its link in front.
    fn place_in(&self, place: ValueId, pointer: ValueId) -> Option<Field> {
        let through = match self.body.def_op(place) {
            Some(Op::Load { addr, .. }) => *addr == pointer,
            _ => false,
        };
        match through {
            true => Field::at(self.program, self.pointed_by(pointer)?, 0),
            false => self.cell(place),
        }
    }

    /// The structure that the pointer leads to of which this is the address.
    fn pointed_by(&self, pointer: ValueId) -> Option<SourceType> {
        let spelled = self.speller.value(pointer).and_then(|spelled| spelled.ty)?;
        pointee(self.program, pointee(self.program, spelled)?)
    }

    /// The member at an offset of a structure, or each element of the array that stands there.
    fn part_of(&self, object: SourceType, offset: i64) -> Option<Field> {
        Field::at(self.program, object, offset).or_else(|| Field::each_at(self.program, object, offset))
    }

    /// The member that an address is that of.
    pub(crate) fn field(&self, addr: ValueId) -> Option<Field> {
        let (mut base, mut offset) = (addr, 0i64);
        while let Def::Inst(inst) = self.body.values[base].def
            && let Op::Offset { base: inner, bytes } = self.body.insts[inst].op
        {
            (base, offset) = (inner, offset.wrapping_add(bytes));
        }
        let object = match self.body.constant(base) {
            Some(Const::Global { global, offset: inside }) => {
                offset = offset.wrapping_add(*inside);
                if let (0, Some(variable)) = (offset, Field::variable(self.program, *global)) {
                    return Some(variable);
                }
                let global = &self.program.globals[*global];
                SourceType { unit: global.unit, ty: global.debug_type? }
            }
            Some(_) => return None,
            None => {
                let mut variables = self.body.variables.values();
                let home = variables.find(|variable| variable.home == Some(base));
                match home {
                    Some(variable) => SourceType { unit: self.unit, ty: variable.ty? },
                    None => self.pointed(base)?,
                }
            }
        };
        Field::at(self.program, object, offset)
    }
}
