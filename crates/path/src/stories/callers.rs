//! Whether a caller makes happen what a story tells.
//!
//! A loss may need something of the caller: a mode, a flag, NULL for a result. Where all calls of the function are in sight and none of them
//! passes it, the loss is *latent*: nobody makes it happen, and it is told on request only, with what it would take. Where calls are in sight
//! and others are possible, that none of these passes it is a doubt.
//!
//! In: what calls pass for parameters ([`crate::calls::passed`]). Out: premises for the solver, so that any condition on parameters, by
//! comparison, by bits or together with others, is decided exactly.

use crate::calls::passed::{Given, Sight};
use crate::evaluate::state::State;
use watertight_logic::term::TermId;
use watertight_summary::{Path, Root};

/// Whose word counts about parameters.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Believe {
    /// Any caller may pass anything.
    Nobody,
    /// That of callers, where all of them are in sight.
    AllCallers,
    /// That of callers in sight.
    CallersInSight,
    /// That of all callers about one parameter.
    About(u32),
}

impl State<'_> {
    /// What an unknown may be by what calls pass, as a condition.
    pub(crate) fn as_passed(&mut self, term: TermId, believe: Believe) -> Option<TermId> {
        let Path { root: Root::Param(index), steps } = self.input_path(term)? else { return None };
        let index = *index;
        if !steps.is_empty() || !self.believes(believe, index) {
            return None;
        }
        let Given { numbers, address, .. } = self.context.passed.of(self.id, index)?.clone();
        let width = self.formulas.terms.width(term);
        if address {
            let zero = self.constant(width, 0);
            return numbers.is_empty().then(|| self.formulas.terms.ne(term, zero));
        }
        let mut any = None;
        for number in numbers {
            let number = self.formulas.terms.constant(width, width.mask(number.into()));
            let equal = self.formulas.terms.eq(term, number);
            any = Some(any.map_or(equal, |before| self.formulas.terms.or(before, equal)));
        }
        any
    }

    fn believes(&self, believe: Believe, index: u32) -> bool {
        let sight = self.context.passed.sight(self.id);
        match believe {
            Believe::Nobody => false,
            Believe::AllCallers => sight == Some(Sight::All),
            Believe::CallersInSight => true,
            Believe::About(only) => sight == Some(Sight::All) && only == index,
        }
    }

    /// Whether it is known what some of the calls pass, and others are possible.
    pub(crate) fn is_seen_in_part(&self) -> bool {
        self.context.passed.sight(self.id) == Some(Sight::Some)
    }

    /// The parameters of which it is known what all calls pass.
    pub(crate) fn passed_by_all(&self) -> Vec<u32> {
        let known = |index: &u32| self.context.passed.of(self.id, *index).is_some();
        match self.context.passed.sight(self.id) {
            Some(Sight::All) => (0..self.function.params.len() as u32).filter(known).collect(),
            _ => Vec::new(),
        }
    }

    /// What would have to be passed for a parameter that no call passes: a clause.
    pub(crate) fn never_passed(&self, index: u32) -> Option<String> {
        let given = self.context.passed.of(self.id, index)?;
        let mut variables = self.body.variables.values();
        let variable = variables.find(|variable| variable.parameter == Some(index))?;
        let debug = &self.context.program.units[self.function.unit].debug;
        let name = debug.names.get(variable.name);
        let function = &self.function.name;
        let calls = match given.calls {
            1 => "its only call passes".to_owned(),
            calls => format!("its {calls} calls pass"),
        };
        Some(if given.address {
            format!("`{function}` is called with NULL for `{name}`; {calls} an address")
        } else {
            let numbers: Vec<String> = given.numbers.iter().map(|&number| spelled(number)).collect();
            format!("`{function}` is called with something else for `{name}`; {calls} {}", numbers.join(", "))
        })
    }
}

/// Small negative numbers are what they mean.
fn spelled(number: u64) -> String {
    match u32::try_from(number).map(|number| number as i32) {
        Ok(number @ -9999..0) => number.to_string(),
        _ if (number as i64) < 0 => (number as i64).to_string(),
        _ => number.to_string(),
    }
}
