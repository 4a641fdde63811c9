//! Sizes, alignments and field offsets of LLVM types, by the module's data layout string.
//!
//! In: the layout string and the type table. Out: for each type its size in memory, alignment and, for
//! structs, the offsets of the fields. Arithmetic saturates, so absurd array types in hostile bitcode
//! give absurd sizes and nothing worse.

use crate::bitcode::{Module, Type, TypeId};
use watertight_ir::Endian;

/// What the data layout string says, as far as C needs it.
#[derive(Clone, Debug)]
pub(super) struct DataLayout {
    pub endian: Endian,
    pub pointer_bits: u32,
    /// (width, alignment in bytes), ascending by width.
    integers: Vec<(u32, u64)>,
    floats: Vec<(u32, u64)>,
    vectors: Vec<(u32, u64)>,
    /// (address space, width, alignment in bytes).
    pointers: Vec<(u32, u32, u64)>,
    aggregate_align: u64,
}

/// Size and alignment of a type in memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Width of the value itself.
    pub bits: u64,
    /// Distance between neighbours in an array.
    pub stride: u64,
    pub align: u64,
    /// Number of scalar leaves.
    pub leaves: u32,
    /// Levels of structs and arrays above the deepest leaf.
    pub depth: u32,
}

/// The layout of what has no size, such as functions and labels.
const NOTHING: Layout = Layout { bits: 0, stride: 0, align: 1, leaves: 1, depth: 0 };

impl DataLayout {
    /// Reads a layout string; parts that do not concern C are passed over.
    pub(super) fn parse(text: &str) -> DataLayout {
        let mut layout = DataLayout {
            endian: Endian::Little,
            pointer_bits: 64,
            integers: vec![(1, 1), (8, 1), (16, 2), (32, 4), (64, 4)],
            floats: vec![(16, 2), (32, 4), (64, 8), (128, 16)],
            vectors: vec![(64, 8), (128, 16)],
            pointers: vec![(0, 64, 8)],
            aggregate_align: 1,
        };
        for part in text.split('-') {
            layout.apply(part);
        }
        // An address is a number of whole bytes and at most one word.
        layout.pointer_bits = layout.pointer(0).0.div_ceil(8).clamp(1, 8) * 8;
        layout
    }

    fn apply(&mut self, part: &str) {
        let mut fields = part.split(':');
        let head = fields.next().unwrap_or_default();
        let numbers: Vec<u32> = fields.map_while(|field| field.parse().ok()).collect();
        // LLVM accepts powers of two only; the next one keeps sizes sensible whatever the string says.
        let bytes = |bits: u32| u64::from(bits / 8).max(1).next_power_of_two();
        let (letter, rest) = match head.chars().next() {
            Some(letter) => (letter, &head[letter.len_utf8()..]),
            None => return,
        };
        match (letter, rest.parse::<u32>()) {
            ('e', Err(_)) => self.endian = Endian::Little,
            ('E', Err(_)) => self.endian = Endian::Big,
            ('p', space) => {
                if let [width @ 1..=128, align, ..] = numbers[..] {
                    let space = space.unwrap_or(0);
                    self.pointers.retain(|entry| entry.0 != space);
                    self.pointers.push((space, width, bytes(align)));
                }
            }
            ('i', Ok(width)) => set(&mut self.integers, width, numbers.first().map(|&align| bytes(align))),
            ('f', Ok(width)) => set(&mut self.floats, width, numbers.first().map(|&align| bytes(align))),
            ('v', Ok(width)) => set(&mut self.vectors, width, numbers.first().map(|&align| bytes(align))),
            ('a', _) => self.aggregate_align = numbers.first().map_or(1, |&align| bytes(align)),
            _ => {}
        }
    }

    fn pointer(&self, space: u32) -> (u32, u64) {
        let find = |space| self.pointers.iter().find(|entry| entry.0 == space);
        find(space).or_else(|| find(0)).map_or((64, 8), |entry| (entry.1, entry.2))
    }

    fn integer_align(&self, bits: u64) -> u64 {
        let fitting = self.integers.iter().find(|entry| u64::from(entry.0) >= bits);
        fitting.or(self.integers.last()).map_or(1, |entry| entry.1)
    }

    fn float_align(&self, bits: u64) -> u64 {
        let exact = self.floats.iter().find(|entry| u64::from(entry.0) == bits);
        exact.map_or_else(|| bits.div_ceil(8).next_power_of_two(), |entry| entry.1)
    }

    fn vector_align(&self, bits: u64) -> u64 {
        let exact = self.vectors.iter().find(|entry| u64::from(entry.0) == bits);
        exact.map_or_else(|| bits.div_ceil(8).checked_next_power_of_two().unwrap_or(16), |entry| entry.1)
    }
}

fn set(table: &mut Vec<(u32, u64)>, width: u32, align: Option<u64>) {
    if let Some(align) = align {
        table.retain(|entry| entry.0 != width);
        table.push((width, align));
        table.sort_unstable();
    }
}

/// Layouts of all types of one module, each computed once.
#[derive(Debug)]
pub(super) struct Layouts {
    pub data: DataLayout,
    sizes: Vec<Layout>,
    /// For structs: offsets of the fields.
    fields: Vec<Box<[u64]>>,
}

impl Layouts {
    /// Computes the layout of every type of the table.
    pub(super) fn new(module: &Module<'_>) -> Layouts {
        let data = DataLayout::parse(&module.data_layout);
        let count = module.types().len();
        let mut layouts = Layouts { data, sizes: Vec::new(), fields: vec![Box::default(); count] };
        let mut sizes: Vec<Option<Layout>> = vec![None; count];
        // A type may refer to a later one; an explicit stack visits parts first.
        let mut stack: Vec<TypeId> = Vec::new();
        for (root, _) in module.types() {
            stack.push(root);
            while let Some(&id) = stack.last() {
                if sizes[id.index()].is_some() {
                    stack.pop();
                    continue;
                }
                let before = stack.len();
                match module.ty(id) {
                    Type::Array { element, .. } | Type::Vector { element, .. }
                        if sizes[element.index()].is_none() =>
                    {
                        stack.push(*element);
                    }
                    Type::Struct { fields, .. } => {
                        stack.extend(fields.iter().filter(|field| sizes[field.index()].is_none()));
                    }
                    _ => {}
                }
                if stack.len() == before {
                    sizes[id.index()] = Some(layouts.compute(module, id, &sizes));
                    stack.pop();
                }
            }
        }
        layouts.sizes = sizes.into_iter().map(|size| size.unwrap_or(NOTHING)).collect();
        layouts
    }

    fn compute(&mut self, module: &Module<'_>, id: TypeId, sizes: &[Option<Layout>]) -> Layout {
        let part = |id: TypeId| sizes[id.index()].expect("parts are laid out before the whole");
        let scalar = |bits: u64, align: u64| Layout {
            bits,
            stride: align_up(bits.div_ceil(8), align),
            align,
            leaves: 1,
            depth: 0,
        };
        match module.ty(id) {
            Type::Integer { bits } => scalar(u64::from(*bits), self.data.integer_align(u64::from(*bits))),
            Type::Pointer { address_space, .. } => {
                let (bits, align) = self.data.pointer(*address_space);
                scalar(u64::from(bits), align)
            }
            Type::X86Mmx => scalar(64, 8),
            Type::X86Amx => scalar(8192, 64),
            Type::Array { element, count } => {
                let element = part(*element);
                let stride = element.stride.saturating_mul(*count);
                Layout {
                    bits: stride.saturating_mul(8),
                    stride,
                    align: element.align,
                    leaves: element.leaves.saturating_mul(u32::try_from(*count).unwrap_or(u32::MAX)),
                    depth: element.depth.saturating_add(1),
                }
            }
            Type::Vector { element, count, .. } => {
                let bits = part(*element).bits.saturating_mul(*count);
                scalar(bits, self.data.vector_align(bits))
            }
            Type::Struct { packed, fields, .. } => {
                let mut offsets = Vec::with_capacity(fields.len());
                let (mut end, mut leaves, mut depth) = (0u64, 0u32, 0u32);
                let mut align = if *packed { 1 } else { self.data.aggregate_align };
                for &field in fields {
                    let field = part(field);
                    if !packed {
                        align = align.max(field.align);
                        end = align_up(end, field.align);
                    }
                    offsets.push(end);
                    end = end.saturating_add(field.stride);
                    leaves = leaves.saturating_add(field.leaves);
                    depth = depth.max(field.depth.saturating_add(1));
                }
                self.fields[id.index()] = offsets.into();
                let stride = align_up(end, align);
                Layout { bits: stride.saturating_mul(8), stride, align, leaves, depth }
            }
            other => match other.float_bits() {
                Some(bits) => scalar(u64::from(bits), self.data.float_align(u64::from(bits))),
                None => NOTHING,
            },
        }
    }

    pub(super) fn of(&self, id: TypeId) -> Layout {
        self.sizes[id.index()]
    }

    /// Offset of a field of a struct type; 0 for a field that does not exist.
    pub(super) fn field(&self, id: TypeId, field: usize) -> u64 {
        self.fields[id.index()].get(field).copied().unwrap_or(0)
    }
}

/// The least multiple of `align` (any positive number) that is not below `value`.
fn align_up(value: u64, align: u64) -> u64 {
    value.div_ceil(align.max(1)).saturating_mul(align.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_of_x86_64_aligns_as_its_abi() {
        let layout =
            DataLayout::parse("e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128");
        assert_eq!(layout.endian, Endian::Little);
        assert_eq!(layout.pointer_bits, 64);
        assert_eq!(layout.integer_align(64), 8);
        assert_eq!(layout.integer_align(128), 8, "before LLVM 18, i128 was aligned as i64");
        assert_eq!(layout.integer_align(24), 4);
        assert_eq!(layout.float_align(80), 16);
    }

    #[test]
    fn the_layout_of_i386_aligns_eight_byte_numbers_to_four() {
        let layout = DataLayout::parse(
            "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-f64:32:64-f80:32-n8:16:32-S128",
        );
        assert_eq!(layout.pointer_bits, 32);
        assert_eq!(layout.integer_align(64), 4);
        assert_eq!(layout.float_align(64), 4);
        assert_eq!(layout.float_align(80), 4);
    }

    #[test]
    fn a_big_endian_layout_is_recognised() {
        assert_eq!(DataLayout::parse("E-m:a-i64:64-n32:64").endian, Endian::Big);
    }
}
