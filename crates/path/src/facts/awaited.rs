//! Functions whose every long jump waits for a switch (ASSUME-39).
//!
//! `if (ctx->flags & MAY_JUMP) longjmp(ctx->top, 1); exit(1);` jumps to where the program goes on if somebody waits there, and else ends the
//! process. Whoever reports errors by way of such a function, over however many calls, does not know of the switch, and it stays off most of the
//! time. In: bodies, and which functions jump or end the process. Out: the functions of which every jump, of their own or of a function they
//! call, stands behind such a switch: a number in a variable or a member that is tested, on whose other side the process ends.
//!
//! An allocator that jumps where the switch is on and memory runs out, and else may end the process, is no different: on both sides it
//! comes back as well. A jump behind a test on whose other side nothing ends is an answer to what was tested, and waits for nobody.

use crate::facts::endings::{Ending, Endings, may_return};
use crate::facts::targets::Targets;
use crate::limits::CONDITION_OPERATIONS;
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{
    BinaryOp, BlockId, Body, Call, Cfg, CompareOp, Dominators, FuncId, InstId, Op, Program, Table,
    Terminator, Type, ValueId,
};
use watertight_summary::model::Models;

/// What is known of functions before.
pub(crate) struct Jumping<'a> {
    pub(crate) program: &'a Program,
    pub(crate) library: &'a Models,
    pub(crate) targets: &'a Targets,
    pub(crate) endings: &'a Endings,
    /// Functions that jump, or call one that does.
    pub(crate) jumping: &'a Table<FuncId, bool>,
    /// Functions that may end the process.
    pub(crate) exits: &'a Table<FuncId, bool>,
}

/// The functions that jump, and whose every jump waits for a switch.
pub(crate) fn awaited(known: &Jumping<'_>) -> Table<FuncId, bool> {
    let Jumping { program, jumping, .. } = known;
    // Calls that may jump and stand behind no switch: who is called, by whom.
    let mut open: Vec<(FuncId, FuncId)> = Vec::new();
    let mut bare: Table<FuncId, bool> =
        program.functions.iter().map(|(id, function)| function.body.is_none() && jumping[id]).collect();
    for (id, function) in program.functions.iter().filter(|entry| jumping[entry.0]) {
        let Some(body) = &function.body else { continue };
        let mut ways: Option<Ways> = None;
        for (block, data) in body.blocks.iter() {
            for &inst in &data.insts {
                let Op::Call(call) = &body.insts[inst].op else { continue };
                let jumpers = known.jumpers(id, body, inst, call);
                if jumpers.is_empty() {
                    continue;
                }
                let ways = ways.get_or_insert_with(|| Ways::new(body));
                if !known.is_behind_a_switch(body, ways, block) {
                    open.extend(jumpers.into_iter().map(|callee| (callee, id)));
                }
            }
        }
    }
    loop {
        let before = open.len();
        open.retain(|&(callee, caller)| {
            bare[caller] |= bare[callee];
            !bare[caller]
        });
        if open.len() == before {
            break;
        }
    }
    program.functions.ids().map(|id| jumping[id] && !bare[id]).collect()
}

impl Jumping<'_> {
    /// The functions that may jump when this is called.
    fn jumpers(&self, id: FuncId, body: &Body, inst: InstId, call: &Call) -> Vec<FuncId> {
        let mut callees = match (direct_callee(body, call), self.endings.of_call(id, inst)) {
            (Some(callee), _) | (None, Some(Ending::Jumps(callee))) => vec![callee],
            (None, Some(Ending::Ends(_))) => Vec::new(),
            (None, None) => {
                self.targets.of_call(id, inst).map_or_else(Vec::new, |held| held.functions.clone())
            }
        };
        callees.retain(|&callee| self.jumping[callee]);
        callees
    }

    /// Whether control gets to a block only where a switch is on, and the process may end where it is off.
    fn is_behind_a_switch(&self, body: &Body, ways: &Ways, block: BlockId) -> bool {
        let mut below = block;
        while let Some(above) = ways.dominators.idom(below) {
            let only = ways.cfg.predecessors(below).iter().all(|&before| before == above);
            if only
                && let Terminator::Branch { cond, then, other } = body.blocks[above].term
                && then != other
                && let Some(on) = switched_on(body, cond)
                && (if on { then } else { other }) == below
                && self.ends_where_off(body, if on { other } else { then }, below)
            {
                return true;
            }
            below = above;
        }
        false
    }

    /// Whether the process ends on one side of a switch, always; or now and then, if it may come back on both sides.
    fn ends_where_off(&self, body: &Body, off: BlockId, on: BlockId) -> bool {
        let (comes_back, ends) = self.seen_from(body, off);
        ends && (!comes_back || self.seen_from(body, on).0)
    }

    /// Whether control may come back from a block, and whether the process may end there.
    fn seen_from(&self, body: &Body, from: BlockId) -> (bool, bool) {
        let mut seen: Table<BlockId, bool> = Table::filled(body.blocks.len(), false);
        let (mut open, mut comes_back, mut ends) = (vec![from], false, false);
        while let Some(block) = open.pop() {
            if std::mem::replace(&mut seen[block], true) {
                continue;
            }
            let passes = body.block_insts(block).all(|(_, data)| match &data.op {
                Op::Call(call) => {
                    let callee = direct_callee(body, call);
                    ends |= callee.is_some_and(|callee| self.exits[callee]);
                    !call.no_return && callee.is_none_or(|callee| self.may_return(callee))
                }
                _ => true,
            });
            if passes {
                comes_back |= matches!(body.blocks[block].term, Terminator::Return(_));
                body.blocks[block].term.successors(|next| open.push(next));
            }
        }
        (comes_back, ends)
    }

    fn may_return(&self, function: FuncId) -> bool {
        let data = &self.program.functions[function];
        let told = self.library.functions.get(&data.name).filter(|_| data.body.is_none());
        !data.attrs.no_return && told.is_none_or(may_return)
    }
}

/// The order of blocks.
struct Ways {
    cfg: Cfg,
    dominators: Dominators,
}

impl Ways {
    fn new(body: &Body) -> Ways {
        let cfg = Cfg::new(body);
        let dominators = Dominators::new(&cfg);
        Ways { cfg, dominators }
    }
}

/// Whether a condition holds where a switch is on, or where it is off; none if it asks for something else.
fn switched_on(body: &Body, cond: ValueId) -> Option<bool> {
    let Op::Compare { op: op @ (CompareOp::Eq | CompareOp::Ne), lhs, rhs } = body.def_op(cond)? else {
        return None;
    };
    let differs = *op == CompareOp::Ne;
    match body.bits(*rhs)? {
        0 => is_kept_number(body, *lhs).then_some(differs),
        // All of some bits.
        number => match body.def_op(*lhs)? {
            Op::Binary { op: BinaryOp::And, lhs, rhs }
                if body.bits(*rhs) == Some(number) && is_kept_number(body, *lhs) =>
            {
                Some(!differs)
            }
            _ => None,
        },
    }
}

/// Whether a value is a number that a variable or a member of the program holds.
fn is_kept_number(body: &Body, mut value: ValueId) -> bool {
    for _ in 0..CONDITION_OPERATIONS {
        match body.def_op(value) {
            Some(Op::Convert { value: inner, .. }) => value = *inner,
            Some(Op::Binary { op: BinaryOp::LShr | BinaryOp::And, lhs, rhs })
                if body.bits(*rhs).is_some() =>
            {
                value = *lhs;
            }
            Some(Op::Load { addr, .. }) => {
                return matches!(body.ty(value), Type::Int(_)) && !is_local(body, *addr);
            }
            _ => return false,
        }
    }
    false
}

/// Whether an address is that of a local variable.
fn is_local(body: &Body, mut addr: ValueId) -> bool {
    for _ in 0..CONDITION_OPERATIONS {
        match body.def_op(addr) {
            Some(Op::Offset { base, .. }) => addr = *base,
            Some(Op::Stack { .. }) => return true,
            _ => return false,
        }
    }
    false
}
