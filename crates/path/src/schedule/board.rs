//! Who of an epoch can have a turn now.
//!
//! In: the components of an epoch, and which of them are wanted, which is asked of each when all its callees are known:
//! either they had their turn because they were wanted, or nobody wanted them. Who is wanted calls for its callees that
//! had no turn yet, in any number of steps, and waits for them. Out: the components that can have a turn, one after the
//! other, those first after which most is to come.
//!
//! Every component has one turn at most. Which ones have one does not depend on the order in which turns end: wanted is
//! decided from callees that are known, and who is called for depends on who is wanted alone.

use crate::schedule::epochs::Epochs;
use std::collections::BinaryHeap;

/// The state of one component.
#[derive(Clone, Debug, Default)]
struct Entry {
    /// Callees of which it is not known yet whether they are wanted, or what came of it.
    undecided: usize,
    /// Callees that it waits for before its turn.
    awaited: usize,
    /// Those that wait for its turn.
    waiting: Vec<usize>,
    stage: Stage,
    /// It is wanted for what it does itself.
    wanted: bool,
    /// The epoch in which it was called for.
    called_in: u32,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
enum Stage {
    /// Nobody asked for it so far.
    #[default]
    Idle,
    /// Somebody waits for its turn.
    Called,
    Done,
}

/// The state of all components.
pub(crate) struct Board<'e> {
    epochs: &'e Epochs,
    epoch: u32,
    entries: Vec<Entry>,
    ready: BinaryHeap<(usize, usize)>,
    /// Puts the ready ones into another order; 0 leaves them as they are. For tests.
    shuffle: u64,
}

impl<'e> Board<'e> {
    pub(crate) fn new(epochs: &'e Epochs, shuffle: u64) -> Board<'e> {
        let entries = vec![Entry::default(); epochs.callees.len()];
        Board { epochs, epoch: 0, entries, ready: BinaryHeap::new(), shuffle }
    }

    /// Begins an epoch with these components; those before are over. Says how many can have a turn.
    pub(crate) fn begin(
        &mut self,
        components: &[usize],
        is_wanted: impl Fn(&Board<'_>, usize) -> bool,
    ) -> usize {
        let Some(&first) = components.first() else { return 0 };
        self.epoch = self.epochs.of[first];
        for &index in components {
            let callees = self.epochs.callees[index].iter();
            self.entries[index].undecided =
                callees.filter(|&&callee| self.epochs.of[callee] == self.epoch).count();
        }
        let known: Vec<usize> =
            components.iter().copied().filter(|&index| self.entries[index].undecided == 0).collect();
        self.decide(known, is_wanted)
    }

    /// The component whose turn it is.
    pub(crate) fn next(&mut self) -> Option<usize> {
        Some(self.ready.pop()?.1)
    }

    /// A component had its turn. Says how many more can have one now.
    pub(crate) fn done(&mut self, index: usize, is_wanted: impl Fn(&Board<'_>, usize) -> bool) -> usize {
        self.entries[index].stage = Stage::Done;
        let mut more = 0;
        for waiting in std::mem::take(&mut self.entries[index].waiting) {
            self.entries[waiting].awaited -= 1;
            if self.entries[waiting].awaited == 0 {
                self.make_ready(waiting);
                more += 1;
            }
        }
        if self.entries[index].wanted {
            let mut known = Vec::new();
            self.tell_callers(index, &mut known);
            more += self.decide(known, is_wanted);
        }
        more
    }

    /// Whether a component was wanted for what it does itself, or had its turn in an earlier epoch.
    pub(crate) fn is_known(&self, index: usize) -> bool {
        let entry = &self.entries[index];
        entry.stage == Stage::Done && (entry.wanted || entry.called_in < self.epoch)
    }

    /// Asks of components with known callees whether they are wanted, and of their callers if not.
    fn decide(&mut self, mut open: Vec<usize>, is_wanted: impl Fn(&Board<'_>, usize) -> bool) -> usize {
        let before = self.ready.len();
        while let Some(index) = open.pop() {
            if is_wanted(self, index) {
                self.entries[index].wanted = true;
                self.call(index);
            } else {
                self.tell_callers(index, &mut open);
            }
        }
        self.ready.len() - before
    }

    /// Callers know this one now; those that know all their callees join the others.
    fn tell_callers(&mut self, index: usize, known: &mut Vec<usize>) {
        for &caller in &self.epochs.callers[index] {
            if self.epochs.of[caller] == self.epoch {
                self.entries[caller].undecided -= 1;
                if self.entries[caller].undecided == 0 {
                    known.push(caller);
                }
            }
        }
    }

    /// Gives a component its turn when all that it calls had theirs.
    fn call(&mut self, index: usize) {
        let mut open = vec![index];
        while let Some(index) = open.pop() {
            if self.entries[index].stage != Stage::Idle {
                continue;
            }
            self.entries[index].stage = Stage::Called;
            self.entries[index].called_in = self.epoch;
            for &callee in &self.epochs.callees[index] {
                if self.entries[callee].stage != Stage::Done {
                    self.entries[callee].waiting.push(index);
                    self.entries[index].awaited += 1;
                    open.push(callee);
                }
            }
            if self.entries[index].awaited == 0 {
                self.make_ready(index);
            }
        }
    }

    fn make_ready(&mut self, index: usize) {
        let urgency = match self.shuffle {
            0 => self.epochs.urgency[index],
            // The upper bits of a product with a large odd number mix well enough.
            seed => {
                ((index as u64 + 1).wrapping_mul(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1) >> 33) as usize
            }
        };
        self.ready.push((urgency, index));
    }
}

#[cfg(test)]
mod tests {
    use super::Board;
    use crate::schedule::epochs::Epochs;
    use watertight_ir::callgraph::CallGraph;

    const TEXT: &str = "func @leaf() {\nbb0:\n  return\n}\n\
        func @middle() {\nbb0:\n  call @leaf()\n  return\n}\n\
        func @aside() {\nbb0:\n  call @leaf()\n  return\n}\n\
        func @top() {\nbb0:\n  call @middle()\n  return\n}\n";

    #[test]
    fn who_is_wanted_calls_for_its_callees_and_for_no_others() {
        let program = watertight_ir::parse("few.ir", TEXT).expect("the text is well formed");
        let graph = CallGraph::new(&program);
        let epochs = Epochs::new(&program, &graph);
        let component = |name| graph.components().of(program.function_named(name).expect("it is there"));
        for shuffle in 0..5 {
            let mut board = Board::new(&epochs, shuffle);
            let is_wanted = |_: &Board<'_>, index| index == component("top");
            let mut turns = Vec::new();
            for components in epochs.iter() {
                board.begin(components, is_wanted);
                while let Some(index) = board.next() {
                    turns.push(index);
                    board.done(index, is_wanted);
                }
            }
            assert_eq!(turns, ["leaf", "middle", "top"].map(component));
            assert!(!board.is_known(component("leaf")) && board.is_known(component("top")));
        }
    }
}
