//! The story of a finding that was run: what decided inside callees is told from the run.
//!
//! In: a story of the path engine and a run that took the same way. Out: the story with the steps that the engine cannot
//! know, in the order in which they happened: calls that failed inside callees, and the branch that decided in a callee
//! which might have kept or released the resource and did not. A loss by an overwritten reference stands where the run lost
//! the last reference. What must hold: the steps of the engine stay, in their order.

use watertight_finding::{Place, Said, Step, StepKind, Story, Variant};
use watertight_ir::spell::Speller;
use watertight_ir::{
    BlockId, Callee, CompareOp, FuncId, InstId, Op, PlaceId, Program, Table, Terminator, Type,
};
use watertight_replay::{Event, Run, Site, What};
use watertight_summary::{Effect, Path, Root, Summary, Value};

use crate::limits::INNER_STEPS;

/// What is known of the program that a story is about.
pub(crate) struct Retelling<'a> {
    pub(crate) program: &'a Program,
    pub(crate) summaries: &'a Table<FuncId, Option<Summary>>,
}

impl Retelling<'_> {
    /// Adds to a story what the run shows.
    pub(crate) fn retell(&self, function: FuncId, story: &mut Story, run: &Run) {
        if !run.followed {
            return;
        }
        let mut inner: Vec<(usize, Step)> = self.inner_steps(run);
        // Who releases the last holder of the resource loses it, and has nothing else to say about it.
        let loses = |step: &Step| {
            let last = story.steps.last().filter(|last| last.kind == StepKind::Lost);
            step.kind == StepKind::NotEscaped && last.is_some_and(|last| last.place == step.place)
        };
        inner.retain(|(_, step)| !loses(step));
        inner.drain(..inner.len().saturating_sub(INNER_STEPS));
        // The path begins with the calls that lead here, and with what is acquired.
        let begins = |step: &&Step| matches!(step.kind, StepKind::Call | StepKind::Acquire);
        let fixed = story.steps.iter().take_while(begins).count();
        let rest = story.steps.split_off(fixed);
        let (told, last): (Vec<Step>, Vec<Step>) =
            rest.into_iter().partition(|step| step.kind != StepKind::Lost);
        let mut inner = inner.into_iter().peekable();
        for (step, at) in self.positions(function, told, &run.blocks) {
            while let Some((_, inside)) = inner.next_if(|(blocks, _)| *blocks <= at) {
                story.steps.push(inside);
            }
            story.steps.push(step);
        }
        story.steps.extend(inner.map(|(_, step)| step));
        story.steps.extend(last);
        self.place_of_loss(function, story, &run.lost_at);
    }

    /// With each step how many blocks the run had entered when it came to pass: a condition after what its block does, everything
    /// else before. A step whose line the run does not come to again stands with the one before it.
    fn positions(&self, function: FuncId, steps: Vec<Step>, blocks: &[BlockId]) -> Vec<(Step, usize)> {
        let Some(body) = &self.program.functions[function].body else { return Vec::new() };
        let is_at = |place: Option<PlaceId>, step: &Step| {
            self.place(function, place)
                .is_some_and(|place| place.line == step.place.line && place.file == step.place.file)
        };
        let mut from = 0;
        let mut placed = Vec::with_capacity(steps.len());
        for step in steps {
            let decides = step.kind == StepKind::Branch;
            let comes = |&block: &BlockId| {
                let block = &body.blocks[block];
                let does = |inst: &InstId| is_at(body.insts[*inst].place, &step);
                if decides { is_at(block.term_place, &step) } else { block.insts.iter().any(does) }
            };
            // Several conditions of one line are several blocks.
            if let Some(ahead) = blocks[from..].iter().position(comes) {
                from += ahead + usize::from(decides);
            }
            placed.push((step, from));
        }
        placed
    }

    /// An overwritten reference is lost where it is overwritten.
    fn place_of_loss(&self, function: FuncId, story: &mut Story, lost_at: &[Site]) {
        let Some(Site { inst: Some(inst), place, .. }) = lost_at.first() else { return };
        let body = self.program.functions[function].body.as_ref();
        let stores = body.is_some_and(|body| matches!(body.insts[*inst].op, Op::Store { .. }));
        if story.variant == Variant::Overwritten
            && stores
            && let (Some(place), Some(step)) = (self.place(function, *place), story.steps.last_mut())
            && place.line != step.place.line
            && place != story.acquired
        {
            step.place = place;
        }
    }

    /// Steps inside callees, with how many blocks of the function had been entered.
    fn inner_steps(&self, run: &Run) -> Vec<(usize, Step)> {
        let mut steps: Vec<(usize, Step)> = Vec::new();
        let mut decided: Option<(usize, Step)> = None;
        let mut failed = false;
        for event in &run.events {
            match &event.what {
                What::Failed { function, word } => {
                    failed = event.calls.len() > 1;
                    steps.extend(self.failed(event, *function, *word).map(|step| (event.blocks, step)));
                }
                What::Went { function, from, to } => {
                    let step = self.branch(*function, *from, *to);
                    decided = step.map(|step| (event.blocks, step)).or(decided);
                }
                What::Gave { arguments, word } => {
                    let decisive = self.may_take(event, arguments);
                    if decisive && !failed {
                        let gave = || self.gave(event, *word).map(|step| (event.blocks, step));
                        steps.extend(decided.take().or_else(gave));
                    }
                    (decided, failed) = (None, false);
                }
            }
        }
        steps
    }

    fn place(&self, function: FuncId, place: Option<PlaceId>) -> Option<Place> {
        let found = self.program.source_place(function, place?)?;
        let (file, line, column) = found.outermost();
        Some(Place::new(file, line, column).in_function(&*self.program.functions[function].name))
    }

    fn place_of_call(&self, call: (FuncId, InstId)) -> Option<Place> {
        let body = self.program.functions[call.0].body.as_ref()?;
        self.place(call.0, body.insts[call.1].place).filter(|place| place.line > 0)
    }

    /// A call that failed inside a callee, or one of the function itself whose result nobody looks at: where somebody does, the path
    /// says what comes of it.
    fn failed(&self, event: &Event, function: FuncId, word: u64) -> Option<Step> {
        if let [(own, call)] = event.calls[..]
            && self.is_looked_at(own, call)
        {
            return None;
        }
        let place = self.place_of_call(*event.calls.last()?)?;
        let data = &self.program.functions[function];
        let (function, value) = (&*data.name, returned(data.result, word));
        let said = match &value {
            Some(value) => Said::FailsWith { function, value },
            None => Said::Fails { function },
        };
        Some(Step::new(StepKind::Note, place, said).at_depth(event.calls.len() as u32 - 1))
    }

    /// Whether anything is done with the result of a call.
    fn is_looked_at(&self, function: FuncId, call: InstId) -> bool {
        let Some(body) = &self.program.functions[function].body else { return false };
        let Some(result) = body.insts[call].result else { return false };
        let mut used = false;
        let mut look = |value| used |= value == result;
        body.insts.values().for_each(|inst| inst.op.operands(&mut look));
        body.blocks.values().for_each(|block| block.term.operands(&mut look));
        used
    }

    /// What a callee returned that did not take the resource.
    fn gave(&self, event: &Event, word: u64) -> Option<Step> {
        let call = *event.calls.first()?;
        let body = self.program.functions[call.0].body.as_ref()?;
        let callee = self.callee(call)?;
        let data = &self.program.functions[callee];
        let (function, value) = (&*data.name, returned(data.result, word));
        let place = self.place(call.0, body.insts[call.1].place)?;
        let said = match &value {
            Some(value) => Said::NotStoredWith { function, value },
            None => Said::NotStored { function },
        };
        Some(Step::new(StepKind::NotEscaped, place, said))
    }

    fn callee(&self, call: (FuncId, InstId)) -> Option<FuncId> {
        let body = self.program.functions[call.0].body.as_ref()?;
        match &body.insts[call.1].op {
            Op::Call(call) => match call.callee {
                Callee::Direct(id) => Some(id),
                Callee::Pointer(_) => None,
            },
            _ => None,
        }
    }

    /// Whether the function called may keep or release what it was shown as one of these arguments.
    fn may_take(&self, event: &Event, arguments: &[u32]) -> bool {
        let callee = event.calls.first().and_then(|&call| self.callee(call));
        let Some(summary) = callee.and_then(|callee| self.summaries[callee].as_ref()) else { return false };
        let shown = |path: &Path| matches!(path.root, Root::Param(index) if arguments.contains(&index));
        summary.outcomes.iter().flat_map(|outcome| &outcome.effects).any(|effect| match effect {
            Effect::Release { value, .. } | Effect::Keep { value, .. } => shown(value),
            Effect::Store { value: Value::Entry { path, .. }, .. } => shown(path),
            _ => false,
        })
    }

    /// The branch that a callee took from one block to another, in the words of the source.
    fn branch(&self, function: FuncId, from: BlockId, to: BlockId) -> Option<Step> {
        let body = self.program.functions[function].body.as_ref()?;
        let Terminator::Branch { cond, then, .. } = body.blocks[from].term else { return None };
        let taken = then == to;
        let place = self.place(function, body.blocks[from].term_place).filter(|place| place.line > 0)?;
        let speller = Speller::new(self.program, function)?;
        let &Op::Compare { op, lhs, rhs } = body.def_op(cond)? else { return None };
        let left = speller.value_or_call(lhs)?.text;
        let null = body.ty(rhs) == Type::Ptr && body.bits(rhs) == Some(0);
        let right = if null { "NULL".to_owned() } else { speller.value_or_call(rhs)?.text };
        let is = match op {
            CompareOp::Eq => taken,
            CompareOp::Ne => !taken,
            _ => {
                let condition = &*format!("{left} {} {right}", sign(op));
                let said = if taken { Said::True { condition } } else { Said::False { condition } };
                return Some(Step::new(StepKind::Branch, place, said).at_depth(1));
            }
        };
        let (subject, value) = (&*left, &*right);
        let said = if is { Said::Is { subject, value } } else { Said::IsNot { subject, value } };
        Some(Step::new(StepKind::Branch, place, said).at_depth(1))
    }
}

/// What a function returned, as C would write it, if that says anything.
fn returned(ty: Type, word: u64) -> Option<String> {
    match ty {
        Type::Ptr if word == 0 => Some("NULL".to_owned()),
        Type::Int(bits @ 1..=64) => Some((((word << (64 - bits)) as i64) >> (64 - bits)).to_string()),
        _ => None,
    }
}

fn sign(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
        CompareOp::Ugt | CompareOp::Sgt => ">",
        CompareOp::Uge | CompareOp::Sge => ">=",
        CompareOp::Ult | CompareOp::Slt => "<",
        CompareOp::Ule | CompareOp::Sle => "<=",
    }
}
