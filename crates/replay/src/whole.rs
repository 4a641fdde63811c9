//! What the whole program says of the memory that a function finds when it is entered.
//!
//! A run is started in the midst of a program, and what lies around it is made up. What the program never does is no part of any
//! run of it: a parameter that every call passes a constant for is one of these, a variable or a member of a
//! structure that is only ever set to 1 or 2 is not 3, and a pointer to a function leads to one that the program has put there. Whoever has such facts for the engines gives the
//! same ones to replay, so that both speak of the same program. Who knows nothing says nothing ([`Unknown`]).

use watertight_ir::{FuncId, GlobalId, InstId, SourceType};

/// The facts of a program.
pub trait Whole: Sync {
    /// What all calls of a function pass for a parameter.
    fn passed(&self, _function: FuncId, _index: u32) -> Option<Passed> {
        None
    }
    /// The numbers that a cell of so many bytes of a variable ever holds, in ascending order.
    fn stored(&self, _global: GlobalId, _offset: i64, _bytes: u64) -> Option<Vec<u64>> {
        None
    }
    /// The values that a cell of so many bytes of an object of this type ever holds.
    fn held(&self, _object: SourceType, _offset: i64, _bytes: u64) -> Option<Held> {
        None
    }
    /// The functions that a cell of a variable ever leads to.
    fn functions(&self, _global: GlobalId, _offset: i64) -> Option<Functions> {
        None
    }
    /// The functions that a call through a pointer may reach.
    fn reached(&self, _caller: FuncId, _inst: InstId) -> Option<Functions> {
        None
    }
}

/// What calls pass for a parameter.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Passed {
    /// Constants, in ascending order; NULL is 0.
    pub numbers: Vec<u64>,
    /// Addresses of things.
    pub address: bool,
}

/// What a member of a structure ever holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Held {
    /// One of these, in ascending order; NULL is 0.
    Numbers(Vec<u64>),
    /// No other bits than these.
    Bits(u64),
}

/// Functions that a pointer may lead to, in ascending order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Functions {
    pub list: Vec<FuncId>,
    /// It may be NULL.
    pub null: bool,
}

/// Nothing is known.
#[derive(Copy, Clone, Debug)]
pub struct Unknown;

impl Whole for Unknown {}
