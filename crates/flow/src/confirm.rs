//! Confirmation: can the conditions under which something is lost hold together?
//!
//! In: a question whose conditions are terms, and its slice. Out: [`Answered`]. First what is lost whatever was given up
//! turns out to be: if the solver finds values for that, the candidate is confirmed. If only with a choice of inventions, it is
//! doubtful. If not at all, it is refuted.

use crate::leak::balance;
use crate::question::Question;
use crate::slice::Slice;
use crate::source::Source;
use crate::terms::{SPACING, View};
use crate::witness::{Branch, walk};
use rustc_hash::FxHashSet;
use watertight_ir::{BlockId, Body, Op, ValueId};
use watertight_logic::cone::support;
use watertight_logic::guard::{Condition, Guard};
use watertight_logic::question::{Answer, Assumption, Model, QuestionLimits};
use watertight_logic::solver::Solver;
use watertight_logic::term::{BinaryOp, Term, TermId, Var};
use watertight_logic::width::Width;

/// What the solver says about a candidate.
pub(crate) enum Answered {
    /// It cannot happen.
    Refuted,
    /// It happens on these branches.
    Confirmed(Vec<Branch>, Option<BlockId>),
    /// It happens if something that was given up turns out as it must.
    Doubtful(Vec<Branch>, Option<BlockId>),
    /// The limits were met.
    Unknown,
}

impl std::fmt::Display for Answered {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Answered::Refuted => "refuted",
            Answered::Confirmed(..) => "confirmed",
            Answered::Doubtful(..) => "doubtful",
            Answered::Unknown => "not decided",
        })
    }
}

/// Puts a candidate to the solver.
pub(crate) fn confirm(
    question: &mut Question<'_, '_>,
    source: &Source,
    slice: &Slice,
    roots: usize,
) -> Answered {
    question.assume_acquired();
    let Some(balance) = balance(question, source, slice, roots) else { return Answered::Unknown };
    let lost = apart(question, balance.lost);
    let lost = present(question, source, lost);
    if lost.is_false() {
        return Answered::Refuted;
    }
    if question.formulas.guards.overflowed() {
        return Answered::Unknown;
    }
    let invented = invented(question, lost);
    let certain = match invented.is_empty() {
        true => lost,
        false => question.formulas.guards.for_all(lost, invented.iter().copied()),
    };
    let mut solver: Solver = Solver::new();
    let Some((bound, doubtful)) = least_number(question, &mut solver, source, lost) else {
        return Answered::Refuted;
    };
    let certain = question.formulas.guards.and(certain, bound);
    let lost = question.formulas.guards.and(lost, bound);
    if doubtful {
        return Answered::Unknown;
    }
    if !certain.is_false()
        && let Answer::Sat(model) = ask(question, &mut solver, certain)
    {
        let (branches, end) = walk(question, source, &model);
        return Answered::Confirmed(branches, end);
    }
    match ask(question, &mut solver, lost) {
        Answer::Unsat(_) => Answered::Refuted,
        Answer::Sat(model) => {
            let needed = needs_invention(question, &model, lost);
            let (branches, end) = walk(question, source, &model);
            match needed {
                true => Answered::Doubtful(branches, end),
                false => Answered::Confirmed(branches, end),
            }
        }
        Answer::Unknown(_) => Answered::Unknown,
    }
}

/// A guard without the cases in which an address that was there before is that of something newer: nothing that is
/// acquired later was known then.
fn apart(question: &mut Question<'_, '_>, guard: Guard) -> Guard {
    let mut guard = guard;
    for condition in question.formulas.guards.support(guard) {
        let Some(term) = question.formulas.conditions.term_of(condition) else { continue };
        let terms = &question.formulas.terms;
        let Term::Binary(BinaryOp::Eq, one, other) = terms.view(term) else { continue };
        let (var, number) = if terms.is_const(one) { (other, one) } else { (one, other) };
        let input = |term: TermId| terms.as_variable(term).is_some_and(|var| question.inputs.contains(&var));
        // Who compares a descriptor with a number of theirs knows it by that number.
        let own = |term: TermId| question.acquired_numbers.contains(&term);
        if own(one) && input(other) || own(other) && input(one) {
            guard = question.formulas.guards.when_false(guard, condition);
            continue;
        }
        let is_input = input(var);
        let is_address =
            terms.const_value(number).is_some_and(|at| at >= u128::from(SPACING) && at < 1 << 46);
        if is_input && is_address && terms.width(var) == Width::W64 {
            guard = question.formulas.guards.when_false(guard, condition);
        }
    }
    guard
}

/// A guard without the cases in which an address is null that cannot be: what is declared so, members and elements, and what the
/// function has read or written through on every way to the source.
fn present(question: &mut Question<'_, '_>, source: &Source, guard: Guard) -> Guard {
    let mut addresses = std::mem::take(&mut question.present);
    let root = question.contexts.root();
    let (body, own) = question.at_context(root);
    if let Some(acquired) = own.point(source.inst) {
        let mut block = Some(acquired.block);
        while let Some(at) = block {
            for (index, &inst) in body.blocks[at].insts.iter().enumerate() {
                let (Op::Load { addr, .. } | Op::Store { addr, .. }) = &body.insts[inst].op else { continue };
                let before = at != acquired.block || (index as u32) < acquired.index;
                // Only what the question has looked at can matter.
                let known = || question.terms.get(&(root, stem(body, *addr), View::Here));
                if let Some(&term) = before.then(known).flatten() {
                    addresses.push(term);
                }
            }
            block = own.dominators().idom(at);
        }
    }
    addresses.sort_unstable();
    addresses.dedup();
    let mut guard = guard;
    for &address in &addresses {
        let width = question.formulas.terms.width(address);
        let null = question.number(width, 0);
        let null = question.formulas.terms.eq(address, null);
        if !question.formulas.is_new(null) {
            let null = question.formulas.guard(null);
            guard = question.formulas.guards.and_not(guard, null);
        }
    }
    question.present = addresses;
    guard
}

/// The address that others are members or elements of.
fn stem(body: &Body, address: ValueId) -> ValueId {
    let mut at = address;
    while let Some(Op::Offset { base, .. } | Op::Index { base, .. }) = body.def_op(at) {
        at = *base;
    }
    at
}

/// Which numbers have to be lost for somebody to be told, and whether that is doubtful; nothing if it is meant. Who loses
/// some of the descriptors of the standard streams and no others means them to stay open; who loses only the first takes
/// it for no descriptor.
fn least_number(
    question: &mut Question<'_, '_>,
    solver: &mut Solver,
    source: &Source,
    lost: Guard,
) -> Option<(Guard, bool)> {
    let kind = question.facts.models.kinds.get(source.kind);
    let (Some(least), Some(first)) = (kind.number, kind.lost_from) else { return Some((Guard::TRUE, false)) };
    let mut above = |question: &mut Question<'_, '_>, least: i64| {
        let mut all = Guard::TRUE;
        for number in question.acquired_numbers.clone() {
            let width = question.formulas.terms.width(number);
            let least = question.number(width, least);
            let above = question.formulas.terms.sle(least, number);
            let above = question.formulas.guard(above);
            all = question.and(all, above);
        }
        let both = question.and(all, lost);
        (all, !matches!(ask(question, solver, both), Answer::Unsat(_)))
    };
    if let (bound, true) = above(question, first) {
        return Some((bound, false));
    }
    let (_, others) = above(question, least + 1);
    (!others).then_some((Guard::TRUE, true))
}

/// The conditions of a guard that depend on something that was given up.
fn invented(question: &Question<'_, '_>, guard: Guard) -> Vec<Condition> {
    let formulas = &question.formulas;
    let depends = |condition: &Condition| {
        let term = formulas.conditions.term_of(*condition);
        term.is_some_and(|term| {
            support(&formulas.terms, [term]).iter().any(|var| question.inventions.contains(var))
        })
    };
    formulas.guards.support(guard).into_iter().filter(depends).collect()
}

/// Whether the values of a model make a guard hold by something that was given up: conditions that do not count with
/// these values, and choices that are not taken, are left out.
fn needs_invention(question: &Question<'_, '_>, model: &Model, guard: Guard) -> bool {
    let formulas = &question.formulas;
    let mut evaluator = model.evaluator();
    let mut open: Vec<TermId> = Vec::new();
    let mut at = guard;
    while let Some((condition, high, low)) = formulas.guards.branch(at) {
        let Some(term) = formulas.conditions.term_of(condition) else { return true };
        open.push(term);
        at = if evaluator.holds(&formulas.terms, term) { high } else { low };
    }
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        if formulas.terms.as_variable(term).is_some_and(|var| question.inventions.contains(&var)) {
            return true;
        }
        match formulas.terms.view(term) {
            Term::Ite(condition, then, otherwise) => {
                open.push(condition);
                open.push(if evaluator.holds(&formulas.terms, condition) { then } else { otherwise });
            }
            _ => open.extend(formulas.terms.operands(term).iter()),
        }
    }
    false
}

/// Asks whether a guard can hold, with what is known of the unknowns that it depends on.
fn ask(question: &mut Question<'_, '_>, solver: &mut Solver, guard: Guard) -> Answer {
    let terms = question.formulas.condition_terms(guard);
    let mut vars: FxHashSet<Var> = support(&question.formulas.terms, terms).into_iter().collect();
    let mut open: Vec<TermId> = question.assumed.clone();
    let mut asked: Vec<Assumption> = vec![guard.into()];
    // Facts about one unknown may bring in another.
    loop {
        let before = open.len();
        let mut rest = Vec::new();
        for fact in open {
            let about = support(&question.formulas.terms, [fact]);
            if about.is_empty() || about.iter().any(|var| vars.contains(var)) {
                vars.extend(about);
                asked.push(fact.into());
            } else {
                rest.push(fact);
            }
        }
        open = rest;
        if open.len() == before {
            break;
        }
    }
    solver.ask(&mut question.formulas, &asked, QuestionLimits::default())
}

/// Whether a guard holds with the values of a model.
pub(crate) fn holds(question: &Question<'_, '_>, model: &Model, guard: Guard) -> bool {
    let mut evaluator = model.evaluator();
    let formulas = &question.formulas;
    formulas.guards.eval(guard, |condition| {
        let term = formulas.conditions.term_of(condition);
        term.is_some_and(|term| evaluator.holds(&formulas.terms, term))
    })
}
