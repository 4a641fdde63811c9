//! What is asked and what is answered: probes and verdicts.
//!
//! A [`Probe`] names a statement and one reference that it may lose: the reference that an assignment overwrites, that
//! goes away with a freed cell, or that goes out of scope. A [`Verdict`] is a proof, a trace, or the reason for neither.

use std::collections::BTreeSet;
use watertight_finding::{Place, Story};
use watertight_ir::{BlockId, FuncId, InstId};

/// The five kinds of statements that can lose a reference. The paper calls them leak probing points.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ProbeKind {
    /// `*e0 = e1`: the old value of `*e0` is overwritten.
    Assignment,
    /// `*e0 = malloc(...)`: likewise.
    Allocation,
    /// `free(e)`: what the fields of the freed cell refer to.
    Release,
    /// A local or a parameter goes out of scope when the function returns.
    Scope,
    /// `*e0 = p(...)`: the old value of `*e0` is overwritten by a result.
    AssignedResult,
    /// `p(...)` whose result nobody takes.
    DroppedResult,
}

impl ProbeKind {
    /// Every kind, in the order of declaration.
    pub const ALL: [ProbeKind; 6] = [
        ProbeKind::Assignment,
        ProbeKind::Allocation,
        ProbeKind::Release,
        ProbeKind::Scope,
        ProbeKind::AssignedResult,
        ProbeKind::DroppedResult,
    ];

    /// The word for people and programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ProbeKind::Assignment => "assignment",
            ProbeKind::Allocation => "allocation",
            ProbeKind::Release => "release",
            ProbeKind::Scope => "scope",
            ProbeKind::AssignedResult => "assigned-result",
            ProbeKind::DroppedResult => "dropped-result",
        }
    }
}

/// The question whether one statement loses a reference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe {
    /// The function that the statement is in.
    pub function: FuncId,
    /// The statement: a store, a call or a copy. Absent for [`ProbeKind::Scope`], where it is a return.
    pub inst: Option<InstId>,
    /// The block that the statement is in.
    pub block: BlockId,
    /// Where the statement is in the source.
    pub place: Place,
    /// What kind of statement it is.
    pub kind: ProbeKind,
    /// The reference that may be lost, as the source writes it: `x->next`.
    pub lost: String,
    /// Which reference of the statement it is, counted from 0: a freed cell and a scope have several. A dropped result is
    /// lost at its last use; this is then the number of the instruction that it comes from.
    pub index: u32,
    /// The block of the `return` statement that is meant, where several lead to one end of the function.
    pub over: Option<BlockId>,
}

/// What a proof rests on beside the rules of C. Each is explained in `docs/prove.md`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Assumed {
    /// Memory is read and written with the types it is declared with, as in the type-safe part of C.
    TypedMemory,
    /// Numbers hold no addresses.
    PlainNumbers,
    /// Whoever calls a function from outside still has what it passes.
    CallersKeep,
    /// A block that is released as a record holds one of them.
    SingleBlocks,
    /// Pointer arithmetic stays in its object.
    InBounds,
    /// Memory that was not written since it was acquired holds no references.
    FreshMemory,
    /// No other thread and no signal handler changes references meanwhile.
    OneThread,
    /// Blocks are kept by pointers to their beginning, not to a member in their middle.
    Beginnings,
    /// Blocks that refer to each other in a circle, with nothing else that refers to them, do not count as lost.
    NoCircles,
    /// Library functions do what the models say.
    Models,
}

impl Assumed {
    /// The name that is printed with a proof.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Assumed::TypedMemory => "typed-memory",
            Assumed::PlainNumbers => "plain-numbers",
            Assumed::CallersKeep => "callers-keep",
            Assumed::SingleBlocks => "single-blocks",
            Assumed::InBounds => "in-bounds",
            Assumed::FreshMemory => "fresh-memory",
            Assumed::OneThread => "one-thread",
            Assumed::Beginnings => "beginnings",
            Assumed::NoCircles => "no-circles",
            Assumed::Models => "models",
        }
    }

    /// What it says, in a clause.
    #[must_use]
    pub const fn text(self) -> &'static str {
        crate::words::assumed(self)
    }
}

/// The answer to a probe.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// Every way back from the statement ends in a contradiction: it cannot lose the last reference to a cell, whatever
    /// the function is called with.
    Proved {
        /// What the proof rests on.
        assumptions: BTreeSet<Assumed>,
    },
    /// A way back leads to an allocation, or to the entry of a function that anybody may call.
    Violated {
        /// The way, told forwards.
        story: Box<Story>,
    },
    /// Neither.
    Unknown {
        /// Why: a clause without a final dot.
        why: String,
    },
}

impl Verdict {
    /// Whether it is a proof.
    #[must_use]
    pub fn is_proved(&self) -> bool {
        matches!(self, Verdict::Proved { .. })
    }
}

/// A verdict and what it cost.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// Applications of transfer functions: the length of the reverse trace.
    pub transfers: u32,
    /// Program points that the analysis came to.
    pub points: u32,
    /// Abstractions that it kept there, in all.
    pub abstractions: u32,
}

impl Answer {
    /// No answer, for a reason that needs no walk.
    pub(crate) fn unknown(why: String) -> Answer {
        Answer { verdict: Verdict::Unknown { why }, transfers: 0, points: 0, abstractions: 0 }
    }
}
