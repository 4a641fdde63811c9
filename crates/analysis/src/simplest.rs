//! Conditions on one number, said as briefly as they can be.
//!
//! In: tests that hold together. Out: tests that say the same, with what is said of one number put together: at least 2, not 2, at least 4 and
//! not 4 is at least 5. Nothing, if no number is like that. Tests of some bits, of two values, and of unsigned numbers stay as they are, as
//! does one that stands alone.

use watertight_summary::{Relation, Test};

/// What is said of one number.
struct Range {
    least: Option<i64>,
    most: Option<i64>,
    not: Vec<i64>,
}

/// Tests that say the same as all of these, if some number is like that.
pub(crate) fn simplest(tests: &[Test]) -> Option<Vec<Test>> {
    let is_plain = |test: &Test| test.mask.is_none() && test.other.is_none() && bounds(test).is_some();
    let mut simple: Vec<Test> = Vec::new();
    for (index, test) in tests.iter().enumerate() {
        let alike = |other: &&Test| is_plain(other) && other.value == test.value;
        match is_plain(test) {
            true if tests[..index].iter().any(|other| alike(&other)) => {}
            true => {
                let all: Vec<&Test> = tests.iter().filter(alike).collect();
                simple.extend(together(&all)?);
            }
            false => simple.push(test.clone()),
        }
    }
    Some(simple)
}

/// What a test says of a number, if that is an interval or all numbers but one.
fn bounds(test: &Test) -> Option<Range> {
    let number = test.number;
    let range = |least, most| Some(Range { least, most, not: Vec::new() });
    match test.relation {
        Relation::Equal => range(Some(number), Some(number)),
        Relation::NotEqual => Some(Range { least: None, most: None, not: vec![number] }),
        Relation::Less => range(None, Some(number.checked_sub(1)?)),
        Relation::LessEqual => range(None, Some(number)),
        Relation::Greater => range(Some(number.checked_add(1)?), None),
        Relation::GreaterEqual => range(Some(number), None),
        Relation::UnsignedLess
        | Relation::UnsignedLessEqual
        | Relation::UnsignedGreater
        | Relation::UnsignedGreaterEqual => None,
    }
}

fn together(tests: &[&Test]) -> Option<Vec<Test>> {
    let [first, _, ..] = tests else { return Some(tests.iter().map(|&test| test.clone()).collect()) };
    let mut all = Range { least: None, most: None, not: Vec::new() };
    for said in tests.iter().filter_map(|test| bounds(test)) {
        all.least = all.least.max(said.least);
        all.most = match (all.most, said.most) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        all.not.extend(said.not);
    }
    all.not.sort_unstable();
    all.not.dedup();
    // A bound that is excluded moves on.
    for &number in &all.not {
        if all.least == Some(number) {
            all.least = number.checked_add(1);
        }
    }
    for &number in all.not.iter().rev() {
        if all.most == Some(number) {
            all.most = number.checked_sub(1);
        }
    }
    let inside = |number: i64| {
        all.least.is_none_or(|least| least < number) && all.most.is_none_or(|most| number < most)
    };
    let test = |relation, number| Test { relation, number, ..(*first).clone() };
    let bounds = match (all.least, all.most) {
        (Some(least), Some(most)) if least > most => return None,
        (Some(least), Some(most)) if least == most => vec![test(Relation::Equal, least)],
        (least, most) => {
            let least = least.map(|least| test(Relation::GreaterEqual, least));
            let most = most.map(|most| test(Relation::LessEqual, most));
            least.into_iter().chain(most).collect()
        }
    };
    let rest =
        all.not.iter().filter(|&&number| inside(number)).map(|&number| test(Relation::NotEqual, number));
    Some(bounds.into_iter().chain(rest).collect())
}

#[cfg(test)]
mod tests {
    use super::simplest;
    use watertight_summary::{Path, Relation, Test};

    fn said(tests: &[(Relation, i64)]) -> Option<Vec<(Relation, i64)>> {
        let test = |&(relation, number): &(Relation, i64)| Test {
            value: Path::param(0),
            mask: None,
            relation,
            number,
            other: None,
        };
        let tests: Vec<Test> = tests.iter().map(test).collect();
        simplest(&tests).map(|all| all.iter().map(|test| (test.relation, test.number)).collect())
    }

    #[test]
    fn a_bound_that_is_excluded_moves() {
        use Relation::{GreaterEqual, NotEqual};
        let all = [(GreaterEqual, 2), (NotEqual, 2), (GreaterEqual, 4), (NotEqual, 4), (NotEqual, 9)];
        assert_eq!(said(&all), Some(vec![(GreaterEqual, 5), (NotEqual, 9)]));
    }

    #[test]
    fn what_no_number_is_is_nothing() {
        use Relation::{Equal, GreaterEqual, Less};
        assert_eq!(said(&[(GreaterEqual, 2), (Equal, 1)]), None);
        assert_eq!(said(&[(GreaterEqual, 2), (Less, 3)]), Some(vec![(Equal, 2)]));
        assert_eq!(said(&[(Less, 3)]), Some(vec![(Less, 3)]));
    }
}
