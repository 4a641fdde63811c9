//! How large the blocks are that the program acquires.
//!
//! A block that is released as a record may be an array of them. Where every block that an address may lead to was acquired
//! here, with numbers that say how large it is, it is known to hold one alone.

use crate::types::TypeId;
use crate::views::Object;
use crate::world::World;
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{Body, Call, Def, FuncId, InstId, Op, Type, ValueId};

impl World<'_> {
    /// Whether a block that an address leads to holds one record of a type alone.
    pub(crate) fn is_single(&mut self, addr: crate::expr::ExprId, of: TypeId) -> bool {
        if !self.types.is_repeated(of) {
            return true;
        }
        let most = self.types.size(of);
        let objects = self.objects(addr);
        objects.into_iter().all(|object| match object {
            Object::Site(function, inst) => self.fits_in(function, inst, most),
            _ => false,
        })
    }

    /// Whether a call acquires no more than so many bytes.
    fn fits_in(&self, function: FuncId, inst: InstId, most: u64) -> bool {
        let Some(body) = self.body(function) else { return false };
        let Op::Call(call) = &body.insts[inst].op else { return false };
        self.acquired_bytes(body, call, &[]).is_some_and(|bytes| bytes <= most)
    }

    /// How many bytes a call acquires: the product of the numbers that a function of the library is given. A function of the
    /// program that hands on what one call in it acquires is looked into.
    fn acquired_bytes(&self, body: &Body, call: &Call, params: &[Option<u64>]) -> Option<u64> {
        let callee = direct_callee(body, call)?;
        let numbers: Vec<Option<u64>> = call
            .args
            .iter()
            .map(|&arg| match body.ty(arg) {
                Type::Ptr => None,
                _ => self.number(body, arg, params),
            })
            .collect();
        let Some(inner) = self.body(callee) else {
            let sizes = call.args.iter().zip(&numbers).filter(|(arg, _)| body.ty(**arg) != Type::Ptr);
            let mut sizes = sizes.map(|(_, number)| *number).peekable();
            sizes.peek()?;
            return sizes.try_fold(1u64, |all, size| all.checked_mul(size?));
        };
        // One level is enough for the wrappers that programs have; a call in a call is not followed further.
        if !params.is_empty() {
            return None;
        }
        let mut found = None;
        for inst in inner.insts.values() {
            if let Op::Call(call) = &inst.op
                && inst.result.is_some_and(|result| inner.ty(result) == Type::Ptr)
            {
                let bytes = self.acquired_bytes(inner, call, &numbers)?;
                found = Some(found.unwrap_or(0).max(bytes));
            }
        }
        found
    }

    /// A number that is constant, or a parameter that is: its variable is written once.
    fn number(&self, body: &Body, value: ValueId, params: &[Option<u64>]) -> Option<u64> {
        match &body.values[value].def {
            Def::Param(index) => params.get(*index as usize).copied().flatten(),
            Def::Const(_) => body.bits(value),
            Def::Inst(inst) => match &body.insts[*inst].op {
                Op::Load { addr, .. } if matches!(body.def_op(*addr), Some(Op::Stack { .. })) => {
                    let mut uses = body.insts.values().filter(|inst| {
                        let mut used = false;
                        inst.op.operands(|operand| used |= operand == *addr);
                        used && !matches!(inst.op, Op::Load { .. } | Op::Name { .. })
                    });
                    match (uses.next().map(|inst| &inst.op), uses.next()) {
                        (Some(Op::Store { addr: to, value, .. }), None)
                            if to == addr && matches!(body.values[*value].def, Def::Param(_)) =>
                        {
                            self.number(body, *value, params)
                        }
                        _ => None,
                    }
                }
                _ => None,
            },
        }
    }
}
