//! `docs/logic.md`: its example is the body of the test here, line by line.

use watertight_logic::formulas::Formulas;
use watertight_logic::guard::Guard;
use watertight_logic::question::{Answer, QuestionLimits};
use watertight_logic::solver::Solver;
use watertight_logic::term::Tag;
use watertight_logic::width::Width;

#[test]
fn the_example_of_the_page_works() {
    let block = Guard::TRUE;
    let mut formulas = Formulas::new();
    let mut solver: Solver = Solver::new();

    // Values are terms: unknowns, constants, C's integer operations at any width from 1 to 128.
    let n = formulas.terms.variable(Width::W32, Some(Tag(7))); // the tag is yours
    let zero = formulas.terms.constant(Width::W32, 0);
    let negative = formulas.terms.slt(n, zero);

    // A branch makes a guard; a join makes a disjunction and a choice.
    let c = formulas.guard(negative);
    let (then, otherwise) = (formulas.guards.and(block, c), formulas.guards.and(block, !c));
    let joined = formulas.guards.or(then, otherwise); // is `block` again
    let result = formulas.choose(c, n, zero); // n if it is negative, or else 0

    // Questions: can the result be positive?
    let positive = formulas.terms.slt(zero, result);
    let question = [joined.into(), positive.into()];
    let limits = QuestionLimits::default();
    let said = match solver.ask(&mut formulas, &question, limits) {
        // Values that people can read.
        Answer::Sat(model) => {
            format!("{:?}", solver.readable_model(&mut formulas, &question, &model, limits))
        }
        // Positions that contradict each other.
        Answer::Unsat(core) => format!("no: {:?}", core.assumptions),
        // Never taken for "no".
        Answer::Unknown(cause) => format!("unknown: {cause:?}"),
    };
    assert_eq!(joined, block);
    assert!(said.starts_with("no: "), "{said}");
}

#[test]
fn the_page_shows_what_is_tested() {
    let page = include_str!("../../../docs/logic.md");
    let (example, _) =
        page.split("```rust\n").nth(1).and_then(|rest| rest.split_once("```")).expect("an example");
    let here: Vec<&str> = include_str!("page.rs").lines().map(str::trim).collect();
    let untested = example.lines().map(str::trim).find(|line| !here.contains(line));
    assert_eq!(untested, None, "docs/logic.md shows a line that is not in page.rs");
}
