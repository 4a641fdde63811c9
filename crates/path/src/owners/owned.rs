//! Which members own what they hold.
//!
//! In: all accesses. Out: the members into which nothing is put but what is new, or comes from another member that owns, with the call that fills each. A variable
//! of the program that its initialiser fills holds something else as well. Where it is not known of everything where it comes from, somebody has to release
//! what the member holds, which nobody could do if it held anything else.

use super::Known;
use super::accesses::{Access, Accesses, What, is_nothing};
use super::chains::Chains;
use super::sources::{New, Sources};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use watertight_ir::InstId;

/// Members that own, by their numbers.
pub(super) struct Owned {
    filled: BTreeMap<usize, New>,
    /// Those of which it is not known of everything that is put there where it comes from.
    vague: BTreeSet<usize>,
}

impl Owned {
    pub(super) fn new(known: Known<'_>, accesses: &Accesses) -> Owned {
        let mut put: Vec<Option<Sources>> = (0..accesses.fields.len())
            .map(|field| {
                let sources = accesses.put_into(known, field);
                (!sources.foreign && !accesses.fields[field].is_initialised(known.program)).then_some(sources)
            })
            .collect();
        // What comes from a member that may hold anything may be anything.
        loop {
            let owns = |field: &crate::facts::types::Field| {
                accesses.number(field).is_none_or(|number| put[number].is_some())
            };
            let bad: Vec<usize> = (0..put.len())
                .filter(|&field| put[field].as_ref().is_some_and(|known| !known.moved.iter().all(owns)))
                .collect();
            if bad.is_empty() {
                break;
            }
            bad.into_iter().for_each(|field| put[field] = None);
        }
        let mut filled: BTreeMap<usize, New> = BTreeMap::new();
        loop {
            let before = filled.len();
            for (field, sources) in put.iter().enumerate() {
                let Some(sources) = sources else { continue };
                let from = |other: &crate::facts::types::Field| {
                    accesses.number(other).and_then(|number| filled.get(&number).copied())
                };
                let new = sources.new.or_else(|| sources.moved.iter().find_map(from));
                if let Some(new) = new {
                    filled.entry(field).or_insert(new);
                }
            }
            if filled.len() == before {
                break;
            }
        }
        let chains = Chains::new(known, accesses);
        filled.retain(|&field, _| !is_put_elsewhere(known, accesses, &chains, field));
        let is_vague = |field: &usize| put[*field].as_ref().is_none_or(|sources| sources.unknown);
        let vague = filled.keys().copied().filter(is_vague).collect();
        Owned { filled, vague }
    }

    /// The call that fills a member which owns.
    pub(super) fn filled_by(&self, field: usize) -> Option<New> {
        self.filled.get(&field).copied()
    }

    /// Whether something is put there of which it is not known where it comes from.
    pub(super) fn is_vague(&self, field: usize) -> bool {
        self.vague.contains(&field)
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = usize> + '_ {
        self.filled.keys().copied()
    }
}

/// Whether what is put into a member is put into another one, or given away, where it is put there.
fn is_put_elsewhere(known: Known<'_>, accesses: &Accesses, chains: &Chains, field: usize) -> bool {
    let Chains { heads, links: chained } = chains;
    accesses.of_field(field).any(|access| {
        let What::Store(value) = access.what else { return false };
        let Some(body) = &known.program.functions[access.function].body else { return false };
        if is_nothing(body, value) {
            return false;
        }
        let own = &accesses.fields[field];
        // A chain that begins in the member goes on through links, and may have its end in another one.
        let in_the_chain = |other: &Access| {
            other.field == field
                || heads.contains(&field) && {
                    let also = &accesses.fields[other.field];
                    chained.contains(&other.field) || also.is_beside(own) && !heads.contains(&other.field)
                }
        };
        let all: Vec<&Access> = match heads.contains(&field) {
            true => accesses.in_function(access.function).iter().collect(),
            false => accesses.of_field_in(access.function, field).collect(),
        };
        let stores: FxHashSet<InstId> = (all.into_iter())
            .filter(|other| matches!(other.what, What::Store(_)) && in_the_chain(other))
            .map(|other| other.inst)
            .collect();
        // What is done only where this is not done is done with something else.
        let Some(shape) = known.shape(access.function) else { return false };
        let ways = &shape.ways;
        let is_other_way = |inst: InstId| {
            ways.place(inst).is_some_and(|(block, _)| {
                !ways.reaches(block, access.block) && !ways.reaches(access.block, block)
            })
        };
        let fate = shape.uses.fate(value, &|inst| stores.contains(&inst) || is_other_way(inst));
        fate.taken
    })
}
