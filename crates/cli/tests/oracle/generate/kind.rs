//! The scalar types of generated programs.

use super::random::Random;

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    I128,
    U128,
    F32,
    F64,
}

use Kind::*;

impl Kind {
    /// Any kind; the usual ones more often.
    pub(super) fn any(random: &mut Random) -> Kind {
        const CHOICE: &[Kind] = &[
            Bool, I8, I8, U8, U8, I16, I16, U16, U16, I32, I32, I32, U32, U32, I64, I64, U64, U64, I128,
            U128, F32, F64,
        ];
        CHOICE[random.below(CHOICE.len() as u64) as usize]
    }

    pub(super) fn integer(random: &mut Random) -> Kind {
        loop {
            let kind = Kind::any(random);
            if !kind.float() {
                return kind;
            }
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Bool => "_Bool",
            I8 => "signed char",
            U8 => "unsigned char",
            I16 => "short",
            U16 => "unsigned short",
            I32 => "int",
            U32 => "unsigned",
            I64 => "long long",
            U64 => "unsigned long long",
            I128 => "__int128",
            U128 => "unsigned __int128",
            F32 => "float",
            F64 => "double",
        }
    }

    pub(super) fn bits(self) -> u32 {
        match self {
            Bool => 1,
            I8 | U8 => 8,
            I16 | U16 => 16,
            I32 | U32 | F32 => 32,
            I64 | U64 | F64 => 64,
            I128 | U128 => 128,
        }
    }

    pub(super) fn float(self) -> bool {
        matches!(self, F32 | F64)
    }

    /// Whether a bit-field may have this type.
    pub(super) fn bit_field(self) -> bool {
        !self.float() && self.bits() <= 64
    }

    pub(super) fn signed(self) -> bool {
        matches!(self, I8 | I16 | I32 | I64 | I128)
    }

    /// The type in which arithmetic wraps and does not overflow.
    pub(super) fn arithmetic(self) -> Kind {
        match self {
            I64 | U64 => U64,
            I128 | U128 => U128,
            F32 => F32,
            F64 => F64,
            _ => U32,
        }
    }

    /// A call that mixes a value of this kind into the checksum.
    pub(super) fn mix(self, value: &str) -> String {
        match self {
            F32 | F64 => format!("mix_real({value})"),
            I128 | U128 => format!("mix_wide({value})"),
            _ => format!("mix({value})"),
        }
    }
}

/// A call that mixes a field of a struct.
pub(super) fn bit_mix(field: &(String, Kind, Option<u32>), whole: &str) -> String {
    field.1.mix(&format!("{whole}.{}", field.0))
}
