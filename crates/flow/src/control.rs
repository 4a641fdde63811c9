//! Guards of control flow: on which paths does control get from one point of a function to another?
//!
//! A guard is a boolean function over branch conditions, one condition for each value that branches test; equal
//! comparisons are one condition. Loops go around at most once, and then leave as if the condition of the exit had
//! changed: the condition is dropped (Saber, section 2.6 and Fig. 3). A test of the followed address against
//! null is decided by the paths on which the tested value holds it.

use crate::facts::{FunctionFacts, Point};
use rustc_hash::{FxHashMap, FxHashSet};
use watertight_ir::{BlockId, Body, CompareOp, FuncId, Id, Op, Terminator, ValueId};
use watertight_logic::guard::{Condition, Guard, Guards};

/// What a branch tests.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Test {
    Value(ValueId),
    Compare(CompareOp, ValueId, ValueId),
    Case(ValueId, u128),
    /// Something that is not known decides.
    Choice(BlockId, usize),
}

/// Tests against null that decide each other.
const DEEPEST_TESTS: usize = 4;

/// The conditions met so far, and the guards over them.
#[derive(Default)]
pub struct Control {
    pub guards: Guards,
    conditions: FxHashMap<(FuncId, Test), Condition>,
    /// Where each condition is tested first, for people.
    pub tested: Vec<(FuncId, BlockId)>,
    /// Values that may hold the followed address.
    pub held: FxHashSet<(FuncId, ValueId)>,
    /// The guards of tests whether such a value is null.
    null_tests: FxHashMap<(FuncId, ValueId), Guard>,
}

/// On which paths each block is entered, from some point on.
pub struct Reach {
    from: Point,
    entry: Vec<Guard>,
    kills: Vec<Point>,
}

impl Control {
    fn literal(&mut self, function: FuncId, block: BlockId, test: Test) -> Guard {
        let Control { guards, conditions, tested, .. } = self;
        let condition = *conditions.entry((function, test)).or_insert_with(|| {
            tested.push((function, block));
            guards.new_condition()
        });
        debug_assert!(condition.index() < tested.len() || guards.overflowed());
        guards.literal(condition)
    }

    /// The guard under which a truth value is 1.
    fn truth(&mut self, function: FuncId, body: &Body, block: BlockId, value: ValueId) -> Guard {
        if let Some(bits) = body.bits(value) {
            return Guard::truth(bits & 1 == 1);
        }
        let Some(Op::Compare { op, lhs, rhs }) = body.def_op(value) else {
            return self.literal(function, block, Test::Value(value));
        };
        let (op, negated) = match op {
            CompareOp::Ne => (CompareOp::Eq, true),
            CompareOp::Sge => (CompareOp::Slt, true),
            CompareOp::Sgt => (CompareOp::Sle, true),
            CompareOp::Uge => (CompareOp::Ult, true),
            CompareOp::Ugt => (CompareOp::Ule, true),
            op => (*op, false),
        };
        let is_held = |side: ValueId| self.held.contains(&(function, side));
        let sides = match (is_held(*lhs), is_held(*rhs)) {
            (true, false) => Some((*lhs, *rhs)),
            (false, true) => Some((*rhs, *lhs)),
            _ => None,
        };
        let guard = match sides.filter(|_| op == CompareOp::Eq) {
            // A variable has another address.
            Some((_, other)) if is_variable(body, other) => Guard::FALSE,
            Some((held, other)) if body.bits(other) == Some(0) => {
                let guard = self.literal(function, block, Test::Compare(op, *lhs, *rhs));
                self.null_tests.insert((function, held), guard);
                guard
            }
            _ => self.literal(function, block, Test::Compare(op, *lhs, *rhs)),
        };
        if negated { !guard } else { guard }
    }

    /// The edges that leave a block, each with its guard.
    fn edges(&mut self, function: FuncId, body: &Body, block: BlockId) -> Vec<(BlockId, Guard)> {
        match &body.blocks[block].term {
            Terminator::Jump(to) => vec![(*to, Guard::TRUE)],
            Terminator::Branch { cond, then, other } => {
                let guard = self.truth(function, body, block, *cond);
                vec![(*then, guard), (*other, !guard)]
            }
            Terminator::Switch { value, cases, default } => {
                let mut rest = Guard::TRUE;
                let mut edges = Vec::new();
                for &(case, to) in cases {
                    let literal = self.literal(function, block, Test::Case(*value, case));
                    edges.push((to, self.guards.and(rest, literal)));
                    rest = self.guards.and(rest, !literal);
                }
                edges.push((*default, rest));
                edges
            }
            Terminator::Indirect { targets, .. } | Terminator::Choose { targets } => {
                self.choice(function, block, targets)
            }
            Terminator::Invoke { normal, unwind } => self.choice(function, block, &[*normal, *unwind]),
            Terminator::Return(_) | Terminator::Resume | Terminator::Unreachable => Vec::new(),
        }
    }

    fn choice(&mut self, function: FuncId, block: BlockId, targets: &[BlockId]) -> Vec<(BlockId, Guard)> {
        let mut rest = Guard::TRUE;
        let mut edges = Vec::new();
        for (index, &to) in targets.iter().enumerate() {
            if index + 1 == targets.len() {
                edges.push((to, rest));
                break;
            }
            let literal = self.literal(function, block, Test::Choice(block, index));
            edges.push((to, self.guards.and(rest, literal)));
            rest = self.guards.and(rest, !literal);
        }
        edges
    }

    /// On which paths each block is entered from a point on, without passing one of some points.
    pub fn reach(
        &mut self,
        function: FuncId,
        body: &Body,
        facts: &FunctionFacts,
        from: Point,
        kills: Vec<Point>,
    ) -> Reach {
        let mut reach = Reach { from, entry: vec![Guard::FALSE; body.blocks.len()], kills };
        let order = facts.cfg.reverse_post_order();
        // Once from the start. What comes around a loop goes on at its exits, with their conditions dropped.
        for &block in order {
            let out = reach.out(block);
            if out.is_false() {
                continue;
            }
            for (to, guard) in self.edges(function, body, block) {
                let along = self.guards.and(out, guard);
                if !facts.loops.is_back_edge(block, to) {
                    reach.entry[to.index()] = self.guards.or(reach.entry[to.index()], along);
                    continue;
                }
                // A new turn begins with a new value.
                if reach.is_killed(to, 0, u32::MAX) {
                    continue;
                }
                for exit in exits(facts, to) {
                    reach.entry[exit.index()] = self.guards.or(reach.entry[exit.index()], along);
                }
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
            for (to, guard) in self.edges(function, body, block) {
                if facts.loops.is_back_edge(block, to) {
                    let along = self.guards.and(first, guard);
                    again[to.index()] = self.guards.or(again[to.index()], along);
                } else if !out.is_false() {
                    let along = self.guards.and(out, guard);
                    again[to.index()] = self.guards.or(again[to.index()], along);
                }
            }
        }
        for (entry, again) in reach.entry.iter_mut().zip(again) {
            if entry.is_false() {
                *entry = again;
            }
        }
        reach
    }

    /// On which paths control gets to a point.
    pub fn at(&mut self, reach: &Reach, to: Point) -> Guard {
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

    /// A guard in which tests against null of what may hold the address are decided: it is null where it does not
    /// hold the address. `holds` says on which paths a value does.
    pub fn decide_null(&mut self, guard: Guard, holds: impl Fn(FuncId, ValueId) -> Option<Guard>) -> Guard {
        let mut tests: Vec<((FuncId, ValueId), Guard)> =
            self.null_tests.iter().map(|(&value, &test)| (value, test)).collect();
        tests.sort_unstable();
        let mut decided: FxHashMap<Condition, Guard> = FxHashMap::default();
        for ((function, value), test) in tests {
            if let Some((condition, _, _)) = self.guards.branch(test)
                && let Some(holds) = holds(function, value)
            {
                decided.insert(condition, !holds);
            }
        }
        let mut guard = guard;
        // What decides a test may hang on another test, of a value that was there before.
        for _ in 0..DEEPEST_TESTS {
            let next = self.guards.substitute(guard, |guards, condition| {
                decided.get(&condition).copied().unwrap_or_else(|| guards.literal(condition))
            });
            if next == guard {
                break;
            }
            guard = next;
        }
        guard
    }

    /// The conditions that test a value, or what is computed from it at once.
    pub fn conditions_on(&self, function: FuncId, body: &Body, value: ValueId) -> Vec<Condition> {
        let about = |tested: ValueId| {
            let mut at = tested;
            for _ in 0..4 {
                if at == value {
                    return true;
                }
                at = match body.def_op(at) {
                    Some(Op::Convert { value, .. }) => *value,
                    Some(Op::Compare { lhs, rhs, .. }) if body.constant(*rhs).is_some() => *lhs,
                    Some(Op::Binary { lhs, rhs, .. }) if body.constant(*rhs).is_some() => *lhs,
                    Some(Op::Phi { incoming }) => match incoming.iter().find(|entry| entry.1 == value) {
                        Some(entry) => entry.1,
                        None => return false,
                    },
                    _ => return false,
                };
            }
            false
        };
        let mut found = Vec::new();
        for (&(_, test), &condition) in self.conditions.iter().filter(|known| known.0.0 == function) {
            let hit = match test {
                Test::Value(tested) | Test::Case(tested, _) => about(tested),
                Test::Compare(_, lhs, rhs) => about(lhs) || about(rhs),
                Test::Choice(..) => false,
            };
            if hit {
                found.push(condition);
            }
        }
        found.sort_unstable();
        found
    }

    /// On which paths control takes an edge.
    pub fn along(
        &mut self,
        function: FuncId,
        body: &Body,
        reach: &Reach,
        from: BlockId,
        to: BlockId,
    ) -> Guard {
        let out = self.at(reach, Point { block: from, index: u32::MAX });
        let mut guard = Guard::FALSE;
        for (target, edge) in self.edges(function, body, from) {
            if target == to {
                guard = self.guards.or(guard, edge);
            }
        }
        self.guards.and(out, guard)
    }
}

/// Whether a value is the address of a variable.
fn is_variable(body: &Body, value: ValueId) -> bool {
    matches!(body.def_op(value), Some(Op::Stack { .. }))
        || matches!(body.constant(value), Some(watertight_ir::Const::Global { .. }))
}

/// Where control goes on when a loop has been gone around: the exits of its header, or all if that has none.
fn exits(facts: &FunctionFacts, header: BlockId) -> Vec<BlockId> {
    let Some(id) = facts.loops.innermost(header) else { return Vec::new() };
    let all = facts.loops.exits(&facts.cfg, id);
    let own: Vec<BlockId> = all.iter().filter(|exit| exit.0 == header).map(|exit| exit.1).collect();
    if own.is_empty() { all.into_iter().map(|exit| exit.1).collect() } else { own }
}

impl Reach {
    /// Whether a kill lies between two positions of a block.
    fn is_killed(&self, block: BlockId, from: u32, to: u32) -> bool {
        self.kills.iter().any(|kill| kill.block == block && kill.index >= from && kill.index < to)
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
    use crate::facts::FunctionFacts;

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

    #[test]
    fn guards_are_those_of_the_figure() {
        let program = watertight_ir::parse("figure.ir", FIGURE).expect("the figure is well formed");
        let function = program.function_named("fun").expect("fun is there");
        let body = program.functions[function].body.as_ref().expect("fun has a body");
        let facts = FunctionFacts::new(body);
        let mut control = Control::default();
        let start = |block: usize| Point { block: BlockId::new(block), index: 0 };
        let reach = control.reach(function, body, &facts, start(0), Vec::new());
        let c1 = control.truth(function, body, BlockId::new(1), ValueId::new(2));
        let c2 = control.truth(function, body, BlockId::new(2), ValueId::new(3));
        let both = control.guards.and(c1, c2);
        let after = control.guards.or(!c1, both);
        let at = |control: &mut Control, block: usize| control.at(&reach, start(block));
        assert_eq!(at(&mut control, 3), both);
        assert_eq!(at(&mut control, 5), after);
        let returned = control.guards.and(c1, !c2);
        assert_eq!(at(&mut control, 4), returned);
    }
}
