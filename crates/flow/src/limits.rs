//! The limits of the flow engine: the only table of them. `docs/limits.md` is made from it.

watertight_logic::limits! {
    "Whole program" {
        /// Blocks of a function whose results are looked at.
        RESULT_BLOCKS: usize = 60, 1..=100_000, "results of larger functions are told apart";
        /// Calls inside each other whose results are looked at.
        RESULT_CALLS: usize = 6, 1..=64, "results that come a longer way are told apart";
        /// Calls inside each other that are followed.
        CONTEXT_CALLS: usize = 12, 1..=64, "what travels through more functions is found";
        /// Tests against null that decide each other.
        NULL_TESTS: usize = 4, 1..=64, "longer chains of tests are understood";
        /// Times that a function is gone over until its guards stay as they are.
        GUARD_PASSES: usize = 6, 1..=1_000, "guards of irregular loops are exact";
        /// Blocks that a region without events may have, to be taken for one.
        REGION_BLOCKS: usize = 256, 1..=1_000_000, "larger regions cost nothing; each is looked at as a whole";
        /// Objects that a call of the library may write, found from its arguments.
        WRITTEN_OBJECTS: usize = 64, 1..=100_000, "less is taken to be unchanged after such a call";
        /// Offsets that are looked at to find out whether a cell is one of an array.
        ARRAY_OFFSETS: i64 = 64, 1..=100_000, "larger arrays are recognised";
        /// Objects that the arguments of one call lead to, before nothing is concluded.
        GIVEN_OBJECTS: usize = 64, 1..=100_000, "functions that get much are known better";
        /// Loads and offsets between a parameter and an address.
        GIVEN_STEPS: usize = 8, 1..=64, "deeper structures are understood";
    }
    "One source" {
        /// Nodes of one slice, before it is given up.
        SLICE_NODES: usize = 400, 1..=1_000_000, "addresses that go many ways are followed; most of those are kept somewhere";
        /// Cells that one store may reach, before the address counts as kept.
        STORE_CELLS: usize = 24, 1..=10_000, "the same";
        /// Callers of callers that are asked.
        CALLERS_ASKED: u32 = 8, 1..=64, "what is lost far from where it was acquired is found";
        /// Calls between a source and the function that answers for it, where only some paths hand it over.
        INNER_CALLS: usize = 3, 1..=64, "the same";
        /// The same, where the solver is asked.
        INNER_CALLS_ASKED: usize = 5, 1..=64, "the same";
        /// Questions about one source: callers of callers may be very many.
        SOURCE_QUESTIONS: u32 = 30, 1..=100_000, "more callers get an answer of their own";
        /// Times that the solver is asked about what one call hands to one function.
        HANDED_QUESTIONS: u32 = 4, 1..=1_000, "the same";
        /// Times that guards are taken over along the edges of a slice.
        SLICE_TURNS: usize = 40, 1..=100_000, "slices with long cycles are exact";
        /// Blocks of a path that is told.
        PATH_BLOCKS: usize = 400, 1..=1_000_000, "longer paths are told";
    }
    "One question" {
        /// Steps of operations on guards in one question.
        GUARD_STEPS: u64 = 150_000, 1_000..=100_000_000, "larger questions get an answer";
        /// Cells that one load may read, before its result is unknown.
        LOAD_CELLS: usize = 40, 1..=100_000, "loads through vague pointers are known; each cell is one more choice";
        /// Additions that are taken off an address to find its base.
        BASE_STEPS: usize = 8, 1..=1_000, "nothing: it is enough for any address that was seen";
        /// Things with addresses in one question.
        ADDRESSES: u64 = 16_384, 1..=1_000_000, "nothing: it is enough for any question that was seen";
        /// Terms inside each other.
        TERM_DEPTH: u32 = 150, 1..=10_000, "larger expressions are exact";
        /// Values that one question looks at.
        QUESTION_VALUES: u32 = 6_000, 1..=10_000_000, "larger questions get an answer";
    }
}
