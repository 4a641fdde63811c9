//! From LLVM's debug metadata to ours: files, places, variables and C types, converted when first used.

use crate::bitcode::{
    BasicType, CompositeType, Constant, DerivedType, FunctionBody, Metadata, MetadataId, Module,
    SubrangeBound, ValueId,
};
use rustc_hash::FxHashMap;
use watertight_ir::{
    DebugInfo, DebugType, DebugTypeId, Encoding, FileId, Member, NameId, Qualifier, Record, RecordKind,
    Variable,
};

/// Finds metadata nodes: those of a module, or also those of one function.
pub(super) trait Nodes {
    fn node(&self, id: MetadataId) -> Option<&Metadata<'_>>;
    /// The integer constant with this number.
    fn number(&self, id: ValueId) -> Option<i64>;
}

impl Nodes for Module<'_> {
    fn node(&self, id: MetadataId) -> Option<&Metadata<'_>> {
        self.metadata(id)
    }
    fn number(&self, id: ValueId) -> Option<i64> {
        integer(self.constant(id)?)
    }
}

impl Nodes for FunctionBody<'_> {
    fn node(&self, id: MetadataId) -> Option<&Metadata<'_>> {
        self.metadata(id)
    }
    fn number(&self, id: ValueId) -> Option<i64> {
        integer(self.constant(id)?)
    }
}

fn integer(constant: &Constant) -> Option<i64> {
    match constant {
        Constant::Integer(value) => Some(*value),
        _ => None,
    }
}

/// No scope chain of a program is deeper; a cycle in hostile metadata ends here.
const DEEPEST_SCOPE: usize = 256;

/// The debug information of a unit, growing as bodies ask for it.
pub(super) struct Debug {
    pub info: DebugInfo,
    /// Nodes with a smaller number belong to the module, the others to the function at hand.
    module_nodes: usize,
    /// How many more parts of types (members, values, parameters) are converted. Types share lists of parts
    /// in hostile metadata only.
    parts_left: usize,
    files: FxHashMap<MetadataId, FileId>,
    paths: FxHashMap<Box<str>, FileId>,
    types: FxHashMap<MetadataId, DebugTypeId>,
    scopes: FxHashMap<MetadataId, Scope>,
    local_types: FxHashMap<MetadataId, DebugTypeId>,
    local_scopes: FxHashMap<MetadataId, Scope>,
    /// The scope that was asked for last: neighbouring code is in the same one.
    last_scope: Option<(MetadataId, Scope)>,
    /// By metadata string of the module.
    names: Vec<Option<NameId>>,
}

/// What a scope tells about the code in it.
#[derive(Copy, Clone, Debug)]
pub(super) struct Scope {
    pub file: FileId,
    pub function: Option<NameId>,
}

impl Debug {
    pub(super) fn new(module: &Module<'_>) -> Debug {
        Debug {
            info: DebugInfo::default(),
            module_nodes: module.metadata_count(),
            parts_left: module.metadata_count().saturating_mul(8) + (1 << 16),
            files: FxHashMap::default(),
            paths: FxHashMap::default(),
            types: FxHashMap::default(),
            scopes: FxHashMap::default(),
            local_types: FxHashMap::default(),
            local_scopes: FxHashMap::default(),
            last_scope: None,
            names: Vec::new(),
        }
    }

    /// Forgets the nodes of the last function: the next one uses the same numbers for others.
    pub(super) fn next_function(&mut self) {
        self.local_types.clear();
        self.local_scopes.clear();
        self.last_scope = None;
    }

    pub(super) fn name(&mut self, nodes: &dyn Nodes, id: Option<MetadataId>) -> Option<NameId> {
        let id = id?;
        if let Some(&Some(name)) = self.names.get(id.index()) {
            return Some(name);
        }
        match nodes.node(id)? {
            Metadata::String(text) if !text.is_empty() => {
                let names = &mut self.info.names;
                let name = match std::str::from_utf8(text) {
                    Ok(text) => names.intern(text),
                    Err(_) => names.intern(&String::from_utf8_lossy(text)),
                };
                if id.index() < self.module_nodes {
                    if self.names.len() <= id.index() {
                        self.names.resize(id.index() + 1, None);
                    }
                    self.names[id.index()] = Some(name);
                }
                Some(name)
            }
            _ => None,
        }
    }

    /// The file of a `DIFile` node; the empty path when there is none.
    pub(super) fn file(&mut self, nodes: &dyn Nodes, id: Option<MetadataId>) -> FileId {
        if let Some(id) = id
            && let Some(&file) = self.files.get(&id)
        {
            return file;
        }
        let path = id.and_then(|id| path_of(nodes, id)).unwrap_or_default();
        let file = match self.paths.get(&*path) {
            Some(&file) => file,
            None => {
                let file = self.info.files.push(path.clone());
                self.paths.insert(path, file);
                file
            }
        };
        if let Some(id) = id
            && id.index() < self.module_nodes
        {
            self.files.insert(id, file);
        }
        file
    }

    /// File and function that a scope node belongs to.
    #[inline]
    pub(super) fn scope(&mut self, nodes: &dyn Nodes, id: Option<MetadataId>) -> Scope {
        let Some(id) = id else { return Scope { file: self.file(nodes, None), function: None } };
        if let Some((last, scope)) = self.last_scope
            && last == id
        {
            return scope;
        }
        let scope = self.new_scope(nodes, id);
        self.last_scope = Some((id, scope));
        scope
    }

    fn new_scope(&mut self, nodes: &dyn Nodes, id: MetadataId) -> Scope {
        if let Some(scope) = self.known_scope(id) {
            return scope;
        }
        let mut file = None;
        let mut function = None;
        let mut at = Some(id);
        for _ in 0..DEEPEST_SCOPE {
            // Scopes nest, so the surrounding one is often known.
            if let Some(outer) = at.and_then(|id| self.known_scope(id)) {
                let file = if file.is_some() { self.file(nodes, file) } else { outer.file };
                return self.keep_scope(id, Scope { file, ..outer });
            }
            let Some(node) = at.and_then(|id| nodes.node(id)) else { break };
            let (own, parent) = match node {
                Metadata::LexicalBlock(block) => (block.file, block.scope),
                Metadata::LexicalBlockFile(block) => (block.file, block.scope),
                Metadata::Subprogram(subprogram) => {
                    file = file.or(subprogram.file);
                    function = self.name(nodes, subprogram.name);
                    break;
                }
                Metadata::File(_) => (at, None),
                _ => break,
            };
            file = file.or(own);
            at = parent;
        }
        let scope = Scope { file: self.file(nodes, file), function };
        self.keep_scope(id, scope)
    }

    fn known_scope(&self, id: MetadataId) -> Option<Scope> {
        let known = if id.index() >= self.module_nodes { &self.local_scopes } else { &self.scopes };
        known.get(&id).copied()
    }

    fn keep_scope(&mut self, id: MetadataId, scope: Scope) -> Scope {
        let local = id.index() >= self.module_nodes;
        if local { &mut self.local_scopes } else { &mut self.scopes }.insert(id, scope);
        scope
    }

    /// A local variable; its place and home are the body's business.
    pub(super) fn variable(
        &mut self,
        nodes: &dyn Nodes,
        id: MetadataId,
    ) -> Option<(Variable, u32, Option<MetadataId>)> {
        match nodes.node(id)? {
            Metadata::LocalVariable(variable) => {
                let (line, scope, argument) = (variable.line, variable.scope, variable.argument);
                let (name, ty) = (variable.name, variable.ty);
                let variable = Variable {
                    name: self.name(nodes, name)?,
                    ty: self.ty(nodes, ty),
                    place: None,
                    parameter: argument.checked_sub(1),
                    home: None,
                };
                Some((variable, line, scope))
            }
            _ => None,
        }
    }

    /// Our type for a type node, with all it refers to.
    pub(super) fn ty(&mut self, nodes: &dyn Nodes, id: Option<MetadataId>) -> Option<DebugTypeId> {
        let mut open = Vec::new();
        let root = self.reserve(id, &mut open);
        while let Some((id, ty)) = open.pop() {
            let converted = self.convert(nodes, id, &mut open);
            self.info.types[ty] = converted;
        }
        root
    }

    /// The id of a type that is known, or is going to be converted.
    fn reserve(
        &mut self,
        id: Option<MetadataId>,
        open: &mut Vec<(MetadataId, DebugTypeId)>,
    ) -> Option<DebugTypeId> {
        let id = id?;
        let known = if id.index() < self.module_nodes { &mut self.types } else { &mut self.local_types };
        if let Some(&ty) = known.get(&id) {
            return Some(ty);
        }
        let ty = self.info.types.push(DebugType::Opaque);
        known.insert(id, ty);
        open.push((id, ty));
        Some(ty)
    }

    fn convert(
        &mut self,
        nodes: &dyn Nodes,
        id: MetadataId,
        open: &mut Vec<(MetadataId, DebugTypeId)>,
    ) -> DebugType {
        match nodes.node(id) {
            Some(Metadata::BasicType(basic)) => self.basic(nodes, basic),
            Some(Metadata::DerivedType(derived)) => self.derived(nodes, derived, open),
            Some(Metadata::CompositeType(composite)) => self.composite(nodes, composite, open),
            Some(Metadata::SubroutineType(subroutine)) => {
                let types = tuple(nodes, subroutine.types);
                let Some(left) = self.parts_left.checked_sub(types.len()) else { return DebugType::Opaque };
                self.parts_left = left;
                let variadic = types.len() > 1 && types.last().is_some_and(Option::is_none);
                let params = types.get(1..types.len() - usize::from(variadic)).unwrap_or_default();
                DebugType::Function {
                    result: self.reserve(types.first().copied().flatten(), open),
                    params: params.iter().map(|&param| self.reserve(param, open)).collect(),
                    variadic,
                }
            }
            _ => DebugType::Opaque,
        }
    }

    fn basic(&mut self, nodes: &dyn Nodes, basic: &BasicType) -> DebugType {
        let encoding = match basic.encoding {
            0x02 => Encoding::Boolean,
            0x04 => Encoding::Float,
            0x05 => Encoding::Signed,
            0x06 => Encoding::SignedChar,
            0x07 => Encoding::Unsigned,
            0x08 => Encoding::UnsignedChar,
            _ => Encoding::Other,
        };
        match self.name(nodes, basic.name) {
            Some(name) => DebugType::Base { name, bits: basic.size.constant().unwrap_or(0), encoding },
            None => DebugType::Opaque,
        }
    }

    fn derived(
        &mut self,
        nodes: &dyn Nodes,
        derived: &DerivedType,
        open: &mut Vec<(MetadataId, DebugTypeId)>,
    ) -> DebugType {
        let of = self.reserve(derived.base, open);
        let qualified = |qualifier| DebugType::Qualified { qualifier, of };
        match derived.tag {
            // Pointer, reference, pointer to member, rvalue reference.
            0x0f | 0x10 | 0x1f | 0x42 => DebugType::Pointer { to: of },
            0x16 => match self.name(nodes, derived.name) {
                Some(name) => DebugType::Typedef { name, of },
                None => DebugType::Opaque,
            },
            0x26 => qualified(Qualifier::Const),
            0x35 => qualified(Qualifier::Volatile),
            0x37 => qualified(Qualifier::Restrict),
            0x47 => qualified(Qualifier::Atomic),
            _ => DebugType::Opaque,
        }
    }

    fn composite(
        &mut self,
        nodes: &dyn Nodes,
        composite: &CompositeType,
        open: &mut Vec<(MetadataId, DebugTypeId)>,
    ) -> DebugType {
        let bits = composite.size.constant().unwrap_or(0);
        let name = self.name(nodes, composite.name);
        let elements = tuple(nodes, composite.elements);
        let Some(left) = self.parts_left.checked_sub(elements.len()) else { return DebugType::Opaque };
        self.parts_left = left;
        let kind = match composite.tag {
            0x01 => {
                let counts = elements.iter().map(|&element| count_of(nodes, element)).collect();
                return DebugType::Array { of: self.reserve(composite.base, open), counts };
            }
            0x04 => {
                let mut values = Vec::new();
                for element in elements.iter().flatten() {
                    if let Some(Metadata::Enumerator(enumerator)) = nodes.node(*element)
                        && let Some(value) = enumerator.value
                        && let Some(name) = self.name(nodes, enumerator.name)
                    {
                        values.push((name, value as i64));
                    }
                }
                return DebugType::Enum { name, bits, values: values.into() };
            }
            0x02 => RecordKind::Class,
            0x13 => RecordKind::Struct,
            0x17 => RecordKind::Union,
            _ => return DebugType::Opaque,
        };
        let mut members = Vec::new();
        for element in elements.iter().flatten() {
            // Only data members (and base classes) have an offset in the object.
            if let Some(Metadata::DerivedType(member)) = nodes.node(*element)
                && matches!(member.tag, 0x0d | 0x1c)
                && member.flags & STATIC_MEMBER == 0
            {
                members.push(Member {
                    name: self.name(nodes, member.name),
                    offset_bits: member.offset.constant().unwrap_or(0),
                    bits: member.size.constant().unwrap_or(0),
                    ty: self.reserve(member.base, open),
                    bit_field: member.flags & BIT_FIELD != 0,
                });
            }
        }
        DebugType::Record(Record { kind, name, bytes: bits / 8, members: members.into() })
    }
}

const BIT_FIELD: u32 = 1 << 19;
const STATIC_MEMBER: u32 = 1 << 12;

fn tuple(nodes: &dyn Nodes, id: Option<MetadataId>) -> &[Option<MetadataId>] {
    match id.and_then(|id| nodes.node(id)) {
        Some(Metadata::Tuple { operands, .. }) => operands,
        _ => &[],
    }
}

fn count_of(nodes: &dyn Nodes, element: Option<MetadataId>) -> Option<u64> {
    match nodes.node(element?)? {
        Metadata::Subrange(range) => match range.count {
            SubrangeBound::Constant(count) => u64::try_from(count).ok(),
            SubrangeBound::Node(node) => match nodes.node(node?)? {
                Metadata::Value { value, .. } => {
                    nodes.number(*value).and_then(|count| u64::try_from(count).ok())
                }
                _ => None,
            },
        },
        _ => None,
    }
}

/// The path of a file node, joined with its directory when relative.
fn path_of(nodes: &dyn Nodes, id: MetadataId) -> Option<Box<str>> {
    let Metadata::File(file) = nodes.node(id)? else { return None };
    let text = |id: Option<MetadataId>| match nodes.node(id?)? {
        Metadata::String(text) => Some(String::from_utf8_lossy(text)),
        _ => None,
    };
    let name = text(file.name)?;
    match text(file.directory) {
        Some(directory) if !name.starts_with('/') && !directory.is_empty() => {
            let name = name.strip_prefix("./").unwrap_or(&name);
            Some(format!("{}/{name}", directory.trim_end_matches('/')).into())
        }
        _ => Some(name.into()),
    }
}
