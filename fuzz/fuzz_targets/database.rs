//! Bytes as a compilation database: reading, and planning what is to be compiled.
//!
//! What must hold: an answer or an error; every flag that would reach clang is one of the table, with its value.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| watertight_capture::fuzzed::database(bytes));
