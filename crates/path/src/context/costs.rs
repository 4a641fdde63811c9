//! What the engine spent, and on what: for people who want to know where the time goes.
//!
//! Counts are the same on every run; times are added up over all threads and never decide anything.

use std::ops::AddAssign;
use std::time::Duration;

/// Tells the time since some moment in the past; given from outside, because the engine itself knows no clock.
pub type Clock = fn() -> Duration;

/// What was spent on some functions.
#[derive(Copy, Clone, Debug, Default)]
pub struct Costs {
    /// Functions that had their turn.
    pub evaluated: u64,
    /// Functions whose results were known from an earlier run.
    pub reused: u64,
    /// Functions that nobody asked about.
    pub left_out: u64,
    /// Times that a function was evaluated, rounds of a recursion included.
    pub passes: u64,
    /// Passes that ended because their steps ran out or their guards became too large.
    pub repeated: u64,
    /// Those of them that ended because their steps ran out.
    pub out_of_steps: u64,
    /// Those of them that still told of the ways out that they had reached.
    pub cut_short: u64,
    /// Passes that went on with names for guards when their steps were spent.
    pub named: u64,
    /// Steps of guard operations, and those of them in passes that led to nothing.
    pub guard_steps: u64,
    pub wasted_steps: u64,
    /// Nodes of guards when a pass ended.
    pub guard_nodes: u64,
    /// Questions to the solver, and the conflicts it met.
    pub questions: u64,
    pub conflicts: u64,
    /// Unrolling and evaluating, in passes that led to something.
    pub evaluate: Duration,
    /// The same, in passes that led to nothing.
    pub wasted: Duration,
    pub exits: Duration,
    pub infer: Duration,
    pub stories: Duration,
}

impl AddAssign for Costs {
    fn add_assign(&mut self, other: Costs) {
        self.evaluated += other.evaluated;
        self.reused += other.reused;
        self.left_out += other.left_out;
        self.passes += other.passes;
        self.repeated += other.repeated;
        self.out_of_steps += other.out_of_steps;
        self.named += other.named;
        self.cut_short += other.cut_short;
        self.guard_steps += other.guard_steps;
        self.wasted_steps += other.wasted_steps;
        self.guard_nodes += other.guard_nodes;
        self.questions += other.questions;
        self.conflicts += other.conflicts;
        self.evaluate += other.evaluate;
        self.wasted += other.wasted;
        self.exits += other.exits;
        self.infer += other.infer;
        self.stories += other.stories;
    }
}

/// A clock that is read between pieces of work.
pub struct Lap {
    clock: Clock,
    last: Duration,
}

impl Lap {
    pub fn start(clock: Clock) -> Lap {
        Lap { clock, last: clock() }
    }

    /// The time since it was last read.
    pub fn read(&mut self) -> Duration {
        let now = (self.clock)();
        now.saturating_sub(std::mem::replace(&mut self.last, now))
    }
}
