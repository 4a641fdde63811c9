//! From bytes to data: one file per kind of block.
//!
//! A bitcode file is a sequence of outermost blocks: who wrote it, modules, the string table with the
//! names of their symbols, and a symbol table for linkers. A first pass notes where they lie, so that a
//! module can borrow its names from the string table behind it.

mod attributes;
mod body;
mod calls;
mod constants;
mod fields;
mod instructions;
mod metadata;
mod module;
mod nesting;
mod nodes;
mod numbers;
mod types;

#[cfg(test)]
mod tests;

pub(crate) use attributes::AttributeTable;
pub(crate) use body::read_body;
pub(crate) use types::TypeIndex;

use rayon::prelude::*;

use super::bitstream::{BlockInfo, BlockPlace, BlockReader, Entry, Record};
use super::codes::block;
use super::error::Error;
use super::fault::Fault;
use super::module::Module;

const MAGIC: [u8; 4] = *b"BC\xc0\xde";

/// A header some producers put around bitcode: magic, version, offset, size, processor.
const WRAPPER_MAGIC: u32 = 0x0b17_c0de;

/// Most modules in one file; the names of producers are cut to the length below for the same reason,
/// that a small file must not grow large in memory.
const MAX_MODULES: usize = 4096;
const MAX_PRODUCER: usize = 64;

/// A module that has been found and not read.
struct Found<'a> {
    producer: Box<str>,
    place: BlockPlace,
    strings: Option<&'a [u8]>,
}

/// Reads all modules of a file.
pub(crate) fn read_file(bytes: &[u8]) -> Result<Vec<Module<'_>>, Error> {
    let bytes = unwrap(bytes)?;
    let modules = find_modules(bytes)?;
    modules
        .into_par_iter()
        .map(|found| module::read_module(bytes, found.place, found.producer, found.strings.unwrap_or(&[])))
        .collect()
}

fn unwrap(bytes: &[u8]) -> Result<&[u8], Error> {
    let word = |index: usize| {
        let chunk = bytes.get(index * 4..)?.first_chunk::<4>()?;
        Some(u32::from_le_bytes(*chunk))
    };
    let inner = match word(0) {
        Some(WRAPPER_MAGIC) => {
            let range =
                word(2).zip(word(3)).map(|(offset, size)| offset as usize..offset as usize + size as usize);
            range.and_then(|range| bytes.get(range)).ok_or(Error::NotBitcode)?
        }
        _ => bytes,
    };
    if inner.starts_with(&MAGIC) { Ok(inner) } else { Err(Error::NotBitcode) }
}

fn find_modules(bytes: &[u8]) -> Result<Vec<Found<'_>>, Error> {
    let info = BlockInfo::default();
    let mut record = Record::default();
    let mut top = BlockReader::top(bytes, 32, u64::MAX);
    let mut producer: Box<str> = "an unknown LLVM".into();
    let mut modules: Vec<Found<'_>> = Vec::new();
    while !top.at_end() {
        let entry = top.next(&info, &mut record).map_err(|fault| locate(fault, &top, &producer))?;
        let Entry::Block(mut inner) = entry else {
            return Err(locate(Fault::Abbreviation, &top, &producer));
        };
        match inner.id() {
            block::IDENTIFICATION => {
                let read = read_identification(&mut inner, &mut record, &mut producer);
                read.map_err(|fault| locate(fault, &inner, &producer))?;
            }
            block::MODULE if modules.len() >= MAX_MODULES => {
                return Err(locate(Fault::TooMany, &inner, &producer));
            }
            block::MODULE => {
                modules.push(Found { producer: producer.clone(), place: inner.place(), strings: None });
            }
            block::STRING_TABLE => {
                let read = read_blob(&mut inner, &mut record);
                let strings = read.map_err(|fault| locate(fault, &inner, &producer))?;
                // One table serves all modules before it that have none yet.
                for module in modules.iter_mut().rev().take_while(|module| module.strings.is_none()) {
                    module.strings = Some(strings);
                }
            }
            _ => {}
        }
    }
    Ok(modules)
}

fn locate(fault: Fault, reader: &BlockReader<'_>, producer: &str) -> Error {
    fault.at(block::name(reader.id()), reader.position(), producer)
}

/// Sets `producer` as soon as it is known, for whatever goes wrong after that.
fn read_identification<'a>(
    block: &mut BlockReader<'a>,
    record: &mut Record<'a>,
    producer: &mut Box<str>,
) -> Result<(), Fault> {
    const STRING: u32 = 1;
    const EPOCH: u32 = 2;
    let info = BlockInfo::default();
    loop {
        match block.next(&info, record)? {
            Entry::End => return Ok(()),
            Entry::Block(_) => {}
            Entry::Record if record.code == STRING => {
                *producer = fields::text(&record.fields[..record.fields.len().min(MAX_PRODUCER)]);
            }
            // A new epoch means that old readers cannot read the file at all.
            Entry::Record if record.code == EPOCH && record.fields.first() != Some(&0) => {
                return Err(Fault::Unsupported("a new epoch of the bitcode format"));
            }
            Entry::Record => {}
        }
    }
}

fn read_blob<'a>(block: &mut BlockReader<'a>, record: &mut Record<'a>) -> Result<&'a [u8], Fault> {
    const BLOB: u32 = 1;
    let info = BlockInfo::default();
    let mut blob: &[u8] = &[];
    loop {
        match block.next(&info, record)? {
            Entry::End => return Ok(blob),
            Entry::Block(_) => {}
            Entry::Record => {
                if record.code == BLOB {
                    blob = record.blob;
                }
            }
        }
    }
}
