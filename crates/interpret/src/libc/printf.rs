//! `printf` formatting, byte for byte as glibc does it in the C locale.
//!
//! In: a format, and a [`Cursor`] over the arguments, which are either those of the call or those of a
//! `va_list`. Out: the bytes to be written. Everything of C99 is here, `%a`, `%n`, `%m` and positional
//! arguments included; floating-point digits are exact (`decimal`).

use super::decimal::Decimal;
use super::{Arg, tokens};
use crate::machine::{Machine, Stop};
use crate::real::{Real, unpack};
use crate::trap::TrapKind;
use crate::varargs::Varargs;
use watertight_ir::{FloatKind, Type};

/// The arguments that a format consumes.
#[derive(Debug)]
pub(super) enum Cursor<'a> {
    /// Arguments of the call itself, and which one is next.
    Direct { args: &'a [Arg], next: usize },
    /// What is left of a `va_list`.
    List(Varargs),
}

impl<'a> Cursor<'a> {
    /// The arguments of a call from number `first` on.
    pub(super) fn direct(args: &'a [Arg], first: usize) -> Cursor<'a> {
        Cursor::Direct { args: args.get(first..).unwrap_or(&[]), next: 0 }
    }

    /// The arguments of the `va_list` that was passed as `list`.
    pub(super) fn list(machine: &Machine<'_>, list: u64) -> Result<Cursor<'a>, Stop> {
        Ok(Cursor::List(machine.va.rest_of_argument(&machine.memory, list)?))
    }

    /// The next argument as a bit pattern. Missing arguments are zero.
    fn take(&mut self, machine: &Machine<'_>, ty: Type) -> Result<u128, Stop> {
        let width = ty.bits(machine.memory.pointer_bits);
        match self {
            Cursor::Direct { args, next } => {
                let arg = args.get(*next).map_or(0, Arg::wide);
                *next += 1;
                Ok(if width < 128 { arg & (u128::MAX >> (128 - width)) } else { arg })
            }
            Cursor::List(rest) => {
                let start = machine.va.take(&machine.memory, rest, ty);
                Ok(machine.memory.load_int(start, width.div_ceil(8).into())?)
            }
        }
    }

    /// The next argument, an integer of so many bytes.
    fn integer(&mut self, machine: &Machine<'_>, bytes: u64) -> Result<u128, Stop> {
        self.take(machine, Type::Int(8 * bytes as u32))
    }

    pub(super) fn int(&mut self, machine: &Machine<'_>) -> Result<i32, Stop> {
        Ok(self.integer(machine, 4)? as i32)
    }

    pub(super) fn pointer(&mut self, machine: &Machine<'_>) -> Result<u64, Stop> {
        Ok(self.take(machine, Type::Ptr)? as u64)
    }

    fn float(&mut self, machine: &Machine<'_>, kind: FloatKind) -> Result<Real, Stop> {
        let bits = self.take(machine, Type::Float(kind))?;
        let first_half = if kind == FloatKind::PairOfDoubles { bits & u128::from(u64::MAX) } else { bits };
        Ok(unpack(kind, first_half))
    }
}

/// The length modifier of a conversion.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Length {
    Char,
    Short,
    Int,
    Long,
    LongLong,
    /// `size_t` and `ptrdiff_t`.
    Size,
    LongDouble,
}

impl Length {
    /// Reads the modifier at the start of `text` and says how many bytes it takes.
    pub(super) fn read(text: &[u8]) -> (Length, usize) {
        match text {
            [b'h', b'h', ..] => (Length::Char, 2),
            [b'h', ..] => (Length::Short, 1),
            [b'l', b'l', ..] => (Length::LongLong, 2),
            [b'l', ..] => (Length::Long, 1),
            [b'q' | b'j', ..] => (Length::LongLong, 1),
            [b'z' | b't' | b'Z', ..] => (Length::Size, 1),
            [b'L', ..] => (Length::LongDouble, 1),
            _ => (Length::Int, 0),
        }
    }

    /// Bytes of an integer with this modifier.
    pub(super) fn bytes(self, machine: &Machine<'_>) -> u64 {
        match self {
            Length::Char => 1,
            Length::Short => 2,
            Length::Int => 4,
            Length::Long => u64::from(machine.long_bits() / 8),
            Length::LongLong | Length::LongDouble => 8,
            Length::Size => machine.memory.pointer_bytes(),
        }
    }
}

/// The greatest width and precision; more is surely a mistake and would only fill memory.
const MAX_FIELD: usize = 1_000_000;

/// Flags, width and precision of one conversion.
#[derive(Copy, Clone, Debug, Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

impl Machine<'_> {
    /// The format of `long double` on the target.
    pub(super) fn long_double(&self) -> FloatKind {
        let triple = &self.program.target.triple;
        let arch = triple.split('-').next().unwrap_or_default();
        match arch {
            _ if triple.contains("msvc") || triple.contains("apple") && arch.starts_with("a") => {
                FloatKind::Double
            }
            "x86_64" | "amd64" | "i386" | "i486" | "i586" | "i686" => FloatKind::X87,
            "powerpc" | "powerpc64" | "powerpc64le" | "ppc64" | "ppc64le" => FloatKind::PairOfDoubles,
            _ if arch.starts_with("arm")
                || arch.starts_with("thumb")
                || arch == "mips"
                || arch == "mipsel" =>
            {
                FloatKind::Double
            }
            _ => FloatKind::Quad,
        }
    }

    /// Formats and gives the bytes that a stream would receive.
    pub(super) fn format(&mut self, format: u64, cursor: &mut Cursor<'_>) -> Result<Vec<u8>, Stop> {
        let format = self.text(format)?;
        let mut out = Vec::new();
        let mut at = 0;
        while let Some(&byte) = format.get(at) {
            at += 1;
            if byte == b'%' {
                at += self.conversion(&format[at..], cursor, &mut out)?;
            } else {
                out.push(byte);
            }
        }
        self.charge(out.len() as u64);
        Ok(out)
    }

    /// Formats one conversion, given from after its `%`, and says how many bytes of the format it takes.
    fn conversion(&mut self, text: &[u8], cursor: &mut Cursor<'_>, out: &mut Vec<u8>) -> Result<usize, Stop> {
        let mut at = position(text, cursor);
        let mut spec = Spec::default();
        loop {
            match text.get(at) {
                Some(b'-') => spec.left = true,
                Some(b'+') => spec.plus = true,
                Some(b' ') => spec.space = true,
                Some(b'#') => spec.alternate = true,
                Some(b'0') => spec.zero = true,
                // Grouping does nothing in the C locale.
                Some(b'\'' | b'I') => {}
                _ => break,
            }
            at += 1;
        }
        let (width, used) = self.number(&text[at..], cursor)?;
        at += used;
        spec.left |= width < 0;
        spec.width = width.unsigned_abs() as usize;
        if text.get(at) == Some(&b'.') {
            let (precision, used) = self.number(&text[at + 1..], cursor)?;
            at += 1 + used;
            spec.precision = usize::try_from(precision).ok();
        }
        let is_string = matches!(text.get(at), Some(b's'));
        if spec.width > MAX_FIELD || !is_string && spec.precision.is_some_and(|digits| digits > MAX_FIELD) {
            return Err(TrapKind::Unsupported("a field of a format beyond a million bytes".into()).into());
        }
        let (length, used) = Length::read(&text[at..]);
        at += used;
        let Some(&conversion) = text.get(at) else { return Ok(at) };
        match conversion {
            b'd' | b'i' => {
                let bytes = length.bytes(self);
                let raw = cursor.integer(self, bytes.max(4))?;
                let value =
                    crate::arith::signed(8 * bytes as u32, raw & crate::arith::mask(8 * bytes as u32));
                integer(&spec, value < 0, true, &value.unsigned_abs().to_string(), "", out);
            }
            b'u' | b'o' | b'x' | b'X' => {
                let bytes = length.bytes(self);
                let value = cursor.integer(self, bytes.max(4))? & crate::arith::mask(8 * bytes as u32);
                unsigned(&spec, conversion, value, out);
            }
            b'p' => match cursor.pointer(self)? {
                0 => pad(&spec, b"(nil)", out),
                value => {
                    let spec = Spec { alternate: true, ..spec };
                    unsigned(&spec, b'x', value.into(), out);
                }
            },
            b'c' => {
                let byte = cursor.int(self)? as u8;
                pad(&spec, &[byte], out);
            }
            b's' | b'S' => {
                let address = cursor.pointer(self)?;
                let text = self.string_argument(address, spec.precision, length == Length::Long)?;
                pad(&spec, &text, out);
            }
            b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => {
                let kind = if length == Length::LongDouble { self.long_double() } else { FloatKind::Double };
                let real = cursor.float(self, kind)?;
                if kind == FloatKind::PairOfDoubles {
                    self.counters.inexact = true;
                }
                float(&spec, conversion, real, kind, out);
            }
            b'n' => {
                let address = cursor.pointer(self)?;
                let bytes = length.bytes(self);
                self.memory.store_int(address, bytes, out.len() as u128)?;
            }
            b'm' => {
                let text = tokens::error_text(self.errno()?);
                pad(&spec, text.as_bytes(), out);
            }
            b'%' => out.push(b'%'),
            other => {
                let what = format!("conversion %{} in a format", char::from(other));
                return Err(TrapKind::Unsupported(what.into()).into());
            }
        }
        Ok(at + 1)
    }

    /// A width or precision: digits, or `*` for an argument.
    fn number(&self, text: &[u8], cursor: &mut Cursor<'_>) -> Result<(i32, usize), Stop> {
        if text.first() == Some(&b'*') {
            let used = 1 + position(&text[1..], cursor);
            return Ok((cursor.int(self)?, used));
        }
        let used = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let digits = std::str::from_utf8(&text[..used]).unwrap_or_default();
        Ok((digits.parse().unwrap_or(0), used))
    }

    /// The bytes that `%s` shows.
    fn string_argument(&self, address: u64, precision: Option<usize>, wide: bool) -> Result<Vec<u8>, Stop> {
        let limit = precision.unwrap_or(usize::MAX);
        if address == 0 {
            // glibc shows the whole word or nothing.
            return Ok(if limit >= 6 { b"(null)".to_vec() } else { Vec::new() });
        }
        if !wide {
            return Ok(self.memory.string_at_most(address, limit as u64)?.to_vec());
        }
        let mut text = Vec::new();
        while text.len() < limit {
            let code = self.memory.load_int(address + 4 * text.len() as u64, 4)? as u32;
            match u8::try_from(code) {
                Ok(0) => break,
                Ok(byte) if byte.is_ascii() => text.push(byte),
                _ => return Err(TrapKind::Unsupported("a wide character outside ASCII".into()).into()),
            }
        }
        Ok(text)
    }
}

/// Reads `3$` and moves a cursor over direct arguments there; says how many bytes it takes.
fn position(text: &[u8], cursor: &mut Cursor<'_>) -> usize {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || text.get(digits) != Some(&b'$') {
        return 0;
    }
    let number: usize = std::str::from_utf8(&text[..digits]).unwrap_or_default().parse().unwrap_or(1);
    if let Cursor::Direct { next, .. } = cursor {
        *next = number.saturating_sub(1);
    }
    digits + 1
}

/// Writes text padded with spaces.
fn pad(spec: &Spec, text: &[u8], out: &mut Vec<u8>) {
    let padding = spec.width.saturating_sub(text.len());
    let spaces = std::iter::repeat_n(b' ', padding);
    if spec.left {
        out.extend_from_slice(text);
        out.extend(spaces);
    } else {
        out.extend(spaces);
        out.extend_from_slice(text);
    }
}

/// The sign that a number starts with.
fn sign(spec: &Spec, negative: bool) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, _, _) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        _ => "",
    }
}

/// Writes a number with its sign or prefix; zeros go between prefix and digits, spaces outside.
fn number(spec: &Spec, prefix: &str, digits: &str, zeros: bool, out: &mut Vec<u8>) {
    if zeros && !spec.left {
        let padding = spec.width.saturating_sub(prefix.len() + digits.len());
        out.extend_from_slice(prefix.as_bytes());
        out.extend(std::iter::repeat_n(b'0', padding));
        out.extend_from_slice(digits.as_bytes());
    } else {
        pad(spec, format!("{prefix}{digits}").as_bytes(), out);
    }
}

fn integer(spec: &Spec, negative: bool, signed: bool, digits: &str, prefix: &str, out: &mut Vec<u8>) {
    let mut digits = digits.to_owned();
    if let Some(precision) = spec.precision {
        if digits == "0" {
            digits.clear();
        }
        let missing = precision.saturating_sub(digits.len());
        digits.insert_str(0, &"0".repeat(missing));
    }
    let prefix = if signed { sign(spec, negative) } else { prefix };
    number(spec, prefix, &digits, spec.zero && spec.precision.is_none(), out);
}

fn unsigned(spec: &Spec, conversion: u8, value: u128, out: &mut Vec<u8>) {
    let (mut digits, prefix) = match conversion {
        b'x' => (format!("{value:x}"), "0x"),
        b'X' => (format!("{value:X}"), "0X"),
        b'o' => (format!("{value:o}"), ""),
        _ => (value.to_string(), ""),
    };
    let prefix = if spec.alternate && value != 0 { prefix } else { "" };
    let mut spec = *spec;
    if conversion == b'o' && spec.alternate {
        // The alternate octal form starts with a zero: the precision grows if it must.
        if value != 0 && spec.precision.is_none_or(|precision| precision <= digits.len()) {
            digits.insert(0, '0');
        } else if value == 0 && spec.precision == Some(0) {
            spec.precision = Some(1);
        }
    }
    integer(&spec, false, false, &digits, prefix, out);
}

/// Writes a floating-point number.
fn float(spec: &Spec, conversion: u8, real: Real, kind: FloatKind, out: &mut Vec<u8>) {
    let upper = conversion.is_ascii_uppercase();
    let sign = sign(spec, real.negative());
    let (mantissa, exponent) = match real {
        Real::Finite { mantissa, exponent, .. } => (mantissa, exponent),
        special => {
            let word = match (special, upper) {
                (Real::Nan { .. }, false) => "nan",
                (Real::Nan { .. }, true) => "NAN",
                (_, false) => "inf",
                (_, true) => "INF",
            };
            return number(spec, sign, word, false, out);
        }
    };
    let text = match conversion.to_ascii_lowercase() {
        b'a' => {
            let text = hexadecimal(spec, mantissa, exponent, kind);
            let prefix = format!("{sign}{}", if upper { "0X" } else { "0x" });
            let text = if upper { text.to_ascii_uppercase() } else { text };
            return number(spec, &prefix, &text, spec.zero, out);
        }
        b'f' => {
            let (whole, fraction) = Decimal::new(mantissa, exponent).fixed(spec.precision.unwrap_or(6));
            with_point(spec, &whole, &fraction)
        }
        b'e' => {
            let scientific = Decimal::new(mantissa, exponent).scientific(spec.precision.unwrap_or(6));
            let (first, rest) = scientific.parts();
            with_point(spec, &first, &rest) + &exponent_text(scientific.exponent)
        }
        _ => general(spec, &Decimal::new(mantissa, exponent)),
    };
    let text = if upper { text.to_ascii_uppercase() } else { text };
    number(spec, sign, &text, spec.zero, out);
}

fn with_point(spec: &Spec, whole: &str, fraction: &str) -> String {
    let point = if !fraction.is_empty() || spec.alternate { "." } else { "" };
    format!("{whole}{point}{fraction}")
}

fn exponent_text(exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("e{sign}{:02}", exponent.unsigned_abs())
}

/// `%g`: the shorter of the two forms, without trailing zeros.
fn general(spec: &Spec, decimal: &Decimal) -> String {
    let precision = spec.precision.unwrap_or(6).max(1);
    let scientific = decimal.scientific(precision - 1);
    let exponent = scientific.exponent;
    let fixed = exponent >= -4 && i64::from(exponent) < precision as i64;
    let (whole, fraction) = if fixed {
        decimal.fixed((precision as i64 - 1 - i64::from(exponent)) as usize)
    } else {
        scientific.parts()
    };
    let fraction = if spec.alternate { &fraction } else { fraction.trim_end_matches('0') };
    let text = with_point(spec, &whole, fraction);
    if fixed { text } else { text + &exponent_text(exponent) }
}

/// `%a`: the digits after the prefix. The 80-bit format shows its leading four bits before the point,
/// the others their one leading bit.
fn hexadecimal(spec: &Spec, mantissa: u128, exponent: i32, kind: FloatKind) -> String {
    let (lead_bits, fraction_bits, least) = match kind {
        FloatKind::X87 => (4, 60, -16385),
        FloatKind::Quad => (1, 112, -16382),
        _ => (1, 52, -1022),
    };
    if mantissa == 0 {
        let zeros = "0".repeat(spec.precision.unwrap_or(0));
        return with_point(spec, "0", &zeros) + "p+0";
    }
    // Align so that the lead stands above `fraction_bits`; numbers below the normal range keep their
    // exponent and start with zero.
    let top = 127 - mantissa.leading_zeros() as i32;
    let mut power = (exponent + top - (lead_bits - 1)).max(least);
    let shift = fraction_bits - (power - exponent);
    let mut aligned = if shift >= 0 { mantissa << shift } else { mantissa >> -shift };
    let digits = fraction_bits as usize / 4;
    let mut shown = digits;
    if let Some(precision) = spec.precision
        && precision < digits
    {
        let dropped = 4 * (digits - precision) as u32;
        let half = 1u128 << (dropped - 1);
        let lost = aligned & ((1 << dropped) - 1);
        aligned >>= dropped;
        aligned += u128::from(lost > half || lost == half && aligned & 1 == 1);
        shown = precision;
        if aligned >> (4 * shown + lead_bits as usize) != 0 && lead_bits == 4 {
            aligned >>= 4;
            power += 4;
        }
    }
    let lead = aligned >> (4 * shown);
    let rest = aligned & ((1u128 << (4 * shown)) - 1);
    let mut fraction = if shown == 0 { String::new() } else { format!("{rest:0shown$x}") };
    match spec.precision {
        Some(precision) => fraction += &"0".repeat(precision.saturating_sub(fraction.len())),
        None => fraction.truncate(fraction.trim_end_matches('0').len()),
    }
    let sign = if power < 0 { '-' } else { '+' };
    with_point(spec, &format!("{lead:x}"), &fraction) + &format!("p{sign}{}", power.unsigned_abs())
}
