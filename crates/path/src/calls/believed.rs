//! Calls of code out of sight, done as the program believes that it does (`beliefs`).
//!
//! In: a call of which nothing else is known. Out: what it is believed to hand over, with contents of which nothing is
//! known; and what it is believed to release counts as released. Everything else stays as it is for unknown calls.

use crate::calls::apply::Application;
use crate::machine::memory::Site;
use crate::machine::state::{State, Step as Spent};
use crate::machine::value::{Leaf, Sym};
use watertight_finding::Assumption;
use watertight_ir::{FuncId, InstId, Type};
use watertight_summary::CallAt;

impl State<'_> {
    /// What a call gives, if anything is believed of that. `function` is who is called, or who calls a pointer.
    pub(crate) fn call_as_believed(
        &mut self,
        inst: InstId,
        function: FuncId,
        args: &[(Sym, Type)],
        ty: Type,
    ) -> Spent<Option<Option<Sym>>> {
        let context = self.context;
        let Some(belief) = context.beliefs.of_call(self.id, inst) else { return Ok(None) };
        for &argument in &belief.releases {
            let Some((sym, ty)) = args.get(argument as usize) else { continue };
            for (when, leaf) in self.leaves(sym, self.width(*ty)) {
                if matches!(leaf, Leaf::Address(object, _) if self.objects[object].is_fresh()) {
                    let when = self.and(self.here, when);
                    self.release(leaf, when, inst);
                }
            }
        }
        let Some((summary, _)) = &belief.gives else { return Ok(None) };
        let before = self.objects.len();
        let result = self.apply(Application::new(inst, &belief.name, args, function, ty), summary)?;
        for object in self.objects.ids().skip(before) {
            // Who made it has filled it, and may know it.
            self.objects[object].shared |= self.objects[object].is_fresh();
        }
        Ok(Some(result))
    }
}

/// What is believed of the calls that led to something.
pub(crate) fn beliefs(state: &State<'_>, site: &Site) -> Vec<Assumption> {
    let own = CallAt { function: state.id, inst: site.inst };
    let calls = [own].into_iter().chain(site.trail.iter().copied());
    let beliefs = calls.filter_map(|call| state.context.beliefs.of_call(call.function, call.inst));
    beliefs.filter_map(|belief| Some(belief.gives.as_ref()?.1.clone())).collect()
}
