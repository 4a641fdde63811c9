//! Arguments that must not be null (ASSUME-29).
//!
//! A library function that is handed the null pointer where it needs an address does not come back, so paths on which
//! that happens end at the call, like those that read or write through the null pointer themselves. Needed are
//! parameters that their declaration calls `nonnull`, and those that a model calls `stream`: no function of the library
//! takes a stream that is not there, but for those that then mean all streams, where models use another name.
//! An argument that is null on all paths says more about what we do not see than about the program.

use crate::assumptions::Supposed;
use crate::calls::apply::Arguments;
use crate::machine::state::State;
use crate::machine::value::Leaf;
use watertight_ir::{Function, Type};
use watertight_logic::guard::Guard;

/// What models call a parameter that must be there.
const NEEDED: &str = "stream";

impl State<'_> {
    /// Takes away the paths on which a library function gets null where it needs an address.
    pub(crate) fn end_at_null_arguments(&mut self, function: &Function, args: &Arguments<'_>) {
        let assumed = self.assumes(Supposed::LibraryNeedsArguments);
        if !assumed || function.body.is_some() {
            return;
        }
        for (index, (sym, ty)) in args.iter().enumerate() {
            if *ty != Type::Ptr || !self.needs(function, index) {
                continue;
            }
            let (width, care) = (self.width(*ty), self.here);
            let mut null = Guard::FALSE;
            for (guard, leaf) in self.leaves(sym, width) {
                if let Leaf::Number(term) = leaf
                    && self.formulas.terms.const_value(term) == Some(0)
                {
                    let guard = self.within(guard, care);
                    null = self.or(null, guard);
                }
            }
            if !null.is_true() {
                self.here = self.formulas.guards.and_not(care, null);
            }
        }
    }

    fn needs(&self, function: &Function, index: usize) -> bool {
        if function.params.get(index).is_some_and(|param| param.non_null) {
            return true;
        }
        let origin = self.context.library.origins.get(&function.name);
        origin.and_then(|origin| origin.parameters.get(index)).is_some_and(|name| &**name == NEEDED)
    }
}
