//! The language server: findings, contracts and proofs in an editor.
//!
//! In: the language server protocol on standard input. Out: the same on standard output. The server is a shell around
//! the other commands: a check, a summary or a proof is one run of the `watertight` binary with its machine-readable
//! output ([`tasks`]). That is what makes out-of-date work stop at once (its process is ended), keeps a failure of
//! ours from taking the editor's session with it, and gives the editor the results that the command line gives, from the same
//! cache.
//!
//! | Editor | Server |
//! | --- | --- |
//! | open or save a file | a check; findings as diagnostics, every step of a path as related information |
//! | hover over a call | the contract of the function, in the words of `watertight summary` |
//! | code action on a finding | a comment that suppresses it and asks for the reason |
//! | code action on a statement | a proof that it loses nothing, or the path on which it does |
//!
//! [`server`] is the loop; [`project`] says what is checked; [`diagnostics`] turns findings into what editors show;
//! [`actions`] makes edits; [`wire`] reads what comes; [`documents`] knows what the editor has open.

mod actions;
mod diagnostics;
mod documents;
#[cfg(feature = "fuzzing")]
pub mod fuzzed;
mod outputs;
mod project;
mod server;
mod tasks;
mod uri;
mod wire;

use std::ffi::OsString;
use std::io::BufReader;
use std::path::PathBuf;

/// How the server runs.
#[derive(Debug, Clone)]
pub struct Options {
    /// The `watertight` binary.
    pub program: PathBuf,
    /// Arguments that every run of it gets: the cache, the compiler.
    pub arguments: Vec<OsString>,
    /// Of `watertight` itself.
    pub version: String,
    /// A folder with a page for every rule, `memory-leak.md`: diagnostics link to it.
    pub pages: Option<PathBuf>,
}

/// Serves an editor on standard input and output until it says goodbye.
///
/// # Errors
///
/// When the editor breaks the protocol or goes away without a word.
pub fn serve(options: Options) -> Result<(), String> {
    let (connection, writer) = wire::connect(BufReader::new(std::io::stdin()), std::io::stdout());
    let result = server::run(connection, options);
    let written = writer.join().map_err(|_| "the thread that writes has failed".to_owned())?;
    written.map_err(|error| format!("cannot talk to the editor: {error}"))?;
    result
}
