//! The constraint graph: nodes with points-to sets, inclusion edges, and rules that add edges as sets grow.
//!
//! A node stands for an SSA value, the contents of a cell of memory, or something in between. `copies` are plain
//! inclusions; a rule waits for locations to arrive in the set of its node and then adds what they imply (a load
//! from `p` is an edge from every cell that `p` points to). Nodes found equal are united and answer to one
//! representative.
//!
//! What must hold: `done` of a node is the part of its set that was handed to all its copies and rules.

use crate::object::{LocId, Location, Memory, ObjectId, Origin};
use crate::set::Set;
use crate::world::World;
use rustc_hash::FxHashSet;
use watertight_ir::{Id, Program, Table};

watertight_ir::define_ids! {
    /// A node of the constraint graph.
    NodeId "n";
    /// A call whose target is found by points-to sets, or that a model makes.
    CallId "call";
}

/// What to do with every location that arrives in the set of a node.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// The cell flows to the node.
    Load(NodeId),
    /// The node flows to the cell.
    Store(NodeId),
    /// The location moved by some bytes.
    Shift(NodeId, i64),
    /// The location moved by any multiple of some bytes.
    Stride(NodeId, u32),
    /// So many bytes there are copied to where the node points (all of the object when absent).
    CopyTo(NodeId, Option<u64>),
    /// So many bytes are copied there from where the node points.
    CopyFrom(NodeId, Option<u64>),
    /// Functions there are called.
    Call(CallId),
}

/// Bytes that one object hands to another as a whole.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
struct BlockCopy {
    from: Location,
    to: Location,
    bytes: Option<u64>,
}

impl BlockCopy {
    /// Where the contents of a cell of the source go.
    fn image(&self, cell: &Location) -> Option<Location> {
        let distance = cell.offset - self.from.offset;
        if cell.stride == 0 && self.from.stride == 0 {
            let inside = distance >= 0 && self.bytes.is_none_or(|bytes| (distance as u64) < bytes);
            return inside.then_some(Location { offset: self.to.offset.wrapping_add(distance), ..self.to });
        }
        let stride = crate::object::gcd(crate::object::gcd(cell.stride, self.from.stride), self.to.stride);
        Some(Location { object: self.to.object, offset: self.to.offset.wrapping_add(distance), stride })
    }
}

/// Nodes, sets, edges and cells.
pub struct Graph<'a> {
    pub(crate) program: &'a Program,
    pub memory: Memory,
    pub(crate) world: World,
    parents: Table<NodeId, NodeId>,
    pub(crate) sets: Table<NodeId, Set>,
    pub(crate) done: Table<NodeId, Set>,
    pub(crate) copies: Table<NodeId, Vec<NodeId>>,
    pub(crate) rules: Table<NodeId, Vec<Rule>>,
    edges: FxHashSet<(NodeId, NodeId)>,
    /// The cell of each location that was read or written.
    cells: Table<LocId, Option<NodeId>>,
    cells_of: Table<ObjectId, Vec<(Location, NodeId)>>,
    copied_to: Table<ObjectId, Vec<BlockCopy>>,
    copied_from: Table<ObjectId, Vec<BlockCopy>>,
    block_copies: FxHashSet<BlockCopy>,
    pub(crate) changed: Vec<NodeId>,
    pub(crate) is_changed: Table<NodeId, bool>,
}

impl<'a> Graph<'a> {
    pub fn new(program: &'a Program) -> Graph<'a> {
        Graph {
            program,
            memory: Memory::default(),
            world: World::default(),
            parents: Table::new(),
            sets: Table::new(),
            done: Table::new(),
            copies: Table::new(),
            rules: Table::new(),
            edges: FxHashSet::default(),
            cells: Table::new(),
            cells_of: Table::new(),
            copied_to: Table::new(),
            copied_from: Table::new(),
            block_copies: FxHashSet::default(),
            changed: Vec::new(),
            is_changed: Table::new(),
        }
    }

    pub fn node(&mut self) -> NodeId {
        let id = self.sets.push(Set::new());
        self.done.push(Set::new());
        self.copies.push(Vec::new());
        self.rules.push(Vec::new());
        self.is_changed.push(false);
        self.parents.push(id)
    }

    /// How many nodes there are, united ones included.
    pub fn nodes(&self) -> usize {
        self.sets.len()
    }

    /// How many inclusions there are.
    pub fn edges(&self) -> usize {
        self.edges.len()
    }

    /// The representative of a node.
    pub fn find(&self, mut node: NodeId) -> NodeId {
        while self.parents[node] != node {
            node = self.parents[node];
        }
        node
    }

    pub fn set(&self, node: NodeId) -> &Set {
        &self.sets[self.find(node)]
    }

    fn shorten(&mut self, node: NodeId) -> NodeId {
        let root = self.find(node);
        let mut at = node;
        while self.parents[at] != root {
            at = std::mem::replace(&mut self.parents[at], root);
        }
        root
    }

    pub(crate) fn mark(&mut self, node: NodeId) {
        if !self.is_changed[node] {
            self.is_changed[node] = true;
            self.changed.push(node);
        }
    }

    pub fn insert(&mut self, node: NodeId, location: LocId) {
        let node = self.shorten(node);
        if self.sets[node].insert(location.index() as u32) {
            self.mark(node);
        }
    }

    /// `to` includes `from`.
    pub fn copy(&mut self, from: NodeId, to: NodeId) {
        let (from, to) = (self.shorten(from), self.shorten(to));
        if from == to || !self.edges.insert((from, to)) {
            return;
        }
        self.copies[from].push(to);
        if !self.sets[from].is_empty() {
            let set = std::mem::take(&mut self.sets[from]);
            if self.sets[to].unite(&set) {
                self.mark(to);
            }
            self.sets[from] = set;
        }
    }

    /// Makes two nodes one. What only one of them had handed on counts as not handed on.
    pub fn unite(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let (a, b) = (self.shorten(a), self.shorten(b));
        if a == b {
            return a;
        }
        let (kept, gone) = if a < b { (a, b) } else { (b, a) };
        self.parents[gone] = kept;
        let set = std::mem::take(&mut self.sets[gone]);
        let done = std::mem::take(&mut self.done[gone]);
        let copies = std::mem::take(&mut self.copies[gone]);
        let rules = std::mem::take(&mut self.rules[gone]);
        let only = self.done[kept].minus(&done);
        self.done[kept] = self.done[kept].minus(&only);
        self.sets[kept].unite(&set);
        self.copies[kept].extend(copies);
        self.rules[kept].extend(rules);
        if self.sets[kept] != self.done[kept] {
            self.mark(kept);
        }
        kept
    }

    /// The node of the contents at a location.
    pub fn cell(&mut self, id: LocId) -> NodeId {
        while self.cells.len() <= id.index() {
            self.cells.push(None);
        }
        if let Some(node) = self.cells[id] {
            return self.shorten(node);
        }
        let location = self.memory.locations[id];
        self.track(location.object);
        let mut node = None;
        for index in 0..self.cells_of[location.object].len() {
            let (other, known) = self.cells_of[location.object][index];
            if other.meets(&location) {
                node = Some(node.map_or(known, |node| self.unite(node, known)));
            }
        }
        let node = node.unwrap_or_else(|| self.node());
        self.cells[id] = Some(node);
        self.cells_of[location.object].push((location, node));
        self.fill_from_outside(location, node);
        for copy in self.copied_to[location.object].clone() {
            self.copy_cell(&copy, &location, node);
        }
        // What the outside world holds comes into being when it is asked for.
        for copy in self.copied_from[location.object].clone() {
            if self.is_outside(copy.from.object) && location.stride == 0 && copy.to.stride == 0 {
                let offset = copy.from.offset.wrapping_add(location.offset - copy.to.offset);
                if let Some(source) = self.memory.at(copy.from.object, offset) {
                    self.cell(source);
                }
            }
        }
        self.shorten(node)
    }

    fn track(&mut self, object: ObjectId) {
        while self.cells_of.len() <= object.index() {
            self.cells_of.push(Vec::new());
            self.copied_to.push(Vec::new());
            self.copied_from.push(Vec::new());
        }
    }

    fn is_outside(&self, object: ObjectId) -> bool {
        matches!(self.memory.objects[object].origin, Origin::Outside(_))
    }

    /// An object of the outside world holds addresses of more of it.
    fn fill_from_outside(&mut self, location: Location, node: NodeId) {
        let Origin::Outside(world) = self.memory.objects[location.object].origin else { return };
        if let Some(held) = self.world.held(self.program, world, location.offset) {
            let held = self.memory.object(Origin::Outside(held), None);
            if let Some(start) = self.memory.at(held, 0) {
                self.insert(node, start);
            }
        }
    }

    /// The bytes at one location are copied to another.
    pub fn copy_block(&mut self, from: LocId, to: LocId, bytes: Option<u64>) {
        let (from, to) = (self.memory.locations[from], self.memory.locations[to]);
        let copy = BlockCopy { from, to, bytes };
        if from == to || !self.block_copies.insert(copy) {
            return;
        }
        self.track(from.object);
        self.track(to.object);
        self.copied_to[from.object].push(copy);
        self.copied_from[to.object].push(copy);
        for (location, node) in self.cells_of[from.object].clone() {
            self.copy_cell(&copy, &location, node);
        }
        for (location, _) in self.cells_of[to.object].clone() {
            if self.is_outside(from.object) && location.stride == 0 && to.stride == 0 {
                let offset = from.offset.wrapping_add(location.offset - to.offset);
                if let Some(source) = self.memory.at(from.object, offset) {
                    self.cell(source);
                }
            }
        }
    }

    fn copy_cell(&mut self, copy: &BlockCopy, cell: &Location, node: NodeId) {
        let Some(target) = copy.image(cell) else { return };
        let Some(mut target_id) = self.memory.at(target.object, target.offset) else { return };
        if target.stride != 0 {
            let Some(strided) = self.memory.strided(target_id, target.stride) else { return };
            target_id = strided;
        }
        let target = self.cell(target_id);
        self.copy(node, target);
    }
}

/// What is left when all is solved. Nodes are representatives.
pub struct Solution {
    pub memory: Memory,
    pub world: World,
    pub sets: Table<NodeId, Set>,
    cells_of: Table<ObjectId, Vec<(Location, NodeId)>>,
}

impl Graph<'_> {
    /// Forgets how the sets came about.
    pub fn into_solution(mut self) -> Solution {
        let mut cells_of = std::mem::take(&mut self.cells_of);
        for (_, node) in cells_of.values_mut().flatten() {
            *node = self.find(*node);
        }
        Solution { memory: self.memory, world: self.world, sets: self.sets, cells_of }
    }
}

impl Solution {
    /// Cells of an object that were read or written.
    pub fn cells(&self, object: ObjectId) -> &[(Location, NodeId)] {
        self.cells_of.get(object).map_or(&[], Vec::as_slice)
    }
}
