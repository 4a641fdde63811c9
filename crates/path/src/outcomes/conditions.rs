//! Conditions of outcomes: what a class of paths says about entry values.
//!
//! In: the guard of a class, over all conditions of the function. Out: a sum of few conjunctions of tests that hold
//! wherever the class is possible. Conditions that are no tests of entry values are left open. Where the exact sum
//! takes too many conjunctions, tests of what lies far from the caller's own names are left open first; what every
//! path of the class has in common is never lost, because it is what a caller most often knows: that the field which
//! the call fills was empty, that the flag which makes it allocate was set.

use crate::limits::{HUGE_CLASS, LARGEST_CLASS, LONGEST_CUBE, LONGEST_PLACE, MOST_CUBES, MOST_TESTS};
use crate::machine::memory::Origin;
use crate::machine::provenance::Provenance;
use crate::machine::state::State;
use crate::outcomes::bits::bits_of;
use rustc_hash::FxHashMap;
use watertight_logic::cone::support;
use watertight_logic::guard::{Condition, Guard};
use watertight_logic::term::{BinaryOp, Term, TermId, UnaryOp};
use watertight_summary::{Path, Relation, Root, Test, When};

/// Conditions as tests of entry values, which the classes of a function ask for again and again.
pub(crate) struct Tests {
    /// Names of what the caller gave and the function releases.
    released: Vec<Path>,
    known: FxHashMap<Condition, Told>,
}

/// What a caller is told of a condition.
#[derive(Clone)]
enum Told {
    Test(Test),
    /// Nothing, though its entry values alone decide it.
    Unsaid,
    Nothing,
}

impl Tests {
    pub(crate) fn new(state: &State<'_>) -> Tests {
        Tests { released: state.released_paths().collect(), known: FxHashMap::default() }
    }

    fn of(&mut self, state: &State<'_>, condition: Condition) -> Told {
        let Tests { released, known } = self;
        let new = || match state.entry_test(condition).filter(|test| is_told(test, released)) {
            Some(test) => Told::Test(test),
            None if state.is_from_entry(condition) => Told::Unsaid,
            None => Told::Nothing,
        };
        known.entry(condition).or_insert_with(new).clone()
    }
}

impl State<'_> {
    /// Names of what the caller gave and the function releases.
    pub(crate) fn released_paths(&self) -> impl Iterator<Item = Path> {
        self.objects.values().filter(|object| !object.released.is_false()).filter_map(|object| match &object
            .origin
        {
            Origin::Entry(path) => Some(path.clone()),
            _ => None,
        })
    }

    /// What a class says about entry values.
    pub(crate) fn entry_condition(&mut self, class: Guard, known: &mut Tests) -> When {
        let size = self.formulas.guards.size(class);
        if self.formulas.guards.overflowed() || size > HUGE_CLASS {
            return When { weak: true, ..When::always() };
        }
        let mut support = self.formulas.guards.support(class);
        let mut tests: Vec<(Condition, Test)> = Vec::new();
        let mut unsaid = false;
        for &condition in &support {
            match known.of(self, condition) {
                Told::Test(test) => tests.push((condition, test)),
                Told::Unsaid => unsaid = true,
                Told::Nothing => {}
            }
        }
        if tests.len() > MOST_TESTS {
            let many = tests.len();
            tests.retain(|(_, test)| !is_order(test));
            unsaid |= tests.len() < many;
        }
        if tests.is_empty() {
            return When { unsaid, ..When::always() };
        }
        let common = self.common_tests(class, &mut tests);
        if size > LARGEST_CLASS || tests.len() > MOST_TESTS {
            return When { any: vec![common], weak: !tests.is_empty(), unsaid };
        }
        // What is left once the common tests are taken for granted.
        tests.sort_by_key(|(condition, test)| (is_order(test), distance(test), *condition));
        support.retain(|condition| tests.iter().all(|entry| entry.0 != *condition));
        let mut outer = self.project(class, &support, &mut FxHashMap::default());
        let mut left = tests.len();
        loop {
            let weak = tests[left..].iter().any(|entry| !is_order(&entry.1));
            let unsaid = unsaid || left < tests.len();
            if outer.is_true() {
                return When { any: vec![common], weak, unsaid };
            }
            if let Some(cubes) = self.formulas.guards.cubes(outer, MOST_CUBES) {
                let any = cubes.iter().map(|cube| {
                    let literals = cube.iter().filter_map(|literal| {
                        let (_, test) = tests.iter().find(|entry| entry.0 == literal.condition)?;
                        Some(if literal.holds { test.clone() } else { negated(test) })
                    });
                    common.iter().cloned().chain(literals).collect()
                });
                return When { any: any.collect(), weak, unsaid };
            }
            let Some(farthest) = left.checked_sub(1) else {
                return When { any: vec![common], weak, unsaid };
            };
            left = farthest;
            outer = self.project(outer, &[tests[farthest].0], &mut FxHashMap::default());
        }
    }

    /// Tests that turn out the same on all paths of a class; they are taken out of the list.
    fn common_tests(&mut self, class: Guard, tests: &mut Vec<(Condition, Test)>) -> Vec<Test> {
        let mut common = Vec::new();
        tests.retain(|(condition, test)| {
            let literal = self.formulas.guards.literal(*condition);
            if self.formulas.guards.entails(class, literal) {
                common.push(test.clone());
            } else if self.formulas.guards.disjoint(class, literal) {
                common.push(negated(test));
            } else {
                return true;
            }
            false
        });
        common.sort_by_key(distance);
        common.truncate(LONGEST_CUBE);
        common
    }

    /// The guard with some conditions left open. One walk over the guard, which is small.
    pub(crate) fn project(
        &mut self,
        guard: Guard,
        inner: &[Condition],
        known: &mut FxHashMap<Guard, Guard>,
    ) -> Guard {
        if let Some(&result) = known.get(&guard) {
            return result;
        }
        let Some((condition, high, low)) = self.formulas.guards.branch(guard) else { return guard };
        let (high, low) = (self.project(high, inner, known), self.project(low, inner, known));
        let result = if inner.contains(&condition) {
            self.or(high, low)
        } else {
            let literal = self.formulas.guards.literal(condition);
            self.formulas.guards.ite(literal, high, low)
        };
        known.insert(guard, result);
        result
    }

    /// Whether entry values alone decide a condition, or what evaluation made up for them.
    fn is_from_entry(&self, condition: Condition) -> bool {
        let Some(term) = self.formulas.conditions.term_of(condition) else { return false };
        let terms = &self.formulas.terms;
        support(terms, [term]).into_iter().map(|variable| terms.variable_term(variable)).all(|variable| {
            self.input_path(variable).is_some()
                || self.unknowns.is_approximated(variable)
                || self.unknowns.is(variable, Provenance::Unsaid)
        })
    }

    /// A condition as a test of an entry value.
    pub(crate) fn entry_test(&self, condition: Condition) -> Option<Test> {
        let term = self.formulas.conditions.term_of(condition)?;
        // A truth value of the caller's.
        if let Some(path) = self.input_path(term) {
            let value = path.clone();
            return Some(Test { value, mask: None, relation: Relation::NotEqual, number: 0, other: None });
        }
        // One bit of a number of the caller's.
        if let Term::Extract { high, low, .. } = self.formulas.terms.view(term)
            && high == low
        {
            let bits = bits_of(self, term)?;
            let mask = bits.mask.checked_shl(bits.low).filter(|mask| *mask != 0 && mask >> 63 == 0)?;
            return Some(Test {
                value: bits.path,
                mask: Some(mask),
                relation: Relation::NotEqual,
                number: 0,
                other: None,
            });
        }
        let Term::Binary(op, a, b) = self.formulas.terms.view(term) else { return None };
        let terms = &self.formulas.terms;
        let constant = |term: TermId| {
            let value = terms.const_value(term)?;
            i64::try_from(terms.width(term).signed(value)).ok()
        };
        let (subject, number, swapped) = match (constant(a), constant(b)) {
            (None, Some(number)) => (a, number, false),
            (Some(number), None) => (b, number, true),
            (None, None) => return self.compared_entries(op, a, b),
            _ => return None,
        };
        let relation = match (op, swapped) {
            (BinaryOp::Eq, _) => Relation::Equal,
            (BinaryOp::SLt, false) => Relation::Less,
            (BinaryOp::SLt, true) => Relation::Greater,
            (BinaryOp::SLe, false) => Relation::LessEqual,
            (BinaryOp::SLe, true) => Relation::GreaterEqual,
            (BinaryOp::ULt, false) => Relation::UnsignedLess,
            (BinaryOp::ULt, true) => Relation::UnsignedGreater,
            (BinaryOp::ULe, false) => Relation::UnsignedLessEqual,
            (BinaryOp::ULe, true) => Relation::UnsignedGreaterEqual,
            _ => return None,
        };
        let (subject, mask) = match terms.view(subject) {
            Term::Binary(BinaryOp::And, x, y) => match (terms.const_value(x), terms.const_value(y)) {
                (None, Some(mask)) => (x, Some(u64::try_from(mask).ok()?)),
                (Some(mask), None) => (y, Some(u64::try_from(mask).ok()?)),
                _ => return None,
            },
            Term::Unary(UnaryOp::Not, _) => return None,
            _ => (subject, None),
        };
        // Bits of an accessor's result, compared where they stand in the value.
        if let (None, Some(bits)) = (self.input_path(subject), bits_of(self, subject))
            && relation == Relation::Equal
            && let Ok(wanted) = u64::try_from(number)
        {
            let kept = bits.mask & mask.unwrap_or(u64::MAX);
            let there = kept.checked_shl(bits.low).filter(|there| there >> bits.low == kept)?;
            if wanted & !kept != 0 {
                return None;
            }
            let number = i64::try_from(wanted << bits.low).ok()?;
            return Some(Test { value: bits.path, mask: Some(there), relation, number, other: None });
        }
        // A test of some bits: the mask picks them where they stand in the value.
        if let Term::Extract { of, high, low } = terms.view(subject)
            && mask.is_none()
            && relation == Relation::Equal
            && high < 63
        {
            let path = self.input_path(of)?.clone();
            let width = high - low + 1;
            let ones = (1u64 << width) - 1;
            return Some(Test {
                value: path,
                mask: Some(ones << low),
                relation,
                number: (number & ones as i64) << low,
                other: None,
            });
        }
        let path = self.input_path(subject)?.clone();
        Some(Test { value: path, mask, relation, number, other: None })
    }

    /// Two entry values of the same width that are compared, perhaps with so many bytes in between: which branch is
    /// taken is the caller's to say (`if (wanted > buffer->size)`). Equality holds modulo the width, so a distance may
    /// stand on either side; an order is told with it on one side only, as it is computed.
    fn compared_entries(&self, op: BinaryOp, a: TermId, b: TermId) -> Option<Test> {
        let ((Some(a), ahead), (Some(b), behind)) = (self.base_and_plus(a), self.base_and_plus(b)) else {
            return None;
        };
        let (a, b) = (self.input_path(a)?, self.input_path(b)?);
        if a.property().is_some() || b.property().is_some() {
            return None;
        }
        let (value, relation, other, number) = match op {
            BinaryOp::Eq => (a, Relation::Equal, b, behind.wrapping_sub(ahead)),
            BinaryOp::SLt if ahead == 0 => (a, Relation::Less, b, behind),
            BinaryOp::SLt if behind == 0 => (b, Relation::Greater, a, ahead),
            BinaryOp::SLe if ahead == 0 => (a, Relation::LessEqual, b, behind),
            BinaryOp::SLe if behind == 0 => (b, Relation::GreaterEqual, a, ahead),
            BinaryOp::ULt if ahead == 0 => (a, Relation::UnsignedLess, b, behind),
            BinaryOp::ULt if behind == 0 => (b, Relation::UnsignedGreater, a, ahead),
            BinaryOp::ULe if ahead == 0 => (a, Relation::UnsignedLessEqual, b, behind),
            BinaryOp::ULe if behind == 0 => (b, Relation::UnsignedGreaterEqual, a, ahead),
            _ => return None,
        };
        Some(Test { value: value.clone(), mask: None, relation, number, other: Some(other.clone()) })
    }
}

/// Whether a test is told: what lies far from the caller's own names says little to it, unless something is released
/// there, or in front of it.
fn is_told(test: &Test, released: &[Path]) -> bool {
    if let Some(other) = &test.other {
        // How two counts in memory compare changes from call to call, and a loop that fills up what has room for eight
        // is not followed so far: what is passed is compared, with something that is passed or lies in it.
        let steps = |path: &Path| matches!(path.root, Root::Param(_)).then_some(path.steps.len());
        if is_order(test) {
            let (Some(one), Some(two)) = (steps(&test.value), steps(other)) else { return false };
            return one.min(two) == 0 && one.max(two) <= 1;
        }
        return test.value.cells() <= LONGEST_PLACE && other.cells() <= LONGEST_PLACE;
    }
    let steps = &test.value.steps;
    let near = |path: &Path| {
        path.root == test.value.root
            && (path.steps.starts_with(steps) || steps[..steps.len() - 1] == path.steps)
    };
    test.value.cells() <= LONGEST_PLACE || test.value.property().is_some() || released.iter().any(near)
}

/// Whether a test says which of two entry values is the larger one. Callers know that less often than what a value is,
/// so where there are too many tests these are left open first, and count as decided in a way that is not told.
fn is_order(test: &Test) -> bool {
    test.other.is_some() && !matches!(test.relation, Relation::Equal | Relation::NotEqual)
}

/// How far from the caller's own names a tested value lies. Parameters are nearer than globals.
fn distance(test: &Test) -> usize {
    if test.value.property().is_some() {
        return 0;
    }
    let far = |path: &Path| 2 * path.steps.len() + usize::from(matches!(path.root, Root::Global(_)));
    far(&test.value).max(test.other.as_ref().map_or(0, far))
}

/// Either of two conditions. When they take too many conjunctions together, what these have in common.
pub(crate) fn either(first: &When, second: &When) -> When {
    let (weak, unsaid) = (first.weak || second.weak, first.unsaid || second.unsaid);
    if first.is_always() || second.is_always() {
        return When { weak, unsaid, ..When::always() };
    }
    let mut any: Vec<Vec<Test>> = first.any.clone();
    any.extend(second.any.iter().filter(|cube| !first.any.contains(cube)).cloned());
    if any.len() <= MOST_CUBES {
        return When { any, weak, unsaid };
    }
    // Orders are the first to go.
    let unsaid = unsaid || any.iter().flatten().any(is_order);
    let mut any = any.into_iter().fold(Vec::new(), |mut kept: Vec<Vec<Test>>, mut cube| {
        cube.retain(|test| !is_order(test));
        if !kept.contains(&cube) {
            kept.push(cube);
        }
        kept
    });
    if any.iter().any(Vec::is_empty) {
        any.retain(Vec::is_empty);
    }
    if any.len() <= MOST_CUBES {
        return When { any, weak, unsaid };
    }
    let (first, others) = any.split_first().expect("two conditions have conjunctions");
    let common = first.iter().filter(|test| others.iter().all(|cube| cube.contains(test)));
    When { any: vec![common.cloned().collect()], weak: true, unsaid }
}

fn negated(test: &Test) -> Test {
    let relation = match test.relation {
        Relation::Equal => Relation::NotEqual,
        Relation::NotEqual => Relation::Equal,
        Relation::Less => Relation::GreaterEqual,
        Relation::GreaterEqual => Relation::Less,
        Relation::Greater => Relation::LessEqual,
        Relation::LessEqual => Relation::Greater,
        Relation::UnsignedLess => Relation::UnsignedGreaterEqual,
        Relation::UnsignedGreaterEqual => Relation::UnsignedLess,
        Relation::UnsignedGreater => Relation::UnsignedLessEqual,
        Relation::UnsignedLessEqual => Relation::UnsignedGreater,
    };
    Test { relation, ..test.clone() }
}
