//! Every sentence of this engine: why there is no answer, what a statement would lose, what a proof rests on.
//!
//! What happens on a path is said by [`watertight_finding::Said`]. `docs/messages.md` lists both.

use crate::verdict::Assumed;
use watertight_finding::sentences;

sentences! {
    /// Why a question has no answer.
    pub enum Why {
        NotAReturn = "the function does not return here";
        NotAStatement = "there is no statement at this place";
        NotProbed = "the statement is of a kind that is not examined";
        PartOfPointer = "an integer is written over a part of what may be a pointer";
        AddressInNumber = "an integer that may be an address goes out of scope";
        NotModelled { what } = "{what} is not modelled";
        FunctionNotModelled { function, why } = "`{function}` is not modelled: {why}";
        CallerNotModelled { function, why } = "the calling function `{function}` is not modelled: {why}";
        Exceptions = "it contains code for C++ exceptions";
        Setjmp = "it calls `setjmp`";
        VariableArguments = "it takes variable arguments";
        Overwritten = "it is not known which pointers this statement overwrites";
        OverwrittenByLibrary = "it is not known which pointers the library function overwrites";
        NoVariable = "there is no such variable";
        ReleasesNothing = "this call frees no memory";
        TypeUnknown = "the type of the block that is freed is not known";
        Elements = "the proof cannot tell the elements of the array apart";
        NoResult = "this call returns no pointer";
        NoBody = "the function has no body";
        OtherBlock = "the result is used again after a later branch or loop, and the proof does not look that far";
        NoModel = "this is not a call to a library function that watertight knows";
        AcquiredByCall = "the call may allocate memory and then overwrite the only pointer to it, and this is not examined";
        Jump { function, callee } = "a `longjmp` in {callee} may jump out of `{function}`";
        Circle = "the block may be part of a cycle: blocks that point to each other, and that nothing else points to";
        Middle = "the pointer may point to a member in the middle of a block, from which the program computes where the block begins";
        UnknownCode { name } = "nothing is known about {name}, which may change or allocate anything";
        UnknownKeeper { function } = "it is not known whether {function} keeps a pointer to it";
        LibraryCallsBack = "a library function calls back into the program through a function pointer";
        BudgetSpent { transfers } = "the limit of {transfers} steps was reached; `--transfers` raises it";
        ManyRegions { regions } = "more than {regions} variables or members may point to the block; `--regions` raises this limit";
        ManyContexts = "a function is called on too many different paths to examine each of them";
        EntryUnknown { function } = "it is not known what points to the block when `{function}` is called";
        PerhapsFrom { place } = "the block may have been allocated at {place}, but no path from there was confirmed";
        NeedsMore = "the proof has steps that cannot be written into a certificate";
        OriginUnknown = "it is not known where the block was allocated";
    }
}

sentences! {
    /// What a statement would lose.
    pub enum Loses {
        HeldBy { holder } = "what members of `{holder}` point to";
        LedToBy { address } = "memory that can be reached through `{address}`";
        Element { array } = "an element of `{array}`";
        Before { what } = "the old value that is replaced by {what}";
        AtJump = "what the variables of the function point to when a `longjmp` leaves it";
        ByLibrary = "what a library function overwrites";
        Result = "the result";
    }
}

/// An operation that is not modelled.
pub(crate) const AGGREGATE_STORED: &str = "an aggregate is stored at once";
/// What is called through a pointer.
pub(crate) const THROUGH_POINTER: &str = "a function that is called through a pointer";
/// What stands for a value that the source does not name, and for one of the caller.
pub(crate) const VALUE: &str = "a value";
pub(crate) const CALLERS_VALUE: &str = "a value of the caller";
pub(crate) const NEW_BLOCK: &str = "the new block";

/// What a proof rests on, in a clause.
pub(crate) const fn assumed(what: Assumed) -> &'static str {
    match what {
        Assumed::TypedMemory => "memory is used with the types it is declared with",
        Assumed::PlainNumbers => "no address is stored in an integer",
        Assumed::CallersKeep => "callers outside of these files keep a pointer to what they pass",
        Assumed::SingleBlocks => "a block that is freed as a structure holds exactly one",
        Assumed::InBounds => "pointer arithmetic stays in its object",
        Assumed::FreshMemory => "newly allocated memory holds no pointers until it is written",
        Assumed::OneThread => "no other thread and no signal handler changes pointers meanwhile",
        Assumed::Beginnings => "blocks are kept by pointers to their beginning",
        Assumed::NoCircles => "blocks that only point to each other in a cycle are not looked for",
        Assumed::Models => "library functions do what the models say",
    }
}
