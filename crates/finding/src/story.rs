//! What an engine tells a checker about a resource: how it was acquired, how it got lost, how sure that is.
//!
//! Engines answer questions with stories; checkers choose the rule and the words. A story is plain data and
//! names no engine.

use crate::{Assumption, Confidence, Doubts, Growth, Place, Step, Support, Urgency, Variant};
use serde::{Deserialize, Serialize};

/// A resource that is lost, held to the end, released twice, or used after its release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Story {
    /// What happened.
    pub ending: Ending,
    /// Where the resource was acquired, in the function that loses it.
    pub acquired: Place,
    /// The function that was called there.
    pub acquired_by: String,
    /// The function was given the resource. What is said of its acquisition is then said of its first release.
    pub given: bool,
    /// Which of the equal acquisitions in the function it is, counted from 0.
    pub ordinal: u32,
    /// The kind of resource as the models name it: `heap`, `file`, `fd`.
    pub kind: String,
    /// Plain memory, whoever hands it out, and no other resource.
    pub memory: bool,
    /// What people call one: "memory", "stream".
    pub noun: String,
    /// What the source calls the place that held it: `copy`, `s->name`.
    pub held_in: Option<String>,
    /// What the source calls the object that is released while it holds the last reference.
    pub owner: Option<String>,
    /// How it is lost.
    pub variant: Variant,
    /// What has to go wrong for it.
    pub urgency: Urgency,
    /// How often that can happen.
    pub growth: Growth,
    /// The path, from the acquisition to the loss.
    pub steps: Vec<Step>,
    /// Another path that does release it.
    pub sibling: Option<Step>,
    /// What callers and globals must be like for it, each in words.
    pub needs: Vec<String>,
    /// What was assumed about functions that are not known.
    pub assumptions: Vec<Assumption>,
    /// Why it may not be true.
    pub doubts: Doubts,
    /// How well it was checked.
    pub support: Support,
}

/// How a story ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// Nothing refers to the resource any more, and it was not released.
    Lost,
    /// It is still held when the program ends.
    HeldAtExit,
    /// The resource was to be replaced by a larger one; that failed, and the result overwrote the only
    /// reference. Holds the place of the attempt and the function called there.
    ReplacementFailed(Place, String),
    /// It is released although it was released before. Holds the place of the second release.
    ReleasedAgain(Place),
    /// It is used although it was released before. Holds the place of the use.
    UsedAfterRelease(Place),
    /// A property of its state is broken.
    Broken(Broken),
}

/// How a property is broken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Broken {
    /// The rule that the property names.
    pub rule: String,
    /// What is said of the object: "is locked although it is locked already".
    pub text: String,
    /// The weakness, by number.
    pub cwe: Option<u32>,
    /// Where it is broken.
    pub place: Place,
}

impl Story {
    /// How sure it is.
    #[must_use]
    pub fn confidence(&self) -> Confidence {
        self.doubts.confidence()
    }

    /// Visits every place that the story names, always in the same order.
    pub fn places_mut(&mut self, visit: &mut dyn FnMut(&mut Place)) {
        match &mut self.ending {
            Ending::Lost | Ending::HeldAtExit => {}
            Ending::ReplacementFailed(place, _)
            | Ending::ReleasedAgain(place)
            | Ending::UsedAfterRelease(place) => visit(place),
            Ending::Broken(broken) => visit(&mut broken.place),
        }
        visit(&mut self.acquired);
        self.steps.iter_mut().for_each(|step| visit(&mut step.place));
        self.sibling.iter_mut().for_each(|step| visit(&mut step.place));
        self.assumptions.iter_mut().for_each(|assumption| visit(&mut assumption.place));
    }
}
