//! Values as a C programmer would write them: `p->name`, `list.head`, `argv[i]`, `*out`.
//!
//! In: a function with debug information, and one of its values or addresses. Out: the text and the C
//! type, or `None` when nothing a person would recognise can be said. It never guesses: a value that has
//! no name and is not reached from one by loads, offsets and indices stays unspelled.
//!
//! Names come from the variables: their homes on the stack, the [`Op::Name`] markers that SSA construction
//! leaves, the parameters, and the globals. From there the debug types say what lies at an offset, through
//! typedefs, qualifiers, arrays, nested and anonymous structs. Where members overlap, the one whose size
//! and kind fit the access is taken, the first one if several do. A phi is spelled if all its sources are
//! spelled alike. A value that several variables hold is spelled by the first.
//!
//! All walks are bounded by counted steps, so strange debug information costs little.
//!
//! ```
//! let text = r#"
//! unit unit0 "list.c" {
//!   type node = struct node 16 {
//!     value: void at 0 bits 64
//!     next: node_ptr at 64 bits 64
//!   }
//!   type node_ptr = pointer node
//! }
//! func @second(%v0: ptr) -> ptr {
//!   var var0 = list: node_ptr param 0
//! bb0:
//!   name var0, %v0
//!   %v1 = offset %v0, 8
//!   %v2: ptr = load %v1
//!   return %v2
//! }
//! "#;
//! let program = watertight_ir::parse("list.ir", text).expect("the example is well formed");
//! let second = program.function_named("second").expect("it is there");
//! let speller = watertight_ir::Speller::new(&program, second).expect("it has a body");
//! let spelling = speller.value(watertight_ir::Id::new(2)).expect("it has a name");
//! assert_eq!((&*spelling.text, &*spelling.type_name(&program)), ("list->next", "struct node *"));
//! ```

mod path;

use crate::ctype;
use crate::debug::{DebugInfo, DebugType};
use crate::function::{Body, Const, Def};
use crate::ids::{DebugTypeId, FuncId, GlobalId, Id, UnitId, ValueId, VarId};
use crate::inst::{BinaryOp, Callee, ConvertOp, Op};
use crate::program::Program;
use crate::quote::write_quoted_bytes;
use crate::types::{FloatKind, Type};
use path::{Object, Step, Wanted};
use std::cell::Cell;

/// Steps for one spelling.
const MAX_STEPS: u32 = 400;
/// Nesting of one spelling: nobody reads longer ones.
const MAX_DEPTH: u32 = 12;
/// What C libraries call to find `errno`, which the standard makes a macro.
const ERRNO: [&str; 3] = ["__errno_location(...)", "__error(...)", "__errno(...)"];
/// Longest string constant that is shown.
const MAX_STRING: usize = 40;

/// A value in the words of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spelling {
    pub text: String,
    /// Its C type, where that is known and not `void`.
    pub ty: Option<SourceType>,
}

/// A C type, with the unit whose debug information describes it.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct SourceType {
    pub unit: UnitId,
    pub ty: DebugTypeId,
}

impl Spelling {
    /// The C type as text; empty when it is not known.
    pub fn type_name(&self, program: &Program) -> String {
        self.ty.map_or(String::new(), |ty| ctype::name(&program.units[ty.unit].debug, Some(ty.ty)))
    }
}

/// Spells the values of one function. Made in time linear in the body, so keep it for many values.
#[derive(Debug)]
pub struct Speller<'p> {
    program: &'p Program,
    body: &'p Body,
    unit: UnitId,
    /// The variable that each value is the content of.
    names: Vec<Option<VarId>>,
    /// The variable that each value is the address of.
    homes: Vec<Option<VarId>>,
    steps: Cell<u32>,
}

/// An expression in the making.
#[derive(Clone, Debug)]
struct Expression {
    text: String,
    /// Whether `.x` or `[i]` can be appended without parentheses.
    postfix: bool,
    unit: UnitId,
    ty: Option<DebugTypeId>,
}

/// What an address is formed from.
enum Base {
    /// A variable: the address is inside it.
    Object(Object),
    /// A pointer value: the address is inside what it points to.
    Pointer(Expression),
}

impl<'p> Speller<'p> {
    /// `None` when the function has no body.
    pub fn new(program: &'p Program, function: FuncId) -> Option<Speller<'p>> {
        let function = program.functions.get(function)?;
        let body = function.body.as_ref()?;
        program.units.get(function.unit)?;
        let mut names = vec![None; body.values.len()];
        let mut homes = vec![None; body.values.len()];
        for (id, variable) in body.variables.iter() {
            if let Some(home) = variable.home
                && body.constant(home).is_none()
            {
                homes[home.index()].get_or_insert(id);
            }
        }
        for block in body.blocks.ids() {
            for (_, inst) in body.block_insts(block) {
                let (value, variable) = match inst.op {
                    Op::Name { variable, value } => (value, Some(variable)),
                    // Before SSA construction a parameter is known by the home it is stored to.
                    Op::Store { addr, value, .. } if matches!(body.values[value].def, Def::Param(_)) => {
                        let variable = homes[addr.index()];
                        (value, variable.filter(|&id| body.variables[id].parameter.is_some()))
                    }
                    _ => continue,
                };
                // A constant is shared by everything that happens to be equal to it.
                if body.constant(value).is_none() {
                    names[value.index()] = names[value.index()].or(variable);
                }
            }
        }
        // Unmarked parameters go by their number, unless the calling convention changed the numbering.
        let plain = function.params.iter().all(|param| !param.struct_result && param.by_value.is_none());
        let prototype = match function.debug_type.map(|ty| program.units[function.unit].debug.types.get(ty)) {
            Some(Some(DebugType::Function { params, .. })) => Some(params.len()),
            _ => None,
        };
        if plain && prototype.is_none_or(|count| count == function.params.len()) {
            for (id, variable) in body.variables.iter() {
                let parameter = variable.parameter.map(|number| number as usize);
                if let Some(number) = parameter.filter(|&number| number < function.params.len()) {
                    names[number].get_or_insert(id);
                }
            }
        }
        Some(Speller { program, body, unit: function.unit, names, homes, steps: Cell::new(0) })
    }

    /// The value in the words of the source.
    pub fn value(&self, value: ValueId) -> Option<Spelling> {
        self.steps.set(0);
        self.body.values.get(value)?;
        self.expression(value, 0).map(finish)
    }

    /// What is stored at `addr`, read as a value of type `ty`: the left side of an assignment.
    pub fn object(&self, addr: ValueId, ty: Type) -> Option<Spelling> {
        self.steps.set(0);
        self.body.values.get(addr)?;
        self.content(addr, self.wanted(ty), 0).map(finish)
    }

    /// What a variable holds as a value of type `ty`: itself, or the only member that can be one.
    pub fn held(&self, variable: VarId, ty: Type) -> Option<Spelling> {
        self.steps.set(0);
        self.named(variable, ty).map(finish)
    }

    /// What is stored so many bytes after `addr`, read as a value of type `ty`.
    pub fn object_at(&self, addr: ValueId, bytes: i64, ty: Type) -> Option<Spelling> {
        self.steps.set(0);
        self.body.values.get(addr)?;
        let mut steps = Vec::new();
        let object = match self.base(addr, &mut steps, 0)? {
            Base::Object(object) => object,
            Base::Pointer(pointer) => Object::pointed(self, pointer),
        };
        steps.push(Step::Bytes(bytes));
        Some(finish(object.walk(self, &steps, self.wanted(ty), 0)?.content()))
    }

    /// The value in the words of the source; the result of a call by the name of the function.
    pub fn value_or_call(&self, value: ValueId) -> Option<Spelling> {
        if let Some(spelling) = self.value(value) {
            return Some(spelling);
        }
        let mut value = value;
        for _ in 0..MAX_DEPTH {
            let Def::Inst(inst) = self.body.values.get(value)?.def else { return None };
            match &self.body.insts[inst].op {
                Op::Convert { op, value: inner } if keeps_meaning(*op) => value = *inner,
                Op::Call(call) => return self.call(&call.callee).map(finish),
                _ => return None,
            }
        }
        None
    }

    fn debug(&self, unit: UnitId) -> &'p DebugInfo {
        &self.program.units[unit].debug
    }

    fn wanted(&self, ty: Type) -> Wanted {
        let pointer_bits = self.program.target.pointer_bits;
        Wanted::Access { bytes: ty.store_bytes(pointer_bits), pointer: ty == Type::Ptr }
    }

    /// Counts a step; `None` when there are no more.
    fn step(&self, depth: u32) -> Option<()> {
        self.steps.set(self.steps.get() + 1);
        (self.steps.get() <= MAX_STEPS && depth <= MAX_DEPTH).then_some(())
    }

    fn expression(&self, value: ValueId, depth: u32) -> Option<Expression> {
        self.step(depth)?;
        if let Some(variable) = self.names[value.index()] {
            return self.named(variable, self.body.ty(value));
        }
        let plain = |text: String| Expression { text, postfix: true, unit: self.unit, ty: None };
        match &self.body.values[value].def {
            Def::Param(_) => None,
            Def::Const(Const::Func(function)) => {
                Some(plain(self.program.functions.get(*function)?.name.to_string()))
            }
            Def::Const(Const::Global { global, offset: 0 }) if self.string(*global).is_some() => {
                self.string(*global).map(plain)
            }
            Def::Const(Const::Global { .. }) => self.address(value, depth),
            Def::Const(Const::Bits(bits)) => number(self.body.ty(value), *bits).map(plain),
            Def::Const(_) => None,
            Def::Inst(inst) => match &self.body.insts[*inst].op {
                Op::Load { addr, .. } => self.content(*addr, self.wanted(self.body.ty(value)), depth + 1),
                Op::Stack { .. } | Op::Offset { .. } | Op::Index { .. } => self.address(value, depth),
                Op::Convert { op, value } if keeps_meaning(*op) => self.expression(*value, depth + 1),
                Op::Binary { op, lhs, rhs } => self.binary(*op, *lhs, *rhs, depth),
                Op::Phi { incoming } => {
                    let mut sources =
                        incoming.iter().map(|&(_, source)| source).filter(|&source| source != value);
                    let first = self.expression(sources.next()?, depth + 1)?;
                    for source in sources {
                        if self.expression(source, depth + 1)?.text != first.text {
                            return None;
                        }
                    }
                    Some(first)
                }
                _ => None,
            },
        }
    }

    fn binary(&self, op: BinaryOp, lhs: ValueId, rhs: ValueId, depth: u32) -> Option<Expression> {
        let sign = match op {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::UDiv | BinaryOp::SDiv => "/",
            BinaryOp::URem | BinaryOp::SRem => "%",
            BinaryOp::Shl => "<<",
            BinaryOp::LShr | BinaryOp::AShr => ">>",
            BinaryOp::And => "&",
            BinaryOp::Or => "|",
            BinaryOp::Xor => "^",
        };
        let left = self.expression(lhs, depth + 1)?;
        // `x + -1` is what the compiler makes of `x - 1`.
        let text = match (op, self.body.bits(rhs), self.body.ty(rhs)) {
            (BinaryOp::Add, Some(bits), Type::Int(width @ 2..=64)) if bits >> (width - 1) == 1 => {
                let magnitude = bits.wrapping_neg() & (u64::MAX >> (64 - width));
                format!("{} - {magnitude}", left.wrapped())
            }
            // Masks are read by their digits of four bits, but for those that clear a few low ones.
            (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, Some(bits @ 10..), Type::Int(width @ 1..=64))
                if bits >> (width - 1) == 0 =>
            {
                format!("{} {sign} {bits:#x}", left.wrapped())
            }
            _ => format!("{} {sign} {}", left.wrapped(), self.expression(rhs, depth + 1)?.wrapped()),
        };
        Some(Expression { text, postfix: false, ..left })
    }

    /// The content of a variable, as a value of type `ty`.
    fn named(&self, variable: VarId, ty: Type) -> Option<Expression> {
        let object = self.variable(variable)?;
        let debug = self.debug(self.unit);
        match ctype::described(debug, object.ty()) {
            // A scalar cannot be a whole struct, but it can be the only member of one.
            Some(DebugType::Record(_) | DebugType::Array { .. }) if ty.is_scalar() => {
                let pointer_bits = self.program.target.pointer_bits;
                let whole =
                    ctype::size(debug, object.ty(), pointer_bits) == Some(ty.store_bytes(pointer_bits));
                let inner = object.descend(self, 0, self.wanted(ty)).filter(|_| whole)?;
                Some(inner.content())
            }
            _ => Some(object.content()),
        }
    }

    fn variable(&self, variable: VarId) -> Option<Object> {
        let variable = self.body.variables.get(variable)?;
        let debug = self.debug(self.unit);
        let text = (variable.name.index() < debug.names.len()).then(|| debug.names.get(variable.name))?;
        (!text.is_empty()).then(|| Object::variable(text, self.unit, variable.ty))
    }

    fn global(&self, global: GlobalId) -> Option<Object> {
        let global = self.program.globals.get(global)?;
        let debug = &self.program.units.get(global.unit)?.debug;
        let text = match global.source_name.filter(|name| name.index() < debug.names.len()) {
            Some(name) => debug.names.get(name),
            // What has no name in the source is not worth showing by the compiler's.
            None if global.debug_type.is_none() && global.name.contains('.') => return None,
            None => &global.name,
        };
        (!text.is_empty()).then(|| Object::variable(text, global.unit, global.debug_type))
    }

    /// The text of a string constant, in quotes.
    fn string(&self, global: GlobalId) -> Option<String> {
        let global = self.program.globals.get(global)?;
        let image = global.image.as_ref().filter(|_| global.constant && global.source_name.is_none())?;
        let text = image.bytes.strip_suffix(b"\0").unwrap_or(&image.bytes);
        let printable = text.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'));
        let is_string = printable && image.relocations.is_empty() && global.bytes == text.len() as u64 + 1;
        if !is_string || text.len() > MAX_STRING {
            return None;
        }
        let mut out = String::new();
        write_quoted_bytes(&mut out, text).expect("writing to a string cannot fail");
        Some(out)
    }

    /// The address itself: `&list.head`, or the name of an array.
    fn address(&self, addr: ValueId, depth: u32) -> Option<Expression> {
        let mut steps = Vec::new();
        match self.base(addr, &mut steps, depth)? {
            Base::Object(object) => object.walk(self, &steps, Wanted::Address, depth)?.address(self),
            Base::Pointer(pointer) => {
                let object = Object::pointed(self, pointer);
                object.walk(self, &steps, Wanted::Address, depth)?.address(self)
            }
        }
    }

    /// What is stored at an address.
    fn content(&self, addr: ValueId, wanted: Wanted, depth: u32) -> Option<Expression> {
        let mut steps = Vec::new();
        let object = match self.base(addr, &mut steps, depth)? {
            Base::Object(object) => object,
            Base::Pointer(Expression { text, unit, ty, .. }) if ERRNO.contains(&&*text) => {
                let ty = ctype::pointee(self.debug(unit), ty).flatten();
                return Some(Expression { text: "errno".to_owned(), postfix: true, unit, ty });
            }
            Base::Pointer(pointer) => Object::pointed(self, pointer),
        };
        Some(object.walk(self, &steps, wanted, depth)?.content())
    }

    /// Follows offsets and indices down to a variable or a pointer that has a spelling. `steps` get what
    /// was passed, innermost first.
    fn base(&self, addr: ValueId, steps: &mut Vec<Step>, depth: u32) -> Option<Base> {
        let mut addr = addr;
        let mut passed = Vec::new();
        let base = loop {
            self.step(depth)?;
            if let Some(variable) = self.homes[addr.index()] {
                break Base::Object(self.variable(variable)?);
            }
            if self.names[addr.index()].is_some() {
                break Base::Pointer(self.expression(addr, depth + 1)?);
            }
            match &self.body.values[addr].def {
                Def::Const(Const::Global { global, offset }) => {
                    passed.push(Step::Bytes(*offset));
                    break Base::Object(self.global(*global)?);
                }
                Def::Inst(inst) => match &self.body.insts[*inst].op {
                    Op::Offset { base, bytes } => {
                        passed.push(Step::Bytes(*bytes));
                        addr = *base;
                    }
                    Op::Index { base, index, scale } => {
                        passed.push(Step::Index { index: *index, scale: *scale });
                        addr = *base;
                    }
                    Op::Convert { op: ConvertOp::Reinterpret, value }
                        if self.body.ty(*value) == Type::Ptr =>
                    {
                        addr = *value;
                    }
                    Op::Call(call) => break Base::Pointer(self.call(&call.callee)?),
                    _ => break Base::Pointer(self.expression(addr, depth + 1)?),
                },
                _ => break Base::Pointer(self.expression(addr, depth + 1)?),
            }
        };
        steps.extend(passed.into_iter().rev());
        Some(base)
    }

    /// The result of a call, as the beginning of something longer: `find(...)->name`.
    fn call(&self, callee: &Callee) -> Option<Expression> {
        let Callee::Direct(function) = callee else { return None };
        let function = self.program.functions.get(*function)?;
        let debug = &self.program.units.get(function.unit)?.debug;
        let ty = match ctype::described(debug, function.debug_type) {
            Some(DebugType::Function { result, .. }) => *result,
            _ => None,
        };
        Some(Expression { text: format!("{}(...)", function.name), postfix: true, unit: function.unit, ty })
    }
}

impl Expression {
    /// The text, in parentheses where something is to be appended to it.
    fn wrapped(&self) -> String {
        if self.postfix { self.text.clone() } else { format!("({})", self.text) }
    }
}

fn finish(expression: Expression) -> Spelling {
    let Expression { text, unit, ty, .. } = expression;
    Spelling { text, ty: ty.map(|ty| SourceType { unit, ty }) }
}

/// Whether a reader does not care about the conversion.
fn keeps_meaning(op: ConvertOp) -> bool {
    use ConvertOp::*;
    matches!(op, Truncate | ZeroExtend | SignExtend | PtrToInt | IntToPtr | Reinterpret)
}

fn number(ty: Type, bits: u64) -> Option<String> {
    match ty {
        Type::Int(1) => Some(bits.to_string()),
        Type::Int(width @ 2..=64) => Some((((bits << (64 - width)) as i64) >> (64 - width)).to_string()),
        Type::Ptr if bits == 0 => Some("NULL".into()),
        Type::Ptr => Some(format!("{bits:#x}")),
        Type::Float(FloatKind::Double) => Some(format!("{:?}", f64::from_bits(bits))),
        Type::Float(FloatKind::Single) => Some(format!("{:?}f", f32::from_bits(bits as u32))),
        _ => None,
    }
}
