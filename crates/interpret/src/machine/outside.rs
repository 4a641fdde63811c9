//! What a running function asks its world, and how the answers come in.

use super::{Machine, Stop};
use crate::dense::CallSite;
use crate::image::Resolved;
use crate::libc::{Answer, Arg, Native};
use crate::trap::{Address, Fault, TrapKind};
use crate::world::{Hands, Outside, Reply, World};
use std::cell::RefCell;
use std::rc::Rc;
use watertight_ir::{BlockId, FuncId, InstId, Op};

impl<'p> Machine<'p> {
    pub(crate) fn set_world(&mut self, world: Option<Rc<RefCell<dyn World + 'p>>>) {
        self.world = world;
    }

    /// Goes back to the start that was kept.
    pub(crate) fn start_over(&mut self) {
        self.unwind();
        self.memory.back_to_start();
        self.library.start_over();
        self.origins.clear();
        self.entered.clear();
        self.jump_points.clear();
        self.counters.steps = 0;
        self.counters.compared.clear();
    }

    /// The calls that are under way, outermost first.
    pub(crate) fn call_stack(&self) -> Vec<(FuncId, InstId)> {
        let calls = self.frames.iter().filter_map(|frame| {
            let inst = frame.dense.origins.get(frame.pc).copied().flatten()?;
            Some((frame.dense.function, inst))
        });
        calls.collect()
    }

    /// Has what is undecided decided, so that the step can be done again; any other fault stays one.
    pub(super) fn settle(&mut self, fault: Fault) -> Result<(), Stop> {
        let (TrapKind::Undecided { address, bytes }, Some(world)) = (&*fault, &self.world) else {
            return Err(fault.into());
        };
        let (address, bytes, world) = (*address, *bytes, Rc::clone(world));
        if self.counters.steps >= self.counters.max_steps {
            return Err(Stop::StepLimit);
        }
        self.counters.steps += 1;
        let frame = self.frames.last();
        let inst = frame.and_then(|frame| frame.dense.origins.get(frame.pc).copied().flatten());
        let body = frame.and_then(|frame| self.program.functions[frame.dense.function].body.as_ref());
        let ty = inst.zip(body).and_then(|(inst, body)| match body.insts[inst].op {
            Op::Load { .. } | Op::Atomic { .. } => body.insts[inst].result.map(|result| body.ty(result)),
            _ => None,
        });
        let decided = world.borrow_mut().decide(&mut Hands(self), address, bytes, ty);
        let done = decided && self.memory.peek(address.0, 1).is_some_and(|(_, decided)| decided[0] != 0);
        if done { Ok(()) } else { Err(fault.into()) }
    }

    pub(super) fn settle_stop(&mut self, stop: Stop) -> Result<(), Stop> {
        match stop {
            Stop::Fault(fault) => self.settle(fault),
            other => Err(other),
        }
    }

    /// Calls a part of the library; what it reads is decided first.
    pub(super) fn attempt_native(&mut self, native: Native, args: &[Arg]) -> Result<Answer, Stop> {
        loop {
            match native(self, args) {
                Err(stop) if self.world.is_some() => self.settle_stop(stop)?,
                other => return other,
            }
        }
    }

    /// Decides what is passed by value before it is copied.
    pub(super) fn settle_by_value(&mut self, site: &CallSite, base: usize) -> Result<(), Stop> {
        if self.world.is_none() {
            return Ok(());
        }
        for &(arg, bytes) in &site.by_value {
            let Some(operand) = site.args.get(arg as usize) else { continue };
            let address = self.regs[base + operand.slot as usize];
            while let Err(fault) = self.memory.read(address, bytes).map(drop) {
                self.settle(fault)?;
            }
        }
        Ok(())
    }

    /// Asks the world what comes of a call, and goes past it.
    pub(super) fn call_outside(
        &mut self,
        function: Option<FuncId>,
        address: Option<u64>,
        site: &CallSite,
        base: usize,
    ) -> Result<(), Stop> {
        let Some(world) = self.world.clone() else { return Ok(()) };
        let args = self.gather(site, base);
        let words: Vec<u64> = args.iter().map(|arg| arg.low).collect();
        let call = Outside {
            function,
            address: address.map(Address),
            args: &words,
            result: site.result.ty,
            inst: self.calling(),
            depth: self.frames.len().saturating_sub(1),
        };
        self.counters.steps += 1;
        let reply = world.borrow_mut().call(&mut Hands(self), &call);
        match reply {
            Reply::Library => {
                let resolved = function.map(|function| (function, self.images.resolve(function)));
                let Some((function, Resolved::Native(native))) = resolved else {
                    let name = function.map_or("?".into(), |id| self.program.functions[id].name.clone());
                    return Err(TrapKind::UnresolvedFunction(name).into());
                };
                let answer = self.call_native(function, native, &args)?;
                self.deliver(base, site.result, answer.words());
            }
            Reply::Returns { word, calls } => {
                for (function, args) in calls {
                    self.call_back(function.0, &args)?;
                }
                self.deliver(base, site.result, &[word]);
            }
            Reply::Exits => return Err(Stop::Exit(0)),
            Reply::JumpsOut => return Err(Stop::JumpOut),
            Reply::Fails(kind) => return Err(kind.into()),
        }
        self.advance();
        Ok(())
    }

    /// Tells of a call that stays in the program, before it is made. True if the world answers it.
    pub(super) fn tell_called(&mut self, function: FuncId, site: &CallSite, base: usize) -> bool {
        let Some(world) = self.world.clone() else { return false };
        let words: Vec<u64> = self.gather(site, base).iter().map(|arg| arg.low).collect();
        let (depth, inst) = (self.frames.len() - 1, self.calling());
        let answer = world.borrow_mut().called(&mut Hands(self), depth, function, inst, &words);
        let Some(word) = answer else { return false };
        self.counters.steps += 1;
        self.deliver(base, site.result, &[word]);
        self.advance();
        true
    }

    /// Tells what a call inside the program gave.
    pub(super) fn tell_returned(&mut self, word: u64) {
        if let Some(world) = &self.world {
            world.borrow_mut().returned(self.frames.len() - 1, self.calling(), word);
        }
    }

    /// The instruction of the innermost call that is under way.
    fn calling(&self) -> Option<InstId> {
        self.frames.last().and_then(|frame| frame.dense.origins.get(frame.pc).copied().flatten())
    }

    pub(super) fn tell_entered(&mut self, function: FuncId, block: BlockId) {
        self.tell_entered_at(self.frames.len() - 1, function, block);
    }

    pub(super) fn tell_entered_at(&mut self, depth: usize, function: FuncId, block: BlockId) {
        if let Some(world) = &self.world {
            if depth == 0 {
                self.entered.push(block);
            }
            world.borrow_mut().enter(depth, function, block, &self.counters.compared);
            self.counters.compared.clear();
        }
    }
}
