//! Streams: standard input and output, and files that exist only in memory.
//!
//! A stream is known to the program by the address of an object it cannot look into. What is written to
//! standard output and error is captured; files live in a table by name, so that a program can write one
//! and read it back, and nothing outside is touched.

use super::{Errno, object};
use crate::machine::{Machine, Stop};
use crate::memory::Memory;
use crate::outcome::Absent;
use crate::trap::{Access, Address, Fault, TrapKind};
use std::collections::BTreeMap;

/// A stream by position in the table.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct StreamId(usize);

impl StreamId {
    pub(super) const STDIN: StreamId = StreamId(0);
    pub(super) const STDOUT: StreamId = StreamId(1);
    pub(super) const STDERR: StreamId = StreamId(2);

    /// The file descriptor of a stream.
    pub(super) fn descriptor(self) -> i64 {
        self.0 as i64
    }
}

/// Where the bytes of a stream are.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Backing {
    Input,
    Output,
    Error,
    /// A file by name.
    File(Vec<u8>),
    Closed,
}

#[derive(Debug)]
struct Stream {
    address: u64,
    backing: Backing,
    position: usize,
    readable: bool,
    writable: bool,
    append: bool,
    pushed_back: Vec<u8>,
    at_end: bool,
    error: bool,
}

/// All streams and files of a run.
#[derive(Debug)]
pub(crate) struct Streams {
    streams: Vec<Stream>,
    files: BTreeMap<Vec<u8>, Vec<u8>>,
    input: Vec<u8>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    temporary: usize,
    /// Bytes that may still be written.
    output_left: u64,
}

/// Where a seek starts from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Whence {
    Start,
    Current,
    End,
}

/// Bytes of the object that stands for a stream.
const STREAM_BYTES: u64 = 216;
/// No stream goes further, since files are in memory.
const MAX_POSITION: usize = 1 << 28;

impl Streams {
    pub(super) fn new(memory: &mut Memory, input: Vec<u8>, output_left: u64) -> Result<Streams, Fault> {
        let mut streams = Vec::new();
        for backing in [Backing::Input, Backing::Output, Backing::Error] {
            let address = object(memory, STREAM_BYTES)?;
            let readable = backing == Backing::Input;
            streams.push(Stream::new(address, backing, readable, !readable, false));
        }
        Ok(Streams {
            streams,
            files: BTreeMap::new(),
            input,
            stdout: Vec::new(),
            stderr: Vec::new(),
            temporary: 0,
            output_left,
        })
    }

    /// The address of standard stream 0, 1 or 2.
    pub(super) fn standard(&self, number: usize) -> u64 {
        self.streams[number].address
    }

    fn content(&self, backing: &Backing) -> &[u8] {
        match backing {
            Backing::Input => &self.input,
            Backing::File(name) => self.files.get(name).map_or(&[], Vec::as_slice),
            Backing::Output | Backing::Error | Backing::Closed => &[],
        }
    }

    /// The next byte; at the end, the stream remembers that.
    pub(super) fn read_byte(&mut self, id: StreamId) -> Option<u8> {
        let stream = &self.streams[id.0];
        if !stream.readable {
            self.streams[id.0].error = true;
            return None;
        }
        let next = self.content(&stream.backing).get(stream.position).copied();
        let stream = &mut self.streams[id.0];
        if let Some(byte) = stream.pushed_back.pop() {
            return Some(byte);
        }
        match next {
            Some(byte) => {
                stream.position += 1;
                Some(byte)
            }
            None => {
                stream.at_end = true;
                None
            }
        }
    }

    pub(super) fn push_back(&mut self, id: StreamId, byte: u8) {
        let stream = &mut self.streams[id.0];
        stream.pushed_back.push(byte);
        stream.at_end = false;
    }

    /// Writes bytes; false when the stream cannot be written.
    pub(super) fn write(&mut self, id: StreamId, bytes: &[u8]) -> Result<bool, Stop> {
        let left = self.output_left.checked_sub(bytes.len() as u64);
        self.output_left = left.ok_or(TrapKind::OutputLimit)?;
        let stream = &mut self.streams[id.0];
        match &stream.backing {
            Backing::Output => self.stdout.extend_from_slice(bytes),
            Backing::Error => self.stderr.extend_from_slice(bytes),
            Backing::File(name) if stream.writable => {
                let content = self.files.entry(name.clone()).or_default();
                if stream.append {
                    stream.position = content.len();
                }
                let end = stream.position + bytes.len();
                if content.len() < end {
                    content.resize(end, 0);
                }
                content[stream.position..end].copy_from_slice(bytes);
                stream.position = end;
            }
            _ => {
                stream.error = true;
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn at_end(&self, id: StreamId) -> bool {
        self.streams[id.0].at_end
    }

    pub(super) fn has_error(&self, id: StreamId) -> bool {
        self.streams[id.0].error
    }

    pub(super) fn clear_error(&mut self, id: StreamId) {
        self.streams[id.0].at_end = false;
        self.streams[id.0].error = false;
    }

    pub(super) fn position(&self, id: StreamId) -> u64 {
        let stream = &self.streams[id.0];
        (stream.position - stream.pushed_back.len().min(stream.position)) as u64
    }

    /// Moves the position; false if that is impossible.
    pub(super) fn seek(&mut self, id: StreamId, offset: i64, whence: Whence) -> bool {
        let base = match whence {
            Whence::Start => 0,
            Whence::Current => self.position(id) as i64,
            Whence::End => self.content(&self.streams[id.0].backing).len() as i64,
        };
        let stream = &mut self.streams[id.0];
        let position = base.checked_add(offset).and_then(|position| usize::try_from(position).ok());
        let Some(position) = position.filter(|&position| position <= MAX_POSITION) else {
            return false;
        };
        if !matches!(stream.backing, Backing::File(_) | Backing::Input) {
            return false;
        }
        stream.position = position;
        stream.pushed_back.clear();
        stream.at_end = false;
        true
    }

    /// Closes a stream; false if it was closed before.
    pub(super) fn close(&mut self, id: StreamId) -> bool {
        let stream = &mut self.streams[id.0];
        let open = stream.backing != Backing::Closed;
        stream.backing = Backing::Closed;
        stream.readable = false;
        stream.writable = false;
        open
    }

    pub(super) fn remove(&mut self, name: &[u8]) -> bool {
        self.files.remove(name).is_some()
    }

    pub(super) fn rename(&mut self, from: &[u8], to: &[u8]) -> bool {
        match self.files.remove(from) {
            Some(content) => {
                self.files.insert(to.to_vec(), content);
                true
            }
            None => false,
        }
    }

    pub(super) fn temporary_name(&mut self) -> Vec<u8> {
        self.temporary += 1;
        format!("/tmp/temporary{}", self.temporary).into_bytes()
    }
}

impl Stream {
    fn new(address: u64, backing: Backing, readable: bool, writable: bool, append: bool) -> Stream {
        Stream {
            address,
            backing,
            position: 0,
            readable,
            writable,
            append,
            pushed_back: Vec::new(),
            at_end: false,
            error: false,
        }
    }
}

impl Machine<'_> {
    /// The stream whose address the program passed.
    pub(super) fn stream(&self, address: u64) -> Result<StreamId, Stop> {
        let known = |stream: &Stream| stream.address == address;
        match self.library.streams.streams.iter().position(known) {
            Some(index) => Ok(StreamId(index)),
            None if address == 0 => Err(TrapKind::NullAccess { access: Access::Read }.into()),
            None => Err(TrapKind::WildAccess { address: Address(address), access: Access::Read }.into()),
        }
    }

    /// Opens a file; null when it does not exist or the mode makes no sense.
    pub(super) fn open(&mut self, name: Vec<u8>, mode: &[u8]) -> Result<u64, Stop> {
        let update = mode.contains(&b'+');
        let exists = self.library.streams.files.contains_key(&name);
        match mode.first() {
            Some(b'r') if !exists => {
                self.counters.absent.insert(Absent::Files);
                self.set_errno(Errno::NoEntry)?;
                return Ok(0);
            }
            Some(b'r') => {}
            Some(b'w') => {
                self.library.streams.files.insert(name.clone(), Vec::new());
            }
            Some(b'a') => {
                self.library.streams.files.entry(name.clone()).or_default();
            }
            _ => {
                self.set_errno(Errno::Invalid)?;
                return Ok(0);
            }
        }
        let (reads, appends) = (mode[0] == b'r', mode[0] == b'a');
        let address = object(&mut self.memory, STREAM_BYTES)?;
        let stream = Stream::new(address, Backing::File(name), reads || update, !reads || update, appends);
        self.library.streams.streams.push(stream);
        Ok(address)
    }
}
