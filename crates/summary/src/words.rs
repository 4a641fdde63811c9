//! A summary in words that a C programmer understands.
//!
//! Input: a summary and the names of what it speaks of. Output: short sentences, the most important first in
//! each group: what the caller must release, what is released or kept, what else changes, what is returned.
//! Outcomes are grouped by their condition on entry values; what all outcomes do is said once, and what only
//! some do is said together with the result that tells them apart.
//!
//! ```text
//! posix_memalign     allocates `*out` when it returns 0; the caller must release it with `free`
//!                    returns 0 or a positive number
//! ```

use std::collections::BTreeSet;

use crate::effect::{Effect, KeepReason, Outcome, Piece, PieceOf, Relation, Summary, Test, Value, Way, When};
use crate::kind::{KindId, Kinds};
use crate::model::returns_address;
use crate::path::{Path, Root, Step};
use crate::property::{Properties, Property};

/// Of members without a name so many are told one inside the other.
const MOST_UNNAMED: usize = 1;

/// How to name what a summary speaks of.
#[derive(Copy, Clone)]
pub struct Names<'a> {
    pub kinds: &'a Kinds,
    /// Without them, states are numbers.
    pub properties: Option<&'a Properties>,
    /// Parameters without a name are called `argument 1` and so on.
    pub parameters: &'a [Box<str>],
    /// The result is an address. Where outcomes show it, it need not be said.
    pub address: bool,
    /// A better spelling of a place than its offsets, as `conn->name`; fields need the program's types.
    pub place: &'a dyn Fn(&Path) -> Option<String>,
}

/// What a function does, one sentence each.
pub fn describe(summary: &Summary, names: Names<'_>) -> Vec<String> {
    if summary.outcomes.is_empty() && summary.breaches.is_empty() {
        return vec!["does not return".into()];
    }
    let jumps = |outcome: &Outcome| outcome.way == Way::Jumps;
    let teller = Teller { names, address: names.address || returns_address(summary, names.kinds) };
    let told: Vec<Vec<String>> = summary.outcomes.iter().map(|outcome| teller.facts(outcome)).collect();
    let everywhere = |fact: &String| told.len() > 1 && told.iter().all(|facts| facts.contains(fact));
    let mut sentences: Vec<String> = Vec::new();
    let mut push = |sentence: String| {
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    };
    for fact in told.first().into_iter().flatten().filter(|fact| everywhere(fact)) {
        push(fact.clone());
    }
    let mut groups: Vec<(&When, bool)> = Vec::new();
    for outcome in &summary.outcomes {
        let group = (&outcome.when, jumps(outcome));
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    for (when, jump) in groups {
        let in_group = |outcome: &Outcome| outcome.when == *when && jumps(outcome) == jump;
        let members: Vec<usize> =
            (0..told.len()).filter(|&index| in_group(&summary.outcomes[index])).collect();
        let mut prefix = match when.is_always() {
            true => String::new(),
            false => format!("if {}: ", teller.condition(when)),
        };
        if jump {
            push(format!("{prefix}jumps to where setjmp was called"));
            prefix.push_str("before it jumps: ");
        }
        let mut said: Vec<&String> = Vec::new();
        for &index in &members {
            for fact in &told[index] {
                if everywhere(fact) || said.contains(&fact) {
                    continue;
                }
                said.push(fact);
                let (with, without): (Vec<usize>, Vec<usize>) =
                    members.iter().partition(|&&other| told[other].contains(fact));
                let results = |indices: &[usize]| teller.results(indices, summary);
                push(format!("{prefix}{}", sometimes(fact, &results(&with), &results(&without))));
            }
        }
        let results = teller.results(&members, summary);
        if !jump && !results.is_empty() && results.iter().any(|result| result != "anything") {
            let advice = teller.result_advice(&members, summary);
            push(format!("{prefix}returns {}{advice}", results.join(" or ")));
        }
    }
    for breach in &summary.breaches {
        let rule = names.properties.zip(breach.place.property());
        let rule =
            rule.map(|(properties, id)| properties.get(id).errors[breach.mistake as usize].rule.to_string());
        let test = |&(relation, number): &(Relation, i64)| {
            teller.test(&Test { value: breach.place.clone(), mask: None, relation, number, other: None })
        };
        let mut condition: Vec<String> = breach.tests.iter().map(test).collect();
        if !breach.when.is_always() {
            condition.push(teller.condition(&breach.when));
        }
        let rule = rule.unwrap_or_else(|| "it is wrong".into());
        let sentence = format!("if {}: {rule}", condition.join(" and "));
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    }
    if sentences.is_empty() {
        sentences.push("borrows its arguments".into());
    }
    if summary.completeness == crate::Completeness::Partial {
        sentences.push("may do more than this: it was not understood completely".into());
    }
    sentences
}

/// A fact with the results that tell when it holds. The advice after the semicolon stays at the end.
fn sometimes(fact: &str, with: &[String], without: &[String]) -> String {
    if without.is_empty() {
        return fact.into();
    }
    let apart = with.iter().all(|result| !without.contains(result));
    let when = if apart { format!("when it returns {}", with.join(" or ")) } else { "sometimes".into() };
    match fact.split_once("; ") {
        Some((first, advice)) => format!("{first} {when}; {advice}"),
        None => format!("{fact} {when}"),
    }
}

struct Teller<'a> {
    names: Names<'a>,
    /// The result is an address.
    address: bool,
}

impl Teller<'_> {
    /// What an outcome does, apart from its result.
    fn facts(&self, outcome: &Outcome) -> Vec<String> {
        let mut acquired = Vec::new();
        let mut given = Vec::new();
        let mut changed = Vec::new();
        for effect in &outcome.effects {
            match effect {
                // What a call that failed leaves says nothing.
                Effect::Store { value: Value::Number(number), .. }
                    if effect.is_state() && *number == i64::from(Property::UNFOLLOWED) => {}
                Effect::Store { place, value } if effect.is_state() => {
                    let object = self.named(place, outcome);
                    given.push(match value {
                        Value::Number(number) => moved(&object, &self.state(place, *number)),
                        Value::Entry { plus: 1, .. } => format!("takes {object} once more"),
                        Value::Entry { plus: -1, .. } => format!("gives {object} back once"),
                        _ => format!("changes the state of {object}"),
                    });
                }
                Effect::Store { place, value } => {
                    let fresh = match value {
                        Value::Fresh { index, .. } => outcome.fresh.get(*index as usize),
                        _ => None,
                    };
                    let place_words = self.named(place, outcome);
                    // What a global holds is nobody's to release in particular.
                    let advice = |kind| match place.root {
                        Root::Global(_) => String::new(),
                        _ => self.advice(kind),
                    };
                    match fresh {
                        Some(fresh) if self.names.kinds.get(fresh.kind).memory => {
                            acquired.push(format!("allocates {place_words}{}", advice(fresh.kind)));
                        }
                        Some(fresh) => {
                            let noun = self.a_new(fresh.kind);
                            acquired.push(format!("sets {place_words} to {noun}{}", advice(fresh.kind)));
                        }
                        None => {
                            let address = matches!(place.steps.last(), Some(Step::At(_) | Step::Somewhere));
                            changed.push(match value {
                                Value::Any => format!("changes {place_words}"),
                                _ => format!("sets {place_words} to {}", self.value(value, address, outcome)),
                            });
                        }
                    }
                }
                Effect::Release { value, certain, .. } => {
                    let releases = if *certain { "releases" } else { "may release" };
                    given.push(format!("{releases} {}", self.named(value, outcome)));
                }
                Effect::Keep { value, reason } => given.push(match reason {
                    KeepReason::Stored => format!(
                        "keeps {}; the caller need not release it any more",
                        self.named(value, outcome)
                    ),
                    KeepReason::Shared => {
                        format!("hands {} over to another thread", self.named(value, outcome))
                    }
                    KeepReason::Assumed { function } => {
                        format!(
                            "may keep {}; nothing is known about `{function}`",
                            self.named(value, outcome)
                        )
                    }
                }),
                Effect::Clobber { place } => {
                    changed.push(format!("changes what {} points to", self.named(place, outcome)));
                }
                Effect::Copy { to, from, .. } => changed.push(format!(
                    "copies what {} points to into {}",
                    self.named(from, outcome),
                    self.named(to, outcome)
                )),
                Effect::Zero { place, .. } => {
                    changed.push(format!("sets what {} points to to zero", self.named(place, outcome)));
                }
                Effect::Calls { function, .. } => {
                    changed.push(format!("calls {}", self.named(function, outcome)));
                }
            }
        }
        acquired.extend(given);
        acquired.extend(changed);
        acquired
    }

    /// What to do with the fresh results of some outcomes.
    fn result_advice(&self, indices: &[usize], summary: &Summary) -> String {
        let fresh = indices.iter().find_map(|&index| {
            let outcome = &summary.outcomes[index];
            handed_out(&outcome.result).and_then(|index| outcome.fresh.get(index as usize))
        });
        fresh.map_or_else(String::new, |fresh| self.advice(fresh.kind))
    }

    /// The different results of some outcomes, in words.
    fn results(&self, indices: &[usize], summary: &Summary) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for &index in indices {
            let outcome = &summary.outcomes[index];
            let word = self.value(&outcome.result, self.address, outcome);
            if !words.contains(&word) {
                words.push(word);
            }
        }
        words
    }

    fn value(&self, value: &Value, address: bool, outcome: &Outcome) -> String {
        match value {
            Value::Number(0) if address => "NULL".into(),
            Value::Number(number) => number.to_string(),
            Value::Entry { path, plus: 0 } => self.named(path, outcome),
            Value::Entry { path, plus } if *plus < 0 => {
                in_code(&format!("{} - {}", self.place(path, outcome), plus.unsigned_abs()))
            }
            Value::Entry { path, plus } => in_code(&format!("{} + {plus}", self.place(path, outcome))),
            Value::Bits { path, low: 0, mask } => {
                in_code(&format!("{} & {mask:#x}", self.place(path, outcome)))
            }
            Value::Bits { path, low, mask } => {
                in_code(&format!("{} >> {low} & {mask:#x}", self.place(path, outcome)))
            }
            Value::Word { of, pieces: all } => {
                let of = of.as_ref().map(|path| self.place(path, outcome)).unwrap_or_default();
                in_code(&pieces(&of, all))
            }
            Value::Inside(path) => format!("an address inside {}", self.named(path, outcome)),
            Value::Fresh { index, .. } => match outcome.fresh.get(*index as usize) {
                Some(fresh) => self.a_new(fresh.kind),
                None => "anything".into(),
            },
            Value::Parts(parts) => {
                let words: Vec<String> = parts.iter().map(|part| self.value(part, false, outcome)).collect();
                format!("a struct of {}", words.join(" and "))
            }
            Value::Such { relation: Relation::NotEqual, number: 0 } if address => {
                "an address that the caller does not own".into()
            }
            Value::Such { relation, number } => such(*relation, *number),
            Value::Any if address => "an address that the caller does not own or NULL".into(),
            Value::Any => "anything".into(),
        }
    }

    /// "new memory", "a new stream".
    fn a_new(&self, kind: KindId) -> String {
        let kind = self.names.kinds.get(kind);
        if &*kind.noun == "memory" { "new memory".into() } else { format!("a new {}", kind.noun) }
    }

    fn advice(&self, kind: KindId) -> String {
        match &self.names.kinds.get(kind).releaser {
            Some(releaser) => format!("; the caller must release it with `{releaser}`"),
            None => "; the caller must release it".into(),
        }
    }

    fn condition(&self, when: &When) -> String {
        let all = |tests: &Vec<Test>| {
            // Different places may have the same words.
            let mut tests: Vec<String> = tests.iter().map(|test| self.test(test)).collect();
            let mut known = BTreeSet::new();
            tests.retain(|test| known.insert(test.clone()));
            tests.join(" and ")
        };
        let mut any: Vec<String> = when.any.iter().map(all).collect();
        any.dedup();
        any.join(", or ")
    }

    fn test(&self, test: &Test) -> String {
        let outcome = Outcome {
            when: When::always(),
            result: Value::Any,
            fresh: Vec::new(),
            effects: Vec::new(),
            way: Way::Returns,
            invented: false,
        };
        let path = self.named(&test.value, &outcome);
        if test.value.property().is_some() {
            let not = match test.relation {
                Relation::Equal => "is",
                Relation::NotEqual => "is not",
                Relation::Greater if test.number == 0 => {
                    return format!("{path} is {}", self.state(&test.value, 1));
                }
                Relation::LessEqual if test.number == 0 => {
                    return format!("{path} is not {}", self.state(&test.value, 1));
                }
                _ => return format!("the state of {path} is as needed"),
            };
            return format!("{path} {not} {}", self.state(&test.value, test.number));
        }
        let subject = match test.mask {
            Some(mask) => in_code(&format!("{} & {mask:#x}", self.place(&test.value, &outcome))),
            None => path,
        };
        let pointer = matches!(test.value.steps.last(), Some(Step::At(_) | Step::Somewhere));
        let number = match &test.other {
            Some(other) if test.number == 0 => self.named(other, &outcome),
            Some(other) => in_code(&format!("{} + {}", self.place(other, &outcome), test.number)),
            None if pointer && test.number == 0 => "NULL".into(),
            None => test.number.to_string(),
        };
        let relation = match test.relation {
            Relation::Equal => "is",
            Relation::NotEqual => "is not",
            Relation::Less => "is less than",
            Relation::LessEqual => "is at most",
            Relation::Greater => "is greater than",
            Relation::GreaterEqual => "is at least",
            Relation::UnsignedLess => "is, unsigned, less than",
            Relation::UnsignedLessEqual => "is, unsigned, at most",
            Relation::UnsignedGreater => "is, unsigned, greater than",
            Relation::UnsignedGreaterEqual => "is, unsigned, at least",
        };
        format!("{subject} {relation} {number}")
    }

    /// A place in a sentence: names stand in quotes.
    fn named(&self, path: &Path, outcome: &Outcome) -> String {
        in_code(&self.place(path, outcome))
    }

    /// A path as C has it, as far as that goes without types.
    fn place(&self, path: &Path, outcome: &Outcome) -> String {
        // What has a state is told as the place that it is at.
        if let Some((&Step::State { offset, .. }, before)) = path.steps.split_last() {
            let object = Path { root: path.root, steps: before.to_vec() };
            return match path.root {
                Root::Process => self.root(path.root, outcome),
                _ if offset == 0 => match self.place(&object, outcome) {
                    words if words.contains(' ') => format!("what {words} points to"),
                    words => match words.strip_prefix('&') {
                        Some(object) => object.to_owned(),
                        None => format!("*{words}"),
                    },
                },
                // What it is made of inside says nothing.
                _ => {
                    let words = self.place(&object.at(offset), outcome);
                    words.split(".__").next().unwrap_or_default().to_owned()
                }
            };
        }
        if let Some(words) = (self.names.place)(path) {
            return words;
        }
        if let Some(words) = found_at(path, outcome, 8).and_then(|found| (self.names.place)(&found)) {
            return words;
        }
        let Some((&last, before)) = path.steps.split_last() else { return self.root(path.root, outcome) };
        let unnamed =
            |step: &Step| matches!(step, Step::At(1..) | Step::Number { offset: 1.., .. } | Step::Somewhere);
        if unnamed(&last) && before.iter().filter(|&step| unnamed(step)).count() >= MOST_UNNAMED {
            let whole = Path { root: path.root, steps: Vec::new() };
            return format!("something that {} leads to", in_code(&self.place(&whole, outcome)));
        }
        let base = self.place(&Path { root: path.root, steps: before.to_vec() }, outcome);
        // The address of an element, and then what is there.
        if let (Some(element), Step::At(0) | Step::Number { offset: 0, .. }) = (base.strip_prefix('&'), last)
            && matches!(before.last(), Some(Step::Element { .. }))
        {
            return element.to_owned();
        }
        match last {
            Step::At(0) | Step::Number { offset: 0, .. } if !base.contains(' ') => format!("*{base}"),
            Step::At(offset) | Step::Number { offset, .. } => {
                format!("the field at byte {offset} of {}", in_code(&base))
            }
            Step::Each { .. } => format!("each node behind {}", in_code(&base)),
            Step::Somewhere => format!("an element of {}", in_code(&base)),
            Step::Element { index, .. } => format!("&{base}[{}]", self.root(Root::Param(index), outcome)),
            Step::State { .. } => base,
        }
    }

    /// The name of a state.
    fn state(&self, place: &Path, number: i64) -> String {
        match self.names.properties.zip(place.property()) {
            Some((properties, id)) => properties.get(id).state(number),
            None => format!("in state {number}"),
        }
    }

    fn root(&self, root: Root, outcome: &Outcome) -> String {
        match root {
            Root::Param(index) => match self.names.parameters.get(index as usize) {
                Some(name) if !name.is_empty() => name.to_string(),
                _ => format!("argument {}", index + 1),
            },
            Root::Rest(_) => "the variable arguments".into(),
            Root::Result => "the result".into(),
            Root::Function(_) => "a function".into(),
            Root::Process => "the process".into(),
            Root::Global(global) => format!("the global {global}"),
            // A fresh object is named by where it can be found.
            Root::Fresh(index) => {
                let is_it =
                    |value: &Value| matches!(value, Value::Fresh { index: other, .. } if *other == index);
                if is_it(&outcome.result) {
                    return "the result".into();
                }
                let holder = outcome.effects.iter().find_map(|effect| match effect {
                    // An object that holds itself is not found that way.
                    Effect::Store { place, value } if is_it(value) && !leads_to(place, index, outcome, 8) => {
                        Some(self.place(place, outcome))
                    }
                    _ => None,
                });
                holder.unwrap_or_else(|| "a new object".into())
            }
        }
    }
}

/// What it is to bring an object into a state: "locks `m`", "leaves `f` closed".
#[must_use]
pub fn moved(object: &str, state: &str) -> String {
    match state {
        "locked" => format!("locks {object}"),
        "unlocked" => format!("unlocks {object}"),
        "locked for reading" | "locked for writing" => {
            format!("locks {object}{}", state.trim_start_matches("locked"))
        }
        _ => format!("leaves {object} {state}"),
    }
}

/// Where a caller finds a place inside something new: behind the result, or behind what leads to it.
fn found_at(path: &Path, outcome: &Outcome, depth: u32) -> Option<Path> {
    let Root::Fresh(index) = path.root else { return Some(path.clone()) };
    let is_it = |value: &Value| matches!(value, Value::Fresh { index: other, .. } if *other == index);
    if is_it(&outcome.result) {
        return Some(Path { root: Root::Result, steps: path.steps.clone() });
    }
    let holder = outcome.effects.iter().find_map(|effect| match effect {
        Effect::Store { place, value } if is_it(value) && !leads_to(place, index, outcome, depth) => {
            Some(place)
        }
        _ => None,
    })?;
    let holder = found_at(holder, outcome, depth.checked_sub(1)?)?;
    Some(Path { root: holder.root, steps: [&holder.steps[..], &path.steps].concat() })
}

/// Code in quotes, and words as they are: `*out`, but the result, argument 2, an element of `*list`.
fn in_code(words: &str) -> String {
    let is_phrase = ["the ", "argument ", "an ", "a ", "each ", "what ", "something "]
        .iter()
        .any(|start| words.starts_with(start));
    if is_phrase { words.to_owned() } else { format!("`{words}`") }
}

/// The fresh object that a result hands out.
fn handed_out(result: &Value) -> Option<u32> {
    match result {
        Value::Fresh { index, .. } => Some(*index),
        Value::Parts(parts) => parts.iter().find_map(handed_out),
        _ => None,
    }
}

/// Whether a place is found by way of a fresh object, so that naming one by the other would go in circles.
fn leads_to(place: &Path, index: u32, outcome: &Outcome, depth: u32) -> bool {
    let Root::Fresh(root) = place.root else { return false };
    if matches!(outcome.result, Value::Fresh { index: result, .. } if result == root) {
        return false;
    }
    if root == index || depth == 0 {
        return true;
    }
    outcome.effects.iter().any(|effect| match effect {
        Effect::Store { place, value: Value::Fresh { index: other, .. } } if *other == root => {
            leads_to(place, index, outcome, depth - 1)
        }
        _ => false,
    })
}

fn such(relation: Relation, number: i64) -> String {
    match (relation, number) {
        (Relation::Less, 0) | (Relation::LessEqual, -1) => "a negative number".into(),
        (Relation::Greater, 0) | (Relation::GreaterEqual, 1) => "a positive number".into(),
        (Relation::NotEqual, 0) => "something that is not 0".into(),
        (Relation::Equal, _) => number.to_string(),
        (Relation::NotEqual, _) => format!("something that is not {number}"),
        (Relation::Less, _) => format!("a number less than {number}"),
        (Relation::LessEqual, _) => format!("a number of at most {number}"),
        (Relation::Greater, _) => format!("a number greater than {number}"),
        (Relation::GreaterEqual, _) => format!("a number of at least {number}"),
        (Relation::UnsignedLess, _) => format!("a number less than {number} unsigned"),
        (Relation::UnsignedLessEqual, _) => format!("a number of at most {number} unsigned"),
        (Relation::UnsignedGreater, _) => format!("a number greater than {number} unsigned"),
        (Relation::UnsignedGreaterEqual, _) => format!("a number of at least {number} unsigned"),
    }
}
/// The pieces of a word, from its lowest bit on: "bits 0 to 15 of `flags`, bits 16 to 31 = 0x1".
pub(crate) fn pieces(of: &str, pieces: &[Piece]) -> String {
    let mut at = 0;
    let mut words = Vec::new();
    for piece in pieces {
        let (low, high) = (at, at + piece.bits.max(1) - 1);
        at += piece.bits;
        let bits = if low == high { format!("bit {low}") } else { format!("bits {low} to {high}") };
        match piece.of {
            PieceOf::Number(number) => words.push(format!("{bits} = {number:#x}")),
            PieceOf::Entry(from) if from == low => words.push(format!("{bits} of {of}")),
            PieceOf::Entry(from) => words.push(format!("{bits} = {of} >> {from}")),
            PieceOf::Any | PieceOf::Untold => {}
        }
    }
    format!("a word with {}", words.join(", "))
}
