//! Calls: a summary applied to the caller's state. Models and inferred summaries go the same way.
//!
//! The outcomes of a summary exclude each other. Where entry values do not decide between them, a fresh
//! choice does. All entry values are read before anything changes. Paths on which no outcome is possible
//! do not come back.

use crate::context::Known;
use crate::memory::{Object, ObjectId, Origin, Site};
use crate::state::{Event, EventKind, Precision, State, Step as Spent};
use crate::value::{Leaf, Leaves, Offset, Sym};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use watertight_ir::{Call, Callee, CompareOp, FuncId, InstId, Type};
use watertight_logic::guard::Guard;
use watertight_logic::width::Width;
use watertight_summary::{
    Effect, Fresh, KeepReason, KindId, Outcome, Path, Relation, Root, Step, Summary, Test, Value, When,
};

/// The most objects whose numbers an unknown function is taken to change.
const MOST_CLOBBERED: usize = 12;

/// A call being applied.
struct Application {
    inst: InstId,
    callee: Box<str>,
    args: Vec<(Sym, Type)>,
    /// The fresh objects of the outcome at hand, by number.
    fresh: Vec<ObjectId>,
    /// All fresh objects so far.
    made: Vec<ObjectId>,
    result_type: Type,
    /// Entry values of paths looked up so far.
    resolved: RefCell<FxHashMap<Path, (Leaves, Width)>>,
}

impl State<'_> {
    pub fn call(&mut self, inst: InstId, call: &Call, ty: Type) -> Spent<Option<Sym>> {
        self.budget.spend(4)?;
        let args: Vec<(Sym, Type)> =
            call.args.iter().map(|&arg| (self.value(arg), self.body.ty(arg))).collect();
        let targets: Vec<(Guard, Option<FuncId>)> = match call.callee {
            Callee::Direct(function) => vec![(Guard::TRUE, Some(function))],
            Callee::Pointer(pointer) => {
                let leaves = self.address(pointer);
                let known = leaves.into_iter().map(|(guard, leaf)| match leaf {
                    Leaf::Function(function) => (guard, Some(function)),
                    _ => (guard, None),
                });
                known.collect()
            }
        };
        let before = self.here;
        let mut after = Guard::FALSE;
        let mut result: Option<Sym> = None;
        for (guard, target) in targets {
            self.here = self.and(before, guard);
            if self.here.is_false() {
                continue;
            }
            let entered = self.here;
            let value = self.call_one(inst, target, &args, ty)?;
            if call.no_return {
                self.here = Guard::FALSE;
            }
            if let Some(target) = target {
                self.note_end(inst, target, entered);
            }
            after = self.or(after, self.here);
            if let Some(value) = value {
                let guard = self.within(guard, before);
                result = Some(match result {
                    None => value,
                    Some(other) => self.choose(guard, &value, &other, ty),
                });
            }
        }
        self.here = after;
        if ty != Type::Void && result.is_none() {
            result = Some(self.any(ty));
        }
        Ok(result)
    }

    fn call_one(
        &mut self,
        inst: InstId,
        target: Option<FuncId>,
        args: &[(Sym, Type)],
        ty: Type,
    ) -> Spent<Option<Sym>> {
        let Some(function) = target else {
            self.unknown_call(args, "a function pointer");
            return Ok((ty != Type::Void).then(|| self.any(ty)));
        };
        let context = self.context;
        let callee = &context.program.functions[function];
        if callee.attrs.no_return && callee.body.is_none() {
            self.here = Guard::FALSE;
            return Ok(None);
        }
        match self.component.lookup(context, function) {
            Known::Summary(summary) => {
                if callee.variadic && callee.body.is_some() && args.len() > callee.params.len() {
                    // What a function does with its variable arguments is not followed.
                    self.unknown_call(&args[callee.params.len()..], &callee.name);
                }
                let application = Application {
                    inst,
                    callee: callee.name.clone(),
                    args: args.to_vec(),
                    fresh: Vec::new(),
                    made: Vec::new(),
                    result_type: ty,
                    resolved: RefCell::default(),
                };
                self.apply(application, summary)
            }
            // A function of the component being iterated: nothing is known yet, so it does not return yet.
            Known::Pending => {
                self.here = Guard::FALSE;
                Ok(None)
            }
            Known::Nothing => {
                if !callee.attrs.no_memory && !callee.attrs.read_only {
                    self.unknown_call(args, &callee.name);
                }
                Ok((ty != Type::Void).then(|| self.any(ty)))
            }
        }
    }

    fn apply(&mut self, mut application: Application, summary: &Summary) -> Spent<Option<Sym>> {
        if self.precision == Precision::Coarse {
            return Ok(self.apply_coarse(application, summary));
        }
        let before = self.here;
        let possible: Vec<Guard> =
            summary.outcomes.iter().map(|outcome| self.when(&outcome.when, &application)).collect();
        // Entry values of everything the outcomes mention, read before anything changes.
        let prepared: Vec<Prepared> =
            summary.outcomes.iter().map(|outcome| self.prepare(outcome, &application)).collect();
        let mut later = vec![Guard::FALSE; possible.len()];
        for index in (0..possible.len().saturating_sub(1)).rev() {
            later[index] = self.or(later[index + 1], possible[index + 1]);
        }
        let mut rest = Guard::TRUE;
        let mut came_back = Guard::FALSE;
        let mut result: Option<Sym> = None;
        for (index, outcome) in summary.outcomes.iter().enumerate() {
            self.budget.spend(2)?;
            let mut taken = self.and(rest, possible[index]);
            if self.and(taken, later[index]) != Guard::FALSE {
                let choice = self.choice();
                let free = self.or(choice, !later[index]);
                taken = self.and(taken, free);
            }
            rest = self.formulas.guards.and_not(rest, taken);
            let guard = self.and(before, taken);
            if guard.is_false() {
                continue;
            }
            came_back = self.or(came_back, guard);
            let twins: Vec<usize> = (0..possible.len())
                .filter(|&other| other != index && summary.outcomes[other].result == outcome.result)
                .filter(|&other| !self.formulas.guards.disjoint(guard, possible[other]))
                .collect();
            for path in released_in_twins(summary, index, &twins) {
                // The callee releases it on other paths that look the same from here; why it does not on
                // this one is not known, so nothing is said about it.
                let leaves = self.resolve_all(path, &application);
                self.assume(&application.callee);
                self.keep(&leaves, guard, true);
            }
            let value = self.take_outcome(outcome, &prepared[index], guard, &mut application);
            if application.result_type != Type::Void {
                let relative = self.within(taken, before);
                let ty = application.result_type;
                result = Some(match result {
                    None => value,
                    Some(other) => self.choose(relative, &value, &other, ty),
                });
            }
        }
        self.here = came_back;
        Ok(result)
    }

    /// All outcomes, one after the other, as if each could have happened.
    fn apply_coarse(&mut self, mut application: Application, summary: &Summary) -> Option<Sym> {
        let mut result: Option<Sym> = None;
        let ty = application.result_type;
        for outcome in &summary.outcomes {
            let prepared = self.prepare(outcome, &application);
            let value = self.take_outcome(outcome, &prepared, Guard::TRUE, &mut application);
            if ty != Type::Void {
                let choice = self.choice();
                result = Some(match result {
                    None => value,
                    Some(other) => self.choose(choice, &value, &other, ty),
                });
            }
        }
        if summary.outcomes.is_empty() {
            self.here = Guard::FALSE;
        }
        result
    }

    /// When a condition on entry values holds.
    fn when(&mut self, when: &When, application: &Application) -> Guard {
        let mut any = Guard::FALSE;
        for tests in &when.any {
            let mut all = Guard::TRUE;
            for test in tests {
                let holds = self.test(test, application);
                all = self.and(all, holds);
            }
            any = self.or(any, all);
        }
        any
    }

    fn test(&mut self, test: &Test, application: &Application) -> Guard {
        let (leaves, width) = self.resolve(&test.value, application);
        let mut result = Guard::FALSE;
        let number = self.constant(width, test.number.into());
        for (guard, leaf) in leaves {
            let leaf = match test.mask {
                None => leaf,
                Some(mask) => {
                    let term = self.leaf_term(leaf, width);
                    let mask = self.formulas.terms.constant(width, width.mask(mask.into()));
                    Leaf::Number(self.formulas.terms.and(term, mask))
                }
            };
            let holds = self.compare_leaves(compare_op(test.relation), leaf, Leaf::Number(number), width);
            let both = self.and(guard, holds);
            result = self.or(result, both);
        }
        result
    }

    /// The value of a path, and its width.
    fn resolve(&mut self, path: &Path, application: &Application) -> (Leaves, Width) {
        if path.steps.is_empty() || matches!(path.root, Root::Fresh(_)) {
            return self.resolve_new(path, application);
        }
        // The outcomes of one call mention the same paths again and again.
        if let Some(known) = application.resolved.borrow().get(path) {
            return known.clone();
        }
        let result = self.resolve_new(path, application);
        application.resolved.borrow_mut().insert(path.clone(), result.clone());
        result
    }

    fn resolve_new(&mut self, path: &Path, application: &Application) -> (Leaves, Width) {
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
            Root::Result | Root::Rest(_) => (Vec::new(), pointer),
        };
        if let Some((&last, before)) = path.steps.split_last() {
            if !before.is_empty() {
                let base = Path { root: path.root, steps: before.to_vec() };
                leaves = self.resolve(&base, application).0;
            }
            let (address, ty) = self.step(&leaves, last);
            let sym = self.load(&address, ty);
            width = self.width(ty);
            leaves = self.leaves(&sym, width);
        }
        (leaves, width)
    }

    /// The addresses of the cell that a step reads, and its type.
    fn step(&mut self, leaves: &Leaves, step: Step) -> (Leaves, Type) {
        let (offset, ty) = match step {
            Step::At(offset) => (Some(offset), Type::Ptr),
            Step::Number { offset, bytes } => (Some(offset), Type::Int(bytes * 8)),
            Step::Somewhere => (None, Type::Ptr),
        };
        let moved = leaves.iter().map(|&(guard, leaf)| {
            let leaf = match (leaf, offset) {
                (Leaf::Address(object, at), Some(offset)) => Leaf::Address(object, at.plus(offset)),
                (Leaf::Address(object, _), None) => Leaf::Address(object, Offset::Somewhere),
                (other, _) => other,
            };
            (guard, leaf)
        });
        (moved.collect(), ty)
    }

    fn prepare(&mut self, outcome: &Outcome, application: &Application) -> Prepared {
        let mut prepared = Prepared { result: None, effects: Vec::new() };
        if let Some(path) = entry_path(&outcome.result) {
            prepared.result = Some(self.resolve(path, application).0);
        }
        for effect in &outcome.effects {
            let entry = match effect {
                Effect::Store { place, value } => {
                    let cell = self.place(place, application);
                    let value = entry_path(value).map(|path| self.resolve(path, application).0);
                    PreparedEffect { cell, value }
                }
                Effect::Release { value, .. } | Effect::Keep { value, .. } => {
                    let value = self.resolve_all(value, application);
                    PreparedEffect { cell: None, value: Some(value) }
                }
                Effect::Clobber { place } => {
                    let value = self.resolve_all(place, application);
                    PreparedEffect { cell: None, value: Some(value) }
                }
                Effect::Copy { to, from } => {
                    let cell = matches!(to.root, Root::Fresh(_)).then(Vec::new).map(|none| (none, Type::Ptr));
                    let cell = cell.unwrap_or_else(|| (self.resolve(to, application).0, Type::Ptr));
                    let value = self.resolve(from, application).0;
                    PreparedEffect { cell: Some(cell), value: Some(value) }
                }
                Effect::Calls { function, arguments } => {
                    let value = self.resolve_all(function, application);
                    for argument in arguments {
                        if let Some(path) = entry_path(argument) {
                            let _ = self.resolve(path, application);
                        }
                    }
                    PreparedEffect { cell: None, value: Some(value) }
                }
            };
            prepared.effects.push(entry);
        }
        prepared
    }

    /// The values of a path, where `Rest` stands for all variable arguments.
    fn resolve_all(&mut self, path: &Path, application: &Application) -> Leaves {
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
    fn place(&mut self, place: &Path, application: &Application) -> Option<(Leaves, Type)> {
        let (&last, before) = place.steps.split_last()?;
        if matches!(place.root, Root::Fresh(_)) {
            // The object does not exist yet; the cell is found when it does.
            return None;
        }
        let base = Path { root: place.root, steps: before.to_vec() };
        let (leaves, _) = self.resolve(&base, application);
        Some(self.step(&leaves, last))
    }

    fn take_outcome(
        &mut self,
        outcome: &Outcome,
        prepared: &Prepared,
        guard: Guard,
        application: &mut Application,
    ) -> Sym {
        application.fresh.clear();
        for (number, fresh) in outcome.fresh.iter().enumerate() {
            let object = self.fresh_object(number, fresh, application);
            application.fresh.push(object);
            let exists = self.objects[object].exists;
            self.objects[object].exists = self.or(exists, guard);
            self.objects[object].zeroed |= fresh.zeroed;
            self.event(application.inst, object, guard, EventKind::Acquire);
        }
        for (effect, ready) in outcome.effects.iter().zip(&prepared.effects) {
            self.effect(effect, ready, guard, application);
        }
        let ty = application.result_type;
        self.outcome_value(&outcome.result, prepared.result.as_ref(), ty, application)
    }

    /// The object for something that the call acquires. Objects of different outcomes that were acquired in
    /// the same place are one and the same, since at most one outcome happens.
    fn fresh_object(&mut self, number: usize, fresh: &Fresh, application: &mut Application) -> ObjectId {
        let kind = fresh.kind;
        let site = Site {
            inst: application.inst,
            number: number as u32,
            kind,
            callee: application.callee.clone(),
            trail: fresh.trail.clone(),
        };
        let origin = Origin::Fresh(site);
        if let Some(&known) = application.made.iter().find(|&&made| self.objects[made].origin == origin) {
            return known;
        }
        let mut object = Object::new(origin);
        object.exists = Guard::FALSE;
        let id = self.objects.push(object);
        application.made.push(id);
        if let Some(least) = self.context.library.kinds.get(kind).number {
            let term = self.unknown_number(Width::W32);
            self.ranges.insert(term, (least.into(), i128::from(i32::MAX)));
            self.objects[id].address = Some(term);
        }
        id
    }

    fn outcome_value(
        &mut self,
        value: &Value,
        entry: Option<&Leaves>,
        ty: Type,
        application: &Application,
    ) -> Sym {
        let width = self.width(ty);
        if ty == Type::Void {
            return Sym::Truth(Guard::FALSE);
        }
        match value {
            Value::Number(number) if ty == Type::BOOL => Sym::Truth(Guard::truth(number & 1 == 1)),
            Value::Number(number) => Sym::number(self.constant(width, (*number).into())),
            Value::Entry { plus, .. } => match entry {
                Some(leaves) if !leaves.is_empty() => {
                    let moved = leaves.iter().map(|&(guard, leaf)| {
                        let leaf = match leaf {
                            Leaf::Address(object, offset) => Leaf::Address(object, offset.plus(*plus)),
                            Leaf::Number(term) if *plus != 0 => {
                                let from = self.formulas.terms.width(term);
                                let bytes = self.constant(from, (*plus).into());
                                Leaf::Number(self.formulas.terms.add(term, bytes))
                            }
                            other => other,
                        };
                        (guard, leaf)
                    });
                    let moved: Leaves = moved.collect();
                    self.resized(moved, width)
                }
                _ => self.any(ty),
            },
            Value::Inside(_) => match entry {
                Some(leaves) if !leaves.is_empty() => {
                    let mut moved = Vec::with_capacity(leaves.len());
                    for &(guard, leaf) in leaves {
                        let leaf = match leaf {
                            Leaf::Address(object, _) => Leaf::Address(object, Offset::Somewhere),
                            // Null stays null when bits are taken away or an address inside is asked for.
                            Leaf::Number(term) if self.formulas.terms.const_value(term) == Some(0) => leaf,
                            _ => Leaf::Number(self.unknown_number(width)),
                        };
                        moved.push((guard, leaf));
                    }
                    Sym::Leaves(self.tidy(moved))
                }
                _ => self.any(ty),
            },
            Value::Fresh { index, plus } => match application.fresh.get(*index as usize) {
                Some(&object) => Sym::one(Leaf::Address(object, Offset::At(*plus))),
                None => self.any(ty),
            },
            Value::Such { relation, number } => {
                let term = match ty {
                    Type::Ptr => {
                        let leaf = self.elsewhere();
                        let term = self.leaf_term(leaf, width);
                        self.set_range(term, width, *relation, *number);
                        return Sym::one(leaf);
                    }
                    _ => self.unknown_number(width),
                };
                self.set_range(term, width, *relation, *number);
                if ty == Type::BOOL { Sym::Truth(self.formulas.guard(term)) } else { Sym::number(term) }
            }
            Value::Any => self.any(ty),
        }
    }

    /// Entry values at the width of the result.
    fn resized(&mut self, leaves: Leaves, width: Width) -> Sym {
        let mut result = Vec::with_capacity(leaves.len());
        for (guard, leaf) in leaves {
            let leaf = match leaf {
                Leaf::Number(term) if self.formulas.terms.width(term) != width => {
                    Leaf::Number(self.leaf_term(leaf, width))
                }
                other => other,
            };
            result.push((guard, leaf));
        }
        Sym::Leaves(result)
    }

    /// Records what is known of an unknown, as far as a range can say it.
    fn set_range(
        &mut self,
        term: watertight_logic::term::TermId,
        width: Width,
        relation: Relation,
        number: i64,
    ) {
        let least = -(1i128 << (width.bits() - 1));
        let most = (1i128 << (width.bits() - 1)) - 1;
        let number = i128::from(number);
        let range = match relation {
            Relation::Equal => (number, number),
            Relation::Less => (least, number - 1),
            Relation::LessEqual => (least, number),
            Relation::Greater => (number + 1, most),
            Relation::GreaterEqual => (number, most),
            // Not one number: as an address, a real one.
            Relation::NotEqual
                if number == 0
                    && width.bits() >= 32
                    && self.formulas.terms.width(term) == self.pointer_width() =>
            {
                (1, most)
            }
            _ => return,
        };
        self.ranges.insert(term, range);
    }

    fn effect(
        &mut self,
        effect: &Effect,
        ready: &PreparedEffect,
        guard: Guard,
        application: &mut Application,
    ) {
        match effect {
            Effect::Store { place, value } => {
                let cell = match &ready.cell {
                    Some(cell) => Some(cell.clone()),
                    None => self.fresh_place(place, application),
                };
                let Some((address, ty)) = cell else { return };
                if ty == Type::Ptr && matches!(value, Value::Any) {
                    // What was there may have gone anywhere.
                    let old = self.load(&address, ty);
                    let width = self.pointer_width();
                    let old = self.leaves(&old, width);
                    self.keep(&old, guard, true);
                }
                let sym = self.outcome_value(value, ready.value.as_ref(), ty, application);
                self.store(&address, &sym, ty, guard);
            }
            Effect::Release { kind, .. } => {
                for &(when, leaf) in ready.value.iter().flatten() {
                    let when = self.and(guard, when);
                    self.release(leaf, *kind, when, application.inst);
                }
            }
            Effect::Keep { reason, .. } => {
                let leaves = ready.value.clone().unwrap_or_default();
                match reason {
                    KeepReason::Stored => self.keep(&leaves, guard, false),
                    KeepReason::Assumed { function } => {
                        self.assume(function);
                        self.keep(&leaves, guard, true);
                    }
                }
            }
            Effect::Clobber { .. } => {
                let leaves = ready.value.clone().unwrap_or_default();
                self.clobber(&leaves, guard);
            }
            Effect::Copy { to, .. } => {
                let from = ready.value.clone().unwrap_or_default();
                let to = match (&ready.cell, to.root) {
                    (_, Root::Fresh(index)) => match application.fresh.get(index as usize) {
                        Some(&object) => vec![(Guard::TRUE, Leaf::Address(object, Offset::At(0)))],
                        None => return,
                    },
                    (Some((cell, _)), _) => cell.clone(),
                    (None, _) => return,
                };
                self.copy(&to, &from, None, guard);
            }
            Effect::Calls { .. } => {}
        }
    }

    fn fresh_place(&mut self, place: &Path, application: &Application) -> Option<(Leaves, Type)> {
        let (&last, before) = place.steps.split_last()?;
        let base = Path { root: place.root, steps: before.to_vec() };
        let (leaves, _) = self.resolve(&base, application);
        Some(self.step(&leaves, last))
    }

    pub fn release(&mut self, leaf: Leaf, _kind: KindId, guard: Guard, inst: InstId) {
        let Leaf::Address(object, _) = leaf else { return };
        if guard.is_false() {
            return;
        }
        let before = self.objects[object].released;
        let again = self.and(before, guard);
        // An object that stands for several elements of an array may be released once for each.
        if !again.is_false() && !self.objects[object].several {
            self.event(inst, object, again, EventKind::ReleaseAgain);
        }
        self.objects[object].released = self.or(before, guard);
        self.event(inst, object, guard, EventKind::Release);
    }

    pub fn event(&mut self, inst: InstId, object: ObjectId, guard: Guard, kind: EventKind) {
        self.events.push(Event { node: self.node, inst, guard, object, kind });
    }

    pub fn assume(&mut self, function: &str) {
        if !self.assumptions.iter().any(|known| **known == *function) {
            self.assumptions.push(function.into());
        }
    }

    /// Someone else answers for these objects. What they lead to follows when the exits are looked at.
    fn keep(&mut self, leaves: &Leaves, guard: Guard, assumed: bool) {
        if !assumed {
            return self.keep_leaves(leaves, guard);
        }
        for &(when, leaf) in leaves {
            if let Leaf::Address(object, _) = leaf {
                let when = self.and(guard, when);
                let kept = self.objects[object].assumed_kept;
                self.objects[object].assumed_kept = self.or(kept, when);
            }
        }
    }

    /// Objects that addresses lead to in a few steps, whatever the path.
    fn nearby(&self, leaves: &Leaves) -> Vec<ObjectId> {
        let mut found: Vec<ObjectId> = Vec::new();
        for (_, leaf) in leaves {
            if let Leaf::Address(object, _) = leaf
                && !found.contains(object)
            {
                found.push(*object);
            }
        }
        let mut next = 0;
        while next < found.len() && found.len() < MOST_CLOBBERED {
            for (_, held) in self.objects[found[next]].held() {
                if !found.contains(&held) {
                    found.push(held);
                }
            }
            next += 1;
        }
        found.truncate(MOST_CLOBBERED);
        found
    }

    /// Numbers in what these addresses lead to may have changed; addresses stay where they were, because
    /// an unknown function rarely drops what its caller owns, and to say so would be a false alarm.
    pub fn clobber(&mut self, leaves: &Leaves, guard: Guard) {
        let when = leaves.iter().fold(Guard::FALSE, |all, entry| self.formulas.guards.or(all, entry.0));
        let when = self.and(when, guard);
        for object in self.nearby(leaves) {
            let cells = self.objects[object].cells.clone();
            for cell in cells {
                if cell.leaves.iter().all(|entry| matches!(entry.1, Leaf::Number(_)))
                    && let Some(width) = Width::new((cell.bytes as u32).saturating_mul(8))
                {
                    let ty = Type::Int(width.bits());
                    let pointer = cell.bytes == u64::from(self.context.program.target.pointer_bits / 8);
                    let leaf =
                        if pointer { self.elsewhere() } else { Leaf::Number(self.unknown_number(width)) };
                    self.write(object, cell.offset, cell.bytes, &vec![(Guard::TRUE, leaf)], ty, when);
                }
            }
            let clobbered = self.objects[object].clobbered;
            self.objects[object].clobbered = self.or(clobbered, when);
        }
    }

    /// A call of something nothing is known about.
    fn unknown_call(&mut self, args: &[(Sym, Type)], name: &str) {
        let syms: Vec<Sym> = args.iter().map(|arg| arg.0.clone()).collect();
        self.unknown_effects(&syms, name);
    }

    pub fn unknown_effects(&mut self, args: &[Sym], name: &str) {
        let width = self.pointer_width();
        let guard = self.here;
        for arg in args {
            let leaves = match arg {
                Sym::Parts(parts) => {
                    let parts = parts.clone();
                    self.unknown_effects(&parts, name);
                    continue;
                }
                other => self.leaves(other, width),
            };
            if leaves.iter().any(|entry| matches!(entry.1, Leaf::Address(..))) {
                self.assume(name);
                self.keep(&leaves, guard, true);
                self.clobber(&leaves, guard);
            }
        }
    }
}

/// Entry values of one outcome.
struct Prepared {
    result: Option<Leaves>,
    effects: Vec<PreparedEffect>,
}

struct PreparedEffect {
    cell: Option<(Leaves, Type)>,
    value: Option<Leaves>,
}

/// What other outcomes release that this one does not.
fn released_in_twins<'s>(summary: &'s Summary, index: usize, twins: &[usize]) -> Vec<&'s Path> {
    let released = |index: usize| {
        summary.outcomes[index].effects.iter().filter_map(|effect| match effect {
            Effect::Release { value, .. } => Some(value),
            _ => None,
        })
    };
    let mut missing: Vec<&Path> = Vec::new();
    for path in twins.iter().flat_map(|&twin| released(twin)) {
        if !released(index).any(|own| own == path) && !missing.contains(&path) {
            missing.push(path);
        }
    }
    missing
}

fn entry_path(value: &Value) -> Option<&Path> {
    match value {
        Value::Entry { path, .. } | Value::Inside(path) => Some(path),
        _ => None,
    }
}

pub fn compare_op(relation: Relation) -> CompareOp {
    match relation {
        Relation::Equal => CompareOp::Eq,
        Relation::NotEqual => CompareOp::Ne,
        Relation::Less => CompareOp::Slt,
        Relation::LessEqual => CompareOp::Sle,
        Relation::Greater => CompareOp::Sgt,
        Relation::GreaterEqual => CompareOp::Sge,
        Relation::UnsignedLess => CompareOp::Ult,
        Relation::UnsignedLessEqual => CompareOp::Ule,
        Relation::UnsignedGreater => CompareOp::Ugt,
        Relation::UnsignedGreaterEqual => CompareOp::Uge,
    }
}
