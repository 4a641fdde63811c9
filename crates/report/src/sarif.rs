//! SARIF 2.1.0, the exchange format of static analysis tools.
//!
//! One run: the tool with its rules, one result per finding with one code flow per exit, and one invocation
//! whose notifications say what could not be done. Suppressed findings are results too, marked as suppressed
//! in source.
//!
//! Choices where the standard leaves room:
//! * Files below the working directory are relative to `SRCROOT`, so that a log can be read on another
//!   machine.
//! * `partialFingerprints` has our [fingerprint](crate::fingerprint()) under [`SCHEME`].
//! * Columns count UTF-16 units, which is what most consumers assume. Places count bytes, so the source is
//!   needed to convert; if it cannot be read, the byte column stands. Where the end of a place is not known
//!   it is guessed from the source, since consumers otherwise mark the rest of the line.
//! * The log is written without white space: paths repeat many places, and indentation would double its size.
//! * In messages braces are doubled and `](` is spaced, because the standard reads placeholders and links
//!   there.
//!
//! What must hold: the output is valid against the schema of the standard, whatever the program contains. The
//! types in `model` name only what is written here.

mod model;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde::ser::{Serialize, SerializeSeq as _, Serializer};
use watertight_finding::{
    Confidence, Finding, Growth, Place, Problem, ProblemKind, Rule, RuleId, Step, StepKind, Switch, Trace,
    Variant,
};

use crate::extent;
use crate::fingerprint::{SCHEME, fingerprint};
use crate::paths::{self, Location as FileLocation};
use crate::report::{Ending, Report};
use crate::rule_page;
use crate::source::{SourceFile, Sources};
use crate::suppress::{By, Suppressed};
use model as m;

/// The base to which files below the working directory are relative.
const ROOT_ID: &str = "SRCROOT";
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Writes the report as one SARIF log with a line end.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &Report<'_>, sources: &mut Sources<'_>) -> io::Result<()> {
    let converter = Converter {
        rules: (0..).zip(report.rules).map(|(index, rule)| (&rule.id, index)).collect(),
        root: report.root,
        sources: RefCell::new(sources),
        // The standard wants suppressions on all results or on none.
        with_suppressions: !report.suppressed.is_empty(),
    };
    let root = report.root.filter(|root| root.starts_with('/')).map(paths::directory_uri);
    let root = root.map(|uri| m::ArtifactLocation { uri, uri_base_id: None });
    let (execution, configuration): (Vec<&Problem>, Vec<&Problem>) =
        report.problems.iter().partition(|problem| is_about_execution(problem.kind));
    let log = m::Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [m::Run {
            tool: m::Tool {
                driver: m::Driver {
                    name: "watertight",
                    semantic_version: report.version,
                    rules: report.rules.iter().map(rule).collect(),
                    notifications: ProblemKind::ALL.into_iter().map(notification_kind).collect(),
                },
            },
            invocations: [m::Invocation {
                execution_successful: report.ending == Ending::Complete,
                working_directory: root.clone(),
                tool_execution_notifications: execution.iter().map(|p| converter.notification(p)).collect(),
                tool_configuration_notifications: configuration
                    .iter()
                    .map(|p| converter.notification(p))
                    .collect(),
            }],
            original_uri_base_ids: root.map(|root| BTreeMap::from([(ROOT_ID, root)])),
            column_kind: "utf16CodeUnits",
            results: Results { report, converter: &converter },
        }],
    };
    serde_json::to_writer(&mut *out, &log)?;
    writeln!(out)
}

/// The results of a run, made one by one while they are written, since there may be very many.
struct Results<'r, 'c, 'p> {
    report: &'r Report<'r>,
    converter: &'c Converter<'r, 'c, 'p>,
}

impl Serialize for Results<'_, '_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Report { findings, suppressed, .. } = self.report;
        let mut list = serializer.serialize_seq(Some(findings.len() + suppressed.len()))?;
        for finding in *findings {
            list.serialize_element(&self.converter.result(finding, None))?;
        }
        for suppressed in *suppressed {
            list.serialize_element(&self.converter.result(&suppressed.finding, Some(suppressed)))?;
        }
        list.end()
    }
}

/// Which findings to read first, from 0 to 100: by confidence, then by how the damage adds up.
fn rank(finding: &Finding) -> f64 {
    let confidence = match finding.confidence() {
        Confidence::High => 75.0,
        Confidence::Medium => 45.0,
        Confidence::Low => 15.0,
    };
    let growth = match finding.growth {
        Growth::EachIteration => 20.0,
        Growth::EachCall => 15.0,
        Growth::ErrorPath => 5.0,
        Growth::OncePerProcess => 0.0,
    };
    confidence + growth
}

fn is_about_execution(kind: ProblemKind) -> bool {
    match kind {
        ProblemKind::UnitFailed
        | ProblemKind::InternalError
        | ProblemKind::GivenUp
        | ProblemKind::Unsupported => true,
        ProblemKind::Configuration | ProblemKind::MalformedSuppression | ProblemKind::UnusedSuppression => {
            false
        }
    }
}

fn rule(rule: &Rule) -> m::Descriptor<'_> {
    let mut tags: BTreeSet<String> =
        rule.cwe.iter().map(|cwe| format!("external/cwe/cwe-{}", cwe.0)).collect();
    let severity = Some(&*rule.page.severity).filter(|severity| !severity.is_empty());
    // Services show the severity only of rules that are about security.
    tags.extend(severity.map(|_| "security".to_owned()));
    m::Descriptor {
        id: rule.id.as_str(),
        name: Some(pascal_case(rule.id.as_str())),
        short_description: titled(&rule.summary),
        full_description: Some(titled(&rule.help)).filter(|full| !full.text.is_empty()),
        help: Some(m::Help { text: escape(&plain(rule)), markdown: without_links(&rule_page::page(rule)) }),
        default_configuration: m::Configuration {
            enabled: rule.default == Switch::On,
            level: rule.level.name(),
        },
        properties: Some(m::RuleProperties {
            since: &rule.since,
            severity,
            tags: tags.into_iter().collect(),
        }),
    }
}

fn notification_kind(kind: ProblemKind) -> m::Descriptor<'static> {
    m::Descriptor {
        id: kind.name(),
        name: None,
        short_description: text(kind.summary()),
        full_description: None,
        help: None,
        default_configuration: m::Configuration { enabled: true, level: kind.level().name() },
        properties: None,
    }
}

/// The help of a rule for those who show no Markdown: what it is about, and what to do.
fn plain(rule: &Rule) -> String {
    // The page begins with what it is about, and its parts have titles.
    let about = without_links(rule.page.text.split("\n## ").next().unwrap_or_default().trim());
    let both: Vec<&str> = [&*about, &*rule.help].into_iter().filter(|part| !part.is_empty()).collect();
    match both.is_empty() {
        true => rule.summary.to_string(),
        false => both.join("\n\n"),
    }
}

/// Markdown with the names of other pages of ours in place of links to them, which lead nowhere from a log.
fn without_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, name, behind)) = link(rest) {
        out += before;
        out += &format!("`{name}`");
        rest = behind;
    }
    out + rest
}

/// The first link to another page: what stands before it, the name of the page, and what stands behind.
fn link(text: &str) -> Option<(&str, &str, &str)> {
    let end = text.find(".md)")?;
    let joint = text[..end].rfind("](")?;
    let start = text[..joint].rfind('[')?;
    Some((&text[..start], &text[joint + 2..end], &text[end + 4..]))
}

/// The name of a rule as the standard wants it: `MemoryLeak`.
fn pascal_case(id: &str) -> String {
    id.split('-').map(capital).collect()
}

/// A text with a capital at its beginning, unless it begins with a name.
fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
}

/// Text in which nothing is taken for a placeholder or a link.
fn escape(plain: &str) -> String {
    plain.replace('{', "{{").replace('}', "}}").replace("](", "] (")
}

/// A message in which nothing is taken for a placeholder or a link.
fn text(plain: &str) -> m::Message {
    m::Message { text: escape(plain) }
}

/// A title as a sentence.
fn titled(clause: &str) -> m::Message {
    if clause.is_empty() { text(clause) } else { sentence(&capital(clause)) }
}

/// A message as a full sentence.
fn sentence(clause: &str) -> m::Message {
    let mut message = text(clause);
    if !message.text.ends_with(['.', '!', '?']) {
        message.text.push('.');
    }
    message
}

/// What is needed to turn values into SARIF.
struct Converter<'r, 's, 'p> {
    rules: BTreeMap<&'r RuleId, usize>,
    root: Option<&'r str>,
    sources: RefCell<&'s mut Sources<'p>>,
    with_suppressions: bool,
}

impl Converter<'_, '_, '_> {
    fn result<'f>(&self, finding: &'f Finding, suppressed: Option<&'f Suppressed>) -> m::Result<'f> {
        let suppression = suppressed.map(|s| m::Suppression {
            kind: match s.by {
                By::Comment => "inSource",
                By::Mark => "external",
            },
            justification: &s.reason,
            location: self.location(&s.place, None),
        });
        m::Result {
            rule_id: finding.rule.as_str(),
            rule_index: self.rules.get(&finding.rule).copied(),
            kind: "fail",
            level: finding.level.name(),
            message: titled(&finding.message),
            rank: rank(finding),
            locations: [self.location(&finding.place, None)],
            partial_fingerprints: BTreeMap::from([(SCHEME, fingerprint(finding).to_string())]),
            code_flows: finding
                .exits
                .iter()
                .filter(|t| !t.steps.is_empty())
                .map(|t| self.code_flow(t))
                .collect(),
            related_locations: self.related_locations(finding),
            suppressions: self.with_suppressions.then(|| suppression.into_iter().collect()),
            properties: m::ResultProperties {
                confidence: finding.confidence().name(),
                doubts: finding
                    .doubts
                    .iter()
                    .map(|doubt| m::Doubt { name: doubt.name(), text: doubt.words() })
                    .collect(),
                support: finding.support.name(),
                urgency: finding.urgency.name(),
                growth: finding.growth.name(),
                resource: finding.resource.as_str(),
                variant: finding.variant.map(Variant::name),
                needs: &finding.needs,
                assumptions: finding.assumptions.iter().map(|a| a.text.as_str()).collect(),
            },
        }
    }

    /// The places worth a look besides the path: where the resource is lost, where it is released, and where
    /// something had to be assumed.
    fn related_locations(&self, finding: &Finding) -> Vec<m::Location> {
        let ends = finding.exits.iter().filter_map(Trace::end).map(|step| (&step.place, step.text.clone()));
        let sibling = finding.sibling.iter().map(|s| (&s.place, format!("on another path: {}", s.text)));
        let assumed = finding.assumptions.iter().map(|a| (&a.place, format!("assuming that {}", a.text)));
        let all = ends.chain(sibling).chain(assumed);
        (0..).zip(all).map(|(id, (place, note))| self.location(place, Some((Some(id), note)))).collect()
    }

    fn code_flow<'f>(&self, trace: &'f Trace) -> m::CodeFlow<'f> {
        let locations = (1..).zip(&trace.steps).map(|(order, step)| self.step(order, step)).collect();
        m::CodeFlow {
            thread_flows: [m::ThreadFlow { locations }],
            properties: m::FlowProperties { support: trace.support.name() },
        }
    }

    fn step<'f>(&self, order: usize, step: &'f Step) -> m::ThreadFlowLocation<'f> {
        let state =
            step.values.iter().map(|b| (b.name.as_str(), m::Message { text: b.value.clone() })).collect();
        m::ThreadFlowLocation {
            location: self.location(&step.place, Some((None, step.text.clone()))),
            kinds: kinds(step.kind),
            nesting_level: step.depth,
            execution_order: order,
            importance: importance(step.kind),
            state,
            properties: m::StepProperties { kind: step.kind.name() },
        }
    }

    fn notification<'f>(&self, problem: &'f Problem) -> m::Notification<'f> {
        let is_about_rule = problem.kind == ProblemKind::UnusedSuppression;
        let rule_index = self.rules.iter().find(|(id, _)| is_about_rule && id.as_str() == problem.subject);
        m::Notification {
            descriptor: m::DescriptorReference {
                id: problem.kind.name(),
                index: ProblemKind::ALL.iter().position(|&kind| kind == problem.kind),
            },
            associated_rule: rule_index
                .map(|(_, &index)| m::DescriptorReference { id: &problem.subject, index: Some(index) }),
            level: problem.kind.level().name(),
            message: sentence(&problem.sentence()),
            locations: problem.place.iter().map(|place| self.location(place, None)).collect(),
        }
    }

    /// A place, with an optional id and a note.
    fn location(&self, place: &Place, note: Option<(Option<usize>, String)>) -> m::Location {
        let (id, note) = match note {
            Some((id, note)) => (id, Some(note)),
            None => (None, None),
        };
        m::Location {
            id,
            physical_location: (!place.file.is_empty()).then(|| m::PhysicalLocation {
                artifact_location: self.artifact(&place.file),
                region: self.region(place),
            }),
            logical_locations: Some(&place.function)
                .filter(|function| !function.is_empty())
                .map(|function| m::LogicalLocation {
                    fully_qualified_name: function.to_string(),
                    kind: "function",
                })
                .into_iter()
                .collect(),
            message: note.filter(|note| !note.is_empty()).map(|note| text(&note)),
        }
    }

    fn artifact(&self, file: &str) -> m::ArtifactLocation {
        match paths::locate(file, self.root) {
            FileLocation::BelowRoot(uri) => m::ArtifactLocation { uri, uri_base_id: Some(ROOT_ID) },
            FileLocation::Elsewhere(uri) => m::ArtifactLocation { uri, uri_base_id: None },
        }
    }

    fn region(&self, place: &Place) -> Option<m::Region> {
        if place.line == 0 {
            return None;
        }
        if place.column == 0 {
            return Some(m::Region { start_line: place.line, start_column: None, end_column: None });
        }
        let file = self.sources.borrow_mut().file(&place.file);
        let (start, end) = match &file {
            Some(file) => {
                let end = end_column(file, place);
                (
                    file.utf16_column(place.line, place.column),
                    end.map(|end| file.utf16_column(place.line, end)),
                )
            }
            None => (place.column, place.end_column),
        };
        let end = end.filter(|&end| end > start);
        Some(m::Region { start_line: place.line, start_column: Some(start), end_column: end })
    }
}

/// Where a place ends, in bytes: as it says, or as it looks.
fn end_column(file: &SourceFile, place: &Place) -> Option<u32> {
    place.end_column.or_else(|| {
        let line = file.line(place.line)?;
        let start = usize::try_from(place.column - 1).ok()?;
        u32::try_from(extent::end_of(line, start) + 1).ok()
    })
}

/// The words of the standard for a kind of step.
fn kinds(kind: StepKind) -> &'static [&'static str] {
    match kind {
        StepKind::Acquire => &["acquire", "resource"],
        StepKind::Branch => &["branch"],
        StepKind::Call => &["call", "function"],
        StepKind::Return => &["return", "function"],
        StepKind::Assign | StepKind::Alias => &["value"],
        StepKind::NotEscaped => &["implicit"],
        StepKind::Release => &["release", "resource"],
        StepKind::Lost => &["danger", "resource"],
        StepKind::Exit => &["exit", "function"],
        StepKind::Note => &[],
    }
}

fn importance(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Acquire | StepKind::Release | StepKind::Lost => "essential",
        StepKind::Branch | StepKind::Call | StepKind::Assign | StepKind::Alias | StepKind::Exit => {
            "important"
        }
        StepKind::Return | StepKind::NotEscaped | StepKind::Note => "unimportant",
    }
}

#[cfg(test)]
mod tests;
