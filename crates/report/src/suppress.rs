//! Findings that the source asks not to report.
//!
//! A comment `// watertight: ignore[memory-leak] the table lives as long as the program` takes findings of
//! that rule away. It works in `/* */` as well and may name several rules with commas between them. The
//! reason is not optional: whoever reads the code next must learn why.
//!
//! The comment speaks of the code in its own line or, standing alone, of the statement that follows. It meets
//! a finding whose primary place lies there; or one exit of a finding, if the resource is lost there. A
//! finding is suppressed if its primary place is, or all of its exits are; otherwise the met exits are taken
//! out of it.
//!
//! Input: findings (before any are hidden by confidence, so that a suppression of a hidden one counts as
//! used), the files to search besides those that findings name, and the rules. Output: what is kept, what is
//! suppressed and why, and problems: comments that cannot be understood, give no reason or name an unknown
//! rule, and comments that meet nothing. A comment for a rule that was not on is not called unused.

use std::collections::BTreeMap;

use watertight_finding::{Finding, Place, Problem, ProblemKind, Rule, RuleId, StepKind};

use crate::comments::{self, Comment, Scan};
use crate::paths;
use crate::select::{RuleSet, similar};
use crate::source::{SourceFile, Sources};
use crate::wording::clip;

/// A finding that the source, or a triage mark, asks not to report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppressed {
    /// The finding.
    pub finding: Finding,
    /// The reason given in the comment or with the mark.
    pub reason: String,
    /// Where the comment is. The file of the store, without a line, for a mark.
    pub place: Place,
    /// Who asks for it.
    pub by: By,
}

/// Who asks not to report a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// A comment in the source.
    Comment,
    /// A mark that somebody set on it.
    Mark,
}

impl By {
    /// The word used in machine-readable formats.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            By::Comment => "comment",
            By::Mark => "mark",
        }
    }
}

/// What is left after suppression.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// To be reported, in the order of the input.
    pub kept: Vec<Finding>,
    /// Not to be reported, in the order of the input.
    pub suppressed: Vec<Suppressed>,
    /// Comments that do not do what they seem to, by file and line.
    pub problems: Vec<Problem>,
}

/// Applies the suppressions in the files that findings name and in `files`.
#[must_use]
pub fn suppress(
    findings: Vec<Finding>,
    files: &[String],
    rules: &[Rule],
    on: &RuleSet,
    sources: &mut Sources<'_>,
) -> Outcome {
    // A file is known by its plain path but read, and named in problems, by the spelling that findings use.
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for finding in &findings {
        for place in std::iter::once(&finding.place).chain(lost_places(finding)) {
            names.entry(paths::plain(&place.file)).or_insert_with(|| place.file.to_string());
        }
    }
    for file in files {
        names.entry(paths::plain(file)).or_insert_with(|| file.clone());
    }
    let mut outcome = Outcome::default();
    let mut comments: Vec<Suppression> = Vec::new();
    for name in names.into_values() {
        if let Some(file) = sources.file(&name) {
            read_file(&name, &file, rules, &mut comments, &mut outcome.problems);
        }
    }
    let index = Index::new(comments);
    let mut used = vec![false; index.comments.len()];
    for finding in findings {
        apply(finding, &index, &mut used, &mut outcome);
    }
    for (comment, used) in index.comments.iter().zip(used) {
        if !used && on.contains(&comment.rule) {
            let cause = "there is no such finding in the code that it covers";
            outcome.problems.push(
                Problem::new(ProblemKind::UnusedSuppression, comment.rule.as_str(), cause)
                    .at(comment.place.clone()),
            );
        }
    }
    outcome.problems.sort();
    outcome
}

/// One rule named in one comment.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Suppression {
    rule: RuleId,
    reason: String,
    /// Where the comment is.
    place: Place,
    /// The lines it speaks of, counted from one.
    first_line: u32,
    last_line: u32,
}

/// Suppressions by the file, line and rule they meet.
struct Index {
    comments: Vec<Suppression>,
    by_line: BTreeMap<(String, u32), Vec<usize>>,
}

impl Index {
    fn new(comments: Vec<Suppression>) -> Index {
        let mut by_line: BTreeMap<(String, u32), Vec<usize>> = BTreeMap::new();
        for (i, comment) in comments.iter().enumerate() {
            for line in comment.first_line..=comment.last_line {
                by_line.entry((paths::plain(&comment.place.file), line)).or_default().push(i);
            }
        }
        Index { comments, by_line }
    }

    /// The suppressions of a rule that speak of a place.
    fn at<'i>(&'i self, rule: &'i RuleId, place: &Place) -> impl Iterator<Item = usize> + 'i {
        let here = self.by_line.get(&(paths::plain(&place.file), place.line));
        here.into_iter().flatten().copied().filter(move |&i| self.comments[i].rule == *rule)
    }
}

fn lost_places(finding: &Finding) -> impl Iterator<Item = &Place> {
    let steps = finding.exits.iter().flat_map(|trace| &trace.steps);
    steps.filter(|step| step.kind == StepKind::Lost).map(|step| &step.place)
}

fn apply(mut finding: Finding, index: &Index, used: &mut [bool], outcome: &mut Outcome) {
    let at_primary: Vec<usize> = index.at(&finding.rule, &finding.place).collect();
    let at_exits: Vec<Vec<usize>> = finding
        .exits
        .iter()
        .map(|trace| {
            let lost = trace.steps.iter().filter(|step| step.kind == StepKind::Lost);
            lost.flat_map(|step| index.at(&finding.rule, &step.place)).collect()
        })
        .collect();
    // All that meet the finding count as used, even where one alone would do.
    for &i in at_primary.iter().chain(at_exits.iter().flatten()) {
        used[i] = true;
    }
    let all_exits_met = at_exits.iter().all(|met| !met.is_empty());
    let decisive = at_primary.first().or(at_exits.iter().flatten().next().filter(|_| all_exits_met));
    match decisive {
        Some(&i) => {
            let comment = &index.comments[i];
            let (reason, place) = (comment.reason.clone(), comment.place.clone());
            outcome.suppressed.push(Suppressed { finding, reason, place, by: By::Comment });
        }
        None => {
            let mut met = at_exits.iter();
            finding.exits.retain(|_| met.next().is_none_or(Vec::is_empty));
            outcome.kept.push(finding);
        }
    }
}

/// Collects the suppressions of a file, and the comments that look like one but are none.
fn read_file(
    name: &str,
    file: &SourceFile,
    rules: &[Rule],
    comments: &mut Vec<Suppression>,
    problems: &mut Vec<Problem>,
) {
    // Few files have any; looking for the word first is much cheaper than reading the file as C.
    if !file.bytes().windows(MARKER.len()).any(|window| window == MARKER.as_bytes()) {
        return;
    }
    let scan = comments::scan(file.bytes());
    for comment in &scan.comments {
        let text = String::from_utf8_lossy(&file.bytes()[comment.text.clone()]);
        let Some(directive) = parse(&text) else { continue };
        // The comment opens with two bytes before its text.
        let start = comment.text.start - 2;
        let place = Place::new(name, file.line_of(start), file.column_of(start));
        let mut malformed = |cause: String| {
            let problem = Problem::new(ProblemKind::MalformedSuppression, clip(text.trim()), cause);
            problems.push(problem.at(place.clone()));
        };
        match directive {
            Err(cause) => malformed(cause),
            Ok(Directive { names, reason }) => {
                let (first_line, last_line) = target(&scan, comment);
                for name in names {
                    match rules.iter().find(|rule| rule.id.as_str() == name) {
                        Some(rule) => comments.push(Suppression {
                            rule: rule.id.clone(),
                            reason: reason.clone(),
                            place: place.clone(),
                            first_line,
                            last_line,
                        }),
                        None => {
                            let hint = similar(&name, rules)
                                .map_or(String::new(), |rule| format!(", did you mean `{rule}`?"));
                            malformed(format!("there is no rule `{}`{hint}", clip(&name)));
                        }
                    }
                }
            }
        }
    }
}

/// What every suppression starts with.
const MARKER: &str = "watertight:";

#[derive(Debug, PartialEq, Eq)]
struct Directive {
    names: Vec<String>,
    reason: String,
}

/// Reads the text of a comment: nothing if it does not speak to us, and why not if we do not understand it.
fn parse(comment: &str) -> Option<Result<Directive, String>> {
    let start = comment.find(MARKER)?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let before = &comment[..start];
    if before.chars().next_back().is_some_and(is_word) {
        return None;
    }
    let rest = comment[start + MARKER.len()..].trim_start();
    let Some(rest) = rest.strip_prefix("ignore").filter(|rest| !rest.starts_with(is_word)) else {
        // In the middle of prose the word may just be followed by a colon.
        let opens = before.chars().all(|c| c.is_whitespace() || "*/!<".contains(c));
        return opens.then(|| Err("write `watertight: ignore[RULE] REASON`".to_owned()));
    };
    Some(parse_ignore(rest.trim_start()))
}

/// Reads what follows `ignore`: rules in brackets, then the reason.
fn parse_ignore(rest: &str) -> Result<Directive, String> {
    let Some(list) = rest.strip_prefix('[') else {
        return Err("the rules must be named in brackets, as in `ignore[memory-leak] reason`".to_owned());
    };
    let Some((list, reason)) = list.split_once(']') else {
        return Err("the bracket after `ignore` is not closed".to_owned());
    };
    let mut names: Vec<String> =
        list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    if names.is_empty() {
        return Err("no rule is named between the brackets".to_owned());
    }
    // A reason over several lines is one sentence, without the stars and backslashes that hold it together.
    let words = reason.split_whitespace().filter(|word| !matches!(*word, "*" | "\\"));
    let reason = words.collect::<Vec<_>>().join(" ");
    let reason = reason.trim_start_matches([':', '-', '–', '—', ' ']).to_owned();
    if reason.is_empty() {
        return Err("it gives no reason; say after the brackets why this is not a defect".to_owned());
    }
    Ok(Directive { names, reason })
}

/// A statement that a comment speaks of is followed over at most this many lines.
const LONGEST_STATEMENT: usize = 8;

/// The lines a comment speaks of, counted from one: its own line if it shares it with code, else the next
/// statement.
fn target(scan: &Scan, comment: &Comment) -> (u32, u32) {
    let number = |line: usize| u32::try_from(line + 1).unwrap_or(u32::MAX);
    for own in [comment.first_line, comment.last_line] {
        if scan.has_code[own] {
            return (number(own), number(own));
        }
    }
    let after = comment.last_line + 1;
    let Some(first) = (after..scan.has_code.len()).find(|&line| scan.has_code[line]) else {
        return (number(comment.first_line), number(comment.last_line));
    };
    let reach = scan.ends_statement.len().min(first + LONGEST_STATEMENT);
    let last = (first..reach).find(|&line| scan.ends_statement[line]).unwrap_or(first);
    (number(first), number(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::source::SourceMap;
    use crate::testing::{finding, rules};
    use watertight_finding::{Step, Support, Trace};

    /// Runs one file through suppression and shows what happens to findings at the given lines.
    fn run(source: &str, findings: Vec<Finding>, list: &str) -> Outcome {
        let map = SourceMap::from_iter([("a.c", source)]);
        let rules = rules();
        let on = RuleSet::parse(list, &rules).unwrap();
        suppress(findings, &["a.c".to_owned()], &rules, &on, &mut Sources::new(&map))
    }

    fn check(source: &str, lines: &[u32], expected: &str) {
        let findings = lines.iter().map(|&line| finding("a.c", line, 1)).collect();
        assert_eq!(show(&run(source, findings, "default")), expected, "{source}");
    }

    fn show(outcome: &Outcome) -> String {
        let mut out = Vec::new();
        out.extend(outcome.kept.iter().map(|f| {
            let ends: Vec<String> =
                f.exits.iter().map(|t| format!(" exit {}", t.end().unwrap().place.line)).collect();
            format!("kept {}{}", f.place.line, ends.concat())
        }));
        out.extend(
            outcome
                .suppressed
                .iter()
                .map(|s| format!("suppressed {} by {}: {}", s.finding.place.line, s.place, s.reason)),
        );
        out.extend(outcome.problems.iter().map(|p| p.to_string()));
        out.join("\n")
    }

    #[test]
    fn a_comment_speaks_of_its_own_line_or_of_the_next_statement() {
        check("p(); // watertight: ignore[memory-leak] why not", &[1], "suppressed 1 by a.c:1:6: why not");
        check("/* watertight: ignore[memory-leak] why */ p();", &[1], "suppressed 1 by a.c:1:1: why");
        check("// watertight: ignore[memory-leak] why\np();", &[2], "suppressed 2 by a.c:1:1: why");
        check(
            "// watertight: ignore[memory-leak] why\n\n// more\np();",
            &[4],
            "suppressed 4 by a.c:1:1: why",
        );
        check(
            "// watertight: ignore[memory-leak] why\nchar *p =\n  f(1);\nq();",
            &[3, 4],
            "kept 4\nsuppressed 3 by a.c:1:1: why",
        );
        check(
            "/* watertight: ignore[memory-leak]\n * because of\n * this */ p();",
            &[3],
            "suppressed 3 by a.c:1:1: because of this",
        );
    }

    #[test]
    fn a_comment_behind_code_does_not_speak_of_the_next_line() {
        check(
            "p(); // watertight: ignore[memory-leak] why\nq();",
            &[2],
            "kept 2\na.c:1:6: this `ignore[memory-leak]` comment is not needed: there is no such finding in the code that it covers",
        );
    }

    #[test]
    fn several_rules_may_be_named() {
        let source = "p(); // watertight: ignore[resource-leak , memory-leak] why";
        check(
            source,
            &[1],
            "suppressed 1 by a.c:1:6: why\n\
             a.c:1:6: this `ignore[resource-leak]` comment is not needed: there is no such finding in the code that it covers",
        );
        let mut other = finding("a.c", 1, 9);
        other.rule = RuleId::new("resource-leak");
        let outcome = run(source, vec![finding("a.c", 1, 1), other], "default");
        assert_eq!((outcome.suppressed.len(), outcome.problems.len()), (2, 0));
    }

    #[test]
    fn a_rule_that_was_not_on_is_not_called_unused() {
        let source = "p(); // watertight: ignore[leak-at-exit] why";
        assert_eq!(run(source, vec![], "default").problems, []);
        assert_eq!(run(source, vec![], "all").problems.len(), 1);
    }

    #[test]
    fn comments_that_cannot_be_followed_are_reported_and_do_nothing() {
        let cases = [
            ("ignore why", "the rules must be named in brackets, as in `ignore[memory-leak] reason`"),
            ("ignore", "the rules must be named in brackets, as in `ignore[memory-leak] reason`"),
            ("ignore[memory-leak]", "it gives no reason; say after the brackets why this is not a defect"),
            ("ignore[memory-leak] - ", "it gives no reason; say after the brackets why this is not a defect"),
            ("ignore[memory-leak why", "the bracket after `ignore` is not closed"),
            ("ignore[ , ] why", "no rule is named between the brackets"),
            ("ignore[memory-leek] why", "there is no rule `memory-leek`, did you mean `memory-leak`?"),
            ("ignored", "write `watertight: ignore[RULE] REASON`"),
            ("off", "write `watertight: ignore[RULE] REASON`"),
        ];
        for (directive, cause) in cases {
            check(
                &format!("p(); // watertight: {directive}"),
                &[1],
                &format!("kept 1\na.c:1:6: this `ignore` comment has no effect: {cause}"),
            );
        }
    }

    #[test]
    fn an_unknown_rule_does_not_spoil_the_known_one() {
        check(
            "p(); // watertight: ignore[nonsense,memory-leak] why",
            &[1],
            "suppressed 1 by a.c:1:6: why\na.c:1:6: this `ignore` comment has no effect: there is no rule `nonsense`",
        );
    }

    #[test]
    fn only_comments_count_and_prose_is_left_alone() {
        check("p(\"// watertight: ignore[memory-leak] why\");", &[1], "kept 1");
        check("p(); // this makes it watertight: ignored", &[1], "kept 1");
        check("p(); // not-watertight: ignore[memory-leak] why", &[1], "kept 1");
        check(
            "p(); // owned by t; watertight: ignore[memory-leak] t lives on",
            &[1],
            "suppressed 1 by a.c:1:6: t lives on",
        );
    }

    fn with_exits(lines: &[u32]) -> Finding {
        let mut finding = finding("a.c", 1, 1);
        finding.exits = lines
            .iter()
            .map(|&line| {
                let steps = vec![
                    Step::new(StepKind::Acquire, Place::new("a.c", 1, 1), ""),
                    Step::new(StepKind::Lost, Place::new("a.c", line, 1), ""),
                ];
                Trace::new(Support::Unchecked, steps)
            })
            .collect();
        finding
    }

    #[test]
    fn a_comment_where_it_is_lost_takes_that_exit_away() {
        let source = "p();\nreturn; // watertight: ignore[memory-leak] first\n\
                      return; // watertight: ignore[memory-leak] second\nreturn;\n";
        assert_eq!(show(&run(source, vec![with_exits(&[2, 3, 4])], "default")), "kept 1 exit 4");
        assert_eq!(
            show(&run(source, vec![with_exits(&[2, 3])], "default")),
            "suppressed 1 by a.c:2:9: first",
            "all exits are met"
        );
    }

    #[test]
    fn files_without_findings_are_searched_once_under_any_spelling() {
        let source = "// watertight: ignore[memory-leak] why\np();";
        let unused = "this `ignore[memory-leak]` comment is not needed: there is no such finding in the code that it covers";
        let map = SourceMap::from_iter([("a.c", source), ("./a.c", source)]);
        let rules = rules();
        let on = RuleSet::defaults(&rules);
        let files = ["./a.c".to_owned(), "a.c".to_owned(), "missing.c".to_owned()];
        let outcome = suppress(vec![], &files, &rules, &on, &mut Sources::new(&map));
        assert_eq!(show(&outcome), format!("./a.c:1:1: {unused}"));
        let outcome = suppress(vec![finding("a.c", 2, 1)], &files, &rules, &on, &mut Sources::new(&map));
        assert_eq!(show(&outcome), "suppressed 2 by a.c:1:1: why");
    }
}
