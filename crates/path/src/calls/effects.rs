//! The outcomes of a call, put together: which of them happen when, and what they have in common.
//!
//! Outcomes differ in a few points and agree in most: all of them may keep the first argument, six of eight may
//! change the same counter. An effect that several outcomes have is applied once, under the disjunction of their
//! guards, and the values that different outcomes store in the same cell go there in one write. Guards that tell
//! the outcomes of one call apart are small; only the guard of the whole effect is joined with the guard of the
//! path, which is large. Effects of single outcomes (those that speak of fresh objects, or whose order matters)
//! follow.

use crate::assumptions::Supposed;
use crate::calls::apply::{Application, empties};
use crate::calls::callbacks::is_by_pointer;
use crate::calls::released::sureness;
use crate::calls::replaced::{fails, replaced_argument};
use crate::calls::resolve::Prepared;
use crate::machine::journal::Failed;
use crate::machine::journal::{How, Jump};
use crate::machine::state::{Detail, State, Step as Spent};
use crate::machine::value::{Leaf, Leaves, Sym};
use rustc_hash::FxHashMap;
use watertight_finding::Doubt;
use watertight_ir::{InstId, Table, Type};
use watertight_logic::guard::{Condition, Guard};
use watertight_summary::{Completeness, Effect, Outcome, Path, Relation, Root, Summary, Value, Way};

/// An effect and the outcomes that have it.
enum Common<'s> {
    /// What one cell holds in which outcomes.
    Store(Vec<(&'s Effect, Guard)>),
    Other {
        effect: &'s Effect,
        taken: Guard,
    },
}

/// When each outcome happens, on the paths that get to the call.
struct Taken {
    outcomes: Vec<Guard>,
    /// When none does.
    none: Guard,
    /// When each would be possible.
    possible: Vec<Guard>,
    /// Choices that stand for what the callee's entry values decide in ways that its summary cannot say.
    unsaid: Vec<Condition>,
}

impl State<'_> {
    /// Applies a summary: the value that the call gives, if it comes back at all.
    pub(crate) fn apply(
        &mut self,
        mut application: Application<'_>,
        summary: &Summary,
    ) -> Spent<Option<Sym>> {
        self.breaches(summary, &mut application);
        let before = self.here;
        let taken = self.taken(summary, &application)?;
        self.provoke(summary, &application);
        application.sure = sureness(self, application.function, summary, &taken.outcomes);
        let followed = self.followed_calls(summary, &application);
        // What was not known of the callee is known here.
        if summary.completeness == Completeness::Whole && followed.contains(&true) {
            application.vague = false;
        }
        let states = self.state_effects(summary, &taken.outcomes, &application);
        let (common, own) = self.common(summary, &taken, &followed);
        // Entry values of everything the outcomes mention are read before anything changes.
        let ready: Vec<Vec<Prepared>> =
            common.iter().map(|one| self.prepare_common(one, &application)).collect();
        let mut own_ready: Vec<Vec<(&Effect, Prepared)>> = Vec::with_capacity(own.len());
        for (effects, outcome) in own.iter().zip(&summary.outcomes) {
            let ready = |&effect| (effect, self.prepare(effect, &outcome.effects, &application));
            own_ready.push(effects.iter().map(ready).collect());
        }
        let results: Vec<Option<Leaves>> =
            summary.outcomes.iter().map(|outcome| self.entry_value(&outcome.result, &application)).collect();
        self.note_unsaid_releases(summary, &taken.outcomes, &taken.unsaid, &application);
        self.trust_twins(summary, &taken, &application);
        let replaced = replaced_argument(&summary.outcomes).map(|(position, replacing)| {
            let possible = replacing.into_iter().map(|index| taken.possible[index]).collect::<Vec<_>>();
            (position, self.formulas.guards.or_all(possible))
        });
        let mut values = Vec::new();
        let null = self.written_through_null(&common, &ready, &own_ready, &taken);
        let mut gone = self.or(taken.none, null);
        let is_clobber =
            |one: &Common<'_>| matches!(one, Common::Other { effect: Effect::Clobber { .. }, .. });
        for (one, ready) in common.iter().zip(&ready).filter(|(one, _)| is_clobber(one)) {
            self.apply_common(one, ready, before, &mut application);
        }
        for (index, outcome) in summary.outcomes.iter().enumerate() {
            let when = taken.outcomes[index];
            if when.is_false() {
                continue;
            }
            if !outcome.fresh.is_empty() || !own_ready[index].is_empty() {
                let guard = self.and(before, when);
                self.acquire(outcome, guard, &mut application);
                self.note_sizes(application.function, outcome, application.args, guard);
                for (effect, ready) in &own_ready[index] {
                    self.effect(effect, ready, guard, &mut application);
                    self.stop_if_overflowed()?;
                }
            } else {
                application.fresh.clear();
            }
            if let Some((position, replaces)) = replaced
                && fails(outcome, position)
            {
                let argument = self.resolve(&Path::param(position as u32), &application).0;
                let guard = self.formulas.guards.and_all([before, when, replaces]);
                let (inst, callee) = (application.inst, application.callee);
                self.journal.failed_replacements.push(Failed {
                    inst,
                    position,
                    guard,
                    argument,
                    callee: callee.into(),
                });
            }
            match outcome.way {
                Way::Returns if !self.makes_instead(summary, outcome, &taken.outcomes, &application) => {}
                Way::Returns | Way::Seldom => {
                    let guard = self.and(before, when);
                    // Where nothing else is possible it is not seldom.
                    if guard != before {
                        self.seldom = self.or(self.seldom, guard);
                    }
                }
                Way::Jumps => {
                    let guard = self.and(before, when);
                    let awaited = self.assumes(Supposed::JumpsAwaited)
                        && self.context.jumps_if_awaited(application.function);
                    self.journal.jumps.push(Jump { inst: application.inst, guard, awaited });
                    gone = self.or(gone, when);
                    continue;
                }
            }
            if application.result_type != Type::Void {
                let ty = application.result_type;
                let value = self.outcome_value(&outcome.result, results[index].as_ref(), ty, &application);
                if application.partial && matches!(outcome.result, Value::Any) {
                    self.note_failures(&value, &application.fresh);
                }
                if outcome.invented {
                    let brief = self.detail == Detail::Brief;
                    self.invent(&value, if brief { Doubt::InBrief } else { Doubt::LoopCut });
                }
                values.push((when, value));
            }
        }
        application.fresh.clear();
        for (one, ready) in common.iter().zip(&ready).filter(|(one, _)| !is_clobber(one)) {
            self.apply_common(one, ready, before, &mut application);
            self.stop_if_overflowed()?;
        }
        self.here = self.formulas.guards.and_not(before, gone);
        self.apply_states(states, before, &application);
        Ok(self.one_of(values, application.result_type))
    }

    /// When an outcome writes through an address that is null here: then the call does not come back.
    fn written_through_null(
        &mut self,
        common: &[Common<'_>],
        ready: &[Vec<Prepared>],
        own: &[Vec<(&Effect, Prepared)>],
        taken: &Taken,
    ) -> Guard {
        let mut stores: Vec<(&Effect, &Prepared, Guard)> = Vec::new();
        for (one, ready) in common.iter().zip(ready) {
            if let Common::Store(values) = one {
                stores.extend(values.iter().zip(ready).map(|(&(effect, when), ready)| (effect, ready, when)));
            }
        }
        for (effects, &when) in own.iter().zip(&taken.outcomes) {
            stores.extend(effects.iter().map(|(effect, ready)| (*effect, ready, when)));
        }
        let mut result = Guard::FALSE;
        for (effect, ready, when) in stores {
            // A cell that holds anything afterwards was perhaps not written at all.
            if let Effect::Store { value, .. } = effect
                && !matches!(value, Value::Any)
                && let Some((address, _)) = &ready.cell
            {
                let null = self.null_guard(address);
                if !null.is_true() {
                    let null = self.and(null, when);
                    result = self.or(result, null);
                }
            }
        }
        result
    }

    /// When each outcome happens. Where entry values leave several possible, a fresh choice decides.
    fn taken(&mut self, summary: &Summary, application: &Application<'_>) -> Spent<Taken> {
        let before = self.here;
        let possible: Vec<Guard> =
            summary.outcomes.iter().map(|outcome| self.when(&outcome.when, application)).collect();
        let mut later = vec![Guard::FALSE; possible.len()];
        for index in (0..possible.len().saturating_sub(1)).rev() {
            later[index] = self.or(later[index + 1], possible[index + 1]);
        }
        let mut none = Guard::TRUE;
        let mut outcomes = Vec::with_capacity(possible.len());
        let mut unsaid = Vec::new();
        for (index, (&possible, &later)) in possible.iter().zip(&later).enumerate() {
            self.spend(2)?;
            let mut taken = self.and(none, possible);
            if !self.formulas.guards.disjoint(taken, later) {
                // The truth may have been told by tests that were left out.
                let invented = summary.outcomes[index..].iter().any(|outcome| outcome.when.weak);
                let inst = application.inst;
                let choice = if invented { self.invented_outcome(inst) } else { self.choice() };
                if !invented && summary.outcomes[index..].iter().any(|outcome| outcome.when.unsaid) {
                    unsaid.extend(self.note_unsaid(choice));
                }
                let free = self.or(choice, !later);
                taken = self.and(taken, free);
            }
            none = self.formulas.guards.and_not(none, taken);
            let never = self.formulas.guards.disjoint(before, taken);
            outcomes.push(if never { Guard::FALSE } else { taken });
        }
        Ok(Taken { outcomes, none, possible, unsaid })
    }

    /// Effects that outcomes share, and for each outcome those that are its own.
    fn common<'s>(
        &mut self,
        summary: &'s Summary,
        taken: &Taken,
        followed: &[bool],
    ) -> (Vec<Common<'s>>, Vec<Vec<&'s Effect>>) {
        // Where memory is copied or zeroed as a whole, the order of an outcome's stores there matters. Unknown changes come
        // before all stores, and so do the effects that are an outcome's own.
        let mut ranges: Vec<&Path> = Vec::new();
        for effect in summary.effects() {
            if let Effect::Copy { to: place, .. } | Effect::Zero { place, .. } = effect
                && !ranges.contains(&place)
            {
                ranges.push(place);
            }
        }
        let in_range = |place: &Path| {
            let is_prefix = |range: &&Path| place.root == range.root && place.steps.starts_with(&range.steps);
            ranges.iter().any(is_prefix)
        };
        let mut common: Vec<Common<'s>> = Vec::new();
        // Where stores to a cell and other effects stand in the list.
        let mut stores: FxHashMap<&Path, usize> = FxHashMap::default();
        let mut others: FxHashMap<&Effect, usize> = FxHashMap::default();
        let mut own = Vec::with_capacity(summary.outcomes.len());
        for (index, (outcome, &when)) in summary.outcomes.iter().zip(&taken.outcomes).enumerate() {
            let mut rest = Vec::new();
            if when.is_false() {
                own.push(rest);
                continue;
            }
            for effect in outcome.effects.iter().filter(|effect| !effect.is_state() || speaks_of_new(effect))
            {
                match effect {
                    // What is done by functions that are known here is seen when they are called.
                    Effect::Keep { reason, .. }
                        if followed.get(index) == Some(&true) && is_by_pointer(reason) => {}
                    Effect::Store { place, value } if !in_range(place) && !speaks_of_fresh(place, value) => {
                        let index = *stores.entry(place).or_insert(common.len());
                        let Some(Common::Store(values)) = common.get_mut(index) else {
                            common.push(Common::Store(vec![(effect, when)]));
                            continue;
                        };
                        match values.iter_mut().find(|entry| entry.0 == effect) {
                            Some(entry) => entry.1 = self.formulas.guards.or(entry.1, when),
                            None => values.push((effect, when)),
                        }
                    }
                    Effect::Calls { arguments, .. }
                        if arguments.iter().any(|value| matches!(value, Value::Fresh { .. })) =>
                    {
                        rest.push(effect);
                    }
                    Effect::Release { value, .. }
                    | Effect::Keep { value, .. }
                    | Effect::Clobber { place: value }
                    | Effect::Calls { function: value, .. }
                        if !matches!(value.root, Root::Fresh(_)) =>
                    {
                        let index = *others.entry(effect).or_insert(common.len());
                        match common.get_mut(index) {
                            Some(Common::Other { taken, .. }) => {
                                *taken = self.formulas.guards.or(*taken, when);
                            }
                            _ => common.push(Common::Other { effect, taken: when }),
                        }
                    }
                    _ => rest.push(effect),
                }
            }
            own.push(rest);
        }
        (common, own)
    }

    fn prepare_common(&mut self, common: &Common<'_>, application: &Application<'_>) -> Vec<Prepared> {
        match common {
            Common::Other { effect, .. } => vec![self.prepare(effect, &[], application)],
            Common::Store(values) => {
                values.iter().map(|(effect, _)| self.prepare(effect, &[], application)).collect()
            }
        }
    }

    fn apply_common(
        &mut self,
        common: &Common<'_>,
        ready: &[Prepared],
        before: Guard,
        application: &mut Application<'_>,
    ) {
        match common {
            Common::Other { effect, taken } => {
                let guard = self.and(before, *taken);
                self.effect(effect, &ready[0], guard, application);
            }
            Common::Store(values) => {
                let [(effect, taken)] = values[..] else {
                    return self.store_one_of(values, ready, before, application);
                };
                let guard = self.and(before, taken);
                self.effect(effect, &ready[0], guard, application);
            }
        }
    }

    /// Stores what different outcomes leave in the same cell.
    fn store_one_of(
        &mut self,
        values: &[(&Effect, Guard)],
        ready: &[Prepared],
        before: Guard,
        application: &Application<'_>,
    ) {
        let Some((mut address, ty)) = ready[0].cell.clone() else { return };
        if values.iter().all(|(effect, _)| matches!(effect, Effect::Store { value: Value::Any, .. })) {
            self.spare_addresses(&mut address, ty);
        }
        let mut taken = Guard::FALSE;
        let mut stored = Vec::with_capacity(values.len());
        for (&(effect, when), ready) in values.iter().zip(ready) {
            let Effect::Store { value, .. } = effect else { continue };
            taken = self.or(taken, when);
            let guard = self.and(before, when);
            let any = matches!(value, Value::Any);
            let trusted = any || application.vague && empties(value, ty);
            let known = trusted && self.keep_what_was_there(&address, ty, guard, application.callee) && any;
            let value = self.outcome_value(value, ready.value.as_ref(), ty, application);
            // A summary that leaves something out may have left out what the cell holds.
            if known || any && application.partial {
                self.invent(&value, Doubt::CalleeWrote);
            }
            stored.push((when, value));
        }
        let guard = self.and(before, taken);
        if let Some(value) = self.one_of(stored, ty) {
            self.store(&address, &value, ty, guard);
        }
    }

    /// One value in place of several that exclude each other. The last one is that of all other paths.
    fn one_of(&mut self, values: Vec<(Guard, Sym)>, ty: Type) -> Option<Sym> {
        if values.iter().any(|value| matches!(value.1, Sym::Parts(_))) {
            return values
                .into_iter()
                .reduce(|before, (when, value)| (when, self.choose(when, &value, &before.1, ty)))
                .map(|value| value.1);
        }
        let mut values = values;
        let (_, last) = values.pop()?;
        if values.is_empty() {
            return Some(last);
        }
        let mut rest = Guard::TRUE;
        for (when, _) in &values {
            rest = self.formulas.guards.and_not(rest, *when);
        }
        values.push((rest, last));
        if values.iter().all(|value| matches!(value.1, Sym::Truth(_))) {
            let mut holds = Guard::FALSE;
            for (when, value) in values {
                let Sym::Truth(truth) = value else { continue };
                let both = self.and(when, truth);
                holds = self.or(holds, both);
            }
            return Some(Sym::Truth(holds));
        }
        let width = self.width(ty);
        let mut leaves: Vec<(Guard, Leaf)> = Vec::with_capacity(values.len());
        for (when, value) in values {
            for (guard, leaf) in self.leaves(&value, width) {
                leaves.push((self.and(when, guard), leaf));
            }
        }
        Some(Sym::Leaves(self.tidy(leaves)))
    }

    /// Whether anything looks at the result of a call.
    pub(crate) fn is_used(&mut self, inst: InstId) -> bool {
        let Some(result) = self.body.insts[inst].result else { return false };
        if self.used.is_empty() {
            let mut used = Table::filled(self.body.values.len(), false);
            for block in self.body.blocks.values() {
                for &inst in &block.insts {
                    self.body.insts[inst].op.operands(|value| used[value] = true);
                }
                block.term.operands(|value| used[value] = true);
            }
            self.used = used;
        }
        self.used[result]
    }

    /// The callee releases something on other paths that look the same from here, or gives it to a function of ours;
    /// why it does not on this one is not known, so nothing is said about it. The same goes for what it keeps on
    /// other paths, if on this one it hands back something that was there before and the caller does not look: who puts an element into a set
    /// knows that it is new (ASSUME-27).
    // ASSUME-5: it has its reasons.
    fn trust_twins(&mut self, summary: &Summary, taken: &Taken, application: &Application<'_>) {
        if !self.assumes(Supposed::ReleaserKnowsWhy) {
            return;
        }
        let used = self.is_used(application.inst);
        let address = application.result_type == Type::Ptr;
        let acquires = summary.outcomes.iter().any(|outcome| !outcome.fresh.is_empty());
        for (index, outcome) in summary.outcomes.iter().enumerate() {
            let when = taken.outcomes[index];
            if when.is_false() {
                continue;
            }
            let mut missing: Vec<&Path> = Vec::new();
            let inserts = address && hands_back(&outcome.result) && !used;
            // It did not fail for want of anything.
            let refuses = address && outcome.result == Value::Number(0) && !acquires && !used;
            if (inserts || refuses) && self.assumes(Supposed::InsertedIsNew) {
                let given = |outcome| kept(outcome).filter(|path: &&Path| path.steps.is_empty());
                for twin in summary.outcomes.iter().filter(|twin| refuses || !hands_back(&twin.result)) {
                    missing.extend(given(twin).filter(|path| !given(outcome).any(|own| own == *path)));
                }
            }
            for (other, twin) in summary.outcomes.iter().enumerate() {
                let same = twin.result == outcome.result || application.vague && !used;
                if other == index || !same || twin.way != outcome.way {
                    continue;
                }
                let more: Vec<&Path> = released(twin)
                    .filter(|path| !released(outcome).any(|own| own == *path) && !missing.contains(path))
                    .collect();
                if !more.is_empty() {
                    let guard = self.and(self.here, when);
                    if !self.formulas.guards.disjoint(guard, taken.possible[other]) {
                        missing.extend(more);
                    }
                }
            }
            for path in missing {
                let leaves = self.resolve_all(path, application);
                let guard = self.and(self.here, when);
                self.keep_perhaps(&leaves, guard, application.callee, How::Found);
            }
        }
    }
}

/// Whether a result is an address of something that existed before.
fn hands_back(result: &Value) -> bool {
    matches!(
        result,
        Value::Entry { .. } | Value::Inside(_) | Value::Such { relation: Relation::NotEqual, number: 0 }
    )
}

/// What an outcome keeps, or stores where it outlives the call.
fn kept(outcome: &Outcome) -> impl Iterator<Item = &Path> {
    outcome.effects.iter().filter_map(|effect| match effect {
        Effect::Keep { value, .. } => Some(value),
        Effect::Store { place, value: Value::Entry { path, .. } } if place.root != path.root => Some(path),
        _ => None,
    })
}

/// Whether an effect is about what the call acquires.
fn speaks_of_new(effect: &Effect) -> bool {
    matches!(effect, Effect::Store { place, .. } if matches!(place.root, Root::Fresh(_)))
}

fn speaks_of_fresh(place: &Path, value: &Value) -> bool {
    matches!(place.root, Root::Fresh(_)) || matches!(value, Value::Fresh { .. })
}

fn released(outcome: &Outcome) -> impl Iterator<Item = &Path> {
    outcome.effects.iter().filter_map(|effect| match effect {
        Effect::Release { value, .. } => Some(value),
        Effect::Keep { value, reason } if is_by_pointer(reason) => Some(value),
        _ => None,
    })
}
