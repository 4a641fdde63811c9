//! Damaged files: whatever is done to a text, the parser tells what is wrong and does not panic.

use super::super::{Models, PACKS, parse};

/// A small generator, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides.max(1) as u64) as usize
    }
}

const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "->",
    "|",
    ",",
    ":",
    "*",
    ".",
    "?",
    "&",
    "=",
    "==",
    "...",
    "@",
    "-",
    "+",
    "\n",
    "\"",
    "#",
    "when ",
    "otherwise:",
    "fresh ",
    "heap ",
    "releases ",
    "0x",
    "9",
    "18446744073709551616",
    "\u{20ac}",
    "\0",
    "as ",
    "((((((((((((((((((((",
    "fresh heap { .0 = fresh heap { .0 = ",
    "kind ",
    "only with ",
    "null",
    "not ",
    "and ",
];

#[test]
fn damaged_files_do_not_panic() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut refused = 0;
    let rounds = 1500;
    for _ in 0..rounds {
        let (_, text) = PACKS[dice.roll(PACKS.len())];
        // A window of the file is enough and makes many more rounds possible.
        let lines: Vec<&str> = text.lines().collect();
        let start = dice.roll(lines.len());
        let window = lines[start..(start + 12).min(lines.len())].join("\n");
        let mut letters: Vec<char> = window.chars().collect();
        for _ in 0..=dice.roll(4) {
            let at = dice.roll(letters.len() + 1);
            match dice.roll(4) {
                0 if !letters.is_empty() => {
                    letters.remove(at.min(letters.len() - 1));
                }
                1 => {
                    let end = (at + dice.roll(20)).min(letters.len());
                    letters.drain(at..end);
                }
                2 => {
                    let end = (at + dice.roll(40)).min(letters.len());
                    let part = letters[at..end].to_vec();
                    letters.splice(at..at, part);
                }
                _ => {
                    letters.splice(at..at, PIECES[dice.roll(PIECES.len())].chars());
                }
            }
        }
        let damaged: String = letters.into_iter().collect();
        match parse("damaged.model", &damaged) {
            Ok(file) => {
                // Kinds of other parts of the pack may be missing; that too is told and not a panic.
                let _ = Models::default().add(file);
            }
            Err(errors) => {
                refused += 1;
                for error in &errors {
                    assert!(error.column >= 1 && error.width >= 1, "{damaged:?}");
                    assert!(error.to_string().contains('^'), "{damaged:?}");
                }
                assert!(errors.is_sorted_by_key(|error| (error.line, error.column)), "{damaged:?}");
            }
        }
    }
    assert!(refused > rounds / 4, "damage is noticed, but only {refused} texts were refused");
}

#[test]
fn deep_nesting_is_refused() {
    let text = format!("f(a) keeps {}a", "(".repeat(100_000));
    assert!(parse("deep.model", &text).is_err());
    let text = format!("f(a) -> {}", "fresh heap { .0 = ".repeat(100_000));
    assert!(parse("deep.model", &text).is_err());
    // Many stars are a long path, not a deep one.
    let text = format!("f(a) keeps {}a", "*".repeat(10_000));
    assert!(parse("long.model", &text).is_ok());
}

#[test]
fn conditions_do_not_explode() {
    let cases: String = (0..40).map(|n| format!("when a == {n} and b == {n}: -> {n}\n")).collect();
    let text = format!("f(a, b) {{ {cases} otherwise: -> 0 }}");
    let errors = parse("many.model", &text).unwrap_err();
    assert_eq!(&*errors[0].message, "too many combinations: write the condition out with `when`");
}
