//! What the engine may spend on one function: the only table of budgets.
//!
//! Budgets count steps, nodes and copies, never seconds, so every machine gives the same answers. They were chosen on the
//! truth bench and on large programs; each line says what it trades. Where a budget ends, what was evaluated before
//! stands (`evaluate/tail.rs`), and the rest of the function is told with less confidence.
//!
//! | Name | Default | More of it |
//! | --- | --- | --- |
//! | [`LOOPS`] | 4, 3, 8 turns; 100, 300, 1,500 copies | loops are followed through more turns exactly; every copy of a block costs the same again |
//! | [`STEPS`] | 30,000 | larger functions are looked at closely to their end; the largest functions take longer before they are told in brief |
//! | [`CLOSE`] | 20,000 nodes | the same; with 400,000 SQLite takes four times as long |
//! | [`PATIENT`], [`PATIENCE`] | 60,000 nodes, 5,000 a guard; 3 times the steps | fewer functions are told in brief |
//! | [`HOPEFUL`] | a third | fewer functions are told in brief; most of those that got less far through a close look fail again |
//! | [`BRIEF`] | 40,000 nodes | fewer functions are given up |
//! | [`ROUND`] | 8,000 nodes | recursion is known better after its first round; each round costs more |
//! | [`UNTOUCHED`] | 2,500 nodes, 1,000 steps | results of functions without resources are told apart more finely; most functions are of this kind |
//! | [`COARSE_STEPS`] | 400 | nothing: it is enough for any function that was seen |
//! | [`TAIL_STEPS`], [`TAIL`], [`TAIL_GUARD`], [`TAIL_BLOCKS`] | 10,000, 40,000 nodes, 200, 12 | more exits stand of a function whose budget has ended |
//! | [`MOST_NODES`] | 48 | longer chains of our own are released to their end |
//! | [`FOLLOWED`], [`REARRANGING`], [`FRAMES`] | 8, 4 turns; 200 copies; 80 instructions; 12 calls | functions that rearrange longer chains of their callers are followed |
//! | [`SOURCES`] | 6 | what the program never does is known of values that come a longer way |
//! | [`CALLS_ASKED`] | 24 | members are known to own what functions with more callers put there |
//! | [`MOST_DERIVED`] | 200 | what becomes of a member's contents is known in larger functions |
//! | [`CARING_CALLS`], [`CARING_CALLERS`], [`CARING_BESIDE`], [`CARING_FUNCTIONS`] | 4 down, 2 up, 1 beside, 400 | somebody farther away takes care of a member: fewer findings |
//! | [`SEVERAL_MEMBERS`] | 2 | fewer functions are taken for the end of what a structure holds |
//! | [`ADDRESS_STEPS`], [`NESTED_TYPES`] | 12, 8 | nothing: it is enough for any structure that was seen |
//! | [`MOST_PASSED`] | 16 | parameters with more constants than that are known; questions to the solver grow |
//! | [`QUANTIFIED`] | 64 | guards with more unknowns of ours are quantified at once; the others are asked about path by path |
//! | [`PATH_CONDITIONS`], [`PATHS_ASKED`] | 2,000, 6 | larger guards, and more ways out, are asked about path by path |
//! | [`EASY_WORK`] | 8,000 | loops that call much are followed through more turns |

use crate::loops::unroll::Limits;
use watertight_logic::guard::GuardLimits;

/// Turns of outer loops, of inner ones and of those that a state steers; copies of blocks up to which there is more than one
/// turn, up to which one stands for later ones, and in all.
pub(crate) const LOOPS: Limits =
    Limits { outer: 4, inner: 3, states: 8, easy: 100, nodes: 1_500, general: 300, last_pass: true };

/// Steps per function and look: one for an instruction, and one for eight steps of guard operations.
pub(crate) const STEPS: u64 = 30_000;

/// How large guards may become in a look with all that callees do.
pub(crate) const CLOSE: GuardLimits = GuardLimits { steps_per_operation: 1_000, nodes: 20_000 };

/// The same in a look with few turns of loops, which comes after a close one that failed; and how many times its steps.
pub(crate) const PATIENT: GuardLimits = GuardLimits { steps_per_operation: 5_000, nodes: 60_000 };
pub(crate) const PATIENCE: u64 = 3;
/// Such a look is made where the close one got through one part in so many of the copies of blocks.
pub(crate) const HOPEFUL: usize = 3;

/// The same in a look with what callees do told in brief.
pub(crate) const BRIEF: GuardLimits = GuardLimits { nodes: 40_000, ..CLOSE };

/// The same in a round of a recursion that the next one replaces.
pub(crate) const ROUND: GuardLimits = GuardLimits { nodes: 8_000, ..CLOSE };

/// A round gets this part of the steps.
pub(crate) const ROUND_PART: u64 = 8;

/// The same where nothing is acquired or released: most of these need less, and of the others nothing is lost by opening
/// every branch.
pub(crate) const UNTOUCHED: GuardLimits = GuardLimits { nodes: 2_500, ..CLOSE };
pub(crate) const UNTOUCHED_STEPS: u64 = 1_000;

/// Steps per instruction when every branch is open.
pub(crate) const COARSE_STEPS: u64 = 400;

/// What is near an exit when the budget of a look has ended: steps for each block, how large guards may become beside those
/// there are, how large the guard of a way there may be, and the most blocks from a place to all its exits.
pub(crate) const TAIL_STEPS: u64 = 10_000;
pub(crate) const TAIL: GuardLimits = GuardLimits { steps_per_operation: 20_000, nodes: 40_000 };
pub(crate) const TAIL_GUARD: usize = 200;
pub(crate) const TAIL_BLOCKS: usize = 12;

/// The most nodes of a chain that an effect on each node is carried out on.
pub(crate) const MOST_NODES: usize = 48;

/// How often loops run in a function that is followed in the memory of its caller, how large it may be, and how
/// often it may call itself.
pub(crate) const FOLLOWED: Limits =
    Limits { outer: 8, inner: 4, states: 8, easy: 200, nodes: 200, general: 0, last_pass: false };
pub(crate) const REARRANGING: usize = 80;
pub(crate) const FRAMES: u32 = 12;

/// Copies of blocks times effects of callees up to which loops run more than once.
pub(crate) const EASY_WORK: usize = 8_000;

/// The most instructions of a function that only moves states and is looked at closely.
pub(crate) const SMALL: usize = 120;

/// How many merges, calls and copies are looked through to find where a value comes from that is stored or passed somewhere in the program.
pub(crate) const SOURCES: u32 = 6;

/// The most calls of a function that are looked at for what it is passed, when it is asked what members own.
pub(crate) const CALLS_ASKED: usize = 24;

/// The most values of a function that what a member holds may become. With more, everything may have been done.
pub(crate) const MOST_DERIVED: usize = 200;

/// Who may take care of what a member holds: how far down calls are followed, how far up callers are asked, how far down what those
/// call beside, and the most functions in all; who calls more may do anything.
pub(crate) const CARING_CALLS: u32 = 4;
pub(crate) const CARING_CALLERS: u32 = 2;
pub(crate) const CARING_BESIDE: u32 = 1;
pub(crate) const CARING_FUNCTIONS: usize = 400;

/// How many members a function has to release that is taken for the end of what a structure holds.
pub(crate) const SEVERAL_MEMBERS: usize = 2;

/// How many steps of an address are followed to what it is the address of.
pub(crate) const ADDRESS_STEPS: usize = 12;

/// How deep structures and arrays are nested.
pub(crate) const NESTED_TYPES: usize = 8;

/// More constants than these that calls pass for a parameter are as good as any.
pub(crate) const MOST_PASSED: usize = 16;

/// The most unknowns of ours in a guard that are quantified at once.
pub(crate) const QUANTIFIED: usize = 64;

/// The most conditions of a guard that is asked about along one path, and the most ways out for which that is done.
pub(crate) const PATH_CONDITIONS: usize = 2_000;
pub(crate) const PATHS_ASKED: usize = 6;
