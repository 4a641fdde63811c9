//! Gathers what a program does with what code out of sight gives it, and draws the conclusions.
//!
//! In: a program, models, and what pointers may hold. Out: beliefs. Evidence is a release of what a call gave, by a
//! function of which that is known: a model says so, or a body hands its parameter to such a function. Where the
//! releaser is out of sight too, its name must say what it does, and nothing may be done with the value afterwards. Who
//! releases only where the same call told it to (`if (must_free) free(p)`) says nothing of other calls.

use super::borrowed::borrowed;
use super::flow::{Fate, Flow};
use super::names;
use super::sources::Source;
use super::{Belief, Beliefs};
use crate::facts::places::place_of;
use crate::facts::targets::Targets;
use crate::limits::{BELIEF_OPERATIONS, WRAPPERS};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use watertight_finding::{Assumed, Assumption};
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{
    BlockId, Call, Cfg, CompareOp, Dominators, FuncId, InstId, Op, Program, Terminator, Type, ValueId,
};
use watertight_summary::model::Models;
use watertight_summary::{
    Completeness, Effect, Fresh, KindId, Outcome, Path, Relation, Root, Summary, Value, Way, When,
};

/// Where a call puts what it gives.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Where {
    Result,
    /// The variable whose address this argument is.
    Argument(u32),
}

/// What was seen of one thing that something out of sight gives.
#[derive(Default)]
struct Evidence {
    /// Releases by functions that are known: the kind, and the call.
    released: Vec<(KindId, FuncId, InstId)>,
    /// Releases by others: who, which argument, and the call.
    partners: Vec<(Source, u32, FuncId, InstId)>,
    /// Calls after which it is neither released nor handed on.
    open: usize,
    /// Calls after which it is not released here, but somebody has it who may: it is returned, stored, or given to a
    /// function of the program.
    taken: usize,
    /// Results that go with it, where there are others.
    success: Option<(Relation, i64)>,
}

pub(super) struct Learner<'p> {
    program: &'p Program,
    library: &'p Models,
    pub(super) flows: Vec<(FuncId, Flow<'p>)>,
    /// The calls of code out of sight, in each of the flows.
    pub(super) sources: Vec<FxHashMap<InstId, Source>>,
    /// Parameters that functions with a body release.
    releases: FxHashMap<(FuncId, u32), KindId>,
    /// Functions that return what something out of sight gives, and nothing else.
    handing: FxHashMap<FuncId, Source>,
    evidence: BTreeMap<(Source, Where), Evidence>,
}

/// What is believed of all calls of a program.
pub(super) fn learn(program: &Program, library: &Models, targets: &Targets) -> Beliefs {
    let mut flows = Vec::new();
    let mut sources = Vec::new();
    for (id, function) in program.functions.iter() {
        let Some(body) = &function.body else { continue };
        let flow = Flow::new(body);
        let own = flow.calls().filter_map(|(_, inst, call)| {
            Some((inst, Source::of(program, library, targets, id, body, inst, call)?))
        });
        sources.push(own.collect());
        flows.push((id, flow));
    }
    let mut learner = Learner {
        program,
        library,
        flows,
        sources,
        releases: FxHashMap::default(),
        handing: FxHashMap::default(),
        evidence: BTreeMap::new(),
    };
    if learner.sources.iter().all(FxHashMap::is_empty) {
        return Beliefs::default();
    }
    learner.parameters();
    learner.wrappers();
    learner.gather();
    learner.conclude()
}

impl<'p> Learner<'p> {
    /// Finds the parameters that functions release, from callee to caller.
    fn parameters(&mut self) {
        let mut given: FxHashMap<(FuncId, u32), Vec<(FuncId, u32)>> = FxHashMap::default();
        let mut open: Vec<((FuncId, u32), KindId)> = Vec::new();
        for (id, flow) in &self.flows {
            let params = &self.program.functions[*id].params;
            for (number, (value, _)) in (0u32..).zip(flow.body.values.iter()).take(params.len()) {
                let fate = flow.fate(&flow.same(vec![value], &|_| false));
                for (inst, argument) in fate.given {
                    let Op::Call(call) = &flow.body.insts[inst].op else { continue };
                    let Some(callee) = direct_callee(flow.body, call) else { continue };
                    match self.modelled_release(callee, argument) {
                        Some(kind) => open.push(((*id, number), kind)),
                        None => given.entry((callee, argument)).or_default().push((*id, number)),
                    }
                }
            }
        }
        while let Some((parameter, kind)) = open.pop() {
            if self.releases.insert(parameter, kind).is_none() {
                let callers = given.get(&parameter).map_or(&[][..], Vec::as_slice);
                open.extend(callers.iter().map(|&caller| (caller, kind)));
            }
        }
    }

    /// The kind of what a function without a body releases, as its model has it.
    fn modelled_release(&self, function: FuncId, argument: u32) -> Option<KindId> {
        let callee = &self.program.functions[function];
        let summary = self.library.functions.get(&callee.name).filter(|_| callee.body.is_none())?;
        summary.effects().find_map(|effect| match effect {
            Effect::Release { value: Path { root: Root::Param(number), steps }, kind, .. }
                if *number == argument && steps.is_empty() =>
            {
                Some(*kind)
            }
            _ => None,
        })
    }

    /// The kind of what a call releases when it is given it as this argument.
    pub(super) fn known_release(&self, flow: &Flow<'_>, call: &Call, argument: u32) -> Option<KindId> {
        let callee = direct_callee(flow.body, call)?;
        let own = self.releases.get(&(callee, argument)).copied();
        own.or_else(|| self.modelled_release(callee, argument))
    }

    /// Whose result a call gives, through whatever functions of the program.
    fn given_by(&self, index: usize, inst: InstId, call: &Call) -> Option<&Source> {
        let own = self.sources[index].get(&inst);
        own.or_else(|| self.handing.get(&direct_callee(self.flows[index].1.body, call)?))
    }

    /// The values that the result of a call is.
    fn results(&self, index: usize, source: &Source, result: ValueId) -> Vec<ValueId> {
        let flow = &self.flows[index].1;
        let alike = |value: ValueId| match flow.body.values[value].def {
            watertight_ir::Def::Inst(inst) => match &flow.body.insts[inst].op {
                Op::Call(call) => self.given_by(index, inst, call) == Some(source),
                _ => false,
            },
            _ => false,
        };
        flow.same(vec![result], &alike)
    }

    /// Finds functions that only pass on what something out of sight gives.
    fn wrappers(&mut self) {
        for _ in 0..WRAPPERS {
            let mut found: Vec<(FuncId, Source)> = Vec::new();
            for (index, (id, flow)) in self.flows.iter().enumerate() {
                if self.handing.contains_key(id) {
                    continue;
                }
                for (_, inst, call) in flow.calls() {
                    let (Some(source), Some(result)) =
                        (self.given_by(index, inst, call), flow.body.insts[inst].result)
                    else {
                        continue;
                    };
                    let values = self.results(index, source, result);
                    let only = |value: ValueId| values.contains(&value) || flow.is_nothing(value);
                    let mut returns = flow.body.blocks.values().filter_map(|block| match block.term {
                        Terminator::Return(Some(value)) => Some(value),
                        _ => None,
                    });
                    let fate = flow.fate(&values);
                    if fate.returned && !fate.kept && returns.all(only) {
                        found.push((*id, source.clone()));
                        break;
                    }
                }
            }
            if found.is_empty() {
                break;
            }
            self.handing.extend(found);
        }
    }

    /// Looks at every call of something out of sight.
    fn gather(&mut self) {
        let mut all: BTreeMap<(Source, Where), Evidence> = BTreeMap::new();
        for index in 0..self.flows.len() {
            let flow = &self.flows[index].1;
            for (_, inst, call) in flow.calls() {
                let Some(source) = self.given_by(index, inst, call) else { continue };
                let result = flow.body.insts[inst].result;
                if let Some(result) = result.filter(|&result| can_be_owned(flow.body.ty(result))) {
                    let values = self.results(index, source, result);
                    let evidence = all.entry((source.clone(), Where::Result)).or_default();
                    self.weigh(index, inst, source, &values, evidence);
                }
                if self.sources[index].contains_key(&inst) {
                    for (number, &argument) in (0u32..).zip(&call.args) {
                        self.argument(index, inst, source, (number, argument), &mut all);
                    }
                }
            }
        }
        self.evidence = all;
    }

    /// What is done with the variable whose address is an argument.
    fn argument(
        &self,
        index: usize,
        inst: InstId,
        source: &Source,
        (number, argument): (u32, ValueId),
        all: &mut BTreeMap<(Source, Where), Evidence>,
    ) {
        let flow = &self.flows[index].1;
        let same = |other: InstId| self.sources[index].get(&other) == Some(source);
        let Some(slot) = flow.slot(argument, &same) else { return };
        let first = slot.loaded.first().is_some_and(|&value| can_be_owned(flow.body.ty(value)));
        if !first || !slot.stored.iter().all(|&value| flow.is_nothing(value)) {
            return;
        }
        let values = flow.same(slot.loaded, &|_| false);
        let evidence = all.entry((source.clone(), Where::Argument(number))).or_default();
        let before = evidence.released.len();
        self.weigh(index, inst, source, &values, evidence);
        let Some(&(_, _, release)) = evidence.released.get(before) else { return };
        // Without a result that tells whether there is something, a failed call is not told from the others.
        match (flow.body.insts[inst].result, evidence.success) {
            (None, _) => {}
            (Some(result), None) => match self.tested(index, result, release) {
                Some(test) => evidence.success = Some(test),
                None => evidence.released.truncate(before),
            },
            (Some(result), Some(known)) => {
                if self.tested(index, result, release).is_some_and(|test| test != known) {
                    evidence.released.truncate(before);
                }
            }
        }
    }

    /// The test of a result on whose one side a call stands.
    fn tested(&self, index: usize, result: ValueId, call: InstId) -> Option<(Relation, i64)> {
        let body = self.flows[index].1.body;
        let dominators = Dominators::new(&Cfg::new(body));
        let stands = |block: BlockId| body.blocks[block].insts.contains(&call);
        let there = body.blocks.ids().find(|&block| stands(block))?;
        body.blocks.values().find_map(|block| {
            let Terminator::Branch { cond, then, other } = block.term else { return None };
            let Some(Op::Compare { op, lhs, rhs }) = body.def_op(cond) else { return None };
            if *lhs != result || then == other {
                return None;
            }
            let Type::Int(width @ 1..=64) = body.ty(result) else { return None };
            let number = ((body.bits(*rhs)? << (64 - width)) as i64) >> (64 - width);
            let relation = relation(*op)?;
            match (dominators.dominates(then, there), dominators.dominates(other, there)) {
                (true, false) => Some((relation, number)),
                (false, true) => Some((opposite(relation), number)),
                _ => None,
            }
        })
    }

    /// Adds what is done with what a call gave.
    fn weigh(
        &self,
        index: usize,
        inst: InstId,
        source: &Source,
        values: &[ValueId],
        evidence: &mut Evidence,
    ) {
        let (id, flow) = &self.flows[index];
        let Fate { given, returned, kept } = flow.fate(values);
        let mut settled = returned || kept;
        let mut taken = settled;
        for (call_inst, argument) in given {
            let Op::Call(call) = &flow.body.insts[call_inst].op else { continue };
            if call_inst == inst {
                continue;
            }
            if let Some(kind) = self.known_release(flow, call, argument) {
                if !self.is_told_by(index, inst, call_inst) {
                    evidence.released.push((kind, *id, call_inst));
                }
                settled = true;
            } else if let Some(partner) = self.sources[index].get(&call_inst)
                && partner != source
                && self.is_partner(index, source, partner, (call_inst, call), values)
            {
                evidence.partners.push((partner.clone(), argument, *id, call_inst));
                settled = true;
            } else if direct_callee(flow.body, call)
                .is_some_and(|callee| self.program.functions[callee].body.is_some())
            {
                taken = true;
            }
        }
        evidence.open += usize::from(!settled);
        evidence.taken += usize::from(taken);
    }

    /// Whether a call of something out of sight looks like the release of what another gave.
    fn is_partner(
        &self,
        index: usize,
        source: &Source,
        partner: &Source,
        (inst, call): (InstId, &Call),
        values: &[ValueId],
    ) -> bool {
        let flow = &self.flows[index].1;
        let (maker, releaser) = (source.name(self.program), partner.name(self.program));
        let addresses = call.args.iter().filter(|&&arg| flow.body.ty(arg) == Type::Ptr).count();
        let related = names::pair(maker, releaser) || names::ends_what(maker, releaser);
        let named = related || names::releases(releaser) && (addresses == 1 || source.is_beside(partner));
        let block = flow.body.blocks.iter().find(|(_, block)| block.insts.contains(&inst));
        named && block.is_some_and(|(block, _)| !flow.is_used_after(values, block, inst))
    }

    /// Whether a call gave a word on which it depends that another one is made: a variable that it filled is tested.
    fn is_told_by(&self, index: usize, giver: InstId, release: InstId) -> bool {
        let flow = &self.flows[index].1;
        let body = flow.body;
        let Op::Call(call) = &body.insts[giver].op else { return false };
        let is_variable = |addr| matches!(body.def_op(addr), Some(Op::Stack { .. }));
        let words: Vec<ValueId> = body
            .insts
            .values()
            .filter_map(|inst| match inst.op {
                Op::Load { addr, .. } if call.args.contains(&addr) && is_variable(addr) => inst.result,
                _ => None,
            })
            .filter(|&value| body.ty(value) != Type::Ptr)
            .collect();
        if words.is_empty() {
            return false;
        }
        let depends = |mut value: ValueId| {
            for _ in 0..BELIEF_OPERATIONS {
                match body.def_op(value) {
                    _ if words.contains(&value) => return true,
                    Some(Op::Compare { lhs, .. } | Op::Binary { lhs, .. }) => value = *lhs,
                    Some(Op::Convert { value: inner, .. }) => value = *inner,
                    _ => return false,
                }
            }
            false
        };
        let dominators = Dominators::new(&Cfg::new(body));
        let Some((there, _)) = body.blocks.iter().find(|(_, block)| block.insts.contains(&release)) else {
            return false;
        };
        body.blocks.values().any(|block| match block.term {
            Terminator::Branch { cond, then, other } => {
                depends(cond) && dominators.dominates(then, there) != dominators.dominates(other, there)
            }
            _ => false,
        })
    }

    /// What follows from the evidence.
    fn conclude(self) -> Beliefs {
        let mut found: BTreeMap<Source, Belief> = BTreeMap::new();
        let all: BTreeSet<&Source> = self.sources.iter().flat_map(FxHashMap::values).collect();
        for ((source, place), evidence) in &self.evidence {
            let known = found.get(source).is_some_and(|belief| belief.gives.is_some());
            if known {
                continue;
            }
            let name = source.name(self.program);
            let mut believed = self.released(name, *place, evidence);
            let (mut partner, mut resizes) = (None, false);
            if believed.is_none() && *place == Where::Result {
                if let Some((given, with)) = self.paired(source, evidence, &all) {
                    believed = Some(given);
                    partner = Some(with);
                } else if let Some((given, known)) = self.family(source, &all) {
                    believed = Some(given);
                    resizes = known.starts_with("realloc");
                }
            }
            let Some(gives) = believed else { continue };
            let belief = self.belief(&mut found, source);
            belief.gives = Some(gives);
            belief.fills = match place {
                Where::Result => None,
                Where::Argument(number) => Some(*number),
            };
            if resizes {
                belief.releases.push(0);
            }
            if let Some((releaser, argument)) = partner {
                let belief = self.belief(&mut found, &releaser);
                if !belief.releases.contains(&argument) {
                    belief.releases.push(argument);
                }
            }
        }
        for (source, argument) in borrowed(&self, &found) {
            self.belief(&mut found, &source).borrows.push(argument);
        }
        let mut beliefs = Beliefs::default();
        let mut indices: BTreeMap<&Source, usize> = BTreeMap::new();
        for (source, belief) in &found {
            indices.insert(source, beliefs.list.len());
            beliefs.list.push(belief.clone());
        }
        for (index, (id, flow)) in self.flows.iter().enumerate() {
            for (_, inst, _) in flow.calls() {
                let belief = self.sources[index].get(&inst).and_then(|source| indices.get(source));
                if let Some(&belief) = belief {
                    beliefs.calls.entry(*id).or_default().push((inst, belief));
                }
            }
        }
        beliefs
    }

    fn belief<'f>(&self, found: &'f mut BTreeMap<Source, Belief>, source: &Source) -> &'f mut Belief {
        found.entry(source.clone()).or_insert_with(|| Belief {
            name: source.name(self.program).into(),
            gives: None,
            fills: None,
            releases: Vec::new(),
            borrows: Vec::new(),
        })
    }

    /// It is released by functions that are known.
    fn released(&self, name: &str, place: Where, evidence: &Evidence) -> Option<(Summary, Assumption)> {
        let &(kind, function, inst) = evidence.released.first()?;
        let agree = evidence.released.iter().all(|other| other.0 == kind);
        if !agree || evidence.open > evidence.released.len() {
            return None;
        }
        let summary = match place {
            Where::Result => self.given(kind, false),
            Where::Argument(number) => self.filled(kind, number, evidence.success),
        };
        let assumed = match place {
            Where::Result => Assumed::CallerReleases { function: name }.to_string(),
            Where::Argument(number) => {
                let number = &*(number + 1).to_string();
                Assumed::CallerReleasesArgument { function: name, number }.to_string()
            }
        };
        Some((summary, Assumption::new(place_of(self.program, function, inst), assumed)))
    }

    /// It is released by something out of sight whose name says so, or the names of two that are both called go together.
    fn paired(
        &self,
        source: &Source,
        evidence: &Evidence,
        all: &BTreeSet<&Source>,
    ) -> Option<((Summary, Assumption), (Source, u32))> {
        // A number is no memory.
        if !self.gives_address(source) {
            return None;
        }
        let name = source.name(self.program);
        if let Some((partner, argument, function, inst)) = evidence.partners.first() {
            let agree = evidence.partners.iter().all(|other| other.0 == *partner);
            if !agree || evidence.open > evidence.partners.len() || !evidence.released.is_empty() {
                return None;
            }
            let releaser = partner.name(self.program);
            let assumed = Assumed::CallerReleasesWith { function: name, releaser };
            let given = (
                self.given(KindId::HEAP, false),
                Assumption::new(place_of(self.program, *function, *inst), assumed),
            );
            return Some((given, (partner.clone(), *argument)));
        }
        // What the members of a table of operations are called says little: `xOpen` opens, `xDelete` removes a file.
        let is_function = |source: &Source| matches!(source, Source::Function(_));
        // Nor do names say anything of a result that most callers only look at, where it may come out of what they passed.
        let takes_address = match source {
            Source::Function(id) => {
                self.program.functions[*id].params.iter().any(|param| param.ty == Type::Ptr)
            }
            _ => true,
        };
        let looked_at = takes_address && evidence.open > evidence.taken;
        let mut others = all.iter().filter(|other| is_function(source) && !looked_at && is_function(other));
        let partner =
            others.find(|other| names::is_maker(name) && names::pair(name, other.name(self.program)))?;
        let (function, inst, argument) = self.first_call(partner)?;
        let releaser = partner.name(self.program);
        let assumed = Assumed::PairedByName { releaser, function: name };
        let given = (
            self.given(KindId::HEAP, false),
            Assumption::new(place_of(self.program, function, inst), assumed),
        );
        Some((given, ((*partner).clone(), argument)))
    }

    /// Whether what something out of sight gives is an address.
    fn gives_address(&self, source: &Source) -> bool {
        let address = |index: usize, inst: InstId| {
            let body = self.flows[index].1.body;
            body.insts[inst].result.is_some_and(|result| body.ty(result) == Type::Ptr)
        };
        self.sources.iter().enumerate().any(|(index, calls)| {
            calls.iter().any(|(&inst, called)| called == source && address(index, inst))
        })
    }

    /// The first call of something out of sight that gets an address, and which argument that is.
    fn first_call(&self, source: &Source) -> Option<(FuncId, InstId, u32)> {
        self.flows.iter().enumerate().find_map(|(index, (id, flow))| {
            flow.calls().find_map(|(_, inst, call)| {
                let called = self.sources[index].get(&inst) == Some(source);
                let address = call.args.iter().rposition(|&arg| flow.body.ty(arg) == Type::Ptr);
                address.filter(|_| called).map(|argument| (*id, inst, argument as u32))
            })
        })
    }

    /// Its name and its parameters are those of an allocator of the C library, with something before the name that
    /// everybody uses, or that others have too whose results are released.
    fn family(
        &self,
        source: &Source,
        all: &BTreeSet<&Source>,
    ) -> Option<((Summary, Assumption), &'static str)> {
        let Source::Function(function) = source else { return None };
        let callee = &self.program.functions[*function];
        let params: Vec<Type> = callee.params.iter().map(|param| param.ty).collect();
        let (before, known) =
            names::allocator(&callee.name, &params).filter(|_| callee.result == Type::Ptr)?;
        let relative = |other: &Source| {
            let name = other.name(self.program);
            name.strip_prefix(before).is_some_and(|rest| rest == "free")
                || self
                    .evidence
                    .get(&(other.clone(), Where::Result))
                    .is_some_and(|evidence| name.starts_with(before) && !evidence.released.is_empty())
        };
        if !names::is_customary(before) && !all.iter().any(|other| relative(other)) {
            return None;
        }
        let (function, inst) = self.any_call(source)?;
        let assumed = Assumed::AllocatesByName { function: &callee.name, known };
        let given = self.given(KindId::HEAP, names::is_customary(before));
        Some(((given, Assumption::new(place_of(self.program, function, inst), assumed)), known))
    }

    fn any_call(&self, source: &Source) -> Option<(FuncId, InstId)> {
        self.flows.iter().enumerate().find_map(|(index, (id, flow))| {
            let called = |inst: &InstId| self.sources[index].get(inst) == Some(source);
            flow.calls().find(|(_, inst, _)| called(inst)).map(|(_, inst, _)| (*id, inst))
        })
    }

    /// Something new is the result, or there is none.
    fn given(&self, kind: KindId, always: bool) -> Summary {
        let none = match self.library.kinds.get(kind).number {
            Some(least) => Value::Such { relation: Relation::Less, number: least },
            None => Value::Number(0),
        };
        let mut outcomes = vec![outcome(Value::Fresh { index: 0, plus: 0 }, Some(kind), Vec::new())];
        if !always {
            outcomes.push(outcome(none, None, Vec::new()));
        }
        Summary::new(outcomes, Completeness::Whole)
    }

    /// Something new is put where an argument says, or nothing is.
    fn filled(&self, kind: KindId, argument: u32, success: Option<(Relation, i64)>) -> Summary {
        let step = match self.library.kinds.get(kind).number {
            Some(_) => watertight_summary::Step::Number { offset: 0, bytes: 4 },
            None => watertight_summary::Step::At(0),
        };
        let store = Effect::Store {
            place: Path::param(argument).then(step),
            value: Value::Fresh { index: 0, plus: 0 },
        };
        let such = |(relation, number): (Relation, i64)| match relation {
            Relation::Equal => Value::Number(number),
            relation => Value::Such { relation, number },
        };
        let mut outcomes = vec![outcome(success.map_or(Value::Any, such), Some(kind), vec![store])];
        if let Some((relation, number)) = success {
            outcomes.push(outcome(such((opposite(relation), number)), None, Vec::new()));
        }
        Summary::new(outcomes, Completeness::Whole)
    }
}

/// Whether a value of this type may be an address or a descriptor.
fn can_be_owned(ty: Type) -> bool {
    matches!(ty, Type::Ptr | Type::Int(32))
}

fn outcome(result: Value, fresh: Option<KindId>, effects: Vec<Effect>) -> Outcome {
    let fresh = fresh.map(|kind| Fresh { kind, zeroed: false, by: None, trail: Vec::new(), blank: false });
    Outcome {
        when: When::always(),
        result,
        fresh: fresh.into_iter().collect(),
        effects,
        way: Way::Returns,
        invented: false,
    }
}

fn relation(op: CompareOp) -> Option<Relation> {
    Some(match op {
        CompareOp::Eq => Relation::Equal,
        CompareOp::Ne => Relation::NotEqual,
        CompareOp::Slt => Relation::Less,
        CompareOp::Sle => Relation::LessEqual,
        CompareOp::Sgt => Relation::Greater,
        CompareOp::Sge => Relation::GreaterEqual,
        _ => return None,
    })
}

fn opposite(relation: Relation) -> Relation {
    match relation {
        Relation::Equal => Relation::NotEqual,
        Relation::NotEqual => Relation::Equal,
        Relation::Less => Relation::GreaterEqual,
        Relation::LessEqual => Relation::Greater,
        Relation::Greater => Relation::LessEqual,
        Relation::GreaterEqual => Relation::Less,
        other => other,
    }
}
