//! Something that the program still holds when it ends.
//!
//! The system takes it back, so this is off by default. It is held by a variable of `main` when that returns, or exits with
//! no return after it; or by a global that nothing ever empties. What the variables of functions hold that exit in the
//! midst of work is alive like they are, as for leak sanitizers. What is lost while the program runs is not this but a leak.
//!
//! ```c
//! int main(void) {
//!     char *line = malloc(80);    // still held at the end
//!     puts(line);
//!     return 0;
//! }
//! ```

use crate::words::{finding, subject};
use std::borrow::Cow;
use watertight_finding::{Cwe, Ending, Finding, Level, Rule, RuleId, Story, Switch};

/// The rule.
pub static RULE: Rule = Rule {
    id: RuleId::new("leak-at-exit"),
    summary: Cow::Borrowed("something is still held when the program ends"),
    level: Level::Warning,
    cwe: Cow::Borrowed(&[Cwe(401)]),
    default: Switch::Off,
    since: Cow::Borrowed("0.1.0"),
    help: Cow::Borrowed("Release it before the program ends if you want a clean account."),
};

/// The finding of this rule, if the story is one.
pub fn judge(story: &Story) -> Option<Finding> {
    if story.ending != Ending::HeldAtExit {
        return None;
    }
    Some(finding(
        &RULE,
        format!("{} is still held when the program ends", subject(story)),
        story.acquired.clone(),
        story,
    ))
}
