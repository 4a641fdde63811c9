//! Guards: boolean functions over named conditions, in canonical form.
//!
//! The analysis attaches a guard to everything it says: "this block runs when ...", "p points to q when ...". A guard
//! is a boolean function over [`Condition`]s, the branch conditions of the function given names. [`Guards`] keeps them
//! as reduced ordered binary decision diagrams with complement edges, so two [`Guard`]s of one manager are logically
//! equal exactly when they are `==`, negation is free, and `c` or `not c` at a join of control flow is simply
//! [`Guard::TRUE`] and drops out of every later formula. Conditions are ordered by creation, which is the order of the
//! control flow; there is no reordering.
//!
//! One manager belongs to the analysis of one function: it can move between threads, needs no locks, costs nothing
//! until used, and gives its memory back when the function is done. Guards of different managers must not be mixed.
//!
//! # When a guard would become too large
//!
//! Operations cannot fail. Each may take a limited number of steps. One that would take more does not approximate:
//! its result becomes a new condition that is *defined* as that operation ([`Guards::definition`]), and
//! [`Guards::overflowed`] is set. This is sound in both directions without the caller having to choose an
//! over-approximation, which a later negation would turn around unnoticed: the new condition stands for exactly the
//! value of the operation. What gets lost is knowledge, not truth. A guard that is `FALSE` is still false, two guards
//! that are `==` are still equal, [`Guards::entails`] still only says yes when it holds; but some guards that are equal
//! are no longer seen to be. The solver unfolds definitions, so its answers stay exact.
//!
//! ```
//! use watertight_logic::guard::{Guard, Guards};
//! let mut guards = Guards::new();
//! let c = guards.new_condition();
//! let c = guards.literal(c);
//! assert_eq!(guards.or(c, !c), Guard::TRUE);
//! let d = guards.new_condition();
//! let d = guards.literal(d);
//! let both = guards.and(c, d);
//! assert!(guards.entails(both, c));
//! ```

mod apply;
mod care;
mod cubes;
mod quantify;
mod text;

pub use cubes::{Cube, Literal};

use crate::table::{IdTable, Slot, mix};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::fmt;
use std::ops::Not;

/// A boolean function over conditions. Logically equal guards of one manager are equal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Guard(u32);

impl Guard {
    /// Holds always.
    pub const TRUE: Guard = Guard(0);
    /// Holds never.
    pub const FALSE: Guard = Guard(1);

    /// The guard that always or never holds.
    pub fn truth(value: bool) -> Guard {
        if value { Guard::TRUE } else { Guard::FALSE }
    }

    pub fn is_true(self) -> bool {
        self == Guard::TRUE
    }

    pub fn is_false(self) -> bool {
        self == Guard::FALSE
    }

    /// Whether it always or never holds.
    pub fn is_constant(self) -> bool {
        self.0 <= 1
    }

    /// The position of the node, the same for a guard and its negation.
    #[inline]
    pub(crate) fn node(self) -> u32 {
        self.0 >> 1
    }

    #[inline]
    pub(crate) fn is_complemented(self) -> bool {
        self.0 & 1 == 1
    }

    #[inline]
    pub(crate) fn regular(self) -> Guard {
        Guard(self.0 & !1)
    }

    /// Negated when the flag is set.
    #[inline]
    fn flip(self, flag: bool) -> Guard {
        Guard(self.0 ^ u32::from(flag))
    }
}

impl Not for Guard {
    type Output = Guard;
    #[inline]
    fn not(self) -> Guard {
        Guard(self.0 ^ 1)
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Guard::TRUE => out.write_str("g:true"),
            Guard::FALSE => out.write_str("g:false"),
            guard => write!(out, "{}g{}", if guard.is_complemented() { "!" } else { "" }, guard.node()),
        }
    }
}

/// A named condition: one boolean a guard may depend on. Prints as `c3`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Condition(u32);

impl Condition {
    /// The number of the condition in its manager, for dense side maps.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Condition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "c{}", self.0)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "c{}", self.0)
    }
}

/// What a condition stands for that was made because an operation was too large.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Definition {
    /// Both hold.
    And(Guard, Guard),
    /// The second when the first holds, else the third.
    Ite(Guard, Guard, Guard),
}

impl Definition {
    /// The guards it is made of.
    pub fn parts(self) -> impl Iterator<Item = Guard> {
        let (parts, count) = match self {
            Definition::And(a, b) => ([a, b, b], 2),
            Definition::Ite(a, b, c) => ([a, b, c], 3),
        };
        parts.into_iter().take(count)
    }
}

/// How large guards may become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GuardLimits {
    /// How many steps one operation may take; a step makes at most one node.
    pub steps_per_operation: u32,
    /// How many nodes the manager may hold before operations are kept very small.
    pub nodes: usize,
}

impl Default for GuardLimits {
    fn default() -> GuardLimits {
        GuardLimits { steps_per_operation: 10_000, nodes: 1 << 20 }
    }
}

/// Steps an operation may take when the manager is full.
const STEPS_WHEN_FULL: u32 = 32;

/// How deep recursion may go. A frame is small, so this fits into the smallest usual thread stack.
const DEEPEST: u32 = 1500;

/// The condition number of the terminal node: below all others.
const TERMINAL: u32 = u32::MAX;

/// One decision: on `condition` the guard continues with `high` when it holds, with `low` when it does not.
/// `high` is never complemented and differs from `low`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    pub(crate) condition: u32,
    pub(crate) high: Guard,
    pub(crate) low: Guard,
}

impl Node {
    #[inline]
    fn hash(self) -> u32 {
        mix(u64::from(self.condition), u64::from(self.high.0) | u64::from(self.low.0) << 32)
    }
}

/// The manager of the guards of one function.
pub struct Guards {
    nodes: Vec<Node>,
    table: IdTable,
    cache: apply::Cache,
    limits: GuardLimits,
    conditions: u32,
    definitions: FxHashMap<Condition, Definition>,
    defined: FxHashMap<Definition, Condition>,
    /// Steps the running operation may still take.
    fuel: u32,
    /// Set while an operation that ran out of steps is being left.
    aborted: bool,
    steps: u64,
    walk: RefCell<Walk>,
}

/// What a walk over nodes needs, kept from one to the next: they are many, and most are short.
#[derive(Default)]
struct Walk {
    /// For each node, the last walk that came by.
    seen: Vec<u32>,
    number: u32,
    stack: Vec<Guard>,
}

impl Default for Guards {
    fn default() -> Guards {
        Guards::new()
    }
}

impl Guards {
    /// A manager without conditions.
    pub fn new() -> Guards {
        Guards::with_limits(GuardLimits::default())
    }

    /// A manager whose guards may not become larger than this.
    pub fn with_limits(limits: GuardLimits) -> Guards {
        Guards {
            nodes: Vec::new(),
            table: IdTable::default(),
            cache: apply::Cache::default(),
            limits,
            conditions: 0,
            definitions: FxHashMap::default(),
            defined: FxHashMap::default(),
            fuel: 0,
            aborted: false,
            steps: 0,
            walk: RefCell::default(),
        }
    }

    /// A new condition, last in the order.
    pub fn new_condition(&mut self) -> Condition {
        let condition = Condition(self.conditions);
        assert!(self.conditions < TERMINAL - 1, "a manager holds fewer than 2^32 - 2 conditions");
        self.conditions += 1;
        condition
    }

    /// The number of conditions, defined ones included.
    pub fn condition_count(&self) -> usize {
        self.conditions as usize
    }

    /// The guard that holds when the condition does.
    pub fn literal(&mut self, condition: Condition) -> Guard {
        debug_assert!(condition.0 < self.conditions, "the condition belongs to this manager");
        self.make(condition.0, Guard::TRUE, Guard::FALSE)
    }

    /// What a condition stands for, when it was made because an operation was too large.
    pub fn definition(&self, condition: Condition) -> Option<Definition> {
        self.definitions.get(&condition).copied()
    }

    /// Whether some operation was too large and became a definition.
    pub fn overflowed(&self) -> bool {
        !self.definitions.is_empty()
    }

    /// How many operations were too large and became definitions.
    pub fn definition_count(&self) -> usize {
        self.definitions.len()
    }

    /// Lets guards become larger, or keeps them smaller, from here on.
    pub fn set_limits(&mut self, limits: GuardLimits) {
        self.limits = limits;
    }

    /// The nodes of all guards together, the terminal not counted.
    pub fn node_count(&self) -> usize {
        self.nodes.len().saturating_sub(1)
    }

    /// How large guards may become.
    pub fn limits(&self) -> GuardLimits {
        self.limits
    }

    /// The steps all operations have taken so far, for budgets.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Forgets remembered results of operations. Guards stay valid.
    pub fn clear_cache(&mut self) {
        self.cache = apply::Cache::default();
    }

    /// The topmost condition of a guard that is not constant, and the guard when it holds and when it does not.
    pub fn branch(&self, guard: Guard) -> Option<(Condition, Guard, Guard)> {
        if guard.is_constant() {
            return None;
        }
        let node = self.nodes[guard.node() as usize];
        let flip = guard.is_complemented();
        Some((Condition(node.condition), node.high.flip(flip), node.low.flip(flip)))
    }

    /// The value of a guard when the conditions have values. Definitions are not unfolded: their conditions are asked
    /// for like the others.
    pub fn eval(&self, guard: Guard, mut holds: impl FnMut(Condition) -> bool) -> bool {
        let mut at = guard;
        while let Some((condition, high, low)) = self.branch(at) {
            at = if holds(condition) { high } else { low };
        }
        at.is_true()
    }

    #[inline]
    pub(crate) fn node(&self, guard: Guard) -> Node {
        self.nodes[guard.node() as usize]
    }

    /// The positions of the nodes below some guards, the terminal left out, children before parents.
    pub(crate) fn reachable(&self, roots: impl IntoIterator<Item = Guard>) -> Vec<u32> {
        self.reachable_where(roots, |_, _| true)
    }

    /// As `reachable`, but what lies at and below a node that is not wanted is left out.
    fn reachable_where(
        &self,
        roots: impl IntoIterator<Item = Guard>,
        wanted: impl Fn(u32, &Node) -> bool,
    ) -> Vec<u32> {
        let mut found = Vec::new();
        self.walk(roots, wanted, |at| found.push(at));
        // A node is made after its children.
        found.sort_unstable();
        found
    }

    /// Visits each node below some guards once, but for what lies at and below a node that is not wanted.
    fn walk(
        &self,
        roots: impl IntoIterator<Item = Guard>,
        wanted: impl Fn(u32, &Node) -> bool,
        mut visit: impl FnMut(u32),
    ) {
        let mut walk = self.walk.borrow_mut();
        let Walk { seen, number, stack } = &mut *walk;
        *number += 1;
        seen.resize(self.nodes.len(), 0);
        stack.clear();
        stack.extend(roots);
        while let Some(guard) = stack.pop() {
            if guard.is_constant() {
                continue;
            }
            let (at, node) = (guard.node(), self.node(guard));
            if seen[at as usize] != *number && wanted(at, &node) {
                seen[at as usize] = *number;
                visit(at);
                stack.push(node.high);
                stack.push(node.low);
            }
        }
    }

    /// The nodes below a guard, itself included, children before parents; nothing below a node that is known.
    pub(crate) fn unknown_nodes(&self, guard: Guard, known: impl Fn(u32) -> bool) -> Vec<u32> {
        self.reachable_where([guard], |at, _| !known(at))
    }

    /// The decision at a node: its condition, and the guard when it holds and when it does not.
    pub(crate) fn branch_at(&self, node: u32) -> (Condition, Guard, Guard) {
        let Node { condition, high, low } = self.nodes[node as usize];
        (Condition(condition), high, low)
    }

    /// The one node for a decision.
    #[inline]
    fn make(&mut self, condition: u32, high: Guard, low: Guard) -> Guard {
        if high == low {
            return high;
        }
        let flip = high.is_complemented();
        let node = Node { condition, high: high.flip(flip), low: low.flip(flip) };
        if self.nodes.is_empty() {
            self.nodes.push(Node { condition: TERMINAL, high: Guard::TRUE, low: Guard::TRUE });
        }
        let nodes = &self.nodes;
        // The terminal is not looked for.
        self.table.reserve(nodes.len(), |at| (at > 0).then(|| nodes[at as usize].hash()));
        let at = match self.table.find(node.hash(), |at| nodes[at as usize] == node) {
            Slot::Found(at) => at,
            Slot::Free(free) => {
                let at = self.nodes.len() as u32;
                assert!(at < u32::MAX / 2, "a manager holds fewer than 2^31 guard nodes");
                self.table.fill(free, at);
                self.nodes.push(node);
                at
            }
        };
        Guard(at << 1).flip(flip)
    }

    /// The condition defined as an operation that was too large.
    fn define(&mut self, definition: Definition) -> Guard {
        let condition = match self.defined.get(&definition) {
            Some(&known) => known,
            None => {
                let condition = self.new_condition();
                self.definitions.insert(condition, definition);
                self.defined.insert(definition, condition);
                condition
            }
        };
        self.literal(condition)
    }
}
