//! What is known of a number that is computed from another one, step by step and without loss.
//!
//! `err = -pthread_create(..)` is not zero where the call gave an error number, and neither is what it was widened to. Only steps count
//! that can be taken back, so nothing is approximated: where a step could wrap around, nothing is known.

use crate::machine::state::State;
use watertight_logic::term::{BinaryOp, Extension, Term, TermId, UnaryOp};
use watertight_logic::width::Width;

impl State<'_> {
    /// The signed range of a number, if it or what it is computed from has one.
    pub(crate) fn range_of(&self, term: TermId) -> Option<(i128, i128)> {
        if let Some(range) = self.range(term) {
            return Some(range);
        }
        let terms = &self.formulas.terms;
        let (least, most) = match terms.view(term) {
            Term::Unary(UnaryOp::Neg, of) => {
                let (least, most) = self.range_of(of)?;
                (-most, -least)
            }
            Term::Binary(BinaryOp::Add, a, b) => {
                let (of, plus) = if terms.is_const(b) { (a, b) } else { (b, a) };
                let (plus, _) = self.range(plus).filter(|_| terms.is_const(plus))?;
                let (least, most) = self.range_of(of)?;
                (least + plus, most + plus)
            }
            Term::Extend(Extension::Sign, of) => self.range_of(of)?,
            Term::Extend(Extension::Zero, of) => self.range_of(of).filter(|range| range.0 >= 0)?,
            Term::Extract { of, low: 0, .. } => self.range_of(of)?,
            _ => return None,
        };
        fits(least, most, terms.width(term)).then_some((least, most))
    }

    /// Whether a number is known not to be a certain constant.
    pub(crate) fn excludes(&self, term: TermId, constant: TermId) -> bool {
        let Some((number, _)) = self.range(constant).filter(|_| self.formulas.terms.is_const(constant))
        else {
            return false;
        };
        self.is_not(term, number)
    }

    fn is_not(&self, term: TermId, number: i128) -> bool {
        if self.excluded.get(&term).is_some_and(|excluded| excluded.contains(&number)) {
            return true;
        }
        if self.range_of(term).is_some_and(|(least, most)| number < least || number > most) {
            return true;
        }
        let terms = &self.formulas.terms;
        let inside = |of: TermId| fits(number, number, terms.width(of));
        match terms.view(term) {
            Term::Unary(UnaryOp::Neg, of) => {
                inside(of) && fits(-number, -number, terms.width(of)) && self.is_not(of, -number)
            }
            Term::Extend(Extension::Sign, of) => !inside(of) || self.is_not(of, number),
            Term::Extend(Extension::Zero, of) => number >= 0 && inside(of) && self.is_not(of, number),
            _ => false,
        }
    }
}

/// Whether numbers of a width can be so small and so large.
fn fits(least: i128, most: i128, width: Width) -> bool {
    let half = 1_i128 << (width.bits() - 1).min(126);
    least >= -half && most < half
}
