//! Bytes as what an editor sends to the language server.
//!
//! What must hold: each message is read or refused, the next one is found, and nothing that is announced takes memory.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| watertight_lsp::fuzzed::session(bytes));
