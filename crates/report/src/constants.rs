//! Constants by the names that the source has for them: `fputs(...) == EOF` instead of `fputs(...) == -1`.
//!
//! In go findings whose branches compare with a number, as the engine knows it; out come the same findings with the macro or
//! enumerator that stands at that place of the source in place of the number. Debug information knows no macros, so the line is
//! read: behind the operand at the place of the step, the same kind of comparison, and then a name. Before that, steps are put where
//! the operand or the label of the case stands (`pointing.rs`).
//!
//! Conditions without a name (`!isalpha(c)`) are told as they are written: the compiler tests what stands behind the `!` and jumps the
//! other way, so what it finds false is true in the source.
//!
//! What must hold: a number is replaced only by what the source compares with there, a truth turned only where a `!` stands. Nothing
//! else of a finding changes.

use watertight_finding::{Finding, Step, StepKind};

use crate::extent::end_of;
use crate::pointing::point;
use crate::source::Sources;

/// Comparisons, longest first; one and its opposite are the same question.
const COMPARISONS: [(&str, u8); 6] = [("==", 0), ("!=", 0), ("<=", 1), (">=", 2), ("<", 2), (">", 1)];

/// Names the constants in the branches of findings.
pub fn name_constants(findings: &mut [Finding], sources: &mut Sources<'_>) {
    for finding in findings {
        for step in finding.exits.iter_mut().flat_map(|exit| &mut exit.steps) {
            if step.kind == StepKind::Branch {
                point(step, sources);
            }
            let text = named(step, sources).or_else(|| named_zero(step, sources));
            if let Some(text) = text.or_else(|| as_written(step, sources)) {
                step.text = text;
            }
        }
    }
}

/// The text of a branch with a name for its number: "`f(...) == EOF` is true".
fn named(step: &Step, sources: &mut Sources<'_>) -> Option<String> {
    if step.kind != StepKind::Branch || step.place.column == 0 {
        return None;
    }
    let (expression, rest) = step.text.strip_prefix('`')?.split_once('`')?;
    let (left, number) = expression.rsplit_once(' ')?;
    let (operand, comparison) = left.rsplit_once(' ')?;
    let kind = |text: &str| COMPARISONS.iter().find(|(word, _)| *word == text).map(|&(_, kind)| kind);
    let kind = kind(comparison)?;
    number.parse::<i64>().ok()?;
    let file = sources.file(&step.place.file)?;
    let line = file.line(step.place.line)?;
    let start = usize::try_from(step.place.column).ok()? - 1;
    let name = compared_with(line, start, kind)?;
    Some(format!("`{operand} {comparison} {name}`{rest}"))
}

/// The same for a comparison with 0, of which the engine says less: "`kind` is not PLAIN".
fn named_zero(step: &Step, sources: &mut Sources<'_>) -> Option<String> {
    let subject = step.text.strip_suffix('0')?;
    if step.kind != StepKind::Branch || !(subject.ends_with("` is ") || subject.ends_with("` is not ")) {
        return None;
    }
    let file = sources.file(&step.place.file)?;
    let start = usize::try_from(step.place.column).ok()?.checked_sub(1)?;
    let name = compared_with(file.line(step.place.line)?, start, 0)?;
    Some(format!("{subject}{name}"))
}

/// The text of a branch on a condition without a name, where the source negates it.
fn as_written(step: &Step, sources: &mut Sources<'_>) -> Option<String> {
    let turned = match step.text.as_str() {
        "the condition is true" => "the condition is false",
        "the condition is false" => "the condition is true",
        _ => return None,
    };
    let file = sources.file(&step.place.file)?;
    let start = usize::try_from(step.place.column).ok()?.checked_sub(1)?;
    let rest = file.line(step.place.line)?.get(start..)?;
    let negations = rest.iter().filter(|&&byte| byte != b' ').take_while(|&&byte| byte == b'!').count();
    (negations % 2 == 1 && !rest.starts_with(b"!=")).then(|| turned.to_owned())
}

/// The name that the operand at an offset of a line is compared with.
fn compared_with(line: &[u8], start: usize, kind: u8) -> Option<&str> {
    let end = end_of(line, start);
    let rest = std::str::from_utf8(line.get(end..)?).ok()?.trim_start_matches([' ', ')']);
    let (word, other) = COMPARISONS.iter().find(|(word, _)| rest.starts_with(word))?;
    let rest = rest[word.len()..].trim_start();
    let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let (name, behind) = rest.split_at(length);
    // Macros and enumerators are written so; a variable is none of them, and a call is no constant.
    let is_constant = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && !behind.trim_start().starts_with(['(', '[', '.', '-', '+', '*', '/']);
    (*other == kind && is_constant).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceMap;
    use watertight_finding::Place;

    fn check(line: &str, text: &str, expected: &str) {
        let column = line.find('@').unwrap() as u32 + 1;
        let map = SourceMap::from_iter([("a.c", line.replacen('@', "", 1))]);
        let step = Step::new(StepKind::Branch, Place::new("a.c", 1, column), text);
        let mut sources = Sources::new(&map);
        let found = named(&step, &mut sources).or_else(|| as_written(&step, &mut sources));
        assert_eq!(found.as_deref().unwrap_or(text), expected, "{line}");
    }

    #[test]
    fn a_negated_condition_is_told_as_it_is_written() {
        check("if (@!isalpha(*q))", "the condition is false", "the condition is true");
        check("if (@! ready(q))", "the condition is true", "the condition is false");
        check("if (@!!ready(q))", "the condition is true", "the condition is true");
        check("if (@isalpha(*q))", "the condition is false", "the condition is false");
    }

    #[test]
    fn numbers_get_the_name_that_the_source_has() {
        check("if (@fputs(s, f) == EOF)", "`fputs(...) == -1` is true", "`fputs(...) == EOF` is true");
        check("if (@errno != ENOENT)", "`errno == 2` is false", "`errno == ENOENT` is false");
        check("while ((c = @getc(f)) != EOF)", "`c == -1` is true", "`c == EOF` is true");
        check("if (@n < LIMIT)", "`n >= 64` is true", "`n >= LIMIT` is true");
    }

    #[test]
    fn what_is_no_constant_there_stays_a_number() {
        for (line, text) in [
            ("if (@n == 3)", "`n == 3` is true"),
            ("if (@n == count)", "`n == 3` is true"),
            ("if (@n == MAX(a, b))", "`n == 3` is true"),
            ("if (@n == SIZE - 1)", "`n == 3` is true"),
            ("if (@n > LIMIT)", "`n == 3` is true"),
            ("if (@p)", "`p` is not NULL"),
            ("if (@", "`n == 3` is true"),
        ] {
            check(line, text, text);
        }
    }
}
