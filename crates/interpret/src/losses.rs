//! Losses: which step of a run takes away the last reference to a heap block.
//!
//! In: the machine between two steps, and the site of the step that was just done. Out: calls of
//! [`Recorder::lose`](crate::Recorder::lose). A reference is an aligned word with an address inside the block. It may
//! stand in a global, in the stack memory of an active call, in any block that is not released, or in a value that is
//! still to be used: a value that nothing reads any more refers to nothing, else every dropped result would be held
//! until its call returns. A block on a circle that nobody holds is still referred to, so circles are told apart as
//! blocks that can no longer be reached.
//!
//! This is the notion of loss that proofs are about, computed by looking at everything after every step; it is slow
//! and plain on purpose, for it judges engines that are neither.
//!
//! ```text
//! p = malloc(8);   referred to by p
//! p = 0;           lose(block, LastReference, this store)
//! ```

use crate::dense::{Code, Dense, Rare};
use crate::liveness::Liveness;
use crate::machine::Machine;
use crate::trap::{HeapId, Site};
use std::rc::Rc;
use watertight_ir::{BlockId, Body, Def, FuncId, Id, InstId, Op, ValueId};

/// How a block was lost.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Loss {
    /// Nothing refers to its beginning any more, though something still refers into it. Told again when it happens again.
    Beginning,
    /// Nothing refers to it any more.
    LastReference,
    /// Only blocks that cannot be reached themselves refer to it.
    Unreachable,
}

/// Where the innermost call stands, which decides which of its values count.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Point {
    /// The code before the next one was just done.
    After,
    /// A block was just entered.
    Start(BlockId),
    /// It waits for a call, whose result does not exist yet.
    Waiting,
}

/// What is remembered between two steps.
#[derive(Debug, Default)]
pub(crate) struct Losses {
    /// By block: whether a loss of the last reference was told, and of the last way to it.
    told: Vec<[bool; 2]>,
    /// By block: whether something referred to its beginning when it was last looked at.
    begun: Vec<bool>,
    /// By function, once it was asked for.
    liveness: Vec<Option<Rc<Liveness>>>,
    /// Some block is held by a value only, so that any step may lose it.
    fragile: bool,
    /// The last step in a block, for losses on the way to the next.
    site: Option<Site>,
}

/// What refers to blocks.
#[derive(Debug)]
pub(crate) struct References {
    pub(crate) referred: Vec<bool>,
    /// The same, to the first byte.
    pub(crate) begun: Vec<bool>,
    pub(crate) reachable: Vec<bool>,
    /// Without the values that count, the answer would be another.
    pub(crate) fragile: bool,
}

/// Whether a step can change memory.
fn writes(dense: &Dense, code: &Code) -> bool {
    match code {
        Code::Store1 { .. }
        | Code::Store2 { .. }
        | Code::Store4 { .. }
        | Code::Store8 { .. }
        | Code::StoreNarrow { .. }
        | Code::Call(_)
        | Code::VaOp(_) => true,
        Code::Rare(index) => matches!(
            dense.rares[*index as usize],
            Rare::Store { .. }
                | Rare::MemCopy { .. }
                | Rare::MemFill { .. }
                | Rare::Atomic { .. }
                | Rare::CompareExchange { .. }
        ),
        _ => false,
    }
}

impl Machine<'_> {
    /// Looks for losses after the step before the next one.
    pub(crate) fn watch_step(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        let done = frame.pc - 1;
        let site = self.site_at(frame, done);
        let quiet = !writes(&frame.dense, &frame.dense.codes[done]);
        let Some(losses) = &mut self.losses else { return };
        losses.site = Some(site);
        if !quiet || losses.fragile {
            self.watch(Point::After, &[], Some(site));
        }
    }

    /// Looks for losses after control went from one block to another.
    pub(crate) fn watch_jump(&mut self, block: BlockId) {
        if let Some(Losses { fragile: true, site, .. }) = self.losses {
            self.watch(Point::Start(block), &[], site);
        }
    }

    /// Looks for losses; `extra` are words on their way from one call to another.
    pub(crate) fn watch(&mut self, innermost: Point, extra: &[u64], site: Option<Site>) {
        let Some(mut losses) = self.losses.take() else { return };
        let mut words = extra.to_vec();
        for (position, frame) in self.frames.iter().enumerate() {
            let point = if position + 1 == self.frames.len() { innermost } else { Point::Waiting };
            let liveness = losses.of(self, frame.dense.function);
            let regs = &self.regs[frame.base..];
            let body = self.program.functions[frame.dense.function].body.as_ref();
            let body = body.expect("only bodies have frames");
            for value in counting(&liveness, body, &frame.dense, frame.pc, point) {
                let (slot, length) = frame.dense.values[value.index()];
                words.extend(&regs[slot as usize..][..length as usize]);
            }
        }
        let references = self.memory.references(&words);
        losses.fragile = references.fragile;
        let live = self.memory.heap.blocks.len();
        losses.told.resize(live, [false; 2]);
        losses.begun.resize(live, true);
        for block in 0..live {
            let id = HeapId(block as u32);
            let begun = std::mem::replace(&mut losses.begun[block], references.begun[block]);
            if begun
                && !references.begun[block]
                && references.referred[block]
                && let Some(recorder) = &mut self.recorder
            {
                recorder.lose(id, Loss::Beginning, site);
            }
            let told = &mut losses.told[block];
            if self.memory.heap.is_released(id) {
                *told = [true; 2];
            }
            let loss = match (references.referred[block], references.reachable[block]) {
                (false, _) if !told[0] => Loss::LastReference,
                (true, false) if !told[1] => Loss::Unreachable,
                _ => continue,
            };
            *told = [told[0] || loss == Loss::LastReference, true];
            if let Some(recorder) = &mut self.recorder {
                recorder.lose(id, loss, site);
            }
        }
        self.losses = Some(losses);
    }
}

impl Machine<'_> {
    /// Words that are still to be used when a run is cut short, or that variables hold when the process ends. If it goes
    /// wrong, all words of the innermost call count: what it was about to do is not known.
    pub(crate) fn live_words(&mut self, cut: Cut) -> Vec<u64> {
        let mut words = Vec::new();
        for position in 0..self.frames.len() {
            let frame = &self.frames[position];
            let (dense, base, pc) = (Rc::clone(&frame.dense), frame.base, frame.pc);
            let inner = position > 0 && cut == Cut::End;
            let calls = matches!(dense.codes.get(pc), Some(Code::Call(_)));
            let innermost = position + 1 == self.frames.len();
            if inner || innermost && !calls && cut != Cut::Step {
                words.extend(&self.regs[base..base + dense.slots]);
                continue;
            }
            let body = self.program.functions[dense.function].body.as_ref().expect("only bodies have frames");
            let liveness =
                self.liveness.entry(dense.function).or_insert_with(|| Rc::new(Liveness::new(body)));
            let point = if innermost && cut == Cut::Step { before(&dense, pc) } else { (pc, Point::Waiting) };
            let mut values: Vec<ValueId> = counting(liveness, body, &dense, point.0, point.1).collect();
            if cut == Cut::End {
                values.extend(held(body, &self.entered, dense.origins[pc]));
            }
            for value in values {
                let (slot, length) = dense.values[value.index()];
                words.extend(&self.regs[base + slot as usize..][..length as usize]);
            }
        }
        words
    }
}

/// The values that the variables of a body hold when control has entered these blocks and stands at an instruction of the
/// last one. What a variable held before it got another value is not among them.
fn held(body: &Body, entered: &[BlockId], at: Option<InstId>) -> impl Iterator<Item = ValueId> {
    let mut values: Vec<Option<ValueId>> = vec![None; body.variables.len()];
    for (position, &block) in entered.iter().enumerate() {
        for (id, inst) in body.block_insts(block) {
            if position + 1 == entered.len() && Some(id) == at {
                break;
            }
            if let Op::Name { variable, value } = inst.op
                && let Some(entry) = values.get_mut(variable.index())
            {
                *entry = Some(value);
            }
        }
    }
    values.into_iter().flatten().filter(|&value| !matches!(body.values[value].def, Def::Const(_)))
}

/// How a run was cut short.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Cut {
    /// The process ended.
    End,
    /// It went wrong.
    Short,
    /// Its steps are used up, and the next one has not begun.
    Step,
}

impl Losses {
    fn of(&mut self, machine: &Machine<'_>, function: FuncId) -> Rc<Liveness> {
        self.liveness.resize(machine.program.functions.len(), None);
        let entry = &mut self.liveness[function.index()];
        let body = machine.program.functions[function].body.as_ref().expect("only bodies have frames");
        Rc::clone(entry.get_or_insert_with(|| Rc::new(Liveness::new(body))))
    }
}

/// The point before the code at `pc`: after the last instruction of the block that was done, or at its start.
fn before(dense: &Dense, pc: usize) -> (usize, Point) {
    let block = dense.block_at(pc);
    let done = (0..pc).rev().take_while(|&at| dense.block_at(at) == block);
    match done.into_iter().find(|&at| dense.origins[at].is_some()) {
        Some(at) => (at + 1, Point::After),
        None => (pc, Point::Start(block)),
    }
}

/// The values of a frame that are still to be used.
fn counting(
    liveness: &Liveness,
    body: &Body,
    dense: &Dense,
    pc: usize,
    point: Point,
) -> impl Iterator<Item = ValueId> {
    let after = |at: usize| dense.origins[at].map_or_else(Rc::default, |inst| liveness.after(body, inst));
    let (values, without) = match point {
        Point::Start(block) => (liveness.at_start(body, block), None),
        Point::After => (after(pc - 1), None),
        Point::Waiting => {
            let result = match dense.codes[pc] {
                Code::Call(call) => Some(dense.calls[call as usize].result.slot),
                _ => None,
            };
            (after(pc), result)
        }
    };
    let slots = dense.values.clone();
    let counts = move |value: &ValueId| Some(slots[value.index()].0) != without;
    (0..values.len()).map(move |index| values[index]).filter(counts)
}
