//! What kind of defect a finding speaks of.
//!
//! A rule is declared once, as a constant in the file of its checker; command-line help, configuration, the
//! rule table of SARIF and the pages in `docs/rules/` derive from that one value. All text fields are
//! `Cow<'static, str>`, so that a rule can be a constant and a rule defined by a user can still own its text.
//!
//! What must hold: a [`RuleId`] is kebab-case. It appears on command lines (`-memory-leak` takes a rule
//! away), in source comments (`ignore[memory-leak]`) and in other tools, so it may contain nothing that any
//! of them would have to quote.
//!
//! ```
//! use watertight_finding::RuleId;
//! assert_eq!(RuleId::parse("double-lock").unwrap().as_str(), "double-lock");
//! assert!(RuleId::parse("Double Lock").is_err());
//! ```

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

use crate::Urgency;

/// The name of a rule, in kebab-case: lower-case letters and digits in words joined by single hyphens.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RuleId(Cow<'static, str>);

impl RuleId {
    /// Names a rule by a constant. A name that is not kebab-case does not compile when the call is in a
    /// constant, which is where rules are declared.
    ///
    /// # Panics
    ///
    /// When called at run time with a name that is not kebab-case; use [`RuleId::parse`] for names that come
    /// from a user.
    #[must_use]
    pub const fn new(name: &'static str) -> RuleId {
        assert!(is_kebab_case(name.as_bytes()), "a rule id must be kebab-case");
        RuleId(Cow::Borrowed(name))
    }

    /// Names a rule by text from outside: a command line, a configuration file, a comment, a stored finding.
    ///
    /// # Errors
    ///
    /// When the text is not kebab-case.
    pub fn parse(name: &str) -> Result<RuleId, RuleIdError> {
        if is_kebab_case(name.as_bytes()) {
            Ok(RuleId(Cow::Owned(name.to_owned())))
        } else {
            Err(RuleIdError { name: name.to_owned() })
        }
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Text that cannot be the name of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleIdError {
    /// The text as it was given.
    pub name: String,
}

impl fmt::Display for RuleIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a rule name: rule names are lower-case words joined by hyphens", self.name)
    }
}

impl std::error::Error for RuleIdError {}

const fn is_kebab_case(name: &[u8]) -> bool {
    let mut i = 0;
    let mut in_word = false;
    while i < name.len() {
        match name[i] {
            b'a'..=b'z' => in_word = true,
            // A word may contain digits but the name starts with a letter, so that it is never taken for a
            // number.
            b'0'..=b'9' if i > 0 => in_word = true,
            b'-' if in_word => in_word = false,
            _ => return false,
        }
        i += 1;
    }
    in_word
}

/// How loudly a finding speaks. Ordered from quiet to loud.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Level {
    /// Worth knowing; hardly ever hurts.
    Note,
    /// A defect.
    Warning,
    /// A defect that attackers look for.
    Error,
}

impl Level {
    /// The word used in every output format.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }

    /// The level of a rule by its severity, in the ranges of CVSS: an error from 7.0 on, a note below 4.0. Rules without one warn.
    #[must_use]
    pub fn of_severity(severity: &str) -> Level {
        match severity.parse::<f32>() {
            Ok(severity) if severity >= 7.0 => Level::Error,
            Ok(severity) if severity < 4.0 => Level::Note,
            _ => Level::Warning,
        }
    }

    /// The level of a finding by that of its rule: what shows only when memory runs out or the process ends is one level quieter.
    #[must_use]
    pub const fn at(self, urgency: Urgency) -> Level {
        match (urgency, self) {
            (Urgency::Ordinary | Urgency::ErrorHandling, level) => level,
            (Urgency::MemoryRunsOut | Urgency::ProcessEnding, Level::Error) => Level::Warning,
            (Urgency::MemoryRunsOut | Urgency::ProcessEnding, _) => Level::Note,
        }
    }
}

/// A number in the Common Weakness Enumeration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cwe(pub u32);

impl fmt::Display for Cwe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CWE-{}", self.0)
    }
}

/// Whether a rule runs when the user says nothing about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Switch {
    /// Runs unless taken away.
    On,
    /// Runs only when asked for.
    Off,
}

/// A kind of defect: what it is called, how loud it is, and what a user should know about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The name, for example `memory-leak`.
    pub id: RuleId,
    /// One line without a final dot that completes "this rule finds places where ...".
    pub summary: Cow<'static, str>,
    /// The level its findings have where nothing unusual is needed for them; see [`Level::at`].
    pub level: Level,
    /// The weaknesses this rule finds; may be empty.
    pub cwe: Cow<'static, [Cwe]>,
    /// Whether it runs when the user says nothing.
    pub default: Switch,
    /// The version of Watertight that first had this rule.
    pub since: Cow<'static, str>,
    /// Full sentences: why it matters and how to repair it.
    pub help: Cow<'static, str>,
    /// What there is to read beyond that.
    pub page: Page,
}

/// What there is to read about a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// What people call the defect, for example `Memory leak`; may be empty.
    pub title: Cow<'static, str>,
    /// How bad it is for security, from `0.0` to `10.0` as in CVSS; may be empty.
    pub severity: Cow<'static, str>,
    /// Markdown: what it is, a bad and a good example, and what to do; may be empty.
    pub text: Cow<'static, str>,
}

impl Page {
    /// Nothing to read.
    pub const NONE: Page = Page::new("", "", "");

    /// A page by its parts.
    #[must_use]
    pub const fn new(title: &'static str, severity: &'static str, text: &'static str) -> Page {
        Page { title: Cow::Borrowed(title), severity: Cow::Borrowed(severity), text: Cow::Borrowed(text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_names_are_kebab_case() {
        for good in ["a", "memory-leak", "use-after-release", "cwe401", "a-1"] {
            assert!(RuleId::parse(good).is_ok(), "{good}");
        }
        for bad in ["", "-", "a-", "-a", "a--b", "A", "a b", "a_b", "1a", "a,b", "naïve", "a]"] {
            assert!(RuleId::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn constant_and_parsed_names_are_equal() {
        assert_eq!(RuleId::new("memory-leak"), RuleId::parse("memory-leak").unwrap());
    }

    #[test]
    fn levels_follow_severity_and_urgency() {
        let levels = ["8.1", "7.0", "5.9", "4.0", "1.0", ""].map(|one| Level::of_severity(one).name());
        assert_eq!(levels, ["error", "error", "warning", "warning", "note", "warning"]);
        assert_eq!(Level::Error.at(Urgency::ErrorHandling), Level::Error);
        assert_eq!(Level::Error.at(Urgency::MemoryRunsOut), Level::Warning);
        assert_eq!(Level::Warning.at(Urgency::ProcessEnding), Level::Note);
    }

    #[test]
    fn the_error_names_the_text() {
        assert_eq!(
            RuleId::parse("Leak").unwrap_err().to_string(),
            "`Leak` is not a rule name: rule names are lower-case words joined by hyphens"
        );
    }
}
