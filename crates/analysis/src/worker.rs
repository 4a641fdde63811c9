//! A process that works for another one: compiles sources, reads a program, and evaluates functions of it.
//!
//! In: tasks, one after the other. Out: an answer to each, as bytes that go into the cache or the store of whoever asked. A worker
//! keeps nothing but the program that it read last, and needs nothing but to read the files of the project.

use std::num::NonZeroUsize;
use std::path::Path;

use watertight_capture::{Error, Keep, Request, capture, pack};
use watertight_finding::ProblemKind;
use watertight_frontend::lower::Form;
use watertight_path::elsewhere::worker::Worker;
use watertight_path::exits::lost::Exits;
use watertight_path::machine::state::State;
use watertight_path::stories::witness::stories;
use watertight_report::select::RuleSet;

use crate::check::{Checked, at_exit, known, path_options, rules_with};
use crate::crew::{Compile, Load};
use crate::keep::{FUNCTIONS, base};
use crate::load::{Input, Source, Verify, load};
use crate::protect::protect;
use crate::run::{Options, Silent, put_models_first};

/// A task as it arrives.
#[derive(Debug)]
pub struct Asked {
    /// What the answer must have, too.
    pub number: u64,
    /// `compile`, `load` or `evaluate`.
    pub kind: String,
    /// What it is about.
    pub bytes: Vec<u8>,
}

/// Where tasks come from, and answers go.
pub trait Channel: Send {
    /// The next task. None when there will be no more.
    fn next(&mut self) -> Option<Asked>;
    /// Answers a task: with bytes, or why there are none.
    fn answer(&mut self, number: u64, answer: Result<Vec<u8>, String>);
}

/// Does tasks until there are no more. Sources are compiled in folders below `scratch`, which are removed again.
///
/// # Errors
///
/// When no threads can be started.
pub fn work(channel: &mut dyn Channel, scratch: &Path, threads: Option<NonZeroUsize>) -> Result<(), Error> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.map_or(1, NonZeroUsize::get))
        .build()
        .map_err(|error| Error::Environment(format!("cannot start threads: {error}")))?;
    let mut asked = channel.next();
    while let Some(task) = asked {
        asked = match &*task.kind {
            "load" => pool.install(|| with_program(channel, &task)),
            kind => {
                let answer = match kind {
                    "compile" => protect(|| compile(&task.bytes, scratch))
                        .unwrap_or_else(|panic| Err(panic.to_string())),
                    "evaluate" => Err("no program was loaded".to_owned()),
                    _ => Err(format!("this version knows no task `{kind}`")),
                };
                channel.answer(task.number, answer);
                channel.next()
            }
        };
    }
    Ok(())
}

/// Compiles sources in a cache of their own, and gives what is in it.
fn compile(bytes: &[u8], scratch: &Path) -> Result<Vec<u8>, String> {
    let Compile { directory, database, sources, flags, clang } = read(bytes)?;
    let folder = scratch.join("compile");
    let mut request = Request::new(directory);
    request.compile_db = Some(database);
    request.inputs = sources;
    request.flags = flags;
    request.clang = clang;
    request.cache = Some(folder.clone());
    request.keep = Keep::Units;
    request.threads = NonZeroUsize::new(1);
    let done = capture(&request, &Silent);
    let packed = match done {
        // Some other cache took its place: the disk may be full.
        Ok(captured) if captured.is_temporary() => Err(format!("cannot write to `{}`", folder.display())),
        Ok(_) => pack(&folder).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    // What cannot be removed now is removed with all that is there.
    let _ = std::fs::remove_dir_all(&folder);
    postcard::to_stdvec(&packed?).map_err(|error| error.to_string())
}

fn read<'b, T: serde::Deserialize<'b>>(bytes: &'b [u8]) -> Result<T, String> {
    postcard::from_bytes(bytes).map_err(|_| "the task makes no sense to this version".to_owned())
}

/// Reads a program and evaluates functions of it. Gives the first task that is about something else.
fn with_program(channel: &mut dyn Channel, task: &Asked) -> Option<Asked> {
    let (inputs, options) = match wanted(&task.bytes) {
        Ok(wanted) => wanted,
        Err(why) => {
            channel.answer(task.number, Err(why));
            return channel.next();
        }
    };
    let mut loaded = load(&inputs, options.form, options.verify);
    let unread = loaded.problems.iter().find(|problem| problem.kind == ProblemKind::UnitFailed);
    if let Some(problem) = unread.filter(|_| loaded.program.units.is_empty()) {
        channel.answer(task.number, Err(problem.to_string()));
        return channel.next();
    }
    put_models_first(&mut loaded.program, &options);
    let program = &loaded.program;
    let models = known(program, &options, &mut Checked::default());
    let path_options = path_options(program, &options);
    let at_exit = at_exit(&options);
    let inspect = |state: &mut State<'_>, exits: &Exits| stories(state, exits, at_exit);
    let worker = match protect(|| Worker::new(program, &models, &path_options, &base(&options))) {
        Ok(worker) => worker,
        Err(panic) => {
            channel.answer(task.number, Err(panic.to_string()));
            return channel.next();
        }
    };
    channel.answer(task.number, Ok(Vec::new()));
    loop {
        let task = channel.next()?;
        if task.kind != "evaluate" {
            return Some(task);
        }
        let made = protect(|| worker.work(&task.bytes, &inspect));
        let answer = match made {
            Ok(Some(made)) => Ok(made),
            Ok(None) => Err("the batch makes no sense here".to_owned()),
            Err(panic) => Err(panic.to_string()),
        };
        channel.answer(task.number, answer);
    }
}

/// What is to be read, and how.
fn wanted(bytes: &[u8]) -> Result<(Vec<Input>, Options), String> {
    let Load { engine, inputs, models, rules, memory_form, verify } = read(bytes)?;
    if engine != FUNCTIONS {
        return Err("the driver is another version of watertight".to_owned());
    }
    let rules = RuleSet::parse(&rules, &rules_with(&models)).map_err(|error| error.to_string())?;
    let input = |part: crate::crew::Part| Input {
        name: part.name,
        source: if part.is_text { Source::Text(part.path) } else { Source::Bitcode(part.path) },
    };
    let options = Options {
        rules,
        models,
        form: if memory_form { Form::Memory } else { Form::Ssa },
        verify: if verify { Verify::Always } else { Verify::Debug },
        ..Options::default()
    };
    Ok((inputs.into_iter().map(input).collect(), options))
}
