//! Whether the facts of a statement are inductive: each follows from those at the points before it.
//!
//! A fact speaks of one block that is lost. Four things must hold: the loss itself is described by a fact at its statement;
//! where a fact holds after an instruction, one of those before it held before; where one holds at the beginning of a block,
//! one held at the end of each block that control can come from, and at calls before them and at their ends; and no fact
//! holds where nothing comes before: at the entry of `main`, of what anybody may call, where the block is acquired.
//! Each is a question whether something can be at all, which the solver must answer with no.

use crate::machine::{ENTRY, Machine, RETURNED, Time, VALUE, Whole, has_effect};
use crate::text::{Context, Expr, Fact, Place, Point, Region, Statement};
use crate::types::Points;
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{
    BlockId, Body, CallGraph, Cfg, FuncId, Id as _, InstId, Linkage, Op, Program, Terminator, Type, ValueId,
};
use watertight_logic::term::TermId;
use watertight_summary::model::Models;
use watertight_summary::{Effect, Outcome, Relation, Root, Value, Way};

/// Why a certificate is not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Refusal {
    pub(crate) line: usize,
    pub(crate) why: String,
    /// The solver did not find out.
    pub(crate) undecided: bool,
}

/// What statements are checked against.
pub(crate) struct Checker<'p> {
    program: &'p Program,
    models: &'p Models,
    whole: Whole<'p>,
    graph: CallGraph,
    closed: bool,
}

/// What is asked of facts: from one after something to those before it.
struct Step<'s> {
    after: &'s Fact,
    /// When, and after how many instructions of the block.
    late: (Time, usize),
    before: Vec<&'s Fact>,
    early: (Time, usize),
    /// Locations that are gone in between.
    gone: Gone,
    /// A block that is released as a record holds one (`single-blocks`).
    single: bool,
}

#[derive(Copy, Clone)]
enum Gone {
    Nothing,
    /// What is in the block at an address, of a type.
    Block(crate::machine::Val),
    Variables(FuncId),
}

impl<'p> Checker<'p> {
    pub(crate) fn new(program: &'p Program, models: &'p Models) -> Checker<'p> {
        let main = program.function_named("main");
        let closed = main.is_some_and(|main| program.functions[main].body.is_some());
        Checker {
            program,
            models,
            whole: Whole::new(program, closed),
            graph: CallGraph::new(program),
            closed,
        }
    }

    fn body(&self, function: FuncId, line: usize) -> Result<&'p Body, Refusal> {
        let body = self.program.functions.get(function).and_then(|data| data.body.as_ref());
        let body = body.ok_or_else(|| refusal(line, "the program has no such function"))?;
        let twice = body.insts.values().any(|inst| matches!(&inst.op, Op::Call(call) if call.returns_twice));
        let throws = body
            .blocks
            .values()
            .any(|block| matches!(block.term, Terminator::Invoke { .. } | Terminator::Resume));
        if twice || throws || self.program.functions[function].variadic {
            return Err(refusal(line, "the checker does not know all that this function does"));
        }
        Ok(body)
    }

    fn machine(&mut self, function: FuncId, statement: &Statement) -> Result<Machine<'_, 'p>, Refusal> {
        let lost = self.points(&statement.lost);
        let cell = match self.whole.types.behind(lost) {
            Points::In(ty, 0) => Some(ty),
            _ => None,
        };
        let quiet: Vec<FuncId> = self
            .program
            .functions
            .iter()
            .filter(|(_, data)| {
                data.body.is_none() && self.models.functions.get(&*data.name).is_some_and(is_known)
            })
            .map(|known| known.0)
            .collect();
        let mut machine = Machine::new(&mut self.whole, function, cell)
            .ok_or_else(|| refusal(statement.line, "the program has no such function"))?;
        quiet.into_iter().for_each(|callee| machine.is_quiet(callee));
        Ok(machine)
    }

    /// What an address points to as declared.
    fn points(&mut self, expr: &Expr) -> Points {
        match expr {
            Expr::Local(function, value) => self.whole.types.local(*function, *value),
            Expr::Global(global) => self.whole.types.global(*global),
            Expr::Entry(function, index) => self.whole.types.param(*function, *index),
            Expr::Value(function, value) => {
                let body = self.program.functions.get(*function).and_then(|data| data.body.as_ref());
                match body.filter(|body| body.values.get(*value).is_some()) {
                    Some(body) => self.whole.types.points_of(*function, body, *value),
                    None => Points::Anything,
                }
            }
            Expr::Load(_, addr) => {
                let addr = self.points(addr);
                self.whole.types.behind(addr)
            }
            Expr::Add(base, bytes) => self.points(base).shifted(*bytes),
            Expr::Index(base, ..) => self.points(base),
            _ => Points::Anything,
        }
    }

    /// Checks a statement.
    pub(crate) fn statement(&mut self, statement: &Statement) -> Result<(), Refusal> {
        self.whole.assumed = statement.assumed.iter().cloned().collect();
        self.whole.types.trusted = self.whole.assumed.contains("typed-memory");
        self.loss(statement)?;
        for (&point, facts) in &statement.facts {
            for fact in facts {
                self.fact(statement, point, fact)?;
            }
        }
        for (&id, context) in &statement.contexts {
            self.context(statement, id, context)?;
        }
        Ok(())
    }

    fn facts<'s>(&self, statement: &'s Statement, point: Point) -> Vec<&'s Fact> {
        statement.facts.get(&point).into_iter().flatten().collect()
    }

    /// The loss that is assumed is described by a fact.
    fn loss(&mut self, statement: &Statement) -> Result<(), Refusal> {
        let (line, function, block) = (statement.line, statement.function, statement.block);
        let body = self.body(function, line)?;
        let cfg = Cfg::new(body);
        let data = body.blocks.get(block).ok_or_else(|| refusal(line, "there is no such block"))?;
        if !cfg.is_reachable(block) {
            return Err(refusal(line, "no way leads to this block"));
        }
        let place = statement.inst.map_or(Place::End, Place::Before);
        let before = self.facts(statement, Point { context: 0, function, block, place });
        let slots = slots(body);
        let models = self.models;
        let program = self.program;
        let mut machine = self.machine(function, statement)?;
        let ran = machine
            .run(block, statement.inst)
            .ok_or_else(|| refusal(line, "there is no such instruction"))?;
        let now = machine.now();
        let lost = machine.eval(&statement.lost, now, ran);
        let lost_at = machine.location(lost);
        let mut allowed = vec![lost_at];
        match statement.inst.map(|inst| &body.insts[inst].op) {
            Some(Op::Store { addr, value, .. }) => {
                let (addr, value) = (machine.operand(*addr, ran), machine.operand(*value, ran));
                if addr.term != lost.term || value.ty != Type::Ptr {
                    return Err(refusal(line, "the statement does not write this reference"));
                }
                let other = machine.formulas.terms.ne(value.term, machine.cell);
                machine.facts.push(other);
            }
            Some(Op::Call(call)) => {
                let freed = direct_callee(body, call)
                    .and_then(|callee| models.functions.get(&*program.functions[callee].name))
                    .and_then(released)
                    .and_then(|index| call.args.get(index as usize).copied());
                let Some(freed) = freed else { return Err(refusal(line, "the call releases nothing")) };
                let freed = machine.operand(freed, ran);
                let Some(offset) = machine.distance(freed, lost) else {
                    return Err(refusal(line, "the reference is not in the block that is released"));
                };
                let other = machine.formulas.terms.ne(freed.term, machine.cell);
                machine.facts.push(other);
                // Those before it are gone already.
                for at in (0..offset).step_by(8) {
                    let addr = machine.shifted(freed, at);
                    allowed.push(machine.location(addr));
                }
            }
            None => {
                let Terminator::Return(value) = data.term else {
                    return Err(refusal(line, "the block does not return"));
                };
                let Some((slot, offset)) = slot_of(&statement.lost, function) else {
                    return Err(refusal(line, "this is no variable"));
                };
                if let Some(value) =
                    value.map(|value| machine.operand(value, ran)).filter(|v| v.ty == Type::Ptr)
                {
                    let other = machine.formulas.terms.ne(value.term, machine.cell);
                    machine.facts.push(other);
                }
                // Variables go in order, those without a name before all others.
                for &(value, bytes, named) in &slots {
                    let until = if value == slot { offset } else { bytes };
                    if value < slot || !named || value == slot {
                        for at in (0..until).step_by(8) {
                            let addr = machine.eval(&Expr::Local(function, value), now, ran);
                            let addr = machine.shifted(addr, at);
                            allowed.push(machine.location(addr));
                        }
                    }
                }
            }
            _ => return Err(refusal(line, "this is not a statement that loses a reference")),
        }
        let value = machine.pointer_at(lost_at, now);
        let hit = machine.formulas.terms.eq(value, machine.cell);
        machine.facts.push(hit);
        let mut against = Vec::new();
        for fact in before.iter().filter(|fact| !fact.unborn) {
            against.push(refute(&mut machine, fact, (now, ran)));
        }
        // Nothing else refers to the block after this.
        let mut location = 0;
        while location < machine.locations() {
            let value = machine.pointer_at(location, now);
            let refers = machine.formulas.terms.eq(value, machine.cell);
            let addr = machine.address(location);
            let same: Vec<TermId> = allowed
                .iter()
                .map(|&known| {
                    let known = machine.address(known);
                    machine.formulas.terms.eq(known, addr)
                })
                .collect();
            let one = machine.formulas.terms.or_all(same);
            let holds = machine.may_hold(location);
            let both = machine.formulas.terms.and(one, holds);
            let only = machine.formulas.terms.implies(refers, both);
            machine.facts.push(only);
            location += 1;
        }
        verdict(machine, &against, line, "the loss is not described by a fact at its statement")
    }

    /// A fact follows from those before its point.
    fn fact(&mut self, statement: &Statement, point: Point, fact: &Fact) -> Result<(), Refusal> {
        let body = self.body(point.function, fact.line)?;
        let block =
            body.blocks.get(point.block).ok_or_else(|| refusal(fact.line, "there is no such block"))?;
        let stop = match point.place {
            Place::Start if point.block.index() == 0 => return self.entry(statement, point, fact),
            Place::Start => return self.block_start(statement, point, fact, body),
            Place::Before(inst) => Some(inst),
            Place::End => None,
        };
        let end = match stop {
            Some(inst) => block.insts.iter().position(|&known| known == inst),
            None => Some(block.insts.len()),
        };
        let end = end.ok_or_else(|| refusal(fact.line, "there is no such instruction"))?;
        let last = block.insts[..end].iter().rposition(|&inst| has_effect(&body.insts[inst].op));
        let Some(last) = last else {
            // Only names change.
            let before = self.facts(statement, Point { place: Place::Start, ..point });
            let mut machine = self.machine(point.function, statement)?;
            let ran = machine.run(point.block, stop).unwrap_or(0);
            let now = machine.now();
            let step = Step {
                after: fact,
                late: (now, ran),
                before,
                early: (0, 0),
                gone: Gone::Nothing,
                single: false,
            };
            return follows(machine, &step);
        };
        let inst = block.insts[last];
        let before = self.facts(statement, Point { place: Place::Before(inst), ..point });
        match &body.insts[inst].op {
            Op::Store { .. } => {
                let mut machine = self.machine(point.function, statement)?;
                machine.run(point.block, Some(inst));
                let early = (machine.now(), last);
                machine.run_on(point.block, last, end);
                let late = (machine.now(), end);
                follows(
                    machine,
                    &Step { after: fact, late, before, early, gone: Gone::Nothing, single: false },
                )
            }
            Op::Call(call) => match direct_callee(body, call) {
                callee
                    if call.no_return
                        || callee.is_some_and(|callee| self.program.functions[callee].attrs.no_return) =>
                {
                    Ok(())
                }
                Some(callee) if self.program.functions[callee].body.is_some() => {
                    self.call(statement, point, fact, (inst, last, end), callee)
                }
                Some(callee) => self.library(statement, point, fact, (inst, last, end), callee, before),
                None => self.havoc(statement, point, fact, (inst, last, end), before),
            },
            _ => Err(refusal(fact.line, "the instruction before it is one that the checker does not know")),
        }
    }

    /// After a call of which nothing is known.
    fn havoc(
        &mut self,
        statement: &Statement,
        point: Point,
        fact: &Fact,
        (inst, last, end): (InstId, usize, usize),
        before: Vec<&Fact>,
    ) -> Result<(), Refusal> {
        let mut machine = self.machine(point.function, statement)?;
        machine.run(point.block, Some(inst));
        let early = (machine.now(), last);
        machine.run_on(point.block, last, end);
        let late = (machine.now(), end);
        // What it acquires is no block that was there before; that the lost one was must be said by a hit.
        if !fact.unborn && before.iter().any(|fact| fact.hits.is_empty()) {
            return Err(refusal(fact.line, "the block may come from a call of which nothing is known"));
        }
        follows(machine, &Step { after: fact, late, before, early, gone: Gone::Nothing, single: false })
    }

    /// After a call of a function with a model, for each of its outcomes.
    fn library(
        &mut self,
        statement: &Statement,
        point: Point,
        fact: &Fact,
        (inst, last, end): (InstId, usize, usize),
        callee: FuncId,
        before: Vec<&Fact>,
    ) -> Result<(), Refusal> {
        let data = &self.program.functions[callee];
        let Some(model) = self.models.functions.get(&*data.name) else {
            return self.havoc(statement, point, fact, (inst, last, end), before);
        };
        if !is_known(model) {
            return Err(refusal(
                fact.line,
                format!("the checker does not know all that `{}` does", data.name),
            ));
        }
        for outcome in model.outcomes.iter().filter(|outcome| outcome.way != Way::Jumps) {
            for born in [false, true] {
                self.outcome(statement, point, fact, (inst, last, end), outcome, born)?;
            }
        }
        Ok(())
    }

    fn outcome(
        &mut self,
        statement: &Statement,
        point: Point,
        fact: &Fact,
        (inst, last, end): (InstId, usize, usize),
        outcome: &Outcome,
        born: bool,
    ) -> Result<(), Refusal> {
        let fresh = matches!(outcome.result, Value::Fresh { .. });
        if born && (!fresh || fact.unborn) {
            return Ok(());
        }
        let body = self.body(point.function, fact.line)?;
        let before = self.facts(statement, Point { place: Place::Before(inst), ..point });
        let models = self.models;
        let mut machine = self.machine(point.function, statement)?;
        machine.run(point.block, Some(inst));
        let early = (machine.now(), last);
        machine.run_on(point.block, last, end);
        let late = (machine.now(), end);
        let Op::Call(call) = &body.insts[inst].op else { return Ok(()) };
        let mut gone = Gone::Nothing;
        for effect in &outcome.effects {
            let Effect::Release { value, kind, .. } = effect else { continue };
            if let Root::Param(index) = value.root
                && models.kinds.get(*kind).number.is_none()
                && let Some(&arg) = call.args.get(index as usize)
            {
                gone = Gone::Block(machine.operand(arg, last));
            }
        }
        let mut made = None;
        if let Some(result) = body.insts[inst].result {
            let value = machine.operand(result, end);
            match &outcome.result {
                Value::Fresh { .. } => made = Some(value),
                Value::Number(number) => machine.equals(value, *number),
                Value::Such { relation: Relation::Equal, number } => machine.equals(value, *number),
                _ => {}
            }
        }
        let mut question = Question { machine, values: Vec::new() };
        if let Some(made) = made
            && !fact.unborn
        {
            let same = question.machine.formulas.terms.eq(made.term, question.machine.cell);
            let same = if born { same } else { question.machine.formulas.terms.not(same) };
            question.machine.facts.push(same);
        }
        let before = before.into_iter().filter(|known| known.unborn == (born || fact.unborn)).collect();
        let single = statement.assumed.iter().any(|name| name == "single-blocks");
        let step = Step { after: fact, late, before, early, gone, single };
        question.put(&step);
        if let Some(made) = made {
            question.machine.is_new(made);
        }
        verdict(
            question.machine,
            &question.values,
            fact.line,
            "it does not follow from those before the call",
        )
    }

    /// After a call of a function in sight: what holds at the end of it is said of one of its contexts.
    fn call(
        &mut self,
        statement: &Statement,
        point: Point,
        fact: &Fact,
        (inst, last, end): (InstId, usize, usize),
        callee: FuncId,
    ) -> Result<(), Refusal> {
        let here = (point.context, point.function, inst);
        let body = self.body(point.function, fact.line)?;
        let of_call = |context: &&Context| context.function == callee && context.calls.contains(&here);
        let before: Vec<&Fact> =
            statement.contexts.values().filter(of_call).map(|context| &context.fact).collect();
        if self.graph.components().of(point.function) == self.graph.components().of(callee) {
            return Err(refusal(fact.line, "the checker does not follow recursion"));
        }
        let mut machine = self.machine(point.function, statement)?;
        machine.run(point.block, Some(inst));
        machine.run_on(point.block, last, end);
        let now = machine.now();
        if let Some(result) = body.insts[inst].result {
            let value = machine.operand(result, end);
            machine.named.insert((RETURNED, callee, 0), value);
        }
        let step = Step {
            after: fact,
            late: (now, end),
            before,
            early: (now, last),
            gone: Gone::Nothing,
            single: false,
        };
        follows(machine, &step)
    }

    /// What is known after calls of a function, at each of its ends; and what is known at its entry, before each call.
    fn context(&mut self, statement: &Statement, id: u32, context: &Context) -> Result<(), Refusal> {
        let (line, function) = (context.fact.line, context.function);
        let body = self.body(function, line)?;
        let cfg = Cfg::new(body);
        for (block, data) in body.blocks.iter() {
            let Terminator::Return(value) = data.term else { continue };
            if !cfg.is_reachable(block) {
                continue;
            }
            let before = self.facts(statement, Point { context: id, function, block, place: Place::End });
            let mut machine = self.machine(function, statement)?;
            let ran = machine.run(block, None).unwrap_or(0);
            let now = machine.now();
            if let Some(value) = value {
                let value = machine.operand(value, ran);
                machine.named.insert((RETURNED, function, 0), value);
            }
            let gone = Gone::Variables(function);
            let step = Step {
                after: &context.fact,
                late: (now, ran),
                before,
                early: (now, ran),
                gone,
                single: false,
            };
            follows(machine, &step)?;
        }
        Ok(())
    }

    /// At the beginning of a block that control comes to from others.
    fn block_start(
        &mut self,
        statement: &Statement,
        point: Point,
        fact: &Fact,
        body: &'p Body,
    ) -> Result<(), Refusal> {
        let cfg = Cfg::new(body);
        for &from in cfg.predecessors(point.block) {
            if !cfg.is_reachable(from) {
                continue;
            }
            let before = self.facts(statement, Point { block: from, place: Place::End, ..point });
            let mut machine = self.machine(point.function, statement)?;
            let ran = machine.run(from, None).unwrap_or(0);
            let now = machine.now();
            for &inst in &body.blocks[point.block].insts {
                if let (Op::Phi { incoming }, Some(result)) = (&body.insts[inst].op, body.insts[inst].result)
                    && let Some(way) = incoming.iter().find(|way| way.0 == from)
                {
                    let value = machine.operand(way.1, ran);
                    machine.named.insert((VALUE, point.function, result.index()), value);
                }
            }
            let holds = edge(&mut machine, &body.blocks[from].term, point.block, ran);
            machine.facts.extend(holds);
            let mut question = Question { machine, values: Vec::new() };
            // Names of merged values mean something else before the edge.
            let names = std::mem::take(&mut question.machine.named);
            let quiet = names.iter().filter(|name| name.0.0 > RETURNED).map(|(key, value)| (*key, *value));
            question.machine.named = quiet.collect();
            let step = Step {
                after: fact,
                late: (now, ran),
                before,
                early: (now, ran),
                gone: Gone::Nothing,
                single: false,
            };
            for known in &step.before {
                question.refute(known, step.early, step.after.unborn);
            }
            question.machine.named = names;
            question.assume(&step);
            verdict(
                question.machine,
                &question.values,
                fact.line,
                "it does not follow from those at the end of a block before",
            )?;
        }
        Ok(())
    }

    /// At the entry of a function: before each call, and nowhere if anybody may call it.
    fn entry(&mut self, statement: &Statement, point: Point, fact: &Fact) -> Result<(), Refusal> {
        let function = point.function;
        if point.context > 0 {
            let context = statement.contexts.get(&point.context);
            let context = context.filter(|context| context.function == function);
            let context = context.ok_or_else(|| refusal(fact.line, "there is no such context"))?;
            for &(outer, caller, inst) in &context.calls {
                self.before_call(statement, fact, function, (outer, caller, inst))?;
            }
            return Ok(());
        }
        if self.is_root(function) {
            self.root(statement, fact, function)?;
        }
        for site in self.graph.call_sites(function).to_vec() {
            let body = self.body(site.caller, fact.line)?;
            if Cfg::new(body).is_reachable(site.block) {
                self.before_call(statement, fact, function, (0, site.caller, site.inst))?;
            }
        }
        Ok(())
    }

    fn before_call(
        &mut self,
        statement: &Statement,
        fact: &Fact,
        callee: FuncId,
        (context, caller, inst): (u32, FuncId, InstId),
    ) -> Result<(), Refusal> {
        let body = self.body(caller, fact.line)?;
        let block = body.blocks.iter().find(|(_, block)| block.insts.contains(&inst)).map(|known| known.0);
        let (Some(block), Some(Op::Call(call))) = (block, body.insts.get(inst).map(|inst| &inst.op)) else {
            return Err(refusal(fact.line, "there is no such call"));
        };
        if direct_callee(body, call) != Some(callee) {
            return Err(refusal(fact.line, "the call is one of another function"));
        }
        let before =
            self.facts(statement, Point { context, function: caller, block, place: Place::Before(inst) });
        let mut machine = self.machine(caller, statement)?;
        let ran = machine.run(block, Some(inst)).unwrap_or(0);
        let now = machine.now();
        let mut question = Question { machine, values: Vec::new() };
        for known in &before {
            question.refute(known, (now, ran), fact.unborn);
        }
        for (index, &arg) in call.args.iter().enumerate() {
            if call.by_value.iter().all(|copied| copied.0 as usize != index) {
                let value = question.machine.operand(arg, ran);
                question.machine.named.insert((ENTRY, callee, index), value);
            }
        }
        let gone = Gone::Nothing;
        question.assume(&Step {
            after: fact,
            late: (now, ran),
            before,
            early: (now, ran),
            gone,
            single: false,
        });
        question.machine.has_no_variables(callee);
        verdict(question.machine, &question.values, fact.line, "it does not follow from those before a call")
    }

    /// Nothing comes before the entry of a function that anybody may call.
    fn root(&mut self, statement: &Statement, fact: &Fact, function: FuncId) -> Result<(), Refusal> {
        let passed = fact.hits.iter().any(|hit| matches!(hit, Expr::Entry(of, _) if *of == function));
        let nowhere = fact.hits.is_empty() && fact.regions.is_empty();
        let kept = (passed || nowhere) && self.whole.assumed.contains("callers-keep");
        if !fact.unborn && (&*self.program.functions[function].name == "main" || kept) {
            // Before `main` there are no blocks; and callers keep what they pass (`callers-keep`).
            return Ok(());
        }
        let machine = self.machine(function, statement)?;
        let mut question = Question { machine, values: Vec::new() };
        let (before, gone) = (Vec::new(), Gone::Nothing);
        question.assume(&Step { after: fact, late: (0, 0), before, early: (0, 0), gone, single: false });
        question.machine.has_no_variables(function);
        verdict(question.machine, &question.values, fact.line, "it can hold when the function is called")
    }

    fn is_root(&self, function: FuncId) -> bool {
        let data = &self.program.functions[function];
        (data.linkage != Linkage::Internal && !self.closed)
            || &*data.name == "main"
            || self.graph.call_sites(function).is_empty()
            || self.graph.address_taken().contains(&function)
    }
}

/// Whether a model is of a kind that the checker knows: at most one block is acquired or released, and nothing written.
fn is_known(model: &watertight_summary::Summary) -> bool {
    model.outcomes.iter().filter(|outcome| outcome.way != Way::Jumps).all(|outcome| {
        let result = match outcome.result {
            Value::Fresh { index: 0, plus: 0 } => outcome.fresh.len() == 1,
            Value::Number(_) | Value::Any | Value::Such { .. } => outcome.fresh.is_empty(),
            _ => false,
        };
        let mut releases = 0;
        let effects = outcome.effects.iter().all(|effect| match effect {
            Effect::Release { value, certain: true, .. } => {
                releases += 1;
                matches!(value.root, Root::Param(_)) && value.steps.is_empty() && releases == 1
            }
            Effect::Zero { place, .. } => matches!(place.root, Root::Fresh(_)),
            _ => false,
        });
        result && effects
    })
}

/// The parameter that a model releases.
fn released(model: &watertight_summary::Summary) -> Option<u32> {
    let mut effects = model.outcomes.iter().flat_map(|outcome| &outcome.effects);
    effects.find_map(|effect| match effect {
        Effect::Release { value, .. } if value.steps.is_empty() => match value.root {
            Root::Param(index) => Some(index),
            _ => None,
        },
        _ => None,
    })
}

/// The places on the stack of a function with their sizes, and whether the source names them.
fn slots(body: &Body) -> Vec<(ValueId, i64, bool)> {
    let mut found = Vec::new();
    for &inst in body.blocks.values().flat_map(|block| &block.insts) {
        if let (Op::Stack { bytes, .. }, Some(value)) = (&body.insts[inst].op, body.insts[inst].result) {
            let named = body.variables.values().any(|variable| variable.home == Some(value));
            found.push((value, *bytes as i64, named));
        }
    }
    found
}

fn slot_of(lost: &Expr, function: FuncId) -> Option<(ValueId, i64)> {
    match lost {
        Expr::Local(of, value) if *of == function => Some((*value, 0)),
        Expr::Add(base, bytes) => slot_of(base, function).map(|(value, at)| (value, at + bytes)),
        _ => None,
    }
}

/// What holds when control goes from the end of a block to another.
fn edge(machine: &mut Machine<'_, '_>, term: &Terminator, to: BlockId, ran: usize) -> Vec<TermId> {
    match term {
        Terminator::Branch { cond, then, other } if then != other => {
            let condition = machine.operand(*cond, ran).term;
            vec![if *then == to { condition } else { machine.formulas.terms.not(condition) }]
        }
        Terminator::Switch { value, cases, default } => {
            let value = machine.operand(*value, ran).term;
            let width = machine.formulas.terms.width(value);
            let mut equal = |case: u128| {
                let case = machine.formulas.terms.constant(width, width.mask(case));
                machine.formulas.terms.eq(value, case)
            };
            let here: Vec<TermId> =
                cases.iter().filter(|case| case.1 == to).map(|case| equal(case.0)).collect();
            let others: Vec<TermId> =
                cases.iter().filter(|case| case.1 != to).map(|case| equal(case.0)).collect();
            if *default == to {
                others.into_iter().map(|other| machine.formulas.terms.not(other)).collect()
            } else {
                vec![machine.formulas.terms.or_all(here)]
            }
        }
        _ => Vec::new(),
    }
}

/// A question in the making: what is assumed, and that no fact before holds.
struct Question<'w, 'p> {
    machine: Machine<'w, 'p>,
    values: Vec<TermId>,
}

impl Question<'_, '_> {
    fn put(&mut self, step: &Step<'_>) {
        for known in &step.before {
            self.refute(known, step.early, step.after.unborn || known.unborn);
        }
        self.assume(step);
    }

    /// A fact before does not hold.
    fn refute(&mut self, fact: &Fact, when: (Time, usize), unborn: bool) {
        if fact.unborn == unborn {
            let not = refute(&mut self.machine, fact, when);
            self.values.push(not);
        }
    }

    /// The fact after holds.
    fn assume(&mut self, step: &Step<'_>) {
        let (fact, machine) = (step.after, &mut self.machine);
        let (time, ran) = step.late;
        for condition in &fact.conditions {
            let value = machine.eval(condition, time, ran);
            if machine.formulas.terms.width(value.term).bits() == 1 {
                machine.facts.push(value.term);
            }
        }
        if fact.unborn {
            return;
        }
        for hit in &fact.hits {
            let value = machine.eval(hit, time, ran);
            let same = machine.is_cell(value.term);
            machine.facts.push(same);
        }
        for miss in &fact.misses {
            let value = machine.eval(miss, time, ran);
            let same = machine.is_cell(value.term);
            let other = machine.formulas.terms.not(same);
            machine.facts.push(other);
        }
        let tags = tags(machine, fact, step.late);
        // Whatever refers to the block is where the fact says; then, and before as far as it was the same.
        let parts = match step.gone {
            Gone::Block(freed) => {
                let other = machine.formulas.terms.ne(freed.term, machine.cell);
                machine.facts.push(other);
                Some(if step.single { machine.released_parts(freed) } else { None })
            }
            _ => None,
        };
        let mut location = 0;
        while location < machine.locations() {
            let gone = match (step.gone, &parts) {
                (Gone::Variables(function), _) => machine.is_local(location, function),
                (Gone::Block(_), Some(Some(parts))) => machine.is_one_of(location, parts),
                // A variable that no pointer leads to is in no block.
                (Gone::Block(_), _) => machine.is_in(location, Region::Any),
                _ => TermId::truth(false),
            };
            for time in [time, step.early.0] {
                let value = machine.pointer_at(location, time);
                let refers = machine.is_cell(value);
                let holds = machine.may_hold(location);
                let base = machine.base(location);
                let valid = machine.is_not_zero(base);
                let both = machine.formulas.terms.and(holds, valid);
                let claim = machine.formulas.terms.implies(refers, both);
                machine.facts.push(claim);
                if time == step.late.0 {
                    let inside = covered(machine, location, &tags);
                    let inside = machine.formulas.terms.or(inside, gone);
                    let claim = machine.formulas.terms.implies(refers, inside);
                    machine.facts.push(claim);
                }
                if step.late.0 == step.early.0 {
                    break;
                }
            }
            location += 1;
        }
    }
}

/// The entries of a fact with the addresses of their tags.
fn tags(
    machine: &mut Machine<'_, '_>,
    fact: &Fact,
    (time, ran): (Time, usize),
) -> Vec<(Region, Option<TermId>)> {
    let mut tags = Vec::new();
    for (region, tag) in &fact.regions {
        let tag = tag.as_ref().map(|tag| {
            let addr = machine.eval(tag, time, ran);
            machine.location(addr);
            addr.term
        });
        tags.push((*region, tag));
    }
    tags
}

/// A location is where references may be.
fn covered(machine: &mut Machine<'_, '_>, location: usize, tags: &[(Region, Option<TermId>)]) -> TermId {
    let mut cases = Vec::new();
    for &(region, tag) in tags {
        let inside = machine.is_in(location, region);
        cases.push(match tag {
            Some(tag) => {
                let addr = machine.address(location);
                let terms = &mut machine.formulas.terms;
                if terms.width(tag) != terms.width(addr) {
                    continue;
                }
                let same = terms.eq(tag, addr);
                terms.and(inside, same)
            }
            None => inside,
        });
    }
    machine.formulas.terms.or_all(cases)
}

/// A fact does not hold: something it says is not so, or a reference to the block is elsewhere.
fn refute(machine: &mut Machine<'_, '_>, fact: &Fact, (time, ran): (Time, usize)) -> TermId {
    let mut cases = Vec::new();
    for condition in &fact.conditions {
        let value = machine.eval(condition, time, ran);
        cases.push(machine.formulas.terms.not(value.term));
    }
    if fact.unborn {
        return machine.formulas.terms.or_all(cases);
    }
    for hit in &fact.hits {
        let value = machine.eval(hit, time, ran);
        let same = machine.is_cell(value.term);
        cases.push(machine.formulas.terms.not(same));
    }
    for miss in &fact.misses {
        let value = machine.eval(miss, time, ran);
        cases.push(machine.is_cell(value.term));
    }
    let tags = tags(machine, fact, (time, ran));
    let elsewhere = machine.anywhere();
    let value = machine.pointer_at(elsewhere, time);
    let refers = machine.is_cell(value);
    let inside = covered(machine, elsewhere, &tags);
    let outside = machine.formulas.terms.not(inside);
    cases.push(machine.formulas.terms.and(refers, outside));
    machine.formulas.terms.or_all(cases)
}

fn follows(machine: Machine<'_, '_>, step: &Step<'_>) -> Result<(), Refusal> {
    let mut question = Question { machine, values: Vec::new() };
    for known in &step.before {
        question.refute(known, step.early, step.after.unborn);
    }
    question.assume(step);
    verdict(question.machine, &question.values, step.after.line, "it does not follow from those before")
}

fn verdict(machine: Machine<'_, '_>, against: &[TermId], line: usize, why: &str) -> Result<(), Refusal> {
    match machine.possible(against) {
        Some(false) => Ok(()),
        Some(true) => Err(refusal(line, why)),
        None => {
            let why = format!("the solver does not find out whether this is so: {why}");
            Err(Refusal { line, why, undecided: true })
        }
    }
}

fn refusal(line: usize, why: impl Into<String>) -> Refusal {
    Refusal { line, why: why.into(), undecided: false }
}
