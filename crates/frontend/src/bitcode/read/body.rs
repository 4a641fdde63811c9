//! Reads a `FUNCTION` block: the body of one function, from its place in the bytes.
//!
//! Values are numbered as they come: arguments, constants, then every instruction with a result. Records
//! refer to operands by their distance back from the next number; a distance that reaches forwards is
//! followed by the type of what is not there yet. So no reference needs to be patched, and it is enough
//! to check at the end that the highest number used exists.

use super::constants::{self, read_constants, value};
use super::fields::{Fields, bytes};
use super::locate;
use super::metadata::{MetadataSink, attachments, definite, fold_sizes, read_metadata};
use super::module::integer_node;
use super::nesting::Part;
use crate::bitcode::bitstream::{BlockReader, Entry, Record};
use crate::bitcode::body::{
    Block, DebugRecord, DebugRecordKind, DebugValue, FunctionBody, Local, LocalDefinition, NameRange,
};
use crate::bitcode::codes::{block, function as code, metadata as metadata_code, symbols};
use crate::bitcode::constant::Constant;
use crate::bitcode::error::Error;
use crate::bitcode::fault::Fault;
use crate::bitcode::ids::{
    BlockId, FunctionId, InstructionId, List, LocationId, MetadataId, TypeId, ValueId,
};
use crate::bitcode::instruction::{Bundle, Instruction, InstructionKind, SwitchCase};
use crate::bitcode::metadata::{Location, MetadataKind};
use crate::bitcode::module::Module;
use crate::bitcode::types::Type;

/// What is known in the middle of a body.
pub(super) struct BodyReader<'b, 'm> {
    pub(super) module: &'m Module<'m>,
    pub(super) body: &'b mut FunctionBody<'m>,
    /// The number of the next value.
    pub(super) next: u32,
    /// The highest number any operand has had.
    pub(super) highest: u32,
    pub(super) declared_blocks: u32,
    /// Bundles whose call has not come yet.
    pub(super) bundles: Vec<Bundle>,
    /// Constants that only exist inside an old switch, with the cases they belong to.
    pub(super) extra_cases: Vec<(usize, TypeId, i64)>,
    metadata: MetadataSink<'m>,
    open_block: u32,
    last_location: Option<LocationId>,
    limit: u64,
}

/// Reads the body of a function into `body`, whose old contents are forgotten and whose room is used again.
pub(crate) fn read_body<'m>(
    module: &'m Module<'m>,
    id: FunctionId,
    body: &mut FunctionBody<'m>,
) -> Result<(), Error> {
    body.clear(module, id);
    let missing = || Fault::NoBody.at(block::name(block::FUNCTION), 0, &module.producer);
    let function = module.functions.get(id.index()).ok_or_else(missing)?;
    let place = function.body.ok_or_else(missing)?;
    let mut block = BlockReader::resume(module.bytes, place, &module.block_info);
    let Type::Function { parameters, .. } = module.ty(function.function_type) else {
        return Err(missing());
    };
    body.locals.reserve(parameters.len() + place.bytes() as usize / 24);
    body.locals.extend(
        parameters
            .iter()
            .enumerate()
            .map(|(position, &ty)| Local { ty, definition: LocalDefinition::Argument(position as u32) }),
    );
    body.instructions.reserve(place.bytes() as usize / 16);
    let metadata = MetadataSink { nodes: std::mem::take(&mut body.metadata), ..MetadataSink::default() };
    let mut reader = BodyReader {
        module,
        next: (module.values.len() + body.locals.len()) as u32,
        body,
        highest: 0,
        declared_blocks: 0,
        bundles: Vec::new(),
        extra_cases: Vec::new(),
        metadata,
        open_block: 0,
        last_location: None,
        limit: place.bytes() + 16,
    };
    let mut record = Record::default();
    loop {
        let next = block.next(&module.block_info, &mut record);
        match next.map_err(|fault| locate(fault, &block, &module.producer))? {
            Entry::End => break,
            Entry::Block(mut inner) => {
                let read = reader.read_block(&mut inner, &mut record);
                read.map_err(|fault| locate(fault, &inner, &module.producer))?;
            }
            Entry::Record => {
                let read = reader.read_record(record.code, Fields::new(&record.fields));
                read.map_err(|fault| locate(fault, &block, &module.producer))?;
            }
        }
    }
    reader.finish().map_err(|fault| locate(fault, &block, &module.producer))
}

impl<'m> BodyReader<'_, 'm> {
    fn read_block(&mut self, inner: &mut BlockReader<'m>, record: &mut Record<'m>) -> Result<(), Fault> {
        let info = &self.module.block_info;
        match inner.id() {
            block::CONSTANTS => {
                let FunctionBody { locals, constants, .. } = &mut *self.body;
                read_constants(inner, info, record, &self.module.types, |ty, constant| {
                    let definition = LocalDefinition::Constant(constants.len() as u32);
                    locals.push(Local { ty, definition });
                    constants.push(constant);
                })?;
                self.next = (self.module.values.len() + self.body.locals.len()) as u32;
                Ok(())
            }
            block::METADATA => {
                read_metadata(inner, info, record, self.module.types.len(), &mut self.metadata)
            }
            block::METADATA_ATTACHMENT => self.read_attachments(inner, record),
            block::VALUE_SYMBOLS => self.read_names(inner, record),
            // Orders of uses, and whatever the future adds.
            _ => Ok(()),
        }
    }

    fn read_attachments(
        &mut self,
        inner: &mut BlockReader<'m>,
        record: &mut Record<'m>,
    ) -> Result<(), Fault> {
        loop {
            match inner.next(&self.module.block_info, record)? {
                Entry::End => return Ok(()),
                Entry::Block(_) => continue,
                Entry::Record if record.code == metadata_code::ATTACHMENT => {}
                Entry::Record => return Err(Fault::UnknownRecord(record.code)),
            }
            // An odd number of fields starts with the number of an instruction.
            let fields = &record.fields;
            if fields.len().is_multiple_of(2) {
                for attachment in attachments(fields)? {
                    let attachment = attachment?;
                    if attachment.kind == MetadataKind::DEBUG {
                        self.body.subprogram = Some(attachment.node);
                    }
                    self.body.attachments.push(attachment);
                }
            } else {
                let owner = u32::try_from(fields[0]).map_err(|_| Fault::BadNumber)?;
                if owner as usize >= self.body.instructions.len() {
                    return Err(Fault::BadNumber);
                }
                for attachment in attachments(&fields[1..])? {
                    self.body.instruction_attachments.push((InstructionId::new(owner), attachment?));
                }
            }
        }
    }

    fn read_names(&mut self, inner: &mut BlockReader<'m>, record: &mut Record<'m>) -> Result<(), Fault> {
        loop {
            match inner.next(&self.module.block_info, record)? {
                Entry::End => return Ok(()),
                Entry::Block(_) => continue,
                Entry::Record => {}
            }
            let mut fields = Fields::new(&record.fields);
            let number = fields.take32()?;
            let start = self.body.names.len() as u32;
            let range = NameRange { start, len: fields.len() as u32 };
            self.body.names.extend_from_slice(&bytes(fields.rest()));
            match record.code {
                symbols::ENTRY => self.body.value_names.push((ValueId::new(number), range)),
                symbols::BLOCK_ENTRY => self.body.block_names.push((BlockId::new(number), range)),
                other => return Err(Fault::UnknownRecord(other)),
            }
        }
    }

    fn read_record(&mut self, number: u32, mut fields: Fields<'_>) -> Result<(), Fault> {
        match number {
            code::DECLARE_BLOCKS => {
                // Targets are checked against the number, so it must not change any more.
                if self.declared_blocks != 0 {
                    return Err(Fault::BlockCount);
                }
                self.declared_blocks = fields.take32()?;
                if self.declared_blocks == 0 || u64::from(self.declared_blocks) > self.limit {
                    return Err(Fault::BlockCount);
                }
                Ok(())
            }
            code::LOCATION => {
                let location = Location {
                    line: fields.take32()?,
                    column: fields.take32()?,
                    scope: fields.node()?,
                    inlined_at: fields.node()?,
                    implicit: fields.optional().is_some_and(|flag| flag != 0),
                };
                self.body.locations.push(location);
                self.last_location = Some(LocationId::new(self.body.locations.len() as u32 - 1));
                self.locate_last()
            }
            code::LOCATION_AGAIN => self.locate_last(),
            code::OPERAND_BUNDLE => self.read_bundle(fields),
            // Lists functions that take the address of a block of this one.
            code::BLOCK_ADDRESS_USERS => Ok(()),
            code::DEBUG_VALUE..=code::DEBUG_DECLARE_VALUE => self.read_debug_record(number, fields),
            _ => self.read_instruction(number, fields),
        }
    }

    fn locate_last(&mut self) -> Result<(), Fault> {
        let last = self.body.instructions.last_mut().ok_or(Fault::NoInstruction)?;
        last.location = self.last_location;
        Ok(())
    }

    /// Appends an instruction. Always inlined, so that its parts go from registers to their place.
    #[inline(always)]
    pub(super) fn push(&mut self, kind: InstructionKind, result_type: TypeId) -> Result<(), Fault> {
        let id = InstructionId::new(self.body.instructions.len() as u32);
        let result = match self.module.ty(result_type) {
            Type::Void => None,
            _ => {
                let definition = LocalDefinition::Instruction(id);
                self.body.locals.push(Local { ty: result_type, definition });
                self.next += 1;
                Some(ValueId::new(self.next - 1))
            }
        };
        self.body.instructions.push(Instruction { kind, result_type, result, location: None });
        let end = self.body.instructions.len() as u32;
        if u64::from(end) > self.limit {
            return Err(Fault::TooMany);
        }
        if kind.is_terminator() {
            self.body.blocks.push(Block { start: self.open_block, end, first_record: 0, last_record: 0 });
            self.open_block = end;
        }
        Ok(())
    }

    /// Records about variables stand behind the instruction they come before.
    fn read_debug_record(&mut self, number: u32, mut fields: Fields<'_>) -> Result<(), Fault> {
        let last = self.body.instructions.len().checked_sub(1).ok_or(Fault::NoInstruction)?;
        let before = InstructionId::new(last as u32);
        let next = |fields: &mut Fields<'_>| -> Result<MetadataId, Fault> { definite(fields.take()?) };
        let fields = &mut fields;
        let location = next(fields)?;
        let kind = if number == code::DEBUG_LABEL {
            DebugRecordKind::Label { label: next(fields)? }
        } else {
            let (variable, expression) = (next(fields)?, next(fields)?);
            match number {
                code::DEBUG_VALUE_SIMPLE => {
                    let (value, _) = self.value_and_type(fields)?;
                    DebugRecordKind::Value { variable, expression, value: DebugValue::Value(value) }
                }
                code::DEBUG_VALUE => {
                    let value = DebugValue::Metadata(next(fields)?);
                    DebugRecordKind::Value { variable, expression, value }
                }
                code::DEBUG_DECLARE => {
                    let address = DebugValue::Metadata(next(fields)?);
                    DebugRecordKind::Declare { variable, expression, address }
                }
                code::DEBUG_DECLARE_VALUE => {
                    let value = DebugValue::Metadata(next(fields)?);
                    DebugRecordKind::DeclareValue { variable, expression, value }
                }
                code::DEBUG_ASSIGN => DebugRecordKind::Assign {
                    variable,
                    expression,
                    value: DebugValue::Metadata(next(fields)?),
                    id: next(fields)?,
                    address_expression: next(fields)?,
                    address: DebugValue::Metadata(next(fields)?),
                },
                other => return Err(Fault::UnknownRecord(other)),
            }
        };
        fields.end()?;
        self.body.debug_records.push(DebugRecord { before, location, kind });
        Ok(())
    }

    fn finish(mut self) -> Result<(), Fault> {
        let module = self.module;
        if self.open_block as usize != self.body.instructions.len() {
            return Err(Fault::NoTerminator);
        }
        if self.body.blocks.len() != self.declared_blocks as usize {
            return Err(Fault::BlockCount);
        }
        if self.highest >= self.next || self.metadata.highest_value.is_some_and(|id| id.number() >= self.next)
        {
            return Err(Fault::BadValue);
        }
        let first = module.values.len();
        let FunctionBody { locals, constants, .. } = &*self.body;
        constants::check(constants, |id| match id.index().checked_sub(first) {
            None => Ok(Part::Leaf),
            Some(index) => match locals.get(index).map(|local| local.definition) {
                Some(LocalDefinition::Constant(index)) => Ok(Part::Inner(index as usize)),
                _ => Err(Fault::BadValue),
            },
        })?;
        fold_sizes(&mut self.metadata.nodes, |nodes, id| {
            let node = match id.index().checked_sub(module.metadata.len()) {
                None => module.metadata(id)?,
                Some(index) => nodes.get(index)?,
            };
            integer_node(node, |value| match value.index().checked_sub(first) {
                None => module.constant(value),
                Some(index) => match locals.get(index)?.definition {
                    LocalDefinition::Constant(index) => constants.get(index as usize),
                    _ => None,
                },
            })
        });
        self.body.metadata = std::mem::take(&mut self.metadata.nodes);
        self.add_extra_constants();
        let body = self.body;
        let mut record = 0;
        for block in &mut body.blocks {
            let before_end = |record: &&DebugRecord| record.before.number() < block.end;
            block.first_record = record;
            record += body.debug_records[record as usize..].iter().take_while(before_end).count() as u32;
            block.last_record = record;
        }
        body.instruction_attachments.sort_by_key(|entry| entry.0);
        body.value_names.sort_by_key(|entry| entry.0);
        body.block_names.sort_by_key(|entry| entry.0);
        Ok(())
    }

    /// Gives numbers beyond all others to constants that have none in the file.
    fn add_extra_constants(&mut self) {
        for (case, ty, number) in std::mem::take(&mut self.extra_cases) {
            let definition = LocalDefinition::Constant(self.body.constants.len() as u32);
            self.body.constants.push(Constant::Integer(number));
            self.body.locals.push(Local { ty, definition });
            let SwitchCase { value, .. } = &mut self.body.pools.cases[case];
            *value = ValueId::new(self.next);
            self.next += 1;
        }
    }

    /// The type of a value that has been defined before.
    pub(super) fn type_of(&self, id: ValueId) -> Result<TypeId, Fault> {
        match id.index().checked_sub(self.module.values.len()) {
            None => Ok(self.module.values[id.index()].ty),
            Some(index) => self.body.locals.get(index).map(|local| local.ty).ok_or(Fault::BadValue),
        }
    }

    /// The integer constant with this number.
    pub(super) fn integer(&self, id: ValueId) -> Option<i64> {
        let constant = match id.index().checked_sub(self.module.values.len()) {
            None => self.module.constant(id)?,
            Some(index) => match self.body.locals.get(index)?.definition {
                LocalDefinition::Constant(index) => self.body.constants.get(index as usize)?,
                _ => return None,
            },
        };
        match constant {
            Constant::Integer(number) => Some(*number),
            Constant::Null => Some(0),
            _ => None,
        }
    }

    /// The number a record means by this distance.
    #[inline]
    pub(super) fn absolute(&self, distance: u64) -> u32 {
        if self.module.relative_ids { self.next.wrapping_sub(distance as u32) } else { distance as u32 }
    }

    /// Notes that a number is used.
    #[inline]
    pub(super) fn reference(&mut self, number: u32) -> ValueId {
        self.highest = self.highest.max(number);
        ValueId::new(number)
    }

    /// An operand whose type follows from elsewhere.
    #[inline]
    pub(super) fn value(&mut self, fields: &mut Fields<'_>) -> Result<ValueId, Fault> {
        let number = self.absolute(fields.take()?);
        Ok(self.reference(number))
    }

    /// An operand given by its number, not by its distance.
    pub(super) fn absolute_value(&mut self, fields: &mut Fields<'_>) -> Result<ValueId, Fault> {
        let id = value(fields.take()?)?;
        Ok(self.reference(id.number()))
    }

    /// An operand whose type is known if it lies behind and written if it lies ahead.
    #[inline]
    pub(super) fn value_and_type(&mut self, fields: &mut Fields<'_>) -> Result<(ValueId, TypeId), Fault> {
        let number = self.absolute(fields.take()?);
        let id = self.reference(number);
        let ty = if number < self.next { self.type_of(id)? } else { self.ty(fields)? };
        Ok((id, ty))
    }

    /// A type of the table.
    #[inline]
    pub(super) fn ty(&self, fields: &mut Fields<'_>) -> Result<TypeId, Fault> {
        let id = fields.type_id()?;
        if id.index() < self.module.types.len() { Ok(id) } else { Err(Fault::BadType) }
    }

    /// A block of this function.
    #[inline]
    pub(super) fn block(&self, fields: &mut Fields<'_>) -> Result<BlockId, Fault> {
        self.block_number(fields.take()?)
    }

    pub(super) fn block_number(&self, number: u64) -> Result<BlockId, Fault> {
        match u32::try_from(number) {
            Ok(number) if number < self.declared_blocks => Ok(BlockId::new(number)),
            _ => Err(Fault::BadBlock),
        }
    }

    pub(super) fn block_list(&mut self, numbers: &[u64]) -> Result<List<BlockId>, Fault> {
        let start = self.body.pools.blocks.len();
        for &number in numbers {
            let block = self.block_number(number)?;
            self.body.pools.blocks.push(block);
        }
        Ok(list(start, self.body.pools.blocks.len()))
    }
}

/// The part of a pool between two lengths.
pub(super) fn list<T>(start: usize, end: usize) -> List<T> {
    List::new(start as u32, (end - start) as u32)
}
