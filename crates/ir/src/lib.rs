//! The intermediate representation of a C program.
//!
//! A [`Program`] holds every function, global, and the debug information of its translation units.
//! A function body is a control-flow graph of basic blocks over SSA values that are typed by bit
//! width ([`Type`]). Memory is addressed by plain pointer values; addresses are formed only by
//! [`Op::Offset`] (base + constant) and [`Op::Index`] (base + index × scale), so the identity of the
//! object that a pointer belongs to is never hidden in integer arithmetic unless the C program hid it.
//!
//! Invariants (checked by [`verify()`]):
//! - values `0..params` of a body are its parameters, in order;
//! - every value is defined once, and its definition dominates its uses;
//! - `phi` instructions stand first in their block, with one entry per predecessor edge source;
//! - block 0 is the entry and has no predecessors.
//!
//! Nothing here knows LLVM; everything after the front end can run from the text form.
//!
//! Around the data types stand:
//! - the text form: [`parse()`] and [`print()`], documented in `docs/ir.md`; [`words`] has its vocabulary;
//! - the rules: [`verify()`], which every producer runs in debug builds;
//! - graphs: [`Cfg`], [`Dominators`], [`PostDominators`], [`Loops`], [`CallGraph`], [`scc`], packed [`Lists`];
//! - the source: [`Speller`] says what a value is called in C, [`ctype`] what its type is, [`place`] where
//!   it comes from;
//! - [`Counts`], for statistics.
//!
//! ```
//! let text = "func @twice(%v0: i32) -> i32 {\nbb0:\n  %v1: i32 = add %v0, %v0\n  return %v1\n}\n";
//! let program = watertight_ir::parse("twice.ir", text).expect("the example is well formed");
//! assert!(watertight_ir::verify(&program).is_empty());
//! assert!(watertight_ir::print(&program).ends_with(text));
//! ```

pub mod callgraph;
pub mod cfg;
pub mod counts;
pub mod ctype;
pub mod debug;
pub mod dominators;
pub mod function;
pub mod ids;
pub mod inst;
pub mod lists;
pub mod loops;
pub mod parse;
pub mod place;
pub mod print;
pub mod program;
mod quote;
pub mod scc;
pub mod spell;
#[cfg(test)]
mod testing;
pub mod types;
pub mod verify;
pub mod words;

pub use callgraph::{CallGraph, CallSite};
pub use cfg::Cfg;
pub use counts::Counts;
pub use debug::{DebugInfo, DebugType, Encoding, Member, Place, Qualifier, Record, RecordKind, Variable};
pub use dominators::{Dominators, Frontiers, PostDominators};
pub use function::{Block, Body, BodyBuilder, Const, Def, Function, FunctionAttrs, Linkage, Param, Value};
pub use ids::{
    AggId, BlockId, DebugTypeId, FileId, FuncId, GlobalId, Id, InstId, LoopId, NameId, PlaceId, Table,
    UnitId, ValueId, VarId,
};
pub use inst::{
    Access, AtomicOp, BinaryOp, BitOp, Call, Callee, CompareOp, ConvertOp, FloatCompareOp, FloatOp, Inst, Op,
    Terminator, Unknown,
};
pub use lists::Lists;
pub use loops::{Loop, Loops};
pub use parse::{ParseError, parse};
pub use place::{InlinedCall, SourcePlace};
pub use print::{Printer, print};
pub use program::{Endian, Global, Image, Names, Problem, Program, Relocation, Symbol, Target, Unit};
pub use spell::{SourceType, Speller, Spelling};
pub use types::{Aggregate, FloatKind, Type};
pub use verify::{Violation, verify};
