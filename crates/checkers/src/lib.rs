//! The rules. Engines tell stories; a checker decides whether a story is its defect and says so to the user.
//!
//! One file per rule: its page as the module comment, its [`Rule`], and `judge`, which turns a story into a
//! finding or leaves it alone.

use watertight_finding::{Finding, Rule, Story};

pub mod double_release;
pub mod leak_at_exit;
pub mod memory_leak;
pub mod property;
pub mod realloc_lost;
pub mod resource_leak;
pub mod use_after_release;
mod words;

pub use words::of_memory;

/// Every rule, in the order of their names.
pub fn rules() -> [&'static Rule; 6] {
    [
        &double_release::RULE,
        &leak_at_exit::RULE,
        &memory_leak::RULE,
        &realloc_lost::RULE,
        &resource_leak::RULE,
        &use_after_release::RULE,
    ]
}

/// The finding that a story amounts to.
pub fn judge(story: &Story) -> Option<Finding> {
    double_release::judge(story)
        .or_else(|| use_after_release::judge(story))
        .or_else(|| realloc_lost::judge(story))
        .or_else(|| leak_at_exit::judge(story))
        .or_else(|| memory_leak::judge(story))
        .or_else(|| resource_leak::judge(story))
        .or_else(|| property::judge(story))
}

#[cfg(test)]
mod tests {
    use super::*;
    use watertight_finding::Level;

    #[test]
    fn the_level_of_a_rule_follows_from_its_severity() {
        for rule in rules() {
            assert_eq!(rule.level, Level::of_severity(&rule.page.severity), "{}", rule.id);
        }
    }
}
