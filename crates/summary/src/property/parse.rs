//! Parsing a property file.
//!
//! Input: a text. Output: a [`Property`], or all that is wrong with it, with line and caret. Tokens and errors are those
//! of the model language. After an error the parser goes on at the next entry, which begins in the first column. States
//! and errors are read first, wherever they are declared, so that entries can stand in any order.

use super::{End, Event, From, Mistake, Move, Property, Requirement, StateName, To};
use crate::effect::{Relation, Test, When};
use crate::model::cursor::{Cursor, Parsed, Told};
use crate::model::error::{ModelError, nearest};
use crate::model::lex::{Sign, TokenKind};
use crate::path::{Path, Root, Step};

/// More states than this are refused: they are small numbers.
const MOST_STATES: usize = 32;
/// Where something can be required.
const ENDS: [&str; 5] = ["return", "failure", "loss", "exit", "annotation"];
/// Words that begin an entry.
const ENTRIES: &[&str] = &["states", "error", "at", "only", "nested"];

/// Reads a property file.
pub fn parse(file_name: &str, text: &str) -> Result<Property, Vec<ModelError>> {
    let mut parser = Parser {
        cursor: Cursor::new(file_name, text),
        property: Property {
            name: "".into(),
            noun: "".into(),
            states: Vec::new(),
            errors: Vec::new(),
            ends: Vec::new(),
            events: Vec::new(),
            only_with: Vec::new(),
            nested_by: Vec::new(),
            quiet: false,
        },
        parameters: Vec::new(),
        declared: Vec::new(),
        states_in_doubt: false,
    };
    parser.file();
    if parser.cursor.errors.is_empty() { Ok(parser.property) } else { Err(parser.cursor.complaints()) }
}

struct Parser<'t> {
    cursor: Cursor<'t>,
    property: Property,
    /// The names of the parameters of the function being described.
    parameters: Vec<&'t str>,
    /// The tokens with which entries begin that have been read already.
    declared: Vec<usize>,
    /// Something is wrong where states are declared: that one is not known says nothing then.
    states_in_doubt: bool,
}

impl<'t> Parser<'t> {
    fn file(&mut self) {
        if self.head().is_err() {
            self.skip(0);
        }
        let first = self.cursor.at;
        self.declarations();
        self.cursor.at = first;
        while self.cursor.goes_on() {
            let start = self.cursor.at;
            self.cursor.entry = start;
            self.cursor.braces = 0;
            if self.declared.contains(&start) || self.entry().is_err() {
                self.skip(start);
            }
        }
    }

    /// What is declared: states and errors.
    fn declarations(&mut self) {
        while self.cursor.goes_on() {
            let start = self.cursor.at;
            self.cursor.entry = start;
            self.cursor.braces = 0;
            let result = match self.cursor.token().kind {
                TokenKind::Name("states") if !self.begins_function() => Some(self.states()),
                TokenKind::Name("error") if !self.begins_function() => Some(self.mistake()),
                TokenKind::Name(word) if !self.begins_function() => {
                    self.states_in_doubt |= nearest(word, ["states"].into_iter()).is_some();
                    None
                }
                _ => None,
            };
            match result {
                Some(result) => {
                    self.declared.push(start);
                    let more = self.cursor.token();
                    let ended = more.first || more.kind == TokenKind::End;
                    if result.is_ok() && !ended {
                        self.states_in_doubt = true;
                        let _ = self.cursor.expected("`,` or the end of the line");
                    }
                    self.states_in_doubt |= result.is_err();
                    if !ended {
                        self.skip(start);
                    }
                }
                None => self.skip(start),
            }
        }
    }

    /// Whether the entry here describes a function.
    fn begins_function(&self) -> bool {
        self.cursor.token().first
            && matches!(self.cursor.peek(1).kind, TokenKind::Sign(Sign::Open | Sign::Comma))
            && matches!(self.cursor.token().kind, TokenKind::Name(_))
    }

    /// `property mutex "mutex"`
    fn head(&mut self) -> Parsed<()> {
        if !self.cursor.word_is("property") {
            return Err(self.cursor.expected("`property` and a name: a property file begins with them"));
        }
        self.cursor.advance();
        self.property.name = self.hyphenated("the name of the property")?;
        self.property.noun = self.cursor.quoted("what messages call the object, in quotation marks")?;
        self.property.quiet = self.cursor.take_word("quiet");
        Ok(())
    }

    fn entry(&mut self) -> Parsed<()> {
        let token = self.cursor.token();
        if !token.first {
            return Err(self.cursor.expected("an entry, which begins in the first column"));
        }
        let function = self.begins_function();
        match token.kind {
            TokenKind::Name("at") if !function => self.end(),
            TokenKind::Name("only") if !function => self.only_with(),
            TokenKind::Name("nested") if !function => self.nested_by(),
            TokenKind::Name(_) if function => self.function(),
            TokenKind::Name(_) => {
                Err(self.cursor.unknown_word(ENTRIES, "`states`, `error`, `at` or a function"))
            }
            _ => Err(self.cursor.expected("`states`, `error`, `at` or a function")),
        }
    }

    /// `states unlocked, locked, counted shared`
    fn states(&mut self) -> Parsed<()> {
        self.cursor.at += 1;
        let mut next = 0i8;
        loop {
            let token = self.cursor.token();
            let counted =
                self.cursor.word_is("counted") && matches!(self.cursor.peek(1).kind, TokenKind::Name(_));
            self.cursor.at += usize::from(counted);
            let name = self.cursor.name("the name of a state")?;
            if self.property.states.iter().any(|state| *state.name == *name) {
                return Err(self.cursor.tell(token, format!("the state `{name}` is named twice")));
            }
            if counted && (self.property.states.is_empty() || self.property.states.iter().any(|s| s.counted))
            {
                return Err(self.cursor.tell(token, "one state can be counted, and it is not the first"));
            }
            if self.property.states.len() == MOST_STATES {
                return Err(self.cursor.tell(token, "these are too many states"));
            }
            let number = if counted { 1 } else { next };
            next -= i8::from(!counted);
            self.property.states.push(StateName { name: name.into(), number, counted });
            if !self.cursor.take(Sign::Comma) {
                return Ok(());
            }
        }
    }

    /// `error double-lock "is locked although it is locked already" cwe 764 help "..."`
    fn mistake(&mut self) -> Parsed<()> {
        self.cursor.at += 1;
        let token = self.cursor.token();
        let rule = self.hyphenated("the name of a rule")?;
        if self.property.errors.iter().any(|known| known.rule == rule) {
            return Err(self.cursor.tell(token, format!("the error `{rule}` is declared twice")));
        }
        let quoted = self.cursor.token();
        let text = self.cursor.quoted("what is said of the object, in quotation marks")?;
        if let Some(blank) = unknown_blank(&text) {
            let known = "a message can have {object}, {function} and {call}";
            return Err(self.cursor.tell(quoted, format!("`{{{blank}}}` means nothing here; {known}")));
        }
        let cwe = match self.cursor.take_word("cwe") {
            true => Some(u32::try_from(self.cursor.number()?).unwrap_or(u32::MAX)),
            false => None,
        };
        let help = match self.cursor.take_word("help") {
            true => self.cursor.quoted("advice, in quotation marks")?,
            false => "".into(),
        };
        let quiet = self.cursor.take_word("quiet") || self.property.quiet;
        self.property.errors.push(Mistake { rule, text, cwe, help, quiet });
        Ok(())
    }

    /// `at return locked: error lock-leak`
    fn end(&mut self) -> Parsed<()> {
        self.cursor.at += 1;
        let at = if self.cursor.take_word("return") {
            End::Return
        } else if self.cursor.take_word("failure") {
            End::Failure
        } else if self.cursor.take_word("loss") {
            End::Gone
        } else if self.cursor.take_word("exit") {
            End::Exit
        } else if self.cursor.take_word("annotation") {
            End::Annotation
        } else {
            return Err(self
                .cursor
                .unknown_word(&ENDS, "`return`, `failure`, `loss`, `exit` or `annotation`"));
        };
        let mut states = Vec::new();
        loop {
            let name = self.cursor.token();
            let state = self.state()?;
            if state == Property::START && matches!(at, End::Return | End::Failure) {
                return Err(self
                    .cursor
                    .tell(name, "the first state is that of an object nothing happened to"));
            }
            states.push(state);
            if !self.cursor.take_word("or") {
                break;
            }
        }
        self.cursor.expect(Sign::Colon)?;
        self.cursor.expect_word("error")?;
        let mistake = self.declared_error()?;
        self.property.ends.push(Requirement { at, states, mistake });
        Ok(())
    }

    /// `only with kmalloc, kfree`
    fn only_with(&mut self) -> Parsed<()> {
        self.cursor.at += 1;
        self.cursor.expect_word("with")?;
        self.property.only_with = self.names()?;
        Ok(())
    }

    /// `nested by pthread_mutex_init`
    fn nested_by(&mut self) -> Parsed<()> {
        self.cursor.at += 1;
        self.cursor.expect_word("by")?;
        self.property.nested_by = self.names()?;
        Ok(())
    }

    /// Names of functions with commas between them.
    fn names(&mut self) -> Parsed<Vec<Box<str>>> {
        let mut names = Vec::new();
        loop {
            names.push(self.cursor.name("the name of a function")?.into());
            if !self.cursor.take(Sign::Comma) {
                return Ok(names);
            }
        }
    }

    /// `spin_lock, my_lock(lock) ...`
    fn function(&mut self) -> Parsed<()> {
        let mut names = vec![(self.cursor.token(), self.cursor.name("the name of a function")?)];
        while self.cursor.take(Sign::Comma) {
            // A long list goes on in the first column.
            self.cursor.entry = self.cursor.at;
            names.push((self.cursor.token(), self.cursor.name("the name of a function")?));
        }
        self.cursor.expect(Sign::Open)?;
        self.parameters.clear();
        while !self.cursor.take(Sign::Close) {
            if !self.parameters.is_empty() {
                self.cursor.expect(Sign::Comma)?;
            }
            if self.cursor.take(Sign::Dots) {
                self.cursor.expect(Sign::Close)?;
                break;
            }
            let token = self.cursor.token();
            let name = self.cursor.name("the name of a parameter")?;
            if matches!(name, "result" | "process" | "any") || self.parameters.contains(&name) {
                return Err(self.cursor.tell(token, format!("no parameter can be called `{name}` here")));
            }
            self.parameters.push(name);
        }
        let mut events = Vec::new();
        if self.cursor.take(Sign::Begin) {
            self.cursor.braces = 1;
            let mut before: Vec<When> = Vec::new();
            while !self.cursor.take(Sign::Finish) {
                self.missing_brace()?;
                let when = self.case(&mut before)?;
                events.push(self.event(when)?);
            }
            self.cursor.braces = 0;
        } else {
            events.push(self.event(When::always())?);
        }
        for (token, name) in names {
            if self.property.events.iter().any(|known| *known.0 == *name) {
                return Err(self.cursor.tell(token, format!("`{name}` is described twice")));
            }
            self.property.events.push((name.into(), events.clone()));
        }
        Ok(())
    }

    /// Cases end with a brace, not with the next function.
    fn missing_brace(&mut self) -> Parsed<()> {
        let token = self.cursor.token();
        let next = self.begins_function()
            || (token.first && matches!(token.kind, TokenKind::Name(word) if ENTRIES.contains(&word)));
        match next || token.kind == TokenKind::End {
            true => {
                Err(self.cursor.expected("another case, or `}` that ends the cases of the function above"))
            }
            false => Ok(()),
        }
    }

    /// `when result == 0:` or `otherwise:`, or nothing.
    fn case(&mut self, before: &mut Vec<When>) -> Parsed<When> {
        let token = self.cursor.token();
        let when = if self.cursor.take_word("when") {
            let when = self.condition()?;
            before.push(when.clone());
            when
        } else if self.cursor.take_word("otherwise") {
            match crate::model::condition::otherwise(before) {
                crate::model::condition::Case::Possible(when) => when,
                _ => return Err(self.cursor.tell(token, "nothing is left for `otherwise`")),
            }
        } else {
            return Ok(When::always());
        };
        self.cursor.expect(Sign::Colon)?;
        Ok(when)
    }

    fn condition(&mut self) -> Parsed<When> {
        let mut any = Vec::new();
        loop {
            let mut all = vec![self.test()?];
            while self.cursor.take_word("and") {
                all.push(self.test()?);
            }
            any.push(all);
            if !self.cursor.take_word("or") {
                return Ok(When::any(any));
            }
        }
    }

    fn test(&mut self) -> Parsed<Test> {
        let negated = self.cursor.take_word("not");
        let group = self.cursor.take(Sign::Open);
        let value = self.path(Cells::Numbers)?;
        let mask = if self.cursor.take(Sign::And) { Some(self.cursor.number()?) } else { None };
        if group {
            self.cursor.expect(Sign::Close)?;
        }
        let relation = match self.cursor.token().kind {
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
                self.cursor.at += 1;
                (relation, if self.cursor.take_word("null") { 0 } else { self.cursor.signed_number()? })
            }
            None => (Relation::NotEqual, 0),
        };
        let relation = if negated { crate::model::condition::opposite(relation) } else { relation };
        Ok(Test { value, mask, relation, number, other: None })
    }

    /// `on lock: unlocked -> locked, locked -> error double-lock`
    fn event(&mut self, when: When) -> Parsed<Event> {
        let on = if self.cursor.take_word("on") {
            let on = self.path(Cells::Addresses)?;
            self.cursor.expect(Sign::Colon)?;
            on
        } else if self.parameters.is_empty() {
            return Err(self
                .cursor
                .expected("`on` and what the state belongs to: there is no first parameter"));
        } else {
            Path::param(0)
        };
        if self.cursor.take_word("nothing") {
            return Ok(Event { when, on, moves: Vec::new() });
        }
        let mut moves = vec![self.one_move()?];
        while self.cursor.take(Sign::Comma) {
            moves.push(self.one_move()?);
        }
        Ok(Event { when, on, moves })
    }

    fn one_move(&mut self) -> Parsed<Move> {
        let mut from = Vec::new();
        loop {
            from.push(match self.cursor.take_word("any") {
                true => From::Any,
                false => match self.state()? {
                    1.. => From::Counted,
                    state => From::State(state),
                },
            });
            if !self.cursor.take_word("or") {
                break;
            }
        }
        self.cursor.expect(Sign::Arrow)?;
        let to = if self.cursor.take_word("error") {
            To::Error(self.declared_error()?)
        } else if self.cursor.take_word("never") {
            To::Never
        } else if self.cursor.take_word("unknown") {
            To::Unknown
        } else if self.cursor.take_word("same") {
            To::Same
        } else {
            let token = self.cursor.token();
            let state = self.state()?;
            let minus = self.cursor.token().kind == TokenKind::Sign(Sign::Minus);
            if minus || self.cursor.token().kind == TokenKind::Sign(Sign::Plus) {
                self.cursor.at += 1;
                let by = self.cursor.token();
                let number = i8::try_from(self.cursor.number()?).ok().filter(|number| *number <= 8);
                let Some(number) = number else {
                    return Err(self.cursor.tell(by, "this is too much at once"));
                };
                if state <= 0 {
                    return Err(self.cursor.tell(token, "this state is not counted"));
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
        let token = self.cursor.token();
        let name = self.cursor.name("the name of a state")?;
        if let Some(state) = self.property.states.iter().find(|state| *state.name == *name) {
            return Ok(state.number);
        }
        let known: Vec<String> = self.property.states.iter().map(|state| state.name.to_string()).collect();
        let message = match nearest(name, known.iter().map(|known| &**known)) {
            Some(near) => format!("there is no state `{name}`, did you mean `{near}`?"),
            // What is wrong with the declaration has been told.
            None if self.states_in_doubt => return Err(Told),
            None => format!("there is no state `{name}`; states are declared with `states`"),
        };
        Err(self.cursor.tell(token, message))
    }

    fn declared_error(&mut self) -> Parsed<usize> {
        let token = self.cursor.token();
        let rule = self.hyphenated("the name of an error")?;
        if let Some(index) = self.property.errors.iter().position(|known| known.rule == rule) {
            return Ok(index);
        }
        let known: Vec<String> = self.property.errors.iter().map(|known| known.rule.to_string()).collect();
        let message = match nearest(&rule, known.iter().map(|known| &**known)) {
            Some(near) => format!("there is no error `{rule}`, did you mean `{near}`?"),
            None => format!("there is no error `{rule}`; errors are declared with `error {rule} \"...\"`"),
        };
        Err(self.cursor.tell(token, message))
    }

    /// `lock`, `result`, `process`, `*thread`, `queue.8`
    fn path(&mut self, cells: Cells) -> Parsed<Path> {
        let mut stars = 0;
        while self.cursor.take(Sign::Star) {
            stars += 1;
        }
        let token = self.cursor.token();
        let name = self.cursor.name("a parameter, `result` or `process`")?;
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
                    return Err(self.cursor.tell(token, message));
                }
            },
        };
        let mut path = Path::root(root);
        while self.cursor.take(Sign::Dot) {
            path.steps.push(Step::At(self.cursor.signed_number()?));
        }
        path.steps.extend((0..stars).map(|_| Step::At(0)));
        if self.cursor.token().kind == TokenKind::Sign(Sign::Colon)
            && matches!(cells, Cells::Numbers)
            && matches!(self.cursor.peek(1).kind, TokenKind::Number(_))
        {
            self.cursor.at += 1;
            let bytes = self.cursor.number()?;
            if let (Some(Step::At(offset)), 1 | 2 | 4 | 8) = (path.steps.last().copied(), bytes) {
                path.steps.pop();
                path.steps.push(Step::Number { offset, bytes: bytes as u32 });
            } else {
                return Err(self.cursor.tell(token, "a number in memory has 1, 2, 4 or 8 bytes"));
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

impl Parser<'_> {
    /// A name of words joined by hyphens.
    fn hyphenated(&mut self, what: &str) -> Parsed<Box<str>> {
        let token = self.cursor.token();
        let mut name = self.cursor.name(what)?.to_owned();
        while self.cursor.token().kind == TokenKind::Sign(Sign::Minus) {
            self.cursor.at += 1;
            name.push('-');
            match self.cursor.token().kind {
                TokenKind::Name(word) => name.push_str(word),
                TokenKind::Number(number) => name.push_str(&number.to_string()),
                _ => return Err(self.cursor.expected("a word after the hyphen")),
            }
            self.cursor.at += 1;
        }
        if name.bytes().any(|byte| !byte.is_ascii_lowercase() && !byte.is_ascii_digit() && byte != b'-') {
            return Err(self.cursor.tell(token, "such names are lower-case words joined by hyphens"));
        }
        Ok(name.into())
    }

    /// To the next entry.
    fn skip(&mut self, start: usize) {
        self.cursor.at = self.cursor.at.max(start + 1);
        while self.cursor.token().kind != TokenKind::End {
            let token = self.cursor.token();
            if token.first && matches!(token.kind, TokenKind::Name(_)) {
                return;
            }
            self.cursor.at += 1;
        }
    }
}

/// What stands in braces in a message and is none of what messages can say.
fn unknown_blank(text: &str) -> Option<&str> {
    let blanks = text.split('{').skip(1).map(|rest| rest.split('}').next().unwrap_or(rest));
    blanks.into_iter().find(|blank| !["object", "function", "call"].contains(blank))
}
