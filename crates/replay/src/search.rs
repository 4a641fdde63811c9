//! Runs of one function, around a witness.
//!
//! The first runs obey the witness in everything and choose the ordinary in what it leaves open; later ones choose more
//! freely, then obey less. The first run that loses the resource is the answer, so a story is as plain as can be. Runs that
//! pass the blocks of the witness and lose nothing count against it.

use crate::around::{Around, Named, Wishes};
use crate::known::Known;
use crate::types;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use watertight_interpret::{Address, Alone, Ended, Hands, How, ObjectKind, TrapKind, World};
use watertight_ir::{BlockId, FuncId, InstId, Type};
use watertight_summary::{Claim, Path, Witness};

/// The most steps of the first run, which may have to get through a long loop, and of all others.
const FIRST_STEPS: u64 = 200_000;
const MOST_STEPS: u64 = 20_000;
/// The most steps of all runs for one witness.
const MOST_WORK: u64 = 400_000;
/// Runs that obey the witness in all it says.
const OBEDIENT: u64 = 48;
/// Runs that choose the ordinary in all that the witness leaves open.
const ORDINARY: u64 = 2;
/// Runs after which nobody waits any longer for the call that acquires.
const PATIENCE: u64 = 80;
/// All runs.
const MOST_RUNS: u64 = 160;
/// So many runs must have gone the way of the witness before it is refuted.
const ENOUGH: u32 = 6;

/// What came of a witness.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// A run does what is claimed.
    Replayed(Run),
    /// Runs go the way of the witness, and what is claimed does not happen.
    Refuted,
    /// Nobody knows.
    Diverged(Why),
}

/// A run that does what is claimed.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// Which one it was.
    pub number: u64,
    /// The blocks of the function that control passed.
    pub blocks: Vec<BlockId>,
    /// It took the way of the witness.
    pub followed: bool,
    /// Nothing was chosen that a program may never do: the witness decided or the choice was ordinary, nothing failed to be
    /// acquired, nothing unknown was called, and the caller passed no NULL.
    pub sound: bool,
    /// Something that could have been acquired was not.
    pub starved: bool,
    pub steps: u64,
}

/// Why there is no verdict.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// The program cannot be run by itself.
    Machine,
    /// No run came to the call that acquires.
    NotAcquired,
    /// Runs left the way of the witness after so many blocks at the latest.
    OtherWay { blocks: usize },
    /// It is lost unless a function keeps it of which nothing is known.
    UnknownCallee,
    /// Too few runs went the way of the witness.
    TooFew,
}

/// One program, run again and again.
pub struct Session<'p> {
    known: &'p Known<'p>,
    alone: Option<Alone<'p>>,
    /// Runs made so far, and their steps.
    pub runs: u64,
    pub steps: u64,
}

/// What one run showed.
struct Shown {
    happened: bool,
    /// It happened, but unknown code was shown the resource, or links were joined as no program may have joined them.
    doubtful: bool,
    /// The witness contradicts itself.
    contradicted: bool,
    /// A copy of computed length was too short for what it should take along.
    cut: bool,
    acquired: bool,
    way: Way,
    run: Run,
}

/// How a run went, against the witness.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Way {
    Same,
    /// The same blocks, but loops had another number of turns.
    UpToTurns,
    /// It left after so many blocks.
    Other(usize),
}

impl<'p> Session<'p> {
    pub fn new(known: &'p Known<'p>) -> Session<'p> {
        Session { known, alone: Alone::new(known.program, MOST_STEPS), runs: 0, steps: 0 }
    }

    /// Runs a function to see whether what a witness claims happens.
    pub fn replay(&mut self, function: FuncId, witness: &Witness) -> Verdict {
        let wishes = Rc::new(Wishes::new(witness));
        let (mut followed, mut acquired, mut doubtful, mut farthest) = (0, 0, false, 0);
        let (mut contradicted, mut cut) = (0, false);
        let before = self.steps;
        for number in 0..MOST_RUNS {
            if self.steps - before > MOST_WORK || number >= PATIENCE && acquired == 0 {
                break;
            }
            let wild = match number % 4 {
                _ if number < ORDINARY => 0,
                0 => 24,
                1 => 64,
                2 => 128,
                _ => 224,
            };
            let obey = match number {
                0..OBEDIENT => 256,
                _ if number % 3 == 0 => 224,
                _ if number % 3 == 1 => 128,
                _ => 0,
            };
            let mut world = Around::new(self.known, Rc::clone(&wishes), number, wild, obey);
            world.may_join = witness.claim == Claim::Lost;
            world.strict = witness.claim != Claim::Lost;
            world.small = number % 2 == 1;
            world.root = Some(function);
            // Where a size was too small, numbers are sizes.
            if cut {
                world.plain = [8, 16, 24, 32][number as usize / 4 % 4];
            }
            let Some(shown) = self.run(function, witness, world, number) else {
                return Verdict::Diverged(Why::Machine);
            };
            if shown.happened {
                return Verdict::Replayed(shown.run);
            }
            doubtful |= shown.doubtful;
            acquired += u32::from(shown.acquired);
            contradicted += u32::from(shown.contradicted);
            cut |= shown.cut;
            match shown.way {
                Way::Same | Way::UpToTurns => followed += u32::from(shown.acquired && !shown.doubtful),
                Way::Other(blocks) => farthest = farthest.max(blocks),
            }
        }
        match () {
            () if doubtful => Verdict::Diverged(Why::UnknownCallee),
            () if followed >= ENOUGH => Verdict::Refuted,
            // Whenever it is obeyed, it wishes a text to be two texts.
            () if contradicted >= ENOUGH && acquired >= ENOUGH => Verdict::Refuted,
            () if followed > 0 => Verdict::Diverged(Why::TooFew),
            () if acquired == 0 => Verdict::Diverged(Why::NotAcquired),
            () => Verdict::Diverged(Why::OtherWay { blocks: farthest }),
        }
    }

    fn run(
        &mut self,
        function: FuncId,
        witness: &Witness,
        mut world: Around<'p>,
        number: u64,
    ) -> Option<Shown> {
        let alone = self.alone.as_mut()?;
        alone.limit(if number == 0 { FIRST_STEPS } else { MOST_STEPS });
        let args = alone.prepare(|hands| world.arguments(hands, function));
        let world = Rc::new(RefCell::new(world));
        let ended = alone.run(function, &args, Rc::clone(&world) as Rc<RefCell<dyn World + 'p>>);
        self.runs += 1;
        self.steps += ended.steps;
        let world = world.borrow();
        world.own.iter().for_each(|&number| alone.end_given(number));
        let (mut happened, mut doubtful, acquired) = judge(alone, &ended, &world, witness);
        if happened && (world.guessed || witness.claim != Claim::Lost && world.unknown) {
            (happened, doubtful) = (false, true);
        }
        let mut way = compare(&witness.blocks, &world.passed, &ended);
        // Where an address came from nowhere, what is stored there proves nothing.
        if world.unset {
            way = Way::Other(0);
        }
        let run = Run {
            number,
            blocks: world.passed.clone(),
            followed: !matches!(way, Way::Other(_)),
            sound: number < ORDINARY
                && !matches!(way, Way::Other(_))
                && !(world.starved || world.unknown || world.null_argument)
                && witness.acquired.is_some(),
            starved: world.starved,
            steps: ended.steps,
        };
        // What was left behind by a copy that is too short says nothing, lost or not.
        let cut = alone.was_cut();
        let acquired = acquired && !cut;
        happened &= !cut;
        let contradicted = world.contradicted;
        Some(Shown { happened, doubtful, contradicted, cut, acquired, way, run })
    }
}

/// Whether the claim came true in a run; whether it did unless unknown code prevented it; and whether the resource was
/// there at all.
fn judge(alone: &Alone<'_>, ended: &Ended, world: &Around<'_>, witness: &Witness) -> (bool, bool, bool) {
    let meant = |origin: &[(FuncId, InstId)]| match (witness.acquired, origin.split_first()) {
        (Some(acquired), Some((first, inner))) => {
            let trail = witness.trail.iter().map(|call| (call.function, call.inst));
            first.1 == acquired && trail.zip(inner).all(|(expected, found)| expected == *found)
        }
        _ => false,
    };
    if let Claim::ReleasedAgain(inst) | Claim::Used(inst) = witness.claim {
        return misused(ended, witness, inst);
    }
    let numbers: Vec<u32> = world.handles.iter().map(|handle| handle.number).collect();
    let reach = alone.reach(ended, &numbers);
    let (mut lost, mut doubtful, mut acquired) = (false, false, false);
    for (block, released, _) in alone.blocks().filter(|(_, _, origin)| meant(origin)) {
        acquired = true;
        if !released && !reach.blocks[block.0 as usize] && !world.kept.contains(&block) {
            let doubted = world.doubted.contains(&block);
            lost |= !doubted;
            doubtful |= doubted;
        }
    }
    for (handle, reached) in world.handles.iter().zip(&reach.numbers) {
        if !meant(&handle.origin) || handle.kind != witness.kind {
            continue;
        }
        acquired = true;
        // Standard streams are meant to stay open; and a small number is found in memory that means another thing.
        let least = world.known.models.kinds.get(handle.kind).lost_from.unwrap_or(0);
        if i64::from(handle.number) < least {
            doubtful |= !handle.released && !handle.kept;
            continue;
        }
        if !handle.released && !handle.kept && !reached {
            lost |= !handle.doubted;
            doubtful |= handle.doubted;
        }
    }
    (lost, doubtful, acquired)
}

/// Whether a run ended in a release or use of what was released, at this instruction of the function.
fn misused(ended: &Ended, witness: &Witness, inst: InstId) -> (bool, bool, bool) {
    let How::Trapped(kind, stack) = &ended.how else { return (false, false, true) };
    let here = stack.first().is_some_and(|call| call.1 == inst);
    let wrong = match witness.claim {
        Claim::Lost => false,
        Claim::ReleasedAgain(_) => {
            matches!(kind, TrapKind::DoubleFree { .. } | TrapKind::InvalidFree { .. })
        }
        Claim::Used(_) => matches!(
            kind,
            TrapKind::DoubleFree { .. }
                | TrapKind::UseAfterFree { .. }
                | TrapKind::OutOfBounds { object: ObjectKind::Given(_), .. }
        ),
    };
    (here && wrong, false, true)
}

/// How the blocks of a run compare with those of a witness.
fn compare(expected: &[BlockId], passed: &[BlockId], ended: &Ended) -> Way {
    let same = expected.iter().zip(passed).take_while(|(expected, passed)| expected == passed).count();
    if matches!(ended.how, How::Trapped(..) | How::StepLimit) {
        return Way::Other(same);
    }
    if same == expected.len() && !expected.is_empty() {
        return Way::Same;
    }
    let set = |blocks: &[BlockId]| blocks.iter().copied().collect::<BTreeSet<BlockId>>();
    let ends = |blocks: &[BlockId]| blocks.last().copied();
    if !expected.is_empty() && ends(expected) == ends(passed) && set(expected) == set(passed) {
        return Way::UpToTurns;
    }
    Way::Other(same)
}

impl Around<'_> {
    /// The arguments that the function is called with.
    fn arguments(&mut self, hands: &mut Hands<'_, '_>, function: FuncId) -> Vec<u64> {
        let program = self.known.program;
        let data = &program.functions[function];
        if &*data.name == "main" && data.params.len() >= 2 {
            return self.command_line(hands);
        }
        let mut args = Vec::with_capacity(data.params.len());
        for (index, param) in data.params.iter().enumerate() {
            let path = Path::param(index as u32);
            let wish = self.wished_input(Some(&path));
            let ty = self.known.parameter(function, index);
            args.push(match param.ty {
                Type::Ptr => {
                    let whole = param.by_value.is_some() || param.struct_result;
                    let null = match wish {
                        _ if whole => false,
                        Some(wish) => wish == 0,
                        None => !param.non_null && self.chance.pick(8) == 1,
                    };
                    let target = if whole { ty } else { ty.and_then(|ty| types::pointee(program, ty)) };
                    let parameters = target.and_then(|target| types::parameters(program, target));
                    self.null_argument |= null;
                    match parameters {
                        _ if null => 0,
                        Some(parameters) => self.function(hands, parameters, wish.is_some()),
                        None => {
                            if param.by_value.is_some() {
                                self.own.push(self.names.len() as u32);
                            }
                            self.give(hands, Named { path: Some(path), ty: target, depth: 0 })
                        }
                    }
                }
                Type::Int(bits) => {
                    wish.unwrap_or_else(|| self.number(hands, u64::from(bits.div_ceil(8)).min(8), 0))
                }
                _ => 0,
            });
        }
        args
    }

    /// What `main` is called with: a name and a few words.
    fn command_line(&mut self, hands: &mut Hands<'_, '_>) -> Vec<u64> {
        let wish = self.wished_input(Some(&Path::param(0)));
        let count = wish.filter(|count| (1..=8).contains(count)).unwrap_or(1 + self.chance.pick(4) as u64);
        let words = self.give(hands, Named { path: Some(Path::param(1)), ty: None, depth: 0 });
        for index in 0..=count {
            let path = Path::param(1).at(8 * index as i64);
            let word = if index == count {
                0
            } else {
                self.give(hands, Named { path: Some(path), ty: None, depth: 1 })
            };
            hands.put(Address(words + 8 * index), &word.to_le_bytes());
        }
        vec![count, words, 0]
    }
}
