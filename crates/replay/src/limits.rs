//! The limits of replay: the only table of them. `docs/limits.md` is made from it.

watertight_logic::limits! {
    "Runs for one witness" {
        /// Steps of the first run, which may have to get through a long loop.
        FIRST_STEPS: u64 = 200_000, 1_000..=1_000_000_000, "witnesses behind longer loops are followed";
        /// Steps of all other runs.
        RUN_STEPS: u64 = 20_000, 1_000..=1_000_000_000, "the same";
        /// Steps of all runs for one witness that search, and of all that make one choice otherwise.
        SEARCH_STEPS: u64 = 300_000, 1_000..=1_000_000_000, "more witnesses get a verdict";
        /// Choices that are made otherwise together: an entry that is there, and its key that is equal.
        CHANGED_TOGETHER: usize = 2, 1..=16, "rarer inputs are found; pairs of choices are many";
        /// Runs that obey the witness in all it says.
        OBEDIENT_RUNS: u64 = 48, 1..=100_000, "more is tried of what the witness leaves open";
        /// Runs that choose the ordinary in all that the witness leaves open.
        ORDINARY_RUNS: u64 = 2, 1..=100_000, "nothing: they differ little";
        /// Runs after which one that loses it on another way is as good.
        ASTRAY_RUNS: u64 = 16, 0..=100_000, "more runs stay on the way that the witness tells";
        /// Runs after which nobody waits any longer for the call that acquires.
        PATIENT_RUNS: u64 = 32, 1..=100_000, "calls that are hard to come to are found";
        /// All runs that search.
        MOST_RUNS: u64 = 96, 1..=100_000, "more witnesses get a verdict";
        /// Addresses of one run that turned out to be NULL where they must not be, and that are made other ones.
        MOST_REPAIRS: usize = 24, 0..=10_000, "functions that need more of their caller are run";
        /// Steps that go into making a run again for that: a long array of addresses is not worth a search.
        REPAIR_STEPS: u64 = 4_000, 0..=100_000_000, "the same";
        /// Calls that are not made because they fail and have nothing to do with the resource.
        SKIPPED_CALLS: usize = 12, 0..=1_000, "functions that call more which cannot be run are followed";
        /// Runs that look for the same without a failure.
        SPARING_RUNS: u64 = 24, 0..=100_000, "fewer losses are said to need a failure that they do not need";
        /// Runs that are made to get one witness farther.
        CLIMBING_RUNS: u64 = 256, 1..=100_000, "witnesses with more conditions in a row are followed";
        /// Steps of those runs.
        CLIMBING_STEPS: u64 = 300_000, 1_000..=1_000_000_000, "the same";
    }
    "The world of a run" {
        /// Bytes of what is acquired where no model tells a size.
        UNTOLD_BYTES: u64 = 512, 1..=1_000_000, "functions that write beyond it are run to their end";
        /// Bytes of a block; larger ones are not made.
        LARGEST_BLOCK: u64 = 1_048_576, 1_024..=1_000_000_000, "functions that need more memory are run";
        /// Bytes that are taken to have changed where something was written of which no size is told.
        WRITTEN_BYTES: u64 = 4_096, 1..=1_000_000, "fewer runs rest on old contents";
        /// Links followed from an argument before they end.
        FILLED_LINKS: usize = 6, 1..=64, "deeper structures of the caller's are there";
        /// Offset in an array of addresses from which its entries are seldom there.
        FAR_BYTES: i64 = 24, 0..=1_000_000, "longer arrays of the caller's";
        /// Characters of a text that is made to order.
        LONGEST_TEXT: u64 = 200, 1..=100_000, "longer texts are made as the witness needs them";
        /// Nested structs and arrays on the way to a scalar.
        TYPE_LEVELS: usize = 12, 1..=64, "nothing: it is enough for any type that was seen";
        /// Blocks of a run that are remembered.
        BLOCKS_PASSED: usize = 4_096, 1..=10_000_000, "longer runs are told";
        /// Comparisons of a run that are remembered, as hints for what else to try.
        COMPARED: usize = 8_192, 0..=10_000_000, "longer runs are led by what they compare";
        /// Alternatives of one choice that come from comparisons.
        MOST_HINTS: usize = 12, 0..=1_000, "more of what a run compares is tried; each is a run";
        /// Numbers of addresses so near to each other may be those of one object.
        NEAR_BYTES: u64 = 4_096, 0..=1_000_000, "larger objects are told by the addresses of a witness";
        /// Events of a run.
        MOST_EVENTS: usize = 400, 1..=1_000_000, "longer runs are told";
        /// Choices between constants that are looked through.
        CHOICE_DEPTH: u32 = 4, 1..=64, "more constants of a function are tried as inputs";
        /// Merges, copies and tests that are followed to the calls that decide a result.
        NEEDS_DEPTH: u32 = 48, 1..=256, "results that are decided in a longer way are known to need a failure";
        /// Numbers remembered of one function, which are tried as inputs.
        TRIED_NUMBERS: usize = 64, 1..=10_000, "the same";
    }
}
