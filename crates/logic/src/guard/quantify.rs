//! What a guard is when a condition is decided, or no longer matters; and which conditions it depends on.
//!
//! All of this is linear in the size of the guard, and works upwards through its nodes without recursion.
//!
//! A condition that is *defined* (see the module `guard`) may depend on the condition that is decided. Then the
//! definition is decided too, and the operation it stands for is done again on the smaller parts.

use super::{Condition, Definition, Guard, Guards, Node};
use rustc_hash::{FxHashMap, FxHashSet};

impl Guards {
    /// The guard when the condition holds; it no longer depends on it.
    pub fn when_true(&mut self, guard: Guard, condition: Condition) -> Guard {
        self.decide(guard, condition, true)
    }

    /// The guard when the condition does not hold; it no longer depends on it.
    pub fn when_false(&mut self, guard: Guard, condition: Condition) -> Guard {
        self.decide(guard, condition, false)
    }

    /// Whether the guard can hold for some values of the conditions: it no longer depends on them, and is the
    /// strongest guard implied by the old one of which that is true.
    pub fn exists(&mut self, guard: Guard, conditions: impl IntoIterator<Item = Condition>) -> Guard {
        let conditions: FxHashSet<Condition> = conditions.into_iter().collect();
        if !self.overflowed() || self.support(guard).iter().all(|&used| self.definition(used).is_none()) {
            return self.exists_at_once(guard, &conditions);
        }
        let mut conditions: Vec<Condition> = conditions.into_iter().collect();
        conditions.sort_unstable();
        conditions.into_iter().fold(guard, |guard, condition| {
            let (high, low) = (self.when_true(guard, condition), self.when_false(guard, condition));
            self.or(high, low)
        })
    }

    /// The same in one walk, for a guard without definitions.
    fn exists_at_once(&mut self, guard: Guard, conditions: &FxHashSet<Condition>) -> Guard {
        // A guard and its negation are no longer each other's opposite when conditions are open, so both are kept.
        let mut map: FxHashMap<Guard, Guard> = FxHashMap::default();
        let mut stack = vec![guard];
        while let Some(&top) = stack.last() {
            let Some((condition, high, low)) = self.branch(top).filter(|_| !map.contains_key(&top)) else {
                map.entry(top).or_insert(top);
                stack.pop();
                continue;
            };
            match (map.get(&high).copied(), map.get(&low).copied()) {
                (Some(high), Some(low)) => {
                    let result = if conditions.contains(&condition) {
                        self.or(high, low)
                    } else {
                        let literal = self.literal(condition);
                        self.ite(literal, high, low)
                    };
                    map.insert(top, result);
                    stack.pop();
                }
                (None, _) => stack.push(high),
                (_, None) => stack.push(low),
            }
        }
        map[&guard]
    }

    /// Whether the guard holds for all values of the conditions; the dual of `exists`.
    pub fn for_all(&mut self, guard: Guard, conditions: impl IntoIterator<Item = Condition>) -> Guard {
        !self.exists(!guard, conditions)
    }

    /// The conditions a guard depends on, in order. Defined conditions stand for themselves.
    pub fn support(&self, guard: Guard) -> Vec<Condition> {
        let mut found: Vec<Condition> = self
            .reachable([guard])
            .into_iter()
            .map(|at| Condition(self.nodes[at as usize].condition))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The conditions some guards depend on, in order, together with those their definitions depend on.
    pub fn full_support(&self, guards: impl IntoIterator<Item = Guard>) -> Vec<Condition> {
        let mut found: FxHashSet<Condition> = FxHashSet::default();
        let mut todo: Vec<Guard> = guards.into_iter().collect();
        while !todo.is_empty() {
            let nodes = self.reachable(std::mem::take(&mut todo));
            for at in nodes {
                let condition = Condition(self.nodes[at as usize].condition);
                if found.insert(condition)
                    && let Some(definition) = self.definition(condition)
                {
                    todo.extend(definition.parts());
                }
            }
        }
        let mut found: Vec<Condition> = found.into_iter().collect();
        found.sort_unstable();
        found
    }

    /// The number of nodes of a guard, a measure of how complicated it is.
    pub fn size(&self, guard: Guard) -> usize {
        let mut count = 0;
        self.walk([guard], |_, _| true, |_| count += 1);
        count
    }

    fn decide(&mut self, guard: Guard, condition: Condition, holds: bool) -> Guard {
        if self.overflowed() && self.full_support([guard]).iter().any(|&c| self.mentions(c, condition)) {
            return self.decide_defined(guard, condition, holds);
        }
        let replaced = self.reachable_where([guard], |_, node| node.condition <= condition.0);
        let mut map: FxHashMap<u32, Guard> = FxHashMap::default();
        for at in replaced {
            let node = self.nodes[at as usize];
            let result = if node.condition == condition.0 {
                if holds { node.high } else { node.low }
            } else {
                let (high, low) = (mapped(&map, node.high), mapped(&map, node.low));
                self.make(node.condition, high, low)
            };
            map.insert(at, result);
        }
        mapped(&map, guard)
    }

    /// Whether the definition of one condition depends on the other.
    fn mentions(&self, defined: Condition, condition: Condition) -> bool {
        match self.definition(defined) {
            Some(definition) => self.full_support(definition.parts()).contains(&condition),
            None => false,
        }
    }

    /// Decides a condition on which definitions depend. Definitions only use older guards, so going through the
    /// conditions in order meets every definition after those it uses.
    fn decide_defined(&mut self, guard: Guard, condition: Condition, holds: bool) -> Guard {
        let mut values: FxHashMap<Condition, Guard> = FxHashMap::default();
        for used in self.full_support([guard]) {
            let value = if used == condition {
                Guard::truth(holds)
            } else if self.mentions(used, condition) {
                match self.definition(used) {
                    Some(Definition::And(a, b)) => {
                        let (a, b) = (self.rebuild(a, &values), self.rebuild(b, &values));
                        self.and(a, b)
                    }
                    Some(Definition::Ite(f, g, h)) => {
                        let (f, g) = (self.rebuild(f, &values), self.rebuild(g, &values));
                        let h = self.rebuild(h, &values);
                        self.ite(f, g, h)
                    }
                    None => self.literal(used),
                }
            } else {
                self.literal(used)
            };
            values.insert(used, value);
        }
        self.rebuild(guard, &values)
    }

    /// The guard with other guards in the place of its conditions.
    fn rebuild(&mut self, guard: Guard, values: &FxHashMap<Condition, Guard>) -> Guard {
        let mut map: FxHashMap<u32, Guard> = FxHashMap::default();
        for at in self.reachable([guard]) {
            let Node { condition, high, low } = self.nodes[at as usize];
            let (high, low) = (mapped(&map, high), mapped(&map, low));
            let choice = values[&Condition(condition)];
            let result = self.ite(choice, high, low);
            map.insert(at, result);
        }
        mapped(&map, guard)
    }

    /// The guard with another guard in the place of each condition, as when a summary is applied at a call.
    pub fn substitute(
        &mut self,
        guard: Guard,
        mut value: impl FnMut(&mut Guards, Condition) -> Guard,
    ) -> Guard {
        let mut values: FxHashMap<Condition, Guard> = FxHashMap::default();
        for condition in self.full_support([guard]) {
            let replaced = match self.definition(condition) {
                Some(Definition::And(a, b)) => {
                    let (a, b) = (self.rebuild(a, &values), self.rebuild(b, &values));
                    self.and(a, b)
                }
                Some(Definition::Ite(f, g, h)) => {
                    let (f, g) = (self.rebuild(f, &values), self.rebuild(g, &values));
                    let h = self.rebuild(h, &values);
                    self.ite(f, g, h)
                }
                None => value(self, condition),
            };
            values.insert(condition, replaced);
        }
        self.rebuild(guard, &values)
    }
}

/// What a guard became; guards that were not touched stay.
fn mapped(map: &FxHashMap<u32, Guard>, guard: Guard) -> Guard {
    match map.get(&guard.node()) {
        Some(&result) => result.flip(guard.is_complemented()),
        None => guard,
    }
}
