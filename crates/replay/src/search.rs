//! Runs of one function, around a witness.
//!
//! The first runs obey the witness in everything and choose the ordinary in what it leaves open; later ones choose more
//! freely, then obey less. The first run that loses the resource is the answer, so a story is as plain as can be.
//!
//! A witness is refuted by a run that did all it says (its values, its branches, the kind of result of every call inside
//! the program) and still held the resource, or had released it, where it is said to be lost. What the witness leaves
//! open, which is what happens inside calls, must make no difference: that run is made again for each of its choices (a
//! call that succeeds or fails, an address that is NULL or not), and for each two of them, with these made otherwise.
//! Only if that could be done for all of them, and neither one of these runs nor any other lost the resource, is it
//! refuted.
//!
//! A run that goes through NULL says nothing about the claim if chance made that address NULL: callers do not pass what the
//! code does not bear. It is made again with that choice made otherwise, until it goes on.

use crate::around::{Around, Wishes};
use crate::chance::Made;
use crate::events::{Event, Telling, What};
use crate::follow::{Road, Way};
use crate::hints::{Compared, open_alternatives};
use crate::judge::{Judged, judge};
use crate::known::Known;
use crate::limits::{
    ASTRAY_RUNS, CHANGED_TOGETHER, FIRST_STEPS, MOST_REPAIRS, MOST_RUNS, OBEDIENT_RUNS, ORDINARY_RUNS,
    PATIENT_RUNS, REPAIR_STEPS, RUN_STEPS, SEARCH_STEPS, SKIPPED_CALLS, SPARING_RUNS,
};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use watertight_interpret::{Alone, Ended, How, Site, TrapKind, World};
use watertight_ir::{BlockId, FuncId, InstId};
use watertight_summary::{Claim, Root, Witness};

/// What came of a witness.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// A run does what is claimed.
    Replayed(Run),
    /// A run goes the way of the witness, and what is claimed does not happen.
    Refuted,
    /// Nobody knows.
    Diverged(Why),
}

/// How much is done to find a run.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Effort {
    /// What the witness leaves open is searched.
    Search,
    /// It is run as the witness says, with the ordinary in all that is open. Enough where only such a run would change what
    /// is said.
    Try,
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
    /// Everything happened as told: no call was left out or given another result than it has, and no argument was NULL by chance.
    pub plain: bool,
    /// Something that could have been acquired was not.
    pub starved: bool,
    pub steps: u64,
    /// How many of what the call acquires are lost.
    pub times: u32,
    /// The step that takes the last reference away: where each active call stands, outermost first.
    pub lost_at: Vec<Site>,
    /// The least that has to fail before it happens.
    pub needs: Needs,
    /// How often each call of the function had returned before.
    pub returned: FxHashMap<InstId, u32>,
    /// What happened from the acquisition on.
    pub events: Vec<Event>,
}

/// The least that has to fail for something to happen.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Needs {
    Nothing,
    /// A call of the library, otherwise than for want of memory.
    Call,
    /// Memory runs out.
    Memory,
}

/// Why there is no verdict.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// The program cannot be run by itself.
    Machine,
    /// No run came to the call that acquires.
    NotAcquired,
    /// Runs left the way of the witness behind this block at the latest; none passed even the first, if there is none.
    OtherWay { after: Option<BlockId> },
    /// This call gave something of another kind than the witness says.
    OtherResult { call: InstId },
    /// It is lost unless a function keeps it of which nothing is known.
    UnknownCallee,
    /// A run goes the way of the witness and loses nothing, but there is too much that could have gone otherwise inside
    /// the calls it makes.
    TooMuchOpen,
}

/// One program, run again and again.
pub struct Session<'p> {
    pub(crate) known: &'p Known<'p>,
    pub(crate) alone: Option<Alone<'p>>,
    /// How the run ended that was led along the way of the last witness as far as it goes.
    pub led: Option<How>,
    /// Runs made so far, and their steps.
    pub runs: u64,
    pub steps: u64,
}

/// What one run showed.
pub(crate) struct Shown {
    judged: Judged,
    /// The witness contradicts itself.
    contradicted: bool,
    /// A copy of computed length was too short for what it should take along.
    cut: bool,
    way: Way,
    differs: Option<InstId>,
    made: Vec<Made>,
    /// How far along the way of the witness it came, and the choices that it had made by then.
    pub(crate) reached: Reached,
    pub(crate) before: Vec<Made>,
    /// What it compared.
    pub(crate) compared: Vec<Compared>,
    /// The first choices of the run, if it had to be made again.
    pub(crate) script: Vec<u64>,
    how: How,
    /// It failed in this call of the function, on which the claim does not depend; and the choices before it.
    stuck: Option<((InstId, u32), Vec<u64>)>,
    /// It took leave of something that the witness says, or calls were not made.
    free: bool,
    run: Run,
}

impl Shown {
    fn happened(&self) -> bool {
        self.judged.times > 0
    }
    /// It need not come any farther.
    pub(crate) fn is_done(&self) -> bool {
        self.happened() || self.followed() && self.judged.exact
    }
    /// It did all that the witness says.
    fn followed(&self) -> bool {
        self.way == Way::Same && self.differs.is_none()
    }
}

/// How far a run came, the most important first.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Reached {
    /// Blocks on the way to the call that acquires.
    to_call: usize,
    /// Calls inside it on the way to the acquisition, whether it came to that, and blocks on that way.
    trail: usize,
    acquired: bool,
    near: usize,
    /// Blocks of the way, and blocks with those passed again.
    blocks: usize,
    passed: usize,
    /// Blocks of callees after the last of these.
    covered: usize,
    /// All calls gave what the witness says.
    alike: bool,
}

/// A witness, ready to be run.
pub(crate) struct Question<'w> {
    pub(crate) function: FuncId,
    pub(crate) witness: &'w Witness,
    pub(crate) wishes: Rc<Wishes>,
    pub(crate) road: Road,
    /// How many blocks lie on the way to the call that acquires.
    pub(crate) to_call: usize,
}

/// How one run is made.
#[derive(Clone)]
pub(crate) struct Manner {
    number: u64,
    wild: u64,
    obey: u64,
    /// What an ordinary number is, if the number of the run does not say it.
    plain: Option<u64>,
    /// Its first choices.
    pub(crate) script: Vec<u64>,
    /// The worst that may fail.
    spared: Needs,
    /// Calls of the function that are not made, since they fail in what is around them, if the resource is out of their reach.
    skip: Vec<(InstId, u32)>,
}

impl Manner {
    /// The manner of a run by its number.
    pub(crate) fn numbered(number: u64) -> Manner {
        let wild = match number % 4 {
            _ if number < ORDINARY_RUNS => 0,
            0 => 24,
            1 => 64,
            2 => 128,
            _ => 224,
        };
        let obey = match number {
            0..OBEDIENT_RUNS => 256,
            _ => [224, 128, 0][number as usize % 3],
        };
        Manner {
            number,
            wild,
            obey,
            plain: None,
            script: Vec::new(),
            spared: Needs::Memory,
            skip: Vec::new(),
        }
    }
}

/// A run that is over, its world, and its first choices.
pub(crate) type Performed<'p> = (Ended, Rc<RefCell<Around<'p>>>, Vec<u64>);

impl<'p> Session<'p> {
    pub fn new(known: &'p Known<'p>) -> Session<'p> {
        Session { known, alone: Alone::new(known.program, RUN_STEPS), led: None, runs: 0, steps: 0 }
    }

    /// Runs a function to see whether what a witness claims happens.
    pub fn replay(&mut self, function: FuncId, witness: &Witness, effort: Effort) -> Verdict {
        let Some(body) = &self.known.program.functions[function].body else {
            return Verdict::Diverged(Why::Machine);
        };
        let wishes = Rc::new(Wishes::new(witness));
        let acquires = |block: &BlockId| {
            witness.acquired.is_some_and(|acquired| body.blocks[*block].insts.contains(&acquired))
        };
        let call_at = witness.blocks.iter().position(acquires).map_or(0, |at| at + 1);
        let to_call = witness.blocks[..call_at].iter().collect::<BTreeSet<_>>().len();
        let road = Road::new(body, &witness.blocks);
        let question = Question { function, witness, wishes, road, to_call };
        let (mut acquired, mut obeyed, mut doubtful) = (0, 0, false);
        let (mut contradicted, mut cut) = (0, false);
        let mut farthest: Option<(usize, BlockId)> = None;
        let mut differs = None;
        let mut astray: Option<(Manner, Shown)> = None;
        let mut followed: Option<(Manner, Shown)> = None;
        let mut skip: Vec<(InstId, u32)> = Vec::new();
        let mut before = self.steps;
        let runs = match effort {
            Effort::Search => MOST_RUNS,
            Effort::Try => ORDINARY_RUNS,
        };
        for number in 0..runs {
            if self.steps - before > SEARCH_STEPS || number >= PATIENT_RUNS && acquired == 0 {
                break;
            }
            let mut manner = Manner::numbered(number);
            // Where a size was too small, numbers are sizes.
            manner.plain = cut.then(|| [8, 16, 24, 32][number as usize / 4 % 4]);
            if number % 2 == 0 {
                manner.skip.clone_from(&skip);
            }
            let shown = match (number, effort) {
                (0, Effort::Search) => self.lead(&question, &mut manner),
                _ => self.run(&question, &manner),
            };
            if let Some(shown) = &shown {
                skip.clone_from(&manner.skip);
                manner.script.clone_from(&shown.script);
            }
            let Some(shown) = shown else { return Verdict::Diverged(Why::Machine) };
            if number == 0 {
                self.led = Some(shown.how.clone());
            }
            // What it took to lead the first one has a budget of its own.
            before = if number == 0 { self.steps } else { before };
            if shown.happened() && (shown.followed() || number >= ASTRAY_RUNS) {
                match self.located(&question, &manner, shown) {
                    Some(run) => return Verdict::Replayed(run),
                    None => continue,
                }
            }
            if shown.happened() {
                astray = astray.or(Some((manner, shown)));
                continue;
            }
            if astray.is_some() && number >= ASTRAY_RUNS {
                break;
            }
            doubtful |= shown.judged.doubtful;
            acquired += u32::from(shown.judged.acquired);
            cut |= shown.cut;
            if number < OBEDIENT_RUNS && shown.judged.acquired && !shown.free {
                obeyed += 1;
                contradicted += u32::from(shown.contradicted);
            }
            match shown.way {
                Way::Left(count) => {
                    let last = count.checked_sub(1).and_then(|last| shown.run.blocks.get(last).copied());
                    farthest = farthest.max(last.map(|last| (count, last)));
                }
                Way::Same => differs = differs.or(shown.differs),
            }
            if followed.is_none()
                && !shown.free
                && shown.followed()
                && shown.judged.exact
                && !shown.judged.doubtful
            {
                followed = Some((manner, shown));
            }
        }
        let astray = astray.and_then(|(manner, shown)| self.located(&question, &manner, shown));
        if let Some(run) = astray {
            return Verdict::Replayed(run);
        }
        if doubtful {
            return Verdict::Diverged(Why::UnknownCallee);
        }
        let unknown = match differs {
            _ if acquired == 0 => Why::NotAcquired,
            Some(call) => Why::OtherResult { call },
            None => Why::OtherWay { after: farthest.map(|(_, block)| block) },
        };
        match (effort, followed) {
            // The run contradicts the engine, so one of them is to be refuted; that takes a search.
            (Effort::Try, Some(_)) => self.replay(function, witness, Effort::Search),
            (Effort::Try, None) => Verdict::Diverged(unknown),
            // Whenever it is obeyed, it wishes a text to be two texts.
            (Effort::Search, _) if contradicted > 0 && contradicted == obeyed => Verdict::Refuted,
            (Effort::Search, Some((manner, shown))) => self.otherwise(&question, &manner, shown),
            // Nothing is acquired with what calls pass, and the witness needs something else.
            (Effort::Search, None) if acquired == 0 && self.is_foreign(&question) => Verdict::Refuted,
            (Effort::Search, None) => Verdict::Diverged(unknown),
        }
    }

    /// Makes a run that comes as far along the way of the witness as one can lead it. Code that has nothing to do with the
    /// resource may need more of the world around it than anybody has made up: where it fails, it is not called.
    fn lead(&mut self, question: &Question<'_>, manner: &mut Manner) -> Option<Shown> {
        let begin = (self.runs, self.steps);
        loop {
            let mut shown = self.run(question, manner)?;
            manner.script.clone_from(&shown.script);
            shown = self.climb(question, manner, shown, begin)?;
            let Some((call, script)) = shown.stuck.take().filter(|_| !shown.is_done()) else {
                return Some(shown);
            };
            if manner.skip.len() >= SKIPPED_CALLS || manner.skip.contains(&call) {
                return Some(shown);
            }
            manner.skip.push(call);
            manner.script = script;
        }
    }

    /// Whether a witness has a number for a parameter that no call passes.
    fn is_foreign(&self, question: &Question<'_>) -> bool {
        question.witness.inputs.iter().any(|(path, value)| match (path.root, &path.steps[..]) {
            (Root::Param(index), []) => {
                let passed = self.known.whole.passed(question.function, index);
                passed.is_some_and(|passed| !passed.numbers.contains(value) && !passed.address)
            }
            _ => false,
        })
    }

    /// Makes a run again that follows the witness and loses nothing, each time with some of its choices made otherwise: one,
    /// and where that run still follows, another one after it.
    fn otherwise(&mut self, question: &Question<'_>, manner: &Manner, shown: Shown) -> Verdict {
        let before = self.steps;
        let mut waiting = vec![(shown.made, shown.compared, 0, 0)];
        while let Some((made, compared, from, changed)) = waiting.pop() {
            for (at, choice) in made.iter().enumerate().skip(from) {
                for other in open_alternatives(at, choice, &compared) {
                    if self.steps - before > SEARCH_STEPS {
                        return Verdict::Diverged(Why::TooMuchOpen);
                    }
                    let mut script: Vec<u64> = made[..at].iter().map(|made| made.taken).collect();
                    script.push(other);
                    let mut manner = Manner { script, wild: 0, ..manner.clone() };
                    let Some(shown) = self.run(question, &manner) else {
                        return Verdict::Diverged(Why::Machine);
                    };
                    manner.script.clone_from(&shown.script);
                    if shown.happened() {
                        match self.located(question, &manner, shown) {
                            Some(run) => return Verdict::Replayed(run),
                            None => continue,
                        }
                    }
                    if shown.judged.doubtful {
                        return Verdict::Diverged(Why::UnknownCallee);
                    }
                    if changed + 1 < CHANGED_TOGETHER && shown.judged.acquired {
                        waiting.push((shown.made, shown.compared, at + 1, changed + 1));
                    }
                }
            }
        }
        Verdict::Refuted
    }

    /// The same run, with the step at which it happened. What is lost stays lost, so the step is found by halving. Nothing
    /// if it is lost inside the call that acquires: that is a mistake of the callee, and another claim.
    fn located(&mut self, question: &Question<'_>, manner: &Manner, shown: Shown) -> Option<Run> {
        let mut run = shown.run;
        if question.witness.claim != Claim::Lost {
            run.needs = self.least(question, run.needs);
            return Some(run);
        }
        let (mut held, mut lost) = (0, run.steps);
        while held + 1 < lost {
            let middle = held + (lost - held) / 2;
            match self.stopped(question, manner, middle) {
                Some((judged, _)) if judged.times > 0 => lost = middle,
                Some(_) => held = middle,
                None => return Some(run),
            }
        }
        if let Some((ended, _)) = self.told(question, manner, Some(held)) {
            run.lost_at = ended.at;
        }
        // What fails in the step that loses it may be why; what fails only afterwards is not needed.
        if let Some((_, world)) = self.told(question, manner, Some(lost)) {
            let mut world = world.borrow_mut();
            run.needs = world.failed;
            run.returned = std::mem::take(&mut world.turns);
            run.events = world.take_events();
        }
        // What that call gives is the function's to lose: it is held until the call returns.
        if let [own, callee, ..] = &run.lost_at[..]
            && own.inst.is_some()
            && own.inst == question.witness.acquired
            && (run.lost_at.len() > 2 || callee.inst.is_some())
        {
            return None;
        }
        run.needs = self.least(question, run.needs);
        // A callee that had the last reference comes to its end before anybody knows what it did.
        if run.lost_at.len() > 1
            && let Some((_, world)) = self.told(question, manner, None)
        {
            let known = run.events.len();
            let rest = world.borrow_mut().take_events().into_iter().skip(known);
            let returns = |event: &Event| matches!(event.what, What::Gave { .. });
            for event in rest {
                run.events.push(event);
                if run.events.last().is_some_and(returns) {
                    break;
                }
            }
        }
        Some(run)
    }

    /// A run as far as it goes, with what happens told.
    fn told(
        &mut self,
        question: &Question<'_>,
        manner: &Manner,
        steps: Option<u64>,
    ) -> Option<(Ended, Rc<RefCell<Around<'p>>>)> {
        let alone = self.alone.as_mut()?;
        match steps {
            Some(steps) => alone.stop_after(steps),
            None => alone.limit(RUN_STEPS),
        }
        self.perform(question, manner, true)
    }

    /// The least that has to fail for what happened in a run in which this failed.
    fn least(&mut self, question: &Question<'_>, failed: Needs) -> Needs {
        for spared in [Needs::Nothing, Needs::Call].into_iter().filter(|&spared| spared < failed) {
            for number in 0..SPARING_RUNS {
                let manner = Manner { spared, ..Manner::numbered(number) };
                let shown = self.run(question, &manner);
                if shown.is_some_and(|shown| shown.happened() && shown.run.needs <= spared) {
                    return spared;
                }
            }
        }
        failed
    }

    /// What a run shows after so many steps.
    fn stopped(&mut self, question: &Question<'_>, manner: &Manner, steps: u64) -> Option<(Judged, Ended)> {
        let alone = self.alone.as_mut()?;
        alone.stop_after(steps);
        alone.watch(false);
        let (ended, world) = self.perform(question, manner, false)?;
        let (alone, world) = (self.alone.as_ref()?, world.borrow());
        Some((judge(alone, &ended, &world, question.witness), ended))
    }

    /// Makes a run.
    fn perform(
        &mut self,
        question: &Question<'_>,
        manner: &Manner,
        telling: bool,
    ) -> Option<(Ended, Rc<RefCell<Around<'p>>>)> {
        let alone = self.alone.as_mut()?;
        let Manner { number, wild, obey, plain, ref script, spared, ref skip } = *manner;
        let mut world =
            Around::new(self.known, Rc::clone(&question.wishes), number, wild, obey, script.clone());
        world.may_join = question.witness.claim == Claim::Lost;
        world.strict = question.witness.claim != Claim::Lost;
        world.small = number % 2 == 1;
        world.root = Some(question.function);
        world.plain = plain.unwrap_or(world.plain);
        world.spared = spared;
        world.skip.clone_from(skip);
        world.telling = telling.then(|| Telling::new(question.witness));
        let args = alone.prepare(|hands| world.arguments(hands, question.function));
        let world = Rc::new(RefCell::new(world));
        let ended = alone.run(question.function, &args, Rc::clone(&world) as Rc<RefCell<dyn World + 'p>>);
        self.runs += 1;
        self.steps += ended.steps;
        Some((ended, world))
    }

    pub(crate) fn run(&mut self, question: &Question<'_>, manner: &Manner) -> Option<Shown> {
        let first = manner.number == 0 && manner.script.is_empty();
        let alone = self.alone.as_mut()?;
        alone.limit(if first { FIRST_STEPS } else { RUN_STEPS });
        alone.watch(true);
        let (ended, world, script) = self.repaired(question, manner)?;
        let (alone, world) = (self.alone.as_mut()?, world.borrow());
        let witness = question.witness;
        world.own.iter().for_each(|&number| alone.end_given(number));
        let mut judged = judge(alone, &ended, &world, witness);
        if judged.times > 0 && (world.guessed || witness.claim != Claim::Lost && world.unknown) {
            (judged.times, judged.doubtful) = (0, true);
        }
        // What was left behind by a copy that is too short says nothing, lost or not.
        let cut = alone.was_cut();
        if cut {
            (judged.times, judged.acquired, judged.exact) = (0, false, false);
        }
        // Where an address came from nowhere, what is stored there proves nothing; and who goes wrong comes nowhere.
        let way = match question.road.compare(&world.passed) {
            _ if world.unset => Way::Left(0),
            Way::Same if judged.times == 0 && matches!(ended.how, How::Trapped(..) | How::StepLimit) => {
                Way::Left(world.passed.len())
            }
            way => way,
        };
        let along = match way {
            Way::Same => world.passed.len(),
            Way::Left(after) => after,
        };
        let distinct: BTreeSet<BlockId> = world.passed[..along].iter().copied().collect();
        let covered = match along.checked_sub(1) {
            Some(last) => world.covered.get(last).copied().unwrap_or(world.inside.len()),
            None => 0,
        };
        let reached = Reached {
            to_call: distinct.len().min(question.to_call),
            trail: world.trail_reached,
            acquired: judged.exact,
            near: if judged.exact { 0 } else { world.near },
            blocks: distinct.len(),
            passed: along,
            covered,
            alike: world.differs.is_none(),
        };
        let before = world.choices.get(along).map_or(world.chance.made().len(), |&choices| choices);
        let before = world.chance.made()[..before].to_vec();
        let plain = !(world.starved || world.null_argument || world.skipped || world.disobeyed)
            && witness.acquired.is_some();
        let run = Run {
            number: manner.number,
            blocks: world.passed.clone(),
            followed: way == Way::Same,
            sound: plain
                && !world.unknown
                && way == Way::Same
                && manner.number < ORDINARY_RUNS
                && manner.script.is_empty(),
            plain,
            starved: world.starved,
            steps: ended.steps,
            times: judged.times,
            lost_at: Vec::new(),
            needs: world.failed,
            returned: world.turns.clone(),
            events: Vec::new(),
        };
        let made = if way == Way::Same { world.chance.made().to_vec() } else { Vec::new() };
        let (contradicted, differs) = (world.contradicted, world.differs);
        let compared = world.compared.clone();
        let (stuck, free) = (stuck(&ended, &world, question), world.skipped || world.disobeyed);
        Some(Shown {
            judged,
            contradicted,
            cut,
            way,
            differs,
            made,
            reached,
            before,
            compared,
            script,
            how: ended.how,
            stuck,
            free,
            run,
        })
    }

    /// Makes a run, and makes it again as long as it goes through an address that is NULL by chance. Gives the first choices
    /// of the last one, too.
    pub(crate) fn repaired(&mut self, question: &Question<'_>, manner: &Manner) -> Option<Performed<'p>> {
        let mut repaired = manner.clone();
        let before = self.steps;
        let (mut ended, mut world) = self.perform(question, &repaired, false)?;
        for _ in 0..MOST_REPAIRS {
            let through_null =
                matches!(ended.how, How::Trapped(TrapKind::NullAccess { .. } | TrapKind::NullCall, _));
            let script = world.borrow().chance.without_last_null(manner.script.len());
            let Some(script) = script.filter(|_| through_null && self.steps - before < REPAIR_STEPS) else {
                break;
            };
            repaired.script = script;
            (ended, world) = self.perform(question, &repaired, false)?;
        }
        Some((ended, world, repaired.script))
    }
}

/// The call of the function in which a run failed, if the claim does not depend on what it gives, and the choices before it.
fn stuck(ended: &Ended, world: &Around<'_>, question: &Question<'_>) -> Option<((InstId, u32), Vec<u64>)> {
    let inst = match &ended.how {
        How::Trapped(TrapKind::Abort | TrapKind::AssertionFailed(_) | TrapKind::Unreachable, _) => None,
        How::Trapped(..) | How::StepLimit | How::Exited(_) => world.calling,
        How::Returned(_) | How::JumpedOut => None,
    }?;
    let turn = world.turns.get(&inst).copied().unwrap_or(0);
    let made = world.chance.made();
    let before = made[..world.choices_at_call.min(made.len())].iter().map(|made| made.taken).collect();
    (!question.wishes.needs(inst, turn)).then_some(((inst, turn), before))
}
