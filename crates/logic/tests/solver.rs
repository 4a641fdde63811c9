//! The solver against evaluation and against brute force.

mod common;

use common::{Dice, Grown, Operations, Widths, assign, grow};
use proptest::prelude::*;
use watertight_logic::eval::{Assignment, Evaluator};
use watertight_logic::formulas::Formulas;
use watertight_logic::guard::{Guard, GuardLimits};
use watertight_logic::question::{Answer, Assumption, Cause, QuestionLimits};

use watertight_logic::solver::{Effort, Exactness, Solver, SolverOptions};
use watertight_logic::term::{BinaryOp, Extension, Term, TermId, Terms, UnaryOp};
use watertight_logic::width::Width;

const ENOUGH: QuestionLimits = QuestionLimits { conflicts: 100_000, gates: 1_000_000 };

fn options(cells: u32) -> SolverOptions {
    SolverOptions { exactness: Exactness { cells }, ..SolverOptions::default() }
}

/// Every question goes through the circuits, or none that can do without.
fn with_or_without_shortcuts(cells: u32, seed: u64) -> SolverOptions {
    SolverOptions { shortcuts: seed.is_multiple_of(2), ..options(cells) }
}

/// The solver in use, by default and with the feature that replaces it.
#[cfg(not(feature = "cadical"))]
type Sat = watertight_logic::sat::BatSat;
#[cfg(feature = "cadical")]
type Sat = watertight_logic::sat::CaDiCaL;

fn with_terms(grown: Grown, limits: GuardLimits) -> (Formulas, Vec<common::Pair>, Vec<TermId>) {
    let mut formulas = Formulas::with_limits(limits);
    formulas.terms = grown.terms;
    (formulas, grown.pairs, grown.unknowns)
}

/// With all unknowns fixed, a term has its value and no other.
fn check_fixed(recipe: &[u64], seed: u64, widths: Widths, cells: u32) -> Result<(), TestCaseError> {
    let grown = grow(recipe, 3, widths, Operations::All);
    let assignment = if seed.is_multiple_of(3) { grown.home.clone() } else { assign(&grown, seed) };
    let (mut formulas, pairs, unknowns) = with_terms(grown, GuardLimits::default());
    let mut values = Evaluator::new(assignment.clone());
    let mut solver: Solver<Sat> = Solver::with_options(with_or_without_shortcuts(cells, seed));
    let fixed: Vec<Assumption> = unknowns
        .iter()
        .map(|&unknown| {
            let var = formulas.terms.as_variable(unknown).expect("unknowns are variables");
            let width = formulas.terms.width(unknown);
            let value = formulas.terms.constant(width, assignment.get(var));
            formulas.terms.eq(unknown, value).into()
        })
        .collect();
    for pair in pairs.iter().rev().take(4) {
        for term in [pair.raw, pair.simple] {
            let width = formulas.terms.width(term);
            let value = values.value(&formulas.terms, term);
            let value = formulas.terms.constant(width, value);
            // Built plainly, so that the circuits are tested and not the rewriting.
            let same = formulas.terms.raw(Term::Binary(BinaryOp::Eq, term, value), Width::BOOL);
            let differs = formulas.terms.raw(Term::Unary(UnaryOp::Not, same), Width::BOOL);
            let mut question = fixed.clone();
            question.push(same.into());
            let answer = solver.ask(&mut formulas, &question, ENOUGH);
            prop_assert!(
                answer.is_sat(),
                "{} should have its value: {:?}",
                formulas.terms.show(term),
                answer
            );
            question.pop();
            question.push(differs.into());
            let answer = solver.ask(&mut formulas, &question, ENOUGH);
            prop_assert!(answer.is_unsat(), "{} has another value: {:?}", formulas.terms.show(term), answer);
        }
    }
    Ok(())
}

/// All assignments of small unknowns.
fn all_assignments(formulas: &Formulas, unknowns: &[TermId]) -> Vec<Assignment> {
    let bits: u32 = unknowns.iter().map(|&unknown| formulas.terms.width(unknown).bits()).sum();
    (0..1u128 << bits)
        .map(|mut number| {
            unknowns
                .iter()
                .map(|&unknown| {
                    let width = formulas.terms.width(unknown);
                    let value = width.mask(number);
                    number >>= width.bits();
                    (formulas.terms.as_variable(unknown).expect("unknowns are variables"), value)
                })
                .collect()
        })
        .collect()
}

/// Questions of several assumptions, one after another on one solver, against all assignments.
fn check_brute_force(recipe: &[u64], cells: u32, limits: GuardLimits) -> Result<(), TestCaseError> {
    let grown = grow(recipe, 3, Widths::Tiny, Operations::All);
    let (mut formulas, pairs, unknowns) = with_terms(grown, limits);
    let mut solver: Solver<Sat> = Solver::with_options(with_or_without_shortcuts(cells, recipe[0]));
    let mut dice = Dice::new(recipe[0]);
    let mut evaluators: Vec<Evaluator> =
        all_assignments(&formulas, &unknowns).into_iter().map(Evaluator::new).collect();
    let booleans: Vec<TermId> = pairs
        .iter()
        .flat_map(|pair| [pair.raw, pair.simple])
        .collect::<Vec<_>>()
        .into_iter()
        .map(|term| match formulas.terms.width(term) {
            Width::BOOL => term,
            width => {
                let value = formulas.terms.constant(width, dice.wide());
                formulas.terms.raw(Term::Binary(BinaryOp::Eq, term, value), Width::BOOL)
            }
        })
        .collect();
    for _ in 0..6 {
        // Some assumptions are terms, some are guards made of several terms.
        let mut meanings: Vec<TermId> = Vec::new();
        let mut question: Vec<Assumption> = Vec::new();
        for _ in 0..1 + dice.below(4) {
            let (a, b) = (booleans[dice.below(booleans.len())], booleans[dice.below(booleans.len())]);
            if dice.below(2) == 0 {
                meanings.push(a);
                question.push(a.into());
            } else {
                let (x, y) = (formulas.guard(a), formulas.guard(b));
                let either = formulas.guards.or(x, y);
                question.push(either.into());
                meanings.push(formulas.terms.or(a, b));
            }
        }
        let terms = &formulas.terms;
        let possible =
            evaluators.iter_mut().any(|values| meanings.iter().all(|&term| values.holds(terms, term)));
        match solver.ask(&mut formulas, &question, ENOUGH) {
            Answer::Sat(model) => {
                prop_assert!(possible, "brute force finds nothing");
                let mut values = model.evaluator();
                for &term in &meanings {
                    prop_assert!(values.holds(&formulas.terms, term), "the model does not fit");
                }
                // The values for people fit as well.
                let mut values = solver.readable_model(&mut formulas, &question, &model, ENOUGH).evaluator();
                for &term in &meanings {
                    prop_assert!(values.holds(&formulas.terms, term), "the readable values do not fit");
                }
            }
            Answer::Unsat(core) => {
                prop_assert!(!possible, "brute force finds a model");
                let core: Vec<TermId> = core.assumptions.iter().map(|&at| meanings[at]).collect();
                let terms = &formulas.terms;
                let core_possible =
                    evaluators.iter_mut().any(|values| core.iter().all(|&term| values.holds(terms, term)));
                prop_assert!(!core_possible, "the core is no contradiction");
            }
            Answer::Unknown(cause) => prop_assert!(false, "no answer: {}", cause),
        }
    }
    Ok(())
}

/// Comparisons of one unknown with constants, which bounds often answer alone.
fn check_bounds(seed: u64) -> Result<(), TestCaseError> {
    let mut dice = Dice::new(seed);
    let mut formulas = Formulas::new();
    let mut solver: Solver<Sat> = Solver::new();
    let width = Width::new(1 + dice.below(4) as u32).expect("a small width");
    let x = formulas.terms.variable(width, None);
    let var = formulas.terms.as_variable(x).expect("x is an unknown");
    for _ in 0..8 {
        let question: Vec<TermId> = (0..1 + dice.below(5))
            .map(|_| {
                let k = formulas.terms.constant(width, dice.wide());
                let op =
                    [BinaryOp::Eq, BinaryOp::ULt, BinaryOp::SLt, BinaryOp::ULe, BinaryOp::SLe][dice.below(5)];
                let term = match dice.below(2) {
                    0 => formulas.terms.binary(op, x, k),
                    _ => formulas.terms.binary(op, k, x),
                };
                if dice.below(2) == 0 { term } else { formulas.terms.not(term) }
            })
            .collect();
        let possible = |terms: &Terms, question: &[TermId]| {
            (0..=width.ones()).any(|value| {
                let mut values = Evaluator::new(Assignment::from_iter([(var, value)]));
                question.iter().all(|&term| values.holds(terms, term))
            })
        };
        let assumptions: Vec<Assumption> = question.iter().map(|&term| term.into()).collect();
        let answer = solver.ask(&mut formulas, &assumptions, ENOUGH);
        prop_assert_eq!(answer.is_sat(), possible(&formulas.terms, &question));
        if let Answer::Unsat(core) = answer {
            let core: Vec<TermId> = core.assumptions.iter().map(|&at| question[at]).collect();
            prop_assert!(!possible(&formulas.terms, &core), "the core is no contradiction");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(common::cases(120))]

    #[test]
    fn fixed_unknowns_fix_every_term(
        recipe in proptest::collection::vec(any::<u64>(), 1..10),
        seed in any::<u64>(),
    ) {
        check_fixed(&recipe, seed, Widths::All, Exactness::default().cells)?;
    }

    #[test]
    fn fixed_unknowns_fix_every_abstracted_term(
        recipe in proptest::collection::vec(any::<u64>(), 1..10),
        seed in any::<u64>(),
    ) {
        check_fixed(&recipe, seed, Widths::All, 0)?;
    }

    #[test]
    fn fixed_unknowns_fix_every_small_term(
        recipe in proptest::collection::vec(any::<u64>(), 1..14),
        seed in any::<u64>(),
    ) {
        check_fixed(&recipe, seed, Widths::Small, u32::MAX)?;
    }

    #[test]
    fn answers_agree_with_brute_force(recipe in proptest::collection::vec(any::<u64>(), 1..16)) {
        check_brute_force(&recipe, Exactness::default().cells, GuardLimits::default())?;
    }

    #[test]
    fn answers_agree_with_brute_force_when_abstracted(recipe in proptest::collection::vec(any::<u64>(), 1..16)) {
        check_brute_force(&recipe, 0, GuardLimits::default())?;
    }

    #[test]
    fn bounds_agree_with_brute_force(seed in any::<u64>()) {
        check_bounds(seed)?;
    }

    #[test]
    fn answers_agree_with_brute_force_when_guards_overflow(
        recipe in proptest::collection::vec(any::<u64>(), 1..16),
        steps in 0u32..4,
    ) {
        check_brute_force(&recipe, 64, GuardLimits { steps_per_operation: steps, nodes: 1 << 20 })?;
    }

    #[test]
    fn no_question_needs_more_gates_than_estimated(recipe in proptest::collection::vec(any::<u64>(), 1..12)) {
        for cells in [0, Exactness::default().cells, u32::MAX] {
            let widths = if cells == u32::MAX { Widths::Small } else { Widths::All };
            let grown = grow(&recipe, 3, widths, Operations::All);
            let (mut formulas, pairs, _) = with_terms(grown, GuardLimits::default());
            for pair in pairs.iter().rev().take(3) {
                let width = formulas.terms.width(pair.raw);
                let zero = formulas.terms.constant(width, 0);
                let question = [formulas.terms.raw(Term::Binary(BinaryOp::Eq, pair.raw, zero), Width::BOOL).into()];
                let mut solver: Solver<Sat> = Solver::with_options(options(cells));
                let nothing = QuestionLimits { conflicts: 1, gates: 0 };
                if let Answer::Unknown(Cause::Gates { needed, .. }) = solver.ask(&mut formulas, &question, nothing) {
                    prop_assert_eq!(solver.effort().gates, 0);
                    solver.ask(&mut formulas, &question, QuestionLimits { conflicts: 1, gates: u64::MAX });
                    let built = solver.effort().gates;
                    // Facts about abstractions come on top, and are bounded by the number of refinements.
                    if solver.effort().refinements == 0 {
                        prop_assert!(built <= needed, "{} gates, {} estimated", built, needed);
                    }
                }
            }
        }
    }
}

/// A function of conditions on unrelated unknowns, and a question about the first of them only.
fn clauses_of_first_question(unrelated: usize) -> u64 {
    let mut formulas = Formulas::new();
    let x = formulas.terms.variable(Width::W32, None);
    let y = formulas.terms.variable(Width::W32, None);
    for _ in 0..unrelated {
        let z = formulas.terms.variable(Width::W64, None);
        let product = formulas.terms.mul(z, z);
        let limit = formulas.terms.constant(Width::W64, 12345);
        let condition = formulas.terms.ult(product, limit);
        formulas.guard(condition);
    }
    let sum = formulas.terms.add(x, y);
    let less = formulas.terms.ult(sum, x);
    let mut solver: Solver<Sat> = Solver::with_options(SolverOptions { shortcuts: false, ..options(2048) });
    assert!(solver.ask(&mut formulas, &[less.into()], ENOUGH).is_sat());
    solver.effort().clauses
}

#[test]
fn only_the_cone_of_a_question_becomes_clauses() {
    let alone = clauses_of_first_question(0);
    assert!(alone > 0);
    assert_eq!(alone, clauses_of_first_question(50));
}

/// A condition that holds either way is no condition: nothing of it becomes clauses.
#[test]
fn either_way_drops_out_of_the_formula() {
    let clauses = |either_way: bool| {
        let mut formulas = Formulas::new();
        let x = formulas.terms.variable(Width::W32, None);
        let z = formulas.terms.variable(Width::W64, None);
        let limit = formulas.terms.constant(Width::W64, 12345);
        let product = formulas.terms.mul(z, z);
        let condition = formulas.terms.ult(product, limit);
        let condition = formulas.guard(condition);
        let tautology = formulas.guards.or(condition, !condition);
        assert!(tautology.is_true());
        let seven = formulas.terms.constant(Width::W32, 7);
        let above = formulas.terms.ult(seven, x);
        let above = formulas.guard(above);
        let question = if either_way { formulas.guards.and(above, tautology) } else { above };
        let options = SolverOptions { shortcuts: false, ..options(2048) };
        let mut solver: Solver<Sat> = Solver::with_options(options);
        assert!(solver.ask(&mut formulas, &[question.into()], ENOUGH).is_sat());
        solver.effort().clauses
    };
    assert_eq!(clauses(true), clauses(false));
}

/// Every operation on small operands of every shape, for all values: as one question that must have no answer.
#[test]
fn circuits_are_right_for_all_small_values() {
    for cells in [0, u32::MAX] {
        let mut formulas = Formulas::new();
        let options = SolverOptions { shortcuts: false, ..options(cells) };
        let mut solver: Solver<Sat> = Solver::with_options(options);
        let terms = &mut formulas.terms;
        let (narrow, wide) = (Width::new(3).expect("a small width"), Width::new(5).expect("a small width"));
        let [x, y] = [(); 2].map(|()| terms.variable(narrow, None));
        let vars = [x, y].map(|unknown| terms.as_variable(unknown).expect("x and y are unknowns"));
        let shapes = |terms: &mut Terms, unknown: TermId| {
            let low = terms.constant(Width::new(2).expect("a small width"), 0b10);
            let (minus_three, six) = (terms.constant(wide, 29), terms.constant(wide, 6));
            [
                terms.raw(Term::Extend(Extension::Zero, unknown), wide),
                terms.raw(Term::Extend(Extension::Sign, unknown), wide),
                terms.raw(Term::Binary(BinaryOp::Concat, unknown, low), wide),
                minus_three,
                six,
            ]
        };
        let (left, right) = (shapes(terms, x), shapes(terms, y));
        for op in BinaryOp::ALL {
            let terms = &mut formulas.terms;
            let mut wrong = TermId::FALSE;
            for &a in &left {
                for &b in &right {
                    let result = terms.raw(Term::Binary(op, a, b), wide);
                    for (i, j) in (0..8).flat_map(|i| (0..8).map(move |j| (i, j))) {
                        let mut values = Evaluator::new(Assignment::from_iter([(vars[0], i), (vars[1], j)]));
                        let expected = values.value(terms, result);
                        let expected = terms.constant(terms.width(result), expected);
                        let (i, j) = (terms.constant(narrow, i), terms.constant(narrow, j));
                        let (at_i, at_j) = (terms.eq(x, i), terms.eq(y, j));
                        // Built plainly, so that the rewriting does not see through it.
                        let same = terms.raw(Term::Binary(BinaryOp::Eq, result, expected), Width::BOOL);
                        let differs = terms.raw(Term::Unary(UnaryOp::Not, same), Width::BOOL);
                        let here = terms.and_all([at_i, at_j]);
                        let case = terms.raw(Term::Binary(BinaryOp::And, here, differs), Width::BOOL);
                        wrong = terms.raw(Term::Binary(BinaryOp::Or, wrong, case), Width::BOOL);
                    }
                }
            }
            let answer = solver.ask(&mut formulas, &[wrong.into()], ENOUGH);
            assert!(answer.is_unsat(), "{op:?}: {answer:?}");
        }
    }
}

#[test]
fn conditions_that_cancel_are_not_part_of_a_question() {
    let mut formulas = Formulas::new();
    let mut solver: Solver<Sat> = Solver::new();
    let x = formulas.terms.variable(Width::W32, None);
    let z = formulas.terms.variable(Width::W32, None);
    let five = formulas.terms.constant(Width::W32, 5);
    let small = formulas.terms.ult(x, five);
    // if (z * z * z == 5) ... else ...;  assert(x < 5)
    let cube = formulas.terms.mul(z, z);
    let cube = formulas.terms.mul(cube, z);
    let hard = formulas.terms.eq(cube, five);
    let hard = formulas.guard(hard);
    let joined = formulas.guards.or(hard, !hard);
    assert!(solver.ask(&mut formulas, &[joined.into(), small.into()], ENOUGH).is_sat());
    assert!(solver.effort().gates < 100, "{:?}", solver.effort());
}

/// Whether a product can fail to distribute over a sum; a question no solver answers quickly.
fn distributivity(conflicts: u64) -> (Answer, Effort) {
    let mut formulas = Formulas::new();
    let mut solver: Solver<Sat> = Solver::with_options(options(u32::MAX));
    let [a, b, c] = [(); 3].map(|()| formulas.terms.variable(Width::W16, None));
    let sum = formulas.terms.add(a, b);
    let (left, first, second) =
        (formulas.terms.mul(sum, c), formulas.terms.mul(a, c), formulas.terms.mul(b, c));
    let right = formulas.terms.add(first, second);
    let question = [formulas.terms.ne(left, right).into()];
    let limits = QuestionLimits { conflicts, gates: 1_000_000 };
    let answer = solver.ask(&mut formulas, &question, limits);
    (answer, solver.effort())
}

#[test]
fn the_limit_of_conflicts_is_kept_and_repeatable() {
    for limit in [1, 100, 1000] {
        let (answer, effort) = distributivity(limit);
        assert_eq!(answer, Answer::Unknown(Cause::Conflicts { limit }));
        // The solver looks at the limit only when propagation has settled, so a few more may happen.
        assert!(effort.conflicts < limit + 20, "{effort:?}");
        assert_eq!(distributivity(limit), (answer, effort));
    }
}

#[test]
fn a_question_that_is_too_large_is_not_started() {
    let mut formulas = Formulas::new();
    let mut solver: Solver<Sat> = Solver::with_options(options(u32::MAX));
    let (x, y) = (formulas.terms.variable(Width::W64, None), formulas.terms.variable(Width::W64, None));
    let quotient = formulas.terms.udiv(x, y);
    let seven = formulas.terms.constant(Width::W64, 7);
    let question = [formulas.terms.eq(quotient, seven).into()];
    let limits = QuestionLimits { conflicts: 1000, gates: 5000 };
    let answer = solver.ask(&mut formulas, &question, limits);
    assert!(matches!(answer, Answer::Unknown(Cause::Gates { limit: 5000, .. })), "{answer:?}");
    assert_eq!(solver.effort().gates, 0);
    // The same question again gives the same answer, and a larger limit a real one.
    assert_eq!(solver.ask(&mut formulas, &question, limits), answer);
    assert!(solver.ask(&mut formulas, &question, ENOUGH).is_sat());
}

#[test]
fn abstracted_products_are_refuted_and_confirmed() {
    let mut formulas = Formulas::new();
    let mut solver: Solver<Sat> = Solver::new();
    let (x, y) = (formulas.terms.variable(Width::W64, None), formulas.terms.variable(Width::W64, None));
    let product = formulas.terms.mul(x, y);
    let zero = formulas.terms.constant(Width::W64, 0);
    let x_zero = formulas.terms.eq(x, zero);
    let product_not_zero = formulas.terms.ne(product, zero);
    // A fact about all products is enough here.
    assert!(solver.ask(&mut formulas, &[x_zero.into(), product_not_zero.into()], ENOUGH).is_unsat());
    assert_eq!(solver.effort().refinements, 0);
    // Here the values matter: x == 1000, x * y == 123000.
    let (thousand, many) =
        (formulas.terms.constant(Width::W64, 1000), formulas.terms.constant(Width::W64, 123_000));
    let (fixed, equal) = (formulas.terms.eq(x, thousand), formulas.terms.eq(product, many));
    let bound = formulas.terms.constant(Width::W64, 1 << 32);
    let small = formulas.terms.ult(y, bound);
    let question = [fixed.into(), equal.into(), small.into()];
    let Answer::Sat(model) = solver.ask(&mut formulas, &question, ENOUGH) else { panic!("123 is a model") };
    assert_eq!(model.evaluator().value(&formulas.terms, y), 123);
    assert!(solver.effort().refinements > 0);
    // And contradictions that depend on them: 1000 * y is never 123001.
    let odd = formulas.terms.constant(Width::W64, 123_001);
    let odd = formulas.terms.eq(product, odd);
    assert!(solver.ask(&mut formulas, &[fixed.into(), odd.into()], ENOUGH).is_unsat());
}

#[test]
fn abstracted_quotients_are_refuted_and_confirmed() {
    let mut formulas = Formulas::new();
    let mut solver: Solver<Sat> = Solver::new();
    let (x, y) = (formulas.terms.variable(Width::W64, None), formulas.terms.variable(Width::W64, None));
    let (quotient, rest) = (formulas.terms.udiv(x, y), formulas.terms.urem(x, y));
    let zero = formulas.terms.constant(Width::W64, 0);
    let y_not_zero = formulas.terms.ne(y, zero);
    let rest_large = formulas.terms.ule(y, rest);
    assert!(solver.ask(&mut formulas, &[y_not_zero.into(), rest_large.into()], ENOUGH).is_unsat());
    let (hundred, seven) = (formulas.terms.constant(Width::W64, 100), formulas.terms.constant(Width::W64, 7));
    let (x_fixed, quotient_fixed) = (formulas.terms.eq(x, hundred), formulas.terms.eq(quotient, seven));
    let question = [x_fixed.into(), quotient_fixed.into()];
    let Answer::Sat(model) = solver.ask(&mut formulas, &question, ENOUGH) else { panic!("100 / 13 is 7") };
    let divisor = model.evaluator().value(&formulas.terms, y);
    assert_eq!(100 / divisor, 7);
}

#[test]
fn values_for_people_are_small() {
    let mut formulas = Formulas::new();
    let mut solver: Solver<Sat> = Solver::new();
    let (x, y) = (formulas.terms.variable(Width::W32, None), formulas.terms.variable(Width::W32, None));
    let z = formulas.terms.variable(Width::W32, None);
    let three = formulas.terms.constant(Width::W32, 3);
    let after = formulas.terms.add(y, three);
    let (equal, not_zero) = (formulas.terms.eq(x, after), formulas.terms.is_zero(y));
    let not_zero = formulas.terms.not(not_zero);
    let negative = {
        let zero = formulas.terms.constant(Width::W32, 0);
        formulas.terms.slt(z, zero)
    };
    let question: [Assumption; 3] = [equal.into(), not_zero.into(), negative.into()];
    let Answer::Sat(model) = solver.ask(&mut formulas, &question, ENOUGH) else {
        panic!("x = 4, y = 1 is a model")
    };
    let model = solver.readable_model(&mut formulas, &question, &model, ENOUGH);
    let value = |term| Width::W32.signed(model.value(formulas.terms.as_variable(term).expect("an unknown")));
    let values = [x, y, z].map(value);
    assert!(values[0] == values[1] + 3 && values[1] != 0 && values[2] == -1, "{values:?}");
    assert!(values.iter().all(|value| value.abs() < 256), "{values:?}");
}

#[test]
fn trivial_questions_do_not_reach_the_solver() {
    let mut formulas = Formulas::new();
    let mut solver: Solver<Sat> = Solver::new();
    let x = formulas.terms.variable(Width::W32, None);
    let five = formulas.terms.constant(Width::W32, 5);
    let c = formulas.terms.ult(x, five);
    let not_c = formulas.terms.not(c);
    let g = formulas.guard(c);
    let core = |answer: Answer| match answer {
        Answer::Unsat(core) => core.assumptions,
        other => panic!("{other:?}"),
    };
    assert_eq!(core(solver.ask(&mut formulas, &[Guard::TRUE.into(), Guard::FALSE.into()], ENOUGH)), vec![1]);
    assert_eq!(
        core(solver.ask(&mut formulas, &[g.into(), Guard::TRUE.into(), not_c.into()], ENOUGH)),
        vec![0, 2]
    );
    assert!(solver.ask(&mut formulas, &[], ENOUGH).is_sat());
    assert!(solver.ask(&mut formulas, &[TermId::TRUE.into()], ENOUGH).is_sat());
    assert_eq!(solver.effort().by_guards, 4);
    // A model or a contradiction found once answers later questions.
    let (six, seven) = (formulas.terms.constant(Width::W32, 6), formulas.terms.constant(Width::W32, 7));
    let (above, below) = (formulas.terms.ult(six, x), formulas.terms.ult(x, seven));
    assert!(solver.ask(&mut formulas, &[above.into()], ENOUGH).is_sat());
    assert!(solver.ask(&mut formulas, &[c.into(), above.into()], ENOUGH).is_unsat());
    // A value above six is easily guessed, and bounds show that it is not below five.
    assert_eq!((solver.effort().by_guesses, solver.effort().by_facts), (1, 1));
    let d = formulas.terms.variable(Width::BOOL, None);
    assert!(solver.ask(&mut formulas, &[d.into(), above.into(), c.into()], ENOUGH).is_unsat());
    assert!(solver.ask(&mut formulas, &[not_c.into()], ENOUGH).is_sat());
    assert_eq!((solver.effort().by_cores, solver.effort().by_models), (1, 1));
    assert!(solver.ask(&mut formulas, &[below.into()], ENOUGH).is_sat());
    assert_eq!(solver.effort().solved, 0);
}

#[test]
fn conditions_without_a_term_are_free() {
    let mut formulas = Formulas::new();
    let mut solver: Solver<Sat> = Solver::new();
    let free = formulas.guards.new_condition();
    let free = formulas.guards.literal(free);
    let x = formulas.terms.variable(Width::W8, None);
    let zero = formulas.terms.is_zero(x);
    let zero = formulas.guard(zero);
    let both = formulas.guards.and(free, !zero);
    assert!(solver.ask(&mut formulas, &[both.into()], ENOUGH).is_sat());
    let choice = formulas.guards.xor(free, zero);
    assert!(solver.ask(&mut formulas, &[choice.into(), free.into(), zero.into()], ENOUGH).is_unsat());
}

#[test]
fn everything_moves_between_threads() {
    fn is_send<T: Send>() {}
    is_send::<Formulas>();
    is_send::<Solver<Sat>>();
    is_send::<Answer>();
}

#[test]
fn very_deep_formulas_are_answered_on_a_small_stack() {
    std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(|| {
            let mut formulas = Formulas::new();
            let mut solver: Solver<Sat> = Solver::new();
            let x = formulas.terms.variable(Width::W8, None);
            let mut value = x;
            for _ in 0..3000 {
                let c = formulas.terms.variable(Width::BOOL, None);
                let shifted = formulas.terms.xor(value, x);
                let c = formulas.guard(c);
                let changed = formulas.terms.add(shifted, value);
                value = formulas.choose(c, changed, value);
            }
            let nine = formulas.terms.constant(Width::W8, 9);
            let question = [formulas.terms.eq(value, nine).into()];
            assert!(solver.ask(&mut formulas, &question, ENOUGH).is_sat());
        })
        .unwrap()
        .join()
        .unwrap();
}

#[cfg(feature = "cadical")]
proptest! {
    #![proptest_config(common::cases(100))]

    /// Two solvers that share nothing but the clauses answer alike.
    #[test]
    fn two_solvers_agree(recipe in proptest::collection::vec(any::<u64>(), 4..16)) {
        let grown = grow(&recipe, 3, Widths::All, Operations::Linear);
        let (mut formulas, pairs, _) = with_terms(grown, GuardLimits::default());
        let options = SolverOptions { shortcuts: false, ..options(64) };
        let mut first: Solver<watertight_logic::sat::BatSat> = Solver::with_options(options);
        let mut second: Solver<watertight_logic::sat::CaDiCaL> = Solver::with_options(options);
        let mut dice = Dice::new(recipe[0]);
        let mut question: Vec<Assumption> = Vec::new();
        for pair in pairs.iter().rev().take(5) {
            let width = formulas.terms.width(pair.raw);
            let other = common::special_value(&mut dice, width);
            let other = formulas.terms.constant(width, other);
            let op = [BinaryOp::Eq, BinaryOp::ULt, BinaryOp::SLe][dice.below(3)];
            question.push(formulas.terms.raw(Term::Binary(op, pair.raw, other), Width::BOOL).into());
            let (one, two) = (first.ask(&mut formulas, &question, ENOUGH), second.ask(&mut formulas, &question, ENOUGH));
            prop_assert!(!one.is_unknown() && !two.is_unknown());
            prop_assert_eq!(one.is_sat(), two.is_sat());
        }
    }
}
