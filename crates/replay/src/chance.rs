//! Choices that nobody has made: a number from a seed, the same on every machine.
//!
//! Alternatives are listed with the ordinary one first. How often another one is taken is the *wildness* of the run: the
//! first run takes none, later ones more and more, so that the plainest run that shows something is the one that is found.

/// A source of choices.
#[derive(Clone, Debug)]
pub(crate) struct Chance {
    state: u64,
    /// Of 256 choices, so many may be other than ordinary.
    wild: u64,
}

impl Chance {
    pub(crate) fn new(seed: u64, wild: u64) -> Chance {
        Chance { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d, wild }
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// One of `count` alternatives, the first being the ordinary one.
    pub(crate) fn pick(&mut self, count: usize) -> usize {
        if count <= 1 || self.next() & 255 >= self.wild {
            return 0;
        }
        (self.next() % count as u64) as usize
    }

    /// True so many times of 256, however wild the run is.
    pub(crate) fn often(&mut self, times: u64) -> bool {
        self.next() & 255 < times
    }

    /// Any of `count` alternatives, however wild the run is.
    pub(crate) fn any(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_is_not_wild_takes_the_ordinary() {
        let mut chance = Chance::new(7, 0);
        assert!((0..100).all(|_| chance.pick(5) == 0));
        let mut wild = Chance::new(7, 256);
        let taken: Vec<usize> = (0..100).map(|_| wild.pick(3)).collect();
        assert!((0..3).all(|alternative| taken.contains(&alternative)));
    }
}
