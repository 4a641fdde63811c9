//! Chooses the code for each instruction.
//!
//! Scalars of at most 64 bits get a code of their own; wider ones, aggregates and everything seldom
//! become an entry of the table of rare codes. Instructions that have no effect at run time have none.

use super::{Malformed, Translator};
use crate::dense::{CallSite, Code, Operand, Part, Rare, Slot, Target, VaOp};
use crate::libc::find_intrinsic;
use crate::trap::TrapKind;
use watertight_ir::{BinaryOp, Callee, CompareOp, ConvertOp, Endian, FloatKind, Inst, Op, Type, ValueId};

impl Translator<'_> {
    /// The code for an instruction; phis and names have none.
    pub(super) fn instruction(&mut self, inst: &Inst) -> Result<Option<Code>, Malformed> {
        let code = match &inst.op {
            Op::Phi { .. } | Op::Name { .. } | Op::Fence | Op::VaEnd { .. } => return Ok(None),
            Op::Stack { bytes, count, align } => {
                let dst = self.result(inst)?.slot;
                let count = count.map(|count| self.slot(count)).transpose()?;
                match (u32::try_from(*bytes), count) {
                    (Ok(bytes), None) => Code::Stack { dst, bytes, align: *align },
                    _ => self.rare(Rare::Stack { dst, bytes: *bytes, count, align: *align }),
                }
            }
            Op::Load { addr, .. } => {
                let dst = self.result(inst)?;
                let addr = self.slot(*addr)?;
                self.load(dst, addr)?
            }
            Op::Store { addr, value, .. } => {
                let value = self.operand(*value)?;
                let addr = self.slot(*addr)?;
                self.store(addr, value)?
            }
            Op::Offset { base, bytes } => {
                let dst = self.result(inst)?.slot;
                let src = self.slot(*base)?;
                let unused = (64 - self.pointer_bits()) as u8;
                match i32::try_from(*bytes) {
                    Ok(value) => Code::AddConst { dst, src, value, unused },
                    Err(_) => Code::Add { dst, a: src, b: self.number(*bytes as u64), unused },
                }
            }
            Op::Index { base, index, scale } => {
                let dst = self.result(inst)?.slot;
                let base = self.slot(*base)?;
                let index = self.operand(*index)?;
                let index_unused = if index.words == 1 { index.unused } else { 0 };
                match i32::try_from(*scale) {
                    Ok(scale) => Code::Index {
                        dst,
                        base,
                        index: index.slot,
                        scale,
                        index_unused,
                        unused: (64 - self.pointer_bits()) as u8,
                    },
                    Err(_) => {
                        self.rare(Rare::Index { dst, base, index: index.slot, scale: *scale, index_unused })
                    }
                }
            }
            Op::Binary { op, lhs, rhs } => {
                let dst = self.result(inst)?;
                let (a, b) = (self.slot(*lhs)?, self.slot(*rhs)?);
                self.expect_words(*lhs, dst.words)?;
                self.expect_words(*rhs, dst.words)?;
                if dst.words == 1 {
                    narrow_binary(*op, dst.slot, a, b, dst.unused)
                } else {
                    self.rare(Rare::Binary { op: *op, width: self.width(dst.ty), dst: dst.slot, a, b })
                }
            }
            Op::Compare { op, lhs, rhs } => {
                let dst = self.result(inst)?.slot;
                let lhs = self.operand(*lhs)?;
                self.expect_words(*rhs, lhs.words)?;
                let b = self.slot(*rhs)?;
                if lhs.words == 1 {
                    narrow_compare(*op, dst, lhs.slot, b, lhs.unused)
                } else {
                    self.rare(Rare::Compare { op: *op, width: self.width(lhs.ty), dst, a: lhs.slot, b })
                }
            }
            Op::Float { op, lhs, rhs } => {
                let dst = self.result(inst)?;
                let kind = float_kind(dst.ty)?;
                self.expect_words(*lhs, dst.words)?;
                self.expect_words(*rhs, dst.words)?;
                let (op, dst, a, b) = (*op, dst.slot, self.slot(*lhs)?, self.slot(*rhs)?);
                match kind {
                    FloatKind::Double => Code::Float64 { op, dst, a, b },
                    FloatKind::Single => Code::Float32 { op, dst, a, b },
                    _ => self.rare(Rare::Float { op, kind, dst, a, b }),
                }
            }
            Op::FloatNegate { value } => {
                let dst = self.result(inst)?;
                self.expect_words(*value, dst.words)?;
                let src = self.slot(*value)?;
                let kind = float_kind(dst.ty)?;
                match dst.words {
                    1 => Code::Xor { dst: dst.slot, a: src, b: self.number(1 << (kind.bits() - 1)) },
                    _ => self.rare(Rare::FloatNegate { kind, dst: dst.slot, src }),
                }
            }
            Op::FloatCompare { op, lhs, rhs } => {
                let dst = self.result(inst)?.slot;
                let lhs = self.operand(*lhs)?;
                self.expect_words(*rhs, lhs.words)?;
                let (op, a, b) = (*op, lhs.slot, self.slot(*rhs)?);
                match float_kind(lhs.ty)? {
                    FloatKind::Double => Code::FloatCompare64 { op, dst, a, b },
                    FloatKind::Single => Code::FloatCompare32 { op, dst, a, b },
                    kind => self.rare(Rare::FloatCompare { op, kind, dst, a, b }),
                }
            }
            Op::Convert { op, value } => {
                let dst = self.result(inst)?;
                let src = self.operand(*value)?;
                self.convert(*op, dst, src)?
            }
            Op::Select { cond, then, other } => {
                let dst = self.result(inst)?;
                self.expect_words(*then, dst.words)?;
                self.expect_words(*other, dst.words)?;
                let (cond, then, other) = (self.slot(*cond)?, self.slot(*then)?, self.slot(*other)?);
                match dst.words {
                    1 => Code::Select { dst: dst.slot, cond, then, other },
                    words => self.rare(Rare::SelectWords { dst: dst.slot, cond, then, other, words }),
                }
            }
            Op::Call(call) => {
                let result = self.call_result(inst)?;
                let target = match call.callee {
                    Callee::Direct(function) => {
                        if self.program.functions.get(function).is_none() {
                            return Err("the function called does not exist".to_owned());
                        }
                        Target::Direct(function)
                    }
                    Callee::Pointer(value) => Target::Pointer(self.slot(value)?),
                };
                let args = call.args.iter().map(|&arg| self.operand(arg)).collect::<Result<_, _>>()?;
                self.dense.calls.push(CallSite { target, args, by_value: call.by_value.clone(), result });
                Code::Call(self.dense.calls.len() as u32 - 1)
            }
            Op::MemCopy { dst, src, len, .. } => {
                let (dst, src, len) = (self.slot(*dst)?, self.slot(*src)?, self.slot(*len)?);
                self.rare(Rare::MemCopy { dst, src, len })
            }
            Op::MemFill { dst, byte, len } => {
                let (dst, byte, len) = (self.slot(*dst)?, self.slot(*byte)?, self.slot(*len)?);
                self.rare(Rare::MemFill { dst, byte, len })
            }
            Op::Atomic { op, addr, value } => {
                let value = self.operand(*value)?;
                let addr = self.slot(*addr)?;
                if !(1..=128).contains(&self.width(value.ty)) {
                    return Err("an atomic operation on no scalar".to_owned());
                }
                let dst = match inst.result {
                    Some(result) => {
                        self.expect_words(result, value.words)?;
                        self.slot(result)?
                    }
                    None if value.words == 1 => self.scratch,
                    None => return Err("the result is missing".to_owned()),
                };
                self.rare(Rare::Atomic { op: *op, ty: value.ty, dst, addr, value: value.slot })
            }
            Op::CompareExchange { addr, expected, new } => {
                let dst = self.result(inst)?;
                let expected = self.operand(*expected)?;
                self.expect_words(*new, expected.words)?;
                let (addr, new, width) = (self.slot(*addr)?, self.slot(*new)?, self.width(expected.ty));
                if !(1..=128).contains(&width) || dst.words != expected.words + 1 {
                    return Err("a compare-exchange gives the old value and a truth value".to_owned());
                }
                self.rare(Rare::CompareExchange { width, dst: dst.slot, addr, expected: expected.slot, new })
            }
            Op::Bits { op, args } => {
                let dst = self.result(inst)?;
                let first = self.operand(*args.first().ok_or("an argument is missing")?)?;
                if args.len() != crate::arith::bit_op_arguments(*op) {
                    return Err("a wrong number of arguments".to_owned());
                }
                for &arg in args {
                    self.expect_words(arg, first.words)?;
                }
                let width = self.width(first.ty);
                if !(1..=128).contains(&width) {
                    return Ok(Some(
                        self.trap(TrapKind::Unsupported(format!("{} of {width} bits", op.name()).into())),
                    ));
                }
                let args = args.iter().map(|&arg| self.slot(arg)).collect::<Result<_, _>>()?;
                self.rare(Rare::Bits { op: *op, width, dst: dst.slot, args })
            }
            Op::Pack { parts } => {
                let dst = self.result(inst)?;
                let mut moves = Vec::new();
                for &part in parts {
                    let src = self.operand(part)?;
                    for word in 0..src.words {
                        moves.push((dst.slot + moves.len() as Slot, src.slot + word));
                    }
                }
                if moves.len() != dst.words as usize {
                    return Err("the parts do not fit the aggregate".to_owned());
                }
                self.rare(Rare::Pack { moves: moves.into() })
            }
            Op::Extract { aggregate, part } => {
                let dst = self.result(inst)?;
                let src = self.operand(*aggregate)?;
                let Type::Agg(id) = src.ty else { return Err("an aggregate is expected".to_owned()) };
                let parts = self.aggregate(id)?;
                let (_, ty) = *parts.get(*part as usize).ok_or("the part does not exist")?;
                let before = parts[..*part as usize].iter().map(|&(_, part)| self.words(part));
                let slot = src.slot + before.sum::<Result<u32, _>>()?;
                let src = Operand { slot, words: self.words(ty)?, unused: self.unused(ty), ty };
                self.copy(dst, src)
            }
            Op::VaStart { list } => {
                let list = self.slot(*list)?;
                self.va_op(VaOp::Start { list })
            }
            Op::VaCopy { dst, src } => {
                let (dst, src) = (self.slot(*dst)?, self.slot(*src)?);
                self.va_op(VaOp::Copy { dst, src })
            }
            Op::VaArg { list } => {
                let dst = self.result(inst)?;
                let list = self.slot(*list)?;
                self.va_op(VaOp::Next { list, dst: dst.slot, ty: dst.ty })
            }
            Op::Unknown(unknown) => {
                // An empty assembly text is a barrier for the compiler; it does nothing at run time.
                if inst.result.is_none() && unknown.what.starts_with("asm \"\"") {
                    return Ok(None);
                }
                // Intrinsics that have no instruction of ours are unknown to the analyses, not to us.
                match find_intrinsic(&unknown.what) {
                    Some(native) => {
                        let result = self.call_result(inst)?;
                        let args = unknown.args.iter().map(|&arg| self.operand(arg));
                        let args = args.collect::<Result<_, _>>()?;
                        let target = Target::Native(native);
                        self.dense.calls.push(CallSite { target, args, by_value: [].into(), result });
                        Code::Call(self.dense.calls.len() as u32 - 1)
                    }
                    None => self.trap(TrapKind::Unsupported(unknown.what.clone())),
                }
            }
        };
        Ok(Some(code))
    }

    /// Where a call puts its result; nowhere if nobody uses it.
    fn call_result(&mut self, inst: &Inst) -> Result<Operand, Malformed> {
        match inst.result {
            Some(value) => self.operand(value),
            None => Ok(Operand { slot: self.scratch, words: 0, unused: 0, ty: Type::Void }),
        }
    }

    fn expect_words(&self, value: ValueId, words: u32) -> Result<(), Malformed> {
        let actual = self.words(self.ty(value)?)?;
        if actual == words { Ok(()) } else { Err(format!("{value} has {actual} words instead of {words}")) }
    }

    /// The scalars that a value consists of in memory.
    fn parts(&self, operand: Operand) -> Result<Box<[Part]>, Malformed> {
        match operand.ty {
            Type::Agg(id) => {
                let mut slot = operand.slot;
                let mut parts = Vec::new();
                for &(offset, ty) in self.aggregate(id)? {
                    parts.push(Part { offset, width: self.width(ty), slot });
                    slot += self.words(ty)?;
                }
                Ok(parts.into())
            }
            ty => Ok([Part { offset: 0, width: self.width(ty), slot: operand.slot }].into()),
        }
    }

    fn load(&mut self, dst: Operand, addr: Slot) -> Result<Code, Malformed> {
        let little = self.program.target.endian == Endian::Little;
        let width = self.width(dst.ty);
        Ok(match (width, little) {
            (8, _) => Code::Load1 { dst: dst.slot, addr },
            (16, true) => Code::Load2 { dst: dst.slot, addr },
            (32, true) => Code::Load4 { dst: dst.slot, addr },
            (64, true) => Code::Load8 { dst: dst.slot, addr },
            (1..=64, _) => {
                let bytes = width.div_ceil(8) as u8;
                Code::LoadNarrow { dst: dst.slot, addr, bytes, unused: dst.unused }
            }
            _ => {
                let parts = self.parts(dst)?;
                self.rare(Rare::Load { addr, parts })
            }
        })
    }

    fn store(&mut self, addr: Slot, value: Operand) -> Result<Code, Malformed> {
        let little = self.program.target.endian == Endian::Little;
        let width = self.width(value.ty);
        Ok(match (width, little) {
            (8, _) => Code::Store1 { addr, value: value.slot },
            (16, true) => Code::Store2 { addr, value: value.slot },
            (32, true) => Code::Store4 { addr, value: value.slot },
            (64, true) => Code::Store8 { addr, value: value.slot },
            (1..=64, _) => Code::StoreNarrow { addr, value: value.slot, bytes: width.div_ceil(8) as u8 },
            _ => {
                let parts = self.parts(value)?;
                self.rare(Rare::Store { addr, parts })
            }
        })
    }

    fn convert(&mut self, op: ConvertOp, dst: Operand, src: Operand) -> Result<Code, Malformed> {
        if op == ConvertOp::Reinterpret {
            if dst.words != src.words {
                return Err("a bitcast keeps the width".to_owned());
            }
            return Ok(self.copy(dst, src));
        }
        let (from, to) = (self.width(src.ty), self.width(dst.ty));
        if from == 0 || to == 0 {
            return Err("a conversion of no scalar".to_owned());
        }
        let between_integers = matches!(
            op,
            ConvertOp::Truncate
                | ConvertOp::ZeroExtend
                | ConvertOp::SignExtend
                | ConvertOp::PtrToInt
                | ConvertOp::IntToPtr
        );
        if between_integers {
            if dst.words == 1 && op != ConvertOp::SignExtend {
                // Of a wider number, the first word holds the low bits.
                return Ok(if to >= from {
                    Code::Move { dst: dst.slot, src: src.slot }
                } else {
                    Code::Mask { dst: dst.slot, src: src.slot, unused: dst.unused }
                });
            }
            if dst.words == 1 && src.words == 1 {
                let (from_unused, to_unused) = (src.unused, dst.unused);
                return Ok(Code::SignExtend { dst: dst.slot, src: src.slot, from_unused, to_unused });
            }
            if from > 128 || to > 128 {
                let signed = op == ConvertOp::SignExtend;
                return Ok(self.rare(Rare::Resize { signed, from, to, dst: dst.slot, src: src.slot }));
            }
        }
        if from > 128 || to > 128 {
            let what = format!("{} between {from} and {to} bits", op.name());
            return Ok(self.trap(TrapKind::Unsupported(what.into())));
        }
        Ok(self.rare(Rare::Convert { op, from: src.ty, to: dst.ty, dst: dst.slot, src: src.slot }))
    }
}

fn float_kind(ty: Type) -> Result<FloatKind, Malformed> {
    match ty {
        Type::Float(kind) => Ok(kind),
        other => Err(format!("a floating-point number is expected, not {other}")),
    }
}

fn narrow_binary(op: BinaryOp, dst: Slot, a: Slot, b: Slot, unused: u8) -> Code {
    match op {
        BinaryOp::Add => Code::Add { dst, a, b, unused },
        BinaryOp::Sub => Code::Sub { dst, a, b, unused },
        BinaryOp::Mul => Code::Mul { dst, a, b, unused },
        BinaryOp::UDiv => Code::UDiv { dst, a, b },
        BinaryOp::URem => Code::URem { dst, a, b },
        BinaryOp::SDiv => Code::SDiv { dst, a, b, unused },
        BinaryOp::SRem => Code::SRem { dst, a, b, unused },
        BinaryOp::Shl => Code::Shl { dst, a, b, unused },
        BinaryOp::LShr => Code::LShr { dst, a, b, unused },
        BinaryOp::AShr => Code::AShr { dst, a, b, unused },
        BinaryOp::And => Code::And { dst, a, b },
        BinaryOp::Or => Code::Or { dst, a, b },
        BinaryOp::Xor => Code::Xor { dst, a, b },
    }
}

fn narrow_compare(op: CompareOp, dst: Slot, a: Slot, b: Slot, unused: u8) -> Code {
    match op {
        CompareOp::Eq => Code::Eq { dst, a, b },
        CompareOp::Ne => Code::Ne { dst, a, b },
        CompareOp::Ult => Code::Ult { dst, a, b },
        CompareOp::Ule => Code::Ule { dst, a, b },
        CompareOp::Ugt => Code::Ult { dst, a: b, b: a },
        CompareOp::Uge => Code::Ule { dst, a: b, b: a },
        CompareOp::Slt => Code::Slt { dst, a, b, unused },
        CompareOp::Sle => Code::Sle { dst, a, b, unused },
        CompareOp::Sgt => Code::Slt { dst, a: b, b: a, unused },
        CompareOp::Sge => Code::Sle { dst, a: b, b: a, unused },
    }
}
