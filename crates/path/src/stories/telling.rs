//! One path through a function, chosen by the solver's values, told step by step.
//!
//! In: an evaluated function, an object, and values for its unknowns. Out: the branches that the path takes with the
//! values that make them go that way, and what becomes of the last reference to the object.

use crate::calls::replaced::result_overwrites_argument;
use crate::limits::TOLD_BRANCHES;
use crate::machine::journal::{Event, EventKind, Jump};
use crate::machine::memory::{ObjectId, Origin, Site};
use crate::machine::state::State;
use crate::machine::value::{Leaf, Sym};
use crate::plan::unroll::NodeId;
use crate::stories::names::{argument, called_by};
use crate::stories::witness::{Exit, place_of};
use rustc_hash::FxHashMap;
use watertight_finding::{Place, Said, Step, StepKind};
use watertight_ir::spell::Speller;
use watertight_ir::{BlockId, CompareOp, Def, InstId, Op, PlaceId, Terminator, Type, ValueId, VarId};
use watertight_logic::eval::Evaluator;
use watertight_logic::guard::Guard;
use watertight_logic::width::Width;

/// Follows one path.
pub(crate) struct Teller<'t, 'a> {
    pub(crate) evaluator: Evaluator,
    pub(crate) state: &'t mut State<'a>,
    pub(crate) object: ObjectId,
    pub(crate) site: &'t Site,
}

/// What a path shows from the acquisition on.
pub(crate) struct Followed {
    pub(crate) branches: Vec<Step>,
    pub(crate) fate: Fate,
    /// The first variable that holds the object, in the words of the source.
    pub(crate) name: Option<String>,
}

/// An instruction in a copy of its block: a path may pass it in several iterations.
pub(crate) type At = (NodeId, InstId);

/// What becomes of the last reference.
pub(crate) enum Fate {
    /// This instruction stores another value over it.
    Overwritten { place: Place, by: At },
    /// What held it is released, by this instruction.
    WithOwner { release: At, place: Place, by: Option<String>, owner: Option<String> },
    /// Nothing ever held it.
    Dropped,
    /// It goes when the function is left, or its loop goes on.
    Forgotten,
}

/// A comparison in the words of the source.
struct Sides {
    left: String,
    right: String,
    /// The left side is what a call returns, which has no name.
    is_call: bool,
}

/// When an instruction was passed.
struct Passed {
    /// How many instructions the path had passed by then.
    now: usize,
    /// How many branches.
    branches: usize,
}

impl Teller<'_, '_> {
    pub(crate) fn holds(&mut self, guard: Guard) -> bool {
        let (formulas, evaluator) = (&self.state.formulas, &mut self.evaluator);
        formulas.guards.eval(guard, |condition| match formulas.conditions.term_of(condition) {
            Some(term) => evaluator.holds(&formulas.terms, term),
            None => false,
        })
    }

    /// Whether a value is the address of the object, on this path.
    fn is_object(&mut self, sym: &Sym) -> bool {
        match sym {
            Sym::Leaves(leaves) => leaves.iter().any(|&(guard, leaf)| {
                matches!(leaf, Leaf::Address(object, _) if object == self.object) && self.holds(guard)
            }),
            Sym::Parts(parts) => parts.iter().any(|part| self.is_object(part)),
            Sym::Truth(_) => false,
        }
    }

    /// Follows the path from the acquisition on.
    pub(crate) fn follow(&mut self) -> Followed {
        let mut branches: Vec<Step> = Vec::new();
        let mut holders: Vec<VarId> = Vec::new();
        let mut name = None;
        let mut acquired = false;
        let mut overwritten: Option<(usize, At)> = None;
        let mut passed: FxHashMap<At, Passed> = FxHashMap::default();
        let made_in = self.made_in();
        let mut now = 0;
        let nodes: Vec<NodeId> = self.state.unrolled.nodes.ids().collect();
        let body = self.state.body;
        for node in nodes {
            if self.state.entered[node].is_false() || !self.holds(self.state.entered[node]) {
                continue;
            }
            let block = self.state.unrolled.nodes[node].block;
            for (inst, data) in body.block_insts(block) {
                acquired |= inst == self.site.inst && made_in.is_none_or(|made_in| made_in == node);
                now += 1;
                passed.insert((node, inst), Passed { now, branches: branches.len() });
                let Op::Name { variable, value } = &data.op else { continue };
                if !acquired {
                    continue;
                }
                let sym = self.value_at(node, *value);
                if self.is_object(&sym) {
                    if !holders.contains(variable) {
                        holders.push(*variable);
                    }
                    if name.is_none() {
                        let speller = Speller::new(self.state.context.program, self.state.id);
                        let held = speller.and_then(|speller| speller.held(*variable, body.ty(*value)));
                        name = held.map(|spelling| spelling.text);
                    }
                    overwritten = None;
                } else if let Some(index) = holders.iter().position(|held| held == variable) {
                    holders.remove(index);
                    if holders.is_empty() {
                        overwritten = Some((now, (node, inst)));
                    }
                }
            }
            if acquired
                && let Some(step) = self.branch(node, &body.blocks[block].term, body.blocks[block].term_place)
            {
                branches.push(step);
            }
        }
        let fate = self.fate(&holders, overwritten, &passed, name.is_some());
        // What happens after the loss is no part of how it comes about.
        if let Fate::Overwritten { by, .. } | Fate::WithOwner { release: by, .. } = &fate
            && let Some(passed) = passed.get(by)
        {
            branches.truncate(passed.branches);
        }
        let skipped = branches.len().saturating_sub(TOLD_BRANCHES);
        branches.drain(..skipped);
        Followed { branches, fate, name }
    }

    fn fate(
        &mut self,
        holders: &[VarId],
        overwritten: Option<(usize, At)>,
        passed: &FxHashMap<At, Passed>,
        named: bool,
    ) -> Fate {
        if let Some(fate) = self.owner_released() {
            return fate;
        }
        let in_memory = self.overwritten_in_memory();
        if holders.is_empty() {
            // Where a variable and a cell of memory held it, the last of them to go was the last reference.
            let in_memory = in_memory.map(|at| (passed.get(&at).map_or(0, |passed| passed.now), at));
            if let Some((_, by)) = overwritten.max(in_memory) {
                return Fate::Overwritten {
                    place: place_of(self.state, self.state.body.insts[by.1].place),
                    by,
                };
            }
            if !named && !self.held_by_memory() {
                return Fate::Dropped;
            }
        }
        Fate::Forgotten
    }

    /// The release of something that holds the object to the end of the path.
    fn owner_released(&mut self) -> Option<Fate> {
        let owners: Vec<(ObjectId, Vec<Guard>)> = self.holders_in_memory();
        for (owner, guards) in owners {
            let released = self.state.objects[owner].released;
            let owns = guards.into_iter().any(|guard| self.holds(guard));
            if !owns || released.is_false() || !self.holds(released) {
                continue;
            }
            let events = self.state.journal.events.clone();
            let release = events
                .iter()
                .rfind(|event| {
                    event.object == owner && event.kind == EventKind::Release && self.holds(event.guard)
                })
                .map(|event| (event.node, event.inst))?;
            let place = place_of(self.state, self.state.body.insts[release.1].place);
            let by = called_by(self.state, release.1);
            let owner = argument(self.state, release.1, owner);
            return Some(Fate::WithOwner { release, place, by, owner });
        }
        None
    }

    /// Objects whose memory leads to this one, and when.
    fn holders_in_memory(&self) -> Vec<(ObjectId, Vec<Guard>)> {
        let mut owners = Vec::new();
        for (id, entry) in self.state.objects.iter() {
            let guards: Vec<Guard> =
                entry.held().filter(|held| held.1 == self.object).map(|held| held.0).collect();
            if id != self.object && !guards.is_empty() && !entry.past {
                owners.push((id, guards));
            }
        }
        owners
    }

    /// Whether something in memory holds the object when the path is over.
    fn held_by_memory(&mut self) -> bool {
        let owners = self.holders_in_memory();
        owners.into_iter().any(|(_, guards)| guards.into_iter().any(|guard| self.holds(guard)))
    }

    /// Where the last cell of memory that held the object got another value.
    fn overwritten_in_memory(&mut self) -> Option<At> {
        if self.held_by_memory() {
            return None;
        }
        let overwrites = self.state.journal.overwrites.clone();
        let last = overwrites.iter().rfind(|entry| entry.object == self.object && self.holds(entry.guard))?;
        Some((last.node, last.inst))
    }

    /// The copy of the block in which the object is acquired on this path, where that is known.
    fn made_in(&mut self) -> Option<NodeId> {
        let events = self.state.journal.events.clone();
        let made = |event: &&Event| event.object == self.object && event.kind == EventKind::Acquire;
        let made: Vec<&Event> = events.iter().filter(made).collect();
        made.into_iter().find(|event| self.holds(event.guard)).map(|event| event.node)
    }

    /// The last place of the path that the source has.
    pub(crate) fn last_place(&mut self) -> Place {
        let mut last = None;
        for node in self.state.unrolled.nodes.ids().collect::<Vec<_>>() {
            if !self.state.entered[node].is_false() && self.holds(self.state.entered[node]) {
                let block = self.state.unrolled.nodes[node].block;
                last = self.state.body.blocks[block].term_place.or(last);
            }
        }
        place_of(self.state, last)
    }

    /// The call that leaves the function by a long jump on this path.
    pub(crate) fn jump(&mut self) -> Option<Jump> {
        let jumps = self.state.journal.jumps.clone();
        jumps.into_iter().find(|jump| self.holds(jump.guard))
    }

    /// A call on the path that was to replace the object by another and did not.
    pub(crate) fn failed_replacement(&mut self) -> Option<(Place, String)> {
        for failed in self.state.journal.failed_replacements.clone() {
            let argument = Sym::Leaves(failed.argument);
            if self.holds(failed.guard)
                && self.is_object(&argument)
                && result_overwrites_argument(self.state, failed.inst, failed.position)
            {
                let place = place_of(self.state, self.state.body.insts[failed.inst].place);
                return Some((place, failed.callee.to_string()));
            }
        }
        None
    }

    /// Whether the path ends by returning what functions return when something went wrong.
    pub(crate) fn fails(&mut self, exit: &Exit) -> bool {
        let Some(sym) = exit.result.clone() else { return false };
        let ty = self.state.function.result;
        match (self.number_of(&sym, ty), ty) {
            (Some(number), Type::Ptr) => number == 0,
            (Some(number), _) => number < 0,
            (None, _) => false,
        }
    }

    pub(crate) fn value_at(&mut self, node: NodeId, value: ValueId) -> Sym {
        self.state.value_at(node, self.state.entered[node], value)
    }

    /// The number that a value is on this path, unless it is the address of something.
    fn number_of(&mut self, sym: &Sym, ty: Type) -> Option<i128> {
        let Sym::Leaves(leaves) = sym else { return None };
        let width = match ty {
            Type::Ptr => self.state.pointer_width(),
            Type::Int(bits) => Width::new(bits)?,
            _ => return None,
        };
        let leaf = leaves.iter().find(|entry| self.holds(entry.0))?.1;
        let Leaf::Number(term) = leaf else { return None };
        (self.state.formulas.terms.width(term) == width)
            .then(|| width.signed(self.evaluator.value(&self.state.formulas.terms, term)))
    }

    /// Which way a branch goes on this path.
    pub(crate) fn branch(&mut self, node: NodeId, term: &Terminator, place: Option<PlaceId>) -> Option<Step> {
        let at = place_of(self.state, place);
        if at.line == 0 {
            return None;
        }
        match term {
            Terminator::Branch { cond, .. } => {
                let sym = self.value_at(node, *cond);
                let guard = self.state.truth(&sym);
                if guard.is_constant() {
                    return None;
                }
                let taken = self.holds(guard);
                let at = self.deciding(node, *cond).filter(|own| own.file == at.file).unwrap_or(at);
                Some(self.condition(node, at, *cond, taken))
            }
            Terminator::Switch { value, cases, default } => {
                let sym = self.value_at(node, *value);
                let number = self.number_of(&sym, self.state.body.ty(*value));
                let known = number.filter(|&number| {
                    let width = self.state.width(self.state.body.ty(*value));
                    cases.iter().any(|case| width.signed(case.0) == number)
                });
                let speller = Speller::new(self.state.context.program, self.state.id)?;
                let subject = speller.value_or_call(*value).map(|spelling| spelling.text);
                let width = self.state.width(self.state.body.ty(*value));
                let taken = cases.iter().find(|case| Some(width.signed(case.0)) == known);
                let target = taken.map_or(*default, |case| case.1);
                let at = match number {
                    Some(_) => self.first_place(target).filter(|own| own.file == at.file).unwrap_or(at),
                    None => at,
                };
                let step = |said: Said<'_>| Step::new(StepKind::Branch, at.clone(), said);
                let value = number.map(|number| number.to_string()).unwrap_or_default();
                Some(match (known, subject.as_deref(), number) {
                    (Some(_), Some(subject), _) => step(Said::Is { subject, value: &value }),
                    (Some(_), None, _) => step(Said::ValueIs { value: &value }),
                    (None, Some(subject), Some(_)) => {
                        step(Said::NoCase { subject }).with_value(subject, value)
                    }
                    (None, Some(subject), None) => step(Said::OneCase { subject }),
                    (None, None, _) => step(Said::SomeCase),
                })
            }
            _ => None,
        }
    }

    /// Where a condition is decided: at the comparison, not at the whole of which it is a part. What was compared in another block
    /// is decided there and only asked here.
    fn deciding(&self, node: NodeId, cond: ValueId) -> Option<Place> {
        let body = self.state.body;
        let Def::Inst(inst) = body.values[cond].def else { return None };
        let block = self.state.unrolled.nodes[node].block;
        let place = place_of(self.state, body.insts[inst].place);
        (body.blocks[block].insts.contains(&inst) && place.line > 0).then_some(place)
    }

    /// Where the code of a block begins.
    fn first_place(&self, block: BlockId) -> Option<Place> {
        let body = self.state.body;
        let places =
            body.block_insts(block).map(|(_, data)| data.place).chain([body.blocks[block].term_place]);
        places.map(|place| place_of(self.state, place)).find(|place| place.line > 0)
    }

    /// A condition in words, how it turns out, and by which value.
    fn condition(&mut self, node: NodeId, at: Place, cond: ValueId, taken: bool) -> Step {
        let plain = if taken { Said::ConditionTrue } else { Said::ConditionFalse };
        let Some(&Op::Compare { op, lhs, rhs }) = self.state.body.def_op(cond) else {
            return Step::new(StepKind::Branch, at, plain);
        };
        let Some(Sides { left, right, is_call }) = self.sides(lhs, rhs) else {
            return Step::new(StepKind::Branch, at, plain);
        };
        let equal = match op {
            CompareOp::Eq => Some(taken),
            CompareOp::Ne => Some(!taken),
            _ => None,
        };
        let zero = self.state.body.bits(rhs) == Some(0);
        let whole = format!("{left} {} {right}", sign(op));
        let said = match equal {
            Some(true) if zero => Said::Is { subject: &left, value: &right },
            Some(false) if zero => Said::IsNot { subject: &left, value: &right },
            _ if taken => Said::True { condition: &whole },
            _ => Said::False { condition: &whole },
        };
        let step = Step::new(StepKind::Branch, at, said);
        // What is equal to a number is that number, and which address it is says nothing. What a call returns has no name, and how it
        // compares with a constant says all that a reader can use.
        let ty = self.state.body.ty(lhs);
        let known = equal == Some(true) || is_call && self.state.body.bits(rhs).is_some();
        if known || ty == Type::Ptr || !left.contains(|c: char| c.is_alphabetic()) {
            return step;
        }
        let sym = self.value_at(node, lhs);
        let (against, width) = (self.state.body.bits(rhs), self.state.width(ty));
        match self.number_of(&sym, ty) {
            // The solver's number is that of one unknown, and the branch may have been decided by another.
            Some(number) if against.is_some_and(|bits| agrees(op, number, bits, width) != taken) => step,
            Some(number) => step.with_value(left, number.to_string()),
            None => step,
        }
    }

    /// Both sides of a comparison in the words of the source.
    fn sides(&self, lhs: ValueId, rhs: ValueId) -> Option<Sides> {
        let speller = Speller::new(self.state.context.program, self.state.id)?;
        let left = speller.value_or_call(lhs)?;
        let is_char = left.type_name(self.state.context.program).ends_with("char");
        let right = match self.state.body.bits(rhs) {
            Some(0) if self.state.body.ty(rhs) == Type::Ptr => "NULL".to_owned(),
            Some(code @ 32..127) if is_char => match code as u8 {
                b'\'' => r"'\''".to_owned(),
                b'\\' => r"'\\'".to_owned(),
                code => format!("'{}'", char::from(code)),
            },
            Some(10) if is_char => r"'\n'".to_owned(),
            _ => speller.value_or_call(rhs)?.text,
        };
        Some(Sides { left: left.text, right, is_call: speller.value(lhs).is_none() })
    }
}

/// How a comparison of a number with a constant turns out.
fn agrees(op: CompareOp, number: i128, bits: u64, width: Width) -> bool {
    let other = width.signed(u128::from(bits));
    let (plain, against) = (width.mask(number as u128), width.mask(u128::from(bits)));
    match op {
        CompareOp::Eq => number == other,
        CompareOp::Ne => number != other,
        CompareOp::Slt => number < other,
        CompareOp::Sle => number <= other,
        CompareOp::Sgt => number > other,
        CompareOp::Sge => number >= other,
        CompareOp::Ult => plain < against,
        CompareOp::Ule => plain <= against,
        CompareOp::Ugt => plain > against,
        CompareOp::Uge => plain >= against,
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

/// Whether an object is something that the function acquired.
pub(crate) fn site_of(state: &State<'_>, object: ObjectId) -> Option<InstId> {
    match &state.objects[object].origin {
        Origin::Fresh(site) => Some(site.inst),
        _ => None,
    }
}
