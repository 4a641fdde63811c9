//! What every format is made from.
//!
//! A report is borrowed plain data. The shell fills it once, after merging, suppressing and selecting, and
//! hands it to one of the writers in [`text`](crate::text), [`gcc`](crate::gcc), [`json`](crate::json) or
//! [`sarif`](crate::sarif). Findings are written in the order in which they stand.

use watertight_finding::{Confidence, Coverage, Finding, Problem, ProblemKind, Rule};

use crate::select::Aside;
use crate::suppress::{By, Suppressed};
use crate::wording::{count, grouped};

/// Everything a run has to say.
#[derive(Debug, Clone)]
pub struct Report<'a> {
    /// The version of Watertight.
    pub version: &'a str,
    /// The rules that were on, and possibly others.
    pub rules: &'a [Rule],
    /// What is reported.
    pub findings: &'a [Finding],
    /// What the source asks not to report.
    pub suppressed: &'a [Suppressed],
    /// How many findings are not shown because of their confidence.
    pub hidden: usize,
    /// What is only counted because there is more urgent.
    pub aside: Aside,
    /// How many things the program holds when it ends, if the rule about that is off.
    pub held: usize,
    /// The list by which rules were chosen, if there was one.
    pub rules_typed: Option<&'a str>,
    /// What could not be done.
    pub problems: &'a [Problem],
    /// How much was looked at.
    pub coverage: Coverage,
    /// The absolute path of the working directory, to which relative paths refer.
    pub root: Option<&'a str>,
    /// Whether the run came to its end.
    pub ending: Ending,
    /// What functions do, for formats that can show it beside a path.
    pub contracts: &'a [Contract],
}

/// What a function does with resources, in words.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Contract {
    /// The name of the function.
    pub name: String,
    /// Where that is known from: the place of the function, or the file of its model.
    pub from: String,
    /// One sentence each.
    pub does: Vec<String>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It did what it was asked to do, apart from the listed problems.
    Complete,
    /// It had to stop before that.
    Failed,
}

impl<'a> Report<'a> {
    /// The weaknesses of the rule of a finding, as they stand after its message: ` [CWE-401]`. Empty if there are none.
    pub(crate) fn weaknesses(&self, finding: &Finding) -> String {
        let rule = self.rules.iter().find(|rule| rule.id == finding.rule);
        rule.into_iter().flat_map(|rule| rule.cwe.iter()).map(|cwe| format!(" [{cwe}]")).collect()
    }

    /// A report of a complete run that found nothing.
    #[must_use]
    pub fn new(version: &'a str, rules: &'a [Rule]) -> Report<'a> {
        Report {
            version,
            rules,
            findings: &[],
            suppressed: &[],
            hidden: 0,
            aside: Aside::default(),
            held: 0,
            rules_typed: None,
            problems: &[],
            coverage: Coverage::default(),
            root: None,
            ending: Ending::Complete,
            contracts: &[],
        }
    }

    /// How many findings have this confidence.
    pub(crate) fn with_confidence(&self, confidence: Confidence) -> usize {
        self.findings.iter().filter(|finding| finding.confidence() == confidence).count()
    }

    /// How many problems are of this kind.
    pub(crate) fn problems_of(&self, kind: ProblemKind) -> usize {
        self.problems.iter().filter(|problem| problem.kind == kind).count()
    }

    /// The last line for people: what was found, in how much, and what is not shown.
    #[must_use]
    pub fn summary_line(&self) -> String {
        self.summary_lines().join("; ")
    }

    /// The same in lines: what was found, and then, for each reason, what is not shown and which option shows it.
    #[must_use]
    pub fn summary_lines(&self) -> Vec<String> {
        let mut lines = vec![self.found()];
        lines.extend(self.not_shown().into_iter().map(|what| format!("not shown: {what}")));
        lines
    }

    fn found(&self) -> String {
        let mut out = match self.findings.len() {
            // What is set aside is a finding all the same, and the exit code says so.
            0 if self.aside.memory + self.aside.ending > 0 => "no urgent findings".to_owned(),
            0 => "no findings".to_owned(),
            number => {
                let parts: Vec<String> = Confidence::ALL
                    .into_iter()
                    .map(|confidence| (self.with_confidence(confidence), confidence))
                    .filter(|(number, _)| *number > 0)
                    .map(|(number, confidence)| format!("{} {}", grouped(number as u64), confidence.name()))
                    .collect();
                format!("{} ({})", count(number as u64, "finding"), parts.join(", "))
            }
        };
        out.push_str(&format!(" in {}", count(self.coverage.files, "file")));
        match self.problems_of(ProblemKind::UnitFailed) {
            0 => {}
            failed => out.push_str(&format!(" ({} more could not be analysed)", grouped(failed as u64))),
        }
        out.push_str(&format!("; {} analysed", count(self.coverage.functions, "function")));
        if let Some(proved) = self.coverage.proved {
            out.push_str(&format!(", {} proved leak-free", grouped(proved)));
            if proved > 0 && !self.coverage.proved_assuming.is_empty() {
                out.push_str(&format!(" assuming {}", self.coverage.proved_assuming.join(", ")));
            }
        }
        match self.problems_of(ProblemKind::GivenUp) {
            0 => {}
            given_up => out.push_str(&format!(", {} given up", grouped(given_up as u64))),
        }
        let by = |by| self.suppressed.iter().filter(|one| one.by == by).count();
        match by(By::Comment) {
            0 => {}
            suppressed => out.push_str(&format!("; {} suppressed", grouped(suppressed as u64))),
        }
        match by(By::Mark) {
            0 => {}
            marked => out.push_str(&format!("; {} marked and not reported", grouped(marked as u64))),
        }
        if self.ending == Ending::Failed {
            out.push_str("; the run did not come to its end");
        }
        out
    }

    /// What is only counted, a clause for each option that shows it.
    fn not_shown(&self) -> Vec<String> {
        let shows = |number: usize, option: &str| match number {
            1 => format!("{option} shows it"),
            _ => format!("{option} shows them"),
        };
        let mut all = Vec::new();
        if self.hidden > 0 {
            let shows = shows(self.hidden, "--confidence low");
            all.push(format!("{} of lower confidence ({shows})", grouped(self.hidden as u64)));
        }
        let aside = [
            (self.aside.memory, "lost only when memory runs out"),
            (self.aside.ending, "lost just before the program ends"),
        ];
        let parts: Vec<String> = aside
            .iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, when)| format!("{} {when}", grouped(*number as u64)))
            .collect();
        if !parts.is_empty() {
            let number = self.aside.memory + self.aside.ending;
            let exit = match (self.findings.is_empty(), number) {
                (false, _) => "",
                (true, 1) => "; it counts for the exit code",
                (true, _) => "; they count for the exit code",
            };
            all.push(format!("{} ({}{exit})", parts.join(", "), shows(number, "--all")));
        }
        if self.held > 0 {
            let option = match self.rules_typed {
                None => "--all".to_owned(),
                Some(list) => format!("--rules {list},leak-at-exit"),
            };
            let held = grouped(self.held as u64);
            all.push(format!("{held} still held when the program ends ({})", shows(self.held, &option)));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{finding, rules};
    use watertight_finding::{Doubt, Doubts};

    #[test]
    fn the_summary_says_what_was_found_and_in_how_much() {
        let rules = rules();
        let mut report = Report::new("0.1.0", &rules);
        report.coverage = Coverage { files: 1, functions: 1, proved: None, proved_assuming: Vec::new() };
        assert_eq!(report.summary_line(), "no findings in 1 file; 1 function analysed");

        report.coverage.proved = Some(1);
        assert_eq!(report.summary_line(), "no findings in 1 file; 1 function analysed, 1 proved leak-free");
        report.coverage.proved_assuming = vec!["models".into(), "one-thread".into()];
        let line =
            "no findings in 1 file; 1 function analysed, 1 proved leak-free assuming models, one-thread";
        assert_eq!(report.summary_line(), line);

        report.aside.ending = 2;
        assert!(
            report.summary_line().starts_with("no urgent findings in 1 file; "),
            "{}",
            report.summary_line()
        );
        let not_shown = "; not shown: 2 lost just before the program ends (--all shows them; they count for the exit code)";
        assert!(report.summary_line().ends_with(not_shown), "{}", report.summary_line());
        report.held = 1;
        let held = "; not shown: 1 still held when the program ends (--all shows it)";
        assert!(report.summary_line().ends_with(held), "{}", report.summary_line());
        report.rules_typed = Some("memory");
        let held = "; not shown: 1 still held when the program ends (--rules memory,leak-at-exit shows it)";
        assert!(report.summary_line().ends_with(held), "{}", report.summary_line());
        report.aside.ending = 0;
        report.held = 0;

        let mut findings = [finding("a.c", 1, 1), finding("a.c", 2, 1)];
        findings[0].doubts = Doubts::NONE;
        findings[1].doubts = Doubt::Borrowed.into();
        let problems = [
            Problem::new(ProblemKind::GivenUp, "f", "the step budget is spent"),
            Problem::new(ProblemKind::GivenUp, "g", "the step budget is spent"),
        ];
        report.findings = &findings;
        report.problems = &problems;
        report.coverage = Coverage { files: 3, functions: 1234, proved: None, proved_assuming: Vec::new() };
        assert_eq!(
            report.summary_line(),
            "2 findings (1 high, 1 medium) in 3 files; 1,234 functions analysed, 2 given up"
        );

        let problems = [Problem::new(ProblemKind::UnitFailed, "x.c", "clang failed")];
        report.problems = &problems;
        report.hidden = 3;
        report.ending = Ending::Failed;
        assert_eq!(
            report.summary_line(),
            "2 findings (1 high, 1 medium) in 3 files (1 more could not be analysed); 1,234 functions analysed; \
             the run did not come to its end; not shown: 3 of lower confidence (--confidence low shows them)"
        );
    }
}
