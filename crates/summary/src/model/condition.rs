//! Conditions on entry values, and what is left for `otherwise`.
//!
//! ```text
//! condition = tests { "or" tests }          tests = test { "and" test }
//! test      = [ "not" ] path [ "&" mask ]   |   path relation number   |   "(" path "&" mask ")" relation number
//!           | path ( "==" | "!=" ) path [ "+" number ]
//! ```
//!
//! A path alone means that it is not zero. A mask with a relation needs parentheses, because C reads
//! `flags & 4 == 0` in another way than most people.

use super::cursor::Parsed;
use super::lex::{Sign, TokenKind};
use super::parse::{Draft, Parser, Scope};
use crate::effect::{Relation, Test, When};
use crate::path::Root;

/// More conjunctions than this in a negated condition are refused.
const MOST_CONJUNCTIONS: usize = 32;
/// A parenthesis around a mask is closed within so many tokens.
const LONGEST_GROUP: usize = 64;

impl<'t> Parser<'t> {
    pub(crate) fn condition(&mut self, scope: &Scope<'t>) -> Parsed<When> {
        let mut any = Vec::new();
        loop {
            let mut all = vec![self.test(scope)?];
            while self.cursor.take_word("and") {
                all.push(self.test(scope)?);
            }
            any.push(all);
            if !self.cursor.take_word("or") {
                return Ok(When::any(any));
            }
        }
    }

    fn test(&mut self, scope: &Scope<'t>) -> Parsed<Test> {
        let negated = self.cursor.take_word("not");
        let token = self.cursor.token();
        let masked = self.is_masked_group();
        if masked {
            self.cursor.expect(Sign::Open)?;
        }
        let value = self.path(scope, &Draft::default())?;
        if let Root::Rest(_) = value.root {
            return Err(self.cursor.tell(token, "one of the variable arguments has no name"));
        }
        let mask = if self.cursor.take(Sign::And) { Some(self.cursor.number()?) } else { None };
        if masked {
            self.cursor.expect(Sign::Close)?;
        }
        let token = self.cursor.token();
        let mut other = None;
        let (relation, number) = match self.relation() {
            Some(_) if mask.is_some() && !masked => {
                return Err(self.cursor.tell(token, "put parentheses around the mask: `(flags & 4) == 4`"));
            }
            Some(relation) if self.cursor.take_word("null") => (relation, 0),
            Some(relation) if mask.is_none() && !self.is_number_here() => {
                other = Some(self.path(scope, &Draft::default())?);
                let plus = if self.cursor.take(Sign::Plus) { self.cursor.signed_number()? } else { 0 };
                (relation, plus)
            }
            Some(relation) => (relation, self.cursor.signed_number()?),
            None => (Relation::NotEqual, 0),
        };
        let relation = if negated { opposite(relation) } else { relation };
        Ok(Test { value, mask, relation, number, other })
    }

    /// Whether a number comes next, or what should have been one.
    fn is_number_here(&self) -> bool {
        !matches!(self.cursor.token().kind, TokenKind::Name(_) | TokenKind::Sign(Sign::Star | Sign::Open))
    }

    /// Whether the parenthesis here is around a mask rather than around a path.
    fn is_masked_group(&self) -> bool {
        if self.cursor.token().kind != TokenKind::Sign(Sign::Open) {
            return false;
        }
        let mut depth = 0;
        for ahead in 0..LONGEST_GROUP {
            match self.cursor.peek(ahead).kind {
                TokenKind::Sign(Sign::Open) => depth += 1,
                TokenKind::Sign(Sign::Close) if depth == 1 => return false,
                TokenKind::Sign(Sign::Close) => depth -= 1,
                TokenKind::Sign(Sign::And) if depth == 1 => return true,
                TokenKind::End => return false,
                _ => {}
            }
        }
        false
    }
}

/// What `otherwise` means after some conditions.
#[derive(Debug)]
pub(crate) enum Case {
    Possible(When),
    /// One of the conditions before holds always.
    Never,
    TooMany,
}

/// The condition that none of these holds.
pub(crate) fn otherwise(before: &[When]) -> Case {
    let mut any: Vec<Vec<Test>> = vec![Vec::new()];
    for tests in before.iter().flat_map(|when| &when.any) {
        // One of the tests must fail: each way to fail goes with each way found so far.
        let mut next: Vec<Vec<Test>> = Vec::new();
        for all in &any {
            for test in tests {
                let fails = Test { relation: opposite(test.relation), ..test.clone() };
                let mut all = all.clone();
                if contradicts(&all, &fails) {
                    continue;
                }
                if !all.contains(&fails) {
                    all.push(fails);
                }
                if !next.contains(&all) {
                    next.push(all);
                }
            }
        }
        if next.len() > MOST_CONJUNCTIONS {
            return Case::TooMany;
        }
        any = next;
    }
    if any.is_empty() { Case::Never } else { Case::Possible(When::any(without_narrower(any))) }
}

/// Whether the very opposite is demanded already.
fn contradicts(all: &[Test], test: &Test) -> bool {
    let inverse = Test { relation: opposite(test.relation), ..test.clone() };
    all.contains(&inverse)
}

/// Leaves out conjunctions that say no more than another with fewer tests.
fn without_narrower(any: Vec<Vec<Test>>) -> Vec<Vec<Test>> {
    let narrower = |index: usize| {
        let all = &any[index];
        any.iter().enumerate().any(|(other, tests)| {
            let within = tests.iter().all(|test| all.contains(test));
            within && (tests.len() < all.len() || other < index)
        })
    };
    let keep: Vec<bool> = (0..any.len()).map(|index| !narrower(index)).collect();
    any.into_iter().zip(keep).filter(|entry| entry.1).map(|entry| entry.0).collect()
}

pub(crate) fn opposite(relation: Relation) -> Relation {
    match relation {
        Relation::Equal => Relation::NotEqual,
        Relation::NotEqual => Relation::Equal,
        Relation::Less => Relation::GreaterEqual,
        Relation::GreaterEqual => Relation::Less,
        Relation::UnsignedLess => Relation::UnsignedGreaterEqual,
        Relation::UnsignedGreaterEqual => Relation::UnsignedLess,
        Relation::UnsignedGreater => Relation::UnsignedLessEqual,
        Relation::UnsignedLessEqual => Relation::UnsignedGreater,
        Relation::Greater => Relation::LessEqual,
        Relation::LessEqual => Relation::Greater,
    }
}
