//! Functions on zero-terminated strings.

use super::{Answer, Arg, Native, Outcome, word};
use crate::machine::{Machine, Stop};

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "strlen" => strlen,
        "strnlen" => strnlen,
        "strcpy" | "__strcpy_chk" => strcpy,
        "stpcpy" | "__stpcpy" | "__stpcpy_chk" => stpcpy,
        "strncpy" | "__strncpy_chk" => strncpy,
        "stpncpy" | "__stpncpy_chk" => stpncpy,
        "strlcpy" => strlcpy,
        "strlcat" => strlcat,
        "strcat" | "__strcat_chk" => strcat,
        "strncat" | "__strncat_chk" => strncat,
        "strcmp" | "strcoll" => strcmp,
        "strncmp" => strncmp,
        "strcasecmp" | "__strcasecmp" => strcasecmp,
        "strncasecmp" => strncasecmp,
        "strchr" | "index" => strchr,
        "strchrnul" | "__strchrnul" => strchrnul,
        "strrchr" | "rindex" => strrchr,
        "strstr" => strstr,
        "strcasestr" => strcasestr,
        "strspn" => strspn,
        "strcspn" => strcspn,
        "strpbrk" => strpbrk,
        "strdup" | "__strdup" => strdup,
        "strndup" | "__strndup" => strndup,
        _ => return None,
    })
}

/// Where `needle` first occurs.
pub(super) fn position_of(text: &[u8], needle: &[u8]) -> Option<usize> {
    if needle.is_empty() {
        return Some(0);
    }
    text.windows(needle.len()).position(|window| window == needle)
}

fn strlen(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let length = machine.memory.string(word(args, 0))?.len() as u64;
    machine.charge(length);
    Answer::word(length)
}

fn strnlen(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    Answer::word(machine.memory.string_at_most(word(args, 0), word(args, 1))?.len() as u64)
}

/// Copies a string with its zero and gives its length.
fn copy(machine: &mut Machine<'_>, to: u64, from: u64) -> Result<u64, Stop> {
    let length = machine.memory.string(from)?.len() as u64;
    machine.memory.copy(to, from, length + 1)?;
    machine.charge(length);
    Ok(length)
}

fn strcpy(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    copy(machine, word(args, 0), word(args, 1))?;
    Answer::word(word(args, 0))
}

fn stpcpy(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let length = copy(machine, word(args, 0), word(args, 1))?;
    Answer::word(word(args, 0) + length)
}

/// Copies at most `limit` bytes, fills the rest with zeros, and gives the length.
fn copy_padded(machine: &mut Machine<'_>, to: u64, from: u64, limit: u64) -> Result<u64, Stop> {
    let text = machine.memory.string_at_most(from, limit)?.to_vec();
    let target = machine.memory.write(to, limit)?;
    target[..text.len()].copy_from_slice(&text);
    target[text.len()..].fill(0);
    machine.charge(limit);
    Ok(text.len() as u64)
}

fn strncpy(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    copy_padded(machine, word(args, 0), word(args, 1), word(args, 2))?;
    Answer::word(word(args, 0))
}

fn stpncpy(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let length = copy_padded(machine, word(args, 0), word(args, 1), word(args, 2))?;
    Answer::word(word(args, 0) + length)
}

fn strlcpy(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let text = machine.text(word(args, 1))?;
    let room = word(args, 2);
    if room > 0 {
        let kept = text.len().min((room - 1) as usize);
        machine.memory.write_string(word(args, 0), &text[..kept])?;
    }
    Answer::word(text.len() as u64)
}

fn strlcat(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let text = machine.text(word(args, 1))?;
    let room = word(args, 2);
    let used = machine.memory.string_at_most(word(args, 0), room)?.len() as u64;
    if used < room {
        let kept = text.len().min((room - used - 1) as usize);
        machine.memory.write_string(word(args, 0) + used, &text[..kept])?;
    }
    Answer::word(used + text.len() as u64)
}

fn strcat(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let used = machine.memory.string(word(args, 0))?.len() as u64;
    copy(machine, word(args, 0) + used, word(args, 1))?;
    Answer::word(word(args, 0))
}

fn strncat(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let used = machine.memory.string(word(args, 0))?.len() as u64;
    let text = machine.memory.string_at_most(word(args, 1), word(args, 2))?.to_vec();
    machine.memory.write_string(word(args, 0) + used, &text)?;
    Answer::word(word(args, 0))
}

/// The difference of the first bytes that differ, as glibc gives it; only the sign is specified.
fn compare(left: &[u8], right: &[u8], fold: fn(u8) -> u8) -> Outcome {
    let length = left.len().max(right.len());
    let byte = |text: &[u8], index: usize| text.get(index).copied().map_or(0, fold);
    let differing = (0..length).map(|index| (byte(left, index), byte(right, index))).find(|(a, b)| a != b);
    Answer::int(differing.map_or(0, |(a, b)| i64::from(a) - i64::from(b)))
}

fn same(byte: u8) -> u8 {
    byte
}

fn lower(byte: u8) -> u8 {
    byte.to_ascii_lowercase()
}

fn strcmp(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let (left, right) = (machine.memory.string(word(args, 0))?, machine.memory.string(word(args, 1))?);
    let answer = compare(left, right, same);
    let length = left.len() as u64;
    machine.charge(length);
    answer
}

fn strncmp(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let limit = word(args, 2);
    let left = machine.memory.string_at_most(word(args, 0), limit)?;
    let right = machine.memory.string_at_most(word(args, 1), limit)?;
    compare(left, right, same)
}

fn strcasecmp(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    compare(machine.memory.string(word(args, 0))?, machine.memory.string(word(args, 1))?, lower)
}

fn strncasecmp(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let limit = word(args, 2);
    let left = machine.memory.string_at_most(word(args, 0), limit)?;
    let right = machine.memory.string_at_most(word(args, 1), limit)?;
    compare(left, right, lower)
}

fn strchr(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let (start, byte) = (word(args, 0), word(args, 1) as u8);
    let text = machine.memory.string(start)?;
    let index = if byte == 0 { Some(text.len()) } else { text.iter().position(|&other| other == byte) };
    Answer::word(index.map_or(0, |index| start + index as u64))
}

fn strchrnul(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let (start, byte) = (word(args, 0), word(args, 1) as u8);
    let text = machine.memory.string(start)?;
    let index = text.iter().position(|&other| other == byte).unwrap_or(text.len());
    Answer::word(start + index as u64)
}

fn strrchr(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let (start, byte) = (word(args, 0), word(args, 1) as u8);
    let text = machine.memory.string(start)?;
    let index = if byte == 0 { Some(text.len()) } else { text.iter().rposition(|&other| other == byte) };
    Answer::word(index.map_or(0, |index| start + index as u64))
}

fn strstr(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let start = word(args, 0);
    let (text, needle) = (machine.memory.string(start)?, machine.memory.string(word(args, 1))?);
    Answer::word(position_of(text, needle).map_or(0, |index| start + index as u64))
}

fn strcasestr(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let start = word(args, 0);
    let text = machine.memory.string(start)?.to_ascii_lowercase();
    let needle = machine.memory.string(word(args, 1))?.to_ascii_lowercase();
    Answer::word(position_of(&text, &needle).map_or(0, |index| start + index as u64))
}

fn strspn(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let (text, set) = (machine.memory.string(word(args, 0))?, machine.memory.string(word(args, 1))?);
    Answer::word(text.iter().take_while(|byte| set.contains(byte)).count() as u64)
}

fn strcspn(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let (text, set) = (machine.memory.string(word(args, 0))?, machine.memory.string(word(args, 1))?);
    Answer::word(text.iter().take_while(|byte| !set.contains(byte)).count() as u64)
}

fn strpbrk(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let start = word(args, 0);
    let (text, set) = (machine.memory.string(start)?, machine.memory.string(word(args, 1))?);
    let index = text.iter().position(|byte| set.contains(byte));
    Answer::word(index.map_or(0, |index| start + index as u64))
}

fn strdup(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let text = machine.text(word(args, 0))?;
    Answer::word(machine.acquire_string(&text)?)
}

fn strndup(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let text = machine.memory.string_at_most(word(args, 0), word(args, 1))?.to_vec();
    Answer::word(machine.acquire_string(&text)?)
}
