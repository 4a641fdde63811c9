//! Integers wider than 128 bits, as 64-bit words, least significant first.
//!
//! Clang reads long runs of bit-fields as one integer (`i280`), shifts and cuts it; `_BitInt(256)` and
//! vectors held as integers are as wide. Such code is rare, so clarity comes before speed: every
//! function takes and gives plain word vectors of `width.div_ceil(64)` words whose excess bits are zero.
//!
//! ```text
//! binary(Add, 130, [!0, !0, 1], [1, 0, 0]) = [0, 0, 2]
//! ```

use crate::arith::Undefined;
use watertight_ir::{BinaryOp, CompareOp};

/// How many words hold `width` bits.
pub(crate) fn count(width: u32) -> usize {
    width.div_ceil(64) as usize
}

/// Clears the bits above `width` and cuts or extends to the right number of words.
pub(crate) fn trim(width: u32, mut words: Vec<u64>) -> Vec<u64> {
    words.resize(count(width), 0);
    if !width.is_multiple_of(64)
        && let Some(top) = words.last_mut()
    {
        *top &= u64::MAX >> (64 - width % 64);
    }
    words
}

/// Reads a number of `from` bits as signed and gives it `to` bits.
pub(crate) fn sign_extend(from: u32, to: u32, words: &[u64]) -> Vec<u64> {
    let mut words = words.to_vec();
    if is_negative(from, &words) {
        let top = count(from) - 1;
        if !from.is_multiple_of(64) {
            words[top] |= u64::MAX << (from % 64);
        }
        words.resize(count(to).max(words.len()), u64::MAX);
    }
    trim(to, words)
}

/// Integer arithmetic modulo 2^width.
pub(crate) fn binary(op: BinaryOp, width: u32, lhs: &[u64], rhs: &[u64]) -> Result<Vec<u64>, Undefined> {
    let each = |combine: fn(u64, u64) -> u64| lhs.iter().zip(rhs).map(|(&a, &b)| combine(a, b)).collect();
    let result = match op {
        BinaryOp::And => each(|a, b| a & b),
        BinaryOp::Or => each(|a, b| a | b),
        BinaryOp::Xor => each(|a, b| a ^ b),
        BinaryOp::Add => add(lhs, rhs, false),
        BinaryOp::Sub => add(lhs, &rhs.iter().map(|word| !word).collect::<Vec<_>>(), true),
        BinaryOp::Mul => multiply(lhs, rhs),
        BinaryOp::Shl => shift_left(lhs, amount(width, rhs)?),
        BinaryOp::LShr => shift_right(lhs, amount(width, rhs)?),
        BinaryOp::AShr => {
            let amount = amount(width, rhs)?;
            let extended = sign_extend(width, width + amount, lhs);
            shift_right(&extended, amount)
        }
        BinaryOp::UDiv => divide(width, lhs, rhs)?.0,
        BinaryOp::URem => divide(width, lhs, rhs)?.1,
        BinaryOp::SDiv | BinaryOp::SRem => {
            let (negative_lhs, negative_rhs) = (is_negative(width, lhs), is_negative(width, rhs));
            let magnitude = |negative: bool, words: &[u64]| {
                if negative { negate(width, words) } else { words.to_vec() }
            };
            let (quotient, remainder) =
                divide(width, &magnitude(negative_lhs, lhs), &magnitude(negative_rhs, rhs))?;
            // Only the least number divided by -1 gives a positive quotient with the sign bit set.
            if negative_lhs == negative_rhs && is_negative(width, &quotient) {
                return Err(Undefined::DivisionOverflow);
            }
            if op == BinaryOp::SDiv {
                magnitude(negative_lhs != negative_rhs, &quotient)
            } else {
                magnitude(negative_lhs, &remainder)
            }
        }
    };
    Ok(trim(width, result))
}

/// Comparison of integers.
pub(crate) fn compare(op: CompareOp, width: u32, lhs: &[u64], rhs: &[u64]) -> bool {
    let unsigned = lhs.iter().rev().cmp(rhs.iter().rev());
    // Of two numbers of different sign, the negative one has the greater bit pattern.
    let signed =
        if is_negative(width, lhs) == is_negative(width, rhs) { unsigned } else { unsigned.reverse() };
    match op {
        CompareOp::Eq => unsigned.is_eq(),
        CompareOp::Ne => unsigned.is_ne(),
        CompareOp::Ugt => unsigned.is_gt(),
        CompareOp::Uge => unsigned.is_ge(),
        CompareOp::Ult => unsigned.is_lt(),
        CompareOp::Ule => unsigned.is_le(),
        CompareOp::Sgt => signed.is_gt(),
        CompareOp::Sge => signed.is_ge(),
        CompareOp::Slt => signed.is_lt(),
        CompareOp::Sle => signed.is_le(),
    }
}

fn is_negative(width: u32, words: &[u64]) -> bool {
    words[count(width) - 1] >> ((width - 1) % 64) & 1 == 1
}

fn negate(width: u32, words: &[u64]) -> Vec<u64> {
    let inverted: Vec<u64> = words.iter().map(|word| !word).collect();
    trim(width, add(&inverted, &vec![0; words.len()], true))
}

fn add(lhs: &[u64], rhs: &[u64], carry: bool) -> Vec<u64> {
    let mut carry = u64::from(carry);
    lhs.iter()
        .zip(rhs)
        .map(|(&a, &b)| {
            let sum = u128::from(a) + u128::from(b) + u128::from(carry);
            carry = (sum >> 64) as u64;
            sum as u64
        })
        .collect()
}

fn multiply(lhs: &[u64], rhs: &[u64]) -> Vec<u64> {
    let mut product = vec![0u64; lhs.len()];
    for (low, &a) in lhs.iter().enumerate() {
        let mut carry = 0u128;
        for (&b, place) in rhs.iter().zip(&mut product[low..]) {
            let sum = u128::from(a) * u128::from(b) + u128::from(*place) + carry;
            *place = sum as u64;
            carry = sum >> 64;
        }
    }
    product
}

fn amount(width: u32, words: &[u64]) -> Result<u32, Undefined> {
    if words[0] < u64::from(width) && words[1..].iter().all(|&word| word == 0) {
        Ok(words[0] as u32)
    } else {
        Err(Undefined::ShiftTooWide)
    }
}

fn shift_left(words: &[u64], amount: u32) -> Vec<u64> {
    let (whole, bits) = ((amount / 64) as usize, amount % 64);
    (0..words.len())
        .map(|index| {
            let word = |back: usize| index.checked_sub(whole + back).map_or(0, |from| words[from]);
            if bits == 0 { word(0) } else { word(0) << bits | word(1) >> (64 - bits) }
        })
        .collect()
}

fn shift_right(words: &[u64], amount: u32) -> Vec<u64> {
    let (whole, bits) = ((amount / 64) as usize, amount % 64);
    let word = |index: usize| words.get(index).copied().unwrap_or(0);
    (0..words.len())
        .map(|index| {
            let low = word(index + whole);
            if bits == 0 { low } else { low >> bits | word(index + whole + 1) << (64 - bits) }
        })
        .collect()
}

/// Quotient and remainder, bit by bit.
fn divide(width: u32, lhs: &[u64], rhs: &[u64]) -> Result<(Vec<u64>, Vec<u64>), Undefined> {
    if rhs.iter().all(|&word| word == 0) {
        return Err(Undefined::DivisionByZero);
    }
    let words = lhs.len();
    let mut quotient = vec![0u64; words];
    // One word more, because the remainder is shifted before it is compared.
    let mut remainder = vec![0u64; words + 1];
    let mut divisor = rhs.to_vec();
    divisor.push(0);
    let inverted: Vec<u64> = divisor.iter().map(|word| !word).collect();
    for bit in (0..width as usize).rev() {
        remainder = shift_left(&remainder, 1);
        remainder[0] |= lhs[bit / 64] >> (bit % 64) & 1;
        if remainder.iter().rev().cmp(divisor.iter().rev()).is_ge() {
            remainder = add(&remainder, &inverted, true);
            quotient[bit / 64] |= 1 << (bit % 64);
        }
    }
    remainder.pop();
    Ok((quotient, remainder))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith;
    use proptest::prelude::*;

    fn split(value: u128) -> Vec<u64> {
        vec![value as u64, (value >> 64) as u64]
    }

    proptest! {
        /// The word form agrees with `u128` arithmetic where both apply.
        #[test]
        fn agrees_with_128_bit_arithmetic(a: u128, b: u128, width in 65u32..=128, small in 0u32..140, narrow: bool) {
            let all = arith::mask(width);
            let (a, b) = (a & all, if narrow { u128::from(small) } else { b & all });
            for &op in BinaryOp::ALL {
                let expected = arith::binary(op, width, a, b).map(split);
                prop_assert_eq!(binary(op, width, &split(a), &split(b)), expected, "{:?}", op);
            }
            for &op in CompareOp::ALL {
                prop_assert_eq!(compare(op, width, &split(a), &split(b)), arith::compare(op, width, a, b));
            }
        }
    }

    #[test]
    fn carries_reach_the_third_word() {
        let sum = binary(BinaryOp::Add, 130, &[u64::MAX, u64::MAX, 1], &[1, 0, 0]);
        assert_eq!(sum, Ok(vec![0, 0, 2]));
    }

    #[test]
    fn sign_extension_fills_the_new_words() {
        assert_eq!(sign_extend(65, 192, &[5, 1]), [5, u64::MAX, u64::MAX]);
        assert_eq!(sign_extend(64, 130, &[1 << 63]), [1 << 63, u64::MAX, 3]);
        assert_eq!(sign_extend(65, 192, &[5, 0]), [5, 0, 0]);
    }
}
