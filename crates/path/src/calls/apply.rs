//! Calls: a summary applied to the caller's state. Models and inferred summaries go the same way.
//!
//! The outcomes of a summary exclude each other. Where entry values do not decide between them, a fresh
//! choice does. All entry values are read before anything changes. Paths on which no outcome is possible
//! do not come back.

use crate::assumptions::Supposed;
use crate::calls::callbacks::{POINTER, is_by_pointer};
use crate::calls::pointers::Reached;
use crate::calls::released::Sure;
use crate::calls::resolve::Prepared;
use crate::calls::unknown::Clobbered;
use crate::context::Known;
use crate::context::uses::Facts;
use crate::facts::endings::Ending;
use crate::machine::journal::{Event, EventKind, How};
use crate::machine::memory::{Object, ObjectId, Origin, Site};
use crate::machine::provenance::Provenance;
use crate::machine::state::{Detail, State, Step as Spent};
use crate::machine::value::{Leaf, Leaves, Offset, Sym};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use watertight_finding::Doubt;
use watertight_ir::{AggId, Call, Callee, FuncId, InstId, Type};
use watertight_logic::guard::Guard;
use watertight_logic::term::TermId;
use watertight_logic::width::Width;
use watertight_summary::{
    Completeness, Effect, Fresh, KeepReason, Outcome, Path, Piece, PieceOf, Relation, Root, Test, Value, Way,
};

/// The arguments of a call with their types.
pub type Arguments<'s> = [(Sym, Type)];

/// A call being applied.
pub(crate) struct Application<'c> {
    pub(crate) inst: InstId,
    pub(crate) callee: &'c str,
    pub(crate) args: &'c [(Sym, Type)],
    pub(crate) function: FuncId,
    /// Not everything that the function does is known. Where it empties or releases what holds something, it may have
    /// taken care of that.
    pub(crate) vague: bool,
    /// The summary may leave something out.
    pub(crate) partial: bool,
    /// How sure the releases of the call are, by what they release.
    pub(crate) sure: Vec<(Path, Sure)>,
    /// The fresh objects of the outcome at hand, by number.
    pub(crate) fresh: Vec<ObjectId>,
    /// All fresh objects so far.
    pub(crate) made: Vec<ObjectId>,
    pub(crate) result_type: Type,
    /// Entry values of paths looked up so far.
    pub(crate) resolved: RefCell<FxHashMap<Path, (Leaves, Width)>>,
    /// Tests of entry values made so far.
    pub(crate) tested: RefCell<Vec<(Test, Guard)>>,
    /// What the call gave, for events, which come after it.
    pub(crate) result: Option<Sym>,
}

impl<'c> Application<'c> {
    /// A call of which nothing was done yet, of a function that is known completely.
    pub(crate) fn new(
        inst: InstId,
        callee: &'c str,
        args: &'c [(Sym, Type)],
        function: FuncId,
        result_type: Type,
    ) -> Application<'c> {
        Application {
            inst,
            callee,
            args,
            function,
            vague: false,
            partial: false,
            sure: Vec::new(),
            fresh: Vec::new(),
            made: Vec::new(),
            result_type,
            resolved: RefCell::default(),
            tested: RefCell::default(),
            result: None,
        }
    }
}

impl State<'_> {
    pub fn call(&mut self, inst: InstId, call: &Call, ty: Type) -> Spent<Option<Sym>> {
        self.spend(4)?;
        let args: Vec<(Sym, Type)> =
            call.args.iter().map(|&arg| (self.value(arg), self.body.ty(arg))).collect();
        let targets: Vec<(Guard, Reached)> = match call.callee {
            Callee::Direct(function) => vec![(Guard::TRUE, Reached::Function(function))],
            Callee::Pointer(pointer) => match self.context.endings.of_call(self.id, inst) {
                // Nothing that the program ever puts there comes back.
                Some(Ending::Ends(function)) => {
                    let entered = std::mem::replace(&mut self.here, Guard::FALSE);
                    self.note_end(inst, function, entered);
                    return Ok((ty != Type::Void).then(|| self.any(ty)));
                }
                Some(Ending::Jumps(function)) => vec![(Guard::TRUE, Reached::Function(function))],
                None => {
                    let leaves = self.address(pointer);
                    self.reached(inst, &leaves)
                }
            },
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
            if let Reached::Named(path) = &target {
                self.defer(path, &args);
            }
            let target = target.function();
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
        if let Some(result) = &result {
            self.comes_back(inst, call, result, ty);
        }
        Ok(result)
    }

    pub(crate) fn call_one(
        &mut self,
        inst: InstId,
        target: Option<FuncId>,
        args: &[(Sym, Type)],
        ty: Type,
    ) -> Spent<Option<Sym>> {
        let constant = target.filter(|&function| {
            let callee = &self.context.program.functions[function];
            callee.attrs.no_memory && callee.body.is_none() && args.is_empty() && ty == Type::Ptr
        });
        let known = constant.and_then(|function| self.constant_results.get(&function));
        if let Some(known) = known {
            return Ok(Some(known.clone()));
        }
        let result = self.call_or_answer(inst, target, args, ty)?;
        if let (Some(function), Some(result)) = (target, &result) {
            self.say_why(inst, function, result, ty)?;
        }
        if let (Some(function), Some(result)) = (constant, &result) {
            self.constant_results.insert(function, result.clone());
        }
        if let Some(function) = target {
            self.events(inst, function, args, result.as_ref(), ty);
        }
        Ok(result)
    }

    pub(crate) fn call_plain(
        &mut self,
        inst: InstId,
        target: Option<FuncId>,
        args: &[(Sym, Type)],
        ty: Type,
    ) -> Spent<Option<Sym>> {
        let Some(function) = target else {
            self.note_called_with_states(args);
            if !self.asks_for_order(inst, args) {
                self.unknown_call(args, POINTER, How::Given);
            }
            if let Some(given) = self.call_as_believed(inst, self.id, args, ty)? {
                return Ok(given);
            }
            return Ok((ty != Type::Void).then(|| self.any(ty)));
        };
        let context = self.context;
        let callee = &context.program.functions[function];
        if callee.attrs.no_return && callee.body.is_none() && !self.may_jump(function) {
            self.here = Guard::FALSE;
            return Ok(None);
        }
        match self.component.lookup(context, function) {
            Known::Summary(summary) => {
                let summary = match self.detail {
                    Detail::Brief if callee.body.is_some() => {
                        let member = self.component.known(function).map(|known| known.brief());
                        let own = || self.component.view.brief(context, function);
                        member.or_else(own).unwrap_or(summary)
                    }
                    _ => summary,
                };
                // In a recursion it is not known yet whether the summary tells everything.
                let facts = self.component.view.facts(context, function);
                if callee.variadic
                    && callee.body.is_some()
                    && args.len() > callee.params.len()
                    && !facts.is_some_and(|facts| facts.reads_variable)
                {
                    // ASSUME-17: what a function does with its variable arguments, beside reading them, is not followed.
                    self.unknown_call(&args[callee.params.len()..], &callee.name, How::Variable);
                }
                self.end_at_null_arguments(callee, args);
                self.note_arguments(inst, function, summary, args);
                if summary.completeness == Completeness::Partial {
                    self.share(args);
                    self.doubt_globals();
                    if matches!(ty, Type::Agg(_)) {
                        self.doubt_struct(args, &callee.name);
                    }
                }
                let told = |facts: Facts| !facts.opaque;
                let modelled = callee.body.is_none();
                let shown = self.component.known(function).is_some_and(|known| known.shown);
                let vague =
                    !(modelled || shown || facts.is_some_and(told)) || context.calls_unknown(function);
                let sure = |facts: Facts| !facts.vague_states;
                let doubtful = callee.body.is_some()
                    && context.reaches_events(function)
                    && !context.has_events(function)
                    && !facts.is_some_and(sure);
                // What a call in a recursion demands was seen; only what it leaves behind is not known.
                let recursive = self.component.known(function).is_some();
                if doubtful && !recursive {
                    self.doubtful_states = self.or(self.doubtful_states, self.here);
                }
                let summary = context.scans.of_call(self.id, inst).filter(|_| modelled).unwrap_or(summary);
                if let Some(result) = self.follow_call(inst, function, args, ty)? {
                    return Ok(result);
                }
                let before = self.here;
                let application = Application {
                    vague: vague && !modelled,
                    partial: summary.completeness == Completeness::Partial,
                    ..Application::new(inst, &callee.name, args, function, ty)
                };
                let result = self.apply(application, summary)?;
                if modelled && !callee.attrs.read_only && !callee.attrs.no_memory {
                    self.threads_go_on();
                }
                if doubtful && recursive {
                    self.doubtful_states = self.or(self.doubtful_states, before);
                }
                if vague {
                    self.forget_args(args);
                } else if !modelled && facts.is_some_and(|facts| facts.strays) {
                    self.strays = true;
                    self.outside_changes += 1;
                }
                Ok(result)
            }
            // A function of the component being iterated: nothing is known yet, so it does not return yet.
            Known::Pending => {
                self.here = Guard::FALSE;
                Ok(None)
            }
            Known::Nothing => {
                self.end_at_null_arguments(callee, args);
                if !callee.attrs.no_memory
                    && !callee.attrs.read_only
                    && !context.has_events(function)
                    && !self.asks_for_order(inst, args)
                {
                    self.unknown_call(args, &callee.name, How::Given);
                }
                if context.has_events(function) {
                    self.write_told(inst, function, args, ty);
                }
                if let Some(given) = self.call_as_believed(inst, function, args, ty)? {
                    return Ok(given);
                }
                // The declaration may say that it gives an address.
                let address = Value::Such { relation: Relation::NotEqual, number: 0 };
                Ok(match ty {
                    Type::Void => None,
                    Type::Ptr if callee.attrs.result_non_null => {
                        let application = Application::new(inst, &callee.name, args, function, ty);
                        Some(self.outcome_value(&address, None, ty, &application))
                    }
                    _ => Some(self.any(ty)),
                })
            }
        }
    }

    /// Whether a model says that a function jumps rather than end the process.
    fn may_jump(&self, function: FuncId) -> bool {
        match self.component.lookup(self.context, function) {
            Known::Summary(summary) => summary.outcomes.iter().any(|outcome| outcome.way == Way::Jumps),
            Known::Pending | Known::Nothing => false,
        }
    }

    /// A callee that may do more than is told sees these arguments and what they hold.
    fn share(&mut self, args: &[(Sym, Type)]) {
        let width = self.pointer_width();
        for (sym, _) in args {
            let leaves = self.leaves(sym, width);
            for object in self.nearby(&leaves) {
                self.objects[object].shared = true;
            }
        }
    }

    /// What a callee about which not everything is known was given may be in the struct that it returns.
    fn doubt_struct(&mut self, args: &[(Sym, Type)], name: &str) {
        let width = self.pointer_width();
        for (sym, _) in args {
            let leaves = self.leaves(sym, width);
            for object in self.nearby(&leaves) {
                if self.objects[object].is_fresh() {
                    self.assume(name);
                    self.assume_kept(object, self.here, name, How::Found);
                }
            }
        }
    }

    /// The fresh objects of an outcome come into being.
    pub(crate) fn acquire(&mut self, outcome: &Outcome, guard: Guard, application: &mut Application<'_>) {
        application.fresh.clear();
        for (number, fresh) in outcome.fresh.iter().enumerate() {
            let object = self.fresh_object(number, fresh, application);
            application.fresh.push(object);
            let exists = self.objects[object].exists;
            self.objects[object].exists = self.or(exists, guard);
            self.objects[object].zeroed |= fresh.zeroed;
            self.fill_vacated(object, fresh.kind, guard);
            self.event(application.inst, object, guard, EventKind::Acquire);
        }
        for index in left_in_globals(outcome) {
            if let Some(&object) = application.fresh.get(index as usize) {
                self.objects[object].left_in_global = true;
            }
        }
    }

    /// The object for something that the call acquires. Objects of different outcomes that were acquired in
    /// the same place are one and the same, since at most one outcome happens.
    fn fresh_object(&mut self, number: usize, fresh: &Fresh, application: &mut Application<'_>) -> ObjectId {
        let kind = fresh.kind;
        let site = Site {
            inst: application.inst,
            number: number as u32,
            kind,
            callee: application.callee.into(),
            trail: fresh.trail.clone(),
            blank: fresh.blank || (fresh.trail.is_empty() && kind == watertight_summary::KindId::HEAP),
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
            self.set_number(id, term);
        }
        id
    }

    pub(crate) fn outcome_value(
        &mut self,
        value: &Value,
        entry: Option<&Leaves>,
        ty: Type,
        application: &Application<'_>,
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
            Value::Bits { low, mask, .. } => match entry {
                Some(leaves) if !leaves.is_empty() => {
                    let mut bits = Vec::with_capacity(leaves.len());
                    for &(guard, leaf) in leaves {
                        let of_it = self.bits(leaf, *low, *mask, width);
                        bits.push((guard, self.as_resource(of_it)));
                    }
                    let bits = Sym::Leaves(self.tidy(bits));
                    if ty == Type::BOOL { Sym::Truth(self.truth(&bits)) } else { bits }
                }
                _ => self.any(ty),
            },
            Value::Word { pieces, .. } => self.word(pieces, entry, ty),
            Value::Inside(Path { root: Root::Fresh(index), .. }) => {
                match application.fresh.get(*index as usize) {
                    Some(&object) => Sym::one(Leaf::Address(object, Offset::Somewhere)),
                    None => self.any(ty),
                }
            }
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
            Value::Parts(parts) => match ty {
                Type::Agg(id) => self.struct_value(parts, id, application),
                _ => self.any(ty),
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
                if (*relation, *number) == (Relation::NotEqual, 0) {
                    self.unknowns.note(term, Provenance::Nonzero);
                }
                self.set_range(term, width, *relation, *number);
                if ty == Type::BOOL { Sym::Truth(self.formulas.guard(term)) } else { Sym::number(term) }
            }
            // What a body computes may depend on anything; a library function gives what it likes.
            Value::Any if self.context.program.functions[application.function].body.is_some() => {
                self.doubtful(ty)
            }
            Value::Any => self.any(ty),
        }
    }

    /// Some bits of a value, as a number of this width.
    fn bits(&mut self, leaf: Leaf, low: u32, mask: u64, width: Width) -> TermId {
        let own = match leaf {
            Leaf::Number(term) => self.formulas.terms.width(term),
            _ => self.pointer_width(),
        };
        let term = self.leaf_term(leaf, own);
        let terms = &mut self.formulas.terms;
        let (shift, mask) = (terms.constant(own, low.into()), terms.constant(own, own.mask(mask.into())));
        let term = terms.lshr(term, shift);
        let term = terms.and(term, mask);
        match own.bits().cmp(&width.bits()) {
            std::cmp::Ordering::Less => terms.zext(term, width),
            std::cmp::Ordering::Equal => term,
            std::cmp::Ordering::Greater => terms.truncate(term, width),
        }
    }

    /// A word of which some bits are known.
    fn word(&mut self, pieces: &[Piece], entry: Option<&Leaves>, ty: Type) -> Sym {
        let width = self.width(ty);
        if pieces.iter().map(|piece| piece.bits).sum::<u32>() != width.bits() {
            return self.any(ty);
        }
        let own = Leaf::Number(self.constant(width, 0));
        let of_entry = pieces.iter().any(|piece| matches!(piece.of, PieceOf::Entry(_)));
        let leaves = match entry {
            _ if !of_entry => vec![(Guard::TRUE, own)],
            Some(leaves) if !leaves.is_empty() => leaves.clone(),
            _ => return self.any(ty),
        };
        // What is not known is the same, whatever the entry value is.
        let unknown: Vec<TermId> = pieces.iter().map(|piece| self.unknown_bits(*piece)).collect();
        let mut words = Vec::with_capacity(leaves.len());
        for (guard, leaf) in leaves {
            // Bits that are no part of an address leave it what it is.
            if let Leaf::Address(object, _) = leaf
                && width == self.pointer_width()
            {
                words.push((guard, Leaf::Address(object, Offset::Somewhere)));
                continue;
            }
            let mut word: Option<TermId> = None;
            for (piece, &unknown) in pieces.iter().zip(&unknown) {
                let part = match piece.of {
                    PieceOf::Entry(low) => {
                        let mask = u64::MAX >> (64 - piece.bits.clamp(1, 64));
                        self.bits(leaf, low, mask, self.formulas.terms.width(unknown))
                    }
                    _ => unknown,
                };
                word = Some(match word {
                    None => part,
                    Some(low) => self.formulas.terms.concat(part, low),
                });
            }
            words.extend(word.map(|word| (guard, Leaf::Number(word))));
        }
        Sym::Leaves(self.tidy(words))
    }

    /// A piece of a word that is no part of an entry value.
    fn unknown_bits(&mut self, piece: Piece) -> TermId {
        let width = Width::new(piece.bits).unwrap_or(Width::W64);
        match piece.of {
            PieceOf::Number(number) => self.formulas.terms.constant(width, width.mask(number.into())),
            PieceOf::Entry(_) => self.constant(width, 0),
            PieceOf::Any => self.unknown_number(width),
            PieceOf::Untold => {
                let number = self.unknown_number(width);
                self.unknowns.note(number, Provenance::Untold);
                number
            }
        }
    }

    /// A struct that a call returns.
    fn struct_value(&mut self, parts: &[Value], id: AggId, application: &Application<'_>) -> Sym {
        let types = &self.context.program.aggregates[id].parts;
        let mut result = Vec::with_capacity(types.len());
        let mut unknown = Vec::new();
        for (index, &(_, ty)) in types.iter().enumerate() {
            let part = parts.get(index).unwrap_or(&Value::Any);
            let entry = self.entry_value(part, application);
            let sym = self.outcome_value(part, entry.as_ref(), ty, application);
            if let (Value::Any, Sym::Leaves(leaves)) = (part, &sym) {
                for &(_, leaf) in leaves {
                    unknown.push(self.leaf_term(leaf, self.width(ty)));
                }
            }
            result.push(sym);
        }
        for part in parts {
            if let Value::Fresh { index, .. } = part
                && let Some(&object) = application.fresh.get(*index as usize)
            {
                self.journal.companions.extend(unknown.iter().map(|&term| (object, term)));
            }
        }
        Sym::Parts(result)
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
    fn set_range(&mut self, term: TermId, width: Width, relation: Relation, number: i64) {
        let least = -(1i128 << (width.bits() - 1));
        // ASSUME-18: a count of bytes or seconds is never so large that adding a few of them overflows.
        let bits = if self.assumes(Supposed::CountsStayBelow) { 47 } else { u32::MAX };
        let most = (1i128 << (width.bits() - 1).min(bits)) - 1;
        let number = i128::from(number);
        let range = match relation {
            Relation::Equal => (number, number),
            Relation::Less => (least, number - 1),
            Relation::LessEqual => (least, number),
            Relation::Greater => (number + 1, most),
            Relation::GreaterEqual => (number, most),
            // Not null: as an address, a real one.
            Relation::NotEqual
                if number == 0
                    && width.bits() >= 32
                    && self.formulas.terms.width(term) == self.pointer_width() =>
            {
                (1, most)
            }
            Relation::NotEqual => {
                self.excluded.entry(term).or_default().push(number);
                return;
            }
            _ => return,
        };
        self.ranges.insert(term, range);
    }

    pub(crate) fn effect(
        &mut self,
        effect: &Effect,
        ready: &Prepared,
        guard: Guard,
        application: &mut Application<'_>,
    ) {
        match effect {
            Effect::Store { place, value } if place.property().is_some() => {
                self.state_of_new(place, value, guard, application);
            }
            Effect::Store { place, value } => {
                let cell = match &ready.cell {
                    Some(cell) => Some(cell.clone()),
                    None => self.fresh_place(place, application),
                };
                let Some((mut address, ty)) = cell else { return };
                let callee = application.callee;
                let known =
                    matches!(value, Value::Any) && self.keep_what_was_there(&address, ty, guard, callee);
                if matches!(value, Value::Any) {
                    self.spare_addresses(&mut address, ty);
                } else if application.vague && empties(value, ty) {
                    self.keep_what_was_there(&address, ty, guard, callee);
                }
                // Of a callee that was not understood completely it is not known that the place was not empty.
                if application.partial && matches!(value, Value::Fresh { .. }) && ready.cell.is_some() {
                    let before = self.load(&address, ty);
                    let before = self.leaves(&before, self.width(ty));
                    if before.iter().any(|entry| self.is_ours(entry.1)) {
                        self.keep_perhaps(&before, guard, application.callee, How::Found);
                    }
                }
                let sym = self.outcome_value(value, ready.value.as_ref(), ty, application);
                let any = matches!(value, Value::Any);
                if known || any && application.partial {
                    self.invent(&sym, Doubt::CalleeWrote);
                } else if any && matches!(place.root, Root::Fresh(_)) {
                    self.invent(&sym, Doubt::CalleeMade);
                } else if any && self.detail == Detail::Brief {
                    self.invent(&sym, Doubt::InBrief);
                }
                self.store(&address, &sym, ty, guard);
            }
            Effect::Release { value, kind, certain } => {
                let known = application.sure.iter().find(|known| known.0 == *value);
                let sure = known.filter(|_| *certain).map_or(Sure::No, |known| known.1);
                // What the call acquired did not exist when entry values were read.
                let leaves = match value.root {
                    Root::Fresh(_) => self.resolve(value, application).0,
                    _ => ready.value.clone().unwrap_or_default(),
                };
                for (when, leaf) in leaves {
                    let when = self.and(guard, when);
                    if self.context.library.kinds.get(*kind).with_contents {
                        let held = self.held_by(leaf);
                        self.keep_leaves(&held, when);
                    }
                    if application.vague {
                        self.trust_with_contents(leaf, when, application.callee);
                    }
                    self.note_release(leaf, *kind, when, application.inst, sure);
                    self.note_vacated(leaf, *kind, when);
                    self.release(leaf, when, application.inst);
                }
            }
            Effect::Keep { value, reason } => {
                let leaves = match value.root {
                    Root::Fresh(_) => self.resolve(value, application).0,
                    _ => ready.value.clone().unwrap_or_default(),
                };
                match reason {
                    KeepReason::Stored => self.keep_leaves(&leaves, guard),
                    KeepReason::Shared => self.hand_to_thread(&leaves, guard),
                    KeepReason::Assumed { function } => {
                        let callee = if function.is_empty() { application.callee } else { function };
                        if is_by_pointer(reason) {
                            self.note_given_with_states(&leaves, guard);
                        }
                        self.keep_perhaps(&leaves, guard, callee, How::Given);
                    }
                }
            }
            Effect::Clobber { .. } => {
                let leaves = ready.value.clone().unwrap_or_default();
                // What a function of the program writes goes with what else it does, and that is not told.
                let told = self.context.program.functions[application.function].body.is_none();
                self.clobber(&leaves, guard, if told { Clobbered::AsTold } else { Clobbered::Untold });
            }
            Effect::Copy { to, span, start, .. } => {
                let from = ready.value.clone().unwrap_or_default();
                let to = match (&ready.cell, to.root) {
                    (_, Root::Fresh(_)) => self.resolve(to, application).0,
                    (Some((cell, _)), _) => cell.clone(),
                    (None, _) => return,
                };
                let (to, from) = (moved(&to, span.offset), moved(&from, *start));
                self.copy(&to, &from, span.bytes, guard);
            }
            Effect::Zero { place, span } => {
                let to = match place.root {
                    Root::Fresh(_) => self.resolve(place, application).0,
                    _ => ready.value.clone().unwrap_or_default(),
                };
                for &(when, leaf) in to.iter().filter(|_| application.vague) {
                    let when = self.and(guard, when);
                    self.trust_with_contents(leaf, when, application.callee);
                }
                self.fill(&moved(&to, span.offset), Some(0), span.bytes, guard);
            }
            Effect::Calls { arguments, states, .. } => {
                let functions = ready.value.clone().unwrap_or_default();
                self.call_back(&functions, arguments, states, guard, application);
            }
        }
    }

    /// Whether an address leads to something that was acquired here.
    fn is_ours(&self, leaf: Leaf) -> bool {
        matches!(leaf, Leaf::Address(object, _) if self.objects[object].is_fresh())
    }

    /// A callee of which not everything is known releases or empties an object; what that holds may have gone before
    /// (ASSUME-24).
    fn trust_with_contents(&mut self, leaf: Leaf, guard: Guard, callee: &str) {
        if !self.assumes(Supposed::EmptierLookedAfter) {
            return;
        }
        let held = self.held_by(leaf);
        if !held.is_empty() {
            self.keep_perhaps(&held, guard, callee, How::Found);
        }
    }

    /// What the cells of an object hold.
    fn held_by(&self, leaf: Leaf) -> Leaves {
        let Leaf::Address(object, _) = leaf else { return Leaves::default() };
        let held = self.objects[object].held();
        held.map(|(when, held)| (when, Leaf::Address(held, Offset::At(0)))).collect()
    }

    /// Leaves out cells that are part of an address. A callee that may or may not have changed one byte of it has
    /// more likely left it alone.
    pub(crate) fn spare_addresses(&self, cell: &mut Leaves, ty: Type) {
        let bytes = u64::from(self.width(ty).bits().div_ceil(8));
        cell.retain(|(_, leaf)| match leaf {
            Leaf::Address(object, Offset::At(offset)) => {
                let object = &self.objects[*object];
                !object.overlapping(*offset, bytes).into_iter().any(|index| {
                    let cell = &object.cells[index];
                    let holds_address = || cell.leaves.iter().any(|leaf| matches!(leaf.1, Leaf::Address(..)));
                    cell.bytes > bytes && holds_address()
                })
            }
            _ => true,
        });
    }

    /// A cell is overwritten with something that is not known; what it led to may have gone anywhere. Says whether it
    /// was known what the cell held.
    pub(crate) fn keep_what_was_there(
        &mut self,
        cell: &Leaves,
        ty: Type,
        guard: Guard,
        callee: &str,
    ) -> bool {
        let mut known = false;
        for &(when, leaf) in cell {
            let guard = self.and(guard, when);
            if guard.is_false() {
                continue;
            }
            let mut old = match self.whole_cell(leaf, ty) {
                Some(leaves) => leaves,
                None => {
                    let old = self.load(&vec![(when, leaf)], ty);
                    let width = self.width(ty);
                    self.leaves(&old, width)
                }
            };
            old.retain(|entry| !self.formulas.guards.disjoint(entry.0, guard));
            known |= self.is_known(cell, &old);
            old.retain(|entry| self.may_be_held(entry.1));
            self.keep_untold(&old, guard, callee, How::Found);
        }
        known
    }

    /// What the cell at an address holds, on whatever paths, if nothing else can be there.
    fn whole_cell(&self, address: Leaf, ty: Type) -> Option<Leaves> {
        let Leaf::Address(object, Offset::At(offset)) = address else { return None };
        let bytes = ty.store_bytes(self.context.program.target.pointer_bits);
        let object = &self.objects[object];
        let index = object.cell(offset, bytes).filter(|_| object.scattered.is_empty())?;
        Some(object.cells[index].leaves.clone())
    }

    fn fresh_place(&mut self, place: &Path, application: &Application<'_>) -> Option<(Leaves, Type)> {
        let (&last, before) = place.steps.split_last()?;
        let base = Path { root: place.root, steps: before.to_vec() };
        let (leaves, _) = self.resolve(&base, application);
        Some(self.step(&leaves, last))
    }

    pub fn release(&mut self, leaf: Leaf, guard: Guard, inst: InstId) {
        if guard.is_false() {
            return;
        }
        let Some(object) = self.resource(leaf) else { return };
        let before = self.objects[object].released;
        self.objects[object].released = self.or(before, guard);
        self.event(inst, object, guard, EventKind::Release);
        self.hand_on(object);
    }

    pub fn event(&mut self, inst: InstId, object: ObjectId, guard: Guard, kind: EventKind) {
        self.journal.events.push(Event { node: self.node, inst, guard, object, kind });
    }

    pub fn assume(&mut self, function: &str) {
        if !self.assumptions.iter().any(|known| **known == *function) {
            self.assumptions.push(function.into());
        }
    }
}

/// The fresh objects of an outcome that globals lead to.
fn left_in_globals(outcome: &Outcome) -> Vec<u32> {
    let mut left: Vec<u32> = Vec::new();
    let mut before = usize::MAX;
    while left.len() != before {
        before = left.len();
        for effect in &outcome.effects {
            if let Effect::Store { place, value: Value::Fresh { index, .. } } = effect
                && !left.contains(index)
                && match place.root {
                    Root::Global(_) => true,
                    Root::Fresh(owner) => left.contains(&owner),
                    _ => false,
                }
            {
                left.push(*index);
            }
        }
    }
    left
}

/// Addresses so many bytes further.
fn moved(leaves: &Leaves, bytes: i64) -> Leaves {
    let moved = leaves.iter().map(|&(guard, leaf)| match leaf {
        Leaf::Address(object, offset) => (guard, Leaf::Address(object, offset.plus(bytes))),
        other => (guard, other),
    });
    moved.collect()
}

/// Whether a value that is stored leaves nothing in a cell that may have held an address or the number of a descriptor.
pub(crate) fn empties(value: &Value, ty: Type) -> bool {
    matches!(ty, Type::Ptr | Type::Int(32)) && matches!(value, Value::Number(_))
}
