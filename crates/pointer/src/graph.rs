//! The constraint graph: one node per pointer, inclusions between them, and rules about what they point to.
//!
//! A node stands for a value of the program, the contents of a cell of memory, or something in between. An inclusion
//! says that all that one node points to, another does too. A rule says what follows when a node points to a
//! location: a load from there, a store to there, a pointer to a member of it. Nodes in a cycle of inclusions are
//! made one.

use crate::layout::Kind;
use crate::object::{CopyId, LocId, Memory};
use crate::set::Set;
use rustc_hash::FxHashSet;
use watertight_ir::{Id, Program, Table, define_ids};

define_ids! {
    /// A node of the constraint graph.
    NodeId "node";
    /// A call with the nodes of its operands.
    CallId "call";
    /// Record types that pass for each other.
    ClassId "class";
}

/// What follows when a node points to a location.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Rule {
    /// The other node includes what is stored there.
    Load(NodeId),
    /// What is stored there includes the other node.
    Store(NodeId),
    /// The other node points some bytes further on.
    Shift(NodeId, i64),
    /// The other node points an unknown multiple of so many bytes further on.
    Stride(NodeId, u32),
    /// Bytes are copied from there.
    From(CopyId),
    /// Bytes are copied to there.
    To(CopyId),
    /// Bytes are copied from there to the location.
    Fill(LocId),
    /// A call reaches the function there.
    Call(CallId),
}

/// Places that loads and stores through one pointer tell apart.
const MOST_PLACES: usize = 100;

/// The graph while it is solved.
pub(crate) struct Graph<'a> {
    pub memory: Memory<'a>,
    parents: Table<NodeId, NodeId>,
    pub(crate) sets: Table<NodeId, Set>,
    /// What was handed on already. Where there is nobody to hand it to, it may be less than arrived.
    pub(crate) done: Table<NodeId, Set>,
    pub(crate) copies: Table<NodeId, Vec<NodeId>>,
    pub(crate) rules: Table<NodeId, Vec<Rule>>,
    edges: FxHashSet<(NodeId, NodeId)>,
    /// What a node points to by its declaration. It holds no addresses of anything else.
    pub(crate) classes: Table<NodeId, Option<ClassId>>,
    pub(crate) masks: crate::mask::Masks,
    pub(crate) cells: crate::cell::Cells,
    pub(crate) blocks: crate::block::Blocks,
    pub(crate) views: crate::view::Views,
    /// While the graph is built, nothing is handed on: casts are not all known yet.
    pub(crate) solving: bool,
    pub(crate) changed: Vec<NodeId>,
    pools: Vec<Option<NodeId>>,
    /// Room for [`Graph::take_as`].
    pub(crate) odd: Vec<LocId>,
    pub(crate) words: Vec<(u32, u64)>,
    pub(crate) is_changed: Table<NodeId, bool>,
    pub(crate) hub: crate::hub::Hub,
    /// Pointers that are given up.
    pub(crate) is_wide: Table<NodeId, bool>,
    /// Room for [`Graph::take_wide`].
    pub(crate) room: Vec<(u32, u64)>,
}

impl<'a> Graph<'a> {
    pub(crate) fn new(program: &'a Program) -> Graph<'a> {
        Graph {
            memory: Memory::new(program),
            parents: Table::new(),
            sets: Table::new(),
            done: Table::new(),
            copies: Table::new(),
            rules: Table::new(),
            edges: FxHashSet::default(),
            classes: Table::new(),
            masks: Default::default(),
            cells: Default::default(),
            blocks: Default::default(),
            views: Default::default(),
            solving: false,
            changed: Vec::new(),
            pools: Vec::new(),
            odd: Vec::new(),
            words: Vec::new(),
            is_changed: Table::new(),
            hub: Default::default(),
            is_wide: Table::new(),
            room: Vec::new(),
        }
    }

    /// A node that holds any address.
    pub(crate) fn node(&mut self) -> NodeId {
        self.node_of(None)
    }

    /// A node that holds addresses of a class.
    pub(crate) fn node_of(&mut self, class: Option<ClassId>) -> NodeId {
        let id = self.sets.push(Set::new());
        self.done.push(Set::new());
        self.copies.push(Vec::new());
        self.rules.push(Vec::new());
        self.is_changed.push(false);
        self.is_wide.push(false);
        self.classes.push(class);
        self.parents.push(id)
    }

    /// How many nodes there are, united ones included.
    pub(crate) fn nodes(&self) -> usize {
        self.sets.len()
    }

    /// How many inclusions there are.
    pub(crate) fn edges(&self) -> usize {
        self.edges.len()
    }

    /// Whether nothing is left to be handed on.
    pub(crate) fn is_settled(&self) -> bool {
        self.changed.is_empty() && self.views.pending.is_empty() && self.hub.is_settled()
    }

    /// The representative of a node.
    pub(crate) fn find(&self, mut node: NodeId) -> NodeId {
        while self.parents[node] != node {
            node = self.parents[node];
        }
        node
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

    pub(crate) fn insert(&mut self, node: NodeId, location: LocId) {
        let node = self.shorten(node);
        if self.sets[node].insert(location.index() as u32) {
            self.mark(node);
        }
    }

    /// Adds a rule, and applies it to what was handed on already. Calls are the builder's business.
    pub(crate) fn rule(&mut self, node: NodeId, rule: Rule) {
        let node = self.shorten(node);
        if self.solving && self.is_leaf(node) {
            self.done[node] = self.sets[node].clone();
        }
        self.rules[node].push(rule);
        if !self.done[node].is_empty() {
            let done = self.done[node].clone();
            let many = self.is_large(node);
            self.apply(rule, &done, many);
        }
    }

    /// Whether nothing depends on a node.
    pub(crate) fn is_leaf(&self, node: NodeId) -> bool {
        self.copies[node].is_empty() && self.rules[node].is_empty()
    }

    /// `to` includes `from`.
    pub(crate) fn flow(&mut self, from: NodeId, to: NodeId) {
        let (from, to) = (self.shorten(from), self.shorten(to));
        if from == to || !self.edges.insert((from, to)) {
            return;
        }
        let leaf = self.is_leaf(from);
        self.copies[from].push(to);
        if self.solving && !self.sets[from].is_empty() {
            let set = std::mem::take(&mut self.sets[from]);
            self.add(to, &set);
            if leaf {
                self.done[from] = set.clone();
            }
            self.sets[from] = set;
        }
    }

    /// Makes two nodes one. What only one of them had handed on counts as not handed on.
    pub(crate) fn unite(&mut self, a: NodeId, b: NodeId) -> NodeId {
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
        // What one side handed on is done unless the other side has somewhere to hand it.
        if self.copies[kept].is_empty() && self.rules[kept].is_empty() {
            self.done[kept] = done;
        } else if !copies.is_empty() || !rules.is_empty() {
            self.done[kept] = self.done[kept].common(&done);
        }
        self.sets[kept].unite(&set);
        self.copies[kept].extend(copies);
        if !rules.is_empty() {
            let kept_rules = &mut self.rules[kept];
            kept_rules.extend(rules);
            kept_rules.sort_unstable();
            kept_rules.dedup();
        }
        if self.classes[kept] != self.classes[gone] {
            self.classes[kept] = None;
        }
        if self.is_wide[kept] || self.is_wide[gone] {
            self.is_wide[kept] = true;
            self.widen(kept);
        } else if self.solving {
            self.widen_if_large(kept);
        }
        if self.sets[kept] != self.done[kept] {
            self.mark(kept);
        }
        kept
    }

    /// A node takes what it can hold of a set.
    fn add(&mut self, node: NodeId, arrived: &Set) {
        let node = self.shorten(node);
        if self.take(node, arrived) {
            self.mark(node);
        }
    }

    /// The same, for a representative, without making a note of it.
    pub(crate) fn take(&mut self, node: NodeId, arrived: &Set) -> bool {
        self.classify();
        let changed = match self.classes[node] {
            None if self.is_wide[node] => self.take_wide(node, arrived.words()),
            None => self.sets[node].unite(arrived),
            Some(class) => self.take_as(node, class, arrived),
        };
        if changed {
            self.widen_if_large(node);
        }
        changed
    }

    /// Whether a node points to so many places that they are not told apart any more.
    pub(crate) fn is_large(&self, node: NodeId) -> bool {
        self.sets[node].is_above(MOST_PLACES)
    }

    /// Makes a cell one with all cells of its class that pointers to many places reach.
    fn pool(&mut self, cell: NodeId) -> NodeId {
        let cell = self.shorten(cell);
        if self.hub.is_cell(cell) {
            return cell;
        }
        // Whom calls reach is always told apart.
        if let Some(class) = self.classes[cell]
            && self.masks.kinds[class] == Kind::Function
        {
            return cell;
        }
        let index = self.classes[cell].map_or(0, |class| class.index() + 1);
        if self.pools.len() <= index {
            self.pools.resize(index + 1, None);
        }
        match self.pools[index] {
            None => {
                self.pools[index] = Some(cell);
                cell
            }
            Some(pool) => self.unite(pool, cell),
        }
    }

    /// Applies a rule of a node to locations that arrived there. Calls are the builder's business.
    pub(crate) fn apply(&mut self, rule: Rule, arrived: &Set, many: bool) {
        match rule {
            Rule::Shift(to, bytes) => {
                let memory = &mut self.memory;
                let mut moved = Set::new();
                for at in arrived.iter() {
                    let location = LocId::new(at as usize);
                    if many && bytes != 0 {
                        if let Some(anywhere) = memory.anywhere(location) {
                            moved.insert(anywhere.index() as u32);
                        }
                        continue;
                    }
                    let (further, stays) = memory.moved(location, bytes);
                    if let Some(location) = further {
                        moved.insert(location.index() as u32);
                    }
                    if stays {
                        moved.insert(at);
                    }
                }
                self.add(to, &moved);
                return;
            }
            Rule::Stride(to, stride) => {
                let memory = &mut self.memory;
                let moved = arrived.iter().filter_map(|at| {
                    let location = LocId::new(at as usize);
                    if many { memory.anywhere(location) } else { memory.strided(location, stride) }
                });
                let moved: Set = moved.map(|location| location.index() as u32).collect();
                self.add(to, &moved);
                return;
            }
            _ => {}
        }
        for location in arrived.iter() {
            let location = LocId::new(location as usize);
            match rule {
                Rule::Load(to) => {
                    if self.memory.is_world(location) {
                        let world = self.outside_of(to).unwrap_or(location);
                        self.insert(to, world);
                        continue;
                    }
                    if self.is_one_place(location) {
                        if let Some(cell) = self.cell(location) {
                            let cell = if many { self.pool(cell) } else { cell };
                            self.flow(cell, to);
                        }
                        continue;
                    }
                    for place in self.reached(location) {
                        if let Some(cell) = self.cell(place) {
                            let cell = if many { self.pool(cell) } else { cell };
                            self.flow(cell, to);
                        }
                    }
                }
                Rule::Store(from) => {
                    if self.is_one_place(location) {
                        if let Some(cell) = self.cell(location) {
                            let cell = if many { self.pool(cell) } else { cell };
                            self.flow(from, cell);
                        }
                        continue;
                    }
                    for place in self.reached(location) {
                        if let Some(cell) = self.cell(place) {
                            let cell = if many { self.pool(cell) } else { cell };
                            self.flow(from, cell);
                        }
                    }
                }
                Rule::From(copy) => self.copy_from(copy, location),
                Rule::To(copy) => self.copy_to(copy, location),
                Rule::Fill(to) => self.copy_block(location, to, None),
                Rule::Shift(..) | Rule::Stride(..) | Rule::Call(_) => {}
            }
        }
    }
}
