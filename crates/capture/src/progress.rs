//! How a capture tells a shell that it moves on. The shell draws; nothing here prints.
//!
//! Calls come from several threads, in the order `phase(Build)`, `phase(Gather)`, `start(n)`, `unit_done` n times,
//! `finish()`; the phases in front are left out when they do not happen.

/// What a capture is busy with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Running the build that is wrapped.
    Build,
    /// Finding and understanding compile commands.
    Gather,
}

/// How one unit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// clang compiled it.
    Compiled,
    /// It was in the cache.
    Cached,
    /// It was bitcode already.
    Given,
    /// It gives the same content as another unit and is not handed on twice.
    SameContent,
    /// It failed.
    Failed,
}

/// Receives the progress of a capture. Every method has a default that does nothing.
pub trait Progress: Sync {
    /// A phase without known length begins.
    fn phase(&self, _phase: Phase) {}
    /// Units are about to be compiled, this many.
    fn start(&self, _total: usize) {}
    /// One unit is through.
    fn unit_done(&self, _name: &str, _outcome: Outcome) {}
    /// All units are through.
    fn finish(&self) {}
}

/// Progress that nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}
