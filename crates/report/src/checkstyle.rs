//! Checkstyle's XML, which many review and build services read.
//!
//! One `file` element per file in the order in which its first finding stands, and one `error` in it per finding. The
//! format has no paths, so the place of loss is said in the message. Problems are errors of their file; those that are
//! about no file stand under the name `watertight`.
//!
//! What must hold: the document is well-formed whatever the program contains, and `line` is at least one.

use std::collections::BTreeMap;
use std::io::{self, Write};

use watertight_finding::{Finding, Level, Place, ProblemKind, Trace};

use crate::paths;
use crate::report::Report;
use crate::wording::{clip, count};
use crate::xml;

/// The version of Checkstyle whose format this is; readers ask for one.
const VERSION: &str = "4.3";

/// Writes the report as one document.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &Report<'_>) -> io::Result<()> {
    let mut files: Vec<(String, Vec<String>)> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut add = |file: String, error: String| {
        let index = *known.entry(file.clone()).or_insert_with(|| {
            files.push((file, Vec::new()));
            files.len() - 1
        });
        files[index].1.push(error);
    };
    for finding in report.findings {
        let source = format!("watertight.{}", finding.rule);
        let error = error(&finding.place, severity(finding.level), &message(finding), &source);
        add(paths::relative(&finding.place.file, report.root), error);
    }
    for problem in report.problems {
        let nowhere = match problem.kind {
            // The subject is the file.
            ProblemKind::UnitFailed => Place::new(&*problem.subject, 0, 0),
            _ => Place::new("watertight", 0, 0),
        };
        let place = problem.place.as_ref().filter(|place| !place.file.is_empty()).unwrap_or(&nowhere);
        let source = format!("watertight.{}", problem.kind.name());
        let error = error(place, severity(problem.kind.level()), &clip(&problem.sentence()), &source);
        add(paths::relative(&place.file, report.root), error);
    }
    writeln!(out, "{}", xml::DECLARATION)?;
    writeln!(out, "<checkstyle version=\"{VERSION}\">")?;
    for (file, errors) in files {
        writeln!(out, "  <file name=\"{}\">", xml::text(&file))?;
        for error in errors {
            writeln!(out, "    {error}")?;
        }
        writeln!(out, "  </file>")?;
    }
    writeln!(out, "</checkstyle>")
}

fn error(place: &Place, severity: &str, message: &str, source: &str) -> String {
    let column = match place.column {
        0 => String::new(),
        column => format!(" column=\"{column}\""),
    };
    let (line, message, source) = (place.line.max(1), xml::text(message), xml::text(source));
    format!(
        "<error line=\"{line}\"{column} severity=\"{severity}\" message=\"{message}\" source=\"{source}\"/>"
    )
}

/// The message with the places of loss, since the format has no others.
fn message(finding: &Finding) -> String {
    let mut out = clip(&finding.message);
    let ends: Vec<String> = finding
        .exits
        .iter()
        .filter_map(Trace::end)
        .filter(|end| end.place.has_line())
        .map(|end| match end.place.file == finding.place.file {
            true => format!("line {}", end.place.line),
            false => clip(&end.place.to_string()),
        })
        .collect();
    match ends.as_slice() {
        [] => {}
        [one] => out.push_str(&format!("; lost at {one}")),
        [first, rest @ ..] => {
            let more = count(rest.len() as u64, "other place");
            out.push_str(&format!("; lost at {first} and in {more}"));
        }
    }
    out
}

fn severity(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "info",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{conf_finding, finding, rules};
    use crate::xml::reader::{Element, read};
    use watertight_finding::Problem;

    /// Renders, and checks what consumers ask for.
    fn check(findings: &[Finding], problems: &[Problem]) -> Element {
        let rules = rules();
        let report = Report { findings, problems, root: Some("/home/me"), ..Report::new("0.1.0", &rules) };
        let mut out = Vec::new();
        write(&mut out, &report).unwrap();
        let root = read(&String::from_utf8(out).unwrap());
        assert_eq!(root.name, "checkstyle");
        root.allow(&["version!"]);
        for file in &root.children {
            assert_eq!(file.name, "file");
            file.allow(&["name!"]);
            for error in &file.children {
                assert_eq!(error.name, "error");
                error.allow(&["line!", "column", "severity!", "message!", "source!"]);
                assert!(error.attribute("line").parse::<u32>().unwrap() > 0);
                assert!(["error", "warning", "info"].contains(&error.attribute("severity")));
            }
        }
        root
    }

    #[test]
    fn findings_stand_below_their_files() {
        let problems = [
            Problem::new(ProblemKind::GivenUp, "main", "the step budget is spent"),
            Problem::new(ProblemKind::UnitFailed, "src/x.c", "clang failed"),
        ];
        let root =
            check(&[conf_finding(), finding("b.c", 0, 0), finding("/home/me/src/conf.c", 9, 1)], &problems);
        let names: Vec<&str> = root.children.iter().map(|file| file.attribute("name")).collect();
        assert_eq!(names, ["src/conf.c", "b.c", "watertight", "src/x.c"]);
        let first = &root.children[0].children[0];
        assert_eq!(first.attribute("line"), "3");
        assert_eq!(first.attribute("column"), "18");
        assert_eq!(first.attribute("source"), "watertight.memory-leak");
        assert_eq!(
            first.attribute("message"),
            "`copy` leaks on some paths; lost at line 8 and in 1 other place"
        );
        assert_eq!(root.children[0].children.len(), 2);
        assert_eq!(root.children[1].children[0].attribute("line"), "1");
        assert_eq!(root.children[3].children[0].attribute("severity"), "error");
    }

    #[test]
    fn hostile_names_stay_text() {
        let mut hostile = finding("\"/><error line=\"1\n.c", 1, 1);
        hostile.message = "`</file>` &lt; \u{0} ]]> \u{202e}".into();
        let root = check(&[hostile], &[]);
        assert_eq!(root.children.len(), 1);
        assert_eq!(root.children[0].children.len(), 1);
        assert_eq!(root.children[0].children[0].attribute("message"), "`</file>` &lt; \\x00 ]]> \\u{202e}");
    }

    #[test]
    fn nothing_found_is_an_empty_document() {
        assert_eq!(check(&[], &[]).children, []);
    }
}
