//! Metadata: debug information, and the small nodes other metadata is made of.
//!
//! Nodes refer to each other by [`MetadataId`]; a reference may point forwards, and cycles are normal
//! (a struct has a member that points to the struct). Look nodes up through
//! [`Module::metadata`](super::Module::metadata) or, inside a function, through
//! [`FunctionBody::metadata`](super::FunctionBody::metadata), which also knows the function's own nodes.
//! Numbers such as tags and type encodings are those of DWARF. Kinds of node that carry nothing for the
//! analyses are kept as [`Metadata::Other`], so that every id keeps its meaning.

use super::ids::{MetadataId, TypeId, ValueId};

/// A metadata string or node. Text is borrowed from the bitcode; it is usually, not always, UTF-8.
#[derive(Clone, Debug, PartialEq)]
pub enum Metadata<'a> {
    String(&'a [u8]),
    /// A constant, a global, or (in function metadata) an argument or instruction.
    Value {
        ty: TypeId,
        value: ValueId,
    },
    /// Several values that together describe a variable: elements are [`Metadata::Value`].
    ArgumentList(Box<[MetadataId]>),
    /// A plain list of operands.
    Tuple {
        distinct: bool,
        operands: Box<[Option<MetadataId>]>,
    },
    Location(Location),
    File(Box<File>),
    CompileUnit(Box<CompileUnit>),
    Subprogram(Box<Subprogram>),
    LexicalBlock(LexicalBlock),
    LexicalBlockFile(LexicalBlockFile),
    LocalVariable(LocalVariable),
    GlobalVariable(Box<GlobalVariableInfo>),
    GlobalVariableExpression {
        variable: Option<MetadataId>,
        expression: Option<MetadataId>,
    },
    Label(Label),
    BasicType(Box<BasicType>),
    DerivedType(Box<DerivedType>),
    CompositeType(Box<CompositeType>),
    SubroutineType(SubroutineType),
    Subrange(Box<Subrange>),
    Enumerator(Box<Enumerator>),
    /// A DWARF expression: operations and their operands.
    Expression(Box<[u64]>),
    /// A node whose contents are not kept.
    Other {
        code: u32,
        fields: u32,
    },
    /// A number that is never defined.
    Missing,
}

/// `DILocation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    pub line: u32,
    pub column: u32,
    pub scope: Option<MetadataId>,
    pub inlined_at: Option<MetadataId>,
    pub implicit: bool,
}

/// `DIFile`; both names are strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File {
    pub name: Option<MetadataId>,
    pub directory: Option<MetadataId>,
    /// 1 MD5, 2 SHA-1, 3 SHA-256; 0 none.
    pub checksum_kind: u8,
    pub checksum: Option<MetadataId>,
}

/// `DICompileUnit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompileUnit {
    /// `DW_LANG_*`, or since LLVM 22 possibly the `DW_LNAME_*` of `language_name`.
    pub language: u32,
    pub file: Option<MetadataId>,
    pub producer: Option<MetadataId>,
    pub optimized: bool,
    /// 0 none, 1 full, 2 line tables, 3 directives.
    pub emission_kind: u32,
    pub enums: Option<MetadataId>,
    pub retained_types: Option<MetadataId>,
    pub globals: Option<MetadataId>,
}

/// `DISubprogram`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subprogram {
    pub distinct: bool,
    pub scope: Option<MetadataId>,
    pub name: Option<MetadataId>,
    pub linkage_name: Option<MetadataId>,
    pub file: Option<MetadataId>,
    pub line: u32,
    pub ty: Option<MetadataId>,
    pub scope_line: u32,
    pub flags: u32,
    /// `DISPFlags`: bit 2 is a local function, bit 3 a definition, bit 4 optimised.
    pub subprogram_flags: u32,
    pub unit: Option<MetadataId>,
    pub declaration: Option<MetadataId>,
    pub retained_nodes: Option<MetadataId>,
}

/// `DILexicalBlock`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LexicalBlock {
    pub scope: Option<MetadataId>,
    pub file: Option<MetadataId>,
    pub line: u32,
    pub column: u32,
}

/// `DILexicalBlockFile`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LexicalBlockFile {
    pub scope: Option<MetadataId>,
    pub file: Option<MetadataId>,
    pub discriminator: u32,
}

/// `DILocalVariable`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalVariable {
    pub scope: Option<MetadataId>,
    pub name: Option<MetadataId>,
    pub file: Option<MetadataId>,
    pub line: u32,
    pub ty: Option<MetadataId>,
    /// The position of a parameter, counted from 1; 0 for other variables.
    pub argument: u32,
    pub flags: u32,
}

/// `DIGlobalVariable`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobalVariableInfo {
    pub scope: Option<MetadataId>,
    pub name: Option<MetadataId>,
    pub linkage_name: Option<MetadataId>,
    pub file: Option<MetadataId>,
    pub line: u32,
    pub ty: Option<MetadataId>,
    pub local_to_unit: bool,
    pub definition: bool,
}

/// `DILabel`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    pub scope: Option<MetadataId>,
    pub name: Option<MetadataId>,
    pub file: Option<MetadataId>,
    pub line: u32,
}

/// A size or offset in bits: a number for C, a node where the language computes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bits {
    Constant(u64),
    Computed(Option<MetadataId>),
}

impl Bits {
    /// The number, if it is one.
    pub fn constant(self) -> Option<u64> {
        match self {
            Bits::Constant(bits) => Some(bits),
            Bits::Computed(_) => None,
        }
    }
}

/// `DIBasicType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BasicType {
    pub tag: u32,
    pub name: Option<MetadataId>,
    pub size: Bits,
    pub align: u32,
    /// `DW_ATE_*`.
    pub encoding: u32,
}

/// `DIDerivedType`: typedefs, pointers, qualifiers, members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DerivedType {
    pub tag: u32,
    pub name: Option<MetadataId>,
    pub file: Option<MetadataId>,
    pub line: u32,
    pub scope: Option<MetadataId>,
    pub base: Option<MetadataId>,
    pub size: Bits,
    pub align: u32,
    pub offset: Bits,
    /// Bit 19 marks a bit-field.
    pub flags: u32,
    /// For a bit-field the offset of its storage unit, as a constant.
    pub extra: Option<MetadataId>,
}

/// `DICompositeType`: structs, unions, enums, arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompositeType {
    pub distinct: bool,
    pub tag: u32,
    pub name: Option<MetadataId>,
    pub file: Option<MetadataId>,
    pub line: u32,
    pub scope: Option<MetadataId>,
    pub base: Option<MetadataId>,
    pub size: Bits,
    pub align: u32,
    pub offset: Bits,
    pub flags: u32,
    /// A tuple of members, enumerators or subranges.
    pub elements: Option<MetadataId>,
    pub identifier: Option<MetadataId>,
}

/// `DISubroutineType`: `types` is a tuple, result first, a null last element for variable arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubroutineType {
    pub flags: u32,
    pub calling_convention: u32,
    pub types: Option<MetadataId>,
}

/// `DISubrange`: each bound is a constant, a variable or an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subrange {
    pub count: SubrangeBound,
    pub lower: SubrangeBound,
    pub upper: SubrangeBound,
}

/// One bound of a [`Subrange`]. Up to version 1 of the record the number stood in the record itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubrangeBound {
    Constant(i64),
    Node(Option<MetadataId>),
}

/// `DIEnumerator`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumerator {
    pub name: Option<MetadataId>,
    /// The value, if it fits.
    pub value: Option<i128>,
    pub unsigned: bool,
}

/// The kind of a metadata attachment: see [`Module::metadata_kind_name`](super::Module::metadata_kind_name).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MetadataKind(pub u32);

impl MetadataKind {
    /// `!dbg`, whose number LLVM keeps fixed.
    pub const DEBUG: Self = Self(0);
}

/// A node attached to a function, a global variable or an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attachment {
    pub kind: MetadataKind,
    pub node: MetadataId,
}
