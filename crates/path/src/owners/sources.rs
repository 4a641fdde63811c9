//! Where a value comes from that is put into a member.
//!
//! In: a function and one of its values. Out: whether it may be new, and by which call; which members it may have been read from; and
//! whether it may be anything else. Merges, local variables, parameters (at all calls in sight) and results are looked through.

use super::Known;
use super::accesses::{Accesses, is_nothing};
use super::shape::Shape;
use crate::facts::cells::base_of;
use crate::facts::types::Field;
use crate::limits::{CALLS_ASKED, SOURCES};
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{Body, Const, Def, FuncId, InstId, Op, Terminator, Type, ValueId};
use watertight_summary::{Effect, KindId, Outcome, Path, Root, Step, Summary, Value};

/// The call that acquires something, and what it acquires.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct New {
    pub(super) function: FuncId,
    pub(super) inst: InstId,
    pub(super) kind: KindId,
}

/// What a value may be, beside null.
#[derive(Clone, Default, Debug)]
pub(super) struct Sources {
    pub(super) new: Option<New>,
    /// Members it may have been read from.
    pub(super) moved: Vec<Field>,
    /// It may be something that nobody acquired: a constant, the address of a variable, or what another member still holds.
    pub(super) foreign: bool,
    /// It may be anything.
    pub(super) unknown: bool,
}

impl Sources {
    fn foreign() -> Sources {
        Sources { foreign: true, ..Sources::default() }
    }

    fn unknown() -> Sources {
        Sources { unknown: true, ..Sources::default() }
    }

    pub(super) fn join(&mut self, more: Sources) {
        self.new = self.new.or(more.new);
        self.foreign |= more.foreign;
        self.unknown |= more.unknown;
        for field in more.moved {
            if !self.moved.contains(&field) {
                self.moved.push(field);
            }
        }
    }
}

/// Where a value of a function comes from.
pub(super) fn sources(known: Known<'_>, function: FuncId, value: ValueId) -> Sources {
    within(known, function, value, SOURCES)
}

fn within(known: Known<'_>, function: FuncId, value: ValueId, depth: u32) -> Sources {
    let Some(body) = &known.program.functions[function].body else { return Sources::unknown() };
    if depth == 0 {
        return Sources::unknown();
    }
    let again = |other: ValueId| within(known, function, other, depth - 1);
    let inst = match &body.values[value].def {
        Def::Const(Const::Undef) => return Sources::default(),
        Def::Const(_) if is_nothing(body, value) => return Sources::default(),
        Def::Const(_) => return Sources::foreign(),
        Def::Param(number) => return passed(known, function, *number, depth - 1),
        Def::Inst(inst) => *inst,
    };
    let all = |values: &mut dyn Iterator<Item = ValueId>| {
        let mut found = Sources::default();
        values.filter(|&other| other != value).for_each(|other| found.join(again(other)));
        found
    };
    match &body.insts[inst].op {
        Op::Convert { value, .. } => again(*value),
        Op::Phi { incoming } => all(&mut incoming.iter().map(|&(_, other)| other)),
        Op::Select { then, other, .. } => all(&mut [*then, *other].into_iter()),
        Op::Call(call) => match direct_callee(body, call).and_then(|callee| known.summary(callee)) {
            Some(summary) => result_of(known, function, body, inst, summary, depth),
            None => Sources::unknown(),
        },
        Op::Load { addr, .. } => {
            let shape = known.shape(function);
            let members = shape.as_ref().and_then(|shape| shape.members.as_ref());
            let field = members.and_then(|members| match body.ty(value) {
                Type::Ptr => members.cell(*addr),
                _ => members.number(*addr),
            });
            match (field, &shape) {
                (Some(field), Some(shape)) if is_moved(body, shape, inst, *addr, &field) => {
                    Sources { moved: vec![field], ..Sources::default() }
                }
                (Some(_), _) => Sources::foreign(),
                _ => variable(known, function, body, (*addr, body.ty(value)), depth),
            }
        }
        Op::Stack { .. } | Op::Offset { .. } | Op::Index { .. } => Sources::foreign(),
        _ => Sources::unknown(),
    }
}

/// Whether what is read from a member leaves it: something else is put there afterwards, or the structure that it is read from is itself found in a
/// member which gets what is read, as the next one of a chain.
fn is_moved(body: &Body, shape: &Shape<'_>, load: InstId, addr: ValueId, field: &Field) -> bool {
    let (ways, Some(members)) = (&shape.ways, &shape.members) else { return false };
    let found_in = match body.def_op(base_of(body, addr)) {
        Some(Op::Load { addr, .. }) => members.cell(*addr),
        _ => None,
    };
    let Some((from, read_at)) = ways.place(load) else { return false };
    let place = |addr: ValueId| if field.is_number() { members.number(addr) } else { members.cell(addr) };
    body.blocks.iter().any(|(block, data)| {
        data.insts.iter().enumerate().any(|(at, &inst)| {
            let Op::Store { addr, value, .. } = body.insts[inst].op else { return false };
            // To put the same into another structure of the type leaves it where it was.
            let replaced = Some(value) != body.insts[load].result;
            let later = if block == from { at > read_at } else { ways.comes_before(from, block) };
            later
                && (replaced && place(addr).as_ref() == Some(field)
                    || found_in.is_some() && members.cell(addr) == found_in)
        })
    })
}

/// What all calls pass for a parameter.
fn passed(known: Known<'_>, function: FuncId, number: u32, depth: u32) -> Sources {
    let sites = known.graph.call_sites(function);
    // What comes from outside may stay there.
    if sites.is_empty() || known.graph.address_taken().contains(&function) {
        return Sources::foreign();
    }
    if depth == 0 || sites.len() > CALLS_ASKED {
        return Sources::unknown();
    }
    let mut found = Sources::default();
    for site in sites {
        let body = known.program.functions[site.caller].body.as_ref();
        let call = body.and_then(|body| match &body.insts[site.inst].op {
            Op::Call(call) => Some((body, *call.args.get(number as usize)?)),
            _ => None,
        });
        let Some((body, value)) = call else { return Sources::unknown() };
        found.join(within(known, site.caller, value, depth));
        // Who releases or keeps what it has passed has only lent it, unless the call has failed.
        let lent = || {
            known.shape(site.caller).is_some_and(|shape| {
                let failed = |block| {
                    let result = body.insts[site.inst].result;
                    result.is_some_and(|result| shape.ways.is_nothing(result, block))
                };
                let made = match body.values[value].def {
                    Def::Inst(inst) => shape.ways.place(inst).map(|place| place.0),
                    _ => None,
                };
                let apart = |inst: InstId| {
                    inst == site.inst
                        || shape.ways.place(inst).is_some_and(|(block, _)| {
                            failed(block) || !shape.ways.follows(inst, site.inst, made)
                        })
                };
                shape.uses.fate(value, &apart).is_cared_for()
            })
        };
        found.foreign = found.foreign || body.constant(value).is_none() && lent();
        if found.foreign {
            break;
        }
    }
    found
}

/// What a call gives.
fn result_of(
    known: Known<'_>,
    function: FuncId,
    body: &Body,
    inst: InstId,
    summary: &Summary,
    depth: u32,
) -> Sources {
    let mut found = Sources::default();
    for outcome in &summary.outcomes {
        found.join(value_of(known, function, body, inst, outcome, &outcome.result, depth));
    }
    found
}

/// What a value of an outcome of a call is.
fn value_of(
    known: Known<'_>,
    function: FuncId,
    body: &Body,
    inst: InstId,
    outcome: &Outcome,
    value: &Value,
    depth: u32,
) -> Sources {
    match value {
        Value::Number(..=0) => Sources::default(),
        Value::Fresh { index, .. } => {
            let same = |value: &Value| matches!(value, Value::Fresh { index: other, .. } if other == index);
            // What a callee has put elsewhere as well is held there.
            let elsewhere = outcome.effects.iter().any(|effect| match effect {
                Effect::Store { place, value: other } => {
                    !matches!(place.root, Root::Fresh(_)) && !std::ptr::eq(other, value) && same(other)
                }
                _ => false,
            });
            if elsewhere {
                return Sources::foreign();
            }
            let new = outcome.fresh.get(*index as usize).map(|made| New { function, inst, kind: made.kind });
            Sources { new, unknown: new.is_none(), ..Sources::default() }
        }
        Value::Entry { path: Path { root: Root::Param(number), steps }, .. } if steps.is_empty() => {
            match &body.insts[inst].op {
                Op::Call(call) => call
                    .args
                    .get(*number as usize)
                    .map_or(Sources::unknown(), |&given| within(known, function, given, depth - 1)),
                _ => Sources::unknown(),
            }
        }
        _ => Sources::unknown(),
    }
}

/// What a local variable or a part of one holds, also where calls that are given its address fill it.
fn variable(
    known: Known<'_>,
    function: FuncId,
    body: &Body,
    (addr, ty): (ValueId, Type),
    depth: u32,
) -> Sources {
    let (home, offset) = body.address(addr);
    if !matches!(body.def_op(home), Some(Op::Stack { count: None, .. })) {
        return Sources::unknown();
    }
    let mut found = Sources::default();
    for &inst in body.blocks.values().flat_map(|block| &block.insts) {
        let op = &body.insts[inst].op;
        let inside = |value: ValueId| {
            let (base, at) = body.address(value);
            (base == home).then_some(offset.wrapping_sub(at))
        };
        let mut uses = false;
        op.operands(|value| uses |= inside(value).is_some());
        if !uses {
            continue;
        }
        match op {
            Op::Load { .. } | Op::Name { .. } | Op::Offset { .. } => {}
            Op::Store { addr, value, .. } if inside(*value).is_none() => {
                if inside(*addr) == Some(0) {
                    found.join(within(known, function, *value, depth - 1));
                }
            }
            Op::Call(call) => {
                for (&argument, number) in call.args.iter().zip(0..) {
                    if let Some(at) = inside(argument) {
                        let cell = cell(number, at, ty);
                        found.join(filled(known, function, body, inst, &cell, depth));
                    }
                }
            }
            _ => return Sources::unknown(),
        }
        if found.foreign {
            break;
        }
    }
    found
}

/// The cell for a value of this type that is so many bytes from the address of an argument.
pub(super) fn cell(number: u32, at: i64, ty: Type) -> Path {
    let bytes = match ty {
        Type::Int(bits) => bits / 8,
        _ => return Path::param(number).at(at),
    };
    Path::param(number).then(Step::Number { offset: at, bytes })
}

/// What a call puts into a cell that an argument leads to.
pub(super) fn filled(
    known: Known<'_>,
    function: FuncId,
    body: &Body,
    inst: InstId,
    cell: &Path,
    depth: u32,
) -> Sources {
    let (Op::Call(call), Root::Param(number)) = (&body.insts[inst].op, cell.root) else {
        return Sources::unknown();
    };
    let Some(callee) = direct_callee(body, call) else { return Sources::unknown() };
    let Some(summary) = known.summary(callee) else {
        // A body that was not looked at touches no resource, but may write there.
        return Sources::unknown();
    };
    let is_first = matches!(cell.steps[..], [Step::At(0) | Step::Number { offset: 0, .. }]);
    let mut found = Sources::default();
    for outcome in &summary.outcomes {
        for effect in &outcome.effects {
            match effect {
                Effect::Store { place, value } if place == cell => {
                    let unchanged = matches!(value, Value::Entry { path, plus: 0 } if path == cell);
                    if !unchanged {
                        found.join(value_of(known, function, body, inst, outcome, value, depth));
                    }
                }
                Effect::Clobber { place } if place == cell || *place == Path::param(number) => {
                    found.unknown = true;
                }
                Effect::Copy { to, .. } => found.unknown |= *to == Path::param(number),
                _ => {}
            }
        }
    }
    // What a summary cannot say the body does.
    let body =
        known.program.functions[callee].body.as_ref().filter(|_| found.unknown && is_first && depth > 0);
    let Some(cell) = body.and_then(|body| Cell::of(body, number)) else { return found };
    let mut put = Sources::default();
    cell.puts.iter().for_each(|&value| put.join(within(known, callee, value, depth - 1)));
    put
}

/// What a function does with the cell whose address it is given, if it does nothing else with the address.
pub(super) struct Cell {
    pub(super) reads: Vec<ValueId>,
    pub(super) puts: Vec<ValueId>,
}

impl Cell {
    pub(super) fn of(body: &Body, number: u32) -> Option<Cell> {
        let mut cell = Cell { reads: Vec::new(), puts: Vec::new() };
        let is_it = |value: ValueId| matches!(body.values[value].def, Def::Param(other) if other == number);
        for inst in body.insts.values() {
            match &inst.op {
                Op::Load { addr, .. } if is_it(*addr) => cell.reads.extend(inst.result),
                Op::Store { addr, value, .. } if is_it(*addr) && !is_it(*value) => cell.puts.push(*value),
                Op::Name { .. } | Op::Compare { .. } => {}
                op => {
                    let mut used = false;
                    op.operands(|value| used |= is_it(value));
                    if used {
                        return None;
                    }
                }
            }
        }
        let returned = |term: &Terminator| matches!(term, Terminator::Return(Some(value)) if is_it(*value));
        let goes_on = body.blocks.values().any(|block| returned(&block.term));
        (!goes_on).then_some(cell)
    }
}

impl Accesses {
    /// Everything that is ever put into a member.
    pub(super) fn put_into(&self, known: Known<'_>, field: usize) -> Sources {
        use super::accesses::What;
        let mut found = Sources::default();
        for access in self.of_field(field) {
            let Some(body) = &known.program.functions[access.function].body else { continue };
            match access.what {
                What::Load(_) => {}
                What::Store(value) => found.join(sources(known, access.function, value)),
                What::Given(number) => {
                    let cell = cell(number, 0, self.fields[field].ty());
                    found.join(filled(known, access.function, body, access.inst, &cell, SOURCES));
                }
            }
            if found.foreign {
                break;
            }
        }
        found
    }
}
