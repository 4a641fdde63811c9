//! The inside view of a malformed file: one byte per kind of fault, so that decoding stays cheap.
//!
//! Decoders of single records return a [`Fault`]; the loop over the block that called them knows which
//! block it is, where it stands and who wrote the file, and turns the fault into an [`Error`].

use super::error::{Error, is_newer};

/// What is wrong with a record or a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    PastEnd,
    Abbreviation,
    Nesting,
    BlockLength,
    ShortRecord,
    LongRecord,
    BadNumber,
    BadType,
    BadValue,
    BadBlock,
    BadMetadata,
    MissingType,
    TooMany,
    CyclicType,
    CyclicConstant,
    NoInstruction,
    NoTerminator,
    BlockCount,
    NoBody,
    UnknownRecord(u32),
    OldRecord,
    Unsupported(&'static str),
}

impl Fault {
    fn text(self) -> &'static str {
        match self {
            Fault::PastEnd => "the data ends in the middle of a record",
            Fault::Abbreviation => "a record uses a bad abbreviation",
            Fault::Nesting => "blocks are nested too deeply",
            Fault::BlockLength => "a block is longer than what surrounds it",
            Fault::ShortRecord => "a record has too few fields",
            Fault::LongRecord => "a record has too many fields",
            Fault::BadNumber => "a number is out of range",
            Fault::BadType => "a type does not exist or is of the wrong kind",
            Fault::BadValue => "a value does not exist",
            Fault::BadBlock => "a basic block does not exist",
            Fault::BadMetadata => "a metadata record makes no sense",
            Fault::MissingType => "the type table lacks the type of a result",
            Fault::TooMany => "there are more records than the data can hold",
            Fault::CyclicType => "a type contains itself or is nested too deeply",
            Fault::CyclicConstant => "a constant contains itself or is nested too deeply",
            Fault::NoInstruction => "a location stands before the first instruction",
            Fault::NoTerminator => "a basic block has no terminator",
            Fault::BlockCount => "the number of basic blocks is not the one declared",
            Fault::NoBody => "function bodies and definitions do not match",
            Fault::UnknownRecord(_) | Fault::OldRecord | Fault::Unsupported(_) => "a record is not supported",
        }
    }

    /// The fault as the caller of the reader sees it.
    pub(crate) fn at(self, block: &'static str, bit: u64, producer: &str) -> Error {
        match self {
            Fault::UnknownRecord(code) => Error::UnknownRecord { block, code, producer: producer.into() },
            Fault::OldRecord => Error::Unsupported { what: "a record of LLVM 3", producer: producer.into() },
            Fault::Unsupported(what) => Error::Unsupported { what, producer: producer.into() },
            other if is_newer(producer) => {
                Error::Newer { block, what: other.text(), bit, producer: producer.into() }
            }
            other => Error::Malformed { block, what: other.text(), bit },
        }
    }
}
