//! One outcome of a summary: what a class of paths does, told in the caller's terms.
//!
//! In: a guard on which the important observations are settled, and the observations. Out: an [`Outcome`]. What
//! is not settled in a class is told so that nothing false follows: a release that happens on some of its paths
//! only counts as possibly kept, and a cell that is written on some only holds anything.

use crate::assumptions::Supposed;
use crate::calls::callbacks::POINTER;
use crate::context::brief::join;
use crate::exits::owners::{Owners, reached_from};
use crate::limits::{LONGEST_TRAIL, MOST_CELLS, MOST_FRESH, NUMBER_DEPTH, SUM_DEPTH};
use crate::machine::memory::{Cell, ObjectId, Origin, Site};
use crate::machine::provenance::Provenance;
use crate::machine::state::State;
use crate::machine::value::{Leaf, Offset};
use crate::outcomes::bits::{Bits, bits_of};
use crate::outcomes::chains::each_node;
use crate::outcomes::condense::condense;
use crate::outcomes::conditions::Tests;
use crate::outcomes::observe::{Observation, Observed, only_choices};
use crate::outcomes::one_of_new::Member;
use crate::outcomes::pieces::word_of;
use rustc_hash::{FxHashMap, FxHashSet};
use watertight_ir::Type;
use watertight_logic::cone::support;
use watertight_logic::guard::Guard;
use watertight_logic::term::{BinaryOp, Extension, Term, TermId, UnaryOp};
use watertight_summary::property::Property;
use watertight_summary::{
    CallAt, Completeness, Effect, Fresh, KeepReason, Outcome, Path, PieceOf, Relation, Root, Step, Value, Way,
};

/// Writes one outcome.
pub struct Writer<'s, 'a> {
    pub(crate) state: &'s mut State<'a>,
    owners: &'s Owners,
    completeness: Completeness,
    /// Objects that may be held in a place which is not settled.
    unsettled: Vec<ObjectId>,
    pub(super) fresh: Vec<Fresh>,
    pub(super) objects: Vec<ObjectId>,
    /// The blocks of which the caller gets one and is not told which, each with its paths; the first of them stands for all.
    pub(super) any_of: Vec<Member>,
    asked: &'s mut Asked,
    /// What is known of observations on the paths of the class.
    settled: Vec<Option<Settled>>,
}

/// Whether an observation is made on the paths of a class.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Settled {
    /// On none.
    Never,
    /// On all on which it makes a difference.
    Always,
}

/// Answers that all outcomes of a function share.
pub struct Asked {
    signs: Signs,
    tests: Tests,
}

impl Asked {
    pub fn new(state: &State<'_>) -> Asked {
        Asked { signs: Signs::default(), tests: Tests::new(state) }
    }
}

/// When numbers are less than zero, zero, more than zero, at least zero and at most zero, where the function asks.
type Signs = FxHashMap<TermId, [Option<Guard>; 5]>;

fn sign_guards(state: &mut State<'_>, term: TermId) -> [Option<Guard>; 5] {
    let zero = state.constant(state.formulas.terms.width(term), 0);
    let terms = &mut state.formulas.terms;
    let tests = [
        terms.slt(term, zero),
        terms.eq(term, zero),
        terms.slt(zero, term),
        terms.sle(zero, term),
        terms.sle(term, zero),
    ];
    tests.map(|test| (!state.formulas.is_new(test)).then(|| state.formulas.guard(test)))
}

impl<'s, 'a> Writer<'s, 'a> {
    pub fn new(
        state: &'s mut State<'a>,
        owners: &'s Owners,
        completeness: Completeness,
        asked: &'s mut Asked,
        settled: Vec<Option<Settled>>,
    ) -> Writer<'s, 'a> {
        Writer {
            state,
            owners,
            completeness,
            unsettled: Vec::new(),
            fresh: Vec::new(),
            objects: Vec::new(),
            any_of: Vec::new(),
            asked,
            settled,
        }
    }

    pub fn outcome(mut self, way: Way, class: Guard, observations: &[Observed]) -> Outcome {
        let when = self.state.entry_condition(class, &mut self.asked.tests);
        self.unsettled = self.held_unsettled(class, observations);
        let mut result: Option<Value> = None;
        let mut parts: Vec<Option<Value>> = Vec::new();
        let mut effects = Vec::new();
        let mut calls = Vec::new();
        let mut stored: FxHashSet<&Path> = FxHashSet::default();
        let mut cursors: Vec<&Path> = Vec::new();
        // Ranges come first: cells that were written later differ from them.
        for observed in observations {
            if let Observation::Range { place, link } = &observed.what {
                self.range(place, link, class, &mut effects);
            }
        }
        for observed in observations {
            if let Observation::Untold { place } = &observed.what
                && !self.state.formulas.guards.disjoint(class, observed.when)
            {
                effects.push(Effect::Clobber { place: place.clone() });
            }
        }
        for (index, observed) in observations.iter().enumerate() {
            if self.never(class, index, observed)
                || self.state.formulas.guards.entails(class, observed.vacuous)
            {
                continue;
            }
            // Which parts of a struct go together is told only if everything is.
            let certain = self.certain(class, index, observed)
                && (self.completeness == Completeness::Whole
                    || !matches!(observed.what, Observation::Part { leaf: Leaf::Address(..), .. }));
            if let (false, Observation::Result(leaf) | Observation::Part { leaf, .. }) =
                (certain || way == Way::Jumps, &observed.what)
            {
                self.returned_unsettled(*leaf, class, &mut effects);
            }
            match &observed.what {
                // After a jump only what became of objects matters.
                Observation::Result(_) | Observation::Part { .. } if way == Way::Jumps => {}
                Observation::Store { place, .. } if observed.is_state() => {
                    let told = |effect: &Effect| matches!(effect, Effect::Store { place: other, .. } if other == place);
                    if !effects.iter().any(told)
                        && let Some(value) = self.state_after(place, class, observations)
                    {
                        effects.push(Effect::Store { place: place.clone(), value });
                    }
                }
                Observation::Store { place, leaf, .. } if way == Way::Jumps => {
                    self.uncertain(*leaf, place, true, &mut effects);
                }
                Observation::Result(leaf) => {
                    let ty = self.state.function.result;
                    if !certain && result.is_none() {
                        result = self.one_new(class, observations);
                    }
                    // It is one of these.
                    if matches!(result, Some(Value::Fresh { .. })) {
                        continue;
                    }
                    result = Some(match result {
                        None if certain => self.value(*leaf, class, ty),
                        None => self.number_or_any(*leaf, class, observed.when, ty),
                        Some(other) => {
                            let value = self.number_or_any(*leaf, class, observed.when, ty);
                            join(&other, &value)
                        }
                    });
                }
                Observation::Part { index, leaf, ty } => {
                    let value = if certain {
                        self.value(*leaf, class, *ty)
                    } else {
                        self.number_or_any(*leaf, class, observed.when, *ty)
                    };
                    set_part(&mut parts, *index, value);
                }
                Observation::Store { place, leaf, ty } => {
                    let known = !stored.insert(place);
                    if certain && !known {
                        let value = match self.stored(*leaf, class, *ty) {
                            // What is not known of a cell that was there before may be anything.
                            Value::Word { pieces, .. }
                                if pieces.iter().any(|piece| piece.of == PieceOf::Untold) =>
                            {
                                Value::Any
                            }
                            value => value,
                        };
                        effects.push(Effect::Store { place: place.clone(), value });
                    } else if !known && self.moves_within(place, class, observations) {
                        effects.push(Effect::Store {
                            place: place.clone(),
                            value: Value::Inside(place.clone()),
                        });
                        cursors.push(place);
                    } else if !known && let Some(value) = self.one_of_numbers(place, class, observations) {
                        effects.push(Effect::Store { place: place.clone(), value });
                        self.keep_entry(*leaf, &mut effects);
                    } else if !cursors.contains(&place) {
                        self.uncertain(*leaf, place, known, &mut effects);
                    }
                }
                Observation::Release { path, kind, object } => {
                    let value = path.clone();
                    effects.push(if certain {
                        let certain = self.is_certain(*object, observed.vacuous, class);
                        Effect::Release { value, kind: *kind, certain }
                    } else {
                        // To count it as a release or as none would both be a guess.
                        let function = self.state.function.name.clone();
                        Effect::Keep { value, reason: KeepReason::Assumed { function } }
                    });
                }
                Observation::Range { .. } | Observation::Untold { .. } | Observation::Inside => {}
                Observation::Calls(call) if certain => calls.push(call),
                // What a function of the caller's gets on some of the paths it may have taken.
                Observation::Calls(call) => {
                    if let Effect::Calls { arguments, .. } = call.effect(&self.objects) {
                        effects.extend(arguments.into_iter().filter_map(perhaps_taken));
                    }
                }
                Observation::Shared { path } => {
                    effects.push(Effect::Keep { value: path.clone(), reason: KeepReason::Shared });
                }
                Observation::Keep { path, assumed } => {
                    let reason = if *assumed && self.state.is_kept_by_pointer(path) {
                        KeepReason::Assumed { function: POINTER.into() }
                    } else if *assumed {
                        let function = self.state.assumptions.first().cloned().unwrap_or_default();
                        KeepReason::Assumed { function }
                    } else {
                        KeepReason::Stored
                    };
                    effects.push(Effect::Keep { value: path.clone(), reason });
                }
            }
        }
        if self.state.assumes(Supposed::EveryNodeAlike) {
            each_node(&mut effects);
        }
        condense(&mut effects);
        self.contents(class, &mut effects);
        effects.extend(calls.into_iter().map(|call| call.effect(&self.objects)));
        for index in 0..self.objects.len() {
            if self.stands_for_others(self.objects[index]) {
                effects.extend(self.perhaps_kept_one(index));
                continue;
            }
            effects.extend(self.perhaps_kept(index, class));
            if self.is_gone(self.objects[index], class) {
                let value = Path::root(Root::Fresh(index as u32));
                effects.push(Effect::Release { value, kind: self.fresh[index].kind, certain: true });
            }
        }
        if !parts.is_empty() {
            result = Some(Value::Parts(parts.into_iter().map(|part| part.unwrap_or(Value::Any)).collect()));
        }
        let result = result.unwrap_or(Value::Any);
        let invented = matches!(result, Value::Any) && self.is_result_invented(class, observations);
        Outcome { when, result, fresh: self.fresh, effects, way, invented }
    }

    /// Whether the result is computed from numbers that evaluation made up: after more turns of a loop than were followed,
    /// or in what a callee made and did not tell of.
    fn is_result_invented(&mut self, class: Guard, observations: &[Observed]) -> bool {
        observations.iter().any(|observed| {
            let Observation::Result(Leaf::Number(term)) = observed.what else { return false };
            if self.state.formulas.guards.disjoint(class, observed.when) {
                return false;
            }
            let terms = &self.state.formulas.terms;
            support(terms, [term]).into_iter().map(|var| terms.variable_term(var)).any(|number| {
                let unknowns = &self.state.unknowns;
                unknowns.is_approximated(number)
                    || unknowns.is(number, Provenance::Untold)
                    || unknowns.is(number, Provenance::VagueResult)
            })
        })
    }

    /// The state that something is left in on the paths of a class; none if it is as it was. What is not followed on some
    /// of them is told as on the others.
    fn state_after(&mut self, place: &Path, class: Guard, observations: &[Observed]) -> Option<Value> {
        let unfollowed = Value::Number(i64::from(Property::UNFOLLOWED));
        let mut rest = class;
        let mut all: Option<Value> = None;
        let mut failed = false;
        for observed in observations {
            let Observation::Store { place: other, leaf: Leaf::Number(term), ty } = &observed.what else {
                continue;
            };
            if other != place || !self.meets(class, observed.when) {
                continue;
            }
            let both = self.state.and(class, observed.when);
            rest = self.state.formulas.guards.and_not(rest, observed.when);
            let value = self.number(*term, *ty, both);
            if value == unfollowed {
                failed = true;
                continue;
            }
            all = Some(match all {
                Some(known) if known != value => return Some(Value::Any),
                _ => value,
            });
        }
        match all {
            // On other paths it is as it was.
            Some(_) if !rest.is_false() => Some(Value::Any),
            Some(value) => Some(value),
            None => (failed && rest.is_false()).then_some(unfollowed),
        }
    }

    /// Whether something happens on some paths of a class. To ask is much cheaper than to make the guard of these paths.
    pub(super) fn meets(&mut self, class: Guard, guard: Guard) -> bool {
        !self.state.formulas.guards.disjoint(class, guard)
    }

    /// Whether an observation is made on no path of a class.
    fn never(&mut self, class: Guard, index: usize, observed: &Observed) -> bool {
        match self.settled[index] {
            // What makes no difference on some paths may be made on none of the others.
            Some(Settled::Always) if !observed.vacuous.is_false() => !self.meets(class, observed.when),
            Some(settled) => settled == Settled::Never,
            None => !self.meets(class, observed.when),
        }
    }

    /// Whether an observation is made on all paths of a class on which it makes a difference.
    fn certain(&mut self, class: Guard, index: usize, observed: &Observed) -> bool {
        if let Some(settled) = self.settled[index] {
            return settled == Settled::Always;
        }
        let made = self.state.or(observed.when, observed.vacuous);
        self.state.formulas.guards.entails(class, made)
    }

    /// Objects that are stored on some paths of the class in a place of the caller's: whether it answers for
    /// them the summary cannot tell.
    fn held_unsettled(&mut self, class: Guard, observations: &[Observed]) -> Vec<ObjectId> {
        let mut held = Vec::new();
        for (index, observed) in observations.iter().enumerate() {
            if let Observation::Store { leaf: Leaf::Address(object, _), .. } = observed.what
                && self.state.objects[object].is_fresh()
                && !self.never(class, index, observed)
                && !self.certain(class, index, observed)
            {
                held.push(object);
            }
        }
        if held.is_empty() { held } else { reached_from(self.state, held, class) }
    }

    /// A value that is stored on some paths of a class only: the cell holds anything afterwards, and what
    /// may be stored there counts as kept.
    fn uncertain(&mut self, leaf: Leaf, place: &Path, known: bool, effects: &mut Vec<Effect>) {
        if !known {
            effects.push(Effect::Store { place: place.clone(), value: Value::Any });
        }
        self.keep_entry(leaf, effects);
    }

    /// Whether a cell leads into the same object as before on all paths of a class, if not always to the same place: a cursor.
    /// That keeps nothing that was not held there already.
    fn moves_within(&mut self, place: &Path, class: Guard, observations: &[Observed]) -> bool {
        observations.iter().all(|observed| match &observed.what {
            Observation::Store { place: other, leaf, .. } if other == place => {
                !self.meets(class, observed.when)
                    || matches!(leaf, Leaf::Address(object, _)
                        if matches!(&self.state.objects[*object].origin, Origin::Entry(path) if path == place))
            }
            _ => true,
        })
    }

    /// What the numbers have in common that a cell holds on the paths of a class, if it holds a new one on each.
    fn one_of_numbers(&mut self, place: &Path, class: Guard, observations: &[Observed]) -> Option<Value> {
        let mut rest = class;
        let mut all: Option<Value> = None;
        for observed in observations {
            let Observation::Store { place: other, leaf, ty } = &observed.what else { continue };
            if other != place || !self.meets(class, observed.when) {
                continue;
            }
            let Leaf::Number(term) = *leaf else { return None };
            let both = self.state.and(class, observed.when);
            let value = self.number(term, *ty, both);
            all = Some(match all {
                None => value,
                Some(before) => join(&before, &value),
            });
            rest = self.state.formulas.guards.and_not(rest, observed.when);
        }
        all.filter(|value| rest.is_false() && !matches!(value, Value::Any))
    }

    /// What an unsettled result leads to: the caller cannot follow its own objects there, and must not miss them.
    fn returned_unsettled(&mut self, leaf: Leaf, class: Guard, effects: &mut Vec<Effect>) {
        let Leaf::Address(object, _) = leaf else { return };
        for object in reached_from(self.state, vec![object], class) {
            if let Origin::Entry(path) = &self.state.objects[object].origin
                && !matches!(path.root, Root::Global(_))
            {
                let function = self.state.function.name.clone();
                let reason = KeepReason::Assumed { function };
                let keep = Effect::Keep { value: path.clone(), reason };
                if !effects.contains(&keep) {
                    effects.push(keep);
                }
            }
        }
    }

    /// A result of some paths of a class. Nothing is handed out that way.
    fn number_or_any(&mut self, leaf: Leaf, class: Guard, when: Guard, ty: Type) -> Value {
        match leaf {
            Leaf::Number(term) => {
                let paths = self.state.and(class, when);
                self.number(term, ty, paths)
            }
            Leaf::Address(object, _) if self.state.objects[object].has_address() => {
                Value::Such { relation: Relation::NotEqual, number: 0 }
            }
            _ => Value::Any,
        }
    }

    fn value(&mut self, leaf: Leaf, class: Guard, ty: Type) -> Value {
        match leaf {
            // What leads nowhere on all paths of the class is told as such: which tests said so the condition may not tell.
            Leaf::Address(object, Offset::At(0)) if self.is_nothing(object, class) => Value::Number(0),
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
                Origin::Fresh(site) => self.fresh(object, &site, offset, class),
                Origin::Stack(_) | Origin::Elsewhere | Origin::Process => Value::Any,
            },
            Leaf::Function(function) => Value::Entry { path: Path::root(Root::Function(function)), plus: 0 },
        }
    }

    /// Whether the address of something that was found in memory is null on all paths of a class.
    fn is_nothing(&mut self, object: ObjectId, class: Guard) -> bool {
        let found =
            matches!(&self.state.objects[object].origin, Origin::Entry(path) if !path.steps.is_empty());
        found && {
            let null = self.state.is_null(object);
            self.state.formulas.guards.entails(class, null)
        }
    }

    /// What a cell holds: as [`Writer::value`] has it, and bit by bit where that says more.
    fn stored(&mut self, leaf: Leaf, class: Guard, ty: Type) -> Value {
        let value = self.value(leaf, class, ty);
        let rest = match &value {
            Value::Any => PieceOf::Untold,
            Value::Such { relation: Relation::NotEqual | Relation::Greater, number: 0 } => PieceOf::Any,
            // Tags in the low bits leave an address what it is.
            Value::Inside(path) if matches!(path.steps.last(), Some(Step::Number { .. })) => PieceOf::Any,
            _ => return value,
        };
        match leaf {
            Leaf::Number(term) => word_of(self.state, term, rest).unwrap_or(value),
            _ => value,
        }
    }

    /// That someone who was shown a fresh object may have kept it: the caller has to know, for it gets the object all the same.
    fn perhaps_kept(&mut self, index: usize, class: Guard) -> Option<Effect> {
        let object = self.objects[index];
        let entry = &self.state.objects[object];
        let (assumed, by_pointer) = (entry.assumed_kept, entry.kept_by_pointer);
        if !self.meets(class, assumed) {
            return None;
        }
        let keeper = self.state.journal.keepers.iter().find(|keeper| keeper.object == object);
        let function = match keeper {
            _ if by_pointer == assumed && !self.state.journal.deferred.is_empty() => POINTER.into(),
            Some(keeper) => keeper.callee.clone(),
            None => self.state.function.name.clone(),
        };
        let value = Path::root(Root::Fresh(index as u32));
        Some(Effect::Keep { value, reason: KeepReason::Assumed { function } })
    }

    /// A fresh object belongs to the caller if nobody else is seen to keep it and it is not released.
    fn fresh(&mut self, object: ObjectId, site: &Site, offset: Offset, class: Guard) -> Value {
        let entry = &self.state.objects[object];
        let blank = entry.is_blank() && entry.cells.is_empty() && entry.scattered.is_empty();
        let (kept, zeroed) = (entry.kept, entry.zeroed);
        let given = self.meets(class, kept);
        // What is certainly released already is told, so that the caller can be warned; else nothing is said.
        let told = !self.is_gone(object, class) || self.is_certain(object, Guard::FALSE, class);
        if given || !told || self.held_elsewhere(object, class) {
            return Value::Such { relation: Relation::NotEqual, number: 0 };
        }
        let index = match self.objects.iter().position(|&known| known == object) {
            Some(index) => index,
            None => {
                self.objects.push(object);
                let trail = self.trail(site);
                self.fresh.push(Fresh { kind: site.kind, zeroed, by: None, trail, blank });
                self.objects.len() - 1
            }
        };
        match offset {
            Offset::At(plus) => Value::Fresh { index: index as u32, plus },
            Offset::Somewhere => Value::Fresh { index: index as u32, plus: 0 },
        }
    }

    /// Whether some path of a class releases an object.
    pub(super) fn is_gone(&mut self, object: ObjectId, class: Guard) -> bool {
        self.meets(class, self.state.objects[object].released)
    }

    /// Whether an object is certainly released on all paths of a class on which it is there.
    fn is_certain(&mut self, object: ObjectId, null: Guard, class: Guard) -> bool {
        let mut rest = self.state.formulas.guards.and_not(class, null);
        for gone in self.state.objects[object].gone.clone() {
            if gone.is_believed(self.state, class) {
                rest = self.state.formulas.guards.and_not(rest, gone.guard);
            }
        }
        rest.is_false()
    }

    /// The calls that led to something, seen from the caller.
    pub(super) fn trail(&self, site: &Site) -> Vec<CallAt> {
        longer_trail(CallAt { function: self.state.id, inst: site.inst }, &site.trail)
    }

    /// Whether somebody else holds the object: then the caller is not the one to release it. What nobody but
    /// globals holds is the caller's to follow.
    pub(super) fn held_elsewhere(&mut self, object: ObjectId, class: Guard) -> bool {
        let (owned, besides) = (self.owners.owned[object], self.owners.besides[object]);
        self.unsettled.contains(&object) || self.meets(class, owned) && self.meets(class, besides)
    }

    /// Cells of fresh objects that lead to other fresh objects or to the caller's.
    fn contents(&mut self, class: Guard, effects: &mut Vec<Effect>) {
        let pointer_bytes = self.state.context.program.target.pointer_bits / 8;
        let mut done = 0;
        while done < self.objects.len() && done < MOST_FRESH {
            let object = self.objects[done];
            if self.is_gone(object, class) || self.stands_for_others(object) {
                done += 1;
                continue;
            }
            let base = Path::root(Root::Fresh(done as u32));
            for link in self.state.objects[object].links.clone() {
                self.range(&base, &link, class, effects);
            }
            let cells = self.state.objects[object].cells.clone();
            for (index, cell) in cells.iter().enumerate() {
                let said = effects.len();
                for &(guard, leaf) in &cell.leaves {
                    if index >= MOST_CELLS && matches!(leaf, Leaf::Number(_)) {
                        continue;
                    }
                    if !self.state.formulas.guards.entails(class, guard)
                        && !self.unless_it_failed(cell, guard, leaf, class)
                    {
                        if self.meets(class, guard) {
                            self.keep_entry(leaf, effects);
                        }
                        continue;
                    }
                    let (step, ty) = match leaf {
                        Leaf::Address(..) | Leaf::Function(_) if cell.bytes == u64::from(pointer_bytes) => {
                            (Step::At(cell.offset), Type::Ptr)
                        }
                        // A resource that is a number, or a number.
                        _ => {
                            let bytes = cell.bytes as u32;
                            (Step::Number { offset: cell.offset, bytes }, Type::Int(bytes * 8))
                        }
                    };
                    let value = match leaf {
                        // It leads into the object itself, at a place that depends on what was passed.
                        Leaf::Address(held, Offset::Somewhere) if held == object => {
                            Value::Inside(base.clone())
                        }
                        _ => self.stored(leaf, class, ty),
                    };
                    match value {
                        Value::Any => self.keep_entry(leaf, effects),
                        value => {
                            if matches!(value, Value::Word { .. }) {
                                self.keep_entry(leaf, effects);
                            }
                            effects.push(Effect::Store { place: base.then(step), value });
                        }
                    }
                }
                // What is not told would be zero, as the memory was that the callee got.
                let stored = effects[said..].iter().any(|effect| matches!(effect, Effect::Store { .. }));
                if !stored && self.state.objects[object].zeroed && self.may_not_be_zero(cell, class) {
                    let step = cell_step(cell, pointer_bytes);
                    effects.push(Effect::Store { place: base.then(step), value: Value::Any });
                }
            }
            for hidden in self.state.objects[object].hidden.clone() {
                let mut value: Option<Value> = None;
                for (guard, leaf) in hidden.leaves {
                    if !self.meets(class, guard) {
                        continue;
                    }
                    let one = self.value(leaf, class, Type::Int(8));
                    value = Some(match value {
                        Some(other) if other != one => Value::Any,
                        _ => one,
                    });
                }
                let step = Step::State { offset: hidden.offset, property: hidden.property };
                // What is made is in the first state unless something else is said.
                if let Some(value) = value.filter(|value| *value != Value::Number(i64::from(Property::START)))
                    && hidden.moved
                {
                    effects.push(Effect::Store { place: base.then(step), value });
                }
            }
            for (guard, leaf) in self.state.objects[object].scattered.clone() {
                if self.meets(class, guard) {
                    let value = self.value(leaf, class, Type::Ptr);
                    if !matches!(value, Value::Any) {
                        effects.push(Effect::Store { place: base.then(Step::Somewhere), value });
                    }
                }
            }
            done += 1;
        }
        for index in done..self.objects.len() {
            for cell in self.state.objects[self.objects[index]].cells.clone() {
                cell.leaves.iter().for_each(|&(_, leaf)| self.keep_entry(leaf, effects));
            }
        }
    }

    /// Whether a cell holds anything but zero on some paths of a class.
    fn may_not_be_zero(&mut self, cell: &Cell, class: Guard) -> bool {
        cell.leaves.iter().any(|&(guard, leaf)| {
            !matches!(leaf, Leaf::Number(term) if self.state.formulas.terms.const_value(term) == Some(0))
                && !self.state.formulas.guards.disjoint(class, guard)
        })
    }

    /// What the caller gave may be held where the summary does not tell: it counts as kept.
    fn keep_entry(&self, leaf: Leaf, effects: &mut Vec<Effect>) {
        for value in self.given(leaf) {
            let keep = Effect::Keep { value, reason: KeepReason::Stored };
            if !effects.contains(&keep) {
                effects.push(keep);
            }
        }
    }

    /// What a value is of the caller's: an object, or an argument that may be a descriptor.
    fn given(&self, leaf: Leaf) -> Vec<Path> {
        match leaf {
            Leaf::Address(object, _) => match &self.state.objects[object].origin {
                Origin::Entry(path) => vec![path.clone()],
                _ => Vec::new(),
            },
            Leaf::Number(term) => {
                let mut found = Vec::new();
                self.given_numbers(term, NUMBER_DEPTH, &mut found);
                found
            }
            Leaf::Function(_) => Vec::new(),
        }
    }

    /// The arguments that a number is one of.
    fn given_numbers(&self, term: TermId, deep: u32, found: &mut Vec<Path>) {
        let terms = &self.state.formulas.terms;
        if let (Term::Ite(_, one, other), 1..) = (terms.view(term), deep) {
            self.given_numbers(one, deep - 1, found);
            self.given_numbers(other, deep - 1, found);
        } else if terms.width(term).bits() >= 32
            && let Some(path) = self.state.input_path(term)
            && matches!(path.root, Root::Param(_))
            && path.steps.is_empty()
            && !found.contains(path)
        {
            found.push(path.clone());
        }
    }

    /// Whether a cell holds a fresh object on all paths of the class but those on which it could not be had,
    /// and nobody looked. A caller that is told of success misses nothing that it could lose.
    // ASSUME-16: a failure that nobody looked at is not told to callers.
    fn unless_it_failed(&mut self, cell: &Cell, guard: Guard, leaf: Leaf, class: Guard) -> bool {
        let Leaf::Address(object, _) = leaf else { return false };
        let assumed = self.state.assumes(Supposed::FailureNobodyLooksAt);
        if !assumed || !self.state.objects[object].is_fresh() || !self.meets(class, guard) {
            return false;
        }
        for &(other, leaf) in &cell.leaves {
            if other != guard
                && !matches!(leaf, Leaf::Number(term) if self.state.formulas.terms.const_value(term) == Some(0))
                && self.meets(class, other)
            {
                return false;
            }
        }
        let within = self.state.within(guard, class);
        only_choices(self.state, within)
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
        let derived = self.derived(term);
        let size = !matches!(derived, Some(Value::Entry { .. }))
            && (self.state.unknowns.is(term, Provenance::Nonzero)
                || self.state.unknowns.is(term, Provenance::Member)
                || self.state.is_noted_size(term, class));
        if size {
            return Value::Such { relation: Relation::NotEqual, number: 0 };
        }
        if let Some(value) = derived {
            return value;
        }
        if let Some(Bits { path, low, mask }) = bits_of(self.state, term) {
            return Value::Bits { path, low, mask };
        }
        let (mut least, mut most) = match self.state.range_of(term) {
            Some((least, most)) => (least.signum(), most.signum()),
            None => (-1, 1),
        };
        let mut zero = least <= 0 && most >= 0;
        let excluded = self.state.excluded.get(&term).map(Vec::as_slice);
        if let Some(&[number]) = excluded
            && number != 0
            && let Ok(number) = i64::try_from(number)
        {
            return Value::Such { relation: Relation::NotEqual, number };
        }
        zero &= !excluded.is_some_and(|numbers| numbers.contains(&0));
        if ty != Type::BOOL && ty != Type::Void {
            // What the paths of the class say about the sign.
            let [negative, is_zero, positive] = self.signs(term, class);
            least = if negative { least } else { least.max(0) };
            most = if positive { most } else { most.min(0) };
            zero &= is_zero;
        }
        let such = |relation| Value::Such { relation, number: 0 };
        // A count that is known to have come so far: callers that go through as many elements go at least so far.
        let counted = self.state.interval(term, SUM_DEPTH).map_or(0, |interval| interval.0);
        if counted > 1
            && !(least < 0 || zero)
            && let Ok(number) = i64::try_from(counted)
        {
            return Value::Such { relation: Relation::GreaterEqual, number };
        }
        match (least < 0, zero, most > 0) {
            (true, false, false) => such(Relation::Less),
            (false, true, false) => Value::Number(0),
            (false, false, true) => such(Relation::Greater),
            (true, false, true) => such(Relation::NotEqual),
            (false, true, true) => such(Relation::GreaterEqual),
            _ => Value::Any,
        }
    }

    /// Whether a number is the low part of a wider one of which the paths of a class say that it has no more than that
    /// part, and no bit where the sign of the part is: `if (size > INT_MAX) return -1; return (int)size;`.
    fn fits(&mut self, term: TermId, class: Guard) -> bool {
        let terms = &self.state.formulas.terms;
        let Term::Extract { of, high, low: 0 } = terms.view(term) else { return false };
        let most = 1u128 << high;
        // For each test, whether it says so when it holds, or when it does not.
        let mut tests = Vec::new();
        for condition in self.state.formulas.guards.support(class) {
            let Some(test) = self.state.formulas.conditions.term_of(condition) else { continue };
            let (bound, holds) = match terms.view(test) {
                Term::Binary(BinaryOp::ULt, a, b) if a == of => (terms.const_value(b), true),
                Term::Binary(BinaryOp::ULe, a, b) if b == of => (terms.const_value(a), false),
                Term::Binary(BinaryOp::ULe, a, b) if a == of => {
                    (terms.const_value(b).map(|bound| bound.saturating_add(1)), true)
                }
                Term::Binary(BinaryOp::ULt, a, b) if b == of => {
                    (terms.const_value(a).map(|bound| bound.saturating_add(1)), false)
                }
                _ => continue,
            };
            if bound.is_some_and(|bound| bound <= most) {
                tests.push((condition, holds));
            }
        }
        let guards = &mut self.state.formulas.guards;
        tests.into_iter().any(|(condition, holds)| {
            let literal = guards.literal(condition);
            guards.entails(class, if holds { literal } else { !literal })
        })
    }

    /// Whether a number can be negative, zero and positive on the paths of a class.
    fn signs(&mut self, term: TermId, class: Guard) -> [bool; 3] {
        let asked = match self.asked.signs.get(&term) {
            Some(&asked) => asked,
            None => {
                let asked = sign_guards(self.state, term);
                self.asked.signs.insert(term, asked);
                asked
            }
        };
        // What nobody has asked holds on some paths and not on others.
        let guards = &mut self.state.formulas.guards;
        let [less, equal, more, at_least, at_most] = asked.map(|guard| match guard {
            Some(guard) => (guards.entails(class, guard), guards.disjoint(class, guard)),
            None => (false, false),
        });
        let fits = self.fits(term, class);
        let [below, null, above] = self.signs_made(term, class);
        [
            below && !(fits || less.1 || equal.0 || more.0 || at_least.0 || at_most.1),
            null && !(equal.1 || less.0 || more.0 || at_least.1 || at_most.1),
            above && !(more.1 || equal.0 || less.0 || at_least.1 || at_most.0),
        ]
    }

    /// The signs that a number can have by those of the number that it is made from: `return -errno;` gives less than zero where
    /// `errno` is known to be more (ASSUME-18).
    fn signs_made(&mut self, term: TermId, class: Guard) -> [bool; 3] {
        match self.state.formulas.terms.view(term) {
            Term::Unary(UnaryOp::Neg, of) => {
                let [negative, zero, positive] = self.signs(of, class);
                [positive, zero, negative]
            }
            Term::Extend(Extension::Sign, of) => self.signs(of, class),
            _ => [true; 3],
        }
    }

    /// A number made from an entry value by adding a constant, or by changing bits: an address that went
    /// through an integer stays recognisable.
    fn derived(&self, term: TermId) -> Option<Value> {
        let (path, plus) = self.origin(term, NUMBER_DEPTH)?;
        match plus {
            Some(plus) => Some(Value::Entry { path, plus }),
            None if self.state.formulas.terms.width(term) == self.state.pointer_width() => {
                Some(Value::Inside(path))
            }
            None => None,
        }
    }

    /// The entry value that a number is made from, and what was added if nothing else was done.
    fn origin(&self, term: TermId, depth: u32) -> Option<(Path, Option<i64>)> {
        let terms = &self.state.formulas.terms;
        if let Some(path) = self.state.input_path(term) {
            return Some((path.clone(), Some(0)));
        }
        let depth = depth.checked_sub(1)?;
        let either = |a, b| self.origin(a, depth).or_else(|| self.origin(b, depth));
        match terms.view(term) {
            Term::Binary(BinaryOp::Add, a, b) => {
                let (subject, constant) = match (terms.const_value(a), terms.const_value(b)) {
                    (None, Some(constant)) => (a, constant),
                    (Some(constant), None) => (b, constant),
                    _ => return None,
                };
                let (path, plus) = self.origin(subject, depth)?;
                let more = i64::try_from(terms.width(term).signed(constant)).ok()?;
                Some((path, plus.map(|plus| plus.wrapping_add(more))))
            }
            Term::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Concat, a, b) => {
                Some((either(a, b)?.0, None))
            }
            Term::Extract { of, .. } => Some((self.origin(of, depth)?.0, None)),
            _ => None,
        }
    }
}

/// The step to a cell, as that of an address if it may hold one.
fn cell_step(cell: &Cell, pointer_bytes: u32) -> Step {
    let address = cell.leaves.iter().any(|entry| matches!(entry.1, Leaf::Address(..) | Leaf::Function(_)));
    match address && cell.bytes == u64::from(pointer_bytes) {
        true => Step::At(cell.offset),
        false => Step::Number { offset: cell.offset, bytes: cell.bytes as u32 },
    }
}

/// That something of the caller's may have been kept by one of its functions.
fn perhaps_taken(argument: Value) -> Option<Effect> {
    match argument {
        Value::Entry { path, .. } | Value::Inside(path) if !path.steps.is_empty() => {
            Some(Effect::Keep { value: path, reason: KeepReason::Assumed { function: "".into() } })
        }
        _ => None,
    }
}

/// Notes a value of a part of a struct. Several values leave what they have in common.
fn set_part(parts: &mut Vec<Option<Value>>, index: usize, value: Value) {
    if parts.len() <= index {
        parts.resize(index + 1, None);
    }
    parts[index] = Some(match parts[index].take() {
        None => value,
        Some(known) => join(&known, &value),
    });
}

/// The calls on the way to something with one more in front. Going round in a recursion adds nothing.
pub(crate) fn longer_trail(call: CallAt, trail: &[CallAt]) -> Vec<CallAt> {
    if trail.contains(&call) {
        return trail.to_vec();
    }
    [call].into_iter().chain(trail.iter().copied()).take(LONGEST_TRAIL).collect()
}
