//! Guards as conjunctions of conditions: one case in which a guard holds, or all of them as a short sum.
//!
//! People read guards as cases: "when `n == 0` and the open fails". [`Guards::shortest_cube`] finds one case with few
//! conditions, for a witness. [`Guards::cubes`] writes the whole guard as a sum of cases none of which can be left out
//! or shortened, by the method of Minato and Morreale.

use super::{Condition, Guard, Guards};
use rustc_hash::FxHashMap;

/// A condition that holds, or does not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Literal {
    pub condition: Condition,
    pub holds: bool,
}

/// A conjunction of conditions, in their order.
pub type Cube = Vec<Literal>;

impl Guards {
    /// A case with few conditions in which the guard holds; `None` when it never does. No condition of it can be left
    /// out.
    pub fn shortest_cube(&mut self, guard: Guard) -> Option<Cube> {
        if guard.is_false() {
            return None;
        }
        // The fewest conditions that lead from each node to true, and to false.
        let mut lengths: FxHashMap<u32, (u32, u32)> = FxHashMap::default();
        let length = |lengths: &FxHashMap<u32, (u32, u32)>, guard: Guard| match guard {
            Guard::TRUE => 0,
            Guard::FALSE => u32::MAX / 2,
            _ => {
                let (to_true, to_false) = lengths[&guard.node()];
                if guard.is_complemented() { to_false } else { to_true }
            }
        };
        for at in self.reachable([guard]) {
            let node = self.nodes[at as usize];
            let shortest = |high: Guard, low: Guard| 1 + length(&lengths, high).min(length(&lengths, low));
            let entry = (shortest(node.high, node.low), shortest(!node.high, !node.low));
            lengths.insert(at, entry);
        }
        let mut cube = Vec::new();
        let mut at = guard;
        while let Some((condition, high, low)) = self.branch(at) {
            let holds = length(&lengths, high) <= length(&lengths, low);
            cube.push(Literal { condition, holds });
            at = if holds { high } else { low };
        }
        // Walking from the top may pass conditions that turn out not to matter.
        let mut position = cube.len();
        while position > 0 {
            position -= 1;
            let literal = cube.remove(position);
            let shorter = self.cube(&cube);
            if !self.entails(shorter, guard) {
                cube.insert(position, literal);
            }
        }
        Some(cube)
    }

    /// The guard that holds when all conditions of the cube are as it says.
    pub fn cube(&mut self, cube: &[Literal]) -> Guard {
        let mut sorted = cube.to_vec();
        sorted.sort_unstable();
        // From the last condition upwards every step makes one node.
        sorted.into_iter().rev().fold(Guard::TRUE, |rest, literal| {
            let literal_guard = self.literal(literal.condition);
            self.and(literal_guard.flip(!literal.holds), rest)
        })
    }

    /// The guard as a sum of at most `limit` cubes, none of which can be left out or shortened; `None` when it takes
    /// more. `FALSE` is the empty sum, `TRUE` the sum of the empty cube.
    pub fn cubes(&mut self, guard: Guard, limit: usize) -> Option<Vec<Cube>> {
        let mut sum = Sum { cubes: Vec::new(), path: Vec::new(), limit, depth: 0, failed: false };
        self.cover(guard, guard, &mut sum);
        if sum.failed {
            return None;
        }
        for cube in &mut sum.cubes {
            cube.sort_unstable();
        }
        sum.cubes.sort();
        Some(sum.cubes)
    }

    /// Adds cubes that hold wherever `lower` does and only where `upper` does; gives the guard of their sum.
    fn cover(&mut self, lower: Guard, upper: Guard, sum: &mut Sum) -> Guard {
        if lower.is_false() || sum.failed {
            return Guard::FALSE;
        }
        // A guard that needs such depth is not for reading.
        if sum.cubes.len() >= sum.limit || sum.depth > DEEPEST_COVER {
            sum.failed = true;
            return Guard::FALSE;
        }
        if upper.is_true() {
            sum.cubes.push(sum.path.clone());
            return Guard::TRUE;
        }
        let (condition, _, _) = match (self.branch(lower), self.branch(upper)) {
            (Some(a), Some(b)) => {
                if a.0 <= b.0 {
                    a
                } else {
                    b
                }
            }
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => {
                // The lower bound implies the upper one, unless an operation was too large and became a definition.
                sum.failed = true;
                return Guard::FALSE;
            }
        };
        sum.depth += 1;
        let (lower1, lower0) = self.split(lower, condition.0);
        let (upper1, upper0) = self.split(upper, condition.0);
        // First what needs the condition or its negation, then what can do without either.
        let only_low = self.and_not(lower0, upper1);
        let low = self.cover_under(Literal { condition, holds: false }, only_low, upper0, sum);
        let only_high = self.and_not(lower1, upper0);
        let high = self.cover_under(Literal { condition, holds: true }, only_high, upper1, sum);
        let (left0, left1) = (self.and_not(lower0, low), self.and_not(lower1, high));
        let left = self.or(left0, left1);
        let both = self.and(upper0, upper1);
        let rest = self.cover(left, both, sum);
        sum.depth -= 1;
        let literal = self.literal(condition);
        let sides = self.ite(literal, high, low);
        self.or(sides, rest)
    }

    fn cover_under(&mut self, literal: Literal, lower: Guard, upper: Guard, sum: &mut Sum) -> Guard {
        sum.path.push(literal);
        let covered = self.cover(lower, upper, sum);
        sum.path.pop();
        covered
    }
}

/// The cubes found so far, and the conditions decided on the way down.
struct Sum {
    cubes: Vec<Cube>,
    path: Cube,
    limit: usize,
    depth: u32,
    failed: bool,
}

const DEEPEST_COVER: u32 = 300;
