//! Attributes about ownership as models.
//!
//! In: what attributes say of functions that the program neither has a body nor a model of. Out: a model file, as text.
//! Functions that release the same things have a kind of resource in common: that of the library if one of them is known
//! from a model or reads as memory, else one of its own. What an attribute does not speak of is as of a function that
//! nothing is known about: its other arguments may be kept and changed.

use super::ownership::{Said, Word};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use watertight_ir::{Function, Program, Type};
use watertight_summary::Effect;
use watertight_summary::model::Models;

/// Something that what belongs together is known by: a function that releases it, or the name of a family.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Mark {
    Releaser(Box<str>),
    Family(Box<str>),
}

/// What is said of one function, by all its declarations.
#[derive(Clone, Default, Debug)]
struct Owner {
    returns: BTreeSet<Mark>,
    takes: BTreeMap<u32, Mark>,
    holds: BTreeSet<u32>,
}

/// The model file for functions that are declared with attributes. Nothing if there are none.
pub(super) fn models(all: &[Said], program: &Program, models: &Models) -> Option<String> {
    let owners = owners(all);
    let groups = Groups::new(&owners);
    let functions: BTreeMap<&str, &Function> =
        program.functions.values().map(|function| (&*function.name, function)).collect();
    let mut kinds: BTreeMap<Mark, Box<str>> = BTreeMap::new();
    let (mut declared, mut entries) = (String::new(), String::new());
    for (name, owner) in &owners {
        let Some(function) = functions.get(&**name).filter(|function| function.body.is_none()) else {
            continue;
        };
        if models.functions.contains_key(&**name) {
            continue;
        }
        let mut kind = |mark: &Mark| {
            let first = groups.first(mark);
            let known = kinds.entry(first.clone());
            let made = || kind_of(&groups.like(first), &owners, &functions, models, &mut declared);
            known.or_insert_with(made).clone()
        };
        entry(&mut entries, name, owner, function, &mut kind);
    }
    (!entries.is_empty()).then(|| declared + &entries)
}

fn owners(all: &[Said]) -> BTreeMap<Box<str>, Owner> {
    let mut owners: BTreeMap<Box<str>, Owner> = BTreeMap::new();
    for said in all {
        for word in &said.words {
            let owner = owners.entry(said.function.clone()).or_default();
            match word {
                Word::ReleasedBy { function, parameter } => {
                    let mark = Mark::Releaser(function.clone());
                    owner.returns.insert(mark.clone());
                    owners.entry(function.clone()).or_default().takes.insert(*parameter, mark);
                }
                Word::Returns { family } => {
                    owner.returns.insert(Mark::Family(family.clone()));
                }
                Word::Takes { family, parameter } => {
                    owner.takes.insert(*parameter, Mark::Family(family.clone()));
                }
                Word::Holds { parameter } => {
                    owner.holds.insert(*parameter);
                }
            }
        }
    }
    owners
}

/// Marks that are of one kind because a function speaks of both.
struct Groups(BTreeMap<Mark, Mark>);

impl Groups {
    fn new(owners: &BTreeMap<Box<str>, Owner>) -> Self {
        let mut groups = Self(BTreeMap::new());
        for (name, owner) in owners {
            let mut returned = owner.returns.iter();
            if let Some(first) = returned.next() {
                returned.for_each(|other| groups.join(first, other));
            }
            for mark in owner.takes.values() {
                groups.join(mark, &Mark::Releaser(name.clone()));
            }
        }
        groups
    }

    fn first<'g>(&'g self, mark: &'g Mark) -> &'g Mark {
        let mut at = mark;
        while let Some(next) = self.0.get(at) {
            at = next;
        }
        at
    }

    fn join(&mut self, one: &Mark, other: &Mark) {
        let (one, other) = (self.first(one).clone(), self.first(other).clone());
        if one != other {
            let (less, more) = if one < other { (one, other) } else { (other, one) };
            self.0.insert(more, less);
        }
    }

    /// All that are of one kind with the first of them.
    fn like(&self, first: &Mark) -> Vec<Mark> {
        let others = self.0.keys().filter(|mark| self.first(mark) == first);
        [first.clone()].into_iter().chain(others.cloned()).collect()
    }
}

/// The name of the kind of what has these marks; declares it if it is a new one.
fn kind_of(
    marks: &[Mark],
    owners: &BTreeMap<Box<str>, Owner>,
    functions: &BTreeMap<&str, &Function>,
    models: &Models,
    declared: &mut String,
) -> Box<str> {
    let releasers: BTreeSet<&str> = marks
        .iter()
        .filter_map(|mark| match mark {
            Mark::Releaser(function) => Some(&**function),
            Mark::Family(_) => None,
        })
        .collect();
    for &releaser in &releasers {
        let known = models.functions.get(releaser);
        let released =
            known.into_iter().flat_map(|summary| &summary.outcomes).flat_map(|outcome| &outcome.effects);
        let kind = released.into_iter().find_map(|effect| match effect {
            Effect::Release { kind, .. } => Some(*kind),
            _ => None,
        });
        if let Some(kind) = kind {
            return models.kinds.get(kind).name.clone();
        }
    }
    // What a function of the program releases is memory in the end.
    let has_body = |name: &&str| functions.get(name).is_some_and(|function| function.body.is_some());
    if releasers.contains("free")
        || releasers.iter().any(has_body)
        || marks.contains(&Mark::Family("malloc".into()))
    {
        return "heap".into();
    }
    let family = marks.iter().find_map(|mark| match mark {
        Mark::Family(family) => Some(format!("of_{family}")),
        Mark::Releaser(_) => None,
    });
    let by = releasers.iter().find(|name| owners.get(**name).is_none_or(|owner| owner.returns.is_empty()));
    let by = by.or_else(|| releasers.first());
    let name = family.or_else(|| by.map(|by| format!("by_{by}"))).unwrap_or_else(|| "heap".to_owned());
    let _ = write!(declared, "kind {name} \"object\" memory");
    let _ = by.map(|by| write!(declared, " released by {by}"));
    declared.push('\n');
    name.into()
}

/// The model of one function.
fn entry(
    out: &mut String,
    name: &str,
    owner: &Owner,
    function: &Function,
    kind: &mut dyn FnMut(&Mark) -> Box<str>,
) {
    // The models count the parameters of C.
    let parameters: Vec<Type> =
        function.params.iter().filter(|param| !param.struct_result).map(|param| param.ty).collect();
    let number = |index: usize| index as u32 + 1;
    let mut signature: Vec<String> =
        (0..parameters.len()).map(|index| format!("p{}", number(index))).collect();
    let mut always: Vec<String> = Vec::new();
    let mut released: Vec<String> = Vec::new();
    let mut moved = None;
    for (index, ty) in parameters.iter().enumerate() {
        let (at, address) = (number(index), *ty == Type::Ptr);
        if let Some(mark) = owner.takes.get(&at) {
            // What it leads to is its business as well: who releases an object knows what is in it.
            released.push(format!("keeps p{at}, releases p{at} as {}", kind(mark)));
            moved = moved.or(Some(at));
        } else if owner.holds.contains(&at) {
            always.push(format!("keeps p{at}"));
        } else if address {
            always.push(format!("keeps p{at} assuming \"{name}\""));
            always.push(format!("modifies p{at}"));
        }
    }
    if function.variadic {
        signature.push("...".to_owned());
        always.push(format!("keeps ... assuming \"{name}\""));
        always.push("modifies ...".to_owned());
    }
    let _ = write!(out, "{name}({})", signature.join(", "));
    match owner.returns.first() {
        Some(mark) => {
            // Who takes something and gives something of the kind is a `realloc`: when it fails, nothing has happened.
            let kind = kind(mark);
            if !always.is_empty() {
                let _ = write!(out, " {}", always.join(", "));
            }
            let _ = write!(out, " -> fresh {kind}");
            if let Some(at) = moved {
                let _ = write!(out, " as new, copies p{at} to new");
            }
            released.iter().for_each(|effect| out.push_str(&format!(", {effect}")));
            if !function.attrs.result_non_null {
                out.push_str(" | null");
            }
        }
        None => {
            always.extend(released);
            let _ = write!(out, " {}", always.join(", "));
            if function.result != Type::Void {
                out.push_str(" -> any");
            }
        }
    }
    out.push('\n');
}
