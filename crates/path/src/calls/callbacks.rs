//! Functions of the caller's: `list_free(list, free)`, or a destructor that an object carries with it.
//!
//! A function that calls what a parameter points to, or leads to, cannot know what that does. Its summary says that it
//! calls it, and with what; where the caller has the address of a function there, its summary is applied at the call.
//! Otherwise what was passed counts as possibly kept, as with every function that is not known. What such a function
//! returns is not followed.
//!
//! Library models say of functions what they call, too, but not when: the function that a thread starts with runs
//! later. So only what bodies were seen to do is applied.

use crate::calls::apply::{Application, Arguments};
use crate::evaluate::memory::{ObjectId, Origin};
use crate::evaluate::state::{How, Precision, State};
use crate::evaluate::value::{Leaf, Leaves, Offset, Sym};
use crate::turns::context::Known;
use watertight_ir::Type;
use watertight_logic::guard::Guard;
use watertight_summary::{Effect, KeepReason, Path, Summary, Value};

/// What assumptions call a function that was called through a pointer.
pub const POINTER: &str = "a function pointer";

/// The most calls of functions of the caller's that are remembered.
const MOST_DEFERRED: usize = 8;
/// Steps that a callback costs beside those of its effects.
const CALLBACK_STEPS: u64 = 8;

/// A call of a function of the caller's.
#[derive(Clone, PartialEq, Debug)]
pub struct Deferred {
    pub guard: Guard,
    function: Path,
    arguments: Vec<Argument>,
}

/// What such a function is given.
#[derive(Clone, PartialEq, Debug)]
enum Argument {
    Told(Value),
    /// Something that was acquired here. What the caller calls it is not known before the summary is made.
    Fresh(ObjectId, i64),
}

impl Deferred {
    /// The call as the caller sees it, who gets these objects.
    pub fn effect(&self, fresh: &[ObjectId]) -> Effect {
        let told = |argument: &Argument| match argument {
            Argument::Told(value) => value.clone(),
            Argument::Fresh(object, plus) => match fresh.iter().position(|known| known == object) {
                Some(index) => Value::Fresh { index: index as u32, plus: *plus },
                None => Value::Any,
            },
        };
        Effect::Calls {
            function: self.function.clone(),
            arguments: self.arguments.iter().map(told).collect(),
        }
    }
}

/// Whether something is kept by a function that was called through a pointer.
pub fn is_by_pointer(reason: &KeepReason) -> bool {
    matches!(reason, KeepReason::Assumed { function } if **function == *POINTER)
}

impl State<'_> {
    /// Notes a call of a function that the caller has under a name.
    pub(crate) fn defer(&mut self, function: &Path, args: &Arguments<'_>) {
        if self.precision == Precision::Coarse || self.deferred.len() >= MOST_DEFERRED {
            return;
        }
        let arguments: Vec<Argument> = args.iter().map(|(sym, ty)| self.told(sym, *ty)).collect();
        let ours = |argument: &Argument| {
            matches!(argument, Argument::Fresh(..) | Argument::Told(Value::Entry { .. }))
        };
        if !arguments.iter().any(ours) {
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
        self.deferred.push(Deferred { guard: self.here, function: function.clone(), arguments });
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
        !self.deferred.is_empty()
            && self.objects.values().any(|object| {
                of_path(&object.origin)
                    && !object.kept_by_pointer.is_false()
                    && object.kept_by_pointer == object.assumed_kept
            })
    }

    /// Who was given an object that is then released may answer for what it held (ASSUME-9).
    pub(crate) fn hand_on(&mut self, object: ObjectId) {
        let entry = &self.objects[object];
        let (released, kept, assumed) = (entry.released, entry.kept, entry.assumed_kept);
        if released.is_false() || (kept.is_false() && assumed.is_false()) {
            return;
        }
        let held: Vec<(Guard, ObjectId)> = entry.held().collect();
        for (guard, held) in held {
            let (kept, assumed) = (self.and(kept, guard), self.and(assumed, guard));
            self.objects[held].kept = self.or(self.objects[held].kept, kept);
            if !assumed.is_false() {
                let keeper = self.keepers.iter().find(|keeper| keeper.object == object);
                let callee = keeper.map_or_else(|| POINTER.into(), |keeper| keeper.callee.clone());
                self.assume_kept(held, assumed, &callee, How::Found);
            }
        }
    }

    /// For each outcome, whether all functions are known here that it calls.
    pub(crate) fn followed_calls(&mut self, summary: &Summary, application: &Application<'_>) -> Vec<bool> {
        let calls = |effect: &Effect| matches!(effect, Effect::Calls { .. });
        let all = summary.outcomes.iter().flat_map(|outcome| &outcome.effects);
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
        !self.in_callback
            && self.precision == Precision::Exact
            && self.context.program.functions[application.function].body.is_some()
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
        guard: Guard,
        application: &Application<'_>,
    ) {
        if !self.is_followed(application) {
            return;
        }
        for &(when, leaf) in functions {
            let Leaf::Function(function) = leaf else { continue };
            let when = self.and(guard, when);
            if when.is_false() || self.budget.spend(CALLBACK_STEPS).is_err() {
                continue;
            }
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
            self.in_callback = true;
            // A budget that is spent shows at the next step.
            let given = self.call_one(application.inst, Some(function), &args, result);
            // What it hands out goes to the callee, where it is not followed.
            if let Ok(Some(sym @ Sym::Leaves(_))) = given {
                let leaves = self.leaves(&sym, self.width(result));
                self.keep_leaves(&leaves, when);
            }
            self.in_callback = false;
            self.here = before;
        }
    }
}
