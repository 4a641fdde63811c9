//! What calls give, as terms: results of small functions from their bodies, of functions of the library from models.
//!
//! A model tells several ways in which a function returns. Which one it is, is an unknown of the call, so that
//! the result, what is in memory and what was released go together.

use crate::context::ContextId;
use crate::control::{Anew, Look, ReachKey};
use crate::facts::Point;
use crate::limits::{RESULT_BLOCKS, RESULT_CALLS};
use crate::loads::Read;
use crate::question::{Meaning, Question};
use crate::slice::{Holder, usual_outcomes};
use crate::terms::{Address, Unknown, View};
use watertight_ir::{BlockId, FuncId, InstId, Op, Terminator, ValueId};
use watertight_logic::guard::Guard;
use watertight_logic::term::{Extension, TermId};
use watertight_logic::width::Width;
use watertight_summary::{Effect, Outcome, Path, Root, Step, Summary, Value};

impl<'a> Question<'_, 'a> {
    pub(crate) fn callees(&self, context: ContextId, inst: InstId) -> &'a [FuncId] {
        self.facts.points_to.callees(self.contexts.function(context), inst)
    }

    /// Into a small function, with the guards under which it returns at each of its returns.
    pub(crate) fn inlined(
        &mut self,
        context: ContextId,
        inst: InstId,
    ) -> Option<(ContextId, Vec<(BlockId, Guard)>)> {
        let &[callee] = self.callees(context, inst) else { return None };
        let body = self.facts.program.functions[callee].body.as_ref()?;
        let small = body.blocks.len() <= RESULT_BLOCKS && self.contexts.depth(context) < RESULT_CALLS;
        if !small || self.is_spent() {
            return None;
        }
        let inner = self.contexts.enter(context, inst, callee).ok()?;
        self.depth += 1;
        let from = Point::start(body.entry());
        let reach = self.reach(ReachKey { context: inner, from, anew: Anew::Nowhere, look: Look::Sparse });
        let mut returns = Vec::new();
        for block in self.return_blocks(inner) {
            let guard = self.at(&reach, Point::end(block));
            if !guard.is_false() {
                returns.push((block, guard));
            }
        }
        self.depth -= 1;
        Some((inner, returns))
    }

    /// When control passes all calls of a block from a position on: some of them may end the process.
    pub(crate) fn passed(&mut self, context: ContextId, block: BlockId, after: u32) -> Guard {
        if self.meaning == Meaning::Names {
            return Guard::TRUE;
        }
        let (body, _) = self.at_context(context);
        let mut all = Guard::TRUE;
        for &inst in body.blocks[block].insts.iter().skip(after as usize) {
            if !matches!(body.insts[inst].op, Op::Call(_)) {
                continue;
            }
            let &[callee] = self.callees(context, inst) else { continue };
            if !self.facts.may_end(callee) || self.facts.program.functions[callee].body.is_none() {
                continue;
            }
            if let Some((_, returns)) = self.inlined(context, inst) {
                let any =
                    returns.iter().fold(Guard::FALSE, |any, entry| self.formulas.guards.or(any, entry.1));
                all = self.and(all, any);
            }
        }
        all
    }

    /// The result of a call.
    pub(crate) fn call_result(
        &mut self,
        context: ContextId,
        inst: InstId,
        value: ValueId,
        view: View,
        width: Width,
    ) -> TermId {
        let unknown = Unknown::Value(context, value, view);
        let callees = self.callees(context, inst);
        let Some(&callee) = callees.first() else { return self.invention(unknown, width) };
        if callees.len() > 1 {
            return self.invention(unknown, width);
        }
        if self.facts.program.functions[callee].body.is_some() {
            let holder = Holder::Value(value);
            if (context, inst) == self.acquired
                && self.source.holders.contains(&holder)
                && width == Width::W64
            {
                return self.address(Address::Fresh(context, inst, usize::MAX, 0));
            }
            // What another turn of the loop computes is another number.
            if view != View::Here {
                return self.unknown(unknown, width);
            }
            return self.returned(context, inst).unwrap_or_else(|| self.invention(unknown, width));
        }
        let Some(summary) = self.model(callee) else {
            let made = self.unknown(unknown, width);
            if self.facts.program.functions[callee].attrs.result_non_null {
                self.present.push(made);
            }
            return made;
        };
        let mut term = None;
        for index in self.ways(context, inst, summary) {
            let outcome = &summary.outcomes[index];
            let case = self.told(context, inst, index, outcome, &outcome.result, width, view, u64::MAX);
            term = Some(match term {
                None => case,
                Some(before) => {
                    let chosen = self.outcome(context, inst, index, view);
                    self.formulas.terms.ite(chosen, case, before)
                }
            });
        }
        term.unwrap_or_else(|| self.unknown(unknown, width))
    }

    fn returned(&mut self, context: ContextId, inst: InstId) -> Option<TermId> {
        let (inner, returns) = self.inlined(context, inst)?;
        let (body, _) = self.at_context(inner);
        let mut term = None;
        for (block, guard) in returns {
            let Terminator::Return(Some(value)) = body.blocks[block].term else { continue };
            let case = self.term_at(inner, value, block, View::Here);
            term = Some(match term {
                None => case,
                Some(before) => self.formulas.choose(guard, case, before),
            });
        }
        term
    }

    fn model(&self, callee: FuncId) -> Option<&'a Summary> {
        let facts = self.facts;
        facts.models.functions.get(&facts.program.functions[callee].name)
    }

    /// The ways in which a call may return here: what is asked about has been acquired.
    fn ways(&self, context: ContextId, inst: InstId, summary: &Summary) -> Vec<usize> {
        let acquires = (context, inst) == self.acquired && !self.source.outcomes.is_empty();
        let usual = usual_outcomes(&summary.outcomes);
        usual.filter(|index| !acquires || self.source.outcomes.contains(index)).collect()
    }

    /// Takes it for granted that the resource was acquired: the arguments allow it.
    pub(crate) fn assume_acquired(&mut self) {
        let (context, inst) = self.acquired;
        let Some(&callee) = self.callees(context, inst).first() else { return };
        let Some(summary) = self.model(callee) else { return };
        let mut any = TermId::truth(false);
        for way in self.ways(context, inst, summary) {
            let possible = self.possible(context, inst, &summary.outcomes[way], View::Here);
            any = self.formulas.terms.or(any, possible);
        }
        if !self.formulas.terms.is_const(any) || any == TermId::truth(false) {
            self.assumed.push(any);
        }
    }

    /// Whether a call returns in some way, as a term.
    pub(crate) fn outcome(&mut self, context: ContextId, inst: InstId, index: usize, view: View) -> TermId {
        let Some(&callee) = self.callees(context, inst).first() else { return TermId::truth(true) };
        let Some(summary) = self.model(callee) else { return TermId::truth(true) };
        let ways = self.ways(context, inst, summary);
        if ways.len() < 2 {
            return TermId::truth(ways.first() == Some(&index));
        }
        let key = Unknown::Outcome(context, inst, view);
        let is_new = !self.unknowns.contains_key(&key);
        let choice = self.unknown(key, Width::W8);
        if is_new {
            let mut any = TermId::truth(false);
            for &way in &ways {
                let number = self.number(Width::W8, way as i64);
                let chosen = self.formulas.terms.eq(choice, number);
                let possible = self.possible(context, inst, &summary.outcomes[way], view);
                let both = self.formulas.terms.and(chosen, possible);
                any = self.formulas.terms.or(any, both);
            }
            self.assumed.push(any);
        }
        let number = self.number(Width::W8, index as i64);
        self.formulas.terms.eq(choice, number)
    }

    /// Whether the arguments allow an outcome, as far as their own values say.
    fn possible(&mut self, context: ContextId, inst: InstId, outcome: &Outcome, view: View) -> TermId {
        let mut any = TermId::truth(false);
        for tests in &outcome.when.any {
            let mut all = TermId::truth(true);
            for test in tests {
                let Some(value) = self.entry(context, inst, &test.value, view) else { continue };
                // Equal entry values are the path engine's affair.
                if test.other.is_some() {
                    continue;
                }
                let width = self.formulas.terms.width(value);
                let masked = match test.mask {
                    None => value,
                    Some(mask) => {
                        let mask = self.formulas.terms.constant(width, width.mask(u128::from(mask)));
                        self.formulas.terms.and(value, mask)
                    }
                };
                let number = self.number(width, test.number);
                let holds = self.compare(test.relation.op(), masked, number);
                all = self.formulas.terms.and(all, holds);
            }
            any = self.formulas.terms.or(any, all);
        }
        any
    }

    /// The value of an argument.
    fn entry(&mut self, context: ContextId, inst: InstId, path: &Path, view: View) -> Option<TermId> {
        let (Root::Param(param), []) = (path.root, &path.steps[..]) else { return None };
        let (body, own) = self.at_context(context);
        let Op::Call(call) = &body.insts[inst].op else { return None };
        let arg = *call.args.get(param as usize)?;
        self.width_of(body.ty(arg))?;
        let block = own.point(inst)?.block;
        Some(self.term_at(context, arg, block, view))
    }

    /// A value that a model tells.
    #[allow(clippy::too_many_arguments, reason = "all of it describes one value")]
    fn told(
        &mut self,
        context: ContextId,
        inst: InstId,
        index: usize,
        outcome: &Outcome,
        value: &Value,
        width: Width,
        view: View,
        slot: u64,
    ) -> TermId {
        let made = Unknown::Made(context, inst, index, slot, width, view);
        match value {
            Value::Number(number) => self.number(width, *number),
            Value::Entry { path, plus } => match self.entry(context, inst, path, view) {
                Some(entry) => {
                    let entry = self.formulas.terms.resize(Extension::Sign, entry, width);
                    let plus = self.number(width, *plus);
                    self.formulas.terms.add(entry, plus)
                }
                None => self.unknown(made, width),
            },
            Value::Fresh { index: fresh, plus } => {
                let data = outcome.fresh.get(*fresh as usize);
                let least = data.and_then(|data| self.facts.models.kinds.get(data.kind).number);
                if let Some(least) = least {
                    let made = Unknown::Made(context, inst, index, u64::from(*fresh), Width::W32, view);
                    let is_new = !self.unknowns.contains_key(&made);
                    let number = self.unknown(made, Width::W32);
                    if is_new {
                        let least = self.number(Width::W32, least);
                        let valid = self.formulas.terms.sle(least, number);
                        self.assumed.push(valid);
                        if (context, inst) == self.acquired {
                            self.acquired_numbers.push(number);
                        }
                    }
                    return self.formulas.terms.resize(Extension::Sign, number, width);
                }
                let address = self.address(Address::Fresh(context, inst, index, *fresh));
                if data.is_some_and(|data| data.zeroed)
                    && let Some(at) = self.formulas.terms.const_value(address)
                {
                    self.zeroed.insert(at as u64);
                }
                let plus = self.number(Width::W64, *plus);
                let address = self.formulas.terms.add(address, plus);
                self.formulas.terms.resize(Extension::Zero, address, width)
            }
            Value::Such { relation, number } => {
                let is_new = !self.unknowns.contains_key(&made);
                let such = self.unknown(made, width);
                if is_new {
                    let number = self.number(width, *number);
                    let holds = self.compare(relation.op(), such, number);
                    self.assumed.push(holds);
                }
                such
            }
            _ => self.unknown(made, width),
        }
    }

    /// What a call leaves in memory.
    pub(crate) fn left_by_call(
        &mut self,
        context: ContextId,
        inst: InstId,
        point: Point,
        read: &Read,
        unknown: Unknown,
    ) -> TermId {
        let &[callee] = self.callees(context, inst) else { return self.invention(unknown, read.width) };
        if self.facts.program.functions[callee].body.is_some() {
            if read.view != View::Here {
                return self.unknown(unknown, read.width);
            }
            return self.left_by_body(context, inst, read, unknown);
        }
        let Some(summary) = self.model(callee) else { return self.invention(unknown, read.width) };
        let view = read.view;
        let mut term = None;
        for index in self.ways(context, inst, summary) {
            let outcome = &summary.outcomes[index];
            let case = match self.stored(context, inst, index, outcome, read) {
                Stored::Nothing => self.read(context, point, read),
                Stored::This(case) => case,
                Stored::Something => self.unknown(unknown.clone(), read.width),
            };
            term = Some(match term {
                None => case,
                Some(before) => {
                    let chosen = self.outcome(context, inst, index, view);
                    self.formulas.terms.ite(chosen, case, before)
                }
            });
        }
        term.unwrap_or_else(|| self.unknown(unknown, read.width))
    }

    /// What an outcome stores where somebody reads.
    fn stored(
        &mut self,
        context: ContextId,
        inst: InstId,
        index: usize,
        outcome: &Outcome,
        read: &Read,
    ) -> Stored {
        let mut found = Stored::Nothing;
        for (number, effect) in outcome.effects.iter().enumerate() {
            match effect {
                Effect::Store { place, value } => {
                    let Some((&last, above)) = place.steps.split_last() else { continue };
                    let offset = match last {
                        Step::At(offset) | Step::Number { offset, .. } => offset,
                        _ => continue,
                    };
                    let base = Path { root: place.root, steps: above.to_vec() };
                    let Some(base) = self.entry(context, inst, &base, read.view) else {
                        found = Stored::Something;
                        continue;
                    };
                    let offset = self.number(Width::W64, offset);
                    let addr = self.formulas.terms.add(base, offset);
                    match self.same_address(read.addr, addr) {
                        Some(false) => {}
                        Some(true) => {
                            let (width, view) = (read.width, read.view);
                            let slot = number as u64 + 1000;
                            let told = self.told(context, inst, index, outcome, value, width, view, slot);
                            found = Stored::This(told);
                        }
                        None => found = Stored::Something,
                    }
                }
                Effect::Clobber { .. } | Effect::Zero { .. } | Effect::Copy { .. } => {
                    found = Stored::Something;
                }
                _ => {}
            }
        }
        found
    }
}

/// What an outcome of a model does to a place in memory.
enum Stored {
    Nothing,
    This(TermId),
    Something,
}
