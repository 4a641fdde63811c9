//! The limits of what is asked around the engines: the only table of them. `docs/limits.md` is made from it.

watertight_logic::limits! {
    "How urgent a loss is" {
        /// Callers of callers that are looked at to see whether the process is ending.
        CALLERS_ENDING: usize = 24, 1..=1_000, "losses further from `main` are told to be at its end";
        /// Callers through which a command line is followed.
        CALLERS_COMMANDS: usize = 8, 1..=1_000, "commands that are passed on further are known";
        /// Calls of one function that are looked at.
        CALLS_OF_ONE: usize = 256, 1..=100_000, "functions that are called from more places can end the process";
        /// States (a block, and what is known of values there) behind one call.
        STATES_BEHIND: usize = 4_096, 1..=1_000_000, "longer ways to the end are followed";
        /// Operations between a value and a test of it.
        OPERATIONS_TO_TEST: u32 = 8, 1..=64, "tests of computed values are decided";
    }
    "Proofs" {
        /// Transfer functions for all statements of a program together.
        TRANSFERS_IN_ALL: usize = 1_500_000, 1..=1_000_000_000, "more statements of large programs get an answer";
        /// Transfer functions for one statement of a large program.
        TRANSFERS_LEAST: usize = 500, 1..=1_000_000, "the same";
        /// Transfer functions for one statement of a small program.
        TRANSFERS_MOST: usize = 20_000, 1..=1_000_000, "hard statements of small programs get an answer";
    }
    "Runs held against the engine" {
        /// Runs of each function.
        RUNS_OF_ONE: u64 = 32, 1..=100_000, "rarer losses are seen to be missing";
    }
    "What is told" {
        /// Steps of what callees do, in the story of one finding: the last ones before the loss say most.
        INNER_STEPS: usize = 6, 1..=1_000, "longer stories";
        /// Outcomes of a function that are kept in words. Some functions have hundreds, and nobody reads them all.
        KEPT_OUTCOMES: usize = 4, 1..=1_000, "longer contracts on the pages";
        /// Effects of each outcome that are kept in words.
        KEPT_EFFECTS: usize = 12, 1..=1_000, "the same";
        /// Bytes of words that are kept.
        KEPT_BYTES: usize = 2_000, 1..=1_000_000, "the same";
        /// Names that are offered when there is no function of the name asked for.
        NEAR_NAMES: usize = 3, 1..=100, "more to choose from";
    }
    "Annotations in comments" {
        /// Bytes of a file that is read: longer ones are made by programs.
        FILE_BYTES: u64 = 4_194_304, 1..=1_073_741_824, "annotations in longer files count";
        /// Directories above those of the program's files in which headers are looked for.
        FOLDERS_ABOVE: usize = 3, 1..=64, "headers further away are found";
        /// Tokens that the macros of one declaration become.
        MACRO_TOKENS: usize = 10_000, 1..=1_000_000, "declarations out of larger macros are understood";
    }
}
