//! Hidden cells: the state of a property, for each place of an object that has one.
//!
//! A state is a number of eight bits (see `watertight_summary::property`). What the caller gave has the state that it
//! had at entry, an unknown with a name; what is made here is in the first state; of anything else nothing is known.

use crate::evaluate::memory::{ObjectId, Origin};
use crate::evaluate::state::{Precision, State};
use crate::evaluate::value::{Leaf, Leaves, Offset};
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
    /// The state at entry, if the caller has a name for it.
    pub entry: Option<TermId>,
    /// Something has happened to it.
    pub moved: bool,
    /// Where a mistake has been made with it already: nothing more is said.
    pub spoiled: Guard,
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
                (term, None)
            }
            (None, _) => (self.constant(WIDTH, i128::from(Property::START)), None),
        };
        let leaves = vec![(Guard::TRUE, Leaf::Number(term))];
        self.objects[object].hidden.push(Hidden {
            offset,
            property,
            leaves,
            entry,
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
                Leaf::Number(term) if self.undefined.contains(&term) => continue,
                // A descriptor is no address; what it stands for is known by its number.
                Leaf::Number(term) => {
                    let object = match self.formulas.terms.width(term) == self.pointer_width() {
                        true => self.object_at(term),
                        false => self.resource(leaf),
                    };
                    match object {
                        Some(object) => (object, 0),
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

    /// The states of what some addresses point to.
    pub(crate) fn states_of(&mut self, address: &Leaves, offset: i64, property: PropertyId) -> Leaves {
        let mut states = Vec::new();
        let mut rest = Guard::TRUE;
        for (guard, cell) in self.cells_of(address, offset, property) {
            rest = self.formulas.guards.and_not(rest, guard);
            for (when, leaf) in self.hidden(cell).leaves.clone() {
                let when = self.and(guard, when);
                // What is not followed may be anything.
                let leaf =
                    if self.is_unfollowed(leaf) { Leaf::Number(self.unknown_state(property)) } else { leaf };
                states.push((when, leaf));
            }
        }
        if !rest.is_false() {
            states.push((rest, Leaf::Number(self.unknown_state(property))));
        }
        self.tidy(states)
    }

    pub(crate) fn hidden(&self, cell: Cell) -> &Hidden {
        &self.objects[cell.object].hidden[cell.index]
    }

    /// A state of which nothing is known.
    pub(crate) fn unknown_state(&mut self, property: PropertyId) -> TermId {
        let rule = self.context.library.properties.get(property);
        let term = self.unknown_number(WIDTH);
        self.ranges.insert(term, (i128::from(rule.least()), i128::from(rule.most())));
        term
    }

    /// Whether a state is not followed any more.
    pub(crate) fn is_unfollowed(&self, leaf: Leaf) -> bool {
        matches!(leaf, Leaf::Number(term)
            if self.base_and_plus(term) == (None, i64::from(Property::UNFOLLOWED)))
    }

    /// When the state of a cell is not followed.
    pub(crate) fn unfollowed(&mut self, cell: Cell) -> Guard {
        let mut all = Guard::FALSE;
        for (guard, leaf) in self.hidden(cell).leaves.clone() {
            if self.is_unfollowed(leaf) {
                all = self.or(all, guard);
            }
        }
        all
    }

    /// Replaces a state on the paths of `guard`.
    pub(crate) fn set_state(&mut self, cell: Cell, value: &Leaves, guard: Guard) {
        if guard.is_false() {
            return;
        }
        let property = self.hidden(cell).property;
        self.objects[cell.object].hidden[cell.index].moved = true;
        if self.precision == Precision::Coarse {
            let unknown = Leaf::Number(self.unknown_state(property));
            self.objects[cell.object].hidden[cell.index].leaves = vec![(Guard::TRUE, unknown)];
            return;
        }
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

    /// When a state is this one.
    pub(crate) fn is_state(&mut self, leaf: Leaf, number: i64) -> Guard {
        let Leaf::Number(term) = leaf else { return Guard::FALSE };
        let (base, plus) = self.base_and_plus(term);
        match base {
            None => Guard::truth(plus == number),
            Some(base) => {
                let number = i128::from(number - plus);
                if let Some(&(least, most)) = self.ranges.get(&base)
                    && !(least..=most).contains(&number)
                {
                    return Guard::FALSE;
                }
                let number = self.constant(WIDTH, number);
                let equal = self.formulas.terms.eq(base, number);
                self.formulas.guard(equal)
            }
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
