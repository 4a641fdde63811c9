//! Rewriting keeps the value of every term, and the evaluator computes what the operations mean.

mod common;

use common::{Operations, Widths, assign, grow, reference};
use proptest::prelude::*;
use watertight_logic::eval::{Assignment, Evaluator};
use watertight_logic::term::{Extension, Terms};

fn check(recipe: &[u64], seeds: &[u64], widths: Widths) -> Result<(), TestCaseError> {
    let grown = grow(recipe, 3, widths, Operations::All);
    let situations = seeds.iter().map(|&seed| assign(&grown, seed));
    for assignment in std::iter::once(grown.home.clone()).chain(situations) {
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

proptest! {
    #![proptest_config(common::cases(500))]

    #[test]
    fn substitution_is_evaluation_in_another_situation(
        recipe in proptest::collection::vec(any::<u64>(), 1..20),
        seed in any::<u64>(),
    ) {
        let mut grown = grow(&recipe, 3, Widths::All, Operations::All);
        let assignment = assign(&grown, seed);
        let unknowns = grown.unknowns.clone();
        // The first unknown becomes a sum of itself and the value of another term.
        let first = grown.terms.as_variable(unknowns[0]).expect("unknowns are variables");
        let width = grown.terms.width(unknowns[0]);
        let other = grown.pairs[grown.pairs.len() / 2].simple;
        let other = grown.terms.resize(Extension::Zero, other, width);
        let replacement = grown.terms.add(unknowns[0], other);
        let mut before = Evaluator::new(assignment.clone());
        let mut changed = assignment.clone();
        changed.set(first, before.value(&grown.terms, replacement));
        let mut after = Evaluator::new(changed);
        for pair in grown.pairs.clone() {
            let replaced = grown.terms.substitute(pair.raw, |var| (var == first).then_some(replacement));
            let expected = after.value(&grown.terms, pair.raw);
            prop_assert_eq!(before.value(&grown.terms, replaced), expected);
            // The same in another arena, where the unknowns are created in the order of their use.
            let mut there = Terms::new();
            let mut values = Assignment::new();
            let moved = there.import(&grown.terms, pair.raw, |there, var| {
                let width = grown.terms.width(grown.terms.variable_term(var));
                let term = there.variable(width, None);
                let here = there.as_variable(term).expect("a fresh unknown is a variable");
                values.set(here, after.assignment().get(var));
                term
            });
            prop_assert_eq!(Evaluator::new(values).value(&there, moved), expected);
        }
    }
}
