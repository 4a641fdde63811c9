//! Making a guard smaller where only some cases matter.
//!
//! Inside a block that runs only when `care` holds, a guard may be replaced by any other that agrees with it there.
//! The method is the restriction of Coudert and Madre: conditions of the care set that the guard does not depend on
//! are quantified away first, then impossible sides are dropped. The result depends on no condition the guard did not
//! depend on.

use super::apply::SIMPLIFY;
use super::{Guard, Guards};

impl Guards {
    /// A guard that agrees with `guard` wherever `care` holds, and is not larger. When `care` never holds any guard
    /// would do, and it is `FALSE`.
    pub fn simplify(&mut self, guard: Guard, care: Guard) -> Guard {
        if care.is_false() {
            return Guard::FALSE;
        }
        self.start();
        let result = self.simplify_step(guard, care, 0);
        let smaller = |this: &Guards| result.is_constant() || this.size(result) <= this.size(guard);
        if result == guard || self.aborted() || !smaller(self) { guard } else { result }
    }

    fn simplify_step(&mut self, guard: Guard, care: Guard, depth: u32) -> Guard {
        if guard.is_constant() || care.is_true() {
            return guard;
        }
        if guard == care {
            return Guard::TRUE;
        }
        if guard == !care {
            return Guard::FALSE;
        }
        // A guard and its negation are simplified alike.
        let flip = guard.is_complemented();
        let guard = guard.regular();
        if let Some(result) = self.cache.get(guard, care, SIMPLIFY) {
            return result.flip(flip);
        }
        if !self.burn(depth) {
            return guard;
        }
        let top = self.node(guard).condition;
        let care_top = self.node(care).condition;
        let result = if care_top < top {
            let (care1, care0) = self.split(care, care_top);
            let either = !self.and_step(!care1, !care0, depth + 1);
            if self.aborted() {
                return guard;
            }
            self.simplify_step(guard, either, depth + 1)
        } else {
            let (guard1, guard0) = self.split(guard, top);
            let (care1, care0) = self.split(care, top);
            if care1.is_false() {
                self.simplify_step(guard0, care0, depth + 1)
            } else if care0.is_false() {
                self.simplify_step(guard1, care1, depth + 1)
            } else {
                let high = self.simplify_step(guard1, care1, depth + 1);
                let low = self.simplify_step(guard0, care0, depth + 1);
                if self.aborted() {
                    return guard;
                }
                self.make(top, high, low)
            }
        };
        if !self.aborted() {
            self.cache.put(guard, care, SIMPLIFY, result);
        }
        result.flip(flip)
    }
}
