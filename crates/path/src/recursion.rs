//! Functions that call each other: summarised together, round by round, until nothing changes.
//!
//! In: the members of a strongly connected component of the call graph. Out: a summary of each. Members are taken
//! callees first, as far as a circle allows it, so that what one learns reaches its callers in the same round; a
//! member takes part in a round only if the summary of one of its callees changed since its last turn. A call of a
//! member that has no summary yet does not return, so what the first round finds is true of the paths without
//! recursion, and later rounds add to it.
//!
//! A few members at a time are evaluated in parallel, all with what was known before them. How many is fixed, so
//! the result does not depend on the number of threads.

use crate::analyse::{Effort, Options, attempt};
use crate::context::{Component, Context};
use crate::costs::Costs;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use watertight_ir::FuncId;
use watertight_ir::callgraph::CallGraph;

/// How many members are evaluated with the same knowledge.
const TOGETHER: usize = 8;

/// With more members than this, what a third round adds is not worth its time: hardly any member is on all paths
/// through the others.
const MANY: usize = 64;

/// What the rounds gave.
pub struct Fixpoint {
    pub component: Component,
    /// Failures of ours on the way.
    pub mistakes: Vec<(FuncId, String)>,
    /// Members that were given up in their last round, and why.
    pub given_up: FxHashMap<FuncId, &'static str>,
    pub costs: Costs,
}

/// Summarises the members, which stand in ascending order.
pub fn summarise(
    context: &Context<'_>,
    graph: &CallGraph,
    members: &[FuncId],
    options: &Options,
) -> Fixpoint {
    let mut component = Component { members: members.to_vec(), ..Component::default() };
    let mut mistakes = Vec::new();
    let mut given_up = FxHashMap::default();
    let mut costs = Costs::default();
    let order = callees_first(graph, members);
    let mut due: FxHashSet<FuncId> = members.iter().copied().collect();
    let rounds = if members.len() > MANY { options.rounds.min(2) } else { options.rounds };
    for _ in 0..rounds {
        for group in order.chunks(TOGETHER) {
            let turn: Vec<FuncId> = group.iter().copied().filter(|member| due.remove(member)).collect();
            let results: Vec<_> = turn
                .par_iter()
                .map(|&member| attempt(context, &component, member, options, Effort::Quick, &|_, _| ()))
                .collect();
            for (&member, result) in turn.iter().zip(results) {
                costs += result.costs;
                mistakes.extend(result.mistake.map(|message| (member, message)));
                match result.given_up {
                    Some(why) => given_up.insert(member, why),
                    None => given_up.remove(&member),
                };
                if component.summaries.get(&member) != Some(&result.summary) {
                    component.summaries.insert(member, result.summary);
                    let callers = graph.callers(member).iter();
                    due.extend(callers.filter(|caller| members.binary_search(caller).is_ok()));
                }
            }
        }
        if due.is_empty() {
            break;
        }
    }
    Fixpoint { component, mistakes, given_up, costs }
}

/// The members in the order in which a depth-first walk along calls leaves them.
fn callees_first(graph: &CallGraph, members: &[FuncId]) -> Vec<FuncId> {
    let mut order = Vec::with_capacity(members.len());
    // How many callees of a member were followed; members not reached yet have no entry.
    let mut followed: FxHashMap<FuncId, usize> = FxHashMap::default();
    for &root in members {
        let mut path = vec![root];
        while let Some(&member) = path.last() {
            let seen = followed.entry(member).or_insert(0);
            let Some(&callee) = graph.callees(member).get(*seen) else {
                path.pop();
                order.push(member);
                continue;
            };
            *seen += 1;
            if members.binary_search(&callee).is_ok() && !followed.contains_key(&callee) {
                path.push(callee);
            }
        }
    }
    // A root that an earlier walk has left is walked again, at once.
    let mut known = FxHashSet::default();
    order.retain(|&member| known.insert(member));
    order
}

#[cfg(test)]
mod tests {
    use super::callees_first;
    use watertight_ir::callgraph::CallGraph;

    #[test]
    fn callees_come_before_their_callers_where_they_can() {
        let text = "func @a() {\nbb0:\n  call @b()\n  return\n}\nfunc @b() {\nbb0:\n  call @c()\n  return\n}\n\
                    func @c() {\nbb0:\n  call @a()\n  return\n}\n";
        let program = watertight_ir::parse("circle.ir", text).expect("the text is well formed");
        let graph = CallGraph::new(&program);
        let members: Vec<_> = program.functions.ids().collect();
        let names = callees_first(&graph, &members).into_iter().map(|id| &*program.functions[id].name);
        assert_eq!(names.collect::<Vec<_>>(), ["c", "b", "a"]);
    }
}
