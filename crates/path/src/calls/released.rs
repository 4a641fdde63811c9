//! What is certainly released, and what is done to it afterwards.
//!
//! A release counts here only when the function itself decides about it, or when the call cannot have ended otherwise:
//! a callee that drops one of several references releases the object on paths that its caller knows more about. Between
//! release and use nothing may have happened that could have put another address where the old one was read from; code
//! that is not known can change all memory that it can reach, so what is held there is forgotten.
//!
//! In: releases, loads, stores and arguments as evaluation meets them. Out: events, and for each function the parameters
//! whose objects it uses whenever it returns.

use crate::calls::apply::Arguments;
use crate::context::uses::Uses;
use crate::limits::{DOUBTED_OBJECTS, RELEASES_REMEMBERED};
use crate::machine::journal::Gone;
use crate::machine::journal::{Before, EventKind};
use crate::machine::memory::{ObjectId, Origin};
use crate::machine::provenance::Provenance;
use crate::machine::state::State;
use crate::machine::value::{Leaf, Leaves, Offset};
use watertight_finding::Doubt;
use watertight_ir::{FuncId, Function, InstId};
use watertight_logic::guard::Guard;
use watertight_logic::width::Width;
use watertight_summary::{
    Completeness, Effect, KindId, Outcome, Path, Relation, Root, Step, Summary, Value, When,
};

/// How sure a release is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Sure {
    /// It happens, except on these paths of the same call.
    Except(Guard),
    No,
}

impl State<'_> {
    /// What an address leads to and where, as far as releases of it are told.
    fn releasable(&mut self, leaf: Leaf) -> Option<(ObjectId, Offset)> {
        let (object, at) = match (self.resource(leaf), leaf) {
            (Some(object), Leaf::Address(_, offset)) => (object, offset),
            (Some(object), _) => (object, Offset::At(0)),
            (None, Leaf::Number(term)) => {
                let (object, offset) = self.place_at(term)?;
                (object, Offset::At(offset))
            }
            _ => return None,
        };
        let releasable =
            matches!(self.objects[object].origin, Origin::Fresh(_) | Origin::Entry(_) | Origin::Elsewhere);
        releasable.then_some((object, at))
    }

    /// Notes a release, and that it is the second one.
    pub fn note_release(&mut self, leaf: Leaf, kind: KindId, guard: Guard, inst: InstId, sure: Sure) {
        let Sure::Except(doubt) = sure else { return };
        let Some((object, at)) = self.releasable(leaf) else { return };
        // A call that releases it on some of its paths only is no second release that anyone could be sure of.
        if doubt.is_false() {
            self.note_after_release(object, guard, inst, Misuse::Release(at));
        }
        let gone = &mut self.objects[object].gone;
        if gone.len() < RELEASES_REMEMBERED {
            gone.push(Gone { guard, doubt, at, node: self.node, inst, kind });
        }
    }

    /// Notes that memory is read or written.
    pub fn note_use(&mut self, inst: InstId, leaves: &Leaves) {
        for &(when, leaf) in leaves {
            let object = match leaf {
                Leaf::Address(object, _) => object,
                Leaf::Number(term) => match self.known_object_at(term) {
                    Some(object) => object,
                    None => continue,
                },
                Leaf::Function(_) => continue,
            };
            let used = self.and(self.here, when);
            if used.is_false() {
                continue;
            }
            if is_parameter(&self.objects[object].origin) {
                self.objects[object].used = self.or(self.objects[object].used, used);
            }
            if !self.objects[object].gone.is_empty() {
                self.note_after_release(object, used, inst, Misuse::Use);
            }
        }
    }

    /// Whether an object stands for several.
    pub fn is_several(&self, object: ObjectId) -> bool {
        let data = &self.objects[object];
        data.several
            || data.address.is_some_and(|address| self.unknowns.is(address, Provenance::OneOfSeveral))
    }

    fn note_after_release(&mut self, object: ObjectId, guard: Guard, inst: InstId, misuse: Misuse) {
        // An object that stands for several elements of an array may be released once for each.
        if self.is_several(object) {
            return;
        }
        for gone in self.objects[object].gone.clone() {
            // One call that seems to release it twice reaches it by two names, of which one may be wrong.
            if (gone.node, gone.inst) == (self.node, inst) {
                continue;
            }
            // Who releases a large block page by page gives up another part each time.
            if let Misuse::Release(at) = misuse
                && (at != gone.at || at == Offset::Somewhere)
            {
                continue;
            }
            // A call that closes the same number again in the next round tries again because it was interrupted.
            let number = self.context.library.kinds.get(gone.kind).number.is_some();
            if number && gone.inst == inst && matches!(misuse, Misuse::Release(_)) {
                continue;
            }
            let both = self.and(guard, gone.guard);
            if both.is_false() || !self.and(guard, gone.doubt).is_false() {
                continue;
            }
            let always = self.formulas.guards.and_not(guard, gone.guard).is_false();
            let before = Before { inst: gone.inst, kind: gone.kind, always };
            let kind = match misuse {
                Misuse::Release(_) => EventKind::ReleaseAgain(before),
                Misuse::Use => EventKind::UseReleased(before),
            };
            self.event(inst, object, both, kind);
        }
    }

    /// A cell was written through one of the caller's pointers. Cells of the others may be the same one, though the
    /// rest of the engine takes them for different: what they held may be there no more.
    pub fn doubt_aliases(&mut self, written: ObjectId, offset: i64) {
        if !is_outside(&self.objects[written].origin) {
            return;
        }
        self.strays |= matches!(self.objects[written].origin, Origin::Elsewhere);
        self.doubt_unlinked(written);
        for object in self.objects.ids() {
            if object != written && is_outside(&self.objects[object].origin) {
                let cells = self.objects[object].cells.iter_mut();
                cells.filter(|cell| cell.offset == offset).for_each(|cell| cell.stale = true);
            }
        }
    }

    /// What a link of an element leads to was written. Links go both ways: what an element says is before it has the
    /// element behind it. Who writes there may have taken the element out of wherever it was found.
    pub(crate) fn doubt_unlinked(&mut self, written: ObjectId) {
        let elements: Vec<ObjectId> = match &self.objects[written].origin {
            Origin::Entry(path) => {
                let Some((Step::At(_), before)) = path.steps.split_last() else { return };
                if before.is_empty() {
                    return;
                }
                let is_element = |origin: &Origin| matches!(origin, Origin::Entry(other) if other.root == path.root && other.steps == before);
                self.objects
                    .iter()
                    .filter(|(_, data)| is_element(&data.origin))
                    .map(|entry| entry.0)
                    .collect()
            }
            Origin::Elsewhere => {
                let leads =
                    |object: &ObjectId| *object != written && self.leads_to(*object).contains(&written);
                self.objects.ids().filter(leads).collect()
            }
            _ => return,
        };
        if elements.is_empty() {
            return;
        }
        for object in self.objects.ids() {
            if object == written || matches!(self.objects[object].origin, Origin::Stack(_)) {
                continue;
            }
            for index in 0..self.objects[object].cells.len() {
                if self.objects[object].cells[index].unlinked {
                    continue;
                }
                let leaves = &self.objects[object].cells[index].leaves;
                let found = leaves
                    .iter()
                    .any(|entry| self.leaf_object(entry.1).is_some_and(|held| elements.contains(&held)));
                self.objects[object].cells[index].unlinked |= found;
            }
        }
    }

    /// All cells of an object may have been written.
    pub(crate) fn doubt_cells(&mut self, object: ObjectId) {
        self.objects[object].cells.iter_mut().for_each(|cell| cell.stale = true);
    }

    /// A cell is read that something may have written since it was read last. If what it held was released in between, or
    /// taken out of a list, it may hold something else by now: that it does not is an invention.
    pub(crate) fn refresh(&mut self, object: ObjectId, index: usize) {
        let now = self.outside_changes;
        let cell = &mut self.objects[object].cells[index];
        let (stale, seen) =
            (std::mem::replace(&mut cell.stale, false), std::mem::replace(&mut cell.seen, now));
        let unlinked = std::mem::replace(&mut cell.unlinked, false);
        let fresh = !stale && !unlinked && (seen == now || !self.can_be_reached(object));
        if fresh {
            return;
        }
        let cell = self.objects[object].cells[index].clone();
        // Who reads there again after an element was taken out means the next one.
        if unlinked {
            for held in cell.leaves.iter().filter_map(|entry| self.leaf_object(entry.1)).collect::<Vec<_>>() {
                self.objects[held].found_again = true;
            }
        }
        let gone: Vec<Guard> = cell.leaves.iter().map(|&(when, leaf)| self.gone_on(leaf, when)).collect();
        let Some(width) = Width::new((cell.bytes as u32).saturating_mul(8)) else { return };
        if gone.iter().all(|gone| gone.is_false()) {
            return;
        }
        let (same, other) = (self.unknown_number(Width::BOOL), self.invented_number(width, Doubt::ReadAgain));
        self.unknowns.note(same, Provenance::Reread);
        let same = self.formulas.guard(same);
        let mut leaves: Leaves = Vec::with_capacity(cell.leaves.len() + 1);
        for ((when, leaf), gone) in cell.leaves.into_iter().zip(gone) {
            let replaced = self.formulas.guards.and_not(gone, same);
            leaves.push((self.formulas.guards.and_not(when, replaced), leaf));
            leaves.push((replaced, Leaf::Number(other)));
        }
        let found = self.tidy(leaves);
        self.objects[object].cells[index].found = Some(found);
    }

    /// The paths among these on which what an address leads to was released.
    fn gone_on(&mut self, leaf: Leaf, when: Guard) -> Guard {
        let Some(object) = self.leaf_object(leaf) else { return Guard::FALSE };
        let releases: Vec<Guard> = self.objects[object].gone.iter().map(|gone| gone.guard).collect();
        let gone = releases.into_iter().fold(Guard::FALSE, |all, guard| self.or(all, guard));
        let gone = self.formulas.guards.and_not(gone, self.seldom);
        self.and(when, gone)
    }

    /// Whether code that is not known can get at the cells of an object.
    fn can_be_reached(&self, object: ObjectId) -> bool {
        let data = &self.objects[object];
        let others =
            matches!(data.origin, Origin::Entry(_) | Origin::Global(_) | Origin::Elsewhere) || data.shared;
        others || !data.kept.is_false() || !data.assumed_kept.is_false() || !data.clobbered.is_false()
    }

    /// The object that a leaf is known to lead to.
    fn leaf_object(&self, leaf: Leaf) -> Option<ObjectId> {
        match leaf {
            Leaf::Address(object, _) => Some(object),
            Leaf::Number(term) => self.known_object_at(term),
            Leaf::Function(_) => None,
        }
    }

    /// Code that is not known was called: addresses that it can reach may have been replaced. That is all memory of
    /// others', and what it was given.
    pub fn doubt_reached(&mut self, given: &[Leaves]) {
        self.outside_changes += 1;
        let mut reached: Vec<ObjectId> = Vec::new();
        for leaf in given.iter().flatten() {
            if let Leaf::Address(object, _) = leaf.1
                && !reached.contains(&object)
            {
                reached.push(object);
            }
        }
        let mut next = 0;
        while next < reached.len() && next < DOUBTED_OBJECTS {
            self.doubt_cells(reached[next]);
            for object in self.leads_to(reached[next]) {
                if !reached.contains(&object) {
                    reached.push(object);
                }
            }
            next += 1;
        }
    }

    /// Objects that the cells of an object lead to, also by addresses that nobody has a name for.
    pub fn leads_to(&self, object: ObjectId) -> Vec<ObjectId> {
        let data = &self.objects[object];
        let leaves = data.cells.iter().flat_map(|cell| &cell.leaves).chain(&data.scattered);
        leaves.filter_map(|entry| self.leaf_object(entry.1)).collect()
    }

    /// What a call does with what its arguments point to, before it takes effect.
    pub fn note_arguments(&mut self, inst: InstId, callee: FuncId, summary: &Summary, args: &Arguments<'_>) {
        let context = self.context;
        let function = &context.program.functions[callee];
        let uses = match function.body {
            Some(_) => self.component.view.facts(context, callee).map(|facts| facts.uses).unwrap_or_default(),
            None => {
                let named = context.library.origins.get(&function.name);
                modelled_uses(summary, function, named.map_or(&[], |origin| &origin.parameters), args.len())
            }
        };
        let format =
            if function.variadic && function.body.is_none() { self.format(function, args) } else { None };
        for (index, (sym, ty)) in args.iter().enumerate() {
            let beyond = index >= function.params.len();
            let read = match &format {
                Some(read) if beyond => read.get(index - function.params.len()).copied().unwrap_or(false),
                _ => !beyond && uses.contains(index),
            };
            if read {
                let width = self.width(*ty);
                let leaves = self.leaves(sym, width);
                self.note_use(inst, &leaves);
            }
        }
    }

    /// Which variable arguments a constant format reads memory through: those of `%s` and `%n`.
    fn format(&mut self, function: &Function, args: &Arguments<'_>) -> Option<Vec<bool>> {
        let origin = self.context.library.origins.get(&function.name)?;
        let position = origin.parameters.iter().position(|name| &**name == "format")?;
        let (sym, ty) = args.get(position)?;
        let width = self.width(*ty);
        let [(_, Leaf::Address(object, Offset::At(start)))] = self.leaves(sym, width)[..] else {
            return None;
        };
        let Origin::Global(global) = self.objects[object].origin else { return None };
        if !self.context.is_constant(global) {
            return None;
        }
        let bytes = &self.context.program.globals[global].image.as_ref()?.bytes;
        let text = bytes.get(usize::try_from(start).ok()?..)?;
        Some(conversions(text.split(|&byte| byte == 0).next()?))
    }
}

#[derive(Copy, Clone, Debug)]
enum Misuse {
    /// Where in the object the address is that is released.
    Release(Offset),
    Use,
}

fn is_outside(origin: &Origin) -> bool {
    matches!(origin, Origin::Entry(_) | Origin::Elsewhere)
}

fn is_parameter(origin: &Origin) -> bool {
    matches!(origin, Origin::Entry(Path { root: Root::Param(_), steps }) if steps.is_empty())
}

/// For each argument of a format, whether memory is read or written through it. Positions (`%1$s`) are not understood
/// and end the list.
fn conversions(format: &[u8]) -> Vec<bool> {
    let mut read = Vec::new();
    let mut rest = format.iter().copied();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            continue;
        }
        for byte in rest.by_ref() {
            match byte {
                b'%' => break,
                b'*' => read.push(false),
                b'$' => return read,
                b's' | b'n' | b'S' => {
                    read.push(true);
                    break;
                }
                b'a'..=b'g' | b'i' | b'o' | b'p' | b'u' | b'x' | b'A'..=b'G' | b'X' | b'm' => {
                    // `%m` takes no argument.
                    if byte != b'm' {
                        read.push(false);
                    }
                    break;
                }
                _ => {}
            }
        }
    }
    read
}

/// What models call an address that is only looked at, and never what is there.
const HINT: &str = "hint";

/// What a library function reads through its parameters: everything that it does not release, keep or hand on.
fn modelled_uses(summary: &Summary, function: &Function, names: &[Box<str>], args: usize) -> Uses {
    let mut uses = Uses::default();
    for index in 0..args.min(function.params.len()) {
        if names.get(index).is_some_and(|name| &**name == HINT) {
            continue;
        }
        let own = Path::param(index as u32);
        let elsewhere = summary.outcomes.iter().any(|outcome| hands_on(outcome, &own));
        if !elsewhere {
            uses.insert(index);
        }
    }
    uses
}

fn hands_on(outcome: &Outcome, own: &Path) -> bool {
    let is_own = |value: &Value| matches!(value, Value::Entry { path, .. } if path == own);
    // A descriptor that comes back as the result is made to mean something new.
    is_own(&outcome.result) && outcome.effects.is_empty()
        || outcome.effects.iter().any(|effect| match effect {
            Effect::Release { value, .. } | Effect::Keep { value, .. } => value == own,
            Effect::Store { value, .. } => is_own(value),
            Effect::Calls { arguments, .. } => arguments.iter().any(is_own),
            Effect::Clobber { .. } | Effect::Copy { .. } | Effect::Zero { .. } => false,
        })
}

/// The parameters that a function uses on all paths that return and on which they are not null.
pub fn uses(state: &mut State<'_>, returned: Guard, summary: &Summary) -> Uses {
    let mut uses = Uses::default();
    if returned.is_false() {
        return uses;
    }
    for object in state.objects.ids() {
        let Origin::Entry(path) = &state.objects[object].origin else { continue };
        let (Root::Param(index), true, false) =
            (path.root, path.steps.is_empty(), state.objects[object].used.is_false())
        else {
            continue;
        };
        // A release of it is told as a release.
        let effects = summary.effects();
        let mut released =
            effects.filter(|effect| matches!(effect, Effect::Release { value, .. } if value == path));
        if released.next().is_some() {
            continue;
        }
        let null = state.is_null(object);
        let used = state.objects[object].used;
        let guards = &mut state.formulas.guards;
        let there = guards.and_not(returned, null);
        if !there.is_false() && guards.and_not(there, used).is_false() {
            uses.insert(index as usize);
        }
    }
    uses
}

impl Gone {
    /// Whether this release is certain on all of some paths.
    pub fn is_believed(&self, state: &mut State<'_>, paths: Guard) -> bool {
        state.and(paths, self.doubt).is_false()
    }
}

/// Whether a condition says that there is nothing to release: something on the way to it is null.
fn without(when: &When, value: &Path) -> bool {
    let on_the_way = |path: &Path| path.root == value.root && value.steps.starts_with(&path.steps);
    when.any.iter().all(|tests| {
        tests.iter().any(|test| {
            test.relation == Relation::Equal
                && test.number == 0
                && test.other.is_none()
                && test.mask.is_none()
                && on_the_way(&test.value)
        })
    })
}

/// Whether no number can be both results.
pub(crate) fn excludes(a: &Value, b: &Value) -> bool {
    let range = |value: &Value| match value {
        Value::Number(number) => Some((*number, *number)),
        Value::Fresh { .. } => Some((1, i64::MAX)),
        Value::Such { relation: Relation::Less, number } => Some((i64::MIN, number.saturating_sub(1))),
        Value::Such { relation: Relation::LessEqual, number } => Some((i64::MIN, *number)),
        Value::Such { relation: Relation::Greater, number } => Some((number.saturating_add(1), i64::MAX)),
        Value::Such { relation: Relation::GreaterEqual, number } => Some((*number, i64::MAX)),
        _ => None,
    };
    match (a, b) {
        (Value::Such { relation: Relation::NotEqual, number }, Value::Number(other))
        | (Value::Number(other), Value::Such { relation: Relation::NotEqual, number }) => number == other,
        _ => match (range(a), range(b)) {
            (Some(a), Some(b)) => a.1 < b.0 || b.1 < a.0,
            _ => false,
        },
    }
}

/// How sure the releases of a call are, by what they release. `taken` tells when each outcome happens.
pub fn sureness(
    state: &mut State<'_>,
    callee: FuncId,
    summary: &Summary,
    taken: &[Guard],
) -> Vec<(Path, Sure)> {
    let modelled = state.context.program.functions[callee].body.is_none();
    if !modelled && summary.completeness == Completeness::Partial {
        return Vec::new();
    }
    let mut all: Vec<(Path, Sure)> = Vec::new();
    for effect in summary.effects() {
        let Effect::Release { value, certain: true, .. } = effect else { continue };
        if all.iter().any(|known| known.0 == *value) {
            continue;
        }
        let mut doubt = Guard::FALSE;
        for (outcome, &when) in summary.outcomes.iter().zip(taken).filter(|_| !modelled) {
            if !releases(outcome, value) && !is_told(summary, outcome, value) {
                doubt = state.or(doubt, when);
            }
        }
        all.push((value.clone(), Sure::Except(doubt)));
    }
    all
}

fn releases(outcome: &Outcome, value: &Path) -> bool {
    let same = |effect: &Effect| match effect {
        Effect::Release { value: other, certain, .. } => *certain && other == value,
        _ => false,
    };
    outcome.effects.iter().any(same)
}

/// Whether a caller can see that an outcome does not release something: the result tells it, and nothing else does,
/// so that it is the caller's duty to look; or there is nothing to release.
fn is_told(summary: &Summary, outcome: &Outcome, value: &Path) -> bool {
    let mut others = summary.outcomes.iter().filter(|other| releases(other, value));
    without(&outcome.when, value)
        || others.all(|other| other.when == outcome.when && excludes(&other.result, &outcome.result))
}
