//! The first scan: which functions, globals, aggregates and debug types a text defines.
//!
//! Items begin at the start of a line outside all braces, so their names can be found without reading
//! the items themselves.

use super::cursor::{shorten, unescape};
use super::lexer::{Kind, Lexer};
use super::{Fault, number_after, scalar_named};
use crate::ids::{AggId, DebugTypeId, FuncId, GlobalId, Id, UnitId};
use crate::program::Symbol;
use crate::types::Type;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::collections::hash_map::Entry;

/// A symbol's name and its tag; no tag is an empty one.
type Key<'t> = (Cow<'t, str>, &'t str);

#[derive(Debug, Default)]
pub(super) struct Symbols<'t> {
    symbols: FxHashMap<Key<'t>, Symbol>,
    functions: usize,
    globals: usize,
    aggregates: usize,
    /// Debug types of each unit by name.
    types: Vec<FxHashMap<&'t str, DebugTypeId>>,
}

pub(super) fn scan(text: &str) -> Result<Symbols<'_>, Fault> {
    let mut lexer = Lexer::new(text);
    let mut symbols = Symbols::default();
    let mut depth = 0usize;
    let mut in_unit = false;
    loop {
        let token = lexer.next()?;
        match token.kind {
            Kind::End => return Ok(symbols),
            Kind::Mark("{") => depth += 1,
            Kind::Mark("}") => depth = depth.saturating_sub(1),
            Kind::Word(word) if token.first_on_line && depth == 0 => {
                in_unit = word == "unit";
                match word {
                    "unit" => symbols.types.push(FxHashMap::default()),
                    "agg" => symbols.aggregates += 1,
                    "func" | "declare" | "global" => {
                        let name = lexer.next()?;
                        let Kind::Symbol(raw) = name.kind else {
                            return Err(Fault::new(
                                name.at,
                                format!("expected a name like `@main`, found {}", describe(name.kind)),
                            ));
                        };
                        symbols.define(raw, name.at, word == "global")?;
                    }
                    _ => {}
                }
            }
            Kind::Word("type") if token.first_on_line && depth == 1 && in_unit => {
                let name = lexer.next()?;
                if let (Kind::Word(word), Some(types)) = (name.kind, symbols.types.last_mut()) {
                    let next = DebugTypeId::new(types.len());
                    if types.insert(word, next).is_some() {
                        let message = format!("the type `{}` is defined twice", shorten(word));
                        return Err(Fault::new(name.at, message));
                    }
                }
            }
            _ => {}
        }
    }
}

fn describe(kind: Kind<'_>) -> String {
    match kind {
        Kind::Word(text) | Kind::Number(text) => format!("`{}`", shorten(text)),
        Kind::Mark(mark) => format!("`{mark}`"),
        Kind::End => "the end of the text".into(),
        _ => "something else".into(),
    }
}

impl<'t> Symbols<'t> {
    fn define(&mut self, raw: &'t str, at: usize, global: bool) -> Result<(), Fault> {
        let symbol = if global {
            self.globals += 1;
            Symbol::Global(GlobalId::new(self.globals - 1))
        } else {
            self.functions += 1;
            Symbol::Func(FuncId::new(self.functions - 1))
        };
        match self.symbols.entry(key(raw, at)?) {
            Entry::Vacant(entry) => {
                entry.insert(symbol);
                Ok(())
            }
            Entry::Occupied(_) => {
                let raw = shorten(raw);
                Err(Fault::new(
                    at,
                    format!("`@{raw}` is defined twice; a tag as in `@{raw}#2` tells them apart"),
                ))
            }
        }
    }

    /// What a reference `@raw` means.
    pub(super) fn lookup(&self, raw: &'t str, at: usize) -> Result<Symbol, Fault> {
        match self.symbols.get(&key(raw, at)?) {
            Some(symbol) => Ok(*symbol),
            None => Err(Fault::new(at, format!("there is no function or global `@{}`", shorten(raw)))),
        }
    }

    pub(super) fn units(&self) -> usize {
        self.types.len()
    }

    pub(super) fn debug_type(&self, unit: UnitId, name: &str) -> Option<DebugTypeId> {
        self.types.get(unit.index())?.get(name).copied()
    }

    pub(super) fn type_named(&self, word: &str) -> Option<Type> {
        let aggregate = || number_after(word, "agg").filter(|&index| index < self.aggregates);
        scalar_named(word).or_else(|| aggregate().map(|index| Type::Agg(AggId::new(index))))
    }
}

/// Name and tag of a symbol token.
pub(super) fn key(raw: &str, at: usize) -> Result<Key<'_>, Fault> {
    match raw.strip_prefix('"') {
        None => Ok(match raw.split_once('#') {
            Some((name, tag)) => (Cow::Borrowed(name), tag),
            None => (Cow::Borrowed(raw), ""),
        }),
        Some(quoted) => {
            // A tag has no quotes, so the last one closes the name.
            let (name, rest) = quoted.rsplit_once('"').unwrap_or((quoted, ""));
            Ok((unescape(name, at + 2)?, rest.strip_prefix('#').unwrap_or("")))
        }
    }
}
