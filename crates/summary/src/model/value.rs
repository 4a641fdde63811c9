//! Paths and values in model files.
//!
//! ```text
//! path   = { "*" } start { "." offset } [ ":" bytes ]        offset = number | "?"
//! start  = parameter | fresh name | "@" number | "..." | "(" path ")"
//! value  = [ "zeroed" ] "fresh" kind [ "by" function ] [ "as" name ] [ "{" { "." offset "=" value } "}" ]
//!        | "null" | number | relation number | "any" | "inside" path
//!        | ( "borrowed" | "owned by" path ) [ "or null" ]
//!        | path [ "+" number ]
//! ```
//!
//! A `*` counts for less than a cell, as in C: `*p.8` is what the cell `p.8` points to, `(*p).8` is a cell of
//! what `p` points to.

use super::cursor::Parsed;
use super::error::nearest;
use super::lex::{Sign, TokenKind};
use super::parse::{DEEPEST, Draft, Parser, Scope};
use crate::effect::{Fresh, Relation, Value};
use crate::path::{Path, Root, Step};

impl<'t> Parser<'t> {
    pub(crate) fn path(&mut self, scope: &Scope<'t>, draft: &Draft<'t>) -> Parsed<Path> {
        let mut stars = 0;
        while self.cursor.take(Sign::Star) {
            stars += 1;
        }
        let mut path = self.start(scope, draft)?;
        loop {
            let token = self.cursor.token();
            if !self.cursor.take(Sign::Dot) {
                break;
            }
            if matches!(path.steps.last(), Some(Step::Number { .. })) {
                return Err(self.cursor.tell(token, "a number has no cells"));
            }
            path.steps.push(self.cell()?);
        }
        for _ in 0..stars {
            path.steps.push(Step::At(0));
        }
        let token = self.cursor.token();
        if matches!(self.token_after_colon(), Some(TokenKind::Number(_))) {
            self.cursor.advance();
            let bytes = self.cursor.number()?;
            let Some(Step::At(offset)) = path.steps.last().copied() else {
                return Err(self.cursor.tell(token, "only a cell at a known offset can have a size"));
            };
            if !matches!(bytes, 1..=16) {
                return Err(self.cursor.tell(token, "a number has 1 to 16 bytes"));
            }
            path.steps.pop();
            path.steps.push(Step::Number { offset, bytes: bytes as u32 });
        }
        Ok(path)
    }

    fn token_after_colon(&self) -> Option<TokenKind<'t>> {
        (self.cursor.token().kind == TokenKind::Sign(Sign::Colon)).then(|| self.cursor.peek(1).kind)
    }

    fn cell(&mut self) -> Parsed<Step> {
        if self.cursor.take(Sign::Question) {
            Ok(Step::Somewhere)
        } else {
            Ok(Step::At(self.cursor.signed_number()?))
        }
    }

    fn start(&mut self, scope: &Scope<'t>, draft: &Draft<'t>) -> Parsed<Path> {
        let token = self.cursor.token();
        match token.kind {
            TokenKind::Sign(Sign::Open) => {
                self.cursor.advance();
                if self.depth >= DEEPEST {
                    return Err(self.cursor.tell(token, "too many parentheses"));
                }
                self.depth += 1;
                let path = self.path(scope, draft);
                self.depth -= 1;
                let path = path?;
                self.cursor.expect(Sign::Close)?;
                Ok(path)
            }
            TokenKind::Sign(Sign::Dots) if scope.variadic => {
                self.cursor.advance();
                Ok(Path::root(scope.rest()))
            }
            TokenKind::Sign(Sign::Dots) => {
                Err(self.cursor.tell(token, "the function has no variable arguments"))
            }
            TokenKind::Sign(Sign::At) => {
                self.cursor.advance();
                let token = self.cursor.token();
                let number = self.cursor.number()?;
                let known = scope.parameters.len() as u64;
                match number.checked_sub(1) {
                    Some(index) if index < known || scope.numbered && index < 256 => {
                        Ok(Path::param(index as u32))
                    }
                    _ => Err(self
                        .cursor
                        .tell(token, format!("there is no argument {number}; the first is @1"))),
                }
            }
            TokenKind::Name(name) if !self.cursor.at_next_entry() => {
                if let Some(index) = scope.parameters.iter().position(|&known| known == name) {
                    self.cursor.advance();
                    return Ok(Path::param(index as u32));
                }
                if let Some(entry) = draft.names.iter().find(|entry| entry.0 == name) {
                    self.cursor.advance();
                    return Ok(Path::root(Root::Fresh(entry.1)));
                }
                let known = scope.parameters.iter().copied().chain(draft.names.iter().map(|entry| entry.0));
                let message = match nearest(name, known) {
                    Some(word) => format!("there is no parameter `{name}`, did you mean `{word}`?"),
                    None => format!("there is no parameter `{name}`"),
                };
                Err(self.cursor.tell(token, message))
            }
            _ => Err(self.cursor.expected("a parameter or a cell")),
        }
    }

    pub(crate) fn value(&mut self, scope: &Scope<'t>, draft: &mut Draft<'t>) -> Parsed<Value> {
        let token = self.cursor.token();
        if self.cursor.word_is("fresh") || self.cursor.word_is("zeroed") {
            return self.fresh(scope, draft);
        }
        if let Some(relation) = self.relation() {
            let number = self.cursor.signed_number()?;
            return Ok(match relation {
                Relation::Equal => Value::Number(number),
                _ => Value::Such { relation, number },
            });
        }
        if matches!(token.kind, TokenKind::Number(_) | TokenKind::Sign(Sign::Minus)) {
            return Ok(Value::Number(self.cursor.signed_number()?));
        }
        if self.cursor.take_word("null") {
            self.address = true;
            return Ok(Value::Number(0));
        }
        if self.cursor.take_word("any") {
            return Ok(Value::Any);
        }
        if self.cursor.take_word("borrowed") {
            return self.not_owned();
        }
        if self.cursor.take_word("owned") {
            // The arena answers for it. That is all a caller needs to know: which arena it was does not
            // change what the caller must do.
            self.cursor.expect_word("by")?;
            self.path(scope, draft)?;
            return self.not_owned();
        }
        if self.cursor.take_word("inside") {
            self.address = true;
            let path = self.path(scope, draft)?;
            return match path.root {
                Root::Fresh(_) => Err(self.cursor.tell(token, "`inside` is for what exists before the call")),
                Root::Rest(_) => Err(self.cursor.tell(token, "one of the variable arguments has no name")),
                _ => Ok(Value::Inside(path)),
            };
        }
        if let TokenKind::Name(name) = token.kind
            && !scope.parameters.contains(&name)
            && !draft.names.iter().any(|entry| entry.0 == name)
            && !self.cursor.at_next_entry()
        {
            let words = ["fresh", "zeroed", "null", "any", "borrowed", "owned", "inside"];
            let known = scope.parameters.iter().copied().chain(words);
            let message = match nearest(name, known) {
                Some(word) => format!("unknown word `{name}`, did you mean `{word}`?"),
                None => format!("`{name}` is neither a value nor a parameter"),
            };
            return Err(self.cursor.tell(token, message));
        }
        let path = self.path(scope, draft)?;
        let plus = self.plus()?;
        match path.root {
            Root::Fresh(index) if path.steps.is_empty() => Ok(Value::Fresh { index, plus }),
            Root::Fresh(_) => Err(self.cursor.tell(token, "a fresh object has no cells that could be read")),
            Root::Rest(_) => Err(self.cursor.tell(token, "one of the variable arguments has no name")),
            _ => Ok(Value::Entry { path, plus }),
        }
    }

    /// An address that the caller does not own, after the words that say so: `or null` may follow.
    fn not_owned(&mut self) -> Parsed<Value> {
        self.address = true;
        if self.cursor.take_word("or") {
            self.cursor.expect_word("null")?;
            return Ok(Value::Any);
        }
        Ok(Value::Such { relation: Relation::NotEqual, number: 0 })
    }

    /// Bytes to go on from an address: `+ 8`, `- 8` or nothing.
    pub(crate) fn plus(&mut self) -> Parsed<i64> {
        let more = self.cursor.take(Sign::Plus) || self.cursor.token().kind == TokenKind::Sign(Sign::Minus);
        if more { self.cursor.signed_number() } else { Ok(0) }
    }

    fn fresh(&mut self, scope: &Scope<'t>, draft: &mut Draft<'t>) -> Parsed<Value> {
        let start = self.cursor.token();
        let zeroed = self.cursor.take_word("zeroed");
        self.cursor.expect_word("fresh")?;
        let kind = self.kind()?;
        let by = if self.cursor.take_word("by") {
            Some(self.cursor.name("the name of a function")?.into())
        } else {
            None
        };
        let index = draft.fresh.len() as u32;
        draft.fresh.push(Fresh { kind, zeroed, by, trail: Vec::new(), blank: false });
        if self.cursor.take_word("as") {
            let token = self.cursor.token();
            let name = self.cursor.name("a name for the fresh object")?;
            let taken = scope.parameters.contains(&name) || draft.names.iter().any(|entry| entry.0 == name);
            if taken {
                return Err(self.cursor.tell(token, format!("`{name}` means something else already")));
            }
            draft.names.push((name, index));
        }
        if self.contents_follow() {
            self.cursor.advance();
            if self.depth >= DEEPEST {
                return Err(self.cursor.tell(start, "too many objects inside each other"));
            }
            self.depth += 1;
            let contents = self.contents(index, scope, draft);
            self.depth -= 1;
            contents?;
        }
        let plus = self.plus()?;
        self.address = !self.is_number_kind(kind);
        Ok(Value::Fresh { index, plus })
    }

    /// A brace with cells, and not the one around the cases of an entry.
    fn contents_follow(&self) -> bool {
        self.cursor.token().kind == TokenKind::Sign(Sign::Begin)
            && self.cursor.peek(1).kind == TokenKind::Sign(Sign::Dot)
    }

    /// `{ .8 = fresh heap, .16:4 = 0 }`
    fn contents(&mut self, index: u32, scope: &Scope<'t>, draft: &mut Draft<'t>) -> Parsed<()> {
        loop {
            self.cursor.expect(Sign::Dot)?;
            let mut step = self.cell()?;
            let token = self.cursor.token();
            if self.cursor.take(Sign::Colon) {
                let bytes = self.cursor.number()?;
                step = match step {
                    Step::At(offset) if matches!(bytes, 1..=16) => {
                        Step::Number { offset, bytes: bytes as u32 }
                    }
                    _ => {
                        return Err(self.cursor.tell(token, "a number has a known offset and 1 to 16 bytes"));
                    }
                };
            }
            self.cursor.expect(Sign::Is)?;
            self.store_value(Path::root(Root::Fresh(index)).then(step), scope, draft)?;
            if self.cursor.take(Sign::Finish) {
                return Ok(());
            }
            self.cursor.expect(Sign::Comma)?;
        }
    }

    pub(crate) fn relation(&mut self) -> Option<Relation> {
        let TokenKind::Sign(sign) = self.cursor.token().kind else { return None };
        let relation = match sign {
            Sign::Same => Relation::Equal,
            Sign::NotSame => Relation::NotEqual,
            Sign::Less => Relation::Less,
            Sign::LessSame => Relation::LessEqual,
            Sign::Greater => Relation::Greater,
            Sign::GreaterSame => Relation::GreaterEqual,
            Sign::UnsignedLess => Relation::UnsignedLess,
            Sign::UnsignedLessSame => Relation::UnsignedLessEqual,
            Sign::UnsignedGreater => Relation::UnsignedGreater,
            Sign::UnsignedGreaterSame => Relation::UnsignedGreaterEqual,
            _ => return None,
        };
        self.cursor.advance();
        Some(relation)
    }
}
