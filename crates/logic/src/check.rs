//! Whether the assumptions of a question hold under given values, by evaluation.
//!
//! This is the judge over the solver, and shares nothing with it: terms are evaluated, guards are followed from
//! condition to condition.

use crate::eval::Evaluator;
use crate::formulas::Formulas;
use crate::guard::{Condition, Definition, Guard};
use crate::question::Assumption;

/// Evaluates all assumptions; the position of the first that does not hold otherwise.
pub(crate) fn check(
    formulas: &Formulas,
    question: &[Assumption],
    values: &mut Evaluator,
) -> Result<(), usize> {
    for (at, assumption) in question.iter().enumerate() {
        let holds = match *assumption {
            Assumption::Term(term) => values.holds(&formulas.terms, term),
            Assumption::Guard(guard) => guard_holds(formulas, guard, values),
        };
        if !holds {
            return Err(at);
        }
    }
    Ok(())
}

/// The value of a guard, from the values of the terms of its conditions.
fn guard_holds(formulas: &Formulas, guard: Guard, values: &mut Evaluator) -> bool {
    if !formulas.guards.overflowed() {
        return formulas.guards.eval(guard, |condition| condition_holds(formulas, condition, values));
    }
    // Definitions use older conditions only, so all values are computed in order.
    let mut known: Vec<Option<bool>> = vec![None; formulas.guards.condition_count()];
    for condition in formulas.guards.full_support([guard]) {
        let eval = |part: Guard| {
            formulas.guards.eval(part, |used| known[used.index()].expect("older conditions have values"))
        };
        let holds = match formulas.guards.definition(condition) {
            Some(Definition::And(a, b)) => eval(a) && eval(b),
            Some(Definition::Ite(f, g, h)) => eval(if eval(f) { g } else { h }),
            None => condition_holds(formulas, condition, values),
        };
        known[condition.index()] = Some(holds);
    }
    formulas.guards.eval(guard, |used| known[used.index()].expect("conditions of a guard have values"))
}

fn condition_holds(formulas: &Formulas, condition: Condition, values: &mut Evaluator) -> bool {
    // A condition without a term is a free choice nobody has tied to anything; it does not hold by convention.
    formulas.conditions.term_of(condition).is_some_and(|term| values.holds(&formulas.terms, term))
}
