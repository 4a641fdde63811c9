//! Bytes as a file of library models.
//!
//! What must hold: a file or errors that can be shown; what is read can be added to the shipped models and printed, and the
//! printed model of a function reads back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use watertight_summary::model::{Models, Spelling, parse, print};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let file = match parse("fuzz.model", text) {
        Ok(file) => file,
        Err(errors) => {
            assert!(!errors.is_empty(), "a file is refused and nobody says why");
            errors.iter().for_each(|error| drop(error.to_string()));
            return;
        }
    };
    for model in &file.models {
        let spelling = Spelling {
            kinds: file.kinds(),
            properties: None,
            parameters: &model.parameters,
            variadic: model.variadic,
            address: model.returns_address,
            global: &|_| String::from("global"),
        };
        drop(print(&model.name, &model.summary, spelling));
    }
    drop(Models::default().add(file));
});
