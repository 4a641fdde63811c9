//! `malloc` and its relatives, and the functions on raw bytes.

use super::{Answer, Arg, Errno, Native, Outcome, arg, word};
use crate::machine::{Machine, Stop};

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "malloc" => malloc,
        "calloc" => calloc,
        "realloc" => realloc,
        "reallocarray" => reallocarray,
        "free" | "cfree" => free,
        "aligned_alloc" | "memalign" => aligned_alloc,
        "posix_memalign" => posix_memalign,
        "valloc" => valloc,
        "malloc_usable_size" => malloc_usable_size,
        "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" => memcpy,
        "mempcpy" | "__mempcpy" | "__mempcpy_chk" => mempcpy,
        "bcopy" => bcopy,
        "memset" | "__memset_chk" | "explicit_memset" => memset,
        "bzero" | "explicit_bzero" | "__explicit_bzero_chk" => bzero,
        "memcmp" | "bcmp" => memcmp,
        "memchr" => memchr,
        "rawmemchr" => rawmemchr,
        "memrchr" => memrchr,
        "memmem" => memmem,
        "memccpy" => memccpy,
        _ => return None,
    })
}

/// Blocks of `malloc` are aligned for every type.
const ALIGN: u64 = 16;

fn acquired(machine: &mut Machine<'_>, bytes: u64, align: u64, zeroed: bool) -> Outcome {
    let address = machine.acquire(bytes, align, zeroed);
    machine.charge(bytes);
    if address == 0 {
        machine.set_errno(Errno::NoMemory)?;
    }
    Answer::word(address)
}

fn malloc(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    acquired(machine, word(args, 0), ALIGN, false)
}

fn calloc(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let bytes = word(args, 0).saturating_mul(word(args, 1));
    acquired(machine, bytes, ALIGN, true)
}

fn resize(machine: &mut Machine<'_>, old: u64, bytes: u64) -> Outcome {
    if old == 0 {
        return acquired(machine, bytes, ALIGN, false);
    }
    let block = machine.memory.block_at(old)?;
    if bytes == 0 {
        machine.release(old)?;
        return Answer::word(0);
    }
    let kept = machine.memory.heap.blocks[block.0 as usize].bytes.min(bytes);
    let new = machine.acquire(bytes, ALIGN, false);
    machine.charge(bytes);
    if new == 0 {
        machine.set_errno(Errno::NoMemory)?;
        return Answer::word(0);
    }
    machine.memory.copy(new, old, kept)?;
    machine.release(old)?;
    Answer::word(new)
}

fn realloc(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    resize(machine, word(args, 0), word(args, 1))
}

fn reallocarray(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    match word(args, 1).checked_mul(word(args, 2)) {
        Some(bytes) => resize(machine, word(args, 0), bytes),
        None => {
            machine.set_errno(Errno::NoMemory)?;
            Answer::word(0)
        }
    }
}

fn free(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    machine.release(word(args, 0))?;
    Ok(Answer::None)
}

/// Greater alignments than this are refused.
const MAX_ALIGN: u64 = 1 << 20;

fn aligned_alloc(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    if word(args, 0) > MAX_ALIGN {
        machine.set_errno(Errno::NoMemory)?;
        return Answer::word(0);
    }
    acquired(machine, word(args, 1), word(args, 0).max(ALIGN), false)
}

fn posix_memalign(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let align = word(args, 1);
    if !align.is_power_of_two() || align < machine.memory.pointer_bytes() || align > MAX_ALIGN {
        return Answer::int(Errno::Invalid as i64);
    }
    let address = machine.acquire(word(args, 2), align.max(ALIGN), false);
    if address == 0 {
        return Answer::int(Errno::NoMemory as i64);
    }
    machine.memory.store_pointer(word(args, 0), address)?;
    Answer::int(0)
}

fn valloc(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    acquired(machine, word(args, 0), 4096, false)
}

fn malloc_usable_size(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    if word(args, 0) == 0 {
        return Answer::word(0);
    }
    let block = machine.memory.block_at(word(args, 0))?;
    Answer::word(machine.memory.heap.blocks[block.0 as usize].bytes)
}

fn copy(machine: &mut Machine<'_>, to: u64, from: u64, bytes: u64) -> Result<(), Stop> {
    machine.memory.copy(to, from, bytes)?;
    machine.memory.note_cut(from, bytes);
    machine.charge(bytes);
    Ok(())
}

fn memcpy(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    copy(machine, word(args, 0), word(args, 1), word(args, 2))?;
    Answer::word(word(args, 0))
}

fn mempcpy(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    copy(machine, word(args, 0), word(args, 1), word(args, 2))?;
    Answer::word(word(args, 0).wrapping_add(word(args, 2)))
}

fn bcopy(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    copy(machine, word(args, 1), word(args, 0), word(args, 2))?;
    Ok(Answer::None)
}

fn memset(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    machine.memory.fill(word(args, 0), word(args, 1) as u8, word(args, 2))?;
    machine.charge(word(args, 2));
    Answer::word(word(args, 0))
}

fn bzero(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    machine.memory.fill(word(args, 0), 0, word(args, 1))?;
    machine.charge(word(args, 1));
    Ok(Answer::None)
}

fn memcmp(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let bytes = word(args, 2);
    let (left, right) =
        (machine.memory.read(word(args, 0), bytes)?, machine.memory.read(word(args, 1), bytes)?);
    let difference =
        left.iter().zip(right).find(|(a, b)| a != b).map_or(0, |(&a, &b)| i64::from(a) - i64::from(b));
    machine.charge(bytes);
    Answer::int(difference)
}

/// The address of the `index`-th byte, or null.
fn found(start: u64, index: Option<usize>) -> Outcome {
    Answer::word(index.map_or(0, |index| start + index as u64))
}

fn memchr(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let (start, byte, bytes) = (word(args, 0), arg(args, 1).low as u8, word(args, 2));
    if bytes == 0 {
        return Answer::word(0);
    }
    // Only the bytes up to the match are read, so a length beyond the object is fine if it is found.
    let rest = machine.memory.rest_of_object(start)?;
    let limit = rest.len().min(usize::try_from(bytes).unwrap_or(usize::MAX));
    let index = rest[..limit].iter().position(|&other| other == byte);
    if index.is_none() {
        machine.memory.read(start, bytes)?;
    }
    found(start, index)
}

fn rawmemchr(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let (start, byte) = (word(args, 0), arg(args, 1).low as u8);
    let rest = machine.memory.rest_of_object(start)?;
    let index = rest.iter().position(|&other| other == byte);
    if index.is_none() {
        machine.memory.read(start, rest.len() as u64 + 1)?;
    }
    found(start, index)
}

fn memrchr(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let (start, byte) = (word(args, 0), arg(args, 1).low as u8);
    let range = machine.memory.read(start, word(args, 2))?;
    found(start, range.iter().rposition(|&other| other == byte))
}

fn memmem(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let start = word(args, 0);
    let (range, needle) =
        (machine.memory.read(start, word(args, 1))?, machine.memory.read(word(args, 2), word(args, 3))?);
    found(start, super::string::position_of(range, needle))
}

fn memccpy(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let (to, from, stop, limit) = (word(args, 0), word(args, 1), word(args, 2) as u8, word(args, 3));
    for offset in 0..limit {
        let byte = machine.memory.read(from + offset, 1)?[0];
        machine.memory.write(to + offset, 1)?[0] = byte;
        if byte == stop {
            return Answer::word(to + offset + 1);
        }
    }
    Answer::word(0)
}
