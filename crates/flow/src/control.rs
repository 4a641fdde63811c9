//! Guards of control flow: on which paths does control get from one point of a function to another?
//!
//! A guard is a boolean function over branch conditions. Loops go around at most once, and then leave: where
//! conditions are names as if the condition of the exit had changed, which is dropped (Saber, section 2.6 and Fig. 3);
//! where they are terms, with the values that things have after the last turn. A test of the followed address against
//! null is decided by the paths on which the tested value holds it.

use crate::context::ContextId;
use crate::facts::{FunctionFacts, Point};
use crate::limits::{GUARD_PASSES, NULL_TESTS};
use crate::question::{Meaning, Question};
use crate::sparse::Regions;
use crate::terms::View;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use watertight_ir::{BlockId, Body, CompareOp, Id, InstId, Op, Terminator, ValueId};
use watertight_logic::guard::{Condition, Guard};

/// What a branch tests.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Test {
    Value(ValueId),
    Compare(CompareOp, ValueId, ValueId),
    Case(ValueId, u128),
    /// Something that is not known decides.
    Choice(BlockId, usize),
    /// A function of the library returns in this way.
    Outcome(InstId, usize),
}

/// The edges that leave a block, each with its guard.
pub(crate) type Edges = [(BlockId, Guard)];

/// A point to start from, and where the search ends.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ReachKey {
    pub context: ContextId,
    pub from: Point,
    pub anew: Anew,
    pub look: Look,
}

/// Which blocks are looked at.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Look {
    /// All of them.
    All,
    /// Those that are not in regions that do not matter.
    Sparse,
    /// Those on the way to a block.
    To(BlockId),
}

/// Where what is followed is made anew, so that the old one is not seen any more.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Anew {
    Nowhere,
    /// By the instruction at a point.
    At(Point),
    /// By entering a block, where versions of memory join.
    Entering(BlockId),
}

/// On which paths each block is entered, from some point on.
pub(crate) struct Reach {
    context: ContextId,
    from: Point,
    entry: Vec<Guard>,
    anew: Anew,
    stops: Rc<[Point]>,
    /// On which paths an edge out of a loop is taken after its last turn.
    around: FxHashMap<(BlockId, BlockId), Guard>,
    /// What is jumped over.
    regions: Option<Rc<Regions>>,
}

impl Question<'_, '_> {
    pub(crate) fn name(&mut self, context: ContextId, block: BlockId, test: Test) -> Guard {
        let (names, guards, tested) = (&mut self.names, &mut self.formulas.guards, &mut self.tested);
        *names.entry((context, test)).or_insert_with(|| {
            let condition = guards.new_condition();
            tested.insert(condition.index(), (context, block));
            guards.literal(condition)
        })
    }

    /// The guard under which a truth value is 1.
    fn truth(&mut self, context: ContextId, block: BlockId, value: ValueId, view: View) -> Guard {
        let (body, _) = self.at_context(context);
        if let Some(bits) = body.bits(value) {
            return Guard::truth(bits & 1 == 1);
        }
        if self.meaning == Meaning::Terms {
            let term = self.term_at(context, value, block, view);
            return self.tested_guard(context, block, term);
        }
        let Some(Op::Compare { op, lhs, rhs }) = body.def_op(value) else {
            return self.name(context, block, Test::Value(value));
        };
        let (op, negated) = match op {
            CompareOp::Ne => (CompareOp::Eq, true),
            CompareOp::Sge => (CompareOp::Slt, true),
            CompareOp::Sgt => (CompareOp::Sle, true),
            CompareOp::Uge => (CompareOp::Ult, true),
            CompareOp::Ugt => (CompareOp::Ule, true),
            op => (*op, false),
        };
        let is_held = |side: ValueId| self.held.contains(&(context, side));
        let sides = match (is_held(*lhs), is_held(*rhs)) {
            (true, false) => Some((*lhs, *rhs)),
            (false, true) => Some((*rhs, *lhs)),
            _ => None,
        };
        let guard = match sides.filter(|_| op == CompareOp::Eq) {
            // A variable has another address.
            Some((_, other)) if is_variable(body, other) => Guard::FALSE,
            Some((held, other)) if body.bits(other) == Some(0) => {
                let guard = self.name(context, block, Test::Compare(op, *lhs, *rhs));
                self.null_tests.insert((context, held), guard);
                guard
            }
            _ => self.name(context, block, Test::Compare(op, *lhs, *rhs)),
        };
        if negated { !guard } else { guard }
    }

    /// The guard of a term that a branch tests, and where people can see it tested.
    fn tested_guard(
        &mut self,
        context: ContextId,
        block: BlockId,
        term: watertight_logic::term::TermId,
    ) -> Guard {
        let before = self.formulas.guards.condition_count();
        let guard = self.formulas.guard(term);
        for condition in before..self.formulas.guards.condition_count() {
            self.tested.entry(condition).or_insert((context, block));
        }
        guard
    }

    /// The edges that leave a block, each with its guard.
    pub(crate) fn edges(&mut self, context: ContextId, block: BlockId, view: View) -> Rc<Edges> {
        let view = if self.meaning == Meaning::Names { View::Here } else { view };
        if let Some(known) = self.edges.get(&(context, block, view)) {
            return known.clone();
        }
        let (body, _) = self.at_context(context);
        let edges = match &body.blocks[block].term {
            Terminator::Jump(to) => vec![(*to, Guard::TRUE)],
            Terminator::Branch { cond, then, other } => {
                let guard = self.truth(context, block, *cond, view);
                vec![(*then, guard), (*other, !guard)]
            }
            Terminator::Switch { value, cases, default } => {
                let mut rest = Guard::TRUE;
                let mut edges = Vec::new();
                for &(case, to) in cases {
                    let literal = match self.meaning {
                        Meaning::Names => self.name(context, block, Test::Case(*value, case)),
                        Meaning::Terms => {
                            let tested = self.term_at(context, *value, block, view);
                            let width = self.formulas.terms.width(tested);
                            let case = self.formulas.terms.constant(width, width.mask(case));
                            let equal = self.formulas.terms.eq(tested, case);
                            self.tested_guard(context, block, equal)
                        }
                    };
                    edges.push((to, self.and(rest, literal)));
                    rest = self.formulas.guards.and_not(rest, literal);
                }
                edges.push((*default, rest));
                edges
            }
            Terminator::Indirect { targets, .. } | Terminator::Choose { targets } => {
                self.choice(context, block, targets)
            }
            Terminator::Invoke { normal, unwind } => self.choice(context, block, &[*normal, *unwind]),
            Terminator::Return(_) | Terminator::Resume | Terminator::Unreachable => Vec::new(),
        };
        let edges: Rc<Edges> = edges.into();
        self.edges.insert((context, block, view), edges.clone());
        edges
    }

    fn choice(&mut self, context: ContextId, block: BlockId, targets: &[BlockId]) -> Vec<(BlockId, Guard)> {
        let mut rest = Guard::TRUE;
        let mut edges = Vec::new();
        for (index, &to) in targets.iter().enumerate() {
            if index + 1 == targets.len() {
                edges.push((to, rest));
                break;
            }
            let literal = match self.meaning {
                Meaning::Names => self.name(context, block, Test::Choice(block, index)),
                Meaning::Terms => {
                    let choice = self.free_choice(context, block, index);
                    self.formulas.guard(choice)
                }
            };
            edges.push((to, self.and(rest, literal)));
            rest = self.formulas.guards.and_not(rest, literal);
        }
        edges
    }

    /// Points of a function that control does not pass: calls that do not come back.
    fn stops(&mut self, context: ContextId) -> Rc<[Point]> {
        let function = self.contexts.function(context);
        if let Some(known) = self.stops.get(&function) {
            return known.clone();
        }
        let (body, own) = self.at_context(context);
        let calls = own.cfg.reverse_post_order().iter().flat_map(|&block| &body.blocks[block].insts);
        let stopping = calls.filter(|&&inst| self.facts.stops(function, body, inst));
        let mut stops: Vec<Point> = stopping.filter_map(|&inst| own.point(inst)).collect();
        stops.sort_unstable();
        let stops: Rc<[Point]> = stops.into();
        self.stops.insert(function, stops.clone());
        stops
    }

    /// Where the process ends in the function of a context, or an exception leaves it.
    pub(crate) fn ends(&mut self, context: ContextId) -> Vec<Point> {
        let (body, _) = self.at_context(context);
        let mut ends: Vec<Point> = self.stops(context).to_vec();
        for (block, data) in body.blocks.iter() {
            if let Terminator::Unreachable | Terminator::Resume = data.term {
                ends.push(Point::end(block));
            }
        }
        ends
    }

    /// On which paths each block is entered from a point on.
    pub(crate) fn reach(&mut self, key: ReachKey) -> Rc<Reach> {
        if let Some(known) = self.reaches.get(&key) {
            return known.clone();
        }
        let ReachKey { context, from, anew, look } = key;
        let (body, own) = self.at_context(context);
        let stops = self.stops(context);
        let regions = (look == Look::Sparse).then(|| self.regions(context));
        // Who starts inside of a region that does not matter asks about something else.
        let regions = regions.filter(|regions| !regions.skipped[from.block.index()]);
        let mut reach = Reach {
            context,
            from,
            entry: vec![Guard::FALSE; body.blocks.len()],
            anew,
            stops,
            around: FxHashMap::default(),
            regions,
        };
        let order = own.cfg.reverse_post_order();
        let on_the_way: Vec<BlockId>;
        let order = match look {
            Look::To(block) => {
                let relevant = self.between(context, from.block, block);
                on_the_way = order.iter().copied().filter(|block| relevant[block.index()]).collect();
                &on_the_way[..]
            }
            _ => order,
        };
        // What comes around a loop goes on at its exits, which may stand before its body in the order.
        for _ in 0..GUARD_PASSES {
            // What comes of a question that is given up does not matter.
            if self.is_exhausted() || !self.pass(context, own, order, &mut reach) {
                break;
            }
        }
        // Blocks of the loop around the start that stand before it are reached by coming around.
        let mut again = vec![Guard::FALSE; body.blocks.len()];
        for &block in order {
            let mut out = again[block.index()];
            if reach.is_killed(block, 0, u32::MAX) {
                out = Guard::FALSE;
            }
            let first = reach.out(block);
            if out.is_false() && first.is_false() {
                continue;
            }
            if let Some(end) = reach.jump(block) {
                again[end.index()] = self.or(again[end.index()], out);
                continue;
            }
            for &(to, guard) in self.edges(context, block, View::Here).iter() {
                let whence = if own.loops.is_back_edge(block, to) { first } else { out };
                if whence.is_false() || (own.loops.is_back_edge(block, to) && reach.is_anew(to)) {
                    continue;
                }
                let along = self.and(whence, guard);
                again[to.index()] = self.or(again[to.index()], along);
            }
        }
        for (entry, again) in reach.entry.iter_mut().zip(again) {
            if entry.is_false() {
                *entry = again;
            }
        }
        let reach = Rc::new(reach);
        self.reaches.insert(key, reach.clone());
        reach
    }

    /// Takes guards over along all edges once. Whether something changed.
    fn pass(
        &mut self,
        context: ContextId,
        own: &FunctionFacts,
        order: &[BlockId],
        reach: &mut Reach,
    ) -> bool {
        let mut changed = false;
        let mut add = |question: &mut Self, reach: &mut Reach, to: BlockId, along: Guard| {
            let all = question.or(reach.entry[to.index()], along);
            changed |= all != reach.entry[to.index()];
            reach.entry[to.index()] = all;
        };
        for &block in order {
            let out = reach.out(block);
            if out.is_false() {
                continue;
            }
            let after = if block == reach.from.block { reach.from.index } else { 0 };
            let passed = self.passed(context, block, after);
            let out = self.and(out, passed);
            if let Some(end) = reach.jump(block) {
                add(self, reach, end, out);
                continue;
            }
            // Whoever comes to the header of a loop from outside is about to take the first turn.
            let first = self.meaning == Meaning::Terms && is_header(own, block) && block != reach.from.block;
            let here = self.edges(context, block, View::Here);
            let begin = if first { self.edges(context, block, View::First(block)) } else { here.clone() };
            for (&(to, guard), &(_, begins)) in here.iter().zip(begin.iter()) {
                let stays = own.loops.innermost(block).is_some_and(|id| own.loops.contains(id, to));
                if first && stays {
                    // If there is a first turn, what is looked at is a turn.
                    self.assume(begins, guard);
                }
                let along = self.and(out, if first { begins } else { guard });
                if !own.loops.is_back_edge(block, to) {
                    add(self, reach, to, along);
                    continue;
                }
                // A new turn begins with a new value.
                if along.is_false() || reach.is_anew(to) || reach.is_killed(to, 0, u32::MAX) {
                    continue;
                }
                let exits = exits(own, to);
                if let (Meaning::Terms, &[(inside, exit)]) = (self.meaning, &exits[..]) {
                    let left = self.left(context, to, inside, exit);
                    self.assume(along, left);
                }
                for (inside, exit) in exits {
                    add(self, reach, exit, along);
                    let known = reach.around.get(&(inside, exit)).copied().unwrap_or(Guard::FALSE);
                    let known = self.or(known, along);
                    reach.around.insert((inside, exit), known);
                }
            }
        }
        changed
    }

    /// Takes it for granted that one guard implies another.
    fn assume(&mut self, when: Guard, then: Guard) {
        let (when, then) = (self.formulas.term(when), self.formulas.term(then));
        let fact = self.formulas.terms.implies(when, then);
        if !self.formulas.terms.is_const(fact) && !self.assumed.contains(&fact) {
            self.assumed.push(fact);
        }
    }

    /// When a loop is left by an edge after its last turn.
    fn left(&mut self, context: ContextId, header: BlockId, inside: BlockId, exit: BlockId) -> Guard {
        let mut guard = Guard::FALSE;
        for &(to, edge) in self.edges(context, inside, View::Last(header)).iter() {
            if to == exit {
                guard = self.or(guard, edge);
            }
        }
        let progress = self.progress(context, header);
        self.and(guard, progress)
    }

    /// On which paths control gets to a point.
    pub(crate) fn at(&mut self, reach: &Reach, to: Point) -> Guard {
        if reach.regions.as_ref().is_some_and(|regions| regions.skipped[to.block.index()]) {
            let Reach { context, from, anew, .. } = *reach;
            let reach = self.reach(ReachKey { context, from, anew, look: Look::All });
            return self.at(&reach, to);
        }
        let mut guard = match reach.is_killed(to.block, 0, to.index) {
            true => Guard::FALSE,
            false => reach.entry[to.block.index()],
        };
        let straight = to.block == reach.from.block && to.index >= reach.from.index;
        if straight && !reach.is_killed(to.block, reach.from.index, to.index) {
            guard = Guard::TRUE;
        }
        guard
    }

    /// On which paths control takes an edge.
    pub(crate) fn along(&mut self, context: ContextId, reach: &Reach, from: BlockId, to: BlockId) -> Guard {
        let (_, own) = self.at_context(context);
        let out = self.at(reach, Point::end(from));
        let first = self.meaning == Meaning::Terms && is_header(own, from) && from != reach.from.block;
        let leaves = own.loops.innermost(from).is_some_and(|id| !own.loops.contains(id, to));
        let view = if first && leaves { View::First(from) } else { View::Here };
        let mut guard = Guard::FALSE;
        for &(target, edge) in self.edges(context, from, view).iter() {
            if target == to {
                guard = self.or(guard, edge);
            }
        }
        let around = reach.around.get(&(from, to)).copied().unwrap_or(Guard::FALSE);
        let straight = self.and(out, guard);
        self.or(straight, around)
    }

    /// A guard in which tests against null of what may hold the address are decided: it is null where it does not
    /// hold the address. `holds` says on which paths a value does.
    pub(crate) fn decide_null(
        &mut self,
        guard: Guard,
        holds: impl Fn(ContextId, ValueId) -> Option<Guard>,
    ) -> Guard {
        let mut tests: Vec<((ContextId, ValueId), Guard)> =
            self.null_tests.iter().map(|(&value, &test)| (value, test)).collect();
        tests.sort_unstable();
        let mut decided: FxHashMap<Condition, Guard> = FxHashMap::default();
        for ((context, value), test) in tests {
            if let Some((condition, _, _)) = self.formulas.guards.branch(test)
                && let Some(holds) = holds(context, value)
            {
                decided.insert(condition, !holds);
            }
        }
        let mut guard = guard;
        // What decides a test may hang on another test, of a value that was there before.
        for _ in 0..NULL_TESTS {
            let next = self.formulas.guards.substitute(guard, |guards, condition| {
                decided.get(&condition).copied().unwrap_or_else(|| guards.literal(condition))
            });
            if next == guard {
                break;
            }
            guard = next;
        }
        guard
    }
}

/// Whether a value is the address of a variable.
fn is_variable(body: &Body, value: ValueId) -> bool {
    matches!(body.def_op(value), Some(Op::Stack { .. }))
        || matches!(body.constant(value), Some(watertight_ir::Const::Global { .. }))
}

/// Whether a loop begins at a block.
pub(crate) fn is_header(own: &FunctionFacts, block: BlockId) -> bool {
    own.cfg.predecessors(block).iter().any(|&from| own.loops.is_back_edge(from, block))
}

/// Where control goes on when a loop has been gone around: the exits of its header, or all if that has none.
fn exits(own: &FunctionFacts, header: BlockId) -> Vec<(BlockId, BlockId)> {
    let Some(id) = own.loops.innermost(header) else { return Vec::new() };
    let all = own.loops.exits(&own.cfg, id);
    let at_header: Vec<(BlockId, BlockId)> = all.iter().copied().filter(|exit| exit.0 == header).collect();
    if at_header.is_empty() { all } else { at_header }
}

impl Reach {
    /// Whether something between two positions of a block ends the search.
    fn is_killed(&self, block: BlockId, from: u32, to: u32) -> bool {
        let inside = |kill: &Point| kill.block == block && kill.index >= from && kill.index < to;
        let first = self.stops.partition_point(|stop| *stop < Point { block, index: from });
        self.stops.get(first).is_some_and(inside) || matches!(&self.anew, Anew::At(point) if inside(point))
    }

    /// Whether what is followed is made anew where this block is entered again.
    fn is_anew(&self, block: BlockId) -> bool {
        self.anew == Anew::Entering(block)
    }

    /// Where a region that does not matter ends, if a block begins one.
    fn jump(&self, block: BlockId) -> Option<BlockId> {
        self.regions.as_ref()?.jumps[block.index()]
    }

    /// On which paths the end of a block is reached.
    fn out(&self, block: BlockId) -> Guard {
        if block == self.from.block && !self.is_killed(block, self.from.index, u32::MAX) {
            return Guard::TRUE;
        }
        match self.is_killed(block, 0, u32::MAX) {
            true => Guard::FALSE,
            false => self.entry[block.index()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Facts;
    use crate::memory::MemorySsa;
    use crate::slice::Subject;
    use crate::source::Source;
    use watertight_pointer::PointsTo;
    use watertight_summary::KindId;
    use watertight_summary::model::Models;

    /// The function of Fig. 3 of the paper: a loop with a return in it, and a use after it.
    const FIGURE: &str = "\
func @fun(%v0: i32) {
bb0:
  jump bb1
bb1:
  %v1: i32 = phi [bb0: i32 0, bb3: %v4]
  %v2 = compare slt %v1, i32 10
  branch %v2, bb2, bb5
bb2:
  %v3 = compare slt %v0, i32 2
  branch %v3, bb3, bb4
bb3:
  %v4: i32 = add %v1, i32 1
  jump bb1
bb4:
  return
bb5:
  return
}
";

    /// Asks something about a function.
    fn ask(text: &str, meaning: Meaning, check: impl FnOnce(&mut Question<'_, '_>)) {
        let program = watertight_ir::parse("figure.ir", text).expect("the figure is well formed");
        let models = Models::default();
        let points_to = PointsTo::new(&program, &models);
        let facts = Facts::new(&program, &models, &points_to);
        let function = program.function_named("fun").expect("fun is there");
        let source = Source {
            function,
            inst: InstId::new(0),
            kind: KindId::HEAP,
            subject: Subject::Address,
            inner: Vec::new(),
            holders: Vec::new(),
            outcomes: Vec::new(),
            origin: None,
        };
        let mut memory = MemorySsa::default();
        let mut question = Question::new(&facts, &mut memory, &source, meaning).expect("it can be asked");
        check(&mut question);
    }

    /// Asks for the guards of the ends of the figure, from its first block on.
    fn in_figure(meaning: Meaning, check: impl FnOnce(&mut Question<'_, '_>, [Guard; 3])) {
        ask(FIGURE, meaning, |question| {
            let context = question.contexts.root();
            let from = Point::start(BlockId::new(0));
            let reach = question.reach(ReachKey { context, from, anew: Anew::Nowhere, look: Look::All });
            let mut at = |block: usize| question.at(&reach, Point::start(BlockId::new(block)));
            let ends = [at(3), at(4), at(5)];
            check(question, ends);
        });
    }

    #[test]
    fn guards_are_those_of_the_figure() {
        in_figure(Meaning::Names, |question, [body, returned, after]| {
            let context = question.contexts.root();
            let c1 = question.truth(context, BlockId::new(1), ValueId::new(2), View::Here);
            let c2 = question.truth(context, BlockId::new(2), ValueId::new(3), View::Here);
            let both = question.and(c1, c2);
            assert_eq!(body, both);
            assert_eq!(after, question.or(!c1, both));
            assert_eq!(returned, question.formulas.guards.and_not(c1, c2));
        });
    }

    /// A branch whose ways meet again, with a loop on one of them, before the one that matters.
    const DIAMOND: &str = "\
func @fun(%v0: i32, %v1: i1) {
bb0:
  branch %v1, bb1, bb3
bb1:
  %v2 = compare slt %v0, i32 5
  branch %v2, bb2, bb1
bb2:
  jump bb4
bb3:
  jump bb4
bb4:
  %v3 = compare slt %v0, i32 2
  branch %v3, bb5, bb6
bb5:
  return
bb6:
  return
}
";

    #[test]
    fn what_does_not_matter_is_jumped_over() {
        ask(DIAMOND, Meaning::Names, |question| {
            let context = question.contexts.root();
            let from = Point::start(BlockId::new(0));
            let mut reach =
                |look: Look| question.reach(ReachKey { context, from, anew: Anew::Nowhere, look });
            let (sparse, all) = (reach(Look::Sparse), reach(Look::All));
            assert!(
                sparse.jump(BlockId::new(0)) == Some(BlockId::new(4)) && all.jump(BlockId::new(0)).is_none()
            );
            for block in 0..7 {
                let at = Point::start(BlockId::new(block));
                assert_eq!(question.at(&sparse, at), question.at(&all, at), "bb{block}");
            }
            let end = question.at(&sparse, Point::start(BlockId::new(5)));
            assert_eq!(question.formulas.guards.support(end).len(), 1);
        });
    }

    #[test]
    fn what_is_asked_about_is_not_jumped_over() {
        ask(DIAMOND, Meaning::Names, |question| {
            let context = question.contexts.root();
            question.mark(context, BlockId::new(3));
            let regions = question.regions(context);
            assert!(regions.jumps[0].is_none());
            assert!(!regions.skipped[3]);
        });
    }

    #[test]
    fn terms_know_that_the_loop_is_entered() {
        in_figure(Meaning::Terms, |question, [body, returned, after]| {
            // `0 < 10` holds, so what is after the loop is reached through its body.
            assert_eq!(body, after);
            assert_eq!(returned, !after);
            assert_eq!(question.formulas.guards.support(after).len(), 1);
        });
    }
}
