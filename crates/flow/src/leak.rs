//! Leaks: on which paths is what a source acquires neither released nor handed on?
//!
//! For each source the slice is made first, then the guard of each of its nodes: the paths on which the address gets
//! there. Together the guards at the releases are FREED (Saber, section 2.6). What is left of the paths that leave the
//! function or come to the source again, without those that hand the address to the caller, is lost. What a function hands to its callers
//! is asked again for each call of it, as if that call were the source: a function that one caller uses well and
//! another does not is one leak. The paper asks once for all callers.
//!
//! Where a function hands the address over on some paths only, its result tells the caller which. Conditions on that
//! result are then taken to be whatever releases it: nothing is reported that hangs on them.

use crate::control::{Control, Reach};
use crate::facts::{Facts, Point};
use crate::slice::{Holder, NodeId, Out, Slice, Until};
use crate::source::Source;
use rustc_hash::{FxHashMap, FxHashSet};
use watertight_ir::{BlockId, FuncId, Id, InstId, Terminator, ValueId};
use watertight_logic::guard::Guard;
use watertight_pointer::object::Origin;
use watertight_summary::KindId;

/// Something that is lost.
#[derive(Clone, Debug)]
pub struct Leak {
    /// The function that loses it.
    pub function: FuncId,
    /// The call in it that acquires it.
    pub inst: InstId,
    pub kind: KindId,
    pub holders: Vec<Holder>,
    /// Branches on the way to the loss: where, and whether the condition holds. None when it is lost on all paths.
    pub branches: Vec<(FuncId, BlockId, bool)>,
    /// Where the function is left without it.
    pub end: Option<BlockId>,
    /// A release on another path.
    pub release: Option<(FuncId, InstId)>,
    /// Every turn of a loop loses another one.
    pub in_loop: bool,
}

/// How many slices there were, and how large.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    pub sources: usize,
    pub slices: usize,
    pub nodes: usize,
    pub escaped: usize,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Leaks {
    pub leaks: Vec<Leak>,
    /// Calls that acquire something whose slice became too large.
    pub given_up: Vec<(FuncId, InstId)>,
    pub figures: Figures,
}

/// Callers of callers that are asked.
const HIGHEST: u32 = 8;
/// Times that guards are taken over along the edges of a slice, per edge.
const MOST_TURNS: usize = 40;

/// Follows every source.
pub fn leaks(facts: &mut Facts<'_>, sources: &[Source]) -> Leaks {
    let mut found = Leaks::default();
    let mut asked = FxHashSet::default();
    found.figures.sources = sources.len();
    for source in sources {
        follow(facts, source, 0, &mut asked, &mut found);
    }
    found.leaks.sort_by_key(|leak| (leak.function, leak.inst));
    found.leaks.dedup_by_key(|leak| (leak.function, leak.inst));
    found
}

fn follow(
    facts: &mut Facts<'_>,
    source: &Source,
    height: u32,
    asked: &mut FxHashSet<(FuncId, InstId, Vec<Holder>)>,
    found: &mut Leaks,
) {
    if !asked.insert((source.function, source.inst, source.holders.clone())) {
        return;
    }
    let roots: Vec<(Holder, Point)> = source.holders.iter().map(|&holder| (holder, source.from)).collect();
    let slice = Slice::new(facts, source.function, &roots);
    found.figures.slices += 1;
    found.figures.nodes += slice.nodes.len();
    if slice.escapes {
        found.figures.escaped += 1;
        return;
    }
    if slice.given_up {
        found.given_up.push((source.function, source.inst));
        return;
    }
    // What lies in a block that the function acquired itself leaves with that block, or not at all.
    let mut owners: Vec<(FuncId, InstId)> =
        slice.outs.iter().filter_map(|out| owner(facts, source, out.2)).collect();
    owners.sort_unstable();
    owners.dedup();
    let owners: Vec<((FuncId, InstId), Option<Slice>)> =
        owners.into_iter().map(|owner| (owner, holder_slice(facts, owner))).collect();
    let mut control = Control::default();
    for slice in owners.iter().filter_map(|owner| owner.1.as_ref()).chain([&slice]) {
        hold(&mut control, slice);
    }
    let mut leaving: Vec<((FuncId, InstId), Guard)> = Vec::new();
    for (owner, owner_slice) in &owners {
        let guard = match owner_slice {
            None => Guard::TRUE,
            Some(owner_slice) => {
                let mut flow = Flow::new(facts, owner_slice, control);
                flow.solve(facts, 1);
                let guard = flow.total(facts, &owner_slice.outs, |out| (out.0, out.1));
                control = flow.control;
                guard
            }
        };
        leaving.push((*owner, guard));
    }
    let mut flow = Flow::new(facts, &slice, control);
    flow.solve(facts, source.holders.len());
    let freed = flow.total(facts, &slice.releases, |release| (release.0, release.1));
    let mut out = Guard::FALSE;
    for one in &slice.outs {
        let mut guard = flow.total(facts, std::slice::from_ref(one), |out| (out.0, out.1));
        if let Some(owner) = owner(facts, source, one.2)
            && let Some((_, leaves)) = leaving.iter().find(|leaving| leaving.0 == owner)
        {
            guard = flow.control.guards.and(guard, *leaves);
        }
        out = flow.control.guards.or(out, guard);
    }
    let ended = flow.ended(facts);
    let kept = flow.control.guards.or_all([freed, out, ended]);
    let over = flow.over(facts, source);
    let lost = flow.control.guards.and_not(over, kept);
    let mut lost = flow.decide_null(lost);
    if source.told {
        lost = flow.forget_result(facts, source, lost);
    }
    if flow.control.guards.overflowed() || flow.stopped {
        found.given_up.push((source.function, source.inst));
        return;
    }
    let in_loop = facts.function(source.function).is_some_and(|own| own.1.loops.depth(source.from.block) > 0);
    // What `main` holds to the end is another matter.
    let ends_with_process = &*facts.program.functions[source.function].name == "main" && !in_loop;
    if !lost.is_false() && !ends_with_process {
        let (branches, end) = flow.witness(facts, source, lost);
        let release =
            slice.releases.first().map(|release| (slice.nodes[release.0.index()].function, release.2));
        found.leaks.push(Leak {
            function: source.function,
            inst: source.inst,
            kind: source.kind,
            holders: source.holders.clone(),
            branches,
            end,
            release,
            in_loop,
        });
    }
    if out.is_false() || height >= HIGHEST {
        return;
    }
    let mut outs: Vec<Out> = slice.outs.iter().map(|out| out.2).collect();
    outs.sort_unstable();
    outs.dedup();
    for (caller, inst) in facts.callers(source.function).to_vec() {
        if let Some(next) = handed(facts, source, caller, inst, &outs, !out.is_true()) {
            follow(facts, &next, height + 1, asked, found);
        }
    }
}

/// The call that acquired the block that a cell is in, when the function of the source made it.
fn owner(facts: &Facts<'_>, source: &Source, out: Out) -> Option<(FuncId, InstId)> {
    let Out::Cell(cell) = out else { return None };
    match facts.origin(cell) {
        Origin::Heap(function, inst, 0) if function == source.function && inst != source.inst => {
            Some((function, inst))
        }
        _ => None,
    }
}

/// Everything that may hold the address of a block; nothing when that is not known.
fn holder_slice(facts: &mut Facts<'_>, (function, inst): (FuncId, InstId)) -> Option<Slice> {
    let (body, own) = facts.function(function)?;
    let point = own.point(inst)?;
    let result = body.insts[inst].result?;
    let from = Point { block: point.block, index: point.index + 1 };
    let slice = Slice::new(facts, function, &[(Holder::Value(result), from)]);
    (!slice.escapes && !slice.given_up).then_some(slice)
}

/// What holds the address is not null.
fn hold(control: &mut Control, slice: &Slice) {
    for node in &slice.nodes {
        if let Holder::Value(value) = node.holder {
            control.held.insert((node.function, value));
        }
    }
}

/// The call of a function that hands something to its caller, as a source.
fn handed(
    facts: &Facts<'_>,
    source: &Source,
    caller: FuncId,
    inst: InstId,
    outs: &[Out],
    sometimes: bool,
) -> Option<Source> {
    let (body, own) = facts.function(caller)?;
    let point = own.point(inst)?;
    let mut holders = Vec::new();
    for out in outs {
        match *out {
            Out::Result => holders.extend(body.insts[inst].result.map(Holder::Value)),
            Out::Cell(cell) => holders.push(Holder::Cell(cell)),
        }
    }
    holders.sort_unstable();
    holders.dedup();
    let through_cells = holders.iter().any(|holder| matches!(holder, Holder::Cell(_)));
    Some(Source {
        function: caller,
        inst,
        kind: source.kind,
        holders,
        from: Point { block: point.block, index: point.index + 1 },
        told: sometimes && through_cells,
    })
}

/// Guards of the nodes of a slice.
struct Flow<'s> {
    slice: &'s Slice,
    control: Control,
    guards: Vec<Guard>,
    reaches: Vec<Option<Reach>>,
    stopped: bool,
}

impl<'s> Flow<'s> {
    fn new(facts: &mut Facts<'_>, slice: &'s Slice, mut control: Control) -> Flow<'s> {
        let mut reaches = Vec::new();
        for node in &slice.nodes {
            let kills = Slice::kills(facts, node);
            reaches.push(
                facts
                    .function(node.function)
                    .map(|(body, own)| control.reach(node.function, body, own, node.from, kills)),
            );
        }
        Flow { slice, control, guards: vec![Guard::FALSE; slice.nodes.len()], reaches, stopped: false }
    }

    /// The paths of one function on which control gets as far as an edge of the slice says.
    fn along(&mut self, facts: &Facts<'_>, from: NodeId, until: Until) -> Guard {
        let function = self.slice.nodes[from.index()].function;
        let (Some(reach), Some((body, _))) = (&self.reaches[from.index()], facts.function(function)) else {
            return Guard::FALSE;
        };
        match until {
            Until::Point(point) => self.control.at(reach, point),
            Until::Edge(before, after) => self.control.along(function, body, reach, before, after),
        }
    }

    /// Takes guards over along edges until nothing changes.
    fn solve(&mut self, facts: &Facts<'_>, roots: usize) {
        for root in 0..roots.min(self.guards.len()) {
            self.guards[root] = Guard::TRUE;
        }
        let edges: Vec<(NodeId, NodeId, Guard)> = self
            .slice
            .edges
            .iter()
            .map(|&(from, to, until)| (from, to, self.along(facts, from, until)))
            .collect();
        for _ in 0..MOST_TURNS {
            let mut changed = false;
            for &(from, to, guard) in &edges {
                let along = self.control.guards.and(self.guards[from.index()], guard);
                let all = self.control.guards.or(self.guards[to.index()], along);
                changed |= all != self.guards[to.index()];
                self.guards[to.index()] = all;
            }
            if !changed {
                return;
            }
        }
        self.stopped = true;
    }

    /// The paths on which one of several things happens to the address.
    fn total<T>(&mut self, facts: &Facts<'_>, all: &[T], place: impl Fn(&T) -> (NodeId, Until)) -> Guard {
        let mut total = Guard::FALSE;
        for (node, until) in all.iter().map(place) {
            let guard = self.along(facts, node, until);
            let guard = self.control.guards.and(self.guards[node.index()], guard);
            total = self.control.guards.or(total, guard);
        }
        total
    }

    /// The paths that end the process, or never end, while the address is held.
    fn ended(&mut self, facts: &Facts<'_>) -> Guard {
        let mut ends = Vec::new();
        for (index, node) in self.slice.nodes.iter().enumerate() {
            let Some((body, _)) = facts.function(node.function) else { continue };
            for (block, data) in body.blocks.iter() {
                if let Terminator::Unreachable | Terminator::Resume = data.term {
                    ends.push((NodeId::new(index), Until::Point(Point { block, index: u32::MAX })));
                }
            }
        }
        self.total(facts, &ends, |end| *end)
    }

    /// The paths on which the function is left, or comes to the source again: what is not kept then is lost.
    fn over(&mut self, facts: &Facts<'_>, source: &Source) -> Guard {
        let Some((body, own)) = facts.function(source.function) else { return Guard::FALSE };
        let reach = self.control.reach(source.function, body, own, source.from, Vec::new());
        let mut over = Guard::FALSE;
        for (block, data) in body.blocks.iter() {
            if let Terminator::Return(_) = data.term {
                let there = self.control.at(&reach, Point { block, index: u32::MAX });
                over = self.control.guards.or(over, there);
            }
        }
        let before = Point { index: source.from.index.saturating_sub(1), ..source.from };
        let again = self.control.at(&reach, before);
        self.control.guards.or(over, again)
    }

    /// Decides tests against null: what may hold the address is null where it does not.
    fn decide_null(&mut self, guard: Guard) -> Guard {
        let mut holds: FxHashMap<(FuncId, ValueId), Guard> = FxHashMap::default();
        for (node, guard) in self.slice.nodes.iter().zip(&self.guards) {
            if let Holder::Value(value) = node.holder {
                let known = holds.entry((node.function, value)).or_insert(Guard::FALSE);
                *known = self.control.guards.or(*known, *guard);
            }
        }
        // Blocks around it exist.
        self.control.decide_null(guard, |function, value| {
            Some(holds.get(&(function, value)).copied().unwrap_or(Guard::TRUE))
        })
    }

    /// Leaves conditions on the result of the source out of account.
    fn forget_result(&mut self, facts: &Facts<'_>, source: &Source, guard: Guard) -> Guard {
        let Some((body, _)) = facts.function(source.function) else { return guard };
        let Some(result) = body.insts[source.inst].result else { return guard };
        let about = self.control.conditions_on(source.function, body, result);
        self.control.guards.for_all(guard, about)
    }

    /// Branches that lead to the loss, and where the function is left.
    fn witness(
        &mut self,
        facts: &Facts<'_>,
        source: &Source,
        lost: Guard,
    ) -> (Vec<(FuncId, BlockId, bool)>, Option<BlockId>) {
        let Some((body, own)) = facts.function(source.function) else { return Default::default() };
        let cube = self.control.guards.shortest_cube(lost).unwrap_or_default();
        let mut branches: Vec<(FuncId, BlockId, bool)> = Vec::new();
        for literal in &cube {
            if let Some(&(function, block)) = self.control.tested.get(literal.condition.index()) {
                branches.push((function, block, literal.holds));
            }
        }
        branches.sort_by_key(|branch| (branch.0, own.cfg.position(branch.1)));
        let case = self.control.guards.cube(&cube);
        let reach = self.control.reach(source.function, body, own, source.from, Vec::new());
        let mut end = None;
        for &block in own.cfg.reverse_post_order() {
            if let Terminator::Return(_) = body.blocks[block].term {
                let there = self.control.at(&reach, Point { block, index: u32::MAX });
                if !self.control.guards.and(there, case).is_false() {
                    end.get_or_insert(block);
                }
            }
        }
        (branches, end)
    }
}
