//! Something that the program still holds when it ends.
//!
//! What users read about it is `pages/leak-at-exit.md`, whose examples are run by the tests of the command line.

use crate::words::{Verbs, finding, subject};
use std::borrow::Cow;
use watertight_finding::{Cwe, Ending, Finding, Level, Page, Rule, RuleId, Story, Switch};

/// The rule.
pub static RULE: Rule = Rule {
    id: RuleId::new("leak-at-exit"),
    summary: Cow::Borrowed("something is still allocated or open when the program ends"),
    level: Level::Note,
    cwe: Cow::Borrowed(&[Cwe(401)]),
    default: Switch::Off,
    since: Cow::Borrowed("0.1.0"),
    help: Cow::Borrowed("Release it before the program ends if a leak checker is to report nothing."),
    page: Page::new("Held at exit", "1.0", include_str!("../pages/leak-at-exit.md")),
};

/// The finding of this rule, if the story is one.
pub fn judge(story: &Story) -> Option<Finding> {
    if story.ending != Ending::HeldAtExit {
        return None;
    }
    Some(finding(
        &RULE,
        format!("{} is still {} when the program ends", subject(story), Verbs::of(story).held),
        story.acquired.clone(),
        story,
    ))
}
