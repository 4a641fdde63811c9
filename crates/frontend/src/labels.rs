//! Addresses of labels that lead nowhere.
//!
//! In: a program with all its bodies. A label names a function and a block of it. The function may have no
//! body, because it did not decode, or another body than the label was made for, because joining units chose
//! the definition of another one.
//! Out: every label that is left names a block that exists. The others are undefined in bodies and zero in
//! images.

use watertight_ir::{BlockId, Const, Def, FuncId, Function, Id, Program, Symbol, Table};

/// Removes the labels without a block, and returns how many there were.
pub(crate) fn settle(program: &mut Program) -> usize {
    let blocks: Table<FuncId, usize> = program.functions.values().map(block_count).collect();
    let exists = |function: FuncId, block: BlockId| block.index() < blocks[function];
    let mut removed = 0;
    for function in program.functions.values_mut() {
        let Some(body) = &mut function.body else { continue };
        for value in body.values.values_mut() {
            if let Def::Const(Const::Label(function, block)) = value.def
                && !exists(function, block)
            {
                value.def = Def::Const(Const::Undef);
                removed += 1;
            }
        }
    }
    let leads_nowhere = |symbol: Symbol| match symbol {
        Symbol::Label(function, block) => !exists(function, block),
        _ => false,
    };
    for global in program.globals.values_mut() {
        let Some(image) = &mut global.image else { continue };
        let before = image.relocations.len();
        image.relocations.retain(|relocation| {
            !leads_nowhere(relocation.target) && !relocation.minus.is_some_and(leads_nowhere)
        });
        removed += before - image.relocations.len();
    }
    removed
}

fn block_count(function: &Function) -> usize {
    function.body.as_ref().map_or(0, |body| body.blocks.len())
}
