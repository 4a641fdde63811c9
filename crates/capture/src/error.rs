//! What can go wrong as a whole, kept apart by whose turn it is to act.
//!
//! One unit that does not compile is not an error: it is a [`Failure`](crate::Failure) in the result and the
//! rest goes on. An [`Error`] means that there is nothing to go on with. Its kind decides the exit code of the
//! shells: the user's (2), the environment's (3), ours (4).
//!
//! ```
//! # use watertight_capture::Error;
//! let error = Error::Usage("no input files".to_owned());
//! assert_eq!(error.exit_code(), 2);
//! assert_eq!(error.to_string(), "no input files");
//! ```

use std::fmt;
use std::io;
use std::path::Path;

use crate::captured::{Failure, FailureKind, Note, Seen};
use crate::messages;

/// Why no unit at all could be handed on.
#[derive(Debug)]
pub enum Error {
    /// The request itself is wrong: the user must type something else.
    Usage(String),
    /// The machine lacks something: no clang, disk full, unreadable input.
    Environment(String),
    /// Everything worked and yet no unit came out. Says what was seen instead.
    Nothing(Box<Nothing>),
    /// A promise of this crate does not hold.
    Internal(String),
}

/// What was seen when no unit was captured.
#[derive(Debug, Default)]
pub struct Nothing {
    /// Processes, compilers and skipped files.
    pub seen: Seen,
    /// Units that were found but did not make it.
    pub failures: Vec<Failure>,
    /// Everything else worth saying.
    pub notes: Vec<Note>,
}

impl Error {
    /// The exit code that the shells return for this error.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Usage(_) => 2,
            Error::Environment(_) => 3,
            Error::Nothing(nothing) if nothing.is_typing_mistake() => 2,
            Error::Nothing(_) => 3,
            Error::Internal(_) => 4,
        }
    }

    /// An environment error about reading or writing `path`.
    pub(crate) fn file(doing: &str, path: &Path, error: &io::Error) -> Error {
        Error::Environment(match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => messages::disk_full(doing, path),
            _ => messages::cannot(doing, path, error),
        })
    }
}

impl Nothing {
    /// Every named input was simply not there, so the user mistyped.
    fn is_typing_mistake(&self) -> bool {
        !self.failures.is_empty() && self.failures.iter().all(|failure| failure.kind == FailureKind::Missing)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Usage(text) | Error::Environment(text) | Error::Internal(text) => f.write_str(text),
            Error::Nothing(nothing) => nothing.fmt(f),
        }
    }
}

impl fmt::Display for Nothing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A lone failure is the whole story; there is no need to wrap it into a summary.
        if let [only] = self.failures.as_slice()
            && self.seen.commands <= 1
            && self.seen.build.is_none()
        {
            return write!(f, "{only}");
        }
        if self.seen.commands == 0 && self.failures.is_empty() && self.seen.build.is_none() {
            return f.write_str(messages::NO_C_FILES);
        }
        f.write_str(match self.failures.is_empty() {
            true => messages::NOTHING_CAPTURED,
            false => messages::NOTHING_COMPILED,
        })?;
        for line in self.seen.lines() {
            write!(f, "\n  {line}")?;
        }
        for failure in &self.failures {
            for line in failure.to_string().lines() {
                write!(f, "\n  {line}")?;
            }
        }
        if self.seen.build.is_some() && self.failures.is_empty() {
            write!(f, "\n  {}", messages::CLEAN_FIRST)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
