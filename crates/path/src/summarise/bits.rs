//! Numbers that are some bits of an entry value: `flags & OWNED`, the kind in a tagged struct.
//!
//! In: a term. Out: the entry value that it is made from, how far it is shifted to the right, and which bits are
//! left. Accessors such as `kind_of(value)` return such numbers, and callers decide by them who owns what.

use crate::evaluate::state::State;
use crate::limits::BIT_DEPTH;
use watertight_logic::term::{BinaryOp, Extension, Term, TermId};
use watertight_summary::Path;

/// The low bits of an address that may be used for something else; not a limit, but what alignment leaves.
const MOST_TAG: u128 = 7;

/// Some bits of an entry value: `(value >> low) & mask`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bits {
    pub path: Path,
    pub low: u32,
    pub mask: u64,
}

/// The entry value that a number consists of bits of.
pub fn bits_of(state: &State<'_>, term: TermId) -> Option<Bits> {
    let mut low = 0u32;
    let mut mask = u64::MAX;
    let mut term = term;
    let terms = &state.formulas.terms;
    for _ in 0..BIT_DEPTH {
        let bits = terms.width(term).bits();
        mask &= ones(bits).checked_shr(low).unwrap_or(0);
        if let Some(path) = state.input_path(term) {
            return Some(Bits { path: path.clone(), low, mask });
        }
        let constant = |term| terms.const_value(term).and_then(|value| u64::try_from(value).ok());
        match terms.view(term) {
            Term::Extend(extension, inner) => {
                // Copies of the sign must not be among the bits.
                let inside = ones(terms.width(inner).bits()).checked_shr(low).unwrap_or(0);
                if extension == Extension::Sign && mask & !inside != 0 {
                    return None;
                }
                term = inner;
            }
            Term::Extract { of, low: first, .. } => {
                low += first;
                term = of;
            }
            Term::Binary(BinaryOp::And, a, b) => {
                let (inner, kept) = match (constant(a), constant(b)) {
                    (None, Some(kept)) => (a, kept),
                    (Some(kept), None) => (b, kept),
                    _ => return None,
                };
                mask &= kept.checked_shr(low).unwrap_or(0);
                term = inner;
            }
            Term::Binary(BinaryOp::LShr, a, b) => {
                low += u32::try_from(constant(b)?).ok()?;
                term = a;
            }
            _ => return None,
        }
    }
    None
}

/// The entry value that a number is when a few low bits, which are no part of an address, are left out.
pub fn untagged(state: &State<'_>, term: TermId) -> Option<TermId> {
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
        let small = |term| terms.const_value(term).is_some_and(|value| value <= MOST_TAG);
        let clears = |term| terms.const_value(term).is_some_and(|value| width.mask(!value) <= MOST_TAG);
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

fn ones(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}
