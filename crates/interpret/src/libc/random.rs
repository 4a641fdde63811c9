//! `rand` and its relatives, with the sequences of glibc.

use super::{Answer, Arg, Native, Outcome, word};
use crate::machine::Machine;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "rand" | "random" => |m, _| Answer::word(m.library.random.next().into()),
        "srand" | "srandom" => |m, a| {
            m.library.random.seed(word(a, 0) as u32);
            Ok(Answer::None)
        },
        "rand_r" => rand_r,
        "srand48" => |m, a| {
            m.library.random.state48 = (word(a, 0) & 0xffff_ffff) << 16 | 0x330e;
            Ok(Answer::None)
        },
        "drand48" => |m, _| {
            let bits = m.library.random.next48();
            Answer::double(bits as f64 / (1u64 << 48) as f64)
        },
        "lrand48" => |m, _| Answer::word(m.library.random.next48() >> 17),
        "mrand48" => |m, _| Answer::int(i64::from((m.library.random.next48() >> 16) as u32 as i32)),
        _ => return None,
    })
}

/// The additive feedback generator of glibc: 31 numbers, each new one the sum of those 3 and 31 back.
#[derive(Debug)]
pub(crate) struct Random {
    history: [u32; 31],
    at: usize,
    /// The linear congruential generator of `drand48`.
    state48: u64,
}

impl Random {
    pub(super) fn new() -> Random {
        let mut random = Random { history: [0; 31], at: 0, state48: 0x1234_abcd_330e };
        random.seed(1);
        random
    }

    fn seed(&mut self, seed: u32) {
        let mut word = if seed == 0 { 1 } else { seed as i32 };
        self.history[0] = word as u32;
        for place in &mut self.history[1..] {
            // 16807 × word modulo 2^31 - 1, without overflow.
            word = 16807 * (word % 127_773) - 2836 * (word / 127_773);
            if word < 0 {
                word += i32::MAX;
            }
            *place = word as u32;
        }
        // The front runs three places ahead of the rear.
        self.at = 3;
        for _ in 0..310 {
            self.next();
        }
    }

    fn next(&mut self) -> u32 {
        let sum = self.history[self.at].wrapping_add(self.history[(self.at + 28) % 31]);
        self.history[self.at] = sum;
        self.at = (self.at + 1) % 31;
        sum >> 1
    }

    fn next48(&mut self) -> u64 {
        self.state48 = self.state48.wrapping_mul(0x5_deec_e66d).wrapping_add(0xb) & ((1 << 48) - 1);
        self.state48
    }
}

fn rand_r(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let mut next = machine.memory.load_int(word(args, 0), 4)? as u32;
    let mut step = || {
        next = next.wrapping_mul(1_103_515_245).wrapping_add(12345);
        next / 65536
    };
    let mut result = step() % 2048;
    result = (result << 10) ^ (step() % 1024);
    result = (result << 10) ^ (step() % 1024);
    machine.memory.store_int(word(args, 0), 4, next.into())?;
    Answer::word(result.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_the_well_known_sequence() {
        let mut random = Random::new();
        let first: Vec<u32> = (0..4).map(|_| random.next()).collect();
        assert_eq!(first, [1_804_289_383, 846_930_886, 1_681_692_777, 1_714_636_915]);
        random.seed(42);
        assert_eq!(random.next(), 71_876_166);
    }
}
