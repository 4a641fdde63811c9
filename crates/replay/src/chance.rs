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
    script: Vec<u64>,
    made: Vec<Made>,
    /// The choices by which an address became NULL: which one, and what it would have to be for another address.
    nulls: Vec<(usize, u64)>,
}

/// A choice that was made.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Made {
    /// Which alternative, or the number or text itself.
    pub(crate) taken: u64,
    pub(crate) among: Among,
}

/// What a choice was made among.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Among {
    /// So many alternatives that differ in kind: a call that succeeds or fails, an address that is NULL or not. Zero if it
    /// was one of many of a kind.
    Forks(u32),
    /// All numbers of so many bytes.
    Numbers(u32),
    /// The same, and the witness says which.
    Wished(u32),
    /// What the witness says of an address (that it is NULL), or that it is another one; tried only where a run is led.
    WishedFork,
    /// Texts of at most seven characters, the first in the lowest byte.
    Texts,
}

impl Chance {
    pub(crate) fn new(seed: u64, wild: u64, script: Vec<u64>) -> Chance {
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
    pub(crate) fn gave_null(&mut self, other: u64) {
        if let Some(last) = self.made.len().checked_sub(1) {
            self.nulls.push((last, other));
        }
    }

    /// A script that does the same up to the last choice from `from` on by which an address became NULL, and makes that one
    /// otherwise.
    pub(crate) fn without_last_null(&self, from: usize) -> Option<Vec<u64>> {
        let &(at, other) = self.nulls.last().filter(|null| null.0 >= from)?;
        let mut script: Vec<u64> = self.made[..at].iter().map(|made| made.taken).collect();
        script.push(other);
        Some(script)
    }

    fn make(&mut self, count: usize, forks: usize, choose: impl FnOnce(&mut Chance) -> usize) -> usize {
        let taken = match self.script.get(self.made.len()) {
            Some(&scripted) => usize::try_from(scripted).unwrap_or(usize::MAX),
            None => choose(self),
        };
        let taken = taken.min(count.saturating_sub(1));
        self.made.push(Made { taken: taken as u64, among: Among::Forks(forks as u32) });
        taken
    }

    /// A number of so many bytes.
    pub(crate) fn number(&mut self, bytes: u64, choose: impl FnOnce(&mut Chance) -> u64) -> u64 {
        let mask = if bytes >= 8 { u64::MAX } else { (1 << (bytes * 8)) - 1 };
        self.value(Among::Numbers(bytes as u32), mask, choose)
    }

    /// A number of so many bytes that the witness knows.
    pub(crate) fn wished(&mut self, bytes: u64, wish: u64) -> u64 {
        self.value(Among::Wished(bytes as u32), u64::MAX, |_| wish)
    }

    /// Whether an address is NULL of which the witness says that it is.
    pub(crate) fn wished_null(&mut self) -> bool {
        let null = self.value(Among::WishedFork, 1, |_| 0) == 0;
        if null {
            self.gave_null(1);
        }
        null
    }

    /// Whether an address leads into a known object that the witness may mean.
    pub(crate) fn wished_alias(&mut self) -> bool {
        self.value(Among::WishedFork, 1, |_| 0) == 1
    }

    /// A text of at most seven characters.
    pub(crate) fn text(&mut self, choose: impl FnOnce(&mut Chance) -> u64) -> u64 {
        self.value(Among::Texts, u64::MAX >> 8, choose)
    }

    fn value(&mut self, among: Among, mask: u64, choose: impl FnOnce(&mut Chance) -> u64) -> u64 {
        let taken = match self.script.get(self.made.len()) {
            Some(&scripted) => scripted,
            None => choose(self),
        };
        self.made.push(Made { taken: taken & mask, among });
        taken & mask
    }

    /// One of so many things, while a number or a text is chosen.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    /// One of `count` alternatives, the first more often than not; while a number or a text is chosen.
    pub(crate) fn wildly(&mut self, count: usize) -> usize {
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

    /// One of `count` alternatives, of which the witness says this one.
    pub(crate) fn led(&mut self, count: usize, wished: usize) -> usize {
        self.make(count, count, |_| wished)
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
        let script: Vec<u64> = first.made().iter().map(|made| made.taken).collect();
        let mut again = Chance::new(8, 0, script);
        assert_eq!((0..10).map(|_| again.outcome(4)).collect::<Vec<_>>(), taken);
        assert_eq!(again.outcome(4), 0, "what the script leaves open is ordinary");
        assert!(again.made().iter().all(|made| made.among == Among::Forks(4)));
    }
}
