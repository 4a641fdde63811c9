//! `watertight serve`: what the store knows, for a browser.
//!
//! With inputs they are checked first, which fills the store; without, the page shows what the last check has left. The
//! page itself is in `watertight-web`; here plain values are taken from the store and handed to it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use watertight_analysis::{Describe, Described, Goal, Newest, describe_library, newest, rules};
use watertight_finding::{Confidence, Place, Problem};
use watertight_report::select::{RuleSet, by_confidence, by_rules};
use watertight_report::suppress::suppress;
use watertight_report::{Sources, name_constants};
use watertight_store::{Store, StoredFunction};
use watertight_web::guard::Guard;
use watertight_web::{Call, Function, Knowledge, Origin, Site, listen};

use crate::args;
use crate::exit::{Exit, Stop};
use crate::marks::{MarkFile, Shared};
use crate::messages;
use crate::scope::Scope;
use crate::settings::{Settings, Talk};
use crate::sources::Files;
use crate::{notes, output};

/// So many runs are drawn: a year of days.
const MOST_RUNS: usize = 365;

/// Serves until the process is ended.
pub(crate) fn serve(settings: &Settings, arguments: &args::Serve) -> Result<Exit, Stop> {
    let known = rules();
    let on = match arguments.rules.as_ref().or(settings.config.rules.as_ref()) {
        Some(list) => RuleSet::parse(list, &known).map_err(|error| Stop::usage(error.to_string()))?,
        None => RuleSet::defaults(&known),
    };
    let scope = settings.project_scope()?;
    // What cannot be read is said before the work and not after it.
    MarkFile::read(&settings.root)?;
    // With `--no-cache` nothing is kept, but the page needs a store to look at.
    let scratch = match settings.store {
        Some(_) => None,
        None => Some(tempfile::tempdir().map_err(messages::no_temporary_directory)?),
    };
    let own = scratch.as_ref().map(|scratch| scratch.path().to_path_buf());
    let folder = settings.store.clone().or(own).unwrap_or_default();
    let (mut problems, mut read) = (Vec::new(), Vec::new());
    if !arguments.inputs.files.is_empty() || arguments.inputs.database.is_some() {
        (problems, read) = fill(settings, arguments, &folder, &on)?;
    }
    let files = || Files::new(&settings.directory, read.iter().cloned());
    let store = Store::open_existing(&folder).map_err(|unusable| messages::nothing_to_serve(&unusable.0))?;
    let Some(last) = newest(&store) else {
        return Err(messages::nothing_to_serve("the store has no run of this version of watertight"));
    };
    let knowledge = knowledge(settings, arguments, &store, last, (&on, &scope), problems, &files());
    // The address is taken before anything is said, since it may be taken already.
    let listening =
        listen(arguments.listen).map_err(|error| messages::cannot_listen(arguments.listen, error))?;
    let address = listening.address;
    let token = token(address)?;
    let guard =
        Guard::new(address, &arguments.hosts, token.clone()).map_err(|_| messages::needs_token(address))?;
    let marks = Shared::new(&settings.root, store, &knowledge.findings);
    let site = Site::new(knowledge, Box::new(files()), Box::new(marks));
    let query = token.map(|token| format!("?token={token}")).unwrap_or_default();
    if settings.talk != Talk::Quiet {
        output::say("the page of this project is ready; Ctrl-C ends it");
    }
    output::write(None, Box::new(move |out| writeln!(out, "http://{address}/{query}")))?;
    listening.serve(site, guard);
    Ok(Exit::Clean)
}

/// Checks the inputs, which fills the store. Gives what only this run knows: its problems, and the files that clang read.
fn fill(
    settings: &Settings,
    arguments: &args::Serve,
    folder: &Path,
    on: &RuleSet,
) -> Result<(Vec<Problem>, Vec<PathBuf>), Stop> {
    let mut options = settings.options();
    options.rules = on.clone();
    options.store = Some(folder.to_path_buf());
    options.describe = Describe::Nothing;
    let run = settings.run(settings.request_for(&arguments.inputs), Goal::Check, options)?;
    notes::tell(settings, &run);
    Ok((run.problems, run.read.into_iter().collect()))
}

/// What the store knows, as the page takes it.
fn knowledge(
    settings: &Settings,
    arguments: &args::Serve,
    store: &Store,
    last: Newest,
    (on, scope): (&RuleSet, &Scope),
    mut problems: Vec<Problem>,
    files: &Files,
) -> Knowledge {
    let known = rules();
    let mut findings = by_rules(last.findings, on, &known);
    scope.keep_findings(&mut findings);
    let mut sources = Sources::new(files);
    name_constants(&mut findings, &mut sources);
    let suppressed = suppress(findings, &[], &known, on, &mut sources);
    let least = arguments.confidence.or(settings.config.confidence).unwrap_or(Confidence::Medium);
    let (findings, hidden) = by_confidence(suppressed.kept, least);
    problems.extend(last.problems);
    scope.keep_problems(&mut problems);
    problems.sort();
    problems.dedup();
    let (functions, calls) = functions(store, &settings.options().models, &mut problems);
    Knowledge {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        root: settings.directory.display().to_string(),
        rules: known,
        findings,
        problems,
        coverage: last.coverage,
        hidden,
        functions,
        calls,
        runs: store.runs(MOST_RUNS),
    }
}

/// The functions of the program and those that it calls, and the calls between them.
fn functions(store: &Store, models: &[PathBuf], problems: &mut Vec<Problem>) -> (Vec<Function>, Vec<Call>) {
    let rows = store.functions("", 0, i64::MAX as usize);
    let numbers: BTreeMap<i64, usize> = rows.iter().enumerate().map(|(index, row)| (row.id, index)).collect();
    let by_place: BTreeMap<(String, String), usize> = rows
        .iter()
        .enumerate()
        .map(|(index, StoredFunction { row, .. })| ((row.name.clone(), row.file.clone()), index))
        .collect();
    let mut functions: Vec<Function> = rows.into_iter().map(function).collect();
    for (id, effect) in store.effects() {
        if let Some(&index) = numbers.get(&id) {
            functions[index].effects.push(effect);
        }
    }
    let rows = store.calls();
    // What is called and not defined is a library function, described by a model or not.
    let outside: BTreeSet<&str> =
        rows.iter().filter(|(_, call)| call.file.is_none()).map(|(_, call)| call.callee.as_str()).collect();
    let mut described: BTreeMap<String, Described> =
        describe_library(&outside, models, problems).into_iter().map(|one| (one.name.clone(), one)).collect();
    let mut libraries: BTreeMap<&str, usize> = BTreeMap::new();
    for name in outside {
        libraries.insert(name, functions.len());
        functions.push(library(name, described.remove(name)));
    }
    let mut calls = Vec::new();
    for (caller, call) in &rows {
        let callee = match &call.file {
            Some(file) => by_place.get(&(call.callee.clone(), file.clone())),
            None => libraries.get(call.callee.as_str()),
        };
        if let (Some(&caller), Some(&callee)) = (numbers.get(caller), callee) {
            calls.push(Call { caller, callee });
        }
    }
    (functions, calls)
}

fn function(StoredFunction { row, .. }: StoredFunction) -> Function {
    Function {
        place: Some(Place::new(row.file, row.line, 0).in_function(&*row.name)),
        name: row.name,
        is_static: row.is_static,
        origin: Origin::Code,
        does: row.does.lines().map(str::to_owned).collect(),
        behaviours: row.behaviours.split_whitespace().map(str::to_owned).collect(),
        effects: Vec::new(),
        model: row.model,
        given_up: row.given_up,
    }
}

fn library(name: &str, described: Option<Described>) -> Function {
    let Some(described) = described else {
        return Function { name: name.to_owned(), origin: Origin::Unknown, ..Function::default() };
    };
    Function {
        name: name.to_owned(),
        origin: Origin::Model(described.model_file.unwrap_or_default()),
        does: described.does,
        behaviours: described.behaviours.into_iter().map(str::to_owned).collect(),
        model: described.model,
        ..Function::default()
    }
}

/// The token: from the environment, or made up where others can reach the page.
fn token(address: SocketAddr) -> Result<Option<String>, Stop> {
    if let Some(token) = std::env::var("WATERTIGHT_TOKEN").ok().filter(|token| !token.is_empty()) {
        // It goes into an address and a cookie.
        return match token.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_') {
            true => Ok(Some(token)),
            false => Err(messages::bad_token()),
        };
    }
    if address.ip().is_loopback() {
        return Ok(None);
    }
    let mut bytes = [0; 16];
    let read = std::fs::File::open("/dev/urandom").and_then(|mut random| random.read_exact(&mut bytes));
    match read {
        Ok(()) => Ok(Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())),
        Err(_) => Err(messages::needs_token(address)),
    }
}
