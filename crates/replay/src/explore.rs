//! What runs of a function show when nobody says how they are to go.
//!
//! In: a function and a number of runs. Out: what some of them lose, release and give. Runs differ as those around a witness do, the
//! ordinary first. It is for holding engines against runs: what a run does, a finding or a summary has to know. What must
//! hold: only runs count that come back to their caller, on a heap as callers make it, and in which nothing unknown was
//! shown what they lose.

use crate::around::Wishes;
use crate::follow::Road;
use crate::limits::RUN_STEPS;
use crate::search::{Manner, Question, Session};
use std::collections::BTreeSet;
use std::rc::Rc;
use watertight_interpret::{Address, How};
use watertight_ir::{FuncId, InstId, Type};
use watertight_summary::{Claim, KindId, Witness};

/// What runs of a function showed.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Explored {
    /// Runs that came back.
    pub returned: u64,
    /// The calls that acquired what some run lost, outermost first; the first is one of the function itself.
    pub lost: BTreeSet<Vec<(FuncId, InstId)>>,
    /// Parameters that led to an object of the caller's which some run released.
    pub released: BTreeSet<u32>,
    /// Some run gave the beginning of a block that it had acquired.
    pub gives_block: bool,
}

impl Session<'_> {
    /// Runs a function so many times.
    pub fn explore(&mut self, function: FuncId, runs: u64) -> Explored {
        let mut explored = Explored::default();
        let Some(body) = &self.known.program.functions[function].body else { return explored };
        let witness = Witness {
            claim: Claim::Lost,
            acquired: None,
            trail: Vec::new(),
            kind: KindId::HEAP,
            blocks: Vec::new(),
            inputs: Vec::new(),
            results: Vec::new(),
        };
        let wishes = Rc::new(Wishes::new(&witness));
        let question =
            Question { function, witness: &witness, wishes, road: Road::new(body, &[]), to_call: 0 };
        for number in 0..runs {
            let Some(alone) = self.alone.as_mut() else { break };
            alone.limit(RUN_STEPS);
            alone.watch(false);
            let Some((ended, world, _)) = self.repaired(&question, &Manner::numbered(number)) else { break };
            let (Some(alone), world) = (self.alone.as_mut(), world.borrow()) else { break };
            let How::Returned(words) = &ended.how else { continue };
            if world.guessed || world.unset || alone.was_cut() {
                continue;
            }
            explored.returned += 1;
            world.own.iter().for_each(|&number| alone.end_given(number));
            let reach = alone.reach(&ended, &[]);
            for (block, released, origin) in alone.blocks() {
                let held = reach.blocks[block.0 as usize] || world.kept.contains(&block);
                if !released && !held && !world.doubted.contains(&block) && !origin.is_empty() {
                    explored.lost.insert(origin.to_vec());
                }
            }
            let params = &self.known.program.functions[function].params;
            let result = words.first().copied().unwrap_or(0);
            let (gives, gone) = alone.ask(|hands| {
                let begins = |address: Address| {
                    hands.block_at(address).is_some()
                        && hands.object_at(address).is_some_and(|(_, start, _)| start == address)
                };
                let gone: Vec<u32> = (0..)
                    .zip(params)
                    .zip(&world.passed_objects)
                    .filter(|((_, param), _)| param.ty == Type::Ptr && param.by_value.is_none())
                    .filter(|(_, object)| {
                        object.is_some_and(|object| hands.address_of_given(object).is_none())
                    })
                    .map(|((index, _), _)| index)
                    .collect();
                (begins(Address(result)), gone)
            });
            explored.gives_block |= gives;
            explored.released.extend(gone);
        }
        explored
    }
}
