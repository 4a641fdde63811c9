//! Parsing a property file.
//!
//! Input: a text. Output: a [`Property`], or all that is wrong with it, with line and caret. Tokens and errors are those
//! of the model language. After an error the parser goes on at the next entry, which begins in the first column.

use super::{End, Event, From, Mistake, Move, Property, Requirement, StateName, To};
use crate::effect::{Relation, Test, When};
use crate::model::error::{ModelError, Source, nearest};
use crate::model::lex::{Sign, Token, TokenKind, tokens};
use crate::path::{Path, Root, Step};

/// A file with more errors than this is probably no property file.
const MOST_ERRORS: usize = 50;
/// More states than this are refused: they are small numbers.
const MOST_STATES: usize = 32;
/// Words that begin an entry.
const ENTRIES: &[&str] = &["states", "error", "at", "only"];

/// An error that has been told already.
struct Told;
type Parsed<T> = Result<T, Told>;

/// Reads a property file.
pub fn parse(file_name: &str, text: &str) -> Result<Property, Vec<ModelError>> {
    let source = Source { name: file_name, text };
    let mut errors = Vec::new();
    let tokens = tokens(source, &mut errors);
    let mut parser = Parser {
        source,
        tokens,
        at: 0,
        errors,
        property: Property {
            name: "".into(),
            noun: "".into(),
            states: Vec::new(),
            errors: Vec::new(),
            ends: Vec::new(),
            events: Vec::new(),
            only_with: Vec::new(),
            quiet: false,
        },
        parameters: Vec::new(),
        braces: 0,
    };
    parser.file();
    if parser.errors.is_empty() {
        return Ok(parser.property);
    }
    parser.errors.sort_by_key(|error| (error.line, error.column));
    parser.errors.truncate(MOST_ERRORS);
    Err(parser.errors)
}

struct Parser<'t> {
    source: Source<'t>,
    tokens: Vec<Token<'t>>,
    at: usize,
    errors: Vec<ModelError>,
    property: Property,
    /// The names of the parameters of the function being described.
    parameters: Vec<&'t str>,
    braces: u32,
}

impl<'t> Parser<'t> {
    fn file(&mut self) {
        if self.head().is_err() {
            self.skip(0);
        }
        while self.token().kind != TokenKind::End && self.errors.len() < MOST_ERRORS {
            let start = self.at;
            self.braces = 0;
            if self.entry().is_err() {
                self.skip(start);
            }
        }
    }

    /// `property mutex "mutex"`
    fn head(&mut self) -> Parsed<()> {
        if !self.take_word("property") {
            return Err(self.expected("`property` and a name: a property file begins with them"));
        }
        self.property.name = self.hyphenated("the name of the property")?;
        self.property.noun = self.quoted("what messages call the object, in quotation marks")?;
        self.property.quiet = self.take_word("quiet");
        Ok(())
    }

    fn entry(&mut self) -> Parsed<()> {
        let token = self.token();
        if !token.first {
            return Err(self.expected("an entry, which begins in the first column"));
        }
        let function = matches!(self.peek(1).kind, TokenKind::Sign(Sign::Open | Sign::Comma));
        match token.kind {
            TokenKind::Name("states") if !function => self.states(),
            TokenKind::Name("error") if !function => self.mistake(),
            TokenKind::Name("at") if !function => self.end(),
            TokenKind::Name("only") if !function => self.only_with(),
            TokenKind::Name(_) if function => self.function(),
            TokenKind::Name(_) => Err(self.unknown_word(ENTRIES, "`states`, `error`, `at` or a function")),
            _ => Err(self.expected("`states`, `error`, `at` or a function")),
        }
    }

    /// `states unlocked, locked, counted shared`
    fn states(&mut self) -> Parsed<()> {
        self.at += 1;
        let mut next = 0i8;
        loop {
            let token = self.token();
            let counted = self.word_is("counted") && matches!(self.peek(1).kind, TokenKind::Name(_));
            self.at += usize::from(counted);
            let name = self.name("the name of a state")?;
            if self.property.states.iter().any(|state| *state.name == *name) {
                return Err(self.tell(token, format!("the state `{name}` is named twice")));
            }
            if counted && (self.property.states.is_empty() || self.property.states.iter().any(|s| s.counted))
            {
                return Err(self.tell(token, "one state can be counted, and it is not the first"));
            }
            if self.property.states.len() == MOST_STATES {
                return Err(self.tell(token, "these are too many states"));
            }
            let number = if counted { 1 } else { next };
            next -= i8::from(!counted);
            self.property.states.push(StateName { name: name.into(), number, counted });
            if !self.take(Sign::Comma) {
                return Ok(());
            }
        }
    }

    /// `error double-lock "is locked although it is locked already" cwe 764 help "..."`
    fn mistake(&mut self) -> Parsed<()> {
        self.at += 1;
        let token = self.token();
        let rule = self.hyphenated("the name of a rule")?;
        if self.property.errors.iter().any(|known| known.rule == rule) {
            return Err(self.tell(token, format!("the error `{rule}` is declared twice")));
        }
        let text = self.quoted("what is said of the object, in quotation marks")?;
        let cwe = match self.take_word("cwe") {
            true => Some(u32::try_from(self.number()?).unwrap_or(u32::MAX)),
            false => None,
        };
        let help = match self.take_word("help") {
            true => self.quoted("advice, in quotation marks")?,
            false => "".into(),
        };
        let quiet = self.take_word("quiet") || self.property.quiet;
        self.property.errors.push(Mistake { rule, text, cwe, help, quiet });
        Ok(())
    }

    /// `at return locked: error lock-leak`
    fn end(&mut self) -> Parsed<()> {
        self.at += 1;
        let at = if self.take_word("return") {
            End::Return
        } else if self.take_word("loss") {
            End::Gone
        } else if self.take_word("exit") {
            End::Exit
        } else {
            return Err(self.unknown_word(&["return", "loss", "exit"], "`return`, `loss` or `exit`"));
        };
        let mut states = Vec::new();
        loop {
            let name = self.token();
            let state = self.state()?;
            if state == Property::START && at == End::Return {
                return Err(self.tell(name, "the first state is that of an object nothing happened to"));
            }
            states.push(state);
            if !self.take_word("or") {
                break;
            }
        }
        self.expect(Sign::Colon)?;
        self.expect_word("error")?;
        let mistake = self.declared_error()?;
        self.property.ends.push(Requirement { at, states, mistake });
        Ok(())
    }

    /// `only with kmalloc, kfree`
    fn only_with(&mut self) -> Parsed<()> {
        self.at += 1;
        self.expect_word("with")?;
        loop {
            let name = self.name("the name of a function")?;
            self.property.only_with.push(name.into());
            if !self.take(Sign::Comma) {
                return Ok(());
            }
        }
    }

    /// `spin_lock, my_lock(lock) ...`
    fn function(&mut self) -> Parsed<()> {
        let mut names = vec![(self.token(), self.name("the name of a function")?)];
        while self.take(Sign::Comma) {
            names.push((self.token(), self.name("the name of a function")?));
        }
        self.expect(Sign::Open)?;
        self.parameters.clear();
        while !self.take(Sign::Close) {
            if !self.parameters.is_empty() {
                self.expect(Sign::Comma)?;
            }
            if self.take(Sign::Dots) {
                self.expect(Sign::Close)?;
                break;
            }
            let token = self.token();
            let name = self.name("the name of a parameter")?;
            if matches!(name, "result" | "process" | "any") || self.parameters.contains(&name) {
                return Err(self.tell(token, format!("no parameter can be called `{name}` here")));
            }
            self.parameters.push(name);
        }
        let mut events = Vec::new();
        if self.take(Sign::Begin) {
            self.braces = 1;
            let mut before: Vec<When> = Vec::new();
            while !self.take(Sign::Finish) {
                let when = self.case(&mut before)?;
                events.push(self.event(when)?);
            }
            self.braces = 0;
        } else {
            events.push(self.event(When::always())?);
        }
        for (token, name) in names {
            if self.property.events.iter().any(|known| *known.0 == *name) {
                return Err(self.tell(token, format!("`{name}` is described twice")));
            }
            self.property.events.push((name.into(), events.clone()));
        }
        Ok(())
    }

    /// `when result == 0:` or `otherwise:`, or nothing.
    fn case(&mut self, before: &mut Vec<When>) -> Parsed<When> {
        let token = self.token();
        let when = if self.take_word("when") {
            let when = self.condition()?;
            before.push(when.clone());
            when
        } else if self.take_word("otherwise") {
            match crate::model::condition::otherwise(before) {
                crate::model::condition::Case::Possible(when) => when,
                _ => return Err(self.tell(token, "nothing is left for `otherwise`")),
            }
        } else {
            return Ok(When::always());
        };
        self.expect(Sign::Colon)?;
        Ok(when)
    }

    fn condition(&mut self) -> Parsed<When> {
        let mut any = Vec::new();
        loop {
            let mut all = vec![self.test()?];
            while self.take_word("and") {
                all.push(self.test()?);
            }
            any.push(all);
            if !self.take_word("or") {
                return Ok(When::any(any));
            }
        }
    }

    fn test(&mut self) -> Parsed<Test> {
        let negated = self.take_word("not");
        let group = self.take(Sign::Open);
        let value = self.path(Cells::Numbers)?;
        let mask = if self.take(Sign::And) { Some(self.number()?) } else { None };
        if group {
            self.expect(Sign::Close)?;
        }
        let relation = match self.token().kind {
            TokenKind::Sign(Sign::Same) => Some(Relation::Equal),
            TokenKind::Sign(Sign::NotSame) => Some(Relation::NotEqual),
            TokenKind::Sign(Sign::Less) => Some(Relation::Less),
            TokenKind::Sign(Sign::LessSame) => Some(Relation::LessEqual),
            TokenKind::Sign(Sign::Greater) => Some(Relation::Greater),
            TokenKind::Sign(Sign::GreaterSame) => Some(Relation::GreaterEqual),
            _ => None,
        };
        let (relation, number) = match relation {
            Some(relation) => {
                self.at += 1;
                (relation, if self.take_word("null") { 0 } else { self.signed()? })
            }
            None => (Relation::NotEqual, 0),
        };
        let relation = if negated { crate::model::condition::opposite(relation) } else { relation };
        Ok(Test { value, mask, relation, number })
    }

    /// `on lock: unlocked -> locked, locked -> error double-lock`
    fn event(&mut self, when: When) -> Parsed<Event> {
        let on = if self.take_word("on") {
            let on = self.path(Cells::Addresses)?;
            self.expect(Sign::Colon)?;
            on
        } else if self.parameters.is_empty() {
            return Err(self.expected("`on` and what the state belongs to: there is no first parameter"));
        } else {
            Path::param(0)
        };
        if self.take_word("nothing") {
            return Ok(Event { when, on, moves: Vec::new() });
        }
        let mut moves = vec![self.one_move()?];
        while self.take(Sign::Comma) {
            moves.push(self.one_move()?);
        }
        Ok(Event { when, on, moves })
    }

    fn one_move(&mut self) -> Parsed<Move> {
        let mut from = Vec::new();
        loop {
            from.push(match self.take_word("any") {
                true => From::Any,
                false => match self.state()? {
                    1.. => From::Counted,
                    state => From::State(state),
                },
            });
            if !self.take_word("or") {
                break;
            }
        }
        self.expect(Sign::Arrow)?;
        let to = if self.take_word("error") {
            To::Error(self.declared_error()?)
        } else if self.take_word("never") {
            To::Never
        } else if self.take_word("unknown") {
            To::Unknown
        } else if self.take_word("same") {
            To::Same
        } else {
            let token = self.token();
            let state = self.state()?;
            let minus = self.token().kind == TokenKind::Sign(Sign::Minus);
            if minus || self.token().kind == TokenKind::Sign(Sign::Plus) {
                self.at += 1;
                let by = self.token();
                let number = i8::try_from(self.number()?).ok().filter(|number| *number <= 8);
                let Some(number) = number else { return Err(self.tell(by, "this is too much at once")) };
                if state <= 0 {
                    return Err(self.tell(token, "this state is not counted"));
                }
                To::Plus(if minus { -number } else { number })
            } else {
                To::State(state)
            }
        };
        Ok(Move { from, to })
    }

    /// The number of a state that is named here.
    fn state(&mut self) -> Parsed<i8> {
        let token = self.token();
        let name = self.name("the name of a state")?;
        if let Some(state) = self.property.states.iter().find(|state| *state.name == *name) {
            return Ok(state.number);
        }
        let known: Vec<String> = self.property.states.iter().map(|state| state.name.to_string()).collect();
        let message = match nearest(name, known.iter().map(|known| &**known)) {
            Some(near) => format!("there is no state `{name}`, did you mean `{near}`?"),
            None => format!("there is no state `{name}`; states are declared with `states`"),
        };
        Err(self.tell(token, message))
    }

    fn declared_error(&mut self) -> Parsed<usize> {
        let token = self.token();
        let rule = self.hyphenated("the name of an error")?;
        if let Some(index) = self.property.errors.iter().position(|known| known.rule == rule) {
            return Ok(index);
        }
        let known: Vec<String> = self.property.errors.iter().map(|known| known.rule.to_string()).collect();
        let message = match nearest(&rule, known.iter().map(|known| &**known)) {
            Some(near) => format!("there is no error `{rule}`, did you mean `{near}`?"),
            None => format!("there is no error `{rule}`; errors are declared with `error {rule} \"...\"`"),
        };
        Err(self.tell(token, message))
    }

    /// `lock`, `result`, `process`, `*thread`, `queue.8`
    fn path(&mut self, cells: Cells) -> Parsed<Path> {
        let mut stars = 0;
        while self.take(Sign::Star) {
            stars += 1;
        }
        let token = self.token();
        let name = self.name("a parameter, `result` or `process`")?;
        let root = match name {
            "result" => Root::Result,
            "process" => Root::Process,
            _ => match self.parameters.iter().position(|known| *known == name) {
                Some(index) => Root::Param(index as u32),
                None => {
                    let known = self.parameters.iter().copied().chain(["result", "process"]);
                    let message = match nearest(name, known) {
                        Some(near) => format!("there is no parameter `{name}`, did you mean `{near}`?"),
                        None => format!("there is no parameter `{name}`"),
                    };
                    return Err(self.tell(token, message));
                }
            },
        };
        let mut path = Path::root(root);
        while self.take(Sign::Dot) {
            path.steps.push(Step::At(self.signed()?));
        }
        path.steps.extend((0..stars).map(|_| Step::At(0)));
        if self.token().kind == TokenKind::Sign(Sign::Colon)
            && matches!(cells, Cells::Numbers)
            && matches!(self.peek(1).kind, TokenKind::Number(_))
        {
            self.at += 1;
            let bytes = self.number()?;
            if let (Some(Step::At(offset)), 1 | 2 | 4 | 8) = (path.steps.last().copied(), bytes) {
                path.steps.pop();
                path.steps.push(Step::Number { offset, bytes: bytes as u32 });
            } else {
                return Err(self.tell(token, "a number in memory has 1, 2, 4 or 8 bytes"));
            }
        }
        Ok(path)
    }
}

/// What cells a path may end in.
#[derive(Copy, Clone)]
enum Cells {
    Addresses,
    /// Also numbers, with their size.
    Numbers,
}

impl<'t> Parser<'t> {
    fn token(&self) -> Token<'t> {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn peek(&self, ahead: usize) -> Token<'t> {
        self.tokens[self.at.saturating_add(ahead).min(self.tokens.len() - 1)]
    }

    fn word_is(&self, word: &str) -> bool {
        self.token().kind == TokenKind::Name(word)
    }

    /// Whether the token here belongs to the next entry.
    fn is_next_entry(&self) -> bool {
        self.token().first && self.braces == 0 && matches!(self.token().kind, TokenKind::Name(_))
    }

    fn take_word(&mut self, word: &str) -> bool {
        let begins = word == "property" || !self.is_next_entry();
        let taken = self.word_is(word) && begins;
        self.at += usize::from(taken);
        taken
    }

    fn take(&mut self, sign: Sign) -> bool {
        let taken = self.token().kind == TokenKind::Sign(sign);
        self.at += usize::from(taken);
        taken
    }

    fn expect(&mut self, sign: Sign) -> Parsed<()> {
        if self.take(sign) { Ok(()) } else { Err(self.expected(&format!("`{}`", sign.text()))) }
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.take_word(word) { Ok(()) } else { Err(self.unknown_word(&[word], &format!("`{word}`"))) }
    }

    fn name(&mut self, what: &str) -> Parsed<&'t str> {
        match self.token().kind {
            TokenKind::Name(name) => {
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// A name of words joined by hyphens.
    fn hyphenated(&mut self, what: &str) -> Parsed<Box<str>> {
        let token = self.token();
        let mut name = self.name(what)?.to_owned();
        while self.token().kind == TokenKind::Sign(Sign::Minus) {
            self.at += 1;
            name.push('-');
            match self.token().kind {
                TokenKind::Name(word) => name.push_str(word),
                TokenKind::Number(number) => name.push_str(&number.to_string()),
                _ => return Err(self.expected("a word after the hyphen")),
            }
            self.at += 1;
        }
        if name.bytes().any(|byte| !byte.is_ascii_lowercase() && !byte.is_ascii_digit() && byte != b'-') {
            return Err(self.tell(token, "such names are lower-case words joined by hyphens"));
        }
        Ok(name.into())
    }

    fn quoted(&mut self, what: &str) -> Parsed<Box<str>> {
        match self.token().kind {
            TokenKind::Quoted(text) => {
                self.at += 1;
                Ok(text.into())
            }
            _ => Err(self.expected(what)),
        }
    }

    fn number(&mut self) -> Parsed<u64> {
        match self.token().kind {
            TokenKind::Number(number) => {
                self.at += 1;
                Ok(number)
            }
            _ => Err(self.expected("a number")),
        }
    }

    fn signed(&mut self) -> Parsed<i64> {
        let token = self.token();
        let negative = self.take(Sign::Minus);
        let magnitude = self.number()?;
        let number =
            if negative { 0i64.checked_sub_unsigned(magnitude) } else { i64::try_from(magnitude).ok() };
        number.ok_or_else(|| self.tell(token, "this number does not fit into 64 bits with a sign"))
    }

    fn tell(&mut self, token: Token<'t>, message: impl Into<Box<str>>) -> Told {
        self.errors.push(self.source.error(token.start, token.end, message));
        Told
    }

    fn expected(&mut self, what: &str) -> Told {
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

    fn unknown_word(&mut self, words: &[&str], what: &str) -> Told {
        let token = self.token();
        let TokenKind::Name(name) = token.kind else { return self.expected(what) };
        match nearest(name, words.iter().copied()) {
            Some(word) if word != name => {
                self.tell(token, format!("unknown word `{name}`, did you mean `{word}`?"))
            }
            _ => self.expected(what),
        }
    }

    /// To the next entry.
    fn skip(&mut self, start: usize) {
        self.at = self.at.max(start + 1);
        while self.token().kind != TokenKind::End {
            let token = self.token();
            if token.first && matches!(token.kind, TokenKind::Name(_)) {
                return;
            }
            self.at += 1;
        }
    }
}
