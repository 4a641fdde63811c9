//! Something that is used after it was released.
//!
//! What users read about it is `pages/use-after-release.md`, whose examples are run by the tests of the command line.

use crate::words::{Verbs, finding, subject};
use std::borrow::Cow;
use watertight_finding::{Cwe, Ending, Finding, Level, Page, Rule, RuleId, Story, Switch};

/// The rule.
pub static RULE: Rule = Rule {
    id: RuleId::new("use-after-release"),
    summary: Cow::Borrowed("something is used after it was freed, closed or released"),
    level: Level::Error,
    cwe: Cow::Borrowed(&[Cwe(416)]),
    default: Switch::On,
    since: Cow::Borrowed("0.1.0"),
    help: Cow::Borrowed("Use it before releasing it, and set the pointer to NULL afterwards."),
    page: Page::new("Use after free or close", "8.1", include_str!("../pages/use-after-release.md")),
};

/// The finding of this rule, if the story is one.
pub fn judge(story: &Story) -> Option<Finding> {
    let Ending::UsedAfterRelease(place) = &story.ending else { return None };
    let message = format!("{} is used after it was {}", subject(story), Verbs::of(story).released);
    Some(finding(&RULE, message, place.clone(), story))
}
