//! Symbolic values: guarded sets of alternatives.
//!
//! A value is one of several leaves, each under a guard; the guards exclude each other and together cover
//! every path on which the value is used. Numbers are bit-vector terms, addresses are an object and an
//! offset, so `if (c) p = &x; else p = &y;` leaves `p` as `{(c, x), (not c, y)}` and a store through it is
//! two guarded stores. Truth values are guards themselves.

use crate::machine::memory::ObjectId;
use watertight_ir::FuncId;
use watertight_logic::guard::Guard;
use watertight_logic::term::TermId;

/// One alternative.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Leaf {
    /// A number, or an address that belongs to no object known here (0 is the null pointer).
    Number(TermId),
    /// An address in an object, or the number that stands for a resource such as a descriptor.
    Address(ObjectId, Offset),
    Function(FuncId),
}

impl Leaf {
    /// Whether it is an address in an object.
    pub fn leads_to(self, object: ObjectId) -> bool {
        matches!(self, Leaf::Address(held, _) if held == object)
    }
}

/// Where in an object an address points.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Offset {
    At(i64),
    /// Not known: an element at a variable index, or an address that arithmetic has changed.
    Somewhere,
}

impl Offset {
    pub fn plus(self, bytes: i64) -> Offset {
        match self {
            Offset::At(offset) => Offset::At(offset.wrapping_add(bytes)),
            Offset::Somewhere => Offset::Somewhere,
        }
    }
}

/// A guarded set of leaves.
pub type Leaves = Vec<(Guard, Leaf)>;

/// The value of an SSA value in one copy of its block.
#[derive(Clone, Debug)]
pub enum Sym {
    Truth(Guard),
    Leaves(Leaves),
    /// The parts of an aggregate.
    Parts(Vec<Sym>),
}

impl Sym {
    pub fn one(leaf: Leaf) -> Sym {
        Sym::Leaves(vec![(Guard::TRUE, leaf)])
    }
    pub fn number(term: TermId) -> Sym {
        Sym::one(Leaf::Number(term))
    }

    /// Whether it, or a part of it, is an address in an object on some path.
    pub fn leads_to(&self, object: ObjectId) -> bool {
        match self {
            Sym::Leaves(leaves) => leaves.iter().any(|entry| entry.1.leads_to(object)),
            Sym::Parts(parts) => parts.iter().any(|part| part.leads_to(object)),
            Sym::Truth(_) => false,
        }
    }
}
