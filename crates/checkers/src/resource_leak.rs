//! A stream, descriptor, directory or other resource that is never closed.
//!
//! What users read about it is `pages/resource-leak.md`, whose examples are run by the tests of the command line.

use crate::words::{finding, loss, subject};
use std::borrow::Cow;
use watertight_finding::{Cwe, Ending, Finding, Level, Page, Rule, RuleId, Story, Switch};

/// The rule.
pub static RULE: Rule = Rule {
    id: RuleId::new("resource-leak"),
    summary: Cow::Borrowed("a stream, descriptor or other resource leaks"),
    level: Level::Warning,
    cwe: Cow::Borrowed(&[Cwe(772)]),
    default: Switch::On,
    since: Cow::Borrowed("0.1.0"),
    help: Cow::Borrowed("Close it on every path, or hand it to someone who does."),
    page: Page::new("Resource leak", "5.9", include_str!("../pages/resource-leak.md")),
};

/// The finding of this rule, if the story is one.
pub fn judge(story: &Story) -> Option<Finding> {
    if story.ending != Ending::Lost || story.memory {
        return None;
    }
    Some(finding(&RULE, format!("{} {}", subject(story), loss(story)), story.acquired.clone(), story))
}
