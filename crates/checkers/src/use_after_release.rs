//! Something that is used after it was released.
//!
//! Memory that was released may belong to someone else already: what is read is anything, what is written destroys
//! data of others. A closed stream or directory is no better. The finding stands at the use; to compare or print the
//! address itself is no use.
//!
//! ```c
//! free(node);
//! node = node->next;   // read after it was released
//! ```

use crate::words::{finding, subject};
use std::borrow::Cow;
use watertight_finding::{Cwe, Ending, Finding, Level, Rule, RuleId, Story, Switch};

/// The rule.
pub static RULE: Rule = Rule {
    id: RuleId::new("use-after-release"),
    summary: Cow::Borrowed("something is used after it was released"),
    level: Level::Warning,
    cwe: Cow::Borrowed(&[Cwe(416)]),
    default: Switch::On,
    since: Cow::Borrowed("0.1.0"),
    help: Cow::Borrowed("Use it before releasing it, and set the pointer to NULL afterwards."),
};

/// The finding of this rule, if the story is one.
pub fn judge(story: &Story) -> Option<Finding> {
    let Ending::UsedAfterRelease(place) = &story.ending else { return None };
    let message = format!("{} is used after it was released", subject(story));
    Some(finding(&RULE, message, place.clone(), story))
}
