//! One test of an entry value in words, as a finding says what it needs: "`flags` has bit 2", "`out` is NULL".

use crate::effect::{Relation, Test};
use crate::path::Path;

/// How to name what a test speaks of.
#[derive(Copy, Clone)]
pub struct Asked<'a> {
    /// How the source spells a place.
    pub place: &'a dyn Fn(&Path) -> Option<String>,
    /// Whether a place holds an address.
    pub pointer: &'a dyn Fn(&Path) -> bool,
}

/// What a test asks for. Nothing if it cannot be said, or goes without saying: that a pointer leads somewhere.
pub fn asked(test: &Test, names: Asked<'_>) -> Option<String> {
    let pointer = (names.pointer)(&test.value);
    let place = (names.place)(&test.value)?;
    if test.value.property().is_some() {
        return None;
    }
    let bit = test.mask.filter(|mask| mask.is_power_of_two()).map(u64::trailing_zeros);
    if let (Some(bit), Some(mask)) = (bit, test.mask)
        && let (Relation::Equal | Relation::NotEqual, Ok(number)) =
            (test.relation, u64::try_from(test.number))
        && test.other.is_none()
        && (number == 0 || number == mask)
    {
        let set = (test.relation == Relation::Equal) == (number == mask);
        return Some(match set {
            true => format!("`{place}` has bit {bit}"),
            false => format!("`{place}` does not have bit {bit}"),
        });
    }
    let subject = match test.mask {
        Some(mask) => format!("`{place} & {mask:#x}`"),
        None => format!("`{place}`"),
    };
    let object = match &test.other {
        Some(other) => {
            let other = (names.place)(other)?;
            match test.number {
                0 => format!("`{other}`"),
                number => format!("`{other} + {number}`"),
            }
        }
        None if pointer && test.number == 0 && test.relation == Relation::NotEqual => return None,
        None if pointer && test.number == 0 => "NULL".to_owned(),
        None => test.number.to_string(),
    };
    let relation = match test.relation {
        Relation::Equal => "is",
        Relation::NotEqual => "is not",
        Relation::Less | Relation::UnsignedLess => "is less than",
        Relation::LessEqual | Relation::UnsignedLessEqual => "is at most",
        Relation::Greater | Relation::UnsignedGreater => "is greater than",
        Relation::GreaterEqual | Relation::UnsignedGreaterEqual => "is at least",
    };
    Some(format!("{subject} {relation} {object}"))
}
