//! Bytes as what a browser sends, which come in pieces.
//!
//! What must hold: a request, or the answer that refuses it; whoever has no token gets nothing but a refusal; the answer
//! can be written and its head holds nothing of the request that could end it.
#![no_main]

use std::io::Read;

use libfuzzer_sys::fuzz_target;
use watertight_report::SourceMap;
use watertight_web::guard::Guard;
use watertight_web::http::{Body, read_head, write};
use watertight_web::{Function, InMemory, Knowledge, Origin, Site};

/// Gives a few bytes at a time, as a network does.
struct Pieces<'b>(&'b [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let length = self.1.clamp(1, out.len()).min(self.0.len());
        out[..length].copy_from_slice(&self.0[..length]);
        self.0 = &self.0[length..];
        Ok(length)
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, rest)) = bytes.split_first() else { return };
    let mut stream = Pieces(rest, usize::from(first) * 8);
    let head = match read_head(&mut stream) {
        Ok(head) => head,
        Err(refusal) => {
            assert!(refusal.is_none_or(|answer| answer.status >= 400), "a request that is none is answered");
            return;
        }
    };
    let local = "127.0.0.1:80".parse().expect("this is an address");
    let asks = Guard::new(local, &[], Some("token".to_owned())).expect("there is a token");
    if asks.check(&head.request).is_ok() {
        let given = head.request.headers.iter().any(|(_, value)| value.contains("token"));
        assert!(given, "nobody gave the token");
    }
    let open = Guard::new(local, &[], None).expect("nobody else reaches it");
    let Some(request) = head.read_body(&mut stream) else { return };
    if open.check(&request).is_err() {
        return;
    }
    let answer = site().answer(&request);
    let mut sent = Vec::new();
    write(&mut sent, &answer, Body::Sent).expect("memory takes everything");
    let end = sent.windows(4).position(|four| four == b"\r\n\r\n").expect("there is a head");
    assert_eq!(sent.len() - end - 4, answer.body.len(), "the head ends early");
});

fn site() -> Site {
    let function = Function { name: "main".to_owned(), origin: Origin::Code, ..Function::default() };
    let knowledge = Knowledge { functions: vec![function], ..Knowledge::default() };
    let sources = SourceMap::from_iter([("a.c", "int main(void) { return 0; }\n")]);
    Site::new(knowledge, Box::new(sources), Box::new(InMemory::default()))
}
