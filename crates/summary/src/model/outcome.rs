//! What stands behind a signature: cases, outcomes and effects.

use super::condition::{Case, otherwise};
use super::cursor::Parsed;
use super::lex::{Sign, TokenKind};
use super::parse::{Draft, EFFECTS, Parser, RESERVED, Scope, outcome};
use crate::effect::{Completeness, Effect, KeepReason, Outcome, Span, Summary, Value, Way, When};
use crate::kind::KindId;
use crate::path::Path;

impl<'t> Parser<'t> {
    /// Effects of every outcome, then the outcomes.
    pub(crate) fn body(&mut self, scope: &Scope<'t>) -> Parsed<Summary> {
        let mut completeness = Completeness::Whole;
        let mut shared = Draft::default();
        let mut outcomes = Vec::new();
        // Most functions only borrow: nothing follows the signature.
        if self.cursor.token().first
            && matches!(self.cursor.token().kind, TokenKind::Name(_) | TokenKind::End)
        {
            outcomes.push(outcome(Value::Any, shared));
            return Ok(Summary::new(outcomes, completeness));
        }
        if self.cursor.take_word("incomplete") {
            completeness = Completeness::Partial;
        }
        if self.takes_noreturn() {
            return Ok(Summary::new(outcomes, completeness));
        }
        if !self.cursor.token().first && self.begins_effect() {
            self.effects(scope, &mut shared)?;
        }
        if self.cursor.take(Sign::Begin) {
            self.cases(scope, &shared, &mut outcomes)?;
        } else if matches!(self.cursor.token().kind, TokenKind::Sign(Sign::Arrow | Sign::Bar)) {
            self.alternatives(scope, &shared, &When::always(), &mut outcomes)?;
        } else {
            outcomes.push(outcome(Value::Any, shared));
        }
        Ok(Summary::new(outcomes, completeness))
    }

    /// A call that does not come back; `exits` when it ends the process.
    fn takes_noreturn(&mut self) -> bool {
        let exits = self.cursor.take_word("exits");
        self.exits |= exits;
        exits || self.cursor.take_word("noreturn")
    }

    /// What stands in braces.
    pub(crate) fn cases(
        &mut self,
        scope: &Scope<'t>,
        shared: &Draft<'t>,
        outcomes: &mut Vec<Outcome>,
    ) -> Parsed<()> {
        let mut before: Vec<When> = Vec::new();
        let opening = self.cursor.token();
        let mut labelled = false;
        self.cursor.braces += 1;
        while !self.cursor.take(Sign::Finish) {
            let token = self.cursor.token();
            let plain = !["when", "otherwise", "always"].iter().any(|word| self.cursor.word_is(word));
            if plain && labelled && token.kind != TokenKind::End {
                return Err(self
                    .cursor
                    .unknown_word(&["when", "otherwise", "always"], "`when`, `otherwise` or `}`"));
            }
            labelled |= !plain;
            let when = if self.cursor.take_word("when") {
                let when = self.condition(scope)?;
                self.cursor.expect(Sign::Colon)?;
                before.push(when.clone());
                when
            } else if self.cursor.take_word("otherwise") {
                self.cursor.expect(Sign::Colon)?;
                match otherwise(&before) {
                    Case::Possible(when) => when,
                    Case::Never => {
                        return Err(self
                            .cursor
                            .tell(token, "the cases before leave nothing for `otherwise`"));
                    }
                    Case::TooMany => {
                        return Err(self
                            .cursor
                            .tell(token, "too many combinations: write the condition out with `when`"));
                    }
                }
            } else if self.cursor.take_word("always") {
                self.cursor.expect(Sign::Colon)?;
                When::always()
            } else if token.kind == TokenKind::End {
                return Err(self.cursor.tell(opening, "the `{` before this has no `}`"));
            } else {
                When::always()
            };
            self.alternatives(scope, shared, &when, outcomes)?;
        }
        self.cursor.braces -= 1;
        Ok(())
    }

    /// Outcomes under one condition, separated by `|` or each with its own arrow.
    pub(crate) fn alternatives(
        &mut self,
        scope: &Scope<'t>,
        shared: &Draft<'t>,
        when: &When,
        outcomes: &mut Vec<Outcome>,
    ) -> Parsed<()> {
        let mut after_bar = self.cursor.take(Sign::Bar);
        loop {
            let mut draft = shared.clone();
            let mut result = Value::Any;
            if self.takes_noreturn() {
                // Nothing to add: a call that meets the condition does not come back.
            } else {
                if self.cursor.take_word("nothing") {
                    // Only what every outcome does.
                } else if self.cursor.take(Sign::Arrow) || after_bar && !self.is_effect_word() {
                    self.address = false;
                    result = self.value(scope, &mut draft)?;
                    self.returns_address |= self.address;
                    if self.cursor.take(Sign::Comma) {
                        self.effects(scope, &mut draft)?;
                    }
                } else if self.begins_effect() {
                    self.effects(scope, &mut draft)?;
                } else {
                    return Err(self.cursor.unknown_word(
                        RESERVED,
                        "an outcome: `->`, an effect, `nothing`, `noreturn` or `exits`",
                    ));
                }
                let mut outcome = outcome(result, draft);
                outcome.when = when.clone();
                outcomes.push(outcome);
            }
            after_bar = self.cursor.take(Sign::Bar);
            if !after_bar && self.cursor.token().kind != TokenKind::Sign(Sign::Arrow) {
                return Ok(());
            }
        }
    }

    /// After a bar a value needs no arrow, so there only these words begin an effect.
    pub(crate) fn is_effect_word(&self) -> bool {
        ["releases", "keeps", "modifies", "copies", "calls", "jumps", "seldom"]
            .iter()
            .any(|word| self.cursor.word_is(word))
    }

    pub(crate) fn begins_effect(&self) -> bool {
        match self.cursor.token().kind {
            TokenKind::Name(name) => {
                EFFECTS.contains(&name) || !RESERVED.contains(&name) && self.begins_store()
            }
            TokenKind::Sign(Sign::Star | Sign::Open | Sign::At) => true,
            _ => false,
        }
    }

    /// A name that is followed by a cell, as in `ends.4:4 = fresh fd`.
    pub(crate) fn begins_store(&self) -> bool {
        matches!(
            self.cursor.tokens.get(self.cursor.at + 1).map(|token| token.kind),
            Some(TokenKind::Sign(Sign::Dot | Sign::Colon | Sign::Is))
        )
    }

    pub(crate) fn effects(&mut self, scope: &Scope<'t>, draft: &mut Draft<'t>) -> Parsed<()> {
        loop {
            self.effect(scope, draft)?;
            if !self.cursor.take(Sign::Comma) {
                return Ok(());
            }
        }
    }

    pub(crate) fn effect(&mut self, scope: &Scope<'t>, draft: &mut Draft<'t>) -> Parsed<()> {
        let effect = if self.cursor.take_word("releases") {
            let value = self.path(scope, draft)?;
            let kind = if self.cursor.take_word("as") { self.kind()? } else { KindId::HEAP };
            let certain = !self.cursor.take_word("sometimes");
            Effect::Release { value, kind, certain }
        } else if self.cursor.take_word("keeps") {
            let value = self.path(scope, draft)?;
            let reason = if self.cursor.take_word("assuming") {
                let TokenKind::Quoted(function) = self.cursor.token().kind else {
                    return Err(self.cursor.expected("the name of a function in quotation marks"));
                };
                self.cursor.at += 1;
                KeepReason::Assumed { function: function.into() }
            } else if self.cursor.take_word("shared") {
                KeepReason::Shared
            } else {
                KeepReason::Stored
            };
            Effect::Keep { value, reason }
        } else if self.cursor.take_word("modifies") {
            Effect::Clobber { place: self.path(scope, draft)? }
        } else if self.cursor.take_word("copies") {
            let from = self.path(scope, draft)?;
            let start = self.plus()?;
            self.cursor.expect_word("to")?;
            let to = self.path(scope, draft)?;
            Effect::Copy { to, span: self.span()?, from, start }
        } else if self.cursor.take_word("zeroes") {
            let place = self.path(scope, draft)?;
            Effect::Zero { place, span: self.span()? }
        } else if self.cursor.take_word("calls") {
            let function = self.path(scope, draft)?;
            let mut arguments = Vec::new();
            self.cursor.expect(Sign::Open)?;
            while !self.cursor.take(Sign::Close) {
                if !arguments.is_empty() {
                    self.cursor.expect(Sign::Comma)?;
                }
                arguments.push(self.value(scope, draft)?);
            }
            Effect::Calls { function, arguments, states: Vec::new() }
        } else if self.cursor.take_word("seldom") {
            draft.way = Way::Seldom;
            return Ok(());
        } else if self.cursor.take_word("jumps") {
            draft.way = Way::Jumps;
            return Ok(());
        } else if self.cursor.word_is("fresh") || self.cursor.word_is("zeroed") {
            // An object that nothing the caller sees leads to.
            self.value(scope, draft)?;
            return Ok(());
        } else if self.begins_effect() {
            return self.store(scope, draft);
        } else {
            return Err(self.cursor.unknown_word(EFFECTS, "an effect"));
        };
        draft.effects.push(effect);
        Ok(())
    }

    /// Where a span begins and how long it is, behind the path of its object.
    fn span(&mut self) -> Parsed<Span> {
        let offset = self.plus()?;
        let bytes = if self.cursor.take_word("for") { Some(self.cursor.number()?) } else { None };
        Ok(Span { offset, bytes })
    }

    pub(crate) fn store(&mut self, scope: &Scope<'t>, draft: &mut Draft<'t>) -> Parsed<()> {
        let token = self.cursor.token();
        let place = self.path(scope, draft)?;
        if place.steps.is_empty() {
            let message = "a store needs a cell, as in `*out = ...` or `out.8 = ...`";
            return Err(self.cursor.tell(token, message));
        }
        self.cursor.expect(Sign::Is)?;
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
}
