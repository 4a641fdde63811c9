//! Messages as they stand on a pipe: a head with a length, then so many bytes of JSON.
//!
//! In: any bytes. Out: messages, and an answer of our own for what is none. The editor is trusted no more than a file: a
//! length beyond [`MOST_BYTES`] is not believed and asks for no memory, and after something that cannot be read the next
//! head is looked for. JSON has no bare line break inside its texts, so that a line with a length is one. Only the end
//! of the input, or the notification `exit`, ends the session.

use std::io::{self, BufRead, Read as _, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use lsp_server::{Connection, ErrorCode, Message};
use serde_json::{Value, json};

/// The longest message. A file that is opened comes as a whole.
const MOST_BYTES: usize = 64 << 20;
/// The longest line of a head, and what is looked through at a time for the next one.
const MOST_LINE: usize = 4 << 10;
/// The header that matters.
const LENGTH: &[u8] = b"content-length:";

/// Connects the server with an editor. The thread ends when the connection is dropped and all was written.
pub(crate) fn connect(
    mut input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
) -> (Connection, JoinHandle<io::Result<()>>) {
    let (server, editor) = Connection::memory();
    let output = Arc::new(Mutex::new(output));
    let Connection { sender, receiver } = editor;
    let answers = Arc::clone(&output);
    thread::spawn(move || {
        let mut refuse =
            |why: Value| write_json(&mut *answers.lock().unwrap_or_else(PoisonError::into_inner), &why);
        while let Ok(Some(message)) = next(&mut input, &mut refuse) {
            let last = matches!(&message, Message::Notification(said) if said.method == "exit");
            if sender.send(message).is_err() || last {
                return;
            }
        }
    });
    let writer = thread::spawn(move || {
        for message in receiver {
            message.write(&mut *output.lock().unwrap_or_else(PoisonError::into_inner))?;
        }
        Ok(())
    });
    (server, writer)
}

fn write_json(output: &mut impl Write, value: &Value) -> io::Result<()> {
    let text = value.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

/// The next message; what is none is refused. Nothing at the end of the input.
pub(crate) fn next(
    input: &mut impl BufRead,
    refuse: &mut impl FnMut(Value) -> io::Result<()>,
) -> io::Result<Option<Message>> {
    loop {
        let no_head = &mut |why: &str| refuse(refusal(Value::Null, ErrorCode::ParseError, why));
        let Some(length) = head(input, no_head)? else { return Ok(None) };
        // What is announced may never come: memory grows with what is there.
        let mut bytes = Vec::new();
        input.take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() < length {
            return Ok(None);
        }
        match message(&bytes) {
            Ok(message) => return Ok(Some(message)),
            Err(why) => refuse(why)?,
        }
    }
}

fn message(bytes: &[u8]) -> Result<Message, Value> {
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|error| refusal(Value::Null, ErrorCode::ParseError, &format!("this is no JSON: {error}")))?;
    // Whoever asked is told by the number of the question, if there is one.
    let id = value.get("id").filter(|id| id.is_string() || id.is_i64()).cloned().unwrap_or_default();
    serde_json::from_value(value)
        .map_err(|error| refusal(id, ErrorCode::InvalidRequest, &format!("this is no message: {error}")))
}

fn refusal(id: Value, code: ErrorCode, why: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code as i32, "message": why } })
}

/// Reads a head, and gives its length. Whatever stands before it is complained about, once. Nothing at the end of the
/// input.
fn head(
    input: &mut impl BufRead,
    complain: &mut impl FnMut(&str) -> io::Result<()>,
) -> io::Result<Option<usize>> {
    let mut length = None;
    // In search of the next head, where nothing else counts.
    let mut lost = false;
    let mut line = Vec::new();
    while read_line(input, &mut line)? {
        let text = line.strip_suffix(b"\r\n");
        let wrong = match text {
            Some(text) if find(text).is_some() => {
                length = text_length(text);
                lost = false;
                None
            }
            _ if lost => None,
            Some([]) => match length {
                Some(length) if length <= MOST_BYTES => return Ok(Some(length)),
                Some(length) => Some(format!("{length} bytes are too many")),
                None => Some("there is no length that can be read".to_owned()),
            },
            Some(text) if text.contains(&b':') => None,
            _ => Some("this is no header".to_owned()),
        };
        if let Some(why) = wrong {
            complain(&why)?;
            (length, lost) = (None, true);
        }
    }
    Ok(None)
}

/// The length that a header says. Where a message was shorter than announced, its rest stands before.
fn text_length(text: &[u8]) -> Option<usize> {
    let number = &text[find(text)? + LENGTH.len()..];
    std::str::from_utf8(number).ok()?.trim().parse().ok()
}

fn find(part: &[u8]) -> Option<usize> {
    part.windows(LENGTH.len()).rposition(|window| window.eq_ignore_ascii_case(LENGTH))
}

/// Reads a line with its end, or as much of one as is believed; then the next part begins with the end of this one, so
/// that a header is not cut in two. Whether there was anything.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    let keep = match line.ends_with(b"\n") {
        true => line.len(),
        false => line.len().saturating_sub(LENGTH.len() + 24),
    };
    line.drain(..keep);
    Ok(input.take(MOST_LINE as u64).read_until(b'\n', line)? > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of some bytes: the method of a message, or the code and number of an answer.
    fn read(bytes: &[u8]) -> Vec<String> {
        let mut input = std::io::BufReader::with_capacity(7, bytes);
        let all = std::cell::RefCell::new(Vec::new());
        let mut refuse = |refusal: Value| {
            all.borrow_mut().push(format!("{} {}", refusal["error"]["code"], refusal["id"]));
            Ok(())
        };
        while let Some(read) = next(&mut input, &mut refuse).expect("bytes can be read") {
            all.borrow_mut().push(match read {
                Message::Request(request) => request.method,
                Message::Notification(notification) => notification.method,
                Message::Response(_) => "response".to_owned(),
            });
        }
        all.into_inner()
    }

    fn framed(text: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{text}", text.len())
    }

    const GOOD: &str = r#"{"jsonrpc":"2.0","id":1,"method":"good"}"#;

    #[test]
    fn a_message_that_is_none_is_answered_and_the_next_one_is_read() {
        let bad = [
            ("{".to_owned(), "-32700 null"),
            ("[]".to_owned(), "-32600 null"),
            ("{}".to_owned(), "-32600 null"),
            (r#"{"id":7,"method":3}"#.to_owned(), "-32600 7"),
            ("\u{fffd}".to_owned(), "-32700 null"),
            ("[".repeat(100_000), "-32700 null"),
        ];
        for (text, expected) in bad {
            let bytes = framed(&text) + &framed(GOOD);
            assert_eq!(read(bytes.as_bytes()), [expected, "good"], "{}", &text[..text.len().min(40)]);
        }
    }

    #[test]
    fn a_head_that_is_none_is_answered_and_the_next_one_is_found() {
        let heads = [
            "Content-Length: 99999999999999\r\n\r\n{}",
            "Content-Length: 18446744073709551616\r\n\r\n{}",
            "Content-Length: -1\r\n\r\n{}",
            "Content-Length: many\r\n\r\n",
            "Content-Type: text\r\n\r\n{}",
            "no header\r\n\r\n",
            "\r\n",
            "half a line\n",
        ];
        for head in heads {
            let bytes = head.to_owned() + &framed(GOOD) + &framed(GOOD);
            assert_eq!(read(bytes.as_bytes()), ["-32700 null", "good", "good"], "{head}");
        }
        for rest in 0..40 {
            let endless = "x".repeat(3 * MOST_LINE - rest) + &framed(GOOD);
            assert_eq!(read(endless.as_bytes()), ["-32700 null", "good"], "{rest}");
        }
    }

    #[test]
    fn a_length_that_is_wrong_costs_what_it_covers() {
        let long =
            format!("Content-Length: {}\r\n\r\n{GOOD}", GOOD.len() + 5) + &framed(GOOD) + &framed(GOOD);
        assert_eq!(read(long.as_bytes()), ["-32700 null", "-32700 null", "good"]);
        let short = format!("Content-Length: {}\r\n\r\n{GOOD}", GOOD.len() - 5) + &framed(GOOD);
        assert_eq!(read(short.as_bytes()), ["-32700 null", "good"]);
    }

    #[test]
    fn what_never_comes_ends_the_input_and_takes_no_memory() {
        assert_eq!(read(b"Content-Length: 60000000\r\n\r\n{}"), [""; 0]);
        assert_eq!(read(b"Content-Le"), ["-32700 null"]);
        assert_eq!(read(b""), [""; 0]);
    }
}
