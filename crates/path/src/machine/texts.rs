//! Members that are texts: arrays of characters inside a structure.
//!
//! In: a range of what a path leads to. Out: whether it lies in a text, so that it is enough to tell callers that the text may begin otherwise. The begin of an
//! object may stand for all of it, so it says nothing.

use crate::facts::types::parts;
use crate::machine::state::State;
use watertight_ir::spell::SourceType;
use watertight_ir::{DebugType, Program, ctype};
use watertight_summary::{Path, Span};

impl State<'_> {
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
