//! The workers of a cluster, as a check sees them: behind a socket, on which `watertight-cluster` listens (`cluster/`).

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use watertight_analysis::{Event, Grain, Task, Workers};

use crate::exit::Stop;
use crate::frames::{self, Header};
use crate::messages;

/// A connection to whoever drives the workers.
pub(crate) struct Cluster {
    count: usize,
    to: Mutex<BufWriter<UnixStream>>,
    events: Mutex<Receiver<Event>>,
    graph: Option<Mutex<BufWriter<File>>>,
}

impl Cluster {
    /// Connects, and waits until there are workers. What components cost is written to `graph`.
    pub(crate) fn connect(socket: &Path, graph: Option<&Path>) -> Result<Cluster, Stop> {
        let trouble = |error| messages::no_cluster(socket.display(), error);
        let stream = UnixStream::connect(socket).map_err(trouble)?;
        let mut from = BufReader::new(stream.try_clone().map_err(trouble)?);
        let first = frames::read(&mut from).map_err(trouble)?;
        let count = first.and_then(|(header, _)| header.workers).unwrap_or(0);
        let (sender, events) = channel();
        std::thread::spawn(move || listen(&mut from, &sender));
        let create =
            |path| File::create(path).map_err(|error| messages::cannot_write(Path::display(path), error));
        let graph = graph.map(create).transpose()?.map(|file| Mutex::new(BufWriter::new(file)));
        Ok(Cluster { count, to: Mutex::new(BufWriter::new(stream)), events: Mutex::new(events), graph })
    }
}

/// Hands on what comes until the other side is gone.
fn listen(from: &mut BufReader<UnixStream>, events: &Sender<Event>) {
    while let Ok(Some((header, bytes))) = frames::read(from) {
        let worker = header.worker.unwrap_or_default();
        let event = match (header.lost, header.failed, header.number) {
            (true, ..) => Event::Lost { worker },
            (_, Some(why), Some(number)) => Event::Failed { worker, number, why },
            (_, None, Some(number)) => Event::Done { worker, number, bytes },
            _ => continue,
        };
        if events.send(event).is_err() {
            return;
        }
    }
}

impl Workers for Cluster {
    fn count(&self) -> usize {
        self.count
    }

    fn give(&self, worker: usize, task: Task) {
        let Task { number, kind, name, more, bytes } = task;
        let kind = kind.to_owned();
        let name = match (&*name, more) {
            ("", _) => kind.clone(),
            (name, 0) => format!("{kind} {name}"),
            (name, more) => format!("{kind} {name} and {more} more"),
        };
        let header = Header { number: Some(number), kind, name, worker: Some(worker), ..Header::default() };
        let mut to = self.to.lock().unwrap_or_else(PoisonError::into_inner);
        // If the other side is gone, the next event says so.
        let _ = frames::write(&mut *to, header, &bytes);
    }

    fn take(&self, patience: Duration) -> Event {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        match events.recv_timeout(patience) {
            Ok(event) if event_worker(&event) < self.count => event,
            Ok(_) | Err(RecvTimeoutError::Timeout) => Event::Nothing,
            Err(RecvTimeoutError::Disconnected) => Event::Closed,
        }
    }

    fn grain(&self, grain: &Grain) {
        let Some(graph) = &self.graph else { return };
        let Grain { component, epoch, size, urgency, micros, driver, told, record, waits, needs } = grain;
        let line = serde_json::json!({
            "component": component, "epoch": epoch, "size": size, "urgency": urgency, "micros": micros, "driver": driver,
            "told": told, "record": record, "waits": waits, "needs": needs,
        });
        // It is a measurement; nothing depends on it.
        let _ = writeln!(graph.lock().unwrap_or_else(PoisonError::into_inner), "{line}");
    }
}

fn event_worker(event: &Event) -> usize {
    match event {
        Event::Done { worker, .. } | Event::Failed { worker, .. } | Event::Lost { worker } => *worker,
        Event::Nothing | Event::Closed => 0,
    }
}
