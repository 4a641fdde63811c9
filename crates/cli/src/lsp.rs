//! `watertight lsp`: serves an editor.
//!
//! The server runs this same binary for every check, with the options of its own command line. Settings of the
//! project are read by those runs, in the folder that the editor has open.

use std::ffi::OsString;

use tempfile::TempDir;
use watertight_lsp::{Options, serve};
use watertight_report::rule_page::page;

use crate::args::Common;
use crate::exit::{Exit, Stop};
use crate::messages;

/// Serves until the editor says goodbye.
pub(crate) fn lsp(common: &Common) -> Result<Exit, Stop> {
    let program = std::env::current_exe().map_err(messages::no_own_path)?;
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
    let folder = pages();
    let pages = folder.as_ref().map(|folder| folder.path().to_path_buf());
    let version = env!("CARGO_PKG_VERSION").to_owned();
    serve(Options { program, arguments, version, pages }).map_err(Stop::environment)?;
    Ok(Exit::Clean)
}

/// The pages of the rules, in a folder of this session: they are there however watertight was installed. Without a place to write
/// there are no links to them.
fn pages() -> Option<TempDir> {
    let folder = tempfile::Builder::new().prefix("watertight-rules-").tempdir().ok()?;
    for rule in watertight_analysis::rules() {
        std::fs::write(folder.path().join(format!("{}.md", rule.id)), page(&rule)).ok()?;
    }
    Some(folder)
}
