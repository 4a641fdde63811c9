//! Rewriting keeps the value of every term, and the evaluator computes what the operations mean.

mod common;

use common::{Operations, Widths, assign, grow, reference};
use proptest::prelude::*;
use watertight_logic::eval::Evaluator;

fn check(recipe: &[u64], seeds: &[u64], widths: Widths) -> Result<(), TestCaseError> {
    let grown = grow(recipe, 3, widths, Operations::All);
    for &seed in seeds {
        let assignment = assign(&grown, seed);
        let mut evaluator = Evaluator::new(assignment.clone());
        for pair in &grown.pairs {
            let (terms, raw, simple) = (&grown.terms, pair.raw, pair.simple);
            prop_assert_eq!(terms.width(raw), terms.width(simple));
            let expected = reference::value(terms, &assignment, raw);
            let shown = || format!("{} became {}", terms.show(raw), terms.show(simple));
            prop_assert_eq!(evaluator.value(terms, raw), expected, "evaluator: {}", shown());
            prop_assert_eq!(evaluator.value(terms, simple), expected, "rewriting: {}", shown());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(common::cases(2000))]

    #[test]
    fn rewriting_keeps_values_at_all_widths(
        recipe in proptest::collection::vec(any::<u64>(), 1..24),
        seeds in proptest::collection::vec(any::<u64>(), 3),
    ) {
        check(&recipe, &seeds, Widths::All)?;
    }

    #[test]
    fn rewriting_keeps_values_at_small_widths(
        recipe in proptest::collection::vec(any::<u64>(), 1..24),
        seeds in proptest::collection::vec(any::<u64>(), 6),
    ) {
        check(&recipe, &seeds, Widths::Tiny)?;
    }
}
