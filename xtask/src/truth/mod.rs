//! The truth bench: real programs with kept verdicts, and what a build of watertight says of them.
//!
//! The binary under test is driven as a program and its JSON report is read, so that any build of any commit can be
//! measured; no engine is linked here. The corpus, its formats and how verdicts are made are described in
//! `corpus/README.md`, the figures in `docs/evaluation.md`.
//!
//! The way of a program: [`fetch`] its sources, [`build`] it once under watch, [`check`] it with any binary. The way of
//! a finding: its [`fingerprint`] from the report and the text ([`source`], [`tokens`]), its [`verdict`], and the
//! figures ([`tally`], [`urgency`], [`tables`], [`page`]). [`recall`] takes releases out ([`mutant`], [`choose`]), and [`peers`] gives the same mutants to other tools; [`compare`] holds two
//! builds against each other; [`add`] and [`judge`] are for readers; [`first`] keeps the first reading of each program.

mod add;
mod bench;
mod build;
mod check;
mod choose;
mod commands;
mod compare;
mod fetch;
mod fingerprint;
mod first;
mod judge;
mod mutant;
mod page;
mod peers;
mod program;
mod recall;
mod recall_tables;
mod report;
mod sample;
mod shell;
mod source;
mod stubs;
mod table;
mod tables;
mod tally;
#[cfg(test)]
mod tests;
mod tokens;
mod urgency;
mod verdict;

pub(crate) use commands::truth;
