//! The rules that properties define: `double-lock`, `double-unlock`, `lock-leak`, and those of users' files.
//!
//! A property names its mistakes and what is said of the object; the page of such a rule is the property file.

use crate::words::finding;
use std::borrow::Cow;
use watertight_finding::{Cwe, Ending, Finding, Level, Rule, RuleId, Story, Switch};

/// A rule by what a property says of it. Nothing if that is no name of a rule.
#[must_use]
pub fn rule(id: &str, summary: &str, cwe: Option<u32>, help: &str, default: Switch) -> Option<Rule> {
    Some(Rule {
        id: RuleId::parse(id).ok()?,
        summary: Cow::Owned(summary.to_owned()),
        level: Level::Warning,
        cwe: Cow::Owned(cwe.into_iter().map(Cwe).collect()),
        default,
        since: Cow::Borrowed("0.2.0"),
        help: Cow::Owned(help.to_owned()),
    })
}

/// The finding of such a rule, if the story is one.
pub fn judge(story: &Story) -> Option<Finding> {
    let Ending::Broken(broken) = &story.ending else { return None };
    let rule = rule(&broken.rule, &broken.text, broken.cwe, "", Switch::On)?;
    let message = match &story.held_in {
        Some(name) => format!("{} `{name}` {}", story.noun, broken.text),
        None => format!("{} {}", story.noun, broken.text),
    };
    let mut finding = finding(&rule, message, broken.place.clone(), story);
    finding.variant = None;
    Some(finding)
}
