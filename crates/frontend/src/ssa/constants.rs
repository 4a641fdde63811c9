//! Constants that the construction adds to a body, each only once.
//!
//! Most bodies need none, so the index over the constants that are already there is built when the first
//! one is asked for.

use rustc_hash::FxHashMap;
use watertight_ir::{Body, Const, Def, Type, Value, ValueId};

#[derive(Debug, Default)]
pub(super) struct Constants {
    index: FxHashMap<(Type, Const), ValueId>,
    indexed: bool,
}

impl Constants {
    /// To be called when another body, or one with other value numbers, is going to be asked for.
    pub(super) fn forget(&mut self) {
        self.index.clear();
        self.indexed = false;
    }

    /// The value of `body` that is this constant.
    pub(super) fn get(&mut self, body: &mut Body, ty: Type, constant: Const) -> ValueId {
        if !self.indexed {
            self.indexed = true;
            for (id, value) in body.values.iter() {
                if let Def::Const(constant) = &value.def {
                    self.index.entry((value.ty, constant.clone())).or_insert(id);
                }
            }
        }
        *self.index.entry((ty, constant)).or_insert_with_key(|(ty, constant)| {
            body.values.push(Value { ty: *ty, def: Def::Const(constant.clone()) })
        })
    }

    /// The constant of type `ty` whose every byte is `byte`. The width is a multiple of eight.
    pub(super) fn repeated(&mut self, body: &mut Body, ty: Type, byte: u8, pointer_bits: u32) -> ValueId {
        let bits = ty.bits(pointer_bits);
        let word = u64::from_ne_bytes([byte; 8]);
        let cut = |width: u32| if width < 64 { word & ((1 << width) - 1) } else { word };
        let constant = if bits <= 64 {
            Const::Bits(cut(bits))
        } else {
            Const::Wide((0..bits.div_ceil(64)).map(|index| cut(bits - index * 64)).collect())
        };
        self.get(body, ty, constant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watertight_ir::FloatKind;

    #[test]
    fn a_repeated_byte_fills_every_width_exactly() {
        let (mut body, mut constants) = (Body::default(), Constants::default());
        let mut repeated = |ty| {
            let value = constants.repeated(&mut body, ty, 0xa5, 32);
            body.constant(value).cloned()
        };
        assert_eq!(repeated(Type::Int(24)), Some(Const::Bits(0xa5_a5a5)));
        assert_eq!(repeated(Type::Ptr), Some(Const::Bits(0xa5a5_a5a5)));
        assert_eq!(repeated(Type::Int(64)), Some(Const::Bits(0xa5a5_a5a5_a5a5_a5a5)));
        let wide = Const::Wide([0xa5a5_a5a5_a5a5_a5a5, 0xa5a5].into());
        assert_eq!(repeated(Type::Float(FloatKind::X87)), Some(wide));
    }

    #[test]
    fn a_constant_that_is_there_is_found_again() {
        let (mut body, mut constants) = (Body::default(), Constants::default());
        let zero = body.values.push(Value { ty: Type::Int(8), def: Def::Const(Const::Bits(0)) });
        assert_eq!(constants.get(&mut body, Type::Int(8), Const::Bits(0)), zero);
        let one = constants.get(&mut body, Type::Int(8), Const::Bits(1));
        assert_eq!(constants.get(&mut body, Type::Int(8), Const::Bits(1)), one);
        assert_eq!(body.values.len(), 2);
    }
}
