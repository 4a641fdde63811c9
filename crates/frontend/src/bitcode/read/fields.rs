//! Walks the numbers of one record from left to right.

use crate::bitcode::fault::Fault;
use crate::bitcode::ids::{MetadataId, TypeId};

/// The numbers of a record that have not been looked at yet.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'r> {
    rest: &'r [u64],
}

impl<'r> Fields<'r> {
    pub(crate) fn new(fields: &'r [u64]) -> Self {
        Self { rest: fields }
    }

    pub(crate) fn len(&self) -> usize {
        self.rest.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// All numbers that are left.
    pub(crate) fn rest(self) -> &'r [u64] {
        self.rest
    }

    #[inline]
    pub(crate) fn optional(&mut self) -> Option<u64> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    #[inline]
    pub(crate) fn take(&mut self) -> Result<u64, Fault> {
        self.optional().ok_or(Fault::ShortRecord)
    }

    /// A number that must fit 32 bits.
    #[inline]
    pub(crate) fn take32(&mut self) -> Result<u32, Fault> {
        u32::try_from(self.take()?).map_err(|_| Fault::BadNumber)
    }

    /// A truth value.
    #[inline]
    pub(crate) fn flag(&mut self) -> Result<bool, Fault> {
        Ok(self.take()? != 0)
    }

    /// The id of a type, which may not be checked before the table is complete.
    #[inline]
    pub(crate) fn type_id(&mut self) -> Result<TypeId, Fault> {
        type_id(self.take()?)
    }

    /// A reference to a metadata node, written as its number plus one.
    #[inline]
    pub(crate) fn node(&mut self) -> Result<Option<MetadataId>, Fault> {
        node(self.take()?)
    }

    /// The next `count` numbers.
    pub(crate) fn slice(&mut self, count: u64) -> Result<&'r [u64], Fault> {
        let count = usize::try_from(count).map_err(|_| Fault::ShortRecord)?;
        let (slice, rest) = self.rest.split_at_checked(count).ok_or(Fault::ShortRecord)?;
        self.rest = rest;
        Ok(slice)
    }

    /// Nothing may be left: a longer record than known means something this reader does not understand.
    #[inline]
    pub(crate) fn end(self) -> Result<(), Fault> {
        if self.rest.is_empty() { Ok(()) } else { Err(Fault::LongRecord) }
    }
}

pub(crate) fn type_id(number: u64) -> Result<TypeId, Fault> {
    match u32::try_from(number) {
        Ok(number) if number != u32::MAX => Ok(TypeId::new(number)),
        _ => Err(Fault::BadType),
    }
}

pub(crate) fn node(number: u64) -> Result<Option<MetadataId>, Fault> {
    let number = u32::try_from(number).map_err(|_| Fault::BadNumber)?;
    Ok(number.checked_sub(1).map(MetadataId::new))
}

/// Characters written one per field, as text; anything that is not UTF-8 is replaced.
pub(crate) fn text(fields: &[u64]) -> Box<str> {
    String::from_utf8_lossy(&bytes(fields)).into()
}

/// Characters written one per field.
pub(crate) fn bytes(fields: &[u64]) -> Box<[u8]> {
    fields.iter().map(|&character| character as u8).collect()
}
