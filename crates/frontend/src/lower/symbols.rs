//! Which of our ids stands for which global value of the LLVM module.
//!
//! Functions and globals are numbered in the order of the module. Intrinsics get no function: calls of
//! them become operations. An alias is its target. An indirect function becomes a declared function of
//! its name, because which body runs is decided at load time.

use super::layout::Layouts;
use super::linear::{Constants, fold};
use crate::bitcode::{
    AliasId, BlockId, FunctionId, GlobalVariableId, IfuncId, Module, TypeId, Value, ValueId,
};
use std::cell::Cell;
use watertight_ir::{self as ir, FuncId, GlobalId, Id, Symbol};

/// Our ids for LLVM's.
pub(super) struct Symbols<'m> {
    pub module: &'m Module<'m>,
    pub layouts: &'m Layouts,
    functions: Vec<Option<FuncId>>,
    first_ifunc: usize,
    aliases: Vec<Option<(Symbol, i64)>>,
    labels_are_used: Cell<bool>,
}

impl<'m> Symbols<'m> {
    pub(super) fn new(module: &'m Module<'m>, layouts: &'m Layouts) -> Symbols<'m> {
        let mut count = 0;
        let functions = module
            .functions()
            .map(|(_, function)| {
                (!function.name.starts_with(b"llvm.")).then(|| {
                    count += 1;
                    FuncId::new(count - 1)
                })
            })
            .collect();
        let mut symbols = Symbols {
            module,
            layouts,
            functions,
            first_ifunc: count,
            aliases: Vec::new(),
            labels_are_used: Cell::new(false),
        };
        // An alias of an alias is resolved after the one it names, whatever their order: each round
        // settles at least one more level, and chains are as short as people write them.
        symbols.aliases = vec![None; module.aliases().len()];
        for _ in 0..8 {
            for (id, alias) in module.aliases() {
                let target = fold(&ModuleConstants(module), &symbols, alias.target);
                if let Some(linear) = target
                    && let (Some(base), None, Ok(offset)) =
                        (linear.base, linear.minus, i64::try_from(linear.addend))
                {
                    symbols.aliases[id.index()] = Some((base, offset));
                }
            }
            if symbols.aliases.iter().all(Option::is_some) {
                break;
            }
        }
        symbols
    }

    /// Our function; absent for intrinsics.
    pub(super) fn function(&self, id: FunctionId) -> Option<FuncId> {
        self.functions[id.index()]
    }
    pub(super) fn global(&self, id: GlobalVariableId) -> GlobalId {
        GlobalId::new(id.index())
    }
    pub(super) fn ifunc(&self, id: IfuncId) -> FuncId {
        FuncId::new(self.first_ifunc + id.index())
    }
    pub(super) fn alias(&self, id: AliasId) -> Option<(Symbol, i64)> {
        self.aliases.get(id.index()).copied().flatten()
    }
    /// Our label for the address of a block.
    pub(super) fn label(&self, function: FuncId, block: BlockId) -> Symbol {
        self.labels_are_used.set(true);
        Symbol::Label(function, ir::BlockId::new(block.index()))
    }
    /// Whether any constant so far was the address of a label.
    pub(super) fn labels_are_used(&self) -> bool {
        self.labels_are_used.get()
    }
}

/// The constants of a module, outside any function.
pub(super) struct ModuleConstants<'m>(pub &'m Module<'m>);

impl Constants for ModuleConstants<'_> {
    fn value(&self, id: ValueId) -> Option<Value<'_>> {
        self.0.value(id)
    }
    fn type_of(&self, id: ValueId) -> Option<TypeId> {
        self.0.value_type(id)
    }
}
