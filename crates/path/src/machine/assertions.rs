//! Assertions that return: `CHECK(n <= size)` that reports an internal error and leaves the function.
//!
//! A library cannot abort, so its assertions return an error code, past all clean-up. What is lost there is lost only after
//! the program has contradicted itself, which is no news to anyone. Such a check gives itself away: it is a macro, so its
//! branch and its report stand in the same place of the source, and it reports its own condition as a string.
//!
//! In: a function. Out: the blocks that report a failed assertion; paths through them count as seldom (ASSUME-25).

use crate::context::Context;
use crate::limits::LONGEST_ASSERTION;
use watertight_ir::spell::Speller;
use watertight_ir::{BlockId, Body, Const, Def, FuncId, Op, PlaceId, Program, Table, Terminator, ValueId};

impl Context<'_> {
    /// Blocks in which a failed assertion is reported.
    pub fn failed_assertions(&self, function: FuncId) -> &Table<BlockId, bool> {
        self.failed[function].get_or_init(|| find(self.program, function))
    }
}

fn find(program: &Program, function: FuncId) -> Table<BlockId, bool> {
    let body = program.functions[function].body.as_ref().expect("only bodies are evaluated");
    let mut failed = Table::filled(body.blocks.len(), false);
    let mut speller = None;
    for block in body.blocks.values() {
        let Terminator::Branch { cond, then, other } = block.term else { continue };
        for target in [then, other] {
            let mut conditions = reports(program, body, function, target, block.term_place).peekable();
            if conditions.peek().is_none() {
                continue;
            }
            let speller = speller.get_or_insert_with(|| Speller::new(program, function));
            let names = speller.as_ref().map_or_else(Vec::new, |speller| names(speller, body, cond));
            if conditions.any(|text| names.iter().any(|name| mentions(&text, name))) {
                failed[target] = true;
            }
        }
    }
    failed
}

/// Strings that look like conditions and that a block hands to functions in one place of the source.
fn reports<'p>(
    program: &'p Program,
    body: &'p Body,
    function: FuncId,
    block: BlockId,
    place: Option<PlaceId>,
) -> impl Iterator<Item = String> + 'p {
    let point = move |place: Option<PlaceId>| {
        let found = program.source_place(function, place?)?;
        Some((found.line, found.column))
    };
    let here = point(place);
    let calls = body.block_insts(block).filter_map(move |(_, inst)| match &inst.op {
        Op::Call(call) if here.is_some() && point(inst.place) == here => Some(call),
        _ => None,
    });
    calls
        .flat_map(|call| call.args.iter())
        .filter_map(move |&arg| string(program, body, arg))
        .filter(|text| is_condition(text))
}

/// The constant string that a value is the address of.
fn string(program: &Program, body: &Body, value: ValueId) -> Option<String> {
    let Def::Const(Const::Global { global, offset: 0 }) = &body.values[value].def else { return None };
    let global = &program.globals[*global];
    let bytes = &global.image.as_ref().filter(|_| global.constant)?.bytes;
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let text = std::str::from_utf8(&bytes[..end.min(LONGEST_ASSERTION)]).ok()?;
    (end < LONGEST_ASSERTION).then(|| text.to_owned())
}

/// Whether a text is an expression rather than a message: no two words stand side by side.
fn is_condition(text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut after_word = false;
    let mut gap = false;
    let mut words = 0;
    for c in text.chars() {
        if is_word(c) {
            if after_word && gap {
                return false;
            }
            words += usize::from(!after_word);
            (after_word, gap) = (true, false);
        } else if c == ' ' {
            gap = true;
        } else if "%'\"\\:;?#@$`".contains(c) || c.is_control() {
            return false;
        } else {
            (after_word, gap) = (false, false);
        }
    }
    words > 0
}

/// Names of variables and members in the source of a condition.
fn names(speller: &Speller<'_>, body: &Body, cond: ValueId) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    let mut open = vec![cond];
    let mut steps = 0;
    while let Some(value) = open.pop() {
        steps += 1;
        if steps > 8 {
            break;
        }
        match speller.value(value) {
            Some(spelling) => texts.push(spelling.text),
            None => {
                if let Some(op) = body.def_op(value) {
                    op.operands(|operand| open.push(operand));
                }
            }
        }
    }
    let words = texts.iter().flat_map(|text| text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')));
    words
        .filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
        .map(str::to_owned)
        .collect()
}

/// Whether a name stands in a text as a word of its own.
fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|word| word == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_told_from_messages() {
        for text in ["p", "head_len <= decompressed", "body_out <= body + hdr.size", "!(a && b->c[2] == 0)"] {
            assert!(is_condition(text), "{text}");
        }
        for text in ["", "cannot open file", "%s: '%s'", "n is too large", "failed: p"] {
            assert!(!is_condition(text), "{text}");
        }
    }

    #[test]
    fn names_are_whole_words() {
        assert!(mentions("head_len <= size", "size"));
        assert!(!mentions("head_len <= size", "head"));
    }
}
