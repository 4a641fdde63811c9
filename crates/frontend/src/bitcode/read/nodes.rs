//! Decodes the records of single debug information nodes.
//!
//! Each record starts with a field whose lowest bit says whether the node is distinct; higher bits carry
//! a version or say how later fields are to be read. New LLVM versions append fields, so fields after
//! the last one known are not looked at here: nothing before them changes its meaning.

use super::fields::{Fields, node};
use crate::bitcode::bitstream::unrotate;
use crate::bitcode::codes::metadata as code;
use crate::bitcode::fault::Fault;
use crate::bitcode::ids::MetadataId;
use crate::bitcode::metadata::{
    BasicType, Bits, CompileUnit, CompositeType, DerivedType, Enumerator, File, GlobalVariableInfo, Label,
    LexicalBlock, LexicalBlockFile, LocalVariable, Location, Metadata, Subprogram, Subrange, SubrangeBound,
    SubroutineType,
};

/// The record of a debug information node, by position.
struct Node<'r>(&'r [u64]);

impl Node<'_> {
    fn number(&self, index: usize) -> Result<u64, Fault> {
        self.0.get(index).copied().ok_or(Fault::ShortRecord)
    }

    /// Lines, columns and flags; what does not fit is cut off as LLVM does.
    fn small(&self, index: usize) -> Result<u32, Fault> {
        Ok(self.number(index)? as u32)
    }

    fn flag(&self, index: usize) -> Result<bool, Fault> {
        Ok(self.number(index)? != 0)
    }

    fn node(&self, index: usize) -> Result<Option<MetadataId>, Fault> {
        node(self.number(index)?)
    }

    /// Since LLVM 21 sizes are nodes; a missing one means zero.
    fn bits(&self, index: usize, is_node: bool) -> Result<Bits, Fault> {
        if !is_node {
            return Ok(Bits::Constant(self.number(index)?));
        }
        Ok(match self.node(index)? {
            None => Bits::Constant(0),
            some => Bits::Computed(some),
        })
    }
}

/// Decodes a node that is not a string, a value, a list or a name.
pub(crate) fn read_node(number: u32, fields: &[u64]) -> Result<Metadata<'static>, Fault> {
    let record = Node(fields);
    let first = record.number(0)?;
    let distinct = first & 1 != 0;
    let metadata = match number {
        code::LOCATION => Metadata::Location(Location {
            line: record.small(1)?,
            column: record.small(2)?,
            // Unlike everywhere else the scope is not optional and so not shifted by one.
            scope: Some(MetadataId::new(u32::try_from(record.number(3)?).map_err(|_| Fault::BadNumber)?)),
            inlined_at: record.node(4)?,
            implicit: record.0.get(5).is_some_and(|&flag| flag != 0),
        }),
        code::FILE => Metadata::File(Box::new(File {
            name: record.node(1)?,
            directory: record.node(2)?,
            checksum_kind: record.0.get(3).map_or(0, |&kind| kind as u8),
            checksum: record.0.get(4).map_or(Ok(None), |&number| node(number))?,
        })),
        code::COMPILE_UNIT => Metadata::CompileUnit(Box::new(CompileUnit {
            language: record.small(1)?,
            file: record.node(2)?,
            producer: record.node(3)?,
            optimized: record.flag(4)?,
            emission_kind: record.small(8)?,
            enums: record.node(9)?,
            retained_types: record.node(10)?,
            globals: record.node(12)?,
        })),
        code::SUBPROGRAM => {
            let (has_unit, has_packed_flags) = (first & 2 != 0, first & 4 != 0);
            if !has_unit || !has_packed_flags {
                return Err(Fault::Unsupported("function descriptions of LLVM 7 or older"));
            }
            Metadata::Subprogram(Box::new(Subprogram {
                distinct,
                scope: record.node(1)?,
                name: record.node(2)?,
                linkage_name: record.node(3)?,
                file: record.node(4)?,
                line: record.small(5)?,
                ty: record.node(6)?,
                scope_line: record.small(7)?,
                flags: record.small(11)?,
                subprogram_flags: record.small(9)?,
                unit: record.node(12)?,
                declaration: record.node(14)?,
                retained_nodes: record.node(15)?,
            }))
        }
        code::LEXICAL_BLOCK => Metadata::LexicalBlock(LexicalBlock {
            scope: record.node(1)?,
            file: record.node(2)?,
            line: record.small(3)?,
            column: record.small(4)?,
        }),
        code::LEXICAL_BLOCK_FILE => Metadata::LexicalBlockFile(LexicalBlockFile {
            scope: record.node(1)?,
            file: record.node(2)?,
            discriminator: record.small(3)?,
        }),
        code::LOCAL_VARIABLE => {
            let has_alignment = first & 2 != 0;
            if !has_alignment && record.0.len() > 8 {
                return Err(Fault::Unsupported("variable descriptions of LLVM 3"));
            }
            Metadata::LocalVariable(LocalVariable {
                scope: record.node(1)?,
                name: record.node(2)?,
                file: record.node(3)?,
                line: record.small(4)?,
                ty: record.node(5)?,
                argument: record.small(6)?,
                flags: record.small(7)?,
            })
        }
        code::GLOBAL_VARIABLE => {
            if first >> 1 == 0 {
                return Err(Fault::Unsupported("variable descriptions of LLVM 3"));
            }
            Metadata::GlobalVariable(Box::new(GlobalVariableInfo {
                scope: record.node(1)?,
                name: record.node(2)?,
                linkage_name: record.node(3)?,
                file: record.node(4)?,
                line: record.small(5)?,
                ty: record.node(6)?,
                local_to_unit: record.flag(7)?,
                definition: record.flag(8)?,
            }))
        }
        code::GLOBAL_VARIABLE_EXPRESSION => {
            Metadata::GlobalVariableExpression { variable: record.node(1)?, expression: record.node(2)? }
        }
        code::LABEL => Metadata::Label(Label {
            scope: record.node(1)?,
            name: record.node(2)?,
            file: record.node(3)?,
            line: record.small(4)?,
        }),
        code::BASIC_TYPE => Metadata::BasicType(Box::new(BasicType {
            tag: record.small(1)?,
            name: record.node(2)?,
            size: record.bits(3, first & 2 != 0)?,
            align: record.small(4)?,
            encoding: record.small(5)?,
        })),
        code::DERIVED_TYPE => {
            let sizes_are_nodes = first & 2 != 0;
            Metadata::DerivedType(Box::new(DerivedType {
                tag: record.small(1)?,
                name: record.node(2)?,
                file: record.node(3)?,
                line: record.small(4)?,
                scope: record.node(5)?,
                base: record.node(6)?,
                size: record.bits(7, sizes_are_nodes)?,
                align: record.small(8)?,
                offset: record.bits(9, sizes_are_nodes)?,
                flags: record.small(10)?,
                extra: record.node(11)?,
            }))
        }
        code::COMPOSITE_TYPE => {
            let sizes_are_nodes = first & 4 != 0;
            Metadata::CompositeType(Box::new(CompositeType {
                distinct,
                tag: record.small(1)?,
                name: record.node(2)?,
                file: record.node(3)?,
                line: record.small(4)?,
                scope: record.node(5)?,
                base: record.node(6)?,
                size: record.bits(7, sizes_are_nodes)?,
                align: record.small(8)?,
                offset: record.bits(9, sizes_are_nodes)?,
                flags: record.small(10)?,
                elements: record.node(11)?,
                identifier: record.node(15)?,
            }))
        }
        code::SUBROUTINE_TYPE => Metadata::SubroutineType(SubroutineType {
            flags: record.small(1)?,
            types: record.node(2)?,
            calling_convention: record.0.get(3).map_or(0, |&number| number as u32),
        }),
        code::SUBRANGE => Metadata::Subrange(Box::new(subrange(&record, first >> 1)?)),
        code::ENUMERATOR => Metadata::Enumerator(Box::new(enumerator(fields)?)),
        code::EXPRESSION => {
            if first >> 1 < 3 {
                return Err(Fault::Unsupported("variable descriptions of LLVM 4 or older"));
            }
            Metadata::Expression(fields[1..].into())
        }
        code::GENERIC_DEBUG
        | code::NAMESPACE
        | code::TEMPLATE_TYPE
        | code::TEMPLATE_VALUE
        | code::OBJC_PROPERTY
        | code::IMPORTED_ENTITY
        | code::MODULE
        | code::MACRO
        | code::MACRO_FILE
        | code::STRING_TYPE
        | code::COMMON_BLOCK
        | code::GENERIC_SUBRANGE
        | code::ASSIGN_ID
        | code::SUBRANGE_TYPE
        | code::FIXED_POINT_TYPE => Metadata::Other { code: number, fields: fields.len() as u32 },
        code::STRING_OLD | code::OLD_NODE | code::OLD_FUNCTION_NODE => return Err(Fault::OldRecord),
        other => return Err(Fault::UnknownRecord(other)),
    };
    Ok(metadata)
}

/// Which bounds are numbers and which are nodes depends on the version of the record.
fn subrange(record: &Node<'_>, version: u64) -> Result<Subrange, Fault> {
    let node = |index| record.node(index).map(SubrangeBound::Node);
    let none = SubrangeBound::Node(None);
    match version {
        0 => Ok(Subrange {
            count: SubrangeBound::Constant(record.number(1)? as i64),
            lower: SubrangeBound::Constant(unrotate(record.number(2)?)),
            upper: none,
        }),
        1 => Ok(Subrange {
            count: node(1)?,
            lower: SubrangeBound::Constant(unrotate(record.number(2)?)),
            upper: none,
        }),
        2 => Ok(Subrange { count: node(1)?, lower: node(2)?, upper: node(3)? }),
        _ => Err(Fault::Unsupported("an unknown form of array bounds")),
    }
}

fn enumerator(fields: &[u64]) -> Result<Enumerator, Fault> {
    let mut fields = Fields::new(fields);
    let flags = fields.take()?;
    let unsigned = flags & 2 != 0;
    let second = fields.take()?;
    let name = fields.node()?;
    if flags & 4 == 0 {
        let value = unrotate(second);
        let value = if unsigned { i128::from(value as u64) } else { i128::from(value) };
        return Ok(Enumerator { name, value: Some(value), unsigned });
    }
    let bits = second;
    let words: Vec<u64> = fields.rest().iter().map(|&word| unrotate(word) as u64).collect();
    let value = match *words {
        [low] if (1..=64).contains(&bits) => Some(u128::from(low)),
        [low, high] if (65..=128).contains(&bits) => Some(u128::from(low) | u128::from(high) << 64),
        [low] if (65..=128).contains(&bits) => Some(u128::from(low)),
        _ => None,
    };
    let value = value.map(|value| {
        let unused = 128 - bits as u32;
        if unsigned { ((value << unused) >> unused) as i128 } else { ((value << unused) as i128) >> unused }
    });
    Ok(Enumerator { name, value, unsigned })
}
