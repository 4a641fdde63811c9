//! Parameters of an enumeration type.
//!
//! In: a parameter. Out: the least and the greatest of the values that its type names, if it names all between them. C lets
//! an enumeration hold other numbers, but whoever declares a parameter so means one of the names (ASSUME-36). Where bits of the
//! parameter are looked at, its names are flags, and several may be set. Who has a case for each name and something else to do for all other
//! numbers expects them.

use crate::assumptions::Supposed;
use crate::machine::state::State;
use watertight_ir::ctype;
use watertight_ir::{BinaryOp, BlockId, DebugType, Def, Op, Terminator, ValueId};

impl State<'_> {
    /// The range of a parameter whose type is an enumeration.
    pub(crate) fn enumeration(&self, index: u32) -> Option<(i128, i128)> {
        if !self.assumes(Supposed::EnumerationsKeepValues) {
            return None;
        }
        let variable = self.body.parameter(index)?;
        let debug = &self.context.program.units[self.function.unit].debug;
        let DebugType::Enum { values, .. } = ctype::described(debug, variable.ty)? else { return None };
        let plain = |param: &watertight_ir::Param| !param.struct_result && param.by_value.is_none();
        if !self.function.params.iter().all(plain) {
            return None;
        }
        let mut numbers: Vec<i64> = values.iter().map(|value| value.1).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let (&least, &most) = (numbers.first()?, numbers.last()?);
        let all = most.checked_sub(least).is_some_and(|span| span as usize + 1 == numbers.len());
        let meant =
            all && numbers.len() > 1 && !self.has_flags(index) && !self.expects_others(index, &numbers);
        meant.then(|| (least.into(), most.into()))
    }

    /// Whether a `switch` has a case for each of these numbers, and does something of its own for others, after which the function
    /// goes on.
    fn expects_others(&self, index: u32, numbers: &[i64]) -> bool {
        self.body.blocks.values().any(|block| {
            let Terminator::Switch { value, cases, default } = &block.term else { return false };
            let has_case = |number: i64| cases.iter().any(|case| case.0 as i32 == number as i32);
            matches!(self.body.values[*value].def, Def::Param(other) if other == index)
                && numbers.iter().all(|&number| has_case(number))
                && self.leads_only_one_way_to(*default)
                && !matches!(self.body.blocks[*default].term, Terminator::Unreachable)
        })
    }

    /// Whether one branch of one block leads to a block, and nothing else.
    fn leads_only_one_way_to(&self, block: BlockId) -> bool {
        let mut ways = 0;
        for data in self.body.blocks.values() {
            data.term.successors(|to| ways += usize::from(to == block));
        }
        ways == 1
    }

    /// Whether bits of a parameter are looked at.
    fn has_flags(&self, index: u32) -> bool {
        let is_it =
            |value: ValueId| matches!(self.body.values[value].def, Def::Param(other) if other == index);
        self.body.insts.values().any(|inst| match &inst.op {
            Op::Binary { op: BinaryOp::And, lhs, rhs, .. } => is_it(*lhs) || is_it(*rhs),
            _ => false,
        })
    }
}
