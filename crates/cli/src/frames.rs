//! Tasks and answers on a pipe or a socket: a header, which is one line of JSON, and as many bytes as it says.

use std::io::{self, BufRead, Read, Write};

use serde::{Deserialize, Serialize};

/// The header of a task or an answer. What a kind of frame has no use for is left out.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Header {
    /// The task, and what it is answered under.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) number: Option<u64>,
    /// Of a task: what is to be done.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) kind: String,
    /// Of a task: what people see of it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) name: String,
    /// Of an answer: why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failed: Option<String>,
    /// Between a driver and what drives its workers: which worker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) worker: Option<usize>,
    /// The first frame to a driver: how many workers there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) workers: Option<usize>,
    /// This worker is gone, and another one is in its place.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) lost: bool,
    /// How many bytes follow.
    pub(crate) bytes: usize,
}

/// Writes a frame.
pub(crate) fn write(to: &mut impl Write, mut header: Header, bytes: &[u8]) -> io::Result<()> {
    header.bytes = bytes.len();
    let mut line = serde_json::to_vec(&header)?;
    line.push(b'\n');
    to.write_all(&line)?;
    to.write_all(bytes)?;
    to.flush()
}

/// Reads a frame. None at the end.
pub(crate) fn read(from: &mut impl BufRead) -> io::Result<Option<(Header, Vec<u8>)>> {
    let mut line = Vec::new();
    if from.read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    let header: Header = serde_json::from_slice(&line)?;
    let mut bytes = Vec::new();
    // What is announced is not believed before it is there.
    from.take(header.bytes as u64).read_to_end(&mut bytes)?;
    if bytes.len() < header.bytes {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some((header, bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut pipe = Vec::new();
        let header = || Header { number: Some(7), kind: "load".to_owned(), ..Header::default() };
        write(&mut pipe, header(), b"one\ntwo").unwrap();
        write(&mut pipe, Header { lost: true, worker: Some(1), ..Header::default() }, b"").unwrap();
        assert!(pipe.starts_with(b"{\"number\":7,\"kind\":\"load\",\"bytes\":7}\none\ntwo{"));
        let mut from = &pipe[..];
        let (first, bytes) = read(&mut from).unwrap().unwrap();
        assert_eq!((first.number, &*first.kind, &bytes[..]), (Some(7), "load", &b"one\ntwo"[..]));
        assert!(read(&mut from).unwrap().unwrap().0.lost);
        assert_eq!(read(&mut from).unwrap(), None);
        assert!(read(&mut &b"{\"bytes\":9}\nfew"[..]).is_err());
        assert!(read(&mut &b"nonsense\n"[..]).is_err());
    }
}
