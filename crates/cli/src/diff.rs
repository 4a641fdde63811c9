//! `watertight diff`: what differs between two reports.

use std::path::Path;

use watertight_capture::plain;
use watertight_report::diff::{self, Reported};

use crate::args::{self, DiffFormat};
use crate::exit::{Exit, Stop};
use crate::messages;
use crate::output;
use crate::settings::{Settings, Talk};

/// The most moved findings that are listed without `-v`.
const MOST_MOVED: usize = 5;

pub(crate) fn diff(settings: &Settings, arguments: &args::Diff) -> Result<Exit, Stop> {
    let old = read(&arguments.old)?;
    let new = read(&arguments.new)?;
    if settings.talk != Talk::Quiet {
        tell_gaps(&arguments.old, &old);
        tell_gaps(&arguments.new, &new);
    }
    let diff = diff::compare(&old, &new);
    let most = if settings.talk == Talk::Full { usize::MAX } else { MOST_MOVED };
    let text = match arguments.format {
        DiffFormat::Text => diff::to_text(&diff, most),
        DiffFormat::Json => diff::to_json(&diff),
    };
    output::write(arguments.output.as_deref(), Box::new(move |out| out.write_all(text.as_bytes())))?;
    Ok(if diff.new.is_empty() || arguments.exit_zero { Exit::Clean } else { Exit::Findings })
}

fn read(path: &Path) -> Result<Reported, Stop> {
    let name = path.display();
    if !path.exists() {
        return Err(messages::nothing_to_compare(&name.to_string()));
    }
    let text = plain::read_to_string(path).map_err(|error| messages::cannot_read(&name, error))?;
    diff::read(&text).map_err(|error| messages::not_comparable(&name, error))
}

/// Says why something may look new or fixed that is not.
fn tell_gaps(path: &Path, report: &Reported) {
    let name = path.display();
    if !report.complete {
        output::say(&format!(
            "note: `{name}` is the report of a run that could not check everything, so findings may be missing in it"
        ));
    }
    if report.hidden > 0 {
        let findings = if report.hidden == 1 { "finding" } else { "findings" };
        output::say(&format!(
            "note: `{name}` leaves out {} {findings} of lower confidence; `check --confidence low` writes all",
            report.hidden
        ));
    }
}
