//! Puts the parallel moves of a control-flow edge into a sequence.
//!
//! All phis of a block read their operands before any of them is written. In: pairs (destination,
//! source), destinations distinct. Out: pairs to be done one after the other, with the same effect; a
//! cycle is broken through a scratch slot. The method is the usual one: a move is safe once nobody still
//! reads its destination; when none is safe, every move left is part of a cycle.
//!
//! ```text
//! a <- b, b <- a   becomes   scratch <- b, b <- a, a <- scratch
//! ```

use crate::dense::Slot;
use rustc_hash::FxHashMap;

pub(crate) fn sequence(parallel: &[(Slot, Slot)], scratch: Slot) -> Vec<(Slot, Slot)> {
    let mut pending: FxHashMap<Slot, Slot> = FxHashMap::default();
    let mut readers: FxHashMap<Slot, u32> = FxHashMap::default();
    for &(dst, src) in parallel.iter().filter(|(dst, src)| dst != src) {
        pending.insert(dst, src);
        *readers.entry(src).or_default() += 1;
    }
    let mut ordered = Vec::with_capacity(pending.len());
    let is_free =
        |readers: &FxHashMap<Slot, u32>, slot: Slot| readers.get(&slot).is_none_or(|&count| count == 0);
    let mut safe: Vec<Slot> =
        parallel.iter().map(|&(dst, _)| dst).filter(|dst| is_free(&readers, *dst)).collect();
    for &(start, _) in parallel {
        loop {
            while let Some(dst) = safe.pop() {
                let Some(src) = pending.remove(&dst) else { continue };
                ordered.push((dst, src));
                let count = readers.entry(src).or_default();
                *count -= 1;
                if *count == 0 {
                    safe.push(src);
                }
            }
            // Whatever is still pending lies on a cycle, where each slot is read exactly once.
            let Some(src) = pending.get_mut(&start) else { break };
            if *src == scratch {
                break;
            }
            ordered.push((scratch, *src));
            let freed = std::mem::replace(src, scratch);
            readers.insert(freed, 0);
            readers.insert(scratch, 1);
            safe.push(freed);
        }
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_swap_goes_through_the_scratch_slot() {
        assert_eq!(sequence(&[(0, 1), (1, 0)], 9), [(9, 1), (1, 0), (0, 9)]);
    }

    proptest! {
        /// Doing the sequence gives what doing all moves at once gives.
        #[test]
        fn the_sequence_has_the_effect_of_the_parallel_moves(sources in proptest::collection::vec(0u32..12, 0..12)) {
            let parallel: Vec<(Slot, Slot)> = sources.iter().enumerate().map(|(dst, &src)| (dst as u32, src)).collect();
            let before: Vec<u32> = (100..113).collect();
            let mut expected = before.clone();
            for &(dst, src) in &parallel {
                expected[dst as usize] = before[src as usize];
            }
            let mut actual = before.clone();
            for (dst, src) in sequence(&parallel, 12) {
                actual[dst as usize] = actual[src as usize];
            }
            prop_assert_eq!(&actual[..12], &expected[..12]);
        }
    }
}
