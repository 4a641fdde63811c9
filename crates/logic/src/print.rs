//! Terms as text, for debugging and for tests.
//!
//! Infix with C-like operators, `s` or `u` before operators that depend on signedness. What lies deeper than the depth
//! asked for is shown by its id. A variable with a tag shows it: `x3#17`.

use crate::term::{BinaryOp, Extension, Term, TermId, Terms, UnaryOp};
use std::fmt::{self, Write};

const DEFAULT_DEPTH: u32 = 8;

/// A term to be printed; made by [`Terms::show`].
pub struct Shown<'a> {
    terms: &'a Terms,
    term: TermId,
    depth: u32,
}

impl Terms {
    /// The term as text.
    pub fn show(&self, term: TermId) -> Shown<'_> {
        Shown { terms: self, term, depth: DEFAULT_DEPTH }
    }

    /// The term as text, cut at a depth.
    pub fn show_to_depth(&self, term: TermId, depth: u32) -> Shown<'_> {
        Shown { terms: self, term, depth }
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(self.terms, self.term, self.depth, out)
    }
}

fn write(terms: &Terms, term: TermId, depth: u32, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    let width = terms.width(term);
    match terms.view(term) {
        Term::Const(value) if width.bits() == 1 => out.write_str(if value == 1 { "true" } else { "false" }),
        // Values close to the top are easier to read as negative numbers.
        Term::Const(value) => match width.signed(value) {
            small @ -4096..0 => write!(out, "{small}"),
            _ => write!(out, "{value}"),
        },
        Term::Var(var) => match terms.tag(var) {
            Some(tag) => write!(out, "{var}#{}", tag.0),
            None => write!(out, "{var}"),
        },
        _ if depth == 0 => write!(out, "{term}"),
        Term::Unary(op, a) => {
            out.write_char(match op {
                UnaryOp::Not if width.bits() == 1 => '!',
                UnaryOp::Not => '~',
                UnaryOp::Neg => '-',
            })?;
            write(terms, a, depth - 1, out)
        }
        Term::Binary(op, a, b) => {
            out.write_char('(')?;
            write(terms, a, depth - 1, out)?;
            write!(out, " {} ", symbol(op))?;
            write(terms, b, depth - 1, out)?;
            out.write_char(')')
        }
        Term::Extend(extension, a) => {
            out.write_str(match extension {
                Extension::Zero => "zext",
                Extension::Sign => "sext",
            })?;
            write!(out, "{width}(")?;
            write(terms, a, depth - 1, out)?;
            out.write_char(')')
        }
        Term::Extract { of, high, low } => {
            write(terms, of, depth - 1, out)?;
            write!(out, "[{high}:{low}]")
        }
        Term::Ite(condition, then, otherwise) => {
            out.write_char('(')?;
            write(terms, condition, depth - 1, out)?;
            out.write_str(" ? ")?;
            write(terms, then, depth - 1, out)?;
            out.write_str(" : ")?;
            write(terms, otherwise, depth - 1, out)?;
            out.write_char(')')
        }
    }
}

fn symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::UDiv => "u/",
        BinaryOp::URem => "u%",
        BinaryOp::SDiv => "s/",
        BinaryOp::SRem => "s%",
        BinaryOp::Shl => "<<",
        BinaryOp::LShr => "u>>",
        BinaryOp::AShr => "s>>",
        BinaryOp::Concat => "++",
        BinaryOp::Eq => "==",
        BinaryOp::ULt => "u<",
        BinaryOp::ULe => "u<=",
        BinaryOp::SLt => "s<",
        BinaryOp::SLe => "s<=",
    }
}
