//! Components of the call graph evaluated by other processes, which may be on other machines.
//!
//! One process drives: it has the schedule, asks the store, and hands out what nobody knows ([`driver`]). Workers have the same
//! program loaded and evaluate batches of components whose callees are known ([`worker`]). A batch goes out with the
//! summaries that it needs, and comes back as the very records that a store keeps ([`wire`]).
//!
//! What must hold: a record is taken only under the key that the driver has worked out for the component, and the worker has worked out
//! the same key from what it has. So a worker with another program, other models or other sources than the driver is of no
//! use, and does no harm; and results are those of one process, whoever made them, in whatever order, and how often.

pub mod driver;
mod wire;
pub mod worker;

use std::time::Duration;

/// A piece of work for a worker.
#[derive(Clone, Debug)]
pub struct Task {
    /// Answers have the same number.
    pub number: u64,
    pub kind: &'static str,
    /// What it is about: the first thing of it, and how many more there are.
    pub name: String,
    pub more: usize,
    pub bytes: Vec<u8>,
}

/// What happens at the workers.
#[derive(Debug)]
pub enum Event {
    /// A task is done.
    Done { worker: usize, number: u64, bytes: Vec<u8> },
    /// A task could not be done there.
    Failed { worker: usize, number: u64, why: String },
    /// A worker is gone with all that it had, and another one is in its place.
    Lost { worker: usize },
    /// Nothing happened for as long as was asked for.
    Nothing,
    /// There are no workers any more.
    Closed,
}

/// Other processes that work for this one.
pub trait Workers: Sync {
    /// How many there are.
    fn count(&self) -> usize;
    /// Gives a task to one of them. Each does its tasks one after the other.
    fn give(&self, worker: usize, task: Task);
    /// Waits for what happens next.
    fn take(&self, patience: Duration) -> Event;
    /// Hears what a component has cost, for whoever wants to know.
    fn grain(&self, _grain: &Grain) {}
}

/// What a component has cost, and what it waited for.
#[derive(Clone, Debug)]
pub struct Grain {
    /// The number of the component.
    pub component: usize,
    pub epoch: u32,
    /// Instructions of its functions.
    pub size: usize,
    /// Those with more to come go first.
    pub urgency: usize,
    pub micros: u64,
    /// What it cost the driver: its key, a question to the store, reading its record.
    pub driver: u64,
    /// Bytes of its summaries as they are sent, and of its record.
    pub told: usize,
    pub record: usize,
    /// Components whose turn comes before.
    pub waits: Vec<usize>,
    /// Components whose summaries go along.
    pub needs: Vec<usize>,
}
