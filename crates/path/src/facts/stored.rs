//! Which numbers the program ever stores in a variable, or in a member of one: the whole program, without regard to order.
//!
//! `server.tls_port` stays 0 in a build without encryption, and `verbose` is 0, 1 or 2. A cell of a global holds what its initialiser
//! says and what is stored there by name, as constants or through parameters for which all calls pass constants. In: a program. Out: the
//! numbers of each cell, if nothing else can be there.
//!
//! Nothing is known of a cell that gets a number which is not known, that is written as a part of something larger or in parts, or
//! whose address goes anywhere but to a load or a store. The address of a member leads to that member alone, and the address of
//! the first one to all. Variables that others see are known where the program has a `main` (ASSUME-52), and only if one unit alone defines them.

use crate::facts::callers::Callers;
use crate::facts::passed::Passed;
use crate::facts::types::parts;
use crate::limits::{ADDRESS_STEPS, MOST_PASSED, SOURCES};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use watertight_ir::{
    Body, Const, ConvertOp, Def, Endian, FuncId, GlobalId, Linkage, Op, Program, SourceType, Symbol, Type,
    ValueId,
};

/// A range of bytes of a global that is read or written as one number: where it begins, and how long it is.
pub type Cell = (i64, u64);

/// What is stored in globals.
#[derive(Debug, Default)]
pub struct Stored {
    globals: FxHashMap<GlobalId, Cells>,
}

/// What is known of a global. A cell that is not listed is as it was at first, if nothing touches it.
#[derive(Debug, Default)]
struct Cells {
    /// The numbers that are stored, in ascending order; none if they may be any.
    stores: BTreeMap<Cell, Option<Vec<u64>>>,
    /// Ranges that become zero.
    zeroed: Vec<(i64, i64)>,
    /// Ranges of which nothing is known.
    open: Vec<(i64, i64)>,
}

impl Stored {
    pub fn new(program: &Program, callers: &Callers, passed: &Passed) -> Stored {
        let mut stored = Stored { globals: candidates(program, callers) };
        for global in program.globals.values() {
            for relocation in global.image.iter().flat_map(|image| &image.relocations) {
                if let Symbol::Global(target) = relocation.target {
                    stored.touch(program, target, relocation.addend);
                }
            }
        }
        for (id, function) in program.functions.iter() {
            if let Some(body) = &function.body {
                stored.body(program, passed, id, body);
            }
        }
        stored
    }

    /// The numbers that a cell may hold, in ascending order, if they are known.
    pub fn of(&self, program: &Program, global: GlobalId, cell: Cell) -> Option<Vec<u64>> {
        let known = self.globals.get(&global)?;
        let (start, bytes) = cell;
        let end = start.checked_add_unsigned(bytes)?;
        let meets = |range: &(i64, i64)| range.0 < end && start < range.1;
        if known.open.iter().any(meets) {
            return None;
        }
        let mut numbers = vec![first(program, global, cell)?];
        if known.zeroed.iter().any(meets) {
            numbers.push(0);
        }
        for (&(other, length), stores) in &known.stores {
            if !meets(&(other, other.saturating_add_unsigned(length))) {
                continue;
            }
            if (other, length) != cell {
                return None;
            }
            numbers.extend(stores.as_ref()?);
        }
        numbers.sort_unstable();
        numbers.dedup();
        (numbers.len() <= MOST_PASSED).then_some(numbers)
    }

    /// Everything that is known of a global, as text that is the same for the same facts.
    pub(crate) fn words(&self, global: GlobalId) -> Option<String> {
        self.globals.get(&global).map(|cells| format!("{cells:?}"))
    }

    fn body(&mut self, program: &Program, passed: &Passed, id: FuncId, body: &Body) {
        for block in body.blocks.values() {
            for &inst in &block.insts {
                match &body.insts[inst].op {
                    // What becomes of an address that is computed here is seen where it is used.
                    Op::Load { .. } | Op::Compare { .. } | Op::Name { .. } => {}
                    Op::Offset { .. } | Op::Index { .. } => {}
                    Op::Store { addr, value, .. } => {
                        self.used(program, body, *value);
                        match place(body, *addr) {
                            Some((global, start, Exact::Yes)) => {
                                let bytes = body.ty(*value).store_bytes(program.target.pointer_bits);
                                let mut numbers = Vec::new();
                                let known = sources(passed, id, body, *value, SOURCES, &mut numbers);
                                self.store(global, (start, bytes), known.map(|()| numbers));
                            }
                            Some((global, start, Exact::No)) => self.touch(program, global, start),
                            None => {}
                        }
                    }
                    Op::MemFill { dst, byte, len } => match place(body, *dst) {
                        Some((global, start, Exact::Yes)) if body.bits(*byte) == Some(0) => {
                            let end = body.bits(*len).and_then(|len| start.checked_add_unsigned(len));
                            let end = end.unwrap_or(i64::MAX);
                            if let Some(cells) = self.globals.get_mut(&global) {
                                cells.zeroed.push((start, end));
                            }
                        }
                        Some((global, ..)) => self.open(global, (0, i64::MAX)),
                        None => {}
                    },
                    Op::MemCopy { dst, .. } => {
                        if let Some((global, ..)) = place(body, *dst) {
                            self.open(global, (0, i64::MAX));
                        }
                    }
                    op => op.operands(|value| self.used(program, body, value)),
                }
            }
            block.term.operands(|value| self.used(program, body, value));
        }
    }

    /// An address goes somewhere.
    fn used(&mut self, program: &Program, body: &Body, value: ValueId) {
        if body.ty(value) == Type::Ptr
            && let Some((global, start, _)) = place(body, value)
        {
            self.touch(program, global, start);
        }
    }

    fn store(&mut self, global: GlobalId, cell: Cell, numbers: Option<Vec<u64>>) {
        let Some(cells) = self.globals.get_mut(&global) else { return };
        let known = cells.stores.entry(cell).or_insert_with(|| Some(Vec::new()));
        match (known.as_mut(), numbers) {
            (Some(known), Some(numbers)) => {
                known.extend(numbers);
                known.sort_unstable();
                known.dedup();
            }
            _ => *known = None,
        }
    }

    /// Anything may be written to the member at an offset.
    fn touch(&mut self, program: &Program, global: GlobalId, offset: i64) {
        self.open(global, member(program, global, offset).unwrap_or((0, i64::MAX)));
    }

    fn open(&mut self, global: GlobalId, range: (i64, i64)) {
        if let Some(cells) = self.globals.get_mut(&global)
            && !cells.open.contains(&range)
        {
            cells.open.push(range);
            cells.open.sort_unstable();
        }
    }
}

/// The globals of which something can be known.
fn candidates(program: &Program, callers: &Callers) -> FxHashMap<GlobalId, Cells> {
    let mut names: FxHashSet<&str> = FxHashSet::default();
    let mut twice: FxHashSet<&str> = FxHashSet::default();
    let defined = |global: &watertight_ir::Global| global.image.is_some();
    for global in program.globals.values().filter(|global| defined(global)) {
        if global.linkage != Linkage::Internal && !names.insert(&global.name) {
            twice.insert(&global.name);
        }
    }
    let known = program.globals.iter().filter(|(_, global)| {
        let ours = match global.linkage {
            Linkage::Internal => true,
            Linkage::External | Linkage::Common => callers.is_whole() && !twice.contains(&*global.name),
            _ => false,
        };
        ours && defined(global) && !global.constant
    });
    known.map(|(id, _)| (id, Cells::default())).collect()
}

/// The number that a cell holds at first.
fn first(program: &Program, global: GlobalId, (start, bytes): Cell) -> Option<u64> {
    let image = program.globals[global].image.as_ref()?;
    let start = u64::try_from(start).ok()?;
    let end = start.checked_add(bytes).filter(|&end| end <= program.globals[global].bytes && bytes <= 8)?;
    let filled = image
        .relocations
        .iter()
        .any(|relocation| relocation.offset < end && start < relocation.offset + u64::from(relocation.bytes));
    if filled || program.target.endian == Endian::Big {
        return None;
    }
    let byte = |at: u64| usize::try_from(at).ok().and_then(|at| image.bytes.get(at)).copied().unwrap_or(0);
    Some((start..end).rev().fold(0, |number, at| number << 8 | u64::from(byte(at))))
}

/// The range of the outermost member at an offset of a structure. None for the first, whose address is that of the whole.
fn member(program: &Program, global: GlobalId, offset: i64) -> Option<(i64, i64)> {
    let data = &program.globals[global];
    let object = SourceType { unit: data.unit, ty: data.debug_type? };
    let member = parts(program, object, offset).next().filter(|_| offset > 0)?.member?;
    let start = i64::try_from(member.offset_bits / 8).ok()?;
    let end = i64::try_from((member.offset_bits + member.bits).div_ceil(8)).ok()?;
    Some((start, end))
}

/// Whether it is known where in a global an address leads.
enum Exact {
    Yes,
    No,
}

/// Where an address leads that is made from that of a global.
fn place(body: &Body, address: ValueId) -> Option<(GlobalId, i64, Exact)> {
    let (mut base, mut offset, mut exact) = (address, 0i64, Exact::Yes);
    for _ in 0..ADDRESS_STEPS {
        match &body.values[base].def {
            Def::Const(Const::Global { global, offset: inside }) => {
                return Some((*global, offset.checked_add(*inside)?, exact));
            }
            Def::Inst(inst) => match &body.insts[*inst].op {
                Op::Offset { base: inner, bytes } => {
                    offset = offset.checked_add(*bytes)?;
                    base = *inner;
                }
                // Where the elements begin; what comes behind is in one of them.
                Op::Index { base: inner, .. } => (base, offset, exact) = (*inner, 0, Exact::No),
                _ => return None,
            },
            _ => return None,
        }
    }
    None
}

/// Adds the numbers that a value may be. Nothing if it may be any.
fn sources(
    passed: &Passed,
    id: FuncId,
    body: &Body,
    value: ValueId,
    depth: u32,
    numbers: &mut Vec<u64>,
) -> Option<()> {
    if let Some(bits) = body.bits(value) {
        numbers.push(bits);
        return Some(());
    }
    match &body.values[value].def {
        Def::Param(index) => {
            let given = passed.of_all(id, *index).filter(|given| !given.address)?;
            numbers.extend(&given.numbers);
            Some(())
        }
        Def::Inst(inst) => {
            let depth = depth.checked_sub(1)?;
            match &body.insts[*inst].op {
                Op::Select { then, other, .. } => {
                    sources(passed, id, body, *then, depth, numbers)?;
                    sources(passed, id, body, *other, depth, numbers)
                }
                Op::Phi { incoming } => incoming
                    .iter()
                    .try_for_each(|&(_, value)| sources(passed, id, body, value, depth, numbers)),
                // The truth of a comparison.
                Op::Convert { op: ConvertOp::ZeroExtend, value } if body.ty(*value) == Type::BOOL => {
                    numbers.extend([0, 1]);
                    Some(())
                }
                _ => None,
            }
        }
        Def::Const(_) => None,
    }
}
