//! Reads instructions and terminators.

use super::Fault;
use super::body::BodyParser;
use super::lexer::Kind;
use crate::ids::{BlockId, ValueId};
use crate::inst::{
    Access, AtomicOp, BinaryOp, BitOp, Call, Callee, CompareOp, ConvertOp, FloatCompareOp, FloatOp, Inst, Op,
    Terminator, Unknown,
};
use crate::program::Symbol;
use crate::types::Type;

impl<'t> BodyParser<'_, 't> {
    /// Takes `%v2: ptr = call @malloc(i64 16) !3:5`.
    pub(super) fn inst(&mut self) -> Result<Inst, Fault> {
        let at = self.parser.cursor.at();
        let mut result = None;
        let mut ty = None;
        if let Kind::Value(name) = self.parser.cursor.kind() {
            self.parser.cursor.advance()?;
            if self.parser.cursor.eat_mark(":")? {
                ty = Some(self.parser.ty()?);
            }
            self.parser.cursor.mark("=")?;
            result = Some(self.define(name, at)?);
        }
        let op = self.op()?;
        if let Some(result) = result {
            match ty.or_else(|| op.fixed_result()).or_else(|| self.usual_type(&op)) {
                Some(Type::Void) => return Err(Fault::new(at, "a value cannot have the type `void`")),
                Some(ty) => self.set_type(result, ty),
                None => {
                    let message = "the result needs a type here, as in `%x: i32 = ...`";
                    return Err(Fault::new(at, message));
                }
            }
        }
        let place = self.optional_place()?;
        Ok(Inst { op, result, place })
    }

    /// The type of the result that follows from an operand, when that is known by now.
    fn usual_type(&self, op: &Op) -> Option<Type> {
        match op {
            Op::Binary { lhs: value, .. }
            | Op::Float { lhs: value, .. }
            | Op::FloatNegate { value }
            | Op::Select { then: value, .. }
            | Op::Atomic { value, .. } => self.known_type(*value),
            Op::Bits { op, args } if !op.reports_overflow() => {
                args.first().and_then(|&arg| self.known_type(arg))
            }
            _ => None,
        }
    }

    fn comma(&mut self) -> Result<(), Fault> {
        self.parser.cursor.mark(",")
    }

    fn second(&mut self) -> Result<ValueId, Fault> {
        self.comma()?;
        self.operand()
    }

    fn access(&mut self) -> Result<Access, Fault> {
        let access = match self.parser.cursor.kind() {
            Kind::Word("volatile") => Access::Volatile,
            Kind::Word("atomic") => Access::Atomic,
            _ => return Ok(Access::Plain),
        };
        self.parser.cursor.advance()?;
        Ok(access)
    }

    /// Takes the operation that follows `compare`, `fcompare` or `atomic`.
    fn operation<T>(&mut self, what: &str, from_name: impl Fn(&str) -> Option<T>) -> Result<T, Fault> {
        let found = match self.parser.cursor.kind() {
            Kind::Word(word) => from_name(word),
            _ => None,
        };
        let Some(found) = found else { return Err(self.parser.cursor.unexpected(what)) };
        self.parser.cursor.advance()?;
        Ok(found)
    }

    /// Operands separated by commas, up to the end of the line or the place.
    fn operand_list(&mut self) -> Result<Box<[ValueId]>, Fault> {
        let mut values = Vec::new();
        if self.parser.cursor.at_line_start() || self.parser.cursor.is_mark("!") {
            return Ok(values.into());
        }
        loop {
            values.push(self.operand()?);
            if !self.parser.cursor.eat_mark(",")? {
                return Ok(values.into());
            }
        }
    }

    fn op(&mut self) -> Result<Op, Fault> {
        let Kind::Word(word) = self.parser.cursor.kind() else {
            return Err(self.parser.cursor.unexpected("an instruction"));
        };
        if let Some(op) = self.named_op(word)? {
            return Ok(op);
        }
        if !crate::words::SINGLE.contains(&word) {
            return Err(self.parser.cursor.unexpected("an instruction"));
        }
        self.parser.cursor.advance()?;
        Ok(match word {
            "stack" => {
                let bytes = self.parser.cursor.u64("a size in bytes")?;
                let count = if self.continues_with("x")? { Some(self.operand()?) } else { None };
                let align = match self.continues_with("align")? {
                    true => self.parser.cursor.u32("an alignment in bytes")?,
                    false => 1,
                };
                Op::Stack { bytes, count, align }
            }
            "load" => {
                let access = self.access()?;
                Op::Load { addr: self.operand()?, access }
            }
            "store" => {
                let access = self.access()?;
                let value = self.operand()?;
                self.parser.cursor.keyword("to")?;
                Op::Store { addr: self.operand()?, value, access }
            }
            "offset" => {
                let base = self.operand()?;
                self.comma()?;
                Op::Offset { base, bytes: self.parser.cursor.i64("an offset in bytes")? }
            }
            "index" => {
                let base = self.operand()?;
                let index = self.second()?;
                self.comma()?;
                Op::Index { base, index, scale: self.parser.cursor.i64("a size in bytes")? }
            }
            "compare" => {
                let op = self.operation("a comparison like `eq`", CompareOp::from_name)?;
                Op::Compare { op, lhs: self.operand()?, rhs: self.second()? }
            }
            "fcompare" => {
                let op = self.operation("a comparison like `oeq`", FloatCompareOp::from_name)?;
                Op::FloatCompare { op, lhs: self.operand()?, rhs: self.second()? }
            }
            "fneg" => Op::FloatNegate { value: self.operand()? },
            "select" => Op::Select { cond: self.operand()?, then: self.second()?, other: self.second()? },
            "phi" => Op::Phi { incoming: self.incoming()? },
            "call" => Op::Call(Box::new(self.call()?)),
            "memcpy" | "memmove" => Op::MemCopy {
                dst: self.operand()?,
                src: self.second()?,
                len: self.second()?,
                may_overlap: word == "memmove",
            },
            "memset" => Op::MemFill { dst: self.operand()?, byte: self.second()?, len: self.second()? },
            "atomic" => {
                let op = self.operation("an operation like `add`", AtomicOp::from_name)?;
                Op::Atomic { op, addr: self.operand()?, value: self.second()? }
            }
            "cmpxchg" => {
                Op::CompareExchange { addr: self.operand()?, expected: self.second()?, new: self.second()? }
            }
            "fence" => Op::Fence,
            "pack" => Op::Pack { parts: self.operand_list()? },
            "extract" => {
                let aggregate = self.operand()?;
                self.comma()?;
                Op::Extract { aggregate, part: self.parser.cursor.u32("the number of a part")? }
            }
            "va_start" => Op::VaStart { list: self.operand()? },
            "va_end" => Op::VaEnd { list: self.operand()? },
            "va_arg" => Op::VaArg { list: self.operand()? },
            "va_copy" => Op::VaCopy { dst: self.operand()?, src: self.second()? },
            "name" => {
                let variable = self.variable_reference()?;
                Op::Name { variable, value: self.second()? }
            }
            _ => {
                let what = self.parser.cursor.text("what it is, in quotes")?.into();
                let mut args = Vec::new();
                self.parser.cursor.mark("(")?;
                while !self.parser.cursor.is_mark(")") {
                    args.push(self.operand()?);
                    if !self.parser.cursor.eat_mark(",")? {
                        break;
                    }
                }
                self.parser.cursor.mark(")")?;
                Op::Unknown(Box::new(Unknown { what, args: args.into() }))
            }
        })
    }

    /// Instructions whose first word is the operation itself.
    fn named_op(&mut self, word: &str) -> Result<Option<Op>, Fault> {
        if let Some(op) = BinaryOp::from_name(word) {
            self.parser.cursor.advance()?;
            return Ok(Some(Op::Binary { op, lhs: self.operand()?, rhs: self.second()? }));
        }
        if let Some(op) = ConvertOp::from_name(word) {
            self.parser.cursor.advance()?;
            return Ok(Some(Op::Convert { op, value: self.operand()? }));
        }
        if let Some(op) = FloatOp::from_name(word) {
            self.parser.cursor.advance()?;
            return Ok(Some(Op::Float { op, lhs: self.operand()?, rhs: self.second()? }));
        }
        if let Some(op) = BitOp::from_name(word) {
            self.parser.cursor.advance()?;
            return Ok(Some(Op::Bits { op, args: self.operand_list()? }));
        }
        Ok(None)
    }

    /// `[bb0: %v1, bb2: i32 0]`
    fn incoming(&mut self) -> Result<Box<[(BlockId, ValueId)]>, Fault> {
        let mut incoming = Vec::new();
        self.parser.cursor.mark("[")?;
        while !self.parser.cursor.is_mark("]") {
            let source = self.label()?;
            self.parser.cursor.mark(":")?;
            incoming.push((source, self.operand()?));
            if !self.parser.cursor.eat_mark(",")? {
                break;
            }
        }
        self.parser.cursor.mark("]")?;
        Ok(incoming.into())
    }

    /// `@printf(ptr @format, ..., %v1)`; `...` stands where the arguments named by the prototype end.
    fn call(&mut self) -> Result<Call, Fault> {
        let at = self.parser.cursor.at();
        let callee = match self.parser.cursor.kind() {
            Kind::Symbol(_) => match self.parser.symbol()? {
                Symbol::Func(function) => Callee::Direct(function),
                _ => return Err(Fault::new(at, "this is a global; to call through it, load from it")),
            },
            _ => Callee::Pointer(self.operand()?),
        };
        let mut args = Vec::new();
        let mut by_value = Vec::new();
        let mut fixed_args = None;
        self.parser.cursor.mark("(")?;
        while !self.parser.cursor.is_mark(")") {
            if self.parser.cursor.is_mark("...") && fixed_args.is_none() {
                self.parser.cursor.advance()?;
                fixed_args = Some(args.len() as u32);
            } else {
                args.push(self.operand()?);
                if self.parser.cursor.eat_word("byval")? {
                    let bytes = self.parser.cursor.u64("a size in bytes")?;
                    by_value.push((args.len() as u32 - 1, bytes));
                }
            }
            if !self.parser.cursor.eat_mark(",")? {
                break;
            }
        }
        self.parser.cursor.mark(")")?;
        let no_return = self.continues_with("noreturn")?;
        let returns_twice = self.continues_with("returns_twice")?;
        Ok(Call {
            callee,
            by_value: by_value.into(),
            fixed_args: fixed_args.unwrap_or(args.len() as u32),
            variadic: fixed_args.is_some(),
            args: args.into(),
            no_return,
            returns_twice,
        })
    }

    /// Takes the terminator of `block` if one is next.
    pub(super) fn terminator(&mut self, block: BlockId) -> Result<Option<Terminator>, Fault> {
        let Kind::Word(word) = self.parser.cursor.kind() else { return Ok(None) };
        if !crate::words::TERMINATORS.contains(&word) {
            return Ok(None);
        }
        self.parser.cursor.advance()?;
        Ok(Some(match word {
            "jump" => Terminator::Jump(self.label()?),
            "branch" => {
                let cond = self.operand()?;
                self.comma()?;
                let then = self.label()?;
                self.comma()?;
                Terminator::Branch { cond, then, other: self.label()? }
            }
            "switch" => {
                let value = self.operand()?;
                let cases = self.cases(block)?;
                self.parser.cursor.keyword("else")?;
                Terminator::Switch { value, cases, default: self.label()? }
            }
            "indirect" => {
                let addr = self.operand()?;
                Terminator::Indirect { addr, targets: self.targets()? }
            }
            "choose" => Terminator::Choose { targets: self.targets()? },
            "invoke" => {
                let normal = self.label()?;
                self.parser.cursor.keyword("unwind")?;
                Terminator::Invoke { normal, unwind: self.label()? }
            }
            "return" => {
                let ends = self.parser.cursor.at_line_start() || self.parser.cursor.is_mark("!");
                Terminator::Return(if ends { None } else { Some(self.operand()?) })
            }
            "resume" => Terminator::Resume,
            _ => Terminator::Unreachable,
        }))
    }

    /// `[1: bb1, -1: bb2]`
    fn cases(&mut self, block: BlockId) -> Result<Box<[(u128, BlockId)]>, Fault> {
        let mut cases = Vec::new();
        self.parser.cursor.mark("[")?;
        while !self.parser.cursor.is_mark("]") {
            let (negative, magnitude) = self.parser.cursor.fitting("a case value", Some)?;
            if negative {
                self.negative_cases.push((block, cases.len()));
            }
            self.parser.cursor.mark(":")?;
            let case = if negative { magnitude.wrapping_neg() } else { magnitude };
            cases.push((case, self.label()?));
            if !self.parser.cursor.eat_mark(",")? {
                break;
            }
        }
        self.parser.cursor.mark("]")?;
        Ok(cases.into())
    }

    fn targets(&mut self) -> Result<Box<[BlockId]>, Fault> {
        let mut targets = Vec::new();
        self.parser.cursor.mark("[")?;
        while !self.parser.cursor.is_mark("]") {
            targets.push(self.label()?);
            if !self.parser.cursor.eat_mark(",")? {
                break;
            }
        }
        self.parser.cursor.mark("]")?;
        Ok(targets.into())
    }
}
