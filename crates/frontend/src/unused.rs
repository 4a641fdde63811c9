//! What nobody refers to, taken out of a unit.
//!
//! A compiler leaves out statics that are not used and declarations of what is not called. Ours is told to keep all of
//! them: in a unit that was compiled in parts it cannot know, and a static function that nobody calls is somebody's
//! code all the same. What is left here is what other units can see, the functions that stand in the source itself, and all
//! that these lead to. What a header brings along and nobody uses goes.

use crate::retain::{Standing, retain};
use watertight_ir::{Callee, Const, Def, FuncId, Function, GlobalId, Linkage, Op, Program, Symbol, Table};

/// Takes out functions and globals that cannot be reached from what other units can see.
pub(crate) fn remove(program: &mut Program) {
    let mut reached = Reached {
        functions: program.functions.values().map(|_| None).collect(),
        globals: program.globals.values().map(|_| None).collect(),
        work: Vec::new(),
    };
    let is_visible = |linkage| !matches!(linkage, Linkage::Internal | Linkage::AvailableExternally);
    for (id, function) in program.functions.iter() {
        if function.body.is_some() && (is_visible(function.linkage) || !is_of_header(program, id)) {
            reached.reach(Symbol::Func(id));
        }
    }
    for (id, global) in program.globals.iter() {
        if global.image.is_some() && is_visible(global.linkage) {
            reached.reach(Symbol::Global(id));
        }
    }
    for (_, symbol) in &program.aliases {
        reached.reach(*symbol);
    }
    while let Some(symbol) = reached.work.pop() {
        match symbol {
            Symbol::Func(id) | Symbol::Label(id, _) => reached.follow(&program.functions[id]),
            Symbol::Global(id) => {
                for relocation in program.globals[id].image.iter().flat_map(|image| &image.relocations) {
                    reached.reach(relocation.target);
                    relocation.minus.into_iter().for_each(|symbol| reached.reach(symbol));
                }
            }
        }
    }
    let Reached { functions, globals, .. } = reached;
    if functions.values().all(Option::is_some) && globals.values().all(Option::is_some) {
        return;
    }
    retain(program, &Standing { functions, globals });
}

/// Whether a function stands in a file that others include, by its name. One of which nothing is known does not.
fn is_of_header(program: &Program, id: FuncId) -> bool {
    let place = program.functions[id].place.and_then(|place| program.source_place(id, place));
    let extension =
        place.and_then(|place| place.file.rsplit('/').next()?.rsplit_once('.').map(|name| name.1));
    extension.is_some_and(|extension| extension.starts_with(['h', 'H']))
}

struct Reached {
    /// Itself for each that is reached.
    functions: Table<FuncId, Option<FuncId>>,
    globals: Table<GlobalId, Option<GlobalId>>,
    /// Reached, and not followed yet.
    work: Vec<Symbol>,
}

impl Reached {
    fn reach(&mut self, symbol: Symbol) {
        let before = match symbol {
            Symbol::Func(id) | Symbol::Label(id, _) => self.functions[id].replace(id).is_some(),
            Symbol::Global(id) => self.globals[id].replace(id).is_some(),
        };
        if !before {
            self.work.push(symbol);
        }
    }

    fn follow(&mut self, function: &Function) {
        let Some(body) = &function.body else { return };
        for value in body.values.values() {
            match value.def {
                Def::Const(Const::Func(id) | Const::Label(id, _)) => self.reach(Symbol::Func(id)),
                Def::Const(Const::Global { global, .. }) => self.reach(Symbol::Global(global)),
                _ => {}
            }
        }
        for inst in body.insts.values() {
            if let Op::Call(call) = &inst.op
                && let Callee::Direct(id) = call.callee
            {
                self.reach(Symbol::Func(id));
            }
        }
    }
}
