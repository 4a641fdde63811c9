//! What a shell and a reader of manuals want: `watertight completions` and, for packages, the manual pages.
//!
//! Both are made from the definition of the command line in [`crate::args`], so they cannot say anything else than `--help`.

use std::path::Path;

use clap::{Command, CommandFactory};
use clap_complete::{Shell, generate};
use clap_mangen::Man;

use crate::args::Arguments;
use crate::exit::{Exit, Stop};
use crate::output;

/// The name of the program.
const PROGRAM: &str = "watertight";

/// Prints the completions for a shell.
pub(crate) fn completions(shell: Shell) -> Result<Exit, Stop> {
    let mut text = Vec::new();
    generate(shell, &mut Arguments::command(), PROGRAM, &mut text);
    output::write(None, Box::new(move |out| out.write_all(&text)))?;
    Ok(Exit::Clean)
}

/// Writes the manual pages into a directory: one for the program and one for each command.
pub(crate) fn manuals(directory: &Path) -> Result<Exit, Stop> {
    let mut program = Arguments::command();
    program.build();
    write_page(directory, PROGRAM, program.clone())?;
    for command in program.get_subcommands().filter(|command| !command.is_hide_set()) {
        if command.get_name() != "help" {
            let name = format!("{PROGRAM}-{}", command.get_name());
            // The name that it has on its page, `watertight-check`, was given to it by `build`.
            write_page(directory, &name, command.clone())?;
        }
    }
    Ok(Exit::Clean)
}

fn write_page(directory: &Path, name: &str, command: Command) -> Result<(), Stop> {
    let path = directory.join(format!("{name}.1"));
    let page = Man::new(command.version(env!("CARGO_PKG_VERSION"))).manual("Watertight");
    output::write(Some(&path), Box::new(move |out| page.render(out)))
}
