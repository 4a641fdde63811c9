//! Reads `METADATA` blocks, of the module and of functions, and the small tables around them.
//!
//! Nodes get consecutive numbers in the order of their records, strings first. The index that lets LLVM
//! load single nodes is skipped: all nodes are decoded, which takes less time than clang needs to write
//! them. Sizes that LLVM 21 and later write as nodes are turned back into numbers at the end: see [`fold_sizes`].

use super::constants::value;
use super::fields::{Fields, node, text};
use super::nodes::read_node;
use crate::bitcode::bitstream::{BlockInfo, BlockReader, Cursor, Entry, Record};
use crate::bitcode::codes::metadata as code;
use crate::bitcode::fault::Fault;
use crate::bitcode::ids::{MetadataId, ValueId};
use crate::bitcode::metadata::{Attachment, Bits, Metadata, MetadataKind, SubrangeBound};
use crate::bitcode::module::NamedMetadata;

/// Where the contents of metadata blocks go.
#[derive(Default)]
pub(crate) struct MetadataSink<'a> {
    pub(crate) nodes: Vec<Metadata<'a>>,
    pub(crate) named: Vec<NamedMetadata>,
    pub(crate) kinds: Vec<(MetadataKind, Box<str>)>,
    /// Nodes attached to global values.
    pub(crate) attachments: Vec<(ValueId, Attachment)>,
    /// The highest value number any node refers to.
    pub(crate) highest_value: Option<ValueId>,
}

impl MetadataSink<'_> {
    /// The number of things collected so far.
    fn size(&self) -> u64 {
        (self.nodes.len() + self.named.len() + self.kinds.len()) as u64
    }
}

/// Reads a `METADATA` block. `type_count` is the size of the type table.
pub(crate) fn read_metadata<'a>(
    block: &mut BlockReader<'a>,
    info: &BlockInfo,
    record: &mut Record<'a>,
    type_count: usize,
    sink: &mut MetadataSink<'a>,
) -> Result<(), Fault> {
    let limit = sink.size() + block.remaining_bytes() + 64;
    let mut name = None;
    loop {
        match block.next(info, record)? {
            Entry::End => return Ok(()),
            Entry::Block(_) => continue,
            Entry::Record => {}
        }
        let node = match record.code {
            code::STRINGS => {
                read_strings(record, limit, &mut sink.nodes)?;
                continue;
            }
            code::INDEX_OFFSET | code::INDEX => continue,
            code::NAME => {
                name = Some(text(&record.fields));
                continue;
            }
            _ if sink.size() >= limit => return Err(Fault::TooMany),
            code::NAMED_NODE => {
                let name = name.take().ok_or(Fault::BadMetadata)?;
                let nodes = record.fields.iter().map(|&number| definite(number)).collect::<Result<_, _>>()?;
                sink.named.push(NamedMetadata { name, nodes });
                continue;
            }
            code::KIND => {
                sink.kinds.push(read_kind(&record.fields)?);
                continue;
            }
            code::GLOBAL_ATTACHMENT => {
                let (first, pairs) = record.fields.split_first().ok_or(Fault::ShortRecord)?;
                let owner = value(*first)?;
                for attachment in attachments(pairs)? {
                    sink.attachments.push((owner, attachment?));
                }
                continue;
            }
            code::VALUE => {
                let mut fields = Fields::new(&record.fields);
                let ty = fields.type_id()?;
                if ty.index() >= type_count {
                    return Err(Fault::BadType);
                }
                let value = value(fields.take()?)?;
                sink.highest_value = sink.highest_value.max(Some(value));
                Metadata::Value { ty, value }
            }
            code::NODE | code::DISTINCT_NODE => Metadata::Tuple {
                distinct: record.code == code::DISTINCT_NODE,
                operands: record.fields.iter().map(|&number| node(number)).collect::<Result<_, _>>()?,
            },
            code::ARGUMENT_LIST => Metadata::ArgumentList(
                record.fields.iter().map(|&number| definite(number)).collect::<Result<_, _>>()?,
            ),
            other => read_node(other, &record.fields)?,
        };
        sink.nodes.push(node);
    }
}

/// A reference that cannot be absent, written as the number itself.
pub(crate) fn definite(number: u64) -> Result<MetadataId, Fault> {
    match u32::try_from(number) {
        Ok(number) if number != u32::MAX => Ok(MetadataId::new(number)),
        _ => Err(Fault::BadMetadata),
    }
}

/// Pairs of kind and node.
pub(crate) fn attachments(
    pairs: &[u64],
) -> Result<impl Iterator<Item = Result<Attachment, Fault>> + '_, Fault> {
    if !pairs.len().is_multiple_of(2) {
        return Err(Fault::ShortRecord);
    }
    Ok(pairs.chunks_exact(2).map(|pair| {
        let kind = MetadataKind(u32::try_from(pair[0]).map_err(|_| Fault::BadNumber)?);
        Ok(Attachment { kind, node: definite(pair[1])? })
    }))
}

/// All strings of a block in one record: lengths as a bit stream, then the characters.
fn read_strings<'a>(record: &Record<'a>, limit: u64, nodes: &mut Vec<Metadata<'a>>) -> Result<(), Fault> {
    let mut fields = Fields::new(&record.fields);
    let count = fields.take()?;
    let offset = usize::try_from(fields.take()?).map_err(|_| Fault::BadNumber)?;
    let (lengths, mut characters) = record.blob.split_at_checked(offset).ok_or(Fault::BadNumber)?;
    if count > lengths.len() as u64 * 8 / 6 || nodes.len() as u64 + count > limit {
        return Err(Fault::TooMany);
    }
    let mut cursor = Cursor::new(lengths);
    nodes.reserve(count as usize);
    for _ in 0..count {
        let length = usize::try_from(cursor.vbr(6)).map_err(|_| Fault::BadNumber)?;
        let (text, rest) = characters.split_at_checked(length).ok_or(Fault::PastEnd)?;
        characters = rest;
        nodes.push(Metadata::String(text));
    }
    cursor.check()
}

fn read_kind(fields: &[u64]) -> Result<(MetadataKind, Box<str>), Fault> {
    let (number, name) = fields.split_first().ok_or(Fault::ShortRecord)?;
    Ok((MetadataKind(u32::try_from(*number).map_err(|_| Fault::BadNumber)?), text(name)))
}

/// Reads a `METADATA_KIND` block.
pub(crate) fn read_kinds<'a>(
    block: &mut BlockReader<'a>,
    info: &BlockInfo,
    record: &mut Record<'a>,
    kinds: &mut Vec<(MetadataKind, Box<str>)>,
) -> Result<(), Fault> {
    loop {
        match block.next(info, record)? {
            Entry::End => return Ok(()),
            Entry::Block(_) => continue,
            Entry::Record if record.code == code::KIND => kinds.push(read_kind(&record.fields)?),
            Entry::Record => return Err(Fault::UnknownRecord(record.code)),
        }
    }
}

/// Turns sizes, offsets and array bounds that are constants behind a node into numbers. `integer` gives
/// the value of such a node, if it has one.
pub(crate) fn fold_sizes<'a>(
    nodes: &mut [Metadata<'a>],
    integer: impl Fn(&[Metadata<'a>], MetadataId) -> Option<i64>,
) {
    for index in 0..nodes.len() {
        let bits = |bits: Bits| match bits {
            Bits::Computed(Some(id)) => match integer(nodes, id) {
                Some(value) => Bits::Constant(value as u64),
                None => bits,
            },
            other => other,
        };
        let bound = |bound: SubrangeBound| match bound {
            SubrangeBound::Node(Some(id)) => match integer(nodes, id) {
                Some(value) => SubrangeBound::Constant(value),
                None => bound,
            },
            other => other,
        };
        // The new values are found first: the node cannot be changed while others are looked at.
        match &nodes[index] {
            Metadata::BasicType(ty) if ty.size.constant().is_none() => {
                let size = bits(ty.size);
                if let Metadata::BasicType(ty) = &mut nodes[index] {
                    ty.size = size;
                }
            }
            Metadata::DerivedType(ty) if ty.size.constant().is_none() || ty.offset.constant().is_none() => {
                let (size, offset) = (bits(ty.size), bits(ty.offset));
                if let Metadata::DerivedType(ty) = &mut nodes[index] {
                    (ty.size, ty.offset) = (size, offset);
                }
            }
            Metadata::CompositeType(ty) if ty.size.constant().is_none() || ty.offset.constant().is_none() => {
                let (size, offset) = (bits(ty.size), bits(ty.offset));
                if let Metadata::CompositeType(ty) = &mut nodes[index] {
                    (ty.size, ty.offset) = (size, offset);
                }
            }
            Metadata::Subrange(range) => {
                let (count, lower, upper) = (bound(range.count), bound(range.lower), bound(range.upper));
                if let Metadata::Subrange(range) = &mut nodes[index] {
                    (range.count, range.lower, range.upper) = (count, lower, upper);
                }
            }
            _ => {}
        }
    }
}
