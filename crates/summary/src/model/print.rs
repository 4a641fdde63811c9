//! A summary as model text.
//!
//! What comes out parses back to an equal summary whose fresh objects are numbered in the order in which the
//! text mentions them. Two things do not parse: globals, because a model file has no way to tell which
//! program it is about, and a result read from itself; both are printed in a form that reads well.

use crate::effect::{
    Completeness, Effect, KeepReason, Outcome, Relation, Span, Summary, Test, Value, Way, When,
};
use crate::kind::Kinds;
use crate::path::{Path, Root, Step};
use crate::property::Properties;
use std::fmt::Write;
use watertight_ir::GlobalId;

/// How to spell what a summary names by number.
#[derive(Copy, Clone)]
pub struct Spelling<'a> {
    pub kinds: &'a Kinds,
    /// Without them, states are numbers.
    pub properties: Option<&'a Properties>,
    /// Parameters without a name are called `arg0`, `arg1` and so on.
    pub parameters: &'a [Box<str>],
    pub variadic: bool,
    /// The result is an address. Where outcomes show it, it need not be said.
    pub address: bool,
    pub global: &'a dyn Fn(GlobalId) -> String,
}

impl Spelling<'_> {
    pub(crate) fn parameter(&self, index: u32) -> String {
        match self.parameters.get(index as usize) {
            Some(name) if !name.is_empty() => name.to_string(),
            _ => format!("arg{index}"),
        }
    }

    /// The name of a state.
    fn state(&self, place: &Path, number: i64) -> String {
        match self.properties.zip(place.property()) {
            Some((properties, id)) => properties.get(id).state_name(number).replace(' ', "_"),
            None => number.to_string(),
        }
    }

    /// A path in the language.
    pub(crate) fn path(&self, path: &Path) -> String {
        let mut text = match path.root {
            Root::Param(index) => self.parameter(index),
            Root::Rest(_) => "...".into(),
            Root::Result => "result".into(),
            Root::Global(global) => format!("global {}", (self.global)(global)),
            Root::Fresh(index) => format!("new{index}"),
            Root::Function(function) => format!("function {function}"),
            Root::Process => "process".into(),
        };
        if let Some((&last, before)) = path.steps.split_last() {
            // `*out` is the cell that people think of; cells further on are spelled by their offset.
            let star = before.is_empty() && matches!(last, Step::At(0) | Step::Number { offset: 0, .. });
            for step in before {
                write_step(&mut text, *step);
            }
            match last {
                Step::At(_) if star => text.insert(0, '*'),
                Step::Number { bytes, .. } if star => text = format!("*{text}:{bytes}"),
                step => write_step(&mut text, step),
            }
        }
        text
    }
}

fn write_step(text: &mut String, step: Step) {
    match step {
        Step::At(offset) => {
            let _ = write!(text, ".{offset}");
        }
        Step::Number { offset, bytes } => {
            let _ = write!(text, ".{offset}:{bytes}");
        }
        // Model files have no word for the element that an argument chooses, nor for the nodes of a chain.
        Step::Somewhere | Step::Element { .. } | Step::Each { .. } => text.push_str(".?"),
        Step::State { offset: 0, .. } => *text = format!("state({text})"),
        Step::State { offset, .. } => *text = format!("state({text} + {offset})"),
    }
}

/// The entry of a model file that says this of a function.
pub fn print(name: &str, summary: &Summary, spelling: Spelling<'_>) -> String {
    let count = parameter_count(summary).max(spelling.parameters.len() as u32);
    let mut parameters: Vec<String> = (0..count).map(|index| spelling.parameter(index)).collect();
    if spelling.variadic || mentions_rest(summary) {
        parameters.push("...".into());
    }
    let mut text = format!("{name}({})", parameters.join(", "));
    if summary.completeness == Completeness::Partial {
        text.push_str(" incomplete");
    }
    match &summary.outcomes[..] {
        [] => text.push_str(" noreturn"),
        [outcome] if outcome.when.is_always() => {
            let outcome = Writer::new(spelling, summary).outcome(outcome);
            if outcome != "nothing" {
                text.push(' ');
                text.push_str(&outcome);
            }
        }
        outcomes => {
            text.push_str(" {\n");
            let mut last: Option<&When> = None;
            // A condition that nothing meets is an outcome that never happens.
            for outcome in outcomes.iter().filter(|outcome| !outcome.when.any.is_empty()) {
                let always = outcome.when.is_always();
                match last {
                    Some(last) if *last == outcome.when || always && last.is_always() => {}
                    None if always => {}
                    _ if always => text.push_str("    always:\n"),
                    _ => {
                        let _ = writeln!(text, "    when {}:", condition(&outcome.when, spelling));
                    }
                }
                let body = Writer::new(spelling, summary).outcome(outcome);
                let indent = if always { "    " } else { "        " };
                let arrow = if body.starts_with("->") { "" } else { "-> any, " };
                let body = if body == "nothing" { "-> any".into() } else { format!("{arrow}{body}") };
                let _ = writeln!(text, "{indent}{body}");
                last = Some(&outcome.when);
            }
            text.push('}');
        }
    }
    text.push('\n');
    text
}

/// A condition in the language.
fn condition(when: &When, spelling: Spelling<'_>) -> String {
    let any: Vec<String> = when
        .any
        .iter()
        .map(|all| {
            let all: Vec<String> = all.iter().map(|test| spell_test(test, spelling)).collect();
            all.join(" and ")
        })
        .collect();
    any.join(" or ")
}

fn spell_test(test: &Test, spelling: Spelling<'_>) -> String {
    let path = spelling.path(&test.value);
    let subject = match test.mask {
        Some(mask) => format!("({path} & {mask:#x})"),
        None => path,
    };
    let pointer = matches!(test.value.steps.last(), Some(Step::At(_) | Step::Somewhere));
    let pointer = pointer && test.mask.is_none();
    let number = if let Some(other) = &test.other {
        match test.number {
            0 => spelling.path(other),
            plus => format!("{} + {plus}", spelling.path(other)),
        }
    } else if pointer && test.number == 0 {
        "null".into()
    } else if test.value.property().is_some() {
        spelling.state(&test.value, test.number)
    } else {
        test.number.to_string()
    };
    format!("{subject} {} {number}", sign(test.relation))
}

pub(crate) fn sign(relation: Relation) -> &'static str {
    match relation {
        Relation::Equal => "==",
        Relation::NotEqual => "!=",
        Relation::Less => "<",
        Relation::LessEqual => "<=",
        Relation::Greater => ">",
        Relation::GreaterEqual => ">=",
        Relation::UnsignedLess => "<u",
        Relation::UnsignedLessEqual => "<=u",
        Relation::UnsignedGreater => ">u",
        Relation::UnsignedGreaterEqual => ">=u",
    }
}

/// Writes one outcome, introducing its fresh objects as they are mentioned.
struct Writer<'a> {
    spelling: Spelling<'a>,
    /// The result is an address, so that 0 is spelled `null`.
    address: bool,
    /// The number that each fresh object has in the text.
    numbers: Vec<Option<u32>>,
    next: u32,
}

impl<'a> Writer<'a> {
    fn new(spelling: Spelling<'a>, summary: &Summary) -> Writer<'a> {
        let address = spelling.address || returns_address(summary, spelling.kinds);
        Writer { spelling, address, numbers: Vec::new(), next: 0 }
    }

    fn outcome(mut self, outcome: &Outcome) -> String {
        self.numbers = vec![None; outcome.fresh.len()];
        let mut parts = Vec::new();
        if outcome.result != Value::Any || self.address {
            let value = match outcome.result {
                // An unknown address that nobody hands over.
                Value::Any => "borrowed or null".into(),
                ref result => self.value(result, self.address, outcome),
            };
            parts.push(format!("-> {value}"));
        }
        for effect in &outcome.effects {
            for index in mentioned(effect) {
                self.introduce(index, outcome, &mut parts);
            }
            parts.push(self.effect(effect, outcome));
        }
        for index in 0..outcome.fresh.len() as u32 {
            self.introduce(index, outcome, &mut parts);
        }
        match outcome.way {
            Way::Returns => {}
            Way::Seldom => parts.push("seldom".into()),
            Way::Jumps => parts.push("jumps".into()),
        }
        if parts.is_empty() { "nothing".into() } else { parts.join(", ") }
    }

    /// An object that a place mentions before any value does.
    fn introduce(&mut self, index: u32, outcome: &Outcome, parts: &mut Vec<String>) {
        if self.numbers.get(index as usize) == Some(&None) {
            let text = self.fresh(index, 0, outcome);
            parts.push(text);
        }
    }

    fn effect(&mut self, effect: &Effect, outcome: &Outcome) -> String {
        match effect {
            Effect::Store { place, value } => {
                let cell = matches!(place.steps.last(), Some(Step::At(_) | Step::Somewhere));
                if let Value::Number(number) = value
                    && effect.is_state()
                {
                    return format!("{} = {}", self.path(place), self.spelling.state(place, *number));
                }
                let place = self.path(place);
                format!("{place} = {}", self.value(value, cell, outcome))
            }
            Effect::Release { value, kind, certain } => {
                let path = self.path(value);
                let sometimes = if *certain { "" } else { " sometimes" };
                match &*self.spelling.kinds.get(*kind).name {
                    "heap" => format!("releases {path}{sometimes}"),
                    kind => format!("releases {path} as {kind}{sometimes}"),
                }
            }
            Effect::Keep { value, reason } => {
                let path = self.path(value);
                match reason {
                    KeepReason::Stored => format!("keeps {path}"),
                    KeepReason::Shared => format!("keeps {path} shared"),
                    KeepReason::Assumed { function } => format!("keeps {path} assuming \"{function}\""),
                }
            }
            Effect::Clobber { place } => format!("modifies {}", self.path(place)),
            Effect::Copy { to, span, from, start } => {
                let from = format!("{}{}", self.path(from), offset(*start));
                format!("copies {from} to {}{}", self.path(to), in_span(*span))
            }
            Effect::Zero { place, span } => format!("zeroes {}{}", self.path(place), in_span(*span)),
            Effect::Calls { function, arguments, .. } => {
                let function = self.path(function);
                let arguments: Vec<String> =
                    arguments.iter().map(|argument| self.value(argument, false, outcome)).collect();
                format!("calls {function}({})", arguments.join(", "))
            }
        }
    }

    fn value(&mut self, value: &Value, address: bool, outcome: &Outcome) -> String {
        match value {
            Value::Number(0) if address => "null".into(),
            Value::Number(number) => number.to_string(),
            Value::Entry { path, plus } => format!("{}{}", self.path(path), offset(*plus)),
            Value::Inside(path) => format!("inside {}", self.path(path)),
            // Only inferred summaries say this, too.
            Value::Bits { path, low, mask } => format!("{} >> {low} & {mask:#x}", self.path(path)),
            Value::Word { of, pieces } => {
                let of = of.as_ref().map(|path| self.path(path)).unwrap_or_default();
                crate::words::pieces(&of, pieces)
            }
            Value::Fresh { index, plus } => match self.numbers.get(*index as usize) {
                Some(None) => self.fresh(*index, *plus, outcome),
                Some(Some(number)) => format!("new{number}{}", offset(*plus)),
                None => "any".into(),
            },
            // Library functions do not return structs that own something: only inferred summaries say this.
            Value::Parts(parts) => {
                let parts: Vec<String> =
                    parts.iter().map(|part| self.value(part, address, outcome)).collect();
                format!("{{{}}}", parts.join(", "))
            }
            Value::Such { relation: Relation::NotEqual, number: 0 } if address => "borrowed".into(),
            Value::Such { relation, number } => format!("{} {number}", sign(*relation)),
            Value::Any => "any".into(),
        }
    }

    /// The first mention of a fresh object. It gets a name if the rest of the outcome needs one.
    fn fresh(&mut self, index: u32, plus: i64, outcome: &Outcome) -> String {
        let fresh = &outcome.fresh[index as usize];
        let number = self.next;
        self.next += 1;
        self.numbers[index as usize] = Some(number);
        let mut text = String::new();
        if fresh.zeroed {
            text.push_str("zeroed ");
        }
        let _ = write!(text, "fresh {}", self.spelling.kinds.get(fresh.kind).name);
        if let Some(by) = &fresh.by {
            let _ = write!(text, " by {by}");
        }
        if needs_name(index, outcome) {
            let _ = write!(text, " as new{number}");
        }
        text + &offset(plus)
    }

    fn path(&self, path: &Path) -> String {
        match path.root {
            Root::Fresh(index) => {
                let number = self.numbers.get(index as usize).copied().flatten().unwrap_or(index);
                self.spelling.path(&Path { root: Root::Fresh(number), steps: path.steps.clone() })
            }
            _ => self.spelling.path(path),
        }
    }
}

/// Whether some outcome shows that the result is an address.
pub(crate) fn returns_address(summary: &Summary, kinds: &Kinds) -> bool {
    summary.outcomes.iter().any(|outcome| match &outcome.result {
        Value::Inside(_) => true,
        Value::Fresh { index, .. } => {
            let fresh = outcome.fresh.get(*index as usize);
            fresh.is_some_and(|fresh| kinds.get(fresh.kind).number.is_none())
        }
        _ => false,
    })
}

fn offset(plus: i64) -> String {
    match plus {
        0 => String::new(),
        plus if plus < 0 => format!(" - {}", plus.unsigned_abs()),
        plus => format!(" + {plus}"),
    }
}

fn in_span(span: Span) -> String {
    match span.bytes {
        Some(bytes) => format!("{} for {bytes}", offset(span.offset)),
        None => offset(span.offset),
    }
}

/// Fresh objects that the places of an effect start at, or that a call hands over.
fn mentioned(effect: &Effect) -> Vec<u32> {
    let paths: Vec<&Path> = match effect {
        Effect::Store { place, .. } | Effect::Clobber { place } | Effect::Zero { place, .. } => vec![place],
        Effect::Release { value, .. } | Effect::Keep { value, .. } => vec![value],
        Effect::Copy { to, from, .. } => vec![from, to],
        Effect::Calls { function, .. } => vec![function],
    };
    let index = |path: &&Path| match path.root {
        Root::Fresh(index) => Some(index),
        _ => None,
    };
    paths.iter().filter_map(index).collect()
}

/// Whether an outcome mentions a fresh object more than once.
fn needs_name(index: u32, outcome: &Outcome) -> bool {
    let is_it = |value: &Value| matches!(value, Value::Fresh { index: other, .. } if *other == index);
    let mut count = usize::from(is_it(&outcome.result));
    for effect in &outcome.effects {
        let places = mentioned(effect).iter().filter(|&&other| other == index).count();
        // A place needs a name even if nothing else mentions the object.
        count += places * 2;
        match effect {
            Effect::Store { value, .. } => count += usize::from(is_it(value)),
            Effect::Calls { arguments, .. } => {
                count += arguments.iter().filter(|argument| is_it(argument)).count();
            }
            _ => {}
        }
    }
    count > 1
}

/// Every path of a summary.
fn each_path<'s>(summary: &'s Summary, mut visit: impl FnMut(&'s Path)) {
    for outcome in &summary.outcomes {
        for test in outcome.when.any.iter().flatten() {
            visit(&test.value);
            test.other.iter().for_each(&mut visit);
        }
        let mut values = vec![&outcome.result];
        for effect in &outcome.effects {
            match effect {
                Effect::Store { place, value } => {
                    visit(place);
                    values.push(value);
                }
                Effect::Release { value, .. } | Effect::Keep { value, .. } => visit(value),
                Effect::Clobber { place } | Effect::Zero { place, .. } => visit(place),
                Effect::Copy { to, from, .. } => {
                    visit(to);
                    visit(from);
                }
                Effect::Calls { function, arguments, .. } => {
                    visit(function);
                    values.extend(arguments);
                }
            }
        }
        for value in values {
            if let Value::Entry { path, .. } | Value::Inside(path) = value {
                visit(path);
            }
        }
    }
}

/// How many parameters a summary speaks of at least.
fn parameter_count(summary: &Summary) -> u32 {
    let mut count = 0;
    each_path(summary, |path| match path.root {
        Root::Param(index) => count = count.max(index.saturating_add(1)),
        Root::Rest(index) => count = count.max(index),
        _ => {}
    });
    count
}

fn mentions_rest(summary: &Summary) -> bool {
    let mut found = false;
    each_path(summary, |path| found |= matches!(path.root, Root::Rest(_)));
    found
}
