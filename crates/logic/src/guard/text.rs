//! Guards as text for people: `n == 0 and not failed, or retry`.
//!
//! The guard is written as a short sum of cases, or as the negation of one where that is shorter. The caller names the
//! conditions, and how their negation reads.

use super::{Cube, Guard, Guards, Literal};

/// The most cases that are spelled out.
const MOST_CASES: usize = 12;

impl Guards {
    /// The guard in words. `name` gives the words for a condition that holds, or does not.
    pub fn describe(&mut self, guard: Guard, mut name: impl FnMut(Literal) -> String) -> String {
        if guard.is_true() {
            return "always".to_owned();
        }
        if guard.is_false() {
            return "never".to_owned();
        }
        let direct = self.cubes(guard, MOST_CASES);
        let negated = self.cubes(!guard, MOST_CASES);
        let (prefix, cubes) = match (direct, negated) {
            (Some(direct), Some(negated)) if weight(&negated) + 1 < weight(&direct) => ("not", negated),
            (Some(direct), _) => ("", direct),
            (None, Some(negated)) => ("not", negated),
            (None, None) => {
                let conditions = self.support(guard).len();
                return format!("a combination of {conditions} conditions");
            }
        };
        let cases: Vec<String> = cubes
            .iter()
            .map(|cube| cube.iter().map(|&literal| name(literal)).collect::<Vec<_>>().join(" and "))
            .collect();
        let sum = cases.join(", or ");
        if prefix.is_empty() { sum } else { format!("not ({sum})") }
    }

    /// The guard with conditions by number: `c0 and not c2, or c5`.
    pub fn show(&mut self, guard: Guard) -> String {
        self.describe(guard, |literal| {
            let not = if literal.holds { "" } else { "not " };
            format!("{not}{}", literal.condition)
        })
    }
}

/// How much there is to read.
fn weight(cubes: &[Cube]) -> usize {
    cubes.iter().map(|cube| cube.len() + 1).sum()
}
