//! The members of C types by byte offset, spelled as in C.
//!
//! In: a debug type and a range of bytes. Out: the path that selects exactly this range, as `.next`,
//! `.pair.first` or `[2].name`, and the type there. A range that is not exactly one scalar of the type
//! (padding, a bit-field, half of a number) has no spelling. Of a union, the first member that fits is taken.

use std::fmt::Write;
use watertight_ir::{DebugInfo, DebugType, DebugTypeId, Encoding, RecordKind};

/// How deep types are followed. C code nests a handful of levels; the limit is for damaged debug
/// information in which a type contains itself.
const MAX_DEPTH: u32 = 24;

/// Appends the path to the scalar of `bytes` bytes at `offset` within `ty`, and returns its type. When there
/// is none, `path` is left as it was.
pub(super) fn spell(
    debug: &DebugInfo,
    pointer_bits: u32,
    ty: DebugTypeId,
    (offset, bytes): (u64, u64),
    path: &mut String,
) -> Option<DebugTypeId> {
    let len = path.len();
    let found = Walk { debug, pointer_bytes: u64::from(pointer_bits / 8) }.spell(ty, offset, bytes, path, 0);
    if found.is_none() {
        path.truncate(len);
    }
    found
}

/// Whether `ty` is a pointer, behind typedefs and qualifiers.
pub(super) fn is_pointer(debug: &DebugInfo, ty: DebugTypeId) -> bool {
    matches!(debug.types[strip(debug, ty)], DebugType::Pointer { .. })
}

/// The type behind typedefs and qualifiers.
fn strip(debug: &DebugInfo, mut ty: DebugTypeId) -> DebugTypeId {
    for _ in 0..MAX_DEPTH {
        match debug.types[ty] {
            DebugType::Typedef { of: Some(of), .. } | DebugType::Qualified { of: Some(of), .. } => ty = of,
            _ => break,
        }
    }
    ty
}

struct Walk<'a> {
    debug: &'a DebugInfo,
    pointer_bytes: u64,
}

impl Walk<'_> {
    fn spell(
        &self,
        ty: DebugTypeId,
        offset: u64,
        bytes: u64,
        path: &mut String,
        depth: u32,
    ) -> Option<DebugTypeId> {
        if depth > MAX_DEPTH {
            return None;
        }
        match &self.debug.types[strip(self.debug, ty)] {
            DebugType::Record(record) => {
                for member in &record.members {
                    let start = member.offset_bits / 8;
                    let inside = offset >= start && offset - start < member.bits.div_ceil(8);
                    let (Some(of), true, false) = (member.ty, inside, member.bit_field) else { continue };
                    let len = path.len();
                    if let Some(name) = member.name {
                        path.push('.');
                        path.push_str(self.debug.names.get(name));
                    }
                    let found = self.spell(of, offset - start, bytes, path, depth + 1);
                    if found.is_some() || record.kind != RecordKind::Union {
                        return found;
                    }
                    path.truncate(len);
                }
                None
            }
            DebugType::Array { of, counts } => {
                let of = (*of)?;
                let size = self.bytes(of, depth + 1).filter(|&size| size > 0)?;
                let mut index = offset / size;
                for dimension in 0..counts.len() {
                    let rows = counts[dimension + 1..].iter();
                    let stride = rows.copied().try_fold(1u64, |stride, count| stride.checked_mul(count?))?;
                    write!(path, "[{}]", index.checked_div(stride)?).expect("writing to a string succeeds");
                    index %= stride;
                }
                self.spell(of, offset % size, bytes, path, depth + 1)
            }
            DebugType::Base { encoding: Encoding::Float, bits, .. } => {
                // The extended format of x87 has ten bytes in an object of twelve or sixteen.
                (offset == 0 && bytes <= bits / 8).then_some(ty)
            }
            _ => (offset == 0 && self.bytes(ty, depth)? == bytes).then_some(ty),
        }
    }

    /// The size of an object of this type.
    fn bytes(&self, ty: DebugTypeId, depth: u32) -> Option<u64> {
        if depth > MAX_DEPTH {
            return None;
        }
        match &self.debug.types[strip(self.debug, ty)] {
            DebugType::Base { bits, .. } | DebugType::Enum { bits, .. } => Some(bits.div_ceil(8)),
            DebugType::Pointer { .. } => Some(self.pointer_bytes),
            DebugType::Record(record) => Some(record.bytes),
            DebugType::Array { of, counts } => {
                let element = self.bytes((*of)?, depth + 1)?;
                counts.iter().try_fold(element, |size, count| size.checked_mul((*count)?))
            }
            _ => None,
        }
    }
}
