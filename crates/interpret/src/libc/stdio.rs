//! Formatted and plain output, and input from streams.

use super::printf::Cursor;
use super::stream::{StreamId, Whence};
use super::{Answer, Arg, Errno, Native, Outcome, arg, tokens, word};
use crate::machine::{Machine, Stop};
use crate::outcome::Absent;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "printf" => |m, a| print(m, StreamId::STDOUT, word(a, 0), Cursor::direct(a, 1)),
        "__printf_chk" => |m, a| print(m, StreamId::STDOUT, word(a, 1), Cursor::direct(a, 2)),
        "vprintf" => |m, a| {
            let cursor = Cursor::list(m, word(a, 1))?;
            print(m, StreamId::STDOUT, word(a, 0), cursor)
        },
        "__vprintf_chk" => |m, a| {
            let cursor = Cursor::list(m, word(a, 2))?;
            print(m, StreamId::STDOUT, word(a, 1), cursor)
        },
        "fprintf" => |m, a| {
            let stream = m.stream(word(a, 0))?;
            print(m, stream, word(a, 1), Cursor::direct(a, 2))
        },
        "__fprintf_chk" => |m, a| {
            let stream = m.stream(word(a, 0))?;
            print(m, stream, word(a, 2), Cursor::direct(a, 3))
        },
        "vfprintf" => |m, a| {
            let (stream, cursor) = (m.stream(word(a, 0))?, Cursor::list(m, word(a, 2))?);
            print(m, stream, word(a, 1), cursor)
        },
        "__vfprintf_chk" => |m, a| {
            let (stream, cursor) = (m.stream(word(a, 0))?, Cursor::list(m, word(a, 3))?);
            print(m, stream, word(a, 2), cursor)
        },
        "dprintf" => |m, a| match descriptor(arg(a, 0).int()) {
            Some(stream) => print(m, stream, word(a, 1), Cursor::direct(a, 2)),
            None => bad_descriptor(m),
        },
        "vdprintf" => |m, a| match descriptor(arg(a, 0).int()) {
            Some(stream) => {
                let cursor = Cursor::list(m, word(a, 2))?;
                print(m, stream, word(a, 1), cursor)
            }
            None => bad_descriptor(m),
        },
        "sprintf" => |m, a| to_buffer(m, word(a, 0), None, word(a, 1), Cursor::direct(a, 2)),
        "__sprintf_chk" => |m, a| to_buffer(m, word(a, 0), None, word(a, 3), Cursor::direct(a, 4)),
        "vsprintf" => |m, a| {
            let cursor = Cursor::list(m, word(a, 2))?;
            to_buffer(m, word(a, 0), None, word(a, 1), cursor)
        },
        "__vsprintf_chk" => |m, a| {
            let cursor = Cursor::list(m, word(a, 4))?;
            to_buffer(m, word(a, 0), None, word(a, 3), cursor)
        },
        "snprintf" => |m, a| to_buffer(m, word(a, 0), Some(word(a, 1)), word(a, 2), Cursor::direct(a, 3)),
        "__snprintf_chk" => {
            |m, a| to_buffer(m, word(a, 0), Some(word(a, 1)), word(a, 4), Cursor::direct(a, 5))
        }
        "vsnprintf" => |m, a| {
            let cursor = Cursor::list(m, word(a, 3))?;
            to_buffer(m, word(a, 0), Some(word(a, 1)), word(a, 2), cursor)
        },
        "__vsnprintf_chk" => |m, a| {
            let cursor = Cursor::list(m, word(a, 5))?;
            to_buffer(m, word(a, 0), Some(word(a, 1)), word(a, 4), cursor)
        },
        "asprintf" => |m, a| to_new_block(m, word(a, 0), word(a, 1), Cursor::direct(a, 2)),
        "__asprintf_chk" => |m, a| to_new_block(m, word(a, 0), word(a, 2), Cursor::direct(a, 3)),
        "vasprintf" => |m, a| {
            let cursor = Cursor::list(m, word(a, 2))?;
            to_new_block(m, word(a, 0), word(a, 1), cursor)
        },
        "__vasprintf_chk" => |m, a| {
            let cursor = Cursor::list(m, word(a, 3))?;
            to_new_block(m, word(a, 0), word(a, 2), cursor)
        },
        "puts" => puts,
        "fputs" | "fputs_unlocked" => fputs,
        "putchar" | "putchar_unlocked" => |m, a| put_byte(m, StreamId::STDOUT, word(a, 0)),
        "fputc" | "putc" | "_IO_putc" | "putc_unlocked" | "fputc_unlocked" => |m, a| {
            let stream = m.stream(word(a, 1))?;
            put_byte(m, stream, word(a, 0))
        },
        "fwrite" | "fwrite_unlocked" => fwrite,
        "write" => write,
        "perror" => perror,
        "fflush" | "fflush_unlocked" => |m, a| {
            if word(a, 0) != 0 {
                m.stream(word(a, 0))?;
            }
            Answer::int(0)
        },
        "setvbuf" | "setbuf" | "setlinebuf" | "flockfile" | "funlockfile" => |_, _| Answer::int(0),
        "getchar" | "getchar_unlocked" => |m, _| get_byte(m, StreamId::STDIN),
        "fgetc" | "getc" | "_IO_getc" | "getc_unlocked" | "fgetc_unlocked" => |m, a| {
            let stream = m.stream(word(a, 0))?;
            get_byte(m, stream)
        },
        "ungetc" => ungetc,
        "fgets" | "__fgets_chk" | "fgets_unlocked" => fgets,
        "fread" | "__fread_chk" | "fread_unlocked" => fread,
        "read" => read,
        "getline" | "__getline" => getline,
        "fopen" | "fopen64" => fopen,
        "freopen" => |m, _| {
            m.counters.absent.insert(Absent::Files);
            m.set_errno(Errno::NoEntry)?;
            Answer::word(0)
        },
        "tmpfile" => tmpfile,
        "fclose" => fclose,
        "feof" | "feof_unlocked" => |m, a| {
            let stream = m.stream(word(a, 0))?;
            Answer::truth(m.library.streams.at_end(stream))
        },
        "ferror" | "ferror_unlocked" => |m, a| {
            let stream = m.stream(word(a, 0))?;
            Answer::truth(m.library.streams.has_error(stream))
        },
        "clearerr" => |m, a| {
            let stream = m.stream(word(a, 0))?;
            m.library.streams.clear_error(stream);
            Ok(Answer::None)
        },
        "fileno" | "fileno_unlocked" => |m, a| Answer::int(m.stream(word(a, 0))?.descriptor()),
        "fseek" | "fseeko" => fseek,
        "rewind" => |m, a| {
            let stream = m.stream(word(a, 0))?;
            m.library.streams.seek(stream, 0, Whence::Start);
            m.library.streams.clear_error(stream);
            Ok(Answer::None)
        },
        "ftell" | "ftello" => |m, a| {
            let stream = m.stream(word(a, 0))?;
            Answer::word(m.library.streams.position(stream))
        },
        "remove" | "unlink" => remove,
        "rename" => rename,
        _ => return None,
    })
}

/// What functions of C return when they fail.
const END_OF_FILE: i64 = -1;

fn print(machine: &mut Machine<'_>, stream: StreamId, format: u64, mut cursor: Cursor<'_>) -> Outcome {
    let bytes = machine.format(format, &mut cursor)?;
    let written = machine.library.streams.write(stream, &bytes)?;
    Answer::int(if written { bytes.len() as i64 } else { END_OF_FILE })
}

fn to_buffer(
    machine: &mut Machine<'_>,
    buffer: u64,
    room: Option<u64>,
    format: u64,
    mut cursor: Cursor<'_>,
) -> Outcome {
    let bytes = machine.format(format, &mut cursor)?;
    match room {
        Some(0) => {}
        Some(room) => {
            let kept = bytes.len().min(usize::try_from(room - 1).unwrap_or(usize::MAX));
            machine.memory.write_string(buffer, &bytes[..kept])?;
        }
        None => machine.memory.write_string(buffer, &bytes)?,
    }
    Answer::int(bytes.len() as i64)
}

fn to_new_block(machine: &mut Machine<'_>, result: u64, format: u64, mut cursor: Cursor<'_>) -> Outcome {
    let bytes = machine.format(format, &mut cursor)?;
    let address = machine.acquire_string(&bytes)?;
    machine.memory.store_pointer(result, address)?;
    Answer::int(if address == 0 { END_OF_FILE } else { bytes.len() as i64 })
}

/// The standard stream with this file descriptor.
fn descriptor(number: i32) -> Option<StreamId> {
    match number {
        0 => Some(StreamId::STDIN),
        1 => Some(StreamId::STDOUT),
        2 => Some(StreamId::STDERR),
        _ => None,
    }
}

fn bad_descriptor(machine: &mut Machine<'_>) -> Outcome {
    machine.set_errno(Errno::BadDescriptor)?;
    Answer::int(END_OF_FILE)
}

fn puts(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let mut text = machine.text(word(args, 0))?;
    text.push(b'\n');
    machine.library.streams.write(StreamId::STDOUT, &text)?;
    Answer::int(text.len() as i64)
}

fn fputs(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let text = machine.text(word(args, 0))?;
    let stream = machine.stream(word(args, 1))?;
    let written = machine.library.streams.write(stream, &text)?;
    Answer::int(if written { 1 } else { END_OF_FILE })
}

fn put_byte(machine: &mut Machine<'_>, stream: StreamId, byte: u64) -> Outcome {
    let written = machine.library.streams.write(stream, &[byte as u8])?;
    Answer::int(if written { i64::from(byte as u8) } else { END_OF_FILE })
}

fn fwrite(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let (size, count) = (word(args, 1), word(args, 2));
    let bytes = machine.memory.read(word(args, 0), size.saturating_mul(count))?.to_vec();
    let stream = machine.stream(word(args, 3))?;
    machine.charge(bytes.len() as u64);
    let written = machine.library.streams.write(stream, &bytes)?;
    Answer::word(if written && size != 0 { count } else { 0 })
}

fn write(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let Some(stream) = descriptor(arg(args, 0).int()) else { return bad_descriptor(machine) };
    let bytes = machine.memory.read(word(args, 1), word(args, 2))?.to_vec();
    if !machine.library.streams.write(stream, &bytes)? {
        return bad_descriptor(machine);
    }
    Answer::word(bytes.len() as u64)
}

fn perror(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let mut text = if word(args, 0) == 0 { Vec::new() } else { machine.text(word(args, 0))? };
    if !text.is_empty() {
        text.extend_from_slice(b": ");
    }
    text.extend_from_slice(tokens::error_text(machine.errno()?).as_bytes());
    text.push(b'\n');
    machine.library.streams.write(StreamId::STDERR, &text)?;
    Ok(Answer::None)
}

fn get_byte(machine: &mut Machine<'_>, stream: StreamId) -> Outcome {
    Answer::int(machine.library.streams.read_byte(stream).map_or(END_OF_FILE, i64::from))
}

fn ungetc(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let stream = machine.stream(word(args, 1))?;
    let byte = arg(args, 0).int();
    if i64::from(byte) == END_OF_FILE {
        return Answer::int(END_OF_FILE);
    }
    machine.library.streams.push_back(stream, byte as u8);
    Answer::int(i64::from(byte as u8))
}

/// Bytes up to and including the next line end, at most `limit`.
fn read_line(machine: &mut Machine<'_>, stream: StreamId, limit: usize) -> Vec<u8> {
    let mut line = Vec::new();
    while line.len() < limit && line.last() != Some(&b'\n') {
        match machine.library.streams.read_byte(stream) {
            Some(byte) => line.push(byte),
            None => break,
        }
    }
    line
}

fn fgets(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    // The checked form has the size of the buffer before the count.
    let (count, stream) = if args.len() >= 4 { (2, 3) } else { (1, 2) };
    let stream = machine.stream(word(args, stream))?;
    let Ok(limit) = usize::try_from(arg(args, count).int() - 1) else { return Answer::word(0) };
    let line = read_line(machine, stream, limit);
    if line.is_empty() && limit > 0 {
        return Answer::word(0);
    }
    machine.memory.write_string(word(args, 0), &line)?;
    Answer::word(word(args, 0))
}

/// Reads at most `limit` bytes.
fn read_bytes(machine: &mut Machine<'_>, stream: StreamId, limit: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < limit {
        match machine.library.streams.read_byte(stream) {
            Some(byte) => bytes.push(byte),
            None => break,
        }
    }
    machine.charge(bytes.len() as u64);
    bytes
}

fn fread(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let shift = usize::from(args.len() >= 5);
    let (size, count) = (word(args, 1 + shift), word(args, 2 + shift));
    let stream = machine.stream(word(args, 3 + shift))?;
    let bytes = read_bytes(machine, stream, size.saturating_mul(count));
    machine.memory.write(word(args, 0), bytes.len() as u64)?.copy_from_slice(&bytes);
    Answer::word((bytes.len() as u64).checked_div(size).unwrap_or(0))
}

fn read(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let Some(stream) = descriptor(arg(args, 0).int()) else { return bad_descriptor(machine) };
    let bytes = read_bytes(machine, stream, word(args, 2));
    machine.memory.write(word(args, 1), bytes.len() as u64)?.copy_from_slice(&bytes);
    Answer::word(bytes.len() as u64)
}

fn getline(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let stream = machine.stream(word(args, 2))?;
    let line = read_line(machine, stream, usize::MAX);
    if line.is_empty() {
        return Answer::int(END_OF_FILE);
    }
    let (buffer, size) = (word(args, 0), word(args, 1));
    let size_bytes = machine.memory.pointer_bytes();
    let old = machine.memory.load_pointer(buffer)?;
    let room = machine.memory.load_int(size, size_bytes)? as u64;
    let needed = line.len() as u64 + 1;
    let target = if old == 0 || room < needed {
        let grown = needed.max(120).max(room.saturating_mul(2));
        let new = machine.acquire(grown, 16, false);
        machine.release(old)?;
        machine.memory.store_pointer(buffer, new)?;
        machine.memory.store_int(size, size_bytes, grown.into())?;
        new
    } else {
        old
    };
    machine.memory.write_string(target, &line)?;
    Answer::int(line.len() as i64)
}

fn fopen(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let (name, mode) = (machine.text(word(args, 0))?, machine.text(word(args, 1))?);
    Answer::word(machine.open(name, &mode)?)
}

fn tmpfile(machine: &mut Machine<'_>, _: &[Arg]) -> Outcome {
    let name = machine.library.streams.temporary_name();
    Answer::word(machine.open(name, b"w+")?)
}

fn fclose(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let stream = machine.stream(word(args, 0))?;
    let closed = machine.library.streams.close(stream);
    Answer::int(if closed { 0 } else { END_OF_FILE })
}

fn fseek(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let stream = machine.stream(word(args, 0))?;
    let whence = match arg(args, 2).int() {
        0 => Whence::Start,
        1 => Whence::Current,
        2 => Whence::End,
        _ => return failed(machine, Errno::Invalid),
    };
    if machine.library.streams.seek(stream, arg(args, 1).signed(), whence) {
        Answer::int(0)
    } else {
        failed(machine, Errno::Invalid)
    }
}

fn failed(machine: &mut Machine<'_>, code: Errno) -> Outcome {
    machine.set_errno(code)?;
    Answer::int(END_OF_FILE)
}

fn not_there(machine: &mut Machine<'_>) -> Outcome {
    machine.counters.absent.insert(Absent::Files);
    failed(machine, Errno::NoEntry)
}

fn remove(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let name = machine.text(word(args, 0))?;
    if machine.library.streams.remove(&name) { Answer::int(0) } else { not_there(machine) }
}

fn rename(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let (from, to) = (machine.text(word(args, 0))?, machine.text(word(args, 1))?);
    if machine.library.streams.rename(&from, &to) { Answer::int(0) } else { not_there(machine) }
}

impl Machine<'_> {
    /// Writes to standard error on behalf of the library.
    pub(super) fn complain(&mut self, text: &str) -> Result<(), Stop> {
        self.library.streams.write(StreamId::STDERR, text.as_bytes())?;
        Ok(())
    }
}
