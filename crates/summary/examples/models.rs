//! Measures how long the shipped models take to read, and prints what is said about functions.
//!
//! ```text
//! cargo run --release -p watertight-summary --example models
//! cargo run --release -p watertight-summary --example models -- getline realloc
//! ```

use std::time::Instant;
use watertight_summary::model::{PACKS, Spelling, print, shipped, shipped_for};
use watertight_summary::words::{Names, describe};

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let models = shipped();
    for name in &asked {
        let Some(summary) = models.functions.get(&**name) else {
            println!("{name} is not modelled");
            continue;
        };
        let origin = &models.origins[&**name];
        let address = origin.returns_address;
        let (parameters, variadic) = (&origin.parameters, origin.variadic);
        let global = &|id: watertight_ir::GlobalId| id.to_string();
        let spelling =
            Spelling { kinds: &models.kinds, properties: None, parameters, variadic, address, global };
        print!("{}", print(name, summary, spelling));
        let names = Names { kinds: &models.kinds, properties: None, parameters, address, place: &|_| None };
        for sentence in describe(summary, names) {
            println!("    {sentence}");
        }
    }
    if asked.is_empty() {
        let mut counts = vec![0; PACKS.len()];
        for origin in models.origins.values() {
            counts[origin.file] += 1;
        }
        for ((name, text), count) in PACKS.iter().zip(&counts) {
            println!("{name:10} {count:5} functions {:7} bytes", text.len());
        }
        println!("{:10} {:5} functions, {} kinds", "all", models.functions.len(), models.kinds.count());
        let mut best = f64::MAX;
        for _ in 0..200 {
            let start = Instant::now();
            let models = shipped();
            best = best.min(start.elapsed().as_secs_f64());
            assert!(!models.functions.is_empty());
        }
        println!("read in {:.2} ms", best * 1000.0);
        let few = ["malloc", "free", "printf", "fopen", "fclose", "strdup", "memcpy", "realloc"];
        let mut best = f64::MAX;
        for _ in 0..200 {
            let start = Instant::now();
            let models = shipped_for(&|name| few.contains(&name));
            best = best.min(start.elapsed().as_secs_f64());
            assert_eq!(models.functions.len(), few.len());
        }
        println!("read in {:.2} ms for a small program", best * 1000.0);
    }
}
