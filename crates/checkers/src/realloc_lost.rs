//! The result of a failed reallocation overwrites the only reference to the old block.
//!
//! What users read about it is `pages/realloc-lost.md`, whose examples are run by the tests of the command line.

use crate::words::{finding, subject};
use std::borrow::Cow;
use watertight_finding::{Cwe, Ending, Finding, Level, Page, Rule, RuleId, Story, Switch};

/// The rule.
pub static RULE: Rule = Rule {
    id: RuleId::new("realloc-lost"),
    summary: Cow::Borrowed(
        "memory leaks if `realloc` fails: the result overwrites the last reference to the old block",
    ),
    level: Level::Warning,
    cwe: Cow::Borrowed(&[Cwe(401)]),
    default: Switch::On,
    since: Cow::Borrowed("0.1.0"),
    help: Cow::Borrowed("Assign the result to another variable first."),
    page: Page::new("Memory lost by a failed realloc", "4.0", include_str!("../pages/realloc-lost.md")),
};

/// The finding of this rule, if the story is one.
pub fn judge(story: &Story) -> Option<Finding> {
    let Ending::ReplacementFailed(place, function) = &story.ending else { return None };
    let message = format!(
        "{} leaks if `{function}` fails: the result overwrites the last reference to it",
        subject(story)
    );
    Some(finding(&RULE, message, place.clone(), story))
}
