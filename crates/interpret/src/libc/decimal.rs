//! Exact decimal digits of floating-point numbers, rounded as `printf` rounds them.
//!
//! In: a magnitude `mantissa × 2^exponent`. Out: its decimal digits, all of them, because every binary
//! fraction ends: `m / 2^k = m × 5^k / 10^k`. Rounding to a number of digits is then plain text work, to
//! nearest with ties to even, and needs no argument about precision. Numbers have at most some thousand
//! digits, so the quadratic cost does not matter.
//!
//! ```text
//! digits(5, -2) = ("125", 2)    5/4 = 125 / 10^2
//! fixed(.., 1)  = "1.2"         a tie goes to the even digit
//! ```

const LIMB: u64 = 1_000_000_000;

/// All digits of `mantissa × 2^exponent` and how many of them stand after the point. Zero has none.
pub(super) struct Decimal {
    /// Values 0 to 9; the first is not zero.
    digits: Vec<u8>,
    fraction: usize,
}

/// A number rounded for the exponent form: `d.ddd × 10^exponent`.
pub(super) struct Scientific {
    pub(super) digits: Vec<u8>,
    pub(super) exponent: i32,
}

impl Decimal {
    pub(super) fn new(mut mantissa: u128, mut exponent: i32) -> Decimal {
        if mantissa == 0 {
            return Decimal { digits: Vec::new(), fraction: 0 };
        }
        if exponent < 0 {
            let zeros = mantissa.trailing_zeros().min(exponent.unsigned_abs());
            mantissa >>= zeros;
            exponent += zeros as i32;
        }
        let mut limbs = Vec::new();
        while mantissa != 0 {
            limbs.push((mantissa % u128::from(LIMB)) as u64);
            mantissa /= u128::from(LIMB);
        }
        let (base, per_step, mut left): (u64, u32, u32) =
            if exponent >= 0 { (2, 29, exponent as u32) } else { (5, 12, exponent.unsigned_abs()) };
        while left > 0 {
            let step = left.min(per_step);
            multiply(&mut limbs, base.pow(step));
            left -= step;
        }
        let mut text = String::new();
        for (index, limb) in limbs.iter().rev().enumerate() {
            text += &if index == 0 { format!("{limb}") } else { format!("{limb:09}") };
        }
        Decimal {
            digits: text.bytes().map(|byte| byte - b'0').collect(),
            fraction: if exponent < 0 { exponent.unsigned_abs() as usize } else { 0 },
        }
    }

    /// The digits before the point and `precision` digits after it.
    pub(super) fn fixed(&self, precision: usize) -> (String, String) {
        // Leading zeros bring the point inside the digits.
        let missing = (self.fraction + 1).saturating_sub(self.digits.len());
        let mut digits = vec![0; missing];
        digits.extend(&self.digits);
        let whole = digits.len() - self.fraction;
        let (mut digits, carried) = round(&digits, whole + precision);
        if carried {
            digits.insert(0, 1);
        }
        let whole = whole + usize::from(carried);
        (text(&digits[..whole]), text(&digits[whole..]))
    }

    /// `precision + 1` digits, the first of which is not zero unless the number is.
    pub(super) fn scientific(&self, precision: usize) -> Scientific {
        if self.digits.is_empty() {
            return Scientific { digits: vec![0; precision + 1], exponent: 0 };
        }
        let exponent = self.digits.len() as i32 - 1 - self.fraction as i32;
        let (mut digits, carried) = round(&self.digits, precision + 1);
        if carried {
            digits.insert(0, 1);
            digits.truncate(precision + 1);
        }
        Scientific { digits, exponent: exponent + i32::from(carried) }
    }
}

impl Scientific {
    /// The first digit and the digits after the point.
    pub(super) fn parts(&self) -> (String, String) {
        (text(&self.digits[..1]), text(&self.digits[1..]))
    }
}

fn multiply(limbs: &mut Vec<u64>, factor: u64) {
    let mut carry = 0;
    for limb in limbs.iter_mut() {
        let product = *limb * factor + carry;
        *limb = product % LIMB;
        carry = product / LIMB;
    }
    if carry != 0 {
        limbs.push(carry);
    }
}

/// Keeps `count` digits, rounded to nearest, ties to even; says whether a 1 was carried out in front.
/// Missing digits are zeros.
fn round(digits: &[u8], count: usize) -> (Vec<u8>, bool) {
    let mut kept: Vec<u8> = digits.iter().copied().take(count).collect();
    kept.resize(count, 0);
    let up = match digits.get(count) {
        None | Some(0..=4) => false,
        Some(5) => {
            let above_half = digits[count + 1..].iter().any(|&digit| digit != 0);
            above_half || kept.last().is_some_and(|last| last % 2 == 1)
        }
        Some(_) => true,
    };
    if !up {
        return (kept, false);
    }
    for digit in kept.iter_mut().rev() {
        if *digit < 9 {
            *digit += 1;
            return (kept, false);
        }
        *digit = 0;
    }
    (kept, true)
}

fn text(digits: &[u8]) -> String {
    digits.iter().map(|digit| char::from(b'0' + digit)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::Real;
    use proptest::prelude::*;

    fn decimal(value: f64) -> Decimal {
        match Real::from_f64(value) {
            Real::Finite { mantissa, exponent, .. } => Decimal::new(mantissa, exponent),
            _ => Decimal::new(0, 0),
        }
    }

    proptest! {
        /// Rust's own formatting is exact too, though written differently.
        #[test]
        fn agrees_with_rust(bits: u64, precision in 0usize..30) {
            let value = f64::from_bits(bits).abs();
            prop_assume!(value.is_finite());
            let (whole, fraction) = decimal(value).fixed(precision);
            let point = if precision > 0 { "." } else { "" };
            prop_assert_eq!(format!("{whole}{point}{fraction}"), format!("{value:.precision$}"));
            let scientific = decimal(value).scientific(precision);
            let (first, rest) = scientific.parts();
            let exponent = scientific.exponent;
            prop_assert_eq!(format!("{first}{point}{rest}e{exponent}"), format!("{value:.precision$e}"));
        }
    }

    #[test]
    fn ties_go_to_the_even_digit() {
        let fixed = |value: f64, precision| {
            let (whole, fraction) = decimal(value).fixed(precision);
            format!("{whole}.{fraction}")
        };
        assert_eq!(fixed(1.25, 1), "1.2");
        assert_eq!(fixed(1.75, 1), "1.8");
        assert_eq!(fixed(0.5, 0), "0.");
        assert_eq!(fixed(1.5, 0), "2.");
        assert_eq!(fixed(9.96, 1), "10.0");
        assert_eq!(fixed(0.0, 2), "0.00");
    }
}
