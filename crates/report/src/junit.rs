//! JUnit's XML, which build services show as test results.
//!
//! Each file with findings is a suite, and each finding a test case in it that failed; the whole story is the text of
//! the failure. The suite `watertight` is about the run itself: the case `analysis` passes if the run came to its end,
//! an input that could not be analysed is a case with an error, and a function that was given up is one that was
//! skipped. There is always at least that one case, since services take a report without cases for a mistake.
//!
//! Names of cases are made to stay the same while the finding does, because services follow a case by its name: no
//! lines, and a number only where two would be the same.
//!
//! What must hold: the document is well-formed whatever the program contains, and valid against the schema that
//! Jenkins uses, which knows no attributes for lines. Places are in the text.

use std::collections::BTreeMap;
use std::io::{self, Write};

use watertight_finding::{Finding, ProblemKind};

use crate::notes::told;
use crate::paths;
use crate::report::{Ending, Report};
use crate::wording::{clip, place};
use crate::xml;

/// What came of a case.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Result {
    Passed,
    Failure,
    Error,
    Skipped,
}

impl Result {
    fn element(self) -> Option<&'static str> {
        match self {
            Result::Passed => None,
            Result::Failure => Some("failure"),
            Result::Error => Some("error"),
            Result::Skipped => Some("skipped"),
        }
    }
}

struct Case {
    name: String,
    result: Result,
    kind: String,
    message: String,
    lines: Vec<String>,
}

/// Writes the report as one document.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &Report<'_>) -> io::Result<()> {
    let mut suites: Vec<(String, Vec<Case>)> = vec![("watertight".to_owned(), about_the_run(report))];
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for finding in report.findings {
        let file = paths::relative(&finding.place.file, report.root);
        let index = *known.entry(file.clone()).or_insert_with(|| {
            suites.push((file, Vec::new()));
            suites.len() - 1
        });
        suites[index].1.push(about_finding(finding));
    }
    let number = |result| suites.iter().map(|(_, cases)| with(cases, result)).sum::<usize>();
    let tests: usize = suites.iter().map(|(_, cases)| cases.len()).sum();
    let (failures, errors) = (number(Result::Failure), number(Result::Error));
    writeln!(out, "{}", xml::DECLARATION)?;
    writeln!(
        out,
        "<testsuites name=\"watertight\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\">"
    )?;
    for (name, cases) in &suites {
        write_suite(out, name, cases)?;
    }
    writeln!(out, "</testsuites>")
}

fn with(cases: &[Case], result: Result) -> usize {
    cases.iter().filter(|case| case.result == result).count()
}

fn about_the_run(report: &Report<'_>) -> Vec<Case> {
    let mut cases = vec![Case {
        name: "analysis".to_owned(),
        result: if report.ending == Ending::Complete { Result::Passed } else { Result::Error },
        kind: "failed".to_owned(),
        message: report.summary_line(),
        lines: Vec::new(),
    }];
    for problem in report.problems {
        let result = match problem.kind {
            ProblemKind::UnitFailed
            | ProblemKind::InternalError
            | ProblemKind::Configuration
            | ProblemKind::MalformedSuppression => Result::Error,
            ProblemKind::GivenUp | ProblemKind::Unsupported | ProblemKind::UnusedSuppression => {
                Result::Skipped
            }
        };
        cases.push(Case {
            name: format!("{}: {}", problem.kind.name(), clip(&problem.subject)),
            result,
            kind: problem.kind.name().to_owned(),
            message: clip(&problem.sentence()),
            lines: problem.place.iter().map(place).collect(),
        });
    }
    cases
}

fn about_finding(finding: &Finding) -> Case {
    let message = clip(&finding.message);
    let function = match &*finding.place.function {
        "" => String::new(),
        function => format!(" in {}", clip(function)),
    };
    let mut lines = vec![format!("{}: {message} [{}]", place(&finding.place), finding.rule)];
    lines.extend(told(finding));
    Case {
        name: format!("{}{function}: {message}", finding.rule),
        result: Result::Failure,
        kind: finding.rule.as_str().to_owned(),
        message,
        lines,
    }
}

fn write_suite(out: &mut dyn Write, name: &str, cases: &[Case]) -> io::Result<()> {
    let name = xml::text(name);
    let (tests, skipped) = (cases.len(), with(cases, Result::Skipped));
    let (failures, errors) = (with(cases, Result::Failure), with(cases, Result::Error));
    writeln!(
        out,
        "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\">"
    )?;
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for case in cases {
        let times = seen.entry(&case.name).or_insert(0);
        *times += 1;
        let number = if *times > 1 { format!(" #{times}") } else { String::new() };
        write!(
            out,
            "    <testcase classname=\"{name}\" name=\"{}{number}\" time=\"0\"",
            xml::text(&case.name)
        )?;
        let Some(element) = case.result.element() else {
            writeln!(out, "/>")?;
            continue;
        };
        let (kind, message) = (xml::text(&case.kind), xml::text(&case.message));
        writeln!(out, ">")?;
        write!(out, "      <{element} type=\"{kind}\" message=\"{message}\">")?;
        let lines: Vec<String> = case.lines.iter().map(|line| xml::text(line)).collect();
        writeln!(out, "{}</{element}>", lines.join("\n"))?;
        writeln!(out, "    </testcase>")?;
    }
    writeln!(out, "  </testsuite>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{conf_finding, finding, rules};
    use crate::xml::reader::{Element, read};
    use watertight_finding::Problem;

    /// Renders, and checks what the schema of Jenkins says about elements and attributes, and that the sums agree.
    fn check(findings: &[Finding], problems: &[Problem]) -> Element {
        let rules = rules();
        let report = Report { findings, problems, root: Some("/home/me"), ..Report::new("0.1.0", &rules) };
        let mut out = Vec::new();
        write(&mut out, &report).unwrap();
        let root = read(&String::from_utf8(out).unwrap());
        assert_eq!(root.name, "testsuites");
        root.allow(&["name", "tests", "failures", "errors"]);
        let mut sums = [0; 3];
        for suite in &root.children {
            assert_eq!(suite.name, "testsuite");
            suite.allow(&["name!", "tests!", "failures!", "errors!", "skipped"]);
            let number = |name: &str| suite.attribute(name).parse::<usize>().unwrap();
            assert_eq!(number("tests"), suite.children.len());
            let mut names: Vec<&str> = suite.children.iter().map(|case| case.attribute("name")).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), suite.children.len(), "two cases of one name");
            for (name, element) in [("failures", "failure"), ("errors", "error"), ("skipped", "skipped")] {
                let of = |case: &&Element| case.children.iter().any(|child| child.name == element);
                assert_eq!(number(name), suite.children.iter().filter(of).count(), "{name}");
            }
            for case in &suite.children {
                assert_eq!(case.name, "testcase");
                case.allow(&["name!", "classname", "time"]);
                assert!(case.children.len() <= 1);
                case.children.iter().for_each(|child| child.allow(&["type", "message"]));
            }
            sums[0] += number("tests");
            sums[1] += number("failures");
            sums[2] += number("errors");
        }
        let total = |name: &str| root.attribute(name).parse::<usize>().unwrap();
        assert_eq!([total("tests"), total("failures"), total("errors")], sums);
        root
    }

    #[test]
    fn findings_are_failed_cases_and_problems_cases_of_the_run() {
        let problems = [
            Problem::new(ProblemKind::GivenUp, "main", "the step budget is spent"),
            Problem::new(ProblemKind::UnitFailed, "src/x.c", "clang failed"),
        ];
        let root = check(&[conf_finding(), conf_finding(), finding("b.c", 0, 0)], &problems);
        let names: Vec<&str> = root.children.iter().map(|suite| suite.attribute("name")).collect();
        assert_eq!(names, ["watertight", "src/conf.c", "b.c"]);
        let run: Vec<&str> = root.children[0].children.iter().map(|case| case.attribute("name")).collect();
        assert_eq!(run, ["analysis", "given-up: main", "unit-failed: src/x.c"]);
        let cases = &root.children[1].children;
        assert_eq!(cases[0].attribute("name"), "memory-leak in load: `copy` leaks on some paths");
        assert_eq!(cases[1].attribute("name"), format!("{} #2", cases[0].attribute("name")));
        let story: Vec<&str> = cases[0].children[0].text.lines().collect();
        assert_eq!(story[0], "src/conf.c:3:18: `copy` leaks on some paths [memory-leak]");
        assert_eq!(story[1], "src/conf.c:3:18: exit 1 of 2, step 1: `strdup` allocates memory");
    }

    #[test]
    fn a_clean_run_is_one_case_that_passed() {
        let root = check(&[], &[]);
        assert_eq!(root.attribute("tests"), "1");
        assert_eq!(root.children[0].children[0].children, []);
    }

    #[test]
    fn hostile_names_stay_text() {
        let mut hostile = conf_finding();
        hostile.message = "\"></testcase><script>alert(1)</script>\u{1b}[0m ]]>".into();
        hostile.place = watertight_finding::Place::new("<a>&\".c", 1, 1).in_function("f\"<\n");
        hostile.exits[0].steps[0].text = "<!-- \u{0} -->\n&bogus;".into();
        let root = check(&[hostile], &[Problem::new(ProblemKind::UnitFailed, "<x>", "\u{7}&")]);
        assert_eq!(root.children[1].attribute("name"), "<a>&\".c");
        assert!(root.children[1].children[0].attribute("name").contains("<script>alert(1)</script>\\x1b[0m"));
        assert!(root.children[1].children[0].children[0].text.contains("<!-- \\x00 -->\\n&bogus;"));
    }
}
