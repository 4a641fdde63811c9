//! The limits of the prove engine: the only table of them. `docs/limits.md` is made from it.

watertight_logic::limits! {
    "One statement" {
        /// Transfer functions that may be applied for one statement.
        TRANSFERS: u32 = 20_000, 1..=100_000_000, "more statements are proved or shown to lose something; those that are not take longer";
        /// Regions that may refer to a cell.
        REGIONS: u32 = 50, 1..=100_000, "fewer cells are taken to be referred to from anywhere";
        /// Cells of one kind that are kept apart at a point before they are joined.
        ALIKE_CELLS: usize = 6, 1..=1_000, "fewer proofs fail because ways were joined; loops take longer";
        /// The same when only shapes are kept: as in the paper.
        ALIKE_SHAPES: usize = 2, 1..=1_000, "the same";
        /// What is known at the end of one function that is kept apart.
        CONTEXTS: usize = 12, 1..=1_000, "the same for callers";
        /// Transfer functions that are spent on the question whether the program can come to an acquisition.
        PURSUIT: u32 = 400, 1..=1_000_000, "fewer traces that no run can take";
        /// The solver is asked once for so many transfer functions that may be applied.
        TRANSFERS_PER_QUESTION: u32 = 8, 1..=1_000, "fewer questions, and more traces that no run can take";
        /// Calls in calls that are entered.
        CALL_DEPTH: u32 = 24, 1..=1_000, "what is lost deeper down is found";
        /// Cases of a switch of which its default says that they are not.
        CASES_DENIED: usize = 8, 1..=1_000, "larger switches are understood";
        /// Values of callers that are kept in mind at one time.
        GHOSTS: u32 = 6, 1..=1_000, "more is known on the way back into callers";
        /// Cases that are told apart at one assignment, one after the other.
        ASSIGN_CASES: usize = 3, 1..=64, "stores through vague pointers are exact; cells multiply";
    }
    "What is known of a cell" {
        /// Tagged entries of one region that are kept; beyond that, the whole region may refer to the cell.
        REGION_TAGS: usize = 4, 1..=1_000, "fewer proofs fail for want of detail; cells that differ only in it are told apart";
        /// Expressions larger than this are forgotten, which keeps loops from making ever larger ones.
        LARGEST_EXPRESSION: u32 = 40, 1..=100_000, "the same";
        /// The same for expressions that are deeper than this.
        DEEPEST_EXPRESSION: u32 = 7, 1..=1_000, "the same";
        /// The same for conditions on the way to an acquisition, where nothing but they keeps rounds of a loop apart.
        DEEPEST_TO_ACQUISITION: u32 = 4, 1..=1_000, "the same";
        /// Expressions that surely refer to the cell and are kept.
        MOST_HITS: usize = 8, 1..=1_000, "the same";
        /// Expressions that surely do not.
        MOST_MISSES: usize = 16, 1..=1_000, "the same";
        /// Conditions that are kept.
        MOST_CONDITIONS: usize = 20, 1..=1_000, "the same";
        /// Times that conclusions are drawn from what is known of a cell.
        CONCLUSIONS: usize = 3, 1..=64, "longer chains of conclusions are drawn";
        /// Disjunctions of which the cases are tried, at one time.
        CLOSURE_CASES: u32 = 4, 1..=64, "more contradictions are found; each doubles the work";
        /// Expressions that are looked at; beyond that nothing is concluded.
        CLOSURE_NODES: usize = 400, 1..=1_000_000, "larger cells are decided";
        /// Times that bounds are carried along comparisons.
        ORDER_PASSES: usize = 2, 1..=64, "bounds along longer chains of comparisons are known";
    }
    "Pointers and types" {
        /// Functions that are looked at to know what one writes; beyond that it may do anything.
        WRITERS: usize = 64, 1..=100_000, "effects of functions that call much are known";
        /// Locations that are told apart; beyond that an expression may point anywhere.
        LOCATIONS: usize = 64, 1..=100_000, "vague pointers are known better";
        /// Locations that are gathered to find those, some of them more than once.
        LOCATIONS_FOUND: usize = 512, 1..=1_000_000, "the same";
        /// Types in types that are followed.
        TYPE_DEPTH: usize = 24, 1..=1_000, "nothing: it is enough for any type that was seen";
        /// Objects that one pointer is said to lead to; beyond that it may lead anywhere.
        VIEWED_OBJECTS: usize = 200, 1..=100_000, "vague pointers are known better";
        /// Passes over the program until it is given up and every address counts as disguised.
        VIEW_PASSES: usize = 60, 1..=100_000, "nothing: it is enough for any program that was seen";
    }
    "The solver" {
        /// Memory accesses that are compared with each other.
        DEREFERENCES: usize = 24, 1..=10_000, "questions about more accesses are exact; pairs of them are compared";
        /// Conflicts in one question.
        CONFLICTS: u64 = 200, 1..=10_000_000, "harder questions get an answer";
        /// Gates of one question.
        GATES: u64 = 20_000, 1..=100_000_000, "larger questions get an answer";
    }
}
