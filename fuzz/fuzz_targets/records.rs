//! Bytes as what an observed build leaves behind.
//!
//! What must hold: damage costs only what is damaged; the flags of what is left are those of the table.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| watertight_capture::fuzzed::records(bytes));
