//! Which functions lose nothing while they run: neither by a statement of their own nor in what they call.
//!
//! In: a program and its models, and whether a function loses nothing by its own statements, which may be expensive to
//! know and is asked for only as far as it matters. Out: what it rests on that nothing is lost while a function runs, or why
//! something may be. A function is
//! free of losses when every function that can be reached from it by calls is proved and calls nothing unknown; functions
//! that call each other are so together.

use std::collections::{BTreeMap, BTreeSet};

use watertight_ir::{Callee, Const, Def, FuncId, Op, Program, ValueId};
use watertight_prove::Assumed;
use watertight_summary::Effect;
use watertight_summary::model::Models;

/// What it rests on that a function loses nothing by its own statements; none if it may.
pub(crate) type Own = Option<BTreeSet<Assumed>>;

/// What has been found out so far.
pub(crate) struct LeakFree<'a> {
    program: &'a Program,
    models: &'a Models,
    own: BTreeMap<FuncId, Own>,
    /// Whom functions call, or why that is not known.
    called: BTreeMap<FuncId, Result<Vec<FuncId>, String>>,
}

impl<'a> LeakFree<'a> {
    /// Nothing is known but what is said of some functions.
    pub(crate) fn new(program: &'a Program, models: &'a Models, own: BTreeMap<FuncId, Own>) -> LeakFree<'a> {
        LeakFree { program, models, own, called: BTreeMap::new() }
    }

    /// What it rests on that nothing is lost in what a function calls that loses nothing itself, or why something may be.
    pub(crate) fn below(
        &mut self,
        function: FuncId,
        ask: &mut dyn FnMut(FuncId) -> Own,
    ) -> Result<BTreeSet<Assumed>, String> {
        let mut assumed = BTreeSet::new();
        let mut seen = vec![function];
        let mut next = 0;
        while let Some(&at) = seen.get(next) {
            next += 1;
            let known = match self.called.get(&at) {
                Some(known) => known.clone(),
                None => self.callees(at),
            };
            self.called.insert(at, known.clone());
            let callees = match known {
                Ok(callees) => callees,
                Err(unknown) if at == function => return Err(unknown),
                Err(unknown) => return Err(format!("in `{}`, {unknown}", self.program.functions[at].name)),
            };
            for callee in callees {
                if seen.contains(&callee) {
                    continue;
                }
                let Some(own) = self.own.entry(callee).or_insert_with(|| ask(callee)) else {
                    let name = &self.program.functions[callee].name;
                    return Err(format!("`{name}`, which it calls, is not proved"));
                };
                assumed.extend(own.iter().copied());
                seen.push(callee);
            }
        }
        Ok(assumed)
    }

    /// The functions with bodies that a function calls, or why they are not known.
    fn callees(&self, function: FuncId) -> Result<Vec<FuncId>, String> {
        let Some(body) = &self.program.functions[function].body else { return Ok(Vec::new()) };
        let target = |value: ValueId| match body.values[value].def {
            Def::Const(Const::Func(target)) => Some(target),
            _ => None,
        };
        let mut found = Vec::new();
        for inst in body.insts.values() {
            let Op::Call(call) = &inst.op else { continue };
            let callee = match call.callee {
                Callee::Direct(callee) => callee,
                _ => return Err("a function is called through a pointer".to_owned()),
            };
            let data = &self.program.functions[callee];
            if data.body.is_some() {
                found.push(callee);
                continue;
            }
            let Some(model) = self.models.functions.get(&*data.name) else {
                match data.attrs.no_memory || data.attrs.read_only || call.no_return || data.attrs.no_return {
                    true => continue,
                    false => return Err(format!("nothing is known of `{}`", data.name)),
                }
            };
            let calls_back = model
                .outcomes
                .iter()
                .any(|outcome| outcome.effects.iter().any(|effect| matches!(effect, Effect::Calls { .. })));
            if calls_back {
                let given: Vec<FuncId> = call.args.iter().filter_map(|&arg| target(arg)).collect();
                if given.is_empty() {
                    return Err(format!("`{}` calls a function through a pointer", data.name));
                }
                let known = |&&id: &&FuncId| self.program.functions[id].body.is_some();
                found.extend(given.iter().filter(known));
            }
        }
        Ok(found)
    }
}
