//! The meaning of every operation once more, bit by bit, by schoolbook methods.
//!
//! It shares nothing with the crate: sums are rippled, products are added up, quotients are long division, signed
//! operations follow the definition of SMT-LIB by cases on the signs. Lowest bit first.

use std::collections::HashMap;
use watertight_logic::eval::Assignment;
use watertight_logic::term::{BinaryOp, Extension, Term, TermId, Terms, UnaryOp};

type Bits = Vec<bool>;

fn bits(value: u128, width: usize) -> Bits {
    (0..width).map(|at| at < 128 && value >> at & 1 == 1).collect()
}

fn number(bits: &[bool]) -> u128 {
    bits.iter().rev().fold(0, |value, &bit| value << 1 | u128::from(bit))
}

fn add(a: &[bool], b: &[bool], mut carry: bool) -> Bits {
    let mut sum = Vec::new();
    for (&x, &y) in a.iter().zip(b) {
        let ones = usize::from(x) + usize::from(y) + usize::from(carry);
        sum.push(ones % 2 == 1);
        carry = ones >= 2;
    }
    sum
}

fn not(a: &[bool]) -> Bits {
    a.iter().map(|&bit| !bit).collect()
}

fn neg(a: &[bool]) -> Bits {
    add(&not(a), &bits(0, a.len()), true)
}

fn sub(a: &[bool], b: &[bool]) -> Bits {
    add(a, &not(b), true)
}

fn shift_up_one(a: &[bool], lowest: bool) -> Bits {
    let mut shifted = vec![lowest];
    shifted.extend_from_slice(&a[..a.len() - 1]);
    shifted
}

fn mul(a: &[bool], b: &[bool]) -> Bits {
    let mut sum = bits(0, a.len());
    let mut addend = a.to_vec();
    for &bit in b {
        if bit {
            sum = add(&sum, &addend, false);
        }
        addend = shift_up_one(&addend, false);
    }
    sum
}

fn less(a: &[bool], b: &[bool]) -> bool {
    for (&x, &y) in a.iter().rev().zip(b.iter().rev()) {
        if x != y {
            return y;
        }
    }
    false
}

fn signed_less(a: &[bool], b: &[bool]) -> bool {
    match (a[a.len() - 1], b[b.len() - 1]) {
        (true, false) => true,
        (false, true) => false,
        _ => less(a, b),
    }
}

/// Quotient and remainder by long division.
fn divide(a: &[bool], b: &[bool]) -> (Bits, Bits) {
    let width = a.len();
    if number(b) == 0 {
        return (vec![true; width], a.to_vec());
    }
    let mut quotient = bits(0, width);
    // One more bit, because the partial remainder may exceed the width before the subtraction.
    let mut rest = bits(0, width + 1);
    let mut divisor = b.to_vec();
    divisor.push(false);
    for at in (0..width).rev() {
        rest = shift_up_one(&rest, a[at]);
        if !less(&rest, &divisor) {
            rest = sub(&rest, &divisor);
            quotient[at] = true;
        }
    }
    rest.pop();
    (quotient, rest)
}

fn signed_divide(a: &[bool], b: &[bool]) -> (Bits, Bits) {
    let (negative, divisor_negative) = (a[a.len() - 1], b[b.len() - 1]);
    let size = |x: &[bool], negative: bool| if negative { neg(x) } else { x.to_vec() };
    let (quotient, rest) = divide(&size(a, negative), &size(b, divisor_negative));
    (size(&quotient, negative != divisor_negative), size(&rest, negative))
}

fn shift(a: &[bool], by: &[bool], up: bool, fill: bool) -> Bits {
    let width = a.len();
    let mut result = a.to_vec();
    let mut count = number(by).min(width as u128 + 1);
    while count > 0 {
        result = if up {
            shift_up_one(&result, false)
        } else {
            let mut down = result[1..].to_vec();
            down.push(fill);
            down
        };
        count -= 1;
    }
    result
}

fn binary(op: BinaryOp, a: &[bool], b: &[bool]) -> Bits {
    let each = |f: fn(bool, bool) -> bool| a.iter().zip(b).map(|(&x, &y)| f(x, y)).collect::<Bits>();
    match op {
        BinaryOp::And => each(|x, y| x && y),
        BinaryOp::Or => each(|x, y| x || y),
        BinaryOp::Xor => each(|x, y| x != y),
        BinaryOp::Add => add(a, b, false),
        BinaryOp::Sub => sub(a, b),
        BinaryOp::Mul => mul(a, b),
        BinaryOp::UDiv => divide(a, b).0,
        BinaryOp::URem => divide(a, b).1,
        BinaryOp::SDiv => signed_divide(a, b).0,
        BinaryOp::SRem => signed_divide(a, b).1,
        BinaryOp::Shl => shift(a, b, true, false),
        BinaryOp::LShr => shift(a, b, false, false),
        BinaryOp::AShr => shift(a, b, false, a[a.len() - 1]),
        BinaryOp::Concat => [b, a].concat(),
        BinaryOp::Eq => vec![a == b],
        BinaryOp::ULt => vec![less(a, b)],
        BinaryOp::ULe => vec![!less(b, a)],
        BinaryOp::SLt => vec![signed_less(a, b)],
        BinaryOp::SLe => vec![!signed_less(b, a)],
    }
}

/// The value of a term, by recursion over its structure.
pub(crate) fn value(terms: &Terms, assignment: &Assignment, term: TermId) -> u128 {
    number(&evaluate(terms, assignment, term, &mut HashMap::new()))
}

fn evaluate(terms: &Terms, assignment: &Assignment, term: TermId, known: &mut HashMap<TermId, Bits>) -> Bits {
    if let Some(bits) = known.get(&term) {
        return bits.clone();
    }
    let width = terms.width(term).bits() as usize;
    let result = match terms.view(term) {
        Term::Const(value) => bits(value, width),
        Term::Var(var) => bits(assignment.get(var), width),
        Term::Unary(op, a) => {
            let a = evaluate(terms, assignment, a, known);
            match op {
                UnaryOp::Not => not(&a),
                UnaryOp::Neg => neg(&a),
            }
        }
        Term::Binary(op, a, b) => {
            let (a, b) = (evaluate(terms, assignment, a, known), evaluate(terms, assignment, b, known));
            binary(op, &a, &b)
        }
        Term::Extend(extension, a) => {
            let mut a = evaluate(terms, assignment, a, known);
            let fill = extension == Extension::Sign && a[a.len() - 1];
            a.resize(width, fill);
            a
        }
        Term::Extract { of, high, low } => {
            evaluate(terms, assignment, of, known)[low as usize..=high as usize].to_vec()
        }
        Term::Ite(condition, then, otherwise) => {
            if evaluate(terms, assignment, condition, known)[0] {
                evaluate(terms, assignment, then, known)
            } else {
                evaluate(terms, assignment, otherwise, known)
            }
        }
    };
    known.insert(term, result.clone());
    result
}
