//! Functions of the library that fill what they are given, and make something new where they are given nothing.
//!
//! `BN_bin2bn(data, size, number)`, `realpath(name, buffer)` and `getcwd(buffer, size)` hand back their argument, or a
//! new object where the argument is null. Who drops the result means the first. That the argument is null on some
//! paths, because making it has failed and nobody has looked, is a mistake of another kind, so on these paths the new
//! object happens seldom (ASSUME-38). An argument that is always null is none of this.

use crate::assumptions::Supposed;
use crate::calls::apply::Application;
use crate::machine::state::State;
use watertight_logic::guard::Guard;
use watertight_summary::{Outcome, Relation, Summary, Value};

impl State<'_> {
    /// Whether an outcome of a call, one of those that are `taken`, makes something new in place of what the caller would have filled.
    pub(crate) fn makes_instead(
        &mut self,
        summary: &Summary,
        outcome: &Outcome,
        taken: &[Guard],
        application: &Application<'_>,
    ) -> bool {
        self.assumes(Supposed::DroppedResultFills)
            && matches!(outcome.result, Value::Fresh { .. })
            && self.context.program.functions[application.function].body.is_none()
            && summary
                .outcomes
                .iter()
                .zip(taken)
                .any(|(other, when)| !when.is_false() && gives_back(outcome, other))
            && !self.is_used(application.inst)
    }
}

/// Whether another outcome gives the parameter back that has to be null for this one.
fn gives_back(outcome: &Outcome, other: &Outcome) -> bool {
    let Value::Entry { path, .. } = &other.result else { return false };
    path.steps.is_empty() && outcome.when.asks(path, Relation::Equal, 0)
}
