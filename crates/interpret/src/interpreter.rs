//! The door to the interpreter: runs a program from `main`, or one of its functions.
//!
//! An [`Interpreter`] is one life of the program's memory. Each call of [`Interpreter::call`] starts
//! from the memory that the last one left; [`Interpreter::run_main`] is meant for a fresh one.
//!
//! ```text
//! new ──call*──▶ outcome of each call
//!  └──run_main──▶ outcome of the program
//! ```

use crate::machine::{Machine, Stop};
use crate::outcome::{End, Options, Outcome, Recorder, Value};
use crate::trap::{Address, Fault, ObjectKind, Trap, TrapKind};
use watertight_ir::{FuncId, GlobalId, Id, Program, Type};

/// A program ready to run.
pub struct Interpreter<'p> {
    program: &'p Program,
    /// Absent when the statics cannot be placed; the reason is then the end of every run.
    machine: Result<Machine<'p>, Fault>,
}

impl<'p> Interpreter<'p> {
    /// Places the statics of a program in a fresh memory.
    pub fn new(program: &'p Program, options: Options) -> Interpreter<'p> {
        Interpreter { program, machine: Machine::new(program, &options, None) }
    }

    /// Like [`Interpreter::new`], with somebody watching.
    pub fn with_recorder(
        program: &'p Program,
        options: Options,
        recorder: &'p mut dyn Recorder,
    ) -> Interpreter<'p> {
        Interpreter { program, machine: Machine::new(program, &options, Some(recorder)) }
    }

    /// Runs the program from `main` to its exit. `args` are the words of the command line, the name of
    /// the program first.
    pub fn run_main(&mut self, args: &[&str]) -> Outcome {
        let program = self.program;
        self.run(|machine| {
            let main =
                program.function_named("main").ok_or_else(|| TrapKind::UnresolvedFunction("main".into()))?;
            for constructor in machine.start_functions("llvm.global_ctors")? {
                machine.call_back(constructor, &[])?;
            }
            let argv = place_arguments(machine, args)?;
            let environment = machine.library.global("environ").unwrap_or(0);
            let envp = machine.memory.load_pointer(environment)?;
            let words = [vec![args.len() as u64], vec![argv], vec![envp]];
            let result = machine.call_function(main, &words)?;
            machine.run_exit_handlers()?;
            let mut destructors = machine.start_functions("llvm.global_dtors")?;
            destructors.reverse();
            for destructor in destructors {
                machine.call_back(destructor, &[])?;
            }
            Ok(End::Exit(result.first().copied().unwrap_or(0) as u8))
        })
    }

    /// Calls one function with these arguments; missing ones are zero.
    pub fn call(&mut self, function: FuncId, args: &[Value]) -> Outcome {
        let program = self.program;
        self.run(|machine| {
            let data = program.functions.get(function);
            let data =
                data.ok_or_else(|| TrapKind::Malformed(format!("{function} does not exist").into()))?;
            let words: Vec<Vec<u64>> = args.iter().map(|value| value.words()).collect();
            let result = machine.call_function(function, &words)?;
            let returned = data.result != Type::Void && !result.is_empty();
            let bits = program.target.pointer_bits;
            Ok(End::Returned(returned.then(|| Value::from_words(data.result, bits, &result))))
        })
    }

    fn run(&mut self, body: impl FnOnce(&mut Machine<'p>) -> Result<End, Stop>) -> Outcome {
        let machine = match &mut self.machine {
            Ok(machine) => machine,
            Err(fault) => {
                let trap = Trap { kind: (**fault).clone(), inside: None, stack: Vec::new() };
                return Outcome {
                    end: End::Trap(trap),
                    stdout: Vec::new(),
                    stderr: Vec::new(),
                    steps: 0,
                    inexact: false,
                    absent: Vec::new(),
                    live_blocks: Vec::new(),
                };
            }
        };
        let steps = machine.counters.steps;
        machine.counters.max_steps = machine.counters.max_steps.saturating_add(steps);
        let end = match body(machine) {
            Ok(end) => end,
            Err(Stop::Exit(status)) => End::Exit(status as u8),
            Err(Stop::StepLimit) => End::StepLimit,
            Err(Stop::Fault(fault)) => End::Trap(machine.trap(*fault)),
            Err(Stop::LongJump { .. } | Stop::JumpOut) => End::Trap(machine.trap(TrapKind::InvalidLongJump)),
        };
        let live_blocks = machine.memory.live_blocks();
        machine.unwind();
        machine.counters.max_steps = machine.counters.max_steps.saturating_sub(steps);
        let streams = &mut machine.library.streams;
        Outcome {
            end,
            stdout: std::mem::take(&mut streams.stdout),
            stderr: std::mem::take(&mut streams.stderr),
            steps: machine.counters.steps - steps,
            inexact: machine.counters.inexact,
            absent: machine.counters.absent.iter().copied().collect(),
            live_blocks,
        }
    }

    fn machine(&mut self) -> Result<&mut Machine<'p>, TrapKind> {
        self.machine.as_mut().map_err(|fault| (**fault).clone())
    }

    /// The address of a global.
    pub fn global_address(&self, global: GlobalId) -> Option<Address> {
        let machine = self.machine.as_ref().ok()?;
        machine.images.statics.globals.get(global.index()).map(|&address| Address(address))
    }

    /// The address of a function.
    pub fn function_address(&self, function: FuncId) -> Option<Address> {
        let machine = self.machine.as_ref().ok()?;
        machine.images.statics.functions.get(function.index()).map(|&address| Address(address))
    }

    /// A new heap block of zeros, made by nobody in the program; absent when memory is used up.
    pub fn allocate(&mut self, bytes: u64) -> Option<Address> {
        let machine = self.machine.as_mut().ok()?;
        machine.memory.acquire(bytes, 16, true, None).map(Address)
    }

    /// A new object of zeros that is no heap block, for what a caller outside the program owns.
    pub fn allocate_static(&mut self, bytes: u64) -> Option<Address> {
        let machine = self.machine.as_mut().ok()?;
        machine.memory.push_static(bytes, 16, ObjectKind::Runtime, true).map(Address)
    }

    /// Reads memory as the program would.
    pub fn read(&mut self, address: Address, bytes: u64) -> Result<Vec<u8>, TrapKind> {
        Ok(self.machine()?.memory.read(address.0, bytes).map_err(|fault| *fault)?.to_vec())
    }

    /// Writes memory as the program would.
    pub fn write(&mut self, address: Address, contents: &[u8]) -> Result<(), TrapKind> {
        let target = self.machine()?.memory.write(address.0, contents.len() as u64);
        target.map_err(|fault| *fault)?.copy_from_slice(contents);
        Ok(())
    }
}

/// Puts the command line into memory and gives the address of `argv`.
fn place_arguments(machine: &mut Machine<'_>, args: &[&str]) -> Result<u64, Stop> {
    let full = || TrapKind::Unsupported("more statics than the address space holds".into());
    let pointer = machine.memory.pointer_bytes();
    let kind = ObjectKind::Runtime;
    let argv =
        machine.memory.push_static((args.len() as u64 + 1) * pointer, 16, kind, true).ok_or_else(full)?;
    for (index, arg) in args.iter().enumerate() {
        let text = machine.memory.push_static(arg.len() as u64 + 1, 16, kind, true).ok_or_else(full)?;
        machine.memory.write_string(text, arg.as_bytes())?;
        machine.memory.store_pointer(argv + index as u64 * pointer, text)?;
    }
    Ok(argv)
}

impl Machine<'_> {
    /// The functions that a table of constructors or destructors lists, in ascending order of priority.
    pub(crate) fn start_functions(&mut self, table: &str) -> Result<Vec<u64>, Stop> {
        let Some((id, global)) = self.program.globals.iter().find(|(_, global)| &*global.name == table)
        else {
            return Ok(Vec::new());
        };
        if global.image.is_none() {
            return Ok(Vec::new());
        }
        // Each entry is a 32-bit priority, the function, and an object it belongs to.
        let pointer = self.memory.pointer_bytes();
        let start = self.images.statics.globals[id.index()];
        let mut entries = Vec::new();
        for index in 0..global.bytes / (3 * pointer) {
            let at = start + index * 3 * pointer;
            let priority = self.memory.load_int(at, 4)? as u32;
            let function = self.memory.load_pointer(at + pointer)?;
            if function != 0 {
                entries.push((priority, function));
            }
        }
        entries.sort_by_key(|&(priority, _)| priority);
        Ok(entries.into_iter().map(|(_, function)| function).collect())
    }
}
