//! Leaks: on which paths is what a source acquires neither released nor handed on?
//!
//! For each source the slice is made first, then the guard of each of its nodes: the paths on which the address gets
//! there. Together the guards at the releases are FREED (Saber, section 2.6). What is left of the paths that leave the
//! function or come to the source again, without those that keep the address or hand it to the caller, is lost. What a
//! function hands to its callers is asked again for each call of it: a function that one caller uses well and another does not
//! is one leak. The paper asks once for all callers.
//!
//! Where a function hands the address over on some paths only, the caller's question begins inside of it, so that the
//! conditions there and what its result tells go together.
//!
//! What may be lost by the names of conditions is a candidate; the solver confirms or refutes it (`confirm.rs`).

use crate::confirm::{Answered, confirm};
use crate::context::ContextId;
use crate::control::{Anew, Look, ReachKey, Test};
use crate::dump::{self, Form};
use crate::facts::{Facts, Point};
use crate::limits::{
    CALLERS_ASKED, HANDED_QUESTIONS, INNER_CALLS, INNER_CALLS_ASKED, SLICE_TURNS, SOURCE_QUESTIONS,
};
use crate::memory::{MemorySsa, Version};
use crate::question::{Meaning, Question};
use crate::slice::{Fate, Holder, Node, NodeId, Out, Sink, Slice, Subject, Until};
use crate::source::{Origins, Source};
use crate::terms::View;
use crate::witness::Branch;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::time::{Duration, Instant};
use watertight_finding::{Doubt, Doubts};
use watertight_ir::{BlockId, Def, FuncId, Id, InstId, Lists, Terminator, ValueId, scc};
use watertight_logic::guard::Guard;
use watertight_pointer::object::Origin;
use watertight_summary::KindId;

/// Something that is lost.
#[derive(Clone, Debug)]
pub struct Leak {
    /// The function that loses it.
    pub function: FuncId,
    /// The call in it that acquires it.
    pub inst: InstId,
    pub kind: KindId,
    pub holders: Vec<Holder>,
    /// Calls inside that one that lead to where it is acquired.
    pub inner: Vec<(FuncId, InstId)>,
    /// Branches on the way to the loss. None when it is lost on all paths.
    pub branches: Vec<Branch>,
    /// Where the function is left without it.
    pub end: Option<BlockId>,
    /// A release on another path.
    pub release: Option<(FuncId, InstId)>,
    /// The call in the function that acquired the one block that holds it, if nothing else in memory does.
    pub inside: Option<InstId>,
    /// Every turn of a loop loses another one.
    pub in_loop: bool,
    /// Why it may not be true.
    pub doubts: Doubts,
    /// The solver has given values for it.
    pub checked: bool,
}

/// How many slices there were, and how large (Saber, Table 4), and what became of the candidates.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    pub sources: u64,
    pub slices: u64,
    pub nodes: u64,
    pub largest: u64,
    pub edges: u64,
    pub releases: u64,
    pub candidates: u64,
    pub refuted: u64,
    pub confirmed: u64,
    pub doubtful: u64,
    pub versions: u64,
    pub links: u64,
    pub footprints: Duration,
    pub slicing: Duration,
    pub guarding: Duration,
    pub solving: Duration,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Leaks {
    pub leaks: Vec<Leak>,
    /// Calls that acquire something whose slice became too large.
    pub given_up: Vec<(FuncId, InstId)>,
    pub figures: Figures,
}

/// Follows every source.
pub fn leaks(facts: &Facts<'_>, sources: &[Source], clock: fn() -> Instant) -> Leaks {
    search(facts, sources, None, Some(clock)).0
}

/// The value flow of everything that a function has to answer for, as text.
pub fn value_flow(facts: &Facts<'_>, sources: &[Source], function: FuncId, form: Form) -> String {
    search(facts, sources, Some((function, form)), None).1
}

fn search(
    facts: &Facts<'_>,
    sources: &[Source],
    watch: Option<(FuncId, Form)>,
    clock: Option<fn() -> Instant>,
) -> (Leaks, String) {
    let mut search = Search {
        facts,
        memory: MemorySsa::default(),
        asked: FxHashSet::default(),
        found: Leaks::default(),
        watch,
        text: String::new(),
        clock,
        left: 0,
        answered: FxHashMap::default(),
    };
    search.found.figures.sources = sources.len() as u64;
    for source in sources {
        search.left = SOURCE_QUESTIONS;
        search.follow(source, 0);
    }
    let text = std::mem::take(&mut search.text);
    let Search { mut found, memory, .. } = search;
    (found.figures.versions, found.figures.links) = (memory.versions, memory.links);
    found.given_up.sort_unstable();
    found.given_up.dedup();
    found.leaks.sort_by_key(|leak| (leak.function, leak.inst, std::cmp::Reverse(leak.doubts.confidence())));
    found.leaks.dedup_by_key(|leak| (leak.function, leak.inst, leak.kind));
    lose_with_holders(&mut found.leaks);
    (found, text)
}

/// A structure that is lost takes along what it holds. That is one mistake, and told once if there is much of it.
fn lose_with_holders(leaks: &mut Vec<Leak>) {
    let with = |leak: &Leak, other: &Leak| {
        leak.inside == Some(other.inst) && leak.function == other.function && leak.end == other.end
    };
    let gone: Vec<bool> = leaks
        .iter()
        .map(|leak| {
            let Some(holder) = leaks.iter().find(|holder| with(leak, holder)) else { return false };
            leaks.iter().filter(|other| with(other, holder)).count() > 1
        })
        .collect();
    let mut gone = gone.into_iter();
    leaks.retain(|_| gone.next() != Some(true));
}

/// The call in the function of a source that acquired the one block that holds what it acquires.
fn inside(facts: &Facts<'_>, source: &Source, slice: &Slice) -> Option<InstId> {
    let mut holders = slice.nodes.iter().filter_map(|node| match node.holder {
        Holder::Memory(cell, _) => Some(facts.origin(cell)),
        Holder::Value(_) => None,
    });
    let Origin::Heap(function, inst, _) = holders.next()? else { return None };
    let same = |origin: Origin| matches!(origin, Origin::Heap(f, i, _) if (f, i) == (function, inst));
    (function == source.function && holders.all(same)).then_some(inst)
}

/// What makes two questions the same.
type Asked = (FuncId, InstId, KindId, Vec<Holder>, Vec<(FuncId, InstId)>);

struct Search<'f, 'a> {
    facts: &'f Facts<'a>,
    memory: MemorySsa,
    asked: FxHashSet<Asked>,
    found: Leaks,
    /// The function whose value flow is written down.
    watch: Option<(FuncId, Form)>,
    text: String,
    clock: Option<fn() -> Instant>,
    /// Questions that may still be asked about this source.
    left: u32,
    /// How often the solver was asked about each call.
    answered: FxHashMap<(FuncId, InstId, KindId), u32>,
}

/// What the guards of a slice say.
pub(crate) struct Balance {
    pub lost: Guard,
    /// It is handed to the caller.
    pub out: Guard,
    /// Nothing else than that happens to it.
    pub always_out: bool,
    /// When each node holds it.
    pub guards: Vec<Guard>,
}

impl Search<'_, '_> {
    fn follow(&mut self, source: &Source, height: u32) {
        let key = (source.function, source.inst, source.kind, source.holders.clone(), source.inner.clone());
        if !self.asked.insert(key) {
            return;
        }
        if self.left == 0 {
            self.found.given_up.push((source.function, source.inst));
            return;
        }
        self.left -= 1;
        let start = self.clock.map(|clock| clock());
        let Some(mut question) = Question::new(self.facts, &mut self.memory, source, Meaning::Names) else {
            self.found.given_up.push((source.function, source.inst));
            return;
        };
        let roots = roots(&question, source);
        let mut slice = Slice::new(&mut question.ground(), source.subject, &roots);
        find_steady(&question, &mut slice);
        let figures = &mut self.found.figures;
        figures.slicing += since(self.clock, start);
        figures.slices += 1;
        figures.nodes += slice.nodes.len() as u64;
        figures.edges += slice.edges.len() as u64;
        figures.largest = figures.largest.max(slice.nodes.len() as u64);
        figures.releases += slice.sinks.iter().filter(|sink| sink.fate == Fate::Released).count() as u64;
        if slice.given_up {
            self.found.given_up.push((source.function, source.inst));
            return;
        }
        let start = self.clock.map(|clock| clock());
        let balance = balance(&mut question, source, &slice, roots.len());
        let overflowed = question.formulas.guards.overflowed();
        figures.guarding += since(self.clock, start);
        let Some(balance) = balance.filter(|_| !overflowed) else {
            self.found.given_up.push((source.function, source.inst));
            return;
        };
        let outs = outs(&slice);
        if let Some((_, form)) = self.watch.filter(|watch| watch.0 == source.function) {
            self.text.push_str(&told(&mut question, source, &slice, &balance, form));
        }
        drop(question);
        if !balance.lost.is_false() && !self.ends_with_process(source) {
            self.candidate(source);
        }
        if outs.is_empty() || balance.out.is_false() || height >= CALLERS_ASKED {
            return;
        }
        for &(caller, inst) in self.facts.callers(source.function) {
            if let Some(next) = handed(self.facts, source, caller, inst, &outs, balance.always_out) {
                self.follow(&next, height + 1);
            }
        }
    }

    /// What `main` holds to the end is another matter.
    fn ends_with_process(&self, source: &Source) -> bool {
        &*self.facts.program.functions[source.function].name == "main" && !self.in_loop(source)
    }

    fn in_loop(&self, source: &Source) -> bool {
        let Some((_, own)) = self.facts.function(source.function) else { return false };
        own.point(source.inst).is_some_and(|point| own.loops.depth(point.block) > 0)
    }

    /// Puts a candidate to the solver.
    fn candidate(&mut self, source: &Source) {
        let in_loop = self.in_loop(source);
        let asked = self.answered.entry((source.function, source.inst, source.kind)).or_insert(0);
        *asked += 1;
        if *asked > HANDED_QUESTIONS {
            return;
        }
        let whole = source.origin.as_ref().map(|origin| {
            let Origins { inner, holders, outcomes } = (**origin).clone();
            Source { inner, holders, outcomes, ..source.clone() }
        });
        let told = source;
        let source = whole.as_ref().unwrap_or(source);
        let figures = &mut self.found.figures;
        figures.candidates += 1;
        let start = self.clock.map(|clock| clock());
        let question = Question::new(self.facts, &mut self.memory, source, Meaning::Terms);
        let Some(mut question) = question else { return };
        let roots = roots(&question, source);
        let mut slice = Slice::new(&mut question.ground(), source.subject, &roots);
        find_steady(&question, &mut slice);
        let answer = confirm(&mut question, source, &slice, roots.len());
        if self.watch.is_some_and(|watch| watch == (source.function, Form::Text)) {
            let when = answer_text(&mut question, source, &slice, roots.len());
            // Of a dump, not a sentence.
            self.text.push_str(&format!("  by the solver: {answer}{when}\n"));
        }
        figures.solving += since(self.clock, start);
        let mut doubts = Doubts::from(Doubt::FlowOnly);
        let (checked, branches, end) = match answer {
            Answered::Refuted => {
                figures.refuted += 1;
                return;
            }
            Answered::Confirmed(branches, end) => {
                figures.confirmed += 1;
                (true, branches, end)
            }
            Answered::Doubtful(branches, end) => {
                figures.doubtful += 1;
                doubts.add(Doubt::ValueGivenUp);
                (true, branches, end)
            }
            Answered::Unknown => {
                figures.doubtful += 1;
                doubts.add(Doubt::Undecided);
                (false, Vec::new(), None)
            }
        };
        // Which of several functions a pointer leads to is not known: perhaps never one that acquires something.
        let calls = [(source.function, source.inst)].into_iter().chain(source.inner.iter().copied());
        let mut calls = calls.map(|(function, inst)| self.facts.points_to.callees(function, inst).len());
        doubts.add_if(calls.any(|callees| callees > 1), Doubt::FlowTargets);
        let release = slice.sinks.iter().find(|sink| sink.fate == Fate::Released).and_then(|sink| {
            let node = slice.nodes[sink.node.index()];
            Some((question.contexts.function(node.context), sink.inst?))
        });
        self.found.leaks.push(Leak {
            function: source.function,
            inst: source.inst,
            kind: source.kind,
            holders: if told.inner.is_empty() { told.holders.clone() } else { Vec::new() },
            inner: source.inner.clone(),
            branches,
            end,
            release,
            inside: inside(self.facts, source, &slice),
            in_loop,
            doubts,
            checked,
        });
    }
}

/// The time that went by, if there is a clock.
fn since(clock: Option<fn() -> Instant>, start: Option<Instant>) -> Duration {
    clock.zip(start).map_or(Duration::ZERO, |(clock, start)| clock() - start)
}

/// The value flow of a source as text, with guards over the conditions by name.
fn told(
    question: &mut Question<'_, '_>,
    source: &Source,
    slice: &Slice,
    balance: &Balance,
    form: Form,
) -> String {
    let name = &question.facts.program.functions[source.function].name;
    // Of a dump, not a sentence.
    let title = format!("value flow of {} in @{name}", source.inst);
    let mut words: Vec<String> = Vec::new();
    for &guard in &balance.guards {
        words.push(named(question, guard));
    }
    let lost = named(question, balance.lost);
    let mut text = dump::slice(question.facts, &question.contexts, slice, &title, form, &words);
    if form == Form::Text {
        // Of a dump, not a sentence.
        text.push_str(&format!("  lost by names: {lost}\n"));
    }
    text
}

/// A guard over conditions by the blocks that test them.
fn named(question: &mut Question<'_, '_>, guard: Guard) -> String {
    let tested = &question.tested;
    question.formulas.guards.describe(guard, |literal| {
        let not = if literal.holds { "" } else { "not " };
        match tested.get(&literal.condition.index()) {
            Some((context, block)) => format!("{not}{context}.{block}.{}", literal.condition),
            None => format!("{not}{}", literal.condition),
        }
    })
}

/// What a loss depends on, in terms.
fn answer_text(question: &mut Question<'_, '_>, source: &Source, slice: &Slice, roots: usize) -> String {
    let Some(balance) = balance(question, source, slice, roots) else { return String::new() };
    // Of a dump, not a sentence.
    let mut text = format!(", lost by terms: {}", named(question, balance.lost));
    let conditions = question.formulas.guards.support(balance.lost);
    for condition in conditions {
        if let Some(term) = question.formulas.conditions.term_of(condition) {
            text.push_str(&format!("\n    {condition}: {}", question.formulas.terms.show_to_depth(term, 6)));
        }
    }
    text
}

fn roots(question: &Question<'_, '_>, source: &Source) -> Vec<Node> {
    let context = question.acquired.0;
    source.holders.iter().map(|&holder| Node { context, holder }).collect()
}

/// The ways in which an address leaves the function.
fn outs(slice: &Slice) -> Vec<Out> {
    let out = |sink: &Sink| match sink.fate {
        Fate::Out(out) => Some(out),
        _ => None,
    };
    let mut outs: Vec<Out> = slice.sinks.iter().filter_map(out).collect();
    outs.sort_unstable();
    outs.dedup();
    outs
}

/// The call of a function that hands something to its caller, as a source.
fn handed(
    facts: &Facts<'_>,
    source: &Source,
    caller: FuncId,
    inst: InstId,
    outs: &[Out],
    always: bool,
) -> Option<Source> {
    let (body, _) = facts.function(caller)?;
    // The solver wants to know all that happened.
    let known = source.origin.clone().or_else(|| {
        let (inner, holders) = (source.inner.clone(), source.holders.clone());
        Some(Rc::new(Origins { inner, holders, outcomes: source.outcomes.clone() }))
    });
    let origin = known.filter(|known| known.inner.len() < INNER_CALLS_ASKED).map(|known| {
        let mut inner = vec![(source.function, source.inst)];
        inner.extend(&known.inner);
        Rc::new(Origins { inner, ..(*known).clone() })
    });
    let next = Source { function: caller, inst, origin, ..source.clone() };
    // What lies in a block that lies in another has owners inside of the callee.
    let nested = outs.iter().any(|out| match *out {
        Out::Result | Out::Outside(..) => false,
        Out::Cell(cell) => {
            let cell = facts.to_caller(cell, caller, inst, source.function);
            matches!(facts.origin(cell), Origin::Heap(function, _, _) if function != caller)
        }
    });
    if !always || nested {
        if source.inner.len() >= INNER_CALLS {
            return None;
        }
        let mut inner = vec![(source.function, source.inst)];
        inner.extend(&source.inner);
        return Some(Source { inner, ..next });
    }
    let mut holders = Vec::new();
    for out in outs {
        match *out {
            Out::Result => holders.extend(body.insts[inst].result.map(Holder::Value)),
            Out::Cell(cell) if !facts.is_given(caller, inst, cell) => {}
            Out::Outside(param, cell) if !facts.is_given_by(caller, inst, param, cell) => {}
            // What the outside world has been given it keeps.
            Out::Outside(..) => return None,
            Out::Cell(cell) => {
                let cell = facts.to_caller(cell, caller, inst, source.function);
                holders.push(Holder::Memory(cell, Version::Inst(inst)));
            }
        }
    }
    if holders.is_empty() {
        return None;
    }
    holders.sort_unstable();
    holders.dedup();
    Some(Source { inner: Vec::new(), holders, outcomes: Vec::new(), ..next })
}

/// On which paths the address is lost, and on which it is handed on. Nothing if that could not be worked out.
pub(crate) fn balance(
    question: &mut Question<'_, '_>,
    source: &Source,
    slice: &Slice,
    roots: usize,
) -> Option<Balance> {
    // What lies in a block that the same question is about leaves with that block, or not at all.
    let mut owners: Vec<(ContextId, InstId)> =
        slice.sinks.iter().filter_map(|sink| owner(question, slice, sink)).collect();
    owners.sort_unstable();
    owners.dedup();
    let owners: Vec<((ContextId, InstId), Option<Slice>)> =
        owners.into_iter().map(|owner| (owner, owner_slice(question, owner))).collect();
    mark_way(question);
    for slice in owners.iter().filter_map(|owner| owner.1.as_ref()).chain([slice]) {
        mark(question, slice);
        for node in &slice.nodes {
            if let (Holder::Value(value), Subject::Address) = (node.holder, source.subject) {
                question.held.insert((node.context, value));
            }
        }
    }
    let mut leaving: Vec<((ContextId, InstId), Guard)> = Vec::new();
    for (owner, slice) in &owners {
        let guard = match slice {
            None => Guard::TRUE,
            Some(slice) => {
                let guards = solve(question, slice, 1)?;
                let leaves = sunk(question, slice, &guards, |fate| fate != Fate::Released);
                // Who has the address of a block that is gone has nothing.
                let gone = sunk(question, slice, &guards, |fate| fate == Fate::Released);
                question.formulas.guards.and_not(leaves, gone)
            }
        };
        leaving.push((*owner, guard));
    }
    let guards = solve(question, slice, roots)?;
    let released = sunk(question, slice, &guards, |fate| fate == Fate::Released);
    let kept = sunk(question, slice, &guards, |fate| fate == Fate::Kept);
    let mut out = Guard::FALSE;
    for sink in slice.sinks.iter().filter(|sink| matches!(sink.fate, Fate::Out(_))) {
        let mut guard = sink_guard(question, slice, &guards, sink);
        if let Some(owner) = owner(question, slice, sink)
            && let Some((_, leaves)) = leaving.iter().find(|leaving| leaving.0 == owner)
        {
            guard = question.and(guard, *leaves);
        }
        out = question.or(out, guard);
    }
    let ended = ended(question, slice, &guards);
    let taken_care_of = question.formulas.guards.or_all([released, kept, out, ended]);
    let over = over(question, source, slice, &guards);
    let lost = question.formulas.guards.and_not(over, taken_care_of);
    if question.is_exhausted() {
        return None;
    }
    let (lost, out) = match question.meaning {
        Meaning::Names => {
            let lost = decide_null(question, slice, &guards, lost);
            (lost, decide_null(question, slice, &guards, out))
        }
        Meaning::Terms => (lost, out),
    };
    // Who is handed it by a function that also keeps it has to know.
    let always_out = out.is_true() && released.is_false() && kept.is_false();
    Some(Balance { lost, out, always_out, guards })
}

/// The calls that lead to the source are asked about.
fn mark_way(question: &mut Question<'_, '_>) {
    let mut at = Some(question.acquired);
    while let Some((context, inst)) = at {
        let (_, own) = question.at_context(context);
        if let Some(point) = own.point(inst) {
            question.mark(context, point.block);
        }
        at = question.contexts.by(context);
    }
}

/// The blocks that the guards of a slice are asked for.
fn mark(question: &mut Question<'_, '_>, slice: &Slice) {
    for node in &slice.nodes {
        if let Some(ReachKey { context, from, anew, .. }) = begin(question, *node) {
            question.mark(context, from.block);
            match anew {
                Anew::Nowhere => {}
                Anew::At(Point { block, .. }) | Anew::Entering(block) => question.mark(context, block),
            }
        }
    }
    let edges = slice.edges.iter().map(|edge| (edge.0, edge.2));
    for (from, until) in edges.chain(slice.sinks.iter().map(|sink| (sink.node, sink.until))) {
        let context = slice.nodes[from.index()].context;
        match until {
            Until::Point(point) => question.mark(context, point.block),
            Until::Edge(before, after) => {
                question.mark(context, before);
                question.mark(context, after);
            }
        }
    }
}

/// The call that acquired the block that a cell is in, when it is one of those on the way to the source.
fn owner(question: &Question<'_, '_>, slice: &Slice, sink: &Sink) -> Option<(ContextId, InstId)> {
    let Fate::Out(Out::Cell(cell)) = sink.fate else { return None };
    let Origin::Heap(function, inst, 0) = question.facts.origin(cell) else { return None };
    let mut at = Some(question.acquired.0);
    while let Some(context) = at {
        if question.contexts.function(context) == function {
            let (body, _) = question.at_context(context);
            let holder = Holder::Value(body.insts[inst].result?);
            // What holds itself is held by nobody.
            return (!slice.holds(Node { context, holder })).then_some((context, inst));
        }
        at = question.contexts.by(context).map(|by| by.0);
    }
    None
}

/// Everything that may hold the address of a block; nothing when that is not known.
fn owner_slice(question: &mut Question<'_, '_>, (context, inst): (ContextId, InstId)) -> Option<Slice> {
    let (body, _) = question.at_context(context);
    let holder = Holder::Value(body.insts[inst].result?);
    let mut slice = Slice::new(&mut question.ground(), Subject::Address, &[Node { context, holder }]);
    find_steady(question, &mut slice);
    (!slice.given_up).then_some(slice)
}

/// From where a holder holds the address, and where another one takes its place.
fn begin(question: &Question<'_, '_>, node: Node) -> Option<ReachKey> {
    let (body, own) = question.at_context(node.context);
    let entry = (Point::start(body.entry()), Anew::Nowhere);
    let after = |inst: InstId| own.point(inst).map(|point| (point.next(), Anew::At(point)));
    let (from, anew) = match node.holder {
        Holder::Value(value) => match body.values[value].def {
            Def::Inst(inst) => after(inst)?,
            _ => entry,
        },
        Holder::Memory(_, Version::Entry) => entry,
        Holder::Memory(_, Version::Inst(inst)) => after(inst)?,
        Holder::Memory(_, Version::Phi(block)) => (Point::start(block), Anew::Entering(block)),
    };
    Some(ReachKey { context: node.context, from, anew, look: Look::Sparse })
}

/// Finds the nodes in loops that hold the same address again in the next turn: those that every turn makes from a node
/// outside of the loop, and those that are made from each other.
fn find_steady(question: &Question<'_, '_>, slice: &mut Slice) {
    let mut steady = vec![false; slice.nodes.len()];
    for &(from, to, _) in &slice.edges {
        let (one, other) = (slice.nodes[from.index()], slice.nodes[to.index()]);
        if one.context != other.context {
            continue;
        }
        let (Some(before), Some(after)) = (begin(question, one), begin(question, other)) else { continue };
        let (_, own) = question.at_context(other.context);
        let inside = own.loops.innermost(after.from.block);
        steady[to.index()] |= inside.is_some_and(|id| !own.loops.contains(id, before.from.block));
    }
    // What goes around a loop and comes back to where it was is still there after the last turn.
    let pairs: Vec<(NodeId, NodeId)> = slice.edges.iter().map(|edge| (edge.0, edge.1)).collect();
    let next: Lists<NodeId, NodeId> = Lists::from_pairs(slice.nodes.len(), &pairs);
    for members in scc::components(slice.nodes.len(), |node| next.of(node)).iter() {
        if members.len() > 1 {
            members.iter().for_each(|member| steady[member.index()] = true);
        }
    }
    slice.steady = steady;
}

/// The paths of one function on which control gets as far as an edge of the slice says.
fn along(question: &mut Question<'_, '_>, slice: &Slice, from: NodeId, until: Until) -> Guard {
    let node = slice.nodes[from.index()];
    let Some(mut key) = begin(question, node) else { return Guard::FALSE };
    if slice.is_steady(from) {
        key.anew = Anew::Nowhere;
    }
    let reach = question.reach(key);
    match until {
        Until::Point(point) => question.at(&reach, point),
        Until::Edge(before, after) => question.along(node.context, &reach, before, after),
    }
}

/// The paths on which each node holds the address: taken over along edges until nothing changes.
fn solve(question: &mut Question<'_, '_>, slice: &Slice, roots: usize) -> Option<Vec<Guard>> {
    let mut guards = vec![Guard::FALSE; slice.nodes.len()];
    guards.iter_mut().take(roots).for_each(|guard| *guard = Guard::TRUE);
    let mut edges: Vec<(NodeId, NodeId, Guard)> = Vec::new();
    for &(from, to, until) in &slice.edges {
        if question.is_exhausted() {
            return None;
        }
        edges.push((from, to, along(question, slice, from, until)));
    }
    for _ in 0..SLICE_TURNS {
        if question.is_exhausted() {
            return None;
        }
        let mut changed = false;
        for &(from, to, guard) in &edges {
            let along = question.and(guards[from.index()], guard);
            let all = question.or(guards[to.index()], along);
            changed |= all != guards[to.index()];
            guards[to.index()] = all;
        }
        if !changed {
            return Some(guards);
        }
    }
    None
}

fn sink_guard(question: &mut Question<'_, '_>, slice: &Slice, guards: &[Guard], sink: &Sink) -> Guard {
    let along = along(question, slice, sink.node, sink.until);
    let mut guard = question.and(guards[sink.node.index()], along);
    if let (false, Some(inst)) = (sink.outcomes.is_empty(), sink.inst) {
        let context = slice.nodes[sink.node.index()].context;
        let block = match sink.until {
            Until::Point(point) => point.block,
            Until::Edge(block, _) => block,
        };
        let mut any = Guard::FALSE;
        for &outcome in &sink.outcomes {
            let one = match question.meaning {
                Meaning::Names => question.name(context, block, Test::Outcome(inst, outcome)),
                Meaning::Terms => {
                    let term = question.outcome(context, inst, outcome, View::Here);
                    question.formulas.guard(term)
                }
            };
            any = question.or(any, one);
        }
        guard = question.and(guard, any);
    }
    guard
}

/// The paths on which one of several things becomes of the address.
fn sunk(
    question: &mut Question<'_, '_>,
    slice: &Slice,
    guards: &[Guard],
    which: impl Fn(Fate) -> bool,
) -> Guard {
    let mut total = Guard::FALSE;
    for sink in slice.sinks.iter().filter(|sink| which(sink.fate)) {
        let guard = sink_guard(question, slice, guards, sink);
        total = question.or(total, guard);
    }
    total
}

/// The paths that end the process, or never end, while the address is held.
fn ended(question: &mut Question<'_, '_>, slice: &Slice, guards: &[Guard]) -> Guard {
    let mut total = Guard::FALSE;
    let mut ends: FxHashMap<ContextId, Vec<Point>> = FxHashMap::default();
    for (index, node) in slice.nodes.iter().enumerate() {
        if guards[index].is_false() || question.is_exhausted() {
            continue;
        }
        let points = ends.entry(node.context).or_insert_with(|| question.ends(node.context)).clone();
        for point in points {
            let along = along(question, slice, NodeId::new(index), Until::Point(point));
            let guard = question.and(guards[index], along);
            total = question.or(total, guard);
        }
    }
    total
}

/// The paths on which the function is left, or comes to the source again: what is not kept then is lost.
fn over(question: &mut Question<'_, '_>, source: &Source, slice: &Slice, guards: &[Guard]) -> Guard {
    let context = question.contexts.root();
    let (_, own) = question.at_context(context);
    let Some(before) = own.point(source.inst) else { return Guard::FALSE };
    let reach =
        question.reach(ReachKey { context, from: before.next(), anew: Anew::Nowhere, look: Look::Sparse });
    // Who comes to the source again has lost what no variable has brought along.
    let again = question.at(&reach, before);
    let brought = brought_along(question, slice, guards, before.block);
    let mut over = question.formulas.guards.and_not(again, brought);
    for block in question.return_blocks(context) {
        let there = question.at(&reach, Point::end(block));
        over = question.or(over, there);
    }
    if question.meaning == Meaning::Terms {
        let come = come(question);
        over = question.and(over, come);
    }
    if source.inner.is_empty() {
        return over;
    }
    // What the function has not been given it cannot lose.
    let mut given = Guard::FALSE;
    for &(from, to, until) in &slice.edges {
        let (inside, outside) = (slice.nodes[from.index()], slice.nodes[to.index()]);
        if outside.context == context && question.contexts.by(inside.context) == Some((context, source.inst))
        {
            let along = along(question, slice, from, until);
            let guard = question.and(guards[from.index()], along);
            given = question.or(given, guard);
        }
    }
    question.and(over, given)
}

/// The paths on which something holds the address when a loop around the source goes on.
fn brought_along(question: &mut Question<'_, '_>, slice: &Slice, guards: &[Guard], block: BlockId) -> Guard {
    let context = question.contexts.root();
    let (_, own) = question.at_context(context);
    let mut total = Guard::FALSE;
    for &(from, to, until) in &slice.edges {
        let Until::Edge(before, after) = until else { continue };
        let around = slice.nodes[to.index()].context == context
            && own.loops.is_back_edge(before, after)
            && own.loops.innermost(after).is_some_and(|id| own.loops.contains(id, block));
        if around {
            let along = along(question, slice, from, until);
            let guard = question.and(guards[from.index()], along);
            total = question.or(total, guard);
        }
    }
    total
}

/// The paths on which control comes to the source at all.
fn come(question: &mut Question<'_, '_>) -> Guard {
    let mut all = Guard::TRUE;
    let mut at = Some(question.acquired);
    while let Some((context, inst)) = at {
        let (body, own) = question.at_context(context);
        let Some(point) = own.point(inst) else { return Guard::FALSE };
        let from = Point::start(body.entry());
        let reach = question.reach(ReachKey { context, from, anew: Anew::Nowhere, look: Look::Sparse });
        let here = question.at(&reach, point);
        all = question.and(all, here);
        at = question.contexts.by(context);
    }
    all
}

/// Decides tests against null: what may hold the address is null where it does not.
fn decide_null(question: &mut Question<'_, '_>, slice: &Slice, guards: &[Guard], guard: Guard) -> Guard {
    let mut holds: FxHashMap<(ContextId, ValueId), Guard> = FxHashMap::default();
    for (node, guard) in slice.nodes.iter().zip(guards) {
        if let Holder::Value(value) = node.holder {
            let known = holds.entry((node.context, value)).or_insert(Guard::FALSE);
            *known = question.formulas.guards.or(*known, *guard);
        }
    }
    // Blocks around it exist.
    question.decide_null(guard, |context, value| {
        Some(holds.get(&(context, value)).copied().unwrap_or(Guard::TRUE))
    })
}

/// Whether a block ends a function by returning.
pub(crate) fn returns(body: &watertight_ir::Body, block: BlockId) -> bool {
    matches!(body.blocks[block].term, Terminator::Return(_))
}
