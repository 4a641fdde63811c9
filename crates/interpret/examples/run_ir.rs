//! Runs a program given as text IR: `cargo run --release --example run_ir -- program.ir args...`.
//!
//! Prints what the program prints, then says on standard error how it ended, how many steps it took and
//! which heap blocks were never freed.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Instant;
use watertight_interpret::{End, Interpreter, Options};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(path) = args.first() else {
        eprintln!("usage: run_ir program.ir args...");
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::from(3);
        }
    };
    let program = match watertight_ir::parse(path, &text) {
        Ok(program) => program,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(3);
        }
    };
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let start = Instant::now();
    let outcome = Interpreter::new(&program, Options::default()).run_main(&words);
    let seconds = start.elapsed().as_secs_f64();
    let _ = std::io::stdout().write_all(&outcome.stdout);
    let _ = std::io::stderr().write_all(&outcome.stderr);
    eprintln!(
        "{} steps in {seconds:.2} s, {:.1} million per second",
        outcome.steps,
        outcome.steps as f64 / seconds / 1e6
    );
    for block in &outcome.live_blocks {
        let site = block.site.map_or_else(|| "outside".to_owned(), |site| site.describe(&program));
        eprintln!("not freed: {} bytes from {site}, {:?}", block.bytes, block.reachable);
    }
    match outcome.end {
        End::Exit(status) => ExitCode::from(status),
        End::Trap(trap) => {
            eprintln!("{}", trap.describe(&program));
            ExitCode::from(4)
        }
        other => {
            eprintln!("{other:?}");
            ExitCode::from(4)
        }
    }
}
