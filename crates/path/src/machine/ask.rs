//! Questions to the solver about an evaluated function.

use crate::assumptions::Supposed;
use crate::limits;
use crate::machine::callers::Believe;
use crate::machine::state::State;
use watertight_logic::cone;
use watertight_logic::guard::Guard;
use watertight_logic::question::{Answer, Assumption as Premise, Cause, Model, QuestionLimits};
use watertight_logic::solver::Solver;
use watertight_logic::term::TermId;

/// Asks whether a guard can hold, with what is known about the ranges of unknowns and of what callers pass.
pub(crate) fn ask(state: &mut State<'_>, solver: &mut Solver, guard: Guard) -> Answer {
    ask_with(state, solver, guard, &[])
}

/// The same, where conditions of the guard are known to hold. The guard is the first premise of the question, these follow.
pub(crate) fn ask_with(
    state: &mut State<'_>,
    solver: &mut Solver,
    guard: Guard,
    known: &[Premise],
) -> Answer {
    ask_given(state, solver, guard, Believe::Facts, known)
}

/// The same situation for people to read: every condition of the guard is as it is in the model, so it is the same path, and
/// the values are as small as can be found with little effort.
pub(crate) fn readable(state: &mut State<'_>, solver: &mut Solver, guard: Guard, model: Model) -> Model {
    let conditions = state.formulas.condition_terms(guard);
    if conditions.len() > limits::PATH_CONDITIONS {
        return model;
    }
    let mut values = model.evaluator();
    let path: Vec<Premise> = conditions
        .into_iter()
        .map(|term| match values.holds(&state.formulas.terms, term) {
            true => term.into(),
            false => state.formulas.terms.not(term).into(),
        })
        .collect();
    match question(state, solver, guard, Believe::Facts, &path) {
        Some(question) => {
            solver.readable_model(&mut state.formulas, &question, &model, QuestionLimits::default())
        }
        None => model,
    }
}

/// The same, with other beliefs about what callers pass.
pub(crate) fn ask_believing(
    state: &mut State<'_>,
    solver: &mut Solver,
    guard: Guard,
    believe: Believe,
) -> Answer {
    ask_given(state, solver, guard, believe, &[])
}

/// The answer when the budget for questions is used up.
const ENOUGH: Answer = Answer::Unknown(Cause::Conflicts { limit: 0 });

pub(crate) fn ask_given(
    state: &mut State<'_>,
    solver: &mut Solver,
    guard: Guard,
    believe: Believe,
    known: &[Premise],
) -> Answer {
    let Some(question) = question(state, solver, guard, believe, known) else { return ENOUGH };
    solver.ask(&mut state.formulas, &question, QuestionLimits::default())
}

/// What the solver is asked: the guard, and what is known about the numbers in it. Nothing when it has been asked enough.
fn question(
    state: &mut State<'_>,
    solver: &Solver,
    guard: Guard,
    believe: Believe,
    known: &[Premise],
) -> Option<Vec<Premise>> {
    if state.has_asked_enough(solver.effort()) {
        return None;
    }
    // ASSUME-23: what seldom happens is no story.
    let guard = match state.assumes(Supposed::SeldomIsNoStory) {
        true => state.formulas.guards.and_not(guard, state.seldom),
        false => guard,
    };
    let guard = state.without_empty_blocks(guard);
    let mut question: Vec<Premise> = vec![guard.into()];
    question.extend(known);
    let terms = state.formulas.condition_terms(guard);
    let numbers: Vec<TermId> = cone::support(&state.formulas.terms, terms)
        .into_iter()
        .map(|var| state.formulas.terms.variable_term(var))
        .collect();
    question.extend(state.bounds_of(&numbers).into_iter().map(Premise::from));
    for term in numbers {
        if let Some(&(least, most)) = state.ranges.get(&term) {
            let width = state.formulas.terms.width(term);
            let (least, most) = (state.constant(width, least), state.constant(width, most));
            let above = state.formulas.terms.sle(least, term);
            let below = state.formulas.terms.sle(term, most);
            question.push(above.into());
            question.push(below.into());
        }
        for number in state.excluded.get(&term).cloned().unwrap_or_default() {
            let width = state.formulas.terms.width(term);
            let number = state.constant(width, number);
            let other = state.formulas.terms.ne(term, number);
            question.push(other.into());
        }
        question.extend(state.as_ever(term, believe).map(Premise::from));
    }
    Some(question)
}
