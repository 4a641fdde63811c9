//! Bytes as the words of a shell and as response files, which name each other by number and are divided by zero bytes.
//!
//! What must hold: reading comes to an end, words read back as they were written, and the flags are those of the table.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| watertight_capture::fuzzed::responses(bytes));
