//! `strtok` and its relatives, and the texts of error numbers.

use super::{Answer, Arg, Native, Outcome, arg, word};
use crate::machine::{Machine, Stop};

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "strtok" => strtok,
        "strtok_r" | "__strtok_r" => strtok_r,
        "strsep" | "__strsep" => strsep,
        "strerror" => strerror,
        "strerror_r" => strerror_r,
        "__xpg_strerror_r" => xpg_strerror_r,
        _ => return None,
    })
}

/// The next token from `start` on, and where to go on; the byte after the token becomes zero.
fn next_token(machine: &mut Machine<'_>, start: u64, separators: u64) -> Result<(u64, u64), Stop> {
    let set = machine.text(separators)?;
    let text = machine.memory.string(start)?;
    let skipped = text.iter().take_while(|byte| set.contains(byte)).count();
    let length = text[skipped..].iter().take_while(|byte| !set.contains(byte)).count();
    let end = start + (skipped + length) as u64;
    if length == 0 {
        return Ok((0, end));
    }
    let at_end = skipped + length == text.len();
    if !at_end {
        machine.memory.write(end, 1)?[0] = 0;
    }
    Ok((start + skipped as u64, if at_end { end } else { end + 1 }))
}

fn strtok(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let start = if word(args, 0) != 0 { word(args, 0) } else { machine.library.token };
    if start == 0 {
        return Answer::word(0);
    }
    let (token, rest) = next_token(machine, start, word(args, 1))?;
    machine.library.token = rest;
    Answer::word(token)
}

fn strtok_r(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let saved = word(args, 2);
    let start = if word(args, 0) != 0 { word(args, 0) } else { machine.memory.load_pointer(saved)? };
    if start == 0 {
        return Answer::word(0);
    }
    let (token, rest) = next_token(machine, start, word(args, 1))?;
    machine.memory.store_pointer(saved, rest)?;
    Answer::word(token)
}

fn strsep(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let start = machine.memory.load_pointer(word(args, 0))?;
    if start == 0 {
        return Answer::word(0);
    }
    let set = machine.text(word(args, 1))?;
    let text = machine.memory.string(start)?;
    let next = match text.iter().position(|byte| set.contains(byte)) {
        Some(length) => {
            machine.memory.write(start + length as u64, 1)?[0] = 0;
            start + length as u64 + 1
        }
        None => 0,
    };
    machine.memory.store_pointer(word(args, 0), next)?;
    Answer::word(start)
}

/// What glibc says for an error number.
pub(super) fn error_text(code: i32) -> String {
    known_text(code).map_or_else(|| format!("Unknown error {code}"), str::to_owned)
}

fn known_text(code: i32) -> Option<&'static str> {
    Some(match code {
        0 => "Success",
        1 => "Operation not permitted",
        2 => "No such file or directory",
        3 => "No such process",
        4 => "Interrupted system call",
        5 => "Input/output error",
        7 => "Argument list too long",
        9 => "Bad file descriptor",
        10 => "No child processes",
        11 => "Resource temporarily unavailable",
        12 => "Cannot allocate memory",
        13 => "Permission denied",
        14 => "Bad address",
        16 => "Device or resource busy",
        17 => "File exists",
        20 => "Not a directory",
        21 => "Is a directory",
        22 => "Invalid argument",
        24 => "Too many open files",
        25 => "Inappropriate ioctl for device",
        27 => "File too large",
        28 => "No space left on device",
        29 => "Illegal seek",
        30 => "Read-only file system",
        32 => "Broken pipe",
        33 => "Numerical argument out of domain",
        34 => "Numerical result out of range",
        36 => "File name too long",
        38 => "Function not implemented",
        _ => return None,
    })
}

/// Known texts are constants of the library; unknown numbers share one buffer.
fn strerror(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let code = arg(args, 0).int();
    if let Some(text) = known_text(code) {
        let address = machine.table(text, || [text.as_bytes(), b"\0"].concat())?;
        return Answer::word(address);
    }
    let buffer = machine.table("strerror", || vec![0; 64])?;
    machine.memory.write_string(buffer, error_text(code).as_bytes())?;
    Answer::word(buffer)
}

/// Writes as much of the text as fits.
fn fill_buffer(machine: &mut Machine<'_>, args: &[Arg]) -> Result<(), Stop> {
    let text = error_text(arg(args, 0).int());
    let room = word(args, 2) as usize;
    if room > 0 {
        machine.memory.write_string(word(args, 1), &text.as_bytes()[..text.len().min(room - 1)])?;
    }
    Ok(())
}

/// The form of GNU returns the text.
fn strerror_r(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    fill_buffer(machine, args)?;
    Answer::word(word(args, 1))
}

/// The form of POSIX returns an error number.
fn xpg_strerror_r(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    fill_buffer(machine, args)?;
    Answer::int(0)
}
