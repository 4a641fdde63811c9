//! What a choice could have been instead, for a run to go another way.
//!
//! In: a choice of a run, and what the run compared afterwards. Out: the alternatives worth a run of their own. Where few
//! things differ in kind, these are all of them. Of numbers and texts there are too many; but what decides about one is
//! compared with something, and then stands on one side of a comparison as it was chosen. So the other side, and the numbers
//! next to it, are what it could have been. That finds the flag, the character or the length that code deep inside a callee
//! asks for, without following how it got there. What the witness says is among it: an engine that sums callees up may say
//! two things that do not go together, and a run that is led may then take leave of one.

use crate::chance::{Among, Made};
use crate::limits::MOST_HINTS;

/// A comparison: how many choices had been made, and both sides.
pub(crate) type Compared = (usize, u64, u64);

/// Other values for the choice at this position that the witness leaves open.
pub(crate) fn open_alternatives(at: usize, made: &Made, compared: &[Compared]) -> Vec<u64> {
    match made.among {
        Among::Wished(_) | Among::WishedFork => Vec::new(),
        _ => alternatives(at, made, compared),
    }
}

/// Other values for the choice at this position.
pub(crate) fn alternatives(at: usize, made: &Made, compared: &[Compared]) -> Vec<u64> {
    match made.among {
        Among::Wished(bytes) => numbers(at, made.taken, mask(bytes), compared),
        Among::WishedFork => vec![1 - made.taken.min(1)],
        Among::Forks(count) => (0..u64::from(count)).filter(|&other| other != made.taken).collect(),
        Among::Numbers(bytes) => {
            let mut others = numbers(at, made.taken, mask(bytes), compared);
            for plain in [0, 1, u64::MAX] {
                let plain = plain & mask(bytes);
                if plain != made.taken && !others.contains(&plain) {
                    others.push(plain);
                }
            }
            others
        }
        Among::Texts => texts(at, made.taken, compared),
    }
}

fn mask(bytes: u32) -> u64 {
    if bytes >= 8 { u64::MAX } else { (1 << (bytes * 8)) - 1 }
}

/// Numbers that one was compared with, and those next to them.
fn numbers(at: usize, taken: u64, mask: u64, compared: &[Compared]) -> Vec<u64> {
    let taken = taken & mask;
    let mut others = Vec::new();
    let after = compared.iter().filter(|&&(made, ..)| made > at);
    for &(_, left, right) in after {
        for (own, other) in [(left, right), (right, left)] {
            if own & mask != taken {
                continue;
            }
            for other in [other, other.wrapping_add(1), other.wrapping_sub(1)] {
                let other = other & mask;
                if other != taken && !others.contains(&other) {
                    others.push(other);
                }
            }
        }
        if others.len() >= MOST_HINTS {
            break;
        }
    }
    others
}

/// Texts with one of their characters, or their end, replaced by what it was compared with.
fn texts(at: usize, taken: u64, compared: &[Compared]) -> Vec<u64> {
    let bytes = taken.to_le_bytes();
    let length = bytes.iter().take_while(|&&byte| byte != 0).count();
    let mut others = Vec::new();
    for &(_, left, right) in compared.iter().filter(|&&(made, ..)| made > at) {
        for (own, other) in [(left, right), (right, left)] {
            let (own, other) = (own as u8, other as u8);
            for position in (0..=length.min(6)).filter(|&position| bytes[position] == own) {
                let mut bytes = bytes;
                bytes[position] = other;
                let text = u64::from_le_bytes(bytes);
                if text != taken && !others.contains(&text) {
                    others.push(text);
                }
            }
        }
        if others.len() >= MOST_HINTS {
            break;
        }
    }
    if taken != 0 && !others.contains(&0) {
        others.push(0);
    }
    others
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_what_they_are_compared_with() {
        let made = Made { taken: 5, among: Among::Numbers(4) };
        let compared = [(0, 5, 99), (2, 5, 12), (2, 7, 8)];
        assert_eq!(alternatives(1, &made, &compared), [12, 13, 11, 0, 1, 0xffff_ffff]);
    }

    #[test]
    fn characters_of_a_text_are_replaced() {
        let made = Made { taken: u64::from_le_bytes(*b"ab\0\0\0\0\0\0"), among: Among::Texts };
        let compared = [(1, 0x62, 0x23)];
        let expected = u64::from_le_bytes(*b"a#\0\0\0\0\0\0");
        assert_eq!(alternatives(0, &made, &compared), [expected, 0]);
    }

    #[test]
    fn few_things_are_all_tried() {
        let made = Made { taken: 1, among: Among::Forks(3) };
        assert_eq!(alternatives(0, &made, &[]), [0, 2]);
        assert!(alternatives(0, &Made { taken: 1, among: Among::Forks(0) }, &[]).is_empty());
    }
}
