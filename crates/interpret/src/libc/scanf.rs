//! `scanf` over strings and streams.
//!
//! The input is one byte at a time with one byte of look-ahead, as C demands of streams. Numbers are
//! gathered byte by byte while they can still become one, then read by `numbers`.

use super::numbers::{self, is_space};
use super::printf::{Cursor, Length};
use super::stream::StreamId;
use super::{Answer, Native, Outcome, word};
use crate::machine::{Machine, Stop};
use crate::trap::TrapKind;
use watertight_ir::FloatKind;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "sscanf" => |m, a| {
            let text = m.text(word(a, 0))?;
            scan(m, Source::Text { text, at: 0 }, word(a, 1), Cursor::direct(a, 2))
        },
        "vsscanf" => |m, a| {
            let text = m.text(word(a, 0))?;
            let cursor = Cursor::list(m, word(a, 2))?;
            scan(m, Source::Text { text, at: 0 }, word(a, 1), cursor)
        },
        "scanf" => |m, a| scan(m, Source::Stream(StreamId::STDIN), word(a, 0), Cursor::direct(a, 1)),
        "fscanf" => |m, a| {
            let stream = m.stream(word(a, 0))?;
            scan(m, Source::Stream(stream), word(a, 1), Cursor::direct(a, 2))
        },
        _ => return None,
    })
}

/// Where the input comes from.
enum Source {
    Text { text: Vec<u8>, at: usize },
    Stream(StreamId),
}

/// The state of one scan.
struct Scan<'a, 'p> {
    machine: &'a mut Machine<'p>,
    source: Source,
    consumed: usize,
}

impl Scan<'_, '_> {
    fn next(&mut self) -> Option<u8> {
        let byte = match &mut self.source {
            Source::Text { text, at } => {
                let byte = text.get(*at).copied();
                *at += usize::from(byte.is_some());
                byte
            }
            Source::Stream(stream) => self.machine.library.streams.read_byte(*stream),
        };
        self.consumed += usize::from(byte.is_some());
        byte
    }

    fn undo(&mut self, byte: u8) {
        match &mut self.source {
            Source::Text { at, .. } => *at -= 1,
            Source::Stream(stream) => self.machine.library.streams.push_back(*stream, byte),
        }
        self.consumed -= 1;
    }

    fn skip_space(&mut self) {
        while let Some(byte) = self.next() {
            if !is_space(byte) {
                self.undo(byte);
                return;
            }
        }
    }

    /// Whether the input is at its end.
    fn exhausted(&mut self) -> bool {
        match self.next() {
            Some(byte) => {
                self.undo(byte);
                false
            }
            None => true,
        }
    }

    /// The longest run of at most `limit` bytes such that `accepts` holds for every prefix.
    fn gather(&mut self, limit: usize, accepts: impl Fn(&[u8]) -> bool) -> Vec<u8> {
        let mut run = Vec::new();
        while run.len() < limit
            && let Some(byte) = self.next()
        {
            run.push(byte);
            if !accepts(&run) {
                run.pop();
                self.undo(byte);
                break;
            }
        }
        run
    }
}

/// Whether more bytes could make an integer in this base of the text.
fn integer_prefix(text: &[u8], base: u32) -> bool {
    let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    let is_hex = digits.len() >= 2 && digits[0] == b'0' && matches!(digits[1], b'x' | b'X');
    let (digits, base) = match base {
        0 | 16 if is_hex => (&digits[2..], 16),
        0 if digits.first() == Some(&b'0') => (digits, 8),
        0 => (digits, 10),
        given => (digits, given),
    };
    digits.iter().all(|&byte| char::from(byte).is_digit(base))
}

/// Whether more bytes could make a floating-point number of the text.
fn float_prefix(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    let lower = digits.to_ascii_lowercase();
    if b"infinity".starts_with(&lower) || b"nan".starts_with(&lower) {
        return true;
    }
    let (mut seen_point, mut seen_exponent, mut last) = (false, false, 0u8);
    let hex = lower.starts_with(b"0x");
    for &byte in if hex { &lower[2..] } else { &lower[..] } {
        let exponent = if hex { b'p' } else { b'e' };
        match byte {
            b'0'..=b'9' => {}
            b'a'..=b'f' if hex && !seen_exponent => {}
            b'.' if !seen_point && !seen_exponent => seen_point = true,
            _ if byte == exponent && !seen_exponent && last != 0 => seen_exponent = true,
            b'+' | b'-' if last == exponent && seen_exponent => {}
            _ => return false,
        }
        last = byte;
    }
    true
}

fn scan(machine: &mut Machine<'_>, source: Source, format: u64, mut cursor: Cursor<'_>) -> Outcome {
    let format = machine.text(format)?;
    let mut scan = Scan { machine, source, consumed: 0 };
    let mut assigned = 0;
    let mut at = 0;
    while let Some(&byte) = format.get(at) {
        at += 1;
        if is_space(byte) {
            scan.skip_space();
            continue;
        }
        if byte != b'%' {
            match scan.next() {
                Some(other) if other == byte => continue,
                Some(other) => {
                    scan.undo(other);
                    return Answer::int(assigned);
                }
                None => return Answer::int(if assigned == 0 { -1 } else { assigned }),
            }
        }
        let suppressed = format.get(at) == Some(&b'*');
        at += usize::from(suppressed);
        let digits = format[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let width = std::str::from_utf8(&format[at..at + digits]).unwrap_or_default().parse().ok();
        at += digits;
        let (length, used) = Length::read(&format[at..]);
        at += used;
        let Some(&conversion) = format.get(at) else { break };
        at += 1;
        let set_length = if conversion == b'[' { set_end(&format[at..]) } else { 0 };
        let set = &format[at..at + set_length];
        at += set_length + usize::from(conversion == b'[');
        if !matches!(conversion, b'c' | b'[' | b'n') {
            scan.skip_space();
        }
        if !matches!(conversion, b'n' | b'%') && scan.exhausted() {
            return Answer::int(if assigned == 0 { -1 } else { assigned });
        }
        let target = |cursor: &mut Cursor<'_>, scan: &Scan<'_, '_>| -> Result<Option<u64>, Stop> {
            if suppressed { Ok(None) } else { cursor.pointer(scan.machine).map(Some) }
        };
        let matched = match conversion {
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'p' => {
                let base = match conversion {
                    b'i' => 0,
                    b'x' | b'X' | b'p' => 16,
                    b'o' => 8,
                    _ => 10,
                };
                let run = scan.gather(width.unwrap_or(usize::MAX), |text| integer_prefix(text, base));
                let read = numbers::read_integer(&run, base);
                if read.used == 0 {
                    return Answer::int(assigned);
                }
                let length = if conversion == b'p' { Length::Size } else { length };
                if let Some(address) = target(&mut cursor, &scan)? {
                    let value = if read.negative { read.magnitude.wrapping_neg() } else { read.magnitude };
                    let bytes = length.bytes(scan.machine);
                    scan.machine.memory.store_int(address, bytes, value)?;
                }
                true
            }
            b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => {
                let run = scan.gather(width.unwrap_or(usize::MAX), float_prefix);
                let Some((read, _)) = numbers::read_float(&run) else { return Answer::int(assigned) };
                if let Some(address) = target(&mut cursor, &scan)? {
                    let kind = match length {
                        Length::Long => FloatKind::Double,
                        Length::LongDouble => scan.machine.long_double(),
                        _ => FloatKind::Single,
                    };
                    let bits = scan.machine.float_bits(&read, kind);
                    scan.machine.memory.store_int(address, u64::from(kind.bits() / 8), bits)?;
                }
                true
            }
            b's' | b'[' | b'c' => {
                let limit = width.unwrap_or(if conversion == b'c' { 1 } else { usize::MAX });
                let run = scan.gather(limit, |text| match (conversion, text.last()) {
                    (b's', Some(&byte)) => !is_space(byte),
                    (b'[', Some(&byte)) => in_set(set, byte),
                    _ => true,
                });
                if run.is_empty() || conversion == b'c' && run.len() < limit {
                    return Answer::int(assigned);
                }
                if let Some(address) = target(&mut cursor, &scan)? {
                    if conversion == b'c' {
                        scan.machine.memory.write(address, run.len() as u64)?.copy_from_slice(&run);
                    } else {
                        scan.machine.memory.write_string(address, &run)?;
                    }
                }
                true
            }
            b'n' => {
                if let Some(address) = target(&mut cursor, &scan)? {
                    let bytes = length.bytes(scan.machine);
                    let consumed = scan.consumed as u128;
                    scan.machine.memory.store_int(address, bytes, consumed)?;
                }
                false
            }
            b'%' => match scan.next() {
                Some(b'%') => false,
                _ => return Answer::int(assigned),
            },
            other => {
                let what = format!("conversion %{} in a scan format", char::from(other));
                return Err(TrapKind::Unsupported(what.into()).into());
            }
        };
        assigned += i64::from(matched && !suppressed);
    }
    Answer::int(assigned)
}

/// The length of a set of bytes up to its closing bracket; a bracket that comes first belongs to it.
fn set_end(text: &[u8]) -> usize {
    let inverted = usize::from(text.first() == Some(&b'^'));
    let first = inverted + usize::from(text.get(inverted) == Some(&b']'));
    first + text[first.min(text.len())..].iter().take_while(|&&byte| byte != b']').count()
}

/// Whether a byte is in a set such as `^a-z]`.
fn in_set(set: &[u8], byte: u8) -> bool {
    let (inverted, members) = match set.strip_prefix(b"^") {
        Some(rest) => (true, rest),
        None => (false, set),
    };
    let mut at = 0;
    let mut found = false;
    while at < members.len() {
        if at + 2 < members.len() && members[at + 1] == b'-' {
            found |= (members[at]..=members[at + 2]).contains(&byte);
            at += 3;
        } else {
            found |= members[at] == byte;
            at += 1;
        }
    }
    found != inverted
}
