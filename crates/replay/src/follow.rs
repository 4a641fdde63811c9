//! How the blocks of a run compare with those of a witness.
//!
//! In: the blocks that a witness passes, the loops of the function, the blocks that a run passed. Out: whether the run took
//! the same way, or after how many blocks it left it. A witness passes a turn once that stands for any number of turns, so
//! wherever it comes to the head of a loop again without having left the loop, a run may go on from any of these points;
//! but all blocks of the witness must be passed.

use std::collections::BTreeSet;
use watertight_ir::cfg::Cfg;
use watertight_ir::loops::Loops;
use watertight_ir::{BlockId, Body};

/// The way of a witness.
#[derive(Debug)]
pub(crate) struct Road {
    blocks: Vec<BlockId>,
    /// By position: the first and the last position that are as good, because turns lie between.
    alike: Vec<(usize, usize)>,
}

/// How a run went.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    Same,
    /// It left after so many of its blocks.
    Left(usize),
}

impl Road {
    pub(crate) fn new(body: &Body, blocks: &[BlockId]) -> Road {
        let loops = Loops::new(&Cfg::new(body));
        let mut alike: Vec<(usize, usize)> = (0..blocks.len()).map(|at| (at, at)).collect();
        for from in 0..blocks.len() {
            let Some(around) = loops.innermost(blocks[from]).filter(|&id| loops[id].header() == blocks[from])
            else {
                continue;
            };
            let inside = blocks[from..].iter().take_while(|&&block| loops.contains(around, block)).count();
            let last = (from..from + inside).rfind(|&at| blocks[at] == blocks[from]).unwrap_or(from);
            let first = match from.checked_sub(1).map(|before| blocks[before]) {
                Some(before) if loops.contains(around, before) => {
                    (0..from).rev().find(|&at| blocks[at] == blocks[from]).map_or(from, |at| alike[at].0)
                }
                _ => from,
            };
            alike[from] = (first, last);
        }
        Road { blocks: blocks.to_vec(), alike }
    }

    /// How a run that passed these blocks went.
    pub(crate) fn compare(&self, passed: &[BlockId]) -> Way {
        let Some(end) = self.blocks.len().checked_sub(1) else { return Way::Left(0) };
        // Positions that the run may go on to.
        let mut onward: BTreeSet<usize> = BTreeSet::from([0]);
        for (count, &block) in passed.iter().enumerate() {
            let mut here: BTreeSet<usize> = BTreeSet::new();
            for at in onward.into_iter().filter(|&at| self.blocks.get(at) == Some(&block)) {
                let (first, last) = self.alike[at];
                here.extend((first..=last).filter(|&at| self.blocks[at] == block));
            }
            if here.contains(&end) && self.has_all(&passed[..=count]) {
                return Way::Same;
            }
            if here.is_empty() {
                return Way::Left(count);
            }
            onward = here.into_iter().map(|at| at + 1).collect();
        }
        Way::Left(passed.len())
    }

    /// Whether a run came through every block.
    fn has_all(&self, passed: &[BlockId]) -> bool {
        let passed: BTreeSet<BlockId> = passed.iter().copied().collect();
        self.blocks.iter().all(|block| passed.contains(block))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watertight_ir::Id;

    #[test]
    fn turns_may_be_more_or_fewer_but_not_others() {
        // bb1 is the head of a loop with two ways through its body, bb4 leaves it.
        let text = "unit unit0 \"test.c\" {\n}\nfunc @test(%a: i1, %b: i1) {
bb0:
  jump bb1
bb1:
  branch %a, bb2, bb4
bb2:
  branch %b, bb3, bb1
bb3:
  jump bb1
bb4:
  return
}
";
        let program = watertight_ir::parse("test.ir", text).expect("it is well formed");
        let function = program.function_named("test").expect("it is there");
        let body = program.functions[function].body.as_ref().expect("it has a body");
        let blocks =
            |numbers: &[usize]| numbers.iter().map(|&number| BlockId::new(number)).collect::<Vec<_>>();
        let way = |expected: &[usize], passed: &[usize]| {
            Road::new(body, &blocks(expected)).compare(&blocks(passed))
        };
        assert_eq!(way(&[0, 1, 2, 1, 4], &[0, 1, 2, 1, 4]), Way::Same);
        assert_eq!(way(&[0, 1, 2, 1, 4], &[0, 1, 2, 1, 2, 1, 2, 1, 4]), Way::Same);
        assert_eq!(way(&[0, 1, 2, 1, 2, 1, 4], &[0, 1, 2, 1, 4]), Way::Same);
        assert_eq!(way(&[0, 1, 2, 1, 4], &[0, 1, 4]), Way::Left(3), "a turn is needed");
        assert_eq!(way(&[0, 1, 2, 1, 4], &[0, 1, 2, 3, 1, 4]), Way::Left(3), "another turn");
        assert_eq!(way(&[0, 1, 2, 3, 1, 2, 1, 4], &[0, 1, 2, 1, 2, 3, 1, 4]), Way::Same);
        assert_eq!(way(&[], &[0]), Way::Left(0));
    }
}
