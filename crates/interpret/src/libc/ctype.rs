//! Classes of characters in the C locale, as functions and as the tables that glibc's macros read.

use super::{Answer, Arg, Native, Outcome, arg};
use crate::machine::{Machine, Stop};
use watertight_ir::Endian;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "isalpha" => |_, a| class(a, |byte| byte.is_ascii_alphabetic()),
        "isdigit" => |_, a| class(a, |byte| byte.is_ascii_digit()),
        "isalnum" => |_, a| class(a, |byte| byte.is_ascii_alphanumeric()),
        "isspace" => |_, a| class(a, super::numbers::is_space),
        "isblank" => |_, a| class(a, |byte| matches!(byte, b' ' | b'\t')),
        "isupper" => |_, a| class(a, |byte| byte.is_ascii_uppercase()),
        "islower" => |_, a| class(a, |byte| byte.is_ascii_lowercase()),
        "isxdigit" => |_, a| class(a, |byte| byte.is_ascii_hexdigit()),
        "ispunct" => |_, a| class(a, |byte| byte.is_ascii_punctuation()),
        "isprint" => |_, a| class(a, |byte| matches!(byte, 0x20..=0x7e)),
        "isgraph" => |_, a| class(a, |byte| byte.is_ascii_graphic()),
        "iscntrl" => |_, a| class(a, |byte| byte.is_ascii_control()),
        "isascii" => |_, a| class(a, |byte| byte.is_ascii()),
        "toascii" => |_, a| Answer::int(i64::from(arg(a, 0).int() & 0x7f)),
        "toupper" => |_, a| Answer::int(map(arg(a, 0).int(), u8::to_ascii_uppercase)),
        "tolower" => |_, a| Answer::int(map(arg(a, 0).int(), u8::to_ascii_lowercase)),
        "__ctype_b_loc" => |m, _| class_table(m),
        "__ctype_toupper_loc" => |m, _| case_table(m, "toupper", u8::to_ascii_uppercase),
        "__ctype_tolower_loc" => |m, _| case_table(m, "tolower", u8::to_ascii_lowercase),
        _ => return None,
    })
}

fn class(args: &[Arg], holds: fn(u8) -> bool) -> Outcome {
    Answer::truth(u8::try_from(arg(args, 0).int()).is_ok_and(holds))
}

fn map(character: i32, change: fn(&u8) -> u8) -> i64 {
    u8::try_from(character).map_or(i64::from(character), |byte| change(&byte).into())
}

/// The tables have an entry for every `char`, signed or not, and for the end of file.
const FIRST: i32 = -128;
const ENTRIES: i32 = 384;

/// A table in memory, and the address of a pointer to its entry for zero.
fn table_pointer(
    machine: &mut Machine<'_>,
    name: &'static str,
    pointer_name: &'static str,
    entry_bytes: usize,
    entry: impl Fn(i32) -> u32,
) -> Result<u64, Stop> {
    let big = machine.memory.endian == Endian::Big;
    let table = machine.table(name, || {
        let mut bytes = Vec::new();
        for character in FIRST..FIRST + ENTRIES {
            let value = entry(character);
            if big {
                bytes.extend_from_slice(&value.to_be_bytes()[4 - entry_bytes..]);
            } else {
                bytes.extend_from_slice(&value.to_le_bytes()[..entry_bytes]);
            }
        }
        bytes
    })?;
    let zero = table + FIRST.unsigned_abs() as u64 * entry_bytes as u64;
    let pointer_bytes = machine.memory.pointer_bytes() as usize;
    let pointer = machine.table(pointer_name, || vec![0; pointer_bytes])?;
    machine.memory.store_pointer(pointer, zero)?;
    Ok(pointer)
}

fn class_table(machine: &mut Machine<'_>) -> Outcome {
    // glibc numbers the classes so that the first eight stand in the first byte on every machine.
    let big = machine.memory.endian == Endian::Big;
    let bit = move |number: u32| match (big, number) {
        (true, _) => 1 << number,
        (false, 0..=7) => 1 << (number + 8),
        (false, _) => 1 << (number - 8),
    };
    let pointer = table_pointer(machine, "ctype_b", "ctype_b_pointer", 2, |character| {
        let Ok(byte) = u8::try_from(character) else { return 0 };
        let classes = [
            byte.is_ascii_uppercase(),
            byte.is_ascii_lowercase(),
            byte.is_ascii_alphabetic(),
            byte.is_ascii_digit(),
            byte.is_ascii_hexdigit(),
            super::numbers::is_space(byte),
            matches!(byte, 0x20..=0x7e),
            byte.is_ascii_graphic(),
            matches!(byte, b' ' | b'\t'),
            byte.is_ascii_control(),
            byte.is_ascii_punctuation(),
            byte.is_ascii_alphanumeric(),
        ];
        (0..).zip(classes).filter(|(_, member)| *member).map(|(number, _)| bit(number)).sum()
    })?;
    Answer::word(pointer)
}

fn case_table(machine: &mut Machine<'_>, name: &'static str, change: fn(&u8) -> u8) -> Outcome {
    let pointer_name = if name == "toupper" { "toupper_pointer" } else { "tolower_pointer" };
    let pointer =
        table_pointer(machine, name, pointer_name, 4, |character| map(character, change) as i32 as u32)?;
    Answer::word(pointer)
}
