//! Memory that another thread has.
//!
//! What a thread is handed, and what that leads to, changes behind our back (a queue that workers empty). So what is put there from
//! then on is handed over as well, whatever we find or put in its place later, and numbers in it are not known after a call
//! of the library: that is where threads wait for each other. Addresses that are there stay, as they do for code that is not known.

use crate::machine::memory::ObjectId;
use crate::machine::state::State;
use crate::machine::value::{Leaf, Leaves, Offset};
use watertight_finding::Doubt;
use watertight_ir::Type;
use watertight_logic::guard::Guard;
use watertight_logic::width::Width;

impl State<'_> {
    /// Another thread has these objects from now on, and what they lead to.
    pub(crate) fn hand_to_thread(&mut self, leaves: &Leaves, guard: Guard) {
        self.keep_leaves(leaves, guard);
        let mut open: Vec<(Guard, ObjectId)> = Vec::new();
        for &(when, leaf) in leaves {
            if let Leaf::Address(object, _) = leaf {
                open.push((self.and(guard, when), object));
            }
        }
        while let Some((when, object)) = open.pop() {
            let before = self.objects[object].threaded;
            let after = self.or(before, when);
            if after == before {
                continue;
            }
            self.threads = true;
            self.objects[object].threaded = after;
            self.keep_leaves(&vec![(Guard::TRUE, Leaf::Address(object, Offset::At(0)))], when);
            for (held_when, held) in self.objects[object].held().collect::<Vec<_>>() {
                open.push((self.and(when, held_when), held));
            }
        }
    }

    /// Something is put into an object that another thread may have.
    pub(crate) fn put_before_threads(&mut self, object: ObjectId, value: &Leaves, guard: Guard) {
        let threaded = self.objects[object].threaded;
        if self.threads && !threaded.is_false() {
            let when = self.and(threaded, guard);
            self.hand_to_thread(value, when);
        }
    }

    /// Other threads have gone on: numbers in what they have may be others.
    pub(crate) fn threads_go_on(&mut self) {
        if !self.threads {
            return;
        }
        for object in self.objects.ids() {
            let when = self.and(self.objects[object].threaded, self.here);
            if when.is_false() {
                continue;
            }
            for cell in self.objects[object].cells.clone() {
                let numbers = cell.leaves.iter().all(|entry| matches!(entry.1, Leaf::Number(_)));
                let Some(width) = Width::new((cell.bytes as u32).saturating_mul(8)).filter(|_| numbers)
                else {
                    continue;
                };
                // What nobody has set since the last time is as unknown as it was.
                let set = cell.leaves.iter().any(|&(guard, leaf)| {
                    !matches!(leaf, Leaf::Number(term) if self.theirs.contains(&term))
                        && !self.formulas.guards.disjoint(guard, when)
                });
                if set {
                    let other = self.invented_number(width, Doubt::ReadAgain);
                    self.theirs.insert(other);
                    let other = vec![(Guard::TRUE, Leaf::Number(other))];
                    self.write(object, cell.offset, cell.bytes, &other, Type::Int(width.bits()), when);
                }
            }
        }
    }
}
