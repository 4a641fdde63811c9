//! Runs that are led along the way of a witness, step by step.
//!
//! In: a run that left the way, with the choices it made before. Out: the run that got farthest. One of these choices decided
//! where it left: the last ones are the likeliest, so each is made otherwise in turn, from the last to the first, and
//! whichever run gets farther along the way is the one to go on from. That finds what must happen inside a callee for it to
//! give what the witness says, without knowing how it comes about. It ends where no single choice helps, or with the budget.

use crate::limits::{CLIMBING_RUNS, CLIMBING_STEPS};
use crate::search::{Manner, Question, Session, Shown};

impl Session<'_> {
    /// Goes on from a run to one that comes farther, as long as there is one. The manner becomes that of the run it gives.
    pub(crate) fn climb(
        &mut self,
        question: &Question<'_>,
        manner: &mut Manner,
        shown: Shown,
    ) -> Option<Shown> {
        let (runs, steps) = (self.runs, self.steps);
        let mut best = shown;
        while !best.is_done() {
            let Some((farther, shown)) = self.farther(question, manner, &best, (runs, steps))? else { break };
            *manner = farther;
            best = shown;
        }
        Some(best)
    }

    /// A run that comes farther because of one choice. Nothing where something cannot be run at all.
    #[allow(
        clippy::type_complexity,
        reason = "what cannot be run, and what comes no farther, are two answers"
    )]
    fn farther(
        &mut self,
        question: &Question<'_>,
        manner: &Manner,
        best: &Shown,
        (runs, steps): (u64, u64),
    ) -> Option<Option<(Manner, Shown)>> {
        for (at, choice) in best.before.iter().enumerate().rev() {
            for other in (0..choice.forks).filter(|&other| other != choice.taken) {
                if self.runs - runs > CLIMBING_RUNS || self.steps - steps > CLIMBING_STEPS {
                    return Some(None);
                }
                let mut script: Vec<u32> = best.before[..at].iter().map(|made| made.taken).collect();
                script.push(other);
                let mut manner = manner.clone();
                manner.script = script;
                let shown = self.run(question, &manner)?;
                if shown.is_done() || shown.reached > best.reached {
                    manner.script.clone_from(&shown.script);
                    return Some(Some((manner, shown)));
                }
            }
        }
        Some(None)
    }
}
