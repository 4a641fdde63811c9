//! Prints metadata: in place where an instruction refers to it, and node by node.

use std::fmt::Write as _;

use watertight_frontend::bitcode::{
    Bits, FunctionBody, Location, Metadata, MetadataId, Module, SubrangeBound,
};

use crate::BodyDump;
use crate::constants::typed;
use crate::slots::escape;

/// Line and column, and those of the calls the code was inlined into.
pub(crate) fn location(body: &FunctionBody<'_>, location: Location) -> String {
    let mut text = format!("{}:{}", location.line, location.column);
    let mut next = location.inlined_at;
    while let Some(Metadata::Location(outer)) = next.and_then(|id| body.metadata(id)) {
        let _ = write!(text, "<-{}:{}", outer.line, outer.column);
        next = outer.inlined_at;
    }
    text
}

/// A node as an operand of an instruction or a debug record.
pub(crate) fn operand(scope: &BodyDump<'_>, id: MetadataId) -> String {
    let body = scope.body;
    let text = |id| body.metadata_string(id).map(escape).unwrap_or_default();
    match body.metadata(id) {
        Some(Metadata::Value { value, ty }) => {
            assert_eq!(*ty, body.value_type(*value), "values in metadata have the type that is stated");
            typed(scope, *value)
        }
        Some(Metadata::LocalVariable(variable)) => {
            format!("!var({}, {}, {})", text(variable.name), variable.argument, variable.line)
        }
        Some(Metadata::Label(label)) => format!("!label({}, {})", text(label.name), label.line),
        Some(Metadata::Location(at)) => location(body, *at),
        Some(Metadata::ArgumentList(values)) => {
            let inner: Vec<_> = values.iter().map(|&value| operand(scope, value)).collect();
            format!("!DIArgList({})", inner.join(", "))
        }
        Some(Metadata::Expression(_)) => "!expr".into(),
        Some(Metadata::String(text)) => format!("!\"{}\"", escape(text)),
        Some(_) => "!node".into(),
        None => "!missing".into(),
    }
}

pub(crate) fn module_nodes(module: &Module<'_>, out: &mut String) {
    for number in 0..module.metadata_count() as u32 {
        let id = MetadataId::new(number);
        if let Some(line) = describe(&|id| module.metadata(id), id) {
            let _ = writeln!(out, "{line}");
        }
    }
}

pub(crate) fn function_nodes(body: &FunctionBody<'_>, out: &mut String) {
    let mut number = body.module.metadata_count() as u32;
    while body.metadata(MetadataId::new(number)).is_some() {
        if let Some(line) = describe(&|id| body.metadata(id), MetadataId::new(number)) {
            let _ = writeln!(out, "{line}");
        }
        number += 1;
    }
}

type Lookup<'l, 'm> = &'l dyn Fn(MetadataId) -> Option<&'l Metadata<'m>>;

fn string<'m>(get: Lookup<'_, 'm>, id: Option<MetadataId>) -> String {
    match id.and_then(get) {
        Some(Metadata::String(text)) => escape(text),
        _ => String::new(),
    }
}

/// A short name for a type or scope that a node refers to.
fn short<'m>(get: Lookup<'_, 'm>, id: Option<MetadataId>) -> String {
    match id.and_then(get) {
        None => "null".into(),
        Some(Metadata::BasicType(ty)) => string(get, ty.name),
        Some(Metadata::DerivedType(ty)) => format!("{:#x}:{}", ty.tag, string(get, ty.name)),
        Some(Metadata::CompositeType(ty)) => format!("{:#x}:{}", ty.tag, string(get, ty.name)),
        Some(Metadata::SubroutineType(_)) => "subroutine".into(),
        Some(Metadata::Subprogram(subprogram)) => string(get, subprogram.name),
        Some(Metadata::File(file)) => string(get, file.name),
        Some(Metadata::LexicalBlock(block)) => format!("block:{}", block.line),
        Some(_) => "other".into(),
    }
}

fn bits(bits: Bits) -> String {
    bits.constant().map_or_else(|| "computed".into(), |bits| bits.to_string())
}

fn bound(bound: SubrangeBound) -> String {
    match bound {
        SubrangeBound::Constant(number) => number.to_string(),
        SubrangeBound::Node(None) => "null".into(),
        SubrangeBound::Node(Some(_)) => "node".into(),
    }
}

fn count<'m>(get: Lookup<'_, 'm>, id: Option<MetadataId>) -> usize {
    match id.and_then(get) {
        Some(Metadata::Tuple { operands, .. }) => operands.len(),
        _ => 0,
    }
}

fn describe<'m>(get: Lookup<'_, 'm>, id: MetadataId) -> Option<String> {
    let text = |id| string(get, id);
    let short = |id| short(get, id);
    Some(match get(id)? {
        Metadata::File(file) => {
            format!("!DIFile({}, {}, {})", text(file.name), text(file.directory), text(file.checksum))
        }
        Metadata::CompileUnit(unit) => {
            format!("!DICompileUnit({}, {})", short(unit.file), text(unit.producer))
        }
        Metadata::Subprogram(node) => format!(
            "!DISubprogram({}, {}, {}, {}, {}, {})",
            text(node.name),
            text(node.linkage_name),
            short(node.file),
            node.line,
            node.scope_line,
            short(node.scope)
        ),
        Metadata::LexicalBlock(node) => {
            format!(
                "!DILexicalBlock({}, {}, {}, {})",
                short(node.scope),
                short(node.file),
                node.line,
                node.column
            )
        }
        Metadata::LexicalBlockFile(node) => {
            format!(
                "!DILexicalBlockFile({}, {}, {})",
                short(node.scope),
                short(node.file),
                node.discriminator
            )
        }
        Metadata::LocalVariable(node) => format!(
            "!DILocalVariable({}, {}, {}, {}, {})",
            text(node.name),
            node.argument,
            node.line,
            short(node.ty),
            short(node.scope)
        ),
        Metadata::GlobalVariable(node) => format!(
            "!DIGlobalVariable({}, {}, {}, {}, {}, {})",
            text(node.name),
            text(node.linkage_name),
            node.line,
            short(node.ty),
            node.local_to_unit,
            node.definition
        ),
        Metadata::Label(node) => format!("!DILabel({}, {})", text(node.name), node.line),
        Metadata::BasicType(node) => {
            format!("!DIBasicType({}, {}, {:#x})", text(node.name), bits(node.size), node.encoding)
        }
        Metadata::DerivedType(node) => format!(
            "!DIDerivedType({:#x}, {}, {}, {}, {}, {}, {}, {})",
            node.tag,
            text(node.name),
            node.line,
            short(node.scope),
            short(node.base),
            bits(node.size),
            node.align,
            bits(node.offset)
        ),
        Metadata::CompositeType(node) => format!(
            "!DICompositeType({:#x}, {}, {}, {}, {}, {}, {}, {}, {})",
            node.tag,
            text(node.name),
            short(node.file),
            node.line,
            short(node.base),
            bits(node.size),
            node.align,
            count(get, node.elements),
            text(node.identifier)
        ),
        Metadata::SubroutineType(node) => format!("!DISubroutineType({})", count(get, node.types)),
        Metadata::Subrange(node) => {
            format!("!DISubrange({}, {}, {})", bound(node.count), bound(node.lower), bound(node.upper))
        }
        Metadata::Enumerator(node) => {
            let value = node.value.map_or_else(|| "wide".into(), |value| value.to_string());
            format!("!DIEnumerator({}, {value})", text(node.name))
        }
        _ => return None,
    })
}
