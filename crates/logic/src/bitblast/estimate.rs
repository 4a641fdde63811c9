//! How many gates a question will need, before any is built.
//!
//! A question that would need more gates than its limit is not started. The estimate looks at the terms alone, not at
//! what earlier questions built, so the answer does not depend on which questions came before. It leans to the high
//! side; circuits shrink when bits are constant or shared.

use super::arithmetic::signed_digits;
use super::{Exactness, Method};
use crate::term::{BinaryOp, Term, TermId, Terms, UnaryOp};

/// The estimated number of gates of all these terms together.
pub(crate) fn estimate(terms: &Terms, cone: &[TermId], exactness: Exactness) -> u64 {
    cone.iter().map(|&term| one(terms, term, exactness)).sum()
}

fn one(terms: &Terms, term: TermId, exactness: Exactness) -> u64 {
    let width = u64::from(terms.width(term).bits());
    match terms.view(term) {
        Term::Const(_) | Term::Unary(UnaryOp::Not, _) | Term::Extend(..) | Term::Extract { .. } => 0,
        Term::Var(_) | Term::Ite(..) => width,
        Term::Unary(UnaryOp::Neg, _) => 3 * width,
        Term::Binary(op, a, b) => {
            let width = u64::from(terms.width(a).bits());
            match op {
                BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => width,
                BinaryOp::Concat => 0,
                BinaryOp::Add | BinaryOp::Sub => 3 * width,
                BinaryOp::Eq | BinaryOp::ULt | BinaryOp::ULe | BinaryOp::SLt | BinaryOp::SLe => width + 1,
                BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => match terms.is_const(b) {
                    true => 0,
                    false => width * (u64::from(width.ilog2()) + 2) + width,
                },
                BinaryOp::Mul => product(terms, a, b, width, method(terms, term, exactness)),
                BinaryOp::UDiv | BinaryOp::URem => {
                    quotient(terms, a, b, width, method(terms, term, exactness))
                }
                // The sizes of both operands, and the sign of the result.
                BinaryOp::SDiv | BinaryOp::SRem => {
                    10 * width + quotient(terms, a, b, width, method(terms, term, exactness))
                }
            }
        }
    }
}

/// Whether a product or quotient is built as it is. This is decided by the terms, here and where it is built.
pub(super) fn method(terms: &Terms, term: TermId, exactness: Exactness) -> Method {
    let cells = match terms.view(term) {
        Term::Binary(BinaryOp::Mul, a, b) => product_cells(terms, a, b),
        Term::Binary(BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem, a, b) => {
            quotient_cells(terms, a, b)
        }
        _ => 0,
    };
    if cells <= u64::from(exactness.cells) { Method::Exact } else { Method::Abstract }
}

/// The number of bits a value can have, at least one.
pub(super) fn used_bits(terms: &Terms, term: TermId) -> usize {
    (128 - terms.upper_bound(term).leading_zeros()).max(1) as usize
}

fn product_cells(terms: &Terms, a: TermId, b: TermId) -> u64 {
    u64::from(terms.width(a).bits()) * used_bits(terms, a).min(used_bits(terms, b)) as u64
}

/// The size of a number that may be negative can have all bits; but then so can the number.
fn quotient_cells(terms: &Terms, a: TermId, b: TermId) -> u64 {
    (used_bits(terms, a).max(used_bits(terms, b)) as u64).pow(2)
}

fn product(terms: &Terms, a: TermId, b: TermId, width: u64, method: Method) -> u64 {
    for factor in [a, b] {
        if let Some(value) = terms.const_value(factor) {
            return 3 * width * signed_digits(value, width as usize).len() as u64;
        }
    }
    match method {
        Method::Exact => 4 * product_cells(terms, a, b),
        Method::Abstract => 8 * width + 250,
    }
}

fn quotient(terms: &Terms, a: TermId, b: TermId, width: u64, method: Method) -> u64 {
    if let Some(by) = terms.const_value(b) {
        // The size of a negative constant has at most one digit more.
        let wide = width + 2;
        return 3 * wide * (signed_digits(by, wide as usize).len() as u64 + 2) + 4 * wide;
    }
    match method {
        Method::Exact => 6 * quotient_cells(terms, a, b) + 8 * width,
        Method::Abstract => 14 * width + 20,
    }
}
