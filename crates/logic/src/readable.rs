//! Values for people: the values of a model made small and simple, as far as that is cheap.
//!
//! A solver is content with any values, such as 2863311530 where 1 would do. Before values are shown, unknowns that are
//! large are assumed to be small, all together and one by one, in a few short questions. Then each unknown is tried as
//! 0, 1, -1 and with fewer bits, by evaluation alone. Every change is kept only when the question still holds.

use crate::check::check;
use crate::cone::support;
use crate::eval::Evaluator;
use crate::formulas::Formulas;
use crate::question::{Assumption, Model, QuestionLimits};
use crate::sat::{SatAnswer, SatLit, SatSolver};
use crate::solver::{Solver, as_guards};
use crate::term::{TermId, Var};

/// Values below this are easy to read.
const SMALL_VALUE: i128 = 256;
/// How often the satisfiability solver is asked for smaller values.
const MOST_ATTEMPTS: u32 = 8;
const CONFLICTS_PER_ATTEMPT: u64 = 200;
/// How many values are tried for each unknown, at most, and altogether.
const MOST_TRIES: usize = 256;

impl<S: SatSolver> Solver<S> {
    /// A model like this one with values as small as can be found with little effort, for people to read. They satisfy the
    /// question as those of the model do.
    pub fn readable_model(
        &mut self,
        formulas: &mut Formulas,
        question: &[Assumption],
        model: &Model,
        limits: QuestionLimits,
    ) -> Model {
        let unknowns = unknowns(formulas, question);
        let mut values = model.evaluator();
        self.shrink_together(formulas, question, &unknowns, &mut values, limits);
        shrink_alone(formulas, question, &unknowns, &mut values);
        Model::new(values.assignment().clone())
    }

    /// Tries to make all unknowns small at once, then those that are still large one after another, by asking the
    /// satisfiability solver with their upper bits assumed to be zero.
    fn shrink_together(
        &mut self,
        formulas: &mut Formulas,
        question: &[Assumption],
        unknowns: &[Var],
        values: &mut Evaluator,
        limits: QuestionLimits,
    ) {
        let is_large = |formulas: &Formulas, values: &Evaluator, var: Var| {
            let width = formulas.terms.width(formulas.terms.variable_term(var));
            !(-SMALL_VALUE..SMALL_VALUE).contains(&width.signed(values.assignment().get(var)))
        };
        if !unknowns.iter().any(|&var| is_large(formulas, values, var)) {
            return;
        }
        let guards = as_guards(formulas, question);
        let Ok(prepared) = self.prepare(formulas, &guards, limits) else { return };
        let mut assumed: Vec<SatLit> = prepared.literals.iter().map(|&(literal, _)| literal).collect();
        let kept = assumed.len();
        let mut attempts = 0;
        let groups: Vec<Vec<Var>> =
            std::iter::once(unknowns.to_vec()).chain(unknowns.iter().map(|&var| vec![var])).collect();
        for group in groups {
            let large: Vec<Var> = group.into_iter().filter(|&var| is_large(formulas, values, var)).collect();
            if large.is_empty() || attempts >= MOST_ATTEMPTS {
                continue;
            }
            attempts += 1;
            assumed.truncate(kept);
            for var in unknowns {
                // Unknowns that are small already stay so.
                if large.contains(var) || !is_large(formulas, values, *var) {
                    self.assume_small(formulas, *var, &mut assumed);
                }
            }
            let conflicts = limits.conflicts.min(CONFLICTS_PER_ATTEMPT);
            if self.solve(&assumed, conflicts).0 == SatAnswer::Sat {
                let mut found = Evaluator::new(self.values(formulas, &prepared.cone));
                if check(formulas, question, &mut found).is_ok() {
                    *values = found;
                }
            }
        }
    }

    /// Assumes that the upper bits of an unknown are zero, as far as the solver knows the unknown at all.
    fn assume_small(&mut self, formulas: &Formulas, var: Var, assumed: &mut Vec<SatLit>) {
        let blaster = self.blaster.as_ref().expect("a prepared question has circuits");
        let session = self.session.as_mut().expect("a prepared question has a session");
        let term = formulas.terms.variable_term(var);
        if blaster.is_built(term) {
            for &bit in blaster.known(&formulas.terms, term).iter().skip(SMALL_VALUE.ilog2() as usize) {
                if session.knows(bit) {
                    assumed.push(!session.literal(&blaster.gates, bit));
                }
            }
        }
    }
}

/// Makes unknowns smaller one after another, as long as the question still holds, by evaluation alone.
fn shrink_alone(formulas: &Formulas, question: &[Assumption], unknowns: &[Var], values: &mut Evaluator) {
    let mut tries = 0;
    for &var in unknowns {
        let width = formulas.terms.width(formulas.terms.variable_term(var));
        let mut best = values.assignment().get(var);
        let simple = [0, 1, width.ones()];
        let fewer_bits = (0..width.bits()).rev().map(|bit| (bit, !(1u128 << bit)));
        let mut attempt = |value: u128, best: &mut u128| {
            if value == *best || tries >= MOST_TRIES {
                return false;
            }
            tries += 1;
            values.set(var, value);
            let fits = check(formulas, question, values).is_ok();
            if fits {
                *best = value;
            } else {
                values.set(var, *best);
            }
            fits
        };
        // Minus one is simpler than any other number with the sign bit, but not than a small number.
        let plain = simple.into_iter().any(|value| {
            value == best || (value != width.ones() || best >= width.sign_bit()) && attempt(value, &mut best)
        });
        if !plain {
            for (bit, mask) in fewer_bits {
                if best >> bit & 1 == 1 {
                    attempt(best & mask, &mut best);
                }
            }
        }
    }
}

/// The unknowns the assumptions depend on.
fn unknowns(formulas: &mut Formulas, question: &[Assumption]) -> Vec<Var> {
    let roots: Vec<TermId> = question
        .iter()
        .flat_map(|assumption| match *assumption {
            Assumption::Guard(guard) => formulas.condition_terms(guard),
            Assumption::Term(term) => vec![term],
        })
        .collect();
    support(&formulas.terms, roots)
}
