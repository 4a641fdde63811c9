//! The rules that properties define: `double-lock`, `double-unlock`, `lock-leak`, and those of users' files.
//!
//! A property names its mistakes and what is said of the object. Rules that ship have a page in `pages/`; those of users' files
//! have none.

use crate::words::finding;
use std::borrow::Cow;
use watertight_finding::{Cwe, Ending, Finding, Level, Page, Rule, RuleId, Story, Switch, broken_sentence};

/// A rule by what a property says of it. Nothing if that is no name of a rule.
#[must_use]
pub fn rule(id: &str, summary: &str, cwe: Option<u32>, help: &str, default: Switch) -> Option<Rule> {
    let page = page(id);
    Some(Rule {
        id: RuleId::parse(id).ok()?,
        summary: Cow::Owned(summary.to_owned()),
        level: Level::of_severity(&page.severity),
        cwe: Cow::Owned(cwe.into_iter().map(Cwe).collect()),
        default,
        since: Cow::Borrowed("0.1.0"),
        help: Cow::Owned(help.to_owned()),
        page,
    })
}

/// The pages of the rules that ship.
const PAGES: &[(&str, Page)] = &[
    ("closed-twice", Page::new("Closed twice", "6.5", include_str!("../pages/closed-twice.md"))),
    ("double-detach", Page::new("Thread detached twice", "5.0", include_str!("../pages/double-detach.md"))),
    ("double-join", Page::new("Thread joined twice", "5.0", include_str!("../pages/double-join.md"))),
    ("double-lock", Page::new("Deadlock: locked twice", "5.9", include_str!("../pages/double-lock.md"))),
    ("double-unlock", Page::new("Unlocked twice", "5.9", include_str!("../pages/double-unlock.md"))),
    (
        "lock-annotation",
        Page::new("Wrong annotation of a lock", "3.0", include_str!("../pages/lock-annotation.md")),
    ),
    ("lock-leak", Page::new("Never unlocked", "5.9", include_str!("../pages/lock-leak.md"))),
    (
        "privilege-kept",
        Page::new("Privileges kept after a failure", "8.4", include_str!("../pages/privilege-kept.md")),
    ),
    (
        "privilege-order",
        Page::new(
            "Privileges dropped in the wrong order",
            "7.8",
            include_str!("../pages/privilege-order.md"),
        ),
    ),
    ("thread-leak", Page::new("Thread leak", "4.0", include_str!("../pages/thread-leak.md"))),
    ("used-after-close", Page::new("Used after close", "6.5", include_str!("../pages/used-after-close.md"))),
];

/// The page of a rule by its name; none for a rule of a user.
fn page(id: &str) -> Page {
    PAGES.iter().find(|(name, _)| *name == id).map_or(Page::NONE, |(_, page)| page.clone())
}

/// The finding of such a rule, if the story is one.
pub fn judge(story: &Story) -> Option<Finding> {
    let Ending::Broken(broken) = &story.ending else { return None };
    let rule = rule(&broken.rule, &broken.text, broken.cwe, "", Switch::On)?;
    let object = match &story.held_in {
        Some(name) => format!("{} `{name}`", story.noun),
        None => format!("the {}", story.noun),
    };
    let function = format!("`{}`", broken.place.function);
    let message = broken_sentence(&broken.text, &object, &function, &format!("`{}`", story.acquired_by));
    let mut finding = finding(&rule, message, broken.place.clone(), story);
    finding.variant = None;
    Some(finding)
}
