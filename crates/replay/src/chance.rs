//! Choices that nobody has made: a number from a seed, the same on every machine, or what a script says.
//!
//! Alternatives are listed with the ordinary one first. How often another one is taken is the *wildness* of the run: the
//! first run takes none, later ones more and more, so that the plainest run that shows something is the one that is found.
//! Every choice is written down. A run can be made again up to one of its choices, which is then made otherwise: that is
//! how all that a call may do is tried, and not left to luck.

/// A source of choices.
#[derive(Clone, Debug)]
pub(crate) struct Chance {
    state: u64,
    /// Of 256 choices, so many may be other than ordinary.
    wild: u64,
    /// What the first choices are.
    script: Vec<u32>,
    made: Vec<Made>,
    /// The choices by which an address became NULL: which one, and what it would have to be for another address.
    nulls: Vec<(usize, u32)>,
}

/// A choice that was made.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Made {
    pub(crate) taken: u32,
    /// How many alternatives there were that differ in kind: a call that succeeds or fails, an address that is NULL or
    /// not, a number that is zero, one or known. Zero if it was one of many of a kind.
    pub(crate) forks: u32,
}

impl Chance {
    pub(crate) fn new(seed: u64, wild: u64, script: Vec<u32>) -> Chance {
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
        Chance { state, wild, script, made: Vec::new(), nulls: Vec::new() }
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// All choices so far.
    pub(crate) fn made(&self) -> &[Made] {
        &self.made
    }

    /// An address is NULL because of the last choice, which could have been this one.
    pub(crate) fn gave_null(&mut self, other: u32) {
        if let Some(last) = self.made.len().checked_sub(1) {
            self.nulls.push((last, other));
        }
    }

    /// A script that does the same up to the last choice from `from` on by which an address became NULL, and makes that one
    /// otherwise.
    pub(crate) fn without_last_null(&self, from: usize) -> Option<Vec<u32>> {
        let &(at, other) = self.nulls.last().filter(|null| null.0 >= from)?;
        let mut script: Vec<u32> = self.made[..at].iter().map(|made| made.taken).collect();
        script.push(other);
        Some(script)
    }

    fn make(&mut self, count: usize, forks: usize, choose: impl FnOnce(&mut Chance) -> usize) -> usize {
        let taken = match self.script.get(self.made.len()) {
            Some(&scripted) => scripted as usize,
            None => choose(self),
        };
        let taken = taken.min(count.saturating_sub(1));
        self.made.push(Made { taken: taken as u32, forks: forks as u32 });
        taken
    }

    fn wildly(&mut self, count: usize) -> usize {
        if count <= 1 || self.next() & 255 >= self.wild {
            return 0;
        }
        (self.next() % count as u64) as usize
    }

    /// One of `count` alternatives, the first being the ordinary one.
    pub(crate) fn pick(&mut self, count: usize) -> usize {
        self.make(count, count, |chance| chance.wildly(count))
    }

    /// One of `count` things that a call can come to, the first being the ordinary one.
    pub(crate) fn outcome(&mut self, count: usize) -> usize {
        self.make(count, count, |chance| chance.wildly(count))
    }

    /// Whether something happens that is not ordinary, and then happens once in so many times.
    pub(crate) fn seldom(&mut self, times: usize) -> bool {
        self.make(2, 2, |chance| usize::from(chance.wildly(times) == 1)) == 1
    }

    /// True so many times of 256, however wild the run is.
    pub(crate) fn often(&mut self, times: u64) -> bool {
        self.make(2, 0, |chance| usize::from(chance.next() & 255 >= times)) == 0
    }

    /// Any of `count` alternatives, however wild the run is.
    pub(crate) fn any(&mut self, count: usize) -> usize {
        self.make(count, 0, |chance| (chance.next() % count.max(1) as u64) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_is_not_wild_takes_the_ordinary() {
        let mut chance = Chance::new(7, 0, Vec::new());
        assert!((0..100).all(|_| chance.pick(5) == 0));
        let mut wild = Chance::new(7, 256, Vec::new());
        let taken: Vec<usize> = (0..100).map(|_| wild.pick(3)).collect();
        assert!((0..3).all(|alternative| taken.contains(&alternative)));
    }

    #[test]
    fn a_script_makes_the_first_choices_again() {
        let mut first = Chance::new(7, 256, Vec::new());
        let taken: Vec<usize> = (0..10).map(|_| first.outcome(4)).collect();
        let script: Vec<u32> = first.made().iter().map(|made| made.taken).collect();
        let mut again = Chance::new(8, 0, script);
        assert_eq!((0..10).map(|_| again.outcome(4)).collect::<Vec<_>>(), taken);
        assert_eq!(again.outcome(4), 0, "what the script leaves open is ordinary");
        assert!(again.made().iter().all(|made| made.forks == 4));
    }
}
