//! `watertight dump`: what a stage makes, as text.
//!
//! Everything a stage makes can be looked at and compared. What could not be done goes to standard error and into the
//! exit code, as with `check`.

use std::fmt::Write as _;

use watertight_analysis::{DumpForm, FlowStage, Form, Goal, Options, Request, Run, counts, dump_flow};
use watertight_finding::ProblemKind;
use watertight_ir::{Printer, Program};

use crate::args::Stage;
use crate::exit::{ASK_FOR_REPORT, Exit, Stop};
use crate::notes;
use crate::output::{self, say};
use crate::settings::Settings;

/// What a dump is about.
#[derive(Debug, Default)]
pub(crate) struct About {
    pub(crate) function: Option<String>,
    pub(crate) dot: bool,
}

/// Prints what a stage makes of what a request asks for.
pub(crate) fn dump(settings: &Settings, stage: Stage, about: &About, request: Request) -> Result<Exit, Stop> {
    let mut options = settings.options();
    let goal = match stage {
        Stage::Counts => Goal::Capture,
        Stage::Ir | Stage::IrMemory | Stage::Totals | Stage::MemorySsa | Stage::ValueFlow => Goal::Load,
    };
    if stage == Stage::IrMemory {
        options.form = Form::Memory;
    }
    let mut run = settings.run(request, goal, options.clone())?;
    let text = match stage {
        Stage::Counts => count(&mut run),
        Stage::Ir | Stage::IrMemory => {
            let mut text = String::new();
            Printer::new(&run.program).program(&mut text).expect("writing to a string cannot fail");
            text
        }
        Stage::Totals => totals(&run.program),
        Stage::MemorySsa => flow(&run.program, &options, FlowStage::MemorySsa, about)?,
        Stage::ValueFlow => flow(&run.program, &options, FlowStage::ValueFlow, about)?,
    };
    notes::tell(settings, &run);
    complain(&run);
    if !run.program.units.is_empty() || stage == Stage::Counts {
        output::write(None, Box::new(move |out| out.write_all(text.as_bytes())))?;
    }
    Ok(Exit::of(&run, 0))
}

fn flow(program: &Program, options: &Options, what: FlowStage, about: &About) -> Result<String, Stop> {
    let Some(name) = &about.function else {
        return Err(Stop::usage("this stage is about one function: name it with `--function`"));
    };
    let form = if about.dot { DumpForm::Graph } else { DumpForm::Text };
    dump_flow(program, options, what, name, form)
        .ok_or_else(|| Stop::usage(format!("no function `{name}` has a body")))
}

/// Says what could not be done, for commands without a report.
pub(crate) fn complain(run: &Run) {
    for problem in &run.problems {
        say(&format!(
            "{}: {}",
            problem.kind.level().name(),
            watertight_report::one_line(&problem.to_string())
        ));
    }
    if run.problems.iter().any(|problem| problem.kind == ProblemKind::InternalError) {
        say(ASK_FOR_REPORT);
    }
}

fn count(run: &mut Run) -> String {
    let mut text = String::new();
    for input in &run.inputs {
        match counts(input) {
            Ok(counts) => {
                if run.inputs.len() > 1 {
                    text.push_str(&format!("file {}\n", input.name));
                }
                text.push_str(&counts.to_string());
            }
            Err(problem) => run.problems.push(problem),
        }
    }
    text
}

fn totals(program: &Program) -> String {
    let bodies = || program.functions.values().filter_map(|function| function.body.as_ref());
    let mut text = String::new();
    for (name, count) in [
        ("units", program.units.len()),
        ("functions", program.functions.len()),
        ("bodies", bodies().count()),
        ("globals", program.globals.len()),
        ("blocks", bodies().map(|body| body.blocks.len()).sum()),
        ("instructions", bodies().map(|body| body.inst_count()).sum()),
        ("values", bodies().map(|body| body.values.len()).sum()),
        ("remarks", program.problems.len()),
    ] {
        writeln!(text, "{name} {count}").expect("writing to a string cannot fail");
    }
    text
}
