//! Every sentence of this engine: why there is no answer, what a statement would lose, what a proof rests on.
//!
//! What happens on a path is said by [`watertight_finding::Said`]. `docs/messages.md` lists both.

use crate::verdict::Assumed;
use watertight_finding::sentences;

sentences! {
    /// Why a question has no answer.
    pub enum Why {
        NotAReturn = "it is not a return";
        NotAStatement = "it is not a statement";
        NotProbed = "it is not a statement that can lose memory";
        PartOfPointer = "a number is written over a part of what may be a pointer";
        NotModelled { what } = "{what} is not modelled";
        FunctionNotModelled { function, why } = "`{function}` is not modelled: {why}";
        CallerNotModelled { function, why } = "`{function}`, which calls it, is not modelled: {why}";
        Exceptions = "it handles exceptions";
        Setjmp = "it calls `setjmp`";
        VariableArguments = "it takes variable arguments";
        Overwritten = "which references are overwritten is not known";
        OverwrittenByLibrary = "which references the library function overwrites is not known";
        NoVariable = "there is no such variable";
        ReleasesNothing = "it releases nothing";
        TypeUnknown = "the type of the block that is released is not known";
        Elements = "the elements of the array are not distinguished";
        NoResult = "it has no result";
        NoBody = "it has no body";
        OtherBlock = "the result is used elsewhere in the function";
        NoModel = "it is not a call of a library function with a model";
        AcquiredByCall = "the call itself may acquire what it overwrites";
        Jump { function, callee } = "`{function}` may be left by a long jump in {callee}";
        Circle = "it may be in a circle of blocks that nothing else refers to";
        Middle = "the pointer may point to a member in the middle of a block, from which the program computes where the block begins";
        UnknownCode { name } = "nothing is known about {name}, which may change or acquire anything";
        UnknownKeeper { function } = "nothing is known about what {function} keeps";
        LibraryCallsBack = "a library function calls a function through a pointer";
        BudgetSpent { transfers } = "the budget of {transfers} steps is spent";
        ManyRegions { regions } = "references to it may be in more than {regions} groups of variables";
        ManyContexts = "a function on the path is called in too many different states";
        EntryUnknown { function } = "nothing is known about what refers to the block when `{function}` is called";
        PerhapsFrom { place } = "the block may come from {place}, but that is not certain";
        OriginUnknown = "where the block comes from is not known";
    }
}

sentences! {
    /// What a statement would lose.
    pub enum Loses {
        HeldBy { holder } = "what `{holder}` holds";
        LedToBy { address } = "what `{address}` leads to";
        Element { array } = "an element of `{array}`";
        Before { what } = "what is there before {what}";
        AtJump = "what its variables hold at a jump";
        ByLibrary = "what the library overwrites";
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
        Assumed::PlainNumbers => "numbers hold no addresses",
        Assumed::CallersKeep => "callers from outside keep a reference to what they pass",
        Assumed::SingleBlocks => "a block that is released as a record holds one of them",
        Assumed::InBounds => "pointer arithmetic stays in its object",
        Assumed::FreshMemory => "memory that was acquired and not written holds no references",
        Assumed::OneThread => "no other thread and no signal handler changes references meanwhile",
        Assumed::Beginnings => "blocks are kept by pointers to their beginning",
        Assumed::NoCircles => "blocks that only refer to each other in a circle are not looked for",
        Assumed::Models => "library functions do what the models say",
    }
}
