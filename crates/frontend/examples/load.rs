//! Loads bitcode files and prints the time of each stage, or the IR with `--print`.
use std::time::Instant;
use watertight_frontend::{bitcode::Module, join, lower};

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let print = args.iter().any(|a| a == "--print");
    let memory = args.iter().any(|a| a == "--memory");
    args.retain(|a| !a.starts_with("--"));
    let start = Instant::now();
    let mut parts = Vec::new();
    for path in &args {
        let bytes = std::fs::read(path).expect("readable");
        let module = match Module::parse(&bytes) {
            Ok(m) => m,
            Err(e) => {
                eprintln!("{path}: {e}");
                continue;
            }
        };
        parts.push(lower::lower(&module, path, if memory { lower::Form::Memory } else { lower::Form::Ssa }));
    }
    eprintln!("decode+lower {:?}", start.elapsed());
    let program = join::join(parts);
    eprintln!(
        "total {:?}: {} functions, {} with body, {} problems",
        start.elapsed(),
        program.functions.len(),
        program.defined().count(),
        program.problems.len()
    );
    for p in program.problems.iter().take(20) {
        eprintln!("  {}: {}", p.subject, p.message);
    }
    if print {
        println!("{}", watertight_ir::print::print(&program));
    }
}
