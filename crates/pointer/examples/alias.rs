//! Answers the alias assertions in bitcode files: calls of `MUSTALIAS`, `MAYALIAS`, `PARTIALALIAS` and `NOALIAS` with two
//! pointers, as test suites for points-to analyses have them, and the same with `EXPECTEDFAIL_` before. Each file is
//! a program. Prints every assertion that is not decided or answered otherwise, and how many there are of each kind:
//! `cargo run --release --example alias -- FILE.bc...`
//!
//! That two pointers may be equal is never a proof that they are, so `MUSTALIAS` is answered rightly where they may be.

use std::collections::BTreeMap;
use watertight_frontend::bitcode::Module;
use watertight_frontend::{join, lower};
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{Op, Program};
use watertight_pointer::PointsTo;
use watertight_pointer::refine::Refined;

fn main() {
    let mut totals: BTreeMap<(String, &'static str), usize> = BTreeMap::new();
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).expect("the file can be read");
        let module = Module::parse(&bytes).expect("the file is bitcode");
        let program = join::join(vec![lower::lower(&module, &path, lower::Form::Ssa)]);
        answer(&program, &path, &mut totals);
    }
    for ((kind, answer), count) in totals {
        println!("{count:5} {kind} {answer}");
    }
}

fn answer(program: &Program, path: &str, totals: &mut BTreeMap<(String, &'static str), usize>) {
    let has = |name: &str| program.functions.values().any(|function| &*function.name == name);
    let points_to = PointsTo::new(program, &watertight_summary::model::shipped_for(&has));
    let refined = Refined::new(program, &points_to);
    for (id, function) in program.functions.iter() {
        let Some(body) = &function.body else { continue };
        for &inst in body.blocks.values().flat_map(|block| &block.insts) {
            let Op::Call(call) = &body.insts[inst].op else { continue };
            let Some(callee) = direct_callee(body, call) else { continue };
            let kind = program.functions[callee].name.trim_start_matches('_');
            let (&[p, q], true) = (&*call.args, kind.ends_with("ALIAS")) else { continue };
            let met = refined.may_alias(id, p, q);
            let (expected, claim) = match kind.strip_prefix("EXPECTEDFAIL_") {
                Some(claim) => (true, claim),
                None => (false, kind),
            };
            let answer = match (claim, met) {
                ("NOALIAS", false) => "decided",
                ("NOALIAS", true) if !expected => "not decided",
                ("NOALIAS", true) => "not decided, as expected",
                (_, true) => "decided",
                (_, false) if expected => "not so, as expected",
                // Right where it never happens: such assertions say what an analysis without some precision answers.
                ("MAYALIAS" | "PARTIALALIAS", false) => "told apart",
                (_, false) => "WRONG",
            };
            if matches!(answer, "not decided" | "told apart" | "WRONG") {
                let line = body.insts[inst].place.map_or(0, |place| body.places[place].line);
                println!("{path}:{line}: {kind} {answer}");
            }
            *totals.entry((kind.to_owned(), answer)).or_default() += 1;
        }
    }
}
