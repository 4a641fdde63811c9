//! Panics as values.
//!
//! A panic is a mistake of ours, never control flow. [`protect`] runs a piece of work and gives the panic back as a
//! [`Panic`], so that the run can go on with the rest. By itself a caught panic tells its message only, and Rust has
//! already printed it to standard error; after [`watch`] it is silent and tells its place as well. The hook that
//! `watch` installs belongs to the process, so only a shell calls it, once.
//!
//! ```
//! use watertight_analysis::protect::protect;
//! assert_eq!(protect(|| 1 + 1), Ok(2));
//! assert_eq!(protect(|| -> u32 { panic!("no value") }).unwrap_err().to_string(), "no value");
//! ```

use std::cell::RefCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A panic that was caught.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panic {
    message: String,
}

impl fmt::Display for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

thread_local! {
    /// Message and place of the latest panic of this thread, left by the hook for whoever catches it.
    static LATEST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Makes panics silent and lets [`protect`] name their places, in the whole process.
pub fn watch() {
    std::panic::set_hook(Box::new(|info| {
        let message = text(info.payload());
        let place = info.location().map_or(String::new(), |at| format!(" ({}:{})", at.file(), at.line()));
        LATEST.set(Some(format!("{message}{place}")));
    }));
}

/// Runs `work`. What it was working on is lost when it panics, so half-changed state cannot be seen afterwards.
pub fn protect<T>(work: impl FnOnce() -> T) -> Result<T, Panic> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let message = LATEST.take().unwrap_or_else(|| text(payload.as_ref()));
        Panic { message }
    })
}

fn text(payload: &(dyn std::any::Any + Send)) -> String {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "a panic without a message".to_owned(),
    }
}
