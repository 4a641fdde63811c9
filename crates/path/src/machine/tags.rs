//! Addresses that carry something else in their low bits.

use crate::limits::BIT_DEPTH;
use crate::machine::state::State;
use watertight_logic::term::{BinaryOp, Term, TermId};

/// The low bits of an address that may be used for something else (ASSUME-33); not a limit, but what alignment leaves.
const LOW_BITS: u128 = 7;

/// The entry value that a number is when a few low bits, which are no part of an address, are left out.
pub(crate) fn untagged(state: &State<'_>, term: TermId) -> Option<TermId> {
    let terms = &state.formulas.terms;
    let width = terms.width(term);
    if width != state.pointer_width() {
        return None;
    }
    let mut term = term;
    for _ in 0..BIT_DEPTH {
        if state.input_path(term).is_some() {
            return (terms.width(term) == width).then_some(term);
        }
        let small = |term| terms.const_value(term).is_some_and(|value| value <= LOW_BITS);
        let clears = |term| terms.const_value(term).is_some_and(|value| width.mask(!value) <= LOW_BITS);
        term = match terms.view(term) {
            Term::Binary(BinaryOp::And, a, b) if clears(b) => a,
            Term::Binary(BinaryOp::And, a, b) if clears(a) => b,
            Term::Binary(BinaryOp::Or | BinaryOp::Xor | BinaryOp::Add, a, b) if small(b) => a,
            Term::Binary(BinaryOp::Or | BinaryOp::Xor | BinaryOp::Add, a, b) if small(a) => b,
            Term::Binary(BinaryOp::Concat, a, b) if small(b) => a,
            Term::Extract { of, high, low } if low <= 3 && high + 1 == terms.width(of).bits() => of,
            _ => return None,
        };
    }
    None
}
