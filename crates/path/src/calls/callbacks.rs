//! Functions of the caller's: `list_free(list, free)`, or a destructor that an object carries with it.
//!
//! A function that calls what a parameter points to, or leads to, cannot know what that does. Its summary says that it
//! calls it, and with what; where the caller has the address of a function there, its summary is applied at the call.
//! Otherwise what was passed counts as possibly kept, as with every function that is not known. What such a function
//! returns is not followed. States of properties that are other than at entry while it is called (a lock is held) are
//! told with the call, and the function called is applied in them: it finds the lock taken.
//!
//! Library models say of functions what they call, too, but not when: the function that a thread starts with runs
//! later. So only what bodies were seen to do is applied.

use crate::assumptions::Supposed;
use crate::calls::apply::{Application, Arguments};
use crate::context::Known;
use crate::limits::{CALLBACK_STEPS, MOST_DEFERRED};
use crate::machine::cells::{Cell, Known as KnownState, WIDTH};
use crate::machine::journal::Argument;
use crate::machine::journal::Deferred;
use crate::machine::journal::How;
use crate::machine::memory::{ObjectId, Origin};
use crate::machine::state::State;
use crate::machine::value::{Leaf, Leaves, Offset, Sym};
use watertight_ir::{Callee, FuncId, Op, Type};
use watertight_logic::guard::Guard;
use watertight_summary::{CallAt, Effect, KeepReason, Path, Root, Summary, Value};

/// What assumptions call a function that was called through a pointer.
pub use watertight_finding::BY_POINTER as POINTER;

/// Whether something is kept by a function that was called through a pointer.
pub fn is_by_pointer(reason: &KeepReason) -> bool {
    matches!(reason, KeepReason::Assumed { function } if **function == *POINTER)
}

impl State<'_> {
    /// Notes a call of a function that the caller has under a name.
    pub(crate) fn defer(&mut self, function: &Path, args: &Arguments<'_>) {
        if self.journal.deferred.len() >= MOST_DEFERRED {
            return;
        }
        let arguments: Vec<Argument> = args.iter().map(|(sym, ty)| self.told(sym, *ty)).collect();
        let ours = |argument: &Argument| {
            matches!(argument, Argument::Fresh(..) | Argument::Told(Value::Entry { .. }))
        };
        let states = self.states_here();
        if !arguments.iter().any(ours) && states.is_empty() {
            return;
        }
        for (sym, ty) in args {
            let leaves = self.leaves(sym, self.width(*ty));
            for (when, leaf) in leaves {
                if let Leaf::Address(object, _) = leaf {
                    let when = self.and(self.here, when);
                    let before = self.objects[object].kept_by_pointer;
                    self.objects[object].kept_by_pointer = self.or(before, when);
                }
            }
        }
        self.journal.deferred.push(Deferred {
            guard: self.here,
            function: function.clone(),
            arguments,
            states,
        });
    }

    /// States that this function has brought about, that are one and the same on all paths to here, and for which callers
    /// have a name.
    fn states_here(&mut self) -> Vec<(Path, i64)> {
        let mut states = Vec::new();
        if !self.follow_states || self.moved_properties.is_empty() {
            return states;
        }
        for object in self.objects.ids() {
            for index in 0..self.objects[object].hidden.len() {
                let hidden = &self.objects[object].hidden[index];
                let (moved, offset, property) = (hidden.moved, hidden.offset, hidden.property);
                let Some(place) = self.state_path(object, offset, property).filter(|_| moved) else {
                    continue;
                };
                let known = self.known(Cell { object, index }, self.here);
                if let [(_, KnownState::Number(number), _)] = known[..] {
                    states.push((place, number));
                }
            }
        }
        states
    }

    /// An argument in the caller's terms.
    fn told(&mut self, sym: &Sym, ty: Type) -> Argument {
        let leaves = self.leaves(sym, self.width(ty));
        let [(_, leaf)] = leaves[..] else { return Argument::Told(Value::Any) };
        Argument::Told(match leaf {
            Leaf::Address(object, Offset::At(plus)) => match &self.objects[object].origin {
                Origin::Entry(path) => Value::Entry { path: path.clone(), plus },
                Origin::Fresh(_) => return Argument::Fresh(object, plus),
                _ => Value::Any,
            },
            Leaf::Number(term) => match self.signed_constant(term) {
                Some(number) => Value::Number(number),
                None => Value::Any,
            },
            _ => Value::Any,
        })
    }

    /// Whether only functions of the caller's may keep what a path leads to.
    pub fn is_kept_by_pointer(&self, path: &Path) -> bool {
        let of_path = |origin: &Origin| matches!(origin, Origin::Entry(other) if other == path);
        !self.journal.deferred.is_empty()
            && self.objects.values().any(|object| {
                of_path(&object.origin)
                    && !object.kept_by_pointer.is_false()
                    && object.kept_by_pointer == object.assumed_kept
            })
    }

    /// Who was given an object that is then released may answer for what it held (ASSUME-9).
    pub(crate) fn hand_on(&mut self, object: ObjectId) {
        if !self.assumes(Supposed::OwnerAnswersForContents) {
            return;
        }
        let entry = &self.objects[object];
        let (released, kept, assumed) = (entry.released, entry.kept, entry.assumed_kept);
        if released.is_false() || (kept.is_false() && assumed.is_false()) {
            return;
        }
        let held: Vec<(Guard, ObjectId)> = entry.held().collect();
        let keeper = self.journal.keepers.iter().find(|keeper| keeper.object == object);
        let callee = keeper.map_or_else(|| POINTER.into(), |keeper| keeper.callee.clone());
        for (guard, held) in held {
            let (kept, assumed) = (self.and(kept, guard), self.and(assumed, guard));
            self.objects[held].kept = self.or(self.objects[held].kept, kept);
            if !assumed.is_false() {
                self.assume_kept(held, assumed, &callee, How::Found);
            }
        }
    }

    /// For each outcome, whether all functions are known here that it calls.
    pub(crate) fn followed_calls(&mut self, summary: &Summary, application: &Application<'_>) -> Vec<bool> {
        let calls = |effect: &Effect| matches!(effect, Effect::Calls { .. });
        let all = summary.effects();
        if !self.is_followed(application) || !all.into_iter().any(calls) {
            return Vec::new();
        }
        let mut followed = Vec::with_capacity(summary.outcomes.len());
        for outcome in &summary.outcomes {
            let mut known = outcome.effects.iter().any(calls);
            for effect in &outcome.effects {
                if let Effect::Calls { function, .. } = effect {
                    let leaves = self.resolve(function, application).0;
                    known &= !leaves.is_empty() && leaves.iter().all(|entry| self.is_function(entry.1));
                }
            }
            followed.push(known);
        }
        followed
    }

    fn is_followed(&self, application: &Application<'_>) -> bool {
        // What a function that is called back calls back is not followed.
        self.called_back.is_none() && self.context.program.functions[application.function].body.is_some()
    }

    /// Whether an address is that of a function of which something is known, or null, which nobody calls.
    fn is_function(&self, leaf: Leaf) -> bool {
        match leaf {
            Leaf::Function(function) => {
                matches!(self.component.lookup(self.context, function), Known::Summary(_))
            }
            Leaf::Number(term) => self.formulas.terms.const_value(term) == Some(0),
            Leaf::Address(..) => false,
        }
    }

    /// Applies what a callee calls, as far as it is known here.
    pub(crate) fn call_back(
        &mut self,
        functions: &Leaves,
        arguments: &[Value],
        states: &[(Path, i64)],
        guard: Guard,
        application: &Application<'_>,
    ) {
        if !self.is_followed(application) {
            return;
        }
        let Some(site) = self.calling_site(application.function) else { return };
        let before = self.put_states(states, guard, application);
        for &(when, leaf) in functions {
            let when = self.and(guard, when);
            if when.is_false() || self.spend(CALLBACK_STEPS).is_err() {
                continue;
            }
            let function = match leaf {
                Leaf::Function(function) => function,
                // The caller of this function has it.
                Leaf::Address(object, Offset::At(0)) if !states.is_empty() => {
                    self.hand_up(object, arguments, when, application);
                    continue;
                }
                _ => continue,
            };
            let types: Vec<Type> =
                self.context.program.functions[function].params.iter().map(|param| param.ty).collect();
            let mut args = Vec::with_capacity(arguments.len());
            for (index, value) in arguments.iter().enumerate() {
                let ty = types.get(index).copied().unwrap_or(Type::Ptr);
                let entry = self.entry_value(value, application);
                args.push((self.outcome_value(value, entry.as_ref(), ty, application), ty));
            }
            let result = self.context.program.functions[function].result;
            let before = std::mem::replace(&mut self.here, when);
            self.called_back = Some(site);
            // A budget that is spent shows at the next step.
            let given = self.call_one(application.inst, Some(function), &args, result);
            // What it hands out goes to the callee, where it is not followed.
            if let Ok(Some(sym @ Sym::Leaves(_))) = given {
                let leaves = self.leaves(&sym, self.width(result));
                self.keep_leaves(&leaves, when);
            }
            self.called_back = None;
            self.here = before;
        }
        // What the callee leaves behind is told by its own effects.
        for (cell, leaves) in before {
            self.objects[cell.object].hidden[cell.index].leaves = leaves;
        }
    }

    /// Notes that a callee calls, in the states that are there now, a function that the caller of this one has under a name.
    fn hand_up(
        &mut self,
        function: ObjectId,
        arguments: &[Value],
        when: Guard,
        application: &Application<'_>,
    ) {
        let path = match &self.objects[function].origin {
            Origin::Entry(path) if matches!(path.root, Root::Param(_)) => path.clone(),
            _ => return,
        };
        let mut args = Vec::with_capacity(arguments.len());
        for value in arguments {
            let entry = self.entry_value(value, application);
            args.push((self.outcome_value(value, entry.as_ref(), Type::Ptr, application), Type::Ptr));
        }
        let before = std::mem::replace(&mut self.here, when);
        self.defer(&path, &args);
        self.here = before;
    }

    /// Where a function calls what it was given: through a pointer, or else by the first call to which it may hand it on.
    fn calling_site(&self, function: FuncId) -> Option<CallAt> {
        let body = self.context.program.functions[function].body.as_ref()?;
        let calls = body.insts.iter().filter_map(|(inst, data)| match &data.op {
            Op::Call(call) => Some((inst, matches!(call.callee, Callee::Pointer(_)))),
            _ => None,
        });
        let (inst, _) = calls.max_by_key(|&(inst, by_pointer)| (by_pointer, std::cmp::Reverse(inst)))?;
        Some(CallAt { function, inst })
    }

    /// Brings about the states in which a callee calls. Gives the cells with what they held.
    fn put_states(
        &mut self,
        states: &[(Path, i64)],
        guard: Guard,
        application: &Application<'_>,
    ) -> Vec<(Cell, Leaves)> {
        let mut before = Vec::new();
        if !self.follow_states {
            return before;
        }
        for (place, number) in states {
            for (when, cell) in self.cells_at(place, application) {
                let when = self.and(guard, when);
                before.push((cell, self.hidden(cell).leaves.clone()));
                let state = Leaf::Number(self.constant(WIDTH, i128::from(*number)));
                self.set_state(cell, &vec![(when, state)], when);
            }
        }
        before.reverse();
        before
    }
}
