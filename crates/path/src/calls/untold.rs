//! What the summary of a callee does not tell, and a loss must not rest on.
//!
//! In: a summary at a call, and what of it was applied. Out: marks on what the call acquires or may release: choices that the
//! callee does not leave to chance, results that would mean that nothing was acquired.
//! `stories/inventions.rs` and `stories/witness.rs` look at them when something is lost.

use crate::calls::apply::Application;
use crate::machine::memory::ObjectId;
use crate::machine::provenance::Provenance;
use crate::machine::state::State;
use crate::machine::value::{Leaf, Sym};
use watertight_logic::guard::{Condition, Guard};
use watertight_summary::{Effect, Outcome, Path, Root, Summary};

impl State<'_> {
    /// Objects that the callee releases or not by what it was given, without its summary being able to say when.
    pub(crate) fn note_unsaid_releases(
        &mut self,
        summary: &Summary,
        taken: &[Guard],
        unsaid: &[Condition],
        application: &Application<'_>,
    ) {
        if unsaid.is_empty() {
            return;
        }
        let possible = || summary.outcomes.iter().zip(taken).filter(|(_, when)| !when.is_false());
        let mut released: Vec<&Path> = Vec::new();
        for effect in possible().flat_map(|(outcome, _)| &outcome.effects) {
            if let Effect::Release { value, .. } = effect
                && !matches!(value.root, Root::Fresh(_))
                && !released.contains(&value)
            {
                released.push(value);
            }
        }
        for path in released {
            let releases = |outcome: &Outcome| {
                outcome
                    .effects
                    .iter()
                    .any(|effect| matches!(effect, Effect::Release { value, .. } if value == path))
            };
            if possible().all(|(outcome, _)| releases(outcome)) {
                continue;
            }
            for (_, leaf) in self.resolve(path, application).0 {
                if let Some(object) = self.resource(leaf) {
                    self.release_unsaid.entry(object).or_default().extend(unsaid);
                }
            }
        }
    }

    /// A callee that was not understood completely either fails or acquires something, in truth.
    pub(crate) fn note_failures(&mut self, result: &Sym, made: &[ObjectId]) {
        let Sym::Leaves(leaves) = result else { return };
        for &(_, leaf) in leaves {
            if let Leaf::Number(term) = leaf
                && !made.is_empty()
            {
                let zero = self.constant(self.formulas.terms.width(term), 0);
                let negative = self.formulas.terms.slt(term, zero);
                let failed = self.formulas.guard(negative);
                self.unknowns.note(term, Provenance::VagueResult);
                self.journal.failures.extend(made.iter().map(|&object| (object, failed)));
            }
        }
    }
}
