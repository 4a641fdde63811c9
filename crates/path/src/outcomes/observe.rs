//! What a caller can observe of an evaluated function, each with the guard under which it happens.
//!
//! In: the state at the exits. Out: a list of [`Observed`], the ones that decide who owns what first: releases,
//! addresses that are returned or stored, what is kept. Numbers come last, because they only help the caller to
//! tell outcomes apart.

use crate::exits::lost::Exits;
use crate::exits::owners::{Owners, owners};
use crate::limits::{
    LONGEST_PLACE, MOST_CELLS, MOST_FRESH, MOST_HANDED_BACK, MOST_KEPT_STEPS, MOST_TOLD, MOST_TOLD_IN_BRIEF,
    OBSERVED_ADDRESSES, OBSERVED_NUMBERS,
};
use crate::machine::cells::{Cell, WIDTH};
use crate::machine::journal::Deferred;
use crate::machine::memory::{Link, ObjectId, Origin};
use crate::machine::provenance::Provenance;
use crate::machine::state::{Detail, State};
use crate::machine::value::{Leaf, Leaves, Offset, Sym};
use crate::outcomes::bits::bits_of;
use crate::outcomes::first_turns::kept_in_first_turn;
use watertight_ir::Type;
use watertight_logic::guard::Guard;
use watertight_logic::term::TermId;
use watertight_summary::property::Property;
use watertight_summary::{KindId, Path, Root, Step};

/// Something a caller can observe.
#[derive(Clone, Debug)]
pub enum Observation {
    Result(Leaf),
    /// A part of a struct that is returned by value.
    Part {
        index: usize,
        leaf: Leaf,
        ty: Type,
    },
    Store {
        place: Path,
        leaf: Leaf,
        ty: Type,
    },
    Release {
        path: Path,
        kind: KindId,
        object: ObjectId,
    },
    Keep {
        path: Path,
        assumed: bool,
    },
    /// Another thread has it from now on.
    Shared {
        path: Path,
    },
    /// A range of the caller's that was copied or filled.
    Range {
        place: Path,
        link: Link,
    },
    /// What this path leads to is written in cells of which nothing is said.
    Untold {
        place: Path,
    },
    /// A function of the caller's is called with something of the caller's.
    Calls(Deferred),
    /// A fresh object that the caller gets holds another.
    Inside,
}

/// An observation and when it is made.
#[derive(Clone, Debug)]
pub struct Observed {
    pub what: Observation,
    pub when: Guard,
    /// Where it makes no difference: to release or keep the null pointer is to do nothing.
    pub vacuous: Guard,
    /// Whether outcomes differ by it. If not, it is told of the outcomes that there are.
    pub splits: bool,
}

impl Observed {
    /// Whether it is about the state of a property.
    pub fn is_state(&self) -> bool {
        matches!(&self.what, Observation::Store { place, .. } if place.property().is_some())
    }
}

/// All observations in the order of their importance.
pub struct Observations {
    pub list: Vec<Observed>,
    pub owners: Owners,
    /// Some were left out.
    pub partial: bool,
}

pub fn observe(state: &mut State<'_>, exits: &Exits) -> Observations {
    let mut collector = Collector { state, list: Vec::new(), partial: false };
    collector.states();
    collector.releases();
    collector.results(exits);
    collector.stores();
    collector.calls();
    collector.keeps();
    collector.contents();
    let owners = collector.kept_by_others();
    let Collector { mut list, mut partial, state } = collector;
    kept_in_first_turn(state, &mut list);
    list.sort_by_key(|observed| rank(state, observed));
    partial |= list.iter().any(|observed| {
        !observed.splits && !observed.is_state() && matches!(observed.what, Observation::Store { .. })
    });
    let most = if state.detail == Detail::Brief { MOST_TOLD_IN_BRIEF } else { MOST_TOLD };
    let untold = list.split_off(list.len().min(most));
    for observed in untold {
        // Who keeps what decides about leaks and is always told, if only as being kept.
        let (when, vacuous, splits) = (observed.when, observed.vacuous, observed.splits);
        let Observation::Store { mut place, leaf, .. } = observed.what else {
            list.push(observed);
            continue;
        };
        if let Leaf::Address(object, _) = leaf
            && let Origin::Entry(path) = &state.objects[object].origin
        {
            let what = Observation::Keep { path: path.clone(), assumed: false };
            list.push(Observed { what, when, vacuous, splits: false });
        }
        place.steps.pop();
        let known =
            |other: &Observed| matches!(&other.what, Observation::Untold { place: other } if *other == place);
        match list.iter().position(known) {
            Some(index) => list[index].when = state.or(list[index].when, when),
            None => list.push(Observed { what: Observation::Untold { place }, when, vacuous, splits }),
        }
    }
    Observations { list, owners, partial }
}

fn rank(state: &State<'_>, observed: &Observed) -> u32 {
    let constant = |leaf: &Leaf| match leaf {
        Leaf::Number(term) => state.formulas.terms.const_value(*term),
        _ => None,
    };
    if observed.is_state() {
        return 0;
    }
    if !observed.splits {
        return match &observed.what {
            Observation::Range { .. } | Observation::Untold { .. } => 6,
            Observation::Store { leaf: leaf @ Leaf::Number(_), .. } if constant(leaf).is_none() => 8,
            _ => 7,
        };
    }
    match &observed.what {
        Observation::Release { .. } => 0,
        Observation::Result(Leaf::Address(..)) | Observation::Part { leaf: Leaf::Address(..), .. } => 1,
        Observation::Part { ty: Type::Ptr, .. } => 1,
        Observation::Result(leaf) if constant(leaf) == Some(0) => 1,
        Observation::Store { leaf: Leaf::Address(..), .. } => 2,
        Observation::Store { ty: Type::Ptr, .. } => 2,
        Observation::Keep { assumed: false, .. } | Observation::Shared { .. } | Observation::Calls(_) => 3,
        Observation::Result(_) | Observation::Part { .. } => 4,
        Observation::Keep { assumed: true, .. } => 5,
        Observation::Inside => 6,
        Observation::Store { .. } | Observation::Range { .. } | Observation::Untold { .. } => 6,
    }
}

/// What a cell of the caller's holds, on which paths, and where that is what it held before.
struct Written {
    when: Guard,
    leaf: Leaf,
    vacuous: Guard,
}

struct Collector<'s, 'a> {
    state: &'s mut State<'a>,
    list: Vec<Observed>,
    partial: bool,
}

impl Collector<'_, '_> {
    fn push(&mut self, when: Guard, what: Observation) {
        self.list.push(Observed { what, when, vacuous: Guard::FALSE, splits: true });
    }

    fn releases(&mut self) {
        for object in self.state.objects.ids() {
            let when = self.state.objects[object].released;
            if when.is_false() {
                continue;
            }
            if let Origin::Entry(path) = &self.state.objects[object].origin {
                let kind = self.state.objects[object].gone.first().map_or(KindId::HEAP, |gone| gone.kind);
                let path = path.clone();
                let vacuous = self.nothing_there(object, &path);
                let what = Observation::Release { path, kind, object };
                self.list.push(Observed { what, when, vacuous, splits: true });
            }
        }
    }

    /// When there is nothing to release: the address of an object is null, or what leads there is. So a chain is released
    /// in one and the same way however long it is.
    fn nothing_there(&mut self, object: ObjectId, path: &Path) -> Guard {
        let mut nothing = self.state.is_null(object);
        let leads = |other: &Path| {
            other.root == path.root
                && other.steps.len() < path.steps.len()
                && path.steps.starts_with(&other.steps)
        };
        for owner in self.state.objects.ids() {
            let data = &self.state.objects[owner];
            if matches!(&data.origin, Origin::Entry(other) if leads(other)) && !data.past {
                let null = self.state.is_null(owner);
                nothing = self.state.or(nothing, null);
            }
        }
        nothing
    }

    /// States that are not what they were.
    fn states(&mut self) {
        for object in self.state.objects.ids() {
            for index in 0..self.state.objects[object].hidden.len() {
                let hidden = self.state.objects[object].hidden[index].clone();
                let Some(place) = self.state.state_path(object, hidden.offset, hidden.property) else {
                    continue;
                };
                if !hidden.moved {
                    continue;
                }
                let mut told = hidden.leaves;
                let left: Vec<Guard> = self
                    .state
                    .journal
                    .left_behind
                    .iter()
                    .filter(|left| left.cell == Cell { object, index } && left.unless_ended.is_empty())
                    .map(|left| left.guard)
                    .collect();
                for left in left {
                    let unfollowed = self.state.constant(WIDTH, i128::from(Property::UNFOLLOWED));
                    for entry in &mut told {
                        entry.0 = self.state.formulas.guards.and_not(entry.0, left);
                    }
                    told.push((left, Leaf::Number(unfollowed)));
                }
                // A failure that leaves nothing behind but doubt is not worth telling everybody who calls.
                let is_entry = |leaf: Leaf| matches!((leaf, hidden.entry), (Leaf::Number(term), Some(entry)) if term == entry);
                if told.iter().all(|entry| is_entry(entry.1) || self.state.is_unfollowed(entry.1)) {
                    continue;
                }
                for (when, leaf) in told {
                    if matches!((leaf, hidden.entry), (Leaf::Number(term), Some(entry)) if term == entry) {
                        continue;
                    }
                    // What is not followed is not told apart.
                    let splits = !self.state.is_unfollowed(leaf);
                    let vacuous = Guard::FALSE;
                    let what = Observation::Store { place: place.clone(), leaf, ty: Type::Int(8) };
                    self.list.push(Observed { what, when, vacuous, splits });
                }
            }
        }
    }

    fn results(&mut self, exits: &Exits) {
        let ty = self.state.function.result;
        if ty == Type::Void || exits.returned.is_false() {
            return;
        }
        if let Type::Agg(id) = ty {
            let parts: Vec<Type> =
                self.state.context.program.aggregates[id].parts.iter().map(|part| part.1).collect();
            return self.parts(&parts);
        }
        let mut all: Leaves = Vec::new();
        for (_, guard, sym) in self.state.returns.clone() {
            let width = self.state.width(ty);
            let Some(sym) = sym else { continue };
            for (when, leaf) in self.state.leaves(&sym, width) {
                let when = self.state.and(guard, when);
                all.push((when, leaf));
            }
        }
        let all = self.state.tidy(all);
        let all = self.one_cursor(all);
        for (guard, leaf) in self.one_of_many(all) {
            self.push(guard, Observation::Result(leaf));
        }
    }

    /// A function that hands out one of many things which the caller has somewhere, such as an element of one of its
    /// free lists, hands out something: callers would follow each of them in everything they do with it.
    fn one_of_many(&mut self, all: Leaves) -> Leaves {
        let is_inside = |state: &State<'_>, leaf: Leaf| match leaf {
            Leaf::Address(object, _) => {
                matches!(&state.objects[object].origin, Origin::Entry(path) if !path.steps.is_empty())
            }
            _ => false,
        };
        if all.iter().filter(|entry| is_inside(self.state, entry.1)).count() <= MOST_HANDED_BACK {
            return all;
        }
        let (inside, mut rest): (Leaves, Leaves) =
            all.into_iter().partition(|entry| is_inside(self.state, entry.1));
        let when = inside.iter().fold(Guard::FALSE, |all, entry| self.state.or(all, entry.0));
        let leaf = self.state.elsewhere();
        if let Leaf::Number(term) = leaf {
            self.state.unknowns.note(term, Provenance::Nonzero);
        }
        rest.push((when, leaf));
        rest
    }

    /// An address that a loop moves through something of the caller's is somewhere in there, also on the paths on which it has
    /// moved by so many bytes or not at all: nobody tells these apart, and outcomes must not differ by them.
    fn one_cursor(&mut self, all: Leaves) -> Leaves {
        let moves = |leaf: Leaf| match leaf {
            Leaf::Address(object, Offset::Somewhere) => {
                matches!(self.state.objects[object].origin, Origin::Entry(_)).then_some(object)
            }
            _ => None,
        };
        let moving: Vec<ObjectId> = all.iter().filter_map(|entry| moves(entry.1)).collect();
        if moving.is_empty() {
            return all;
        }
        let moved = all.into_iter().map(|(guard, leaf)| match leaf {
            Leaf::Address(object, _) if moving.contains(&object) => {
                (guard, Leaf::Address(object, Offset::Somewhere))
            }
            _ => (guard, leaf),
        });
        let moved = moved.collect();
        self.state.tidy(moved)
    }

    /// The parts of a struct that is returned by value.
    fn parts(&mut self, types: &[Type]) {
        for (index, &ty) in types.iter().enumerate() {
            let mut all: Leaves = Vec::new();
            for (_, guard, sym) in self.state.returns.clone() {
                let part = match sym {
                    Some(Sym::Parts(mut parts)) if index < parts.len() => parts.swap_remove(index),
                    _ => self.state.any(ty),
                };
                // A struct inside is not looked into.
                if matches!(part, Sym::Parts(_)) {
                    self.partial = true;
                    self.kept_in_parts(guard, &part);
                    continue;
                }
                for (when, leaf) in self.state.leaves(&part, self.state.width(ty)) {
                    let when = self.state.and(guard, when);
                    all.push((when, leaf));
                }
            }
            for (guard, leaf) in self.state.tidy(all) {
                self.push(guard, Observation::Part { index, leaf, ty });
            }
        }
    }

    /// What is returned inside a structure of a structure has no name in the summary.
    fn kept_in_parts(&mut self, guard: Guard, sym: &Sym) {
        match sym {
            Sym::Parts(parts) => parts.iter().for_each(|part| self.kept_in_parts(guard, part)),
            Sym::Leaves(leaves) => {
                for &(when, leaf) in leaves {
                    let when = self.state.and(guard, when);
                    self.kept_unnamed(when, leaf);
                }
            }
            Sym::Truth(_) => {}
        }
    }

    /// Cells that the caller can reach and that hold something else than at entry.
    fn stores(&mut self) {
        let mut written = Vec::new();
        for object in self.state.objects.ids() {
            if self.state.objects[object].past {
                continue;
            }
            let base = match &self.state.objects[object].origin {
                Origin::Entry(path) => path.clone(),
                Origin::Global(global) if !self.state.context.is_constant(*global) => {
                    Path::root(Root::Global(*global))
                }
                _ => continue,
            };
            for (guard, leaf) in self.state.objects[object].scattered.clone() {
                self.kept_unnamed(guard, leaf);
            }
            for link in self.state.objects[object].links.clone() {
                let when = link.guard;
                let what = Observation::Range { place: base.clone(), link };
                self.list.push(Observed { what, when, vacuous: Guard::FALSE, splits: false });
            }
            let mut replaced = Guard::FALSE;
            for index in 0..self.state.objects[object].links.len() {
                let link = self.state.objects[object].links[index].guard;
                replaced = self.state.or(replaced, link);
            }
            for cell in self.state.objects[object].cells.clone() {
                let pointer = cell.bytes == u64::from(self.state.context.program.target.pointer_bits / 8);
                let holds_address = cell.leaves.iter().any(|entry| !matches!(entry.1, Leaf::Number(_)));
                let is_address = pointer && (holds_address || self.all_zero(&cell.leaves));
                let (step, ty) = if is_address {
                    (Step::At(cell.offset), Type::Ptr)
                } else {
                    let bytes = cell.bytes as u32;
                    (Step::Number { offset: cell.offset, bytes }, Type::Int(bytes * 8))
                };
                // Which functions such a place holds is known for the whole program.
                if let Origin::Global(global) = self.state.objects[object].origin
                    && self.state.context.targets.at(global, cell.offset).is_some()
                {
                    continue;
                }
                let place = base.then(step);
                // What points back to where its object was found did so at entry.
                let back = match step {
                    Step::At(offset) if !base.steps.is_empty() => self.state.back_pointer(&base, offset),
                    _ => None,
                };
                // A cell in a range that was replaced is worth telling there even if it is as it was.
                let leaves = self.one_cursor(cell.leaves);
                let unchanged = |leaf| self.is_entry_value(leaf, &place) || back == Some(leaf);
                let changed: Vec<Written> = leaves
                    .into_iter()
                    .map(|(when, leaf)| {
                        let vacuous = if unchanged(leaf) { !replaced } else { Guard::FALSE };
                        Written { when, leaf, vacuous }
                    })
                    .filter(|entry| !entry.vacuous.is_true())
                    .collect();
                if changed.is_empty() {
                    continue;
                }
                written.push((place, ty, changed));
            }
        }
        let near = self.far_away(written);
        self.written(near);
    }

    /// Takes out what was written far from the caller's names: it is told as a change of unknown ways to what leads
    /// there. Addresses by way of what is released must be seen to be replaced: an element that is taken out of a list.
    fn far_away(&mut self, written: Vec<(Path, Type, Vec<Written>)>) -> Vec<(Path, Type, Vec<Written>)> {
        let released: Vec<Path> = self.state.released_paths().collect();
        let passes = |place: &Path, by: &Path| place.root == by.root && place.steps.starts_with(&by.steps);
        let (far, near): (Vec<_>, Vec<_>) = written.into_iter().partition(|(place, ty, _)| {
            place.cells() > LONGEST_PLACE
                && !(*ty == Type::Ptr && released.iter().any(|object| passes(place, object)))
        });
        for (mut place, _, changed) in far {
            while place.cells() > LONGEST_PLACE || matches!(place.steps.last(), Some(Step::Number { .. })) {
                place.steps.pop();
            }
            let mut all = Guard::FALSE;
            for Written { when, leaf, .. } in changed {
                self.kept_unnamed(when, leaf);
                all = self.state.or(all, when);
            }
            self.untold(place, all);
        }
        near
    }

    fn untold(&mut self, place: Path, when: Guard) {
        let known =
            |other: &Observed| matches!(&other.what, Observation::Untold { place: other } if *other == place);
        match self.list.iter().position(known) {
            Some(index) => self.list[index].when = self.state.or(self.list[index].when, when),
            None => self.list.push(Observed {
                what: Observation::Untold { place },
                when,
                vacuous: Guard::FALSE,
                splits: false,
            }),
        }
    }

    /// Cells that were written. Those that hold constants, such as flags, tell outcomes apart before others do.
    fn written(&mut self, written: Vec<(Path, Type, Vec<Written>)>) {
        let constant = |state: &State<'_>, leaves: &[Written]| {
            leaves.iter().all(|entry| match entry.leaf {
                Leaf::Number(term) => state.formulas.terms.is_const(term),
                _ => true,
            })
        };
        let mut order: Vec<usize> = (0..written.len()).collect();
        order.sort_by_key(|&index| !constant(self.state, &written[index].2));
        let mut splits = vec![false; written.len()];
        let (mut numbers, mut addresses) = (0, 0);
        for index in order {
            let (count, most) = match written[index].1 {
                Type::Ptr => (&mut addresses, OBSERVED_ADDRESSES),
                _ => (&mut numbers, OBSERVED_NUMBERS),
            };
            *count += 1;
            splits[index] = *count <= most;
        }
        for ((place, ty, changed), splits) in written.into_iter().zip(splits) {
            for Written { when, leaf, vacuous } in changed {
                if !splits {
                    self.kept_unnamed(when, leaf);
                }
                let what = Observation::Store { place: place.clone(), leaf, ty };
                self.list.push(Observed { what, when, vacuous, splits });
            }
        }
    }

    /// Something that is stored in a place of the caller's which the summary does not name.
    fn kept_unnamed(&mut self, when: Guard, leaf: Leaf) {
        let held = match leaf {
            Leaf::Address(held, _) => held,
            Leaf::Number(term) => return self.number_kept_unnamed(when, term),
            Leaf::Function(_) => return,
        };
        match &self.state.objects[held].origin {
            Origin::Entry(path) => {
                let what = Observation::Keep { path: path.clone(), assumed: false };
                let vacuous = self.state.is_null(held);
                self.list.push(Observed { what, when, vacuous, splits: true });
            }
            Origin::Fresh(_) => {
                let kept = self.state.objects[held].kept;
                self.state.objects[held].kept = self.state.or(kept, when);
            }
            _ => {}
        }
    }

    /// The same for a number that the caller gave, which may be a descriptor.
    fn number_kept_unnamed(&mut self, when: Guard, term: TermId) {
        if let Some(path) = self.state.passed_descriptor(term) {
            let what = Observation::Keep { path: path.clone(), assumed: false };
            self.list.push(Observed { what, when, vacuous: Guard::FALSE, splits: false });
        }
    }

    /// Something of the caller's that is stored in an object which belongs to somebody else.
    fn kept_by_others(&mut self) -> Owners {
        let owners = owners(self.state);
        let owned = &owners.owned;
        for object in owned.ids() {
            let entry = &self.state.objects[object];
            let elsewhere = matches!(entry.origin, Origin::Elsewhere);
            if owned[object].is_false()
                || !elsewhere && !matches!(entry.origin, Origin::Fresh(_) | Origin::Stack(_))
            {
                continue;
            }
            // Addresses count as kept when they are stored there.
            let held: Vec<(Guard, ObjectId)> = if elsewhere { Vec::new() } else { entry.held().collect() };
            let cells = entry.cells.iter().flat_map(|cell| &cell.leaves).chain(&entry.scattered);
            let numbers = cells.filter_map(|&(guard, leaf)| match leaf {
                Leaf::Number(term) => Some((guard, term)),
                _ => None,
            });
            for (guard, term) in numbers.collect::<Vec<_>>() {
                let when = self.state.and(owned[object], guard);
                if !when.is_false() {
                    self.number_kept_unnamed(when, term);
                }
            }
            for (guard, held) in held {
                let when = self.state.and(owned[object], guard);
                // What a global led to before is not the caller's to give away.
                let origin = &self.state.objects[held].origin;
                let is_callers =
                    matches!(origin, Origin::Entry(path) if !matches!(path.root, Root::Global(_)));
                if !when.is_false() && is_callers {
                    self.kept_unnamed(when, Leaf::Address(held, Offset::Somewhere));
                }
            }
            for (guard, path) in self.state.copied_into(object) {
                let when = self.state.and(owned[object], guard);
                if !when.is_false() {
                    let what = Observation::Keep { path, assumed: false };
                    self.list.push(Observed { what, when, vacuous: Guard::FALSE, splits: true });
                }
            }
        }
        owners
    }

    fn all_zero(&self, leaves: &Leaves) -> bool {
        leaves.iter().all(|entry| match entry.1 {
            Leaf::Number(term) => self.state.formulas.terms.const_value(term) == Some(0),
            _ => true,
        })
    }

    fn is_entry_value(&self, leaf: Leaf, place: &Path) -> bool {
        match leaf {
            Leaf::Address(object, Offset::At(0)) => {
                matches!(&self.state.objects[object].origin, Origin::Entry(path) if path == place)
            }
            Leaf::Number(term) => {
                self.state.beyond.get(&term).is_some_and(|there| is_same_cell(there, place))
                    || self.state.input_path(term) == Some(place)
                    || self.is_part_of_entry_value(term, place)
            }
            _ => false,
        }
    }

    /// Whether a number is the bytes of an entry value that were in this place.
    fn is_part_of_entry_value(&self, term: TermId, place: &Path) -> bool {
        let Some((Step::Number { offset, bytes }, base)) = place.steps.split_last() else { return false };
        let Some(bits) = bits_of(self.state, term) else { return false };
        let Some((Step::At(start) | Step::Number { offset: start, .. }, whole)) =
            bits.path.steps.split_last()
        else {
            return false;
        };
        let ones = u64::MAX.checked_shr(64u32.saturating_sub(8 * bytes)).unwrap_or(0);
        bits.path.root == place.root
            && whole == base
            && start + i64::from(bits.low / 8) == *offset
            && bits.low % 8 == 0
            && bits.mask == ones
    }

    fn calls(&mut self) {
        for call in self.state.journal.deferred.clone() {
            self.push(call.guard, Observation::Calls(call));
        }
    }

    fn keeps(&mut self) {
        for object in self.state.objects.ids() {
            let (kept, assumed) = (self.state.objects[object].kept, self.state.objects[object].assumed_kept);
            if kept.is_false() && assumed.is_false() {
                continue;
            }
            if let Origin::Entry(path) = &self.state.objects[object].origin {
                // What lies far from the caller's own names says little to it, unless what held it is gone.
                let is_left = |owner: &Path| {
                    owner.root == path.root && owner.steps[..] == path.steps[..path.steps.len() - 1]
                };
                if path.steps.len() > MOST_KEPT_STEPS
                    && !self.state.released_paths().any(|owner| is_left(&owner))
                {
                    continue;
                }
                let path = path.clone();
                let vacuous = self.state.is_null(object);
                let when = self.state.objects[object].threaded;
                if !when.is_false() {
                    let what = Observation::Shared { path: path.clone() };
                    self.list.push(Observed { what, when, vacuous, splits: true });
                }
                // A number is hardly ever a resource; whether it is kept makes no difference to most.
                if self.state.objects[object].is_number {
                    let when = self.state.or(kept, assumed);
                    let what = Observation::Keep { path, assumed: kept.is_false() };
                    self.list.push(Observed { what, when, vacuous, splits: false });
                    continue;
                }
                for (when, assumed) in [(kept, false), (assumed, true)] {
                    if !when.is_false() {
                        let what = Observation::Keep { path: path.clone(), assumed };
                        self.list.push(Observed { what, when, vacuous, splits: true });
                    }
                }
            }
        }
    }

    /// When fresh objects that the caller gets hold others, unless mere success or failure decides that.
    fn contents(&mut self) {
        let mut reached: Vec<ObjectId> = Vec::new();
        for observed in &self.list {
            if let Observation::Result(leaf)
            | Observation::Part { leaf, .. }
            | Observation::Store { leaf, .. } = &observed.what
            {
                reach(self.state, &mut reached, *leaf);
            }
        }
        let mut done = 0;
        while done < reached.len() && done < MOST_FRESH {
            let cells = self.state.objects[reached[done]].cells.clone();
            for cell in cells.iter().take(MOST_CELLS) {
                for &(guard, leaf) in &cell.leaves {
                    reach(self.state, &mut reached, leaf);
                    if cell.leaves.len() > 1
                        && matches!(leaf, Leaf::Address(..))
                        && !only_choices(self.state, guard)
                    {
                        self.push(guard, Observation::Inside);
                    }
                }
            }
            done += 1;
        }
    }
}

/// Adds the fresh object that a leaf leads to.
fn reach(state: &State<'_>, reached: &mut Vec<ObjectId>, leaf: Leaf) {
    if let Leaf::Address(object, _) = leaf
        && state.objects[object].is_fresh()
        && !reached.contains(&object)
    {
        reached.push(object);
    }
}

/// Whether a guard depends on nothing but choices of callees, which succeed or fail as they like.
pub fn only_choices(state: &State<'_>, guard: Guard) -> bool {
    let is_choice = |condition| {
        let Some(term) = state.formulas.conditions.term_of(condition) else { return false };
        let var = state.formulas.terms.as_variable(term);
        var.is_some_and(|var| state.formulas.terms.tag(var).is_none())
    };
    state.formulas.guards.support(guard).into_iter().all(is_choice)
}

/// Whether two paths lead to the same cell, be an address or a number there.
fn is_same_cell(a: &Path, b: &Path) -> bool {
    let offset = |step: &Step| match *step {
        Step::At(offset) | Step::Number { offset, .. } => Some(offset),
        _ => None,
    };
    match (a.steps.split_last(), b.steps.split_last()) {
        (Some((last, before)), Some((other, others))) => {
            a.root == b.root && before == others && offset(last).is_some() && offset(last) == offset(other)
        }
        _ => false,
    }
}
