//! Reading numbers from text: `strtol`, `atoi`, `strtod` and their relatives.

use super::{Answer, Arg, Errno, Native, Outcome, arg, word};
use crate::machine::{Machine, Stop};
use crate::real::{Real, pack};
use watertight_ir::FloatKind;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "strtol" | "__strtol_internal" => strtol,
        "strtoul" | "__strtoul_internal" => strtoul,
        "strtoll" | "strtoimax" | "strtoq" => strtoll,
        "strtoull" | "strtoumax" | "strtouq" => strtoull,
        "atoi" => atoi,
        "atol" => atol,
        "atoll" | "atoq" => atoll,
        "strtod" => strtod,
        "strtof" => strtof,
        "strtold" => strtold,
        "atof" => atof,
        _ => return None,
    })
}

/// White space in the C locale.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | 0x09..=0x0d)
}

/// An integer read from the start of a text.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct ReadInteger {
    pub(super) negative: bool,
    /// Saturated at the greatest number.
    pub(super) magnitude: u128,
    /// Bytes used; zero when there is no number.
    pub(super) used: usize,
}

/// Reads an integer as `strtol` does; base 0 means by prefix.
pub(super) fn read_integer(text: &[u8], base: u32) -> ReadInteger {
    let none = ReadInteger { negative: false, magnitude: 0, used: 0 };
    let mut at = text.iter().take_while(|&&byte| is_space(byte)).count();
    let negative = match text.get(at) {
        Some(b'-') => {
            at += 1;
            true
        }
        Some(b'+') => {
            at += 1;
            false
        }
        _ => false,
    };
    let hex_digit = |index: usize| text.get(index).is_some_and(u8::is_ascii_hexdigit);
    let has_hex_prefix =
        text.get(at) == Some(&b'0') && matches!(text.get(at + 1), Some(b'x' | b'X')) && hex_digit(at + 2);
    let base = match base {
        0 if has_hex_prefix => 16,
        0 if text.get(at) == Some(&b'0') => 8,
        0 => 10,
        given => given,
    };
    if base == 16 && has_hex_prefix {
        at += 2;
    }
    let first = at;
    let mut magnitude = 0u128;
    while let Some(digit) = text.get(at).and_then(|&byte| char::from(byte).to_digit(36)).filter(|&d| d < base)
    {
        magnitude = magnitude.saturating_mul(base.into()).saturating_add(digit.into());
        at += 1;
    }
    if at == first { none } else { ReadInteger { negative, magnitude, used: at } }
}

/// Reads a number for `strtol` and writes where it ended.
fn parse(machine: &mut Machine<'_>, args: &[Arg]) -> Result<Option<ReadInteger>, Stop> {
    let base = arg(args, 2).int();
    let end = word(args, 1);
    if base < 0 || base == 1 || base > 36 {
        machine.set_errno(Errno::Invalid)?;
        return Ok(None);
    }
    let read = read_integer(machine.memory.string(word(args, 0))?, base as u32);
    if end != 0 {
        machine.memory.store_pointer(end, word(args, 0) + read.used as u64)?;
    }
    Ok(Some(read))
}

fn signed_number(machine: &mut Machine<'_>, args: &[Arg], bits: u32) -> Outcome {
    let Some(read) = parse(machine, args)? else { return Answer::int(0) };
    let limit = (1u128 << (bits - 1)) - u128::from(!read.negative);
    let magnitude = if read.magnitude > limit {
        machine.set_errno(Errno::Range)?;
        limit
    } else {
        read.magnitude
    };
    let value = magnitude as i128;
    Answer::int(if read.negative { -value } else { value } as i64)
}

fn unsigned_number(machine: &mut Machine<'_>, args: &[Arg], bits: u32) -> Outcome {
    let Some(read) = parse(machine, args)? else { return Answer::int(0) };
    let limit = u128::MAX >> (128 - bits);
    if read.magnitude > limit {
        machine.set_errno(Errno::Range)?;
        return Answer::word(limit as u64);
    }
    let value = read.magnitude as u64;
    Answer::word(if read.negative { value.wrapping_neg() } else { value })
}

impl Machine<'_> {
    /// Bits of a C `long`.
    pub(super) fn long_bits(&self) -> u32 {
        if self.program.target.triple.contains("windows") { 32 } else { self.memory.pointer_bits }
    }
}

fn strtol(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let bits = machine.long_bits();
    signed_number(machine, args, bits)
}

fn strtoul(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let bits = machine.long_bits();
    unsigned_number(machine, args, bits)
}

fn strtoll(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    signed_number(machine, args, 64)
}

fn strtoull(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    unsigned_number(machine, args, 64)
}

/// `atoi` and `atol` are `strtol` in base ten, cut to the result.
fn decimal(machine: &mut Machine<'_>, args: &[Arg], bits: u32) -> Outcome {
    let zero = Arg { ty: watertight_ir::Type::Int(64), low: 0, high: 0 };
    let ten = Arg { low: 10, ..zero };
    signed_number(machine, &[arg(args, 0), zero, ten], bits)
}

fn atoi(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let bits = machine.long_bits();
    decimal(machine, args, bits)
}

fn atol(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let bits = machine.long_bits();
    decimal(machine, args, bits)
}

fn atoll(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    decimal(machine, args, 64)
}

/// A floating-point number read from the start of a text.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum ReadFloat {
    /// Decimal digits as Rust can parse them, with its sign.
    Decimal(String),
    /// Anything else, exactly.
    Exact(Real),
}

/// The longest prefix that is a floating-point number, and how long it is.
pub(super) fn read_float(text: &[u8]) -> Option<(ReadFloat, usize)> {
    let mut at = text.iter().take_while(|&&byte| is_space(byte)).count();
    let start = at;
    let negative = text.get(at) == Some(&b'-');
    if matches!(text.get(at), Some(b'-' | b'+')) {
        at += 1;
    }
    let rest = &text[at..];
    let starts =
        |word: &str| rest.len() >= word.len() && rest[..word.len()].eq_ignore_ascii_case(word.as_bytes());
    if starts("infinity") {
        return Some((ReadFloat::Exact(Real::Infinity { negative }), at + 8));
    }
    if starts("inf") {
        return Some((ReadFloat::Exact(Real::Infinity { negative }), at + 3));
    }
    if starts("nan") {
        return Some((ReadFloat::Exact(Real::Nan { negative, fraction: 1 << 127 }), at + 3));
    }
    if starts("0x")
        && let Some((real, used)) = read_hex(&rest[2..], negative)
    {
        return Some((ReadFloat::Exact(real), at + 2 + used));
    }
    let digits = |from: usize| text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(at);
    at += whole;
    let mut fraction = 0;
    if text.get(at) == Some(&b'.') {
        fraction = digits(at + 1);
        if whole + fraction > 0 {
            at += 1 + fraction;
        }
    }
    if whole + fraction == 0 {
        return None;
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(at + 1), Some(b'-' | b'+')));
        let exponent = digits(at + 1 + sign);
        if exponent > 0 {
            at += 1 + sign + exponent;
        }
    }
    Some((ReadFloat::Decimal(String::from_utf8_lossy(&text[start..at]).into_owned()), at))
}

/// A hexadecimal number after its prefix: digits with an optional point and binary exponent.
fn read_hex(text: &[u8], negative: bool) -> Option<(Real, usize)> {
    let (mut mantissa, mut exponent, mut at, mut any) = (0u128, 0i32, 0, false);
    let mut point = false;
    while let Some(&byte) = text.get(at) {
        match char::from(byte).to_digit(16) {
            Some(digit) => {
                any = true;
                if mantissa >> 120 == 0 {
                    mantissa = mantissa << 4 | u128::from(digit);
                    exponent -= if point { 4 } else { 0 };
                } else {
                    // Digits beyond the precision of every format only matter as "not zero".
                    mantissa |= u128::from(digit != 0);
                    exponent += if point { 0 } else { 4 };
                }
            }
            None if byte == b'.' && !point => point = true,
            None => break,
        }
        at += 1;
    }
    if !any {
        return None;
    }
    if matches!(text.get(at), Some(b'p' | b'P')) {
        let sign = usize::from(matches!(text.get(at + 1), Some(b'-' | b'+')));
        let digits = text[at + 1 + sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 {
            let read = read_integer(&text[at + 1..at + 1 + sign + digits], 10);
            let power = read.magnitude.min(100_000) as i32;
            exponent += if read.negative { -power } else { power };
            at += 1 + sign + digits;
        }
    }
    Some((Real::Finite { negative, mantissa, exponent }, at))
}

impl Machine<'_> {
    /// The bits of a number that was read, in the format `kind`.
    pub(super) fn float_bits(&mut self, read: &ReadFloat, kind: FloatKind) -> u128 {
        match (read, kind) {
            (ReadFloat::Exact(real), _) => pack(kind, *real),
            (ReadFloat::Decimal(text), FloatKind::Single) => {
                text.parse::<f32>().unwrap_or(0.0).to_bits().into()
            }
            (ReadFloat::Decimal(text), FloatKind::Double) => {
                text.parse::<f64>().unwrap_or(0.0).to_bits().into()
            }
            (ReadFloat::Decimal(text), _) => {
                let value = text.parse::<f64>().unwrap_or(0.0);
                // Small whole numbers are the same in every format.
                if value.fract() != 0.0 || value.abs() > 9e15 {
                    self.counters.inexact = true;
                }
                pack(kind, Real::from_f64(value))
            }
        }
    }
}

fn float(machine: &mut Machine<'_>, args: &[Arg], kind: FloatKind) -> Result<u128, Stop> {
    let read = read_float(machine.memory.string(word(args, 0))?);
    let (bits, used) = match read {
        Some((read, used)) => {
            let bits = machine.float_bits(&read, kind);
            let value = crate::real::unpack(kind, bits).to_f64();
            let nonzero = match &read {
                ReadFloat::Decimal(text) => text
                    .split(['e', 'E'])
                    .next()
                    .is_some_and(|digits| digits.bytes().any(|byte| (b'1'..=b'9').contains(&byte))),
                ReadFloat::Exact(_) => false,
            };
            if nonzero && (value.is_infinite() || value == 0.0) {
                machine.set_errno(Errno::Range)?;
            }
            (bits, used)
        }
        None => (0, 0),
    };
    if word(args, 1) != 0 {
        machine.memory.store_pointer(word(args, 1), word(args, 0) + used as u64)?;
    }
    Ok(bits)
}

fn strtod(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    Answer::wide(float(machine, args, FloatKind::Double)?)
}

fn strtof(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    Answer::wide(float(machine, args, FloatKind::Single)?)
}

fn strtold(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let kind = machine.long_double();
    Answer::wide(float(machine, args, kind)?)
}

fn atof(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    Answer::wide(float(machine, &[arg(args, 0)], FloatKind::Double)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_stop_at_the_first_foreign_byte() {
        let read = |text: &str, base| {
            let read = read_integer(text.as_bytes(), base);
            (if read.negative { -(read.magnitude as i128) } else { read.magnitude as i128 }, read.used)
        };
        assert_eq!(read("  -42abc", 10), (-42, 5));
        assert_eq!(read("0x1fg", 0), (31, 4));
        assert_eq!(read("0xg", 16), (0, 1));
        assert_eq!(read("0755", 0), (0o755, 4));
        assert_eq!(read("zz", 36), (35 * 36 + 35, 2));
        assert_eq!(read("+", 10), (0, 0));
    }

    #[test]
    fn floats_take_the_longest_prefix() {
        let used = |text: &str| read_float(text.as_bytes()).map(|(_, used)| used);
        assert_eq!(used("1.5e3x"), Some(5));
        assert_eq!(used("1.5e+"), Some(3));
        assert_eq!(used(".5"), Some(2));
        assert_eq!(used("."), None);
        assert_eq!(used("  -inf"), Some(6));
        assert_eq!(used("0x1.8p1"), Some(7));
        assert_eq!(used("0xz"), Some(1));
    }

    #[test]
    fn hexadecimal_floats_are_exact() {
        let Some((ReadFloat::Exact(real), _)) = read_float(b"-0x1.8p1") else { panic!("a number is there") };
        assert_eq!(real.to_f64(), -3.0);
    }
}
