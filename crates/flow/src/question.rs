//! One question about one source: its contexts, its formulas, and what was found out on the way.
//!
//! Conditions have one of two meanings. As names, two conditions are independent unless they are the same comparison
//! of the same values: that is the paper's way, and cheap. As terms they mean what the program computes (`terms.rs`,
//! `loads.rs`, `calls.rs`), so that the solver can say whether they go together. A source is asked about by names first; only
//! what may be lost then is asked about by terms.

use crate::context::{ContextId, Contexts};
use crate::control::{Edges, Reach, ReachKey, Test};
use crate::facts::{Facts, Point};
use crate::limits::GUARD_STEPS;
use crate::memory::MemorySsa;
use crate::slice::Ground;
use crate::source::Source;
use crate::sparse::Regions;
use crate::terms::{Address, Unknown, View};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use watertight_ir::{BlockId, FuncId, InstId, ValueId};
use watertight_logic::formulas::Formulas;
use watertight_logic::guard::Guard;
use watertight_logic::term::{TermId, Var};

/// What conditions mean.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    Names,
    Terms,
}

/// A question about one source.
pub(crate) struct Question<'q, 'a> {
    pub facts: &'q Facts<'a>,
    pub memory: &'q mut MemorySsa,
    pub contexts: Contexts,
    pub formulas: Formulas,
    pub meaning: Meaning,
    /// Where the resource is acquired.
    pub acquired: (ContextId, InstId),
    pub(crate) source: &'q Source,
    /// Names of conditions.
    pub(crate) names: FxHashMap<(ContextId, Test), Guard>,
    /// Where each condition is tested first, for people.
    pub(crate) tested: FxHashMap<usize, (ContextId, BlockId)>,
    /// Values that may hold the followed address.
    pub(crate) held: FxHashSet<(ContextId, ValueId)>,
    /// The guards of tests whether such a value is null.
    pub(crate) null_tests: FxHashMap<(ContextId, ValueId), Guard>,
    pub(crate) edges: FxHashMap<(ContextId, BlockId, View), Rc<Edges>>,
    pub(crate) reaches: FxHashMap<ReachKey, Rc<Reach>>,
    pub(crate) stops: FxHashMap<FuncId, Rc<[Point]>>,
    /// Blocks that are asked about, and the regions between them that do not matter.
    pub(crate) marked: FxHashMap<ContextId, FxHashSet<BlockId>>,
    pub(crate) regions: FxHashMap<ContextId, Rc<Regions>>,
    /// The values of conditions.
    pub(crate) terms: FxHashMap<(ContextId, ValueId, View), TermId>,
    pub(crate) open: FxHashSet<(ContextId, ValueId, View)>,
    pub(crate) unknowns: FxHashMap<Unknown, TermId>,
    pub(crate) addresses: FxHashMap<Address, u64>,
    /// Addresses of blocks that are zero at first.
    pub(crate) zeroed: FxHashSet<u64>,
    /// Unknowns that were there before anything was acquired.
    pub(crate) inputs: FxHashSet<Var>,
    /// Unknowns that stand for something that was given up.
    pub(crate) inventions: FxHashSet<Var>,
    /// The number that is acquired, where it is one.
    pub(crate) acquired_numbers: Vec<TermId>,
    /// What holds of unknowns.
    pub(crate) assumed: Vec<TermId>,
    /// Addresses that are not null: of members and elements, and what is declared so.
    pub(crate) present: Vec<TermId>,
    pub(crate) depth: u32,
    pub(crate) steps: u32,
}

impl<'q, 'a> Question<'q, 'a> {
    /// A question about a source. Nothing when the calls that lead to it cannot be followed.
    pub(crate) fn new(
        facts: &'q Facts<'a>,
        memory: &'q mut MemorySsa,
        source: &'q Source,
        meaning: Meaning,
    ) -> Option<Question<'q, 'a>> {
        let mut contexts = Contexts::new(source.function);
        let mut acquired = (contexts.root(), source.inst);
        for &(function, inst) in &source.inner {
            acquired = (contexts.enter(acquired.0, acquired.1, function).ok()?, inst);
        }
        Some(Question {
            facts,
            memory,
            contexts,
            formulas: Formulas::new(),
            meaning,
            acquired,
            source,
            names: FxHashMap::default(),
            tested: FxHashMap::default(),
            held: FxHashSet::default(),
            null_tests: FxHashMap::default(),
            edges: FxHashMap::default(),
            reaches: FxHashMap::default(),
            stops: FxHashMap::default(),
            marked: FxHashMap::default(),
            regions: FxHashMap::default(),
            terms: FxHashMap::default(),
            open: FxHashSet::default(),
            unknowns: FxHashMap::default(),
            addresses: FxHashMap::default(),
            zeroed: FxHashSet::default(),
            inputs: FxHashSet::default(),
            inventions: FxHashSet::default(),
            acquired_numbers: Vec::new(),
            assumed: Vec::new(),
            present: Vec::new(),
            depth: 0,
            steps: 0,
        })
    }

    pub(crate) fn ground(&mut self) -> Ground<'_, 'a> {
        Ground { facts: self.facts, memory: self.memory, contexts: &mut self.contexts }
    }

    /// Whether the guards have become so large that the question is given up.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.formulas.guards.steps() > GUARD_STEPS
    }

    pub(crate) fn and(&mut self, a: Guard, b: Guard) -> Guard {
        self.formulas.guards.and(a, b)
    }

    pub(crate) fn or(&mut self, a: Guard, b: Guard) -> Guard {
        self.formulas.guards.or(a, b)
    }

    /// The body of the function of a context, and what is known about it.
    pub(crate) fn at_context(
        &self,
        context: ContextId,
    ) -> (&'a watertight_ir::Body, &'q crate::facts::FunctionFacts) {
        let function = self.contexts.function(context);
        self.facts.function(function).expect("only functions with bodies are entered")
    }
}
