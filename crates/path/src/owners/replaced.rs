//! Members and variables that own something and are filled again.
//!
//! In: a function. Out: what it loses by putting something new into a member or variable that, as the program shows, may hold something by then. The function
//! need not look at what is there: that others release it before they fill it, or that it stays there until the structure ends, says that it may be there.

use super::Look;
use super::accesses::{Access, What, is_nothing, is_place};
use super::asked::Ways;
use super::cleared::same_address;
use super::derived::given;
use super::destroyed::{How, Lost};
use super::shape::Shape;
use super::sources::{cell, filled, sources};
use crate::facts::cells::base_of;
use crate::facts::places::place_of;
use crate::limits::{CALLS_ASKED, FILLING_CALLERS, SOURCES};
use rustc_hash::FxHashSet;
use std::rc::Rc;
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{BlockId, Body, Call, Cfg, CompareOp, Const, Def, FuncId, InstId, Loops, Op, ValueId};
use watertight_summary::{Effect, Path, Value};

/// A place in a function.
#[derive(Copy, Clone)]
pub(super) struct At {
    function: FuncId,
    block: BlockId,
    inst: InstId,
}

/// Where the structure with the member comes from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Home {
    /// The member is a variable, or one of a variable.
    Variable,
    /// An argument leads to it.
    Argument(u32),
    /// It was read somewhere.
    Found,
}

/// What a function puts into a structure first.
#[derive(Debug, Default)]
pub(super) struct Initialised {
    /// It clears or copies all of it, or fills most of it.
    whole: bool,
    /// Members that it clears.
    cleared: Vec<usize>,
}

impl Look<'_> {
    /// What a function loses by filling something again.
    pub(super) fn replaced(&self, function: FuncId) -> Vec<Lost> {
        let mut found: Vec<Lost> = Vec::new();
        let Some(body) = &self.known.program.functions[function].body else { return found };
        let accesses = self.accesses.in_function(function);
        let Some(shape) = self.known.shape(function) else { return found };
        let ways = &shape.ways;
        let mut lost: FxHashSet<usize> = FxHashSet::default();
        for access in accesses {
            let What::Store(value) = access.what else { continue };
            let field = access.field;
            let name = &self.accesses.fields[field];
            // Another element is filled each time.
            if name.is_each()
                || self.owned.filled_by(field).is_none()
                || body.constant(value).is_some()
                || lost.contains(&field)
                || self.accesses.opens(function, field)
            {
                continue;
            }
            let base = base_of(body, access.addr);
            let Some(home) = home(body, access.addr) else { continue };
            if self.is_made_here(function, base)
                || self.is_initialised_here(function, base, field)
                || self.is_link(function, base, field)
            {
                continue;
            }
            let stored = sources(self.known, function, value);
            if stored.new.is_none() || stored.foreign {
                continue;
            }
            let at = At { function, block: access.block, inst: access.inst };
            if self.is_found_empty(ways, function, field, at.block)
                || is_flagged(ways, body, access.block)
                || self.is_cared_for_before(&shape, body, field, at)
                || self.told.contains(&&place_of(self.known.program, function, access.inst))
                || self.is_excused(home, field, at, FILLING_CALLERS)
            {
                continue;
            }
            let again = self.is_replaced_elsewhere(field);
            let until_the_end = home != Home::Variable && self.care.ends_only(field);
            if !again && !until_the_end {
                continue;
            }
            // What is read somewhere may be new there, a structure of which nobody replaces anything may be filled once, as by a function that is
            // called through a pointer, and what others empty may be filled and emptied by turns.
            let sure = match home {
                Home::Found => false,
                Home::Variable => again,
                Home::Argument(_) => {
                    let called_by_pointer = self.known.graph.address_taken().contains(&function);
                    again || !called_by_pointer && self.is_sibling_replaced(field)
                }
            };
            lost.insert(field);
            found.push(Lost {
                inst: access.inst,
                owner: access.addr,
                fields: vec![name.clone()],
                how: How::Filled,
                replaces: sure
                    && !self.owned.is_vague(field)
                    && !self.care.is_emptied_elsewhere(function, field),
            });
        }
        found
    }

    /// Whether a function releases what a member holds and fills it again.
    fn is_replaced_elsewhere(&self, field: usize) -> bool {
        let known = self.replaced.borrow().get(&field).copied();
        known.unwrap_or_else(|| {
            let found = self.finds_replaced(field);
            self.replaced.borrow_mut().insert(field, found);
            found
        })
    }

    fn finds_replaced(&self, field: usize) -> bool {
        let mut accesses = self.accesses.of_field(field);
        accesses.any(|access| {
            let Some(body) = &self.known.program.functions[access.function].body else { return false };
            let at = At { function: access.function, block: access.block, inst: access.inst };
            match access.what {
                What::Load(_) => false,
                What::Store(value) => {
                    sources(self.known, access.function, value).new.is_some()
                        && self.is_released_before(body, field, at)
                }
                What::Given(number) => {
                    let held = cell(number, 0, self.accesses.fields[field].ty());
                    given(self.known, body, access.inst, &held).fate.released
                        && filled(self.known, access.function, body, access.inst, &held, SOURCES)
                            .new
                            .is_some()
                }
            }
        })
    }

    /// Whether a function releases what another member of the structure holds, which ends with it as well, and fills that again.
    fn is_sibling_replaced(&self, field: usize) -> bool {
        let own = &self.accesses.fields[field];
        let mut others = self.owned.all().filter(|&other| {
            let sibling = &self.accesses.fields[other];
            other != field && sibling.record().is_some() && sibling.is_beside(own)
        });
        others.any(|other| self.care.released_by(other).is_some() && self.is_replaced_elsewhere(other))
    }

    /// Whether a call gives something new for what it releases.
    fn moves(&self, body: &Body, inst: InstId) -> bool {
        let Op::Call(call) = &body.insts[inst].op else { return false };
        let summary = direct_callee(body, call).and_then(|callee| self.known.summary(callee));
        summary.is_some_and(|summary| summary.outcomes.iter().any(|outcome| !outcome.fresh.is_empty()))
    }

    /// Whether some path to a place releases what a member holds.
    fn is_released_before(&self, body: &Body, field: usize, at: At) -> bool {
        let Some(shape) = self.known.shape(at.function) else { return false };
        let Shape { ways, uses, .. } = &*shape;
        // What is moved to be made larger is not given up.
        let moves = |inst: InstId| self.moves(body, inst);
        self.earlier(ways, field, at).any(|look| match look.what {
            What::Load(held) => uses.fate(held, &moves).released,
            What::Given(number) => {
                let held = cell(number, 0, self.accesses.fields[field].ty());
                given(self.known, body, look.inst, &held).fate.released
            }
            What::Store(_) => false,
        }) || calls_one_before(&shape, at, |callee| {
            self.care.releases(callee, field) && !self.care.fills(callee, field)
        })
    }

    /// Whether some path to a place does something with what a member holds by which it may be taken care of.
    fn is_cared_for_before(&self, shape: &Shape<'_>, body: &Body, field: usize, at: At) -> bool {
        let Shape { ways, uses, .. } = shape;
        self.earlier(ways, field, at).any(|look| match look.what {
            What::Load(held) => uses.fate(held, &|_| false).is_cared_for(),
            What::Given(_) => true,
            What::Store(_) => false,
        }) || calls_one_before(shape, at, |callee| self.care.handles_within(callee, field))
            || self.is_first_given(ways, body, field, at)
    }

    /// Whether the address of a structure is given to somebody who does not take it for one: then it is that of its first member.
    fn is_first_given(&self, ways: &Ways<'_>, body: &Body, field: usize, at: At) -> bool {
        let Op::Store { addr, .. } = body.insts[at.inst].op else { return false };
        self.accesses.fields[field].offset == 0
            && calls_before(ways, body, at).any(|call| {
                let takes = |number: u32| {
                    let callee = direct_callee(body, call);
                    let shape = callee.and_then(|callee| self.known.shape(callee));
                    let members = shape.as_ref().and_then(|shape| shape.members.as_ref());
                    members.is_some_and(|members| !members.is_record(number))
                };
                call.args.iter().zip(0..).any(|(&argument, number)| argument == addr && takes(number))
            })
    }

    /// What is done with a member on paths to a place.
    fn earlier<'l>(&'l self, ways: &'l Ways<'_>, field: usize, at: At) -> impl Iterator<Item = &'l Access> {
        let all = self.accesses.of_field_in(at.function, field);
        all.filter(move |look| is_earlier(ways, (look.block, look.inst), at))
    }

    /// Whether the same structure is given to a function that fills the member on a path to a place, or there again and again.
    fn is_filled_before(&self, ways: &Ways<'_>, body: &Body, passed: ValueId, field: usize, at: At) -> bool {
        calls_before(ways, body, at).any(|call| {
            let fills = direct_callee(body, call).is_some_and(|callee| self.care.fills(callee, field));
            fills && call.args.contains(&passed)
        })
    }

    /// Whether a structure is given to a function that clears it, or the member, on a path to a place.
    fn is_emptied_before(&self, ways: &Ways<'_>, body: &Body, passed: ValueId, field: usize, at: At) -> bool {
        let known = &self.accesses.fields[field];
        calls_before(ways, body, at).any(|call| {
            let summary = direct_callee(body, call).and_then(|callee| self.known.summary(callee));
            let Some(summary) = summary else { return false };
            call.args.iter().zip(0..).filter(|(argument, _)| **argument == passed).any(|(_, number)| {
                let whole = Path::param(number);
                let member = cell(number, known.offset, known.ty());
                let mut effects = summary.effects();
                effects.any(|effect| match effect {
                    Effect::Zero { place, .. } => *place == whole || *place == member,
                    Effect::Store { place, value: Value::Number(..=0) } => *place == member,
                    _ => false,
                })
            })
        })
    }

    /// Whether a function gives a structure its first contents: it clears or copies all of it, or clears other members.
    fn is_initialised_here(&self, function: FuncId, base: ValueId, field: usize) -> bool {
        let known = self.initialised.borrow().get(&(function, base)).cloned();
        let initialised = known.unwrap_or_else(|| {
            let found = Rc::new(self.initialised_in(function, base));
            self.initialised.borrow_mut().insert((function, base), Rc::clone(&found));
            found
        });
        let beside = &self.accesses.fields[field];
        let is_another = |&other: &usize| other != field && self.accesses.fields[other].is_beside(beside);
        initialised.whole || initialised.cleared.iter().any(is_another)
    }

    fn initialised_in(&self, function: FuncId, base: ValueId) -> Initialised {
        let Some(body) = &self.known.program.functions[function].body else { return Initialised::default() };
        let whole = body.insts.values().any(|inst| match &inst.op {
            Op::MemFill { dst, .. } | Op::MemCopy { dst, .. } => is_same_home(body, *dst, base),
            _ => false,
        });
        let cleared = self.accesses.in_function(function).iter().filter(|access| match access.what {
            What::Store(value) => {
                is_nothing(body, value)
                    && self.accesses.fields[access.field].record().is_some()
                    && is_same_home(body, access.addr, base)
            }
            _ => false,
        });
        Initialised {
            whole: whole || self.fills_most(function, body, base),
            cleared: cleared.map(|access| access.field).collect(),
        }
    }

    /// Whether a function sets more than half of the members of a structure, and reads none.
    fn fills_most(&self, function: FuncId, body: &Body, base: ValueId) -> bool {
        let offset_of =
            |addr: ValueId| is_same_home(body, addr, base).then(|| offset_of(body, addr)).flatten();
        let mut set: FxHashSet<i64> = FxHashSet::default();
        for inst in body.insts.values() {
            match inst.op {
                Op::Load { addr, .. } if offset_of(addr).is_some_and(|offset| !set.contains(&offset)) => {
                    return false;
                }
                Op::Store { addr, .. } => set.extend(offset_of(addr)),
                _ => {}
            }
        }
        let shape = self.known.shape(function);
        let members = shape.as_ref().and_then(|shape| shape.members.as_ref());
        let members = members.map_or(0, |members| members.count(base));
        members > 0 && set.len() * 2 > members
    }

    /// Whether every call of a function is made where there can be nothing in a member yet, or no longer.
    fn is_excused(&self, home: Home, field: usize, at: At, depth: usize) -> bool {
        let program = self.known.program;
        let data = &program.functions[at.function];
        // What happens once in a process finds nothing.
        if home == Home::Variable && &*data.name == "main" {
            let in_loop = |body: &Body| Loops::new(&Cfg::new(body)).depth(at.block) > 0;
            return !data.body.as_ref().is_some_and(in_loop);
        }
        let sites = self.known.graph.call_sites(at.function);
        if sites.is_empty() || self.known.graph.address_taken().contains(&at.function) {
            return false;
        }
        // What is not known speaks for the program.
        if depth == 0 || sites.len() > CALLS_ASKED {
            return true;
        }
        // Once from main on, each of them called at one place, is once.
        sites.iter().all(|site| {
            let Some(caller) = &program.functions[site.caller].body else { return false };
            let Some(shape) = self.known.shape(site.caller) else { return false };
            let ways = &shape.ways;
            let there = At { function: site.caller, block: site.block, inst: site.inst };
            if self.is_found_empty(ways, site.caller, field, there.block)
                || self.is_cared_for_before(&shape, caller, field, there)
            {
                return true;
            }
            let passed = match home {
                Home::Variable => {
                    let repeated = Loops::new(&Cfg::new(caller)).depth(site.block) > 0;
                    return !repeated && sites.len() == 1 && self.is_excused(home, field, there, depth - 1);
                }
                Home::Found => return false,
                Home::Argument(number) => match &caller.insts[site.inst].op {
                    Op::Call(call) => call.args.get(number as usize).copied(),
                    _ => None,
                },
            };
            let Some(passed) = passed else { return false };
            let base = base_of(caller, passed);
            if self.is_emptied_before(ways, caller, passed, field, there) {
                return true;
            }
            if self.is_made_here(site.caller, base)
                || matches!(caller.def_op(base), Some(Op::Stack { .. }))
                || self.is_initialised_here(site.caller, base, field)
            {
                return !self.is_filled_before(ways, caller, passed, field, there);
            }
            match self::home(caller, passed) {
                Some(home @ Home::Argument(_)) => self.is_excused(home, field, there, depth - 1),
                Some(Home::Variable | Home::Found) => false,
                None => true,
            }
        })
    }
}

/// Whether a place is behind a test of a variable or member for a number, and another number is put there: it may say that there is nothing yet.
fn is_flagged(ways: &Ways<'_>, body: &Body, block: BlockId) -> bool {
    ways.tests_before(block).into_iter().any(|cond| {
        let Some(Op::Compare { op: CompareOp::Eq | CompareOp::Ne, lhs, rhs }) = body.def_op(cond) else {
            return false;
        };
        let tested = |value: ValueId, number: ValueId| {
            if body.constant(number).is_none() {
                return false;
            }
            let mut at = value;
            while let Some(Op::Convert { value, .. }) = body.def_op(at) {
                at = *value;
            }
            let Some(Op::Load { addr, .. }) = body.def_op(at) else { return false };
            let is_it = |other: ValueId| same_address(body, other, *addr, SOURCES);
            body.insts.values().any(|inst| match &inst.op {
                Op::Store { addr: set, .. } => is_it(*set),
                Op::Call(call) => is_place(body, *addr) && call.args.iter().any(|&argument| is_it(argument)),
                _ => false,
            })
        };
        tested(*lhs, *rhs) || tested(*rhs, *lhs)
    })
}

/// Whether an address lies in the structure that another one lies in, as far as the text of the function says.
fn is_same_home(body: &Body, addr: ValueId, other: ValueId) -> bool {
    let (one, other) = (base_of(body, addr), base_of(body, other));
    match (body.constant(one), body.constant(other)) {
        (Some(Const::Global { global, .. }), Some(Const::Global { global: also, .. })) => global == also,
        _ => one == other,
    }
}

/// The calls on paths to a place.
fn calls_before<'b>(ways: &'b Ways<'_>, body: &'b Body, at: At) -> impl Iterator<Item = &'b Call> {
    let insts =
        body.blocks.iter().flat_map(|(block, data)| data.insts.iter().map(move |&inst| (block, inst)));
    insts.filter_map(move |(block, inst)| match &body.insts[inst].op {
        Op::Call(call) if inst != at.inst && is_earlier(ways, (block, inst), at) => Some(&**call),
        _ => None,
    })
}

/// Whether a function of some kind is called by name on a path to a place.
fn calls_one_before(shape: &Shape<'_>, at: At, kind: impl Fn(FuncId) -> bool) -> bool {
    let earlier =
        |&(block, inst): &(BlockId, InstId)| inst != at.inst && is_earlier(&shape.ways, (block, inst), at);
    shape.callees.iter().any(|(&callee, calls)| calls.iter().any(earlier) && kind(callee))
}

/// How far from the start of its structure an address is. None for an element of an array.
fn offset_of(body: &Body, addr: ValueId) -> Option<i64> {
    let (base, offset) = body.address(addr);
    match (body.def_op(base), body.constant(base)) {
        (Some(Op::Index { .. }), _) => None,
        (_, Some(Const::Global { offset: inside, .. })) => Some(offset.wrapping_add(*inside)),
        _ => Some(offset),
    }
}

/// Whether a path leads from an instruction to a place.
fn is_earlier(ways: &Ways<'_>, (block, inst): (BlockId, InstId), at: At) -> bool {
    match block == at.block {
        true => ways.place(inst) < ways.place(at.inst) || ways.repeats(block),
        false => ways.reaches(block, at.block),
    }
}

/// Where a structure comes from that an address lies in. None if it is one of several, as the element of an array is.
fn home(body: &Body, addr: ValueId) -> Option<Home> {
    let mut base = addr;
    for _ in 0..SOURCES {
        match body.def_op(base) {
            Some(Op::Offset { base: inner, .. }) => base = *inner,
            Some(Op::Load { addr, .. }) => return home(body, *addr).map(|_| Home::Found),
            Some(_) => return None,
            None => {
                return match &body.values[base].def {
                    Def::Param(number) => Some(Home::Argument(*number)),
                    Def::Const(Const::Global { .. }) => Some(Home::Variable),
                    _ => None,
                };
            }
        }
    }
    None
}
