//! The walk backwards: the paper's worklist (Fig. 8).
//!
//! In: a point of a function and what the cell is assumed to be there. Out: whether every way back ends in a
//! contradiction. Cells are kept at the ends of blocks and before calls, several for each point: they are joined only
//! when there are many that agree on which regions refer to the cell (the paper's separated abstraction). A call is
//! entered from its end, in a context that stands for what is known there; what comes out at the entry of the callee
//! goes back to everyone who asked in that context, and those who ask later get what is known already (the reverse
//! summaries and the call-site map). A cell that was born in a function has no context and goes to all callers.

use crate::Options;
use crate::assign::Write;
use crate::calls::Frame;
use crate::expr::{Expr, ExprId, Symbol};
use crate::fact::{Cell, Regions};
use crate::library::Ended;
use crate::limits::{
    ALIKE_CELLS, ALIKE_SHAPES, CALL_DEPTH, CASES_DENIED, CONTEXTS, PURSUIT, TRANSFERS_PER_QUESTION,
};
use crate::lower::{Action, CallAction, End, Statements};
use crate::region::RegionId;
use crate::solve::{is_doubtful, is_possible};
use crate::verdict::Assumed;
use crate::words::{THROUGH_POINTER, Why};
use crate::world::{Detail, World};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::rc::Rc;
use watertight_ir::{BlockId, FuncId, Id as _, InstId, define_ids};

define_ids! {
    /// A cell at a point in a context, in the order in which they were found.
    NodeId "node";
    /// What is known at the end of a function, for those who call it.
    ContextId "context";
}

/// Before an action of a block, or at its end.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Point {
    pub(crate) function: FuncId,
    pub(crate) block: BlockId,
    /// How many actions of the block come before.
    pub(crate) at: usize,
}

/// How a node was come to.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Via {
    /// It is where the walk begins.
    Start,
    /// From the block behind, over this edge.
    Edge(BlockId),
    /// Back into a function, from after the call.
    Into(FuncId, InstId),
    /// Out of a function, to before the call.
    OutOf(FuncId, InstId),
}

/// A cell at a point.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) context: Option<ContextId>,
    pub(crate) point: Point,
    pub(crate) cell: Cell,
    pub(crate) parent: Option<NodeId>,
    pub(crate) via: Via,
}

pub(crate) struct Context {
    pub(crate) function: FuncId,
    /// What is known after the call, in terms of the callee.
    pub(crate) cell: Cell,
    pub(crate) callers: Vec<Caller>,
    /// What came out at the entry.
    entries: Vec<(Cell, NodeId)>,
    depth: u32,
}

/// Somebody who waits for what is before a call.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(crate) context: Option<ContextId>,
    /// Before the call.
    pub(crate) point: Point,
    pub(crate) inst: InstId,
    call: Rc<CallAction>,
    frame: Rc<Frame>,
}

/// Where a way back ended without a contradiction.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Origin {
    /// A call that acquires something.
    Acquired { function: FuncId, inst: InstId },
    /// The entry of a function that anybody may call.
    Entry { function: FuncId },
}

/// What came of a walk.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Ending {
    Contradiction,
    Found { origin: Origin, node: NodeId, cell: Cell },
    GaveUp(String),
}

/// One walk.
pub(crate) struct Walk<'w, 'p> {
    pub(crate) world: &'w mut World<'p>,
    options: &'w Options,
    /// The only block from which the walk goes back at its beginning, if only one is meant.
    over: Option<BlockId>,
    pub(crate) nodes: Vec<Node>,
    table: FxHashMap<(Option<ContextId>, Point), Vec<NodeId>>,
    pub(crate) contexts: Vec<Context>,
    /// What was known at every point, when only plain steps are taken.
    pub(crate) seen: Vec<(Option<ContextId>, Point, Cell)>,
    queue: VecDeque<NodeId>,
    pub(crate) transfers: u32,
    /// The first reason for not having an answer.
    doubt: Option<String>,
    possible: FxHashMap<Cell, bool>,
    /// Acquisitions that were come to; whether the program can come there is looked at further.
    births: Vec<(Origin, NodeId, Cell)>,
    /// The acquisition that is looked at now.
    pursued: Option<u32>,
    /// Transfer functions that were spent on acquisitions.
    pursuit: u32,
}

/// The walk is over.
struct Over(Box<Ending>);

fn over(ending: Ending) -> Over {
    Over(Box::new(ending))
}

impl<'w, 'p> Walk<'w, 'p> {
    pub(crate) fn new(world: &'w mut World<'p>, options: &'w Options, over: Option<BlockId>) -> Walk<'w, 'p> {
        Walk {
            world,
            options,
            over,
            nodes: Vec::new(),
            table: FxHashMap::default(),
            contexts: Vec::new(),
            seen: Vec::new(),
            queue: VecDeque::new(),
            transfers: 0,
            doubt: None,
            possible: FxHashMap::default(),
            births: Vec::new(),
            pursued: None,
            pursuit: 0,
        }
    }

    /// Program points that were come to.
    pub(crate) fn points(&self) -> usize {
        self.table.len()
    }

    /// Cells that were kept there.
    pub(crate) fn abstractions(&self) -> usize {
        self.table.values().map(Vec::len).sum()
    }

    /// Walks back from some cells at a point.
    pub(crate) fn run(&mut self, point: Point, cells: Vec<Cell>) -> Ending {
        match self.walk(point, cells) {
            Ok(()) => match self.doubt.take() {
                Some(why) => Ending::GaveUp(why),
                None => Ending::Contradiction,
            },
            Err(Over(ending)) => *ending,
        }
    }

    fn walk(&mut self, point: Point, cells: Vec<Cell>) -> Result<(), Over> {
        if let Some(why) = self.world.statements(point.function).odd.clone() {
            let function = &*self.function_name(point.function);
            return Err(over(Ending::GaveUp(Why::FunctionNotModelled { function, why: &why }.into())));
        }
        for cell in cells {
            self.insert(None, point, cell, None, Via::Start)?;
        }
        while let Some(node) = self.queue.pop_front() {
            // It may have been joined with another in the meantime, which is in the queue as well.
            let current = &self.nodes[node.index()];
            let known = self.table.get(&(current.context, current.point));
            if known.is_some_and(|list| list.contains(&node)) {
                self.visit(node)?;
            }
        }
        Ok(())
    }

    fn function_name(&self, function: FuncId) -> String {
        self.world.program.functions[function].name.to_string()
    }

    fn count(&mut self) -> Result<(), Over> {
        self.transfers += 1;
        let spent = self.transfers > self.options.transfers;
        if let Some(birth) = self.pursued
            && let Some((origin, node, cell)) = self.births.get(birth as usize)
        {
            self.pursuit += 1;
            if spent || self.pursuit > PURSUIT {
                // An acquisition was found; that the program can come there was not refuted.
                let (origin, node, cell) = (origin.clone(), *node, cell.clone());
                return Err(over(Ending::Found { origin, node, cell }));
            }
        }
        if spent {
            let why = Why::BudgetSpent { transfers: &self.options.transfers.to_string() }.into();
            return Err(over(Ending::GaveUp(why)));
        }
        Ok(())
    }

    fn insert(
        &mut self,
        context: Option<ContextId>,
        point: Point,
        cell: Cell,
        parent: Option<NodeId>,
        via: Via,
    ) -> Result<(), Over> {
        if cell.regions.count() > self.options.regions as usize {
            let why = Why::ManyRegions { regions: &self.options.regions.to_string() }.into();
            return Err(over(Ending::GaveUp(why)));
        }
        let index = self.index(&cell);
        let list = self.table.entry((context, point)).or_default();
        if list.iter().any(|known| cell.within(&self.nodes[known.index()].cell)) {
            return Ok(());
        }
        list.retain(|known| !self.nodes[known.index()].cell.within(&cell));
        let list = list.clone();
        let mut alike = Vec::new();
        for known in list {
            let other = self.nodes[known.index()].cell.clone();
            if other.born == cell.born && self.index(&other) == index {
                alike.push(known);
            }
        }
        let most = match self.world.detail {
            Detail::Shape => ALIKE_SHAPES,
            Detail::All if cell.born.is_some() => 2 * ALIKE_CELLS,
            Detail::All => ALIKE_CELLS,
        };
        // Of those, the one that has most in common; what has no hit in common is kept apart for longer.
        let best = alike.iter().copied().max_by_key(|known| self.nodes[known.index()].cell.likeness(&cell));
        let most = match best.map(|known| self.nodes[known.index()].cell.likeness(&cell).0) {
            Some(0) if !cell.hits.is_empty() => 3 * most,
            _ => most,
        };
        let cell = match best {
            Some(best) if alike.len() >= most => {
                let joined = self.nodes[best.index()].cell.join(&cell);
                if let Some(list) = self.table.get_mut(&(context, point)) {
                    list.retain(|known| *known != best);
                }
                joined
            }
            _ => cell,
        };
        let id = NodeId::new(self.nodes.len());
        let born = cell.born;
        self.nodes.push(Node { context, point, cell, parent, via });
        self.table.entry((context, point)).or_default().push(id);
        // Whether an acquisition can be come to is found out first: if it can, the walk is over.
        match born {
            Some(_) => self.queue.push_front(id),
            None => self.queue.push_back(id),
        }
        Ok(())
    }

    /// Whether the program can come this way, as far as that may be asked. Most conditions have nothing to do with each
    /// other, and then there is nothing to ask.
    fn is_possible(&mut self, cell: &Cell) -> bool {
        if !self.options.solver || !is_doubtful(self.world, cell) {
            return true;
        }
        // Regions are of no interest to the solver.
        let question = Cell { regions: Regions::default(), ..cell.clone() };
        if let Some(&known) = self.possible.get(&question) {
            return known;
        }
        if self.possible.len() as u32 >= self.options.transfers / TRANSFERS_PER_QUESTION {
            return true;
        }
        let possible = is_possible(self.world, cell);
        self.possible.insert(question, possible);
        possible
    }

    /// What cells must agree on to be joined: the regions that surely refer to the cell.
    fn index(&mut self, cell: &Cell) -> (Vec<RegionId>, Vec<ExprId>) {
        let mut regions = Vec::new();
        let mut names = Vec::new();
        for &hit in &cell.hits {
            if let Expr::Deref(addr, ty) = self.world.exprs.get(hit) {
                let reach = self.world.reach(addr, ty);
                regions.extend(reach.regions.iter().map(|known| known.0));
            } else {
                names.push(hit);
            }
        }
        regions.sort_unstable();
        regions.dedup();
        (regions, names)
    }

    /// Goes back from a node to the beginning of its block, or to the next call.
    fn visit(&mut self, node: NodeId) -> Result<(), Over> {
        let Node { context, point, cell, .. } = self.nodes[node.index()].clone();
        self.pursued = cell.born;
        let statements = self.world.statements(point.function);
        let mut todo = vec![(cell, point.at)];
        while let Some((cell, at)) = todo.pop() {
            if self.world.plain {
                self.seen.push((context, Point { at, ..point }, cell.clone()));
            }
            let Some(before) = at.checked_sub(1) else {
                self.block_start(node, context, point, &cell, &statements)?;
                continue;
            };
            let (inst, action) = &statements.blocks[point.block.index()].actions[before];
            if let Action::Call(call) = action {
                self.count()?;
                let here = Point { at: before, ..point };
                for cell in self.call(node, context, here, *inst, call, &cell)? {
                    todo.push((cell, before));
                }
                continue;
            }
            if !self.world.plain {
                self.world.fresh_now = statements.fresh_at(point.block, before);
            }
            self.world.set_still(Point { at: before, ..point });
            let cells = self.action(&cell, action);
            self.world.fresh_now.clear();
            self.world.still_now = None;
            let cells = cells?;
            for cell in cells {
                todo.push((cell, before));
            }
        }
        Ok(())
    }

    fn action(&mut self, cell: &Cell, action: &Action) -> Result<Vec<Cell>, Over> {
        match action {
            Action::Exchange { .. } | Action::Copy { .. } | Action::Fill { .. } if self.world.plain => {
                self.doubt.get_or_insert(Why::NeedsMore.into());
                Ok(Vec::new())
            }
            Action::Define { name, by } => {
                // Only a way of writing the next statement.
                Ok(self.world.define(cell, *name, *by).into_iter().collect())
            }
            Action::Assign { addr, value, ty } => {
                self.count()?;
                Ok(self.world.assign(cell, Write::new(*addr, *ty, Some(*value))))
            }
            Action::Exchange { addr, value, name, ty } => {
                self.count()?;
                let cells = self.world.assign(cell, Write::new(*addr, *ty, *value));
                let old = self.world.deref(*addr, *ty);
                Ok(match name {
                    Some(name) => {
                        cells.iter().filter_map(|cell| self.world.define(cell, *name, Some(old))).collect()
                    }
                    None => cells,
                })
            }
            Action::Copy { to, from, bytes } => {
                self.count()?;
                Ok(self.world.copy(cell, *to, Some(*from), *bytes))
            }
            Action::Fill { to, bytes } => {
                self.count()?;
                Ok(self.world.copy(cell, *to, None, *bytes))
            }
            Action::Unmodelled(what) => {
                self.doubt.get_or_insert(Why::NotModelled { what }.into());
                Ok(Vec::new())
            }
            Action::Call(_) => Ok(vec![cell.clone()]),
        }
    }

    /// At the beginning of a block: to the ends of the blocks before, or out of the function.
    fn block_start(
        &mut self,
        node: NodeId,
        context: Option<ContextId>,
        point: Point,
        cell: &Cell,
        statements: &Statements,
    ) -> Result<(), Over> {
        let Point { function, block, .. } = point;
        if block.index() == 0 {
            return self.entry(node, context, function, cell);
        }
        let only = self.over.filter(|_| self.nodes[node.index()].via == Via::Start);
        for &from in statements.cfg.predecessors(block) {
            if only.is_some_and(|only| only != from) {
                continue;
            }
            self.count()?;
            let mut cell = Some(cell.clone());
            for (name, ways) in &statements.blocks[block.index()].merged {
                let by = ways.iter().find(|way| way.0 == from).map(|way| way.1);
                cell = cell.and_then(|cell| self.world.define(&cell, *name, by));
            }
            let Some(cell) = cell else { continue };
            let behind = &statements.blocks[from.index()];
            let conditions = self.edge(&behind.end, block);
            let mut cells = vec![cell];
            self.world.set_still(Point { function, block: from, at: behind.actions.len() });
            for condition in conditions {
                cells = cells.iter().filter_map(|cell| self.world.require(cell, condition)).collect();
            }
            self.world.still_now = None;
            for cell in cells {
                let there = Point { function, block: from, at: behind.actions.len() };
                self.insert(context, there, cell, Some(node), Via::Edge(block))?;
            }
        }
        Ok(())
    }

    /// What holds when control goes from the end of a block to another.
    fn edge(&mut self, end: &End, to: BlockId) -> Vec<ExprId> {
        match end {
            End::Branch(condition, then) => {
                let condition = *condition;
                vec![if *then == to { condition } else { self.world.exprs.not(condition) }]
            }
            End::Switch(value, cases, default) => {
                let ty = self.world.exprs.ty(*value);
                let here: Vec<u64> = cases.iter().filter(|case| case.1 == to).map(|case| case.0).collect();
                let compare = |walk: &mut Self, op, case: u64| {
                    let case = walk.world.exprs.number(crate::expr::cut(case, ty), ty);
                    walk.world.exprs.compare(op, *value, case)
                };
                match &*here {
                    [case] if *default != to => vec![compare(self, watertight_ir::CompareOp::Eq, *case)],
                    [] => {
                        let cases = cases.iter().take(CASES_DENIED);
                        cases.map(|case| compare(self, watertight_ir::CompareOp::Ne, case.0)).collect()
                    }
                    _ => Vec::new(),
                }
            }
            End::Goto | End::Return(_) => Vec::new(),
        }
    }

    /// Before a call. Cells that are known at once are returned; others come later from the entry of the callee.
    fn call(
        &mut self,
        node: NodeId,
        context: Option<ContextId>,
        before: Point,
        inst: InstId,
        call: &CallAction,
        cell: &Cell,
    ) -> Result<Vec<Cell>, Over> {
        if call.no_return {
            return Ok(Vec::new());
        }
        let Some(callee) = call.callee else {
            return self.ended(node, inst, cell, before.function, |world| {
                world.unknown_call(cell, call, THROUGH_POINTER)
            });
        };
        let data = &self.world.program.functions[callee];
        let name = data.name.to_string();
        let models = self.world.models;
        if data.body.is_none() {
            if let Some(summary) = models.functions.get(&*name) {
                if self.world.plain && !crate::certificate::is_plain(summary) {
                    self.doubt.get_or_insert(Why::NeedsMore.into());
                    return Ok(Vec::new());
                }
                return self.ended(node, inst, cell, before.function, |world| {
                    world.library_call(cell, before.function, inst, call, summary)
                });
            }
            if data.attrs.no_memory || data.attrs.read_only {
                let defined = match call.result {
                    Some(result) => self.world.define(cell, result, None),
                    None => Some(cell.clone()),
                };
                return Ok(defined.into_iter().collect());
            }
            return self.ended(node, inst, cell, before.function, |world| {
                world.unknown_call(cell, call, &format!("`{name}`"))
            });
        }
        let depth = context.map_or(0, |context| self.contexts[context.index()].depth) + 1;
        let statements = self.world.statements(callee);
        if statements.odd.is_some() || depth > CALL_DEPTH || data.variadic {
            return self.ended(node, inst, cell, before.function, |world| {
                world.unknown_call(cell, call, &format!("`{name}`"))
            });
        }
        let components = self.world.graph.components();
        if self.world.plain && components.of(before.function) == components.of(callee) {
            self.doubt.get_or_insert(Why::NeedsMore.into());
            return Ok(Vec::new());
        }
        if let Some(passed) = self.world.pass_by(cell, call, callee) {
            return Ok(passed);
        }
        let (mapped, frame) = self.world.enter(cell, call, before.function, callee);
        let Some(mapped) = mapped else { return Ok(Vec::new()) };
        let caller =
            Caller { context, point: before, inst, call: Rc::new(call.clone()), frame: Rc::new(frame) };
        self.ask(node, callee, mapped, caller, depth, &statements)?;
        Ok(Vec::new())
    }

    /// Asks for what is before a function when this is known after it.
    fn ask(
        &mut self,
        node: NodeId,
        callee: FuncId,
        cell: Cell,
        caller: Caller,
        depth: u32,
        statements: &Statements,
    ) -> Result<(), Over> {
        let same: Vec<ContextId> = (0..self.contexts.len())
            .map(ContextId::new)
            .filter(|context| self.contexts[context.index()].function == callee)
            .collect();
        let fitting = same.iter().copied().find(|context| cell.within(&self.contexts[context.index()].cell));
        let (context, grown) = match fitting {
            Some(context) => (context, false),
            None if same.len() < CONTEXTS => {
                let context =
                    Context { function: callee, cell, callers: Vec::new(), entries: Vec::new(), depth };
                self.contexts.push(context);
                (ContextId::new(self.contexts.len() - 1), true)
            }
            None => {
                let index = self.index(&cell);
                let mut alike = None;
                for &context in &same {
                    let known = self.contexts[context.index()].cell.clone();
                    if self.index(&known) == index {
                        alike = Some(context);
                        break;
                    }
                }
                let context = alike.unwrap_or(same[same.len() - 1]);
                let known = &mut self.contexts[context.index()];
                if known.cell.born != cell.born {
                    return Err(over(Ending::GaveUp(Why::ManyContexts.into())));
                }
                known.cell = known.cell.join(&cell);
                (context, true)
            }
        };
        let from = (caller.point.function, caller.inst);
        let data = &mut self.contexts[context.index()];
        data.callers.push(caller.clone());
        let known = data.entries.clone();
        for (cell, node) in known {
            self.leave(&cell, node, callee, &caller)?;
        }
        if grown {
            let cell = self.contexts[context.index()].cell.clone();
            for (index, block) in statements.blocks.iter().enumerate() {
                let block_id = BlockId::new(index);
                if let End::Return(value) = block.end
                    && statements.cfg.is_reachable(block_id)
                {
                    self.count()?;
                    let at_end = self.world.return_before(&cell, callee, statements, value);
                    if let Some(cell) = at_end {
                        let there = Point { function: callee, block: block_id, at: block.actions.len() };
                        self.insert(Some(context), there, cell, Some(node), Via::Into(from.0, from.1))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// From the entry of a function to before a call of it.
    fn leave(&mut self, cell: &Cell, node: NodeId, callee: FuncId, caller: &Caller) -> Result<(), Over> {
        self.count()?;
        self.world.set_still(caller.point);
        let left = self.world.leave(cell, callee, &caller.call, &caller.frame);
        self.world.still_now = None;
        if let Some(cell) = left {
            let via = Via::OutOf(callee, caller.inst);
            self.insert(caller.context, caller.point, cell, Some(node), via)?;
        }
        Ok(())
    }

    /// At the entry of a function.
    fn entry(
        &mut self,
        node: NodeId,
        context: Option<ContextId>,
        function: FuncId,
        cell: &Cell,
    ) -> Result<(), Over> {
        self.count()?;
        let gone = |symbol: Symbol| matches!(symbol, Symbol::Local(of, _) if of == function);
        let Some(cell) = self.world.scope(cell, &gone) else { return Ok(()) };
        if let Some(context) = context {
            let data = &mut self.contexts[context.index()];
            if data.entries.iter().any(|known| cell.within(&known.0)) {
                return Ok(());
            }
            data.entries.push((cell.clone(), node));
            for caller in data.callers.clone() {
                self.leave(&cell, node, function, &caller)?;
            }
            return Ok(());
        }
        if self.world.is_root(function) {
            self.root(node, function, &cell)?;
        }
        for site in self.world.graph.call_sites(function).to_vec() {
            let statements = self.world.statements(site.caller);
            if let Some(why) = &statements.odd {
                let name = self.function_name(site.caller);
                self.doubt.get_or_insert(Why::CallerNotModelled { function: &name, why }.into());
                continue;
            }
            if !statements.cfg.is_reachable(site.block) {
                continue;
            }
            let actions = &statements.blocks[site.block.index()].actions;
            let found = actions.iter().position(|(inst, _)| *inst == site.inst);
            if let Some(at) = found
                && let Action::Call(call) = &actions[at].1
            {
                let caller = Caller {
                    context: None,
                    point: Point { function: site.caller, block: site.block, at },
                    inst: site.inst,
                    call: Rc::new((**call).clone()),
                    frame: Rc::new(Frame::default()),
                };
                self.leave(&cell, node, function, &caller)?;
            }
        }
        Ok(())
    }

    /// At the entry of a function that anybody may call.
    fn root(&mut self, node: NodeId, function: FuncId, cell: &Cell) -> Result<(), Over> {
        if cell.born.is_some() {
            return if self.is_possible(cell) { Err(self.born(cell)) } else { Ok(()) };
        }
        let data = &self.world.program.functions[function];
        if &*data.name == "main" {
            // Nothing has been acquired yet.
            return Ok(());
        }
        let passed = cell.hits.iter().any(|&hit| matches!(self.world.exprs.get(hit), Expr::Entry(..)));
        if passed || (cell.regions.is_empty() && cell.hits.is_empty()) {
            self.world.used.insert(Assumed::CallersKeep);
            return Ok(());
        }
        if !self.is_possible(cell) {
            return Ok(());
        }
        if cell.hits.is_empty() {
            let name = self.function_name(function);
            self.doubt.get_or_insert(Why::EntryUnknown { function: &name }.into());
            return Ok(());
        }
        Err(over(Ending::Found { origin: Origin::Entry { function }, node, cell: cell.clone() }))
    }

    /// What is before a call of a library function, or the end of the walk.
    fn ended(
        &mut self,
        node: NodeId,
        inst: InstId,
        cell: &Cell,
        function: FuncId,
        before: impl FnOnce(&mut World<'p>) -> Result<Vec<Cell>, Ended>,
    ) -> Result<Vec<Cell>, Over> {
        match before(self.world) {
            Ok(mut cells) => {
                for born in cells.iter_mut().filter(|cell| cell.born == Some(u32::MAX)) {
                    born.born = u32::try_from(self.births.len()).ok();
                    self.births.push((Origin::Acquired { function, inst }, node, cell.clone()));
                }
                Ok(cells)
            }
            Err(Ended::Acquired) => {
                let place = crate::tell::place_of(self.world.program, function, inst);
                let place = place.to_string();
                self.doubt.get_or_insert(Why::PerhapsFrom { place: &place }.into());
                Ok(Vec::new())
            }
            Err(Ended::GaveUp(why)) => {
                self.doubt.get_or_insert(why);
                Ok(Vec::new())
            }
        }
    }

    fn born(&self, cell: &Cell) -> Over {
        let birth = cell.born.and_then(|birth| self.births.get(birth as usize));
        match birth {
            Some((origin, node, cell)) => {
                over(Ending::Found { origin: origin.clone(), node: *node, cell: cell.clone() })
            }
            None => over(Ending::GaveUp(Why::OriginUnknown.into())),
        }
    }
}
