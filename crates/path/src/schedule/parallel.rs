//! Work on all threads: pieces that make more work, and pieces that wait for others.

use rayon::Scope;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Does pieces of work, each of which says how many more there are after it, until there are none.
pub(crate) fn flood(pieces: usize, work: &(impl Fn() -> usize + Sync)) {
    fn spawn<'s>(scope: &Scope<'s>, pieces: usize, work: &'s (impl Fn() -> usize + Sync)) {
        (0..pieces).for_each(|_| scope.spawn(move |scope| spawn(scope, work(), work)));
    }
    rayon::scope(|scope| spawn(scope, pieces, work));
}

/// Gives each of some items its turn, one after the other as far as any of them can tell: a turn begins as soon as those
/// that it waits for, all of earlier items, are over, and may look at their results and at no others.
pub(crate) fn in_turn<R: Send + Sync>(
    waits: &[Vec<usize>],
    turn: impl Fn(usize, &[OnceLock<R>]) -> R + Sync,
) -> Vec<R> {
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); waits.len()];
    for (item, earlier) in waits.iter().enumerate() {
        earlier.iter().for_each(|&other| followers[other].push(item));
    }
    let wave = Wave {
        pending: waits.iter().map(|earlier| AtomicUsize::new(earlier.len())).collect(),
        followers,
        results: (0..waits.len()).map(|_| OnceLock::new()).collect(),
        turn,
    };
    rayon::scope(|scope| {
        let wave = &wave;
        let ready = (0..waits.len()).filter(|&item| waits[item].is_empty());
        ready.for_each(|item| scope.spawn(move |scope| wave.run(scope, item)));
    });
    let result = |slot: OnceLock<R>| slot.into_inner().expect("every item waits for earlier ones only");
    wave.results.into_iter().map(result).collect()
}

/// The turns that are over, and how many of those each item still waits for.
struct Wave<R, F> {
    pending: Vec<AtomicUsize>,
    followers: Vec<Vec<usize>>,
    results: Vec<OnceLock<R>>,
    turn: F,
}

impl<R: Send + Sync, F: Fn(usize, &[OnceLock<R>]) -> R + Sync> Wave<R, F> {
    fn run<'s>(&'s self, scope: &Scope<'s>, item: usize) {
        let result = (self.turn)(item, &self.results);
        // An item has one turn.
        let _ = self.results[item].set(result);
        for &follower in &self.followers[item] {
            if self.pending[follower].fetch_sub(1, Ordering::AcqRel) == 1 {
                scope.spawn(move |scope| self.run(scope, follower));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{flood, in_turn};
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_turn_sees_the_results_it_waited_for() {
        // Each item waits for those that divide its number.
        let waits: Vec<Vec<usize>> =
            (0..60).map(|item| (1..item).filter(|other| item % other == 0).collect()).collect();
        let chains = in_turn(&waits, |item, results| {
            let longest = waits[item].iter().map(|&other| *results[other].get().expect("it is over")).max();
            longest.unwrap_or(0) + 1
        });
        // 2 * 2 * 2 * 2 * 3 has five factors, and 1 comes before all.
        assert_eq!(chains[48], 6);
        assert_eq!(chains[59], 2);
    }

    #[test]
    fn work_goes_on_until_there_is_none() {
        let left = AtomicUsize::new(100);
        let take =
            || left.try_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(1)).is_ok();
        // Each piece makes two more while there are any.
        flood(1, &|| if take() { 2 } else { 0 });
        assert_eq!(left.into_inner(), 0);
    }
}
