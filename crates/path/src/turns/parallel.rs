//! Work on all threads: pieces that do not depend on each other, the longest first, and pieces that do.
//!
//! What waits for a piece of work waits for the last of its siblings too. A long one that is begun last keeps one thread
//! busy while all others wait, so the longest are begun first.

use rayon::Scope;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// What `work` makes of each item, in the order of the items. `weight` guesses how long it takes.
pub(crate) fn longest_first<T: Sync, R: Send>(
    items: &[T],
    weight: impl Fn(&T) -> usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(weight(&items[index])));
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    let threads = rayon::current_num_threads().min(items.len());
    (0..threads).into_par_iter().with_max_len(1).for_each(|_| {
        while let Some(&index) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = work(&items[index]);
            results.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|entry| entry.0);
    results.into_iter().map(|entry| entry.1).collect()
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
    use super::{in_turn, longest_first};

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
    fn results_stand_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..100).map(|i| i * 37 % 101).collect();
        let results = longest_first(&items, |&item| item, |&item| item + 1);
        assert_eq!(results, items.iter().map(|item| item + 1).collect::<Vec<_>>());
    }
}
