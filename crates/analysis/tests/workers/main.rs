//! A run with workers finds what a run without them finds, whatever workers do.
//!
//! The workers are threads here, and most unreliable: they are lost with what they have, say that they failed, answer nonsense, and answer
//! after they were lost. What runs as processes, with sources to compile and nodes to kill, is tried by `cluster/tests`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../edits/program.rs"]
#[allow(dead_code, reason = "nothing is edited here")]
mod program;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use program::{Dice, Source};
use watertight_analysis::worker::{Asked, Channel, work};
use watertight_analysis::{
    Event, Goal, Job, Request, Run, Silent, Source as InputSource, Task, Workers, rules, run, run_with,
};
use watertight_report::select::RuleSet;

const PROGRAMS: u64 = 16;

/// The pipes of one worker.
struct Pipe {
    worker: usize,
    asked: Receiver<Asked>,
    events: Sender<Event>,
}

impl Channel for Pipe {
    fn next(&mut self) -> Option<Asked> {
        self.asked.recv().ok()
    }

    fn answer(&mut self, number: u64, answer: Result<Vec<u8>, String>) {
        let worker = self.worker;
        let event = match answer {
            Ok(bytes) => Event::Done { worker, number, bytes },
            Err(why) => Event::Failed { worker, number, why },
        };
        // Nobody may be left to hear it.
        let _ = self.events.send(event);
    }
}

/// Workers of which one task in so many goes wrong.
struct Crowd {
    scratch: PathBuf,
    tasks: Vec<Mutex<Sender<Asked>>>,
    events: Mutex<Receiver<Event>>,
    tell: Sender<Event>,
    dice: Mutex<Dice>,
    trouble: u64,
    given: Mutex<u64>,
}

impl Crowd {
    fn new(scratch: &Path, count: usize, seed: u64, trouble: u64) -> Crowd {
        let (tell, events) = channel();
        Crowd {
            scratch: scratch.to_path_buf(),
            tasks: (0..count).map(|worker| Mutex::new(start(scratch, worker, &tell))).collect(),
            events: Mutex::new(events),
            tell,
            dice: Mutex::new(Dice(seed)),
            trouble,
            given: Mutex::new(0),
        }
    }
}

fn start(scratch: &Path, worker: usize, events: &Sender<Event>) -> Sender<Asked> {
    let (tasks, asked) = channel();
    let mut pipe = Pipe { worker, asked, events: events.clone() };
    let scratch = scratch.to_path_buf();
    std::thread::spawn(move || work(&mut pipe, &scratch, None).unwrap());
    tasks
}

impl Workers for Crowd {
    fn count(&self) -> usize {
        self.tasks.len()
    }

    fn give(&self, worker: usize, Task { number, kind, bytes, .. }: Task) {
        *self.given.lock().unwrap() += u64::from(kind == "evaluate");
        let roll = self.dice.lock().unwrap().roll(self.trouble as usize);
        let event = match roll {
            // What it has not answered yet is answered, by somebody who counts no more.
            0 => {
                *self.tasks[worker].lock().unwrap() = start(&self.scratch, worker, &self.tell);
                Event::Lost { worker }
            }
            1 => Event::Failed { worker, number, why: "no reason".to_owned() },
            2 if kind == "evaluate" => Event::Done { worker, number, bytes: vec![3, 2, 1] },
            _ => {
                let asked = Asked { number, kind: kind.to_owned(), bytes };
                return self.tasks[worker].lock().unwrap().send(asked).unwrap();
            }
        };
        self.tell.send(event).unwrap();
    }

    fn take(&self, patience: Duration) -> Event {
        match self.events.lock().unwrap().recv_timeout(patience) {
            Ok(event) => event,
            Err(RecvTimeoutError::Timeout) => Event::Nothing,
            Err(RecvTimeoutError::Disconnected) => Event::Closed,
        }
    }
}

fn shown(run: &Run) -> String {
    let Run { findings, refuted, latent, problems, coverage, program, .. } = run;
    format!("{findings:#?}\n{refuted:#?}\n{latent:#?}\n{problems:#?}\n{coverage:?}\n{:#?}", program.problems)
}

fn count(run: &Run, name: &str) -> u64 {
    let counts = run.stages.0.iter().flat_map(|stage| &stage.counts);
    counts.filter(|entry| entry.0 == name).map(|entry| entry.1).sum()
}

#[test]
fn workers_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (some, all) = (RuleSet::defaults(&rules()), RuleSet::parse("all", &rules()).unwrap());
    let (mut findings, mut given, mut here) = (0, 0, 0);
    for seed in 1..=PROGRAMS {
        let source = Source::new(&mut Dice(seed));
        for (file, name) in ["a.c", "b.c"].into_iter().enumerate() {
            std::fs::write(folder.path().join(name), source.text(file)).unwrap();
        }
        let mut request = Request::new(folder.path());
        request.inputs = vec!["a.c".into(), "b.c".into()];
        let mut job = Job::new(request, Goal::Check);
        job.options.rules = if seed % 4 == 3 { all.clone() } else { some.clone() };
        let alone = run(job.clone(), &Silent).unwrap();
        let bitcode = alone.inputs.iter().map(|input| match &input.source {
            InputSource::Bitcode(path) | InputSource::Text(path) => path.clone(),
        });
        job.request.inputs = bitcode.collect();
        for (workers, trouble) in [(1, 1000), (3, 1000), (2, 12), (4, 4)] {
            let crowd = Crowd::new(folder.path(), workers, seed + trouble, trouble);
            let together = run_with(job.clone(), &Silent, Some(&crowd)).unwrap();
            assert_eq!(
                shown(&together),
                shown(&alone),
                "{workers} workers, program {seed}, trouble {trouble}"
            );
            given += *crowd.given.lock().unwrap();
            if trouble == 1000 {
                here += count(&together, "here");
            }
        }
        findings += alone.findings.len();
    }
    assert!(findings > 20 && given > 200, "{findings} findings, {given} batches");
    // Results that cannot be told are few.
    assert!(here * 20 < given, "{here} components were evaluated by the driver, {given} batches went out");
}
