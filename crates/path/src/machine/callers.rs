//! Whether anything makes happen what a story tells.
//!
//! A loss may need something of the caller: a mode, a flag, NULL for a result; or of a variable that the program never gives such a value.
//! Where all calls of the function are in sight and none of them passes it, or nothing ever stores it, the loss is *latent*: nobody makes
//! it happen, and it is told on request only, with what it would take. Where calls are in sight and others are possible, that none of these
//! passes it is a doubt.
//!
//! In: what calls pass for parameters ([`crate::facts::passed`]), what variables hold ([`crate::facts::stored`]) and what members of structures
//! hold ([`crate::facts::contents`]). Out: premises for the solver, so that any condition on them, by comparison, by bits or together with others, is decided exactly.

use crate::context::Context;
use crate::facts::ever::Ever;
use crate::facts::passed::Sight;
use crate::facts::types::{self, FreshTypes};
use crate::machine::state::State;
use watertight_finding::{Assumed, either};
use watertight_ir::{GlobalId, SourceType, ctype};
use watertight_logic::cone;
use watertight_logic::guard::Guard;
use watertight_logic::term::TermId;
use watertight_summary::{Path, Root, Step};

/// What the program says of an entry value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Fact {
    /// Calls pass only some values for a parameter.
    Passed(u32),
    /// Only some numbers are stored in a cell of a global.
    Stored { global: GlobalId, offset: i64, bytes: u32 },
    /// Only some values are stored in a member of an object of this type.
    Member { object: SourceType, offset: i64, bytes: u32 },
}

/// Which facts count.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Believe {
    Nothing,
    /// Those that hold for everybody.
    Facts,
    /// Those, and what calls in sight pass where others are possible.
    CallersInSight,
    /// One that holds for everybody.
    Only(Fact),
}

impl State<'_> {
    /// What an unknown may be by the facts that count, as a condition.
    pub(crate) fn as_ever(&mut self, term: TermId, believe: Believe) -> Option<TermId> {
        let fact = self.fact_about(term)?;
        let counts = match believe {
            Believe::Nothing => false,
            Believe::Facts => self.holds_for_all(fact),
            Believe::CallersInSight => true,
            Believe::Only(only) => only == fact && self.holds_for_all(fact),
        };
        if !counts {
            return None;
        }
        let width = self.formulas.terms.width(term);
        if let Fact::Member { object, offset, bytes } = fact
            && let Ever::Bits(bits) = self.member(object, offset, bytes)?
        {
            let others = self.formulas.terms.constant(width, width.mask((!*bits).into()));
            let zero = self.constant(width, 0);
            let others = self.formulas.terms.and(term, others);
            return Some(self.formulas.terms.eq(others, zero));
        }
        let (numbers, address) = self.values(fact)?;
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

    /// What could be known of an unknown that is an entry value.
    fn fact_about(&self, term: TermId) -> Option<Fact> {
        let Path { root, steps } = self.input_path(term)?;
        match (*root, &steps[..]) {
            (Root::Param(index), []) => Some(Fact::Passed(index)),
            (Root::Global(global), &[Step::Number { offset, bytes }])
                if let cell = (offset, u64::from(bytes))
                    && self.context.stored.of(self.context.program, global, cell).is_some() =>
            {
                Some(Fact::Stored { global, offset, bytes })
            }
            (root, &[ref before @ .., last]) if !self.context.contents.is_empty() => {
                let (offset, bytes) = match last {
                    Step::Number { offset, bytes } => (offset, bytes),
                    Step::At(offset) => (offset, self.context.program.target.pointer_bits / 8),
                    _ => return None,
                };
                let to = Path { root, steps: before.into() };
                let object = types::object(self.context.program, self.id, &to, &FreshTypes::default())?;
                self.member(object, offset, bytes)?;
                Some(Fact::Member { object, offset, bytes })
            }
            _ => None,
        }
    }

    /// The values that a member of an object of this type ever has.
    fn member(&self, object: SourceType, offset: i64, bytes: u32) -> Option<&Ever> {
        let Context { program, contents, .. } = self.context;
        contents.of_read(program, self.id, object, (offset, u64::from(bytes)))
    }

    /// The numbers that an entry value may be, and whether it may be an address.
    fn values(&self, fact: Fact) -> Option<(Vec<u64>, bool)> {
        match fact {
            Fact::Passed(index) => {
                let given = self.context.passed.of(self.id, index)?;
                Some((given.numbers.clone(), given.address))
            }
            Fact::Stored { global, offset, bytes } => {
                let cell = (offset, u64::from(bytes));
                Some((self.context.stored.of(self.context.program, global, cell)?, false))
            }
            Fact::Member { object, offset, bytes } => match self.member(object, offset, bytes)? {
                Ever::Numbers(numbers) => Some((numbers.clone(), false)),
                Ever::Bits(_) => Some((Vec::new(), false)),
            },
        }
    }

    fn holds_for_all(&self, fact: Fact) -> bool {
        match fact {
            Fact::Passed(_) => self.context.passed.sight(self.id) == Some(Sight::All),
            Fact::Stored { .. } | Fact::Member { .. } => true,
        }
    }

    /// Whether it is known what some of the calls pass, and others are possible.
    pub(crate) fn is_seen_in_part(&self) -> bool {
        self.context.passed.sight(self.id) == Some(Sight::Some)
    }

    /// The facts that hold for everybody about what a guard depends on.
    pub(crate) fn facts_about(&self, guard: Guard) -> Vec<Fact> {
        let terms = self.formulas.condition_terms(guard);
        let support = cone::support(&self.formulas.terms, terms).into_iter();
        let facts = support.filter_map(|var| self.fact_about(self.formulas.terms.variable_term(var)));
        facts.filter(|&fact| self.holds_for_all(fact) && self.values(fact).is_some()).collect()
    }

    /// What a fact makes impossible, as a clause.
    pub(crate) fn denied(&self, fact: Fact) -> Option<String> {
        let (numbers, address) = self.values(fact)?;
        let numbers: Vec<String> = numbers.into_iter().map(spelled).collect();
        let numbers = either(&numbers);
        match fact {
            Fact::Passed(index) => {
                let calls = self.context.passed.of(self.id, index)?.calls;
                let only = calls == 1;
                let calls = &*calls.to_string();
                let variable = self.body.parameter(index)?;
                let debug = &self.context.program.units[self.function.unit].debug;
                let (function, name, values) =
                    (&*self.function.name, debug.names.get(variable.name), &*numbers);
                let assumed = match (address, only) {
                    (true, true) => Assumed::OnlyCallNotNull { function, name },
                    (true, false) => Assumed::NoCallNull { function, name, calls },
                    (false, true) => Assumed::OnlyCallPasses { function, name, values },
                    (false, false) => Assumed::AllCallsPass { function, name, calls, values },
                };
                Some(assumed.into())
            }
            Fact::Stored { global, offset, .. } => {
                let name = self.cell_name(global, offset);
                Some(Assumed::OnlyStores { name: &name, values: &numbers }.into())
            }
            Fact::Member { object, offset, bytes } => {
                let name = types::member_name(self.context.program, object, offset)?;
                Some(match self.member(object, offset, bytes)? {
                    Ever::Numbers(_) => Assumed::OnlyStores { name: &name, values: &numbers }.into(),
                    Ever::Bits(bits) => Assumed::OnlyBits { name: &name, bits: &format!("{bits:#x}") }.into(),
                })
            }
        }
    }

    /// What the source calls a cell of a global.
    fn cell_name(&self, global: GlobalId, offset: i64) -> String {
        let data = &self.context.program.globals[global];
        let debug = &self.context.program.units[data.unit].debug;
        let name = data.source_name.map_or(&*data.name, |name| debug.names.get(name));
        let member = || {
            let record = match ctype::described(debug, data.debug_type)? {
                watertight_ir::DebugType::Record(record) => record,
                _ => return None,
            };
            let bits = u64::try_from(offset).ok()?.checked_mul(8)?;
            let member = record.members.iter().find(|member| member.offset_bits == bits)?;
            Some(debug.names.get(member.name?))
        };
        match member() {
            Some(member) => format!("{name}.{member}"),
            None => name.to_owned(),
        }
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
