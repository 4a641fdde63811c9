//! Variables that hold the only reference to something acquired.
//!
//! A variable that is assigned once, from a call that acquires something, is the only way to it until its value is stored,
//! passed or returned. Until then no other pointer leads there, so that `node->next` and `list->next` are two locations
//! although both are members of the same type. The walk backwards cannot see this by itself: it learns only at the
//! acquisition that the block is new.

use crate::expr::{Expr, ExprId, Symbol};
use crate::lower::{Action, BlockStatements, End, Statements};
use crate::world::World;
use watertight_ir::{BlockId, Cfg, FuncId, Id as _, Op, Type};
use watertight_summary::Value;

/// Such a variable.
#[derive(Clone, Debug)]
pub(crate) struct FreshLocal {
    /// Its value.
    value: ExprId,
    /// The actions that hand its value on.
    escapes: Vec<(BlockId, usize)>,
    /// Blocks that come after one of them.
    after: Vec<bool>,
}

impl Statements {
    /// The values that nothing else holds before and at an action.
    pub(crate) fn fresh_at(&self, block: BlockId, at: usize) -> Vec<ExprId> {
        let alone = |local: &&FreshLocal| {
            !local.after[block.index()]
                && !local.escapes.iter().any(|&(other, before)| other == block && before <= at)
        };
        self.fresh.iter().filter(alone).map(|local| local.value).collect()
    }
}

impl World<'_> {
    pub(crate) fn fresh_locals(
        &mut self,
        function: FuncId,
        blocks: &[BlockStatements],
        cfg: &Cfg,
    ) -> Vec<FreshLocal> {
        let mut found = Vec::new();
        let actions = || blocks.iter().flat_map(|block| &block.actions);
        for (_, action) in actions() {
            let Action::Assign { addr, value, ty: Type::Ptr } = action else { continue };
            let Expr::Address(Symbol::Local(of, local)) = self.exprs.get(*addr) else { continue };
            if of != function || self.is_taken(function, local) || !self.is_acquired(*value) {
                continue;
            }
            let once =
                actions().filter(|(_, other)| matches!(other, Action::Assign { addr: to, .. } if to == addr));
            if once.count() != 1 {
                continue;
            }
            let (addr, made) = (*addr, *value);
            let value = self.deref(addr, Type::Ptr);
            let escapes = self.escapes(blocks, addr, value, made);
            let mut after = vec![false; blocks.len()];
            let mut todo: Vec<BlockId> =
                escapes.iter().flat_map(|&(block, _)| cfg.successors(block).iter().copied()).collect();
            while let Some(block) = todo.pop() {
                if !std::mem::replace(&mut after[block.index()], true) {
                    todo.extend(cfg.successors(block));
                }
            }
            found.push(FreshLocal { value, escapes, after });
        }
        found
    }

    /// Whether a value is what a call of a model acquires.
    fn is_acquired(&self, value: ExprId) -> bool {
        let Expr::Value(function, value) = self.exprs.get(value) else { return false };
        let Some(body) = self.body(function) else { return false };
        let Some(Op::Call(call)) = body.def_op(value) else { return false };
        let callee = watertight_ir::callgraph::direct_callee(body, call);
        let Some(callee) = callee.filter(|&callee| self.program.functions[callee].body.is_none()) else {
            return false;
        };
        let Some(model) = self.models.functions.get(&self.program.functions[callee].name) else {
            return false;
        };
        model.outcomes.iter().all(|outcome| {
            let kept = outcome
                .effects
                .iter()
                .any(|effect| !matches!(effect, watertight_summary::Effect::Zero { .. }));
            matches!(outcome.result, Value::Fresh { plus: 0, .. } | Value::Number(0)) && !kept
        })
    }

    /// Where a value goes anywhere but into comparisons and addresses. `made` is its name before it is in the variable.
    fn escapes(
        &self,
        blocks: &[BlockStatements],
        variable: ExprId,
        value: ExprId,
        made: ExprId,
    ) -> Vec<(BlockId, usize)> {
        let mut found = Vec::new();
        for (index, block) in blocks.iter().enumerate() {
            let id = BlockId::new(index);
            for (at, (_, action)) in block.actions.iter().enumerate() {
                let handed = match action {
                    Action::Assign { addr, .. } if *addr == variable => false,
                    Action::Assign { value: stored, .. } => self.hands_on(*stored, value, made),
                    Action::Define { by, .. } => by.is_some_and(|by| self.hands_on(by, value, made)),
                    Action::Exchange { value: stored, .. } => {
                        stored.is_some_and(|stored| self.hands_on(stored, value, made))
                    }
                    Action::Call(call) => call.args.iter().any(|&arg| self.hands_on(arg, value, made)),
                    Action::Copy { .. } | Action::Fill { .. } => false,
                    Action::Unmodelled(_) => true,
                };
                if handed {
                    found.push((id, at));
                }
            }
            let merged = blocks.iter().flat_map(|block| &block.merged);
            let merged = merged.flat_map(|merged| &merged.1).filter(|way| way.0 == id);
            let mut ends = merged.map(|way| way.1).collect::<Vec<_>>();
            if let End::Return(Some(value)) = block.end {
                ends.push(value);
            }
            if ends.into_iter().any(|end| self.hands_on(end, value, made)) {
                found.push((id, block.actions.len()));
            }
        }
        found
    }

    /// Whether an expression is the value, or an address in the block it points to. What is read from there is not.
    fn hands_on(&self, expr: ExprId, value: ExprId, made: ExprId) -> bool {
        if expr == value || expr == made {
            return true;
        }
        match self.exprs.get(expr) {
            Expr::Deref(..) | Expr::Compare(..) => false,
            _ => self.exprs.parts(expr).0.into_iter().flatten().any(|part| self.hands_on(part, value, made)),
        }
    }
}
