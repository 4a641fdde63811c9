//! What can be wrong with bitcode, said so that a person can act on it.
//!
//! The reader knows bytes, not files: whoever opened the file puts its name in front of the message.

use std::fmt;

/// The newest LLVM whose bitcode this reader was tested with.
pub const NEWEST_LLVM: u32 = 22;

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
    /// What looks malformed, written by an LLVM newer than [`NEWEST_LLVM`]: most likely a form that is new.
    Newer { block: &'static str, what: &'static str, bit: u64, producer: Box<str> },
}

/// Whether a producer, as bitcode names it (`LLVM19.1.7`), is newer than what was tested.
pub(crate) fn is_newer(producer: &str) -> bool {
    let version = producer.strip_prefix("LLVM").unwrap_or_default();
    let major = version.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    major.parse::<u32>().is_ok_and(|major| major > NEWEST_LLVM)
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
            Error::Newer { block, what, bit, producer } => write!(
                f,
                "bitcode written by {producer}, while the newest known is LLVM {NEWEST_LLVM}, cannot be read: \
                 {what} (in the {block} block, at byte {})",
                bit / 8
            ),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn producers_of_all_kinds() {
        for newer in ["LLVM23", "LLVM99.0.0", "LLVM23.0.0git", "LLVM24.1.1-rust-1.99.0-stable"] {
            assert!(is_newer(newer), "{newer}");
        }
        for known in ["LLVM22.1.0", "LLVM3.9.1", "LLVM", "", "APPLE_1_1500.3.9.4_0", "an unknown LLVM"] {
            assert!(!is_newer(known), "{known}");
        }
    }
}
