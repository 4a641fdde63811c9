//! Hidden cells: the state of a property, for each place of an object that has one.
//!
//! A state is a number of eight bits (see `watertight_summary::property`). What the caller gave has the state that it
//! had at entry, an unknown with a name; what is made here is in the first state; of anything else nothing is known.

use crate::machine::memory::{ObjectId, Origin};
use crate::machine::provenance::Provenance;
use crate::machine::state::State;
use crate::machine::value::{Leaf, Leaves, Offset, Sym};
use watertight_ir::Type;
use watertight_logic::guard::Guard;
use watertight_logic::term::{BinaryOp, Term, TermId};
use watertight_logic::width::Width;
use watertight_summary::property::{Property, PropertyId};
use watertight_summary::{Path, Root, Step};

/// How wide a state is.
pub const WIDTH: Width = Width::W8;

/// The state of one place.
#[derive(Clone, Debug)]
pub struct Hidden {
    pub offset: i64,
    pub property: PropertyId,
    /// Numbers only.
    pub leaves: Leaves,
    /// The unknown for the state at entry; none for what is made here.
    pub entry: Option<TermId>,
    /// What it was assumed to be, on which paths.
    pub assumed: Vec<(Guard, i64)>,
    /// Something has happened to it.
    pub moved: bool,
    /// Where a mistake has been made with it already: nothing more is said.
    pub spoiled: Guard,
}

/// What is known of a state.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Known {
    Number(i64),
    /// So much more or less than at entry.
    More(i64),
    /// What it was at entry, of which nothing was assumed.
    Entry,
    Unfollowed,
}

/// A hidden cell.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    pub object: ObjectId,
    pub index: usize,
}

impl State<'_> {
    /// The name that the caller has for the state of something.
    pub(crate) fn state_path(&self, object: ObjectId, offset: i64, property: PropertyId) -> Option<Path> {
        let base = match &self.objects[object].origin {
            Origin::Entry(path) => path.clone(),
            Origin::Global(global) => Path::root(Root::Global(*global)),
            Origin::Process => Path::root(Root::Process),
            Origin::Stack(_) | Origin::Fresh(_) | Origin::Elsewhere => return None,
        };
        Some(base.then(Step::State { offset, property }))
    }

    /// The object that has the states of the process as a whole.
    pub(crate) fn process_object(&mut self) -> ObjectId {
        match self.process {
            Some(object) => object,
            None => {
                let object = self.object(Origin::Process);
                self.process = Some(object);
                object
            }
        }
    }

    /// The hidden cell of a place.
    pub(crate) fn cell_at(&mut self, object: ObjectId, offset: i64, property: PropertyId) -> Cell {
        let known = self.objects[object]
            .hidden
            .iter()
            .position(|hidden| hidden.offset == offset && hidden.property == property);
        if let Some(index) = known {
            return Cell { object, index };
        }
        let rule = self.context.library.properties.get(property);
        let range = (i128::from(rule.least()), i128::from(rule.most()));
        let (term, entry) = match (self.state_path(object, offset, property), &self.objects[object].origin) {
            (Some(path), _) => {
                let term = self.input(WIDTH, path);
                self.ranges.insert(term, range);
                (term, Some(term))
            }
            (None, Origin::Elsewhere) => {
                let term = self.unknown_number(WIDTH);
                self.ranges.insert(term, range);
                (term, Some(term))
            }
            (None, _) => (self.constant(WIDTH, i128::from(Property::START)), None),
        };
        let leaves = match &self.objects[object].origin {
            Origin::Fresh(_) => vec![(Guard::TRUE, Leaf::Number(term))],
            _ => self.state_or_unfollowed(Leaf::Number(term)),
        };
        self.objects[object].hidden.push(Hidden {
            offset,
            property,
            leaves,
            entry,
            assumed: Vec::new(),
            moved: false,
            spoiled: Guard::FALSE,
        });
        Cell { object, index: self.objects[object].hidden.len() - 1 }
    }

    /// The hidden cells of what some addresses point to, with when they do. What an address in an array at an unknown
    /// index points to has none.
    pub(crate) fn cells_of(
        &mut self,
        address: &Leaves,
        offset: i64,
        property: PropertyId,
    ) -> Vec<(Guard, Cell)> {
        let mut cells = Vec::with_capacity(address.len());
        for &(guard, leaf) in address {
            let (object, at) = match leaf {
                Leaf::Address(object, Offset::At(at)) => (object, at),
                Leaf::Number(term) if self.unknowns.is(term, Provenance::Undefined) => continue,
                // A descriptor is no address; what it stands for is known by its number.
                Leaf::Number(term) => {
                    let place = match self.formulas.terms.width(term) == self.pointer_width() {
                        true => self.place_at(term),
                        false => self.resource(leaf).map(|object| (object, 0)),
                    };
                    match place {
                        Some(place) => place,
                        None => continue,
                    }
                }
                _ => continue,
            };
            // One name for all elements of an array is the name of none of them.
            if matches!(&self.objects[object].origin, Origin::Entry(path) if path.steps.contains(&Step::Somewhere))
            {
                continue;
            }
            let at = at.wrapping_add(offset);
            cells.push((guard, self.cell_at(object, at, property)));
        }
        cells
    }

    pub(crate) fn hidden(&self, cell: Cell) -> &Hidden {
        &self.objects[cell.object].hidden[cell.index]
    }

    /// Whether a state is not followed any more.
    pub(crate) fn is_unfollowed(&self, leaf: Leaf) -> bool {
        matches!(leaf, Leaf::Number(term)
            if self.base_and_plus(term) == (None, i64::from(Property::UNFOLLOWED)))
    }

    /// What is known of a state on the paths of `guard`.
    pub(crate) fn known(&mut self, cell: Cell, guard: Guard) -> Vec<(Guard, Known, Leaf)> {
        let hidden = self.hidden(cell).clone();
        let mut all = Vec::with_capacity(hidden.leaves.len());
        for (when, leaf) in hidden.leaves {
            let mut rest = self.and(guard, when);
            let Leaf::Number(term) = leaf else { continue };
            if rest.is_false() {
                continue;
            }
            match self.base_and_plus(term) {
                (None, number) if number == i64::from(Property::UNFOLLOWED) => {
                    all.push((rest, Known::Unfollowed, leaf));
                }
                (None, number) => all.push((rest, Known::Number(number), leaf)),
                (Some(base), 0) if Some(base) == hidden.entry => {
                    for &(assumed, number) in &hidden.assumed {
                        let same = self.and(rest, assumed);
                        rest = self.formulas.guards.and_not(rest, assumed);
                        if !same.is_false() {
                            all.push((same, Known::Number(number), leaf));
                        }
                    }
                    if !rest.is_false() {
                        all.push((rest, Known::Entry, leaf));
                    }
                }
                (Some(base), plus) if Some(base) == hidden.entry => all.push((rest, Known::More(plus), leaf)),
                _ => all.push((rest, Known::Unfollowed, leaf)),
            }
        }
        all
    }

    /// Assumes what a state was at entry.
    pub(crate) fn assume_state(&mut self, cell: Cell, guard: Guard, number: i64) {
        let assumed = &self.objects[cell.object].hidden[cell.index].assumed;
        match assumed.iter().position(|entry| entry.1 == number) {
            Some(index) => {
                let both = self.formulas.guards.or(assumed[index].0, guard);
                self.objects[cell.object].hidden[cell.index].assumed[index].0 = both;
            }
            None => self.objects[cell.object].hidden[cell.index].assumed.push((guard, number)),
        }
    }

    /// Replaces a state on the paths of `guard`.
    pub(crate) fn set_state(&mut self, cell: Cell, value: &Leaves, guard: Guard) {
        if guard.is_false() {
            return;
        }
        let property = self.hidden(cell).property;
        self.objects[cell.object].hidden[cell.index].moved = true;
        self.moved_properties.insert(property);
        let old = std::mem::take(&mut self.objects[cell.object].hidden[cell.index].leaves);
        let mut leaves = Vec::with_capacity(old.len() + value.len());
        for &(when, leaf) in value {
            leaves.push((self.and(guard, when), leaf));
        }
        for (when, leaf) in old {
            leaves.push((self.formulas.guards.and_not(when, guard), leaf));
        }
        let leaves = self.tidy(leaves);
        self.objects[cell.object].hidden[cell.index].leaves = leaves;
    }

    /// A state was ended through an address of which nothing is known. That may be another name for something whose
    /// state was brought about before: a member was read again after a call that may have changed it. Nothing is said
    /// of that any more.
    pub(crate) fn ended_elsewhere(&mut self, cell: Cell, guard: Guard) {
        if !matches!(self.objects[cell.object].origin, Origin::Elsewhere) || guard.is_false() {
            return;
        }
        let (property, offset) = (self.hidden(cell).property, self.hidden(cell).offset);
        let unfollowed = Leaf::Number(self.constant(WIDTH, i128::from(Property::UNFOLLOWED)));
        for object in self.objects.ids() {
            if object == cell.object || matches!(self.objects[object].origin, Origin::Stack(_)) {
                continue;
            }
            let same =
                |hidden: &Hidden| hidden.moved && hidden.property == property && hidden.offset == offset;
            let Some(index) = self.objects[object].hidden.iter().position(same) else { continue };
            self.set_state(Cell { object, index }, &vec![(guard, unfollowed)], guard);
        }
    }

    /// Something that is not known is called through a pointer. It may end the states of what it is given.
    pub(crate) fn note_called_with_states(&mut self, args: &[(Sym, Type)]) {
        if self.moved_properties.is_empty() {
            return;
        }
        let width = self.pointer_width();
        for (sym, _) in args {
            let leaves = self.leaves(sym, width);
            self.note_given_with_states(&leaves, self.here);
        }
    }

    /// Something that is not known gets these objects on some paths.
    pub(crate) fn note_given_with_states(&mut self, leaves: &Leaves, guard: Guard) {
        let moved = leaves.iter().any(|entry| {
            let object = match entry.1 {
                Leaf::Address(object, _) => Some(object),
                Leaf::Number(term) => self.known_object_at(term),
                Leaf::Function(_) => None,
            };
            object.is_some_and(|object| self.objects[object].hidden.iter().any(|hidden| hidden.moved))
        });
        if moved {
            self.called_with_states = self.or(self.called_with_states, guard);
        }
    }

    /// A state as an unknown and what was added to it, or as a number.
    pub(crate) fn base_and_plus(&self, term: TermId) -> (Option<TermId>, i64) {
        let terms = &self.formulas.terms;
        let number = |term: TermId| {
            let value = terms.const_value(term)?;
            i64::try_from(terms.width(term).signed(value)).ok()
        };
        if let Some(value) = number(term) {
            return (None, value);
        }
        match terms.view(term) {
            Term::Binary(BinaryOp::Add, a, b) => match (number(a), number(b)) {
                (Some(plus), None) => (Some(b), plus),
                (None, Some(plus)) => (Some(a), plus),
                _ => (Some(term), 0),
            },
            _ => (Some(term), 0),
        }
    }
}
