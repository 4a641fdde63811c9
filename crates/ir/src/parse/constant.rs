//! Reads constants: `i32 -1`, `ptr null`, `f64 1.5`, `ptr @table+8`, `agg0 zero`.

use super::cursor::{integer, shorten, signed};
use super::lexer::Kind;
use super::{Fault, Parser, number_after};
use crate::function::Const;
use crate::ids::{BlockId, Id};
use crate::program::Symbol;
use crate::types::{FloatKind, Type};

impl<'t> Parser<'t> {
    /// Takes what stands after the type of a constant.
    pub(super) fn constant(&mut self, ty: Type) -> Result<Const, Fault> {
        let at = self.cursor.at();
        match self.cursor.kind() {
            Kind::Word("null") if ty == Type::Ptr => {
                self.cursor.advance()?;
                Ok(Const::Bits(0))
            }
            Kind::Word("undef") => {
                self.cursor.advance()?;
                Ok(Const::Undef)
            }
            Kind::Word("zero") => {
                self.cursor.advance()?;
                Ok(Const::Zero)
            }
            Kind::Word("label") | Kind::Symbol(_) => match self.symbol()? {
                Symbol::Global(global) => Ok(Const::Global { global, offset: self.addend()? }),
                Symbol::Func(function) if self.addend()? == 0 => Ok(Const::Func(function)),
                Symbol::Func(_) => Err(Fault::new(at, "the address of a function takes no offset")),
                Symbol::Label(function, block) => Ok(Const::Label(function, block)),
            },
            Kind::Number(text) => {
                let constant = self.number(ty, text, at)?;
                self.cursor.advance()?;
                Ok(constant)
            }
            _ => Err(self.cursor.unexpected("a constant")),
        }
    }

    /// Takes `@name` or `label @name bb3`.
    pub(super) fn symbol(&mut self) -> Result<Symbol, Fault> {
        let is_label = self.cursor.eat_word("label")?;
        let at = self.cursor.at();
        let Kind::Symbol(raw) = self.cursor.kind() else {
            return Err(self.cursor.unexpected("a name like `@main`"));
        };
        let symbol = self.symbols.lookup(raw, at)?;
        self.cursor.advance()?;
        if !is_label {
            return Ok(symbol);
        }
        let Symbol::Func(function) = symbol else {
            return Err(Fault::new(at, "labels are only in functions"));
        };
        // The text of that function may come later, so labels are named by number here.
        let block = match self.cursor.kind() {
            Kind::Word(word) => number_after(word, "bb").map(BlockId::new),
            _ => None,
        };
        let Some(block) = block else { return Err(self.cursor.unexpected("a block number like `bb0`")) };
        self.labels.push((self.cursor.at(), function, block));
        self.cursor.advance()?;
        Ok(Symbol::Label(function, block))
    }

    /// Takes `+8` or `-8` directly after a symbol; absent is 0.
    pub(super) fn addend(&mut self) -> Result<i64, Fault> {
        match self.cursor.kind() {
            Kind::Number(text) if text.starts_with(['+', '-']) => self.cursor.fitting("an offset", signed),
            _ => Ok(0),
        }
    }

    fn number(&mut self, ty: Type, text: &str, at: usize) -> Result<Const, Fault> {
        let width = match ty {
            Type::Int(width) => width,
            Type::Ptr => 64,
            Type::Float(kind) => {
                if let Some(constant) = decimal_float(kind, text) {
                    return Ok(constant);
                }
                kind.bits()
            }
            Type::Void | Type::Agg(_) => return Err(self.cursor.unexpected("`zero` or `undef`")),
        };
        let is_hex = text.starts_with("0x");
        if matches!(ty, Type::Float(_)) && !is_hex {
            return Err(self.cursor.unexpected("the bits of the number in hexadecimal"));
        }
        let out_of_range = || Fault::new(at, format!("`{}` does not fit into {ty}", shorten(text)));
        if width <= 64 {
            let (negative, magnitude) = integer(text).ok_or_else(|| self.cursor.unexpected("a number"))?;
            let limit = if negative { 1u128 << (width - 1) } else { (1u128 << width) - 1 };
            if magnitude > limit {
                return Err(out_of_range());
            }
            let bits = if negative { (magnitude as u64).wrapping_neg() } else { magnitude as u64 };
            return Ok(Const::Bits(if width == 64 { bits } else { bits & ((1 << width) - 1) }));
        }
        let count = width.div_ceil(64) as usize;
        self.spend(at, count as u64 * 8)?;
        let mut words = vec![0u64; count];
        match text.strip_prefix("0x") {
            Some(digits) => {
                for (position, digit) in digits.bytes().rev().enumerate() {
                    let Some(digit) = (digit as char).to_digit(16) else {
                        return Err(self.cursor.unexpected("a number"));
                    };
                    match words.get_mut(position / 16) {
                        Some(word) => *word |= u64::from(digit) << (position % 16 * 4),
                        None if digit == 0 => {}
                        None => return Err(out_of_range()),
                    }
                }
            }
            None => {
                let (negative, magnitude) =
                    integer(text).ok_or_else(|| self.cursor.unexpected("a number"))?;
                words[0] = magnitude as u64;
                words[1] = (magnitude >> 64) as u64;
                if negative {
                    // Two's complement: invert, add one.
                    let mut carry = true;
                    for word in &mut words {
                        let (sum, over) = (!*word).overflowing_add(u64::from(carry));
                        (*word, carry) = (sum, over);
                    }
                    if !width.is_multiple_of(64) {
                        words[count - 1] &= (1 << (width % 64)) - 1;
                    }
                }
            }
        }
        if !width.is_multiple_of(64) && words[count - 1] >> (width % 64) != 0 {
            return Err(out_of_range());
        }
        Ok(Const::Wide(words.into()))
    }
}

/// A decimal number for the two formats that have one here.
fn decimal_float(kind: FloatKind, text: &str) -> Option<Const> {
    if text.trim_start_matches(['+', '-']).starts_with("0x") {
        return None;
    }
    match kind {
        FloatKind::Single => Some(Const::Bits(u64::from(text.parse::<f32>().ok()?.to_bits()))),
        FloatKind::Double => Some(Const::Bits(text.parse::<f64>().ok()?.to_bits())),
        _ => None,
    }
}
