//! A small evaluator of bodies, for comparing a body before and after construction.
//!
//! Memory is a list of objects at fixed addresses, filled with zeros; undefined values are zero too, so that
//! reading what was never written gives the same on both sides. What a body does is observed through the calls
//! it makes, what it returns, and what it leaves in the buffers it was given. Running out of fuel counts blocks,
//! not instructions, so that both sides stop at the same point.

use watertight_ir::{
    AggId, Aggregate, BinaryOp, BlockId, Body, Callee, CompareOp, Const, ConvertOp, Def, Id, InstId, Op,
    Table, Terminator, Type, ValueId, VarId,
};

pub(super) const POINTER_BITS: u32 = 64;
pub(super) const BUFFER_BYTES: usize = 64;
const BUFFERS: u64 = 0x10_0000;
const STACK: u64 = 0x100_0000;
const SPACING: u64 = 0x1_0000;

/// Why a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum End {
    Return(Option<Vec<u128>>),
    OutOfFuel,
    /// An access outside all objects, or control that should not get there.
    Trap(&'static str),
}

/// What a run showed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Outcome {
    pub(super) calls: Vec<(u32, Vec<u128>)>,
    pub(super) end: End,
    pub(super) buffers: Vec<Vec<u8>>,
}

/// An assignment to a variable: by a store to its home, or by a name with a place.
pub(super) type Assignment = (VarId, u128);

struct Machine<'a> {
    body: &'a Body,
    aggregates: &'a Table<AggId, Aggregate>,
    buffers: Vec<Vec<u8>>,
    stack: Vec<Vec<u8>>,
    values: Vec<Option<Vec<u128>>>,
    calls: Vec<(u32, Vec<u128>)>,
    assignments: Vec<Assignment>,
}

/// The address of buffer number `index`.
pub(super) fn buffer(index: u64) -> u128 {
    u128::from(BUFFERS + index * SPACING)
}

/// Runs `body` with these arguments and two buffers of known contents.
pub(super) fn run(
    body: &Body,
    aggregates: &Table<AggId, Aggregate>,
    args: &[u128],
    fuel: usize,
) -> (Outcome, Vec<Assignment>) {
    let contents = |seed: u8| (0..BUFFER_BYTES as u8).map(|index| index.wrapping_mul(7) ^ seed).collect();
    let mut machine = Machine {
        body,
        aggregates,
        buffers: vec![contents(3), contents(90)],
        stack: Vec::new(),
        values: vec![None; body.values.len()],
        calls: Vec::new(),
        assignments: Vec::new(),
    };
    for (index, &arg) in args.iter().enumerate() {
        machine.values[index] = Some(vec![arg]);
    }
    let end = machine.run(fuel).unwrap_or_else(End::Trap);
    let Machine { calls, buffers, assignments, .. } = machine;
    (Outcome { calls, end, buffers }, assignments)
}

type Step<T> = Result<T, &'static str>;

impl Machine<'_> {
    fn run(&mut self, fuel: usize) -> Step<End> {
        let mut from = None;
        let mut block = self.body.entry();
        for _ in 0..fuel {
            self.phis(block, from)?;
            for &inst in &self.body.blocks[block].insts {
                self.step(inst)?;
            }
            from = Some(block);
            let term = &self.body.blocks[block].term;
            block = match term {
                Terminator::Jump(target) => *target,
                Terminator::Branch { cond, then, other } => {
                    if self.get(*cond) == 1 {
                        *then
                    } else {
                        *other
                    }
                }
                Terminator::Switch { value, cases, default } => {
                    let value = self.get(*value);
                    cases.iter().find(|(case, _)| *case == value).map_or(*default, |(_, target)| *target)
                }
                Terminator::Choose { targets } => targets[self.calls.len() % targets.len()],
                Terminator::Return(value) => {
                    return Ok(End::Return(value.map(|value| self.all(value))));
                }
                _ => return Err("end of control"),
            };
        }
        Ok(End::OutOfFuel)
    }

    fn all(&self, value: ValueId) -> Vec<u128> {
        let ty = self.body.ty(value);
        match &self.body.values[value].def {
            Def::Const(Const::Bits(bits)) => vec![u128::from(*bits)],
            Def::Const(Const::Wide(words)) => {
                vec![words.iter().rev().fold(0, |bits, word| bits << 64 | u128::from(*word))]
            }
            Def::Const(Const::Undef | Const::Zero) => match ty {
                Type::Agg(id) => vec![0; self.aggregates[id].parts.len()],
                _ => vec![0],
            },
            Def::Const(other) => panic!("unexpected constant {other:?}"),
            _ => self.values[value.index()].clone().expect("a value is used after it is defined"),
        }
    }

    fn get(&self, value: ValueId) -> u128 {
        self.all(value)[0]
    }

    fn cut(&self, ty: Type, bits: u128) -> u128 {
        let width = ty.bits(POINTER_BITS);
        if width < 128 { bits & ((1 << width) - 1) } else { bits }
    }

    fn memory(&mut self, address: u128, bytes: usize) -> Step<&mut [u8]> {
        let address = u64::try_from(address).map_err(|_| "bad access")?;
        let (base, objects) = if address >= STACK - SPACING / 2 {
            (STACK, &mut self.stack)
        } else {
            (BUFFERS, &mut self.buffers)
        };
        let distance = address.wrapping_sub(base);
        let object = objects.get_mut((distance / SPACING) as usize).ok_or("bad access")?;
        let start = (distance % SPACING) as usize;
        object.get_mut(start..start + bytes).ok_or("bad access")
    }

    fn load(&mut self, address: u128, ty: Type) -> Step<u128> {
        let bytes = ty.store_bytes(POINTER_BITS) as usize;
        let memory = self.memory(address, bytes)?;
        let bits = memory.iter().rev().fold(0, |bits, &byte| bits << 8 | u128::from(byte));
        Ok(self.cut(ty, bits))
    }

    fn store(&mut self, address: u128, ty: Type, bits: u128) -> Step<()> {
        let bytes = ty.store_bytes(POINTER_BITS) as usize;
        self.memory(address, bytes)?.copy_from_slice(&bits.to_le_bytes()[..bytes]);
        Ok(())
    }

    fn phis(&mut self, block: BlockId, from: Option<BlockId>) -> Step<()> {
        let mut merged = Vec::new();
        for (_, inst) in self.body.block_insts(block) {
            let Op::Phi { incoming } = &inst.op else { break };
            let entries: Vec<_> = incoming.iter().filter(|(source, _)| Some(*source) == from).collect();
            assert_eq!(entries.len(), 1, "a phi in {block} has one entry for {from:?}");
            merged.push((inst.result, self.all(entries[0].1)));
        }
        for (result, value) in merged {
            self.values[result.unwrap().index()] = Some(value);
        }
        Ok(())
    }

    fn step(&mut self, id: InstId) -> Step<()> {
        let inst = &self.body.insts[id];
        let ty = inst.result.map_or(Type::Void, |result| self.body.ty(result));
        let result = match &inst.op {
            Op::Phi { .. } => return Ok(()),
            Op::Stack { bytes, .. } => {
                self.stack.push(vec![0; *bytes as usize]);
                vec![u128::from(STACK + (self.stack.len() as u64 - 1) * SPACING)]
            }
            Op::Load { addr, .. } => {
                let address = self.get(*addr);
                match ty {
                    Type::Agg(agg) => {
                        let parts = self.aggregates[agg].parts.to_vec();
                        let load = |(offset, ty)| self.load(address + u128::from(offset), ty);
                        parts.into_iter().map(load).collect::<Step<Vec<_>>>()?
                    }
                    _ => vec![self.load(address, ty)?],
                }
            }
            Op::Store { addr, value, .. } => {
                let (address, bits) = (self.get(*addr), self.all(*value));
                match self.body.ty(*value) {
                    Type::Agg(agg) => {
                        let parts = self.aggregates[agg].parts.to_vec();
                        for ((offset, ty), bits) in parts.into_iter().zip(bits) {
                            self.store(address + u128::from(offset), ty, bits)?;
                        }
                    }
                    ty => {
                        self.store(address, ty, bits[0])?;
                        let homes = self.body.variables.iter().filter(|(_, var)| var.home == Some(*addr));
                        self.assignments.extend(homes.map(|(id, _)| (id, bits[0])));
                    }
                }
                return Ok(());
            }
            Op::Offset { base, bytes } => vec![self.cut(ty, self.get(*base).wrapping_add(*bytes as u128))],
            Op::Binary { op, lhs, rhs } => {
                let (lhs, rhs) = (self.get(*lhs), self.get(*rhs));
                vec![self.cut(
                    ty,
                    match op {
                        BinaryOp::Add => lhs.wrapping_add(rhs),
                        BinaryOp::Xor => lhs ^ rhs,
                        BinaryOp::And => lhs & rhs,
                        _ => panic!("unexpected {op:?}"),
                    },
                )]
            }
            Op::Compare { op, lhs, rhs } => {
                let (lhs, rhs) = (self.get(*lhs), self.get(*rhs));
                vec![u128::from(match op {
                    CompareOp::Eq => lhs == rhs,
                    CompareOp::Ult => lhs < rhs,
                    _ => panic!("unexpected {op:?}"),
                })]
            }
            Op::Convert { op, value } => {
                assert!(!matches!(op, ConvertOp::SignExtend), "unexpected {op:?}");
                let from = self.body.ty(*value).bits(POINTER_BITS);
                assert!(*op != ConvertOp::Reinterpret || from == ty.bits(POINTER_BITS));
                vec![self.cut(ty, self.get(*value))]
            }
            Op::Call(call) => {
                let Callee::Direct(callee) = call.callee else { panic!("unexpected call") };
                // An address of the stack differs between the sides; any other argument is compared.
                let visible = |value: &u128| if *value >= u128::from(STACK) { 0 } else { *value };
                let args: Vec<u128> =
                    call.args.iter().flat_map(|&arg| self.all(arg)).map(|value| visible(&value)).collect();
                let answer =
                    args.iter().fold(self.calls.len() as u128, |sum, arg| sum.wrapping_mul(31) ^ arg);
                // The callee scribbles on objects whose address it gets.
                for &arg in &call.args {
                    let address = self.get(arg);
                    if self.body.ty(arg) == Type::Ptr && address >= u128::from(STACK) {
                        let byte = self.memory(address, 1)?;
                        byte[0] = byte[0].wrapping_add(1);
                    }
                }
                self.calls.push((callee.index() as u32, args));
                if inst.result.is_none() {
                    return Ok(());
                }
                vec![self.cut(ty, answer)]
            }
            Op::MemCopy { dst, src, len, .. } => {
                let (dst, src, len) = (self.get(*dst), self.get(*src), self.get(*len) as usize);
                let bytes = self.memory(src, len)?.to_vec();
                self.memory(dst, len)?.copy_from_slice(&bytes);
                return Ok(());
            }
            Op::MemFill { dst, byte, len } => {
                let (dst, byte, len) = (self.get(*dst), self.get(*byte) as u8, self.get(*len) as usize);
                self.memory(dst, len)?.fill(byte);
                return Ok(());
            }
            Op::Pack { parts } => parts.iter().map(|&part| self.get(part)).collect(),
            Op::Extract { aggregate, part } => vec![self.all(*aggregate)[*part as usize]],
            Op::Name { variable, value } => {
                let bits = self.get(*value);
                if inst.place.is_some() {
                    self.assignments.push((*variable, bits));
                }
                return Ok(());
            }
            other => panic!("unexpected {other:?}"),
        };
        self.values[inst.result.unwrap().index()] = Some(result);
        Ok(())
    }
}
