//! Functions, their bodies, and the values in them.
//!
//! A [`Function`] is a signature with facts; its [`Body`] is absent when it is only declared.
//! A body is built through a [`BodyBuilder`], which interns constants, so that equal constants are
//! one value.

use crate::debug::{Place, Variable};
use crate::ids::{
    BlockId, DebugTypeId, FuncId, GlobalId, Id, InstId, PlaceId, Table, UnitId, ValueId, VarId,
};
use crate::inst::{Inst, Op, Terminator};
use crate::types::Type;
use rustc_hash::FxHashMap;

/// A function of the program.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// The linker's name. Statics of different units may share it.
    pub name: Box<str>,
    /// The unit that defines it, or the first that declares it.
    pub unit: UnitId,
    pub linkage: Linkage,
    pub params: Box<[Param]>,
    pub result: Type,
    pub variadic: bool,
    pub attrs: FunctionAttrs,
    /// Position of its definition, in the places of its body.
    pub place: Option<PlaceId>,
    /// Its C type, in the debug information of its unit.
    pub debug_type: Option<DebugTypeId>,
    pub body: Option<Body>,
}

/// A parameter as the callee sees it.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    pub ty: Type,
    /// The caller passes the address of an object of this size; the callee receives a copy of it.
    pub by_value: Option<u64>,
    /// The address where the callee writes the struct it returns.
    pub struct_result: bool,
    pub non_null: bool,
}

impl Param {
    /// A parameter without special facts.
    pub fn plain(ty: Type) -> Param {
        Param { ty, by_value: None, struct_result: false, non_null: false }
    }
}

/// Who sees a symbol, and which definition wins.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Linkage {
    /// Visible to all units.
    External,
    /// `static`: this unit's own.
    Internal,
    /// May be replaced by another definition.
    Weak,
    /// Any one of several equal definitions (`inline`).
    LinkOnce,
    /// An uninitialised tentative definition.
    Common,
    /// A definition for inlining only; the real one is elsewhere.
    AvailableExternally,
    /// A declaration that may stay undefined.
    ExternWeak,
}

/// What the source or the compiler says about a function.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct FunctionAttrs {
    pub no_return: bool,
    pub returns_twice: bool,
    /// Reads no memory and writes none (`const`).
    pub no_memory: bool,
    /// Writes no memory (`pure`).
    pub read_only: bool,
    pub cold: bool,
    /// The result aliases nothing else (`malloc` attribute).
    pub result_no_alias: bool,
    pub result_non_null: bool,
    /// Which arguments give the size of the allocation (`alloc_size`).
    pub alloc_size: Option<(u32, Option<u32>)>,
    /// Bits of LLVM's `allockind`: 1 alloc, 2 realloc, 4 free, 8 uninitialised, 16 zeroed, 32 aligned.
    pub alloc_kind: u32,
    pub alloc_family: Option<Box<str>>,
}

/// A control-flow graph over SSA values.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Body {
    /// Block 0 is the entry.
    pub blocks: Table<BlockId, Block>,
    pub insts: Table<InstId, Inst>,
    /// The first values are the parameters, in order.
    pub values: Table<ValueId, Value>,
    pub places: Table<PlaceId, Place>,
    pub variables: Table<VarId, Variable>,
}

/// A basic block: instructions in order, then the terminator.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    pub insts: Vec<InstId>,
    pub term: Terminator,
    pub term_place: Option<PlaceId>,
}

/// An SSA value.
#[derive(Clone, PartialEq, Debug)]
pub struct Value {
    pub ty: Type,
    pub def: Def,
}

/// Where a value comes from.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Def {
    Param(u32),
    Inst(InstId),
    Const(Const),
}

/// A constant; its type stands beside it in [`Value`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Const {
    /// Bit pattern of an integer, float or absolute address of at most 64 bits, zero-extended. The null
    /// pointer is `Bits(0)` of type `ptr`.
    Bits(u64),
    /// Bit pattern of a wider number, least significant word first.
    Wide(Box<[u64]>),
    /// Any bits: `undef` or `poison`. Also of aggregate type.
    Undef,
    /// Zero in every part of an aggregate.
    Zero,
    /// Address of a global plus a byte offset.
    Global { global: GlobalId, offset: i64 },
    /// Address of a function.
    Func(FuncId),
    /// Address of a label (`&&label`).
    Label(FuncId, BlockId),
}

impl Body {
    pub const ENTRY_INDEX: usize = 0;

    #[inline]
    pub fn entry(&self) -> BlockId {
        BlockId::new(Self::ENTRY_INDEX)
    }
    #[inline]
    pub fn ty(&self, value: ValueId) -> Type {
        self.values[value].ty
    }
    /// The variable of a parameter of the C prototype. Parameters are mostly declared in their order and before all else, so that
    /// no search is needed.
    pub fn parameter(&self, index: u32) -> Option<&Variable> {
        let is_it = |variable: &&Variable| variable.parameter == Some(index);
        let at_its_place = self.variables.get(VarId::new(index as usize)).filter(is_it);
        at_its_place.or_else(|| self.variables.values().find(is_it))
    }
    /// The instruction that defines `value`, if one does.
    #[inline]
    pub fn def_inst(&self, value: ValueId) -> Option<&Inst> {
        match self.values[value].def {
            Def::Inst(inst) => Some(&self.insts[inst]),
            _ => None,
        }
    }
    /// The operation that defines `value`, if one does.
    #[inline]
    pub fn def_op(&self, value: ValueId) -> Option<&Op> {
        self.def_inst(value).map(|inst| &inst.op)
    }
    #[inline]
    pub fn constant(&self, value: ValueId) -> Option<&Const> {
        match &self.values[value].def {
            Def::Const(constant) => Some(constant),
            _ => None,
        }
    }
    /// The bits of a constant of at most 64 bits.
    #[inline]
    pub fn bits(&self, value: ValueId) -> Option<u64> {
        match self.constant(value) {
            Some(Const::Bits(bits)) => Some(*bits),
            _ => None,
        }
    }
    /// An address without the constants that were added to it, and their sum.
    pub fn address(&self, addr: ValueId) -> (ValueId, i64) {
        let (mut base, mut offset) = (addr, 0i64);
        // In code that nothing reaches an address may be made from itself.
        for _ in 0..self.insts.len() {
            let Some(Op::Offset { base: inner, bytes }) = self.def_op(base) else { break };
            (base, offset) = (*inner, offset.wrapping_add(*bytes));
        }
        (base, offset)
    }
    /// Instructions of a block with their ids, in order.
    pub fn block_insts(&self, block: BlockId) -> impl DoubleEndedIterator<Item = (InstId, &Inst)> {
        self.blocks[block].insts.iter().map(|&id| (id, &self.insts[id]))
    }
    /// Number of instructions that stand in blocks.
    pub fn inst_count(&self) -> usize {
        self.blocks.values().map(|block| block.insts.len()).sum()
    }
}

/// Builds or extends a body. Constants are interned: asking twice for one gives the same value.
#[derive(Debug)]
pub struct BodyBuilder {
    pub body: Body,
    constants: FxHashMap<(Type, Const), ValueId>,
    last_place: Option<PlaceId>,
}

impl BodyBuilder {
    /// A body with these parameters and no blocks.
    pub fn new(params: &[Param]) -> BodyBuilder {
        let mut builder =
            BodyBuilder { body: Body::default(), constants: FxHashMap::default(), last_place: None };
        builder.add_params(params);
        builder
    }

    fn add_params(&mut self, params: &[Param]) {
        let params = params.iter().enumerate();
        params.for_each(|(index, param)| {
            self.body.values.push(Value { ty: param.ty, def: Def::Param(index as u32) });
        });
    }

    /// Starts over with another body, in the room of the last one.
    pub fn restart(&mut self, params: &[Param]) {
        let Body { blocks, insts, values, places, variables } = &mut self.body;
        blocks.clear();
        insts.clear();
        values.clear();
        places.clear();
        variables.clear();
        self.constants.clear();
        self.last_place = None;
        self.add_params(params);
    }

    /// The body, in tables without spare room. The builder keeps the room for the next body, which begins
    /// with [`BodyBuilder::restart`].
    pub fn take(&mut self) -> Body {
        let Body { blocks, insts, values, places, variables } = &mut self.body;
        Body {
            blocks: blocks.take(),
            insts: insts.take(),
            values: values.take(),
            places: places.take(),
            variables: variables.take(),
        }
    }

    /// Goes on with an existing body.
    pub fn from_body(body: Body) -> BodyBuilder {
        let mut constants = FxHashMap::default();
        for (id, value) in body.values.iter() {
            if let Def::Const(constant) = &value.def {
                constants.entry((value.ty, constant.clone())).or_insert(id);
            }
        }
        BodyBuilder { body, constants, last_place: None }
    }

    #[inline]
    pub fn param(&self, index: usize) -> ValueId {
        ValueId::new(index)
    }

    /// A new block, unreachable until its terminator and predecessors are set.
    pub fn block(&mut self) -> BlockId {
        self.body.blocks.push(Block { insts: Vec::new(), term: Terminator::Unreachable, term_place: None })
    }

    pub fn constant(&mut self, ty: Type, constant: Const) -> ValueId {
        let values = &mut self.body.values;
        *self.constants.entry((ty, constant)).or_insert_with_key(|(ty, constant)| {
            values.push(Value { ty: *ty, def: Def::Const(constant.clone()) })
        })
    }

    /// An integer constant of at most 64 bits; excess bits of `bits` are cut.
    pub fn int(&mut self, width: u32, bits: u64) -> ValueId {
        let kept = if width < 64 { bits & ((1 << width) - 1) } else { bits };
        self.constant(Type::Int(width), Const::Bits(kept))
    }

    /// Creates an instruction that stands in no block yet. Its result has type `ty`; `Void` means none.
    #[inline]
    pub fn detached(&mut self, op: Op, ty: Type, place: Option<PlaceId>) -> (InstId, Option<ValueId>) {
        let inst = self.body.insts.next_id();
        let result = (ty != Type::Void).then(|| self.body.values.push(Value { ty, def: Def::Inst(inst) }));
        self.body.insts.push(Inst { op, result, place });
        (inst, result)
    }

    /// Appends an instruction without result.
    #[inline]
    pub fn effect(&mut self, block: BlockId, op: Op, place: Option<PlaceId>) -> InstId {
        let (inst, _) = self.detached(op, Type::Void, place);
        self.body.blocks[block].insts.push(inst);
        inst
    }

    /// Appends an instruction with a result of type `ty`.
    #[inline]
    pub fn value(&mut self, block: BlockId, op: Op, ty: Type, place: Option<PlaceId>) -> ValueId {
        let (inst, result) = self.detached(op, ty, place);
        self.body.blocks[block].insts.push(inst);
        result.expect("an instruction with a result is not void")
    }

    #[inline]
    pub fn terminate(&mut self, block: BlockId, term: Terminator, place: Option<PlaceId>) {
        let block = &mut self.body.blocks[block];
        block.term = term;
        block.term_place = place;
    }

    /// Interns a place; runs of the same place share one entry.
    #[inline]
    pub fn place(&mut self, place: Place) -> PlaceId {
        if let Some(last) = self.last_place
            && self.body.places[last] == place
        {
            return last;
        }
        let id = self.body.places.push(place);
        self.last_place = Some(id);
        id
    }

    pub fn variable(&mut self, variable: Variable) -> VarId {
        self.body.variables.push(variable)
    }

    pub fn finish(mut self) -> Body {
        let body = &mut self.body;
        body.blocks.shrink_to_fit();
        body.insts.shrink_to_fit();
        body.values.shrink_to_fit();
        body.places.shrink_to_fit();
        self.body
    }
}
