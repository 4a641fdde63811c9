//! Functions whose model counts more than their body.
//!
//! In: a joined program, and the models that say `before bodies`. Out: calls and addresses of such functions lead to a
//! declaration of the same name, of which the model speaks; the body is left beside it, and is checked like any other, but nobody
//! calls it. So no engine has to know, and the kernel's allocators do not tie all of the kernel into one recursion.

use std::collections::{BTreeMap, BTreeSet};
use watertight_ir::{Callee, Const, Def, FuncId, Function, Linkage, Op, Program, Symbol};

/// Puts a declaration in front of every body that a model replaces for its callers.
pub(crate) fn separate(program: &mut Program, names: &BTreeSet<Box<str>>) {
    // A static function of a source file is a private matter; an inline one of a header is what everybody calls.
    let inline = |id: FuncId, function: &Function| {
        let place = function.place.and_then(|place| program.source_place(id, place));
        place.is_some_and(|place| place.file.ends_with(".h"))
    };
    let replaced = |id: FuncId, function: &Function| {
        function.body.is_some()
            && names.contains(&function.name)
            && (function.linkage != Linkage::Internal || inline(id, function))
    };
    let bodies: Vec<FuncId> =
        program.functions.iter().filter(|&(id, function)| replaced(id, function)).map(|(id, _)| id).collect();
    if bodies.is_empty() {
        return;
    }
    let mut declarations: BTreeMap<FuncId, FuncId> = BTreeMap::new();
    for id in bodies {
        let function = &program.functions[id];
        let declaration = without_body(function);
        declarations.insert(id, program.functions.push(declaration));
    }
    let new = |id: FuncId| declarations.get(&id).copied().unwrap_or(id);
    for body in program.functions.values_mut().filter_map(|function| function.body.as_mut()) {
        for value in body.values.values_mut() {
            if let Def::Const(Const::Func(function)) = &mut value.def {
                *function = new(*function);
            }
        }
        for inst in body.insts.values_mut() {
            if let Op::Call(call) = &mut inst.op
                && let Callee::Direct(function) = &mut call.callee
            {
                *function = new(*function);
            }
        }
    }
    let symbol = |symbol: Symbol| match symbol {
        Symbol::Func(id) => Symbol::Func(new(id)),
        other => other,
    };
    for image in program.globals.values_mut().filter_map(|global| global.image.as_mut()) {
        for relocation in &mut image.relocations {
            relocation.target = symbol(relocation.target);
            relocation.minus = relocation.minus.map(symbol);
        }
    }
    for alias in &mut program.aliases {
        alias.1 = symbol(alias.1);
    }
}

/// A copy of everything but the body.
fn without_body(function: &Function) -> Function {
    Function {
        name: function.name.clone(),
        unit: function.unit,
        linkage: function.linkage,
        params: function.params.clone(),
        result: function.result,
        variadic: function.variadic,
        attrs: function.attrs.clone(),
        place: None,
        debug_type: function.debug_type,
        body: None,
    }
}

#[cfg(test)]
mod tests {
    use super::separate;

    #[test]
    fn calls_lead_to_the_declaration() {
        let text = "func @give() {\nbb0:\n  return\n}\nfunc @f() -> ptr {\nbb0:\n  call @give()\n  return ptr @give\n}\n";
        let mut program = watertight_ir::parse("a.ir", text).expect("it parses");
        separate(&mut program, &["give".into()].into_iter().collect());
        assert_eq!(watertight_ir::verify(&program), []);
        let bodies: Vec<bool> = program.functions.values().map(|function| function.body.is_some()).collect();
        assert_eq!(bodies, [true, true, false]);
        let graph = watertight_ir::CallGraph::new(&program);
        let ids: Vec<_> = program.functions.ids().collect();
        assert_eq!(graph.callees(ids[1]), [ids[2]]);
        assert_eq!(graph.callers(ids[0]), []);
    }
}
