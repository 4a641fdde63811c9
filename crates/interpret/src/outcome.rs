//! What goes into a run besides the program, and what comes out of it.

use crate::losses::Loss;
use crate::memory::Uninitialised;
use crate::memory::heap::LiveBlock;
use crate::trap::{HeapId, Site, Trap};
use watertight_ir::{BlockId, FuncId, Type};

/// How to run a program. Every limit counts something deterministic, never time.
#[derive(Clone, Debug)]
pub struct Options {
    /// Stop after so many steps (one per instruction that is not a phi, a name or a fence).
    pub max_steps: u64,
    /// Calls active at the same time; one more is a stack overflow.
    pub max_depth: usize,
    /// Bytes of heap alive at the same time; beyond them `malloc` gives null. The stack may take a
    /// quarter as much.
    pub max_memory: u64,
    /// Bytes that the program may write to streams and files; one more is a trap.
    pub max_output: u64,
    /// What fresh memory holds.
    pub uninitialised: Uninitialised,
    /// What the program reads from standard input.
    pub stdin: Vec<u8>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            max_steps: 1_000_000_000,
            max_depth: 100_000,
            max_memory: 1 << 30,
            max_output: 1 << 26,
            uninitialised: Uninitialised::Fill(0),
            stdin: Vec::new(),
        }
    }
}

/// A value that enters or leaves the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// The bit pattern of a scalar of at most 128 bits: integer, address or floating-point number.
    Bits(u128),
    /// Words of a wider scalar, least significant first; for an aggregate, the words of its parts.
    Words(Box<[u64]>),
}

impl Value {
    pub(crate) fn words(&self) -> Vec<u64> {
        match self {
            Value::Bits(bits) => vec![*bits as u64, (*bits >> 64) as u64],
            Value::Words(words) => words.to_vec(),
        }
    }

    /// The value of type `ty` in these words.
    pub(crate) fn from_words(ty: Type, pointer_bits: u32, words: &[u64]) -> Value {
        let word = |index: usize| u128::from(words.get(index).copied().unwrap_or(0));
        match ty.bits(pointer_bits) {
            width @ 1..=128 => Value::Bits((word(1) << 64 | word(0)) & crate::arith::mask(width)),
            _ => Value::Words(words.into()),
        }
    }
}

/// How a run ended.
#[derive(Clone, PartialEq, Debug)]
pub enum End {
    /// The program left through `exit` or by returning from `main`, with this status.
    Exit(u8),
    /// The function called returned, with a value unless it has none.
    Returned(Option<Value>),
    Trap(Trap),
    StepLimit,
}

/// A part of the world outside that programs ask about and that is not there: the answer is the same on every machine, and
/// natively it may be another one.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Absent {
    /// Files that the program did not write itself, directories and sockets.
    Files,
    /// Variables of the environment.
    Environment,
    /// A clock that goes on.
    Clock,
    /// Other processes.
    Processes,
    /// Signals that somebody sends.
    Signals,
    /// Numbers and limits of the machine and of the process, and terminals.
    Machine,
}

/// Everything that a run shows.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    pub end: End,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub steps: u64,
    /// Some floating-point result is only close to what the target computes.
    pub inexact: bool,
    /// What the program asked for that is not there, in ascending order.
    pub absent: Vec<Absent>,
    /// Heap blocks that were never released, in order of allocation.
    pub live_blocks: Vec<LiveBlock>,
}

/// Watches a run. Every method has an empty default, so that a recorder names only what it wants.
pub trait Recorder {
    /// Control enters a block, the entry block of a call included.
    fn enter_block(&mut self, _function: FuncId, _block: BlockId) {}
    /// A function with a body is called; `site` is absent for the first call.
    fn call(&mut self, _site: Option<Site>, _callee: FuncId) {}
    /// The innermost call returns.
    fn leave(&mut self, _function: FuncId) {}
    /// A heap block is acquired.
    fn acquire(&mut self, _block: HeapId, _bytes: u64, _site: Option<Site>) {}
    /// A heap block is released.
    fn release(&mut self, _block: HeapId, _site: Option<Site>) {}
    /// Whether [`Recorder::lose`] is wanted, asked once. It takes a look at all of memory after every step that may
    /// matter, so it is for small programs.
    fn wants_losses(&self) -> bool {
        false
    }
    /// A heap block that is not released is lost by the step at `site`; without one, it was lost already when the
    /// program was called. A block whose last reference goes after it could no longer be reached is told twice.
    fn lose(&mut self, _block: HeapId, _loss: Loss, _site: Option<Site>) {}
}
