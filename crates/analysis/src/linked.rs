//! Which files of a program no executable of the build needs.
//!
//! A build compiles more than it uses: of a folder of helpers that comes with many programs, the linker takes the files of which something
//! is needed and leaves out the others. What stands in those never runs in these programs, and readers seldom count what is lost there.
//! That is a doubt and no more: a library and a program that uses a part of it are often built together.
//!
//! In: a joined program. Out: the units that are left out. Needed are those with a `main`, and those that define something which a needed
//! unit names. Nothing is left out if there is no `main`: then all of it is for others to use. A unit that nobody needs may also belong to
//! a library that others link to. Then its functions are about the same things as others of the library, so a unit with a function
//! that is given a structure which functions of needed units are given too is not left out. Nor is one that shares a name with a needed unit:
//! several programs of one build may each have their own. And where a needed unit looks names up while it runs (`dlsym`), any unit that
//! others can see something of may be a plug-in of it.

use std::collections::BTreeSet;

use watertight_ir::callgraph::direct_callee;
use watertight_ir::{
    Const, DebugType, Def, Function, Id, Linkage, Op, Program, Symbol, Table, UnitId, ctype,
};

/// The units that are left out.
pub(crate) struct LeftOut {
    units: Table<UnitId, bool>,
}

impl LeftOut {
    pub(crate) fn new(program: &Program) -> LeftOut {
        let needed = needed(program);
        let mut units: Table<UnitId, bool> = needed.values().map(|&needed| !needed).collect();
        // Without a `main` nothing is needed.
        if units.values().all(|&left_out| left_out) {
            return LeftOut { units: Table::filled(program.units.len(), false) };
        }
        if looks_names_up(program, &needed) {
            return LeftOut { units: Table::filled(program.units.len(), false) };
        }
        let visible = || {
            let bodies = program.functions.values().filter(|function| function.body.is_some());
            bodies.filter(|function| function.linkage != Linkage::Internal)
        };
        let theirs = || visible().filter(|function| needed[function.unit]);
        let names: BTreeSet<&str> = theirs().map(|function| &*function.name).collect();
        let things: BTreeSet<&str> = theirs().flat_map(|function| given(program, function)).collect();
        for function in visible().filter(|function| !needed[function.unit]) {
            let shared = names.contains(&*function.name)
                || given(program, function).into_iter().any(|thing| things.contains(thing));
            if shared {
                units[function.unit] = false;
            }
        }
        LeftOut { units }
    }

    /// Whether no executable has what a unit defines.
    pub(crate) fn has(&self, unit: UnitId) -> bool {
        self.units[unit]
    }
}

/// The units that some executable needs.
fn needed(program: &Program) -> Table<UnitId, bool> {
    let mut named: Vec<Vec<UnitId>> = vec![Vec::new(); program.units.len()];
    for function in program.functions.values() {
        let Some(body) = &function.body else { continue };
        let values = body.values.values().filter_map(|value| match &value.def {
            Def::Const(Const::Func(other)) => defined(program, Symbol::Func(*other)),
            Def::Const(Const::Global { global, .. }) => defined(program, Symbol::Global(*global)),
            _ => None,
        });
        let calls = body.insts.values().filter_map(|inst| match &inst.op {
            Op::Call(call) => defined(program, Symbol::Func(direct_callee(body, call)?)),
            _ => None,
        });
        named[function.unit.index()].extend(values.chain(calls));
    }
    for global in program.globals.values() {
        for relocation in global.image.iter().flat_map(|image| &image.relocations) {
            named[global.unit.index()].extend(defined(program, relocation.target));
        }
    }
    let mut needed: Table<UnitId, bool> = Table::filled(program.units.len(), false);
    let mains = program.functions.values().filter(|function| &*function.name == "main");
    let mut open: Vec<UnitId> =
        mains.filter(|function| function.body.is_some()).map(|function| function.unit).collect();
    while let Some(unit) = open.pop() {
        if !std::mem::replace(&mut needed[unit], true) {
            open.append(&mut named[unit.index()]);
        }
    }
    needed
}

/// What finds a definition by its name while the program runs.
const LOOK_UP: [&str; 3] = ["dlsym", "dlvsym", "dlfunc"];

/// Whether a needed unit finds definitions by their names.
fn looks_names_up(program: &Program, needed: &Table<UnitId, bool>) -> bool {
    let bodies = program.functions.values().filter(|function| needed[function.unit]);
    bodies.filter_map(|function| function.body.as_ref()).any(|body| {
        body.insts.values().any(|inst| match &inst.op {
            Op::Call(call) => direct_callee(body, call)
                .is_some_and(|callee| LOOK_UP.contains(&&*program.functions[callee].name)),
            _ => false,
        })
    })
}

/// The names of the structures whose addresses a function is given.
fn given<'p>(program: &'p Program, function: &Function) -> Vec<&'p str> {
    let debug = &program.units[function.unit].debug;
    let Some(DebugType::Function { params, .. }) = ctype::described(debug, function.debug_type) else {
        return Vec::new();
    };
    let name = |ty: &Option<_>| match ctype::described(debug, ctype::pointee(debug, *ty)?)? {
        DebugType::Record(record) => Some(debug.names.get(record.name?)),
        _ => None,
    };
    params.iter().filter_map(name).collect()
}

/// The unit that defines something.
fn defined(program: &Program, symbol: Symbol) -> Option<UnitId> {
    match symbol {
        Symbol::Func(function) => {
            let function = &program.functions[function];
            function.body.is_some().then_some(function.unit)
        }
        Symbol::Global(global) => {
            let global = &program.globals[global];
            global.image.is_some().then_some(global.unit)
        }
        Symbol::Label(..) => None,
    }
}
