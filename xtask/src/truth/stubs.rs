//! What a reader is to fill in: an entry for each finding, with its fingerprint and no verdict yet.
//!
//! In go findings with their fingerprints, out comes text in the format of `corpus/verdicts`. A comment above each entry
//! says where to look: lines, the message, and the steps of each way. Comments are for the reader; nothing reads them.

use std::fmt::Write as _;

use super::fingerprint::Fingerprint;
use super::report::Finding;
use super::source::Sources;

/// The entry of one finding that nobody has read.
pub(super) fn stub(
    finding: &Finding,
    fingerprint: &Fingerprint,
    ambiguous: bool,
    sampled: bool,
    sources: &Sources,
) -> String {
    let mut out = String::new();
    let place = &finding.place;
    let line = place.line.unwrap_or(0);
    let _ = writeln!(
        out,
        "# {}:{line} [{}] {}",
        sources.relative(&place.file),
        finding.confidence,
        finding.message
    );
    if ambiguous {
        out.push_str("# ambiguous: another finding of this report has the same fingerprint\n");
    }
    for exit in &finding.exits {
        if let Some(end) = exit.end() {
            let shown = |step: &super::report::Step| {
                format!("{}:{}", step.place.function.as_deref().unwrap_or("?"), step.place.line.unwrap_or(0))
            };
            let way: Vec<String> = exit.steps.iter().filter(|step| step.kind != "lost").map(shown).collect();
            let _ = writeln!(out, "#   {} -> {} {}", way.join(" "), shown(end), end.text);
        }
    }
    out.push_str(&entry(fingerprint, "unread", None, "", &finding.confidence, &doubts(finding), sampled));
    out
}

/// The doubts of a finding by name, or the texts of its assumptions where the build had no doubts, without repetitions.
pub(super) fn doubts(finding: &Finding) -> Vec<String> {
    let mut doubts: Vec<String> = match &finding.doubts {
        Some(doubts) => doubts.iter().map(|doubt| doubt.name.clone()).collect(),
        None => finding.assumptions.iter().map(|assumption| assumption.text.clone()).collect(),
    };
    doubts.sort();
    doubts.dedup();
    doubts
}

/// An entry in the order in which people read it.
pub(super) fn entry(
    fingerprint: &Fingerprint,
    verdict: &str,
    cause: Option<&str>,
    why: &str,
    confidence: &str,
    doubts: &[String],
    sample: bool,
) -> String {
    let mut out = String::from("[[finding]]\n");
    let mut put = |name: &str, value: toml::Value| {
        let _ = writeln!(out, "{name} = {value}");
    };
    let list = |texts: &mut dyn Iterator<Item = &String>| {
        toml::Value::Array(texts.map(|t| t.clone().into()).collect())
    };
    put("rule", fingerprint.rule.clone().into());
    put("file", fingerprint.file.clone().into());
    put("function", fingerprint.function.clone().into());
    put("acquired", fingerprint.acquired.clone().into());
    put("lost", list(&mut fingerprint.lost.iter()));
    put("verdict", verdict.into());
    if let Some(cause) = cause {
        put("cause", cause.into());
    }
    put("why", why.into());
    put("confidence", confidence.into());
    put("doubts", list(&mut doubts.iter()));
    if sample {
        put("sample", true.into());
    }
    out.push('\n');
    out
}
