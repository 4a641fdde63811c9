//! What engines say, by name.
//!
//! An engine knows no sentence: it says which [`Said`] happens at a step, which [`Assumed`] thing a story rests on, and fills in names. The
//! sentences stand here, all of them, so that they can be read as a whole, and `docs/messages.md` lists them. They use the neutral words
//! *acquire* and *release*; checkers turn these into what people say of a kind of resource (*allocate*, *close*).
//!
//! What must hold: every sentence is a clause without a final dot, has names in quotes, and is told by the engines in one place each. `tidy`
//! complains about sentences in an engine.
//!
//! ```
//! use watertight_finding::Said;
//! let text = String::from(Said::AcquiresInto { by: "strdup", noun: "memory", held: "copy" });
//! assert_eq!(text, "`strdup` acquires memory here, stored in `copy`");
//! assert!(Said::ALL.contains(&"`{by}` acquires {noun} here, stored in `{held}`"));
//! ```

/// Declares an enumeration of sentences. Each has a name and blanks, which are filled with texts; `ALL` lists the sentences with their blanks.
#[macro_export]
macro_rules! sentences {
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($variant:ident $({ $($field:ident),+ })? = $text:literal;)+
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $name<'a> {
            $(
                #[doc = $text]
                $variant $({ $(#[doc = "Filled in."] $field: &'a str),+ })?,
            )+
        }

        impl $name<'_> {
            /// Every sentence, with its blanks in braces.
            pub const ALL: &'static [&'static str] = &[$($text),+];
        }

        impl std::fmt::Display for $name<'_> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match *self {
                    $($name::$variant $({ $($field),+ })? => write!(f, $text $($(, $field = $field)+)?),)+
                }
            }
        }

        impl From<$name<'_>> for String {
            fn from(sentence: $name<'_>) -> String {
                sentence.to_string()
            }
        }
    };
}

sentences! {
    /// What happens at a step of a path.
    pub enum Said {
        Acquires { by, noun } = "`{by}` acquires {noun} here";
        AcquiresInto { by, noun, held } = "`{by}` acquires {noun} here, stored in `{held}`";
        AcquiresIt { by } = "`{by}` acquires it here";
        AcquiredByCall = "a call acquires it here";
        AsWell { event } = "{event}: a second block, which leaks with the first";
        Contains { noun, by } = "it points to {noun} that `{by}` acquires here, which leaks too";
        FillsMember { by, member } = "`{member}` points to what `{by}` acquires here";
        StoresNew { by, member } = "`{by}` stores newly allocated memory in `{member}` here";
        Unlinks { by, held } = "`{by}` removes `{held}` from its list here";
        Unlinked { held } = "`{held}` is removed from its list here";
        Removes { by, member, held } = "`{by}` removes it from `{member}` here, and `{held}` now points to it";
        Removed { member, held } = "it is removed from `{member}` here, and `{held}` now points to it";
        AlsoFrom { held } = "`{held}` may also come from here, and leaks in the same way";
        CalledWhile { function, held } = "`{function}` is called while {held} points to an allocated block";

        Is { subject, value } = "`{subject}` is {value}";
        IsNot { subject, value } = "`{subject}` is not {value}";
        True { condition } = "`{condition}` is true";
        False { condition } = "`{condition}` is false";
        ConditionTrue = "the condition is true";
        ConditionFalse = "the condition is false";
        BranchTaken = "this branch is taken";
        ValueIs { value } = "the value is {value}";
        NoCase { subject } = "`{subject}` matches no case";
        OneCase { subject } = "`{subject}` matches one of the cases";
        SomeCase = "one of the cases is taken";

        Calls { caller, callee } = "`{caller}` calls `{callee}` here";
        CallsPointer { caller } = "`{caller}` calls a function through a pointer here";
        CallsInState { caller, callee } = "`{caller}` calls `{callee}` here, with values that lead to this path";
        IsCalled { function } = "`{function}` is called";
        Returns { function } = "`{function}` returns";
        Fails { function } = "`{function}` fails here";
        FailsWith { function, value } = "`{function}` fails here and returns {value}";
        NotStored { function } = "`{function}` does not store it";
        NotStoredWith { function, value } = "`{function}` returns {value} and does not store it";
        MacroMakes { function } = "the same macro also defines `{function}`, which has the same mistake";
        MacroMakesTwo { function } = "the same macro also defines `{function}` and one more function, which have the same mistake";
        MacroMakesMany { function, more } = "the same macro also defines `{function}` and {more} more functions, which have the same mistake";

        After { by, noun, is, state } = "after {by}, the {noun} {is} {state}";
        AfterAsOnEntry { by, noun, is } = "after {by}, the {noun} {is} no longer held by this function";
        AcquiresMore { by, noun, is } = "after {by}, the {noun} {is} held once more than at the beginning of this function";
        ReleasesOnce { by, noun, is } = "after {by}, the {noun} {is} held once less than at the beginning of this function";
        ChangesState { by, noun } = "{by} changes the state of the {noun}";
        ReturnsWhile { noun, is, state } = "the function returns while the {noun} {is} {state}";

        SaysAcquired { annotation } = "`{annotation}` says that the lock is held when the function returns";
        SaysReleased { annotation } = "`{annotation}` says that the function releases the lock";
        SaysHeld { annotation } = "`{annotation}` says that the caller holds the lock";
        SaysTried { annotation } = "`{annotation}` says that the lock is held when the function succeeds";
        LockedThough = "the function locks it here although the caller already holds it";
        NoPathAcquires = "no path through the function returns with the lock held";
        NoPathReleases = "no path through the function releases the lock";
        NoPathKeeps = "no path through the function leaves the lock as it was on entry";
        NoPathTries = "no path through the function returns success with the lock held";

        Releases { by } = "`{by}` releases it";
        Released = "it is released";
        ReleasesHere { by } = "{by} releases it here";
        ReleasesMember { by, member } = "`{by}` releases `{member}`";
        ReleasedElsewhere = "another path releases it here";
        ReleasedAgain = "it is released again here";
        ReadAfter = "it is read here";
        WrittenAfter = "it is written here";
        UsedAfter = "it is used here";

        ProgramEnds = "the program ends here without releasing it";
        StillHeld { globals } = "{globals} still points to it when the program ends, and nothing releases it";
        NextOverwrites { held } = "the next iteration of the loop overwrites `{held}`: it leaks";
        Overwritten { held } = "`{held}`, the last reference to it, is overwritten here: it leaks";
        OverwrittenHere = "the last reference to it is overwritten here: it leaks";
        OwnerFreed { by, owner } = "{by} frees {owner}, which holds the last reference to it: it leaks";
        HolderFreed { held } = "`{held}`, the last reference to it, is in the block that is freed here: it leaks";
        OutOfScope { held } = "`{held}`, the last reference to it, goes out of scope here: it leaks";
        NotKept = "the result is not stored anywhere: it leaks";
        ResultNotKept { function } = "the result of `{function}` is not stored anywhere: it leaks";
        LongJump { it } = "a `longjmp` leaves the function without releasing {it}: it leaks";
        ReturnsWithout { it } = "the function returns without releasing {it}: it leaks";
        NextIteration { it } = "the next iteration begins here, and {it} has not been released: it leaks";
        NotReleased = "it has not been released on this path: it leaks";
        ReplacementFails { by } = "if `{by}` fails here, its result overwrites the last reference to the old block";
        MemberLeaks { releaser, owner, member } = "`{releaser}` releases `{owner}` but not {member}: it leaks";
        MembersLeak { releaser, owner, members } = "`{releaser}` releases `{owner}` but not {members}: they leak";
        MemberOverwritten { member } = "`{member}` is overwritten here: what it pointed to leaks";
        MemberLeftOut { function, owner, member } = "`{function}` releases other members of `{owner}`, but not {member}: it leaks";
        MembersLeftOut { function, owner, members } = "`{function}` releases other members of `{owner}`, but not {members}: they leak";
        HolderLeft { function, member, owner } = "`{function}` releases what `{member}` points to, but not `{owner}`: it leaks";
        NeitherElsewhere { held } = "`{held}` is neither released nor stored elsewhere: it leaks";
        NeitherOnReturn { held } = "`{held}` is neither released nor stored anywhere when the function returns: it leaks";
        NeitherOnReturnOf { held, value } = "`{held}` is neither released nor stored anywhere when the function returns {value}: it leaks";
    }
}

sentences! {
    /// What was assumed about code that is not known, or that a story contradicts.
    pub enum Assumed {
        KeepsNot { by, held } = "{by} does not store or release `{held}`";
        KeepsItNot { by } = "{by} does not store or release it";
        KeepsArgumentsNot { by } = "{by} does not store or release its arguments";
        BehaveAlike { pointer, function } = "every function that `{pointer}` may point to behaves like `{function}`";
        CallerReleases { function } = "the caller of `{function}` must release what it returns, as this call site does";
        CallerReleasesArgument { function, number } = "the caller of `{function}` must release what it returns through argument {number}, as this call site does";
        CallerReleasesWith { function, releaser } = "the caller of `{function}` must release what it returns, with `{releaser}`, as here";
        PairedByName { releaser, function } = "`{releaser}` releases what `{function}` returns, judging by their names";
        AllocatesByName { function, known } = "`{function}` allocates memory like `{known}`, judging by its name";
        OnlyCallNotNull { function, name } = "`{function}` is called with NULL for `{name}`, although the only call in the program passes a pointer that is not NULL";
        NoCallNull { function, name, calls } = "`{function}` is called with NULL for `{name}`, although all {calls} calls in the program pass a pointer that is not NULL";
        OnlyCallPasses { function, name, values } = "`{function}` is called with a `{name}` other than {values}, but the only call in the program passes {values}";
        AllCallsPass { function, name, calls, values } = "`{function}` is called with a `{name}` other than {values}, but all {calls} calls in the program pass {values}";
        OnlyStores { name, values } = "`{name}` is something other than {values}, although the program stores only {values} in it";
        OnlyBits { name, bits } = "`{name}` has bits set outside {bits}, although the program never sets any others";
        NoSuchCall { function } = "`{function}` is called with arguments that no call in the program passes";
        NoCallWith { function, needs } = "`{function}` is called with arguments that no call in the program passes: {needs}";
    }
}

/// What a lock is when the annotation of its function says otherwise: said of the lock in a title.
pub mod contradicted {
    /// The caller is said to hold it.
    pub const LOCKED: &str =
        "is locked, but the annotation of the function says that the caller already holds it";
    /// It is said to be acquired.
    pub const NOT_HELD: &str = "is not held on return, but the annotation of the function says that it is";
    /// It is said to be released.
    pub const NOT_RELEASED: &str = "is not released, but the annotation of the function says that it is";
    /// It is said to be held before and after.
    pub const CHANGED: &str = "is not left as it was, but the annotation of the function says that the caller holds it before and after";
    /// It is said to be held on success.
    pub const NOT_HELD_ON_SUCCESS: &str =
        "is not held on success, but the annotation of the function says that it is";
}

/// Why an engine gives up a function.
pub const GIVEN_UP: &str = "it has too many paths";

/// What stands for the name of a function that is called through a pointer.
pub const BY_POINTER: &str = "a function pointer";

/// What stands for the name of code that nothing is known of.
pub const UNKNOWN_CODE: &str = "unknown code";

/// A function by its name, in quotes; what has no name is said as it is.
#[must_use]
pub fn named(function: &str) -> String {
    match function {
        BY_POINTER | UNKNOWN_CODE => function.to_owned(),
        name => format!("`{name}`"),
    }
}

/// A global by its name, in quotes.
#[must_use]
pub fn named_global(name: &str) -> String {
    format!("the global `{name}`")
}

/// Several things of which none or any is meant: "0", "0 or 1", "`a`, `b` or `c`".
#[must_use]
pub fn either(things: &[String]) -> String {
    match things {
        [] => String::new(),
        [only] => only.clone(),
        [others @ .., last] => format!("{} or {last}", others.join(", ")),
    }
}

/// What a sentence is about: a name in quotes, or "it".
#[must_use]
pub fn name_or_it(name: Option<&str>) -> String {
    name.map_or_else(|| "it".to_owned(), |name| format!("`{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_clauses_with_names_in_quotes() {
        for text in Said::ALL.iter().chain(Assumed::ALL) {
            assert!(!text.ends_with('.') && text.matches('`').count() % 2 == 0, "{text}");
            assert_eq!(text.matches('{').count(), text.matches('}').count(), "{text}");
        }
        assert_eq!(named("free"), "`free`");
        assert_eq!(named(BY_POINTER), "a function pointer");
        assert_eq!(name_or_it(None), "it");
        let things = ["a", "b", "c"].map(str::to_owned);
        assert_eq!((either(&things), either(&things[..1])), ("a, b or c".to_owned(), "a".to_owned()));
    }

    #[test]
    fn no_sentence_is_there_twice() {
        let mut all: Vec<&str> = Said::ALL.iter().chain(Assumed::ALL).copied().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
