//! `watertight version`: what a bug report should say.

use watertight_capture::clang_for;

use crate::exit::{Exit, Stop};
use crate::output;
use crate::settings::Settings;

/// Prints the version, and which clang would be used. Without a clang this still is an answer.
pub(crate) fn version(settings: &Settings) -> Result<Exit, Stop> {
    let clang = match clang_for(&settings.request()) {
        Ok(clang) => format!("{} ({})", clang.path.display(), clang.version),
        Err(error) => error.to_string(),
    };
    let text = format!("watertight {}\nclang: {clang}\n", env!("CARGO_PKG_VERSION"));
    output::write(None, Box::new(move |out| out.write_all(text.as_bytes())))?;
    Ok(Exit::Clean)
}
