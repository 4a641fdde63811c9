//! Text, and formats for programs, services and browsers, from findings.
//!
//! In go the findings of a run, its problems and the sources they point at; out come bytes for people or
//! programs. This crate sees only [`watertight_finding`]: it knows no engine, reads no file, and asks no
//! clock. The shell reads files for it through [`SourceProvider`] and decides where the bytes go.
//!
//! The way of a finding: [`watertight_finding::merge`], then [`suppress::suppress`], then
//! [`select::by_confidence`] and a [`baseline`], then one of the writers:
//!
//! | Module | For |
//! | --- | --- |
//! | [`text`] | people at a terminal |
//! | [`gcc`] | editors and build logs, one line per statement |
//! | [`json`] | programs that want everything, with a schema of our own |
//! | [`sarif`] | code scanning services and other tools |
//! | [`github`] | annotations in GitHub Actions |
//! | [`gitlab`] | GitLab's code quality report |
//! | [`junit`] | build services that show test results |
//! | [`checkstyle`] | review and build services |
//! | [`html`] | people with a browser: one file with the paths drawn into the source |
//!
//! What must hold: the same report gives the same bytes, and nothing that the program under analysis contains
//! can break a format, or reach a terminal as a control character through the formats for people. A new format
//! is a new module with a `write` function.
//!
//! # Example
//!
//! ```
//! use watertight_report::{Report, gcc};
//! let mut out = Vec::new();
//! gcc::write(&mut out, &Report::new("0.1.0", &[]))?;
//! assert!(out.is_empty());
//! # Ok::<(), std::io::Error>(())
//! ```

pub mod baseline;
pub mod checkstyle;
mod comments;
mod constants;
mod cxx;
pub mod diff;
mod escape;
mod excerpt;
mod extent;
mod fingerprint;
pub mod gcc;
pub mod github;
pub mod gitlab;
pub mod html;
pub mod json;
pub mod junit;
mod notes;
mod paths;
mod pointing;
mod report;
pub mod rule_page;
pub mod sarif;
pub mod select;
mod source;
pub mod suppress;
pub mod text;
mod wording;
mod xml;

#[cfg(test)]
mod testing;

pub use constants::name_constants;
pub use escape::one_line;
pub use fingerprint::{Fingerprint, SCHEME, fingerprint, fingerprint_of};
pub use report::{Contract, Ending, Report};
pub use source::{NoSources, SourceFile, SourceMap, SourceProvider, Sources};
