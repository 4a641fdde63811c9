//! What goes to workers and comes back, as bytes.
//!
//! Driver and workers have joined the same units in the same order, so functions and globals have the same numbers in all of them,
//! and summaries name them by these: unlike in a store, nobody has to walk through a body to know what a number means.

use crate::context::Context;
use crate::context::uses::Facts;
use crate::reuse::kept::{Find, Kept, Number};
use crate::reuse::words::{Reader, Words};
use watertight_ir::{FuncId, GlobalId, Id, InstId};
use watertight_summary::property::PropertyId;
use watertight_summary::{CallAt, KindId, Summary};

/// A component that is to be evaluated.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) epoch: u32,
    /// The key under which the driver takes the result.
    pub(crate) key: [u8; 32],
    /// In ascending order.
    pub(crate) members: Vec<FuncId>,
}

/// What became of one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Made {
    /// The record for the store. None if it cannot be told, or if the worker sees something else than the driver.
    pub(crate) record: Option<Vec<u8>>,
    pub(crate) micros: u64,
}

/// What is known of a function that had its turn.
pub(crate) fn write_told(context: &Context<'_>, function: FuncId) -> Option<Vec<u8>> {
    let mut words = Words::default();
    words.number(u64::from(*context.epochs[function].get()?));
    context.facts[function].get()?.write(&mut words, &mut Plain(context))?;
    context.summaries[function].get()?.write(&mut words, &mut Plain(context))?;
    Some(words.0)
}

/// Epoch, facts and summary as they were written.
pub(crate) fn read_told(context: &Context<'_>, bytes: &[u8]) -> Option<(u32, Facts, Summary)> {
    let mut reader = Reader(bytes);
    let epoch = reader.small()?;
    let facts = Kept::read(&mut reader, &Plain(context))?;
    let summary = Kept::read(&mut reader, &Plain(context))?;
    reader.0.is_empty().then_some((epoch, facts, summary))
}

/// A batch: what is told of functions, and what is to be evaluated.
pub(crate) fn write_batch<'p>(
    told: &[(FuncId, &[u8])],
    pieces: impl ExactSizeIterator<Item = &'p Piece>,
) -> Vec<u8> {
    let mut words = Words::default();
    words.count(told.len());
    for (function, bytes) in told {
        words.count(function.index());
        words.bytes(bytes);
    }
    words.count(pieces.len());
    for piece in pieces {
        words.number(u64::from(piece.epoch));
        words.bytes(&piece.key);
        words.count(piece.members.len());
        piece.members.iter().for_each(|member| words.count(member.index()));
    }
    words.0
}

/// The batch that was written.
pub(crate) type Batch<'b> = (Vec<(FuncId, &'b [u8])>, Vec<Piece>);

pub(crate) fn read_batch<'b>(context: &Context<'_>, bytes: &'b [u8]) -> Option<Batch<'b>> {
    let plain = Plain(context);
    let mut reader = Reader(bytes);
    let told = reader.list(|reader| Some((plain.function(reader.small()?)?, reader.bytes()?)))?;
    let pieces = reader.list(|reader| {
        Some(Piece {
            epoch: reader.small()?,
            key: reader.bytes()?.try_into().ok()?,
            members: reader.list(|reader| plain.function(reader.small()?))?,
        })
    })?;
    reader.0.is_empty().then_some((told, pieces))
}

/// What came of the pieces of a batch, in their order.
pub(crate) fn write_made(made: &[Made]) -> Vec<u8> {
    let mut words = Words::default();
    words.count(made.len());
    for Made { record, micros } in made {
        words.flag(record.is_some());
        record.iter().for_each(|record| words.bytes(record));
        words.number(*micros);
    }
    words.0
}

pub(crate) fn read_made(bytes: &[u8]) -> Option<Vec<Made>> {
    let mut reader = Reader(bytes);
    let made = reader.list(|reader| {
        let record = if reader.flag()? { Some(reader.bytes()?.to_vec()) } else { None };
        Some(Made { record, micros: reader.number()? })
    })?;
    reader.0.is_empty().then_some(made)
}

/// Names things by their numbers in the program.
struct Plain<'p, 'c>(&'p Context<'c>);

impl Number for Plain<'_, '_> {
    fn function(&mut self, function: FuncId) -> Option<u32> {
        Some(function.index() as u32)
    }

    fn global(&mut self, global: GlobalId) -> Option<u32> {
        Some(global.index() as u32)
    }

    fn kind(&mut self, words: &mut Words, kind: KindId) {
        words.text(&self.0.library.kinds.get(kind).name);
    }

    fn property(&mut self, words: &mut Words, property: PropertyId) {
        words.text(&self.0.library.properties.get(property).name);
    }

    fn call(&mut self, words: &mut Words, call: CallAt) -> Option<()> {
        words.count(call.function.index());
        words.count(call.inst.index());
        Some(())
    }
}

impl Find for Plain<'_, '_> {
    fn function(&self, number: u32) -> Option<FuncId> {
        ((number as usize) < self.0.program.functions.len()).then(|| FuncId::new(number as usize))
    }

    fn global(&self, number: u32) -> Option<GlobalId> {
        ((number as usize) < self.0.program.globals.len()).then(|| GlobalId::new(number as usize))
    }

    fn kind(&self, reader: &mut Reader<'_>) -> Option<KindId> {
        self.0.library.kinds.named(reader.text()?)
    }

    fn property(&self, reader: &mut Reader<'_>) -> Option<PropertyId> {
        self.0.library.properties.named(reader.text()?)
    }

    fn call(&self, reader: &mut Reader<'_>) -> Option<CallAt> {
        let function = self.function(reader.small()?)?;
        let inst: InstId = reader.id()?;
        let body = self.0.program.functions[function].body.as_ref()?;
        body.insts.get(inst).map(|_| CallAt { function, inst })
    }
}
