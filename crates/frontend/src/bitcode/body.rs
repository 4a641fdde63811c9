//! The body of one function: blocks, instructions and what is known about them.
//!
//! In: a function of a [`Module`]. Out: plain vectors, in the order of the bitcode. The body borrows the
//! module, so that one handle answers every question about a value or a node, wherever it was defined.
//!
//! What holds: every block has at least one instruction and exactly the last one is a terminator; blocks
//! cover the instructions in order; every operand is a value of this function or of the module; targets
//! are blocks of this function.
//!
//! ```no_run
//! # use watertight_frontend::bitcode::{FunctionBody, InstructionKind, Value};
//! # fn example(body: &FunctionBody<'_>) {
//! for (id, block) in body.blocks() {
//!     for (inst, instruction) in body.instructions_of(block) {
//!         if let InstructionKind::Call { call, .. } = instruction.kind
//!             && let Value::Function(callee) = body.value(call.callee)
//!         {
//!             println!("{id:?} {inst:?} calls {}", body.module.function(callee).name_lossy());
//!         }
//!     }
//! }
//! # }
//! ```

use super::constant::Constant;
use super::ids::{BlockId, FunctionId, InstructionId, List, LocationId, MetadataId, TypeId, ValueId};
use super::instruction::{Bundle, Instruction, LandingClause, Operand, PhiIncoming, SwitchCase};
use super::metadata::{Attachment, Location, Metadata};
use super::module::{Module, Value};

/// A decoded function.
pub struct FunctionBody<'m> {
    pub module: &'m Module<'m>,
    pub function: FunctionId,
    /// All instructions in layout order.
    pub instructions: Vec<Instruction>,
    /// The function's `DISubprogram`.
    pub subprogram: Option<MetadataId>,
    /// All nodes attached to the function.
    pub attachments: Vec<Attachment>,
    /// Variables and labels described in debug records (LLVM 19 on), sorted by `before`; older producers
    /// use calls of `llvm.dbg.declare`, `llvm.dbg.value` and `llvm.dbg.label`, which are instructions.
    pub debug_records: Vec<DebugRecord>,
    pub(crate) blocks: Vec<Block>,
    /// Types and definitions of arguments, function constants and results, from `module.value_count()` on.
    pub(crate) locals: Vec<Local>,
    pub(crate) constants: Vec<Constant>,
    pub(crate) metadata: Vec<Metadata<'m>>,
    pub(crate) locations: Vec<Location>,
    /// Sorted by instruction.
    pub(crate) instruction_attachments: Vec<(InstructionId, Attachment)>,
    /// Sorted by number.
    pub(crate) value_names: Vec<(ValueId, NameRange)>,
    pub(crate) block_names: Vec<(BlockId, NameRange)>,
    pub(crate) names: Vec<u8>,
    pub(crate) pools: Pools,
}

/// A run of instructions, the last one a terminator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The debug records before its instructions.
    pub(crate) first_record: u32,
    pub(crate) last_record: u32,
}

/// A value of the function itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local {
    pub(crate) ty: TypeId,
    pub(crate) definition: LocalDefinition,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum LocalDefinition {
    Argument(u32),
    Constant(u32),
    Instruction(InstructionId),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct NameRange {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

/// Operands of variable number, all instructions together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pools {
    pub(crate) values: Vec<ValueId>,
    pub(crate) operands: Vec<Operand>,
    pub(crate) indices: Vec<u32>,
    pub(crate) blocks: Vec<BlockId>,
    pub(crate) incoming: Vec<PhiIncoming>,
    pub(crate) cases: Vec<SwitchCase>,
    pub(crate) clauses: Vec<LandingClause>,
    pub(crate) bundles: Vec<Bundle>,
}

impl Block {
    /// The number of instructions, the terminator included; never zero.
    #[expect(clippy::len_without_is_empty, reason = "no block is empty")]
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }
}

impl Pools {
    fn clear(&mut self) {
        self.values.clear();
        self.operands.clear();
        self.indices.clear();
        self.blocks.clear();
        self.incoming.clear();
        self.cases.clear();
        self.clauses.clear();
        self.bundles.clear();
    }
}

/// A statement about a variable or a label that holds from just before an instruction on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DebugRecord {
    pub before: InstructionId,
    /// A `DILocation`.
    pub location: MetadataId,
    pub kind: DebugRecordKind,
}

/// The forms of a debug record. `variable` is a `DILocalVariable`, `expression` a `DIExpression`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DebugRecordKind {
    /// The variable lives in memory at this address.
    Declare { variable: MetadataId, expression: MetadataId, address: DebugValue },
    /// The variable has this value from here on.
    Value { variable: MetadataId, expression: MetadataId, value: DebugValue },
    /// The variable lives in this value, for its whole life (LLVM 22 on).
    DeclareValue { variable: MetadataId, expression: MetadataId, value: DebugValue },
    /// A store to the variable, linked by an id to the storing instruction.
    Assign {
        variable: MetadataId,
        expression: MetadataId,
        value: DebugValue,
        id: MetadataId,
        address_expression: MetadataId,
        address: DebugValue,
    },
    /// A label of the source.
    Label { label: MetadataId },
}

/// What a debug record says a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DebugValue {
    Value(ValueId),
    /// A [`Metadata::Value`], a [`Metadata::ArgumentList`], or an empty tuple for "unknown".
    Metadata(MetadataId),
}

impl<'m> FunctionBody<'m> {
    /// Room for bodies of `module`: see [`Module::function_body_into`].
    pub fn new(module: &'m Module<'m>) -> Self {
        Self {
            module,
            function: FunctionId::new(0),
            instructions: Vec::new(),
            subprogram: None,
            attachments: Vec::new(),
            debug_records: Vec::new(),
            blocks: Vec::new(),
            locals: Vec::new(),
            constants: Vec::new(),
            metadata: Vec::new(),
            locations: Vec::new(),
            instruction_attachments: Vec::new(),
            value_names: Vec::new(),
            block_names: Vec::new(),
            names: Vec::new(),
            pools: Pools::default(),
        }
    }

    /// Forgets everything but the room.
    pub(crate) fn clear(&mut self, module: &'m Module<'m>, function: FunctionId) {
        self.module = module;
        self.function = function;
        self.instructions.clear();
        self.subprogram = None;
        self.attachments.clear();
        self.debug_records.clear();
        self.blocks.clear();
        self.locals.clear();
        self.constants.clear();
        self.metadata.clear();
        self.locations.clear();
        self.instruction_attachments.clear();
        self.value_names.clear();
        self.block_names.clear();
        self.names.clear();
        self.pools.clear();
    }

    pub fn blocks(&self) -> impl ExactSizeIterator<Item = (BlockId, Block)> {
        self.blocks.iter().enumerate().map(|(index, block)| (BlockId::new(index as u32), *block))
    }

    pub fn block(&self, id: BlockId) -> Block {
        self.blocks[id.index()]
    }

    /// The instructions of a block, in order.
    pub fn instructions_of(
        &self,
        block: Block,
    ) -> impl ExactSizeIterator<Item = (InstructionId, &Instruction)> {
        let slice = &self.instructions[block.start as usize..block.end as usize];
        slice
            .iter()
            .enumerate()
            .map(move |(offset, item)| (InstructionId::new(block.start + offset as u32), item))
    }

    /// The instruction that ends a block.
    pub fn terminator(&self, id: BlockId) -> &Instruction {
        &self.instructions[self.block(id).end as usize - 1]
    }

    pub fn instruction(&self, id: InstructionId) -> &Instruction {
        &self.instructions[id.index()]
    }

    /// The number of arguments, function constants and results.
    pub fn local_count(&self) -> usize {
        self.locals.len()
    }

    /// The number of debug locations.
    pub fn location_count(&self) -> usize {
        self.locations.len()
    }

    /// What a value number stands for in this function.
    pub fn value(&self, id: ValueId) -> Value<'_> {
        match self.local(id) {
            None => self.module.value(id).expect("operands are values of the function or the module"),
            Some(local) => match local.definition {
                LocalDefinition::Argument(position) => Value::Argument(position),
                LocalDefinition::Constant(index) => Value::Constant(&self.constants[index as usize]),
                LocalDefinition::Instruction(id) => Value::Instruction(id),
            },
        }
    }

    /// The type of a value.
    pub fn value_type(&self, id: ValueId) -> TypeId {
        match self.local(id) {
            None => self.module.value_type(id).expect("operands are values of the function or the module"),
            Some(local) => local.ty,
        }
    }

    /// The constant with this number, of the function or of the module.
    pub fn constant(&self, id: ValueId) -> Option<&Constant> {
        match self.value(id) {
            Value::Constant(constant) => Some(constant),
            _ => None,
        }
    }

    fn local(&self, id: ValueId) -> Option<&Local> {
        let index = id.index().checked_sub(self.module.values.len())?;
        Some(&self.locals[index])
    }

    /// The number of the argument at `position`.
    pub fn argument(&self, position: u32) -> ValueId {
        ValueId::new(self.module.values.len() as u32 + position)
    }

    /// A string or node, of the function or of the module.
    pub fn metadata(&self, id: MetadataId) -> Option<&Metadata<'m>> {
        match id.index().checked_sub(self.module.metadata.len()) {
            None => self.module.metadata(id),
            Some(index) => self.metadata.get(index),
        }
    }

    /// The text of a metadata string.
    pub fn metadata_string(&self, id: Option<MetadataId>) -> Option<&'m [u8]> {
        match self.metadata(id?)? {
            Metadata::String(text) => Some(text),
            _ => None,
        }
    }

    pub fn location(&self, id: LocationId) -> Location {
        self.locations[id.index()]
    }

    /// The nodes attached to an instruction, `!dbg` excepted: that is [`Instruction::location`].
    pub fn attachments_of(&self, id: InstructionId) -> impl Iterator<Item = Attachment> {
        let start = self.instruction_attachments.partition_point(|entry| entry.0 < id);
        self.instruction_attachments[start..]
            .iter()
            .take_while(move |entry| entry.0 == id)
            .map(|entry| entry.1)
    }

    /// The debug records that stand just before an instruction.
    pub fn debug_records_before(&self, id: InstructionId) -> &[DebugRecord] {
        let start = self.debug_records.partition_point(|record| record.before < id);
        let end = self.debug_records.partition_point(|record| record.before <= id);
        &self.debug_records[start..end]
    }

    /// The debug records that stand before the instructions of a block.
    pub fn debug_records_of(&self, block: Block) -> &[DebugRecord] {
        &self.debug_records[block.first_record as usize..block.last_record as usize]
    }

    /// The name of a local value, where the producer kept it (`-fno-discard-value-names`).
    pub fn value_name(&self, id: ValueId) -> Option<&[u8]> {
        let found = self.value_names.binary_search_by_key(&id, |entry| entry.0).ok()?;
        Some(self.name(self.value_names[found].1))
    }

    /// The name of a block, where the producer kept it.
    pub fn block_name(&self, id: BlockId) -> Option<&[u8]> {
        let found = self.block_names.binary_search_by_key(&id, |entry| entry.0).ok()?;
        Some(self.name(self.block_names[found].1))
    }

    fn name(&self, range: NameRange) -> &[u8] {
        &self.names[range.start as usize..(range.start + range.len) as usize]
    }

    pub fn values(&self, list: List<ValueId>) -> &[ValueId] {
        slice(&self.pools.values, list)
    }

    pub fn operands(&self, list: List<Operand>) -> &[Operand] {
        slice(&self.pools.operands, list)
    }

    pub fn indices(&self, list: List<u32>) -> &[u32] {
        slice(&self.pools.indices, list)
    }

    pub fn targets(&self, list: List<BlockId>) -> &[BlockId] {
        slice(&self.pools.blocks, list)
    }

    pub fn incoming(&self, list: List<PhiIncoming>) -> &[PhiIncoming] {
        slice(&self.pools.incoming, list)
    }

    pub fn cases(&self, list: List<SwitchCase>) -> &[SwitchCase] {
        slice(&self.pools.cases, list)
    }

    pub fn clauses(&self, list: List<LandingClause>) -> &[LandingClause] {
        slice(&self.pools.clauses, list)
    }

    pub fn bundles(&self, list: List<Bundle>) -> &[Bundle] {
        slice(&self.pools.bundles, list)
    }
}

fn slice<T>(pool: &[T], list: List<T>) -> &[T] {
    &pool[list.start as usize..(list.start + list.len) as usize]
}
