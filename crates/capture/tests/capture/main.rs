//! The whole capture, on small projects in temporary directories. Needs clang, a C compiler and, for one test, make.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up may panic")]

#[cfg(target_os = "linux")]
mod builds;
mod common;
mod files;
