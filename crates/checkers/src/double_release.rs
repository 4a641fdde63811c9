//! Something that is released twice.
//!
//! What users read about it is `pages/double-release.md`, whose examples are run by the tests of the command line.

use crate::words::{Verbs, finding, subject};
use std::borrow::Cow;
use watertight_finding::{Cwe, Ending, Finding, Level, Page, Rule, RuleId, Story, Switch};

/// The rule.
pub static RULE: Rule = Rule {
    id: RuleId::new("double-release"),
    summary: Cow::Borrowed("something is freed, closed or released twice"),
    level: Level::Error,
    cwe: Cow::Borrowed(&[Cwe(415)]),
    default: Switch::On,
    since: Cow::Borrowed("0.1.0"),
    help: Cow::Borrowed("Release it once, or set the pointer to NULL after releasing it."),
    page: Page::new("Double free or double close", "8.1", include_str!("../pages/double-release.md")),
};

/// The finding of this rule, if the story is one.
pub fn judge(story: &Story) -> Option<Finding> {
    let Ending::ReleasedAgain(place) = &story.ending else { return None };
    Some(finding(
        &RULE,
        format!("{} is {} twice", subject(story), Verbs::of(story).released),
        place.clone(),
        story,
    ))
}
