//! The text of a certificate, read.
//!
//! A line begins with a word; what follows are names of positions in the IR and expressions with their operator in front,
//! in parentheses. `;` begins a remark. Everything that stands here is a claim of somebody else: reading it says only
//! that it is well formed.

use std::collections::BTreeMap;
use watertight_ir::{
    BinaryOp, BlockId, CompareOp, ConvertOp, DebugTypeId, FuncId, GlobalId, Id, InstId, Type, UnitId, ValueId,
};

/// An expression, evaluated at a program point.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Expr {
    Number(u64, Type),
    Local(FuncId, ValueId),
    Global(GlobalId),
    Function(FuncId),
    Outside,
    /// What a function was called with.
    Entry(FuncId, u32),
    /// What it returns.
    Returned(FuncId),
    Value(FuncId, ValueId),
    Load(Type, Box<Expr>),
    Add(Box<Expr>, i64),
    Index(Box<Expr>, Box<Expr>, i64),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Compare(CompareOp, Box<Expr>, Box<Expr>),
    Convert(ConvertOp, Box<Expr>, Type),
}

/// Some memory.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Region {
    /// Whatever pointers lead to.
    Any,
    Local(FuncId, ValueId, i64),
    Global(GlobalId, i64),
    Member(UnitId, DebugTypeId, i64),
    Scalar(UnitId, DebugTypeId),
    Outside,
    /// All but variables of functions that no pointer leads to; no certificate says this.
    Shared,
}

/// What is known of the lost block at a point.
#[derive(Clone, Default, Debug)]
pub(crate) struct Fact {
    /// The line it begins on.
    pub(crate) line: usize,
    /// The block is acquired further on.
    pub(crate) unborn: bool,
    /// Where references to it are at most; at one address if that is said.
    pub(crate) regions: Vec<(Region, Option<Expr>)>,
    pub(crate) hits: Vec<Expr>,
    pub(crate) misses: Vec<Expr>,
    pub(crate) conditions: Vec<Expr>,
}

/// A place in a block.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Place {
    Start,
    Before(InstId),
    End,
}

/// A program point, in a call that is looked at on its own or, with 0, in any.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Point {
    pub(crate) context: u32,
    pub(crate) function: FuncId,
    pub(crate) block: BlockId,
    pub(crate) place: Place,
}

/// What is known after calls of a function.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) function: FuncId,
    pub(crate) fact: Fact,
    /// The calls, with the contexts that they are in.
    pub(crate) calls: Vec<(u32, FuncId, InstId)>,
}

/// A statement, and the facts from which it follows that it loses nothing.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) line: usize,
    pub(crate) function: FuncId,
    pub(crate) block: BlockId,
    /// The instruction; a return when absent.
    pub(crate) inst: Option<InstId>,
    /// The address of the reference that it takes away.
    pub(crate) lost: Expr,
    pub(crate) assumed: Vec<String>,
    pub(crate) contexts: BTreeMap<u32, Context>,
    pub(crate) facts: BTreeMap<Point, Vec<Fact>>,
}

/// What is wrong with a line.
pub(crate) type Malformed = (usize, String);

/// Reads a certificate: the mark of its program, and its statements.
pub(crate) fn read(text: &str) -> Result<(String, Vec<Statement>), Malformed> {
    let mut program = None;
    let mut statements: Vec<Statement> = Vec::new();
    let mut open: Option<Statement> = None;
    // Where facts go: to a context, or to a point.
    let mut target: Option<Result<u32, Point>> = None;
    for (number, line) in text.lines().enumerate().map(|(index, line)| (index + 1, line)) {
        let line = line.split(';').next().unwrap_or_default();
        let mut words = Words { rest: line, line: number };
        let Some(first) = words.next() else { continue };
        let wrong = |what: &str| Err((number, what.to_owned()));
        match (first, &mut open) {
            ("watertight-certificate", None) if words.next() == Some("1") => {}
            ("program", None) => program = Some(words.word()?.to_owned()),
            ("not-shown", None) => continue,
            ("statement", None) => {
                let (function, block) = (words.id("fn")?, words.id("bb")?);
                let inst = match words.word()? {
                    "end" => None,
                    word => Some(words.named("i", word)?),
                };
                // The kind is for people: what is lost follows from the instruction.
                words.word()?;
                let lost = words.expr()?;
                let (assumed, contexts, facts) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
                target = None;
                open =
                    Some(Statement { line: number, function, block, inst, lost, assumed, contexts, facts });
            }
            ("assuming", Some(statement)) => {
                while let Some(word) = words.next() {
                    statement.assumed.push(word.to_owned());
                }
            }
            ("context", Some(statement)) => {
                let id = words.context()?;
                let context = Context { function: words.id("fn")?, fact: Fact::default(), calls: Vec::new() };
                statement.contexts.insert(id, context);
                target = Some(Ok(id));
            }
            ("called", Some(statement)) => {
                let Some(Ok(id)) = target else { return wrong("a call without its context") };
                let call = (words.context()?, words.id("fn")?, words.id("i")?);
                statement.contexts.entry(id).and_modify(|context| context.calls.push(call));
            }
            ("at", Some(_)) => {
                let (context, function, block) = (words.context()?, words.id("fn")?, words.id("bb")?);
                let place = match words.word()? {
                    "start" => Place::Start,
                    "end" => Place::End,
                    word => Place::Before(words.named("i", word)?),
                };
                target = Some(Err(Point { context, function, block, place }));
            }
            ("fact", Some(statement)) => {
                let fact = Fact { line: number, ..Fact::default() };
                match target {
                    Some(Ok(id)) => {
                        statement.contexts.entry(id).and_modify(|context| context.fact = fact);
                    }
                    Some(Err(point)) => statement.facts.entry(point).or_default().push(fact),
                    None => return wrong("a fact that belongs nowhere"),
                }
            }
            ("end", Some(_)) => statements.extend(open.take()),
            (word, Some(statement)) => {
                let fact = match target {
                    Some(Ok(id)) => statement.contexts.get_mut(&id).map(|context| &mut context.fact),
                    Some(Err(point)) => statement.facts.get_mut(&point).and_then(|facts| facts.last_mut()),
                    None => None,
                };
                let Some(fact) = fact else { return wrong("this line belongs to no fact") };
                match word {
                    "unborn" => fact.unborn = true,
                    "in" => {
                        let region = words.region()?;
                        let at = if words.is_over() { None } else { Some(words.expr()?) };
                        fact.regions.push((region, at));
                    }
                    "hit" => fact.hits.push(words.expr()?),
                    "miss" => fact.misses.push(words.expr()?),
                    "when" => fact.conditions.push(words.expr()?),
                    _ => return wrong("this line is not understood"),
                }
            }
            _ => return wrong("this line is not understood"),
        }
        if !words.is_over() {
            return wrong("there is more on the line than belongs there");
        }
    }
    if let Some(statement) = open {
        return Err((statement.line, "the statement has no end".to_owned()));
    }
    Ok((program.ok_or((1, "the program is not named".to_owned()))?, statements))
}

/// What is left of a line.
struct Words<'t> {
    rest: &'t str,
    line: usize,
}

impl<'t> Words<'t> {
    fn next(&mut self) -> Option<&'t str> {
        self.rest = self.rest.trim_start();
        let end = match self.rest.as_bytes().first()? {
            b'(' | b')' => 1,
            _ => self.rest.find([' ', '(', ')']).unwrap_or(self.rest.len()),
        };
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(word)
    }

    fn is_over(&self) -> bool {
        self.rest.trim().is_empty()
    }

    fn wrong<T>(&self, what: impl Into<String>) -> Result<T, Malformed> {
        Err((self.line, what.into()))
    }

    fn word(&mut self) -> Result<&'t str, Malformed> {
        match self.next() {
            Some(word) => Ok(word),
            None => self.wrong("the line ends too early"),
        }
    }

    fn number<N: std::str::FromStr>(&mut self) -> Result<N, Malformed> {
        let word = self.word()?;
        word.parse().or_else(|_| self.wrong(format!("`{word}` is no number that fits here")))
    }

    fn named<I: Id>(&self, prefix: &str, word: &str) -> Result<I, Malformed> {
        let number = word.strip_prefix(prefix).and_then(|rest| rest.parse::<u32>().ok());
        match number.filter(|&number| number < u32::MAX) {
            Some(number) => Ok(I::new(number as usize)),
            None => self.wrong(format!("`{word}` is no position in the program")),
        }
    }

    fn id<I: Id>(&mut self, prefix: &str) -> Result<I, Malformed> {
        let word = self.word()?;
        self.named(prefix, word)
    }

    /// Contexts are counted from 0 in the text; here 0 is none.
    fn context(&mut self) -> Result<u32, Malformed> {
        match self.word()? {
            "-" => Ok(0),
            word => match word.parse::<u32>().ok().and_then(|number| number.checked_add(1)) {
                Some(number) => Ok(number),
                None => self.wrong(format!("`{word}` is no context")),
            },
        }
    }

    fn ty(&mut self) -> Result<Type, Malformed> {
        let word = self.word()?;
        let bits = word.strip_prefix('i').and_then(|bits| bits.parse::<u32>().ok());
        match (word, bits) {
            ("ptr", _) => Ok(Type::Ptr),
            (_, Some(bits)) if (1..=Type::WIDEST).contains(&bits) => Ok(Type::Int(bits)),
            _ => self.wrong(format!("`{word}` is no type of a number or pointer")),
        }
    }

    fn region(&mut self) -> Result<Region, Malformed> {
        Ok(match self.word()? {
            "any" => Region::Any,
            "outside" => Region::Outside,
            "local" => Region::Local(self.id("fn")?, self.id("%v")?, self.number()?),
            "global" => Region::Global(self.id("g")?, self.number()?),
            "member" => Region::Member(self.id(UNIT)?, self.id(TYPE)?, self.number()?),
            "scalar" => Region::Scalar(self.id(UNIT)?, self.id(TYPE)?),
            word => return self.wrong(format!("`{word}` is no memory")),
        })
    }

    fn expr(&mut self) -> Result<Expr, Malformed> {
        self.nested(DEEPEST)
    }

    fn nested(&mut self, depth: usize) -> Result<Expr, Malformed> {
        let Some(depth) = depth.checked_sub(1) else { return self.wrong("the expression is too deep") };
        if self.word()? != "(" {
            return self.wrong("an expression begins with `(`");
        }
        let made = match self.word()? {
            "number" => Expr::Number(self.number()?, self.ty()?),
            "local" => Expr::Local(self.id("fn")?, self.id("%v")?),
            "global" => Expr::Global(self.id("g")?),
            "function" => Expr::Function(self.id("fn")?),
            "outside" => Expr::Outside,
            "entry" => Expr::Entry(self.id("fn")?, self.number()?),
            "returned" => Expr::Returned(self.id("fn")?),
            "value" => Expr::Value(self.id("fn")?, self.id("%v")?),
            "load" => Expr::Load(self.ty()?, Box::new(self.nested(depth)?)),
            "add" => Expr::Add(Box::new(self.nested(depth)?), self.number()?),
            "index" => {
                let (base, index) = (self.nested(depth)?, self.nested(depth)?);
                Expr::Index(Box::new(base), Box::new(index), self.number()?)
            }
            "binary" => {
                let op = self.word()?;
                let Some(op) = BinaryOp::from_name(op) else { return self.wrong("no operator") };
                Expr::Binary(op, Box::new(self.nested(depth)?), Box::new(self.nested(depth)?))
            }
            "compare" => {
                let op = self.word()?;
                let Some(op) = CompareOp::from_name(op) else { return self.wrong("no comparison") };
                Expr::Compare(op, Box::new(self.nested(depth)?), Box::new(self.nested(depth)?))
            }
            "convert" => {
                let op = self.word()?;
                let Some(op) = ConvertOp::from_name(op) else { return self.wrong("no conversion") };
                Expr::Convert(op, Box::new(self.nested(depth)?), self.ty()?)
            }
            word => return self.wrong(format!("`{word}` is no expression")),
        };
        match self.word()? {
            ")" => Ok(made),
            _ => self.wrong("an expression ends with `)`"),
        }
    }
}

/// Expressions in expressions that are read.
const DEEPEST: usize = 100;
/// How units and their types are written.
const UNIT: &str = "unit";
const TYPE: &str = "ty";
