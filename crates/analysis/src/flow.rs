//! The seam between the program and the flow engine.
//!
//! In: a joined program, its models, and what the path engine has found, if it ran. Out: the findings beside those, what was given
//! up, and what it cost; or one stage as text. What must hold: where the path engine has looked at all of a function, its
//! verdict counts more.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use watertight_finding::{Doubt, Place, Problem, ProblemKind};
use watertight_flow::Leaks;
use watertight_flow::dump::Form;
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{FuncId, Op, Program};
use watertight_pointer::PointsTo;
use watertight_summary::Effect;
use watertight_summary::model::Models;

use crate::check::{Checked, models};
use crate::protect::protect;
use crate::run::Options;

/// What the flow engine had to do (the columns of the value-flow paper's Tables 3 and 4), and where its time went.
#[derive(Debug, Default, Clone)]
pub struct FlowCosts {
    /// How much there was, by name.
    pub counts: Vec<(&'static str, u64)>,
    /// The time of each phase.
    pub parts: Vec<(&'static str, Duration)>,
}

/// What the flow engine makes of a program by itself.
pub(crate) struct Followed {
    /// Nothing if points-to met its limits; a panic's words if it failed.
    leaks: Result<Option<Leaks>, String>,
    costs: Option<FlowCosts>,
}

/// Follows what the program acquires. This needs nothing of the path engine, so that the two can run side by side.
pub(crate) fn follow(program: &Program, models: &Models) -> Followed {
    let done = protect(|| {
        let start = Instant::now();
        let points_to = PointsTo::new(program, models);
        let solved = start.elapsed();
        let leaks = watertight_flow::leaks(program, models, &points_to, Instant::now);
        let costs = flow_costs(program, models, &points_to, leaks.as_ref(), solved);
        (leaks, costs)
    });
    match done {
        Ok((leaks, costs)) => Followed { leaks: Ok(leaks), costs: Some(costs) },
        Err(panic) => Followed { leaks: Err(panic.to_string()), costs: None },
    }
}

/// Adds what the flow engine has found to what is told already.
pub(crate) fn tell(program: &Program, models: &Models, followed: Followed, checked: &mut Checked) {
    checked.flow = followed.costs;
    let leaks = match followed.leaks {
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
            story.doubts.add(Doubt::FlowAlone);
        }
        let finding =
            watertight_checkers::judge(&story).filter(|finding| !told.contains(&point(&finding.place)));
        checked.findings.extend(finding);
    }
    let mut given_up: Vec<FuncId> = leaks.given_up.iter().map(|site| site.0).collect();
    given_up.dedup();
    for function in &given_up {
        let cause = "what it acquires goes to too many places for the flow engine";
        checked.problems.push(crate::check::about(program, *function, ProblemKind::GivenUp, cause));
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
