//! Widths of bit-vectors: 1 to 128 bits. A boolean is a bit-vector of width 1.
//!
//! Values are carried in a `u128` whose bits above the width are zero; [`Width::mask`] makes it so.

use std::fmt;

/// The number of bits of a term, from 1 to 128.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Width(u8);

impl Width {
    pub const BOOL: Width = Width(1);
    pub const W8: Width = Width(8);
    pub const W16: Width = Width(16);
    pub const W32: Width = Width(32);
    pub const W64: Width = Width(64);
    pub const MAX: Width = Width(128);

    /// The width of so many bits; `None` outside 1 to 128.
    pub const fn new(bits: u32) -> Option<Width> {
        if bits >= 1 && bits <= 128 { Some(Width(bits as u8)) } else { None }
    }

    /// As [`Width::new`] where the caller knows that the number fits.
    #[inline]
    pub(crate) const fn of(bits: u32) -> Width {
        match Width::new(bits) {
            Some(width) => width,
            None => panic!("a width is between 1 and 128 bits"),
        }
    }

    #[inline]
    pub const fn bits(self) -> u32 {
        self.0 as u32
    }

    /// The largest unsigned value: all bits set.
    #[inline]
    pub const fn ones(self) -> u128 {
        u128::MAX >> (128 - self.0 as u32)
    }

    /// The value with all bits above the width cleared.
    #[inline]
    pub const fn mask(self, value: u128) -> u128 {
        value & self.ones()
    }

    /// The value with only the sign bit set: the smallest signed value.
    #[inline]
    pub const fn sign_bit(self) -> u128 {
        1 << (self.0 as u32 - 1)
    }

    /// The value read as a signed number in two's complement.
    #[inline]
    pub const fn signed(self, value: u128) -> i128 {
        let unused = 128 - self.0 as u32;
        ((value << unused) as i128) >> unused
    }
}

impl fmt::Display for Width {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.0)
    }
}

impl fmt::Debug for Width {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "i{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_some_widths() {
        assert_eq!(Width::new(0), None);
        assert_eq!(Width::new(129), None);
        assert_eq!(Width::MAX.ones(), u128::MAX);
        assert_eq!(Width::W8.signed(0x80), -128);
        assert_eq!(Width::W8.signed(0x7f), 127);
        assert_eq!(Width::BOOL.signed(1), -1);
        assert_eq!(Width::MAX.signed(u128::MAX), -1);
        assert_eq!(Width::W8.sign_bit(), 0x80);
    }
}
