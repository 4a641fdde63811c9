//! The parsers of this crate for the fuzz targets, with what must hold of their answers. Not part of a normal build.

use std::cell::Cell;
use std::path::Path;

use crate::captured::Seen;
use crate::command::{CompileCommand, Origin};
use crate::compile_db;
use crate::flags::{Driver, Flag, parse};
use crate::plan::plan;
use crate::record::{parse_log, parse_shim};
use crate::shell_words::{expand_responses, join_response, split, split_response};

/// Where the commands are said to have run: nothing is there.
const NOWHERE: &str = "/nowhere/at/all";

/// A compilation database: its commands are planned, and no flag that comes out can be taken for anything else.
pub fn database(bytes: &[u8]) {
    let nowhere = Path::new(NOWHERE);
    let Ok(database) = compile_db::entries(bytes, nowhere, "compile_commands.json", nowhere) else { return };
    for command in &database.commands {
        for driver in [Driver::C, Driver::Cxx] {
            parse(&command.arguments, driver).flags.iter().for_each(harmless);
        }
    }
    let planned = plan(&database.commands, &[], nowhere, &mut Seen::default());
    planned.jobs.iter().flat_map(|job| &job.flags).for_each(harmless);
}

/// Lines as a shell has them, and texts of response files that name each other by number: `@0`, `@1`.
pub fn responses(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(words) = split(text) {
        assert!(words.iter().map(String::len).sum::<usize>() <= text.len(), "more comes out than went in");
    }
    let words = split_response(text);
    assert_eq!(split_response(&join_response(&words)), words, "words change when they are read back");
    let files: Vec<&str> = text.split('\0').collect();
    let reads = Cell::new(0);
    let read = |name: &str| {
        reads.set(reads.get() + 1);
        files.get(name.parse::<usize>().ok()?).map(|text| (*text).to_owned())
    };
    if let Ok(arguments) = expand_responses(split_response(files[0]), &read) {
        parse(&arguments, Driver::C).flags.iter().for_each(harmless);
    }
    assert!(reads.get() <= 1 << 20, "{} response files were read", reads.get());
}

/// What an observed build leaves behind, also cut off anywhere.
pub fn records(bytes: &[u8]) {
    let (records, _) = parse_log(bytes);
    let commands: Vec<CompileCommand> = records
        .into_iter()
        .chain(parse_shim(bytes))
        .map(|record| CompileCommand {
            origin: Origin::Build,
            directory: record.directory,
            arguments: record.arguments,
            file: None,
            output: None,
            environment: record.environment,
        })
        .collect();
    let planned = plan(&commands, &[], Path::new(NOWHERE), &mut Seen::default());
    planned.jobs.iter().flat_map(|job| &job.flags).for_each(harmless);
}

/// What reaches clang is one flag with its value, whatever stood in the command.
fn harmless(flag: &Flag) {
    let shown = flag.display();
    assert!(flag.text.starts_with('-'), "`{shown}` is no flag");
    match &flag.value {
        Some(value) => assert!(!value.starts_with(['-', '@']), "the value of `{shown}` is a flag itself"),
        // A flag that has lost its value takes the argument that follows.
        None => assert!(
            !matches!(&*flag.text, "-I" | "-D" | "-U" | "-F" | "-include" | "-imacros" | "-isystem"),
            "{shown}"
        ),
    }
    for word in ["plugin", "-load", "-Xclang", "-mllvm", "--config", "-driver-mode", "-B", "-specs", "-cc1"] {
        assert!(!flag.text.starts_with(word), "`{shown}` reaches clang");
    }
}
