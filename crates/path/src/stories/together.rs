//! Losses that have one cause.
//!
//! A structure that is lost takes along what it holds: the blocks inside it are lost on the same paths and by the same
//! mistake, so they are told as part of its story if there are several. One block inside another is told apart: that is
//! not too much to read, and people look for a finding where each block is acquired. In: what a function loses. Out: for
//! each loss the one that it is told with, which is one that holds it on all paths on which it is lost.

use crate::exits::lost::Lost;
use crate::limits::{APART_BLOCKS, MENTIONED_BLOCKS};
use crate::machine::memory::Origin;
use crate::machine::state::State;
use crate::stories::witness::place_of;
use watertight_finding::{Said, Step, StepKind, Story, with_article};
use watertight_logic::guard::Guard;

/// For each loss, the loss that it is told with; itself if it is told apart.
pub(crate) fn causes(state: &mut State<'_>, lost: &[Lost]) -> Vec<usize> {
    let holders: Vec<Option<usize>> = (0..lost.len()).map(|index| holder(state, lost, index)).collect();
    let outermost: Vec<usize> = (0..lost.len())
        .map(|index| {
            // Losses that hold each other are told with the first of them.
            let mut seen = vec![index];
            let mut at = index;
            while let Some(next) = holders[at] {
                if let Some(start) = seen.iter().position(|&known| known == next) {
                    return seen[start..].iter().copied().min().unwrap_or(next);
                }
                seen.push(next);
                at = next;
            }
            at
        })
        .collect();
    let inside =
        |outer: usize| (0..lost.len()).filter(|&index| index != outer && outermost[index] == outer).count();
    (0..lost.len())
        .map(|index| if inside(outermost[index]) > APART_BLOCKS { outermost[index] } else { index })
        .collect()
}

fn holder(state: &mut State<'_>, lost: &[Lost], index: usize) -> Option<usize> {
    let inner = lost[index];
    let sure = !inner.surely.is_false();
    let when = |lost: &Lost| if sure { lost.surely } else { lost.perhaps };
    lost.iter().position(|outer| {
        if outer.object == inner.object || outer.by != inner.by {
            return false;
        }
        let held: Vec<Guard> = state.objects[outer.object]
            .held()
            .filter_map(|(guard, object)| (object == inner.object).then_some(guard))
            .collect();
        let held = held.into_iter().fold(Guard::FALSE, |all, guard| state.or(all, guard));
        let both = state.and(held, when(outer));
        !both.is_false() && state.formulas.guards.entails(when(&inner), both)
    })
}

/// Mentions in the story of a loss what is lost with it.
pub(crate) fn mention(state: &State<'_>, story: &mut Story, inner: &[&Lost]) {
    let mut at = story.steps.iter().take_while(|step| step.kind == StepKind::Acquire).count();
    // A story without a path has nothing to mention it in.
    if at == 0 {
        return;
    }
    let mut places = vec![story.acquired.clone()];
    for lost in inner {
        let Origin::Fresh(site) = &state.objects[lost.object].origin else { continue };
        let place = place_of(state, state.body.insts[site.inst].place);
        if places.contains(&place) || places.len() > MENTIONED_BLOCKS {
            continue;
        }
        let noun = &*with_article(&state.context.library.kinds.get(site.kind).noun);
        let said = Said::Contains { noun, by: &site.callee };
        story.steps.insert(at, Step::new(StepKind::Acquire, place.clone(), said));
        places.push(place);
        at += 1;
    }
}
