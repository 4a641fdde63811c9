//! Fingerprints survive edits that do not change what a program does.

use super::super::check::{build_and_check, check};
use super::super::program::Program;
use super::super::sample::number;
use super::super::tokens::{Token, tokens};
use super::{LOSSES, project};

/// The names of variables and parameters that may be renamed.
const LOCALS: &[&str] =
    &["first", "second", "name", "flag", "path", "stream", "text", "count", "answer", "spare"];

/// Numbers that look random and are always the same.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = number("dice", &self.0.to_string());
        (self.0 % below as u64) as usize
    }
}

/// Lines that change nothing, in between.
fn insert_lines(text: &str, dice: &mut Dice) -> String {
    let lines = [
        "",
        "    /* free(box); return 7; } */",
        "// strdup(name) = { return",
        "#define UNUSED free(x); return 1",
    ];
    let mut out = String::new();
    for line in text.lines() {
        out += &format!("{line}\n");
        if let Some(inserted) = lines.get(dice.roll(lines.len() * 2)) {
            out += &format!("{inserted}\n");
        }
    }
    out
}

fn rename(text: &str, dice: &mut Dice) -> String {
    let local = LOCALS[dice.roll(LOCALS.len())];
    let mut out = text.to_owned();
    let wanted = |token: &&Token| token.is(local);
    for token in tokens(text).iter().filter(wanted).collect::<Vec<_>>().into_iter().rev() {
        out.replace_range(token.offset..token.offset + local.len(), "renamed_by_somebody");
    }
    out
}

/// All tokens with other blanks and line ends between them; lines of the preprocessor stay. The closing brace of a function stays in
/// the first column, as in every common style: the engine knows by it that a function has several returns.
fn lay_out(text: &str, dice: &mut Dice) -> String {
    let directive = |line: &&str| line.trim_start().starts_with('#');
    let mut out: String = text.lines().filter(directive).map(|line| format!("{line}\n")).collect();
    let mut depth = 0;
    for token in tokens(text) {
        depth += i32::from(token.is("{")) - i32::from(token.is("}"));
        if depth == 0 && token.is("}") {
            out += "\n";
        }
        out += &token.text;
        out += [" ", "\n", "\t", "  ", "\n    "][dice.roll(5)];
    }
    out
}

#[test]
fn twenty_random_edits_keep_all_fingerprints() {
    let directory = tempfile::tempdir().unwrap();
    let Some(bench) = project(directory.path()) else { return };
    let program = Program::all(&bench.corpus, &["losses".to_owned()]).unwrap().remove(0);
    let prints = |checked: super::super::check::Checked| {
        assert!(checked.findings.iter().all(|told| !told.ambiguous));
        let mut prints: Vec<_> = checked.findings.into_iter().map(|told| told.print).collect();
        prints.sort();
        prints
    };
    let expected = prints(build_and_check(&bench, &program).unwrap());
    let texts: Vec<String> = expected.iter().map(super::super::fingerprint::Fingerprint::text).collect();
    for part in [
        "early return#3",
        "at_the_end end",
        "replaced overwritten strdup#1",
        "shifted overwritten",
        "owner free#1",
        "twice free#2",
        "after ->next#1",
        "locked return#1",
        "unlocked pthread_mutex_unlock#2",
    ] {
        assert!(texts.iter().any(|text| text.contains(part)), "{part} is not in {texts:#?}");
    }
    let file = bench.room(&program).tree().join("losses.c");
    let mut dice = Dice(18);
    let mut text = LOSSES.to_owned();
    for edit in 0..20 {
        text = match edit % 4 {
            0 => insert_lines(LOSSES, &mut dice),
            1 => rename(&text, &mut dice),
            2 => lay_out(LOSSES, &mut dice),
            _ => lay_out(&rename(&insert_lines(LOSSES, &mut dice), &mut dice), &mut dice),
        };
        std::fs::write(&file, &text).unwrap();
        let found = prints(check(&bench, &program, &bench.binary).unwrap());
        assert_eq!(found, expected, "edit {edit}:\n{text}");
    }
}
