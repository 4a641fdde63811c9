//! What differs between two reports: new, fixed and moved findings.
//!
//! In: the text of two reports, each in our JSON format, in SARIF as this tool writes it, or a baseline. Out: the findings that only
//! the second has, those that only the first has, those that are in both at another place, and how many are where they were.
//!
//! A finding is the same in both if its fingerprint is; what is suppressed is not reported, so a finding that is suppressed in the
//! second report is neither fixed nor there: it has a list of its own. Functions of one name in several files share
//! fingerprints: of those, findings in the same file are paired first, then those that are left, in the order of their places.
//!
//! What must hold: comparing a report with itself finds no difference; the order of findings in the reports does not matter.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;

use serde::Serialize;
use serde_json::Value;

use crate::baseline::Baseline;
use crate::escape::one_line;
use crate::fingerprint::SCHEME;

/// A finding as a report tells of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Told {
    /// The file.
    pub file: String,
    /// The line, or `None` where the report has none: a baseline names files only.
    pub line: Option<u64>,
    /// The column in bytes; SARIF counts UTF-16 units, so columns of two formats are not compared.
    pub column: Option<u64>,
    /// The function.
    pub function: String,
    /// The rule.
    pub rule: String,
    /// What was said.
    pub message: String,
    /// What names it.
    pub fingerprint: String,
}

/// A report that was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reported {
    /// What was reported.
    pub findings: Vec<Told>,
    /// What was found and is suppressed by a comment or a mark.
    pub suppressed: Vec<Told>,
    /// How many findings were found and left out of the report because of their confidence.
    pub hidden: u64,
    /// Whether the run looked at all it was asked to look at.
    pub complete: bool,
    /// How many files were analysed, if the report says.
    pub files: Option<u64>,
}

/// What differs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Diff {
    /// In the second report only.
    pub new: Vec<Told>,
    /// In the first report only.
    pub fixed: Vec<Told>,
    /// In both, in another file or on another line.
    pub moved: Vec<Moved>,
    /// Reported by the first, suppressed in the second.
    pub suppressed: Vec<Told>,
    /// How many are in both at the same place.
    pub unchanged: usize,
}

/// A finding that is elsewhere now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// Where it was.
    pub from: Told,
    /// Where it is.
    pub to: Told,
}

/// Reads a report: JSON, SARIF, or a baseline.
///
/// # Errors
///
/// What is wrong with it.
pub fn read(text: &str) -> Result<Reported, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if value.get("runs").is_some() {
        return sarif(&value);
    }
    if value.get("schemaVersion").is_some() {
        return json(&value);
    }
    if value.get("scheme").is_some() {
        return Baseline::parse(text).map(|baseline| of_baseline(&baseline));
    }
    Err("it is neither a report in JSON or SARIF nor a baseline".to_owned())
}

fn of_baseline(baseline: &Baseline) -> Reported {
    let findings = baseline.entries().iter().map(|entry| Told {
        file: entry.file.clone(),
        line: None,
        column: None,
        function: entry.function.clone(),
        rule: entry.rule.clone(),
        message: entry.message.clone(),
        fingerprint: entry.fingerprint.clone(),
    });
    Reported { findings: findings.collect(), complete: true, ..Reported::default() }
}

fn json(value: &Value) -> Result<Reported, String> {
    let version = value["schemaVersion"].as_u64();
    if version != Some(u64::from(crate::json::SCHEMA_VERSION)) {
        return Err("it was written by another version of watertight; write it anew".to_owned());
    }
    let all =
        |name: &str| -> Result<Vec<Told>, String> { list(value, name).iter().map(told_by_json).collect() };
    Ok(Reported {
        findings: all("findings")?,
        suppressed: all("suppressed")?,
        hidden: value["summary"]["hidden"].as_u64().unwrap_or(0),
        complete: value["summary"]["complete"].as_bool().unwrap_or(true),
        files: value["summary"]["files"].as_u64(),
    })
}

fn told_by_json(finding: &Value) -> Result<Told, String> {
    let place = &finding["place"];
    Ok(Told {
        file: text(&place["file"]),
        line: place["line"].as_u64(),
        column: place["column"].as_u64(),
        function: text(&place["function"]),
        rule: text(&finding["rule"]),
        message: text(&finding["message"]),
        fingerprint: fingerprint(&finding["fingerprint"])?,
    })
}

fn sarif(value: &Value) -> Result<Reported, String> {
    let mut reported = Reported { complete: true, ..Reported::default() };
    for run in list(value, "runs") {
        let failed = |invocation: &Value| invocation["executionSuccessful"].as_bool() == Some(false);
        reported.complete &= !list(run, "invocations").iter().any(failed);
        for result in list(run, "results") {
            let told = told_by_sarif(result)?;
            match list(result, "suppressions").is_empty() {
                true => reported.findings.push(told),
                false => reported.suppressed.push(told),
            }
        }
    }
    Ok(reported)
}

fn told_by_sarif(result: &Value) -> Result<Told, String> {
    let location = &result["locations"][0];
    let physical = &location["physicalLocation"];
    let message = text(&result["message"]["text"]);
    Ok(Told {
        file: decoded(&text(&physical["artifactLocation"]["uri"])),
        line: physical["region"]["startLine"].as_u64(),
        column: physical["region"]["startColumn"].as_u64(),
        function: text(&location["logicalLocations"][0]["fullyQualifiedName"]),
        rule: text(&result["ruleId"]),
        // In SARIF braces are doubled and the clause is a sentence.
        message: message.trim_end_matches('.').replace("{{", "{").replace("}}", "}"),
        fingerprint: fingerprint(&result["partialFingerprints"][SCHEME])?,
    })
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn fingerprint(value: &Value) -> Result<String, String> {
    let print = value.as_str().filter(|print| !print.is_empty());
    print
        .map(str::to_owned)
        .ok_or_else(|| format!("a finding in it has no fingerprint of the scheme {SCHEME}"))
}

/// A file name from a URI reference.
fn decoded(uri: &str) -> String {
    let path = uri.strip_prefix("file://").unwrap_or(uri).as_bytes();
    let mut bytes = Vec::with_capacity(path.len());
    let mut at = 0;
    while let Some(&byte) = path.get(at) {
        let digits = path.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.filter(|_| byte == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(code) => {
                bytes.push(code);
                at += 3;
            }
            None => {
                bytes.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Compares two reports.
#[must_use]
pub fn compare(old: &Reported, new: &Reported) -> Diff {
    let mut diff = Diff::default();
    let mut before: BTreeMap<&str, Vec<&Told>> = BTreeMap::new();
    for told in &old.findings {
        before.entry(&told.fingerprint).or_default().push(told);
    }
    let mut after: BTreeMap<&str, Vec<&Told>> = BTreeMap::new();
    for told in &new.findings {
        after.entry(&told.fingerprint).or_default().push(told);
    }
    let mut silenced: BTreeMap<&str, usize> = BTreeMap::new();
    for told in &new.suppressed {
        *silenced.entry(&told.fingerprint).or_default() += 1;
    }
    for (print, mut now) in after {
        let mut then = before.remove(print).unwrap_or_default();
        now.sort_unstable();
        then.sort_unstable();
        pair(then, now, &mut diff);
    }
    diff.fixed.extend(before.into_values().flatten().cloned());
    for told in std::mem::take(&mut diff.fixed) {
        match silenced.get_mut(&*told.fingerprint).filter(|left| **left > 0) {
            Some(left) => {
                *left -= 1;
                diff.suppressed.push(told);
            }
            None => diff.fixed.push(told),
        }
    }
    diff.new.sort_unstable();
    diff.fixed.sort_unstable();
    diff.suppressed.sort_unstable();
    diff.moved.sort_unstable_by(|one, other| one.to.cmp(&other.to));
    diff
}

/// Pairs findings of one fingerprint: first those at the same place, then those in the same file, then the rest.
fn pair(mut then: Vec<&Told>, mut now: Vec<&Told>, diff: &mut Diff) {
    type Fits = fn(&Told, &Told) -> bool;
    let rounds: [Fits; 3] = [is_at_same_place, |one, other| one.file == other.file, |_, _| true];
    for fits in rounds {
        let mut open: VecDeque<&Told> = VecDeque::new();
        for told in now {
            let Some(at) = then.iter().position(|other| fits(other, told)) else {
                open.push_back(told);
                continue;
            };
            let from = then.remove(at);
            match is_at_same_place(from, told) {
                true => diff.unchanged += 1,
                false => diff.moved.push(Moved { from: from.clone(), to: told.clone() }),
            }
        }
        now = open.into();
    }
    diff.new.extend(now.into_iter().cloned());
    diff.fixed.extend(then.into_iter().cloned());
}

/// Whether two are at one place, as far as both reports say.
fn is_at_same_place(one: &Told, other: &Told) -> bool {
    one.file == other.file && (one.line.is_none() || other.line.is_none() || one.line == other.line)
}

/// The difference as text: a list for each kind, and a last line that counts. Of moved findings at most `most_moved` are listed.
#[must_use]
pub fn to_text(diff: &Diff, most_moved: usize) -> String {
    let mut text = String::new();
    let told = |told: &Told| format!("{}: {} [{}]", place(told), told.message, told.rule);
    let moved = |moved: &Moved| format!("{} (was {})", told(&moved.to), place(&moved.from));
    section(&mut text, "new", diff.new.iter().map(told), usize::MAX);
    section(&mut text, "fixed", diff.fixed.iter().map(told), usize::MAX);
    section(&mut text, "suppressed now", diff.suppressed.iter().map(told), usize::MAX);
    section(&mut text, "moved", diff.moved.iter().map(moved), most_moved);
    let mut counts = vec![format!("{} new", diff.new.len()), format!("{} fixed", diff.fixed.len())];
    if !diff.suppressed.is_empty() {
        counts.push(format!("{} suppressed now", diff.suppressed.len()));
    }
    counts.push(format!("{} moved", diff.moved.len()));
    counts.push(format!("{} unchanged", diff.unchanged));
    let _ = writeln!(text, "{}", counts.join(", "));
    text
}

fn section(text: &mut String, title: &str, lines: impl ExactSizeIterator<Item = String>, most: usize) {
    let count = lines.len();
    if count == 0 {
        return;
    }
    let _ = writeln!(text, "{title}:");
    for line in lines.take(most) {
        let _ = writeln!(text, "  {}", one_line(&line));
    }
    if count > most {
        let _ = writeln!(text, "  and {} more (-v shows all)", count - most);
    }
    text.push('\n');
}

fn place(told: &Told) -> String {
    match (told.line, told.column) {
        (Some(line), Some(column)) => format!("{}:{line}:{column}", told.file),
        (Some(line), None) => format!("{}:{line}", told.file),
        (None, _) => told.file.clone(),
    }
}

/// The difference for programs: one JSON document with a line end.
#[must_use]
pub fn to_json(diff: &Diff) -> String {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Document<'d> {
        schema_version: u32,
        #[serde(flatten)]
        diff: &'d Diff,
    }
    let document = Document { schema_version: crate::json::SCHEMA_VERSION, diff };
    // Strings and numbers can always be written.
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(file: &str, line: u64, print: &str) -> Told {
        Told {
            file: file.to_owned(),
            line: Some(line),
            column: Some(3),
            function: "f".to_owned(),
            rule: "memory-leak".to_owned(),
            message: format!("`{print}` leaks"),
            fingerprint: print.to_owned(),
        }
    }

    fn reported(findings: Vec<Told>) -> Reported {
        Reported { findings, complete: true, ..Reported::default() }
    }

    #[test]
    fn findings_are_new_fixed_moved_or_unchanged() {
        let old = reported(vec![told("a.c", 1, "gone"), told("a.c", 5, "stays"), told("a.c", 9, "moves")]);
        let now = reported(vec![told("a.c", 12, "moves"), told("b.c", 2, "comes"), told("a.c", 5, "stays")]);
        let diff = compare(&old, &now);
        assert_eq!(
            to_text(&diff, 5),
            "new:\n  b.c:2:3: `comes` leaks [memory-leak]\n\n\
             fixed:\n  a.c:1:3: `gone` leaks [memory-leak]\n\n\
             moved:\n  a.c:12:3: `moves` leaks [memory-leak] (was a.c:9:3)\n\n\
             1 new, 1 fixed, 1 moved, 1 unchanged\n"
        );
        let value: Value = serde_json::from_str(&to_json(&diff)).unwrap();
        assert_eq!(value["new"][0]["file"], "b.c");
        assert_eq!(value["moved"][0]["from"]["line"], 9);
        assert_eq!(value["unchanged"], 1);
        assert_eq!(compare(&old, &old), Diff { unchanged: 3, ..Diff::default() });
    }

    #[test]
    fn functions_of_one_name_are_paired_by_file_first() {
        let old = reported(vec![told("a.c", 1, "x"), told("b.c", 1, "x")]);
        let now = reported(vec![told("c.c", 1, "x"), told("b.c", 4, "x"), told("a.c", 1, "x")]);
        let diff = compare(&old, &now);
        assert_eq!((diff.unchanged, diff.moved.len(), diff.new.len(), diff.fixed.len()), (1, 1, 1, 0));
        assert_eq!(diff.moved[0].from.file, "b.c");
        assert_eq!(diff.new[0].file, "c.c");
    }

    #[test]
    fn what_is_suppressed_is_not_fixed() {
        let old = reported(vec![told("a.c", 1, "x"), told("a.c", 2, "y")]);
        let now = Reported { suppressed: vec![told("a.c", 1, "x")], ..reported(Vec::new()) };
        let diff = compare(&old, &now);
        assert_eq!((diff.suppressed.len(), diff.fixed.len()), (1, 1));
        assert!(to_text(&diff, 5).ends_with("0 new, 1 fixed, 1 suppressed now, 0 moved, 0 unchanged\n"));
        // What was suppressed and is reported now is new.
        assert_eq!(compare(&now, &old).new.len(), 2);
    }

    #[test]
    fn long_lists_of_moved_findings_are_cut() {
        let old = reported((1..=4).map(|line| told("a.c", line, &format!("x{line}"))).collect());
        let now = reported((1..=4).map(|line| told("a.c", line + 10, &format!("x{line}"))).collect());
        let text = to_text(&compare(&old, &now), 1);
        assert!(text.contains("and 3 more (-v shows all)"), "{text}");
    }

    #[test]
    fn a_file_of_another_kind_is_told() {
        assert!(read("").unwrap_err().contains("EOF"));
        assert!(read("{}").unwrap_err().contains("neither a report"));
        assert!(read("{\"schemaVersion\": 99}").unwrap_err().contains("another version"));
        let foreign = r#"{"runs": [{"results": [{"ruleId": "x", "message": {"text": "y"}}]}]}"#;
        assert!(read(foreign).unwrap_err().contains("no fingerprint"));
        assert_eq!(decoded("src/a%20b%C3%A4.c"), "src/a b\u{e4}.c");
        assert_eq!(decoded("file:///x/50%"), "/x/50%");
    }
}
