//! Walking through what is unread, in the terminal: the finding with its source, then the questions.
//!
//! In go the findings of a program and its entries, and answers line by line; out come the entries with verdicts. The file is
//! written after every answer, so that nothing is lost when the reader stops. Answers come from any reader of lines:
//! from a person or from a script.

use std::io::{BufRead, Write};

use super::bench::Bench;
use super::check::{Checked, Told};
use super::program::Program;
use super::report::Step;
use super::source::Sources;
use super::verdict::{self, CAUSES, Entry, Verdict};

/// How many lines are shown around the first and the last step of a way.
const AROUND: u32 = 3;

/// Whether the reader wants to go on.
#[derive(PartialEq, Eq)]
pub(super) enum Going {
    On,
    Stop,
}

/// Asks about every unread entry of a program that the report still has.
pub(super) fn judge(
    bench: &Bench,
    program: &Program,
    checked: &Checked,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> Result<Going, String> {
    let path = verdict::path(bench, &program.name);
    let mut entries = verdict::read(&path)?;
    let sources = Sources::new(&bench.room(program).tree());
    let waiting: Vec<usize> = (0..entries.len()).filter(|&i| entries[i].verdict == Verdict::Unread).collect();
    let total = waiting.len();
    for (number, i) in waiting.into_iter().enumerate() {
        let Some(told) = checked.findings.iter().find(|told| told.print.is_same(&entries[i].print)) else {
            continue;
        };
        let head = format!("\n==== {} {} of {total} ====\n", program.name, number + 1);
        let text = head + &show(told, &sources);
        output.write_all(text.as_bytes()).map_err(|error| error.to_string())?;
        match ask(&mut entries[i], input, output)? {
            Answer::Given => verdict::write(&path, &entries)?,
            Answer::Skipped => {}
            Answer::Stop => return Ok(Going::Stop),
        }
    }
    Ok(Going::On)
}

enum Answer {
    Given,
    Skipped,
    Stop,
}

fn ask(entry: &mut Entry, input: &mut dyn BufRead, output: &mut dyn Write) -> Result<Answer, String> {
    let verdict = loop {
        match &*line("verdict (real, memory, ending, false; skip, quit): ", input, output)? {
            "s" | "skip" => return Ok(Answer::Skipped),
            "q" | "quit" => return Ok(Answer::Stop),
            answer => {
                let fits = |verdict: &Verdict| !answer.is_empty() && verdict.name().starts_with(answer);
                if let Some(verdict) = Verdict::READ.into_iter().find(fits) {
                    break verdict;
                }
            }
        }
    };
    entry.cause = None;
    while verdict == Verdict::False && entry.cause.is_none() {
        let answer = line(&format!("cause ({}): ", CAUSES.join(", ")), input, output)?;
        if answer == "quit" {
            return Ok(Answer::Stop);
        }
        entry.cause = Some(answer).filter(|answer| CAUSES.contains(&&**answer));
    }
    entry.why = line("why, in a sentence: ", input, output)?;
    entry.verdict = verdict;
    Ok(Answer::Given)
}

/// One answer; the end of the input is `quit`.
fn line(prompt: &str, input: &mut dyn BufRead, output: &mut dyn Write) -> Result<String, String> {
    write!(output, "{prompt}").and_then(|()| output.flush()).map_err(|error| error.to_string())?;
    let mut text = String::new();
    let read = input.read_line(&mut text).map_err(|error| error.to_string())?;
    Ok(if read == 0 { "quit".to_owned() } else { text.trim().to_owned() })
}

/// A finding with the source of its steps.
fn show(told: &Told, sources: &Sources) -> String {
    let finding = &told.finding;
    let mut out = format!("{} [{}] {}\n", finding.rule, finding.confidence, finding.message);
    for assumption in &finding.assumptions {
        out += &format!("  assumed: {}\n", assumption.text);
    }
    for (number, exit) in finding.exits.iter().enumerate() {
        out += &format!("  way {} of {}\n", number + 1, finding.exits.len());
        for step in &exit.steps {
            let around = if step.kind == "acquire" || step.kind == "lost" { AROUND } else { 0 };
            out += &show_step(step, around, sources);
        }
    }
    out
}

fn show_step(step: &Step, around: u32, sources: &Sources) -> String {
    let file = sources.relative(&step.place.file);
    let line = step.place.line.unwrap_or(0);
    let function = step.place.function.as_deref().unwrap_or("?");
    let mut out = format!("  {file}:{line} in {function}: {}\n", step.text);
    let Some(text) = sources.text(&file) else { return out };
    for shown in line.saturating_sub(around).max(1)..=line + around {
        let mark = if shown == line { '>' } else { ' ' };
        out += &format!("    {mark} {shown:5} {}\n", text.line(shown));
    }
    out
}
