//! An LLVM module as data: everything but the function bodies, which are decoded one at a time.
//!
//! In: the bytes of a bitcode file. Out: a [`Module`] that borrows them. A module is `Sync`, so bodies can
//! be decoded on several threads, each dropped when its lowering is done.
//!
//! What holds: every [`TypeId`] and [`ValueId`] in the module is in range (look-ups by foreign ids are the
//! caller's bug and answer `None`); types contain themselves only through pointers; constants are acyclic.
//! Metadata ids are not checked, so their look-up answers `None` for a bad one.
//!
//! ```no_run
//! # fn example(bytes: &[u8]) -> Result<(), watertight_frontend::bitcode::Error> {
//! use watertight_frontend::bitcode::Module;
//! let module = Module::parse(bytes)?;
//! for (id, function) in module.functions() {
//!     if !function.is_declaration {
//!         let body = module.function_body(id)?;
//!         println!("{}: {} instructions", function.name_lossy(), body.instructions.len());
//!     }
//! }
//! # Ok(()) }
//! ```

use std::borrow::Cow;
use std::sync::Arc;

use super::attribute::{Attribute, AttributeKind, AttributePlace};
use super::bitstream::{BlockInfo, BlockPlace};
use super::body::FunctionBody;
use super::constant::Constant;
use super::error::Error;
use super::ids::{
    AliasId, AttributeListId, FunctionId, GlobalVariableId, IfuncId, InstructionId, MetadataId, TypeId,
    ValueId,
};
use super::instruction::{Alignment, BundleTag, CallingConvention, SyncScope};
use super::metadata::{Attachment, Metadata, MetadataKind};
use super::read::{AttributeTable, TypeIndex, read_body, read_file};
use super::types::Type;

/// An LLVM module without its function bodies.
pub struct Module<'a> {
    /// What wrote the file, such as `LLVM19.1.7`.
    pub producer: Box<str>,
    pub triple: Box<str>,
    pub data_layout: Box<str>,
    pub source_file_name: Box<[u8]>,
    /// Assembly at file scope.
    pub inline_assembly: Box<[u8]>,
    pub(crate) types: Vec<Type>,
    /// Global values and module constants, in the order of their numbers.
    pub(crate) values: Vec<ModuleValue>,
    pub(crate) constants: Vec<Constant>,
    pub(crate) global_variables: Vec<GlobalVariable<'a>>,
    pub(crate) functions: Vec<Function<'a>>,
    pub(crate) aliases: Vec<Alias<'a>>,
    pub(crate) ifuncs: Vec<Alias<'a>>,
    pub(crate) metadata: Vec<Metadata<'a>>,
    pub(crate) named_metadata: Vec<NamedMetadata>,
    pub(crate) metadata_kinds: Vec<(MetadataKind, Box<str>)>,
    pub(crate) bundle_tags: Vec<Box<str>>,
    pub(crate) sync_scopes: Vec<Box<str>>,
    pub(crate) attributes: AttributeTable,
    pub(crate) index: TypeIndex,
    /// Whether operands are written as distances; all producers of the last ten years do.
    pub(crate) relative_ids: bool,
    pub(crate) alloca_address_space: u32,
    pub(crate) block_info: BlockInfo,
    pub(crate) bytes: &'a [u8],
}

/// A module-level value: its type and what it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModuleValue {
    pub(crate) ty: TypeId,
    pub(crate) definition: ModuleDefinition,
}

/// The kind of a module-level value and its index among its kind.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ModuleDefinition {
    GlobalVariable(GlobalVariableId),
    Function(FunctionId),
    Alias(AliasId),
    Ifunc(IfuncId),
    Constant(u32),
}

/// What a value number stands for.
#[derive(Clone, Copy, Debug)]
pub enum Value<'m> {
    GlobalVariable(GlobalVariableId),
    Function(FunctionId),
    Alias(AliasId),
    Ifunc(IfuncId),
    Constant(&'m Constant),
    /// Counted from 0; only in a function.
    Argument(u32),
    /// Only in a function.
    Instruction(InstructionId),
}

/// A variable with static storage.
#[derive(Clone, Debug)]
pub struct GlobalVariable<'a> {
    pub name: Cow<'a, [u8]>,
    /// Its number as a value: the address.
    pub value: ValueId,
    /// The type of the contents.
    pub value_type: TypeId,
    pub address_space: u32,
    pub constant: bool,
    /// A constant; absent for a declaration.
    pub initializer: Option<ValueId>,
    pub linkage: Linkage,
    pub visibility: Visibility,
    pub thread_local: ThreadLocal,
    pub align: Alignment,
    pub section: Option<Arc<str>>,
    pub externally_initialized: bool,
    /// Debug information (`DIGlobalVariableExpression`) and other nodes.
    pub attachments: Vec<Attachment>,
}

/// A function, declared or defined.
#[derive(Clone, Debug)]
pub struct Function<'a> {
    pub name: Cow<'a, [u8]>,
    /// Its number as a value: the address.
    pub value: ValueId,
    pub function_type: TypeId,
    pub address_space: u32,
    pub is_declaration: bool,
    pub linkage: Linkage,
    pub visibility: Visibility,
    pub attributes: Option<AttributeListId>,
    pub calling_convention: CallingConvention,
    pub align: Alignment,
    pub section: Option<Arc<str>>,
    /// The personality function of C++ code.
    pub personality: Option<ValueId>,
    /// Nodes attached to a declaration. Those of a definition, its `DISubprogram` among them, come with
    /// the [`FunctionBody`].
    pub attachments: Vec<Attachment>,
    /// Where the function block lies.
    pub(crate) body: Option<BlockPlace>,
}

/// Another name for a global value, or a function chosen by a resolver.
#[derive(Clone, Debug)]
pub struct Alias<'a> {
    pub name: Cow<'a, [u8]>,
    pub value: ValueId,
    pub value_type: TypeId,
    pub address_space: u32,
    /// The aliasee, a constant expression or a global value; for an ifunc the resolver function.
    pub target: ValueId,
    pub linkage: Linkage,
    pub visibility: Visibility,
    pub thread_local: ThreadLocal,
}

/// A list of nodes with a name, such as `llvm.module.flags`.
#[derive(Clone, Debug)]
pub struct NamedMetadata {
    pub name: Box<str>,
    pub nodes: Box<[MetadataId]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Linkage {
    External,
    AvailableExternally,
    LinkOnceAny,
    LinkOnceOdr,
    WeakAny,
    WeakOdr,
    Appending,
    Internal,
    Private,
    ExternalWeak,
    Common,
}

impl Linkage {
    /// Whether the symbol is known only inside this unit.
    pub fn is_local(self) -> bool {
        matches!(self, Linkage::Internal | Linkage::Private)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Visibility {
    #[default]
    Default,
    Hidden,
    Protected,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThreadLocal {
    #[default]
    No,
    GeneralDynamic,
    LocalDynamic,
    InitialExec,
    LocalExec,
}

impl GlobalVariable<'_> {
    /// The name for display.
    pub fn name_lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.name)
    }
}

impl Function<'_> {
    /// The name for display.
    pub fn name_lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.name)
    }
}

impl Alias<'_> {
    /// The name for display.
    pub fn name_lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.name)
    }
}

impl<'a> Module<'a> {
    /// Reads a file that holds exactly one module, as clang writes it.
    pub fn parse(bytes: &'a [u8]) -> Result<Module<'a>, Error> {
        let mut modules = read_file(bytes)?;
        match (modules.pop(), modules.len()) {
            (Some(module), 0) => Ok(module),
            (None, _) => Err(Error::ModuleCount { found: 0 }),
            (Some(_), others) => Err(Error::ModuleCount { found: others + 1 }),
        }
    }

    /// Reads a file that holds a unit in one or more parts: all modules are of the same source.
    pub fn parse_parts(bytes: &'a [u8]) -> Result<Vec<Module<'a>>, Error> {
        let modules = read_file(bytes)?;
        let of_one_source =
            modules.windows(2).all(|pair| pair[0].source_file_name == pair[1].source_file_name);
        if modules.is_empty() || !of_one_source {
            return Err(Error::ModuleCount { found: modules.len() });
        }
        Ok(modules)
    }

    /// Reads all modules of a file; there are several after `llvm-cat` or with split LTO units.
    pub fn parse_all(bytes: &'a [u8]) -> Result<Vec<Module<'a>>, Error> {
        read_file(bytes)
    }

    /// Decodes the body of a defined function. Asking for the body of a declaration is an error.
    pub fn function_body(&self, function: FunctionId) -> Result<FunctionBody<'_>, Error> {
        let mut body = FunctionBody::new(self);
        read_body(self, function, &mut body)?;
        Ok(body)
    }

    /// The same, in the room of another body of this module, so that many bodies cost few allocations. After
    /// an error the contents are of no use.
    pub fn function_body_into<'m>(
        &'m self,
        function: FunctionId,
        body: &mut FunctionBody<'m>,
    ) -> Result<(), Error> {
        read_body(self, function, body)
    }

    pub(crate) fn empty(producer: Box<str>, bytes: &'a [u8]) -> Self {
        let mut types = Vec::new();
        let index = TypeIndex::build(&mut types);
        Self {
            producer,
            triple: Box::default(),
            data_layout: Box::default(),
            source_file_name: Box::default(),
            inline_assembly: Box::default(),
            types: Vec::new(),
            values: Vec::new(),
            constants: Vec::new(),
            global_variables: Vec::new(),
            functions: Vec::new(),
            aliases: Vec::new(),
            ifuncs: Vec::new(),
            metadata: Vec::new(),
            named_metadata: Vec::new(),
            metadata_kinds: Vec::new(),
            bundle_tags: Vec::new(),
            sync_scopes: Vec::new(),
            attributes: AttributeTable::default(),
            index,
            relative_ids: true,
            alloca_address_space: 0,
            block_info: BlockInfo::default(),
            bytes,
        }
    }

    /// The type with this id, which must be one of this module.
    pub fn ty(&self, id: TypeId) -> &Type {
        &self.types[id.index()]
    }

    /// All types, in the order of their ids.
    pub fn types(&self) -> impl ExactSizeIterator<Item = (TypeId, &Type)> {
        self.types.iter().enumerate().map(|(index, ty)| (TypeId::new(index as u32), ty))
    }

    /// The number of global values and module constants; values of functions are numbered from here on.
    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    /// What a module-level number stands for; `None` for numbers of a function's own values.
    pub fn value(&self, id: ValueId) -> Option<Value<'_>> {
        let value = self.values.get(id.index())?;
        Some(match value.definition {
            ModuleDefinition::GlobalVariable(id) => Value::GlobalVariable(id),
            ModuleDefinition::Function(id) => Value::Function(id),
            ModuleDefinition::Alias(id) => Value::Alias(id),
            ModuleDefinition::Ifunc(id) => Value::Ifunc(id),
            ModuleDefinition::Constant(index) => Value::Constant(&self.constants[index as usize]),
        })
    }

    /// The type of a module-level value; for global values that is a pointer type.
    pub fn value_type(&self, id: ValueId) -> Option<TypeId> {
        self.values.get(id.index()).map(|value| value.ty)
    }

    /// The constant with this number, if a module constant has it.
    pub fn constant(&self, id: ValueId) -> Option<&Constant> {
        match self.value(id)? {
            Value::Constant(constant) => Some(constant),
            _ => None,
        }
    }

    pub fn global_variables(&self) -> impl ExactSizeIterator<Item = (GlobalVariableId, &GlobalVariable<'a>)> {
        self.global_variables.iter().enumerate().map(|(i, item)| (GlobalVariableId::new(i as u32), item))
    }

    pub fn global_variable(&self, id: GlobalVariableId) -> &GlobalVariable<'a> {
        &self.global_variables[id.index()]
    }

    pub fn functions(&self) -> impl ExactSizeIterator<Item = (FunctionId, &Function<'a>)> {
        self.functions.iter().enumerate().map(|(i, item)| (FunctionId::new(i as u32), item))
    }

    pub fn function(&self, id: FunctionId) -> &Function<'a> {
        &self.functions[id.index()]
    }

    pub fn aliases(&self) -> impl ExactSizeIterator<Item = (AliasId, &Alias<'a>)> {
        self.aliases.iter().enumerate().map(|(i, item)| (AliasId::new(i as u32), item))
    }

    pub fn alias(&self, id: AliasId) -> &Alias<'a> {
        &self.aliases[id.index()]
    }

    pub fn ifuncs(&self) -> impl ExactSizeIterator<Item = (IfuncId, &Alias<'a>)> {
        self.ifuncs.iter().enumerate().map(|(i, item)| (IfuncId::new(i as u32), item))
    }

    pub fn ifunc(&self, id: IfuncId) -> &Alias<'a> {
        &self.ifuncs[id.index()]
    }

    /// A string or node of the module's own metadata.
    pub fn metadata(&self, id: MetadataId) -> Option<&Metadata<'a>> {
        self.metadata.get(id.index())
    }

    /// The number of strings and nodes of the module; those of functions are numbered from here on.
    pub fn metadata_count(&self) -> usize {
        self.metadata.len()
    }

    /// The text of a metadata string.
    pub fn metadata_string(&self, id: Option<MetadataId>) -> Option<&'a [u8]> {
        match self.metadata(id?)? {
            Metadata::String(text) => Some(text),
            _ => None,
        }
    }

    pub fn named_metadata(&self) -> &[NamedMetadata] {
        &self.named_metadata
    }

    /// The name of a kind of attachment, such as `dbg` or `tbaa`.
    pub fn metadata_kind_name(&self, kind: MetadataKind) -> Option<&str> {
        let found = self.metadata_kinds.binary_search_by_key(&kind, |entry| entry.0).ok()?;
        Some(&self.metadata_kinds[found].1)
    }

    /// The name of an operand bundle, such as `funclet`.
    pub fn bundle_tag_name(&self, tag: BundleTag) -> Option<&str> {
        self.bundle_tags.get(tag.0 as usize).map(|name| &**name)
    }

    /// The name of a synchronisation scope; the one of the whole system is empty.
    pub fn sync_scope_name(&self, scope: SyncScope) -> Option<&str> {
        self.sync_scopes.get(scope.0 as usize).map(|name| &**name)
    }

    /// The attributes a list gives to one place; nothing for no list.
    pub fn attributes(
        &self,
        list: Option<AttributeListId>,
        place: AttributePlace,
    ) -> impl Iterator<Item = Attribute<'_>> {
        self.attributes.get(list, place)
    }

    /// The lists of attributes, in the order of their ids.
    pub fn attribute_lists(&self) -> impl ExactSizeIterator<Item = AttributeListId> + use<> {
        (0..self.attributes.list_count() as u32).map(AttributeListId::new)
    }

    /// The kinds of all attributes that a list gives to any place; none for those that only have a text.
    pub fn attribute_kinds(
        &self,
        list: AttributeListId,
    ) -> impl Iterator<Item = (AttributePlace, Option<AttributeKind>)> {
        self.attributes.all(list)
    }

    /// Whether a list gives this attribute to this place.
    pub fn has_attribute(
        &self,
        list: Option<AttributeListId>,
        place: AttributePlace,
        kind: AttributeKind,
    ) -> bool {
        self.attributes(list, place).any(|attribute| attribute.kind() == Some(kind))
    }
}
