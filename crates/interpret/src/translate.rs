//! Turns a body of the IR into the flat form that runs.
//!
//! In: a function of the program and the addresses of all statics. Out: a [`Dense`] body, or a message
//! when the body breaks the rules of the IR (the verifier would have said so; the interpreter must not
//! panic on it). Each instruction becomes one code: a specialised one for scalars of at most 64 bits,
//! an entry of the table of rare ones otherwise. Phis become moves on the edges.

use crate::dense::{
    CallSite, Code, Dense, Edge, Operand, Parameter, Part, Rare, Slot, Special, Switch, Target,
};
use crate::moves;
use crate::trap::TrapKind;
use rustc_hash::FxHashMap;
use watertight_ir::{
    AggId, BinaryOp, BlockId, Body, Callee, CompareOp, Const, ConvertOp, Def, Endian, FloatKind, FuncId, Id,
    Inst, InstId, Op, Program, Terminator, Type, ValueId,
};

/// The addresses of everything that has one before the program runs.
#[derive(Debug, Default)]
pub(crate) struct Statics {
    pub(crate) globals: Vec<u64>,
    pub(crate) functions: Vec<u64>,
}

impl Statics {
    /// The address of a label: inside the range of its function.
    pub(crate) fn label(&self, function: FuncId, block: BlockId) -> u64 {
        self.functions.get(function.index()).map_or(0, |start| start + 1 + block.index() as u64)
    }
}

/// Why a body cannot be run.
type Malformed = String;

/// A dense table of cases is used while it has at most this many entries per case.
const TABLE_SPREAD: u64 = 8;

/// Translates the body of `function`, which must have one.
pub(crate) fn translate(program: &Program, statics: &Statics, function: FuncId) -> Result<Dense, Malformed> {
    let data = &program.functions[function];
    let body = data.body.as_ref().ok_or_else(|| format!("function {} has no body", data.name))?;
    let mut translator = Translator {
        program,
        statics,
        body,
        function,
        slots: vec![None; body.values.len()],
        next: 0,
        constants: Vec::new(),
        constants_at: 0,
        scratch: 0,
        edges: FxHashMap::default(),
        dense: Dense {
            function,
            codes: Vec::with_capacity(body.inst_count() + body.blocks.len()),
            origins: Vec::new(),
            starts: Vec::with_capacity(body.blocks.len()),
            edges: Vec::new(),
            moves: Vec::new(),
            rares: Vec::new(),
            calls: Vec::new(),
            specials: Vec::new(),
            switches: Vec::new(),
            params: Vec::with_capacity(data.params.len()),
            variadic: data.variadic,
            slots: 0,
            constants: Vec::new(),
        },
    };
    translator.run()?;
    Ok(translator.dense)
}

struct Translator<'p> {
    program: &'p Program,
    statics: &'p Statics,
    body: &'p Body,
    function: FuncId,
    /// First slot of each value that has one yet.
    slots: Vec<Option<Slot>>,
    next: Slot,
    constants: Vec<u64>,
    constants_at: Slot,
    scratch: Slot,
    /// Edges already made, by source and target.
    edges: FxHashMap<(BlockId, BlockId), u32>,
    dense: Dense,
}

impl Translator<'_> {
    fn run(&mut self) -> Result<(), Malformed> {
        self.assign_slots()?;
        for block in self.body.blocks.ids() {
            self.dense.starts.push(self.dense.codes.len() as u32);
            for &id in &self.body.blocks[block].insts {
                let inst = self.body.insts.get(id).ok_or_else(|| format!("{id} does not exist"))?;
                if let Some(code) = self.instruction(inst).map_err(|why| format!("{id}: {why}"))? {
                    self.emit(code, Some(id));
                }
            }
            let code = self.terminator(block).map_err(|why| format!("end of {block}: {why}"))?;
            self.emit(code, None);
        }
        for edge in &mut self.dense.edges {
            edge.target = *self
                .dense
                .starts
                .get(edge.block.index())
                .ok_or_else(|| format!("{} does not exist", edge.block))?;
        }
        self.dense.slots = self.constants_at as usize + self.constants.len();
        self.dense.constants = std::mem::take(&mut self.constants);
        Ok(())
    }

    fn emit(&mut self, code: Code, origin: Option<InstId>) {
        self.dense.codes.push(code);
        self.dense.origins.push(origin);
    }

    /// Parameters come first, then results, one scratch word, and the constants as they are met.
    fn assign_slots(&mut self) -> Result<(), Malformed> {
        let params = &self.program.functions[self.function].params;
        for (id, value) in self.body.values.iter() {
            match value.def {
                Def::Param(index) => {
                    let param = params
                        .get(index as usize)
                        .ok_or_else(|| format!("{id} is parameter {index}, which does not exist"))?;
                    let operand = self.take_slots(id, value.ty)?;
                    self.dense.params.push(Parameter {
                        slot: operand.slot,
                        words: operand.words,
                        unused: operand.unused,
                        by_value: param.by_value,
                    });
                }
                Def::Inst(_) => {
                    self.take_slots(id, value.ty)?;
                }
                Def::Const(_) => {}
            }
        }
        self.scratch = self.next;
        self.next += 1;
        self.constants_at = self.next;
        Ok(())
    }

    fn take_slots(&mut self, id: ValueId, ty: Type) -> Result<Operand, Malformed> {
        let words = self.words(ty)?;
        let slot = self.next;
        self.slots[id.index()] = Some(slot);
        self.next = slot.checked_add(words).ok_or("too many values")?;
        Ok(Operand { slot, words, unused: self.unused(ty), ty })
    }

    fn pointer_bits(&self) -> u32 {
        self.program.target.pointer_bits
    }

    /// Width of a scalar in bits; zero for others.
    fn width(&self, ty: Type) -> u32 {
        ty.bits(self.pointer_bits())
    }

    fn words(&self, ty: Type) -> Result<u32, Malformed> {
        match ty {
            Type::Agg(id) => self.aggregate(id)?.iter().map(|&(_, part)| self.words(part)).sum(),
            scalar => Ok(self.width(scalar).div_ceil(64)),
        }
    }

    /// Bits of the last word that do not count.
    fn unused(&self, ty: Type) -> u8 {
        (self.width(ty).next_multiple_of(64) - self.width(ty)) as u8
    }

    fn aggregate(&self, id: AggId) -> Result<&[(u64, Type)], Malformed> {
        let aggregate = self.program.aggregates.get(id).ok_or_else(|| format!("{id} does not exist"))?;
        if aggregate.parts.iter().any(|(_, part)| !part.is_scalar()) {
            return Err(format!("{id} has a part that is no scalar"));
        }
        Ok(&aggregate.parts)
    }

    fn ty(&self, value: ValueId) -> Result<Type, Malformed> {
        Ok(self.body.values.get(value).ok_or_else(|| format!("{value} does not exist"))?.ty)
    }

    /// The first slot of a value; constants get theirs here.
    fn slot(&mut self, value: ValueId) -> Result<Slot, Malformed> {
        let data = self.body.values.get(value).ok_or_else(|| format!("{value} does not exist"))?;
        if let Some(slot) = self.slots[value.index()] {
            return Ok(slot);
        }
        let Def::Const(constant) = &data.def else {
            return Err(format!("{value} has no slot"));
        };
        let words = self.words(data.ty)? as usize;
        let slot = self.constants_at + self.constants.len() as Slot;
        let mut contents = match constant {
            Const::Bits(bits) => vec![*bits],
            Const::Wide(words) => words.to_vec(),
            // Undefined bits are zero, on every run.
            Const::Undef | Const::Zero => Vec::new(),
            Const::Global { global, offset } => {
                let start = self
                    .statics
                    .globals
                    .get(global.index())
                    .ok_or_else(|| format!("{global} does not exist"))?;
                vec![start.wrapping_add(*offset as u64) & (u64::MAX >> (64 - self.pointer_bits()))]
            }
            Const::Func(function) => {
                vec![*self.statics.functions.get(function.index()).ok_or("a function does not exist")?]
            }
            Const::Label(function, block) => vec![self.statics.label(*function, *block)],
        };
        contents.resize(words, 0);
        if let Some(top) = contents.last_mut()
            && data.ty.is_scalar()
        {
            *top &= u64::MAX >> self.unused(data.ty);
        }
        self.constants.extend(contents);
        self.slots[value.index()] = Some(slot);
        Ok(slot)
    }

    fn operand(&mut self, value: ValueId) -> Result<Operand, Malformed> {
        let ty = self.ty(value)?;
        Ok(Operand { slot: self.slot(value)?, words: self.words(ty)?, unused: self.unused(ty), ty })
    }

    /// A slot that holds this number for the whole call.
    fn number(&mut self, number: u64) -> Slot {
        self.constants.push(number);
        self.constants_at + self.constants.len() as Slot - 1
    }

    fn rare(&mut self, rare: Rare) -> Code {
        self.dense.rares.push(rare);
        Code::Rare(self.dense.rares.len() as u32 - 1)
    }

    fn trap(&mut self, kind: TrapKind) -> Code {
        self.rare(Rare::Trap(Box::new(kind)))
    }

    fn special(&mut self, special: Special) -> Code {
        self.dense.specials.push(special);
        Code::Special(self.dense.specials.len() as u32 - 1)
    }

    /// Where an instruction puts its result, and its type. An instruction without result has none.
    fn result(&mut self, inst: &Inst) -> Result<Operand, Malformed> {
        let value = inst.result.ok_or("the result is missing")?;
        self.operand(value)
    }

    fn copy(&mut self, dst: Operand, src: Operand) -> Code {
        match dst.words {
            1 => Code::Move { dst: dst.slot, src: src.slot },
            words => self.rare(Rare::MoveWords { dst: dst.slot, src: src.slot, words: words.min(src.words) }),
        }
    }

    /// The code for an instruction; phis and names have none.
    fn instruction(&mut self, inst: &Inst) -> Result<Option<Code>, Malformed> {
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
                let result = match inst.result {
                    Some(value) => self.operand(value)?,
                    None => Operand { slot: self.scratch, words: 0, unused: 0, ty: Type::Void },
                };
                let target = match call.callee {
                    Callee::Direct(function) => {
                        if function.index() >= self.program.functions.len() {
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
                self.special(Special::VaStart { list })
            }
            Op::VaCopy { dst, src } => {
                let (dst, src) = (self.slot(*dst)?, self.slot(*src)?);
                self.special(Special::VaCopy { dst, src })
            }
            Op::VaArg { list } => {
                let dst = self.result(inst)?;
                let list = self.slot(*list)?;
                self.special(Special::VaArg { list, dst: dst.slot, ty: dst.ty })
            }
            Op::Unknown(unknown) => {
                // An empty assembly text is a barrier for the compiler; it does nothing at run time.
                if inst.result.is_none() && unknown.what.starts_with("asm \"\"") {
                    return Ok(None);
                }
                self.trap(TrapKind::Unsupported(unknown.what.clone()))
            }
        };
        Ok(Some(code))
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

    fn terminator(&mut self, block: BlockId) -> Result<Code, Malformed> {
        Ok(match &self.body.blocks[block].term {
            Terminator::Jump(target) => Code::Jump(self.edge(block, *target)?),
            Terminator::Branch { cond, then, other } => {
                let cond = self.slot(*cond)?;
                Code::Branch { cond, then: self.edge(block, *then)?, other: self.edge(block, *other)? }
            }
            Terminator::Switch { value, cases, default } => {
                let value = self.operand(*value)?;
                if value.words > 2 || value.words == 0 {
                    return Ok(self.trap(TrapKind::Unsupported("a switch over more than 128 bits".into())));
                }
                let mut resolved = Vec::with_capacity(cases.len());
                for &(case, target) in cases {
                    resolved.push((case, self.edge(block, target)?));
                }
                let default = self.edge(block, *default)?;
                self.switch(value.slot, value.words, resolved, Some(default))
            }
            Terminator::Indirect { addr, targets } => {
                let addr = self.slot(*addr)?;
                let mut resolved = Vec::with_capacity(targets.len());
                for &target in targets {
                    let label = self.statics.label(self.function, target);
                    resolved.push((u128::from(label), self.edge(block, target)?));
                }
                self.switch(addr, 1, resolved, None)
            }
            Terminator::Choose { .. } => {
                self.trap(TrapKind::Unsupported("a jump decided by assembly".into()))
            }
            // Exceptions are not modelled, so a call that comes back did so normally.
            Terminator::Invoke { normal, .. } => Code::Jump(self.edge(block, *normal)?),
            Terminator::Return(None) => Code::Return { src: self.scratch, words: 0 },
            Terminator::Return(Some(value)) => {
                let value = self.operand(*value)?;
                Code::Return { src: value.slot, words: value.words }
            }
            Terminator::Resume => {
                self.trap(TrapKind::Unsupported("leaving a function by an exception".into()))
            }
            Terminator::Unreachable => self.trap(TrapKind::Unreachable),
        })
    }

    fn switch(&mut self, value: Slot, words: u32, mut cases: Vec<(u128, u32)>, default: Option<u32>) -> Code {
        // The sort is stable and the first of equal cases counts.
        cases.sort_by_key(|&(case, _)| case);
        cases.dedup_by_key(|&mut (case, _)| case);
        let table = match (cases.first(), cases.last(), default) {
            (Some(&(least, _)), Some(&(most, _)), Some(default))
                if words == 1 && most - least < u128::from(TABLE_SPREAD) * cases.len() as u128 =>
            {
                let mut table = vec![default; (most - least) as usize + 1];
                for &(case, edge) in &cases {
                    table[(case - least) as usize] = edge;
                }
                Some((least as u64, table.into()))
            }
            _ => None,
        };
        self.dense.switches.push(Switch { words, cases: cases.into(), table, default });
        Code::Switch { value, table: self.dense.switches.len() as u32 - 1 }
    }

    /// The edge from one block to another, with the moves that the phis of the target ask for.
    fn edge(&mut self, from: BlockId, to: BlockId) -> Result<u32, Malformed> {
        if let Some(&edge) = self.edges.get(&(from, to)) {
            return Ok(edge);
        }
        let target = self.body.blocks.get(to).ok_or_else(|| format!("{to} does not exist"))?;
        let mut parallel = Vec::new();
        for &id in &target.insts {
            let inst = self.body.insts.get(id).ok_or_else(|| format!("{id} does not exist"))?;
            let Op::Phi { incoming } = &inst.op else { break };
            let &(_, value) = incoming
                .iter()
                .find(|(block, _)| *block == from)
                .ok_or_else(|| format!("phi {id} has no entry for {from}"))?;
            let dst = self.result(inst)?;
            let src = self.operand(value)?;
            if dst.words != src.words {
                return Err(format!("phi {id} has an entry of another width"));
            }
            parallel.extend((0..dst.words).map(|word| (dst.slot + word, src.slot + word)));
        }
        let start = self.dense.moves.len() as u32;
        self.dense.moves.extend(moves::sequence(&parallel, self.scratch));
        let end = self.dense.moves.len() as u32;
        self.dense.edges.push(Edge { target: 0, moves: (start, end), block: to });
        let edge = self.dense.edges.len() as u32 - 1;
        self.edges.insert((from, to), edge);
        Ok(edge)
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
