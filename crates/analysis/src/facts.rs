//! What the path engine's facts about a whole program say to replay.
//!
//! In: what the engine has found of the whole program. Out: what calls pass, what variables and members of structures ever hold, and which functions pointers
//! lead to, as replay asks for it. One place says what the program never does, so that a run cannot do what the engine has excluded. A set
//! that is open (the user of a library may set its allocator) is taken for what is known of it, as the engine does.

use watertight_ir::{FuncId, GlobalId, InstId, Program, SourceType};
use watertight_path::Whole;
use watertight_path::facts::ever::Ever;
use watertight_path::facts::targets::Held;
use watertight_replay::Functions;

/// The facts of a program.
pub(crate) struct Facts<'p> {
    pub(crate) program: &'p Program,
    pub(crate) whole: &'p Whole,
}

impl watertight_replay::Whole for Facts<'_> {
    fn passed(&self, function: FuncId, index: u32) -> Option<watertight_replay::Passed> {
        let given = self.whole.passed.of_all(function, index)?;
        Some(watertight_replay::Passed { numbers: given.numbers.clone(), address: given.address })
    }

    fn stored(&self, global: GlobalId, offset: i64, bytes: u64) -> Option<Vec<u64>> {
        self.whole.stored.of(self.program, global, (offset, bytes))
    }

    fn held(&self, object: SourceType, offset: i64, bytes: u64) -> Option<watertight_replay::Held> {
        Some(match self.whole.contents.of(self.program, object, (offset, bytes))? {
            Ever::Numbers(numbers) => watertight_replay::Held::Numbers(numbers.clone()),
            Ever::Bits(bits) => watertight_replay::Held::Bits(*bits),
        })
    }

    fn functions(&self, global: GlobalId, offset: i64) -> Option<Functions> {
        self.whole.targets.at(global, offset).map(functions)
    }

    fn reached(&self, caller: FuncId, inst: InstId) -> Option<Functions> {
        let targets = &self.whole.targets;
        let held = targets.of_call(caller, inst).or_else(|| targets.of_closed_call(caller, inst));
        held.map(functions)
    }
}

fn functions(held: &Held) -> Functions {
    Functions { list: held.functions.clone(), null: held.null }
}
