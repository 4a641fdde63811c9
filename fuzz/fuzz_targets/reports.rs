//! Bytes as a baseline, and as a report that is compared with another.
//!
//! What must hold: a baseline reads back as it was written, and a report does not differ from itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use watertight_report::baseline::Baseline;
use watertight_report::diff;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(baseline) = Baseline::parse(text) {
        let again = Baseline::parse(&baseline.to_text()).expect("what was written reads back");
        assert_eq!(again.to_text(), baseline.to_text(), "a baseline changes when it is read back");
        drop(baseline.compare(&[]));
    }
    if let Ok(report) = diff::read(text) {
        let same = diff::compare(&report, &report);
        assert!(same.new.is_empty() && same.fixed.is_empty(), "a report differs from itself");
        drop((diff::to_text(&same, 3), diff::to_json(&same)));
    }
});
