//! What all calls of a function pass for a parameter: the whole program, without regard to order.
//!
//! In: a program, and which functions have all their callers in sight. Out: for a parameter of such a function the numbers
//! that it may be, if every call passes constants, and whether it may be an address. A parameter that a caller passes on is what that
//! caller's own callers pass. So `open_pipe(name, mode)` that is called with `IN` and `OUT` alone has no third mode,
//! and `parse(text, &result)` never gets NULL for the second. Tests on the way to a call count (`facts/tested.rs`): behind
//! `if (out)` the caller passes an address. The least solution over all calls; a function of which no call is ever made is
//! passed nothing, and nothing is said of it.
//!
//! Functions of a library that others may call too have callers in sight that show how they are meant to be called. What is known of
//! these is kept apart ([`Sight::Some`]): others may do as they like.

use crate::assumptions::Assumptions;
use crate::facts::callers::Callers;
use crate::facts::tested::{Tested, Ways};
use crate::limits::{MOST_PASSED, SOURCES};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use watertight_ir::callgraph::{CallGraph, CallSite};
use watertight_ir::{Body, Const, Def, FuncId, InstId, Op, Program, Table, ValueId};

/// What calls pass for a parameter.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Given {
    /// In ascending order. The null pointer is 0.
    pub numbers: Vec<u64>,
    /// Addresses of things.
    pub address: bool,
    /// How many calls there are.
    pub calls: usize,
}

impl Given {
    fn add(&mut self, number: u64) {
        if let Err(at) = self.numbers.binary_search(&number) {
            self.numbers.insert(at, number);
        }
    }
}

/// Which calls of a function are in sight.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Sight {
    All,
    /// Others may call it too.
    Some,
}

/// What calls pass.
#[derive(Debug, Default)]
pub struct Passed {
    given: FxHashMap<(FuncId, u32), Given>,
    sights: FxHashMap<FuncId, Sight>,
}

impl Passed {
    pub fn new(program: &Program, graph: &CallGraph, callers: &Callers, assumptions: Assumptions) -> Passed {
        // Callers first, as far as circles allow it, so that most is known after one round.
        let mut order: Vec<FuncId> = program.functions.ids().collect();
        order.sort_by_key(|&function| std::cmp::Reverse(graph.components().of(function)));
        let mut solution = Solution {
            program,
            assumptions,
            order,
            sites: program.functions.ids().map(|function| callers.seen(program, graph, function)).collect(),
            values: FxHashMap::default(),
            unknown: FxHashSet::default(),
            tested: RefCell::default(),
            ways: RefCell::default(),
        };
        while solution.round() {}
        let mut passed = Passed::default();
        for function in program.functions.ids() {
            let Some(sites) = solution.sites[function] else { continue };
            let sight = if callers.of(program, graph, function).is_some() { Sight::All } else { Sight::Some };
            for index in 0..program.functions[function].params.len() as u32 {
                if let Some(given) = solution.values.get(&(function, index))
                    && !solution.unknown.contains(&(function, index))
                    && (given.address || !given.numbers.is_empty())
                {
                    let given = Given { calls: sites.len(), ..given.clone() };
                    passed.given.insert((function, index), given);
                    passed.sights.insert(function, sight);
                }
            }
        }
        passed
    }

    /// What calls pass for a parameter, if that is known.
    pub fn of(&self, function: FuncId, index: u32) -> Option<&Given> {
        self.given.get(&(function, index))
    }

    /// The same, if all calls are in sight.
    pub fn of_all(&self, function: FuncId, index: u32) -> Option<&Given> {
        self.of(function, index).filter(|_| self.sight(function) == Some(Sight::All))
    }

    /// Which calls of a function are in sight, if something is known of a parameter.
    pub fn sight(&self, function: FuncId) -> Option<Sight> {
        self.sights.get(&function).copied()
    }
}

struct Solution<'a> {
    program: &'a Program,
    assumptions: Assumptions,
    order: Vec<FuncId>,
    /// The calls of each function of which something can be known.
    sites: Table<FuncId, Option<&'a [CallSite]>>,
    values: FxHashMap<(FuncId, u32), Given>,
    /// Parameters that may be anything.
    unknown: FxHashSet<(FuncId, u32)>,
    /// What was asked about tests before.
    tested: RefCell<FxHashMap<(FuncId, InstId, ValueId), Option<Tested>>>,
    ways: RefCell<FxHashMap<FuncId, Ways>>,
}

impl Solution<'_> {
    /// Looks at all calls once. Says whether something is new.
    fn round(&mut self) -> bool {
        let mut changed = false;
        for &function in &self.order {
            let Some(sites) = self.sites[function] else { continue };
            let data = &self.program.functions[function];
            for index in 0..data.params.len() as u32 {
                if data.body.is_none() || self.unknown.contains(&(function, index)) {
                    continue;
                }
                let mut all = Some(Given::default());
                for site in sites {
                    all = all.and_then(|all| self.with_call(all, site, index));
                }
                match all {
                    None => {
                        self.unknown.insert((function, index));
                        changed = true;
                    }
                    Some(given) => {
                        let known = self.values.entry((function, index)).or_default();
                        if *known != given {
                            *known = given;
                            changed = true;
                        }
                    }
                }
            }
        }
        changed
    }

    /// What is passed, and what this call passes. Nothing if that may be anything.
    fn with_call(&self, mut all: Given, site: &CallSite, index: u32) -> Option<Given> {
        let body = self.program.functions[site.caller].body.as_ref()?;
        let Op::Call(call) = &body.insts[site.inst].op else { return None };
        let value = *call.args.get(index as usize)?;
        match self.tested(site, body, value) {
            Some(Tested::Numbers(numbers)) => numbers.into_iter().for_each(|number| all.add(number)),
            Some(Tested::NotNull) => all.address = true,
            None => self.add(site.caller, body, value, SOURCES, &mut all)?,
        }
        (all.numbers.len() <= MOST_PASSED).then_some(all)
    }

    /// What tests on the way to a call say of what it passes.
    fn tested(&self, site: &CallSite, body: &Body, value: ValueId) -> Option<Tested> {
        if body.constant(value).is_some() {
            return None;
        }
        let mut known = self.tested.borrow_mut();
        let ways = &mut *self.ways.borrow_mut();
        let entry = known.entry((site.caller, site.inst, value));
        let found = entry.or_insert_with(|| {
            let ways = ways.entry(site.caller).or_insert_with(|| Ways::new(body));
            ways.known(body, site.inst, value, self.assumptions)
        });
        found.clone()
    }

    fn add(&self, id: FuncId, body: &Body, value: ValueId, depth: u32, all: &mut Given) -> Option<()> {
        if let Some(bits) = body.bits(value) {
            all.add(bits);
            return Some(());
        }
        match &body.values[value].def {
            Def::Const(Const::Global { .. } | Const::Func(_)) => all.address = true,
            Def::Const(_) => return None,
            Def::Param(index) => {
                if self.sites[id].is_none() || self.unknown.contains(&(id, *index)) {
                    return None;
                }
                // Nothing yet, if nothing was found out so far.
                let Some(given) = self.values.get(&(id, *index)) else { return Some(()) };
                all.address |= given.address;
                given.numbers.iter().for_each(|&number| all.add(number));
            }
            Def::Inst(inst) => {
                let depth = depth.checked_sub(1)?;
                match &body.insts[*inst].op {
                    Op::Stack { .. } => all.address = true,
                    // A part of something is somewhere, or the address would not be one.
                    Op::Offset { bytes, .. } if *bytes != 0 => all.address = true,
                    Op::Index { base, .. } => self.add(id, body, *base, depth, all)?,
                    Op::Select { then, other, .. } => {
                        self.add(id, body, *then, depth, all)?;
                        self.add(id, body, *other, depth, all)?;
                    }
                    Op::Phi { incoming } => {
                        for &(_, value) in incoming {
                            self.add(id, body, value, depth, all)?;
                        }
                    }
                    _ => return None,
                }
            }
        }
        Some(())
    }
}
