//! Functions of the library that say in `errno` why they failed.
//!
//! Where one of them gives NULL or a negative number, `errno` is above 0: `return -errno;` is a failure for all callers. Who they are
//! and where `errno` is, models say. Looked at only in functions that read it.

use crate::machine::state::{State, Step};
use crate::machine::value::{Leaf, Sym};
use watertight_ir::{Callee, CompareOp, FuncId, InstId, Op, Type};
use watertight_logic::width::Width;

impl State<'_> {
    /// After a call of a function of the library.
    pub(crate) fn say_why(&mut self, inst: InstId, function: FuncId, result: &Sym, ty: Type) -> Step<()> {
        let context = self.context;
        let callee = &context.program.functions[function];
        if callee.body.is_some() || !context.library.lists.errno_after.contains(&callee.name) {
            return Ok(());
        }
        let Some(place) = self.errno() else { return Ok(()) };
        let op = if ty == Type::Ptr { CompareOp::Eq } else { CompareOp::Slt };
        let zero = Sym::one(Leaf::Number(self.constant(self.width(ty), 0)));
        let failed = self.compare(op, result, &zero, ty);
        let failed = self.and(self.here, failed);
        if failed.is_false() {
            return Ok(());
        }
        if let Some(Sym::Leaves(address)) = self.call_one(inst, Some(place), &[], Type::Ptr)? {
            let why = self.unknown_number(Width::W32);
            self.ranges.insert(why, (1, i32::MAX.into()));
            self.store(&address, &Sym::one(Leaf::Number(why)), Type::Int(32), failed);
        }
        Ok(())
    }

    /// The function that says where `errno` is, if this function asks.
    fn errno(&mut self) -> Option<FuncId> {
        if let Some(known) = self.errno_at {
            return known;
        }
        let context = self.context;
        let found = self.body.insts.values().find_map(|inst| match &inst.op {
            Op::Call(call) => match call.callee {
                Callee::Direct(function) => {
                    let name = &context.program.functions[function].name;
                    context.library.lists.errno_at.contains(name).then_some(function)
                }
                Callee::Pointer(_) => None,
            },
            _ => None,
        });
        self.errno_at = Some(found);
        found
    }
}
