//! Runs of `watertight` in the background, each a process that can be ended at any moment.
//!
//! In: arguments and a working directory. Out: an event with what the process printed, unless it was stopped before. A
//! stopped run says nothing more, so whoever stops it need not tell old results from new ones.

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::thread;

/// Names a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TaskId(pub(crate) u64);

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) task: TaskId,
    pub(crate) stdout: Vec<u8>,
    /// Whatever it said for people.
    pub(crate) stderr: String,
}

/// A run under way. Dropping it ends the process.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) id: TaskId,
    child: Arc<Mutex<Option<Child>>>,
}

impl Drop for Task {
    fn drop(&mut self) {
        if let Ok(mut child) = self.child.lock()
            && let Some(mut child) = child.take()
        {
            // A process that has ended already cannot be killed, and need not be.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Starts a run; `finish` makes an event of its end.
pub(crate) fn start<E: Send + 'static>(
    id: TaskId,
    program: &Path,
    arguments: &[OsString],
    directory: &Path,
    events: &Sender<E>,
    finish: impl FnOnce(Done) -> E + Send + 'static,
) -> Task {
    let spawned = Command::new(program)
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let events = events.clone();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => {
            let stderr = format!("cannot start {}: {error}", program.display());
            // Nobody listens only when the server is about to end.
            let _ = events.send(finish(Done { task: id, stdout: Vec::new(), stderr }));
            return Task { id, child: Arc::default() };
        }
    };
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let child = Arc::new(Mutex::new(Some(child)));
    let task = Task { id, child: Arc::clone(&child) };
    thread::spawn(move || {
        let complaints = thread::spawn(move || {
            let mut text = Vec::new();
            // What was read until something went wrong is still worth telling.
            let _ = stderr.map(|mut pipe| pipe.read_to_end(&mut text));
            String::from_utf8_lossy(&text).into_owned()
        });
        let mut printed = Vec::new();
        let _ = stdout.map(|mut pipe| pipe.read_to_end(&mut printed));
        let stderr = complaints.join().unwrap_or_default();
        // A run that was stopped has no child any more and is not heard of again.
        let ended = child.lock().ok().and_then(|mut child| child.take());
        if let Some(mut ended) = ended {
            // How it ended is told by what it printed.
            let _ = ended.wait();
            let _ = events.send(finish(Done { task: id, stdout: printed, stderr }));
        }
    });
    task
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::time::{Duration, Instant};

    fn shell(script: &str, sender: &Sender<Done>) -> Task {
        let arguments = ["-c".into(), script.into()];
        start(TaskId(1), Path::new("/bin/sh"), &arguments, Path::new("/"), sender, |done| done)
    }

    #[test]
    fn a_run_tells_how_it_ended() {
        let (sender, events) = channel();
        let task = shell("echo out; echo err >&2; exit 3", &sender);
        let done = events.recv().expect("it ends");
        assert_eq!(done.task, TaskId(1));
        assert_eq!((&done.stdout[..], &*done.stderr), (&b"out\n"[..], "err\n"));
        drop(task);
    }

    #[test]
    fn a_run_that_is_stopped_is_not_heard_of() {
        let (sender, events) = channel();
        let start = Instant::now();
        drop(shell("exec sleep 60", &sender));
        drop(sender);
        assert!(events.recv().is_err());
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_program_that_is_not_there_is_told() {
        let (sender, events) = channel();
        let _task = start(TaskId(2), Path::new("/no/such"), &[], Path::new("/"), &sender, |done| done);
        let done = events.recv().expect("it is told");
        assert!(done.stderr.contains("/no/such"), "{done:?}");
    }
}
