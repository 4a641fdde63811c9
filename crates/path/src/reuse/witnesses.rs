//! Witnesses in the form that is kept.
//!
//! In: a witness of a member. Out: words, and the witness back. Blocks and instructions of a member are as they were, or
//! its key would be another; all else is named as in summaries.

use crate::reuse::summaries::{Find, Number, read_path, write_path};
use crate::reuse::words::{Reader, Words};
use watertight_ir::{BlockId, Id, InstId};
use watertight_summary::{Claim, Given, Got, Witness};

/// Writes a witness, or that there is none. Nothing if it names something that has no number.
pub(crate) fn write(words: &mut Words, number: &mut dyn Number, witness: Option<&Witness>) -> Option<()> {
    words.flag(witness.is_some());
    let Some(Witness { claim, acquired, trail, kind, blocks, inputs, results }) = witness else {
        return Some(());
    };
    let (tag, inst) = match claim {
        Claim::Lost => (0, None),
        Claim::ReleasedAgain(inst) => (1, Some(inst)),
        Claim::Used(inst) => (2, Some(inst)),
    };
    words.byte(tag);
    words.count(inst.map_or(0, |inst| inst.index()));
    words.maybe(acquired.map(|inst| inst.index() as u64));
    words.count(trail.len());
    trail.iter().try_for_each(|&call| number.call(words, call))?;
    number.kind(words, *kind);
    words.count(blocks.len());
    blocks.iter().for_each(|block| words.count(block.index()));
    words.count(inputs.len());
    for (path, value) in inputs {
        write_path(words, number, path)?;
        words.number(*value);
    }
    words.count(results.len());
    for Given { call, turn, value, decides } in results {
        words.count(call.index());
        words.number(u64::from(*turn));
        words.maybe(match value {
            Got::Number(number) => Some(*number),
            Got::Address => None,
        });
        words.flag(*decides);
    }
    Some(())
}

/// The witness that was written.
pub(crate) fn read(reader: &mut Reader<'_>, find: &dyn Find) -> Option<Option<Witness>> {
    if !reader.flag()? {
        return Some(None);
    }
    let inst = |number: u64| usize::try_from(number).ok().map(InstId::new);
    let (tag, at) = (reader.byte()?, inst(reader.number()?)?);
    let claim = match tag {
        0 => Claim::Lost,
        1 => Claim::ReleasedAgain(at),
        2 => Claim::Used(at),
        _ => return None,
    };
    let acquired = match reader.maybe()? {
        Some(number) => Some(inst(number)?),
        None => None,
    };
    let trail = reader.list(|reader| find.call(reader))?;
    let kind = find.kind(reader)?;
    let blocks = reader.list(|reader| Some(BlockId::new(reader.small()? as usize)))?;
    let inputs = reader.list(|reader| Some((read_path(reader, find)?, reader.number()?)))?;
    let results = reader.list(|reader| {
        Some(Given {
            call: inst(reader.number()?)?,
            turn: reader.small()?,
            value: reader.maybe()?.map_or(Got::Address, Got::Number),
            decides: reader.flag()?,
        })
    })?;
    Some(Some(Witness { claim, acquired, trail, kind, blocks, inputs, results }))
}
