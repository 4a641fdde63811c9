//! Entry values of a call: what the paths of a summary mean in the caller's state.
//!
//! In: a path, a test or an effect of a summary, and the call being applied. Out: guarded values, guards, and what an
//! effect needs, all read before the call changes anything. Each path and test is looked up once per call.

use crate::calls::apply::Application;
use crate::machine::cells::WIDTH;
use crate::machine::provenance::Provenance;
use crate::machine::state::State;
use crate::machine::value::{Leaf, Leaves, Offset, Sym};
use watertight_ir::Type;
use watertight_logic::guard::Guard;
use watertight_logic::width::Width;
use watertight_summary::{Effect, Path, Relation, Root, Step, Test, Value, When};

impl State<'_> {
    /// When a condition on entry values holds.
    pub(crate) fn when(&mut self, when: &When, application: &Application<'_>) -> Guard {
        let mut any = Guard::FALSE;
        for tests in &when.any {
            let mut all = Guard::TRUE;
            for test in tests {
                let known =
                    application.tested.borrow().iter().find(|entry| entry.0 == *test).map(|entry| entry.1);
                let holds = known.unwrap_or_else(|| {
                    let holds = self.test(test, application);
                    application.tested.borrow_mut().push((test.clone(), holds));
                    holds
                });
                all = self.and(all, holds);
            }
            any = self.or(any, all);
        }
        any
    }

    pub(crate) fn test(&mut self, test: &Test, application: &Application<'_>) -> Guard {
        let (leaves, width) = self.resolve(&test.value, application);
        if let Some(other) = &test.other {
            let others = self.resolve(other, application).0;
            let others: Leaves =
                others.into_iter().map(|(guard, leaf)| (guard, self.moved(leaf, test.number))).collect();
            let ty = Type::Int(width.bits());
            return self.compare(test.relation.op(), &Sym::Leaves(leaves), &Sym::Leaves(others), ty);
        }
        let mut result = Guard::FALSE;
        let number = self.constant(width, test.number.into());
        for (guard, leaf) in leaves {
            let leaf = match test.mask {
                None => leaf,
                Some(mask) if let Some(tag) = self.tag(leaf, i64::try_from(mask).unwrap_or(0)) => {
                    Leaf::Number(self.constant(width, tag.into()))
                }
                Some(mask) => {
                    let term = self.leaf_term(leaf, width);
                    let mask = self.formulas.terms.constant(width, width.mask(mask.into()));
                    Leaf::Number(self.formulas.terms.and(term, mask))
                }
            };
            let holds = self.compare_leaves(test.relation.op(), leaf, Leaf::Number(number), width);
            if test.number == 0 && matches!(test.relation, Relation::Equal | Relation::NotEqual) {
                self.note_told(leaf, test.relation == Relation::Equal, holds);
            }
            let both = self.and(guard, holds);
            result = self.or(result, both);
        }
        result
    }

    /// The value of a path, and its width.
    pub(crate) fn resolve(&mut self, path: &Path, application: &Application<'_>) -> (Leaves, Width) {
        if path.steps.is_empty() || matches!(path.root, Root::Fresh(_)) {
            return self.resolve_new(path, application);
        }
        // The outcomes of one call mention the same paths again and again.
        if let Some(known) = application.resolved.borrow().get(path) {
            return known.clone();
        }
        let result = self.resolve_new(path, application);
        // Two effects that speak of some element may mean different ones.
        if path.steps.contains(&Step::Somewhere) {
            for &(_, leaf) in &result.0 {
                match leaf {
                    Leaf::Address(object, _) => self.objects[object].several = true,
                    Leaf::Number(term) => {
                        self.unknowns.note(term, Provenance::OneOfSeveral);
                    }
                    Leaf::Function(_) => {}
                }
            }
        }
        application.resolved.borrow_mut().insert(path.clone(), result.clone());
        result
    }

    pub(crate) fn resolve_new(&mut self, path: &Path, application: &Application<'_>) -> (Leaves, Width) {
        let pointer = self.pointer_width();
        let (mut leaves, mut width) = match path.root {
            Root::Param(index) => match application.args.get(index as usize) {
                Some((sym, ty)) => {
                    let width = self.width(*ty);
                    (self.leaves(sym, width), width)
                }
                None => (Vec::new(), pointer),
            },
            Root::Global(global) => {
                let object = self.global_object(global);
                (vec![(Guard::TRUE, Leaf::Address(object, Offset::At(0)))], pointer)
            }
            Root::Fresh(index) => match application.fresh.get(index as usize) {
                Some(&object) => (vec![(Guard::TRUE, Leaf::Address(object, Offset::At(0)))], pointer),
                None => (Vec::new(), pointer),
            },
            Root::Function(function) => (vec![(Guard::TRUE, Leaf::Function(function))], pointer),
            Root::Result => match &application.result {
                Some(sym) => {
                    let width = self.width(application.result_type);
                    (self.leaves(sym, width), width)
                }
                None => (Vec::new(), pointer),
            },
            Root::Process => {
                let process = self.process_object();
                (vec![(Guard::TRUE, Leaf::Address(process, Offset::At(0)))], pointer)
            }
            Root::Rest(_) => (Vec::new(), pointer),
        };
        if let Some((&last, before)) = path.steps.split_last() {
            if !before.is_empty() {
                let base = Path { root: path.root, steps: before.to_vec() };
                leaves = self.resolve(&base, application).0;
            }
            // States are looked at where summaries speak of them, and nowhere else.
            if last.is_state() {
                return (Vec::new(), WIDTH);
            }
            if let Step::Element { offset, index, scale } = last {
                return (self.elements(&leaves, offset, index, scale, application), pointer);
            }
            if let Step::Each { link, also } = last {
                return (self.nodes_behind(&leaves, link, also), pointer);
            }
            let (address, ty) = self.step(&leaves, last);
            let sym = self.load(&address, ty);
            width = self.width(ty);
            leaves = self.leaves(&sym, width);
        }
        (leaves, width)
    }

    /// The addresses of the elements whose number an argument is.
    fn elements(
        &mut self,
        array: &Leaves,
        offset: i64,
        index: u32,
        scale: i64,
        application: &Application<'_>,
    ) -> Leaves {
        let Some((sym, ty)) = application.args.get(index as usize) else { return Vec::new() };
        let width = self.width(*ty);
        let indices = self.leaves(sym, width);
        let array = array.iter().map(|&(when, leaf)| (when, self.moved(leaf, offset))).collect();
        self.indexed(&array, &indices, scale)
    }

    /// The addresses of the cell that a step reads, and its type.
    pub(crate) fn step(&mut self, leaves: &Leaves, step: Step) -> (Leaves, Type) {
        let (offset, ty) = match step {
            Step::At(offset) => (Some(offset), Type::Ptr),
            Step::Number { offset, bytes } => (Some(offset), Type::Int(bytes * 8)),
            Step::Somewhere => (None, Type::Ptr),
            Step::Each { link, .. } => (Some(link), Type::Ptr),
            // Neither hidden cells nor addresses of elements are cells to read.
            Step::State { .. } | Step::Element { .. } => (Some(0), Type::Int(8)),
        };
        let mut moved = Vec::with_capacity(leaves.len());
        for &(guard, leaf) in leaves {
            let leaf = match (leaf, offset) {
                (Leaf::Address(object, _), None) => Leaf::Address(object, Offset::Somewhere),
                // A field of what an unknown address leads to is not its first one.
                (_, Some(offset)) => self.moved(leaf, offset),
                (other, None) => other,
            };
            moved.push((guard, leaf));
        }
        (moved, ty)
    }

    /// The entry value that a result or a stored value is made of.
    pub(crate) fn entry_value(&mut self, value: &Value, application: &Application<'_>) -> Option<Leaves> {
        if let Value::Parts(parts) = value {
            // They are looked up, and remembered until the parts are put together.
            for part in parts {
                let _ = self.entry_value(part, application);
            }
        }
        entry_path(value).map(|path| self.resolve(path, application).0)
    }

    /// Reads the entry values that one of the effects of an outcome needs.
    pub(crate) fn prepare(
        &mut self,
        effect: &Effect,
        outcome: &[Effect],
        application: &Application<'_>,
    ) -> Prepared {
        match effect {
            Effect::Store { place, value } => {
                let cell = self.place(place, application);
                let value = self.entry_value(value, application);
                Prepared { cell, value }
            }
            Effect::Keep { value: path, .. } => {
                Prepared { cell: None, value: Some(self.resolve_kept(path, application)) }
            }
            Effect::Release { value: path, .. }
            | Effect::Clobber { place: path }
            | Effect::Zero { place: path, .. } => {
                let value = self.resolve_all(path, application);
                Prepared { cell: None, value: Some(value) }
            }
            Effect::Copy { to, from, .. } => {
                let cell = matches!(to.root, Root::Fresh(_)).then(Vec::new).map(|none| (none, Type::Ptr));
                let cell = cell.unwrap_or_else(|| (self.resolve(to, application).0, Type::Ptr));
                let mut value = self.resolve(from, application).0;
                // A source that the same outcome replaces is copied as it was at entry.
                if outcome.iter().any(|other| replaces(other, from)) {
                    for (_, leaf) in &mut value {
                        if let Leaf::Address(object, offset) = *leaf {
                            *leaf = Leaf::Address(self.past(object), offset);
                        }
                    }
                }
                Prepared { cell: Some(cell), value: Some(value) }
            }
            Effect::Calls { function, arguments, .. } => {
                let value = self.resolve_all(function, application);
                for argument in arguments {
                    let _ = self.entry_value(argument, application);
                }
                Prepared { cell: None, value: Some(value) }
            }
        }
    }

    /// The values of a path, where `Rest` stands for all variable arguments.
    pub(crate) fn resolve_all(&mut self, path: &Path, application: &Application<'_>) -> Leaves {
        match path.root {
            Root::Rest(first) => {
                let mut all = Vec::new();
                for index in first as usize..application.args.len() {
                    let one = Path { root: Root::Param(index as u32), steps: path.steps.clone() };
                    all.extend(self.resolve(&one, application).0);
                }
                all
            }
            _ => self.resolve(path, application).0,
        }
    }

    /// The address of the cell that a path ends in.
    pub(crate) fn place(&mut self, place: &Path, application: &Application<'_>) -> Option<(Leaves, Type)> {
        let (&last, before) = place.steps.split_last()?;
        if matches!(place.root, Root::Fresh(_)) {
            // The object does not exist yet; the cell is found when it does.
            return None;
        }
        let base = Path { root: place.root, steps: before.to_vec() };
        let (leaves, _) = self.resolve(&base, application);
        Some(self.step(&leaves, last))
    }
}

/// Entry values that an effect needs: the address of the cell that it changes, and a value.
pub(crate) struct Prepared {
    pub(crate) cell: Option<(Leaves, Type)>,
    pub(crate) value: Option<Leaves>,
}

/// Whether an effect replaces a range of what a path leads to.
fn replaces(effect: &Effect, path: &Path) -> bool {
    match effect {
        Effect::Copy { to: place, .. } | Effect::Zero { place, .. } => place == path,
        _ => false,
    }
}

fn entry_path(value: &Value) -> Option<&Path> {
    match value {
        // What the call acquires was not there before it.
        Value::Inside(Path { root: Root::Fresh(_), .. }) => None,
        Value::Entry { path, .. } | Value::Inside(path) | Value::Bits { path, .. } => Some(path),
        _ => None,
    }
}
