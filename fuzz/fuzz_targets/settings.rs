//! Bytes as `watertight.toml` and as `watertight-marks.toml`.
//!
//! What must hold: settings or a line with what is wrong; marks read back as they were written.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code, reason = "the program uses the rest")]
#[path = "../../crates/cli/src/mark_text.rs"]
mod mark_text;
#[allow(dead_code, reason = "the program uses the rest")]
#[path = "../../crates/cli/src/settings_text.rs"]
mod settings_text;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Err((line, why)) = settings_text::parse(text) {
        assert!(line > 0 && line <= text.matches('\n').count() + 1, "line {line}: {why}");
    }
    if let Ok(entries) = mark_text::parse(text) {
        let written = mark_text::to_text(entries.iter());
        let again = mark_text::parse(&written).expect("what was written reads back");
        assert_eq!(mark_text::to_text(again.iter()), written, "marks change when they are read back");
    }
});
