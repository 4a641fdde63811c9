//! The stories of what members lose.

use super::Look;
use super::destroyed::{How, Lost};
use crate::facts::places::place_of;
use crate::facts::types::{Field, Members};
use watertight_finding::{
    Ending, Growth, Place, Said, Step, StepKind, Story, Support, Urgency, Variant, either,
};
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{Cfg, FuncId, Loops, Op};
use watertight_summary::KindId;

impl Look<'_> {
    /// The story of one loss.
    pub(super) fn tell(&self, function: FuncId, lost: &Lost) -> Option<Story> {
        let program = self.known.program;
        let body = program.functions[function].body.as_ref()?;
        let members = Members::new(program, function)?;
        let first = lost.fields.first()?;
        let number = self.accesses.number(first)?;
        let kind = match (lost.how, self.owned.filled_by(number)) {
            (How::Elements | How::Left, _) => KindId::HEAP,
            (_, filled) => filled?.kind,
        };
        let kind = self.known.library.kinds.get(kind);
        let owner = match lost.how {
            How::Filled => members.spelled_at(lost.owner, first)?,
            How::Wiped => members.spelled_in(lost.owner, first)?,
            _ => members.spelled(lost.owner)?,
        };
        let name = |field: &Field| match lost.how {
            How::Released | How::LeftOut if field.is_each() => format!("{owner}->{}[i]", field.name),
            How::Released | How::LeftOut => format!("{owner}->{}", field.name),
            How::Wiped => members.spelled_in(lost.owner, field).unwrap_or_else(|| owner.clone()),
            How::Overwritten | How::Filled | How::Left => owner.clone(),
            How::Elements => format!("{owner}[i]"),
        };
        let place = place_of(program, function, lost.inst);
        let mut steps = Vec::new();
        let is_member = !matches!(lost.how, How::Elements | How::Left);
        for field in lost.fields.iter().filter(|_| is_member) {
            let new = self.owned.filled_by(self.accesses.number(field)?)?;
            let filler = &program.functions[new.function].name;
            let said = Said::FillsMember { by: filler, member: &field.name };
            steps.push(Step::new(StepKind::Acquire, place_of(program, new.function, new.inst), said));
        }
        let names: Vec<String> = lost.fields.iter().map(|field| format!("`{}`", name(field))).collect();
        let (one, names) = (names.len() == 1, &*either(&names));
        let held = format!("{owner}->{}", first.name);
        let said = match lost.how {
            How::Released | How::Elements => {
                let Op::Call(call) = &body.insts[lost.inst].op else { return None };
                let releaser = &*program.functions[direct_callee(body, call)?].name;
                match one {
                    true => Said::MemberLeaks { releaser, owner: &owner, member: names },
                    false => Said::MembersLeak { releaser, owner: &owner, members: names },
                }
            }
            How::Wiped | How::Overwritten | How::Filled => Said::MemberOverwritten { member: &owner },
            How::Left => {
                let function = &*program.functions[function].name;
                Said::HolderLeft { function, member: &held, owner: &owner }
            }
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
            owner: matches!(lost.how, How::Released | How::Elements).then_some(owner.clone()),
            variant: match lost.how {
                How::Released | How::Elements => Variant::LostWithOwner,
                How::Wiped | How::Overwritten | How::Filled => Variant::Overwritten,
                How::LeftOut | How::Left => Variant::NeverReleased,
            },
            growth: if loops.depth(block) > 0 { Growth::EachIteration } else { Growth::EachCall },
            steps,
            sibling: match lost.how {
                How::Left => None,
                How::Elements => self
                    .arrays
                    .emptied_by(number)
                    .and_then(|by| self.released_by(by, &format!("{}[i]", first.name))),
                _ => self.care.released_by(number).and_then(|by| self.released_by(by, &first.name)),
            },
            assumptions: Vec::new(),
            needs: Vec::new(),
            doubts: self.doubt(function, number, lost).into(),
            urgency: Urgency::Ordinary,
            support: Support::Unchecked,
        })
    }

    /// That a function does release what a member holds.
    fn released_by(&self, function: FuncId, member: &str) -> Option<Step> {
        let program = self.known.program;
        let data = &program.functions[function];
        let (file, line, column) = program.source_place(function, data.place?)?.outermost();
        let place = Place::new(file, line, column).in_function(&*data.name);
        let said = Said::ReleasesMember { by: &data.name, member };
        Some(Step::new(StepKind::Release, place, said))
    }
}
