//! Which functions have all their callers in sight.
//!
//! In: a program and its call graph. Out: the calls of a function, if there can be no others. A function of one unit alone
//! (`static`) is called by that unit. Where the program has a `main`, all of it is there, and functions that others could see are
//! called by what is there too (ASSUME-52). A function whose address is taken may be called through a pointer, so by anybody; so may one that
//! nothing in sight calls, and one of which another definition may be the one that counts.

use rustc_hash::FxHashMap;
use watertight_ir::callgraph::{CallGraph, CallSite};
use watertight_ir::{FuncId, Linkage, Program, Table};

/// Who may call what.
#[derive(Debug)]
pub struct Callers {
    whole: bool,
    /// Functions that somebody else may call as well.
    taken: Table<FuncId, bool>,
}

impl Callers {
    pub fn new(program: &Program, graph: &CallGraph) -> Callers {
        let mut taken = Table::filled(program.functions.len(), false);
        for &function in graph.address_taken() {
            taken[function] = true;
        }
        // A build of several programs may define a name more than once, and which one is meant is guessed.
        let mut first: FxHashMap<&str, FuncId> = FxHashMap::default();
        for (id, function) in program.functions.iter() {
            if function.body.is_some()
                && function.linkage == Linkage::External
                && let Some(other) = first.insert(&function.name, id)
            {
                taken[id] = true;
                taken[other] = true;
            }
        }
        let mut functions = program.functions.values();
        let whole = functions.any(|function| &*function.name == "main" && function.body.is_some());
        Callers { whole, taken }
    }

    /// Whether the program has a `main`, so that nothing else uses its functions and variables.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// The calls of a function, if all are in sight and there is one.
    pub fn of<'g>(
        &self,
        program: &Program,
        graph: &'g CallGraph,
        function: FuncId,
    ) -> Option<&'g [CallSite]> {
        let inside = self.whole || program.functions[function].linkage == Linkage::Internal;
        self.seen(program, graph, function).filter(|_| inside)
    }

    /// The calls of a function that are in sight, if its address is not taken and there is one.
    pub fn seen<'g>(
        &self,
        program: &Program,
        graph: &'g CallGraph,
        function: FuncId,
    ) -> Option<&'g [CallSite]> {
        let ours = matches!(program.functions[function].linkage, Linkage::Internal | Linkage::External);
        let sites = graph.call_sites(function);
        (ours && !self.taken[function] && !sites.is_empty()).then_some(sites)
    }
}
