//! Checks that a program obeys the rules of the IR.
//!
//! In: any [`Program`], however broken. Out: every rule it breaks, with the function, block and
//! instruction as the text form shows them. Every producer (lowering, joining, SSA construction, the
//! parser of tests) ends with [`assert_valid`] in debug builds. The time is linear in the program.
//!
//! Rules of the program:
//! - ids name entries of their tables: units, files, names, debug types, aggregates, symbols, blocks;
//! - an image and its relocations lie inside their global; relocations ascend and are 1 to 8 bytes wide;
//! - the parts of an aggregate are scalars inside it, at ascending offsets;
//! - integers are 1 to [`Type::WIDEST`] bits wide;
//! - alignments are powers of two, or 0 when unknown; `byval`, `sret`, `nonnull` stand on pointers.
//!
//! Rules of a body:
//! - values `0..params` are the parameters with their types; no other value is a parameter;
//! - a result and its instruction name each other; an instruction stands in at most one block, once;
//! - a constant fits its type: `Bits` up to 64 bits and `Wide` above, nothing set beyond the width;
//!   addresses are of type `ptr`; `zero` is for aggregates;
//! - operands are parameters, constants, or results of instructions that stand in a block and dominate
//!   the use (code that the entry does not reach is exempt from dominance);
//! - block 0 exists and has no predecessors; phis stand first, with one entry per predecessor;
//! - inlined places do not form a cycle.
//!
//! Rules of types, by instruction (`T` is one type throughout, `int` any integer):
//!
//! | instruction | operands | result |
//! | --- | --- | --- |
//! | `stack` | count: int | ptr |
//! | `load` | ptr | anything |
//! | `store` | anything, ptr | none |
//! | `offset`, `index` | ptr; index: int | ptr |
//! | `add` ... `xor` | T, T (int) | T |
//! | `compare` | T, T (int or ptr) | i1 |
//! | `fadd` ... `frem`, `fneg` | T (float) | T |
//! | `fcompare` | T, T (float) | i1 |
//! | `trunc`, `fptrunc` | int, float | narrower int, float |
//! | `zext`, `sext`, `fpext` | int, int, float | wider int, int, float |
//! | `ptrtoint`, `inttoptr` | ptr, int | int, ptr |
//! | `fptoui`, `fptosi`, `uitofp`, `sitofp` | float, float, int, int | int, int, float, float |
//! | `bitcast` | scalar | scalar of the same width |
//! | `select` | i1, T, T | T |
//! | `phi` | T per predecessor | T |
//! | `call` | callee: ptr; `byval` on ptr | any or none |
//! | `memcpy`, `memmove` | ptr, ptr, int | none |
//! | `memset` | ptr, i8, int | none |
//! | `atomic` | ptr, T (int; float for `f…`; any scalar for `xchg`) | T |
//! | `cmpxchg` | ptr, T, T (int or ptr) | aggregate of T, i1 |
//! | `fence` | | none |
//! | bit operations | T (int), as many as it takes | T, or aggregate of T, i1 |
//! | `pack` | the parts of the aggregate | aggregate |
//! | `extract` | aggregate | its part |
//! | `va_start`, `va_end`, `va_copy` | ptr | none |
//! | `va_arg` | ptr | anything |
//! | `name` | anything | none |
//! | `unknown` | anything | any or none |
//!
//! Terminators: `branch` takes an i1, `switch` an integer that its cases fit, `indirect` a pointer;
//! `indirect` and `choose` have a target; `return` has the function's result, or nothing for `void`.
//!
//! ```
//! let text = "func @f() {\nbb0:\n  %x = compare eq i32 1, ptr null\n  return\n}\n";
//! let program = watertight_ir::parse("f.ir", text).expect("the example is well formed");
//! let violations = watertight_ir::verify(&program);
//! assert_eq!(violations[0].message, "the operands have the types i32 and ptr");
//! ```

mod body;
mod op;

use crate::debug::{DebugInfo, DebugType};
use crate::function::{Function, Param};
use crate::ids::{DebugTypeId, FuncId, GlobalId, Id, UnitId};
use crate::print::Printer;
use crate::program::{Global, Program, Symbol};
use crate::types::Type;
use std::cell::OnceCell;
use std::fmt;

/// More violations than this are not listed: the first ones tell the story.
const MAX_VIOLATIONS: usize = 200;

/// A rule that a program breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The function it is in: `@main`; empty for what is outside of functions.
    pub function: String,
    /// What breaks the rule, as the text form shows it: an instruction, `bb3:`, `global @table`.
    pub subject: String,
    /// Which rule; lower case, no final dot.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.function.is_empty() {
            true => write!(f, "{}: {}", self.subject, self.message),
            false => write!(f, "in {}: {}: {}", self.function, self.subject, self.message),
        }
    }
}

/// Every rule that `program` breaks, in order of appearance; empty when it is valid.
pub fn verify(program: &Program) -> Vec<Violation> {
    let mut verifier = Verifier::new(program);
    verifier.program();
    verifier.violations
}

/// Every rule that one function breaks. It need not be in `program` yet, whose tables it refers to.
pub fn verify_function(program: &Program, function: &Function) -> Vec<Violation> {
    let mut verifier = Verifier::new(program);
    verifier.function(function, None);
    verifier.violations
}

/// The first rule that the function `id` breaks, for a producer that is still adding bodies: all functions
/// and globals are declared, but labels of functions without a body are taken to exist.
pub fn first_violation(program: &Program, id: FuncId) -> Option<Violation> {
    let mut verifier = Verifier { limit: 1, bodies_are_missing: true, ..Verifier::new(program) };
    verifier.function(&program.functions[id], Some(id));
    verifier.violations.pop()
}

/// Panics in debug builds with the broken rules, because `producer` has a bug. Does nothing in release builds.
pub fn assert_valid(program: &Program, producer: &str) {
    if cfg!(debug_assertions) {
        let violations = verify(program);
        let list: Vec<String> = violations.iter().take(20).map(Violation::to_string).collect();
        assert!(violations.is_empty(), "{producer} made an invalid program:\n  {}", list.join("\n  "));
    }
}

struct Verifier<'p> {
    program: &'p Program,
    /// Only violations need names, so most runs never build it.
    printer: OnceCell<Printer<'p>>,
    violations: Vec<Violation>,
    /// How many violations are listed at most.
    limit: usize,
    bodies_are_missing: bool,
}

impl<'p> Verifier<'p> {
    fn new(program: &'p Program) -> Verifier<'p> {
        Verifier {
            program,
            printer: OnceCell::new(),
            violations: Vec::new(),
            limit: MAX_VIOLATIONS,
            bodies_are_missing: false,
        }
    }

    fn printer(&self) -> &Printer<'p> {
        self.printer.get_or_init(|| Printer::new(self.program))
    }

    fn full(&self) -> bool {
        self.violations.len() >= self.limit
    }

    fn report(&mut self, function: String, subject: String, message: impl Into<String>) {
        if !self.full() {
            self.violations.push(Violation { function, subject, message: message.into() });
        }
    }

    fn program(&mut self) {
        for (id, aggregate) in self.program.aggregates.iter() {
            let mut end = 0;
            for &(offset, ty) in &aggregate.parts {
                let bytes = ty.store_bytes(self.program.target.pointer_bits);
                if !ty.is_scalar() || !self.has_type(ty) {
                    self.report_outside(format!("agg {id}"), format!("a part has the type {ty}"));
                } else if offset < end || offset.saturating_add(bytes) > aggregate.bytes {
                    let message = format!("the part at {offset} overlaps another or the end");
                    self.report_outside(format!("agg {id}"), message);
                }
                end = offset.saturating_add(bytes);
            }
        }
        for (id, unit) in self.program.units.iter() {
            for (ty, message) in debug_type_faults(&unit.debug) {
                self.report_outside(format!("type {ty} of {id}"), message);
            }
        }
        for (id, global) in self.program.globals.iter() {
            self.global(id, global);
        }
        for (name, symbol) in &self.program.aliases {
            if !self.has_symbol(*symbol) {
                self.report_outside(format!("alias @{name}"), "it stands for nothing that exists");
            }
        }
        for (id, function) in self.program.functions.iter() {
            if self.full() {
                break;
            }
            self.function(function, Some(id));
        }
    }

    fn report_outside(&mut self, subject: String, message: impl Into<String>) {
        self.report(String::new(), subject, message);
    }

    fn has_symbol(&self, symbol: Symbol) -> bool {
        match symbol {
            Symbol::Func(function) => function.index() < self.program.functions.len(),
            Symbol::Global(global) => global.index() < self.program.globals.len(),
            Symbol::Label(function, block) => {
                let Some(function) = self.program.functions.get(function) else { return false };
                match &function.body {
                    Some(body) => block.index() < body.blocks.len(),
                    None => self.bodies_are_missing,
                }
            }
        }
    }

    fn unit(&self, unit: UnitId) -> Option<&'p DebugInfo> {
        self.program.units.get(unit).map(|unit| &unit.debug)
    }

    fn global(&mut self, id: GlobalId, global: &Global) {
        let mut faults = Vec::new();
        match self.unit(global.unit) {
            None => faults.push("its unit does not exist".to_string()),
            Some(debug) => {
                if global.debug_type.is_some_and(|ty| ty.index() >= debug.types.len()) {
                    faults.push("its debug type does not exist".into());
                }
                if global.source_name.is_some_and(|name| name.index() >= debug.names.len()) {
                    faults.push("its name in the source does not exist".into());
                }
                if global.place.is_some_and(|(file, _)| file.index() >= debug.files.len()) {
                    faults.push("the file of its place does not exist".into());
                }
            }
        }
        if !is_alignment(global.align) {
            faults.push(format!("the alignment {} is not a power of two", global.align));
        }
        if let Some(image) = &global.image {
            if image.bytes.len() as u64 > global.bytes {
                faults.push(format!("the image has {} bytes", image.bytes.len()));
            }
            let mut end = 0;
            for relocation in &image.relocations {
                let own_end = relocation.offset.saturating_add(u64::from(relocation.bytes));
                if !(1..=8).contains(&relocation.bytes) {
                    faults.push(format!("the relocation at {} has a wrong width", relocation.offset));
                }
                if relocation.offset < end || own_end > global.bytes {
                    let message = "overlaps another or the end";
                    faults.push(format!("the relocation at {} {message}", relocation.offset));
                }
                end = own_end;
                if !self.has_symbol(relocation.target)
                    || relocation.minus.is_some_and(|minus| !self.has_symbol(minus))
                {
                    faults.push(format!("the symbol at {} does not exist", relocation.offset));
                }
            }
        }
        for fault in faults {
            let subject = format!("global {}", self.printer().global_name(id));
            self.report_outside(subject, fault);
        }
    }

    fn function(&mut self, function: &Function, id: Option<FuncId>) {
        let mut faults = Vec::new();
        match self.unit(function.unit) {
            None => faults.push("its unit does not exist".to_string()),
            Some(debug) => {
                if function.debug_type.is_some_and(|ty| ty.index() >= debug.types.len()) {
                    faults.push("its debug type does not exist".into());
                }
            }
        }
        for (index, param) in function.params.iter().enumerate() {
            let Param { ty, by_value, struct_result, non_null } = *param;
            if ty == Type::Void || !self.has_type(ty) {
                faults.push(format!("parameter {index} has the type {ty}"));
            }
            if ty != Type::Ptr && (by_value.is_some() || struct_result || non_null) {
                faults.push(format!(
                    "parameter {index} is not a pointer, but said to be byval, sret or nonnull"
                ));
            }
        }
        if !self.has_type(function.result) {
            faults.push(format!("the type {} of its result does not exist", function.result));
        }
        let unit_exists = self.unit(function.unit).is_some();
        for fault in faults {
            let name = self.name_of(function, id);
            self.report(name.clone(), format!("func {name}"), fault);
        }
        if let (Some(body), true) = (&function.body, unit_exists) {
            body::check(self, function, id, body);
        }
    }

    fn name_of(&self, function: &Function, id: Option<FuncId>) -> String {
        match id {
            Some(id) => self.printer().function_name(id),
            None => format!("@{}", function.name),
        }
    }

    /// Whether a type is no aggregate or an existing one.
    fn has_type(&self, ty: Type) -> bool {
        match ty {
            Type::Agg(agg) => agg.index() < self.program.aggregates.len(),
            Type::Int(bits) => (1..=Type::WIDEST).contains(&bits),
            _ => true,
        }
    }
}

/// A power of two; 0 is for unknown.
fn is_alignment(align: u32) -> bool {
    align == 0 || align.is_power_of_two()
}

/// References inside debug types that lead nowhere.
fn debug_type_faults(debug: &DebugInfo) -> Vec<(DebugTypeId, String)> {
    let mut faults = Vec::new();
    for (id, ty) in debug.types.iter() {
        let mut check_type = |ty: Option<DebugTypeId>| {
            if let Some(ty) = ty.filter(|ty| ty.index() >= debug.types.len()) {
                faults.push((id, format!("it refers to {ty}, which does not exist")));
            }
        };
        let mut names = Vec::new();
        match ty {
            DebugType::Opaque => {}
            DebugType::Base { name, .. } => names.push(*name),
            DebugType::Pointer { to: of } | DebugType::Qualified { of, .. } | DebugType::Array { of, .. } => {
                check_type(*of);
            }
            DebugType::Typedef { name, of } => {
                names.push(*name);
                check_type(*of);
            }
            DebugType::Record(record) => {
                names.extend(record.name);
                for member in &record.members {
                    names.extend(member.name);
                    check_type(member.ty);
                }
            }
            DebugType::Enum { name, values, .. } => {
                names.extend(*name);
                names.extend(values.iter().map(|(name, _)| *name));
            }
            DebugType::Function { result, params, .. } => {
                check_type(*result);
                params.iter().for_each(|&param| check_type(param));
            }
        }
        if names.iter().any(|name| name.index() >= debug.names.len()) {
            faults.push((id, "its name does not exist".into()));
        }
    }
    faults
}
