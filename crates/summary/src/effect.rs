//! Outcomes and effects: what a call leaves behind.

use crate::kind::KindId;
use crate::path::Path;
use watertight_ir::{CompareOp, FuncId, InstId};

/// What a function does, as far as a caller can tell.
#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    /// The ways in which a call can return. None: it does not return.
    pub outcomes: Vec<Outcome>,
    pub completeness: Completeness,
    /// States at entry that make a call a mistake.
    pub breaches: Vec<Breach>,
    /// Losses inside the function, or inside what it calls, that need something of its callers.
    pub latent: Vec<Latent>,
}

/// A loss that needs something of the callers of the function summarised.
#[derive(Clone, PartialEq, Debug)]
pub struct Latent {
    /// The call that acquires what is lost, in the function that loses it.
    pub acquired: CallAt,
    /// The call of the function summarised that leads to that function; none if it is that function.
    pub through: Option<CallAt>,
    /// What entry values must be, at least, for it to happen. No conjunction at all: whatever they are, it does not.
    pub when: When,
}

/// Entry values under which a call breaks a property.
#[derive(Clone, PartialEq, Debug)]
pub struct Breach {
    /// The state that is wrong.
    pub place: Path,
    /// Which mistake of the property it is.
    pub mistake: u32,
    /// When it is made, at least on some paths, if the state is wrong. Says nothing of states.
    pub when: When,
    /// What makes the state wrong.
    pub tests: Vec<(Relation, i64)>,
    /// The calls inside the function that lead to the call which makes it, outermost first.
    pub trail: Vec<CallAt>,
}

impl Summary {
    /// A summary that says nothing of states.
    pub fn new(outcomes: Vec<Outcome>, completeness: Completeness) -> Summary {
        Summary { outcomes, completeness, breaches: Vec::new(), latent: Vec::new() }
    }

    /// What it does, in any of its outcomes.
    pub fn effects(&self) -> impl Iterator<Item = &Effect> {
        self.outcomes.iter().flat_map(|outcome| &outcome.effects)
    }

    /// Whether a call may leave something in another state.
    pub fn touches_states(&self) -> bool {
        let touches = |effect: &Effect| match effect {
            Effect::Calls { states, .. } => !states.is_empty(),
            _ => effect.is_state(),
        };
        self.effects().any(touches)
    }

    /// Whether it says of some state only that it may have changed.
    pub fn has_vague_states(&self) -> bool {
        self.effects().filter(|effect| effect.is_state()).any(|effect| match effect {
            Effect::Store { value, .. } => !matches!(value, Value::Number(_) | Value::Entry { .. }),
            _ => false,
        })
    }

    /// Whether a call may acquire or release something.
    pub fn touches_resources(&self) -> bool {
        self.outcomes.iter().any(|outcome| {
            !outcome.fresh.is_empty()
                || outcome.effects.iter().any(|effect| matches!(effect, Effect::Release { .. }))
        })
    }
}

/// How far a summary can be trusted.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Completeness {
    /// Everything the function does to what it can reach is listed.
    Whole,
    /// A budget ran out or something was not understood: it may do more than is listed.
    Partial,
}

/// One way in which a call can return.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// Entry values under which it is possible.
    pub when: When,
    pub result: Value,
    /// The fresh objects that exist afterwards; `Root::Fresh(n)` is the n-th.
    pub fresh: Vec<Fresh>,
    pub effects: Vec<Effect>,
    pub way: Way,
    /// The result was computed from numbers that nobody gave: the truth about it was lost in the callee.
    pub invented: bool,
}

impl Outcome {
    /// Whether it is nothing but a result.
    pub fn is_plain(&self) -> bool {
        self.way == Way::Returns && self.fresh.is_empty() && self.effects.is_empty()
    }
}

/// How control leaves a call.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Way {
    /// It returns.
    #[default]
    Returns,
    /// It returns, but so seldom like this that nobody is told off for it unless entry values surely ask for it:
    /// `realloc` to a size that happens to be zero.
    Seldom,
    /// It jumps out of its caller, and of its caller's callers, to a place prepared by `setjmp`.
    Jumps,
}

/// An object that a call acquires.
#[derive(Clone, PartialEq, Debug)]
pub struct Fresh {
    pub kind: KindId,
    /// Its memory is zero at first (`calloc`).
    pub zeroed: bool,
    /// The function that acquired it, when that is not the function summarised.
    pub by: Option<Box<str>>,
    /// The calls inside the function summarised that led to it, outermost first; none for a model.
    pub trail: Vec<CallAt>,
    /// Nothing was written to it. Said of what a function of the program acquires; models do not say it.
    pub blank: bool,
}

/// A call in the body of a function.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CallAt {
    pub function: FuncId,
    pub inst: InstId,
}

/// A condition on entry values: any of several conjunctions. The empty conjunction always holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct When {
    pub any: Vec<Vec<Test>>,
    /// Tests were left out because they were too many: it also holds where the truth does not.
    pub weak: bool,
    /// Entry values decide also in ways that no test can say: one is computed from several, or lies too far away.
    pub unsaid: bool,
}

impl When {
    /// One of these conjunctions holds.
    pub fn any(any: Vec<Vec<Test>>) -> When {
        When { any, weak: false, unsaid: false }
    }
    /// The condition that always holds.
    pub fn always() -> When {
        When::any(vec![Vec::new()])
    }
    /// One test.
    pub fn test(test: Test) -> When {
        When::any(vec![vec![test]])
    }
    pub fn is_always(&self) -> bool {
        self.any.iter().any(Vec::is_empty)
    }
    /// The condition that never holds.
    pub fn never() -> When {
        When::any(Vec::new())
    }
    pub fn is_never(&self) -> bool {
        self.any.is_empty()
    }
    /// Whether it holds only where an entry value, all of it, stands in this relation to a number.
    pub fn asks(&self, value: &Path, relation: Relation, number: i64) -> bool {
        let asks = |test: &Test| {
            test.value == *value
                && test.mask.is_none()
                && test.other.is_none()
                && (test.relation, test.number) == (relation, number)
        };
        !self.is_never() && self.any.iter().all(|tests| tests.iter().any(asks))
    }
}

/// A test of one entry value: `(value & mask) relation number`, signed; or of two: `value relation other + number`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    pub value: Path,
    pub mask: Option<u64>,
    pub relation: Relation,
    pub number: i64,
    /// The entry value that it is compared with, if it is not compared with a number alone.
    pub other: Option<Path>,
}

/// A comparison; signed unless it says otherwise.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    UnsignedLess,
    UnsignedLessEqual,
    UnsignedGreater,
    UnsignedGreaterEqual,
}

impl Relation {
    /// The comparison that asks for it.
    pub fn op(self) -> CompareOp {
        match self {
            Relation::Equal => CompareOp::Eq,
            Relation::NotEqual => CompareOp::Ne,
            Relation::Less => CompareOp::Slt,
            Relation::LessEqual => CompareOp::Sle,
            Relation::Greater => CompareOp::Sgt,
            Relation::GreaterEqual => CompareOp::Sge,
            Relation::UnsignedLess => CompareOp::Ult,
            Relation::UnsignedLessEqual => CompareOp::Ule,
            Relation::UnsignedGreater => CompareOp::Ugt,
            Relation::UnsignedGreaterEqual => CompareOp::Uge,
        }
    }
}

/// A value, told in terms the caller knows.
#[derive(Clone, PartialEq, Debug, Hash, Eq)]
pub enum Value {
    /// A number; 0 is also the null pointer.
    Number(i64),
    /// The value that a path has at entry, plus bytes.
    Entry { path: Path, plus: i64 },
    /// Some bits of the entry value of a path: `(value >> low) & mask`.
    Bits { path: Path, low: u32, mask: u64 },
    /// A number of which some bits are known, piece by piece from the lowest bit on. All pieces that are of an entry value are
    /// of this one.
    Word { of: Option<Path>, pieces: Vec<Piece> },
    /// An address somewhere in the object that the entry value of a path points into.
    Inside(Path),
    /// The address of a fresh object plus bytes.
    Fresh { index: u32, plus: i64 },
    /// The parts of a struct that is returned by value.
    Parts(Vec<Value>),
    /// Any number that stands in this relation to a number.
    Such { relation: Relation, number: i64 },
    /// Anything. As an address it owns nothing new.
    Any,
}

/// Some neighbouring bits of a word.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub struct Piece {
    /// How many.
    pub bits: u32,
    pub of: PieceOf,
}

/// What some bits of a word are.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum PieceOf {
    Number(u64),
    /// Bits of the entry value, from this one on.
    Entry(u32),
    /// They may be anything.
    Any,
    /// The function has decided them, and the summary does not tell how.
    Untold,
}

/// What became of something the caller can reach.
#[derive(Clone, PartialEq, Debug, Hash, Eq)]
pub enum Effect {
    /// The cell `place` now holds `value`.
    Store { place: Path, value: Value },
    /// The object that `value` points to at entry (or the number it is) is released.
    /// Not certain if the object may have other owners, or if only some of the paths release it.
    Release { value: Path, kind: KindId, certain: bool },
    /// The object that `value` points to may be used after the call, and someone else answers for it.
    Keep { value: Path, reason: KeepReason },
    /// Cells reachable through `place` may have changed in unknown ways.
    Clobber { place: Path },
    /// Bytes of the object at `from`, from `start` on, are copied to `span` of the object at `to`.
    Copy { to: Path, span: Span, from: Path, start: i64 },
    /// Bytes of the object at `place` become zero.
    Zero { place: Path, span: Span },
    /// A function pointer is called later, or now, with `arguments`, as `qsort` and `pthread_create` do. While it runs, these
    /// states of properties are other than at entry: a lock is held, and the function called finds it so.
    Calls { function: Path, arguments: Vec<Value>, states: Vec<(Path, i64)> },
}

impl Effect {
    /// Whether it sets the state of a property.
    pub fn is_state(&self) -> bool {
        matches!(self, Effect::Store { place, .. } if place.property().is_some())
    }
}

/// Some bytes of an object.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Span {
    pub offset: i64,
    /// To the end of the object when absent.
    pub bytes: Option<u64>,
}

impl Span {
    /// All of an object.
    pub const WHOLE: Span = Span { offset: 0, bytes: None };
}

/// Why an object counts as kept.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub enum KeepReason {
    /// A model says so, or it was seen to be stored where it outlives the call.
    Stored,
    /// The same, and another thread has it from then on: it takes out and puts in at any time.
    Shared,
    /// Assumed of a function that nothing is known about.
    Assumed { function: Box<str> },
}
