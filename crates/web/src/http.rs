//! As much of HTTP/1.1 as a page on one machine needs.
//!
//! One request per connection, answered and closed. The head is read by `httparse`; everything else is refused rather
//! than guessed: bodies without a length, transfer encodings, heads and bodies beyond the limits, two lengths. The head
//! is read first, so that whoever may not ask is refused before anything else is read.

use std::io::{self, ErrorKind, Read, Write};

/// The longest head.
const MOST_HEAD: usize = 16 << 10;
/// The most headers.
const MOST_HEADERS: usize = 64;
/// The longest body: a mark with its note.
const MOST_BODY: usize = 64 << 10;

/// What somebody asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// `GET`, `HEAD` or `POST`, or something that is refused later.
    pub method: String,
    /// The path as it was sent, without the query and not decoded.
    pub path: String,
    /// Decoded names and values of the query.
    pub query: Vec<(String, String)>,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// May be empty.
    pub body: Vec<u8>,
}

impl Request {
    /// A header that must occur once at most; nothing if it is missing or occurs twice.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        match (found.next(), found.next()) {
            (Some((_, value)), None) => Some(value),
            _ => None,
        }
    }

    /// The first value of a name in the query.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// What is sent back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The type of the body.
    pub kind: &'static str,
    /// The body.
    pub body: Vec<u8>,
    /// Further headers, made by us and never from what a request has.
    pub headers: Vec<(&'static str, String)>,
}

impl Response {
    /// An answer of a type.
    #[must_use]
    pub fn new(status: u16, kind: &'static str, body: impl Into<Vec<u8>>) -> Response {
        Response { status, kind, body: body.into(), headers: Vec::new() }
    }

    /// A short text.
    #[must_use]
    pub fn text(status: u16, text: &str) -> Response {
        Response::new(status, "text/plain; charset=utf-8", format!("{text}\n"))
    }
}

/// A request whose body has not been read.
#[derive(Debug)]
pub struct Head {
    /// The request, with an empty body.
    pub request: Request,
    /// How long its body is.
    length: usize,
    /// What came with the head.
    rest: Vec<u8>,
}

/// Reads the head of one request.
///
/// # Errors
///
/// The answer to send when the request is none; nothing if the other side is gone.
pub fn read_head(stream: &mut impl Read) -> Result<Head, Option<Response>> {
    let bad = |text: &str| Some(Response::text(400, text));
    let mut bytes = Vec::new();
    let (request, head) = loop {
        let mut part = [0; 4096];
        let number = match stream.read(&mut part) {
            Ok(0) => return Err(None),
            Ok(number) => number,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return Err(None),
        };
        bytes.extend_from_slice(&part[..number]);
        match parse_head(&bytes).map_err(|()| bad("this is no request"))? {
            Some(found) => break found,
            None if bytes.len() > MOST_HEAD => return Err(Some(Response::text(431, "the head is too long"))),
            None => {}
        }
    };
    if request.headers.iter().any(|(name, _)| name == "transfer-encoding") {
        return Err(Some(Response::text(411, "a body needs a length")));
    }
    let lengths: Vec<&str> = request
        .headers
        .iter()
        .filter(|(name, _)| name == "content-length")
        .map(|(_, v)| v.as_str())
        .collect();
    let length = match lengths.as_slice() {
        [] => 0,
        [one] if !one.is_empty() && one.bytes().all(|byte| byte.is_ascii_digit()) => {
            one.parse().unwrap_or(usize::MAX)
        }
        _ => return Err(bad("the length is not understood")),
    };
    if length > MOST_BODY {
        return Err(Some(Response::text(413, "the body is too long")));
    }
    Ok(Head { request, length, rest: bytes.split_off(head.min(bytes.len())) })
}

impl Head {
    /// Reads the body; nothing if it never comes.
    pub fn read_body(self, stream: &mut impl Read) -> Option<Request> {
        let Head { mut request, length, rest: mut body } = self;
        body.truncate(length);
        let missing = length - body.len();
        stream.take(missing as u64).read_to_end(&mut body).ok()?;
        request.body = body;
        (request.body.len() == length).then_some(request)
    }
}

/// The request without its body and the length of the head, when it is complete.
fn parse_head(bytes: &[u8]) -> Result<Option<(Request, usize)>, ()> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(length) = parsed.parse(bytes).map_err(|_| ())? else { return Ok(None) };
    let target = parsed.path.ok_or(())?;
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut request = Request {
        method: parsed.method.ok_or(())?.to_owned(),
        path: path.to_owned(),
        query: parse_query(query),
        ..Request::default()
    };
    for header in parsed.headers.iter() {
        let value = std::str::from_utf8(header.value).map_err(|_| ())?;
        request.headers.push((header.name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    Ok(Some((request, length)))
}

fn parse_query(query: &str) -> Vec<(String, String)> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name), decode(value))
        })
        .collect()
}

/// Undoes percent-encoding. What is not encoded as it should be stays as it is.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 3).and_then(|two| std::str::from_utf8(two).ok());
        let digits = digits.filter(|two| two.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match (bytes[at], digits.and_then(|two| u8::from_str_radix(two, 16).ok())) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 2;
            }
            (b'+', _) => out.push(b' '),
            (byte, _) => out.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Sends an answer. Every answer has the headers that keep other pages out.
///
/// # Errors
///
/// When the other side is gone.
pub fn write(stream: &mut impl Write, response: &Response, body: Body) -> io::Result<()> {
    let reason = match response.status {
        200 => "OK",
        303 => "See Other",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        _ => "Other",
    };
    let mut head = format!(
        "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n\
         Content-Security-Policy: {POLICY}\r\n",
        response.status,
        response.kind,
        response.body.len()
    );
    for (name, value) in &response.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes())?;
    if body == Body::Sent {
        stream.write_all(&response.body)?;
    }
    stream.flush()
}

/// Whether the body is sent, or only described as for `HEAD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// It is sent.
    Sent,
    /// It is left out.
    LeftOut,
}

/// Nothing from elsewhere, nothing inline, and no frame around the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &mut &[u8]) -> Result<Request, Option<Response>> {
        read_head(bytes)?.read_body(bytes).ok_or(None)
    }

    fn status(bytes: &[u8]) -> u16 {
        match read(&mut &*bytes) {
            Ok(_) => 200,
            Err(Some(response)) => response.status,
            Err(None) => 0,
        }
    }

    #[test]
    fn a_request_is_read_with_its_body() {
        let text =
            b"POST /api/mark?a=%41+b&c HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: 3\r\n\r\nabcdef";
        let request = read(&mut &text[..]).unwrap();
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/api/mark"));
        assert_eq!(request.query, [("a".to_owned(), "A b".to_owned()), ("c".to_owned(), String::new())]);
        assert_eq!(request.header("host"), Some("localhost:1"));
        assert_eq!(request.body, b"abc");
    }

    #[test]
    fn what_is_not_clear_is_refused() {
        assert_eq!(status(b"nonsense\r\n\r\n"), 400);
        assert_eq!(status(b"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"), 400);
        assert_eq!(status(b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"), 400);
        assert_eq!(status(b"GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n"), 413);
        assert_eq!(status(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 411);
        assert_eq!(status(b"GET / HTTP/1.1\r\nContent-Length: 9\r\n\r\nab"), 0, "the rest never came");
        assert_eq!(status(b"GET / HT"), 0);
        let long = format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(MOST_HEAD + 9000));
        assert_eq!(status(long.as_bytes()), 431);
    }

    #[test]
    fn encoded_text_is_decoded_once() {
        assert_eq!(decode("%2e%2E%2f%252e+%zz%"), "../%2e %zz%");
        assert_eq!(decode("%C3%A9%ff"), "é\u{FFFD}");
    }

    #[test]
    fn a_header_that_occurs_twice_is_none() {
        let headers = ["a", "b"].map(|value| ("host".to_owned(), value.to_owned())).to_vec();
        assert_eq!(Request { headers, ..Request::default() }.header("host"), None);
    }

    #[test]
    fn every_answer_keeps_other_pages_out() {
        let mut out = Vec::new();
        write(&mut out, &Response::text(404, "nothing"), Body::LeftOut).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with("HTTP/1.1 404 Not Found\r\n") && text.ends_with("\r\n\r\n"));
        for header in
            ["frame-ancestors 'none'", "nosniff", "no-store", "Cross-Origin-Resource-Policy: same-origin"]
        {
            assert!(text.contains(header), "{header}");
        }
    }
}
