//! The result of a failed reallocation overwrites the only reference to the old block.
//!
//! When `realloc` fails it returns NULL and the old block stays allocated. Keep the old pointer until the
//! new one is known to be good.
//!
//! ```c
//! p = realloc(p, n);   // on failure p is NULL and the old block is lost
//! ```

use crate::words::{finding, subject};
use std::borrow::Cow;
use watertight_finding::{Cwe, Ending, Finding, Level, Rule, RuleId, Story, Switch};

/// The rule.
pub static RULE: Rule = Rule {
    id: RuleId::new("realloc-lost"),
    summary: Cow::Borrowed("a failed reallocation overwrites the only reference to the old block"),
    level: Level::Warning,
    cwe: Cow::Borrowed(&[Cwe(401)]),
    default: Switch::On,
    since: Cow::Borrowed("0.1.0"),
    help: Cow::Borrowed("Assign the result to another variable first."),
};

/// The finding of this rule, if the story is one.
pub fn judge(story: &Story) -> Option<Finding> {
    let Ending::ReplacementFailed(place, function) = &story.ending else { return None };
    let message = format!("if `{function}` fails, {} is lost", subject(story));
    Some(finding(&RULE, message, place.clone(), story))
}
