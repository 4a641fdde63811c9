//! What the stages of the engine make of one function, as text.
//!
//! In: a program, models, a function and a stage. Out: lines for people and for tests. Guards are sums of cases, each a
//! conjunction of conditions on terms; unknowns are `x3`, and `x3#1` where the caller has a name for them, which is told at the end.

use crate::context::report::Report;
use crate::exits::lost::{Exits, LostBy};
use crate::limits::SHOWN_CASES;
use crate::machine::memory::{ObjectId, Origin};
use crate::machine::state::State;
use crate::schedule::analyse::Options;
use crate::schedule::run::analyse;
use crate::stories::witness::{AtExit, stories};
use std::fmt::Write;
use watertight_ir::{FuncId, InstId, Program};
use watertight_logic::cone::support;
use watertight_logic::guard::Guard;
use watertight_summary::model::Models;
use watertight_summary::model::{Spelling, print};

/// What is shown of a function.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Stage {
    /// When control gets to each copy of a block.
    Guards,
    /// What becomes of each object that was acquired.
    Exits,
    /// The summary, as a model would say it.
    Outcomes,
    /// Why each loss may not be true, and which unknowns that is about.
    Doubts,
}

/// What a stage makes of a function with a body. None if it was not evaluated.
#[must_use]
pub fn dump(program: &Program, library: &Models, function: FuncId, stage: Stage) -> Option<String> {
    let inspect = |state: &mut State<'_>, exits: &Exits| {
        let mut shown = Shown::default();
        if state.id == function {
            match stage {
                Stage::Guards => shown.guards(state),
                Stage::Exits => shown.exits(state, exits),
                Stage::Outcomes => {}
                Stage::Doubts => shown.doubts(state, exits),
            }
        }
        shown
    };
    let analysis = analyse(program, library, &Options::default(), &inspect);
    if stage == Stage::Outcomes {
        let summary = analysis.summaries[function].as_ref()?;
        let data = &program.functions[function];
        let parameters: Vec<Box<str>> =
            (0..data.params.len()).map(|index| format!("arg{index}").into()).collect();
        let spelling = Spelling {
            kinds: &library.kinds,
            properties: Some(&library.properties),
            parameters: &parameters,
            variadic: data.variadic,
            address: data.result == watertight_ir::Type::Ptr,
            global: &|id| program.globals[id].name.to_string(),
        };
        let text = print(&data.name, summary, spelling);
        return Some(format!("{}\n", text.trim_end()));
    }
    analysis.reports.into_iter().find(|entry| entry.0 == function).map(|entry| entry.1.text)
}

/// Lines about a function.
#[derive(Default)]
struct Shown {
    text: String,
}

impl Report for Shown {
    fn with_earlier(self, _: Shown) -> Shown {
        self
    }
}

impl Shown {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn guards(&mut self, state: &mut State<'_>) {
        for node in state.unrolled.nodes.ids().collect::<Vec<_>>() {
            let data = &state.unrolled.nodes[node];
            let (block, turns) = (data.block, state.unrolled.contexts[data.context].clone());
            let turns = match &turns[..] {
                [] => String::new(),
                turns => format!(" {turns:?}"),
            };
            let when = guard(state, state.entered[node]);
            self.line(&format!("{block}{turns}: {when}"));
        }
        self.inputs(state);
    }

    fn exits(&mut self, state: &mut State<'_>, exits: &Exits) {
        let returned = guard(state, exits.returned);
        self.line(&format!("returns: {returned}"));
        for object in state.objects.ids().collect::<Vec<_>>() {
            let Some(name) = acquired(state, object) else { continue };
            self.line(&name);
            let data = &state.objects[object];
            for (what, when) in [
                ("exists", data.exists),
                ("released", data.released),
                ("escapes", exits.escapes[object]),
                ("escapes if unknown code keeps it", exits.assumed[object]),
            ] {
                let when = guard(state, when);
                self.line(&format!("  {what}: {when}"));
            }
            for lost in exits.lost.iter().filter(|lost| lost.object == object) {
                let by = match lost.by {
                    LostBy::Return => "lost",
                    LostBy::NextIteration => "lost when the loop goes on",
                };
                let when = guard(state, lost.perhaps);
                self.line(&format!("  {by}: {when}"));
            }
        }
        self.inputs(state);
    }

    fn doubts(&mut self, state: &mut State<'_>, exits: &Exits) {
        for told in stories(state, exits, AtExit::OfMain).told {
            let line = told.story.acquired.point().1;
            self.line(&format!("{} of line {line}", told.story.confidence().name()));
            for doubt in told.story.doubts.iter() {
                self.line(&format!("  {}: {}", doubt.name(), doubt.words()));
            }
        }
        for lost in &exits.lost {
            let Some(name) = acquired(state, lost.object) else { continue };
            self.line(&name);
            let when = guard(state, lost.perhaps);
            self.line(&format!("  lost: {when}"));
            let terms = state.formulas.condition_terms(lost.perhaps);
            for variable in support(&state.formulas.terms, terms) {
                let term = state.formulas.terms.variable_term(variable);
                if let Some(why) = state.unknowns.approximation(term) {
                    self.line(&format!("  {}: {}", state.formulas.terms.show(term), why.name()));
                }
            }
        }
        self.inputs(state);
    }

    /// What the caller calls the unknowns that were shown.
    fn inputs(&mut self, state: &State<'_>) {
        for (index, path) in state.inputs.iter().enumerate() {
            let mark = format!("#{index}");
            let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_digit());
            if self.text.match_indices(&mark).any(|(at, _)| ends(&self.text[at + mark.len()..])) {
                self.line(&format!("{mark}: {path}"));
            }
        }
    }
}

/// What was acquired, and where.
fn acquired(state: &State<'_>, object: ObjectId) -> Option<String> {
    match &state.objects[object].origin {
        Origin::Fresh(site) => {
            Some(format!("{object} by `{}` in line {}", site.callee, line(state, site.inst)))
        }
        _ => None,
    }
}

fn line(state: &State<'_>, inst: InstId) -> u32 {
    state.context.program.source_place_of(state.id, inst).map_or(0, |place| place.outermost().1)
}

/// A guard as cases.
fn guard(state: &mut State<'_>, guard: Guard) -> String {
    if guard.is_true() {
        return "always".into();
    }
    if guard.is_false() {
        return "never".into();
    }
    let Some(cases) = state.formulas.guards.cubes(guard, SHOWN_CASES) else {
        return format!("a guard of {} nodes", state.formulas.guards.size(guard));
    };
    let mut text = String::new();
    for (index, case) in cases.iter().enumerate() {
        if index > 0 {
            text.push_str(" or ");
        }
        for (index, literal) in case.iter().enumerate() {
            if index > 0 {
                text.push_str(" and ");
            }
            if !literal.holds {
                text.push_str("not ");
            }
            let _ = match state.formulas.conditions.term_of(literal.condition) {
                Some(term) => write!(text, "{}", state.formulas.terms.show(term)),
                None => write!(text, "{}", literal.condition),
            };
        }
    }
    text
}
