//! What is known about the program before any value is followed: control flow, uses of values, cells that loads and
//! stores reach, callers, and which cells each function may read and write, itself or through what it calls (REF and
//! MOD of Saber, Alg. 1).
//!
//! What belongs to one function is worked out when somebody asks for it.

use crate::given::Given;
use crate::limits::{ARRAY_OFFSETS, WRITTEN_OBJECTS};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use watertight_ir::{
    BlockId, Body, Cfg, Dominators, Frontiers, FuncId, Id, InstId, Lists, Loops, Op, PostDominators, Program,
    Table, Terminator, ValueId, define_ids, scc,
};
use watertight_pointer::PointsTo;
use watertight_pointer::object::{Location, ObjectId, Origin};
use watertight_pointer::set::Set;
use watertight_summary::model::Models;
use watertight_summary::{Effect, Path, Root, Step, Summary};

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

impl Point {
    pub fn start(block: BlockId) -> Point {
        Point { block, index: 0 }
    }

    pub fn end(block: BlockId) -> Point {
        Point { block, index: u32::MAX }
    }

    pub fn next(self) -> Point {
        Point { index: self.index + 1, ..self }
    }
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
    dominance: OnceCell<(Dominators, Frontiers)>,
    post_dominators: OnceCell<PostDominators>,
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
        FunctionFacts {
            cfg,
            loops,
            uses: Lists::from_pairs(body.values.len(), &uses),
            points,
            dominance: OnceCell::new(),
            post_dominators: OnceCell::new(),
        }
    }

    pub fn uses(&self, value: ValueId) -> &[Use] {
        self.uses.of(value)
    }

    /// Before an instruction.
    pub fn point(&self, inst: InstId) -> Option<Point> {
        self.points[inst.index()]
    }

    pub fn dominators(&self) -> &Dominators {
        &self.dominance().0
    }

    pub fn frontiers(&self) -> &Frontiers {
        &self.dominance().1
    }

    pub fn post_dominators(&self) -> &PostDominators {
        self.post_dominators.get_or_init(|| PostDominators::new(&self.cfg))
    }

    fn dominance(&self) -> &(Dominators, Frontiers) {
        self.dominance.get_or_init(|| {
            let dominators = Dominators::new(&self.cfg);
            let frontiers = dominators.frontiers(&self.cfg);
            (dominators, frontiers)
        })
    }
}

/// What a function may do to memory, itself or through what it calls.
#[derive(Clone, Default)]
struct Footprint {
    read: Set,
    written: Set,
    /// Objects any part of which it may write: by copies of bytes, and by functions of the library.
    overwritten: Set,
}

impl Footprint {
    fn unite(&mut self, other: &Footprint) {
        self.read.unite(&other.read);
        self.written.unite(&other.written);
        self.overwritten.unite(&other.overwritten);
    }
}

/// Everything that following values needs.
pub struct Facts<'a> {
    pub program: &'a Program,
    pub models: &'a Models,
    pub points_to: &'a PointsTo<'a>,
    functions: Table<FuncId, OnceCell<FunctionFacts>>,
    /// The calls that reach each function.
    callers: Table<FuncId, Vec<(FuncId, InstId)>>,
    cells: RefCell<Cells>,
    footprints: Table<FuncId, Footprint>,
    /// Functions that never return.
    endless: Table<FuncId, bool>,
    /// Functions on some paths of which the process ends.
    may_end: Table<FuncId, bool>,
    /// What any function may do.
    everywhere: Footprint,
    pub(crate) given: Given,
}

#[derive(Default)]
struct Cells {
    places: Table<CellId, (ObjectId, i64)>,
    by_place: FxHashMap<(ObjectId, i64), CellId>,
    /// Cells by any offset of theirs.
    normal: FxHashMap<(ObjectId, i64), CellId>,
    reached: FxHashMap<(FuncId, ValueId), Rc<[CellId]>>,
}

impl<'a> Facts<'a> {
    pub fn new(program: &'a Program, models: &'a Models, points_to: &'a PointsTo<'a>) -> Facts<'a> {
        let count = program.functions.len();
        let mut facts = Facts {
            program,
            models,
            points_to,
            functions: program.functions.values().map(|_| OnceCell::new()).collect(),
            callers: Table::filled(count, Vec::new()),
            cells: RefCell::default(),
            footprints: Table::filled(count, Footprint::default()),
            endless: Table::filled(count, false),
            may_end: Table::filled(count, false),
            everywhere: Footprint::default(),
            given: Given::default(),
        };
        let mut calls: Vec<(FuncId, FuncId)> = Vec::new();
        for (id, function) in program.functions.iter() {
            let Some(body) = &function.body else { continue };
            let mut own = Footprint::default();
            for &inst in body.blocks.values().flat_map(|block| &block.insts) {
                facts.leave_footprint(id, body, inst, &mut own);
                if let Op::Call(_) = body.insts[inst].op {
                    for &callee in points_to.callees(id, inst) {
                        facts.callers[callee].push((id, inst));
                        calls.push((id, callee));
                    }
                }
            }
            facts.everywhere.unite(&own);
            facts.footprints[id] = own;
        }
        let callees: Lists<FuncId, FuncId> = Lists::from_pairs(count, &calls);
        for members in scc::components(count, |function| callees.of(function)).iter() {
            let mut all = Footprint::default();
            for &member in members {
                all.unite(&facts.footprints[member]);
                for &callee in callees.of(member) {
                    all.unite(&facts.footprints[callee]);
                }
            }
            for &member in members {
                facts.footprints[member] = all.clone();
            }
            for &member in members {
                facts.endless[member] = facts.is_endless(member);
                facts.may_end[member] = facts.endless[member]
                    || facts.has_end(member)
                    || callees.of(member).iter().any(|&callee| facts.may_end[callee]);
            }
        }
        facts
    }

    /// Adds what one instruction does, callees with bodies left out.
    fn leave_footprint(&self, function: FuncId, body: &Body, inst: InstId, own: &mut Footprint) {
        let cells = |set: &mut Set, addr: ValueId| {
            self.reached(function, addr).iter().for_each(|cell| {
                set.insert(cell.index() as u32);
            });
        };
        match &body.insts[inst].op {
            Op::Load { addr, .. } => cells(&mut own.read, *addr),
            Op::Store { addr, .. } => cells(&mut own.written, *addr),
            Op::Atomic { addr, .. } | Op::CompareExchange { addr, .. } => {
                cells(&mut own.read, *addr);
                cells(&mut own.written, *addr);
            }
            Op::MemCopy { dst, src, .. } => {
                // A copy reads every cell behind its source; which of them is seen where one is followed.
                for object in self.objects(function, *src) {
                    for (offset, _) in self.points_to.contents(object) {
                        own.read.insert(self.cell(object, offset).index() as u32);
                    }
                }
                cells(&mut own.read, *src);
                self.objects(function, *dst).into_iter().for_each(|object| {
                    own.overwritten.insert(object.index() as u32);
                });
            }
            Op::MemFill { dst, .. } => self.objects(function, *dst).into_iter().for_each(|object| {
                own.overwritten.insert(object.index() as u32);
            }),
            Op::Call(_) | Op::Unknown(_) => {
                let callees = self.points_to.callees(function, inst);
                let clones = callees.iter().filter_map(|&callee| self.clone_at(function, inst, callee));
                let objects = self.written_outside(function, body, inst).into_iter();
                objects.chain(clones.map(|clone| clone.0)).for_each(|object| {
                    own.overwritten.insert(object.index() as u32);
                });
            }
            _ => {}
        }
    }

    /// The objects that functions without a body may write at a call.
    pub fn written_outside(&self, function: FuncId, body: &Body, inst: InstId) -> Vec<ObjectId> {
        let mut found = Vec::new();
        let args: &[ValueId] = match &body.insts[inst].op {
            Op::Call(call) => &call.args,
            Op::Unknown(unknown) => {
                unknown.args.iter().for_each(|&arg| self.led_to(function, arg, &mut found));
                return found;
            }
            _ => return found,
        };
        for &callee in self.points_to.callees(function, inst) {
            let data = &self.program.functions[callee];
            if data.body.is_some() || data.attrs.no_memory || data.attrs.read_only {
                continue;
            }
            let Some(summary) = self.models.functions.get(&data.name) else {
                args.iter().for_each(|&arg| self.led_to(function, arg, &mut found));
                continue;
            };
            for path in written_paths(summary) {
                let Root::Param(param) = path.root else { continue };
                let Some(&arg) = args.get(param as usize) else { continue };
                match path.steps.len() {
                    0 | 1 => found.extend(self.objects(function, arg)),
                    _ => self.led_to(function, arg, &mut found),
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The cells whose contents functions without a body release or keep at a call, each with whether it is released:
    /// `globfree` is given a structure and releases what is in it.
    pub fn taken_from(&self, function: FuncId, body: &Body, inst: InstId) -> Vec<(CellId, bool)> {
        let Op::Call(call) = &body.insts[inst].op else { return Vec::new() };
        let mut found = Vec::new();
        for &callee in self.points_to.callees(function, inst) {
            let data = &self.program.functions[callee];
            let Some(summary) = self.models.functions.get(&data.name).filter(|_| data.body.is_none()) else {
                continue;
            };
            for effect in summary.outcomes.iter().flat_map(|outcome| &outcome.effects) {
                let (path, released) = match effect {
                    Effect::Release { value, .. } => (value, true),
                    Effect::Keep { value, .. } => (value, false),
                    _ => continue,
                };
                let (Root::Param(param), [Step::At(offset) | Step::Number { offset, .. }]) =
                    (path.root, &path.steps[..])
                else {
                    continue;
                };
                let Some(&arg) = call.args.get(param as usize) else { continue };
                for &cell in self.reached(function, arg).iter() {
                    let (object, at) = self.place(cell);
                    found.push((self.cell_at(object, at + offset), released));
                }
            }
        }
        found
    }

    /// The objects that a value leads to, near ones first.
    fn led_to(&self, function: FuncId, value: ValueId, found: &mut Vec<ObjectId>) {
        let mut seen: FxHashSet<ObjectId> = FxHashSet::default();
        let mut queue = self.objects(function, value);
        let mut next = 0;
        while next < queue.len() && seen.len() < WRITTEN_OBJECTS {
            let object = queue[next];
            next += 1;
            if !seen.insert(object) {
                continue;
            }
            found.push(object);
            for (_, held) in self.points_to.contents(object) {
                queue.extend(
                    self.points_to.locations(held).map(|location| location.object).take(WRITTEN_OBJECTS),
                );
            }
        }
    }

    /// The objects that a value points into, those that can be written.
    pub fn objects(&self, function: FuncId, value: ValueId) -> Vec<ObjectId> {
        let set = self.points_to.of(function, value);
        let mut found: Vec<ObjectId> =
            self.points_to.locations(set).map(|location| location.object).collect();
        found.retain(|&object| {
            !matches!(self.points_to.object(object).origin, Origin::Function(_) | Origin::Constants)
        });
        found.sort_unstable();
        found.dedup();
        found
    }

    fn is_endless(&self, function: FuncId) -> bool {
        let data = &self.program.functions[function];
        let Some(body) = &data.body else {
            let model = self.models.functions.get(&data.name);
            return data.attrs.no_return || model.is_some_and(|summary| summary.outcomes.is_empty());
        };
        let mut seen: Table<BlockId, bool> = Table::filled(body.blocks.len(), false);
        let mut open = vec![body.entry()];
        while let Some(block) = open.pop() {
            if std::mem::replace(&mut seen[block], true) {
                continue;
            }
            if body.blocks[block].insts.iter().any(|&inst| self.stops(function, body, inst)) {
                continue;
            }
            if let Terminator::Return(_) = body.blocks[block].term {
                return false;
            }
            body.blocks[block].term.successors(|target| open.push(target));
        }
        true
    }

    /// Whether something in a function itself ends the process.
    fn has_end(&self, function: FuncId) -> bool {
        let Some(body) = &self.program.functions[function].body else { return false };
        body.blocks.values().any(|block| block.term == Terminator::Unreachable)
    }

    /// Whether the process ends on some paths of a function.
    pub fn may_end(&self, function: FuncId) -> bool {
        self.may_end[function]
    }

    /// Whether anything in the program may write a cell after it was initialised.
    pub fn is_ever_written(&self, cell: CellId) -> bool {
        self.everywhere.written.contains(cell.index() as u32)
            || self.everywhere.overwritten.contains(self.place(cell).0.index() as u32)
    }

    /// Whether control never comes back from a call.
    pub fn stops(&self, function: FuncId, body: &Body, inst: InstId) -> bool {
        let Op::Call(call) = &body.insts[inst].op else { return false };
        let callees = self.points_to.callees(function, inst);
        call.no_return || (!callees.is_empty() && callees.iter().all(|&callee| self.endless[callee]))
    }

    /// What is known about a function, if it has a body.
    pub fn function(&self, function: FuncId) -> Option<(&'a Body, &FunctionFacts)> {
        let body = self.program.functions[function].body.as_ref()?;
        Some((body, self.functions[function].get_or_init(|| FunctionFacts::new(body))))
    }

    pub fn callers(&self, function: FuncId) -> &[(FuncId, InstId)] {
        &self.callers[function]
    }

    /// The cells at the places that a value points to, in order.
    pub fn reached(&self, function: FuncId, addr: ValueId) -> Rc<[CellId]> {
        if let Some(known) = self.cells.borrow().reached.get(&(function, addr)) {
            return known.clone();
        }
        let points_to = self.points_to;
        let mut found: Vec<CellId> = Vec::new();
        for location in points_to.locations(points_to.of(function, addr)) {
            if !matches!(points_to.object(location.object).origin, Origin::Function(_) | Origin::Constants) {
                found.push(self.cell(location.object, points_to.cell_offset(location)));
            }
        }
        found.sort_unstable();
        found.dedup();
        let found: Rc<[CellId]> = found.into();
        self.cells.borrow_mut().reached.insert((function, addr), found.clone());
        found
    }

    /// Whether a value points to one place only, in a variable that exists once.
    pub fn is_exact(&self, function: FuncId, addr: ValueId) -> bool {
        let set = self.points_to.of(function, addr);
        let mut locations = self.points_to.locations(set);
        let (Some(location), None) = (locations.next(), locations.next()) else { return false };
        let object = self.points_to.object(location.object);
        let once = match object.origin {
            Origin::Stack(owner, _) => owner == function,
            Origin::Global(_) => true,
            _ => false,
        };
        once && location.stride == 0
            && object.bytes.is_some_and(|bytes| bytes <= 8 || object.ty.is_some())
            && !self.repeats(location.object, self.points_to.cell_offset(location))
    }

    /// Whether a cell stands for several places of its object, as the elements of an array do.
    fn repeats(&self, object: ObjectId, offset: i64) -> bool {
        let bytes = self.points_to.object(object).bytes.unwrap_or(0) as i64;
        let cell = self.cell_at(object, offset);
        let further = (1..=ARRAY_OFFSETS).map(|step| offset + step * 4).take_while(|&at| at < bytes);
        further.into_iter().any(|at| at % 8 == offset % 8 && self.cell_at(object, at) == cell)
    }

    pub fn cell(&self, object: ObjectId, offset: i64) -> CellId {
        let mut all = self.cells.borrow_mut();
        let Cells { places, by_place, .. } = &mut *all;
        *by_place.entry((object, offset)).or_insert_with(|| places.push((object, offset)))
    }

    /// The cell at an offset of an object: elements of an array are one.
    pub fn cell_at(&self, object: ObjectId, offset: i64) -> CellId {
        let key = (object, offset);
        if let Some(&known) = self.cells.borrow().normal.get(&key) {
            return known;
        }
        let normal = self.points_to.memory().layouts.normal(self.points_to.object(object), offset);
        let location = Location { object, offset: normal, stride: 0 };
        let cell = self.cell(object, self.points_to.cell_offset(&location));
        self.cells.borrow_mut().normal.insert(key, cell);
        cell
    }

    /// The object that a cell is in, and its offset there.
    pub fn place(&self, cell: CellId) -> (ObjectId, i64) {
        self.cells.borrow().places[cell]
    }

    pub fn origin(&self, cell: CellId) -> Origin {
        self.points_to.object(self.place(cell).0).origin
    }

    /// The block that a call of an allocation wrapper makes for its caller, and those that it stands for inside.
    pub fn clone_at(
        &self,
        caller: FuncId,
        inst: InstId,
        callee: FuncId,
    ) -> Option<(ObjectId, Vec<ObjectId>)> {
        if !self.points_to.wrappers[callee] {
            return None;
        }
        let body = self.program.functions[caller].body.as_ref()?;
        let result = body.insts[inst].result?;
        let own = Origin::Heap(caller, inst, 0);
        let mut objects = self.objects(caller, result).into_iter();
        let clone = objects.find(|&object| self.points_to.object(object).origin == own)?;
        let mut inside = Vec::new();
        for block in self.program.functions[callee].body.as_ref()?.blocks.values() {
            if let Terminator::Return(Some(value)) = block.term {
                inside.extend(self.objects(callee, value));
            }
        }
        inside.sort_unstable();
        inside.dedup();
        Some((clone, inside))
    }

    /// A cell of a callee as its caller knows it.
    pub fn to_caller(&self, cell: CellId, caller: FuncId, inst: InstId, callee: FuncId) -> CellId {
        let (object, offset) = self.place(cell);
        match self.clone_at(caller, inst, callee) {
            Some((clone, inside)) if inside.contains(&object) => self.cell_at(clone, offset),
            _ => cell,
        }
    }

    /// Cells of a caller as its callee knows them, in order.
    pub fn to_callee(
        &self,
        cells: &Rc<[CellId]>,
        caller: FuncId,
        inst: InstId,
        callee: FuncId,
    ) -> Rc<[CellId]> {
        let Some((clone, inside)) = self.clone_at(caller, inst, callee) else { return cells.clone() };
        let mut found = Vec::new();
        for &cell in cells.iter() {
            let (object, offset) = self.place(cell);
            match object == clone {
                true => found.extend(inside.iter().map(|&object| self.cell_at(object, offset))),
                false => found.push(cell),
            }
        }
        found.sort_unstable();
        found.dedup();
        found.into()
    }

    /// Whether a function may read a cell, itself or through what it calls.
    pub fn may_read(&self, function: FuncId, cell: CellId) -> bool {
        self.footprints[function].read.contains(cell.index() as u32)
    }

    /// Whether a function may write a cell, itself or through what it calls.
    pub fn may_write(&self, function: FuncId, cell: CellId) -> bool {
        let footprint = &self.footprints[function];
        footprint.written.contains(cell.index() as u32)
            || footprint.overwritten.contains(self.place(cell).0.index() as u32)
    }
}

/// The places that a model writes.
fn written_paths(summary: &Summary) -> impl Iterator<Item = &Path> {
    let effects = summary.outcomes.iter().flat_map(|outcome| &outcome.effects);
    effects.filter_map(|effect| match effect {
        Effect::Store { place, .. } if !matches!(place.steps.last(), Some(Step::State { .. })) => Some(place),
        Effect::Clobber { place } | Effect::Zero { place, .. } | Effect::Copy { to: place, .. } => {
            Some(place)
        }
        _ => None,
    })
}
