//! What is around a function in the call graph.
//!
//! In: the calls and one function. Out: columns of functions, callers to the left and callees to the right, up to some
//! levels away, and the edges between neighbouring columns. Of a column with very many functions the first are shown, in
//! the order of their names, and the rest is counted; a circle of calls shows a function once, where it is nearest.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::knowledge::{Call, Knowledge};

/// How far from the function.
pub const LEVELS: usize = 2;
/// The most functions in a column.
pub const MOST: usize = 12;

/// The surroundings of a function.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub struct Surroundings {
    /// From the farthest callers to the farthest callees; the function itself is alone in the middle.
    pub columns: Vec<Column>,
    /// `[from, to]`, by index of the function.
    pub edges: Vec<(usize, usize)>,
}

/// Functions that are equally far away on one side.
#[derive(Debug, Default, Serialize, PartialEq, Eq)]
pub struct Column {
    /// Indexes of functions.
    pub functions: Vec<usize>,
    /// How many more there are.
    pub more: usize,
}

/// The calls of every function, both ways, in the order of names.
#[derive(Debug, Default)]
pub struct Neighbours {
    callers: Vec<Vec<usize>>,
    callees: Vec<Vec<usize>>,
}

impl Neighbours {
    /// Sorts calls by function. Calls that name no function are left out.
    #[must_use]
    pub fn new(knowledge: &Knowledge) -> Neighbours {
        let number = knowledge.functions.len();
        let mut all = Neighbours { callers: vec![Vec::new(); number], callees: vec![Vec::new(); number] };
        let calls: BTreeSet<&Call> = knowledge.calls.iter().collect();
        for call in calls.into_iter().filter(|call| call.caller < number && call.callee < number) {
            all.callees[call.caller].push(call.callee);
            all.callers[call.callee].push(call.caller);
        }
        let name = |index: usize| &knowledge.functions[index].name;
        for list in all.callers.iter_mut().chain(&mut all.callees) {
            list.sort_by_key(|&index| (name(index), index));
        }
        all
    }

    /// Who calls a function.
    #[must_use]
    pub fn callers(&self, function: usize) -> &[usize] {
        self.callers.get(function).map_or(&[], Vec::as_slice)
    }

    /// Whom a function calls.
    #[must_use]
    pub fn callees(&self, function: usize) -> &[usize] {
        self.callees.get(function).map_or(&[], Vec::as_slice)
    }

    /// What is around a function.
    #[must_use]
    pub fn around(&self, knowledge: &Knowledge, function: usize) -> Surroundings {
        let mut seen = BTreeSet::from([function]);
        let mut edges = BTreeSet::new();
        let mut columns = vec![Column { functions: vec![function], more: 0 }];
        for side in [Side::Callees, Side::Callers] {
            let mut frontier = vec![function];
            for _ in 0..LEVELS {
                let mut found = BTreeSet::new();
                for &from in &frontier {
                    for &to in self.beside(side, from) {
                        if !seen.contains(&to) {
                            found.insert((&knowledge.functions[to].name, to));
                        }
                    }
                }
                let more = found.len().saturating_sub(MOST);
                let next: Vec<usize> = found.into_iter().take(MOST).map(|(_, index)| index).collect();
                seen.extend(&next);
                if next.is_empty() {
                    break;
                }
                for &from in &frontier {
                    let shown = self.beside(side, from).iter().filter(|to| next.contains(to));
                    edges.extend(shown.map(|&to| match side {
                        Side::Callees => (from, to),
                        Side::Callers => (to, from),
                    }));
                }
                let column = Column { functions: next.clone(), more };
                match side {
                    Side::Callees => columns.push(column),
                    Side::Callers => columns.insert(0, column),
                }
                frontier = next;
            }
        }
        Surroundings { columns, edges: edges.into_iter().collect() }
    }

    fn beside(&self, side: Side, function: usize) -> &[usize] {
        match side {
            Side::Callers => self.callers(function),
            Side::Callees => self.callees(function),
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Side {
    Callers,
    Callees,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::Function;

    fn knowledge(names: &[&str], calls: &[(usize, usize)]) -> Knowledge {
        let function = |name: &&str| Function { name: (*name).to_owned(), ..Function::default() };
        Knowledge {
            functions: names.iter().map(function).collect(),
            calls: calls.iter().map(|&(caller, callee)| Call { caller, callee }).collect(),
            ..Knowledge::default()
        }
    }

    #[test]
    fn callers_stand_left_and_callees_right() {
        let all = knowledge(
            &["main", "load", "parse", "free", "far"],
            &[(0, 1), (1, 3), (1, 2), (2, 3), (2, 4), (4, 0)],
        );
        let around = Neighbours::new(&all).around(&all, 1);
        let columns: Vec<Vec<usize>> = around.columns.iter().map(|column| column.functions.clone()).collect();
        // `far` is nearest as a callee of a callee.
        assert_eq!(columns, [vec![0], vec![1], vec![3, 2], vec![4]]);
        assert_eq!(around.edges, [(0, 1), (1, 2), (1, 3), (2, 4)]);
    }

    #[test]
    fn a_function_that_calls_itself_stands_alone() {
        let all = knowledge(&["f"], &[(0, 0)]);
        let around = Neighbours::new(&all).around(&all, 0);
        assert_eq!(around.columns.len(), 1);
        assert!(around.edges.is_empty());
        assert_eq!(Neighbours::new(&all).callers(0), [0]);
    }

    #[test]
    fn very_many_callers_are_counted() {
        let names: Vec<String> = (0..1000).map(|i| format!("f{i:04}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let calls: Vec<(usize, usize)> = (1..1000).map(|caller| (caller, 0)).collect();
        let all = knowledge(&names, &calls);
        let around = Neighbours::new(&all).around(&all, 0);
        assert_eq!(around.columns[0].functions.len(), MOST);
        assert_eq!(around.columns[0].more, 999 - MOST);
    }

    #[test]
    fn a_call_that_names_nothing_is_left_out() {
        let all = knowledge(&["f"], &[(0, 9), (9, 0)]);
        assert!(Neighbours::new(&all).callees(0).is_empty());
        assert!(Neighbours::new(&all).callers(7).is_empty());
    }
}
