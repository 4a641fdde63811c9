//! Masks: which locations a pointer of a declared type can hold.
//!
//! A pointer to a record holds addresses of objects, or members, of that record, of what the program casts to it,
//! and of memory of unknown type. The same goes for pointers to bytes, numbers, pointers and functions. For each class there is a bit mask over all locations, so that taking over a
//! set costs the same whether it is filtered or not. Locations are entered in the masks when they come into being.

use crate::graph::{ClassId, Graph, NodeId};
use crate::layout::{Kind, Target, TypeRef};
use crate::object::{LocId, Origin};
use crate::set::Set;
use rustc_hash::{FxHashMap, FxHashSet};
use watertight_ir::{Id, Table};

/// Places that an address at no exact offset is taken to be; if there may be more, it stays at no exact offset.
const MOST_EXACT: usize = 4;

/// Of the locations that a class holds as others: those that it does not hold, those that it holds as they are.
#[derive(Clone, Debug, Default)]
struct Filter {
    dead: Vec<u64>,
    kept: Vec<u64>,
    /// Those that it holds in one form or the other.
    held: Vec<u64>,
}

/// The word of a mask.
fn at(mask: &[u64], key: u32) -> u64 {
    mask.get(key as usize).copied().unwrap_or(0)
}

/// Classes and their masks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Masks {
    by_kind: FxHashMap<Kind, ClassId>,
    pub(crate) kinds: Table<ClassId, Kind>,
    /// Locations of each class, as bits.
    masks: Table<ClassId, Vec<u64>>,
    /// A type of the class.
    pub(crate) types: Table<ClassId, Option<TypeRef>>,
    /// Storage that the program casts to each class.
    stores: Table<ClassId, Vec<u64>>,
    /// Locations that may be of any class.
    any: Vec<u64>,
    /// Those that are not in blocks of unknown type, and pointers to anything.
    loose: Vec<u64>,
    /// The outside world.
    world: Vec<u64>,
    /// The same, without those in blocks of unknown type, which pointers to records hold as records.
    settled: Vec<u64>,
    /// Locations in blocks of unknown type, and where views of them begin.
    seen: Vec<u64>,
    /// Locations at which neither bytes nor numbers begin.
    narrow: Vec<u64>,
    /// Locations at no exact offset of an object of known type, as bits.
    spread: Vec<u64>,
    /// What such a location is for a class.
    exact: FxHashMap<(LocId, ClassId), Vec<LocId>>,
    /// What a class holds for a location that it holds as others.
    held: FxHashMap<(LocId, ClassId), Box<[LocId]>>,
    /// What is known of that for each class.
    filters: Table<ClassId, Filter>,
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
        match self.kinds[class] {
            Kind::Record(_) => (&self.masks[class], &self.settled),
            Kind::Pointer(Target::Any) => (&self.masks[class], &self.any),
            Kind::Pointer(_) => (&self.masks[class], &self.loose),
            Kind::Function => (&self.masks[class], &self.world),
            _ => (&self.masks[class], &self.any),
        }
    }

    /// Whether a location is in the mask of a class.
    pub(crate) fn holds(&self, class: ClassId, location: LocId) -> bool {
        Masks::contains(&self.masks[class], location)
    }

    /// Whether a location is storage that the program casts to a class.
    pub(crate) fn stores(&self, class: ClassId, location: LocId) -> bool {
        Masks::contains(&self.stores[class], location)
    }

    fn contains(mask: &[u64], location: LocId) -> bool {
        let (word, bit) = (location.index() / 64, location.index() % 64);
        mask.get(word).is_some_and(|word| word >> bit & 1 != 0)
    }

    /// The class of a kind.
    pub(crate) fn class(&mut self, kind: Kind) -> ClassId {
        let Masks { by_kind, kinds, masks, types, stores, filters, takers, given, .. } = self;
        *by_kind.entry(kind).or_insert_with(|| {
            masks.push(Vec::new());
            stores.push(Vec::new());
            types.push(None);
            filters.push(Filter::default());
            takers.push(Vec::new());
            given.push(Vec::new());
            kinds.push(kind)
        })
    }

    /// The program casts one class to another, which then holds addresses of the first as well.
    /// Says whether that is new.
    pub(crate) fn relate(&mut self, from: ClassId, to: ClassId) -> bool {
        let new = from != to && self.related.insert((from, to));
        if new {
            self.takers[from].push(to);
            self.given[to].push(from);
        }
        new
    }

    /// The classes that the program casts a class to.
    pub(crate) fn takers(&self, class: ClassId) -> &[ClassId] {
        &self.takers[class]
    }

    /// Whether the program casts one kind to the other.
    pub(crate) fn are_related(&self, one: Kind, other: Kind) -> bool {
        match (self.by_kind.get(&one), self.by_kind.get(&other)) {
            (Some(&one), Some(&other)) => {
                self.related.contains(&(one, other)) || self.related.contains(&(other, one))
            }
            _ => false,
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
        let class = self.masks.class(kind);
        if self.masks.types[class].is_none() {
            self.masks.types[class] = match kind {
                Kind::Record(record) => Some(record),
                _ => pointee,
            };
        }
        Some(class)
    }

    /// Enters new locations in the masks.
    pub(crate) fn classify(&mut self) {
        while self.solving && self.masks.entered < self.memory.locations.len() {
            let id = LocId::new(self.masks.entered);
            self.masks.entered += 1;
            let location = self.memory.locations[id];
            let object = &self.memory.objects[location.object];
            if !object.has_cells() {
                self.hub.keep(id, matches!(object.origin, Origin::Function(_)));
            }
            if location.stride != 0 && object.ty.is_some() {
                Masks::enter(&mut self.masks.spread, id.index());
                continue;
            }
            if object.is_raw()
                || object.view.is_some() && location.offset == 0
                || self.memory.layouts.is_storage(object, location.offset)
            {
                Masks::enter(&mut self.masks.seen, id.index());
            }
            let Some(kinds) = self.memory.layouts.kinds_at(object, location.offset) else {
                Masks::enter(&mut self.masks.any, id.index());
                if object.origin == Origin::World {
                    Masks::enter(&mut self.masks.world, id.index());
                }
                if !object.is_raw() {
                    Masks::enter(&mut self.masks.settled, id.index());
                    Masks::enter(&mut self.masks.loose, id.index());
                }
                continue;
            };
            let storage = self.memory.layouts.is_storage(object, location.offset);
            // Pointers to bytes and numbers do not tell places in an object apart that hold neither.
            let plain = kinds.iter().any(|kind| kind.is_plain());
            if !plain && kinds != [Kind::Function] {
                Masks::enter(&mut self.masks.narrow, id.index());
            }
            for kind in kinds {
                let class = self.masks.class(kind);
                Masks::enter(&mut self.masks.masks[class], id.index());
                match kind {
                    Kind::Pointer(Target::Any) => Masks::enter(&mut self.masks.loose, id.index()),
                    Kind::Pointer(_) => {
                        let any = self.masks.class(Kind::Pointer(Target::Any));
                        Masks::enter(&mut self.masks.masks[any], id.index());
                    }
                    _ => {}
                }
                for taker in self.masks.takers[class].clone() {
                    // Storage is seen as what it is storage for.
                    let seen = storage && self.masks.kinds[taker].is_viewed();
                    if seen {
                        Masks::enter(&mut self.masks.stores[taker], id.index());
                    } else if kind.passes_for(self.masks.kinds[taker], storage) {
                        Masks::enter(&mut self.masks.masks[taker], id.index());
                    }
                }
            }
        }
    }

    /// A node of a class takes what it can hold of a set, which may be other locations than arrive. Says whether any was
    /// new.
    pub(crate) fn take_as(&mut self, node: NodeId, class: ClassId, arrived: &Set) -> bool {
        let plain = self.masks.kinds[class].is_plain();
        let masks = &self.masks;
        let (one, two) = masks.of(class);
        let filter = &masks.filters[class];
        let not: &[u64] = if plain { &masks.narrow } else { &[] };
        let wide = self.is_wide[node];
        let mut odd = std::mem::take(&mut self.odd);
        let mut words = std::mem::take(&mut self.words);
        for &(key, bits) in arrived.words() {
            let kept = at(&filter.kept, key);
            let held = at(one, key);
            let left = bits & ((held | at(two, key)) & !at(not, key) | kept);
            if left != 0 {
                words.push((key, left));
            }
            let strange =
                at(&masks.spread, key) | if plain { at(not, key) & held } else { at(&masks.seen, key) };
            let mut rest = bits & strange & !(kept | at(&filter.dead, key));
            // In the hub it does not matter in which form.
            if wide && rest & at(&filter.held, key) != 0 {
                let held = rest & at(&filter.held, key);
                match words.last_mut() {
                    Some(last) if last.0 == key => last.1 |= held,
                    _ => words.push((key, held)),
                }
                rest &= !held;
            }
            while rest != 0 {
                odd.push(LocId::new((key * 64 + rest.trailing_zeros()) as usize));
                rest &= rest - 1;
            }
        }
        let mut changed = match wide {
            true => self.take_wide(node, &words),
            false => self.sets[node].unite_words(&words),
        };
        for &location in &odd {
            changed |= self.take_odd(node, class, location);
        }
        words.clear();
        odd.clear();
        self.words = words;
        self.odd = odd;
        changed
    }

    /// The same for one location that a class holds as others.
    fn take_odd(&mut self, node: NodeId, class: ClassId, location: LocId) -> bool {
        if !self.masks.held.contains_key(&(location, class)) {
            let held = self.held_as(class, location);
            let filter = &mut self.masks.filters[class];
            match *held {
                [] => Masks::enter(&mut filter.dead, location.index()),
                [one] if one == location => Masks::enter(&mut filter.kept, location.index()),
                _ => {}
            }
            if !held.is_empty() {
                Masks::enter(&mut filter.held, location.index());
            }
            self.masks.held.insert((location, class), held);
        }
        let mut changed = false;
        if self.is_wide[node] {
            if !self.masks.held[&(location, class)].is_empty() {
                let at = location.index() as u32;
                changed = self.take_wide(node, &[(at / 64, 1 << (at % 64))]);
            }
            return changed;
        }
        for held in &*self.masks.held[&(location, class)] {
            changed |= self.sets[node].insert(held.index() as u32);
        }
        changed
    }

    /// The locations that a class holds for one of those that it does not simply hold or not: at no exact offset, or in
    /// a block of unknown type. Pointers to bytes and numbers hold places at which neither begins as anywhere in the
    /// object. Those at no exact offset are wherever in the object something of the class begins; bytes and numbers may be
    /// anywhere.
    fn held_as(&mut self, class: ClassId, location: LocId) -> Box<[LocId]> {
        let spread = Masks::contains(&self.masks.spread, location);
        if self.masks.kinds[class].is_plain() {
            return if spread {
                [location].into()
            } else {
                self.memory.anywhere(location).into_iter().collect()
            };
        }
        if !spread {
            return self.view(location, class).into_iter().collect();
        }
        let exact = self.exact(location, class);
        if exact.len() > MOST_EXACT { [location].into() } else { exact.into() }
    }

    /// The exact locations of a class that a location at no exact offset may be.
    pub(crate) fn exact(&mut self, location: LocId, class: ClassId) -> Vec<LocId> {
        if let Some(known) = self.masks.exact.get(&(location, class)) {
            return known.clone();
        }
        let object = self.memory.locations[location].object;
        let mut found = Vec::new();
        if let Some(ty) = self.memory.objects[object].ty {
            let own = self.masks.kinds[class];
            let given = self.masks.given[class].iter().map(|&given| self.masks.kinds[given]);
            let given = given.filter(|kind| kind.passes_for(own, false));
            let wanted: Vec<Kind> = given.collect();
            let wanted = |kind: Kind| own.is_like(kind) || wanted.contains(&kind);
            for offset in self.memory.layouts.places(ty, &wanted) {
                found.extend(self.memory.at(object, offset));
            }
        }
        found.sort_unstable();
        found.dedup();
        self.masks.exact.insert((location, class), found.clone());
        found
    }

    /// Whether an access at a location reaches that place only.
    pub(crate) fn is_one_place(&self, location: LocId) -> bool {
        let at = &self.memory.locations[location];
        at.stride == 0 || self.memory.objects[at.object].ty.is_none()
    }

    /// The places of addresses that an access at a location may reach.
    pub(crate) fn reached(&mut self, location: LocId) -> Vec<LocId> {
        if self.is_one_place(location) {
            return vec![location];
        }
        let class = self.masks.class(Kind::Pointer(Target::Any));
        self.exact(location, class)
    }
}
