//! The text of `watertight-marks.toml`, read and written.
//!
//! Nothing else of this program is used here, so that the fuzz target reads this file as it stands.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use watertight_store::Verdict;

/// A decision, as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// The fingerprint.
    pub(crate) finding: String,
    pub(crate) verdict: String,
    #[serde(default)]
    pub(crate) reason: String,
    #[serde(default)]
    pub(crate) rule: String,
    #[serde(default)]
    pub(crate) file: String,
    #[serde(default)]
    pub(crate) function: String,
    #[serde(default)]
    pub(crate) at: String,
}

/// The text of a file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    mark: Vec<Entry>,
}

/// Reads marks; an error is a line and what is wrong with it.
pub(crate) fn parse(text: &str) -> Result<Vec<Entry>, String> {
    let written: Written = toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start.min(text.len()));
        let line = 1 + text.as_bytes()[..start].iter().filter(|&&byte| byte == b'\n').count();
        format!("{line}: {}", error.message().lines().collect::<Vec<_>>().join(", "))
    })?;
    for entry in &written.mark {
        if !is_fingerprint(&entry.finding) {
            return Err(format!("`{}` is not the fingerprint of a finding", entry.finding));
        }
        if Verdict::from_name(&entry.verdict).is_none() {
            return Err(format!("`{}` is not a verdict; use true, false or wont-fix", entry.verdict));
        }
    }
    Ok(written.mark)
}

/// Whether a text names one finding in full.
pub(crate) fn is_fingerprint(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// The text of marks, sorted by place.
pub(crate) fn to_text<'e>(entries: impl Iterator<Item = &'e Entry>) -> String {
    let mut sorted: Vec<&Entry> = entries.collect();
    sorted.sort_by_key(|entry| (&entry.file, &entry.function, &entry.rule, &entry.finding));
    let mut text = String::from(
        "# What was decided about findings; `watertight mark` writes this file, and it can be committed.\n",
    );
    for entry in sorted {
        text.push_str("\n[[mark]]\n");
        for (key, value) in [
            ("file", &entry.file),
            ("function", &entry.function),
            ("rule", &entry.rule),
            ("finding", &entry.finding),
            ("verdict", &entry.verdict),
            ("reason", &entry.reason),
            ("at", &entry.at),
        ] {
            if !value.is_empty() {
                let _ = writeln!(text, "{key} = {}", toml::Value::String(value.clone()));
            }
        }
    }
    text
}
