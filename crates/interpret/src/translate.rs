//! Turns a body of the IR into the flat form that runs.
//!
//! In: a function of the program and the addresses of all statics. Out: a [`Dense`] body, or a message
//! when the body breaks the rules of the IR (the verifier would have said so; the interpreter must not
//! panic on it). Each instruction becomes one code: a specialised one for scalars of at most 64 bits,
//! an entry of the table of rare ones otherwise. Phis become moves on the edges.

mod instruction;

use crate::dense::{Code, Dense, Edge, Operand, Parameter, Rare, Slot, Switch, VaOp};
use crate::moves;
use crate::trap::TrapKind;
use rustc_hash::FxHashMap;
use watertight_ir::{
    AggId, BlockId, Body, Const, Def, FuncId, Id, Inst, InstId, Op, Program, Terminator, Type, ValueId,
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
            va_ops: Vec::new(),
            switches: Vec::new(),
            params: Vec::with_capacity(data.params.len()),
            variadic: data.variadic,
            slots: 0,
            constants: Vec::new(),
            values: [].into(),
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
        // An empty aggregate may stand at the very end; its slot must exist all the same.
        self.constants.push(0);
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
        let range = |(id, value): (ValueId, &watertight_ir::Value)| match self.slots[id.index()] {
            Some(slot) => Ok((slot, self.words(value.ty)?)),
            None => Ok((0, 0)),
        };
        self.dense.values = self.body.values.iter().map(range).collect::<Result<_, Malformed>>()?;
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
            Type::Void => Ok(0),
            scalar if self.width(scalar) == 0 => Err(format!("{scalar} has no bits")),
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
        if data.ty == Type::Void {
            return Err(format!("{value} is no value"));
        }
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

    fn va_op(&mut self, op: VaOp) -> Code {
        self.dense.va_ops.push(op);
        Code::VaOp(self.dense.va_ops.len() as u32 - 1)
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
