//! Losses of callees that need something of their caller: on which paths a call makes them happen.
//!
//! A function that loses something only where entry values are of a certain kind says so in its summary ([`watertight_summary::Latent`]), with the
//! least that they must be. Where a caller is evaluated, what the call passes and what memory holds then is put into that condition. What comes of it
//! goes on to the callers of the caller (`outcomes/latent.rs`), and up to who makes the loss happen (`members/makers.rs`).

use crate::calls::apply::Application;
use crate::limits::MOST_LATENT;
use crate::machine::journal::Provoked;
use crate::machine::state::State;
use watertight_logic::guard::Guard;
use watertight_summary::{Summary, When};

impl State<'_> {
    /// Notes on which paths a call makes losses of its callee happen.
    pub(crate) fn provoke(&mut self, summary: &Summary, application: &Application<'_>) {
        // In a callee that is followed here, calls are not those of this function.
        if summary.latent.is_empty()
            || self.stand_in.is_some()
            || !self.context.is_called_by_name(application.function)
        {
            return;
        }
        for latent in summary.latent.iter().filter(|latent| !latent.when.is_never()) {
            let possible = self.when_met(&latent.when, application);
            let guard = self.and(self.here, possible);
            let known = self
                .journal
                .provoked
                .iter()
                .position(|known| known.acquired == latent.acquired && known.inst == application.inst);
            match known {
                None if self.journal.provoked.len() < MOST_LATENT => {
                    let (acquired, inst) = (latent.acquired, application.inst);
                    self.journal.provoked.push(Provoked { acquired, inst, guard });
                }
                None => {}
                Some(index) => {
                    let before = self.journal.provoked[index].guard;
                    self.journal.provoked[index].guard = self.or(before, guard);
                }
            }
        }
    }

    /// When a condition on entry values is met. What a loss inside needs is no question that the callee asks.
    fn when_met(&mut self, when: &When, application: &Application<'_>) -> Guard {
        let mut any = Guard::FALSE;
        for tests in &when.any {
            let mut all = Guard::TRUE;
            for test in tests {
                let holds = self.test_quietly(test, application);
                all = self.and(all, holds);
            }
            any = self.or(any, all);
        }
        any
    }
}
