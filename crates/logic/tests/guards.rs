//! Guards against truth tables.
//!
//! With six conditions a boolean function is a number of 64 bits, one for each combination of values. Every operation
//! is done on guards and on such numbers, side by side.

mod common;

use common::Dice;
use proptest::prelude::*;
use watertight_logic::guard::{Condition, Definition, Guard, GuardLimits, Guards, Literal};

const CONDITIONS: usize = 6;

/// The truth table of one condition.
fn column(at: usize) -> u64 {
    (0..64).filter(|row| row >> at & 1 == 1).fold(0, |table, row| table | 1 << row)
}

fn when(table: u64, at: usize, holds: bool) -> u64 {
    let shift = 1 << at;
    let kept = if holds { table & column(at) } else { table & !column(at) };
    if holds { kept | kept >> shift } else { kept | kept << shift }
}

fn depends_on(table: u64, at: usize) -> bool {
    when(table, at, true) != when(table, at, false)
}

struct World {
    guards: Guards,
    conditions: Vec<Condition>,
    pool: Vec<(Guard, u64)>,
}

impl World {
    fn new(limits: GuardLimits) -> World {
        let mut guards = Guards::with_limits(limits);
        let conditions: Vec<Condition> = (0..CONDITIONS).map(|_| guards.new_condition()).collect();
        let mut pool = vec![(Guard::TRUE, u64::MAX), (Guard::FALSE, 0)];
        for (at, &condition) in conditions.iter().enumerate() {
            pool.push((guards.literal(condition), column(at)));
        }
        World { guards, conditions, pool }
    }

    fn pick(&self, dice: &mut Dice) -> (Guard, u64) {
        let (guard, table) = self.pool[dice.below(self.pool.len())];
        if dice.below(2) == 0 { (guard, table) } else { (!guard, !table) }
    }

    fn step(&mut self, dice: &mut Dice) {
        let ((a, x), (b, y), (c, z)) = (self.pick(dice), self.pick(dice), self.pick(dice));
        let at = dice.below(CONDITIONS);
        let condition = self.conditions[at];
        let guards = &mut self.guards;
        let next = match dice.below(12) {
            0 | 1 => (guards.and(a, b), x & y),
            2 | 3 => (guards.or(a, b), x | y),
            4 => (guards.xor(a, b), x ^ y),
            5 => (guards.iff(a, b), !(x ^ y)),
            6 => (guards.implies(a, b), !x | y),
            7 | 8 => (guards.ite(a, b, c), x & y | !x & z),
            9 => (guards.when_true(a, condition), when(x, at, true)),
            10 => (guards.when_false(a, condition), when(x, at, false)),
            _ => (guards.exists(a, [condition]), when(x, at, true) | when(x, at, false)),
        };
        self.pool.push(next);
    }

    /// The truth table of a guard, definitions unfolded.
    fn table(&self, guard: Guard) -> u64 {
        (0..64).filter(|&row| self.holds(guard, row)).fold(0, |table, row| table | 1 << row)
    }

    fn holds(&self, guard: Guard, row: usize) -> bool {
        self.guards.eval(guard, |condition| match self.guards.definition(condition) {
            None => row >> condition.index() & 1 == 1,
            Some(Definition::And(a, b)) => self.holds(a, row) && self.holds(b, row),
            Some(Definition::Ite(f, g, h)) => self.holds(if self.holds(f, row) { g } else { h }, row),
        })
    }

    fn cube_table(&self, cube: &[Literal]) -> u64 {
        cube.iter().fold(u64::MAX, |table, literal| {
            let column = column(literal.condition.index());
            table & if literal.holds { column } else { !column }
        })
    }
}

proptest! {
    #![proptest_config(common::cases(400))]

    #[test]
    fn operations_agree_with_truth_tables(recipe in proptest::collection::vec(any::<u64>(), 1..40)) {
        let mut world = World::new(GuardLimits::default());
        for step in recipe {
            world.step(&mut Dice::new(step));
        }
        prop_assert!(!world.guards.overflowed());
        let pool = world.pool.clone();
        for &(guard, table) in &pool {
            prop_assert_eq!(world.table(guard), table);
            let support: Vec<usize> = world.guards.support(guard).iter().map(|c| c.index()).collect();
            let expected: Vec<usize> = (0..CONDITIONS).filter(|&at| depends_on(table, at)).collect();
            prop_assert_eq!(support, expected);
        }
        for &(a, x) in &pool {
            for &(b, y) in &pool {
                prop_assert_eq!(a == b, x == y, "equality is logical equality");
                prop_assert_eq!(world.guards.entails(a, b), x & !y == 0);
                prop_assert_eq!(world.guards.disjoint(a, b), x & y == 0);
            }
        }
    }

    #[test]
    fn simplified_guards_agree_where_it_matters(recipe in proptest::collection::vec(any::<u64>(), 1..30)) {
        let mut world = World::new(GuardLimits::default());
        for step in recipe {
            world.step(&mut Dice::new(step));
        }
        let pool = world.pool.clone();
        for &(guard, x) in pool.iter().rev().take(8) {
            for &(care, y) in pool.iter().rev().take(8) {
                let simple = world.guards.simplify(guard, care);
                prop_assert_eq!(world.table(simple) & y, x & y);
                prop_assert!(world.guards.size(simple) <= world.guards.size(guard));
                let before = world.guards.support(guard);
                prop_assert!(world.guards.support(simple).iter().all(|c| before.contains(c)));
            }
        }
    }

    #[test]
    fn cubes_cover_exactly_and_without_waste(recipe in proptest::collection::vec(any::<u64>(), 1..30)) {
        let mut world = World::new(GuardLimits::default());
        for step in recipe {
            world.step(&mut Dice::new(step));
        }
        let pool = world.pool.clone();
        for &(guard, table) in &pool {
            let cubes = world.guards.cubes(guard, 64).expect("64 rows need at most 64 cubes");
            let tables: Vec<u64> = cubes.iter().map(|cube| world.cube_table(cube)).collect();
            prop_assert_eq!(tables.iter().fold(0, |sum, cube| sum | cube), table);
            for (at, cube) in cubes.iter().enumerate() {
                let others = tables.iter().enumerate().filter(|&(other, _)| other != at);
                prop_assert_ne!(others.fold(0, |sum, (_, cube)| sum | cube), table, "a cube can be left out");
                for literal in 0..cube.len() {
                    let mut shorter = cube.clone();
                    shorter.remove(literal);
                    prop_assert_ne!(world.cube_table(&shorter) & !table, 0, "a cube can be shortened");
                }
                prop_assert!(cube.windows(2).all(|pair| pair[0].condition < pair[1].condition));
            }
            match world.guards.shortest_cube(guard) {
                None => prop_assert_eq!(table, 0),
                Some(cube) => {
                    prop_assert_eq!(world.cube_table(&cube) & !table, 0, "the cube implies the guard");
                    prop_assert_ne!(world.cube_table(&cube), 0);
                    for at in 0..cube.len() {
                        let mut shorter = cube.clone();
                        shorter.remove(at);
                        prop_assert_ne!(world.cube_table(&shorter) & !table, 0, "a condition can be left out");
                    }
                    let back = world.guards.cube(&cube);
                    prop_assert_eq!(world.table(back), world.cube_table(&cube));
                }
            }
        }
    }

    #[test]
    fn substitution_is_composition(
        recipe in proptest::collection::vec(any::<u64>(), 1..30),
        seed in any::<u64>(),
    ) {
        let mut world = World::new(GuardLimits { steps_per_operation: 1 + (seed % 16) as u32, nodes: 1 << 20 });
        for step in recipe {
            world.step(&mut Dice::new(step));
        }
        let mut dice = Dice::new(seed);
        let values: Vec<(Guard, u64)> = (0..CONDITIONS).map(|_| world.pick(&mut dice)).collect();
        for at in 0..world.pool.len() {
            let (guard, table) = world.pool[at];
            let replaced = world.guards.substitute(guard, |_, condition| values[condition.index()].0);
            let expected = (0..64usize).filter(|&row| {
                let inner = values.iter().enumerate().fold(0, |inner, (at, &(_, table))| {
                    inner | ((table >> row & 1) as usize) << at
                });
                table >> inner & 1 == 1
            });
            prop_assert_eq!(world.table(replaced), expected.fold(0, |table, row| table | 1 << row));
        }
    }

    /// With hardly any steps allowed, operations become definitions; what is claimed must still be true.
    #[test]
    fn overflow_loses_knowledge_but_not_truth(
        recipe in proptest::collection::vec(any::<u64>(), 1..40),
        steps in 0u32..12,
    ) {
        let mut world = World::new(GuardLimits { steps_per_operation: steps, nodes: 1 << 20 });
        for step in recipe {
            world.step(&mut Dice::new(step));
        }
        let pool = world.pool.clone();
        for &(guard, table) in &pool {
            prop_assert_eq!(world.table(guard), table);
        }
        for &(a, x) in &pool {
            for &(b, y) in &pool {
                prop_assert!(a != b || x == y);
                prop_assert!(!world.guards.entails(a, b) || x & !y == 0);
                prop_assert!(!world.guards.disjoint(a, b) || x & y == 0);
            }
            let simple = world.guards.simplify(a, pool[pool.len() - 1].0);
            prop_assert_eq!(world.table(simple) & pool[pool.len() - 1].1, x & pool[pool.len() - 1].1);
            // Printing must not fail either.
            prop_assert!(!world.guards.show(a).is_empty());
        }
    }
}

#[test]
fn a_tight_limit_does_overflow() {
    let mut world = World::new(GuardLimits { steps_per_operation: 2, nodes: 1 << 20 });
    let mut any = Guard::FALSE;
    for pair in [(0, 1), (2, 3), (4, 5)] {
        let (a, b) =
            (world.guards.literal(world.conditions[pair.0]), world.guards.literal(world.conditions[pair.1]));
        let both = world.guards.and(a, b);
        any = world.guards.or(any, both);
    }
    assert!(world.guards.overflowed());
    assert_eq!(world.table(any), column(0) & column(1) | column(2) & column(3) | column(4) & column(5));
    assert!(world.guards.full_support([any]).len() > CONDITIONS);
}

#[test]
fn a_join_of_branches_drops_the_condition() {
    let mut guards = Guards::new();
    let before = guards.new_condition();
    let before = guards.literal(before);
    let c = guards.new_condition();
    let c = guards.literal(c);
    let (then, otherwise) = (guards.and(before, c), guards.and(before, !c));
    assert_eq!(guards.or(then, otherwise), before);
}

#[test]
fn guards_read_like_sentences() {
    let mut guards = Guards::new();
    let conditions: Vec<Condition> = (0..3).map(|_| guards.new_condition()).collect();
    let [a, b, c] = [0, 1, 2].map(|at| guards.literal(conditions[at]));
    let both = guards.and(a, !b);
    let sum = guards.or(both, c);
    let names = ["n == 0", "found", "retry"];
    let text = guards.describe(sum, |literal| {
        format!("{}{}", if literal.holds { "" } else { "not " }, names[literal.condition.index()])
    });
    assert_eq!(text, "n == 0 and not found, or retry");
    assert_eq!(guards.show(Guard::TRUE), "always");
    assert_eq!(guards.show(Guard::FALSE), "never");
    let all = guards.and_all([a, b, c]);
    assert_eq!(guards.show(!all), "not (c0 and c1 and c2)");
}

#[test]
fn long_chains_of_conditions_fit_on_a_small_stack() {
    std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(|| {
            let mut guards = Guards::new();
            let conditions: Vec<Condition> = (0..20_000).map(|_| guards.new_condition()).collect();
            // Built from the last condition upwards, so that the diagram really is this deep.
            let mut chain = Guard::TRUE;
            for &condition in conditions.iter().rev() {
                let literal = guards.literal(condition);
                chain = guards.and(literal, chain);
            }
            assert_eq!(guards.size(chain), 20_000);
            let last = guards.literal(conditions[19_999]);
            let contradiction = guards.and(chain, !last);
            // Too deep to be seen as false, and therefore a definition.
            assert!(guards.overflowed());
            assert_eq!(guards.support(contradiction).len(), 1);
            let without = guards.when_true(chain, conditions[10_000]);
            assert_eq!(guards.size(without), 19_999);
            assert!(guards.describe(chain, |_| String::new()).contains("20000 conditions"));
            guards.simplify(chain, !last);
            assert_eq!(guards.shortest_cube(!chain).map(|cube| cube.len()), Some(1));
        })
        .unwrap()
        .join()
        .unwrap();
}
