//! What it means for a library call to fail.
//!
//! In: the outcomes that a model gives a call. Out: whether one of them is a failure, and whether it is one for want of
//! memory. A call fails that could acquire something or take what it is given and does not, or that gives NULL, a negative number, or something
//! else than the 0 by which others say that all is well. What makes a new resource around one that its caller has opened
//! already (a stream around a descriptor) asks nothing of the outside, so it fails for want of memory. Who looks for something
//! and says that it is absent (`strchr`, `fgets` at the end of a file) has not failed: models say `absent after`.

use crate::known::Known;
use crate::needs::Sign;
use crate::search::{Needs, Run};
use watertight_ir::{FuncId, Op, Type};
use watertight_summary::model::Models;
use watertight_summary::{Effect, Given, Got, Outcome, Relation, Root, Value, Witness};

/// What fails if a call of this name comes to this outcome and not to another of those it can come to.
pub(crate) fn failure(models: &Models, name: &str, all: &[&Outcome], outcome: &Outcome, ty: Type) -> Needs {
    if models.lists.absent_after.contains(name) {
        return Needs::Nothing;
    }
    let kinds = &models.kinds;
    let mut acquiring = all.iter().filter(|other| !other.fresh.is_empty()).peekable();
    if outcome.fresh.is_empty() && acquiring.peek().is_some() {
        // A call that gives the new memory itself has nothing else to do. One that leaves it where an argument says (`getline`)
        // has, and more often fails at that.
        let memory = acquiring.all(|other| {
            matches!(other.result, Value::Fresh { .. })
                && other.fresh.iter().all(|fresh| kinds.get(fresh.kind).memory)
        });
        let around = all.iter().any(|other| wraps(other));
        return if around || memory { Needs::Memory } else { Needs::Call };
    }
    let takes =
        |outcome: &Outcome| outcome.effects.iter().any(|effect| matches!(effect, Effect::Keep { .. }));
    if !takes(outcome) && all.iter().any(|other| takes(other)) {
        return Needs::Call;
    }
    let well = |value: &Value| matches!(value, Value::Number(0));
    let failed = match outcome.result {
        Value::Number(number) if fails(number as u64, ty) => true,
        Value::Such { relation: Relation::Less, number } => number <= 0,
        Value::Such { relation: Relation::LessEqual, number } => number < 0,
        Value::Such { relation: Relation::NotEqual, number: 0 } => {
            ty != Type::Ptr && all.iter().any(|other| well(&other.result))
        }
        _ => false,
    };
    if failed && all.len() > 1 { Needs::Call } else { Needs::Nothing }
}

/// Whether an outcome puts an argument into what it acquires.
fn wraps(outcome: &Outcome) -> bool {
    outcome.effects.iter().any(|effect| match effect {
        Effect::Store { place, value: Value::Entry { path, .. } } => {
            matches!(place.root, Root::Fresh(_))
                && matches!((path.root, &path.steps[..]), (Root::Param(_), []))
        }
        _ => false,
    })
}

/// Whether a result says that something went wrong.
pub(crate) fn fails(word: u64, ty: Type) -> bool {
    match ty {
        Type::Ptr => word == 0,
        Type::Int(_) => ty.signed(word) < 0,
        _ => false,
    }
}

impl Known<'_> {
    /// What fails on the path of a witness: the worst that the results of calls need on which the claim depends. If a run has taken
    /// the path, only those count that it had before the loss.
    pub fn fails(&self, function: FuncId, witness: &Witness, run: Option<&Run>) -> Needs {
        let mut worst = Needs::Nothing;
        let Some(body) = &self.program.functions[function].body else { return worst };
        let is_before = |given: &&Given| {
            run.is_none_or(|run| run.returned.get(&given.call).is_some_and(|&turns| given.turn < turns))
        };
        for given in witness.results.iter().filter(|given| given.decides).filter(is_before) {
            if !matches!(body.insts[given.call].op, Op::Call(_)) {
                continue;
            }
            let ty = body.insts[given.call].result.map_or(Type::Void, |result| body.ty(result));
            let sign = match given.value {
                Got::Number(word) => Sign::of(word, ty),
                Got::Address => Sign::Positive,
            };
            worst = worst.max(self.least.of_call(function, body, given.call, sign));
        }
        worst
    }
}
