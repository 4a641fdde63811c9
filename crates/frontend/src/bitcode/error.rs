//! What can be wrong with bitcode, said so that a person can act on it.
//!
//! The reader knows bytes, not files: whoever opened the file puts its name in front of the message.

use std::fmt;

/// Why a bitcode file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The bytes are not bitcode at all.
    NotBitcode,
    /// The file holds several modules, or none, where one was asked for.
    ModuleCount { found: usize },
    /// The bytes end, or a number points outside of what there is.
    Malformed { block: &'static str, what: &'static str, bit: u64 },
    /// A record code that this reader does not know in a block whose records all matter.
    UnknownRecord { block: &'static str, code: u32, producer: Box<str> },
    /// Something that is known and not supported.
    Unsupported { what: &'static str, producer: Box<str> },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotBitcode => write!(f, "not an LLVM bitcode file"),
            Error::ModuleCount { found: 0 } => write!(f, "the bitcode file holds no module"),
            Error::ModuleCount { found } => write!(f, "the bitcode file holds {found} modules, not one"),
            Error::Malformed { block, what, bit } => {
                write!(f, "malformed bitcode: {what} (in the {block} block, at byte {})", bit / 8)
            }
            Error::UnknownRecord { block, code, producer } => write!(
                f,
                "bitcode written by {producer} has a record this version does not know: code {code} in the {block} block"
            ),
            Error::Unsupported { what, producer } => {
                write!(f, "bitcode written by {producer} uses {what}, which is not supported")
            }
        }
    }
}

impl std::error::Error for Error {}
