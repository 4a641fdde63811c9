//! Reads the text form of a program.
//!
//! In: text as [`crate::print()`] writes it or a person would (`docs/ir.md`). Out: a [`Program`], or the
//! first fault with file, line and column. The program is well formed as a data structure (every id
//! exists, every value has one definition); whether it obeys the rules of the IR is for `verify` to say.
//!
//! What must hold: no input makes it panic, recurse deeply, or allocate more than a fixed multiple of
//! its length plus a fixed budget. (A few characters can ask for a huge image, a huge integer or a value
//! with a huge number; the budget is for those.)
//!
//! Method: a first scan finds the names of functions, globals and debug types, so that the second,
//! proper reading resolves forward references at once. Inside a body values and labels are numbered as
//! they are met and renumbered at the end: `%v7` becomes value 7 when it can, constants fill the gaps.
//!
//! ```
//! let text = "func @id(%x: ptr) -> ptr {\nbb0:\n  return %x\n}\n";
//! let program = watertight_ir::parse("id.ir", text).expect("the example is well formed");
//! assert_eq!(program.functions.len(), 1);
//! let fault = watertight_ir::parse("bad.ir", "func main").expect_err("a function needs a sign");
//! assert_eq!(fault.to_string(), "bad.ir:1:6: expected a name like `@main`, found `main`");
//! ```

mod body;
mod constant;
mod cursor;
mod debug;
mod inst;
mod item;
mod lexer;
mod symbols;

use crate::ids::{BlockId, FileId, FuncId, Id, UnitId};
use crate::program::{Problem, Program, Unit};
use crate::types::{FloatKind, Type};
use cursor::Cursor;
use lexer::Kind;
use std::fmt;
use symbols::Symbols;

/// Bytes that a text of any length may ask for, and what each byte of it adds.
const BUDGET_BYTES: u64 = 64 << 20;
const BUDGET_PER_BYTE: u64 = 8;

/// Widest integer type, as in LLVM.
const MAX_INT_BITS: u32 = 1 << 23;

/// Why a text is not a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    pub file: Box<str>,
    /// Counted from 1.
    pub line: u32,
    /// In characters, counted from 1.
    pub column: u32,
    pub message: Box<str>,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

/// A fault at a byte offset; turned into a [`ParseError`] when it leaves this module.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Fault {
    at: usize,
    message: Box<str>,
}

impl Fault {
    fn new(at: usize, message: impl Into<Box<str>>) -> Fault {
        Fault { at, message: message.into() }
    }
}

/// Reads a program; `file` is named in errors.
pub fn parse(file: &str, text: &str) -> Result<Program, ParseError> {
    Parser::program(file, text).map_err(|fault| {
        let before = &text.as_bytes()[..fault.at.min(text.len())];
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        // Continuation bytes of a character are not counted.
        let column = before[line_start..].iter().filter(|&&byte| byte & 0xc0 != 0x80).count() + 1;
        ParseError { file: file.into(), line: line as u32, column: column as u32, message: fault.message }
    })
}

#[derive(Debug)]
struct Parser<'t> {
    cursor: Cursor<'t>,
    symbols: Symbols<'t>,
    program: Program,
    budget: u64,
    /// Addresses of labels that were met, to be checked when all bodies are known.
    labels: Vec<(usize, FuncId, BlockId)>,
}

impl<'t> Parser<'t> {
    fn program(file: &str, text: &'t str) -> Result<Program, Fault> {
        if u32::try_from(text.len()).is_err() {
            return Err(Fault::new(0, "the text is longer than 4 GB"));
        }
        let symbols = symbols::scan(text)?;
        let mut parser = Parser {
            cursor: Cursor::new(text)?,
            symbols,
            program: Program::default(),
            budget: BUDGET_BYTES + BUDGET_PER_BYTE * text.len() as u64,
            labels: Vec::new(),
        };
        if parser.symbols.units() == 0 {
            // Small programs written by hand need no unit; their functions belong to the file itself.
            parser.program.units.push(Unit { name: file.into(), ..Unit::default() });
        }
        while parser.cursor.kind() != Kind::End {
            parser.item()?;
        }
        for &(at, function, block) in &parser.labels {
            let body = parser.program.functions.get(function).and_then(|function| function.body.as_ref());
            if body.is_none_or(|body| block.index() >= body.blocks.len()) {
                return Err(Fault::new(at, format!("there is no block {block} in that function")));
            }
        }
        Ok(parser.program)
    }

    fn item(&mut self) -> Result<(), Fault> {
        const EXPECTED: &str = "`target`, `unit`, `agg`, `global`, `func`, `declare`, `alias` or `problem` at the start of a line";
        let Kind::Word(word) = self.cursor.kind() else { return Err(self.cursor.unexpected(EXPECTED)) };
        if !self.cursor.at_line_start() {
            return Err(self.cursor.unexpected(EXPECTED));
        }
        match word {
            "target" => self.target(),
            "unit" => self.unit(),
            "agg" => self.aggregate(),
            "global" => self.global(),
            "func" => self.function(true),
            "declare" => self.function(false),
            "alias" => self.alias(),
            "problem" => {
                self.cursor.advance()?;
                let subject = self.cursor.text("a quoted subject")?.into();
                let message = self.cursor.text("a quoted message")?.into();
                self.program.problems.push(Problem { subject, message });
                Ok(())
            }
            _ => Err(self.cursor.unexpected(EXPECTED)),
        }
    }

    /// Takes `bytes` from what the text may ask for beyond its length.
    fn spend(&mut self, at: usize, bytes: u64) -> Result<(), Fault> {
        match self.budget.checked_sub(bytes) {
            Some(left) => {
                self.budget = left;
                Ok(())
            }
            None => Err(Fault::new(at, "the text asks for too much memory")),
        }
    }

    /// Takes the type of a value.
    fn ty(&mut self) -> Result<Type, Fault> {
        let Kind::Word(word) = self.cursor.kind() else { return Err(self.cursor.unexpected("a type")) };
        let Some(ty) = self.symbols.type_named(word) else {
            return Err(self.cursor.unexpected("a type"));
        };
        self.cursor.advance()?;
        Ok(ty)
    }

    /// Takes the defining occurrence of a numbered thing, which must be number `next`.
    fn numbered(&mut self, prefix: &str, next: usize) -> Result<(), Fault> {
        let expected = format!("`{prefix}{next}`");
        match self.cursor.kind() {
            Kind::Word(word) if number_after(word, prefix) == Some(next) => {
                self.cursor.advance()?;
                Ok(())
            }
            _ => Err(self.cursor.unexpected(&expected)),
        }
    }

    /// Takes a reference to a unit that was defined before.
    fn unit_reference(&mut self) -> Result<UnitId, Fault> {
        match self.cursor.kind() {
            Kind::Word(word) => match number_after(word, "unit") {
                Some(index) if index < self.program.units.len() => {
                    self.cursor.advance()?;
                    Ok(UnitId::new(index))
                }
                _ => Err(self.cursor.unexpected("a unit defined before, like `unit0`")),
            },
            _ => Err(self.cursor.unexpected("a unit defined before, like `unit0`")),
        }
    }

    /// Takes a reference to a file of `unit`.
    fn file_reference(&mut self, unit: UnitId) -> Result<FileId, Fault> {
        match self.cursor.kind() {
            Kind::Word(word) => match number_after(word, "file") {
                Some(index) if index < self.program.units[unit].debug.files.len() => {
                    self.cursor.advance()?;
                    Ok(FileId::new(index))
                }
                _ => Err(self.cursor.unexpected("a file of this unit, like `file0`")),
            },
            _ => Err(self.cursor.unexpected("a file of this unit, like `file0`")),
        }
    }
}

/// The number in `word` after `prefix`, if it is written as the printer does: `bb12`, not `bb012`.
fn number_after(word: &str, prefix: &str) -> Option<usize> {
    let digits = word.strip_prefix(prefix)?;
    let canonical = digits == "0" || digits.starts_with(|c: char| ('1'..='9').contains(&c));
    if !canonical || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Numbers that no table can have are no numbers.
    digits.parse::<u32>().ok().filter(|&number| number < u32::MAX - 1).map(|number| number as usize)
}

/// A type other than an aggregate.
fn scalar_named(word: &str) -> Option<Type> {
    match word {
        "void" => Some(Type::Void),
        "ptr" => Some(Type::Ptr),
        _ => match number_after(word, "i") {
            Some(bits) => {
                u32::try_from(bits).ok().filter(|bits| (1..=MAX_INT_BITS).contains(bits)).map(Type::Int)
            }
            None => FloatKind::ALL.into_iter().find(|kind| kind.name() == word).map(Type::Float),
        },
    }
}
