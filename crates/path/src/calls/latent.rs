//! Losses that need something of callers: who makes them happen.
//!
//! A function that loses something only where entry values are of a certain kind says so in its summary ([`Latent`]), with the least that
//! they must be. Where a caller is evaluated, what the call passes and what memory holds then is put into that condition: on paths
//! that cannot be, the call does not make it happen; on others the condition, in words of the caller's own entry values, goes on to
//! the callers of the caller. When all functions are known, [`Makers`] follows these answers up to a call that makes a loss happen, or
//! to the end, where there is none.
//!
//! What must hold: a condition is never more than the loss needs, and every call of which nothing is said counts as one that makes it
//! happen. So a function that was not evaluated, that is called through a pointer or from outside, or that calls itself, hides nothing.

use crate::calls::apply::Application;
use crate::calls::callers::Callers;
use crate::evaluate::memory::Origin;
use crate::evaluate::state::{Precision, State};
use crate::leaving::exits::Exits;
use crate::stories::witness::ask;
use crate::summarise::conditions::Tests;
use crate::turns::budgets::MOST_LATENT;
use watertight_ir::callgraph::{CallGraph, CallSite};
use watertight_ir::{FuncId, InstId, Program, Table};
use watertight_logic::guard::Guard;
use watertight_logic::question::Answer;
use watertight_logic::solver::Solver;
use watertight_summary::{CallAt, Latent, Path, Step, Summary, When};

/// A loss of a callee that a call may make happen.
#[derive(Clone, Debug)]
pub(crate) struct Provoked {
    acquired: CallAt,
    /// The call.
    inst: InstId,
    /// The paths on which it does.
    guard: Guard,
}

impl State<'_> {
    /// Notes on which paths a call makes losses of its callee happen.
    pub(crate) fn provoke(&mut self, summary: &Summary, application: &Application<'_>) {
        // In a callee that is followed here, calls are not those of this function.
        if self.precision == Precision::Coarse
            || self.stand_in.is_some()
            || !self.context.is_called_by_name(application.function)
        {
            return;
        }
        if summary.latent.is_empty() {
            return;
        }
        // What a loss inside needs is no question of the callee's.
        let told_null = self.told_null.clone();
        for latent in summary.latent.iter().filter(|latent| !latent.when.is_never()) {
            let possible = self.when(&latent.when, application);
            let guard = self.and(self.here, possible);
            let same =
                |known: &&mut Provoked| known.acquired == latent.acquired && known.inst == application.inst;
            match self.provoked.iter_mut().find(same).map(|known| known.guard) {
                None if self.provoked.len() < MOST_LATENT => {
                    let (acquired, inst) = (latent.acquired, application.inst);
                    self.provoked.push(Provoked { acquired, inst, guard });
                }
                None => {}
                Some(before) => {
                    let guard = self.or(before, guard);
                    let known = self.provoked.iter_mut().find(same);
                    known.into_iter().for_each(|known| known.guard = guard);
                }
            }
        }
        self.told_null = told_null;
    }
}

/// The losses of an evaluated function, and of what it calls, that need something of its callers.
pub(crate) fn latent(state: &mut State<'_>, exits: &Exits) -> Vec<Latent> {
    if state.precision == Precision::Coarse {
        return Vec::new();
    }
    let mut tests = Tests::new(state);
    let mut all: Vec<Latent> = Vec::new();
    for (inst, guard) in own(state, exits) {
        let when = needed(state, guard, &mut tests);
        if !when.is_always() {
            let acquired = CallAt { function: state.id, inst };
            all.push(Latent { acquired, through: None, when });
        }
    }
    let mut solver: Option<Solver> = None;
    for Provoked { acquired, inst, guard } in std::mem::take(&mut state.provoked) {
        let guard = state.formulas.guards.and_not(guard, state.seldom);
        let never = guard.is_false() || {
            let solver = solver.get_or_insert_with(Solver::new);
            matches!(ask(state, solver, guard), Answer::Unsat(_))
        };
        let when = if never { When::never() } else { needed(state, guard, &mut tests) };
        all.push(Latent { acquired, through: Some(CallAt { function: state.id, inst }), when });
    }
    all.truncate(MOST_LATENT);
    all
}

/// The least that entry values must be on some paths. What is asked of some element that is not known is left out: nobody could say
/// which one it is.
fn needed(state: &mut State<'_>, guard: Guard, tests: &mut Tests) -> When {
    let mut when = state.entry_condition(guard, tests);
    let known = |path: &Path| path.steps.iter().all(|step| matches!(step, Step::At(_) | Step::Number { .. }));
    for all in &mut when.any {
        all.retain(|test| known(&test.value) && test.other.as_ref().is_none_or(known));
    }
    if when.is_always() { When::always() } else { when }
}

/// When what each call acquires is lost in the function itself.
fn own(state: &mut State<'_>, exits: &Exits) -> Vec<(InstId, Guard)> {
    let mut own: Vec<(InstId, Guard)> = Vec::new();
    for lost in &exits.lost {
        let Origin::Fresh(site) = &state.objects[lost.object].origin else { continue };
        let inst = site.inst;
        let guard = if lost.surely.is_false() { lost.perhaps } else { lost.surely };
        let guard = state.formulas.guards.and_not(guard, state.seldom);
        match own.iter().position(|entry| entry.0 == inst) {
            Some(index) => own[index].1 = state.or(own[index].1, guard),
            None => own.push((inst, guard)),
        }
    }
    own
}

/// Who makes a loss happen.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Maker {
    /// A call, whatever its own caller does.
    Call(CallAt),
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
                Some(told) if told.when.is_always() => Some(Maker::Call(at)),
                // It needs something of callers in turn, who may be anybody if they are not in sight.
                Some(_) if seen.contains(&call.caller) => None,
                Some(_) => match self.callers.of(self.program, self.graph, call.caller) {
                    None => Some(Maker::Call(at)),
                    Some(calls) => {
                        seen.push(call.caller);
                        self.among(call.caller, calls, acquired, seen)
                    }
                },
            }
        })
    }
}
