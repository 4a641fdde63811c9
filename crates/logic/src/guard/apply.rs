//! Conjunction, choice and what is made of them; implication and disjointness as questions.
//!
//! Each operation walks both diagrams from the top condition down and remembers results in a direct-mapped cache: a
//! later result may overwrite an earlier one, which costs a recomputation and nothing else. The cache grows with the
//! number of nodes, so a small function pays for a small cache.

use super::{DEEPEST, Definition, Guard, Guards, STEPS_WHEN_FULL, TERMINAL};
use crate::table::mix;

/// A remembered result. `c` tells operations apart: it is the third operand of a choice, or a mark.
#[derive(Clone, Copy)]
struct Entry {
    a: Guard,
    b: Guard,
    c: Guard,
    result: Guard,
}

/// Marks no guard can have: positions stay below 2^31 - 1.
const AND: Guard = Guard(u32::MAX);
const DISJOINT: Guard = Guard(u32::MAX - 1);
pub(super) const SIMPLIFY: Guard = Guard(u32::MAX - 2);
const EMPTY: Guard = Guard(u32::MAX - 3);

const FIRST_CACHE: usize = 512;
const LAST_CACHE: usize = 1 << 16;

/// The results of recent operations.
#[derive(Default)]
pub(super) struct Cache {
    entries: Vec<Entry>,
}

impl Cache {
    #[inline]
    fn slot(&self, a: Guard, b: Guard, c: Guard) -> usize {
        mix(u64::from(a.0) | u64::from(b.0) << 32, u64::from(c.0)) as usize & (self.entries.len() - 1)
    }

    #[inline]
    pub(super) fn get(&self, a: Guard, b: Guard, c: Guard) -> Option<Guard> {
        let entry = &self.entries[self.slot(a, b, c)];
        (entry.a == a && entry.b == b && entry.c == c).then_some(entry.result)
    }

    #[inline]
    pub(super) fn put(&mut self, a: Guard, b: Guard, c: Guard, result: Guard) {
        let slot = self.slot(a, b, c);
        self.entries[slot] = Entry { a, b, c, result };
    }

    /// Keeps the size in step with the number of nodes.
    #[inline]
    fn fit(&mut self, nodes: usize) {
        if self.entries.len() < FIRST_CACHE || (self.entries.len() < nodes && self.entries.len() < LAST_CACHE)
        {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.entries.len() * 4).max(FIRST_CACHE);
        let empty = Entry { a: EMPTY, b: EMPTY, c: EMPTY, result: EMPTY };
        let old = std::mem::replace(&mut self.entries, vec![empty; size]);
        for entry in old {
            if entry.a != EMPTY {
                self.put(entry.a, entry.b, entry.c, entry.result);
            }
        }
    }
}

impl Guards {
    /// Both hold.
    #[inline]
    pub fn and(&mut self, a: Guard, b: Guard) -> Guard {
        if let Some(result) = and_trivial(a, b) {
            return result;
        }
        self.start();
        let result = self.and_step(a, b, 0);
        if self.aborted {
            let (a, b) = if a < b { (a, b) } else { (b, a) };
            return self.define(Definition::And(a, b));
        }
        result
    }

    /// At least one holds.
    #[inline]
    pub fn or(&mut self, a: Guard, b: Guard) -> Guard {
        !self.and(!a, !b)
    }

    /// The second holds whenever the first does, as a guard. To ask whether that is always so, see `entails`.
    pub fn implies(&mut self, a: Guard, b: Guard) -> Guard {
        !self.and(a, !b)
    }

    /// The first holds and the second does not.
    pub fn and_not(&mut self, a: Guard, b: Guard) -> Guard {
        self.and(a, !b)
    }

    /// Exactly one holds.
    pub fn xor(&mut self, a: Guard, b: Guard) -> Guard {
        self.ite(a, !b, b)
    }

    /// Both hold or neither.
    pub fn iff(&mut self, a: Guard, b: Guard) -> Guard {
        self.ite(a, b, !b)
    }

    /// All hold.
    pub fn and_all(&mut self, guards: impl IntoIterator<Item = Guard>) -> Guard {
        guards.into_iter().fold(Guard::TRUE, |all, guard| self.and(all, guard))
    }

    /// At least one of them holds.
    pub fn or_all(&mut self, guards: impl IntoIterator<Item = Guard>) -> Guard {
        guards.into_iter().fold(Guard::FALSE, |any, guard| self.or(any, guard))
    }

    /// The second when the first holds, else the third.
    pub fn ite(&mut self, f: Guard, g: Guard, h: Guard) -> Guard {
        self.start();
        let result = self.ite_step(f, g, h, 0);
        if self.aborted {
            return self.define(Definition::Ite(f, g, h));
        }
        result
    }

    /// Whether the second is seen to hold whenever the first does. No means "not seen": conditions are taken as
    /// independent of each other, and the answer is no when it would take too many steps.
    pub fn entails(&mut self, a: Guard, b: Guard) -> bool {
        self.disjoint(a, !b)
    }

    /// Whether the two are seen never to hold together. No means "not seen", as for `entails`.
    pub fn disjoint(&mut self, a: Guard, b: Guard) -> bool {
        self.start();
        self.disjoint_step(a, b, 0)
    }

    /// Prepares for an operation.
    #[inline]
    pub(super) fn start(&mut self) {
        self.aborted = false;
        self.fuel = match self.nodes.len() < self.limits.nodes {
            true => self.limits.steps_per_operation,
            false => STEPS_WHEN_FULL,
        };
        self.cache.fit(self.nodes.len());
    }

    /// Counts one step; false when the operation has to be left.
    #[inline]
    pub(super) fn burn(&mut self, depth: u32) -> bool {
        if self.fuel == 0 || depth > DEEPEST {
            self.aborted = true;
            return false;
        }
        self.fuel -= 1;
        self.steps += 1;
        true
    }

    /// Whether the operation in progress ran out of steps; its result is then meaningless.
    pub(super) fn aborted(&self) -> bool {
        self.aborted
    }

    /// The topmost condition of some guards.
    #[inline]
    fn top(&self, a: Guard) -> u32 {
        if a.is_constant() { TERMINAL } else { self.node(a).condition }
    }

    /// What a guard is when a condition not below its top holds, and when it does not.
    #[inline]
    pub(super) fn split(&self, guard: Guard, condition: u32) -> (Guard, Guard) {
        if guard.is_constant() {
            return (guard, guard);
        }
        let node = self.node(guard);
        if node.condition != condition {
            return (guard, guard);
        }
        let flip = guard.is_complemented();
        (node.high.flip(flip), node.low.flip(flip))
    }

    pub(super) fn and_step(&mut self, a: Guard, b: Guard, depth: u32) -> Guard {
        if let Some(result) = and_trivial(a, b) {
            return result;
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        if let Some(result) = self.cache.get(a, b, AND) {
            return result;
        }
        if !self.burn(depth) {
            return Guard::FALSE;
        }
        let (left, right) = (self.node(a), self.node(b));
        let top = left.condition.min(right.condition);
        let (a1, a0) = self.split(a, top);
        let (b1, b0) = self.split(b, top);
        let high = self.and_step(a1, b1, depth + 1);
        let low = self.and_step(a0, b0, depth + 1);
        if self.aborted {
            return Guard::FALSE;
        }
        let result = self.make(top, high, low);
        self.cache.put(a, b, AND, result);
        result
    }

    fn ite_step(&mut self, f: Guard, g: Guard, h: Guard, depth: u32) -> Guard {
        if f.is_true() || g == h {
            return g;
        }
        if f.is_false() {
            return h;
        }
        // Where a side repeats the condition or is constant, a conjunction does it.
        if g == f || g.is_true() {
            return !self.and_step(!f, !h, depth);
        }
        if g == !f || g.is_false() {
            return self.and_step(!f, h, depth);
        }
        if h == f || h.is_false() {
            return self.and_step(f, g, depth);
        }
        if h == !f || h.is_true() {
            return !self.and_step(f, !g, depth);
        }
        // One of the four equal ways to write a choice: neither the condition nor the first side complemented.
        let (f, g, h) = if f.is_complemented() { (!f, h, g) } else { (f, g, h) };
        if g.is_complemented() {
            return !self.ite_step(f, !g, !h, depth);
        }
        if let Some(result) = self.cache.get(f, g, h) {
            return result;
        }
        if !self.burn(depth) {
            return Guard::FALSE;
        }
        let top = self.top(f).min(self.top(g)).min(self.top(h));
        let (f1, f0) = self.split(f, top);
        let (g1, g0) = self.split(g, top);
        let (h1, h0) = self.split(h, top);
        let high = self.ite_step(f1, g1, h1, depth + 1);
        let low = self.ite_step(f0, g0, h0, depth + 1);
        if self.aborted {
            return Guard::FALSE;
        }
        let result = self.make(top, high, low);
        self.cache.put(f, g, h, result);
        result
    }

    fn disjoint_step(&mut self, a: Guard, b: Guard, depth: u32) -> bool {
        if let Some(result) = and_trivial(a, b) {
            return result.is_false();
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        if let Some(result) = self.cache.get(a, b, DISJOINT) {
            return result.is_true();
        }
        if !self.burn(depth) {
            return false;
        }
        let top = self.top(a).min(self.top(b));
        let (a1, a0) = self.split(a, top);
        let (b1, b0) = self.split(b, top);
        let result = self.disjoint_step(a1, b1, depth + 1) && self.disjoint_step(a0, b0, depth + 1);
        if !self.aborted {
            self.cache.put(a, b, DISJOINT, Guard::truth(result));
        }
        result
    }
}

#[inline]
fn and_trivial(a: Guard, b: Guard) -> Option<Guard> {
    if a == b || b.is_true() {
        return Some(a);
    }
    if a.is_true() {
        return Some(b);
    }
    if a == !b || a.is_false() || b.is_false() {
        return Some(Guard::FALSE);
    }
    None
}
