//! Functions that release what a structure holds, and leave one member out.
//!
//! In: a function. Out: the members that it leaves out, although it releases at least two others of the structure that it is given, and more than it leaves out,
//! and fills none. The structure itself is its caller's: a variable, or released afterwards.

use super::Look;
use super::accesses::{Access, What};
use super::destroyed::{How, Lost};
use crate::facts::types::Field;
use watertight_ir::{Def, FuncId, Op, ValueId};

impl Look<'_> {
    /// What a function leaves out.
    pub(super) fn contents(&self, function: FuncId) -> Vec<Lost> {
        let mut found = Vec::new();
        let Some(body) = &self.known.program.functions[function].body else { return found };
        let accesses = self.accesses.in_function(function);
        let mut parameters: Vec<ValueId> = Vec::new();
        let given = |access: &Access| {
            let mut base = access.addr;
            while let Some(Op::Offset { base: inner, .. }) = body.def_op(base) {
                base = *inner;
            }
            matches!(body.values[base].def, Def::Param(_)).then_some(base)
        };
        for access in accesses {
            if let Some(parameter) = given(access).filter(|parameter| !parameters.contains(parameter)) {
                parameters.push(parameter);
            }
        }
        for parameter in parameters {
            let released: Vec<&Access> = accesses
                .iter()
                .filter(|access| {
                    given(access) == Some(parameter)
                        && !matches!(access.what, What::Store(_))
                        && self.owned.filled_by(access.field).is_some()
                        && self.care.releases(function, access.field)
                })
                .collect();
            let mut members: Vec<usize> = released.iter().map(|access| access.field).collect();
            members.sort_unstable();
            members.dedup();
            let Some(record) = members.first().and_then(|&field| self.accesses.fields[field].record()) else {
                continue;
            };
            let siblings: Vec<usize> = self
                .owned
                .all()
                .filter(|&field| {
                    let known = &self.accesses.fields[field];
                    !known.is_each() && known.record().as_ref() == Some(&record)
                })
                .collect();
            if !self.care.empties(function, members[0])
                || siblings.iter().any(|&field| self.care.fills(function, field))
            {
                continue;
            }
            let left: Vec<usize> = siblings
                .into_iter()
                .filter(|&field| {
                    !self.care.handles_within(function, field)
                        && self.care.is_sure(field)
                        && !self.is_link(function, parameter, field)
                })
                .collect();
            if left.is_empty() || left.len() >= members.len() {
                continue;
            }
            let lost: Vec<Field> = left
                .into_iter()
                .filter(|&field| !self.care.is_left_to_callers(function, field))
                .map(|field| self.accesses.fields[field].clone())
                .collect();
            if let (Some(last), false) = (released.last(), lost.is_empty()) {
                let how = How::LeftOut;
                found.push(Lost { inst: last.inst, owner: parameter, fields: lost, how, replaces: false });
            }
        }
        found
    }
}
