//! Which values the program ever stores in a member of a structure type, whichever object it is a member of: the whole program, without
//! regard to order.
//!
//! `struct channel` has a `kind` that is only ever 0, 1 or 2, `flags` in which bit 5 is never set, and a `hook` that nobody sets. What is
//! stored in a member by its name, what initialisers say, and what is copied there from other members holds for every object of the type, on the
//! heap, on the stack or the caller's. Zero is always possible: memory is cleared before it is filled.
//!
//! In: a program with a `main`, and the models. Out: for a cell of a structure type its values, where they are known. Nothing is known
//! of a cell whose address goes anywhere but to a load or a store, or that is written in parts; nor of structures that nobody fills,
//! that code out of sight may write, that lie in a union, that are laid over a buffer, or that are taken for others. What is stored at a
//! place whose type is not known may be in every cell as far behind the beginning. Structures are taken to be copied as what they are
//! (ASSUME-51, ASSUME-52).

use crate::facts::callers::Callers;
use crate::facts::cells::{Place, Pointee, RecordName, Scope, begins_record, pointee, spot};
use crate::facts::ever::{Ever, mask};
use crate::facts::raw::Raw;
use crate::facts::stored::Stored;
use crate::facts::types::{identity, parts};
use crate::facts::values::Values;
use crate::limits::NESTED_TYPES;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use watertight_ir::callgraph::{CallGraph, direct_callee};
use watertight_ir::{
    Body, Call, Const, ConvertOp, DebugType, FuncId, GlobalId, Image, Op, Program, RecordKind, Relocation,
    SourceType, Symbol, Table, Terminator, Type, ValueId, ctype,
};
use watertight_summary::model::Models;
use watertight_summary::{Effect, Root, Summary, Value};

/// A range of bytes of a structure that is read or written as one number: where it begins, and how long it is.
type Cell = (i64, u64);
/// A cell of a structure type.
pub(crate) type Member = (RecordName, Cell);

/// What members of structures hold.
#[derive(Debug, Default)]
pub struct Contents {
    /// Cells of which something is known, by number.
    known: FxHashMap<RecordName, BTreeMap<Cell, u32>>,
    facts: Vec<(Member, Ever)>,
    /// Which of them each function and all that it calls read, in ascending order.
    read: Table<FuncId, Vec<u32>>,
}

impl Contents {
    pub fn new(
        program: &Program,
        library: &Models,
        graph: &CallGraph,
        callers: &Callers,
        stored: &Stored,
    ) -> Contents {
        if !callers.is_whole() {
            return Contents::default();
        }
        let mut collector = Collector {
            program,
            library,
            stores: FxHashMap::default(),
            strays: FxHashMap::default(),
            flows: Vec::new(),
            outside: FxHashSet::default(),
            touched: FxHashMap::default(),
            raw: Raw::default(),
            given: Vec::new(),
        };
        collector.unions();
        collector.globals();
        let mut loads = Vec::with_capacity(program.functions.len());
        let mut reads: FxHashMap<(FuncId, ValueId), Member> = FxHashMap::default();
        for id in program.functions.ids() {
            loads.push(match Scope::new(program, id) {
                Some(scope) => collector.body(&scope, &mut reads),
                None => Vec::new(),
            });
        }
        collector.filled(graph);
        collector.follow(&Values { program, graph, callers, stored, reads: &reads });
        Contents::with_reads(program, graph, collector.known(&loads), &loads)
    }

    /// The values of a cell of an object of this type, if they are known.
    pub fn of(&self, program: &Program, object: SourceType, cell: Cell) -> Option<&Ever> {
        Some(&self.facts[self.number(program, object, cell)? as usize].1)
    }

    /// The same for a function that reads the cell, or calls one that does.
    pub(crate) fn of_read(
        &self,
        program: &Program,
        function: FuncId,
        object: SourceType,
        cell: Cell,
    ) -> Option<&Ever> {
        let number = self.number(program, object, cell)?;
        self.read.get(function)?.binary_search(&number).ok()?;
        Some(&self.facts[number as usize].1)
    }

    fn number(&self, program: &Program, object: SourceType, cell: Cell) -> Option<u32> {
        if self.facts.is_empty() {
            return None;
        }
        let spot = spot(program, object, cell.0)?;
        self.known.get(&spot.record)?.get(&(spot.offset, cell.1)).copied()
    }

    /// Whether nothing is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// What is known of what a function and all that it calls read.
    pub(crate) fn facts(&self, function: FuncId) -> impl Iterator<Item = &(Member, Ever)> {
        let read = self.read.get(function).map_or(&[][..], Vec::as_slice);
        read.iter().map(|&number| &self.facts[number as usize])
    }

    fn with_reads(
        program: &Program,
        graph: &CallGraph,
        facts: Vec<(Member, Ever)>,
        loads: &[Vec<Member>],
    ) -> Contents {
        let mut known: FxHashMap<RecordName, BTreeMap<Cell, u32>> = FxHashMap::default();
        for (number, ((record, cell), _)) in facts.iter().enumerate() {
            known.entry(record.clone()).or_default().insert(*cell, number as u32);
        }
        let mut read: Table<FuncId, Vec<u32>> = Table::filled(program.functions.len(), Vec::new());
        for (id, loads) in program.functions.ids().zip(loads) {
            let found = loads.iter().filter_map(|(record, cell)| known.get(record)?.get(cell).copied());
            read[id] = found.collect();
        }
        // Callees come first.
        for component in graph.components().iter() {
            let mut all: Vec<u32> = Vec::new();
            for &member in component {
                all.extend(&read[member]);
                graph.callees(member).iter().for_each(|&callee| all.extend(&read[callee]));
            }
            all.sort_unstable();
            all.dedup();
            component.iter().for_each(|&member| read[member].clone_from(&all));
        }
        Contents { known, facts, read }
    }
}

/// Something is stored in a cell.
struct Flow {
    to: To,
    function: FuncId,
    value: ValueId,
}

enum To {
    Member(Member),
    /// So far behind an address of which the type is not known.
    Anywhere(Cell),
}

struct Collector<'a> {
    program: &'a Program,
    library: &'a Models,
    /// What is stored in cells. Zero is everywhere.
    stores: FxHashMap<RecordName, BTreeMap<Cell, Ever>>,
    /// What is stored at places of which the type is not known, by how far behind an address they are.
    strays: FxHashMap<Cell, Ever>,
    flows: Vec<Flow>,
    /// Structure types of which nothing is known.
    outside: FxHashSet<RecordName>,
    /// Ranges of structures of which nothing is known.
    touched: FxHashMap<RecordName, Vec<(i64, i64)>>,
    raw: Raw,
    /// What calls are given that may fill it as bytes: the callee, how many arguments there are, which one it is, and what it is.
    given: Vec<(Option<FuncId>, usize, usize, Part)>,
}

/// A part of an object of which nothing is known.
enum Part {
    All(SourceType),
    Range(RecordName, (i64, i64)),
}

impl<'a> Collector<'a> {
    /// Structures that lie in unions: others may be in the same place.
    fn unions(&mut self) {
        for (unit, data) in self.program.units.iter() {
            for described in data.debug.types.values() {
                let DebugType::Record(record) = described else { continue };
                if record.kind == RecordKind::Union {
                    for ty in record.members.iter().filter_map(|member| member.ty) {
                        self.show(SourceType { unit, ty }, NESTED_TYPES);
                    }
                }
            }
        }
    }

    /// Initialisers, and variables of others.
    fn globals(&mut self) {
        for global in self.program.globals.values() {
            for relocation in global.image.iter().flat_map(|image| &image.relocations) {
                if let Symbol::Global(target) = relocation.target {
                    self.pointed(target, relocation.addend);
                }
            }
            let Some(ty) = global.debug_type else { continue };
            let object = SourceType { unit: global.unit, ty };
            match &global.image {
                Some(image) => self.image(object, image, global.bytes),
                None => self.show(object, NESTED_TYPES),
            }
        }
    }

    /// An initialiser has the address of a member, as tables of options have: `{"verbose", &options.verbose}`.
    fn pointed(&mut self, global: GlobalId, offset: i64) {
        let data = &self.program.globals[global];
        let Some(ty) = data.debug_type else { return };
        if let Some(spot) = spot(self.program, SourceType { unit: data.unit, ty }, offset) {
            self.touch(Part::Range(spot.record, spot.member));
        }
    }

    /// Everything that an object holds at first.
    fn image(&mut self, object: SourceType, image: &Image, bytes: u64) {
        let mut leaves = Vec::new();
        let behind = |relocation: &Relocation| relocation.offset + u64::from(relocation.bytes);
        let told = image.relocations.last().map_or(0, behind).max(image.bytes.len() as u64);
        self.leaves(object, 0, NESTED_TYPES, (bytes, told), &mut leaves);
        for (member, offset) in leaves {
            let end = offset + member.1.1;
            let next = image.relocations.partition_point(|relocation| behind(relocation) <= offset);
            let address = image.relocations.get(next).is_some_and(|relocation| relocation.offset < end);
            let byte = |at: u64| usize::try_from(at).ok().and_then(|at| image.bytes.get(at)).copied();
            let number =
                (offset..end).rev().fold(0, |number, at| number << 8 | u64::from(byte(at).unwrap_or(0)));
            let ever = if address { Ever::ANY } else { Ever::one(number) };
            self.hold(member, &ever);
        }
    }

    /// The cells of an object and where they are, as far as they may hold something but zero. Of the elements of an array that are behind all
    /// that an image tells, and zero, one stands for all: arrays can be larger than any memory.
    fn leaves(
        &self,
        object: SourceType,
        start: u64,
        depth: usize,
        (bytes, told): (u64, u64),
        leaves: &mut Vec<(Member, u64)>,
    ) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let debug = &self.program.units[object.unit].debug;
        match ctype::described(debug, Some(object.ty)) {
            Some(DebugType::Record(record)) if record.kind != RecordKind::Union => {
                for member in &record.members {
                    let Some(ty) = member.ty else { continue };
                    let at = member.offset_bits / 8;
                    let inner = SourceType { unit: object.unit, ty };
                    let size = ctype::size(debug, Some(ty), self.program.target.pointer_bits);
                    match ctype::described(debug, Some(ty)) {
                        Some(DebugType::Record(_) | DebugType::Array { .. }) => {
                            self.leaves(inner, start + at, depth, (size.unwrap_or(0), told), leaves);
                        }
                        _ => {
                            let Some(size) = size.filter(|size| (1..=8).contains(size)) else { continue };
                            // Bit-fields are read as what lies around them.
                            let at = if member.bit_field { at / size * size } else { at };
                            let name = identity(self.program, object);
                            let Some((name, at)) = name.zip(i64::try_from(at).ok()) else { continue };
                            leaves.push(((name, (at, size)), start + at as u64));
                        }
                    }
                }
            }
            Some(DebugType::Array { of: Some(of), .. }) => {
                let inner = SourceType { unit: object.unit, ty: *of };
                let size = ctype::size(debug, Some(*of), self.program.target.pointer_bits);
                let Some(size) = size.filter(|&size| size > 0) else { return };
                let is_record = matches!(
                    ctype::described(debug, Some(*of)),
                    Some(DebugType::Record(_) | DebugType::Array { .. })
                );
                let count = if is_record { bytes / size } else { 0 };
                for number in 0..count.min(told.saturating_sub(start).div_ceil(size) + 1) {
                    self.leaves(inner, start + number * size, depth, (size, told), leaves);
                }
            }
            _ => {}
        }
    }

    fn hold(&mut self, (record, cell): Member, ever: &Ever) -> bool {
        let cells = self.stores.entry(record).or_default();
        cells.entry(cell).or_insert_with(|| Ever::one(0)).join(ever)
    }

    /// Nothing is known of a structure and those inside it.
    fn show(&mut self, object: SourceType, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let debug = &self.program.units[object.unit].debug;
        match ctype::described(debug, Some(object.ty)) {
            Some(DebugType::Record(record)) => {
                if let Some(name) = identity(self.program, object)
                    && !self.outside.insert(name)
                {
                    return;
                }
                for ty in record.members.iter().filter_map(|member| member.ty) {
                    self.show(SourceType { unit: object.unit, ty }, depth);
                }
            }
            Some(DebugType::Array { of: Some(of), .. }) => {
                self.show(SourceType { unit: object.unit, ty: *of }, depth);
            }
            _ => {}
        }
    }

    /// The same, and of all that its members lead to.
    fn show_all(&mut self, object: SourceType, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let debug = &self.program.units[object.unit].debug;
        let Some(DebugType::Record(record)) = ctype::described(debug, Some(object.ty)) else { return };
        if let Some(name) = identity(self.program, object)
            && self.outside.contains(&name)
        {
            return;
        }
        self.show(object, NESTED_TYPES);
        for ty in record.members.iter().filter_map(|member| member.ty) {
            if let Some(Pointee::Record(to)) = pointee(self.program, SourceType { unit: object.unit, ty }) {
                self.show_all(to, depth);
            }
        }
    }

    /// Stores, and what becomes of addresses. Gives back which cells the function reads.
    fn body(&mut self, scope: &Scope<'a>, reads: &mut FxHashMap<(FuncId, ValueId), Member>) -> Vec<Member> {
        let body = scope.body;
        self.raw.body(self.program, self.library, scope);
        let mut loads = Vec::new();
        for block in body.blocks.values() {
            for &inst in &block.insts {
                match &body.insts[inst].op {
                    Op::Load { addr, .. } => {
                        let result = body.insts[inst].result;
                        let bytes = result.map(|result| self.bytes(body, result));
                        if let Some((result, bytes)) = result.zip(bytes).filter(|&(_, bytes)| bytes <= 8)
                            && let Place::In(object, offset) = scope.place(*addr)
                            && let Some(spot) = spot(self.program, object, offset)
                        {
                            let member = (spot.record, (spot.offset, bytes));
                            loads.push(member.clone());
                            reads.insert((scope.id, result), member);
                        }
                    }
                    Op::Store { addr, value, .. } => {
                        self.used(scope, *value, None);
                        self.store(scope, *addr, *value);
                    }
                    Op::Call(call) => self.call(scope, call, body.insts[inst].result),
                    Op::MemCopy { dst, src, .. } => self.copy(scope, *dst, *src),
                    Op::MemFill { dst, byte, .. } => {
                        if body.bits(*byte) != Some(0) {
                            self.open(scope, *dst);
                        }
                    }
                    Op::Name { variable, value } => {
                        let to = scope.variable(*variable);
                        self.taken_for(scope.source(*value), to);
                    }
                    Op::Compare { .. } | Op::Offset { .. } | Op::Index { .. } => {}
                    Op::Convert { op: ConvertOp::PtrToInt, value } => self.used(scope, *value, None),
                    Op::Atomic { addr, .. } | Op::CompareExchange { addr, .. } => self.open(scope, *addr),
                    op => op.operands(|value| self.used(scope, value, None)),
                }
            }
            if let Terminator::Return(Some(value)) = &block.term {
                self.used(scope, *value, None);
            }
        }
        loads.sort_unstable();
        loads.dedup();
        loads
    }

    fn bytes(&self, body: &Body, value: ValueId) -> u64 {
        body.ty(value).store_bytes(self.program.target.pointer_bits)
    }

    fn store(&mut self, scope: &Scope<'a>, addr: ValueId, value: ValueId) {
        let bytes = self.bytes(scope.body, value);
        let to = match scope.place(addr) {
            Place::Plain => return,
            Place::Unknown(offset) => To::Anywhere((offset, bytes)),
            Place::In(object, offset) => match spot(self.program, object, offset) {
                Some(spot) if bytes <= 8 => To::Member((spot.record, (spot.offset, bytes))),
                Some(spot) => {
                    let end = spot.offset.saturating_add_unsigned(bytes);
                    return self.touch(Part::Range(spot.record, (spot.offset, end)));
                }
                None => return,
            },
        };
        self.flows.push(Flow { to, function: scope.id, value });
    }

    /// Anything may be stored where an address leads.
    fn open(&mut self, scope: &Scope<'a>, addr: ValueId) {
        if let Some(part) = self.part(scope, addr) {
            self.touch(part);
        }
    }

    /// What an address is that of: a member, or all of a structure.
    fn part(&self, scope: &Scope<'a>, addr: ValueId) -> Option<Part> {
        let Place::In(object, offset) = scope.place(addr) else { return None };
        Some(match spot(self.program, object, offset) {
            Some(spot) if offset != 0 && !begins_record(self.program, object, offset) => {
                Part::Range(spot.record, spot.member)
            }
            _ => Part::All(object),
        })
    }

    fn touch(&mut self, part: Part) {
        match part {
            Part::All(object) => self.show(object, NESTED_TYPES),
            Part::Range(record, range) => {
                let ranges = self.touched.entry(record).or_default();
                if !ranges.contains(&range) {
                    ranges.push(range);
                }
            }
        }
    }

    /// An address goes somewhere, where it has this type if that is known.
    fn used(&mut self, scope: &Scope<'a>, value: ValueId, to: Option<Pointee>) {
        if scope.body.ty(value) != Type::Ptr || scope.body.bits(value).is_some() {
            return;
        }
        let Place::In(object, offset) = scope.place(value) else { return };
        // The address of a structure in another one is that of the inner one.
        let whole = offset == 0 || begins_record(self.program, object, offset);
        match (whole, to) {
            (true, None | Some(Pointee::Void | Pointee::Scalar { constant: true })) => {}
            (true, Some(Pointee::Record(_))) => {
                if offset == 0 {
                    self.taken_for(Some(Pointee::Record(object)), to);
                }
            }
            (true, Some(Pointee::Scalar { constant: false })) => self.show(object, NESTED_TYPES),
            (false, _) => {
                if let Some(spot) = spot(self.program, object, offset) {
                    self.touch(Part::Range(spot.record, spot.member));
                }
            }
        }
    }

    /// What is pointed to by one type is pointed to by another.
    fn taken_for(&mut self, from: Option<Pointee>, to: Option<Pointee>) {
        match (from, to) {
            (Some(Pointee::Record(from)), Some(Pointee::Record(to))) => {
                let names = (identity(self.program, from), identity(self.program, to));
                if let (Some(one), Some(other)) = &names
                    && one != other
                    && !self.begins_with(from, other)
                    && !self.begins_with(to, one)
                {
                    self.show(from, NESTED_TYPES);
                    self.show(to, NESTED_TYPES);
                }
            }
            (Some(Pointee::Scalar { .. }), Some(Pointee::Record(to))) => self.show(to, NESTED_TYPES),
            (Some(Pointee::Record(from)), Some(Pointee::Scalar { constant: false })) => {
                self.show(from, NESTED_TYPES);
            }
            _ => {}
        }
    }

    /// Whether a structure begins with one of another type.
    fn begins_with(&self, object: SourceType, name: &RecordName) -> bool {
        let named = |ty| identity(self.program, SourceType { unit: object.unit, ty });
        parts(self.program, object, 0).any(|part| named(part.ty).as_ref() == Some(name))
    }

    fn copy(&mut self, scope: &Scope<'a>, dst: ValueId, src: ValueId) {
        let Place::In(to, offset) = scope.place(dst) else { return };
        let begins = offset == 0 || begins_record(self.program, to, offset);
        if let Some(Const::Global { global, offset: 0 }) = scope.body.constant(src)
            && let Some(image) = self.constant_image(*global)
            && offset == 0
        {
            let bytes = self.program.globals[*global].bytes;
            return self.image(to, image, bytes);
        }
        let same = match scope.place(src) {
            Place::In(from, inside) => {
                let spots = (spot(self.program, from, inside), spot(self.program, to, offset));
                matches!(spots, (Some(from), Some(to)) if from.record == to.record && from.offset == to.offset)
            }
            // Structures are copied as what they are.
            Place::Unknown(_) => begins,
            Place::Plain => false,
        };
        if !same {
            self.open(scope, dst);
        }
    }

    fn constant_image(&self, global: GlobalId) -> Option<&'a Image> {
        let global = &self.program.globals[global];
        global.image.as_ref().filter(|_| global.constant && global.debug_type.is_none())
    }

    fn call(&mut self, scope: &Scope<'a>, call: &Call, result: Option<ValueId>) {
        let body = scope.body;
        let callee = direct_callee(body, call);
        let data = callee.map(|callee| &self.program.functions[callee]);
        let out_of_sight = data.filter(|data| data.body.is_none());
        for (index, &arg) in call.args.iter().enumerate() {
            if body.ty(arg) != Type::Ptr || body.bits(arg).is_some() {
                continue;
            }
            if let Some(data) = out_of_sight {
                if writes(self.library.functions.get(&data.name), index) {
                    self.open(scope, arg);
                    if let Some(to) = scope.pointer_to(arg) {
                        self.show_all(to, NESTED_TYPES);
                    }
                }
                continue;
            }
            let to = data.and_then(|data| {
                let ty = data.body.as_ref()?.parameter(index as u32)?.ty?;
                pointee(self.program, SourceType { unit: data.unit, ty })
            });
            if let Some(part) = self.part(scope, arg) {
                self.given.push((callee, call.args.len(), index, part));
            }
            self.used(scope, arg, to);
        }
        // What code out of sight gives back is its own.
        if let Some(data) = out_of_sight
            && !makes(self.library.functions.get(&data.name))
            && !data.attrs.result_no_alias
            && let Some(Pointee::Record(to)) = result.and_then(|result| scope.pointee(result))
        {
            self.show_all(to, NESTED_TYPES);
        }
    }

    /// What calls fill as bytes.
    fn filled(&mut self, graph: &CallGraph) {
        self.raw.follow(self.program, graph);
        for (callee, args, index, part) in std::mem::take(&mut self.given) {
            if self.raw.fills(callee, args, index) {
                self.touch(part);
            }
        }
    }

    /// Carries what is stored along copies, until nothing changes.
    fn follow(&mut self, values: &Values<'_>) {
        let mut flows = std::mem::take(&mut self.flows);
        loop {
            let mut changed = false;
            let mut moving = Vec::new();
            for flow in flows {
                let found = values.of(flow.function, flow.value, |member| self.held(member));
                let (To::Member((_, cell)) | To::Anywhere(cell)) = &flow.to;
                let width = mask(cell.1 as u32 * 8);
                let ever = found.ever.mapped(|number| number & width, |bits| bits & width);
                changed |= match &flow.to {
                    To::Member(member) => self.hold(member.clone(), &ever),
                    To::Anywhere(cell) => {
                        self.strays.entry(*cell).or_insert_with(|| Ever::one(0)).join(&ever)
                    }
                };
                if found.moving {
                    moving.push(flow);
                }
            }
            if !changed {
                break;
            }
            flows = moving;
        }
    }

    /// What a cell holds as far as it is known now.
    fn held(&self, (record, cell): &Member) -> Ever {
        let end = cell.0.saturating_add_unsigned(cell.1);
        let meets = |start: i64, other: i64| start < end && cell.0 < other;
        let touched = self.touched.get(record).into_iter().flatten();
        if self.outside.contains(record) || touched.into_iter().any(|range| meets(range.0, range.1)) {
            return Ever::ANY;
        }
        let mut ever = Ever::one(0);
        // A structure that nobody fills is filled by others.
        let Some(cells) = self.stores.get(record) else { return Ever::ANY };
        // No cell is longer than the widest number.
        let near = cells.range((cell.0.saturating_sub(8), 0)..(end, 0)).map(|(other, _)| other);
        let mut others = near.filter(|other| *other != cell);
        if others.any(|other| meets(other.0, other.0.saturating_add_unsigned(other.1))) {
            return Ever::ANY;
        }
        if let Some(stored) = cells.get(cell) {
            ever.join(stored);
        }
        if let Some(stray) = self.strays.get(cell) {
            ever.join(stray);
        }
        ever
    }

    /// The cells of which something is known, of those that are read, in the order of their names.
    fn known(&self, loads: &[Vec<Member>]) -> Vec<(Member, Ever)> {
        let mut members: Vec<&Member> = loads.iter().flatten().collect();
        members.sort_unstable();
        members.dedup();
        let facts = members.into_iter().map(|member| (member.clone(), self.held(member)));
        facts.filter(|(member, ever)| ever.tells(member.1.1 as u32 * 8)).collect()
    }
}

/// Whether a function out of sight may write what an argument points to.
pub(crate) fn writes(summary: Option<&Summary>, index: usize) -> bool {
    let Some(summary) = summary else { return true };
    let ours = |root: &Root| match *root {
        Root::Param(number) => number as usize == index,
        Root::Rest(first) => index >= first as usize,
        _ => false,
    };
    summary.effects().any(|effect| match effect {
        Effect::Clobber { place } | Effect::Store { place, .. } => {
            ours(&place.root) && place.property().is_none()
        }
        Effect::Copy { to, .. } => ours(&to.root),
        _ => false,
    })
}

/// Whether a function out of sight gives back memory that it made, or what it was given.
fn makes(summary: Option<&Summary>) -> bool {
    let Some(summary) = summary else { return false };
    summary.outcomes.iter().all(|outcome| match &outcome.result {
        Value::Fresh { .. } | Value::Number(_) => true,
        Value::Entry { path, .. } => matches!(path.root, Root::Param(_)),
        _ => false,
    })
}
