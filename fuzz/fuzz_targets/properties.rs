//! Bytes as a file with a property.
//!
//! What must hold: a property or errors that can be shown; a property can be added to the shipped ones.
#![no_main]

use libfuzzer_sys::fuzz_target;
use watertight_summary::property::{Properties, parse};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match parse("fuzz.property", text) {
        Ok(property) => {
            let names: Vec<Box<str>> = property.events.iter().map(|(name, _)| name.clone()).collect();
            let mut all = Properties::default();
            all.add(property);
            for name in &names {
                assert!(all.mentions(name), "{name} is forgotten");
                assert!(all.events(name).count() > 0, "{name} has no events");
            }
        }
        Err(errors) => {
            assert!(!errors.is_empty(), "a file is refused and nobody says why");
            errors.iter().for_each(|error| drop(error.to_string()));
        }
    }
});
