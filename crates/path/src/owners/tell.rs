//! The stories of what members lose.

use super::Look;
use super::destroyed::{How, Lost};
use crate::facts::types::{Field, Members};
use crate::members::place_of;
use watertight_finding::{
    Doubt, Ending, Growth, Place, Said, Step, StepKind, Story, Support, Urgency, Variant,
};
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{Cfg, FuncId, Loops, Op};

impl Look<'_> {
    /// The story of one loss.
    pub(super) fn tell(&self, function: FuncId, lost: &Lost) -> Option<Story> {
        let program = self.known.program;
        let body = program.functions[function].body.as_ref()?;
        let members = Members::new(program, function)?;
        let first = lost.fields.first()?;
        let number = self.accesses.number(first)?;
        let kind = self.known.library.kinds.get(self.owned.filled_by(number)?.kind);
        let owner = members.spelled(lost.owner)?;
        let name = |field: &Field| match lost.how {
            How::Released | How::LeftOut => format!("{owner}->{}", field.name),
            How::Overwritten => owner.clone(),
        };
        let place = place_of(program, function, lost.inst);
        let mut steps = Vec::new();
        for field in &lost.fields {
            let new = self.owned.filled_by(self.accesses.number(field)?)?;
            let filler = &program.functions[new.function].name;
            let said = Said::FillsMember { by: filler, member: &field.name };
            steps.push(Step::new(StepKind::Acquire, place_of(program, new.function, new.inst), said));
        }
        let names: Vec<String> = lost.fields.iter().map(|field| format!("`{}`", name(field))).collect();
        let (one, names) = (names.len() == 1, &*names.join(", "));
        let said = match lost.how {
            How::Released => {
                let Op::Call(call) = &body.insts[lost.inst].op else { return None };
                let releaser = &*program.functions[direct_callee(body, call)?].name;
                match one {
                    true => Said::MemberLeaks { releaser, owner: &owner, member: names },
                    false => Said::MembersLeak { releaser, owner: &owner, members: names },
                }
            }
            How::Overwritten => Said::MemberOverwritten { member: &owner },
            How::LeftOut => {
                let function = &*program.functions[function].name;
                match one {
                    true => Said::MemberLeftOut { function, owner: &owner, member: names },
                    false => Said::MembersLeftOut { function, owner: &owner, members: names },
                }
            }
        };
        steps.push(Step::new(StepKind::Lost, place.clone(), said));
        let block = body.blocks.iter().find(|(_, block)| block.insts.contains(&lost.inst))?.0;
        let loops = Loops::new(&Cfg::new(body));
        Some(Story {
            ending: Ending::Lost,
            acquired: place,
            acquired_by: name(first),
            given: true,
            ordinal: 0,
            kind: kind.name.to_string(),
            memory: kind.memory,
            noun: kind.noun.to_string(),
            held_in: Some(name(first)),
            owner: (lost.how == How::Released).then_some(owner.clone()),
            variant: match lost.how {
                How::Released => Variant::LostWithOwner,
                How::Overwritten => Variant::Overwritten,
                How::LeftOut => Variant::NeverReleased,
            },
            growth: if loops.depth(block) > 0 { Growth::EachIteration } else { Growth::EachCall },
            steps,
            sibling: self.released_elsewhere(number, first),
            assumptions: Vec::new(),
            needs: Vec::new(),
            doubts: self.doubt(function, number, lost).into(),
            urgency: Urgency::Ordinary,
            support: Support::Unchecked,
        })
    }

    /// How sure it is that the structure owns what the member holds, and that it is there. Either somebody releases it, and the file that loses it is the one that
    /// fills it, so that both mean the same structure. Or the function that loses it gives up what other members of the structure hold, so that it means to
    /// end it, everything that is put into the member is known to be new, and nobody else empties it. Or it has looked whether there is something, and
    /// puts something else in its place. And what releases the structure must know of nothing but its block. Who leaves the structure alive leaves a
    /// member to whoever else releases it: a reset is no destructor. Read on real programs, most findings without any of these are false.
    fn doubt(&self, function: FuncId, number: usize, lost: &Lost) -> Doubt {
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
            self.care.knows(function, field)
                && !self.owned.is_vague(field)
                && !self.care.is_emptied_elsewhere(function, field)
        });
        let replaces = lost.replaces && filled_here && !self.owned.is_vague(number);
        let left_to_others = lost.how == How::LeftOut && released;
        let sure = plain && !left_to_others && (released && filled_here || ends_it || replaces);
        if sure { Doubt::MemberOwned } else { Doubt::MemberGuessed }
    }

    /// A function that does release what a member holds.
    fn released_elsewhere(&self, number: usize, field: &Field) -> Option<Step> {
        let program = self.known.program;
        let function = self.care.released_by(number)?;
        let data = &program.functions[function];
        let (file, line, column) = program.source_place(function, data.place?)?.outermost();
        let place = Place::new(file, line, column).in_function(&*data.name);
        let said = Said::ReleasesMember { by: &data.name, member: &field.name };
        Some(Step::new(StepKind::Release, place, said))
    }
}
