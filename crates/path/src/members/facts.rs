//! What the functions of a program do with members, read off their summaries.
//!
//! In: summaries. Out: which members are filled with something new, and where; which are released, and by whom.

use crate::facts::types::{Field, FreshTypes, Members, object};
use crate::limits::MEMBER_SOURCES;
use std::collections::{BTreeMap, BTreeSet};
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{Body, Const, ConvertOp, Def, FuncId, InstId, Op, Program, Table, ValueId};
use watertight_summary::model::Models;
use watertight_summary::{CallAt, Effect, KindId, Outcome, Path, Root, Step, Summary, Value};

/// Members that are filled and released.
pub(super) struct Facts {
    /// The function that fills a member, and the call that acquires what it puts there.
    filled: BTreeMap<Field, (FuncId, CallAt, usize)>,
    released: BTreeMap<Field, FuncId>,
    /// Members that are filled with something which is put elsewhere too.
    shared: BTreeSet<Field>,
}

impl Facts {
    pub(super) fn new(
        program: &Program,
        library: &Models,
        summaries: &Table<FuncId, Option<Summary>>,
    ) -> Facts {
        let mut facts = Facts { filled: BTreeMap::new(), released: BTreeMap::new(), shared: BTreeSet::new() };
        for (function, summary) in summaries.iter() {
            for outcome in summary.iter().flat_map(|summary| &summary.outcomes) {
                let fresh = fresh_types(program, function, outcome);
                for effect in &outcome.effects {
                    facts.add(program, function, outcome, effect, &fresh);
                }
            }
        }
        for function in program.defined() {
            facts.add_stores(program, library, summaries, function);
        }
        facts
    }

    /// Members of elements at indices that no summary can name are filled where a function stores what it has just acquired.
    fn add_stores(
        &mut self,
        program: &Program,
        library: &Models,
        summaries: &Table<FuncId, Option<Summary>>,
        function: FuncId,
    ) {
        let Some(body) = &program.functions[function].body else { return };
        let mut members = None;
        for inst in body.insts.values() {
            let Op::Store { addr, value, .. } = inst.op else { continue };
            let Some(call) = acquired_by(body, value) else { continue };
            if !is_new(program, library, summaries, body, value) {
                continue;
            }
            let members = members.get_or_insert_with(|| Members::new(program, function));
            if let Some(field) = members.as_ref().and_then(|members| members.cell(addr)) {
                let at = CallAt { function, inst: call };
                self.filled.entry(field).or_insert((function, at, usize::MAX));
            }
        }
    }

    fn add(
        &mut self,
        program: &Program,
        function: FuncId,
        outcome: &Outcome,
        effect: &Effect,
        fresh: &FreshTypes,
    ) {
        match effect {
            Effect::Store { place, value: Value::Fresh { index, plus: 0 } } => {
                let Some(made) = outcome.fresh.get(*index as usize) else { return };
                let (Some(field), Some(call)) = (field(program, function, place, fresh), made.trail.last())
                else {
                    return;
                };
                if made.kind != KindId::HEAP {
                    return;
                }
                let same =
                    |value: &Value| matches!(value, Value::Fresh { index: other, .. } if other == index);
                let elsewhere = |other: &Effect| match other {
                    Effect::Store { place: other, value } => other != place && same(value),
                    _ => false,
                };
                if same(&outcome.result) || outcome.effects.iter().any(elsewhere) {
                    self.shared.insert(field.clone());
                }
                // The function that is nearest to the call is the one that fills it.
                let far = made.trail.len();
                let known = self.filled.get(&field).map_or(usize::MAX, |known| known.2);
                if far < known {
                    self.filled.insert(field, (function, *call, far));
                }
            }
            Effect::Release { value, kind: KindId::HEAP, .. } => {
                if let Some(field) = field(program, function, value, fresh) {
                    self.released.entry(field).or_insert(function);
                }
            }
            _ => {}
        }
    }

    /// Members that are filled by some function and released by some function.
    pub(super) fn owning(&self) -> impl Iterator<Item = &Field> {
        self.filled.keys().filter(|field| self.released.contains_key(*field))
    }

    /// Whether nobody who fills a member puts the same elsewhere too.
    pub(super) fn is_sole(&self, field: &Field) -> bool {
        !self.shared.contains(field)
    }

    pub(super) fn filled_at(&self, field: &Field) -> Option<(FuncId, (FuncId, InstId))> {
        self.filled.get(field).map(|&(function, call, _)| (function, (call.function, call.inst)))
    }

    /// The member whose contents the value of a path is.
    pub(super) fn field_of(&self, program: &Program, function: FuncId, path: &Path) -> Option<Field> {
        field(program, function, path, &FreshTypes::default())
    }
}

/// The member that a path ends in.
fn field(program: &Program, function: FuncId, path: &Path, fresh: &FreshTypes) -> Option<Field> {
    let (&Step::At(offset), before) = path.steps.split_last()? else { return None };
    if let (Root::Global(global), [], 0) = (path.root, before, offset)
        && let Some(variable) = Field::variable(program, global)
    {
        return Some(variable);
    }
    let owner = Path { root: path.root, steps: before.to_vec() };
    Field::at(program, object(program, function, &owner, fresh)?, offset)
}

/// What the fresh objects of an outcome are: what the places are for that hold them.
fn fresh_types(program: &Program, function: FuncId, outcome: &Outcome) -> FreshTypes {
    let mut types = FreshTypes::default();
    if let Value::Fresh { index, plus: 0 } = outcome.result
        && let Some(ty) = object(program, function, &Path::root(Root::Result), &types)
    {
        types.insert(index, ty);
    }
    loop {
        let before = types.len();
        for effect in &outcome.effects {
            if let Effect::Store { place, value: Value::Fresh { index, plus: 0 } } = effect
                && !types.contains_key(index)
                && let Some(ty) = object(program, function, place, &types)
            {
                types.insert(*index, ty);
            }
        }
        if types.len() == before {
            return types;
        }
    }
}

/// Whether a function that releases an owner does something with what a member of it holds, or gives the owner to somebody
/// who may.
pub(super) fn takes_care(summary: &Summary, owner: &Path, held: &Path) -> bool {
    let is = |path: &Path| path == owner || path == held;
    let is_value = |value: &Value| match value {
        Value::Entry { path, .. } | Value::Inside(path) => path == held,
        Value::Parts(parts) => {
            parts.iter().any(|part| matches!(part, Value::Entry { path, .. } if path == held))
        }
        _ => false,
    };
    summary.outcomes.iter().any(|outcome| {
        is_value(&outcome.result)
            || outcome.effects.iter().any(|effect| match effect {
                Effect::Release { value, .. } => value == held,
                Effect::Keep { value, .. } => is(value),
                Effect::Store { place, value } => place == held || is_value(value),
                Effect::Clobber { place } => is(place),
                Effect::Copy { to, from, .. } => is(to) || is(from),
                Effect::Zero { place, .. } => is(place),
                Effect::Calls { arguments, .. } => arguments.iter().any(|argument| match argument {
                    Value::Entry { path, .. } | Value::Inside(path) => is(path),
                    _ => false,
                }),
            })
    })
}

/// Whether a value is null, or what a call has just acquired.
pub(super) fn is_new(
    program: &Program,
    library: &Models,
    summaries: &Table<FuncId, Option<Summary>>,
    body: &Body,
    value: ValueId,
) -> bool {
    is_new_within(program, library, summaries, body, value, MEMBER_SOURCES)
}

fn is_new_within(
    program: &Program,
    library: &Models,
    summaries: &Table<FuncId, Option<Summary>>,
    body: &Body,
    value: ValueId,
    depth: u32,
) -> bool {
    let again =
        |other: ValueId| depth > 0 && is_new_within(program, library, summaries, body, other, depth - 1);
    let inst = match &body.values[value].def {
        Def::Const(Const::Bits(0) | Const::Undef) => return true,
        Def::Inst(inst) => *inst,
        _ => return false,
    };
    match &body.insts[inst].op {
        Op::Convert { op: ConvertOp::Reinterpret, value } => again(*value),
        Op::Phi { incoming } => incoming.iter().all(|&(_, other)| other == value || again(other)),
        Op::Select { then, other, .. } => again(*then) && again(*other),
        Op::Call(call) => direct_callee(body, call).is_some_and(|callee| {
            let data = &program.functions[callee];
            let summary = match data.body.is_some() {
                true => summaries[callee].as_ref(),
                false => library.functions.get(&data.name),
            };
            summary.is_some_and(|summary| {
                let fresh = |outcome: &Outcome| matches!(outcome.result, Value::Fresh { plus: 0, .. });
                let none = |outcome: &Outcome| outcome.result == Value::Number(0);
                summary.outcomes.iter().any(fresh)
                    && summary
                        .outcomes
                        .iter()
                        .all(|outcome| fresh(outcome) || none(outcome) || gives_back(outcome))
            })
        }),
        _ => false,
    }
}

/// The call whose result a value is.
fn acquired_by(body: &Body, value: ValueId) -> Option<InstId> {
    match &body.values[value].def {
        Def::Inst(inst) => matches!(body.insts[*inst].op, Op::Call(_)).then_some(*inst),
        _ => None,
    }
}

/// `realloc` that stays where it is.
fn gives_back(outcome: &Outcome) -> bool {
    matches!(&outcome.result, Value::Entry { path: Path { root: Root::Param(0), steps }, .. } if steps.is_empty())
}
