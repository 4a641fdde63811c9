//! Words of which some bits are known: bit-fields of a header, `flags | OWNED`.
//!
//! In: a number that a cell holds. Out: the word piece by piece, from its lowest bit on: bits that are
//! always the same, bits of one entry value, and bits of which nothing is known. Every operation is followed bit by bit and
//! says nothing where it is not exact, so a bit that is told is right. A word without a bit that is always set, and without
//! entry bits beside others, is left to those who tell of signs and sizes.

use crate::limits::PIECE_DEPTH;
use crate::machine::state::State;
use rustc_hash::FxHashMap;
use watertight_logic::term::{BinaryOp, Extension, Term, TermId, UnaryOp};
use watertight_summary::{Path, Piece, PieceOf, Value};

/// The widest word that is told in pieces; not a limit, but what the numbers of a summary hold.
const WIDEST: u32 = 64;

/// What is known of one bit.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Bit {
    Is(bool),
    /// This bit of an entry value.
    Of(TermId, u32),
    Unknown,
}

impl Bit {
    fn not(self) -> Bit {
        match self {
            Bit::Is(set) => Bit::Is(!set),
            _ => Bit::Unknown,
        }
    }

    fn and(self, other: Bit) -> Bit {
        match (self, other) {
            (Bit::Is(false), _) | (_, Bit::Is(false)) => Bit::Is(false),
            (Bit::Is(true), bit) | (bit, Bit::Is(true)) => bit,
            (one, other) if one == other => one,
            _ => Bit::Unknown,
        }
    }

    fn or(self, other: Bit) -> Bit {
        match (self, other) {
            (Bit::Is(true), _) | (_, Bit::Is(true)) => Bit::Is(true),
            (Bit::Is(false), bit) | (bit, Bit::Is(false)) => bit,
            (one, other) if one == other => one,
            _ => Bit::Unknown,
        }
    }

    fn xor(self, other: Bit) -> Bit {
        match (self, other) {
            (Bit::Is(false), bit) | (bit, Bit::Is(false)) => bit,
            (Bit::Is(true), bit) | (bit, Bit::Is(true)) => bit.not(),
            _ => Bit::Unknown,
        }
    }

    /// What it is in either case.
    fn join(self, other: Bit) -> Bit {
        if self == other { self } else { Bit::Unknown }
    }
}

/// A number as a word, if more is known of it than of any number. `rest` is what is said of the other bits.
pub(crate) fn word_of(state: &State<'_>, number: TermId, rest: PieceOf) -> Option<Value> {
    if state.formulas.terms.width(number).bits() > WIDEST {
        return None;
    }
    told(state, &bits(state, number, PIECE_DEPTH, &mut FxHashMap::default()), rest)
}

fn each(one: &[Bit], other: &[Bit], op: fn(Bit, Bit) -> Bit) -> Vec<Bit> {
    one.iter().zip(other).map(|(&one, &other)| op(one, other)).collect()
}

/// The bits of a number, the lowest first.
fn bits(state: &State<'_>, term: TermId, deep: u32, known: &mut FxHashMap<TermId, Vec<Bit>>) -> Vec<Bit> {
    if let Some(bits) = known.get(&term) {
        return bits.clone();
    }
    let terms = &state.formulas.terms;
    let count = terms.width(term).bits();
    let unknown = vec![Bit::Unknown; count as usize];
    if state.input_path(term).is_some() {
        return (0..count).map(|index| Bit::Of(term, index)).collect();
    }
    let Some(deep) = deep.checked_sub(1) else { return unknown };
    let shift = |by: TermId| terms.const_value(by).and_then(|by| usize::try_from(by).ok());
    let zeros = |many: usize| std::iter::repeat_n(Bit::Is(false), many);
    let found = match terms.view(term) {
        Term::Const(value) => (0..count).map(|index| Bit::Is(value >> index & 1 == 1)).collect(),
        Term::Unary(UnaryOp::Not, inner) => {
            bits(state, inner, deep, known).into_iter().map(Bit::not).collect()
        }
        Term::Extend(extension, inner) => {
            let mut found = bits(state, inner, deep, known);
            let above = match extension {
                Extension::Zero => Bit::Is(false),
                Extension::Sign => match found.last() {
                    Some(&Bit::Is(set)) => Bit::Is(set),
                    _ => Bit::Unknown,
                },
            };
            found.resize(count as usize, above);
            found
        }
        Term::Extract { of, high, low } if terms.width(of).bits() <= WIDEST => {
            bits(state, of, deep, known)[low as usize..=high as usize].to_vec()
        }
        Term::Ite(_, one, other) => {
            let one = bits(state, one, deep, known);
            each(&one, &bits(state, other, deep, known), Bit::join)
        }
        Term::Binary(op, a, b) => match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                let one = bits(state, a, deep, known);
                let other = bits(state, b, deep, known);
                let op = match op {
                    BinaryOp::And => Bit::and,
                    BinaryOp::Or => Bit::or,
                    _ => Bit::xor,
                };
                each(&one, &other, op)
            }
            BinaryOp::Concat => {
                let mut found = bits(state, b, deep, known);
                found.extend(bits(state, a, deep, known));
                found
            }
            BinaryOp::Shl => match shift(b) {
                Some(by) if by < count as usize => {
                    zeros(by).chain(bits(state, a, deep, known)).take(count as usize).collect()
                }
                _ => unknown,
            },
            BinaryOp::LShr => match shift(b) {
                Some(by) if by < count as usize => {
                    bits(state, a, deep, known).into_iter().skip(by).chain(zeros(by)).collect()
                }
                _ => unknown,
            },
            _ => unknown,
        },
        _ => unknown,
    };
    known.insert(term, found.clone());
    found
}

/// The word in pieces, if it is worth telling. Only one entry value can be told of; bits of others are unknown.
fn told(state: &State<'_>, bits: &[Bit], rest: PieceOf) -> Option<Value> {
    let entry = bits.iter().find_map(|bit| match bit {
        Bit::Of(term, _) => Some(*term),
        _ => None,
    });
    let mut pieces: Vec<Piece> = Vec::new();
    for &bit in bits {
        let last = pieces.last_mut();
        match (bit, last) {
            (Bit::Is(set), Some(Piece { bits, of: PieceOf::Number(number) })) => {
                *number |= u64::from(set) << *bits;
                *bits += 1;
            }
            (Bit::Is(set), _) => pieces.push(Piece { bits: 1, of: PieceOf::Number(u64::from(set)) }),
            (Bit::Of(term, index), Some(Piece { bits, of: PieceOf::Entry(low) }))
                if Some(term) == entry && *low + *bits == index =>
            {
                *bits += 1;
            }
            (Bit::Of(term, index), _) if Some(term) == entry => {
                pieces.push(Piece { bits: 1, of: PieceOf::Entry(index) });
            }
            (_, Some(Piece { bits, of })) if *of == rest => *bits += 1,
            _ => pieces.push(Piece { bits: 1, of: rest }),
        }
    }
    let set = bits.contains(&Bit::Is(true));
    // A number that is not zero stays so only by a bit that is set.
    let mixed = rest == PieceOf::Untold
        && pieces.iter().any(|piece| matches!(piece.of, PieceOf::Entry(_)))
        && pieces.iter().any(|piece| piece.of == rest);
    let of: Option<Path> = entry.and_then(|term| state.input_path(term).cloned());
    (pieces.len() > 1 && (set || mixed)).then_some(Value::Word { of, pieces })
}
