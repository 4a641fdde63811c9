//! The sentences of the rules about resources.
//!
//! A title has its subject first and the cause second: "`entry` leaks on some paths", "stream `log` leaks: it is never closed". Names
//! are in quotes. Engines tell their stories with the neutral words *acquire* and *release*; here they become what people say of the
//! kind of resource: memory is *allocated* and *freed*, streams and descriptors are *opened* and *closed*.

use watertight_finding::{Ending, Finding, Identity, Place, ResourceKind, Rule, Step, Story, Trace, Variant};

/// What the title is about: "`copy`", "stream `log`", "memory from `strdup`".
pub(crate) fn subject(story: &Story) -> String {
    let is_plain = story.memory && story.noun == "memory";
    match &story.held_in {
        Some(name) if is_plain => format!("`{name}`"),
        Some(name) => format!("{} `{name}`", story.noun),
        None if story.given => story.noun.clone(),
        None if story.variant == Variant::DroppedResult => format!("the result of `{}`", story.acquired_by),
        None if is_plain => format!("memory from `{}`", story.acquired_by),
        None => format!("the {} from `{}`", story.noun, story.acquired_by),
    }
}

/// "leaks", with the cause.
pub(crate) fn loss(story: &Story) -> String {
    match (story.variant, &story.owner) {
        (Variant::SomePaths, _) => "leaks on some paths".to_owned(),
        (Variant::Overwritten, _) => "leaks: the last reference to it is overwritten".to_owned(),
        (Variant::LostWithOwner, Some(owner)) => match member(story, owner) {
            Some(member) => {
                format!("leaks: `{}` frees `{owner}` but not `{member}`", story.acquired.function)
            }
            None => format!("leaks: `{}` frees `{owner}` but not what it holds", story.acquired.function),
        },
        (Variant::LostWithOwner, None) => "leaks: what holds the last reference to it is freed".to_owned(),
        (Variant::DroppedResult, _) => "leaks: it is not stored anywhere".to_owned(),
        (Variant::NeverReleased | Variant::HeldAtExit, _) => {
            format!("leaks: it is never {}", Verbs::of(story).released)
        }
    }
}

/// The member of the owner that holds the resource, if its name says so.
fn member<'s>(story: &'s Story, owner: &str) -> Option<&'s str> {
    let rest = story.held_in.as_deref()?.strip_prefix(owner)?;
    rest.strip_prefix("->").or_else(|| rest.strip_prefix('.'))
}

/// What people say of a kind of resource.
pub(crate) struct Verbs {
    acquire: &'static str,
    acquires: &'static str,
    acquired: &'static str,
    release: &'static str,
    releases: &'static str,
    releasing: &'static str,
    /// "freed", "closed", "released".
    pub(crate) released: &'static str,
    /// What it is as long as it is held: "allocated", "open", "held".
    pub(crate) held: &'static str,
}

const MEMORY: Verbs = Verbs {
    acquire: "allocate",
    acquires: "allocates",
    acquired: "allocated",
    release: "free",
    releases: "frees",
    releasing: "freeing",
    released: "freed",
    held: "allocated",
};

const FILE: Verbs = Verbs {
    acquire: "open",
    acquires: "opens",
    acquired: "opened",
    release: "close",
    releases: "closes",
    releasing: "closing",
    released: "closed",
    held: "open",
};

const OTHER: Verbs = Verbs {
    acquire: "acquire",
    acquires: "acquires",
    acquired: "acquired",
    release: "release",
    releases: "releases",
    releasing: "releasing",
    released: "released",
    held: "held",
};

impl Verbs {
    pub(crate) fn of(story: &Story) -> &'static Verbs {
        match story.noun.rsplit(' ').next() {
            _ if story.memory => &MEMORY,
            Some("stream" | "descriptor" | "directory" | "file") => &FILE,
            _ => &OTHER,
        }
    }

    /// A sentence of an engine in these words. What is in quotes is a name and stays.
    fn sentence(&self, text: &str) -> String {
        let parts = text.split('`').enumerate();
        let told = parts.map(|(index, part)| if index % 2 == 0 { self.prose(part) } else { part.to_owned() });
        told.collect::<Vec<_>>().join("`")
    }

    fn prose(&self, text: &str) -> String {
        let word = |word: &str| -> String {
            let end = word.trim_end_matches([',', ':', ';', '.']).len();
            let (word, sign) = word.split_at(end);
            let said = match word {
                "acquire" => self.acquire,
                "acquires" => self.acquires,
                "acquired" => self.acquired,
                "release" => self.release,
                "releases" => self.releases,
                "releasing" => self.releasing,
                "released" => self.released,
                other => other,
            };
            format!("{said}{sign}")
        };
        text.split(' ').map(word).collect::<Vec<_>>().join(" ")
    }
}

/// A sentence about memory in the words of memory, for engines that speak of nothing else.
#[must_use]
pub fn of_memory(text: &str) -> String {
    MEMORY.sentence(text)
}

/// A finding with everything that a story tells.
pub(crate) fn finding(rule: &Rule, message: String, place: Place, story: &Story) -> Finding {
    let mut finding = Finding::new(rule, message, place);
    finding.doubts = story.doubts.clone();
    finding.support = story.support;
    finding.urgency = story.urgency;
    finding.level = rule.level.at(story.urgency);
    finding.growth = story.growth;
    finding.resource = ResourceKind::from_model(&story.kind);
    let lost =
        !matches!(story.ending, Ending::ReleasedAgain(_) | Ending::UsedAfterRelease(_) | Ending::Broken(_));
    finding.variant = lost.then_some(story.variant);
    finding.holder = story.held_in.clone().or_else(|| story.owner.clone());
    let verbs = Verbs::of(story);
    let said = |step: &Step| Step { text: verbs.sentence(&step.text), ..step.clone() };
    finding.exits = vec![Trace::new(story.support, story.steps.iter().map(said).collect())];
    finding.sibling = story.sibling.as_ref().map(said);
    finding.needs = story.needs.clone();
    finding.assumptions = story.assumptions.clone();
    for assumption in &mut finding.assumptions {
        assumption.text = verbs.sentence(&assumption.text);
    }
    finding.identity = Identity::new(&story.acquired.function, &story.acquired_by).nth(story.ordinal);
    finding
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_have_the_words_of_the_kind() {
        assert_eq!(MEMORY.sentence("`acquires` acquires memory here"), "`acquires` allocates memory here");
        assert_eq!(
            FILE.sentence("returns without releasing `f`: it leaks"),
            "returns without closing `f`: it leaks"
        );
        assert_eq!(
            FILE.sentence("`audit` does not store or release it"),
            "`audit` does not store or close it"
        );
        assert_eq!(OTHER.sentence("it is released, then"), "it is released, then");
        assert_eq!(MEMORY.sentence("it is released, then"), "it is freed, then");
    }
}
