//! Assumptions that can be left out, to see what each of them is worth.
//!
//! In: the numbers of `docs/assumptions.md` that a run is to do without. Out: whether an assumption is made. The code that assumes something asks the
//! set of its run, by name; what is found without an assumption must not be kept for runs that make it.

/// The assumptions of a run: all that are not left out.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Assumptions {
    /// One bit for each that is left out.
    left_out: u64,
}

impl Assumptions {
    /// All but these.
    #[must_use]
    pub fn without(left_out: &[Supposed]) -> Assumptions {
        Assumptions { left_out: left_out.iter().fold(0, |bits, &assumption| bits | 1 << assumption as u32) }
    }

    /// Whether an assumption is made.
    #[must_use]
    pub fn make(self, assumption: Supposed) -> bool {
        self.left_out & (1 << assumption as u32) == 0
    }
}

/// Makes of each line an assumption and its number in `docs/assumptions.md`.
macro_rules! assumptions {
    ($($name:ident = $number:literal,)+) => {
        /// An assumption that can be left out.
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        pub enum Supposed {
            $($name,)+
        }

        impl Supposed {
            /// All of them.
            pub const ALL: &[Supposed] = &[$(Supposed::$name,)+];

            /// Its number in `docs/assumptions.md`.
            #[must_use]
            pub fn number(self) -> u32 {
                match self {
                    $(Supposed::$name => $number,)+
                }
            }
        }
    };
}

assumptions! {
    ListsPointBack = 2,
    OneReference = 3,
    ReleaserKnowsWhy = 5,
    AllocatedHasSize = 8,
    OwnerAnswersForContents = 9,
    MembersHaveAddresses = 12,
    StructSaysWhatItOwns = 15,
    FailureNobodyLooksAt = 16,
    CountsStayBelow = 18,
    JumpsLandWherePrepared = 19,
    StandardStreamsRefilled = 20,
    SeldomIsNoStory = 23,
    EmptierLookedAfter = 24,
    AssertionsHold = 25,
    NothingHandedOverUnknown = 26,
    InsertedIsNew = 27,
    LibraryNeedsArguments = 29,
    NumbersKnownToOthers = 31,
    TextsNotOverrun = 35,
    EnumerationsKeepValues = 36,
    NumbersInStep = 37,
    DroppedResultFills = 38,
    JumpsAwaited = 39,
    ProgramKnows = 41,
    MembersOwn = 42,
    OrdersOnlyLook = 43,
    EveryNodeAlike = 44,
    OutcomesExpected = 45,
    MembersHoldWhatIsPut = 51,
    CountsDoNotWrap = 55,
    QuestionsAnswerAlike = 57,
    ExchangeFindsSomething = 58,
    NarrowedFits = 61,
    ReferencesCounted = 66,
}

const _: () = assert!(Supposed::ALL.len() <= u64::BITS as usize, "each assumption has a bit");

impl Supposed {
    /// The one with this number, if it can be left out.
    #[must_use]
    pub fn numbered(number: u32) -> Option<Supposed> {
        Supposed::ALL.iter().copied().find(|assumption| assumption.number() == number)
    }
}

#[cfg(test)]
mod tests {
    use super::Supposed;

    #[test]
    fn numbers_name_one_assumption_each() {
        for &assumption in Supposed::ALL {
            assert_eq!(Supposed::numbered(assumption.number()), Some(assumption));
        }
        assert_eq!(Supposed::numbered(1), None);
    }
}
