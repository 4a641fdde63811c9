//! Numbers of standard streams that were given up.
//!
//! A new descriptor gets the lowest number that is free. Who closes 0, 1 or 2 by number and then opens something puts
//! it in that place on purpose, as in `close(0); open("/dev/null", O_RDWR);`, and standard streams stay open. So what is
//! acquired after such a release belongs to the process, once for each number that was given up (ASSUME-20).

use crate::assumptions::Supposed;
use crate::machine::memory::ObjectId;
use crate::machine::state::State;
use crate::machine::value::Leaf;
use watertight_logic::guard::Guard;
use watertight_summary::KindId;

impl State<'_> {
    /// Notes that a number below those that can be lost was released.
    pub(crate) fn note_vacated(&mut self, leaf: Leaf, kind: KindId, guard: Guard) {
        let Some(first) = self.context.library.kinds.get(kind).lost_from else { return };
        let Leaf::Number(term) = leaf else { return };
        if !self.assumes(Supposed::StandardStreamsRefilled) || guard.is_false() {
            return;
        }
        if self.signed_constant(term).is_some_and(|number| (0..first).contains(&number)) {
            self.journal.vacated.push((kind, guard));
        }
    }

    /// What was acquired just now takes the place of a number that was given up before.
    pub(crate) fn fill_vacated(&mut self, object: ObjectId, kind: KindId, guard: Guard) {
        let mut rest = guard;
        for index in 0..self.journal.vacated.len() {
            let (of, vacant) = self.journal.vacated[index];
            let filled = self.and(vacant, rest);
            if of != kind || filled.is_false() {
                continue;
            }
            self.journal.vacated[index].1 = self.formulas.guards.and_not(vacant, rest);
            rest = self.formulas.guards.and_not(rest, filled);
            let kept = self.objects[object].kept;
            self.objects[object].kept = self.or(kept, filled);
        }
    }
}
