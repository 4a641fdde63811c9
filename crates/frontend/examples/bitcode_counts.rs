//! Prints what a bitcode file holds: functions, blocks, instructions by operation, debug locations.
//!
//! `cargo run --release -p watertight-frontend --example bitcode_counts -- FILE...`

use std::process::ExitCode;

use watertight_frontend::bitcode::{Counts, Module};

fn main() -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    let files: Vec<_> = std::env::args_os().skip(1).collect();
    for file in &files {
        if files.len() > 1 {
            println!("file {}", file.display());
        }
        match count(file) {
            Ok(counts) => print!("{counts}"),
            Err(message) => {
                eprintln!("{}: {message}", file.display());
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}

fn count(file: &std::ffi::OsStr) -> Result<Counts, String> {
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    let module = Module::parse(&bytes).map_err(|error| error.to_string())?;
    Counts::of(std::slice::from_ref(&module)).map_err(|error| error.to_string())
}
