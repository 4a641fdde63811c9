//! Prints what the engine finds lost in bitcode files, with a tiny library of models.
use std::time::Instant;
use watertight_frontend::{bitcode::Module, join, lower};

use watertight_path::memory::Origin;
use watertight_path::{Options, analyse};

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let show = args.iter().any(|a| a == "--summaries");
    args.retain(|a| !a.starts_with("--"));
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
        parts.push(lower::lower(&module, path, lower::Form::Ssa));
    }
    let program = join::join(parts);
    let library = watertight_summary::model::shipped();
    let start = Instant::now();
    let analysis = analyse(&program, &library, &Options::default(), &|state, exits| {
        let mut found = Vec::new();
        for lost in &exits.lost {
            let Origin::Fresh(site) = &state.objects[lost.object].origin else { continue };
            let inst = site.inst;
            let line = state.body.insts[inst].place.map_or(0, |p| state.body.places[p].line);
            found.push((line, site.callee.clone(), lost.surely.is_false()));
        }
        (found, (state.budget.spent(), state.formulas.guards.steps(), state.objects.len(), 0u64))
    });
    eprintln!(
        "{:?}, {} functions, {} given up",
        start.elapsed(),
        analysis.functions,
        analysis.given_up.len()
    );
    for (f, why) in analysis.given_up.iter().take(10) {
        eprintln!("  gave up {}: {why}", program.functions[*f].name);
    }
    let mut slow: Vec<_> = analysis.reports.iter().map(|(f, r)| (r.1.3, r.1, *f)).collect();
    slow.sort();
    slow.reverse();
    for (_, s, f) in slow.iter().take(12) {
        eprintln!("  slow {} {:?}", program.functions[*f].name, s);
    }
    for (f, (found, _steps)) in &analysis.reports {
        for (line, callee, low) in found {
            println!(
                "{}:{line}: {callee} lost{}",
                program.functions[*f].name,
                if *low { " (assumed)" } else { "" }
            );
        }
    }
    if show {
        for (f, s) in analysis.summaries.iter() {
            if let Some(s) = s {
                println!("{}: {:?}", program.functions[f].name, s.completeness);
                for o in &s.outcomes {
                    println!("   {:?} -> {:?} {:?} {:?}", o.when.any, o.result, o.fresh.len(), o.effects);
                }
            }
        }
    }
}
