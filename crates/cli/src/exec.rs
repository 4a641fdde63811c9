//! `watertight exec`: runs a program in the concrete interpreter.
//!
//! The interpreter is the oracle for everything before it: a program must print here what it prints natively, with
//! its variables in memory and in SSA form. It sees every heap block, so it can also list those never released. There is no world
//! outside; a program that asked for it is told of, because natively it may go another way.

use watertight_analysis::{Form, Goal};
use watertight_interpret::{Absent, End, Interpreter, LiveBlock, Options, Outcome, Reachable};
use watertight_ir::Program;

use crate::args::{Exec, Inputs};
use crate::dump::complain;
use crate::exit::{Exit, Stop};
use crate::messages;
use crate::output::{self, say};
use crate::settings::Settings;

/// The exit code of a program that was stopped because it went wrong; a shell shows the same after `abort`.
const WRONG: u8 = 134;
/// The exit code of a program that took too many steps, as `timeout` has it.
const TOO_LONG: u8 = 124;

/// Runs a program.
pub(crate) fn exec(settings: &Settings, arguments: &Exec) -> Result<Exit, Stop> {
    let mut options = settings.options();
    if arguments.memory_form {
        options.form = Form::Memory;
    }
    let inputs = Inputs {
        files: arguments.files.clone(),
        database: arguments.database.clone(),
        flags: arguments.flags.clone(),
    };
    let run = settings.run(settings.request_for(&inputs), Goal::Load, options)?;
    complain(&run);
    // A program with a part missing is not the program that was asked for.
    let exit = Exit::of(&run, 0);
    if exit != Exit::Clean {
        return Ok(exit);
    }
    let stdin = match &arguments.stdin {
        Some(path) => std::fs::read(path).map_err(|error| messages::cannot_read(path.display(), error))?,
        None => Vec::new(),
    };
    let options = Options { max_steps: arguments.steps, stdin, ..Options::default() };
    let mut words = vec!["program"];
    words.extend(arguments.arguments.iter().map(String::as_str));
    let outcome = Interpreter::new(&run.program, options).run_main(&words);
    output::write(None, Box::new(|out| out.write_all(&outcome.stdout)))?;
    Ok(Exit::Program(tell(settings, &run.program, &outcome, arguments.leaks)))
}

/// Says on standard error what the program said there and how it ended; gives the exit code.
fn tell(settings: &Settings, program: &Program, outcome: &Outcome, leaks: bool) -> u8 {
    // Debug information has whole paths; below the working directory people write the rest.
    let root = format!("({}/", settings.directory.display());
    let say_places = |text: String| say(&text.replace(&root, "("));
    if !outcome.stderr.is_empty() {
        say(String::from_utf8_lossy(&outcome.stderr).trim_end_matches('\n'));
    }
    let code = match &outcome.end {
        End::Exit(code) => *code,
        End::Returned(_) => 0,
        End::Trap(trap) => {
            say_places(format!("watertight: the program was stopped: {}", trap.describe(program)));
            WRONG
        }
        End::StepLimit => {
            say(&format!("watertight: the program was stopped after {} steps", outcome.steps));
            TOO_LONG
        }
    };
    if !outcome.absent.is_empty() {
        say(&messages::natively_otherwise(
            &outcome.absent.iter().map(|&part| name(part)).collect::<Vec<_>>(),
        ));
    }
    if leaks {
        say(&format!("heap blocks never released: {}", outcome.live_blocks.len()));
        for block in &outcome.live_blocks {
            say_places(format!("  {}", describe(program, block)));
        }
    }
    code
}

/// A part of the world outside that is not there.
fn name(absent: Absent) -> &'static str {
    match absent {
        Absent::Files => "files but those that the program writes",
        Absent::Environment => "environment",
        Absent::Clock => "clock that goes on",
        Absent::Processes => "other processes",
        Absent::Signals => "signals",
        Absent::Machine => "terminal, process numbers or limits of the system",
    }
}

fn describe(program: &Program, block: &LiveBlock) -> String {
    let acquired = block.site.map_or("nowhere known".to_owned(), |site| site.describe(program));
    let reachable = match block.reachable {
        Reachable::FromGlobals => "still reachable from a global",
        Reachable::FromStack => "still reachable from a variable",
        Reachable::Lost => "lost",
    };
    format!("{} bytes acquired in {acquired}, {reachable}", block.bytes)
}
