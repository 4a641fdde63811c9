//! `watertight summary`: what a function does with memory, in words.

use watertight_analysis::{
    Assumed, Described, Form, FunctionProof, Goal, Options, ProveLimits, Question, Unknown,
    describe_function, prove, spell_described, to_json,
};

use crate::args::{self, Inputs};
use crate::exit::{Exit, Stop};
use crate::messages;
use crate::nearby;
use crate::settings::Settings;
use crate::{dump, notes, output, project};

/// Prints what is known of a function.
pub(crate) fn summary(settings: &Settings, arguments: &args::Summary) -> Result<Exit, Stop> {
    let name = &arguments.function;
    let mut options = settings.options();
    let (inputs, missing) = of_project(settings, arguments);
    let inputs = &inputs;
    let request = settings.request_for(inputs);
    let mut run = if inputs.files.is_empty() && inputs.database.is_none() {
        // The models of library functions can be asked for without a program.
        watertight_analysis::Run::default()
    } else {
        settings.run(request.clone(), Goal::Load, options.clone())?
    };
    nearby::add(&mut options.models, &request);
    let described = describe_function(&run.program, &options, name, &mut run.problems);
    notes::tell(settings, &run);
    dump::complain(&run);
    let mut described = described.map_err(|unknown| match missing {
        // The program was not read, so nothing can be said of its functions.
        Some(stop) => messages::not_in_library(name, stop),
        None => why(name, &unknown),
    })?;
    let typed = run.inputs.iter().map(|input| input.name.as_str());
    spell_described(&mut described, &settings.directory, typed);
    let text = match arguments.json {
        true => to_json(&described),
        false => told(&described) + &proved(settings, inputs, name, &options)?,
    };
    output::write(None, Box::new(move |out| out.write_all(text.as_bytes())))?;
    Ok(Exit::of(&run, 0))
}

/// What to read: what was typed; else nothing for a library function, and the project for any other. If there is no project, why not.
fn of_project(settings: &Settings, arguments: &args::Summary) -> (Inputs, Option<Stop>) {
    let typed = &arguments.inputs;
    let as_typed = || Inputs {
        files: typed.files.clone(),
        database: typed.database.clone(),
        flags: typed.flags.clone(),
    };
    let is_open = typed.files.is_empty() && typed.database.is_none();
    let nothing = watertight_analysis::Run::default();
    let is_library = || {
        describe_function(&nothing.program, &settings.options(), &arguments.function, &mut Vec::new()).is_ok()
    };
    match is_open && !is_library() {
        true => match project::complete(settings, typed) {
            Ok(inputs) => (inputs, None),
            Err(stop) => (as_typed(), Some(stop)),
        },
        false => (as_typed(), None),
    }
}

/// Whether the function of the program cannot lose memory. Proofs are about assignments as the source has them, so the
/// program is read once more, with its variables in memory.
fn proved(settings: &Settings, inputs: &Inputs, name: &str, options: &Options) -> Result<String, Stop> {
    if inputs.files.is_empty() && inputs.database.is_none() {
        return Ok(String::new());
    }
    let mut options = options.clone();
    options.form = Form::Memory;
    let mut run = settings.run(settings.request_for(inputs), Goal::Load, options.clone())?;
    let names: Vec<String> = run.inputs.iter().map(|input| input.name.clone()).collect();
    let question = Question { function: Some(name.to_owned()), places: Vec::new() };
    let limits = ProveLimits::default();
    let proofs =
        prove(&run.program, &settings.directory, &names, &question, &limits, &options, &mut run.problems);
    let told = |proof: &FunctionProof| {
        let claim = match &proof.open {
            None => format!("  `{}` is proved leak-free: nothing is lost while it runs", proof.name),
            Some(why) => format!("  `{}` is proved to lose nothing itself; {why}", proof.name),
        };
        let assumed: Vec<&str> = proof.assumptions().into_iter().map(Assumed::name).collect();
        match assumed.is_empty() {
            true => format!("{claim}\n"),
            false => format!("{claim}\n    assuming {}\n", assumed.join(", ")),
        }
    };
    let proved = proofs.iter().filter(|proof| !proof.answers.is_empty() && proof.is_proved());
    Ok(proved.map(told).collect())
}

fn told(described: &[Described]) -> String {
    let mut text = String::new();
    for one in described {
        let from = match (&one.place, &one.model_file) {
            (Some(place), _) => format!(" ({place})"),
            (None, Some(file)) => format!(" (described by the models of `{file}`)"),
            (None, None) => String::new(),
        };
        text.push_str(&format!("{}{from}\n", one.name));
        for sentence in &one.does {
            text.push_str(&format!("  {sentence}\n"));
        }
        if !one.behaviours.is_empty() {
            text.push_str(&format!("  behaviours: {}\n", one.behaviours.join(", ")));
        }
    }
    text
}

fn why(name: &str, unknown: &Unknown) -> Stop {
    match unknown {
        Unknown::Name(near) if near.is_empty() => messages::no_function(name),
        Unknown::Name(near) => {
            let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
            messages::no_function_but(name, &near.join(" or "))
        }
        Unknown::OnlyDeclared => messages::only_declared(name),
        Unknown::Mistake(message) => messages::engine_failed(message),
    }
}
