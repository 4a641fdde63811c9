//! What the property tests share: random terms grown from numbers, and an independent meaning of every operation.
//!
//! A recipe is a list of numbers. Each number is one step that builds a term from earlier ones, once without and once
//! with rewriting. Operands are mostly recent and often repeated, constants are mostly special ones, so that the
//! rewriting rules have something to match.

#![allow(dead_code, reason = "each test file uses a part of this module")]

use proptest::test_runner::Config as ProptestConfig;
use watertight_logic::eval::{Assignment, Evaluator};
use watertight_logic::term::{BinaryOp, Extension, Term, TermId, Terms, UnaryOp};
use watertight_logic::width::Width;

pub(crate) mod reference;

/// How many cases a property runs: more where the environment asks for a long run.
pub(crate) fn cases(usual: u32) -> ProptestConfig {
    let factor = std::env::var("WATERTIGHT_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    ProptestConfig { cases: usual * factor, failure_persistence: None, ..ProptestConfig::default() }
}

/// A small generator of numbers, so that one number of a recipe can be cut into as many choices as needed.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed ^ 0x9E37_79B9_7F4A_7C15)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub(crate) fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }
}

/// A value of the kind on which rules and circuits go wrong.
pub(crate) fn special_value(dice: &mut Dice, width: Width) -> u128 {
    let value = match dice.below(12) {
        0 => 0,
        1 => 1,
        2 => width.ones(),
        3 => width.sign_bit(),
        4 => width.sign_bit() - 1,
        5 => 1 << dice.below(width.bits() as usize),
        6 => (1u128 << dice.below(width.bits() as usize)).wrapping_sub(1),
        7 => (1u128 << dice.below(width.bits() as usize)).wrapping_neg(),
        8 => dice.below(8) as u128,
        9 => (dice.below(8) as u128).wrapping_neg(),
        10 => width.bits().into(),
        _ => dice.wide(),
    };
    width.mask(value)
}

/// One expression in both forms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) raw: TermId,
    pub(crate) simple: TermId,
}

/// Terms grown from a recipe.
pub(crate) struct Grown {
    pub(crate) terms: Terms,
    pub(crate) pairs: Vec<Pair>,
    pub(crate) unknowns: Vec<TermId>,
    /// The situation in which many of the comparisons hold, or just do not.
    pub(crate) home: Assignment,
}

/// Which widths a recipe may use.
#[derive(Clone, Copy)]
pub(crate) enum Widths {
    /// All that a C program has, and odd ones.
    All,
    /// Up to four bits, for brute force.
    Tiny,
    /// Up to 16 bits.
    Small,
}

impl Widths {
    fn pick(self, dice: &mut Dice) -> Width {
        let bits = match self {
            Widths::All => match dice.below(10) {
                0 | 1 => 1,
                2 => 7,
                3 => 8,
                4 => 16,
                5 | 6 => 32,
                7 => 33,
                8 => 64,
                _ => 1 + dice.below(128),
            },
            Widths::Tiny => [1, 2, 3, 4, 1][dice.below(5)],
            Widths::Small => [1, 1, 2, 3, 5, 7, 8, 8, 16][dice.below(9)],
        };
        Width::new(bits as u32).expect("the widths above are valid")
    }
}

/// Which operations a recipe may use.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Operations {
    All,
    /// No multiplication and no division between unknowns: what the solver answers at every width at once.
    Linear,
}

pub(crate) fn grow(recipe: &[u64], unknowns: usize, widths: Widths, operations: Operations) -> Grown {
    let mut terms = Terms::new();
    let mut pairs = Vec::new();
    let mut names = Vec::new();
    let mut dice = Dice::new(recipe.first().copied().unwrap_or(0));
    let main = widths.pick(&mut dice);
    for _ in 0..unknowns {
        // Most unknowns share one width, or few operations would meet operands of equal width.
        let width = if dice.below(4) == 0 { widths.pick(&mut dice) } else { main };
        let term = terms.variable(width, None);
        names.push(term);
        pairs.push(Pair { raw: term, simple: term });
    }
    let home: Assignment = names
        .iter()
        .map(|&term| {
            let var = terms.as_variable(term).expect("unknowns are variables");
            (var, special_value(&mut dice, terms.width(term)))
        })
        .collect();
    let mut values = Evaluator::new(home.clone());
    for &step in recipe {
        let mut dice = Dice::new(step);
        let pair = grow_one(&mut terms, &pairs, &mut values, &mut dice, widths, operations);
        pairs.push(pair);
    }
    Grown { terms, pairs, unknowns: names, home }
}

fn pick(pairs: &[Pair], dice: &mut Dice) -> Pair {
    let count = pairs.len();
    let recent = count.min(6);
    match dice.below(3) {
        0 => pairs[dice.below(count)],
        _ => pairs[count - 1 - dice.below(recent)],
    }
}

/// The operand brought to a width, in both forms.
fn fit(terms: &mut Terms, pair: Pair, width: Width, dice: &mut Dice) -> Pair {
    let from = terms.width(pair.raw);
    if from == width {
        return pair;
    }
    if from > width {
        let low =
            if dice.below(2) == 0 { 0 } else { dice.below((from.bits() - width.bits() + 1) as usize) as u32 };
        let high = low + width.bits() - 1;
        let raw = terms.raw(Term::Extract { of: pair.raw, high, low }, width);
        return Pair { raw, simple: terms.extract(pair.simple, high, low) };
    }
    let extension = if dice.below(2) == 0 { Extension::Zero } else { Extension::Sign };
    let raw = terms.raw(Term::Extend(extension, pair.raw), width);
    Pair { raw, simple: terms.extend(extension, pair.simple, width) }
}

fn constant(terms: &mut Terms, dice: &mut Dice, width: Width) -> Pair {
    let value = special_value(dice, width);
    let term = terms.constant(width, value);
    Pair { raw: term, simple: term }
}

fn grow_one(
    terms: &mut Terms,
    pairs: &[Pair],
    values: &mut Evaluator,
    dice: &mut Dice,
    widths: Widths,
    operations: Operations,
) -> Pair {
    let a = pick(pairs, dice);
    let width = terms.width(a.raw);
    match dice.below(13) {
        0 => Pair { raw: terms.raw(Term::Unary(UnaryOp::Not, a.raw), width), simple: terms.not(a.simple) },
        1 => Pair { raw: terms.raw(Term::Unary(UnaryOp::Neg, a.raw), width), simple: terms.neg(a.simple) },
        2 => {
            let to = widths.pick(dice);
            fit(terms, a, to, dice)
        }
        3 | 4 => {
            let c = pick(pairs, dice);
            let condition = fit(terms, c, Width::BOOL, dice);
            let then = if dice.below(3) == 0 { constant(terms, dice, width) } else { a };
            let b = pick(pairs, dice);
            let otherwise =
                if dice.below(2) == 0 { constant(terms, dice, width) } else { fit(terms, b, width, dice) };
            let raw = terms.raw(Term::Ite(condition.raw, then.raw, otherwise.raw), width);
            Pair { raw, simple: terms.ite(condition.simple, then.simple, otherwise.simple) }
        }
        _ => {
            let mut op = BinaryOp::ALL[dice.below(BinaryOp::ALL.len())];
            if op == BinaryOp::Concat {
                let limit = match widths {
                    Widths::All => 128,
                    Widths::Tiny => 4,
                    Widths::Small => 16,
                };
                let b = pick(pairs, dice);
                if width.bits() + terms.width(b.raw).bits() <= limit {
                    let raw = terms.raw(Term::Binary(op, a.raw, b.raw), width);
                    return Pair { raw, simple: terms.concat(a.simple, b.simple) };
                }
                op = BinaryOp::Eq;
            }
            let b = if op.is_comparison() && dice.below(3) == 0 {
                // A random constant hardly ever equals a random term, so it is often made to, or nearly.
                let value = values.value(terms, a.raw).wrapping_add(dice.below(3) as u128).wrapping_sub(1);
                let near = terms.constant(width, value);
                Pair { raw: near, simple: near }
            } else if dice.below(5) < 2 {
                constant(terms, dice, width)
            } else {
                let b = pick(pairs, dice);
                fit(terms, b, width, dice)
            };
            use BinaryOp::{Mul, SDiv, SRem, UDiv, URem};
            if operations == Operations::Linear && matches!(op, Mul | SDiv | SRem | UDiv | URem) {
                op = BinaryOp::Add;
            }
            let (a, b) = if dice.below(2) == 0 { (a, b) } else { (b, a) };
            let raw = terms.raw(Term::Binary(op, a.raw, b.raw), width);
            Pair { raw, simple: terms.binary(op, a.simple, b.simple) }
        }
    }
}

/// Random values for all unknowns, special ones more often.
pub(crate) fn assign(grown: &Grown, seed: u64) -> Assignment {
    let mut dice = Dice::new(seed);
    grown
        .unknowns
        .iter()
        .map(|&term| {
            let var = grown.terms.as_variable(term).expect("unknowns are variables");
            (var, special_value(&mut dice, grown.terms.width(term)))
        })
        .collect()
}
