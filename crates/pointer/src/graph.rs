//! The constraint graph: nodes with points-to sets, inclusion edges, and rules that add edges as sets grow.
//!
//! A node stands for an SSA value, the contents of a cell of memory, or something in between. `copies` are plain
//! inclusions; a rule waits for locations to arrive in the set of its node and then adds what they imply (a load
//! from `p` is an edge from every cell that `p` points to). Nodes found equal are united and answer to one
//! representative.
//!
//! A node may have a class of types, and then holds only addresses that a pointer to them can be
//! ([`Memory::seen_as`]). Addresses pass that sieve where they enter from a node of another class.
//!
//! What must hold: `done` of a node is the part of its set that was handed to all its copies and rules.

use crate::object::{LocId, Location, Memory, ObjectId, Trust};
use crate::set::Set;
use crate::types::{TypeId, Types};
use rustc_hash::{FxHashMap, FxHashSet};
use watertight_ir::{Id, Table};

watertight_ir::define_ids! {
    /// A node of the constraint graph.
    NodeId "n";
    /// A call whose target is found by points-to sets, or that a model makes.
    CallId "call";
    /// A copy of bytes.
    TransferId "transfer";
}

/// What to do with every location that arrives in the set of a node.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Rule {
    /// The cell flows to the node.
    Load(NodeId),
    /// The node flows to the cell.
    Store(NodeId),
    /// The location moved by some bytes.
    Shift(NodeId, i64),
    /// The location moved by any multiple of some bytes.
    Stride(NodeId, u32),
    /// The location as a pointer of the class of the node sees it.
    Sieve(NodeId, Trust),
    /// Bytes there are what a copy carries.
    From(TransferId),
    /// A copy brings bytes there.
    To(TransferId),
    /// All that is there is in the object of a location, too.
    Fill(LocId),
    /// Functions there are called.
    Call(CallId),
}

/// Nodes, sets, edges and cells.
pub struct Graph<'a> {
    pub memory: Memory<'a>,
    parents: Table<NodeId, NodeId>,
    pub(crate) sets: Table<NodeId, Set>,
    pub(crate) done: Table<NodeId, Set>,
    pub(crate) copies: Table<NodeId, Vec<NodeId>>,
    pub(crate) rules: Table<NodeId, Vec<Rule>>,
    pub(crate) classes: Table<NodeId, TypeId>,
    edges: FxHashSet<(NodeId, NodeId)>,
    sieves: FxHashMap<(NodeId, TypeId), NodeId>,
    pub(crate) cells: crate::cell::Cells,
    pub(crate) transfers: crate::transfer::Transfers,
    pub(crate) changed: Vec<NodeId>,
    pub(crate) is_changed: Table<NodeId, bool>,
}

impl<'a> Graph<'a> {
    pub fn new(types: Types<'a>) -> Graph<'a> {
        Graph {
            memory: Memory::new(types),
            parents: Table::new(),
            sets: Table::new(),
            done: Table::new(),
            copies: Table::new(),
            rules: Table::new(),
            classes: Table::new(),
            edges: FxHashSet::default(),
            sieves: FxHashMap::default(),
            cells: Default::default(),
            transfers: Default::default(),
            changed: Vec::new(),
            is_changed: Table::new(),
        }
    }

    /// A node that holds any address.
    pub fn node(&mut self) -> NodeId {
        self.node_of(Types::unknown())
    }

    /// A node that holds addresses of a class of types.
    pub fn node_of(&mut self, class: TypeId) -> NodeId {
        let id = self.sets.push(Set::new());
        self.done.push(Set::new());
        self.copies.push(Vec::new());
        self.rules.push(Vec::new());
        self.classes.push(class);
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

    pub(crate) fn shorten(&mut self, node: NodeId) -> NodeId {
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

    /// `to` includes what of `from` it can hold.
    pub fn flow(&mut self, from: NodeId, to: NodeId) {
        let (from, to) = (self.shorten(from), self.shorten(to));
        let class = self.classes[to];
        if class == Types::unknown() || self.classes[from] == class {
            return self.copy(from, to);
        }
        let sieve = match self.sieves.get(&(from, class)) {
            Some(&sieve) => sieve,
            None => {
                let sieve = self.node_of(class);
                self.sieves.insert((from, class), sieve);
                let unknown = self.classes[from] == Types::unknown();
                let trust = if unknown { Trust::Untyped } else { Trust::Typed };
                self.rule(from, Rule::Sieve(sieve, trust));
                sieve
            }
        };
        self.copy(sieve, to);
    }

    /// Adds a rule, and applies it to what is there.
    pub(crate) fn rule(&mut self, node: NodeId, rule: Rule) {
        let node = self.shorten(node);
        self.rules[node].push(rule);
        if !self.done[node].is_empty() {
            let done = self.done[node].clone();
            self.apply(rule, &done);
        }
    }

    /// `to` includes `from`.
    fn copy(&mut self, from: NodeId, to: NodeId) {
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
        let kept_rules = &mut self.rules[kept];
        kept_rules.extend(rules);
        kept_rules.sort_unstable();
        kept_rules.dedup();
        if self.classes[kept] != self.classes[gone] {
            self.classes[kept] = Types::unknown();
        }
        if self.sets[kept] != self.done[kept] {
            self.mark(kept);
        }
        kept
    }

    /// Adds locations as the node sees them.
    fn admit(&mut self, node: NodeId, arrived: &Set, trust: Trust) {
        let node = self.shorten(node);
        let class = self.classes[node];
        let changed = match class == Types::unknown() {
            true => self.sets[node].unite(arrived),
            false => {
                let through = self.memory.sieve(arrived, class, trust);
                self.sets[node].unite(&through)
            }
        };
        if changed {
            self.mark(node);
        }
    }

    /// Applies a rule of a node to locations that arrived there. Calls are the builder's business.
    pub fn apply(&mut self, rule: Rule, arrived: &Set) {
        match rule {
            Rule::Sieve(to, trust) => return self.admit(to, arrived, trust),
            // A pointer to a member holds what can be one.
            Rule::Shift(to, bytes) => {
                let moved =
                    arrived.iter().filter_map(|at| self.memory.shifted(LocId::new(at as usize), bytes));
                let moved: Set = moved.map(|location| location.index() as u32).collect();
                return self.admit(to, &moved, Trust::Typed);
            }
            Rule::Stride(to, stride) => {
                let moved =
                    arrived.iter().filter_map(|at| self.memory.strided(LocId::new(at as usize), stride));
                let moved: Set = moved.map(|location| location.index() as u32).collect();
                return self.admit(to, &moved, Trust::Typed);
            }
            _ => {}
        }
        for location in arrived.iter() {
            let location = LocId::new(location as usize);
            match rule {
                Rule::Load(to) => {
                    // Memory of the outside world without a type holds more of the same.
                    if self.memory.is_outside(location) {
                        let outside: Set = [location.index() as u32].into_iter().collect();
                        self.admit(to, &outside, Trust::Untyped);
                    } else if let Some(cell) = self.cell(location) {
                        self.flow(cell, to);
                    }
                }
                Rule::Store(from) => {
                    if let Some(cell) = self.cell(location) {
                        self.flow(from, cell);
                    }
                }
                Rule::From(transfer) => self.carry_from(transfer, location),
                Rule::To(transfer) => self.carry_to(transfer, location),
                Rule::Fill(to) => self.copy_block(location, to, None),
                Rule::Sieve(..) | Rule::Shift(..) | Rule::Stride(..) | Rule::Call(_) => {}
            }
        }
    }
}

/// What is left when all is solved. Nodes are representatives.
pub struct Solution<'a> {
    pub memory: Memory<'a>,
    pub sets: Table<NodeId, Set>,
    cells: crate::cell::Cells,
}

impl<'a> Graph<'a> {
    /// Forgets how the sets came about.
    pub fn into_solution(mut self) -> Solution<'a> {
        let mut cells = std::mem::take(&mut self.cells);
        for (_, node) in cells.of.values_mut().flatten() {
            *node = self.find(*node);
        }
        Solution { memory: self.memory, sets: self.sets, cells }
    }
}

impl Solution<'_> {
    /// Cells of an object that were read or written.
    pub fn cells(&self, object: ObjectId) -> &[(Location, NodeId)] {
        self.cells.of.get(object).map_or(&[], Vec::as_slice)
    }
}
