//! Tests of the language as a whole.

use super::*;

#[test]
fn every_shipped_file_can_be_read() {
    let mut models = Models::default();
    for (name, text) in PACKS {
        match parse(&format!("models/{name}.model"), text) {
            Ok(file) => match models.add(file) {
                Ok(replaced) => assert!(replaced.is_empty(), "{name} repeats {replaced:?}"),
                Err(errors) => panic!("{}", errors[0]),
            },
            Err(errors) => panic!("{}", errors.iter().map(|error| format!("{error}\n")).collect::<String>()),
        }
    }
    eprintln!("{} functions", models.functions.len());
}
