//! What all functions of a program share while they are evaluated: the program, the models, the summaries made
//! so far, and facts that hold everywhere.

pub mod brief;
pub mod costs;
mod order;
pub mod rearranging;
pub mod report;
pub mod uses;

use crate::assumptions::{Assumptions, Supposed};
use crate::beliefs::Beliefs;
use crate::context::brief::brief;
use crate::context::order::{Named, named, ordered};
use crate::context::rearranging::{Rearranging, rearranging};
use crate::context::uses::{Facts, Uses};
use crate::facts::awaited::{Jumping, awaited};
use crate::facts::callers::Callers;
use crate::facts::contents::Contents;
use crate::facts::counts::Counts;
use crate::facts::endings::{Endings, hand_to_callers, jumping};
use crate::facts::fields::Fields;
use crate::facts::looking::looking;
use crate::facts::nesting::Nesting;
use crate::facts::passed::Passed;
use crate::facts::scanned::Scans;
use crate::facts::stored::Stored;
use crate::facts::targets::Targets;
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};
use watertight_ir::callgraph::CallGraph;
use watertight_ir::{
    BlockId, Body, Callee, CompareOp, Const, Def, FuncId, GlobalId, InstId, Linkage, Op, Program, Table,
};
use watertight_summary::model::Models;
use watertight_summary::property::PropertyId;
use watertight_summary::{Effect, Summary};

/// Shared facts.
pub struct Context<'a> {
    pub program: &'a Program,
    pub library: &'a Models,
    pub(crate) assumptions: Assumptions,
    /// Summaries of functions with a body, as they become known.
    pub summaries: Table<FuncId, OnceLock<Summary>>,
    /// The same in brief, where somebody asked.
    briefs: Table<FuncId, OnceLock<Summary>>,
    /// The epochs in which these had their turn (`epochs.rs`).
    pub(crate) epochs: Table<FuncId, OnceLock<u32>>,
    constant_globals: Table<GlobalId, bool>,
    /// What else is known of functions with a body.
    pub facts: Table<FuncId, OnceLock<Facts>>,
    /// Functions from which code may be called that is not known.
    calls_unknown: Table<FuncId, bool>,
    /// Functions from which a call may end the process.
    exits: Table<FuncId, bool>,
    /// Functions whose every long jump waits for a switch.
    awaited: Table<FuncId, bool>,
    /// Functions of whose calls properties speak.
    eventful: Table<FuncId, bool>,
    /// Functions from which such a call may be reached.
    reaches_events: Table<FuncId, bool>,
    blocks: Table<FuncId, OnceLock<Table<InstId, BlockId>>>,
    /// Blocks that report failed assertions, as they are asked for.
    pub(crate) failed: Table<FuncId, OnceLock<Table<BlockId, bool>>>,
    /// Functions that only rearrange what they are given, as they are asked for.
    rearranging: Table<FuncId, OnceLock<Option<Rearranging>>>,
    /// What calls through pointers may reach.
    pub targets: Targets,
    /// Which of them do not come back.
    pub endings: Endings,
    /// What calls in sight pass for parameters.
    pub passed: Passed,
    /// Functions of which calls by name are in sight.
    called: Table<FuncId, bool>,
    /// Functions that do nothing but look at what they are given.
    looking: Table<FuncId, bool>,
    /// Which numbers variables hold.
    pub stored: Stored,
    /// Members that count references.
    pub(crate) counts: Counts,
    /// Which values members of structures hold.
    pub contents: Contents,
    /// What may be locked twice.
    pub(crate) nesting: Nesting,
    /// What is believed of calls of code that is not in sight.
    pub beliefs: Beliefs,
    /// What calls do that allocate because of a format.
    pub scans: Scans,
    /// Who calls whom, also through pointers.
    pub graph: CallGraph,
    /// The same with functions whose addresses are used before those who use them, as far as no circle comes of it.
    pub order: CallGraph,
    pub(crate) named: Named,
}

/// Names every field, so that whoever adds one comes by here: a fact that evaluation reads must be in the keys under which
/// results are kept (`reuse/key.rs`), or results are used again that no longer hold.
const _: fn(Context<'_>) = |context| {
    let Context {
        program: _,
        library: _,
        // Nothing is kept of runs that leave any out.
        assumptions: _,
        summaries: _,
        facts: _,
        targets: _,
        endings: _,
        beliefs: _,
        passed: _,
        called: _,
        looking: _,
        stored: _,
        counts: _,
        contents: _,
        nesting: _,
        // These follow from the body, the constants it uses, and models.
        scans: _,
        graph: _,
        order: _,
        // In keys as far as it is in the order.
        named: _,
        constant_globals: _,
        calls_unknown: _,
        exits: _,
        awaited: _,
        eventful: _,
        reaches_events: _,
        // In keys with their bodies.
        rearranging: _,
        // These follow from the body, or from the summary.
        briefs: _,
        epochs: _,
        blocks: _,
        failed: _,
    } = context;
};

impl<'a> Context<'a> {
    pub fn new(program: &'a Program, library: &'a Models, assumptions: Assumptions) -> Context<'a> {
        let hold = assumptions.make(Supposed::MembersHoldWhatIsPut);
        let mut graph = CallGraph::new(program);
        let mut targets = Targets::new(program, &graph);
        let callers = Callers::new(program, &graph);
        let passed = Passed::new(program, &graph, &callers, assumptions);
        let fields = Fields::new(program, library, &graph, &callers);
        let endings = match hold {
            true => Endings::new(program, library, &graph, &targets, &fields),
            false => Endings::default(),
        };
        targets.take_members(&fields);
        let seen = |function: FuncId| callers.seen(program, &graph, function).is_some();
        let called = program.functions.ids().map(seen).collect();
        let looking = looking(program, &graph);
        let stored = if hold { Stored::new(program, &callers, &passed) } else { Stored::default() };
        let contents = match hold {
            true => Contents::new(program, library, &graph, &callers, &stored),
            false => Contents::default(),
        };
        let mut direct = graph.clone();
        graph.add(&targets.edges());
        graph.add(&endings.edges());
        // What ends the process has nothing to tell that a caller would have to wait for.
        direct.add(&targets.edges_but(|caller, inst| endings.of_call(caller, inst).is_some()));
        direct.add(&endings.edges());
        let constant_globals = constant_globals(program);
        let named = named(program, &constant_globals);
        let order = ordered(program, &direct, &named, targets.closed_edges());
        let exits = exits(program, library, &graph);
        let awaited = awaited(&Jumping {
            program,
            library,
            targets: &targets,
            endings: &endings,
            jumping: &jumping(program, library, &graph),
            exits: &exits,
        });
        Context {
            program,
            library,
            assumptions,
            summaries: (0..program.functions.len()).map(|_| OnceLock::new()).collect(),
            briefs: (0..program.functions.len()).map(|_| OnceLock::new()).collect(),
            constant_globals,
            named,
            epochs: (0..program.functions.len()).map(|_| OnceLock::new()).collect(),
            facts: (0..program.functions.len()).map(|_| OnceLock::new()).collect(),
            calls_unknown: calls_unknown(program, library, &graph, &targets, &endings),
            exits,
            awaited,
            reaches_events: reaches_events(program, library, &graph),
            eventful: eventful(program, library),
            blocks: (0..program.functions.len()).map(|_| OnceLock::new()).collect(),
            failed: (0..program.functions.len()).map(|_| OnceLock::new()).collect(),
            rearranging: (0..program.functions.len()).map(|_| OnceLock::new()).collect(),
            beliefs: match assumptions.make(Supposed::ProgramKnows) {
                true => Beliefs::new(program, library, &targets),
                false => Beliefs::default(),
            },
            scans: Scans::new(program, library),
            targets,
            endings,
            counts: Counts::new(program, library),
            contents,
            stored,
            nesting: Nesting::new(program, library),
            passed,
            called,
            looking,
            graph,
            order,
        }
    }

    /// Whether calls of a function are in sight, and its address goes nowhere.
    pub(crate) fn is_called_by_name(&self, function: FuncId) -> bool {
        self.called[function]
    }

    /// Whether a function does nothing but look at what it is given.
    pub(crate) fn only_looks(&self, function: FuncId) -> bool {
        self.looking[function]
    }

    /// Whether a global keeps its first contents for ever (ASSUME-10).
    pub fn is_constant(&self, global: GlobalId) -> bool {
        self.constant_globals[global]
    }

    /// Whether a call of this function may lead to code that is not known.
    pub fn calls_unknown(&self, function: FuncId) -> bool {
        self.calls_unknown[function]
    }

    /// A function that only rearranges what it is given, ready to be followed.
    pub(crate) fn rearranging(&self, function: FuncId) -> Option<&Rearranging> {
        self.rearranging[function].get_or_init(|| rearranging(self, function)).as_ref()
    }

    /// Whether a function acquires something by calls that have neither a body nor a model which says so.
    pub fn acquires(&self, function: FuncId) -> bool {
        self.beliefs.acquires(function) || self.scans.acquires(function)
    }

    /// Whether a call of this function that does not come back ends the process.
    pub fn exits(&self, function: FuncId) -> bool {
        self.exits[function]
    }

    /// Whether a function jumps only where somebody waits for it.
    pub(crate) fn jumps_if_awaited(&self, function: FuncId) -> bool {
        self.awaited[function]
    }

    /// Whether some property speaks of calls of this function.
    pub fn has_events(&self, function: FuncId) -> bool {
        self.eventful[function]
    }

    /// Whether a call of this function may lead to one that a property speaks of.
    pub fn reaches_events(&self, function: FuncId) -> bool {
        self.reaches_events[function]
    }

    /// Whether this property speaks of calls of this function.
    pub fn is_named_by(&self, function: FuncId, property: PropertyId) -> bool {
        self.eventful[function]
            && self
                .library
                .properties
                .events(&self.program.functions[function].name)
                .any(|entry| entry.0 == property)
    }

    /// The block an instruction stands in.
    pub fn block_of(&self, function: FuncId, inst: InstId) -> BlockId {
        self.blocks[function].get_or_init(|| {
            let body = self.program.functions[function].body.as_ref().expect("only bodies are evaluated");
            let mut blocks = Table::filled(body.insts.len(), body.entry());
            for (block, data) in body.blocks.iter() {
                for &inst in &data.insts {
                    blocks[inst] = block;
                }
            }
            blocks
        })[inst]
    }

    /// What is known about a function with a body that had its turn, in brief.
    fn brief(&self, function: FuncId) -> Option<&Summary> {
        let summary = self.summaries[function].get()?;
        Some(self.briefs[function].get_or_init(|| brief(summary)))
    }

    /// What is known about a function: its own summary, or a model of its name.
    pub fn summary(&self, function: FuncId) -> Option<&Summary> {
        if self.program.functions[function].body.is_some()
            && let Some(summary) = self.summaries[function].get()
        {
            return Some(summary);
        }
        self.modelled(function)
    }

    /// Notes what came of the turn of a function. It is noted once; callers have their turn later.
    pub(crate) fn learn(&self, function: FuncId, epoch: u32, facts: Facts, summary: Summary) {
        let _ = self.epochs[function].set(epoch);
        let _ = self.facts[function].set(facts);
        let _ = self.summaries[function].set(summary);
    }

    /// What models say of the name of a function.
    fn modelled(&self, function: FuncId) -> Option<&Summary> {
        self.library.functions.get(&self.program.functions[function].name)
    }
}

/// What is known about a callee.
pub enum Known<'a> {
    Summary(&'a Summary),
    /// It belongs to the component being iterated and has no summary yet.
    Pending,
    Nothing,
}

/// The functions that are summarised together because they call each other, with their summaries so far, and what they see
/// of others. A copy of it is cheap.
#[derive(Clone, Debug)]
pub struct Component {
    /// In ascending order; none when no member calls itself or another.
    pub members: Arc<[FuncId]>,
    /// What the rounds before have found, shared by all turns of a round.
    known: Arc<FxHashMap<FuncId, Arc<Learned>>>,
    /// What a turn hears of members that had theirs just before.
    heard: Vec<(FuncId, Arc<Learned>)>,
    pub(crate) view: View,
}

/// Of which functions the summaries are seen in a turn: of those that had theirs in any case. Whether others had theirs may
/// depend on luck.
#[derive(Clone, Debug)]
pub struct View {
    /// Those that are to come first, in ascending order.
    callees: Arc<[FuncId]>,
    /// All of earlier epochs are seen.
    epoch: u32,
}

impl View {
    /// What members of a component see in an epoch.
    pub(crate) fn new(context: &Context<'_>, members: &[FuncId], epoch: u32) -> View {
        let callees = members.iter().flat_map(|&member| context.order.callees(member));
        let mut callees: Vec<FuncId> = callees.copied().collect();
        callees.sort_unstable();
        callees.dedup();
        View { callees: callees.into(), epoch }
    }

    pub(crate) fn sees(&self, context: &Context<'_>, function: FuncId) -> bool {
        self.callees.binary_search(&function).is_ok()
            || context.epochs[function].get().is_some_and(|&epoch| epoch < self.epoch)
    }

    /// The summary of a function with a body.
    pub(crate) fn summary<'c>(&self, context: &'c Context<'_>, function: FuncId) -> Option<&'c Summary> {
        context.summaries[function].get().filter(|_| self.sees(context, function))
    }

    /// The same in brief.
    pub(crate) fn brief<'c>(&self, context: &'c Context<'_>, function: FuncId) -> Option<&'c Summary> {
        if self.sees(context, function) { context.brief(function) } else { None }
    }

    /// What else is known of a function with a body.
    pub(crate) fn facts(&self, context: &Context<'_>, function: FuncId) -> Option<Facts> {
        context.facts[function].get().copied().filter(|_| self.sees(context, function))
    }
}

/// What is known so far of a member of a component.
#[derive(Debug)]
pub struct Learned {
    pub summary: Summary,
    /// The same in brief, once somebody has asked.
    brief: OnceLock<Summary>,
    /// Parameters that are sizes of what it allocates.
    pub sizes: Uses,
    /// It is all that the function does, as induction shows (`induction.rs`), and not what some rounds have seen of it.
    pub(crate) shown: bool,
}

impl Learned {
    pub fn new(summary: Summary, sizes: Uses) -> Learned {
        Learned { brief: OnceLock::new(), summary, sizes, shown: false }
    }

    /// What induction shows to be all.
    pub(crate) fn shown(summary: Summary, sizes: Uses) -> Learned {
        Learned { shown: true, ..Learned::new(summary, sizes) }
    }

    /// What is known in brief.
    pub fn brief(&self) -> &Summary {
        self.brief.get_or_init(|| brief(&self.summary))
    }
}

impl Component {
    /// A component of which nothing is known.
    pub(crate) fn new(members: &[FuncId], view: &View) -> Component {
        Component { members: members.into(), known: Arc::default(), heard: Vec::new(), view: view.clone() }
    }

    /// What a function saw that had its turn.
    pub(crate) fn before(context: &Context<'_>, function: FuncId) -> Component {
        let epoch = context.epochs[function].get().copied().unwrap_or(0);
        Component::new(&[], &View::new(context, &[function], epoch))
    }

    pub fn summary(&self, member: FuncId) -> Option<&Summary> {
        Some(&self.known(member)?.summary)
    }

    /// What is known of a member: what was heard last.
    pub fn known(&self, member: FuncId) -> Option<&Arc<Learned>> {
        let heard = self.heard.iter().rev().find(|entry| entry.0 == member);
        heard.map(|entry| &entry.1).or_else(|| self.known.get(&member))
    }

    /// Notes for this turn what is known of a member.
    pub(crate) fn hear(&mut self, member: FuncId, learned: Arc<Learned>) {
        self.heard.push((member, learned));
    }

    /// Notes for all turns to come what is known of a member.
    pub(crate) fn learn(&mut self, member: FuncId, learned: Arc<Learned>) {
        Arc::make_mut(&mut self.known).insert(member, learned);
    }

    pub fn lookup<'s>(&'s self, context: &'s Context<'_>, function: FuncId) -> Known<'s> {
        if self.members.binary_search(&function).is_ok() {
            return match self.summary(function) {
                Some(summary) => Known::Summary(summary),
                None => Known::Pending,
            };
        }
        let own = self.view.summary(context, function);
        match own.or_else(|| context.modelled(function)) {
            Some(summary) => Known::Summary(summary),
            None => Known::Nothing,
        }
    }
}

/// Functions of whose calls properties speak.
fn eventful(program: &Program, library: &Models) -> Table<FuncId, bool> {
    let mentioned = |function: &watertight_ir::Function| {
        !library.properties.is_empty() && library.properties.mentions(&function.name)
    };
    program.functions.values().map(mentioned).collect()
}

/// Functions from which a call of which a property speaks may be reached.
fn reaches_events(program: &Program, library: &Models, graph: &CallGraph) -> Table<FuncId, bool> {
    let mut reaching = eventful(program, library);
    hand_to_callers(graph, &mut reaching);
    reaching
}

/// Functions that end the process, or call one that does.
fn exits(program: &Program, library: &Models, graph: &CallGraph) -> Table<FuncId, bool> {
    let mut exits: Table<FuncId, bool> = program
        .functions
        .values()
        .map(|function| function.body.is_none() && library.exits(&function.name))
        .collect();
    hand_to_callers(graph, &mut exits);
    exits
}

/// Functions that call through pointers of which not everything is known, or call functions of which there is neither
/// body nor model; or call one that does.
fn calls_unknown(
    program: &Program,
    library: &Models,
    graph: &CallGraph,
    targets: &Targets,
    endings: &Endings,
) -> Table<FuncId, bool> {
    let unknown = |(id, function): (FuncId, &watertight_ir::Function)| match &function.body {
        Some(body) => body.insts.iter().any(|(inst, data)| match &data.op {
            Op::Call(call) => {
                matches!(call.callee, Callee::Pointer(_))
                    && endings.of_call(id, inst).is_none()
                    && targets.of_call(id, inst).is_none_or(|held| held.open)
            }
            Op::Unknown(_) => true,
            _ => false,
        }),
        None => match library.functions.get(&function.name) {
            Some(summary) => summary.effects().any(|effect| matches!(effect, Effect::Calls { .. })),
            // A function that a property names only moves states, unless a model says more.
            None => {
                !function.attrs.no_memory
                    && !function.attrs.read_only
                    && !library.properties.mentions(&function.name)
            }
        },
    };
    let mut all: Table<FuncId, bool> = program.functions.iter().map(unknown).collect();
    hand_to_callers(graph, &mut all);
    all
}

/// Globals whose address is only ever loaded from, so that nothing can write them.
fn constant_globals(program: &Program) -> Table<GlobalId, bool> {
    let mut constant: Table<GlobalId, bool> = program
        .globals
        .values()
        .map(|global| {
            global.image.is_some() && (global.constant || global.linkage != watertight_ir::Linkage::Weak)
        })
        .collect();
    for global in program.globals.values() {
        for relocation in global.image.iter().flat_map(|image| &image.relocations) {
            if let watertight_ir::Symbol::Global(target) = relocation.target {
                taken(program, &mut constant, target);
            }
        }
    }
    for function in program.functions.values() {
        if let Some(body) = &function.body {
            find_written(program, body, &mut constant);
        }
    }
    for function in program.functions.values() {
        if let Some(body) = &function.body {
            find_counted(program, body, &mut constant);
        }
    }
    constant
}

/// A zero that others can set and that something is counted up to is no constant, even if nothing here sets it:
/// a loop that never runs is nobody's intention. Zeros that are only tested are switches, and switched off.
fn find_counted(program: &Program, body: &Body, constant: &mut Table<GlobalId, bool>) {
    let number = |value| match body.def_op(value) {
        Some(Op::Convert { value, .. }) => *value,
        _ => value,
    };
    let read_from = |value| match body.def_op(number(value)) {
        Some(Op::Load { addr, .. }) => match &body.values[*addr].def {
            Def::Const(Const::Global { global, .. }) => Some(*global),
            _ => None,
        },
        _ => None,
    };
    for inst in body.insts.values() {
        let Op::Compare { op, lhs, rhs } = &inst.op else { continue };
        if matches!(op, CompareOp::Eq | CompareOp::Ne) {
            continue;
        }
        // Compared with a constant it is a level, as in `if (verbose > 1)`.
        if body.bits(*lhs).is_some() || body.bits(*rhs).is_some() {
            continue;
        }
        for global in [*lhs, *rhs].into_iter().filter_map(read_from) {
            let data = &program.globals[global];
            let zero = data.image.as_ref().is_some_and(|image| {
                image.relocations.is_empty() && image.bytes.iter().all(|&byte| byte == 0)
            });
            if zero && matches!(data.linkage, Linkage::External | Linkage::Common) {
                taken(program, constant, global);
            }
        }
    }
}

fn taken(program: &Program, constant: &mut Table<GlobalId, bool>, global: GlobalId) {
    if !program.globals[global].constant {
        constant[global] = false;
    }
}

fn find_written(program: &Program, body: &Body, constant: &mut Table<GlobalId, bool>) {
    let global_of = |value| match &body.values[value].def {
        Def::Const(Const::Global { global, .. }) => Some(*global),
        _ => None,
    };
    for block in body.blocks.values() {
        for &inst in &block.insts {
            match &body.insts[inst].op {
                Op::Load { .. } | Op::Compare { .. } | Op::Name { .. } => {}
                op => op.operands(|value| {
                    if let Some(global) = global_of(value) {
                        taken(program, constant, global);
                    }
                }),
            }
        }
        block.term.operands(|value| {
            if let Some(global) = global_of(value) {
                taken(program, constant, global);
            }
        });
    }
}
