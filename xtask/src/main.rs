//! Chores of the workspace, run as `cargo xtask <chore>`.
//!
//! * `tidy` checks what the compiler cannot: layers, file sizes, module comments, licences, assumptions ([`tidy`]).
//! * `links FOLDER` checks the links of a book ([`links`]).
//! * `bench [FILE.c... | -p DATABASE]` measures loading against clang in the same run, and `bench growth` how checks grow with the
//!   size of programs ([`bench`]).

mod bench;
mod links;
mod tidy;
mod truth;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let chore = arguments.first().map(String::as_str);
    match chore {
        Some("tidy") => told("tidy", tidy::tidy(&root())),
        Some("links") if arguments.len() == 2 => told("links", links::check(Path::new(&arguments[1]))),
        Some("bench") => match bench::bench(&root(), &arguments[1..]) {
            Ok(table) => {
                print!("{table}");
                ExitCode::SUCCESS
            }
            Err(message) => {
                eprintln!("bench: {message}");
                ExitCode::FAILURE
            }
        },
        Some("truth") => match truth::truth(&root(), &arguments[1..]) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(message) => {
                eprintln!("truth: {message}");
                ExitCode::from(2)
            }
        },
        _ => {
            eprintln!(
                "usage: cargo xtask tidy | links FOLDER | bench [FILE.c... [FLAGS] | -p DATABASE] [--runs N] | \
                 bench growth [SERIES...] [--plot FILE.svg] [--runs N]"
            );
            ExitCode::from(2)
        }
    }
}

/// Tells complaints, and succeeds if there are none.
fn told(chore: &str, complaints: std::io::Result<Vec<String>>) -> ExitCode {
    match complaints {
        Ok(complaints) if complaints.is_empty() => ExitCode::SUCCESS,
        Ok(complaints) => {
            for complaint in &complaints {
                eprintln!("{chore}: {complaint}");
            }
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{chore}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The root of the workspace.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask is a folder of the workspace").to_path_buf()
}
