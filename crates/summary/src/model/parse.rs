//! Parsing a model file: entries, kinds, signatures and outcomes.
//!
//! Input: a text. Output: its kinds and one summary per function, or all that is wrong with it. After an
//! error the parser goes on at the next entry, which is the next token in the first column, so one mistake
//! hides no other. Paths and values are in [`super::value`], conditions in [`super::condition`].
//!
//! What must hold: no text makes it panic, and the loop over entries always moves on.

use super::condition::{Case, otherwise};
use super::error::{ModelError, Source, nearest};
use super::file::{KindUse, Model, ModelFile};
use super::lex::{Sign, Token, TokenKind, tokens};
use crate::effect::{Completeness, Effect, Fresh, KeepReason, Outcome, Summary, Value, When};
use crate::kind::{Kind, KindId, Kinds};
use crate::path::{Path, Root};
use rustc_hash::FxHashMap;

/// The version of the language that this parser reads.
const VERSION: u64 = 1;
/// A file with more errors than this is probably no model file; the rest is not told.
const MOST_ERRORS: usize = 50;
/// More kinds than this in one file are refused: their ids are small.
const MOST_KINDS: usize = 4000;
/// Nesting of `fresh` in `fresh`, and of parentheses.
pub(crate) const DEEPEST: u32 = 16;

/// Words that begin a value, an effect or a case, so no parameter can be called so.
const RESERVED: &[&str] = &[
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
    "calls",
    "noreturn",
    "nothing",
    "incomplete",
    "when",
    "otherwise",
    "always",
    "not",
];
/// Words that begin an effect.
const EFFECTS: &[&str] = &["releases", "keeps", "modifies", "copies", "calls", "fresh", "zeroed"];

/// An error that has been told already.
#[derive(Debug)]
pub(crate) struct Told;
pub(crate) type Parsed<T> = Result<T, Told>;

/// Reads a model file.
pub fn parse(file_name: &str, text: &str) -> Result<ModelFile, Vec<ModelError>> {
    let source = Source { name: file_name, text };
    let mut errors = Vec::new();
    let tokens = tokens(source, &mut errors);
    let mut parser = Parser {
        source,
        tokens,
        at: 0,
        errors,
        kinds: Kinds::default(),
        kind_names: FxHashMap::default(),
        declared: Vec::new(),
        uses: Vec::new(),
        models: Vec::new(),
        known: FxHashMap::default(),
        depth: 0,
    };
    parser.kind_names.insert("heap", KindId::HEAP);
    parser.file();
    if !parser.errors.is_empty() {
        // Letters that cannot be read are found before everything else; readers go from top to bottom.
        parser.errors.sort_by_key(|error| (error.line, error.column));
        parser.errors.truncate(MOST_ERRORS);
        return Err(parser.errors);
    }
    let Parser { kinds, declared, uses, models, .. } = parser;
    Ok(ModelFile { name: file_name.into(), kinds, declared, uses, models })
}

pub(crate) struct Parser<'t> {
    pub(crate) source: Source<'t>,
    tokens: Vec<Token<'t>>,
    at: usize,
    errors: Vec<ModelError>,
    kinds: Kinds,
    kind_names: FxHashMap<&'t str, KindId>,
    declared: Vec<KindId>,
    uses: Vec<KindUse>,
    models: Vec<Model>,
    /// Where each function was described first.
    known: FxHashMap<&'t str, u32>,
    pub(crate) depth: u32,
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
}

impl<'t> Parser<'t> {
    fn file(&mut self) {
        if self.word_is("watertight") && self.header().is_err() {
            self.skip_entry();
        }
        while self.token().kind != TokenKind::End && self.errors.len() < MOST_ERRORS {
            let entry = if self.word_is("kind") && !self.next_is_sign(Sign::Open) {
                self.kind_entry()
            } else {
                self.function()
            };
            if entry.is_err() {
                self.skip_entry();
            }
        }
    }

    /// To the next line that begins in the first column, but not to one that closes an entry.
    fn skip_entry(&mut self) {
        while self.token().kind != TokenKind::End {
            self.at += 1;
            let token = self.token();
            if token.first && !matches!(token.kind, TokenKind::Sign(_)) {
                return;
            }
        }
    }

    /// `watertight models 1`
    fn header(&mut self) -> Parsed<()> {
        self.at += 1;
        self.expect_word("models")?;
        let token = self.token();
        let version = self.number()?;
        if version > VERSION {
            let message =
                format!("written for version {version} of the model language, this program knows {VERSION}");
            return Err(self.tell(token, message));
        }
        Ok(())
    }

    /// `kind fd "file descriptor" number from 0 released by close`
    fn kind_entry(&mut self) -> Parsed<()> {
        self.at += 1;
        let name = self.name("the name of a kind")?;
        let TokenKind::Quoted(noun) = self.token().kind else {
            return Err(self.expected("what messages call it, in quotation marks"));
        };
        self.at += 1;
        let mut kind =
            Kind { name: name.into(), noun: noun.into(), releaser: None, number: None, memory: false };
        if self.take_word("memory") {
            kind.memory = true;
        }
        if self.take_word("number") {
            kind.number = Some(if self.take_word("from") { self.signed_number()? } else { 0 });
        }
        if self.take_word("released") {
            self.expect_word("by")?;
            kind.releaser = Some(self.name("the name of a function")?.into());
        }
        if !self.token().first {
            return Err(self.unknown_word(&["memory", "number", "from", "released"], "another entry"));
        }
        let id = self.declare(name, kind)?;
        if !self.declared.contains(&id) {
            self.declared.push(id);
        }
        Ok(())
    }

    fn function(&mut self) -> Parsed<()> {
        let token = self.token();
        if !token.first {
            return Err(self.unknown_word(EFFECTS, "another entry at the start of a line"));
        }
        let mut names = Vec::new();
        loop {
            names.push(self.token());
            self.name("the name of a function or the word `kind`")?;
            if !self.take(Sign::Comma) {
                break;
            }
        }
        if self.token().kind == TokenKind::Sign(Sign::Begin) {
            let summary = self.paper_notation()?;
            return self.finish(
                &names,
                &Scope { parameters: Vec::new(), variadic: true, numbered: true },
                summary,
            );
        }
        let scope = self.signature()?;
        let summary = self.body(&scope)?;
        if !self.token().first {
            return Err(self.unknown_word(EFFECTS, "another entry at the start of a line"));
        }
        self.finish(&names, &scope, summary)
    }

    fn finish(&mut self, names: &[Token<'t>], scope: &Scope<'t>, summary: Summary) -> Parsed<()> {
        for &token in names {
            let TokenKind::Name(name) = token.kind else { continue };
            let line = token.line;
            if let Some(before) = self.known.insert(name, line) {
                let message = format!("`{name}` is described twice in this file, first in line {before}");
                self.tell(token, message);
            }
            self.models.push(Model {
                name: name.into(),
                parameters: scope.parameters.iter().map(|&name| name.into()).collect(),
                variadic: scope.variadic,
                summary: summary.clone(),
                line,
            });
        }
        Ok(())
    }

    /// `{ return heapobj }`: the language of the feasible-paths paper.
    fn paper_notation(&mut self) -> Parsed<Summary> {
        self.expect(Sign::Begin)?;
        let mut outcomes = vec![outcome(Value::Any, Draft::default())];
        if self.take_word("return") {
            if self.take_word("heapobj") {
                let fresh = vec![Fresh { kind: KindId::HEAP, zeroed: false, by: None }];
                let value = Value::Fresh { index: 0, plus: 0 };
                outcomes = vec![
                    outcome(value, Draft { fresh, ..Draft::default() }),
                    outcome(Value::Number(0), Draft::default()),
                ];
            } else if self.token().kind == TokenKind::Sign(Sign::At) {
                let scope = Scope { parameters: Vec::new(), variadic: false, numbered: true };
                let path = self.path(&scope, &Draft::default())?;
                outcomes[0].result = Value::Entry { path, plus: 0 };
            } else if !self.take_word("int") && !self.take_word("pointer") {
                return Err(self.unknown_word(&["heapobj", "int", "pointer"], "heapobj, int, pointer or @1"));
            }
        } else if !self.take_word("ignored") {
            return Err(self.unknown_word(&["ignored", "return"], "`ignored` or `return`"));
        }
        self.expect(Sign::Finish)?;
        Ok(Summary { outcomes, completeness: Completeness::Whole })
    }

    fn signature(&mut self) -> Parsed<Scope<'t>> {
        self.expect(Sign::Open)?;
        let mut scope = Scope { parameters: Vec::new(), variadic: false, numbered: false };
        while !self.take(Sign::Close) {
            if !scope.parameters.is_empty() {
                self.expect(Sign::Comma)?;
            }
            if self.take(Sign::Dots) {
                scope.variadic = true;
                self.expect(Sign::Close)?;
                break;
            }
            let token = self.token();
            let name = self.name("the name of a parameter")?;
            if RESERVED.contains(&name) {
                return Err(self.tell(
                    token,
                    format!("`{name}` is a word of the language, so no parameter can have this name"),
                ));
            }
            if scope.parameters.contains(&name) {
                return Err(self.tell(token, format!("two parameters are called `{name}`")));
            }
            scope.parameters.push(name);
        }
        Ok(scope)
    }

    /// Effects of every outcome, then the outcomes.
    fn body(&mut self, scope: &Scope<'t>) -> Parsed<Summary> {
        let mut completeness = Completeness::Whole;
        let mut shared = Draft::default();
        let mut outcomes = Vec::new();
        if self.take_word("incomplete") {
            completeness = Completeness::Partial;
        }
        if self.take_word("noreturn") {
            return Ok(Summary { outcomes, completeness });
        }
        if self.begins_effect() && !self.token().first {
            self.effects(scope, &mut shared)?;
        }
        if self.take(Sign::Begin) {
            self.cases(scope, &shared, &mut outcomes)?;
        } else if matches!(self.token().kind, TokenKind::Sign(Sign::Arrow | Sign::Bar)) {
            self.alternatives(scope, &shared, &When::always(), &mut outcomes)?;
        } else {
            outcomes.push(outcome(Value::Any, shared));
        }
        Ok(Summary { outcomes, completeness })
    }

    /// What stands in braces.
    fn cases(&mut self, scope: &Scope<'t>, shared: &Draft<'t>, outcomes: &mut Vec<Outcome>) -> Parsed<()> {
        let mut before: Vec<When> = Vec::new();
        let opening = self.token();
        while !self.take(Sign::Finish) {
            let token = self.token();
            let when = if self.take_word("when") {
                let when = self.condition(scope)?;
                self.expect(Sign::Colon)?;
                before.push(when.clone());
                when
            } else if self.take_word("otherwise") {
                self.expect(Sign::Colon)?;
                match otherwise(&before) {
                    Case::Possible(when) => when,
                    Case::Never => {
                        return Err(self.tell(token, "the cases before leave nothing for `otherwise`"));
                    }
                    Case::TooMany => {
                        return Err(
                            self.tell(token, "too many combinations: write the condition out with `when`")
                        );
                    }
                }
            } else if self.take_word("always") {
                self.expect(Sign::Colon)?;
                When::always()
            } else if token.kind == TokenKind::End {
                return Err(self.tell(opening, "the `{` before this has no `}`"));
            } else {
                When::always()
            };
            self.alternatives(scope, shared, &when, outcomes)?;
        }
        Ok(())
    }

    /// Outcomes under one condition, separated by `|` or each with its own arrow.
    fn alternatives(
        &mut self,
        scope: &Scope<'t>,
        shared: &Draft<'t>,
        when: &When,
        outcomes: &mut Vec<Outcome>,
    ) -> Parsed<()> {
        let mut after_bar = self.take(Sign::Bar);
        loop {
            let mut draft = shared.clone();
            let mut result = Value::Any;
            if self.take_word("noreturn") {
                // Nothing to add: a call that meets the condition does not come back.
            } else {
                if self.take_word("nothing") {
                    // Only what every outcome does.
                } else if self.take(Sign::Arrow) || after_bar && !self.is_effect_word() {
                    result = self.value(scope, &mut draft)?;
                    if self.take(Sign::Comma) {
                        self.effects(scope, &mut draft)?;
                    }
                } else if self.begins_effect() {
                    self.effects(scope, &mut draft)?;
                } else {
                    return Err(
                        self.unknown_word(RESERVED, "an outcome: `->`, an effect, `nothing` or `noreturn`")
                    );
                }
                let mut outcome = outcome(result, draft);
                outcome.when = when.clone();
                outcomes.push(outcome);
            }
            after_bar = self.take(Sign::Bar);
            if !after_bar && self.token().kind != TokenKind::Sign(Sign::Arrow) {
                return Ok(());
            }
        }
    }

    /// After a bar a value needs no arrow, so there only these words begin an effect.
    fn is_effect_word(&self) -> bool {
        ["releases", "keeps", "modifies", "copies", "calls"].iter().any(|word| self.word_is(word))
    }

    fn begins_effect(&self) -> bool {
        match self.token().kind {
            TokenKind::Name(name) => {
                EFFECTS.contains(&name) || !RESERVED.contains(&name) && self.begins_store()
            }
            TokenKind::Sign(Sign::Star | Sign::Open | Sign::At) => true,
            _ => false,
        }
    }

    /// A name that is followed by a cell, as in `ends.4:4 = fresh fd`.
    fn begins_store(&self) -> bool {
        matches!(
            self.tokens.get(self.at + 1).map(|token| token.kind),
            Some(TokenKind::Sign(Sign::Dot | Sign::Colon | Sign::Is))
        )
    }

    fn effects(&mut self, scope: &Scope<'t>, draft: &mut Draft<'t>) -> Parsed<()> {
        loop {
            self.effect(scope, draft)?;
            if !self.take(Sign::Comma) {
                return Ok(());
            }
        }
    }

    fn effect(&mut self, scope: &Scope<'t>, draft: &mut Draft<'t>) -> Parsed<()> {
        let effect = if self.take_word("releases") {
            let value = self.path(scope, draft)?;
            let kind = if self.take_word("as") { self.kind()? } else { KindId::HEAP };
            Effect::Release { value, kind }
        } else if self.take_word("keeps") {
            let value = self.path(scope, draft)?;
            let reason = if self.take_word("assuming") {
                let TokenKind::Quoted(function) = self.token().kind else {
                    return Err(self.expected("the name of a function in quotation marks"));
                };
                self.at += 1;
                KeepReason::Assumed { function: function.into() }
            } else {
                KeepReason::Stored
            };
            Effect::Keep { value, reason }
        } else if self.take_word("modifies") {
            Effect::Clobber { place: self.path(scope, draft)? }
        } else if self.take_word("copies") {
            let from = self.path(scope, draft)?;
            self.expect_word("to")?;
            let to = self.path(scope, draft)?;
            Effect::Copy { to, from }
        } else if self.take_word("calls") {
            let function = self.path(scope, draft)?;
            let mut arguments = Vec::new();
            self.expect(Sign::Open)?;
            while !self.take(Sign::Close) {
                if !arguments.is_empty() {
                    self.expect(Sign::Comma)?;
                }
                arguments.push(self.value(scope, draft)?);
            }
            Effect::Calls { function, arguments }
        } else if self.word_is("fresh") || self.word_is("zeroed") {
            // An object that nothing the caller sees leads to.
            self.value(scope, draft)?;
            return Ok(());
        } else if self.begins_effect() {
            return self.store(scope, draft);
        } else {
            return Err(self.unknown_word(EFFECTS, "an effect"));
        };
        draft.effects.push(effect);
        Ok(())
    }

    fn store(&mut self, scope: &Scope<'t>, draft: &mut Draft<'t>) -> Parsed<()> {
        let token = self.token();
        let place = self.path(scope, draft)?;
        if place.steps.is_empty() {
            let message = "a store needs a cell, as in `*out = ...` or `out.8 = ...`";
            return Err(self.tell(token, message));
        }
        self.expect(Sign::Is)?;
        self.store_value(place, scope, draft)
    }

    /// The store comes before those inside the object stored, as a reader sees them.
    pub(crate) fn store_value(
        &mut self,
        place: Path,
        scope: &Scope<'t>,
        draft: &mut Draft<'t>,
    ) -> Parsed<()> {
        let index = draft.effects.len();
        draft.effects.push(Effect::Store { place, value: Value::Any });
        let new = self.value(scope, draft)?;
        if let Effect::Store { value, .. } = &mut draft.effects[index] {
            *value = new;
        }
        Ok(())
    }

    /// A kind that is used; whether it exists is known when the file meets the others.
    pub(crate) fn kind(&mut self) -> Parsed<KindId> {
        let token = self.token();
        let name = self.name("the name of a kind")?;
        if let Some(&id) = self.kind_names.get(name) {
            return Ok(id);
        }
        let place = self.source.error(token.start, token.end, format!("there is no kind called `{name}`"));
        let kind = Kind { name: name.into(), noun: name.into(), releaser: None, number: None, memory: false };
        let id = self.declare(name, kind)?;
        self.uses.push(KindUse { kind: id, place });
        Ok(id)
    }

    fn declare(&mut self, name: &'t str, kind: Kind) -> Parsed<KindId> {
        if self.kinds.count() >= MOST_KINDS {
            return Err(self.expected(&format!("at most {MOST_KINDS} kinds")));
        }
        let id = self.kinds.declare(kind);
        self.kind_names.insert(name, id);
        Ok(id)
    }

    // Tokens.

    pub(crate) fn token(&self) -> Token<'t> {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    /// The token so many places further on.
    pub(crate) fn peek(&self, ahead: usize) -> Token<'t> {
        self.tokens[self.at.saturating_add(ahead).min(self.tokens.len() - 1)]
    }

    pub(crate) fn advance(&mut self) {
        self.at += 1;
    }

    fn next_is_sign(&self, sign: Sign) -> bool {
        self.tokens.get(self.at + 1).is_some_and(|token| token.kind == TokenKind::Sign(sign))
    }

    pub(crate) fn word_is(&self, word: &str) -> bool {
        self.token().kind == TokenKind::Name(word)
    }

    /// Takes a word of the language, unless an entry begins with it.
    pub(crate) fn take_word(&mut self, word: &str) -> bool {
        let taken = self.word_is(word) && !self.token().first;
        self.at += usize::from(taken);
        taken
    }

    pub(crate) fn take(&mut self, sign: Sign) -> bool {
        let taken = self.token().kind == TokenKind::Sign(sign);
        self.at += usize::from(taken);
        taken
    }

    pub(crate) fn expect(&mut self, sign: Sign) -> Parsed<()> {
        if self.take(sign) { Ok(()) } else { Err(self.expected(&format!("`{}`", sign.text()))) }
    }

    pub(crate) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.take_word(word) { Ok(()) } else { Err(self.unknown_word(&[word], &format!("`{word}`"))) }
    }

    pub(crate) fn name(&mut self, what: &str) -> Parsed<&'t str> {
        match self.token().kind {
            TokenKind::Name(name) => {
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.expected(what)),
        }
    }

    pub(crate) fn number(&mut self) -> Parsed<u64> {
        match self.token().kind {
            TokenKind::Number(number) => {
                self.at += 1;
                Ok(number)
            }
            _ => Err(self.expected("a number")),
        }
    }

    pub(crate) fn signed_number(&mut self) -> Parsed<i64> {
        let token = self.token();
        let negative = self.take(Sign::Minus);
        let magnitude = self.number()?;
        let number =
            if negative { 0i64.checked_sub_unsigned(magnitude) } else { i64::try_from(magnitude).ok() };
        number.ok_or_else(|| self.tell(token, "this number does not fit into 64 bits with a sign"))
    }

    // Errors.

    pub(crate) fn tell(&mut self, token: Token<'t>, message: impl Into<Box<str>>) -> Told {
        self.errors.push(self.source.error(token.start, token.end, message));
        Told
    }

    pub(crate) fn expected(&mut self, what: &str) -> Told {
        let token = self.token();
        let found = match token.kind {
            TokenKind::End => "the file ends here".into(),
            TokenKind::Name(name) => format!("found `{name}`"),
            TokenKind::Number(number) => format!("found `{number}`"),
            TokenKind::Quoted(_) => "found a quotation".into(),
            TokenKind::Sign(sign) => format!("found `{}`", sign.text()),
        };
        self.tell(token, format!("expected {what}, {found}"))
    }

    /// A word that is none of those that can stand here.
    pub(crate) fn unknown_word(&mut self, words: &[&str], what: &str) -> Told {
        let token = self.token();
        let TokenKind::Name(name) = token.kind else { return self.expected(what) };
        match nearest(name, words.iter().copied()) {
            Some(word) if word != name => {
                self.tell(token, format!("unknown word `{name}`, did you mean `{word}`?"))
            }
            _ => self.expected(what),
        }
    }
}

fn outcome(result: Value, draft: Draft<'_>) -> Outcome {
    Outcome { when: When::always(), result, fresh: draft.fresh, effects: draft.effects }
}

/// The root that a name or a number stands for.
impl<'t> Scope<'t> {
    pub(crate) fn rest(&self) -> Root {
        Root::Rest(self.parameters.len() as u32)
    }
}
