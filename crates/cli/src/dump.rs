//! `watertight dump`: what a stage makes, as text.
//!
//! Everything a stage makes can be looked at and compared. What could not be done goes to standard error and into the
//! exit code, as with `check`.

use std::fmt::Write as _;

use watertight_analysis::{
    Ask, Describe, DumpForm, FlowStage, Form, Goal, PathStage, Request, Run, ask, counts, dump_flow,
    dump_path, pointing_to_json,
};
use watertight_finding::ProblemKind;
use watertight_ir::{Printer, Program};

use crate::args::{Inputs, Stage};
use crate::exit::{ASK_FOR_REPORT, Exit, Stop};
use crate::messages;
use crate::notes;
use crate::output::{self, say};
use crate::project;
use crate::settings::Settings;

/// Prints what a stage makes of what a request asks for.
pub(crate) fn dump(settings: &Settings, stage: Stage, request: Request) -> Result<Exit, Stop> {
    dump_as(settings, stage, request, false, DumpForm::Text)
}

/// What `watertight dump` is to read: what was typed, or else the project. Before that comes what the stage is about, if it is about
/// something.
pub(crate) fn request(settings: &Settings, stage: Stage, typed: &Inputs) -> Result<Request, Stop> {
    let mut files = typed.files.clone();
    let names_function = !matches!(
        stage,
        Stage::Counts | Stage::IrMemory | Stage::Ir | Stage::Totals | Stage::Replay | Stage::Runs
    );
    let subject = (names_function && !files.is_empty()).then(|| files.remove(0));
    let inputs = Inputs { files, database: typed.database.clone(), flags: typed.flags.clone() };
    // The file of an expression is a program by itself, if there is nothing else.
    let by_itself = stage == Stage::PointsTo && inputs.files.is_empty() && inputs.database.is_none();
    let nothing_asked = names_function && subject.is_none();
    let inputs = if by_itself || nothing_asked { inputs } else { project::complete(settings, &inputs)? };
    let mut request = settings.request_for(&inputs);
    request.inputs.splice(0..0, subject);
    Ok(request)
}

/// The same; answers to questions are written as JSON where that is asked for.
pub(crate) fn dump_as(
    settings: &Settings,
    stage: Stage,
    mut request: Request,
    json: bool,
    form: DumpForm,
) -> Result<Exit, Stop> {
    let of_function = match stage {
        Stage::MemorySsa => Some(FunctionStage::Flow(FlowStage::MemorySsa)),
        Stage::ValueFlow => Some(FunctionStage::Flow(FlowStage::ValueFlow)),
        Stage::Guards => Some(FunctionStage::Path(PathStage::Guards)),
        Stage::Exits => Some(FunctionStage::Path(PathStage::Exits)),
        Stage::Outcomes => Some(FunctionStage::Path(PathStage::Outcomes)),
        Stage::Doubts => Some(FunctionStage::Path(PathStage::Doubts)),
        _ => None,
    };
    if let Some(what) = of_function {
        return dump_function(settings, what, request, form);
    }
    if let Some(question) = question(stage, &mut request)? {
        return answer(settings, &question, request, json);
    }
    let mut options = settings.options();
    let goal = match stage {
        Stage::Counts => Goal::Capture,
        Stage::Replay | Stage::Runs => Goal::Check,
        _ => Goal::Load,
    };
    match stage {
        Stage::IrMemory => options.form = Form::Memory,
        Stage::Replay => options.describe = Describe::Replays,
        Stage::Runs => options.describe = Describe::Runs,
        _ => {}
    }
    let mut run = settings.run(request, goal, options)?;
    let text = match stage {
        Stage::Counts => count(&mut run),
        Stage::Replay => replays(&run),
        Stage::Runs => disagreements(&run),
        Stage::Ir | Stage::IrMemory => {
            let mut text = String::new();
            Printer::new(&run.program).program(&mut text).expect("writing to a string cannot fail");
            text
        }
        _ => totals(&run.program),
    };
    notes::tell(settings, &run);
    complain(&run);
    if !run.program.units.is_empty() || stage == Stage::Counts {
        output::write(None, Box::new(move |out| out.write_all(text.as_bytes())))?;
    }
    Ok(Exit::of(&run, 0))
}

/// One line for each story that was run.
fn replays(run: &Run) -> String {
    let mut text = String::new();
    for replay in &run.replays.list {
        let (from, to) = replay.lines;
        let words = [replay.verdict, replay.confidence.name(), &replay.function, &replay.detail];
        let [verdict, confidence, function, detail] = words;
        let _ = write!(text, "{verdict} {confidence} {function}:{from}-{to} {detail}");
        let doubts = replay.doubts.join(", ");
        let _ = writeln!(text, " [{}, {}: {doubts}]", replay.urgency.name(), replay.after.name());
    }
    text
}

/// One line for each disagreement between runs and the path engine.
fn disagreements(run: &Run) -> String {
    let mut text = String::new();
    for one in &run.disagreements {
        let _ = writeln!(text, "{} {} {}", one.function, one.number, one.kind);
    }
    text
}

/// What an engine makes of one function.
enum FunctionStage {
    Flow(FlowStage),
    Path(PathStage),
}

/// What an engine makes of a function, which the first input names.
fn dump_function(
    settings: &Settings,
    what: FunctionStage,
    mut request: Request,
    form: DumpForm,
) -> Result<Exit, Stop> {
    if request.inputs.is_empty() {
        return Err(messages::no_function_named("watertight dump STAGE FUNCTION FILE..."));
    }
    let name = request.inputs.remove(0).to_string_lossy().into_owned();
    let options = settings.options();
    let run = settings.run(request, Goal::Load, options.clone())?;
    notes::tell(settings, &run);
    complain(&run);
    let text = match what {
        FunctionStage::Flow(stage) => dump_flow(&run.program, &options, stage, &name, form),
        FunctionStage::Path(stage) => dump_path(&run.program, &options, stage, &name),
    };
    let text = text.ok_or_else(|| messages::no_body(&name))?;
    output::write(None, Box::new(move |out| out.write_all(text.as_bytes())))?;
    Ok(Exit::of(&run, 0))
}

/// The question that a stage asks. The first input says what it is about.
fn question(stage: Stage, request: &mut Request) -> Result<Option<Ask>, Stop> {
    let ask: fn(String) -> Ask = match stage {
        Stage::PointsTo => Ask::PointsTo,
        Stage::Callers => Ask::Callers,
        Stage::Callees => Ask::Callees,
        Stage::ModRef => Ask::ModRef,
        _ => return Ok(None),
    };
    if request.inputs.is_empty() {
        return Err(match stage {
            Stage::PointsTo => messages::no_expression_named(),
            _ => messages::no_function_named("watertight dump STAGE FUNCTION FILE..."),
        });
    }
    let about = request.inputs.remove(0).to_string_lossy().into_owned();
    if stage == Stage::PointsTo && !about.contains('@') {
        return Err(messages::not_an_expression(&about));
    }
    // The file of an expression is a program by itself, if there is nothing else.
    if stage == Stage::PointsTo
        && request.inputs.is_empty()
        && request.compile_db.is_none()
        && let Some((_, place)) = about.rsplit_once('@')
        && let Some((file, _)) = place.rsplit_once(':')
    {
        request.inputs.push(file.into());
    }
    Ok(Some(ask(about)))
}

fn answer(settings: &Settings, question: &Ask, request: Request, json: bool) -> Result<Exit, Stop> {
    let mut options = settings.options();
    let mut run = settings.run(request.clone(), Goal::Load, options.clone())?;
    crate::nearby::add(&mut options.models, &request);
    let answer = ask(&run.program, &options, question, &mut run.problems);
    notes::tell(settings, &run);
    complain(&run);
    let answer = answer.map_err(Stop::usage)?;
    let text = match json {
        true => pointing_to_json(&answer),
        false => {
            let mut text = answer.question;
            text.push('\n');
            if answer.lines.is_empty() {
                text.push_str("  nothing\n");
            }
            for line in &answer.lines {
                writeln!(text, "  {line}").expect("writing to a string cannot fail");
            }
            text
        }
    };
    output::write(None, Box::new(move |out| out.write_all(text.as_bytes())))?;
    Ok(Exit::of(&run, 0))
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
