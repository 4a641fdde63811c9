//! Which functions may come back, by the shape of their code.
//!
//! In: functions, for a recursion the members of a component, and what is known of everything else. Out: those with a way from
//! their entry to a return on which every call may come back. Conditions do not count, but for tests of a parameter in a call that
//! passes a constant: `report(FATAL, text)` and `report(WARNING, text)` are one function, and only one of the calls
//! comes back. Reports of errors are where that matters. They are part of a recursion in most programs, because they
//! allocate, and whoever believes that `fatal()` comes back finds everything lost behind it.

use crate::limits::{CONDITION_OPERATIONS, CONSTANT_CALLS};
use watertight_ir::{
    BinaryOp, BlockId, Body, Call, CompareOp, ConvertOp, Def, FuncId, InstId, Op, Program, Table, Terminator,
    Type, ValueId,
};

/// Whether a call comes back.
pub(crate) enum Back {
    Never,
    Perhaps,
    /// As the shape of this function says, with the constants that the call passes.
    AsShaped(FuncId),
}

impl Back {
    pub(crate) fn perhaps(comes_back: bool) -> Back {
        if comes_back { Back::Perhaps } else { Back::Never }
    }
}

/// What is known of a call in a function.
type Calls<'s> = dyn Fn(&Body, FuncId, InstId, &Call) -> Back + 's;

/// Looks for ways from entries to returns.
pub(crate) struct Shapes<'s> {
    pub(crate) program: &'s Program,
    pub(crate) back: &'s Calls<'s>,
}

/// What is passed for each parameter, where it is a constant.
type Given = [Option<u64>];

impl Shapes<'_> {
    /// Whether a function may come back from a call that passes this.
    pub(crate) fn reaches_return(&self, function: FuncId, given: &Given, depth: usize) -> bool {
        let body = self.program.functions[function].body.as_ref().expect("only bodies have a shape");
        let mut seen: Table<BlockId, bool> = Table::filled(body.blocks.len(), false);
        let mut open = vec![body.entry()];
        while let Some(block) = open.pop() {
            if std::mem::replace(&mut seen[block], true) || !self.passes(function, body, block, given, depth)
            {
                continue;
            }
            match &body.blocks[block].term {
                Terminator::Return(_) => return true,
                Terminator::Branch { cond, then, other } => match number(body, *cond, given, 0) {
                    Some(0) => open.push(*other),
                    Some(_) => open.push(*then),
                    None => open.extend([*then, *other]),
                },
                Terminator::Switch { value, cases, default } if number(body, *value, given, 0).is_some() => {
                    let value = number(body, *value, given, 0).map(u128::from);
                    let case = cases.iter().find(|case| Some(case.0) == value);
                    open.push(case.map_or(*default, |case| case.1));
                }
                term => term.successors(|next| open.push(next)),
            }
        }
        false
    }

    /// Whether control may get to the end of a block.
    fn passes(&self, function: FuncId, body: &Body, block: BlockId, given: &Given, depth: usize) -> bool {
        body.block_insts(block).all(|(inst, data)| match &data.op {
            Op::Call(call) => self.comes_back(function, body, inst, call, given, depth),
            _ => true,
        })
    }

    fn comes_back(
        &self,
        function: FuncId,
        body: &Body,
        inst: InstId,
        call: &Call,
        given: &Given,
        depth: usize,
    ) -> bool {
        if call.no_return {
            return false;
        }
        match (self.back)(body, function, inst, call) {
            Back::Never => false,
            Back::Perhaps => true,
            Back::AsShaped(callee) => {
                let passed: Vec<Option<u64>> =
                    call.args.iter().map(|&value| number(body, value, given, 0)).collect();
                depth == CONSTANT_CALLS
                    || passed.iter().all(Option::is_none)
                    || self.reaches_return(callee, &passed, depth + 1)
            }
        }
    }
}

/// The number that a value is in a call that passes this, if simple operations on constants tell it.
fn number(body: &Body, value: ValueId, given: &Given, depth: usize) -> Option<u64> {
    if depth > CONDITION_OPERATIONS {
        return None;
    }
    if let Some(bits) = body.bits(value) {
        return Some(bits);
    }
    let bits_of = |value: ValueId| match body.values[value].ty {
        Type::Int(bits) if bits <= 64 => Some(bits),
        _ => None,
    };
    let mask = |bits: u32| u64::MAX >> (64 - bits.clamp(1, 64));
    if let Def::Param(index) = body.values[value].def {
        return given.get(index as usize).copied().flatten();
    }
    match body.def_op(value)? {
        Op::Convert { op: ConvertOp::Truncate | ConvertOp::ZeroExtend, value: from } => {
            bits_of(*from)?;
            Some(number(body, *from, given, depth + 1)? & mask(bits_of(value)?))
        }
        Op::Binary { op, lhs, rhs } => {
            let (left, right) =
                (number(body, *lhs, given, depth + 1)?, number(body, *rhs, given, depth + 1)?);
            match op {
                BinaryOp::And => Some(left & right),
                BinaryOp::Or => Some(left | right),
                BinaryOp::Xor => Some(left ^ right),
                _ => None,
            }
        }
        Op::Compare { op: op @ (CompareOp::Eq | CompareOp::Ne), lhs, rhs } => {
            let (left, right) =
                (number(body, *lhs, given, depth + 1)?, number(body, *rhs, given, depth + 1)?);
            Some(u64::from((left == right) == (*op == CompareOp::Eq)))
        }
        _ => None,
    }
}
