//! Who only borrows: code out of sight that is given something which is released after it, whatever happens.
//!
//! In: what is known of releases. Out: arguments that are not kept. Who releases something on every way on from a call
//! believes that the call neither released nor kept it. A release on some of the ways says nothing: `if (add(list, p) < 0)
//! free(p);` hands it over where that succeeds.

use super::Belief;
use super::flow::Flow;
use super::learn::Learner;
use super::sources::Source;
use std::collections::{BTreeMap, BTreeSet};
use watertight_ir::{InstId, Op, Type, ValueId};

/// The arguments that something out of sight borrows.
pub(super) fn borrowed(learner: &Learner<'_>, found: &BTreeMap<Source, Belief>) -> BTreeSet<(Source, u32)> {
    let mut all = BTreeSet::new();
    for (index, (_, flow)) in learner.flows.iter().enumerate() {
        if learner.sources[index].is_empty() {
            continue;
        }
        for values in things(flow) {
            let given = flow.fate(&flow.same(values, &|_| false)).given;
            let releases: Vec<InstId> = given
                .iter()
                .filter(|&&(call, argument)| is_release(learner, found, index, flow, call, argument))
                .map(|entry| entry.0)
                .collect();
            if releases.is_empty() {
                continue;
            }
            for (call, argument) in given {
                if let Some(source) = learner.sources[index].get(&call)
                    && !releases.contains(&call)
                    && flow.always_comes_to(call, &releases)
                {
                    all.insert((source.clone(), argument));
                }
            }
        }
    }
    all
}

/// The values of each thing that a function gets from its calls: their results, and what they put into its variables.
fn things(flow: &Flow<'_>) -> Vec<Vec<ValueId>> {
    let is_address = |value: ValueId| flow.body.ty(value) == Type::Ptr;
    let mut all = Vec::new();
    for (_, inst, call) in flow.calls() {
        all.extend(
            flow.body.insts[inst].result.filter(|&result| is_address(result)).map(|result| vec![result]),
        );
        for &argument in &call.args {
            if let Some(slot) = flow.slot(argument, &|other| other == inst)
                && slot.loaded.first().is_some_and(|&value| is_address(value))
                && slot.stored.iter().all(|&value| flow.is_nothing(value))
            {
                all.push(slot.loaded);
            }
        }
    }
    all
}

fn is_release(
    learner: &Learner<'_>,
    found: &BTreeMap<Source, Belief>,
    index: usize,
    flow: &Flow<'_>,
    inst: InstId,
    argument: u32,
) -> bool {
    let Op::Call(call) = &flow.body.insts[inst].op else { return false };
    let believed = learner.sources[index].get(&inst).and_then(|source| found.get(source));
    learner.known_release(flow, call, argument).is_some()
        || believed.is_some_and(|belief| belief.releases.contains(&argument))
}
