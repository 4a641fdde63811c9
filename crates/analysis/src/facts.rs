//! What the path engine's facts about a whole program say to replay.
//!
//! In: a program and the models. Out: what calls pass, what variables and members of structures ever hold, and which functions pointers lead to, as replay asks
//! for it. One place says what the program never does, so that a run cannot do what the engine has excluded. A set that is
//! open (the user of a library may set its allocator) is taken for what is known of it, as the engine does.

use watertight_ir::callgraph::CallGraph;
use watertight_ir::{FuncId, GlobalId, InstId, Program, SourceType};
use watertight_path::assumptions::{Assumptions, Supposed};
use watertight_path::facts::callers::Callers;
use watertight_path::facts::contents::Contents;
use watertight_path::facts::ever::Ever;
use watertight_path::facts::fields::Fields;
use watertight_path::facts::passed::Passed;
use watertight_path::facts::stored::Stored;
use watertight_path::facts::targets::{Held, Targets};
use watertight_replay::{Functions, Whole};
use watertight_summary::model::Models;

/// The facts of a program.
pub(crate) struct Facts<'p> {
    program: &'p Program,
    passed: Passed,
    stored: Stored,
    targets: Targets,
    fields: Fields,
    contents: Contents,
}

impl<'p> Facts<'p> {
    pub(crate) fn new(program: &'p Program, models: &Models, assumptions: Assumptions) -> Facts<'p> {
        let graph = CallGraph::new(program);
        let callers = Callers::new(program, &graph);
        let passed = Passed::new(program, &graph, &callers, assumptions);
        let hold = assumptions.make(Supposed::MembersHoldWhatIsPut);
        let stored = if hold { Stored::new(program, &callers, &passed) } else { Stored::default() };
        let contents = match hold {
            true => Contents::new(program, models, &graph, &callers, &stored),
            false => Contents::default(),
        };
        Facts {
            program,
            contents,
            stored,
            passed,
            targets: Targets::new(program, &graph),
            fields: Fields::new(program, models, &graph, &callers),
        }
    }
}

impl Whole for Facts<'_> {
    fn passed(&self, function: FuncId, index: u32) -> Option<watertight_replay::Passed> {
        let given = self.passed.of_all(function, index)?;
        Some(watertight_replay::Passed { numbers: given.numbers.clone(), address: given.address })
    }

    fn stored(&self, global: GlobalId, offset: i64, bytes: u64) -> Option<Vec<u64>> {
        self.stored.of(self.program, global, (offset, bytes))
    }

    fn held(&self, object: SourceType, offset: i64, bytes: u64) -> Option<watertight_replay::Held> {
        Some(match self.contents.of(self.program, object, (offset, bytes))? {
            Ever::Numbers(numbers) => watertight_replay::Held::Numbers(numbers.clone()),
            Ever::Bits(bits) => watertight_replay::Held::Bits(*bits),
        })
    }

    fn functions(&self, global: GlobalId, offset: i64) -> Option<Functions> {
        self.targets.at(global, offset).map(functions)
    }

    fn reached(&self, caller: FuncId, inst: InstId) -> Option<Functions> {
        let held = self.targets.of_call(caller, inst).or_else(|| self.fields.of_call(caller, inst));
        held.map(functions)
    }
}

fn functions(held: &Held) -> Functions {
    Functions { list: held.functions.clone(), null: held.null }
}
