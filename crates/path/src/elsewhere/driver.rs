//! The driver's side: the schedule of a program whose components are evaluated by others.
//!
//! Components that are ready are looked up in the store; what it does not know waits, the most urgent first, and goes out in
//! batches as workers become free. A summary goes to each worker once. What a worker refuses, what is lost twice, and everything when there
//! are no workers, is evaluated here. None of this decides about results (`mod.rs`), so time may decide about it.

use crate::context::{Context, View};
use crate::elsewhere::wire::{Made, Piece, read_made, write_batch, write_told};
use crate::elsewhere::{Event, Grain, Task, Workers};
use crate::exits::lost::Exits;
use crate::machine::state::State;
use crate::reuse::Recollection;
use crate::reuse::key::{Keyed, Keys};
use crate::reuse::portable::Portable;
use crate::reuse::symbols::Sym;
use crate::schedule::analyse::Options;
use crate::schedule::epochs::{Epochs, size};
use crate::schedule::memory::{Origin, Results, Turn};
use crate::schedule::run::{Analysis, Sitting, component, finish};
use crate::stories::witness::Stories;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::sync::OnceLock;
use std::time::Duration;
use watertight_ir::{FuncId, Program, Table};
use watertight_summary::model::Models;

/// What a batch should take. Not a limit: batches are as large as they are quick to send and soon to come back.
const BATCH_MICROS: u64 = 75_000;
/// Batches that a worker has at a time, so that it need not wait for the next. Not a limit.
const AHEAD: usize = 2;
/// What an instruction takes before any was measured. Not a limit.
const FIRST_NANOS: u64 = 20_000;
/// How often a component goes out before it is evaluated here: it may be what ends the workers. Not a limit.
const TRIES: u32 = 2;
/// After how long somebody who has nothing else to do gets a batch as well that does not come back. Not a limit.
const LATE: Duration = Duration::from_secs(2);
/// How often what came back is written to the disk, for a driver that takes this one's place. Not a limit.
const SECURED: Duration = Duration::from_secs(1);
/// How long nothing is heard before a batch is evaluated here: workers may hang, or never come. Not a limit.
const SILENCE: Duration = Duration::from_secs(30);
/// How often somebody looks for batches that are late. Not a limit.
const LOOK: Duration = Duration::from_millis(250);

/// What was handed out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Handed {
    pub batches: u64,
    pub components: u64,
    /// Components that were evaluated here, because nobody else could.
    pub here: u64,
    /// Batches that went out again because a worker was lost or late.
    pub again: u64,
    pub lost: u64,
    pub sent: u64,
    pub received: u64,
}

/// A component that is to be evaluated.
struct Open {
    index: usize,
    piece: Piece,
    recursive: bool,
    view: View,
    keyed: Keyed,
    size: usize,
    /// Functions whose summaries its results may depend on.
    needs: Vec<FuncId>,
    tries: u32,
    /// What it has cost this process.
    micros: u64,
}

/// A batch that is out.
struct Flight {
    open: Vec<Open>,
    worker: usize,
    since: Duration,
    /// It was late once, and went to somebody else.
    helped: bool,
}

/// What a worker is doing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// It reads the program.
    Loading,
    Ready,
    /// It cannot read the program.
    Out,
}

/// A worker as it is known here.
struct Hand {
    stage: Stage,
    batches: usize,
    /// Functions of which it knows the summaries.
    told: FxHashSet<FuncId>,
}

/// Evaluates the functions of a program with others. `load` makes a worker read the program; every worker was given it with its own number
/// as the number of the task. Results are those of [`analyse_with`](crate::analyse_with).
pub fn analyse_elsewhere(
    program: &Program,
    library: &Models,
    options: &Options,
    recollection: &Recollection<'_>,
    (workers, load): (&dyn Workers, &(dyn Fn(usize) -> Task + Sync)),
    inspect: &(impl Fn(&mut State<'_>, &Exits) -> Stories + Sync),
) -> (Analysis<Stories>, Handed) {
    let context = Context::new(program, library, options.assumptions);
    let epochs = Epochs::new(program, &context.order);
    let sitting = Sitting::new(&context, &epochs, options);
    let keys = recollection.keys(&context);
    let hand = || Hand { stage: Stage::Loading, batches: 0, told: FxHashSet::default() };
    let mut driver = Driver {
        context: &context,
        epochs: &epochs,
        sitting: &sitting,
        options,
        recollection,
        keys,
        workers,
        load,
        inspect,
        hands: (0..workers.count()).map(|_| hand()).collect(),
        queue: VecDeque::new(),
        flights: FxHashMap::default(),
        next: workers.count() as u64,
        told: (0..program.functions.len()).map(|_| OnceLock::new()).collect(),
        heard: (options.clock)(),
        secured: Duration::ZERO,
        spent: (0, 0),
        handed: Handed::default(),
    };
    for (epoch, components) in (0u32..).zip(epochs.iter()) {
        sitting.begin(components);
        driver.epoch(epoch);
    }
    let handed = driver.handed;
    let all = sitting.end();
    (finish(all, context), handed)
}

struct Driver<'d, 's, 'c, I> {
    context: &'d Context<'c>,
    epochs: &'d Epochs,
    sitting: &'d Sitting<'s, Stories>,
    options: &'d Options,
    recollection: &'d Recollection<'d>,
    keys: &'d Keys,
    workers: &'d dyn Workers,
    load: &'d (dyn Fn(usize) -> Task + Sync),
    inspect: &'d I,
    hands: Vec<Hand>,
    /// The most urgent first.
    queue: VecDeque<Open>,
    flights: FxHashMap<u64, Flight>,
    /// The number of the next task.
    next: u64,
    /// What is told of functions, once somebody has needed it.
    told: Table<FuncId, OnceLock<Option<Vec<u8>>>>,
    /// When something was last heard.
    heard: Duration,
    /// When what came back was last written to the disk.
    secured: Duration,
    /// Instructions that were evaluated so far, and the microseconds that it took.
    spent: (u64, u64),
    handed: Handed,
}

impl<I: Fn(&mut State<'_>, &Exits) -> Stories + Sync> Driver<'_, '_, '_, I> {
    /// All turns of an epoch.
    fn epoch(&mut self, epoch: u32) {
        loop {
            if self.look_up(epoch) {
                continue;
            }
            self.hand_out();
            if self.flights.is_empty() && self.queue.is_empty() {
                return;
            }
            if self.hands.iter().all(|hand| hand.stage == Stage::Out) {
                self.do_here();
                continue;
            }
            let event = self.workers.take(LOOK);
            let now = (self.options.clock)();
            if !matches!(event, Event::Nothing) {
                self.heard = now;
            }
            match event {
                Event::Done { worker, number, bytes } => self.done(worker, number, &bytes),
                Event::Failed { worker, number, .. } => self.failed(worker, number),
                Event::Lost { worker } => self.lost(worker),
                Event::Nothing if now.saturating_sub(self.heard) > SILENCE => self.do_some_here(),
                Event::Nothing => {}
                Event::Closed => {
                    for worker in 0..self.hands.len() {
                        self.take_back(worker);
                        self.hands[worker].stage = Stage::Out;
                    }
                }
            }
        }
    }

    /// Asks the store about all components that are ready. Says whether there were any.
    fn look_up(&mut self, epoch: u32) -> bool {
        let ready: Vec<usize> = std::iter::from_fn(|| self.sitting.next()).collect();
        if ready.is_empty() {
            return false;
        }
        let looked: Vec<(Open, Option<Results<Stories>>)> = {
            let this = Looking { context: self.context, keys: self.keys, options: self.options };
            ready
                .into_par_iter()
                .map(|index| this.look(self.sitting, self.recollection, index, epoch))
                .collect()
        };
        for (open, known) in looked {
            self.recollection.note(&open.piece.members, open.keyed.key);
            match known {
                Some(results) => {
                    self.sitting.settle(open.index, epoch, results, Origin::Remembered);
                }
                None => self.queue.push_back(open),
            }
        }
        let urgency = &self.epochs.urgency;
        self.queue.make_contiguous().sort_by_key(|open| std::cmp::Reverse((urgency[open.index], open.index)));
        true
    }

    /// Gives batches to those who have time.
    fn hand_out(&mut self) {
        loop {
            let free = |hand: &Hand| hand.stage == Stage::Ready && hand.batches < AHEAD;
            let free = self.hands.iter().enumerate().filter(|(_, hand)| free(hand));
            let Some(worker) = free.min_by_key(|(_, hand)| hand.batches).map(|(worker, _)| worker) else {
                return;
            };
            if self.queue.is_empty() {
                if self.hands[worker].batches == 0 {
                    self.help_out(worker);
                }
                return;
            }
            let open = self.next_batch();
            self.give(worker, Flight { open, worker, since: Duration::ZERO, helped: false });
        }
    }

    /// The most urgent components, as many as are worth sending; not more than leaves something for the others.
    fn next_batch(&mut self) -> Vec<Open> {
        let waiting: usize = self.queue.iter().map(|open| open.size).sum();
        let ready = self.hands.iter().filter(|hand| hand.stage == Stage::Ready).count().max(1);
        let part = (waiting / (AHEAD * ready)) as u64;
        let worth = (BATCH_MICROS * 1000 / self.nanos()).min(part.max(1));
        let mut batch = Vec::new();
        let mut size = 0;
        while size < worth
            && let Some(open) = self.queue.pop_front()
        {
            size += open.size.max(1) as u64;
            batch.push(open);
        }
        batch
    }

    /// What an instruction takes.
    fn nanos(&self) -> u64 {
        let (size, micros) = self.spent;
        match size {
            0 => FIRST_NANOS,
            size => (micros * 1000 / size).max(1),
        }
    }

    fn give(&mut self, worker: usize, mut flight: Flight) {
        let context = self.context;
        let hand = &mut self.hands[worker];
        let mut told: Vec<(FuncId, &[u8])> = Vec::new();
        for &function in flight.open.iter().flat_map(|open| &open.needs) {
            if hand.told.insert(function)
                && let Some(bytes) = self.told[function].get_or_init(|| write_told(context, function))
            {
                told.push((function, bytes));
            }
        }
        let bytes = write_batch(&told, flight.open.iter().map(|open| &open.piece));
        hand.batches += 1;
        flight.worker = worker;
        flight.since = (self.options.clock)();
        let first = flight.open.first().and_then(|open| open.piece.members.first());
        let name = first.map_or("", |&function| &context.program.functions[function].name);
        let (name, more) = (name.to_string(), flight.open.len() - 1);
        let number = self.next;
        self.next += 1;
        self.handed.batches += 1;
        self.handed.components += flight.open.len() as u64;
        self.handed.sent += bytes.len() as u64;
        self.flights.insert(number, flight);
        self.workers.give(worker, Task { number, kind: "evaluate", name, more, bytes });
    }

    /// Gives a batch that does not come back to somebody else as well.
    fn help_out(&mut self, worker: usize) {
        let now = (self.options.clock)();
        let late = |flight: &Flight| !flight.helped && now.saturating_sub(flight.since) > LATE;
        let late = self.flights.iter().filter(|(_, flight)| late(flight)).map(|(&number, _)| number).min();
        // It gets another number; what the first one answers some day has one that nobody knows any more.
        if let Some(number) = late
            && let Some(flight) = self.flights.remove(&number)
        {
            self.handed.again += 1;
            self.give(worker, Flight { helped: true, ..flight });
        }
    }

    /// A batch came back.
    fn done(&mut self, worker: usize, number: u64, bytes: &[u8]) {
        if number < self.hands.len() as u64 {
            self.hands[worker].stage = Stage::Ready;
            return;
        }
        let Some(flight) = self.land(worker, number) else { return };
        self.handed.received += bytes.len() as u64;
        let made = read_made(bytes).filter(|made| made.len() == flight.open.len());
        let Some(made) = made else { return self.again(flight.open) };
        let (context, keys, clock) = (self.context, self.keys, self.options.clock);
        let read: Vec<(Open, Made, Option<Results<Stories>>)> = flight
            .open
            .into_par_iter()
            .zip(made)
            .map(|(mut open, made)| {
                let begin = clock();
                let results =
                    made.record.as_ref().and_then(|record| portable(context, keys, &open).read(record));
                open.micros += clock().saturating_sub(begin).as_micros() as u64;
                (open, made, results)
            })
            .collect();
        for (open, made, results) in read {
            match (results, made.record) {
                (Some(results), Some(record)) => {
                    self.spent.0 += open.size as u64;
                    self.spent.1 += made.micros;
                    self.hands[worker].told.extend(&open.piece.members);
                    let size = record.len();
                    self.recollection.shelf().put(open.keyed.key, record);
                    self.sitting.settle(open.index, open.piece.epoch, results, Origin::Evaluated);
                    self.tell_cost(&open, made.micros, size);
                }
                _ => self.evaluate(vec![open]),
            }
        }
        let now = (self.options.clock)();
        if now.saturating_sub(self.secured) > SECURED {
            self.recollection.shelf().secure();
            self.secured = now;
        }
    }

    fn tell_cost(&self, open: &Open, micros: u64, record: usize) {
        let components = self.context.order.components();
        let told = |&member: &FuncId| {
            let told = self.told[member].get_or_init(|| write_told(self.context, member));
            told.as_ref().map_or(0, Vec::len)
        };
        let mut needs: Vec<usize> = open.needs.iter().map(|&function| components.of(function)).collect();
        needs.sort_unstable();
        needs.dedup();
        self.workers.grain(&Grain {
            component: open.index,
            epoch: open.piece.epoch,
            size: open.size,
            urgency: self.epochs.urgency[open.index],
            micros,
            driver: open.micros,
            told: open.piece.members.iter().map(told).sum(),
            record,
            waits: self.epochs.callees[open.index].clone(),
            needs,
        });
    }

    /// A batch could not be done there, or the program not be read.
    fn failed(&mut self, worker: usize, number: u64) {
        if number < self.hands.len() as u64 {
            self.hands[worker].stage = Stage::Out;
            return;
        }
        if let Some(flight) = self.land(worker, number) {
            self.again(flight.open);
        }
    }

    /// The batch of a number, if it is still of interest.
    fn land(&mut self, worker: usize, number: u64) -> Option<Flight> {
        self.hands[worker].batches = self.hands[worker].batches.saturating_sub(1);
        self.flights.remove(&number)
    }

    /// A worker is gone; there is another one in its place, which knows nothing.
    fn lost(&mut self, worker: usize) {
        self.handed.lost += 1;
        self.take_back(worker);
        let hand = &mut self.hands[worker];
        (hand.stage, hand.batches) = (Stage::Loading, 0);
        hand.told.clear();
        self.workers.give(worker, (self.load)(worker));
    }

    fn take_back(&mut self, worker: usize) {
        let its = self.flights.iter().filter(|(_, flight)| flight.worker == worker);
        let mut numbers: Vec<u64> = its.map(|(&number, _)| number).collect();
        numbers.sort_unstable();
        for number in numbers {
            let flight = self.flights.remove(&number);
            flight.into_iter().for_each(|flight| self.again(flight.open));
        }
    }

    fn again(&mut self, open: Vec<Open>) {
        self.handed.again += 1;
        let mut here = Vec::new();
        for mut open in open.into_iter().rev() {
            open.tries += 1;
            match open.tries {
                TRIES.. => here.push(open),
                _ => self.queue.push_front(open),
            }
        }
        self.evaluate(here);
    }

    /// Evaluates a batch that nobody has asked for, or the one that is out for longest.
    fn do_some_here(&mut self) {
        let mut open = self.next_batch();
        let oldest = self.flights.keys().min().copied();
        if open.is_empty()
            && let Some(flight) = oldest.and_then(|number| self.flights.remove(&number))
        {
            open = flight.open;
        }
        self.evaluate(open);
    }

    /// Evaluates everything that waits.
    fn do_here(&mut self) {
        let all = std::mem::take(&mut self.queue);
        self.evaluate(all.into());
    }

    fn evaluate(&mut self, open: Vec<Open>) {
        self.handed.here += open.len() as u64;
        let (context, keys, options, inspect) = (self.context, self.keys, self.options, self.inspect);
        let shelf = self.recollection.shelf();
        let made: Vec<(Open, Results<Stories>)> = open
            .into_par_iter()
            .map(|open| {
                let Open { piece, recursive, view, .. } = &open;
                let turn = Turn { context, members: &piece.members, recursive: *recursive, view };
                let results = component(turn, options, inspect);
                if let Some(record) = portable(context, keys, &open).write(&results) {
                    shelf.put(open.keyed.key, record);
                }
                (open, results)
            })
            .collect();
        for (open, results) in made {
            self.sitting.settle(open.index, open.piece.epoch, results, Origin::Evaluated);
        }
    }
}

fn portable<'p, 'c>(context: &'p Context<'c>, keys: &'p Keys, open: &'p Open) -> Portable<'p, 'c> {
    Portable { keys, context, view: &open.view, keyed: &open.keyed, members: &open.piece.members }
}

/// What is needed to look something up.
struct Looking<'l, 'c> {
    context: &'l Context<'c>,
    keys: &'l Keys,
    options: &'l Options,
}

impl Looking<'_, '_> {
    fn look(
        &self,
        sitting: &Sitting<'_, Stories>,
        recollection: &Recollection<'_>,
        index: usize,
        epoch: u32,
    ) -> (Open, Option<Results<Stories>>) {
        let begin = (self.options.clock)();
        let context = self.context;
        let members = sitting.members(index);
        let view = View::new(context, &members, epoch);
        let recursive = sitting.recursive(index);
        let keyed = self.keys.of(Turn { context, members: &members, recursive, view: &view });
        // Also of those that only a callee sees: a story names what the callee took for alike. What a turn sees itself its view decides.
        let is_told =
            |function: FuncId| !members.contains(&function) && context.summaries[function].get().is_some();
        let needs = keyed.symbols.list().iter().filter_map(|symbol| match *symbol {
            Sym::Func(function) => is_told(function).then_some(function),
            Sym::Global(_) => None,
        });
        let needs = needs.collect();
        let size = members.iter().map(|&member| size(context.program, member)).sum();
        let piece = Piece { epoch, key: keyed.key, members };
        let mut open = Open { index, piece, recursive, view, keyed, size, needs, tries: 0, micros: 0 };
        let known = recollection.shelf().get(&open.keyed.key);
        let results = known.and_then(|bytes| portable(context, self.keys, &open).read(&bytes));
        open.micros = (self.options.clock)().saturating_sub(begin).as_micros() as u64;
        (open, results)
    }
}
