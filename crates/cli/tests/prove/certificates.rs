//! Certificates against the checker that has no code of the engine: whatever is written is accepted, and what is no proof is
//! refused.

use crate::program::{self, defined};
use crate::{clang, sources};
use std::collections::BTreeSet;
use watertight_certificate::{Verdict, check, mark};
use watertight_ir::{Id as _, Program};
use watertight_prove::{Options, Probe, Prover};
use watertight_summary::model::Models;

/// All that a checker may ask for.
const EVERYTHING: &str = "assuming typed-memory plain-numbers callers-keep single-blocks in-bounds fresh-memory one-thread beginnings no-circles";

fn models(program: &Program) -> Models {
    let names: BTreeSet<&str> = program.functions.values().map(|function| &*function.name).collect();
    watertight_summary::model::shipped_for(&|name| names.contains(name))
}

fn head(program: &Program) -> String {
    format!("watertight-certificate 1\nprogram {}\n", mark(program))
}

/// Every statement with a proof of plain steps, as a certificate of its own. One in `every` is taken.
fn certificates(program: &Program, models: &Models, transfers: u32, every: usize) -> Vec<(Probe, String)> {
    let prover = Prover::new(program, models, Options { plain: true, transfers, ..Options::default() });
    let probes = defined(program).into_iter().flat_map(|function| prover.probes(function)).step_by(every);
    let shown = probes.filter_map(|probe| Some((prover.certificate(&probe).ok()?, probe)));
    shown.map(|(text, probe)| (probe, format!("{}{text}", head(program)))).collect()
}

/// What the checker says of them: how many there are, how many it leaves undecided, and what it refuses.
fn judged(
    program: &Program,
    models: &Models,
    all: &[(Probe, String)],
) -> (usize, usize, Vec<(String, String)>) {
    let (mut undecided, mut refused) = (0, Vec::new());
    for (probe, text) in all {
        match check(program, models, text) {
            Verdict::Accepted { .. } => {}
            Verdict::Undecided { .. } => undecided += 1,
            Verdict::Rejected { line, why } => {
                let place = probe.place.to_string();
                let place = place.rsplit('/').next().unwrap_or_default();
                refused.push((format!("{place} `{}`", probe.lost), format!("line {line}: {why}")));
            }
        }
    }
    (all.len(), undecided, refused)
}

/// What is proved but not accepted, exactly: the checker takes addresses that are cast as anything.
const REFUSED: [&str; 14] = [
    "blocks_that_are_more.c:93:43 `letters->bytes[4]`",
    "odd_c.c:100:1 `box`",
    "odd_c.c:100:1 `kept`",
    "odd_c.c:106:10 `kept`",
    "odd_c.c:109:1 `box`",
    "odd_c.c:109:1 `kept`",
    "odd_c.c:117:5 `cell`",
    "odd_c.c:31:10 `rest`",
    "odd_c.c:32:10 `link`",
    "odd_c.c:33:11 `*link`",
    "odd_c.c:37:1 `link`",
    "odd_c.c:37:1 `list`",
    "odd_c.c:37:1 `rest`",
    "odd_c.c:97:10 `kept`",
];

#[test]
fn certificates_of_fixtures_are_accepted() {
    let clang = clang();
    let (mut shown, mut undecided, mut refused) = (0, 0, Vec::new());
    for source in sources() {
        let program = program::load(&clang, &source).unwrap();
        let models = models(&program);
        let found = judged(&program, &models, &certificates(&program, &models, 150, 1));
        shown += found.0;
        undecided += found.1;
        refused.extend(found.2);
    }
    let mut names: Vec<&str> = refused.iter().map(|(name, _)| &**name).collect();
    names.sort_unstable();
    assert_eq!(names, REFUSED, "{refused:?}");
    assert!(shown > 300, "only {shown} proofs are shown");
    assert!(undecided * 50 < shown, "{undecided} of {shown} are undecided");
}

/// Facts that are left out or say something else are noticed. What is left may still be a proof, since the checker draws
/// conclusions of its own.
#[test]
fn most_changes_of_a_certificate_are_refused() {
    let source = program::fixtures().join("prove/si_reverse.c");
    let program = program::load(&clang(), &source).unwrap();
    let models = models(&program);
    let (mut changes, mut accepted) = (0, Vec::new());
    for (_, text) in certificates(&program, &models, 500, 1) {
        let lines: Vec<&str> = text.lines().collect();
        let mut tried = |changed: Vec<&str>, what: &str| {
            changes += 1;
            if matches!(check(&program, &models, &changed.join("\n")), Verdict::Accepted { .. }) {
                accepted.push(format!("{what} in {}", lines[2]));
            }
        };
        for (at, line) in lines.iter().enumerate() {
            let rest = &lines[at + 1..];
            if line.starts_with("at ") {
                let inside = |line: &&&str| line.starts_with("  ") || **line == "fact";
                let end = at + 1 + rest.iter().take_while(inside).count();
                tried([&lines[..at], &lines[end..]].concat(), line);
            } else if line.starts_with("  in ") || line.starts_with("  hit ") {
                tried([&lines[..at], rest].concat(), line);
                let last = line.rfind(|letter: char| letter.is_ascii_digit()).unwrap();
                let changed = format!("{}9{}", &line[..last], &line[last + 1..]);
                tried([&lines[..at], &[&changed], rest].concat(), line);
            }
        }
    }
    assert!(changes > 100, "only {changes} changes");
    assert!(accepted.len() * 4 < changes, "{} of {changes}:\n{}", accepted.len(), accepted.join("\n"));
}

/// Nothing that loses a block has a certificate without facts, nor one with the facts of another statement.
#[test]
fn what_loses_a_block_has_no_certificate() {
    let clang = clang();
    let mut tried = 0;
    for source in sources() {
        let program = program::load(&clang, &source).unwrap();
        let models = models(&program);
        let prover = Prover::new(&program, &models, Options { transfers: 150, ..Options::default() });
        for function in defined(&program) {
            let stores = prover.probes(function).into_iter().filter(|probe| probe.inst.is_some());
            for probe in stores
                .filter(|probe| matches!(prover.probe(probe), watertight_prove::Verdict::Violated { .. }))
            {
                let body = program.functions[function].body.as_ref().unwrap();
                let inst = probe.inst.unwrap();
                let watertight_ir::Op::Store { addr, .. } = body.insts[inst].op else { continue };
                let stack = matches!(body.def_op(addr), Some(watertight_ir::Op::Stack { .. }));
                let what = if stack { "local" } else { "value" };
                for assumed in ["", EVERYTHING] {
                    let text = format!(
                        "{}statement {function} {} {inst} assignment ({what} {function} {addr})\n{assumed}\nend\n",
                        head(&program),
                        probe.block
                    );
                    let verdict = check(&program, &models, &text);
                    let accepted = matches!(verdict, Verdict::Accepted { .. });
                    assert!(!accepted, "{} {} {assumed}", probe.place, inst.index());
                }
                tried += 1;
            }
        }
    }
    assert!(tried > 10, "only {tried} statements");
}

/// What calls, copies and elements chosen by numbers write is not forgotten, with declared types trusted or not.
#[test]
fn a_statement_that_loses_what_was_written_indirectly_has_no_certificate() {
    let source = "#include <stdlib.h>\n#include <string.h>\nstatic char *held;\n\
        static void set(void) { held = malloc(4); }\n\
        void by_call(void) { held = NULL; set(); held = NULL; }\n\
        struct two { char *a; char *b; };\n\
        void by_copy(void) { struct two from, to; from.b = NULL; from.a = malloc(4); to.a = NULL;\n\
        memcpy(&to, &from, sizeof to); from.a = NULL; to.a = NULL; }\n\
        int which(void);\n\
        void by_index(void) { char *list[2]; int at = which(); list[0] = NULL; list[1] = malloc(4); list[at] = NULL; }\n";
    let program = program::load_text(&clang(), source).unwrap();
    let models = models(&program);
    for name in ["by_call", "by_copy", "by_index"] {
        let function = program.function_named(name).unwrap();
        let body = program.functions[function].body.as_ref().unwrap();
        let (block, inst, addr) = last_store(body);
        let (what, base) = match (&body.values[addr].def, body.def_op(addr)) {
            (watertight_ir::Def::Const(watertight_ir::Const::Global { global, .. }), _) => {
                ("global", global.to_string())
            }
            (_, Some(watertight_ir::Op::Stack { .. })) => ("local", format!("{function} {addr}")),
            _ => ("value", format!("{function} {addr}")),
        };
        let lost = format!("({what} {base})");
        let fact = format!("fact\n  in any\n  in outside\n  hit (load ptr {lost})\n");
        for assumed in ["", EVERYTHING] {
            for facts in [String::new(), format!("at - {function} {block} {inst}\n{fact}")] {
                let text = format!(
                    "{}statement {function} {block} {inst} assignment {lost}\n{assumed}\n{facts}end\n",
                    head(&program)
                );
                let verdict = check(&program, &models, &text);
                assert!(!matches!(verdict, Verdict::Accepted { .. }), "{name}: {text}");
            }
        }
    }
}

/// The last write of a body.
fn last_store(
    body: &watertight_ir::Body,
) -> (watertight_ir::BlockId, watertight_ir::InstId, watertight_ir::ValueId) {
    let all = body.blocks.iter().flat_map(|(block, data)| data.insts.iter().map(move |&inst| (block, inst)));
    let mut stores = all.filter_map(|(block, inst)| match body.insts[inst].op {
        watertight_ir::Op::Store { addr, .. } => Some((block, inst, addr)),
        _ => None,
    });
    stores.next_back().unwrap()
}

#[test]
fn a_certificate_for_another_program_is_refused() {
    let clang = clang();
    let of = |name: &str| program::load(&clang, &program::fixtures().join("prove").join(name)).unwrap();
    let (one, other) = (of("si_reverse.c"), of("si_rotate.c"));
    let models = models(&one);
    let (_, text) = certificates(&one, &models, 500, 1).remove(0);
    assert!(matches!(check(&one, &models, &text), Verdict::Accepted { .. }));
    assert!(matches!(check(&other, &models, &text), Verdict::Rejected { line: 1, .. }));
    let Verdict::Rejected { line, .. } = check(&one, &models, &text.replace("  hit ", "  hint ")) else {
        panic!("a line that nobody understands is accepted");
    };
    assert!(text.lines().nth(line - 1).unwrap().starts_with("  hit "), "line {line}");
}
