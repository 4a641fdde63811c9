//! Step budgets: how much work an engine may still do.
//!
//! A budget counts steps, never seconds, so a slow machine gives the same answers as a fast one. What a step is
//! belongs to the engine that spends it. When a budget is used up the work ends with [`Exhausted`], which the
//! caller turns into an honest "unknown"; nothing is ever reported as clean because the steps ran out.
//! Cancelling is setting the budget to zero.
//!
//! ```
//! use watertight_logic::budget::{Budget, Exhausted};
//! let mut budget = Budget::new(10);
//! assert_eq!(budget.spend(7), Ok(()));
//! assert_eq!(budget.spend(7), Err(Exhausted));
//! assert_eq!(budget.left(), 0);
//! ```

use std::fmt;

/// A number of steps that may still be spent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    left: u64,
    spent: u64,
}

/// The budget is used up; the answer is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted;

impl fmt::Display for Exhausted {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the step budget is used up")
    }
}

impl std::error::Error for Exhausted {}

impl Budget {
    /// A budget of so many steps.
    pub fn new(steps: u64) -> Budget {
        Budget { left: steps, spent: 0 }
    }

    /// A budget that never ends, for tests and tools.
    pub fn unlimited() -> Budget {
        Budget::new(u64::MAX)
    }

    /// Takes `steps` off the budget. When less than that is left, everything left is taken, so that every later
    /// spending of even one step fails too: work that was given up is not picked up again half-way.
    pub fn spend(&mut self, steps: u64) -> Result<(), Exhausted> {
        if steps > self.left {
            self.spent += self.left;
            self.left = 0;
            return Err(Exhausted);
        }
        self.left -= steps;
        self.spent += steps;
        Ok(())
    }

    /// Makes every later spending fail.
    pub fn cancel(&mut self) {
        self.left = 0;
    }

    /// The steps still to be spent.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// The steps spent so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Whether nothing is left.
    pub fn is_exhausted(&self) -> bool {
        self.left == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spending_more_than_is_left_takes_everything() {
        let mut budget = Budget::new(5);
        assert_eq!(budget.spend(6), Err(Exhausted));
        assert_eq!(budget.spend(1), Err(Exhausted));
        assert_eq!((budget.left(), budget.spent()), (0, 5));
        assert_eq!(budget.spend(0), Ok(()));
    }

    #[test]
    fn a_cancelled_budget_is_exhausted() {
        let mut budget = Budget::unlimited();
        budget.cancel();
        assert!(budget.is_exhausted());
        assert_eq!(budget.spend(1), Err(Exhausted));
    }
}
