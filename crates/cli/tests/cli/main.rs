#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
//! The command line, from outside: each test runs the binary as a user would.
//!
//! One test program for all of them, because linking one takes as long as running many.

mod bad_input;
mod baselines;
mod bitstream;
mod blocks;
mod determinism;
mod diffs;
mod divided;
mod documents;
mod dumps;
mod editors;
mod examples;
mod figures;
mod findings;
#[cfg(unix)]
mod hostile;
mod inputs;
mod limits;
mod marks;
mod messages;
mod mistakes;
mod model_files;
mod packages;
mod pages;
mod pointing;
mod programs;
mod project;
mod properties;
mod rules;
mod sarif;
mod schema;
#[cfg(unix)]
mod services;
mod settings;
mod slips;
mod store;
mod summaries;
mod support;
#[cfg(unix)]
mod workers;
