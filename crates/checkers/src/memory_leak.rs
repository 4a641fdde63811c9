//! Memory that is lost: never released, released only on some paths, overwritten, or lost with its owner.
//!
//! A program that loses memory grows until it is killed. The finding stands at the call that acquired the
//! memory; its path ends where the last reference is lost.
//!
//! ```c
//! char *copy = strdup(name);
//! if (!keep)
//!     return;      // lost here
//! free(copy);
//! ```

use crate::words::{finding, loss, subject};
use std::borrow::Cow;
use watertight_finding::{Cwe, Ending, Finding, Level, Rule, RuleId, Story, Switch};

/// The rule.
pub static RULE: Rule = Rule {
    id: RuleId::new("memory-leak"),
    summary: Cow::Borrowed("memory is lost"),
    level: Level::Warning,
    cwe: Cow::Borrowed(&[Cwe(401)]),
    default: Switch::On,
    since: Cow::Borrowed("0.1.0"),
    help: Cow::Borrowed("Release the memory on every path, or hand it to someone who does."),
};

/// The finding of this rule, if the story is one.
pub fn judge(story: &Story) -> Option<Finding> {
    if story.ending != Ending::Lost || !story.memory {
        return None;
    }
    Some(finding(&RULE, format!("{} {}", subject(story), loss(story)), story.acquired.clone(), story))
}
