//! One line per statement, as GCC and Clang print them.
//!
//! Editors and build logs know this form: `file:line:column: warning: message [CWE-401] [rule]`, then a note for each
//! step of each path, in the order of execution. Columns count bytes, as Clang does. Nothing else is printed:
//! no excerpts, no summary.
//!
//! What must hold: each statement is one line, whatever the names in the program contain.

use std::io::{self, Write};

use watertight_finding::{Finding, Problem};

use crate::notes::notes;
use crate::report::Report;
use crate::wording::{clip, place};

/// Writes findings, then problems.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &Report<'_>) -> io::Result<()> {
    for finding in report.findings {
        write_finding(out, finding, &report.weaknesses(finding))?;
    }
    for problem in report.problems {
        write_problem(out, problem)?;
    }
    Ok(())
}

fn write_finding(out: &mut dyn Write, finding: &Finding, weaknesses: &str) -> io::Result<()> {
    let (level, message) = (finding.level.name(), clip(&finding.message));
    writeln!(out, "{}: {level}: {message}{weaknesses} [{}]", place(&finding.place), finding.rule)?;
    for (at, note) in notes(finding) {
        writeln!(out, "{}: note: {note}", place(at))?;
    }
    Ok(())
}

fn write_problem(out: &mut dyn Write, problem: &Problem) -> io::Result<()> {
    let at = problem.place.as_ref().map_or("watertight".to_owned(), place);
    writeln!(
        out,
        "{at}: {}: {} [{}]",
        problem.kind.level().name(),
        clip(&problem.sentence()),
        problem.kind.name()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{conf_finding, rules};
    use watertight_finding::{Place, ProblemKind};

    fn check(finding: Finding, problems: &[Problem], expected: &str) {
        let rules = rules();
        let findings = [finding];
        let report = Report { findings: &findings, problems, ..Report::new("0.1.0", &rules) };
        let mut out = Vec::new();
        write(&mut out, &report).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn every_statement_is_a_line() {
        check(
            conf_finding(),
            &[
                Problem::new(ProblemKind::GivenUp, "main", "the step budget is spent").at(Place::new(
                    "src/main.c",
                    9,
                    5,
                )),
                Problem::new(ProblemKind::UnitFailed, "src/x.c", "clang failed"),
            ],
            "\
src/conf.c:3:18: warning: `copy` leaks on some paths [CWE-401] [memory-leak]
src/conf.c:3:18: note: exit 1 of 2, step 1: `strdup` allocates memory
src/conf.c:4:14: note: exit 1 of 2, step 2: `copy` is not null
src/conf.c:7:9: note: exit 1 of 2, step 3: takes the branch (parse(copy, out) = 0)
src/conf.c:8:9: note: exit 1 of 2, step 4: `copy` was the last reference: it is lost
src/conf.c:3:18: note: exit 2 of 2, step 1: `strdup` allocates memory
src/conf.c:4:14: note: exit 2 of 2, step 2: `copy` is not null
src/conf.c:9:19: note: exit 2 of 2, step 3: takes the branch (out->size = 0)
src/conf.c:10:9: note: exit 2 of 2, step 4: `copy` was the last reference: it is lost
src/conf.c:3:18: note: exit 2 of 2, the path was not checked
src/conf.c:11:5: note: on another path: `free` releases it
src/conf.c:6:5: note: assuming that `log_name` does not keep its first argument
src/conf.c:3:18: note: confidence: high, the solver confirmed the path; only on an error path
src/main.c:9:5: note: `main` was analysed only in part: the step budget is spent [given-up]
watertight: error: could not analyse `src/x.c`: clang failed [unit-failed]
",
        );
    }

    #[test]
    fn hostile_names_stay_on_their_line() {
        let mut finding = crate::testing::finding("a\nb.c", 1, 0);
        finding.message = "lost in `\u{1b}[31mx\r\nfake.c:1:1: error: owned`".into();
        check(
            finding,
            &[],
            "\
a\\nb.c:1: warning: lost in `\\x1b[31mx\\r\\nfake.c:1:1: error: owned` [CWE-401] [memory-leak]
a\\nb.c:1: note: confidence: low because it was not checked whether the path is possible
",
        );
    }
}
