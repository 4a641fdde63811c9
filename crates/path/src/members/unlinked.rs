//! Nodes that are unlinked from a chain of the program and dropped.
//!
//! In: bodies, summaries, and which members own what they hold. Out: stories. A node is unlinked where what leads to it is
//! given its own link: `r->back->ahead = r->ahead`, `*where = r->next` with `r` found at `where`, or by a call of a function that does so
//! with its argument, or with what it returns. If nodes of this type are made by the program and put into one kind of container, and if no other structure has room for their address (and, where only the place is changed in which it was found, no other place leads to them), then whoever unlinks one that it has
//! found itself has the last reference to it. One that neither releases it nor gives it to anybody, on whatever path, loses it (ASSUME-42).

use super::Look;
use super::holders::Holders;
use crate::beliefs::flow::{Fate, Flow};
use crate::facts::places::place_of;
use crate::facts::tested::Ways;
use crate::facts::types::{Field, Members, identity};
use crate::limits::UNLINKED_MERGES;
use watertight_finding::{Growth, Said, Step, StepKind, Story};
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{Body, Cfg, Const, FuncId, InstId, Loops, Op, ValueId};
use watertight_summary::{Effect, Path, Step as Cell, Summary, Value};

/// Where a node is unlinked: the statement, the node, who is called for it, and how.
pub(super) struct Unlinked {
    pub(super) inst: InstId,
    pub(super) node: ValueId,
    pub(super) by: Option<String>,
    how: How,
}

impl Unlinked {
    /// A call gives a node that it has unlinked.
    pub(super) fn popped(inst: InstId, node: ValueId, by: Option<String>) -> Unlinked {
        Unlinked { inst, node, by, how: How::ByCallee }
    }

    /// Whether it was unlinked by the call that gives it.
    pub(super) fn is_by_callee(&self) -> bool {
        self.how == How::ByCallee
    }
}

/// What makes sure that nothing leads to a node any more.
#[derive(Copy, Clone, PartialEq, Eq)]
enum How {
    /// Its neighbour got its link.
    ByNeighbour,
    /// The place where it was found got its link. Where there are other ways to a node, that may be a cursor that goes on.
    WhereFound,
    /// A call has unlinked what it gives.
    ByCallee,
}

impl Look<'_> {
    /// What a function unlinks and drops.
    pub(super) fn unlinked(&mut self, function: FuncId) -> Option<Story> {
        let body = self.program.functions[function].body.as_ref()?;
        let mut unlinked = self.unlinks(body);
        unlinked.extend(self.popped(body));
        if unlinked.is_empty() {
            return None;
        }
        let members = Members::new(self.program, function)?;
        unlinked.into_iter().find_map(|unlinked| {
            let found_in = match unlinked.how {
                How::ByCallee => Vec::new(),
                _ => found_in(body, &members, unlinked.node)?,
            };
            if !self.is_by_link(body, &members, &unlinked) || !self.is_dropped(body, &members, &unlinked) {
                return None;
            }
            let node = members.pointed(unlinked.node)?;
            let key = identity(self.program, node)?;
            if !self.holders.contains_key(&key) {
                let found = Holders::of(self.program, &key);
                self.holders.insert(key.clone(), found);
            }
            let holders = self.holders.get(&key)?;
            let filled = holders.all().find(|field| self.facts.filled_at(field).is_some())?;
            let walks = |field: &Field| holders.is_outside(field) && self.is_cursor(field);
            let sound = holders.is_one_container()
                && (unlinked.how != How::WhereFound || holders.is_one_way() && !found_in.iter().any(walks))
                && found_in.iter().all(|field| holders.all().any(|holder| holder == field));
            sound.then(|| self.unlinked_story(function, &members, &unlinked, filled)).flatten()
        })
    }

    /// Whether a member or variable only walks along what others hold: somewhere it is given the address of a part of something, or of a
    /// variable, which nobody can release.
    fn is_cursor(&self, field: &Field) -> bool {
        let is_whole = |body: &Body, value: ValueId| {
            let (base, offset) = body.address(value);
            offset == 0 && !matches!(body.constant(base), Some(Const::Global { .. }))
        };
        !self
            .program
            .defined()
            .all(|function| self.puts_only(function, field, &|_, body, _, value| is_whole(body, value)))
    }

    /// Where a body unlinks nodes.
    pub(super) fn unlinks(&self, body: &Body) -> Vec<Unlinked> {
        let mut found = Vec::new();
        for &inst in body.blocks.values().flat_map(|block| &block.insts) {
            match &body.insts[inst].op {
                Op::Store { addr, value, .. } => {
                    if let Some((node, how)) = replaced_by_its_link(body, *addr, *value) {
                        found.push(Unlinked { inst, node, by: None, how });
                    }
                }
                Op::Call(call) => {
                    let Some(callee) = direct_callee(body, call) else { continue };
                    let Some(summary) = &self.summaries[callee] else { continue };
                    let by = Some(self.program.functions[callee].name.to_string());
                    let nodes = call.args.iter().zip(0..).filter(|(_, number)| unlinks(summary, *number));
                    found.extend(nodes.map(|(&node, _)| Unlinked {
                        inst,
                        node,
                        by: by.clone(),
                        how: How::ByNeighbour,
                    }));
                }
                _ => {}
            }
        }
        found
    }

    /// Whether what is stored for a node leads to another node of its type.
    pub(super) fn is_by_link(&self, body: &Body, members: &Members<'_>, unlinked: &Unlinked) -> bool {
        let Op::Store { value, .. } = body.insts[unlinked.inst].op else { return true };
        members.pointed_record(value) == members.pointed_record(unlinked.node)
    }

    /// Whether nothing is done with a node by which somebody could have it or release it.
    fn is_dropped(&self, body: &Body, members: &Members<'_>, unlinked: &Unlinked) -> bool {
        let node = unlinked.node;
        let flow = Flow::new(body);
        let same = flow.same(names_of(body, unlinked), &|_| false);
        let fate = flow.fate(&same);
        // What is read again at the place where the node was found may be the node.
        let read = read_at_same_place(body, node);
        let again = flow.fate(&read);
        let taken = |fate: &Fate| fate.given.iter().any(|&(inst, number)| self.may_take(body, inst, number));
        // Where it was found behind another node, the same place of the next one is read again as well.
        let found_once = matches!(body.def_op(node), Some(Op::Load { .. }));
        if self.is_place_given(body, members, node) {
            return false;
        }
        !self.is_kept(body, members, &same)
            && !fate.returned
            && !taken(&fate)
            && !taken(&again)
            && !(found_once && (again.returned || self.is_kept(body, members, &read)))
    }

    /// Whether one of these values is stored somewhere, or becomes part or another name of something. To move on to a link of the
    /// node is neither.
    fn is_kept(&self, body: &Body, members: &Members<'_>, values: &[ValueId]) -> bool {
        let is_structure = |value: ValueId| {
            members.pointed(value).and_then(|pointed| identity(self.program, pointed)).is_some()
        };
        body.insts.values().any(|inst| match &inst.op {
            Op::Store { value, .. } => values.contains(value),
            Op::Phi { incoming } => {
                let other = |result: ValueId| {
                    !values.contains(&result)
                        && is_structure(result)
                        && !values.iter().any(|&value| is_only_read(body, result, value))
                };
                incoming.iter().any(|entry| values.contains(&entry.1)) && inst.result.is_some_and(other)
            }
            Op::Pack { .. }
            | Op::Unknown(_)
            | Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::Select { .. }
            | Op::Convert { .. } => {
                let mut used = false;
                inst.op.operands(|operand| used |= values.contains(&operand));
                used
            }
            _ => false,
        })
    }

    /// Whether a callee is given the address of the place where a node was found, and not that of a structure which begins
    /// there: it can do with the node what it likes.
    fn is_place_given(&self, body: &Body, members: &Members<'_>, node: ValueId) -> bool {
        let places = places_of(body, node);
        let of_structure =
            |arg: ValueId| members.pointed(arg).and_then(|pointed| identity(self.program, pointed)).is_some();
        body.insts.values().any(|inst| match &inst.op {
            Op::Call(call) => {
                call.args.iter().any(|&arg| places.contains(&place(body, arg)) && !of_structure(arg))
            }
            _ => false,
        })
    }

    fn unlinked_story(
        &self,
        function: FuncId,
        members: &Members<'_>,
        unlinked: &Unlinked,
        filled: &Field,
    ) -> Option<Story> {
        let body = self.program.functions[function].body.as_ref()?;
        let held_in = members.spelled(unlinked.node)?;
        let place = place_of(self.program, function, unlinked.inst);
        let (filler, fill) = self.facts.filled_at(filled)?;
        let filler = &self.program.functions[filler].name;
        let held = &*held_in;
        let taken = match &unlinked.by {
            Some(by) => Said::Unlinks { by, held },
            None => Said::Unlinked { held },
        };
        let made = Said::StoresNew { by: filler, member: &filled.name };
        let lost = Said::NeitherElsewhere { held };
        let steps = vec![
            Step::new(StepKind::Acquire, place.clone(), taken),
            Step::new(StepKind::Note, place_of(self.program, fill.0, fill.1), made),
            Step::new(StepKind::Lost, place.clone(), lost),
        ];
        let block = body.blocks.iter().find(|(_, block)| block.insts.contains(&unlinked.inst))?.0;
        let loops = Loops::new(&Cfg::new(body));
        let growth = if loops.depth(block) > 0 { Growth::EachIteration } else { Growth::EachCall };
        Some(self.taken_out(place, unlinked.by.clone(), held_in, growth, steps))
    }
}

/// The node to which a place led that gets the node's own link instead.
fn replaced_by_its_link(body: &Body, place: ValueId, value: ValueId) -> Option<(ValueId, How)> {
    let Some(Op::Load { addr: link, .. }) = body.def_op(value) else { return None };
    let (node, offset) = body.address(*link);
    let (holder, there) = body.address(place);
    // The place that the node was found in.
    let found_in = match body.def_op(node) {
        Some(Op::Load { addr, .. }) => body.address(*addr) == (holder, there),
        _ => false,
    };
    // The neighbour on the other side.
    let neighbour = match body.def_op(holder) {
        Some(Op::Load { addr, .. }) => {
            let (from, back) = body.address(*addr);
            // A neighbour, or, where links lead back to the address of a link (`*node->back = node->next`), that link.
            from == node && back != offset && (there == offset || there == 0)
        }
        _ => false,
    };
    let before = there == offset && is_one_behind(body, holder, node, offset);
    match (neighbour, found_in || before) {
        (true, _) => Some((node, How::ByNeighbour)),
        (_, true) => Some((node, How::WhereFound)),
        _ => None,
    }
}

/// Whether a variable is always the node before another: it gets that one's value in each turn of a loop in which that one moves
/// on along the link.
fn is_one_behind(body: &Body, behind: ValueId, node: ValueId, link: i64) -> bool {
    let (Some(Op::Phi { incoming: before }), Some(Op::Phi { incoming })) =
        (body.def_op(behind), body.def_op(node))
    else {
        return false;
    };
    let moves = |value: ValueId| match body.def_op(value) {
        Some(Op::Load { addr, .. }) => body.address(*addr) == (node, link),
        _ => false,
    };
    before.iter().any(|entry| entry.1 == node)
        && before.iter().all(|entry| entry.1 == node || body.bits(entry.1) == Some(0))
        && incoming.iter().any(|entry| moves(entry.1))
}

/// A node by its names: found behind a variable that is always one behind another, it is that other; found where a test says
/// that another address is there (`if (*at == gone)`), it is what has that address.
pub(super) fn names_of(body: &Body, unlinked: &Unlinked) -> Vec<ValueId> {
    let node = unlinked.node;
    let mut names = Ways::new(body).equals(body, unlinked.inst, &read_at_same_place(body, node));
    names.push(node);
    if let Some(Op::Load { addr, .. }) = body.def_op(node) {
        let (holder, link) = body.address(*addr);
        let results = body.insts.values().filter_map(|inst| inst.result);
        names.extend(results.filter(|&value| is_one_behind(body, holder, value, link)));
    }
    names
}

/// A place in memory: what it lies in, and where.
type Place = (Option<Const>, Option<ValueId>, i64);

fn place(body: &Body, addr: ValueId) -> Place {
    let (base, offset) = body.address(addr);
    (body.constant(base).cloned(), body.constant(base).is_none().then_some(base), offset)
}

fn read_at(body: &Body, value: ValueId) -> Option<Place> {
    match body.def_op(value) {
        Some(Op::Load { addr, .. }) => Some(place(body, *addr)),
        _ => None,
    }
}

/// The places where a node was found.
fn places_of(body: &Body, node: ValueId) -> Vec<Place> {
    let mut nodes = vec![node];
    if let Some(Op::Phi { incoming }) = body.def_op(node) {
        nodes.extend(incoming.iter().map(|entry| entry.1));
    }
    nodes.into_iter().filter_map(|node| read_at(body, node)).collect()
}

/// Whether a variable that gets the node in the next turn of a loop is only used to reach what it holds.
fn is_only_read(body: &Body, variable: ValueId, node: ValueId) -> bool {
    let Some(Op::Phi { incoming }) = body.def_op(variable) else { return false };
    incoming.iter().all(|entry| entry.1 == node || body.bits(entry.1) == Some(0))
        && body.insts.values().all(|inst| match &inst.op {
            Op::Load { .. } | Op::Offset { .. } | Op::Compare { .. } | Op::Name { .. } => true,
            Op::Store { value, .. } => *value != variable,
            op => {
                let mut used = false;
                op.operands(|operand| used |= operand == variable);
                !used
            }
        })
}

/// All values that are read where a node was found, itself among them.
fn read_at_same_place(body: &Body, node: ValueId) -> Vec<ValueId> {
    let places = places_of(body, node);
    let results = body.insts.values().filter_map(|inst| inst.result);
    results.filter(|&value| read_at(body, value).is_some_and(|place| places.contains(&place))).collect()
}

/// Whether a summary gives a neighbour of its argument the argument's own link.
fn unlinks(summary: &Summary, number: u32) -> bool {
    let own = Path::param(number);
    summary.effects().any(|effect| {
        let Effect::Store { place, value: Value::Entry { path, plus: 0 } } = effect else { return false };
        let (Some((&Cell::At(there), [Cell::At(back)])), [Cell::At(link)]) =
            (place.steps.split_last(), &path.steps[..])
        else {
            return false;
        };
        place.root == own.root && path.root == own.root && there == *link && back != link
    })
}

/// The members and variables in which a function has found a node, wherever it comes from. None if it may have been
/// given it, or has made it.
pub(super) fn found_in(body: &Body, members: &Members<'_>, node: ValueId) -> Option<Vec<Field>> {
    let mut open = vec![node];
    let mut seen: Vec<ValueId> = Vec::new();
    let mut found = Vec::new();
    while let Some(value) = open.pop() {
        if seen.contains(&value) {
            continue;
        }
        seen.push(value);
        match body.def_op(value) {
            Some(Op::Load { addr, .. }) => found.extend(places(body, members, *addr)?),
            Some(Op::Phi { incoming }) if seen.len() <= UNLINKED_MERGES => {
                open.extend(incoming.iter().map(|entry| entry.1));
            }
            _ if body.bits(value) == Some(0) => {}
            _ => return None,
        }
    }
    Some(found)
}

/// The members and variables that an address may be that of: one that moves along links is that of any of them.
fn places(body: &Body, members: &Members<'_>, addr: ValueId) -> Option<Vec<Field>> {
    if let Some(field) = members.cell(addr) {
        return Some(vec![field]);
    }
    let Some(Op::Phi { incoming }) = body.def_op(addr) else { return None };
    // A link at the start of a node has the address of the node.
    let goes_on = |value: ValueId| match body.def_op(value) {
        Some(Op::Load { addr: from, .. }) => *from == addr,
        _ => value == addr,
    };
    incoming.iter().filter(|entry| !goes_on(entry.1)).map(|entry| members.cell(entry.1)).collect()
}
