//! The skeleton of the call graph: who calls whom by name, and where calls go through pointers.
//!
//! In: a [`Program`]. Out: callees and callers of every function, all direct call sites by callee, all
//! sites that call through a pointer, the functions whose address is taken, and the strongly connected
//! components bottom-up. It is a skeleton because calls through pointers are only listed; who they reach
//! is found by the points-to analysis.
//!
//! A call through a pointer that is the constant address of a function counts as a direct call and does
//! not take the address. [`Op::Name`] markers do not either. Every list is in order of ids or of the text,
//! so the result is the same on every run. The time is linear in the program.
//!
//! ```
//! let text = "declare @g()\nfunc @f() {\nbb0:\n  call @g()\n  return\n}\n";
//! let program = watertight_ir::parse("f.ir", text).expect("the example is well formed");
//! let graph = watertight_ir::CallGraph::new(&program);
//! let (f, g) = (program.function_named("f").expect("f"), program.function_named("g").expect("g"));
//! assert_eq!(graph.callees(f), [g]);
//! assert_eq!(graph.callers(g), [f]);
//! ```

use crate::function::{Body, Const};
use crate::ids::{BlockId, FuncId, Id, InstId, ValueId};
use crate::inst::{Call, Callee, Op};
use crate::lists::Lists;
use crate::program::{Program, Symbol};
use crate::scc::{self, Components};

/// An instruction that calls.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CallSite {
    pub caller: FuncId,
    pub block: BlockId,
    pub inst: InstId,
}

/// Who calls whom.
#[derive(Clone, Debug)]
pub struct CallGraph {
    callees: Lists<FuncId, FuncId>,
    callers: Lists<FuncId, FuncId>,
    sites: Lists<FuncId, CallSite>,
    indirect: Vec<CallSite>,
    address_taken: Vec<FuncId>,
    components: Components<FuncId>,
}

/// The function that a call names, or whose constant address it calls.
pub fn direct_callee(body: &Body, call: &Call) -> Option<FuncId> {
    match call.callee {
        Callee::Direct(function) => Some(function),
        Callee::Pointer(value) => match body.constant(value) {
            Some(Const::Func(function)) => Some(*function),
            _ => None,
        },
    }
}

/// The name of the function that an instruction calls directly.
pub fn callee_name(program: &Program, function: FuncId, inst: InstId) -> Option<&str> {
    let body = program.functions[function].body.as_ref()?;
    match &body.insts[inst].op {
        Op::Call(call) => direct_callee(body, call).map(|callee| &*program.functions[callee].name),
        _ => None,
    }
}

/// How many calls of the same function stand before this one.
pub fn call_ordinal(program: &Program, function: FuncId, inst: InstId) -> u32 {
    let Some(body) = &program.functions[function].body else { return 0 };
    let name = callee_name(program, function, inst);
    let all = body.blocks.values().flat_map(|block| &block.insts);
    let before = all.take_while(|&&other| other != inst);
    before.filter(|&&other| name.is_some() && callee_name(program, function, other) == name).count() as u32
}

impl CallGraph {
    pub fn new(program: &Program) -> CallGraph {
        let count = program.functions.len();
        let mut edges = Vec::new();
        let mut sites = Vec::new();
        let mut indirect = Vec::new();
        let mut taken = vec![false; count];
        // The last function seen to call each function: a second call is recognised at once.
        let mut last_caller: Vec<Option<FuncId>> = vec![None; count];
        for (caller, function) in program.functions.iter() {
            let Some(body) = &function.body else { continue };
            let mut take = |value: ValueId| {
                if let Some(Const::Func(function)) = body.constant(value) {
                    taken[function.index()] = true;
                }
            };
            for (block, entry) in body.blocks.iter() {
                for &inst in &entry.insts {
                    match &body.insts[inst].op {
                        Op::Call(call) => {
                            let site = CallSite { caller, block, inst };
                            match direct_callee(body, call) {
                                Some(callee) => {
                                    sites.push((callee, site));
                                    if last_caller[callee.index()].replace(caller) != Some(caller) {
                                        edges.push((caller, callee));
                                    }
                                }
                                None => indirect.push(site),
                            }
                            call.args.iter().copied().for_each(&mut take);
                        }
                        Op::Name { .. } => {}
                        op => op.operands(&mut take),
                    }
                }
                entry.term.operands(&mut take);
            }
        }
        let images = program.globals.values().filter_map(|global| global.image.as_ref());
        for relocation in images.flat_map(|image| &image.relocations) {
            for symbol in [Some(relocation.target), relocation.minus].into_iter().flatten() {
                if let Symbol::Func(function) = symbol {
                    taken[function.index()] = true;
                }
            }
        }
        let callees = Lists::from_pairs(count, &edges);
        let components = scc::components(count, |function| callees.of(function));
        CallGraph {
            callers: callees.reversed(),
            sites: Lists::from_pairs(count, &sites),
            indirect,
            address_taken: program.functions.ids().filter(|function| taken[function.index()]).collect(),
            components,
            callees,
        }
    }

    /// Adds calls that were found by other means, such as through pointers. Afterwards callees, callers and
    /// components are those of all calls.
    pub fn add(&mut self, edges: &[(FuncId, FuncId)]) {
        if edges.is_empty() {
            return;
        }
        let count = self.components.iter().map(<[FuncId]>::len).sum();
        let mut all = Vec::new();
        for function in (0..count).map(FuncId::new) {
            all.extend(self.callees.of(function).iter().map(|&callee| (function, callee)));
        }
        for &(caller, callee) in edges {
            if !self.callees.of(caller).contains(&callee) {
                all.push((caller, callee));
            }
        }
        self.callees = Lists::from_pairs(count, &all);
        self.callers = self.callees.reversed();
        self.components = scc::components(count, |function| self.callees.of(function));
    }

    /// The functions that `function` calls by name, each once, in order of the first call.
    pub fn callees(&self, function: FuncId) -> &[FuncId] {
        self.callees.of(function)
    }
    /// The functions that call `function` by name, each once, in ascending order.
    pub fn callers(&self, function: FuncId) -> &[FuncId] {
        self.callers.of(function)
    }
    /// Every instruction that calls `function` by name.
    pub fn call_sites(&self, function: FuncId) -> &[CallSite] {
        self.sites.of(function)
    }
    /// Every instruction that calls through a pointer.
    pub fn indirect_calls(&self) -> &[CallSite] {
        &self.indirect
    }
    /// The functions whose address is used for more than a direct call, in ascending order.
    pub fn address_taken(&self) -> &[FuncId] {
        &self.address_taken
    }
    /// Groups of functions that call each other by name, callees before callers.
    pub fn components(&self) -> &Components<FuncId> {
        &self.components
    }
    /// Whether `function` calls itself by name, directly or through others.
    pub fn is_recursive(&self, function: FuncId) -> bool {
        let component = self.components.members(self.components.of(function));
        component.len() > 1 || self.callees(function).contains(&function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    const TEXT: &str = "
global @table: 8 align 8 = {
  0: addr8 @in_table
}
declare @leaf()
declare @in_table()
declare @as_argument()
declare @stored()
declare @only_named()
func @even(%v0: ptr) {
  var var0 = f: void
bb0:
  call @odd(ptr @as_argument)
  call @leaf()
  call @odd(%v0)
  name var0, ptr @only_named
  store ptr @stored to %v0
  return
}
func @odd(%v0: ptr) {
bb0:
  call @even(%v0)
  call %v0()
  call ptr @leaf()
  return
}
func @top() {
bb0:
  call @even(ptr null)
  return
}
";

    #[test]
    fn calls_and_addresses_are_told_apart() {
        let program = parse("calls.ir", TEXT).unwrap();
        let graph = CallGraph::new(&program);
        let id = |name: &str| program.function_named(name).unwrap();
        assert_eq!(graph.callees(id("even")), [id("odd"), id("leaf")]);
        assert_eq!(graph.callees(id("odd")), [id("even"), id("leaf")]);
        assert_eq!(graph.callers(id("even")), [id("odd"), id("top")]);
        assert_eq!(graph.call_sites(id("odd")).len(), 2);
        assert_eq!(graph.indirect_calls().len(), 1);
        assert_eq!(graph.indirect_calls()[0].caller, id("odd"));
        assert_eq!(graph.address_taken(), [id("in_table"), id("as_argument"), id("stored")]);
    }

    #[test]
    fn components_come_callees_first() {
        let program = parse("calls.ir", TEXT).unwrap();
        let graph = CallGraph::new(&program);
        let id = |name: &str| program.function_named(name).unwrap();
        let of = |name: &str| graph.components().of(id(name));
        assert_eq!(of("even"), of("odd"));
        assert!(of("leaf") < of("even") && of("even") < of("top"));
        assert!(graph.is_recursive(id("odd")) && !graph.is_recursive(id("top")));
    }
}
