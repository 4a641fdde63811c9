//! Whom every call may reach, and who may call every function, with pointers resolved.
//!
//! In: a program and the models. Out: plain tables, without the points-to sets they come from, for everybody who asks about
//! calls only. What must hold: a call through a pointer that may reach more than what is listed is said to be open; a function
//! that a library may call, at a time nobody knows, has no list of callers.

use crate::PointsTo;
use crate::object::Origin;
use rustc_hash::FxHashMap;
use watertight_ir::callgraph::{CallGraph, CallSite, direct_callee};
use watertight_ir::{Body, Const, Def, FuncId, InstId, Lists, Op, Program, Table};
use watertight_summary::model::Models;

/// Functions that a call may reach, and whether it may reach others.
type Reached = (Box<[FuncId]>, bool);

/// The calls of a program.
#[derive(Clone, Debug)]
pub struct Calls {
    /// With the calls through pointers among callees, callers and components.
    graph: CallGraph,
    /// By call through a pointer.
    targets: FxHashMap<(FuncId, InstId), Reached>,
    through_pointers: Lists<FuncId, CallSite>,
    outside: Table<FuncId, bool>,
}

impl Calls {
    /// Resolves all pointers of a program that has calls through them.
    pub fn new(program: &Program, models: &Models) -> Calls {
        let mut graph = CallGraph::new(program);
        let mut targets = FxHashMap::default();
        let mut outside = given_away(program);
        let (mut sites, mut edges, mut complete) = (Vec::new(), Vec::new(), true);
        if !graph.indirect_calls().is_empty() {
            let points_to = PointsTo::new(program, models);
            complete = points_to.complete;
            for site in graph.indirect_calls().iter().filter(|_| complete) {
                let reached = points_to.callees(site.caller, site.inst);
                let open = reached.is_empty() || points_to.is_from_outside(program, site);
                sites.extend(reached.iter().map(|&target| (target, *site)));
                edges.extend(reached.iter().map(|&target| (site.caller, target)));
                targets.insert((site.caller, site.inst), (reached.into(), open));
            }
            for call in points_to.calls_by_models() {
                call.targets.iter().for_each(|&target| outside[target] = true);
            }
        }
        if !complete {
            graph.address_taken().iter().for_each(|&function| outside[function] = true);
        }
        graph.add(&edges);
        let through_pointers = Lists::from_pairs(program.functions.len(), &sites);
        Calls { graph, targets, through_pointers, outside }
    }

    /// The functions in sight that a call may reach.
    pub fn targets<'a>(&'a self, body: &Body, caller: FuncId, inst: InstId) -> Targets<'a> {
        match &body.insts[inst].op {
            Op::Call(call) => match direct_callee(body, call) {
                Some(callee) => Targets { one: Some(callee), some: &[], open: false },
                None => match self.targets.get(&(caller, inst)) {
                    Some((targets, open)) => Targets { one: None, some: targets, open: *open },
                    None => Targets { one: None, some: &[], open: true },
                },
            },
            _ => Targets { one: None, some: &[], open: false },
        }
    }

    /// Every call that may be of a function, if all are in sight.
    pub fn sites(&self, function: FuncId) -> Option<impl Iterator<Item = CallSite> + '_> {
        let pointed = self.through_pointers.of(function).iter();
        (!self.outside[function]).then(|| self.graph.call_sites(function).iter().chain(pointed).copied())
    }

    /// Callees, callers and components.
    pub fn graph(&self) -> &CallGraph {
        &self.graph
    }
}

/// The functions that a call may reach.
#[derive(Copy, Clone, Debug)]
pub struct Targets<'a> {
    one: Option<FuncId>,
    some: &'a [FuncId],
    /// It may also reach functions that nobody knows.
    pub open: bool,
}

impl Targets<'_> {
    pub fn iter(&self) -> impl Iterator<Item = FuncId> + '_ {
        self.one.into_iter().chain(self.some.iter().copied())
    }
}

impl PointsTo<'_> {
    /// Whether the pointer of a call may come from outside of the program.
    fn is_from_outside(&self, program: &Program, site: &CallSite) -> bool {
        let Some(body) = &program.functions[site.caller].body else { return false };
        let Op::Call(call) = &body.insts[site.inst].op else { return false };
        let watertight_ir::Callee::Pointer(value) = call.callee else { return false };
        self.locations(self.of(site.caller, value))
            .any(|location| matches!(self.object(location.object).origin, Origin::World))
    }
}

/// Functions whose address is passed to a function out of sight, which calls it whenever it likes.
fn given_away(program: &Program) -> Table<FuncId, bool> {
    let mut given: Table<FuncId, bool> = Table::filled(program.functions.len(), false);
    for body in program.functions.values().filter_map(|function| function.body.as_ref()) {
        for inst in body.insts.values() {
            let Op::Call(call) = &inst.op else { continue };
            let callee = direct_callee(body, call);
            if callee.is_some_and(|callee| program.functions[callee].body.is_some()) {
                continue;
            }
            for &arg in call.args.iter().filter(|_| callee.is_some()) {
                if let Def::Const(Const::Func(function)) = body.values[arg].def {
                    given[function] = true;
                }
            }
        }
    }
    given
}
