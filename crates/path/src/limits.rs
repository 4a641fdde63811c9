//! The limits of the path engine: the only table of them.
//!
//! Limits count steps, nodes, copies and links, never seconds, so every machine gives the same answers. They were chosen on the
//! truth bench and on large programs; each line says what more of it brings (`docs/limits.md` is made from them). Where a budget ends, what was
//! evaluated before stands (`machine/tail.rs`), and the rest of the function is told with less confidence.

use watertight_logic::guard::GuardLimits;

watertight_logic::limits! {
    "Budgets of a function" {
        /// Steps per function and look: one for an instruction, and one for eight steps of guard operations.
        STEPS: u64 = 30_000, 1_000..=10_000_000, "larger functions are looked at closely to their end; the largest take longer before they are told in brief";
        /// Steps of one guard operation in a look with all that callees do.
        CLOSE_GUARD_STEPS: u32 = 1_000, 100..=1_000_000, "the same";
        /// Nodes of guards in such a look.
        CLOSE_NODES: usize = 20_000, 1_000..=10_000_000, "the same; with 400,000 SQLite takes four times as long";
        /// Steps of one guard operation in a look with few turns of loops, which comes after a close one that failed.
        PATIENT_GUARD_STEPS: u32 = 5_000, 100..=1_000_000, "fewer functions are told in brief";
        /// Nodes of guards in such a look.
        PATIENT_NODES: usize = 60_000, 1_000..=10_000_000, "fewer functions are told in brief";
        /// How many times the steps of a close look such a look gets.
        PATIENCE: u64 = 3, 1..=100, "fewer functions are told in brief";
        /// Such a look is made where the close one got through one part in so many of the copies of blocks.
        HOPEFUL: usize = 3, 1..=1_000, "fewer functions are told in brief; most of those that got less far through a close look fail again";
        /// Nodes of guards in a look with what callees do told in brief.
        BRIEF_NODES: usize = 40_000, 1_000..=10_000_000, "fewer functions are given up";
        /// Nodes of guards in a round of a recursion that the next one replaces.
        ROUND_NODES: usize = 8_000, 1_000..=10_000_000, "recursion is known better after its first round; each round costs more";
        /// A round gets one part in so many of the steps.
        ROUND_PART: u64 = 8, 1..=1_000, "rounds cost less and know less";
        /// How often a recursive component is summarised before it is taken as it is.
        ROUNDS: u32 = 2, 1..=16, "recursion is known better; every round evaluates all members again";
        /// A component with more members has one round: hardly any member is on all paths through the others, and each has one more turn after the rounds.
        MEMBERS_OF_MANY_ROUNDS: usize = 20, 1..=10_000, "large recursive components are known better, at the price of as many evaluations";
        /// Nodes of guards where nothing is acquired or released. Most of these functions need less, and of the others nothing is lost by knowing nothing.
        UNTOUCHED_NODES: usize = 2_500, 100..=10_000_000, "results of functions without resources are told apart more finely; most functions are of this kind";
        /// Steps of such a function.
        UNTOUCHED_STEPS: u64 = 1_000, 100..=10_000_000, "the same";
        /// Steps of one guard operation once the steps of a look that persists are spent; one that takes more becomes a name.
        NAMED_GUARD_STEPS: u32 = 64, 8..=1_000_000, "more is seen of guards before the solver is asked; the largest functions take longer";
        /// Steps that such a look has left then.
        NAMED_STEPS: u64 = 100_000, 1_000..=100_000_000, "fewer functions are given up";
        /// The same for each copy of a block.
        NAMED_NODE_STEPS: u64 = 200, 10..=10_000_000, "the same; memory grows with it";
        /// Questions to the solver about such a function; beyond, what it may lose is undecided.
        NAMED_QUESTIONS: u64 = 40, 0..=1_000_000, "more is known of what the largest functions lose; such questions are long";
        /// Conflicts that the solver meets in them.
        NAMED_CONFLICTS: u64 = 300, 0..=100_000_000, "the same";
        /// Steps for each block near an exit when the budget of a look has ended.
        TAIL_STEPS: u64 = 10_000, 100..=10_000_000, "more exits stand of a function whose budget has ended";
        /// Steps of one guard operation there.
        TAIL_GUARD_STEPS: u32 = 20_000, 100..=10_000_000, "the same";
        /// Nodes of guards there, beside those there are.
        TAIL_NODES: usize = 40_000, 100..=10_000_000, "the same";
        /// How large the guard of a way there may be.
        TAIL_GUARD: usize = 200, 1..=100_000, "the same";
        /// Blocks from a place to all its exits.
        TAIL_BLOCKS: usize = 12, 1..=1_000, "the same";
        /// How often a function is evaluated again because a loop cannot be left within its iterations; each pass gives at least one more loop one iteration that stands for any.
        PASSES: u32 = 4, 1..=64, "functions with more nested loops of that kind are evaluated; each pass costs as much as the first";
        /// Instructions of a function that only moves states and is looked at closely.
        SMALL: usize = 120, 1..=100_000, "more of what changes locks and other states is known; most such functions are of no interest";
        /// Steps that a copy of a block costs beside its instructions.
        NODE_STEPS: u64 = 2, 0..=100, "budgets end earlier in functions with many small blocks";
        /// Steps that a callback costs beside those of its effects.
        CALLBACK_STEPS: u64 = 8, 0..=1_000, "budgets end earlier where callees call back";
        /// Parts of about equal work into which a program is divided; levels of the call graph are not divided, so there may be fewer.
        EPOCHS: usize = 24, 1..=1_000, "memory is given back more often; fewer functions can run at the same time";
    }
    "Loops" {
        /// Iterations of an outermost loop.
        OUTER_TURNS: u32 = 4, 1..=64, "loops are followed exactly through more iterations; every copy of a block costs the same again";
        /// Iterations of a loop inside another.
        INNER_TURNS: u32 = 3, 1..=64, "the same";
        /// Iterations of an outermost loop that a variable steers which is set to several constants.
        STATE_TURNS: u32 = 8, 1..=64, "longer state machines are followed to their end";
        /// Copies of blocks up to which loops run more than once.
        EASY_COPIES: usize = 100, 1..=100_000, "larger loops are followed exactly";
        /// Copies of blocks up to which loops have an iteration that stands for later ones.
        GENERAL_COPIES: usize = 300, 0..=100_000, "the same";
        /// Copies of blocks in all; a body with more is not unrolled.
        MOST_COPIES: usize = 1_500, 10..=1_000_000, "fewer of the largest functions are given up";
        /// The same in a look that persists.
        MOST_NAMED_COPIES: usize = 20_000, 10..=10_000_000, "nothing: it is enough for any function that was seen";
        /// Copies of blocks times effects of callees up to which loops run more than once.
        EASY_WORK: usize = 8_000, 1..=10_000_000, "loops that call much are followed through more iterations";
        /// Blocks that the last pass of a loop goes through.
        LAST_PASS_BLOCKS: usize = 12, 1..=1_000, "ways out of large loops are told apart; each is one more copy";
        /// Values that are looked at to see that an address only moves.
        MOVED_VALUES: usize = 16, 1..=1_000, "longer computations of a cursor are understood";
        /// Pairs of a cut and a value that are looked at; beyond, nothing is said of what is lost while a loop goes on.
        ITERATION_PAIRS: usize = 2_000, 1..=1_000_000, "losses in functions with very many loops are found";
        /// Additions that are looked through for the bounds of a sum.
        SUM_DEPTH: u32 = 6, 1..=64, "bounds of longer sums are known";
        /// The largest constant that bounds a loop which is better followed to its end.
        COUNTED_TURNS: u64 = 8, 0..=1_000, "loops over more elements are not taken for scanning of text";
        /// Values that are looked at to see which constants a variable may have.
        STEERED_VALUES: usize = 40, 1..=10_000, "larger state machines are recognised";
        /// The fewest states that make more iterations necessary than any loop gets.
        FEWEST_STATES: usize = 3, 1..=100, "fewer loops are followed longer";
        /// Values that are looked at to see that a value leads along links.
        LINK_VALUES: usize = 12, 1..=1_000, "longer steps from node to node are understood";
    }
    "Values and memory" {
        /// Alternatives a value may have before they are merged.
        MOST_LEAVES: usize = 24, 2..=10_000, "pointers with many targets stay exact; guards grow with each alternative";
        /// The same where details are left out.
        MOST_BRIEF_LEAVES: usize = 8, 2..=10_000, "the same";
        /// Pairs of alternatives of two operands; more are merged before they are combined.
        OPERAND_PAIRS: usize = 36, 1..=10_000, "arithmetic on values with many alternatives stays exact";
        /// Alternatives that are merged into one number by a choice; more become one unknown.
        MERGED_LEAVES: usize = 6, 1..=1_000, "the same; each choice makes the formulas that use it larger";
        /// Objects that are searched for one that others can read.
        SEARCHED_OBJECTS: usize = 100, 1..=100_000, "the same in functions with more objects";
        /// Steps of a name for something of the caller's; beyond, it is just somewhere.
        LONGEST_PATH: usize = 4, 1..=64, "deeper structures of the caller's are told apart, and summaries grow";
        /// Addresses in a cell of others' where details are left out.
        MOST_BRIEF_ADDRESSES: usize = 4, 1..=1_000, "large functions are known better";
        /// Numbers in such a cell.
        MOST_BRIEF_NUMBERS: usize = 2, 1..=1_000, "the same";
        /// Values written at unknown offsets that a read takes into account.
        MOST_SCATTERED: usize = 6, 1..=1_000, "arrays written at variable indices are known better; each is one more alternative";
        /// Stores over addresses that are remembered.
        MOST_OVERWRITES: usize = 10_000, 1..=10_000_000, "nothing: it is enough for any function that was seen";
        /// Characters of a string that is taken for a condition.
        LONGEST_ASSERTION: usize = 200, 1..=100_000, "longer assertions are recognised";
        /// Copies of copies that are followed back to where a value came from.
        COPY_CHAIN: u32 = 8, 1..=1_000, "structures that are copied on and on keep what they hold";
        /// Links of one object to others it was copied from; with more, cells not read yet are unknown.
        COPY_LINKS: usize = 24, 1..=10_000, "the same";
        /// Elements of one array that iterations which were left out have passed.
        LEFT_OUT_ELEMENTS: usize = 32, 0..=10_000, "larger arrays are known to be released by a loop; each element is a call";
        /// Elements of one array that an index is compared with.
        TESTED_ELEMENTS: usize = 8, 1..=1_000, "larger arrays at variable indices are told apart; each comparison is a condition";
    }
    "Calls" {
        /// Nodes of a chain that an effect on each node is carried out on.
        CHAIN_NODES: usize = 48, 1..=10_000, "longer chains of our own are released to their end";
        /// Iterations of an outermost loop in a function that is followed in the memory of its caller.
        FOLLOWED_OUTER_TURNS: u32 = 8, 1..=64, "functions that rearrange longer chains of their callers are followed";
        /// The same for a loop inside another.
        FOLLOWED_INNER_TURNS: u32 = 4, 1..=64, "the same";
        /// The same for a loop that a state steers.
        FOLLOWED_STATE_TURNS: u32 = 8, 1..=64, "the same";
        /// Copies of blocks of such a function.
        FOLLOWED_COPIES: usize = 200, 1..=100_000, "the same";
        /// Instructions of such a function.
        REARRANGING: usize = 80, 1..=100_000, "the same";
        /// How often such a function may call itself.
        FRAMES: u32 = 12, 1..=1_000, "the same";
        /// Calls of functions of the caller's that are remembered for the summary.
        MOST_DEFERRED: usize = 8, 1..=1_000, "callers know more of what their functions get; summaries grow";
        /// Merges of the answer that are followed to see that a callee orders what it is given.
        ORDER_MERGES: usize = 4, 1..=64, "longer ways to an answer are understood";
        /// Releases of one object that are remembered.
        RELEASES_REMEMBERED: usize = 6, 1..=1_000, "uses after the later ones are told with their release";
        /// Objects behind the arguments of unknown code that are visited, because it may have changed them.
        DOUBTED_OBJECTS: usize = 100, 1..=100_000, "less is taken to be unchanged after unknown code";
        /// Conversions of a format that are told apart.
        SCANNED_CONVERSIONS: usize = 12, 1..=1_000, "longer formats are known to their end";
        /// Callees that are remembered because they may have kept something.
        MOST_KEEPERS: usize = 2_000, 1..=1_000_000, "nothing: it is enough for any function that was seen";
        /// Objects whose numbers an unknown function is taken to change.
        MOST_CLOBBERED: usize = 12, 1..=10_000, "fewer numbers are taken to be as they were; what a function rests on then becomes a doubt";
    }
    "What the program does elsewhere" {
        /// A place that holds more functions than this is a table for dispatch; what it calls is not known.
        MOST_TARGETS: usize = 12, 1..=10_000, "calls through larger tables are known; each target is applied at each call";
        /// Merges that are looked through to find which function a value is.
        TARGET_SOURCES: u32 = 6, 1..=64, "function pointers that come a longer way are known";
        /// Steps of an address that are followed to the place where a function is held.
        TARGET_STEPS: u32 = 12, 1..=1_000, "the same";
        /// Bytes of a variable that unknown code may have filled in which tables of functions are looked for.
        TABLE_BYTES: i64 = 4_096, 8..=1_000_000, "larger tables that unknown code fills are known to be open";
        /// Facts on functions behind pointers that are followed from callee to caller.
        TARGET_FACTS: usize = 200_000, 1_000..=100_000_000, "nothing: it is enough for any program that was seen";
        /// Merges, calls and copies that are looked through to find where a value comes from that is stored or passed somewhere in the program.
        SOURCES: u32 = 6, 1..=64, "what the program never does is known of values that come a longer way";
        /// Values that are looked at to find out what is stored in a member.
        VALUE_STEPS: u32 = 200, 1..=100_000, "the same, of values that are merged from many";
        /// Steps of an address that are followed to what it is the address of.
        ADDRESS_STEPS: usize = 12, 1..=1_000, "nothing: it is enough for any structure that was seen";
        /// How deep structures and arrays are nested whose fields are looked at.
        NESTED_TYPES: usize = 8, 1..=64, "nothing: it is enough for any structure that was seen";
        /// Constants that calls pass for a parameter; more are as good as any.
        MOST_PASSED: usize = 16, 1..=1_000, "parameters with more constants than that are known; questions to the solver grow";
        /// Losses of a function and its callees that are followed to the callers that make them happen.
        MOST_LATENT: usize = 24, 0..=1_000, "more losses are known to be impossible; each is a question about each call";
        /// Answers of functions that only look which are remembered.
        ANSWERS: usize = 64, 0..=10_000, "more calls of functions that only look are known to give what they gave before";
        /// Objects that a question may look at.
        ASKED_OBJECTS: usize = 8, 1..=1_000, "the same";
        /// Things that one argument of a question may be.
        EITHER: usize = 3, 1..=64, "the same";
        /// Calls through which constants are followed to see that a function does not return.
        CONSTANT_CALLS: usize = 3, 1..=64, "deeper functions that end the process are known";
        /// Operations that a condition is looked into for the same.
        CONDITION_OPERATIONS: usize = 8, 1..=64, "the same";
        /// Values that are followed as one, to see what is done with the result of unknown code.
        SAME_VALUES: usize = 64, 1..=10_000, "longer ways of a result to its release are seen";
        /// Functions that may hand on a result before somebody releases it.
        WRAPPERS: usize = 3, 1..=64, "results of unknown code are believed to be owned through more layers";
        /// Operations that are looked through to see that a release depends on a word of the caller's.
        BELIEF_OPERATIONS: usize = 4, 1..=64, "longer conditions are understood";
        /// Merges that are looked through to find where a value comes from that is stored in a member.
        MEMBER_SOURCES: u32 = 4, 1..=64, "more members are known to own what they hold";
        /// Arrays and pointers that are looked through to see who has room for a node.
        HOLDER_DEPTH: usize = 4, 1..=64, "more lists are known to hold nodes of a type";
        /// How many functions, each of which returns what the next one does, are seen to lend what they return.
        LENDING_ROUNDS: usize = 2, 1..=64, "more members are known to own what they hold";
        /// How far up callers are asked whether they take care of a member.
        CARING_CALLERS: usize = 2, 1..=64, "fewer members are said to be left out whose care is far away";
        /// How far down calls are followed to see whether they take care of a member.
        CARING_CALLS: u32 = 4, 1..=64, "fewer members are said to be left out whose care is far away";
        /// How far down those are followed for the same that callers call beside a function.
        CARING_BESIDE: u32 = 1, 0..=64, "fewer members are said to be left out whose care is far away";
        /// The most functions that are asked for the same; who calls more of them may do anything.
        CARING_FUNCTIONS: usize = 400, 10..=100_000, "more members are said to be left out by functions that call much";
        /// Instructions of functions whose shapes are kept while members are asked about.
        KEPT_SHAPES: usize = 1_000_000, 0..=1_000_000_000, "nothing but time: what was made of the text of functions is kept longer, which takes memory";
        /// How many calls up it is asked whether a member can hold something where a function fills it.
        FILLING_CALLERS: usize = 4, 1..=64, "more members are said to be overwritten whose structure is made far away";
        /// Calls of a function that are looked at for what they pass, to see what is put into a member.
        CALLS_ASKED: usize = 24, 1..=10_000, "members are known to own what functions with more callers put there";
        /// Values of a function that what a member holds may become. With more, everything may have been done with it.
        MOST_DERIVED: usize = 200, 10..=100_000, "what becomes of the contents of members is known in larger functions";
        /// Members that a function has to release to be taken for the end of what a structure holds.
        SEVERAL_MEMBERS: usize = 2, 1..=64, "fewer functions are taken for such an end";
        /// Merges that are looked through to see where a node was found.
        UNLINKED_MERGES: usize = 8, 1..=64, "nodes found on longer ways are seen to be dropped";
        /// Blocks that are followed on all ways on from where a node is taken off.
        FORGOTTEN_STEPS: usize = 2_000, 10..=1_000_000, "nodes that are forgotten on a way are seen in larger functions";
    }
    "Exits" {
        /// Pairs of an end of the process and a binding that are looked at; beyond, scopes are not told apart.
        END_PAIRS: usize = 200_000, 1..=100_000_000, "nothing: it is enough for any function that was seen";
        /// Copies of blocks that are looked at on the way back from an end into a loop.
        STEPS_BACK: usize = 64, 1..=10_000, "ends in larger loops are seen to be in them";
    }
    "Summaries" {
        /// Outcomes of a summary.
        MOST_OUTCOMES: usize = 8, 1..=1_000, "callers tell more results of a function apart; every call multiplies by them";
        /// How many more there may be because of states, which are told apart last.
        MORE_FOR_STATES: usize = 4, 0..=1_000, "the same for locks and other states";
        /// Steps of a path that is kept or changed in unknown ways.
        LONGEST_CONDENSED: usize = 3, 1..=64, "callers know more exactly what a function keeps";
        /// With more effects of one sort than this, their paths are cut shorter.
        MANY_EFFECTS: usize = 12, 1..=1_000, "the same; summaries grow";
        /// Conjunctions in the condition of an outcome.
        MOST_CUBES: usize = 4, 1..=1_000, "callers know better when an outcome happens; each conjunction is asked about at each call";
        /// Of a class of paths whose guard is larger than this, only what all of its paths have in common is said.
        LARGEST_CLASS: usize = 200, 1..=1_000_000, "the same";
        /// The same for a class that depends on more entry values than this.
        MOST_TESTS: usize = 10, 1..=1_000, "the same";
        /// Of a class whose guard is larger than this, nothing is said.
        HUGE_CLASS: usize = 4_000, 1..=10_000_000, "the same";
        /// Tests of a conjunction.
        LONGEST_CUBE: usize = 12, 1..=1_000, "the same";
        /// Cells of numbers of the caller's that make outcomes differ.
        OBSERVED_NUMBERS: usize = 12, 1..=1_000, "callers know more of what a function wrote";
        /// Cells of addresses of the caller's that do.
        OBSERVED_ADDRESSES: usize = 24, 1..=1_000, "the same";
        /// Observations that are told of an outcome.
        MOST_TOLD: usize = 160, 1..=100_000, "the same";
        /// The same of a function that was too large for a close look.
        MOST_TOLD_IN_BRIEF: usize = 60, 1..=100_000, "the same; its callers have enough to do without all of its details";
        /// Fresh objects whose contents a summary describes.
        MOST_FRESH: usize = 16, 1..=1_000, "constructors of larger structures are known to the end";
        /// Cells of a fresh object that it describes.
        MOST_CELLS: usize = 32, 1..=10_000, "the same";
        /// Things inside the caller's structures of which a function is said to return one.
        MOST_HANDED_BACK: usize = 2, 1..=100, "functions that look something up in several places are known";
        /// Steps of a path to a cell of the caller's of which is told what it holds.
        LONGEST_PLACE: usize = 2, 1..=64, "callers know more of what a function wrote deep inside";
        /// How far from a parameter or global a kept object may be to be mentioned.
        MOST_KEPT_STEPS: usize = 2, 1..=64, "callers know more of what a function kept deep inside";
        /// Calls that a summary remembers on the way to where something was acquired.
        LONGEST_TRAIL: usize = 4, 1..=64, "paths of findings lead deeper into callees";
        /// Operations that may lie between a number and the entry value that it is made from.
        NUMBER_DEPTH: u32 = 4, 1..=64, "callers know larger expressions";
        /// How far links are followed for ranges of numbers.
        RANGE_DEPTH: u32 = 4, 1..=64, "callers know ranges of numbers deeper inside";
        /// Ranges in one outcome.
        MOST_RANGES: usize = 12, 1..=1_000, "callers know more ranges";
        /// Operations that may lie between a size and its factors.
        FACTOR_DEPTH: u32 = 4, 1..=64, "larger expressions are recognised as sizes";
        /// Numbers that are known to be small because the size of an allocation was computed from them.
        MOST_BOUNDS: usize = 64, 0..=100_000, "no path rests on a size that wraps around, in functions that allocate more";
        /// Operations that may lie between a bit of a word and what it is.
        PIECE_DEPTH: u32 = 24, 1..=1_000, "bits that more operations have put together are told";
        /// Operations that may lie between the bits and the entry value.
        BIT_DEPTH: u32 = 8, 1..=64, "tests of flags behind more operations are told";
        /// How far from a parameter or global a tested value may lie in a summary in brief.
        BRIEF_TEST_STEPS: usize = 1, 0..=64, "large callers tell more outcomes of their callees apart";
        /// Breaches of properties that a summary tells.
        MOST_BREACHES: usize = 12, 1..=1_000, "callers of functions with many mistakes hear of all of them";
        /// Of a breach on paths whose guard is larger than this, the condition is not told.
        BREACH_CONDITION: usize = 60, 1..=100_000, "callers know better when a call is wrong";
        /// Steps of a path to an object with a state that a breach names.
        BREACH_STEPS: usize = 5, 1..=64, "breaches of properties deeper inside structures are told to callers";
        /// Arguments through which a function is taken to tell something.
        TELLING_ARGUMENTS: usize = 2, 1..=64, "callers are known to tell more ways out apart";
        /// Ways in which what arguments were filled with is told apart.
        SEEN_CLASSES: usize = 24, 1..=1_000, "the same";
    }
    "Questions and findings" {
        /// Unknowns of ours in a guard that are quantified at once.
        QUANTIFIED: usize = 64, 1..=10_000, "fewer guards are asked about path by path, each at a higher price";
        /// Conditions of a guard that is asked about along one path.
        PATH_CONDITIONS: usize = 2_000, 1..=1_000_000, "larger guards are asked about path by path";
        /// Ways out for which that is done.
        PATHS_ASKED: usize = 6, 1..=1_000, "more ways out are asked about";
        /// Ways by which one object escapes that are told apart; it always does beyond.
        WAYS_TO_ESCAPE: u32 = 64, 1..=1_000_000, "losses in webs of structures are seen on more paths; time and memory grow with the square of the web";
        /// Places of loss of one object that are told apart.
        MOST_EXITS: usize = 12, 1..=1_000, "every exit of a function with many is told; each is a question to the solver";
        /// Callees that are asked about whether they only borrow.
        BORROWERS_ASKED: usize = 6, 1..=1_000, "findings in functions that call much are doubted less";
        /// Pairs of iterations that the solver is asked about to see that a loop loses again.
        REPEATED_TURNS: usize = 4, 1..=1_000, "more losses are known to grow";
        /// Blocks of a path that is handed to replay.
        WITNESS_BLOCKS: usize = 4_000, 1..=1_000_000, "longer paths can be replayed";
        /// Branches that a path tells; the last ones before the loss say most.
        TOLD_BRANCHES: usize = 12, 1..=1_000, "paths are told at greater length";
        /// Blocks inside a lost one that are mentioned.
        MENTIONED_BLOCKS: usize = 4, 1..=1_000, "findings about structures name more of what is in them";
        /// Blocks inside a lost one that are findings of their own.
        APART_BLOCKS: usize = 1, 0..=1_000, "a lost structure is more findings";
        /// Cases of a guard that `dump` shows.
        SHOWN_CASES: usize = 8, 1..=1_000, "longer guards are printed";
    }
}

/// Guards in a look with all that callees do.
pub(crate) const CLOSE: GuardLimits =
    GuardLimits { steps_per_operation: CLOSE_GUARD_STEPS, nodes: CLOSE_NODES };
/// The same with few turns of loops.
pub(crate) const PATIENT: GuardLimits =
    GuardLimits { steps_per_operation: PATIENT_GUARD_STEPS, nodes: PATIENT_NODES };
/// Guards of what is asked after evaluation, which has made so many nodes: as much room again. Without it, nothing could be told apart any more in a function
/// that was just small enough to be evaluated.
pub(crate) fn afterwards(during: GuardLimits, made: usize) -> GuardLimits {
    let steps_per_operation = during.steps_per_operation.max(PATIENT_GUARD_STEPS);
    GuardLimits { steps_per_operation, nodes: made.saturating_add(during.nodes) }
}
/// The same with what callees do told in brief.
pub(crate) const BRIEF: GuardLimits = GuardLimits { nodes: BRIEF_NODES, ..CLOSE };
/// The same in a round of a recursion that the next one replaces.
pub(crate) const ROUND: GuardLimits = GuardLimits { nodes: ROUND_NODES, ..CLOSE };
/// The same where nothing is acquired or released.
pub(crate) const UNTOUCHED: GuardLimits = GuardLimits { nodes: UNTOUCHED_NODES, ..CLOSE };
/// The same near an exit when the budget of a look has ended.
pub(crate) const TAIL: GuardLimits = GuardLimits { steps_per_operation: TAIL_GUARD_STEPS, nodes: TAIL_NODES };
