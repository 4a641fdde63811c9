//! What others were shown, and not given.
//!
//! A block goes to a function that is not known, and the function at hand releases it itself afterwards, on the ways that end well; where
//! a way out forgets it, it is lost, whoever looked at it in between. Had the other one kept or released it, the ordinary way would
//! release it a second time. What is lost on the ordinary way as well, or on that way only, is another matter: a registry keeps what it was
//! given, and only errors take it back.
//!
//! In: a loss that rests on unknown callees keeping nothing. Out: whether the function treats them as borrowers.

use crate::limits::BORROWERS_ASKED;
use crate::machine::ask::ask;
use crate::machine::journal::{Event, EventKind, How, Keeper};
use crate::machine::memory::{ObjectId, Site};
use crate::machine::state::State;
use crate::stories::telling::Teller;
use crate::stories::witness::Exit;
use watertight_ir::InstId;
use watertight_logic::guard::Guard;
use watertight_logic::question::Answer;
use watertight_logic::solver::Solver;

/// How the ways end on which something is lost.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ways {
    /// On all of them the function says that it failed.
    pub fail: bool,
    /// One of them is the ordinary way: it ends where the function does, and says nothing of a failure.
    pub ordinary: bool,
}

/// Whether everyone who may have kept an object was only shown it.
pub(crate) fn is_borrowed(
    state: &mut State<'_>,
    solver: &mut Solver,
    object: ObjectId,
    site: &Site,
    guard: Guard,
    exits: &[Exit],
    ways: Ways,
) -> bool {
    let assumed = state.objects[object].assumed_kept;
    // What leads to it may be kept, which says nothing of it.
    if ways.ordinary || !state.formulas.guards.and_not(guard, assumed).is_false() {
        return false;
    }
    let keepers: Vec<Keeper> =
        state.journal.keepers.iter().filter(|keeper| keeper.object == object).cloned().collect();
    if keepers.is_empty() || keepers.len() > BORROWERS_ASKED {
        return false;
    }
    let mut on_the_way =
        keepers.into_iter().filter(|keeper| !state.formulas.guards.disjoint(keeper.guard, guard));
    let concerned: Vec<Keeper> = on_the_way.by_ref().collect();
    concerned
        .iter()
        .all(|keeper| keeper.how != How::Found && is_released_after(state, solver, keeper, site, exits, ways))
}

/// Whether the function releases the object after a callee was given it, on a way that ends no worse than those that lose it.
fn is_released_after(
    state: &mut State<'_>,
    solver: &mut Solver,
    keeper: &Keeper,
    site: &Site,
    exits: &[Exit],
    ways: Ways,
) -> bool {
    let later = |event: &&Event| {
        event.object == keeper.object
            && event.kind == EventKind::Release
            && (event.node, position(state, event.inst)) > (keeper.node, position(state, keeper.inst))
    };
    let events: Vec<Event> = state.journal.events.iter().filter(later).cloned().collect();
    events.into_iter().any(|event| {
        exits.iter().any(|exit| {
            let way = state.formulas.guards.and_all([event.guard, keeper.guard, exit.guard]);
            if way.is_false() {
                return false;
            }
            let Answer::Sat(model) = ask(state, solver, way) else { return false };
            let mut teller = Teller { evaluator: model.evaluator(), state, object: keeper.object, site };
            ways.fail || !teller.fails(exit)
        })
    })
}

/// Where an instruction stands in its block.
pub(super) fn position(state: &State<'_>, inst: InstId) -> Option<usize> {
    let block = &state.body.blocks[state.context.block_of(state.id, inst)];
    block.insts.iter().position(|&other| other == inst)
}
