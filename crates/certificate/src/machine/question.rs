//! The question that a machine ends in: all that was said, with what sorts and equal addresses say, put to the solver.

use super::*;

impl Machine<'_, '_> {
    /// A variable whose address is not taken is at one address: locations, sorts of such variables that they may be of, and
    /// where these are.
    fn own_places(&mut self) -> Vec<(usize, usize, TermId)> {
        let mut found = Vec::new();
        for (number, sort) in self.sorts.clone().into_iter().enumerate() {
            let (symbol, offset) = match sort {
                Sort::Local(function, value, offset, _) => (Symbol::Local(function, value), offset),
                Sort::Global(global, offset, _) => (Symbol::Global(global), offset),
                _ => continue,
            };
            let Some(&base) = self.symbols.get(&symbol) else { continue };
            if !self.whole.is_folded(symbol) && self.whole.types.is_single(base.points.shifted(offset)) {
                let addr = self.add(base, offset).term;
                let may = (0..self.locations.len()).filter(|&location| self.may_be(location, sort));
                found.extend(may.map(|location| (location, number, addr)));
            }
        }
        found
    }

    /// Whether all that was said can be true together; none when that was not found out.
    pub(crate) fn possible(mut self, more: &[TermId]) -> Option<bool> {
        let sort_width = SORT;
        if self.sorts.len() > usize::from(u16::MAX) {
            return None;
        }
        let mut question = std::mem::take(&mut self.facts);
        question.extend(more);
        let is = |machine: &mut Self, location: usize, number: usize| {
            let number = machine.formulas.terms.constant(sort_width, number as u128);
            machine.formulas.terms.eq(machine.locations[location].sort, number)
        };
        for location in 0..self.locations.len() {
            let may: Vec<usize> =
                (0..self.sorts.len()).filter(|&sort| self.may_be(location, self.sorts[sort])).collect();
            let cases: Vec<TermId> = may.into_iter().map(|sort| is(&mut self, location, sort)).collect();
            let one = self.formulas.terms.or_all(cases);
            question.push(one);
            for other in 0..location {
                let terms = &mut self.formulas.terms;
                let (a, b) = (&self.locations[location], &self.locations[other]);
                let same = terms.eq(a.addr.term, b.addr.term);
                let sort = terms.eq(a.sort, b.sort);
                question.push(terms.implies(same, sort));
            }
        }
        for (location, sort, addr) in self.own_places() {
            let here = is(&mut self, location, sort);
            let same = self.formulas.terms.eq(self.locations[location].addr.term, addr);
            question.push(self.formulas.terms.implies(here, same));
        }
        for (truth, location, region) in std::mem::take(&mut self.pending) {
            let mut cases = Vec::new();
            for number in 0..self.sorts.len() {
                if self.may_be(location, self.sorts[number]) && self.whole.has(region, self.sorts[number]) {
                    cases.push(is(&mut self, location, number));
                }
            }
            let any = self.formulas.terms.or_all(cases);
            question.push(self.formulas.terms.eq(truth, any));
        }
        for (truth, location) in std::mem::take(&mut self.holding) {
            let mut cases = Vec::new();
            for number in 0..self.sorts.len() {
                let scalar = match self.sorts[number] {
                    Sort::Local(.., ty) | Sort::Global(.., ty) | Sort::Member(.., ty) => ty,
                    Sort::Scalar(ty) => Some(ty),
                    Sort::Outside | Sort::Other => None,
                };
                if self.whole.types.may_hold(scalar, self.cell_type)
                    && self.may_be(location, self.sorts[number])
                {
                    cases.push(is(&mut self, location, number));
                }
            }
            let any = self.formulas.terms.or_all(cases);
            question.push(self.formulas.terms.eq(truth, any));
        }
        for (index, one) in self.reads.iter().enumerate() {
            for other in &self.reads[..index] {
                if one.0 != other.0
                    || one.2 != other.2
                    || self.overlap((one.1, one.2), (other.1, other.2)) == Some(false)
                {
                    continue;
                }
                let terms = &mut self.formulas.terms;
                let (a, b) = (self.locations[one.1].addr.term, self.locations[other.1].addr.term);
                let same = terms.eq(a, b);
                let equal = terms.eq(one.3.term, other.3.term);
                question.push(terms.implies(same, equal));
            }
        }
        let question: Vec<Assumption> = question.into_iter().map(Assumption::from).collect();
        let mut solver: Solver = Solver::new();
        let answer = solver.ask(&mut self.formulas, &question, LIMITS);
        if answer.is_unsat() {
            Some(false)
        } else if answer.is_sat() {
            Some(true)
        } else {
            None
        }
    }
}

/// What one question to the solver may cost.
const LIMITS: QuestionLimits = QuestionLimits { conflicts: 20_000, gates: 10_000_000 };
