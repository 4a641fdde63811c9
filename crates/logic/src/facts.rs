//! What a set of conditions says about single terms: bounds and excluded values.
//!
//! Most conditions of C programs compare one value with a constant: `p == NULL`, `n < 16`, `err != -1`. For a set of
//! such conditions that hold together, [`Facts`] keeps the bounds of each compared term, unsigned and signed, and some
//! values it does not have. When nothing is left for a term the conditions contradict each other, and no solver is
//! needed to see it. Otherwise a value can be picked that fits all of them.
//!
//! Only comparisons with constants count; everything else is ignored, so "no contradiction" means little.

use crate::term::{BinaryOp, Term, TermId, Terms, UnaryOp};
use crate::width::Width;
use smallvec::SmallVec;

/// What is known about one term.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    width: Width,
    low: u128,
    high: u128,
    signed_low: i128,
    signed_high: i128,
    excluded: SmallVec<[u128; 4]>,
}

impl Bounds {
    fn of(terms: &Terms, term: TermId) -> Bounds {
        let width = terms.width(term);
        Bounds {
            width,
            low: 0,
            high: terms.upper_bound(term),
            signed_low: width.signed(width.sign_bit()),
            signed_high: width.signed(width.sign_bit() - 1),
            excluded: SmallVec::new(),
        }
    }

    /// Lets the unsigned and the signed bounds narrow each other, where all values have one sign.
    fn tighten(&mut self) {
        let sign = self.width.sign_bit();
        if self.high < sign || self.low >= sign {
            self.signed_low = self.signed_low.max(self.width.signed(self.low));
            self.signed_high = self.signed_high.min(self.width.signed(self.high));
        }
        if self.signed_low >= 0 || self.signed_high < 0 {
            self.low = self.low.max(self.width.mask(self.signed_low as u128));
            self.high = self.high.min(self.width.mask(self.signed_high as u128));
        }
    }

    fn fits(&self, value: u128) -> bool {
        let signed = self.width.signed(value);
        (self.low..=self.high).contains(&value)
            && (self.signed_low..=self.signed_high).contains(&signed)
            && !self.excluded.contains(&value)
    }

    /// Whether no value is left. Excluded values count when they are all there could be.
    fn is_empty(&self) -> bool {
        if self.low > self.high || self.signed_low > self.signed_high {
            return true;
        }
        let few = self.excluded.len() as u128;
        self.high - self.low < few && (self.low..=self.high).all(|value| !self.fits(value))
    }

    /// A simple value that fits, if one of those tried does.
    fn pick(&self) -> Option<u128> {
        let near = self.excluded.iter().flat_map(|&value| [value.wrapping_add(1), value.wrapping_sub(1)]);
        let ends = [self.low, self.signed_low as u128, self.high, self.signed_high as u128];
        let inside = ends.iter().flat_map(|&end| [end.wrapping_add(1), end.wrapping_sub(1)]);
        [0, 1]
            .into_iter()
            .chain(ends)
            .chain(near)
            .chain(inside)
            .map(|value| self.width.mask(value))
            .find(|&value| self.fits(value))
    }
}

/// The bounds of the terms some conditions compare with constants.
#[derive(Default)]
pub(crate) struct Facts {
    known: SmallVec<[(TermId, Bounds); 8]>,
}

/// A term of which the conditions leave no value.
pub(crate) struct Contradiction(pub(crate) TermId);

/// The term a condition compares with a constant.
pub(crate) fn compared(terms: &Terms, condition: TermId) -> Option<TermId> {
    match terms.view(without_not(terms, condition, true).0) {
        Term::Binary(BinaryOp::Eq | BinaryOp::ULt | BinaryOp::SLt, x, k) if terms.is_const(k) => Some(x),
        _ => None,
    }
}

/// A condition and whether it holds, with its negations turned into the latter.
fn without_not(terms: &Terms, condition: TermId, holds: bool) -> (TermId, bool) {
    let (mut condition, mut holds) = (condition, holds);
    while let Term::Unary(UnaryOp::Not, inner) = terms.view(condition) {
        (condition, holds) = (inner, !holds);
    }
    (condition, holds)
}

impl Facts {
    /// Adds that a condition holds, or does not.
    pub(crate) fn add(&mut self, terms: &Terms, condition: TermId, holds: bool) -> Result<(), Contradiction> {
        let (condition, holds) = without_not(terms, condition, holds);
        let Term::Binary(op, x, k) = terms.view(condition) else { return Ok(()) };
        let Some(k) = terms.const_value(k) else { return Ok(()) };
        let at = self.known.iter().position(|&(known, _)| known == x).unwrap_or_else(|| {
            self.known.push((x, Bounds::of(terms, x)));
            self.known.len() - 1
        });
        let bounds = &mut self.known[at].1;
        let signed = bounds.width.signed(k);
        match (op, holds) {
            (BinaryOp::Eq, true) => {
                bounds.low = bounds.low.max(k);
                bounds.high = bounds.high.min(k);
                bounds.signed_low = bounds.signed_low.max(signed);
                bounds.signed_high = bounds.signed_high.min(signed);
            }
            (BinaryOp::Eq, false) if !bounds.excluded.contains(&k) => bounds.excluded.push(k),
            (BinaryOp::ULt, true) => match k.checked_sub(1) {
                Some(below) => bounds.high = bounds.high.min(below),
                None => return Err(Contradiction(x)),
            },
            (BinaryOp::ULt, false) => bounds.low = bounds.low.max(k),
            (BinaryOp::SLt, true) => match signed.checked_sub(1) {
                Some(below) => bounds.signed_high = bounds.signed_high.min(below),
                None => return Err(Contradiction(x)),
            },
            (BinaryOp::SLt, false) => bounds.signed_low = bounds.signed_low.max(signed),
            _ => {}
        }
        bounds.tighten();
        if bounds.is_empty() { Err(Contradiction(x)) } else { Ok(()) }
    }

    /// A value for a term that fits all conditions on it.
    pub(crate) fn pick(&self, term: TermId) -> Option<u128> {
        self.known.iter().find(|&&(known, _)| known == term).and_then(|(_, bounds)| bounds.pick())
    }
}
