//! Conditions as the source has them: `errno == ENOENT`, `c != EOF`, `p[0] == '-'`, and not what the compiler makes of them.
//!
//! In go findings whose branches speak of operands and numbers as the engine knows them; out come the same findings with the comparison
//! that stands at the place of the step. Debug information knows no macros, no characters and no spelling, so the line is read. Before
//! that, steps are put where the comparison or the label of the case stands (`pointing.rs`). A condition out of a macro is told with the
//! name of the macro.
//!
//! Conditions without a name (`!isalpha(c)`) are told as they are written: the compiler tests what stands behind the `!` and jumps the
//! other way, so what it finds false is true in the source. Where the source has no words for one, as for a whole `a && b` whose parts
//! are told already, the step is left out.
//!
//! What must hold: a comparison is replaced only by the same comparison or its opposite, with the truth turned; an operand only by one
//! that has a name in common with it. Nothing else of a finding changes.

use watertight_finding::{Finding, Place, Step, StepKind, Trace};

use crate::cxx::plain_names;
use crate::extent::{asked, comparison, without_arguments};
use crate::pointing::point;
use crate::source::Sources;

/// Comparisons; one and its opposite are the same question.
const COMPARISONS: [(&str, u8); 6] = [("==", 0), ("!=", 0), ("<=", 1), (">=", 2), ("<", 2), (">", 1)];

/// What is longer says less than the words of the engine.
const LONGEST: usize = 80;

/// Tells the branches of findings, and the functions of C++, in the words of the source.
pub fn name_constants(findings: &mut [Finding], sources: &mut Sources<'_>) {
    findings.iter_mut().for_each(name_functions);
    for trace in findings.iter_mut().flat_map(|finding| &mut finding.exits) {
        for step in trace.steps.iter_mut().filter(|step| step.kind == StepKind::Branch) {
            let operator = step.place.column;
            point(step, sources);
            if let Some(text) = retold(step, operator, sources) {
                step.text = text;
            }
        }
        leave_out_unnamed(trace);
    }
}

/// Gives functions of C++ the names that people know.
fn name_functions(finding: &mut Finding) {
    let name = |text: &mut String| {
        if let Some(plain) = plain_names(text) {
            *text = plain;
        }
    };
    let place = |place: &mut Place| {
        if let Some(plain) = plain_names(&place.function) {
            place.function = plain.into();
        }
    };
    name(&mut finding.message);
    place(&mut finding.place);
    finding.needs.iter_mut().chain(&mut finding.holder).for_each(name);
    for assumption in &mut finding.assumptions {
        name(&mut assumption.text);
        place(&mut assumption.place);
    }
    for step in finding.exits.iter_mut().flat_map(|exit| &mut exit.steps).chain(&mut finding.sibling) {
        name(&mut step.text);
        place(&mut step.place);
    }
}

/// Leaves out conditions that nobody can name, where the step before has said what decides.
fn leave_out_unnamed(trace: &mut Trace) {
    let mut before = None;
    trace.steps.retain(|step| {
        let told = before == Some(StepKind::Branch) && step.text.starts_with("the condition is ");
        let keep = !(told && step.kind == StepKind::Branch);
        if keep {
            before = Some(step.kind);
        }
        keep
    });
}

/// What a step says of its condition.
#[derive(Debug, PartialEq, Eq)]
enum Claim<'t> {
    /// "`a < b` is true".
    Compares { left: &'t str, sign: &'t str, right: &'t str, truth: bool },
    /// "`a` is not 0".
    Equals { subject: &'t str, value: &'t str, truth: bool },
    /// "the condition is true".
    Plain { truth: bool },
}

fn claim(text: &str) -> Option<Claim<'_>> {
    match text {
        "the condition is true" => return Some(Claim::Plain { truth: true }),
        "the condition is false" => return Some(Claim::Plain { truth: false }),
        _ => {}
    }
    let (expression, rest) = text.strip_prefix('`')?.split_once('`')?;
    let truth = match rest {
        " is true" => true,
        " is false" => false,
        _ => {
            let value = rest.strip_prefix(" is ")?;
            let (value, truth) = value.strip_prefix("not ").map_or((value, true), |value| (value, false));
            return Some(Claim::Equals { subject: expression, value, truth });
        }
    };
    let mut signs = expression.match_indices(' ').filter_map(|(at, _)| {
        let rest = &expression[at + 1..];
        let (word, _) = COMPARISONS.iter().find(|(word, _)| rest.starts_with(&format!("{word} ")))?;
        Some((at, *word))
    });
    let (at, sign) = signs.next().filter(|_| signs.next().is_none())?;
    let right = &expression[at + sign.len() + 2..];
    Some(Claim::Compares { left: &expression[..at], sign, right, truth })
}

/// The text of a branch in the words of the source, if they say the same.
fn retold(step: &Step, operator: u32, sources: &mut Sources<'_>) -> Option<String> {
    let claim = claim(&step.text)?;
    let file = sources.file(&step.place.file)?;
    let line = file.line(step.place.line)?;
    let offset = |column: u32| usize::try_from(column).ok()?.checked_sub(1);
    let text = |from: usize, to: usize| {
        let text = std::str::from_utf8(line.get(from..to)?).ok()?;
        Some(without_arguments(text.trim())).filter(|text| text.len() <= LONGEST && !text.contains("/*"))
    };
    if let Some(found) = comparison(line, offset(operator)?) {
        let sign = std::str::from_utf8(&line[found.operator.0..found.operator.1]).ok()?;
        let left = text(found.start, found.operator.0)?;
        return compared(&claim, &left, sign, &text(found.right, found.end)?);
    }
    match asked(line, offset(step.place.column)?) {
        Some((start, end, turned)) => asking(&claim, &text(start, end)?, turned),
        None => as_c(&claim),
    }
}

/// A claim in the words of the comparison that stands in the source.
fn compared(claim: &Claim<'_>, left: &str, sign: &str, right: &str) -> Option<String> {
    match *claim {
        Claim::Compares { sign: known, truth, .. } if kind(known)? == kind(sign)? => {
            Some(format!("`{left} {sign} {right}` is {}", truth == (known == sign)))
        }
        Claim::Compares { .. } => as_c(claim),
        Claim::Plain { truth } => Some(format!("`{left} {sign} {right}` is {truth}")),
        Claim::Equals { subject, value, truth } => {
            let (named, constant) = match (is_constant(left), is_constant(right)) {
                (_, true) => (left, right),
                (true, false) => (right, left),
                _ => return None,
            };
            let value = match value == "0" && kind(sign) == Some(0) && is_name_or_character(constant) {
                true => constant,
                false => value,
            };
            let subject = if has_in_common(subject, named) { named } else { subject };
            Some(format!("`{subject}` is {}{value}", if truth { "" } else { "not " }))
        }
    }
}

/// A claim in the words of an operand that is asked for its truth.
fn asking(claim: &Claim<'_>, operand: &str, turned: bool) -> Option<String> {
    // An engine knows a function by its name, so a name that it does not know is that of a macro.
    let called = operand.split_once('(').map(|(name, _)| name).filter(|name| is_word(name));
    let out_of = |told: &str| called.filter(|name| !told.contains(&format!("{name}(")));
    match *claim {
        Claim::Plain { truth } => match called.filter(|name| is_upper(name)) {
            // What a macro does with a truth is not known.
            Some(_) => Some(format!("a condition in `{operand}` is {}", truth)),
            None => Some(format!("`{}{operand}` is {}", if turned { "!" } else { "" }, truth != turned)),
        },
        Claim::Compares { left, .. } => {
            let told = as_c(claim);
            let text = told.clone().unwrap_or_else(|| claim.text());
            out_of(left).map(|_| format!("in `{operand}`, {text}")).or(told)
        }
        Claim::Equals { subject, value, truth } => match out_of(subject) {
            Some(_) => Some(format!("in `{operand}`, {}", claim.text())),
            None if has_in_common(subject, operand) && matches!(value, "0" | "NULL") => {
                Some(format!("`{operand}` is {}{value}", if truth { "" } else { "not " }))
            }
            None => None,
        },
    }
}

impl Claim<'_> {
    /// The claim as the engine says it.
    fn text(&self) -> String {
        match self {
            Claim::Compares { left, sign, right, truth } => format!("`{left} {sign} {right}` is {truth}"),
            Claim::Equals { subject, value, truth } => {
                format!("`{subject}` is {}{value}", if *truth { "" } else { "not " })
            }
            Claim::Plain { truth } => format!("the condition is {truth}"),
        }
    }
}

/// A comparison of bits as C has to write it, with the number in the base of masks: `(mode & 0xf000) == 0x4000`.
fn as_c(claim: &Claim<'_>) -> Option<String> {
    let Claim::Compares { left, sign, right, truth } = *claim else { return None };
    let loose = [" & ", " | ", " ^ "].iter().any(|bits| left.contains(bits));
    let number = right.parse::<u64>().ok().filter(|&number| number > 9);
    let right = number.map_or_else(|| right.to_owned(), |number| format!("{number:#x}"));
    loose.then(|| format!("`({left}) {sign} {right}` is {truth}"))
}

fn kind(sign: &str) -> Option<u8> {
    COMPARISONS.iter().find(|(word, _)| *word == sign).map(|&(_, kind)| kind)
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Macros and enumerators are written so; a variable is none of them.
fn is_upper(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_uppercase()) && is_word(text) && text == text.to_ascii_uppercase()
}

fn is_name_or_character(text: &str) -> bool {
    text != "NULL" && is_upper(text) || text.starts_with('\'')
}

fn is_constant(text: &str) -> bool {
    let number = text.trim_start_matches('-');
    is_upper(text)
        || text.starts_with('\'')
        || number.starts_with(|c: char| c.is_ascii_digit()) && is_word(number)
}

/// Whether two operands may be the same thing: they have a name in common.
fn has_in_common(one: &str, other: &str) -> bool {
    let words = |text: &'_ str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        words.filter(|word| word.starts_with(|c: char| !c.is_ascii_digit())).map(str::to_owned).collect()
    };
    let known = words(one);
    words(other).iter().any(|word| known.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceMap;
    use watertight_finding::Support;

    fn check(line: &str, text: &str, expected: &str) {
        let column = line.find('@').unwrap() as u32 + 1;
        let map = SourceMap::from_iter([("a.c", line.replacen('@', "", 1))]);
        let mut step = Step::new(StepKind::Branch, Place::new("a.c", 1, column), text);
        let mut sources = Sources::new(&map);
        point(&mut step, &mut sources);
        let found = retold(&step, column, &mut sources);
        assert_eq!(found.as_deref().unwrap_or(text), expected, "{line}");
    }

    #[test]
    fn a_condition_without_a_name_is_told_as_it_is_written() {
        check("if (@!isalpha(*q))", "the condition is false", "`!isalpha(...)` is true");
        check("if (@! ready(q))", "the condition is true", "`!ready(...)` is false");
        check("if (@!!ready(q))", "the condition is true", "`ready(...)` is true");
        check("if (@isalpha(*q))", "the condition is false", "`isalpha(...)` is false");
        check("if (s->out(m, n) @< 0)", "the condition is true", "`s->out(...) < 0` is true");
        check("if (@BUSY(q))", "the condition is true", "a condition in `BUSY(...)` is true");
        check("@while (a && b)", "the condition is true", "the condition is true");
    }

    #[test]
    fn a_condition_that_nobody_can_name_is_left_out_behind_another() {
        let step = |kind, text: &str| Step::new(kind, Place::new("a.c", 1, 1), text);
        let steps = vec![
            step(StepKind::Branch, "the condition is true"),
            step(StepKind::Branch, "`a` is 0"),
            step(StepKind::Branch, "the condition is false"),
            step(StepKind::Exit, "it leaks"),
        ];
        let mut trace = Trace::new(Support::Replayed, steps);
        leave_out_unnamed(&mut trace);
        let told: Vec<&str> = trace.steps.iter().map(|step| &*step.text).collect();
        assert_eq!(told, ["the condition is true", "`a` is 0", "it leaks"]);
    }

    #[test]
    fn comparisons_are_told_as_they_are_written() {
        check("if (fputs(s, f) @== EOF)", "`fputs(...) == -1` is true", "`fputs(...) == EOF` is true");
        check("if (errno @!= ENOENT)", "`errno == 2` is false", "`errno != ENOENT` is true");
        check("while ((c = getc(f)) @!= EOF)", "`c == -1` is true", "`(c = getc(...)) != EOF` is false");
        check("if (n @< LIMIT)", "`n >= 64` is true", "`n < LIMIT` is false");
        check("if (p[0] @== '-')", "`*p == '-'` is true", "`p[0] == '-'` is true");
        check("if (c @== 'q')", "`c == 113` is false", "`c == 'q'` is false");
        check("if (p @== MAP_FAILED)", "`p == 0xffffffffffffffff` is false", "`p == MAP_FAILED` is false");
        check("if (x + y @> MAX)", "`x + y > 100` is true", "`x + y > MAX` is true");
        check("if (n @!= (ssize_t)len)", "`n == len` is true", "`n != (ssize_t)len` is false");
    }

    #[test]
    fn comparisons_with_zero_have_the_names_of_the_source() {
        check("if (k @== PLAIN)", "`k` is not 0", "`k` is not PLAIN");
        check("if (c @== '\\0')", "`c` is 0", "`c` is '\\0'");
        check("if (p @!= NULL)", "`p` is NULL", "`p` is NULL");
        check("if (NULL @== more[n])", "`all[n]` is NULL", "`more[n]` is NULL");
        check("if (!@parts[n])", "`more[n]` is not NULL", "`parts[n]` is not NULL");
        check("if (@p)", "`p` is not NULL", "`p` is not NULL");
        // Without a name in common it may be something else.
        check("if (@p)", "`q` is not NULL", "`q` is not NULL");
    }

    #[test]
    fn what_a_macro_asks_is_told_with_its_name() {
        let told = "in `S_ISDIR(...)`, `(st.st_mode & 0xf000) == 0x4000` is true";
        check("if (@S_ISDIR(st.st_mode))", "`st.st_mode & 0xf000 == 16384` is true", told);
        check("if (@is_ok(p))", "`p->error` is 0", "in `is_ok(...)`, `p->error` is 0");
        check("if (@f(p))", "`f(...)` is 0", "`f(...)` is 0");
        check("@", "`a & 1 == b` is true", "`(a & 1) == b` is true");
    }

    #[test]
    fn what_stands_elsewhere_stays_as_it_is() {
        for (line, text) in [
            ("if (n @== 3)", "`n < 3` is true"),
            ("if (@n + 3)", "`n == 3` is true"),
            ("if (@", "`n == 3` is true"),
            ("case 1: n @= 3;", "`k` is 0"),
        ] {
            check(line, text, text);
        }
    }
}
