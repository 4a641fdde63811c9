//! Memory SSA, one cell of one function at a time, when somebody asks for it.
//!
//! In: what each instruction may read and write (mu and chi of Saber, Alg. 2; calls by REF and MOD of what they reach).
//! Out: [`Chains`], the versions of a cell and where each is used: by loads and calls (mu), by stores and calls that
//! may leave the old contents (chi without a strong update), by joins (phi), and at returns.
//!
//! The paper collapses the cells of others that one pointer reaches into a region, to have fewer versions. Here cells that
//! are never asked for have no versions at all, which is cheaper and needs no overlapping regions; cells
//! that the same instructions touch are one region in print only.

use crate::facts::{CellId, Facts, FunctionFacts, Point};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use watertight_ir::{BlockId, Body, FuncId, InstId, Op, Terminator, ValueId};
use watertight_pointer::object::ObjectId;

/// A version of a cell.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Version {
    /// What it holds when the function is entered.
    Entry,
    /// What an instruction may have put there.
    Inst(InstId),
    /// Where control flow joins.
    Phi(BlockId),
}

/// Where a version is used.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum MemoryUse {
    /// An instruction may read it.
    Read(InstId),
    /// An instruction may write it, and may leave it as it is.
    Weak(InstId),
    /// It comes over this edge into a phi.
    Join(BlockId, BlockId),
    /// The function returns with it.
    Exit(BlockId),
}

/// How an instruction touches a cell.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Touch {
    pub point: Point,
    pub inst: InstId,
    pub reads: bool,
    pub writes: bool,
    /// The old contents are surely gone.
    pub strong: bool,
}

/// The versions of a cell, or of some cells that one access may reach, in one function.
pub struct Chains {
    touches: Vec<Touch>,
    /// For each block the range of its touches.
    blocks: FxHashMap<BlockId, (usize, usize)>,
    phis: FxHashSet<BlockId>,
    uses: FxHashMap<Version, Vec<MemoryUse>>,
}

/// The accesses of a function, in the order of its blocks.
pub struct Accesses(Vec<Access>);

struct Access {
    point: Point,
    inst: InstId,
    reads: Reach,
    writes: Reach,
    /// The access writes one place that exists once: this span of bytes of it.
    exact: Option<(i64, i64)>,
}

/// What one access may reach.
#[derive(Default)]
struct Reach {
    cells: Option<Rc<[CellId]>>,
    objects: Vec<ObjectId>,
    callees: Vec<FuncId>,
}

impl Reach {
    fn cells(cells: Rc<[CellId]>) -> Reach {
        Reach { cells: Some(cells), ..Reach::default() }
    }

    fn objects(objects: Vec<ObjectId>) -> Reach {
        Reach { objects, ..Reach::default() }
    }
}

impl Accesses {
    fn new(facts: &Facts<'_>, function: FuncId, body: &Body, own: &FunctionFacts) -> Accesses {
        let mut found = Vec::new();
        for &block in own.cfg.reverse_post_order() {
            for (index, &inst) in body.blocks[block].insts.iter().enumerate() {
                let at = |addr: ValueId| facts.reached(function, addr);
                let point = Point { block, index: index as u32 };
                let mut access =
                    Access { point, inst, reads: Reach::default(), writes: Reach::default(), exact: None };
                match &body.insts[inst].op {
                    Op::Load { addr, .. } => access.reads = Reach::cells(at(*addr)),
                    Op::Store { addr, .. } => {
                        access.writes = Reach::cells(at(*addr));
                        access.exact = facts.is_exact(function, *addr).then_some((0, 1));
                    }
                    Op::Atomic { addr, .. } | Op::CompareExchange { addr, .. } => {
                        access.reads = Reach::cells(at(*addr));
                        access.writes = Reach::cells(at(*addr));
                    }
                    Op::MemCopy { dst, src, len, .. } => {
                        access.reads = Reach::objects(facts.objects(function, *src));
                        access.writes = Reach::objects(facts.objects(function, *dst));
                        access.exact = span(facts, function, body, *dst, *len);
                    }
                    Op::MemFill { dst, len, .. } => {
                        access.writes = Reach::objects(facts.objects(function, *dst));
                        access.exact = span(facts, function, body, *dst, *len);
                    }
                    Op::Call(_) | Op::Unknown(_) => {
                        let callees = facts.points_to.callees(function, inst);
                        let inside = |callee: &FuncId| facts.program.functions[*callee].body.is_some();
                        let callees: Vec<FuncId> = callees.iter().copied().filter(inside).collect();
                        let mut objects = facts.written_outside(function, body, inst);
                        for &callee in &callees {
                            objects.extend(facts.clone_at(function, inst, callee).map(|clone| clone.0));
                        }
                        objects.sort_unstable();
                        objects.dedup();
                        let copied = copied(facts, function, &body.insts[inst].op);
                        let taken = facts.taken_from(function, body, inst);
                        let mut taken: Vec<CellId> = taken.into_iter().map(|entry| entry.0).collect();
                        taken.sort_unstable();
                        taken.dedup();
                        let cells = Some(taken.into());
                        access.reads = Reach { callees: callees.clone(), objects: copied, cells };
                        access.writes = Reach { callees, objects, cells: None };
                    }
                    _ => continue,
                }
                found.push(access);
            }
        }
        Accesses(found)
    }
}

/// The objects that a call copies into its callee.
fn copied(facts: &Facts<'_>, function: FuncId, op: &Op) -> Vec<ObjectId> {
    let Op::Call(call) = op else { return Vec::new() };
    let args = call.by_value.iter().filter_map(|&(index, _)| call.args.get(index as usize));
    let mut found: Vec<ObjectId> = args.flat_map(|&arg| facts.objects(function, arg)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The bytes that a copy or fill surely writes, if they are of one variable.
fn span(facts: &Facts<'_>, function: FuncId, body: &Body, dst: ValueId, len: ValueId) -> Option<(i64, i64)> {
    let len = i64::try_from(body.bits(len)?).ok()?;
    let reached = facts.reached(function, dst);
    let [cell] = &*reached else { return None };
    let (_, offset) = facts.place(*cell);
    facts.is_exact(function, dst).then_some((offset, offset + len))
}

/// The accesses and chains of all functions that somebody asked about.
#[derive(Default)]
pub struct MemorySsa {
    accesses: FxHashMap<FuncId, Rc<Accesses>>,
    chains: FxHashMap<(FuncId, Rc<[CellId]>), Rc<Chains>>,
    /// How many versions there are, for statistics.
    pub versions: u64,
    /// How many uses of versions.
    pub links: u64,
}

impl MemorySsa {
    /// The versions of what an access to some cells sees.
    pub fn chains(
        &mut self,
        facts: &Facts<'_>,
        function: FuncId,
        cells: &Rc<[CellId]>,
    ) -> Option<Rc<Chains>> {
        if let Some(known) = self.chains.get(&(function, cells.clone())) {
            return Some(known.clone());
        }
        let (body, own) = facts.function(function)?;
        let accesses = self
            .accesses
            .entry(function)
            .or_insert_with(|| Rc::new(Accesses::new(facts, function, body, own)))
            .clone();
        let chains = Rc::new(Chains::new(facts, body, own, &accesses, cells));
        self.versions += chains.versions().count() as u64;
        self.links += chains.uses.values().map(|uses| uses.len() as u64).sum::<u64>();
        self.chains.insert((function, cells.clone()), chains.clone());
        Some(chains)
    }
}

fn touches(facts: &Facts<'_>, reach: &Reach, cell: CellId, is_read: bool) -> bool {
    reach.cells.as_ref().is_some_and(|cells| cells.binary_search(&cell).is_ok())
        || (!reach.objects.is_empty() && reach.objects.binary_search(&facts.place(cell).0).is_ok())
        || reach.callees.iter().any(|&callee| match is_read {
            true => facts.may_read(callee, cell),
            false => facts.may_write(callee, cell),
        })
}

impl Chains {
    fn new(facts: &Facts<'_>, body: &Body, own: &FunctionFacts, all: &Accesses, cells: &[CellId]) -> Chains {
        let mut found = Vec::new();
        let mut blocks: FxHashMap<BlockId, (usize, usize)> = FxHashMap::default();
        for access in &all.0 {
            let any = |reach: &Reach, read: bool| cells.iter().any(|&cell| touches(facts, reach, cell, read));
            let (reads, writes) = (any(&access.reads, true), any(&access.writes, false));
            if !reads && !writes {
                continue;
            }
            let covers = |(start, end): (i64, i64)| match access.writes.cells {
                Some(_) => true,
                None => cells.iter().all(|&cell| (start..end).contains(&facts.place(cell).1)),
            };
            let strong = writes && cells.len() == 1 && access.exact.is_some_and(covers);
            blocks.entry(access.point.block).or_insert((found.len(), found.len())).1 = found.len() + 1;
            found.push(Touch { point: access.point, inst: access.inst, reads, writes, strong });
        }
        let defining = found.iter().filter(|touch| touch.writes).map(|touch| touch.point.block);
        let phis = own.frontiers().iterated(defining).into_iter().collect();
        let mut chains = Chains { touches: found, blocks, phis, uses: FxHashMap::default() };
        chains.link(body, own);
        chains
    }

    /// Finds the uses of all versions.
    fn link(&mut self, body: &Body, own: &FunctionFacts) {
        let mut uses: Vec<(Version, MemoryUse)> = Vec::new();
        for touch in &self.touches {
            let before = self.reaching(own, touch.point);
            if touch.reads {
                uses.push((before, MemoryUse::Read(touch.inst)));
            }
            if touch.writes && !touch.strong {
                uses.push((before, MemoryUse::Weak(touch.inst)));
            }
        }
        for &block in own.cfg.reverse_post_order() {
            if self.phis.contains(&block) {
                for &from in own.cfg.predecessors(block) {
                    uses.push((self.reaching(own, Point::end(from)), MemoryUse::Join(from, block)));
                }
            }
            if let Terminator::Return(_) = body.blocks[block].term {
                uses.push((self.reaching(own, Point::end(block)), MemoryUse::Exit(block)));
            }
        }
        for (version, used) in uses {
            self.uses.entry(version).or_default().push(used);
        }
    }

    /// The version that there is at a point.
    pub fn reaching(&self, own: &FunctionFacts, at: Point) -> Version {
        let mut at = at;
        loop {
            if let Some(&(start, end)) = self.blocks.get(&at.block) {
                let before = self.touches[start..end].iter().rev();
                let write = before.filter(|touch| touch.writes).find(|touch| touch.point.index < at.index);
                if let Some(touch) = write {
                    return Version::Inst(touch.inst);
                }
            }
            if self.phis.contains(&at.block) {
                return Version::Phi(at.block);
            }
            match own.dominators().idom(at.block) {
                Some(above) => at = Point::end(above),
                None => return Version::Entry,
            }
        }
    }

    pub fn uses(&self, version: Version) -> &[MemoryUse] {
        self.uses.get(&version).map_or(&[], Vec::as_slice)
    }

    /// How an instruction touches the cells.
    pub fn touch(&self, inst: InstId) -> Option<&Touch> {
        self.touches.iter().find(|touch| touch.inst == inst)
    }

    pub fn touches(&self) -> &[Touch] {
        &self.touches
    }

    pub fn is_phi(&self, block: BlockId) -> bool {
        self.phis.contains(&block)
    }

    /// All versions, in order: the one at entry, phis by block, writes as they stand.
    pub fn versions(&self) -> impl Iterator<Item = Version> + '_ {
        let mut phis: Vec<BlockId> = self.phis.iter().copied().collect();
        phis.sort_unstable();
        let writes = self.touches.iter().filter(|touch| touch.writes).map(|touch| Version::Inst(touch.inst));
        std::iter::once(Version::Entry).chain(phis.into_iter().map(Version::Phi)).chain(writes)
    }
}
