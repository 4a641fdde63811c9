//! How sure it is that a member owns what it holds, and that it is there.
//!
//! In: a loss. Out: its doubt. What makes findings about members false, read on real programs: the structure is of several kinds, and this kind has no such member; the
//! member is filled and emptied within one call; whoever is called is no end of the structure.

use super::Look;
use super::accesses::What;
use super::destroyed::{How, Lost};
use watertight_finding::Doubt;
use watertight_ir::FuncId;
use watertight_ir::Op;
use watertight_ir::callgraph::direct_callee;

impl Look<'_> {
    /// How sure it is that the structure owns what the member holds, and that it is there. Either somebody releases it, and the file that loses it is the one that
    /// fills it, so that both mean the same structure. Or the function that loses it gives up what other members of the structure hold, so that it means to
    /// end it, everything that is put into the member is known to be new, and nobody else empties it. Or it has looked whether there is something, and
    /// puts something else in its place. And what releases the structure must know of nothing but its block. Who leaves the structure alive leaves a
    /// member to whoever else releases it: a reset is no destructor. Read on real programs, most findings without any of these are false.
    pub(super) fn doubt(&self, function: FuncId, number: usize, lost: &Lost) -> Doubt {
        match lost.how {
            How::Elements => {
                let shown =
                    self.arrays.emptied_by(number).is_some() || self.care.ends_parts(function, number);
                return if shown { Doubt::MemberOwned } else { Doubt::MemberGuessed };
            }
            How::Left => return Doubt::MemberOwned,
            How::Filled if lost.replaces => return Doubt::MemberOwned,
            How::Filled => return Doubt::MemberGuessed,
            How::Released | How::Wiped | How::Overwritten | How::LeftOut => {}
        }
        let functions = &self.known.program.functions;
        let unit = functions[function].unit;
        let all = |holds: &dyn Fn(usize) -> bool| {
            lost.fields.iter().all(|field| self.accesses.number(field).is_some_and(holds))
        };
        let filled_here =
            all(&|field| self.owned.filled_by(field).is_some_and(|new| functions[new.function].unit == unit));
        let body = functions[function].body.as_ref();
        let plain = match body.map(|body| (body, &body.insts[lost.inst].op)) {
            Some((body, Op::Call(call))) => {
                let releaser = direct_callee(body, call).map(|callee| &functions[callee]);
                releaser.is_some_and(|callee| callee.body.is_none() || callee.params.len() == 1)
            }
            _ => true,
        };
        let released = self.care.released_by(number).is_some();
        let ends_it = all(&|field| {
            self.care.ends_parts(function, field)
                && !self.owned.is_vague(field)
                && !self.care.is_emptied_elsewhere(function, field)
        });
        let replaces = lost.replaces && filled_here && !self.owned.is_vague(number);
        let left_to_others = lost.how == How::LeftOut && released;
        let ends = matches!(lost.how, How::Released | How::Wiped);
        let of_another_kind =
            ends && !all(&|field| !self.is_of_another_kind(function, field) && !self.is_transient(field));
        // What nobody ever releases is lost with the only thing that leads to it.
        let never = ends
            && filled_here
            && all(&|field| self.care.released_by(field).is_none() && self.care.is_holder(field));
        let shown = released && filled_here || ends_it || replaces || never;
        let sure = plain && !left_to_others && !of_another_kind && shown;
        if sure { Doubt::MemberOwned } else { Doubt::MemberGuessed }
    }

    /// Whether the structure that a function releases may be one that never has something in a member. Structures of other types begin with it, so that it is any of them. Or
    /// the file that fills the member ends such structures itself, and releases what the member holds: then who ends them in another file ends those of its own.
    fn is_of_another_kind(&self, function: FuncId, field: usize) -> bool {
        let program = self.known.program;
        let unit = |function: FuncId| program.functions[function].unit;
        let filled_in = self.owned.filled_by(field).map(|new| unit(new.function));
        let has_own_end = filled_in != Some(unit(function))
            && self.care.enders(field).any(|ender| Some(unit(ender)) == filled_in);
        has_own_end || self.accesses.fields[field].is_of_base(program)
    }

    /// Whether whoever fills a member is called by somebody who empties it again.
    fn is_transient(&self, field: usize) -> bool {
        let fills = self.accesses.of_field(field).filter(|access| match access.what {
            What::Store(value) => {
                let body = self.known.program.functions[access.function].body.as_ref();
                body.is_some_and(|body| body.constant(value).is_none())
            }
            _ => false,
        });
        let mut fillers: Vec<FuncId> = fills.map(|access| access.function).collect();
        fillers.dedup();
        !fillers.is_empty() && fillers.iter().all(|&filler| self.care.is_emptied_by_callers(filler, field))
    }
}
