//! Guessing values that satisfy a guard, by repairing values that almost do.
//!
//! Most satisfiable questions have many models, and one is found by looking at them: make `p` zero, make `n` sixteen.
//! Starting from some values, the guard is followed from condition to condition. Where the values lead into a dead end
//! the other way has to be taken, and the values are changed to make that condition true: an operation is undone, from
//! the wanted result towards an unknown. A few such rounds either satisfy the guard or are given up.
//!
//! A guess is only a proposal. The caller evaluates the question before it believes it.

use crate::eval::Evaluator;
use crate::facts::{Facts, compared};
use crate::formulas::Formulas;
use crate::guard::Guard;
use crate::term::{BinaryOp, Extension, Term, TermId, Terms, UnaryOp};
use smallvec::SmallVec;

/// How often the guard is followed and the values are repaired.
const ROUNDS: u32 = 4;
/// Guards that lead through more conditions than this are left to the solver.
const MOST_CONDITIONS: usize = 64;
/// How many operations may be evaluated for one guess; where terms are large the solver is quicker.
const MOST_STEPS: u64 = 20_000;
/// How deep operations are undone.
const DEEPEST: u32 = 16;

/// Changes the values until the guard holds; false when that was not achieved.
pub(crate) fn guess(formulas: &Formulas, guard: Guard, values: &mut Evaluator) -> bool {
    let terms = &formulas.terms;
    let most_steps = values.steps() + MOST_STEPS;
    for _ in 0..ROUNDS {
        let Some(path) = follow(formulas, guard, values) else { return false };
        if path.iter().all(|step| step.holds_now) {
            return true;
        }
        let mut facts = Facts::default();
        for step in &path {
            if facts.add(terms, step.term, step.wanted).is_err() {
                return false;
            }
        }
        for step in path.iter().filter(|step| !step.holds_now) {
            let picked = compared(terms, step.term).and_then(|x| facts.pick(x).map(|value| (x, value)));
            let repaired = match picked {
                Some((x, value)) => assign(terms, values, x, value, DEEPEST),
                None => satisfy(terms, values, step.term, step.wanted, DEEPEST),
            };
            if !repaired || values.steps() > most_steps {
                return false;
            }
        }
    }
    false
}

/// A condition on the way to satisfying the guard.
struct Step {
    term: TermId,
    wanted: bool,
    holds_now: bool,
}

/// The conditions that have to hold, following the values wherever they do not lead into a dead end.
fn follow(formulas: &Formulas, guard: Guard, values: &mut Evaluator) -> Option<SmallVec<[Step; 16]>> {
    let mut path: SmallVec<[Step; 16]> = SmallVec::new();
    let mut at = guard;
    while let Some((condition, high, low)) = formulas.guards.branch(at) {
        // Defined conditions have no term; such guards are large, and left to the solver.
        let term = formulas.conditions.term_of(condition)?;
        if path.len() >= MOST_CONDITIONS {
            return None;
        }
        let now = values.holds(&formulas.terms, term);
        let side = if now { high } else { low };
        let wanted = if side.is_false() { !now } else { now };
        path.push(Step { term, wanted, holds_now: now == wanted });
        at = if wanted { high } else { low };
    }
    at.is_true().then_some(path)
}

/// Changes the values to make a boolean term true or false.
fn satisfy(terms: &Terms, values: &mut Evaluator, term: TermId, wanted: bool, depth: u32) -> bool {
    if depth == 0 {
        return false;
    }
    let value = u128::from(wanted);
    match terms.view(term) {
        Term::Unary(UnaryOp::Not, a) => satisfy(terms, values, a, !wanted, depth - 1),
        Term::Binary(BinaryOp::And, a, b) if wanted => {
            satisfy(terms, values, a, true, depth - 1) && satisfy(terms, values, b, true, depth - 1)
        }
        Term::Binary(BinaryOp::And, a, b) => {
            satisfy(terms, values, a, false, depth - 1) || satisfy(terms, values, b, false, depth - 1)
        }
        Term::Binary(op @ (BinaryOp::Eq | BinaryOp::ULt | BinaryOp::SLt), a, b) => {
            let (left, right) = (values.value(terms, a), values.value(terms, b));
            // The value each side would need, given the other.
            let (for_left, for_right) = match (op, wanted) {
                (BinaryOp::Eq, true) => (right, left),
                (BinaryOp::Eq, false) => (right.wrapping_add(1), left.wrapping_add(1)),
                (_, true) => (right.wrapping_sub(1), left.wrapping_add(1)),
                (_, false) => (right, left),
            };
            let width = terms.width(a);
            assign(terms, values, a, width.mask(for_left), depth - 1)
                || assign(terms, values, b, width.mask(for_right), depth - 1)
        }
        _ => assign(terms, values, term, value, depth - 1),
    }
}

/// Changes the values to give a term a value, by undoing its operation. The other operands keep their values.
fn assign(terms: &Terms, values: &mut Evaluator, term: TermId, value: u128, depth: u32) -> bool {
    if depth == 0 {
        return false;
    }
    let width = terms.width(term);
    let depth = depth - 1;
    match terms.view(term) {
        Term::Const(known) => known == value,
        Term::Var(var) => {
            values.set(var, value);
            true
        }
        _ if values.value(terms, term) == value => true,
        Term::Unary(UnaryOp::Not, a) => assign(terms, values, a, width.mask(!value), depth),
        Term::Unary(UnaryOp::Neg, a) => assign(terms, values, a, width.mask(value.wrapping_neg()), depth),
        Term::Extend(extension, a) => {
            let narrow = terms.width(a);
            let back = narrow.mask(value);
            let same = match extension {
                Extension::Zero => back == value,
                Extension::Sign => width.mask(narrow.signed(back) as u128) == value,
            };
            same && assign(terms, values, a, back, depth)
        }
        Term::Extract { of, low, .. } => {
            let cleared = values.value(terms, of) & !(width.ones() << low);
            assign(terms, values, of, cleared | value << low, depth)
        }
        Term::Ite(condition, then, otherwise) => {
            let taken = values.holds(terms, condition);
            let (side, other) = if taken { (then, otherwise) } else { (otherwise, then) };
            assign(terms, values, side, value, depth)
                || assign(terms, values, other, value, depth)
                    && satisfy(terms, values, condition, !taken, depth)
        }
        Term::Binary(op, a, b) => assign_binary(terms, values, op, (a, b), value, depth),
    }
}

fn assign_binary(
    terms: &Terms,
    values: &mut Evaluator,
    op: BinaryOp,
    (a, b): (TermId, TermId),
    value: u128,
    depth: u32,
) -> bool {
    let width = terms.width(a);
    let (left, right) = (values.value(terms, a), values.value(terms, b));
    // What the first operand has to be when the second stays, and the other way round.
    let (for_left, for_right) = match op {
        BinaryOp::Add => (value.wrapping_sub(right), value.wrapping_sub(left)),
        BinaryOp::Sub => (value.wrapping_add(right), left.wrapping_sub(value)),
        BinaryOp::Xor => (value ^ right, value ^ left),
        BinaryOp::And => (left & !right | value, right & !left | value),
        BinaryOp::Or => (value & !right | left & right, value & !left | left & right),
        BinaryOp::Mul if right != 0 && value.is_multiple_of(right) => (value / right, right),
        BinaryOp::UDiv => (value.wrapping_mul(right), right),
        BinaryOp::URem => (value, right),
        BinaryOp::Concat => {
            let split = terms.width(b);
            return assign(terms, values, a, value >> split.bits(), depth)
                && assign(terms, values, b, split.mask(value), depth);
        }
        _ => return false,
    };
    assign(terms, values, a, width.mask(for_left), depth)
        || assign(terms, values, b, width.mask(for_right), depth)
}
