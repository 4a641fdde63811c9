//! Jumps for which somebody has to wait.
//!
//! Error reports of many programs jump to where the program goes on, if a switch says that somebody waits there, and
//! else end the process: `if (catching) longjmp(top, 1); exit(1);`. The switch may be a variable, a member of a structure, or a bit of
//! one (`if (ctx->flags & MAY_JUMP)`). It is off most of the time, and whoever
//! calls the report does not look at it, so what is lost by the jump is told with low confidence (ASSUME-39). An allocator that jumps or ends
//! the process when there is no memory, and comes back else, is no different: the switch decides how it fails, not whether it comes
//! back. Conditions of a summary do not reach over many calls, so functions whose every jump is of this kind are known before (`facts/awaited.rs`). A call that comes back only when the switch is off is another matter, and so is an address that leads to where the jump lands.

use crate::assumptions::Supposed;
use crate::machine::state::State;
use watertight_ir::FuncId;
use watertight_summary::{Outcome, Path, Relation, Root, Step, Summary, Test, Way};

/// A number, and the bits of it that count.
type Switch = (Path, Option<u64>);

impl State<'_> {
    /// Whether a function jumps in this outcome only where a switch is on that is of no account where it comes back.
    pub(crate) fn is_awaited(&mut self, function: FuncId, summary: &Summary, outcome: &Outcome) -> bool {
        if !self.assumes(Supposed::JumpsAwaited) {
            return false;
        }
        let mut all = outcome.when.any.iter();
        let Some(first) = all.next() else { return false };
        let switches: Vec<Switch> = first.iter().filter(|test| is_on(test)).map(switch).collect();
        let returning = || summary.outcomes.iter().filter(|other| other.way != Way::Jumps);
        switches.into_iter().any(|known| {
            let asks = |tests: &Vec<Test>| tests.iter().any(|test| switch(test) == known);
            let on = |tests: &Vec<Test>| tests.iter().any(|test| switch(test) == known && is_on(test));
            let asked = returning().any(|other| other.when.any.iter().any(asks));
            // It comes back all the same, on or off, and ends the process else.
            let either = |wanted: bool| {
                returning().any(|other| other.when.any.iter().any(|tests| on(tests) == wanted))
            };
            let spared = !asked || self.context.exits(function) && either(true) && either(false);
            outcome.when.any.iter().all(on) && spared && self.is_number(&known.0)
        })
    }

    /// Whether the value of a path is no address.
    fn is_number(&mut self, path: &Path) -> bool {
        match path.root {
            Root::Global(_) => self.pointee(path).is_none(),
            _ => matches!(path.steps.last(), Some(Step::Number { .. })),
        }
    }
}

fn switch(test: &Test) -> Switch {
    (test.value.clone(), test.mask)
}

fn is_on(test: &Test) -> bool {
    let place = match test.value.root {
        Root::Global(_) => true,
        // What the caller itself passes is no switch that others set.
        Root::Param(_) => !test.value.steps.is_empty(),
        _ => false,
    };
    let on = match test.relation {
        Relation::NotEqual => test.number == 0,
        Relation::Equal => test.number != 0 && test.mask == u64::try_from(test.number).ok(),
        _ => false,
    };
    place && on && test.other.is_none()
}
