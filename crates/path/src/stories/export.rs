//! The path that the solver's values take, as plain data: how to get there when the function is really run.
//!
//! In: a teller with values for the unknowns, and the guard that they were found for. Out: a [`Witness`]. Only unknowns
//! that decide something are told: those of the guard and of the branches on the path. The solver leaves all others at
//! zero, which says nothing.

use crate::limits::WITNESS_BLOCKS;
use crate::machine::memory::{ObjectId, Origin};
use crate::machine::value::{Leaf, Sym};
use crate::plan::unroll::NodeId;
use crate::stories::telling::Teller;
use rustc_hash::{FxHashMap, FxHashSet};
use watertight_ir::{BlockId, InstId, Op, Terminator};
use watertight_logic::cone;
use watertight_logic::guard::Guard;
use watertight_logic::term::{TermId, Var};
use watertight_summary::{Claim, Given, Got, Path, Witness};

/// The path of the teller's values, up to a node or to the end.
pub(crate) fn witness(
    teller: &mut Teller<'_, '_>,
    guard: Guard,
    claim: Claim,
    given: bool,
    last: Option<NodeId>,
) -> Option<Witness> {
    let nodes: Vec<NodeId> = teller.state.unrolled.nodes.ids().collect();
    let mut passed: Vec<NodeId> = Vec::new();
    for node in nodes {
        let entered = teller.state.entered[node];
        if last.is_none_or(|last| node <= last) && !entered.is_false() && teller.holds(entered) {
            passed.push(node);
        }
    }
    if passed.len() > WITNESS_BLOCKS {
        return None;
    }
    let decisive = decisive(teller, guard, &passed);
    let mut results = Vec::new();
    let mut turns: FxHashMap<InstId, u32> = FxHashMap::default();
    let body = teller.state.body;
    for &node in &passed {
        let block = teller.state.unrolled.nodes[node].block;
        for (call, data) in body.block_insts(block) {
            let (Op::Call(_), Some(result)) = (&data.op, data.result) else { continue };
            let turn = turns.entry(call).or_default();
            let sym = teller.value_at(node, result);
            if let Some((value, decides)) = got(teller, &sym, &decisive) {
                results.push(Given { call, turn: *turn, value, decides });
            }
            *turn += 1;
        }
    }
    let terms = &teller.state.formulas.terms;
    let mut inputs: Vec<(Path, u64)> = Vec::new();
    for var in terms.variables().filter(|var| decisive.contains(var)) {
        let term = terms.variable_term(var);
        if let Some(path) = teller.state.input_path(term) {
            inputs.push((path.clone(), teller.evaluator.assignment().get(var) as u64));
        }
    }
    let blocks: Vec<BlockId> = passed.iter().map(|&node| teller.state.unrolled.nodes[node].block).collect();
    Some(Witness {
        claim,
        acquired: (!given).then_some(teller.site.inst),
        trail: teller.site.trail.clone(),
        kind: teller.site.kind,
        blocks,
        inputs,
        results,
    })
}

/// The unknowns that decide: those of the guard, and of the branches on the path.
fn decisive(teller: &mut Teller<'_, '_>, guard: Guard, passed: &[NodeId]) -> FxHashSet<Var> {
    let mut guards = vec![guard];
    for &node in passed {
        let block = teller.state.unrolled.nodes[node].block;
        if let Terminator::Branch { cond, .. } = teller.state.body.blocks[block].term {
            let sym = teller.value_at(node, cond);
            guards.push(teller.state.truth(&sym));
        } else {
            guards.push(teller.state.entered[node]);
        }
    }
    let mut found = FxHashSet::default();
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    for guard in guards.into_iter().filter(|guard| !guard.is_constant()) {
        let terms: Vec<TermId> = teller.state.formulas.condition_terms(guard);
        let new: Vec<TermId> = terms.into_iter().filter(|&term| seen.insert(term)).collect();
        if !new.is_empty() {
            found.extend(cone::support(&teller.state.formulas.terms, new));
        }
    }
    found
}

/// Whether an object is a resource that is a number.
fn is_number(teller: &Teller<'_, '_>, object: ObjectId) -> bool {
    match &teller.state.objects[object].origin {
        Origin::Fresh(site) => teller.state.context.library.kinds.get(site.kind).number.is_some(),
        _ => false,
    }
}

/// What a call gave on the path, if that decides anything; and whether what decided that it gave this is decisive.
fn got(teller: &mut Teller<'_, '_>, sym: &Sym, decisive: &FxHashSet<Var>) -> Option<(Got, bool)> {
    let Sym::Leaves(leaves) = sym else { return None };
    let &(guard, leaf) = leaves.iter().find(|entry| teller.holds(entry.0))?;
    let conditions = teller.state.formulas.condition_terms(guard);
    let support = cone::support(&teller.state.formulas.terms, conditions);
    let decides = support.into_iter().all(|var| decisive.contains(&var));
    Some((value(teller, leaf, decisive)?, decides))
}

fn value(teller: &mut Teller<'_, '_>, leaf: Leaf, decisive: &FxHashSet<Var>) -> Option<Got> {
    match leaf {
        Leaf::Address(object, _) => {
            // A descriptor is a number, and programs ask which.
            let term = teller.state.objects[object].address.filter(|_| is_number(teller, object));
            let number = term.map(|term| teller.evaluator.value(&teller.state.formulas.terms, term) as u64);
            Some(number.map_or(Got::Address, Got::Number))
        }
        Leaf::Function(_) => Some(Got::Address),
        Leaf::Number(term) => {
            let terms = &teller.state.formulas.terms;
            let support = cone::support(terms, [term]);
            let told = support.into_iter().all(|var| decisive.contains(&var));
            told.then(|| Got::Number(teller.evaluator.value(terms, term) as u64))
        }
    }
}
