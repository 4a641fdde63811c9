//! The types of SSA values: what has a width, and what a register-sized aggregate is made of.
//!
//! Memory is untyped; only values have types. C structs live in memory. An aggregate is a value only
//! where the calling convention or a two-result operation makes it one (`{ i64, ptr }` returned in two
//! registers, the pair of a compare-exchange), and is then flattened to its scalar parts.
//! Vectors are integers of their total width.

use crate::ids::AggId;
use std::fmt;

/// The type of a value.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Type {
    /// No value: the result of a call that returns nothing.
    Void,
    /// An integer of so many bits; its sign is a matter of the operations. Also vectors, by total width.
    Int(u32),
    /// An address; its width is that of the target.
    Ptr,
    /// A floating-point number.
    Float(FloatKind),
    /// A flattened aggregate: see [`Aggregate`].
    Agg(AggId),
}

impl Type {
    /// The widest integer: far more than C programs have, little enough that a constant of it is no burden.
    pub const WIDEST: u32 = 1 << 16;
    /// A truth value, as comparisons give it.
    pub const BOOL: Type = Type::Int(1);

    /// Whether a value of this type exists at all and is one scalar.
    #[inline]
    pub fn is_scalar(self) -> bool {
        matches!(self, Type::Int(_) | Type::Ptr | Type::Float(_))
    }

    /// Width in bits of a scalar on a target with `pointer_bits`-wide addresses; zero for others.
    #[inline]
    pub fn bits(self, pointer_bits: u32) -> u32 {
        match self {
            Type::Int(bits) => bits,
            Type::Ptr => pointer_bits,
            Type::Float(kind) => kind.bits(),
            Type::Void | Type::Agg(_) => 0,
        }
    }

    /// Bytes that a load or store of this scalar touches.
    #[inline]
    pub fn store_bytes(self, pointer_bits: u32) -> u64 {
        u64::from(self.bits(pointer_bits)).div_ceil(8)
    }

    /// The low bits of a word as a signed number of this type; the whole word for types of other widths.
    ///
    /// ```
    /// use watertight_ir::Type;
    /// assert_eq!(Type::Int(8).signed(0x1ff), -1);
    /// assert_eq!(Type::Ptr.signed(5), 5);
    /// ```
    #[inline]
    pub fn signed(self, word: u64) -> i64 {
        match self {
            Type::Int(bits @ 1..=63) => ((word << (64 - bits)) as i64) >> (64 - bits),
            _ => word as i64,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Void => f.write_str("void"),
            Type::Int(bits) => write!(f, "i{bits}"),
            Type::Ptr => f.write_str("ptr"),
            Type::Float(kind) => f.write_str(kind.name()),
            Type::Agg(id) => write!(f, "{id}"),
        }
    }
}

/// Formats of floating-point numbers.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FloatKind {
    Half,
    BFloat,
    Single,
    Double,
    /// The 80-bit extended format of x87; bits are held in 80-bit integers.
    X87,
    Quad,
    /// Two doubles, as on PowerPC.
    PairOfDoubles,
}

impl FloatKind {
    pub const ALL: [FloatKind; 7] = [
        FloatKind::Half,
        FloatKind::BFloat,
        FloatKind::Single,
        FloatKind::Double,
        FloatKind::X87,
        FloatKind::Quad,
        FloatKind::PairOfDoubles,
    ];

    #[inline]
    pub fn bits(self) -> u32 {
        match self {
            FloatKind::Half | FloatKind::BFloat => 16,
            FloatKind::Single => 32,
            FloatKind::Double => 64,
            FloatKind::X87 => 80,
            FloatKind::Quad | FloatKind::PairOfDoubles => 128,
        }
    }

    /// The name in the text form.
    pub fn name(self) -> &'static str {
        match self {
            FloatKind::Half => "f16",
            FloatKind::BFloat => "bf16",
            FloatKind::Single => "f32",
            FloatKind::Double => "f64",
            FloatKind::X87 => "f80",
            FloatKind::Quad => "f128",
            FloatKind::PairOfDoubles => "ppc128",
        }
    }
}

/// A register-sized aggregate, flattened: nested structs and arrays give their scalar leaves in order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Aggregate {
    /// Size in memory, padding included.
    pub bytes: u64,
    /// Byte offset and type of each scalar part; offsets ascend.
    pub parts: Box<[(u64, Type)]>,
}
