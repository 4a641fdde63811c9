//! When components of the call graph may have their turn, as far as the program alone decides it.
//!
//! A component calls only components of lower *levels*. Levels that follow each other are joined to *epochs*, of which
//! one begins when the one before is over. Within an epoch a turn begins as soon as its callees had theirs, so threads
//! seldom wait for each other; and there it is a matter of luck which other functions had theirs. So a function sees its
//! callees, and of all others only those of earlier epochs: what is seen never depends on luck. Few epochs mean little
//! waiting, many mean that more is seen of functions that come by pointers on strange ways.

use crate::limits::EPOCHS;
use std::ops::Range;
use watertight_ir::callgraph::CallGraph;
use watertight_ir::scc::Components;
use watertight_ir::{FuncId, Program};

/// The components of a program, and in which order they may be visited.
pub(crate) struct Epochs {
    /// For each component those that it calls, in ascending order; only those with a body count.
    pub(crate) callees: Vec<Vec<usize>>,
    pub(crate) callers: Vec<Vec<usize>>,
    /// Instructions on the longest way from the component to the end of all callers: those with more to come go first.
    pub(crate) urgency: Vec<usize>,
    /// For each component its epoch.
    pub(crate) of: Vec<u32>,
    /// The components with a body, by epoch.
    ordered: Vec<usize>,
    ranges: Vec<Range<usize>>,
}

impl Epochs {
    pub(crate) fn new(program: &Program, graph: &CallGraph) -> Epochs {
        let components = graph.components();
        let work: Vec<usize> = components
            .iter()
            .map(|members| members.iter().map(|&member| size(program, member)).sum())
            .collect();
        let has_body =
            |index: usize| components.members(index).iter().any(|&m| program.functions[m].body.is_some());
        let callees: Vec<Vec<usize>> = (0..components.len())
            .map(|index| {
                let mut called = called(graph, components, index);
                called.retain(|&other| has_body(other));
                called
            })
            .collect();
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); components.len()];
        // Callees have lower numbers than their callers.
        let mut level = vec![0usize; components.len()];
        for (index, called) in callees.iter().enumerate() {
            for &other in called {
                callers[other].push(index);
                level[index] = level[index].max(level[other] + 1);
            }
        }
        let mut urgency = work.clone();
        for index in (0..components.len()).rev() {
            urgency[index] += callers[index].iter().map(|&caller| urgency[caller]).max().unwrap_or(0);
        }
        let mut ordered: Vec<usize> = (0..components.len()).filter(|&index| has_body(index)).collect();
        ordered.sort_unstable_by_key(|&index| (level[index], index));
        let (ranges, of) = divide(&ordered, &level, &work);
        Epochs { callees, callers, urgency, of, ordered, ranges }
    }

    /// The components of each epoch, one epoch after the other.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[usize]> {
        self.ranges.iter().map(|range| &self.ordered[range.clone()])
    }
}

/// Joins levels until they have their part of the work.
fn divide(ordered: &[usize], level: &[usize], work: &[usize]) -> (Vec<Range<usize>>, Vec<u32>) {
    let part = work.iter().sum::<usize>().div_ceil(EPOCHS);
    let mut of = vec![0u32; level.len()];
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let (mut begin, mut end, mut spent) = (0, 0, 0);
    for same_level in ordered.chunk_by(|&a, &b| level[a] == level[b]) {
        end += same_level.len();
        for &index in same_level {
            of[index] = ranges.len() as u32;
            spent += work[index];
        }
        if spent >= part {
            ranges.push(begin..end);
            (begin, spent) = (end, 0);
        }
    }
    if begin < end {
        ranges.push(begin..end);
    }
    (ranges, of)
}

/// The other components that one calls, in ascending order.
fn called(graph: &CallGraph, components: &Components<FuncId>, index: usize) -> Vec<usize> {
    let callees = components.members(index).iter().flat_map(|&member| graph.callees(member));
    let mut called: Vec<usize> = callees.map(|&callee| components.of(callee)).collect();
    called.retain(|&other| other != index);
    called.sort_unstable();
    called.dedup();
    called
}

/// How large a function is.
pub(crate) fn size(program: &Program, function: FuncId) -> usize {
    program.functions[function].body.as_ref().map_or(0, |body| body.insts.len())
}

#[cfg(test)]
mod tests {
    use super::{EPOCHS, Epochs};
    use watertight_ir::callgraph::CallGraph;

    /// Functions that call the one before, each ten instructions long.
    fn chain(length: usize) -> String {
        let mut text = String::from("func @f0() {\nbb0:\n  return\n}\n");
        for index in 1..length {
            let calls = format!("  call @f{}()\n", index - 1).repeat(10);
            text += &format!("func @f{index}() {{\nbb0:\n{calls}  return\n}}\n");
        }
        text
    }

    #[test]
    fn levels_are_joined_to_a_few_epochs() {
        let program = watertight_ir::parse("chain.ir", &chain(480)).expect("the text is well formed");
        let graph = CallGraph::new(&program);
        let epochs = Epochs::new(&program, &graph);
        let sizes: Vec<usize> = epochs.iter().map(<[usize]>::len).collect();
        assert!(sizes.len() <= EPOCHS, "{sizes:?}");
        assert!(sizes.iter().all(|&size| size >= 10), "{sizes:?}");
        assert_eq!(sizes.iter().sum::<usize>(), 480);
        // What is called at the bottom of the chain cannot wait.
        assert!(epochs.urgency.is_sorted_by(|a, b| a >= b));
        assert!(epochs.of.is_sorted());
    }
}
