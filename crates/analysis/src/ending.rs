//! Whether the process ends soon after something was lost.
//!
//! In: a program, summaries, and the path on which a function loses something. Out: whether only the end of the process
//! follows, which releases everything. That is so if every way on from the loss, in the function and in all its callers,
//! comes to the return of `main` or to a call that ends the process, and on none of them the program
//!
//! - comes to the same acquisition again, so that the loss is not repeated;
//! - takes anything in from outside, or waits for it: a program that reads, accepts or polls has work to do. What it still writes,
//!   computes and releases does not count;
//! - calls a function of which nothing is known, more often than once.
//!
//! Control that is taken away by `longjmp` goes on where `setjmp` was called. A result that the path decides (a constant, or what a
//! call is known to give) decides tests in callers: who returns -1 to a caller that then exits has lost nothing that matters.
//! What must hold: all callers are in sight, so there is a `main`, and a function that a library calls never ends.
//!
//! ```text
//! static int show(char **argv) { ... }            // loses something
//! int main(int argc, char **argv) { exit(show(argv)); }
//! ```

use crate::decided::{Fact, Facts};
use crate::limits::{CALLERS_COMMANDS, CALLERS_ENDING, CALLS_OF_ONE, STATES_BEHIND};
use std::collections::{BTreeMap, BTreeSet};
use watertight_finding::{Story, Variant};
use watertight_ir::callgraph::CallSite;
use watertight_ir::cfg::Cfg;
use watertight_ir::loops::Loops;
use watertight_ir::{BlockId, Body, FuncId, Id, InstId, Op, Program, Table, Terminator, Type, ValueId};
use watertight_pointer::Calls;
use watertight_summary::model::Models;
use watertight_summary::{Outcome, Summary, Way, Witness};

/// Answers for one program.
pub(crate) struct Ends<'a> {
    program: &'a Program,
    models: &'a Models,
    summaries: &'a Table<FuncId, Option<Summary>>,
    calls: &'a Calls,
    mains: BTreeSet<FuncId>,
    /// Calls that come back a second time when somebody jumps.
    landings: Vec<CallSite>,
    /// What is known of what follows a function that returned this; what is being found out counts as not.
    known: BTreeMap<(FuncId, Option<Fact>), bool>,
    landed: Option<bool>,
    /// Functions that take something in, or wait.
    working: Table<FuncId, bool>,
    /// Functions without return that go round a loop in which they do so.
    serving: BTreeMap<FuncId, bool>,
}

impl<'a> Ends<'a> {
    pub(crate) fn new(
        program: &'a Program,
        models: &'a Models,
        summaries: &'a Table<FuncId, Option<Summary>>,
        calls: &'a Calls,
    ) -> Ends<'a> {
        let is_main = |id: &FuncId| {
            let function = &program.functions[*id];
            &*function.name == "main" && function.body.is_some()
        };
        let mains: BTreeSet<FuncId> = program.functions.ids().filter(is_main).collect();
        let mut ends = Ends {
            program,
            models,
            summaries,
            calls,
            mains,
            landings: Vec::new(),
            known: BTreeMap::new(),
            landed: None,
            working: Table::filled(program.functions.len(), false),
            serving: BTreeMap::new(),
        };
        if !ends.mains.is_empty() {
            ends.find_work();
        }
        ends
    }

    /// Whether only the end follows what a story tells.
    pub(crate) fn ends(&mut self, function: FuncId, story: &Story, witness: &Witness) -> bool {
        let program = self.program;
        let (Some(body), Some(&last)) = (&program.functions[function].body, witness.blocks.last()) else {
            return false;
        };
        if self.mains.is_empty() {
            return false;
        }
        let again = witness.acquired;
        if matches!(story.variant, Variant::NeverReleased | Variant::SomePaths | Variant::HeldAtExit) {
            if self.jumps_there(function, body, last, story) {
                return self.after_jump();
            }
            if let Terminator::Return(value) = body.blocks[last].term {
                let facts = Facts::after(body, &witness.blocks, &witness.results);
                let fact = value.and_then(|value| facts.of(value));
                return self.after_return(function, fact, 0);
            }
        }
        let lost = self.lost_at(function, body, story, witness);
        let (at, from) = lost.unwrap_or((witness.blocks.len() - 1, 0));
        let facts = Facts::after(body, &witness.blocks[..=at], &witness.results);
        self.after(function, body, (witness.blocks[at], from), again, facts, 0)
    }

    /// Whether a function is a `main` of its own: every call hands it the command line of the process, or what is left of it.
    pub(crate) fn is_command(&self, function: FuncId) -> bool {
        let params = &self.program.functions[function].params;
        !self.mains.contains(&function)
            && (0..params.len()).any(|index| self.is_command_line(function, index, 0))
    }

    /// Whether a parameter is the command line in every call.
    fn is_command_line(&self, function: FuncId, index: usize, depth: usize) -> bool {
        if self.mains.contains(&function) {
            return index == 1;
        }
        let params = &self.program.functions[function].params;
        let pointer = params.get(index).is_some_and(|param| param.ty == Type::Ptr);
        let Some(sites) = self.calls.sites(function).filter(|_| pointer && depth < CALLERS_COMMANDS) else {
            return false;
        };
        let sites: Vec<CallSite> = sites.collect();
        !sites.is_empty()
            && sites.iter().all(|site| {
                let Some(body) = &self.program.functions[site.caller].body else { return false };
                let Op::Call(call) = &body.insts[site.inst].op else { return false };
                let argument = call.args.get(index).map(|&value| start(body, value));
                let given = argument.map_or(usize::MAX, |value| value.index());
                site.caller != function
                    && given < self.program.functions[site.caller].params.len()
                    && self.is_command_line(site.caller, given, depth + 1)
            })
    }

    /// Where on its path a function loses what it acquired, if that is not where it returns: behind the first instruction on the line
    /// where the story ends. Says which block of the path it is, and how many of its instructions are over.
    fn lost_at(
        &self,
        function: FuncId,
        body: &Body,
        story: &Story,
        witness: &Witness,
    ) -> Option<(usize, usize)> {
        let end = story.steps.last()?.place.line;
        let mut acquired = false;
        for (index, &block) in witness.blocks.iter().enumerate() {
            for (at, &inst) in body.blocks[block].insts.iter().enumerate() {
                acquired |= Some(inst) == witness.acquired;
                let place =
                    body.insts[inst].place.and_then(|place| self.program.source_place(function, place));
                if acquired && place.is_some_and(|place| place.outermost().1 == end) {
                    return Some((index, at + 1));
                }
            }
        }
        None
    }

    /// Whether a story ends with a call that is left by a jump: the call stands where the story ends, and a return that
    /// follows in the same block does not.
    fn jumps_there(&self, function: FuncId, body: &Body, block: BlockId, story: &Story) -> bool {
        let Some(end) = story.steps.last().map(|step| step.place.line) else { return false };
        let line = |place| {
            let place = self.program.source_place(function, place)?;
            Some(place.outermost().1)
        };
        let at_end = |place: Option<_>| place.and_then(line) == Some(end);
        let returns = matches!(body.blocks[block].term, Terminator::Return(_));
        if returns && at_end(body.blocks[block].term_place) {
            return false;
        }
        body.blocks[block].insts.iter().any(|&inst| {
            let targets = self.calls.targets(body, function, inst);
            let jumps = targets.iter().any(|target| self.may_jump(target));
            jumps && at_end(body.insts[inst].place)
        })
    }

    fn told(&self, function: FuncId) -> Option<&'a Summary> {
        let (summaries, models) = (self.summaries, self.models);
        summaries[function].as_ref().or_else(|| models.functions.get(&self.program.functions[function].name))
    }

    fn may_jump(&self, function: FuncId) -> bool {
        let jumps = |outcome: &Outcome| outcome.way == Way::Jumps;
        self.told(function).is_some_and(|summary| summary.outcomes.iter().any(jumps))
    }

    /// Whether only the end follows wherever a jump may lead.
    fn after_jump(&mut self) -> bool {
        if let Some(landed) = self.landed {
            return landed;
        }
        // Who jumps on the way to the end comes here again.
        self.landed = Some(true);
        let program = self.program;
        let landings = self.landings.clone();
        let ends = !landings.is_empty()
            && landings.iter().all(|site| {
                let Some(body) = &program.functions[site.caller].body else { return false };
                self.after_call(body, site, Some(Fact::NotZero), 0)
            });
        self.landed = Some(ends);
        // What was found out meanwhile rests on a guess.
        self.known.clear();
        ends
    }

    fn after_return(&mut self, function: FuncId, result: Option<Fact>, depth: usize) -> bool {
        if self.mains.contains(&function) {
            return true;
        }
        if depth > CALLERS_ENDING {
            return false;
        }
        if let Some(&known) = self.known.get(&(function, result)) {
            return known;
        }
        // Who calls itself does not end.
        self.known.insert((function, result), false);
        let calls = self.calls;
        let sites: Option<Vec<CallSite>> = calls.sites(function).map(Iterator::collect);
        let program = self.program;
        let ends = sites.is_some_and(|sites| {
            !sites.is_empty()
                && sites.len() <= CALLS_OF_ONE
                && sites.iter().all(|site| {
                    let body = program.functions[site.caller].body.as_ref();
                    body.is_some_and(|body| self.after_call(body, site, result, depth))
                })
        });
        self.known.insert((function, result), ends);
        ends
    }

    /// Whether only the end follows a call that gave this.
    fn after_call(&mut self, body: &'a Body, site: &CallSite, result: Option<Fact>, depth: usize) -> bool {
        let mut facts = Facts::new(body);
        if let (Some(value), Some(fact)) = (body.insts[site.inst].result, result) {
            facts.set(value, fact);
        }
        let at = body.blocks[site.block].insts.iter().position(|&inst| inst == site.inst);
        self.after(site.caller, body, (site.block, at.map_or(0, |at| at + 1)), Some(site.inst), facts, depth)
    }

    /// Whether only the end follows a place in a function, without coming to a call again.
    fn after(
        &mut self,
        function: FuncId,
        body: &'a Body,
        (block, from): (BlockId, usize),
        again: Option<InstId>,
        facts: Facts<'a>,
        depth: usize,
    ) -> bool {
        let mut loops = None;
        let mut seen = BTreeSet::new();
        let mut pending = vec![(block, from, facts)];
        while let Some((block, from, mut facts)) = pending.pop() {
            facts.pass(block, from);
            match self.through(function, body, block, from, again, &mut loops) {
                Through::Ends => continue,
                Through::GoesOn => return false,
                Through::Quick => {}
            }
            match &body.blocks[block].term {
                Terminator::Return(value) => {
                    let fact = value.and_then(|value| facts.of(value));
                    if !self.after_return(function, fact, depth + 1) {
                        return false;
                    }
                }
                term => {
                    for next in facts.successors(term) {
                        let facts = facts.along(block, next);
                        if seen.insert((next, facts.key())) {
                            pending.push((next, 0, facts));
                        }
                    }
                    if seen.len() > STATES_BEHIND {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// How control comes through the rest of a block.
    fn through(
        &mut self,
        function: FuncId,
        body: &Body,
        block: BlockId,
        from: usize,
        again: Option<InstId>,
        loops: &mut Option<Loops>,
    ) -> Through {
        for &inst in body.blocks[block].insts.iter().skip(from) {
            if Some(inst) == again {
                return Through::GoesOn;
            }
            if !matches!(body.insts[inst].op, Op::Call(_)) {
                continue;
            }
            let calls = self.calls;
            let targets = calls.targets(body, function, inst);
            if targets.open || targets.iter().next().is_none() {
                return Through::GoesOn;
            }
            let mut comes_back = false;
            for target in targets.iter() {
                if self.never_returns(target) {
                    // What nobody declares to be an end may just be too much to be evaluated.
                    if self.serves(target) || !self.is_declared_end(target) && self.works(target) {
                        return Through::GoesOn;
                    }
                    continue;
                }
                if self.may_jump(target) && !self.after_jump() || self.works(target) {
                    return Through::GoesOn;
                }
                let loops = loops.get_or_insert_with(|| Loops::new(&Cfg::new(body)));
                if self.is_unknown(target) && loops.depth(block) > 0 {
                    return Through::GoesOn;
                }
                comes_back = true;
            }
            if !comes_back {
                return Through::Ends;
            }
        }
        Through::Quick
    }

    fn never_returns(&self, function: FuncId) -> bool {
        let told = self.told(function).is_some_and(|summary| summary.outcomes.is_empty());
        told || self.program.functions[function].attrs.no_return
    }

    /// Whether the source or a model says that a function does not return.
    fn is_declared_end(&self, function: FuncId) -> bool {
        let data = &self.program.functions[function];
        data.attrs.no_return || data.body.is_none() && self.never_returns(function)
    }

    /// Whether nothing is known of a function.
    fn is_unknown(&self, function: FuncId) -> bool {
        let data = &self.program.functions[function];
        data.body.is_none() && !self.models.functions.contains_key(&data.name)
    }

    /// Whether a function takes something in or waits, it or any function that it calls.
    fn works(&self, function: FuncId) -> bool {
        let data = &self.program.functions[function];
        if data.body.is_some() {
            self.working[function]
        } else {
            self.models.lists.waiting.contains(&data.name)
        }
    }

    /// Whether a function that does not return goes round a loop in which it works, instead of ending the process.
    fn serves(&mut self, function: FuncId) -> bool {
        if let Some(&known) = self.serving.get(&function) {
            return known;
        }
        self.serving.insert(function, false);
        let program = self.program;
        let Some(body) = &program.functions[function].body else { return false };
        let mut serves = self.goes_round(function);
        for inst in body.insts.ids() {
            let calls = self.calls;
            let targets = calls.targets(body, function, inst);
            serves = serves || targets.iter().any(|target| self.never_returns(target) && self.serves(target));
        }
        self.serving.insert(function, serves);
        serves
    }

    /// Whether a function has a loop in which it works.
    fn goes_round(&self, function: FuncId) -> bool {
        let Some(body) = &self.program.functions[function].body else { return false };
        let loops = Loops::new(&Cfg::new(body));
        body.blocks.iter().filter(|(block, _)| loops.depth(*block) > 0).any(|(_, data)| {
            data.insts.iter().any(|&inst| {
                let targets = self.calls.targets(body, function, inst);
                targets.iter().any(|target| self.works(target) || self.is_unknown(target))
            })
        })
    }

    /// Finds the functions that work, callers after callees, and the calls that come back twice.
    fn find_work(&mut self) {
        let mut pending = Vec::new();
        for (id, function) in self.program.functions.iter() {
            let Some(body) = &function.body else { continue };
            for (block, data) in body.blocks.iter() {
                for &inst in &data.insts {
                    let Op::Call(call) = &body.insts[inst].op else { continue };
                    if call.returns_twice {
                        self.landings.push(CallSite { caller: id, block, inst });
                    }
                    let targets = self.calls.targets(body, id, inst);
                    if targets.iter().any(|target| self.works(target)) && !self.working[id] {
                        self.working[id] = true;
                        pending.push(id);
                    }
                }
            }
        }
        let mut done: Table<FuncId, bool> = Table::filled(self.program.functions.len(), false);
        while let Some(function) = pending.pop() {
            // What an end still does before the process is over is no work of those who come to it.
            if done[function] || self.is_declared_end(function) && !self.goes_round(function) {
                continue;
            }
            done[function] = true;
            for &caller in self.calls.graph().callers(function) {
                if !std::mem::replace(&mut self.working[caller], true) || !done[caller] {
                    pending.push(caller);
                }
            }
        }
    }
}

/// The address that another one was computed from.
fn start(body: &Body, mut value: ValueId) -> ValueId {
    while let Some(&Op::Offset { base, .. } | &Op::Index { base, .. }) = body.def_op(value) {
        value = base;
    }
    value
}

/// How control comes through a few instructions.
enum Through {
    /// It does not: the process ends.
    Ends,
    Quick,
    GoesOn,
}
