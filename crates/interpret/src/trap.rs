//! Why a run stops where the program has no answer, and where that happened.
//!
//! A [`TrapKind`] says what went wrong in terms of objects and sites; a [`Trap`] adds the call stack.
//! Both are plain values that tests compare; [`Trap::describe`] renders one for people, with names and
//! source positions looked up in the program.

use std::fmt::Write as _;
use watertight_ir::{FuncId, GlobalId, InstId, Op, PlaceId, Program};

/// A run-time address.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Address(pub u64);

/// A heap block of one run; counted in order of allocation.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct HeapId(pub u32);

/// A point in a running function.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Site {
    pub function: FuncId,
    /// Absent at a terminator.
    pub inst: Option<InstId>,
    pub place: Option<PlaceId>,
}

/// Whether memory was to be read or written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Access {
    Read,
    Write,
}

/// An object in memory, by origin.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ObjectKind {
    /// A variable of the program.
    Global(GlobalId),
    /// Code: function and label addresses lie in it.
    Function(FuncId),
    /// Made by the `Stack` instruction `inst` of `function`, or, without `inst`, for its arguments.
    Stack { function: FuncId, inst: Option<InstId> },
    /// A block of the heap.
    Heap(HeapId),
    /// Belongs to the run-time library: streams, `errno`, `argv`.
    Runtime,
    /// Belongs to a caller outside the program; counted in the order in which they were first thought of.
    Given(u32),
}

/// What went wrong.
#[derive(Clone, PartialEq, Debug)]
pub enum TrapKind {
    /// An access through a null pointer, perhaps with a small offset.
    NullAccess { access: Access },
    /// `bytes` bytes at `offset` of an object of `size` bytes.
    OutOfBounds { object: ObjectKind, size: u64, offset: i64, bytes: u64, access: Access },
    /// The block was released before.
    UseAfterFree { block: HeapId, access: Access },
    /// The object was in the frame of a call that has returned.
    UseAfterReturn { access: Access },
    /// An address that belongs to no object.
    WildAccess { address: Address, access: Access },
    /// Constants are written only before the start.
    WriteToConstant { global: GlobalId },
    /// Reading or writing code as data.
    CodeAccess { function: FuncId },
    /// A global that is declared but defined nowhere.
    UnresolvedGlobal { global: GlobalId },
    /// Every byte read was never written. Only with [`crate::Uninitialised::Trap`].
    UninitialisedRead { object: ObjectKind, offset: u64 },
    /// Nobody has decided yet what these bytes hold. Only with [`crate::Uninitialised::Asked`], when the world does not
    /// answer.
    Undecided { address: Address, bytes: u64 },
    /// The block was released before.
    DoubleFree { block: HeapId },
    /// Releasing an address that is not the start of a heap block.
    InvalidFree { address: Address },
    /// A division or remainder by zero.
    DivisionByZero,
    /// The least signed number divided by -1.
    DivisionOverflow,
    /// Control reached a point that the program says it never reaches.
    Unreachable,
    /// An operation, library call or situation that the interpreter does not model.
    Unsupported(Box<str>),
    /// A function that is declared, defined nowhere, and not in the small library.
    UnresolvedFunction(Box<str>),
    /// A call through a null pointer.
    NullCall,
    /// A call through an address where no function starts.
    InvalidCall { address: Address },
    /// A jump to an address that is not one of the labels listed.
    InvalidJump { address: Address },
    /// Too many calls, or too many bytes of locals.
    StackOverflow,
    /// `longjmp` to a call that has returned, or through a buffer that was never set.
    InvalidLongJump,
    /// More output than [`crate::Options::max_output`] allows.
    OutputLimit,
    /// The program gave up: `abort`, a trap instruction, a deadly signal.
    Abort,
    /// `assert` failed with this condition.
    AssertionFailed(Box<str>),
    /// The body breaks the rules of the IR.
    Malformed(Box<str>),
}

/// A fault on its way to becoming a [`Trap`]; boxed because it is rare.
pub(crate) type Fault = Box<TrapKind>;

/// A stop that the program did not ask for.
#[derive(Clone, PartialEq, Debug)]
pub struct Trap {
    pub kind: TrapKind,
    /// The library function that was running on behalf of the innermost site, if one was.
    pub inside: Option<Box<str>>,
    /// The innermost site first.
    pub stack: Vec<Site>,
}

impl Trap {
    /// Renders the trap with its call stack, one line each.
    pub fn describe(&self, program: &Program) -> String {
        let mut text = self.kind.describe(program);
        if let Some(inside) = &self.inside {
            let _ = write!(text, " in {inside}");
        }
        for site in &self.stack {
            let _ = write!(text, "\n  at {}", site.describe(program));
        }
        text
    }
}

impl Site {
    /// The function and, where known, file, line and column.
    pub fn describe(&self, program: &Program) -> String {
        let function = &program.functions[self.function];
        let position = self.place.zip(function.body.as_ref()).and_then(|(place, body)| {
            let place = body.places.get(place)?;
            let file = program.units.get(function.unit)?.debug.files.get(place.file)?;
            Some(format!(" ({file}:{}:{})", place.line, place.column))
        });
        let inst = match (&position, self.inst) {
            (None, Some(inst)) => format!(" ({inst})"),
            _ => String::new(),
        };
        format!("{}{}{inst}", function.name, position.unwrap_or_default())
    }
}

impl ObjectKind {
    /// Names the object for people.
    pub fn describe(&self, program: &Program) -> String {
        match self {
            ObjectKind::Global(global) => format!("global {}", program.globals[*global].name),
            ObjectKind::Function(function) => format!("function {}", program.functions[*function].name),
            ObjectKind::Stack { function, inst } => {
                let function_data = &program.functions[*function];
                let variable = inst.zip(function_data.body.as_ref()).and_then(|(inst, body)| {
                    let result =
                        body.insts.get(inst).filter(|inst| matches!(inst.op, Op::Stack { .. }))?.result;
                    let variable = body.variables.values().find(|variable| variable.home == result)?;
                    Some(program.units.get(function_data.unit)?.debug.names.get(variable.name).to_owned())
                });
                match variable {
                    Some(variable) => format!("variable {variable} of {}", function_data.name),
                    None => format!("a stack object of {}", function_data.name),
                }
            }
            ObjectKind::Heap(block) => format!("heap block {}", block.0),
            ObjectKind::Given(_) => "an object of the caller's".to_owned(),
            ObjectKind::Runtime => "an object of the run-time library".to_owned(),
        }
    }
}

impl TrapKind {
    /// Says what went wrong, in lower case and without final dot.
    pub fn describe(&self, program: &Program) -> String {
        let verb = |access: &Access| match access {
            Access::Read => "read",
            Access::Write => "write",
        };
        match self {
            TrapKind::NullAccess { access } => format!("{} through a null pointer", verb(access)),
            TrapKind::OutOfBounds { object, size, offset, bytes, access } => format!(
                "{} of {bytes} bytes at offset {offset} of {}, which has {size} bytes",
                verb(access),
                object.describe(program)
            ),
            TrapKind::UseAfterFree { block, access } => {
                format!("{} of heap block {} after it was freed", verb(access), block.0)
            }
            TrapKind::UseAfterReturn { access } => {
                format!("{} of a local variable after its function returned", verb(access))
            }
            TrapKind::WildAccess { address, access } => {
                format!("{} at {:#x}, where no object lives", verb(access), address.0)
            }
            TrapKind::WriteToConstant { global } => {
                format!("write to the constant {}", program.globals[*global].name)
            }
            TrapKind::CodeAccess { function } => {
                format!("access to the code of {}", program.functions[*function].name)
            }
            TrapKind::UnresolvedGlobal { global } => {
                format!("access to {}, which is not defined", program.globals[*global].name)
            }
            TrapKind::UninitialisedRead { object, offset } => {
                format!("read of uninitialised memory at offset {offset} of {}", object.describe(program))
            }
            TrapKind::Undecided { bytes, .. } => format!("read of {bytes} bytes of which nothing is known"),
            TrapKind::DoubleFree { block } => format!("heap block {} is freed twice", block.0),
            TrapKind::InvalidFree { address } => {
                format!("free of {:#x}, which is not the start of a heap block", address.0)
            }
            TrapKind::DivisionByZero => "division by zero".to_owned(),
            TrapKind::DivisionOverflow => "overflow of a signed division".to_owned(),
            TrapKind::Unreachable => "control reached a point that cannot be reached".to_owned(),
            TrapKind::Unsupported(what) => format!("unsupported: {what}"),
            TrapKind::UnresolvedFunction(name) => format!("call of {name}, which is not defined"),
            TrapKind::NullCall => "call through a null pointer".to_owned(),
            TrapKind::InvalidCall { address } => {
                format!("call of {:#x}, where no function starts", address.0)
            }
            TrapKind::InvalidJump { address } => {
                format!("jump to {:#x}, which is none of the labels listed", address.0)
            }
            TrapKind::StackOverflow => "stack overflow".to_owned(),
            TrapKind::InvalidLongJump => "longjmp to a call that is not active".to_owned(),
            TrapKind::OutputLimit => "more output than allowed".to_owned(),
            TrapKind::Abort => "the program aborted".to_owned(),
            TrapKind::AssertionFailed(text) => format!("assertion failed: {text}"),
            TrapKind::Malformed(what) => format!("malformed body: {what}"),
        }
    }
}
