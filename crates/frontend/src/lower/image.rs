//! First contents of globals: constants written out as bytes and relocations.

use super::linear::{MOST_STEPS, cut, fold};
use super::symbols::{ModuleConstants, Symbols};
use crate::bitcode::{Constant, Type, TypeId, Value, ValueId};
use watertight_ir::{Endian, Image, Relocation, Symbol};

/// More problems of one global are not told.
const MOST_PROBLEMS: usize = 8;

/// What the images of one unit may cost in all. Constants share their parts, so a few lines of hostile
/// bitcode can stand for terabytes.
#[derive(Debug)]
pub(super) struct Budget {
    /// Bytes of images, as far as they are not zero to the end.
    bytes: u64,
    /// Constants looked at.
    steps: u64,
}

/// What a relocation costs in steps.
const RELOCATION_STEPS: u64 = 8;

impl Default for Budget {
    fn default() -> Budget {
        Budget { bytes: 1 << 26, steps: 1 << 24 }
    }
}

/// Writes the constant `id` as the contents of a global of `size` bytes. Parts without a known form stay zero
/// and are named in `problems`.
pub(super) fn image(
    symbols: &Symbols<'_>,
    id: ValueId,
    size: u64,
    budget: &mut Budget,
    problems: &mut Vec<String>,
) -> Image {
    let mut writer = Writer { symbols, image: Image::default(), size, budget, problems };
    writer.write(id, 0);
    let mut image = writer.image;
    image.relocations.sort_by_key(|relocation| relocation.offset);
    let mut end = 0;
    let before = image.relocations.len();
    image.relocations.retain(|relocation| {
        let fits = relocation.offset >= end && (1..=8).contains(&relocation.bytes);
        if fits {
            end = relocation.offset + u64::from(relocation.bytes);
        }
        fits
    });
    if image.relocations.len() < before {
        problems.push("an initialiser has addresses of unknown width or over one another".into());
    }
    while image.bytes.last() == Some(&0) {
        image.bytes.pop();
    }
    image.bytes.shrink_to_fit();
    image
}

struct Writer<'s, 'm> {
    symbols: &'s Symbols<'m>,
    image: Image,
    /// The size of the global.
    size: u64,
    budget: &'s mut Budget,
    problems: &'s mut Vec<String>,
}

impl Writer<'_, '_> {
    fn problem(&mut self, message: &str) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(message.into());
        }
    }

    /// Whether so many more steps may be made.
    fn spend(&mut self, steps: u64) -> bool {
        if self.budget.steps >= steps {
            self.budget.steps -= steps;
            return true;
        }
        self.problem("the initialisers of the unit are too large; what is missing is taken as zero");
        false
    }

    fn write(&mut self, id: ValueId, offset: u64) {
        if !self.spend(1) {
            return;
        }
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
        if bytes.iter().all(|&byte| byte == 0) {
            return;
        }
        if end > self.size {
            return self.problem("an initialiser is larger than the global");
        }
        let growth = end.saturating_sub(self.image.bytes.len() as u64);
        if growth > self.budget.bytes {
            return self
                .problem("the initialisers of the unit are too large; what is missing is taken as zero");
        }
        self.budget.bytes -= growth;
        let (start, end) = (offset as usize, end as usize);
        if self.image.bytes.len() < end {
            self.image.bytes.resize(end, 0);
        }
        self.image.bytes[start..end].copy_from_slice(bytes);
    }

    fn linear(&mut self, id: ValueId, ty: TypeId, offset: u64) {
        let bits = self.symbols.layouts.of(ty).bits;
        if !self.spend(RELOCATION_STEPS) {
            return;
        }
        match fold(&ModuleConstants(self.symbols.module), self.symbols, id) {
            Some(linear) => match (linear.base, linear.minus) {
                (None, None) => self.number(cut(linear.addend, bits) as u128, bits.div_ceil(8), offset),
                (Some(target), minus) => self.relocation(target, minus, linear.addend, bits, offset),
                (None, Some(_)) => self.problem("an initialiser negates an address"),
            },
            None => {
                self.spend(MOST_STEPS.into());
                self.problem("an initialiser is an expression of unknown form");
            }
        }
    }

    fn relocation(&mut self, target: Symbol, minus: Option<Symbol>, addend: i128, bits: u64, offset: u64) {
        let addend = i64::try_from(addend).unwrap_or(0);
        let bytes = u8::try_from(bits.div_ceil(8)).unwrap_or(8);
        if offset.saturating_add(bytes.into()) > self.size {
            return self.problem("an initialiser is larger than the global");
        }
        self.image.relocations.push(Relocation { offset, bytes, target, addend, minus });
    }
}
