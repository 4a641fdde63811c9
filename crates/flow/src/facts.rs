//! What is known about the program before any value is followed: control flow, uses of values, cells that loads and
//! stores reach, callers, and which cells each function may read, itself or through what it calls.

use rustc_hash::FxHashMap;
use watertight_ir::{
    BlockId, Body, Cfg, FuncId, Id, InstId, Lists, Loops, Op, Program, Table, Terminator, ValueId,
    define_ids, scc,
};
use watertight_pointer::PointsTo;
use watertight_pointer::object::{ObjectId, Origin};
use watertight_pointer::set::Set;
use watertight_summary::model::Models;

define_ids! {
    /// A place in memory that can hold an address: an object and an offset in it.
    CellId "cell";
}

/// A position in a body: before the instruction with this number in its block, or before its terminator.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Point {
    pub block: BlockId,
    pub index: u32,
}

/// Where a value is used.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Use {
    Inst(InstId),
    /// The function returns it at the end of the block.
    Return(BlockId),
}

/// What is known about one body.
pub struct FunctionFacts {
    pub cfg: Cfg,
    pub loops: Loops,
    uses: Lists<ValueId, Use>,
    points: Vec<Option<Point>>,
}

impl FunctionFacts {
    pub(crate) fn new(body: &Body) -> FunctionFacts {
        let cfg = Cfg::new(body);
        let loops = Loops::new(&cfg);
        let mut uses = Vec::new();
        let mut points = vec![None; body.insts.len()];
        for (block, data) in body.blocks.iter() {
            for (index, &inst) in data.insts.iter().enumerate() {
                points[inst.index()] = Some(Point { block, index: index as u32 });
                if !matches!(body.insts[inst].op, Op::Name { .. }) {
                    body.insts[inst].op.operands(|operand| uses.push((operand, Use::Inst(inst))));
                }
            }
            if let Terminator::Return(Some(value)) = data.term {
                uses.push((value, Use::Return(block)));
            }
        }
        FunctionFacts { cfg, loops, uses: Lists::from_pairs(body.values.len(), &uses), points }
    }

    pub fn uses(&self, value: ValueId) -> &[Use] {
        self.uses.of(value)
    }

    /// Before an instruction.
    pub fn point(&self, inst: InstId) -> Option<Point> {
        self.points[inst.index()]
    }
}

/// Everything that following values needs.
pub struct Facts<'a> {
    pub program: &'a Program,
    pub models: &'a Models,
    pub points_to: &'a PointsTo<'a>,
    functions: Table<FuncId, Option<FunctionFacts>>,
    /// The calls that reach each function.
    callers: Table<FuncId, Vec<(FuncId, InstId)>>,
    cells: Table<CellId, (ObjectId, i64)>,
    by_place: FxHashMap<(ObjectId, i64), CellId>,
    /// Cells that a load of each function may read, or one of a function that it calls.
    read: Table<FuncId, Set>,
}

impl<'a> Facts<'a> {
    pub fn new(program: &'a Program, models: &'a Models, points_to: &'a PointsTo<'a>) -> Facts<'a> {
        let count = program.functions.len();
        let functions = program.functions.values().map(|f| f.body.as_ref().map(FunctionFacts::new)).collect();
        let mut facts = Facts {
            program,
            models,
            points_to,
            functions,
            callers: Table::filled(count, Vec::new()),
            cells: Table::new(),
            by_place: FxHashMap::default(),
            read: Table::filled(count, Set::new()),
        };
        let mut calls: Vec<(FuncId, FuncId)> = Vec::new();
        for (id, function) in program.functions.iter() {
            let Some(body) = &function.body else { continue };
            for &inst in body.blocks.values().flat_map(|block| &block.insts) {
                match &body.insts[inst].op {
                    Op::Load { addr, .. } | Op::MemCopy { src: addr, .. } => {
                        for cell in facts.reached(id, *addr) {
                            facts.read[id].insert(cell.index() as u32);
                        }
                    }
                    Op::Call(_) => {
                        for &callee in points_to.callees(id, inst) {
                            facts.callers[callee].push((id, inst));
                            calls.push((id, callee));
                        }
                    }
                    _ => {}
                }
            }
        }
        let callees: Lists<FuncId, FuncId> = Lists::from_pairs(count, &calls);
        for members in scc::components(count, |function| callees.of(function)).iter() {
            let mut all = Set::new();
            for &member in members {
                all.unite(&facts.read[member]);
                for &callee in callees.of(member) {
                    all.unite(&facts.read[callee]);
                }
            }
            for &member in members {
                facts.read[member] = all.clone();
            }
        }
        facts
    }

    /// What is known about a function, if it has a body.
    pub fn function(&self, function: FuncId) -> Option<(&'a Body, &FunctionFacts)> {
        Some((self.program.functions[function].body.as_ref()?, self.functions[function].as_ref()?))
    }

    pub fn callers(&self, function: FuncId) -> &[(FuncId, InstId)] {
        &self.callers[function]
    }

    /// The cells at the places that a value points to.
    pub fn reached(&mut self, function: FuncId, addr: ValueId) -> Vec<CellId> {
        let points_to = self.points_to;
        let mut found: Vec<CellId> = Vec::new();
        for location in points_to.locations(points_to.of(function, addr)) {
            if !matches!(points_to.object(location.object).origin, Origin::Function(_) | Origin::Constants) {
                found.push(self.cell(location.object, points_to.cell_offset(location)));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether a value points to one place only, in a variable of the function that exists once.
    pub fn is_exact(&self, function: FuncId, addr: ValueId) -> bool {
        let set = self.points_to.of(function, addr);
        let mut locations = self.points_to.locations(set);
        let (Some(location), None) = (locations.next(), locations.next()) else { return false };
        let object = self.points_to.object(location.object);
        let own = matches!(object.origin, Origin::Stack(owner, _) if owner == function);
        own && location.stride == 0 && object.bytes.is_some_and(|bytes| bytes <= 8 || object.ty.is_some())
    }

    pub fn cell(&mut self, object: ObjectId, offset: i64) -> CellId {
        let cells = &mut self.cells;
        *self.by_place.entry((object, offset)).or_insert_with(|| cells.push((object, offset)))
    }

    /// The object that a cell is in, and its offset there.
    pub fn place(&self, cell: CellId) -> (ObjectId, i64) {
        self.cells[cell]
    }

    pub fn origin(&self, cell: CellId) -> Origin {
        self.points_to.object(self.cells[cell].0).origin
    }

    /// Whether a function may read a cell, itself or through what it calls.
    pub fn may_read(&self, function: FuncId, cell: CellId) -> bool {
        self.read[function].contains(cell.index() as u32)
    }
}
