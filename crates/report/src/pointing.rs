//! Where a branch of a path is decided, in the words of the source: the operand, or the label of a `case`.
//!
//! In: a step at the place that debug information gives, which is the operator of a comparison, or the first statement behind a label.
//! Out: the same step at the whole comparison, or at the label, with the label's name in place of its number. It reads the line and is
//! a guess for the eye; what it does not recognise stays as it is.

use watertight_finding::Step;

use crate::extent;
use crate::source::{SourceFile, Sources};

/// So many lines between a label and its first statement are read.
const MOST_LINES: u32 = 8;

/// Points at what decides a branch.
pub(crate) fn point(step: &mut Step, sources: &mut Sources<'_>) {
    let Some(start) = usize::try_from(step.place.column).ok().and_then(|column| column.checked_sub(1)) else {
        return;
    };
    let Some(file) = sources.file(&step.place.file) else { return };
    let Some(line) = file.line(step.place.line) else { return };
    let (subject, number) = chosen(&step.text).unwrap_or_default();
    if let Some(found) = extent::comparison(line, start) {
        (step.place.column, step.place.end_column) = (column(found.start), Some(column(found.end)));
    } else if let Some(label) =
        (!subject.is_empty()).then(|| label_before(&file, step.place.line, start)).flatten()
    {
        let text = match (number, &label.name) {
            (Some(number), Some(name))
                if !label.one_of_several && value_of(name).is_none_or(|value| value == number) =>
            {
                Some(format!("`{subject}` is {name}"))
            }
            _ => None,
        };
        step.text = text.unwrap_or_else(|| step.text.clone());
        step.place.line = label.line;
        (step.place.column, step.place.end_column) = (column(label.start), Some(column(label.end)));
    }
}

fn column(offset: usize) -> u32 {
    u32::try_from(offset + 1).unwrap_or(u32::MAX)
}

/// What a switch is about, and the number of its case: "`k` is 3", "`k` matches no case".
fn chosen(text: &str) -> Option<(&str, Option<i64>)> {
    let (subject, rest) = text.strip_prefix('`')?.split_once('`')?;
    match rest {
        " matches no case" => Some((subject, None)),
        _ => Some((subject, Some(rest.strip_prefix(" is ")?.parse().ok()?))),
    }
}

struct Label {
    line: u32,
    start: usize,
    end: usize,
    /// What stands behind `case`, if it is a name.
    name: Option<String>,
    /// Another label stands directly before it.
    one_of_several: bool,
}

/// The number that a label is, if it is written as one.
fn value_of(label: &str) -> Option<i64> {
    let character = label.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    match character.map(str::as_bytes) {
        Some([byte]) => Some(i64::from(*byte)),
        Some(_) => None,
        None => label.parse().ok(),
    }
}

/// Where the statement begins whose first part ends at an offset of a line. A condition is no beginning: it has steps of its own.
fn statement_start(line: &[u8], start: usize) -> Option<usize> {
    let before = std::str::from_utf8(line.get(..start)?).ok()?;
    let at = before.rfind([';', '{', '}', ':']).map_or(0, |at| at + 1);
    let own = &before[at..];
    let words = || own.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let asks = words().any(|word| matches!(word, "if" | "while" | "for" | "switch" | "else"));
    (!asks && !own.contains(['?', '&', '|'])).then_some(at)
}

/// The label that stands before the statement at an offset of a line, with nothing but blanks, comments and a brace in between.
fn label_before(file: &SourceFile, line: u32, start: usize) -> Option<Label> {
    let start = statement_start(file.line(line)?, start)?;
    let (number, code) = code_before(file, line, start)?;
    let label = code.strip_suffix(':')?;
    let at = label.rfind("case ").or_else(|| label.rfind("default"))?;
    let begins = label[..at].chars().next_back().is_none_or(|c| c.is_whitespace() || ":;{}".contains(c));
    let value = label[at..].strip_prefix("case ").map(str::trim);
    // Something else may stand behind a label and end in a colon.
    if !begins || label[at..].contains([';', '?', '{', '}']) {
        return None;
    }
    let is_name = |value: &&str| {
        value.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            || value_of(value).is_some()
    };
    let before = code_before(file, number, at);
    let one_of_several = before.is_some_and(|(_, code)| code.ends_with(':') && code.contains("case "));
    Some(Label {
        line: number,
        start: at,
        end: label.len(),
        name: value.filter(is_name).map(str::to_owned),
        one_of_several,
    })
}

/// The nearest code before an offset of a line: the number of its line, and the line up to its end.
fn code_before(file: &SourceFile, line: u32, start: usize) -> Option<(u32, String)> {
    let mut end = Some(start);
    for number in (line.saturating_sub(MOST_LINES).max(1)..=line).rev() {
        let bytes = file.line(number)?;
        let bytes = &bytes[..end.take().unwrap_or(bytes.len()).min(bytes.len())];
        let text = std::str::from_utf8(bytes).ok()?;
        let text = text.split("//").next().unwrap_or_default().trim_end();
        let text = match (text.ends_with("*/"), text.rfind("/*")) {
            (true, Some(comment)) => text[..comment].trim_end(),
            _ => text,
        };
        let text = text.strip_suffix('{').unwrap_or(text).trim_end();
        if !text.is_empty() {
            return Some((number, text.to_owned()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceMap;
    use watertight_finding::{Place, StepKind};

    /// The text of a step at the marker `@` of a source, and what it points at.
    fn check(marked: &str, text: &str, expected: &str) {
        let before = marked.split('@').next().unwrap();
        let line = 1 + before.matches('\n').count() as u32;
        let start = before.rsplit('\n').next().unwrap().len() as u32;
        let source = marked.replacen('@', "", 1);
        let provider = SourceMap::from_iter([("a.c", source.as_str())]);
        let mut sources = Sources::new(&provider);
        let mut step = Step::new(StepKind::Branch, Place::new("a.c", line, start + 1), text);
        point(&mut step, &mut sources);
        let shown = source.lines().nth(step.place.line as usize - 1).unwrap();
        let start = step.place.column as usize - 1;
        let end = step.place.end_column.map_or(start, |end| end as usize - 1);
        assert_eq!(format!("{}: {}", &shown[start..end], step.text), expected, "{marked}");
    }

    #[test]
    fn the_operand_and_the_label_are_pointed_at() {
        check("if (a || b @> 3)", "`b > 3` is true", "b > 3: `b > 3` is true");
        check("switch (k) {\ncase RAW:\n    @n++;", "`k` is 2", "case RAW: `k` is RAW");
        check("case RAW: { // why\n\n    @n++;", "`k` is 2", "case RAW: `k` is RAW");
        check("case ONE:\ncase RAW: @n++;", "`k` is 2", "case RAW: `k` is 2");
        check("case 2: @n++;", "`k` is 2", "case 2: `k` is 2");
        check("default: @n++;", "`k` matches no case", "default: `k` matches no case");
        check("case 'S':    // why\n    name = @copy(s);", "`k` is 83", "case 'S': `k` is 'S'");
        check("case 'S':\n    name @= s;", "`k` is 4", "case 'S': `k` is 4");
        // A comparison with 0 behind a label is none.
        check("case 2: if (@k)", "`k` is 0", ": `k` is 0");
        check("x = y ? 1 :\n  @f();", "`k` is 2", ": `k` is 2");
    }
}
