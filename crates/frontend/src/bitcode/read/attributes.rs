//! Attribute groups and lists: what functions, parameters and calls promise.

use super::constants::range_bounds;
use super::fields::{Fields, type_id};
use crate::bitcode::attribute::{Attribute, AttributeKind, AttributePlace};
use crate::bitcode::bitstream::{BlockInfo, BlockReader, Entry, Record};
use crate::bitcode::fault::Fault;
use crate::bitcode::ids::{AttributeListId, TypeId};

const GROUP_ENTRY: u32 = 3;
const LIST_ENTRY: u32 = 2;

/// All attributes of a module.
#[derive(Debug, Default)]
pub(crate) struct AttributeTable {
    /// Sorted by the number the file gives to the group.
    groups: Vec<Group>,
    /// Each list names groups by their position.
    lists: Vec<Box<[u32]>>,
}

#[derive(Debug)]
struct Group {
    number: u32,
    place: AttributePlace,
    attributes: Box<[Stored]>,
}

/// An attribute that owns its text.
#[derive(Debug)]
enum Stored {
    Plain(Attribute<'static>),
    Text { key: Box<str>, value: Box<str> },
}

impl AttributeTable {
    pub(crate) fn get(
        &self,
        list: Option<AttributeListId>,
        place: AttributePlace,
    ) -> impl Iterator<Item = Attribute<'_>> {
        let groups = list.and_then(|list| self.lists.get(list.index())).map_or(&[][..], |list| &**list);
        groups
            .iter()
            .filter_map(|&group| self.groups.get(group as usize))
            .filter(move |group| group.place == place)
            .flat_map(|group| group.attributes.iter())
            .map(|stored| match stored {
                Stored::Plain(attribute) => attribute.clone(),
                Stored::Text { key, value } => Attribute::Text { key, value },
            })
    }

    pub(crate) fn list_count(&self) -> usize {
        self.lists.len()
    }

    /// All attributes of a list, with their places.
    pub(crate) fn all(
        &self,
        list: AttributeListId,
    ) -> impl Iterator<Item = (AttributePlace, Option<AttributeKind>)> {
        let groups = self.lists.get(list.index()).map_or(&[][..], |list| &**list);
        groups.iter().filter_map(|&group| self.groups.get(group as usize)).flat_map(|group| {
            group.attributes.iter().map(|stored| match stored {
                Stored::Plain(attribute) => (group.place, attribute.kind()),
                Stored::Text { .. } => (group.place, None),
            })
        })
    }

    /// The id of the list a record names by its number, 0 being none.
    pub(crate) fn list(&self, number: u64) -> Result<Option<AttributeListId>, Fault> {
        match usize::try_from(number) {
            Ok(0) => Ok(None),
            Ok(number) if number <= self.lists.len() => Ok(Some(AttributeListId::new(number as u32 - 1))),
            _ => Err(Fault::BadNumber),
        }
    }

    /// All types that attributes name exist.
    pub(crate) fn check(&self, type_count: usize) -> Result<(), Fault> {
        let right = |stored: &Stored| match stored {
            Stored::Plain(Attribute::Type(_, Some(ty))) => ty.index() < type_count,
            _ => true,
        };
        match self.groups.iter().flat_map(|group| group.attributes.iter()).all(right) {
            true => Ok(()),
            false => Err(Fault::BadType),
        }
    }
}

/// Reads a `PARAMATTR_GROUP` block.
pub(crate) fn read_groups<'a>(
    block: &mut BlockReader<'a>,
    info: &BlockInfo,
    record: &mut Record<'a>,
    table: &mut AttributeTable,
) -> Result<(), Fault> {
    loop {
        match block.next(info, record)? {
            Entry::End => break,
            Entry::Block(_) => continue,
            Entry::Record => {}
        }
        if record.code != GROUP_ENTRY {
            return Err(Fault::UnknownRecord(record.code));
        }
        let mut fields = Fields::new(&record.fields);
        let number = fields.take32()?;
        let place = match fields.take32()? {
            u32::MAX => AttributePlace::Function,
            0 => AttributePlace::Result,
            parameter => AttributePlace::Parameter(parameter - 1),
        };
        let mut attributes = Vec::new();
        while !fields.is_empty() {
            attributes.push(read_attribute(&mut fields)?);
        }
        table.groups.push(Group { number, place, attributes: attributes.into() });
    }
    table.groups.sort_by_key(|group| group.number);
    Ok(())
}

fn read_attribute(fields: &mut Fields<'_>) -> Result<Stored, Fault> {
    let form = fields.take()?;
    if let 3 | 4 = form {
        let key = zero_terminated(fields)?;
        let value = if form == 4 { zero_terminated(fields)? } else { Box::default() };
        return Ok(Stored::Text { key, value });
    }
    let kind = AttributeKind::from_number(fields.take()?);
    let attribute = match form {
        0 => Attribute::Flag(kind),
        1 => Attribute::Integer(kind, fields.take()?),
        5 => Attribute::Type(kind, None),
        6 => Attribute::Type(kind, Some(read_type(fields)?)),
        7 => {
            let bits = fields.take32()?;
            range_bounds(fields, bits)?;
            Attribute::Range(kind)
        }
        8 => {
            let count = fields.take()?;
            let bits = fields.take32()?;
            if count > fields.len() as u64 {
                return Err(Fault::ShortRecord);
            }
            for _ in 0..count {
                range_bounds(fields, bits)?;
            }
            Attribute::Range(kind)
        }
        _ => return Err(Fault::Unsupported("an unknown form of attribute")),
    };
    Ok(Stored::Plain(attribute))
}

fn read_type(fields: &mut Fields<'_>) -> Result<TypeId, Fault> {
    type_id(fields.take()?)
}

fn zero_terminated(fields: &mut Fields<'_>) -> Result<Box<str>, Fault> {
    let length = fields.rest().iter().position(|&character| character == 0).ok_or(Fault::ShortRecord)?;
    let text = super::fields::text(fields.slice(length as u64)?);
    fields.take()?;
    Ok(text)
}

/// Reads a `PARAMATTR` block; the groups have been read before.
pub(crate) fn read_lists<'a>(
    block: &mut BlockReader<'a>,
    info: &BlockInfo,
    record: &mut Record<'a>,
    table: &mut AttributeTable,
) -> Result<(), Fault> {
    let limit = block.remaining_bytes() + 16;
    loop {
        match block.next(info, record)? {
            Entry::End => return Ok(()),
            Entry::Block(_) => continue,
            Entry::Record => {}
        }
        match record.code {
            LIST_ENTRY => {
                let position = |&number: &u64| {
                    let number = u32::try_from(number).map_err(|_| Fault::BadNumber)?;
                    let found = table.groups.binary_search_by_key(&number, |group| group.number);
                    found.map(|position| position as u32).map_err(|_| Fault::BadNumber)
                };
                let list = record.fields.iter().map(position).collect::<Result<_, _>>()?;
                table.lists.push(list);
            }
            1 => return Err(Fault::OldRecord),
            other => return Err(Fault::UnknownRecord(other)),
        }
        if table.lists.len() as u64 > limit {
            return Err(Fault::TooMany);
        }
    }
}
