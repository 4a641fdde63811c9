//! Fewer effects that say the same: what follows from others is left out of an outcome.
//!
//! Who keeps an object keeps what it leads to, and whoever may have changed it may have changed that too. A function
//! that calls unknown code with a large structure is seen to keep and to change everything in it, cell by cell, over
//! many levels; callers would follow each of these paths at every call. In: the effects of an outcome. Out: the same
//! effects, in order, without those that a shorter path implies, and with paths so long that hardly any caller owns
//! what is there cut short.

use crate::calls::callbacks::is_by_pointer;
use crate::limits::{LONGEST_CONDENSED, MANY_EFFECTS};
use rustc_hash::FxHashSet;
use watertight_summary::{Effect, KeepReason, Path, Root, Step};

/// A path as it stands in an effect.
type At<'e> = (Root, &'e [Step]);

fn at(path: &Path) -> At<'_> {
    (path.root, &path.steps)
}

/// Leaves out what other effects imply.
pub fn condense(effects: &mut Vec<Effect>) {
    for longest in (1..=LONGEST_CONDENSED).rev() {
        for effect in effects.iter_mut() {
            if let Effect::Keep { value: path, .. } | Effect::Clobber { place: path } = effect {
                path.steps.truncate(longest);
            }
        }
        let (told, few) = told(effects);
        let mut told = told.into_iter();
        effects.retain(|_| told.next() == Some(true));
        if few {
            break;
        }
    }
}

/// Effects that may follow from others of their sort.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
enum Sort {
    Stored,
    Assumed,
    Clobbered,
    /// What functions of the caller's may keep is told apart: it may know them.
    ByPointer,
}

/// What sort of effect may follow from another, and the path that it speaks of.
fn sort_of(effect: &Effect) -> Option<(Sort, &Path)> {
    match effect {
        Effect::Keep { value, reason: KeepReason::Stored } => Some((Sort::Stored, value)),
        Effect::Keep { reason: KeepReason::Shared, .. } => None,
        Effect::Keep { value, reason } if is_by_pointer(reason) => Some((Sort::ByPointer, value)),
        Effect::Keep { value, .. } => Some((Sort::Assumed, value)),
        Effect::Clobber { place } => Some((Sort::Clobbered, place)),
        _ => None,
    }
}

/// For each effect whether it is told, and whether there are few of each sort.
fn told(effects: &[Effect]) -> (Vec<bool>, bool) {
    let mut said: [Vec<At<'_>>; 4] = Default::default();
    for effect in effects {
        if let Some((sort, path)) = sort_of(effect) {
            said[sort as usize].push(at(path));
        }
    }
    let [stored, assumed, clobbered, by_pointer] = said.map(|paths| {
        let mut set = FxHashSet::with_capacity_and_hasher(paths.len(), Default::default());
        set.extend(paths);
        set
    });
    let all = stored.len() + assumed.len() + clobbered.len() + by_pointer.len();
    let mut known: FxHashSet<(Sort, At<'_>)> = FxHashSet::with_capacity_and_hasher(all, Default::default());
    let mut counts = [0; 4];
    let mut is_new = |sort: Sort, path| {
        let new = known.insert((sort, at(path)));
        counts[sort as usize] += usize::from(new);
        new
    };
    let told = effects.iter().map(|effect| match effect {
        Effect::Keep { value, reason: KeepReason::Stored } => {
            !follows(value, &stored) && is_new(Sort::Stored, value)
        }
        Effect::Keep { reason: KeepReason::Shared, .. } => true,
        Effect::Keep { value, reason } => {
            // What a global leads to is held by it, whoever else has it.
            let held = matches!(value.root, Root::Global(_)) && value.steps.len() > 1;
            let pointer = is_by_pointer(reason);
            !held
                && !stored.contains(&at(value))
                && !follows(value, &stored)
                && !follows(value, &assumed)
                && !(pointer && (assumed.contains(&at(value)) || follows(value, &by_pointer)))
                && is_new(if pointer { Sort::ByPointer } else { Sort::Assumed }, value)
        }
        Effect::Clobber { place } => !follows(place, &clobbered) && is_new(Sort::Clobbered, place),
        _ => true,
    });
    let told = told.collect();
    (told, counts.iter().all(|&count| count <= MANY_EFFECTS))
}

/// Whether a shorter path of the set leads to this one.
fn follows(path: &Path, set: &FxHashSet<At<'_>>) -> bool {
    !set.is_empty() && (0..path.steps.len()).any(|length| set.contains(&(path.root, &path.steps[..length])))
}

#[cfg(test)]
mod tests {
    use super::condense;
    use watertight_summary::{Effect, KeepReason, Path};

    fn assumed(value: Path) -> Effect {
        Effect::Keep { value, reason: KeepReason::Assumed { function: "visit".into() } }
    }

    fn stored(value: Path) -> Effect {
        Effect::Keep { value, reason: KeepReason::Stored }
    }

    #[test]
    fn what_a_kept_object_leads_to_is_kept_with_it() {
        let tree = Path::param(0);
        let mut effects = vec![assumed(tree.at(8)), assumed(tree.clone()), assumed(tree.at(8).at(16))];
        condense(&mut effects);
        assert_eq!(effects, [assumed(tree)]);
    }

    #[test]
    fn what_is_certain_does_not_follow_from_what_is_assumed() {
        let tree = Path::param(0);
        let mut effects = vec![assumed(tree.clone()), stored(tree.at(8)), assumed(tree.at(8).at(0))];
        let expected = vec![assumed(tree.clone()), stored(tree.at(8))];
        condense(&mut effects);
        assert_eq!(effects, expected);
    }

    #[test]
    fn many_paths_become_few_short_ones() {
        let tree = Path::param(0);
        let mut effects: Vec<Effect> =
            (0..40).map(|field| Effect::Clobber { place: tree.at(8 * (field % 4)).at(field) }).collect();
        condense(&mut effects);
        let expected: Vec<Effect> =
            (0..4).map(|field| Effect::Clobber { place: tree.at(8 * field) }).collect();
        assert_eq!(effects, expected);
    }
}
