//! How long guard operations take: `cargo run --release -p watertight-logic --example bench_guards`.
//!
//! Guards are computed along random control flow graphs as the path engine does it: a block is reached when one of its
//! incoming edges is taken. Then pairs of guards are combined and compared. Small functions of 5 to 40 blocks are the
//! rule, large ones of 200 blocks the exception.

use std::hint::black_box;
use watertight_logic::guard::{Condition, Guard, Guards};

struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// The processor time of this process in seconds: on a busy machine the clock on the wall tells little.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
    nanoseconds.unwrap_or(0.0) * 1e-9
}

/// Guards of all blocks of a random graph; returns the number of operations done.
fn function(dice: &mut Dice, blocks: usize, nodes: &mut usize, overflows: &mut usize) -> u64 {
    let mut guards = Guards::new();
    let mut operations = 0;
    let mut reached = vec![Guard::FALSE; blocks];
    reached[0] = Guard::TRUE;
    let mut conditions: Vec<Condition> = Vec::new();
    for block in 0..blocks - 1 {
        let guard = reached[block];
        let near = (blocks - block - 1).min(6);
        if dice.below(4) == 0 {
            let next = block + 1 + dice.below(near);
            reached[next] = guards.or(reached[next], guard);
            operations += 1;
            continue;
        }
        let condition = guards.new_condition();
        conditions.push(condition);
        let literal = guards.literal(condition);
        for literal in [literal, !literal] {
            let next = block + 1 + dice.below(near);
            let edge = guards.and(guard, literal);
            reached[next] = guards.or(reached[next], edge);
            operations += 2;
        }
    }
    for _ in 0..blocks * 2 {
        let (a, b) = (reached[dice.below(blocks)], reached[dice.below(blocks)]);
        let both = guards.and(a, b);
        let either = guards.or(a, !b);
        black_box(guards.implies(a, b) == guards.or(!a, b));
        black_box(guards.entails(both, either));
        if let Some(&condition) = conditions.get(dice.below(blocks)) {
            black_box(guards.when_true(both, condition));
            operations += 1;
        }
        operations += 5;
    }
    *nodes += guards.node_count();
    *overflows += usize::from(guards.overflowed());
    operations
}

fn measure(name: &str, functions: usize, size: impl Fn(&mut Dice) -> usize) {
    let mut best = f64::MAX;
    let (mut operations, mut nodes, mut overflows) = (0, 0, 0);
    for _ in 0..5 {
        let mut dice = Dice(0x1234_5678_9ABC_DEF1);
        (operations, nodes, overflows) = (0, 0, 0);
        let start = processor_time();
        for _ in 0..functions {
            let blocks = size(&mut dice);
            operations += function(&mut dice, blocks, &mut nodes, &mut overflows);
        }
        best = best.min(processor_time() - start);
    }
    println!(
        "{name}: {functions} functions, {operations} operations, {:.0} ns each, {:.1} nodes per function, {overflows} overflows",
        best * 1e9 / operations as f64,
        nodes as f64 / functions as f64
    );
}

fn main() {
    let start = processor_time();
    for _ in 0..100_000 {
        black_box(Guards::new());
    }
    println!("a fresh manager: {:.1} ns", (processor_time() - start) * 1e9 / 1e5);
    measure("small", 4000, |dice| 5 + dice.below(36));
    measure("large", 40, |_| 200);
    measure("huge", 4, |_| 1000);
}
