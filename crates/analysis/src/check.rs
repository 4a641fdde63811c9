//! The seam between the program and the engines.
//!
//! In: a joined program. Out: findings, how much was looked at, and what could not be done. The path engine is
//! plugged in here and the flow engine in `flow.rs`, and nowhere else; the rules come from the checkers.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use watertight_finding::{
    Confidence, Coverage, Doubt, Finding, GIVEN_UP, Place, Problem, ProblemKind, Rule, RuleId, Story, Switch,
    broken_sentence, with_article,
};
use watertight_ir::callgraph::CallGraph;
use watertight_ir::{FuncId, Program, Table};
use watertight_path::assumptions::Supposed;
use watertight_path::elsewhere::Task;
use watertight_path::elsewhere::driver::{Handed, analyse_elsewhere};
use watertight_path::exits::ends::Globals;
use watertight_path::exits::lost::Exits;
use watertight_path::machine::state::State;
use watertight_path::members::drops;
use watertight_path::owners::losses;
use watertight_path::reuse::Recollection;
use watertight_path::schedule::memory::{Memory, Nothing};
use watertight_path::stories::witness::{AtExit, Stories, stories};
use watertight_path::{Costs, Options as PathOptions, Scope, analyse_with};
use watertight_summary::model::{self, Models};
use watertight_summary::property;
use watertight_summary::{Completeness, Summary};

use crate::annotations::Stamp;
use crate::copies::{Copies, is_copy};
use crate::crew::Crew;
use crate::describe::{Described, describe_all};
use crate::disagree::{Disagreement, disagreements};
use crate::flow::{self, FlowCosts};
use crate::linked::LeftOut;
use crate::lockers::{Lockers, lockers};
use crate::makers::ask_callers;
use crate::protect::protect;
use crate::replay::{Replays, replay};
use crate::run::{Describe, Engine, Options};

/// What the engines say about a program.
#[derive(Debug, Default)]
pub struct Checked {
    /// Before merging, suppressing and selecting.
    pub findings: Vec<Finding>,
    /// What does not happen when it is run.
    pub refuted: Vec<Finding>,
    /// What nothing in the program makes happen.
    pub latent: Vec<Finding>,
    /// What runs of the findings showed.
    pub replays: Replays,
    /// Where runs and the path engine differ, if that was asked for.
    pub disagreements: Vec<Disagreement>,
    /// How much was looked at.
    pub coverage: Coverage,
    /// What was given up or could not be done.
    pub problems: Vec<Problem>,
    /// What the path engine spent.
    pub costs: Costs,
    /// What it handed out to other processes, if there are any.
    pub handed: Option<Handed>,
    /// How many functions move states.
    pub lockers: Lockers,
    /// How many functions are known from attributes in the source alone.
    pub attributed: u64,
    /// The time that looking for annotations in the source took.
    pub reading: Duration,
    /// The source files that annotations were looked for in.
    pub(crate) sources: Vec<Stamp>,
    /// What the flow engine had to do, and where its time went, if it ran.
    pub flow: Option<FlowCosts>,
    /// What functions do, if that was asked for.
    pub described: Vec<Described>,
    /// What else it found out, if it ran.
    pub(crate) insight: Option<Insight>,
}

/// What the path engine knows of the functions of a program.
#[derive(Debug)]
pub(crate) struct Insight {
    pub(crate) models: Models,
    pub(crate) summaries: Table<FuncId, Option<Summary>>,
    pub(crate) calls: CallGraph,
    pub(crate) given_up: Vec<FuncId>,
}

impl Insight {
    /// Whether all of a function was looked at.
    pub(crate) fn is_whole(&self, function: FuncId) -> bool {
        let whole = |summary: &Summary| summary.completeness == Completeness::Whole;
        self.summaries[function].as_ref().is_some_and(whole) && !self.given_up.contains(&function)
    }
}

/// Every rule that this version can check.
#[must_use]
pub fn rules() -> Vec<Rule> {
    rules_with(&[])
}

/// The same with those that property files of a user define. Files that cannot be read are told when they are used.
#[must_use]
pub fn rules_with(files: &[PathBuf]) -> Vec<Rule> {
    let mut rules: Vec<Rule> = watertight_checkers::rules().into_iter().cloned().collect();
    let mut properties = property::shipped();
    for path in files.iter().filter(|path| is_property(path)) {
        let read = watertight_capture::plain::read_to_string(path).ok();
        let parsed = read.and_then(|text| property::parse(&path.display().to_string(), &text).ok());
        parsed.into_iter().for_each(|property| properties.add(property));
    }
    let mistakes = properties
        .iter()
        .flat_map(|(_, property)| property.errors.iter().map(|error| (&*property.noun, error)));
    for (noun, mistake) in mistakes {
        let help = &mistake.help;
        let summary = summary(noun, &mistake.text);
        let default = if mistake.quiet { Switch::Off } else { Switch::On };
        let rule = watertight_checkers::property::rule(&mistake.rule, &summary, mistake.cwe, help, default);
        let Some(rule) = rule else { continue };
        match rules.iter_mut().find(|known| known.id == rule.id) {
            Some(known) => known.default = known.default.min(rule.default),
            None => rules.push(rule),
        }
    }
    rules.sort_by(|one, other| one.id.cmp(&other.id));
    rules
}

/// What a rule is about in a sentence: "a function can return without unlocking a mutex".
fn summary(noun: &str, text: &str) -> String {
    broken_sentence(text, &with_article(noun), "a function", "a call")
}

/// Whether a file of the user holds a property rather than models.
fn is_property(path: &std::path::Path) -> bool {
    path.extension().is_some_and(|end| end == "property")
}

/// Checks a program.
#[must_use]
pub fn check(program: &Program, options: &Options) -> Checked {
    check_with(program, options, &Means::Alone(&Nothing))
}

/// Checks a program, with what earlier runs remember of its functions.
pub(crate) fn check_with(program: &Program, options: &Options, means: &Means<'_>) -> Checked {
    let mut checked = Checked {
        coverage: Coverage {
            files: program.units.len() as u64,
            functions: program.defined().count() as u64,
            ..Coverage::default()
        },
        ..Checked::default()
    };
    let models = known(program, options, &mut checked);
    // The flow engine has one thread for itself as long as it works; the path engine has the others, and then all.
    let (_, followed) = rayon::join(
        || {
            if options.engine != Engine::Flow {
                path(program, &models, options, means, &mut checked);
            }
        },
        || (options.engine != Engine::Path).then(|| flow::follow(program, &models)),
    );
    if let Some(followed) = followed {
        flow::tell(program, &models, followed, &mut checked);
    }
    if let Some(insight) = &mut checked.insight {
        insight.models = models;
    }
    checked
}

/// What is known of a program before it is checked: models, and what the source says.
pub(crate) fn known(program: &Program, options: &Options, checked: &mut Checked) -> Models {
    let mut models = models(program, &options.models, &mut checked.problems);
    only_wanted(&mut models, options);
    let begin = SystemTime::now();
    let annotations = crate::annotations::read(program, &models);
    checked.reading = begin.elapsed().unwrap_or_default();
    models.claims = annotations.claims;
    checked.sources = annotations.stamps;
    if let Some(text) = &annotations.owners {
        match model::parse("attributes", text).and_then(|file| Ok((file.models.len(), models.add(file)?))) {
            Ok((count, _)) => checked.attributed = count as u64,
            Err(errors) => checked.problems.extend(errors.iter().map(|error| {
                Problem::new(ProblemKind::InternalError, "attributes in the source", error.to_string())
            })),
        }
    }
    models
}

/// The shipped properties that are followed only because somebody asks.
pub(crate) fn asked_for(options: &Options) -> Vec<Box<str>> {
    let mut models = Models { properties: property::shipped(), ..Models::default() };
    models.properties.retain(|property| property.quiet);
    only_wanted(&mut models, options);
    models.properties.iter().map(|(_, property)| property.name.clone()).collect()
}

/// Leaves out properties that are followed only when somebody asks.
pub(crate) fn only_wanted(models: &mut Models, options: &Options) {
    let wanted = |rule: &str| RuleId::parse(rule).is_ok_and(|rule| options.rules.contains(&rule));
    models
        .properties
        .retain(|property| !property.quiet || property.errors.iter().any(|mistake| wanted(&mistake.rule)));
}

/// What is asked about the end of the process. The rule is off by default, and what globals hold is a question of its own
/// for every function; what `main` holds is asked in any case, because a program that frees nothing is not clean.
pub(crate) fn at_exit(options: &Options) -> AtExit {
    match options.rules.contains(&watertight_checkers::leak_at_exit::RULE.id) {
        true => AtExit::All,
        false => AtExit::OfMain,
    }
}

/// Who evaluates functions.
pub(crate) enum Means<'m> {
    /// This process, with what earlier runs remember.
    Alone(&'m dyn Memory<Stories>),
    /// Other processes.
    Together { recollection: &'m Recollection<'m>, crew: &'m Crew<'m> },
}

/// How the path engine goes about it.
pub(crate) fn path_options(program: &Program, options: &Options) -> PathOptions {
    PathOptions {
        protect: |work| protect(work).map_err(|panic| panic.to_string()),
        stumble: options.stumble.as_deref().and_then(|name| {
            let named = program.functions.iter().find(|(_, function)| &*function.name == name);
            named.map(|(id, _)| id)
        }),
        visit: options.visit,
        assumptions: options.assumptions,
        // What globals hold at the end depends on every function that takes something from them.
        scope: match at_exit(options) {
            AtExit::All => Scope::All,
            AtExit::OfMain => Scope::Resources,
        },
        clock: || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default(),
        ..PathOptions::default()
    }
}

/// What the path engine finds.
fn path(program: &Program, models: &Models, options: &Options, means: &Means<'_>, checked: &mut Checked) {
    let at_exit = at_exit(options);
    let path_options = path_options(program, options);
    let inspect = |state: &mut State<'_>, exits: &Exits| stories(state, exits, at_exit);
    let analysed = protect(|| match means {
        Means::Alone(memory) => (analyse_with(program, models, &path_options, *memory, &inspect), None),
        Means::Together { recollection, crew } => {
            let load = |worker| crew.load(worker);
            let help = (crew.workers, &load as &(dyn Fn(usize) -> Task + Sync));
            let (analysis, handed) =
                analyse_elsewhere(program, models, &path_options, recollection, help, &inspect);
            (analysis, Some(handed))
        }
    });
    let mut analysis = match analysed {
        Ok((analysis, handed)) => {
            checked.handed = handed;
            analysis
        }
        Err(panic) => {
            let cause = format!("the path engine failed: {panic}");
            checked.problems.push(Problem::new(ProblemKind::InternalError, "the program", cause));
            return;
        }
    };
    let whole = analysis.whole.take().expect("it is there when all functions had their turn");
    checked.costs = analysis.costs;
    checked.lockers = lockers(&analysis.summaries, &models.properties);
    checked.lockers.annotated = models.claims.len() as u64;
    if options.describe == Describe::Functions {
        match protect(|| describe_all(program, models, &analysis.summaries)) {
            Ok(described) => checked.described = described,
            Err(panic) => {
                let cause = format!("telling what functions do failed: {panic}");
                checked.problems.push(Problem::new(ProblemKind::InternalError, "the program", cause));
            }
        }
    }
    for (function, message) in &analysis.mistakes {
        checked.problems.push(mistake(program, *function, "the path engine", message));
    }
    let mut globals = Globals::new(program, models, &analysis.summaries);
    for (function, stories) in &analysis.reports {
        globals.take(*function, &stories.taken);
        globals.end(&stories.ended);
    }
    ask_callers(program, &whole.calls, &analysis.summaries, &mut analysis.reports);
    // Nothing is shown that does not happen when it is run.
    let (replays, refuted) =
        replay(program, models, &whole, &globals, &analysis.summaries, &mut analysis.reports);
    for (function, message) in &replays.mistakes {
        checked.problems.push(mistake(program, *function, "replay", message));
    }
    checked.replays = replays;
    if options.describe == Describe::Runs {
        checked.disagreements =
            disagreements(program, models, &whole, &analysis.summaries, &analysis.reports, &refuted);
    }
    let refuted = refuted.iter().filter_map(|(_, told)| watertight_checkers::judge(&told.story));
    checked.refuted.extend(refuted);
    let told = analysis.reports.iter().flat_map(|(_, stories)| &stories.told);
    let latent = told.filter(|told| told.is_latent());
    checked.latent.extend(latent.filter_map(|told| watertight_checkers::judge(&told.story)));
    let left_out = LeftOut::new(program);
    for (function, stories) in &mut analysis.reports {
        if left_out.has(program.functions[*function].unit) {
            stories.told.iter_mut().for_each(|told| told.story.doubts.add(Doubt::NotLinked));
        }
    }
    let mut copies = Copies::default();
    for (function, stories) in &analysis.reports {
        let judged = protect(|| {
            let told = stories.told.iter().filter(|told| told.is_true(&globals));
            told.filter_map(|told| watertight_checkers::judge(&told.story)).collect::<Vec<_>>()
        });
        match judged {
            Ok(findings) if is_copy(&program.functions[*function]) => {
                findings.into_iter().for_each(|finding| copies.add(finding));
            }
            Ok(findings) => checked.findings.extend(findings),
            Err(panic) => {
                checked.problems.push(mistake(program, *function, "a rule", &panic.to_string()));
            }
        }
    }
    checked.findings.extend(copies.told());
    let told = analysis.reports.iter().flat_map(|(_, stories)| &stories.told);
    let told: Vec<&Story> = told.filter(|told| told.is_true(&globals)).map(|told| &told.story).collect();
    let omitted = protect(|| match options.assumptions.make(Supposed::MembersOwn) {
        true => {
            let mut omitted = drops(program, models, &analysis.summaries, &whole.calls);
            let told = told.iter().copied().filter(|story| story.confidence() > Confidence::Low);
            let all = told.chain(omitted.iter().map(|(_, story)| story));
            let places: Vec<&Place> =
                all.filter_map(|story| story.steps.last()).map(|step| &step.place).collect();
            let lost = losses(program, models, &analysis.summaries, &whole.calls, &places);
            omitted.extend(lost);
            omitted
        }
        false => Vec::new(),
    });
    match omitted {
        Ok(stories) => {
            let stories = stories.iter();
            checked.findings.extend(stories.filter_map(|(_, story)| watertight_checkers::judge(story)));
        }
        Err(panic) => {
            let cause = format!("looking for members that are left out failed: {panic}");
            checked.problems.push(Problem::new(ProblemKind::InternalError, "the program", cause));
        }
    }
    for &function in &analysis.given_up {
        checked.problems.push(about(program, function, ProblemKind::GivenUp, GIVEN_UP));
    }
    checked.insight = Some(Insight {
        models: Models::default(),
        summaries: analysis.summaries,
        calls: whole.calls,
        given_up: analysis.given_up,
    });
}

/// A failure of ours on one function.
fn mistake(program: &Program, function: FuncId, who: &str, message: &str) -> Problem {
    about(program, function, ProblemKind::InternalError, format!("{who} failed: {message}"))
}

/// A problem with one function, at the line on which it is defined.
pub(crate) fn about(
    program: &Program,
    function: FuncId,
    kind: ProblemKind,
    cause: impl Into<String>,
) -> Problem {
    let problem = Problem::new(kind, &*program.functions[function].name, cause);
    let place = program.functions[function].place.and_then(|place| program.source_place(function, place));
    match place {
        Some(place) => problem.at(Place::new(place.file, place.line, place.column)),
        None => problem,
    }
}

/// The shipped models of what the program calls, and the user's own, which come first.
pub(crate) fn models(program: &Program, files: &[PathBuf], problems: &mut Vec<Problem>) -> Models {
    let names: BTreeSet<&str> = program.functions.values().map(|function| &*function.name).collect();
    let foreign = program.functions.values().filter(|function| function.body.is_none());
    let foreign: BTreeSet<&str> = foreign.map(|function| &*function.name).collect();
    // A function means what its body says. Only a program that has no C library beneath it may be one that others are built on, which
    // is known by what it defines.
    let hosted = HOSTED.iter().any(|name| foreign.contains(name));
    let shown = if hosted { &foreign } else { &names };
    add_own(model::shipped_among(&|name| names.contains(name), &|name| shown.contains(name)), files, problems)
}

/// What only a program calls that has a C library beneath it.
const HOSTED: [&str; 5] = ["malloc", "calloc", "realloc", "free", "exit"];

/// The shipped models of functions with these names, and the user's own, which come first.
pub(crate) fn models_of(names: &BTreeSet<&str>, files: &[PathBuf], problems: &mut Vec<Problem>) -> Models {
    add_own(model::shipped_for(&|name| names.contains(name)), files, problems)
}

/// Adds the user's own models, which come first.
fn add_own(mut models: Models, files: &[PathBuf], problems: &mut Vec<Problem>) -> Models {
    for path in files {
        let name = path.display().to_string();
        let mut complain =
            |cause: String| problems.push(Problem::new(ProblemKind::Configuration, &*name, cause));
        match watertight_capture::plain::read_to_string(path) {
            Err(error) => complain(format!("cannot read this file: {error}")),
            Ok(text) if is_property(path) => match property::parse(&name, &text) {
                Ok(property) => models.properties.add(property),
                Err(errors) => errors.iter().for_each(|error| complain(error.to_string())),
            },
            Ok(text) => match model::parse(&name, &text).and_then(|file| models.add(file)) {
                Ok(_) => {}
                Err(errors) => errors.iter().for_each(|error| complain(error.to_string())),
            },
        }
    }
    models
}

/// What a stage of the path engine makes of one function, as text.
#[must_use]
pub fn dump_path(
    program: &Program,
    options: &Options,
    stage: watertight_path::dump::Stage,
    name: &str,
) -> Option<String> {
    let function = program.functions.iter().find(|(_, data)| &*data.name == name && data.body.is_some())?.0;
    let models = models(program, &options.models, &mut Vec::new());
    watertight_path::dump::dump(program, &models, function, stage)
}
