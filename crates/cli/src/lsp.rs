//! `watertight lsp`: serves an editor.
//!
//! The server runs this same binary for every check, with the options of its own command line. Settings of the
//! project are read by those runs, in the folder that the editor has open.

use std::ffi::OsString;

use watertight_lsp::{Options, serve};

use crate::args::Common;
use crate::exit::{Exit, Stop};

/// Serves until the editor says goodbye.
pub(crate) fn lsp(common: &Common) -> Result<Exit, Stop> {
    let program = std::env::current_exe()
        .map_err(|error| Stop::environment(format!("cannot find out where watertight is: {error}")))?;
    let mut arguments: Vec<OsString> = Vec::new();
    let mut option = |name: &str, value: Option<OsString>| {
        arguments.extend(value.map(|value| [OsString::from(name), value]).into_iter().flatten());
    };
    option("--clang", common.clang.clone().map(OsString::from));
    option("--cache-dir", common.cache_dir.clone().map(OsString::from));
    option("--threads", common.threads.map(|threads| threads.to_string().into()));
    if common.trust_paths {
        arguments.push("--trust-paths".into());
    }
    if common.no_cache {
        arguments.push("--no-cache".into());
    }
    let version = env!("CARGO_PKG_VERSION").to_owned();
    serve(Options { program, arguments, version }).map_err(Stop::environment)?;
    Ok(Exit::Clean)
}
