//! Solves bitcode files together, and prints what it cost: `cargo run --release --example solve -- FILE.bc...`

use std::time::Instant;
use watertight_frontend::bitcode::Module;
use watertight_frontend::{join, lower};
use watertight_pointer::PointsTo;

fn main() {
    let units = std::env::args().skip(1).map(|path| {
        let bytes = std::fs::read(&path).expect("the file can be read");
        let module = Module::parse(&bytes).expect("the file is bitcode");
        lower::lower(&module, &path, lower::Form::Ssa)
    });
    let program = join::join(units.collect());
    let names: std::collections::BTreeSet<&str> =
        program.functions.values().map(|function| &*function.name).collect();
    let models = watertight_summary::model::shipped_for(&|name| names.contains(name));
    let start = Instant::now();
    let points_to = PointsTo::new(&program, &models);
    let ended = if points_to.complete { "complete" } else { "given up" };
    println!("{:.3} s, {ended}, {:?}", start.elapsed().as_secs_f64(), points_to.figures);
}
