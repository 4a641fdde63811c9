//! Whether what a witness claims came true in a run.
//!
//! In: a run that is over, or was stopped in its midst. Out: whether the resource of the claim is lost there as a garbage
//! collector sees it: acquired by the call of the claim, not released, and referred to by nothing that is still to be used.

use crate::around::Around;
use watertight_interpret::{Alone, Ended, HeapId, How, ObjectKind, TrapKind};
use watertight_ir::{FuncId, InstId};
use watertight_summary::{CallAt, Claim, Witness};

/// What a run says about a claim.
#[derive(Copy, Clone, Default, Debug)]
pub(crate) struct Judged {
    /// How often it came true: the call that acquires may have been made several times.
    pub(crate) times: u32,
    /// It did unless unknown code prevented it.
    pub(crate) doubtful: bool,
    /// The resource was there at all, or one that the same function acquires in another way.
    pub(crate) acquired: bool,
    /// It was there itself: all calls that lead to it are those that are told.
    pub(crate) exact: bool,
}

/// Whether a block that these calls inside the call of the claim acquired is what the claim is about. A function that has
/// several ways to acquire what it gives is told with one of them, and a run may take another.
pub(crate) fn is_on_trail(trail: &[CallAt], inner: &[(FuncId, InstId)]) -> bool {
    let differ = trail.iter().zip(inner).find(|(told, taken)| (told.function, told.inst) != **taken);
    differ.is_none_or(|(told, taken)| told.function == taken.0)
}

/// Whether these calls inside the call of the claim begin with all that are told.
fn is_told(trail: &[CallAt], inner: &[(FuncId, InstId)]) -> bool {
    trail.len() <= inner.len()
        && trail.iter().zip(inner).all(|(told, taken)| (told.function, told.inst) == *taken)
}

/// Whether the claim came true.
pub(crate) fn judge(alone: &Alone<'_>, ended: &Ended, world: &Around<'_>, witness: &Witness) -> Judged {
    let meant = |origin: &[(FuncId, InstId)]| match (witness.acquired, origin.split_first()) {
        (Some(acquired), Some((first, inner))) => first.1 == acquired && is_on_trail(&witness.trail, inner),
        _ => false,
    };
    let given: Vec<HeapId> = world.gave.iter().filter_map(|&word| alone.block_at(word)).collect();
    if let Claim::ReleasedAgain(inst) | Claim::Used(inst) = witness.claim {
        return misused(ended, witness, inst);
    }
    let numbers: Vec<u32> = world.handles.iter().map(|handle| handle.number).collect();
    let reach = alone.reach(ended, &numbers);
    let mut judged = Judged::default();
    for (block, released, origin) in alone.blocks().filter(|(_, _, origin)| meant(origin)) {
        judged.acquired = true;
        let told = is_told(&witness.trail, &origin[1..]);
        judged.exact |= told;
        // What another call of the same function acquired is the resource only if it is what the call of the claim gave: a
        // function may acquire other things besides, and losing one of these is another claim.
        if !told && !given.contains(&block) {
            continue;
        }
        if !released && !reach.blocks[block.0 as usize] && !world.kept.contains(&block) {
            let doubted = world.doubted.contains(&block);
            judged.times += u32::from(!doubted);
            judged.doubtful |= doubted;
        }
    }
    for (handle, reached) in world.handles.iter().zip(&reach.numbers) {
        if !meant(&handle.origin) || handle.kind != witness.kind {
            continue;
        }
        judged.acquired = true;
        let told = is_told(&witness.trail, &handle.origin[1..]);
        judged.exact |= told;
        if !told && !world.gave.iter().any(|&word| word as u32 == handle.number) {
            continue;
        }
        // Standard streams are meant to stay open; and a small number is found in memory that means another thing.
        let least = world.known.models.kinds.get(handle.kind).lost_from.unwrap_or(0);
        if i64::from(handle.number) < least {
            judged.doubtful |= !handle.released && !handle.kept;
            continue;
        }
        if !handle.released && !handle.kept && !reached {
            judged.times += u32::from(!handle.doubted);
            judged.doubtful |= handle.doubted;
        }
    }
    judged
}

/// Whether a run ended in a release or use of what was released, at this instruction of the function.
fn misused(ended: &Ended, witness: &Witness, inst: InstId) -> Judged {
    let judged = Judged { acquired: true, exact: true, ..Judged::default() };
    let How::Trapped(kind, stack) = &ended.how else { return judged };
    let here = stack.first().is_some_and(|call| call.1 == inst);
    let wrong = match witness.claim {
        Claim::Lost => false,
        Claim::ReleasedAgain(_) => {
            matches!(kind, TrapKind::DoubleFree { .. } | TrapKind::InvalidFree { .. })
        }
        Claim::Used(_) => matches!(
            kind,
            TrapKind::DoubleFree { .. }
                | TrapKind::UseAfterFree { .. }
                | TrapKind::OutOfBounds { object: ObjectKind::Given(_), .. }
        ),
    };
    Judged { times: u32::from(here && wrong), ..judged }
}
