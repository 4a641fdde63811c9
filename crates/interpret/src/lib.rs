//! A concrete interpreter of the IR.
//!
//! In: a [`Program`] and [`Options`]. Out: an [`Outcome`]: how the run ended, what it printed, how many
//! steps it took, and which heap blocks were never freed. The interpreter is the oracle for the front
//! end (a program must print here what it prints natively) and replays the witnesses of findings.
//!
//! What must hold:
//! - the same program and options give the same outcome, on every machine;
//! - whatever the program does, the result is an outcome and never a panic: wrong memory accesses,
//!   unknown functions and unsupported instructions are traps with a call stack;
//! - budgets count steps.
//!
//! How it works: each body is translated once, on first call, to a flat list of small codes over word
//! slots (`translate`, `dense`), which one loop executes (`execute`). Memory is a set of objects with
//! their own address ranges (`memory`), so pointers are plain numbers and every access is checked.
//! A small C library (`libc`) serves what programs call. The meaning of single operations is in [`arith`]
//! and [`float`], which are pure and serve other crates' tests as the reference.
//!
//! ```
//! use watertight_interpret::{End, Interpreter, Options, Value};
//! use watertight_ir::{BinaryOp, BodyBuilder, Function, FunctionAttrs, Id, Linkage, Op, Param, Program,
//!     Terminator, Type, UnitId};
//! let params: Box<[Param]> = [Param::plain(Type::Int(32)), Param::plain(Type::Int(32))].into();
//! let mut builder = BodyBuilder::new(&params);
//! let entry = builder.block();
//! let (lhs, rhs) = (builder.param(0), builder.param(1));
//! let sum = builder.value(entry, Op::Binary { op: BinaryOp::Add, lhs, rhs }, Type::Int(32), None);
//! builder.terminate(entry, Terminator::Return(Some(sum)), None);
//! let mut program = Program::default();
//! let add = program.functions.push(Function {
//!     name: "add".into(), unit: UnitId::new(0), linkage: Linkage::External, params,
//!     result: Type::Int(32), variadic: false, attrs: FunctionAttrs::default(), place: None,
//!     debug_type: None, body: Some(builder.finish()),
//! });
//! let mut interpreter = Interpreter::new(&program, Options::default());
//! let outcome = interpreter.call(add, &[Value::Bits(40), Value::Bits(2)]);
//! assert_eq!(outcome.end, End::Returned(Some(Value::Bits(42))));
//! ```

mod alone;
pub mod arith;
mod dense;
mod execute;
pub mod float;
mod hardware;
mod image;
mod interpreter;
mod libc;
mod liveness;
mod losses;
mod machine;
mod memory;
mod moves;
mod outcome;
mod rare;
mod real;
mod translate;
mod trap;
mod varargs;
mod words;
mod world;

pub use alone::{Alone, Ended, How, Reach};
pub use interpreter::Interpreter;
pub use losses::Loss;
pub use memory::Uninitialised;
pub use memory::heap::{LiveBlock, Reachable};
pub use outcome::{Absent, End, Options, Outcome, Recorder, Value};
pub use trap::{Access, Address, HeapId, ObjectKind, Site, Trap, TrapKind};
pub use world::{Hands, Outside, Reply, World};
