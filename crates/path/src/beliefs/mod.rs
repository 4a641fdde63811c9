//! What the program itself believes of code that is not in sight.
//!
//! A program that releases what a function gives it, on one path or in one place, believes that it owns it: then it owns
//! it everywhere. Before anything is evaluated, one pass over the program gathers what is done with the results of
//! functions that have neither a body nor a model, and of pointers that hold such functions (`learn.rs`). Names count only
//! where something else supports them (`names.rs`).
//!
//! In: a program, models, and what pointers may hold. Out: for each call of something out of sight that is believed to
//! hand something over, or to release what it is given, what it does (ASSUME-41). Whatever rests on that has medium confidence at
//! most, and says so.

mod borrowed;
pub(crate) mod flow;
mod learn;
mod names;
mod sources;

use crate::facts::targets::Targets;
use rustc_hash::FxHashMap;
use watertight_finding::Assumption;
use watertight_ir::{FuncId, InstId, Program};
use watertight_summary::Summary;
use watertight_summary::model::Models;

/// What is believed of the calls of a program.
#[derive(Debug, Default)]
pub struct Beliefs {
    list: Vec<Belief>,
    calls: FxHashMap<FuncId, Vec<(InstId, usize)>>,
}

/// What a call of something out of sight does.
#[derive(Clone, Debug)]
pub struct Belief {
    /// What the source calls it.
    pub name: Box<str>,
    /// What it hands over, if it does, and why that is believed.
    pub gives: Option<(Summary, Assumption)>,
    /// The argument that is the address of what it fills, and that it does not keep therefore.
    pub fills: Option<u32>,
    /// Arguments that it releases.
    pub releases: Vec<u32>,
    /// Arguments that it neither releases nor keeps.
    pub borrows: Vec<u32>,
}

impl Beliefs {
    pub fn new(program: &Program, library: &Models, targets: &Targets) -> Beliefs {
        learn::learn(program, library, targets)
    }

    /// What is believed of a call.
    pub fn of_call(&self, function: FuncId, inst: InstId) -> Option<&Belief> {
        let calls = self.calls.get(&function)?;
        calls.iter().find(|call| call.0 == inst).map(|call| &self.list[call.1])
    }

    /// Whether a function calls something that is believed to hand something over.
    pub fn acquires(&self, function: FuncId) -> bool {
        self.of(function).any(|belief| belief.1.gives.is_some())
    }

    /// What is believed of the calls of a function, in the order of the calls.
    pub fn of(&self, function: FuncId) -> impl Iterator<Item = (InstId, &Belief)> {
        let calls = self.calls.get(&function).map_or(&[][..], Vec::as_slice);
        calls.iter().map(|&(inst, index)| (inst, &self.list[index]))
    }
}
