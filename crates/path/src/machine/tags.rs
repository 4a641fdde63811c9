//! Addresses and descriptors that carry something else in their low bits.

use crate::assumptions::Supposed;
use crate::limits::BIT_DEPTH;
use crate::machine::state::State;
use watertight_logic::term::{BinaryOp, Extension, Term, TermId};
use watertight_logic::width::Width;

/// The low bits of an address that may be used for something else (ASSUME-33); not a limit, but what alignment leaves.
const LOW_BITS: u128 = 7;

/// How far a number that is a resource is shifted to make room for something else (ASSUME-33); not a limit, but what a flag or two need.
pub(crate) const ROOM_BITS: u32 = 3;

/// The entry value that a number is when a few low bits, which are no part of an address, are left out; or, of an `int`,
/// when they are shifted away: a descriptor that was passed with a flag below it, `(fd << 1) | append`.
pub(crate) fn untagged(state: &State<'_>, term: TermId) -> Option<TermId> {
    if !Supposed::LowBitsAreTags.is_made() {
        return None;
    }
    let terms = &state.formulas.terms;
    let width = terms.width(term);
    if width == Width::W32 {
        return unshifted(state, term);
    }
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

/// The entry value that a number is all of but for a few low bits.
fn unshifted(state: &State<'_>, term: TermId) -> Option<TermId> {
    let terms = &state.formulas.terms;
    let few = |by: TermId| terms.const_value(by).is_some_and(|by| by <= u128::from(ROOM_BITS));
    let mut term = term;
    for _ in 0..BIT_DEPTH {
        if state.input_path(term).is_some() {
            return (terms.width(term) == Width::W32).then_some(term);
        }
        term = match terms.view(term) {
            Term::Extend(_, inner) => inner,
            Term::Binary(BinaryOp::AShr | BinaryOp::LShr, of, by) if few(by) => of,
            // A descriptor has no sign that could be lost.
            Term::Extract { of, high, low } if low <= ROOM_BITS && high + 2 >= terms.width(of).bits() => of,
            _ => return None,
        };
    }
    None
}

/// The unknown that a number is because its upper bits, all that is left out of it, are zero in every value it may have.
pub(crate) fn whole(state: &State<'_>, term: TermId) -> TermId {
    let terms = &state.formulas.terms;
    match terms.view(term) {
        Term::Extend(Extension::Zero, inner) => match terms.view(inner) {
            Term::Extract { of, high, low: 0 }
                if terms.width(of) == terms.width(term)
                    && state.range(of).is_some_and(|(least, most)| least >= 0 && most >> (high + 1) == 0) =>
            {
                of
            }
            _ => term,
        },
        _ => term,
    }
}
