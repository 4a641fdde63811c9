//! Reads a `MODULE` block: everything but the contents of functions, of which only the place is noted.

use std::borrow::Cow;
use std::sync::Arc;

use super::attributes::{read_groups, read_lists};
use super::constants::{self, read_constants, value};
use super::fields::{Fields, bytes, text};
use super::metadata::{MetadataSink, fold_sizes, read_kinds, read_metadata};
use super::nesting::Part;
use super::numbers::{alignment, linkage, thread_local, visibility};
use super::types::{TypeIndex, read_types};
use super::{AttributeTable, locate};
use crate::bitcode::bitstream::{BlockInfo, BlockPlace, BlockReader, Entry, Record};
use crate::bitcode::codes::{block, module as code, symbols};
use crate::bitcode::constant::Constant;
use crate::bitcode::error::Error;
use crate::bitcode::fault::Fault;
use crate::bitcode::ids::{AliasId, FunctionId, GlobalVariableId, IfuncId, TypeId, ValueId};
use crate::bitcode::instruction::CallingConvention;
use crate::bitcode::metadata::Metadata;
use crate::bitcode::module::{
    Alias, Function, GlobalVariable, Module, ModuleDefinition, ModuleValue, ThreadLocal, Visibility,
};
use crate::bitcode::types::Type;

/// What is collected while the block is read.
struct ModuleReader<'a> {
    bytes: &'a [u8],
    strings: &'a [u8],
    info: BlockInfo,
    record: Record<'a>,
    version: u64,
    sections: Vec<Arc<str>>,
    index: Option<TypeIndex>,
    attributes: AttributeTable,
    metadata: MetadataSink<'a>,
    module: Module<'a>,
    /// Functions before this one have their body already.
    next_body: usize,
}

/// Reads the module at `place`; `strings` holds the names of its symbols.
pub(crate) fn read_module<'a>(
    bytes: &'a [u8],
    place: BlockPlace,
    producer: Box<str>,
    strings: &'a [u8],
) -> Result<Module<'a>, Error> {
    let mut block = BlockReader::resume(bytes, place, &BlockInfo::default());
    let mut reader = ModuleReader {
        bytes,
        strings,
        info: BlockInfo::default(),
        record: Record::default(),
        version: 0,
        sections: Vec::new(),
        index: None,
        attributes: AttributeTable::default(),
        metadata: MetadataSink::default(),
        module: Module::empty(producer, bytes),
        next_body: 0,
    };
    loop {
        let next = block.next(&reader.info, &mut reader.record);
        let entry = next.map_err(|fault| locate(fault, &block, &reader.module.producer))?;
        match entry {
            Entry::End => break,
            Entry::Block(mut inner) => match reader.read_block(&mut inner) {
                Ok(()) => {}
                Err(fault) => return Err(locate(fault, &inner, &reader.module.producer)),
            },
            Entry::Record => match reader.read_record() {
                Ok(()) => {}
                Err(fault) => return Err(locate(fault, &block, &reader.module.producer)),
            },
        }
    }
    let producer = reader.module.producer.clone();
    reader.finish().map_err(|fault| locate(fault, &block, &producer))
}

impl<'a> ModuleReader<'a> {
    fn read_block(&mut self, inner: &mut BlockReader<'a>) -> Result<(), Fault> {
        let (info, record) = (&self.info, &mut self.record);
        match inner.id() {
            block::BLOCK_INFO => {
                let mut info = std::mem::take(&mut self.info);
                let result = inner.read_block_info(&mut info, &mut self.record);
                self.info = info;
                result
            }
            block::TYPES => {
                read_types(inner, info, record, &mut self.module.types)?;
                self.index = Some(TypeIndex::build(&mut self.module.types));
                Ok(())
            }
            block::ATTRIBUTE_GROUPS => read_groups(inner, info, record, &mut self.attributes),
            block::ATTRIBUTES => read_lists(inner, info, record, &mut self.attributes),
            block::CONSTANTS => {
                let Module { types, values, constants, .. } = &mut self.module;
                read_constants(inner, info, record, types, |ty, constant| {
                    values.push(ModuleValue {
                        ty,
                        definition: ModuleDefinition::Constant(constants.len() as u32),
                    });
                    constants.push(constant);
                })
            }
            block::METADATA => {
                read_metadata(inner, info, record, self.module.types.len(), &mut self.metadata)
            }
            block::METADATA_KIND => read_kinds(inner, info, record, &mut self.metadata.kinds),
            block::BUNDLE_TAGS => read_names(inner, info, record, &mut self.module.bundle_tags),
            block::SYNC_SCOPES => read_names(inner, info, record, &mut self.module.sync_scopes),
            block::VALUE_SYMBOLS => self.read_symbols(inner),
            block::FUNCTION => {
                let functions = self.module.functions.iter_mut().skip(self.next_body);
                let (offset, function) = functions
                    .enumerate()
                    .find(|(_, function)| !function.is_declaration)
                    .ok_or(Fault::NoBody)?;
                function.body = Some(inner.place());
                self.next_body += offset + 1;
                Ok(())
            }
            // Orders of uses, summaries for link-time optimisation, and whatever the future adds.
            _ => Ok(()),
        }
    }

    fn read_record(&mut self) -> Result<(), Fault> {
        let record = std::mem::take(&mut self.record);
        let result = self.read_module_record(&record);
        self.record = record;
        result
    }

    fn read_module_record(&mut self, record: &Record<'a>) -> Result<(), Fault> {
        let fields = &record.fields;
        match record.code {
            code::VERSION => {
                self.version = Fields::new(fields).take()?;
                if self.version > 2 {
                    return Err(Fault::Unsupported("a new version of the module format"));
                }
            }
            code::TRIPLE => self.module.triple = text(fields),
            code::DATA_LAYOUT => self.module.data_layout = text(fields),
            code::ASSEMBLY => self.module.inline_assembly = bytes(fields),
            code::SECTION_NAME => self.sections.push(text(fields).into()),
            code::SOURCE_FILE_NAME => self.module.source_file_name = bytes(fields),
            code::GLOBAL_VARIABLE => self.read_global_variable(Fields::new(fields))?,
            code::FUNCTION => self.read_function(Fields::new(fields))?,
            code::ALIAS | code::IFUNC => self.read_alias(record.code, Fields::new(fields))?,
            code::ALIAS_OLD => return Err(Fault::OldRecord),
            code::DEPENDENT_LIBRARY
            | code::GC_NAME
            | code::COMDAT
            | code::SYMBOLS_OFFSET
            | code::METADATA_VALUES
            | code::HASH => {}
            other => return Err(Fault::UnknownRecord(other)),
        }
        Ok(())
    }

    /// The name at the head of a symbol's record; before version 2 it stands in a block of its own.
    fn name(&self, fields: &mut Fields<'_>) -> Result<Cow<'a, [u8]>, Fault> {
        if self.version < 2 {
            return Ok(Cow::Borrowed(&[]));
        }
        let start = usize::try_from(fields.take()?).map_err(|_| Fault::BadNumber)?;
        let length = usize::try_from(fields.take()?).map_err(|_| Fault::BadNumber)?;
        let name = start.checked_add(length).and_then(|end| self.strings.get(start..end));
        name.map(Cow::Borrowed).ok_or(Fault::BadNumber)
    }

    fn ty(&self, id: TypeId) -> Result<&Type, Fault> {
        self.module.types.get(id.index()).ok_or(Fault::BadType)
    }

    fn section(&self, number: u64) -> Result<Option<Arc<str>>, Fault> {
        match usize::try_from(number).map_err(|_| Fault::BadNumber)? {
            0 => Ok(None),
            number => self.sections.get(number - 1).cloned().map(Some).ok_or(Fault::BadNumber),
        }
    }

    /// Gives the next number to a global value.
    fn define(
        &mut self,
        value_type: TypeId,
        address_space: u32,
        definition: ModuleDefinition,
    ) -> Result<ValueId, Fault> {
        let index = self.index.as_ref().ok_or(Fault::BadType)?;
        let ty = index.pointer(value_type, address_space)?;
        let value = ValueId::new(self.module.values.len() as u32);
        self.module.values.push(ModuleValue { ty, definition });
        Ok(value)
    }

    fn read_global_variable(&mut self, mut fields: Fields<'_>) -> Result<(), Fault> {
        let name = self.name(&mut fields)?;
        let written_type = fields.type_id()?;
        let packed = fields.take()?;
        let explicit = packed & 2 != 0;
        let (value_type, address_space) = match (explicit, self.ty(written_type)?) {
            (true, _) => (written_type, u32::try_from(packed >> 2).map_err(|_| Fault::BadNumber)?),
            (false, Type::Pointer { pointee: Some(pointee), address_space }) => (*pointee, *address_space),
            _ => return Err(Fault::BadType),
        };
        let initializer = optional_value(fields.take()?)?;
        let linkage = linkage(fields.take()?);
        let align = alignment(fields.take()?)?;
        let section = self.section(fields.take()?)?;
        let visibility = fields.optional().map_or(Visibility::Default, visibility);
        let thread_local = fields.optional().map_or(ThreadLocal::No, thread_local);
        let _unnamed_address = fields.optional();
        let externally_initialized = fields.optional().is_some_and(|flag| flag != 0);
        // What follows concerns linkers and sanitizers.
        let id = GlobalVariableId::new(self.module.global_variables.len() as u32);
        let value = self.define(value_type, address_space, ModuleDefinition::GlobalVariable(id))?;
        self.module.global_variables.push(GlobalVariable {
            name,
            value,
            value_type,
            address_space,
            constant: packed & 1 != 0,
            initializer,
            linkage,
            visibility,
            thread_local,
            align,
            section,
            externally_initialized,
            attachments: Vec::new(),
        });
        Ok(())
    }

    fn read_function(&mut self, mut fields: Fields<'_>) -> Result<(), Fault> {
        let name = self.name(&mut fields)?;
        let mut function_type = fields.type_id()?;
        if let Type::Pointer { pointee: Some(pointee), .. } = self.ty(function_type)? {
            function_type = *pointee;
        }
        if !matches!(self.ty(function_type)?, Type::Function { .. }) {
            return Err(Fault::BadType);
        }
        let calling_convention =
            CallingConvention(u16::try_from(fields.take()?).map_err(|_| Fault::BadNumber)?);
        let is_declaration = fields.flag()?;
        let linkage = linkage(fields.take()?);
        let attributes = self.attributes.list(fields.take()?)?;
        let align = alignment(fields.take()?)?;
        let section = self.section(fields.take()?)?;
        let visibility = visibility(fields.take()?);
        // Collector, unnamed address, prologue, storage class, comdat and prefix data.
        let tail = fields.rest();
        let personality = optional_value(tail.get(6).copied().unwrap_or(0))?;
        let address_space = u32::try_from(tail.get(8).copied().unwrap_or(0)).map_err(|_| Fault::BadNumber)?;
        let id = FunctionId::new(self.module.functions.len() as u32);
        let value = self.define(function_type, address_space, ModuleDefinition::Function(id))?;
        self.module.functions.push(Function {
            name,
            value,
            function_type,
            address_space,
            is_declaration,
            linkage,
            visibility,
            attributes,
            calling_convention,
            align,
            section,
            personality,
            attachments: Vec::new(),
            body: None,
        });
        Ok(())
    }

    fn read_alias(&mut self, number: u32, mut fields: Fields<'_>) -> Result<(), Fault> {
        let name = self.name(&mut fields)?;
        let value_type = fields.type_id()?;
        self.ty(value_type)?;
        let address_space = fields.take32()?;
        let target = value(fields.take()?)?;
        let linkage = linkage(fields.take()?);
        let visibility = fields.optional().map_or(Visibility::Default, visibility);
        let is_alias = number == code::ALIAS;
        let _storage_class = fields.optional();
        let thread_local =
            if is_alias { fields.optional().map_or(ThreadLocal::No, thread_local) } else { ThreadLocal::No };
        let definition = if is_alias {
            ModuleDefinition::Alias(AliasId::new(self.module.aliases.len() as u32))
        } else {
            ModuleDefinition::Ifunc(IfuncId::new(self.module.ifuncs.len() as u32))
        };
        let value = self.define(value_type, address_space, definition)?;
        let alias =
            Alias { name, value, value_type, address_space, target, linkage, visibility, thread_local };
        let list = if is_alias { &mut self.module.aliases } else { &mut self.module.ifuncs };
        list.push(alias);
        Ok(())
    }

    /// Names of symbols, for files older than the string table; later only offsets of functions.
    fn read_symbols(&mut self, inner: &mut BlockReader<'a>) -> Result<(), Fault> {
        loop {
            match inner.next(&self.info, &mut self.record)? {
                Entry::End => return Ok(()),
                Entry::Block(_) => continue,
                Entry::Record => {}
            }
            let mut fields = Fields::new(&self.record.fields);
            let number = fields.take()?;
            match self.record.code {
                symbols::ENTRY => {}
                symbols::FUNCTION_ENTRY => {
                    fields.take()?;
                }
                symbols::COMBINED_ENTRY => continue,
                other => return Err(Fault::UnknownRecord(other)),
            }
            if self.version >= 2 {
                continue;
            }
            let name = Cow::Owned(bytes(fields.rest()).into_vec());
            let value = self.module.values.get(value(number)?.index()).ok_or(Fault::BadValue)?;
            match value.definition {
                ModuleDefinition::GlobalVariable(id) => self.module.global_variables[id.index()].name = name,
                ModuleDefinition::Function(id) => self.module.functions[id.index()].name = name,
                ModuleDefinition::Alias(id) => self.module.aliases[id.index()].name = name,
                ModuleDefinition::Ifunc(id) => self.module.ifuncs[id.index()].name = name,
                ModuleDefinition::Constant(_) => return Err(Fault::BadValue),
            }
        }
    }

    /// Checks what could not be checked before everything was known, and puts the parts together.
    fn finish(mut self) -> Result<Module<'a>, Fault> {
        let mut module = self.module;
        if module.functions.iter().any(|function| function.is_declaration == function.body.is_some()) {
            return Err(Fault::NoBody);
        }
        self.attributes.check(module.types.len())?;
        let known = |id: ValueId| id.index() < module.values.len();
        let all_known = module.global_variables.iter().filter_map(|global| global.initializer).all(known)
            && module.functions.iter().filter_map(|function| function.personality).all(known)
            && module.aliases.iter().chain(&module.ifuncs).all(|alias| known(alias.target))
            && self.metadata.highest_value.is_none_or(known);
        if !all_known {
            return Err(Fault::BadValue);
        }
        constants::check(&module.constants, |id| {
            let value = module.values.get(id.index()).ok_or(Fault::BadValue)?;
            Ok(match value.definition {
                ModuleDefinition::Constant(index) => Part::Inner(index as usize),
                _ => Part::Leaf,
            })
        })?;
        for (owner, attachment) in self.metadata.attachments {
            match module.values.get(owner.index()).ok_or(Fault::BadValue)?.definition {
                ModuleDefinition::GlobalVariable(id) => {
                    module.global_variables[id.index()].attachments.push(attachment);
                }
                ModuleDefinition::Function(id) => module.functions[id.index()].attachments.push(attachment),
                // Aliases, ifuncs and constants carry none that matter.
                _ => {}
            }
        }
        fold_sizes(&mut self.metadata.nodes, |nodes, id| {
            integer_node(nodes.get(id.index())?, |value| module.constant(value))
        });
        self.metadata.kinds.sort_by_key(|kind| kind.0);
        self.metadata.nodes.shrink_to_fit();
        module.metadata = self.metadata.nodes;
        module.named_metadata = self.metadata.named;
        module.metadata_kinds = self.metadata.kinds;
        module.attributes = self.attributes;
        module.index = match self.index {
            Some(index) => index,
            None => TypeIndex::build(&mut module.types),
        };
        module.relative_ids = self.version >= 1;
        module.alloca_address_space = alloca_address_space(&module.data_layout);
        module.block_info = self.info;
        module.bytes = self.bytes;
        Ok(module)
    }
}

/// The integer behind a node that is a constant.
pub(super) fn integer_node<'m>(
    node: &Metadata<'_>,
    constant: impl Fn(ValueId) -> Option<&'m Constant>,
) -> Option<i64> {
    match node {
        Metadata::Value { value, .. } => match constant(*value)? {
            Constant::Integer(number) => Some(*number),
            _ => None,
        },
        _ => None,
    }
}

/// A reference to a value that may be absent, written as its number plus one.
fn optional_value(number: u64) -> Result<Option<ValueId>, Fault> {
    number.checked_sub(1).map(value).transpose()
}

/// The address space of local variables, `A<n>` in the data layout.
fn alloca_address_space(layout: &str) -> u32 {
    let part = layout.split('-').find_map(|part| part.strip_prefix('A'));
    part.and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn read_names<'a>(
    block: &mut BlockReader<'a>,
    info: &BlockInfo,
    record: &mut Record<'a>,
    names: &mut Vec<Box<str>>,
) -> Result<(), Fault> {
    const NAME: u32 = 1;
    let limit = block.remaining_bytes() + 16;
    loop {
        match block.next(info, record)? {
            Entry::End => return Ok(()),
            Entry::Block(_) => continue,
            Entry::Record if record.code == NAME => names.push(text(&record.fields)),
            Entry::Record => return Err(Fault::UnknownRecord(record.code)),
        }
        if names.len() as u64 > limit {
            return Err(Fault::TooMany);
        }
    }
}
