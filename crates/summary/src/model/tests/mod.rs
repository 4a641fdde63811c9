//! Tests of the model language and of the shipped models.

mod documentation;
mod language;
mod mistakes;
mod mutation;
mod round_trip;
mod shipped;
mod words;

use super::{ModelFile, Spelling, parse, print};

/// A file that must be right.
fn read(text: &str) -> ModelFile {
    match parse("test.model", text) {
        Ok(file) => file,
        Err(errors) => {
            let all: Vec<String> = errors.iter().map(ToString::to_string).collect();
            panic!("{}", all.join("\n"))
        }
    }
}

/// The models of a file as text.
fn printed(file: &ModelFile) -> String {
    let spell = |model: &super::Model| {
        let spelling = Spelling {
            kinds: file.kinds(),
            properties: None,
            parameters: &model.parameters,
            variadic: model.variadic,
            address: model.returns_address,
            global: &|global| global.to_string(),
        };
        print(&model.name, &model.summary, spelling)
    };
    file.models.iter().map(spell).collect()
}
