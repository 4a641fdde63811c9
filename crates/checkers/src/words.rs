//! Wording shared by the rules.

use watertight_finding::{Ending, Finding, Identity, Place, ResourceKind, Rule, Story, Trace, Variant};

/// "memory acquired by `strdup` and held in `copy`".
pub(crate) fn subject(story: &Story) -> String {
    if story.given {
        return match &story.held_in {
            Some(name) => format!("{} held in `{name}`", story.noun),
            None => story.noun.clone(),
        };
    }
    match &story.held_in {
        Some(name) => format!("{} acquired by `{}` and held in `{name}`", story.noun, story.acquired_by),
        None => format!("{} acquired by `{}`", story.noun, story.acquired_by),
    }
}

/// "is lost", with the way in which it is.
pub(crate) fn loss(story: &Story) -> String {
    match (story.variant, &story.owner) {
        (Variant::SomePaths, _) => "is lost on some paths".to_owned(),
        (Variant::Overwritten, _) => "is lost when its last reference is overwritten".to_owned(),
        (Variant::LostWithOwner, Some(owner)) => format!("is lost with its owner `{owner}`"),
        (Variant::LostWithOwner, None) => "is lost with its owner".to_owned(),
        (Variant::DroppedResult, _) => "is lost because nothing keeps the result".to_owned(),
        (Variant::NeverReleased | Variant::HeldAtExit, _) => "is lost".to_owned(),
    }
}

/// A finding with everything that a story tells.
pub(crate) fn finding(rule: &Rule, message: String, place: Place, story: &Story) -> Finding {
    let mut finding = Finding::new(rule, message, place);
    finding.doubts = story.doubts.clone();
    finding.support = story.support;
    finding.urgency = story.urgency;
    finding.growth = story.growth;
    finding.resource = ResourceKind::from_model(&story.kind);
    let lost =
        !matches!(story.ending, Ending::ReleasedAgain(_) | Ending::UsedAfterRelease(_) | Ending::Broken(_));
    finding.variant = lost.then_some(story.variant);
    finding.exits = vec![Trace::new(story.support, story.steps.clone())];
    finding.sibling = story.sibling.clone();
    finding.assumptions = story.assumptions.clone();
    finding.identity = Identity::new(&story.acquired.function, &story.acquired_by).nth(story.ordinal);
    finding
}
