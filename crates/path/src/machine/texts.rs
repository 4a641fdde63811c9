//! Members that are texts: arrays of characters inside a structure.
//!
//! In: an address inside an object whose type is known. Out: how far the array of characters reaches that it lies in. A
//! function of the library that fills `connection->message` is told where to begin and often not how much it will write;
//! what comes behind the message in the structure is not touched, or the program has worse mistakes than lost memory
//! (ASSUME-35). The begin of an object may stand for all of it, so it says nothing.

use crate::assumptions::Supposed;
use crate::facts::types::parts;
use crate::machine::memory::{ObjectId, Origin};
use crate::machine::state::State;
use watertight_ir::spell::SourceType;
use watertight_ir::{DebugType, Program, ctype};
use watertight_summary::{Path, Root, Span};

impl State<'_> {
    /// A range of an object without an end that begins in a text ends with the text.
    pub(crate) fn within_text(&mut self, object: ObjectId, span: Span) -> Span {
        match (span.bytes, self.rest_of_text(object, span.offset)) {
            (None, Some(rest)) => Span { offset: span.offset, bytes: Some(rest) },
            _ => span,
        }
    }

    /// The bytes from here to the end of the text.
    pub(crate) fn rest_of_text(&mut self, object: ObjectId, offset: i64) -> Option<u64> {
        if offset <= 0 || !self.assumes(Supposed::TextsNotOverrun) {
            return None;
        }
        let ty = match self.objects[object].origin.clone() {
            Origin::Entry(path) => self.pointee(&path)?,
            Origin::Global(global) => self.pointee(&Path::root(Root::Global(global)))?,
            _ => return None,
        };
        rest_of_text(self.context.program, ty, offset)
    }

    /// Whether a range of what a path leads to is part of a text.
    pub(crate) fn is_in_text(&mut self, path: &Path, span: Span) -> bool {
        let Some(ty) = self.pointee(path).filter(|_| span.offset > 0) else { return false };
        let rest = rest_of_text(self.context.program, ty, span.offset);
        rest.is_some_and(|rest| span.bytes.is_some_and(|bytes| bytes <= rest))
    }
}

fn rest_of_text(program: &Program, object: SourceType, offset: i64) -> Option<u64> {
    let debug = &program.units[object.unit].debug;
    let array =
        parts(program, object, offset).find(|part| !matches!(part.described, DebugType::Record(_)))?;
    let DebugType::Array { of, counts } = array.described else { return None };
    let [Some(count)] = counts[..] else { return None };
    // An array of one element at the end is a way to write one without an end.
    let text = matches!(ctype::described(debug, *of)?, DebugType::Base { bits: 8, .. });
    (text && count > 1).then(|| count.checked_sub(array.inside)).flatten()
}
