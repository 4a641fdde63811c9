//! A summary from an evaluated function: what a caller can observe, sorted into outcomes.
//!
//! Observations (results, stores to what the caller can reach, releases, kept objects) each have a guard over
//! the function's own conditions. The paths that return are split by these guards into classes on which every
//! observation is settled; each class becomes an outcome. Its condition is what the class says about entry
//! values alone. Too many classes are merged by leaving the least important observations undecided.

use crate::exits::Exits;
use crate::memory::{Cell, ObjectId, Origin, Site};
use crate::state::{Precision, State};
use crate::value::{Leaf, Leaves, Offset, Sym};
use rustc_hash::FxHashMap;
use watertight_ir::Type;
use watertight_logic::guard::{Condition, Guard};
use watertight_logic::term::{BinaryOp, Term, TermId, UnaryOp};
use watertight_summary::{
    CallAt, Completeness, Effect, Fresh, KeepReason, KindId, Outcome, Path, Relation, Root, Step, Summary,
    Test, Value, When,
};

/// The most outcomes of a summary.
const MOST_OUTCOMES: usize = 8;
/// The most conjunctions in the condition of an outcome; beyond, it is possible always.
const MOST_CUBES: usize = 4;
/// The most cells of the caller's that a summary describes one by one.
const MOST_STORES: usize = 16;

/// A class whose guard is larger than this says nothing about entry values.
const LARGEST_CLASS: usize = 200;

/// How many calls a summary remembers on the way to where something was acquired.
const LONGEST_TRAIL: usize = 4;

/// How far from a parameter or global a kept object may be to be mentioned.
const MOST_KEPT_STEPS: usize = 2;
/// The most observations that are told apart.
const MOST_OBSERVATIONS: usize = 40;
/// A class that depends on more entry values than this is possible always.
const MOST_TESTS: usize = 10;

/// Something a caller can observe when the guard holds.
#[derive(Clone, Debug)]
enum Observation {
    Result(Leaf),
    Store { place: Path, leaf: Leaf, ty: Type },
    Release { path: Path, kind: KindId },
    Keep { path: Path, assumed: bool },
}

pub fn infer(state: &mut State<'_>, exits: &Exits) -> Summary {
    let mut collector = Collector { state, observations: Vec::new(), partial: false };
    collector.releases();
    collector.results(exits);
    collector.stores(exits);
    collector.keeps();
    let Collector { mut observations, mut partial, .. } = collector;
    if observations.len() > MOST_OBSERVATIONS {
        observations.truncate(MOST_OBSERVATIONS);
        partial = true;
    }
    let classes = classes(state, exits.returned, &observations);
    let (classes, merged) = classes;
    let mut outcomes: Vec<Outcome> = Vec::new();
    for class in classes {
        let outcome =
            Writer { state, fresh: Vec::new(), objects: Vec::new() }.outcome(class, &observations, exits);
        if !outcomes.contains(&outcome) {
            outcomes.push(outcome);
        }
    }
    merge_conditions(&mut outcomes);
    let whole = !partial && !merged && !state.incomplete;
    let completeness = if whole { Completeness::Whole } else { Completeness::Partial };
    Summary { outcomes, completeness }
}

struct Collector<'s, 'a> {
    state: &'s mut State<'a>,
    observations: Vec<(Guard, Observation)>,
    partial: bool,
}

impl Collector<'_, '_> {
    fn releases(&mut self) {
        for object in self.state.objects.ids() {
            let released = self.state.objects[object].released;
            if released.is_false() {
                continue;
            }
            if let Origin::Entry(path) = &self.state.objects[object].origin {
                let path = path.clone();
                // Releasing the null pointer is no release, so the caller need not know about the test.
                let term = self.state.address_term(object, Offset::At(0));
                let zero = self.state.constant(self.state.pointer_width(), 0);
                let null = self.state.formulas.terms.eq(term, zero);
                let null = self.state.formulas.guard(null);
                let guard = self.state.formulas.guards.simplify(released, !null);
                let kind = KindId::HEAP;
                self.observations.push((guard, Observation::Release { path, kind }));
            }
        }
    }

    fn results(&mut self, exits: &Exits) {
        let ty = self.state.function.result;
        if ty == Type::Void || exits.returned.is_false() {
            return;
        }
        let mut all: Leaves = Vec::new();
        for (_, guard, sym) in self.state.returns.clone() {
            let width = self.state.width(ty);
            let Some(sym) = sym else { continue };
            if let Sym::Parts(_) = sym {
                self.partial = true;
                continue;
            }
            for (when, leaf) in self.state.leaves(&sym, width) {
                let when = self.state.and(guard, when);
                all.push((when, leaf));
            }
        }
        for (guard, leaf) in self.state.tidy(all) {
            self.observations.push((guard, Observation::Result(leaf)));
        }
    }

    /// Cells that the caller can reach and that hold something else than at entry.
    fn stores(&mut self, _exits: &Exits) {
        let mut count = 0;
        for object in self.state.objects.ids() {
            let base = match &self.state.objects[object].origin {
                Origin::Entry(path) => path.clone(),
                Origin::Global(global) if !self.state.context.is_constant(*global) => {
                    Path::root(Root::Global(*global))
                }
                _ => continue,
            };
            let scattered = self.state.objects[object].scattered.clone();
            for (guard, leaf) in scattered {
                if let Leaf::Address(held, _) = leaf
                    && let Origin::Entry(path) = &self.state.objects[held].origin
                {
                    let path = path.clone();
                    self.observations.push((guard, Observation::Keep { path, assumed: false }));
                }
            }
            for cell in self.state.objects[object].cells.clone() {
                let pointer = cell.bytes == u64::from(self.state.context.program.target.pointer_bits / 8);
                let addresses = cell.leaves.iter().any(|entry| !matches!(entry.1, Leaf::Number(_)));
                let (step, ty) = if pointer && (addresses || self.all_zero(&cell.leaves)) {
                    (Step::At(cell.offset), Type::Ptr)
                } else {
                    let bytes = cell.bytes as u32;
                    (Step::Number { offset: cell.offset, bytes }, Type::Int(bytes * 8))
                };
                let place = base.then(step);
                for (guard, leaf) in cell.leaves {
                    if self.is_entry_value(leaf, &place) {
                        continue;
                    }
                    count += 1;
                    if count > MOST_STORES {
                        self.partial = true;
                        return;
                    }
                    self.observations.push((guard, Observation::Store { place: place.clone(), leaf, ty }));
                }
            }
        }
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
            Leaf::Number(term) => self.state.input_path(term) == Some(place),
            _ => false,
        }
    }

    fn keeps(&mut self) {
        for object in self.state.objects.ids() {
            let (kept, assumed) = (self.state.objects[object].kept, self.state.objects[object].assumed_kept);
            if let Origin::Entry(path) = &self.state.objects[object].origin {
                // What lies far from the caller's own names says little to it.
                if path.steps.len() > MOST_KEPT_STEPS {
                    continue;
                }
                let path = path.clone();
                if !kept.is_false() {
                    self.observations.push((kept, Observation::Keep { path: path.clone(), assumed: false }));
                }
                if !assumed.is_false() {
                    self.observations.push((assumed, Observation::Keep { path, assumed: true }));
                }
            }
        }
    }
}

/// Splits the returning paths so that observations are settled; says whether some had to stay unsettled.
fn classes(
    state: &mut State<'_>,
    returned: Guard,
    observations: &[(Guard, Observation)],
) -> (Vec<Guard>, bool) {
    if returned.is_false() {
        return (Vec::new(), false);
    }
    let mut classes = vec![returned];
    let mut merged = false;
    for (guard, _) in observations {
        let mut next = Vec::new();
        for &class in &classes {
            let inside = state.and(class, *guard);
            let outside = state.formulas.guards.and_not(class, *guard);
            for part in [inside, outside] {
                if !part.is_false() {
                    next.push(part);
                }
            }
        }
        if next.len() > MOST_OUTCOMES {
            merged = true;
        } else {
            classes = next;
        }
    }
    (classes, merged)
}

struct Writer<'s, 'a> {
    state: &'s mut State<'a>,
    fresh: Vec<Fresh>,
    objects: Vec<ObjectId>,
}

impl Writer<'_, '_> {
    fn outcome(mut self, class: Guard, observations: &[(Guard, Observation)], exits: &Exits) -> Outcome {
        let when = self.when(class);
        let mut result = Value::Any;
        let mut effects = Vec::new();
        let mut results = 0;
        for (guard, observation) in observations {
            let both = self.state.and(class, *guard);
            if both.is_false() {
                continue;
            }
            let certain = both == class;
            match observation {
                Observation::Result(leaf) => {
                    results += 1;
                    let ty = self.state.function.result;
                    let value = self.value(*leaf, class, exits, ty);
                    result = if results == 1 && certain { value } else { join(result, value, results) };
                }
                Observation::Store { place, leaf, ty } => {
                    let known = effects
                        .iter()
                        .any(|effect| matches!(effect, Effect::Store { place: other, .. } if other == place));
                    if certain && !known && self.state.precision == Precision::Exact {
                        let value = self.value(*leaf, class, exits, *ty);
                        effects.push(Effect::Store { place: place.clone(), value });
                    } else {
                        self.uncertain(*leaf, place, known, &mut effects);
                    }
                }
                // A release on some paths of the class counts as one: to warn because of the others would
                // be a guess.
                Observation::Release { path, kind } => {
                    effects.push(Effect::Release { value: path.clone(), kind: *kind });
                }
                Observation::Keep { path, assumed } => {
                    let reason = if *assumed {
                        let function = self.state.assumptions.first().cloned().unwrap_or_default();
                        KeepReason::Assumed { function }
                    } else {
                        KeepReason::Stored
                    };
                    effects.push(Effect::Keep { value: path.clone(), reason });
                }
            }
        }
        self.contents(class, exits, &mut effects);
        Outcome { when, result, fresh: self.fresh, effects }
    }

    /// A value that is stored on some paths of a class only: the cell holds anything afterwards, and what
    /// may be stored there counts as kept.
    fn uncertain(&mut self, leaf: Leaf, place: &Path, known: bool, effects: &mut Vec<Effect>) {
        // An address that was there may still be there.
        if !known && matches!(place.steps.last(), Some(Step::Number { .. })) {
            effects.push(Effect::Store { place: place.clone(), value: Value::Any });
        }
        if let Leaf::Address(object, _) = leaf
            && let Origin::Entry(path) = &self.state.objects[object].origin
        {
            effects.push(Effect::Keep { value: path.clone(), reason: KeepReason::Stored });
        }
    }

    fn value(&mut self, leaf: Leaf, class: Guard, exits: &Exits, ty: Type) -> Value {
        match leaf {
            Leaf::Number(term) => self.number(term, ty, class),
            Leaf::Address(object, offset) => match self.state.objects[object].origin.clone() {
                Origin::Entry(path) => match offset {
                    Offset::At(plus) => Value::Entry { path, plus },
                    Offset::Somewhere => Value::Inside(path),
                },
                Origin::Global(global) => match offset {
                    Offset::At(plus) => Value::Entry { path: Path::root(Root::Global(global)), plus },
                    Offset::Somewhere => Value::Inside(Path::root(Root::Global(global))),
                },
                Origin::Fresh(site) => self.fresh(object, &site, offset, class, exits),
                Origin::Stack(_) | Origin::Elsewhere => Value::Any,
            },
            Leaf::Function(_) => Value::Any,
        }
    }

    /// A fresh object belongs to the caller if nobody else keeps it and it is not released.
    fn fresh(
        &mut self,
        object: ObjectId,
        site: &Site,
        offset: Offset,
        class: Guard,
        _exits: &Exits,
    ) -> Value {
        let entry = &self.state.objects[object];
        let (released, kept, assumed, zeroed) =
            (entry.released, entry.kept, entry.assumed_kept, entry.zeroed);
        let taken = self.state.formulas.guards.or_all([released, kept, assumed]);
        let taken = self.state.and(taken, class);
        if !taken.is_false() || self.held_elsewhere(object, class) {
            return Value::Such { relation: Relation::NotEqual, number: 0 };
        }
        let index = match self.objects.iter().position(|&known| known == object) {
            Some(index) => index,
            None => {
                self.objects.push(object);
                let trail = self.trail(site);
                self.fresh.push(Fresh { kind: site.kind, zeroed, by: None, trail });
                self.objects.len() - 1
            }
        };
        match offset {
            Offset::At(plus) => Value::Fresh { index: index as u32, plus },
            Offset::Somewhere => Value::Fresh { index: index as u32, plus: 0 },
        }
    }

    /// The calls that led to something, seen from the caller. Going round in a recursion adds nothing.
    fn trail(&self, site: &Site) -> Vec<CallAt> {
        let call = CallAt { function: self.state.id, inst: site.inst };
        if site.trail.contains(&call) {
            return site.trail.clone();
        }
        [call].into_iter().chain(site.trail.iter().copied()).take(LONGEST_TRAIL).collect()
    }

    /// Whether a global also holds the object: then the caller is not the one to release it.
    fn held_elsewhere(&mut self, object: ObjectId, class: Guard) -> bool {
        for id in self.state.objects.ids() {
            if !matches!(self.state.objects[id].origin, Origin::Global(_) | Origin::Elsewhere) {
                continue;
            }
            let held: Vec<(Guard, ObjectId)> = self.state.objects[id].held().collect();
            for (guard, next) in held {
                if next == object && !self.state.and(guard, class).is_false() {
                    return true;
                }
            }
        }
        false
    }

    /// Cells of fresh objects that lead to other fresh objects or to the caller's.
    fn contents(&mut self, class: Guard, exits: &Exits, effects: &mut Vec<Effect>) {
        let mut done = 0;
        while done < self.objects.len() && done < 16 {
            let object = self.objects[done];
            let base = Path::root(Root::Fresh(done as u32));
            let cells = self.state.objects[object].cells.clone();
            for cell in cells.iter().take(32) {
                for &(guard, leaf) in &cell.leaves {
                    let both = self.state.and(class, guard);
                    if both != class && !self.unless_it_failed(cell, guard, leaf, class) {
                        continue;
                    }
                    let (step, ty) = match leaf {
                        Leaf::Address(..) => (Step::At(cell.offset), Type::Ptr),
                        _ => {
                            let bytes = cell.bytes as u32;
                            (Step::Number { offset: cell.offset, bytes }, Type::Int(bytes * 8))
                        }
                    };
                    let value = self.value(leaf, class, exits, ty);
                    if !matches!(value, Value::Any) {
                        effects.push(Effect::Store { place: base.then(step), value });
                    }
                }
            }
            for (guard, leaf) in self.state.objects[object].scattered.clone() {
                let both = self.state.and(class, guard);
                if !both.is_false() {
                    let value = self.value(leaf, class, exits, Type::Ptr);
                    if !matches!(value, Value::Any) {
                        effects.push(Effect::Store { place: base.then(Step::Somewhere), value });
                    }
                }
            }
            done += 1;
        }
    }

    /// Whether a cell holds a fresh object on all paths of the class but those on which it could not be had,
    /// and nobody looked. A caller that is told of success misses nothing that it could lose.
    fn unless_it_failed(&mut self, cell: &Cell, guard: Guard, leaf: Leaf, class: Guard) -> bool {
        let Leaf::Address(object, _) = leaf else { return false };
        if !self.state.objects[object].is_fresh() || self.state.and(class, guard).is_false() {
            return false;
        }
        for &(other, leaf) in &cell.leaves {
            if other != guard
                && !matches!(leaf, Leaf::Number(term) if self.state.formulas.terms.const_value(term) == Some(0))
                && !self.state.and(class, other).is_false()
            {
                return false;
            }
        }
        let within = self.state.within(guard, class);
        let support = self.state.formulas.guards.support(within);
        support.into_iter().all(|condition| self.is_choice(condition))
    }

    /// Whether nothing decides a condition: a callee succeeds or fails as it likes.
    fn is_choice(&self, condition: Condition) -> bool {
        let Some(term) = self.state.formulas.conditions.term_of(condition) else { return false };
        let var = self.state.formulas.terms.as_variable(term);
        var.is_some_and(|var| self.state.formulas.terms.tag(var).is_none())
    }

    fn number(&mut self, term: TermId, ty: Type, class: Guard) -> Value {
        let width = self.state.formulas.terms.width(term);
        if let Some(value) = self.state.formulas.terms.const_value(term) {
            return match i64::try_from(width.signed(value)) {
                Ok(number) => Value::Number(number),
                Err(_) => Value::Any,
            };
        }
        if let Some(path) = self.state.input_path(term) {
            return Value::Entry { path: path.clone(), plus: 0 };
        }
        if let Some(value) = self.derived(term) {
            return value;
        }
        if let Some(&(least, most)) = self.state.ranges.get(&term) {
            return if most < 0 {
                Value::Such { relation: Relation::Less, number: 0 }
            } else if least > 0 {
                Value::Such { relation: Relation::Greater, number: 0 }
            } else if least == 0 {
                Value::Such { relation: Relation::GreaterEqual, number: 0 }
            } else {
                Value::Any
            };
        }
        if ty == Type::BOOL || ty == Type::Void {
            return Value::Any;
        }
        // What the paths of the class say about the sign.
        let zero = self.state.constant(width, 0);
        let (is_zero, negative) =
            (self.state.formulas.terms.eq(term, zero), self.state.formulas.terms.slt(term, zero));
        let (is_zero, negative) = (self.state.formulas.guard(is_zero), self.state.formulas.guard(negative));
        let guards = &mut self.state.formulas.guards;
        if guards.entails(class, is_zero) {
            Value::Number(0)
        } else if guards.entails(class, negative) {
            Value::Such { relation: Relation::Less, number: 0 }
        } else if guards.entails(class, !is_zero) {
            Value::Such { relation: Relation::NotEqual, number: 0 }
        } else {
            Value::Any
        }
    }

    /// A number made from an entry value by adding a constant, or by changing bits: an address that went
    /// through an integer stays recognisable.
    fn derived(&self, term: TermId) -> Option<Value> {
        let terms = &self.state.formulas.terms;
        let Term::Binary(op, a, b) = terms.view(term) else { return None };
        let (subject, constant) = match (terms.const_value(a), terms.const_value(b)) {
            (None, Some(constant)) => (a, constant),
            (Some(constant), None) => (b, constant),
            (None, None) if matches!(op, BinaryOp::Or | BinaryOp::And) => {
                let path = self.state.input_path(a).or_else(|| self.state.input_path(b))?;
                return Some(Value::Inside(path.clone()));
            }
            _ => return None,
        };
        let path = self.state.input_path(subject)?.clone();
        match op {
            BinaryOp::Add => {
                let plus = i64::try_from(terms.width(term).signed(constant)).ok()?;
                Some(Value::Entry { path, plus })
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => Some(Value::Inside(path)),
            _ => None,
        }
    }

    /// What a class says about entry values.
    fn when(&mut self, class: Guard) -> When {
        if self.state.formulas.guards.overflowed() || self.state.formulas.guards.size(class) > LARGEST_CLASS {
            return When::always();
        }
        let support = self.state.formulas.guards.support(class);
        let mut tests: Vec<(Condition, Test)> = Vec::new();
        let mut inner = Vec::new();
        for condition in support {
            match self.test(condition) {
                Some(test) => tests.push((condition, test)),
                None => inner.push(condition),
            }
        }
        if tests.is_empty() || tests.len() > MOST_TESTS {
            return When::always();
        }
        let outer = self.project(class, &inner, &mut FxHashMap::default());
        if outer.is_true() {
            return When::always();
        }
        match self.state.formulas.guards.cubes(outer, MOST_CUBES) {
            Some(cubes) => {
                let any = cubes.iter().map(|cube| {
                    let literals = cube.iter().filter_map(|literal| {
                        let (_, test) = tests.iter().find(|entry| entry.0 == literal.condition)?;
                        Some(if literal.holds { test.clone() } else { negated(test) })
                    });
                    literals.collect()
                });
                When { any: any.collect() }
            }
            None => When::always(),
        }
    }

    /// The guard with some conditions left open. One walk over the guard, which is small.
    fn project(&mut self, guard: Guard, inner: &[Condition], known: &mut FxHashMap<Guard, Guard>) -> Guard {
        if let Some(&result) = known.get(&guard) {
            return result;
        }
        let Some((condition, high, low)) = self.state.formulas.guards.branch(guard) else { return guard };
        let (high, low) = (self.project(high, inner, known), self.project(low, inner, known));
        let result = if inner.contains(&condition) {
            self.state.or(high, low)
        } else {
            let literal = self.state.formulas.guards.literal(condition);
            self.state.formulas.guards.ite(literal, high, low)
        };
        known.insert(guard, result);
        result
    }

    /// A condition as a test of an entry value.
    fn test(&self, condition: Condition) -> Option<Test> {
        let term = self.state.formulas.conditions.term_of(condition)?;
        // A truth value of the caller's.
        if let Some(path) = self.state.input_path(term) {
            let value = path.clone();
            return Some(Test { value, mask: None, relation: Relation::NotEqual, number: 0 });
        }
        let Term::Binary(op, a, b) = self.state.formulas.terms.view(term) else { return None };
        let terms = &self.state.formulas.terms;
        let constant = |term: TermId| {
            let value = terms.const_value(term)?;
            i64::try_from(terms.width(term).signed(value)).ok()
        };
        let (subject, number, swapped) = match (constant(a), constant(b)) {
            (None, Some(number)) => (a, number, false),
            (Some(number), None) => (b, number, true),
            _ => return None,
        };
        let relation = match (op, swapped) {
            (BinaryOp::Eq, _) => Relation::Equal,
            (BinaryOp::SLt, false) => Relation::Less,
            (BinaryOp::SLt, true) => Relation::Greater,
            (BinaryOp::SLe, false) => Relation::LessEqual,
            (BinaryOp::SLe, true) => Relation::GreaterEqual,
            (BinaryOp::ULt, false) => Relation::UnsignedLess,
            (BinaryOp::ULt, true) => Relation::UnsignedGreater,
            (BinaryOp::ULe, false) => Relation::UnsignedLessEqual,
            (BinaryOp::ULe, true) => Relation::UnsignedGreaterEqual,
            _ => return None,
        };
        let (subject, mask) = match terms.view(subject) {
            Term::Binary(BinaryOp::And, x, y) => match (terms.const_value(x), terms.const_value(y)) {
                (None, Some(mask)) => (x, Some(u64::try_from(mask).ok()?)),
                (Some(mask), None) => (y, Some(u64::try_from(mask).ok()?)),
                _ => return None,
            },
            Term::Unary(UnaryOp::Not, _) => return None,
            _ => (subject, None),
        };
        // A test of some bits: the mask picks them where they stand in the value.
        if let Term::Extract { of, high, low } = terms.view(subject)
            && mask.is_none()
            && relation == Relation::Equal
            && high < 63
        {
            let path = self.state.input_path(of)?.clone();
            let width = high - low + 1;
            let ones = (1u64 << width) - 1;
            return Some(Test {
                value: path,
                mask: Some(ones << low),
                relation,
                number: (number & ones as i64) << low,
            });
        }
        let path = self.state.input_path(subject)?.clone();
        Some(Test { value: path, mask, relation, number })
    }
}

fn join(first: Value, second: Value, count: u32) -> Value {
    if count == 1 {
        second
    } else if first == second {
        first
    } else {
        Value::Any
    }
}

fn negated(test: &Test) -> Test {
    let relation = match test.relation {
        Relation::Equal => Relation::NotEqual,
        Relation::NotEqual => Relation::Equal,
        Relation::Less => Relation::GreaterEqual,
        Relation::GreaterEqual => Relation::Less,
        Relation::Greater => Relation::LessEqual,
        Relation::LessEqual => Relation::Greater,
        Relation::UnsignedLess => Relation::UnsignedGreaterEqual,
        Relation::UnsignedGreaterEqual => Relation::UnsignedLess,
        Relation::UnsignedGreater => Relation::UnsignedLessEqual,
        Relation::UnsignedLessEqual => Relation::UnsignedGreater,
    };
    Test { relation, ..test.clone() }
}

/// Outcomes that differ only in their condition become one.
fn merge_conditions(outcomes: &mut Vec<Outcome>) {
    let mut merged: Vec<Outcome> = Vec::new();
    for outcome in outcomes.drain(..) {
        let same = merged.iter_mut().find(|known| {
            known.result == outcome.result && known.fresh == outcome.fresh && known.effects == outcome.effects
        });
        match same {
            Some(known) => {
                known.when.any.extend(outcome.when.any);
                if known.when.is_always() || known.when.any.len() > MOST_CUBES {
                    known.when = When::always();
                }
            }
            None => merged.push(outcome),
        }
    }
    *outcomes = merged;
}
