//! The seam between the program and the engines.
//!
//! In: a joined program. Out: findings, how much was looked at, and what could not be done. An engine is plugged in
//! here and nowhere else; the rules come from the checkers.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use watertight_finding::{Confidence, Coverage, Finding, Place, Problem, ProblemKind, Rule, RuleId, Switch};
use watertight_flow::Leaks;
use watertight_flow::dump::Form;
use watertight_ir::callgraph::{CallGraph, direct_callee};
use watertight_ir::{FuncId, Op, Program, Table};
use watertight_path::evaluate::state::State;
use watertight_path::leaving::ends::Globals;
use watertight_path::leaving::exits::Exits;
use watertight_path::reuse::{Memory, Nothing};
use watertight_path::stories::witness::{AtExit, Stories, stories};
use watertight_path::{Costs, Options as PathOptions, Scope, analyse_with};
use watertight_pointer::PointsTo;
use watertight_summary::model::{self, Models};
use watertight_summary::property;
use watertight_summary::{Completeness, Effect, Summary};

use crate::copies::{Copies, is_copy};
use crate::describe::{Described, describe_all};
use crate::lockers::{Lockers, lockers};
use crate::protect::protect;
use crate::run::{Describe, Engine, Options};

/// What the engines say about a program.
#[derive(Debug, Default)]
pub struct Checked {
    /// Before merging, suppressing and selecting.
    pub findings: Vec<Finding>,
    /// How much was looked at.
    pub coverage: Coverage,
    /// What was given up or could not be done.
    pub problems: Vec<Problem>,
    /// What the path engine spent.
    pub costs: Costs,
    /// How many functions move states.
    pub lockers: Lockers,
    /// What the flow engine had to do, and where its time went, if it ran.
    pub flow: Option<FlowCosts>,
    /// What functions do, if that was asked for.
    pub described: Vec<Described>,
    /// What else it found out, if it ran.
    pub(crate) insight: Option<Insight>,
}

/// What the flow engine had to do (the columns of the value-flow paper's Tables 3 and 4), and where its time went.
#[derive(Debug, Default, Clone)]
pub struct FlowCosts {
    /// How much there was, by name.
    pub counts: Vec<(&'static str, u64)>,
    /// The time of each phase.
    pub parts: Vec<(&'static str, Duration)>,
}

/// What the path engine knows of the functions of a program.
#[derive(Debug)]
pub(crate) struct Insight {
    pub(crate) models: Models,
    pub(crate) summaries: Table<FuncId, Option<Summary>>,
    pub(crate) calls: CallGraph,
    pub(crate) given_up: Vec<(FuncId, &'static str)>,
}

impl Insight {
    /// Whether all of a function was looked at.
    fn is_whole(&self, function: FuncId) -> bool {
        let whole = |summary: &Summary| summary.completeness == Completeness::Whole;
        self.summaries[function].as_ref().is_some_and(whole)
            && self.given_up.iter().all(|given_up| given_up.0 != function)
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
        let read = std::fs::read_to_string(path).ok();
        let parsed = read.and_then(|text| property::parse(&path.display().to_string(), &text).ok());
        parsed.into_iter().for_each(|property| properties.add(property));
    }
    for mistake in properties.iter().flat_map(|(_, property)| &property.errors) {
        let (text, help) = (&mistake.text, &mistake.help);
        let default = if mistake.quiet { Switch::Off } else { Switch::On };
        let rule = watertight_checkers::property::rule(&mistake.rule, text, mistake.cwe, help, default);
        let Some(rule) = rule else { continue };
        match rules.iter_mut().find(|known| known.id == rule.id) {
            Some(known) => known.default = known.default.min(rule.default),
            None => rules.push(rule),
        }
    }
    rules.sort_by(|one, other| one.id.cmp(&other.id));
    rules
}

/// Whether a file of the user holds a property rather than models.
fn is_property(path: &std::path::Path) -> bool {
    path.extension().is_some_and(|end| end == "property")
}

/// Checks a program.
#[must_use]
pub fn check(program: &Program, options: &Options) -> Checked {
    check_with(program, options, &Nothing)
}

/// Checks a program, with what earlier runs remember of its functions.
pub(crate) fn check_with(program: &Program, options: &Options, memory: &dyn Memory<Stories>) -> Checked {
    let mut checked = Checked {
        coverage: Coverage {
            files: program.units.len() as u64,
            functions: program.defined().count() as u64,
            proved: None,
        },
        ..Checked::default()
    };
    let mut models = models(program, &options.models, &mut checked.problems);
    only_wanted(&mut models, options);
    if models.properties.iter().any(|(_, property)| property.is_annotated()) {
        models.claims = crate::annotations::read(program);
    }
    if options.engine != Engine::Flow {
        path(program, &models, options, memory, &mut checked);
    }
    if options.engine != Engine::Path {
        flow(program, &models, &mut checked);
    }
    if let Some(insight) = &mut checked.insight {
        insight.models = models;
    }
    checked
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

/// Whether what is held at the end of the process is asked for. It is off by default, and what globals hold is a
/// question of its own for every function.
pub(crate) fn at_exit(options: &Options) -> AtExit {
    match options.rules.contains(&watertight_checkers::leak_at_exit::RULE.id) {
        true => AtExit::Told,
        false => AtExit::Ignored,
    }
}

/// What the flow engine finds beside what is told already.
fn flow(program: &Program, models: &Models, checked: &mut Checked) {
    let work = || {
        let start = Instant::now();
        let points_to = PointsTo::new(program, models);
        let solved = start.elapsed();
        let leaks = watertight_flow::leaks(program, models, &points_to, Instant::now);
        let costs = flow_costs(program, models, &points_to, leaks.as_ref(), solved);
        (leaks, costs)
    };
    let done = protect(work).map(|(leaks, costs)| {
        checked.flow = Some(costs);
        leaks
    });
    let leaks = match done {
        Ok(Some(leaks)) => leaks,
        Ok(None) => {
            let cause = "the points-to analysis met its limits, so the flow engine says nothing";
            checked.problems.push(Problem::new(ProblemKind::GivenUp, "the program", cause));
            return;
        }
        Err(panic) => {
            let cause = format!("the flow engine failed: {panic}");
            checked.problems.push(Problem::new(ProblemKind::InternalError, "the program", cause));
            return;
        }
    };
    let told: BTreeSet<Point> = checked.findings.iter().map(|finding| point(&finding.place)).collect();
    for leak in &leaks.leaks {
        let mut story = watertight_flow::story::story(program, models, leak);
        // The path engine has looked at every path of this function, and has found that nothing is lost.
        if checked.insight.as_ref().is_some_and(|insight| insight.is_whole(leak.function)) {
            story.confidence = Confidence::Low;
        }
        let finding =
            watertight_checkers::judge(&story).filter(|finding| !told.contains(&point(&finding.place)));
        checked.findings.extend(finding);
    }
    let mut given_up: Vec<FuncId> = leaks.given_up.iter().map(|site| site.0).collect();
    given_up.dedup();
    for function in &given_up {
        let name = &*program.functions[*function].name;
        let cause = "what it acquires goes to too many places for the flow engine";
        checked.problems.push(Problem::new(ProblemKind::GivenUp, name, cause));
    }
}

/// The columns of Tables 3 and 4 and the phases of Fig. 6 of the value-flow paper.
fn flow_costs(
    program: &Program,
    models: &Models,
    points_to: &PointsTo<'_>,
    leaks: Option<&Leaks>,
    solved: Duration,
) -> FlowCosts {
    let bodies = || program.functions.values().filter_map(|function| function.body.as_ref());
    let releases = |name: &str| {
        let outcomes = models.functions.get(name).map_or(&[][..], |summary| &summary.outcomes[..]);
        let mut effects = outcomes.iter().flat_map(|outcome| &outcome.effects);
        effects.any(|effect| matches!(effect, Effect::Release { .. }))
    };
    let release_sites = bodies().flat_map(|body| body.insts.values().map(move |inst| (body, inst)));
    let release_sites = release_sites.filter(|(body, inst)| match &inst.op {
        Op::Call(call) => {
            direct_callee(body, call).is_some_and(|callee| releases(&program.functions[callee].name))
        }
        _ => false,
    });
    let solving = &points_to.figures;
    let figures = leaks.map(|leaks| leaks.figures).unwrap_or_default();
    FlowCosts {
        counts: vec![
            ("functions", bodies().count() as u64),
            ("pointers", solving.pointers as u64),
            ("loads", solving.loads as u64),
            ("stores", solving.stores as u64),
            ("objects", solving.objects as u64),
            ("constraints", solving.constraints as u64),
            ("rounds", u64::from(solving.waves)),
            ("steps", solving.steps),
            ("bytes of sets", solving.set_bytes as u64),
            ("allocation sites", figures.sources),
            ("release sites", release_sites.count() as u64),
            ("memory versions", figures.versions),
            ("their uses", figures.links),
            ("slices", figures.slices),
            ("nodes", figures.nodes),
            ("edges", figures.edges),
            ("nodes of the largest slice", figures.largest),
            ("nodes of a slice on average", figures.nodes / figures.slices.max(1)),
            ("given up", leaks.map_or(0, |leaks| leaks.given_up.len()) as u64),
            ("candidates", figures.candidates),
            ("refuted", figures.refuted),
            ("confirmed", figures.confirmed),
            ("doubtful", figures.doubtful),
        ],
        parts: vec![
            ("points-to", solved),
            ("mod/ref", figures.footprints),
            ("slices", figures.slicing),
            ("guards", figures.guarding),
            ("solver", figures.solving),
        ],
    }
}

/// What the flow engine makes of one function, as text.
#[must_use]
pub fn dump_flow(
    program: &Program,
    options: &Options,
    what: FlowStage,
    name: &str,
    form: Form,
) -> Option<String> {
    let function = program.functions.iter().find(|(_, data)| &*data.name == name && data.body.is_some())?.0;
    let models = models(program, &options.models, &mut Vec::new());
    let points_to = PointsTo::new(program, &models);
    match what {
        FlowStage::MemorySsa => watertight_flow::memory_ssa(program, &models, &points_to, function, form),
        FlowStage::ValueFlow => {
            Some(watertight_flow::value_flow(program, &models, &points_to, function, form))
        }
    }
}

/// What the flow engine makes on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlowStage {
    /// Versions of memory, and where they are read and written.
    MemorySsa,
    /// Where goes what the function acquires.
    ValueFlow,
}

/// File, line and column.
type Point = (String, u32, u32);

fn point(place: &Place) -> Point {
    let (file, line, column) = place.point();
    (file.to_owned(), line, column)
}

/// What the path engine finds.
fn path(
    program: &Program,
    models: &Models,
    options: &Options,
    memory: &dyn Memory<Stories>,
    checked: &mut Checked,
) {
    let at_exit = at_exit(options);
    let path_options = PathOptions {
        protect: |work| protect(work).map_err(|panic| panic.to_string()),
        stumble: options.stumble.as_deref().and_then(|name| {
            let named = program.functions.iter().find(|(_, function)| &*function.name == name);
            named.map(|(id, _)| id)
        }),
        visit: options.visit,
        // What globals hold at the end depends on every function that takes something from them.
        scope: match at_exit {
            AtExit::Told => Scope::All,
            AtExit::Ignored => Scope::Resources,
        },
        clock: || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default(),
        ..PathOptions::default()
    };
    let inspect = |state: &mut State<'_>, exits: &Exits| stories(state, exits, at_exit);
    let analysis = match protect(|| analyse_with(program, models, &path_options, memory, &inspect)) {
        Ok(analysis) => analysis,
        Err(panic) => {
            let cause = format!("the path engine failed: {panic}");
            checked.problems.push(Problem::new(ProblemKind::InternalError, "the program", cause));
            return;
        }
    };
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
    for (function, cause) in &analysis.given_up {
        let name = &*program.functions[*function].name;
        checked.problems.push(Problem::new(ProblemKind::GivenUp, name, *cause));
    }
    checked.insight = analysis.calls.map(|calls| Insight {
        models: Models::default(),
        summaries: analysis.summaries,
        calls,
        given_up: analysis.given_up,
    });
}

/// A failure of ours on one function.
fn mistake(program: &Program, function: FuncId, who: &str, message: &str) -> Problem {
    let name = &*program.functions[function].name;
    Problem::new(ProblemKind::InternalError, name, format!("{who} failed: {message}"))
}

/// The shipped models of what the program calls, and the user's own, which come first.
pub(crate) fn models(program: &Program, files: &[PathBuf], problems: &mut Vec<Problem>) -> Models {
    let names: BTreeSet<&str> = program.functions.values().map(|function| &*function.name).collect();
    models_of(&names, files, problems)
}

/// The shipped models of functions with these names, and the user's own, which come first.
pub(crate) fn models_of(names: &BTreeSet<&str>, files: &[PathBuf], problems: &mut Vec<Problem>) -> Models {
    let mut models = model::shipped_for(&|name| names.contains(name));
    for path in files {
        let name = path.display().to_string();
        let mut complain =
            |cause: String| problems.push(Problem::new(ProblemKind::Configuration, &*name, cause));
        match std::fs::read_to_string(path) {
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
