//! First contents of globals: constants written out as bytes and relocations.

use super::linear::{cut, fold};
use super::symbols::{ModuleConstants, Symbols};
use crate::bitcode::{Constant, Type, TypeId, Value, ValueId};
use watertight_ir::{Endian, Image, Relocation, Symbol};

/// No global of a C program has contents larger than this; a hostile layout must not make us allocate it.
const LARGEST: u64 = 1 << 31;

/// Writes the constant `id` as the contents of a global. Parts without a known form stay zero and are
/// named in `problems`.
pub(super) fn image(symbols: &Symbols<'_>, id: ValueId, problems: &mut Vec<String>) -> Image {
    let mut writer = Writer { symbols, image: Image::default(), problems };
    writer.write(id, 0);
    let mut image = writer.image;
    image.relocations.sort_by_key(|relocation| relocation.offset);
    while image.bytes.last() == Some(&0) {
        image.bytes.pop();
    }
    image.bytes.shrink_to_fit();
    image
}

struct Writer<'s, 'm> {
    symbols: &'s Symbols<'m>,
    image: Image,
    problems: &'s mut Vec<String>,
}

impl Writer<'_, '_> {
    fn write(&mut self, id: ValueId, offset: u64) {
        let module = self.symbols.module;
        let Some(ty) = module.value_type(id) else { return };
        let constant = match module.value(id) {
            Some(Value::Constant(constant)) => constant,
            _ => return self.linear(id, ty, offset),
        };
        match constant {
            Constant::Null | Constant::Undef | Constant::Poison => {}
            Constant::Integer(value) => self.number(*value as u128, self.store_bytes(ty), offset),
            Constant::WideInteger(words) => {
                let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                bytes.truncate(usize::try_from(self.store_bytes(ty)).unwrap_or(0));
                self.bytes(bytes, offset);
            }
            Constant::Float(bits) => self.number(u128::from(*bits), self.store_bytes(ty), offset),
            Constant::WideFloat(bits) => self.number(*bits, self.store_bytes(ty), offset),
            Constant::Data(data) => self.data(data, ty, offset),
            Constant::Aggregate(elements) => self.aggregate(elements, ty, offset),
            _ => self.linear(id, ty, offset),
        }
    }

    fn store_bytes(&self, ty: TypeId) -> u64 {
        self.symbols.layouts.of(ty).bits.div_ceil(8)
    }

    fn aggregate(&mut self, elements: &[ValueId], ty: TypeId, offset: u64) {
        let layouts = self.symbols.layouts;
        match self.symbols.module.ty(ty) {
            Type::Struct { .. } => {
                for (index, &element) in elements.iter().enumerate() {
                    self.write(element, offset.saturating_add(layouts.field(ty, index)));
                }
            }
            Type::Array { element, .. } | Type::Vector { element, .. } => {
                let stride = layouts.of(*element).stride;
                for (index, &item) in elements.iter().enumerate() {
                    self.write(item, offset.saturating_add(stride.saturating_mul(index as u64)));
                }
            }
            _ => {}
        }
    }

    fn data(&mut self, data: &[u8], ty: TypeId, offset: u64) {
        let mut bytes = data.to_vec();
        if self.symbols.layouts.data.endian == Endian::Big
            && let Type::Array { element, .. } | Type::Vector { element, .. } = self.symbols.module.ty(ty)
        {
            let width = usize::try_from(self.store_bytes(*element)).unwrap_or(1).max(1);
            bytes.chunks_mut(width).for_each(<[u8]>::reverse);
        }
        self.place(&bytes, offset);
    }

    fn number(&mut self, value: u128, width: u64, offset: u64) {
        let mut bytes = value.to_le_bytes().to_vec();
        bytes.truncate(usize::try_from(width).unwrap_or(16).min(16));
        self.bytes(bytes, offset);
    }

    /// Bytes in little-endian order, placed in the order of the target.
    fn bytes(&mut self, mut bytes: Vec<u8>, offset: u64) {
        if self.symbols.layouts.data.endian == Endian::Big {
            bytes.reverse();
        }
        self.place(&bytes, offset);
    }

    fn place(&mut self, bytes: &[u8], offset: u64) {
        let end = offset.saturating_add(bytes.len() as u64);
        if end > LARGEST || bytes.iter().all(|&byte| byte == 0) {
            return;
        }
        let (start, end) = (offset as usize, end as usize);
        if self.image.bytes.len() < end {
            self.image.bytes.resize(end, 0);
        }
        self.image.bytes[start..end].copy_from_slice(bytes);
    }

    fn linear(&mut self, id: ValueId, ty: TypeId, offset: u64) {
        let bits = self.symbols.layouts.of(ty).bits;
        match fold(&ModuleConstants(self.symbols.module), self.symbols, id) {
            Some(linear) => match (linear.base, linear.minus) {
                (None, None) => self.number(cut(linear.addend, bits) as u128, bits.div_ceil(8), offset),
                (Some(target), minus) => self.relocation(target, minus, linear.addend, bits, offset),
                (None, Some(_)) => self.problems.push("an initialiser negates an address".into()),
            },
            None => self.problems.push("an initialiser is an expression of unknown form".into()),
        }
    }

    fn relocation(&mut self, target: Symbol, minus: Option<Symbol>, addend: i128, bits: u64, offset: u64) {
        let addend = i64::try_from(addend).unwrap_or(0);
        let bytes = u8::try_from(bits.div_ceil(8)).unwrap_or(8);
        self.image.relocations.push(Relocation { offset, bytes, target, addend, minus });
    }
}
