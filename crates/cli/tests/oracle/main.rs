#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
//! Random programs: they must do the same natively and interpreted, before and after SSA construction.
//!
//! Programs come from a generator of our own, so that every machine has this oracle, and from csmith where it is
//! installed. `cargo run --release -p watertight-cli --example oracle` compares as many as you like.

mod compare;
mod csmith;
mod generate;
mod held;
mod native;

use compare::{Case, Verdict, compare};
use native::Clang;
use std::path::Path;
use std::sync::Mutex;

/// Programs of our own generator.
const OWN: u64 = 40;
/// Programs of csmith, with its kinds in turn.
const CSMITH: [u64; 10] = [4, 9, 13, 16, 21, 24, 28, 33, 41, 45];

fn case<'a>(source: &'a Path, flags: &'a [String], args: &'a [&'a str]) -> Case<'a> {
    Case { source, flags, bitcode_flags: &[], args, seconds: 5, steps: 20_000_000, round_trip: true }
}

/// Does something to each seed on two threads and lists what went wrong, in order of seeds.
fn each(seeds: impl Iterator<Item = u64>, work: impl Fn(u64) -> Result<(), String> + Sync) -> Vec<String> {
    let seeds = Mutex::new(seeds.collect::<Vec<_>>().into_iter());
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(seed) = seeds.lock().unwrap().next() else { break };
                    if let Err(failure) = work(seed) {
                        failures.lock().unwrap().push((seed, failure));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort();
    failures.into_iter().map(|(seed, failure)| format!("seed {seed}: {failure}")).collect()
}

fn clang() -> Clang {
    Clang::any().expect("these tests need a clang: install one or name it in WATERTIGHT_CLANG")
}

#[test]
fn own_random_programs_agree() {
    let clang = clang();
    let failures = each(1..=OWN, |seed| {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("random.c");
        let text = generate::program(seed);
        std::fs::write(&source, &text).unwrap();
        match compare(&clang, &case(&source, &[], &[]))? {
            // A program that does next to nothing checks nothing.
            Verdict::Same(figures) if figures.memory_steps > 1000 => Ok(()),
            Verdict::Same(_) => Err(format!("does nothing\n{text}")),
            Verdict::Skipped(why) => Err(format!("takes too long: {why:?}")),
            Verdict::Different(differences) => Err(format!("{differences}{text}")),
        }
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn programs_of_csmith_agree() {
    if !csmith::installed() {
        eprintln!("skipped: csmith is not installed");
        return;
    }
    let clang = clang();
    let compared = Mutex::new(0);
    let failures = each(CSMITH.into_iter(), |seed| {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("random.c");
        csmith::write(seed, &source)?;
        match compare(&clang, &case(&source, &csmith::flags(), &["1"]))? {
            Verdict::Same(_) => *compared.lock().unwrap() += 1,
            // Another version of csmith makes other programs of these seeds, and some run for ever.
            Verdict::Skipped(_) => {}
            Verdict::Different(differences) => {
                return Err(format!("{}: {differences}", csmith::variant(seed)));
            }
        }
        Ok(())
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let compared = compared.into_inner().unwrap();
    assert!(compared >= CSMITH.len() / 2, "only {compared} programs could be compared");
}

#[test]
fn the_comparison_can_fail() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("a.c");
    let differs = |text: &str, bitcode_flags: &[&str]| {
        std::fs::write(&source, text).unwrap();
        let flags: Vec<String> = bitcode_flags.iter().map(|&flag| flag.to_owned()).collect();
        let case = Case { bitcode_flags: &flags, seconds: 1, ..case(&source, &[], &[]) };
        match compare(&clang(), &case).unwrap() {
            Verdict::Different(differences) => differences,
            Verdict::Same(_) => "same".to_owned(),
            Verdict::Skipped(why) => format!("{why:?}"),
        }
    };
    let text = "int printf(const char *, ...);\n#ifndef N\n#define N 1\n#endif\n";
    let code = format!("{text}int main(void) {{ return N; }}\n");
    assert_eq!(differs(&code, &[]), "same");
    let expected = "memory form: exit code 2, natively 1\nSSA form: exit code 2, natively 1\n";
    assert_eq!(differs(&code, &["-DN=2"]), expected);
    let output = format!("{text}int main(void) {{ printf(\"%d\\n\", N); return 0; }}\n");
    let expected =
        "memory form: line 1: `2`, natively Some(\"1\")\nSSA form: line 1: `2`, natively Some(\"1\")\n";
    assert_eq!(differs(&output, &["-DN=2"]), expected);
    let wrong = "int main(int n, char **v) { int *p = n > 1 ? &n : 0; return WRONG; }\n";
    assert!(differs(&wrong.replace("WRONG", "!p ? 0 : *p"), &[]) == "same");
    // Only the interpreter follows the null pointer.
    let trap = format!("{text}{}", wrong.replace("WRONG", "N ? 0 : *p"));
    assert!(differs(&trap, &["-DN=0"]).contains("trap"));
    // Where clang makes one thing of it plainly and another with -O2, there is nothing to compare with.
    assert_eq!(differs(&wrong.replace("WRONG", "*p"), &[]), "Undefined");
    assert_eq!(differs("int main(void) { for (;;) ; }", &[]), "NativeTime");
}

#[test]
fn generated_programs_are_reproducible() {
    assert_eq!(generate::program(7), generate::program(7));
    assert_ne!(generate::program(7), generate::program(8));
}
