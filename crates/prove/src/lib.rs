//! The prove engine: proofs by contradiction that a statement cannot lose the last reference to a heap cell.
//!
//! In: a program whose variables still live in memory (`Form::Memory`), so that an assignment of the source is one
//! store, and the models. Out: for each [`Probe`] a [`Verdict`]. The method is that of Orlovich and Rugina: assume that
//! the statement loses a cell, describe that cell by what surely refers to it, what surely does not, and where
//! references to it may be, walk backwards, and look for a contradiction on every way.
//!
//! ```
//! use watertight_prove::{Options, Prover};
//! let text = "func @f() {\nbb0:\n  return\n}\n";
//! let program = watertight_ir::parse("f.ir", text).expect("the example is well formed");
//! let models = Default::default();
//! let prover = Prover::new(&program, &models, Options::default());
//! let f = program.function_named("f").expect("f");
//! assert!(prover.probes(f).iter().all(|probe| prover.probe(probe).is_proved()));
//! ```

mod assign;
mod calls;
mod certificate;
mod closure;
mod copies;
mod descent;
mod doubts;
mod effects;
pub mod expr;
pub mod fact;
mod fresh;
mod homes;
mod jumps;
mod library;
pub mod limits;
mod lower;
mod objects;
mod probes;
pub mod region;
mod rules;
mod sizes;
mod solve;
mod spell;
mod tell;
pub mod types;
pub mod verdict;
mod views;
mod walk;
pub mod words;
mod world;

use region::RegionId;
use std::cell::RefCell;
use std::collections::BTreeSet;
pub use verdict::{Answer, Assumed, Probe, ProbeKind, Verdict};
use walk::{Ending, Node, Walk};
use watertight_ir::{FuncId, Program};
use watertight_summary::model::Models;
use world::{Detail, World};

/// How far to go for one probe.
#[derive(Clone, Debug)]
pub struct Options {
    /// Applications of transfer functions.
    pub transfers: u32,
    /// Regions that may refer to the cell.
    pub regions: u32,
    /// Whether the solver is asked if the program can come a way at all.
    pub solver: bool,
    /// Only steps are taken that a certificate can show: fewer statements are proved.
    pub plain: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { transfers: limits::TRANSFERS, regions: limits::REGIONS, solver: true, plain: false }
    }
}

/// Answers probes about one program, one at a time.
pub struct Prover<'p> {
    options: Options,
    world: RefCell<World<'p>>,
}

impl<'p> Prover<'p> {
    /// Gets ready for questions about a program.
    #[must_use]
    pub fn new(program: &'p Program, models: &'p Models, options: Options) -> Prover<'p> {
        let world = World::new(program, models, options.plain);
        Prover { options, world: RefCell::new(world) }
    }

    /// All probes of a function, in the order of its statements.
    #[must_use]
    pub fn probes(&self, function: FuncId) -> Vec<Probe> {
        self.world.borrow_mut().probes(function)
    }

    /// Questions about each `return` of a function alone, where several lead to one end of it.
    #[must_use]
    pub fn returns(&self, function: FuncId) -> Vec<Probe> {
        self.world.borrow_mut().returns(function)
    }

    /// What it rests on that the other writes of a function are not asked about: numbers that are written where memory is
    /// declared as numbers.
    #[must_use]
    pub fn rests_on(&self, function: FuncId) -> BTreeSet<Assumed> {
        self.world.borrow_mut().rests_on(function)
    }

    /// Whether a statement can lose a cell.
    #[must_use]
    pub fn probe(&self, probe: &Probe) -> Verdict {
        self.ask(probe).verdict
    }

    /// The same, with what it cost.
    #[must_use]
    pub fn ask(&self, probe: &Probe) -> Answer {
        let world = &mut *self.world.borrow_mut();
        let mut answer = self.answer(world, probe, &[]);
        if answer.verdict.is_proved() {
            let circle = world.circle(probe);
            if !circle.is_empty() && !self.answer(world, probe, &circle).verdict.is_proved() {
                let why = words::Why::Circle.to_string();
                answer.verdict = Verdict::Unknown { why };
            }
        }
        answer
    }

    /// The facts at every point that a proof of a statement went through, as text for the independent checker; or why there
    /// are none. They are shown only of a prover that takes plain steps.
    pub fn certificate(&self, probe: &Probe) -> Result<String, String> {
        if probe.over.is_some() {
            // A certificate is about every way to the end of the function.
            return Err(words::Why::NeedsMore.to_string());
        }
        let world = &mut *self.world.borrow_mut();
        let mut why = String::new();
        for detail in [Detail::Shape, Detail::All] {
            world.detail = detail;
            world.used.clear();
            let (point, cells) = world.assume(probe)?;
            let mut walk = Walk::new(world, &self.options, probe.over);
            match walk.run(point, cells) {
                Ending::Contradiction => {
                    return match walk.world.proved() {
                        Verdict::Proved { assumptions } => certificate::write(&mut walk, probe, &assumptions),
                        _ => Err(words::Why::NeedsMore.to_string()),
                    };
                }
                Ending::GaveUp(reason) => why = reason,
                Ending::Found { .. } => why = words::Why::NeedsMore.to_string(),
            }
        }
        Err(why)
    }

    /// The answer when references in some more regions do not count.
    fn answer(&self, world: &mut World<'p>, probe: &Probe, more: &[RegionId]) -> Answer {
        let mut spent = 0;
        // Most proofs need few conditions, and without them the walk is soon over. What it finds then is not to be
        // trusted: with all conditions the way may turn out to be none.
        world.detail = Detail::Shape;
        let coarse = self.walk(world, probe, more);
        if let Ok((Ending::Contradiction, _, ref cost)) = coarse {
            return Answer { verdict: world.proved(), ..cost.clone() };
        }
        if let Ok((_, _, cost)) = &coarse {
            spent = cost.transfers;
        }
        world.detail = Detail::All;
        let (ending, nodes, cost) = match self.walk(world, probe, more) {
            Ok(walked) => walked,
            Err(why) => return Answer::unknown(why),
        };
        let verdict = match ending {
            Ending::Contradiction => world.proved(),
            Ending::Found { origin, node, cell } => {
                let story = tell::story(world, &nodes, probe, &origin, node, &cell);
                Verdict::Violated { story: Box::new(story) }
            }
            Ending::GaveUp(why) => Verdict::Unknown { why },
        };
        Answer { verdict, transfers: cost.transfers + spent, ..cost }
    }

    /// One walk from a probe, and what it cost.
    fn walk(
        &self,
        world: &mut World<'p>,
        probe: &Probe,
        more: &[RegionId],
    ) -> Result<(Ending, Vec<Node>, Answer), String> {
        world.used.clear();
        let (point, mut cells) = world.assume(probe)?;
        for cell in &mut cells {
            more.iter().for_each(|&region| cell.regions.add(region, None));
        }
        let mut walk = Walk::new(world, &self.options, probe.over);
        let ending = walk.run(point, cells);
        let (points, abstractions) = (walk.points() as u32, walk.abstractions() as u32);
        let cost =
            Answer { transfers: walk.transfers, points, abstractions, ..Answer::unknown(String::new()) };
        Ok((ending, walk.nodes, cost))
    }
}

#[cfg(test)]
mod tests;
