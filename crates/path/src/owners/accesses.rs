//! Every place at which the program reads a member, writes it, or hands out its address.
//!
//! In: bodies. Out: accesses, by function and by member. Members are those of structure types, by the name of the type and the offset, and
//! variables of the program that hold an address ([`Field`]).

use super::Known;
use super::sources::{cell, filled, sources};
use crate::facts::cells::base_of;
use crate::facts::types::{Field, Members};
use crate::limits::SOURCES;
use rustc_hash::{FxHashMap, FxHashSet};
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{BlockId, Body, Const, FuncId, InstId, Op, Type, ValueId};

/// What is done with a member.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum What {
    /// It is read; this is what it held.
    Load(ValueId),
    /// This is put there.
    Store(ValueId),
    /// Its address is an argument of a call, this one.
    Given(u32),
}

/// An instruction that touches a member.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub(super) function: FuncId,
    pub(super) block: BlockId,
    pub(super) inst: InstId,
    /// The address of the member.
    pub(super) addr: ValueId,
    pub(super) field: usize,
    pub(super) what: What,
}

/// All accesses of a program.
pub(super) struct Accesses {
    /// The members, by their numbers.
    pub(super) fields: Vec<Field>,
    all: Vec<Access>,
    by_function: FxHashMap<FuncId, (usize, usize)>,
    by_field: Vec<Vec<usize>>,
    numbers: FxHashMap<Field, usize>,
    /// Types whose structures a function copies as a whole, or gives to somebody of whom nothing is known.
    opened: FxHashSet<(FuncId, Box<str>, u64)>,
}

impl Accesses {
    pub(super) fn new(known: Known<'_>) -> Accesses {
        let program = known.program;
        let numbers = numbers(known);
        let mut accesses = Accesses {
            fields: Vec::new(),
            all: Vec::new(),
            by_function: FxHashMap::default(),
            by_field: Vec::new(),
            numbers: FxHashMap::default(),
            opened: FxHashSet::default(),
        };
        for function in program.defined() {
            let start = accesses.all.len();
            accesses.scan(known, function, &numbers);
            accesses.by_function.insert(function, (start, accesses.all.len()));
        }
        for (index, access) in accesses.all.iter().enumerate() {
            accesses.by_field[access.field].push(index);
        }
        accesses
    }

    fn scan(&mut self, known: Known<'_>, function: FuncId, numbers: &FxHashSet<Field>) {
        let program = known.program;
        let Some(body) = &program.functions[function].body else { return };
        let Some(members) = Members::new(program, function) else { return };
        for (block, data) in body.blocks.iter() {
            for &inst in &data.insts {
                let entry = &body.insts[inst];
                match &entry.op {
                    Op::Load { addr, .. } => {
                        if let Some(result) = entry.result {
                            let fields = fields(&members, numbers, *addr, body.ty(result));
                            self.add(fields, function, (block, inst), *addr, What::Load(result));
                        }
                    }
                    Op::Store { addr, value, .. } => {
                        let fields = fields(&members, numbers, *addr, body.ty(*value));
                        self.add(fields, function, (block, inst), *addr, What::Store(*value));
                    }
                    Op::MemCopy { src, .. } => self.open(&members, function, *src),
                    Op::Call(call) => {
                        let callee = direct_callee(body, call);
                        if callee.is_none_or(|callee| known.is_unknown(callee)) {
                            call.args.iter().for_each(|&argument| self.open(&members, function, argument));
                        }
                        for (&argument, number) in call.args.iter().zip(0..) {
                            if is_place(body, argument) {
                                let mut places = fields(&members, numbers, argument, Type::Ptr);
                                places.extend(fields(&members, numbers, argument, NUMBER));
                                self.add(places, function, (block, inst), argument, What::Given(number));
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    fn open(&mut self, members: &Members<'_>, function: FuncId, value: ValueId) {
        if let Some((name, bytes)) = members.pointed_record(base_of(members.body, value)) {
            self.opened.insert((function, name, bytes));
        }
    }

    /// Whether a function copies structures with this member as a whole, or gives them to somebody of whom nothing is known.
    pub(super) fn opens(&self, function: FuncId, field: usize) -> bool {
        let record = self.fields[field].record();
        record.is_some_and(|(name, bytes)| self.opened.contains(&(function, name, bytes)))
    }

    fn add(
        &mut self,
        fields: Vec<Field>,
        function: FuncId,
        (block, inst): (BlockId, InstId),
        addr: ValueId,
        what: What,
    ) {
        for field in fields {
            let next = self.fields.len();
            let number = *self.numbers.entry(field.clone()).or_insert(next);
            if number == next {
                self.fields.push(field);
                self.by_field.push(Vec::new());
            }
            self.all.push(Access { function, block, inst, addr, field: number, what });
        }
    }

    /// All accesses in a function, in the order of blocks.
    pub(super) fn in_function(&self, function: FuncId) -> &[Access] {
        let (start, end) = self.by_function.get(&function).copied().unwrap_or_default();
        &self.all[start..end]
    }

    /// All accesses to a member in a function.
    pub(super) fn of_field_in(&self, function: FuncId, field: usize) -> impl Iterator<Item = &Access> {
        let (start, end) = self.by_function.get(&function).copied().unwrap_or_default();
        let all = &self.by_field[field];
        let first = all.partition_point(|&index| index < start);
        all[first..].iter().take_while(move |&&index| index < end).map(|&index| &self.all[index])
    }

    /// All accesses to a member, in the order of functions.
    pub(super) fn of_field(&self, field: usize) -> impl Iterator<Item = &Access> {
        self.by_field[field].iter().map(|&index| &self.all[index])
    }

    /// The number of a member.
    pub(super) fn number(&self, field: &Field) -> Option<usize> {
        self.numbers.get(field).copied()
    }
}

/// The type of numbers that stand for something.
pub(super) const NUMBER: Type = Type::Int(32);

/// The members that an address may be that of, where a value of this type is read or written there.
fn fields(members: &Members<'_>, numbers: &FxHashSet<Field>, addr: ValueId, ty: Type) -> Vec<Field> {
    match ty {
        Type::Ptr => members.cells(addr),
        NUMBER if !numbers.is_empty() => {
            members.number(addr).filter(|field| numbers.contains(field)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// The members and variables into which somebody puts a number that stands for something new, such as a descriptor.
fn numbers(known: Known<'_>) -> FxHashSet<Field> {
    let mut found = FxHashSet::default();
    for function in known.program.defined() {
        let Some(body) = &known.program.functions[function].body else { continue };
        let mut members = None;
        for &inst in body.blocks.values().flat_map(|block| &block.insts) {
            let places: Vec<ValueId> = match &body.insts[inst].op {
                Op::Store { addr, value, .. }
                    if body.ty(*value) == NUMBER && sources(known, function, *value).new.is_some() =>
                {
                    vec![*addr]
                }
                Op::Call(call) => (call.args.iter().zip(0..))
                    .filter(|&(&argument, number)| {
                        is_place(body, argument)
                            && filled(known, function, body, inst, &cell(number, 0, NUMBER), SOURCES)
                                .new
                                .is_some()
                    })
                    .map(|(&argument, _)| argument)
                    .collect(),
                _ => continue,
            };
            if !places.is_empty() {
                let members = members.get_or_insert_with(|| Members::new(known.program, function));
                let Some(members) = members else { break };
                found.extend(places.into_iter().filter_map(|addr| members.number(addr)));
            }
        }
    }
    found
}

/// Whether a constant that is put into a member leaves it with nothing: no address, or a number that stands for nothing.
pub(super) fn is_nothing(body: &Body, value: ValueId) -> bool {
    match body.ty(value) {
        NUMBER => body.bits(value).is_some_and(|bits| bits as u32 as i32 <= 0),
        _ => body.bits(value) == Some(0),
    }
}

/// Whether a value is the address of a place inside something, and not of its start.
pub(super) fn is_place(body: &Body, value: ValueId) -> bool {
    matches!(body.def_op(value), Some(Op::Offset { .. }))
        || matches!(body.constant(value), Some(Const::Global { .. }))
}
