//! Functions that are left by `longjmp`: what their variables hold is gone without a return.
//!
//! A call of `longjmp`, or of a function that may call it, may be the last thing a function does. Its variables go out
//! of scope there as at a return, but what happened in the callee before the jump is not known, so these questions are
//! asked and have no answer. A call through a pointer may be one of any such function whose address is taken.

use crate::lower::{CallAction, Statements};
use crate::words::{THROUGH_POINTER, Why};
use crate::world::World;
use watertight_ir::FuncId;
use watertight_summary::Way;

impl World<'_> {
    /// Whether a call may jump out of its caller.
    pub(crate) fn may_jump(&mut self, call: &CallAction) -> bool {
        match call.callee {
            Some(callee) => self.jumpers().binary_search(&callee).is_ok(),
            None => self.jumps_through_pointers(),
        }
    }

    /// Whether a call through a pointer may reach a function that jumps.
    fn jumps_through_pointers(&mut self) -> bool {
        let taken = self.graph.address_taken().to_vec();
        let jumpers = self.jumpers();
        taken.iter().any(|function| jumpers.binary_search(function).is_ok())
    }

    /// The functions that may end in a jump, in order.
    fn jumpers(&mut self) -> &[FuncId] {
        if self.jumpers.is_none() {
            let mut found: Vec<FuncId> = Vec::new();
            for (id, data) in self.program.functions.iter() {
                let model = self.models.functions.get(&*data.name).filter(|_| data.body.is_none());
                if model.is_some_and(|model| model.outcomes.iter().any(|outcome| outcome.way == Way::Jumps)) {
                    found.push(id);
                }
            }
            // Their callers, by name or through a pointer, and those of these.
            let mut next = 0;
            while let Some(&callee) = found.get(next) {
                next += 1;
                let taken = self.graph.address_taken().binary_search(&callee).is_ok();
                let by_pointer = if taken { self.graph.indirect_calls() } else { &[] };
                for site in self.graph.call_sites(callee).iter().chain(by_pointer) {
                    if !found.contains(&site.caller) {
                        found.push(site.caller);
                    }
                }
            }
            found.sort_unstable();
            self.jumpers = Some(found);
        }
        self.jumpers.as_deref().unwrap_or_default()
    }

    /// Whether a function has variables that may hold references.
    pub(crate) fn has_variables(&mut self, statements: &Statements) -> bool {
        statements.locals.iter().any(|local| local.is_asked && self.may_hold(local.ty))
    }

    /// Why nothing is known of what a jump loses.
    pub(crate) fn jump_text(&self, function: FuncId, call: &CallAction) -> String {
        let name = |id: FuncId| self.program.functions[id].name.to_string();
        let callee = call.callee.map_or_else(|| THROUGH_POINTER.to_owned(), |id| format!("`{}`", name(id)));
        Why::Jump { function: &name(function), callee: &callee }.to_string()
    }
}
