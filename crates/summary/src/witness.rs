//! What makes something happen in a function: values for what the function is given and for what its calls give it.
//!
//! An engine that has found a way on which something is lost says here, in plain data, how to get there; whoever runs the
//! function can follow it without knowing the engine. Nothing here is a promise: a witness may leave things open, and may
//! be wrong.

use crate::effect::CallAt;
use crate::kind::KindId;
use crate::path::Path;
use watertight_ir::{BlockId, InstId};

/// How something happens to one resource in one function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    pub claim: Claim,
    /// The call that acquired the resource; absent if the caller had it before.
    pub acquired: Option<InstId>,
    /// The calls inside that call which led to it, outermost first.
    pub trail: Vec<CallAt>,
    pub kind: KindId,
    /// The blocks that control passes, from the entry on. Turns of a loop that stand for any number are passed once.
    pub blocks: Vec<BlockId>,
    /// What the function finds at its entry.
    pub inputs: Vec<(Path, u64)>,
    /// What its calls give it, in the order of the path.
    pub results: Vec<Given>,
}

/// What is said to happen.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// Nothing refers to the resource any more, and it was not released.
    Lost,
    /// This instruction releases it although it was released before.
    ReleasedAgain(InstId),
    /// This instruction uses it although it was released before.
    Used(InstId),
}

/// What a call gives.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Given {
    pub call: InstId,
    /// Which of the calls by this instruction on the path, counted from 0.
    pub turn: u32,
    pub value: Got,
    /// What is claimed depends on it: a run in which the call gives something else is another one.
    pub decides: bool,
}

/// A result, as far as a witness knows it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Got {
    Number(u64),
    /// The address of something.
    Address,
}
