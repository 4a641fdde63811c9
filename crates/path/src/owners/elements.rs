//! Arrays of addresses that are released without what their elements hold.
//!
//! In: all accesses. Out: for each function and member, whether it releases the array that the member holds, and whether it does anything with the
//! elements. A function of the program that releases each element and the array shows that the elements are the array's: whoever releases the array and
//! leaves the elements alone has lost them (ASSUME-42). So do the elements themselves, where nothing but new things are ever put there and nobody else has them.

use super::accesses::{Access, Accesses, What};
use super::derived::{Uses, given};
use super::destroyed::{How, Lost};
use super::{Known, Look};
use crate::facts::cells::base_of;
use crate::facts::types::Members;
use crate::limits::MOST_DERIVED;
use std::collections::BTreeMap;
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{Body, FuncId, InstId, Op, Type, ValueId};
use watertight_summary::{Effect, Path, Root};

/// What a function does with an array that a member holds.
#[derive(Clone, Default, Debug)]
struct Treated {
    /// The call that releases the array.
    array: Option<(InstId, ValueId)>,
    /// A call releases what elements hold.
    elements: bool,
    /// Something else is done with elements, or somebody has the array.
    touched: bool,
}

/// What functions do with arrays, by function and by the number of the member.
pub(super) struct Arrays {
    treated: BTreeMap<(FuncId, usize), Treated>,
    /// A function that releases both the elements and the array, for each member.
    emptied: BTreeMap<usize, FuncId>,
}

impl Arrays {
    pub(super) fn new(known: Known<'_>, accesses: &Accesses) -> Arrays {
        let mut arrays = Arrays { treated: BTreeMap::new(), emptied: BTreeMap::new() };
        for function in known.program.defined() {
            let Some(body) = &known.program.functions[function].body else { continue };
            let (mut uses, mut members) = (None, None);
            for access in accesses.in_function(function) {
                let What::Load(held) = access.what else { continue };
                let members = members.get_or_insert_with(|| Members::new(known.program, function));
                if !members.as_ref().is_some_and(|members| members.points_to_addresses(held)) {
                    continue;
                }
                let uses = uses.get_or_insert_with(|| Uses::new(known, function, body));
                let entry = arrays.treated.entry((function, access.field)).or_default();
                treat(known, uses, held, entry);
            }
        }
        for (&(function, field), treated) in &arrays.treated {
            if treated.elements && treated.array.is_some() {
                arrays.emptied.entry(field).or_insert(function);
            }
        }
        arrays
    }

    /// A function that releases the elements of the array that a member holds, and the array.
    pub(super) fn emptied_by(&self, field: usize) -> Option<FuncId> {
        self.emptied.get(&field).copied()
    }

    /// Whether a function does something with the elements.
    fn touches(&self, function: FuncId, field: usize) -> bool {
        self.treated.get(&(function, field)).is_some_and(|treated| treated.elements || treated.touched)
    }
}

/// Adds what becomes of an array and of its elements.
fn treat(known: Known<'_>, uses: &Uses<'_>, held: ValueId, treated: &mut Treated) {
    let body = uses.body;
    let mut places = vec![held];
    let mut next = 0;
    while next < places.len() {
        let place = places[next];
        next += 1;
        for &inst in uses.of(place) {
            let data = &body.insts[inst];
            match &data.op {
                Op::Offset { .. } | Op::Phi { .. } | Op::Convert { .. } => {
                    places.extend(data.result.filter(|result| !places.contains(result)));
                }
                Op::Index { base, .. } if *base == place => {
                    places.extend(data.result.filter(|result| !places.contains(result)));
                }
                Op::Load { .. } => {
                    let element = data.result.filter(|&result| body.ty(result) == Type::Ptr);
                    let Some(element) = element else { continue };
                    let fate = uses.fate(element, &|_| false);
                    treated.elements |= fate.released;
                    treated.touched |= fate.taken;
                }
                Op::Call(call) => {
                    for (_, number) in call.args.iter().zip(0..).filter(|(argument, _)| **argument == place) {
                        given_to(known, body, inst, number, place, held, treated);
                    }
                }
                Op::Store { value, .. } => treated.touched |= *value == place,
                Op::Compare { .. } | Op::Name { .. } => {}
                _ => treated.touched = true,
            }
        }
        if places.len() > MOST_DERIVED {
            treated.touched = true;
            return;
        }
    }
}

/// Adds what a call does with an array that it is given.
fn given_to(
    known: Known<'_>,
    body: &Body,
    inst: InstId,
    number: u32,
    place: ValueId,
    held: ValueId,
    treated: &mut Treated,
) {
    let Op::Call(call) = &body.insts[inst].op else { return };
    let summary = direct_callee(body, call).and_then(|callee| known.summary(callee));
    let fate = given(known, body, inst, &Path::param(number)).fate;
    treated.touched |= fate.taken;
    let Some(summary) = summary else { return };
    // What is released to be made larger stays an array with the same elements.
    let moves = summary.outcomes.iter().any(|outcome| !outcome.fresh.is_empty());
    treated.touched |= moves;
    if fate.released && place == held && !moves {
        treated.array.get_or_insert((inst, place));
    }
    for effect in summary.effects() {
        let inside = |path: &Path| path.root == Root::Param(number) && !path.steps.is_empty();
        match effect {
            Effect::Release { value, .. } => treated.elements |= inside(value),
            Effect::Keep { value, .. } => treated.touched |= inside(value),
            Effect::Copy { from, .. } => treated.touched |= from.root == Root::Param(number),
            _ => {}
        }
    }
}

impl Look<'_> {
    /// Whether everything that is ever put into an array which a member holds is new, nobody else has it, and nobody else empties single elements.
    fn owns_elements(&self, function: FuncId, field: usize) -> bool {
        let each = self.accesses.fields[field].each_of().and_then(|each| self.accesses.number(&each));
        each.is_some_and(|each| {
            self.owned.filled_by(each).is_some()
                && !self.owned.is_vague(each)
                && self.care.is_holder(each)
                && !self.care.is_emptied_elsewhere(function, each)
        })
    }

    /// Whether a function does something with the elements of the array that a member is or holds by which they may be taken care of.
    pub(super) fn walks(&self, function: FuncId, field: usize) -> bool {
        let each = &self.accesses.fields[field];
        let array = self.accesses.fields.iter().position(|field| field.each_of().as_ref() == Some(each));
        each.is_each()
            && array.is_some_and(|array| {
                self.care.is_done_nearby(function, &|other| self.arrays.touches(other, array))
            })
    }

    /// The arrays that a function releases without their elements.
    pub(super) fn arrays(&self, function: FuncId) -> Vec<Lost> {
        let mut found: Vec<Lost> = Vec::new();
        let Some(body) = &self.known.program.functions[function].body else { return found };
        let accesses: &[Access] = self.accesses.in_function(function);
        for access in accesses {
            let (What::Load(held), field) = (access.what, access.field) else { continue };
            let Some(treated) = self.arrays.treated.get(&(function, field)) else { continue };
            let Some((inst, array)) = treated.array else { continue };
            let name = &self.accesses.fields[field];
            if array != held
                || treated.elements
                || treated.touched
                || self.arrays.emptied_by(field).is_none() && !self.owns_elements(function, field)
                || found.iter().any(|lost| lost.fields.contains(name))
                || self.accesses.opens(function, field)
                || self.is_made_here(function, base_of(body, access.addr))
                || self.care.is_done_nearby(function, &|other| self.arrays.touches(other, field))
                || self.is_told(function, inst)
            {
                continue;
            }
            found.push(Lost {
                inst,
                owner: held,
                fields: vec![name.clone()],
                how: How::Elements,
                replaces: false,
            });
        }
        found
    }
}
