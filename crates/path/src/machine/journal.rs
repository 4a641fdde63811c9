//! What evaluation notes for those who come after it: the exits, the summary, the states and the stories.
//!
//! Every entry stands for something that happens on the paths of its guard, in the order in which evaluation gets there. What ways
//! out leave behind ([`Left`]) is added when evaluation has come to its end.

use crate::machine::cells::Cell;
use crate::machine::memory::ObjectId;
use crate::machine::value::{Leaf, Leaves, Offset, Sym};
use crate::plan::unroll::NodeId;
use watertight_ir::{BlockId, FuncId, GlobalId, InstId, PlaceId};
use watertight_logic::guard::Guard;
use watertight_logic::term::TermId;
use watertight_summary::Breach;
use watertight_summary::{CallAt, Effect, KindId, Path, Relation, Value};

/// Everything that is noted.
#[derive(Debug, Default)]
pub struct Journal {
    /// Where paths would run a loop more often than it was unrolled.
    pub cuts: Vec<Cut>,
    /// Choices that say whether the iteration which stands for any is the first one, and where it starts.
    pub(crate) first_turns: Vec<(NodeId, Guard)>,
    /// Calls that leave this function by a long jump.
    pub jumps: Vec<Jump>,
    /// Calls that were to replace an object by another and did not.
    pub failed_replacements: Vec<Failed>,
    /// Numbers of standard streams that were released and not taken again, one entry for each release.
    pub vacated: Vec<(KindId, Guard)>,
    /// What happened to objects.
    pub events: Vec<Event>,
    /// Calls that end the process.
    pub ends: Vec<End>,
    /// Addresses that variables got.
    pub bindings: Vec<Binding>,
    /// What unknown callees may have kept, and where they were called.
    pub keepers: Vec<Keeper>,
    /// Stores over cells that held something acquired here.
    pub overwrites: Vec<Overwrite>,
    /// What calls acquired, and when their results say that they failed, if it is not known that they do not then.
    pub failures: Vec<(ObjectId, Guard)>,
    /// Sizes of what was allocated, and when.
    pub sizes: Vec<(TermId, Guard)>,
    /// What these sizes were computed from, and how large it can be.
    pub bounds: Vec<Bound>,
    /// Functions of the caller's that were called with something of the caller's.
    pub deferred: Vec<Deferred>,
    /// Changes of states.
    pub moves: Vec<Moved>,
    /// Calls that states made wrong.
    pub broken: Vec<Broken>,
    /// What callees demand that callers of this function must know.
    pub(crate) passed: Vec<Breach>,
    /// What functions that only look have given.
    pub(crate) given: Vec<Answer>,
    /// Losses of callees that need something of this function, and the paths on which it makes them happen.
    pub(crate) provoked: Vec<Provoked>,
    /// States that ways out leave behind.
    pub(crate) left_behind: Vec<Left>,
    /// Numbers that came in one struct with something acquired, and of which more could be known: they may say
    /// whether it is there.
    pub companions: Vec<(ObjectId, TermId)>,
    /// What code out of sight was given that is believed to give it back, and on which paths.
    pub lent: Vec<(ObjectId, Guard)>,
}

/// A number that is at most so large on some paths.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Bound {
    pub number: TermId,
    pub most: u128,
    pub guard: Guard,
}

/// An edge that is not followed because its loop has had its iterations.
#[derive(Copy, Clone, Debug)]
pub struct Cut {
    pub node: NodeId,
    pub to: BlockId,
    pub guard: Guard,
}

/// Something that happened to an object, for checks and for the story told to people.
#[derive(Clone, Debug)]
pub struct Event {
    pub node: NodeId,
    pub inst: InstId,
    pub guard: Guard,
    pub object: ObjectId,
    pub kind: EventKind,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum EventKind {
    Acquire,
    Release,
    /// Released although it was released before.
    ReleaseAgain(Before),
    /// Read, written or handed to a function that does, although it was released before.
    UseReleased(Before),
}

/// The release that came before.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Before {
    pub inst: InstId,
    pub kind: KindId,
    /// It came before on every path.
    pub always: bool,
}

/// A callee that may have kept an object.
#[derive(Clone, Debug)]
pub struct Keeper {
    pub inst: InstId,
    pub node: NodeId,
    /// When it may have.
    pub guard: Guard,
    pub object: ObjectId,
    pub callee: Box<str>,
    pub how: How,
}

/// How a callee that may have kept something came by it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum How {
    /// By a parameter that it declares.
    Given,
    /// As a variable argument.
    Variable,
    /// It found it in what it was given, or somewhere else.
    Found,
}

/// A cell that held an object gets another value.
#[derive(Copy, Clone, Debug)]
pub struct Overwrite {
    pub node: NodeId,
    pub inst: InstId,
    pub object: ObjectId,
    pub guard: Guard,
}

/// A call that does not come back because it jumps.
#[derive(Copy, Clone, Debug)]
pub struct Jump {
    pub inst: InstId,
    pub guard: Guard,
    /// Something global decides whether it jumps or ends the process: whether anyone waits for the jump.
    pub awaited: bool,
}

/// A certain release of an object.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Gone {
    pub guard: Guard,
    /// Paths on which the same call ended without releasing it, for a reason that the caller may know. The release is
    /// believed only where the path excludes them.
    pub doubt: Guard,
    /// Where in the object the address was that was released.
    pub at: Offset,
    pub node: NodeId,
    pub inst: InstId,
    pub kind: KindId,
}

/// A call that was to replace what an argument points to and did not.
#[derive(Clone, Debug)]
pub struct Failed {
    pub inst: InstId,
    /// Which argument.
    pub position: usize,
    pub guard: Guard,
    /// What the argument was.
    pub argument: Leaves,
    pub callee: Box<str>,
}

/// A place where the process ends.
#[derive(Copy, Clone, Debug)]
pub struct End {
    pub node: NodeId,
    pub guard: Guard,
    pub place: Option<PlaceId>,
    /// Whether the program says that all went well: `main` returns, or the status is 0.
    pub well: bool,
    pub manner: Manner,
}

/// How a process ends.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Manner {
    /// Its work is done: the variables of `main` are at the end of their lives.
    Closing,
    /// The library is told to exit, with a status that may be a good one. It depends on what comes after whether that is the end.
    Exiting,
    /// Somebody breaks off.
    Breaking,
}

/// A variable gets an address, or a number that may be a resource.
#[derive(Copy, Clone, Debug)]
pub struct Binding {
    pub node: NodeId,
    pub inst: InstId,
    pub guard: Guard,
}

/// A call of a function of the caller's.
#[derive(Clone, PartialEq, Debug)]
pub struct Deferred {
    pub guard: Guard,
    pub(crate) function: Path,
    pub(crate) arguments: Vec<Argument>,
    /// States that are known, and other than at entry, when it is called.
    pub(crate) states: Vec<(Path, i64)>,
}

/// What such a function is given.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Argument {
    Told(Value),
    /// Something that was acquired here. What the caller calls it is not known before the summary is made.
    Fresh(ObjectId, i64),
}

impl Deferred {
    /// The call as the caller sees it, who gets these objects.
    pub fn effect(&self, fresh: &[ObjectId]) -> Effect {
        let told = |argument: &Argument| match argument {
            Argument::Told(value) => value.clone(),
            Argument::Fresh(object, plus) => match fresh.iter().position(|known| known == object) {
                Some(index) => Value::Fresh { index: index as u32, plus: *plus },
                None => Value::Any,
            },
        };
        Effect::Calls {
            function: self.function.clone(),
            arguments: self.arguments.iter().map(told).collect(),
            states: self.states.clone(),
        }
    }
}

/// A state that was changed by a call, for stories.
#[derive(Clone, Debug)]
pub struct Moved {
    pub inst: InstId,
    /// The copy of its block.
    pub node: NodeId,
    pub cell: Cell,
    /// The paths on which it was, and what the state is then.
    pub guard: Guard,
    pub to: Leaf,
    /// The paths on which the call was made at all.
    pub entered: Guard,
    /// It brings about a state other than the first one.
    pub begins: bool,
    /// Something other than the first state may come to an end by it.
    pub ends: bool,
}

/// A mistake.
#[derive(Clone, Debug)]
pub struct Broken {
    pub inst: InstId,
    pub node: NodeId,
    pub cell: Cell,
    pub mistake: usize,
    /// When the state was brought about here.
    pub here: Guard,
    /// When it is the state at entry that is to be another.
    pub demanded: Guard,
    /// What is asked of the state at entry.
    pub tests: Vec<(Relation, i64)>,
    /// The calls inside the function called that lead to where it happens.
    pub trail: Vec<CallAt>,
    /// It is not known whether the function called makes the mistake here.
    pub weak: bool,
    /// The paths on which calls before may have done more to states than is told.
    pub(crate) doubtful: Guard,
}

/// A state that is left on some ways out.
#[derive(Clone, Debug)]
pub(crate) struct Left {
    /// The call that brought it about.
    pub(crate) inst: InstId,
    pub(crate) cell: Cell,
    pub(crate) mistake: usize,
    /// The ways out on which it is left.
    pub(crate) guard: Guard,
    /// Other ways out on which it is not, that look the same or better.
    pub(crate) other: Guard,
    /// The result says that all went well, and what is in memory at entry tells the ways out apart: it may be meant.
    pub(crate) meant: bool,
    /// It is left on all ways out, and only these globals lead to it: somebody else has to end it.
    pub(crate) unless_ended: Vec<GlobalId>,
}

/// A loss of a callee that a call may make happen.
#[derive(Clone, Debug)]
pub(crate) struct Provoked {
    /// The call that acquires what is lost, in the function that loses it.
    pub(crate) acquired: CallAt,
    /// The call.
    pub(crate) inst: InstId,
    /// The paths on which it does.
    pub(crate) guard: Guard,
}

/// What a call of a function gave that only looks.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) function: FuncId,
    pub(crate) arguments: Vec<Leaf>,
    pub(crate) found: Vec<Found>,
    /// The paths on which it was asked.
    pub(crate) here: Guard,
    pub(crate) result: Sym,
}

/// What an argument leads to, as far as it was written.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) object: ObjectId,
    /// How often it had been changed by code that is not followed.
    pub(crate) changes: usize,
    pub(crate) released: Guard,
    pub(crate) scattered: Leaves,
    pub(crate) cells: Vec<(i64, u64, Leaves)>,
}
