//! One function at a time: unroll, evaluate, look at the exits, summarise. When it takes its turn is decided in
//! `schedule.rs`.

use crate::assumptions::Assumptions;
use crate::calls::released::uses;
use crate::calls::variable;
use crate::context::brief::brief;
use crate::context::costs::{Clock, Costs, Lap};
use crate::context::report::Report;
use crate::context::uses::{Facts, Uses};
use crate::context::{Component, Context, Known};
use crate::exits::lost::{Exits, exits};
use crate::limits;
use crate::machine::eval::evaluate;
use crate::machine::spending::Patience;
use crate::machine::state::{Detail, State};
use crate::machine::tail::finish;
use crate::outcomes::infer::infer;
use crate::plan::scanning::is_scanning;
use crate::plan::unroll::{Limits, unroll};
use crate::stories::states::confirmed_left;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;
use watertight_ir::callgraph::direct_callee;
use watertight_ir::cfg::Cfg;
use watertight_ir::loops::Loops;
use watertight_ir::{FuncId, Id, LoopId, Op, Table, Type};
use watertight_logic::budget::Budget;
use watertight_summary::{Completeness, Effect, KeepReason, Outcome, Path, Summary, Value, Way, When};

/// Runs a piece of work; an error is the message of a panic in it.
pub type Protect = fn(&mut dyn FnMut()) -> Result<(), String>;

/// What the engine may spend, and how it is caught when it stumbles.
#[derive(Copy, Clone, Debug)]
pub struct Options {
    pub limits: Limits,
    /// Steps per function and pass.
    pub steps: u64,
    /// How often a recursive component is summarised before it is taken as it is.
    pub rounds: u32,
    /// Catches a mistake of ours in one function, which must not cost the results of the others.
    pub protect: Protect,
    /// A function in which to make such a mistake, to see what comes of it.
    pub stumble: Option<FuncId>,
    /// Functions that do not depend on each other are visited in an order of this number; results do not depend
    /// on it. For tests.
    pub visit: u64,
    /// What is assumed.
    pub assumptions: Assumptions,
    /// Which functions are evaluated.
    pub scope: Scope,
    /// Measures where the time goes.
    pub clock: Clock,
}

/// Which functions are evaluated.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Scope {
    All,
    /// Those that touch resources, and what they call.
    Resources,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            limits: Limits::LOOPS,
            steps: limits::STEPS,
            rounds: limits::ROUNDS,
            protect: |work| catch_unwind(AssertUnwindSafe(work)).map_err(|_| "a panic".to_owned()),
            stumble: None,
            visit: 0,
            assumptions: Assumptions::default(),
            scope: Scope::All,
            clock: || Duration::ZERO,
        }
    }
}

/// What is known of a function that could not be followed.
pub(crate) const UNKNOWN: Facts = Facts {
    uses: Uses::NONE,
    sizes: Uses::NONE,
    opaque: true,
    vague_states: true,
    strays: true,
    reads_variable: false,
    lists: Uses::NONE,
};

/// What came out for one function.
#[derive(Debug)]
pub struct FunctionResult<R> {
    pub summary: Summary,
    pub facts: Facts,
    /// What the caller of the engine made of the evaluated state.
    pub report: R,
    /// Whether the function was given up.
    pub given_up: bool,
    /// How we failed on it, if we did. Nothing else is known of the function then.
    pub mistake: Option<String>,
    pub costs: Costs,
}

/// How hard to try.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Effort {
    /// For a summary that the next round replaces.
    Quick,
    Full,
}

/// How closely a function is looked at.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Look {
    /// With all that its callees do.
    Close,
    /// The same, with fewer iterations of loops, and more time. What multiplies in a function that is too large for a close
    /// look is iterations times what callees do; of the two, a way out needs the callees.
    Patient,
    /// With what they do told in brief, and fewer iterations of loops. The last such look goes on with names for guards when
    /// its steps are spent.
    Brief,
    /// The same, and each loop has one iteration that stands for any. Enough for a round that the next one replaces, and
    /// where nothing is acquired or released: paths matter little there.
    Glance,
}

/// Evaluates one function, or says how we failed on it.
pub(crate) fn attempt<R: Report>(
    context: &Context<'_>,
    component: &Component,
    id: FuncId,
    options: &Options,
    effort: Effort,
    inspect: &impl Fn(&mut State<'_>, &Exits) -> R,
) -> FunctionResult<R> {
    let mut result = None;
    let mut work = || result = Some(function(context, component, id, options, effort, inspect));
    match (options.protect)(&mut work) {
        Ok(()) => result.expect("work that was not cut short leaves its result"),
        Err(message) => FunctionResult {
            summary: anything(context, id),
            facts: UNKNOWN,
            report: R::default(),
            given_up: false,
            mistake: Some(message),
            costs: Costs::default(),
        },
    }
}

/// Whether a look follows states.
#[derive(Copy, Clone, PartialEq, Eq)]
enum States {
    Followed,
    Left,
}

/// Evaluates one function.
fn function<R: Report>(
    context: &Context<'_>,
    component: &Component,
    id: FuncId,
    options: &Options,
    effort: Effort,
    inspect: &impl Fn(&mut State<'_>, &Exits) -> R,
) -> FunctionResult<R> {
    assert!(options.stumble != Some(id), "stumbled as asked to");
    let body = context.program.functions[id].body.as_ref().expect("only bodies are evaluated");
    let cfg = Cfg::new(body);
    let loops = Loops::new(&cfg);
    let mut costs = Costs::default();
    let mut lap = Lap::start(options.clock);
    let resources = touches_resources(context, component, id);
    let states = touches_states(context, component, id);
    // Where a look fails that follows states, they go first: memory is looked at without them as if there were none.
    let looks: &[(Look, States)] = match (effort, resources, states) {
        (Effort::Full, true, true) => &[
            (Look::Close, States::Followed),
            (Look::Close, States::Left),
            (Look::Patient, States::Followed),
            (Look::Patient, States::Left),
            (Look::Brief, States::Followed),
            (Look::Brief, States::Left),
        ],
        (Effort::Full, true, false) => {
            &[(Look::Close, States::Left), (Look::Patient, States::Left), (Look::Brief, States::Left)]
        }
        (Effort::Full, false, true) if body.insts.len() <= limits::SMALL => {
            &[(Look::Close, States::Followed), (Look::Brief, States::Followed), (Look::Glance, States::Left)]
        }
        (Effort::Full, false, true) => &[(Look::Brief, States::Followed), (Look::Glance, States::Left)],
        // What a function demands of the states at entry its own calls of itself have to know.
        (Effort::Quick, _, true) if body.insts.len() <= limits::SMALL => {
            &[(Look::Glance, States::Followed), (Look::Glance, States::Left)]
        }
        _ => &[(Look::Glance, States::Left)],
    };
    let is_pure = |callee| match component.lookup(context, callee) {
        Known::Summary(summary) => summary.outcomes.iter().all(Outcome::is_plain),
        Known::Pending | Known::Nothing => context.program.functions[callee].attrs.no_memory,
    };
    let scanning: Table<LoopId, bool> =
        loops.iter().map(|(id, _)| is_scanning(body, &loops, id, &is_pure)).collect();
    let mut moved = true;
    let mut reached: Option<R> = None;
    // How many copies of blocks the last close look has got through.
    let mut got_through = 0;
    let mut named: Option<R> = None;
    'looks: for &(look, follow) in looks {
        // It has failed for another reason. The last look does not fail.
        if matches!(look, Look::Close | Look::Patient) && follow == States::Left && states && !moved {
            continue;
        }
        let touches = resources || follow == States::Followed;
        let in_brief = matches!(look, Look::Brief | Look::Glance);
        let detail = if in_brief && touches { Detail::Brief } else { Detail::All };
        let told = if look == Look::Close { told_of_callees(context, component, id) } else { 0 };
        let guards = match look {
            Look::Close => limits::CLOSE,
            Look::Patient => limits::PATIENT,
            Look::Brief => limits::BRIEF,
            Look::Glance if touches => limits::ROUND,
            Look::Glance => limits::UNTOUCHED,
        };
        // The last look goes on when its steps are spent, so that there is nothing of which nothing is known.
        let persists = look == Look::Brief && follow == States::Left;
        let limits = Limits {
            outer: if look == Look::Close { options.limits.outer } else { options.limits.outer / 2 },
            inner: if look == Look::Close { options.limits.inner } else { options.limits.inner / 2 },
            easy: options.limits.easy.min(limits::EASY_WORK / told.max(1)),
            general: if look == Look::Close { options.limits.general } else { 0 },
            states: if look == Look::Close { options.limits.states } else { 0 },
            nodes: if persists { limits::MOST_NAMED_COPIES } else { options.limits.nodes },
            ..options.limits
        };
        let mut havocked: Table<LoopId, bool> = Table::filled(loops.len(), look == Look::Glance);
        // A loop that cannot be left within its iterations is evaluated again with one iteration that
        // stands for any. Each pass havocs at least one more loop.
        for _ in 0..limits::PASSES {
            let Some((unrolled, plan)) = unroll(body, &cfg, &loops, &limits, &havocked, &scanning) else {
                break;
            };
            if look == Look::Patient && got_through * limits::HOPEFUL < unrolled.nodes.len() {
                break;
            }
            let budget = Budget::new(match effort {
                _ if !touches => limits::UNTOUCHED_STEPS,
                Effort::Full if look == Look::Patient => options.steps * limits::PATIENCE,
                Effort::Full => options.steps,
                Effort::Quick => options.steps / limits::ROUND_PART,
            });
            let mut state =
                State::new(context, component, id, body, &loops, &unrolled, &plan, budget, guards);
            state.detail = detail;
            state.patience = if persists { Patience::Persists } else { Patience::Ends };
            state.few_turns = look == Look::Patient && !loops.is_empty();
            state.follow_states = follow == States::Followed || !states;
            let evaluated = evaluate(&mut state);
            costs.passes += 1;
            costs.named += u64::from(state.patience == Patience::Names);
            costs.guard_steps += state.formulas.guards.steps();
            costs.guard_nodes += state.formulas.guards.node_count() as u64;
            if evaluated.is_err() {
                moved = !state.journal.moves.is_empty();
                costs.repeated += 1;
                costs.out_of_steps += u64::from(!state.formulas.guards.overflowed());
                costs.wasted_steps += state.formulas.guards.steps();
                got_through = got_through.max(state.node.index());
                let close = look == Look::Close && reached.is_none();
                if effort == Effort::Full && (close || look == Look::Patient && follow == States::Left) {
                    let further = reported_so_far(&mut state, &cfg, inspect);
                    costs.cut_short += u64::from(further.is_some());
                    reached = match (further, reached) {
                        (Some(further), Some(earlier)) => Some(further.with_earlier(earlier)),
                        (further, earlier) => further.or(earlier),
                    };
                }
                costs.wasted += lap.read();
                break;
            }
            let stuck = stuck_loops(&state, &cfg, &havocked);
            costs.evaluate += lap.read();
            if !stuck.is_empty() {
                for id in stuck {
                    havocked[id] = true;
                }
                continue;
            }
            // Where states are followed, what is told apart would mostly be states that callers cannot tell apart. Where guards have names, none of
            // them grows.
            if follow == States::Left && state.patience != Patience::Names {
                let made = state.formulas.guards.node_count();
                state.formulas.guards.set_limits(limits::afterwards(guards, made));
            }
            let exits = exits(&mut state);
            state.journal.left_behind = confirmed_left(&mut state, &exits);
            costs.exits += lap.read();
            if state.patience == Patience::Names {
                // What callers can do nothing with is not told to them: the conditions of its outcomes have names.
                named = Some(inspect(&mut state, &exits));
                costs.stories += lap.read();
                costs.questions += state.effort.questions;
                costs.conflicts += state.effort.conflicts;
                break 'looks;
            }
            let mut summary = infer(&mut state, &exits);
            // Callers of a function that was too large for a close look have enough to do without all of its details.
            if look == Look::Patient {
                summary = brief(&summary);
            }
            let uses = uses(&mut state, exits.returned, &summary);
            costs.infer += lap.read();
            let opaque = state.opaque || summary.completeness == Completeness::Partial;
            let untold = states && follow == States::Left;
            let vague_states = untold || !state.doubtful_states.is_false() || summary.has_vague_states();
            let facts = Facts {
                uses,
                sizes: state.size_parameters(),
                opaque,
                vague_states,
                strays: state.strays,
                reads_variable: variable::only_reads(context, component, id),
                lists: variable::lists_read(context, component, id),
            };
            let mut report = inspect(&mut state, &exits);
            // A close look without states that came to its end knows all that one with states did not get to.
            if let Some(reached) = reached.filter(|_| look != Look::Close) {
                report = report.with_earlier(reached);
            }
            costs.stories += lap.read();
            costs.questions += state.effort.questions;
            costs.conflicts += state.effort.conflicts;
            return FunctionResult { summary, facts, report, given_up: false, mistake: None, costs };
        }
    }
    // A function that touches nothing has nothing to lose, and is no loss.
    let given_up = resources && named.is_none();
    let report = named.into_iter().chain(reached).reduce(R::with_earlier).unwrap_or_default();
    FunctionResult { summary: anything(context, id), facts: UNKNOWN, report, given_up, mistake: None, costs }
}

/// What a look that was cut short says of the ways out that it reached.
fn reported_so_far<R>(
    state: &mut State<'_>,
    cfg: &Cfg,
    inspect: &impl Fn(&mut State<'_>, &Exits) -> R,
) -> Option<R> {
    finish(state, cfg);
    if state.returns.is_empty() && state.journal.jumps.is_empty() {
        return None;
    }
    let exits = exits(state);
    state.journal.left_behind = confirmed_left(state, &exits);
    Some(inspect(state, &exits))
}

/// Whether something that the function calls acquires or releases something.
pub(crate) fn touches_resources(context: &Context<'_>, component: &Component, id: FuncId) -> bool {
    let mut callees = context.order.callees(id).iter();
    context.targets.calls_back(id)
        || context.acquires(id)
        || callees.any(|&callee| match component.lookup(context, callee) {
            Known::Summary(summary) => summary.touches_resources(),
            Known::Pending => true,
            Known::Nothing => false,
        })
}

/// Whether something that the function calls moves states.
pub(crate) fn touches_states(context: &Context<'_>, component: &Component, id: FuncId) -> bool {
    context.reaches_events(id)
        && context.order.callees(id).iter().any(|&callee| match component.lookup(context, callee) {
            _ if context.has_events(callee) => true,
            Known::Summary(summary) => summary.touches_states(),
            Known::Pending | Known::Nothing => false,
        })
}

/// How many effects the calls of a function have, in all outcomes of what they call.
fn told_of_callees(context: &Context<'_>, component: &Component, id: FuncId) -> usize {
    let body = context.program.functions[id].body.as_ref().expect("only bodies are evaluated");
    let effects = |callee| match component.lookup(context, callee) {
        Known::Summary(summary) => summary.outcomes.iter().map(|outcome| outcome.effects.len()).sum(),
        Known::Pending | Known::Nothing => 0,
    };
    let calls = body.insts.values().filter_map(|inst| match &inst.op {
        Op::Call(call) => direct_callee(body, call),
        _ => None,
    });
    calls.map(effects).sum()
}

/// Loops that are entered and, in the iterations they were given, neither left nor refuted.
fn stuck_loops(state: &State<'_>, cfg: &Cfg, havocked: &Table<LoopId, bool>) -> Vec<LoopId> {
    let mut stuck = Vec::new();
    for (id, data) in state.loops.iter() {
        if havocked[id] {
            continue;
        }
        let entered = data.entries.iter().flat_map(|&entry| state.unrolled.copies(entry));
        if entered.clone().all(|&node| state.entered[node].is_false()) {
            continue;
        }
        let exits = state.loops.exits(cfg, id);
        let left = exits.iter().any(|&(from, to)| {
            state.unrolled.copies(from).iter().any(|&node| {
                let target = state.unrolled.target(state.loops, state.plan, node, to);
                target.is_some_and(|target| state.edges[target].iter().any(|edge| edge.0 == node))
            })
        });
        // A loop whose body ends in a return or an exit is left in another way.
        let ends = state.loops.blocks(id).iter().any(|&block| {
            let leaves = matches!(
                state.body.blocks[block].term,
                watertight_ir::Terminator::Return(_) | watertight_ir::Terminator::Unreachable
            );
            leaves && state.unrolled.copies(block).iter().any(|&node| !state.entered[node].is_false())
        });
        if !left && !ends && !exits.is_empty() {
            stuck.push(id);
        }
    }
    stuck
}

/// The summary of a function about which nothing is known: it may keep and change all it is given.
pub(crate) fn anything(context: &Context<'_>, id: FuncId) -> Summary {
    let function = &context.program.functions[id];
    let pointers = function.params.iter().enumerate().filter(|(_, param)| param.ty == Type::Ptr);
    let effects = pointers
        .flat_map(|(index, _)| {
            let value = Path::param(index as u32);
            let reason = KeepReason::Assumed { function: function.name.clone() };
            [Effect::Keep { value: value.clone(), reason }, Effect::Clobber { place: value }]
        })
        .collect();
    let outcome = Outcome {
        when: When::always(),
        result: Value::Any,
        fresh: Vec::new(),
        effects,
        way: Way::Returns,
        invented: false,
    };
    Summary::new(vec![outcome], Completeness::Partial)
}
