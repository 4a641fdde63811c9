//! Properties: finite-state rules about objects, as data.
//!
//! A property says which states an object can be in (a lock is unlocked or locked), which calls move it from one to
//! another, and which moves are errors. Input: text files, described in `docs/properties.md`. Output: [`Property`]
//! values that the path engine applies at calls. The state of an object is a hidden cell of it ([`crate::Step::State`]),
//! so what a function of the program does to states is told by its summary like everything else.
//!
//! States are numbers. The first one is 0, the one that is counted has all positive numbers (how often a read lock is
//! held), the others are negative.
//!
//! ```text
//! property mutex "mutex"
//! states unlocked, locked
//! error double-lock "is locked although it is locked already"
//!
//! my_lock(mutex) unlocked -> locked, locked -> error double-lock
//! my_unlock(mutex) locked -> unlocked
//! ```

mod library;
mod parse;
#[cfg(test)]
mod tests;

pub use library::{PACKS, Properties, shipped, shipped_for};
pub use parse::parse;

use crate::effect::When;
use crate::path::Path;

/// A property of a run.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PropertyId(u16);

impl PropertyId {
    /// The property of this number, in the order in which they were added.
    pub fn new(index: usize) -> PropertyId {
        PropertyId(u16::try_from(index).expect("there are fewer than 65536 properties"))
    }
    /// The place of the property in the order in which they were added.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A finite-state rule.
#[derive(Clone, PartialEq, Debug)]
pub struct Property {
    /// The word used in files and summaries: `mutex`.
    pub name: Box<str>,
    /// How a message calls the object: "mutex".
    pub noun: Box<str>,
    /// The names of states, with the number of each.
    pub states: Vec<StateName>,
    /// The mistakes that the property knows.
    pub errors: Vec<Mistake>,
    /// What is required when a function returns or the process ends.
    pub ends: Vec<Requirement>,
    /// What calls do, by the name of the function.
    pub events: Vec<(Box<str>, Vec<Event>)>,
    /// It is followed only when one of its rules is asked for by name or by `all`.
    pub quiet: bool,
    /// When not empty, the property is about programs that have one of these functions.
    pub only_with: Vec<Box<str>>,
    /// Functions that can make an object which may be brought into the same state several times: a recursive mutex.
    pub nested_by: Vec<Box<str>>,
}

/// A state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateName {
    pub name: Box<str>,
    pub number: i8,
    /// It stands for all positive numbers.
    pub counted: bool,
}

/// A mistake: the rule that names it, and what is said of the object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    pub rule: Box<str>,
    /// Completes "`lock` ...".
    pub text: Box<str>,
    pub cwe: Option<u32>,
    /// Advice.
    pub help: Box<str>,
    /// The rule has to be asked for.
    pub quiet: bool,
}

/// What is required at an end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Requirement {
    pub at: End,
    /// Objects must not be left in these states.
    pub states: Vec<i8>,
    /// Index in [`Property::errors`].
    pub mistake: usize,
}

/// Where something is required.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// When a function returns, unless its caller can tell from the result or knows from what it passed that the object
    /// is left so, or all ways out leave it so.
    Return,
    /// When a function returns a failure, a negative number or NULL, unless its caller can tell otherwise: for what is
    /// often handed on where all went well.
    Failure,
    /// When a function returns that nobody else can reach the object through: it is gone.
    Gone,
    /// When the process ends.
    Exit,
    /// When a function returns whose annotation promises these states.
    Annotation,
}

/// What a call does to the state of one object, under a condition.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// On arguments and the result.
    pub when: When,
    /// The object: what an argument or the result is, or a cell they lead to holds after the call.
    pub on: Path,
    /// The first one whose states fit counts; without one, nothing changes.
    pub moves: Vec<Move>,
}

/// From some states to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    pub from: Vec<From>,
    pub to: To,
}

impl Move {
    /// Whether it starts from a state.
    pub fn fits(&self, state: i64) -> bool {
        self.from.iter().any(|from| match *from {
            From::State(own) => i64::from(own) == state,
            From::Counted => state > 0,
            From::Any => true,
        })
    }

    /// Whether it counts.
    pub fn counts(&self) -> bool {
        matches!(self.to, To::Plus(_))
    }

    /// Whether it leads to one state, wherever it starts.
    pub fn sets(&self) -> bool {
        matches!(self.to, To::State(_))
    }
}

/// The states that a move starts from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum From {
    State(i8),
    /// Any positive number.
    Counted,
    Any,
}

/// Where a move leads.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum To {
    State(i8),
    /// The number changes by so much.
    Plus(i8),
    Same,
    /// Nothing is known of the state afterwards.
    Unknown,
    /// It does not happen: the result says so.
    Never,
    /// Index in [`Property::errors`].
    Error(usize),
}

impl Property {
    /// The state that an object is in at first.
    pub const START: i8 = 0;

    /// The number for a state that is not followed any more: nothing is said about it, whatever happens.
    pub const UNFOLLOWED: i8 = 127;

    /// The least number that is a state.
    pub fn least(&self) -> i8 {
        self.states.iter().map(|state| state.number).min().unwrap_or(0).min(0)
    }

    /// The greatest number that is a state; what is counted is never counted so far.
    pub fn most(&self) -> i8 {
        if self.states.iter().any(|state| state.counted) { 64 } else { 0 }
    }

    /// A state in words.
    pub fn state(&self, number: i64) -> String {
        // One word is enough for a file of properties, and too little for a reader.
        match self.state_name(number) {
            name if name == "shared" => "locked for reading".to_owned(),
            name if name == "exclusive" => "locked for writing".to_owned(),
            name => name.replacen("shared ", "locked for reading ", 1),
        }
    }

    /// The name of a state.
    pub fn state_name(&self, number: i64) -> String {
        if number == i64::from(Property::UNFOLLOWED) {
            return "in a state that is not followed".to_owned();
        }
        let named = self.states.iter().find(|state| match state.counted {
            true => number > 0,
            false => i64::from(state.number) == number,
        });
        match named {
            Some(state) if state.counted && number > 1 => format!("{} {number} times", state.name),
            Some(state) => state.name.to_string(),
            None => format!("state {number}"),
        }
    }

    /// Whether annotations in the source are about it.
    pub fn is_annotated(&self) -> bool {
        self.ends.iter().any(|end| end.at == End::Annotation)
    }

    /// Whether a state is one of those that a requirement forbids.
    pub fn forbids(&self, requirement: &Requirement, number: i64) -> bool {
        requirement.states.iter().any(|&state| match state {
            1.. => number > 0 && number != i64::from(Property::UNFOLLOWED),
            _ => i64::from(state) == number,
        })
    }
}
