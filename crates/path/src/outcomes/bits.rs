//! Numbers that are some bits of an entry value: `flags & OWNED`, the kind in a tagged struct.
//!
//! In: a term. Out: the entry value that it is made from, how far it is shifted to the right, and which bits are
//! left. Accessors such as `kind_of(value)` return such numbers, and callers decide by them who owns what.

use crate::limits::BIT_DEPTH;
use crate::machine::state::State;
use watertight_logic::term::{BinaryOp, Extension, Term, TermId};
use watertight_summary::Path;

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

fn ones(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}
