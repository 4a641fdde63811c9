//! Recursion along the links of what a function is given: an end for however many nodes there are.
//!
//! Rounds of a recursion see one node more each time and never come to an end: `tree_free(t)` is seen to release `t`, then
//! `t->left` as well, and so on. So the whole is guessed and then proved by induction. The guess: what the function
//! releases of the node that it is given (`t`, `t->name`) it releases of every node that the calls of itself lead to.
//! The proof: the function is evaluated once more, with the guess in the place of those calls. If it then does on every
//! path what the guess says, the guess holds: for nothing at all, and for one node if it holds for those behind it. If not,
//! what the rounds have found stays.
//!
//! In: a function that calls itself, and its summary after the rounds. Out: the guess; and whether a summary confirms it.

use crate::limits::LINK_VALUES;
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{Body, Def, FuncId, Op, Type, ValueId};
use watertight_summary::{
    Completeness, Effect, KeepReason, Outcome, Path, Relation, Step, Summary, Value, Way, When,
};

/// The guess for a function that calls itself, if there is one.
pub(crate) fn guess(body: &Body, function: FuncId, result: Type, summary: &Summary) -> Option<Summary> {
    if result != Type::Void {
        return None;
    }
    let (number, links) = links(body, function)?;
    let first = Path::param(number);
    let mut effects: Option<Vec<Effect>> = None;
    for outcome in &summary.outcomes {
        let own: Vec<Effect> =
            outcome.effects.iter().filter(|effect| is_of_first(effect, &first, &links)).cloned().collect();
        if !outcome.effects.iter().all(|effect| is_about(effect, &first)) || !outcome.fresh.is_empty() {
            return None;
        }
        if own.is_empty() && is_nothing(outcome, &first) {
            continue;
        }
        match &effects {
            Some(known) if *known != own => return None,
            _ => effects = Some(own),
        }
    }
    let mut effects = effects?;
    if !effects.iter().any(|effect| matches!(effect, Effect::Release { value, .. } if *value == first)) {
        return None;
    }
    let each = Step::Each { link: links[0], also: links.get(1).copied() };
    for index in 0..effects.len() {
        let Effect::Release { value, kind, certain } = effects[index].clone() else { continue };
        let mut behind = first.then(each);
        behind.steps.extend_from_slice(&value.steps);
        effects.push(Effect::Release { value: behind, kind, certain });
    }
    let outcome = Outcome {
        when: When::always(),
        result: Value::Any,
        fresh: Vec::new(),
        effects,
        way: Way::Returns,
        invented: false,
    };
    Some(Summary {
        outcomes: vec![outcome],
        completeness: Completeness::Whole,
        breaches: summary.breaches.clone(),
        latent: summary.latent.clone(),
    })
}

/// Whether a function that was evaluated with the guess does what it says on every path on which there is something.
pub(crate) fn confirms(summary: &Summary, guess: &Summary) -> bool {
    let Some(guessed) = guess.outcomes.first() else { return false };
    let Some(Effect::Release { value: Path { root, .. }, .. }) = guessed.effects.first() else {
        return false;
    };
    let first = Path::root(*root);
    let releases = |outcome: &Outcome, wanted: &Path| {
        outcome
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Release { value, .. } if value == wanted))
    };
    let does_all = |outcome: &Outcome| {
        guessed.effects.iter().all(|effect| match effect {
            Effect::Release { value, .. } => releases(outcome, value),
            _ => true,
        }) && outcome.effects.iter().all(is_certain_or_doubt)
    };
    let mut outcomes = summary.outcomes.iter().filter(|outcome| outcome.way == Way::Returns);
    summary.outcomes.iter().any(does_all)
        && outcomes.all(|outcome| does_all(outcome) || is_nothing(outcome, &first))
}

/// Whether an effect is a release, or says what calls of functions may do of which not everything is known.
fn is_certain_or_doubt(effect: &Effect) -> bool {
    match effect {
        Effect::Release { .. } | Effect::Clobber { .. } => true,
        Effect::Keep { reason, .. } => matches!(reason, KeepReason::Assumed { .. }),
        _ => false,
    }
}

/// Whether an effect releases the first node or something that it holds, and nothing behind it.
fn is_of_first(effect: &Effect, first: &Path, links: &[i64]) -> bool {
    let Effect::Release { value, .. } = effect else { return false };
    value.root == first.root
        && !matches!(value.steps.first(), Some(Step::At(link) | Step::Each { link, .. }) if links.contains(link))
}

/// Whether an effect is a release along the chain, or says that one is not certain.
fn is_about(effect: &Effect, first: &Path) -> bool {
    match effect {
        Effect::Release { value, .. } | Effect::Keep { value, .. } | Effect::Clobber { place: value } => {
            value.root == first.root
        }
        _ => false,
    }
}

/// Whether an outcome is that of a null pointer.
fn is_nothing(outcome: &Outcome, first: &Path) -> bool {
    outcome.effects.is_empty() && outcome.when.asks(first, Relation::Equal, 0)
}

/// The parameter along which a function calls itself, and the links that lead to what it gives itself.
fn links(body: &Body, function: FuncId) -> Option<(u32, Vec<i64>)> {
    let mut found: Option<(u32, Vec<i64>)> = None;
    for inst in body.insts.values() {
        let Op::Call(call) = &inst.op else { continue };
        if direct_callee(body, call) != Some(function) {
            continue;
        }
        let along =
            call.args.iter().zip(0..).find_map(|(&arg, number)| Some((number, followed(body, arg, number)?)));
        let (number, links) = along?;
        let known = found.get_or_insert((number, Vec::new()));
        if known.0 != number {
            return None;
        }
        known.1.extend(links);
    }
    let (number, mut links) = found?;
    links.sort_unstable();
    links.dedup();
    ((1..=2).contains(&links.len())).then_some((number, links))
}

/// The links that lead from a parameter to a value. None if it comes from anywhere else, or is the parameter itself.
fn followed(body: &Body, value: ValueId, number: u32) -> Option<Vec<i64>> {
    let mut links = Vec::new();
    let mut open = vec![value];
    let mut seen: Vec<ValueId> = Vec::new();
    while let Some(value) = open.pop() {
        if seen.contains(&value) {
            continue;
        }
        seen.push(value);
        if seen.len() > LINK_VALUES {
            return None;
        }
        if body.values[value].def == Def::Param(number) {
            continue;
        }
        match body.def_op(value)? {
            Op::Load { addr, .. } => {
                let (base, offset) = body.address(*addr);
                links.push(offset);
                open.push(base);
            }
            Op::Phi { incoming } => open.extend(incoming.iter().map(|entry| entry.1)),
            _ => return None,
        }
    }
    let is_root = |value: &ValueId| body.values[*value].def == Def::Param(number);
    (!links.is_empty() && seen.iter().any(is_root)).then_some(links)
}
