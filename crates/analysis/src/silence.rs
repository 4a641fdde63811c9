//! What it says that no run shows a story.
//!
//! In: a story, why its runs came to no verdict, and how the run ended that was led along its path. Out: the doubt that is left. What runs do
//! not show may be rare and true all the same: memory that runs out in the right place, the end of a process, a function that runs for too long.
//! Other silence says something, and how much was counted on findings that people have read (`docs/confidence.md`).

use watertight_finding::{Doubt, Ending, StepKind, Story, Urgency, Variant};
use watertight_ir::{FuncId, InstId, Program};
use watertight_replay::{How, TrapKind, Why};

/// The doubt about a story that no run shows.
pub(crate) fn silence(program: &Program, story: &Story, why: Why, led: Option<&How>) -> Option<Doubt> {
    let past_the_end = match led {
        // Not in the statement that acquires, which has a wrong index then, and loses what it acquires with a right one.
        Some(How::Trapped(TrapKind::OutOfBounds { .. }, calls)) => {
            line_of(program, calls).is_some_and(|line| line != story.acquired.line)
        }
        _ => false,
    };
    let came_back = matches!(led, None | Some(How::Returned(_)));
    let twice = matches!(story.ending, Ending::ReleasedAgain(_) | Ending::UsedAfterRelease(_));
    match (story.urgency, why) {
        (Urgency::MemoryRunsOut | Urgency::ProcessEnding, _) => return None,
        // Whether it is lost hangs on a function that no run can know, or takes longer than a run may.
        (_, Why::UnknownCallee) => return None,
        _ if matches!(led, Some(How::StepLimit)) => return None,
        // Something has to fail in the right place.
        (Urgency::ErrorHandling, _) => return Some(Doubt::RunSilent),
        // Such a mistake stops any run that comes to it.
        (Urgency::Ordinary, Why::OtherWay { .. }) if twice && (came_back || past_the_end) => {
            return Some(Doubt::RunExpected);
        }
        // The resource was there, and the values that lead along the path led out of an array first.
        (Urgency::Ordinary, Why::OtherWay { .. }) if past_the_end => return Some(Doubt::RunLeaves),
        (Urgency::Ordinary, _) => {}
    }
    // Who fails before it acquires anything says nothing about what comes then.
    let failed = why == Why::NotAcquired && matches!(led, Some(How::Trapped(..)));
    let dropped = story.variant == Variant::DroppedResult;
    // What is acquired here may lie behind a branch that is not told; a callee that acquires is told with what decides.
    let decided = story.steps.iter().any(|step| step.kind == StepKind::Branch);
    let by_callee = story.steps.iter().any(|step| step.kind == StepKind::Acquire && step.depth > 0);
    Some(match story.ending {
        _ if dropped || failed => Doubt::RunSilent,
        Ending::Lost if by_callee && !decided => Doubt::RunExpected,
        Ending::Lost if story.held_in.is_none() => Doubt::RunUnnamed,
        _ => Doubt::RunSilent,
    })
}

/// The line where a run failed.
fn line_of(program: &Program, calls: &[(FuncId, InstId)]) -> Option<u32> {
    let &(function, inst) = calls.last()?;
    Some(program.source_place_of(function, inst)?.outermost().1)
}
