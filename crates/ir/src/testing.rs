//! What the unit tests of this crate share: bodies that are nothing but a graph, and random numbers.

use crate::function::{Body, BodyBuilder};
use crate::ids::{BlockId, Id};
use crate::inst::Terminator;

pub(crate) fn block(index: usize) -> BlockId {
    BlockId::new(index)
}

/// A body whose block `b` leads to `successors[b]`; no successors means that it returns.
pub(crate) fn graph(successors: &[&[usize]]) -> Body {
    let mut builder = BodyBuilder::new(&[]);
    for _ in successors {
        builder.block();
    }
    for (source, targets) in successors.iter().enumerate() {
        let targets: Box<[BlockId]> = targets.iter().map(|&target| block(target)).collect();
        let term = match &*targets {
            [] => Terminator::Return(None),
            [one] => Terminator::Jump(*one),
            _ => Terminator::Choose { targets },
        };
        builder.terminate(block(source), term, None);
    }
    builder.finish()
}

/// A graph of `blocks` blocks with up to `degree` edges each; block 0 has no predecessors.
pub(crate) fn random_graph(random: &mut Random, blocks: usize, degree: usize) -> Body {
    let lists: Vec<Vec<usize>> = (0..blocks)
        .map(|_| {
            let edges = if blocks > 1 { random.below(degree + 1) } else { 0 };
            (0..edges).map(|_| 1 + random.below(blocks - 1)).collect()
        })
        .collect();
    graph(&lists.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// Reproducible random numbers (xorshift64*).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
    /// A number from `0..limit`; `limit` is not zero.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        ((self.next() >> 33) % limit as u64) as usize
    }
}
