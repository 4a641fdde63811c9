//! Which of several definitions of one name a unit means (ASSUME-32).
//!
//! A build often makes several programs: helpers that generate code, tests, tools beside a library. Checked together,
//! they may define the same name more than once, and no linker has said which units belong together. A unit that
//! defines the name means its own definition. Any other is taken to mean, in this order, one in a unit that it can be
//! linked with (no name is defined in both), one in a unit without a `main` (a unit that has one is a program of its
//! own), one whose source lies nearest to its own in the tree of directories, the first.
//!
//! In: who defines what. Out: for a unit and a name, one of the definitions.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The names that several units define.
pub(crate) struct Rivals<T> {
    /// The definitions of each name, each with the number of its unit, in order.
    definitions: BTreeMap<Box<str>, Vec<(usize, T)>>,
}

impl<T> Default for Rivals<T> {
    fn default() -> Rivals<T> {
        Rivals { definitions: BTreeMap::new() }
    }
}

impl<T: Copy + PartialEq> Rivals<T> {
    /// Adds another definition of a name that has one.
    pub(crate) fn add(&mut self, name: &str, first: (usize, T), another: (usize, T)) {
        let known = self.definitions.entry(name.into()).or_insert_with(|| vec![first]);
        known.push(another);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.definitions.is_empty()
    }

    /// Which names each unit defines that another one defines too.
    pub(crate) fn contested(&self, units: &mut FxHashMap<usize, FxHashSet<Box<str>>>) {
        for (name, definitions) in &self.definitions {
            for (unit, _) in definitions {
                units.entry(*unit).or_default().insert(name.clone());
            }
        }
    }

    /// The definition that a unit means by each contested name, beside its first one.
    pub(crate) fn choices(&self, unit: usize, places: &Places) -> Vec<(T, T)> {
        let mut choices = Vec::new();
        for definitions in self.definitions.values() {
            let first = definitions[0].1;
            if definitions.iter().any(|definition| definition.0 == unit) {
                continue;
            }
            let best = definitions.iter().min_by_key(|definition| places.distance(unit, definition.0));
            if let Some((_, best)) = best
                && *best != first
            {
                choices.push((first, *best));
            }
        }
        choices
    }
}

/// What is known about where units belong.
pub(crate) struct Places {
    pub(crate) contested: FxHashMap<usize, FxHashSet<Box<str>>>,
    /// The source of each unit.
    pub(crate) sources: Vec<Box<str>>,
}

impl Places {
    /// How unlikely it is that two units belong to one program.
    fn distance(&self, one: usize, other: usize) -> (bool, bool, usize) {
        let none = FxHashSet::default();
        let (ours, theirs) =
            (self.contested.get(&one).unwrap_or(&none), self.contested.get(&other).unwrap_or(&none));
        (!ours.is_disjoint(theirs), theirs.contains("main"), self.apart(one, other))
    }

    /// How many directories lie between two sources.
    fn apart(&self, one: usize, other: usize) -> usize {
        let parts = |unit: usize| -> Vec<&str> {
            let directory = self.sources[unit].rsplit_once('/').map_or("", |(directory, _)| directory);
            directory.split('/').collect()
        };
        let (one, other) = (parts(one), parts(other));
        let common = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
        one.len() + other.len() - 2 * common
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition that each unit means, by the first of the definitions.
    fn check(sources: &[&str], defines: &[(&str, &[usize])], unit: usize, expected: &[(usize, usize)]) {
        let mut rivals = Rivals::default();
        for (name, units) in defines {
            for &unit in &units[1..] {
                rivals.add(name, (units[0], units[0]), (unit, unit));
            }
        }
        let mut places = Places {
            contested: FxHashMap::default(),
            sources: sources.iter().map(|&name| name.into()).collect(),
        };
        rivals.contested(&mut places.contested);
        let mut choices = rivals.choices(unit, &places);
        choices.sort_unstable();
        assert_eq!(choices, expected);
    }

    #[test]
    fn a_generator_is_a_program_of_its_own() {
        let sources = ["src/mkinit.c", "src/memory.c", "src/shell.c"];
        check(&sources, &[("main", &[0, 2]), ("allocate", &[0, 1])], 2, &[(0, 1)]);
    }

    #[test]
    fn of_two_libraries_the_nearer_one_counts() {
        let sources = ["one/lib/error.c", "two/lib/error.c", "two/src/tool.c", "one/src/tool.c"];
        check(&sources, &[("error", &[0, 1])], 2, &[(0, 1)]);
        check(&sources, &[("error", &[0, 1])], 3, &[]);
    }

    #[test]
    fn units_that_define_the_same_name_are_not_linked() {
        let sources = ["a.c", "lib/b.c", "c.c"];
        check(&sources, &[("free_all", &[0, 1]), ("usage", &[0, 2])], 2, &[(0, 1)]);
    }
}
