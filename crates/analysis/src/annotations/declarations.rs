//! Where declarations begin and end in a C text.
//!
//! In: the tokens of a file. Out: what stands between two declarations at the top level, as a head and a body. What is
//! declared is for others to see; `extern "C"` is looked into, structures and initialisers are bodies like any other.

use super::lex::{Kind, Token, matching};
use std::ops::Range;

/// One declaration, as ranges of tokens.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    pub(super) head: Range<usize>,
    /// What stands in braces after it, from the brace that opens to before the one that closes.
    pub(super) body: Option<Range<usize>>,
}

/// The declarations of a file.
pub(super) fn parts(tokens: &[Token<'_>]) -> Vec<Parts> {
    let mut found = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < tokens.len() {
        match tokens[at].kind {
            Kind::Sign(b';') => {
                found.push(Parts { head: start..at, body: None });
                start = at + 1;
                at += 1;
            }
            Kind::Sign(b'{') => {
                // What follows `extern "C"` are declarations.
                if at > start && tokens[start].text == "extern" && tokens[at - 1].kind == Kind::Other {
                    start = at + 1;
                    at += 1;
                    continue;
                }
                let end = matching(tokens, at);
                found.push(Parts { head: start..at, body: Some(at..end) });
                at = end + 1;
                start = at.min(tokens.len());
            }
            Kind::Sign(b'}') => {
                at += 1;
                start = at;
            }
            // Initialisers and parameters are no declarations.
            Kind::Sign(b'(') => at = matching(tokens, at) + 1,
            _ => at += 1,
        }
    }
    found
}
