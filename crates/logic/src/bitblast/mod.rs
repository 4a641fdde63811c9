//! Bit-blasting: terms as circuits, one bit per gate.
//!
//! [`Blaster::bits`] gives the bits of a term, lowest first, building the circuits of its cone and nothing else; the
//! rest of the arena does not exist for it. What was built is kept, so the next question pays only for what is new.
//!
//! Every operation is exact at every width, with one exception that is the caller's choice: products and quotients of
//! two unknowns with more cells than [`Exactness::cells`] are *abstracted*. Their result is an unknown about which a few
//! facts hold (see `abstraction`). An unsatisfiable answer stays right. A satisfiable one has to be checked, and the
//! caller can then sharpen the abstraction for the values at hand, or have it made exact.

mod abstraction;
mod arithmetic;
mod divide;
mod estimate;

pub(crate) use abstraction::{AbstractionId, Sharpened};
pub(crate) use estimate::estimate;

use crate::cone::cone_until;
use crate::gates::{Bit, Gates};
use crate::semantics;
use crate::term::{BinaryOp, Extension, Term, TermId, Terms, UnaryOp};
use abstraction::Abstraction;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The bits of a term, lowest first.
pub(crate) type Bits = SmallVec<[Bit; 64]>;

/// How large a product or quotient of unknowns may be to be built exactly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exactness {
    /// The number of cells, each about four gates: for a product the width times the number of unknown bits of the
    /// smaller factor, for a quotient the square of the width.
    pub cells: u32,
}

impl Default for Exactness {
    fn default() -> Exactness {
        Exactness { cells: 2048 }
    }
}

/// How a product or quotient is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Method {
    Exact,
    Abstract,
}

/// The circuits of one function.
pub(crate) struct Blaster {
    pub(crate) gates: Gates,
    exactness: Exactness,
    bits: Vec<Bit>,
    starts: FxHashMap<TermId, u32>,
    abstractions: Vec<Abstraction>,
    by_operands: FxHashMap<abstraction::Key, AbstractionId>,
    /// The abstraction that stands for the operation of a term.
    abstracted: FxHashMap<TermId, AbstractionId>,
    /// The term that is being built.
    current: Option<TermId>,
}

impl Blaster {
    pub(crate) fn new(exactness: Exactness) -> Blaster {
        Blaster {
            gates: Gates::new(),
            exactness,
            bits: Vec::new(),
            starts: FxHashMap::default(),
            abstractions: Vec::new(),
            by_operands: FxHashMap::default(),
            abstracted: FxHashMap::default(),
            current: None,
        }
    }

    /// The bits of a term, lowest first.
    pub(crate) fn bits(&mut self, terms: &Terms, term: TermId) -> &[Bit] {
        if !self.starts.contains_key(&term) {
            for part in cone_until(terms, [term], |part| self.starts.contains_key(&part)) {
                if !self.starts.contains_key(&part) {
                    self.current = Some(part);
                    let bits = self.blast(terms, part);
                    debug_assert_eq!(bits.len(), terms.width(part).bits() as usize);
                    self.starts.insert(part, self.bits.len() as u32);
                    self.bits.extend_from_slice(&bits);
                }
            }
        }
        self.known(terms, term)
    }

    /// The bit of a boolean term.
    pub(crate) fn bit(&mut self, terms: &Terms, term: TermId) -> Bit {
        self.bits(terms, term)[0]
    }

    /// The bits of a term that was built already.
    pub(crate) fn known(&self, terms: &Terms, term: TermId) -> &[Bit] {
        let start = self.starts[&term] as usize;
        &self.bits[start..start + terms.width(term).bits() as usize]
    }

    /// Whether a term was built.
    pub(crate) fn is_built(&self, term: TermId) -> bool {
        self.starts.contains_key(&term)
    }

    fn blast(&mut self, terms: &Terms, term: TermId) -> Bits {
        let width = terms.width(term).bits() as usize;
        let operand = |blaster: &Blaster, id: TermId| Bits::from_slice(blaster.known(terms, id));
        match terms.view(term) {
            Term::Const(value) => constant(value, width),
            Term::Var(_) => (0..width).map(|_| self.gates.input()).collect(),
            Term::Unary(op, a) => {
                let a = operand(self, a);
                match op {
                    UnaryOp::Not => a.into_iter().map(|bit| !bit).collect(),
                    UnaryOp::Neg => self.neg(&a),
                }
            }
            Term::Binary(op, a, b) => {
                let (mut left, mut right) = (operand(self, a), operand(self, b));
                let method = estimate::method(terms, term, self.exactness);
                if is_product(op) {
                    // What the terms say about the size of a value, the bits need not say.
                    left[estimate::used_bits(terms, a)..].fill(Bit::FALSE);
                    right[estimate::used_bits(terms, b)..].fill(Bit::FALSE);
                }
                self.binary(op, &left, &right, method)
            }
            Term::Extend(extension, a) => {
                let mut bits = operand(self, a);
                let fill = match extension {
                    Extension::Zero => Bit::FALSE,
                    Extension::Sign => bits[bits.len() - 1],
                };
                bits.resize(width, fill);
                bits
            }
            Term::Extract { of, high, low } => operand(self, of)[low as usize..=high as usize].into(),
            Term::Ite(condition, then, otherwise) => {
                let condition = self.known(terms, condition)[0];
                let (then, otherwise) = (operand(self, then), operand(self, otherwise));
                self.mux_word(condition, &then, &otherwise)
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, a: &[Bit], b: &[Bit], method: Method) -> Bits {
        let gates = &mut self.gates;
        match op {
            BinaryOp::And => a.iter().zip(b).map(|(&x, &y)| gates.and(x, y)).collect(),
            BinaryOp::Or => a.iter().zip(b).map(|(&x, &y)| gates.or(x, y)).collect(),
            BinaryOp::Xor => a.iter().zip(b).map(|(&x, &y)| gates.xor(x, y)).collect(),
            BinaryOp::Add => self.add(a, b, Bit::FALSE).0,
            BinaryOp::Sub => self.sub(a, b),
            BinaryOp::Mul => self.multiply(a, b, method),
            BinaryOp::UDiv => self.divide(a, b, method).0,
            BinaryOp::URem => self.divide(a, b, method).1,
            BinaryOp::SDiv => self.signed_divide(a, b, method).0,
            BinaryOp::SRem => self.signed_divide(a, b, method).1,
            BinaryOp::Shl => {
                let reversed: Bits = a.iter().rev().copied().collect();
                self.shift_down(&reversed, b, Bit::FALSE).into_iter().rev().collect()
            }
            BinaryOp::LShr => self.shift_down(a, b, Bit::FALSE),
            BinaryOp::AShr => self.shift_down(a, b, a[a.len() - 1]),
            BinaryOp::Concat => b.iter().chain(a).copied().collect(),
            BinaryOp::Eq => [self.equal(a, b)].into_iter().collect(),
            BinaryOp::ULt => [self.less(a, b)].into_iter().collect(),
            BinaryOp::ULe => [!self.less(b, a)].into_iter().collect(),
            BinaryOp::SLt => [self.signed_less(a, b)].into_iter().collect(),
            BinaryOp::SLe => [!self.signed_less(b, a)].into_iter().collect(),
        }
    }

    /// The abstraction that stands for the operation of a term, if there is one.
    pub(crate) fn abstraction_of(&self, term: TermId) -> Option<AbstractionId> {
        self.abstracted.get(&term).copied()
    }
}

fn is_product(op: BinaryOp) -> bool {
    use BinaryOp::{Mul, SDiv, SRem, UDiv, URem};
    matches!(op, Mul | UDiv | URem | SDiv | SRem)
}

/// The bits of a constant.
pub(crate) fn constant(value: u128, width: usize) -> Bits {
    (0..width).map(|at| Bit::truth(semantics::extract(value, at as u32, at as u32) == 1)).collect()
}

/// The number, when all bits are constant.
pub(crate) fn constant_value(bits: &[Bit]) -> Option<u128> {
    bits.iter().rev().try_fold(0, |value, &bit| match bit {
        Bit::TRUE => Some(value << 1 | 1),
        Bit::FALSE => Some(value << 1),
        _ => None,
    })
}
