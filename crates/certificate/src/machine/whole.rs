//! What is found out of a program once: which variables pointers lead to, and which parts of them are told apart.

use super::*;

/// What must be found out of the program once.
pub(crate) struct Whole<'p> {
    pub(crate) program: &'p Program,
    pub(crate) types: Types<'p>,
    /// Variables whose address goes anywhere but into accesses.
    pub(super) taken: BTreeSet<Symbol>,
    /// Variables in which an element is chosen by a number: where in them an access is, is not told apart.
    pub(super) indexed: BTreeSet<Symbol>,
    /// What is assumed in the statement that is looked at.
    pub(crate) assumed: BTreeSet<String>,
}

impl<'p> Whole<'p> {
    pub(crate) fn new(program: &'p Program, closed: bool) -> Whole<'p> {
        let (mut taken, mut indexed) = (BTreeSet::new(), BTreeSet::new());
        for (id, global) in program.globals.iter() {
            if (!closed && global.linkage != watertight_ir::Linkage::Internal) || global.image.is_none() {
                taken.insert(Symbol::Global(id));
            }
            for relocation in global.image.iter().flat_map(|image| &image.relocations) {
                if let watertight_ir::Symbol::Global(target) = relocation.target {
                    taken.insert(Symbol::Global(target));
                }
            }
        }
        for function in program.defined() {
            let Some(body) = &program.functions[function].body else { continue };
            let mut take = |value: ValueId| taken.extend(variable(function, body, value));
            for block in body.blocks.values() {
                for &inst in &block.insts {
                    match &body.insts[inst].op {
                        Op::Load { .. } | Op::Offset { .. } | Op::Name { .. } => {}
                        Op::Store { value, .. } => take(*value),
                        Op::Index { base, index, .. } => {
                            indexed.extend(variable(function, body, *base));
                            take(*index);
                        }
                        Op::MemCopy { len, .. } => take(*len),
                        Op::MemFill { byte, len, .. } => {
                            take(*byte);
                            take(*len);
                        }
                        other => other.operands(&mut take),
                    }
                }
                block.term.operands(&mut take);
            }
        }
        Whole { program, types: Types::new(program), taken, indexed, assumed: BTreeSet::new() }
    }

    /// Whether parts of a variable are not told apart: elements are chosen by numbers, or how it is used is not known.
    pub(super) fn is_folded(&mut self, symbol: Symbol) -> bool {
        let points = match symbol {
            Symbol::Local(function, value) => self.types.local(function, value),
            Symbol::Global(global) => self.types.global(global),
            Symbol::Function(_) | Symbol::Outside => Points::Anything,
        };
        points == Points::Anything || self.indexed.contains(&symbol)
    }

    /// Where in a variable an access is, as far as that is told apart, and as what it is declared.
    pub(super) fn part(&mut self, symbol: Symbol, points: Points, offset: i64) -> (i64, Option<Ty>) {
        match self.is_folded(symbol) {
            true => (0, None),
            false => (offset, self.types.scalar_type(points)),
        }
    }

    /// Whether a region may be the sort of a location, with the offsets of arrays left out.
    pub(super) fn has(&mut self, region: Region, sort: Sort) -> bool {
        match (region, sort) {
            (Region::Any, sort) => !sort.is_own(),
            (Region::Shared, sort) => !matches!(sort, Sort::Local(..)),
            (Region::Outside, sort) => sort == Sort::Outside,
            (Region::Local(function, value, offset), Sort::Local(of, other, at, _)) => {
                let offset = if self.is_folded(Symbol::Local(of, other)) { at } else { offset };
                (function, value, offset) == (of, other, at)
            }
            (Region::Global(global, offset), Sort::Global(other, at, _)) => {
                let offset = if self.is_folded(Symbol::Global(other)) { at } else { offset };
                (global, offset) == (other, at)
            }
            (Region::Member(unit, ty, offset), Sort::Member(record, at, _)) => {
                let ty = self.types.of(unit, Some(ty)).map(|ty| self.types.class(ty));
                ty == Some(self.types.class(record)) && offset == at
            }
            (Region::Scalar(unit, ty), Sort::Scalar(other) | Sort::Member(_, _, Some(other))) => {
                let ty = self.types.of(unit, Some(ty)).map(|ty| self.types.class(ty));
                ty == Some(self.types.class(other))
            }
            _ => false,
        }
    }
}

/// The variable of a body that an address is in, found from its definition.
fn variable(function: FuncId, body: &Body, value: ValueId) -> Option<Symbol> {
    let mut at = value;
    for _ in 0..=body.insts.len() {
        match &body.values[at].def {
            Def::Const(Const::Global { global, .. }) => return Some(Symbol::Global(*global)),
            Def::Inst(inst) => match &body.insts[*inst].op {
                Op::Stack { .. } => return Some(Symbol::Local(function, at)),
                Op::Offset { base, .. } | Op::Index { base, .. } => at = *base,
                _ => return None,
            },
            _ => return None,
        }
    }
    None
}

/// Whether facts are needed before an instruction: it may change memory, or the world.
pub(crate) fn has_effect(op: &Op) -> bool {
    matches!(
        op,
        Op::Store { .. }
            | Op::Call(_)
            | Op::MemCopy { .. }
            | Op::MemFill { .. }
            | Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::VaStart { .. }
            | Op::VaCopy { .. }
            | Op::VaArg { .. }
    ) || matches!(op, Op::Unknown(unknown) if unknown.what.starts_with("asm") || !unknown.args.is_empty())
}
