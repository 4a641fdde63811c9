//! Who makes losses happen that need something of callers.
//!
//! In: the summaries of all functions, which say of each of their calls what it needs to make a loss of the callee happen. Out: a call that makes
//! it happen whatever its own caller does, or that there is none in sight.
//!
//! What must hold: every call of which nothing is said counts as one that makes it happen. So a function that was not evaluated, that is called
//! through a pointer or from outside, or that calls itself, hides nothing.

use crate::facts::callers::Callers;
use watertight_ir::callgraph::{CallGraph, CallSite};
use watertight_ir::{FuncId, Program, Table};
use watertight_summary::{CallAt, Summary, When};

/// Who makes a loss happen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Maker {
    /// A call, whatever its own caller does, and the calls from there to the function that loses it, outermost first.
    Calls(Vec<CallAt>),
    /// Perhaps somebody who is not in sight, or of whom it is not known.
    Unknown,
    /// None of the calls in sight, and there are no others.
    Nobody,
    /// None of the calls in sight.
    NobodyInSight,
}

/// Finds out who makes losses happen.
pub struct Makers<'a> {
    program: &'a Program,
    graph: &'a CallGraph,
    callers: Callers,
    summaries: &'a Table<FuncId, Option<Summary>>,
}

impl<'a> Makers<'a> {
    pub fn new(
        program: &'a Program,
        graph: &'a CallGraph,
        summaries: &'a Table<FuncId, Option<Summary>>,
    ) -> Makers<'a> {
        Makers { program, graph, callers: Callers::new(program, graph), summaries }
    }

    /// What the loss of something needs of the callers of the function that acquires it, if it needs anything.
    pub fn needs(&self, acquired: CallAt) -> Option<&'a When> {
        let latent = &self.summaries[acquired.function].as_ref()?.latent;
        latent
            .iter()
            .find(|latent| latent.acquired == acquired && latent.through.is_none())
            .map(|own| &own.when)
    }

    /// Who makes a loss happen that needs something of callers.
    pub fn of(&self, acquired: CallAt) -> Maker {
        let Some(calls) = self.callers.seen(self.program, self.graph, acquired.function) else {
            return Maker::Unknown;
        };
        let all = self.callers.of(self.program, self.graph, acquired.function).is_some();
        match self.among(acquired.function, calls, acquired, &mut vec![acquired.function]) {
            Some(maker) => maker,
            None if all => Maker::Nobody,
            None => Maker::NobodyInSight,
        }
    }

    /// The first of some calls of a function that makes a loss happen.
    fn among(
        &self,
        function: FuncId,
        calls: &[CallSite],
        acquired: CallAt,
        seen: &mut Vec<FuncId>,
    ) -> Option<Maker> {
        let components = self.graph.components();
        calls.iter().find_map(|call| {
            let at = CallAt { function: call.caller, inst: call.inst };
            let summary = self.summaries[call.caller].as_ref();
            let mut latent = summary.into_iter().flat_map(|summary| &summary.latent);
            let told = latent.find(|latent| latent.acquired == acquired && latent.through == Some(at));
            match told {
                _ if components.of(call.caller) == components.of(function) => Some(Maker::Unknown),
                None => Some(Maker::Unknown),
                Some(told) if told.when.is_never() => None,
                Some(told) if told.when.is_always() => Some(Maker::Calls(vec![at])),
                // It needs something of callers in turn, who may be anybody if they are not in sight.
                Some(_) if seen.contains(&call.caller) => None,
                Some(_) => match self.callers.of(self.program, self.graph, call.caller) {
                    None => Some(Maker::Calls(vec![at])),
                    Some(calls) => {
                        seen.push(call.caller);
                        let maker = self.among(call.caller, calls, acquired, seen);
                        maker.map(|maker| match maker {
                            Maker::Calls(mut calls) => {
                                calls.push(at);
                                Maker::Calls(calls)
                            }
                            other => other,
                        })
                    }
                },
            }
        })
    }
}
