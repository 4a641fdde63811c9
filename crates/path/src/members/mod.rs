//! Members and variables that hold chains of the program, and functions that take something out of one and drop it.
//!
//! In: a program and the summaries of its functions. Out: stories. A member owns what it holds if some function fills it
//! with something new, some function releases what it holds, and nobody ever puts anything else there. Structures that are released
//! without what their members own are told by [`crate::owners`].

mod dropped;
mod facts;
mod forgotten;
mod holders;
pub mod makers;
mod unlinked;

use crate::facts::types::{Field, Members};
use facts::{Facts, takes_care};
use holders::Holders;
use rustc_hash::FxHashMap;
use watertight_finding::Story;
use watertight_ir::callgraph::{CallGraph, direct_callee};
use watertight_ir::{Body, FuncId, InstId, Op, Program, Table, ValueId};
use watertight_summary::model::Models;
use watertight_summary::{Completeness, Path, Summary};

/// What functions take out of containers and drop, in the order of functions.
pub fn drops(
    program: &Program,
    library: &Models,
    summaries: &Table<FuncId, Option<Summary>>,
    graph: &CallGraph,
) -> Vec<(FuncId, Story)> {
    let facts = Facts::new(program, library, summaries);
    let mut look = Look { program, library, summaries, graph, facts, holders: FxHashMap::default() };
    let mut stories = Vec::new();
    for function in program.defined() {
        let mut found = Vec::new();
        let whole = summaries[function].as_ref().filter(|known| known.completeness == Completeness::Whole);
        if let Some(summary) = whole {
            found.extend(look.dropped(function, summary));
        }
        if found.is_empty() {
            found.extend(look.unlinked(function));
        }
        if found.is_empty() {
            found.extend(look.forgotten(function));
        }
        stories.extend(found.into_iter().map(|story| (function, story)));
    }
    stories
}

struct Look<'a> {
    program: &'a Program,
    library: &'a Models,
    summaries: &'a Table<FuncId, Option<Summary>>,
    graph: &'a CallGraph,
    facts: Facts,
    /// Who has room for nodes of a type, by its name and size.
    holders: FxHashMap<(Box<str>, u64), Holders>,
}

impl Look<'_> {
    /// Whether a call may release or keep what it is given as this argument.
    fn may_take(&self, body: &Body, inst: InstId, number: u32) -> bool {
        let Op::Call(call) = &body.insts[inst].op else { return true };
        let Some(callee) = direct_callee(body, call) else { return true };
        let data = &self.program.functions[callee];
        let summary = match data.body.is_some() {
            true => self.summaries[callee].as_ref(),
            false => self.library.functions.get(&data.name),
        };
        let own = Path::param(number);
        match summary {
            Some(summary) => takes_care(summary, &own, &own),
            // A body that was not looked at touches no resource.
            None => data.body.is_none(),
        }
    }

    /// Whether a function puts nothing into a member but what fits.
    fn puts_only(&self, function: FuncId, field: &Field, fits: &Fits<'_>) -> bool {
        let Some(body) = &self.program.functions[function].body else { return true };
        let mut members = None;
        body.insts.values().all(|inst| {
            let Op::Store { addr, value, .. } = inst.op else { return true };
            if body.ty(value) != watertight_ir::Type::Ptr {
                return true;
            }
            let Some(members) = members.get_or_insert_with(|| Members::new(self.program, function)) else {
                return true;
            };
            members.field(addr).as_ref() != Some(field) || fits(self, body, members, value)
        })
    }
}

/// Whether a value that a function stores is one of those that are meant.
type Fits<'f> = dyn Fn(&Look<'_>, &Body, &Members<'_>, ValueId) -> bool + 'f;
