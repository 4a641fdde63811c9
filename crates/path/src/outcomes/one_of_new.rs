//! One of several new blocks: a function that hands out one or the other hands out something new.
//!
//! A block that grows in a loop is as many objects as the loop was followed for, and there are not outcomes enough to tell each of them
//! apart. In: a class of paths on which the result is not settled. Out: that it is a new block of which nothing else is known, if it is one on
//! each of these paths, and nobody else has it there. Whose it is does not depend on which one it is.

use crate::machine::memory::{ObjectId, Origin};
use crate::machine::value::{Leaf, Offset};
use crate::outcomes::observe::{Observation, Observed};
use crate::outcomes::outcome::Writer;
use watertight_logic::guard::Guard;
use watertight_summary::{Effect, Fresh, KeepReason, Path, Root, Value};

/// A block and the paths on which it is the one.
pub(super) type Member = (Guard, ObjectId);

impl Writer<'_, '_> {
    /// The result on the paths of a class, if it is something new on all of them.
    pub(super) fn one_new(&mut self, class: Guard, observations: &[Observed]) -> Option<Value> {
        let (members, plus) = self.members(class, observations)?;
        let &(_, first) = members.first()?;
        let Origin::Fresh(site) = self.state.objects[first].origin.clone() else { return None };
        let index = self.objects.len() as u32;
        let trail = self.trail(&site);
        self.fresh.push(Fresh { kind: site.kind, zeroed: false, by: None, trail, blank: false });
        self.objects.push(first);
        self.any_of = members;
        Some(Value::Fresh { index, plus })
    }

    /// The blocks that there may be, and to which place in them the result leads.
    fn members(&mut self, class: Guard, observations: &[Observed]) -> Option<(Vec<Member>, i64)> {
        let mut rest = class;
        let mut members: Vec<Member> = Vec::new();
        let mut offsets = Vec::new();
        for observed in observations {
            let Observation::Result(leaf) = observed.what else { continue };
            if !self.meets(class, observed.when) {
                continue;
            }
            let Leaf::Address(object, offset) = leaf else { return None };
            let paths = self.state.and(class, observed.when);
            let kept = self.state.objects[object].kept;
            if !self.state.objects[object].is_fresh()
                || self.objects.contains(&object)
                || self.meets(paths, kept)
                || self.is_gone(object, paths)
                || self.held_elsewhere(object, paths)
            {
                return None;
            }
            rest = self.state.formulas.guards.and_not(rest, observed.when);
            members.push((paths, object));
            offsets.push(offset);
        }
        // What is put into a cell of the caller's as well is not followed further.
        for observed in observations {
            let Observation::Store { leaf: Leaf::Address(object, _), .. } = observed.what else { continue };
            let shared = members.iter().find(|member| member.1 == object).copied();
            if shared.is_some_and(|(paths, _)| self.meets(paths, observed.when)) {
                return None;
            }
        }
        let kind = |object: ObjectId| match &self.state.objects[object].origin {
            Origin::Fresh(site) => Some(site.kind),
            _ => None,
        };
        let first = kind(members.first()?.1);
        let alike = members.iter().all(|&(_, object)| kind(object) == first);
        // Where the places differ, it is somewhere in the block.
        let plus = match offsets[..] {
            [Offset::At(plus), ref others @ ..] if others.iter().all(|other| *other == Offset::At(plus)) => {
                plus
            }
            _ => 0,
        };
        (alike && rest.is_false()).then_some((members, plus))
    }

    /// Whether an object of the outcome is told in the place of several.
    pub(super) fn stands_for_others(&self, object: ObjectId) -> bool {
        self.any_of.first().is_some_and(|&(_, first)| first == object)
    }

    /// That someone who was shown one of the blocks may have kept it.
    pub(super) fn perhaps_kept_one(&mut self, index: usize) -> Option<Effect> {
        let members = self.any_of.clone();
        let kept = members.into_iter().find(|&(paths, object)| {
            let assumed = self.state.objects[object].assumed_kept;
            self.meets(paths, assumed)
        });
        let (_, object) = kept?;
        let keeper = self.state.journal.keepers.iter().find(|keeper| keeper.object == object);
        let function = keeper.map_or(self.state.function.name.clone(), |keeper| keeper.callee.clone());
        let value = Path::root(Root::Fresh(index as u32));
        Some(Effect::Keep { value, reason: KeepReason::Assumed { function } })
    }
}
