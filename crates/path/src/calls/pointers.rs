//! Calls through pointers: which of the functions that may be reached stands for all.
//!
//! In: what a place may hold ([`crate::facts::targets`]) and the summaries of these functions. Out: one function. Where there are
//! several, or where the user of a library may put others there, they are taken to keep to one contract: to hand out and
//! release the same things (ASSUME-7). That is checked of those that are known. A function that does nothing with resources is a
//! stand-in for others (the allocator before set-up that always fails) and does not count. If the rest differs, nothing is
//! known of the call.
//!
//! Of a call through a member (`object->operations->make()`), or through a table at an index that is not known, all functions are
//! known that it may reach, however many. There each of them has to do the same with what it is given; none is left out.

use crate::context::{Component, Context, Known};
use crate::facts::places::place_of;
use crate::facts::targets::Held;
use crate::machine::memory::{Origin, Site};
use crate::machine::state::State;
use crate::machine::value::{Leaf, Leaves, Offset};
use watertight_finding::{Assumed, Assumption};
use watertight_ir::spell::Speller;
use watertight_ir::{Callee, FuncId, GlobalId, InstId, Op, Program};
use watertight_logic::guard::Guard;
use watertight_summary::{CallAt, Completeness, Effect, Path, Root, Summary, Value};

/// What a function does with resources, as far as replacements must agree in it. Lists are in ascending order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Contract {
    /// Whether the result is something fresh.
    gives: bool,
    /// Whether the result is something that is no number, and not fresh.
    shows: bool,
    /// What it releases of the caller's, on some path.
    releases: Vec<Path>,
    /// Cells of the caller's that get something fresh.
    fills: Vec<Path>,
    /// What of the caller's somebody has afterwards.
    keeps: Vec<Path>,
}

impl Contract {
    fn of(summary: &Summary) -> Contract {
        let mut contract = Contract::default();
        for outcome in &summary.outcomes {
            contract.gives |= matches!(outcome.result, Value::Fresh { .. });
            contract.shows |=
                !matches!(outcome.result, Value::Fresh { .. } | Value::Number(_) | Value::Such { .. });
            for effect in &outcome.effects {
                match effect {
                    Effect::Release { value, .. } if !matches!(value.root, Root::Fresh(_)) => {
                        contract.releases.push(value.clone());
                    }
                    Effect::Store { place, value: Value::Fresh { .. } }
                        if !matches!(place.root, Root::Fresh(_)) =>
                    {
                        contract.fills.push(place.clone());
                    }
                    Effect::Store { value: Value::Entry { path, .. }, .. }
                    | Effect::Keep { value: path, .. } => {
                        let given = matches!(path.root, Root::Param(_)) && path.steps.is_empty();
                        contract.keeps.extend(given.then(|| path.clone()));
                    }
                    _ => {}
                }
            }
        }
        for list in [&mut contract.releases, &mut contract.fills, &mut contract.keeps] {
            list.sort_unstable();
            list.dedup();
        }
        contract
    }

    /// The parameters that it releases themselves.
    fn released(&self) -> impl Iterator<Item = u32> {
        self.releases.iter().filter(|path| path.steps.is_empty()).filter_map(|path| match path.root {
            Root::Param(index) => Some(index),
            _ => None,
        })
    }

    /// Whether it says nothing of what is acquired and released.
    fn is_nothing(&self) -> bool {
        !self.gives && self.fills.is_empty() && self.released().next().is_none()
    }

    /// Whether both do the same with what they are given.
    fn takes_alike(&self, other: &Contract) -> bool {
        (&self.releases, &self.fills, &self.keeps) == (&other.releases, &other.fills, &other.keeps)
    }

    /// Whether both hand out something and release the same parameters.
    fn treats_alike(&self, other: &Contract) -> bool {
        self.gives == other.gives
            && self.fills.is_empty() == other.fills.is_empty()
            && self.released().eq(other.released())
    }
}

/// The function that stands for all that a place may hold.
pub fn representative(context: &Context<'_>, component: &Component, held: &Held) -> Option<FuncId> {
    if let ([function], false) = (&held.functions[..], held.open) {
        return Some(*function);
    }
    let mut found: Option<(FuncId, Contract)> = None;
    let mut pending = None;
    for &function in &held.functions {
        match component.lookup(context, function) {
            Known::Summary(summary) => {
                let contract = Contract::of(summary);
                match &found {
                    _ if contract.is_nothing() => {}
                    None => found = Some((function, contract)),
                    Some((_, known)) if known.treats_alike(&contract) => {}
                    Some(_) => return None,
                }
            }
            Known::Pending => pending = pending.or(Some(function)),
            Known::Nothing => {}
        }
    }
    found.map(|(function, _)| function).or(pending)
}

/// The function that stands for all that a call may reach, where nothing else can be there: every one is known, and does the
/// same with what it is given. One that gives something new stands for those that give nothing, because whoever calls has to look
/// after what may be given; it does not for those that show something, because callers have ways to tell that from something new.
fn agreed(context: &Context<'_>, component: &Component, held: &Held) -> Option<FuncId> {
    let contracts = held.functions.iter().map(|&function| match component.lookup(context, function) {
        Known::Summary(summary) if summary.completeness == Completeness::Whole => {
            Some((Contract::of(summary), function))
        }
        Known::Summary(_) | Known::Pending | Known::Nothing => None,
    });
    let contracts: Vec<(Contract, FuncId)> = contracts.collect::<Option<_>>()?;
    let (first, function) = contracts.iter().find(|(known, _)| known.gives).or(contracts.first())?;
    let acts = !first.is_nothing() || !first.releases.is_empty();
    let alike = |other: &Contract| first.takes_alike(other) && (first.gives == other.gives || !other.shows);
    (acts && contracts.iter().all(|(other, _)| alike(other))).then_some(*function)
}

/// The function that stands for all that a call through a pointer may reach.
fn standing_for(context: &Context<'_>, component: &Component, call: &CallAt) -> Option<FuncId> {
    let (caller, inst) = (call.function, call.inst);
    let places = context.targets.of_call(caller, inst);
    let closed = || agreed(context, component, context.targets.of_closed_call(caller, inst)?);
    places.and_then(|held| representative(context, component, held)).or_else(closed)
}

/// Whether nothing but one function can be there, so that nothing has to be assumed.
fn is_one(context: &Context<'_>, call: &CallAt) -> bool {
    let targets = &context.targets;
    [targets.of_call(call.function, call.inst), targets.of_closed_call(call.function, call.inst)]
        .into_iter()
        .flatten()
        .any(|held| !held.open && held.functions.len() == 1)
}

/// Who is called through a pointer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reached {
    Function(FuncId),
    /// Whatever the caller has there.
    Named(Path),
    Unknown,
}

impl Reached {
    pub fn function(&self) -> Option<FuncId> {
        match self {
            Reached::Function(function) => Some(*function),
            Reached::Named(_) | Reached::Unknown => None,
        }
    }
}

/// What the source calls the pointer that a call goes through.
pub fn spelled_at(program: &Program, call: &CallAt) -> Option<String> {
    let body = program.functions[call.function].body.as_ref()?;
    let Op::Call(data) = &body.insts.get(call.inst)?.op else { return None };
    let Callee::Pointer(pointer) = data.callee else { return None };
    Some(Speller::new(program, call.function)?.value(pointer)?.text)
}

/// What had to be assumed of the calls that led to something: that all functions which a pointer may hold keep to one
/// contract.
pub fn contracts(state: &State<'_>, site: &Site) -> Vec<Assumption> {
    let program = state.context.program;
    let own = CallAt { function: state.id, inst: site.inst };
    let mut all: Vec<Assumption> = Vec::new();
    for call in [own].iter().chain(&site.trail) {
        if is_one(state.context, call) {
            continue;
        }
        // What the function saw that makes the call. It had its turn before, and so had all that it saw.
        let theirs = (call.function != state.id).then(|| Component::before(state.context, call.function));
        let saw = theirs.as_ref().unwrap_or(state.component);
        let (Some(function), Some(name)) =
            (standing_for(state.context, saw, call), spelled_at(program, call))
        else {
            continue;
        };
        let place = place_of(program, call.function, call.inst);
        let alike = Assumed::BehaveAlike { pointer: &name, function: &program.functions[function].name };
        all.push(Assumption::new(place, alike));
    }
    all
}

impl State<'_> {
    /// What a cell of a global holds at entry, if it is a place for functions of which one stands for all.
    pub fn functions_in(&mut self, global: GlobalId, offset: i64) -> Option<Leaves> {
        let held = self.context.targets.at(global, offset)?;
        let function = Leaf::Function(representative(self.context, self.component, held)?);
        if !held.null {
            return Some(vec![(Guard::TRUE, function)]);
        }
        // The caller's name for it tells whether it is set.
        let path = Path::root(Root::Global(global)).at(offset);
        let object = self.object(Origin::Entry(path));
        let null = self.is_null(object);
        let zero = self.constant(self.pointer_width(), 0);
        Some(vec![(null, Leaf::Number(zero)), (!null, function)])
    }

    /// Who is called through a pointer, and when. Where the value does not tell, the text of the program may.
    pub fn reached(&mut self, inst: InstId, pointer: &Leaves) -> Vec<(Guard, Reached)> {
        let mut reached: Vec<(Guard, Reached)> = Vec::with_capacity(pointer.len());
        let mut otherwise: Option<Option<FuncId>> = None;
        for &(guard, leaf) in pointer {
            let function = match leaf {
                Leaf::Function(function) => Some(function),
                _ => *otherwise.get_or_insert_with(|| {
                    standing_for(self.context, self.component, &CallAt { function: self.id, inst })
                }),
            };
            let target = match (function, leaf) {
                (Some(function), _) => Reached::Function(function),
                (None, Leaf::Address(object, Offset::At(0))) => match &self.objects[object].origin {
                    Origin::Entry(path) if matches!(path.root, Root::Param(_)) => {
                        Reached::Named(path.clone())
                    }
                    _ => Reached::Unknown,
                },
                _ => Reached::Unknown,
            };
            match reached.iter_mut().find(|known| known.1 == target) {
                Some(known) => known.0 = self.formulas.guards.or(known.0, guard),
                None => reached.push((guard, target)),
            }
        }
        reached
    }
}
