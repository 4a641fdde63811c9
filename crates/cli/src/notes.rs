//! What is said beside the results: flags that were dropped, how the build ended, how units fit together.
//!
//! In few words by default, in full with `-v`, not at all with `-q`. Problems are part of the report and not said
//! here, except for the compiler's own words about units that failed.

use std::ffi::OsStr;
use std::path::Path;

use watertight_analysis::Run;
use watertight_capture::{Note, NoteKind};
use watertight_report::one_line;

use crate::output::say;
use crate::settings::{Settings, Talk};

/// Says what a person may want to know about a run.
pub(crate) fn tell(settings: &Settings, run: &Run) {
    for line in lines(run, settings.talk) {
        say(&line);
    }
}

fn lines(run: &Run, talk: Talk) -> Vec<String> {
    let full = match talk {
        Talk::Quiet => return Vec::new(),
        Talk::Usual => false,
        Talk::Full => true,
    };
    let mut lines = Vec::new();
    let told = |note: &&Note| full || note.kind != NoteKind::Protection;
    let (flags, others): (Vec<_>, Vec<_>) =
        run.notes.iter().filter(told).partition(|note| note.kind == NoteKind::Flag);
    let remarks = &run.program.problems;
    lines.extend(other_language(run));
    lines.extend(others.iter().map(|note| format!("note: {}", one_line(&note.to_string()))));
    if full {
        lines.extend(run.seen.lines().into_iter().map(|line| format!("note: {line}")));
        lines.extend(flags.iter().map(|note| format!("note: {}", one_line(&note.to_string()))));
        for failure in &run.failures {
            let mut text = failure.to_string();
            text.retain(|c| c == '\n' || c == '\t' || !c.is_control());
            lines.push(format!("note: {text}"));
        }
        let remark = |remark: &watertight_ir::Problem| {
            format!("note: {}: {}", one_line(&remark.subject), one_line(&remark.message))
        };
        lines.extend(remarks.iter().map(remark));
    } else {
        let mut hidden = Vec::new();
        match flags.len() {
            0 => {}
            1 => hidden.push("1 compiler flag was dropped or replaced".to_owned()),
            many => hidden.push(format!("{many} compiler flags were dropped or replaced")),
        }
        let mains =
            remarks.iter().filter(|remark| remark.message.starts_with("`main` is defined")).count() + 1;
        match remarks.len() {
            0 => {}
            many if mains > 1 => lines.push(format!(
                "note: {mains} units define `main`, so these are several programs, and calls between units are matched by guess; check one \
                 program at a time for better results ({} on how units fit together; -v shows them)",
                if many == 1 { "1 remark".to_owned() } else { format!("{many} remarks") }
            )),
            1 => hidden.push("1 remark on how the units fit together".to_owned()),
            many => hidden.push(format!("{many} remarks on how the units fit together")),
        }
        if !hidden.is_empty() {
            lines.push(format!("note: {} (-v shows details)", hidden.join("; ")));
        }
    }
    lines
}

/// What is said of C++, once.
fn other_language(run: &Run) -> Option<String> {
    let is_cpp = |name: &str| {
        let extension = Path::new(name).extension().and_then(OsStr::to_str).unwrap_or_default();
        matches!(extension, "cc" | "cpp" | "cxx" | "c++" | "C")
    };
    let count = run.inputs.iter().filter(|input| is_cpp(&input.name)).count();
    let units = match count {
        0 => return None,
        1 => "1 C++ unit is".to_owned(),
        many => format!("{many} C++ units are"),
    };
    Some(format!("note: {units} checked for resources of C only: `new` and `delete` are not followed"))
}
