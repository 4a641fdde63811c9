//! Which values something ever has: some numbers, or no other bits than some.
//!
//! A set of numbers that grows too large becomes the bits that occur in them, so whatever is joined again and again ends. What has all
//! bits of its width may be anything; addresses are that. Numbers that are only added to, from zero on, do not wrap around (ASSUME-55), so they lack
//! the sign bit. In and out: plain values.

use crate::limits::MOST_PASSED;
use watertight_ir::BinaryOp;

/// The values that something may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ever {
    /// One of these, in ascending order. The null pointer is 0.
    Numbers(Vec<u64>),
    /// No other bits than these.
    Bits(u64),
}

impl Ever {
    /// Nothing yet.
    pub(crate) const NEVER: Ever = Ever::Numbers(Vec::new());
    pub(crate) const ANY: Ever = Ever::Bits(u64::MAX);

    pub(crate) fn one(number: u64) -> Ever {
        Ever::Numbers(vec![number])
    }

    /// The bits that it may have.
    pub fn bits(&self) -> u64 {
        match self {
            Ever::Numbers(numbers) => numbers.iter().fold(0, |bits, number| bits | number),
            Ever::Bits(bits) => *bits,
        }
    }

    /// Whether it says something of a number of so many bits.
    pub(crate) fn tells(&self, width: u32) -> bool {
        match self {
            Ever::Numbers(_) => true,
            Ever::Bits(bits) => bits & mask(width) != mask(width),
        }
    }

    /// Adds what something else may be. Says whether that is new.
    pub(crate) fn join(&mut self, other: &Ever) -> bool {
        let before = match (&*self, other) {
            (Ever::Bits(bits), _) => {
                let all = bits | other.bits();
                let changed = all != *bits;
                *self = Ever::Bits(all);
                return changed;
            }
            (Ever::Numbers(numbers), Ever::Numbers(_)) => numbers.len(),
            (Ever::Numbers(_), Ever::Bits(bits)) => {
                *self = Ever::Bits(self.bits() | bits);
                return true;
            }
        };
        let (Ever::Numbers(numbers), Ever::Numbers(others)) = (&mut *self, other) else { return false };
        numbers.extend(others);
        numbers.sort_unstable();
        numbers.dedup();
        let changed = numbers.len() != before;
        if numbers.len() > MOST_PASSED {
            *self = Ever::Bits(self.bits());
        }
        changed
    }

    /// The same, each number changed: cut or extended to another width.
    pub(crate) fn mapped(&self, change: impl Fn(u64) -> u64, bits: impl FnOnce(u64) -> u64) -> Ever {
        match self {
            Ever::Numbers(numbers) => {
                let mut mapped = Ever::NEVER;
                numbers.iter().for_each(|&number| {
                    mapped.join(&Ever::one(change(number)));
                });
                mapped
            }
            Ever::Bits(before) => Ever::Bits(bits(*before)),
        }
    }

    /// What arithmetic on numbers of so many bits makes of two.
    pub(crate) fn binary(op: BinaryOp, lhs: &Ever, rhs: &Ever, width: u32) -> Ever {
        let all = mask(width);
        let known: Option<fn(u64, u64) -> u64> = match op {
            BinaryOp::And => Some(|lhs, rhs| lhs & rhs),
            BinaryOp::Or => Some(|lhs, rhs| lhs | rhs),
            BinaryOp::Xor => Some(|lhs, rhs| lhs ^ rhs),
            BinaryOp::Shl => Some(|lhs, rhs| lhs.checked_shl(rhs as u32).unwrap_or(0)),
            BinaryOp::LShr => Some(|lhs, rhs| lhs.checked_shr(rhs as u32).unwrap_or(0)),
            _ => None,
        };
        if let (Some(known), Ever::Numbers(left), Ever::Numbers(right)) = (known, lhs, rhs) {
            let mut result = Ever::NEVER;
            for &left in left {
                for &right in right {
                    result.join(&Ever::one(known(left, right) & all));
                }
            }
            return result;
        }
        let (left, right) = (lhs.bits() & all, rhs.bits() & all);
        let sign = all ^ all >> 1;
        Ever::Bits(match (op, rhs) {
            (BinaryOp::And, _) => left & right,
            (BinaryOp::Or | BinaryOp::Xor, _) => left | right,
            (BinaryOp::Shl | BinaryOp::LShr, Ever::Numbers(by))
                if let (Some(known), &[by]) = (known, &by[..]) =>
            {
                known(left, by) & all
            }
            // ASSUME-55: what counts does not wrap around.
            (BinaryOp::Add, _) if (left | right) & sign == 0 && width >= 32 => all ^ sign,
            _ => all,
        })
    }
}

/// All bits of a number of so many.
pub(crate) fn mask(width: u32) -> u64 {
    match width {
        0..64 => (1 << width) - 1,
        _ => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::Ever;
    use watertight_ir::BinaryOp;

    #[test]
    fn flags_keep_their_bits() {
        let (mut flags, one, four) = (Ever::one(0), Ever::one(1), Ever::one(4));
        for _ in 0..3 {
            for flag in [&one, &four] {
                let set = Ever::binary(BinaryOp::Or, &flags, flag, 32);
                flags.join(&set);
            }
        }
        assert_eq!(flags, Ever::Numbers(vec![0, 1, 4, 5]));
    }

    #[test]
    fn counters_stay_above_zero() {
        let mut count = Ever::one(0);
        let more = Ever::binary(BinaryOp::Add, &count, &Ever::one(1), 32);
        count.join(&more);
        assert_eq!(count, Ever::Bits(0x7fff_ffff));
        let less = Ever::binary(BinaryOp::Sub, &count, &Ever::one(1), 32);
        assert!(!less.tells(32));
    }

    #[test]
    fn many_numbers_become_bits() {
        let mut numbers = Ever::NEVER;
        for number in 0..40 {
            numbers.join(&Ever::one(number));
        }
        assert_eq!(numbers, Ever::Bits(63));
    }
}
