//! C programs for the prove engine: compiled as `watertight` compiles them, with variables still in memory.

use crate::native::Clang;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use watertight_frontend::bitcode::Module;
use watertight_frontend::{join, lower};
use watertight_interpret::Site;
use watertight_ir::{Callee, FuncId, Linkage, Op, Program};

/// The folder of all fixtures.
pub(crate) fn fixtures() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c");
    folder.canonicalize().expect("the fixtures are there")
}

/// Compiles a file that may include `stubs.h`.
pub(crate) fn load(clang: &Clang, source: &Path) -> Result<Program, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let flags = ["-I".to_owned(), fixtures().to_string_lossy().into_owned()];
    let bitcode = clang.bitcode(source, folder.path(), &flags)?;
    let module = Module::parse(&bitcode).map_err(|error| error.to_string())?;
    let program = join::join(vec![lower::lower(&module, "fixture.c", lower::Form::Memory)]);
    match program.problems.first() {
        Some(problem) => Err(format!("{}: {}", problem.subject, problem.message)),
        None => Ok(program),
    }
}

/// Compiles a text.
pub(crate) fn load_text(clang: &Clang, text: &str) -> Result<Program, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let source = folder.path().join("program.c");
    std::fs::write(&source, text).map_err(|error| error.to_string())?;
    load(clang, &source)
}

/// The line of a site, 0 if it has none.
pub(crate) fn line(program: &Program, site: Site) -> u32 {
    let place = site.place.and_then(|place| program.source_place(site.function, place));
    place.map_or(0, |place| place.line)
}

/// The functions with a body, in order.
pub(crate) fn defined(program: &Program) -> Vec<FuncId> {
    program.functions.iter().filter(|(_, function)| function.body.is_some()).map(|(id, _)| id).collect()
}

/// A function and all that it calls by name, directly or not.
pub(crate) fn called(program: &Program, function: FuncId) -> BTreeSet<FuncId> {
    let mut seen = BTreeSet::from([function]);
    let mut pending = vec![function];
    while let Some(function) = pending.pop() {
        let Some(body) = &program.functions[function].body else { continue };
        for inst in body.insts.values() {
            if let Op::Call(call) = &inst.op
                && let Callee::Direct(callee) = call.callee
                && seen.insert(callee)
            {
                pending.push(callee);
            }
        }
    }
    seen
}

/// The functions with a body that anybody may call: `main`, or without one those that other files see, and those that no
/// other function of this one calls by name.
pub(crate) fn roots(program: &Program) -> Vec<FuncId> {
    let mut called = BTreeSet::new();
    for id in defined(program) {
        let body = program.functions[id].body.as_ref().expect("it is defined");
        for inst in body.insts.values() {
            if let Op::Call(call) = &inst.op
                && let Callee::Direct(callee) = call.callee
                && callee != id
            {
                called.insert(callee);
            }
        }
    }
    if let Some(main) = program.function_named("main").filter(|&id| program.functions[id].body.is_some()) {
        return vec![main];
    }
    let open = |id: &FuncId| program.functions[*id].linkage != Linkage::Internal || !called.contains(id);
    defined(program).into_iter().filter(open).collect()
}
