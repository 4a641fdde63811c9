//! Findings as diagnostics, and which of them the editor has been told.
//!
//! A finding stands where the resource is acquired; every step of every path on which it is lost, and what it needs of callers, is related
//! information, so that editors can walk along it. What a run could not do is a diagnostic too where it has a place,
//! for silence must not pass for a clean file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString,
};

use crate::documents::range;
use crate::outputs::{Finding, Place, Probe, Proofs, Report};
use crate::project::Scope;
use crate::uri::uri;

/// Who speaks.
pub(crate) const SOURCE: &str = "watertight";

/// Who speaks of proofs: these cannot be suppressed, since nobody reports them unasked.
const PROVER: &str = "watertight prove";
/// A file larger than this is not looked into.
const LARGEST: u64 = 64 << 20;

/// Diagnostics by file.
pub(crate) type ByFile = BTreeMap<PathBuf, Vec<Diagnostic>>;

/// Turns a report into diagnostics; relative names of files start at `root`, and `pages` has what there is to read about rules.
pub(crate) fn of_report(report: &Report, root: &Path, pages: Option<&Path>) -> ByFile {
    let mut texts = Texts { root, read: BTreeMap::new() };
    let mut files = ByFile::new();
    for finding in &report.findings {
        let (path, diagnostic) = of_finding(finding, &mut texts, pages);
        files.entry(path).or_default().push(diagnostic);
    }
    for problem in &report.problems {
        let nowhere = || Place { file: problem.subject.clone(), line: 1, column: 0 };
        // A unit that could not be read is named by its file; other problems without a place are no matter of one file.
        let place = match (&problem.place, problem.kind.as_str()) {
            (Some(place), _) => place.clone(),
            (None, "unit-failed") => nowhere(),
            (None, _) => continue,
        };
        let message = match problem.kind.as_str() {
            "unit-failed" => format!("this file is not checked: {}", problem.cause),
            _ => problem.cause.clone(),
        };
        let diagnostic = Diagnostic {
            range: range(texts.of(&place), place.line, place.column),
            severity: Some(DiagnosticSeverity::INFORMATION),
            source: Some(SOURCE.to_owned()),
            message,
            ..Diagnostic::default()
        };
        files.entry(texts.path(&place)).or_default().push(diagnostic);
    }
    files
}

fn of_finding(finding: &Finding, texts: &mut Texts<'_>, pages: Option<&Path>) -> (PathBuf, Diagnostic) {
    let several = finding.exits.len() > 1;
    let mut related = Vec::new();
    for (number, exit) in (1..).zip(&finding.exits) {
        for step in &exit.steps {
            let Some(uri) = uri(&texts.path(&step.place)) else { continue };
            let range = range(texts.of(&step.place), step.place.line, step.place.column);
            let message = match several {
                true => format!("path {number}: {}", step.text),
                false => step.text.clone(),
            };
            related.push(DiagnosticRelatedInformation { location: Location { uri, range }, message });
        }
    }
    if !finding.needs.is_empty()
        && let Some(uri) = uri(&texts.path(&finding.place))
    {
        let range = range(texts.of(&finding.place), finding.place.line, finding.place.column);
        let message = format!("needs: {}", finding.needs.join(", "));
        related.push(DiagnosticRelatedInformation { location: Location { uri, range }, message });
    }
    let diagnostic = Diagnostic {
        range: range(texts.of(&finding.place), finding.place.line, finding.place.column),
        severity: Some(match finding.level.as_str() {
            "error" => DiagnosticSeverity::ERROR,
            "warning" => DiagnosticSeverity::WARNING,
            _ => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(finding.rule.clone())),
        code_description: page(&finding.rule, pages).map(|href| CodeDescription { href }),
        source: Some(SOURCE.to_owned()),
        message: finding.message.clone(),
        related_information: Some(related),
        ..Diagnostic::default()
    };
    (texts.path(&finding.place), diagnostic)
}

/// The address of what there is to read about a rule. A rule of the project's own may have any name, and no page.
fn page(rule: &str, pages: Option<&Path>) -> Option<lsp_types::Uri> {
    let is_name = rule.bytes().all(|byte| byte == b'-' || byte.is_ascii_alphanumeric());
    let page = pages.filter(|_| is_name)?.join(format!("{rule}.md"));
    page.is_file().then(|| uri(&page)).flatten()
}

/// Turns the answers about a statement into diagnostics: they stay in sight until the file is saved again.
pub(crate) fn of_proofs(proofs: &Proofs, root: &Path) -> ByFile {
    let mut texts = Texts { root, read: BTreeMap::new() };
    let mut files = ByFile::new();
    for probe in proofs.functions.iter().flat_map(|function| &function.probes) {
        let Some(place) = Place::read(&probe.place) else { continue };
        let steps = probe.detail.steps.iter().filter_map(|step| {
            let place = Place::read(&step.place)?;
            let range = range(texts.of(&place), place.line, place.column);
            let location = Location { uri: uri(&texts.path(&place))?, range };
            Some(DiagnosticRelatedInformation { location, message: step.text.clone() })
        });
        let related = steps.collect();
        let diagnostic = Diagnostic {
            range: range(texts.of(&place), place.line, place.column),
            severity: Some(match probe.verdict.as_str() {
                "proved" => DiagnosticSeverity::HINT,
                "violated" => DiagnosticSeverity::WARNING,
                _ => DiagnosticSeverity::INFORMATION,
            }),
            source: Some(PROVER.to_owned()),
            message: answer(probe),
            related_information: Some(related),
            ..Diagnostic::default()
        };
        files.entry(texts.path(&place)).or_default().push(diagnostic);
    }
    files
}

/// One answer in words.
pub(crate) fn answer(probe: &Probe) -> String {
    let lost = &probe.lost;
    match probe.verdict.as_str() {
        "proved" if probe.detail.assumptions.is_empty() => {
            format!("proved: `{lost}` is never the last reference to a block here")
        }
        "proved" => {
            let assumptions = probe.detail.assumptions.join(", ");
            format!("proved: `{lost}` is never the last reference to a block here, assuming {assumptions}")
        }
        "violated" => format!("violated: `{lost}` may be the last reference to a block here"),
        verdict => {
            let why = probe.detail.why.as_deref().unwrap_or("no reason given");
            format!("{verdict}: whether `{lost}` is the last reference to a block here: {why}")
        }
    }
}

/// Texts of files as they were saved, for positions in them.
struct Texts<'r> {
    root: &'r Path,
    read: BTreeMap<PathBuf, Option<String>>,
}

impl Texts<'_> {
    fn path(&self, place: &Place) -> PathBuf {
        self.root.join(&place.file)
    }

    fn of(&mut self, place: &Place) -> Option<&str> {
        let path = self.path(place);
        // A finding may name anything, also a pipe, on which reading would wait for ever.
        let small = path.metadata().is_ok_and(|data| data.len() <= LARGEST);
        let plain = || (small && path.is_file()).then(|| std::fs::read(&path).ok()).flatten();
        let read = || plain().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        self.read.entry(path.clone()).or_insert_with(read).as_deref()
    }
}

/// What the editor shows.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    /// Before the project was checked as a whole: by the unit that was checked.
    units: BTreeMap<PathBuf, ByFile>,
    /// After it was.
    project: Option<ByFile>,
}

impl Shown {
    /// Whether the project was checked as a whole.
    pub(crate) fn is_whole(&self) -> bool {
        self.project.is_some()
    }

    /// Takes the result of a check, and gives the files that look different now, each with all that is to be shown.
    pub(crate) fn take(&mut self, scope: &Scope, found: ByFile) -> ByFile {
        let before = self.all();
        match scope {
            Scope::Project => {
                self.units.clear();
                self.project = Some(found);
            }
            Scope::File(file) => {
                self.units.insert(file.clone(), found);
            }
        }
        let mut now = self.all();
        let files: BTreeSet<PathBuf> = before.keys().chain(now.keys()).cloned().collect();
        let mut changed = ByFile::new();
        for file in files {
            let diagnostics = now.remove(&file).unwrap_or_default();
            if before.get(&file) != Some(&diagnostics) {
                changed.insert(file, diagnostics);
            }
        }
        // A file that was checked is told to be clean even if it was so before: editors and people wait for an answer.
        if let Scope::File(file) = scope {
            let all = self.all();
            changed.entry(file.clone()).or_insert_with(|| all.get(file).cloned().unwrap_or_default());
        }
        changed
    }

    /// All that is to be shown for one file.
    pub(crate) fn of(&self, file: &Path) -> Vec<Diagnostic> {
        self.all().remove(file).unwrap_or_default()
    }

    fn all(&self) -> ByFile {
        let mut all = ByFile::new();
        for (file, diagnostics) in self.units.values().chain(&self.project).flatten() {
            let shown = all.entry(file.clone()).or_default();
            // A header may be included by several units.
            for diagnostic in diagnostics {
                if !shown.contains(diagnostic) {
                    shown.push(diagnostic.clone());
                }
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(text: &str) -> Report {
        serde_json::from_str(text).expect("the report is readable")
    }

    const FINDING: &str = r#"{"findings": [{"rule": "memory-leak", "level": "warning", "message": "lost",
        "place": {"file": "a.c", "line": 3, "column": 5},
        "exits": [{"steps": [{"text": "given", "place": {"file": "a.c", "line": 3, "column": 5}},
                             {"text": "gone", "place": {"file": "b.h", "line": 9, "column": 1}}]}],
        "needs": ["`flags` has bit 2"]}]}"#;

    #[test]
    fn every_step_is_related_information() {
        let files = of_report(&report(FINDING), Path::new("/no/such"), None);
        let [(path, diagnostics)] = &files.iter().collect::<Vec<_>>()[..] else { panic!("{files:?}") };
        assert_eq!(path.as_path(), Path::new("/no/such/a.c"));
        let diagnostic = &diagnostics[0];
        assert_eq!(diagnostic.code, Some(NumberOrString::String("memory-leak".to_owned())));
        assert_eq!(diagnostic.range.start.line, 2);
        assert_eq!(diagnostic.code_description, None);
        let related = diagnostic.related_information.as_ref().expect("there is a path");
        let steps: Vec<_> = related.iter().map(|step| (step.location.uri.as_str(), &*step.message)).collect();
        let needs = ("file:///no/such/a.c", "needs: `flags` has bit 2");
        assert_eq!(steps, [("file:///no/such/a.c", "given"), ("file:///no/such/b.h", "gone"), needs]);
    }

    #[test]
    fn what_could_not_be_done_is_shown() {
        let text = r#"{"findings": [], "problems": [
            {"kind": "unit-failed", "subject": "a.c", "cause": "it does not compile", "place": null},
            {"kind": "given-up", "subject": "f", "cause": "too large", "place": null},
            {"kind": "malformed-suppression", "subject": "x", "cause": "it gives no reason",
             "place": {"file": "a.c", "line": 2, "column": 1}}]}"#;
        let files = of_report(&report(text), Path::new("/no"), None);
        let messages: Vec<&str> = files[Path::new("/no/a.c")].iter().map(|d| &*d.message).collect();
        assert_eq!(messages, ["this file is not checked: it does not compile", "it gives no reason"]);
    }

    #[test]
    fn only_what_changed_is_told_again() {
        let (a, b) = (PathBuf::from("/a.c"), PathBuf::from("/b.h"));
        let with = |message: &str| Diagnostic { message: message.to_owned(), ..Diagnostic::default() };
        let found = |entries: &[(&PathBuf, &str)]| -> ByFile {
            entries.iter().map(|(path, message)| ((*path).clone(), vec![with(message)])).collect()
        };
        let told = |changed: ByFile| -> Vec<String> {
            let entry = |(path, list): (PathBuf, Vec<Diagnostic>)| {
                let messages: Vec<String> = list.into_iter().map(|d| d.message).collect();
                format!("{}: {}", path.display(), messages.join(" "))
            };
            changed.into_iter().map(entry).collect()
        };
        let mut shown = Shown::default();
        let file = Scope::File(a.clone());
        assert_eq!(told(shown.take(&file, ByFile::new())), ["/a.c: "]);
        assert_eq!(told(shown.take(&file, found(&[(&a, "x"), (&b, "y")]))), ["/a.c: x", "/b.h: y"]);
        assert_eq!(told(shown.take(&file, found(&[(&a, "x")]))), ["/a.c: x", "/b.h: "]);
        assert!(!shown.is_whole());
        assert_eq!(told(shown.take(&Scope::Project, found(&[(&a, "x"), (&b, "z")]))), ["/b.h: z"]);
        assert!(shown.is_whole());
        assert!(told(shown.take(&Scope::Project, found(&[(&a, "x"), (&b, "z")]))).is_empty());
    }
}
