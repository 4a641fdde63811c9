//! The command line of Watertight.
//!
//! A shell without analysis inside: [`args`] says what can be typed, each command is a module, and everything that
//! goes to a person or a program passes through [`output`]. How a run ends is decided in [`exit`]; the codes are
//!
//! | code | means |
//! | --- | --- |
//! | 0 | nothing found in all that was asked for |
//! | 1 | findings |
//! | 2 | wrong usage: flags, a file that does not exist, a mistake in `watertight.toml` or in a file of models or properties |
//! | 3 | the environment: no clang, unreadable input, a unit that does not compile, disk full |
//! | 4 | a bug of ours |
//!
//! `exec` ends as the program that it runs ends.

mod args;
mod baseline;
mod changes;
mod check;
mod config;
mod diff;
mod dump;
mod exec;
mod exit;
mod frames;
mod init;
mod keys;
mod lsp;
mod mark;
mod mark_text;
mod marks;
mod messages;
mod nearby;
mod notes;
mod output;
mod progress;
mod project;
mod prove;
mod revision;
mod rules;
mod scope;
mod serve;
mod settings;
mod settings_text;
mod shell;
mod sources;
mod summary;
mod version;
mod worker;
mod workers;

use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use clap::error::{ContextKind, ContextValue};
use watertight_analysis::{DumpForm, protect};

use crate::args::{Arguments, Command};
use crate::exit::{Exit, Stop};
use crate::settings::Settings;

/// Formulas are many small blocks; see docs/decisions/0002-dependencies.md for what this allocator saves.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    protect::watch();
    let exit = match protect::protect(typed) {
        Ok(Ok(exit)) => exit,
        Ok(Err(stop)) => {
            output::say(&format!("watertight: {}", stop.message));
            stop.exit
        }
        Err(panic) => {
            output::say(&format!("watertight: internal error: {panic}"));
            output::say(exit::ASK_FOR_REPORT);
            Exit::Bug
        }
    };
    ExitCode::from(exit.code())
}

/// Understands what was typed, and does it.
fn typed() -> Result<Exit, Stop> {
    match Arguments::try_parse() {
        Ok(arguments) => command(arguments),
        Err(error) if error.use_stderr() => {
            if let Some(file) = file_for_command(&error) {
                return Err(messages::file_for_command(file));
            }
            // If standard error is gone, nobody is there to be told.
            let _ = error.print();
            Ok(Exit::Usage)
        }
        // Help was asked for, or the version.
        Err(help) => {
            output::told(help.print().and_then(|()| io::stdout().flush()))?;
            Ok(Exit::Clean)
        }
    }
}

/// The file that was typed where a command belongs.
fn file_for_command(error: &clap::Error) -> Option<&str> {
    match error.get(ContextKind::InvalidSubcommand)? {
        ContextValue::String(typed) if Path::new(typed).exists() => Some(typed),
        _ => None,
    }
}

fn command(arguments: Arguments) -> Result<Exit, Stop> {
    // Neither needs a project.
    match &arguments.command {
        Command::Lsp(_) => return lsp::lsp(&arguments.common),
        Command::Completions { shell } => return shell::completions(*shell),
        Command::Manuals { directory } => return shell::manuals(directory),
        Command::Worker => return worker::worker(&arguments.common),
        _ => {}
    }
    let settings = Settings::new(&arguments.common)?;
    match arguments.command {
        Command::Check(check) => check::check(&settings, check),
        Command::Rules => rules::list(&settings),
        Command::Explain(explain) => rules::explain(&settings, &explain),
        Command::Init(init) => init::init(&settings, &init),
        Command::Run(run) => check::run(&settings, run),
        Command::Baseline(arguments) => baseline::write(&settings, &arguments),
        Command::Diff(arguments) => diff::diff(&settings, &arguments),
        Command::Mark(arguments) => mark::mark(&settings, &arguments.action),
        Command::Dump(dump) => {
            let form = if dump.dot { DumpForm::Graph } else { DumpForm::Text };
            let request = dump::request(&settings, dump.stage, &dump.inputs)?;
            dump::dump_as(&settings, dump.stage, request, dump.json, form)
        }
        Command::Summary(summary) => summary::summary(&settings, &summary),
        Command::Prove(prove) => prove::prove(&settings, &prove),
        Command::Certificate(certificate) => prove::certificate(&settings, &certificate),
        Command::Exec(exec) => exec::exec(&settings, &exec),
        Command::Lsp(_) => lsp::lsp(&arguments.common),
        Command::Completions { shell } => shell::completions(shell),
        Command::Manuals { directory } => shell::manuals(&directory),
        Command::Serve(serve) => serve::serve(&settings, &serve),
        Command::Worker => worker::worker(&arguments.common),
        Command::Version => version::version(&settings),
    }
}
