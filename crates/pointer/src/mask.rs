//! Masks: which locations a pointer of a declared type can hold.
//!
//! A pointer to a record holds addresses of objects, or members, of that record, of what the program casts to it,
//! and of memory of unknown type. The same goes for pointers to bytes, numbers, pointers and functions. For each class there is a bit mask over all locations, so that taking over a
//! set costs the same whether it is filtered or not. Locations are entered in the masks when they come into being.

use crate::graph::{ClassId, Graph, NodeId};
use crate::layout::{Kind, TypeRef};
use crate::object::LocId;
use crate::set::Set;
use rustc_hash::{FxHashMap, FxHashSet};
use watertight_ir::{Id, Table};

/// Classes and their masks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Masks {
    by_kind: FxHashMap<Kind, ClassId>,
    pub(crate) kinds: Table<ClassId, Kind>,
    /// Locations of each class, as bits.
    masks: Table<ClassId, Vec<u64>>,
    /// Locations that may be of any class.
    any: Vec<u64>,
    /// Locations at no exact offset of an object of known type, as bits.
    spread: Vec<u64>,
    /// What such a location is for a class.
    exact: FxHashMap<(LocId, ClassId), Vec<LocId>>,
    /// Classes that the program casts each class to.
    takers: Table<ClassId, Vec<ClassId>>,
    /// Classes that the program casts to each class.
    given: Table<ClassId, Vec<ClassId>>,
    related: FxHashSet<(ClassId, ClassId)>,
    /// How many locations are in the masks.
    entered: usize,
}

impl Masks {
    /// The masks for a class.
    pub(crate) fn of(&self, class: ClassId) -> (&[u64], &[u64]) {
        (&self.masks[class], &self.any)
    }

    /// The class of a kind.
    pub(crate) fn class(&mut self, kind: Kind) -> ClassId {
        let Masks { by_kind, kinds, masks, takers, given, .. } = self;
        *by_kind.entry(kind).or_insert_with(|| {
            masks.push(Vec::new());
            takers.push(Vec::new());
            given.push(Vec::new());
            kinds.push(kind)
        })
    }

    /// The program casts one class to another, which then holds addresses of the first as well.
    pub(crate) fn relate(&mut self, from: ClassId, to: ClassId) {
        if from != to && self.related.insert((from, to)) {
            self.takers[from].push(to);
            self.given[to].push(from);
        }
    }

    fn enter(mask: &mut Vec<u64>, location: usize) {
        let word = location / 64;
        if mask.len() <= word {
            mask.resize(word + 1, 0);
        }
        mask[word] |= 1 << (location % 64);
    }
}

impl Graph<'_> {
    /// The class of pointers to a type, if it is known.
    pub(crate) fn class(&mut self, pointee: Option<TypeRef>) -> Option<ClassId> {
        let kind = self.memory.layouts.kind(pointee?)?;
        Some(self.masks.class(kind))
    }

    /// Enters new locations in the masks.
    pub(crate) fn classify(&mut self) {
        while self.solving && self.masks.entered < self.memory.locations.len() {
            let id = LocId::new(self.masks.entered);
            self.masks.entered += 1;
            let location = self.memory.locations[id];
            let object = &self.memory.objects[location.object];
            if location.stride != 0 && object.ty.is_some() {
                Masks::enter(&mut self.masks.spread, id.index());
                continue;
            }
            let Some(kinds) = self.memory.layouts.kinds_at(object, location.offset) else {
                Masks::enter(&mut self.masks.any, id.index());
                continue;
            };
            for kind in kinds {
                let class = self.masks.class(kind);
                Masks::enter(&mut self.masks.masks[class], id.index());
                for taker in self.masks.takers[class].clone() {
                    Masks::enter(&mut self.masks.masks[taker], id.index());
                }
            }
        }
    }

    /// A node of a class takes locations that are at no exact offset: they are wherever in the object something of
    /// the class begins. Bytes and numbers may be anywhere.
    pub(crate) fn take_spread(&mut self, node: NodeId, class: ClassId, arrived: &Set) -> bool {
        let mut changed = false;
        for location in arrived.masked(&self.masks.spread).iter() {
            let id = LocId::new(location as usize);
            if matches!(self.masks.kinds[class], Kind::Bytes | Kind::Number) {
                changed |= self.sets[node].insert(location);
                continue;
            }
            for exact in self.exact(id, class) {
                changed |= self.sets[node].insert(exact.index() as u32);
            }
        }
        changed
    }

    /// The exact locations of a class that a location at no exact offset may be.
    pub(crate) fn exact(&mut self, location: LocId, class: ClassId) -> Vec<LocId> {
        if let Some(known) = self.masks.exact.get(&(location, class)) {
            return known.clone();
        }
        let object = self.memory.locations[location].object;
        let mut found = Vec::new();
        if let Some(ty) = self.memory.objects[object].ty {
            let given = self.masks.given[class].iter().map(|&given| self.masks.kinds[given]);
            let wanted: Vec<Kind> = given.chain([self.masks.kinds[class]]).collect();
            for offset in self.memory.layouts.places(ty, &wanted) {
                found.extend(self.memory.at(object, offset));
            }
        }
        found.sort_unstable();
        found.dedup();
        self.masks.exact.insert((location, class), found.clone());
        found
    }

    /// The places of addresses that an access at a location may reach.
    pub(crate) fn reached(&mut self, location: LocId) -> Vec<LocId> {
        let at = self.memory.locations[location];
        if at.stride == 0 || self.memory.objects[at.object].ty.is_none() {
            return vec![location];
        }
        let class = self.masks.class(Kind::Pointer);
        self.exact(location, class)
    }
}
