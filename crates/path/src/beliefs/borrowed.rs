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
use watertight_ir::{InstId, Op, Type};

/// The arguments that something out of sight borrows.
pub(super) fn borrowed(learner: &Learner<'_>, found: &BTreeMap<Source, Belief>) -> BTreeSet<(Source, u32)> {
    let mut all = BTreeSet::new();
    for (index, (_, flow)) in learner.flows.iter().enumerate() {
        if learner.sources[index].is_empty() {
            continue;
        }
        for (_, inst, _) in flow.calls() {
            let Some(result) = flow.body.insts[inst].result else { continue };
            if flow.body.ty(result) != Type::Ptr {
                continue;
            }
            let given = flow.fate(&flow.same(vec![result], &|_| false)).given;
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
