//! What a term depends on: its cone, and the unknowns in it.
//!
//! A question to the solver pays only for its cone; whatever else the arena holds does not count. Because operands
//! have smaller ids than their users, one sweep over the ids from the top down finds the cone without recursion,
//! however deep the terms are.

use crate::term::{TermId, Terms, Var};

/// All terms the roots depend on, the roots included, operands before their users.
pub fn cone(terms: &Terms, roots: impl IntoIterator<Item = TermId>) -> Vec<TermId> {
    cone_until(terms, roots, |_| false)
}

/// As [`cone`], but what lies below a term for which `stop` holds is left out.
pub(crate) fn cone_until(
    terms: &Terms,
    roots: impl IntoIterator<Item = TermId>,
    stop: impl Fn(TermId) -> bool,
) -> Vec<TermId> {
    let mut marks: Vec<u64> = Vec::new();
    let mut count = 0;
    for root in roots {
        let word = root.index() / 64;
        if word >= marks.len() {
            marks.resize(word + 1, 0);
        }
        marks[word] |= 1 << (root.index() % 64);
    }
    for word in (0..marks.len()).rev() {
        let mut todo = marks[word];
        while todo != 0 {
            let bit = 63 - todo.leading_zeros();
            let below = (1u64 << bit) - 1;
            count += 1;
            let term = TermId::at((word * 64) as u32 + bit);
            if !stop(term) {
                for &operand in &*terms.operands(term) {
                    marks[operand.index() / 64] |= 1 << (operand.index() % 64);
                }
            }
            // Operands may have been marked in this same word, always below the bit just done.
            todo = marks[word] & below;
        }
    }
    let mut found = Vec::with_capacity(count);
    for (word, &mark) in marks.iter().enumerate() {
        let mut left = mark;
        while left != 0 {
            found.push(TermId::at((word * 64) as u32 + left.trailing_zeros()));
            left &= left - 1;
        }
    }
    found
}

/// The unknowns the roots depend on, in the order of their creation.
pub fn support(terms: &Terms, roots: impl IntoIterator<Item = TermId>) -> Vec<Var> {
    let mut found: Vec<Var> =
        cone(terms, roots).into_iter().filter_map(|term| terms.as_variable(term)).collect();
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::width::Width;

    #[test]
    fn the_cone_holds_operands_before_users_and_nothing_else() {
        let mut terms = Terms::new();
        let x = terms.variable(Width::W8, None);
        let y = terms.variable(Width::W8, None);
        let z = terms.variable(Width::W8, None);
        let sum = terms.add(x, z);
        let unrelated = terms.mul(y, z);
        let product = terms.mul(sum, sum);
        assert_eq!(cone(&terms, [product]), vec![x, z, sum, product]);
        assert!(!cone(&terms, [product, sum]).contains(&unrelated));
        assert_eq!(support(&terms, [product]).len(), 2);
        assert_eq!(cone(&terms, []), vec![]);
    }
}
