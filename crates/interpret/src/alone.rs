//! Functions run by themselves, again and again from the same start.
//!
//! In: a program, and for each run a function, its arguments and a [`World`]. Out: how the run ended, and what could
//! still be reached then. What must hold: a run leaves no trace for the next one, whatever it did; two runs in worlds that
//! answer alike are alike. The cost of a run is that of what it touches, not that of the program.
//!
//! ```text
//! new ──▶ prepare ──▶ run ──▶ reached* ──▶ prepare ──▶ …
//! ```

use crate::losses::Cut;
use crate::machine::{Machine, Stop};
use crate::memory::Uninitialised;
use crate::outcome::Options;
use crate::trap::{HeapId, ObjectKind, Site, TrapKind};
use crate::world::{Hands, World};
use std::cell::RefCell;
use std::rc::Rc;
use watertight_ir::{FuncId, InstId, Program};

/// A program whose functions are run by themselves.
pub struct Alone<'p> {
    machine: Machine<'p>,
}

/// How a run ended, and what was on its way then.
#[derive(Clone, Debug)]
pub struct Ended {
    pub how: How,
    /// Words that are still to be used: the result, or values of the calls that were active.
    pub words: Vec<u64>,
    pub steps: u64,
    /// Where the active calls stood, outermost first, if its steps were used up.
    pub at: Vec<Site>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum How {
    Returned(Vec<u64>),
    /// The process ended. With the calls that were under way, outermost first.
    Exited(Vec<(FuncId, InstId)>),
    /// Control left for a place that a caller has prepared.
    JumpedOut,
    StepLimit,
    /// With the calls that were under way, outermost first.
    Trapped(TrapKind, Vec<(FuncId, InstId)>),
}

/// What can still be reached.
#[derive(Clone, Debug)]
pub struct Reach {
    /// By block of the heap; released ones count as not reached.
    pub blocks: Vec<bool>,
    /// By number that was asked for.
    pub numbers: Vec<bool>,
}

impl<'p> Alone<'p> {
    /// Places the statics of a program once for all runs. Nothing if that is not possible, or addresses do not have 64
    /// bits.
    pub fn new(program: &'p Program, max_steps: u64) -> Option<Alone<'p>> {
        if program.target.pointer_bits != 64 || program.target.endian != watertight_ir::Endian::Little {
            return None;
        }
        let options = Options {
            max_steps,
            max_depth: 200,
            max_memory: 1 << 24,
            max_output: 1 << 16,
            uninitialised: Uninitialised::Asked,
            stdin: Vec::new(),
        };
        let mut machine = Machine::new(program, &options, None).ok()?;
        machine.memory.keep_start();
        Some(Alone { machine })
    }

    /// Forgets the last run, and lets somebody lay out what the next one finds.
    pub fn prepare<R>(&mut self, with: impl FnOnce(&mut Hands<'_, 'p>) -> R) -> R {
        self.machine.start_over();
        with(&mut Hands(&mut self.machine))
    }

    /// Looks at what the last run has left.
    pub fn ask<R>(&mut self, with: impl FnOnce(&Hands<'_, 'p>) -> R) -> R {
        with(&Hands(&mut self.machine))
    }

    /// How many steps the next runs may have.
    pub fn limit(&mut self, max_steps: u64) {
        self.machine.counters.max_steps = max_steps;
        self.machine.exact = false;
    }

    /// Whether the next runs tell what is compared.
    pub fn watch(&mut self, watch: bool) {
        self.machine.counters.watch = watch;
    }

    /// After how many steps the next runs stop, wherever they are then.
    pub fn stop_after(&mut self, steps: u64) {
        self.machine.counters.max_steps = steps;
        self.machine.exact = true;
    }

    /// Ends the life of an object of the caller's: what was passed by value goes with the call.
    pub fn end_given(&mut self, number: u32) {
        self.machine.memory.release_given(number);
    }

    /// Runs a function from its entry. Arguments are the first words of parameters.
    pub fn run(&mut self, function: FuncId, args: &[u64], world: Rc<RefCell<dyn World + 'p>>) -> Ended {
        self.machine.set_world(Some(world));
        let words: Vec<Vec<u64>> = args.iter().map(|&arg| vec![arg]).collect();
        let result = self.machine.call_function(function, &words);
        let mut at = Vec::new();
        let (how, words) = match result {
            Ok(words) => (How::Returned(words.clone()), words),
            Err(Stop::Exit(_)) => (How::Exited(self.machine.call_stack()), self.machine.live_words(Cut::End)),
            Err(Stop::StepLimit) => {
                at = self.machine.sites();
                (How::StepLimit, self.machine.live_words(Cut::Step))
            }
            Err(Stop::JumpOut | Stop::LongJump { .. }) => {
                self.machine.unwind();
                (How::JumpedOut, Vec::new())
            }
            Err(Stop::Fault(fault)) => {
                (How::Trapped(*fault, self.machine.call_stack()), self.machine.live_words(Cut::Short))
            }
        };
        self.machine.set_world(None);
        Ended { how, words, steps: self.machine.counters.steps, at }
    }

    /// Whether the last run made a copy of computed length that left the address of a block behind.
    pub fn was_cut(&self) -> bool {
        self.machine.memory.was_cut()
    }

    /// What the end of the last run can still reach, and these numbers.
    pub fn reach(&self, ended: &Ended, numbers: &[u32]) -> Reach {
        let reached = self.machine.memory.reached(&ended.words, numbers);
        Reach { blocks: reached.blocks, numbers: reached.numbers }
    }

    /// The block of the last run that an address leads into; a released one is none.
    pub fn block_at(&self, address: u64) -> Option<HeapId> {
        match self.machine.memory.object_at(address)? {
            (ObjectKind::Heap(block), ..) if !self.machine.memory.heap.is_released(block) => Some(block),
            _ => None,
        }
    }

    /// The blocks of the last run: whether each was released, and the calls that acquired it, outermost first.
    pub fn blocks(&self) -> impl Iterator<Item = (HeapId, bool, &[(FuncId, InstId)])> {
        let heap = &self.machine.memory.heap;
        heap.blocks
            .iter()
            .zip(&self.machine.origins)
            .enumerate()
            .map(|(index, (block, origin))| (HeapId(index as u32), block.released, &origin[..]))
    }
}
