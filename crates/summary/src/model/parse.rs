//! Parsing a model file: entries, kinds, signatures and outcomes.
//!
//! Input: a text. Output: its kinds and one summary per function, or all that is wrong with it. After an
//! error the parser goes on at the next entry, which is the next token in the first column, so one mistake
//! hides no other. What stands behind a signature is in [`super::outcome`], paths and values are in
//! [`super::value`], conditions in [`super::condition`], the way over tokens is in [`super::cursor`].
//!
//! What must hold: no text makes it panic, and the loop over entries always moves on.

use super::cursor::{Cursor, Parsed};
use super::error::ModelError;
use super::file::{KindUse, Model, ModelFile};
use super::lex::{Sign, Token, TokenKind};
use super::lists::Lists;
use crate::effect::{Completeness, Effect, Fresh, Outcome, Summary, Value, Way, When};
use crate::kind::{Kind, KindId, Kinds};
use crate::path::Root;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The version of the language that this parser reads.
const VERSION: u64 = 1;
/// More kinds than this in one file are refused: their ids are small.
const MOST_KINDS: usize = 4000;
/// Nesting of `fresh` in `fresh`, and of parentheses.
pub(crate) const DEEPEST: u32 = 16;

/// Words that begin a value, an effect or a case, so no parameter can be called so.
pub(crate) const RESERVED: &[&str] = &[
    "fresh",
    "zeroed",
    "null",
    "any",
    "inside",
    "borrowed",
    "owned",
    "releases",
    "keeps",
    "modifies",
    "copies",
    "zeroes",
    "calls",
    "jumps",
    "seldom",
    "noreturn",
    "exits",
    "nothing",
    "incomplete",
    "when",
    "otherwise",
    "always",
    "not",
];
/// Words that begin an effect.
pub(crate) const EFFECTS: &[&str] =
    &["releases", "keeps", "modifies", "copies", "zeroes", "calls", "jumps", "seldom", "fresh", "zeroed"];

/// What can follow in an entry.
const EFFECT_OR_ENTRY: &str =
    "an effect (`-> fresh KIND`, `releases`, `keeps`, `modifies` ...), or an entry at the start of a line";

/// Reads a model file.
pub fn parse(file_name: &str, text: &str) -> Result<ModelFile, Vec<ModelError>> {
    parse_for(file_name, text, &|_| true)
}

/// Reads what a model file says about some functions, and passes over the rest without looking for mistakes.
pub(crate) fn parse_for<'t>(
    file_name: &'t str,
    text: &'t str,
    wanted: &'t dyn Fn(&str) -> bool,
) -> Result<ModelFile, Vec<ModelError>> {
    let mut parser = Parser {
        cursor: Cursor::new(file_name, text),
        kinds: Kinds::default(),
        kind_names: FxHashMap::default(),
        declared: Vec::new(),
        only_with: Vec::new(),
        before_bodies: false,
        doubts_losses: false,
        lists: Lists::default(),
        uses: Vec::new(),
        models: Vec::new(),
        known: FxHashMap::default(),
        depth: 0,
        address: false,
        returns_address: false,
        exits: false,
        wanted,
    };
    parser.kind_names.insert("heap", KindId::HEAP);
    parser.file();
    if !parser.cursor.errors.is_empty() {
        return Err(parser.cursor.complaints());
    }
    let Parser { kinds, declared, uses, models, only_with, before_bodies, doubts_losses, lists, .. } = parser;
    Ok(ModelFile {
        name: file_name.into(),
        only_with,
        before_bodies,
        doubts_losses,
        lists,
        kinds,
        declared,
        uses,
        models,
    })
}

pub(crate) struct Parser<'t> {
    pub(crate) cursor: Cursor<'t>,
    pub(crate) kinds: Kinds,
    pub(crate) kind_names: FxHashMap<&'t str, KindId>,
    pub(crate) declared: Vec<KindId>,
    pub(crate) only_with: Vec<Box<str>>,
    pub(crate) before_bodies: bool,
    pub(crate) doubts_losses: bool,
    pub(crate) lists: Lists,
    pub(crate) uses: Vec<KindUse>,
    pub(crate) models: Vec<Model>,
    /// Where each function was described first.
    pub(crate) known: FxHashMap<&'t str, u32>,
    pub(crate) depth: u32,
    /// A value has been read that only an address can have.
    pub(crate) address: bool,
    /// A result of the function being read was such a value.
    pub(crate) returns_address: bool,
    /// A call of the function being described that does not come back ends the process.
    pub(crate) exits: bool,
    pub(crate) wanted: &'t dyn Fn(&str) -> bool,
}

/// The names that can be used inside one entry.
pub(crate) struct Scope<'t> {
    pub(crate) parameters: Vec<&'t str>,
    pub(crate) variadic: bool,
    /// In the paper's notation arguments are numbered and not declared.
    pub(crate) numbered: bool,
}

/// An outcome while it is read.
#[derive(Clone, Default)]
pub(crate) struct Draft<'t> {
    pub(crate) fresh: Vec<Fresh>,
    pub(crate) effects: Vec<Effect>,
    pub(crate) names: Vec<(&'t str, u32)>,
    pub(crate) way: Way,
}

impl<'t> Parser<'t> {
    /// `doubt losses on all paths`
    fn doubt(&mut self) -> Parsed<()> {
        self.cursor.at += 1;
        for word in ["losses", "on", "all", "paths"] {
            self.cursor.expect_word(word)?;
        }
        self.doubts_losses = true;
        Ok(())
    }

    fn file(&mut self) {
        if self.cursor.word_is("watertight") && self.header().is_err() {
            self.skip_entry(0);
        }
        while self.cursor.goes_on() {
            let start = self.cursor.at;
            self.cursor.entry = start;
            let entry = if self.cursor.word_is("kind") && !self.cursor.next_is_sign(Sign::Open) {
                self.kind_entry()
            } else if self.cursor.word_is("only") && self.cursor.peek(1).kind == TokenKind::Name("with") {
                self.only_with()
            } else if self.cursor.word_is("before") && self.cursor.peek(1).kind == TokenKind::Name("bodies") {
                self.cursor.at += 2;
                self.before_bodies = true;
                Ok(())
            } else if self.cursor.word_is("doubt") && self.cursor.peek(1).kind == TokenKind::Name("losses") {
                self.doubt()
            } else if let (TokenKind::Name(first), TokenKind::Name(second)) =
                (self.cursor.token().kind, self.cursor.peek(1).kind)
                && Lists::default().named(first, second).is_some()
            {
                self.names().map(|names| {
                    if let Some(list) = self.lists.named(first, second) {
                        list.extend(names);
                    }
                })
            } else {
                self.function()
            };
            if entry.is_err() {
                self.skip_entry(start);
            }
        }
    }

    /// To the next line that begins in the first column, but not to one that closes an entry.
    fn skip_entry(&mut self, start: usize) {
        self.cursor.braces = 0;
        self.depth = 0;
        // What was expected in one entry may have been looked for at the beginning of the next.
        if self.cursor.at > start {
            self.cursor.at -= 1;
        }
        while self.cursor.token().kind != TokenKind::End {
            self.cursor.at += 1;
            let token = self.cursor.token();
            if token.first && !matches!(token.kind, TokenKind::Sign(_)) {
                return;
            }
        }
    }

    /// `watertight models 1`
    fn header(&mut self) -> Parsed<()> {
        self.cursor.at += 1;
        self.cursor.expect_word("models")?;
        let token = self.cursor.token();
        let version = self.cursor.number()?;
        if version > VERSION {
            let message =
                format!("written for version {version} of the model language, this program knows {VERSION}");
            return Err(self.cursor.tell(token, message));
        }
        Ok(())
    }

    /// `kind fd "file descriptor" number from 0 lost from 3 released by close`
    fn kind_entry(&mut self) -> Parsed<()> {
        self.cursor.at += 1;
        let name = self.cursor.name("the name of a kind")?;
        let noun = self.cursor.quoted("what messages call it, in quotation marks")?;
        let mut kind = Kind { noun, ..Kind::plain(name) };
        if self.cursor.take_word("memory") {
            kind.memory = true;
        }
        if self.cursor.take_word("number") {
            kind.number = Some(if self.cursor.take_word("from") { self.cursor.signed_number()? } else { 0 });
            if self.cursor.take_word("lost") {
                self.cursor.expect_word("from")?;
                kind.lost_from = Some(self.cursor.signed_number()?);
            }
        }
        if self.cursor.take_word("released") {
            if self.cursor.take_word("with") {
                self.cursor.expect_word("contents")?;
                kind.with_contents = true;
            }
            self.cursor.expect_word("by")?;
            kind.releaser = Some(self.cursor.name("the name of a function")?.into());
        }
        if !self.cursor.token().first {
            return Err(self.cursor.unknown_word(
                &["memory", "number", "from", "lost", "released"],
                "`memory`, `number`, `released by`, or an entry on a new line",
            ));
        }
        let id = self.declare(name, kind)?;
        if !self.declared.contains(&id) {
            self.declared.push(id);
        }
        Ok(())
    }

    /// `only with kfree, kmalloc`
    fn only_with(&mut self) -> Parsed<()> {
        self.cursor.at += 2;
        loop {
            let name = self.cursor.name("the name of a function")?;
            self.only_with.push(name.into());
            if !self.cursor.take(Sign::Comma) {
                return Ok(());
            }
        }
    }

    /// `waits in read, poll`: the names after two words, as far as the program has them.
    fn names(&mut self) -> Parsed<Vec<Box<str>>> {
        self.cursor.at += 2;
        let mut names = Vec::new();
        loop {
            let name = self.cursor.name("the name of a function")?;
            if (self.wanted)(name) {
                names.push(name.into());
            }
            if !self.cursor.take(Sign::Comma) {
                return Ok(names);
            }
        }
    }

    fn function(&mut self) -> Parsed<()> {
        let token = self.cursor.token();
        if !token.first {
            return Err(self.cursor.unknown_word(EFFECTS, EFFECT_OR_ENTRY));
        }
        let mut names = Vec::new();
        self.returns_address = false;
        self.exits = false;
        loop {
            names.push(self.cursor.token());
            self.cursor.name("the name of a function or the word `kind`")?;
            if !self.cursor.take(Sign::Comma) {
                break;
            }
        }
        names.retain(|token| matches!(token.kind, TokenKind::Name(name) if (self.wanted)(name)));
        if names.is_empty() {
            self.skip_entry(self.cursor.at);
            return Ok(());
        }
        if self.cursor.token().kind == TokenKind::Sign(Sign::Begin) {
            let summary = self.paper_notation()?;
            return self.finish(
                &names,
                &Scope { parameters: Vec::new(), variadic: true, numbered: true },
                summary,
            );
        }
        let scope = self.signature()?;
        let summary = self.body(&scope)?;
        if !self.cursor.token().first {
            return Err(self.cursor.unknown_word(EFFECTS, EFFECT_OR_ENTRY));
        }
        self.finish(&names, &scope, summary)
    }

    fn finish(&mut self, names: &[Token<'t>], scope: &Scope<'t>, summary: Summary) -> Parsed<()> {
        let parameters: Arc<[Box<str>]> = scope.parameters.iter().map(|&name| name.into()).collect();
        let last = names.len() - 1;
        let mut summary = Some(summary);
        for (index, &token) in names.iter().enumerate() {
            let TokenKind::Name(name) = token.kind else { continue };
            let line = token.line;
            if let Some(before) = self.known.insert(name, line) {
                let message = format!("`{name}` is described twice in this file, first in line {before}");
                self.cursor.tell(token, message);
            }
            self.models.push(Model {
                name: name.into(),
                parameters: parameters.clone(),
                variadic: scope.variadic,
                returns_address: self.returns_address,
                exits: self.exits,
                // Most entries have one name: it needs no copy.
                summary: if index == last { summary.take() } else { summary.clone() }
                    .expect("only the last name takes the summary"),
                line,
            });
        }
        Ok(())
    }

    /// `{ return heapobj }`: the language of the feasible-paths paper.
    fn paper_notation(&mut self) -> Parsed<Summary> {
        self.cursor.expect(Sign::Begin)?;
        let mut outcomes = vec![outcome(Value::Any, Draft::default())];
        if self.cursor.take_word("return") {
            if self.cursor.take_word("heapobj") {
                let fresh = vec![Fresh {
                    kind: KindId::HEAP,
                    zeroed: false,
                    by: None,
                    trail: Vec::new(),
                    blank: false,
                }];
                let value = Value::Fresh { index: 0, plus: 0 };
                outcomes = vec![
                    outcome(value, Draft { fresh, ..Draft::default() }),
                    outcome(Value::Number(0), Draft::default()),
                ];
            } else if self.cursor.token().kind == TokenKind::Sign(Sign::At) {
                let scope = Scope { parameters: Vec::new(), variadic: false, numbered: true };
                let path = self.path(&scope, &Draft::default())?;
                outcomes[0].result = Value::Entry { path, plus: 0 };
            } else if !self.cursor.take_word("int") && !self.cursor.take_word("pointer") {
                return Err(self
                    .cursor
                    .unknown_word(&["heapobj", "int", "pointer"], "heapobj, int, pointer or @1"));
            }
        } else if !self.cursor.take_word("ignored") {
            return Err(self.cursor.unknown_word(&["ignored", "return"], "`ignored` or `return`"));
        }
        self.cursor.expect(Sign::Finish)?;
        Ok(Summary::new(outcomes, Completeness::Whole))
    }

    fn signature(&mut self) -> Parsed<Scope<'t>> {
        self.cursor.expect(Sign::Open)?;
        let mut scope = Scope { parameters: Vec::new(), variadic: false, numbered: false };
        while !self.cursor.take(Sign::Close) {
            if !scope.parameters.is_empty() {
                self.cursor.expect(Sign::Comma)?;
            }
            if self.cursor.take(Sign::Dots) {
                scope.variadic = true;
                self.cursor.expect(Sign::Close)?;
                break;
            }
            let token = self.cursor.token();
            let name = self.cursor.name("the name of a parameter")?;
            if RESERVED.contains(&name) {
                return Err(self.cursor.tell(
                    token,
                    format!("`{name}` is a word of the language, so no parameter can have this name"),
                ));
            }
            if scope.parameters.contains(&name) {
                return Err(self.cursor.tell(token, format!("two parameters are called `{name}`")));
            }
            scope.parameters.push(name);
        }
        Ok(scope)
    }

    pub(crate) fn is_number_kind(&self, kind: KindId) -> bool {
        self.kinds.get(kind).number.is_some()
    }

    /// A kind that is used; whether it exists is known when the file meets the others.
    pub(crate) fn kind(&mut self) -> Parsed<KindId> {
        let token = self.cursor.token();
        let name = self.cursor.name("the name of a kind")?;
        if let Some(&id) = self.kind_names.get(name) {
            return Ok(id);
        }
        let place =
            self.cursor.source.error(token.start, token.end, format!("there is no kind called `{name}`"));
        let kind = Kind::plain(name);
        let id = self.declare(name, kind)?;
        self.uses.push(KindUse { kind: id, place });
        Ok(id)
    }

    fn declare(&mut self, name: &'t str, kind: Kind) -> Parsed<KindId> {
        if self.kinds.count() >= MOST_KINDS {
            return Err(self.cursor.expected(&format!("at most {MOST_KINDS} kinds")));
        }
        let id = self.kinds.declare(kind);
        self.kind_names.insert(name, id);
        Ok(id)
    }
}

pub(crate) fn outcome(result: Value, draft: Draft<'_>) -> Outcome {
    Outcome {
        when: When::always(),
        result,
        fresh: draft.fresh,
        effects: draft.effects,
        way: draft.way,
        invented: false,
    }
}

impl Scope<'_> {
    /// What `...` stands for.
    pub(crate) fn rest(&self) -> Root {
        Root::Rest(self.parameters.len() as u32)
    }
}
