//! Jumps for which somebody has to wait.
//!
//! Error reports of many programs jump to where the program goes on, if a switch says that somebody waits there, and
//! else end the process: `if (catching) longjmp(top, 1); exit(1);`. The switch is off most of the time, and whoever
//! calls the report does not look at it, so what is lost by the jump is told with low confidence (ASSUME-39). A call
//! that comes back when the switch is off is another matter, and so is an address that leads to where the jump lands.

use crate::evaluate::state::State;
use watertight_summary::{Outcome, Path, Relation, Root, Summary, Test, Way};

impl State<'_> {
    /// Whether a callee jumps in this outcome only where a switch is on that is of no account where it comes back.
    pub(crate) fn is_awaited(&mut self, summary: &Summary, outcome: &Outcome) -> bool {
        let mut all = outcome.when.any.iter();
        let Some(first) = all.next() else { return false };
        let switches: Vec<Path> =
            first.iter().filter(|test| is_on(test)).map(|test| test.value.clone()).collect();
        let returning = || summary.outcomes.iter().filter(|other| other.way != Way::Jumps);
        switches.into_iter().any(|switch| {
            let asks = |tests: &Vec<Test>| tests.iter().any(|test| test.value == switch);
            outcome.when.any.iter().all(|tests| tests.iter().any(|test| test.value == switch && is_on(test)))
                && !returning().any(|other| other.when.any.iter().any(asks))
                && self.pointee(&switch).is_none()
        })
    }
}

fn is_on(test: &Test) -> bool {
    matches!(test.value.root, Root::Global(_))
        && test.relation == Relation::NotEqual
        && test.number == 0
        && test.other.is_none()
}
