//! Floating-point numbers of any format as exact values, and rounding back to a format.
//!
//! A [`Real`] is what a bit pattern means: not a number, an infinity, or `mantissa × 2^exponent`. Every
//! format of [`FloatKind`] except the pair of doubles unpacks to it without loss, and packs from it with
//! one rounding to nearest, ties to even. Conversions between formats and to and from integers are
//! therefore exact by construction; arithmetic of the formats that Rust lacks is done here too.
//!
//! Method: textbook software floating point on 128-bit mantissas with a sticky lowest bit. The widest
//! format has 113 bits of precision, which leaves room for guard bits everywhere.
//!
//! ```text
//! unpack(Double, bits of 0.1) -> 0x1999999999999a × 2^-56 -> pack(Single) -> bits of 0.1f
//! ```

use std::cmp::Ordering;
use watertight_ir::FloatKind;

/// The exact meaning of a floating-point bit pattern.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) enum Real {
    /// Not a number. The fraction is aligned to the top of the word, so its first bit means "quiet".
    Nan { negative: bool, fraction: u128 },
    /// Greater than every number, or less.
    Infinity { negative: bool },
    /// `mantissa × 2^exponent`; a zero mantissa is a signed zero.
    Finite { negative: bool, mantissa: u128, exponent: i32 },
}

/// The layout of one format.
struct Format {
    /// Bits of the mantissa, the leading one included.
    precision: u32,
    exponent_bits: u32,
    /// Whether the leading one is stored (x87).
    explicit: bool,
}

fn format(kind: FloatKind) -> Format {
    let (precision, exponent_bits, explicit) = match kind {
        FloatKind::Half => (11, 5, false),
        FloatKind::BFloat => (8, 8, false),
        FloatKind::Single => (24, 8, false),
        // The pair of doubles is handled by its first half, which carries the value to 53 bits.
        FloatKind::Double | FloatKind::PairOfDoubles => (53, 11, false),
        FloatKind::X87 => (64, 15, true),
        FloatKind::Quad => (113, 15, false),
    };
    Format { precision, exponent_bits, explicit }
}

impl Format {
    fn bias(&self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }
    /// Bits of the stored fraction, the explicit leading one included.
    fn fraction_bits(&self) -> u32 {
        if self.explicit { self.precision } else { self.precision - 1 }
    }
}

pub(crate) fn unpack(kind: FloatKind, bits: u128) -> Real {
    let format = format(kind);
    let stored = format.fraction_bits();
    let fraction = bits & ((1 << stored) - 1);
    let biased = (bits >> stored) as i32 & ((1 << format.exponent_bits) - 1);
    let negative = bits >> (stored + format.exponent_bits) & 1 == 1;
    let hidden = 1u128 << (format.precision - 1);
    if biased == (1 << format.exponent_bits) - 1 {
        let below = fraction & (hidden - 1);
        return if below == 0 {
            Real::Infinity { negative }
        } else {
            Real::Nan { negative, fraction: below << (129 - format.precision) }
        };
    }
    let mantissa = if biased == 0 || format.explicit { fraction } else { fraction | hidden };
    let exponent = biased.max(1) - format.bias() - (format.precision as i32 - 1);
    Real::Finite { negative, mantissa, exponent }
}

/// Rounds to the nearest number of the format, ties to even.
pub(crate) fn pack(kind: FloatKind, real: Real) -> u128 {
    let format = format(kind);
    let stored = format.fraction_bits();
    let all_ones = (1i32 << format.exponent_bits) - 1;
    let assemble = |negative: bool, biased: i32, fraction: u128| {
        u128::from(negative) << (stored + format.exponent_bits) | (biased as u128) << stored | fraction
    };
    let explicit_one = if format.explicit { 1u128 << (stored - 1) } else { 0 };
    let (negative, mantissa, exponent) = match real {
        Real::Infinity { negative } => return assemble(negative, all_ones, explicit_one),
        Real::Nan { negative, fraction } => {
            // A conversion makes a signalling number quiet, as processors do.
            let kept = (fraction | 1 << 127) >> (129 - format.precision);
            return assemble(negative, all_ones, explicit_one | kept);
        }
        Real::Finite { negative, mantissa: 0, .. } => return assemble(negative, 0, 0),
        Real::Finite { negative, mantissa, exponent } => (negative, mantissa, exponent),
    };
    let leading = exponent + (127 - mantissa.leading_zeros() as i32);
    let least = 1 - format.bias();
    // The weight of the last bit that is kept: fixed below the normal range.
    let last = leading.max(least) - (format.precision as i32 - 1);
    let rounded = round_shift(mantissa, last - exponent);
    let hidden = 1u128 << (format.precision - 1);
    let (rounded, leading) =
        if rounded == hidden << 1 { (hidden, leading.max(least) + 1) } else { (rounded, leading.max(least)) };
    if rounded < hidden {
        return assemble(negative, 0, rounded);
    }
    if leading > format.bias() {
        return assemble(negative, all_ones, explicit_one);
    }
    let fraction = if format.explicit { rounded } else { rounded - hidden };
    assemble(negative, leading + format.bias(), fraction)
}

/// `mantissa / 2^shift`, rounded to nearest, ties to even. A negative shift multiplies.
fn round_shift(mantissa: u128, shift: i32) -> u128 {
    match shift {
        ..=0 => mantissa << -shift,
        1..=127 => {
            let (kept, lost) = (mantissa >> shift, mantissa & ((1 << shift) - 1));
            let half = 1u128 << (shift - 1);
            kept + u128::from(lost > half || lost == half && kept & 1 == 1)
        }
        128 => u128::from(mantissa > 1 << 127),
        _ => 0,
    }
}

impl Real {
    /// The number that an integer is.
    pub(crate) fn from_unsigned(value: u128) -> Real {
        Real::Finite { negative: false, mantissa: value, exponent: 0 }
    }
    pub(crate) fn from_signed(value: i128) -> Real {
        Real::Finite { negative: value < 0, mantissa: value.unsigned_abs(), exponent: 0 }
    }
    pub(crate) fn from_f64(value: f64) -> Real {
        unpack(FloatKind::Double, u128::from(value.to_bits()))
    }
    /// The nearest double.
    pub(crate) fn to_f64(self) -> f64 {
        f64::from_bits(pack(FloatKind::Double, self) as u64)
    }

    /// The integer part as sign and magnitude; absent if it is not finite or exceeds 128 bits.
    pub(crate) fn truncate(self) -> Option<(bool, u128)> {
        let Real::Finite { negative, mantissa, exponent } = self else { return None };
        let magnitude = if exponent < 0 {
            mantissa.checked_shr(exponent.unsigned_abs()).unwrap_or(0)
        } else if mantissa == 0 {
            0
        } else if exponent.unsigned_abs() <= mantissa.leading_zeros() {
            mantissa << exponent
        } else {
            return None;
        };
        Some((negative, magnitude))
    }

    fn is_nan(self) -> bool {
        matches!(self, Real::Nan { .. })
    }
    pub(crate) fn negative(self) -> bool {
        match self {
            Real::Nan { negative, .. } | Real::Infinity { negative } | Real::Finite { negative, .. } => {
                negative
            }
        }
    }
    fn is_zero(self) -> bool {
        matches!(self, Real::Finite { mantissa: 0, .. })
    }

    /// The order of two numbers; absent if one is not a number.
    pub(crate) fn order(self, other: Real) -> Option<Ordering> {
        if self.is_nan() || other.is_nan() {
            return None;
        }
        if self.is_zero() && other.is_zero() {
            return Some(Ordering::Equal);
        }
        // Zeros sort between the signs, by the least exponent.
        let key = |real: Real| match real {
            Real::Finite { mantissa: 0, .. } => (i32::MIN, 0),
            Real::Finite { mantissa, exponent, .. } => {
                let zeros = mantissa.leading_zeros();
                (exponent - zeros as i32, mantissa << zeros)
            }
            _ => (i32::MAX, 0),
        };
        let sign = |real: Real| {
            if real.is_zero() {
                0
            } else if real.negative() {
                -1
            } else {
                1
            }
        };
        Some(sign(self).cmp(&sign(other)).then_with(|| {
            let magnitude = key(self).cmp(&key(other));
            if self.negative() { magnitude.reverse() } else { magnitude }
        }))
    }

    /// What x86 gives for an invalid operation.
    fn invalid() -> Real {
        Real::Nan { negative: true, fraction: 1 << 127 }
    }

    /// The first operand that is not a number, if one is.
    fn propagated(self, other: Real) -> Option<Real> {
        [self, other].into_iter().find(|real| real.is_nan())
    }

    fn negated(self) -> Real {
        match self {
            Real::Nan { .. } => self,
            Real::Infinity { negative } => Real::Infinity { negative: !negative },
            Real::Finite { negative, mantissa, exponent } => {
                Real::Finite { negative: !negative, mantissa, exponent }
            }
        }
    }

    pub(crate) fn subtract(self, other: Real) -> Real {
        self.propagated(other).unwrap_or_else(|| self.add(other.negated()))
    }

    pub(crate) fn add(self, other: Real) -> Real {
        if let Some(nan) = self.propagated(other) {
            return nan;
        }
        match (self, other) {
            (Real::Infinity { negative: a }, Real::Infinity { negative: b }) if a != b => Real::invalid(),
            (Real::Infinity { .. }, _) => self,
            (_, Real::Infinity { .. }) => other,
            (
                Real::Finite { negative: na, mantissa: ma, exponent: ea },
                Real::Finite { negative: nb, mantissa: mb, exponent: eb },
            ) => {
                if ma == 0 && mb == 0 {
                    return Real::Finite { negative: na && nb, mantissa: 0, exponent: 0 };
                }
                if ma == 0 {
                    return other;
                }
                if mb == 0 {
                    return self;
                }
                let (ma, ea) = place_leading_bit(ma, ea, 124);
                let (mb, eb) = place_leading_bit(mb, eb, 124);
                let exponent = ea.max(eb);
                let (ma, mb) = (sticky_shift(ma, exponent - ea), sticky_shift(mb, exponent - eb));
                let (negative, mantissa) = if na == nb {
                    (na, ma + mb)
                } else if ma > mb {
                    (na, ma - mb)
                } else {
                    // An exact cancellation is +0 when rounding to nearest.
                    (nb && ma != mb, mb - ma)
                };
                Real::Finite { negative, mantissa, exponent }
            }
            _ => self,
        }
    }

    pub(crate) fn multiply(self, other: Real) -> Real {
        if let Some(nan) = self.propagated(other) {
            return nan;
        }
        let negative = self.negative() != other.negative();
        match (self, other) {
            (
                Real::Finite { mantissa: ma, exponent: ea, .. },
                Real::Finite { mantissa: mb, exponent: eb, .. },
            ) => {
                let (high, low) = wide_product(ma, mb);
                let spill = 128 - high.leading_zeros();
                let mantissa = match spill {
                    0 => low,
                    128 => high | u128::from(low != 0),
                    _ => high << (128 - spill) | low >> spill | u128::from(low << (128 - spill) != 0),
                };
                Real::Finite { negative, mantissa, exponent: ea + eb + spill as i32 }
            }
            _ if self.is_zero() || other.is_zero() => Real::invalid(),
            _ => Real::Infinity { negative },
        }
    }

    pub(crate) fn divide(self, other: Real) -> Real {
        if let Some(nan) = self.propagated(other) {
            return nan;
        }
        let negative = self.negative() != other.negative();
        match (self, other) {
            (Real::Infinity { .. }, Real::Infinity { .. }) => Real::invalid(),
            (Real::Infinity { .. }, _) => Real::Infinity { negative },
            (_, Real::Infinity { .. }) => Real::Finite { negative, mantissa: 0, exponent: 0 },
            _ if self.is_zero() && other.is_zero() => Real::invalid(),
            _ if other.is_zero() => Real::Infinity { negative },
            _ if self.is_zero() => Real::Finite { negative, mantissa: 0, exponent: 0 },
            (
                Real::Finite { mantissa: ma, exponent: ea, .. },
                Real::Finite { mantissa: mb, exponent: eb, .. },
            ) => {
                const STEPS: i32 = 122;
                let (mut rest, ea) = place_leading_bit(ma, ea, 113);
                let (divisor, eb) = place_leading_bit(mb, eb, 113);
                let mut quotient = 0u128;
                for _ in 0..STEPS {
                    quotient <<= 1;
                    if rest >= divisor {
                        rest -= divisor;
                        quotient |= 1;
                    }
                    rest <<= 1;
                }
                let mantissa = quotient << 1 | u128::from(rest != 0);
                Real::Finite { negative, mantissa, exponent: ea - eb - STEPS }
            }
            _ => Real::invalid(),
        }
    }

    /// The remainder of the division truncated toward zero, as `fmod`; always exact.
    pub(crate) fn remainder(self, other: Real) -> Real {
        if let Some(nan) = self.propagated(other) {
            return nan;
        }
        match (self, other) {
            (Real::Infinity { .. }, _) | (_, Real::Finite { mantissa: 0, .. }) => Real::invalid(),
            (_, Real::Infinity { .. }) => self,
            (
                Real::Finite { negative, mantissa: ma, exponent: ea },
                Real::Finite { mantissa: mb, exponent: eb, .. },
            ) => {
                let mut rest = ma;
                let mut exponent = ea;
                let mut divisor = mb;
                if ea >= eb {
                    rest %= divisor;
                    while exponent > eb && rest != 0 {
                        rest = (rest << 1) % divisor;
                        exponent -= 1;
                    }
                } else {
                    let up = (eb - ea) as u32;
                    if up > divisor.leading_zeros() {
                        return self;
                    }
                    divisor <<= up;
                    rest %= divisor;
                }
                Real::Finite { negative, mantissa: rest, exponent: if rest == 0 { 0 } else { exponent } }
            }
            _ => self,
        }
    }
}

/// The same number with the leading bit of its mantissa at `position`; nothing is lost for precisions up
/// to `position + 1`.
fn place_leading_bit(mantissa: u128, exponent: i32, position: u32) -> (u128, i32) {
    let current = 127 - mantissa.leading_zeros();
    if current <= position {
        (mantissa << (position - current), exponent - (position - current) as i32)
    } else {
        let down = (current - position) as i32;
        (sticky_shift(mantissa, down), exponent + down)
    }
}

/// Shifts right; the lowest bit remembers whether anything was lost.
fn sticky_shift(mantissa: u128, shift: i32) -> u128 {
    match shift {
        0 => mantissa,
        1..=127 => mantissa >> shift | u128::from(mantissa << (128 - shift) != 0),
        _ => u128::from(mantissa != 0),
    }
}

/// The 256-bit product as high and low half.
fn wide_product(a: u128, b: u128) -> (u128, u128) {
    let half = |value: u128| (value >> 64, value & u128::from(u64::MAX));
    let ((a1, a0), (b1, b0)) = (half(a), half(b));
    let low = a0 * b0;
    let (middle, carried) = (a1 * b0).overflowing_add(a0 * b1);
    let (low, carry) = low.overflowing_add(middle << 64);
    let high = a1 * b1 + (middle >> 64) + (u128::from(carried) << 64) + u128::from(carry);
    (high, low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn double(value: f64) -> Real {
        Real::from_f64(value)
    }

    /// A double of any exponent, subnormal numbers and infinities included.
    fn any_double() -> impl Strategy<Value = f64> {
        prop_oneof![
            any::<u64>().prop_map(f64::from_bits),
            any::<i32>().prop_map(f64::from),
            (any::<i16>(), -20i32..20).prop_map(|(m, e)| f64::from(m) * 2f64.powi(e)),
            Just(0.0),
            Just(-0.0),
            Just(f64::INFINITY),
            Just(5e-324),
        ]
    }

    fn same(soft: Real, hard: f64) -> bool {
        let soft = soft.to_f64();
        soft.to_bits() == hard.to_bits() || soft.is_nan() && hard.is_nan()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn arithmetic_rounds_as_the_processor(a in any_double(), b in any_double()) {
            prop_assert!(same(double(a).add(double(b)), a + b), "{a:e} + {b:e}");
            prop_assert!(same(double(a).subtract(double(b)), a - b), "{a:e} - {b:e}");
            prop_assert!(same(double(a).multiply(double(b)), a * b), "{a:e} * {b:e}");
            prop_assert!(same(double(a).divide(double(b)), a / b), "{a:e} / {b:e}");
            prop_assert!(same(double(a).remainder(double(b)), a % b), "{a:e} % {b:e}");
            prop_assert_eq!(double(a).order(double(b)), a.partial_cmp(&b));
        }

        #[test]
        fn conversions_round_as_the_processor(a in any_double(), wide: u128, narrow: i64) {
            let single = f32::from_bits(pack(FloatKind::Single, double(a)) as u32);
            prop_assert!(single.to_bits() == (a as f32).to_bits() || a.is_nan() && single.is_nan());
            prop_assert_eq!(pack(FloatKind::Double, Real::from_unsigned(wide)) as u64, (wide as f64).to_bits());
            prop_assert_eq!(pack(FloatKind::Single, Real::from_unsigned(wide)) as u32, (wide as f32).to_bits());
            prop_assert_eq!(
                pack(FloatKind::Double, Real::from_signed(narrow.into())) as u64,
                (narrow as f64).to_bits()
            );
        }

        #[test]
        fn wider_formats_keep_every_double(a in any_double()) {
            for kind in [FloatKind::X87, FloatKind::Quad] {
                let back = unpack(kind, pack(kind, double(a))).to_f64();
                prop_assert!(back.to_bits() == a.to_bits() || a.is_nan() && back.is_nan(), "{kind:?} {a:e}");
            }
        }

        #[test]
        fn packing_what_was_unpacked_changes_nothing(bits: u16) {
            for kind in [FloatKind::Half, FloatKind::BFloat] {
                let real = unpack(kind, bits.into());
                prop_assert!(real.is_nan() || pack(kind, real) == u128::from(bits));
            }
        }

        /// 64-bit integers are exact in the 80-bit format, which is why clang uses it for them.
        #[test]
        fn the_80_bit_format_holds_64_bit_integers(value: u64) {
            let real = unpack(FloatKind::X87, pack(FloatKind::X87, Real::from_unsigned(value.into())));
            prop_assert_eq!(real.truncate(), Some((false, value.into())));
        }
    }

    #[test]
    fn well_known_patterns() {
        assert_eq!(pack(FloatKind::Half, double(1.0)), 0x3c00);
        assert_eq!(pack(FloatKind::Half, double(65520.0)), 0x7c00);
        assert_eq!(pack(FloatKind::Half, double(6e-8)), 1);
        assert_eq!(pack(FloatKind::BFloat, double(-2.0)), 0xc000);
        assert_eq!(pack(FloatKind::X87, double(1.0)), 0x3fff_8000_0000_0000_0000);
        assert_eq!(pack(FloatKind::X87, double(f64::INFINITY)), 0x7fff_8000_0000_0000_0000);
        assert_eq!(pack(FloatKind::Quad, double(-1.0)), 0xbfff << 112);
        let third = unpack(FloatKind::X87, pack(FloatKind::X87, double(1.0).divide(double(3.0))));
        assert_eq!(pack(FloatKind::X87, third), 0x3ffd_aaaa_aaaa_aaaa_aaab);
        let quad_third = pack(FloatKind::Quad, double(1.0).divide(double(3.0)));
        assert_eq!(quad_third, 0x3ffd_5555_5555_5555_5555_5555_5555_5555);
    }
}
