//! The forward slice: everything that may hold an address, from where it was acquired on.
//!
//! A node is a value, or a version of a cell of memory, in a function with the calls that led there. Edges are those of
//! the value-flow graph (Saber, Table 2), made when they are needed: assignments (ASN), loads (MU), stores (CHI), joins
//! (PHI), arguments, results and what callees leave in memory (CALL). Calls are matched with returns. What becomes of the
//! address in the end are the sinks: it is released, it is kept by somebody who outlives the search, or it leaves the
//! function that the slice began in.

use crate::context::{ContextId, Contexts, Refused};
use crate::facts::{CellId, Facts, Point, Use};
use crate::given::parameter_of;
use crate::limits::{SLICE_NODES, STORE_CELLS};
use crate::memory::{MemorySsa, MemoryUse, Version};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use watertight_ir::{BinaryOp, BlockId, Body, Call, Def, FuncId, Id, InstId, Op, Type, ValueId, define_ids};
use watertight_pointer::object::Origin;
use watertight_summary::{Effect, Outcome, Path, Root, Value, Way};

define_ids! {
    /// A node of a slice.
    NodeId "flow";
}

/// What holds the address.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Holder {
    Value(ValueId),
    Memory(CellId, Version),
}

/// A holder in a context.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Node {
    pub context: ContextId,
    pub holder: Holder,
}

/// How far control has to get for the address to go from one node to another.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Until {
    Point(Point),
    /// Over an edge of control flow, into a phi.
    Edge(BlockId, BlockId),
}

/// How the address leaves a function.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Out {
    Result,
    Cell(CellId),
    /// In a cell of the outside world that a parameter leads to, if the caller gives that.
    Outside(u32, CellId),
}

/// What becomes of the address.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Fate {
    Released,
    /// Somebody who outlives the search, or of whom nothing is known, has it.
    Kept,
    Out(Out),
}

/// An end of the slice.
#[derive(Clone, Debug)]
pub struct Sink {
    pub node: NodeId,
    pub until: Until,
    pub fate: Fate,
    /// The instruction that does it.
    pub inst: Option<InstId>,
    /// Only these of the ways in which a function of the library may return do it; all when none are named.
    pub outcomes: Vec<usize>,
}

/// What is followed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Subject {
    Address,
    /// A resource that is a number, such as a descriptor.
    Number,
}

/// A slice.
pub struct Slice {
    pub nodes: Vec<Node>,
    pub edges: Vec<(NodeId, NodeId, Until)>,
    pub sinks: Vec<Sink>,
    /// The slice became too large.
    pub given_up: bool,
    /// Nodes in loops that every turn makes from a node outside of the loop.
    pub(crate) steady: Vec<bool>,
    subject: Subject,
    numbers: FxHashMap<Node, NodeId>,
}

/// What a slice is made from.
pub struct Ground<'g, 'a> {
    pub facts: &'g Facts<'a>,
    pub memory: &'g mut MemorySsa,
    pub contexts: &'g mut Contexts,
}

impl Slice {
    /// Everything that may hold an address that some holders hold.
    pub fn new(ground: &mut Ground<'_, '_>, subject: Subject, roots: &[Node]) -> Slice {
        let mut slice = Slice {
            nodes: Vec::new(),
            edges: Vec::new(),
            sinks: Vec::new(),
            given_up: false,
            steady: Vec::new(),
            subject,
            numbers: FxHashMap::default(),
        };
        for &root in roots {
            slice.node(root);
        }
        let mut next = 0;
        while next < slice.nodes.len() && !slice.given_up {
            let id = NodeId::new(next);
            next += 1;
            let node = slice.nodes[id.index()];
            match node.holder {
                Holder::Value(value) => slice.value(ground, id, node, value),
                Holder::Memory(cell, version) => slice.memory(ground, id, node, cell, version),
            }
            slice.given_up |= slice.nodes.len() > SLICE_NODES;
        }
        slice
    }

    /// Whether a node holds the same address again in every turn of the loop that it is in.
    pub fn is_steady(&self, node: NodeId) -> bool {
        self.steady.get(node.index()).copied().unwrap_or(false)
    }

    pub fn holds(&self, node: Node) -> bool {
        self.numbers.contains_key(&node)
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

    fn sink(&mut self, node: NodeId, until: Until, fate: Fate, inst: Option<InstId>) {
        self.sinks.push(Sink { node, until, fate, inst, outcomes: Vec::new() });
    }

    fn value(&mut self, ground: &mut Ground<'_, '_>, id: NodeId, node: Node, value: ValueId) {
        let facts = ground.facts;
        let Some((body, own)) = facts.function(ground.contexts.function(node.context)) else { return };
        for &used in own.uses(value) {
            match used {
                Use::Return(block) => self.leave(ground, id, node, Point::end(block), Out::Result),
                Use::Inst(inst) => self.used(ground, id, node, body, value, inst),
            }
        }
    }

    fn used(
        &mut self,
        ground: &mut Ground<'_, '_>,
        id: NodeId,
        node: Node,
        body: &Body,
        value: ValueId,
        inst: InstId,
    ) {
        let facts = ground.facts;
        let function = ground.contexts.function(node.context);
        let Some(point) = facts.function(function).and_then(|own| own.1.point(inst)) else { return };
        let until = Until::Point(point);
        let result = body.insts[inst].result;
        let assign = |slice: &mut Slice, until: Until| {
            if let Some(result) = result {
                slice.edge(id, Node { holder: Holder::Value(result), ..node }, until);
            }
        };
        let address = self.subject == Subject::Address;
        match &body.insts[inst].op {
            Op::Phi { incoming } => {
                for &(from, source) in incoming {
                    if source == value {
                        assign(self, Until::Edge(from, point.block));
                    }
                }
            }
            Op::Select { then, other, .. } if *then == value || *other == value => assign(self, until),
            Op::Convert { .. } | Op::Pack { .. } | Op::Extract { .. } => assign(self, until),
            Op::Offset { .. } if address => assign(self, until),
            Op::Index { base, .. } if address && *base == value => assign(self, until),
            Op::Binary { op: BinaryOp::Add | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, .. }
                if address =>
            {
                assign(self, until);
            }
            Op::Binary { op: BinaryOp::Sub, lhs, .. } if address && *lhs == value => assign(self, until),
            // A descriptor that is packed into a larger number goes with it.
            Op::Binary { op: BinaryOp::Or | BinaryOp::Shl | BinaryOp::And | BinaryOp::LShr, .. } => {
                assign(self, until);
            }
            Op::Store { addr, value: stored, .. }
            | Op::Atomic { addr, value: stored, .. }
            | Op::CompareExchange { addr, new: stored, .. }
                if *stored == value =>
            {
                let cells = facts.reached(function, *addr);
                let param = parameter_of(body, *addr);
                self.store(ground, id, node, &cells, until, inst, param);
            }
            Op::Call(call) => self.call(ground, id, node, body, value, inst, call, until),
            Op::Unknown(_) => self.sink(id, until, Fate::Kept, Some(inst)),
            _ => {}
        }
    }

    /// The address is put into one of some cells.
    #[allow(clippy::too_many_arguments, reason = "all of it describes one store")]
    fn store(
        &mut self,
        ground: &mut Ground<'_, '_>,
        id: NodeId,
        node: Node,
        cells: &[CellId],
        until: Until,
        inst: InstId,
        param: Option<u32>,
    ) {
        let facts = ground.facts;
        // Where nothing is known, somebody else may find it.
        if cells.is_empty() || cells.len() > STORE_CELLS {
            self.sink(id, until, Fate::Kept, Some(inst));
            return;
        }
        for &cell in cells {
            match facts.origin(cell) {
                // A caller that is not known has given it.
                Origin::Outside(_) | Origin::World if param.is_some() => {
                    let Some(param) = param else { continue };
                    match ground.contexts.by(node.context) {
                        None => self.sink(id, until, Fate::Out(Out::Outside(param, cell)), Some(inst)),
                        Some((outer, call)) => {
                            let caller = ground.contexts.function(outer);
                            if facts.is_given_by(caller, call, param, cell) {
                                self.sink(id, until, Fate::Kept, Some(inst));
                            }
                        }
                    }
                }
                Origin::Outside(_) | Origin::Merged(_) | Origin::Hub | Origin::World | Origin::Rest(_) => {
                    self.sink(id, until, Fate::Kept, Some(inst));
                }
                _ => {
                    let holder = Holder::Memory(cell, Version::Inst(inst));
                    self.edge(id, Node { holder, ..node }, until);
                }
            }
        }
    }

    /// The address is an argument.
    #[allow(clippy::too_many_arguments, reason = "all of it describes one use")]
    fn call(
        &mut self,
        ground: &mut Ground<'_, '_>,
        id: NodeId,
        node: Node,
        body: &Body,
        value: ValueId,
        inst: InstId,
        call: &Call,
        until: Until,
    ) {
        let facts = ground.facts;
        let callees = facts.points_to.callees(ground.contexts.function(node.context), inst);
        let passed = call.args.iter().enumerate().filter(|arg| *arg.1 == value);
        let passed: Vec<usize> = passed.map(|arg| arg.0).collect();
        if passed.is_empty() {
            return;
        }
        // A pointer that nothing is known about is called.
        if callees.is_empty() {
            self.sink(id, until, Fate::Kept, Some(inst));
        }
        for &callee in callees {
            let function = &facts.program.functions[callee];
            for &index in &passed {
                if function.body.is_none() {
                    self.external(facts, id, node, callee, index, body.insts[inst].result, inst, until);
                    continue;
                }
                match function.params.get(index) {
                    // Variable arguments are not followed.
                    None => self.sink(id, until, Fate::Kept, Some(inst)),
                    Some(param) if param.by_value.is_some() => {}
                    Some(_) => {
                        let holder = Holder::Value(ValueId::new(index));
                        self.enter(ground, id, node, inst, callee, holder, until);
                    }
                }
            }
        }
    }

    /// The address goes into a function. What goes around a recursion is not followed: it counts as kept.
    #[allow(clippy::too_many_arguments, reason = "all of it describes one call")]
    fn enter(
        &mut self,
        ground: &mut Ground<'_, '_>,
        id: NodeId,
        node: Node,
        inst: InstId,
        callee: FuncId,
        holder: Holder,
        until: Until,
    ) {
        match ground.contexts.enter(node.context, inst, callee) {
            Ok(context) => self.edge(id, Node { context, holder }, until),
            Err(Refused::Recursion) => self.sink(id, until, Fate::Kept, Some(inst)),
            Err(Refused::Depth) => self.given_up = true,
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
            self.sink(id, until, Fate::Kept, Some(inst));
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
        let given = |value: &Value| match value {
            Value::Entry { path, .. } | Value::Inside(path) => own(path),
            _ => false,
        };
        let releases = |outcome: &Outcome| {
            outcome.effects.iter().any(|effect| matches!(effect, Effect::Release { value, .. } if own(value)))
        };
        let keeps = |outcome: &Outcome| {
            outcome.effects.iter().any(|effect| match effect {
                Effect::Keep { value, .. } => own(value),
                Effect::Store { value, .. } => given(value),
                Effect::Calls { arguments, .. } => arguments.iter().any(given),
                _ => false,
            })
        };
        let usual: Vec<usize> = usual_outcomes(&summary.outcomes).collect();
        for fate in [Fate::Released, Fate::Kept] {
            let does = |outcome: &Outcome| match fate {
                Fate::Released => releases(outcome),
                _ => keeps(outcome),
            };
            let outcomes: Vec<usize> =
                usual.iter().copied().filter(|&outcome| does(&summary.outcomes[outcome])).collect();
            if outcomes.is_empty() {
                continue;
            }
            let outcomes = if outcomes.len() == usual.len() { Vec::new() } else { outcomes };
            self.sinks.push(Sink { node: id, until, fate, inst: Some(inst), outcomes });
        }
        if summary.outcomes.iter().any(|outcome| given(&outcome.result))
            && let Some(result) = result
        {
            self.edge(id, Node { holder: Holder::Value(result), ..node }, until);
        }
    }

    /// Control returns with the address in the result or in a cell.
    fn leave(&mut self, ground: &mut Ground<'_, '_>, id: NodeId, node: Node, at: Point, out: Out) {
        let until = Until::Point(at);
        let Some((outer, inst)) = ground.contexts.by(node.context) else {
            self.sink(id, until, Fate::Out(out), None);
            return;
        };
        let Some((body, _)) = ground.facts.function(ground.contexts.function(outer)) else { return };
        let holder = match out {
            Out::Result => match body.insts[inst].result {
                Some(result) => Holder::Value(result),
                None => return,
            },
            Out::Cell(cell) => {
                let (caller, callee) =
                    (ground.contexts.function(outer), ground.contexts.function(node.context));
                if !ground.facts.is_given(caller, inst, cell) {
                    return;
                }
                Holder::Memory(ground.facts.to_caller(cell, caller, inst, callee), Version::Inst(inst))
            }
            // Stores there end the search.
            Out::Outside(..) => return,
        };
        self.edge(id, Node { context: outer, holder }, until);
    }

    /// A version of a cell holds the address.
    fn memory(
        &mut self,
        ground: &mut Ground<'_, '_>,
        id: NodeId,
        node: Node,
        cell: CellId,
        version: Version,
    ) {
        let facts = ground.facts;
        let function = ground.contexts.function(node.context);
        let Some((body, own)) = facts.function(function) else { return };
        let cells: Rc<[CellId]> = Rc::from([cell]);
        let Some(chains) = ground.memory.chains(facts, function, &cells) else { return };
        let origin = facts.origin(cell);
        for &used in chains.uses(version) {
            match used {
                MemoryUse::Read(inst) => {
                    let Some(point) = own.point(inst) else { continue };
                    self.read(ground, id, node, body, cell, inst, Until::Point(point));
                }
                MemoryUse::Weak(inst) => {
                    let Some(point) = own.point(inst) else { continue };
                    let until = Until::Point(point);
                    if matches!((origin, &body.insts[inst].op), (Origin::Global(_), Op::Call(_))) {
                        // Whoever changes a global may have taken from it what was there.
                        self.sink(id, until, Fate::Kept, Some(inst));
                    } else if !self.is_replaced(node, body, version, inst) {
                        let holder = Holder::Memory(cell, Version::Inst(inst));
                        self.edge(id, Node { holder, ..node }, until);
                    }
                }
                MemoryUse::Join(from, to) => {
                    let holder = Holder::Memory(cell, Version::Phi(to));
                    self.edge(id, Node { holder, ..node }, Until::Edge(from, to));
                }
                MemoryUse::Exit(block) => {
                    let at = Point::end(block);
                    match origin {
                        Origin::Stack(owner, _) | Origin::Parameter(owner, _) if owner == function => {}
                        // Callees that were entered with the cell leave it where it was.
                        _ if version == Version::Entry => {}
                        Origin::Global(_) => self.sink(id, Until::Point(at), Fate::Kept, None),
                        _ => self.leave(ground, id, node, at, Out::Cell(cell)),
                    }
                }
            }
        }
    }

    /// Whether a store writes exactly where another has put the address. What was in the cell before that one, in another
    /// element of an array, is still there.
    fn is_replaced(&self, node: Node, body: &Body, version: Version, later: InstId) -> bool {
        let Version::Inst(earlier) = version else { return false };
        let Op::Store { value, .. } = body.insts[earlier].op else { return false };
        same_place(body, version, later) && self.holds(Node { holder: Holder::Value(value), ..node })
    }

    /// An instruction may read a cell that holds the address.
    #[allow(clippy::too_many_arguments, reason = "all of it describes one use")]
    fn read(
        &mut self,
        ground: &mut Ground<'_, '_>,
        id: NodeId,
        node: Node,
        body: &Body,
        cell: CellId,
        inst: InstId,
        until: Until,
    ) {
        let facts = ground.facts;
        let function = ground.contexts.function(node.context);
        match &body.insts[inst].op {
            Op::Load { .. } | Op::Atomic { .. } | Op::CompareExchange { .. } => {
                let Some(result) = body.insts[inst].result else { return };
                let fits = match self.subject {
                    Subject::Address => matches!(body.ty(result), Type::Ptr | Type::Int(64..) | Type::Agg(_)),
                    Subject::Number => matches!(body.ty(result), Type::Int(32..) | Type::Agg(_)),
                };
                if fits {
                    self.edge(id, Node { holder: Holder::Value(result), ..node }, until);
                }
            }
            Op::MemCopy { dst, src, .. } => {
                let (object, offset) = facts.place(cell);
                let sources = facts.reached(function, *src);
                let starts = sources.iter().map(|&source| facts.place(source));
                let starts: Vec<i64> = starts
                    .filter(|place| place.0 == object && place.1 <= offset)
                    .map(|place| place.1)
                    .collect();
                let reached = facts.reached(function, *dst);
                if reached.len() > STORE_CELLS && !starts.is_empty() {
                    self.sink(id, until, Fate::Kept, Some(inst));
                    return;
                }
                for start in starts {
                    let targets = reached.iter().map(|&target| {
                        let (object, at) = facts.place(target);
                        facts.cell_at(object, at + offset - start)
                    });
                    let targets: Vec<CellId> = targets.collect();
                    self.store(ground, id, node, &targets, until, inst, None);
                }
            }
            Op::Call(call) => {
                let global = matches!(facts.origin(cell), Origin::Global(_));
                for (taken, released) in facts.taken_from(function, body, inst) {
                    if taken == cell {
                        let fate = if released { Fate::Released } else { Fate::Kept };
                        self.sink(id, until, fate, Some(inst));
                    }
                }
                for &callee in facts.points_to.callees(function, inst) {
                    if facts.program.functions[callee].body.is_none() {
                        continue;
                    }
                    // A function that looks at a global may do with it what it likes.
                    if global && facts.may_read(callee, cell) {
                        self.sink(id, until, Fate::Kept, Some(inst));
                        continue;
                    }
                    if facts.may_read(callee, cell) {
                        let holder = Holder::Memory(cell, Version::Entry);
                        self.enter(ground, id, node, inst, callee, holder, until);
                    }
                    for copy in copied_into(facts, function, call, callee, cell) {
                        let holder = Holder::Memory(copy, Version::Entry);
                        self.enter(ground, id, node, inst, callee, holder, until);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The outcomes that are not so rare that nobody is told off for them.
pub fn usual_outcomes(outcomes: &[Outcome]) -> impl Iterator<Item = usize> + '_ {
    outcomes.iter().enumerate().filter(|outcome| outcome.1.way == Way::Returns).map(|outcome| outcome.0)
}

/// The cells of a callee's own copies of arguments that a cell of the caller's is copied to.
fn copied_into(facts: &Facts<'_>, caller: FuncId, call: &Call, callee: FuncId, cell: CellId) -> Vec<CellId> {
    let (object, offset) = facts.place(cell);
    let mut found = Vec::new();
    for &(index, bytes) in &call.by_value {
        let Some(&arg) = call.args.get(index as usize) else { continue };
        let starts = facts.reached(caller, arg);
        let copies = facts.objects(callee, ValueId::new(index as usize));
        for start in starts.iter().map(|&start| facts.place(start)) {
            if start.0 != object || !(start.1..start.1 + bytes as i64).contains(&offset) {
                continue;
            }
            for &copy in &copies {
                if facts.points_to.object(copy).origin == Origin::Parameter(callee, index) {
                    found.push(facts.cell_at(copy, offset - start.1));
                }
            }
        }
    }
    found
}

/// Whether a store surely writes to where an earlier store put the address.
fn same_place(body: &Body, version: Version, later: InstId) -> bool {
    let Version::Inst(earlier) = version else { return false };
    if earlier == later {
        return false;
    }
    let (Op::Store { addr: one, .. }, Op::Store { addr: two, .. }) =
        (&body.insts[earlier].op, &body.insts[later].op)
    else {
        return false;
    };
    place_of(body, *one) == place_of(body, *two)
}

/// A value as another one plus bytes.
fn place_of(body: &Body, value: ValueId) -> (ValueId, i64) {
    let mut at = (value, 0i64);
    while let Def::Inst(inst) = body.values[at.0].def
        && let Op::Offset { base, bytes } = body.insts[inst].op
    {
        at = (base, at.1.wrapping_add(bytes));
    }
    at
}
