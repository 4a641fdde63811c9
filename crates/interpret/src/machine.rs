//! The machine: frames, calls, returns and everything between the inner loop and the library.
//!
//! Calls are kept on an explicit stack of frames, never on Rust's, so the depth of recursion is an
//! option and not an accident. Only a library function that calls back into the program (`qsort`) runs
//! the loop inside itself, and how deep that may nest is limited too.
//!
//! State of a run: `regs` holds the slots of all frames one after the other; `frames` says where each
//! begins, where it goes on, and how much of the stack memory was in use when it started.

mod calls;
mod jumps;
mod outside;

use crate::dense::{Dense, Operand, Target};
use crate::execute::{Counters, Event, execute};
use crate::image::{self, Images, Resolved};
use crate::libc::{Arg, Library};
use crate::liveness::Liveness;
use crate::losses::{Losses, Point};
use crate::memory::{Memory, StackMark};
use crate::outcome::{Options, Recorder};
use crate::translate::translate;
use crate::trap::{Address, Fault, ObjectKind, Site, Trap, TrapKind};
use crate::varargs::{VaLayout, Varargs};
use crate::world::World;
use jumps::JumpPoint;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;
use watertight_ir::{BlockId, FuncId, Id, InstId, Program, Type};

pub(crate) use jumps::JumpTicket;

/// Words of all frames together; 512 MB.
const MAX_WORDS: usize = 1 << 26;
/// How deep library functions may call back into the program inside each other.
const MAX_NESTING: usize = 100;

/// Why the machine stops running frames.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Something went wrong.
    Fault(Fault),
    /// The program ends with this status.
    Exit(i32),
    /// The budget is used up.
    StepLimit,
    /// Go on after the call of `setjmp` with this number, which gives `value`.
    LongJump { point: usize, value: u64 },
    /// Control leaves for a place that a caller outside has prepared.
    JumpOut,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

impl From<TrapKind> for Stop {
    fn from(kind: TrapKind) -> Stop {
        Stop::Fault(Box::new(kind))
    }
}

/// An active call.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) dense: Rc<Dense>,
    /// The code that runs next, or the call that is under way.
    pub(crate) pc: usize,
    /// First word of the frame.
    pub(crate) base: usize,
    /// The stack memory in use before the call.
    mark: StackMark,
    /// Where the variable arguments are.
    varargs: Varargs,
    /// Tells calls apart that use the same position in the stack of frames.
    serial: u64,
    /// Where the caller wants the result.
    result: Operand,
}

/// A running program.
pub(crate) struct Machine<'p> {
    pub(crate) program: &'p Program,
    pub(crate) memory: Memory,
    pub(crate) counters: Counters,
    pub(crate) library: Library,
    pub(crate) va: VaLayout,
    /// Whether the program reads `__int128` from variable arguments, once that has been asked.
    wide_varargs: Option<bool>,
    pub(crate) images: Images,
    max_depth: usize,
    pub(crate) regs: Vec<u64>,
    pub(crate) frames: Vec<Frame>,
    /// Flat bodies of the functions called so far.
    bodies: Vec<Option<Rc<Dense>>>,
    jump_points: Vec<JumpPoint>,
    serials: u64,
    nesting: usize,
    /// The library function that is running.
    inside: Option<FuncId>,
    /// The result of the outermost call.
    returned: Vec<u64>,
    pub(crate) recorder: Option<&'p mut dyn Recorder>,
    /// Only when the recorder wants to hear of losses.
    pub(crate) losses: Option<Losses>,
    /// Answers what is asked of the outside, when a function is run by itself.
    world: Option<Rc<RefCell<dyn World + 'p>>>,
    /// By block of the heap, when there is a world: the calls that acquired it, outermost first.
    pub(crate) origins: Vec<Vec<(FuncId, InstId)>>,
    /// When there is a world, the blocks that the outermost call has entered.
    pub(crate) entered: Vec<BlockId>,
    /// Of bodies in the midst of which a run has ended.
    pub(crate) liveness: FxHashMap<FuncId, Rc<Liveness>>,
    /// The limit of steps is looked at after every step.
    pub(crate) exact: bool,
}

impl<'p> Machine<'p> {
    /// Places the statics of a program in a fresh memory.
    pub(crate) fn new(
        program: &'p Program,
        options: &Options,
        recorder: Option<&'p mut dyn Recorder>,
    ) -> Result<Machine<'p>, Fault> {
        let target = &program.target;
        let memory = Memory::new(
            target.pointer_bits,
            target.endian,
            options.uninitialised,
            options.max_memory,
            image::spacing(program),
        );
        let mut memory = memory.ok_or_else(|| {
            let what = format!("addresses of {} bits", target.pointer_bits);
            Box::new(TrapKind::Unsupported(what.into()))
        })?;
        let library = Library::new(&mut memory, options)?;
        let images = Images::place(program, &mut memory, &library)?;
        Ok(Machine {
            program,
            memory,
            counters: Counters { max_steps: options.max_steps, ..Counters::default() },
            library,
            va: VaLayout::new(target),
            wide_varargs: None,
            images,
            max_depth: options.max_depth,
            regs: Vec::new(),
            frames: Vec::new(),
            bodies: vec![None; program.functions.len()],
            jump_points: Vec::new(),
            serials: 0,
            nesting: 0,
            inside: None,
            returned: Vec::new(),
            world: None,
            origins: Vec::new(),
            entered: Vec::new(),
            liveness: FxHashMap::default(),
            exact: false,
            losses: recorder.as_ref().is_some_and(|recorder| recorder.wants_losses()).then(Losses::default),
            recorder,
        })
    }

    /// Calls a function from outside the program and runs until it returns. The words of the result are
    /// given; arguments are given as words of each parameter in turn.
    pub(crate) fn call_function(&mut self, function: FuncId, args: &[Vec<u64>]) -> Result<Vec<u64>, Stop> {
        match self.images.resolve(function) {
            Resolved::Body(function) => {
                let floor = self.frames.len();
                let dense = self.dense(function)?;
                let at = self.site();
                self.push_frame(&dense, Operand { slot: 0, words: 0, unused: 0, ty: Type::Void })?;
                let base = self.frames[floor].base;
                for (index, param) in dense.params.iter().enumerate() {
                    let words = args.get(index).map_or(&[][..], Vec::as_slice);
                    let slots = &mut self.regs[base + param.slot as usize..][..param.words as usize];
                    for (word, slot) in slots.iter_mut().enumerate() {
                        *slot = words.get(word).copied().unwrap_or(0);
                    }
                    if let Some(top) = slots.last_mut() {
                        *top &= u64::MAX >> param.unused;
                    }
                }
                self.record_call(None, function);
                self.watch(Point::Start(Id::new(0)), &[], at);
                self.run(floor)?;
                Ok(std::mem::take(&mut self.returned))
            }
            Resolved::Native(native) => {
                let params = &self.program.functions[function].params;
                let args: Vec<Arg> = args
                    .iter()
                    .enumerate()
                    .map(|(index, words)| Arg {
                        ty: params.get(index).map_or(Type::Int(64), |param| param.ty),
                        low: words.first().copied().unwrap_or(0),
                        high: words.get(1).copied().unwrap_or(0),
                    })
                    .collect();
                let answer = self.call_native(function, native, &args)?;
                Ok(answer.words().to_vec())
            }
            Resolved::Missing => Err(self.unresolved(function)),
        }
    }

    /// Calls back into the program from a library function; all arguments are single words.
    pub(crate) fn call_back(&mut self, address: u64, args: &[u64]) -> Result<u64, Stop> {
        if self.nesting >= MAX_NESTING {
            return Err(TrapKind::StackOverflow.into());
        }
        let function = self.function_at(address)?;
        let inside = self.inside.take();
        self.nesting += 1;
        let words: Vec<Vec<u64>> = args.iter().map(|&arg| vec![arg]).collect();
        let result = self.call_function(function, &words);
        self.nesting -= 1;
        // After a fault, the innermost library function is the one to name.
        let result = result?;
        self.inside = inside;
        Ok(result.first().copied().unwrap_or(0))
    }

    /// The function whose address this is.
    fn function_at(&self, address: u64) -> Result<FuncId, Stop> {
        match self.memory.object_at(address) {
            Some((ObjectKind::Function(function), start, _)) if start == address => Ok(function),
            _ if address == 0 => Err(TrapKind::NullCall.into()),
            _ => Err(TrapKind::InvalidCall { address: Address(address) }.into()),
        }
    }

    fn unresolved(&self, function: FuncId) -> Stop {
        TrapKind::UnresolvedFunction(self.program.functions[function].name.clone()).into()
    }

    /// The flat body of a function, translated on first use.
    fn dense(&mut self, function: FuncId) -> Result<Rc<Dense>, Stop> {
        if let Some(dense) = &self.bodies[function.index()] {
            return Ok(Rc::clone(dense));
        }
        let dense = translate(self.program, &self.images.statics, function).map_err(|why| {
            let name = &self.program.functions[function].name;
            TrapKind::Malformed(format!("{name}: {why}").into())
        })?;
        let dense = Rc::new(dense);
        self.bodies[function.index()] = Some(Rc::clone(&dense));
        Ok(dense)
    }

    /// A new innermost frame with its constants in place.
    #[inline]
    fn push_frame(&mut self, dense: &Rc<Dense>, result: Operand) -> Result<(), Stop> {
        if self.frames.len() >= self.max_depth {
            return Err(TrapKind::StackOverflow.into());
        }
        let base = self.frames.last().map_or(0, |frame| frame.base + frame.dense.slots);
        let end = base + dense.slots;
        if end > self.regs.len() {
            if end > MAX_WORDS {
                return Err(TrapKind::StackOverflow.into());
            }
            self.regs.resize(end.next_power_of_two().max(1024), 0);
        }
        let constants = &dense.constants;
        self.regs[end - constants.len()..end].copy_from_slice(constants);
        self.serials += 1;
        self.frames.push(Frame {
            dense: Rc::clone(dense),
            pc: 0,
            base,
            mark: self.memory.stack_mark(),
            varargs: Varargs::NONE,
            serial: self.serials,
            result,
        });
        Ok(())
    }

    /// Runs until the frame at position `floor` has returned.
    fn run(&mut self, floor: usize) -> Result<(), Stop> {
        loop {
            match self.run_frames(floor) {
                Err(Stop::LongJump { point, value }) => {
                    let jump = self.jump_points[point];
                    if jump.frame < floor {
                        return Err(Stop::LongJump { point, value });
                    }
                    self.land(jump, value);
                }
                other => return other,
            }
        }
    }

    fn run_frames(&mut self, floor: usize) -> Result<(), Stop> {
        let Some(top) = self.frames.last() else { return Ok(()) };
        let mut dense = Rc::clone(&top.dense);
        loop {
            if self.exact && self.counters.steps >= self.counters.max_steps {
                return Err(Stop::StepLimit);
            }
            let frame = self.frames.last_mut().expect("a frame is running");
            let base = frame.base;
            let regs = &mut self.regs[base..base + dense.slots];
            let run = match (&self.recorder, &self.losses) {
                (None, _) if self.exact => execute::<true, true>,
                (None, _) if self.world.is_some() => execute::<true, false>,
                (None, _) => execute::<false, false>,
                (Some(_), None) => execute::<true, false>,
                (Some(_), Some(_)) => execute::<true, true>,
            };
            let event = run(&dense, &mut frame.pc, regs, &mut self.memory, &mut self.counters);
            let event = match event {
                Ok(event) => event,
                Err(fault) => {
                    self.settle(fault)?;
                    continue;
                }
            };
            match event {
                Event::Call(index) => {
                    if !self.exact && self.counters.steps >= self.counters.max_steps {
                        return Err(Stop::StepLimit);
                    }
                    let site = &dense.calls[index as usize];
                    let function = match site.target {
                        Target::Direct(function) => function,
                        Target::Pointer(slot) => {
                            let address = self.regs[base + slot as usize];
                            match self.function_at(address) {
                                Ok(function) => function,
                                Err(_) if self.world.is_some() && address != 0 => {
                                    self.call_outside(None, Some(address), site, base)?;
                                    continue;
                                }
                                Err(stop) => return Err(stop),
                            }
                        }
                        Target::Native(native) => {
                            let args = self.gather(site, base);
                            let answer = self.attempt_native(native, &args)?;
                            self.deliver(base, site.result, answer.words());
                            self.advance();
                            self.watch_step();
                            continue;
                        }
                    };
                    match self.images.resolve(function) {
                        Resolved::Body(function) => {
                            self.settle_by_value(site, base)?;
                            if self.tell_called(function, site, base) {
                                continue;
                            }
                            if self.recorder.is_some() || self.world.is_some() {
                                self.record_call(self.site(), function);
                            }
                            let callee = self.dense(function)?;
                            let at = self.losses.is_some().then(|| self.site()).flatten();
                            self.enter(&callee, site, base)?;
                            self.watch(Point::Start(Id::new(0)), &[], at);
                            dense = callee;
                        }
                        Resolved::Native(_) | Resolved::Missing if self.world.is_some() => {
                            self.call_outside(Some(function), None, site, base)?;
                        }
                        Resolved::Native(native) => {
                            let args = self.gather(site, base);
                            let answer = self.call_native(function, native, &args)?;
                            self.deliver(base, site.result, answer.words());
                            self.advance();
                            self.watch_step();
                        }
                        Resolved::Missing => return Err(self.unresolved(function)),
                    }
                }
                Event::Return { src, words } => {
                    let at = self.losses.is_some().then(|| self.site()).flatten();
                    let frame = self.frames.pop().expect("a frame is running");
                    self.memory.release_stack(frame.mark);
                    if self.losses.is_some() {
                        let from = frame.base + src as usize;
                        let result = self.regs[from..from + words as usize].to_vec();
                        self.watch(Point::Waiting, &result, at);
                    }
                    if let Some(recorder) = &mut self.recorder {
                        recorder.leave(dense.function);
                    }
                    let from = frame.base + src as usize;
                    if self.frames.len() == floor {
                        self.returned.clear();
                        self.returned.extend_from_slice(&self.regs[from..from + words as usize]);
                        return Ok(());
                    }
                    let word = if words == 0 { 0 } else { self.regs[from] };
                    self.tell_returned(word);
                    let caller = self.frames.last_mut().expect("the frame below the floor is not popped");
                    caller.pc += 1;
                    let result = frame.result;
                    let to = caller.base + result.slot as usize;
                    dense = Rc::clone(&caller.dense);
                    if result.words == 1 && words >= 1 {
                        self.regs[to] = self.regs[from] & (u64::MAX >> result.unused);
                    } else {
                        let words = self.regs[from..from + words as usize].to_vec();
                        self.deliver(self.frames[self.frames.len() - 1].base, result, &words);
                    }
                    self.watch_step();
                }
                Event::VaOp(index) => {
                    if let Err(stop) = self.va_op(dense.va_ops[index as usize]) {
                        self.settle_stop(stop)?;
                        continue;
                    }
                    self.advance();
                    self.watch_step();
                }
                Event::Enter(block) => {
                    if let Some(recorder) = &mut self.recorder {
                        recorder.enter_block(dense.function, block);
                    }
                    self.tell_entered(dense.function, block);
                    self.watch_jump(block);
                }
                Event::Step => self.watch_step(),
                Event::StepLimit => return Err(Stop::StepLimit),
            }
        }
    }

    /// Goes past the call or operation that was just done.
    fn advance(&mut self) {
        self.frames.last_mut().expect("a frame is running").pc += 1;
    }

    /// Where the innermost frame is.
    pub(crate) fn site(&self) -> Option<Site> {
        self.frames.last().map(|frame| self.site_of(frame))
    }

    fn site_of(&self, frame: &Frame) -> Site {
        self.site_at(frame, frame.pc)
    }

    /// Where a frame is when it does the code at `pc`.
    pub(crate) fn site_at(&self, frame: &Frame, pc: usize) -> Site {
        let function = frame.dense.function;
        let inst = frame.dense.origins.get(pc).copied().flatten();
        let body = self.program.functions[function].body.as_ref();
        let place = body.and_then(|body| match inst {
            Some(inst) => body.insts[inst].place,
            None => body.blocks[frame.dense.block_at(pc)].term_place,
        });
        Site { function, inst, place }
    }

    /// Where all frames are, the outermost first.
    pub(crate) fn sites(&self) -> Vec<Site> {
        self.frames.iter().map(|frame| self.site_of(frame)).collect()
    }

    /// The trap that a fault becomes, with the call stack as it stands.
    pub(crate) fn trap(&self, kind: TrapKind) -> Trap {
        let inside = self.inside.map(|function| self.program.functions[function].name.clone());
        Trap { kind, inside, stack: self.frames.iter().rev().map(|frame| self.site_of(frame)).collect() }
    }

    /// Drops all frames after a run was cut short.
    pub(crate) fn unwind(&mut self) {
        if let Some(first) = self.frames.first() {
            self.memory.release_stack(first.mark);
        }
        self.frames.clear();
        self.nesting = 0;
        self.inside = None;
    }

    fn record_call(&mut self, site: Option<Site>, callee: FuncId) {
        if let Some(recorder) = &mut self.recorder {
            recorder.call(site, callee);
            recorder.enter_block(callee, Id::new(0));
        }
        if self.world.is_some() {
            let depth = if site.is_some() { self.frames.len() } else { self.frames.len() - 1 };
            self.tell_entered_at(depth, callee, Id::new(0));
        }
    }

    /// Acquires a heap block for the program; null when memory is used up.
    pub(crate) fn acquire(&mut self, bytes: u64, align: u64, zeroed: bool) -> u64 {
        let site = self.site();
        let address = self.memory.acquire(bytes, align, zeroed, site).unwrap_or(0);
        if self.world.is_some() && address != 0 {
            self.origins.push(self.call_stack());
        }
        if let Some(recorder) = &mut self.recorder
            && let Ok(block) = self.memory.block_at(address)
        {
            recorder.acquire(block, bytes, site);
        }
        address
    }

    /// Releases a heap block; null is allowed.
    pub(crate) fn release(&mut self, address: u64) -> Result<(), Stop> {
        if address == 0 {
            return Ok(());
        }
        let block = self.memory.release(address)?;
        let site = self.site();
        if let Some(recorder) = &mut self.recorder {
            recorder.release(block, site);
        }
        Ok(())
    }
}
