//! The forward slice: everything that may hold an address, from where it was acquired on.
//!
//! A node is a value, or a cell of memory from some point on, in a function with the calls that led there. Edges are
//! those of the value-flow graph (Saber, Table 2), found when they are needed: assignments, stores into cells and loads
//! from them, arguments, and results. Calls are matched with returns. A cell is followed along control flow to every
//! load that may read it, and through calls of functions that may; a store that surely overwrites it ends that. What
//! leaves the function that the slice began in is collected for its callers.

use crate::facts::{CellId, Facts, Point, Use};
use rustc_hash::FxHashMap;
use watertight_ir::{BinaryOp, BlockId, Body, Call, FuncId, Id, InstId, Op, Type, ValueId, define_ids};
use watertight_pointer::object::Origin;
use watertight_summary::{Effect, Path, Root, Value};

define_ids! {
    /// A node of a slice.
    NodeId "flow";
    /// The calls that led into a function.
    ContextId "context";
}

/// What holds the address.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Holder {
    Value(ValueId),
    Cell(CellId),
}

/// A holder from a point on.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    pub function: FuncId,
    pub holder: Holder,
    pub from: Point,
    pub context: ContextId,
}

/// How far control has to get for the address to go from one node to another.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Until {
    Point(Point),
    /// Over an edge of control flow, into a phi.
    Edge(BlockId, BlockId),
}

/// What became of the address at the end of the slice.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Out {
    Result,
    Cell(CellId),
}

/// A slice.
#[derive(Default)]
pub struct Slice {
    pub nodes: Vec<Node>,
    pub edges: Vec<(NodeId, NodeId, Until)>,
    /// Where it is released.
    pub releases: Vec<(NodeId, Until, InstId)>,
    /// How it leaves the function.
    pub outs: Vec<(NodeId, Until, Out)>,
    /// It is stored where it outlives the search, or given to a function that nothing is known about.
    pub escapes: bool,
    /// The slice became too large.
    pub given_up: bool,
    numbers: FxHashMap<Node, NodeId>,
    contexts: Vec<(Option<ContextId>, FuncId, InstId)>,
}

/// Nodes of one slice, before it is given up.
const MOST_NODES: usize = 3000;
/// Calls inside each other that are followed.
const DEEPEST: usize = 12;
/// Cells that one store may reach, before the address counts as escaped.
const MOST_CELLS: usize = 24;

impl Slice {
    /// Everything that may hold an address that some holders hold after a call.
    pub fn new(facts: &mut Facts<'_>, function: FuncId, roots: &[(Holder, Point)]) -> Slice {
        let mut slice = Slice::default();
        slice.contexts.push((None, function, InstId::new(0)));
        let context = ContextId::new(0);
        for &(holder, from) in roots {
            slice.node(Node { function, holder, from, context });
        }
        let mut next = 0;
        while next < slice.nodes.len() && !slice.escapes && !slice.given_up {
            let id = NodeId::new(next);
            next += 1;
            let node = slice.nodes[id.index()];
            match node.holder {
                Holder::Value(value) => slice.value(facts, id, node, value),
                Holder::Cell(cell) => slice.cell(facts, id, node, cell),
            }
            slice.given_up |= slice.nodes.len() > MOST_NODES;
        }
        slice
    }

    fn node(&mut self, node: Node) -> NodeId {
        let nodes = &mut self.nodes;
        *self.numbers.entry(node).or_insert_with(|| {
            nodes.push(node);
            NodeId::new(nodes.len() - 1)
        })
    }

    fn edge(&mut self, from: NodeId, to: Node, until: Until) {
        let to = self.node(to);
        self.edges.push((from, to, until));
    }

    /// Into a function, unless the same call is being followed already.
    fn enter(&mut self, context: ContextId, caller: FuncId, inst: InstId) -> Option<ContextId> {
        let mut depth = 0;
        let mut at = Some(context);
        while let Some(id) = at {
            let (outer, function, call) = self.contexts[id.index()];
            if outer.is_some() && (function, call) == (caller, inst) {
                return None;
            }
            depth += 1;
            at = outer;
        }
        if depth > DEEPEST {
            self.given_up = true;
            return None;
        }
        let known = self.contexts.iter().position(|known| *known == (Some(context), caller, inst));
        Some(ContextId::new(known.unwrap_or_else(|| {
            self.contexts.push((Some(context), caller, inst));
            self.contexts.len() - 1
        })))
    }

    fn value(&mut self, facts: &mut Facts<'_>, id: NodeId, node: Node, value: ValueId) {
        let Some((body, own)) = facts.function(node.function) else { return };
        let uses = own.uses(value).to_vec();
        for used in uses {
            match used {
                Use::Return(block) => {
                    let until = Until::Point(Point { block, index: u32::MAX });
                    self.leave(facts, id, node, until, Out::Result);
                }
                Use::Inst(inst) => self.used(facts, id, node, body, value, inst),
            }
        }
    }

    fn used(
        &mut self,
        facts: &mut Facts<'_>,
        id: NodeId,
        node: Node,
        body: &Body,
        value: ValueId,
        inst: InstId,
    ) {
        let Some(point) = facts.function(node.function).and_then(|own| own.1.point(inst)) else { return };
        let until = Until::Point(point);
        let result = body.insts[inst].result;
        let next = Point { block: point.block, index: point.index + 1 };
        let assign = |slice: &mut Slice, until: Until| {
            if let Some(result) = result {
                slice.edge(id, Node { holder: Holder::Value(result), from: next, ..node }, until);
            }
        };
        match &body.insts[inst].op {
            Op::Phi { incoming } => {
                for &(from, source) in incoming {
                    if source == value {
                        assign(self, Until::Edge(from, point.block));
                    }
                }
            }
            Op::Select { then, other, .. } if *then == value || *other == value => assign(self, until),
            Op::Offset { .. } | Op::Convert { .. } | Op::Pack { .. } | Op::Extract { .. } => {
                assign(self, until)
            }
            Op::Index { base, .. } if *base == value => assign(self, until),
            Op::Binary { op: BinaryOp::Add | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, .. } => {
                assign(self, until);
            }
            Op::Binary { op: BinaryOp::Sub, lhs, .. } if *lhs == value => assign(self, until),
            Op::Store { addr, value: stored, .. } if *stored == value => {
                let cells = facts.reached(node.function, *addr);
                self.store(facts, id, node, &cells, until, next);
            }
            Op::Atomic { addr, value: stored, .. } | Op::CompareExchange { addr, new: stored, .. }
                if *stored == value =>
            {
                let cells = facts.reached(node.function, *addr);
                self.store(facts, id, node, &cells, until, next);
            }
            Op::Call(call) => self.call(facts, id, node, body, value, inst, call, until),
            Op::Unknown(_) => self.escapes = true,
            _ => {}
        }
    }

    fn store(
        &mut self,
        facts: &Facts<'_>,
        id: NodeId,
        node: Node,
        cells: &[CellId],
        until: Until,
        next: Point,
    ) {
        // Where nothing is known, somebody else may find it.
        if cells.is_empty() || cells.len() > MOST_CELLS {
            self.escapes = true;
        }
        for &cell in cells {
            match facts.origin(cell) {
                Origin::Global(_)
                | Origin::Outside(_)
                | Origin::Merged(_)
                | Origin::World
                | Origin::Rest(_) => self.escapes = true,
                _ => self.edge(id, Node { holder: Holder::Cell(cell), from: next, ..node }, until),
            }
        }
    }

    /// The address is an argument.
    #[allow(clippy::too_many_arguments, reason = "all of it describes one use")]
    fn call(
        &mut self,
        facts: &mut Facts<'_>,
        id: NodeId,
        node: Node,
        body: &Body,
        value: ValueId,
        inst: InstId,
        call: &Call,
        until: Until,
    ) {
        let callees = facts.points_to.callees(node.function, inst);
        let passed = call.args.iter().enumerate().filter(|arg| *arg.1 == value);
        let passed: Vec<usize> = passed.map(|arg| arg.0).collect();
        // A pointer that nothing is known about is called.
        self.escapes |= callees.is_empty() && !passed.is_empty();
        for &callee in callees {
            let function = &facts.program.functions[callee];
            for &index in &passed {
                let Some(inner) = &function.body else {
                    self.external(facts, id, node, callee, index, body.insts[inst].result, inst, until);
                    continue;
                };
                // Variable arguments are not followed.
                let Some(param) = function.params.get(index) else {
                    self.escapes = true;
                    continue;
                };
                if param.by_value.is_some() {
                    continue;
                }
                let Some(context) = self.enter(node.context, node.function, inst) else { continue };
                let from = Point { block: inner.entry(), index: 0 };
                let holder = Holder::Value(ValueId::new(index));
                self.edge(id, Node { function: callee, holder, from, context }, until);
            }
        }
    }

    /// The address is given to a function without a body.
    #[allow(clippy::too_many_arguments, reason = "all of it describes one use")]
    fn external(
        &mut self,
        facts: &Facts<'_>,
        id: NodeId,
        node: Node,
        callee: FuncId,
        index: usize,
        result: Option<ValueId>,
        inst: InstId,
        until: Until,
    ) {
        let Some(summary) = facts.models.functions.get(&facts.program.functions[callee].name) else {
            // Nobody knows what becomes of it.
            self.escapes = true;
            return;
        };
        let own = |path: &Path| {
            path.steps.is_empty()
                && match path.root {
                    Root::Param(param) => param as usize == index,
                    Root::Rest(first) => index >= first as usize,
                    _ => false,
                }
        };
        let mut released = false;
        let mut returned = false;
        for outcome in &summary.outcomes {
            returned |= match &outcome.result {
                Value::Entry { path, .. } | Value::Inside(path) => own(path),
                _ => false,
            };
            for effect in &outcome.effects {
                match effect {
                    Effect::Release { value, .. } => released |= own(value),
                    Effect::Keep { value, .. } => self.escapes |= own(value),
                    Effect::Store { value: Value::Entry { path, .. }, .. } => self.escapes |= own(path),
                    Effect::Calls { arguments, .. } => {
                        let given = |value: &Value| matches!(value, Value::Entry { path, .. } if own(path));
                        self.escapes |= arguments.iter().any(given);
                    }
                    _ => {}
                }
            }
        }
        if released {
            self.releases.push((id, until, inst));
        }
        if returned
            && let Some(result) = result
            && let Until::Point(point) = until
        {
            let from = Point { block: point.block, index: point.index + 1 };
            self.edge(id, Node { holder: Holder::Value(result), from, ..node }, until);
        }
    }

    /// Control returns with the address in the result or in a cell.
    fn leave(&mut self, facts: &Facts<'_>, id: NodeId, node: Node, until: Until, out: Out) {
        let (outer, caller, inst) = self.contexts[node.context.index()];
        let Some(outer) = outer else {
            self.outs.push((id, until, out));
            return;
        };
        let Some((body, own)) = facts.function(caller) else { return };
        let Some(point) = own.point(inst) else { return };
        let from = Point { block: point.block, index: point.index + 1 };
        let holder = match out {
            Out::Result => match body.insts[inst].result {
                Some(result) => Holder::Value(result),
                None => return,
            },
            Out::Cell(cell) => Holder::Cell(cell),
        };
        self.edge(id, Node { function: caller, holder, from, context: outer }, until);
    }

    /// A cell holds the address from a point on.
    fn cell(&mut self, facts: &mut Facts<'_>, id: NodeId, node: Node, cell: CellId) {
        let Some((body, own)) = facts.function(node.function) else { return };
        let cfg_blocks = own.cfg.reverse_post_order().to_vec();
        for block in cfg_blocks {
            for (index, &inst) in body.blocks[block].insts.iter().enumerate() {
                let point = Point { block, index: index as u32 };
                let next = Point { block, index: index as u32 + 1 };
                let until = Until::Point(point);
                match &body.insts[inst].op {
                    Op::Load { addr, .. } => {
                        let Some(result) = body.insts[inst].result else { continue };
                        if matches!(body.ty(result), Type::Ptr | Type::Int(64..) | Type::Agg(_))
                            && facts.reached(node.function, *addr).contains(&cell)
                        {
                            self.edge(id, Node { holder: Holder::Value(result), from: next, ..node }, until);
                        }
                    }
                    Op::MemCopy { dst, src, .. } => {
                        let sources = facts.reached(node.function, *src);
                        let (object, offset) = facts.place(cell);
                        let start = sources.iter().map(|&source| facts.place(source));
                        let starts: Vec<i64> = start
                            .filter(|place| place.0 == object && place.1 <= offset)
                            .map(|place| place.1)
                            .collect();
                        for start in starts {
                            let mut targets = Vec::new();
                            for target in facts.reached(node.function, *dst) {
                                let (object, at) = facts.place(target);
                                targets.push(facts.cell(object, at + offset - start));
                            }
                            self.store(facts, id, node, &targets, until, next);
                        }
                    }
                    Op::Call(_) => {
                        for &callee in facts.points_to.callees(node.function, inst) {
                            let Some(inner) = &facts.program.functions[callee].body else { continue };
                            if !facts.may_read(callee, cell) {
                                continue;
                            }
                            let Some(context) = self.enter(node.context, node.function, inst) else {
                                continue;
                            };
                            let from = Point { block: inner.entry(), index: 0 };
                            let holder = Holder::Cell(cell);
                            self.edge(id, Node { function: callee, holder, from, context }, until);
                        }
                    }
                    _ => {}
                }
            }
            if let watertight_ir::Terminator::Return(_) = body.blocks[block].term {
                let local = match facts.origin(cell) {
                    Origin::Stack(owner, _) | Origin::Parameter(owner, _) => owner == node.function,
                    _ => false,
                };
                // Callees that were entered with the cell leave it where it was.
                let entered =
                    node.context.index() != 0 && node.from == Point { block: body.entry(), index: 0 };
                if !local && !entered {
                    let until = Until::Point(Point { block, index: u32::MAX });
                    self.leave(facts, id, node, until, Out::Cell(cell));
                }
            }
        }
    }

    /// The points at which a cell is surely overwritten, or a value made anew.
    pub fn kills(facts: &mut Facts<'_>, node: &Node) -> Vec<Point> {
        let Holder::Cell(cell) = node.holder else {
            let made = node.from.index.checked_sub(1).map(|index| Point { index, ..node.from });
            return made.into_iter().collect();
        };
        let Some((body, _)) = facts.function(node.function) else { return Vec::new() };
        let mut kills = Vec::new();
        for (block, data) in body.blocks.iter() {
            for (index, &inst) in data.insts.iter().enumerate() {
                if let Op::Store { addr, .. } = body.insts[inst].op
                    && facts.is_exact(node.function, addr)
                    && facts.reached(node.function, addr) == [cell]
                {
                    kills.push(Point { block, index: index as u32 });
                }
            }
        }
        kills
    }
}
